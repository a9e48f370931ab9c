//! `timeline verify-export EXPORT [TRACE] ANNOTATION…`: whether these files and options give the same export.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::args::VerifyExportArgs;
use super::export::{format_of, known_format, with_exported};
use crate::bytes::ByteSource;
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::open::open_file;
use crate::cli::output::{print_json, stdout};
use crate::text::json_line;

pub(super) fn run(args: &VerifyExportArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let (export, files) = files_of(args);
    let file = open_file(export, common)?;
    let format = format_of("EXPORT", export)?;
    if files.is_empty() {
        let export = export.display();
        return Err(Failure::usage(format!(
            "{export}: an export is checked by repeating it: expected also its files and options, as in \
             aerogpu-replay timeline verify-export {export} TRACE ANNOTATION --align frames"
        )));
    }
    let mut comparison = Comparison { source: &*file.source, at: 0, difference: None };
    let ((), read) =
        with_exported(&files, &args.of, common, |exported, _, _| Ok((format.write)(exported, &mut comparison)?))?;
    let (path, difference) = (export.display().to_string(), comparison.finish());
    let mut out = stdout();
    if common.json {
        let line =
            json_line!("export-check", { "path": path, "is_identical": difference.is_none(), "offset": difference });
        print_json(&mut out, &line)?;
    } else {
        match difference {
            None => writeln!(out, "{path}: matches an export of these files with these options")?,
            Some(offset) => {
                let of = "an export of these files with these options";
                writeln!(out, "{path}: differs from {of}, from byte {offset} on")?;
            }
        }
    }
    out.flush()?;
    Ok(if difference.is_none() { read } else { read.worse(Exit::Different) })
}

/// The export, which may stand anywhere among the files and is known by its ending, and the other files in their order.
fn files_of(args: &VerifyExportArgs) -> (&Path, Vec<&Path>) {
    let given = args.of.trace.iter().chain(&args.of.recordings.recordings).map(PathBuf::as_path);
    let mut files: Vec<&Path> = std::iter::once(args.export.as_path()).chain(given).collect();
    let named = files.iter().position(|path| known_format(path).is_some());
    let export = files.remove(named.unwrap_or_default());
    files.extend(args.of.recordings.beside.annotate.iter().map(PathBuf::as_path));
    (export, files)
}

/// Compares what is written with a file.
struct Comparison<'s> {
    source: &'s dyn ByteSource,
    /// How many bytes were written.
    at: u64,
    /// The first byte that is another, or that only one of them has.
    difference: Option<u64>,
}

impl Comparison<'_> {
    /// The first difference, once all is written.
    fn finish(self) -> Option<u64> {
        self.difference.or((self.at < self.source.size_bytes()).then_some(self.at))
    }
}

impl Write for Comparison<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.difference.is_none() {
            let left = self.source.size_bytes().saturating_sub(self.at);
            let mut found = vec![0; (bytes.len() as u64).min(left) as usize];
            self.source.read_at(self.at, &mut found).map_err(io::Error::other)?;
            let equal = bytes.iter().zip(&found).take_while(|(expected, found)| expected == found).count();
            if equal < bytes.len() {
                self.difference = Some(self.at + equal as u64);
            }
        }
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
