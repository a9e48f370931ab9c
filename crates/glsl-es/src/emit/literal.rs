//! Constants in WGSL.

use super::super::types::{Scalar, Type};
use super::super::value::Component;
use super::types::numeric;
use super::{Known, Value, Writer};

impl Writer<'_> {
    /// A constant of any type.
    pub(super) fn literal(&mut self, ty: &Type, components: &[Component]) -> Value {
        let is_zero = |component: &Component| match component {
            Component::Float(value) => *value == 0.0,
            Component::Int(_) | Component::Uint(_) | Component::Bool(_) => component.integer() == 0,
        };
        let known = if components.iter().any(is_zero) { Known::Constant } else { Known::NonZero };
        self.literal_of(ty, &mut components.iter()).constant(known)
    }

    fn literal_of(&mut self, ty: &Type, components: &mut std::slice::Iter<'_, Component>) -> Value {
        match ty {
            Type::Void | Type::Sampler(_) => Value::nothing(),
            Type::Numeric(scalar, 1, 1) => {
                let component = components.next().copied().unwrap_or(Component::Int(0)).convert(*scalar);
                self.component(component)
            }
            Type::Numeric(scalar, columns, rows) => {
                let count = usize::from(*columns) * usize::from(*rows);
                let mut parts: Vec<_> = components.by_ref().take(count).copied().collect();
                let is_same = |part: &Component| parts.first().is_some_and(|first| are_written_alike(*first, *part));
                if *columns == 1 && parts.iter().all(is_same) {
                    parts.truncate(1);
                }
                Value::call(
                    numeric(*scalar, *columns, *rows),
                    parts.into_iter().map(|part| self.component(part)).collect(),
                )
            }
            Type::Array(of, length) => {
                let parts = (0..*length).map(|_| self.literal_of(of, components)).collect();
                Value::call(self.ty(ty), parts)
            }
            Type::Struct(of) => {
                let parts = of.members.iter().map(|(_, ty)| self.literal_of(ty, components)).collect();
                Value::call(self.ty(ty), parts)
            }
        }
    }

    fn component(&mut self, component: Component) -> Value {
        match component {
            // WGSL has no literal for these, and folds what could make them into an error.
            Component::Float(value) if !value.is_finite() => {
                let bits = Value::literal(format!("{:#x}u", value.to_bits()));
                Value::call(self.runtime("gl_float_from_bits"), vec![bits])
            }
            Component::Float(value) if value.is_sign_negative() => {
                self.component(Component::Float(-value)).prefixed("-")
            }
            Component::Float(value) => Value::literal(format!("{value:?}f")),
            Component::Int(i32::MIN) => Value::literal("i32(-2147483648)"),
            Component::Int(value @ ..0) => Value::literal(format!("{}i", value.unsigned_abs())).prefixed("-"),
            Component::Int(value) => Value::literal(format!("{value}i")),
            Component::Uint(value) => Value::literal(format!("{value}u")),
            Component::Bool(value) => Value::literal(value.to_string()),
        }
    }

    /// Zero of any type.
    pub(super) fn zero(&mut self, ty: &Type) -> Value {
        Value::call(self.ty(ty), Vec::new()).constant(Known::Constant)
    }
}

/// Whether two components have the same text: 0.0 and -0.0 do not.
fn are_written_alike(a: Component, b: Component) -> bool {
    match (a, b) {
        (Component::Float(a), Component::Float(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

/// The number 1 of a type's scalar.
pub(crate) fn one(of: Scalar) -> &'static str {
    match of {
        Scalar::Float => "1.0f",
        Scalar::Int => "1i",
        _ => "1u",
    }
}
