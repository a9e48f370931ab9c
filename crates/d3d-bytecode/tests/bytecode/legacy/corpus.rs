//! Every instruction of every model, with every modifier and declaration, against vkd3d's text for the same bytes.
//!
//! Where vkd3d spells otherwise, its text is respelled before it is compared:
//!
//! | vkd3d 2.1 | here | |
//! |---|---|---|
//! | `ps_2_1` | `ps_2_x` | |
//! | `def c4 = 2.5e-01, …` | `def c4, 0.25, …` | the shortest digits that give the same float |
//! | `mov r0.xyzw, v0.xyzw` | `mov r0, v0` | all lanes in order go without saying |
//! | `v0.xyzz` | `v0.xyz` | and so does the last lane's repetition |
//! | `c[a.xyzw + 3]`, `c[aL0.x + 0]` | `c[a0.x + 3]`, `c[aL]` | |
//! | `\|r0\|` | `r0_abs` | |
//! | `if_nz b0`, `breakp_nz p0` | `if b0`, `breakp p0` | |
//! | `+add` | `+ add` | |
//! | `dcl_position0 v0`, `dcl_weight`, `dcl_specular0` | `dcl_position v0.xy`, `dcl_blendweight`, `dcl_color1` | no mask, and no number where it takes it for 0 |
//! | `setp p0` | `setp_gt p0` | it leaves the comparison out |
//! | `texkill t1.xyzx` | `texkill t1.xyz` | a mask, which it shows as a swizzle |

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::{Lengths, MODELS, assert_symmetric, decoded, fixture, shared};
use crate::corpus::vkd3d_texts;
use d3d_bytecode::{Dialect, disassemble};
use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of![vkd3d_reads_the_same, texts_assemble_to_the_same_programs];
    let of_cases: Vec<Trial> = trials_of![vkd3d_reads_the_same_in_the_cases];
    trials.extend(of_cases.into_iter().map(|trial| trial.with_ignored_flag(shared("dxbc").is_none())));
    trials
}

fn vkd3d_reads_the_same() {
    let mut compared = 0;
    for model in MODELS {
        let judge = String::from_utf8(fixture(&format!("{model}.vkd3d.txt"))).unwrap();
        compared += compare(model, &fixture(&format!("{model}.d3dbc")), &judge);
    }
    assert!(compared > 1500, "{compared} lines");
}

/// The cases that lie beside the checkout, but for those in the dialect that vkd3d doesn't know.
fn vkd3d_reads_the_same_in_the_cases() {
    let (folder, texts) = (shared("dxbc").unwrap(), vkd3d_texts("cases.d3dbc"));
    let lines: usize =
        texts.iter().map(|(name, judge)| compare(name, &fs::read(folder.join(name)).unwrap(), judge)).sum();
    println!("{lines} lines of {} shaders", texts.len());
    let is_read = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // `breakp` outside of `loop` is in no text of vkd3d's.
        let is_compared = name.ends_with(".d3dbc") && name != "sm30_ps_breakp.ps.d3dbc";
        is_compared && decoded(&fs::read(path).unwrap()).dialect() == Dialect::Microsoft
    };
    let files: Vec<PathBuf> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(is_read).collect();
    let missing: Vec<&PathBuf> =
        files.iter().filter(|path| !texts.contains_key(&*path.file_name().unwrap().to_string_lossy())).collect();
    assert!(missing.is_empty() && lines > 1300, "{missing:?}, {lines} lines");
}

/// Compares our text of some tokens with vkd3d's, line by line; says how many lines there are.
pub fn compare(name: &str, bytes: &[u8], judge: &str) -> usize {
    let text = disassemble(&decoded(bytes));
    let ours: Vec<&str> =
        text.lines().filter(|line| !line.starts_with(".dialect ") && !line.starts_with(".producer ")).collect();
    let theirs: Vec<&str> = judge.lines().collect();
    assert_eq!(ours.len(), theirs.len(), "{name}: lines");
    for (position, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let (left, right) = (left_out(ours), respelled(theirs));
        assert_eq!(left, right, "{name}, line {}: {ours} is {theirs}", position + 1);
    }
    ours.len()
}

fn texts_assemble_to_the_same_programs() {
    for model in MODELS {
        assert_symmetric(model, &fixture(&format!("{model}.d3dbc")), Lengths::Microsoft);
    }
}

/// Our line, without what vkd3d doesn't say.
fn left_out(line: &str) -> String {
    let line = line.trim();
    let (head, operands) = line.split_once(' ').unwrap_or((line, ""));
    if head.starts_with("dcl") {
        return format!("{} {}", declared(head), operands.split('.').next().unwrap());
    }
    if let Some(comparison) = line.strip_prefix("setp_") {
        return format!("setp {}", comparison.split_once(' ').unwrap().1);
    }
    line.to_owned()
}

