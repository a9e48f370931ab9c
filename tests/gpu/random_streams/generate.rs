//! Makes random traces, and carries each command out on the model as it writes it.

use aerogpu_replay::abi::a3a0::bindings::{SetIndexBuffer, SetRenderState, SetSamplerState};
use aerogpu_replay::abi::a3a0::shaders::SetShaderConstantsF;
use aerogpu_replay::abi::a3a0::state::{SetBlendState, SetDepthStencilState, SetRasterizerState, SetScissor};
use aerogpu_replay::abi::a3a0::work::DrawIndexed;
use aerogpu_replay::abi::a3a0::{ABI_VERSION, Elements};
use aerogpu_replay::format::aerogpu::{CapturedMemory, NewSubmission, TraceWriter};

use super::guest_memory::{ADDRESS, ALLOCATION, table};
use super::model::{Address, Blend, Compare, D32_FLOAT, Fixed, Model, Rectangle, Rgba, Shading, Texture, World};
use crate::support::random::Random;
use crate::support::streams::rectangle as rectangle_of;
use crate::support::streams::*;

/// A trace, and what its frames show.
pub struct Generated {
    pub file: Vec<u8>,
    pub frames: Vec<RandomFrame>,
}

/// A submission: its context, stream, and the guest's memory before it.
struct Submission {
    context_id: u32,
    stream: Vec<u8>,
    memory: Vec<u8>,
}

pub struct RandomFrame {
    pub size: [u32; 2],
    pub rgba: Vec<Rgba>,
    /// A line for each command.
    pub told: Vec<String>,
}

const MOST_FRAMES: u32 = 12;
const MOST_COMMANDS: u32 = 24;
const CONTEXTS: [u32; 2] = [1, 2];

// Handles, of textures from there on.
const VERTICES_OF: u32 = 10;
const INDICES_OF: u32 = 20;
const FIRST_VIEW: u32 = 1000;

pub fn generate(seed: u64) -> Generated {
    let random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let focus = [Focus::Anything, Focus::Buffers, Focus::Memory][(seed % 3) as usize];
    let mut maker = Maker {
        focus,
        random,
        model: Model::default(),
        stream: Stream::new(),
        context: 0,
        memory: Vec::new(),
        textures: Vec::new(),
        views: Vec::new(),
        tokens: Vec::new(),
        told: Vec::new(),
        next_view: FIRST_VIEW,
        next_token: 1,
        next_name: 0,
    };
    let frame_count = 1 + maker.random.below(MOST_FRAMES);
    let (mut streams, mut frames): (Vec<Vec<Submission>>, Vec<RandomFrame>) = (Vec::new(), Vec::new());
    for frame in 0..frame_count {
        let submissions = maker.frame(frame == 0);
        streams.push(submissions);
        let (size, rgba) = maker.model.shown.clone().unwrap_or(([16, 16], vec![[0; 4]; 256]));
        frames.push(RandomFrame { size, rgba, told: std::mem::take(&mut maker.told) });
    }
    Generated { file: file(&streams), frames }
}

fn file(frames: &[Vec<Submission>]) -> Vec<u8> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, "{}").unwrap();
    for submissions in frames {
        writer.begin_frame().unwrap();
        for (number, Submission { context_id, stream, memory }) in (1..).zip(submissions) {
            let table = table(memory.len() as u64);
            writer
                .submit(&NewSubmission {
                    submit_flags: u32::from(number == submissions.len()),
                    context_id: *context_id,
                    cmd_stream: stream,
                    alloc_table: Some(&table),
                    memory: &[CapturedMemory { alloc_id: ALLOCATION, flags: 0, gpa: ADDRESS, bytes: memory }],
                    ..Default::default()
                })
                .unwrap();
        }
        writer.present().unwrap();
    }
    writer.finish().unwrap()
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
    pub stream: Stream,
    pub context: u32,
    /// The guest's memory before the submission.
    memory: Vec<u8>,
    /// Handles of textures, and of views with their texture's.
    pub textures: Vec<u32>,
    pub views: Vec<(u32, u32)>,
    /// Tokens that textures can be had by, with the texture.
    pub tokens: Vec<(u64, usize)>,
    told: Vec<String>,
    pub next_view: u32,
    pub next_token: u64,
    pub next_name: usize,
}

