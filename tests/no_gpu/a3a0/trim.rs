//! Trimming traces of A3A0 streams: a frame of the trimmed trace is the slice that it was made of, no more and no less.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use aerogpu_replay::abi::a3a0::resources::*;
use aerogpu_replay::abi::a3a0::sharing::*;
use aerogpu_replay::abi::a3a0::state::*;
use aerogpu_replay::abi::a3a0::work::*;
use aerogpu_replay::abi::a3a0::{ABI_VERSION, TableEntry, TableWriter};
use aerogpu_replay::bytes::{Diagnostics, FileSource, MemorySource};
use aerogpu_replay::command::{ResourceName, Shown};
use aerogpu_replay::format::aerogpu::{
    BlobId, BlobKind, CapturedMemory, FrameIndex, MemoryRange, NewSubmission, RecordBody, Submission, Trace,
    TraceWriter,
};
use aerogpu_replay::replay::{
    CommandNumber, CommandReader, InputHash, InputHasher, ResolvedCommand, TraceIndex, largest_viewport,
    picture_at_end, write_trimmed,
};

use crate::support::harness::{Failed, Trial, trials_of};
use crate::support::made::{self, Stream, StreamOfTests, clear, texture, viewport};

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of![
        only_what_is_needed_of_earlier_submissions_is_kept,
        memory_is_kept_by_allocation,
        equal_memory_is_written_once,
        a_frame_of_a_long_trace_takes_its_own_bytes,
        a_wrong_submission_stays_wrong,
        what_is_passed_over_stays_passed_over,
        own_submissions_keep_every_byte,
        a_packet_record_stays_one,
        the_size_of_the_back_buffer_is_kept,
        a_screen_that_nothing_is_presented_to_stays_black,
        what_has_kept_an_imported_texture_is_no_input,
        made_traces_keep_their_slices,
        pictures_that_are_asked_for_are_kept,
    ];
    let scenes = scenes();
    if scenes.is_empty() {
        let missing = || Err("../shared/data/a3a0/scenes is missing".into());
        trials.push(Trial::test("scenes", missing).with_ignored_flag(true));
    }
    trials.extend(scenes.into_iter().map(|path| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        Trial::test(name, move || {
            let source = Arc::new(FileSource::open(&path)?);
            keeps_slices(&Arc::new(Trace::from_source(source, &mut Diagnostics::new())?))
        })
    }));
    trials
}

fn scenes() -> Vec<PathBuf> {
    let root = crate::support::root().join("../shared/data/a3a0/scenes");
    let folders = std::fs::read_dir(root).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten().flatten());
    let paths = files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "aerogputrace"));
    paths.collect::<BTreeSet<_>>().into_iter().collect()
}

const META: &str = r#"{"emulator_version":"test","command_abi_version":65540}"#;
const PRESENT: u32 = 1;
const PAGE: usize = 4096;

fn open(bytes: Vec<u8>) -> Arc<Trace> {
    Arc::new(Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap())
}

fn index(trace: &Arc<Trace>) -> TraceIndex {
    TraceIndex::build(trace, |_| ())
}

fn trim(trace: &Arc<Trace>, frames: &[u32]) -> Arc<Trace> {
    let frames: Vec<FrameIndex> = frames.iter().copied().map(FrameIndex).collect();
    open(write_trimmed(trace, &index(trace), &frames, Shown::default(), Vec::new()).unwrap().sink)
}

