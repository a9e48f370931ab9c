//! The child's side: takes jobs, one JSON object a line, and answers each with one line.
//!
//! ```text
//!  parent ──{"job":"test","folder":…}──► stdin of the worker
//!  parent ◄──{"answer":"tested",…}────── its stdout
//! ```
//!
//! One device serves all jobs of a worker, for opening it is what costs time; each case gets buffers, shaders and a
//! target of its own on it. A device that has done something odd is not used again: the worker answers and ends.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;

use serde::{Deserialize, Serialize};

use super::machine::Machine;
use super::outcome::{CaseOutcome, Status};
use super::pictures::write_picture;
use super::run_case::{Bench, open, read_case};
use crate::format::aerogpu::FrameIndex;
use crate::gpu::{Gpu, GpuError};
use crate::pixels::Size;
use crate::player::{Player, Until};
use crate::replay::ShaderOptions;

/// What a worker is asked to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "kebab-case")]
pub enum Job {
    /// Test the case in a folder.
    Test {
        /// The folder.
        folder: PathBuf,
        /// The folder that its trace must lie in.
        root: PathBuf,
        /// Where pictures are kept for reports: a folder, and the start of the files' names.
        keep: Option<(PathBuf, String)>,
    },
    /// Render frames of a trace into a folder, as `frame0000.png`.
    Render {
        /// The trace.
        trace: PathBuf,
        /// Width and height.
        size: [u32; 2],
        /// The frames.
        frames: Vec<u32>,
        /// The folder.
        into: PathBuf,
    },
}

/// What a worker answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// A case was tested.
    Tested {
        /// What it came to.
        outcome: Box<CaseOutcome>,
        /// Whether the worker ends now, since its device can't be trusted.
        ends: bool,
    },
    /// Frames were rendered.
    Rendered {
        /// The machine.
        machine: Machine,
        /// Each frame's file.
        files: Vec<PathBuf>,
    },
    /// Frames could not be rendered.
    Failed {
        /// How it failed.
        status: Status,
        /// Why.
        message: String,
    },
}

/// Answers jobs until `input` ends. `open_gpu` is called at the first job that needs a device.
///
/// When the parent dies `input` ends, and so does this process, in the middle of a job if need be.
pub fn serve(
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
    shaders: &ShaderOptions,
    open_gpu: impl Fn() -> Result<Gpu, GpuError>,
) -> std::io::Result<()> {
    let (sender, jobs) = mpsc::channel();
    std::thread::spawn(move || {
        for line in input.lines() {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                return;
            }
        }
        // Whoever asked is gone: a job that hangs must not outlive them.
        std::process::exit(0);
    });
    let mut gpu = None;
    for line in jobs {
        let answer = match serde_json::from_str(&line) {
            Ok(job) => Desk { gpu: &mut gpu, open_gpu: &open_gpu, shaders }.run(job),
            Err(error) => Answer::Failed { status: Status::Error, message: format!("not a job: {error}") },
        };
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
        output.flush()?;
        if matches!(answer, Answer::Tested { ends: true, .. }) {
            break;
        }
    }
    Ok(())
}

/// What a worker has at hand for its jobs.
struct Desk<'a> {
    gpu: &'a mut Option<Arc<Gpu>>,
    open_gpu: &'a dyn Fn() -> Result<Gpu, GpuError>,
    shaders: &'a ShaderOptions,
}

impl Desk<'_> {
    fn run(mut self, job: Job) -> Answer {
        match job {
            Job::Test { folder, root, keep } => {
                let started = std::time::Instant::now();
                let keep = keep.as_ref().map(|(folder, label)| (folder.as_path(), label.as_str()));
                let (mut outcome, ends) = self.test(&folder, &root, keep);
                outcome.seconds = started.elapsed().as_secs_f64();
                Answer::Tested { outcome: Box::new(outcome), ends }
            }
            Job::Render { trace, size, frames, into } => self
                .render(&trace, size, &frames, &into)
                .unwrap_or_else(|(status, message)| Answer::Failed { status, message }),
        }
    }

    /// The GPU, opened if it is not yet.
    fn gpu(&mut self) -> Result<Arc<Gpu>, (Status, String)> {
        if let Some(gpu) = &self.gpu {
            return Ok(gpu.clone());
        }
        let opened = (self.open_gpu)().map(Arc::new).map_err(|error| {
            let is_absent = matches!(error, GpuError::NoAdapter { .. } | GpuError::NoDevice { .. });
            (if is_absent { Status::NoAdapter } else { Status::Error }, error.to_string())
        })?;
        Ok(self.gpu.insert(opened).clone())
    }

    fn test(&mut self, folder: &Path, root: &Path, keep: Option<(&Path, &str)>) -> (CaseOutcome, bool) {
        let read = match read_case(folder, root) {
            Ok(read) => read,
            Err(outcome) => return (*outcome, false),
        };
        match self.gpu() {
            Ok(gpu) => {
                let tested = Bench { keep, gpu, shaders: self.shaders }.test(&read);
                (tested.outcome, tested.is_device_suspect)
            }
            Err((status, message)) => {
                (CaseOutcome::ended(read.case.name(), folder.display().to_string(), status, message), true)
            }
        }
    }

    fn render(
        &mut self,
        path: &Path,
        [width_px, height_px]: [u32; 2],
        frames: &[u32],
        into: &Path,
    ) -> Result<Answer, (Status, String)> {
        let error = |message: String| (Status::Error, message);
        let trace = open(path).map_err(error)?;
        let gpu = self.gpu()?;
        let machine = Machine::of(gpu.summary());
        let size = Size { width_px, height_px };
        let mut player = Player::new(trace, gpu, size).map_err(|problem| error(problem.to_string()))?;
        player.set_shader_options(self.shaders.clone());
        let mut files = Vec::new();
        for frame in frames.iter().copied().map(FrameIndex) {
            let picture = player.render(frame, Until::EndOfFrame).map_err(|problem| error(problem.to_string()))?;
            let file = into.join(super::case::picture_name(frame));
            write_picture(&file, &picture).map_err(|problem| error(problem.to_string()))?;
            files.push(file);
        }
        Ok(Answer::Rendered { machine, files })
    }
}
