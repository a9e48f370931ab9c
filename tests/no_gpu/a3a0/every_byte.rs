//! Every prefix and every changed byte of small traces: a value or an error with its place, whatever is asked.
//!
//! Of containers the library is asked. For streams the program is: it takes a moment to start, so that the thousands of
//! streams that one trace gives are put into one other trace, each as a submission, and each verb runs once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aerogpu_replay::abi::a3a0::ABI_VERSION;
use aerogpu_replay::analysis::{FrameEvents, StreamShaders};
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::error::Classified;
use aerogpu_replay::format::aerogpu::{BlobKind, DamageTolerance, FrameIndex, NewSubmission, Trace, TraceWriter};
use aerogpu_replay::timeline::aerogpu::map_aerogpu;

use crate::support::harness::{Failed, Trial};
use crate::support::made;
use crate::support::program::run;
use crate::support::reading::payloads;
use crate::support::root;

/// The verbs that read streams.
const VERBS: [&str; 10] = [
    "dump IN",
    "dump IN --json",
    "dump IN --canonical packets",
    "info IN --deep",
    "timeline info IN",
    "events IN --frame 0",
    "lint IN",
    "frames IN",
    "extract IN --shaders OUT",
    "repair IN MENDED",
];

pub fn trials() -> Vec<Trial> {
    let own = made::ALL.into_iter().flat_map(|(name, make)| trials_of_trace(name.to_owned(), make()));
    let folder = root().join("../shared/data/a3a0/fixtures");
    let mut public: Vec<PathBuf> = fs::read_dir(&folder)
        .map(|entries| entries.map(|entry| entry.unwrap().path()).filter(|path| is_trace(path)).collect())
        .unwrap_or_default();
    public.sort();
    let mut trials: Vec<Trial> = own.collect();
    if public.is_empty() {
        trials.push(Trial::test("shared", || Err("../shared/data/a3a0 is missing".into())).with_ignored_flag(true));
    }
    trials.extend(public.into_iter().flat_map(|path| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        trials_of_trace(name, fs::read(&path).unwrap())
    }));
    trials
}

fn is_trace(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "aerogputrace")
}

/// A trace of the other ABI has no streams.
fn trials_of_trace(name: String, bytes: Vec<u8>) -> Vec<Trial> {
    let has_streams = !streams_in(&bytes).is_empty();
    let of_streams = bytes.clone();
    let containers = Trial::test(format!("containers_of_{name}"), move || containers(&bytes));
    let streams = Trial::test(format!("streams_of_{name}"), move || streams(&of_streams));
    [Some(containers), has_streams.then_some(streams)].into_iter().flatten().collect()
}

fn streams_in(bytes: &[u8]) -> Vec<Vec<u8>> {
    let is_stream = |kind| kind == BlobKind::AerogpuCmdStream;
    payloads(bytes).into_iter().filter(|(_, kind, _)| is_stream(*kind)).map(|(_, _, stream)| stream).collect()
}

/// Every prefix, and every byte with another value.
fn mutants(bytes: &[u8]) -> impl Iterator<Item = (String, Vec<u8>)> {
    let prefixes = (0..bytes.len()).map(|end| (format!("cut at {end:#x}"), bytes[..end].to_vec()));
    let changed = (0..bytes.len()).map(|at| {
        let mut changed = bytes.to_vec();
        // Of neighbouring bytes each is changed in another way.
        changed[at] = [0, 0x80, 0xff, changed[at] ^ 1][at % 4];
        (format!("with {:#x} at {at:#x}", changed[at]), changed)
    });
    prefixes.chain(changed)
}

fn expect_place(error: &dyn Classified, size_bytes: usize) -> Result<(), String> {
    match error.offset() {
        Some(offset) if offset <= size_bytes as u64 => Ok(()),
        found => Err(format!("{error} has the place {found:?}")),
    }
}

