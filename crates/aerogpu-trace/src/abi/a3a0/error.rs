//! What can be wrong with the bytes of a stream, and what cannot be written.

use thiserror::Error;

use trace_base::error::{Classified, ErrorKind};
use trace_base::text::counted;

/// Bytes that break the format. The first five end their stream, the others only their packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StreamError {
    /// Too few bytes for a header.
    #[error(
        "the stream has {found_bytes}: expected at least 24, its header, at {offset:#x}",
        found_bytes = counted(.found, "byte")
    )]
    Short {
        /// The stream's length.
        found: u64,
        /// Absolute file offset of the stream.
        offset: u64,
    },
    /// The bytes don't begin as a stream does.
    #[error("the stream begins with {found:#010x}: expected 0x444d4341 (\"ACMD\"), at {offset:#x}")]
    Magic {
        /// The first dword.
        found: u32,
        /// Absolute file offset of the stream.
        offset: u64,
    },
    /// A major version that this build does not read.
    #[error(
        "the stream's ABI version is {}.{}: this build reads version 1, at {offset:#x}",
        found >> 16,
        found & 0xffff
    )]
    Abi {
        /// Major version in the upper half, minor in the lower.
        found: u32,
        /// Absolute file offset of the version.
        offset: u64,
    },
    /// A length that the stream cannot have.
    #[error("the stream's size_bytes is {found}: expected a multiple of 4 from 24 to {available}, at {offset:#x}")]
    Size {
        /// The length in the header.
        found: u32,
        /// How many bytes there are.
        available: u64,
        /// Absolute file offset of the length.
        offset: u64,
    },
    /// Too few bytes for a packet's opcode and size.
    #[error(
        "the stream has {found_bytes} left: expected at least 8, a packet's header, at {offset:#x}",
        found_bytes = counted(.found, "byte")
    )]
    PacketHeader {
        /// How many bytes are left.
        found: u64,
        /// Absolute file offset of the packet.
        offset: u64,
    },
    /// A length that no packet can have.
    #[error("{packet} has size_bytes {found}: expected a multiple of 4, at least 8, at {offset:#x}")]
    PacketSize {
        /// The opcode's name.
        packet: &'static str,
        /// The length in the packet.
        found: u32,
        /// Absolute file offset of the length.
        offset: u64,
    },
    /// A packet that does not end in its stream.
    #[error(
        "{packet} has size_bytes {found}: the stream has {left_bytes} left, at {offset:#x}",
        left_bytes = counted(.left, "byte")
    )]
    PacketOverrun {
        /// The opcode's name.
        packet: &'static str,
        /// The length in the packet.
        found: u32,
        /// How many bytes the stream has, from the packet on.
        left: u64,
        /// Absolute file offset of the length.
        offset: u64,
    },
    /// A packet shorter than its fields.
    #[error("{packet} has size_bytes {found}: expected at least {expected}, at {offset:#x}")]
    PacketShort {
        /// The opcode's name.
        packet: &'static str,
        /// The length in the packet.
        found: u32,
        /// Length of its fields.
        expected: u32,
        /// Absolute file offset of the length.
        offset: u64,
    },
    /// A packet that claims to carry more than it does.
    #[error(
        "{packet} has {field} {found}: expected at most what fits in the {left_bytes} that follow, at {offset:#x}",
        left_bytes = counted(.left, "byte")
    )]
    ArrayOverrun {
        /// The opcode's name.
        packet: &'static str,
        /// The field that says how much the packet carries.
        field: &'static str,
        /// What it says.
        found: u64,
        /// How many bytes follow the fields.
        left: u64,
        /// Absolute file offset of the field.
        offset: u64,
    },
}

impl Classified for StreamError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Abi { .. } => ErrorKind::Unsupported,
            _ => ErrorKind::Malformed,
        }
    }

    fn offset(&self) -> Option<u64> {
        Some(self.at())
    }
}

impl Classified for EncodeError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

impl StreamError {
    /// Absolute file offset of what is wrong.
    pub fn at(&self) -> u64 {
        match *self {
            Self::Short { offset, .. }
            | Self::Magic { offset, .. }
            | Self::Abi { offset, .. }
            | Self::Size { offset, .. }
            | Self::PacketHeader { offset, .. }
            | Self::PacketSize { offset, .. }
            | Self::PacketOverrun { offset, .. }
            | Self::PacketShort { offset, .. }
            | Self::ArrayOverrun { offset, .. } => offset,
        }
    }

    /// Whether the packets behind it can be read all the same.
    pub fn is_of_one_packet(&self) -> bool {
        matches!(self, Self::PacketShort { .. } | Self::ArrayOverrun { .. })
    }
}

/// What a packet lacks, before its place in the file is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// It is shorter than its fields.
    Short {
        /// Length of its fields, header included.
        expected: u32,
    },
    /// It carries less than it says.
    Overrun {
        /// The field that says so.
        field: &'static str,
        /// What the field says.
        found: u64,
        /// How many bytes follow the fields.
        left: u64,
    },
}

/// A packet, stream or table that the format cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// A field that counts what follows has another number.
    #[error("{packet} has {field} {found}: expected {expected}, the number of elements that follow")]
    Count {
        /// The opcode's name.
        packet: &'static str,
        /// The field.
        field: &'static str,
        /// What it says.
        found: u64,
        /// How many follow.
        expected: u64,
    },
    /// A field that may be absent is, and one behind it is not.
    #[error("{packet} has {present} without {absent}: expected no field to be left out before the last one")]
    Gap {
        /// The opcode's name.
        packet: &'static str,
        /// The first field that is absent.
        absent: &'static str,
        /// The field behind it.
        present: &'static str,
    },
    /// A length that is no multiple of 4.
    #[error("{what} takes {found_bytes}: expected a multiple of 4", found_bytes = counted(.found, "byte"))]
    Unaligned {
        /// What has it.
        what: &'static str,
        /// The length.
        found: u64,
    },
    /// A length that its field cannot hold.
    #[error("{what} takes {found_bytes}: expected at most 4294967292", found_bytes = counted(.found, "byte"))]
    TooLong {
        /// What has it.
        what: &'static str,
        /// The length.
        found: u64,
    },
}
