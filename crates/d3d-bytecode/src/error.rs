//! What can be wrong with Direct3D bytecode.

use thiserror::Error;

use super::opcode::Opcode;
use super::operand::RegisterKind;
use super::version::Version;
use trace_base::bytes::OutOfBytes;
use trace_base::error::{Classified, ErrorKind};
use trace_base::text::counted;

/// Bytecode that can't be read. Every variant has the absolute file offset of the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BytecodeError {
    /// The bytes begin like nothing that is known.
    #[error("expected Direct3D bytecode (DXBC, or a version token of SM1 to SM5), found {found:#010x}, at {offset:#x}")]
    NotBytecode {
        /// The first dword.
        found: u32,
        /// Absolute file offset.
        offset: u64,
    },
    /// A part ends too early.
    #[error("{what}: {cause}")]
    OutOfBytes {
        /// What was being read.
        what: &'static str,
        /// How many bytes were wanted and where.
        cause: OutOfBytes,
    },
    /// A size in a header that can't be.
    #[error("{what}: expected {expected}, found {found}, at {offset:#x}")]
    BadSize {
        /// Which one.
        what: &'static str,
        /// What it may be, in words.
        expected: &'static str,
        /// What it is.
        found: u64,
        /// Absolute file offset.
        offset: u64,
    },
    /// A chunk lies outside its container.
    #[error(
        "chunk {index} of the container: expected it within its {container}, found it at {start} with {size}, at \
         {offset:#x}",
        container = counted(.container_bytes, "byte"),
        size = counted(.size_bytes, "byte")
    )]
    ChunkOutside {
        /// The chunk's number.
        index: u32,
        /// Where it begins in the container.
        start: u32,
        /// How long it says it is, header included.
        size_bytes: u64,
        /// The container's size.
        container_bytes: u64,
        /// Absolute file offset of the container's reference to it.
        offset: u64,
    },
    /// A container without a program.
    #[error("expected a chunk SHEX or SHDR with a program, found {chunks} other chunks, at {offset:#x}")]
    NoProgram {
        /// How many chunks there are.
        chunks: u32,
        /// Absolute file offset of the container.
        offset: u64,
    },
    /// A name of a signature or a constant table lies outside its chunk, doesn't end in it or isn't text.
    #[error("name {element}: expected its end within the chunk, at {offset:#x}")]
    BadName {
        /// The element's number.
        element: u32,
        /// Absolute file offset of the reference to the name.
        offset: u64,
    },
    /// A shader model that Direct3D doesn't have, or which isn't read here.
    #[error("expected a version token of SM1 to SM5.0, found {found:#010x}, at {offset:#x}")]
    UnknownVersion {
        /// The version token.
        found: u32,
        /// Absolute file offset.
        offset: u64,
    },
    /// An opcode that the model doesn't have.
    #[error("expected an instruction of {version}, found opcode {number:#x}, at {offset:#x}")]
    UnknownOpcode {
        /// The program's model.
        version: Version,
        /// The opcode's number.
        number: u32,
        /// Absolute file offset of the instruction.
        offset: u64,
    },
    /// An instruction's length that can't be.
    #[error(
        "{opcode}: expected a length of {expected_dwords}, found {found}, at {offset:#x}",
        expected_dwords = counted(.expected, "dword")
    )]
    BadLength {
        /// The instruction.
        opcode: Opcode,
        /// How long its operands are, its first token included.
        expected: u32,
        /// How long it says it is.
        found: u32,
        /// Absolute file offset of the instruction.
        offset: u64,
    },
    /// An instruction reaches past the end of the program.
    #[error(
        "{opcode}: expected to end within the program's {left_dwords}, found a length of {found}, at {offset:#x}",
        left_dwords = counted(.left, "dword")
    )]
    Overrun {
        /// The instruction.
        opcode: Opcode,
        /// How long it says it is.
        found: u32,
        /// How much is left.
        left: u32,
        /// Absolute file offset of the instruction.
        offset: u64,
    },
    /// A number in a table of names that its enumeration doesn't have.
    #[error("{table}: expected a known {what}, found {found}, at {offset:#x}")]
    BadConstant {
        /// Which table.
        table: &'static str,
        /// What the number stands for.
        what: &'static str,
        /// The number.
        found: u32,
        /// Absolute file offset of what it belongs to.
        offset: u64,
    },
    /// A comment reaches past the end of the program.
    #[error(
        "comment: expected to end within the program's {left_dwords}, found a length of {found}, at {offset:#x}",
        left_dwords = counted(.left, "dword")
    )]
    CommentOverrun {
        /// How long it says it is.
        found: u32,
        /// How much is left.
        left: u32,
        /// Absolute file offset of its token.
        offset: u64,
    },
    /// An instruction reads past its own end.
    #[error("{opcode}: expected another operand, found the instruction's end, at {offset:#x}")]
    MissingOperand {
        /// The instruction.
        opcode: Opcode,
        /// Absolute file offset of the end.
        offset: u64,
    },
    /// A number that an enumeration doesn't have.
    #[error("{opcode}: expected a known {what}, found {found}, at {offset:#x}")]
    UnknownNumber {
        /// The instruction.
        opcode: Opcode,
        /// What the number stands for.
        what: &'static str,
        /// The number.
        found: u32,
        /// Absolute file offset of the token.
        offset: u64,
    },
    /// An operand of another kind than the instruction takes.
    #[error("{opcode}: expected {expected}, found {found}, at {offset:#x}")]
    WrongOperand {
        /// The instruction.
        opcode: Opcode,
        /// What it takes, in words.
        expected: &'static str,
        /// What stands there, in words.
        found: &'static str,
        /// Absolute file offset of the operand.
        offset: u64,
    },
    /// A register with more or fewer indices than its kind has.
    #[error("{}: expected {expected} indices, found {found}, at {offset:#x}", kind.name())]
    WrongIndices {
        /// The register.
        kind: RegisterKind,
        /// How many it has, in words.
        expected: &'static str,
        /// How many stand there.
        found: u32,
        /// Absolute file offset of the operand.
        offset: u64,
    },
    /// A register that no Direct3D device has.
    #[error("{}{found}: expected a register below {limit}, at {offset:#x}", kind.name())]
    RegisterOutOfRange {
        /// The register.
        kind: RegisterKind,
        /// Its number.
        found: u32,
        /// How many there are.
        limit: u32,
        /// Absolute file offset of the operand.
        offset: u64,
    },
    /// A temporary that the program does not declare.
    #[error("{}{found}: expected a temporary that the shader declares, at {offset:#x}", kind.name())]
    UndeclaredTemp {
        /// A single temporary or an array of them.
        kind: RegisterKind,
        /// Its number.
        found: u32,
        /// Absolute file offset of the instruction.
        offset: u64,
    },
    /// A block ends that isn't open.
    #[error("{opcode}: expected within {expected}, found {found}, at {offset:#x}")]
    NotInBlock {
        /// The instruction that ends or divides it.
        opcode: Opcode,
        /// The block it belongs to.
        expected: &'static str,
        /// The innermost block that is open.
        found: &'static str,
        /// Absolute file offset of the instruction.
        offset: u64,
    },
    /// A block that never ends.
    #[error("{opcode}: expected its closing instruction, found the end of the function, at {offset:#x}")]
    NeverClosed {
        /// The instruction that began it.
        opcode: Opcode,
        /// Absolute file offset of that instruction.
        offset: u64,
    },
    /// The program has no end token.
    #[error("expected the end token 0x0000ffff, found the end of the bytes, at {offset:#x}")]
    MissingEnd {
        /// Absolute file offset of the end.
        offset: u64,
    },
    /// Our budget.
    #[error("the shader's {what} is {found}: this build's limit is {limit}, at {offset:#x}")]
    OverLimit {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        found: u64,
        /// The cap, from [`crate::limits`].
        limit: u64,
        /// Absolute file offset of the place.
        offset: u64,
    },
}

