//! Command ABIs: bytes of a Packet record → packets → [`crate::command::Command`].
//!
//! ```
//! use aerogpu_replay::abi::Abi;
//! use aerogpu_replay::abi::reference::{Packet, decode_packets};
//!
//! let mut bytes = Vec::new();
//! Packet::Draw { vertex_count: 3, first_vertex: 0 }.write(&mut bytes);
//! assert_eq!(Abi::detect(&bytes), Abi::Reference);
//! let (offset, packet) = decode_packets(&bytes, 0x40).next().unwrap()?;
//! assert_eq!((offset, packet.opcode().name()), (0x40, "DRAW"));
//! # Ok::<(), aerogpu_replay::abi::AbiError>(())
//! ```
//!
//! `command_abi_version` in the file's header is advisory. Which ABI a Packet record speaks is told by its bytes:
//!
//! | first bytes | ABI |
//! |---|---|
//! | `ACMD` | [`a3a0`]: a command stream of the guest's drivers |
//! | `AGPC` | the retired A0E0 packets |
//! | anything else | [`mod@reference`]: the container specification's Appendix A |

pub mod a3a0;
pub mod canonical;
mod error;
pub mod reference;

pub use error::AbiError;

/// A command ABI, as told by a packet's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abi {
    /// The container specification's Appendix A.
    Reference,
    /// The canonical A3A0 stream.
    A3a0,
    /// The retired A0E0 packets.
    Agpc,
}

impl Abi {
    /// Tells the ABI of a Packet record by its payload.
    pub fn detect(payload: &[u8]) -> Self {
        match payload.get(..4) {
            Some(b"ACMD") => Self::A3a0,
            Some(b"AGPC") => Self::Agpc,
            _ => Self::Reference,
        }
    }

    /// The ABI's name as people say it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reference => "Appendix A",
            Self::A3a0 => "A3A0 (ACMD stream)",
            Self::Agpc => "A0E0 (AGPC packet)",
        }
    }
}
