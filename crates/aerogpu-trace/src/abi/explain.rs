//! Every byte of a Packet record, a stream or an allocation table, with its meaning: a part for each header, packet,
//! element and entry.

use std::ops::Range;

use serde_json::{Value as Json, json};

use super::a3a0::{
    AllocTable, Bools, CodeKind, Diagnostic, Layout, RawPacket, RestPlace, STREAM_HEADER_BYTES, ShaderCode, Shape,
    Stream, StreamHeader, TABLE_HEADER_BYTES, TableHeader, Text, VertexDeclaration,
};
use super::reference::decode_packets;
use super::{Abi, FieldValue, LISTED_ELEMENTS, ListedField};
use trace_base::error::{Classified, ErrorKind};
use trace_base::listing::Value;

/// Depth of a header in its record, and of packets and entries behind it.
const HEADER_DEPTH: usize = 1;
const PACKET_DEPTH: usize = 2;
const ELEMENT_DEPTH: usize = 3;

/// A named value of a part.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedField {
    /// Its name in the specification.
    pub name: &'static str,
    /// The value. Bits are a text of hexadecimal digits.
    pub value: Json,
    /// The number of a value that is shown by its name.
    pub number: Option<u64>,
}

impl From<(&'static str, Json)> for ExplainedField {
    fn from((name, value): (&'static str, Json)) -> Self {
        Self { name, value, number: None }
    }
}

impl From<ListedField> for ExplainedField {
    fn from((name, value): ListedField) -> Self {
        let number = match value {
            FieldValue::Named { number, .. } => Some(number),
            _ => None,
        };
        let value = if matches!(value, FieldValue::Hex(_)) { json!(value.to_string()) } else { json!(value) };
        Self { name, value, number }
    }
}

impl ExplainedField {
    /// As filters see it.
    pub fn listed(&self) -> Value {
        match (&self.value, self.number) {
            (Json::String(name), Some(number)) => Value::Named { name: name.as_str().into(), number },
            (value, _) => Value::from(value),
        }
    }
}

/// Who is told what bytes mean.
pub trait ByteReader {
    /// What can go wrong on the way.
    type Error;

    /// A part: bytes that no other part has. `kind` is one of `stream`, `packet`, `element`, `data`, `tail`, `table`,
    /// `entry`, `undecoded`; `depth` says how deep in its record it lies.
    fn part(
        &mut self,
        kind: &'static str,
        name: &str,
        range: Range<u64>,
        depth: usize,
        fields: &[ExplainedField],
    ) -> Result<(), Self::Error>;

    /// Bytes that break the format, near `offset`.
    fn broken(&mut self, error: &dyn Classified, kind: ErrorKind, offset: u64) -> Result<(), Self::Error>;

    /// Something odd or wrong in the packet before.
    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> Result<(), Self::Error>;
}

/// The name of the ABI of a Packet record, if it is another one than Appendix A.
pub fn foreign_name(payload: &[u8]) -> Option<&'static str> {
    match Abi::detect(payload) {
        Abi::Reference => None,
        Abi::A3a0 => Some("A3A0 (ACMD stream)"),
        Abi::Agpc => Some("A0E0 (AGPC packet)"),
    }
}

/// Whether the ABI of a Packet record is one that is read.
pub fn can_be_explained(payload: &[u8]) -> bool {
    Abi::detect(payload) != Abi::Agpc
}

/// Explains the payload of a Packet record, which lies at the absolute file offset `offset`; of an ABI that is not read,
/// nothing.
pub fn explain_packets<R: ByteReader>(payload: &[u8], offset: u64, reader: &mut R) -> Result<(), R::Error> {
    match Abi::detect(payload) {
        Abi::Reference => explain_reference(payload, offset, reader),
        Abi::A3a0 => explain_stream(payload, offset, reader),
        Abi::Agpc => Ok(()),
    }
}

/// Explains a stream at the absolute file offset `offset`; `bytes` are all of its blob or record.
pub fn explain_stream<R: ByteReader>(bytes: &[u8], offset: u64, reader: &mut R) -> Result<(), R::Error> {
    Explainer { reader }.stream(bytes, offset)
}

/// Explains a table at the absolute file offset `offset`; `bytes` are all of its blob.
pub fn explain_table<R: ByteReader>(bytes: &[u8], offset: u64, reader: &mut R) -> Result<(), R::Error> {
    Explainer { reader }.table(bytes, offset)
}

fn explain_reference<R: ByteReader>(payload: &[u8], start: u64, reader: &mut R) -> Result<(), R::Error> {
    let end = start + payload.len() as u64;
    let mut packets = decode_packets(payload, start);
    loop {
        let at = packets.offset();
        let Some(packet) = packets.next() else { return Ok(()) };
        match packet {
            Ok((offset, packet)) => {
                let fields: Vec<ExplainedField> = packet.fields().into_iter().map(Into::into).collect();
                reader.part("packet", packet.opcode().name(), offset..packets.offset(), HEADER_DEPTH, &fields)?;
            }
            Err(error) => {
                // Of one whose length is sound, the next begins behind it.
                let end = if packets.offset() > at { packets.offset() } else { end };
                reader.part("undecoded", "undecoded bytes", at..end, HEADER_DEPTH, &[])?;
                reader.broken(&error, error.kind(), end)?;
            }
        }
    }
}

