//! Building a function of naga's, expression by expression.

use naga::{BinaryOperator, Expression, Function, Handle, Range, Span, Statement};

/// Something that expressions are added to, in its own way.
pub(super) trait Expressions {
    /// Adds an expression.
    fn add(&mut self, expression: Expression) -> Handle<Expression>;

    /// Adds an operation on two expressions.
    fn binary(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        self.add(Expression::Binary { op, left, right })
    }
}

/// Adds an expression at the end of a function, and the statement that evaluates it there, if it takes one.
pub(super) fn add_evaluated(function: &mut Function, expression: Expression) -> Handle<Expression> {
    let is_evaluated = !expression.needs_pre_emit();
    let handle = function.expressions.append(expression, Span::UNDEFINED);
    if is_evaluated {
        function.body.push(Statement::Emit(Range::new_from_bounds(handle, handle)), Span::UNDEFINED);
    }
    handle
}
