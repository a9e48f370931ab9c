//! Going from row to row: whatever a trace holds, `find` visits the rows that a walk over `events` lists, each once.
//!
//! The packets of a stream stand inside a Blob record, and one blob may be submitted twice: offsets name several rows.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aerogpu_replay::abi::a3a0::ABI_VERSION;
use aerogpu_replay::abi::a3a0::work::{Clear, DebugMarker, Flush, Nop, Present};
use aerogpu_replay::abi::a3a0::{Body, Packet, Text};
use aerogpu_replay::analysis::{Analysis, Direction, FrameEvents, RowId};
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{BlobKind, DamageTolerance, Submission, Trace, TraceWriter};
use aerogpu_replay::listing::Filter;
use aerogpu_replay::replay::{CommandNumber, TraceIndex};

use crate::support::fixtures;
use crate::support::harness::{Failed, Trial, trials_of};
use crate::support::made::{self, Stream, StreamOfTests};
use crate::support::mutate::mutant;
use crate::support::random::{Random, random_trace};
use crate::support::root;

/// Rows that are searched from, of each kind and of all; of a long trace fewer, since each search reads a frame.
fn starts_of(rows: usize) -> usize {
    (20_000 / rows.max(1)).clamp(4, 60)
}

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of![
        rows_of_made_traces,
        rows_of_mutants,
        a_stream_that_is_submitted_twice_is_walked_twice,
        notes_are_about_the_packets_of_each_run,
        rows_outside_the_trace_are_searched_from,
        an_offset_leads_to_the_packet_rather_than_its_blob,
    ];
    let shared = ["driver-scenes", "a3a0", "house", "aerogpu"].map(|name| format!("../shared/data/{name}"));
    for folder in ["fixtures".to_owned()].into_iter().chain(shared) {
        let mut files = Vec::new();
        traces_in(&root().join(&folder), &mut files);
        let is_missing = files.is_empty();
        let name = folder.trim_start_matches("../").replace('/', "_");
        trials.push(Trial::test(format!("rows_of_{name}"), move || check_files(&files)).with_ignored_flag(is_missing));
    }
    trials
}

fn traces_in(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            traces_in(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "aerogputrace") {
            files.push(path);
        }
    }
}

fn open(bytes: Vec<u8>) -> Option<Analysis> {
    let source = Arc::new(MemorySource::from(bytes));
    let trace = Trace::open_or_recover(source, DamageTolerance::AnyDamagedEnd, &mut Diagnostics::new()).ok()?;
    let trace = Arc::new(trace);
    let index = Arc::new(TraceIndex::build(&trace, |_| ()));
    Some(Analysis::new(trace, index))
}

fn frames_of(analysis: &Analysis) -> Vec<FrameEvents> {
    analysis.trace().frame_indices().map(|frame| analysis.events(frame).unwrap()).collect()
}

fn check_files(files: &[PathBuf]) -> Result<(), Failed> {
    let mut rows = 0;
    for path in files {
        let Some(analysis) = open(std::fs::read(path).unwrap()) else { continue };
        rows += check(&analysis).map_err(|wrong| format!("{}: {wrong}", path.display()))?;
    }
    if rows == 0 { Err("nothing was walked".into()) } else { Ok(()) }
}

