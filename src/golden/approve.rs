//! Approval: the only way in which a picture becomes a golden.
//!
//! The frames are rendered three times, each time in a process and on a device of its own; pictures that differ among
//! themselves are refused, as are blank ones and those of another class of adapter, unless that is what was wanted.
//!
//! A case changes whole or not at all, and nobody else changes it meanwhile: see `transaction.rs` and `lock.rs`.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::case::{Case, GOLDEN_FILE, GoldenPicture, new_picture_path, picture_name};
use super::error::GoldenError;
use super::inputs::{FrameInputs, INPUTS_FILE, RecordedInputs};
use super::jobs::{Answer, Job};
use super::lock::SuiteLock;
use super::machine::Machine;
use super::outcome::Status;
use super::pictures::{Golden, blank_color, hash_trace, png_bytes, read_golden};
use super::record::{Hashes, Recording, new_document, record};
use super::transaction::Transaction;
use crate::bytes::output::{Disk, SystemDisk, make_folders};
use crate::bytes::{ScratchFolder, read_input_text};
use crate::command::FramePicture;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::FrameIndex;
use crate::pixels::{Picture, PictureHash, Size};
use crate::worker::{WorkerCommand, WorkerError};

/// Why pictures do not become goldens.
#[derive(Debug, Error)]
pub enum ApproveError {
    /// The case or one of its files.
    #[error(transparent)]
    Golden(#[from] GoldenError),
    /// The folder has a case already.
    #[error("{} already exists: renew its pictures with golden approve, or choose another folder with --into DIR", .0.display())]
    Exists(PathBuf),
    /// The frames can't be rendered.
    #[error("{message}")]
    Render {
        /// How it failed.
        status: Status,
        /// The kind of trouble, where that is known.
        kind: Option<ErrorKind>,
        /// Why.
        message: String,
    },
    /// Everything is to stop.
    #[error("interrupted: nothing was approved")]
    Interrupted,
    /// The picture is another one every time.
    #[error("frame {of} is not deterministic: {first} in the first of three renders, {other} in another")]
    NonDeterministic {
        /// The picture's place.
        of: FramePicture,
        /// Its hash at first.
        first: String,
        /// Its hash later.
        other: String,
    },
    /// The picture shows nothing.
    #[error("frame {of} is blank: every pixel is {} (--allow-blank approves it)", numbers(color))]
    Blank {
        /// The picture's place.
        of: FramePicture,
        /// Its one colour.
        color: [u8; 4],
    },
    /// The picture is not the one that was looked at.
    #[error("frame {of} differs from the accepted picture: its SHA-256 is {found}, expected {accepted}")]
    NotLookedAt {
        /// The picture's place.
        of: FramePicture,
        /// Its hash now.
        found: PictureHash,
        /// The hash of what was looked at.
        accepted: PictureHash,
    },
    /// The goldens were made on another class of adapter.
    #[error("the goldens were made on {recorded}, but this is {found} (--allow-adapter-change approves them)")]
    OtherAdapter {
        /// What golden.toml says.
        recorded: Box<Machine>,
        /// What there is.
        found: Box<Machine>,
    },
    /// The trace is not the one that the goldens were made of.
    #[error("the trace has changed: its SHA-256 is {found}, expected {expected} (--allow-trace-change approves it)")]
    OtherTrace {
        /// Its hash now.
        found: String,
        /// Its hash in golden.toml.
        expected: String,
    },
}

impl Classified for ApproveError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Golden(error) => error.kind(),
            Self::Exists(_) => ErrorKind::Usage,
            Self::Render { status: Status::NoAdapter, .. } => ErrorKind::NoAdapter,
            Self::Render { status: Status::TimedOut, .. } => ErrorKind::Timeout,
            Self::Render { kind, .. } => kind.unwrap_or(ErrorKind::ReplayFailed),
            Self::Interrupted => ErrorKind::Interrupted,
            Self::NonDeterministic { .. } => ErrorKind::NonDeterministic,
            Self::Blank { .. } | Self::NotLookedAt { .. } | Self::OtherAdapter { .. } | Self::OtherTrace { .. } => {
                ErrorKind::Different
            }
        }
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

