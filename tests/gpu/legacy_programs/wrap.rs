//! Programs as cases: a cell of four pixels for each tuple of values, all drawn at once.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::model::{Lanes, Model, Outside, TEXTURE_SIDE, saturated};
use crate::gpu::dxbc::case::Case;
use crate::support::random::Random;
use dev_d3d_assembler::legacy::{Lengths, assemble};

/// Cells along a side, each of 2 × 2 pixels.
const CELLS: u32 = 8;
const SIDE: u32 = 2 * CELLS;
/// Constants of 16ths; `c1` holds whole numbers, for indices; `c20.x` is a power of two.
const FLOATS: usize = 32;
const SAMPLERS: usize = 4;

/// A program without what all have in common. It finds values in `r1` and `r2`, of ps_1_x in `v0` and `t0`, or, in ps_1_4,
/// `r1`, and leaves four in `r0`.
pub struct Body {
    pub name: String,
    pub model: &'static str,
    pub lines: String,
    /// Whether drivers may come only near its values.
    pub is_near: bool,
}

fn sixteenths(random: &mut Random) -> Lanes {
    std::array::from_fn(|_| (random.below(65) as f32 - 32.0) / 16.0)
}

/// Values that all programs read.
fn outside() -> Outside {
    let mut random = Random::new(9);
    let mut floats: Vec<Lanes> = (0..FLOATS).map(|_| sixteenths(&mut random)).collect();
    floats[1] = [1.0, 2.0, 3.0, 4.0];
    floats[20] = [2.0, 0.5, 1.0, 0.25];
    let textures = (0..SAMPLERS)
        .map(|_| (0..TEXTURE_SIDE * TEXTURE_SIDE).map(|_| std::array::from_fn(|_| random.below(256) as u8)).collect());
    Outside {
        floats,
        integers: vec![[3, 1, 2, 0], [5, 0, 1, 0], [2, 1, 1, 0], [0, 0, 1, 0]],
        flags: vec![true, false, true, false],
        textures: textures.collect(),
    }
}

/// The values of each cell. A texture's coordinates lie in no edge of a texel.
fn tuples() -> Vec<[Lanes; 2]> {
    let mut random = Random::new(5);
    let off_edge = |value: f32| if (value * 4.0).fract() == 0.0 { value + 0.0625 } else { value };
    (0..CELLS * CELLS).map(|_| [0, 1].map(|_| sixteenths(&mut random).map(off_edge))).collect()
}

impl Body {
    fn is_pixel(&self) -> bool {
        self.model.starts_with("ps")
    }

    fn is_first_pixel(&self) -> bool {
        self.model.starts_with("ps_1")
    }

    /// Text around the lines in the stage under test. Functions stay behind the main one.
    fn text(&self) -> String {
        let (main, functions) = match self.lines.split_once("ret\n") {
            Some((main, functions)) => (main, format!("ret\n{functions}")),
            None => (self.lines.as_str(), String::new()),
        };
        let samplers = (0..SAMPLERS).map(|number| format!("dcl_2d s{number}\n")).collect::<String>();
        let shown = "mad r0, r0, c30.x, c30.y\n";
        let define = "def c30, 0.125, 0.5, 0.0, 1.0\n";
        let (head, start, end) = match self.model {
            "ps_1_4" => (String::new(), "texcrd r1.xyz, t0\nmov r0, c3\n", ""),
            _ if self.is_first_pixel() && self.lines.contains("tex") => (String::new(), "", ""),
            _ if self.is_first_pixel() => (String::new(), "texcoord t0\nmov r0, c3\n", ""),
            "ps_3_0" => (
                format!("{define}dcl_texcoord v0\ndcl_texcoord1 v1\n{samplers}"),
                "mov r1, v0\nmov r2, v1\nmov r0, c3\n",
                "mov oC0, r0\n",
            ),
            _ if self.is_pixel() => {
                (format!("{define}dcl t0\ndcl t1\n{samplers}"), "mov r1, t0\nmov r2, t1\nmov r0, c3\n", "mov oC0, r0\n")
            }
            "vs_3_0" => (
                format!(
                    "{define}dcl_position v0\ndcl_texcoord v1\ndcl_texcoord1 v2\n{samplers}dcl_position o0\n\
                     dcl_texcoord o1\n"
                ),
                "mov o0, v0\nmov r1, v1\nmov r2, v2\nmov r0, c3\n",
                "mov o1, r0\n",
            ),
            _ => (
                format!("{define}dcl_position v0\ndcl_texcoord v1\ndcl_texcoord1 v2\n"),
                "mov oPos, v0\nmov r1, v1\nmov r2, v2\nmov r0, c3\n",
                "mov oT0, r0\n",
            ),
        };
        let shown = if self.is_first_pixel() { "" } else { shown };
        // The first instructions of ps_1_4 may all be of textures.
        let start = if self.model == "ps_1_4" && self.lines.contains("tex") { "" } else { start };
        format!("{}\n{head}{start}{main}{shown}{end}{functions}", self.model)
    }

