//! Makes random traces, and carries each command out on the model as it writes it.

use aerogpu_replay::abi::a3a0::state::SetBlendState;

use super::generate_resources::{ADDRESS, ALLOCATION, MEMORY_BYTES};
use super::model::{COLORED, CONSTANT, Context, Fixed, Model, TEXTURED, TINTED_9};
use super::texture::{Rgba, Texture};
use crate::support::a3a0::{
    Bank, Bound, Bytes, Command, Compute, D32F, Frame, Handle, Memory, Pixel, Scene, Submission, Vertex,
};
use crate::support::random::Random;
use crate::support::streams::{
    APPENDED, DECLARATION_9, Element, FLOAT4, PIXEL_SHADER_9, TRIANGLE_LIST, VERTEX_BYTES, VERTEX_SHADER_9, bytes_of,
    layout_of, made_code, rectangle, unblended,
};

/// A trace, and what its frames show.
pub struct Generated {
    pub scene: Scene,
    pub frames: Vec<Shown>,
}

/// A picture: its size, and its pixels.
pub type Shown = ([u32; 2], Vec<Rgba>);

const MOST_FRAMES: u32 = 12;
const MOST_COMMANDS: u32 = 24;
const CONTEXTS: [u32; 2] = [1, 2];

// Handles.
const VERTICES_OF: u32 = 10;
const INDICES_OF: u32 = 20;
const FIRST_VIEW: u32 = 1000;

pub fn generate(seed: u64) -> Generated {
    let random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let focus = [Focus::Anything, Focus::Buffers, Focus::Memory][(seed % 3) as usize];
    let mut maker = Maker {
        focus,
        random,
        model: Model::new(MEMORY_BYTES),
        current: Submission::default(),
        textures: Vec::new(),
        views: Vec::new(),
        tokens: Vec::new(),
        next_view: FIRST_VIEW,
        next_token: 1,
    };
    let frame_count = 1 + maker.random.below(MOST_FRAMES);
    let made = (0..frame_count).map(|number| (maker.frame(number == 0), maker.model.shown.clone()));
    let (frames, shown) = made.unzip();
    Generated { scene: Scene { frames }, frames: shown }
}

/// Commands that a trace has most of: effects that need several commands in a row are rare among all there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Focus {
    Anything,
    Buffers,
    Memory,
}

pub(super) struct Maker {
    pub focus: Focus,
    pub random: Random,
    pub model: Model,
    current: Submission,
    /// Handles of textures, and of views with their texture's.
    pub textures: Vec<Handle>,
    pub views: Vec<(Handle, Handle)>,
    /// Tokens that textures can be had by, with the texture.
    pub tokens: Vec<(u64, usize)>,
    pub next_view: Handle,
    pub next_token: u64,
}

impl Maker {
    /// Adds a command, and carries it out on the model.
    pub fn push(&mut self, command: Command) {
        self.model.carry_out(self.current.context, &command);
        self.current.commands.push(command);
    }

    pub fn context(&self) -> &Context {
        &self.model.contexts[&self.current.context]
    }

    fn frame(&mut self, is_first: bool) -> Frame {
        let mut submissions = Vec::new();
        for context in CONTEXTS.into_iter().filter(|_| is_first) {
            self.begin_submission(context);
            self.begin_context();
            submissions.push(std::mem::take(&mut self.current));
        }
        for _ in 0..1 + self.random.below(3) {
            let context = self.random.pick(&CONTEXTS);
            self.begin_submission(context);
            for _ in 0..1 + self.random.below(MOST_COMMANDS) {
                self.command();
            }
            if !self.random.one_in(6) {
                self.present();
            }
            submissions.push(std::mem::take(&mut self.current));
        }
        Frame { submissions }
    }

    /// The guest may have written to its memory since the last one.
    fn begin_submission(&mut self, context: u32) {
        let written = self.write_memory();
        let bytes = Bytes(self.model.memory.as_slice().into());
        let memory = Memory { allocation: ALLOCATION, gpa: ADDRESS, bytes };
        self.current = Submission::of(context, &[]).with_memory(&[memory]);
        for (handle, offset, size) in written {
            self.push(Command::Dirty { handle, offset, size });
        }
    }

