//! Declarations outside functions: variables of every kind, blocks, built-in variables.

use std::sync::Arc;

use super::super::ast::{Block as BlockAst, Declaration, Declarator, Item, Qualifiers, Storage, TypeSpec};
use super::super::error::{Fault, Note, Problem, Result};
use super::super::language::Language;
use super::super::lex::shorten;
use super::super::link::locations;
use super::super::source::Stage;
use super::super::typed::{Block, BlockId, Builtin, Expr, Interface, Variable, VariableId, VariableKind};
use super::super::types::{Scalar, Type};
use super::super::value::Value;
use super::Checker;
use super::scope::Entity;
use super::type_spec::precisions_of;

/// Locations of attributes that drivers have.
const ATTRIBUTES: u32 = 16;

/// Locations of outputs that drivers have at most.
const OUTPUTS: u32 = 8;

impl<'a> Checker<'_, 'a> {
    /// Makes a variable and declares its name in the innermost scope.
    pub(super) fn add_variable(&mut self, name: &'a str, ty: Type, kind: VariableKind, position: u32) -> VariableId {
        let id = VariableId(self.program.variables.len());
        let name_text = name.to_owned();
        self.program.variables.push(Variable {
            name: name_text,
            ty,
            kind,
            precision: None,
            position,
            written: false,
            used: false,
            value: None,
        });
        if !name.is_empty() {
            self.scopes.declare(name, Entity::Variable(id), position);
        }
        id
    }

    pub(super) fn set_value(&mut self, id: VariableId, value: Option<Value>) {
        if let Some(variable) = self.program.variables.get_mut(id.0) {
            variable.value = value;
        }
    }

    pub(super) fn item(&mut self, item: &Item<'a>) -> Result<()> {
        match item {
            Item::Declare(declaration) => self.global(declaration),
            Item::Function(prototype, body) => self.function(prototype, body.as_deref()),
            Item::Block(block) => self.block(block),
            Item::Invariant(names) => names.iter().try_for_each(|(name, at)| self.invariant(name, *at)),
            Item::Default(qualifiers) => {
                (self.row_major, self.packing) = self.block_layout(qualifiers)?;
                Ok(())
            }
        }
    }

    fn invariant(&mut self, name: &'a str, position: u32) -> Result<()> {
        let id = match self.scopes.find(name) {
            Some(Entity::Variable(id)) => id,
            Some(Entity::Unknown) => return Err(Problem::consequence(position)),
            _ => return Err(self.undeclared("variable", name, position)),
        };
        let id = *id;
        if self.program.functions.iter().any(|function| function.uses.contains(&id)) {
            self.odd(position, format!("'invariant' after '{}' was used: expected it before", shorten(name)));
        }
        match self.program.variable(id).map(|variable| variable.kind) {
            Some(VariableKind::Builtin(Builtin::Position)) => self.program.position_is_invariant = true,
            Some(VariableKind::Output(_) | VariableKind::Builtin(Builtin::PointSize | Builtin::FragDepth)) => {}
            // GLSL ES 1.00 says it in both shaders.
            Some(VariableKind::Builtin(_) | VariableKind::Input(_)) if self.may_be_invariant() => {}
            // No outputs, and yet compilers take it: Khronos' tests of WebGL 2 want them to.
            Some(VariableKind::Builtin(Builtin::FragCoord | Builtin::PointCoord)) => {}
            Some(VariableKind::Builtin(_)) => self.odd(
                position,
                "'invariant' for something other than an \
                output: expected none",
            ),
            _ => return Err(Problem::expected(position, "an output", format!("'{}'", shorten(name)))),
        }
        Ok(())
    }

    fn may_be_invariant(&self) -> bool {
        (self.program.language, self.program.stage) == (Language::Es100, Stage::Fragment)
    }

    fn global(&mut self, declaration: &Declaration<'a>) -> Result<()> {
        if declaration.declarators.is_empty() {
            if let Some((_, _, position)) = declaration.qualifiers.layout.first() {
                self.odd(*position, "a layout of a type: expected it before a variable or block");
            }
            if declaration.qualifiers.storage == Some(Storage::InOut) {
                return Err(misplaced_inout(declaration.qualifiers.position));
            }
            return self.type_alone(&declaration.ty);
        }
        // A struct declared on the spot is one type for all names.
        let ty = declaration.ty.clone();
        let ty = match self.resolve_once(ty) {
            Ok(ty) => ty,
            Err(problem) => {
                self.forget_all(declaration);
                return Err(problem);
            }
        };
        for declarator in &declaration.declarators {
            self.recovering(|checker| {
                let checked = checker.global_name(declaration, &ty, declarator);
                if checked.is_err() {
                    checker.forget(declarator.name, declarator.position);
                }
                checked
            });
        }
        Ok(())
    }

    /// One name of a declaration outside functions.
    fn global_name(
        &mut self,
        declaration: &Declaration<'a>,
        ty: &TypeSpec<'a>,
        declarator: &Declarator<'a>,
    ) -> Result<()> {
        let qualifiers = &declaration.qualifiers;
        match qualifiers.storage {
            None | Some(Storage::Const) => {
                self.no_layout(qualifiers)?;
                if qualifiers.has_interpolation() {
                    self.odd(qualifiers.position, "a qualifier of a variable that no stage passes on: expected none");
                }
                let (id, init) = self.variable(qualifiers, ty, declarator, VariableKind::Global)?;
                // GLSL asks for a constant. What else can be computed before `main` is let pass.
                let runs_code = !self.function.calls.is_empty() || init.as_ref().is_some_and(|init| init.effects);
                if runs_code {
                    let what = "the initial value of a global variable";
                    return Err(Problem::fault(declarator.position, Fault::NotConstant { what }));
                }
                if let Some(init) = init.as_ref().filter(|init| !init.constant) {
                    self.odd(init.position, "the initial value of a global variable: expected a constant expression");
                }
                self.program.globals.push((id, init));
            }
            Some(_) => {
                let found = self.closed_type(ty, &declarator.array)?;
                self.interface_variable(qualifiers, found, declarator)?;
            }
        }
        Ok(())
    }

    fn interface_variable(&mut self, qualifiers: &Qualifiers<'a>, ty: Type, declarator: &Declarator<'a>) -> Result<()> {
        let position = declarator.position;
        if let Some(init) = &declarator.init {
            return Err(Problem::expected(init.position, "no initial value of an input, output or uniform", "one"));
        }
        let stage = self.program.stage;
        let kind = match qualifiers.storage {
            Some(Storage::Uniform) => {
                self.uniform_layout(qualifiers, &ty)?;
                VariableKind::Uniform { row_major: false }
            }
            Some(Storage::In) => VariableKind::Input(self.interface(qualifiers, stage == Stage::Vertex)?),
            Some(Storage::Out) => VariableKind::Output(self.interface(qualifiers, stage == Stage::Fragment)?),
            _ => return Err(misplaced_inout(qualifiers.position)),
        };
        self.check_interface_type(kind, &ty, qualifiers, position)?;
        self.note_interface(kind, &ty, qualifiers, position);
        self.ensure_new(declarator.name, position)?;
        let id = self.add_variable(declarator.name, ty, kind, position);
        if let (VariableKind::Uniform { .. }, Some(variable)) = (kind, self.program.variables.get_mut(id.0)) {
            variable.precision = qualifiers.precision;
        }
        Ok(())
    }

    /// What GLSL ES 3.10 lets a uniform outside of blocks say: it is told by name what is bound, all the same.
    fn uniform_layout(&self, qualifiers: &Qualifiers<'a>, ty: &Type) -> Result<()> {
        for (name, value, position) in &qualifiers.layout {
            match (self.program.language, *name, value) {
                (Language::Es310, "location", Some(_)) => {}
                (Language::Es310, "binding", Some(_)) if ty.has_sampler() => {}
                _ => return Err(misplaced_layout(name, *position, "on a uniform outside a block")),
            }
        }
        Ok(())
    }

    /// Notes what says nothing there, and types that GLSL ES doesn't let pass from stage to stage.
    fn note_interface(&mut self, kind: VariableKind, ty: &Type, qualifiers: &Qualifiers<'a>, position: u32) {
        let stage = self.program.stage;
        let is_varying = match kind {
            VariableKind::Input(_) => stage == Stage::Fragment,
            VariableKind::Output(_) => stage == Stage::Vertex,
            _ => false,
        };
        let is_output = matches!(kind, VariableKind::Output(_));
        if !is_varying && (qualifiers.flat || qualifiers.smooth || qualifiers.centroid) {
            self.odd(
                qualifiers.position,
                "'flat', 'smooth' or 'centroid' where nothing is interpolated: expected none",
            );
        }
        if qualifiers.invariant && !is_output && !(is_varying && self.may_be_invariant()) {
            self.odd(qualifiers.position, "'invariant' before something other than an output: expected none");
        }
        let room = match kind {
            VariableKind::Input(_) if !is_varying => Some(ATTRIBUTES),
            VariableKind::Output(_) if !is_varying => Some(OUTPUTS),
            _ => None,
        };
        if let (VariableKind::Input(interface) | VariableKind::Output(interface), Some(room)) = (kind, room)
            && let Some(location) = interface.location
            && location.saturating_add(locations(ty)) > room
        {
            self.odd(position, format!("a location past the last: expected at most {}", room - 1));
        }
        if qualifiers.constant {
            self.odd(qualifiers.position, "'const in' outside of parameters: expected 'in'");
        }
        let is_deep = match ty {
            Type::Array(of, _) => matches!(**of, Type::Struct(_) | Type::Array(..)),
            Type::Struct(of) => of.members.iter().any(|(_, ty)| matches!(ty, Type::Array(..) | Type::Struct(_))),
            _ => false,
        };
        if is_varying && is_deep {
            self.odd(
                position,
                "a varying that nests: expected no array of structs, and no array or struct in a struct",
            );
        }
    }

    fn check_interface_type(
        &self,
        kind: VariableKind,
        ty: &Type,
        qualifiers: &Qualifiers<'a>,
        position: u32,
    ) -> Result<()> {
        let what = match (kind, self.program.stage) {
            (VariableKind::Uniform { .. }, _) if *ty == Type::Void => "a uniform's type",
            (VariableKind::Uniform { .. }, _) => return Ok(()),
            (VariableKind::Input(_), Stage::Vertex) => "an attribute's type",
            (VariableKind::Output(_), Stage::Fragment) => "an output's type",
            _ => "a varying's type",
        };
        let bad = |expected: &str| Err(super::type_error(position, what, expected.to_owned(), ty));
        if ty.has_scalar(Scalar::Bool) || ty.has_sampler() || *ty == Type::Void {
            return bad("float, int or uint components");
        }
        let is_of_floats = !ty.has_scalar(Scalar::Int) && !matches!(ty, Type::Struct(_));
        let is_of_structs = matches!(ty, Type::Array(of, _) if matches!(**of, Type::Struct(_)));
        if self.program.language == Language::Es100 && (!is_of_floats || is_of_structs) {
            return bad("a float, or a vector or matrix of floats");
        }
        match what {
            "an attribute's type" if !matches!(ty, Type::Numeric(..)) => bad("a scalar, vector or matrix"),
            "an output's type" => match ty {
                Type::Numeric(_, 1, _) => Ok(()),
                Type::Array(of, _) if matches!(**of, Type::Numeric(_, 1, _)) => Ok(()),
                _ => bad("a scalar, vector or array of those"),
            },
            "a varying's type" if !qualifiers.flat && (ty.has_scalar(Scalar::Int) || ty.has_scalar(Scalar::Uint)) => {
                bad("'flat' before int and uint")
            }
            _ => Ok(()),
        }
    }

    fn interface(&self, qualifiers: &Qualifiers<'a>, with_location: bool) -> Result<Interface> {
        let mut found = Interface { location: None, flat: qualifiers.flat, centroid: qualifiers.centroid };
        for (name, value, position) in &qualifiers.layout {
            match (*name, value) {
                ("location", Some(location)) if with_location && *location < 64 => found.location = Some(*location),
                ("location", Some(location)) if with_location => {
                    let (found, expected) = (location.to_string(), "below 64".to_owned());
                    let fault = Fault::OutOfRange { what: "a location", found, expected };
                    return Err(Problem::fault(*position, fault));
                }
                _ => return Err(misplaced_layout(name, *position, "on a varying")),
            }
        }
        Ok(found)
    }

    fn no_layout(&self, qualifiers: &Qualifiers<'a>) -> Result<()> {
        match qualifiers.layout.first() {
            Some((name, _, position)) => Err(misplaced_layout(name, *position, "on this variable")),
            None => Ok(()),
        }
    }

    /// What a block's layout says: whether matrices are stored by rows, and how its members are laid out.
    fn block_layout(&mut self, qualifiers: &Qualifiers<'a>) -> Result<(bool, &'static str)> {
        let (mut row_major, mut packing) = (self.row_major, self.packing);
        for (name, value, position) in &qualifiers.layout {
            match (*name, value) {
                ("std140", None) => packing = "std140",
                ("shared" | "packed", None) => {
                    packing = if *name == "shared" { "shared" } else { "packed" };
                    self.program.notes.push(Note::remark(*position, format!("layout '{name}' is laid out as std140")));
                }
                ("row_major", None) => row_major = true,
                ("column_major", None) => row_major = false,
                // What is bound is told by name.
                ("binding", Some(_)) if self.program.language == Language::Es310 => {}
                _ => return Err(misplaced_layout(name, *position, "on a uniform block")),
            }
        }
        Ok((row_major, packing))
    }

    fn block(&mut self, block: &BlockAst<'a>) -> Result<()> {
        let position = block.position;
        if block.qualifiers.storage != Some(Storage::Uniform) {
            return Err(Problem::unsupported(
                position,
                "an input or output block",
                "GLSL ES 3.00 has uniform blocks only",
            ));
        }
        let (row_major, packing) = self.block_layout(&block.qualifiers)?;
        self.own_name(block.name, position)?;
        if !self.block_names.insert(block.name.to_owned()) {
            let fault = Fault::Redeclared { name: shorten(block.name), line: (self.line)(position) };
            return Err(Problem::fault(position, fault));
        }
        let typed = self.members(&block.members, position)?;
        let mut by_rows = Vec::new();
        let declared = block.members.iter().flat_map(|d| d.declarators.iter().map(move |one| (&d.qualifiers, one)));
        for ((_, ty), (qualifiers, declarator)) in typed.iter().zip(declared) {
            if ty.has_sampler() {
                return Err(super::type_error(declarator.position, "a block member", "no sampler".to_owned(), ty));
            }
            // The last one counts.
            let own = qualifiers.layout.iter().rev().find(|(name, ..)| matches!(*name, "row_major" | "column_major"));
            by_rows.push(own.map_or(row_major, |(name, ..)| *name == "row_major"));
        }
        let of = self.new_struct(block.name, typed, precisions_of(&block.members), position)?;
        let id = BlockId(self.program.blocks.len());
        let mut copies = None;
        match &block.instance {
            Some(instance) => {
                let spec = super::super::ast::TypeSpec {
                    base: super::super::ast::BaseType::Known(Type::Struct(Arc::clone(&of))),
                    array: Vec::new(),
                    position,
                };
                let ty = self.closed_type(&spec, &instance.array)?;
                if let Type::Array(of, length) = &ty {
                    if matches!(**of, Type::Array(..)) {
                        let why = "expected one dimension of blocks";
                        return Err(Problem::unsupported(instance.position, "a block in an array of arrays", why));
                    }
                    copies = Some(*length);
                }
                self.ensure_new(instance.name, instance.position)?;
                self.add_variable(instance.name, ty, VariableKind::Instance(id), instance.position);
            }
            None => {
                let names = block.members.iter().flat_map(|declaration| declaration.declarators.iter());
                for (index, (declarator, (_, ty))) in names.zip(&of.members).enumerate() {
                    self.ensure_new(declarator.name, declarator.position)?;
                    let kind = VariableKind::Member(id, index);
                    self.add_variable(declarator.name, ty.clone(), kind, declarator.position);
                }
            }
        }
        self.program.blocks.push(Block {
            name: block.name.to_owned(),
            position,
            of,
            by_rows,
            packing,
            has_instance: block.instance.is_some(),
            copies,
        });
        Ok(())
    }

    /// A variable with perhaps an initial value: `const`, global or local.
    pub(super) fn variable(
        &mut self,
        qualifiers: &Qualifiers<'a>,
        ty: &super::super::ast::TypeSpec<'a>,
        declarator: &Declarator<'a>,
        kind: VariableKind,
    ) -> Result<(VariableId, Option<Expr>)> {
        let position = declarator.position;
        let open = self.open_type(ty, &declarator.array)?;
        let init = declarator.init.as_ref().and_then(|init| {
            let init = self.expr(init);
            self.problems.keep(init)
        });
        let is_missed = declarator.init.is_some() && init.is_none();
        if open.is_open() && is_missed {
            return Err(Problem::consequence(position));
        }
        let ty = self.close(open, init.as_ref().map(|init| &init.ty), position)?;
        if ty == Type::Void || ty.has_sampler() {
            return Err(super::type_error(position, "a variable's type", "a type that has values".to_owned(), &ty));
        }
        let is_const = qualifiers.storage == Some(Storage::Const);
        match &init {
            Some(init) => {
                // The variable is there all the same.
                let fits = self.require("the initial value", &ty, init);
                self.problems.keep(fits);
                if is_const && !init.constant {
                    let fault = Fault::NotConstant { what: "the value of a 'const' variable" };
                    self.problems.push(*Problem::fault(init.position, fault));
                }
            }
            None if is_const && !is_missed => {
                return Err(Problem::expected(position, "'=' and a value of the 'const' variable", "none"));
            }
            None => {}
        }
        if init.is_some() && matches!(ty, Type::Array(..)) {
            self.later(position, "the initial value of an array");
        }
        self.ensure_new(declarator.name, position)?;
        let kind = if is_const { VariableKind::Const } else { kind };
        let id = self.add_variable(declarator.name, ty, kind, position);
        if is_const {
            let fitting = init.as_ref().filter(|init| self.program.variable(id).is_some_and(|made| made.ty == init.ty));
            self.set_value(id, fitting.and_then(|init| init.value.clone()));
        }
        Ok((id, init))
    }
}

fn misplaced_inout(position: u32) -> Box<Problem> {
    Problem::expected(position, "'in', 'out', 'uniform' or 'const'", "'inout'")
}

fn misplaced_layout(name: &str, position: u32, place: &'static str) -> Box<Problem> {
    let what = format!("layout qualifier '{}'", shorten(name)).into();
    Problem::fault(position, Fault::Misplaced { what, place })
}
