//! The rules of the contract between guest and host, as far as state decides them. Each stands here once.

use thiserror::Error;

use crate::command::TextureFormat;
use crate::error::{Classified, ErrorKind};
use crate::text::counted;

/// A rule that a command breaks.
#[derive(Debug, Error)]
pub enum ContractError {
    /// A handle that nothing has.
    #[error("{role} {handle} does not exist: expected an earlier command that creates it")]
    Unknown {
        /// What it is to the command.
        role: &'static str,
        /// The handle.
        handle: u32,
    },
    /// A handle of another kind of object.
    #[error("{role} {handle} is a {found}: expected a {expected}")]
    WrongKind {
        /// What it is to the command.
        role: &'static str,
        /// The handle.
        handle: u32,
        /// What it is.
        found: &'static str,
        /// What it has to be.
        expected: &'static str,
    },
    /// A handle in use, created again as something else.
    #[error("resource {handle} exists with another {property}: expected it to be destroyed before it is created again")]
    InUse {
        /// The handle.
        handle: u32,
        /// What differs.
        property: &'static str,
    },
    /// Bytes outside of a resource.
    #[error(
        "{role} {handle} has {size_bytes}: expected the {count_bytes} from byte {start} on to lie within it",
        size_bytes = counted(.size, "byte"),
        count_bytes = counted(.count, "byte")
    )]
    OutOfBounds {
        /// What it is to the command.
        role: &'static str,
        /// The handle.
        handle: u32,
        /// The first byte.
        start: u64,
        /// How many.
        count: u64,
        /// How many there are.
        size: u64,
    },
    /// A mip or a layer that a texture does not have.
    #[error("{role} {handle} has {}: expected {what} {found} to be one of them", counted(.count, .what))]
    NoSuchSubresource {
        /// What it is to the command.
        role: &'static str,
        /// The handle.
        handle: u32,
        /// "mip" or "layer".
        what: &'static str,
        /// Its number; of several the last.
        found: u64,
        /// How many there are.
        count: u32,
    },
    /// A rectangle that does not fit.
    #[error(
        "the rectangle from {},{} of {}x{} texels does not fit mip {mip} of {role} {handle}, which is {}x{}",
        origin[0], origin[1], size[0], size[1], of[0], of[1]
    )]
    RectangleOutside {
        /// What it is to the command.
        role: &'static str,
        /// The handle.
        handle: u32,
        /// The mip.
        mip: u32,
        /// Left and top.
        origin: [u32; 2],
        /// Width and height.
        size: [u32; 2],
        /// Those of the mip.
        of: [u32; 2],
    },
    /// A rectangle that cuts blocks.
    #[error(
        "the rectangle from {},{} of {}x{} texels cuts blocks of {role} {handle}: expected multiples of 4, or the \
         mip's edge",
        origin[0],
        origin[1],
        size[0],
        size[1]
    )]
    CutsBlocks {
        /// What it is to the command.
        role: &'static str,
        /// The handle.
        handle: u32,
        /// Left and top.
        origin: [u32; 2],
        /// Width and height.
        size: [u32; 2],
    },
    /// A copy between formats.
    #[error("copies {from} to {to}: expected the same format")]
    FormatsDiffer {
        /// The format read.
        from: TextureFormat,
        /// The format written.
        to: TextureFormat,
    },
    /// A view whose format takes other bytes than its texture's.
    #[error("a {format} view of a {texture} texture: expected a format with texels of the same size")]
    ViewFormat {
        /// The view's format.
        format: TextureFormat,
        /// The texture's.
        texture: TextureFormat,
    },
    /// A copy within one subresource.
    #[error("copies within mip {mip} of layer {layer} of texture {handle}: expected two different subresources")]
    SameSubresource {
        /// The texture.
        handle: u32,
        /// The mip.
        mip: u32,
        /// The layer.
        layer: u32,
    },
    /// A write-back to what has no guest memory.
    #[error("writes back to resource {handle}, which has no guest memory: expected a backed resource")]
    NotBacked {
        /// The resource.
        handle: u32,
    },
    /// A token that means nothing.
    #[error("share token {token:#x} {problem}: expected a token that EXPORT_SHARED_SURFACE gave to a texture")]
    Token {
        /// The token.
        token: u64,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Slots that do not exist.
    #[error("names {count} {what} slots from {first} on: expected slots below {limit}")]
    SlotsOutside {
        /// What they are for.
        what: &'static str,
        /// The first.
        first: u32,
        /// How many.
        count: u32,
        /// How many there are.
        limit: u32,
    },
    /// A number that may not be 0.
    #[error("{what} is 0: expected a number other than 0")]
    Zero {
        /// Which.
        what: &'static str,
    },
    /// An indexed draw without indices.
    #[error("no index buffer is bound: expected an earlier SET_INDEX_BUFFER")]
    NoIndexBuffer,
    /// A shader that is missing.
    #[error("{found} without {missing}: expected both")]
    MissingShader {
        /// What is bound.
        found: &'static str,
        /// What is not.
        missing: &'static str,
    },
    /// A shader or layout that cannot be used.
    #[error("{what}: expected a usable one")]
    Unusable {
        /// Which, and why.
        what: Box<str>,
    },
    /// Vertices of no known form.
    #[error(
        "no shaders are bound and the vertex stride is {stride_bytes}: expected 20, 24 or 28, the strides that have a \
         meaning without shaders",
        stride_bytes = counted(.stride, "byte")
    )]
    NoMeaning {
        /// The stride.
        stride: u32,
    },
    /// Targets that do not go together.
    #[error("the targets are {}x{} and {}x{}: expected the same size", a[0], a[1], b[0], b[1])]
    TargetSizes {
        /// One.
        a: [u32; 2],
        /// Another.
        b: [u32; 2],
    },
    /// A target of a format that cannot be one.
    #[error("{role} {handle} is of {format}: expected {expected}")]
    TargetFormat {
        /// What it is to the command.
        role: &'static str,
        /// The handle.
        handle: u32,
        /// Its format.
        format: TextureFormat,
        /// What it has to be.
        expected: &'static str,
    },
}

impl ContractError {
    /// Whether the draw that has it fails alone; any other ends its submission.
    pub fn fails_alone(&self) -> bool {
        matches!(self, Self::Unusable { .. } | Self::NoMeaning { .. })
    }
}

impl Classified for ContractError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoMeaning { .. } => ErrorKind::Unsupported,
            _ => ErrorKind::ReplayFailed,
        }
    }

    fn offset(&self) -> Option<u64> {
        // The command has the place.
        None
    }
}