/// A declaration without the numbers that vkd3d leaves out.
fn declared(head: &str) -> String {
    const WITHOUT_NUMBERS: [&str; 9] =
        ["blendweight", "blendindices", "psize", "tangent", "binormal", "tessfactor", "fog", "depth", "sample"];
    let mut parts: Vec<String> = head.split('_').map(str::to_owned).collect();
    if let Some(usage) = parts.get_mut(1) {
        let name = usage.trim_end_matches(|letter: char| letter.is_ascii_digit());
        if WITHOUT_NUMBERS.contains(&name) {
            *usage = name.to_owned();
        }
    }
    parts.join("_")
}

/// vkd3d's line in our spelling.
fn respelled(line: &str) -> String {
    let line = line.trim().replace("_2_1", "_2_x").replace(" = ", ", ").replace("_nz ", " ");
    let line = line.strip_prefix('+').map_or(line.clone(), |line| format!("+ {line}"));
    let (head, operands) = line.split_once(' ').unwrap_or((&line, ""));
    if head.starts_with("dcl") {
        let head = match operands {
            "vPos" | "vFace" => head.trim_end_matches("_position0").to_owned(),
            _ => declared(&usage_respelled(head)),
        };
        return format!("{head} {operands}");
    }
    if head == "def" {
        return std::iter::once(format!("def {}", operands.split(',').next().unwrap()))
            .chain(operands.split(',').skip(1).map(|value| format!(" {:?}", value.trim().parse::<f32>().unwrap())))
            .collect::<Vec<_>>()
            .join(",");
    }
    if head == "texkill" {
        let mut operand = operand_respelled(operands);
        while let Some((register, lanes)) = operand.split_once('.')
            && lanes.chars().collect::<BTreeSet<_>>().len() < lanes.len()
        {
            operand = format!("{register}.{}", &lanes[..lanes.len() - 1]);
        }
        return format!("texkill {operand}");
    }
    let words: Vec<String> = line.split(", ").enumerate().map(|(at, part)| part_respelled(at, part)).collect();
    words.join(", ")
}

fn usage_respelled(head: &str) -> String {
    let mut parts: Vec<String> = head.split('_').map(str::to_owned).collect();
    if let Some(usage) = parts.get_mut(1) {
        let name = usage.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned();
        let number: Option<u32> = usage[name.len()..].parse().ok();
        *usage = match (name.as_str(), number) {
            ("", _) => usage.clone(),
            ("weight", _) => "blendweight".to_owned(),
            ("blend", _) => "blendindices".to_owned(),
            ("specular", Some(number)) => format!("color{}", number + 1),
            (name, None | Some(0)) => name.to_owned(),
            _ => usage.clone(),
        };
    }
    parts.join("_")
}

/// One operand, the first one with the instruction before it.
fn part_respelled(position: usize, part: &str) -> String {
    let words = part.split(' ').collect::<Vec<_>>();
    // `c[a.x + 3]` is one word.
    let joined = part.split_once('[').map_or_else(
        || words.last().unwrap().to_string(),
        |(before, inner)| format!("{}[{inner}", before.rsplit(' ').next().unwrap()),
    );
    let head = part.strip_suffix(&joined).unwrap();
    let operand = operand_respelled(&joined);
    let is_alone = position == 0 && head.is_empty();
    if is_alone {
        joined
    } else {
        format!("{}{operand}", head.replace("(p0.xyzw)", "(p0)").replace("(!p0.xyzw)", "(!p0)"))
    }
}

fn operand_respelled(operand: &str) -> String {
    let operand = operand.replace("[a.xyzw", "[a0.x").replace("[a.", "[a0.").replace("aL0.xyzw", "aL");
    let operand = operand.replace("[aL0.x", "[aL").replace(" + 0]", "]");
    let operand = if operand.starts_with("a.") { operand.replacen("a.", "a0.", 1) } else { operand };
    let (operand, suffix) = match operand.split_once('|') {
        Some((sign, inner)) => (format!("{sign}{}", inner.trim_end_matches('|')), "_abs"),
        None => (operand, ""),
    };
    let (register, lanes) = match operand.rsplit_once('.') {
        Some((register, lanes)) if lanes.chars().all(|lane| "xyzw".contains(lane)) => (register, lanes),
        _ => (operand.as_str(), ""),
    };
    let mut lanes: Vec<char> = if lanes == "xyzw" { Vec::new() } else { lanes.chars().collect() };
    while let [.., left, right] = lanes.as_slice()
        && left == right
    {
        lanes.pop();
    }
    let dot = if lanes.is_empty() { "" } else { "." };
    format!("{register}{suffix}{dot}{}", lanes.into_iter().collect::<String>())
}
