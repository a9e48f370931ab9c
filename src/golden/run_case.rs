//! Tests one case in this process: reads it, renders its frames, judges each picture.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::blame::{Cause, SearchBudget, blame};
use super::case::{Case, GoldenPicture, name_of, new_picture_path};
use super::error::GoldenError;
use super::inputs::{FrameInputs, RecordedInputs};
use super::machine::Machine;
use super::outcome::{CaseOutcome, DifferenceRecord, FrameOutcome, Status};
use super::pictures::{Golden, hash_source, read_golden, write_picture};
use crate::bytes::{DecodedFrom, Diagnostics, FileSource};
use crate::command::FramePicture;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::gpu::{Gpu, GpuError};
use crate::limits::{MAX_EXPLAINED_DRAWS, MAX_EXPLAINING};
use crate::pixels::{Check, Judgement, Picture, judge};
use crate::player::{Player, PlayerError};
use crate::replay::{InputHasher, ReplayError, ShaderOptions};
use crate::shader::LanguageChoice;
use crate::text::counted;

/// What a case is tested with.
pub(crate) struct TestContext<'a> {
    /// The folder in which pictures of frames that are not as they should be are kept besides, for reports, each by its
    /// hash.
    pub keep: Option<&'a Path>,
    /// The GPU.
    pub gpu: Arc<Gpu>,
    /// How shaders are made.
    pub shaders: &'a ShaderOptions,
}

/// What a case came to, and whether the GPU can still be trusted.
pub(crate) struct Tested {
    /// What it came to.
    pub outcome: CaseOutcome,
    /// Whether the device did something that it should not have: the next case must get another.
    pub is_device_suspect: bool,
}

/// A case that can be tested.
pub(crate) struct ReadCase {
    /// What golden.toml says.
    pub case: Case,
    /// Its trace.
    pub trace: Arc<Trace>,
    /// SHA-256 of its file.
    pub trace_sha256: String,
    /// That the trace is another one than the goldens were made of, if it is.
    pub change: Option<String>,
    /// What opening it came upon and went on from, a sentence each.
    pub warnings: Vec<String>,
}

/// What becomes of a trace that is not as the format says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarningPolicy {
    /// What is not as it should be is a warning, and its pictures are compared.
    Reported,
    /// It is no trace to compare with: `--strict`.
    Refused,
}

/// Reads the case in `folder` and its trace: all that can be said without a GPU. The error is a finished outcome.
pub(crate) fn read_case(
    folder: &Path,
    root: &Path,
    warning_policy: WarningPolicy,
) -> Result<ReadCase, Box<CaseOutcome>> {
    let error = |message: String, kind| {
        let folder_name = folder.display().to_string();
        Box::new(CaseOutcome::ended(name_of(folder), folder_name, Status::Error, message).because_of(kind))
    };
    let case = Case::read(folder, root).map_err(|problem| {
        let kind = problem.kind();
        error(problem.to_string(), kind)
    })?;
    let cannot = |kind, problem: String| error(format!("cannot read {}: {problem}", case.trace.display()), kind);
    // A compressed trace is decoded once, for its hash and its frames.
    let source = FileSource::open(&case.trace).map_err(|problem| cannot(problem.kind(), problem.to_string()))?;
    let source = Arc::new(source);
    let found = hash_source(&*source).map_err(|problem| cannot(problem.kind(), problem.to_string()))?;
    let change = (found != case.trace_sha256).then(|| {
        let (path, expected) = (case.trace.display(), &case.trace_sha256);
        format!("the trace {path} has changed: its SHA-256 is {found}, expected {expected}")
    });
    let mut diagnostics = Diagnostics::new();
    let opened =
        open_source(source.clone(), &case.trace, &mut diagnostics).and_then(|trace| match diagnostics.first_oddity() {
            Some(finding) if warning_policy == WarningPolicy::Refused => {
                Err(format!("{}: {finding} (--strict)", case.trace.display()))
            }
            _ => Ok(trace),
        });
    let trace = opened.map_err(|problem| match &change {
        Some(change) => error(format!("{change}; and {problem}"), ErrorKind::Malformed),
        None => error(problem, ErrorKind::Malformed),
    })?;
    let mut warnings: Vec<String> = source.decoded_from().and_then(DecodedFrom::trailing).into_iter().collect();
    warnings.extend(diagnostics.findings().iter().map(ToString::to_string));
    warnings.extend((diagnostics.dropped() > 0).then(|| format!("and {} more", diagnostics.dropped())));
    Ok(ReadCase { case, trace, trace_sha256: found, change, warnings })
}

