//! How colours are blended, in a form that is compared.

use crate::command::{BlendEquation, BlendFactor, BlendOp};

/// How colours and alpha are blended. Alpha has no factors of colours (a colour's factor is there its alpha), and a
/// minimum or maximum has the factors one: Direct3D multiplies with none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlendEquations {
    /// Red, green and blue.
    pub color: BlendEquation,
    /// Alpha.
    pub alpha: BlendEquation,
}

impl BlendEquations {
    /// Two equations as they were set, brought to the form that is compared.
    pub(super) fn new(color: BlendEquation, alpha: BlendEquation) -> Self {
        let alpha = BlendEquation { src: of_alpha(alpha.src), dst: of_alpha(alpha.dst), op: alpha.op };
        Self { color: with_factors(color), alpha: with_factors(alpha) }
    }
}

/// A minimum or maximum is taken of the colours as they are.
const fn with_factors(equation: BlendEquation) -> BlendEquation {
    match equation.op {
        BlendOp::Min | BlendOp::Max => BlendEquation { src: BlendFactor::One, dst: BlendFactor::One, op: equation.op },
        BlendOp::Add | BlendOp::Subtract | BlendOp::RevSubtract => equation,
    }
}

/// What a factor is for alpha: of a colour it is the alpha, and the saturating one is 1.
const fn of_alpha(factor: BlendFactor) -> BlendFactor {
    match factor {
        BlendFactor::SrcColor => BlendFactor::SrcAlpha,
        BlendFactor::InvSrcColor => BlendFactor::InvSrcAlpha,
        BlendFactor::DestColor => BlendFactor::DestAlpha,
        BlendFactor::InvDestColor => BlendFactor::InvDestAlpha,
        BlendFactor::Src1Color => BlendFactor::Src1Alpha,
        BlendFactor::InvSrc1Color => BlendFactor::InvSrc1Alpha,
        BlendFactor::SrcAlphaSat => BlendFactor::One,
        other => other,
    }
}
