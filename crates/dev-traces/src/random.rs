//! Random small traces that replay, full of what makes seeking hard.

use aerogpu_trace::abi::reference::Packet;

pub use trace_base::testing::random::Random;

use super::raw::RawTrace;
use super::scene::{FRAGMENT_WGSL, VERTEX_WGSL};

/// Side of the target that these traces are made for.
pub const SIDE_PX: u32 = 16;

const POSITION_ONLY_WGSL: &str = "@vertex fn v(@location(0) at: vec2f) -> @builtin(position) vec4f {
  return vec4f(at * 0.5, 0.0, 1.0);
}";
const NUMBERED_WGSL: &str = "struct Out { @builtin(position) at: vec4f, @location(0) tint: vec4f }
@vertex fn v(@builtin(vertex_index) n: u32, @location(1) tint: vec4f) -> Out {
  let at = vec2f(f32(n % 3u) - 1.0, f32((n * 7u) % 5u) * 0.5 - 1.0);
  return Out(vec4f(at, 0.0, 1.0), tint);
}";
const PURPLE_WGSL: &str = "@fragment fn f() -> @location(0) vec4f { return vec4f(0.5, 0.0, 0.75, 1.0); }";

/// A random trace of a few frames.
pub fn random_trace(seed: u64) -> Vec<u8> {
    random_trace_of(seed, 12)
}

/// One with fewer than `commands` in each frame, besides those that every frame has.
pub fn random_trace_of(seed: u64, commands: u32) -> Vec<u8> {
    let mut maker = Maker::new(seed);
    maker.commands = commands;
    maker.prologue();
    let frames = 2 + maker.random.below(7);
    for frame in 0..frames {
        maker.frame(frame);
    }
    maker.finish()
}

struct Maker {
    random: Random,
    /// A frame has fewer.
    commands: u32,
    trace: RawTrace,
    /// Commands of the Packet record under construction.
    pending: Vec<u8>,
    /// Blobs that come only at the end, or after the next frame.
    late_blobs: Vec<(u64, Vec<u8>)>,
    next_blob: u64,
    /// By id: size.
    buffers: [Option<u32>; 4],
    /// By id: whether it is complete. Vertex shaders are 0 to 2, fragment shaders 3 and 4.
    pipelines: [bool; 3],
    pipeline_is_set: bool,
    /// Size and layout of what is bound.
    bound: Option<(u32, [u32; 3])>,
}

