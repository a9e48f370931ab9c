//! A draw of a submission, drawn once more for an answer.
//!
//! It goes to the renderer's own target, which whoever asks has swapped in, under the tests that the guest's draw stands
//! under: the guest's depth and stencil are looked at and stay as they are, and so do the guest's colours.
//!
//! | [`DrawOverride`] | pixel stage | what a pixel has to pass |
//! |---|---|---|
//! | `Solid`, `CountWrites` | the guest's, giving white | everything |
//! | `PrimitiveNumbers` | the guest's, giving the number of the triangle | everything; depth and stencil are written |
//! | `Silhouette` | white | nothing |
//! | `Edges` | white | nothing; triangles are lines |
//! | `Test`, `Passed` | the guest's or white | the tests up to this one |
//! | `Side` | the guest's, giving white | everything but culling, and it faces so; depth and stencil are written |
//!
//! Everything is tested against the depth and stencil that the draw finds: where triangles of one draw hide each other, all
//! those count that what was drawn before does not hide. One draw is counted up to 2048 times a pixel.

use foldhash::HashMap;

use super::draw::{PreparedDraw, budgeted};
use super::draw_options::options;
use super::outline::{DrawOutline, KnownOutline};
use super::own_shaders::OwnShader;
use super::pass_settings::PassSettings;
use super::pipelines::{PipelineKey, SlotLayout, depth_stencil, primitive, write_mask};
use super::programs::DrawProgram;
use crate::command::Location;
use crate::error::Internal;
use crate::gpu::batch::StandIn;
use crate::gpu::device::Gpu;
use crate::gpu::draw_override::{DrawOverride, DrawTest, OverrideKind, TriangleSide, color_of};
use crate::gpu::error::GpuError;
use crate::gpu::overdraw_counter::{MOST_TRIANGLES, OVERDRAW_FORMAT};
use crate::gpu::pipelines::TARGET_FORMAT;
use crate::gpu::recorder::Recorder;
use crate::gpu::render_target::RenderTarget;
use crate::gpu::renderer::Renderer;
use crate::limits::MAX_PIPELINES;
use crate::pixels::Size;
use crate::replay::device_rules::{Refusal, padded_size_px, writes_buffers};
use crate::replay::{DeviceOp, DeviceOps, DrawState, DrawnVertices, DynamicState, FloatBits, TargetView};
use crate::shader::{FragmentOverride, Paint};

/// The pipelines of draws that are asked, and the pixel stages that give white.
#[derive(Default)]
pub(super) struct AskedPipelines {
    made: HashMap<(PipelineKey, OverrideKind), wgpu::RenderPipeline>,
    /// By the program's number, and whether the alpha test is left out.
    survivors: HashMap<(u32, Paint, bool), wgpu::ShaderModule>,
    own: HashMap<Paint, wgpu::ShaderModule>,
}

impl AskedPipelines {
    /// Lets go of what was made of guests' shaders.
    pub(super) fn forget(&mut self) {
        self.made.clear();
        self.survivors.clear();
    }
}

/// What a draw was asked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedDraw {
    /// Nothing: its pixel shader writes no colour to the target.
    WritesNoColor,
    /// Nothing: its write mask lets no channel through that the target has.
    IsWriteMasked,
    /// Nothing: no pixel of the target lies in its viewport and scissor, or it has no vertices.
    HasNoPixels,
    /// Nothing: its sample mask leaves out the only sample that targets have.
    IsMasked,
    /// Everything.
    Drawn,
}

impl Renderer {
    /// Draws a command once more with each of the overrides, on the target that was swapped in, as it would
    /// write to `target`. That has to be as large as the target swapped in.
    pub fn ask_draw(
        &mut self,
        DeviceOps { ops, context }: DeviceOps<'_>,
        target: &TargetView,
        overrides: &[DrawOverride],
    ) -> Result<AskedDraw, GpuError> {
        let at = context.at;
        // silent: a draw of no vertices has no pixels, which is the answer
        let Some((state, vertices)) = ops.iter().find_map(|op| match op {
            DeviceOp::Draw { state, vertices } => Some((state, *vertices)),
            _ => None,
        }) else {
            return Ok(AskedDraw::HasNoPixels);
        };
        // A draw that playing refuses is not asked either.
        self.check_budget(budgeted(vertices), at)?;
        // silent: a draw to something else writes nothing there
        let Some(slot) = slot_of(state, target) else { return Ok(AskedDraw::WritesNoColor) };
        if writes_buffers(state) {
            // To draw it once more would write them once more.
            let what = "a question about a draw whose shaders write buffers".into();
            return Err(GpuError::Unsupported { what, at });
        }
        if overrides.contains(&DrawOverride::CountWrites) {
            // What is recorded may be submitted for that, so it comes first.
            self.make_room_to_count(most_layers(vertices))?;
        }
        if state.fixed.sample_mask & 1 == 0 {
            return Ok(AskedDraw::IsMasked);
        }
        self.settle_for_draw(state)?;
        let mut known = self.take_outline(state, vertices, at)?;
        let asked = self.ask_outlined(&mut known, (state, vertices), (slot, target), overrides, at);
        self.pipelines.outlines.put(known);
        let asked = asked?;
        self.gpu.check("a probe draw", at)?;
        Ok(asked)
    }

