//! What a pixel stage gives, and what Direct3D 9 does with it before it is blended: fog, and the test of alpha.

use naga::{BinaryOperator, Binding, BuiltIn, FunctionResult, MathFunction, ScalarKind, Statement, UnaryOperator};

use super::super::builder::ValueHandle;
use super::super::error::TranslateError;
use super::super::interface::{FogRule, Parameter};
use super::super::link::member;
use super::LegacyStage;
use crate::{Opcode, RegisterKind};
use trace_base::direct3d::Comparison;

impl LegacyStage<'_> {
    /// Says what the pixel stage gives: colours and depth.
    pub(super) fn pixel_result(&mut self) {
        let program = self.stage.program;
        let is_first_model = program.version().major < 2;
        self.outputs = if is_first_model { [0].into_iter().collect() } else { program.used_slots().outputs };
        let gives_depth = program.instructions().iter().any(|instruction| {
            matches!(instruction.opcode, Opcode::TexDepth | Opcode::TexM3x2Depth)
                || program.operands(instruction).iter().any(|operand| operand.kind() == Some(RegisterKind::OutputDepth))
        });
        self.writes_depth = gives_depth && !self.stage.options.drops_depth;
        let mut members = Vec::new();
        let second = self.stage.options.has_second_color;
        if second {
            self.outputs = [0].into_iter().collect();
        }
        let sources: Vec<(u32, Option<u32>)> = match second {
            true => vec![(0, Some(0)), (0, Some(1))],
            false => self.outputs.iter().map(|location| (location, None)).collect(),
        };
        for (location, blend_src) in sources {
            let (interpolation, sampling) = (None, None);
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
        let colors: Vec<u32> =
            if self.stage.options.has_second_color { vec![0, 1] } else { self.outputs.iter().collect() };
        for target in colors {
            let held = self.stage.register(kind, target);
            let held = self.stage.build.load(held);
            let color = self.stage.build.bits(held, ScalarKind::Float);
            // SM1 has colours of 0 to 1.
            components.push(if kind == RegisterKind::Temp { self.stage.saturated(color) } else { color });
        }
        if let Some(color) = components.first_mut().filter(|_| self.outputs.contains(0)) {
            *color = self.in_fog(*color);
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

    /// A colour as fog leaves it. Alpha stays.
    fn in_fog(&mut self, color: ValueHandle) -> ValueHandle {
        let Some(rule) = self.stage.options.fog else { return color };
        let left = match rule {
            FogRule::Vertex => self.vertex_fog(),
            FogRule::Linear => {
                let (distance, range) = (self.fog_distance(), self.stage.parameter(Parameter::FogRange));
                let build = &mut self.stage.build;
                let (start, end) = (build.part(range, 0), build.part(range, 1));
                let (to_end, all) = (
                    build.binary(BinaryOperator::Subtract, end, distance),
                    build.binary(BinaryOperator::Subtract, end, start),
                );
                build.binary(BinaryOperator::Divide, to_end, all)
            }
            FogRule::Exp | FogRule::Exp2 => {
                let (distance, density) = (self.fog_distance(), self.stage.parameter(Parameter::FogDensity));
                let build = &mut self.stage.build;
                let density = build.part(density, 0);
                let product = build.binary(BinaryOperator::Multiply, distance, density);
                let power = match rule {
                    FogRule::Exp2 => build.binary(BinaryOperator::Multiply, product, product),
                    _ => product,
                };
                let power = build.unary(UnaryOperator::Negate, power);
                build.math(MathFunction::Exp, power)
            }
        };
        let left = self.stage.build.math(MathFunction::Saturate, left);
        let packed = self.stage.parameter(Parameter::FogColor);
        let build = &mut self.stage.build;
        let packed = build.part(packed, 0);
        let fog = build.math(MathFunction::Unpack4x8unorm, packed);
        let [red, green, blue] = [0, 1, 2].map(|lane| {
            let (fog, color) = (build.part(fog, lane), build.part(color, lane));
            let more = build.binary(BinaryOperator::Subtract, color, fog);
            let more = build.binary(BinaryOperator::Multiply, more, left);
            build.binary(BinaryOperator::Add, fog, more)
        });
        let alpha = build.part(color, 3);
        build.compose(self.stage.types.float4, vec![red, green, blue, alpha])
    }

    /// How far away a pixel is: its w, which is the distance from the eye in a perspective; without one, where w is 1, its
    /// depth. A stream doesn't say which projection its shaders have.
    fn fog_distance(&mut self) -> ValueHandle {
        let position = Binding::BuiltIn(BuiltIn::Position { invariant: false });
        let at = self.stage.argument(self.stage.types.float4, position);
        let build = &mut self.stage.build;
        let (depth, over_w, one) = (build.part(at, 2), build.part(at, 3), build.float(1.0));
        let is_flat = build.binary(BinaryOperator::Equal, over_w, one);
        let w = build.binary(BinaryOperator::Divide, one, over_w);
        build.select(is_flat, depth, w)
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
        // The alpha that a target of eight bits would get: all targets of streams have no more.
        let (alpha, reference, most) = (build.part(color, 3), build.part(reference, 0), build.float(255.0));
        let alpha = build.math(MathFunction::Saturate, alpha);
        let alpha = build.binary(BinaryOperator::Multiply, alpha, most);
        let half = build.float(0.5);
        let alpha = build.binary(BinaryOperator::Add, alpha, half);
        let alpha = build.math(MathFunction::Floor, alpha);
        let passes = build.binary(op, alpha, reference);
        let fails = build.unary(UnaryOperator::LogicalNot, passes);
        self.when(fails, Statement::Kill);
    }
}
