//! Makes random traces, and carries each command out on the model as it writes it.

use aerogpu_replay::abi::a3a0::Elements;
use aerogpu_replay::abi::a3a0::bindings::SetRenderState;
use aerogpu_replay::abi::a3a0::resources::DestroyResource;
use aerogpu_replay::abi::a3a0::shaders::SetShaderConstantsF;
use aerogpu_replay::abi::a3a0::state::{SetBlendState, SetDepthStencilState, SetRasterizerState, SetScissor};

use super::model::{
    B8G8R8A8, Blend, Compare, D32_FLOAT, Fixed, Model, R8G8B8X8, Rectangle, Rgba, Shading, Texture, View, World,
};
use crate::support::random::Random;
use crate::support::streams::rectangle as rectangle_of;
use crate::support::streams::*;

/// A trace, and what its frames show.
pub struct Generated {
    pub file: Vec<u8>,
    pub frames: Vec<RandomFrame>,
}

/// The submissions of a frame, each with its context.
type Submissions = Vec<(u32, Vec<u8>)>;

pub struct RandomFrame {
    pub size: [u32; 2],
    pub rgba: Vec<Rgba>,
    /// A line for each command.
    pub told: Vec<String>,
}

const MOST_FRAMES: u32 = 12;
const MOST_COMMANDS: u32 = 24;
/// Sides of textures.
const SIDES: [u32; 3] = [4, 8, 16];
const CONTEXTS: [u32; 2] = [1, 2];

// Handles, of textures from there on.
const VERTICES_OF: u32 = 10;
const FIRST_TEXTURE: u32 = 100;
/// So many textures are there at most.
const MOST_TEXTURES: u32 = 10;
const FIRST_VIEW: u32 = 1000;

pub fn generate(seed: u64) -> Generated {
    let random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut maker = Maker {
        random,
        model: Model::default(),
        stream: Stream::new(),
        context: 0,
        textures: Vec::new(),
        views: Vec::new(),
        told: Vec::new(),
        next_view: FIRST_VIEW,
    };
    let frame_count = 1 + maker.random.below(MOST_FRAMES);
    let (mut streams, mut frames): (Vec<Submissions>, Vec<RandomFrame>) = (Vec::new(), Vec::new());
    for frame in 0..frame_count {
        let submissions = maker.frame(frame == 0);
        streams.push(submissions);
        let (size, rgba) = maker.model.shown.clone().unwrap_or(([16, 16], vec![[0; 4]; 256]));
        frames.push(RandomFrame { size, rgba, told: std::mem::take(&mut maker.told) });
    }
    let file = recording_of_contexts(
        streams.iter().map(|submissions| submissions.iter().map(|(context, stream)| (*context, &stream[..])).collect()),
    );
    Generated { file, frames }
}

struct Maker {
    random: Random,
    model: Model,
    stream: Stream,
    context: u32,
    /// Handles of textures, and of views with their texture's.
    textures: Vec<u32>,
    views: Vec<(u32, u32)>,
    told: Vec<String>,
    next_view: u32,
}

impl Maker {
    fn tell(&mut self, text: String) {
        self.told.push(format!("  {text}"));
    }

