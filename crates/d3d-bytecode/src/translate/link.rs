//! What flows from vertices to the vertex stage, from there to the pixel stage, and from there to targets.
//!
//! A register of the pixel stage is a location. Its lanes come from whatever the vertex stage calls by the same names; what it
//! has no name for comes from the lanes of the same register, or is 0.

use naga::{
    BinaryOperator, Binding, BuiltIn, Expression, FunctionArgument, FunctionResult, Interpolation, Sampling,
    ScalarKind, Statement, StructMember,
};

use super::builder::ValueHandle;
use super::error::TranslateError;
use super::interface::{InputFeed, Parameter};
use super::stage::Stage;
use crate::{
    ComponentType, DeclarationKind, Interpolation as Declared, Lane, Mask, Program, RegisterKind, SignatureElement,
    SlotSet, SystemValue, Usage, legacy,
};

/// A lane that the pixel stage reads, and where the vertex stage writes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkedLane {
    pub lane: Lane,
    /// Register and lane; nothing that the vertex stage has no name for.
    pub from: Option<(u32, Lane)>,
}

/// A register that flows from the vertex stage to the pixel stage.
#[derive(Clone, Debug)]
pub(super) struct LinkedRegister {
    pub register: u32,
    /// Its location between the stages: they are counted without gaps, since devices have few.
    pub location: u32,
    /// What the pixel stage calls it.
    pub name: String,
    pub lanes: Vec<LinkedLane>,
    pub interpolation: Interpolation,
    pub sampling: Option<Sampling>,
}

impl LinkedRegister {
    pub(super) fn is_flat(&self) -> bool {
        self.interpolation == Interpolation::Flat
    }

    pub(super) fn binding(&self) -> Binding {
        Binding::Location {
            location: self.location,
            interpolation: Some(self.interpolation),
            sampling: self.sampling.filter(|_| !self.is_flat()),
            blend_src: None,
            per_primitive: false,
        }
    }
}

/// What the pixel stage reads of the vertex stage.
pub(super) fn linked(vertex: &Program, pixel: &Program) -> Vec<LinkedRegister> {
    let read = pixel.used_slots().inputs;
    let mut linked: Vec<LinkedRegister> = Vec::new();
    for element in &pixel.signatures().input {
        let Some(register) = element.register.filter(|register| read.contains(*register)) else { continue };
        if system_value(pixel, element).is_some_and(|value| !is_distance(value)) {
            continue;
        }
        let from = vertex.signatures().output.iter().find(|output| is_same_name(output, element));
        let lanes: Vec<LinkedLane> = match from {
            Some(from) => {
                let mut sources = from.mask.lanes().filter_map(|lane| Some((from.register?, lane)));
                element.mask.lanes().map(|lane| LinkedLane { lane, from: sources.next() }).collect()
            }
            None => {
                let written = lanes_of_register(vertex, register);
                let from = |lane| written.contains(lane).then_some((register, lane));
                element.mask.lanes().map(|lane| LinkedLane { lane, from: from(lane) }).collect()
            }
        };
        let (interpolation, sampling) = interpolation(pixel, element, register);
        match linked.iter_mut().find(|known| known.register == register) {
            Some(known) => {
                known.name += &format!("_{}", element.full_name());
                known.lanes.extend(lanes);
            }
            None => {
                let name = element.full_name();
                linked.push(LinkedRegister { register, location: 0, name, lanes, interpolation, sampling });
            }
        }
    }
    linked.sort_by_key(|linked| linked.register);
    linked.iter_mut().zip(0..).for_each(|(linked, location)| linked.location = location);
    linked
}

/// Whether a value is one that vertices give and pixels are given, though the pipeline takes it, too.
pub(super) const fn is_distance(value: SystemValue) -> bool {
    matches!(value, SystemValue::ClipDistance | SystemValue::CullDistance)
}

/// The names by which a pixel shader of SM4 or SM5 reads what the vertex shader has no name for, where the same registers of that
/// hold it.
pub fn linked_by_register(vertex: &Program, pixel: &Program) -> Vec<String> {
    let read = pixel.used_slots().inputs;
    let is_by_register = |element: &&SignatureElement| {
        let Some(register) = element.register.filter(|register| read.contains(*register)) else { return false };
        let has_name = vertex.signatures().output.iter().any(|output| is_same_name(output, element));
        let written = lanes_of_register(vertex, register);
        !has_name && system_value(pixel, element).is_none() && element.mask.lanes().any(|lane| written.contains(lane))
    };
    pixel.signatures().input.iter().filter(is_by_register).map(SignatureElement::full_name).collect()
}

