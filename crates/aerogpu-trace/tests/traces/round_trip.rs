//! Decoded packets are encoded to the same bytes, and one changed field changes its own bytes and no others.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aerogpu_trace::abi::a3a0::{
    AllocTable, Layout, Packet, RawPacket, RestPlace, Shape, Stream, StreamError, StreamWriter, TableWriter,
};
use aerogpu_trace::container::{BlobKind, RecordBody, Trace, TraceWriter};
use trace_base::bytes::{Diagnostics, MemorySource};

use dev_traces::made;
use dev_traces::reading::payloads;
use dev_trials::{Failed, Trial, root, trials_of};

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of![
        streams_made_here,
        one_changed_field_changes_its_own_bytes,
        packets_of_any_length_come_back,
        tables_come_back,
        what_the_format_cannot_hold_is_refused,
    ];
    let shared = root().join("../shared/data/a3a0");
    for (name, are_whole) in
        [("fixtures", true), ("driver", true), ("scenes", true), ("synthetic", false), ("bad", false)]
    {
        let folder = shared.join(name);
        let is_missing = !folder.is_dir();
        let of_streams = folder.clone();
        trials.push(
            Trial::test(format!("streams_of_{name}"), move || streams_of(&of_streams)).with_ignored_flag(is_missing),
        );
        // What is wrong on purpose cannot be written.
        if are_whole {
            let name = format!("containers_of_{name}");
            trials.push(Trial::test(name, move || containers_of(&folder)).with_ignored_flag(is_missing));
        }
    }
    trials
}

/// Decodes a stream to its fields and encodes those.
fn rebuilt(bytes: &[u8], offset: u64) -> Result<Vec<u8>, StreamError> {
    let stream = Stream::parse(bytes, offset)?;
    let mut writer = StreamWriter::with_header(&stream.header);
    for packet in stream.packets() {
        let packet: Packet<'_> = packet?.decode()?;
        writer.packet(&packet).unwrap();
    }
    let mut rebuilt = writer.finish();
    rebuilt.extend_from_slice(stream.tail);
    Ok(rebuilt)
}

/// Encodes the entries of a table again; nothing if it is none.
fn rebuilt_table(bytes: &[u8], offset: u64) -> Option<Vec<u8>> {
    let table = AllocTable::parse(bytes, offset).ok()?;
    let mut writer = TableWriter::with_header(&table.header);
    table.entries().for_each(|(_, entry, tail)| writer.entry(&entry, tail).unwrap());
    let mut rebuilt = writer.finish(table.slack).unwrap();
    rebuilt.extend_from_slice(table.tail);
    Some(rebuilt)
}

/// Number of a trace's streams that are well-formed; each of them, and each such table, comes back.
fn well_formed_streams(bytes: &[u8], name: &str) -> Result<usize, Failed> {
    let mut well_formed = 0;
    for (offset, kind, bytes) in payloads(bytes) {
        let rebuilt = match kind {
            BlobKind::AerogpuCmdStream => rebuilt(&bytes, offset).ok(),
            BlobKind::AerogpuAllocTable => rebuilt_table(&bytes, offset),
            _ => None,
        };
        let Some(rebuilt) = rebuilt else { continue };
        well_formed += usize::from(kind == BlobKind::AerogpuCmdStream);
        if rebuilt != bytes {
            let first = rebuilt.iter().zip(&bytes).position(|(found, expected)| found != expected);
            return Err(format!("{name}: what lies at {offset:#x} differs from byte {first:?} on").into());
        }
    }
    Ok(well_formed)
}

/// Every trace in a folder and those in it.
fn traces(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "aerogputrace") {
                found.push(path);
            }
        }
    }
    found
}

/// Reads every record of every trace and writes it: the file is the same.
fn containers_of(folder: &Path) -> Result<(), Failed> {
    let paths = traces(folder);
    for path in &paths {
        let bytes = fs::read(path)?;
        let written = rewritten(&bytes)?;
        if written != bytes {
            let first = written.iter().zip(&bytes).position(|(found, expected)| found != expected);
            return Err(format!("{} differs from byte {first:?} on", path.display()).into());
        }
    }
    if paths.len() < 8 { Err(format!("{} files", paths.len()).into()) } else { Ok(()) }
}

