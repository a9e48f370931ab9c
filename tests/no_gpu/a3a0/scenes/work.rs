//! Reads and writes of clears, draws, dispatches, presents, uploads and copies.

use super::contents::Aspect;
use super::context::{BoundRange, Context, DEPTH_TARGET, Named, Slot, Thing};
use super::model::{Play, Played, Refused};
use super::provenance::{NOTHING, NodeId, Provenance, Sources};
use super::shaders::{ShaderKind, Uses, VertexElement};
use crate::support::a3a0::{Bank, COLOR, Command, Corner, DEPTH, Numbered, STENCIL, Stage};

/// A part of a texture.
type Part = (usize, u32, u32, Aspect);

/// Render states that Direct3D 9 has, of those that scenes set.
const RENDER_STATES_9: [u32; 17] = [7, 14, 15, 19, 20, 22, 23, 24, 27, 52, 56, 168, 174, 190, 191, 192, 206];
const SCISSOR_TEST: u32 = 174;
const SAMPLER_STATES_9: std::ops::RangeInclusive<u32> = 1..=13;

/// Where a command's effects go once it is known what it was made from.
#[derive(Default)]
struct Effects {
    /// Parts that keep some of what they had.
    modified: Vec<Part>,
    written: Vec<Part>,
    bytes: Vec<(usize, std::ops::Range<usize>)>,
}

impl Play {
    /// Adds who set a slot, and what made what is in it.
    fn add_slot<T: Copy>(&self, sources: &mut Sources, slot: &Slot<T>, made: impl Fn(T) -> NodeId) {
        sources.add_value(slot.value.is_some());
        self.provenance.add(sources, slot.by);
        self.provenance.add(sources, slot.value.map_or(slot.held, made));
        Provenance::add_silently(sources, slot.undone);
    }

    fn add_named(&self, sources: &mut Sources, slot: &Slot<Named>) {
        self.add_slot(sources, slot, |named| named.made);
    }

    fn add_range(&self, sources: &mut Sources, slot: &Slot<BoundRange>) {
        self.add_slot(sources, slot, |range| range.named.made);
    }

    fn add_bytes(&self, sources: &mut Sources, buffer: usize, start: u64, end: u64) {
        let buffer = &self.buffers[buffer];
        for (length, writer) in buffer.runs(buffer.clipped(start, end)) {
            sources.add_value(length);
            self.provenance.add(sources, writer);
        }
    }

    /// Adds the bytes of a bound range, of size 0 for the rest.
    fn add_bound_bytes(&self, sources: &mut Sources, range: BoundRange) -> Option<(usize, std::ops::Range<usize>)> {
        let Thing::Buffer(buffer) = range.named.thing else { return None };
        let start = u64::from(range.offset);
        let end = if range.size == 0 { u64::MAX } else { start + u64::from(range.size) };
        self.add_bytes(sources, buffer, start, end);
        Some((buffer, self.buffers[buffer].clipped(start, end)))
    }

    fn add_part(&self, sources: &mut Sources, (texture, mip, layer, aspect): Part) {
        self.provenance.add(sources, self.textures[texture].part(mip, layer, aspect));
    }

    /// The first subresource that a target means, by its aspects.
    fn target_parts(&self, named: Named) -> Vec<Part> {
        let (texture, mip, layer) = match named.thing {
            Thing::Texture(texture) => (texture, 0, 0),
            Thing::View(view) => {
                let view = &self.views[view];
                (view.texture, view.base_mip, view.base_layer)
            }
            Thing::Buffer(_) => return Vec::new(),
        };
        Aspect::of(self.textures[texture].desc.format).iter().map(|aspect| (texture, mip, layer, *aspect)).collect()
    }

    /// Adds the targets, and gives colour parts by their slots and the parts of depth.
    fn add_targets(&self, sources: &mut Sources, context: &Context) -> Result<(Vec<Option<Part>>, Vec<Part>), Refused> {
        if context.targets.iter().any(|slot| slot.is_unknown) {
            return Err(Refused);
        }
        context.targets.iter().for_each(|slot| self.add_named(sources, slot));
        Ok(self.bound_parts(context, context.targets.iter().all(|slot| slot.value.is_none())))
    }

