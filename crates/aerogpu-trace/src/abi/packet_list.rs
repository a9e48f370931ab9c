//! Packets as they stand, whatever the ABI: for dumps, lists and timelines.

use std::borrow::Cow;

use super::a3a0::shaders::{CreateShaderDxbc, ShaderPacket};
use super::a3a0::work::DebugMarker;
use super::a3a0::{self, Body, Described, Layout, RawPacket, RawPackets, Stream, stage_of};
use super::reference::{self, Opcode, Packet, Packets, decode_packets};
use super::{Abi, AbiError, ListedField, PacketInput};
use crate::command::{Command, ShaderStage};
use crate::limits::MAX_MARKER_BYTES;
use trace_base::bytes::Cursor;

/// What a packet is: enough to decode it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketKind(Dialect);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Reference(Opcode),
    /// Of a stream of ABI version 1.`minor`.
    Stream {
        opcode: u32,
        minor: u16,
    },
}

impl PacketKind {
    /// The opcode's name in its specification; of one that this build does not know `UNKNOWN`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Dialect::Reference(opcode) => opcode.name(),
            Dialect::Stream { opcode, .. } => Layout::name_of(opcode),
        }
    }

    /// The name, and of an opcode that this build does not know its number.
    pub fn described(self) -> Cow<'static, str> {
        match self.0 {
            Dialect::Stream { opcode, .. } if self.is_unknown() => format!("UNKNOWN {opcode:#x}").into(),
            _ => self.name().into(),
        }
    }

    /// Whether the opcode is one that this build does not know, and passes over.
    pub fn is_unknown(self) -> bool {
        matches!(self.0, Dialect::Stream { opcode, .. } if Layout::of(opcode).is_none())
    }
}

/// One packet.
#[derive(Clone, Copy, Debug)]
pub struct ListedPacket<'a> {
    /// Absolute file offset of its first byte.
    pub offset: u64,
    /// What it is.
    pub kind: PacketKind,
    /// All its bytes.
    pub bytes: &'a [u8],
}

/// A packet that makes a shader from Direct3D bytecode.
#[derive(Clone, Copy, Debug)]
pub struct BytecodePacket<'a> {
    /// The guest's name for the shader.
    pub handle: u32,
    /// The stage that it is made for; `None` if the packet names none.
    pub stage: Option<ShaderStage>,
    /// Absolute file offset of the code.
    pub offset: u64,
    /// The code, whatever it is.
    pub code: &'a [u8],
}

impl<'a> ListedPacket<'a> {
    /// Absolute file offset of the byte behind its last.
    pub fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }

    /// Its fields of fixed length, by the names that its specification gives them.
    pub fn fields(&self) -> Vec<ListedField> {
        match self.kind.0 {
            Dialect::Reference(_) => self.reference_packet().map_or_else(|_| Vec::new(), |packet| packet.fields()),
            Dialect::Stream { opcode, minor } => {
                Layout::of(opcode).map_or_else(Vec::new, |layout| self.raw(opcode).list_fields(layout, minor))
            }
        }
    }

    /// Names of those of its fields that hold handles of resources of streams.
    pub fn resource_fields(&self) -> Vec<&'static str> {
        let Dialect::Stream { opcode, .. } = self.kind.0 else { return Vec::new() };
        Layout::of(opcode).map_or_else(Vec::new, |layout| RawPacket::resource_fields(layout).collect())
    }

    /// What it means.
    pub fn command(&self) -> Result<Command, AbiError> {
        match self.kind.0 {
            Dialect::Reference(_) => reference::lower(self.reference_packet()?, self.offset),
            Dialect::Stream { opcode, minor } => a3a0::lower(&self.raw(opcode), minor),
        }
    }

    /// The beginning of its text if it is a marker; what is no text is replaced.
    pub fn marker(&self) -> Option<String> {
        let Dialect::Stream { opcode, .. } = self.kind.0 else { return None };
        // Other packets are not decoded for this.
        let is_marker = opcode == DebugMarker::LAYOUT.opcode;
        let Some(Ok(Command::Marker(text))) = is_marker.then(|| self.command()) else { return None };
        let start = text.offset.checked_sub(self.offset)? as usize;
        let bytes = self.bytes.get(start..)?.get(..text.up_to(MAX_MARKER_BYTES).size_bytes as usize)?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    /// The bytecode that it makes a shader from; nothing if it is of another kind.
    pub fn bytecode(&self) -> Result<Option<BytecodePacket<'a>>, AbiError> {
        let Dialect::Stream { opcode, minor } = self.kind.0 else { return Ok(None) };
        let Body::Shader(ShaderPacket::CreateShaderDxbc(shader)) = self.raw(opcode).decode()?.body else {
            return Ok(None);
        };
        let CreateShaderDxbc { handle, stage, stage_ex, code, .. } = shader;
        let offset = self.offset + u64::from(CreateShaderDxbc::LAYOUT.fixed_bytes());
        Ok(Some(BytecodePacket { handle, stage: stage_of(stage, stage_ex, minor), offset, code: code.bytes }))
    }

    /// The number of its opcode, and what it says behind it; nothing of one of Appendix A.
    pub fn inputs(&self) -> Result<Option<(u32, Vec<PacketInput>)>, AbiError> {
        match self.kind.0 {
            Dialect::Reference(_) => Ok(None),
            Dialect::Stream { opcode, .. } => Ok(Some((opcode, a3a0::inputs_of(&self.raw(opcode))?))),
        }
    }

    fn raw(&self, opcode: u32) -> RawPacket<'a> {
        RawPacket { offset: self.offset, opcode, bytes: self.bytes }
    }

    fn reference_packet(&self) -> Result<Packet, AbiError> {
        let found = self.bytes.len() as u64;
        let cut = AbiError::PartialDword { found, offset: self.offset };
        decode_packets(self.bytes, self.offset).next().unwrap_or(Err(cut)).map(|(_, packet)| packet)
    }
}

