//! The emulator's private encoding of SM4 and SM5, which all public traces hold.
//!
//! ```text
//!  31 30     24 23              11 10          0
//! ┌──┬─────────┬──────────────────┬─────────────┐
//! │e │ control │ length in dwords │ opcode      │   e: an extended opcode token follows
//! └──┴─────────┴──────────────────┴─────────────┘   opcodes from 0x100 on are declarations
//! ```
//!
//! Opcodes are numbered otherwise than Microsoft's, and what this encoding has in another order is put in theirs:
//! `v[vertex][register]`, the upper half of a product before the lower. An instruction may have a predicate, which
//! Microsoft's SM4 hasn't. Declarations can't be relied upon: those that say nothing are passed over.

mod declarations;
mod decode;
mod opcodes;
mod operand;
mod shapes;

pub(super) use decode::decode;
pub use opcodes::{EMULATOR_INSTRUCTIONS, EmulatorForm, EmulatorInstruction};
