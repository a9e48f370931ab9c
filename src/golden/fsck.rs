//! What is wrong with a case's files, without rendering anything, and mending what can be.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, TryLockError};
use std::path::Path;
use std::sync::Arc;

use toml_edit::{DocumentMut, value};

use super::case::{Case, GOLDEN_FILE, GoldenPicture, new_picture_path, picture_name, picture_stem};
use super::error::GoldenError;
use super::inputs::{INPUTS_FILE, RecordedInputs};
use super::lock::SuiteLock;
use super::pictures::{Golden, read_golden};
use super::record::{Hashes, set_hashes, table_of};
use super::run_case::open;
use super::transaction::{PENDING, PREPARING, Transaction, abandon, heal};
use crate::bytes::{Diagnostics, UNFINISHED_PREFIX, open_input, read_input, read_input_text};
use crate::command::FramePicture;
use crate::pixels::PictureHash;
use crate::replay::{InputHasher, TraceIndex};
use crate::text::counted;

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A change counts, and its files are not in their places.
    Pending,
    /// A change was stopped before it counted.
    Preparing,
    /// A file that was being written when a command was stopped.
    Temporary(String),
    /// A picture that no frame names.
    Orphan(String),
    /// A frame accepts pictures that nobody added: an approval by an earlier version was stopped.
    DoubleHash {
        /// The frame.
        frame: FramePicture,
        /// How many hashes it has of its own.
        hashes: usize,
        /// The picture's, which is the one to keep, if it is one of them.
        own: Option<PictureHash>,
    },
    /// Two frames name one picture.
    SharedPicture {
        /// The later one.
        frame: FramePicture,
        /// The one that named it before.
        owner: FramePicture,
        /// The picture.
        picture: String,
    },
    /// A frame's picture is not there.
    MissingPicture(FramePicture, String),
    /// A frame's picture is no picture.
    UnusablePicture(FramePicture, String),
    /// A frame does not accept its own picture.
    OtherPicture(FramePicture, String),
    /// What the goldens were drawn from can't be read, so that nothing can be said of what has changed since.
    UnusableInputs(String),
    /// So many frames have input hashes by the rule of an earlier schema.
    FormerInputs(usize),
    /// So many of them can't be converted.
    UnconvertedInputs {
        /// Their number.
        frames: usize,
        /// Why, in words.
        why: String,
    },
}

impl Problem {
    /// Its name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Preparing => "preparing",
            Self::Temporary(_) => "temporary",
            Self::Orphan(_) => "orphan",
            Self::DoubleHash { .. } => "double-hash",
            Self::SharedPicture { .. } => "shared-picture",
            Self::MissingPicture(..) => "missing-picture",
            Self::UnusablePicture(..) => "unusable-picture",
            Self::OtherPicture(..) => "other-picture",
            Self::UnusableInputs(_) => "unusable-inputs",
            Self::FormerInputs(_) => "former-inputs",
            Self::UnconvertedInputs { .. } => "unconverted-inputs",
        }
    }

    /// Whether it can be mended without anybody looking at a picture.
    pub fn is_mendable(&self) -> bool {
        match self {
            Self::Pending
            | Self::Preparing
            | Self::Temporary(_)
            | Self::Orphan(_)
            | Self::SharedPicture { .. }
            | Self::FormerInputs(_) => true,
            Self::DoubleHash { own, .. } => own.is_some(),
            Self::MissingPicture(..)
            | Self::UnusablePicture(..)
            | Self::OtherPicture(..)
            | Self::UnusableInputs(_)
            | Self::UnconvertedInputs { .. } => false,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pending => write!(
                f,
                "{PENDING}: an approval was interrupted after it took effect and must \
                be finished"
            ),
            Self::Preparing => write!(
                f,
                "{PREPARING}: an approval was interrupted before it took effect and \
                must be discarded"
            ),
            Self::Temporary(name) => write!(f, "{name}: left over from an interrupted command"),
            Self::Orphan(name) => write!(f, "{name}: no frame uses it"),
            Self::DoubleHash { frame, hashes, own: Some(own) } => {
                write!(f, "frame {frame}: {hashes} hashes, of which only {own} matches its picture")
            }
            Self::DoubleHash { frame, hashes, own: None } => {
                write!(f, "frame {frame}: {hashes} hashes, none of which matches its picture")
            }
            Self::SharedPicture { frame, owner, picture } => {
                write!(f, "frame {frame}: {picture} is also frame {owner}'s picture")
            }
            Self::MissingPicture(frame, name) => {
                write!(f, "frame {frame}: {name} is missing; `golden approve` creates it")
            }
            Self::UnusablePicture(frame, message) => {
                write!(f, "frame {frame}: {message}; `golden approve` replaces it")
            }
            Self::OtherPicture(frame, name) => {
                write!(f, "frame {frame}: {name} is not the picture that golden.toml accepts; run `golden review`")
            }
            Self::UnusableInputs(message) => write!(f, "{INPUTS_FILE}: {message}; `golden approve` recreates it"),
            Self::FormerInputs(frames) => {
                write!(f, "{INPUTS_FILE}: {} with the input hash of an earlier version", counted(*frames, "frame"))
            }
            Self::UnconvertedInputs { frames, why } => {
                let frames = counted(*frames, "frame");
                write!(f, "{INPUTS_FILE}: {frames} not converted: {why}; `golden approve` recreates it")
            }
        }
    }
}

