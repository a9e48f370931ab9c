//! What can be wrong with a packet.

use thiserror::Error;

use super::a3a0::StreamError;
use trace_base::error::{Classified, ErrorKind};
use trace_base::text::counted;

/// A packet that cannot be decoded.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AbiError {
    /// A Packet record's payload is not a whole number of dwords.
    #[error(
        "Packet payload has {found_bytes}: expected a multiple of 4, at {offset:#x}",
        found_bytes = counted(.found, "byte")
    )]
    PartialDword {
        /// The payload's length.
        found: u64,
        /// Absolute file offset of the payload.
        offset: u64,
    },
    /// An opcode outside the table.
    #[error("unknown opcode {found:#06x}: expected {expected}, at {offset:#x}")]
    UnknownOpcode {
        /// The opcode dword.
        found: u32,
        /// The opcodes that exist, in words.
        expected: &'static str,
        /// Absolute file offset of the opcode.
        offset: u64,
    },
    /// The length dword disagrees with the opcode's layout.
    #[error("{opcode} has total_dwords {found}: expected {expected}, at {offset:#x}")]
    WrongLength {
        /// The opcode's name.
        opcode: &'static str,
        /// The length dword.
        found: u32,
        /// The length its layout has.
        expected: u32,
        /// Absolute file offset of the length dword.
        offset: u64,
    },
    /// The payload ends inside a packet.
    #[error(
        "{opcode} takes {expected_bytes}: the Packet record has {found} left, at {offset:#x}",
        expected_bytes = counted(.expected, "byte")
    )]
    CutShort {
        /// The opcode's name.
        opcode: &'static str,
        /// Bytes left in the record.
        found: u64,
        /// Bytes the packet takes.
        expected: u64,
        /// Absolute file offset of the packet.
        offset: u64,
    },
    /// A field holds a value outside its enumeration.
    #[error("{opcode} has {field} {found}: expected {expected}, at {offset:#x}")]
    BadField {
        /// The opcode's name.
        opcode: &'static str,
        /// The field's name.
        field: &'static str,
        /// Its value.
        found: u32,
        /// The values it may have, in words.
        expected: &'static str,
        /// Absolute file offset of the packet.
        offset: u64,
    },
    /// A field of a packet of a stream can be read and says what the contract forbids.
    #[error("{opcode} has {field} {found}: expected {expected}, at {offset:#x}")]
    Forbidden {
        /// The opcode's name.
        opcode: &'static str,
        /// The field's name.
        field: &'static str,
        /// Its value.
        found: u32,
        /// The values it may have, in words.
        expected: &'static str,
        /// Absolute file offset of the field.
        offset: u64,
    },
    /// A packet of an ABI that nobody emits any more.
    #[error(
        "Packet record has an A0E0 packet (AGPC), a retired ABI: expected Appendix A or an A3A0 stream \
            (ACMD), at {offset:#x}"
    )]
    Retired {
        /// Absolute file offset of the payload.
        offset: u64,
    },
    /// A stream, or a packet of one, that cannot be decoded.
    #[error(transparent)]
    Stream(#[from] StreamError),
}

impl AbiError {
    /// Absolute file offset of what is wrong.
    pub fn at(&self) -> u64 {
        match self {
            Self::PartialDword { offset, .. }
            | Self::UnknownOpcode { offset, .. }
            | Self::WrongLength { offset, .. }
            | Self::CutShort { offset, .. }
            | Self::BadField { offset, .. }
            | Self::Forbidden { offset, .. }
            | Self::Retired { offset } => *offset,
            Self::Stream(error) => error.at(),
        }
    }
}

impl Classified for AbiError {
    /// A packet that this build does not know may well be sound.
    fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownOpcode { .. } | Self::Retired { .. } => ErrorKind::Unsupported,
            Self::Forbidden { .. } => ErrorKind::ReplayFailed,
            Self::Stream(error) => error.kind(),
            _ => ErrorKind::Malformed,
        }
    }

    fn offset(&self) -> Option<u64> {
        Some(self.at())
    }
}
