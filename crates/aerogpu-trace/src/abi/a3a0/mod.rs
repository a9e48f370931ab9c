//! The A3A0 command ABI: what the guest's drivers emit.
//!
//! A stream is what one submission carries out:
//!
//! ```text
//! 0   magic "ACMD", abi_version, size_bytes, flags, reserved ×2     24 bytes
//! 24  packets: opcode u32, size_bytes u32 (these 8 included), fields, a variable part
//! ```
//!
//! Opcodes stand in one table per family: [`resources`], [`shaders`], [`state`], [`bindings`], [`work`], [`sharing`].
//! From the tables follow names, lengths, the structures that packets are decoded to and encoded from, listings, and
//! what is odd about a field. A packet may be longer than its table says, and its tail is kept; a shorter one is an
//! error. An opcode that no table has is [`Body::Unknown`].

mod alloc_table;
pub mod bindings;
pub mod calls;
mod check;
mod diagnostic;
pub mod enumerations;
mod error;
mod inputs;
mod layout;
mod listing;
mod lower;
mod packet;
pub mod resources;
mod rest;
mod shader_code;
pub mod shaders;
pub mod sharing;
mod stage;
pub mod state;
mod stream;
#[cfg(feature = "reader")]
mod submitted;
mod table;
mod vertex_attributes;
mod vertex_declaration;
mod wire;
pub mod work;

pub use alloc_table::{
    AllocTable, TABLE_ENTRY_BYTES, TABLE_HEADER_BYTES, TABLE_MAGIC, TableEntry, TableHeader, TableWriter, allocations,
};
pub use check::RestPlace;
pub use diagnostic::{Class, Diagnostic, Severity};
pub use error::{EncodeError, Lack, StreamError};
pub use inputs::inputs_of;
pub use layout::{DisplayFormat, Field, Layout, Member, Names, Rest, Rule, Shape, Spec};
pub use lower::lower;
pub use packet::{Body, Packet, RawPacket, RawPackets};
pub use rest::{
    BoolForm, Bools, BoundHandle, BufferBinding, Bytes, Element, Elements, Text, UnorderedAccessBinding, Variable,
    VertexBufferBinding,
};
pub use shader_code::{Chunk, CodeKind, ShaderCode, ShaderModel};
pub use stage::{consults_stage_ex, stage_of};
pub use stream::{ABI_VERSION, STREAM_HEADER_BYTES, STREAM_MAGIC, Stream, StreamHeader, StreamWriter};
#[cfg(feature = "reader")]
pub use submitted::{PACKET_RECORD_CONTEXT, SubmissionError, SubmittedStream, SubmittedStreams};
pub use table::Described;
pub use vertex_attributes::vertex_attributes;
pub use vertex_declaration::{D3d9Declaration, D3d9Element, ILAY_MAGIC, Ilay, IlayElement, VertexDeclaration};
pub use wire::Wire;
