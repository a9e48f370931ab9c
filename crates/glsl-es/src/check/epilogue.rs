//! Recognises what naga's GLSL writer puts at the end of a vertex shader.
//!
//! ```glsl
//! gl_Position.yz = vec2(-gl_Position.y, gl_Position.z * 2.0 - gl_Position.w);
//! ```
//!
//! It turns WebGPU's clip space into GL's, upside down. A text that holds it means WebGPU's conventions throughout
//! (`gl_FragCoord` too), so the statement is dropped rather than obeyed.

use super::super::ast::{BinaryOp, UnaryOp};
use super::super::typed::{Builtin, Expr, ExprKind, Program, VariableKind};
use super::super::value::Component;

/// Whether an expression is that assignment.
pub(crate) fn is_naga_epilogue(expression: &Expr, program: &Program) -> bool {
    let ExprKind::Assign(None, target, value) = &expression.kind else { return false };
    let ExprKind::Construct(parts) = &value.kind else { return false };
    let [y, z] = parts.as_slice() else { return false };
    let at = |expression: &Expr, which: &[u8]| is_position(expression, which, program);
    let ExprKind::Unary(UnaryOp::Negate, negated) = &y.kind else { return false };
    let ExprKind::Binary(BinaryOp::Subtract, doubled, w) = &z.kind else { return false };
    let ExprKind::Binary(BinaryOp::Multiply, old_z, two) = &doubled.kind else { return false };
    let is_two = matches!(two.value.as_deref(), Some([Component::Float(2.0)]));
    at(target, &[1, 2]) && at(negated, &[1]) && at(old_z, &[2]) && is_two && at(w, &[3])
}

fn is_position(expression: &Expr, which: &[u8], program: &Program) -> bool {
    let ExprKind::Swizzle(base, components) = &expression.kind else { return false };
    let ExprKind::Variable(id) = base.kind else { return false };
    let kind = program.variable(id).map(|variable| variable.kind);
    components == which && kind == Some(VariableKind::Builtin(Builtin::Position))
}
