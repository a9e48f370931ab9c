//! Streams and allocation tables in a dump: a line for each header, packet, element and entry.

use serde_json::{Value, json};

use super::{Dump, Field, LISTED_ELEMENTS};
use crate::abi::a3a0::{
    AllocTable, Bools, CodeKind, Diagnostic, Layout, ListedValue, RawPacket, RestPlace, STREAM_HEADER_BYTES, Severity,
    ShaderCode, Shape, Stream, StreamHeader, TABLE_HEADER_BYTES, TableHeader, Text, VertexDeclaration,
};
use crate::cli::exit::{Exit, Failure};

/// Depth of a header in its record, and of packets and entries behind it.
const HEADER_DEPTH: usize = 1;
const PACKET_DEPTH: usize = 2;
const ELEMENT_DEPTH: usize = 3;

impl Dump<'_> {
    /// A stream at the absolute file offset `offset`; `bytes` are all of its blob or record.
    pub(super) fn stream(&mut self, bytes: &[u8], offset: u64) -> Result<(), Failure> {
        let end = offset + bytes.len() as u64;
        let stream = match Stream::parse(bytes, offset) {
            Ok(stream) => stream,
            // The recorder writes an empty one for a descriptor that it cannot make sense of.
            Err(_) if bytes.is_empty() => return Ok(()),
            Err(error) => {
                self.exit = Exit::Unreadable;
                self.writer.error(&error, error.at())?;
                return Ok(self.writer.line("undecoded", "undecoded bytes", offset..end, HEADER_DEPTH, &[])?);
            }
        };
        let packets_start = offset + u64::from(STREAM_HEADER_BYTES);
        let fields = stream_fields(&stream.header);
        self.writer.line("stream", "ACMD stream", offset..packets_start, HEADER_DEPTH, &fields)?;
        let mut packets = stream.packets();
        while let Some(packet) = packets.next() {
            match packet {
                Ok(packet) => self.packet(&packet, stream.header.minor())?,
                Err(error) => {
                    self.exit = Exit::Unreadable;
                    self.writer.error(&error, error.at())?;
                    let left = packets.offset()..packets.offset() + packets.rest().len() as u64;
                    self.writer.line("undecoded", "undecoded bytes", left, PACKET_DEPTH, &[])?;
                }
            }
        }
        let tail = end - stream.tail.len() as u64..end;
        self.line_unless_empty("tail", "bytes behind the stream", tail, HEADER_DEPTH, &[])
    }

    fn packet(&mut self, packet: &RawPacket<'_>, minor: u16) -> Result<(), Failure> {
        let (offset, end) = (packet.offset, packet.offset + u64::from(packet.size_bytes()));
        let layout = match (packet.decode(), Layout::of(packet.opcode)) {
            (Ok(_), Some(layout)) => layout,
            (decoded, _) => {
                if let Err(error) = decoded {
                    self.exit = Exit::Unreadable;
                    self.writer.error(&error, error.at())?;
                }
                let fields = [("opcode", json!(format!("{:#x}", packet.opcode)))];
                let name = Layout::name_of(packet.opcode);
                self.writer.line("undecoded", name, offset..end, PACKET_DEPTH, &fields)?;
                return self.check_unknown(packet, minor);
            }
        };
        let fields: Vec<Field> = packet.list_fields(layout, minor).into_iter().map(json_field).collect();
        let rest = RestPlace::of(packet, layout);
        let known_end = offset + u64::from(packet.known_bytes());
        let fields_end = rest.map_or(known_end, |rest| offset + u64::from(rest.start));
        self.writer.line("packet", layout.name, offset..fields_end, PACKET_DEPTH, &fields)?;
        if let Some(rest) = rest {
            self.rest(packet, layout, rest)?;
        }
        self.line_unless_empty("tail", "bytes behind the packet's fields", known_end..end, ELEMENT_DEPTH, &[])?;
        self.diagnostics_of_line(packet.check(minor))
    }

    /// An opcode of a later ABI version is passed over, and said.
    fn check_unknown(&mut self, packet: &RawPacket<'_>, minor: u16) -> Result<(), Failure> {
        if Layout::of(packet.opcode).is_some() {
            return Ok(());
        }
        self.diagnostics_of_line(packet.check(minor))
    }

    /// What a packet carries behind its fields.
    fn rest(&mut self, packet: &RawPacket<'_>, layout: &Layout, place: RestPlace) -> Result<(), Failure> {
        let Some(rest) = layout.rest else { return Ok(()) };
        let start = packet.offset + u64::from(place.start);
        let range = start..start + u64::from(place.padded_bytes);
        let bytes = place.bytes(packet);
        let fields: Vec<Field> = match rest.shape {
            Shape::Elements { size_bytes, .. } => {
                for (at, fields) in packet.list_elements(layout) {
                    let start = packet.offset + u64::from(at);
                    let fields: Vec<Field> = fields.into_iter().map(json_field).collect();
                    self.writer.line(
                        "element",
                        "element",
                        start..start + u64::from(size_bytes),
                        ELEMENT_DEPTH,
                        &fields,
                    )?;
                }
                return Ok(());
            }
            Shape::Text => text_fields(Text(bytes).trimmed()),
            Shape::Bools => bool_fields(bytes, place),
            Shape::Bytes => {
                let size = [("size_bytes", json!(bytes.len()))];
                let described = match layout.name {
                    "CREATE_SHADER_DXBC" => shader_fields(&ShaderCode::of(bytes, start)),
                    "CREATE_INPUT_LAYOUT" => declaration_fields(&VertexDeclaration::of(bytes, start)),
                    _ => Vec::new(),
                };
                size.into_iter().chain(described).collect()
            }
        };
        self.line_unless_empty("data", rest.name, range, ELEMENT_DEPTH, &fields)
    }

    /// A table at the absolute file offset `offset`; `bytes` are all of its blob.
    pub(super) fn table(&mut self, bytes: &[u8], offset: u64) -> Result<(), Failure> {
        let end = offset + bytes.len() as u64;
        let table = match AllocTable::parse(bytes, offset) {
            Ok(table) => table,
            Err(error) => {
                self.exit = Exit::Unreadable;
                self.writer.error(&error, error.offset)?;
                return Ok(self.writer.line("undecoded", "undecoded bytes", offset..end, HEADER_DEPTH, &[])?);
            }
        };
        let header = offset..offset + u64::from(TABLE_HEADER_BYTES);
        self.writer.line("table", "ALOC table", header, HEADER_DEPTH, &table_fields(&table.header))?;
        let stride = u64::from(table.header.entry_stride);
        for (at, entry, _) in table.entries() {
            let fields: [Field; 5] = [
                ("alloc_id", json!(entry.alloc_id)),
                ("flags", json!(entry.flags)),
                ("gpa", json!(entry.gpa)),
                ("size_bytes", json!(entry.size_bytes)),
                ("reserved", json!(entry.reserved)),
            ];
            self.writer.line("entry", "allocation", at..at + stride, PACKET_DEPTH, &fields)?;
        }
        self.line_unless_empty("tail", "bytes behind the table", offset + table.known_bytes()..end, HEADER_DEPTH, &[])
    }

    fn line_unless_empty(
        &mut self,
        kind: &str,
        name: &str,
        range: std::ops::Range<u64>,
        depth: usize,
        fields: &[Field],
    ) -> Result<(), Failure> {
        if range.is_empty() {
            return Ok(());
        }
        Ok(self.writer.line(kind, name, range, depth, fields)?)
    }

    fn diagnostics_of_line(&mut self, found: impl Iterator<Item = Diagnostic>) -> Result<(), Failure> {
        for diagnostic in found {
            if diagnostic.severity == Severity::Error {
                self.exit = Exit::Unreadable;
            }
            self.writer.diagnostic(&diagnostic)?;
        }
        Ok(())
    }
}

