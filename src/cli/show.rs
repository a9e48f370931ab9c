//! `TRACE`: the window.

use std::path::Path;

use super::args::{CommonArgs, PlayArgs};
use super::exit::{Exit, Failure};
use super::open::{completeness, open_trace};
use super::picture_output::{PictureFormat, PictureOutput};
use super::render::{choose_size, make_watchdog, shader_options, timeout, trace_path};
use super::whole_file::write_file;
use crate::format::aerogpu::FrameIndex;
use crate::pixels::write_png;
use crate::window::{SavePicture, WindowError, WindowOptions};

pub(super) fn run(args: &PlayArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let path = trace_path(args)?;
    let trace = open_trace(path, common)?;
    let frame_count = trace.frames().len() as u32;
    let first_frame = match &args.frame {
        Some(frame) => frame
            .resolve_one(frame_count)
            .map_err(Failure::usage)?
            .ok_or_else(|| Failure::usage(format!("--frame {frame}: expected one frame")))?,
        None => FrameIndex(0),
    };
    let window = &args.render.window;
    let options = WindowOptions {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        size: choose_size(&args.render, &trace),
        first_frame,
        fps: window.fps,
        plays: window.play,
        quit_after: window.quit_after,
        backend: args.render.backend.into(),
        adapter: args.render.adapter.clone().unwrap_or_default(),
        timeout: timeout(&args.render),
        shaders: shader_options(&args.render, &trace)?,
        watchdog: Some(make_watchdog(&args.render)),
        save: save_here(path),
    };
    let exit = completeness(&trace);
    crate::window::run(trace, options).map_err(|error| Failure::from(error).context(path.display().to_string()))?;
    Ok(exit)
}

/// Saves pictures as `--out png` would.
fn save_here(trace: &Path) -> SavePicture {
    let trace = trace.to_owned();
    Box::new(move |frame, picture| {
        let output = PictureOutput::Folder(".".into(), PictureFormat::Png);
        let path = output.path_for(&trace, frame.0).ok_or("no path")?;
        write_file(&path, |into| Ok(write_png(picture, &[], into)?)).map_err(|failure| failure.to_string())?;
        Ok(path)
    })
}

impl From<WindowError> for Failure {
    fn from(error: WindowError) -> Self {
        match error {
            WindowError::Player(error) => error.into(),
            WindowError::Gpu(error) => error.into(),
            WindowError::WindowSystem(_) => Self::new(Exit::NoAdapter, error),
            WindowError::NoFrames => Self::new(Exit::Usage, error),
        }
    }
}