    /// The colour parts by their slots, and the parts of depth.
    fn bound_parts(&self, context: &Context, is_back_buffer: bool) -> (Vec<Option<Part>>, Vec<Part>) {
        if is_back_buffer {
            return (vec![Some((context.back_buffer, 0, 0, Aspect::Color))], Vec::new());
        }
        let (colors, depth) = context.targets.split_at(DEPTH_TARGET);
        let first = |slot: &Slot<Named>| self.target_parts(slot.value?).first().copied();
        let depth = depth[0].value.map_or(Vec::new(), |named| self.target_parts(named));
        (colors.iter().map(first).collect(), depth)
    }

    /// Adds the targets that a clear of these flags looks at; gives the same as for draws.
    fn cleared_targets(
        &self,
        sources: &mut Sources,
        context: &Context,
        flags: u32,
    ) -> Result<(Vec<Option<Part>>, Vec<Part>), Refused> {
        let is_back_buffer = context.targets.iter().all(|slot| slot.value.is_none() && !slot.is_unknown);
        let is_seen = |place: usize| match place {
            DEPTH_TARGET => flags & (DEPTH | STENCIL) != 0 || flags & COLOR != 0 && is_back_buffer,
            _ => flags & COLOR != 0,
        };
        for (_, slot) in context.targets.iter().enumerate().filter(|(place, _)| is_seen(*place)) {
            if slot.is_unknown {
                return Err(Refused);
            }
            self.add_named(sources, slot);
        }
        Ok(self.bound_parts(context, is_back_buffer))
    }

    /// Gives the effects to the parts, all of them made from `sources`.
    fn carry_out(&mut self, number: u32, sources: &Sources, effects: Effects) -> NodeId {
        let base = self.provenance.node(number, sources);
        for (texture, mip, layer, aspect) in effects.written {
            self.textures[texture].set_part(mip, layer, aspect, base);
        }
        for (texture, mip, layer, aspect) in effects.modified {
            let mut sources = Sources::default();
            self.provenance.add(&mut sources, base);
            self.add_part(&mut sources, (texture, mip, layer, aspect));
            let modified = self.provenance.node(number, &sources);
            self.textures[texture].set_part(mip, layer, aspect, modified);
        }
        for (buffer, range) in effects.bytes {
            self.buffers[buffer].bytes[range].fill(base);
        }
        base
    }

    pub fn clear(&mut self, number: u32, context: &Context, flags: u32) -> Played {
        let mut sources = Sources::default();
        context.world.by.iter().for_each(|node| self.provenance.add(&mut sources, *node));
        let mut is_cut = false;
        if context.world.is_d3d9 {
            self.provenance.add(&mut sources, context.scissor);
            let state = context.render_states.get(&SCISSOR_TEST);
            self.provenance.add(&mut sources, state.map_or(NOTHING, |state| state.by));
            is_cut = state.is_some_and(|state| state.value != 0);
        }
        let (colors, depth) = self.cleared_targets(&mut sources, context, flags)?;
        self.answer(number, &sources);
        let mut parts = Vec::new();
        if flags & COLOR != 0 {
            parts.extend(colors.into_iter().flatten());
        }
        let is_flagged = |part: &Part| match part.3 {
            Aspect::Depth => flags & DEPTH != 0,
            _ => flags & STENCIL != 0,
        };
        parts.extend(depth.into_iter().filter(is_flagged));
        let effects = match is_cut {
            true => Effects { modified: parts, ..Effects::default() },
            false => Effects { written: parts, ..Effects::default() },
        };
        self.carry_out(number, &sources, effects);
        Ok(())
    }

    pub fn present(&mut self, number: u32, context: &Context, scanout: u32) -> Played {
        let mut sources = Sources::default();
        let color = &context.targets[0];
        if color.is_unknown {
            return Err(Refused);
        }
        let part = match color.value {
            Some(named) => {
                self.add_named(&mut sources, color);
                // A buffer cannot be shown.
                *self.target_parts(named).first().ok_or(Refused)?
            }
            None => {
                context.targets.iter().for_each(|slot| self.add_named(&mut sources, slot));
                if context.targets.iter().any(|slot| slot.value.is_some() || slot.is_unknown) {
                    return Err(Refused);
                }
                (context.back_buffer, 0, 0, Aspect::Color)
            }
        };
        self.add_part(&mut sources, part);
        let node = self.answer(number, &sources);
        self.presented(number, scanout, node);
        Ok(())
    }