    fn ask_outlined(
        &mut self,
        known: &mut KnownOutline,
        (state, vertices): (&DrawState, DrawnVertices),
        (slot, target): (u32, &TargetView),
        overrides: &[DrawOverride],
        at: Location,
    ) -> Result<AskedDraw, GpuError> {
        // silent: a draw that changes no pixel has none, which is the answer
        let KnownOutline { outline: Some(outline), last, .. } = known else { return Ok(AskedDraw::HasNoPixels) };
        let outline = &*outline;
        let prepared = self.prepare_outlined((outline, last), state, vertices, at)?;
        if !outline.program.outputs.contains(slot) || outline.program.pixel.is_none() {
            return Ok(AskedDraw::WritesNoColor);
        }
        if write_mask(state.fixed.color_write_mask(slot), target.format) == wgpu::ColorWrites::empty() {
            return Ok(AskedDraw::IsWriteMasked);
        }
        if outline.program.has_sized_points && overrides.contains(&DrawOverride::PrimitiveNumbers) {
            // Each is two triangles of its own, numbered 0 and 1.
            return Ok(AskedDraw::HasNoPixels);
        }
        for draw_override in overrides {
            self.draw_asked(state, (outline, &prepared), *draw_override, at)?;
        }
        Ok(AskedDraw::Drawn)
    }

    fn draw_asked(
        &mut self,
        state: &DrawState,
        (outline, prepared): (&DrawOutline, &PreparedDraw),
        draw_override: DrawOverride,
        at: Location,
    ) -> Result<(), GpuError> {
        let pipeline = self.asked_pipeline(state, (outline, prepared), draw_override.kind(), at)?;
        if let Some(visibility) = &mut self.queries.visibility {
            visibility.prepare_pass(&self.gpu, &mut self.recorder.batch);
        }
        let query = self.queries.visibility.as_mut().map(|visibility| visibility.ask());
        let scissor = match self.queries.scissor_px {
            Some(pixel) => within(outline.scissor, pixel),
            None => Some(outline.scissor),
        };
        self.open_asked_pass(outline)?;
        let Recorder { batch, settings, .. } = &mut self.recorder;
        let pass = batch.open_pass().ok_or(Internal::at("a probe draw's pass is not open", at.offset))?;
        *settings = PassSettings::default();
        if let Some(query) = query {
            pass.begin_occlusion_query(query);
        }
        if let Some(scissor) = scissor {
            settings.pipeline(pass, &pipeline);
            settings.scissor(pass, scissor);
            // The guest's constant is blended with nothing here.
            let constant = draw_override.rgba().map_or(state.dynamic.blend_constant, constant_of);
            let dynamic = DynamicState { blend_constant: constant, ..state.dynamic };
            prepared.draw(pass, settings, outline.area, &dynamic);
        }
        if query.is_some() {
            pass.end_occlusion_query();
        }
        self.recorder.batch.end_pass();
        self.recorder.batch.note_draw(at);
        Ok(())
    }

