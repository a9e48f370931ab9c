//! Links from failing pictures to the page that replays traces in a browser.
//!
//! ```text
//!  report/index.html ──► page.html?trace=traces/NAME.aerogputrace&frame=0      the frame alone, with all that it depends on
//! ```

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::bytes::{make_output_folder, write_output};
use crate::command::{FramePicture, Shown};
use crate::format::aerogpu::Trace;
use crate::golden::case::picture_stem;
use crate::golden::error::GoldenError;
use crate::golden::outcome::CaseOutcome;
use crate::golden::results::Results;
use crate::pixels::PictureFileError;
use crate::replay::{TraceIndex, write_trimmed};

/// The page's file name in the report's folder.
const PAGE_FILE: &str = "page.html";
/// Folder of the traces in it.
const TRACES: &str = "traces";

/// Addresses within the report's folder, by the number of a case and its picture.
#[derive(Debug, Default)]
pub struct PageLinks {
    addresses: BTreeMap<(usize, String), String>,
    /// Pictures without an address, each with the reason.
    pub unlinked: Vec<String>,
}

impl PageLinks {
    /// Writes `page` into the report's folder, and a trace of each frame whose picture is not good. `check` is asked before
    /// a file is written.
    pub fn write<E: From<GoldenError>>(
        results: &Results,
        folder: &Path,
        page: &[u8],
        check: impl Fn(&Path) -> Result<(), E>,
    ) -> Result<Self, E> {
        check(&folder.join(PAGE_FILE))?;
        write_whole(&folder.join(PAGE_FILE), page)?;
        let mut links = Self::default();
        for case in &results.cases {
            let mut opened = None;
            for frame in case.frames.iter().filter(|frame| !frame.status.is_good()) {
                let of = frame.of;
                let opened = opened.get_or_insert_with(|| open(Path::new(&case.trace)));
                match opened.as_ref().map_err(String::clone).and_then(|opened| trimmed(opened, of)) {
                    Ok((trace, shown)) => {
                        let name = format!("{}.{}.aerogputrace", case.number, picture_stem(of));
                        let path = folder.join(TRACES).join(&name);
                        check(&path)?;
                        write_whole(&path, &trace)?;
                        let address = format!("{PAGE_FILE}?trace={TRACES}/{name}&frame=0{shown}");
                        links.addresses.insert((case.number, picture_stem(of)), address);
                    }
                    Err(reason) => links.unlinked.push(format!("{}, frame {of}: {reason}", case.case)),
                }
            }
        }
        Ok(links)
    }

    /// The address of a picture's frame.
    pub(super) fn of(&self, case: &CaseOutcome, of: FramePicture) -> Option<&str> {
        self.addresses.get(&(case.number, picture_stem(of))).map(String::as_str)
    }
}

/// A trace with its index, or the reason why it cannot be read.
fn open(path: &Path) -> Result<(Arc<Trace>, TraceIndex), String> {
    let trace = Trace::open(path).map(Arc::new).map_err(|error| error.to_string())?;
    let index = TraceIndex::build(&trace, |_| ());
    Ok((trace, index))
}

/// A trace of one frame alone, and the part of an address that says which of its pictures is shown.
fn trimmed((trace, index): &(Arc<Trace>, TraceIndex), of: FramePicture) -> Result<(Vec<u8>, String), String> {
    let shown = match of.shown {
        Shown::Screen { scanout: None, present: None } => String::new(),
        Shown::Screen { .. } => return Err("the page shows no single present or scanout".to_owned()),
        Shown::Target(name) => format!("&target={name}"),
    };
    let kept = write_trimmed(trace, index, &[of.frame], of.shown, Vec::new()).map_err(|error| error.to_string())?;
    Ok((kept.sink, shown))
}

fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), GoldenError> {
    let failed = |source: PictureFileError| GoldenError::Write { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        make_output_folder(folder).map_err(|error| failed(error.into()))?;
    }
    write_output(path, |out| -> Result<(), PictureFileError> { Ok(out.write_all(bytes)?) }).map_err(failed)
}