    pub fn dispatch(&mut self, number: u32, context: &Context, groups: [u32; 3]) -> Played {
        let Some(cs) = context.cs else { return Err(Refused) };
        let mut sources = Sources::default();
        self.provenance.add(&mut sources, context.shaders_by);
        self.provenance.add(&mut sources, cs.made);
        if groups.contains(&0) {
            self.answer(number, &sources);
            return Ok(());
        }
        let mut effects = Effects::default();
        self.add_stage(&mut sources, context, cs.kind, &mut effects);
        self.answer(number, &sources);
        self.carry_out(number, &sources, effects);
        Ok(())
    }

    pub fn draw(&mut self, number: u32, context: &Context, command: &Command) -> Played {
        let mut sources = Sources::default();
        if is_nothing(command) {
            // It draws nothing, whatever is bound: only the picture behind it is that of the target.
            context.targets.iter().for_each(|slot| self.add_named(&mut sources, slot));
            self.answer(number, &sources);
            return Ok(());
        }
        self.provenance.add(&mut sources, context.shaders_by);
        let [vs, ps] = [context.vs, context.ps];
        for shader in [vs, ps] {
            self.provenance.add(&mut sources, shader.map_or(NOTHING, |shader| shader.made));
        }
        let (vertex, pixel) = match (vs, ps) {
            (None, None) => self.fallback(context)?,
            (None, Some(_)) => return Err(Refused),
            (Some(vs), ps) => (vs.kind.uses(), ps.map_or(Uses::default(), |ps| ps.kind.uses())),
        };
        self.provenance.add(&mut sources, context.topology);
        self.provenance.add(&mut sources, context.viewport);
        let (colors, depth) = self.add_targets(&mut sources, context)?;
        self.add_fixed_state(&mut sources, context, vertex.is_d3d9);
        let elements = self.add_vertex_slots(&mut sources, context, vs.map(|vs| vs.kind));
        if matches!(command, Command::DrawIndexed { .. }) {
            self.add_range(&mut sources, &context.index_buffer);
        }
        let mut read = sources.clone();
        let mut effects = Effects::default();
        for (shader, uses) in [(vs, &vertex), (ps, &pixel)] {
            match shader {
                Some(shader) => self.add_stage(&mut read, context, shader.kind, &mut effects),
                None if vs.is_none() => self.add_fallback_stage(&mut read, context, uses),
                None => {}
            }
        }
        self.add_vertices(&mut read, context, &elements, command);
        self.answer(number, &read);
        self.add_attachments(&mut read, context, [&vertex, &pixel], (colors, depth), &mut effects);
        self.carry_out(number, &read, effects);
        Ok(())
    }

    fn add_fixed_state(&self, sources: &mut Sources, context: &Context, is_d3d9: bool) {
        let scissor = if is_d3d9 {
            for state in RENDER_STATES_9 {
                let by = context.render_states.get(&state).map_or(NOTHING, |state| state.by);
                self.provenance.add(sources, by);
            }
            for target in 0..4 {
                self.provenance.add(sources, context.mask_9(target).1);
            }
            context.render_state(SCISSOR_TEST, 0, false) != 0
        } else {
            let states = [context.blend.by, context.depth.by, context.raster.by];
            states.into_iter().for_each(|by| self.provenance.add(sources, by));
            context.raster.value == Some(true)
        };
        if scissor {
            self.provenance.add(sources, context.scissor);
        }
    }

    /// Adds layout and buffers of the elements that the shader reads, and gives these.
    fn add_vertex_slots(&self, sources: &mut Sources, context: &Context, vs: Option<ShaderKind>) -> Vec<VertexElement> {
        let elements: Vec<VertexElement> = match vs {
            None => {
                let stride = context.vertex_buffers.get(&0).and_then(|slot| slot.value).map_or(0, |range| range.size);
                vec![VertexElement { slot: 0, offset: 0, size: stride, step: 0 }]
            }
            Some(vs) => {
                let inputs = vs.uses().inputs;
                if inputs.is_empty() {
                    return Vec::new();
                }
                self.add_slot(sources, &context.layout, |layout| layout.made);
                let Some(layout) = context.layout.value else { return Vec::new() };
                inputs.iter().map(|input| layout.kind.elements()[*input]).collect()
            }
        };
        let mut slots: Vec<u32> = elements.iter().map(|element| element.slot).collect();
        slots.sort();
        slots.dedup();
        for slot in slots {
            if let Some(slot) = context.vertex_buffers.get(&slot) {
                self.add_range(sources, slot);
            }
        }
        elements
    }

