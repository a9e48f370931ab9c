//! The rules of the contract: whatever breaks one ends its submission, and `verify` goes on behind it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aerogpu_replay::abi::SubmittedCommands;
use aerogpu_replay::abi::a3a0::resources::{CopyBuffer, CreateBuffer, UploadResource};
use aerogpu_replay::abi::a3a0::shaders::{CreateInputLayout, CreateShaderDxbc};
use aerogpu_replay::abi::a3a0::work::Flush;
use aerogpu_replay::abi::a3a0::{
    ABI_VERSION, Bytes, Class, Layout, Packet, RawPacket, Severity, StreamWriter, TableEntry, TableWriter,
};
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::format::aerogpu::{BlobId, BlobKind, MemoryRange, NewSubmission, Submission, Trace, TraceWriter};
use aerogpu_replay::replay::{CheckDepth, Checked, ReplayError, check_trace};
use serde_json::Value;

use crate::support::harness::{Failed, Trial, trials_of};
use crate::support::made;
use crate::support::program::{Run, run};
use crate::support::root;

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of![
        whatever_is_called_a_fault_ends_its_submission,
        a_copy_has_no_flags_but_write_back,
        verify_goes_on_behind_a_bad_submission,
        verify_tells_one_error_a_submission_and_every_draw,
        verify_ends_with_the_code_of_the_first_error,
        verify_deep_looks_at_what_nothing_needs,
        a_bad_table_or_stream_is_an_error_of_its_submission,
    ];
    let shared = root().join("../shared/data/a3a0");
    let has_data = shared.is_dir();
    type OfData = (&'static str, fn(&Path));
    let of_data: [OfData; 3] = [
        ("damaged_traces_are_refused_or_play", damaged_traces_are_refused_or_play),
        ("scenes_are_sound", scenes_are_sound),
        ("streams_of_drivers_are_checked_to_their_end", streams_of_drivers_are_checked_to_their_end),
    ];
    trials.extend(of_data.map(|(name, trial)| {
        let shared = shared.clone();
        let run = move || {
            trial(&shared);
            Ok::<(), Failed>(())
        };
        Trial::test(name, run).with_ignored_flag(!has_data)
    }));
    trials
}

/// Result of a check of a trace: how many commands are sound, and what is wrong.
struct Told {
    commands: usize,
    /// Where they stand.
    sound: Vec<u64>,
    wrong: Vec<ReplayError>,
    /// Error that ended the check.
    end: Option<ErrorKind>,
    notes: Vec<(u64, String)>,
}

impl Told {
    fn is_sound(&self) -> bool {
        self.wrong.is_empty() && self.end.is_none()
    }
}

fn check(bytes: Vec<u8>, depth: CheckDepth) -> Told {
    let mut told = Told { commands: 0, sound: Vec::new(), wrong: Vec::new(), end: None, notes: Vec::new() };
    let trace = match Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()) {
        Ok(trace) => Arc::new(trace),
        Err(error) => {
            told.end = Some(error.kind());
            return told;
        }
    };
    let mut diagnostics = Diagnostics::new();
    let checked = check_trace(&trace, depth, &mut diagnostics, |checked| match checked {
        Checked::Command(command) => {
            told.commands += 1;
            told.sound.push(command.at.offset);
        }
        Checked::Wrong(error) => told.wrong.push(error),
    });
    told.end = checked.err().map(|error| error.kind());
    told.notes = diagnostics.findings().iter().map(|found| (found.offset, found.what.to_string())).collect();
    told
}

/// Where the packet stands that an error is about.
fn packet_of(error: &ReplayError) -> u64 {
    match error {
        ReplayError::Abi { at, .. } | ReplayError::Command { at, .. } => at.offset,
        other => panic!("{other}"),
    }
}

/// Values that break some rule or other, and some that break none.
const VALUES: [u64; 19] = [0, 1, 2, 3, 4, 5, 6, 8, 9, 12, 14, 16, 32, 72, 128, 256, 4096, 0x8000_0000, 0xffff_ffff];

