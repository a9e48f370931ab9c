//! What can be assigned.

use super::super::error::{Fault, Problem, Result};
use super::super::typed::{Builtin, Expr, ExprKind, VariableKind};
use super::Checker;

impl Checker<'_, '_> {
    /// Checks that an expression can be assigned, and notes that its variable is.
    pub(super) fn assignable(&mut self, target: &Expr) -> Result<()> {
        let refuse = |what: String, why| Err(Problem::fault(target.position, Fault::NotAssignable { what, why }));
        if target.ty.has_sampler() {
            return refuse(format!("a value of type {}", target.ty), "it holds a sampler");
        }
        let mut base = target;
        loop {
            match &base.kind {
                ExprKind::Index(inner, _) | ExprKind::Member(inner, _) => base = inner,
                ExprKind::Swizzle(inner, components) => {
                    let twice =
                        components.iter().enumerate().any(|(at, c)| components.iter().skip(at + 1).any(|d| c == d));
                    if twice {
                        return refuse("a swizzle".to_owned(), "a component occurs in it twice");
                    }
                    base = inner;
                }
                ExprKind::Variable(id) => {
                    let Some(variable) = self.program.variables.get_mut(id.0) else { return Ok(()) };
                    if let Some(why) = why_not(variable.kind) {
                        return refuse(format!("'{}'", super::super::lex::shorten(&variable.name)), why);
                    }
                    variable.written = true;
                    let is_local = matches!(
                        variable.kind,
                        VariableKind::Local | VariableKind::In { .. } | VariableKind::Out | VariableKind::InOut
                    );
                    self.function.effects |= !is_local;
                    return Ok(());
                }
                _ => return refuse("this expression".to_owned(), "it is not a variable"),
            }
        }
    }
}

fn why_not(kind: VariableKind) -> Option<&'static str> {
    match kind {
        VariableKind::Const | VariableKind::In { is_const: true } => Some("it is 'const'"),
        VariableKind::Uniform { .. } | VariableKind::Member(..) | VariableKind::Instance(_) => Some("it is a uniform"),
        VariableKind::Input(_) => Some("it is an input"),
        VariableKind::Builtin(Builtin::Position | Builtin::PointSize | Builtin::FragDepth) => None,
        VariableKind::Builtin(_) => Some("it is an input"),
        _ => None,
    }
}
