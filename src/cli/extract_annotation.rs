//! `extract FILE --blobs DIR` for annotations: the textures, buffers and other bytes of the recorded program.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::output::{print_json, stdout};
use super::timeline::after_damage;
use super::whole_file::{Inputs, write_file};
use crate::bytes::ByteSource;
use crate::error::{Classified, ErrorKind};
use crate::text::{JsonLine, Lines};
use crate::timeline::annotation::{AnnotationError, AnnotationFormat, BlobFormat, FileBlob};

/// Errors told one by one: a writer's bug damages every blob of a file.
const TOLD_ERRORS: u64 = 5;

/// Writes every blob of an annotation file into `folder`. A damaged blob is left out and told; the others are written,
/// and the code tells of it too.
pub(super) fn extract_blobs(
    (format, blobs): (&dyn AnnotationFormat, &dyn BlobFormat),
    (path, source): (&Path, &dyn ByteSource),
    folder: &Path,
    common: &CommonArgs,
) -> Result<Exit, Failure> {
    let name = path.display().to_string();
    let mut blobs = blobs.open(source).map_err(|error| Failure::from(error).context(name.clone()))?;
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::new(ErrorKind::WriteFailed, error).context(format!("cannot make {}", folder.display()))
    })?;
    let kind = format!("{}-blob", format.names().name);
    let inputs = Inputs::of([path]);
    let mut extraction = Extraction { kind, folder, name, inputs, common, exit: Exit::Done, damaged: 0, out: stdout() };
    let mut failed = None;
    blobs.for_each(&mut |found| {
        let done = match found {
            Ok(blob) => extraction.write(&blob),
            Err(error) => {
                extraction.damage(&error);
                Ok(())
            }
        };
        failed = done.err();
        if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    failed.map_or_else(|| extraction.finish(), Err)
}

struct Extraction<'a> {
    /// The `type` of its lines.
    kind: String,
    folder: &'a Path,
    name: String,
    inputs: Inputs,
    common: &'a CommonArgs,
    exit: Exit,
    /// How many blobs, or what else, could not be read.
    damaged: u64,
    out: Lines,
}

impl Extraction<'_> {
    fn write(&mut self, blob: &FileBlob<'_>) -> Result<(), Failure> {
        let path = self.folder.join(&blob.file_name);
        write_file(&path, &self.inputs, |into| Ok(into.write_all(&blob.bytes)?))?;
        if self.common.json {
            let line = JsonLine::new(&self.kind, []).and(blob.members.clone());
            let line = line.and([("out".to_owned(), path.display().to_string().into())]);
            print_json(&mut self.out, &line)?;
        } else {
            writeln!(self.out, "{}", path.display())?;
        }
        Ok(())
    }

    fn damage(&mut self, error: &AnnotationError) {
        self.damaged += 1;
        // A limit outweighs damage: what is missing then was not even tried.
        self.exit = if self.exit == Exit::OverLimit { self.exit } else { after_damage(error) };
        if self.damaged <= TOLD_ERRORS {
            let message = format!("{}: {error}", self.name);
            self.common.messages().error(error.kind(), self.exit, message, error.offset());
        }
    }

    fn finish(mut self) -> Result<Exit, Failure> {
        self.out.flush()?;
        if self.damaged > TOLD_ERRORS {
            let message = format!("{}: and {} more", self.name, self.damaged - TOLD_ERRORS);
            self.common.messages().error(ErrorKind::Malformed, self.exit, message, None);
        }
        Ok(self.exit)
    }
}
