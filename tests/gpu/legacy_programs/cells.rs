//! A program for each instruction of each model, with each modifier that it can have there.

use aerogpu_replay::shader::d3d::legacy::{LegacyOpcode, Takes, microsoft_forms, numbers};
use aerogpu_replay::shader::d3d::{Opcode, Stage, Version};

use super::wrap::Body;

pub const MODELS: [&str; 11] =
    ["vs_1_1", "vs_2_0", "vs_2_x", "vs_3_0", "ps_1_1", "ps_1_2", "ps_1_3", "ps_1_4", "ps_2_0", "ps_2_x", "ps_3_0"];

/// Instructions that are drawn elsewhere, or say something without computing: why.
pub const ELSEWHERE: &[(Opcode, &str)] = &[
    (Opcode::Dcl, "a declaration"),
    (Opcode::Def, "a declaration"),
    (Opcode::DefI, "a declaration"),
    (Opcode::DefB, "a declaration"),
    (Opcode::TexM3x2Depth, "gives depth alone"),
    (Opcode::TexDepth, "gives depth alone"),
];

pub fn version(model: &str) -> Version {
    let stage = if model.starts_with("ps") { Stage::Pixel } else { Stage::Vertex };
    let minor = if model.ends_with('x') { 1 } else { model[5..].parse().unwrap() };
    Version { stage, major: model[3..4].parse().unwrap(), minor }
}

pub fn forms(model: &str) -> impl Iterator<Item = &'static LegacyOpcode> {
    let version = version(model);
    numbers().flat_map(microsoft_forms).filter(move |form| form.is_in(version))
}

/// Whether instructions may be run lane by lane if a predicate says so.
fn has_predicates(model: &str) -> bool {
    matches!(model, "vs_2_x" | "vs_3_0" | "ps_2_x" | "ps_3_0")
}

pub fn source_modifiers(model: &str) -> &'static [(&'static str, &'static str)] {
    match model {
        "ps_1_4" => &[
            ("-", ""),
            ("", "_bias"),
            ("-", "_bias"),
            ("", "_bx2"),
            ("-", "_bx2"),
            ("1-", ""),
            ("", "_x2"),
            ("-", "_x2"),
        ],
        "ps_1_1" | "ps_1_2" | "ps_1_3" => {
            &[("-", ""), ("", "_bias"), ("-", "_bias"), ("", "_bx2"), ("-", "_bx2"), ("1-", "")]
        }
        "vs_3_0" | "ps_3_0" => &[("-", ""), ("", "_abs"), ("-", "_abs")],
        _ => &[("-", "")],
    }
}

pub fn result_modifiers(model: &str) -> &'static [&'static str] {
    match model {
        "vs_1_1" => &[],
        "ps_1_4" => &["_sat", "_x2", "_x4", "_x8", "_d2", "_d4", "_d8", "_x8_sat"],
        "ps_1_1" | "ps_1_2" | "ps_1_3" => &["_sat", "_x2", "_x4", "_d2", "_x4_sat"],
        model if model.starts_with("vs") => &["_sat"],
        _ => &["_sat", "_pp", "_sat_pp"],
    }
}

/// Instructions whose results are as near as drivers make them.
const NEAR: &[&str] =
    &["rcp", "rsq", "exp", "expp", "log", "logp", "pow", "sincos", "nrm", "lit", "texldp", "m4x4", "dp4", "dp3"];

/// Instructions of one lane.
const SCALAR: &[&str] = &["rcp", "rsq", "exp", "expp", "log", "logp", "pow", "sincos"];

/// All programs of a model.
pub fn bodies(model: &'static str) -> Vec<Body> {
    let mut bodies = Vec::new();
    for form in forms(model) {
        let is_computed = matches!(form.takes.first(), Some(Takes::Result))
            && form.takes[1..].iter().all(|takes| *takes == Takes::Value)
            && form.takes.len() > 1
            && !form.opcode.name().starts_with("tex")
            && !matches!(form.opcode, Opcode::Def | Opcode::DefI | Opcode::DefB | Opcode::Dcl);
        if is_computed {
            bodies.extend(variants(model, form).into_iter().enumerate().map(|(number, lines)| Body {
                name: format!("{model} {} {number}", form.opcode.name()),
                model,
                lines,
                is_near: NEAR.contains(&form.opcode.name()),
            }));
        }
    }
    let others = flow(model).into_iter().chain(textures(model));
    bodies.extend(others.enumerate().map(|(number, lines)| Body {
        name: format!("{model} other {number}"),
        model,
        lines: lines.to_owned(),
        is_near: true,
    }));
    bodies
}

