//! Constants: a value is its scalars in order, whatever its type (columns of a matrix, members of a struct).

mod builtin;
mod geometry;
mod matrix;
mod pack;

use std::sync::Arc;

use super::ast::{BinaryOp, UnaryOp};
use super::types::{Scalar, Type};

pub(crate) use builtin::builtin;

/// One component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Component {
    /// `float`
    Float(f32),
    /// `int`
    Int(i32),
    /// `uint`
    Uint(u32),
    /// `bool`
    Bool(bool),
}

/// All components of a constant.
pub(crate) type Value = Arc<[Component]>;

impl Component {
    /// As a float.
    pub(crate) fn float(self) -> f32 {
        match self {
            Component::Float(value) => value,
            Component::Int(value) => value as f32,
            Component::Uint(value) => value as f32,
            Component::Bool(value) => f32::from(u8::from(value)),
        }
    }

    /// As a truth value.
    pub(crate) fn truth(self) -> bool {
        match self {
            Component::Float(value) => value != 0.0,
            Component::Int(value) => value != 0,
            Component::Uint(value) => value != 0,
            Component::Bool(value) => value,
        }
    }

    /// As 32 bits of an integer; a float is truncated, and a negative one wraps as on common hardware.
    pub(crate) fn integer(self) -> u32 {
        match self {
            Component::Float(value) if value < 0.0 => value as i32 as u32,
            Component::Float(value) => value as u32,
            Component::Int(value) => value as u32,
            Component::Uint(value) => value,
            Component::Bool(value) => u32::from(value),
        }
    }

    /// Converted as a constructor does.
    pub(crate) fn convert(self, to: Scalar) -> Component {
        match (self, to) {
            (_, Scalar::Float) => Component::Float(self.float()),
            (Component::Float(value), Scalar::Int) => Component::Int(value as i32),
            (_, Scalar::Int) => Component::Int(self.integer() as i32),
            (_, Scalar::Uint) => Component::Uint(self.integer()),
            (_, Scalar::Bool) => Component::Bool(self.truth()),
        }
    }

    /// Zero of a type.
    pub(crate) fn zero(scalar: Scalar) -> Component {
        Component::Int(0).convert(scalar)
    }

    fn same(self, other: Component) -> bool {
        match (self, other) {
            (Component::Float(a), Component::Float(b)) => a == b,
            _ => self.integer() == other.integer(),
        }
    }
}

/// Folds an operator before one operand.
pub(crate) fn unary(operator: UnaryOp, operand: &Value) -> Value {
    let one = |component: Component| match (operator, component) {
        (UnaryOp::Plus, value) => value,
        (UnaryOp::Negate, Component::Float(value)) => Component::Float(-value),
        (UnaryOp::Negate, Component::Int(value)) => Component::Int(value.wrapping_neg()),
        (UnaryOp::Negate, value) => Component::Uint(value.integer().wrapping_neg()),
        (UnaryOp::Not, value) => Component::Bool(!value.truth()),
        (UnaryOp::Complement, Component::Int(value)) => Component::Int(!value),
        (UnaryOp::Complement, value) => Component::Uint(!value.integer()),
    };
    operand.iter().map(|component| one(*component)).collect()
}

/// Folds an operator between two operands whose types were checked; `None` where GLSL leaves the result open.
pub(crate) fn binary(operator: BinaryOp, left: (&Value, &Type), right: (&Value, &Type)) -> Option<Value> {
    use BinaryOp::*;
    let linear = operator == Multiply
        && (left.1.is_matrix() || right.1.is_matrix())
        && !left.1.is_scalar()
        && !right.1.is_scalar();
    if linear {
        return matrix::product(left, right);
    }
    match operator {
        Equal | NotEqual => {
            let same = left.0.iter().zip(right.0.iter()).all(|(a, b)| a.same(*b));
            return Some(Arc::new([Component::Bool(same == (operator == Equal))]));
        }
        _ => {}
    }
    let length = left.0.len().max(right.0.len());
    let pick = |value: &Value, index: usize| value.get(if value.len() == 1 { 0 } else { index }).copied();
    (0..length).map(|index| component(operator, pick(left.0, index)?, pick(right.0, index)?)).collect()
}

