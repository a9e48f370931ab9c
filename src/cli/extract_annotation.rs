//! `extract FILE --blobs DIR` for annotations: the textures, buffers and other bytes of the recorded program.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::open::OpenedFile;
use super::output::{print_json, stdout};
use super::timeline::after_damage;
use super::whole_file::{Inputs, make_folder, write_file};
use crate::error::{Classified, ErrorKind, Internal};
use crate::pixels::{Picture, Size, write_png};
use crate::text::{JsonLine, Lines};
use crate::timeline::annotation::{AnnotationError, AnnotationFormat, BlobFormat, BlobPicture, FileBlob};

/// Errors told one by one: a writer's bug damages every blob of a file.
const TOLD_ERRORS: u64 = 5;

/// Writes every blob of an annotation file into `folder`. A damaged blob is left out and told; the others are written,
/// and the code tells of it too.
pub(super) fn extract_blobs(
    (format, blobs): (&dyn AnnotationFormat, &dyn BlobFormat),
    (path, OpenedFile { source, name, .. }): (&Path, &OpenedFile),
    folder: &Path,
    common: &CommonArgs,
) -> Result<Exit, Failure> {
    let name = name.clone();
    let mut blobs = blobs.open(&**source).map_err(|error| Failure::from(error).context(name.clone()))?;
    make_folder(folder)?;
    let kind = format!("{}-blob", format.names().name);
    let inputs = Inputs::of([path]);
    let mut outcome = Ok(Exit::Done);
    // What was written before something goes wrong stands in it too.
    write_file(&folder.join(INDEX_NAME), &inputs, |index| {
        let (inputs, exit) = (&inputs, Exit::Done);
        let mut extraction = Extraction { kind, folder, name, inputs, common, exit, damaged: 0, index, out: stdout() };
        let mut failed = None;
        blobs.for_each(&mut |found| {
            let done = match found {
                Ok(blob) => extraction.write(blob),
                Err(error) => {
                    extraction.damage(&error);
                    Ok(())
                }
            };
            failed = done.err();
            if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        outcome = failed.map_or_else(|| extraction.finish(), Err);
        Ok(())
    })?;
    outcome
}

/// What tells of each file where it came from.
const INDEX_NAME: &str = "index.jsonl";

struct Extraction<'a> {
    /// The `type` of its lines.
    kind: String,
    folder: &'a Path,
    name: String,
    inputs: &'a Inputs,
    common: &'a CommonArgs,
    exit: Exit,
    /// How many blobs, or what else, could not be read.
    damaged: u64,
    /// Takes what was written, as JSON lines.
    index: &'a mut dyn Write,
    out: Lines,
}

impl Extraction<'_> {
    fn write(&mut self, blob: FileBlob<'_>) -> Result<(), Failure> {
        let FileBlob { file_name, members, bytes, picture } = blob;
        let path = self.folder.join(file_name);
        write_file(&path, self.inputs, |into| Ok(into.write_all(&bytes)?))?;
        let mut files = vec![path];
        let mut line = JsonLine::new(&self.kind, []).and(members);
        match picture {
            Some(Ok(picture)) => {
                let path = self.write_picture(&files, picture)?;
                line = line.and([("picture".to_owned(), path.display().to_string().into())]);
                files.push(path);
            }
            Some(Err(reason)) => {
                let (none, reason) = (Value::Null, Value::from(reason));
                line = line.and([("picture".to_owned(), none), ("no_picture".to_owned(), reason)]);
            }
            None => {}
        }
        let out = files.first().map(|path| path.display().to_string());
        let line = line.and([("out".to_owned(), out.into())]);
        print_json(&mut *self.index, &line)?;
        if self.common.json {
            print_json(&mut self.out, &line)?;
            return Ok(());
        }
        for path in files {
            writeln!(self.out, "{}", path.display())?;
        }
        Ok(())
    }

    /// Writes the picture of a blob beside the first of `files`, which holds its bytes.
    fn write_picture(&self, files: &[PathBuf], picture: BlobPicture) -> Result<PathBuf, Failure> {
        let bytes = files.first().ok_or(Internal::new("a blob with a picture has no file"))?;
        let (path, size) =
            (bytes.with_extension("png"), Size { width_px: picture.width_px, height_px: picture.height_px });
        let picture = Picture::new(size, picture.rgba)?;
        write_file(&path, self.inputs, |into| Ok(write_png(&picture, &[], into)?))?;
        Ok(path)
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
