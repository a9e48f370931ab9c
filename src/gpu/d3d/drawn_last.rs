//! A draw that differs little from the one before it in its pass: what both have in common stays set.
//!
//! ```text
//!  same targets, and nothing has happened to resources ──► the pipeline, vertices and groups that differ, then the call
//!  anything else ──► the long way, which sets what is not set
//! ```

use std::sync::Arc;

use super::draw::numbers;
use super::groups::{Lifetime, StageGroup};
use super::known_sources::KnownVertices;
use super::outline::{DrawOutline, KnownOutline, OutlineNumber};
use super::parameters::DrawNumbers;
use super::stage_groups::ResourceEpoch;
use super::stages::Stage;
use crate::command::Location;
use crate::error::Internal;
use crate::gpu::error::GpuError;
use crate::gpu::recorder::Recorder;
use crate::gpu::renderer::Renderer;
use crate::replay::device_rules::writes_buffers;
use crate::replay::{DrawState, DrawnVertices, StageBindings, ValueNumber};
use crate::shader::d3d::SlotSet;

/// The last draw of the pass that is open.
pub(super) struct DrawnLast {
    outline: OutlineNumber,
    /// The size of its indices, which the pipeline of a strip knows.
    indices: Option<wgpu::IndexFormat>,
    epoch: ResourceEpoch,
    inputs: ValueNumber,
    /// The registers that its vertex stage reads of them.
    read: SlotSet,
    vertices: Arc<KnownVertices>,
    /// By stage; nothing of one that is looked at anew for each draw.
    stages: [Option<StageNumbers>; 2],
    numbers: DrawNumbers,
}

/// Numbers that say what a stage is drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StageNumbers {
    stage: u32,
    slots: ValueNumber,
    samplers: ValueNumber,
    registers: Option<ValueNumber>,
}

impl StageNumbers {
    /// Those of a stage that has a group of this lifetime, if they say all of it: a buffer of constants may be written to
    /// and keep its number.
    pub(super) fn of(stage: &Stage, held: &StageBindings, lifetime: Lifetime) -> Option<Self> {
        let says_all = lifetime == Lifetime::Lasting && !stage.has_guest_constants;
        says_all.then(|| Self::of_bindings(stage, held))
    }

    fn of_bindings(stage: &Stage, held: &StageBindings) -> Self {
        let registers = held.registers.as_ref().map(|registers| registers.number());
        Self { stage: stage.number, slots: held.slots.number(), samplers: held.samplers.number(), registers }
    }
}

impl DrawnLast {
    /// A draw that has just been recorded; nothing if vertices were made for it alone.
    pub(super) fn of(
        (outline, indices, epoch): (OutlineNumber, Option<wgpu::IndexFormat>, ResourceEpoch),
        (inputs, read, vertices): (ValueNumber, SlotSet, Arc<KnownVertices>),
        (stages, numbers): ([Option<StageNumbers>; 2], DrawNumbers),
    ) -> Option<Box<Self>> {
        vertices
            .lie_as_seen(epoch)
            .then(|| Box::new(Self { outline, indices, epoch, inputs, read, vertices, stages, numbers }))
    }
}

impl DrawOutline {
    /// Numbers that a draw gives its stages.
    pub(super) fn numbers(&self, state: &DrawState, vertices: DrawnVertices) -> DrawNumbers {
        DrawNumbers { moved: self.moved, ..numbers(state, vertices, &self.guest_area) }
    }
}