fn whatever_is_called_a_fault_ends_its_submission() {
    let (mut faults, mut refused_kinds, mut names) = (0, BTreeSet::new(), BTreeSet::new());
    let mut traces: Vec<(&str, Vec<u8>)> = made::ALL.iter().map(|(name, make)| (*name, make())).collect();
    traces.push(("every packet on its own", each_packet_on_its_own(made::every_packet())));
    traces.push(("copy", trace_of(&[stream(&[buffer(1), buffer(2), copy(1, 2, 0)])])));
    for (name, bytes) in traces {
        let trace = Trace::from_source(Arc::new(MemorySource::from(bytes.clone())), &mut Diagnostics::new()).unwrap();
        let before = check(bytes.clone(), CheckDepth::References);
        let (mut commands, mut reader) = (SubmittedCommands::new(&trace), trace.records(trace.stream()));
        while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
            let Some(submitted) = commands.of(&record).unwrap() else { continue };
            let stream = commands.read(&submitted).unwrap().into_owned();
            let minor = u16::from_le_bytes([stream[4], stream[5]]);
            for packet in submitted.packets(&stream) {
                let packet = packet.unwrap();
                let opcode = u32::from_le_bytes(packet.bytes[..4].try_into().unwrap());
                let Some(layout) = Layout::of(opcode) else { continue };
                let is_sound = before.sound.contains(&packet.offset);
                let is_reached = before.wrong.iter().any(|error| packet_of(error) == packet.offset);
                if !is_sound && !is_reached {
                    continue;
                }
                if is_sound {
                    names.insert(layout.name);
                }
                for (at, field) in layout.fields_in(packet.bytes.len() as u32) {
                    for value in VALUES {
                        let (start, size) = (packet.offset as usize + at as usize, (field.size_bytes as usize).min(8));
                        let mut changed = bytes.clone();
                        changed[start..start + size].copy_from_slice(&value.to_le_bytes()[..size]);
                        let end = packet.offset as usize + packet.bytes.len();
                        let raw =
                            RawPacket { offset: packet.offset, opcode, bytes: &changed[packet.offset as usize..end] };
                        if raw.decode().is_err() {
                            continue;
                        }
                        let Some(fault) = raw.check(minor).find(|found| ends_submission(found.severity, found.class))
                        else {
                            continue;
                        };
                        let told = check(changed.clone(), CheckDepth::References);
                        let error = told.wrong.iter().find(|error| packet_of(error) == packet.offset);
                        let error = error.unwrap_or_else(|| panic!("{name}: {fault}: not refused"));
                        assert_eq!(error.kind(), ErrorKind::ReplayFailed, "{error}: its bytes can be read");
                        // One that is wrong as it is has to be refused for the field.
                        if !is_sound && !matches!(error, ReplayError::Abi { .. }) {
                            continue;
                        }
                        names.insert(layout.name);
                        refused_kinds.insert(fault.class.name());
                        faults += 1;
                    }
                }
            }
        }
    }
    let missing: Vec<&str> = Layout::all().map(|layout| layout.name).filter(|name| !names.contains(name)).collect();
    assert_eq!(missing, ["DRAW_INDEXED"], "which has no rules, and no indices here");
    assert!(faults > 500, "{faults} faults");
    let all = ["bad_enum", "bad_slot", "bad_value", "same_resource", "unknown_bits", "zero", "zero_handle"];
    assert_eq!(refused_kinds.into_iter().collect::<Vec<_>>(), all);
}

/// The packets of a trace, each in a submission of its own, so that one that is refused ends only itself.
fn each_packet_on_its_own(bytes: Vec<u8>) -> Vec<u8> {
    let trace = Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap();
    let (mut commands, mut reader) = (SubmittedCommands::new(&trace), trace.records(trace.stream()));
    let mut streams = Vec::new();
    while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
        let Some(submitted) = commands.of(&record).unwrap() else { continue };
        let stream = commands.read(&submitted).unwrap();
        for packet in submitted.packets(&stream) {
            let mut own = [&stream[..24], packet.unwrap().bytes].concat();
            let size = own.len() as u32;
            own[8..12].copy_from_slice(&size.to_le_bytes());
            streams.push(own);
        }
    }
    trace_of(&streams)
}

