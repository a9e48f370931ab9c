//! Packets: one to one with the wire.

use super::bindings::BindingPacket;
use super::error::{EncodeError, Lack, StreamError};
use super::layout::Layout;
use super::resources::ResourcePacket;
use super::shaders::ShaderPacket;
use super::sharing::SharingPacket;
use super::state::StatePacket;
use super::table::Described;
use super::work::WorkPacket;
use trace_base::bytes::Cursor;

/// One packet, with what lies behind its known layout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packet<'a> {
    /// What it says.
    pub body: Body<'a>,
    /// Bytes behind the layout that this build knows, of a later ABI version, say. Normally none.
    pub tail: &'a [u8],
}

/// What a packet says, by family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body<'a> {
    /// Buffers and textures.
    Resource(ResourcePacket<'a>),
    /// Shaders, constants, vertex layouts.
    Shader(ShaderPacket<'a>),
    /// Fixed state and targets.
    State(StatePacket),
    /// What is bound to slots.
    Binding(BindingPacket<'a>),
    /// Clears, draws, dispatches, presents, markers.
    Work(WorkPacket<'a>),
    /// Surfaces of several processes.
    Sharing(SharingPacket),
    /// An opcode that this build does not know.
    Unknown {
        /// The first dword.
        opcode: u32,
        /// What follows opcode and size.
        bytes: &'a [u8],
    },
}

/// A packet whose bounds are known and whose fields are not.
#[derive(Clone, Copy, Debug)]
pub struct RawPacket<'a> {
    /// Absolute file offset of its first byte.
    pub offset: u64,
    /// The first dword.
    pub opcode: u32,
    /// All its bytes, opcode and size included.
    pub bytes: &'a [u8],
}

/// The families of packets, as [`Body`] has them.
#[derive(Clone, Copy)]
enum Family {
    Resource,
    Shader,
    State,
    Binding,
    Work,
    Sharing,
}

/// The packets' tables, a family each.
const TABLES: [(Family, &[Layout]); 6] = [
    (Family::Resource, ResourcePacket::LAYOUTS),
    (Family::Shader, ShaderPacket::LAYOUTS),
    (Family::State, StatePacket::LAYOUTS),
    (Family::Binding, BindingPacket::LAYOUTS),
    (Family::Work, WorkPacket::LAYOUTS),
    (Family::Sharing, SharingPacket::LAYOUTS),
];

/// One more than the largest opcode.
const OPCODES_END: usize = 0x721;

/// The family of every opcode, with its row in that table: the tables turned round, so that a packet's decoder is found
/// in two jumps.
static BY_OPCODE: [Option<(Family, &Layout)>; OPCODES_END] = {
    let mut by_opcode = [None; OPCODES_END];
    let mut table = 0;
    #[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
    while table < TABLES.len() {
        let (family, layouts) = TABLES[table];
        let mut row = 0;
        while row < layouts.len() {
            by_opcode[layouts[row].opcode as usize] = Some((family, &layouts[row]));
            row += 1;
        }
        table += 1;
    }
    by_opcode
};

#[inline]
fn by_opcode(opcode: u32) -> Option<(Family, &'static Layout)> {
    *BY_OPCODE.get(opcode as usize)?
}

impl Layout {
    /// What the tables say of an opcode, if they know it.
    pub fn of(opcode: u32) -> Option<&'static Layout> {
        by_opcode(opcode).map(|(_, layout)| layout)
    }

    /// Every kind of packet, by families.
    pub fn all() -> impl Iterator<Item = &'static Layout> {
        TABLES.iter().flat_map(|(_, layouts)| layouts.iter())
    }

    /// The opcode's name, `UNKNOWN` if there is none.
    pub fn name_of(opcode: u32) -> &'static str {
        Self::of(opcode).map_or("UNKNOWN", |layout| layout.name)
    }
}

impl<'a> RawPacket<'a> {
    /// Length in bytes, as the packet says it.
    pub fn size_bytes(&self) -> u32 {
        // A size is what told how many bytes it has.
        self.bytes.len() as u32
    }

    /// What follows opcode and size.
    pub fn body(&self) -> &'a [u8] {
        self.bytes.get(Layout::HEADER_BYTES as usize..).unwrap_or_default()
    }

    /// The number of up to eight bytes at a place in the packet; those past its end count as 0.
    pub fn number_at(&self, at: u32, size_bytes: u32) -> u64 {
        let bytes = self.bytes.get(at as usize..).unwrap_or_default();
        bytes.iter().take(size_bytes.min(8) as usize).rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// Decodes the fields.
    #[inline]
    pub fn decode(&self) -> Result<Packet<'a>, StreamError> {
        match by_opcode(self.opcode) {
            Some((Family::Resource, _)) => ResourcePacket::decode(self),
            Some((Family::Shader, _)) => ShaderPacket::decode(self),
            Some((Family::State, _)) => StatePacket::decode(self),
            Some((Family::Binding, _)) => BindingPacket::decode(self),
            Some((Family::Work, _)) => WorkPacket::decode(self),
            Some((Family::Sharing, _)) => SharingPacket::decode(self),
            None => Ok(self.unknown()),
        }
    }

    /// Decodes the fields of a packet that has the opcode of `D`. What lies behind the known layout is left.
    #[inline(always)]
    pub(super) fn decode_as<D: Described<'a>>(&self) -> Result<D, StreamError> {
        D::parse(self.bytes).map(|(packet, _)| packet).map_err(|lack| self.what_is_wrong(lack))
    }

    /// A packet whose opcode no table has.
    pub(super) fn unknown(&self) -> Packet<'a> {
        Packet::new(Body::Unknown { opcode: self.opcode, bytes: self.body() })
    }

    #[cold]
    pub(super) fn what_is_wrong(&self, lack: Lack) -> StreamError {
        let packet = Layout::name_of(self.opcode);
        match lack {
            Lack::Short { expected } => {
                StreamError::PacketShort { packet, found: self.size_bytes(), expected, offset: self.offset + 4 }
            }
            Lack::Overrun { field, found, left } => {
                let at = Layout::of(self.opcode).and_then(|layout| layout.field(field)).map_or(0, |(at, _)| at);
                StreamError::ArrayOverrun { packet, field, found, left, offset: self.offset + u64::from(at) }
            }
        }
    }
}