/// Everything that is wrong with the case in `folder`. If its golden.toml can't be used, that is the error.
pub fn check(folder: &Path, root: &Path) -> Result<Vec<Problem>, GoldenError> {
    let mut problems = Vec::new();
    let is_there = |name: &str| folder.join(name).symlink_metadata().is_ok();
    problems.extend(Some(Problem::Preparing).filter(|_| is_there(PREPARING)));
    if is_there(PENDING) {
        // What golden.toml says is not what counts.
        problems.push(Problem::Pending);
        return Ok(problems);
    }
    let case = Case::read_with_shared_pictures(folder, root)?;
    for name in file_names(folder)? {
        if is_temporary(folder, &name) {
            problems.push(Problem::Temporary(name));
        } else if is_orphan(&case, &name) {
            problems.push(Problem::Orphan(name));
        }
    }
    let mut owners = BTreeMap::new();
    for golden in &case.pictures {
        let owner = *owners.entry(golden.picture_key()).or_insert(golden.of);
        if owner != golden.of {
            problems.push(Problem::SharedPicture { frame: golden.of, owner, picture: golden.picture.clone() });
        }
        problems.extend(check_picture(&case, golden));
    }
    match RecordedInputs::read(folder) {
        Ok(recorded) => {
            let former = recorded.map_or(0, |recorded| recorded.former_count());
            problems.extend(Some(Problem::FormerInputs(former)).filter(|_| former > 0));
        }
        Err(GoldenError::Inputs { message, .. }) => problems.push(Problem::UnusableInputs(message)),
        Err(error) => return Err(error),
    }
    Ok(problems)
}

fn check_picture(case: &Case, golden: &GoldenPicture) -> Option<Problem> {
    let (of, name) = (golden.of, || golden.picture.clone());
    let picture = match read_golden(&case.folder.join(&golden.picture)) {
        Golden::Missing => return Some(Problem::MissingPicture(of, name())),
        Golden::Unusable(message) => return Some(Problem::UnusablePicture(of, message)),
        Golden::Found(picture) => picture.hash(),
    };
    let own = Some(picture).filter(|hash| golden.hashes.contains(hash));
    match golden.hashes.len() {
        0 | 1 if own.is_none() => Some(Problem::OtherPicture(of, name())),
        0 | 1 => None,
        hashes => Some(Problem::DoubleHash { frame: of, hashes, own }),
    }
}

/// Mends what can be, whole or not at all, and gives back what there was.
pub fn mend(folder: &Path, root: &Path, lock: &SuiteLock) -> Result<Vec<Problem>, GoldenError> {
    let mut problems: Vec<Problem> = [(PREPARING, Problem::Preparing), (PENDING, Problem::Pending)]
        .into_iter()
        .filter(|(name, _)| folder.join(name).symlink_metadata().is_ok())
        .map(|(_, problem)| problem)
        .collect();
    match heal(folder, lock) {
        Err(GoldenError::ChangedMeanwhile { .. }) => abandon(folder, lock)?,
        healed => healed?,
    }
    let further = check(folder, root)?;
    let case = Case::read_with_shared_pictures(folder, root)?;
    let path = folder.join(GOLDEN_FILE);
    let text = read_input_text(&path).map_err(|source| GoldenError::Read { path: path.clone(), source })?;
    let toml =
        |error: toml_edit::TomlError| GoldenError::Toml { path: path.clone(), message: error.message().to_owned() };
    let mut mending = Mending {
        case: &case,
        document: text.parse().map_err(toml)?,
        transaction: Transaction::new(folder),
        names: file_names(folder)?.into_iter().chain(case.pictures.iter().map(GoldenPicture::picture_key)).collect(),
    };
    for problem in further {
        problems.extend(mending.mend(problem)?);
    }
    let Mending { document, mut transaction, .. } = mending;
    let mended = document.to_string();
    if mended != text {
        transaction.write(GOLDEN_FILE, mended.into_bytes());
    }
    transaction.commit(lock)?;
    Ok(problems)
}

struct Mending<'a> {
    case: &'a Case,
    document: DocumentMut,
    transaction: Transaction,
    /// File names that are taken.
    names: BTreeSet<String>,
}

