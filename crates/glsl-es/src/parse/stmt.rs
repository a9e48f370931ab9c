//! Statements.

use super::super::ast::{Condition, Declaration, Declarator, For, Qualifiers, Stmt, SwitchItem};
use super::super::error::{Problem, Result};
use super::super::lex::Tok;
use super::Parser;
use crate::limits::MAX_GLSL_ELSE_IFS;

impl<'a> Parser<'a, '_> {
    /// Statements up to and with `}`.
    pub(super) fn block(&mut self) -> Result<Vec<Stmt<'a>>> {
        let mut statements = Vec::new();
        let entered = self.precisions.enter();
        while !self.take("}") {
            if self.peek() == Tok::End {
                return Err(self.unexpected("'}'"));
            }
            let state = self.state();
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(problem) => self.recover(state, *problem),
            }
        }
        self.precisions.leave(entered);
        Ok(statements)
    }

    fn statement(&mut self) -> Result<Stmt<'a>> {
        self.statement_depth += 1;
        if self.statement_depth > self.most_levels {
            return Err(Problem::nesting(self.position(), "nested statements", self.most_levels));
        }
        let position = self.position();
        let statement = match self.peek() {
            Tok::Punct("{") => {
                self.advance();
                Stmt::Block(self.block()?)
            }
            Tok::Punct(";") => {
                self.advance();
                Stmt::Empty
            }
            Tok::Ident("if") => self.if_statement()?,
            Tok::Ident("switch") => self.switch()?,
            Tok::Ident("for") => self.for_loop()?,
            Tok::Ident("while") => {
                self.advance();
                self.expect("(")?;
                let condition = self.condition()?;
                self.expect(")")?;
                Stmt::While(Box::new((condition, self.statement()?)))
            }
            Tok::Ident("do") => self.do_loop()?,
            Tok::Ident("return") => {
                self.advance();
                let value = if self.peek() == Tok::Punct(";") { None } else { Some(self.expression()?) };
                self.expect(";")?;
                Stmt::Return(value, position)
            }
            Tok::Ident(word @ ("break" | "continue" | "discard")) => {
                self.advance();
                self.expect(";")?;
                match word {
                    "break" => Stmt::Break(position),
                    "continue" => Stmt::Continue(position),
                    _ => Stmt::Discard(position),
                }
            }
            _ => self.simple()?,
        };
        self.statement_depth -= 1;
        Ok(statement)
    }

    /// A declaration or an expression, with its `;`.
    fn simple(&mut self) -> Result<Stmt<'a>> {
        if self.peek() == Tok::Ident("precision") {
            self.precision()?;
            return Ok(Stmt::Empty);
        }
        if self.is_declaration() {
            let qualifiers = self.qualifiers()?;
            let declaration = self.declaration(qualifiers)?;
            self.expect(";")?;
            return Ok(Stmt::Declare(declaration));
        }
        let expression = self.expression()?;
        self.expect(";")?;
        Ok(Stmt::Expr(expression))
    }

    /// Whether a declaration follows rather than an expression.
    fn is_declaration(&self) -> bool {
        let Tok::Ident(word) = self.peek() else { return false };
        if self.language.type_of(word).is_some() {
            return self.peek_at(1) != Tok::Punct("(") && !self.is_array_constructor(1);
        }
        if self.language.is_keyword(word) {
            return !matches!(word, "true" | "false");
        }
        let after = self.after_brackets(1).unwrap_or(1);
        matches!(self.peek_at(after), Tok::Ident(_))
    }

    fn if_statement(&mut self) -> Result<Stmt<'a>> {
        let mut branches = Vec::new();
        loop {
            // At `if`.
            let position = self.position();
            self.advance();
            if branches.len() >= MAX_GLSL_ELSE_IFS {
                return Err(Problem::limit(position, "branches of one else-if chain", MAX_GLSL_ELSE_IFS as u64));
            }
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            branches.push((condition, self.statement()?));
            if !self.take_word("else") {
                return Ok(Stmt::If(branches, None));
            }
            if self.peek() != Tok::Ident("if") {
                return Ok(Stmt::If(branches, Some(Box::new(self.statement()?))));
            }
        }
    }

    fn switch(&mut self) -> Result<Stmt<'a>> {
        self.only_es300("'switch'", "'if'")?;
        self.advance();
        self.expect("(")?;
        let selector = self.expression()?;
        self.expect(")")?;
        self.expect("{")?;
        let mut items = Vec::new();
        while !self.take("}") {
            let position = self.position();
            if self.take_word("case") {
                let label = self.expression()?;
                self.expect(":")?;
                items.push(SwitchItem::Case(label));
            } else if self.take_word("default") {
                self.expect(":")?;
                items.push(SwitchItem::Default(position));
            } else if items.is_empty() {
                return Err(self.unexpected("'case' or 'default'"));
            } else if self.peek() == Tok::End {
                return Err(self.unexpected("'}'"));
            } else {
                items.push(SwitchItem::Stmt(self.statement()?));
            }
        }
        Ok(Stmt::Switch(selector, items))
    }

    fn for_loop(&mut self) -> Result<Stmt<'a>> {
        self.advance();
        self.expect("(")?;
        let init = if self.take(";") { Stmt::Empty } else { self.simple()? };
        let condition = if self.peek() == Tok::Punct(";") { None } else { Some(self.condition()?) };
        self.expect(";")?;
        let step = if self.peek() == Tok::Punct(")") { None } else { Some(self.expression()?) };
        self.expect(")")?;
        let body = self.statement()?;
        Ok(Stmt::For(Box::new(For { init, condition, step, body })))
    }

    fn do_loop(&mut self) -> Result<Stmt<'a>> {
        self.advance();
        let body = self.statement()?;
        if !self.take_word("while") {
            return Err(self.unexpected("'while'"));
        }
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        self.expect(";")?;
        Ok(Stmt::DoWhile(Box::new((body, condition))))
    }

    fn condition(&mut self) -> Result<Condition<'a>> {
        if !self.is_declaration() {
            return Ok(Condition::Expr(self.expression()?));
        }
        let mut qualifiers: Qualifiers<'a> = self.qualifiers()?;
        let ty = self.type_spec()?;
        self.expect_precision(&mut qualifiers, &ty);
        let (name, position) = self.name("a variable's name")?;
        self.expect("=")?;
        let init = Some(self.assignment()?);
        let declarators = vec![Declarator { name, position, array: Vec::new(), init }];
        Ok(Condition::Declare(Declaration { qualifiers, ty, declarators }))
    }
}
