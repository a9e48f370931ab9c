//! Constructors: `vec3(a, b)`, `mat2(m)`, `float[](a, b)`, `S(a)`.

use std::sync::Arc;

use super::super::ast::{self, TypeSpec};
use super::super::error::{Fault, Problem, Result};
use super::super::typed::{Expr, ExprKind};
use super::super::types::{Scalar, Struct, Type};
use super::super::value::{Component, Value};
use super::Checker;
use super::type_spec::Open;

impl<'a> Checker<'_, 'a> {
    pub(super) fn construct(&mut self, ty: &TypeSpec<'a>, arguments: &[ast::Expr<'a>], position: u32) -> Result<Expr> {
        let open = self.open_type(ty, &[])?;
        let arguments = arguments.iter().map(|argument| self.expr(argument)).collect::<Result<Vec<_>>>()?;
        let Some((outermost, inner)) = open.lengths.split_first() else {
            return match &open.base {
                Type::Numeric(scalar, columns, rows) => {
                    if *columns > 1 && arguments.iter().any(|argument| argument.ty.is_matrix()) {
                        self.later(position, "a matrix made of a matrix");
                    }
                    numeric((*scalar, *columns, *rows), &open.base, arguments, position)
                }
                Type::Struct(of) => self.finish_struct(of, arguments, position),
                other => Err(Problem::expected(position, "a type with a constructor", format!("'{other}'"))),
            };
        };
        let found = arguments.len() as u32;
        let length = outermost.unwrap_or(found);
        if length != found || found == 0 {
            let inner: String =
                inner.iter().map(|length| length.map_or("[]".to_owned(), |length| format!("[{length}]"))).collect();
            let fault = Fault::Constructor {
                of: format!("{}[{length}]{inner}", open.base),
                expected: "one argument an element",
                found: found.to_string(),
            };
            return Err(Problem::fault(position, fault));
        }
        let inner = Open { base: open.base, lengths: inner.to_vec() };
        let element = self.close(inner, arguments.first().map(|argument| &argument.ty), position)?;
        for argument in &arguments {
            self.require("an array's element", &element, argument)?;
        }
        let ty = self.array_of(element, length, position)?;
        if ty.has_sampler() {
            return Err(super::type_error(position, "a constructed array", "no sampler".to_owned(), &ty));
        }
        Ok(finish(ty, arguments, position))
    }

    pub(super) fn construct_struct(
        &mut self,
        of: &Arc<Struct>,
        arguments: &[ast::Expr<'a>],
        position: u32,
    ) -> Result<Expr> {
        let arguments = arguments.iter().map(|argument| self.expr(argument)).collect::<Result<Vec<_>>>()?;
        self.finish_struct(of, arguments, position)
    }

    fn finish_struct(&mut self, of: &Arc<Struct>, arguments: Vec<Expr>, position: u32) -> Result<Expr> {
        if arguments.len() != of.members.len() {
            let fault = Fault::Constructor {
                of: Type::Struct(Arc::clone(of)).to_string(),
                expected: "one argument a member",
                found: arguments.len().to_string(),
            };
            return Err(Problem::fault(position, fault));
        }
        for (argument, (_, ty)) in arguments.iter().zip(&of.members) {
            self.require("a struct's member", ty, argument)?;
        }
        if of.members.iter().any(|(_, ty)| ty.has_sampler()) {
            return Err(super::type_error(
                position,
                "a constructed struct",
                "no sampler".to_owned(),
                &Type::Struct(of.clone()),
            ));
        }
        Ok(finish(Type::Struct(Arc::clone(of)), arguments, position))
    }
}

/// Scalars, vectors and matrices.
fn numeric((scalar, columns, rows): (Scalar, u8, u8), ty: &Type, arguments: Vec<Expr>, position: u32) -> Result<Expr> {
    let refuse = |expected, found: String| {
        Err(Problem::fault(position, Fault::Constructor { of: ty.to_string(), expected, found }))
    };
    if let Some(bad) = arguments.iter().find(|argument| argument.ty.scalar().is_none()) {
        return refuse("scalars, vectors or matrices", bad.ty.to_string());
    }
    let needed = u64::from(columns) * u64::from(rows);
    let single = match arguments.as_slice() {
        [] => return refuse("arguments", "none".to_owned()),
        [single] => Some(single),
        _ => None,
    };
    let takes_any = single.is_some_and(|single| single.ty.is_scalar() || (columns > 1 && single.ty.is_matrix()));
    if !takes_any {
        let with_matrix = arguments.iter().any(|argument| argument.ty.is_matrix());
        if columns > 1 && with_matrix {
            return refuse("one matrix, or no matrix", "several arguments with a matrix".to_owned());
        }
        let mut given = 0;
        for argument in &arguments {
            if given >= needed {
                return refuse("no unused argument", format!("{} arguments", arguments.len()));
            }
            given += argument.ty.scalars();
        }
        if given < needed {
            return refuse("enough components", format!("{given} of {needed}"));
        }
    }
    let value = fold(scalar, columns, rows, &arguments);
    let effects = arguments.iter().any(|argument| argument.effects);
    let constant = arguments.iter().all(|argument| argument.constant);
    let kind = ExprKind::Construct(arguments);
    Ok(Expr { kind, ty: ty.clone(), position, effects, value, constant })
}

fn fold(scalar: Scalar, columns: u8, rows: u8, arguments: &[Expr]) -> Option<Value> {
    let values: Option<Vec<&Value>> = arguments.iter().map(|argument| argument.value.as_ref()).collect();
    let values = values?;
    let needed = usize::from(columns) * usize::from(rows);
    let (first, first_type) = (values.first()?, &arguments.first()?.ty);
    let cells = || (0..columns).flat_map(|column| (0..rows).map(move |row| (column, row)));
    let identity = |(column, row)| Component::Int(i32::from(column == row)).convert(scalar);
    let made: Value = match first_type {
        Type::Numeric(_, 1, 1) if arguments.len() == 1 && columns > 1 => {
            let diagonal = first.first()?.convert(scalar);
            cells().map(|(c, r)| if c == r { diagonal } else { Component::zero(scalar) }).collect()
        }
        Type::Numeric(_, 1, 1) if arguments.len() == 1 => vec![first.first()?.convert(scalar); needed].into(),
        Type::Numeric(_, from_columns @ 2.., from_rows) if columns > 1 => cells()
            .map(|(c, r)| {
                let inside = c < *from_columns && r < *from_rows;
                let at = usize::from(c) * usize::from(*from_rows) + usize::from(r);
                first.get(at).copied().filter(|_| inside).unwrap_or_else(|| identity((c, r)))
            })
            .collect(),
        _ => values
            .iter()
            .flat_map(|value| value.iter())
            .take(needed)
            .map(|component| component.convert(scalar))
            .collect(),
    };
    Some(made)
}

/// Arrays and structs: the components of the arguments, one after another.
fn finish(ty: Type, arguments: Vec<Expr>, position: u32) -> Expr {
    let values: Option<Vec<&Value>> = arguments.iter().map(|argument| argument.value.as_ref()).collect();
    let value = values.map(|values| values.iter().flat_map(|value| value.iter()).copied().collect::<Value>());
    let effects = arguments.iter().any(|argument| argument.effects);
    let constant = arguments.iter().all(|argument| argument.constant);
    Expr { kind: ExprKind::Construct(arguments), ty, position, effects, value, constant }
}