impl Renderer {
    /// Draws in the open pass, setting only what differs from the last draw; gives `false` if it has not drawn.
    pub(super) fn draw_again(
        &mut self,
        known: &mut KnownOutline,
        state: &DrawState,
        vertices: DrawnVertices,
        at: Location,
    ) -> Result<bool, GpuError> {
        let (number, epoch) = (known.number(), self.resource_epoch());
        let is_timed = self.queries.timer.is_some();
        let last = self.recorder.settings.last.take().filter(|last| last.epoch == epoch);
        let last = last.filter(|_| self.recorder.has_device_pass() && !is_timed && !writes_buffers(state));
        // silent: the long way follows, which keeps what the next draw may share
        let (Some(outline), Some(mut last)) = (&known.outline, last) else { return Ok(false) };
        let is_outlined_otherwise = last.outline != number;
        let goes_on = !is_outlined_otherwise || self.is_drawn_in_open_pass(outline);
        if !goes_on {
            return Ok(false);
        }
        let program = &outline.program;
        let call = self.draw_call((state, program), vertices, at)?;
        let inputs = (state.inputs.number(), program.inputs);
        let is_served = (last.inputs, last.read) == inputs && last.vertices.serve(vertices);
        let other_source = match is_served {
            true => None,
            false => Some(self.known_source(state, vertices, (program.inputs, at))?),
        };
        if other_source.as_ref().is_some_and(|other| !other.lie_as_seen(epoch)) {
            return Ok(false);
        }
        let is_laid_out_otherwise =
            other_source.as_ref().is_some_and(|other| other.source.slots != last.vertices.source.slots);
        let indices = call.index_format();
        let pipeline = match is_outlined_otherwise || is_laid_out_otherwise || indices != last.indices {
            true => {
                let vertices = other_source.as_ref().unwrap_or(&last.vertices);
                Some(known.pipeline(self, state, (&vertices.source, indices), at)?)
            }
            false => None,
        };
        let KnownOutline { outline, last: places, .. } = known;
        let outline = outline.as_ref().ok_or(Internal::at("a draw's outline is missing", at.offset))?;
        let program = &outline.program;
        let numbers = outline.numbers(state, vertices);
        let has_other_numbers = numbers != last.numbers;
        let mut groups: [Option<StageGroup>; 2] = [None, None];
        let of_stages = [Some(&program.vertex), program.pixel.as_ref()];
        let bindings = [&state.vertex_bindings, &state.pixel_bindings];
        let kept = places.iter_mut().zip(groups.iter_mut().zip(&mut last.stages));
        let stages_there = of_stages.into_iter().zip(bindings.into_iter().zip(kept));
        for (stage, (held, (places, (group, seen)))) in stages_there.filter_map(|(stage, kept)| Some((stage?, kept))) {
            let is_set = seen.is_some_and(|seen| seen == StageNumbers::of_bindings(stage, held));
            let reads_other = || stage.parameters.read_of(&numbers) != stage.parameters.read_of(&last.numbers);
            if is_set && !(has_other_numbers && reads_other()) {
                continue;
            }
            let found = self.stage_group((stage, held), places, &outline.drawn_to, state, &numbers, at)?;
            *seen = StageNumbers::of(stage, held, found.1);
            *group = Some(found.0);
        }
        // Making groups and vertices ready may have ended the pass, or brought something.
        if self.resource_epoch() != epoch || !self.recorder.has_device_pass() {
            return Ok(false);
        }
        let Recorder { batch, settings, .. } = &mut self.recorder;
        let pass = batch.open_pass().ok_or(Internal::at("a draw's pass is not open", at.offset))?;
        if let Some(pipeline) = pipeline {
            settings.pipeline(pass, &pipeline);
            settings.scissor(pass, outline.scissor);
            settings.area(pass, outline.area);
            (last.outline, last.indices) = (number, indices);
        }
        if let Some(other) = other_source {
            settings.vertices(pass, &other.source.buffers);
            ((last.inputs, last.read), last.vertices) = (inputs, other);
        }
        settings.groups(pass, &groups);
        settings.dynamic(pass, &state.dynamic);
        call.draw(pass, settings);
        last.numbers = numbers;
        settings.last = Some(last);
        batch.note_draw(at);
        Ok(true)
    }

    /// True if draws of an outline belong into the open pass, and the next draw may share what they set.
    fn is_drawn_in_open_pass(&self, outline: &DrawOutline) -> bool {
        !outline.program.has_sized_points && self.recorder.open.as_ref() == Some(&outline.targets)
    }
}
