//! What golden asks of a worker, and how the worker does it.
//!
//! One device serves all jobs of a worker, for opening it is what costs time; each case gets buffers, shaders and a
//! target of its own on it. A device that has done something odd is not used again: the worker answers and ends.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::case::picture_name;
use super::inputs::FrameInputs;
use super::machine::Machine;
use super::mutate::{CaseMutants, NoMutants, mutate};
use super::outcome::{CaseOutcome, Status};
use super::pictures::write_scratch_picture;
use super::run_case::{TestContext, WarningPolicy, in_playing_order, open, read_case};
use crate::bytes::Diagnostics;
use crate::command::FramePicture;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::FrameIndex;
use crate::gpu::{Gpu, GpuError};
use crate::pixels::{Picture, Size};
use crate::player::{Player, PlayerError};
use crate::replay::{InputHasher, ShaderOptions};
use crate::worker::{self, Answered, Device};

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
        /// What becomes of a trace that is not as the format says.
        warning_policy: WarningPolicy,
        /// The folder in which pictures are kept for reports.
        keep: Option<PathBuf>,
    },
    /// Render pictures of a trace into a folder, as `frame0000.png`.
    Render {
        /// The trace.
        trace: PathBuf,
        /// Width and height.
        size: [u32; 2],
        /// The pictures.
        pictures: Vec<FramePicture>,
        /// The folder.
        into: PathBuf,
    },
    /// Render pictures of a trace once more, and keep none of them.
    Repeat {
        /// The trace.
        trace: PathBuf,
        /// Width and height.
        size: [u32; 2],
        /// The pictures.
        pictures: Vec<FramePicture>,
    },
    /// Find out which faults the case in a folder would not notice.
    Mutate {
        /// The folder.
        folder: PathBuf,
        /// The folder that its trace must lie in.
        root: PathBuf,
        /// Draws of a frame that are left out, each in turn, at most.
        draws: usize,
    },
}

/// What a worker answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// A case was tested.
    Tested(Box<CaseOutcome>),
    /// Frames were rendered.
    Rendered {
        /// The machine.
        machine: Machine,
        /// Each picture's file.
        files: Vec<PathBuf>,
        /// What each frame among them is drawn from, ascending by frame.
        inputs: Vec<FrameInputs>,
    },
    /// Frames were rendered once more.
    Repeated {
        /// Each picture's hash, in words.
        hashes: Vec<String>,
    },
    /// Mutants of a case's pictures were judged.
    Mutated(Box<CaseMutants>),
    /// Frames could not be rendered.
    Failed {
        /// How it failed.
        status: Status,
        /// The kind of trouble, where that is known.
        kind: Option<ErrorKind>,
        /// Why.
        message: String,
    },
}

impl worker::Job for Job {
    const KIND: &'static str = "golden";
    type Answer = Answer;
}

impl Job {
    /// Does what is asked, on `device`, with shaders made as `shaders` says.
    pub fn run(self, device: &mut Device, shaders: &ShaderOptions) -> Answered<Answer> {
        let mut context = JobContext { device, shaders };
        match self {
            Self::Test { folder, root, warning_policy, keep } => {
                let started = std::time::Instant::now();
                let (mut outcome, ends) = context.test(&folder, &root, warning_policy, keep.as_deref());
                outcome.seconds = started.elapsed().as_secs_f64();
                Answered { answer: Answer::Tested(Box::new(outcome)), ends }
            }
            Self::Render { trace, size, pictures, into } => {
                let rendered = context.render((&trace, size), &pictures, &into);
                Answered { answer: rendered.unwrap_or_else(Answer::from), ends: false }
            }
            Self::Repeat { trace, size, pictures } => {
                let repeated = context.repeat((&trace, size), &pictures);
                Answered { answer: repeated.unwrap_or_else(Answer::from), ends: false }
            }
            Self::Mutate { folder, root, draws } => {
                let mutated = context.mutate(&folder, &root, draws);
                let answer = mutated.map_or_else(Answer::from, |mutants| Answer::Mutated(Box::new(mutants)));
                Answered { answer, ends: false }
            }
        }
    }
}

/// Status, kind and words of frames that could not be rendered.
type NoPictures = (Status, Option<ErrorKind>, String);

impl From<NoPictures> for Answer {
    fn from((status, kind, message): NoPictures) -> Self {
        Self::Failed { status, kind, message }
    }
}

fn of_player(problem: PlayerError) -> NoPictures {
    (Status::Error, Some(problem.kind()), problem.to_string())
}

