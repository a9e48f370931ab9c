//! Random types, and paths into values of them.

use std::sync::Arc;

use glsl_es::{Scalar, Struct, Type};

use super::{Generator, Var};

/// A vector or scalar.
pub fn vector(scalar: Scalar, size: usize) -> Type {
    Type::vector(scalar, size as u8)
}

pub fn float(size: usize) -> Type {
    vector(Scalar::Float, size)
}

pub fn matrix(columns: usize, rows: usize) -> Type {
    Type::Numeric(Scalar::Float, columns as u8, rows as u8)
}

impl Generator {
    pub fn one_in(&mut self, count: usize) -> bool {
        self.choices.below(count) == 0
    }

    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.choices.below(list.len())].clone()
    }

    pub fn name(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    pub fn numeric(&mut self) -> Type {
        let size = 1 + self.choices.below(4);
        match self.choices.below(12) {
            0..=5 => float(size),
            6 | 7 => vector(Scalar::Int, size),
            8 => vector(Scalar::Uint, size),
            9 => vector(Scalar::Bool, size),
            _ => matrix(2 + self.choices.below(3), 2 + self.choices.below(3)),
        }
    }

    /// Any type that a variable may have.
    pub fn any_type(&mut self) -> Type {
        match self.choices.below(10) {
            0 if !self.structs.is_empty() => {
                let of = self.pick(&self.structs.clone());
                Type::Struct(of)
            }
            1 => self.array(),
            _ => self.numeric(),
        }
    }

    pub fn array(&mut self) -> Type {
        let of = match self.choices.below(5) {
            0 if !self.structs.is_empty() => Type::Struct(self.pick(&self.structs.clone())),
            _ => self.numeric(),
        };
        Type::Array(Arc::new(of), 1 + self.choices.below(4) as u32)
    }

    /// Declares a struct; later ones may hold earlier ones.
    pub fn new_struct(&mut self) -> String {
        let id = self.structs.len() as u32;
        let name = format!("S{id}");
        let mut members = Vec::new();
        for at in 0..1 + self.choices.below(4) {
            let ty = match self.choices.below(6) {
                0 => self.array(),
                1 if id > 0 => Type::Struct(self.pick(&self.structs.clone())),
                _ => self.numeric(),
            };
            members.push((format!("m{at}"), ty));
        }
        let text: Vec<String> = members.iter().map(|(name, ty)| self.declared(ty, name) + ";").collect();
        let depth = 1 + members.iter().map(|(_, ty)| ty.struct_depth()).max().unwrap_or(0);
        self.structs.push(Arc::new(Struct { id, name: name.clone(), members, depth }));
        format!("struct {name} {{ {} }};\n", text.join(" "))
    }

    /// `float x[3]` or `float[3] x`.
    pub fn declared(&mut self, ty: &Type, name: &str) -> String {
        let precision = match ty {
            Type::Numeric(scalar, ..) if *scalar != Scalar::Bool && self.one_in(12) => "highp ",
            _ => "",
        };
        match ty {
            Type::Array(of, length) if self.one_in(2) => format!("{precision}{of} {name}[{length}]"),
            _ => format!("{precision}{ty} {name}"),
        }
    }

    /// Variables that can be seen here, innermost first, and not those that they hide.
    pub fn visible(&self) -> Vec<Var> {
        let mut seen = std::collections::HashSet::new();
        let all = self.scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        all.filter(|var| seen.insert(var.name.clone())).cloned().collect()
    }

    /// A random way from a value of `from` to a scalar, vector or matrix inside, or to `wanted` exactly.
    pub fn path(&mut self, from: &Type, wanted: Option<&Type>, steps: usize) -> Option<(String, Type)> {
        let fits = |ty: &Type| match wanted {
            Some(wanted) => ty == wanted,
            None => matches!(ty, Type::Numeric(..)),
        };
        if fits(from) && (steps == 0 || wanted.is_some() || from.is_scalar() || self.one_in(2)) {
            return Some((String::new(), from.clone()));
        }
        if steps == 0 {
            return None;
        }
        match from {
            Type::Struct(of) => {
                let first = self.choices.below(of.members.len());
                for at in 0..of.members.len() {
                    let (name, ty) = &of.members[(first + at) % of.members.len()];
                    if let Some((rest, found)) = self.path(&ty.clone(), wanted, steps - 1) {
                        return Some((format!(".{name}{rest}"), found));
                    }
                }
                None
            }
            Type::Array(of, length) => {
                let (rest, found) = self.path(&of.as_ref().clone(), wanted, steps - 1)?;
                Some((format!("[{}]{rest}", self.index(*length as usize)), found))
            }
            Type::Numeric(_, columns @ 2.., rows) => {
                let column = float(usize::from(*rows));
                let (rest, found) = self.path(&column, wanted, steps - 1)?;
                Some((format!("[{}]{rest}", self.index(usize::from(*columns))), found))
            }
            Type::Numeric(scalar, 1, size @ 2..) => {
                let size = usize::from(*size);
                let count = match wanted {
                    Some(Type::Numeric(of, 1, count)) if of == scalar => usize::from(*count),
                    Some(_) => return None,
                    None => 1 + self.choices.below(size),
                };
                if count > size {
                    return None;
                }
                if count == 1 && self.one_in(3) {
                    return Some((format!("[{}]", self.index(size)), vector(*scalar, 1)));
                }
                Some((format!(".{}", self.distinct(count, size)), vector(*scalar, count)))
            }
            _ => None,
        }
    }

    /// A swizzle of distinct components.
    fn distinct(&mut self, count: usize, of: usize) -> String {
        let set = ["xyzw", "rgba", "stpq"][self.choices.below(3)].as_bytes();
        let mut left: Vec<u8> = set[..of].to_vec();
        (0..count).map(|_| left.remove(self.choices.below(left.len())) as char).collect()
    }

    /// A swizzle of any components.
    pub fn swizzle(&mut self, count: usize, of: usize) -> String {
        let set = ["xyzw", "rgba", "stpq"][self.choices.below(3)].as_bytes();
        (0..count).map(|_| set[self.choices.below(of)] as char).collect()
    }

    /// An index below `length`.
    pub fn index(&mut self, length: usize) -> String {
        if self.constant || self.one_in(2) {
            return self.choices.below(length).to_string();
        }
        let unsigned = self.one_in(3);
        let index = match unsigned {
            true => format!("uint({}) % {length}u", self.expression(&vector(Scalar::Uint, 1), 0)),
            false => format!("({} & 63) % {length}", self.expression(&vector(Scalar::Int, 1), 0)),
        };
        if !self.indices_first {
            return index;
        }
        // Not declared in any scope, so nothing writes it.
        let name = self.name("i");
        self.line(&format!("{} {name} = {index};", if unsigned { "uint" } else { "int" }));
        name
    }
}