/// Texture 1 and 2 are cleared once and never presented, 3 is presented to screen 0 and 4 to screen 5; each frame clears
/// texture 3 anew, and the last presents it in two colours.
fn pictures_that_are_asked_for_are_kept() {
    let target = |texture| SetRenderTargets { color_count: 1, depth_stencil: 0, color: [texture, 0, 0, 0, 0, 0, 0, 0] };
    let grey = |level| clear([level, level, level, 1.0]);
    let show = |scanout_id| Present { scanout_id, flags: 0 };
    let mut streams: Vec<Stream> = (0..3).map(|_| Stream::new()).collect();
    let [first, second, third] = &mut streams[..] else { panic!("three frames") };
    (1..=4).for_each(|handle| _ = first.put(texture(handle, 8, 8)));
    first
        .put(target(1))
        .put(grey(0.1))
        .put(target(4))
        .put(grey(0.4))
        .put(show(5))
        .put(target(3))
        .put(grey(0.5))
        .put(show(0));
    second.put(target(2)).put(grey(0.2)).put(target(3)).put(grey(0.6)).put(show(0));
    third.put(target(3)).put(grey(0.7)).put(show(0)).put(grey(0.8)).put(show(0));
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    for stream in streams {
        writer.begin_frame().unwrap();
        let cmd_stream = &stream.finish();
        writer.submit(&NewSubmission { submit_flags: PRESENT, cmd_stream, ..Default::default() }).unwrap();
        writer.present().unwrap();
    }
    let whole = open(writer.finish().unwrap());
    let texture_1 = Shown::Target(ResourceName::of(1));
    let texture_2 = Shown::Target(ResourceName::of(2));
    let screen_5 = Shown::Screen { scanout: Some(5), present: None };
    let first_present = Shown::Screen { scanout: Some(0), present: Some(0) };
    let hash = |trace: &Arc<Trace>, frame: u32, shown| {
        let index = Arc::new(index(trace));
        let picture = picture_at_end(trace, &index, FrameIndex(frame), shown).unwrap().ok()?;
        Some(InputHasher::new(trace.clone(), index).picture(&picture).unwrap())
    };
    let kept = |shown| {
        let frames = [FrameIndex(2)];
        open(write_trimmed(&whole, &index(&whole), &frames, shown, Vec::new()).unwrap().sink)
    };
    let asked = [texture_1, texture_2, screen_5, first_present];
    for (at, shown) in asked.into_iter().enumerate() {
        let trimmed = kept(shown);
        let expected = hash(&whole, 2, shown);
        assert!(expected.is_some(), "{shown:?}");
        assert_eq!(hash(&trimmed, 0, shown), expected, "{shown:?}");
        // And nothing beside it.
        for (other, of_other) in asked.into_iter().enumerate() {
            let is_kept = hash(&trimmed, 0, of_other) == hash(&whole, 2, of_other);
            assert_eq!(is_kept, other == at || of_other == first_present, "{shown:?}, {of_other:?}");
        }
    }
    let hashes: BTreeSet<_> = asked.into_iter().map(|shown| hash(&whole, 2, shown)).collect();
    assert_eq!(hashes.len(), asked.len());
    assert_ne!(hash(&whole, 2, first_present), hash(&whole, 2, Shown::default()), "the last present");
    assert_eq!(hash(&whole, 0, texture_1), hash(&whole, 2, texture_1), "nobody writes it again");
    let missing = Shown::Target(ResourceName::of(9));
    let refused = write_trimmed(&whole, &index(&whole), &[FrameIndex(2)], missing, Vec::new()).unwrap_err();
    assert!(
        refused.to_string().starts_with("texture 9 does not exist at this point: there are 1, 2, 3, 4"),
        "{refused}"
    );
}

/// The bytes of the commands with these numbers.
fn packets(
    trace: &Arc<Trace>,
    index: &TraceIndex,
    numbers: impl IntoIterator<Item = CommandNumber>,
) -> Result<Vec<Vec<u8>>, Failed> {
    let mut reader = CommandReader::new(trace.clone());
    let mut bytes = Vec::new();
    for number in numbers {
        bytes.push(reader.read_packet(index.require_location(number)?)?.bytes.to_vec());
    }
    Ok(bytes)
}

/// The commands before a frame that it needs, its own, and their packets.
type Sliced = (Vec<CommandNumber>, Vec<CommandNumber>, Vec<Vec<u8>>);

/// Parts of a frame: what came before it, and its own commands.
fn slice(trace: &Arc<Trace>, index: &TraceIndex, frame: u32) -> Result<Sliced, Failed> {
    let end = index.commands_of(FrameIndex(frame)).ok_or("not indexed")?.end;
    let slice = index.slice(FrameIndex(frame), end, None)?.ok_or("no slice")?;
    let own: Vec<CommandNumber> = slice.own.map(CommandNumber).collect();
    let bytes = packets(trace, index, slice.earlier.iter().chain(&own).copied())?;
    Ok((slice.earlier, own, bytes))
}

/// The commands that are not carried out, and those that fail, counted from the frame's end.
fn refused(index: &TraceIndex, own: &[CommandNumber]) -> Vec<(usize, bool)> {
    let from_end = own.iter().rev().enumerate();
    let refused = from_end.filter_map(|(place, number)| match index.command(*number)? {
        ResolvedCommand::Skipped => Some((place, true)),
        ResolvedCommand::Submitted { kind: aerogpu_replay::replay::EffectKind::FailedDraw, .. } => Some((place, false)),
        _ => None,
    });
    refused.collect()
}