/// Asks the library everything that it answers without replaying.
fn containers(bytes: &[u8]) -> Result<(), Failed> {
    let mut opened = 0;
    for (what, mutant) in mutants(bytes) {
        let size_bytes = mutant.len();
        let source = Arc::new(MemorySource::from(mutant));
        let asked = match Trace::open_or_recover(source, DamageTolerance::AnyDamagedEnd, &mut Diagnostics::new()) {
            Err(error) => expect_place(&error, size_bytes),
            Ok(trace) => {
                opened += 1;
                ask(&trace, size_bytes)
            }
        };
        asked.map_err(|wrong| format!("{what}: {wrong}"))?;
    }
    if opened < bytes.len() / 2 { Err(format!("only {opened} were traces").into()) } else { Ok(()) }
}

fn ask(trace: &Trace, size_bytes: usize) -> Result<(), String> {
    let mut noted = Diagnostics::new();
    if let Some(error) = map_aerogpu(trace, "", &mut noted).error {
        expect_place(&error, size_bytes)?;
    }
    for index in 0..trace.frames().len() {
        let events = FrameEvents::read(trace, FrameIndex(index as u32)).map_err(|error| error.to_string())?;
        if let Some(error) = events.error.filter(|error| error.offset.is_none_or(|at| at > size_bytes as u64)) {
            return Err(format!("{error:?}"));
        }
    }
    let (mut shaders, mut reader) = (StreamShaders::new(trace), trace.records(trace.stream()));
    while let Ok(Some(record)) = reader.next_record(&mut noted) {
        shaders.visit(&record, |shader| match shader {
            Ok(shader) if shader.code_offset > size_bytes as u64 => Err(format!("{shader:?}")),
            Ok(_) => Ok(()),
            Err(error) => expect_place(&error, size_bytes),
        })?;
    }
    match noted.findings().iter().find(|finding| finding.offset > size_bytes as u64) {
        Some(finding) => Err(format!("{finding:?}")),
        None => Ok(()),
    }
}

/// Puts every mutant of a trace's streams into one trace, and runs every verb on it.
fn streams(bytes: &[u8]) -> Result<(), Failed> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, "{}")?;
    writer.begin_frame()?;
    for stream in streams_in(bytes) {
        for (_, cmd_stream) in mutants(&stream) {
            writer.submit(&NewSubmission { cmd_stream: &cmd_stream, ..Default::default() })?;
        }
    }
    writer.present()?;
    let trace = writer.finish()?;
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("IN"), &trace)?;
    VERBS.into_iter().try_for_each(|verb| every_stream(verb, folder.path(), trace.len()))
}

fn every_stream(verb: &str, folder: &Path, size_bytes: usize) -> Result<(), Failed> {
    let run = run(&verb.split(' ').collect::<Vec<_>>(), folder);
    let wrong = |what: &str| Err(format!("{verb}: exit {}, {what}", run.code).into());
    if ![0, 3, 4, 6].contains(&run.code) || run.stderr.contains("panicked") {
        return wrong(&run.stderr);
    }
    // Most of a stream's bytes are not the right ones by chance.
    if run.code == 0 && !["timeline", "lint", "repair"].iter().any(|verb_of| verb.starts_with(verb_of)) {
        return wrong("nothing was wrong");
    }
    for line in run.stderr.lines().chain(run.stdout.lines()).filter(|line| line.starts_with("error: ")) {
        let place = line
            .rsplit_once("at 0x")
            .or_else(|| line.rsplit_once("(offset 0x"))
            .map(|(_, place)| place.trim_end_matches(|c: char| !c.is_ascii_hexdigit()));
        let offset = place.and_then(|place| usize::from_str_radix(place.split([',', ' ', ':', ')']).next()?, 16).ok());
        if !line.contains(" more error") && offset.is_none_or(|offset| offset > size_bytes) {
            return wrong(line);
        }
    }
    let accounts = format!("{size_bytes} of {size_bytes} bytes accounted for\n");
    if verb == "dump IN" && !run.stdout.ends_with(&accounts) {
        return wrong("not every byte is accounted for");
    }
    Ok(())
}
