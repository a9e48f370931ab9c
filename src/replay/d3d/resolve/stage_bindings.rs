//! What the slots hold that a shader names.

use foldhash::HashMap;

use super::super::context::{BufferSlotState, StageSlots, slot_of};
use super::super::draw_uses::{UseGroup, UseGroups};
use super::super::effect::{EarlierCommand, ObjectKey};
use super::super::objects::{Aspect, Named, Objects, aspects_of};
use super::super::shader::ShaderSlots;
use super::interned::{Interned, Interner, MOST_KNOWN, Numbered, ValueNumber};
use super::legacy_constants::{LegacyConstants, UsedRegisters};
use crate::command::{SubresourceRange, TextureFormat};
use crate::replay::fixed_state::{Sampler, SamplerStates};
use crate::shader::d3d::{Producer, Stage};

/// A part of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferRange {
    /// The buffer.
    pub buffer: ObjectKey,
    /// Where the part starts.
    pub start_bytes: u32,
    /// Its length, within the buffer.
    pub size_bytes: u32,
}

/// A texture as a slot holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureBinding {
    /// The texture.
    pub texture: ObjectKey,
    /// The format that it is seen in.
    pub format: TextureFormat,
    /// The mips seen.
    pub mips: SubresourceRange,
    /// The layers seen.
    pub layers: SubresourceRange,
    /// All layers of the texture, seen or not.
    pub all_layers: u32,
    /// Whether the texture is as wide as it is high, as cubes are.
    pub is_square: bool,
}

/// What a slot for resources holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceBinding {
    /// A texture.
    Texture(TextureBinding),
    /// A part of a buffer.
    Buffer(BufferRange),
}

impl ResourceBinding {
    /// The texture, if it is one.
    pub fn as_texture(&self) -> Option<&TextureBinding> {
        match self {
            Self::Texture(texture) => Some(texture),
            Self::Buffer(_) => None,
        }
    }
}

/// Where constants come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstantSource {
    /// A part of a buffer.
    Buffer(BufferRange),
    /// The bank of floats of Direct3D 9: slot 0 where no buffer was ever bound.
    FloatBank,
}

/// The texels of a texture that nothing is bound to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnboundTexels {
    /// Zeros: in Direct3D 10 and 11.
    #[default]
    Zero,
    /// Opaque black: an application's shader of Direct3D 9.
    Black,
    /// Opaque white: a pixel shader that the Direct3D 9 driver made, which fills surfaces with nothing bound.
    White,
}

impl UnboundTexels {
    /// Red, green, blue and alpha, of 255.
    pub const fn rgba(self) -> [u8; 4] {
        match self {
            Self::Zero => [0; 4],
            Self::Black => [0, 0, 0, 255],
            Self::White => [255; 4],
        }
    }

    fn of(shader: &ShaderSlots) -> Self {
        let is_pixel = shader.decoded.version().stage == Stage::Pixel;
        match (shader.is_d3d9, shader.decoded.producer()) {
            (false, _) => Self::Zero,
            (true, Producer::Driver) if is_pixel => Self::White,
            (true, _) => Self::Black,
        }
    }
}

/// What the slots hold that a shader names, by slot. One that holds nothing is not among them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SlotBindings {
    /// `t#`; in Direct3D 9 the textures of samplers.
    pub resources: Vec<(u32, ResourceBinding)>,
    /// `cb#`.
    pub constants: Vec<(u32, ConstantSource)>,
    /// `u#`.
    pub written: Vec<(u32, BufferRange)>,
    /// The texels of `t#` that hold nothing.
    pub unbound: UnboundTexels,
}

/// Samplers that a shader names, by slot.
pub type SamplerBindings = Vec<(u32, Sampler)>;

/// What a shader is drawn with.
#[derive(Clone, Debug)]
pub struct StageBindings {
    /// What the slots hold that it names.
    pub slots: Interned<SlotBindings>,
    /// The number of what shaders are translated by of the textures among them.
    pub(super) shapes: ValueNumber,
    /// The samplers.
    pub samplers: Interned<SamplerBindings>,
    /// The constants of Direct3D 9, where the shader reads any.
    pub registers: Option<Numbered<LegacyConstants>>,
}

/// A texture in a slot, as far as shaders are translated by it: not which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TextureShape {
    slot: u32,
    is_depth: bool,
    layers: u32,
    all_layers: u32,
    is_square: bool,
}

impl TextureShape {
    fn of((slot, bound): &(u32, ResourceBinding)) -> Option<Self> {
        let TextureBinding { format, layers, all_layers, is_square, .. } = *bound.as_texture()?;
        let is_depth = aspects_of(format).contains(&Aspect::Depth);
        Some(Self { slot: *slot, is_depth, layers: layers.count, all_layers, is_square })
    }
}

