//! A context's state and the objects of a trace, in Direct3D's words.

use super::context::{BufferSlotState, Context, Kept, Slot, StageSlots, World};
use super::effect::EarlierCommand;
use super::objects::{Named, Objects, SeenTexture};
use super::shader::Shader;
use crate::command::{Filter, NumberedState, ShaderStage, Viewport};
use crate::replay::fixed_state::{FixedState, Sampler};
use crate::shader::d3d::purpose;
use crate::text::{Harmless, counted};

/// One thing that a context holds or says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateRow {
    /// What it belongs to: "shaders", "targets", "vertex textures".
    pub group: String,
    /// Which one of these.
    pub name: String,
    /// What it is.
    pub value: String,
    /// The handle of the object that it names.
    pub handle: Option<u32>,
    /// The number of the command that set it.
    pub set_by: Option<u32>,
}

/// An object that a handle names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveHandle {
    /// The handle.
    pub handle: u32,
    /// "buffer", "texture", "view", "shader", "layout", "sampler".
    pub kind: &'static str,
    /// What it is.
    pub description: String,
    /// The number of the command that gave it the handle.
    pub named_by: Option<u32>,
    /// How many mips and layers a texture or a view has.
    pub subresources: Option<[u32; 2]>,
    /// Name that a marker gives the resource.
    pub label: Option<String>,
}

/// Collects rows.
struct Rows<'o> {
    objects: &'o Objects,
    rows: Vec<StateRow>,
}

impl Context {
    /// The world of draws with the shaders that are bound; that of other commands, if there are none.
    pub fn world(&self) -> World {
        let vertex = self.shader(ShaderStage::Vertex).object.as_ref().map(|shader| &shader.program);
        match vertex {
            Some(Ok(slots)) if slots.is_d3d9 => World::Direct3d9,
            Some(Ok(_)) => World::Direct3d11,
            _ => self.decided.world,
        }
    }

    /// Everything that is bound and set, in the order of the pipeline; what was never set is left out, but for the fixed
    /// state.
    pub fn rows(&self, objects: &Objects) -> Vec<StateRow> {
        let mut rows = Rows { objects, rows: Vec::new() };
        rows.shaders(self);
        rows.vertices(self);
        rows.fixed(self);
        rows.targets(self);
        for stage in ShaderStage::ALL {
            rows.stage(stage, self.stage(stage));
        }
        rows.rows
    }
}

