//! Commands that make, fill, copy and share buffers and textures.

use super::bytes_in_file::Payload;
use super::format::TextureFormat;
use super::id::ResourceId;

/// Guest memory behind a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Backing {
    /// The allocation, as the submission's allocation table numbers them.
    pub allocation: u32,
    /// Where in it the resource begins.
    pub offset_bytes: u32,
}

/// Guest memory that a submission names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Its number.
    pub id: u32,
    /// Whether the host may not write to it.
    pub is_read_only: bool,
    /// Guest physical address of its first byte.
    pub gpa: u64,
    /// Its length.
    pub size_bytes: u64,
}

/// Makes a buffer of zeros. A buffer that had the id before keeps existing only where it is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateBuffer {
    /// Its name from here on.
    pub id: ResourceId,
    /// Its size.
    pub size_bytes: u64,
    /// What it may be used for, as the stream says it.
    pub usage: u32,
    /// Guest memory behind it, if there is any.
    pub backing: Option<Backing>,
}

/// Makes a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateTexture {
    /// Its name from here on.
    pub id: ResourceId,
    /// What its texels are.
    pub format: TextureFormat,
    /// Width and height of its largest mip.
    pub size_px: [u32; 2],
    /// How many mips it has.
    pub mips: u32,
    /// How many layers each mip has.
    pub layers: u32,
    /// Bytes from one row of its largest mip to the next, in guest memory and in uploads; 0 if rows follow each other.
    pub row_pitch_bytes: u32,
    /// What it may be used for, as the stream says it.
    pub usage: u32,
    /// Guest memory behind it, if there is any.
    pub backing: Option<Backing>,
}

/// Numbers in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SubresourceRange {
    /// The first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

impl SubresourceRange {
    /// Whether a number is one of them.
    pub const fn contains(self, number: u32) -> bool {
        number >= self.first && number - self.first < self.count
    }
}

/// Names some mips and layers of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateView {
    /// Its name from here on.
    pub id: ResourceId,
    /// The texture.
    pub texture: ResourceId,
    /// The format that its texels are seen in.
    pub format: TextureFormat,
    /// The mips.
    pub mips: SubresourceRange,
    /// The layers.
    pub layers: SubresourceRange,
}

/// Writes bytes into a buffer or texture, in order with the draws around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upload {
    /// What is written.
    pub id: ResourceId,
    /// First byte written; of a texture, in its rows as they lie one after another.
    pub offset_bytes: u64,
    /// Number of bytes written.
    pub size_bytes: u64,
    /// The bytes.
    pub payload: Payload,
}

/// Says that the guest has written to the memory behind a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refresh {
    /// The resource.
    pub id: ResourceId,
    /// First byte written.
    pub offset_bytes: u64,
    /// Number of bytes written.
    pub size_bytes: u64,
}

/// Copies bytes from one buffer to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyBuffer {
    /// The buffer written.
    pub to: ResourceId,
    /// The buffer read.
    pub from: ResourceId,
    /// First byte written.
    pub to_offset_bytes: u64,
    /// First byte read.
    pub from_offset_bytes: u64,
    /// Number of bytes.
    pub size_bytes: u64,
    /// Whether the guest's memory behind the buffer gets the bytes, too.
    pub writes_back: bool,
}

/// One mip of one layer of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Subresource {
    /// The texture.
    pub id: ResourceId,
    /// The mip, 0 the largest.
    pub mip: u32,
    /// The layer.
    pub layer: u32,
}

/// Copies a rectangle from one texture to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyTexture {
    /// Where texels are written.
    pub to: Subresource,
    /// Where texels are read.
    pub from: Subresource,
    /// Left and top of the rectangle written.
    pub to_px: [u32; 2],
    /// Left and top of the rectangle read.
    pub from_px: [u32; 2],
    /// Width and height of both.
    pub size_px: [u32; 2],
    /// Whether the guest's memory behind the texture gets the texels, too.
    pub writes_back: bool,
}

/// What processes know a shared texture by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShareToken(pub u64);
