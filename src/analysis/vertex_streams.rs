//! Vertices of submissions: the buffers in the slots of a context, read as the layout in force says.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use super::attribute_value::format_name;
use super::{Analysis, AnalysisError, OutputValue, PartOrigin, ResourceAt};
use crate::command::{Location, Place, Semantic, ShaderStage, VertexAttribute, VertexStep};
use crate::limits::MAX_ANSWERED_BYTES;
use crate::replay::{CommandNumber, Context, VertexValue, semantic_hash};
use crate::shader::d3d::Usage;
use crate::text::{Harmless, counted};

/// Semantics whose names are known without a shader that has them.
const SEMANTICS: [&str; 12] = [
    "POSITION",
    "NORMAL",
    "TEXCOORD",
    "COLOR",
    "TANGENT",
    "BINORMAL",
    "BLENDWEIGHT",
    "BLENDINDICES",
    "PSIZE",
    "SV_POSITION",
    "POSITIONT",
    "INSTANCE",
];

/// A slot with a vertex buffer, and what draws read of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VertexStream {
    /// The slot.
    pub slot: u32,
    /// The handle of the buffer, 0 for none.
    pub buffer: u32,
    /// Name that a marker gives the buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Bytes of the buffer.
    pub buffer_bytes: u64,
    /// Where the first row starts in the buffer.
    pub offset_bytes: u32,
    /// Distance from one row to the next.
    pub stride_bytes: u32,
    /// After how many instances the next row is read; nothing of rows that go with vertices.
    pub instances_per_row: Option<u32>,
    /// The attributes of a row.
    pub attributes: Vec<StreamAttribute>,
    /// Whole rows that the buffer has; with a stride of 0, at most one.
    pub row_count: u32,
    #[serde(skip)]
    content: Option<ResourceAt>,
}

/// An attribute of the rows of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamAttribute {
    /// Its semantic, with the number behind it.
    pub name: String,
    /// Its format, as Direct3D names it.
    pub format: String,
    /// Where it starts in its row.
    pub offset_bytes: u32,
    #[serde(skip)]
    value: VertexValue,
    #[serde(skip)]
    size_bytes: u32,
}

/// A row of a stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamRow {
    /// Its number: that of a vertex, or of a run of instances.
    pub row: u32,
    /// Where it starts in the buffer.
    pub offset_bytes: u64,
    /// Its values in the order of the attributes; nothing where a GPU has written them, or the format is unknown.
    pub values: Vec<Option<OutputValue>>,
    /// The commands that wrote any of it.
    pub writers: Vec<Location>,
}

impl Analysis {
    /// The vertex streams of the context that the last command before `place` is of, by slot; those of one slot that go with
    /// vertices come before those that go with instances.
    pub fn vertex_streams(&self, place: Place) -> Result<Vec<VertexStream>, AnalysisError> {
        let resolved = self.resolve_any(place)?;
        let found = self.context_at(resolved, None)?;
        let context = found.context()?;
        let attributes = match context.vertex_attributes() {
            None => return Err(AnalysisError::NothingBound { what: "vertex layout" }),
            Some(attributes) => attributes.map_err(|why| AnalysisError::NoSuchResource {
                what: format!("the vertex layout cannot be used: {why}"),
            })?,
        };
        let mut kinds: Vec<(u32, Option<u32>)> =
            attributes.iter().map(|found| (found.slot, instances(found))).collect();
        let bound = (0..).zip(&context.vertex_buffers).filter(|(_, held)| held.slot.handle != 0);
        let unread =
            bound.map(|(slot, _)| (slot, None)).filter(|(slot, _)| !attributes.iter().any(|a| a.slot == *slot));
        kinds.extend(unread.collect::<Vec<_>>());
        kinds.sort_unstable();
        kinds.dedup();
        let streams = kinds.into_iter().map(|(slot, instances_per_row)| {
            let held = context.vertex_buffer(slot);
            let name = found.label(held.slot.handle, held.slot.named);
            let content = found.buffer(held.slot.named).map(|(key, size_bytes)| {
                let created_at = key.creation().map(|number| self.location(CommandNumber(number)));
                ResourceAt::of_buffer((held.slot.handle, key), name, size_bytes, created_at, resolved.end)
            });
            let own = attributes.iter().filter(|found| found.slot == slot && instances(found) == instances_per_row);
            let attributes: Vec<_> = own.map(|attribute| StreamAttribute::of(attribute, context)).collect();
            let mut stream = VertexStream {
                slot,
                buffer: held.slot.handle,
                name: name.map(str::to_owned),
                buffer_bytes: content.as_ref().map_or(0, ResourceAt::size_bytes),
                offset_bytes: held.offset_bytes,
                stride_bytes: held.size_bytes,
                instances_per_row,
                attributes,
                row_count: 0,
                content,
            };
            stream.row_count = stream.whole_rows();
            stream
        });
        Ok(streams.collect())
    }