impl Rows<'_> {
    fn add(
        &mut self,
        group: impl Into<String>,
        name: impl Into<String>,
        value: impl Into<String>,
        set_by: EarlierCommand,
    ) {
        let (group, name, value) = (group.into(), name.into(), value.into());
        self.rows.push(StateRow { group, name, value, handle: None, set_by: set_by.get() });
    }

    /// Gives the last row the handle of its object; 0 names none.
    fn of_object(&mut self, handle: u32) {
        self.rows.last_mut().filter(|_| handle != 0).into_iter().for_each(|row| row.handle = Some(handle));
    }

    fn shaders(&mut self, context: &Context) {
        let api = match context.world() {
            World::Direct3d9 => "Direct3D 9",
            World::Direct3d11 => "Direct3D 10/11",
        };
        self.add("pipeline", "API", api, context.shaders_set_by);
        for stage in ShaderStage::ALL {
            let kept = context.shader(stage);
            if kept.handle != 0 {
                self.add("shaders", stage.direct3d_name(), shader_in_words(kept), context.shaders_set_by);
                self.of_object(kept.handle);
            }
        }
    }

    fn vertices(&mut self, context: &Context) {
        let layout = &context.layout;
        if layout.set_by != EarlierCommand::NONE {
            let value = match &layout.value.object {
                Some(object) => match &object.attributes {
                    Ok(attributes) => {
                        format!("layout {} of {}", layout.value.handle, counted(attributes.len(), "element"))
                    }
                    Err(why) => format!("layout {}, which cannot be used: {why}", layout.value.handle),
                },
                None if layout.value.handle == 0 => "none".to_owned(),
                None => format!("layout {}, which does not exist", layout.value.handle),
            };
            self.add("vertices", "layout", value, layout.set_by);
            self.of_object(layout.value.handle);
        }
        self.add("vertices", "topology", context.topology.value.to_string(), context.topology.set_by);
        for (number, held) in context.vertex_buffers.iter().enumerate() {
            if held.slot.set_by != EarlierCommand::NONE {
                let value =
                    format!("{}, stride {}, from {:#x}", self.named(&held.slot), held.size_bytes, held.offset_bytes);
                self.add("vertices", format!("buffer {number}"), value, held.slot.set_by);
                self.of_object(held.slot.handle);
            }
        }
        let (held, format) = &context.indices.value;
        if context.indices.set_by != EarlierCommand::NONE {
            let value = format!("{}, {format}, from {:#x}", self.named(&held.slot), held.offset_bytes);
            self.add("vertices", "indices", value, context.indices.set_by);
            self.of_object(held.slot.handle);
        }
    }

    fn fixed(&mut self, context: &Context) {
        let (fixed, dynamic) = match context.world() {
            World::Direct3d9 => FixedState::of_d3d9(&context.render_states),
            World::Direct3d11 => {
                FixedState::of_d3d11(&context.blend.value, &context.depth_stencil.value, &context.rasterizer.value)
            }
        };
        for (name, value) in fixed.rows().into_iter().chain(dynamic.rows(&fixed)) {
            self.add("fixed-function state", name, value, EarlierCommand::NONE);
        }
        if context.world() == World::Direct3d9 {
            for (number, value) in context.render_states.all_sent() {
                if let Some(state) = NumberedState::render_state(number) {
                    let set_by = context.render_state_set_by(number);
                    self.add("render states", state.name, state.describe(value), set_by);
                }
            }
        }
    }

    fn targets(&mut self, context: &Context) {
        for (number, slot) in context.targets.colors.iter().enumerate() {
            if slot.handle != 0 {
                self.add("targets", format!("colour {number}"), self.named(slot), slot.set_by);
                self.of_object(slot.handle);
            }
        }
        let depth = &context.targets.depth_stencil;
        if depth.handle != 0 {
            self.add("targets", "depth", self.named(depth), depth.set_by);
            self.of_object(depth.handle);
        }
        if context.targets.is_empty() {
            let [slot, ..] = &context.targets.colors;
            self.add("targets", "colour 0", "the context's own back buffer", slot.set_by);
        }
        if let Some(viewport) = &context.viewport.value {
            let value = match viewport {
                Viewport::TopLeft { width_px, height_px } => format!("{width_px}x{height_px}"),
                Viewport::Rectangle { origin_px: [x, y], size_px: [width, height], depth: [near, far] } => {
                    format!("{width}x{height} from {x},{y}, depth {near} to {far}")
                }
            };
            let is_none = context.world() == World::Direct3d11 && viewport.is_none_set();
            let value = if is_none { "none: the whole target".to_owned() } else { value };
            self.add("targets", "viewport", value, context.viewport.set_by);
        }
        if let Some(scissor) = &context.scissor.value {
            let ([x, y], [width, height]) = (scissor.origin_px, scissor.size_px);
            let is_none = context.world() == World::Direct3d11 && scissor.is_none_set();
            let value = if is_none { "none".to_owned() } else { format!("{width}x{height} from {x},{y}") };
            self.add("targets", "scissor", value, context.scissor.set_by);
        }
    }

    fn stage(&mut self, stage: ShaderStage, slots: &StageSlots) {
        let group = |what: &str| format!("{} {what}", stage.direct3d_name());
        let part = |held: &BufferSlotState| match (held.offset_bytes, held.size_bytes) {
            (0, 0) => String::new(),
            (from, 0) => format!(", from {from:#x}"),
            (from, size) => format!(", {size_bytes} from {from:#x}", size_bytes = counted(size, "byte")),
        };
        for (what, letter, held) in [
            ("resources", 't', &slots.resources),
            ("constant buffers", 'b', &slots.constants),
            ("UAVs", 'u', &slots.uavs),
        ] {
            for (number, held) in held.iter().enumerate().filter(|(_, held)| held.slot.set_by != EarlierCommand::NONE) {
                let value = format!("{}{}", self.named(&held.slot), part(held));
                self.add(group(what), format!("{letter}{number}"), value, held.slot.set_by);
                self.of_object(held.slot.handle);
            }
        }
        for (number, (kept, set_by)) in slots.samplers.iter().enumerate() {
            if *set_by != EarlierCommand::NONE {
                let value = match &kept.object {
                    Some(sampler) => {
                        let rows = Sampler::of_d3d11(sampler).rows();
                        let rows: Vec<String> =
                            rows.into_iter().map(|(name, value)| format!("{name} {value}")).collect();
                        format!("sampler {}: {}", kept.handle, rows.join(", "))
                    }
                    None if kept.handle == 0 => "none".to_owned(),
                    None => format!("sampler {}, which does not exist", kept.handle),
                };
                self.add(group("samplers"), format!("s{number}"), value, *set_by);
                self.of_object(kept.handle);
            }
        }
        for (number, sampler) in slots.sampler_states.iter().enumerate() {
            for (state_number, value) in sampler.states.all_sent() {
                if let Some(state) = NumberedState::sampler_state(state_number) {
                    let (name, value) = (format!("s{number} {}", state.name), state.describe(value));
                    self.add(group("sampler states"), name, value, sampler.set_by(state_number));
                }
            }
        }
        for (bank, letter) in slots.banks.iter().zip(['c', 'i', 'b']) {
            let words = bank.values.as_chunks::<4>().0;
            let words_each = if letter == 'b' { 1 } else { 4 };
            let in_words = |word: &[u8; 4]| match letter {
                'c' => f32::from_le_bytes(*word).to_string(),
                'i' => i32::from_le_bytes(*word).to_string(),
                _ => (*word != [0; 4]).to_string(),
            };
            for (start, end, writer) in bank.writers.stretches() {
                let registers = words.chunks_exact(words_each).zip(0..).take(end as usize).skip(start as usize);
                for (register, number) in registers {
                    let values: Vec<String> = register.iter().map(in_words).collect();
                    self.add(
                        group("constants"),
                        format!("{letter}{number}"),
                        values.join(", "),
                        EarlierCommand::new(writer),
                    );
                }
            }
        }
    }

    /// What a slot holds.
    fn named(&self, slot: &Slot) -> String {
        match slot.named {
            Named::Nothing => "none".to_owned(),
            Named::Unknown => format!("resource {}, which did not exist", slot.handle),
            named => {
                let label = self.objects.label(slot.handle).filter(|_| self.objects.named(slot.handle) == named);
                let label = label.map_or_else(String::new, |label| format!(" \"{}\"", Harmless(label)));
                format!("{}{label}: {}", slot.handle, self.objects.in_words(named))
            }
        }
    }
}