/// A fault that is not one of a shader's or a layout's own bytes, which only draws with it fail for.
fn ends_submission(severity: Severity, class: Class) -> bool {
    use Class::{BadEnum, BadSlot, BadValue, SameResource, UnknownBits, Zero, ZeroHandle};
    severity == Severity::Fault
        && matches!(class, BadEnum | BadSlot | BadValue | SameResource | UnknownBits | Zero | ZeroHandle)
}

fn stream(packets: &[Packet<'_>]) -> Vec<u8> {
    let mut writer = StreamWriter::new(ABI_VERSION);
    packets.iter().for_each(|packet| writer.packet(packet).unwrap());
    writer.finish()
}

/// A trace of one frame with these streams as submissions.
fn trace_of(streams: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    writer.begin_frame().unwrap();
    for cmd_stream in streams {
        writer.submit(&NewSubmission { cmd_stream, ..Default::default() }).unwrap();
    }
    writer.present().unwrap();
    writer.finish().unwrap()
}

const META: &str = r#"{"emulator_version":"test","command_abi_version":65540}"#;

fn buffer(handle: u32) -> Packet<'static> {
    CreateBuffer { handle, usage: 1, size_bytes: 16, backing_alloc_id: 0, backing_offset: 0, reserved: 0 }.into()
}

fn copy(dst: u32, src: u32, flags: u32) -> Packet<'static> {
    CopyBuffer { dst, src, dst_offset: 0, src_offset: 0, size_bytes: 4, flags, reserved: 0 }.into()
}

fn flush() -> Packet<'static> {
    Flush { reserved0: 0, reserved1: 0 }.into()
}

/// Bytes 12 to 16 of 16, and four more.
fn upload_past_the_end(handle: u32) -> Packet<'static> {
    UploadResource { handle, reserved: 0, offset: 12, size_bytes: 8, data: Bytes::new(&[0; 8]) }.into()
}

fn a_copy_has_no_flags_but_write_back() {
    let told = check(trace_of(&[stream(&[buffer(1), buffer(2), copy(1, 2, 2)])]), CheckDepth::References);
    let [error] = told.wrong.as_slice() else { panic!("{:?}", told.wrong) };
    let message = error.to_string();
    assert!(message.contains("COPY_BUFFER has flags 2: expected only WRITEBACK_DST (1), at 0x"), "{message}");
    assert_eq!((error.kind(), told.commands), (ErrorKind::ReplayFailed, 2));
    assert!(check(trace_of(&[stream(&[buffer(1), buffer(2), copy(1, 2, 0)])]), CheckDepth::References).is_sound());
}

fn verify(bytes: &[u8], options: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t"), bytes).unwrap();
    run(&[&["verify", "t"], options].concat(), folder.path())
}

fn verify_goes_on_behind_a_bad_submission() {
    // What comes behind the upload in its submission does not run; the next submissions do.
    let bad = stream(&[buffer(1), upload_past_the_end(1), buffer(2), flush()]);
    let good = stream(&[buffer(2), copy(2, 1, 0), flush()]);
    let run = verify(&trace_of(&[bad, good]), &[]);
    assert_eq!(run.code, 6, "{}", run.stderr);
    assert!(run.stdout.starts_with("t: 1 frame, 4 valid commands, 1 invalid\n"), "{}", run.stdout);
    let lines: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("error")).collect();
    let [line] = lines.as_slice() else { panic!("{}", run.stderr) };
    assert!(line.contains("UPLOAD_RESOURCE at 0x"), "{line}");
    assert!(line.contains("has 16 bytes: expected the 8 bytes from byte 12 on to lie within it"), "{line}");
}

