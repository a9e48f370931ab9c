//! The counters of buffers that shaders append to and consume from: what they begin with, who counts, and how long that lasts.

use aerogpu_replay::abi::a3a0::bindings::SetUnorderedAccessBuffers;
use aerogpu_replay::abi::a3a0::resources::DestroyResource;
use aerogpu_replay::abi::a3a0::shaders::{BindShaders, CreateShaderDxbc};
use aerogpu_replay::abi::a3a0::work::Dispatch;
use aerogpu_replay::abi::a3a0::{Bytes, Elements, UnorderedAccessBinding};

use super::{Frame, unorm};
use crate::gpu::d3d_programs::assemble;
use crate::support::streams::*;

const TARGET: u32 = 1;
/// Pixels of the target, which has one row.
const ROW: u32 = 12;
/// The buffer that is appended to, and another one.
const LIST: u32 = 20;
const OTHER: u32 = 21;
/// Buffer that `constant.ps` shows from byte 16 on, where the compute shaders write what they have counted.
const SHOWN: u32 = 22;
const KEEP: u32 = u32::MAX;

/// The bits of 1/64 and of 1.
const SHARE: u32 = (1.0_f32 / 64.0).to_bits();
const ONE: u32 = 1.0_f32.to_bits();

const SHOW: u32 = 2;
const APPEND: u32 = 3;
const CONSUME: u32 = 4;
/// A pixel shader that appends once a pixel.
const APPEND_PIXELS: u32 = 5;

/// Frames of a chain of counts.
const CHAIN: u32 = 120;

/// One thread, which shows what a counter is behind its step, in 1/64.
fn counting(step: &str, from_one: &str) -> Vec<u8> {
    let text = format!(
        "cs_5_0\ndcl_uav_counted u0, 4\ndcl_uav_raw u1\ndcl_temps 1\ndcl_thread_group 1, 1, 1\n\
         {step} r0.x, u0\n{from_one}utof r0.x, r0.x\nmul r0.x, r0.x, l({SHARE})\nstore_raw u1.x, l(16), r0.x\nret"
    );
    assemble(&text, &[], &[])
}

fn appending_pixels() -> Vec<u8> {
    let text = format!(
        "ps_5_0\ndcl_uav_counted u1, 4\ndcl_output o0.xyzw\ndcl_temps 1\n\
                imm_atomic_alloc r0.x, u1\nmov o0.xyzw, l(0, {ONE}, 0, {ONE})\nret"
    );
    assemble(&text, &[], &[("SV_Target", 0, 15, 3, 0)])
}

struct Frames {
    made: Vec<Frame>,
    stream: Stream,
}

impl Frames {
    fn code(&mut self, handle: u32, stage: u32, code: &[u8]) -> &mut Self {
        let size_bytes = code.len() as u32;
        self.stream.put(CreateShaderDxbc { handle, stage, size_bytes, stage_ex: 0, code: Bytes::new(code) });
        self
    }

    fn bind(&mut self, stage: u32, start_slot: u32, buffer: u32, initial_count: u32) -> &mut Self {
        let values =
            Elements::to_bytes(&[UnorderedAccessBinding { buffer, offset_bytes: 0, size_bytes: 0, initial_count }]);
        let values = Elements::new(&values).unwrap();
        self.stream.put(SetUnorderedAccessBuffers { stage, start_slot, uav_count: 1, stage_ex: 0, values });
        self
    }

    /// So many threads count, one after the other.
    fn count(&mut self, shader: u32, threads: u32) -> &mut Self {
        self.bind(COMPUTE, 1, SHOWN, KEEP);
        self.stream.put(BindShaders { vs: 0, ps: 0, cs: shader, reserved: 0, appended: None });
        for _ in 0..threads {
            self.stream.put(Dispatch { x: 1, y: 1, z: 1, stage_ex: 0 });
        }
        self
    }

    /// A frame whose picture is what was counted last.
    fn shows(&mut self, about: &str, count: u32) {
        self.stream.shaders(1, SHOW).constants(SHOWN, 0, 0).draw(0, 6).present();
        let stream = std::mem::replace(&mut self.stream, Stream::new()).finish();
        let rgba = vec![[unorm(f64::from(count) / 64.0), 0, 255, 255]; ROW as usize];
        self.made.push(Frame { about: about.to_owned(), stream, size: [ROW, 1], rgba, tolerance: 1 });
    }
}

