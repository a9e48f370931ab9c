//! Twenty-four frames of a heath in the fog, in Direct3D 9.
//!
//! It looks as Direct3D 9's fixed functions would have it look, by shaders of model 2: light at the vertices, fog by state,
//! an alpha test, point sprites, and letters whose vertices are placed already.

mod frame;
mod load;

use std::error::Error;

use aerogpu_replay::abi::a3a0::ABI_VERSION;
use aerogpu_replay::abi::a3a0::calls::Stream;
use aerogpu_replay::format::aerogpu::{NewSubmission, TraceWriter};

/// Frames of the trace.
const FRAMES: u32 = 24;

const META: &str =
    r#"{"emulator_version":"heath example","command_abi_version":65540,"notes":"a heath in the fog, in Direct3D 9"}"#;

/// Bytes of the trace.
pub(crate) fn heath() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut trace = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META)?;
    let objects = load::Objects::new();
    for number in 0..FRAMES {
        trace.begin_frame()?;
        let mut stream = Stream::new();
        if number == 0 {
            objects.load(&mut stream)?;
        }
        frame::record(&mut stream, &objects, number);
        let cmd_stream = &stream.into_bytes()?[..];
        trace.submit(&NewSubmission { submit_flags: 1, cmd_stream, ..Default::default() })?;
        trace.present()?;
    }
    Ok(trace.finish()?)
}
