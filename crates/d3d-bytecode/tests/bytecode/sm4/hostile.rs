//! Damaged bytecode gives a program or an error that says where, and nothing else.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::covering::programs;
use crate::corpus::{FOLDERS, shaders};
use d3d_bytecode::{BytecodeError, Program, decode, disassemble};
use dev_d3d_assembler::sm4::assemble::assemble;
use dev_d3d_assembler::sm4::container::pack;
use dev_trials::root;
use dev_trials::{Trial, trials_of};
use trace_base::error::Classified;

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of!(
        every_prefix_of_ours,
        every_changed_byte_of_ours,
        nesting_is_bounded,
        indices_nest_boundedly,
        blocks_are_held_together,
        sizes_are_bounded,
        the_emulators_declarations_are_looked_up_at_once,
        deep_blocks_make_no_long_text,
        signatures_are_bounded,
        registers_are_bounded,
        errors_have_the_offset_in_the_file,
        models_and_instructions_that_nobody_knows,
    );
    let folder = root().join(FOLDERS[1]);
    let is_absent = !folder.is_dir();
    trials.push(
        Trial::test("hostile/sixty_of_the_cases", || {
            let all = shaders(&root().join(FOLDERS[1]));
            let step = all.len() / 60;
            let sixty: Vec<PathBuf> = all.into_iter().step_by(step).take(60).collect();
            assert_eq!(sixty.len(), 60);
            for path in sixty {
                let bytes = fs::read(path)?;
                damage(&bytes);
            }
            Ok(())
        })
        .with_ignored_flag(is_absent),
    );
    trials
}

/// Where shaders lie in these tests' files.
const OFFSET: u64 = 0x1000;

fn try_decode(bytes: &[u8]) -> Result<Program, BytecodeError> {
    let result = decode(bytes, OFFSET);
    match &result {
        Ok(program) => {
            let text = disassemble(program);
            // A line has no more than the instruction limits of its tokens.
            assert!(text.len() < 4096 + bytes.len() * 40, "{} bytes of text of {}", text.len(), bytes.len());
        }
        Err(error) => {
            let offset = error.offset().unwrap();
            assert!((OFFSET..=OFFSET + bytes.len() as u64).contains(&offset), "{error}");
            assert!(error.to_string().ends_with(&format!(", at {offset:#x}")), "{error}");
        }
    }
    result
}

fn damage(bytes: &[u8]) {
    for end in 0..bytes.len() {
        assert!(try_decode(&bytes[..end]).is_err(), "a prefix of {end} bytes");
    }
    let mut bytes = bytes.to_vec();
    for at in 0..bytes.len() {
        let byte = bytes[at];
        bytes[at] = byte ^ [1, 0x10, 0x80, 0xff, 0x04][at % 5];
        // Whether it is still a program or an error, what is said of it is checked.
        drop(try_decode(&bytes));
        bytes[at] = byte;
    }
}

fn ours() -> impl Iterator<Item = Vec<u8>> {
    shaders(&root().join("fixtures/d3d/sm4")).into_iter().map(|path| fs::read(path).unwrap())
}

fn every_prefix_of_ours() {
    for bytes in ours() {
        for end in 0..bytes.len() {
            assert!(try_decode(&bytes[..end]).is_err(), "a prefix of {end} bytes");
        }
    }
}

fn every_changed_byte_of_ours() {
    for bytes in ours().filter(|bytes| bytes.len() < 3000) {
        damage(&bytes);
    }
    let dialect = programs().into_iter().find(|(name, _)| *name == "emulator").unwrap().1;
    let begin: Vec<&str> = dialect.lines().take(120).filter(|line| !line.contains("endif")).collect();
    let without_blocks: Vec<&str> = begin.into_iter().filter(|line| !line.starts_with("if_")).collect();
    damage(&assemble(&without_blocks.join("\n")));
}

fn error(text: &str) -> String {
    try_decode(&assemble(text)).unwrap_err().to_string()
}

fn nesting_is_bounded() {
    let nested = |depth: usize| format!("ps_4_0\n{}{}ret\n", "if_nz l(1)\n".repeat(depth), "endif\n".repeat(depth));
    assert!(try_decode(&assemble(&nested(128))).is_ok());
    assert_eq!(error(&nested(129)), "the shader's nesting is 129: this build's limit is 128, at 0x1608");
}