    fn frame(&mut self, is_first: bool) -> Submissions {
        let mut submissions = Vec::new();
        if is_first {
            for context in CONTEXTS {
                self.context = context;
                self.begin_context();
                submissions.push(self.end_submission());
            }
        }
        for _ in 0..1 + self.random.below(3) {
            self.context = self.random.pick(&CONTEXTS);
            self.told.push(format!(" context {}", self.context));
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

    fn end_submission(&mut self) -> (u32, Vec<u8>) {
        (self.context, std::mem::replace(&mut self.stream, Stream::new()).finish())
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
                .tokens(5, PIXEL, &PIXEL_SHADER_9);
        }
        let layout = [Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)];
        let vertices = VERTICES_OF + self.context;
        self.stream
            .layout(self.context, &layout)
            .declaration_9(self.context + 10)
            .empty_buffer(vertices, u64::from(VERTEX_BYTES) * 6 * 4)
            .vertex_buffer(0, vertices, VERTEX_BYTES, 0)
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

    fn shaders(&mut self, world: World, shading: Shading) {
        let context = self.model.contexts.get_mut(&self.context).unwrap();
        (context.world, context.shading) = (world, shading);
        let (vs, ps) = match (world, shading) {
            (World::Direct3d9, _) => (4, 5),
            (World::Direct3d11, Shading::Color) => (1, 2),
            (World::Direct3d11, Shading::Texel) => (1, 3),
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
        match self.random.below(100) {
            0..8 => self.create(),
            8..11 => self.destroy(),
            11..17 => self.view(),
            17..25 => self.upload(),
            25..33 => self.copy(),
            33..45 => self.targets(),
            45..55 => self.read(),
            55..61 => self.clear(),
            61..68 => {
                let world = self.random.pick(&[World::Direct3d9, World::Direct3d11]);
                let shading = self.random.pick(&[Shading::Color, Shading::Texel]);
                self.shaders(world, shading);
            }
            68..71 => self.fixed_11(),
            71..74 => self.fixed_9(),
            74..76 => self.tint(),
            76..79 => self.scissor(),
            79..82 => self.random_viewport(),
            _ => self.draw(),
        }
    }

    fn create(&mut self) {
        if self.textures.len() as u32 == MOST_TEXTURES {
            return;
        }
        let mut handle = FIRST_TEXTURE;
        while self.textures.contains(&handle) {
            handle += 1;
        }
        let format = self.random.pick(&[3, 3, B8G8R8A8, R8G8B8X8, D32_FLOAT]);
        let size = [self.random.pick(&SIDES), self.random.pick(&SIDES)];
        let (mips, layers) = match format {
            D32_FLOAT => (1, 1),
            _ => (1 + self.random.below(3), 1 + self.random.below(2)),
        };
        self.stream.texture(handle, format, size, [mips, layers]);
        self.model.create(handle, Texture::new(format, size, mips, layers));
        self.textures.push(handle);
        self.tell(format!("create {handle} format {format} {size:?} mips {mips} layers {layers}"));
    }

    fn destroy(&mut self) {
        let is_seen = |handle: &u32| self.views.iter().any(|(_, texture)| texture == handle);
        let free: Vec<u32> = self.textures.iter().filter(|handle| !is_seen(handle)).copied().collect();
        if free.is_empty() {
            return;
        }
        let handle = self.random.pick(&free);
        self.textures.retain(|texture| *texture != handle);
        self.model.destroy(handle);
        self.stream.put(DestroyResource { handle, reserved: 0 });
        self.tell(format!("destroy {handle}"));
    }

    fn texture_of(&self, handle: u32) -> &Texture {
        &self.model.textures[self.model.names[&handle].texture]
    }

    /// A handle of a texture of colours.
    fn colored(&mut self) -> Option<u32> {
        let is_color = |handle: &&u32| self.texture_of(**handle).format != D32_FLOAT;
        let colored: Vec<u32> = self.textures.iter().filter(is_color).copied().collect();
        (!colored.is_empty()).then(|| self.random.pick(&colored))
    }

    fn view(&mut self) {
        let Some(texture) = self.colored() else { return };
        let Texture { format, mips, layers, .. } = *self.texture_of(texture);
        let mut range = |count: u32| {
            let first = self.random.below(count);
            [first, 1 + self.random.below(count - first)]
        };
        let (mips, layers) = (range(mips), range(layers));
        let view = self.next_view;
        self.next_view += 1;
        self.stream.view(view, texture, format, mips, layers);
        let seen = View { texture: self.model.names[&texture].texture, mips, layers };
        self.model.names.insert(view, seen);
        self.views.push((view, texture));
        self.tell(format!("view {view} of {texture} mips {mips:?} layers {layers:?}"));
    }

    fn upload(&mut self) {
        let Some(handle) = self.colored() else { return };
        let texture = self.texture_of(handle);
        let counts: Vec<u32> = (0..texture.mips * texture.layers)
            .map(|number| texture.mip_size(number % texture.mips).iter().product::<u32>() * 4)
            .collect();
        let total: u32 = counts.iter().sum();
        let (offset, size) = match self.random.below(4) {
            0 => (0, total),
            1 => {
                let number = self.random.below(counts.len() as u32) as usize;
                (counts[..number].iter().sum(), counts[number])
            }
            _ => {
                let offset = self.random.below(total);
                (offset, 1 + self.random.below((total - offset).min(200)))
            }
        };
        let bytes: Vec<u8> = (0..size).map(|_| self.random.below(256) as u8).collect();
        self.stream.upload(handle, u64::from(offset), &bytes);
        self.model.upload(handle, u64::from(offset), &bytes);
        self.tell(format!("upload {handle} at {offset}, {size} bytes"));
    }

    fn subresource(&mut self, handle: u32) -> (u32, u32, [u32; 2]) {
        let Texture { mips, layers, .. } = *self.texture_of(handle);
        let (mip, layer) = (self.random.below(mips), self.random.below(layers));
        (mip, layer, self.texture_of(handle).mip_size(mip))
    }

    fn copy(&mut self) {
        let (Some(from), Some(to)) = (self.colored(), self.colored()) else { return };
        let is_same = self.texture_of(from).format == self.texture_of(to).format;
        let (from_mip, from_layer, from_size) = self.subresource(from);
        let (to_mip, to_layer, to_size) = self.subresource(to);
        if !is_same || (from, from_mip, from_layer) == (to, to_mip, to_layer) {
            return;
        }
        let size = [0, 1].map(|side| 1 + self.random.below(from_size[side].min(to_size[side])));
        let mut at = |whole: [u32; 2]| [0, 1].map(|side| self.random.below(whole[side] - size[side] + 1));
        let (from_at, to_at) = (at(from_size), at(to_size));
        self.stream.copy_texels(
            Texels { texture: to, mip: to_mip, layer: to_layer, at: to_at },
            Texels { texture: from, mip: from_mip, layer: from_layer, at: from_at },
            size,
        );
        self.model.copy((to, to_mip, to_layer, to_at), (from, from_mip, from_layer, from_at), size);
        self.tell(format!(
            "copy {size:?} to {to} mip {to_mip} layer {to_layer} {to_at:?} from {from} mip {from_mip} layer {from_layer} {from_at:?}"
        ));
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
        let fixed = self.random_fixed();
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
        // D3DRS_ALPHABLENDENABLE, SRCBLEND, DESTBLEND, BLENDOP, COLORWRITEENABLE, SCISSORTESTENABLE, ZENABLE,
        // ZWRITEENABLE, ZFUNC.
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
    fn draw(&mut self) {
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
        self.stream.upload(VERTICES_OF + self.context, u64::from(place * 6 * VERTEX_BYTES), &bytes).draw(place * 6, 6);
        self.model.draw(self.context, &rectangle);
        self.tell(format!("draw {rectangle:?}"));
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