/// The pictures of one kind after those of another, each kind by frame: a player that is to show another kind begins anew.
pub(super) fn in_playing_order<T>(pictures: &[T], of: impl Fn(&T) -> FramePicture) -> Vec<&T> {
    let mut ordered: Vec<&T> = pictures.iter().collect();
    ordered.sort_by_key(|picture| {
        let FramePicture { frame, shown } = of(picture);
        (shown, frame)
    });
    ordered
}

/// Opens a whole trace; a damaged one is no ground for goldens.
pub(crate) fn open(path: &Path, diagnostics: &mut Diagnostics) -> Result<Arc<Trace>, String> {
    let source = FileSource::open(path).map_err(|error| format!("cannot open {}: {error}", path.display()))?;
    open_source(Arc::new(source), path, diagnostics)
}

fn open_source(source: Arc<FileSource>, path: &Path, diagnostics: &mut Diagnostics) -> Result<Arc<Trace>, String> {
    let trace = Trace::from_source(source, diagnostics);
    Ok(Arc::new(trace.map_err(|error| format!("{}: {error}", path.display()))?))
}

impl TestContext<'_> {
    /// Tests a case that was read.
    pub(crate) fn test(&self, ReadCase { case, trace, trace_sha256, change, warnings }: &ReadCase) -> Tested {
        let machine = Machine::of(self.gpu.summary());
        let folder = case.folder.display().to_string();
        let mut outcome =
            CaseOutcome::ended(case.name(), folder, Status::Error, "").about(&case.trace, warnings.clone());
        outcome.message = None;
        outcome.trace_sha256 = Some(trace_sha256.clone());
        outcome.recorded = Some(case.recorded.clone());
        let mut is_device_suspect = false;
        match Player::new(trace.clone(), self.gpu.clone(), case.size) {
            Err(error) => {
                is_device_suspect = is_gpu_trouble(&error);
                outcome.message = Some(error.to_string());
                outcome.kind = Some(error.kind());
            }
            Ok(mut player) => {
                player.set_shader_options(self.shaders.clone());
                let mut inputs = CaseInputs::new(&case.folder, trace);
                for golden in in_playing_order(&case.pictures, |golden| golden.of) {
                    let (frame, is_suspect) = self.test_picture(case, golden, &mut player, &mut inputs, &machine);
                    outcome.frames.push(frame);
                    is_device_suspect |= is_suspect;
                }
                outcome.frames.sort_by_key(|frame| frame.of);
                outcome.status = outcome.frames.iter().map(|frame| frame.status).max().unwrap_or(Status::Error);
            }
        }
        outcome.machine = Some(machine);
        if let Some(change) = change {
            let differing = outcome.frames.iter().filter(|frame| !frame.status.is_good()).count();
            let pictures = counted(outcome.frames.len() as u64, "picture");
            let differ = if differing == 1 { "differs" } else { "differ" };
            outcome.message = Some(format!("{differing} of its {pictures} {differ}, and {change}"));
            // Without a difference only the trace's file is another one, which no picture shows.
            outcome.status = if differing == 0 { Status::Error } else { outcome.status };
            outcome.kind = Some(ErrorKind::Different);
            outcome.is_trace_changed = true;
        }
        Tested { outcome, is_device_suspect }
    }

    fn test_picture(
        &self,
        case: &Case,
        golden: &GoldenPicture,
        player: &mut Player,
        inputs: &mut CaseInputs<'_>,
        machine: &Machine,
    ) -> (FrameOutcome, bool) {
        let path = case.folder.join(&golden.picture);
        let mut outcome = FrameOutcome {
            known_failure: golden.known_failure.clone(),
            expected: Some(path.display().to_string()),
            ..FrameOutcome::ended(golden.of, Status::Error, "")
        };
        player.set_shown(golden.of.shown);
        let picture = match player.render(golden.of.frame) {
            Ok(picture) => picture,
            Err(error) => {
                outcome.message = error.to_string();
                match error {
                    PlayerError::Gpu(GpuError::Timeout { .. }) => outcome.status = Status::TimedOut,
                    ref error => outcome.kind = Some(error.kind()),
                }
                let is_suspect = is_gpu_trouble(&error);
                return (expect_failure(outcome), is_suspect);
            }
        };
        outcome.sha256 = Some(picture.hash().to_string());
        let expected = self.compare(case, golden, &picture, machine, &mut outcome);
        if outcome.status == Status::Different
            && let Some(expected) = &expected
        {
            let budget = SearchBudget { draws: MAX_EXPLAINED_DRAWS, time: MAX_EXPLAINING };
            // silent: the picture differs, whether or not it is found out why
            let found = blame(player, golden.of.frame, expected, &picture, budget).ok().flatten();
            outcome.cause = found.as_ref().map(ToString::to_string);
            inputs.note(&mut outcome, player, found.map(|blame| blame.cause));
        }
        let outcome = expect_failure(outcome);
        (self.keep_pictures(&path, expected.as_ref(), &picture, outcome), false)
    }

    /// Compares with the golden, which is given back if there is one.
    fn compare(
        &self,
        case: &Case,
        golden: &GoldenPicture,
        picture: &Picture,
        machine: &Machine,
        outcome: &mut FrameOutcome,
    ) -> Option<Picture> {
        let path = case.folder.join(&golden.picture);
        let folder = case.folder.display();
        let expected = match read_golden(&path) {
            Golden::Found(expected) => expected,
            Golden::Missing => {
                outcome.status = Status::Missing;
                outcome.message = format!("{} is missing: `golden approve {folder}` creates it", path.display());
                return None;
            }
            Golden::Unusable(message) => {
                outcome.message = format!("the golden {}: {message}", path.display());
                outcome.kind = Some(ErrorKind::GoldenUnusable);
                return None;
            }
        };
        if !golden.hashes.contains(&expected.hash()) {
            let hash = expected.hash();
            outcome.kind = Some(ErrorKind::GoldenUnusable);
            outcome.message =
                format!("the golden {} has the hash {hash}, which golden.toml does not accept", path.display());
            return Some(expected);
        }
        let check = choose_check(case, golden, machine, self.shaders.language);
        note_judgement(outcome, &judge(&expected, picture, &golden.accepted(), check));
        Some(expected)
    }

    /// Keeps the new picture beside a golden that it is not, for people to look at; it is accepted only by them.
    fn keep_pictures(
        &self,
        golden: &Path,
        expected: Option<&Picture>,
        picture: &Picture,
        mut outcome: FrameOutcome,
    ) -> FrameOutcome {
        let kept = new_picture_path(golden);
        if outcome.status == Status::Passed {
            // What was kept before is no news any more. It may never have been there.
            let _ = std::fs::remove_file(&kept);
            return outcome;
        }
        match write_picture(&kept, picture) {
            Ok(()) => outcome.found = Some(kept.display().to_string()),
            Err(error) => outcome.message = format!("{}; cannot save the new picture: {error}", outcome.message),
        }
        if let Some(folder) = self.keep {
            let keep = |picture: &Picture| {
                let path = folder.join(format!("{}.png", picture.hash()));
                // silent: the picture beside the golden is the one that has to be kept
                write_picture(&path, picture).ok().map(|()| path.display().to_string())
            };
            outcome.found = keep(picture).or(outcome.found);
            if let Some(expected) = expected {
                outcome.expected = keep(expected).or(outcome.expected);
            }
        }
        outcome
    }
}