/// What is bound, as far as it was bound before.
#[derive(Default)]
pub(super) struct KnownBindings {
    slots: Interner<SlotBindings, ValueNumber>,
    shapes: Interner<Vec<TextureShape>>,
    samplers: Interner<SamplerBindings>,
    by_names: HashMap<Vec<u64>, (Interned<SlotBindings>, ValueNumber)>,
    /// Room for what is looked up.
    found_names: Vec<u64>,
    found_slots: SlotBindings,
    found_samplers: SamplerBindings,
}

impl StageBindings {
    /// What a shader is drawn with; nothing without one.
    pub(super) fn of(
        objects: &Objects,
        held: &StageSlots,
        shader: Option<&ShaderSlots>,
        known: &mut KnownBindings,
    ) -> Self {
        let (slots, shapes) = known.interned_slots(&SlotBindings::default());
        let mut bindings = Self { slots, shapes, samplers: known.samplers.get(&Vec::new()), registers: None };
        if let Some(shader) = shader {
            bindings.renew_all(objects, held, shader, known);
        }
        bindings
    }

    /// Looks at all slots anew, since the shader is another.
    pub(super) fn renew_all(
        &mut self,
        objects: &Objects,
        held: &StageSlots,
        shader: &ShaderSlots,
        known: &mut KnownBindings,
    ) {
        self.renew(objects, held, shader, (known, UseGroups::ALL));
    }

    /// What a draw without shaders reads.
    pub(super) fn first_texture(objects: &Objects, held: &StageSlots, known: &mut KnownBindings) -> Self {
        let mut bindings = Self::of(objects, held, None, known);
        bindings.renew_first_texture(objects, held, known);
        bindings
    }

    /// The same where slots have changed.
    pub(super) fn renew_first_texture(&mut self, objects: &Objects, held: &StageSlots, known: &mut KnownBindings) {
        let first = resource(objects, held.resources.first()).map(|bound| (0, bound));
        let slots = SlotBindings { resources: first.into_iter().collect(), ..SlotBindings::default() };
        (self.slots, self.shapes) = known.interned_slots(&slots);
    }

    /// Looks at the slots anew of which something was set.
    pub(super) fn renew(
        &mut self,
        objects: &Objects,
        held: &StageSlots,
        shader: &ShaderSlots,
        (known, changed): (&mut KnownBindings, UseGroups),
    ) {
        if changed.contains(UseGroup::Slots) {
            (self.slots, self.shapes) = known.slots(objects, held, shader);
        }
        if changed.contains(UseGroup::Samplers) {
            known.find_samplers(held, shader);
            self.samplers = known.samplers.get(&known.found_samplers);
        }
        if changed.contains(UseGroup::Constants) {
            self.renew_registers(held, shader);
        }
    }

    fn renew_registers(&mut self, held: &StageSlots, shader: &ShaderSlots) {
        let reads_bank = self.slots.constants.iter().any(|(_, source)| *source == ConstantSource::FloatBank);
        let used = match (shader.is_d3d9, reads_bank) {
            (true, _) => UsedRegisters::of(shader),
            (false, true) => UsedRegisters::ALL_FLOATS,
            (false, false) => {
                self.registers = None;
                return;
            }
        };
        self.registers.get_or_insert_with(|| Numbered::new(LegacyConstants::default())).change(|registers| {
            registers.take(&held.banks, &used);
        });
    }

    /// What a slot for resources holds.
    pub fn resource(&self, slot: u32) -> Option<&ResourceBinding> {
        self.slots.resources.iter().find(|(of, _)| *of == slot).map(|(_, bound)| bound)
    }

    /// What a slot for constants holds.
    pub fn constants(&self, slot: u32) -> Option<ConstantSource> {
        self.slots.constants.iter().find(|(of, _)| *of == slot).map(|(_, source)| *source)
    }

    /// What a slot for buffers that are written holds.
    pub fn written(&self, slot: u32) -> Option<BufferRange> {
        self.slots.written.iter().find(|(of, _)| *of == slot).map(|(_, range)| *range)
    }

    /// The sampler in a slot.
    pub fn sampler(&self, slot: u32) -> Option<&Sampler> {
        self.samplers.iter().find(|(of, _)| *of == slot).map(|(_, sampler)| sampler)
    }
}

impl KnownBindings {
    /// Slots with their number, and the number of the shapes of their textures.
    fn interned_slots(&mut self, slots: &SlotBindings) -> (Interned<SlotBindings>, ValueNumber) {
        let shapes = &mut self.shapes;
        self.slots.get_with(slots, |slots| {
            let of_slots: Vec<TextureShape> = slots.resources.iter().filter_map(TextureShape::of).collect();
            shapes.number(&of_slots)
        })
    }

    /// Nothing that names stand for is known.
    pub(super) fn forget_names(&mut self) {
        self.by_names.clear();
    }

