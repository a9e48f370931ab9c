//! Building a function of naga's, expression by expression.

use naga::{BinaryOperator, Expression, Handle};

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