/// The lanes of an output register that flow to the pixel stage.
fn lanes_of_register(vertex: &Program, register: u32) -> Mask {
    let outputs = vertex.signatures().output.iter();
    let of_register =
        outputs.filter(|output| output.register == Some(register) && system_value(vertex, output).is_none());
    Mask::from_bits(of_register.fold(0, |bits, output| bits | u32::from(output.mask.bits())))
}

fn is_same_name(a: &SignatureElement, b: &SignatureElement) -> bool {
    a.index == b.index && a.name.eq_ignore_ascii_case(&b.name)
}

/// What the pipeline itself makes of an element.
pub(super) fn system_value(program: &Program, element: &SignatureElement) -> Option<SystemValue> {
    let declared = program.declarations().iter().find_map(|declaration| match &declaration.kind {
        DeclarationKind::Register { register, system_value: Some(value), .. } => {
            let of_element =
                Stage::mask(register).bits() & element.mask.bits() != 0 || Stage::mask(register) == Mask::NONE;
            let number = match &register.value {
                crate::OperandValue::Register(named) => named.last_index().map(|index| index.base),
                _ => None,
            };
            (number.is_some() && number == element.register && of_element).then_some(*value)
        }
        _ => None,
    });
    element.system_value.or(declared)
}

/// How a register of the pixel stage comes from a triangle's corners.
fn interpolation(program: &Program, element: &SignatureElement, register: u32) -> (Interpolation, Option<Sampling>) {
    let declared = program.declarations().iter().find_map(|declaration| match &declaration.kind {
        DeclarationKind::Register { register: named, interpolation, .. } => match &named.value {
            crate::OperandValue::Register(named)
                if named.kind == RegisterKind::Input
                    && named.last_index().is_some_and(|index| index.base == register) =>
            {
                *interpolation
            }
            _ => None,
        },
        _ => None,
    });
    let is_integer = matches!(element.component_type, ComponentType::Uint | ComponentType::Sint);
    match declared {
        Some(Declared::Constant) => (Interpolation::Flat, None),
        _ if is_integer => (Interpolation::Flat, None),
        Some(Declared::LinearCentroid) => (Interpolation::Perspective, Some(Sampling::Centroid)),
        Some(Declared::LinearSample) => (Interpolation::Perspective, Some(Sampling::Sample)),
        Some(Declared::LinearNoPerspective) => (Interpolation::Linear, Some(Sampling::Center)),
        Some(Declared::LinearNoPerspectiveCentroid) => (Interpolation::Linear, Some(Sampling::Centroid)),
        Some(Declared::LinearNoPerspectiveSample) => (Interpolation::Linear, Some(Sampling::Sample)),
        Some(Declared::Undefined | Declared::Linear) | None => (Interpolation::Perspective, Some(Sampling::Center)),
    }
}

