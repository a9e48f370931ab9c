//! Types as written to types as meant: struct names, array sizes.

use std::sync::Arc;

use super::super::ast::{ArraySize, BaseType, Declaration, Declarator, Precision, TypeSpec};
use super::super::error::{Fault, Problem, Result};
use super::super::language::Language;
use super::super::lex::shorten;
use super::super::types::{Struct, Type};
use super::super::value::Component;
use super::Checker;
use super::scope::Entity;
use crate::limits::{MAX_GLSL_STRUCT_DEPTH, MAX_GLSL_VALUE_WORDS};

/// A type whose array sizes may still be open (`float[]`).
pub(crate) struct Open {
    /// The type without its brackets.
    pub base: Type,
    /// By dimension, the outermost first; `None`: `[]`.
    pub lengths: Vec<Option<u32>>,
}

impl Open {
    /// Whether a size is left to an initial value.
    pub(super) fn is_open(&self) -> bool {
        self.lengths.contains(&None)
    }
}

impl<'a> Checker<'_, 'a> {
    /// A type whose size must be known.
    pub(super) fn closed_type(&mut self, spec: &TypeSpec<'a>, suffix: &[ArraySize<'a>]) -> Result<Type> {
        let open = self.open_type(spec, suffix)?;
        self.close(open, None, spec.position)
    }

    /// A type whose open sizes are those of the type of a value.
    pub(super) fn close(&self, open: Open, value: Option<&Type>, position: u32) -> Result<Type> {
        let (mut of_value, mut lengths) = (value, Vec::new());
        for length in open.lengths {
            let known;
            (known, of_value) = match of_value {
                Some(Type::Array(of, length)) => (Some(*length), Some(&**of)),
                _ => (None, None),
            };
            let length = length.or(known).ok_or_else(|| Problem::expected(position, "an array size", "'[]'"))?;
            lengths.push(length);
        }
        lengths.into_iter().rev().try_fold(open.base, |of, length| self.array_of(of, length, position))
    }

    /// A type that is declared for itself, with the struct in it.
    pub(super) fn type_alone(&mut self, spec: &TypeSpec<'a>) -> Result<()> {
        let open = self.open_type(spec, &[])?;
        if open.is_open() {
            self.odd(spec.position, "an array without a size and without a name");
        }
        Ok(())
    }

    /// A type whose size an initial value may give.
    pub(super) fn open_type(&mut self, spec: &TypeSpec<'a>, suffix: &[ArraySize<'a>]) -> Result<Open> {
        let base = match &spec.base {
            BaseType::Known(ty) => ty.clone(),
            BaseType::Named(name) => self.named_type(name, spec.position)?,
            BaseType::Struct(name, members) => self.declare_struct(*name, members, spec.position)?,
        };
        if !spec.array.is_empty() && !suffix.is_empty() && self.program.language != Language::Es310 {
            let found = "brackets after the type and after the name";
            return Err(Problem::expected(spec.position, "no array of arrays", found));
        }
        // What stands after the name is outermost, and there the first.
        let sizes = suffix.iter().chain(&spec.array);
        let lengths = sizes.map(|size| size.as_ref().map(|size| self.array_length(size)).transpose());
        let lengths = lengths.collect::<Result<Vec<_>>>()?;
        if base == Type::Void && !lengths.is_empty() {
            return Err(Problem::expected(spec.position, "a type that has values", "an array of 'void'"));
        }
        Ok(Open { base, lengths })
    }

    /// An array type, if its size is bearable.
    pub(super) fn array_of(&self, of: Type, length: u32, position: u32) -> Result<Type> {
        if of.scalars().saturating_mul(u64::from(length)) > MAX_GLSL_VALUE_WORDS {
            return Err(Problem::limit(position, "components of one type", MAX_GLSL_VALUE_WORDS));
        }
        Ok(Type::Array(Arc::new(of), length))
    }

    fn array_length(&mut self, size: &super::super::ast::Expr<'a>) -> Result<u32> {
        let size = self.expr(size)?;
        let what = "an array size";
        match size.value.as_deref() {
            Some([Component::Int(length)]) if *length > 0 => Ok(*length as u32),
            Some([Component::Uint(length)]) if *length > 0 => Ok(*length),
            Some([found @ (Component::Int(_) | Component::Uint(_))]) => {
                let found = (found.integer() as i32).to_string();
                let expected = "at least 1".to_owned();
                Err(Problem::fault(size.position, Fault::OutOfRange { what, found, expected }))
            }
            Some(_) => Err(super::type_error(size.position, what, "int or uint".to_owned(), &size.ty)),
            None => Err(Problem::fault(size.position, Fault::NotConstant { what })),
        }
    }

    fn named_type(&mut self, name: &'a str, position: u32) -> Result<Type> {
        match self.scopes.find(name) {
            Some(Entity::Struct(of)) => Ok(Type::Struct(Arc::clone(of))),
            Some(Entity::Unknown) => Err(Problem::consequence(position)),
            Some(_) => Err(Problem::expected(position, "a type", format!("'{}', which is not one", shorten(name)))),
            None => Err(self.undeclared("type", name, position)),
        }
    }

    fn declare_struct(&mut self, name: Option<&'a str>, members: &[Declaration<'a>], position: u32) -> Result<Type> {
        let typed = self.members(members, position)?;
        let of = self.new_struct(name.unwrap_or_default(), typed, precisions_of(members), position)?;
        if let Some(name) = name {
            self.ensure_new(name, position)?;
            self.scopes.declare(name, Entity::Struct(Arc::clone(&of)), position);
        }
        Ok(Type::Struct(of))
    }

    /// Makes a struct type that no name leads to yet.
    pub(super) fn new_struct(
        &mut self,
        name: &str,
        members: Vec<(String, Type)>,
        precisions: Vec<Option<Precision>>,
        position: u32,
    ) -> Result<Arc<Struct>> {
        let depth = members.iter().map(|(_, ty)| ty.struct_depth()).max().unwrap_or(0) + 1;
        if depth > MAX_GLSL_STRUCT_DEPTH {
            return Err(Problem::limit(position, "structs nested in structs", MAX_GLSL_STRUCT_DEPTH as u64));
        }
        let id = self.program.structs.len() as u32;
        let of = Arc::new(Struct { id, name: name.to_owned(), members, depth });
        if Type::Struct(Arc::clone(&of)).scalars() > MAX_GLSL_VALUE_WORDS {
            return Err(Problem::limit(position, "components of one type", MAX_GLSL_VALUE_WORDS));
        }
        self.program.structs.push(Arc::clone(&of));
        self.program.member_precisions.push(precisions);
        Ok(of)
    }

    /// Names and types of members, which must be distinct and at least one.
    pub(super) fn members(&mut self, declarations: &[Declaration<'a>], position: u32) -> Result<Vec<(String, Type)>> {
        let mut members: Vec<(String, Type)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for declaration in declarations {
            for declarator in &declaration.declarators {
                let ty = self.closed_type(&declaration.ty, &declarator.array)?;
                self.check_member(declarator, &ty)?;
                self.own_name(declarator.name, declarator.position)?;
                if !seen.insert(declarator.name) {
                    let line = (self.line)(declarator.position);
                    let fault = Fault::Redeclared { name: shorten(declarator.name), line };
                    return Err(Problem::fault(declarator.position, fault));
                }
                members.push((declarator.name.to_owned(), ty));
            }
        }
        if members.is_empty() {
            return Err(Problem::expected(position, "at least one member", "none"));
        }
        Ok(members)
    }

    fn check_member(&self, declarator: &Declarator<'a>, ty: &Type) -> Result<()> {
        if *ty == Type::Void {
            return Err(Problem::expected(declarator.position, "a type that has values", "'void'"));
        }
        match &declarator.init {
            Some(init) => Err(Problem::expected(init.position, "no initial value of a member", "one")),
            None => Ok(()),
        }
    }

    /// An error if a name is one that only the language declares.
    pub(super) fn own_name(&self, name: &str, position: u32) -> Result<()> {
        if name.starts_with("gl_") {
            let what = format!("declaring '{}', as every name that begins with 'gl_',", shorten(name)).into();
            return Err(Problem::fault(position, Fault::Misplaced { what, place: "in a shader's own text" }));
        }
        Ok(())
    }

    /// An error if the innermost scope has the name already.
    pub(super) fn ensure_new(&mut self, name: &str, position: u32) -> Result<()> {
        self.own_name(name, position)?;
        match self.scopes.find_innermost(name) {
            Some((Entity::Unknown, _)) => Ok(()),
            Some((_, at)) => {
                let line = (self.line)(*at);
                Err(Problem::fault(position, Fault::Redeclared { name: shorten(name), line }))
            }
            None => Ok(()),
        }
    }
}

/// The precisions of members, in order.
pub(super) fn precisions_of(members: &[Declaration<'_>]) -> Vec<Option<Precision>> {
    members.iter().flat_map(|member| vec![member.qualifiers.precision; member.declarators.len()]).collect()
}
