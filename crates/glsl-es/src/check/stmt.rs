//! Statements.

use super::super::ast::{
    BaseType, BinaryOp, Condition, Declaration, Expr as AstExpr, ExprKind as AstKind, For, Stmt as Ast, Storage,
    SwitchItem, TypeSpec,
};
use super::super::error::{Fault, Note, Problem, Result};
use super::super::language::Language;
use super::super::source::Stage;
use super::super::typed::{Case, Expr, Loop, Stmt, VariableId, VariableKind};
use super::super::types::Type;
use super::super::value::Component;
use super::Checker;
use super::epilogue::is_naga_epilogue;
use super::scope::Entity;

impl<'a> Checker<'_, 'a> {
    pub(super) fn statements(&mut self, statements: &[Ast<'a>]) -> Result<Vec<Stmt>> {
        let mut out = Vec::with_capacity(statements.len());
        for statement in statements {
            self.recovering(|checker| checker.statement(statement, &mut out));
        }
        Ok(out)
    }

    /// A statement in a scope of its own.
    fn scoped(&mut self, statement: &Ast<'a>) -> Result<Stmt> {
        self.scopes.enter();
        let made = self.unscoped(statement)?;
        self.scopes.leave();
        Ok(made)
    }

    /// A statement, or those of a block, in the scope that is open.
    fn unscoped(&mut self, statement: &Ast<'a>) -> Result<Stmt> {
        let statements = match statement {
            Ast::Block(statements) => self.statements(statements)?,
            other => self.statements(std::slice::from_ref(other))?,
        };
        Ok(Stmt::Block(statements))
    }

    fn statement(&mut self, statement: &Ast<'a>, out: &mut Vec<Stmt>) -> Result<()> {
        let made = match statement {
            Ast::Empty => return Ok(()),
            Ast::Declare(declaration) => return self.local(declaration, out),
            Ast::Block(_) => self.scoped(statement)?,
            // A type alone, which declares nothing, is read like a variable.
            Ast::Expr(AstExpr { kind: AstKind::Name(name), .. }) if self.is_struct(name) => return Ok(()),
            Ast::Expr(expression) => {
                let expression = self.expr(expression)?;
                self.program.has_naga_epilogue |= is_naga_epilogue(&expression, &self.program);
                Stmt::Expr(expression)
            }
            Ast::If(branches, last) => {
                let mut typed = Vec::with_capacity(branches.len());
                for (condition, body) in branches {
                    let condition = self.condition_or_any(condition);
                    typed.push((condition, self.scoped(body)?));
                }
                let last = match last {
                    Some(last) => Some(Box::new(self.scoped(last)?)),
                    None => None,
                };
                Stmt::If(typed, last)
            }
            Ast::Switch(selector, items) => self.switch(selector, items)?,
            Ast::For(parts) => self.for_loop(parts)?,
            Ast::While(parts) => self.while_loop(&parts.0, &parts.1)?,
            Ast::DoWhile(parts) => {
                self.remark_loop(parts.1.position);
                self.scopes.enter();
                let body = self.loop_body(&parts.0)?;
                self.scopes.leave();
                let condition = Some(self.condition_or_any(&parts.1));
                Stmt::Loop(Box::new(Loop {
                    init: None,
                    condition_variable: None,
                    condition,
                    asks_after: true,
                    step: None,
                    body,
                }))
            }
            Ast::Return(value, position) => self.return_statement(value.as_ref(), *position)?,
            Ast::Break(position) => {
                self.inside(
                    self.function.loops + self.function.switches,
                    "'break'",
                    "outside a loop or switch",
                    *position,
                )?;
                Stmt::Break
            }
            Ast::Continue(position) => {
                self.inside(self.function.loops, "'continue'", "outside a loop", *position)?;
                Stmt::Continue
            }
            Ast::Discard(position) => {
                if self.program.stage == Stage::Vertex {
                    let fault = Fault::WrongStage {
                        name: "discard".to_owned(),
                        belongs: Stage::Fragment,
                        stage: Stage::Vertex,
                    };
                    return Err(Problem::fault(*position, fault));
                }
                self.function.effects = true;
                Stmt::Discard
            }
        };
        out.push(made);
        Ok(())
    }

    fn is_struct(&self, name: &str) -> bool {
        matches!(self.scopes.find(name), Some(Entity::Struct(_)))
    }

    fn inside(&self, depth: usize, what: &'static str, place: &'static str, position: u32) -> Result<()> {
        if depth > 0 {
            return Ok(());
        }
        Err(Problem::fault(position, Fault::Misplaced { what: what.into(), place }))
    }

    /// Replaces a struct by its type, so that several names share one, and one of them may hide the struct's own name.
    pub(super) fn resolve_once(&mut self, ty: TypeSpec<'a>) -> Result<TypeSpec<'a>> {
        if matches!(ty.base, BaseType::Known(_)) {
            return Ok(ty);
        }
        let bare = TypeSpec { base: ty.base, array: Vec::new(), position: ty.position };
        let open = self.open_type(&bare, &[])?;
        Ok(TypeSpec { base: BaseType::Known(open.base), array: ty.array, position: ty.position })
    }

    /// Forgets the names of a declaration.
    pub(super) fn forget_all(&mut self, declaration: &Declaration<'a>) {
        for declarator in &declaration.declarators {
            self.forget(declarator.name, declarator.position);
        }
    }

    fn local(&mut self, declaration: &Declaration<'a>, out: &mut Vec<Stmt>) -> Result<()> {
        let qualifiers = &declaration.qualifiers;
        let bad_storage = !matches!(qualifiers.storage, None | Some(Storage::Const));
        if bad_storage || qualifiers.flat || qualifiers.centroid || !qualifiers.layout.is_empty() {
            let what = "a qualifier other than 'const'".into();
            return Err(Problem::fault(qualifiers.position, Fault::Misplaced { what, place: "in a function" }));
        }
        if qualifiers.has_interpolation() {
            self.odd(qualifiers.position, "a qualifier of a variable in a function: expected 'const' or a precision");
        }
        let ty = match self.resolve_once(declaration.ty.clone()) {
            Ok(ty) => ty,
            Err(problem) => {
                self.forget_all(declaration);
                return Err(problem);
            }
        };
        if declaration.declarators.is_empty() {
            self.type_alone(&ty)?;
        }
        for declarator in &declaration.declarators {
            self.recovering(|checker| match checker.variable(qualifiers, &ty, declarator, VariableKind::Local) {
                Ok((id, init)) => {
                    out.push(Stmt::Declare(id, init));
                    Ok(())
                }
                Err(problem) => {
                    checker.forget(declarator.name, declarator.position);
                    Err(problem)
                }
            });
        }
        Ok(())
    }

    /// A condition, or where it is wrong, any: what it decides is checked all the same.
    fn condition_or_any(&mut self, condition: &super::super::ast::Expr<'a>) -> Expr {
        let checked = self.condition_expr(condition);
        let any = || super::expr::literal(Type::BOOL, Component::Bool(false), condition.position);
        self.problems.keep(checked).unwrap_or_else(any)
    }

    fn condition_expr(&mut self, condition: &super::super::ast::Expr<'a>) -> Result<Expr> {
        let is_assignment = matches!(condition.kind, AstKind::Assign(None, _));
        let what = if is_assignment { "a condition ('==' compares, '=' assigns)" } else { "a condition" };
        let condition = self.expr(condition)?;
        self.require(what, &Type::BOOL, &condition)?;
        Ok(condition)
    }

    /// The rounds of a loop. Its condition's variables, or those it begins with, are of the same scope.
    fn loop_body(&mut self, body: &Ast<'a>) -> Result<Stmt> {
        self.function.loops += 1;
        let outer = std::mem::take(&mut self.function.switches);
        let body = self.unscoped(body)?;
        self.function.switches = outer;
        self.function.loops -= 1;
        Ok(body)
    }

    fn loop_condition(&mut self, condition: &Condition<'a>) -> Result<(Option<VariableId>, Expr)> {
        match condition {
            Condition::Expr(condition) => Ok((None, self.condition_or_any(condition))),
            Condition::Declare(declaration) => {
                let mut made = Vec::new();
                self.local(declaration, &mut made)?;
                match made.pop() {
                    Some(Stmt::Declare(id, Some(init))) => {
                        self.require("a condition", &Type::BOOL, &init)?;
                        Ok((Some(id), init))
                    }
                    _ => Err(Problem::expected(declaration.ty.position, "a condition", "none")),
                }
            }
        }
    }

    /// Remarks a loop that GLSL ES 1.00 needn't take (its appendix A), once.
    fn remark_loop(&mut self, position: u32) {
        if self.program.language == Language::Es100 && !std::mem::replace(&mut self.has_odd_loops, true) {
            let what =
                "a loop that GLSL ES 1.00 need not support: it requires 'for (int i = 0; i < 8; i++)' with constants";
            self.program.notes.push(Note::remark(position, what));
        }
    }

    fn for_loop(&mut self, parts: &For<'a>) -> Result<Stmt> {
        if !is_counted(parts) {
            self.remark_loop(place_of(parts));
        }
        self.scopes.enter();
        let mut init = Vec::new();
        self.recovering(|checker| checker.statement(&parts.init, &mut init));
        let (condition_variable, condition) = match &parts.condition {
            Some(condition) => {
                let (id, condition) = self.loop_condition(condition)?;
                (id, Some(condition))
            }
            None => (None, None),
        };
        let step = parts.step.as_ref().and_then(|step| {
            let step = self.expr(step);
            self.problems.keep(step)
        });
        let body = self.loop_body(&parts.body)?;
        self.scopes.leave();
        let init = Some(Stmt::Block(init));
        Ok(Stmt::Loop(Box::new(Loop { init, condition_variable, condition, asks_after: false, step, body })))
    }

    fn while_loop(&mut self, condition: &Condition<'a>, body: &Ast<'a>) -> Result<Stmt> {
        self.remark_loop(match condition {
            Condition::Expr(condition) => condition.position,
            Condition::Declare(declaration) => declaration.ty.position,
        });
        self.scopes.enter();
        let (condition_variable, condition) = self.loop_condition(condition)?;
        let body = self.loop_body(body)?;
        self.scopes.leave();
        Ok(Stmt::Loop(Box::new(Loop {
            init: None,
            condition_variable,
            condition: Some(condition),
            asks_after: false,
            step: None,
            body,
        })))
    }

    fn switch(&mut self, selector: &super::super::ast::Expr<'a>, items: &[SwitchItem<'a>]) -> Result<Stmt> {
        let selector = self.expr(selector)?;
        if selector.ty != Type::INT && selector.ty != Type::UINT {
            return Err(super::type_error(selector.position, "a switch", "int or uint".to_owned(), &selector.ty));
        }
        self.scopes.enter();
        self.function.switches += 1;
        let mut cases: Vec<Case> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut last = None;
        for item in items {
            last = None;
            let (label, position) = match item {
                SwitchItem::Stmt(statement) => {
                    let mut made = Vec::new();
                    self.recovering(|checker| checker.statement(statement, &mut made));
                    if let Some(case) = cases.last_mut() {
                        case.body.append(&mut made);
                    }
                    continue;
                }
                SwitchItem::Default(position) => (None, *position),
                SwitchItem::Case(label) => {
                    let label = self.expr(label)?;
                    self.require("a case", &selector.ty, &label)?;
                    let Some(value) = label.value else {
                        return Err(Problem::fault(label.position, Fault::NotConstant { what: "a case" }));
                    };
                    (Some(value), label.position)
                }
            };
            let key = label.as_ref().and_then(|value| value.first()).map(|component| component.integer());
            if !seen.insert(key) {
                return Err(Problem::expected(position, "distinct labels", "a label that the switch already has"));
            }
            match cases.last_mut() {
                Some(case) if case.body.is_empty() => case.labels.push(label),
                _ => cases.push(Case { labels: vec![label], body: Vec::new() }),
            }
            last = Some(position);
        }
        if let Some(position) = last {
            return Err(Problem::expected(position, "a statement after the last label", "the end of the switch"));
        }
        self.function.switches -= 1;
        self.scopes.leave();
        Ok(Stmt::Switch(selector, cases))
    }

    fn return_statement(&mut self, value: Option<&super::super::ast::Expr<'a>>, position: u32) -> Result<Stmt> {
        self.function.has_return = true;
        let returns = self.function.returns.clone();
        let Some(value) = value else {
            if returns != Type::Void {
                return Err(Problem::expected(position, format!("a value of type {returns}"), "'return;'"));
            }
            return Ok(Stmt::Return(None));
        };
        let value = self.expr(value)?;
        if returns == Type::Void {
            return Err(Problem::expected(value.position, "no value from a void function", format!("{}", value.ty)));
        }
        self.require("the returned value", &returns, &value)?;
        Ok(Stmt::Return(Some(value)))
    }
}

