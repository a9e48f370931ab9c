//! Cases as streams, where these can carry what a case binds: through the player, as applications' shaders come.

use std::sync::Arc;

use aerogpu_replay::abi::a3a0::bindings::{
    CreateSampler, SetConstantBuffers, SetSamplers, SetShaderResourceBuffers, SetTexture, SetUnorderedAccessBuffers,
};
use aerogpu_replay::abi::a3a0::shaders::{BindShaders, CreateShaderDxbc};
use aerogpu_replay::abi::a3a0::work::{Dispatch, Draw};
use aerogpu_replay::abi::a3a0::{BoundHandle, BufferBinding, Bytes, Elements, UnorderedAccessBinding};
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::Size;
use aerogpu_replay::player::Player;
use serde_json::Value;

use super::agreement;
use super::case::{Case, number, text};
use crate::gpu::d3d_programs::assemble;
use crate::gpu::kept::opened;
use crate::support::streams::*;

const TARGET: u32 = 1;
const SHOWN: u32 = 2;
/// Pixels of a row in which a buffer's words are shown.
const ROW: u32 = 16;

/// A buffer's words, each a pixel.
const SHOW_WORDS: &str = "ps_5_0\ndcl_resource_raw t0\ndcl_input_ps_position v0.xy\ndcl_output o0\ndcl_temps 2\n\
    ftou r0.xy, v0.xyxx\nimad r0.x, r0.y, l(16), r0.x\nishl r0.x, r0.x, l(2)\nld_raw r1.x, r0.x, t0.xxxx\n\
    ushr r1, r1.xxxx, l(0,8,16,24)\nand r1, r1, l(255)\nutof r1, r1\nmul o0, r1, l(0x3b808081)\nret\n";
const FILL: &str = "vs_5_0\ndcl_input v0\ndcl_output_position o0\nmov o0, v0\nret\n";
const FULL: [f32; 12] = [-1.0, -1.0, 0.0, 1.0, -1.0, 3.0, 0.0, 1.0, 3.0, -1.0, 0.0, 1.0];

/// Whether streams carry all that a case binds: they have no samplers that compare, and no textures but of bytes.
pub fn has_stream(case: &Case) -> bool {
    ["vs", "ps", "cs"].into_iter().all(|stage| {
        let is_carried = |(_, given): (_, &Value)| !given["compare"].is_string() && given["format"] != "d32float";
        ['t', 's'].into_iter().all(|letter| case.resources(stage, letter).into_iter().all(is_carried))
    })
}

/// Plays a case as a stream, twice: once begun anew, and once from behind.
pub fn agrees(gpu: &Arc<Gpu>, case: &Case) -> Result<(), String> {
    let (what, expected) = case.get("expected").as_object().unwrap().iter().next().unwrap();
    let bytes = case.file(text(&expected["file"]));
    let (stream, size) = match case.is_compute() {
        true => (computed(case, &bytes), [ROW, (bytes.len() as u32 / 4).div_ceil(ROW)]),
        false => (drawn(case), ["width", "height"].map(|side| number(&case.get("target")[side], 1))),
    };
    let mut after = Stream::new();
    after.clear(1, [1.0, 0.0, 0.0, 1.0], 0.0).present();
    let file = recording([stream.as_slice(), after.finish().as_slice()]);
    let trace = opened(file);
    let [width_px, height_px] = size;
    let player = Player::new(Arc::new(trace.unwrap()), gpu.clone(), Size { width_px, height_px });
    let mut player = player.map_err(|error| error.to_string())?;
    for frame in [0, 1, 0] {
        let picture = player.render(FrameIndex(frame)).map_err(|error| error.to_string())?;
        if frame == 0 {
            let found = picture.rgba().get(..bytes.len()).ok_or("the picture is too small")?;
            agreement::check(&format!("{what} of the stream"), &expected["rule"], &bytes, found)?;
        }
    }
    Ok(())
}

/// A stream under construction, with the handle of the next resource.
struct Making<'c> {
    case: &'c Case,
    stream: Stream,
    next: u32,
}

impl Making<'_> {
    fn handle(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn shader(&mut self, stage: u32, code: &[u8]) -> u32 {
        let (handle, size_bytes) = (self.handle(), code.len() as u32);
        self.stream.put(CreateShaderDxbc { handle, stage, size_bytes, stage_ex: 0, code: Bytes::new(code) });
        handle
    }

    fn case_shader(&mut self, stage: u32, name: &str) -> u32 {
        let code = self.case.file(text(&self.case.get("shaders")[name]));
        self.shader(stage, &code)
    }

    /// Binds what a stage reads.
    fn resources(&mut self, stage: u32, name: &str) {
        for (start_slot, given) in self.case.resources(name, 'b') {
            let buffer = self.handle();
            self.stream.buffer(buffer, &self.case.bytes(&given["data"]));
            let values = Elements::to_bytes(&[BufferBinding { buffer, offset_bytes: 0, size_bytes: 0, reserved: 0 }]);
            let values = Elements::new(&values).unwrap();
            self.stream.put(SetConstantBuffers { stage, start_slot, buffer_count: 1, stage_ex: 0, values });
        }
        for (slot, given) in self.case.resources(name, 't') {
            let (handle, data) = (self.handle(), self.case.bytes(&given["data"]));
            if text(&given["kind"]) != "2d" {
                self.stream.buffer(handle, &data);
                self.read_buffer(stage, slot, handle);
                continue;
            }
            assert_eq!(given["format"], "rgba8unorm", "a format of streams");
            let size = ["width", "height"].map(|side| number(&given[side], 1));
            self.stream.texture(handle, R8G8B8A8, size, [number(&given["mips"], 1), 1]).upload(handle, 0, &data);
            self.stream.put(SetTexture { stage, slot, texture: handle, stage_ex: 0 });
        }
        for (start_slot, given) in self.case.resources(name, 's') {
            let handle = self.handle();
            let address = [0, 1, 2].map(|axis| match given["address"][axis].as_str() {
                Some("clamp") => 0,
                None | Some("wrap") => 1,
                Some("mirror") => 2,
                Some(other) => panic!("unknown address mode {other}"),
            });
            let filter = u32::from(given["min"] == "linear");
            let [address_u, address_v, address_w] = address;
            self.stream.put(CreateSampler { handle, filter, address_u, address_v, address_w });
            let values = Elements::to_bytes(&[BoundHandle { handle }]);
            let values = Elements::new(&values).unwrap();
            self.stream.put(SetSamplers { stage, start_slot, sampler_count: 1, stage_ex: 0, values });
        }
    }

    fn read_buffer(&mut self, stage: u32, start_slot: u32, buffer: u32) {
        let values = Elements::to_bytes(&[BufferBinding { buffer, offset_bytes: 0, size_bytes: 0, reserved: 0 }]);
        let values = Elements::new(&values).unwrap();
        self.stream.put(SetShaderResourceBuffers { stage, start_slot, buffer_count: 1, stage_ex: 0, values });
    }

    fn target(&mut self, [width, height]: [u32; 2]) {
        self.stream
            .texture(TARGET, R8G8B8A8, [width, height], [1, 1])
            .targets(&[TARGET], 0)
            .viewport([0.0, 0.0, width as f32, height as f32])
            .clear(1, [0.0; 4], 0.0)
            .topology(TRIANGLE_LIST);
    }
}

