//! What a GPU has to do for a command of a submission, once [`DeviceState`] has carried it out: objects instead of
//! handles, both worlds' settings as one, and of bindings what the shaders name.

mod draw_state;
mod interned;
mod legacy_constants;
mod outline_number;
mod stage_bindings;
mod vertex_input;

use std::ops::Range;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

pub use draw_state::{DispatchState, DrawState, DrawTargets, IndexSource, TargetView};
pub use interned::{Interned, Numbered, ValueNumber};
pub use legacy_constants::LegacyConstants;
pub use stage_bindings::{
    BufferRange, ConstantSource, ResourceBinding, SamplerBindings, SlotBindings, StageBindings, TextureBinding,
    UnboundTexels,
};
pub use vertex_input::{VertexInput, VertexValue};

use interned::Interner;
use outline_number::OutlineNumbers;
use stage_bindings::KnownBindings;

use super::context::{Context, World};
use super::draw_uses::DirtyGroups;
use super::effect::{ContextNumber, EffectKind, ObjectKey};
use super::objects::{Aspect, Named, Objects, ResourceKind, SeenTexture};
use super::state::DeviceState;
use crate::command::{
    Aspects, Clear, Command, CopyBuffer, CopyTexture, CreateTexture, Draw, DrawIndexed, Payload, Refresh, SetScissor,
    Subresource,
};
use crate::error::Internal;
use crate::replay::error::Problem;
use crate::replay::guest_memory::MemoryPiece;
use crate::replay::texture_layout::TextureLayout;

/// D3DRS_SCISSORTESTENABLE.
const SCISSOR_TEST_ENABLE: u32 = 174;

/// D3DRS_SRGBWRITEENABLE.
const SRGB_WRITE_ENABLE: u32 = 194;

/// Sources of written bytes, in order: nearly always one.
pub type WrittenPieces = SmallVec<[MemoryPiece; 1]>;

/// Something that a GPU has to do.
#[derive(Clone, Debug)]
pub enum DeviceOp {
    /// A buffer of zeros comes into being.
    CreateBuffer {
        /// Its key.
        buffer: ObjectKey,
        /// Its size.
        size_bytes: u32,
    },
    /// A texture of zeros comes into being.
    CreateTexture {
        /// Its key.
        texture: ObjectKey,
        /// What it is like.
        desc: CreateTexture,
        /// Layout of its texels in guest memory and in uploads.
        layout: Arc<TextureLayout>,
    },
    /// No later op names the resource.
    Drop {
        /// Its key.
        resource: ObjectKey,
    },
    /// Bytes of a resource are written from outside, where they lie in guest memory and in uploads.
    Write {
        /// The resource.
        resource: ObjectKey,
        /// The first byte.
        start_bytes: u64,
        /// Where they come from, in order.
        bytes: WrittenPieces,
        /// Layout of a texture's texels there.
        layout: Option<Arc<TextureLayout>>,
    },
    /// The counter of a buffer is set.
    SetCounter {
        /// The buffer.
        buffer: ObjectKey,
        /// What it is set to.
        count: u32,
    },
    /// Bytes of a buffer are copied to another.
    CopyBuffer(CopiedBytes),
    /// Texels are copied from one subresource to another.
    CopyTexture(CopiedTexels),
    /// Targets are filled.
    Clear(Box<ClearedTargets>),
    /// Triangles, lines or points are drawn.
    Draw {
        /// Everything that draws share until something is set.
        state: Arc<DrawState>,
        /// Which vertices, how often.
        vertices: DrawnVertices,
    },
    /// A compute shader runs.
    Dispatch {
        /// What it runs with.
        state: Arc<DispatchState>,
        /// How many groups, by axis.
        groups: [u32; 3],
    },
    /// A target is shown.
    Present {
        /// On which screen.
        scanout: u32,
        /// What is shown; nothing where nothing is bound as first colour target though something else is.
        source: Option<TargetView>,
    },
}

impl DeviceOp {
    /// The object that it makes.
    pub fn made(&self) -> Option<ObjectKey> {
        match self {
            Self::CreateBuffer { buffer: made, .. } | Self::CreateTexture { texture: made, .. } => Some(*made),
            _ => None,
        }
    }

    /// The screen that it presents to.
    pub fn scanout(&self) -> Option<u32> {
        match self {
            Self::Present { scanout, .. } => Some(*scanout),
            _ => None,
        }
    }
}