    fn add_vertices(&self, sources: &mut Sources, context: &Context, elements: &[VertexElement], command: &Command) {
        let mut slots: Vec<u32> = elements.iter().map(|element| element.slot).collect();
        slots.sort();
        slots.dedup();
        for slot in slots {
            let Some(range) = context.vertex_buffers.get(&slot).and_then(|slot| slot.value) else { continue };
            let Thing::Buffer(buffer) = range.named.thing else { continue };
            let of_slot = elements.iter().filter(|element| element.slot == slot);
            let mut bytes: Option<(u64, u64)> = None;
            for is_instance in [false, true] {
                let elements = of_slot.clone().filter(|element| (element.step > 0) == is_instance);
                let first = elements.clone().map(|element| u64::from(element.offset)).min();
                let end = elements.clone().map(|element| u64::from(element.offset + element.size)).max();
                let (Some(first), Some(end)) = (first, end) else { continue };
                let step = elements.clone().map(|element| element.step).max().unwrap_or(0);
                let start = u64::from(range.offset);
                let (from, to) = match numbers(command, step) {
                    Some((low, high)) => {
                        let stride = u64::from(range.size);
                        (start + low * stride + first, start + high * stride + end)
                    }
                    None => (start + first, u64::MAX),
                };
                let (low, high) = bytes.unwrap_or((from, to));
                bytes = Some((low.min(from), high.max(to)));
            }
            if let Some((start, end)) = bytes {
                self.add_bytes(sources, buffer, start, end);
            }
        }
        if let (Command::DrawIndexed { indices, first, .. }, Some(range)) = (command, context.index_buffer.value)
            && let Thing::Buffer(buffer) = range.named.thing
        {
            let [first, count, size] = [*first, *indices, range.size].map(u64::from);
            let start = u64::from(range.offset) + first * size;
            self.add_bytes(sources, buffer, start, start + count * size);
        }
    }

    /// Adds what a stage refers to.
    fn add_stage_references(&self, sources: &mut Sources, context: &Context, kind: ShaderKind) {
        let (stage, uses) = (kind.stage(), kind.uses());
        for slot in self.resource_slots(&uses) {
            if let Some(slot) = context.resources.get(&(stage, slot)) {
                self.add_range(sources, slot);
            }
        }
        for sampler in &uses.samplers {
            if uses.is_d3d9 {
                for state in SAMPLER_STATES_9 {
                    let by = context.sampler_states.get(&(stage, *sampler, state)).copied();
                    self.provenance.add(sources, by.unwrap_or(NOTHING));
                }
            } else if let Some(slot) = context.samplers.get(&(stage, *sampler)) {
                self.add_slot(sources, slot, |made| made);
            }
        }
        for constant in &uses.constants {
            let by = context.constants.get(&(stage, constant.0, constant.1)).copied();
            self.provenance.add(sources, by.unwrap_or(NOTHING));
        }
        let is_bound = |slot: u32| context.constant_buffers.contains_key(&(stage, slot));
        if uses.uses_all_floats || uses.constant_buffers.contains(&0) && !is_bound(0) {
            let floats = (stage, Bank::Float, 0)..=(stage, Bank::Float, u32::MAX);
            for ((_, _, register), by) in context.constants.range(floats) {
                sources.add_value(register);
                self.provenance.add(sources, *by);
            }
        }
        for slot in &uses.constant_buffers {
            if let Some(slot) = context.constant_buffers.get(&(stage, *slot)) {
                self.add_range(sources, slot);
            }
        }
        for slot in &uses.uavs {
            if let Some(slot) = context.uavs.get(&(stage, *slot)) {
                self.add_range(sources, slot);
            }
        }
    }

