//! Why a WIP15 trace cannot be read any further.

use std::fmt;

use thiserror::Error;

use super::Compression;
use crate::limits::{
    MAX_WIP15_BLOB_BYTES, MAX_WIP15_CHECKED_BYTES, MAX_WIP15_DECLARATIONS, MAX_WIP15_EMPTY_ELEMENTS,
    MAX_WIP15_OP_BYTES, MAX_WIP15_VARIANT_DEPTH,
};
use trace_base::bytes::{Leb128Error, OutOfBytes, ReadError};
use trace_base::error::{Classified, ErrorKind};
use trace_base::text::counted;

/// Why a WIP15 trace cannot be read any further. All offsets are absolute file offsets.
#[derive(Debug, Error)]
pub enum Error {
    /// The operating system refused a read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file is no WIP15 trace.
    #[error("expected the magic WIP15, found {found:?}, at 0x0")]
    BadMagic {
        /// The first five bytes, unreadable ones escaped.
        found: String,
    },
    /// The file ends inside the 16 bytes of the header.
    #[error("expected a header of 16 bytes, found the end of the file, at {offset:#x}")]
    TruncatedHeader {
        /// Length of the file.
        offset: u64,
    },
    /// The byte-order mark is neither `_` nor `-`.
    #[error("expected the byte-order mark '_' or '-', found byte {found:#04x}, at 0x5")]
    BadEndian {
        /// The byte found.
        found: u8,
    },
    /// A trace of the tracer before 2016-08-13, whose three layouts share one name.
    #[error(
        "expected WIP15 version 0.0, found the old tracer's \"0.0a\", of which three incompatible layouts exist, at 0x6"
    )]
    OldVersion,
    /// Another version.
    #[error("expected WIP15 version 0.0, found {major}.{minor}, at 0x6")]
    UnsupportedVersion {
        /// Major version found.
        major: u8,
        /// Minor version found.
        minor: u8,
    },
    /// The file ends inside an operation, as it does when the recorded program was killed.
    #[error(
        "expected {} inside {inside}, found the end of the file after {}, at {:#x}",
        counted(missing.wanted, "more byte"),
        missing.left,
        missing.offset
    )]
    Truncated {
        /// What was to be read there.
        missing: OutOfBytes,
        /// What it is a part of.
        inside: Inside,
    },
    /// No operation has this code.
    #[error("expected operation 0, 1 or 2, found {found}, at {offset:#x}")]
    BadOpcode {
        /// The code found.
        found: u8,
        /// Where it stands.
        offset: u64,
    },
    /// No type has this code.
    #[error("expected a base type from 0 to 10, found {found}, at {offset:#x}")]
    BadBaseType {
        /// The code found.
        found: u8,
        /// Where it stands.
        offset: u64,
    },
    /// A function index is not below the header's `max_functions`.
    #[error("expected a function index below {max}, found {found}, at {offset:#x}")]
    BadFunctionIndex {
        /// The header's `max_functions`.
        max: u32,
        /// The index found.
        found: u32,
        /// Where it stands.
        offset: u64,
    },
    /// A call of a function that was not declared before.
    #[error("expected the index of a declared function, found {found}, at {offset:#x}")]
    UndeclaredFunction {
        /// The index found.
        found: u32,
        /// Where it stands.
        offset: u64,
    },
    /// A group index is not below the header's `max_groups`.
    #[error("expected a group index below {max}, found {found}, at {offset:#x}")]
    BadGroupIndex {
        /// The header's `max_groups`.
        max: u32,
        /// The index found.
        found: u32,
        /// Where it stands.
        offset: u64,
    },
    /// A number has more than 64 bits.
    #[error("expected a LEB128 number of at most 64 bits, found a longer one, at {offset:#x}")]
    Leb128Overflow {
        /// Where it begins.
        offset: u64,
    },
    /// Something that later writers added, where only the layout of the given text was asked for.
    #[error("expected the layout of 2016-08-13 and nothing later, found {found}, at {offset:#x}")]
    NotSeedFormat {
        /// What was found.
        found: &'static str,
        /// Where it stands.
        offset: u64,
    },
    /// No compression method has this code.
    #[error("expected compression method 0 to 3, found {found}, at {offset:#x}")]
    BadCompression {
        /// The code found.
        found: u8,
        /// Where the blob begins.
        offset: u64,
    },
    /// A blob's real length is not the declared one.
    #[error(
        "expected a {} blob of {expected_bytes}, found {found}, at {offset:#x}",
        method.name(),
        expected_bytes = counted(.expected, "byte")
    )]
    DataSizeMismatch {
        /// How it is stored.
        method: Compression,
        /// The declared length.
        expected: u64,
        /// What was found instead.
        found: FoundSize,
        /// Where the blob begins.
        offset: u64,
    },
    /// A blob cannot be decompressed.
    #[error("expected a valid {} stream, found a damaged one, at {offset:#x}", method.name())]
    DataCorrupt {
        /// How it claims to be stored.
        method: Compression,
        /// Where the blob begins.
        offset: u64,
    },
    /// The known bug of writers before 2017-09-06.
    #[error(
        "expected a zlib stream, found {size_bytes} of uninitialised memory: tracers from before 2017-09-06 write this \
         at compression levels 0 to 11, and the data is lost, at {offset:#x}",
        size_bytes = counted(.size, "byte")
    )]
    ZlibLevelZero {
        /// Length of the blob.
        size: u64,
        /// Where the blob begins.
        offset: u64,
    },
    /// A blob is larger than we decompress, or claims more than its stream can hold.
    #[error("expected a blob of at most {limit} bytes, found a declared size of {size}, at {offset:#x}")]
    BlobTooLarge {
        /// The most that would have been accepted: [`MAX_WIP15_BLOB_BYTES`], or what the stored bytes can expand to.
        limit: u64,
        /// What it claims.
        size: u64,
        /// Where the blob begins.
        offset: u64,
    },
    /// All blobs together are larger than we check.
    #[error("expected at most {MAX_WIP15_CHECKED_BYTES} bytes in all blobs, found more, at {offset:#x}")]
    TooMuchData {
        /// Where the blob that went over begins.
        offset: u64,
    },
    /// Arrays of types without bytes claim too many elements.
    #[error(
        "expected at most {MAX_WIP15_EMPTY_ELEMENTS} elements without bytes, found an array of {found}, at {offset:#x}"
    )]
    TooManyEmptyElements {
        /// The count that went over.
        found: u32,
        /// Where the count stands.
        offset: u64,
    },
    /// Variants nest too deep.
    #[error("expected variants nested at most {MAX_WIP15_VARIANT_DEPTH} deep, found a deeper one, at {offset:#x}")]
    VariantTooDeep {
        /// Where the innermost type stands.
        offset: u64,
    },
    /// One operation is too long.
    #[error("expected an operation of at most {MAX_WIP15_OP_BYTES} bytes, found a longer one, at {offset:#x}")]
    OpTooLong {
        /// Where it begins.
        offset: u64,
    },
    /// Too many declarations.
    #[error("expected at most {MAX_WIP15_DECLARATIONS} declarations, found more, at {offset:#x}")]
    TooManyDeclarations {
        /// Where the one too many begins.
        offset: u64,
    },
}