/// What there is for a job.
struct JobContext<'a, 'b> {
    device: &'a mut Device<'b>,
    shaders: &'a ShaderOptions,
}

impl JobContext<'_, '_> {
    /// The GPU, or how a case ends without one.
    fn gpu(&mut self) -> Result<Arc<Gpu>, (Status, String)> {
        self.device.get().map_err(|error| {
            let is_absent = matches!(error, GpuError::NoAdapter { .. } | GpuError::NoDevice { .. });
            (if is_absent { Status::NoAdapter } else { Status::Error }, error.to_string())
        })
    }

    fn test(
        &mut self,
        folder: &Path,
        root: &Path,
        warning_policy: WarningPolicy,
        keep: Option<&Path>,
    ) -> (CaseOutcome, bool) {
        let read = match read_case(folder, root, warning_policy) {
            Ok(read) => read,
            Err(outcome) => return (*outcome, false),
        };
        match self.gpu() {
            Ok(gpu) => {
                let tested = TestContext { keep, gpu, shaders: self.shaders }.test(&read);
                (tested.outcome, tested.is_device_suspect)
            }
            Err((status, message)) => {
                let outcome = CaseOutcome::ended(read.case.name(), folder.display().to_string(), status, message);
                (outcome.about(&read.case.trace, read.warnings), true)
            }
        }
    }

    fn mutate(&mut self, folder: &Path, root: &Path, draws: usize) -> Result<CaseMutants, NoMutants> {
        let read = read_case(folder, root, WarningPolicy::Reported)
            .map_err(|outcome| (outcome.status, outcome.kind, outcome.summary()))?;
        let gpu = self.gpu().map_err(|(status, message)| (status, None, message))?;
        mutate(&read, gpu, self.shaders, draws)
    }

    fn render(
        &mut self,
        (path, size): (&Path, [u32; 2]),
        pictures: &[FramePicture],
        into: &Path,
    ) -> Result<Answer, NoPictures> {
        let (machine, mut player) = self.draw((path, size), pictures, |of, picture| {
            write_scratch_picture(&into.join(picture_name(of)), &picture).map_err(|problem| problem.to_string())
        })?;
        let files = pictures.iter().map(|of| into.join(picture_name(*of))).collect();
        let frames: BTreeSet<FrameIndex> = pictures.iter().map(|of| of.frame).collect();
        let mut hasher = InputHasher::new(player.trace().clone(), player.index());
        let inputs = frames.into_iter().map(|frame| FrameInputs::of(&mut hasher, frame));
        let inputs = inputs.collect::<Result<_, _>>().map_err(|problem| of_player(problem.into()))?;
        Ok(Answer::Rendered { machine, files, inputs })
    }

    fn repeat(&mut self, trace: (&Path, [u32; 2]), pictures: &[FramePicture]) -> Result<Answer, NoPictures> {
        let mut hashes = BTreeMap::new();
        self.draw(trace, pictures, |of, picture| {
            hashes.insert(of, picture.hash().to_string());
            Ok(())
        })?;
        let lost = || (Status::Error, Some(ErrorKind::Internal), "a picture was not rendered".to_owned());
        let hashes = pictures.iter().map(|of| hashes.get(of).cloned().ok_or_else(lost));
        Ok(Answer::Repeated { hashes: hashes.collect::<Result<_, _>>()? })
    }

    /// Renders pictures, each of which `keep` gets.
    fn draw(
        &mut self,
        (path, [width_px, height_px]): (&Path, [u32; 2]),
        pictures: &[FramePicture],
        mut keep: impl FnMut(FramePicture, Picture) -> Result<(), String>,
    ) -> Result<(Machine, Player), NoPictures> {
        let error = |kind, message: String| (Status::Error, kind, message);
        let trace =
            open(path, &mut Diagnostics::new()).map_err(|message| error(Some(ErrorKind::Malformed), message))?;
        let gpu = self.gpu().map_err(|(status, message)| (status, None, message))?;
        let machine = Machine::of(gpu.summary());
        let size = Size { width_px, height_px };
        let mut player = Player::new(trace, gpu, size).map_err(of_player)?;
        player.set_shader_options(self.shaders.clone());
        for of in in_playing_order(pictures, |of| *of) {
            player.set_shown(of.shown);
            let picture = player.render(of.frame).map_err(of_player)?;
            keep(*of, picture).map_err(|message| error(None, message))?;
        }
        Ok((machine, player))
    }
}