    /// The program's text, and the case that runs it; no case of one whose values are each device's own.
    pub fn case(&self) -> (String, Option<Case>) {
        let (text, outside) = (self.text(), outside());
        let model = Model::new(&text, &outside);
        let cells: Vec<Lanes> = tuples().iter().map(|tuple| self.expected(&model, tuple)).collect();
        if model.has_met_denormals() {
            return (text, None);
        }
        let pixels: Vec<Lanes> =
            (0..SIDE * SIDE).map(|at| cells[(at / SIDE / 2 * CELLS + at % SIDE / 2) as usize]).collect();
        let bytes = |pixel: &Lanes| pixel.map(|value| (saturated(value) * 255.0).round() as u8);
        let (vertex, pixel) = self.stages(&text);
        let files = BTreeMap::from([
            ("vs.d3dbc".to_owned(), vertex),
            ("ps.d3dbc".to_owned(), pixel),
            ("vertices".to_owned(), vertices()),
            ("expected".to_owned(), pixels.iter().flatten().flat_map(|value| value.to_le_bytes()).collect()),
            ("rgba8".to_owned(), pixels.iter().flat_map(bytes).collect()),
        ]);
        let stage = if self.is_pixel() { "ps" } else { "vs" };
        // Which the last sampler has none of.
        let reads_cube = ["texm3x3tex", "spec"].iter().any(|name| self.lines.contains(name));
        let rule = match self.is_near {
            true => json!({ "kind": "float32", "rel": 2e-4, "abs": 2e-4, "zero_sign": "any" }),
            false => json!({ "kind": "float32", "ulp": 2, "abs": 2e-6, "zero_sign": "any" }),
        };
        let json = json!({
            "name": self.name,
            "model": &self.model[3..],
            "source": { stage: text },
            "shaders": { "vs": "vs.d3dbc", "ps": "ps.d3dbc" },
            "target": { "width": SIDE, "height": SIDE, "formats": ["rgba32float"], "clear": [[0, 0, 0, 0]] },
            "draw": { "topology": "triangle-list", "vertices": CELLS * CELLS * 6 },
            "input": [input("POSITION", 0, 0), input("TEXCOORD", 0, 16), input("TEXCOORD", 1, 32)],
            "vertex_buffers": [{ "stride": 48, "data": "@vertices" }],
            "constants": { stage: constants(&outside) },
            "resources": { stage: resources(&outside, if reads_cube { SAMPLERS - 1 } else { SAMPLERS }) },
            "expected": { "target0": { "file": "expected", "rule": rule } },
            "rgba8": { "file": "rgba8", "rule": { "kind": "unorm8", "max": 1 } },
        });
        (text, Some(Case::made(self.name.clone(), json, files)))
    }

