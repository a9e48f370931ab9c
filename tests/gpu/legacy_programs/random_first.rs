//! Random programs of SM1: arithmetic with all modifiers, two instructions together, textures before it, computed indices.

use super::cells::{result_modifiers, source_modifiers};
use super::wrap::Body;
use crate::support::random::Random;

const MODELS: [&str; 5] = ["vs_1_1", "ps_1_1", "ps_1_2", "ps_1_3", "ps_1_4"];
/// Pixel shaders have as many instructions that compute.
const MOST_INSTRUCTIONS: u32 = 8;
/// Largest value that registers of pixel shaders hold, on either side of 0.
const MOST_HELD: f32 = 8.0;

struct Writer {
    random: Random,
    model: &'static str,
    text: String,
    /// Registers that hold something, and how far it may lie from 0.
    held: Vec<(&'static str, f32)>,
}

/// The program of a number.
pub fn body(seed: u64, mut random: Random) -> Body {
    let model = random.pick(&MODELS);
    let held = match model {
        "vs_1_1" => vec![("r0", 2.0), ("r1", 2.0), ("r2", 2.0)],
        "ps_1_4" => vec![("r0", 1.0), ("r1", 2.0), ("v0", 1.0), ("v1", 1.0)],
        _ => vec![("r0", 1.0), ("t0", 1.0), ("v0", 1.0), ("v1", 1.0)],
    };
    let mut writer = Writer { random, model, text: String::new(), held };
    match model {
        "vs_1_1" => {}
        "ps_1_4" => writer.registers_of_textures(),
        _ => writer.textures(),
    }
    for _ in 0..2 + writer.random.below(MOST_INSTRUCTIONS - 1) {
        writer.instruction();
    }
    // What a device has rounded is multiplied too.
    let is_near = ["_x4", "_x8"].iter().any(|factor| writer.text.contains(factor));
    Body { name: format!("random {seed} {model}"), model, lines: writer.text, is_near }
}

impl Writer {
    /// Textures and coordinates of ps_1_1 to ps_1_3, with what is otherwise in front of the first line.
    fn textures(&mut self) {
        let count = 1 + self.random.below(4);
        for (at, name) in ["t0", "t1", "t2", "t3"].into_iter().enumerate().take(count as usize) {
            let is_first = at == 0;
            let kinds: &[&str] = match self.model {
                _ if is_first => &["tex", "texcoord"],
                "ps_1_1" => &["tex", "texcoord", "texreg2ar", "texreg2gb"],
                _ => &["tex", "texcoord", "texreg2ar", "texreg2gb", "texreg2rgb", "texdp3", "texdp3tex"],
            };
            let kind = self.random.pick(kinds);
            let from = if kind.contains("reg2") || kind.contains("dp3") { ", t0" } else { "" };
            self.text += &format!("{kind} {name}{from}\n");
            if !is_first {
                // A product of three numbers to 1 with three coordinates to 2.
                self.held.push((name, if kind == "texdp3" { 6.0 } else { 1.0 }));
            }
        }
        self.text += "mov r0, c3\n";
    }

    /// Writes texture reads of ps_1_4, of which a second phase may read what the first has computed.
    fn registers_of_textures(&mut self) {
        if self.random.one_in(2) {
            self.text += "texld r0, t0\ntexcrd r1.xyz, t1\nmov r1.w, c2\n";
        } else {
            self.text += "texcrd r2.xyz, t0\nphase\ntexld r0, r2\ntexcrd r1.xyz, t0\nmov r1.w, c2\n";
        }
    }

    fn is_pixel(&self) -> bool {
        self.model.starts_with("ps")
    }

    /// A source of any lanes, and how far it may lie from 0.
    fn source(&mut self) -> (String, f32) {
        let (register, most) = match self.random.below(3) {
            // Constants of pixel shaders are -1 to 1.
            0 => {
                let count = if self.is_pixel() { 6 } else { 18 };
                (format!("c{}", 2 + self.random.below(count)), if self.is_pixel() { 1.0 } else { 2.0 })
            }
            1 if !self.is_pixel() && self.random.one_in(2) => {
                self.text += &format!("mov a0.x, {}\n", self.random.pick(&["c1.x", "r1.y", "r2.z", "c1.w"]));
                (format!("c[a0.x + {}]", 4 + self.random.below(6)), 2.0)
            }
            _ => {
                let (register, most) = self.random.pick(&self.held.clone());
                (register.to_owned(), most)
            }
        };
        let is_constant = register.starts_with('c');
        let (before, after) = match self.random.one_in(2) {
            // Constants of pixel shaders take a sign alone.
            true if is_constant => ("-", ""),
            true => self.random.pick(source_modifiers(self.model)),
            false => ("", ""),
        };
        let most = match after {
            "_bias" => most + 0.5,
            "_bx2" => 2.0 * most + 1.0,
            "_x2" => 2.0 * most,
            _ => most,
        };
        let most = if before == "1-" { most + 1.0 } else { most };
        let lanes: &[&str] = if self.is_pixel() { &["", "", ".w"] } else { &["", "", ".x", ".yzx", ".wzyx"] };
        (format!("{before}{register}{after}{}", self.random.pick(lanes)), most)
    }

