//! `info TRACE`: what a trace is, from both ends of the file; with --deep, what it holds.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use foldhash::HashMap;
use serde_json::{Map, Value, json};

use super::args::{CommonArgs, InfoArgs};
use super::exit::{Exit, Failure};
use super::index::make_index;
use super::messages::FileDamage;
use super::open::{completeness, open_file, report};
use super::output::{print_json, stdout};
use super::progress::{Printing, Waiting};
use crate::abi::{AbiError, PacketKind, Submitted, SubmittedCommands, can_be_explained, foreign_name};
use crate::bytes::{DecodedFrom, Diagnostics};
use crate::command::{Command, Viewport};
use crate::error::Classified;
use crate::format::aerogpu::{FrameSource, FrameSpan, RecordBody, Trace};
use crate::replay::{DEFAULT_SIZE, largest_viewport, note_unlisted_frames};
use crate::text::{JsonLine, counted, json_line};

/// Frames listed one by one in text; of a longer trace the first and the last.
const LISTED_FRAMES: usize = 32;

pub(super) fn run(args: &InfoArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let file = open_file(&args.trace, common)?;
    let (trace, decoded_from) = (file.trace(common)?, file.source.decoded_from());
    let mut diagnostics = Diagnostics::new();
    note_unlisted_frames(&trace, &mut diagnostics);
    report(&mut diagnostics, common)?;
    let contents = if args.deep {
        let _waiting = Waiting::on("counting", Printing::WhenDone, common);
        Some(count_contents(&trace, common)?)
    } else {
        None
    };
    if args.deep {
        let index = make_index(&trace, common);
        let missing = index.missing_objects();
        if missing.starts_in_the_middle() {
            common.messages().warning(format!("{}: {missing}", args.trace.display()), None);
        }
    }
    let mut out = stdout();
    if common.json {
        print_json(&mut out, &describe_json(&args.trace, &trace, decoded_from, contents.as_ref()))?;
        for (index, frame) in trace.frames().iter().enumerate() {
            print_json(&mut out, &describe_frame_json(index, frame))?;
        }
    } else {
        write_text(&mut out, (&args.trace, decoded_from), &trace, contents.as_ref())?;
    }
    out.flush()?;
    let Some(Contents { errors, errors_dropped, .. }) = contents.filter(|contents| !contents.errors.is_empty()) else {
        return Ok(completeness(&trace));
    };
    let (name, messages) = (args.trace.display().to_string(), common.messages());
    errors.iter().for_each(|error| messages.damage(&name, error, error.kind.into()));
    if errors_dropped > 0 {
        messages.note(format!("{name}: and {errors_dropped} more errors"), None);
    }
    Ok(errors.first().map_or(Exit::Unreadable, |error| error.kind.into()))
}

/// What --deep counts.
#[derive(Default)]
struct Contents {
    records: BTreeMap<&'static str, u64>,
    /// By ABI name, then by opcode name; an ABI that is not decoded counts its packets.
    opcodes: BTreeMap<String, u64>,
    /// Number and bytes by blob kind.
    blobs: BTreeMap<&'static str, (u64, u64)>,
    /// Number of A3A0 streams by context.
    streams: BTreeMap<u32, u64>,
    /// Packets of Appendix A.
    appendix_a_packets: u64,
    /// Packets of A3A0 streams, as often as they run.
    stream_packets: u64,
    packet_kinds: PacketKinds,
    /// The largest viewport that a stream sets, in pixels.
    viewport: Option<(f32, f32)>,
    /// What is wrong with submissions, streams and packets, in file order.
    errors: Vec<FileDamage>,
    /// How many more there are.
    errors_dropped: u64,
}

/// Errors that are told one by one.
const TOLD_ERRORS: usize = 100;

impl Contents {
    fn error(&mut self, error: &impl Classified) {
        if self.errors.len() < TOLD_ERRORS {
            self.errors.push(error.into());
        } else {
            self.errors_dropped += 1;
        }
    }

    /// Packets that run `runs` times.
    fn packets(&mut self, submitted: &Submitted<'_>, bytes: &[u8], runs: u64) -> Result<(), AbiError> {
        for packet in submitted.packets(bytes) {
            match packet.and_then(|packet| Ok((packet.kind, packet.command()?))) {
                Ok((kind, command)) => {
                    match submitted.context {
                        None => self.appendix_a_packets += runs,
                        Some(_) => self.stream_packets += runs,
                    }
                    self.packet_kinds.count(kind, runs);
                    self.viewport(command);
                }
                Err(error) => self.error(&error),
            }
        }
        Ok(())
    }

    /// ABIs of the commands, as the packets say.
    fn abis(&self) -> String {
        let appendix_a = format!("{} of Appendix A", counted(self.appendix_a_packets as usize, "packet"));
        let streams: u64 = self.streams.values().sum();
        let a3a0 = format!(
            "{} in {}",
            counted(self.stream_packets as usize, "packet"),
            counted(streams as usize, "A3A0 stream")
        );
        match (self.appendix_a_packets, streams) {
            (_, 0) => appendix_a,
            (0, _) => a3a0,
            _ => format!("{appendix_a}, {a3a0}"),
        }
    }