/// What a case's pictures are drawn from, and were when they were recorded. Of a thousand pictures that differ the trace is
/// hashed once.
struct CaseInputs<'a> {
    folder: &'a Path,
    trace: &'a Arc<Trace>,
    hasher: Option<InputHasher>,
    /// Of the frame that was asked about last; it may have several pictures.
    now: Option<FrameInputs>,
    recorded: Option<Result<Option<RecordedInputs>, GoldenError>>,
}

impl<'a> CaseInputs<'a> {
    fn new(folder: &'a Path, trace: &'a Arc<Trace>) -> Self {
        Self { folder, trace, hasher: None, now: None, recorded: None }
    }

    fn of_frame(&mut self, frame: FrameIndex, player: &mut Player) -> Result<&FrameInputs, ReplayError> {
        let now = match self.now.take().filter(|now| now.frame == frame) {
            Some(now) => now,
            None => {
                let new = || InputHasher::new(self.trace.clone(), player.index());
                FrameInputs::of(self.hasher.get_or_insert_with(new), frame)?
            }
        };
        Ok(self.now.insert(now))
    }

    /// Notes what the cause has in common with others, and what has changed since the golden was recorded.
    fn note(&mut self, outcome: &mut FrameOutcome, player: &mut Player, cause: Option<Cause>) {
        let (folder, frame) = (self.folder, outcome.of.frame);
        let now = match self.of_frame(frame, player) {
            Ok(now) => now.clone(),
            Err(error) => {
                outcome.input_change = Some(format!("the frame's inputs are unknown: {error}"));
                return;
            }
        };
        // What else two causes share says little: two CLEARs of other frames have nothing to do with each other.
        outcome.cause_group = match cause {
            Some(Cause::Draw(draw)) => {
                now.shaders_of(draw.draw).map(|shaders| format!("draw {} with the shaders {shaders}", draw.draw))
            }
            _ => None,
        };
        let then = match self.recorded.get_or_insert_with(|| RecordedInputs::read(folder)) {
            Ok(recorded) => recorded.as_ref().and_then(|recorded| recorded.of_frame(frame)),
            Err(error) => {
                outcome.input_change = Some(error.to_string());
                return;
            }
        };
        outcome.input_change =
            then.zip(self.hasher.as_mut()).map(|(then, hasher)| match now.by_rule_of(then, hasher) {
                Ok(now) => now.change_since(then).to_string(),
                Err(error) => format!("the frame's inputs are unknown: {error}"),
            });
    }
}

