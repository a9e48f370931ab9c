//! The minimal command ABI of the container specification's Appendix A.
//!
//! A Packet record holds one or more commands, each a sequence of little-endian dwords:
//!
//! ```text
//! dword 0   opcode
//! dword 1   total_dwords, these two included
//! dword 2…  the opcode's fields; a u64 is two dwords, low half first
//! ```

mod fields;
mod lower;
mod packets;

pub use lower::lower;
pub use packets::{Opcode, Packet, Packets, decode_packets};
