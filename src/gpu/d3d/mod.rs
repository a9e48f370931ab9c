//! Submissions of Direct3D on wgpu: what [`DeviceOp`]s ask for.
//!
//! ```text
//!  DeviceOp ──► Renderer ──┬─ resources: buffers, textures, views; bytes of guest memory become texels (formats, upload)
//!                          ├─ transfer: copies, and what is written back to guest memory
//!                          ├─ pass: one render pass for as long as the targets stay; a CLEAR is the start of a pass
//!                          ├─ draw: pipeline, bindings, vertices; kernels gather what no vertex fetch takes
//!                          ├─ ahead: programs and pipelines made by other threads before their draws come
//!                          └─ present: the picture, as the renderer's target
//! ```
//!
//! All of it is recorded in order into one encoder, since any command may read what the one before has written.

mod ahead;
mod asked_draw;
mod asked_target;
mod bindings;
mod buffers;
mod clear;
mod dispatch;
mod draw;
mod draw_options;
mod formats;
mod groups;
mod kernels;
mod known_sources;
mod memo;
mod not_compiled;
mod outline;
mod own_shaders;
mod part_copies;
mod pass;
mod pass_settings;
mod pipelines;
mod points;
mod present;
mod programs;
mod refused;
mod resources;
mod samplers;
mod snapshots;
mod stage_groups;
mod storage_format;
mod textures;
mod transfer;
mod unbound;
mod uniforms;
mod upload;
mod vertex_format;
mod vertex_values;
mod vertices;
mod written_buffers;

use std::sync::Arc;

use foldhash::HashMap;

pub(crate) use self::ahead::{ComingDraw, DrawsAhead};
pub use self::asked_draw::AskedDraw;
pub use self::asked_target::{PixelRectangle, picture_order};
pub use self::part_copies::PartCopy;
pub use self::vertex_values::VertexValues;

use self::asked_draw::AskedPipelines;
use self::clear::FillPipelines;
use self::groups::BindGroups;
use self::kernels::Kernels;
use self::known_sources::KnownSources;
use self::outline::KnownOutlines;
use self::part_copies::Unnamed;
use self::pass_settings::PassSettings;
use self::pipelines::DrawPipelines;
use self::present::ShowPipelines;
use self::programs::Programs;
use self::refused::RefusedResources;
use self::resources::{DeviceBuffer, DeviceResources, DeviceTexture};
use self::samplers::Samplers;
use self::stage_groups::StageConstants;
use self::transfer::WrittenBack;
use self::unbound::Unbound;
use self::uniforms::Uniforms;
use super::device::Gpu;
use super::drawing::Bound;
use super::error::GpuError;
use super::in_flight::Recorded;
use super::render_target::RenderTarget;
use super::renderer::Renderer;
use crate::command::Location;
use crate::error::Internal;
use crate::limits::MAX_DEVICE_BYTES;
use crate::pixels::Size;
use crate::replay::device_rules::{check_buffer, check_texture};
use crate::replay::{DeviceOp, DrawTargets, Executor, ObjectKey, ResourceKind, TargetView, TextureLayout};

/// What submissions have on a GPU.
pub(super) struct DeviceWorld {
    resources: DeviceResources,
    refused: RefusedResources,
    /// Bytes of all resources.
    bytes: u64,
    unnamed: Unnamed,
    /// The targets of the pass that is open.
    open: Option<DrawTargets>,
    /// How often a resource was made, dropped or moved, or has bytes that are not brought yet, though it was used.
    resource_changes: u64,
    /// Where the constants of stages lie, by the numbers of these.
    constants: HashMap<u32, StageConstants>,
    outlines: KnownOutlines,
    sources: KnownSources,
    /// Bytes of buffers and texels that were brought to the GPU.
    brought_bytes: u64,
    /// Bytes of versions of buffers that what is recorded may read.
    version_bytes: u64,
    written_back: WrittenBack,
    kernels: Kernels,
    fills: FillPipelines,
    shows: ShowPipelines,
    uniforms: Uniforms,
    samplers: Samplers,
    programs: Arc<Programs>,
    pipelines: Arc<DrawPipelines>,
    /// Draws that will come, if somebody looks ahead.
    ahead: Option<Arc<DrawsAhead>>,
    /// Programs and pipelines that had been let go when the last batch was submitted.
    let_go: u64,
    /// Pipelines that were not made yet when their draws came.
    late_pipelines: u32,
    asked: AskedPipelines,
    unbound: Unbound,
    groups: BindGroups,
    /// Whether something was dropped that groups may bind.
    has_dropped: bool,
    /// What is set in the pass that is open.
    settings: PassSettings,
    /// The size of contexts' own back buffers.
    back_buffer: Size,
    /// The screen whose presents are shown.
    scanout: u32,
}