fn indices_nest_boundedly() {
    let nested = |depth: usize| {
        let index = (0..depth).fold("r0.x".to_owned(), |index, _| format!("x0[{index} + 0].x"));
        format!("ps_4_0\nmov r0.xyzw, {index}\nret\n")
    };
    assert!(try_decode(&assemble(&nested(8))).is_ok());
    assert_eq!(error(&nested(9)), "the shader's nesting of indices is 9: this build's limit is 8, at 0x105c");
}

fn blocks_are_held_together() {
    for (text, message) in [
        ("ps_4_0\nendif\nret\n", "endif: expected within if, found no block, at 0x1008"),
        ("ps_4_0\nloop\nendif\nret\n", "endif: expected within if, found loop, at 0x100c"),
        ("ps_4_0\nif_z r0.x\nelse\nelse\nendif\nret\n", "else: expected within if, found else, at 0x1018"),
        ("ps_4_0\nbreak\nret\n", "break: expected within loop or switch, found no block, at 0x1008"),
        ("ps_4_0\nif_nz r0.x\nret\n", "if: expected its closing instruction, found the end of the function, at 0x1008"),
        (
            "ps_4_0\nloop\nlabel l0\nret\n",
            "loop: expected its closing instruction, found the end of the \
            function, at 0x1008",
        ),
    ] {
        assert_eq!(error(text), message, "{text}");
    }
}

