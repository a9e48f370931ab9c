//! Programs as cases of each stage: what they compute arrives in words of a picture, or of a buffer.
//!
//! A program's body finds its row in `r0.x` and its tuple in `r0.y`, and leaves four words in `r10`. Every exit of it is
//! written as [`EXIT`]. The model runs the part of a row alone, which is what the program's other parts may not change.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::assembly::{Element, assemble};
use super::bound::Bound;
use super::model::{Memory, Model, Thread};
use crate::gpu::dxbc::case::Case;

/// Tuples of values in a row.
pub const TUPLES: u32 = 64;
/// Words of each.
pub const LANES: u32 = 4;
/// A pixel a word.
const WIDTH: u32 = TUPLES * LANES;

/// Stands where a body leaves the program.
pub const EXIT: &str = "EXIT\n";
/// Stands where a body has its words ready, in front of a line that may leave the program.
pub const READY: &str = "READY\n";

/// Unit that a thread of the model stands for, in the stage of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// A tuple: its four pixels compute the same.
    Tuples,
    /// A pixel: it finds its lane in `r0.w`.
    Pixels,
    /// A pixel with those around it, whose middle it finds in `r13`.
    Quads,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Vertex,
    Pixel,
    Compute,
}

impl Stage {
    pub const ALL: [Self; 3] = [Self::Vertex, Self::Pixel, Self::Compute];

    /// Name of the stage in cases.
    pub fn short_name(self) -> &'static str {
        match self {
            Self::Vertex => "vs",
            Self::Pixel => "ps",
            Self::Compute => "cs",
        }
    }
}

/// A program without its stage.
pub struct Body {
    pub name: String,
    /// Declarations besides those of every program here.
    pub declarations: String,
    pub prologue: String,
    /// A part for each row, which leaves its words in `r10`.
    pub parts: Vec<String>,
    /// Behind all, functions.
    pub functions: String,
    /// Whether only the threads of its row run a part.
    pub is_guarded: bool,
    pub threads: Threads,
    pub constants: Vec<[u32; 4]>,
    pub bound: Bound,
    pub rule: Value,
    /// Whether results are sums.
    pub has_sums: bool,
}

const FLOAT: u32 = 3;
const UINT: u32 = 1;
const POSITION: u32 = 1;
const VERTEX_ID: u32 = 6;

/// One triangle over all.
const CORNERS: [[f32; 4]; 3] = [[-1.0, -1.0, 0.0, 1.0], [-1.0, 3.0, 0.0, 1.0], [3.0, -1.0, 0.0, 1.0]];

/// Four bytes of the word in `r11.x` as colours.
const SHOW: &str =
    "ushr r11, r11.xxxx, l(0,8,16,24)\nand r11, r11, l(255)\nutof r11, r11\nmul o0, r11, l(0x3b808081)\n";
/// The lane of `r10` that `r0.w` said, kept in `r15.x`, as `r11.x`.
const PICK: &str =
    "ieq r11, r15.xxxx, l(0,1,2,3)\nand r11, r11, r10\nor r11.xy, r11.xyxx, r11.zwzz\nor r11.x, r11.x, r11.y\n";

impl Body {
    fn rows(&self) -> u32 {
        self.parts.len() as u32
    }

    /// All parts, of which each thread keeps the words of its row's.
    fn lines(&self) -> String {
        match &self.parts[..] {
            [only] => format!("{}{only}", self.prologue),
            parts if self.is_guarded => {
                let mut text = format!("{}mov r14, l(0,0,0,0)\n", self.prologue);
                for (row, part) in parts.iter().enumerate() {
                    text += &format!("ieq r12.x, r0.x, l({row})\nif_nz r12.x\n{part}mov r14, r10\nendif\n");
                }
                text + "mov r10, r14\n"
            }
            parts => {
                let mut text = format!("{}mov r14, l(0,0,0,0)\n", self.prologue);
                for (row, part) in parts.iter().enumerate() {
                    text += &format!("{part}ieq r11.x, r0.x, l({row})\nmovc r14, r11.xxxx, r10, r14\n");
                }
                text + "mov r10, r14\n"
            }
        }
    }