impl DeviceWorld {
    /// Makes what a coming draw needs, if one waits for it.
    fn help_ahead(&self) -> bool {
        self.ahead.as_ref().is_some_and(|ahead| ahead.help())
    }

    pub(super) fn new(back_buffer: Size) -> Self {
        Self {
            resources: DeviceResources::default(),
            refused: RefusedResources::default(),
            bytes: 0,
            unnamed: Unnamed::default(),
            open: None,
            resource_changes: 0,
            constants: HashMap::default(),
            outlines: KnownOutlines::default(),
            sources: KnownSources::default(),
            brought_bytes: 0,
            version_bytes: 0,
            written_back: WrittenBack::default(),
            kernels: Kernels::default(),
            fills: FillPipelines::default(),
            shows: ShowPipelines::default(),
            uniforms: Uniforms::default(),
            samplers: Samplers::default(),
            programs: Arc::default(),
            pipelines: Arc::default(),
            ahead: None,
            let_go: 0,
            late_pipelines: 0,
            asked: AskedPipelines::default(),
            unbound: Unbound::default(),
            groups: BindGroups::default(),
            has_dropped: false,
            settings: PassSettings::default(),
            back_buffer,
            scanout: 0,
        }
    }

    /// Nothing was made and nothing drawn. Pipelines are kept.
    pub(super) fn reset(&mut self) {
        (self.resources, self.bytes, self.open) = (DeviceResources::default(), 0, None);
        (self.refused, self.written_back) = Default::default();
        self.version_bytes = 0;
        self.resource_changes += 1;
        // The batch with what they lie in is dropped, and its number stays.
        (self.constants, self.outlines, self.sources) = Default::default();
        self.groups.clear();
        self.shows.forget_last();
        self.unnamed = Unnamed::default();
        self.uniforms.recycle();
    }

    /// What is recorded is about to be submitted.
    pub(super) fn submit(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        self.uniforms.flush(gpu)?;
        self.uniforms.recycle();
        (self.open, self.version_bytes) = (None, 0);
        if self.has_let_go() {
            self.let_go = self.count_let_go();
            // They hold what was let go; and what they hold seems unused.
            (self.constants, self.outlines) = Default::default();
            self.asked.forget();
        }
        // None is looked at in another batch, and they hold buffers.
        self.sources.clear();
        if std::mem::take(&mut self.has_dropped) {
            self.groups.retain(&self.resources);
            self.shows.forget_last();
        }
        Ok(())
    }

    /// Bytes of the numbers that draws of this batch read.
    pub(super) fn uniform_bytes(&self) -> u64 {
        self.uniforms.recorded_bytes()
    }

    fn count_let_go(&self) -> u64 {
        self.programs.let_go() + self.pipelines.let_go()
    }

    /// Whether programs or pipelines were let go since the last batch was submitted.
    fn has_let_go(&self) -> bool {
        self.let_go != self.count_let_go()
    }

    /// The size of contexts' own back buffers.
    pub(super) fn back_buffer(&self) -> Size {
        self.back_buffer
    }

    /// Bytes that it keeps.
    pub(super) fn kept_bytes(&self) -> u64 {
        self.bytes
    }
}