/// Whether a loop counts as those do that GLSL ES 1.00 promises to take (appendix A): its constants aside.
fn is_counted(parts: &For<'_>) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    let Ast::Declare(Declaration { declarators, .. }) = &parts.init else { return false };
    let [counter] = declarators.as_slice() else { return false };
    let is_counter = |of: &AstKind<'_>| matches!(of, AstKind::Name(name) if *name == counter.name);
    let Some(Condition::Expr(condition)) = &parts.condition else { return false };
    let AstKind::Chain(left, terms) = &condition.kind else { return false };
    let [(Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual, _, _)] = terms.as_slice() else { return false };
    let steps = parts.step.as_ref().is_some_and(|step| match &step.kind {
        AstKind::Step(_, target) => is_counter(&target.kind),
        AstKind::Assign(Some(BinaryOp::Add | BinaryOp::Subtract), sides) => {
            let [target, _] = &**sides;
            is_counter(&target.kind)
        }
        _ => false,
    });
    steps && counter.init.is_some() && is_counter(&left.kind)
}

/// Where a loop stands, nearly.
fn place_of(parts: &For<'_>) -> u32 {
    match (&parts.init, &parts.condition, &parts.step) {
        (Ast::Declare(declaration), ..) => declaration.ty.position,
        (Ast::Expr(expression), ..) | (_, Some(Condition::Expr(expression)), _) | (.., Some(expression)) => {
            expression.position
        }
        _ => 0,
    }
}
