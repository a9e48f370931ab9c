//! Assembly as people edit it: what is wrong is told by line and column, and no text does harm.

use std::fs;

use crate::corpus::shaders;
use d3d_bytecode::{AssemblyError, Container, assemble, decode, disassemble};
use dev_trials::Trial;
use dev_trials::random::Random;
use dev_trials::root;

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 4] = [
        ("edited/mistakes_are_told_by_place", mistakes_are_told_by_place),
        ("edited/people_leave_out_what_goes_without_saying", people_leave_out_what_goes_without_saying),
        ("edited/a_container_has_its_digest", a_container_has_its_digest),
        ("edited/damaged_texts_are_errors", damaged_texts_are_errors),
    ];
    let trial = |(name, test): (&str, fn())| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    tests.map(trial).into()
}

/// A pixel shader around these lines.
fn pixel(lines: &str) -> String {
    let head = "ps_5_0\n.output\n.param \"SV_Target\"[0].xyzw, o0.xyzw, float, target\n.text\n";
    format!("{head}dcl_output o0.xyzw\ndcl_temps 2\n{lines}\nret\n")
}

/// Where the lines of [`pixel`] begin.
const FIRST: u32 = 7;

fn mistakes_are_told_by_place() {
    let (line, last) = (FIRST, FIRST + 1);
    let cases = [
        (
            "add r0.xyzw, r1.xyzw",
            format!("line {line}, column 1: expected another operand, found add r0.xyzw, r1.xyzw"),
        ),
        (
            "mov r0.xyzw, r1.xyzw, r1.xyzw",
            format!("line {line}, column 23: expected no further operand, found r1.xyzw"),
        ),
        ("mvo r0.xyzw, r1.xyzw", format!("line {line}, column 1: expected an instruction, found mvo")),
        ("nop\nmov r0.xyzw, q1.xyzw", format!("line {last}, column 14: expected a register or l(…), found q1.xyzw")),
        (
            "mov r0.yx, r1.xyzw",
            format!("line {line}, column 8: expected lanes in the order of xyzw, each once, found yx"),
        ),
        ("mov r0.xyzw, r1.xy", format!("line {line}, column 17: expected one lane, or four, found xy")),
        ("mov r0.xyzw, l(1.0, 2.0)", format!("line {line}, column 21: expected one value, or four, found 2.0")),
        ("mov r0.xyzw, l(inf)", format!("line {line}, column 16: expected a number of 32 bits, found inf")),
        (
            "mov r0.xyzw, |r1.xyzw",
            format!("line {line}, column 14: expected another | after the operand, found |r1.xyzw"),
        ),
        (
            "if r0.x",
            format!(
                "line {line}, column 1: expected _z or _nz on an instruction that tests a value, and only \
                    there, found if"
            ),
        ),
        ("ret_sat", format!("line {line}, column 1: expected no _sat: the instruction has no result, found ret_sat")),
        ("dcl_inputs v0.xyzw", format!("line {line}, column 1: expected a declaration, found dcl_inputs")),
        (
            "dcl_sampler s0, mode",
            format!("line {line}, column 17: expected mode_default, mode_comparison or mode_mono, found mode"),
        ),
        ("mov x0[r0.x + 1][0].x, r1.x]", format!("line {line}, column 27: expected letters of xyzw, found x]")),
    ];
    for (text, expected) in cases {
        let error = assemble(&pixel(text)).map(drop).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
    // What has a shader's form and is none: the line, and what the decoder says.
    let error = assemble(&pixel("nop\nendif")).map(drop).unwrap_err();
    assert!(matches!(error, AssemblyError::Refused { line, .. } if line == last), "{error:?}");
    let error = assemble(&pixel("mov r0.xyzw, cb99[0].xyzw")).map(drop).unwrap_err();
    assert!(matches!(error, AssemblyError::Refused { line, .. } if line == FIRST), "{error:?}");
    assert_eq!(
        assemble("").map(drop).unwrap_err().to_string(),
        "line 1, column 1: expected a model, such as ps_5_0, found nothing"
    );
}

fn people_leave_out_what_goes_without_saying() {
    let terse = pixel("// a comment\n  mov r0, cb0[2] // another\nmad_sat o0.xyz, r0, l(0.5), -|r1|");
    let full = pixel("mov r0.xyzw, cb0[2].xyzw\nmad_sat o0.xyz, r0.xyzw, l(0.5), -|r1.xyzw|");
    assert_eq!(assemble(&terse).unwrap().0, assemble(&full).unwrap().0);
}

fn a_container_has_its_digest() {
    let (bytes, _) = assemble(&pixel("mov o0.xyzw, l(1.0, 0, 0, 1.0)")).unwrap();
    let container = Container::parse(&bytes, 0).unwrap();
    assert_eq!(container.digest(), container.computed_digest());
    assert_eq!(decode(&bytes, 0).unwrap().signatures().output.len(), 1);
}

/// Each line of ours, with a piece left out, doubled, or from another line: a value, or an error with a line of the text.
fn damaged_texts_are_errors() {
    let mut random = Random::new(18);
    let (mut refused, mut taken) = (0, 0);
    for path in shaders(&root().join("fixtures/d3d/sm4")) {
        let Ok(program) = decode(&fs::read(&path).unwrap(), 0) else { continue };
        if program.version().is_d3d9() {
            continue;
        }
        let text = disassemble(&program);
        let letters: Vec<char> = text.chars().collect();
        for _ in 0..40 {
            let mut damaged = letters.clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(damaged.len() as u32) as usize;
                let end = (at + random.below(6) as usize).min(damaged.len());
                match random.below(3) {
                    0 => drop(damaged.drain(at..end)),
                    1 => {
                        let piece: Vec<char> = damaged[at..end].to_vec();
                        damaged.splice(at..at, piece);
                    }
                    _ => damaged[at] = letters[random.below(letters.len() as u32) as usize],
                }
            }
            let damaged: String = damaged.into_iter().collect();
            match assemble(&damaged) {
                Ok(_) => taken += 1,
                Err(error) => {
                    refused += 1;
                    let lines = damaged.lines().count() as u32;
                    let place = error.place().map(|(line, _)| line);
                    assert!(place.is_some_and(|line| (1..=lines.max(1)).contains(&line)), "{error}\n{damaged}");
                }
            }
        }
    }
    assert!(refused > 100 && taken > 10, "{refused} refused, {taken} taken");
    for hostile in
        ["[".repeat(100_000), format!("x0[{}", "x0[".repeat(50_000)), "l(".repeat(50_000), "-".repeat(100_000)]
    {
        let _ = assemble(&pixel(&format!("mov r0.xyzw, {hostile}"))).map(drop).unwrap_err();
    }
}
