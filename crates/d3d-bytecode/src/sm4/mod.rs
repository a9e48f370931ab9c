//! SM4 and SM5 as Microsoft's compilers write them.
//!
//! ```text
//!  31 30     24 23              11 10          0
//! ┌──┬─────────┬──────────────────┬─────────────┐
//! │e │ length  │ control bits     │ opcode      │   e: an extended opcode token follows
//! └──┴─────────┴──────────────────┴─────────────┘   length in dwords, this one included
//! ```
//!
//! The program's first token is its version, the second its length in dwords.

mod access;
mod declarations;
mod decode;
mod opcodes;
mod operand;
mod temps;

pub use declarations::{DECLARATIONS, DeclarationForm};
pub(super) use decode::decode;
pub use opcodes::{ControlBits, INSTRUCTIONS, InstructionForm};
pub use operand::REGISTER_KINDS;
pub(super) use temps::check_temps;