fn sizes_are_bounded() {
    // A length that counts more than there is.
    let mut bytes = assemble("ps_4_0\nret\n");
    bytes[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(
        try_decode(&bytes).unwrap_err().to_string(),
        "length of the program in dwords: expected at least 2, and at most the dwords that follow, found \
            4294967295, at 0x1004"
    );
    // More than the budget, all of it sound.
    let ret = 0x0100_003e_u32;
    let count = (4 << 18) + 1;
    let words = [0x40, count].into_iter().chain(std::iter::repeat_n(ret, count as usize - 2));
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let started = Instant::now();
    assert_eq!(
        try_decode(&bytes).unwrap_err().to_string(),
        "the shader's bytecode is 4194308: this build's limit is 4194304, at 0x1000"
    );
    // The largest that is taken is taken in no time.
    let words = [0x40, count - 1].into_iter().chain(std::iter::repeat_n(ret, count as usize - 3));
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    assert_eq!(decode(&bytes, 0).unwrap().instructions().len(), count as usize - 3);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    // A container of too many chunks.
    let mut bytes = pack(&[(*b"SHDR", assemble("ps_4_0\nret\n"))]);
    bytes[28..32].copy_from_slice(&5000_u32.to_le_bytes());
    assert_eq!(
        try_decode(&bytes).unwrap_err().to_string(),
        "the shader's number of chunks is 5000: this build's limit is 4096, at 0x101c"
    );
}

/// Half a program of declarations, and half of instructions whose meaning depends on them.
fn the_emulators_declarations_are_looked_up_at_once() {
    let (declared, stored) =
        ("dcl_uav_typed_texture2d (float,float,float,float) u1", "store_uav_typed u0.xyzw, r0.xyzw, r1.xyzw");
    let words = |text: &str| {
        let bytes = assemble(&format!("cs_5_0\n.dialect emulator\n{text}\n"));
        bytes[8..].to_vec()
    };
    let (declared, stored) = (words(declared), words(stored));
    let mut body = Vec::new();
    (0..50_000).for_each(|_| body.extend(&declared));
    (0..50_000).for_each(|_| body.extend(&stored));
    let count = (body.len() / 4 + 2) as u32;
    let bytes = [&0x0005_0050_u32.to_le_bytes()[..], &count.to_le_bytes(), &body].concat();
    assert!(bytes.len() > 2 << 20, "{}", bytes.len());
    let started = Instant::now();
    let program = decode(&bytes, 0).unwrap();
    assert_eq!((program.declarations().len(), program.instructions().len()), (50_000, 50_000));
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

fn deep_blocks_make_no_long_text() {
    let text = format!("ps_4_0\n{}{}{}", "if_nz l(1)\n".repeat(128), "nop\n".repeat(100_000), "endif\n".repeat(128));
    let bytes = assemble(&text);
    let shown = disassemble(&decode(&bytes, 0).unwrap());
    assert!(shown.len() < 10 * bytes.len(), "{} bytes of text of {}", shown.len(), bytes.len());
    assert!(shown.contains("\n    if_nz l(1)\n"), "blocks are indented");
}

fn signatures_are_bounded() {
    let with = |signature: Vec<u8>| pack(&[(*b"ISGN", signature), (*b"SHDR", assemble("ps_4_0\nret\n"))]);
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    assert_eq!(
        try_decode(&with(words(&[513, 8]))).unwrap_err().to_string(),
        "the shader's number of elements of a signature is 513: this build's limit is 512, at 0x1030"
    );
    assert_eq!(
        try_decode(&with(words(&[1, 4]))).unwrap_err().to_string(),
        "offset of a signature's elements: expected from 8 on, within the chunk, found 4, at 0x1034"
    );
    // A name as long as the chunk, shared by all.
    let mut bomb = words(&[2, 8]);
    for _ in 0..2 {
        bomb.extend(words(&[56, 0, 0, 3, 0, 0xf]));
    }
    bomb.extend([b'A'; 2000]);
    bomb.push(0);
    assert_eq!(
        try_decode(&with(bomb)).unwrap_err().to_string(),
        "the shader's semantic is 2000: this build's limit is 1024, at 0x1050"
    );
    assert_eq!(
        try_decode(&with(words(&[1, 8, 99, 0, 0, 3, 0, 0xf]))).unwrap_err().to_string(),
        "name 0: expected its end within the chunk, at 0x1050"
    );
}

fn registers_are_bounded() {
    for (text, message) in [
        ("ps_4_0\nmov o32.x, l(1)\nret\n", "o32: expected a register below 32, at 0x100c"),
        ("ps_4_0\nmov r0.x, cb16[0].x\nret\n", "cb16: expected a register below 16, at 0x1014"),
        ("ps_4_0\nld r0.xyzw, r1.xyzw, t128.xyzw\nret\n", "t128: expected a register below 128, at 0x101c"),
        ("ps_4_0\ndcl_indexRange v30.xyzw, 3\nret\n", "v33: expected a register below 32, at 0x1008"),
        ("ps_4_0\nmov r0.x, s0\nret\n", "mov: expected a value, found s, at 0x1014"),
        ("ps_4_0\nmov cb0[0].x, r0.x\nret\n", "mov: expected a register to write, found cb, at 0x100c"),
        ("ps_4_0\nmov r0.x, r0[1].x\nret\n", "r: expected one indices, found 2, at 0x1014"),
        (
            "ps_4_0\nmov r0.x, x0[l(4) + 0].x\nret\n",
            "mov: expected a register as an index, found an immediate value, at 0x101c",
        ),
    ] {
        assert_eq!(error(text), message, "{text}");
    }
}

fn errors_have_the_offset_in_the_file() {
    let program = assemble("ps_4_0\nmov r0.x, r1.x\nret\n");
    let changed = |at: usize, word: u32| {
        let mut bytes = program.clone();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        try_decode(&bytes).unwrap_err().to_string()
    };
    // The dword behind the operands is passed over, and with it the end of the program.
    let mut long = program.clone();
    long[8..12].copy_from_slice(&0x0600_0036_u32.to_le_bytes());
    assert_eq!(try_decode(&long).unwrap().instructions().len(), 1);
    assert_eq!(changed(8, 0x0400_0036), "mov: expected another operand, found the instruction's end, at 0x1018");
    assert_eq!(
        changed(8, 0x7f00_0036),
        "mov: expected to end within the program's 6 dwords, found a length of 127, at 0x1008"
    );
    assert_eq!(changed(12, 0x0010_0013), "mov: expected a known number of lanes, found 3, at 0x100c");
    assert_eq!(changed(20, 0x001f_e00a), "mov: expected a known kind of register, found 254, at 0x1014");
}

fn models_and_instructions_that_nobody_knows() {
    let mut bytes = assemble("ps_5_0\nret\n");
    bytes[0] = 0x51;
    assert_eq!(
        try_decode(&bytes).unwrap_err().to_string(),
        "expected a version token of SM1 to SM5.0, found 0x00000051, at 0x1000"
    );
    bytes[0] = 0x60;
    assert_eq!(
        try_decode(&bytes).unwrap_err().to_string(),
        "expected Direct3D bytecode (DXBC, or a version token of SM1 to SM5), found 0x00000060, at 0x1000"
    );
    let mut bytes = assemble("ps_5_0\nret\n");
    bytes[8] = 112;
    assert_eq!(
        try_decode(&bytes).unwrap_err().to_string(),
        "expected an instruction of ps_5_0, found opcode 0x70, at 0x1008"
    );
    assert_eq!(
        try_decode(b"").unwrap_err().to_string(),
        "header of the program: expected 4 more bytes, found 0, at 0x1000"
    );
    let empty = pack(&[(*b"STAT", vec![])]);
    assert_eq!(
        try_decode(&empty).unwrap_err().to_string(),
        "expected a chunk SHEX or SHDR with a program, found 1 other chunks, at 0x1000"
    );
}
