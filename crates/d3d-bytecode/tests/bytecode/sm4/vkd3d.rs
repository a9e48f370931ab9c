//! Our text beside vkd3d's for the same bytecode: `NAME.txt` was written by vkd3d 2.1 (`-b d3d-asm`) from `NAME.dxbc`.
//!
//! They may differ in spelling alone, as [`spelling`] lists it: where a number is written as an integer, a float or in
//! hexadecimal; names of a few instructions; commas; parts that vkd3d leaves out.

use std::fs;
use std::path::Path;

use super::covering::small_program;
use crate::corpus::{FOLDERS, shaders, vkd3d_texts};
use d3d_bytecode::{decode, disassemble};
use dev_d3d_assembler::sm4::assemble::assemble;
use dev_trials::{Failed, Trial};
use dev_trials::{is_blessing, root};

pub fn trials() -> Vec<Trial> {
    let paths = shaders(&root().join("fixtures/d3d/sm4"));
    assert!(paths.len() >= 8, "fixtures/d3d/sm4 must be there");
    let trial = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        Trial::test(format!("vkd3d/{name}"), move || same_text(&path))
    };
    let mut trials: Vec<Trial> = paths.into_iter().map(trial).collect();
    trials.extend(SMALL.map(|(name, profile, model)| {
        Trial::test(format!("vkd3d/bytecode_of_{name}"), move || bytecode_is_current(name, profile, model))
    }));
    let cases = root().join(FOLDERS[1]);
    let is_absent = !cases.is_dir();
    trials.push(Trial::test("vkd3d/cases", move || same_text_of_cases(&cases)).with_ignored_flag(is_absent));
    trials
}

/// Programs made of the tables, of which vkd3d has written the text.
const SMALL: [(&str, &str, (u8, u8)); 3] =
    [("every_4_0", "ps_4_0", (4, 0)), ("every_4_1", "ps_4_1", (4, 1)), ("every_5_0", "ps_5_0", (5, 0))];

/// `BLESS=1` writes the bytecode; the text is vkd3d's to write.
fn bytecode_is_current(name: &str, profile: &str, model: (u8, u8)) -> Result<(), Failed> {
    let bytes = assemble(&small_program(profile, model));
    let path = root().join("fixtures/d3d/sm4").join(format!("{name}.dxbc"));
    if is_blessing() {
        fs::write(&path, &bytes)?;
    }
    let found = fs::read(&path)?;
    if found == bytes {
        Ok(())
    } else {
        Err(format!("{} is not what the tables make; BLESS=1 writes it", path.display()).into())
    }
}

fn same_text(path: &Path) -> Result<(), Failed> {
    Ok(compare(&fs::read(path)?, &fs::read_to_string(path.with_extension("txt"))?).map(drop)?)
}

/// Compares our text of some bytecode with vkd3d's, line by line; says how many lines there are.
fn compare(bytes: &[u8], theirs: &str) -> Result<usize, String> {
    let program = decode(bytes, 0).map_err(|error| error.to_string())?;
    let text = disassemble(&program);
    let ours: Vec<&str> = text.lines().filter(|line| !line.starts_with('.')).collect();
    let theirs = join_constants(theirs);
    for (ours, theirs) in ours.iter().zip(&theirs) {
        let (our_words, their_words) = (spelling(ours), spelling(theirs));
        if our_words != their_words {
            return Err(format!("ours:   {ours}\nvkd3d:  {theirs}\n{our_words:?}\n{their_words:?}"));
        }
    }
    if ours.len() == theirs.len() {
        Ok(ours.len())
    } else {
        Err(format!("{} lines, vkd3d has {}", ours.len(), theirs.len()))
    }
}

/// The cases that lie beside the checkout. vkd3d has no text for three of them.
fn same_text_of_cases(folder: &Path) -> Result<(), Failed> {
    let texts = vkd3d_texts("cases.dxbc");
    let (mut lines, mut wrong) = (0, Vec::new());
    for (name, theirs) in &texts {
        match compare(&fs::read(folder.join(name))?, theirs) {
            Ok(count) => lines += count,
            Err(difference) => wrong.push(format!("{name}:\n{difference}")),
        }
    }
    let (found, without) = (shaders(folder).len(), ["sm4_alu_umad", "sm5_alu_uaddc", "sm5_alu_usubb"]);
    println!("{lines} lines of {} shaders", texts.len());
    assert_eq!(texts.len() + without.len(), found, "shaders, and texts of vkd3d");
    assert!(lines > 5000, "{lines} lines");
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n\n").into()) }
}

