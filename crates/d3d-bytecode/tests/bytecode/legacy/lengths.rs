//! Whose lengths a program has, and whose numbers.

use super::{Lengths, MODELS, assemble, decode_at, decoded, fixture};
use d3d_bytecode::{Dialect, Opcode, Program, disassemble};
use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![
        both_conventions_say_the_same,
        microsofts_lengths_win_over_a_clear_bit_31,
        bit_31_breaks_ties,
        the_emulators_numbers_are_read,
        clashing_numbers_are_told_apart_by_their_operands,
        a_predicate_is_found_at_either_end,
        usages_may_stand_in_the_opcode_token,
        instructions_without_operands_may_have_no_length,
    ]
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn text(program: &Program) -> String {
    disassemble(program).replace(".dialect total-length\n", "").replace(".producer driver\n", "")
}

fn opcodes(program: &Program) -> Vec<Opcode> {
    program.instructions().iter().map(|instruction| instruction.opcode).collect()
}

fn both_conventions_say_the_same() {
    for model in MODELS.iter().filter(|model| !model.contains("_1_")) {
        let microsoft = decoded(&fixture(&format!("{model}.d3dbc")));
        let emulator = decoded(&assemble(&text(&microsoft), Lengths::Total));
        assert_eq!(microsoft.dialect(), Dialect::Microsoft, "{model}");
        assert_eq!(emulator.dialect(), Dialect::TotalLength, "{model}");
        assert_eq!(text(&microsoft), text(&emulator), "{model}");
        assert_eq!(microsoft.used_slots(), emulator.used_slots(), "{model}");
    }
}

/// As two of the driver's shaders have it.
fn microsofts_lengths_win_over_a_clear_bit_31() {
    let program = decoded(&words(&[0xffff_0200, 0x0200_0001, 0x000f_0800, 0x20e4_0000, 0xffff]));
    assert_eq!(program.dialect(), Dialect::Microsoft);
    assert_eq!(text(&program), "ps_2_0\nmov oC0, c0\n");
}

/// A program without any operand fits both, and so does one whose first instruction nobody knows.
fn bit_31_breaks_ties() {
    assert_eq!(decoded(&words(&[0xfffe_0200, 0x0000_0000, 0xffff])).dialect(), Dialect::Microsoft);
    let tied = |register| words(&[0xfffe_0200, 0x0200_0099, register, 0xffff]);
    let found = |register| decode_at(0, &tied(register)).unwrap_err().to_string();
    assert_eq!(found(0x900f_0000), "expected an instruction of vs_2_0, found opcode 0x99, at 0x4");
    let long = |register| decoded(&words(&[0xfffe_0200, 0x0500_0001, register, 0x80e4_0000, 0, 0, 0, 0xffff]));
    assert_eq!(long(0x800f_0000).dialect(), Dialect::Microsoft);
    assert_eq!(opcodes(&long(0x800f_0000)), [Opcode::Mov]);
    // A length that counts the first dword ends one dword earlier, which is a `nop`.
    assert_eq!(long(0x000f_0000).dialect(), Dialect::TotalLength);
    assert_eq!(opcodes(&long(0x000f_0000)), [Opcode::Mov, Opcode::Nop]);
}

fn the_emulators_numbers_are_read() {
    let source = "ps_3_0\ndefi i0, 1, 2, 3, 4\ndefb b0, true\nseq r0, r1, r2\nsne r0, r1, r2\ndsx r0, r1\ndsy r0, r1\n\
                  dp2add r0, r1, r2, r3.x\ndp2 r0, r1, r2\nsetp_gt p0, r0, r1\n";
    let program = decoded(&assemble(source, Lengths::Total));
    assert_eq!(text(&program), source);
    assert_eq!(program.dialect(), Dialect::TotalLength);
}

/// 78 is `expp` with one source and `setp` with two, 90 is `dp2add` with three sources and `dp2` with two.
fn clashing_numbers_are_told_apart_by_their_operands() {
    let (result, source) = (0x000f_0000, 0x00e4_0001);
    let vertex = words(&[
        0xfffe_0300,
        0x0300_004e,
        result,
        source,
        0x0401_004e,
        0x300f_1000,
        source,
        source,
        0x0400_005a,
        result,
        source,
        source,
        0xffff,
    ]);
    assert_eq!(opcodes(&decoded(&vertex)), [Opcode::ExpP, Opcode::SetP, Opcode::Dp2]);
    let pixel =
        words(&[0xffff_0300, 0x0500_005a, result, source, source, source, 0x0400_005a, result, source, source, 0xffff]);
    assert_eq!(opcodes(&decoded(&pixel)), [Opcode::Dp2Add, Opcode::Dp2]);
}

fn a_predicate_is_found_at_either_end() {
    let (result, source, predicate) = (0x000f_0000, 0x00e4_0001, 0x3000_1000);
    let orders = [[result, predicate, source], [result, source, predicate], [predicate, result, source]];
    for order in orders {
        let program = decoded(&words(&[0xfffe_0300, 0x1400_0001, order[0], order[1], order[2], 0xffff]));
        assert_eq!(text(&program), "vs_3_0\n(p0.x) mov r0, r1\n", "{order:x?}");
    }
}

fn usages_may_stand_in_the_opcode_token() {
    let program =
        decoded(&words(&[0xfffe_0200, 0x0215_001f, 0x100f_0000, 0x0300_0001, 0x400f_0000, 0x10e4_0000, 0xffff]));
    assert_eq!(text(&program), "vs_2_0\ndcl_texcoord1 v0\nmov oPos, v0\n");
}

fn instructions_without_operands_may_have_no_length() {
    for length in [0, 1] {
        let program = decoded(&words(&[0xfffe_0200, 0x0300_0001, 0x400f_0000, 0x10e4_0000, length << 24 | 28, 0xffff]));
        assert_eq!(opcodes(&program), [Opcode::Mov, Opcode::Ret]);
        assert_eq!(program.dialect(), Dialect::TotalLength);
    }
}
