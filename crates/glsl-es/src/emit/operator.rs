//! Operators on values: where WGSL lacks a form that GLSL has, it is spelt out.

use super::super::ast::{BinaryOp, UnaryOp};
use super::super::error::Result;
use super::super::typed::Expr;
use super::super::types::{Scalar, Type};
use super::runtime::matrix;
use super::types::vector;
use super::{Known, Value, Writer};

impl Writer<'_> {
    pub(super) fn unary(&mut self, operator: UnaryOp, operand: &Expr) -> Result<Value> {
        let value = self.value(operand)?;
        Ok(match (operator, &operand.ty) {
            (UnaryOp::Plus, _) => value,
            (UnaryOp::Not, _) => value.prefixed("!"),
            (UnaryOp::Complement, _) => value.prefixed("~"),
            (UnaryOp::Negate, Type::Numeric(Scalar::Uint, ..)) => {
                // WGSL negates no unsigned number.
                let zero = self.zero(&operand.ty);
                zero.infix("-", &value)
            }
            (UnaryOp::Negate, Type::Numeric(_, columns @ 2.., rows)) => {
                let value = self.keep(value);
                let parts = (0..*columns).map(|column| value.column(column).prefixed("-")).collect();
                Value::call(matrix(*columns, *rows), parts)
            }
            (UnaryOp::Negate, _) => value.prefixed("-"),
        })
    }

    /// An operator between two values whose effects are over.
    pub(super) fn operator(&mut self, operator: BinaryOp, left: (Value, &Type), right: (Value, &Type)) -> Value {
        use BinaryOp::*;
        match operator {
            Equal | NotEqual => self.comparison(operator == Equal, left, right),
            Xor => self.infix("!=", left.0, right.0),
            ShiftLeft | ShiftRight => self.shift(operator, left, right),
            BitAnd | BitOr | BitXor => {
                let (left, right) = splat_both(left, right);
                self.infix(operator.symbol(), left, right)
            }
            Add | Subtract | Multiply | Divide if left.1.is_matrix() || right.1.is_matrix() => {
                self.matrix_operator(operator, left, right)
            }
            Divide | Remainder if right.1.scalar() != Some(Scalar::Float) && right.0.known() == Known::Constant => {
                // It may be zero.
                let divisor = self.opaque(right.0);
                self.infix(operator.symbol(), left.0, divisor)
            }
            _ => self.infix(operator.symbol(), left.0, right.0),
        }
    }

    /// `left op right`, which naga doesn't compute.
    fn infix(&mut self, symbol: &'static str, left: Value, right: Value) -> Value {
        match self.unevaluated(vec![left, right]).as_slice() {
            [left, right] => left.infix(symbol, right),
            _ => Value::nothing(),
        }
    }

    fn comparison(&mut self, equal: bool, left: (Value, &Type), right: (Value, &Type)) -> Value {
        let ty = left.1;
        if ty.is_scalar() {
            return self.infix(if equal { "==" } else { "!=" }, left.0, right.0);
        }
        let (a, b) = match ty.is_matrix() {
            true => (self.keep(left.0), self.keep(right.0)),
            false => (left.0, right.0),
        };
        let same = self.same(&a, &b, ty);
        if equal { same } else { same.prefixed("!") }
    }

    /// WGSL shifts by `u32` only, and by as many components as are shifted.
    fn shift(&mut self, operator: BinaryOp, left: (Value, &Type), right: (Value, &Type)) -> Value {
        let Type::Numeric(_, _, rows) = left.1 else { return left.0 };
        let shifted = if right.0.is_constant() { self.opaque(left.0) } else { left.0 };
        let mut by = right.0;
        let ty = vector(Scalar::Uint, *rows);
        if let Type::Numeric(scalar, _, size) = right.1 {
            if *scalar != Scalar::Uint {
                by = Value::call(vector(Scalar::Uint, *size), vec![by]);
            }
            if left.1.is_vector() && right.1.is_scalar() {
                by = Value::call(ty.clone(), vec![by]);
            }
        }
        // naga folds a literal and refuses 32 and more, which GLSL leaves open.
        let most = Value::call(ty, vec![Value::literal("31u")]);
        shifted.infix(operator.symbol(), &by.infix("&", &most))
    }

    fn matrix_operator(&mut self, operator: BinaryOp, left: (Value, &Type), right: (Value, &Type)) -> Value {
        let scalar_product = operator == BinaryOp::Multiply;
        let same = left.1 == right.1 && matches!(operator, BinaryOp::Add | BinaryOp::Subtract);
        if scalar_product || same {
            return self.infix(operator.symbol(), left.0, right.0);
        }
        let Type::Numeric(_, columns, rows) = (if left.1.is_matrix() { left.1 } else { right.1 }) else {
            return left.0;
        };
        let (a, b) = (self.keep(left.0), self.keep(right.0));
        let column = |value: &Value, ty: &Type, column: u8| match ty.is_matrix() {
            true => value.column(column),
            false => value.clone(),
        };
        let symbol = operator.symbol();
        let parts = (0..*columns).map(|c| column(&a, left.1, c).infix(symbol, &column(&b, right.1, c))).collect();
        Value::call(matrix(*columns, *rows), parts)
    }
}

/// Makes both operands as wide as the wider.
fn splat_both(left: (Value, &Type), right: (Value, &Type)) -> (Value, Value) {
    let widen = |value: Value, ty: &Type, other: &Type| match (ty, other) {
        (Type::Numeric(scalar, 1, 1), Type::Numeric(_, 1, size @ 2..)) => splat(&value, *scalar, *size),
        _ => value,
    };
    let (left_type, right_type) = (left.1, right.1);
    (widen(left.0, left_type, right_type), widen(right.0, right_type, left_type))
}

/// A vector of equal components.
pub(crate) fn splat(value: &Value, scalar: Scalar, size: u8) -> Value {
    if size == 1 {
        return value.clone();
    }
    Value::call(vector(scalar, size), vec![value.clone()])
}
