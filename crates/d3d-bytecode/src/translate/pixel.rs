//! What flows into and out of the pixel stage, besides what vertices give it.

use naga::{BinaryOperator, Binding, BuiltIn, FunctionResult, ScalarKind, Statement};

use super::builder::ValueHandle;
use super::error::TranslateError;
use super::link::{LinkedRegister, is_distance, member, system_value};
use super::stage::Stage;
use crate::{Mask, RegisterKind, SlotSet, SystemValue};

/// The registers of depth. A shader has one of them.
const DEPTHS: [RegisterKind; 3] =
    [RegisterKind::OutputDepth, RegisterKind::OutputDepthGreaterEqual, RegisterKind::OutputDepthLessEqual];

/// What a pixel stage gives.
#[derive(Clone, Copy, Debug)]
pub(super) struct PixelOutputs {
    /// The colour targets that it writes.
    pub colors: SlotSet,
    /// Whether it writes depth.
    pub depth: bool,
    /// Whether it says which samples are written.
    pub mask: bool,
}

impl Stage<'_> {
    /// Fills the pixel stage's input registers.
    pub(super) fn pixel_inputs(&mut self, linked: &[LinkedRegister]) -> Result<(), TranslateError> {
        for register in linked {
            let ty = if register.is_flat() { self.types.uint4 } else { self.types.float4 };
            let given = self.argument(ty, register.binding());
            let words = if register.is_flat() { given } else { self.build.bits(given, ScalarKind::Uint) };
            let variable = self.register(RegisterKind::Input, register.register);
            self.build.store(variable, words);
        }
        let read = self.program.used_slots().inputs;
        let mut given: Vec<(u32, Mask, SystemValue)> = Vec::new();
        for element in &self.program.signatures().input {
            if let Some((register, value)) = element.register.zip(system_value(self.program, element))
                && read.contains(register)
                && !is_distance(value)
            {
                given.push((register, element.mask, value));
            }
        }
        for (register, mask, value) in given {
            let words = self.pixel_system_value(value)?;
            let variable = self.register(RegisterKind::Input, register);
            for (number, lane) in (0..).zip(mask.lanes()) {
                let (from, into) = (self.build.part(words, number), self.build.part(variable, lane as u32));
                self.build.store(into, from);
            }
        }
        if self.names(&[RegisterKind::Coverage]) {
            // Targets have one sample, and pixels that it does not cover are not drawn.
            let (covered, variable) = (self.build.uint4(1), self.register(RegisterKind::Coverage, 0));
            self.build.store(variable, covered);
        }
        Ok(())
    }

    /// Four words of what the pipeline gives a pixel.
    pub(super) fn pixel_system_value(&mut self, value: SystemValue) -> Result<ValueHandle, TranslateError> {
        match value {
            SystemValue::Position => {
                let at = self.argument(self.types.float4, Binding::BuiltIn(BuiltIn::Position { invariant: false }));
                // WebGPU gives 1 / w.
                let (one, w) = (self.build.float(1.0), self.build.part(at, 3));
                let w = self.build.binary(BinaryOperator::Divide, one, w);
                let [x, y, z] = [0, 1, 2].map(|lane| self.build.part(at, lane));
                let at = self.build.compose(self.types.float4, vec![x, y, z, w]);
                Ok(self.build.bits(at, ScalarKind::Uint))
            }
            SystemValue::IsFrontFace => {
                let is_front = self.argument(self.types.bool, Binding::BuiltIn(BuiltIn::FrontFacing));
                let (yes, no) = (self.build.uint(u32::MAX), self.build.uint(0));
                let word = self.build.select(is_front, yes, no);
                Ok(self.build.splat(word))
            }
            SystemValue::SampleIndex => Ok(self.build.uint4(0)),
            SystemValue::PrimitiveId => {
                let number = self.argument(self.types.uint, Binding::BuiltIn(BuiltIn::PrimitiveIndex));
                Ok(self.build.splat(number))
            }
            other => Err(self.unsupported(format!("the system value {}", other.name()))),
        }
    }

    /// Says what the pixel stage gives: colours and depth.
    pub(super) fn pixel_result(&mut self) -> PixelOutputs {
        let colors = self.program.used_slots().outputs;
        let outputs = PixelOutputs {
            colors,
            depth: self.names(&DEPTHS) && !self.options.drops_depth,
            mask: self.names(&[RegisterKind::OutputCoverageMask]),
        };
        let mut members = Vec::new();
        for target in colors.iter() {
            let binding = Binding::Location {
                location: target,
                interpolation: None,
                sampling: None,
                blend_src: None,
                per_primitive: false,
            };
            members.push(member(members.len() as u32, self.types.float4, binding));
        }
        if outputs.depth {
            members.push(member(members.len() as u32, self.types.float, Binding::BuiltIn(BuiltIn::FragDepth)));
        }
        if !members.is_empty() {
            let ty = self.structure(members);
            self.build.function.result = Some(FunctionResult { ty, binding: None });
            self.result = Some(ty);
        }
        outputs
    }

    /// Leaves the pixel stage with what its output registers hold.
    pub(super) fn leave_pixel(&mut self, outputs: PixelOutputs) -> Result<(), TranslateError> {
        if outputs.mask {
            self.leave_unwritten();
        }
        let mut components = Vec::new();
        for target in outputs.colors.iter() {
            let held = self.register(RegisterKind::Output, target);
            let held = self.build.load(held);
            components.push(self.build.bits(held, ScalarKind::Float));
        }
        if outputs.depth {
            let known = DEPTHS.into_iter().find_map(|kind| self.known_register(kind, 0));
            let held = match known {
                Some(held) => held,
                None => self.register(RegisterKind::OutputDepth, 0),
            };
            let held = self.build.load(held);
            let depth = self.build.bits(held, ScalarKind::Float);
            components.push(self.build.part(depth, 0));
        }
        self.give(components)
    }

    /// Gives nothing where the mask of samples is without the only one that targets have. Not every API looks at a mask where
    /// there is one sample.
    fn leave_unwritten(&mut self) {
        let mask = self.register(RegisterKind::OutputCoverageMask, 0);
        let mask = self.build.load(mask);
        let (mask, first, zero) = (self.build.part(mask, 0), self.build.uint(1), self.build.uint(0));
        let written = self.build.binary(BinaryOperator::And, mask, first);
        let is_unwritten = self.build.binary(BinaryOperator::Equal, written, zero);
        self.build.open();
        self.build.push(Statement::Kill);
        self.build.close_if(is_unwritten);
    }
}