/// Some frames of a trace, alone and together.
fn keeps_slices(trace: &Arc<Trace>) -> Result<(), Failed> {
    let source = index(trace);
    let last = source.frame_count() as u32 - 1;
    let mut sets = vec![vec![0], vec![last / 2], vec![last], (last.saturating_sub(1)..=last).collect()];
    if last > 2 {
        sets.extend([vec![1, last], (last / 2..=last).collect()]);
    }
    let hashes = input_hashes(trace, 0..=last);
    for frames in sets {
        let frame = *frames.last().unwrap();
        let trimmed = trim(trace, &frames);
        let known = index(&trimmed);
        if known.stop().is_some() || known.frame_count() != frames.len() {
            return Err(format!("{frames:?}: {:?}", known.stop()).into());
        }
        let (earlier, own, expected) = slice(trace, &source, frame)?;
        let (_, found, mut bytes) = slice(&trimmed, &known, frames.len() as u32 - 1)?;
        // What is said before all else is of no use to any frame but the one that it stands in.
        let told = if frames.len() == 1 { told_at_the_head(&trimmed, trace) } else { 0 };
        bytes.drain(..told);
        // Between frames that lie apart more names may have to be ended.
        let is_row = frames.len() as u32 == frame - frames[0] + 1;
        if is_row && bytes != expected {
            let counts = format!("{} packets, expected {} + {}", bytes.len(), earlier.len(), own.len());
            return Err(format!("frame {frame} of {frames:?} is another slice: {counts}").into());
        }
        let own_found = &found[found.len() - own.len()..];
        if refused(&known, own_found) != refused(&source, &own) {
            return Err(format!("frame {frame} of {frames:?} has other faults: {:?}", known.faults()).into());
        }
        if largest_viewport(&trimmed) != largest_viewport(trace) {
            return Err(format!("{frames:?}: {:?}", largest_viewport(&trimmed)).into());
        }
        let all: Vec<u32> = (0..frames.len() as u32).collect();
        let expected: Vec<_> = frames.iter().map(|frame| hashes[*frame as usize]).collect();
        let found = input_hashes(&trimmed, all.iter().copied());
        let differ = all.iter().filter(|place| found[**place as usize] != expected[**place as usize]);
        let differ: Vec<u32> = differ.copied().collect();
        if !differ.is_empty() {
            return Err(format!("of {frames:?} {differ:?} have other input hashes").into());
        }
        let again = trim(&trimmed, &all);
        if records(&again) != records(&trimmed) {
            return Err(format!("{frames:?} is another trace when it is trimmed again").into());
        }
        if input_hashes(&again, all) != found {
            return Err(format!("{frames:?} have other input hashes when they are trimmed again").into());
        }
    }
    Ok(())
}

fn input_hashes(trace: &Arc<Trace>, frames: impl IntoIterator<Item = u32>) -> Vec<InputHash> {
    let mut hasher = InputHasher::new(trace.clone(), Arc::new(index(trace)));
    frames.into_iter().map(|frame| hasher.frame(FrameIndex(frame)).unwrap().unwrap()).collect()
}

/// Number of packets of a context that the source does not have.
fn told_at_the_head(trimmed: &Arc<Trace>, source: &Arc<Trace>) -> usize {
    let contexts: BTreeSet<u32> = submissions(source).iter().map(|found| found.submission.context_id).collect();
    let Some(first) = submissions(trimmed).into_iter().next() else { return 0 };
    match contexts.contains(&first.submission.context_id) {
        true => 0,
        false => aerogpu_replay::abi::list_stream(&first.stream, 0).count(),
    }
}

/// The bytes of all records.
fn records(trace: &Trace) -> Vec<u8> {
    trace.read(trace.stream()).unwrap()
}

fn made_traces_keep_their_slices() {
    for (name, make) in made::ALL {
        keeps_slices(&open(make())).unwrap_or_else(|failed| panic!("{name}: {}", failed.message().unwrap_or_default()));
    }
}

/// Fields of a submission, and the bytes of its stream, table and ranges.
struct Found {
    submission: Submission,
    stream: Vec<u8>,
    table: Vec<u8>,
    memory: Vec<Vec<u8>>,
}

fn blobs(trace: &Trace) -> Vec<(BlobId, BlobKind, Vec<u8>)> {
    let mut reader = trace.records(trace.stream());
    let mut found = Vec::new();
    while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
        if let RecordBody::Blob(blob) = record.body {
            found.push((blob.id, blob.kind, trace.read(blob.bytes).unwrap()));
        }
    }
    found
}

/// The submissions of a trace, each of which names blobs before it.
fn submissions(trace: &Trace) -> Vec<Found> {
    let mut reader = trace.records(trace.stream());
    let (mut known, mut found) = (std::collections::HashMap::new(), Vec::new());
    while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
        match record.body {
            RecordBody::Blob(blob) => _ = known.insert(blob.id, trace.read(blob.bytes).unwrap()),
            RecordBody::Submission(submission) => {
                let bytes = |id: BlobId| known.get(&id).cloned().unwrap_or_default();
                let stream = bytes(submission.cmd_stream_blob_id);
                let table = bytes(submission.alloc_table_blob_id);
                let memory = submission.memory_ranges.iter().map(|range| bytes(range.blob_id)).collect();
                found.push(Found { submission, stream, table, memory });
            }
            _ => {}
        }
    }
    found
}

