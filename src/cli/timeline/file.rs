//! Files as timelines, whatever their kind.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ending::partial;
use crate::bytes::{DecodedFrom, Diagnostics, FileSource};
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::file_kind::{FileKind, refuse_export};
use crate::cli::messages::FileDamage;
use crate::cli::open::{OpenedFile, completeness, open_file, report};
use crate::cli::progress::{Printing, Waiting};
use crate::error::ErrorKind;
use crate::format::aerogpu::Trace;
use crate::timeline::aerogpu::{MappedTrace, map_aerogpu};
use crate::timeline::annotation::{AnnotationFormat, FORMATS};
use crate::timeline::{ArgumentSource, MappedFile, Timeline, UploadedBytes};

/// An open file of a known kind.
pub(in crate::cli) struct File {
    /// The path, as it was given.
    pub path: PathBuf,
    name: String,
    label: String,
    /// The compressed file that it comes from.
    pub decoded_from: Option<DecodedFrom>,
    pub body: Body,
}

/// What an open file is read by.
pub(in crate::cli) enum Body {
    Trace(Arc<Trace>),
    Annotation(&'static dyn AnnotationFormat, Arc<FileSource>),
}

impl File {
    /// Opens a file and finds out what it is. One whose magic is damaged counts as what its name says.
    pub(crate) fn open(path: &Path, common: &CommonArgs) -> Result<Self, Failure> {
        let file = open_file(path, common)?;
        let OpenedFile { source, label: name, start, .. } = &file;
        let body = match FileKind::of_start(start).or_else(|| FileKind::meant_by(start, &file.meant_path(path))) {
            Some(FileKind::Aerogpu) => Body::Trace(file.trace(common)?),
            Some(FileKind::Annotation(format)) => Body::Annotation(format, source.clone()),
            None => {
                refuse_export(name)?;
                let found = start.get(..8).unwrap_or(start).escape_ascii().to_string();
                let nouns: Vec<&str> = FORMATS.iter().map(|format| format.names().noun).collect();
                let expected = format!("expected {} or an AeroGPU trace", nouns.join(", "));
                let message = format!("{name}: {expected}, found a file that begins \"{found}\", at 0x0");
                return Err(Failure::new(ErrorKind::ReadFailed, anyhow::anyhow!(message)));
            }
        };
        Ok(Self {
            path: path.to_owned(),
            decoded_from: source.decoded_from(),
            name: file.name,
            label: file.label,
            body,
        })
    }

    pub(crate) fn kind(&self) -> FileKind {
        match self.body {
            Body::Trace(_) => FileKind::Aerogpu,
            Body::Annotation(format, _) => FileKind::Annotation(format),
        }
    }

    /// Name in results.
    pub(crate) fn name(&self) -> String {
        self.name.clone()
    }

    /// Name in messages, whose offsets are of what a compressed file holds.
    pub(crate) fn label(&self) -> String {
        self.label.clone()
    }

    /// Reads the whole file into a timeline; damage leaves a part of it.
    pub(crate) fn map(&self, common: &CommonArgs) -> Result<Mapped<'_>, Failure> {
        let _waiting = Waiting::on("reading the timeline", Printing::WhenDone, common);
        let title = Path::new(&self.name).file_name().unwrap_or_default().to_string_lossy();
        match &self.body {
            Body::Trace(trace) => {
                let mut diagnostics = Diagnostics::new();
                let mapped = map_aerogpu(trace, &title, &mut diagnostics);
                report(&mut diagnostics, common)?;
                let content = Box::new(MappedTrace { mapped, trace });
                Ok(Mapped { content, trace: Some(trace) })
            }
            Body::Annotation(format, source) => {
                let content = format.map(&**source, &title);
                let content = content.map_err(|error| Failure::from(error).context(self.label()))?;
                Ok(Mapped { content, trace: None })
            }
        }
    }
}

/// A file's timeline.
pub(in crate::cli) struct Mapped<'f> {
    content: Box<dyn MappedFile + 'f>,
    /// The file, if it is a trace.
    trace: Option<&'f Trace>,
}

impl Mapped<'_> {
    pub(crate) fn timeline(&self) -> &Timeline {
        self.content.timeline()
    }

    /// The timeline, to be taken out.
    #[cfg(feature = "window")]
    pub(crate) fn timeline_mut(&mut self) -> &mut Timeline {
        self.content.timeline_mut()
    }

    /// What ended the file early.
    #[cfg(feature = "window")]
    pub(crate) fn damage(&self) -> Option<String> {
        self.content.damage().map(ToString::to_string)
    }

    /// What was uploaded in each of its frames that were shown.
    pub(crate) fn uploads(&self) -> Vec<Vec<UploadedBytes>> {
        self.content.uploads()
    }

    /// Decodes the arguments of its events.
    pub(crate) fn arguments(&self) -> Box<dyn ArgumentSource + '_> {
        self.content.arguments()
    }

    /// Says what is odd about `file`, and gives back the code that a verb ends with that did its work on it.
    pub(crate) fn conclude(&self, file: &File, common: &CommonArgs) -> Result<Exit, Failure> {
        self.warn(file, common)?;
        let Some(error) = self.content.damage() else { return Ok(self.conclude_within(file, common)) };
        let exit = if self.trace.is_some() { Exit::Unreadable } else { partial(error.kind()) };
        let message = format!("{}: {error}; everything before the damage was read", file.label());
        common.messages().error(error.kind(), exit, message, error.offset());
        Ok(exit)
    }

    fn conclude_within(&self, file: &File, common: &CommonArgs) -> Exit {
        match self.damage_within() {
            Some(damage) => {
                let exit = damage.kind.into();
                common.messages().damage(&file.label(), &damage, exit);
                exit
            }
            None => self.trace.map_or(Exit::Done, completeness),
        }
    }

    /// What is wrong inside the file, where what follows was read all the same.
    pub(crate) fn damage_within(&self) -> Option<FileDamage> {
        self.content.damage_within().map(FileDamage::from)
    }

    fn warn(&self, file: &File, common: &CommonArgs) -> Result<(), Failure> {
        for warning in self.content.warnings() {
            if common.strict {
                let message = format!("{}: {warning} (--strict)", file.label());
                return Err(Failure::new(ErrorKind::ReadFailed, anyhow::anyhow!(message)));
            }
            common.messages().warning(format!("{}: {warning}", file.label()), None);
        }
        Ok(())
    }
}