/// Bytes that are copied from one buffer to another.
#[derive(Clone, Copy, Debug)]
pub struct CopiedBytes {
    /// The buffer written.
    pub to: ObjectKey,
    /// Its first byte written.
    pub to_bytes: u64,
    /// The buffer read.
    pub from: ObjectKey,
    /// Its first byte read.
    pub from_bytes: u64,
    /// How many bytes.
    pub size_bytes: u64,
    /// The number by which the rest of the submission may read them from guest memory, if they are written back to it.
    pub written_back_by: Option<u32>,
}

/// Texels that are copied from one subresource to another.
#[derive(Clone, Copy, Debug)]
pub struct CopiedTexels {
    /// The texture written.
    pub to: ObjectKey,
    /// Its mip and layer.
    pub to_part: Subresource,
    /// Left and top of what is written.
    pub to_px: [u32; 2],
    /// The texture read.
    pub from: ObjectKey,
    /// Its mip and layer.
    pub from_part: Subresource,
    /// Left and top of what is read.
    pub from_px: [u32; 2],
    /// Width and height.
    pub size_px: [u32; 2],
    /// The number by which the rest of the submission may read them from guest memory, if they are written back to it.
    pub written_back_by: Option<u32>,
}

/// Targets that are filled.
#[derive(Clone, Debug)]
pub struct ClearedTargets {
    /// The targets.
    pub targets: DrawTargets,
    /// Which aspects of them.
    pub aspects: Aspects,
    /// Red, green, blue, alpha.
    pub rgba: [f32; 4],
    /// Depth.
    pub depth: f32,
    /// Stencil.
    pub stencil: u8,
    /// The rectangle that is filled, where the scissor counts.
    pub scissor: Option<SetScissor>,
    /// Whether colours are written by the curve of sRGB, as Direct3D 9 may say of every write.
    pub writes_srgb: bool,
}

/// The vertices of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawnVertices {
    /// In the order in which they lie.
    Direct(Draw),
    /// In the order of indices.
    Indexed(DrawIndexed),
}

/// Resolves commands, and keeps for each context what its next draw may share with the last.
#[derive(Default)]
pub(in crate::replay) struct Resolver {
    /// State of the last draw of each context, by the context's number.
    last: Vec<Option<Arc<DrawState>>>,
    known: Known,
}

/// What has numbers.
#[derive(Default)]
struct Known {
    bindings: KnownBindings,
    outlines: OutlineNumbers,
    inputs: Interner<Vec<VertexInput>>,
}

impl Resolver {
    /// Nothing was drawn.
    pub(in crate::replay) fn restart(&mut self) {
        self.last.clear();
        self.known.bindings.forget_names();
    }

    /// Adds what a GPU has to do for `command` of the context `id`, which `device` has just carried out as the command with
    /// the number `number`.
    pub(in crate::replay) fn resolve(
        &mut self,
        device: &mut DeviceState,
        command: &Command,
        (id, number): (u32, u32),
        ops: &mut Vec<DeviceOp>,
    ) -> Result<(), Problem> {
        match *command {
            Command::Draw(draw) => return self.draw(device, id, DrawnVertices::Direct(draw), ops),
            Command::DrawIndexed(draw) => return self.draw(device, id, DrawnVertices::Indexed(draw), ops),
            _ => {}
        }
        let device = &*device;
        let context = || device.context(id).ok_or(Internal::new("a command's context is missing"));
        match *command {
            Command::Dispatch(ref dispatch) if !dispatch.groups.contains(&0) => {
                let state =
                    DispatchState::of(&device.objects, context()?, dispatch.bindings, &mut self.known.bindings)?;
                ops.push(DeviceOp::Dispatch { state: Arc::new(state), groups: dispatch.groups });
            }
            Command::Clear(ref clear) => ops.push(DeviceOp::Clear(Box::new(cleared(device, context()?, clear)))),
            Command::Present(ref present) => {
                ops.push(DeviceOp::Present { scanout: present.scanout, source: device.presented_target(id) });
            }
            Command::CreateBuffer(_)
            | Command::CreateTexture(_)
            | Command::DestroyResource(_)
            | Command::Upload(_)
            | Command::Refresh(_)
            | Command::SetBuffers(_)
            | Command::CopyBuffer(_)
            | Command::CopyTexture(_) => transferred(device, command, number, ops)?,
            _ => {}
        }
        Ok(())
    }