    /// Begins a pass on the target that was swapped in, with the guest's depth and stencil.
    fn open_asked_pass(&mut self, outline: &DrawOutline) -> Result<(), GpuError> {
        let depth = match &outline.targets.depth_stencil {
            Some(target) => Some(self.target_view(target)?),
            None => None,
        };
        let has_stencil = depth.as_ref().is_some_and(|view| view.texture().format().has_stencil_aspect());
        self.recorder.open = None;
        let queries = self.recorder.batch.queries().cloned();
        // All attachments of a pass have one size.
        let stand_in = padded_size_px(&outline.targets).map(|[width_px, height_px]| {
            let (of, size_px) = (
                self.presenter.target.texture().clone(),
                [self.presenter.target.texture().width(), self.presenter.target.texture().height()],
            );
            let size = Size { width_px, height_px };
            let drawn = RenderTarget::new(&self.gpu, size, "probe draw", of.format()).texture().clone();
            StandIn { drawn, of, mip: 0, layer: 0, size_px }
        });
        let view = match &stand_in {
            Some(stand_in) => {
                stand_in.fill(&mut self.recorder.batch);
                stand_in.drawn.create_view(&wgpu::TextureViewDescriptor::default())
            }
            None => self.presenter.target.view().clone(),
        };
        let target = &view;
        self.recorder.batch.begin_pass(|encoder| {
            let keep = wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store };
            let attachment =
                wgpu::RenderPassColorAttachment { view: target, depth_slice: None, resolve_target: None, ops: keep };
            let depth_stencil_attachment = depth.as_ref().map(|view| wgpu::RenderPassDepthStencilAttachment {
                view,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store }),
                stencil_ops: has_stencil
                    .then_some(wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store }),
            });
            let descriptor = wgpu::RenderPassDescriptor {
                label: Some(queries.as_ref().map_or("probe draw", |queries| &queries.label)),
                color_attachments: &[Some(attachment)],
                depth_stencil_attachment,
                occlusion_query_set: queries.as_ref().map(|queries| &queries.set),
                ..Default::default()
            };
            encoder.begin_render_pass(&descriptor).forget_lifetime()
        });
        self.recorder.batch.copy_back_after_pass(stand_in.into_iter().collect());
        Ok(())
    }

    fn asked_pipeline(
        &mut self,
        state: &DrawState,
        (outline, prepared): (&DrawOutline, &PreparedDraw),
        kind: OverrideKind,
        at: Location,
    ) -> Result<wgpu::RenderPipeline, GpuError> {
        let key = (outline.key(state, &prepared.vertices.source, prepared.index_format()), kind);
        if let Some(made) = self.pipelines.asked.made.get(&key) {
            return Ok(made.clone());
        }
        let features = self.gpu.record().features;
        let lacks = |what, feature| GpuError::Refusal { refusal: Refusal::Lacks { what, feature }, at };
        match kind {
            OverrideKind::Edges if !features.wireframe => return Err(lacks("a picture of edges", "POLYGON_MODE_LINE")),
            OverrideKind::PrimitiveNumbers if !features.primitive_index => {
                return Err(lacks("a picture of triangles' numbers", "PRIMITIVE_INDEX"));
            }
            _ => {}
        }
        let Self { pipelines, gpu, .. } = self;
        let paint = match kind.fragment_override() {
            Some(FragmentOverride::Numbered) => Paint::PrimitiveNumber,
            _ => Paint::White,
        };
        let is_without_alpha_test =
            matches!(kind, OverrideKind::Test(DrawTest::ShaderDiscard) | OverrideKind::Passed(DrawTest::ShaderDiscard));
        let key_of_paint = (outline.program.number, paint, is_without_alpha_test);
        let is_of_guest =
            matches!(kind.fragment_override(), Some(FragmentOverride::Survivors | FragmentOverride::Numbered));
        let survivors = match pipelines.asked.survivors.get(&key_of_paint) {
            _ if !is_of_guest => None,
            None => {
                let mut options = options(state, gpu.record());
                options.alpha_test = options.alpha_test.filter(|_| !is_without_alpha_test);
                pipelines.programs.survivors(gpu, state, &options, paint, at)?
            }
            Some(made) => Some(made.clone()),
        };
        let pixel = match survivors {
            Some(survivors) => {
                pipelines.asked.survivors.insert(key_of_paint, survivors.clone());
                (survivors, crate::shader::d3d::ENTRY_POINT)
            }
            None => {
                let (own, entry_point) = match paint {
                    Paint::White => (OwnShader::White, "white"),
                    Paint::PrimitiveNumber => (OwnShader::PrimitiveNumber, "primitive_number"),
                };
                (pipelines.asked.own.entry(paint).or_insert_with(|| own.module(gpu)).clone(), entry_point)
            }
        };
        let refused = |error| GpuError::NotCompiled { what: "pipeline of a probe draw", at, error };
        let made = gpu.compile(|| make_pipeline(gpu, &key, &outline.program, pixel)).map_err(refused)?;
        if self.pipelines.asked.made.len() >= MAX_PIPELINES.get() {
            self.pipelines.asked.forget();
        }
        self.pipelines.asked.made.insert(key, made.clone());
        Ok(made)
    }
}

