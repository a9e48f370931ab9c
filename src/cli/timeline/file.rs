//! Files as timelines, whatever their kind.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bytes::{ByteSource, Diagnostics, FileSource};
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::file_kind::{FileKind, open_file};
use crate::cli::open::{completeness, open_trace, report};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::Trace;
use crate::format::wip15::{self, BlobPolicy};
use crate::format::wtf::WtfError;
use crate::timeline::aerogpu::{AerogpuArguments, AerogpuTimeline, map_aerogpu};
use crate::timeline::wip15::{Wip15Timeline, map_wip15};
use crate::timeline::wtf::{WtfTimeline, map_wtf};
use crate::timeline::{ArgumentSource, Timeline};

/// An open file of a known kind.
pub(in crate::cli) struct File {
    pub path: PathBuf,
    pub body: Body,
}

/// What an open file is read by.
pub(in crate::cli) enum Body {
    Aerogpu(Arc<Trace>),
    Wip15(FileSource),
    Wtf(FileSource),
}

impl File {
    /// Opens a file and finds out what it is. One whose magic is damaged counts as what its name says.
    pub(crate) fn open(path: &Path, common: &CommonArgs) -> Result<Self, Failure> {
        let (source, start) = open_file(path)?;
        let body = match FileKind::of_start(&start).or_else(|| FileKind::meant_by(&start, path)) {
            Some(FileKind::Aerogpu) => Body::Aerogpu(open_trace(path, common)?),
            Some(FileKind::Wip15) => Body::Wip15(source),
            Some(FileKind::Wtf) => Body::Wtf(source),
            None => {
                let found = start.get(..8).unwrap_or(&start).escape_ascii().to_string();
                let expected = "expected a WIP15 trace, a wtf-trace or an AeroGPU trace";
                let message = format!("{}: {expected}, found a file that begins \"{found}\", at 0x0", path.display());
                return Err(Failure::new(ErrorKind::ReadFailed, anyhow::anyhow!(message)));
            }
        };
        Ok(Self { path: path.to_owned(), body })
    }

    pub(crate) fn kind(&self) -> FileKind {
        match self.body {
            Body::Aerogpu(_) => FileKind::Aerogpu,
            Body::Wip15(_) => FileKind::Wip15,
            Body::Wtf(_) => FileKind::Wtf,
        }
    }

    /// The path.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Reads the whole file into a timeline; damage leaves a part of it.
    pub(crate) fn map(&self, common: &CommonArgs) -> Result<Mapped<'_>, Failure> {
        let title = self.path.file_name().unwrap_or_default().to_string_lossy();
        match &self.body {
            Body::Aerogpu(trace) => {
                let mut diagnostics = Diagnostics::new();
                let mapped = map_aerogpu(trace, &title, &mut diagnostics);
                report(&mut diagnostics, common)?;
                Ok(Mapped::Aerogpu(Box::new(mapped), trace))
            }
            Body::Wip15(source) => {
                let mapped = map_wip15(source, &title, BlobPolicy::Skip);
                let mapped = mapped.map_err(|error| Failure::new(ErrorKind::ReadFailed, error).context(self.name()))?;
                Ok(Mapped::Wip15(Box::new(mapped), source))
            }
            Body::Wtf(source) => {
                let mut mapped = map_wtf(source);
                if mapped.header.is_none()
                    && let Some(error) = mapped.error.take()
                {
                    return Err(Failure::from(error).context(self.name()));
                }
                Ok(Mapped::Wtf(Box::new(mapped)))
            }
        }
    }
}