    fn text(&self, stage: Stage) -> String {
        let temps = "dcl_temps 16\n";
        let rows = self.constants.len();
        let head = format!("dcl_constantbuffer cb0[{rows}]\n{}", self.declarations);
        let (head, start, exit) = match stage {
            Stage::Pixel => (
                format!("ps_5_0\n{head}dcl_input_ps_position v0.xy\ndcl_output o0\n{temps}"),
                "mov r13, v0.xyxx\nftou r0.xy, v0.yxyy\nand r15.x, r0.y, l(3)\nmov r0.w, r15.x\nushr r0.y, r0.y, l(2)\n"
                    .to_owned(),
                format!("{PICK}{SHOW}ret\n"),
            ),
            Stage::Vertex => (
                format!(
                    "vs_5_0\n{head}dcl_input_vertex_id v0.x\ndcl_output_position o0\ndcl_output o1\n{temps}"
                ),
                // The middle of the pixel of this number.
                format!(
                    "and r15.y, v0.x, l(255)\nushr r0.x, v0.x, l(8)\nand r15.x, r15.y, l(3)\nushr r0.y, r15.y, l(2)\n\
                     utof r15.y, r15.y\nutof r15.z, r0.x\nmad o0.x, r15.y, l({:#x}), l({:#x})\n\
                     mad o0.y, r15.z, l({:#x}), l({:#x})\nmov o0.zw, l(0,0,0,0x3f800000)\n",
                    (2.0 / WIDTH as f32).to_bits(),
                    (1.0 / WIDTH as f32 - 1.0).to_bits(),
                    (-2.0 / self.rows() as f32).to_bits(),
                    (1.0 - 1.0 / self.rows() as f32).to_bits(),
                ),
                format!("{PICK}mov o1, r11.xxxx\nret\n"),
            ),
            Stage::Compute => (
                format!(
                    "cs_5_0\n{head}dcl_uav_raw u0\ndcl_input_thread vThreadIDInGroup.x\n\
                     dcl_input_thread vThreadGroupID.x\n{temps}dcl_thread_group {TUPLES}, 1, 1\n"
                ),
                "mov r0.x, vThreadGroupID.x\nmov r0.y, vThreadIDInGroup.x\nimad r15.x, r0.x, l(64), r0.y\nishl r15.x, r15.x, l(4)\n"
                    .to_owned()
                    + "mov r0.w, l(0)\n",
                "store_raw u0, r15.x, r10\nret\n".to_owned(),
            ),
        };
        let ready = exit.strip_suffix("ret\n").unwrap();
        let lines = self.lines().replace(EXIT, &exit).replace(READY, ready);
        format!("{head}{start}{lines}{exit}{}", self.functions)
    }

    /// The program's text, and the case that runs it, with what the model expects.
    pub fn case(&self, stage: Stage) -> (String, Case) {
        let text = self.text(stage);
        let (expected, memory) = self.expected(stage, |model| model);
        let mut rule = self.rule.clone();
        if self.has_sums {
            rule["sums"] = json!(self.expected(stage, Model::of_terms).0);
        }
        let mut files = BTreeMap::new();
        let buffer = json!({ "data": hex(&bytes_of(self.constants.as_flattened())) });
        let name = format!("{}_{stage:?}", self.name).to_lowercase();
        let mut json = json!({ "name": name, "model": "5_0", "source": text });
        match stage {
            Stage::Compute => {
                let words = expected.len();
                let written = json!({ "kind": "raw", "data": "00".repeat(4 * words) });
                files.insert("cs.dxbc".to_owned(), assemble(&text, &[], &[]));
                json["shaders"] = json!({ "cs": "cs.dxbc" });
                json["resources"] = json!({ "cs": { "b0": buffer, "u0": written } });
                json["dispatch"] = json!([self.rows(), 1, 1]);
                json["expected"] = json!({ "cs.u0": { "file": "expected", "rule": rule } });
            }
            Stage::Vertex | Stage::Pixel => {
                let is_pixel = stage == Stage::Pixel;
                let (vertex, pixel) = if is_pixel { pixel_stage(&text) } else { vertex_stage(&text) };
                files.extend([("vs.dxbc".to_owned(), vertex), ("ps.dxbc".to_owned(), pixel)]);
                json["shaders"] = json!({ "vs": "vs.dxbc", "ps": "ps.dxbc" });
                let clear = [0.0; 4];
                json["target"] =
                    json!({ "width": WIDTH, "height": self.rows(), "formats": ["rgba8unorm"], "clear": [clear] });
                json["resources"] = json!({ if is_pixel { "ps" } else { "vs" }: { "b0": buffer } });
                json["draw"] = match is_pixel {
                    true => json!({ "topology": "triangle-list", "vertices": 3 }),
                    false => json!({ "topology": "point-list", "vertices": WIDTH * self.rows() }),
                };
                let corners = bytes_of(CORNERS.map(|corner| corner.map(f32::to_bits)).as_flattened());
                json["input"] = json!([{ "semantic": "POSITION", "format": "rgba32float" }]);
                json["vertex_buffers"] = json!([{ "stride": 16, "data": hex(&corners) }]);
                if !is_pixel {
                    (json["input"], json["vertex_buffers"]) = (json!([]), json!([]));
                }
                json["expected"] = json!({ "target0": { "file": "expected", "rule": rule } });
            }
        }
        files.insert("expected".to_owned(), bytes_of(&expected));
        let bound = &mut json["resources"][stage.short_name()];
        self.bound.json().into_iter().for_each(|(name, value)| bound[name] = value);
        for (name, words) in self.left(&memory) {
            let name = format!("{}.{name}", stage.short_name());
            json["expected"][&name] = json!({ "file": name, "rule": { "kind": "exact" } });
            files.insert(name, bytes_of(&words));
        }
        (text, Case::made(name, json, files))
    }

