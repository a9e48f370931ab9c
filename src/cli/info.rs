//! `info TRACE`: what a trace is, in twelve lines; with --deep, what it holds.

mod contents;
mod overview;

use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value, json};

use self::contents::{Contents, count_contents};
use self::overview::Overview;
use super::args::{CommonArgs, InfoArgs};
use super::exit::{Exit, Failure};
use super::open::{completeness, open_file, report};
use super::output::{print_json, stdout};
use super::progress::{Printing, Waiting};
use crate::bytes::{DecodedFrom, Diagnostics};
use crate::format::aerogpu::{FrameSource, FrameSpan, Trace};
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
    let overview = Overview::read(&trace, args.deep, common);
    let mut out = stdout();
    if common.json {
        let line = describe_json(&args.trace, &trace, decoded_from, contents.as_ref());
        print_json(&mut out, &line.and(overview.to_json()))?;
        for (index, frame) in trace.frames().iter().enumerate() {
            print_json(&mut out, &describe_frame_json(index, frame))?;
        }
    } else {
        overview.write(&mut out, (&args.trace, decoded_from), &trace, args.deep)?;
        if let Some(contents) = &contents {
            write_contents(&mut out, decoded_from, &trace, contents)?;
        }
    }
    out.flush()?;
    let Some(Contents { errors, errors_dropped, .. }) = contents.filter(|contents| !contents.errors.is_empty()) else {
        return Ok(completeness(&trace));
    };
    let (name, messages) = (args.trace.display().to_string(), common.messages());
    errors.iter().for_each(|error| messages.damage(&name, error, error.kind.into()));
    if errors_dropped > 0 {
        messages.note(format!("{name}: {} not shown", counted(errors_dropped, "more error")), None);
    }
    Ok(errors.first().map_or(Exit::Unreadable, |error| error.kind.into()))
}

fn write_contents(
    out: &mut impl Write,
    decoded_from: Option<DecodedFrom>,
    trace: &Trace,
    contents: &Contents,
) -> std::io::Result<()> {
    let (header, stream) = (trace.header(), trace.stream());
    if let Some(DecodedFrom { compression, stored_bytes, .. }) = decoded_from {
        writeln!(out, "compressed    {} of {}", counted(stored_bytes, "byte"), compression.name())?;
    }
    writeln!(out, "container     version {}", header.container_version)?;
    let (abi, found) = (header.command_abi_version, contents.abis());
    writeln!(out, "command ABI   {abi:#x} by its header (found {found})")?;
    let meta = String::from_utf8_lossy(&trace.meta().bytes);
    writeln!(out, "metadata      {}", meta)?;
    let size = counted(stream.end - stream.start, "byte");
    writeln!(out, "records       {:#x}..{:#x}, {size}", stream.start, stream.end)?;
    match trace.frame_source() {
        FrameSource::Toc { footer, .. } => {
            writeln!(out, "frames        {} by the TOC at {:#x}", trace.frames().len(), footer.toc_offset)?;
        }
        FrameSource::Scan { .. } => {
            writeln!(out, "frames        recovered {}", counted(trace.frames().len(), "complete frame"))?
        }
    }
    let count = trace.frames().len();
    for (index, frame) in trace.frames().iter().enumerate() {
        if count > LISTED_FRAMES && index == LISTED_FRAMES / 2 {
            writeln!(out, "  …")?;
        }
        if count <= LISTED_FRAMES || index < LISTED_FRAMES / 2 || index >= count - LISTED_FRAMES / 2 {
            let (start, end) = (frame.bytes.start, frame.bytes.end);
            let present = frame.present_offset.map_or("no Present".to_owned(), |at| format!("Present at {at:#x}"));
            let size = counted(end - start, "byte");
            writeln!(out, "  frame {index}: {start:#x}..{end:#x}, {size}, {present}")?;
        }
    }
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
        writeln!(out, "blob          {count} {name}, {}", counted(*bytes, "byte"))?;
    }
    Ok(())
}

fn describe_target(trace: &Trace, contents: &Contents) -> String {
    if !contents.streams.is_empty() {
        let viewport =
            contents.viewport.map(|(width, height)| format!("; the largest SET_VIEWPORT is {width}x{height}"));
        let of_streams = format!("the render target bound at each PRESENT{}", viewport.unwrap_or_default());
        return match contents.appendix_a_packets {
            0 => of_streams,
            _ => format!("{of_streams}; for packets of Appendix A {}", describe_canvas(trace)),
        };
    }
    describe_canvas(trace)
}

/// The target of packets of Appendix A.
fn describe_canvas(trace: &Trace) -> String {
    match largest_viewport(trace) {
        Some(size) => format!("{size}, the largest SET_VIEWPORT"),
        None => format!("{DEFAULT_SIZE}, the default without a SET_VIEWPORT"),
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
        FrameSource::Scan { cause, .. } => put("recovery_cause", json!(cause.to_string())),
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