/// A file's timeline.
pub(in crate::cli) enum Mapped<'f> {
    Aerogpu(Box<AerogpuTimeline>, &'f Trace),
    Wip15(Box<Wip15Timeline>, &'f dyn ByteSource),
    Wtf(Box<WtfTimeline<'f>>),
}

impl Mapped<'_> {
    pub(crate) fn timeline(&self) -> &Timeline {
        match self {
            Self::Aerogpu(mapped, _) => &mapped.timeline,
            Self::Wip15(mapped, _) => &mapped.timeline,
            Self::Wtf(mapped) => &mapped.timeline,
        }
    }

    /// The timeline, to be taken out.
    #[cfg(feature = "window")]
    pub(crate) fn timeline_mut(&mut self) -> &mut Timeline {
        match self {
            Self::Aerogpu(mapped, _) => &mut mapped.timeline,
            Self::Wip15(mapped, _) => &mut mapped.timeline,
            Self::Wtf(mapped) => &mut mapped.timeline,
        }
    }

    /// What ended the file early.
    #[cfg(feature = "window")]
    pub(crate) fn damage(&self) -> Option<String> {
        match self {
            Self::Aerogpu(mapped, _) => mapped.error.as_ref().map(ToString::to_string),
            Self::Wip15(mapped, _) => mapped.error.as_ref().map(ToString::to_string),
            Self::Wtf(mapped) => mapped.error.as_ref().map(ToString::to_string),
        }
    }

    /// Decodes the arguments of its events.
    pub(crate) fn arguments(&self) -> Box<dyn ArgumentSource + '_> {
        match self {
            Self::Aerogpu(_, trace) => Box::new(AerogpuArguments::new(trace)),
            Self::Wip15(mapped, source) => Box::new(mapped.arguments(*source)),
            Self::Wtf(mapped) => Box::new(mapped.arguments()),
        }
    }

    /// Says what is odd about `file`, and gives back the code that a verb ends with that did its work on it.
    pub(crate) fn conclude(&self, file: &File, common: &CommonArgs) -> Result<Exit, Failure> {
        self.warn(file, common)?;
        let (exit, error): (Exit, &dyn Classified) = match self {
            Self::Aerogpu(mapped, trace) => match &mapped.error {
                Some(error) => (Exit::Unreadable, error),
                None => return Ok(completeness(trace)),
            },
            Self::Wip15(mapped, _) => match &mapped.error {
                Some(error) => (wip15_exit(error), error),
                None => return Ok(Exit::Done),
            },
            Self::Wtf(mapped) => match &mapped.error {
                Some(error) => (wtf_exit(error, mapped.header.is_some()), error),
                None => return Ok(Exit::Done),
            },
        };
        let message = format!("{}: {error}; what came before it was read", file.name());
        common.messages().error(error.kind(), exit, message, error.offset());
        Ok(exit)
    }

    fn warn(&self, file: &File, common: &CommonArgs) -> Result<(), Failure> {
        let warnings: Vec<String> = match self {
            Self::Aerogpu(..) => Vec::new(),
            Self::Wip15(mapped, _) => {
                let text = |(warning, count, first): (wip15::Warning, u64, u64)| {
                    format!("{}: {count} of {}, the first at {first:#x}", warning.meaning(), warning.name())
                };
                mapped.warnings.iter().map(text).collect()
            }
            Self::Wtf(mapped) => {
                let counts = mapped.warnings.counts().iter();
                counts.map(|(warning, count)| format!("{count} of {}", warning.name())).collect()
            }
        };
        for warning in warnings {
            if common.strict {
                let message = format!("{}: {warning} (--strict)", file.name());
                return Err(Failure::new(ErrorKind::ReadFailed, anyhow::anyhow!(message)));
            }
            common.messages().warning(format!("{}: {warning}", file.name()), None);
        }
        Ok(())
    }
}

/// The code for a WIP15 trace that ends early, but not before its header is read.
pub(in crate::cli) fn wip15_exit(error: &wip15::Error) -> Exit {
    annotation_exit(error.kind(), true)
}

/// The code for a wtf-trace that ends early.
pub(super) fn wtf_exit(error: &WtfError, has_header: bool) -> Exit {
    annotation_exit(error.kind(), has_header)
}

/// What a file whose header was read says before the damage is a partial result.
fn annotation_exit(kind: ErrorKind, has_header: bool) -> Exit {
    match kind {
        ErrorKind::Malformed | ErrorKind::CutShort if has_header => Exit::Partial,
        kind => kind.into(),
    }
}

/// The code of several files: what weighs most.
pub(super) fn worst(one: Exit, other: Exit) -> Exit {
    let weight = |exit: Exit| [Exit::Done, Exit::Partial, Exit::OverLimit].iter().position(|known| *known == exit);
    let weight = |exit| weight(exit).unwrap_or(usize::MAX);
    if weight(other) > weight(one) { other } else { one }
}