impl<'a> Packet<'a> {
    /// A packet with nothing behind its layout.
    pub fn new(body: Body<'a>) -> Self {
        Self { body, tail: &[] }
    }

    /// The packet's opcode.
    pub fn opcode(&self) -> u32 {
        match self.body {
            Body::Unknown { opcode, .. } => opcode,
            _ => self.layout().map_or(0, |layout| layout.opcode),
        }
    }

    /// What the tables say of it; nothing if they don't know it.
    pub fn layout(&self) -> Option<&'static Layout> {
        Some(match &self.body {
            Body::Resource(packet) => packet.layout(),
            Body::Shader(packet) => packet.layout(),
            Body::State(packet) => packet.layout(),
            Body::Binding(packet) => packet.layout(),
            Body::Work(packet) => packet.layout(),
            Body::Sharing(packet) => packet.layout(),
            Body::Unknown { .. } => return None,
        })
    }

    /// Writes the packet as it stands in a stream. After an error `into` is as it was.
    pub fn write(&self, into: &mut Vec<u8>) -> Result<(), EncodeError> {
        let start = into.len();
        let written = self.write_unsized(into).and_then(|()| {
            let (what, found) = (Layout::name_of(self.opcode()), (into.len() - start) as u64);
            let size_bytes = u32::try_from(found).map_err(|_| EncodeError::TooLong { what, found })?;
            if !size_bytes.is_multiple_of(4) {
                return Err(EncodeError::Unaligned { what, found });
            }
            let place = into.get_mut(start + 4..).and_then(|rest| rest.first_chunk_mut());
            if let Some(place) = place {
                *place = size_bytes.to_le_bytes();
            }
            Ok(())
        });
        if written.is_err() {
            into.truncate(start);
        }
        written
    }

    /// The packet with nothing in its length.
    fn write_unsized(&self, into: &mut Vec<u8>) -> Result<(), EncodeError> {
        into.extend_from_slice(&self.opcode().to_le_bytes());
        into.extend_from_slice(&[0; 4]);
        match &self.body {
            Body::Resource(packet) => packet.write(into)?,
            Body::Shader(packet) => packet.write(into)?,
            Body::State(packet) => packet.write(into)?,
            Body::Binding(packet) => packet.write(into)?,
            Body::Work(packet) => packet.write(into)?,
            Body::Sharing(packet) => packet.write(into)?,
            Body::Unknown { bytes, .. } => into.extend_from_slice(bytes),
        }
        into.extend_from_slice(self.tail);
        Ok(())
    }
}

/// The packets of a stream, front to back. After an error nothing more.
#[derive(Clone, Debug)]
pub struct RawPackets<'a> {
    cursor: Cursor<'a>,
    ended: bool,
}

impl<'a> RawPackets<'a> {
    /// The packets in `bytes`, which lie at the absolute file offset `offset`.
    pub fn new(bytes: &'a [u8], offset: u64) -> Self {
        Self { cursor: Cursor::new(bytes, offset), ended: false }
    }

    /// Absolute file offset of the first byte that was not given out.
    pub fn offset(&self) -> u64 {
        self.cursor.offset()
    }

    /// The bytes that were not given out.
    pub fn rest(&self) -> &'a [u8] {
        self.cursor.rest()
    }

    #[inline(always)]
    fn split_packet(&mut self) -> Option<RawPacket<'a>> {
        let (header, _) = self.cursor.rest().split_first_chunk::<8>()?;
        let header = u64::from_le_bytes(*header);
        let size_bytes = (header >> 32) as usize;
        if size_bytes < Layout::HEADER_BYTES as usize || !size_bytes.is_multiple_of(4) {
            return None;
        }
        let offset = self.cursor.offset();
        let bytes = self.cursor.take(size_bytes).ok()?;
        Some(RawPacket { offset, opcode: header as u32, bytes })
    }

    /// Why the next bytes are no packet.
    #[cold]
    fn what_is_wrong(&self) -> StreamError {
        let (mut ahead, offset, left) = (self.cursor, self.cursor.offset(), self.cursor.left() as u64);
        let (Ok(opcode), Ok(found)) = (ahead.u32_le(), ahead.u32_le()) else {
            return StreamError::PacketHeader { found: left, offset };
        };
        let (packet, offset) = (Layout::name_of(opcode), offset + 4);
        if found < Layout::HEADER_BYTES || !found.is_multiple_of(4) {
            return StreamError::PacketSize { packet, found, offset };
        }
        StreamError::PacketOverrun { packet, found, left, offset }
    }
}

impl<'a> Iterator for RawPackets<'a> {
    type Item = Result<RawPacket<'a>, StreamError>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.ended || self.cursor.is_empty() {
            return None;
        }
        match self.split_packet() {
            Some(packet) => Some(Ok(packet)),
            None => {
                self.ended = true;
                Some(Err(self.what_is_wrong()))
            }
        }
    }
}