    /// Rows of a stream, as many of them as one question may ask for.
    pub fn stream_rows(&self, stream: &VertexStream, rows: Range<u32>) -> Result<Vec<StreamRow>, AnalysisError> {
        let (Some(content), false) = (&stream.content, rows.is_empty()) else { return Ok(Vec::new()) };
        let at_once =
            (MAX_ANSWERED_BYTES.saturating_sub(stream.reach()) / u64::from(stream.stride_bytes.max(1))).max(1);
        let end =
            rows.end.min(stream.row_count).min(rows.start.saturating_add(u32::try_from(at_once).unwrap_or(u32::MAX)));
        let Some(last) = end.checked_sub(1).filter(|last| *last >= rows.start) else { return Ok(Vec::new()) };
        let bytes = stream.offset_of(rows.start)..stream.offset_of(last) + stream.reach();
        let mut known = Vec::new();
        for stretch in self.contents(content, bytes)?.ranges {
            let read = self.read_stretch(&stretch)?;
            known.push((stretch, read));
        }
        let row = |row: u32| {
            let start = stream.offset_of(row);
            let of_row = start..start + stream.reach();
            let first = known.partition_point(|(stretch, _)| stretch.end <= of_row.start);
            let touched = known.iter().skip(first).take_while(|(stretch, _)| stretch.start < of_row.end);
            let (mut bytes, mut unknown, mut writers) = (vec![0; stream.reach() as usize], Vec::new(), Vec::new());
            for (stretch, read) in touched {
                let part = stretch.start.max(start)..stretch.end.min(of_row.end);
                let own = (part.start - start) as usize..(part.end - start) as usize;
                let from = (part.start - stretch.start) as usize..(part.end - stretch.start) as usize;
                match (bytes.get_mut(own.clone()), read.as_ref().and_then(|read| read.get(from))) {
                    (Some(into), Some(from)) => into.copy_from_slice(from),
                    _ => unknown.push(own),
                }
                let writer = stretch.written_by.or(match stretch.origin {
                    PartOrigin::Zeros => None,
                    PartOrigin::File { at, .. } | PartOrigin::Cleared { at } | PartOrigin::Drawn { at } => Some(at),
                });
                writers.extend(writer.filter(|writer| !writers.contains(writer)));
            }
            let value = |attribute: &StreamAttribute| {
                let own = attribute.offset_bytes as usize..(attribute.offset_bytes + attribute.size_bytes) as usize;
                let is_unknown = unknown.iter().any(|part| part.start < own.end && own.start < part.end);
                OutputValue::read(attribute.value, bytes.get(own)?).filter(|_| !is_unknown)
            };
            StreamRow { row, offset_bytes: start, values: stream.attributes.iter().map(value).collect(), writers }
        };
        Ok((rows.start..end).map(row).collect())
    }
}