/// An instruction with its operands.
struct Written<'a> {
    name: &'a str,
    result: String,
    sources: Vec<String>,
}

impl Written<'_> {
    fn text(&self, suffix: &str) -> String {
        format!("{}{suffix} {}, {}\n", self.name, self.result, self.sources.join(", "))
    }
}

fn variants(model: &'static str, form: &LegacyOpcode) -> Vec<String> {
    let name = form.opcode.name();
    let count = form.takes.len() - 1;
    let is_first_pixel = model.starts_with("ps_1");
    let mut sources: Vec<String> = match model {
        "ps_1_1" | "ps_1_2" | "ps_1_3" => vec!["v0", "t0", "c2"],
        "ps_1_4" => vec!["v0", "r1", "c2"],
        _ => vec!["r1", "r2", "c2"],
    }
    .into_iter()
    .map(str::to_owned)
    .collect();
    let lanes = if SCALAR.contains(&name) { ".y" } else { "" };
    sources.iter_mut().for_each(|source| *source += lanes);
    let mut result = "r0";
    match name {
        // A matrix lies in constants.
        _ if name.starts_with('m') && name.contains('x') && name != "max" => {
            sources = vec!["r1".to_owned(), "c4".to_owned()];
            result = match &name[3..] {
                "4" => "r0",
                "3" => "r0.xyz",
                _ => "r0.xy",
            };
        }
        "crs" => result = "r0.xyz",
        "sincos" => {
            result = "r0.xy";
            sources = vec!["r1.y".to_owned(), "c2".to_owned(), "c3".to_owned()];
        }
        "sgn" if count == 3 => sources = vec!["r1".to_owned(), "r4".to_owned(), "r5".to_owned()],
        "cnd" if model != "ps_1_4" => sources = vec!["r0.w".to_owned(), "t0".to_owned(), "c2".to_owned()],
        "bem" => result = "r0.xy",
        "frc" if model == "vs_1_1" => result = "r0.xy",
        "mova" => return relative(model, "mova"),
        _ => {}
    }
    sources.truncate(count);
    let plain = Written { name, result: result.to_owned(), sources };
    let mut all = vec![plain.text("")];
    let is_fixed =
        matches!(name, "sgn" | "sincos") && count == 3 || name == "bem" || name == "cnd" && model != "ps_1_4";
    for place in 0..if is_fixed { 0 } else { count } {
        for (before, after) in source_modifiers(model) {
            let mut sources = plain.sources.clone();
            let (register, lanes) = sources[place].split_once('.').unwrap_or((&sources[place], ""));
            let dot = if lanes.is_empty() { "" } else { "." };
            sources[place] = format!("{before}{register}{after}{dot}{lanes}");
            all.push(Written { sources, result: plain.result.clone(), ..plain }.text(""));
        }
    }
    all.extend(result_modifiers(model).iter().map(|suffix| plain.text(suffix)));
    if result == "r0" && lanes.is_empty() && !is_first_pixel && !is_fixed {
        all.push(Written { name, result: "r0.xz".to_owned(), sources: plain.sources.clone() }.text(""));
        let mut sources = plain.sources.clone();
        sources[0] += ".wzyx";
        all.push(Written { name, result: "r0.yzw".to_owned(), sources }.text(""));
    }
    if is_first_pixel && result == "r0" && !is_fixed {
        all.push(format!(
            "{}+ mov r0.w, c2\n",
            Written { name, result: "r0.xyz".to_owned(), sources: plain.sources.clone() }.text("")
        ));
    }
    if has_predicates(model) {
        let setp = "setp_gt p0, r1, r2\n";
        all.extend(
            ["(p0)", "(!p0)", "(p0.y)", "(!p0.w)"].map(|predicate| format!("{setp}{predicate} {}", plain.text(""))),
        );
    }
    if !is_first_pixel && plain.sources.last().is_some_and(|source| source.starts_with("c2")) && !is_fixed {
        for index in indices(model) {
            let mut sources = plain.sources.clone();
            let last = sources.len() - 1;
            sources[last] = sources[last].replace("c2", index);
            let line = Written { sources, result: plain.result.clone(), ..plain }.text("");
            all.push(indexed(model, index, &line));
        }
    }
    all
}

/// Constants whose numbers are computed.
fn indices(model: &str) -> &'static [&'static str] {
    match model {
        "vs_1_1" => &["c[a0.x + 1]"],
        "vs_2_0" | "vs_2_x" | "vs_3_0" => &["c[a0.w]", "c[a0.y + 3]", "c[aL + 2]"],
        "ps_3_0" => &["c[aL + 2]"],
        _ => &[],
    }
}

