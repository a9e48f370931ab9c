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
        Value::constant(self.literal_text(ty, &mut components.iter()), known)
    }

    fn literal_text(&mut self, ty: &Type, components: &mut std::slice::Iter<'_, Component>) -> String {
        match ty {
            Type::Void | Type::Sampler(_) => String::new(),
            Type::Numeric(scalar, 1, 1) => {
                let component = components.next().copied().unwrap_or(Component::Int(0)).convert(*scalar);
                self.component(component)
            }
            Type::Numeric(scalar, columns, rows) => {
                let count = usize::from(*columns) * usize::from(*rows);
                let parts: Vec<_> = components.by_ref().take(count).copied().collect();
                let mut texts: Vec<String> = parts.iter().map(|part| self.component(*part)).collect();
                if *columns == 1 && texts.iter().skip(1).all(|text| texts.first() == Some(text)) {
                    texts.truncate(1);
                }
                format!("{}({})", numeric(*scalar, *columns, *rows), texts.join(", "))
            }
            Type::Array(of, length) => {
                let parts: Vec<_> = (0..*length).map(|_| self.literal_text(of, components)).collect();
                format!("{}({})", self.ty(ty), parts.join(", "))
            }
            Type::Struct(of) => {
                let parts: Vec<_> = of.members.iter().map(|(_, ty)| self.literal_text(ty, components)).collect();
                format!("{}({})", self.ty(ty), parts.join(", "))
            }
        }
    }

    fn component(&mut self, component: Component) -> String {
        match component {
            // WGSL has no literal for these, and folds what could make them into an error.
            Component::Float(value) if !value.is_finite() => {
                let name = self.runtime("gl_float_from_bits");
                format!("{name}({:#x}u)", value.to_bits())
            }
            Component::Float(value) => format!("{value:?}f"),
            Component::Int(i32::MIN) => "i32(-2147483648)".to_owned(),
            Component::Int(value) => format!("{value}i"),
            Component::Uint(value) => format!("{value}u"),
            Component::Bool(value) => value.to_string(),
        }
    }

    /// Zero of any type.
    pub(super) fn zero(&mut self, ty: &Type) -> String {
        format!("{}()", self.ty(ty))
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
