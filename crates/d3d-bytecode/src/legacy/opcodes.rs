//! Which number stands for which instruction, in which models, with which operands.

use super::super::opcode::Opcode;
use super::super::version::{Stage, Version};

/// What an instruction takes at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A register to write, with a mask.
    Result,
    /// The predicate to write, with a mask.
    Comparison,
    /// A register to read.
    Value,
    /// A sampler.
    Sampler,
    /// A label.
    Label,
    /// An integer constant, which tells how often and from where a loop counts.
    Counts,
    /// The counter of a loop.
    Counter,
    /// A boolean constant or one lane of the predicate.
    Truth,
    /// One lane of the predicate.
    Predicate,
}

/// One row: an instruction as some models have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegacyOpcode {
    /// The instruction.
    pub opcode: Opcode,
    /// What it takes, results first. Empty for declarations, which are no registers alone.
    pub takes: &'static [Takes],
    /// First and last model of vertex shaders that have it.
    vertex: (u8, u8),
    /// First and last model of pixel shaders that have it.
    pixel: (u8, u8),
}

impl LegacyOpcode {
    /// Whether programs of a version have it.
    #[inline]
    pub fn is_in(&self, version: Version) -> bool {
        let (first, last) = if version.stage == Stage::Vertex { self.vertex } else { self.pixel };
        let model = rank(version);
        first <= model && model <= last
    }
}

/// Models in their order: 1.1 is 11, 2_x is 21. The models for software vertex processing have what the fullest ones have.
#[inline]
fn rank(version: Version) -> u8 {
    match (version.major, version.minor) {
        (2, 1 | 0xff) => 2_1,
        (3, _) => 3_0,
        (major, minor) => major * 10 + minor,
    }
}

macro_rules! takes {
    (D) => {
        Takes::Result
    };
    (C) => {
        Takes::Comparison
    };
    (V) => {
        Takes::Value
    };
    (S) => {
        Takes::Sampler
    };
    (L) => {
        Takes::Label
    };
    (I) => {
        Takes::Counts
    };
    (A) => {
        Takes::Counter
    };
    (B) => {
        Takes::Truth
    };
    (P) => {
        Takes::Predicate
    };
}

macro_rules! models {
    () => {
        (1, 0)
    };
    ($first:literal, $last:literal) => {
        ($first, $last)
    };
}

/// Rows of `number: Opcode [operands] vs(first model, last) ps(first model, last)`, several forms of a number after `|`.
macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident; $($number:literal: $(
        $opcode:ident [$($takes:ident)*] $(vs($($vs:literal),*))? $(ps($($ps:literal),*))?
    )|+;)*) => {
        $(#[$doc])*
        #[inline]
        pub fn $name(number: u32) -> &'static [LegacyOpcode] {
            match number {
                $($number => const { &[$(LegacyOpcode {
                    opcode: Opcode::$opcode,
                    takes: &[$(takes!($takes)),*],
                    vertex: models!($($($vs),*)?),
                    pixel: models!($($($ps),*)?),
                }),*] },)*
                _ => &[],
            }
        }
    };
}

