//! What flows between the stages: a usage of the pixel stage's is a location, whatever registers hold it.

use naga::{
    BinaryOperator, Binding, BuiltIn, FunctionResult, Interpolation, MathFunction, Sampling, ScalarKind, StructMember,
    UnaryOperator,
};

use super::super::builder::ValueHandle;
use super::super::error::TranslateError;
use super::super::interface::{DrawOptions, InputFeed, Parameter, PixelCenters};
use super::super::link::{member, usage_name};
use super::super::stage::Stage;
use super::LegacyStage;
use crate::{
    DeclarationKind, Index, Lane, Mask, OperandValue, Producer, Program, Register, RegisterKind, SlotSet, Usage, legacy,
};
use trace_base::error::Internal;

/// Lanes of a register, and what they mean.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meaning {
    kind: RegisterKind,
    number: u32,
    mask: Mask,
    pub usage: (Usage, u32),
    is_centroid: bool,
}

/// What flows from one stage to the other. Fog flows behind all of them: no register of the pixel stage holds it.
#[derive(Clone, Debug)]
pub(super) struct LegacyLink {
    to: Meaning,
    /// Where the vertex stage has it.
    from: Option<Meaning>,
    is_flat: bool,
}

impl LegacyLink {
    fn binding(&self, location: u32) -> Binding {
        let sampling = if self.to.is_centroid { Sampling::Centroid } else { Sampling::Center };
        Binding::Location {
            location,
            interpolation: Some(if self.is_flat { Interpolation::Flat } else { Interpolation::Perspective }),
            sampling: (!self.is_flat).then_some(sampling),
            blend_src: None,
            per_primitive: false,
        }
    }
}

/// How much of a colour fog leaves flows once per vertex, behind what flows in `links`.
fn fog_binding(links: &[LegacyLink]) -> Binding {
    Binding::Location {
        location: links.len() as u32,
        interpolation: Some(Interpolation::Perspective),
        sampling: Some(Sampling::Center),
        blend_src: None,
        per_primitive: false,
    }
}

/// What the pixel stage reads, and where the vertex stage writes it.
pub(super) fn linked(vertex: &Program, pixel: &Program, options: &DrawOptions) -> Vec<LegacyLink> {
    let written = meanings(vertex, &legacy::outputs(vertex), RegisterKind::Output);
    let read = meanings(pixel, &legacy::inputs(pixel), RegisterKind::Input);
    let link = |to: Meaning| LegacyLink {
        to,
        from: written.iter().find(|from| from.usage == to.usage).copied(),
        is_flat: options.is_flat && to.usage.0 == Usage::Color,
    };
    read.into_iter().map(link).collect()
}

/// What registers mean. In SM3 several usages share a register, each with lanes of its own.
fn meanings(program: &Program, flows: &[legacy::LegacyFlow], shared: RegisterKind) -> Vec<Meaning> {
    let has_shared = program.version().major >= 3;
    let of_kinds = flows.iter().filter(|flow| !(has_shared && flow.kind == shared)).filter_map(|flow| {
        let (kind, number, mask) = (flow.kind, flow.number, Mask::ALL);
        let is_centroid = false;
        Some(Meaning { kind, number, mask, usage: flow.usage?, is_centroid })
    });
    let mut meanings: Vec<Meaning> = of_kinds.collect();
    for declaration in program.declarations() {
        let DeclarationKind::Semantic { register, usage, usage_index, centroid, .. } = &declaration.kind else {
            continue;
        };
        if let OperandValue::Register(named) = &register.value
            && let Some(index) = named.last_index()
        {
            let is_used = flows.iter().any(|flow| (flow.kind, flow.number) == (named.kind, index.base));
            let meaning = Meaning {
                kind: named.kind,
                number: index.base,
                mask: Stage::mask(register),
                usage: (*usage, *usage_index),
                is_centroid: *centroid,
            };
            if has_shared && named.kind == shared && is_used {
                meanings.push(meaning);
            } else if let Some(known) =
                meanings.iter_mut().find(|known| (known.kind, known.number) == (named.kind, index.base))
            {
                known.is_centroid |= *centroid;
            }
        }
    }
    meanings
}

