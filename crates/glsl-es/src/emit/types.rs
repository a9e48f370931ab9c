//! Types in WGSL.

use super::super::types::{Scalar, Struct, Type};
use super::{Entity, Writer, mangle};

/// `f32`
pub(crate) fn scalar(of: Scalar) -> &'static str {
    match of {
        Scalar::Float => "f32",
        Scalar::Int => "i32",
        Scalar::Uint => "u32",
        Scalar::Bool => "bool",
    }
}

/// `f32`, `vec3<f32>`, `mat2x3<f32>`
pub(crate) fn numeric(of: Scalar, columns: u8, rows: u8) -> String {
    match (columns, rows) {
        (1, 1) => scalar(of).to_owned(),
        (1, rows) => format!("vec{rows}<{}>", scalar(of)),
        (columns, rows) => format!("mat{columns}x{rows}<f32>"),
    }
}

/// A vector, or a scalar if `size` is 1.
pub(crate) fn vector(of: Scalar, size: u8) -> String {
    numeric(of, 1, size)
}

/// Name of a struct's member. WGSL has no name that begins with `__`, so such ones get a letter before and another end.
pub(crate) fn member(name: &str) -> String {
    if name.starts_with('_') { format!("u{name}_n") } else { format!("{name}_m") }
}

impl Writer<'_> {
    /// A type; structs get declared.
    pub(super) fn ty(&mut self, ty: &Type) -> String {
        match ty {
            Type::Void | Type::Sampler(_) => String::new(),
            Type::Numeric(of, columns, rows) => numeric(*of, *columns, *rows),
            Type::Array(of, length) => format!("array<{}, {length}>", self.ty(of)),
            Type::Struct(of) => self.struct_type(of),
        }
    }

    fn struct_type(&mut self, of: &Struct) -> String {
        let name = mangle(Entity::Struct, &of.name, of.id as usize);
        if self.struct_ids.insert(of.id) {
            let mut members: Vec<String> = Vec::new();
            for (name, ty) in &of.members {
                if !self.is_opaque(ty) {
                    members.push(format!("  {}: {},", member(name), self.ty(ty)));
                }
            }
            if members.is_empty() {
                members.push("  nothing: u32,".to_owned());
            }
            self.structs.push(format!("struct {name} {{\n{}\n}}\n", members.join("\n")));
        }
        name
    }

    /// Whether nothing of a type is left without its samplers.
    pub(super) fn is_opaque(&self, ty: &Type) -> bool {
        match ty {
            Type::Sampler(_) => true,
            Type::Array(of, _) => self.is_opaque(of),
            _ => false,
        }
    }
}
