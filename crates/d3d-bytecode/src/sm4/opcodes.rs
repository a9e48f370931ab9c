//! The instructions of SM4 and SM5 by their numbers in Microsoft's tokens, with what follows each.

use super::super::opcode::Opcode;
use super::super::role::Role::{self, Dst, Label, Resource, Sampler, Src, Stream, Written};

/// What the bits of an opcode token mean beside number and length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlBits {
    /// Nothing.
    Unused,
    /// Bit 13: the result is saturated; bits 19 to 22: lanes that are precise.
    Arithmetic,
    /// Bit 18: whether the condition is a value that isn't 0.
    Test,
    /// Bits 11 and 12: in which form sizes are answered. Extended tokens say how the resource is read.
    Info,
    /// Bits 11 to 14: what is waited for.
    Sync,
    /// Extended tokens say how the resource is read.
    Access,
    /// A dword before the operands: the function to call.
    Function,
}

/// An instruction of SM4 or SM5 as Microsoft's tokens have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionForm {
    /// Its number in tokens.
    pub number: u32,
    /// Which one.
    pub opcode: Opcode,
    /// What the bits of its token mean beside number and length.
    pub control: ControlBits,
    /// The least model that has it, major and minor number. Bytecode of a lesser one may have it too.
    pub since: (u8, u8),
    /// What it takes, results first.
    pub operands: &'static [Role],
}

/// One row an instruction: number, opcode, control bits, least model, operands.
macro_rules! rows {
    ($($number:literal $opcode:ident $control:ident $major:literal.$minor:literal [$($role:ident)*])*) => {
        /// Every instruction of SM4 and SM5.
        pub const INSTRUCTIONS: &[InstructionForm] = &[$(
            InstructionForm {
                number: $number,
                opcode: Opcode::$opcode,
                control: ControlBits::$control,
                since: ($major, $minor),
                operands: &[$($role),*],
            },
        )*];
    };
}