impl Renderer {
    /// Records what the executor's last command, one of a submission, asks for.
    pub fn run_device_ops(&mut self, executor: &Executor) -> Result<(), GpuError> {
        self.submit_if_full()?;
        let at = executor.at();
        self.batch.first.get_or_insert(at);
        self.time_batch(at);
        self.d3d.written_back.begin(at.frame, at.submission);
        // Whatever pass is open next, nothing is set in it.
        self.bound = Bound::default();
        let ops = executor.device_ops();
        // What a slice makes may be there already, and is then not filled with what it was made with.
        if ops.first().and_then(DeviceOp::made).is_some_and(|object| self.d3d.resources.has(object)) {
            return Ok(());
        }
        ops.iter().try_for_each(|op| {
            self.d3d.refused.check(op, at)?;
            let done = self.run_device_op(op, executor, at);
            if let (Err(error), Some(object)) = (&done, op.made()) {
                self.d3d.refused.add(object, at, error);
            }
            done
        })
    }

    fn run_device_op(&mut self, op: &DeviceOp, executor: &Executor, at: Location) -> Result<(), GpuError> {
        match op {
            DeviceOp::CreateBuffer { buffer, size_bytes } => {
                let checked = check_buffer(self.gpu.record(), u64::from(*size_bytes));
                checked.map_err(|refusal| GpuError::Refusal { refusal, at })?;
                self.count_device_bytes(DeviceBuffer::bytes_to_make(*size_bytes), at)?;
                self.batch.note(Recorded::Object);
                let made = DeviceBuffer::new(&self.gpu, *size_bytes);
                self.d3d.resources.buffers.insert(*buffer, made);
                self.d3d.resource_changes += 1;
            }
            DeviceOp::CreateTexture { texture, desc } => {
                check_texture(self.gpu.record(), desc).map_err(|refusal| GpuError::Refusal { refusal, at })?;
                let layout = layout_now(*texture, executor)?;
                self.count_device_bytes(DeviceTexture::bytes_to_make(desc, layout), at)?;
                self.batch.note(Recorded::Object);
                let made = DeviceTexture::new(&self.gpu, *desc, Some(layout.clone()));
                self.d3d.resources.textures.insert(*texture, made);
                self.d3d.resource_changes += 1;
                self.prepare_texture(*texture)?;
            }
            DeviceOp::DropUnnamed if self.d3d.unnamed == Unnamed::Keep => {}
            DeviceOp::DropUnnamed => self.drop_unnamed(executor),
            DeviceOp::Write { resource, start_bytes, bytes } => {
                self.write_resource(*resource, *start_bytes, bytes, executor)?;
            }
            DeviceOp::SetCounter { buffer, count } => self.set_counter(*buffer, *count)?,
            DeviceOp::CopyBuffer(copy) => self.copy_buffer(copy, at)?,
            DeviceOp::CopyTexture(copy) => self.copy_texture(copy, at)?,
            DeviceOp::Clear(clear) => self.clear_targets(clear)?,
            DeviceOp::Draw { state, vertices } => self.draw_device(state, *vertices, at)?,
            DeviceOp::Dispatch { state, groups } => self.dispatch_device(state, *groups, at)?,
            DeviceOp::Present { scanout, source } => {
                if let Some(source) = source.filter(|_| *scanout == self.d3d.scanout) {
                    self.leave_canvas();
                    self.show(&source)?;
                }
            }
        }
        match op {
            // What is wrong with one comes to light when its pass ends.
            DeviceOp::Draw { .. } => Ok(()),
            _ => self.gpu.check("a command of a submission", at),
        }
    }

    /// Bytes of resources of submissions that were brought to the GPU so far: what it holds already is not brought again.
    pub fn brought_bytes(&self) -> u64 {
        self.d3d.brought_bytes
    }

    /// What comes next is drawn on the picture itself.
    #[inline]
    pub(super) fn leave_device_pass(&mut self) {
        if self.d3d.open.take().is_some() {
            self.batch.end_pass();
        }
    }

    /// Makes the picture be what is drawn to in the middle of a frame.
    pub fn show_target(&mut self, source: &TargetView) -> Result<(), GpuError> {
        self.show(source)
    }

    /// Makes the picture be transparent black, of the size that it has before anything is presented.
    pub fn show_nothing(&mut self) {
        self.replace_target(self.d3d.back_buffer());
        self.d3d.open = None;
        self.fill([0; 4]);
    }

    /// Has what is shown from here on be another picture; gives the one before.
    pub fn set_picture_aside(&mut self) -> (RenderTarget, Size) {
        let other = RenderTarget::for_pictures(&self.gpu, self.size);
        self.batch.end_pass();
        self.d3d.open = None;
        (std::mem::replace(&mut self.target, other), self.size)
    }

