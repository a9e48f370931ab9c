//! Direct3D bytecode, SM1 to SM5: what a shader is, which slots it reads, and what it says. Needs no GPU.
//!
//! ```
//! let (bytes, _) = d3d_bytecode::assemble("ps_2_0\ndef c0, 1.0, 0.0, 0.0, 1.0\nmov oC0, c0\n")?;
//! let program = d3d_bytecode::decode(&bytes, 0)?;
//! assert_eq!(program.version().to_string(), "ps_2_0");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//!  bytes ─► container (DXBC: signatures, program) ─┐
//!       └─► bare token stream ─────────────────────┴─► decoder ─► Program ─► used slots, disassembly, emitters
//!                                                       SM4, SM5
//!                                                       the emulator's SM4
//!                                                       SM1 to SM3
//!  assembly ─► assemble ─► bytes
//! ```
//!
//! One [`Program`] for all: what it is made of stands in this folder, what is peculiar to an encoding in the decoder's.

#![forbid(unsafe_code)]
// The example of the README is tried.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod assembly;
mod builder;
mod container;
mod declaration;
mod digest;
mod disassembly;
mod emulator;
mod error;
mod instruction;
pub mod legacy;
pub mod limits;
mod name;
mod nesting;
mod numbered;
mod opcode;
mod operand;
mod program;
mod purpose;
mod register_shape;
mod role;
mod shader;
mod signature;
mod signature_chunk;
mod slots;
mod sm4;
mod source_names;
mod summary;
mod tokens;
mod translate;
mod version;

pub use assembly::{AssemblyError, assemble};
pub use container::{CONTAINER_MAGIC, Chunk, Container};
pub use declaration::{
    BasicPrimitive, ConstantBufferAccess, DataRange, Declaration, DeclarationKind, GlobalFlags, InputPrimitive,
    Interpolation, OutputTopology, ResourceShape, SamplerMode, StageTexture, TessDomain, TessOutputPrimitive,
    TessPartitioning, UavFlags, Usage,
};
pub use disassembly::{disassemble, disassemble_with_names};
pub use emulator::{EMULATOR_INSTRUCTIONS, EmulatorForm, EmulatorInstruction};
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
pub use program::{Comment, Program};
pub use purpose::purpose;
pub use role::Role;
pub use shader::{check_digest, decode, is_bytecode};
pub use signature::{ComponentType, SignatureElement, Signatures, SystemValue};
pub use slots::{SlotSet, Slots};
pub use sm4::{ControlBits, DECLARATIONS, DeclarationForm, INSTRUCTIONS, InstructionForm, REGISTER_KINDS};
pub use source_names::{SlotName, SourceNames, VariableName};
pub use summary::{ContainerDigest, InstructionCounts, Summary, sha256};
pub use translate::{
    BorderRule, BoundBuffer, Clipping, CubeFilter, DrawOptions, ENTRY_POINT, FogRule, InputFeed, LEGACY_BOOLEANS,
    LEGACY_CONSTANT_BYTES, LEGACY_FLOATS, LEGACY_INTEGERS, PIXEL_GROUP, Parameter, ParameterBlock, PixelCenters,
    SampledAs, SamplerRule, SizedPoints, StageBinding, StageBindingKind, StageResources, StorageAccess, StoredLayers,
    TextureDimension, TextureShapes, TranslateError, TranslatedDraw, TranslatedStage, VERTEX_GROUP, check_translation,
    linked_by_register, translate_compute, translate_draw,
};
pub use version::{Dialect, Producer, Stage, Version};