rows! {
      0 Add              Arithmetic 4 . 0 [Dst Src Src]
      1 And              Unused     4 . 0 [Dst Src Src]
      2 Break            Unused     4 . 0 []
      3 BreakC           Test       4 . 0 [Src]
      4 Call             Unused     4 . 0 [Label]
      5 CallC            Test       4 . 0 [Src Label]
      6 Case             Unused     4 . 0 [Src]
      7 Continue         Unused     4 . 0 []
      8 ContinueC        Test       4 . 0 [Src]
      9 Cut              Unused     4 . 0 []
     10 Default          Unused     4 . 0 []
     11 DerivRtx         Arithmetic 4 . 0 [Dst Src]
     12 DerivRty         Arithmetic 4 . 0 [Dst Src]
     13 Discard          Test       4 . 0 [Src]
     14 Div              Arithmetic 4 . 0 [Dst Src Src]
     15 Dp2              Arithmetic 4 . 0 [Dst Src Src]
     16 Dp3              Arithmetic 4 . 0 [Dst Src Src]
     17 Dp4              Arithmetic 4 . 0 [Dst Src Src]
     18 Else             Unused     4 . 0 []
     19 Emit             Unused     4 . 0 []
     20 EmitThenCut      Unused     4 . 0 []
     21 EndIf            Unused     4 . 0 []
     22 EndLoop          Unused     4 . 0 []
     23 EndSwitch        Unused     4 . 0 []
     24 Eq               Arithmetic 4 . 0 [Dst Src Src]
     25 Exp              Arithmetic 4 . 0 [Dst Src]
     26 Frc              Arithmetic 4 . 0 [Dst Src]
     27 FToI             Arithmetic 4 . 0 [Dst Src]
     28 FToU             Arithmetic 4 . 0 [Dst Src]
     29 Ge               Arithmetic 4 . 0 [Dst Src Src]
     30 IAdd             Arithmetic 4 . 0 [Dst Src Src]
     31 If               Test       4 . 0 [Src]
     32 IEq              Arithmetic 4 . 0 [Dst Src Src]
     33 IGe              Arithmetic 4 . 0 [Dst Src Src]
     34 ILt              Arithmetic 4 . 0 [Dst Src Src]
     35 IMad             Arithmetic 4 . 0 [Dst Src Src Src]
     36 IMax             Arithmetic 4 . 0 [Dst Src Src]
     37 IMin             Arithmetic 4 . 0 [Dst Src Src]
     38 IMul             Arithmetic 4 . 0 [Dst Dst Src Src]
     39 INe              Arithmetic 4 . 0 [Dst Src Src]
     40 INeg             Arithmetic 4 . 0 [Dst Src]
     41 IShl             Arithmetic 4 . 0 [Dst Src Src]
     42 IShr             Arithmetic 4 . 0 [Dst Src Src]
     43 IToF             Arithmetic 4 . 0 [Dst Src]
     44 Label            Unused     4 . 0 [Label]
     45 Ld               Access     4 . 0 [Dst Src Resource]
     46 LdMs             Access     4 . 0 [Dst Src Resource Src]
     47 Log              Arithmetic 4 . 0 [Dst Src]
     48 Loop             Unused     4 . 0 []
     49 Lt               Arithmetic 4 . 0 [Dst Src Src]
     50 Mad              Arithmetic 4 . 0 [Dst Src Src Src]
     51 Min              Arithmetic 4 . 0 [Dst Src Src]
     52 Max              Arithmetic 4 . 0 [Dst Src Src]
     54 Mov              Arithmetic 4 . 0 [Dst Src]
     55 MovC             Arithmetic 4 . 0 [Dst Src Src Src]
     56 Mul              Arithmetic 4 . 0 [Dst Src Src]
     57 Ne               Arithmetic 4 . 0 [Dst Src Src]
     58 Nop              Unused     4 . 0 []
     59 Not              Arithmetic 4 . 0 [Dst Src]
     60 Or               Arithmetic 4 . 0 [Dst Src Src]
     61 ResInfo          Info       4 . 0 [Dst Src Resource]
     62 Ret              Unused     4 . 0 []
     63 RetC             Test       4 . 0 [Src]
     64 RoundNe          Arithmetic 4 . 0 [Dst Src]
     65 RoundNi          Arithmetic 4 . 0 [Dst Src]
     66 RoundPi          Arithmetic 4 . 0 [Dst Src]
     67 RoundZ           Arithmetic 4 . 0 [Dst Src]
     68 Rsq              Arithmetic 4 . 0 [Dst Src]
     69 Sample           Access     4 . 0 [Dst Src Resource Sampler]
     70 SampleC          Access     4 . 0 [Dst Src Resource Sampler Src]
     71 SampleCLz        Access     4 . 0 [Dst Src Resource Sampler Src]
     72 SampleL          Access     4 . 0 [Dst Src Resource Sampler Src]
     73 SampleD          Access     4 . 0 [Dst Src Resource Sampler Src Src]
     74 SampleB          Access     4 . 0 [Dst Src Resource Sampler Src]
     75 Sqrt             Arithmetic 4 . 0 [Dst Src]
     76 Switch           Unused     4 . 0 [Src]
     77 SinCos           Arithmetic 4 . 0 [Dst Dst Src]
     78 UDiv             Arithmetic 4 . 0 [Dst Dst Src Src]
     79 ULt              Arithmetic 4 . 0 [Dst Src Src]
     80 UGe              Arithmetic 4 . 0 [Dst Src Src]
     81 UMul             Arithmetic 4 . 0 [Dst Dst Src Src]
     82 UMad             Arithmetic 4 . 0 [Dst Src Src Src]
     83 UMax             Arithmetic 4 . 0 [Dst Src Src]
     84 UMin             Arithmetic 4 . 0 [Dst Src Src]
     85 UShr             Arithmetic 4 . 0 [Dst Src Src]
     86 UToF             Arithmetic 4 . 0 [Dst Src]
     87 Xor              Arithmetic 4 . 0 [Dst Src Src]
    108 Lod              Access     4 . 1 [Dst Src Resource Sampler]
    109 Gather4          Access     4 . 1 [Dst Src Resource Sampler]
    110 SamplePos        Access     4 . 1 [Dst Resource Src]
    111 SampleInfo       Info       4 . 1 [Dst Resource]
    113 HsDecls          Unused     5 . 0 []
    114 HsControlPointPhase Unused  5 . 0 []
    115 HsForkPhase      Unused     5 . 0 []
    116 HsJoinPhase      Unused     5 . 0 []
    117 EmitStream       Unused     5 . 0 [Stream]
    118 CutStream        Unused     5 . 0 [Stream]
    119 EmitThenCutStream Unused    5 . 0 [Stream]
    120 FCall            Function   5 . 0 [Src]
    121 BufInfo          Access     5 . 0 [Dst Resource]
    122 DerivRtxCoarse   Arithmetic 5 . 0 [Dst Src]
    123 DerivRtxFine     Arithmetic 5 . 0 [Dst Src]
    124 DerivRtyCoarse   Arithmetic 5 . 0 [Dst Src]
    125 DerivRtyFine     Arithmetic 5 . 0 [Dst Src]
    126 Gather4C         Access     5 . 0 [Dst Src Resource Sampler Src]
    127 Gather4Po        Access     5 . 0 [Dst Src Src Resource Sampler]
    128 Gather4PoC       Access     5 . 0 [Dst Src Src Resource Sampler Src]
    129 Rcp              Arithmetic 5 . 0 [Dst Src]
    130 F32ToF16         Arithmetic 5 . 0 [Dst Src]
    131 F16ToF32         Arithmetic 5 . 0 [Dst Src]
    132 UAddC            Arithmetic 5 . 0 [Dst Dst Src Src]
    133 USubB            Arithmetic 5 . 0 [Dst Dst Src Src]
    134 CountBits        Arithmetic 5 . 0 [Dst Src]
    135 FirstBitHi       Arithmetic 5 . 0 [Dst Src]
    136 FirstBitLo       Arithmetic 5 . 0 [Dst Src]
    137 FirstBitShi      Arithmetic 5 . 0 [Dst Src]
    138 Ubfe             Arithmetic 5 . 0 [Dst Src Src Src]
    139 Ibfe             Arithmetic 5 . 0 [Dst Src Src Src]
    140 Bfi              Arithmetic 5 . 0 [Dst Src Src Src Src]
    141 BfRev            Arithmetic 5 . 0 [Dst Src]
    142 SwapC            Arithmetic 5 . 0 [Dst Dst Src Src Src]
    163 LdUavTyped       Access     5 . 0 [Dst Src Resource]
    164 StoreUavTyped    Access     5 . 0 [Written Src Src]
    165 LdRaw            Access     5 . 0 [Dst Src Resource]
    166 StoreRaw         Access     5 . 0 [Written Src Src]
    167 LdStructured     Access     5 . 0 [Dst Src Src Resource]
    168 StoreStructured  Access     5 . 0 [Written Src Src Src]
    169 AtomicAnd        Unused     5 . 0 [Written Src Src]
    170 AtomicOr         Unused     5 . 0 [Written Src Src]
    171 AtomicXor        Unused     5 . 0 [Written Src Src]
    172 AtomicCmpStore   Unused     5 . 0 [Written Src Src Src]
    173 AtomicIAdd       Unused     5 . 0 [Written Src Src]
    174 AtomicIMax       Unused     5 . 0 [Written Src Src]
    175 AtomicIMin       Unused     5 . 0 [Written Src Src]
    176 AtomicUMax       Unused     5 . 0 [Written Src Src]
    177 AtomicUMin       Unused     5 . 0 [Written Src Src]
    178 ImmAtomicAlloc   Unused     5 . 0 [Dst Written]
    179 ImmAtomicConsume Unused     5 . 0 [Dst Written]
    180 ImmAtomicIAdd    Unused     5 . 0 [Dst Written Src Src]
    181 ImmAtomicAnd     Unused     5 . 0 [Dst Written Src Src]
    182 ImmAtomicOr      Unused     5 . 0 [Dst Written Src Src]
    183 ImmAtomicXor     Unused     5 . 0 [Dst Written Src Src]
    184 ImmAtomicExch    Unused     5 . 0 [Dst Written Src Src]
    185 ImmAtomicCmpExch Unused     5 . 0 [Dst Written Src Src Src]
    186 ImmAtomicIMax    Unused     5 . 0 [Dst Written Src Src]
    187 ImmAtomicIMin    Unused     5 . 0 [Dst Written Src Src]
    188 ImmAtomicUMax    Unused     5 . 0 [Dst Written Src Src]
    189 ImmAtomicUMin    Unused     5 . 0 [Dst Written Src Src]
    190 Sync             Sync       5 . 0 []
    191 DAdd             Arithmetic 5 . 0 [Dst Src Src]
    192 DMax             Arithmetic 5 . 0 [Dst Src Src]
    193 DMin             Arithmetic 5 . 0 [Dst Src Src]
    194 DMul             Arithmetic 5 . 0 [Dst Src Src]
    195 DEq              Arithmetic 5 . 0 [Dst Src Src]
    196 DGe              Arithmetic 5 . 0 [Dst Src Src]
    197 DLt              Arithmetic 5 . 0 [Dst Src Src]
    198 DNe              Arithmetic 5 . 0 [Dst Src Src]
    199 DMov             Arithmetic 5 . 0 [Dst Src]
    200 DMovC            Arithmetic 5 . 0 [Dst Src Src Src]
    201 DToF             Arithmetic 5 . 0 [Dst Src]
    202 FToD             Arithmetic 5 . 0 [Dst Src]
    203 EvalSnapped      Unused     5 . 0 [Dst Src Src]
    204 EvalSampleIndex  Unused     5 . 0 [Dst Src Src]
    205 EvalCentroid     Unused     5 . 0 [Dst Src]
    207 Abort            Unused     5 . 0 []
    208 DebugBreak       Unused     5 . 0 []
    210 DDiv             Arithmetic 5 . 0 [Dst Src Src]
    211 DFma             Arithmetic 5 . 0 [Dst Src Src Src]
    212 DRcp             Arithmetic 5 . 0 [Dst Src]
    213 Msad             Arithmetic 5 . 0 [Dst Src Src Src]
    214 DToI             Arithmetic 5 . 0 [Dst Src]
    215 DToU             Arithmetic 5 . 0 [Dst Src]
    216 IToD             Arithmetic 5 . 0 [Dst Src]
    217 UToD             Arithmetic 5 . 0 [Dst Src]
    219 Gather4S         Access     5 . 0 [Dst Dst Src Resource Sampler]
    220 Gather4CS        Access     5 . 0 [Dst Dst Src Resource Sampler Src]
    221 Gather4PoS       Access     5 . 0 [Dst Dst Src Src Resource Sampler]
    222 Gather4PoCS      Access     5 . 0 [Dst Dst Src Src Resource Sampler Src]
    223 LdS              Access     5 . 0 [Dst Dst Src Resource]
    224 LdMsS            Access     5 . 0 [Dst Dst Src Resource Src]
    225 LdUavTypedS      Access     5 . 0 [Dst Dst Src Resource]
    226 LdRawS           Access     5 . 0 [Dst Dst Src Resource]
    227 LdStructuredS    Access     5 . 0 [Dst Dst Src Src Resource]
    228 SampleLS         Access     5 . 0 [Dst Dst Src Resource Sampler Src]
    229 SampleCLzS       Access     5 . 0 [Dst Dst Src Resource Sampler Src]
    230 SampleClS        Access     5 . 0 [Dst Dst Src Resource Sampler Src]
    231 SampleBClS       Access     5 . 0 [Dst Dst Src Resource Sampler Src Src]
    232 SampleDClS       Access     5 . 0 [Dst Dst Src Resource Sampler Src Src Src]
    233 SampleCClS       Access     5 . 0 [Dst Dst Src Resource Sampler Src Src]
    234 CheckAccessFullyMapped Unused 5 . 0 [Dst Src]
}

/// The most numbers that a table of this encoding can have: an opcode token has eleven bits for them.
const NUMBERS: usize = 256;

/// Rows by number.
const BY_NUMBER: [u8; NUMBERS] = {
    let mut by_number = [u8::MAX; NUMBERS];
    let mut row = 0;
    while row < INSTRUCTIONS.len() {
        #[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
        {
            by_number[INSTRUCTIONS[row].number as usize] = row as u8;
        }
        row += 1;
    }
    by_number
};

/// The instruction with this number.
#[inline]
pub(super) fn row(number: u32) -> Option<&'static InstructionForm> {
    let row = BY_NUMBER.get(number as usize)?;
    INSTRUCTIONS.get(usize::from(*row))
}
