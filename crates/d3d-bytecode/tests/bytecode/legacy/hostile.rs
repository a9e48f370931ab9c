//! Every prefix and every changed byte of many programs: a program or an error that says where, never more.

use std::fs;
use std::path::PathBuf;

use super::{Lengths, MODELS, assemble, decode_at, decoded, fixture, shared};
use d3d_bytecode::{SourceNames, disassemble};
use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of![every_prefix_is_refused, every_changed_byte_is_read_or_refused];
    let of_cases: Vec<Trial> = trials_of![sixty_of_the_cases];
    trials.extend(of_cases.into_iter().map(|trial| trial.with_ignored_flag(shared("dxbc").is_none())));
    trials
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
            let bits = [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80].map(|bit| whole ^ bit);
            for changed in [0, 0xff, !whole].into_iter().chain(bits) {
                program[at] = changed;
                let is_read = is_read_or_refused(&program);
                (read, refused) = (read + u32::from(is_read), refused + u32::from(!is_read));
            }
            program[at] = whole;
        }
    }
    assert!(read > 10_000 && refused > 10_000, "{read} read, {refused} refused");
}

/// Sixty of the cases that lie beside the checkout: every prefix, and a bit of every byte.
fn sixty_of_the_cases() {
    let mut files: Vec<PathBuf> =
        fs::read_dir(shared("dxbc").unwrap()).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "d3dbc"));
    files.sort();
    let step = files.len() / 60;
    let sixty: Vec<PathBuf> = files.into_iter().step_by(step).take(60).collect();
    assert_eq!(sixty.len(), 60);
    for path in sixty {
        let mut bytes = fs::read(path).unwrap();
        let end = decoded(&bytes).size_bytes() as usize;
        (0..end).for_each(|length| assert!(!is_read_or_refused(&bytes[..length]), "a prefix of {length} bytes"));
        for at in 0..bytes.len() {
            let whole = bytes[at];
            bytes[at] = whole ^ [1, 0x10, 0x80, 0xff, 0x04][at % 5];
            is_read_or_refused(&bytes);
            bytes[at] = whole;
        }
    }
}

/// Whether bytes are a program; whatever is wrong with them, or with the names in them, has a place among them.
fn is_read_or_refused(bytes: &[u8]) -> bool {
    match decode_at(FILE_OFFSET, bytes) {
        Ok(decoded) => {
            assert!(!disassemble(&decoded).is_empty());
            match SourceNames::of(&decoded, bytes, FILE_OFFSET) {
                Ok(names) => assert!(names.slots.len() <= bytes.len()),
                Err(error) => assert_within(&error.to_string(), bytes.len()),
            }
            true
        }
        Err(error) => {
            assert_within(&error.to_string(), bytes.len());
            false
        }
    }
}

/// The message ends with an offset of the program's.
fn assert_within(message: &str, length: usize) {
    let offset = message.rsplit("at 0x").next().and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let offset = offset.unwrap_or_else(|| panic!("{message}"));
    assert!((FILE_OFFSET..=FILE_OFFSET + length as u64).contains(&offset), "{message}: {length} bytes");
}