/// Number of searches that were compared.
fn check(analysis: &Analysis) -> Result<usize, String> {
    let frames = frames_of(analysis);
    commands_have_their_rows(analysis, &frames)?;
    let all: Vec<(RowId, &str)> = frames
        .iter()
        .flat_map(|events| (0..).zip(&events.rows).map(|(row, found)| (events.id_of(row), found.kind.name())))
        .collect();
    if !all.is_sorted_by(|(a, _), (b, _)| a < b) {
        return Err("rows are not in the order of their identities".to_owned());
    }
    let names: BTreeSet<&str> = all.iter().map(|(_, name)| *name).collect();
    let mut searches = 0;
    for name in names {
        let filter = Filter::parse(&format!("/^{name}$/")).unwrap();
        let wanted: Vec<RowId> = all.iter().filter(|(_, found)| *found == name).map(|(id, _)| *id).collect();
        let find = |from, direction| analysis.find_event(&filter, from, direction, |_| true).unwrap();
        let expect = |from: Option<RowId>, direction, expected: Option<RowId>| match find(from, direction) {
            found if found == expected => Ok(()),
            found => Err(format!("{direction:?} from {from:?}: {name} is {found:?}, expected {expected:?}")),
        };
        expect(None, Direction::Forward, wanted.first().copied())?;
        expect(None, Direction::Backward, wanted.last().copied())?;
        let most = starts_of(all.len());
        let step = (all.len() / most).max(1);
        let starts = all.iter().map(|(id, _)| *id).step_by(step).chain(wanted.iter().copied().take(most));
        for from in starts {
            searches += 1;
            let after = wanted.iter().find(|id| (id.frame, id.row) > (from.frame, from.row));
            expect(Some(from), Direction::Forward, after.copied())?;
            let before = wanted.iter().rev().find(|id| (id.frame, id.row) < (from.frame, from.row));
            expect(Some(from), Direction::Backward, before.copied())?;
        }
    }
    Ok(searches)
}

/// Each command of the index has a row of its own, in the order of their numbers.
fn commands_have_their_rows(analysis: &Analysis, frames: &[FrameEvents]) -> Result<(), String> {
    let index = analysis.index();
    let mut last = None;
    for number in (0..index.command_count()).map(CommandNumber) {
        let at = index.location(number).unwrap();
        let events = &frames[at.frame.as_usize()];
        let Some(row) = events.row_of(at) else {
            // A packet that cannot be read has a number, and an error instead of a row.
            let fault = index.faults().0.iter().find(|fault| fault.at == at).ok_or(format!("{at} has no row"))?;
            if events.errors().any(|error| error.message == fault.message) {
                continue;
            }
            return Err(format!("{at} has neither a row nor the error {:?}", fault.message));
        };
        let found = &events.rows[row as usize];
        if (found.offset, found.packet, found.submission) != (at.offset, at.packet, at.submission) {
            return Err(format!("{at} has the row {found:?}"));
        }
        let id = events.id_of(row);
        if last.replace(id).is_some_and(|last| last >= id) {
            return Err(format!("{at} has row {id:?}, which is that of an earlier command or before it"));
        }
    }
    Ok(())
}

fn rows_of_made_traces() {
    let made = made::ALL.into_iter().chain(fixtures::all());
    for (name, make) in made.chain([("twice", twice as fn() -> Vec<u8>)]) {
        let searches = check(&open(make()).unwrap()).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        assert!(searches > 0, "{name}");
    }
    for seed in 0..40 {
        check(&open(random_trace(seed)).unwrap()).unwrap_or_else(|wrong| panic!("random {seed}: {wrong}"));
    }
}

fn rows_of_mutants() {
    let mut random = Random::new(29);
    let sources: Vec<Vec<u8>> = made::ALL.into_iter().map(|(_, make)| make()).chain([twice()]).collect();
    let mut searches = 0;
    for round in 0..300 {
        let bytes = mutant(&sources[round % sources.len()], &mut random);
        let Some(analysis) = open(bytes) else { continue };
        searches += check(&analysis).unwrap_or_else(|wrong| panic!("round {round}: {wrong}"));
    }
    assert!(searches > 10_000, "{searches}");
}

fn clear_of(red: f32) -> Clear {
    Clear { flags: 1, r: red, g: 0.0, b: 0.0, a: 0.0, depth: 0.0, stencil: 0 }
}

/// Two frames. The second submits the first one's stream, then one of its own, and then the first one's again.
fn twice() -> Vec<u8> {
    let stream = |marker: &[u8]| {
        let mut stream = Stream::new();
        stream.put(DebugMarker { text: Text(marker) }).put(Nop {}).put(clear_of(f32::NAN));
        stream.put(Packet::new(Body::Unknown { opcode: 0x333, bytes: &[] }));
        stream.put(Present { scanout_id: 0, flags: 0 }).put(Flush { reserved0: 0, reserved1: 0 });
        stream.finish()
    };
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, "{}").unwrap();
    let submit = |writer: &mut TraceWriter<Vec<u8>>, cmd_stream_blob_id, context_id| {
        writer
            .submission(&Submission { record_version: 1, cmd_stream_blob_id, context_id, ..Default::default() })
            .unwrap();
    };
    writer.begin_frame().unwrap();
    let first = writer.blob(BlobKind::AerogpuCmdStream, &stream(b"first\0\0\0")).unwrap();
    submit(&mut writer, first, 1);
    writer.present().unwrap();
    writer.begin_frame().unwrap();
    submit(&mut writer, first, 2);
    let second = writer.blob(BlobKind::AerogpuCmdStream, &stream(b"second\0\0")).unwrap();
    submit(&mut writer, second, 1);
    submit(&mut writer, first, 1);
    writer.present().unwrap();
    writer.finish().unwrap()
}

