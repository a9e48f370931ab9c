//! The work between two submissions.

use std::sync::Arc;

use super::device::Gpu;
use super::in_flight::{InFlightLimits, Recorded};
use super::query_sets::LabelledSet;
use super::under_way::Draws;
use crate::command::Location;

/// Texture that a pass draws to in place of a mip of a layer: one that the device can't show with the curve that it is drawn
/// with, or that is smaller than the pass.
pub(super) struct StandIn {
    /// At least as large as the mip.
    pub drawn: wgpu::Texture,
    /// The texture that it stands for.
    pub of: wgpu::Texture,
    pub mip: u32,
    pub layer: u32,
    /// Width and height of the mip.
    pub size_px: [u32; 2],
}

impl StandIn {
    fn stood_for(&self) -> wgpu::TexelCopyTextureInfo<'_> {
        let origin = wgpu::Origin3d { x: 0, y: 0, z: self.layer };
        let (mip_level, aspect) = (self.mip, wgpu::TextureAspect::All);
        wgpu::TexelCopyTextureInfo { texture: &self.of, mip_level, origin, aspect }
    }

    fn extent(&self) -> wgpu::Extent3d {
        let [width, height] = self.size_px;
        wgpu::Extent3d { width, height, depth_or_array_layers: 1 }
    }

    /// Brings what it stands for, as it is stored.
    pub(super) fn fill(&self, batch: &mut Batch) {
        batch.copy_texels(self.stood_for(), self.drawn.as_image_copy(), self.extent());
    }
}