    fn viewport(&mut self, command: Command) {
        if let Command::SetViewport(Viewport::Rectangle { size_px: [width, height], .. }) = command {
            let area = |(width, height): (f32, f32)| width * height;
            if area((width, height)) > self.viewport.map_or(0.0, area) {
                self.viewport = Some((width, height));
            }
        }
    }
}

/// Opcodes that this build doesn't know are counted one by one up to this many; a stream can have millions.
const COUNTED_UNKNOWN: usize = 1000;

/// How many packets there are of each kind.
#[derive(Default)]
struct PacketKinds {
    known: BTreeMap<&'static str, u64>,
    /// By the names that they are listed under.
    unknown: HashMap<String, u64>,
    /// Those of further unknown opcodes.
    others: u64,
}

impl PacketKinds {
    fn count(&mut self, kind: PacketKind, packets: u64) {
        if !kind.is_unknown() {
            *self.known.entry(kind.name()).or_default() += packets;
            return;
        }
        let name = kind.described().into_owned();
        let is_counted = self.unknown.len() < COUNTED_UNKNOWN || self.unknown.contains_key(&name);
        let counter = if is_counted { self.unknown.entry(name).or_default() } else { &mut self.others };
        *counter += packets;
    }

    /// By the names that they are listed under.
    fn by_name(self) -> impl Iterator<Item = (String, u64)> {
        let known = self.known.into_iter().map(|(name, count)| (name.to_owned(), count));
        let others = (self.others > 0).then(|| ("UNKNOWN, others".to_owned(), self.others));
        known.chain(self.unknown).chain(others)
    }
}