    /// Has the picture be the one that was set aside.
    pub fn put_picture_back(&mut self, (target, size): (RenderTarget, Size)) {
        self.batch.end_pass();
        self.d3d.open = None;
        self.readbacks.clear();
        (self.target, self.size) = (target, size);
    }

    /// Has the presents to `scanout` shown, and no others.
    pub fn set_scanout(&mut self, scanout: u32) {
        self.d3d.scanout = scanout;
    }

    /// A texture has zeros, but where it has no alpha: there it is opaque. WebGPU makes textures of zeros.
    fn prepare_texture(&mut self, key: ObjectKey) -> Result<(), GpuError> {
        let lost = Internal::new("a new texture is missing");
        let made = self.d3d.resources.textures.get_mut(&key).ok_or(lost)?;
        let desc = made.desc;
        if formats::writes_alpha(desc.format) {
            return Ok(());
        }
        for (layer, mip) in (0..desc.layers).flat_map(|layer| (0..desc.mips).map(move |mip| (layer, mip))) {
            let view = made.view(resources::ViewKey::of_target(desc.format, mip, layer));
            let load = wgpu::LoadOp::Clear(pass::clear_color(desc.format, [0.0; 4]));
            let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
            let attachment = wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops };
            self.batch.note(Recorded::Pass);
            // Nothing that is recorded knows the texture.
            self.batch.transfers().begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("opaque"),
                color_attachments: &[Some(attachment)],
                ..Default::default()
            });
        }
        Ok(())
    }

    /// Drops resources that are not among the objects any more.
    fn drop_unnamed(&mut self, executor: &Executor) {
        let objects = executor.device().objects();
        let is_alive = |key: &ObjectKey| key.creation().is_none() || objects.resource(*key).is_some();
        let DeviceResources { buffers, textures } = &mut self.d3d.resources;
        let dropped = buffers.extract_if(|key, _| !is_alive(key)).map(|(_, buffer)| buffer.kept_bytes());
        let dropped =
            dropped.chain(textures.extract_if(|key, _| !is_alive(key)).map(|(_, texture)| texture.stored_bytes()));
        let (count, bytes) = dropped.fold((0, 0), |(count, sum), bytes| (count + 1, sum + bytes));
        if count > 0 {
            // What is recorded may use it.
            self.held.add(self.batch_number, bytes);
            self.d3d.has_dropped = true;
            self.d3d.resource_changes += 1;
        }
        self.count_resources();
    }

    /// Refuses what would be too much beside all there is, before it is made.
    pub(super) fn count_device_bytes(&mut self, bytes: u64, at: Location) -> Result<(), GpuError> {
        let found = self.d3d.bytes + bytes;
        if found > MAX_DEVICE_BYTES {
            let what = "the size in bytes of all resources at one time";
            return Err(GpuError::OverLimit { what, at, found, whose: "this build's", limit: MAX_DEVICE_BYTES });
        }
        self.d3d.bytes = found;
        Ok(())
    }

    /// The target has another size from here on.
    pub(super) fn resize_target(&mut self, size: Size) -> Result<(), GpuError> {
        if size != self.size {
            Self::check_size(&self.gpu, size)?;
            self.replace_target(size);
        }
        Ok(())
    }

    /// The same with a size that has been checked.
    pub(super) fn replace_target(&mut self, size: Size) {
        if size != self.size {
            self.batch.end_pass();
            if self.target.is_made() {
                self.hold(self.size.rgba_bytes());
            }
            self.target = RenderTarget::for_pictures(&self.gpu, size);
            self.size = size;
            // Those that wait for pictures of another size are on their way with them.
            self.readbacks.clear();
        }
    }
}

/// How a texture lies in guest memory now.
pub(super) fn layout_now(texture: ObjectKey, executor: &Executor) -> Result<&TextureLayout, Internal> {
    match executor.device().objects().resource(texture).map(|resource| &resource.kind) {
        Some(ResourceKind::Texture(known)) => Ok(&known.layout),
        _ => Err(Internal::new("a created or written texture is not among the objects")),
    }
}
