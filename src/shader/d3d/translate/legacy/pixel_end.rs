//! What a pixel stage gives, and what Direct3D 9 does with it before it is blended: the test of alpha.

use naga::{BinaryOperator, Binding, BuiltIn, FunctionResult, ScalarKind, Statement, UnaryOperator};

use super::super::builder::ValueHandle;
use super::super::error::TranslateError;
use super::super::interface::Parameter;
use super::super::link::member;
use super::LegacyStage;
use crate::command::Comparison;
use crate::shader::d3d::{Opcode, RegisterKind};

impl LegacyStage<'_> {
    /// Says what the pixel stage gives: colours and depth.
    pub(super) fn pixel_result(&mut self) {
        let program = self.stage.program;
        let is_first_model = program.version().major < 2;
        self.outputs = if is_first_model { [0].into_iter().collect() } else { program.used_slots().outputs };
        self.writes_depth = program.instructions().iter().any(|instruction| {
            matches!(instruction.opcode, Opcode::TexDepth | Opcode::TexM3x2Depth)
                || program.operands(instruction).iter().any(|operand| operand.kind() == Some(RegisterKind::OutputDepth))
        });
        let mut members = Vec::new();
        for location in self.outputs.iter() {
            let (interpolation, sampling, blend_src) = (None, None, None);
            let binding = Binding::Location { location, interpolation, sampling, blend_src, per_primitive: false };
            members.push(member(members.len() as u32, self.stage.types.float4, binding));
        }
        if self.writes_depth {
            members.push(member(members.len() as u32, self.stage.types.float, Binding::BuiltIn(BuiltIn::FragDepth)));
        }
        if !members.is_empty() {
            let ty = self.stage.structure(members);
            self.stage.build.function.result = Some(FunctionResult { ty, binding: None });
            self.stage.result = Some(ty);
        }
    }

    /// Leaves the pixel stage with what its output registers hold.
    pub(super) fn leave_pixel(&mut self) -> Result<(), TranslateError> {
        let kind = match self.stage.program.version().major {
            1 => RegisterKind::Temp,
            _ => RegisterKind::OutputColor,
        };
        let mut components = Vec::new();
        for target in self.outputs.iter() {
            let held = self.stage.register(kind, target);
            let held = self.stage.build.load(held);
            let color = self.stage.build.bits(held, ScalarKind::Float);
            // SM1 has colours of 0 to 1.
            components.push(if kind == RegisterKind::Temp { self.stage.saturated(color) } else { color });
        }
        if let Some(color) = components.first().filter(|_| self.outputs.contains(0)) {
            self.test_alpha(*color);
        }
        if self.writes_depth {
            let held = self.single(RegisterKind::OutputDepth);
            let held = self.stage.build.load(held);
            let depth = self.stage.build.bits(held, ScalarKind::Float);
            components.push(self.stage.build.part(depth, 0));
        }
        self.stage.give(components)
    }

    /// Draws nothing where the alpha of the first target does not pass.
    fn test_alpha(&mut self, color: ValueHandle) {
        let op = match self.stage.options.alpha_test {
            None | Some(Comparison::Always) => return,
            Some(Comparison::Never) => {
                let never = self.stage.build.value(naga::Expression::Literal(naga::Literal::Bool(true)));
                return self.when(never, Statement::Kill);
            }
            Some(Comparison::Less) => BinaryOperator::Less,
            Some(Comparison::Equal) => BinaryOperator::Equal,
            Some(Comparison::LessEqual) => BinaryOperator::LessEqual,
            Some(Comparison::Greater) => BinaryOperator::Greater,
            Some(Comparison::NotEqual) => BinaryOperator::NotEqual,
            Some(Comparison::GreaterEqual) => BinaryOperator::GreaterEqual,
        };
        let reference = self.stage.parameter(Parameter::AlphaReference);
        let build = &mut self.stage.build;
        let (alpha, reference) = (build.part(color, 3), build.part(reference, 0));
        let passes = build.binary(op, alpha, reference);
        let fails = build.unary(UnaryOperator::LogicalNot, passes);
        self.when(fails, Statement::Kill);
    }
}