/// What is allowed for this picture here: what golden.toml says for such an adapter; else equality where the golden was
/// made on such a machine; else the default for other machines. Goldens are made of the WGSL where a trace has it, so
/// its GLSL, whose arithmetic may be ordered otherwise, is drawn as if by another machine.
pub(super) fn choose_check(case: &Case, golden: &GoldenPicture, machine: &Machine, language: LanguageChoice) -> Check {
    let fits = |filter: &Option<String>, value: &str| {
        filter.as_ref().is_none_or(|text| value.to_lowercase().contains(&text.to_lowercase()))
    };
    let is_backend = |filter: &Option<String>| filter.as_ref().is_none_or(|name| *name == machine.backend);
    let mut checks = golden.checks.iter();
    match checks.find(|check| is_backend(&check.backend) && fits(&check.adapter, &machine.adapter)) {
        Some(filtered) => filtered.check,
        None if case.recorded.draws_like(machine) && language.takes_preferred() => Check::EXACT,
        None => Check::OTHER_MACHINE,
    }
}

fn note_judgement(outcome: &mut FrameOutcome, judgement: &Judgement) {
    outcome.status = if judgement.is_same { Status::Passed } else { Status::Different };
    outcome.criterion = Some(judgement.criterion.name().to_owned());
    outcome.message = judgement.to_string();
    outcome.difference = DifferenceRecord::of(judgement);
}

fn expect_failure(mut outcome: FrameOutcome) -> FrameOutcome {
    // silent: most cases are not known to fail
    let Some(reason) = &outcome.known_failure else { return outcome };
    match outcome.status {
        // A mistake of ours is nobody's known failure.
        Status::Error if outcome.kind == Some(ErrorKind::Internal) => {}
        Status::Different | Status::Error => {
            outcome.message = format!("{} (known: {reason})", outcome.message);
            outcome.status = Status::KnownFailure;
        }
        Status::Passed => {
            outcome.message = format!(
                "it passes although it is listed as a known failure ({reason}): delete \
                known_failure"
            );
            outcome.status = Status::UnexpectedPass;
        }
        _ => {}
    }
    outcome
}

/// Whether the device, rather than the trace, may be at fault.
fn is_gpu_trouble(error: &PlayerError) -> bool {
    // silent: it is not the GPU's error
    let PlayerError::Gpu(error) = error else { return false };
    matches!(error, GpuError::Reported { .. } | GpuError::DeviceLost(_) | GpuError::Timeout { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::aerogpu::FrameIndex;

    fn expected(kind: ErrorKind) -> Status {
        let outcome = FrameOutcome {
            kind: Some(kind),
            known_failure: Some("the shader".to_owned()),
            ..FrameOutcome::ended(FrameIndex(0).into(), Status::Error, "")
        };
        expect_failure(outcome).status
    }

    #[test]
    fn a_broken_invariant_is_no_known_failure() {
        assert_eq!(expected(ErrorKind::Internal), Status::Error);
        assert_eq!(expected(ErrorKind::ReplayFailed), Status::KnownFailure);
    }
}
