//! Records: the units of the stream between meta JSON and TOC.

use std::fmt;
use std::ops::Range;

use super::blob_id::BlobId;
use super::submission::Submission;

/// Length of a record's header in bytes.
pub const RECORD_HEADER_BYTES: u64 = 8;
/// Length of the header inside a Blob record's payload, in bytes.
pub const BLOB_HEADER_BYTES: u64 = 16;

/// One record (specification, "RecordHeader"): type u8, flags u8, reserved u16, payload_len u32, payload.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// Absolute file offset of the record's header.
    pub offset: u64,
    /// Absolute file offset after the record's payload.
    pub end: u64,
    /// Reserved, 0 in version 1.
    pub flags: u8,
    /// Reserved, 0 in version 1.
    pub reserved: u16,
    /// What the record holds.
    pub body: RecordBody<'a>,
}

/// A record's payload, by type.
#[derive(Clone, Debug)]
pub enum RecordBody<'a> {
    /// 0x01: a frame starts.
    BeginFrame {
        /// The recorder's number for the frame.
        frame_index: u32,
    },
    /// 0x02: a frame ends.
    Present {
        /// The recorder's number for the frame.
        frame_index: u32,
    },
    /// 0x03: command packets; which ABI, their bytes tell.
    Packet(&'a [u8]),
    /// 0x04: shader text, buffer contents and the like. Only the header was read.
    Blob(BlobHeader),
    /// 0x05, version 2 only: a ring submission.
    Submission(Submission),
}

/// The header of a Blob record, and where its bytes lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobHeader {
    /// The blob's id. Ids may be defined more than once.
    pub id: BlobId,
    /// What the bytes are.
    pub kind: BlobKind,
    /// Reserved, 0 in version 1.
    pub reserved: u32,
    /// Absolute file offsets of the blob's bytes.
    pub bytes: Range<u64>,
}

/// What a blob's bytes are (specification, "BlobKind"; 0x100 and up belong to container version 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlobKind {
    /// 0x01: bytes for a buffer upload.
    BufferData,
    /// 0x02: texture bytes.
    TextureData,
    /// 0x03: DXBC bytecode.
    ShaderDxbc,
    /// 0x04: WGSL text.
    ShaderWgsl,
    /// 0x05: GLSL ES 3.00 text.
    ShaderGlslEs300,
    /// 0x100: an `ACMD` command stream.
    AerogpuCmdStream,
    /// 0x101: an `ALOC` allocation table.
    AerogpuAllocTable,
    /// 0x102: guest memory.
    AerogpuAllocMemory,
}

impl BlobKind {
    /// Every kind with its number in the file.
    const TABLE: [(u32, BlobKind, &'static str); 8] = [
        (0x01, Self::BufferData, "BufferData"),
        (0x02, Self::TextureData, "TextureData"),
        (0x03, Self::ShaderDxbc, "ShaderDxbc"),
        (0x04, Self::ShaderWgsl, "ShaderWgsl"),
        (0x05, Self::ShaderGlslEs300, "ShaderGlslEs300"),
        (0x100, Self::AerogpuCmdStream, "AerogpuCmdStream"),
        (0x101, Self::AerogpuAllocTable, "AerogpuAllocTable"),
        (0x102, Self::AerogpuAllocMemory, "AerogpuAllocMemory"),
    ];

    /// The kind with this number, if there is one.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::TABLE.iter().find(|row| row.0 == number).map(|row| row.1)
    }

    /// The kind's number in the file.
    pub fn number(self) -> u32 {
        Self::TABLE.iter().find(|row| row.1 == self).map_or(0, |row| row.0)
    }

    /// The kind's name in the specification.
    pub fn name(self) -> &'static str {
        Self::TABLE.iter().find(|row| row.1 == self).map_or("", |row| row.2)
    }
}

impl fmt::Display for BlobKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl RecordBody<'_> {
    /// The record type's name in the specification.
    pub fn name(&self) -> &'static str {
        match self {
            Self::BeginFrame { .. } => "BeginFrame",
            Self::Present { .. } => "Present",
            Self::Packet(_) => "Packet",
            Self::Blob(_) => "Blob",
            Self::Submission(_) => "AerogpuSubmission",
        }
    }
}
