//! Arithmetic of floats, and comparisons and choices.

use naga::{BinaryOperator, DerivativeAxis, DerivativeControl, Expression, MathFunction, VectorSize};

use super::builder::ValueHandle;
use super::error::TranslateError;
use super::operand::Numbers;
use super::stage::Stage;
use crate::{Instruction, Lane, Opcode, Operand};
use trace_base::error::Internal;

/// The operands of an instruction, as many as it has to have.
pub(super) fn operands<const N: usize>(all: &[Operand]) -> Result<&[Operand; N], Internal> {
    all.first_chunk().ok_or(Internal::new("an instruction has fewer operands than its form requires"))
}

impl Stage<'_> {
    /// Translates an instruction of floats; `false` if it is none of these.
    pub(super) fn float_instruction(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        let all = self.program.operands(instruction);
        let saturate = instruction.modifiers.saturate;
        match instruction.opcode {
            Opcode::Mov => {
                let [to, from] = operands(all)?;
                if saturate {
                    let value = self.read(from, Numbers::Float)?;
                    self.write_float(to, value, saturate)?;
                } else {
                    // Bits stay as they are, whatever they are numbers of.
                    let words = self.read_modified_words(from, Numbers::Float)?;
                    self.write_words(to, words)?;
                }
            }
            Opcode::Add | Opcode::Mul | Opcode::Div => {
                let [to, a, b] = operands(all)?;
                let (a, b) = (self.read(a, Numbers::Float)?, self.read(b, Numbers::Float)?);
                let op = match instruction.opcode {
                    Opcode::Add => BinaryOperator::Add,
                    Opcode::Mul => BinaryOperator::Multiply,
                    _ => BinaryOperator::Divide,
                };
                let value = self.build.binary(op, a, b);
                self.write_float(to, value, saturate)?;
            }
            Opcode::Mad => {
                let [to, a, b, c] = operands(all)?;
                let (a, b) = (self.read(a, Numbers::Float)?, self.read(b, Numbers::Float)?);
                let c = self.read(c, Numbers::Float)?;
                // Never fused: the same position has to come of the same numbers in every shader.
                let product = self.build.binary(BinaryOperator::Multiply, a, b);
                let value = self.build.binary(BinaryOperator::Add, product, c);
                self.write_float(to, value, saturate)?;
            }
            Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 => {
                let [to, a, b] = operands(all)?;
                let (a, b) = (self.read(a, Numbers::Float)?, self.read(b, Numbers::Float)?);
                let size = match instruction.opcode {
                    Opcode::Dp2 => VectorSize::Bi,
                    Opcode::Dp3 => VectorSize::Tri,
                    _ => VectorSize::Quad,
                };
                let value = self.dot(size, a, b);
                self.write_float(to, value, saturate)?;
            }
            Opcode::Min | Opcode::Max => {
                let [to, a, b] = operands(all)?;
                let (a, b) = (self.read(a, Numbers::Float)?, self.read(b, Numbers::Float)?);
                let value = self.least_or_greatest(instruction.opcode == Opcode::Min, a, b);
                self.write_float(to, value, saturate)?;
            }
            Opcode::SinCos => {
                let [sine, cosine, angle] = operands(all)?;
                let angle = self.read(angle, Numbers::Float)?;
                let (s, c) = (self.build.math(MathFunction::Sin, angle), self.build.math(MathFunction::Cos, angle));
                self.write_float(sine, s, saturate)?;
                self.write_float(cosine, c, saturate)?;
            }
            opcode => {
                let Some(function) = function_of(opcode) else { return Ok(false) };
                let [to, from] = operands(all)?;
                let from = self.read(from, Numbers::Float)?;
                let value = self.function(function, from);
                self.write_float(to, value, saturate)?;
            }
        }
        Ok(true)
    }

    /// The product of two vectors in every lane.
    pub(super) fn dot(&mut self, size: VectorSize, a: ValueHandle, b: ValueHandle) -> ValueHandle {
        let cut = |stage: &mut Self, value| match size {
            VectorSize::Quad => value,
            _ => stage.build.swizzle_to(size, value, Lane::ALL),
        };
        let (a, b) = (cut(self, a), cut(self, b));
        let value = self.build.math2(MathFunction::Dot, a, b);
        self.build.splat(value)
    }

    /// The lesser, or the greater, of two; of a number and what is none, the number.
    pub(super) fn least_or_greatest(&mut self, is_least: bool, a: ValueHandle, b: ValueHandle) -> ValueHandle {
        let op = if is_least { BinaryOperator::Less } else { BinaryOperator::GreaterEqual };
        let first = self.build.binary(op, a, b);
        let is_none = self.is_nan(b);
        let chosen = self.build.select(first, a, b);
        self.build.select(is_none, a, chosen)
    }

    /// Which lanes are no number. By their bits: drivers may take every value for equal to itself.
    pub(super) fn is_nan(&mut self, value: ValueHandle) -> ValueHandle {
        const INFINITY: u32 = 0x7f80_0000;
        let words = self.build.bits(value, naga::ScalarKind::Uint);
        let (others, infinity) = (self.build.uint4(i32::MAX as u32), self.build.uint4(INFINITY));
        let magnitude = self.build.binary(BinaryOperator::And, words, others);
        self.build.binary(BinaryOperator::Greater, magnitude, infinity)
    }

    /// How floats compare. naga's ≠ for Vulkan does not hold for what is no number, which Direct3D's does.
    pub(super) fn compare_floats(&mut self, op: BinaryOperator, a: ValueHandle, b: ValueHandle) -> ValueHandle {
        if op != BinaryOperator::NotEqual {
            return self.build.binary(op, a, b);
        }
        let equal = self.build.binary(BinaryOperator::Equal, a, b);
        self.build.unary(naga::UnaryOperator::LogicalNot, equal)
    }

    /// Denormals as zeros of their sign. Many drivers keep them, which matters where the next whole number is looked for.
    pub(super) fn flushed(&mut self, value: ValueHandle) -> ValueHandle {
        const EXPONENT: u32 = 0x7f80_0000;
        const SIGN: u32 = 1 << 31;
        let words = self.build.bits(value, naga::ScalarKind::Uint);
        let [exponent, sign, zero] = [EXPONENT, SIGN, 0].map(|word| self.build.uint4(word));
        let exponent = self.build.binary(BinaryOperator::And, words, exponent);
        let sign = self.build.binary(BinaryOperator::And, words, sign);
        let signed_zero = self.build.bits(sign, naga::ScalarKind::Float);
        let is_none = self.build.binary(BinaryOperator::Equal, exponent, zero);
        self.build.select(is_none, signed_zero, value)
    }

    fn function(&mut self, function: FloatFunction, value: ValueHandle) -> ValueHandle {
        match function {
            FloatFunction::Math(fun @ (MathFunction::Floor | MathFunction::Ceil | MathFunction::Fract)) => {
                let value = self.flushed(value);
                self.build.math(fun, value)
            }
            FloatFunction::Math(fun) => self.build.math(fun, value),
            FloatFunction::Reciprocal => {
                let one = self.build.float4(1.0);
                self.build.binary(BinaryOperator::Divide, one, value)
            }
            FloatFunction::Derivative(axis, ctrl) => {
                self.build.value(Expression::Derivative { axis, ctrl, expr: value })
            }
        }
    }

    /// Translates a comparison of floats, or a choice; `false` if it is none of these.
    pub(super) fn choice_instruction(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        let all = self.program.operands(instruction);
        if let Some(op) = comparison_of(instruction.opcode) {
            let [to, a, b] = operands(all)?;
            let (a, b) = (self.read(a, Numbers::Float)?, self.read(b, Numbers::Float)?);
            let holds = self.compare_floats(op, a, b);
            self.write_bools(to, holds)?;
            return Ok(true);
        }
        match instruction.opcode {
            Opcode::MovC => {
                let [to, condition, a, b] = operands(all)?;
                let condition = self.read(condition, Numbers::Uint)?;
                let (a, b) = (self.read(a, Numbers::Float)?, self.read(b, Numbers::Float)?);
                let holds = self.is_set(condition);
                let value = self.build.select(holds, a, b);
                self.write_float(to, value, instruction.modifiers.saturate)?;
            }
            Opcode::SwapC => {
                let [first, second, condition, a, b] = operands(all)?;
                let condition = self.read(condition, Numbers::Uint)?;
                let (a, b) = (self.read(a, Numbers::Float)?, self.read(b, Numbers::Float)?);
                let holds = self.is_set(condition);
                let (one, other) = (self.build.select(holds, b, a), self.build.select(holds, a, b));
                self.write_float(first, one, instruction.modifiers.saturate)?;
                self.write_float(second, other, instruction.modifiers.saturate)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Which lanes of words are not 0.
    pub(super) fn is_set(&mut self, words: ValueHandle) -> ValueHandle {
        let zeros = self.build.uint4(0);
        self.build.binary(BinaryOperator::NotEqual, words, zeros)
    }
}

/// A function of one float.
#[derive(Clone, Copy)]
enum FloatFunction {
    Math(MathFunction),
    Reciprocal,
    Derivative(DerivativeAxis, DerivativeControl),
}

fn function_of(opcode: Opcode) -> Option<FloatFunction> {
    use DerivativeAxis::{X, Y};
    use DerivativeControl::{Coarse, Fine, None as Any};
    use FloatFunction::{Derivative, Math, Reciprocal};
    Some(match opcode {
        Opcode::Rcp => Reciprocal,
        Opcode::Rsq => Math(MathFunction::InverseSqrt),
        Opcode::Sqrt => Math(MathFunction::Sqrt),
        Opcode::Exp => Math(MathFunction::Exp2),
        Opcode::Log => Math(MathFunction::Log2),
        Opcode::Frc => Math(MathFunction::Fract),
        Opcode::RoundNe => Math(MathFunction::Round),
        Opcode::RoundNi => Math(MathFunction::Floor),
        Opcode::RoundPi => Math(MathFunction::Ceil),
        Opcode::RoundZ => Math(MathFunction::Trunc),
        Opcode::DerivRtx => Derivative(X, Any),
        Opcode::DerivRty => Derivative(Y, Any),
        Opcode::DerivRtxCoarse => Derivative(X, Coarse),
        Opcode::DerivRtyCoarse => Derivative(Y, Coarse),
        Opcode::DerivRtxFine => Derivative(X, Fine),
        Opcode::DerivRtyFine => Derivative(Y, Fine),
        _ => return None,
    })
}

fn comparison_of(opcode: Opcode) -> Option<BinaryOperator> {
    Some(match opcode {
        Opcode::Eq => BinaryOperator::Equal,
        Opcode::Ne => BinaryOperator::NotEqual,
        Opcode::Lt => BinaryOperator::Less,
        Opcode::Le => BinaryOperator::LessEqual,
        Opcode::Gt => BinaryOperator::Greater,
        Opcode::Ge => BinaryOperator::GreaterEqual,
        _ => return None,
    })
}
