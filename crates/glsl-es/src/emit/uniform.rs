//! Reads from uniform blocks, which are declared as arrays of `vec4<u32>` whatever their members are.
//!
//! So `bool`, `float[8]`, `mat2x3` and `row_major`, none of which WGSL can lay out as std140 does, read alike: the
//! address of a part is a constant plus, for each index at run time, its step, all of it in units of 16 bytes.

use super::super::error::Result;
use super::super::layout;
use super::super::link::GROUP;
use super::super::typed::{Expr, ExprKind, VariableKind};
use super::super::types::{Scalar, Type};
use super::place::letters;
use super::types::vector;
use super::{Entity, Value, Writer, mangle};

/// A part of a uniform block.
#[derive(Clone)]
struct Part {
    /// WGSL name of the block.
    buffer: String,
    /// Constant part of the address, in bytes.
    offset: u32,
    /// Parts known at run time, each a `u32` that counts 16 bytes.
    dynamic: Vec<Value>,
    /// Whether matrices are stored by rows.
    row_major: bool,
}

impl Part {
    /// The vector that the part begins in, `ahead` vectors on.
    fn slot(&self, ahead: u32) -> Value {
        let constant = self.offset / 16 + ahead;
        let constant = (constant > 0 || self.dynamic.is_empty()).then_some(constant);
        Value::fixed(self.buffer.clone()).element(&self.address(constant))
    }

    /// The parts known at run time and a constant one.
    fn address(&self, constant: Option<u32>) -> Value {
        let constant = constant.map(|constant| Value::literal(format!("{constant}u")));
        let terms = self.dynamic.iter().cloned().chain(constant);
        terms.reduce(|sum, term| sum.infix("+", &term)).unwrap_or(Value::nothing())
    }
}