/// Frames of submissions of context 0.
fn frames_of(frames: &[&[NewSubmission<'_>]]) -> Arc<Trace> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    for frame in frames {
        writer.begin_frame().unwrap();
        frame.iter().for_each(|submission| writer.submit(submission).unwrap());
        writer.present().unwrap();
    }
    open(writer.finish().unwrap())
}

fn of_stream(cmd_stream: &[u8]) -> NewSubmission<'_> {
    NewSubmission { cmd_stream, ..Default::default() }
}

fn targets(handle: u32) -> SetRenderTargets {
    SetRenderTargets { color_count: 1, depth_stencil: 0, color: [handle, 0, 0, 0, 0, 0, 0, 0] }
}

fn present(scanout_id: u32) -> Present {
    Present { scanout_id, flags: 0 }
}

/// The name that a texture was exported by is destroyed, which a trim leaves out: there it has two names when it is imported
/// again, and in the whole trace one.
fn what_has_kept_an_imported_texture_is_no_input() {
    let import = |out_resource| ImportSharedSurface { out_resource, reserved: 0, share_token: 9 };
    let (mut before, mut own) = (Stream::new(), Stream::new());
    before.put(texture(3, 8, 8)).put(targets(3)).put(clear([0.5; 4]));
    before.put(ExportSharedSurface { resource: 3, reserved: 0, share_token: 9 }).put(import(4));
    before.put(targets(0)).put(DestroyResource { handle: 3, reserved: 0 });
    own.put(import(5)).put(targets(5)).put(present(0));
    let (before, own) = (before.finish(), own.finish());
    let whole = frames_of(&[&[of_stream(&before)], &[of_stream(&own)]]);
    assert!(index(&whole).faults().0.is_empty());
    let trimmed = trim(&whole, &[1]);
    let carried = &submissions(&trimmed)[0].stream;
    assert!(
        aerogpu_replay::abi::list_stream(carried, 0).count() < aerogpu_replay::abi::list_stream(&before, 0).count()
    );
    assert_eq!(input_hashes(&trimmed, [0]), input_hashes(&whole, [1]));
    keeps_slices(&whole).unwrap_or_else(|failed| panic!("{}", failed.message().unwrap_or_default()));
}

fn buffer(handle: u32, size_bytes: u64, backing_alloc_id: u32) -> CreateBuffer {
    CreateBuffer { handle, usage: 1, size_bytes, backing_alloc_id, backing_offset: 0, reserved: 0 }
}

fn copy(dst: u32, src: u32, flags: u32) -> CopyBuffer {
    CopyBuffer { dst, src, dst_offset: 0, src_offset: 0, size_bytes: 64, flags, reserved: 0 }
}

fn dirty(handle: u32) -> ResourceDirtyRange {
    ResourceDirtyRange { handle, reserved: 0, offset: 0, size_bytes: 64 }
}

fn only_what_is_needed_of_earlier_submissions_is_kept() {
    let (mut first, mut second, mut shown) = (Stream::new(), Stream::new(), Stream::new());
    first.put(texture(1, 8, 8)).put(targets(1)).put(clear([1.0; 4])).put(present(0));
    second.put(texture(2, 8, 8)).put(clear([0.5; 4]));
    shown.put(Flush { reserved0: 0, reserved1: 0 }).put(present(0));
    let [first, second, shown] = [first, second, shown].map(Stream::finish);
    let flagged = |cmd_stream, signal_fence| NewSubmission {
        submit_flags: PRESENT | 2,
        engine_id: 3,
        signal_fence,
        ..of_stream(cmd_stream)
    };
    let trace = frames_of(&[&[flagged(&first, 7), flagged(&second, 8)], &[flagged(&shown, 9)]]);
    let found = submissions(&trim(&trace, &[1]));
    assert_eq!(found.len(), 3, "one for each that is needed");
    let kept: Vec<_> = found.iter().map(|found| &found.submission).collect();
    assert_eq!(kept.iter().map(|kept| kept.signal_fence).collect::<Vec<_>>(), [7, 8, 9]);
    assert_eq!(
        kept.iter().map(|kept| (kept.submit_flags, kept.engine_id)).collect::<Vec<_>>(),
        [(2, 3), (2, 3), (PRESENT | 2, 3)]
    );
    let (mut expected, mut cleared) = (Stream::new(), Stream::new());
    expected.put(texture(1, 8, 8)).put(targets(1));
    cleared.put(clear([0.5; 4]));
    assert!(found[0].stream == expected.finish() && found[1].stream == cleared.finish() && found[2].stream == shown);
    // A present to the screen that is looked at, of which a frame without one shows the last.
    let quiet = Stream::new().finish();
    let trace = frames_of(&[&[flagged(&first, 7)], &[flagged(&quiet, 8)]]);
    let found = submissions(&trim(&trace, &[1]));
    assert_eq!((found.len(), found[0].submission.submit_flags), (2, PRESENT | 2));
    assert_eq!((found[0].stream.as_slice(), found[0].submission.cmd_stream_blob_id), (first.as_slice(), BlobId(1)));
}