const _: () = assert!(size_of::<Error>() <= 64 && MAX_WIP15_BLOB_BYTES <= MAX_WIP15_CHECKED_BYTES);

/// What a blob holds instead of its declared length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundSize {
    /// Exactly so many bytes.
    Exactly(u64),
    /// More than declared; decompression stopped there.
    More,
}

impl std::fmt::Display for FoundSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exactly(size) => write!(f, "{size}"),
            Self::More => f.write_str("more"),
        }
    }
}

impl Error {
    /// The stable name of its class, without particulars: `bad_magic`, `undeclared_func`, …
    pub fn class(&self) -> &'static str {
        match self {
            Self::Read(_) => "io",
            Self::BadMagic { .. } => "bad_magic",
            Self::TruncatedHeader { .. } => "truncated_header",
            Self::BadEndian { .. } => "bad_endian",
            Self::OldVersion | Self::UnsupportedVersion { .. } => "unsupported_version",
            Self::Truncated { .. } => "truncated",
            Self::BadOpcode { .. } => "bad_opcode",
            Self::BadBaseType { .. } => "bad_base_type",
            Self::BadFunctionIndex { .. } => "bad_func_index",
            Self::UndeclaredFunction { .. } => "undeclared_func",
            Self::BadGroupIndex { .. } => "bad_group_index",
            Self::Leb128Overflow { .. } => "leb128_overflow",
            Self::BadCompression { .. } => "bad_compression",
            Self::NotSeedFormat { .. } => "not_seed_format",
            Self::DataSizeMismatch { .. } => "data_size_mismatch",
            Self::DataCorrupt { .. } | Self::ZlibLevelZero { .. } => "data_corrupt",
            Self::BlobTooLarge { .. }
            | Self::TooMuchData { .. }
            | Self::TooManyEmptyElements { .. }
            | Self::VariantTooDeep { .. }
            | Self::OpTooLong { .. }
            | Self::TooManyDeclarations { .. } => "limit",
        }
    }
}

