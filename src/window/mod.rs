//! The window: a winit event loop around the [inspector](crate::inspector).
//!
//! ```
//! use std::sync::Arc;
//!
//! use aerogpu_replay::inspector::{FirstView, Services};
//! use aerogpu_replay::window::{self, WindowOptions};
//!
//! fn show(services: Arc<dyn Services>, first: FirstView) -> Result<(), window::WindowError> {
//!     let closed = window::run(services, WindowOptions { first, quit_after: None }, |_| ())?;
//!     closed.error.map_or(Ok(()), Err)
//! }
//! ```
//!
//! The inspector is drawn by egui, egui's triangles by the adapter that can present to the window. The trace itself is
//! played on a device of its own, on a thread of its own: whatever a guest's shader does there, the window goes on.

mod app;
mod file_dialog;
#[cfg(all(unix, not(target_os = "macos")))]
mod portal;
mod presenter;
mod scale_factor;

use std::sync::Arc;

pub use file_dialog::{has_file_dialog, pick_file};
use thiserror::Error;
use winit::event_loop::{EventLoop, EventLoopProxy};

use crate::error::{Classified, ErrorKind};
use crate::gpu::{GpuError, LibraryError};
use crate::inspector::{FirstView, Services, Threads};
use crate::player::PlayerError;

/// What the window shows and how.
pub struct WindowOptions {
    /// First contents.
    pub first: FirstView,
    /// Close after this many pictures.
    pub quit_after: Option<u64>,
}

/// Why there is no window, or no picture in it.
#[derive(Debug, Error)]
pub enum WindowError {
    /// The window system refused.
    #[error("cannot open a window: {0} (no display? --frame N --out PATH renders without one)")]
    WindowSystem(String),
    /// An environment variable that the window system's library does not take.
    #[error("{name} is \"{value}\": expected {expected}")]
    Environment {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// The values that there are, in words.
        expected: &'static str,
    },
    /// The window that was open is gone.
    #[error("cannot draw in the window any more: {0}")]
    Surface(LibraryError),
    /// The trace has nothing to show.
    #[error("the trace has no frames to show")]
    NoFrames,
    /// A frame cannot be shown; the window was open all the same.
    #[error(transparent)]
    Frame(Arc<PlayerError>),
    /// The GPU that draws the window is at fault.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

impl Classified for WindowError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::WindowSystem(_) => ErrorKind::NoAdapter,
            Self::Surface(error) => error.kind(),
            Self::NoFrames | Self::Environment { .. } => ErrorKind::Usage,
            Self::Frame(error) => error.kind(),
            Self::Gpu(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::WindowSystem(_) | Self::Surface(_) | Self::NoFrames | Self::Environment { .. } => None,
            Self::Frame(error) => error.offset(),
            Self::Gpu(error) => error.offset(),
        }
    }
}

/// What is left when the window is closed.
pub struct Closed {
    /// What ended the window, or the first error that a frame had.
    pub error: Option<WindowError>,
    /// Whether something in the trace could not be carried out.
    pub has_faults: bool,
    /// Whether a thread is still in the middle of something. Then the process is to be ended without waiting for it.
    pub threads: Threads,
}

/// Closes the window from any thread: what was edited and noted is saved, and nobody is asked.
pub struct CloseHandle(EventLoopProxy<app::Request>);

impl CloseHandle {
    /// Has the window closed. One that is closed already stays so.
    pub fn close(&self) {
        let _ = self.0.send_event(app::Request::Quit);
    }
}

/// Opens the window and returns when it is closed. `started` is given what closes it from elsewhere.
pub fn run(
    services: Arc<dyn Services>,
    options: WindowOptions,
    started: impl FnOnce(CloseHandle),
) -> Result<Closed, WindowError> {
    if let FirstView::Trace(trace) = &options.first
        && trace.open.trace.frames().is_empty()
    {
        return Err(WindowError::NoFrames);
    }
    scale_factor::check()?;
    let refused = |error: winit::error::EventLoopError| WindowError::WindowSystem(error.to_string());
    let event_loop = EventLoop::with_user_event().build().map_err(refused)?;
    let proxy = event_loop.create_proxy();
    started(CloseHandle(event_loop.create_proxy()));
    let mut app = app::App::new(services, options, proxy);
    let ran = event_loop.run_app(&mut app).map_err(refused);
    let closed = app.close();
    ran.map(|()| closed)
}