    fn instruction(&mut self) {
        let is_cnd_free = self.model == "ps_1_4";
        let (name, count) = match self.is_pixel() {
            true => self.random.pick(&[
                ("mov", 1),
                ("add", 2),
                ("sub", 2),
                ("mul", 2),
                ("mad", 3),
                ("lrp", 3),
                ("dp3", 2),
                if is_cnd_free { ("cnd", 3) } else { ("add", 2) },
                if self.model == "ps_1_1" { ("mul", 2) } else { ("cmp", 3) },
                if self.model == "ps_1_1" { ("mul", 2) } else { ("dp4", 2) },
            ]),
            false => self.random.pick(&[
                ("mov", 1),
                ("add", 2),
                ("sub", 2),
                ("mul", 2),
                ("mad", 3),
                ("min", 2),
                ("max", 2),
                ("slt", 2),
                ("sge", 2),
                ("dp3", 2),
                ("dp4", 2),
            ]),
        };
        let (sources, most): (Vec<String>, Vec<f32>) = (0..count).map(|_| self.source()).unzip();
        let reached = match (name, &most[..]) {
            ("add" | "sub", [a, b]) => a + b,
            ("mul", [a, b]) => a * b,
            ("mad", [a, b, c]) => a * b + c,
            ("lrp", [a, b, c]) => a * (b + c) + c,
            ("dp3" | "dp4", [a, b]) => 4.0 * a * b,
            ("cmp" | "cnd", [_, b, c]) => b.max(*c),
            ("slt" | "sge", _) => 1.0,
            _ => most.iter().copied().fold(0.0, f32::max),
        };
        let result = self.random.pick(if self.model == "vs_1_1" { &["r0", "r4", "r5"] } else { &["r0", "r1"] });
        let suffix = self.suffix(reached);
        let factor = ["x2", "x4", "x8"].into_iter().position(|name| suffix.contains(name));
        let reached = factor.map_or(reached, |power| reached * [2.0, 4.0, 8.0][power]);
        let reached = if suffix.contains("sat") { 1.0 } else { reached };
        let is_known = self.held.iter().any(|(name, _)| *name == result);
        // Behind one that computes colours alone comes one that computes alpha, together with it or not.
        let mask = if is_known { self.random.pick(&["", "", ".xyz"]) } else { "" };
        self.text += &format!("{name}{suffix} {result}{mask}, {}\n", sources.join(", "));
        if mask == ".xyz" && name != "dp4" && self.is_pixel() && self.random.one_in(2) {
            let (source, most) = self.source();
            self.text += &format!("+ mov_sat {result}.w, {source}\n");
            self.hold(result, most.min(1.0).max(reached));
        }
        if self.model == "vs_1_1" {
            self.text += &format!("min {result}, {result}, c20.x\nmax {result}, {result}, -c20.x\n");
            self.hold(result, 2.0);
        } else {
            self.hold(result, reached);
        }
    }

    /// A modifier with which a result stays as near to 0 as registers are.
    fn suffix(&mut self, reached: f32) -> &'static str {
        let all = result_modifiers(self.model);
        let fits = |suffix: &&'static str| {
            let factor = match *suffix {
                "_x8" => 8.0,
                "_x4" => 4.0,
                "_x2" => 2.0,
                _ => 1.0,
            };
            suffix.contains("sat") || reached * factor <= MOST_HELD
        };
        let fitting: Vec<&'static str> = all.iter().copied().filter(fits).collect();
        match self.model {
            "vs_1_1" => "",
            _ if reached > MOST_HELD || self.random.one_in(2) => self.random.pick(&fitting),
            _ => "",
        }
    }

    fn hold(&mut self, register: &'static str, most: f32) {
        match self.held.iter_mut().find(|(name, _)| *name == register) {
            Some((_, held)) => *held = most.max(*held),
            None => self.held.push((register, most)),
        }
    }
}
