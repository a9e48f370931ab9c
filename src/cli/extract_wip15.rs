//! `extract FILE --blobs DIR` for WIP15: textures, buffers and what else the recorded program passed to OpenGL.

use std::io::Write;
use std::path::Path;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::output::{print_json, stdout};
use super::timeline::wip15_exit;
use super::whole_file::{Inputs, write_file};
use crate::bytes::ByteSource;
use crate::bytes::limits::MAX_WIP15_CHECKED_BYTES;
use crate::error::{Classified, ErrorKind};
use crate::format::wip15::{Blob, BlobPlace, BlobPolicy, Call, Error, Op, Reader};
use crate::text::json_line;

/// Errors told one by one: a writer's bug damages every blob of a file.
const TOLD_ERRORS: u64 = 5;

/// Writes every blob of the WIP15 trace `source` into `folder`. A damaged blob is left out and told; the others are
/// written, and the code tells of it too.
pub(super) fn extract_blobs(
    path: &Path,
    source: &dyn ByteSource,
    folder: &Path,
    common: &CommonArgs,
) -> Result<Exit, Failure> {
    let name = path.display().to_string();
    let mut reader = Reader::open(source, BlobPolicy::Skip)
        .map_err(|error| Failure::new(ErrorKind::ReadFailed, error).context(name.clone()))?;
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::new(ErrorKind::WriteFailed, error).context(format!("cannot make {}", folder.display()))
    })?;
    let mut extraction = Extraction { folder, inputs: Inputs::of([path]), common, written_bytes: 0, out: stdout() };
    let (mut exit, mut damaged) = (Exit::Done, 0);
    while let Some(op) = reader.next_op() {
        let mut blobs = Vec::new();
        let damage = match &op {
            Ok(Op::Call(call)) => {
                call.blobs(|place, blob| blobs.push((place, blob)));
                let mut damage = None;
                for (place, blob) in blobs {
                    match extraction.write(call, &place, &blob)? {
                        Ok(()) => {}
                        Err(error) => damage = Some(error),
                    }
                }
                damage
            }
            Ok(_) => None,
            Err(_) => op.err(),
        };
        if let Some(error) = damage {
            damaged += 1;
            // A limit outweighs damage: what is missing then was not even tried.
            exit = if exit == Exit::OverLimit { exit } else { wip15_exit(&error) };
            if damaged <= TOLD_ERRORS {
                common.messages().error(error.kind(), exit, format!("{name}: {error}"), error.offset());
            }
            if matches!(error, Error::TooMuchData { .. }) {
                break;
            }
        }
    }
    extraction.out.flush()?;
    if damaged > TOLD_ERRORS {
        let message = format!("{name}: and {} more", damaged - TOLD_ERRORS);
        common.messages().error(ErrorKind::Malformed, exit, message, None);
    }
    Ok(exit)
}

struct Extraction<'a, W> {
    folder: &'a Path,
    inputs: Inputs,
    common: &'a CommonArgs,
    written_bytes: u64,
    out: W,
}

impl<W: Write> Extraction<'_, W> {
    fn write(&mut self, call: &Call<'_>, place: &BlobPlace<'_>, blob: &Blob<'_>) -> Result<Result<(), Error>, Failure> {
        self.written_bytes += u64::from(blob.size_bytes);
        if self.written_bytes > MAX_WIP15_CHECKED_BYTES {
            return Ok(Err(Error::TooMuchData { offset: blob.offset }));
        }
        let unpacked = match blob.unpack() {
            Ok(unpacked) => unpacked,
            Err(error) => return Ok(Err(error)),
        };
        let path = self.folder.join(format!("call{:08}-{place}.bin", call.index.0));
        write_file(&path, &self.inputs, |into| Ok(into.write_all(&unpacked.bytes)?))?;
        if self.common.json {
            let line = json_line!("wip15-blob", { "call": call.index.0, "function": call.function.text(),
                "place": place.to_string(), "method": blob.method.name(), "offset": blob.offset,
                "size_bytes": blob.size_bytes, "stored_bytes": blob.stored.len(), "out": path.display().to_string(),
            });
            print_json(&mut self.out, &line)?;
        } else {
            writeln!(self.out, "{}", path.display())?;
        }
        Ok(Ok(()))
    }
}