fn numbers(color: &[u8; 4]) -> String {
    color.map(|channel| channel.to_string()).join(",")
}

/// What may be approved that otherwise is refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowances {
    /// Pictures of one colour.
    pub blank: bool,
    /// Another class of adapter than the goldens'.
    pub adapter_change: bool,
    /// Another trace than the goldens'.
    pub trace_change: bool,
    /// Accept the new pictures besides the old ones, instead of them.
    pub add: bool,
}

/// Which pictures of a case are approved.
#[derive(Clone, Copy, Debug)]
pub enum Chosen<'a> {
    /// All of them.
    All,
    /// These.
    Only(&'a [FramePicture]),
    /// These, if they have the hashes that somebody has looked at.
    Accepted(&'a [(FramePicture, PictureHash)]),
}

/// What became of a golden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approved {
    /// It is as it was.
    Unchanged(FramePicture),
    /// It is another picture.
    Changed(FramePicture, PictureHash),
}

/// Renders and checks pictures, and makes them goldens.
#[derive(Clone, Debug)]
pub struct Approver<'a> {
    /// How workers are started.
    pub worker: &'a WorkerCommand,
    /// What may be approved.
    pub allowances: Allowances,
}

/// A case that does not exist yet.
#[derive(Clone, Debug)]
pub struct NewCase {
    /// The folder to make.
    pub folder: PathBuf,
    /// The trace.
    pub trace: PathBuf,
    /// The trace as golden.toml is to name it.
    pub trace_from_folder: String,
    /// The target's size.
    pub size: Size,
    /// The pictures, ascending by frame.
    pub pictures: Vec<FramePicture>,
}

const RENDERS: usize = 3;