impl LegacyStage<'_> {
    /// Fills the vertex stage's input registers; gives those that vertices feed.
    pub(super) fn vertex_inputs(&mut self) -> Result<SlotSet, TranslateError> {
        let mut fed = SlotSet::default();
        for number in self.stage.program.used_slots().inputs.iter() {
            let feed = self.stage.options.inputs.get(number as usize).copied().unwrap_or_default();
            let words = self.stage.vertex_input(number, &mut fed);
            let words = match feed {
                InputFeed::Missing | InputFeed::Float | InputFeed::BlueFirst => words,
                InputFeed::Packed | InputFeed::PackedSnorm => words,
                InputFeed::Uint => self.as_floats(words, ScalarKind::Uint),
                InputFeed::Sint => self.as_floats(words, ScalarKind::Sint),
            };
            let place = self.numbered(RegisterKind::Input, number)?;
            self.stage.build.store(place, words);
        }
        Ok(fed)
    }

    /// Integers as floats.
    fn as_floats(&mut self, words: ValueHandle, kind: ScalarKind) -> ValueHandle {
        let numbers = if kind == ScalarKind::Uint { words } else { self.stage.build.bits(words, kind) };
        let floats = self.stage.build.convert(numbers, ScalarKind::Float);
        self.words_of_floats(floats)
    }

    fn numbered(&mut self, kind: RegisterKind, number: u32) -> Result<ValueHandle, TranslateError> {
        self.place(&Register::numbered(kind, Index::immediate(number)))
    }

    /// Says what the vertex stage gives. A diffuse colour that it does not write is white.
    pub(super) fn vertex_result(&mut self) -> Result<(), TranslateError> {
        let float4 = self.stage.types.float4;
        let mut members = vec![member(0, float4, Binding::BuiltIn(BuiltIn::Position { invariant: true }))];
        for (location, link) in (0..).zip(&self.links) {
            let name = Some(usage_name(link.to.usage));
            members.push(StructMember { name, ..member(location + 1, float4, link.binding(location)) });
        }
        if self.has_vertex_fog {
            let fog = member(members.len() as u32, self.stage.types.float, fog_binding(&self.links));
            members.push(StructMember { name: Some("fog".to_owned()), ..fog });
        }
        let ty = self.stage.structure(members);
        self.stage.build.function.result = Some(FunctionResult { ty, binding: None });
        self.stage.result = Some(ty);
        let diffuse: Vec<Meaning> =
            self.links.iter().filter_map(|link| link.from).filter(|from| from.usage == (Usage::Color, 0)).collect();
        for from in diffuse {
            let place = self.numbered(from.kind, from.number)?;
            let ones = self.stage.words_of([1.0_f32.to_bits(); 4]);
            self.stage.build.store(place, ones);
        }
        Ok(())
    }

    /// Leaves the vertex stage with what its output registers hold.
    pub(super) fn leave_vertex(&mut self) -> Result<(), TranslateError> {
        let program = self.stage.program;
        let outputs = meanings(program, &legacy::outputs(program), RegisterKind::Output);
        let is_position = |output: &&Meaning| matches!(output.usage, (Usage::Position | Usage::PositionT, 0));
        let position = outputs.iter().find(is_position).copied();
        let position = position.ok_or_else(|| self.stage.unsupported("a vertex shader without a position"))?;
        let at = self.floats_of(&position)?;
        let mut at = self.moved(at);
        let corner = self.point_corner();
        if let Some(corner) = corner {
            at = self.at_corner(at, corner, &outputs)?;
        }
        let mut components = vec![self.stage.in_set_viewport(at)];
        for link in self.links.clone() {
            if let Some(value) = self.on_sprite(corner, link.to.usage.0) {
                components.push(value);
                continue;
            }
            let mut lanes = match (link.from, link.to.usage) {
                (None, (Usage::Color, 0)) => vec![self.stage.build.float(1.0); 4],
                _ => vec![self.stage.build.float(0.0); 4],
            };
            if let Some(from) = link.from {
                let held = self.floats_of(&from)?;
                for (into, lane) in lanes_of(&link.to).zip(lanes_of(&from)) {
                    if let Some(place) = lanes.get_mut(into as usize) {
                        *place = self.stage.build.part(held, lane as u32);
                    }
                }
            }
            let value = self.stage.build.compose(self.stage.types.float4, lanes);
            components.push(self.within_color(&link, value));
        }
        if self.has_vertex_fog {
            components.push(self.fog_left(&outputs)?);
        }
        self.stage.give(components)
    }

    /// The part of its colour that fog leaves a vertex: its fog; without one, in an application's shader before SM3, the alpha
    /// of its second colour, which is 0 where that is not written.
    fn fog_left(&mut self, outputs: &[Meaning]) -> Result<ValueHandle, TranslateError> {
        let find = |usage| outputs.iter().find(|output| output.usage == usage).copied();
        let program = self.stage.program;
        let has_default = program.version().major < 3 && program.producer() == Producer::Application;
        let left = match (find((Usage::Fog, 0)), find((Usage::Color, 1))) {
            (Some(fog), _) => self.single_of(&fog)?,
            (None, _) if !has_default => return Ok(self.stage.build.float(1.0)),
            (None, Some(second)) => {
                let color = self.floats_of(&second)?;
                self.stage.build.part(color, 3)
            }
            (None, None) => self.stage.build.float(0.0),
        };
        Ok(self.stage.build.math(MathFunction::Saturate, left))
    }

    /// How much of its colour fog leaves a pixel, as the vertex stage says.
    pub(super) fn vertex_fog(&mut self) -> ValueHandle {
        let binding = fog_binding(&self.links);
        self.stage.argument(self.stage.types.float, binding)
    }

    /// Before SM3 colours are 0 to 1.
    fn within_color(&mut self, link: &LegacyLink, value: ValueHandle) -> ValueHandle {
        match link.from {
            Some(Meaning { kind: RegisterKind::OutputDiffuse, .. }) => self.stage.saturated(value),
            _ => value,
        }
    }

    /// The first lane of what means something.
    pub(super) fn single_of(&mut self, meaning: &Meaning) -> Result<ValueHandle, TranslateError> {
        let held = self.floats_of(meaning)?;
        let first = lanes_of(meaning).next().unwrap_or(Lane::X);
        Ok(self.stage.build.part(held, first as u32))
    }

    fn floats_of(&mut self, meaning: &Meaning) -> Result<ValueHandle, TranslateError> {
        let place = self.numbered(meaning.kind, meaning.number)?;
        let words = self.stage.build.load(place);
        Ok(self.stage.build.bits(words, ScalarKind::Float))
    }

    /// A position, moved by half a pixel to the right and down where pixels have their centres on whole numbers.
    fn moved(&mut self, at: ValueHandle) -> ValueHandle {
        if self.stage.options.pixel_centers == PixelCenters::Direct3d10 {
            return at;
        }
        let half = self.stage.parameter(Parameter::HalfPixel);
        let build = &mut self.stage.build;
        let [x, y, z, w] = [0, 1, 2, 3].map(|lane| build.part(at, lane));
        let [right, down] = [0, 1].map(|lane| build.part(half, lane));
        let [right, down] = [right, down].map(|half| build.binary(BinaryOperator::Multiply, half, w));
        let x = build.binary(BinaryOperator::Add, x, right);
        let y = build.binary(BinaryOperator::Subtract, y, down);
        build.compose(self.stage.types.float4, vec![x, y, z, w])
    }

    /// Fills the pixel stage's input registers.
    pub(super) fn pixel_inputs(&mut self) -> Result<(), TranslateError> {
        for (location, link) in (0..).zip(self.links.clone()) {
            let given = self.stage.argument(self.stage.types.float4, link.binding(location));
            let words = self.words_of_floats(given);
            let place = self.numbered(link.to.kind, link.to.number)?;
            for lane in lanes_of(&link.to) {
                let build = &mut self.stage.build;
                let (from, into) = (build.part(words, lane as u32), build.part(place, lane as u32));
                build.store(into, from);
            }
        }
        for flow in legacy::inputs(self.stage.program) {
            let value = match flow.kind {
                RegisterKind::PixelPosition => self.pixel_position(),
                RegisterKind::PixelFace => self.pixel_face(),
                RegisterKind::Input | RegisterKind::TextureCoordinate => continue,
                _ => return Err(Internal::new("a pixel shader reads a register that is not an input").into()),
            };
            let words = self.words_of_floats(value);
            let place = self.single(flow.kind);
            self.stage.build.store(place, words);
        }
        Ok(())
    }

    /// The pixel's whole numbers.
    fn pixel_position(&mut self) -> ValueHandle {
        let position = Binding::BuiltIn(BuiltIn::Position { invariant: false });
        let at = self.stage.argument(self.stage.types.float4, position);
        self.stage.build.math(naga::MathFunction::Floor, at)
    }

    /// 1 where the front is seen, −1 elsewhere.
    fn pixel_face(&mut self) -> ValueHandle {
        let is_front = self.stage.argument(self.stage.types.bool, Binding::BuiltIn(BuiltIn::FrontFacing));
        let build = &mut self.stage.build;
        let one = build.float(1.0);
        let other = build.unary(UnaryOperator::Negate, one);
        let face = build.select(is_front, one, other);
        build.splat(face)
    }
}

fn lanes_of(meaning: &Meaning) -> impl Iterator<Item = Lane> + use<> {
    let mask = if meaning.mask == Mask::NONE { Mask::ALL } else { meaning.mask };
    mask.lanes()
}