    /// Shaders and layouts belong to all, what is bound to each.
    fn begin_context(&mut self) {
        let context = self.current.context;
        self.model.begin_context(context);
        if context == CONTEXTS[0] {
            let made = |name: &str| made_code(&format!("{name}.dxbc"));
            for (handle, stage, name, code) in [
                (1, Vertex, "quad.vs", made("quad.vs")),
                (COLORED, Pixel, "color.ps", made("color.ps")),
                (TEXTURED, Pixel, "sample.ps", made("sample.ps")),
                (4, Vertex, "of Direct3D 9", bytes_of(&VERTEX_SHADER_9)),
                (TINTED_9, Pixel, "of Direct3D 9", bytes_of(&PIXEL_SHADER_9)),
                (CONSTANT, Pixel, "constant.ps", made("constant.ps")),
                (7, Compute, "copy.cs", made("copy.cs")),
            ] {
                self.push(Command::CreateShader { handle, stage, name: name.to_owned(), code: Bytes(code.into()) });
            }
        }
        let elements = [Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)];
        let layout = |handle, name: &str, blob: &[u8]| Command::CreateLayout {
            handle,
            name: name.to_owned(),
            blob: Bytes(blob.into()),
        };
        let vertices = VERTICES_OF + context;
        let slots = vec![Bound { buffer: vertices, offset: 0, size: VERTEX_BYTES }];
        for command in [
            layout(context, "of Direct3D 11", &layout_of(&elements)),
            Command::SetLayout { handle: context },
            layout(context + 10, "of Direct3D 9", &DECLARATION_9),
            Command::CreateBuffer { handle: vertices, size: VERTEX_BYTES * 6 * 4, backing: None },
            Command::VertexBuffers { first: 0, slots },
            Command::CreateBuffer { handle: INDICES_OF + context, size: 64, backing: None },
            Command::Topology { topology: TRIANGLE_LIST },
        ] {
            self.push(command);
        }
        self.address_of_11(1);
        // Nothing is culled in Direct3D 9.
        self.push(Command::RenderState { state: 22, value: 1 });
        self.shaders(COLORED);
        self.push(Command::Viewport([0, 0, 16, 16]));
        self.scissor();
        self.fixed_11();
        self.fixed_9();
        self.tint();
    }

    /// Binds what draws with this pixel shader.
    pub fn shaders(&mut self, ps: Handle) {
        let (vs, layout) = if ps == TINTED_9 { (4, 10) } else { (1, 0) };
        self.push(Command::BindShaders { vs, ps, cs: 0 });
        self.push(Command::SetLayout { handle: layout + self.current.context });
    }

    fn command(&mut self) {
        match (self.focus, self.random.below(8)) {
            (Focus::Buffers, 0..5) => self.buffer_command(),
            (Focus::Memory, 0..2) => self.copy(),
            (Focus::Memory, 2..4) => self.refresh_anything(),
            _ => self.any_command(),
        }
    }

    fn any_command(&mut self) {
        match self.random.below(100) {
            0..7 => self.create(),
            7..9 => self.create_again(),
            9..11 => self.destroy(),
            11..15 => self.view(),
            15..18 => self.share(),
            18..24 => self.upload(),
            24..31 => self.copy(),
            31..42 => self.targets(),
            42..50 => self.read(),
            50..55 => self.clear(),
            55..61 => {
                let is_of_9 = self.random.pick(&[true, false]);
                let ps = self.random.pick(&[COLORED, TEXTURED, CONSTANT]);
                self.shaders(if is_of_9 { TINTED_9 } else { ps });
            }
            61..64 => self.fixed_11(),
            64..67 => self.fixed_9(),
            67..69 => self.tint(),
            69..71 => self.scissor(),
            71..73 => self.random_viewport(),
            73..75 => self.addressing(),
            75..77 => self.refresh_anything(),
            77..87 => self.buffer_command(),
            _ => self.draw(),
        }
    }

    pub fn texture_of(&self, handle: u32) -> &Texture {
        &self.model.textures[self.model.names[&handle].texture]
    }

    /// Handles of colours, and views; depth not among them.
    fn seen(&self) -> Vec<u32> {
        let is_color = |handle: &u32| self.texture_of(*handle).desc.format != D32F;
        let textures = self.textures.iter().copied().filter(is_color);
        textures.chain(self.views.iter().map(|(view, _)| *view)).collect()
    }

    fn targets(&mut self) {
        let seen = self.seen();
        let first = if seen.is_empty() || self.random.one_in(8) { 0 } else { self.random.pick(&seen) };
        let (mut second, mut depth) = (0, 0);
        if first != 0 {
            let first_view = self.model.names[&first];
            let size = self.model.size_of(first_view);
            let fits = |handle: &u32| {
                let view = self.model.names[handle];
                let is_other = (view.texture, view.mips[0], view.layers[0])
                    != (first_view.texture, first_view.mips[0], first_view.layers[0]);
                self.model.size_of(view) == size && is_other
            };
            let others: Vec<u32> = seen.iter().copied().filter(fits).collect();
            let is_depth = |handle: &u32| self.texture_of(*handle).desc.format == D32F && fits(handle);
            let depths: Vec<u32> = self.textures.iter().copied().filter(is_depth).collect();
            if !others.is_empty() && self.random.one_in(4) {
                second = self.random.pick(&others);
            }
            if !depths.is_empty() && self.random.one_in(2) {
                depth = self.random.pick(&depths);
            }
        }
        let colors = if second != 0 {
            vec![first, second]
        } else if first != 0 {
            vec![first]
        } else {
            Vec::new()
        };
        self.push(Command::Targets { colors, depth });
        if self.random.one_in(2) {
            self.push(Command::Viewport([0, 0, 16, 16]));
        }
    }

    fn random_viewport(&mut self) {
        let side = |random: &mut Random| random.pick(&[4, 8, 16]);
        let at = |random: &mut Random| random.below(13) as i32 - 6;
        let random = &mut self.random;
        let viewport = [at(random), at(random), side(random), side(random)];
        self.push(Command::Viewport(viewport));
    }

    fn read(&mut self) {
        let seen = self.seen();
        let handle = if seen.is_empty() || self.random.one_in(8) { 0 } else { self.random.pick(&seen) };
        self.push(Command::Texture { stage: Pixel, slot: 0, texture: handle });
    }

    /// Whole bytes.
    fn color(&mut self) -> [f32; 4] {
        std::array::from_fn(|_| self.random.below(256) as f32 / 255.0)
    }

    /// Eighths, so that they are the same in every format of depth.
    fn depth_value(&mut self) -> f32 {
        self.random.below(9) as f32 / 8.0
    }

    fn clear(&mut self) {
        let flags = 1 + self.random.below(3);
        let (color, depth) = (self.color(), self.depth_value());
        self.push(Command::Clear { flags, color, depth, stencil: 0 });
    }

    /// But for alpha.
    fn random_fixed(&mut self) -> Fixed {
        let (blends, blend_op) = self.random.pick(&[(false, 1), (false, 1), (true, 1), (true, 3), (true, 5)]);
        Fixed {
            blends,
            blend_op,
            mask: if self.random.one_in(2) { 15 } else { self.random.below(16) as u8 },
            has_scissor: self.random.one_in(3),
            tests_depth: !self.random.one_in(4),
            writes_depth: !self.random.one_in(3),
            compare: self.random.pick(&[2, 4, 5, 8]),
            ..Fixed::default()
        }
    }

    fn fixed_11(&mut self) {
        let fixed = self.random_fixed();
        let op = fixed.blend_op - 1;
        self.push(Command::Blend(SetBlendState {
            enable: u32::from(fixed.blends),
            dst: 1,
            op,
            write_mask: fixed.mask,
            dst_alpha: Some(1),
            op_alpha: Some(op),
            ..unblended()
        }));
        let (test, write, func) = (fixed.tests_depth, fixed.writes_depth, fixed.compare - 1);
        self.push(Command::DepthStencil { test, write, func, stencil: false });
        self.push(Command::Rasterizer { cull: 0, scissor: fixed.has_scissor });
    }

    fn fixed_9(&mut self) {
        let fixed = self.random_fixed();
        // Bytes that texels often have.
        let reference = self.random.pick(&[0, 1, 127, 128, 200, 255]);
        let alpha = self.random.one_in(3).then(|| (1 + self.random.below(8), reference));
        let (compare_alpha, reference) = alpha.unwrap_or((8, 0));
        // D3DRS_ALPHABLENDENABLE, SRCBLEND, DESTBLEND, BLENDOP, COLORWRITEENABLE, SCISSORTESTENABLE, ZENABLE,
        // ZWRITEENABLE, ZFUNC, ALPHATESTENABLE, ALPHAFUNC, ALPHAREF.
        for (state, value) in [
            (27, u32::from(fixed.blends)),
            (19, 2),
            (20, 2),
            (171, fixed.blend_op),
            (168, u32::from(fixed.mask)),
            (174, u32::from(fixed.has_scissor)),
            (7, u32::from(fixed.tests_depth)),
            (14, u32::from(fixed.writes_depth)),
            (23, fixed.compare),
            (15, u32::from(alpha.is_some())),
            (25, compare_alpha),
            (24, reference),
        ] {
            self.push(Command::RenderState { state, value });
        }
    }

    fn tint(&mut self) {
        let tint: [f32; 4] = std::array::from_fn(|_| if self.random.one_in(4) { 0.0 } else { 1.0 });
        let registers = vec![tint.map(f32::to_bits)];
        self.push(Command::Constants { bank: Bank::Float, stage: Pixel, first: 0, registers });
    }

    fn scissor(&mut self) {
        let at = |random: &mut Random| random.below(12) as i32 - 3;
        let side = |random: &mut Random| 1 + random.below(12) as i32;
        let random = &mut self.random;
        let scissor = [at(random), at(random), side(random), side(random)];
        self.push(Command::Scissor(scissor));
    }

    /// Draws a rectangle in whole pixels of the viewport, whose texels are read one by one.
    pub fn draw(&mut self) {
        let Context { viewport: [_, _, width, height], ps, .. } = *self.context();
        let mut span = |whole: u32| {
            let first = self.random.below(whole);
            [first, first + 1 + self.random.below(whole - first)]
        };
        let ([left, right], [top, bottom]) = (span(width as u32), span(height as u32));
        let (depth, color) = (self.depth_value(), self.color());
        // The texel that the viewport's first pixel shows, and the mip of those seen.
        let (texel, level) = ([self.random.below(16), self.random.below(16)], self.random.below(3));
        let read = self.model.mip_read(self.current.context, level);
        let read_size = read.map_or([4, 4], |(texture, mip)| texture.desc.mip_size(mip));
        let x = |at: u32| at as f32 / width as f32 * 2.0 - 1.0;
        let y = |at: u32| 1.0 - at as f32 / height as f32 * 2.0;
        let of_texel = |at: u32, axis: usize| (at + texel[axis]) as f32 / read_size[axis] as f32;
        let corner = |column: u32, row: u32| match ps {
            COLORED => color,
            _ => [of_texel(column, 0), of_texel(row, 1), level as f32, 0.0],
        };
        let corners = [corner(left, top), corner(right, top), corner(left, bottom), corner(right, bottom)];
        let bytes = Bytes(rectangle([x(left), y(top), x(right), y(bottom)], depth, corners).into());
        // One of four places in the context's buffer.
        let first = self.random.below(4) * 6;
        self.push(Command::Upload { handle: VERTICES_OF + self.current.context, offset: first * VERTEX_BYTES, bytes });
        if self.random.one_in(3) {
            self.draw_indexed(first);
        } else {
            self.push(Command::Draw { vertices: 6, instances: 1, first, first_instance: 0 });
        }
    }

    /// Draws six vertices from `first` on by indices behind some that are not read.
    fn draw_indexed(&mut self, first: u32) {
        let (is_wide, unread) = (self.random.below(2) == 1, self.random.below(4));
        let base = self.random.below(first + 4);
        // With a base behind the first they would be below 0.
        let base = base.min(first);
        let indices: Vec<u32> = (0..unread).map(|_| 999).chain((0..6).map(|number| first + number - base)).collect();
        let bytes = |index: &u32| index.to_le_bytes().into_iter().take(if is_wide { 4 } else { 2 });
        let bytes = Bytes(indices.iter().flat_map(bytes).collect());
        let (buffer, offset) = (INDICES_OF + self.current.context, if self.random.one_in(2) { 4 } else { 0 });
        self.push(Command::Upload { handle: buffer, offset, bytes });
        self.push(Command::IndexBuffer { buffer, is_wide, offset });
        self.push(Command::DrawIndexed { indices: 6, instances: 1, first: unread, base_vertex: base as i32 });
    }

    /// Chooses how texels outside of textures are found, in one of the worlds: wrapped, mirrored or clamped.
    fn addressing(&mut self) {
        let address = self.random.pick(&[1, 2, 3]);
        if self.random.one_in(2) {
            for state in [1, 2] {
                self.push(Command::SamplerState { stage: Pixel, slot: 0, state, value: address });
            }
        } else {
            self.address_of_11(address % 3);
        }
    }

    fn address_of_11(&mut self, address: u32) {
        let handle = self.current.context;
        self.push(Command::CreateSampler { handle, filter: 0, address: [address; 3] });
        self.push(Command::Samplers { stage: Pixel, first: 0, handles: vec![handle] });
    }

    fn present(&mut self) {
        let ([first, second], depth) = self.model.drawn(self.current.context);
        if first.is_none() {
            // What was first of the targets is read now.
            assert!(second.is_some() || depth.is_some());
            self.push(Command::Targets { colors: Vec::new(), depth: 0 });
        }
        self.push(Command::Present { scanout: 0, is_ex: false });
    }
}