/// vkd3d writes a line a constant.
fn join_constants(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match lines.last_mut() {
            Some(last)
                if last.starts_with("dcl_immediateConstantBuffer") && !last.ends_with('}') || line.trim() == "}" =>
            {
                lines.last_mut().unwrap().push_str(line);
            }
            Some(last) if last.starts_with("dcl_immediateConstantBuffer") && line.starts_with('{') => {
                last.push_str(line)
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

/// Pairs of names that differ between the two.
const NAMES: &[(&str, &str)] = &[
    ("dcl_constantBuffer", "dcl_constantbuffer"),
    ("dcl_index_range", "dcl_indexRange"),
    ("dcl_gs_instances", "dcl_gsinstances"),
    ("comparisonMode", "mode_comparison"),
    ("breakp_", "breakc_"),
    ("retp_", "retc_"),
    ("continuep_", "continuec_"),
    ("callnz", "callc_nz"),
    ("primID", "vPrim"),
    // An interpolation goes without saying for values of the pipeline's.
    ("dcl_input_ps_sgv constant", "dcl_input_ps_sgv"),
    ("render_target_array_index", "rendertarget_array_index"),
    (", sample_index", ", sampleIndex"),
    ("vDomainLocation", "vDomain"),
    ("dcl_inputprimitive trianglelist", "dcl_inputprimitive triangle"),
    ("ld2dms", "ldms"),
    ("sample_info", "sampleinfo"),
    ("sample_pos", "samplepos"),
    ("dsx ", "deriv_rtx "),
    ("dsy ", "deriv_rty "),
];

/// The words of a line, as both would write them.
fn spelling(line: &str) -> Vec<String> {
    let mut line = line.trim().to_owned();
    for (theirs, ours) in NAMES {
        line = line.replace(theirs, ours);
    }
    // Types of what is read stand in the declaration as well; vkd3d leaves them out of instructions.
    let (head, rest) =
        line.split_once(' ').map_or((line.clone(), String::new()), |(head, rest)| (head.to_owned(), rest.to_owned()));
    let mut groups: Vec<&str> = head.split(['(', ')']).filter(|group| !group.is_empty()).collect();
    let is_declaration = head.starts_with("dcl_");
    if !is_declaration {
        groups.retain(|group| group.split(',').count() != 4);
    }
    let mut words: Vec<String> =
        groups.iter().map(|group| group.replace("_aoffimmi", "").replace(",stride=", "stride")).collect();
    // The order of what follows the name differs.
    if let Some((_, others)) = words.split_first_mut() {
        others.sort();
    }
    let name_and_form = words.remove(0).replace("_rcpFloat", "").replace("_uint", "");
    let form = ["_rcpFloat", "_uint"].iter().find(|form| line.contains(**form) && !is_declaration);
    words.retain(|word| !word.starts_with('_'));
    words.insert(0, name_and_form);
    words.extend(form.map(|form| (*form).to_owned()));
    words.extend(operand_words(
        &rest
            .replace(", mode_default", "")
            .replace("int,int,int,int", "sint,sint,sint,sint")
            .replace("ssint", "sint")
            .replace("usint", "uint"),
    ));
    words
}

/// Words between commas, spaces and brackets; immediate values as bits.
fn operand_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut is_immediate = false;
    for word in text.split_inclusive([' ', ',', '(', ')', '{', '}', '[', ']']) {
        let (word, end) =
            word.split_at(word.len() - usize::from(word.ends_with([' ', ',', '(', ')', '{', '}', '[', ']'])));
        if is_immediate && !word.is_empty() {
            words.push(bits(word));
        } else if !word.is_empty() {
            words.push(one_letter(word));
        }
        match end {
            "(" => is_immediate = matches!(word, "l" | "d"),
            "{" => is_immediate = true,
            ")" | "}" => is_immediate = false,
            _ => {}
        }
    }
    words
}

/// vkd3d writes four times the same lane as one.
fn one_letter(word: &str) -> String {
    let repeated = [".xxxx", ".yyyy", ".zzzz", ".wwww"].into_iter().find(|lanes| word.contains(lanes));
    repeated.map_or_else(|| word.to_owned(), |lanes| word.replace(lanes, &lanes[..2]))
}

fn bits(word: &str) -> String {
    // vkd3d marks doubles by a letter.
    let word = word.strip_suffix('l').unwrap_or(word);
    if let Some(hex) = word.strip_prefix("0x") {
        return format!("{:#x}", u64::from_str_radix(hex, 16).unwrap());
    }
    match word.parse::<i64>() {
        Ok(integer) => format!("{:#x}", integer as u32),
        Err(_) => word.parse::<f32>().map_or_else(|_| word.to_owned(), |float| format!("{:#x}", float.to_bits())),
    }
}