impl VertexStream {
    /// A row in words: its number, its place and its values.
    pub fn row_text(&self, row: &StreamRow) -> String {
        let kind = if self.instances_per_row.is_some() { "instance row" } else { "vertex" };
        let mut text = format!("{kind} {} at {:#x}", row.row, row.offset_bytes);
        for (attribute, value) in self.attributes.iter().zip(&row.values) {
            let value = value.as_ref().map_or_else(|| "unknown without a GPU".to_owned(), ToString::to_string);
            text += &format!("  {} {value}", attribute.name);
        }
        text
    }

    /// Where a row starts in the buffer.
    fn offset_of(&self, row: u32) -> u64 {
        u64::from(self.offset_bytes) + u64::from(row) * u64::from(self.stride_bytes)
    }

    /// Bytes from a row's start to the end of its last attribute.
    fn reach(&self) -> u64 {
        let ends = self.attributes.iter().map(|found| u64::from(found.offset_bytes) + u64::from(found.size_bytes));
        ends.max().unwrap_or(0)
    }

    fn whole_rows(&self) -> u32 {
        let room = self.buffer_bytes.checked_sub(u64::from(self.offset_bytes) + self.reach());
        match (room, self.stride_bytes) {
            (None, _) => 0,
            _ if self.reach() == 0 || self.content.is_none() => 0,
            (Some(_), 0) => 1,
            (Some(room), stride) => u32::try_from(room / u64::from(stride) + 1).unwrap_or(u32::MAX),
        }
    }
}

impl fmt::Display for VertexStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { slot, buffer, buffer_bytes, offset_bytes, stride_bytes, .. } = self;
        match buffer {
            0 => write!(f, "stream {slot}: no buffer")?,
            _ => {
                write!(f, "stream {slot}: buffer {buffer}")?;
                if let Some(name) = &self.name {
                    write!(f, " \"{}\"", Harmless(name))?;
                }
                let size = counted(*buffer_bytes, "byte");
                write!(f, " of {size}, stride {stride_bytes}, from {offset_bytes:#x}")?;
            }
        }
        if let Some(count) = self.instances_per_row {
            write!(f, ", a row for {}", counted(count as usize, "instance"))?;
        }
        let attributes =
            self.attributes.iter().map(|found| format!("{} {} at {}", found.name, found.format, found.offset_bytes));
        let attributes: Vec<String> = attributes.collect();
        match attributes.as_slice() {
            [] => f.write_str(": no attribute of the layout"),
            attributes => write!(f, ": {}", attributes.join(", ")),
        }
    }
}

impl StreamAttribute {
    fn of(attribute: &VertexAttribute, context: &Context) -> Self {
        let VertexAttribute { semantic, offset_bytes, size_bytes, format, .. } = *attribute;
        let value = match semantic {
            Semantic::Hashed { .. } => VertexValue::Dxgi(format),
            Semantic::Usage { .. } => VertexValue::D3d9(format),
        };
        Self { name: semantic_name(semantic, context), format: format_name(value), offset_bytes, value, size_bytes }
    }
}

fn instances(attribute: &VertexAttribute) -> Option<u32> {
    match attribute.step {
        VertexStep::Vertex => None,
        VertexStep::Instances(count) => Some(count),
    }
}

/// The name of a semantic: of Direct3D 10 and 11 as the vertex shader has it, or a well-known one, or its hash.
fn semantic_name(semantic: Semantic, context: &Context) -> String {
    match semantic {
        Semantic::Usage { usage, index } => {
            let known = Usage::from_number(usage.into()).map(|usage| usage.name().to_uppercase());
            format!("{}{index}", known.unwrap_or_else(|| format!("usage {usage}, ")))
        }
        Semantic::Hashed { hash, index } => {
            let shader = context.shader(ShaderStage::Vertex).object.as_ref();
            let program = shader.and_then(|shader| shader.program.as_ref().ok());
            let own = program.into_iter().flat_map(|slots| &slots.decoded.signatures().input);
            let own = own.map(|element| &*element.name).chain(SEMANTICS).find(|name| semantic_hash(name) == hash);
            own.map_or_else(
                || format!("semantic {hash:#010x}, {index}"),
                |name| format!("{}{index}", name.to_uppercase()),
            )
        }
    }
}
