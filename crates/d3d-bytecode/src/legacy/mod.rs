//! Programs of Direct3D 9: SM1 to SM3, as compilers and games write them and as the emulator's driver does.
//!
//! ```
//! use d3d_bytecode::legacy::{most_turns, nests_loops};
//!
//! let text = "vs_2_0\ndefi i0, 7, 0, 1, 0\ndcl_position v0\nrep i0\nnop\nendrep\nmov oPos, v0\n";
//! let (_, program) = d3d_bytecode::assemble(text)?;
//! assert_eq!((nests_loops(&program), most_turns(&program, |_| 0)), (false, 7));
//! # Ok::<(), d3d_bytecode::AssemblyError>(())
//! ```
//!
//! ```text
//!  version token   0xfffe____ vertex, 0xffff____ pixel; major and minor model
//!  instruction     opcode 0–15 | control 16–23 | length 24–27 (not in SM1) | predicated 28 | co-issued 30
//!    result          register 0–10, 11–12, 28–30 | mask 16–19 | _sat _pp _centroid 20–23 | shift 24–27
//!    predicate       where the instruction is predicated
//!    source …        register 0–10, 11–12, 28–30 | index 13 | swizzle 16–23 | modifier 24–27
//!    index           after a register with bit 13, from SM2 on; in SM1 it is a0.x
//!  comment         0xfffe | dwords 16–30, then so many dwords: constant table, debug data, anything
//!  end             0x0000ffff
//! ```
//!
//! `opcodes` is the table of instructions, `registers` that of registers. `convention` says whether lengths count
//! the opcode token; SM1 has no lengths, there operand counts say where an instruction ends.

mod constant_table;
mod convention;
mod declare;
mod decode;
mod flow;
mod implied;
mod opcodes;
mod operand;
mod registers;
mod token;
mod turns;

pub use constant_table::{ConstantClass, ConstantScalar, ConstantShape, ConstantTable, NamedConstant, RegisterSet};
pub(super) use decode::decode;
pub use flow::{LegacyFlow, inputs, outputs};
pub use opcodes::{LegacyOpcode, Takes, emulator_forms, microsoft_forms, numbers};
pub(super) use registers::register_bits;
pub(super) use token::{END, modifier_number};
pub(super) use turns::{MOST_CALLS, MOST_TURNS};
pub use turns::{most_turns, nests_loops};