    fn draw(
        &mut self,
        device: &mut DeviceState,
        id: u32,
        vertices: DrawnVertices,
        ops: &mut Vec<DeviceOp>,
    ) -> Result<(), Problem> {
        let (count, instances) = match vertices {
            DrawnVertices::Direct(draw) => (draw.vertex_count, draw.instance_count),
            DrawnVertices::Indexed(draw) => (draw.index_count, draw.instance_count),
        };
        if count == 0 || instances == 0 {
            return Ok(());
        }
        let DeviceState { objects, contexts, .. } = device;
        let number = contexts.enter(id)?;
        let context = &mut contexts.at_mut(number)?.context;
        let dirty = std::mem::replace(&mut context.unresolved, DirtyGroups::NONE);
        let renewed = self.renewed(objects, context, number, dirty);
        // A state that is half renewed, or not drawn with, is nothing to go on from.
        let state = renewed.inspect_err(|_| self.restart())?;
        ops.push(DeviceOp::Draw { state, vertices });
        Ok(())
    }

    /// State of the next draw of a context, where this much was set since the last.
    fn renewed(
        &mut self,
        objects: &Objects,
        context: &Context,
        number: ContextNumber,
        dirty: DirtyGroups,
    ) -> Result<Arc<DrawState>, Problem> {
        let Self { last, known } = self;
        let at = number.0 as usize;
        if last.len() <= at {
            last.resize_with(at + 1, || None);
        }
        let slot = last.get_mut(at).ok_or(Internal::new("a context has no place"))?;
        match slot {
            Some(state) => {
                if dirty != DirtyGroups::NONE {
                    let state = Arc::make_mut(state);
                    state.renew(objects, context, (known, dirty))?;
                    state.check_turns()?;
                }
                Ok(state.clone())
            }
            None => {
                let state = DrawState::of(objects, context, known)?;
                state.check_turns()?;
                Ok(slot.insert(Arc::new(state)).clone())
            }
        }
    }
}

/// What a GPU has to do for a command that makes, drops, writes or copies resources.
fn transferred(device: &DeviceState, command: &Command, number: u32, ops: &mut Vec<DeviceOp>) -> Result<(), Internal> {
    let key_of = |handle: u32| match device.objects.named(handle) {
        Named::Resource(key) => Ok(key),
        _ => Err(Internal::new("a resource in use has no name")),
    };
    let layout_of = |key| match device.objects.resource(key).map(|resource| &resource.kind) {
        Some(ResourceKind::Texture(texture)) => Some(texture.layout.clone()),
        _ => None,
    };
    match *command {
        Command::CreateBuffer(ref create) => {
            let buffer = key_of(create.id.number())?;
            if buffer.creation() == Some(number) {
                let size_bytes = u32::try_from(create.size_bytes);
                let size_bytes = size_bytes.map_err(|_| Internal::new("a buffer below its limit is over 4 GiB"))?;
                ops.push(DeviceOp::CreateBuffer { buffer, size_bytes });
            }
            if !device.effect.memory.is_empty() {
                let bytes = device.effect.memory.iter().cloned().collect();
                ops.push(DeviceOp::Write { resource: buffer, start_bytes: 0, bytes, layout: None });
            }
        }
        Command::CreateTexture(desc) => {
            let texture = key_of(desc.id.number())?;
            let is_new = texture.creation() == Some(number);
            let layout = layout_of(texture).ok_or(Internal::new("a new texture is not among the objects"))?;
            ops.extend(is_new.then_some(DeviceOp::CreateTexture { texture, desc, layout }));
        }
        Command::DestroyResource(_) => {
            ops.extend(device.effect.ended.map(|resource| DeviceOp::Drop { resource }));
        }
        Command::Upload(ref upload) if device.effect.kind == EffectKind::Upload => {
            let Payload::Inline(bytes) = upload.payload else {
                return Err(Internal::new("an upload of a submission names a blob"));
            };
            let resource = key_of(upload.id.number())?;
            let (start_bytes, bytes) = (upload.offset_bytes, smallvec![MemoryPiece::File(bytes.range())]);
            ops.push(DeviceOp::Write { resource, start_bytes, bytes, layout: layout_of(resource) });
        }
        Command::Refresh(Refresh { id, offset_bytes, .. }) if device.effect.kind == EffectKind::Upload => {
            let (resource, bytes) = (key_of(id.number())?, device.effect.memory.iter().cloned().collect());
            ops.push(DeviceOp::Write { resource, start_bytes: offset_bytes, bytes, layout: layout_of(resource) });
        }
        Command::SetBuffers(_) => {
            let set = device.effect.counters.iter();
            ops.extend(set.map(|(buffer, count)| DeviceOp::SetCounter { buffer: *buffer, count: *count }));
        }
        Command::CopyBuffer(copy) if device.effect.kind == EffectKind::Copy => {
            let CopyBuffer { to, from, to_offset_bytes, from_offset_bytes, size_bytes, writes_back } = copy;
            ops.push(DeviceOp::CopyBuffer(CopiedBytes {
                to: key_of(to.number())?,
                to_bytes: to_offset_bytes,
                from: key_of(from.number())?,
                from_bytes: from_offset_bytes,
                size_bytes,
                written_back_by: writes_back.then_some(number),
            }));
        }
        Command::CopyTexture(copy) if device.effect.kind == EffectKind::Copy => {
            let CopyTexture { to, from, to_px, from_px, size_px, writes_back } = copy;
            ops.push(DeviceOp::CopyTexture(CopiedTexels {
                to: key_of(to.id.number())?,
                to_part: to,
                to_px,
                from: key_of(from.id.number())?,
                from_part: from,
                from_px,
                size_px,
                written_back_by: writes_back.then_some(number),
            }));
        }
        _ => {}
    }
    Ok(())
}