/// A table of allocations 1, 2 and 3, a page each, and their memory.
fn three_allocations() -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut table = TableWriter::new(ABI_VERSION);
    for alloc_id in 1..=3 {
        let gpa = u64::from(alloc_id) * PAGE as u64;
        table.entry(&TableEntry { alloc_id, flags: 0, gpa, size_bytes: PAGE as u64, reserved: 0 }, &[]).unwrap();
    }
    (table.finish(&[]).unwrap(), (1..=3).map(|byte| vec![byte; PAGE]).collect())
}

fn captured(memory: &[Vec<u8>]) -> Vec<CapturedMemory<'_>> {
    let numbered = (1..).zip(memory);
    numbered
        .map(|(alloc_id, bytes)| CapturedMemory { alloc_id, flags: 0, gpa: u64::from(alloc_id) * PAGE as u64, bytes })
        .collect()
}

fn entries(table: &[u8]) -> Vec<u32> {
    let table = aerogpu_replay::abi::a3a0::AllocTable::parse(table, 0).unwrap();
    table.entries().map(|(_, entry, _)| entry.alloc_id).collect()
}

fn allocations(found: &Found) -> Vec<u32> {
    found.submission.memory_ranges.iter().map(|range| range.alloc_id).collect()
}

fn memory_is_kept_by_allocation() {
    let (table, memory) = three_allocations();
    let memory = captured(&memory);
    let (mut made, mut other, mut copied, mut read) = (Stream::new(), Stream::new(), Stream::new(), Stream::new());
    made.put(buffer(1, 64, 1)).put(buffer(2, 64, 2)).put(buffer(3, 64, 3)).put(buffer(4, 64, 0));
    other.put(texture(9, 8, 8)).put(targets(9)).put(clear([1.0; 4]));
    // The copy writes to the memory of allocation 2, and the other buffer takes it from there.
    copied.put(copy(2, 1, 1)).put(dirty(2)).put(buffer(5, 64, 2)).put(dirty(5));
    read.put(copy(4, 5, 0)).put(present(0));
    let [made, other, copied, read] = [made, other, copied, read].map(Stream::finish);
    let with_memory =
        |cmd_stream| NewSubmission { alloc_table: Some(&table), memory: &memory, ..of_stream(cmd_stream) };
    let first = [made, other, copied];
    let trace =
        frames_of(&[&[with_memory(&first[0]), with_memory(&first[1]), with_memory(&first[2])], &[with_memory(&read)]]);
    let found = submissions(&trim(&trace, &[1]));
    assert_eq!(found.len(), 4);
    assert_eq!(entries(&found[0].table), [1, 2], "what the third buffer stands on is not needed");
    assert_eq!(allocations(&found[0]), [1, 2]);
    assert_eq!(found[0].memory, [vec![1; PAGE], vec![2; PAGE]]);
    assert_eq!(found[1].submission.alloc_table_blob_id, BlobId(0), "nothing of it is in memory");
    assert!(allocations(&found[1]).is_empty());
    assert_eq!((entries(&found[2].table), allocations(&found[2])), (vec![2], vec![2]));
    assert_eq!((entries(&found[3].table), allocations(&found[3])), (vec![1, 2, 3], vec![1, 2, 3]), "its own is whole");
    // Without a table ranges say where allocations lie.
    let without = |cmd_stream| NewSubmission { memory: &memory, ..of_stream(cmd_stream) };
    let trace = frames_of(&[&[without(&first[0]), without(&first[2])], &[without(&read)]]);
    let found = submissions(&trim(&trace, &[1]));
    let ranges: Vec<Vec<u32>> = found.iter().map(allocations).collect();
    assert_eq!(ranges, [vec![1, 2], vec![2], vec![1, 2, 3]]);
    let kinds: Vec<BlobKind> = blobs(&trim(&trace, &[1])).into_iter().map(|blob| blob.1).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == BlobKind::AerogpuAllocTable).count(), 0);
}