pub fn frames() -> Vec<Frame> {
    let mut stream = Stream::new();
    stream
        .shader(1, VERTEX, "quad.vs")
        .shader(SHOW, PIXEL, "constant.ps")
        .layout(1, &[Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)])
        .vertices(2, &rectangle(WHOLE, 0.5, [[0.0; 4]; 4]))
        .topology(TRIANGLE_LIST)
        .viewport([0.0, 0.0, ROW as f32, 1.0])
        .texture(TARGET, R8G8B8A8, [ROW, 1], [1, 1])
        .targets(&[TARGET], 0)
        .clear(1, [0.0, 0.0, 1.0, 1.0], 0.0)
        .buffer(LIST, &floats(&[0.0; 16]))
        .buffer(OTHER, &floats(&[0.0; 16]))
        .buffer(SHOWN, &floats(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]));
    let mut frames = Frames { made: Vec::new(), stream };
    frames
        .code(APPEND, COMPUTE, &counting("imm_atomic_alloc", "iadd r0.x, r0.x, l(1)\n"))
        .code(CONSUME, COMPUTE, &counting("imm_atomic_consume", ""))
        .code(APPEND_PIXELS, PIXEL, &appending_pixels());

    frames.bind(COMPUTE, 0, LIST, KEEP).count(APPEND, 1).shows("a counter is 0 at first", 1);
    frames.count(APPEND, 1).shows("it counts from frame to frame", 2);
    frames.bind(COMPUTE, 0, LIST, KEEP).count(APPEND, 2).shows("a binding that keeps it keeps it", 4);
    frames.bind(COMPUTE, 0, LIST, 20).count(APPEND, 1).shows("another one sets it", 21);
    frames.count(CONSUME, 3).shows("it counts down", 18);
    frames.bind(COMPUTE, 0, OTHER, KEEP).count(APPEND, 1).shows("each buffer has its own", 1);
    frames.bind(COMPUTE, 0, LIST, KEEP).count(APPEND, 1).shows("the other one's is as it was", 19);
    frames.bind(COMPUTE, 0, OTHER, 30).bind(COMPUTE, 0, LIST, KEEP).count(APPEND, 1);
    frames.shows("a binding that is replaced has set it nevertheless, and no other one", 20);
    frames.bind(COMPUTE, 0, OTHER, KEEP).count(APPEND, 1).shows("which is seen later", 31);
    frames.stream.upload(LIST, 0, &floats(&[7.0; 16]));
    frames.bind(COMPUTE, 0, LIST, KEEP).count(CONSUME, 1).shows("bytes that are written are not its", 19);

    frames.bind(PIXEL, 1, LIST, KEEP).stream.shaders(1, APPEND_PIXELS).draw(0, 6).draw(0, 6);
    frames.count(APPEND, 1).shows("pixels count too, in whichever slot the buffer is bound", 20 + 2 * ROW);
    frames.bind(PIXEL, 1, LIST, 3).stream.shaders(1, APPEND_PIXELS).draw(0, 6);
    frames.count(CONSUME, 1).shows("a binding for pixels sets it as well", 2 + ROW);

    frames.bind(COMPUTE, 0, 0, 9).count(APPEND, 3).shows("where nothing is bound, nothing counts on", 1);
    frames.bind(COMPUTE, 0, LIST, KEEP).count(APPEND, 1).shows("and nothing was set", 3 + ROW);
    frames.stream.put(DestroyResource { handle: LIST, reserved: 0 }).buffer(LIST, &floats(&[0.0; 16]));
    frames.bind(COMPUTE, 0, LIST, KEEP).count(APPEND, 1).shows("a new buffer of the same handle has a new one", 1);
    // More than lies between two copies of what is long in the making.
    frames.bind(COMPUTE, 0, LIST, 0).bind(COMPUTE, 0, OTHER, 0);
    for number in 0..CHAIN {
        frames.bind(COMPUTE, 0, if number % 2 == 0 { LIST } else { OTHER }, KEEP).count(APPEND, 1);
        frames.shows(&format!("count {number} of a chain"), number / 2 + 1);
    }
    frames.made
}