impl Maker {
    fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            commands: 0,
            trace: RawTrace::new(),
            pending: Vec::new(),
            late_blobs: Vec::new(),
            next_blob: 100,
            buffers: [None; 4],
            pipelines: [false; 3],
            pipeline_is_set: false,
            bound: None,
        }
    }

    /// Shader texts, before the first frame.
    fn prologue(&mut self) {
        let texts = [VERTEX_WGSL, POSITION_ONLY_WGSL, NUMBERED_WGSL, FRAGMENT_WGSL, PURPLE_WGSL];
        for (id, text) in (1..).zip(texts) {
            self.trace.blob(id, 4, text.as_bytes());
        }
    }

    fn packet(&mut self, packet: Packet) {
        packet.write(&mut self.pending);
        if !self.random.one_in(3) {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.pending.is_empty() {
            let pending = std::mem::take(&mut self.pending);
            self.trace.record(3, &pending);
        }
    }

    fn blob(&mut self, id: u64, kind: u32, bytes: &[u8]) {
        self.flush();
        self.trace.blob(id, kind, bytes);
    }

    fn frame(&mut self, frame: u32) {
        let start = self.trace.offset();
        if !self.random.one_in(5) {
            self.trace.begin(frame);
        }
        if frame == 0 {
            for shader in 0..5 {
                self.create_shader(shader);
            }
            self.create_pipeline(0);
            self.create_buffer(0);
        }
        if self.random.one_in(2) {
            self.clear();
        }
        for _ in 0..self.random.below(self.commands) {
            self.command();
        }
        self.packet(Packet::Present {});
        self.flush();
        let present = self.trace.offset();
        let has_present = !self.random.one_in(5);
        if has_present {
            self.trace.present(frame);
        }
        let end = self.trace.offset();
        self.trace.entry(start, if has_present { present } else { 0 }, end);
        if self.random.one_in(3) {
            self.late();
        }
    }

    /// The blobs that packets have referred to already.
    fn late(&mut self) {
        for (id, bytes) in std::mem::take(&mut self.late_blobs) {
            self.trace.blob(id, 1, &bytes);
        }
    }

    fn finish(mut self) -> Vec<u8> {
        self.late();
        self.trace.finish()
    }

    fn command(&mut self) {
        match self.random.below(20) {
            0 => self.clear(),
            1 => {
                let id = self.random.below(4);
                self.create_buffer(id);
            }
            2..=6 => self.upload(),
            7 => {
                let shader = self.random.below(5);
                self.create_shader(shader);
            }
            8 => {
                let id = self.random.below(3);
                self.create_pipeline(id);
            }
            9 | 10 => self.set_pipeline(),
            11 | 12 => self.bind(),
            13 => {
                let sides = [0, 4, 9, SIDE_PX];
                let (width_px, height_px) = (self.random.pick(&sides), self.random.pick(&sides));
                self.packet(Packet::SetViewport { width_px, height_px });
            }
            _ => self.draw(),
        }
    }

    fn clear(&mut self) {
        let [r, g, b, a] = [0; 4].map(|_: u32| self.random.below(5) as f32 * 0.25);
        self.packet(Packet::Clear { r, g, b, a });
    }

    fn create_buffer(&mut self, id: u32) {
        let size_bytes = self.random.pick(&[72, 144, 145, 96, 7, 300]);
        self.packet(Packet::CreateBuffer { buffer_id: id, size_bytes, usage: 0 });
        self.buffers[id as usize] = Some(size_bytes);
        if !self.random.one_in(4) {
            self.upload_to(id, 0, size_bytes);
        }
    }

    fn upload(&mut self) {
        let id = self.random.below(4);
        if let Some(size) = self.buffers[id as usize] {
            let start = self.random.below(size + 1);
            let length = self.random.below(size - start + 1).min(self.random.pick(&[2, 24, 400]));
            self.upload_to(id, start, length);
        }
    }

    fn upload_to(&mut self, id: u32, offset_bytes: u32, length: u32) {
        // Four bytes make a float between -1.5 and 1.5, wherever they land aligned.
        let bytes: Vec<u8> = (0..length)
            .flat_map(|_| {
                let value = self.random.below(13) as f32 * 0.25 - 1.5;
                value.to_le_bytes()
            })
            .take(length as usize)
            .collect();
        let blob_id = match self.random.below(6) {
            // An id that has meant other bytes of another length before.
            0 => 7,
            // Bytes that come later in the file, under an id of their own.
            1 => {
                self.next_blob += 1;
                self.late_blobs.push((self.next_blob, bytes.clone()));
                self.next_blob
            }
            _ => {
                self.next_blob += 1;
                self.next_blob
            }
        };
        if self.late_blobs.last().is_none_or(|(late, _)| *late != blob_id) {
            self.blob(blob_id, 1, &bytes);
        }
        self.packet(Packet::UploadBuffer { buffer_id: id, offset_bytes, data_len_bytes: length, blob_id });
    }

    fn create_shader(&mut self, shader: u32) {
        // Re-created with another text of its stage.
        let text = if shader < 3 { self.random.below(3) } else { 3 + self.random.below(2) };
        // Only the fragment shader without inputs goes with every vertex shader.
        let text = match text {
            1 if shader != 1 => 0,
            3 if shader != 3 => 4,
            text => text,
        };
        let (stage, wgsl_blob_id) = (u32::from(shader >= 3), u64::from(text) + 1);
        self.packet(Packet::CreateShader { shader_id: shader, stage, glsl_blob_id: 0, wgsl_blob_id, dxbc_blob_id: 0 });
    }

    fn create_pipeline(&mut self, id: u32) {
        let vs_shader_id = self.random.below(3);
        let fs_shader_id = if vs_shader_id == 1 { 4 } else { 3 + self.random.below(2) };
        self.packet(Packet::CreatePipeline { pipeline_id: id, vs_shader_id, fs_shader_id });
        self.pipelines[id as usize] = true;
    }

    fn set_pipeline(&mut self) {
        let id = self.random.below(3);
        if self.pipelines[id as usize] {
            self.packet(Packet::SetPipeline { pipeline_id: id });
            self.pipeline_is_set = true;
        }
    }

    fn bind(&mut self) {
        let id = self.random.below(4);
        if let Some(size) = self.buffers[id as usize] {
            let layout = self.random.pick(&[
                [24, 0, 8],
                [24, 0, 8],
                [24, 16, 0],
                [27, 5, 16],
                [8, 0, 4],
                [0, 4, 12],
                [20, 1, 2],
            ]);
            let [stride_bytes, position_offset_bytes, color_offset_bytes] = layout;
            let buffer_id = id;
            self.packet(Packet::SetVertexBuffer { buffer_id, stride_bytes, position_offset_bytes, color_offset_bytes });
            self.bound = Some((size, layout));
        }
    }

    fn draw(&mut self) {
        if !self.pipeline_is_set {
            self.set_pipeline();
        }
        if self.bound.is_none() {
            self.bind();
        }
        let (true, Some((size, [stride, position, color]))) = (self.pipeline_is_set, self.bound) else { return };
        let reach = (position + 8).max(color + 16);
        if reach > size {
            return;
        }
        let vertices = (size - reach).checked_div(stride).map_or(9, |last| last + 1);
        let first_vertex = self.random.below(vertices);
        let vertex_count = (vertices - first_vertex).min(self.random.pick(&[0, 3, 6, 6, 6]));
        self.packet(Packet::Draw { vertex_count, first_vertex });
    }
}