fn verify_tells_one_error_a_submission_and_every_draw() {
    use aerogpu_replay::abi::a3a0::shaders::BindShaders;
    use aerogpu_replay::abi::a3a0::work::Draw;
    let draw = || Draw { vertex_count: 3, instance_count: 1, first_vertex: 0, first_instance: 0 }.into();
    let bind = BindShaders { vs: 8, ps: 9, cs: 0, reserved: 0, appended: None }.into();
    let twice = stream(&[buffer(1), upload_past_the_end(1), upload_past_the_end(1)]);
    let draws = stream(&[bind, draw(), draw(), flush()]);
    let told = check(trace_of(&[twice, draws]), CheckDepth::References);
    let kinds: Vec<&str> = told
        .wrong
        .iter()
        .map(|error| match error {
            ReplayError::Command { command, .. } => *command,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(kinds, ["UPLOAD_RESOURCE", "DRAW", "DRAW"], "a draw with an unusable shader fails alone");
    // The buffer, BIND_SHADERS and FLUSH.
    assert_eq!(told.commands, 3);
}

fn verify_ends_with_the_code_of_the_first_error() {
    let contract = stream(&[upload_past_the_end(1), buffer(1), upload_past_the_end(1)]);
    let mut malformed = stream(&[flush(), flush()]);
    // The second packet claims more than the stream has.
    malformed[24 + 16 + 4] = 200;
    let run = verify(&trace_of(&[malformed.clone(), contract.clone()]), &[]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    let run = verify(&trace_of(&[contract, malformed]), &["--json"]);
    assert_eq!(run.code, 6, "{}", run.stderr);
    let line: Value = serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((line["invalid"].as_u64(), line["commands"].as_u64()), (Some(2), Some(3)), "{line}");
}

fn a_bad_table_or_stream_is_an_error_of_its_submission() {
    let mut table = TableWriter::new(ABI_VERSION);
    table.entry(&TableEntry { alloc_id: 0, flags: 0, gpa: 0, size_bytes: 1, reserved: 0 }, &[]).unwrap();
    let table = table.finish(&[]).unwrap();
    let good = stream(&[flush(), flush()]);
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    writer.begin_frame().unwrap();
    writer.submit(&NewSubmission { cmd_stream: &good, alloc_table: Some(&table), ..Default::default() }).unwrap();
    let missing = Submission { record_version: 1, cmd_stream_blob_id: BlobId(77), ..Default::default() };
    writer.submission(&missing).unwrap();
    writer.submit(&NewSubmission { cmd_stream: &good, ..Default::default() }).unwrap();
    writer.present().unwrap();
    let told = check(writer.finish().unwrap(), CheckDepth::References);
    let kinds: Vec<ErrorKind> = told.wrong.iter().map(Classified::kind).collect();
    assert_eq!(kinds, [ErrorKind::Malformed, ErrorKind::ReplayFailed], "{:?}", told.wrong);
    assert_eq!((told.commands, told.end), (2, None), "the third submission runs");
}

fn verify_deep_looks_at_what_nothing_needs() {
    let shader = CreateShaderDxbc { handle: 3, stage: 0, size_bytes: 4, stage_ex: 0, code: Bytes::new(b"DXBC") };
    let layout = CreateInputLayout { handle: 4, blob_size: 4, reserved: 0, blob: Bytes::new(b"ILAY") };
    let stream = stream(&[shader.into(), layout.into(), flush()]);
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    writer.begin_frame().unwrap();
    let cmd_stream_blob_id = writer.blob(BlobKind::AerogpuCmdStream, &stream).unwrap();
    let memory = writer.blob(BlobKind::AerogpuAllocMemory, &[0; 16]).unwrap();
    let other = writer.blob(BlobKind::BufferData, &[0; 16]).unwrap();
    let range = |alloc_id, gpa, size_bytes, blob_id| MemoryRange { alloc_id, flags: 0, gpa, size_bytes, blob_id };
    let memory_ranges = vec![
        range(1, 0, 16, memory),
        range(1, 0x100, 16, memory),
        range(2, 0, 17, memory),
        range(3, 0, 16, other),
        range(4, 0, 16, BlobId(77)),
        range(0, 0, 16, memory),
        range(5, u64::MAX, 16, memory),
    ];
    writer.submission(&Submission { cmd_stream_blob_id, memory_ranges, ..Default::default() }).unwrap();
    writer.present().unwrap();
    let bytes = writer.finish().unwrap();
    let shallow = check(bytes.clone(), CheckDepth::References);
    assert!(shallow.is_sound() && shallow.notes.is_empty(), "{:?}", shallow.notes);
    let deep = check(bytes.clone(), CheckDepth::Everything);
    assert!(deep.is_sound(), "{:?}", deep.wrong);
    let expected = [
        "no draw can use shader 3 (",
        "no draw can use layout 4 (",
        "a second memory range for allocation 1: expected only one",
        "blob 2 has 16 bytes: expected 17, as its memory range says",
        "a memory range names blob 3, which holds BufferData: expected AerogpuAllocMemory",
        "a memory range names blob 77: expected a blob of the trace",
        "a memory range has alloc_id 0 and 16 bytes: expected both to be other than 0",
        "a memory range of 16 bytes at address 0xffffffffffffffff does not end below 2^64",
    ];
    assert_eq!(deep.notes.len(), expected.len(), "{:?}", deep.notes);
    for ((offset, what), expected) in deep.notes.iter().zip(expected) {
        assert!(what.starts_with(expected), "{what}: expected {expected}");
        assert!((*offset as usize) < bytes.len());
    }
    // Ranges are 32 bytes apart.
    assert_eq!(deep.notes[3].0 - deep.notes[2].0, 32);
    assert_eq!(verify(&bytes, &["--deep"]).code, 0);
    assert_ne!(verify(&bytes, &["--deep", "--strict"]).code, 0);
}

fn traces_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(traces_in(&path));
        } else if path.extension().is_some_and(|extension| extension == "aerogputrace") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn damaged_traces_are_refused_or_play(shared: &Path) {
    let manifest: Value = serde_json::from_slice(&fs::read(shared.join("bad/manifest.json")).unwrap()).unwrap();
    let files = manifest["files"].as_array().unwrap();
    let mut wrong = Vec::new();
    for entry in files {
        let (file, replay) = (entry["file"].as_str().unwrap(), entry["replay"].as_str().unwrap());
        let told = check(fs::read(shared.join("bad").join(file)).unwrap(), CheckDepth::References);
        let kinds: Vec<ErrorKind> = told.wrong.iter().map(Classified::kind).chain(told.end).collect();
        use ErrorKind::{CutShort, Malformed, OverLimit, ReplayFailed, Unsupported};
        let is_known =
            kinds.iter().all(|kind| matches!(kind, Malformed | CutShort | Unsupported | OverLimit | ReplayFailed));
        let is_right = match replay {
            "plays" => kinds.is_empty(),
            "refuses" => !kinds.is_empty(),
            "any" => true,
            other => panic!("{other}"),
        };
        if !is_right || !is_known {
            wrong.push(format!("{file} ({}) {replay}: {kinds:?} {:?}", entry["fault"], told.wrong));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(files.len() > 100);
}

fn scenes_are_sound(shared: &Path) {
    let scenes = traces_in(&shared.join("scenes"));
    for path in &scenes {
        let told = check(fs::read(path).unwrap(), CheckDepth::Everything);
        assert!(told.is_sound(), "{}: {:?} {:?}", path.display(), told.end, told.wrong.first());
        assert!(told.commands > 10, "{}", path.display());
    }
    assert!(scenes.len() > 10, "{} scenes", scenes.len());
}

fn streams_of_drivers_are_checked_to_their_end(shared: &Path) {
    let traces = traces_in(&shared.join("driver"));
    for path in &traces {
        let told = check(fs::read(path).unwrap(), CheckDepth::Everything);
        assert_eq!(told.end, None, "{}", path.display());
        assert!(told.wrong.iter().all(|error| error.kind() != ErrorKind::Internal));
    }
    assert!(traces.len() > 10);
}