fn shader_in_words(kept: &Kept<std::sync::Arc<Shader>>) -> String {
    let handle = kept.handle;
    match &kept.object {
        None => format!("shader {handle}, which did not exist"),
        Some(shader) => match &shader.program {
            Ok(slots) => {
                let (size, at) = (shader.code.size_bytes, shader.code.offset);
                format!(
                    "shader {handle}: {}, {size_bytes} of code at {at:#x}",
                    purpose(&slots.decoded),
                    size_bytes = counted(size, "byte")
                )
            }
            Err(why) => format!("shader {handle}, which cannot be used: {why}"),
        },
    }
}

impl Objects {
    /// What a resource or view is.
    pub fn in_words(&self, named: Named) -> String {
        if let Some((_, buffer)) = self.buffer(named) {
            return format!("buffer of {}", counted(buffer.size_bytes, "byte"));
        }
        self.texture(named).map_or_else(|| "nothing".to_owned(), |seen| texture_in_words(named, &seen))
    }

    /// Everything that has a handle, by kind and handle.
    pub fn live(&self) -> Vec<LiveHandle> {
        let mut live = Vec::new();
        let unlabelled = |handle, kind, description, made_by| LiveHandle {
            handle,
            kind,
            description,
            named_by: Some(made_by),
            subresources: None,
            label: None,
        };
        for (handle, name) in &self.names {
            let kind = match name.named {
                Named::View(_) => "view",
                named if self.buffer(named).is_some() => "buffer",
                _ => "texture",
            };
            let named_by = name.named_by.get();
            let subresources = self.texture(name.named).map(|seen| [seen.mips.count, seen.layers.count]);
            live.push(LiveHandle {
                handle: *handle,
                kind,
                description: self.in_words(name.named),
                named_by,
                subresources,
                label: self.label(*handle).map(str::to_owned),
            });
        }
        for (handle, shader, made_by) in self.shaders.all() {
            let description =
                format!("{} shader, {}", shader.stage.direct3d_name(), counted(shader.code.size_bytes, "byte"));
            live.push(unlabelled(handle, "shader", description, made_by));
        }
        for (handle, layout, made_by) in self.layouts.all() {
            let description = match &layout.attributes {
                Ok(attributes) => counted(attributes.len(), "element"),
                Err(why) => format!("cannot be used: {why}"),
            };
            live.push(unlabelled(handle, "layout", description, made_by));
        }
        for (handle, sampler, made_by) in self.samplers.all() {
            let filter = match sampler.filter {
                Filter::Nearest => "nearest",
                Filter::Linear => "linear",
            };
            let [u, v, w] = sampler.address;
            let description = format!("{filter}, {u} {v} {w}");
            live.push(unlabelled(handle, "sampler", description, made_by));
        }
        live.sort_by_key(|object| (object.kind, object.handle));
        live
    }
}

fn texture_in_words(named: Named, seen: &SeenTexture<'_>) -> String {
    let SeenTexture { texture, mips, layers, format, .. } = seen;
    let what = match named {
        Named::View(_) => format!("view of texture {}", texture.desc.id.number()),
        _ => "texture".to_owned(),
    };
    let [width, height] = texture.desc.size_px.map(|side| (side >> mips.first.min(31)).max(1));
    let several = |what: &str, first: u32, count: u32, all: u32| match (first, count) {
        (0, 1) if all == 1 => String::new(),
        (first, 1) => format!(", {what} {first}"),
        (first, count) => format!(", {what}s {first} to {}", first + count - 1),
    };
    let mips = several("mip", mips.first, mips.count, texture.desc.mips);
    let layers = several("layer", layers.first, layers.count, texture.desc.layers);
    format!("{what}, {width}x{height} of {format}{mips}{layers}")
}