impl Stage<'_> {
    /// Adds an argument of the entry point.
    pub(super) fn argument(&mut self, ty: naga::Handle<naga::Type>, binding: Binding) -> ValueHandle {
        self.named_argument(None, ty, binding)
    }

    fn named_argument(&mut self, name: Option<String>, ty: naga::Handle<naga::Type>, binding: Binding) -> ValueHandle {
        let number = self.build.function.arguments.len() as u32;
        self.build.function.arguments.push(FunctionArgument { name, ty, binding: Some(binding) });
        self.build.value(Expression::FunctionArgument(number))
    }

    /// What the shader calls a register that vertices feed.
    fn input_name(&self, register: u32) -> Option<String> {
        if self.program.version().is_d3d9() {
            let flows = legacy::inputs(self.program);
            let flow = flows.iter().find(|flow| (flow.kind, flow.number) == (RegisterKind::Input, register));
            return flow.and_then(|flow| flow.usage).map(usage_name);
        }
        let mut elements = self.program.signatures().input.iter();
        elements.find(|element| element.register == Some(register)).map(SignatureElement::full_name)
    }

    /// Fills the vertex stage's input registers; gives those that vertices feed.
    pub(super) fn vertex_inputs(&mut self) -> Result<SlotSet, TranslateError> {
        let read = self.program.used_slots().inputs;
        let mut fed = SlotSet::default();
        let mut system: Vec<(u32, Mask, SystemValue)> = Vec::new();
        for element in &self.program.signatures().input {
            if let Some((register, value)) = element.register.zip(system_value(self.program, element)) {
                system.push((register, element.mask, value));
            }
        }
        for declaration in self.program.declarations() {
            if let DeclarationKind::Register { register, system_value: Some(value), .. } = &declaration.kind
                && let crate::OperandValue::Register(named) = &register.value
                && named.kind == RegisterKind::Input
                && let Some(index) = named.last_index()
                && !system.iter().any(|(known, ..)| *known == index.base)
            {
                system.push((index.base, Self::mask(register), *value));
            }
        }
        let is_generated = |value: SystemValue| {
            matches!(value, SystemValue::VertexId | SystemValue::InstanceId | SystemValue::PrimitiveId)
        };
        for register in read.iter() {
            let variable = self.register(RegisterKind::Input, register);
            let made: Vec<(Mask, SystemValue)> = system
                .iter()
                .filter(|(of, _, value)| *of == register && is_generated(*value))
                .map(|(_, mask, value)| (*mask, *value))
                .collect();
            if made.is_empty() {
                let words = self.vertex_input(register, &mut fed);
                self.build.store(variable, words);
            }
            for (mask, value) in made {
                let word = self.counted(value)?;
                for lane in mask.lanes() {
                    let place = self.build.part(variable, lane as u32);
                    self.build.store(place, word);
                }
            }
        }
        Ok(fed)
    }

    /// A register that vertices feed, or (0, 0, 0, 1).
    pub(super) fn vertex_input(&mut self, register: u32, fed: &mut SlotSet) -> ValueHandle {
        let feed = self.options.inputs.get(register as usize).copied().unwrap_or_default();
        let ty = match feed {
            InputFeed::Missing => return self.words_of([0, 0, 0, 1.0_f32.to_bits()]),
            InputFeed::Float | InputFeed::BlueFirst => self.types.float4,
            InputFeed::Uint | InputFeed::Packed | InputFeed::PackedSnorm => self.types.uint4,
            InputFeed::Sint => self.types.int4,
        };
        fed.insert(register);
        let binding = Binding::Location {
            location: register,
            interpolation: None,
            sampling: None,
            blend_src: None,
            per_primitive: false,
        };
        let given = self.named_argument(self.input_name(register), ty, binding);
        match feed {
            InputFeed::Uint => given,
            InputFeed::BlueFirst => {
                let lanes = [2, 1, 0, 3].map(|lane| self.build.part(given, lane));
                let floats = self.build.compose(self.types.float4, lanes.to_vec());
                self.build.bits(floats, ScalarKind::Uint)
            }
            InputFeed::Packed | InputFeed::PackedSnorm => self.unpacked(given, feed),
            _ => self.build.bits(given, ScalarKind::Uint),
        }
    }

    /// The three integers of 10 bits in the first of some words as floats, and 1.0.
    fn unpacked(&mut self, words: ValueHandle, feed: InputFeed) -> ValueHandle {
        const BITS: u32 = 10;
        /// What stands for 1.0.
        const LARGEST: f32 = 511.0;
        let word = self.build.part(words, 0);
        let down = self.build.uint(u32::BITS - BITS);
        let mut lanes: Vec<ValueHandle> = Vec::with_capacity(4);
        for lane in 0..3 {
            // To the highest bits and down again, so that the sign is spread.
            let up = self.build.uint(u32::BITS - BITS * (lane + 1));
            let high = self.build.binary(BinaryOperator::ShiftLeft, word, up);
            lanes.push(if feed == InputFeed::Packed {
                let value = self.build.binary(BinaryOperator::ShiftRight, high, down);
                self.build.convert(value, ScalarKind::Float)
            } else {
                let high = self.build.bits(high, ScalarKind::Sint);
                let value = self.build.binary(BinaryOperator::ShiftRight, high, down);
                let value = self.build.convert(value, ScalarKind::Float);
                let (largest, least) = (self.build.float(LARGEST), self.build.float(-1.0));
                let value = self.build.binary(BinaryOperator::Divide, value, largest);
                self.build.math2(naga::MathFunction::Max, value, least)
            });
        }
        lanes.push(self.build.float(1.0));
        let floats = self.build.compose(self.types.float4, lanes);
        self.build.bits(floats, ScalarKind::Uint)
    }

    /// The number of the vertex or instance, which Direct3D counts from 0 for each draw.
    fn counted(&mut self, value: SystemValue) -> Result<ValueHandle, TranslateError> {
        let (built_in, lane) = match value {
            SystemValue::VertexId => (BuiltIn::VertexIndex, 0),
            SystemValue::InstanceId => (BuiltIn::InstanceIndex, 1),
            other => return Err(self.unsupported(format!("the system value {}", other.name()))),
        };
        let number = self.argument(self.types.uint, Binding::BuiltIn(built_in));
        let first = self.parameter(Parameter::FirstVertexAndInstance);
        let first = self.build.part(first, lane);
        Ok(self.build.binary(BinaryOperator::Subtract, number, first))
    }

    /// Says what the vertex stage gives: its position, and what the pixel stage reads.
    pub(super) fn vertex_result(&mut self, linked: &[LinkedRegister]) -> Result<(), TranslateError> {
        let position = Binding::BuiltIn(BuiltIn::Position { invariant: true });
        let mut members = vec![member(0, self.types.float4, position)];
        for (number, register) in (1..).zip(linked) {
            let ty = if register.is_flat() { self.types.uint4 } else { self.types.float4 };
            let name = Some(register.name.clone());
            members.push(StructMember { name, ..member(number, ty, register.binding()) });
        }
        members.extend(self.members_of_distances(members.len() as u32)?);
        let ty = self.structure(members);
        self.build.function.result = Some(FunctionResult { ty, binding: None });
        self.result = Some(ty);
        Ok(())
    }

    /// Refuses a shader that gives the pipeline what WebGPU does not take from it.
    pub(super) fn refuse_outputs(&self) -> Result<(), TranslateError> {
        use SystemValue::{RenderTargetArrayIndex, StencilRef, ViewportArrayIndex};
        let outputs = self.program.signatures().output.iter();
        let refused = outputs
            .filter_map(|element| system_value(self.program, element))
            .find(|value| matches!(value, RenderTargetArrayIndex | StencilRef | ViewportArrayIndex));
        match refused {
            Some(value) => Err(self.unsupported(format!("the output {}", value.name()))),
            None => Ok(()),
        }
    }

    /// Leaves the vertex stage with what its output registers hold.
    pub(super) fn leave_vertex(&mut self, linked: &[LinkedRegister]) -> Result<(), TranslateError> {
        let position = self
            .program
            .signatures()
            .output
            .iter()
            .find(|element| system_value(self.program, element) == Some(SystemValue::Position));
        let register = position.and_then(|element| element.register);
        let register = register.ok_or_else(|| self.unsupported("a vertex shader without a position"))?;
        let position = self.register(RegisterKind::Output, register);
        let position = self.build.load(position);
        let position = self.build.bits(position, ScalarKind::Float);
        let mut components = vec![self.in_set_viewport(position)];
        for register in linked {
            let zero = self.build.uint(0);
            let mut lanes = vec![zero; 4];
            for LinkedLane { lane, from } in &register.lanes {
                let Some((from, from_lane)) = *from else { continue };
                let held = self.register(RegisterKind::Output, from);
                let held = self.build.load(held);
                let word = self.build.part(held, from_lane as u32);
                if let Some(into) = lanes.get_mut(*lane as usize) {
                    *into = word;
                }
            }
            let words = self.build.compose(self.types.uint4, lanes);
            components.push(if register.is_flat() { words } else { self.build.bits(words, ScalarKind::Float) });
        }
        components.extend(self.values_of_distances());
        self.give(components)
    }

    /// A position in the clip space of the viewport that is set, where that is another one than the guest's.
    pub(super) fn in_set_viewport(&mut self, position: ValueHandle) -> ValueHandle {
        if !self.options.moves_viewport {
            return position;
        }
        let (scale, offset) = (self.parameter(Parameter::ViewportScale), self.parameter(Parameter::ViewportOffset));
        let [x, y, z, w] = [0, 1, 2, 3].map(|lane| self.build.part(position, lane));
        let [x, y] = [(x, 0), (y, 1)].map(|(at, lane)| {
            let [scale, offset] = [scale, offset].map(|pair| self.build.part(pair, lane));
            let scaled = self.build.binary(BinaryOperator::Multiply, at, scale);
            let moved = self.build.binary(BinaryOperator::Multiply, w, offset);
            self.build.binary(BinaryOperator::Add, scaled, moved)
        });
        self.build.compose(self.types.float4, vec![x, y, z, w])
    }

    /// Leaves the stage with these values.
    pub(super) fn give(&mut self, components: Vec<ValueHandle>) -> Result<(), TranslateError> {
        let value = self.result.map(|ty| self.build.compose(ty, components));
        self.build.push(Statement::Return { value });
        Ok(())
    }
}

/// A usage of Direct3D 9, and which one.
pub(super) fn usage_name((usage, index): (Usage, u32)) -> String {
    format!("{}{index}", usage.name())
}

/// A member of an interface: where it stands in memory does not matter.
pub(super) fn member(number: u32, ty: naga::Handle<naga::Type>, binding: Binding) -> StructMember {
    StructMember { name: None, ty, binding: Some(binding), offset: number * 16 }
}