    /// Contents of the slots that a shader names, looked up once for each row of names in them. A name stands for the same as
    /// long as a slot holds it: properties of resources and views do not change.
    fn slots(
        &mut self,
        objects: &Objects,
        held: &StageSlots,
        shader: &ShaderSlots,
    ) -> (Interned<SlotBindings>, ValueNumber) {
        self.find_names(held, shader);
        if let Some(known) = self.by_names.get(self.found_names.as_slice()) {
            return known.clone();
        }
        self.find_slots(objects, held, shader);
        let found = std::mem::take(&mut self.found_slots);
        let interned = self.interned_slots(&found);
        self.found_slots = found;
        if self.by_names.len() >= MOST_KNOWN {
            self.by_names.clear();
        }
        self.by_names.insert(self.found_names.clone(), interned.clone());
        interned
    }

    /// Looks up all that decides what [`Self::find_slots`] finds.
    fn find_names(&mut self, held: &StageSlots, shader: &ShaderSlots) {
        let names = &mut self.found_names;
        names.clear();
        names.push(UnboundTexels::of(shader) as u64 | u64::from(shader.is_d3d9) << 8);
        let mut note = |kind: u64, slot: u32, held: Option<&BufferSlotState>| {
            let named = held.map_or(Named::Nothing, |held| held.slot.named);
            let named = match named {
                Named::Nothing | Named::Unknown => 0,
                Named::Resource(key) => 1 << 32 | u64::from(key.bits()),
                Named::View(number) => 2 << 32 | u64::from(number),
            };
            names.push(kind << 60 | u64::from(slot) << 40 | named);
            names.push(held.map_or(0, |held| u64::from(held.offset_bytes) << 32 | u64::from(held.size_bytes)));
        };
        let named = if shader.is_d3d9 { shader.used.samplers } else { shader.used.resources };
        named.iter().for_each(|slot| note(0, slot, held.resources.get(slot as usize)));
        if shader.is_d3d9 {
            return;
        }
        for slot in shader.used.constant_buffers.iter() {
            let state = held.constants.get(slot as usize);
            let was_set = state.is_some_and(|state| state.slot.set_by != EarlierCommand::NONE);
            note(1 + u64::from(was_set), slot, state);
        }
        shader.used.uavs.iter().for_each(|slot| note(3, slot, held.uavs.get(slot as usize)));
    }

    fn find_slots(&mut self, objects: &Objects, held: &StageSlots, shader: &ShaderSlots) {
        let SlotBindings { resources, constants, written, unbound } = &mut self.found_slots;
        *unbound = UnboundTexels::of(shader);
        resources.clear();
        constants.clear();
        written.clear();
        let named = if shader.is_d3d9 { shader.used.samplers } else { shader.used.resources };
        for slot in named.iter() {
            let bound = resource(objects, held.resources.get(slot as usize));
            resources.extend(bound.map(|bound| (slot, bound)));
        }
        if shader.is_d3d9 {
            return;
        }
        for slot in shader.used.constant_buffers.iter() {
            let state = slot_of(&held.constants, slot);
            if slot == 0 && state.slot.set_by == EarlierCommand::NONE {
                constants.push((slot, ConstantSource::FloatBank));
            } else {
                let bound = range(objects, &state);
                constants.extend(bound.map(|range| (slot, ConstantSource::Buffer(range))));
            }
        }
        for slot in shader.used.uavs.iter() {
            written.extend(range(objects, &slot_of(&held.uavs, slot)).map(|range| (slot, range)));
        }
    }

    fn find_samplers(&mut self, held: &StageSlots, shader: &ShaderSlots) {
        let samplers = &mut self.found_samplers;
        samplers.clear();
        for slot in shader.used.samplers.iter() {
            if shader.is_d3d9 {
                let unset = SamplerStates::default();
                let states = held.sampler_states.get(slot as usize).map_or(&unset, |held| &held.states);
                samplers.push((slot, Sampler::of_d3d9(states)));
            } else {
                let kept = held.samplers.get(slot as usize).and_then(|(kept, _)| kept.object.as_ref());
                samplers.extend(kept.map(|sampler| (slot, Sampler::of_d3d11(sampler))));
            }
        }
    }
}

fn resource(objects: &Objects, held: Option<&BufferSlotState>) -> Option<ResourceBinding> {
    let held = held?;
    match objects.texture(held.slot.named) {
        Some(seen) => {
            let [width, height] = seen.texture.desc.size_px;
            Some(ResourceBinding::Texture(TextureBinding {
                texture: seen.key,
                format: seen.format,
                mips: seen.mips,
                layers: seen.layers,
                all_layers: seen.texture.desc.layers,
                is_square: width == height,
            }))
        }
        None => range(objects, held).map(ResourceBinding::Buffer),
    }
}

fn range(objects: &Objects, held: &BufferSlotState) -> Option<BufferRange> {
    let (key, buffer) = objects.buffer(held.slot.named)?;
    let start_bytes = held.offset_bytes.min(buffer.size_bytes);
    let left = buffer.size_bytes - start_bytes;
    let size_bytes = if held.size_bytes == 0 { left } else { held.size_bytes.min(left) };
    Some(BufferRange { buffer: key, start_bytes, size_bytes })
}