/// A value that is shown as it is.
type NamedJson = (&'static str, Json);

fn explained(fields: Vec<NamedJson>) -> Vec<ExplainedField> {
    fields.into_iter().map(Into::into).collect()
}

struct Explainer<'r, R> {
    reader: &'r mut R,
}

impl<R: ByteReader> Explainer<'_, R> {
    /// A stream at the absolute file offset `offset`; `bytes` are all of its blob or record.
    fn stream(&mut self, bytes: &[u8], offset: u64) -> Result<(), R::Error> {
        let end = offset + bytes.len() as u64;
        let stream = match Stream::parse(bytes, offset) {
            Ok(stream) => stream,
            // The recorder writes an empty one for a descriptor that it cannot make sense of.
            Err(_) if bytes.is_empty() => return Ok(()),
            Err(error) => {
                self.reader.broken(&error, ErrorKind::Malformed, error.at())?;
                return self.reader.part("undecoded", "undecoded bytes", offset..end, HEADER_DEPTH, &[]);
            }
        };
        let packets_start = offset + u64::from(STREAM_HEADER_BYTES);
        let fields = explained(stream_fields(&stream.header));
        self.reader.part("stream", "ACMD stream", offset..packets_start, HEADER_DEPTH, &fields)?;
        let mut packets = stream.packets();
        while let Some(packet) = packets.next() {
            match packet {
                Ok(packet) => self.packet(&packet, stream.header.minor())?,
                Err(error) => {
                    self.reader.broken(&error, ErrorKind::Malformed, error.at())?;
                    let left = packets.offset()..packets.offset() + packets.rest().len() as u64;
                    self.reader.part("undecoded", "undecoded bytes", left, PACKET_DEPTH, &[])?;
                }
            }
        }
        let tail = end - stream.tail.len() as u64..end;
        self.line_unless_empty("tail", "bytes after the stream", tail, HEADER_DEPTH, &[])
    }

    fn packet(&mut self, packet: &RawPacket<'_>, minor: u16) -> Result<(), R::Error> {
        let (offset, end) = (packet.offset, packet.offset + u64::from(packet.size_bytes()));
        let layout = match (packet.decode(), Layout::of(packet.opcode)) {
            (Ok(_), Some(layout)) => layout,
            (decoded, _) => {
                if let Err(error) = decoded {
                    self.reader.broken(&error, ErrorKind::Malformed, error.at())?;
                }
                let fields = [("opcode", json!(format!("{:#x}", packet.opcode))).into()];
                let name = Layout::name_of(packet.opcode);
                self.reader.part("undecoded", name, offset..end, PACKET_DEPTH, &fields)?;
                return self.check_unknown(packet, minor);
            }
        };
        let fields: Vec<ExplainedField> = packet.list_fields(layout, minor).into_iter().map(Into::into).collect();
        let rest = RestPlace::of(packet, layout);
        let known_end = offset + u64::from(packet.known_bytes());
        let fields_end = rest.map_or(known_end, |rest| offset + u64::from(rest.start));
        self.reader.part("packet", layout.name, offset..fields_end, PACKET_DEPTH, &fields)?;
        if let Some(rest) = rest {
            self.rest(packet, layout, rest)?;
        }
        self.line_unless_empty("tail", "bytes after the packet's fields", known_end..end, ELEMENT_DEPTH, &[])?;
        self.diagnostics_of_line(packet.check(minor))
    }

    /// An opcode of a later ABI version is passed over, and said.
    fn check_unknown(&mut self, packet: &RawPacket<'_>, minor: u16) -> Result<(), R::Error> {
        if Layout::of(packet.opcode).is_some() {
            return Ok(());
        }
        self.diagnostics_of_line(packet.check(minor))
    }

    /// What a packet carries behind its fields.
    fn rest(&mut self, packet: &RawPacket<'_>, layout: &Layout, place: RestPlace) -> Result<(), R::Error> {
        let Some(rest) = layout.rest else { return Ok(()) };
        let start = packet.offset + u64::from(place.start);
        let range = start..start + u64::from(place.padded_bytes);
        let bytes = place.bytes(packet);
        let fields: Vec<ExplainedField> = match rest.shape {
            Shape::Elements { size_bytes, .. } => {
                for (at, fields) in packet.list_elements(layout) {
                    let start = packet.offset + u64::from(at);
                    let fields: Vec<ExplainedField> = fields.into_iter().map(Into::into).collect();
                    self.reader.part(
                        "element",
                        "element",
                        start..start + u64::from(size_bytes),
                        ELEMENT_DEPTH,
                        &fields,
                    )?;
                }
                return Ok(());
            }
            Shape::Text => explained(text_fields(Text(bytes).trimmed())),
            Shape::Bools => explained(bool_fields(bytes, place)),
            Shape::Bytes => {
                let mut fields = vec![("size_bytes", json!(bytes.len()))];
                fields.extend(match layout.name {
                    "CREATE_SHADER_DXBC" => shader_fields(&ShaderCode::of(bytes, start)),
                    "CREATE_INPUT_LAYOUT" => declaration_fields(&VertexDeclaration::of(bytes, start)),
                    _ => Vec::new(),
                });
                explained(fields)
            }
        };
        self.line_unless_empty("data", rest.name, range, ELEMENT_DEPTH, &fields)
    }

    /// A table at the absolute file offset `offset`; `bytes` are all of its blob.
    fn table(&mut self, bytes: &[u8], offset: u64) -> Result<(), R::Error> {
        let end = offset + bytes.len() as u64;
        let table = match AllocTable::parse(bytes, offset) {
            Ok(table) => table,
            Err(error) => {
                self.reader.broken(&error, ErrorKind::Malformed, error.offset)?;
                return self.reader.part("undecoded", "undecoded bytes", offset..end, HEADER_DEPTH, &[]);
            }
        };
        let header = offset..offset + u64::from(TABLE_HEADER_BYTES);
        self.reader.part("table", "ALOC table", header, HEADER_DEPTH, &explained(table_fields(&table.header)))?;
        let stride = u64::from(table.header.entry_stride);
        for (at, entry, _) in table.entries() {
            let fields = [
                ("alloc_id", json!(entry.alloc_id)),
                ("flags", json!(entry.flags)),
                ("gpa", json!(entry.gpa)),
                ("size_bytes", json!(entry.size_bytes)),
                ("reserved", json!(entry.reserved)),
            ]
            .map(ExplainedField::from);
            self.reader.part("entry", "allocation", at..at + stride, PACKET_DEPTH, &fields)?;
        }
        self.line_unless_empty("tail", "bytes after the table", offset + table.known_bytes()..end, HEADER_DEPTH, &[])
    }

    fn line_unless_empty(
        &mut self,
        kind: &'static str,
        name: &str,
        range: Range<u64>,
        depth: usize,
        fields: &[ExplainedField],
    ) -> Result<(), R::Error> {
        if range.is_empty() {
            return Ok(());
        }
        self.reader.part(kind, name, range, depth, fields)
    }

    fn diagnostics_of_line(&mut self, found: impl Iterator<Item = Diagnostic>) -> Result<(), R::Error> {
        for diagnostic in found {
            self.reader.diagnostic(&diagnostic)?;
        }
        Ok(())
    }
}

