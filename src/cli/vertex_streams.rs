//! `buffer --vertices` of submissions: the vertex buffers in the slots of a context, row by row.

use std::io::Write;

use serde_json::{Value, json};

use super::args::CommonArgs;
use super::buffer::BufferArgs;
use super::exit::Failure;
use super::output::{print_json, stdout};
use crate::analysis::{Analysis, OutputValue, StreamRow, VertexStream};
use crate::command::Place;
use crate::text::{JsonLine, json_line};

/// Rows that are in memory at a time.
const ROWS_AT_ONCE: u32 = 4096;

/// Writes the streams of the context at a place; with `--id` those of that buffer.
pub(super) fn write_streams(
    args: &BufferArgs,
    analysis: &Analysis,
    place: Place,
    common: &CommonArgs,
) -> Result<(), Failure> {
    let all = analysis.vertex_streams(place)?;
    let is_asked = |stream: &&VertexStream| args.named().is_none_or(|id| stream.buffer == id);
    let streams: Vec<&VertexStream> = all.iter().filter(is_asked).collect();
    if streams.is_empty() {
        return Err(Failure::usage(match args.named() {
            None => "no vertex buffer is bound, and the layout has no attributes".to_owned(),
            Some(id) => format!("buffer {id} is in no vertex stream: {}", bound_in(&all)),
        }));
    }
    let mut out = stdout();
    for stream in streams {
        match common.json {
            true => print_json(&mut out, &JsonLine::of("vertex-stream", stream)?)?,
            false => writeln!(out, "{stream}")?,
        }
        let rows = args.range.map_or(0..stream.row_count, |range| range.rows_of(stream.row_count));
        let mut first = rows.start;
        while first < rows.end {
            let read = analysis.stream_rows(stream, first..rows.end.min(first.saturating_add(ROWS_AT_ONCE)))?;
            let Some(last) = read.last() else { break };
            first = last.row + 1;
            for row in &read {
                match common.json {
                    true => print_json(&mut out, &row_json(stream, row))?,
                    false => writeln!(out, "{}", row_text(stream, row))?,
                }
            }
        }
    }
    Ok(out.flush()?)
}

fn bound_in(streams: &[VertexStream]) -> String {
    let bound: Vec<String> =
        streams.iter().filter(|stream| stream.buffer != 0).map(|stream| stream.buffer.to_string()).collect();
    match bound.as_slice() {
        [] => "no buffer is".to_owned(),
        [one] => format!("buffer {one} is"),
        several => format!("buffers {} are", several.join(", ")),
    }
}

fn row_text(stream: &VertexStream, row: &StreamRow) -> String {
    let mut line = format!("  {}", stream.row_text(row));
    for writer in &row.writers {
        line += &format!("  written {writer}");
    }
    line
}

fn row_json(stream: &VertexStream, row: &StreamRow) -> JsonLine {
    let value = |value: &Option<OutputValue>| json!(value);
    let named =
        stream.attributes.iter().zip(&row.values).map(|(attribute, found)| (attribute.name.clone(), value(found)));
    json_line!("stream-vertex", {
        "slot": stream.slot, "buffer": stream.buffer, "row": row.row, "offset_bytes": row.offset_bytes,
        "instances_per_row": stream.instances_per_row, "values": Value::Object(named.collect()), "writers": row.writers,
    })
}