impl Mending<'_> {
    /// Mends what can be; gives what there was.
    fn mend(&mut self, problem: Problem) -> Result<Vec<Problem>, GoldenError> {
        match &problem {
            Problem::Temporary(name) | Problem::Orphan(name) => self.transaction.remove(name),
            Problem::DoubleHash { frame, own: Some(own), .. } => {
                // silent: a picture that golden.toml does not have accepts nothing more
                let added = self.golden(*frame).map(|golden| golden.added.clone()).unwrap_or_default();
                let added = added.into_iter().filter(|hash| hash != own).collect();
                set_hashes(table_of(&mut self.document, *frame)?, &Hashes { own: vec![*own], added });
            }
            Problem::FormerInputs(frames) => return self.convert_inputs(*frames),
            Problem::SharedPicture { frame, picture, .. } => self.part(*frame, picture)?,
            // They are mended already, or nobody but a person can.
            Problem::Pending
            | Problem::Preparing
            | Problem::DoubleHash { own: None, .. }
            | Problem::MissingPicture(..)
            | Problem::UnusablePicture(..)
            | Problem::OtherPicture(..)
            | Problem::UnusableInputs(_)
            | Problem::UnconvertedInputs { .. } => {}
        }
        Ok(vec![problem])
    }

    /// Has the input hashes of so many frames be by today's rule, if the trace still has those that were recorded.
    fn convert_inputs(&mut self, frames: usize) -> Result<Vec<Problem>, GoldenError> {
        let before = RecordedInputs::read(&self.case.folder)?.unwrap_or_else(RecordedInputs::none);
        let mut inputs = before.clone();
        let hashed = open(&self.case.trace, &mut Diagnostics::new()).and_then(|trace| {
            let index = Arc::new(TraceIndex::build(&trace, |_| ()));
            inputs.convert(&mut InputHasher::new(trace, index)).map_err(|error| error.to_string())
        });
        if inputs != before {
            self.transaction.write(INPUTS_FILE, inputs.to_text()?.into_bytes());
        }
        let why = hashed.err().unwrap_or_else(|| "the trace has other inputs than were recorded".to_owned());
        let left = inputs.former_count();
        let converted = Problem::FormerInputs(frames.saturating_sub(left));
        let left = (left > 0).then_some(Problem::UnconvertedInputs { frames: left, why });
        Ok([converted].into_iter().filter(|problem| *problem != Problem::FormerInputs(0)).chain(left).collect())
    }

    /// Gives a frame a picture of its own: a copy, if that is what it accepts; else it has none until it is approved.
    fn part(&mut self, of: FramePicture, picture: &str) -> Result<(), GoldenError> {
        let usual = picture_name(of);
        let further = (1..).map(|n| format!("{}-{n}.png", picture_stem(of)));
        let is_free = |name: &String| !self.names.contains(name);
        // silent: the names never end
        let Some(name) = std::iter::once(usual.clone()).chain(further).find(is_free) else { return Ok(()) };
        let path = self.case.folder.join(picture);
        // silent: a picture that golden.toml does not have accepts nothing
        let accepted = self.golden(of).map(GoldenPicture::accepted).unwrap_or_default();
        if let Golden::Found(found) = read_golden(&path)
            && accepted.contains(&found.hash())
        {
            let bytes = read_input(&path).map_err(|source| GoldenError::Read { path, source })?;
            self.transaction.write(&name, bytes);
        }
        let table = table_of(&mut self.document, of)?;
        match name == usual {
            true => drop(table.remove("picture")),
            false => drop(table.insert("picture", value(&name))),
        }
        self.names.insert(name);
        Ok(())
    }

    fn golden(&self, of: FramePicture) -> Option<&GoldenPicture> {
        self.case.pictures.iter().find(|golden| golden.of == of)
    }
}

/// The names of pictures in the case's folder that no frame names, and of new pictures that nobody approved. Nothing
/// else is ours.
pub fn strays(case: &Case) -> Result<Vec<String>, GoldenError> {
    let mut names = file_names(&case.folder)?;
    names.retain(|name| is_orphan(case, name) || name.ends_with(".new.png"));
    Ok(names)
}

/// Whether a file is a picture of ours that belongs to no frame. A new picture belongs to its golden's.
fn is_orphan(case: &Case, name: &str) -> bool {
    let is_ours = name.starts_with("frame") && name.ends_with(".png") || name.ends_with(".new.png");
    let is_golden = |golden: &GoldenPicture| {
        let waiting = new_picture_path(Path::new(&golden.picture));
        golden.picture == name || waiting.file_name().is_some_and(|waiting| waiting == name)
    };
    is_ours && !case.pictures.iter().any(is_golden)
}

/// Whether a file is one that is renamed when it is whole, and nobody is writing it.
fn is_temporary(folder: &Path, name: &str) -> bool {
    let is_free = || match open_input(&folder.join(name)).map(|file| file.try_lock_shared()) {
        Ok(Err(TryLockError::WouldBlock)) => false,
        Ok(_) | Err(_) => true,
    };
    name.starts_with(UNFINISHED_PREFIX) && is_free()
}

/// The names of the files in a folder, sorted.
fn file_names(folder: &Path) -> Result<Vec<String>, GoldenError> {
    let read = |source| GoldenError::Read { path: folder.to_owned(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(read)? {
        let entry = entry.map_err(read)?;
        if entry.file_type().map_err(read)?.is_file() {
            // What has no UTF-8 name is none of ours.
            // silent: files with such names are nobody's goldens
            names.extend(entry.file_name().into_string().ok());
        }
    }
    names.sort();
    Ok(names)
}
