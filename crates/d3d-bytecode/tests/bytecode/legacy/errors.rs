//! Programs that can't be read, each with its message. They lie at 0x1000 in their file.

use super::{Lengths, assemble, decode_at};
use d3d_bytecode::legacy::ConstantTable;
use d3d_bytecode::limits::{MAX_BYTECODE_BYTES, MAX_BYTECODE_NESTING};
use d3d_bytecode::{BytecodeError, disassemble};
use dev_trials::{Trial, trials_of};
use trace_base::error::{Classified, ErrorKind};

pub fn trials() -> Vec<Trial> {
    trials_of![
        versions_that_direct3d_9_lacks,
        ends_that_are_missing,
        lengths_that_leave_the_program,
        instructions_that_their_model_lacks,
        registers_that_their_model_lacks,
        operands_of_the_wrong_kind,
        numbers_that_mean_nothing,
        blocks_that_do_not_match,
        programs_beyond_the_budget,
        damaged_constant_tables,
    ]
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn error_of(bytes: &[u8]) -> BytecodeError {
    decode_at(0x1000, bytes).expect_err("this must not be read")
}

fn refused(program: &[u32], message: &str) {
    assert_eq!(error_of(&words(program)).to_string(), message, "{program:x?}");
}

/// The error of a text, which is assembled whether it makes sense or not.
fn refused_text(text: &str, message: &str) {
    assert_eq!(error_of(&assemble(text, Lengths::Microsoft)).to_string(), message, "{text}");
}

fn versions_that_direct3d_9_lacks() {
    for version in [0xfffe_0000, 0xfffe_0102, 0xffff_0105, 0xffff_0202, 0xfffe_0301, 0xffff_0400] {
        let message = format!("expected a version token of SM1 to SM5.0, found {version:#010x}, at 0x1000");
        refused(&[version, 0xffff], &message);
        assert!(error_of(&words(&[version, 0xffff])).kind() == ErrorKind::Unsupported, "{version:#x}");
    }
    for version in [0xfffe_0100, 0xfffe_0101, 0xffff_0104, 0xfffe_02ff, 0xffff_0201, 0xffff_03ff] {
        assert!(decode_at(0, &words(&[version, 0xffff])).is_ok(), "{version:#x}");
    }
}

fn ends_that_are_missing() {
    refused(&[], "header of the program: expected 4 more bytes, found 0, at 0x1000");
    refused(&[0xffff_0200], "expected the end token 0x0000ffff, found the end of the bytes, at 0x1004");
    refused(&[0xffff_0101, 0], "expected the end token 0x0000ffff, found the end of the bytes, at 0x1008");
    let mut cut = words(&[0xffff_0200, 0xffff]);
    cut.pop();
    assert_eq!(error_of(&cut).to_string(), "expected the end token 0x0000ffff, found the end of the bytes, at 0x1004");
    // What follows the end belongs to no program.
    let program = decode_at(0, &words(&[0xffff_0200, 0xffff, 0xdead_beef])).unwrap();
    assert_eq!(program.size_bytes(), 8);
}

fn lengths_that_leave_the_program() {
    refused(
        &[0xfffe_0200, 0x0200_0001, 0x800f_0000],
        "mov: expected to end within the program's 2 dwords, found a length of 3, at 0x1004",
    );
    refused(
        &[0xfffe_0101, 0x0000_0001, 0x800f_0000],
        "mov: expected another operand, found the instruction's end, at 0x100c",
    );
    // The next instruction stands where the second operand should.
    refused(
        &[0xfffe_0101, 0x0000_0001, 0x800f_0000, 0x0000_0000, 0xffff],
        "mov: expected another operand, found the instruction's end, at 0x100c",
    );
    // What stands behind the operands is passed over, as devices do, but only within the program.
    let long = decode_at(0, &words(&[0xfffe_0200, 0x0300_0001, 0x800f_0000, 0x80e4_0000, 0x80e4_0000, 0xffff]));
    assert_eq!(disassemble(&long.unwrap()), "vs_2_0\nmov r0, r0\n");
    refused(
        &[0xfffe_0200, 0x0500_0001, 0x800f_0000, 0x80e4_0000, 0x80e4_0000, 0xffff],
        "mov: expected to end within the program's 5 dwords, found a length of 6, at 0x1004",
    );
    // An index that the length leaves out.
    refused(
        &[0xfffe_0200, 0x0200_0001, 0x800f_0000, 0xa0e4_2000, 0xffff],
        "mov: expected a length of 3 dwords, found 2, at 0x1004",
    );
    refused(
        &[0xfffe_0200, 0x0003_fffe, 0, 0xffff],
        "comment: expected to end within the program's 2 dwords, found a length of 3, at 0x1004",
    );
    refused(
        &[0xfffe_0200, 0x0500_0051, 0xa00f_0000, 0, 0],
        "def: expected to end within the program's 4 dwords, found a length of 6, at 0x1004",
    );
}

fn instructions_that_their_model_lacks() {
    refused_text("ps_2_0\ndsx r0, r1", "expected an instruction of ps_2_0, found opcode 0x5b, at 0x1004");
    refused_text("vs_1_1\npow r0, r1.x, r1.x", "expected an instruction of vs_1_1, found opcode 0x20, at 0x1004");
    refused_text("ps_1_3\nphase", "expected an instruction of ps_1_3, found opcode 0xfffd, at 0x1004");
    refused_text("ps_1_4\ntexbem t1, t0", "expected an instruction of ps_1_4, found opcode 0x43, at 0x1004");
    refused_text("vs_3_0\ntexkill r0", "expected an instruction of vs_3_0, found opcode 0x41, at 0x1004");
    refused_text("vs_2_0\nsgn r0, r1", "sgn: expected another operand, found the instruction's end, at 0x1010");
    // Operands that a model has no use for are passed over.
    let long = decode_at(0, &assemble("vs_3_0\nnop\nsgn r0, r1, r2, r3", Lengths::Microsoft));
    assert_eq!(disassemble(&long.unwrap()), "vs_3_0\nnop\nsgn r0, r1\n");
}

fn registers_that_their_model_lacks() {
    refused_text("ps_1_1\nmov oC0, r0", "mov: expected a known type of register, found 8, at 0x1008");
    refused_text("ps_3_0\nmov r0, t0", "mov: expected a known type of register, found 3, at 0x100c");
    refused_text("vs_3_0\nmov oPos, r0", "mov: expected a known type of register, found 4, at 0x1008");
    refused_text("vs_2_0\nmov r0, c256", "c256: expected a register below 256, at 0x100c");
    refused_text("vs_2_0\nmov r0, c2049", "c2049: expected a register below 256, at 0x100c");
    refused_text("vs_2_0\nmov r32, c0", "r32: expected a register below 32, at 0x1008");
    refused_text("vs_2_0\nmov r0, v16", "v16: expected a register below 16, at 0x100c");
    refused_text("vs_2_0\nmov oT8, v0", "oT8: expected a register below 8, at 0x1008");
    refused_text("ps_3_0\ntexld r0, v0, s16", "s16: expected a register below 16, at 0x1010");
    refused_text("vs_2_0\nm4x4 r0, v0, c253", "c256: expected a register below 256, at 0x1004");
}

fn operands_of_the_wrong_kind() {
    refused_text("vs_2_0\nmov c0, r0", "mov: expected a register to write, found c, at 0x1008");
    refused_text("vs_2_0\nmov r0, b0", "mov: expected a register with a value, found b, at 0x100c");
    refused_text("ps_2_0\ntexld r0, t0, r1", "texld: expected a sampler, found r, at 0x1010");
    refused_text("vs_2_0\nrep c0\nendrep", "rep: expected an integer constant, found c, at 0x1008");
    refused_text("vs_2_0\nif c0\nendif", "if: expected a boolean constant or p0, found c, at 0x1008");
    refused_text("vs_2_0\ncall r0", "call: expected a label, found r, at 0x1008");
    refused_text("vs_2_x\nsetp_gt r0, r0, r1", "setp: expected p0 to write, found r, at 0x1008");
    refused_text("vs_2_0\nmov r0, v[a0.x]", "mov: expected a register that may be indexed, found v, at 0x100c");
    refused_text("ps_2_0\nmov r0, c[aL]", "mov: expected a register that may be indexed, found c, at 0x100c");
    refused_text("vs_2_0\nmov r0, c[r0.x]", "mov: expected a0 or aL as an index, found r, at 0x1010");
    refused_text("vs_2_0\ndcl_position r0", "dcl: expected a register that may be declared, found r, at 0x100c");
    refused_text("vs_2_0\ndefi c0, 1, 2, 3, 4", "defi: expected an integer constant, found c, at 0x1008");
    refused_text("vs_2_x\n(r0) mov r0, c0", "mov: expected p0, found r, at 0x100c");
    refused(
        &[0xfffe_0200, 0x0200_0001, 0x8000_0000, 0x80e4_0000, 0xffff],
        "mov: expected lanes to write, found none, at 0x1008",
    );
}

fn numbers_that_mean_nothing() {
    let mov = |result: u32, source: u32| [0xffff_0200, 0x0200_0001, 0x800f_0000 | result, 0x80e4_0000 | source, 0xffff];
    refused(&mov(0x0080_0000, 0), "mov: expected a known modifier of results, found 8, at 0x1008");
    refused(&mov(0x0400_0000, 0), "mov: expected a known shift, found 4, at 0x1008");
    refused(&mov(0, 0x0e00_0000), "mov: expected a known modifier of sources, found 14, at 0x100c");
    refused(&mov(0, 0x0000_1800), "mov: expected a known type of register, found 24, at 0x100c");
    refused(
        &[0xfffe_0300, 0x0200_0029, 0x80e4_0000, 0x80e4_0000, 0xffff],
        "ifc: expected a known comparison, found 0, at 0x1004",
    );
    refused(
        &[0xffff_0200, 0x0303_0042, 0x800f_0000, 0x80e4_0000, 0xa0e4_0800, 0xffff],
        "texld: expected a known texture read mode, found 3, at 0x1004",
    );
    refused(
        &[0xfffe_0200, 0x0200_001f, 0x8000_000e, 0x900f_0000, 0xffff],
        "dcl: expected a known usage, found 14, at 0x1008",
    );
    refused(
        &[0xffff_0200, 0x0200_001f, 0x8800_0000, 0xa00f_0800, 0xffff],
        "dcl: expected a known type of texture, found 1, at 0x1008",
    );
}

fn blocks_that_do_not_match() {
    refused_text("vs_2_0\nendif", "endif: expected within if, found no block, at 0x1004");
    refused_text("vs_2_0\nif b0\nendrep", "endrep: expected within rep, found if, at 0x100c");
    refused_text("vs_2_0\nrep i0", "rep: expected its closing instruction, found the end of the function, at 0x1004");
    refused_text(
        "vs_2_0\nif b0\nlabel l0",
        "if: expected its closing instruction, found the end of the \
        function, at 0x1004",
    );
    refused_text("vs_2_x\nbreak", "break: expected within loop or switch, found no block, at 0x1004");
}

fn programs_beyond_the_budget() {
    let nested = |depth: usize| format!("vs_2_0\n{}{}", "if b0\n".repeat(depth), "endif\n".repeat(depth));
    assert!(decode_at(0, &assemble(&nested(MAX_BYTECODE_NESTING), Lengths::Microsoft)).is_ok());
    let error = error_of(&assemble(&nested(MAX_BYTECODE_NESTING + 1), Lengths::Microsoft));
    assert_eq!(error.to_string(), "the shader's nesting is 129: this build's limit is 128, at 0x1404");
    assert!(error.kind() == ErrorKind::OverLimit);
    let most = MAX_BYTECODE_BYTES as usize;
    let mut largest = words(&[0xfffe_0101]);
    largest.resize(most - 4, 0);
    largest.extend(words(&[0xffff]));
    assert_eq!(decode_at(0, &largest).unwrap().instructions().len(), most / 4 - 2);
    largest.extend([0; 4]);
    let error = error_of(&largest);
    assert_eq!(error.to_string(), "the shader's bytecode is 4194308: this build's limit is 4194304, at 0x1000");
}

/// A table with one constant, whose numbers are changed one by one.
fn damaged_constant_tables() {
    let table = |change: (usize, u32)| {
        let mut table = [
            u32::from_le_bytes(*b"CTAB"),
            28,
            0,
            0xfffe_0300,
            1,
            28,
            0,
            0, // header; constants at 28
            64,
            0x0004_0002,
            2,
            48,
            0, // constant: name at 64, c4, two registers, type at 48
            0x0003_0002,
            0x0004_0004,
            1,
            0, // type: a matrix of floats in rows, 4 × 4
            u32::from_le_bytes(*b"wvp\0"),
        ];
        table[change.0] = change.1;
        let comment = (table.len() as u32) << 16 | 0xfffe;
        let bytes: Vec<u32> = [0xfffe_0300, comment].into_iter().chain(table).chain([0xffff]).collect();
        words(&bytes)
    };
    let read = |change| {
        let bytes = table(change);
        let program = decode_at(0x1000, &bytes).unwrap();
        let constants = ConstantTable::of(&program, &bytes)
            .unwrap()
            .and_then(|table| table.constants().collect::<Result<Vec<_>, _>>());
        constants.map(|constants| format!("{constants:?}")).unwrap_or_else(|error| error.to_string())
    };
    let whole = read((3, 0xfffe_0300));
    assert!(
        whole.contains("name: \"wvp\", set: Float, first: 4, count: 2") && whole.contains("rows: 4, columns: 4"),
        "{whole}"
    );
    assert_eq!(read((8, 68)), "name 0: expected its end within the chunk, at 0x1028");
    assert_eq!(read((9, 0x0004_0007)), "constant table: expected a known set of registers, found 7, at 0x1028");
    assert_eq!(read((13, 0x0003_0009)), "constant table: expected a known class, found 9, at 0x103c");
    assert_eq!(read((13, 0x0020_0002)), "constant table: expected a known type, found 32, at 0x103c");
    assert_eq!(read((11, 65)), "constant table: expected 4 more bytes, found 3, at 0x104d");
    assert_eq!(read((5, 0xffff_ffff)), "constant table: expected 4294967295 more bytes, found 68, at 0x100c");
    // Four billion constants end with the first that isn't there.
    assert!(read((4, u32::MAX)).contains("expected"));
}