    fn resource_slots(&self, uses: &Uses) -> Vec<u32> {
        let textures = uses.textures.iter().map(|texture| texture.slot);
        textures.chain(uses.resource_buffers.iter().copied()).collect()
    }

    /// Adds what a stage refers to and reads, and notes the buffers that it writes.
    fn add_stage(&self, sources: &mut Sources, context: &Context, kind: ShaderKind, effects: &mut Effects) {
        self.add_stage_references(sources, context, kind);
        let (stage, uses) = (kind.stage(), kind.uses());
        for texture in &uses.textures {
            let range = context.resources.get(&(stage, texture.slot)).and_then(|slot| slot.value);
            if let Some(range) = range {
                self.add_texels(sources, range.named, texture.has_layers);
            }
        }
        let resources = uses.resource_buffers.iter().filter_map(|slot| context.resources.get(&(stage, *slot)));
        let constants = uses.constant_buffers.iter().filter_map(|slot| context.constant_buffers.get(&(stage, *slot)));
        for range in resources.chain(constants).filter_map(|slot| slot.value) {
            self.add_bound_bytes(sources, range);
        }
        let uavs = uses.uavs.iter().filter_map(|slot| context.uavs.get(&(stage, *slot)));
        for range in uavs.filter_map(|slot| slot.value) {
            effects.bytes.extend(self.add_bound_bytes(sources, range));
        }
    }

    /// Adds what a shader can see of a texture.
    fn add_texels(&self, sources: &mut Sources, named: Named, has_layers: bool) {
        let (texture, mips, layers) = match named.thing {
            Thing::Texture(texture) => {
                let desc = &self.textures[texture].desc;
                (texture, 0..desc.mips, 0..desc.layers)
            }
            Thing::View(view) => {
                let view = &self.views[view];
                let mips = view.base_mip..view.base_mip + view.mips;
                (view.texture, mips, view.base_layer..view.base_layer + view.layers)
            }
            Thing::Buffer(_) => return,
        };
        let layers = if has_layers { layers } else { layers.start..layers.start + 1 };
        let aspect = Aspect::of(self.textures[texture].desc.format)[0];
        for layer in layers {
            for mip in mips.clone() {
                self.add_part(sources, (texture, mip, layer, aspect));
            }
        }
    }

    /// Adds the tests, and notes what is drawn to.
    fn add_attachments(
        &self,
        sources: &mut Sources,
        context: &Context,
        [vertex, pixel]: [&Uses; 2],
        (colors, depth): (Vec<Option<Part>>, Vec<Part>),
        effects: &mut Effects,
    ) {
        for output in &pixel.outputs {
            let mask = match vertex.is_d3d9 {
                true => context.mask_9(*output).0,
                false => u32::from(context.blend.value.unwrap_or(0xf)),
            };
            if let Some(Some(part)) = colors.get(*output).filter(|_| mask & 0xf != 0) {
                effects.modified.push(*part);
            }
        }
        let (test, write, is_read) = match vertex.is_d3d9 {
            true => (
                context.render_state(7, 1, false) != 0,
                context.render_state(14, 1, false) != 0,
                context.render_state(23, 4, true) != 8,
            ),
            false => {
                let (test, write, func) = context.depth.value.unwrap_or((true, true, 1));
                (test, write, func != 7)
            }
        };
        let has_stencil = vertex.is_d3d9 && context.render_state(52, 0, false) != 0;
        for part in depth {
            let (is_tested, is_modified) = match part.3 {
                Aspect::Depth => (test && is_read, test && write),
                _ => (has_stencil, has_stencil),
            };
            if is_tested {
                self.add_part(sources, part);
            }
            if is_modified {
                effects.modified.push(part);
            }
        }
    }

    /// Replacement for both shaders, by the stride of the first vertex buffer.
    fn fallback(&self, context: &Context) -> Result<(Uses, Uses), Refused> {
        let range = context.vertex_buffers.get(&0).and_then(|slot| slot.value).ok_or(Refused)?;
        let uses = Uses { outputs: vec![0], ..Uses::default() };
        match range.size {
            20 => Ok((Uses::default(), Uses { resource_buffers: vec![0], ..uses })),
            24 | 28 => Ok((Uses::default(), uses)),
            _ => Err(Refused),
        }
    }

