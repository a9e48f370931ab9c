//! What every format of annotations can do.

use std::borrow::Cow;
use std::io::Write;
use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::AnnotationError;
use crate::{ExportError, MappedFile};
use trace_base::bytes::{ByteSource, ReadError};

/// What a format and its files are called.
#[derive(Debug)]
pub struct FormatNames {
    /// Stable name for programs, as `timeline info` prints it: `wip15`.
    pub name: &'static str,
    /// A file of it, in a sentence: `a WIP15 trace`.
    pub noun: &'static str,
    /// The same with what is in it: `a WIP15 trace of OpenGL calls`.
    pub title: &'static str,
    /// How the names of such files end, without the dot.
    pub extensions: &'static [&'static str],
}

/// One format of annotations.
///
/// A format is a value without state: each question is asked of a file's bytes. What is damaged is read as far as it
/// goes.
pub trait AnnotationFormat: Sync {
    /// What it is called.
    fn names(&self) -> &'static FormatNames;

    /// Whether a file of it begins so; `start` is up to 64 bytes.
    fn begins(&self, start: &[u8]) -> bool;

    /// Whether `start`, which is all there is of the file, is the beginning of its magic.
    fn begins_cut_short(&self, start: &[u8]) -> bool {
        let _ = start;
        false
    }

    /// Reads the whole file into a timeline. `title` is the file's name, for formats that record none.
    ///
    /// # Errors
    ///
    /// The header can't be read. Any later damage is part of the result.
    fn map<'s>(&self, source: &'s dyn ByteSource, title: &str) -> Result<Box<dyn MappedFile + 's>, AnnotationError>;

    /// Reads the whole file and tells what is in it.
    ///
    /// # Errors
    ///
    /// The file could not be read a second time, for its digest.
    fn facts(&self, source: &dyn ByteSource, request: FactsRequest) -> Result<Facts, ReadError>;

    /// The texts over which digests are taken.
    fn canonical_texts(&self) -> &'static [CanonicalText];

    /// The blobs that its files carry; `None` if it has none.
    fn blobs(&self) -> Option<&'static dyn BlobFormat> {
        None
    }
}

/// What is asked about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactsRequest {
    /// Which digests to take.
    pub digests: Digests,
    /// Which dialects of the format to accept.
    pub dialects: Dialects,
}

/// Whether to take the digests of the file and of its canonical texts, which is most of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digests {
    /// Take them.
    Taken,
    /// Leave them out.
    Omitted,
}

/// Which dialects of a format to accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialects {
    /// All that are known.
    All,
    /// Only the format as its first writer made it, without what later ones added.
    Original,
}

/// What there is to say about a file.
#[derive(Debug)]
pub struct Facts {
    /// Members of one JSON object, under the names that the references use.
    pub members: Map<String, Value>,
    /// What ended the file early; its class and offset are among the members.
    pub error: Option<AnnotationError>,
}

/// A text that is equal for equal content, however it is stored.
#[derive(Clone, Copy)]
pub struct CanonicalText {
    /// What it lists: `ops`, `events`, `timeline`.
    pub name: &'static str,
    /// Writes it.
    pub write: WriteCanonical,
}

/// Writes a canonical text of the file, and gives back what ended the file early.
pub type WriteCanonical = fn(&dyn ByteSource, &mut dyn Write) -> Result<Option<AnnotationError>, ExportError>;

/// A format whose files carry blobs.
pub trait BlobFormat: Sync {
    /// Opens the file for reading its blobs.
    ///
    /// # Errors
    ///
    /// The header can't be read.
    fn open<'s>(&self, source: &'s dyn ByteSource) -> Result<Box<dyn Blobs + 's>, AnnotationError>;
}

/// The blobs of a file.
pub trait Blobs {
    /// Calls `each` with every blob, in the order of the file, until it breaks off. A damaged blob is an error, after
    /// which others may follow.
    fn for_each(&mut self, each: EachBlob<'_>);
}

/// What is done with a blob.
pub type EachBlob<'e> = &'e mut dyn FnMut(Result<FileBlob<'_>, AnnotationError>) -> ControlFlow<()>;

/// A blob of a file, decompressed.
#[derive(Debug)]
pub struct FileBlob<'b> {
    /// A name that no other blob of the file has, and that can be a file's.
    pub file_name: String,
    /// Where it stands and how it is stored: members of a JSON object.
    pub members: Map<String, Value>,
    /// What it holds.
    pub bytes: Cow<'b, [u8]>,
    /// Of texels: a picture of them, or why there is none.
    pub picture: Option<Result<BlobPicture, &'static str>>,
}

/// A picture of texels: 4 bytes per pixel, rows as they lie in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobPicture {
    /// Width in pixels.
    pub width_px: u32,
    /// Height in pixels, of all layers.
    pub height_px: u32,
    /// Red, green, blue, alpha.
    pub rgba: Vec<u8>,
}