/// The packets of a Packet record or stream. After an error that leaves the rest unreadable nothing more comes.
pub struct ListedPackets<'a> {
    bytes: &'a [u8],
    start: u64,
    rest: Rest<'a>,
}

enum Rest<'a> {
    Reference(Packets<'a>),
    Stream(RawPackets<'a>, u16),
    Wrong(Option<AbiError>),
}

/// Lists the packets of a Packet record, whose payload lies at the absolute file offset `offset`.
pub fn list_packets(payload: &[u8], offset: u64) -> ListedPackets<'_> {
    let rest = match Abi::detect(payload) {
        Abi::Reference => Rest::Reference(decode_packets(payload, offset)),
        Abi::A3a0 => return list_stream(payload, offset),
        Abi::Agpc => Rest::Wrong(Some(AbiError::Retired { offset })),
    };
    ListedPackets { bytes: payload, start: offset, rest }
}

/// Lists the packets of a submission's stream, which lies at the absolute file offset `offset`. An empty one has none.
pub fn list_stream(bytes: &[u8], offset: u64) -> ListedPackets<'_> {
    let rest = match Stream::parse(bytes, offset) {
        Ok(stream) => Rest::Stream(stream.packets(), stream.header.minor()),
        Err(_) if bytes.is_empty() => Rest::Wrong(None),
        Err(error) => Rest::Wrong(Some(error.into())),
    };
    ListedPackets { bytes, start: offset, rest }
}

impl ListedPackets<'_> {
    /// Absolute file offset of the first byte that was not given out.
    pub fn offset(&self) -> u64 {
        match &self.rest {
            Rest::Reference(packets) => packets.offset(),
            Rest::Stream(packets, _) => packets.offset(),
            Rest::Wrong(_) => self.start,
        }
    }
}

impl<'a> Iterator for ListedPackets<'a> {
    type Item = Result<ListedPacket<'a>, AbiError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Self { bytes, start, rest } = self;
        match rest {
            Rest::Reference(packets) => Some(packets.next()?.map(|(offset, packet)| {
                let (from, to) = ((offset - *start) as usize, (packets.offset() - *start) as usize);
                let kind = PacketKind(Dialect::Reference(packet.opcode()));
                ListedPacket { offset, kind, bytes: bytes.get(from..to).unwrap_or_default() }
            })),
            Rest::Stream(packets, minor) => {
                let minor = *minor;
                Some(packets.next()?.map_err(AbiError::from).map(|RawPacket { offset, opcode, bytes }| ListedPacket {
                    offset,
                    kind: PacketKind(Dialect::Stream { opcode, minor }),
                    bytes,
                }))
            }
            Rest::Wrong(error) => error.take().map(Err),
        }
    }
}

/// The packet that begins with these bytes of a file, by their first two dwords, as far as the bytes go: a stream counts
/// bytes in the second, at least 8 and a multiple of 4, and Appendix A dwords, none of whose counts is that.
pub fn packet_at(bytes: &[u8], offset: u64) -> Option<ListedPacket<'_>> {
    let mut cursor = Cursor::new(bytes, offset);
    let (opcode, size_bytes) = (cursor.u32_le().ok()?, cursor.u32_le().ok()?);
    if size_bytes >= Layout::HEADER_BYTES && size_bytes.is_multiple_of(4) {
        // All stages of later versions are told by the current one; those of older ones that differ stay numbers.
        let kind = PacketKind(Dialect::Stream { opcode, minor: a3a0::ABI_VERSION as u16 });
        return Some(ListedPacket { offset, kind, bytes: bytes.get(..size_bytes as usize).unwrap_or(bytes) });
    }
    let kind = PacketKind(Dialect::Reference(Opcode::from_number(opcode)?));
    Some(ListedPacket { offset, kind, bytes })
}