fn rewritten(bytes: &[u8]) -> Result<Vec<u8>, Failed> {
    let source = std::sync::Arc::new(MemorySource::from(bytes.to_vec()));
    let trace = Trace::from_source(source, &mut Diagnostics::new())?;
    let (header, meta) = (trace.header(), std::str::from_utf8(&trace.meta().bytes)?);
    let make = if header.container_version == 1 { TraceWriter::new } else { TraceWriter::new_v2 };
    let mut writer = make(Vec::new(), header.command_abi_version, meta)?;
    let mut reader = trace.records(trace.stream());
    while let Some(record) = reader.next_record(&mut Diagnostics::new())? {
        match record.body {
            RecordBody::BeginFrame { .. } => writer.begin_frame()?,
            RecordBody::Present { .. } => writer.present()?,
            RecordBody::Packet(payload) => writer.packet(payload)?,
            RecordBody::Blob(blob) => writer.blob_with_id(blob.id, blob.kind, &trace.read(blob.bytes.clone())?)?,
            RecordBody::Submission(submission) => writer.submission(&submission)?,
        }
    }
    Ok(writer.finish()?)
}

fn streams_of(folder: &Path) -> Result<(), Failed> {
    let (mut files, mut streams) = (0, 0);
    for path in traces(folder) {
        files += 1;
        streams += well_formed_streams(&fs::read(&path)?, &path.display().to_string())?;
    }
    // Some files hold none that is well-formed, and some hold many.
    if files < 8 || streams < files / 2 { Err(format!("{streams} streams in {files} files").into()) } else { Ok(()) }
}

fn streams_made_here() {
    for (name, make) in made::ALL {
        assert!(well_formed_streams(&make(), name).unwrap() > 0, "{name}");
    }
}

/// Number of elements that each sample carries.
const CARRIED: u32 = 2;

/// A packet of this kind, full of bytes that differ from one another, and decodes.
fn sample(layout: &Layout) -> Vec<u8> {
    let carried = match layout.rest.map(|rest| rest.shape) {
        None => 0,
        Some(Shape::Bytes | Shape::Text) => 8,
        Some(Shape::Elements { size_bytes, .. }) => CARRIED * size_bytes,
        Some(Shape::Bools) => CARRIED * 16,
    };
    let fields_bytes = layout.fields_in(u32::MAX).last().map_or(8, |(at, field)| at + field.size_bytes);
    let size_bytes = fields_bytes + carried;
    let mut bytes: Vec<u8> = (0..size_bytes).map(|at| (at * 7 + 1) as u8).collect();
    bytes[..4].copy_from_slice(&layout.opcode.to_le_bytes());
    bytes[4..8].copy_from_slice(&size_bytes.to_le_bytes());
    if let Some((at, field)) = counted(layout) {
        let count: u64 = if layout.rest.unwrap().shape == Shape::Bytes { 8 } else { CARRIED.into() };
        let field = at as usize..(at + field) as usize;
        let length = field.len();
        bytes[field].copy_from_slice(&count.to_le_bytes()[..length]);
    }
    bytes
}

/// Place and length of the field that says how much the packet carries.
fn counted(layout: &Layout) -> Option<(u32, u32)> {
    let (at, field) = layout.field(layout.rest?.counted_by?)?;
    Some((at, field.size_bytes))
}

fn decoded(bytes: &[u8]) -> Packet<'_> {
    let opcode = u32::from_le_bytes(bytes[..4].try_into().unwrap());
    RawPacket { offset: 0x100, opcode, bytes }.decode().unwrap()
}

fn encoded(packet: &Packet<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.write(&mut bytes).unwrap();
    bytes
}

