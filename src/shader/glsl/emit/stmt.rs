//! Statements.

use super::super::error::Result;
use super::super::typed::{Expr, Function, Loop, Stmt, VariableId, VariableKind};
use super::super::types::Type;
use super::expr::parenthesised;
use super::{Entity, Writer, mangle};
use crate::shader::glsl::check::is_naga_epilogue;

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
                self.line("return;");
                return Ok(Flow::Ends);
            }
            Stmt::Return(Some(value)) => {
                let value = self.value(value)?;
                self.line(&format!("return {};", super::expr::unparenthesised(&value.code)));
                return Ok(Flow::Ends);
            }
            Stmt::Break => {
                self.line("break;");
                return Ok(Flow::Ends);
            }
            Stmt::Continue => {
                self.line("continue;");
                return Ok(Flow::Ends);
            }
            Stmt::Discard => {
                self.line("discard;");
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
        let name = self.name(id);
        let value = match init {
            Some(init) => {
                let value = self.value(init)?;
                Some(super::expr::unparenthesised(&value.code).to_owned())
            }
            None => None,
        };
        if is_hoisted {
            if let Some(value) = value {
                self.line(&format!("{name} = {value};"));
            }
            return Ok(());
        }
        let ty = self.ty(&variable.ty.clone());
        match value {
            Some(value) => self.line(&format!("var {name}: {ty} = {value};")),
            None => self.line(&format!("var {name}: {ty};")),
        }
        Ok(())
    }

    /// `if … else if …`. A long chain is written flat, with a variable that says whether a branch was taken: naga nests
    /// each `else if` in the one before, and so do the stacks of all that read its tree.
    fn branches(&mut self, branches: &[(Expr, Stmt)], last: Option<&Stmt>) -> Result<()> {
        if branches.len() > LONG_CHAIN {
            return self.long_chain(branches, last);
        }
        let outer = self.indent;
        for (at, (condition, body)) in branches.iter().enumerate() {
            if at > 0 {
                self.indent -= 1;
                self.open("} else")?;
            }
            let before = self.out.len();
            let value = self.value(condition)?;
            let opening = format!("if {}", parenthesised(&value.code));
            if at > 0 && self.out.len() == before {
                // The condition needs no statements of its own, so the brace just opened can go.
                let brace = self.out.trim_end().trim_end_matches('{').trim_end().len();
                self.out.truncate(brace);
                self.out.push_str(&format!(" {opening} {{\n"));
            } else {
                self.open(&opening)?;
            }
            self.statement(body)?;
        }
        if let Some(last) = last {
            self.indent -= 1;
            self.open("} else")?;
            self.statement(last)?;
        }
        while self.indent > outer {
            self.close();
        }
        Ok(())
    }

    fn long_chain(&mut self, branches: &[(Expr, Stmt)], last: Option<&Stmt>) -> Result<()> {
        let open = self.temporary();
        self.line(&format!("var {open} = true;"));
        for (condition, body) in branches {
            self.open(&format!("if ({open})"))?;
            let value = self.value(condition)?;
            self.open(&format!("if {}", parenthesised(&value.code)))?;
            self.line(&format!("{open} = false;"));
            self.statement(body)?;
            self.close();
            self.close();
        }
        if let Some(last) = last {
            self.open(&format!("if ({open})"))?;
            self.statement(last)?;
            self.close();
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
        self.open("loop")?;
        if let (Some(condition), false) = (&parts.condition, parts.asks_after) {
            let value = match parts.condition_variable {
                Some(id) => {
                    self.declare(id, Some(condition))?;
                    super::Value::read(self.name(id))
                }
                None => self.value(condition)?,
            };
            if value.code != "true" {
                self.open(&format!("if (!{})", super::operator::tight(&value.code)))?;
                self.line("break;");
                self.close();
            }
        }
        self.statement(&parts.body)?;
        let after = if parts.asks_after { parts.condition.as_ref() } else { None };
        if parts.step.as_ref().is_some_and(|step| step.effects) || after.is_some() {
            self.open("continuing")?;
            if let Some(step) = &parts.step {
                self.effects(step)?;
            }
            if let Some(condition) = after {
                let value = self.value(condition)?;
                self.line(&format!("break if !{};", super::operator::tight(&value.code)));
            }
            self.close();
        }
        self.close();
        Ok(())
    }

    /// A whole function.
    pub(super) fn function(&mut self, function: &Function, number: usize) -> Result<()> {
        let mut parameters = Vec::new();
        let mut prologue = Vec::new();
        for (id, (ty, kind)) in function.parameters.iter().zip(&function.signature) {
            let name = self.name(*id);
            for (leaf, sampler) in super::super::link::sampler_leaves(ty).into_iter().enumerate() {
                let text = super::call::parameter_sampler(&name, leaf, sampler);
                parameters.push(format!("{}: {}", text.texture, super::call::texture_type(sampler)));
                if !text.state.is_empty() {
                    parameters.push(format!("{}: {}", text.state, super::call::state_type(sampler)));
                }
            }
            if self.is_opaque(ty) {
                continue;
            }
            let text = self.ty(ty);
            if !matches!(kind, VariableKind::In { .. }) {
                parameters.push(format!("{name}: ptr<function, {text}>"));
                self.renamed.insert(*id, format!("(*{name})"));
                continue;
            }
            // A parameter of WGSL can't be written, nor indexed at run time.
            let written = self.program.variable(*id).is_some_and(|variable| variable.written);
            if written || !matches!(ty, Type::Numeric(_, 1, _)) {
                parameters.push(format!("{name}_in: {text}"));
                prologue.push(format!("var {name}: {text} = {name}_in;"));
            } else {
                parameters.push(format!("{name}: {text}"));
            }
        }
        let returns = match &function.returns {
            Type::Void => String::new(),
            ty => format!(" -> {}", self.ty(&ty.clone())),
        };
        self.out.push_str(&format!(
            "fn {}({}){returns} {{\n",
            mangle(Entity::Function, &function.name, number),
            parameters.join(", ")
        ));
        self.indent = 1;
        prologue.iter().for_each(|line| self.line(line));
        let body = function.body.as_deref().unwrap_or_default();
        let flow = self.statements(body)?;
        if flow == Flow::Goes && function.returns != Type::Void {
            // Reached only where GLSL leaves the result open.
            let zero = self.zero(&function.returns.clone());
            self.line(&format!("return {zero};"));
        }
        self.out.push_str("}\n\n");
        Ok(())
    }
}
