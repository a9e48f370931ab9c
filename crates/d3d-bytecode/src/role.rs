//! What an instruction takes an operand for.

use super::operand::{Operand, OperandValue, RegisterKind};

/// What an instruction takes an operand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A register that takes the result, with a mask.
    Dst,
    /// A value.
    Src,
    /// A texture or buffer that is read.
    Resource,
    /// How a texture is sampled.
    Sampler,
    /// Memory that is written.
    Written,
    /// A function of the program.
    Label,
    /// A stream of a geometry shader.
    Stream,
}

impl Role {
    /// Whether its operand has a mask rather than a swizzle.
    #[inline]
    pub(super) fn has_mask(self) -> bool {
        matches!(self, Self::Dst | Self::Written)
    }

    /// Whether an operand can be taken for this.
    #[inline]
    pub(super) fn takes(self, operand: &Operand) -> bool {
        use RegisterKind as K;
        let OperandValue::Register(register) = &operand.value else { return self == Self::Src };
        let kind = register.kind;
        match self {
            Self::Dst => !matches!(
                kind,
                K::Sampler
                    | K::Resource
                    | K::Label
                    | K::Stream
                    | K::ConstantBuffer
                    | K::ImmediateConstantBuffer
                    | K::Uav
                    | K::ThreadGroupMemory
            ),
            Self::Src => {
                !matches!(kind, K::Sampler | K::Resource | K::Label | K::Stream | K::Uav | K::ThreadGroupMemory)
            }
            Self::Resource => matches!(kind, K::Resource | K::Uav | K::ThreadGroupMemory | K::Rasterizer),
            Self::Sampler => kind == K::Sampler,
            Self::Written => matches!(kind, K::Uav | K::ThreadGroupMemory),
            Self::Label => kind == K::Label,
            Self::Stream => kind == K::Stream,
        }
    }

    /// What it takes, in words.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Dst => "a register to write",
            Self::Src => "a value",
            Self::Resource => "a texture or buffer",
            Self::Sampler => "a sampler",
            Self::Written => "memory to write",
            Self::Label => "a label",
            Self::Stream => "a stream",
        }
    }
}
