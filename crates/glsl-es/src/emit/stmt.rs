//! Statements.

use super::super::error::Result;
use super::super::typed::{Expr, Function, Loop, Stmt, VariableId, VariableKind};
use super::super::types::Type;
use super::code::write_block;
use super::{Block, Entity, Statement, Value, Writer, mangle};
use crate::check::is_naga_epilogue;

/// Whether what follows a statement in its block is never reached.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// It may be reached.
    Goes,
    /// It isn't.
    Ends,
}

/// Branches of an `else if` chain that are still nested.
const LONG_CHAIN: usize = 12;

impl Writer<'_> {
    /// Statements until one ends the block: naga takes nothing after it.
    pub(super) fn statements(&mut self, statements: &[Stmt]) -> Result<Flow> {
        for statement in statements {
            if self.statement(statement)? == Flow::Ends {
                return Ok(Flow::Ends);
            }
        }
        Ok(Flow::Goes)
    }

    fn statement(&mut self, statement: &Stmt) -> Result<Flow> {
        match statement {
            // Names are unique, so a block needs no braces of its own.
            Stmt::Block(statements) => return self.statements(statements),
            Stmt::Declare(id, init) => self.declare(*id, init.as_ref())?,
            Stmt::Expr(expression) => {
                if !(self.plan.naga_convention && is_naga_epilogue(expression, self.program)) {
                    self.effects(expression)?;
                }
            }
            Stmt::If(branches, last) => self.branches(branches, last.as_deref())?,
            Stmt::Switch(selector, cases) => self.switch(selector, cases)?,
            Stmt::Loop(parts) => self.loop_statement(parts)?,
            Stmt::Return(None) => {
                self.push(Statement::Return(None));
                return Ok(Flow::Ends);
            }
            Stmt::Return(Some(value)) => {
                let value = self.value(value)?;
                self.push(Statement::Return(Some(value)));
                return Ok(Flow::Ends);
            }
            Stmt::Break => {
                self.push(Statement::Break);
                return Ok(Flow::Ends);
            }
            Stmt::Continue => {
                self.push(Statement::Continue);
                return Ok(Flow::Ends);
            }
            Stmt::Discard => {
                self.push(Statement::Discard);
                return Ok(Flow::Ends);
            }
        }
        Ok(Flow::Goes)
    }

    pub(super) fn declare(&mut self, id: VariableId, init: Option<&Expr>) -> Result<()> {
        let is_hoisted = self.hoisted.contains(&id);
        if self.is_inlined(id) || is_hoisted && self.kind(id) == VariableKind::Const {
            return Ok(());
        }
        let Some(variable) = self.program.variable(id) else { return Ok(()) };
        let value = init.map(|init| self.value(init)).transpose()?;
        if is_hoisted {
            if let Some(value) = value {
                self.push(Statement::Assign(self.variable(id), value));
            }
            return Ok(());
        }
        let (name, ty) = (self.name(id), self.ty(&variable.ty));
        self.declare_var(&name, ty, value);
        Ok(())
    }

    /// `if … else if …`. A long chain is written flat, with a variable that says whether a branch was taken: naga nests
    /// each `else if` in the one before, and so do the stacks of all that read its tree.
    fn branches(&mut self, branches: &[(Expr, Stmt)], last: Option<&Stmt>) -> Result<()> {
        if branches.len() > LONG_CHAIN {
            return self.long_chain(branches, last);
        }
        let outer = self.braces;
        let mut written = Vec::new();
        for (condition, body) in branches {
            let (condition, before) = self.aside(|writer| writer.value(condition))?;
            // What a later condition needs stands in the `else` of the branches before.
            if !written.is_empty() && !before.is_empty() {
                self.braces += 1;
            }
            let (_, body) = self.inside(|writer| writer.statement(body))?;
            written.push((before, condition, body));
        }
        let mut rest = match last {
            Some(last) => self.inside(|writer| writer.statement(last))?.1,
            None => Block::new(),
        };
        self.braces = outer;
        for (before, condition, body) in written.into_iter().rev() {
            let branch = Statement::If(condition, body, std::mem::replace(&mut rest, before));
            rest.push(branch);
        }
        self.block.append(&mut rest);
        Ok(())
    }

    fn long_chain(&mut self, branches: &[(Expr, Stmt)], last: Option<&Stmt>) -> Result<()> {
        let name = self.temporary();
        self.declare_var(&name, "bool".to_owned(), Some(Value::literal("true")));
        let open = Value::fixed(name);
        for (condition, body) in branches {
            let ((), block) = self.inside(|writer| {
                let condition = writer.value(condition)?;
                let (_, body) = writer.inside(|writer| {
                    writer.push(Statement::Assign(open.clone(), Value::literal("false")));
                    writer.statement(body)
                })?;
                writer.push(Statement::If(condition, body, Block::new()));
                Ok(())
            })?;
            self.push(Statement::If(open.clone(), block, Block::new()));
        }
        if let Some(last) = last {
            let (_, block) = self.inside(|writer| writer.statement(last))?;
            self.push(Statement::If(open, block, Block::new()));
        }
        Ok(())
    }

    fn loop_statement(&mut self, parts: &Loop) -> Result<()> {
        if let Some(init) = &parts.init {
            self.statement(init)?;
        }
        if let Some(id) = parts.condition_variable {
            self.declare(id, None)?;
            self.hoisted.insert(id);
        }
        let ((break_if, continuing), body) = self.inside(|writer| {
            if let (Some(condition), false) = (&parts.condition, parts.asks_after) {
                writer.leave_unless(condition, parts.condition_variable)?;
            }
            writer.statement(&parts.body)?;
            let after = parts.condition.as_ref().filter(|_| parts.asks_after);
            let step = parts.step.as_ref().filter(|step| step.effects);
            if step.is_none() && after.is_none() {
                return Ok((None, Block::new()));
            }
            writer.inside(|writer| {
                step.map_or(Ok(()), |step| writer.effects(step))?;
                after.map(|condition| Ok(writer.value(condition)?.prefixed("!"))).transpose()
            })
        })?;
        self.push(Statement::Loop { body, continuing, break_if });
        Ok(())
    }

    /// Leaves a loop unless its condition holds.
    fn leave_unless(&mut self, condition: &Expr, variable: Option<VariableId>) -> Result<()> {
        let value = match variable {
            Some(id) => {
                self.declare(id, Some(condition))?;
                self.variable(id)
            }
            None => self.value(condition)?,
        };
        if !value.is_word("true") {
            self.push(Statement::If(value.prefixed("!"), vec![Statement::Break], Block::new()));
        }
        Ok(())
    }

    /// A whole function.
    pub(super) fn function(&mut self, function: &Function, number: usize) -> Result<String> {
        let mut parameters = Vec::new();
        for (id, (ty, kind)) in function.parameters.iter().zip(&function.signature) {
            let name = self.name(*id);
            for (leaf, sampler) in super::super::link::sampler_leaves(ty).into_iter().enumerate() {
                let names = super::call::parameter_sampler(&name, leaf, sampler);
                parameters.push(format!("{}: {}", names.texture, super::call::texture_type(sampler)));
                if let Some(state) = names.state {
                    parameters.push(format!("{state}: {}", super::call::state_type(sampler)));
                }
            }
            if self.is_opaque(ty) {
                continue;
            }
            let text = self.ty(ty);
            if !matches!(kind, VariableKind::In { .. }) {
                parameters.push(format!("{name}: ptr<function, {text}>"));
                self.pointers.insert(*id);
                continue;
            }
            // A parameter of WGSL can't be written, nor indexed at run time.
            let written = self.program.variable(*id).is_some_and(|variable| variable.written);
            if written || !matches!(ty, Type::Numeric(_, 1, _)) {
                parameters.push(format!("{name}_in: {text}"));
                self.declare_var(&name, text, Some(Value::fixed(format!("{name}_in"))));
            } else {
                parameters.push(format!("{name}: {text}"));
            }
        }
        let returns = match &function.returns {
            Type::Void => String::new(),
            ty => format!(" -> {}", self.ty(&ty.clone())),
        };
        let body = function.body.as_deref().unwrap_or_default();
        let flow = self.statements(body)?;
        if flow == Flow::Goes && function.returns != Type::Void {
            // Reached only where GLSL leaves the result open.
            let zero = self.zero(&function.returns);
            self.push(Statement::Return(Some(zero)));
        }
        let (name, parameters) = (mangle(Entity::Function, &function.name, number), parameters.join(", "));
        let mut text = format!("fn {name}({parameters}){returns} {{\n");
        write_block(&std::mem::take(&mut self.block), &mut text, 1);
        text.push_str("}\n\n");
        Ok(text)
    }
}