fn count_contents(trace: &Trace, common: &CommonArgs) -> Result<Contents, Failure> {
    let mut contents = Contents::default();
    let mut diagnostics = Diagnostics::new();
    let mut commands = SubmittedCommands::new(trace);
    // However many submissions run a stream, its packets are read once.
    let mut runs: BTreeMap<u64, (Submitted<'static>, u64)> = BTreeMap::new();
    let mut reader = trace.records(trace.stream());
    while let Some(record) = reader.next_record(&mut diagnostics)? {
        *contents.records.entry(record.body.name()).or_default() += 1;
        match commands.of(&record) {
            Ok(Some(submitted)) => {
                if let Some(context) = submitted.context {
                    *contents.streams.entry(context).or_default() += 1;
                }
                match submitted.payload() {
                    Some(payload) if !can_be_explained(payload) => {
                        let name = foreign_name(payload).unwrap_or_default();
                        *contents.opcodes.entry(name.to_owned()).or_default() += 1;
                    }
                    Some(payload) => contents.packets(&submitted, payload, 1)?,
                    None => {
                        let place = submitted.place.start;
                        runs.entry(place).or_insert_with(|| (submitted.without_payload(), 0)).1 += 1;
                    }
                }
            }
            Ok(None) => {}
            Err(error) => contents.error(&error),
        }
        if let RecordBody::Blob(blob) = record.body {
            let (count, bytes) = contents.blobs.entry(blob.kind.name()).or_default();
            *count += 1;
            *bytes += blob.bytes.end - blob.bytes.start;
        }
    }
    for (submitted, count) in runs.into_values() {
        contents.packets(&submitted, &trace.read(submitted.place.clone())?, count)?;
    }
    contents.errors.sort_by_key(|error| error.offset);
    for (name, count) in std::mem::take(&mut contents.packet_kinds).by_name() {
        *contents.opcodes.entry(name).or_default() += count;
    }
    report(&mut diagnostics, common)?;
    Ok(contents)
}

fn write_text(
    out: &mut impl Write,
    (path, decoded_from): (&Path, Option<DecodedFrom>),
    trace: &Trace,
    contents: Option<&Contents>,
) -> std::io::Result<()> {
    let header = trace.header();
    let (size, stream) = (trace.size_bytes(), trace.stream());
    writeln!(out, "{}: AeroGPU trace, {size} bytes", path.display())?;
    if let Some(DecodedFrom { compression, stored_bytes, .. }) = decoded_from {
        writeln!(out, "compressed    {stored_bytes} bytes of {}", compression.name())?;
    }
    writeln!(out, "container     version {}", header.container_version)?;
    let found = contents.map_or("the packets decide".to_owned(), |contents| format!("found {}", contents.abis()));
    writeln!(out, "command ABI   {:#x} by its header ({found})", header.command_abi_version)?;
    let meta = String::from_utf8_lossy(&trace.meta().bytes);
    writeln!(out, "metadata      {}", meta)?;
    writeln!(out, "records       {:#x} to {:#x}, {} bytes", stream.start, stream.end, stream.end - stream.start)?;
    match trace.frame_source() {
        FrameSource::Toc { footer, .. } => {
            writeln!(out, "frames        {} by the TOC at {:#x}", trace.frames().len(), footer.toc_offset)?;
        }
        FrameSource::Scan { .. } => writeln!(out, "frames        {} whole ones recovered", trace.frames().len())?,
    }
    let count = trace.frames().len();
    for (index, frame) in trace.frames().iter().enumerate() {
        if count > LISTED_FRAMES && index == LISTED_FRAMES / 2 {
            writeln!(out, "  …")?;
        }
        if count <= LISTED_FRAMES || index < LISTED_FRAMES / 2 || index >= count - LISTED_FRAMES / 2 {
            let (start, end) = (frame.bytes.start, frame.bytes.end);
            let present = frame.present_offset.map_or("no Present".to_owned(), |at| format!("Present at {at:#x}"));
            writeln!(out, "  frame {index}: {start:#x} to {end:#x}, {} bytes, {present}", end - start)?;
        }
    }
    let Some(contents) = contents else { return Ok(()) };
    writeln!(out, "target        {}", describe_target(trace, contents))?;
    for (name, count) in &contents.records {
        writeln!(out, "record        {count} {name}")?;
    }
    for (context, count) in &contents.streams {
        writeln!(out, "stream        {count} of context {context}")?;
    }
    for (name, count) in &contents.opcodes {
        writeln!(out, "command       {count} {name}")?;
    }
    for (name, (count, bytes)) in &contents.blobs {
        writeln!(out, "blob          {count} {name}, {bytes} bytes")?;
    }
    Ok(())
}

fn describe_target(trace: &Trace, contents: &Contents) -> String {
    if !contents.streams.is_empty() {
        let viewport =
            contents.viewport.map(|(width, height)| format!("; the largest SET_VIEWPORT is {width}x{height}"));
        let of_streams = format!("what is bound at each PRESENT{}", viewport.unwrap_or_default());
        return match contents.appendix_a_packets {
            0 => of_streams,
            _ => format!("{of_streams}; of Appendix A {}", describe_canvas(trace)),
        };
    }
    describe_canvas(trace)
}

/// The target of packets of Appendix A.
fn describe_canvas(trace: &Trace) -> String {
    match largest_viewport(trace) {
        Some(size) => format!("{size}, the largest SET_VIEWPORT"),
        None => format!("{DEFAULT_SIZE}, since no SET_VIEWPORT says"),
    }
}

fn describe_json(
    path: &Path,
    trace: &Trace,
    decoded_from: Option<DecodedFrom>,
    contents: Option<&Contents>,
) -> JsonLine {
    let header = trace.header();
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
    put("path", json!(path.display().to_string()));
    put("size_bytes", json!(trace.size_bytes()));
    if let Some(from) = decoded_from {
        put("compression", json!(from.compression.name()));
        put("stored_bytes", json!(from.stored_bytes));
    }
    put("container_version", json!(header.container_version));
    put("command_abi_version", json!(header.command_abi_version));
    put("flags", json!(header.flags));
    put("meta", trace.meta().json.clone().unwrap_or(Value::Null));
    put("stream_start", json!(trace.stream().start));
    put("stream_end", json!(trace.stream().end));
    put("frames", json!(trace.frames().len()));
    match trace.frame_source() {
        FrameSource::Toc { footer, .. } => put("toc_offset", json!(footer.toc_offset)),
        FrameSource::Scan { cause, .. } => put("recovered_because", json!(cause.to_string())),
    };
    if let Some(contents) = contents {
        if contents.streams.is_empty() {
            let size = largest_viewport(trace).unwrap_or(DEFAULT_SIZE);
            put("target_width", json!(size.width_px));
            put("target_height", json!(size.height_px));
        } else {
            let by_context = |(context, count): (&u32, &u64)| (context.to_string(), json!(count));
            put("streams", Value::Object(contents.streams.iter().map(by_context).collect()));
            put("largest_viewport", json!(contents.viewport));
            put("errors", json!(contents.errors.len() as u64 + contents.errors_dropped));
        }
        put("appendix_a_packets", json!(contents.appendix_a_packets));
        put("stream_packets", json!(contents.stream_packets));
        put("records", json!(contents.records));
        put("commands", json!(contents.opcodes));
        let blob = |(name, (count, bytes)): (&&str, &(u64, u64))| {
            ((*name).to_owned(), json!({ "count": count, "size_bytes": bytes }))
        };
        put("blobs", Value::Object(contents.blobs.iter().map(blob).collect()));
    }
    JsonLine::new("trace", []).and(object)
}

fn describe_frame_json(index: usize, frame: &FrameSpan) -> JsonLine {
    json_line!("frame-span", {
        "frame": index,
        "start_offset": frame.bytes.start,
        "end_offset": frame.bytes.end,
        "present_offset": frame.present_offset,
        "size_bytes": frame.bytes.end - frame.bytes.start,
    })
}