fn component(operator: BinaryOp, left: Component, right: Component) -> Option<Component> {
    use BinaryOp::*;
    if matches!(operator, ShiftLeft | ShiftRight) {
        return shift(operator, left, right.integer());
    }
    Some(match (left, right) {
        (Component::Float(a), Component::Float(b)) => match operator {
            Add => Component::Float(a + b),
            Subtract => Component::Float(a - b),
            Multiply => Component::Float(a * b),
            Divide => Component::Float(a / b),
            Less => Component::Bool(a < b),
            Greater => Component::Bool(a > b),
            LessEqual => Component::Bool(a <= b),
            GreaterEqual => Component::Bool(a >= b),
            _ => return None,
        },
        (Component::Int(a), Component::Int(b)) => match operator {
            Divide if b == 0 => return None,
            Remainder if b == 0 => return None,
            Add => Component::Int(a.wrapping_add(b)),
            Subtract => Component::Int(a.wrapping_sub(b)),
            Multiply => Component::Int(a.wrapping_mul(b)),
            Divide => Component::Int(a.wrapping_div(b)),
            Remainder => Component::Int(a.wrapping_rem(b)),
            Less => Component::Bool(a < b),
            Greater => Component::Bool(a > b),
            LessEqual => Component::Bool(a <= b),
            GreaterEqual => Component::Bool(a >= b),
            BitAnd => Component::Int(a & b),
            BitOr => Component::Int(a | b),
            BitXor => Component::Int(a ^ b),
            _ => return None,
        },
        (Component::Uint(a), Component::Uint(b)) => match operator {
            Add => Component::Uint(a.wrapping_add(b)),
            Subtract => Component::Uint(a.wrapping_sub(b)),
            Multiply => Component::Uint(a.wrapping_mul(b)),
            Divide => Component::Uint(a.checked_div(b)?),
            Remainder => Component::Uint(a.checked_rem(b)?),
            Less => Component::Bool(a < b),
            Greater => Component::Bool(a > b),
            LessEqual => Component::Bool(a <= b),
            GreaterEqual => Component::Bool(a >= b),
            BitAnd => Component::Uint(a & b),
            BitOr => Component::Uint(a | b),
            BitXor => Component::Uint(a ^ b),
            _ => return None,
        },
        (Component::Bool(a), Component::Bool(b)) => Component::Bool(match operator {
            And => a && b,
            Or => a || b,
            Xor => a != b,
            _ => return None,
        }),
        _ => return None,
    })
}

fn shift(operator: BinaryOp, left: Component, by: u32) -> Option<Component> {
    // Shifting by 32 or more is undefined in GLSL; hardware takes the low five bits.
    Some(match (left, operator) {
        (Component::Int(a), BinaryOp::ShiftLeft) => Component::Int(a.wrapping_shl(by)),
        (Component::Int(a), _) => Component::Int(a.wrapping_shr(by)),
        (Component::Uint(a), BinaryOp::ShiftLeft) => Component::Uint(a.wrapping_shl(by)),
        (Component::Uint(a), _) => Component::Uint(a.wrapping_shr(by)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_wrap_and_leave_division_by_zero_alone() {
        let int = |v| -> Value { Arc::new([Component::Int(v)]) };
        let fold = |op, a, b| binary(op, (&int(a), &Type::INT), (&int(b), &Type::INT)).map(|v| v[0].integer() as i32);
        assert_eq!(fold(BinaryOp::Add, i32::MAX, 1), Some(i32::MIN));
        assert_eq!(fold(BinaryOp::Divide, 1, 0), None);
        assert_eq!(fold(BinaryOp::ShiftLeft, 1, 33), Some(2));
        assert_eq!(fold(BinaryOp::Divide, -7, 2), Some(-3));
    }

    #[test]
    fn conversions_are_those_of_constructors() {
        assert_eq!(Component::Float(-1.5).convert(Scalar::Int).integer() as i32, -1);
        assert_eq!(Component::Int(-1).convert(Scalar::Uint).integer(), u32::MAX);
        assert!(Component::Float(0.1).convert(Scalar::Bool).truth());
    }
}
