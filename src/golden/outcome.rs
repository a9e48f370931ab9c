//! What became of cases: the one model from which lines, JSON, JUnit and the report are written.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::machine::Machine;
use crate::command::{FramePicture, Shown};
use crate::error::ErrorKind;
use crate::pixels::{Difference, Finding, Judgement};
use crate::text::counted;
use crate::worker::WorkerError;

/// How a frame or a case ended, from good to bad: a case is as bad as its worst frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The picture is the golden's.
    Passed,
    /// It failed, as golden.toml says that it would.
    KnownFailure,
    /// It failed, and passed when repeated.
    Flaky,
    /// There is no golden.
    Missing,
    /// No adapter to draw on.
    NoAdapter,
    /// It took longer than it may.
    TimedOut,
    /// golden.toml, a golden or the trace cannot be used, or the frame cannot be rendered.
    Error,
    /// The process that rendered it died.
    Crashed,
    /// golden.toml says that it fails, and it passes.
    UnexpectedPass,
    /// The picture is another one.
    Different,
}

impl Status {
    /// The word that results show.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::KnownFailure => "known failure",
            Self::Flaky => "flaky",
            Self::Missing => "golden missing",
            Self::NoAdapter => "no adapter",
            Self::TimedOut => "timed out",
            Self::Error => "error",
            Self::Crashed => "crashed",
            Self::UnexpectedPass => "passes unexpectedly",
            Self::Different => "different",
        }
    }

    /// How a case ended whose worker gave no answer.
    pub fn of_worker(error: &WorkerError) -> Self {
        match error {
            WorkerError::TimedOut { .. } => Self::TimedOut,
            WorkerError::Crashed { .. } => Self::Crashed,
            WorkerError::NotStarted { .. } | WorkerError::OtherVersion(_) | WorkerError::Interrupted => Self::Error,
        }
    }

    /// Whether the suite is as it should be.
    pub fn is_good(self) -> bool {
        matches!(self, Self::Passed | Self::KnownFailure)
    }

    /// Whether repeating could tell more: what depends on files alone comes out the same again.
    pub fn is_worth_repeating(self) -> bool {
        matches!(self, Self::TimedOut | Self::Error | Self::Crashed | Self::UnexpectedPass | Self::Different)
    }
}

/// What became of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseOutcome {
    /// Its number in the whole suite, before sharding.
    pub number: usize,
    /// The case's name.
    pub case: String,
    /// Its folder.
    pub folder: String,
    /// Its trace.
    pub trace: String,
    /// SHA-256 of the trace as it is now, if it could be read.
    #[serde(default)]
    pub trace_sha256: Option<String>,
    /// What opening the trace came upon and went on from, a sentence each.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// How it ended.
    pub status: Status,
    /// What kind of trouble it is, if it is an error of the whole case.
    #[serde(default)]
    pub kind: Option<ErrorKind>,
    /// What is to say about the whole case.
    pub message: Option<String>,
    /// Whether the trace is another one than the goldens were made of. Its frames are compared all the same, for
    /// people to see what is new, and the case is an error whatever that comes to.
    pub is_trace_changed: bool,
    /// The pictures of frames that were compared.
    pub frames: Vec<FrameOutcome>,
    /// The machine that the goldens were made on.
    pub recorded: Option<Machine>,
    /// The machine that rendered.
    pub machine: Option<Machine>,
    /// Wall-clock seconds of the last attempt.
    pub seconds: f64,
    /// What the attempts before the last one said.
    pub earlier_attempts: Vec<String>,
}

/// What became of a picture of a frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameOutcome {
    /// Which picture of which frame.
    #[serde(flatten)]
    pub of: FramePicture,
    /// How it ended.
    pub status: Status,
    /// What kind of trouble it is, if it is an error.
    #[serde(default)]
    pub kind: Option<ErrorKind>,
    /// What decided.
    #[serde(alias = "rung")]
    pub criterion: Option<String>,
    /// What is to say.
    pub message: String,
    /// The hash of the picture that was rendered.
    pub sha256: Option<String>,
    /// Why it is expected to fail.
    pub known_failure: Option<String>,
    /// The golden's file.
    pub expected: Option<String>,
    /// The file that the rendered picture was kept in.
    pub found: Option<String>,
    /// The differences.
    pub difference: Option<DifferenceRecord>,
    /// What first left a differing pixel as it is: a draw, a CLEAR, an earlier frame.
    pub cause: Option<String>,
    /// What it has in common with the causes of other pictures that changed for the same reason: the number and the
    /// shaders of the draw, say.
    #[serde(default)]
    pub cause_group: Option<String>,
    /// What of its inputs has changed since the golden was recorded, in words; if that was kept.
    #[serde(default, alias = "since_recorded")]
    pub input_change: Option<String>,
}