    fn add_fallback_stage(&self, sources: &mut Sources, context: &Context, uses: &Uses) {
        for slot in &uses.resource_buffers {
            if let Some(slot) = context.resources.get(&(Stage::Pixel, *slot)) {
                self.add_range(sources, slot);
                if let Some(range) = slot.value {
                    self.add_texels(sources, range.named, false);
                }
            }
        }
    }

    pub fn transfer(&mut self, numbered: &Numbered<'_>) -> Played {
        match numbered.command {
            Command::Upload { handle, offset, bytes } => {
                self.fill(numbered, *handle, *offset, bytes.0.len() as u32, false)
            }
            Command::Dirty { handle, offset, size } => self.fill(numbered, *handle, *offset, *size, true),
            Command::CopyBuffer { dst, dst_offset, src, src_offset, size, writes_back } => {
                let ranges = [(*dst, *dst_offset), (*src, *src_offset)];
                self.copy_buffer(numbered, ranges, *size, *writes_back)
            }
            Command::CopyTexture { dst, src, width, height, writes_back } => {
                self.copy_texture(numbered, [*dst, *src], [*width, *height], *writes_back)
            }
            command => panic!("{command:?} moves nothing"),
        }
    }

    /// An upload, or a refresh from guest memory.
    fn fill(&mut self, numbered: &Numbered<'_>, handle: u32, offset: u32, size: u32, is_guest: bool) -> Played {
        let Some(named) = self.named(handle) else {
            // To nothing, nothing is brought; it must be nothing for that.
            let mut sources = Sources::default();
            Provenance::add_silently(&mut sources, self.last_end(handle));
            self.answer(numbered.number, &sources);
            return Ok(());
        };
        let range = u64::from(offset)..u64::from(offset) + u64::from(size);
        let backing = match named.thing {
            Thing::Buffer(buffer) => self.buffers[buffer].backing,
            Thing::Texture(texture) => self.textures[texture].backing,
            Thing::View(_) => return Err(Refused),
        };
        let mut sources = Sources::default();
        self.provenance.add(&mut sources, named.made);
        self.provenance.add(&mut sources, self.placed_by(named));
        if is_guest && backing.is_none() {
            self.answer(numbered.number, &sources);
            return Ok(());
        }
        if let Some(backing) = backing.filter(|_| is_guest) {
            self.add_guest_memory(&mut sources, numbered, backing, range.clone());
        }
        self.answer(numbered.number, &sources);
        let mut effects = Effects::default();
        match named.thing {
            Thing::Buffer(buffer) => {
                effects.bytes.push((buffer, self.buffers[buffer].clipped(range.start, range.end)));
            }
            Thing::Texture(texture) => {
                let desc = &self.textures[texture].desc;
                for (mip, layer, placed) in desc.placed() {
                    let parts = Aspect::of(desc.format).iter().map(|aspect| (texture, mip, layer, *aspect));
                    if placed.is_covered(&range) {
                        effects.written.extend(parts);
                    } else if placed.is_touched(&range) {
                        effects.modified.extend(parts);
                    }
                }
            }
            Thing::View(_) => {}
        }
        self.carry_out(numbered.number, &sources, effects);
        Ok(())
    }

    fn copy_buffer(
        &mut self,
        numbered: &Numbered<'_>,
        [(dst, dst_offset), (src, src_offset)]: [(u32, u32); 2],
        size: u32,
        writes_back: bool,
    ) -> Played {
        if dst == src {
            return Err(Refused);
        }
        let (Some(to), Some(from)) = (self.named(dst), self.named(src)) else { return Err(Refused) };
        let (Thing::Buffer(to_buffer), Thing::Buffer(from_buffer)) = (to.thing, from.thing) else {
            return Err(Refused);
        };
        let mut sources = Sources::default();
        self.provenance.add(&mut sources, to.made);
        self.provenance.add(&mut sources, from.made);
        if size == 0 {
            self.answer(numbered.number, &sources);
            return Ok(());
        }
        if writes_back {
            self.provenance.add(&mut sources, self.placed_by(to));
        }
        let [start, size] = [src_offset, size].map(u64::from);
        self.add_bytes(&mut sources, from_buffer, start, start + size);
        self.answer(numbered.number, &sources);
        let at = u64::from(dst_offset);
        let written = self.buffers[to_buffer].clipped(at, at + size);
        let effects = Effects { bytes: vec![(to_buffer, written)], ..Effects::default() };
        let base = self.carry_out(numbered.number, &sources, effects);
        if let Some(backing) = self.buffers[to_buffer].backing.filter(|_| writes_back) {
            self.write_back(numbered, backing, at..at + size, base);
        }
        Ok(())
    }

