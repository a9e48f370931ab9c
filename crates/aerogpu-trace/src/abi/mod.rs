//! Command ABIs: bytes of a Packet record or of a submission's stream → packets → [`crate::command::Command`].
//!
//! ```
//! use aerogpu_trace::abi;
//! use aerogpu_trace::abi::reference::Packet;
//!
//! let mut bytes = Vec::new();
//! Packet::Draw { vertex_count: 3, first_vertex: 0 }.write(&mut bytes);
//! let packet = abi::list_packets(&bytes, 0x40).next().unwrap()?;
//! assert_eq!((packet.offset, packet.kind.name(), packet.command()?.is_draw()), (0x40, "DRAW", true));
//! # Ok::<(), abi::AbiError>(())
//! ```
//!
//! Whoever wants to know what a frame means asks [`decode()`] for commands; whoever lists packets as they stand asks
//! [`list_packets`] for their names and fields. Which ABI it is stays here: `command_abi_version` in the file's header is
//! advisory, and a Packet record tells it by its bytes.
//!
//! | first bytes | ABI |
//! |---|---|
//! | `ACMD` | [`a3a0`]: a command stream of the guest's drivers |
//! | `AGPC` | the retired A0E0 packets |
//! | anything else | [`mod@reference`]: the container specification's Appendix A |
//!
//! Writers name [`a3a0`] and [`mod@reference`] themselves: who writes a stream chooses what it speaks.

pub mod a3a0;
#[cfg(feature = "reader")]
pub mod canonical;
mod decode;
mod error;
#[cfg(feature = "reader")]
mod explain;
mod field_value;
mod inputs;
mod lists;
mod packet_list;
pub mod reference;
#[cfg(feature = "reader")]
mod submitted;

#[cfg(feature = "reader")]
pub use a3a0::SubmissionError;
pub use a3a0::{CodeKind, Diagnostic, Severity, ShaderCode, ShaderModel, allocations, vertex_attributes};
pub use decode::{CommandSink, decode, decode_stream, runs_as_submission};
pub use error::AbiError;
#[cfg(feature = "reader")]
pub use explain::{
    ByteReader, ExplainedField, can_be_explained, explain_packets, explain_stream, explain_table, foreign_name,
};
pub use field_value::{FieldValue, LISTED_ELEMENTS, ListedField};
pub use inputs::{HandleSpace, PacketInput};
pub use lists::{ListElement, list_elements};
pub use packet_list::{BytecodePacket, ListedPacket, ListedPackets, PacketKind, list_packets, list_stream, packet_at};
#[cfg(feature = "reader")]
pub use submitted::{Submitted, SubmittedCommands};

/// A command ABI, as told by a packet's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Abi {
    /// The container specification's Appendix A.
    Reference,
    /// The canonical A3A0 stream.
    A3a0,
    /// The retired A0E0 packets.
    Agpc,
}

impl Abi {
    /// Tells the ABI of a Packet record by its payload.
    fn detect(payload: &[u8]) -> Self {
        match payload.get(..4) {
            Some(b"ACMD") => Self::A3a0,
            Some(b"AGPC") => Self::Agpc,
            _ => Self::Reference,
        }
    }
}
