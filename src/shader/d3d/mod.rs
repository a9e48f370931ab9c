//! Direct3D bytecode, SM1 to SM5: what a shader is, which slots it reads, and what it says. Needs no GPU.
//!
//! ```text
//!  bytes ─► container (DXBC: signatures, program) ─┐
//!       └─► bare token stream ─────────────────────┴─► decoder ─► Program ─► used slots, disassembly, emitters
//!                                                       SM4, SM5
//!                                                       the emulator's SM4
//!                                                       SM1 to SM3
//! ```
//!
//! One [`Program`] for all: what it is made of stands in this folder, what is peculiar to an encoding in the decoder's.

#![allow(dead_code, reason = "the decoders that take these pieces follow")]

mod builder;
mod declaration;
mod error;
mod instruction;
mod nesting;
mod numbered;
mod opcode;
mod operand;
mod program;
mod signature;
mod slots;
mod version;

pub use declaration::{
    BasicPrimitive, ConstantBufferAccess, DataRange, Declaration, DeclarationKind, GlobalFlags, InputPrimitive,
    Interpolation, OutputTopology, ResourceShape, SamplerMode, StageTexture, TessDomain, TessOutputPrimitive,
    TessPartitioning, UavFlags, Usage,
};
pub use error::BytecodeError;
pub use instruction::{
    Comparison, Control, InfoForm, Instruction, Modifiers, ResourceAccess, ResourceDimension, ReturnType, SyncFlags,
    Test, TokenOffset,
};
pub use opcode::Opcode;
pub use operand::{
    Index, Lane, Lanes, Mask, MinPrecision, Modifier, Operand, OperandValue, Register, RegisterKind, RelativeId,
    Swizzle,
};
pub use program::Program;
pub use signature::{ComponentType, SignatureElement, Signatures, SystemValue};
pub use slots::{SlotSet, Slots};
pub use version::{Dialect, Stage, Version};