impl DeviceState {
    /// What a context presents: what is bound in its first slot of colour targets.
    fn presented_target(&self, id: u32) -> Option<TargetView> {
        let context = self.context(id)?;
        let [slot, ..] = &context.targets.colors;
        self.target_in([slot.named], context)
    }

    /// The first colour target of a context, whichever slot it is in: what a picture in the middle of a frame shows.
    pub fn bound_target(&self, id: u32) -> Option<TargetView> {
        let context = self.context(id)?;
        self.target_in(context.targets.colors.iter().map(|slot| slot.named), context)
    }

    /// The first texture among these names; the context's own back buffer, if it has no target at all.
    fn target_in(&self, named: impl IntoIterator<Item = Named>, context: &Context) -> Option<TargetView> {
        match named.into_iter().find_map(|named| self.objects.texture(named)) {
            Some(seen) => Some(TargetView::of(&seen)),
            None => context.targets.is_empty().then_some(TargetView::back_buffer(context.back_buffer)),
        }
    }

    /// The parts of an object that [`Self::bound_target`] is.
    pub fn bound_parts(&self, id: u32) -> Option<(ObjectKey, Range<u32>)> {
        self.parts_of(&self.bound_target(id)?)
    }

    /// The parts of an object that a target is.
    pub fn parts_of(&self, target: &TargetView) -> Option<(ObjectKey, Range<u32>)> {
        let TargetView { texture, mip, layer, .. } = *target;
        match self.objects.resource(texture).map(|resource| &resource.kind) {
            Some(ResourceKind::Texture(known)) => Some((texture, known.parts(Aspect::Color, layer, mip..mip + 1)?)),
            // A context's own back buffer has one part.
            _ => Some((texture, 0..1)),
        }
    }
}

fn cleared(device: &DeviceState, context: &Context, clear: &Clear) -> ClearedTargets {
    let is_on = |state| context.decided.world == World::Direct3d9 && context.render_states.get(state) != 0;
    ClearedTargets {
        targets: DrawTargets::of(&device.objects, context),
        aspects: clear.aspects,
        rgba: clear.rgba,
        depth: clear.depth,
        stencil: clear.stencil as u8,
        scissor: context.scissor.value.filter(|_| is_on(SCISSOR_TEST_ENABLE)),
        writes_srgb: is_on(SRGB_WRITE_ENABLE),
    }
}

impl TargetView {
    fn of(seen: &SeenTexture<'_>) -> Self {
        Self {
            texture: seen.key,
            format: seen.format,
            mip: seen.mips.first,
            layer: seen.layers.first,
            size_px: Some(seen.target_size_px()),
        }
    }
}