fn json_field((name, value): (&'static str, ListedValue)) -> Field {
    let value = match value {
        ListedValue::Number(value) => json!(value),
        ListedValue::Signed(value) => json!(value),
        ListedValue::Numbers(values) => json!(values),
        // JSON has no NaN or infinity; a text says which it was.
        ListedValue::Float(value) if value.is_finite() => shortest(value),
        ListedValue::Hex(_) | ListedValue::Float(_) | ListedValue::Named(_) => json!(value.to_string()),
    };
    (name, value)
}

/// The number with the fewest digits that is this float again; as a double it would have more.
fn shortest(value: f32) -> Value {
    value.to_string().parse::<f64>().map_or(Value::Null, |value| json!(value))
}

fn stream_fields(header: &StreamHeader) -> Vec<Field> {
    let version = format!("{}.{}", header.abi_version >> 16, header.minor());
    vec![
        ("abi_version", json!(version)),
        ("size_bytes", json!(header.size_bytes)),
        ("flags", json!(header.flags)),
        ("reserved", json!(header.reserved)),
    ]
}

fn table_fields(header: &TableHeader) -> Vec<Field> {
    let version = format!("{}.{}", header.abi_version >> 16, header.abi_version & 0xffff);
    vec![
        ("abi_version", json!(version)),
        ("size_bytes", json!(header.size_bytes)),
        ("entry_count", json!(header.entry_count)),
        ("entry_stride", json!(header.entry_stride)),
        ("reserved", json!(header.reserved)),
    ]
}

/// Bytes of a marker's text that are shown.
const SHOWN_TEXT_BYTES: usize = 64 << 10;

fn text_fields(text: &[u8]) -> Vec<Field> {
    let shown = text.get(..SHOWN_TEXT_BYTES).unwrap_or(text);
    let mut fields = vec![("text", json!(String::from_utf8_lossy(shown)))];
    if shown.len() < text.len() {
        fields.push(("text_bytes", json!(text.len())));
    }
    fields
}

fn bool_fields(bytes: &[u8], place: RestPlace) -> Vec<Field> {
    let Some(bools) = place.form.and_then(|form| Bools::new(form, bytes)) else { return Vec::new() };
    let mut fields = vec![("bytes_each", json!(bools.form.size_bytes()))];
    if place.count <= LISTED_ELEMENTS as u64 {
        fields.push(("flags", bools.iter().map(u8::from).collect()));
    }
    fields
}

fn shader_fields(code: &ShaderCode) -> Vec<Field> {
    let mut fields =
        vec![("kind", json!(code.kind.name())), ("model", json!(code.model.map(|model| model.to_string())))];
    if code.kind == CodeKind::Dxbc {
        let chunk = |chunk: &crate::abi::a3a0::Chunk| {
            json!({
                "code": chunk.code.escape_ascii().to_string(), "offset": chunk.data_offset, "size_bytes": chunk.size_bytes
            })
        };
        fields.push(("chunks", code.chunks.iter().map(chunk).collect()));
    }
    fields
}

fn declaration_fields(declaration: &VertexDeclaration<'_>) -> Vec<Field> {
    let (layout, elements): (_, Vec<Value>) = match declaration {
        VertexDeclaration::Ilay(ilay) => {
            let element = |element: crate::abi::a3a0::IlayElement| {
                json!({
                    "semantic_hash": format!("{:#010x}", element.semantic_hash), "semantic_index": element.semantic_index,
                    "format": element.format, "slot": element.slot, "offset": element.offset,
                    "class": element.class, "step": element.step,
                })
            };
            ("ilay", ilay.elements().map(element).collect())
        }
        VertexDeclaration::D3d9(declaration) => {
            let element = |element: crate::abi::a3a0::D3d9Element| {
                json!({
                    "stream": element.stream, "offset": element.offset, "type": element.r#type,
                    "method": element.method, "usage": element.usage, "usage_index": element.usage_index,
                })
            };
            let count = declaration.elements().count();
            if count > LISTED_ELEMENTS {
                return vec![("layout", json!("d3d9")), ("element_count", json!(count))];
            }
            ("d3d9", declaration.elements().map(element).collect())
        }
        VertexDeclaration::Unknown => return vec![("layout", json!("unknown"))],
    };
    vec![("layout", json!(layout)), ("elements", json!(elements))]
}