/// The fields in which two packets differ, by their names, as their structures are printed.
fn different_fields(layout: &Layout, [first, second]: [&Packet<'_>; 2]) -> BTreeSet<&'static str> {
    let [first, second] = [first, second].map(|packet| format!("{packet:#?}"));
    let names: Vec<&'static str> =
        layout.fields.iter().map(|field| field.name).chain(layout.rest.map(|rest| rest.name)).collect();
    let (mut current, mut different) = ("", BTreeSet::new());
    assert_eq!(first.lines().count(), second.lines().count());
    for (first, second) in first.lines().zip(second.lines()) {
        let name = first.trim().split(':').next().unwrap();
        current = names.iter().find(|known| **known == name).copied().unwrap_or(current);
        if first != second {
            different.insert(current);
        }
    }
    different
}

fn one_changed_field_changes_its_own_bytes() {
    let mut fields = 0;
    for layout in Layout::all() {
        let original = sample(layout);
        let packet = decoded(&original);
        assert_eq!(encoded(&packet), original, "{}", layout.name);
        for (at, field) in layout.fields_in(u32::MAX).filter(|(at, _)| counted(layout).map(|(at, _)| at) != Some(*at)) {
            let mut changed = original.clone();
            let place = at as usize..(at + field.size_bytes) as usize;
            changed[place.clone()].iter_mut().for_each(|byte| *byte ^= 0x20);
            let packets = [&packet, &decoded(&changed)];
            assert_eq!(different_fields(layout, packets), [field.name].into(), "{}", layout.name);
            // Nothing but that field differs in what is encoded, and that is its own bytes.
            let found = encoded(packets[1]);
            let differing: Vec<usize> = (0..found.len()).filter(|at| found[*at] != original[*at]).collect();
            assert_eq!((found.len(), differing), (original.len(), place.collect()), "{} {}", layout.name, field.name);
            fields += 1;
        }
        if let Some(rest) = layout.rest {
            let mut changed = original.clone();
            let start =
                RestPlace::of(&RawPacket { offset: 0, opcode: layout.opcode, bytes: &original }, layout).unwrap();
            changed[start.start as usize] ^= 0x20;
            let found = encoded(&decoded(&changed));
            assert_eq!(found, changed, "{} {}", layout.name, rest.name);
        }
    }
    assert!(fields > 150, "{fields} fields");
}

/// Every length from the shortest to some more than the tables know: what decodes comes back, with its tail.
fn packets_of_any_length_come_back() {
    let mut with_tail = 0;
    for layout in Layout::all() {
        let longest = [sample(layout), vec![0x5a; 16]].concat();
        for size_bytes in (8..=longest.len()).step_by(4) {
            let mut bytes = longest[..size_bytes].to_vec();
            bytes[4..8].copy_from_slice(&(size_bytes as u32).to_le_bytes());
            let raw = RawPacket { offset: 0x100, opcode: layout.opcode, bytes: &bytes };
            match raw.decode() {
                Ok(packet) => {
                    assert_eq!(encoded(&packet), bytes, "{} of {size_bytes}", layout.name);
                    assert_eq!(packet.tail, raw.tail(), "{} of {size_bytes}", layout.name);
                    with_tail += usize::from(!packet.tail.is_empty());
                }
                Err(StreamError::PacketShort { expected, offset, .. }) => {
                    assert!((size_bytes as u32) < expected && offset == 0x104, "{} of {size_bytes}", layout.name);
                }
                Err(StreamError::ArrayOverrun { field, offset, .. }) => {
                    let (at, _) = layout.field(field).unwrap();
                    assert_eq!(offset, 0x100 + u64::from(at), "{} of {size_bytes}", layout.name);
                }
                Err(error) => panic!("{}: {error}", layout.name),
            }
        }
    }
    assert!(with_tail > 180, "{with_tail}");
}

fn tables_come_back() {
    for stride in [32u32, 36, 64] {
        let entry = |id: u32| {
            let mut entry: Vec<u8> = (0..stride).map(|at| (at * 3 + id) as u8).collect();
            entry[..4].copy_from_slice(&id.to_le_bytes());
            entry
        };
        let entries: Vec<u8> = (1..=3).flat_map(entry).collect();
        let slack = [9; 8];
        let header = [0x434f_4c41, 0x0001_0004, 24 + entries.len() as u32 + 8, 3, stride, 5];
        let mut bytes: Vec<u8> = header.iter().flat_map(|dword| dword.to_le_bytes()).collect();
        bytes.extend(entries.iter().chain(&slack));
        let with_tail = [&bytes[..], &[7; 3]].concat();
        let table = AllocTable::parse(&with_tail, 0x40).unwrap();
        let mut writer = TableWriter::with_header(&table.header);
        for (_, entry, tail) in table.entries() {
            writer.entry(&entry, tail).unwrap();
        }
        let rebuilt = writer.finish(table.slack).unwrap();
        assert_eq!([&rebuilt[..], table.tail].concat(), with_tail, "stride {stride}");
        let places: Vec<u64> = table.entries().map(|(offset, ..)| offset).collect();
        assert_eq!(places, [0, 1, 2].map(|index| 0x40 + 24 + index * u64::from(stride)));
    }
}

fn what_the_format_cannot_hold_is_refused() {
    use aerogpu_trace::abi::a3a0::bindings::SetSamplers;
    use aerogpu_trace::abi::a3a0::work::DebugMarker;
    use aerogpu_trace::abi::a3a0::{BoundHandle, Elements, Text};
    let handles = Elements::to_bytes(&[BoundHandle { handle: 1 }]);
    let values = Elements::new(&handles).unwrap();
    let samplers = SetSamplers { stage: 1, start_slot: 0, sampler_count: 2, stage_ex: 0, values };
    let mut bytes = vec![7];
    let error = Packet::from(samplers).write(&mut bytes).unwrap_err();
    assert_eq!(error.to_string(), "SET_SAMPLERS has sampler_count 2: expected 1, the number of elements that follow");
    let error = Packet::from(DebugMarker { text: Text(b"abc") }).write(&mut bytes).unwrap_err();
    assert_eq!(error.to_string(), "DEBUG_MARKER takes 11 bytes: expected a multiple of 4");
    assert_eq!(bytes, [7], "nothing half is left behind");
}