    fn expected(&self, model: &Model<'_>, [first, second]: &[Lanes; 2]) -> Lanes {
        let (a, b) = (*first, *second);
        let run = match self.model {
            "ps_3_0" => model.run(&[("v0", a), ("v1", b)]),
            _ if self.is_pixel() => {
                let [v0, v1] = [a, b].map(|color| color.map(saturated));
                // Coordinates: the first, the second, and these once more.
                model.run(&[("t0", a), ("t1", b), ("t2", a), ("t3", b), ("v0", v0), ("v1", v1)])
            }
            _ => model.run(&[("v1", a), ("v2", b)]),
        };
        if run.is_killed {
            return [0.0; 4];
        }
        match self.model {
            _ if self.is_first_pixel() => run.register("r0").map(saturated),
            "vs_3_0" => run.register("o1"),
            _ if self.is_pixel() => run.register("oC0"),
            _ => run.register("oT0"),
        }
    }

    /// Both stages' bytecode.
    fn stages(&self, text: &str) -> (Vec<u8>, Vec<u8>) {
        let vertex_3 = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_texcoord1 v2\ndcl_position o0\ndcl_texcoord o1\n\
                        dcl_texcoord1 o2\nmov o0, v0\nmov o1, v1\nmov o2, v2";
        let vertex_1 = "vs_1_1\ndcl_position v0\ndcl_texcoord v1\ndcl_texcoord1 v2\nmov oPos, v0\nmov oT0, v1\n\
                        mov oT1, v2\nmov oT2, v1\nmov oT3, v2\nmov oD0, v1\nmov oD1, v2";
        let other = match self.model {
            "ps_3_0" => vertex_3,
            "vs_3_0" => "ps_3_0\ndcl_texcoord v0\nmov oC0, v0",
            _ if self.is_pixel() => vertex_1,
            _ => "ps_2_0\ndcl t0\nmov oC0, t0",
        };
        let of = |text: &str| assemble(text, Lengths::Microsoft);
        if self.is_pixel() { (of(other), of(text)) } else { (of(text), of(other)) }
    }
}

fn input(semantic: &str, index: u32, offset: u32) -> Value {
    json!({ "semantic": semantic, "index": index, "format": "rgba32float", "slot": 0, "offset": offset })
}

fn vertices() -> Vec<u8> {
    let mut words: Vec<f32> = Vec::new();
    for (number, [first, second]) in (0..).zip(tuples()) {
        let (column, row) = (number % CELLS, number / CELLS);
        let x = |column: u32| column as f32 / CELLS as f32 * 2.0 - 1.0;
        let y = |row: u32| 1.0 - row as f32 / CELLS as f32 * 2.0;
        for (right, down) in [(0, 0), (1, 0), (0, 1), (0, 1), (1, 0), (1, 1)] {
            words.extend([x(column + right), y(row + down), 0.5, 1.0]);
            words.extend(first.iter().chain(&second));
        }
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn constants(outside: &Outside) -> Value {
    let floats: Vec<u8> = outside.floats.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
    let flags: Vec<u32> = outside.flags.iter().map(|flag| u32::from(*flag)).collect();
    json!({ "f": { "0": hex(&floats) }, "i": { "0": outside.integers }, "b": { "0": flags } })
}

fn resources(outside: &Outside, count: usize) -> Value {
    let mut all = json!({});
    for (number, texels) in outside.textures.iter().enumerate().take(count) {
        let side = TEXTURE_SIDE;
        let data = hex(texels.as_flattened());
        all[format!("t{number}")] = json!({
            "kind": "2d", "format": "rgba8unorm", "width": side, "height": side, "mips": 1, "layers": 1, "data": data,
        });
        let wrap = ["wrap"; 3];
        all[format!("s{number}")] = json!({ "min": "nearest", "mag": "nearest", "mip": "nearest", "address": wrap });
    }
    all
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
