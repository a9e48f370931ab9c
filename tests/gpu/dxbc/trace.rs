//! Cases as traces of submissions, through the player: what each frame shows.

use std::path::Path;
use std::sync::Arc;

use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::{DEFAULT_SIZE, largest_viewport};

use super::agreement;
use super::case::{Case, text};

/// Whether a case comes as a trace too.
pub fn has_trace(path: &Path) -> bool {
    path.with_extension("aerogputrace").is_file()
}

/// Plays a case's trace; its first frame that is judged is then sought, from behind.
pub fn agrees(gpu: &Arc<Gpu>, case: &Case, path: &Path) -> Result<(), String> {
    let said = case.get("trace");
    let trace = path.with_file_name(text(&said["file"]));
    let trace = Arc::new(Trace::open(&trace).map_err(|error| error.to_string())?);
    let size = largest_viewport(&trace).unwrap_or(DEFAULT_SIZE);
    let mut player = Player::new(trace, gpu.clone(), size).map_err(|error| error.to_string())?;
    let frames: Vec<_> = said["frames"].as_array().unwrap().iter().enumerate().collect();
    let judged = || frames.iter().filter(|(_, frame)| !frame.is_null());
    assert!(judged().next().is_some(), "{}: no frame is judged", case.name);
    for (number, expected) in judged().chain(judged().rev()) {
        let picture = player.render(FrameIndex(*number as u32)).map_err(|error| error.to_string())?;
        let what = format!("frame {number}");
        agreement::check(&what, &expected["rule"], &case.file(text(&expected["file"])), picture.rgba())?;
    }
    Ok(())
}
