//! Streams: a header, and the packets of one submission.

use super::error::{EncodeError, StreamError};
use super::packet::{Packet, RawPackets};
use super::wire::{read_dwords, write_dwords};

/// "ACMD", the first dword of a stream.
pub const STREAM_MAGIC: u32 = 0x444d_4341;
/// Length of a stream's header in bytes.
pub const STREAM_HEADER_BYTES: u32 = 24;
/// The ABI version that this build knows all of: 1.4.
pub const ABI_VERSION: u32 = 0x0001_0004;

/// A stream's header.
///
/// | offset | field | |
/// |---|---|---|
/// | 0 | magic | "ACMD" |
/// | 4 | abi_version | major in the upper half, minor in the lower |
/// | 8 | size_bytes | of the stream, this header included |
/// | 12 | flags | 0 |
/// | 16, 20 | reserved | 0 |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamHeader {
    /// The first dword.
    pub magic: u32,
    /// Major version in the upper half, minor in the lower.
    pub abi_version: u32,
    /// Length of the stream in bytes, header included.
    pub size_bytes: u32,
    /// No bits are defined.
    pub flags: u32,
    /// Reserved, 0.
    pub reserved: [u32; 2],
}

impl StreamHeader {
    /// Reads the header, right or wrong; nothing if there are fewer than 24 bytes.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let [magic, abi_version, size_bytes, flags, reserved @ ..] = read_dwords::<6>(bytes)?;
        Some(Self { magic, abi_version, size_bytes, flags, reserved })
    }

    /// The minor version.
    pub fn minor(&self) -> u16 {
        self.abi_version as u16
    }

    /// Judges the header of a stream that has `available` bytes at the absolute file offset `offset`.
    pub fn check(&self, available: u64, offset: u64) -> Result<(), StreamError> {
        if self.magic != STREAM_MAGIC {
            return Err(StreamError::Magic { found: self.magic, offset });
        }
        if self.abi_version >> 16 != ABI_VERSION >> 16 {
            return Err(StreamError::Abi { found: self.abi_version, offset: offset + 4 });
        }
        let found = self.size_bytes;
        if found < STREAM_HEADER_BYTES || !found.is_multiple_of(4) || u64::from(found) > available {
            return Err(StreamError::Size { found, available, offset: offset + 8 });
        }
        Ok(())
    }

    fn write(&self, into: &mut Vec<u8>) {
        let [first, second] = self.reserved;
        write_dwords(&[self.magic, self.abi_version, self.size_bytes, self.flags, first, second], into);
    }
}

/// A stream whose header is in order.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    /// The header.
    pub header: StreamHeader,
    /// Absolute file offset of the header.
    pub offset: u64,
    /// The packets.
    packets: &'a [u8],
    /// What lies behind the stream, to the end of its blob or record. Normally nothing.
    pub tail: &'a [u8],
}

impl<'a> Stream<'a> {
    /// Reads the header of a stream at the absolute file offset `offset`; `bytes` are all there are of its blob or
    /// record.
    pub fn parse(bytes: &'a [u8], offset: u64) -> Result<Self, StreamError> {
        let short = StreamError::Short { found: bytes.len() as u64, offset };
        let header = StreamHeader::read(bytes).ok_or(short)?;
        header.check(bytes.len() as u64, offset)?;
        let (stream, tail) = bytes.split_at_checked(header.size_bytes as usize).ok_or(short)?;
        let packets = stream.get(STREAM_HEADER_BYTES as usize..).ok_or(short)?;
        Ok(Self { header, offset, packets, tail })
    }

    /// The packets, front to back.
    pub fn packets(&self) -> RawPackets<'a> {
        RawPackets::new(self.packets, self.offset + u64::from(STREAM_HEADER_BYTES))
    }
}

/// Writes a stream packet by packet.
///
/// The length in the header is right after every packet, so that the bytes are a stream at any time.
#[derive(Clone, Debug)]
pub struct StreamWriter {
    bytes: Vec<u8>,
}

impl StreamWriter {
    /// A stream of this ABI version without packets.
    pub fn new(abi_version: u32) -> Self {
        let header = StreamHeader {
            magic: STREAM_MAGIC,
            abi_version,
            size_bytes: STREAM_HEADER_BYTES,
            flags: 0,
            reserved: [0; 2],
        };
        Self::with_header(&header)
    }

    /// A stream with this header, but for its length.
    pub fn with_header(header: &StreamHeader) -> Self {
        let mut bytes = Vec::new();
        StreamHeader { size_bytes: STREAM_HEADER_BYTES, ..*header }.write(&mut bytes);
        Self { bytes }
    }

    /// Writes a packet behind the others. After an error the stream is as it was.
    pub fn packet(&mut self, packet: &Packet<'_>) -> Result<(), EncodeError> {
        let start = self.bytes.len();
        packet.write(&mut self.bytes)?;
        self.end_packet(start)
    }

    /// Writes the bytes of a packet of another stream behind the others. After an error the stream is as it was.
    pub fn packet_as_it_is(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.end_packet(start)
    }

    /// The packet that began at `start` is whole.
    fn end_packet(&mut self, start: usize) -> Result<(), EncodeError> {
        let found = self.bytes.len() as u64;
        let Ok(size_bytes) = u32::try_from(found) else {
            self.bytes.truncate(start);
            return Err(EncodeError::TooLong { what: "the stream", found });
        };
        if let Some(place) = self.bytes.get_mut(8..).and_then(|rest| rest.first_chunk_mut()) {
            *place = size_bytes.to_le_bytes();
        }
        Ok(())
    }

    /// Length in bytes, header included.
    pub fn size_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The stream.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}