impl Classified for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Read(error) => error.kind(),
            Self::TruncatedHeader { .. } | Self::Truncated { .. } => ErrorKind::CutShort,
            Self::BlobTooLarge { .. }
            | Self::TooMuchData { .. }
            | Self::TooManyEmptyElements { .. }
            | Self::VariantTooDeep { .. }
            | Self::OpTooLong { .. }
            | Self::TooManyDeclarations { .. } => ErrorKind::OverLimit,
            _ => ErrorKind::Malformed,
        }
    }

    fn offset(&self) -> Option<u64> {
        Some(match self {
            Self::Read(error) => error.offset,
            Self::BadMagic { .. } => 0,
            Self::BadEndian { .. } => 5,
            Self::OldVersion | Self::UnsupportedVersion { .. } => 6,
            Self::Truncated { missing: OutOfBytes { offset, .. }, .. }
            | Self::TruncatedHeader { offset }
            | Self::BadOpcode { offset, .. }
            | Self::BadBaseType { offset, .. }
            | Self::BadFunctionIndex { offset, .. }
            | Self::UndeclaredFunction { offset, .. }
            | Self::BadGroupIndex { offset, .. }
            | Self::Leb128Overflow { offset }
            | Self::NotSeedFormat { offset, .. }
            | Self::BadCompression { offset, .. }
            | Self::DataSizeMismatch { offset, .. }
            | Self::DataCorrupt { offset, .. }
            | Self::ZlibLevelZero { offset, .. }
            | Self::BlobTooLarge { offset, .. }
            | Self::TooMuchData { offset }
            | Self::TooManyEmptyElements { offset, .. }
            | Self::VariantTooDeep { offset }
            | Self::OpTooLong { offset }
            | Self::TooManyDeclarations { offset } => *offset,
        })
    }
}

impl Error {
    /// The same in an array of `count` elements, which stands at `offset`.
    #[cold]
    pub(super) fn inside_array(self, count: u32, offset: u64) -> Self {
        match self {
            Self::Truncated { missing, inside: Inside::Operation } => {
                Self::Truncated { missing, inside: Inside::Array { count, offset } }
            }
            other => other,
        }
    }
}

/// What a file ends in. A count that was damaged asks for more than there is, and is the cause then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// An operation.
    Operation,
    /// An array of an operation.
    Array {
        /// How many elements it claims to have.
        count: u32,
        /// Absolute file offset of that count.
        offset: u64,
    },
}

impl fmt::Display for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operation => f.write_str("an operation"),
            Self::Array { count, offset } => {
                write!(
                    f,
                    "an array that declares {count_elements} at {offset:#x}",
                    count_elements = counted(count, "element")
                )
            }
        }
    }
}

impl From<OutOfBytes> for Error {
    fn from(error: OutOfBytes) -> Self {
        Self::Truncated { missing: error, inside: Inside::Operation }
    }
}

impl From<Leb128Error> for Error {
    fn from(error: Leb128Error) -> Self {
        match error {
            Leb128Error::OutOfBytes(error) => error.into(),
            Leb128Error::Overflow { offset } => Self::Leb128Overflow { offset },
        }
    }
}