impl Approver<'_> {
    /// Makes a case.
    pub fn create(&self, lock: &SuiteLock, new: &NewCase) -> Result<Vec<Approved>, ApproveError> {
        let path = new.folder.join(GOLDEN_FILE);
        if path.exists() {
            return Err(ApproveError::Exists(path));
        }
        let trace_sha256 = hash_trace(&new.trace)?;
        let rendered = self.render(&new.trace, new.size, &new.pictures)?;
        self.create_on(&SystemDisk, lock, new, (trace_sha256, rendered))
    }

    fn create_on(
        &self,
        disk: &impl Disk,
        lock: &SuiteLock,
        new: &NewCase,
        (trace_sha256, rendered): (String, Rendered),
    ) -> Result<Vec<Approved>, ApproveError> {
        let Rendered { machine, pictures, inputs } = rendered;
        let pairs: Vec<(FramePicture, Picture)> = new.pictures.iter().copied().zip(pictures).collect();
        pairs.iter().try_for_each(|(of, picture)| self.refuse_blank(*of, picture))?;
        let write = |source| GoldenError::Write { path: new.folder.clone(), source };
        make_folders(disk, &new.folder).map_err(|error| write(error.into()))?;
        let mut transaction = Transaction::new(&new.folder);
        for (of, picture) in &pairs {
            let name = picture_name(*of);
            transaction.write(&name, png_bytes(&new.folder.join(&name), picture)?);
        }
        let mut recorded = RecordedInputs::none();
        inputs.into_iter().for_each(|inputs| recorded.set(inputs));
        transaction.write(INPUTS_FILE, recorded.to_text().map_err(GoldenError::from)?.into_bytes());
        let pictures = pairs.iter().map(|(of, picture)| (*of, Hashes::only(picture.hash()))).collect();
        let recording = Recording { trace_sha256, machine: Some(machine), pictures };
        let document = new_document(&new.trace_from_folder, new.size, &recording).map_err(GoldenError::from)?;
        transaction.write(GOLDEN_FILE, document.into_bytes());
        transaction.commit_on(disk, lock).inspect_err(|_| {
            // A folder without a case in it is of no use; with anything in it, it stays.
            let _ = disk.remove_folder(&new.folder);
        })?;
        Ok(pairs.iter().map(|(of, picture)| Approved::Changed(*of, picture.hash())).collect())
    }

    /// Approves what the chosen pictures of a case look like now.
    pub fn approve(&self, lock: &SuiteLock, case: &Case, chosen: Chosen<'_>) -> Result<Vec<Approved>, ApproveError> {
        let trace_sha256 = self.hash_trace(case)?;
        let goldens = chosen.of(case);
        let of: Vec<FramePicture> = goldens.iter().map(|golden| golden.of).collect();
        let Rendered { machine, pictures, inputs } = self.render(&case.trace, case.size, &of)?;
        if machine.class() != case.recorded.class() && !self.allowances.adapter_change {
            let (recorded, found) = (Box::new(case.recorded.clone()), Box::new(machine));
            return Err(ApproveError::OtherAdapter { recorded, found });
        }
        let changes: Vec<Change> =
            goldens.into_iter().zip(pictures).map(|(golden, new)| Change::of(case, golden, new)).collect();
        changes.iter().try_for_each(|change| chosen.refuse_other(change.golden.of, &change.new))?;
        for change in changes.iter().filter(|change| !change.is_as_it_was) {
            self.refuse_blank(change.golden.of, &change.new)?;
        }
        // Hashes decide where the machine is the recorded one, so all of a case's pictures must be of one machine.
        let is_all = changes.len() == case.pictures.len();
        let machine = Some(machine).filter(|machine| is_all && !self.allowances.add && *machine != case.recorded);
        let recording = Recording { trace_sha256, machine, pictures: Vec::new() };
        self.write_on(&SystemDisk, lock, case, (&changes, recording, inputs))?;
        Ok(changes.iter().map(Change::approved).collect())
    }

    /// Renders the chosen pictures once, and refuses what is another picture than was accepted. Changes nothing.
    pub fn check(&self, case: &Case, chosen: Chosen<'_>) -> Result<(), ApproveError> {
        self.hash_trace(case)?;
        let goldens = chosen.of(case);
        let of: Vec<FramePicture> = goldens.iter().map(|golden| golden.of).collect();
        let rendered = self.render_once(&case.trace, case.size, &of)?;
        of.iter().zip(&rendered.pictures).try_for_each(|(of, picture)| chosen.refuse_other(*of, picture))
    }

    fn hash_trace(&self, case: &Case) -> Result<String, ApproveError> {
        let found = hash_trace(&case.trace)?;
        match found == case.trace_sha256 || self.allowances.trace_change {
            true => Ok(found),
            false => Err(ApproveError::OtherTrace { found, expected: case.trace_sha256.clone() }),
        }
    }

    fn write_on(
        &self,
        disk: &impl Disk,
        lock: &SuiteLock,
        case: &Case,
        (changes, recording, inputs): (&[Change<'_>], Recording, Vec<FrameInputs>),
    ) -> Result<(), ApproveError> {
        let mut transaction = Transaction::new(&case.folder);
        for change in changes {
            let path = case.folder.join(&change.golden.picture);
            if !change.is_as_it_was && (!self.allowances.add || change.is_missing) {
                transaction.write(&change.golden.picture, png_bytes(&path, &change.new)?);
            }
            // It was looked at.
            let looked_at = new_picture_path(&path);
            // silent: there is no new picture to put away
            if let Some(name) = looked_at.file_name().and_then(|name| name.to_str()).filter(|_| looked_at.exists()) {
                transaction.remove(name);
            }
        }
        // What a frame was drawn from belongs to the picture that is there.
        let is_of_picture = |of: FrameIndex| {
            let mut of_frame = changes.iter().filter(|change| change.golden.of.frame == of);
            of_frame.all(|change| change.is_as_it_was || change.is_missing || !self.allowances.add)
        };
        let known = match RecordedInputs::read(&case.folder) {
            Ok(known) => known,
            // It is made anew.
            Err(GoldenError::Inputs { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let mut recorded = known.clone().unwrap_or_else(RecordedInputs::none);
        inputs.into_iter().filter(|inputs| is_of_picture(inputs.frame)).for_each(|inputs| recorded.set(inputs));
        if known.as_ref() != Some(&recorded) {
            transaction.write(INPUTS_FILE, recorded.to_text().map_err(GoldenError::from)?.into_bytes());
        }
        let changed = changes.iter().filter(|change| !change.is_as_it_was);
        let pictures = changed.map(|change| (change.golden.of, self.hashes(change))).collect();
        let path = case.folder.join(GOLDEN_FILE);
        let text = read_input_text(&path).map_err(|source| GoldenError::Read { path: path.clone(), source })?;
        let toml = |error: toml_edit::TomlError| GoldenError::Toml { path, message: error.message().to_owned() };
        let mut document: toml_edit::DocumentMut = text.parse().map_err(toml)?;
        record(&mut document, &Recording { pictures, ..recording }).map_err(GoldenError::from)?;
        let updated = document.to_string();
        if updated != text {
            transaction.write(GOLDEN_FILE, updated.into_bytes());
        }
        Ok(transaction.commit_on(disk, lock)?)
    }

    /// What the place of a changed picture accepts from now on.
    fn hashes(&self, change: &Change<'_>) -> Hashes {
        let new = change.new.hash();
        if !self.allowances.add {
            return Hashes::only(new);
        }
        // Where there is no picture, the new one takes its place, and what was accepted still is.
        let (mut hashes, further) = match change.is_missing {
            true => (Hashes::only(new), change.golden.accepted()),
            false => (Hashes { own: change.golden.hashes.clone(), added: Vec::new() }, change.golden.added.clone()),
        };
        for hash in further.into_iter().chain([new]) {
            if !hashes.own.contains(&hash) && !hashes.added.contains(&hash) {
                hashes.added.push(hash);
            }
        }
        hashes
    }

    fn refuse_blank(&self, of: FramePicture, picture: &Picture) -> Result<(), ApproveError> {
        match blank_color(picture) {
            Some(color) if !self.allowances.blank => Err(ApproveError::Blank { of, color }),
            _ => Ok(()),
        }
    }

    /// Renders the pictures three times; gives them if they are the same each time.
    fn render(&self, trace: &Path, size: Size, of: &[FramePicture]) -> Result<Rendered, ApproveError> {
        let first = self.render_once(trace, size, of)?;
        let hashes: Vec<String> = first.pictures.iter().map(|picture| picture.hash().to_string()).collect();
        for _ in 1..RENDERS {
            let job =
                Job::Repeat { trace: trace.to_owned(), size: [size.width_px, size.height_px], pictures: of.to_vec() };
            let again = match self.ask(&job)? {
                Answer::Repeated { hashes } if hashes.len() == of.len() => hashes,
                other => return Err(no_pictures(other)),
            };
            if let Some((of, (first, other))) =
                of.iter().zip(hashes.iter().zip(again)).find(|(_, (first, other))| *first != other)
            {
                return Err(ApproveError::NonDeterministic { of: *of, first: first.clone(), other });
            }
        }
        Ok(first)
    }

    fn render_once(&self, trace: &Path, size: Size, of: &[FramePicture]) -> Result<Rendered, ApproveError> {
        let failed = |status, message| ApproveError::Render { status, kind: None, message };
        let scratch = ScratchFolder::new().map_err(|error| failed(Status::Error, error.to_string()))?;
        let job = Job::Render {
            trace: trace.to_owned(),
            size: [size.width_px, size.height_px],
            pictures: of.to_vec(),
            into: scratch.path().to_owned(),
        };
        let (machine, files, inputs) = match self.ask(&job)? {
            Answer::Rendered { machine, files, inputs } if files.len() == of.len() => (machine, files, inputs),
            other => return Err(no_pictures(other)),
        };
        let pictures = files.iter().map(|file| match read_golden(file) {
            Golden::Found(picture) => Ok(picture),
            Golden::Missing => Err(failed(Status::Error, format!("{} is missing", file.display()))),
            Golden::Unusable(message) => Err(failed(Status::Error, message)),
        });
        Ok(Rendered { machine, pictures: pictures.collect::<Result<_, _>>()?, inputs })
    }

    /// Asks a process that was started for this question.
    fn ask(&self, job: &Job) -> Result<Answer, ApproveError> {
        let answered = self.worker.start().and_then(|mut worker| worker.ask_within(job, self.worker));
        answered.map(|answered| answered.answer).map_err(|error| match error {
            WorkerError::Interrupted => ApproveError::Interrupted,
            error => ApproveError::Render { status: Status::of_worker(&error), kind: None, message: error.to_string() },
        })
    }
}

/// The error of an answer that is none.
fn no_pictures(answer: Answer) -> ApproveError {
    match answer {
        Answer::Failed { status, kind, message } => ApproveError::Render { status, kind, message },
        _ => {
            let message = "the worker answered a different question".to_owned();
            ApproveError::Render { status: Status::Error, kind: None, message }
        }
    }
}

/// What a worker has rendered.
struct Rendered {
    machine: Machine,
    pictures: Vec<Picture>,
    /// What each of the frames is drawn from.
    inputs: Vec<FrameInputs>,
}

impl Chosen<'_> {
    /// The goldens that are chosen.
    fn of(self, case: &Case) -> Vec<&GoldenPicture> {
        let is_chosen = |golden: &&GoldenPicture| match self {
            Self::All => true,
            Self::Only(only) => only.contains(&golden.of),
            Self::Accepted(accepted) => accepted.iter().any(|(of, _)| *of == golden.of),
        };
        case.pictures.iter().filter(is_chosen).collect()
    }

    /// Refuses a picture that is not the accepted one.
    fn refuse_other(self, of: FramePicture, picture: &Picture) -> Result<(), ApproveError> {
        // silent: nobody has said which picture it is to be
        let Self::Accepted(accepted) = self else { return Ok(()) };
        match accepted.iter().find(|(accepted, _)| *accepted == of) {
            Some((_, accepted)) if *accepted != picture.hash() => {
                Err(ApproveError::NotLookedAt { of, found: picture.hash(), accepted: *accepted })
            }
            _ => Ok(()),
        }
    }
}

/// A golden and the new picture.
struct Change<'a> {
    golden: &'a GoldenPicture,
    new: Picture,
    is_missing: bool,
    is_as_it_was: bool,
}

impl<'a> Change<'a> {
    fn of(case: &Case, golden: &'a GoldenPicture, new: Picture) -> Self {
        let picture = read_golden(&case.folder.join(&golden.picture));
        let old = if let Golden::Found(picture) = &picture { Some(picture.hash()) } else { None };
        // Several hashes of its own are no decision to accept several pictures: earlier versions left them behind.
        let is_accepted = old == Some(new.hash()) || golden.added.contains(&new.hash());
        let is_consistent = old.is_some_and(|old| golden.hashes.contains(&old));
        // What is known to be wrong must not become the golden by the way.
        let is_as_it_was = is_consistent && (is_accepted || golden.known_failure.is_some());
        Self { golden, is_missing: old.is_none(), is_as_it_was, new }
    }

    fn approved(&self) -> Approved {
        match self.is_as_it_was {
            true => Approved::Unchanged(self.golden.of),
            false => Approved::Changed(self.golden.of, self.new.hash()),
        }
    }
}

#[cfg(test)]
mod tests;