impl Classified for BytecodeError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotBytecode { .. } | Self::UnknownVersion { .. } | Self::UnknownOpcode { .. } => {
                ErrorKind::Unsupported
            }
            Self::OverLimit { .. } => ErrorKind::OverLimit,
            _ => ErrorKind::Malformed,
        }
    }

    fn offset(&self) -> Option<u64> {
        Some(match self {
            Self::OutOfBytes { cause, .. } => cause.offset,
            Self::NotBytecode { offset, .. }
            | Self::BadSize { offset, .. }
            | Self::ChunkOutside { offset, .. }
            | Self::NoProgram { offset, .. }
            | Self::BadName { offset, .. }
            | Self::UnknownVersion { offset, .. }
            | Self::UnknownOpcode { offset, .. }
            | Self::BadLength { offset, .. }
            | Self::Overrun { offset, .. }
            | Self::MissingOperand { offset, .. }
            | Self::BadConstant { offset, .. }
            | Self::CommentOverrun { offset, .. }
            | Self::UnknownNumber { offset, .. }
            | Self::WrongOperand { offset, .. }
            | Self::WrongIndices { offset, .. }
            | Self::RegisterOutOfRange { offset, .. }
            | Self::UndeclaredTemp { offset, .. }
            | Self::NotInBlock { offset, .. }
            | Self::NeverClosed { offset, .. }
            | Self::MissingEnd { offset, .. }
            | Self::OverLimit { offset, .. } => *offset,
        })
    }
}

// Every operand that is read hands one back, so it is kept small.
const _: () = assert!(size_of::<BytecodeError>() <= 56);
