//! Commands → guest state → resolved ops, on the CPU alone.
//!
//! ```
//! use std::sync::Arc;
//!
//! use aerogpu_replay::bytes::Diagnostics;
//! use aerogpu_replay::format::aerogpu::Trace;
//! use aerogpu_replay::replay::{CheckDepth, check_trace};
//!
//! let trace = Arc::new(Trace::open("fixtures/aerogpu/triangle.aerogputrace")?);
//! let mut commands = 0;
//! check_trace(&trace, CheckDepth::Everything, &mut Diagnostics::new(), |_| commands += 1)?;
//! assert!(commands > 5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//!  Trace ──[CommandStream]──► Located<Command> ──[Executor::apply]──► Op ──► gpu
//!    └─────[CommandReader]──►                      │
//!                                                  ├── GuestState: what the guest has made and set
//!                                                  ├── BlobStore: what a blob id means
//!                                                  ├── ProgramLibrary: linked shaders, one per distinct pair
//!                                                  └── DeviceState: objects and contexts of submissions (`d3d`)
//! ```
//!
//! Whatever goes through commands, to index, check, lint, list or draw them, is a consumer of that one way.
//!
//! Beside it stands the [`TraceIndex`], made in one pass: it knows for any frame the [`Slice`] of earlier commands
//! that it depends on. Seeking, trimming and input hashes are all made of slices. Of submissions it keeps a graph: which
//! commands each refers to, and which parts of which objects it reads and writes.
//!
//! An [`Op`] has no ids left to check: buffers and programs are keys of objects that exist, bounds are checked,
//! vertex data is where it is said to be. What is wrong with a command is a [`ReplayError`] with the command's place.

mod blob_store;
#[cfg(test)]
mod broken_invariants;
mod buffer_contents;
mod census;
mod check;
mod command_reader;
mod command_stream;
mod d3d;
mod device_at;
pub mod device_rules;
mod error;
mod executor;
mod fault_summary;
mod fixed_state;
mod frame_memory;
mod guest_memory;
mod index;
mod input_hash;
mod lint;
mod missing_objects;
mod op;
mod op_context;
mod op_list;
mod picture;
mod program_library;
mod program_list;
mod program_maker;
mod programs_ahead;
mod shader_object;
mod state;
mod target_at;
mod target_size;
mod texture_layout;
mod trim;
mod trimmed_from;
mod vertices;

pub use blob_store::BlobStore;
pub use buffer_contents::{BufferContents, Piece};
pub use census::{Api, Census};
pub use check::{CheckDepth, Checked, check_trace, compare_presents, compare_toc_with_stream, note_unlisted_frames};
pub use command_reader::CommandReader;
pub use command_stream::{CommandStream, Flow};
pub use d3d::{
    Access, AccessKind, Aspect, Buffer, BufferRange, BufferSlotState, COUNTER_BYTES, COUNTER_PART, ClearedTargets,
    ConstantSource, Context, ContextNumber, ContractError, CopiedBytes, CopiedTexels, DeviceOp, DeviceRemark,
    DeviceState, DispatchState, DrawState, DrawTargets, DrawnVertices, EarlierCommand, Effect, EffectKind, GuestHandle,
    IndexSource, Interned, Kept, Layout, LegacyConstants, LiveHandle, NameChange, Named, Numbered, ObjectKey, Objects,
    PartSizes, RemarkedDraws, ReplacementError, Resource, ResourceBinding, ResourceKind, SamplerBindings,
    SamplerSlotStates, SeenTexture, Setting, Shader, ShaderInput, ShaderSlots, Slot, SlotBindings, StageBindings,
    StageSlots, StateRow, TargetView, Targets, Texture, TextureBinding, UnboundTexels, ValueNumber, VertexInput,
    VertexValue, View, World, WrittenPieces, aspects_of, check_replacement, semantic_hash,
};
pub use device_at::device_at;
pub use error::{Problem, ReplayError};
pub use executor::Executor;
pub use fault_summary::{FaultGroup, FaultSubject, FaultSummary};
pub use fixed_state::{
    BlendEquations, ClipRange, DEFAULT_BLEND, DEFAULT_DEPTH_STENCIL, DEFAULT_RASTERIZER, DepthBias, DepthTest,
    DynamicState, FixedState, FloatBits, Fog, FogCurve, FogNumbers, LegacyRules, PointNumbers, PointRules, Raster,
    RenderStates, Sampler, SamplerStates, Shading, StateRemark, StencilFace, StencilOp, StencilTest, TargetAccess,
    Winding,
};
pub use frame_memory::{FrameMemory, keeps_spare_target, most_target_copies};
pub use guest_memory::{MemoryError, MemoryPiece};
pub use index::{
    AtHand, Bindings, CheckpointPlan, CommandNumber, ContentOrigin, ContentPlace, ContentStretch, DeadWrite,
    DeviceSlice, DrawOverBudget, DrawnTo, DrawnWith, FrameContents, FramePasses, IndexBuilder, IndexStop, IndexedPass,
    IndexedSubmission, Intervals, LinkedPasses, NamedTarget, PartCheckpoint, PartCopies, PassId, PassKind, PassLinks,
    PassRead, PassUse, PassWrite, ReadTarget, Resolved, ResolvedCommand, Slice, SliceTarget, TraceFault, TraceIndex,
    UnreadUpload, Unresolved, UnusedTarget, Wanted, WatchedParts, WatchedSince, WriteFate, WrittenInVain,
    WrittenStretch, subresource_bytes,
};
pub use input_hash::{DRAW_PARTS, DrawParts, FIELDS_PART, InputHash, InputHasher, InputPart, InputStep, PAYLOAD_PART};
pub use lint::{LintFault, LintFinding, LintGroup, LintReport, LintRule, LintSite, LintSites, lint_opened, lint_trace};
pub use missing_objects::MissingObjects;
pub use op::{AttributeLayout, BufferKey, DirectFetch, DrawOp, Op, ProgramKey, VertexFetch, VertexSlot};
pub use op_context::{DeviceOps, OpContext};
pub use picture::{NoPicture, Picture, picture_at_end, presented_pictures};
pub use program_library::ProgramLibrary;
pub use program_list::{ProgramEntry, list_programs};
pub use shader_object::{ShaderObject, ShaderOptions, ShaderReplacements};
pub use state::{GuestState, unusual_color};
pub use target_at::{NoTarget, TargetAt, target_at};
pub use target_size::{DEFAULT_SIZE, largest_viewport, lowest_scanout, scanouts};
pub use texture_layout::{Coverage, SubresourceLayout, TextureLayout, TextureLayoutError};
pub use trim::{TrimError, Trimmed, write_trimmed};
pub use trimmed_from::{describe_frames, trimmed_from};