impl Maker {
    pub fn tell(&mut self, text: String) {
        self.told.push(format!("  {text}"));
    }

    fn frame(&mut self, is_first: bool) -> Vec<Submission> {
        let mut submissions = Vec::new();
        if is_first {
            for context in CONTEXTS {
                self.context = context;
                self.begin_submission();
                self.begin_context();
                submissions.push(self.end_submission());
            }
        }
        for _ in 0..1 + self.random.below(3) {
            self.context = self.random.pick(&CONTEXTS);
            self.told.push(format!(" context {}", self.context));
            self.begin_submission();
            for _ in 0..1 + self.random.below(MOST_COMMANDS) {
                self.command();
            }
            if !self.random.one_in(6) {
                self.present();
            }
            submissions.push(self.end_submission());
        }
        submissions
    }

    /// The guest may have written to its memory since the last one.
    fn begin_submission(&mut self) {
        let written = self.write_memory();
        self.memory = self.model.memory.snapshot();
        written.into_iter().for_each(|(handle, offset, size)| self.refresh(handle, offset, size));
    }

    fn end_submission(&mut self) -> Submission {
        let stream = std::mem::replace(&mut self.stream, Stream::new()).finish();
        Submission { context_id: self.context, stream, memory: std::mem::take(&mut self.memory) }
    }