    fn copy_texture(
        &mut self,
        numbered: &Numbered<'_>,
        [dst, src]: [Corner; 2],
        [width, height]: [u32; 2],
        writes_back: bool,
    ) -> Played {
        let (Some(to), Some(from)) = (self.named(dst.texture), self.named(src.texture)) else { return Err(Refused) };
        let (Thing::Texture(to_texture), Thing::Texture(from_texture)) = (to.thing, from.thing) else {
            return Err(Refused);
        };
        // In a play of some commands the names may mean other textures.
        let holds = |corner: Corner, texture: usize| {
            let desc = &self.textures[texture].desc;
            corner.mip < desc.mips && corner.layer < desc.layers
        };
        let formats = [to_texture, from_texture].map(|texture| self.textures[texture].desc.format);
        if !holds(dst, to_texture) || !holds(src, from_texture) || formats[0] != formats[1] {
            return Err(Refused);
        }
        let mut sources = Sources::default();
        self.provenance.add(&mut sources, to.made);
        self.provenance.add(&mut sources, from.made);
        if width == 0 || height == 0 {
            self.answer(numbered.number, &sources);
            return Ok(());
        }
        if writes_back {
            self.provenance.add(&mut sources, self.placed_by(to));
        }
        let aspects = Aspect::of(self.textures[from_texture].desc.format);
        for aspect in aspects {
            self.add_part(&mut sources, (from_texture, src.mip, src.layer, *aspect));
        }
        self.answer(numbered.number, &sources);
        let desc = self.textures[to_texture].desc;
        let parts = aspects.iter().map(|aspect| (to_texture, dst.mip, dst.layer, *aspect)).collect();
        let is_whole = [dst.x, dst.y] == [0, 0] && [width, height] == desc.mip_size(dst.mip);
        let effects = match is_whole {
            true => Effects { written: parts, ..Effects::default() },
            false => Effects { modified: parts, ..Effects::default() },
        };
        let base = self.carry_out(numbered.number, &sources, effects);
        if let Some(backing) = self.textures[to_texture].backing.filter(|_| writes_back) {
            let (block_bytes, side) = desc.block();
            let placed = desc.placed()[(dst.layer * desc.mips + dst.mip) as usize].2;
            for row in dst.y / side..(dst.y + height).div_ceil(side) {
                let row_start = placed.start + u64::from(row) * placed.pitch;
                let [first, end] = [dst.x / side, (dst.x + width).div_ceil(side)]
                    .map(|block| row_start + u64::from(block * block_bytes));
                self.write_back(numbered, backing, first..end, base);
            }
        }
        Ok(())
    }
}

/// Whether a draw draws nothing.
fn is_nothing(command: &Command) -> bool {
    match command {
        Command::Draw { vertices, instances, .. } => *vertices == 0 || *instances == 0,
        Command::DrawIndexed { indices, instances, .. } => *indices == 0 || *instances == 0,
        _ => true,
    }
}

/// The first and the last number by which a draw reads elements of that step, where they are known.
fn numbers(command: &Command, step: u32) -> Option<(u64, u64)> {
    let (first_instance, instances) = match command {
        Command::Draw { first_instance, instances, .. } => (*first_instance, *instances),
        Command::DrawIndexed { instances, .. } => (0, *instances),
        _ => return None,
    };
    if let Some(steps) = (instances.max(1) - 1).checked_div(step) {
        let first = u64::from(first_instance);
        return Some((first, first + u64::from(steps)));
    }
    match command {
        Command::Draw { vertices, first, .. } => {
            let first = u64::from(*first);
            Some((first, first + u64::from((*vertices).max(1)) - 1))
        }
        _ => None,
    }
}
