//! Expressions: names, operators, members.

use super::super::ast::{self, BinaryOp, Step, UnaryOp};
use super::super::error::{Fault, Problem, Result};
use super::super::language::{FRAG_DEPTH, Language};
use super::super::lex::shorten;
use super::super::typed::{Expr, ExprKind, LeftOperand, VariableId, VariableKind};
use super::super::types::{Scalar, Type};
use super::super::value::{self, Component, Value};
use super::Checker;
use super::language_variables::stage_of_builtin;
use super::operator::binary_type;
use super::scope::Entity;

impl<'a> Checker<'_, 'a> {
    /// Checks one expression.
    pub(super) fn expr(&mut self, expression: &ast::Expr<'a>) -> Result<Expr> {
        self.function.expressions += 1;
        let position = expression.position;
        match &expression.kind {
            ast::ExprKind::Int(value) => Ok(literal(Type::INT, Component::Int(*value), position)),
            ast::ExprKind::Uint(value) => Ok(literal(Type::UINT, Component::Uint(*value), position)),
            ast::ExprKind::Float(value) => Ok(literal(Type::FLOAT, Component::Float(*value), position)),
            ast::ExprKind::Bool(value) => Ok(literal(Type::BOOL, Component::Bool(*value), position)),
            ast::ExprKind::Name(name) => self.name(name, position),
            ast::ExprKind::Unary(operator, operand) => self.unary(*operator, operand, position),
            ast::ExprKind::Step(step, operand) => self.step(*step, operand, position),
            ast::ExprKind::Chain(first, terms) => self.chain(first, terms),
            ast::ExprKind::Ternary(parts) => self.ternary(parts, position),
            ast::ExprKind::Assign(operator, parts) => self.assign(*operator, parts, position),
            ast::ExprKind::Comma(parts) => self.comma(parts, position),
            ast::ExprKind::Index(parts) => self.index(parts, position),
            ast::ExprKind::Field(base, member) => self.field(base, member, position),
            ast::ExprKind::Length(base) => self.length(base, position),
            ast::ExprKind::Call(name, arguments) => self.call(name, arguments, position),
            ast::ExprKind::Construct(ty, arguments) => self.construct(ty, arguments, position),
        }
    }

    fn name(&mut self, name: &'a str, position: u32) -> Result<Expr> {
        let id = match self.scopes.find(name) {
            Some(Entity::Variable(id)) => *id,
            Some(Entity::Unknown) => return Err(Problem::consequence(position)),
            Some(_) => {
                let found = format!("'{}', which is a function or type", shorten(name));
                return Err(Problem::expected(position, "a variable", found));
            }
            None => {
                let stage = self.program.stage;
                let problem = match stage_of_builtin(self.program.language, name) {
                    Some(belongs) => {
                        Problem::fault(position, Fault::WrongStage { name: name.to_owned(), belongs, stage })
                    }
                    None => self.undeclared("variable", name, position),
                };
                return Err(problem);
            }
        };
        if name == "gl_FragDepthEXT" {
            self.expect_extension(name, FRAG_DEPTH, position);
        }
        let Some(variable) = self.program.variables.get_mut(id.0) else {
            return Err(self.undeclared("variable", name, position));
        };
        match &mut self.function.uses {
            Some(uses) => drop(uses.insert(id)),
            None => variable.used = true,
        }
        Ok(Expr {
            kind: ExprKind::Variable(id),
            ty: variable.ty.clone(),
            position,
            effects: false,
            value: variable.value.clone(),
            constant: variable.kind == VariableKind::Const,
        })
    }

    fn unary(&mut self, operator: UnaryOp, operand: &ast::Expr<'a>, position: u32) -> Result<Expr> {
        let operand = self.expr(operand)?;
        let (symbol, fits) = match (operator, operand.ty.scalar()) {
            (UnaryOp::Plus, scalar) => ("+", scalar.is_some_and(|scalar| scalar != Scalar::Bool)),
            (UnaryOp::Negate, scalar) => ("-", scalar.is_some_and(|scalar| scalar != Scalar::Bool)),
            (UnaryOp::Not, _) => ("!", operand.ty == Type::BOOL),
            (UnaryOp::Complement, scalar) => ("~", matches!(scalar, Some(Scalar::Int | Scalar::Uint))),
        };
        if !fits {
            let expected = match operator {
                UnaryOp::Not => "bool",
                UnaryOp::Complement => "int or uint components",
                _ => "float, int or uint components",
            };
            let what = format!("operand of '{symbol}'");
            return Err(super::type_error(position, what, expected.to_owned(), &operand.ty));
        }
        let value = operand.value.as_ref().map(|operand| value::unary(operator, operand));
        let (ty, effects, constant) = (operand.ty.clone(), operand.effects, operand.constant);
        Ok(Expr { kind: ExprKind::Unary(operator, Box::new(operand)), ty, position, effects, value, constant })
    }

    fn step(&mut self, step: Step, operand: &ast::Expr<'a>, position: u32) -> Result<Expr> {
        let operand = self.expr(operand)?;
        let symbol = if step.up { "++" } else { "--" };
        if operand.ty.scalar().is_none_or(|scalar| scalar == Scalar::Bool) {
            let expected = "float, int or uint components".to_owned();
            return Err(super::type_error(position, format!("operand of '{symbol}'"), expected, &operand.ty));
        }
        self.assignable(&operand)?;
        let ty = operand.ty.clone();
        let kind = ExprKind::Step(step, Box::new(operand));
        Ok(Expr { kind, ty, position, effects: true, value: None, constant: false })
    }

    fn chain(&mut self, first: &ast::Expr<'a>, terms: &[(BinaryOp, u32, ast::Expr<'a>)]) -> Result<Expr> {
        let mut left = self.expr(first)?;
        for (operator, position, right) in terms {
            let right = self.expr(right)?;
            left = self.binary(*operator, left, right, *position)?;
        }
        Ok(left)
    }

    fn binary(&mut self, operator: BinaryOp, left: Expr, right: Expr, position: u32) -> Result<Expr> {
        self.function.expressions += 1;
        let Some(ty) = binary_type(operator, &left.ty, &right.ty) else {
            let fault =
                Fault::Operands { operator: operator.symbol(), left: left.ty.to_string(), right: right.ty.to_string() };
            return Err(Problem::fault(position, fault));
        };
        if matches!(left.ty, Type::Array(..)) {
            self.later(position, "the comparison of arrays");
        }
        let value = match (&left.value, &right.value) {
            (Some(a), Some(b)) => value::binary(operator, (a, &left.ty), (b, &right.ty)),
            _ => None,
        };
        let effects = left.effects || right.effects;
        let constant = left.constant && right.constant;
        let kind = ExprKind::Binary(operator, LeftOperand::new(left), Box::new(right));
        Ok(Expr { kind, ty, position, effects, value, constant })
    }

    fn ternary(&mut self, parts: &[ast::Expr<'a>; 3], position: u32) -> Result<Expr> {
        let [condition, yes, no] = parts;
        let condition = self.expr(condition)?;
        self.require("the condition of '?:'", &Type::BOOL, &condition)?;
        let yes = self.expr(yes)?;
        let no = self.expr(no)?;
        self.require("the second branch of '?:'", &yes.ty, &no)?;
        if yes.ty.has_sampler() {
            return Err(super::type_error(position, "'?:'", "a value".to_owned(), &yes.ty));
        }
        let value = match condition.value.as_deref() {
            Some([choice]) if !yes.effects && !no.effects => {
                if choice.truth() {
                    yes.value.clone()
                } else {
                    no.value.clone()
                }
            }
            _ => None,
        };
        let ty = yes.ty.clone();
        let effects = condition.effects || yes.effects || no.effects;
        let constant = condition.constant && yes.constant && no.constant;
        let kind = ExprKind::Ternary(Box::new([condition, yes, no]));
        Ok(Expr { kind, ty, position, effects, value, constant })
    }

    fn assign(&mut self, operator: Option<BinaryOp>, parts: &[ast::Expr<'a>; 2], position: u32) -> Result<Expr> {
        let [target, value] = parts;
        let target = self.expr(target)?;
        let value = self.expr(value)?;
        self.assignable(&target)?;
        match operator {
            None => self.require("the assigned value", &target.ty, &value)?,
            Some(operator) => {
                if binary_type(operator, &target.ty, &value.ty).as_ref() != Some(&target.ty) {
                    let fault = Fault::Operands {
                        operator: compound_symbol(operator),
                        left: target.ty.to_string(),
                        right: value.ty.to_string(),
                    };
                    return Err(Problem::fault(position, fault));
                }
            }
        }
        if matches!(target.ty, Type::Array(..)) {
            self.later(position, "the assignment of an array");
        }
        let ty = target.ty.clone();
        let kind = ExprKind::Assign(operator, Box::new(target), Box::new(value));
        Ok(Expr { kind, ty, position, effects: true, value: None, constant: false })
    }

    fn comma(&mut self, parts: &[ast::Expr<'a>], position: u32) -> Result<Expr> {
        let parts = parts.iter().map(|part| self.expr(part)).collect::<Result<Vec<_>>>()?;
        let ty = parts.last().map_or(Type::Void, |last| last.ty.clone());
        let effects = parts.iter().any(|part| part.effects);
        // Later versions forbid it in constant expressions.
        let constant = self.program.language == Language::Es100 && parts.iter().all(|part| part.constant);
        let value = parts.last().filter(|_| constant).and_then(|last| last.value.clone());
        Ok(Expr { kind: ExprKind::Comma(parts), ty, position, effects, value, constant })
    }

    fn index(&mut self, parts: &[ast::Expr<'a>; 2], position: u32) -> Result<Expr> {
        let [base, index] = parts;
        let base = self.expr(base)?;
        let index = self.expr(index)?;
        let (ty, length) = match &base.ty {
            Type::Array(of, length) => ((**of).clone(), *length),
            Type::Numeric(scalar, columns @ 2.., rows) => (Type::vector(*scalar, *rows), u32::from(*columns)),
            Type::Numeric(scalar, 1, rows @ 2..) => (Type::vector(*scalar, 1), u32::from(*rows)),
            other => {
                let expected = "an array, matrix or vector".to_owned();
                return Err(super::type_error(position, "what '[' follows", expected, other));
            }
        };
        if index.ty != Type::INT && index.ty != Type::UINT {
            return Err(super::type_error(index.position, "an index", "int or uint".to_owned(), &index.ty));
        }
        let at = index.value.as_deref().and_then(|value| value.first()).map(|component| component.integer());
        if let Some(found) = at.filter(|at| *at >= length) {
            let found = if index.ty == Type::INT { (found as i32).to_string() } else { found.to_string() };
            let fault = Fault::OutOfRange { what: "an index", found, expected: format!("0 to {}", length - 1) };
            return Err(Problem::fault(index.position, fault));
        }
        // GLSL ES 1.00 takes the counter of a loop.
        let may_vary = self.program.language == Language::Es100 && matches!(ty, Type::Sampler(_));
        if at.is_none() && !may_vary && (ty.has_sampler() || self.is_block_array(&base)) {
            let fault =
                Fault::NotConstant { what: "an index into an array of samplers or blocks ('switch' chooses one)" };
            return Err(Problem::fault(index.position, fault));
        }
        let value = match (&base.value, at) {
            (Some(base), Some(at)) => slice(base, u64::from(at) * ty.scalars(), ty.scalars()),
            _ => None,
        };
        let effects = base.effects || index.effects;
        let constant = base.constant && index.constant;
        Ok(Expr { kind: ExprKind::Index(Box::new(base), Box::new(index)), ty, position, effects, value, constant })
    }

    fn is_block_array(&self, base: &Expr) -> bool {
        let ExprKind::Variable(id) = base.kind else { return false };
        matches!(self.kind_of(id), Some(VariableKind::Instance(_)))
    }

    /// What a variable is.
    pub(super) fn kind_of(&self, id: VariableId) -> Option<VariableKind> {
        self.program.variable(id).map(|variable| variable.kind)
    }

    fn field(&mut self, base: &ast::Expr<'a>, member: &str, position: u32) -> Result<Expr> {
        let base = self.expr(base)?;
        let no_member = || {
            let fault = Fault::NoMember { of: base.ty.to_string(), member: shorten(member) };
            Problem::fault(position, fault)
        };
        let (effects, constant) = (base.effects, base.constant);
        match &base.ty {
            Type::Struct(of) => {
                let found = of.members.iter().position(|(name, _)| name == member).ok_or_else(no_member)?;
                let before: u64 = of.members.iter().take(found).map(|(_, ty)| ty.scalars()).sum();
                let ty = of.members.get(found).map_or(Type::Void, |(_, ty)| ty.clone());
                let value = base.value.as_ref().and_then(|value| slice(value, before, ty.scalars()));
                Ok(Expr { kind: ExprKind::Member(Box::new(base), found), ty, position, effects, value, constant })
            }
            Type::Numeric(scalar, 1, size @ 2..) => {
                let components = swizzle(member, *size).ok_or_else(no_member)?;
                let ty = Type::vector(*scalar, components.len() as u8);
                let value = base.value.as_ref().and_then(|value| {
                    components.iter().map(|component| value.get(usize::from(*component)).copied()).collect()
                });
                Ok(Expr { kind: ExprKind::Swizzle(Box::new(base), components), ty, position, effects, value, constant })
            }
            _ => Err(no_member()),
        }
    }

    fn length(&mut self, base: &ast::Expr<'a>, position: u32) -> Result<Expr> {
        let base = self.expr(base)?;
        match base.ty {
            Type::Array(_, length) => {
                let length = literal(Type::INT, Component::Int(length as i32), position);
                if !base.effects {
                    return Ok(length);
                }
                let kind = ExprKind::Comma(vec![base, length]);
                Ok(Expr { kind, ty: Type::INT, position, effects: true, value: None, constant: false })
            }
            _ => Err(super::type_error(position, "the operand of '.length()'", "an array".to_owned(), &base.ty)),
        }
    }
}

/// A constant of one component.
pub(crate) fn literal(ty: Type, component: Component, position: u32) -> Expr {
    let value = Some(std::sync::Arc::new([component]) as Value);
    Expr { kind: ExprKind::Literal, ty, position, effects: false, value, constant: true }
}

fn slice(value: &Value, from: u64, length: u64) -> Option<Value> {
    value.get(from as usize..(from + length) as usize).map(|part| part.into())
}

/// Component numbers of `.zyx`; letters must be of one set and exist.
fn swizzle(member: &str, size: u8) -> Option<Vec<u8>> {
    if member.is_empty() || member.len() > 4 {
        return None;
    }
    ["xyzw", "rgba", "stpq"].iter().find_map(|set| {
        let components: Option<Vec<u8>> = member.chars().map(|c| set.find(c).map(|at| at as u8)).collect();
        components.filter(|components| components.iter().all(|component| *component < size))
    })
}

fn compound_symbol(operator: BinaryOp) -> &'static str {
    match operator {
        BinaryOp::Add => "+=",
        BinaryOp::Subtract => "-=",
        BinaryOp::Multiply => "*=",
        BinaryOp::Divide => "/=",
        BinaryOp::Remainder => "%=",
        BinaryOp::ShiftLeft => "<<=",
        BinaryOp::ShiftRight => ">>=",
        BinaryOp::BitAnd => "&=",
        BinaryOp::BitOr => "|=",
        _ => "^=",
    }
}
