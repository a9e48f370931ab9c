//! Which operand types an operator takes, and what comes out.

use super::super::ast::BinaryOp;
use super::super::types::{Scalar, Type};

/// The result type; `None` if the operands don't fit. GLSL ES has no implicit conversions.
pub(crate) fn binary_type(operator: BinaryOp, left: &Type, right: &Type) -> Option<Type> {
    use BinaryOp::*;
    match operator {
        Or | Xor | And => (*left == Type::BOOL && *right == Type::BOOL).then_some(Type::BOOL),
        Equal | NotEqual => (left == right && *left != Type::Void && !left.has_sampler()).then_some(Type::BOOL),
        Less | Greater | LessEqual | GreaterEqual => {
            (left == right && left.is_scalar() && *left != Type::BOOL).then_some(Type::BOOL)
        }
        ShiftLeft | ShiftRight => {
            let fits = is_integer(left) && is_integer(right) && (right.is_scalar() || size(left) == size(right));
            fits.then(|| left.clone())
        }
        BitOr | BitXor | BitAnd | Remainder => is_integer(left).then(|| componentwise(left, right)).flatten(),
        Multiply => product(left, right),
        Add | Subtract | Divide => componentwise(left, right),
    }
}

fn is_integer(ty: &Type) -> bool {
    matches!(ty, Type::Numeric(Scalar::Int | Scalar::Uint, ..))
}

fn size(ty: &Type) -> Option<(u8, u8)> {
    match ty {
        Type::Numeric(_, columns, rows) => Some((*columns, *rows)),
        _ => None,
    }
}

fn componentwise(left: &Type, right: &Type) -> Option<Type> {
    let same_kind = left.scalar().is_some_and(|scalar| scalar != Scalar::Bool) && left.scalar() == right.scalar();
    if !same_kind {
        None
    } else if left == right || right.is_scalar() {
        Some(left.clone())
    } else {
        left.is_scalar().then(|| right.clone())
    }
}

fn product(left: &Type, right: &Type) -> Option<Type> {
    let (Type::Numeric(Scalar::Float, left_columns, left_rows), Type::Numeric(Scalar::Float, columns, rows)) =
        (left, right)
    else {
        return componentwise(left, right);
    };
    let linear = (left.is_matrix() || right.is_matrix()) && !left.is_scalar() && !right.is_scalar();
    if !linear {
        return componentwise(left, right);
    }
    if left.is_vector() {
        // A row vector times a matrix.
        return (left_rows == rows).then(|| Type::vector(Scalar::Float, *columns));
    }
    (left_columns == rows).then_some(Type::Numeric(Scalar::Float, *columns, *left_rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_follow_linear_algebra() {
        let ty = |word| Type::from_keyword(word).unwrap();
        let product = |a, b| binary_type(BinaryOp::Multiply, &ty(a), &ty(b)).map(|ty| ty.to_string());
        assert_eq!(product("mat2x3", "vec2").as_deref(), Some("vec3"));
        assert_eq!(product("vec3", "mat2x3").as_deref(), Some("vec2"));
        assert_eq!(product("mat2x3", "mat4x2").as_deref(), Some("mat4x3"));
        assert_eq!(product("mat2x3", "mat2x3"), None);
        assert_eq!(product("float", "mat2x3").as_deref(), Some("mat2x3"));
        assert_eq!(product("int", "float"), None);
        assert_eq!(product("vec3", "vec3").as_deref(), Some("vec3"));
    }

    #[test]
    fn shifts_and_comparisons() {
        let ty = |word| Type::from_keyword(word).unwrap();
        let of = |op, a, b| binary_type(op, &ty(a), &ty(b)).map(|ty| ty.to_string());
        assert_eq!(of(BinaryOp::ShiftLeft, "ivec2", "uint").as_deref(), Some("ivec2"));
        assert_eq!(of(BinaryOp::ShiftLeft, "int", "ivec2"), None);
        assert_eq!(of(BinaryOp::Less, "vec2", "vec2"), None);
        assert_eq!(of(BinaryOp::Equal, "mat2", "mat2").as_deref(), Some("bool"));
        assert_eq!(of(BinaryOp::BitAnd, "uint", "uvec3").as_deref(), Some("uvec3"));
        assert_eq!(of(BinaryOp::Remainder, "float", "float"), None);
    }
}