/// The slot by which a draw writes a target.
fn slot_of(state: &DrawState, target: &TargetView) -> Option<u32> {
    let is_it = |view: &TargetView| (view.texture, view.mip, view.layer) == (target.texture, target.mip, target.layer);
    (0..).zip(&state.targets.colors).find(|(_, view)| view.as_ref().is_some_and(is_it)).map(|(slot, _)| slot)
}

/// The blend constant that gives a unorm target exactly these bytes.
fn constant_of(rgba: [u8; 4]) -> [FloatBits; 4] {
    let wgpu::Color { r, g, b, a } = color_of(rgba);
    [r, g, b, a].map(|channel| FloatBits::new(channel as f32))
}

/// How often a draw can write one pixel, as far as that can be counted at once.
fn most_layers(vertices: DrawnVertices) -> u32 {
    let (count, instances) = match vertices {
        DrawnVertices::Direct(draw) => (draw.vertex_count, draw.instance_count),
        DrawnVertices::Indexed(draw) => (draw.index_count, draw.instance_count),
    };
    count.saturating_mul(instances).min(MOST_TRIANGLES)
}

/// One pixel as a scissor, if it lies in another one.
fn within([left, top, width, height]: [u32; 4], [x, y]: [u32; 2]) -> Option<[u32; 4]> {
    let is_inside = x >= left && x - left < width && y >= top && y - top < height;
    is_inside.then_some([x, y, 1, 1])
}

fn make_pipeline(
    gpu: &Gpu,
    (key, kind): &(PipelineKey, OverrideKind),
    program: &DrawProgram,
    (pixel, entry_point): (wgpu::ShaderModule, &'static str),
) -> wgpu::RenderPipeline {
    let buffers: Vec<_> = key.slots.iter().map(SlotLayout::described).collect();
    let mut primitive = primitive(key);
    primitive.cull_mode = kind.cull_mode(primitive.cull_mode);
    let is_triangles =
        matches!(primitive.topology, wgpu::PrimitiveTopology::TriangleList | wgpu::PrimitiveTopology::TriangleStrip);
    if *kind == OverrideKind::Edges && is_triangles {
        primitive.polygon_mode = wgpu::PolygonMode::Line;
    }
    let format = if *kind == OverrideKind::CountWrites { OVERDRAW_FORMAT } else { TARGET_FORMAT };
    // Also where only queries are answered: not every driver counts pixels of which nothing is written. Points and lines have
    // no back.
    let write_mask = match kind {
        OverrideKind::Side(TriangleSide::Back) if !is_triangles => wgpu::ColorWrites::empty(),
        _ => wgpu::ColorWrites::ALL,
    };
    let compilation_options = wgpu::PipelineCompilationOptions::default;
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("probe pipeline"),
        layout: Some(&program.layout),
        vertex: wgpu::VertexState {
            module: &program.vertex.module,
            entry_point: Some(program.vertex.entry_point),
            compilation_options: compilation_options(),
            buffers: &buffers,
        },
        primitive,
        depth_stencil: key.depth_stencil.map(|format| match (kind, depth_stencil(gpu, &key.fixed, format)) {
            (OverrideKind::PrimitiveNumbers | OverrideKind::Side(_), guest) => guest,
            (_, guest) => tests_up_to(guest, kind.test()),
        }),
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &pixel,
            entry_point: Some(entry_point),
            compilation_options: compilation_options(),
            targets: &[Some(wgpu::ColorTargetState { format, blend: kind.blend(), write_mask })],
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// The same tests as far as these, which change nothing.
fn tests_up_to(guest: wgpu::DepthStencilState, test: DrawTest) -> wgpu::DepthStencilState {
    let looks = |face: wgpu::StencilFaceState| wgpu::StencilFaceState {
        compare: face.compare,
        fail_op: wgpu::StencilOperation::Keep,
        depth_fail_op: wgpu::StencilOperation::Keep,
        pass_op: wgpu::StencilOperation::Keep,
    };
    let stencil = match test {
        DrawTest::Stencil | DrawTest::Depth => wgpu::StencilState {
            front: looks(guest.stencil.front),
            back: looks(guest.stencil.back),
            ..guest.stencil.clone()
        },
        DrawTest::Coverage | DrawTest::Culling | DrawTest::ShaderDiscard | DrawTest::Discard => {
            wgpu::StencilState::default()
        }
    };
    let depth_compare = match test {
        DrawTest::Depth => guest.depth_compare,
        _ => Some(wgpu::CompareFunction::Always),
    };
    wgpu::DepthStencilState { depth_write_enabled: Some(false), depth_compare, stencil, ..guest }
}
