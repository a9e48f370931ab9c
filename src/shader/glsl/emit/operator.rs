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
        let code = match (operator, &operand.ty) {
            (UnaryOp::Plus, _) => return Ok(value),
            (UnaryOp::Not, _) => format!("!{}", tight(&value.code)),
            (UnaryOp::Complement, _) => format!("~{}", tight(&value.code)),
            (UnaryOp::Negate, Type::Numeric(Scalar::Uint, _, rows)) => {
                format!("({}() - {})", vector(Scalar::Uint, *rows), value.code)
            }
            (UnaryOp::Negate, Type::Numeric(_, columns @ 2.., rows)) => {
                let value = self.keep(value);
                let parts: Vec<_> = (0..*columns).map(|c| format!("-{}[{c}]", value.code)).collect();
                return Ok(Value::around(format!("{}({})", matrix(*columns, *rows), parts.join(", ")), &[&value]));
            }
            (UnaryOp::Negate, _) => format!("(-{})", tight(&value.code)),
        };
        Ok(Value::around(code, &[&value]))
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
            Divide | Remainder if right.1.scalar() != Some(Scalar::Float) && right.0.known == Known::Constant => {
                // It may be zero.
                let divisor = self.opaque(right.0);
                self.infix(operator.symbol(), left.0, divisor)
            }
            _ => self.infix(operator.symbol(), left.0, right.0),
        }
    }

    /// `(left op right)`, which naga doesn't compute.
    fn infix(&mut self, symbol: &str, left: Value, right: Value) -> Value {
        let operands = self.unevaluated(vec![left, right]);
        let parts: Vec<&Value> = operands.iter().collect();
        let texts: Vec<&str> = operands.iter().map(|operand| operand.code.as_str()).collect();
        Value::around(format!("({})", texts.join(&format!(" {symbol} "))), &parts)
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
        let same = self.same(&a.code, &b.code, ty);
        Value::around(if equal { same } else { format!("!{same}") }, &[&a, &b])
    }

    /// WGSL shifts by `u32` only, and by as many components as are shifted.
    fn shift(&mut self, operator: BinaryOp, left: (Value, &Type), right: (Value, &Type)) -> Value {
        let Type::Numeric(_, _, rows) = left.1 else { return left.0 };
        let shifted = if right.0.is_constant() { self.opaque(left.0) } else { left.0 };
        let mut by = right.0.clone();
        // naga folds a literal and refuses 32 and more, which GLSL leaves open.
        let ty = vector(Scalar::Uint, *rows);
        if right.1.scalar() != Some(Scalar::Uint) || left.1.is_vector() != right.1.is_vector() {
            let own = match right.1 {
                Type::Numeric(_, _, 1) if right.1.scalar() == Some(Scalar::Uint) => by.code.clone(),
                Type::Numeric(_, _, size) => format!("{}({})", vector(Scalar::Uint, *size), by.code),
                _ => by.code.clone(),
            };
            let code = if left.1.is_vector() && right.1.is_scalar() { format!("{ty}({own})") } else { own };
            by = Value::around(code, &[&by]);
        }
        let code = format!("({} {} ({} & {ty}(31u)))", shifted.code, operator.symbol(), by.code);
        Value::around(code, &[&shifted, &by])
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
            true => format!("{}[{column}]", value.code),
            false => value.code.clone(),
        };
        let symbol = operator.symbol();
        let parts: Vec<_> =
            (0..*columns).map(|c| format!("{} {symbol} {}", column(&a, left.1, c), column(&b, right.1, c))).collect();
        Value::around(format!("{}({})", matrix(*columns, *rows), parts.join(", ")), &[&a, &b])
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
    Value::around(format!("{}({})", vector(scalar, size), value.code), &[value])
}

/// A text that a unary operator or `.` may stand next to.
pub(crate) fn tight(code: &str) -> String {
    let simple = code.starts_with('(') && super::expr::parenthesised(code) == code;
    let word = code.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']'));
    if simple || word { code.to_owned() } else { format!("({code})") }
}