/// The number that streams have for a format of vertices.
fn vertex_format(name: &str) -> u32 {
    match name {
        "rgba32float" => FLOAT4,
        "rgb32float" => 6,
        "rgba8unorm" => 28,
        "rgba8uint" => 30,
        "rgba8snorm" => 31,
        other => panic!("unknown vertex format {other}"),
    }
}

fn drawn(case: &Case) -> Vec<u8> {
    let mut making = Making { case, stream: Stream::new(), next: 10 };
    making.target(["width", "height"].map(|side| number(&case.get("target")[side], 1)));
    let (vs, ps) = (making.case_shader(VERTEX, "vs"), making.case_shader(PIXEL, "ps"));
    making.resources(VERTEX, "vs");
    making.resources(PIXEL, "ps");
    let elements: Vec<Element> = case
        .get("input")
        .as_array()
        .unwrap()
        .iter()
        .map(|element| {
            let known = ["POSITION", "NORMAL", "BLENDINDICES", "BLENDWEIGHT"];
            let semantic = known.into_iter().find(|known| element["semantic"] == *known).expect("a known semantic");
            Element(semantic, vertex_format(text(&element["format"])), 0, number(&element["offset"], 0), 0)
        })
        .collect();
    let layout = making.handle();
    making.stream.layout(layout, &elements);
    if let [vertices] = &case.get("vertex_buffers").as_array().unwrap()[..] {
        let buffer = making.handle();
        let stride = number(&vertices["stride"], 0);
        making.stream.buffer(buffer, &case.bytes(&vertices["data"])).vertex_buffer(0, buffer, stride, 0);
    }
    let draw = case.get("draw");
    making
        .stream
        .shaders(vs, ps)
        .put(Draw {
            vertex_count: number(&draw["vertices"], 0),
            instance_count: number(&draw["instances"], 1),
            first_vertex: 0,
            first_instance: 0,
        })
        .present();
    making.stream.finish()
}

fn computed(case: &Case, expected: &[u8]) -> Vec<u8> {
    let mut making = Making { case, stream: Stream::new(), next: 10 };
    making.target([ROW, (expected.len() as u32 / 4).div_ceil(ROW)]);
    let cs = making.case_shader(COMPUTE, "cs");
    making.resources(COMPUTE, "cs");
    let written = case.resources("cs", 'u');
    assert!(written.keys().eq([&0]), "one buffer is written");
    making.stream.buffer(SHOWN, &case.bytes(&written[&0]["data"]));
    let bound = UnorderedAccessBinding { buffer: SHOWN, offset_bytes: 0, size_bytes: 0, initial_count: u32::MAX };
    let values = Elements::to_bytes(&[bound]);
    let values = Elements::new(&values).unwrap();
    let [x, y, z] = [0, 1, 2].map(|axis| number(&case.get("dispatch")[axis], 1));
    making
        .stream
        .put(SetUnorderedAccessBuffers { stage: COMPUTE, start_slot: 0, uav_count: 1, stage_ex: 0, values })
        .put(BindShaders { vs: 0, ps: 0, cs, reserved: 0, appended: None })
        .put(Dispatch { x, y, z, stage_ex: 0 });
    const POSITION: (&str, u32, u32, u32, u32) = ("POSITION", 0, 15, 3, 0);
    const MIDDLE: (&str, u32, u32, u32, u32) = ("SV_Position", 0, 15, 3, 1);
    let vs = making.shader(VERTEX, &assemble(FILL, &[POSITION], &[MIDDLE]));
    let ps = making.shader(PIXEL, &assemble(SHOW_WORDS, &[MIDDLE], &[("SV_Target", 0, 15, 3, 0)]));
    making.read_buffer(PIXEL, 0, SHOWN);
    let (layout, buffer) = (making.handle(), making.handle());
    making
        .stream
        .layout(layout, &[Element("POSITION", FLOAT4, 0, 0, 0)])
        .buffer(buffer, &floats(&FULL))
        .vertex_buffer(0, buffer, 16, 0)
        .shaders(vs, ps)
        .draw(0, 3)
        .present();
    making.stream.finish()
}
