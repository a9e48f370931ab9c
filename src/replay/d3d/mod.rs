//! What the commands of submissions mean to Direct3D: objects, contexts, and the parts that each command reads and writes.
//!
//! ```text
//!  Command ──[DeviceState::apply]──► Effect: references (who made and set what is used), accesses (parts read and written)
//!                 │
//!                 ├── Objects: resources, views, shaders, layouts, samplers, share tokens; the whole trace's
//!                 └── Context: slots and settings of both worlds, each with the command that set it
//! ```
//!
//! | commands | module |
//! |---|---|
//! | make and destroy objects | `resources`, `views`, `sharing`, `programs` |
//! | write and copy bytes | `writes`, `copies` |
//! | set state | `settings` |
//! | clear, present, dispatch | `work` |
//! | draw | `draws`, `bindings` (of stages), `vertices` |

mod bindings;
mod context;
mod contexts;
mod copies;
mod describe;
mod draw_remarks;
mod draw_uses;
mod draws;
mod effect;
mod error;
mod labels;
mod layout;
mod named;
mod objects;
mod payloads;
mod programs;
mod replaced_shader;
mod resolve;
mod resources;
mod settings;
mod shader;
mod sharing;
mod state;
mod vertices;
mod views;
mod work;
mod writes;

pub use context::{BufferSlotState, Context, Kept, SamplerSlotStates, Setting, Slot, StageSlots, Targets, World};
pub use describe::{LiveHandle, StateRow};
pub(super) use draw_remarks::DrawRemarks;
pub use draw_remarks::{DeviceRemark, RemarkedDraws};
pub(super) use draw_uses::{DrawUses, UseGroup, UseGroups};
pub(super) use effect::EffectDetail;
pub use effect::{
    Access, AccessKind, COUNTER_BYTES, COUNTER_PART, ContextNumber, EarlierCommand, Effect, EffectKind, GuestHandle,
    NameChange, ObjectKey, PartSizes,
};
pub use error::ContractError;
pub use layout::Layout;
pub use objects::{Aspect, Buffer, Named, Objects, Resource, ResourceKind, SeenTexture, Texture, View, aspects_of};
pub(super) use payloads::Payloads;
pub use replaced_shader::{ReplacementError, check_replacement};
pub(super) use resolve::Resolver;
pub use resolve::{
    BufferRange, ClearedTargets, ConstantSource, CopiedBytes, CopiedTexels, DeviceOp, DispatchState, DrawState,
    DrawTargets, DrawnVertices, IndexSource, Interned, LegacyConstants, Numbered, ResourceBinding, SamplerBindings,
    SlotBindings, StageBindings, TargetView, TextureBinding, UnboundTexels, ValueNumber, VertexInput, VertexValue,
    WrittenPieces,
};
pub use shader::{Shader, ShaderInput, ShaderSlots, semantic_hash};
pub use state::DeviceState;
pub(super) use state::Surroundings;