    /// Contents that the program leaves in the resources it writes, by slots.
    fn left(&self, memory: &Memory) -> Vec<(String, Vec<u32>)> {
        let written = self.bound.buffers.keys().filter(|(name, _)| name == "u");
        let buffers = written.map(|key| (format!("{}{}", key.0, key.1), memory.words[key].clone()));
        let counters = memory.counters.iter().map(|(slot, count)| (format!("u{slot}.counter"), vec![*count]));
        buffers.chain(counters).collect()
    }

    /// Results by the model: four words a tuple, which are four pixels in a row; and the memory that it leaves behind.
    fn expected(&self, stage: Stage, as_run: impl Fn(Model) -> Model) -> (Vec<u32>, Memory) {
        let ready = "mov o0, r10\n";
        let exit = format!("{ready}ret\n");
        let mut memory = Memory::new(self.constants.clone(), &self.bound);
        let mut words = Vec::new();
        for (row, part) in (0..).zip(&self.parts) {
            let lines = format!("{}{part}", self.prologue).replace(EXIT, &exit).replace(READY, ready);
            let start = "mov r0.xyw, v0.xyww\nmov r13, v1\n";
            let text = format!("\n{}{start}{lines}{exit}{}", self.declarations, self.functions);
            let model = as_run(Model::new(&text));
            words.extend(match (self.threads, stage) {
                (Threads::Quads, Stage::Pixel) => self.quads(&model, row, &mut memory),
                (Threads::Pixels, Stage::Pixel) => {
                    let mut pixels: Vec<Thread> = (0..WIDTH).map(|x| thread(row, x / LANES, x % LANES)).collect();
                    model.run(&mut pixels, &mut memory);
                    pixels.iter().zip(0..).map(|(pixel, x)| left_by(pixel)[(x % LANES) as usize]).collect()
                }
                _ => {
                    let mut threads: Vec<Thread> = (0..TUPLES).map(|tuple| thread(row, tuple, 0)).collect();
                    model.run(&mut threads, &mut memory);
                    threads.iter().flat_map(left_by).collect::<Vec<u32>>()
                }
            });
        }
        (words, memory)
    }

    /// A row of pixels, each of which is drawn together with three around it.
    fn quads(&self, model: &Model, row: u32, memory: &mut Memory) -> Vec<u32> {
        let mut words = Vec::new();
        for x in (0..WIDTH).step_by(2) {
            let mut quad = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(right, down)| {
                let (x, y) = (x + right, (row & !1) + down);
                let mut pixel = thread(y, x / LANES, x % LANES);
                let middle = [x as f32 + 0.5, y as f32 + 0.5, 0.0, 1.0];
                pixel.inputs.insert("v1".to_owned(), middle.map(f32::to_bits));
                pixel
            });
            model.run_quad(&mut quad, memory);
            let first = (row & 1) as usize * 2;
            words.extend([0, 1].map(|right| left_by(&quad[first + right])[(x as usize + right) % LANES as usize]));
        }
        words
    }
}

/// A thread of the model: which row, tuple and lane it is.
fn thread(row: u32, tuple: u32, lane: u32) -> Thread {
    let given = [("v0", [row, tuple, 0, lane]), ("v1", [0; 4]), ("vThreadIDInGroup", [tuple, 0, 0, 0])];
    Thread::new(given.map(|(name, words)| (name.to_owned(), words)).into())
}

fn left_by(thread: &Thread) -> [u32; 4] {
    match thread.is_discarded {
        true => [0; 4],
        false => thread.outputs.get(&0).copied().unwrap_or_default(),
    }
}

/// The stages of a draw whose pixel shader is under test.
fn pixel_stage(text: &str) -> (Vec<u8>, Vec<u8>) {
    const IN: Element = ("POSITION", 0, 15, FLOAT, 0);
    const OUT: Element = ("SV_Position", 0, 15, FLOAT, POSITION);
    let vertex = "vs_5_0\ndcl_input v0\ndcl_output_position o0\nmov o0, v0\nret\n";
    (assemble(vertex, &[IN], &[OUT]), assemble(text, &[OUT], &[("SV_Target", 0, 15, FLOAT, 0)]))
}

/// The stages of a draw whose vertex shader is under test.
fn vertex_stage(text: &str) -> (Vec<u8>, Vec<u8>) {
    let between: [Element; 2] = [("SV_Position", 0, 15, FLOAT, POSITION), ("WORD", 1, 15, UINT, 0)];
    let pixel =
        format!("ps_5_0\ndcl_input_ps_constant v1.x\ndcl_output o0\ndcl_temps 12\nmov r11.x, v1.x\n{SHOW}ret\n");
    let vertex = assemble(text, &[("SV_VertexID", 0, 1, UINT, VERTEX_ID)], &between);
    (vertex, assemble(&pixel, &between, &[("SV_Target", 0, 15, FLOAT, 0)]))
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