impl FrameOutcome {
    /// A picture of which nothing is known yet but that it ended like this.
    pub fn ended(of: FramePicture, status: Status, message: impl Into<String>) -> Self {
        Self {
            of,
            status,
            kind: None,
            criterion: None,
            message: message.into(),
            sha256: None,
            known_failure: None,
            expected: None,
            found: None,
            difference: None,
            cause: None,
            cause_group: None,
            input_change: None,
        }
    }
}

/// A [`Difference`] as results hold it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DifferenceRecord {
    /// Pixels compared.
    pub pixels: u64,
    /// Pixels that differ.
    pub differing: u64,
    /// The largest step of red, green, blue, alpha.
    pub largest_steps: [u8; 4],
    /// x, y, width, height of the rectangle that holds every differing pixel.
    pub bounds: Option<[u32; 4]>,
    /// x, y of the worst pixel.
    pub worst: Option<[u32; 2]>,
    /// Pixels beyond the tolerance.
    pub outliers: u64,
    /// The largest group of them that touch.
    pub largest_cluster: u64,
    /// Pixels whose coverage moved.
    pub coverage_moved: u64,
    /// Pairs of step and number of pixels, without those that are 0.
    pub histogram: Vec<(u8, u64)>,
    /// What the perceptual metric said.
    pub similarity: Option<f64>,
    /// The kind of the differences; nothing in results of versions that did not tell.
    #[serde(default)]
    pub finding: Option<Finding>,
}

impl DifferenceRecord {
    /// The record of a judgement, if pictures could be compared.
    pub fn of(judgement: &Judgement) -> Option<Self> {
        let difference: &Difference = judgement.difference.as_ref()?;
        let counts = (0..=255u8).zip(difference.histogram.counts().iter().copied());
        Some(Self {
            pixels: difference.pixels,
            differing: difference.differing,
            largest_steps: difference.largest_steps,
            bounds: difference.bounds.map(|bounds| [bounds.x, bounds.y, bounds.width_px, bounds.height_px]),
            worst: difference.worst.map(|worst| [worst.x, worst.y]),
            outliers: difference.histogram.beyond(difference.cluster_step),
            largest_cluster: difference.largest_cluster,
            coverage_moved: difference.coverage_moved,
            histogram: counts.filter(|(_, count)| *count > 0).collect(),
            similarity: judgement.similarity.map(|similarity| similarity.score),
            finding: Some(difference.finding()),
        })
    }
}

impl CaseOutcome {
    /// A case of which nothing is known yet but that it ended like this.
    pub fn ended(case: String, folder: String, status: Status, message: impl Into<String>) -> Self {
        Self {
            number: 0,
            case,
            folder,
            trace: String::new(),
            trace_sha256: None,
            warnings: Vec::new(),
            status,
            kind: None,
            message: Some(message.into()),
            is_trace_changed: false,
            frames: Vec::new(),
            recorded: None,
            machine: None,
            seconds: 0.0,
            earlier_attempts: Vec::new(),
        }
    }

    /// The same, with the kind of trouble.
    #[must_use]
    pub fn because_of(self, kind: ErrorKind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// The same, of this trace.
    #[must_use]
    pub fn about(self, trace: &Path, warnings: Vec<String>) -> Self {
        Self { trace: trace.display().to_string(), warnings, ..self }
    }

    /// What is to say in one line: about the case, or about its worst frame.
    pub fn summary(&self) -> String {
        if let Some(message) = &self.message {
            return message.clone();
        }
        let worst = self.frames.iter().rev().max_by_key(|frame| frame.status);
        match worst {
            Some(frame) if frame.status != Status::Passed => format!("frame {}: {}", frame.of, frame.message),
            _ => criteria(&self.frames),
        }
    }
}

/// "3 frames by hash", "2 frames by hash, 1 by tolerance".
fn criteria(frames: &[FrameOutcome]) -> String {
    let mut counts = std::collections::BTreeMap::new();
    for frame in frames {
        *counts.entry(frame.criterion.as_deref().unwrap_or("nothing")).or_insert(0) += 1;
    }
    let parts: Vec<String> = counts.iter().map(|(criterion, count)| format!("{count} by {criterion}")).collect();
    let is_usual = |frame: &FrameOutcome| frame.of.shown == Shown::default();
    let what = if frames.iter().all(is_usual) { "frame" } else { "picture" };
    format!("{}: {}", counted(frames.len(), what), parts.join(", "))
}

/// How many cases ended how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeCounts(std::collections::BTreeMap<Status, usize>);

impl OutcomeCounts {
    /// Counts outcomes.
    pub fn of(outcomes: &[CaseOutcome]) -> Self {
        let mut counts = std::collections::BTreeMap::new();
        for outcome in outcomes {
            *counts.entry(outcome.status).or_insert(0) += 1;
        }
        Self(counts)
    }
}

impl std::fmt::Display for OutcomeCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let total: usize = self.0.values().sum();
        write!(f, "{total} case{}", if total == 1 { "" } else { "s" })?;
        for (status, count) in &self.0 {
            write!(f, ", {count} {}", status.word())?;
        }
        Ok(())
    }
}
