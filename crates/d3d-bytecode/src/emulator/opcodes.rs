//! The instructions of the emulator's dialect by their numbers, with what follows each.

use super::super::opcode::Opcode;
use super::super::role::Role::{self, Dst, Resource, Sampler, Src, Stream, Written};

/// What an instruction has beside number and operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmulatorForm {
    /// Nothing.
    Plain,
    /// Bits 24 on: 0 and 1 test one value, 2 to 7 compare two.
    Condition,
    /// Bits 24 on: 0 or 1.
    Test,
    /// Bits 24 on: how two values are compared; the result is a predicate.
    Compare,
    /// Bits 24 on: what is waited for.
    Sync,
    /// The lower half of a product may be followed by the upper.
    Product,
    /// The stream is an immediate value, or in bits 24 and 25.
    Stream,
    /// The last operand may be absent.
    LastOptional,
}

/// An instruction of the emulator's dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmulatorInstruction {
    /// Its number in tokens.
    pub number: u32,
    /// Which one.
    pub opcode: Opcode,
    /// What it has beside number and operands.
    pub form: EmulatorForm,
    /// What it takes, results first.
    pub operands: &'static [Role],
}

/// One row an instruction: number, opcode, form, operands.
macro_rules! rows {
    ($($number:literal $opcode:ident $form:ident [$($role:ident)*])*) => {
        /// Every instruction of the emulator's dialect that has a number.
        pub const EMULATOR_INSTRUCTIONS: &[EmulatorInstruction] = &[$(
            EmulatorInstruction {
                number: $number,
                opcode: Opcode::$opcode,
                form: EmulatorForm::$form,
                operands: &[$($role),*],
            },
        )*];
    };
}

/// The instruction with this number.
pub(super) fn row(number: u32) -> Option<&'static EmulatorInstruction> {
    // The table is in the order of its numbers.
    let place = EMULATOR_INSTRUCTIONS.binary_search_by_key(&number, |row| row.number).ok()?;
    EMULATOR_INSTRUCTIONS.get(place)
}

rows! {
    0x00 Nop               Plain     []
    0x01 Mov               Plain     [Dst Src]
    0x02 Add               Plain     [Dst Src Src]
    0x04 Mad               Plain     [Dst Src Src Src]
    0x05 Mul               Plain     [Dst Src Src]
    0x06 Rcp               Plain     [Dst Src]
    0x07 Rsq               Plain     [Dst Src]
    0x08 Dp3               Plain     [Dst Src Src]
    0x09 Dp4               Plain     [Dst Src Src]
    0x0a Min               Plain     [Dst Src Src]
    0x0b Max               Plain     [Dst Src Src]
    0x0c Lt                Plain     [Dst Src Src]
    0x0d Ge                Plain     [Dst Src Src]
    0x0e Eq                Plain     [Dst Src Src]
    0x0f Ne                Plain     [Dst Src Src]
    0x10 Gt                Plain     [Dst Src Src]
    0x11 Le                Plain     [Dst Src Src]
    0x18 FToI              Plain     [Dst Src]
    0x19 FToU              Plain     [Dst Src]
    0x1a IToF              Plain     [Dst Src]
    0x1b UToF              Plain     [Dst Src]
    0x1c MovC              Plain     [Dst Src Src Src]
    0x1d IAdd              Plain     [Dst Src Src]
    0x1e ISub              Plain     [Dst Src Src]
    0x23 Xor               Plain     [Dst Src Src]
    0x24 Not               Plain     [Dst Src]
    0x25 IShl              Plain     [Dst Src Src]
    0x26 IShr              Plain     [Dst Src Src]
    0x28 If                Condition [Src Src]
    0x29 Else              Plain     []
    0x2a EndIf             Plain     []
    0x2b IfC               Condition [Src Src]
    0x2c SetP              Compare   [Dst Src Src]
    0x2d Break             Plain     []
    0x2e BreakC            Condition [Src Src]
    0x2f Loop              Plain     []
    0x30 EndLoop           Plain     []
    0x31 Continue          Plain     []
    0x32 ContinueC         Condition [Src Src]
    0x35 Switch            Plain     [Src]
    0x36 Case              Plain     [Src]
    0x37 Default           Plain     []
    0x38 EndSwitch         Plain     []
    0x3a Discard           Test      [Src]
    0x3b Clip              Plain     [Src]
    0x3c UDiv              Plain     [Dst Dst Src Src]
    0x3d IDiv              Plain     [Dst Dst Src Src]
    0x3e Ret               Plain     []
    0x3f Emit              Plain     []
    0x40 Cut               Plain     []
    0x41 EmitStream        Stream    [Stream]
    0x42 CutStream         Stream    [Stream]
    0x43 EmitThenCut       Plain     []
    0x44 EmitThenCutStream Stream    [Stream]
    0x45 Sample            Plain     [Dst Src Resource Sampler]
    0x46 SampleL           Plain     [Dst Src Resource Sampler Src]
    0x4b ResInfo           Plain     [Dst Src Resource]
    0x4c Ld                LastOptional [Dst Src Resource Src]
    0x4d IEq               Plain     [Dst Src Src]
    0x4e IGe               Plain     [Dst Src Src]
    0x4f ILt               Plain     [Dst Src Src]
    0x50 INe               Plain     [Dst Src Src]
    0x51 ULt               Plain     [Dst Src Src]
    0x52 UGe               Plain     [Dst Src Src]
    0x53 LdRaw             Plain     [Dst Src Resource]
    0x54 LdStructured      Plain     [Dst Src Src Resource]
    0x56 StoreRaw          Plain     [Written Src Src]
    0x57 StoreStructured   Plain     [Written Src Src Src]
    0x58 BfRev             Plain     [Dst Src]
    0x59 CountBits         Plain     [Dst Src]
    0x5a FirstBitHi        Plain     [Dst Src]
    0x5b FirstBitLo        Plain     [Dst Src]
    0x5c FirstBitShi       Plain     [Dst Src]
    0x5d F32ToF16          Plain     [Dst Src]
    0x5e F16ToF32          Plain     [Dst Src]
    0x5f Sync              Sync      []
    0x61 IAbs              Plain     [Dst Src]
    0x62 INeg              Plain     [Dst Src]
    0x63 IMin              Plain     [Dst Src Src]
    0x64 IMax              Plain     [Dst Src Src]
    0x65 UMin              Plain     [Dst Src Src]
    0x66 UMax              Plain     [Dst Src Src]
    0x67 Bfi               Plain     [Dst Src Src Src Src]
    0x68 Ubfe              Plain     [Dst Src Src Src]
    0x69 Ibfe              Plain     [Dst Src Src Src]
    0x6a UAddC             Plain     [Dst Dst Src Src]
    0x6b USubB             Plain     [Dst Dst Src Src]
    0x6c IAddC             Plain     [Dst Dst Src Src]
    0x6d ISubC             Plain     [Dst Dst Src Src]
    0x6e UMul              Product   [Dst Dst Src Src]
    0x6f LdRaw             Plain     [Dst Src Resource]
    0x70 IMul              Product   [Dst Dst Src Src]
    0x71 And               Plain     [Dst Src Src]
    0x72 Or                Plain     [Dst Src Src]
    0x73 UShr              Plain     [Dst Src Src]
    0x74 UMad              Product   [Dst Dst Src Src Src]
    0x75 IMad              Plain     [Dst Src Src Src]
}