/// Memory that a recorder has written again and again.
fn equal_memory_is_written_once() {
    let (table, memory) = three_allocations();
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    for frame in 0..3_u64 {
        let mut stream = Stream::new();
        match frame {
            0 => stream.put(buffer(1, 64, 1)),
            _ => stream.put(dirty(1)),
        };
        let first = 10 * frame + 1;
        writer.begin_frame().unwrap();
        writer.blob_with_id(BlobId(first), BlobKind::AerogpuCmdStream, &stream.finish()).unwrap();
        writer.blob_with_id(BlobId(first + 1), BlobKind::AerogpuAllocTable, &table).unwrap();
        writer.blob_with_id(BlobId(first + 2), BlobKind::AerogpuAllocMemory, &memory[0]).unwrap();
        let range = MemoryRange {
            alloc_id: 1,
            flags: 0,
            gpa: PAGE as u64,
            size_bytes: PAGE as u64,
            blob_id: BlobId(first + 2),
        };
        let submission = Submission {
            record_version: 1,
            cmd_stream_blob_id: BlobId(first),
            alloc_table_blob_id: BlobId(first + 1),
            memory_ranges: vec![range],
            ..Submission::default()
        };
        writer.submission(&submission).unwrap();
        writer.present().unwrap();
    }
    let trimmed = trim(&open(writer.finish().unwrap()), &[0, 1, 2]);
    let found = submissions(&trimmed);
    let ids = found.iter().map(|found| {
        let Submission { cmd_stream_blob_id, alloc_table_blob_id, memory_ranges, .. } = &found.submission;
        [cmd_stream_blob_id.0, alloc_table_blob_id.0, memory_ranges[0].blob_id.0]
    });
    assert_eq!(ids.collect::<Vec<_>>(), [[1, 2, 3], [11, 2, 3], [21, 2, 3]], "equal streams are not one stream");
    assert!(found.iter().all(|found| found.memory == [memory[0].clone()]));
    assert_eq!(blobs(&trimmed).len(), 5);
}

/// A thousand frames, each with a snapshot that is equal to the others, as recorders write them that share nothing.
fn a_frame_of_a_long_trace_takes_its_own_bytes() {
    const FRAMES: u64 = 1000;
    const SNAPSHOT_BYTES: usize = 64 << 10;
    let snapshot: Vec<u8> = (0..SNAPSHOT_BYTES).map(|place| (place % 251) as u8).collect();
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    for frame in 0..FRAMES {
        let mut stream = Stream::new();
        if frame == 0 {
            stream.put(texture(1, 8, 8)).put(targets(1)).put(buffer(2, SNAPSHOT_BYTES as u64, 1));
        }
        stream.put(dirty(2)).put(clear([frame as f32, 0.0, 0.0, 1.0])).put(present(0));
        writer.begin_frame().unwrap();
        let (stream_id, memory_id) = (BlobId(2 * frame + 1), BlobId(2 * frame + 2));
        writer.blob_with_id(stream_id, BlobKind::AerogpuCmdStream, &stream.finish()).unwrap();
        writer.blob_with_id(memory_id, BlobKind::AerogpuAllocMemory, &snapshot).unwrap();
        let range =
            MemoryRange { alloc_id: 1, flags: 0, gpa: 0, size_bytes: SNAPSHOT_BYTES as u64, blob_id: memory_id };
        let submission = Submission {
            record_version: 1,
            cmd_stream_blob_id: stream_id,
            memory_ranges: vec![range],
            ..Default::default()
        };
        writer.submission(&submission).unwrap();
        writer.present().unwrap();
    }
    let trace = open(writer.finish().unwrap());
    let own = trace.frame(FrameIndex(500)).unwrap().bytes.clone();
    let size = trim(&trace, &[500]).size_bytes();
    assert!(size <= 3 * (own.end - own.start), "{size} bytes for a frame of {}", own.end - own.start);
    // What is known of the other frames takes nothing.
    assert!(size < (SNAPSHOT_BYTES + 4096) as u64, "{size}");
}

/// End of the frame's only submission: which packet is refused, with what message but for its place.
fn fault(trace: &Arc<Trace>, frame: u32) -> (u32, String) {
    let known = index(trace);
    let faults: Vec<_> = known.faults().0.iter().filter(|fault| fault.at.frame == FrameIndex(frame)).collect();
    assert_eq!(faults.len(), 1, "{faults:?}");
    let end = known.commands_of(FrameIndex(frame)).unwrap();
    let message = faults[0].message.split_once("): ").map_or(faults[0].message.as_str(), |(_, what)| what).to_owned();
    ((end.end - end.start) - faults[0].at.packet, message)
}

