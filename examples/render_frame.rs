//! Renders a frame of a trace to a PNG.
//!
//! ```sh
//! cargo run --example render_frame -- fixtures/aerogpu/triangle.aerogputrace 0 frame.png
//! ```

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use aerogpu_replay::pixels::write_png;
use aerogpu_replay::player::Player;

/// Renders frame `frame` of the trace at `trace` into the PNG at `png`.
pub fn render_frame(trace: &Path, frame: u32, png: &Path) -> Result<(), Box<dyn Error>> {
    let picture = Player::open(trace)?.render(frame)?;
    write_png(&picture, &[], BufWriter::new(File::create(png)?))?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [trace, frame, png] = arguments.as_slice() else { return Err("expected TRACE FRAME PNG".into()) };
    render_frame(Path::new(trace), frame.parse()?, Path::new(png))
}