impl Writer<'_> {
    /// Reads a uniform, a block's member or a part of one.
    pub(super) fn read_uniform(&mut self, expression: &Expr) -> Result<Value> {
        match &expression.kind {
            // A part of a vector is a part of the loaded vector.
            ExprKind::Swizzle(base, components) => {
                let value = self.read_uniform(base)?;
                Ok(value.member(letters(components)))
            }
            ExprKind::Index(base, index) if base.ty.is_vector() => {
                let value = self.read_uniform(base)?;
                let value = if index.effects { self.keep(value) } else { value };
                let index = self.index(index)?;
                Ok(value.element(&index))
            }
            ExprKind::Index(base, index) if base.ty.is_matrix() => {
                let part = self.part(base)?;
                let index_value = self.index(index)?;
                Ok(self.read_column(&part, &base.ty, &index_value, index.value.is_some()))
            }
            _ => {
                let part = self.part(expression)?;
                Ok(self.read_part(&part, &expression.ty))
            }
        }
    }

    /// Address of a whole array, struct, matrix or vector.
    fn part(&mut self, expression: &Expr) -> Result<Part> {
        match &expression.kind {
            ExprKind::Variable(id) => Ok(self.root_part(*id, 0)),
            ExprKind::Member(base, at) => {
                if let ExprKind::Variable(id) = base.kind
                    && let VariableKind::Instance(_) = self.kind(id)
                {
                    return Ok(self.instance_member(id, 0, *at));
                }
                if let ExprKind::Index(array, copy) = &base.kind
                    && let ExprKind::Variable(id) = array.kind
                    && let VariableKind::Instance(_) = self.kind(id)
                {
                    let copy = copy.value.as_ref().and_then(|value| value.first()).map_or(0, |copy| copy.integer());
                    return Ok(self.instance_member(id, copy, *at));
                }
                let mut part = self.part(base)?;
                if let Type::Struct(of) = &base.ty {
                    let (starts, _) = layout::offsets(of.members.iter().map(|(_, ty)| (ty, part.row_major)));
                    part.offset += starts.get(*at).copied().unwrap_or_default();
                }
                Ok(part)
            }
            ExprKind::Index(base, index) => {
                let mut part = self.part(base)?;
                let step = layout::array_step(&expression.ty, part.row_major);
                let known = index.value.as_ref().and_then(|value| value.first());
                if let (Some(index), false) = (known, index.effects) {
                    part.offset += step * index.integer();
                    return Ok(part);
                }
                let value = self.index(index)?;
                let index = if index.ty == Type::UINT { value } else { Value::call("u32", vec![value]) };
                let steps = Value::literal(format!("{}u", step / 16));
                let term = if step == 16 { index } else { index.infix("*", &steps) };
                // The address is written once for each vector that is read.
                part.dynamic.push(self.bind(&term));
                Ok(part)
            }
            _ => Ok(Part { buffer: String::new(), offset: 0, dynamic: Vec::new(), row_major: false }),
        }
    }

    fn root_part(&mut self, id: super::super::typed::VariableId, copy: u32) -> Part {
        let mut part = Part { buffer: String::new(), offset: 0, dynamic: Vec::new(), row_major: false };
        let Some(variable) = self.program.variable(id) else { return part };
        match variable.kind {
            VariableKind::Uniform { row_major } => {
                part.row_major = row_major;
                part.offset = self.plan.loose.get(&variable.name).copied().unwrap_or_default();
                part.buffer = self.buffer("uniforms", self.plan.loose_binding.unwrap_or_default());
                part
            }
            VariableKind::Member(_, at) => self.instance_member(id, copy, at),
            _ => part,
        }
    }

    fn instance_member(&mut self, id: super::super::typed::VariableId, copy: u32, at: usize) -> Part {
        let mut part = Part { buffer: String::new(), offset: 0, dynamic: Vec::new(), row_major: false };
        let block = match self.kind(id) {
            VariableKind::Member(block, _) | VariableKind::Instance(block) => self.program.blocks.get(block.0),
            _ => None,
        };
        let Some(block) = block else { return part };
        let (starts, _) = layout::offsets(block.stored());
        part.offset = starts.get(at).copied().unwrap_or_default();
        part.row_major = block.by_rows.get(at).copied().unwrap_or_default();
        let binding = self.plan.block_bindings.get(&(block.name.clone(), copy)).copied().unwrap_or_default();
        part.buffer = self.buffer(&block.name.clone(), binding);
        part
    }

    /// Name of a block, which the module will then declare.
    fn buffer(&mut self, name: &str, binding: u32) -> String {
        let name = mangle(Entity::Binding, name, binding as usize);
        let size = self.plan.bindings.get(binding as usize).map_or(16, |binding| match &binding.kind {
            super::super::BindingKind::UniformBlock { size_bytes, .. } => *size_bytes,
            _ => 16,
        });
        let slots = (size / 16).max(1);
        self.resources.entry(binding).or_insert_with(|| {
            format!("@group({GROUP}) @binding({binding}) var<uniform> {name}: array<vec4<u32>, {slots}>;\n")
        });
        name
    }

    fn read_part(&mut self, part: &Part, ty: &Type) -> Value {
        match ty {
            Type::Numeric(scalar, 1, size) => read_vector(part, *scalar, *size),
            Type::Numeric(_, columns, rows) => self.read_matrix(part, *columns, *rows),
            Type::Struct(_) | Type::Array(..) => self.read_aggregate(part, ty),
            Type::Void | Type::Sampler(_) => Value::nothing(),
        }
    }

    fn read_matrix(&mut self, part: &Part, columns: u8, rows: u8) -> Value {
        let (stored, size) = if part.row_major { (rows, columns) } else { (columns, rows) };
        let lines = (0..stored).map(|line| {
            let at = Part { offset: part.offset + 16 * u32::from(line), ..part.clone() };
            read_vector(&at, Scalar::Float, size)
        });
        let matrix = Value::call(super::runtime::matrix(stored, size), lines.collect());
        if part.row_major { Value::call(self.transposition(columns, rows), vec![matrix]) } else { matrix }
    }

    /// One column of a matrix.
    fn read_column(&mut self, part: &Part, matrix: &Type, index: &Value, known: bool) -> Value {
        let Type::Numeric(_, _, rows) = matrix else { return index.clone() };
        if !part.row_major {
            let mut column = part.clone();
            let kept = if known { index.clone() } else { self.bind(index) };
            column.dynamic.push(Value::call("u32", vec![kept]));
            return read_vector(&column, Scalar::Float, *rows);
        }
        let kept = self.keep(index.clone());
        let words = (0..*rows).map(|row| part.slot(u32::from(row)).element(&kept)).collect();
        let words = Value::call(vector(Scalar::Uint, *rows), words);
        Value::call(format!("bitcast<{}>", vector(Scalar::Float, *rows)), vec![words])
    }

    /// Structs and arrays are read by a function of their own.
    fn read_aggregate(&mut self, part: &Part, ty: &Type) -> Value {
        let text = self.ty(ty);
        let key = (part.buffer.clone(), text.clone(), part.row_major);
        let name = match self.loaders.get(&key) {
            Some(name) => name.clone(),
            None => {
                let name = format!("gl_load{}_from_{}", self.loaders.len(), part.buffer);
                self.loaders.insert(key, name.clone());
                let function = self.loader(&name, &text, part, ty);
                self.runtime.insert(name.clone(), function);
                name
            }
        };
        Value::call(name, vec![part.address(Some(part.offset / 16))]).never_known()
    }

    fn loader(&mut self, name: &str, text: &str, part: &Part, ty: &Type) -> String {
        let slot = Value::fixed("slot");
        let base = Part { offset: 0, dynamic: vec![slot.clone()], ..part.clone() };
        let mut body = String::new();
        match ty {
            Type::Array(of, length) => {
                let step = layout::array_step(of, part.row_major) / 16;
                let ahead = Value::fixed("i").infix("*", &Value::literal(format!("{step}u")));
                let element = Part { dynamic: vec![slot, ahead], ..base };
                let one = self.read_part(&element, of);
                body += &format!(
                    "  var r: {text};\n  for (var i = 0u; i < {length}u; i++) {{\n    r[i] = {};\n  }}\n  return r;\n",
                    one
                );
            }
            Type::Struct(of) => {
                let (starts, _) = layout::offsets(of.members.iter().map(|(_, ty)| (ty, part.row_major)));
                let mut members = Vec::new();
                for ((_, ty), start) in of.members.iter().zip(starts) {
                    if self.is_opaque(ty) {
                        continue;
                    }
                    let member = Part { offset: start, ..base.clone() };
                    members.push(self.read_part(&member, ty));
                }
                body += &format!("  return {};\n", Value::call(text.to_owned(), members));
            }
            _ => {}
        }
        format!("fn {name}(slot: u32) -> {text} {{\n{body}}}\n")
    }
}

/// A scalar or vector at an address.
fn read_vector(part: &Part, scalar: Scalar, size: u8) -> Value {
    let first = (part.offset % 16 / 4) as u8;
    let components: Vec<u8> = (first..(first + size).min(4)).collect();
    let words = match size {
        4 => part.slot(0),
        _ => part.slot(0).member(letters(&components)),
    };
    match scalar {
        Scalar::Uint => words,
        Scalar::Bool => words.infix("!=", &Value::call(vector(Scalar::Uint, size), Vec::new())),
        scalar => Value::call(format!("bitcast<{}>", vector(scalar, size)), vec![words]),
    }
}