/// Each error that follows from what stood before the frame is found again, at the same packet, and what stands behind it
/// is not carried out.
fn a_wrong_submission_stays_wrong() {
    let put = |fill: &dyn Fn(&mut Stream)| {
        let mut stream = Stream::new();
        fill(&mut stream);
        stream.finish()
    };
    let share = |resource, share_token| ExportSharedSurface { resource, reserved: 0, share_token };
    let import = |out_resource, share_token| ImportSharedSurface { out_resource, reserved: 0, share_token };
    let before = put(&|stream| {
        stream.put(buffer(1, 64, 0)).put(buffer(2, 32, 0)).put(texture(3, 8, 8)).put(texture(4, 4, 4));
        stream.put(share(3, 77)).put(import(5, 77)).put(share(4, 78));
        stream.put(ReleaseSharedSurface { share_token: 77, reserved: 0 });
        stream.put(texture(6, 8, 8)).put(share(6, 79)).put(import(7, 79));
        stream.put(DestroyResource { handle: 6, reserved: 0 });
        stream.put(targets(2));
    });
    type Case<'c> = (&'c str, &'c dyn Fn(&mut Stream));
    let cases: [Case<'_>; 9] = [
        ("resource 1 exists with another size", &|stream| _ = stream.put(buffer(1, 128, 0))),
        ("resource 3 exists with another kind", &|stream| _ = stream.put(buffer(3, 128, 0))),
        ("destination 2 has 32 bytes", &|stream| _ = stream.put(copy(2, 1, 0))),
        ("writes back to resource 1", &|stream| _ = stream.put(buffer(9, 64, 0)).put(copy(1, 9, 1))),
        ("share token 0x4d was released", &|stream| _ = stream.put(import(8, 77))),
        ("share token 0x4e belongs to another texture", &|stream| _ = stream.put(share(3, 78))),
        ("resource 4 exists with another texture", &|stream| _ = stream.put(import(4, 79))),
        ("target 2 is a buffer", &|stream| _ = stream.put(clear([1.0; 4]))),
        ("source 6 does not exist", &|stream| _ = stream.put(copy(1, 6, 0))),
    ];
    for (expected, wrong) in cases {
        let own = put(&|stream| {
            stream.put(Flush { reserved0: 0, reserved1: 0 }).put(texture(20, 8, 8));
            wrong(stream);
            stream.put(texture(21, 8, 8)).put(targets(21)).put(clear([0.5; 4])).put(present(0));
        });
        let trace = frames_of(&[&[of_stream(&before)], &[of_stream(&own)]]);
        let found = fault(&trace, 1);
        assert!(found.1.starts_with(expected), "{found:?}, expected {expected}");
        let trimmed = trim(&trace, &[1]);
        assert_eq!(fault(&trimmed, 0).1, found.1);
        let own_submissions = submissions(&trimmed);
        assert!(own_submissions.last().unwrap().stream == own, "{expected}");
        let after = index(&trimmed);
        let commands = after.commands_of(FrameIndex(0)).unwrap();
        let carried_out = |place: u32| after.command(CommandNumber(commands.end - place));
        assert!(
            (1..=found.0).all(|place| matches!(carried_out(place), Some(ResolvedCommand::Skipped))),
            "{expected}: what stands behind it is carried out"
        );
        assert!(matches!(carried_out(found.0 + 1), Some(ResolvedCommand::Submitted { .. })), "{expected}");
    }
}

/// Commands that do nothing find the objects that they name all the same, and those that are gone they do not.
fn what_is_passed_over_stays_passed_over() {
    let (mut before, mut own) = (Stream::new(), Stream::new());
    before.put(buffer(1, 64, 0)).put(buffer(2, 64, 0)).put(texture(3, 8, 8));
    before.put(ExportSharedSurface { resource: 3, reserved: 0, share_token: 5 });
    before.put(ImportSharedSurface { out_resource: 4, reserved: 0, share_token: 5 });
    before.put(DestroyResource { handle: 3, reserved: 0 });
    own.put(dirty(1));
    own.put(CopyBuffer { size_bytes: 0, ..copy(1, 2, 0) });
    own.put(ImportSharedSurface { out_resource: 4, reserved: 0, share_token: 5 });
    own.put(ExportSharedSurface { resource: 4, reserved: 0, share_token: 5 });
    let texels = [7; 256];
    let data = aerogpu_replay::abi::a3a0::Bytes::new(&texels);
    // It has had another name since, and this one means nothing.
    own.put(UploadResource { handle: 3, reserved: 0, offset: 0, size_bytes: 256, data });
    own.put(targets(4)).put(present(0));
    let (before, own) = (before.finish(), own.finish());
    let trimmed = trim(&frames_of(&[&[of_stream(&before)], &[of_stream(&own)]]), &[1]);
    let known = index(&trimmed);
    assert_eq!(known.faults(), (&[][..], 0));
    let found = submissions(&trimmed);
    assert!(found[0].stream == before, "all of it decides what the frame does: {} bytes", found[0].stream.len());
}