/// A line with what its index needs.
fn indexed(model: &str, index: &str, line: &str) -> String {
    match (model, index.contains("aL")) {
        (_, true) => format!("loop aL, i0\n{line}endloop\n"),
        ("vs_1_1", _) => format!("mov a0.x, c1.x\n{line}"),
        _ => format!("mova a0, c1\n{line}"),
    }
}

fn relative(model: &str, name: &str) -> Vec<String> {
    let of = |result: &str, index: &str| format!("{name} {result}, r1\nmov r0, c[{index} + 6]\n");
    let mut all = vec![of("a0", "a0.x"), of("a0.y", "a0.y"), format!("{name} a0, -r2\nmov r0, c[a0.z + 9]\n")];
    if has_predicates(model) {
        all.push(format!("mova a0, c1\nsetp_lt p0, r1, r2\n(p0) {name} a0, r2\nmov r0, c[a0.x + 9]\n"));
    }
    all
}

fn flow(model: &str) -> Vec<&'static str> {
    let mut all = vec!["nop\nmov r0, c2\n"];
    let (is_vertex, major) = (model.starts_with("vs"), &model[3..4]);
    if is_vertex && major != "1" {
        all.extend(["loop aL, i0\nadd r0, r0, c[aL]\nendloop\n", "loop aL, i1\nmad r0, r0, c[aL + 1], r1\nendloop\n"]);
    }
    if major == "1" || model == "ps_2_0" {
        if model == "ps_1_4" {
            all.push("phase\nmov r0, c2\n");
        }
        return all;
    }
    all.extend([
        "if b0\nmov r0, r1\nelse\nmov r0, r2\nendif\n",
        "if b1\nmov r0, r1\nelse\nmov r0, r2\nendif\n",
        "if !b1\nadd r0, r0, r1\nendif\n",
        "rep i0\nadd r0, r0, r1\nendrep\n",
        "rep i3\nadd r0, r0, r1\nendrep\n",
        "call l0\nret\nlabel l0\nadd r0, r0, r1\nret\n",
        "callnz l1, b0\ncallnz l1, b1\ncallnz l1, !b1\nret\nlabel l1\nadd r0, r0, r1\nret\n",
        "call l0\nret\nlabel l0\nif b0\nadd r0, r0, r1\nret\nendif\nadd r0, r0, r2\nret\n",
        "call l0\nret\nlabel l0\nrep i0\nrep i1\nadd r0, r0, r1\nif b0\nret\nendif\nendrep\nendrep\nadd r0, r0, r2\nret\n",
        "call l0\nret\nlabel l0\nrep i1\ncall l1\nendrep\nret\nlabel l1\nrep i0\nadd r0, r0, r1\nif !b1\nret\nendif\nendrep\n\
         mov r0, c3\nret\n",
        "call l0\ncall l2\nret\nlabel l0\nadd r0, r0, r1\nret\nlabel l2\nadd r0, r0, r2\nret\n",
    ]);
    if has_predicates(model) {
        all.extend([
            "if_gt r1.x, r2.x\nmov r0, r1\nendif\nif_eq r1.y, r1.y\nadd r0, r0, r2\nendif\n",
            "if_ge r1.x, r2.x\nmov r0, r1\nelse\nif_lt r1.z, r2.z\nmov r0, r2\nendif\nendif\n",
            "if_ne r1.x, r2.x\nmov r0, r1\nelse\nadd r0, r1, c3\nendif\nif_le r1.w, r2.w\nadd r0, r0, r0\nendif\n",
            "rep i1\nadd r0, r0, r1\nbreak_gt r0.x, r2.x\nendrep\n",
            "rep i1\nadd r0, r0, r1\nbreak_lt r0.y, r2.y\nbreak_ge r0.z, r2.z\nendrep\n",
            "rep i1\nadd r0, r0, r1\nbreak_eq r0.y, r2.y\nbreak_ne r0.z, r1.z\nbreak_le r0.x, r1.x\nendrep\n",
            "rep i1\nadd r0, r0, r1\nif_gt r0.x, r2.x\nbreak\nendif\nendrep\n",
            "rep i1\nadd r0, r0, r1\nsetp_ge p0, r0, r2\nbreakp p0.y\nendrep\n",
            "rep i1\nadd r0, r0, r1\nsetp_le p0, r0, r2\nbreakp !p0.z\nendrep\n",
            "rep i0\nrep i1\nadd r0, r0, r1\nbreak_gt r0.x, r2.x\nendrep\nadd r0, r0, c3\nendrep\n",
            "setp_eq p0, r1, r1\n(p0) mov r0, r1\nsetp_ne p0, r1, r2\n(p0) add r0, r0, r2\n",
            "setp_lt p0, r1, r2\n(p0.x) mov r0, r1\nsetp_gt p0.yz, r1, r2\n(p0) add r0, r0, r2\n",
            "setp_lt p0, r1, r2\nif p0.x\nmov r0, r1\nelse\nmov r0, r2\nendif\nif !p0.y\nadd r0, r0, c3\nendif\n",
            "setp_lt p0, r1, r2\ncallnz l0, p0.z\nret\nlabel l0\nadd r0, r0, r1\nret\n",
        ]);
    }
    if model == "ps_3_0" {
        all.extend([
            "loop aL, i0\nadd r0, r0, c[aL]\nendloop\n",
            "loop aL, i1\nmad r0, r0, c3, r1\nbreak_gt r0.x, c2.x\nendloop\n",
            "loop aL, i0\nloop aL, i2\nadd r0, r0, c[aL]\nendloop\nadd r0, r0, c[aL + 1]\nendloop\n",
        ]);
    }
    if model == "vs_3_0" {
        all.push("loop aL, i2\nadd r0, r0, v[aL]\nendloop\n");
    }
    all
}

