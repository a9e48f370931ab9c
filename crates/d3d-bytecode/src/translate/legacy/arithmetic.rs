//! Arithmetic, as Direct3D 9 has it:
//!
//! * 0 times anything is 0, infinity and what is no number too: in products, sums of products, and all that is made of them.
//! * What divides by 0 is the largest number, as is 1 over its root; the logarithm of 0 is the least one. With that 0 to the
//!   power of 0 is 1, and the normal of no direction is none.
//! * Powers, logarithms and roots are of the magnitude.
//! * The lesser or greater of a number and what is none is the number.

use naga::{BinaryOperator, DerivativeAxis, DerivativeControl, Expression, MathFunction, ScalarKind, VectorSize};

use super::super::arithmetic::operands;
use super::super::builder::ValueHandle;
use super::super::error::TranslateError;
use super::LegacyStage;
use crate::{Comparison, Control, Index, Instruction, Lane, Opcode, Operand, OperandValue, Register, RegisterKind};
use trace_base::error::Internal;

impl LegacyStage<'_> {
    /// Four floats that an instruction computes from its sources; nothing if it isn't arithmetic.
    pub(super) fn arithmetic(&mut self, instruction: &Instruction) -> Result<Option<ValueHandle>, TranslateError> {
        use BinaryOperator as B;
        let program = self.stage.program;
        let all = program.operands(instruction);
        let opcode = instruction.opcode;
        if let Some((columns, rows)) = matrix_of(opcode) {
            return self.matrix(columns, rows, all).map(Some);
        }
        if let Some(value) = self.of_one(opcode, all)? {
            return Ok(Some(value));
        }
        let value = match opcode {
            Opcode::Add | Opcode::Sub | Opcode::Mul => {
                let [_, a, b] = operands(all)?;
                let (a, b) = (self.read(a)?, self.read(b)?);
                match opcode {
                    Opcode::Add => self.stage.build.binary(B::Add, a, b),
                    Opcode::Sub => self.stage.build.binary(B::Subtract, a, b),
                    _ => self.product(a, b),
                }
            }
            Opcode::Mad | Opcode::Lrp | Opcode::Cmp | Opcode::Cnd | Opcode::Dp2Add => {
                let [_, a, b, c] = operands(all)?;
                let (a, b, c) = (self.read(a)?, self.read(b)?, self.read(c)?);
                self.of_three(opcode, a, b, c)
            }
            Opcode::Min | Opcode::Max => {
                let [_, a, b] = operands(all)?;
                let (a, b) = (self.read(a)?, self.read(b)?);
                self.stage.least_or_greatest(opcode == Opcode::Min, a, b)
            }
            Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 => {
                let [_, a, b] = operands(all)?;
                let (a, b) = (self.read(a)?, self.read(b)?);
                let size = match opcode {
                    Opcode::Dp2 => VectorSize::Bi,
                    Opcode::Dp3 => VectorSize::Tri,
                    _ => VectorSize::Quad,
                };
                self.dot(size, a, b)
            }
            Opcode::Slt | Opcode::Sge | Opcode::Seq | Opcode::Sne => {
                let [_, a, b] = operands(all)?;
                let (a, b) = (self.read(a)?, self.read(b)?);
                let op = match opcode {
                    Opcode::Slt => B::Less,
                    Opcode::Sge => B::GreaterEqual,
                    Opcode::Seq => B::Equal,
                    _ => B::NotEqual,
                };
                let holds = self.stage.compare_floats(op, a, b);
                let (one, zero) = (self.stage.build.float4(1.0), self.stage.build.float4(0.0));
                self.stage.build.select(holds, one, zero)
            }
            Opcode::Pow => {
                let [_, a, b] = operands(all)?;
                let (a, b) = (self.read_one(a)?, self.read_one(b)?);
                let a = self.stage.build.math(MathFunction::Abs, a);
                self.power(a, b)
            }
            Opcode::Crs => {
                let [_, a, b] = operands(all)?;
                let (a, b) = (self.read(a)?, self.read(b)?);
                self.cross(a, b)
            }
            Opcode::Dst => {
                let [_, a, b] = operands(all)?;
                let (a, b) = (self.read(a)?, self.read(b)?);
                let product = self.product(a, b);
                let build = &mut self.stage.build;
                let (one, y) = (build.float(1.0), build.part(product, 1));
                let (z, w) = (build.part(a, 2), build.part(b, 3));
                build.compose(self.stage.types.float4, vec![one, y, z, w])
            }
            Opcode::SinCos => {
                let [_, angle] = operands(all)?;
                let angle = self.read_one(angle)?;
                let build = &mut self.stage.build;
                let (cosine, sine) = (build.math(MathFunction::Cos, angle), build.math(MathFunction::Sin, angle));
                let zero = build.float(0.0);
                build.compose(self.stage.types.float4, vec![cosine, sine, zero, zero])
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    fn of_three(&mut self, opcode: Opcode, a: ValueHandle, b: ValueHandle, c: ValueHandle) -> ValueHandle {
        use BinaryOperator as B;
        match opcode {
            // Never fused: the same position has to come of the same numbers in every shader.
            Opcode::Mad => {
                let product = self.product(a, b);
                self.stage.build.binary(B::Add, product, c)
            }
            Opcode::Lrp => {
                let difference = self.stage.build.binary(B::Subtract, b, c);
                let product = self.product(a, difference);
                self.stage.build.binary(B::Add, product, c)
            }
            Opcode::Dp2Add => {
                let product = self.dot(VectorSize::Bi, a, b);
                let added = self.stage.build.swizzle(c, [Lane::X; 4]);
                self.stage.build.binary(B::Add, product, added)
            }
            opcode => {
                let (op, limit) = if opcode == Opcode::Cmp { (B::GreaterEqual, 0.0) } else { (B::Greater, 0.5) };
                let limit = self.stage.build.float4(limit);
                let holds = self.stage.build.binary(op, a, limit);
                self.stage.build.select(holds, b, c)
            }
        }
    }

    /// What is computed from one source.
    fn of_one(&mut self, opcode: Opcode, all: &[Operand]) -> Result<Option<ValueHandle>, TranslateError> {
        let is_first_model = self.stage.program.version().major < 2;
        let of_lanes = match opcode {
            Opcode::Mov | Opcode::MovA => None,
            Opcode::Frc => {
                let [_, from] = operands(all)?;
                let value = self.read(from)?;
                let value = self.stage.flushed(value);
                return Ok(Some(self.stage.build.math(MathFunction::Fract, value)));
            }
            Opcode::Abs => Some(MathFunction::Abs),
            Opcode::Sgn => Some(MathFunction::Sign),
            _ => return self.of_scalar(opcode, all, is_first_model),
        };
        let [_, from] = operands(all)?;
        let value = self.read(from)?;
        Ok(Some(of_lanes.map_or(value, |function| self.stage.build.math(function, value))))
    }

    fn of_scalar(
        &mut self,
        opcode: Opcode,
        all: &[Operand],
        is_first_model: bool,
    ) -> Result<Option<ValueHandle>, TranslateError> {
        let (Opcode::Rcp
        | Opcode::Rsq
        | Opcode::Exp
        | Opcode::ExpP
        | Opcode::Log
        | Opcode::LogP
        | Opcode::Lit
        | Opcode::Nrm
        | Opcode::Dsx
        | Opcode::Dsy) = opcode
        else {
            return Ok(None);
        };
        let [_, from] = operands(all)?;
        let value = self.read(from)?;
        let value = if opcode == Opcode::ExpP { self.stage.flushed(value) } else { value };
        let first = self.stage.build.part(value, 0);
        let build = &mut self.stage.build;
        let scalar = match opcode {
            Opcode::Lit => return self.lit(value).map(Some),
            Opcode::ExpP if is_first_model => return Ok(Some(self.partial_exp(first))),
            Opcode::LogP if is_first_model => return Ok(Some(self.partial_log(first))),
            Opcode::Nrm => {
                let square = self.dot(VectorSize::Tri, value, value);
                let square = self.stage.build.part(square, 0);
                let factor = self.stage.build.math(MathFunction::InverseSqrt, square);
                let factor = self.finite(factor);
                return Ok(Some(self.product(value, factor)));
            }
            Opcode::Dsx | Opcode::Dsy => {
                let axis = if opcode == Opcode::Dsx { DerivativeAxis::X } else { DerivativeAxis::Y };
                let ctrl = DerivativeControl::None;
                return Ok(Some(build.value(Expression::Derivative { axis, ctrl, expr: value })));
            }
            Opcode::Rcp => {
                let one = build.float(1.0);
                build.binary(BinaryOperator::Divide, one, first)
            }
            Opcode::Rsq => {
                let magnitude = build.math(MathFunction::Abs, first);
                build.math(MathFunction::InverseSqrt, magnitude)
            }
            Opcode::Exp | Opcode::ExpP => build.math(MathFunction::Exp2, first),
            _ => {
                let magnitude = build.math(MathFunction::Abs, first);
                build.math(MathFunction::Log2, magnitude)
            }
        };
        Ok(Some(match opcode {
            Opcode::Exp | Opcode::ExpP => self.stage.build.splat(scalar),
            _ => self.finite(scalar),
        }))
    }

    /// A number in every lane; the largest or the least instead of an infinite one.
    fn finite(&mut self, scalar: ValueHandle) -> ValueHandle {
        let build = &mut self.stage.build;
        let (least, largest) = (build.float(f32::MIN), build.float(f32::MAX));
        let is_above = build.binary(BinaryOperator::Greater, scalar, largest);
        let scalar = build.select(is_above, largest, scalar);
        let is_below = build.binary(BinaryOperator::Less, scalar, least);
        let scalar = build.select(is_below, least, scalar);
        build.splat(scalar)
    }

    /// Lane by lane, the product of two vectors.
    pub(super) fn product(&mut self, a: ValueHandle, b: ValueHandle) -> ValueHandle {
        let product = self.stage.build.binary(BinaryOperator::Multiply, a, b);
        // Only where one factor is infinite or no number is that of 0 not 0 already.
        let is_none = self.stage.is_nan(product);
        let zeros = self.stage.build.float4(0.0);
        let mut instead = product;
        for factor in [a, b] {
            let is_zero = self.stage.build.binary(BinaryOperator::Equal, factor, zeros);
            instead = self.stage.build.select(is_zero, zeros, instead);
        }
        self.stage.build.select(is_none, instead, product)
    }

    /// The product of two vectors of so many lanes, in every lane.
    pub(super) fn dot(&mut self, size: VectorSize, a: ValueHandle, b: ValueHandle) -> ValueHandle {
        let product = self.product(a, b);
        let build = &mut self.stage.build;
        let mut sum = build.part(product, 0);
        for lane in 1..size as u32 {
            let term = build.part(product, lane);
            sum = build.binary(BinaryOperator::Add, sum, term);
        }
        build.splat(sum)
    }

    /// A number that is not below 0 to the power of another, in every lane.
    fn power(&mut self, base: ValueHandle, exponent: ValueHandle) -> ValueHandle {
        let log = self.stage.build.math(MathFunction::Log2, base);
        let (log, exponent) = (self.finite(log), self.stage.build.splat(exponent));
        let product = self.product(log, exponent);
        self.stage.build.math(MathFunction::Exp2, product)
    }

    /// `expp` of vs_1_1: 2 to the whole part, the rest, 2 to both, 1.
    fn partial_exp(&mut self, value: ValueHandle) -> ValueHandle {
        let build = &mut self.stage.build;
        let floor = build.math(MathFunction::Floor, value);
        let whole = build.math(MathFunction::Exp2, floor);
        let rest = build.binary(BinaryOperator::Subtract, value, floor);
        let (both, one) = (build.math(MathFunction::Exp2, value), build.float(1.0));
        build.compose(self.stage.types.float4, vec![whole, rest, both, one])
    }

    /// `logp` of vs_1_1: the exponent, the mantissa, the logarithm, 1.
    fn partial_log(&mut self, value: ValueHandle) -> ValueHandle {
        let build = &mut self.stage.build;
        let value = build.math(MathFunction::Abs, value);
        let log = build.math(MathFunction::Log2, value);
        let exponent = build.math(MathFunction::Floor, log);
        let power = build.math(MathFunction::Exp2, exponent);
        let mantissa = build.binary(BinaryOperator::Divide, value, power);
        let one = build.float(1.0);
        build.compose(self.stage.types.float4, vec![exponent, mantissa, log, one])
    }

    /// `lit`: diffuse from x, specular from y to the power of w.
    fn lit(&mut self, value: ValueHandle) -> Result<ValueHandle, TranslateError> {
        const MOST_POWER: f32 = 127.996_1;
        let build = &mut self.stage.build;
        let [x, y, w] = [0, 1, 3].map(|lane| build.part(value, lane));
        let (zero, one) = (build.float(0.0), build.float(1.0));
        let (low, high) = (build.float(-MOST_POWER), build.float(MOST_POWER));
        let power = build.math2(MathFunction::Max, w, low);
        let power = build.math2(MathFunction::Min, power, high);
        let diffuse = build.math2(MathFunction::Max, x, zero);
        let base = build.math2(MathFunction::Max, y, zero);
        let specular = self.power(base, power);
        let build = &mut self.stage.build;
        let specular = build.part(specular, 0);
        let [is_lit, shines] = [x, y].map(|value| build.binary(BinaryOperator::Greater, value, zero));
        let shines = build.binary(BinaryOperator::LogicalAnd, is_lit, shines);
        let specular = build.select(shines, specular, zero);
        Ok(build.compose(self.stage.types.float4, vec![one, diffuse, specular, one]))
    }

    fn cross(&mut self, a: ValueHandle, b: ValueHandle) -> ValueHandle {
        let build = &mut self.stage.build;
        let turned = |lanes: [usize; 3]| {
            let [x, y, z] = lanes.map(|lane| Lane::ALL.get(lane).copied().unwrap_or(Lane::W));
            [x, y, z, Lane::W]
        };
        let (yzx, zxy) = (turned([1, 2, 0]), turned([2, 0, 1]));
        let (a1, b1) = (build.swizzle(a, yzx), build.swizzle(b, zxy));
        let (a2, b2) = (build.swizzle(a, zxy), build.swizzle(b, yzx));
        let (left, right) = (self.product(a1, b1), self.product(a2, b2));
        self.stage.build.binary(BinaryOperator::Subtract, left, right)
    }

    /// A vector times a matrix whose rows lie in registers that follow each other.
    fn matrix(&mut self, columns: VectorSize, rows: u32, all: &[Operand]) -> Result<ValueHandle, TranslateError> {
        let [_, vector, first] = operands(all)?;
        let vector = self.read(vector)?;
        let OperandValue::Register(register) = &first.value else {
            return Err(Internal::new("a matrix has no registers").into());
        };
        let index = register.last_index().unwrap_or_default();
        let zero = self.stage.build.float(0.0);
        let mut lanes = vec![zero; 4];
        for (row, lane) in (0..rows).zip(&mut lanes) {
            let index = Index { base: index.base.saturating_add(row), ..index };
            let row = Operand { value: OperandValue::Register(Register::numbered(register.kind, index)), ..*first };
            let row = self.read(&row)?;
            let product = self.dot(columns, vector, row);
            *lane = self.stage.build.part(product, 0);
        }
        Ok(self.stage.build.compose(self.stage.types.float4, lanes))
    }

    /// Whole numbers for `a0`: rounded to the nearest, by `mov` of vs_1_1 down.
    pub(super) fn address(&mut self, instruction: &Instruction, value: ValueHandle) -> ValueHandle {
        let is_down = instruction.opcode == Opcode::Mov && self.stage.program.version().major < 2;
        let function = if is_down { MathFunction::Floor } else { MathFunction::Round };
        let value = self.stage.flushed(value);
        let value = self.stage.build.math(function, value);
        self.stage.sint_of(value)
    }

    /// `setp`; `false` if the instruction is another that gives no floats.
    pub(super) fn without_value(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        let program = self.stage.program;
        let all = program.operands(instruction);
        match (instruction.opcode, instruction.control) {
            (Opcode::SetP, Control::Comparison(comparison)) => {
                let [to, a, b] = operands(all)?;
                let (a, b) = (self.read(a)?, self.read(b)?);
                let holds = self.stage.compare_floats(operator_of(comparison), a, b);
                let (yes, no) = (self.stage.build.uint4(u32::MAX), self.stage.build.uint4(0));
                let words = self.stage.build.select(holds, yes, no);
                self.write_words(to, words, program.predicate(instruction))?;
                Ok(true)
            }
            (Opcode::Nop | Opcode::Phase, _) => Ok(true),
            _ => Ok(false),
        }
    }

    /// Four floats as words.
    pub(super) fn words_of_floats(&mut self, value: ValueHandle) -> ValueHandle {
        self.stage.build.bits(value, ScalarKind::Uint)
    }

    /// The register of a kind of which there is one.
    pub(super) fn single(&mut self, kind: RegisterKind) -> ValueHandle {
        self.stage.register(kind, 0)
    }
}

pub(super) const fn operator_of(comparison: Comparison) -> BinaryOperator {
    super::super::flow::comparison_of(comparison).0
}

/// Lanes of a vector that a matrix takes, and the rows of the matrix.
fn matrix_of(opcode: Opcode) -> Option<(VectorSize, u32)> {
    Some(match opcode {
        Opcode::M4x4 => (VectorSize::Quad, 4),
        Opcode::M4x3 => (VectorSize::Quad, 3),
        Opcode::M3x4 => (VectorSize::Tri, 4),
        Opcode::M3x3 => (VectorSize::Tri, 3),
        Opcode::M3x2 => (VectorSize::Tri, 2),
        _ => return None,
    })
}