fn own_submissions_keep_every_byte() {
    let mut stream = Stream::new();
    stream.put(texture(1, 8, 8)).put(clear([1.0; 4])).put(present(0));
    let mut stream = stream.finish();
    stream.extend(b"behind the stream");
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    writer.begin_frame().unwrap();
    writer.blob_with_id(BlobId(4), BlobKind::AerogpuCmdStream, &stream).unwrap();
    writer.blob_with_id(BlobId(5), BlobKind::AerogpuAllocMemory, b"nobody reads this").unwrap();
    let range = |blob_id| MemoryRange { alloc_id: 9, flags: 1, gpa: 0x1000, size_bytes: 17, blob_id: BlobId(blob_id) };
    let written = Submission {
        record_version: 2,
        submit_flags: 5,
        context_id: 4,
        engine_id: 5,
        reserved0: 6,
        signal_fence: 7,
        cmd_stream_blob_id: BlobId(4),
        reserved1: 8,
        header_tail: vec![1, 2, 3],
        memory_ranges: vec![range(5), range(1)],
        tail: vec![4, 5],
        ..Submission::default()
    };
    // One whose stream is nowhere: it stays so.
    let lost = Submission { cmd_stream_blob_id: BlobId(1), alloc_table_blob_id: BlobId(2), ..written.clone() };
    writer.submission(&lost).unwrap();
    writer.submission(&written).unwrap();
    writer.present().unwrap();
    let trace = open(writer.finish().unwrap());
    assert_eq!(index(&trace).faults().0.len(), 1);
    let trimmed = trim(&trace, &[0]);
    assert_eq!(trimmed.header().container_version, 2);
    let found = submissions(&trimmed);
    assert_eq!((&found[0].submission, &found[1].submission), (&lost, &written));
    assert!(found[1].stream == stream);
    let messages = |trace| index(trace).faults().0.iter().map(|fault| fault.kind).collect::<Vec<_>>();
    assert_eq!(messages(&trimmed), messages(&trace));
}

fn a_packet_record_stays_one() {
    let mut writer = TraceWriter::new(Vec::new(), ABI_VERSION, META).unwrap();
    let (mut first, mut second) = (Stream::new(), Stream::new());
    first.put(texture(1, 8, 8)).put(texture(2, 8, 8)).put(targets(1));
    second.put(clear([1.0; 4])).put(present(0));
    let [first, second] = [first, second].map(Stream::finish);
    for stream in [&first, &second] {
        writer.begin_frame().unwrap();
        writer.packet(stream).unwrap();
        writer.present().unwrap();
    }
    let trimmed = trim(&open(writer.finish().unwrap()), &[1]);
    assert_eq!(trimmed.header().container_version, 1);
    let mut reader = trimmed.records(trimmed.stream());
    let mut payloads = Vec::new();
    while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
        if let RecordBody::Packet(payload) = record.body {
            payloads.push(payload.to_vec());
        }
    }
    let mut expected = Stream::new();
    expected.put(texture(1, 8, 8)).put(targets(1));
    assert!(payloads == [expected.finish(), second]);
}

/// Nothing is bound: the largest viewport of the trace says how large the picture is.
fn the_size_of_the_back_buffer_is_kept() {
    let (mut large, mut small) = (Stream::new(), Stream::new());
    large.put(viewport(640.0, 480.0)).put(clear([1.0; 4])).put(present(0));
    small.put(viewport(32.0, 16.0)).put(clear([1.0; 4])).put(present(0));
    let (large, small) = (large.finish(), small.finish());
    let of_first = NewSubmission { context_id: 1, ..of_stream(&small) };
    let trace = frames_of(&[&[of_stream(&large)], &[of_first]]);
    let trimmed = trim(&trace, &[1]);
    assert_eq!(largest_viewport(&trimmed).map(|size| [size.width_px, size.height_px]), Some([640, 480]));
    let found = submissions(&trimmed);
    let contexts: Vec<u32> = found.iter().map(|found| found.submission.context_id).collect();
    assert_eq!(contexts, [2, 1], "neither context has another viewport by it");
    assert!(found[1].stream == small);
    let kept = trim(&trace, &[0]);
    assert_eq!(submissions(&kept).len(), 1, "nothing is lost that has to be told");
}

/// The lowest screen is looked at, and nothing was presented to it yet.
fn a_screen_that_nothing_is_presented_to_stays_black() {
    let mut streams = [1, 0].map(|screen| {
        let mut stream = Stream::new();
        stream.put(texture(1 + screen, 8, 8)).put(targets(1 + screen)).put(clear([1.0; 4])).put(present(screen));
        stream.finish()
    });
    let trace = frames_of(&[&[of_stream(&streams[0])], &[of_stream(&streams[1])]]);
    let trimmed = trim(&trace, &[0]);
    assert_eq!(index(&trimmed).lowest_scanout(), Some(0));
    let found = submissions(&trimmed);
    assert_eq!((found.len(), found[0].submission.submit_flags), (2, PRESENT));
    streams.reverse();
    assert!(found[1].stream == streams[1]);
    assert_eq!(submissions(&trim(&trace, &[1])).len(), 1);
}