numbers! {
    /// What a number stands for in Direct3D 9: one form, or one for older and one for newer models.
    microsoft_forms;
    0: Nop [] vs(1_0, 3_0) ps(1_0, 3_0);
    1: Mov [D V] vs(1_0, 3_0) ps(1_0, 3_0);
    2: Add [D V V] vs(1_0, 3_0) ps(1_0, 3_0);
    3: Sub [D V V] vs(1_0, 3_0) ps(1_0, 3_0);
    4: Mad [D V V V] vs(1_0, 3_0) ps(1_0, 3_0);
    5: Mul [D V V] vs(1_0, 3_0) ps(1_0, 3_0);
    6: Rcp [D V] vs(1_0, 3_0) ps(2_0, 3_0);
    7: Rsq [D V] vs(1_0, 3_0) ps(2_0, 3_0);
    8: Dp3 [D V V] vs(1_0, 3_0) ps(1_0, 3_0);
    9: Dp4 [D V V] vs(1_0, 3_0) ps(1_2, 3_0);
    10: Min [D V V] vs(1_0, 3_0) ps(2_0, 3_0);
    11: Max [D V V] vs(1_0, 3_0) ps(2_0, 3_0);
    12: Slt [D V V] vs(1_0, 3_0);
    13: Sge [D V V] vs(1_0, 3_0);
    14: Exp [D V] vs(1_0, 3_0) ps(2_0, 3_0);
    15: Log [D V] vs(1_0, 3_0) ps(2_0, 3_0);
    16: Lit [D V] vs(1_0, 3_0);
    17: Dst [D V V] vs(1_0, 3_0);
    18: Lrp [D V V V] vs(2_0, 3_0) ps(1_0, 3_0);
    19: Frc [D V] vs(1_0, 3_0) ps(2_0, 3_0);
    20: M4x4 [D V V] vs(1_0, 3_0) ps(2_0, 3_0);
    21: M4x3 [D V V] vs(1_0, 3_0) ps(2_0, 3_0);
    22: M3x4 [D V V] vs(1_0, 3_0) ps(2_0, 3_0);
    23: M3x3 [D V V] vs(1_0, 3_0) ps(2_0, 3_0);
    24: M3x2 [D V V] vs(1_0, 3_0) ps(2_0, 3_0);
    25: Call [L] vs(2_0, 3_0) ps(2_1, 3_0);
    26: CallNz [L B] vs(2_0, 3_0) ps(2_1, 3_0);
    27: Loop [A I] vs(2_0, 3_0) ps(3_0, 3_0);
    28: Ret [] vs(2_0, 3_0) ps(2_1, 3_0);
    29: EndLoop [] vs(2_0, 3_0) ps(3_0, 3_0);
    30: Label [L] vs(2_0, 3_0) ps(2_1, 3_0);
    31: Dcl [] vs(1_0, 3_0) ps(2_0, 3_0);
    32: Pow [D V V] vs(2_0, 3_0) ps(2_0, 3_0);
    33: Crs [D V V] vs(2_0, 3_0) ps(2_0, 3_0);
    34: Sgn [D V V V] vs(2_0, 2_1) | Sgn [D V] vs(3_0, 3_0);
    35: Abs [D V] vs(2_0, 3_0) ps(2_0, 3_0);
    36: Nrm [D V] vs(2_0, 3_0) ps(2_0, 3_0);
    37: SinCos [D V V V] vs(2_0, 2_1) ps(2_0, 2_1) | SinCos [D V] vs(3_0, 3_0) ps(3_0, 3_0);
    38: Rep [I] vs(2_0, 3_0) ps(2_1, 3_0);
    39: EndRep [] vs(2_0, 3_0) ps(2_1, 3_0);
    40: If [B] vs(2_0, 3_0) ps(2_1, 3_0);
    41: IfC [V V] vs(2_1, 3_0) ps(2_1, 3_0);
    42: Else [] vs(2_0, 3_0) ps(2_1, 3_0);
    43: EndIf [] vs(2_0, 3_0) ps(2_1, 3_0);
    44: Break [] vs(2_1, 3_0) ps(2_1, 3_0);
    45: BreakC [V V] vs(2_1, 3_0) ps(2_1, 3_0);
    46: MovA [D V] vs(2_0, 3_0);
    47: DefB [] vs(2_0, 3_0) ps(2_1, 3_0);
    48: DefI [] vs(2_0, 3_0) ps(2_1, 3_0);
    64: TexCoord [D] ps(1_0, 1_3) | TexCrd [D V] ps(1_4, 1_4);
    65: TexKill [D] ps(1_0, 3_0);
    66: Tex [D] ps(1_0, 1_3) | TexLd [D V] ps(1_4, 1_4) | TexLd [D V S] ps(2_0, 3_0);
    67: TexBem [D V] ps(1_0, 1_3);
    68: TexBemL [D V] ps(1_0, 1_3);
    69: TexReg2Ar [D V] ps(1_0, 1_3);
    70: TexReg2Gb [D V] ps(1_0, 1_3);
    71: TexM3x2Pad [D V] ps(1_0, 1_3);
    72: TexM3x2Tex [D V] ps(1_0, 1_3);
    73: TexM3x3Pad [D V] ps(1_0, 1_3);
    74: TexM3x3Tex [D V] ps(1_0, 1_3);
    76: TexM3x3Spec [D V V] ps(1_0, 1_3);
    77: TexM3x3VSpec [D V] ps(1_0, 1_3);
    78: ExpP [D V] vs(1_0, 3_0);
    79: LogP [D V] vs(1_0, 3_0);
    80: Cnd [D V V V] ps(1_0, 1_4);
    81: Def [] vs(1_0, 3_0) ps(1_0, 3_0);
    82: TexReg2Rgb [D V] ps(1_2, 1_3);
    83: TexDp3Tex [D V] ps(1_2, 1_3);
    84: TexM3x2Depth [D V] ps(1_3, 1_3);
    85: TexDp3 [D V] ps(1_2, 1_3);
    86: TexM3x3 [D V] ps(1_2, 1_3);
    87: TexDepth [D] ps(1_4, 1_4);
    88: Cmp [D V V V] ps(1_2, 3_0);
    89: Bem [D V V] ps(1_4, 1_4);
    90: Dp2Add [D V V V] ps(2_0, 3_0);
    91: Dsx [D V] ps(2_1, 3_0);
    92: Dsy [D V] ps(2_1, 3_0);
    93: TexLdD [D V S V V] ps(2_1, 3_0);
    94: SetP [C V V] vs(2_1, 3_0) ps(2_1, 3_0);
    95: TexLdL [D V S] vs(3_0, 3_0) ps(3_0, 3_0);
    96: BreakP [P] vs(2_1, 3_0) ps(2_1, 3_0);
    0xfffd: Phase [] ps(1_4, 1_4);
}

numbers! {
    /// What the emulator means by a number that Direct3D 9 gives something else, or nothing, in these models.
    emulator_forms;
    78: SetP [C V V] vs(2_0, 3_0) ps(2_0, 3_0);
    82: DefI [] vs(2_0, 3_0) ps(2_0, 3_0);
    83: DefB [] vs(2_0, 3_0) ps(2_0, 3_0);
    84: Seq [D V V] vs(2_0, 3_0) ps(2_0, 3_0);
    85: Sne [D V V] vs(2_0, 3_0) ps(2_0, 3_0);
    86: Dsx [D V] ps(2_0, 3_0);
    87: Dsy [D V] ps(2_0, 3_0);
    89: Dp2Add [D V V V] vs(2_0, 3_0) ps(2_0, 3_0);
    90: Dp2 [D V V] vs(2_0, 3_0) ps(2_0, 3_0);
}

/// Numbers of instructions that the tables may have: all below, and `phase`.
pub fn numbers() -> impl Iterator<Item = u32> {
    (0..=96).chain([0xfffd])
}
