//! Assignments, `++` and `--`.

use super::super::ast::{BinaryOp, Step};
use super::super::error::Result;
use super::super::typed::Expr;
use super::super::types::Type;
use super::literal::one;
use super::operator::splat;
use super::runtime::matrix;
use super::{Value, Writer};

impl Writer<'_> {
    /// `a = b` for its value.
    pub(super) fn assign(&mut self, operator: Option<BinaryOp>, target: &Expr, value: &Expr) -> Result<Value> {
        let place = self.place(target)?;
        let assigned = self.assigned(operator, &place, target, value)?;
        // An assignment is no constant expression: naga must not go on computing with what was assigned.
        let assigned = self.opaque(assigned);
        let assigned = self.keep(assigned);
        self.store(&place, &assigned);
        Ok(assigned)
    }

    /// `a = b` for its effect.
    pub(super) fn assign_only(&mut self, operator: Option<BinaryOp>, target: &Expr, value: &Expr) -> Result<()> {
        let place = self.place(target)?;
        let assigned = self.assigned(operator, &place, target, value)?;
        self.store(&place, &assigned);
        Ok(())
    }

    fn assigned(
        &mut self,
        operator: Option<BinaryOp>,
        place: &super::place::Place,
        target: &Expr,
        value: &Expr,
    ) -> Result<Value> {
        let Some(operator) = operator else { return self.value(value) };
        // The right side first: `a += f()` adds to what `a` is after `f`.
        let value_text = self.value(value)?;
        let old = self.load(place);
        Ok(self.operator(operator, (old, &target.ty), (value_text, &value.ty)))
    }

    /// `a++` for its value.
    pub(super) fn step(&mut self, step: Step, target: &Expr) -> Result<Value> {
        let place = self.place(target)?;
        let old = self.load(&place);
        let old = self.keep(old);
        let new = self.stepped(step, &old, &target.ty);
        let new = if step.prefix { self.keep(new) } else { new };
        self.store(&place, &new);
        Ok(if step.prefix { new } else { old })
    }

    /// `a++` for its effect.
    pub(super) fn step_only(&mut self, step: Step, target: &Expr) -> Result<()> {
        let place = self.place(target)?;
        let old = self.load(&place);
        let new = self.stepped(step, &old, &target.ty);
        self.store(&place, &new);
        Ok(())
    }

    fn stepped(&mut self, step: Step, old: &Value, ty: &Type) -> Value {
        let Type::Numeric(scalar, columns, rows) = ty else { return old.clone() };
        let symbol = if step.up { "+" } else { "-" };
        let unit = Value::literal(one(*scalar));
        if *columns > 1 {
            let old = self.keep(old.clone());
            let parts = (0..*columns).map(|column| old.column(column).infix(symbol, &unit)).collect();
            return Value::call(matrix(*columns, *rows), parts);
        }
        old.infix(symbol, &splat(&unit, *scalar, *rows))
    }
}