fn stream_fields(header: &StreamHeader) -> Vec<NamedJson> {
    let version = format!("{}.{}", header.abi_version >> 16, header.minor());
    vec![
        ("abi_version", json!(version)),
        ("size_bytes", json!(header.size_bytes)),
        ("flags", json!(header.flags)),
        ("reserved", json!(header.reserved)),
    ]
}

fn table_fields(header: &TableHeader) -> Vec<NamedJson> {
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

fn text_fields(text: &[u8]) -> Vec<NamedJson> {
    let shown = text.get(..SHOWN_TEXT_BYTES).unwrap_or(text);
    let mut fields = vec![("text", json!(String::from_utf8_lossy(shown)))];
    if shown.len() < text.len() {
        fields.push(("text_bytes", json!(text.len())));
    }
    fields
}

fn bool_fields(bytes: &[u8], place: RestPlace) -> Vec<NamedJson> {
    let Some(bools) = place.form.and_then(|form| Bools::new(form, bytes)) else { return Vec::new() };
    let mut fields = vec![("bytes_each", json!(bools.form.size_bytes()))];
    if place.count <= LISTED_ELEMENTS as u64 {
        fields.push(("flags", bools.iter().map(u8::from).collect()));
    }
    fields
}

fn shader_fields(code: &ShaderCode) -> Vec<NamedJson> {
    let mut fields =
        vec![("kind", json!(code.kind.name())), ("model", json!(code.model.map(|model| model.to_string())))];
    if code.kind == CodeKind::Dxbc {
        let chunk = |chunk: &super::a3a0::Chunk| {
            json!({
                "code": chunk.code.escape_ascii().to_string(), "offset": chunk.data_offset, "size_bytes": chunk.size_bytes
            })
        };
        fields.push(("chunks", code.chunks.iter().map(chunk).collect()));
    }
    fields
}

fn declaration_fields(declaration: &VertexDeclaration<'_>) -> Vec<NamedJson> {
    let (layout, elements): (_, Vec<Json>) = match declaration {
        VertexDeclaration::Ilay(ilay) => {
            let element = |element: super::a3a0::IlayElement| {
                json!({
                    "semantic_hash": format!("{:#010x}", element.semantic_hash), "semantic_index": element.semantic_index,
                    "format": element.format, "slot": element.slot, "offset": element.offset,
                    "class": element.class, "step": element.step,
                })
            };
            ("ilay", ilay.elements().map(element).collect())
        }
        VertexDeclaration::D3d9(declaration) => {
            let element = |element: super::a3a0::D3d9Element| {
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