fn textures(model: &str) -> Vec<&'static str> {
    match model {
        "ps_1_1" | "ps_1_2" | "ps_1_3" => {
            let mut all = vec![
                "tex t0\nmov r0, t0\n",
                "tex t0\ntex t1\nadd r0, t0, t1\n",
                "texcoord t1\nmov r0, t1\n",
                "texkill t0\nmov r0, c2\n",
                "texkill t1\nmov r0, c2\n",
                "tex t0\ntexreg2ar t1, t0\nmov r0, t1\n",
                "tex t0\ntexreg2gb t1, t0\nmov r0, t1\n",
                "tex t0\ntexbem t1, t0\nmov r0, t1\n",
                "tex t0\ntexbeml t1, t0\nmov r0, t1\n",
                "tex t0\ntexm3x2pad t1, t0\ntexm3x2tex t2, t0\nmov r0, t2\n",
                "tex t0\ntexm3x2pad t1, t0_bx2\ntexm3x2tex t2, t0_bx2\nmov r0, t2\n",
            ];
            if model != "ps_1_1" {
                all.extend([
                    "tex t0\ntexreg2rgb t1, t0\nmov r0, t1\n",
                    "tex t0\ntexdp3 t1, t0\nmov r0, t1\n",
                    "tex t0\ntexdp3tex t1, t0\nmov r0, t1\n",
                    "tex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3 t3, t0\nmov r0, t3\n",
                ]);
            } else {
                all.push("tex t0\nmov r0, t0_bx2\n");
            }
            all.extend([
                "tex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3tex t3, t0\nmov r0, t3\n",
                "tex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3spec t3, t0, c2\nmov r0, t3\n",
                "tex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3vspec t3, t0\nmov r0, t3\n",
            ]);
            all
        }
        "ps_1_4" => vec![
            "texld r0, t0\n",
            "texld r1, t1\ntexld r0, t0\nadd r0, r0, r1\n",
            "texcrd r2.xyz, t0\nphase\ntexld r0, r2\n",
            "texcrd r0.xyz, t1\nphase\ntexkill r0\nmov r0, c2\n",
        ],
        "vs_3_0" => vec!["texldl r0, r1, s0\n", "texldl r0, r1, s3\ntexldl r4, r2, s1\nadd r0, r0, r4\n"],
        "ps_2_0" => vec![
            "texld r0, r1, s0\n",
            "texld r0, r1, s0\ntexld r3, r2, s3\nadd r0, r0, r3\n",
            "texldb r0, r1, s1\n",
            "mov r1.w, c20.x\ntexldp r0, r1, s2\n",
            "mov r0, c2\ntexkill r1\n",
            "mov r0, c2\ntexkill r2.xy\n",
        ],
        "ps_2_x" | "ps_3_0" => {
            let mut all = vec![
                "texld r0, r1, s0\n",
                "texldb r0, r1, s1\n",
                "mov r1.w, c20.x\ntexldp r0, r1, s2\n",
                "texldd r0, r1, s3, r2, r2\n",
                "mov r0, c2\ntexkill r1\n",
                "dsx r3, r1\ndsy r4, r2\nadd r0, r3, r4\nadd r0, r0, r1\n",
                "mov r0, c2\nif b0\ntexld r0, r1, s0\nendif\n",
            ];
            if model == "ps_3_0" {
                all.extend([
                    "texldl r0, r1, s2\n",
                    "mov r0, c2\ntexkill r2.yw\n",
                    "rep i0\ntexldl r3, r1, s1\nadd r0, r0, r3\nendrep\n",
                ]);
            }
            all
        }
        _ => Vec::new(),
    }
}
