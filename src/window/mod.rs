//! The window: one frame at a time, scaled to fit, with the same pixels as the PNG.
//!
//! Space plays and pauses, → and ← step, Home and End jump, `s` saves, `q` and Esc close.

mod app;
mod keys;
mod pacing;
mod presenter;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use winit::event_loop::EventLoop;

use crate::format::aerogpu::{FrameIndex, Trace};
use crate::gpu::{AdapterChoice, BackendChoice, GpuError};
use crate::pixels::{Picture, Size};
use crate::player::{PlayerError, Watchdog};
use crate::replay::ShaderOptions;

/// Saves a picture that the user asked to keep; says where, or why not.
pub type SavePicture = Box<dyn FnMut(FrameIndex, &Picture) -> Result<PathBuf, String>>;

/// What the window shows and how.
pub struct WindowOptions {
    /// The trace's name for the title.
    pub name: String,
    /// Size of the target.
    pub size: Size,
    /// The frame to show first.
    pub first_frame: FrameIndex,
    /// Frames a second while playing.
    pub fps: f64,
    /// Whether to play from the start.
    pub plays: bool,
    /// Close after this many pictures.
    pub quit_after: Option<u64>,
    /// The API to go through.
    pub backend: BackendChoice,
    /// The adapter.
    pub adapter: AdapterChoice,
    /// Longest wait for the GPU.
    pub timeout: Duration,
    /// How shaders are made.
    pub shaders: ShaderOptions,
    /// Watches over each frame; the player takes it.
    pub watchdog: Option<Watchdog>,
    /// What `s` does.
    pub save: SavePicture,
}

/// Why there is no window, or no picture in it.
#[derive(Debug, Error)]
pub enum WindowError {
    /// The window system refused.
    #[error("cannot open a window: {0} (no display? --frame N --out PATH renders without one)")]
    WindowSystem(String),
    /// The trace has nothing to show.
    #[error("the trace has no frames to show")]
    NoFrames,
    /// A frame cannot be shown.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The GPU is at fault.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// Opens the window and returns when it is closed. The error is the first that a frame had, if one had.
pub fn run(trace: Arc<Trace>, options: WindowOptions) -> Result<(), WindowError> {
    if trace.frames().is_empty() {
        return Err(WindowError::NoFrames);
    }
    let refused = |error: winit::error::EventLoopError| WindowError::WindowSystem(error.to_string());
    let event_loop = EventLoop::new().map_err(refused)?;
    let mut app = app::App::new(trace, options);
    event_loop.run_app(&mut app).map_err(refused)?;
    app.into_result()
}
