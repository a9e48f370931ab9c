//! Expressions for their value.

use super::super::ast::BinaryOp;
use super::super::error::Result;
use super::super::typed::{Expr, ExprKind, VariableKind};
use super::super::types::Type;
use super::{Block, Statement, Value, Writer};

impl Writer<'_> {
    /// The value of an expression; its effects are in the current block by then.
    pub(super) fn value(&mut self, expression: &Expr) -> Result<Value> {
        let value = self.raw_value(expression)?;
        Ok(self.flatten(value))
    }

    fn raw_value(&mut self, expression: &Expr) -> Result<Value> {
        self.position = expression.position;
        if let Some(value) = &expression.value {
            let inline = matches!(expression.ty, Type::Numeric(..)) || matches!(expression.kind, ExprKind::Literal);
            if inline && !expression.effects {
                return Ok(self.literal(&expression.ty, value));
            }
        }
        match &expression.kind {
            ExprKind::Literal => Ok(self.zero(&expression.ty)),
            ExprKind::Variable(_) | ExprKind::Index(..) | ExprKind::Member(..) | ExprKind::Swizzle(..) => {
                self.access(expression)
            }
            ExprKind::Unary(operator, operand) => self.unary(*operator, operand),
            ExprKind::Binary(..) => self.binary(expression),
            ExprKind::Ternary(parts) => self.ternary(parts),
            ExprKind::Assign(operator, target, value) => self.assign(*operator, target, value),
            ExprKind::Step(step, target) => self.step(*step, target),
            ExprKind::Comma(parts) => self.comma(parts),
            ExprKind::Call(id, arguments) => self.call(*id, arguments, &expression.ty),
            ExprKind::Builtin(name, arguments) => self.builtin(name, arguments, expression),
            ExprKind::Texture(call, arguments) => self.texture(*call, arguments),
            ExprKind::Construct(arguments) => self.construct(&expression.ty, arguments),
        }
    }

    /// An expression for its effects alone.
    pub(super) fn effects(&mut self, expression: &Expr) -> Result<()> {
        if !expression.effects {
            return Ok(());
        }
        match &expression.kind {
            ExprKind::Assign(operator, target, value) => self.assign_only(*operator, target, value),
            ExprKind::Step(step, target) => self.step_only(*step, target),
            ExprKind::Comma(parts) => parts.iter().try_for_each(|part| self.effects(part)),
            ExprKind::Call(id, arguments) => self.call_only(*id, arguments),
            ExprKind::Ternary(parts) => {
                let [condition, yes, no] = &**parts;
                let condition = self.value(condition)?;
                let ((), yes) = self.inside(|writer| writer.effects(yes))?;
                let ((), no) = self.inside(|writer| writer.effects(no))?;
                self.push(Statement::If(condition, yes, no));
                Ok(())
            }
            _ => self.raw_value(expression).map(|_| ()),
        }
    }

    fn comma(&mut self, parts: &[Expr]) -> Result<Value> {
        let Some((last, before)) = parts.split_last() else { return Ok(Value::nothing()) };
        before.iter().try_for_each(|part| self.effects(part))?;
        let value = self.value(last)?;
        Ok(self.opaque(value))
    }

    fn ternary(&mut self, parts: &[Expr; 3]) -> Result<Value> {
        let [condition, yes, no] = parts;
        let condition = self.value(condition)?;
        let selectable = matches!(yes.ty, Type::Numeric(_, 1, _)) && !yes.effects && !no.effects;
        if selectable && !has_call(yes) && !has_call(no) {
            let yes = self.value(yes)?;
            let no = self.value(no)?;
            return Ok(Value::call("select", vec![no, yes, condition]));
        }
        let name = self.temporary();
        let ty = self.ty(&yes.ty);
        self.declare_var(&name, ty, None);
        let chosen = Value::fixed(name);
        let ((), yes) = self.inside(|writer| writer.assign_value(&chosen, yes))?;
        let ((), no) = self.inside(|writer| writer.assign_value(&chosen, no))?;
        self.push(Statement::If(condition, yes, no));
        Ok(chosen)
    }

    fn assign_value(&mut self, place: &Value, expression: &Expr) -> Result<()> {
        let value = self.value(expression)?;
        self.push(Statement::Assign(place.clone(), value));
        Ok(())
    }

    /// `a op b op c`: the left spine is walked in a loop, as it may be as long as the text.
    fn binary(&mut self, expression: &Expr) -> Result<Value> {
        let mut spine = Vec::new();
        let mut leftmost = expression;
        while let ExprKind::Binary(operator, left, right) = &leftmost.kind {
            if leftmost.value.is_some() && !std::ptr::eq(leftmost, expression) {
                break;
            }
            spine.push((*operator, &**left, &**right));
            leftmost = left;
        }
        let mut value = self.value(leftmost)?;
        for (operator, left, right) in spine.into_iter().rev() {
            value = match operator {
                BinaryOp::And | BinaryOp::Or => self.short_circuit(operator, value, right)?,
                _ => {
                    if right.effects {
                        value = self.keep(value);
                    }
                    let right_value = self.value(right)?;
                    self.operator(operator, (value, &left.ty), (right_value, &right.ty))
                }
            };
            value = self.flatten(value);
        }
        Ok(value)
    }

    /// `a && b`, `a || b`: the right side happens only if the left doesn't decide.
    fn short_circuit(&mut self, operator: BinaryOp, left: Value, right: &Expr) -> Result<Value> {
        if !right.effects && !has_call(right) {
            let right = self.value(right)?;
            return Ok(left.infix(operator.symbol(), &right));
        }
        let decided = self.keep_in_memory(&left);
        let condition = if operator == BinaryOp::And { decided.clone() } else { decided.prefixed("!") };
        let ((), body) = self.inside(|writer| writer.assign_value(&decided, right))?;
        self.push(Statement::If(condition, body, Block::new()));
        Ok(decided)
    }

    /// Whether a variable's value is written where it is used, so that it needs no memory.
    pub(super) fn is_inlined(&self, id: super::super::typed::VariableId) -> bool {
        self.program.variable(id).is_some_and(|variable| {
            variable.kind == VariableKind::Const
                && variable.value.is_some()
                && matches!(variable.ty, Type::Numeric(_, 1, _))
        })
    }
}

/// Whether a function of the text is called in an expression. Such calls happen only where GLSL says: they may loop.
fn has_call(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Call(..) => true,
        ExprKind::Literal | ExprKind::Variable(_) => false,
        ExprKind::Unary(_, a) | ExprKind::Step(_, a) | ExprKind::Member(a, _) | ExprKind::Swizzle(a, _) => has_call(a),
        ExprKind::Index(a, b) | ExprKind::Assign(_, a, b) => has_call(a) || has_call(b),
        ExprKind::Binary(..) => {
            let mut at = expression;
            while let ExprKind::Binary(_, left, right) = &at.kind {
                if has_call(right) {
                    return true;
                }
                at = left;
            }
            has_call(at)
        }
        ExprKind::Ternary(parts) => parts.iter().any(has_call),
        ExprKind::Comma(parts)
        | ExprKind::Builtin(_, parts)
        | ExprKind::Texture(_, parts)
        | ExprKind::Construct(parts) => parts.iter().any(has_call),
    }
}