    /// Shaders and layouts belong to all, what is bound to each.
    fn begin_context(&mut self) {
        self.model.begin_context(self.context);
        if self.context == CONTEXTS[0] {
            self.stream
                .shader(1, VERTEX, "quad.vs")
                .shader(2, PIXEL, "color.ps")
                .shader(3, PIXEL, "sample.ps")
                .tokens(4, VERTEX, &VERTEX_SHADER_9)
                .tokens(5, PIXEL, &PIXEL_SHADER_9)
                .shader(6, PIXEL, "constant.ps")
                .shader(7, COMPUTE, "copy.cs");
        }
        let layout = [Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)];
        let vertices = VERTICES_OF + self.context;
        self.stream
            .layout(self.context, &layout)
            .declaration_9(self.context + 10)
            .empty_buffer(vertices, u64::from(VERTEX_BYTES) * 6 * 4)
            .vertex_buffer(0, vertices, VERTEX_BYTES, 0)
            .empty_buffer(INDICES_OF + self.context, 64)
            .topology(TRIANGLE_LIST)
            .sampler(0, self.context, 0, 1)
            // Nothing is culled in Direct3D 9.
            .put(SetRenderState { state: 22, value: 1 });
        self.shaders(World::Direct3d11, Shading::Color);
        self.viewport([0, 0, 16, 16]);
        self.scissor();
        self.fixed_11();
        self.fixed_9();
        self.tint();
    }

    pub fn shaders(&mut self, world: World, shading: Shading) {
        let context = self.model.contexts.get_mut(&self.context).unwrap();
        (context.world, context.shading) = (world, shading);
        let (vs, ps) = match (world, shading) {
            (World::Direct3d9, _) => (4, 5),
            (World::Direct3d11, Shading::Color) => (1, 2),
            (World::Direct3d11, Shading::Texel) => (1, 3),
            (World::Direct3d11, Shading::Constant) => (1, 6),
        };
        let layout = if world == World::Direct3d9 { self.context + 10 } else { self.context };
        self.stream.shaders(vs, ps).use_layout(layout);
        self.tell(format!("{world:?} {shading:?}"));
    }

    fn viewport(&mut self, viewport: [i32; 4]) {
        self.model.contexts.get_mut(&self.context).unwrap().viewport = viewport;
        self.stream.viewport(viewport.map(|side| side as f32));
        self.tell(format!("viewport {viewport:?}"));
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
                let world = self.random.pick(&[World::Direct3d9, World::Direct3d11]);
                let shading = self.random.pick(&[Shading::Color, Shading::Texel, Shading::Constant]);
                self.shaders(world, shading);
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
        let is_color = |handle: &u32| self.texture_of(*handle).format != D32_FLOAT;
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
            let is_depth = |handle: &u32| self.texture_of(*handle).format == D32_FLOAT && fits(handle);
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
        self.stream.targets(&colors, depth);
        self.model.set_targets(self.context, [first, second], depth);
        self.tell(format!("targets {colors:?} depth {depth}"));
        if self.random.one_in(2) {
            self.whole_viewport();
        }
    }

    fn whole_viewport(&mut self) {
        self.viewport([0, 0, 16, 16]);
    }

    fn random_viewport(&mut self) {
        let side = |random: &mut Random| random.pick(&[4, 8, 16]);
        let at = |random: &mut Random| random.below(13) as i32 - 6;
        let random = &mut self.random;
        let viewport = [at(random), at(random), side(random), side(random)];
        self.viewport(viewport);
    }

    fn read(&mut self) {
        let seen = self.seen();
        let handle = if seen.is_empty() || self.random.one_in(8) { 0 } else { self.random.pick(&seen) };
        self.stream.read(0, handle);
        self.model.set_read(self.context, handle);
        self.tell(format!("read {handle}"));
    }

    fn color(&mut self) -> Rgba {
        std::array::from_fn(|_| self.random.below(256) as u8)
    }

    /// Eighths, so that they are the same in every format of depth.
    fn depth_value(&mut self) -> f32 {
        self.random.below(9) as f32 / 8.0
    }

    fn clear(&mut self) {
        let flags = 1 + self.random.below(3);
        let (color, depth) = (self.color(), self.depth_value());
        self.stream.clear(flags, color.map(|channel| f32::from(channel) / 255.0), depth);
        self.model.clear(self.context, Some(color).filter(|_| flags & 1 != 0), Some(depth).filter(|_| flags & 2 != 0));
        self.tell(format!("clear {flags} {color:?} {depth}"));
    }

    fn random_fixed(&mut self) -> Fixed {
        Fixed {
            blend: self.random.pick(&[Blend::Replace, Blend::Replace, Blend::Add, Blend::Subtract, Blend::Most]),
            mask: if self.random.one_in(2) { 15 } else { self.random.below(16) as u8 },
            has_scissor: self.random.one_in(3),
            depth: (
                !self.random.one_in(4),
                !self.random.one_in(3),
                self.random.pick(&[Compare::Less, Compare::LessEqual, Compare::Greater, Compare::Always]),
            ),
            alpha: None,
        }
    }

    fn fixed_11(&mut self) {
        let fixed = self.random_fixed();
        self.model.contexts.get_mut(&self.context).unwrap().of_11 = fixed;
        let (enable, op) = match fixed.blend {
            Blend::Replace => (0, 0),
            Blend::Add => (1, 0),
            Blend::Subtract => (1, 2),
            Blend::Most => (1, 4),
        };
        let blend = SetBlendState {
            enable,
            src: 1,
            dst: 1,
            op,
            write_mask: fixed.mask,
            src_alpha: Some(1),
            dst_alpha: Some(1),
            op_alpha: Some(op),
            ..unblended()
        };
        let (enable, write, compare) = fixed.depth;
        let depth_func = match compare {
            Compare::Less => 1,
            Compare::LessEqual => 3,
            Compare::Greater => 4,
            Compare::Always => 7,
        };
        let scissor_enable = u32::from(fixed.has_scissor);
        self.stream
            .put(blend)
            .put(SetDepthStencilState {
                depth_enable: u32::from(enable),
                depth_write: u32::from(write),
                depth_func,
                stencil_enable: 0,
                stencil_read_mask: 0xff,
                stencil_write_mask: 0xff,
                pad: [0; 2],
            })
            .put(SetRasterizerState { fill: 0, cull: 0, front_ccw: 0, scissor_enable, depth_bias: 0, flags: 0 });
        self.tell(format!("Direct3D 11: {fixed:?}"));
    }

    fn fixed_9(&mut self) {
        let mut fixed = self.random_fixed();
        // Bytes that texels often have.
        let reference = self.random.pick(&[0, 1, 127, 128, 200, 255]);
        fixed.alpha = self.random.one_in(3).then(|| (1 + self.random.below(8), reference));
        self.model.contexts.get_mut(&self.context).unwrap().of_9 = fixed;
        let (enable, op) = match fixed.blend {
            Blend::Replace => (0, 1),
            Blend::Add => (1, 1),
            Blend::Subtract => (1, 3),
            Blend::Most => (1, 5),
        };
        let (depth, write, compare) = fixed.depth;
        let function = match compare {
            Compare::Less => 2,
            Compare::LessEqual => 4,
            Compare::Greater => 5,
            Compare::Always => 8,
        };
        let (function_of_alpha, reference) = fixed.alpha.unwrap_or((8, 0));
        // D3DRS_ALPHABLENDENABLE, SRCBLEND, DESTBLEND, BLENDOP, COLORWRITEENABLE, SCISSORTESTENABLE, ZENABLE,
        // ZWRITEENABLE, ZFUNC, ALPHATESTENABLE, ALPHAFUNC, ALPHAREF.
        for (state, value) in [
            (27, enable),
            (19, 2),
            (20, 2),
            (171, op),
            (168, u32::from(fixed.mask)),
            (174, u32::from(fixed.has_scissor)),
            (7, u32::from(depth)),
            (14, u32::from(write)),
            (23, function),
            (15, u32::from(fixed.alpha.is_some())),
            (25, function_of_alpha),
            (24, u32::from(reference)),
        ] {
            self.stream.put(SetRenderState { state, value });
        }
        self.tell(format!("Direct3D 9: {fixed:?}"));
    }

    fn tint(&mut self) {
        let tint = std::array::from_fn(|_| !self.random.one_in(4));
        self.model.contexts.get_mut(&self.context).unwrap().tint = tint;
        let values = floats(&tint.map(|is_kept| if is_kept { 1.0 } else { 0.0 }));
        let values = Elements::new(&values).unwrap();
        self.stream.put(SetShaderConstantsF { stage: PIXEL, start_register: 0, vec4_count: 1, stage_ex: 0, values });
        self.tell(format!("tint {tint:?}"));
    }

    fn scissor(&mut self) {
        let at = |random: &mut Random| random.below(12) as i32 - 3;
        let side = |random: &mut Random| 1 + random.below(12) as i32;
        let random = &mut self.random;
        let scissor = [at(random), at(random), side(random), side(random)];
        self.model.contexts.get_mut(&self.context).unwrap().scissor = scissor;
        let [x, y, width, height] = scissor;
        self.stream.put(SetScissor { x, y, width, height });
        self.tell(format!("scissor {scissor:?}"));
    }

    /// Draws a rectangle in whole pixels of the viewport, whose texels are read one by one.
    pub fn draw(&mut self) {
        let context = self.model.contexts[&self.context].clone();
        let [_, _, width, height] = context.viewport.map(|side| side as u32);
        let mut span = |whole: u32| {
            let first = self.random.below(whole);
            [first, first + 1 + self.random.below(whole - first)]
        };
        let ([left, right], [top, bottom]) = (span(width), span(height));
        let rectangle = Rectangle {
            place: [left, top, right, bottom],
            depth: self.depth_value(),
            color: self.color(),
            texel: [self.random.below(16), self.random.below(16)],
            level: self.random.below(3),
        };
        let read_size = context.read.map_or([4, 4], |view| {
            let level = if context.world == World::Direct3d9 { 0 } else { rectangle.level.min(view.mips[1] - 1) };
            self.model.textures[view.texture].mip_size(view.mips[0] + level)
        });
        let x = |at: u32| at as f32 / width as f32 * 2.0 - 1.0;
        let y = |at: u32| 1.0 - at as f32 / height as f32 * 2.0;
        let of_texel = |at: u32, axis: usize| (at + rectangle.texel[axis]) as f32 / read_size[axis] as f32;
        let corner = |column: u32, row: u32| match (context.world, context.shading) {
            (World::Direct3d11, Shading::Color) => rectangle.color.map(|channel| f32::from(channel) / 255.0),
            _ => [of_texel(column, 0), of_texel(row, 1), rectangle.level as f32, 0.0],
        };
        let corners = [corner(left, top), corner(right, top), corner(left, bottom), corner(right, bottom)];
        let bytes = rectangle_of([x(left), y(top), x(right), y(bottom)], rectangle.depth, corners);
        // One of four places in the context's buffer.
        let place = self.random.below(4);
        self.stream.upload(VERTICES_OF + self.context, u64::from(place * 6 * VERTEX_BYTES), &bytes);
        if self.random.one_in(3) {
            self.draw_indexed(place * 6);
        } else {
            self.stream.draw(place * 6, 6);
        }
        self.model.draw(self.context, &rectangle);
        self.tell(format!("draw {rectangle:?}"));
    }

    /// Draws six vertices from `first` on by indices behind some that are not read.
    fn draw_indexed(&mut self, first: u32) {
        let (buffer, format, unread) = (INDICES_OF + self.context, self.random.below(2), self.random.below(4));
        let base = self.random.below(first + 4);
        // With a base behind the first they would be below 0.
        let base = base.min(first);
        let indices: Vec<u32> = (0..unread).map(|_| 999).chain((0..6).map(|number| first + number - base)).collect();
        let bytes = |index: &u32| match format {
            0 => (*index as u16).to_le_bytes().to_vec(),
            _ => index.to_le_bytes().to_vec(),
        };
        let bytes: Vec<u8> = indices.iter().flat_map(bytes).collect();
        let (offset, first_index) = if self.random.one_in(2) { (4, unread) } else { (0, unread) };
        self.stream
            .upload(buffer, u64::from(offset), &bytes)
            .put(SetIndexBuffer { buffer, format, offset, reserved: 0 })
            .put(DrawIndexed {
                index_count: 6,
                instance_count: 1,
                first_index,
                base_vertex: base as i32,
                first_instance: 0,
            });
    }

    /// Chooses how texels outside of textures are found, in one of the worlds.
    fn addressing(&mut self) {
        let address = self.random.pick(&[Address::Wrap, Address::Mirror, Address::Clamp]);
        let is_of_9 = self.random.one_in(2);
        let context = self.model.contexts.get_mut(&self.context).unwrap();
        if is_of_9 {
            context.address_of_9 = address;
            let value = match address {
                Address::Wrap => 1,
                Address::Mirror => 2,
                Address::Clamp => 3,
            };
            for state in [1, 2] {
                self.stream.put(SetSamplerState { stage: PIXEL, slot: 0, state, value });
            }
        } else {
            context.address_of_11 = address;
            let value = match address {
                Address::Clamp => 0,
                Address::Wrap => 1,
                Address::Mirror => 2,
            };
            self.stream.sampler(0, self.context, 0, value);
        }
        self.tell(format!("address {address:?} in Direct3D {}", if is_of_9 { 9 } else { 11 }));
    }

    fn present(&mut self) {
        let ([first, second], depth) = self.model.drawn(self.context);
        if first.is_none() {
            // What was first of the targets is read now.
            assert!(second.is_some() || depth.is_some());
            self.stream.targets(&[], 0);
            self.model.set_targets(self.context, [0, 0], 0);
        }
        self.stream.present();
        self.model.present(self.context);
        self.tell("present".to_owned());
    }
}
