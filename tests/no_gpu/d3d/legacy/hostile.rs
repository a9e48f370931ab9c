//! Every prefix and every changed byte of many programs: a program or an error that says where, never more.

use super::{Lengths, MODELS, assemble, decode_at, decoded, fixture};
use crate::support::harness::{Trial, trials_of};
use aerogpu_replay::shader::d3d::{disassemble, legacy::ConstantTable};

pub fn trials() -> Vec<Trial> {
    trials_of![every_prefix_is_refused, every_changed_byte_is_read_or_refused]
}

const FILE_OFFSET: u64 = 0x10_0000;

/// Some thirty programs of a few hundred bytes, which between them have all declarations and instructions.
fn programs() -> Vec<Vec<u8>> {
    let mut programs = Vec::new();
    for model in MODELS {
        let text = disassemble(&decoded(&fixture(&format!("{model}.d3dbc"))));
        let lines: Vec<&str> = text.lines().skip(1).map(str::trim).collect();
        // Straight lines may be taken out of their places, blocks not.
        let straight: Vec<&str> =
            lines.iter().copied().filter(|line| !line.contains("aL") && !is_block(line)).collect();
        for part in straight.chunks(straight.len().div_ceil(3)) {
            let chosen: Vec<&str> = part.iter().copied().step_by(part.len().div_ceil(16)).collect();
            let text = format!("{model}\n{}\n", chosen.join("\n"));
            programs.push(assemble(&text, Lengths::Microsoft));
            if ["vs_2_0", "ps_2_x", "ps_3_0"].contains(&model) {
                programs.push(assemble(&text, Lengths::Total));
            }
        }
    }
    let blocks = "vs_3_0\ndcl_texcoord v0\nif b0\nloop aL, i0\nmov r0, c[aL + 2]\nif_gt r0.x, r0.y\nbreak\nendif\nendloop\n\
                  else\nrep i1\nsetp_ge p0, r0, r1\n(p0) mov o[a0.x], v[aL]\nbreakp !p0.x\nendrep\nendif\ncallnz l0, b1\nret\n\
                  label l0\nmova a0, v0\nret\n";
    programs.push(assemble(blocks, Lengths::Microsoft));
    programs.push(assemble(blocks, Lengths::Total));
    let mut commented = assemble("ps_2_0\nmov oC0, c0\n", Lengths::Microsoft);
    let table = [
        u32::from_le_bytes(*b"CTAB"),
        28,
        0,
        0xffff_0200,
        1,
        28,
        0,
        0,
        64,
        0x0000_0002,
        1,
        48,
        0,
        0x0003_0001,
        0x0004_0001,
        1,
        0,
        u32::from_le_bytes(*b"abc\0"),
    ];
    let comment = (table.len() as u32) << 16 | 0xfffe;
    let table: Vec<u8> = std::iter::once(comment).chain(table).flat_map(u32::to_le_bytes).collect();
    commented.splice(4..4, table);
    programs.push(commented);
    programs
}

fn is_block(line: &str) -> bool {
    ["if", "else", "endif", "rep", "endrep", "loop", "endloop", "break", "label"]
        .iter()
        .any(|word| line.split([' ', '_']).next().unwrap().starts_with(word))
}

fn every_prefix_is_refused() {
    let programs = programs();
    assert!(programs.len() >= 30, "{} programs", programs.len());
    for program in &programs {
        decoded(program);
        for length in 0..program.len() {
            let error = decode_at(FILE_OFFSET, &program[..length]).expect_err("the end token is missing");
            assert_within(&error.to_string(), length);
        }
    }
}

fn every_changed_byte_is_read_or_refused() {
    let (mut read, mut refused) = (0, 0);
    for mut program in programs() {
        for at in 0..program.len() {
            let whole = program[at];
            for changed in [
                0,
                0xff,
                !whole,
                whole ^ 1,
                whole ^ 2,
                whole ^ 4,
                whole ^ 8,
                whole ^ 0x10,
                whole ^ 0x20,
                whole ^ 0x40,
                whole ^ 0x80,
            ] {
                program[at] = changed;
                match decode_at(FILE_OFFSET, &program) {
                    Ok(decoded) => {
                        assert!(!disassemble(&decoded).is_empty());
                        let table = ConstantTable::of(&decoded, &program);
                        if let Some(Ok(table)) = table {
                            assert!(table.constants().count() <= program.len());
                        }
                        read += 1;
                    }
                    Err(error) => {
                        assert_within(&error.to_string(), program.len());
                        refused += 1;
                    }
                }
            }
            program[at] = whole;
        }
    }
    assert!(read > 10_000 && refused > 10_000, "{read} read, {refused} refused");
}

/// The message ends with an offset of the program's.
fn assert_within(message: &str, length: usize) {
    let offset = message.rsplit("at 0x").next().and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let offset = offset.unwrap_or_else(|| panic!("{message}"));
    assert!((FILE_OFFSET..=FILE_OFFSET + length as u64).contains(&offset), "{message}: {length} bytes");
}