/// Copies texels as they are stored, and gives the bytes that this takes until the GPU has done it. Where a device copies none
/// between a texture of sRGB's curve and one without, they go through a buffer.
fn copy_texels(
    gpu: &Gpu,
    encoder: &mut wgpu::CommandEncoder,
    [from, to]: [wgpu::TexelCopyTextureInfo<'_>; 2],
    size: wgpu::Extent3d,
) -> u64 {
    let is_one_curve = from.texture.format().is_srgb() == to.texture.format().is_srgb();
    let texel_bytes = from.texture.format().block_copy_size(None);
    let Some(texel_bytes) = texel_bytes.filter(|_| !is_one_curve && !gpu.record().features.curve_copies) else {
        encoder.copy_texture_to_texture(from, to, size);
        return 0;
    };
    let row_bytes = (size.width * texel_bytes).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let layer_bytes = u64::from(row_bytes) * u64::from(size.height);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("texels between two curves"),
        size: layer_bytes * u64::from(size.depth_or_array_layers),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    for layer in 0..size.depth_or_array_layers {
        let layout = wgpu::TexelCopyBufferLayout {
            offset: layer_bytes * u64::from(layer),
            bytes_per_row: Some(row_bytes),
            rows_per_image: Some(size.height),
        };
        let between = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        let of_layer =
            |place: wgpu::TexelCopyTextureInfo<'_>| wgpu::Origin3d { z: place.origin.z + layer, ..place.origin };
        let layer = wgpu::Extent3d { depth_or_array_layers: 1, ..size };
        encoder.copy_texture_to_buffer(wgpu::TexelCopyTextureInfo { origin: of_layer(from), ..from }, between, layer);
        encoder.copy_buffer_to_texture(between, wgpu::TexelCopyTextureInfo { origin: of_layer(to), ..to }, layer);
    }
    buffer.size()
}

/// Recorded work: transfers, which all run first, and draws.
pub(super) struct Batch {
    pub transfers: Option<wgpu::CommandEncoder>,
    draws: Option<wgpu::CommandEncoder>,
    pass: Option<wgpu::RenderPass<'static>>,
    /// What the open pass draws to instead of something else, and is copied there when it ends.
    stand_ins: Vec<StandIn>,
    /// What passes that begin from here on may ask.
    queries: Option<LabelledSet>,
    /// Bytes staged by the transfers.
    pub staged_bytes: u64,
    /// Memory that recorded work takes of GPU library and driver, estimated.
    recorded_bytes: u64,
    /// The draws recorded.
    pub drawn: Option<Draws>,
    /// The first command in it, to say where an error lies.
    pub first: Option<Location>,
    /// What all of it is recorded for, and the last to go: an open pass holds textures that its own hold on the library
    /// doesn't outlive, and GL destroys nothing once its display is gone.
    gpu: Arc<Gpu>,
}

impl Batch {
    pub(crate) fn new(gpu: Arc<Gpu>) -> Self {
        let (transfers, draws, pass, queries, first) = (None, None, None, None, None);
        let (staged_bytes, recorded_bytes) = (0, 0);
        let (stand_ins, drawn) = (Vec::new(), None);
        Self { transfers, draws, pass, stand_ins, queries, staged_bytes, recorded_bytes, drawn, first, gpu }
    }

    /// An empty batch for the same GPU.
    pub(crate) fn next(&self) -> Self {
        Self::new(self.gpu.clone())
    }

    /// How many draws are recorded.
    pub(crate) fn draw_count(&self) -> u32 {
        self.drawn.map_or(0, |draws| draws.count)
    }

    /// A draw was recorded.
    pub(crate) fn note_draw(&mut self, at: Location) {
        let draw = Draws::one(at);
        self.drawn = Some(self.drawn.map_or(draw, |before| before.and(draw)));
        self.note(Recorded::Draw);
    }

    /// Counts what takes memory until the GPU has done it.
    pub(crate) fn note(&mut self, work: Recorded) {
        self.recorded_bytes += work.bytes();
    }

    /// Memory that recorded work takes of GPU library and driver, estimated.
    pub(crate) fn recorded_bytes(&self) -> u64 {
        self.recorded_bytes
    }

    /// Whether so much is recorded that it has to be submitted before anything else is.
    pub(crate) fn is_full(&self, limits: &InFlightLimits) -> bool {
        self.recorded_bytes >= limits.recorded_bytes
            || self.staged_bytes >= limits.staged_bytes
            || self.draw_count() >= limits.draws
    }

    /// The encoder whose work runs before all draws, for one command.
    pub(crate) fn transfers(&mut self) -> &mut wgpu::CommandEncoder {
        self.note(Recorded::Copy);
        self.transfers.get_or_insert_with(|| make_encoder(&self.gpu, "transfers"))
    }

    /// The encoder that draws, outside of any pass, for one command.
    pub(crate) fn after_draws(&mut self) -> &mut wgpu::CommandEncoder {
        self.end_pass();
        self.note(Recorded::Copy);
        self.draws.get_or_insert_with(|| make_encoder(&self.gpu, "draws"))
    }

    /// Copies texels as they are stored, behind what is drawn.
    pub(crate) fn copy_texels(
        &mut self,
        from: wgpu::TexelCopyTextureInfo<'_>,
        to: wgpu::TexelCopyTextureInfo<'_>,
        size: wgpu::Extent3d,
    ) {
        let gpu = self.gpu.clone();
        self.recorded_bytes += copy_texels(&gpu, self.after_draws(), [from, to], size);
    }

    /// The pass that is open on `target`, or a new one that keeps what is there.
    pub(crate) fn pass(&mut self, target: &wgpu::TextureView) -> &mut wgpu::RenderPass<'static> {
        // Never taken out and put back: a pass is half a kilobyte, and this is called for every draw.
        let Self { draws, queries, gpu, recorded_bytes, .. } = self;
        self.pass.get_or_insert_with(|| {
            *recorded_bytes += Recorded::Pass.bytes();
            begin_pass(draws, queries.as_ref(), gpu, target, wgpu::LoadOp::Load)
        })
    }

    /// Ends the pass that is open, and begins one that `begin` makes.
    pub(crate) fn begin_pass(
        &mut self,
        begin: impl FnOnce(&mut wgpu::CommandEncoder) -> wgpu::RenderPass<'static>,
    ) -> &mut wgpu::RenderPass<'static> {
        self.end_pass();
        self.note(Recorded::Pass);
        let encoder = self.draws.get_or_insert_with(|| make_encoder(&self.gpu, "draws"));
        self.pass.insert(begin(encoder))
    }

    /// The encoder that draws, for one compute pass.
    pub(crate) fn computes(&mut self) -> &mut wgpu::CommandEncoder {
        self.note(Recorded::Pass);
        self.after_draws()
    }

    /// The pass that is open, whatever it draws to.
    pub(crate) fn open_pass(&mut self) -> Option<&mut wgpu::RenderPass<'static>> {
        self.pass.as_mut()
    }

    /// Ends the pass, if one is open.
    pub(crate) fn end_pass(&mut self) {
        self.pass = None;
        if self.stand_ins.is_empty() {
            return;
        }
        self.recorded_bytes += self.stand_ins.len() as u64 * Recorded::Copy.bytes();
        let encoder = self.draws.get_or_insert_with(|| make_encoder(&self.gpu, "draws"));
        for stand_in in self.stand_ins.drain(..) {
            let places = [stand_in.drawn.as_image_copy(), stand_in.stood_for()];
            self.recorded_bytes += copy_texels(&self.gpu, encoder, places, stand_in.extent());
        }
    }

    /// These are what the pass that has just begun draws to.
    pub(super) fn copy_back_after_pass(&mut self, stand_ins: Vec<StandIn>) {
        self.stand_ins = stand_ins;
    }

    /// Has passes use this set of queries.
    pub(crate) fn use_queries(&mut self, queries: Option<&LabelledSet>) {
        if self.queries.as_ref() != queries {
            self.end_pass();
            self.queries = queries.cloned();
        }
    }

    /// The set of queries that passes use.
    pub(crate) fn queries(&self) -> Option<&LabelledSet> {
        self.queries.as_ref()
    }

    /// Whether a pass is open, so that what was set in it still holds.
    pub(crate) fn has_pass(&self) -> bool {
        self.pass.is_some()
    }

    /// Starts a pass that fills the whole target first.
    pub(crate) fn clear(&mut self, target: &wgpu::TextureView, color: wgpu::Color) {
        self.end_pass();
        self.note(Recorded::Pass);
        let load = wgpu::LoadOp::Clear(color);
        self.pass = Some(begin_pass(&mut self.draws, self.queries.as_ref(), &self.gpu, target, load));
    }

    /// The recorded work in the order in which it has to run.
    pub(crate) fn finish(mut self) -> Vec<wgpu::CommandBuffer> {
        self.end_pass();
        [self.transfers, self.draws].into_iter().flatten().map(wgpu::CommandEncoder::finish).collect()
    }
}

fn begin_pass(
    draws: &mut Option<wgpu::CommandEncoder>,
    queries: Option<&LabelledSet>,
    gpu: &Gpu,
    target: &wgpu::TextureView,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPass<'static> {
    let encoder = draws.get_or_insert_with(|| make_encoder(gpu, "draws"));
    let attachment = wgpu::RenderPassColorAttachment {
        view: target,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
    };
    let descriptor = wgpu::RenderPassDescriptor {
        label: Some(queries.map_or("frame", |queries| &queries.label)),
        color_attachments: &[Some(attachment)],
        occlusion_query_set: queries.map(|queries| &queries.set),
        ..Default::default()
    };
    encoder.begin_render_pass(&descriptor).forget_lifetime()
}

fn make_encoder(gpu: &Gpu, label: &'static str) -> wgpu::CommandEncoder {
    gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some(label) })
}