fn a_stream_that_is_submitted_twice_is_walked_twice() {
    let analysis = open(twice()).unwrap();
    let filter = Filter::parse("DEBUG_MARKER").unwrap();
    let mut found = Vec::new();
    let mut from = None;
    while let Some(next) = analysis.find_event(&filter, from, Direction::Forward, |_| true).unwrap() {
        let events = analysis.events(next.frame).unwrap();
        let submission = events.rows[next.row as usize].submission.unwrap();
        found.push((next.frame.0, next.row, submission.number(), submission.context()));
        from = Some(next);
    }
    // BeginFrame, Blob, AerogpuSubmission; BeginFrame, AerogpuSubmission, six packets, Blob, AerogpuSubmission, …
    assert_eq!(found, [(0, 3, 0, 1), (1, 2, 0, 2), (1, 10, 1, 1), (1, 17, 2, 1)]);
}

fn notes_are_about_the_packets_of_each_run() {
    let analysis = open(twice()).unwrap();
    let frames = frames_of(&analysis);
    let told = |events: &FrameEvents| -> Vec<(u32, &'static str)> {
        events.notes.iter().map(|note| (note.row, events.rows[note.row as usize].kind.name())).collect()
    };
    assert_eq!(told(&frames[0]), [(5, "CLEAR"), (6, "UNKNOWN")]);
    let second = [(4, "CLEAR"), (5, "UNKNOWN"), (12, "CLEAR"), (13, "UNKNOWN"), (19, "CLEAR"), (20, "UNKNOWN")];
    assert_eq!(told(&frames[1]), second);
}

fn rows_outside_the_trace_are_searched_from() {
    let analysis = open(twice()).unwrap();
    let filter = Filter::parse("DEBUG_MARKER").unwrap();
    let find = |frame, row, direction| {
        let frame = aerogpu_replay::format::aerogpu::FrameIndex(frame);
        let found = analysis.find_event(&filter, Some(RowId { frame, row }), direction, |_| true).unwrap();
        found.map(|found| (found.frame.0, found.row))
    };
    assert_eq!(find(0, u32::MAX, Direction::Forward), Some((1, 2)));
    assert_eq!(find(0, u32::MAX, Direction::Backward), Some((0, 3)));
    assert_eq!(find(u32::MAX, u32::MAX, Direction::Forward), None);
    assert_eq!(find(u32::MAX, 0, Direction::Backward), Some((1, 17)));
    assert_eq!(find(1, 0, Direction::Backward), Some((0, 3)));
    assert_eq!(find(0, 3, Direction::Backward), None);
}

fn an_offset_leads_to_the_packet_rather_than_its_blob() {
    let analysis = open(twice()).unwrap();
    let frames = frames_of(&analysis);
    let of_packet = &frames[1].rows[10];
    let row = analysis.row_about(of_packet.offset + 3).unwrap().unwrap();
    assert_eq!((row.frame.0, row.row), (1, 10));
    // Its first run is in frame 0.
    let again = &frames[1].rows[2];
    let row = analysis.row_about(again.offset).unwrap().unwrap();
    assert_eq!((row.frame.0, row.row), (0, 3));
    // The Blob's header, and a submission of the second frame.
    for (frame, number) in [(0, 1), (1, 8), (1, 1), (0, 0)] {
        let record = &frames[frame].rows[number as usize];
        let row = analysis.row_about(record.offset + 1).unwrap().unwrap();
        assert_eq!((row.frame.as_usize(), row.row), (frame, number), "{}", record.kind.name());
    }
    assert_eq!(analysis.row_about(0).unwrap(), None);
}
