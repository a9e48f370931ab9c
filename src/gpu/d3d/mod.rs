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
mod drawn_last;
mod formats;
mod gathering;
mod groups;
mod kernels;
mod known_sources;
mod memo;
mod not_compiled;
mod outline;
mod own_shaders;
mod parameters;
mod part_copies;
mod parts;
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
mod stages;
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

pub(crate) use self::ahead::{ComingDraw, DrawsAhead};
pub use self::asked_draw::AskedDraw;
pub use self::asked_target::PixelRectangle;
pub use self::part_copies::PartCopy;
pub(super) use self::parts::{Bindings, Pipelines, Resources};
pub(super) use self::pass_settings::PassSettings;
pub use self::vertex_values::VertexValues;

use self::part_copies::Unnamed;
use self::resources::{DeviceBuffer, DeviceResources, DeviceTexture};
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
use crate::replay::{DeviceOp, DeviceOps, ObjectKey, OpContext, TargetView};

impl Renderer {
    /// Makes the parts ready for the submission of the batch.
    pub(super) fn submit_objects(&mut self) -> Result<(), GpuError> {
        // Once a batch, however many were dropped.
        if self.resources.has_dropped {
            self.count_resources();
        }
        let Self { gpu, recorder, resources, bindings, pipelines, .. } = self;
        bindings.uniforms.flush(gpu)?;
        bindings.uniforms.recycle();
        (recorder.open, resources.version_bytes) = (None, 0);
        pipelines.submit();
        // Others hold buffers for nothing.
        bindings.sources.retain(|_, known| known.lie_as_of(resources.changes));
        if std::mem::take(&mut resources.has_dropped) {
            bindings.groups.retain(&resources.objects);
            pipelines.shows.forget_last();
        }
        Ok(())
    }

    /// Records the ops of a command of a submission.
    #[inline]
    pub fn run_device_ops(&mut self, ops: DeviceOps<'_>) -> Result<(), GpuError> {
        // Most commands of a submission set something, which is no op.
        if ops.ops.is_empty() { Ok(()) } else { self.record_device_ops(ops) }
    }

    fn record_device_ops(&mut self, DeviceOps { ops, context }: DeviceOps<'_>) -> Result<(), GpuError> {
        self.submit_if_full()?;
        let at = context.at;
        self.recorder.batch.first.get_or_insert(at);
        self.time_batch(at);
        self.resources.written_back.begin(at.frame, at.submission);
        // Whatever pass is open next, nothing is set in it.
        self.recorder.bound = Bound::default();
        // What a slice makes may be there already, and is then not filled with what it was made with.
        if ops.first().and_then(DeviceOp::made).is_some_and(|object| self.resources.objects.has(object)) {
            return Ok(());
        }
        ops.iter().try_for_each(|op| {
            self.resources.refused.check(op, at)?;
            let done = self.run_device_op(op, context);
            if let (Err(error), Some(object)) = (&done, op.made()) {
                self.resources.refused.add(object, at, error);
            }
            done
        })
    }

    fn run_device_op(&mut self, op: &DeviceOp, context: OpContext<'_>) -> Result<(), GpuError> {
        let at = context.at;
        match op {
            DeviceOp::CreateBuffer { buffer, size_bytes } => {
                let checked = check_buffer(self.gpu.record(), u64::from(*size_bytes));
                checked.map_err(|refusal| GpuError::Refusal { refusal, at })?;
                self.count_device_bytes(DeviceBuffer::bytes_to_make(self.gpu.record(), *size_bytes), at)?;
                self.recorder.batch.note(Recorded::Object);
                let made = DeviceBuffer::new(&self.gpu, *size_bytes);
                self.resources.objects.buffers.insert(*buffer, made);
                self.resources.changes += 1;
            }
            DeviceOp::CreateTexture { texture, desc, layout } => {
                check_texture(self.gpu.record(), desc).map_err(|refusal| GpuError::Refusal { refusal, at })?;
                self.count_device_bytes(DeviceTexture::bytes_to_make(desc, layout), at)?;
                self.recorder.batch.note(Recorded::Object);
                let made = DeviceTexture::new(&self.gpu, *desc, Some(layout.clone()));
                self.resources.objects.textures.insert(*texture, made);
                self.resources.changes += 1;
                self.prepare_texture(*texture)?;
            }
            DeviceOp::Drop { .. } if self.resources.unnamed == Unnamed::Keep => {}
            DeviceOp::Drop { resource } => self.drop_resource(*resource),
            DeviceOp::Write { resource, start_bytes, bytes, layout } => {
                let asks = self.write_resource((*resource, layout.as_ref()), *start_bytes, bytes, context)?;
                if !asks {
                    return Ok(());
                }
            }
            DeviceOp::SetCounter { buffer, count } => self.set_counter(*buffer, *count)?,
            DeviceOp::CopyBuffer(copy) => self.copy_buffer(copy, at)?,
            DeviceOp::CopyTexture(copy) => self.copy_texture(copy, at)?,
            DeviceOp::Clear(clear) => self.clear_targets(clear)?,
            DeviceOp::Draw { state, vertices } => self.draw_device(state, *vertices, at)?,
            DeviceOp::Dispatch { state, groups } => self.dispatch_device(state, *groups, at)?,
            DeviceOp::Present { scanout, source } => {
                if let Some(source) = source.filter(|_| *scanout == self.presenter.scanout) {
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
        self.resources.brought_bytes
    }

    /// What comes next is drawn on the picture itself.
    #[inline]
    pub(super) fn leave_device_pass(&mut self) {
        if self.recorder.open.take().is_some() {
            self.recorder.batch.end_pass();
        }
    }

    /// Makes the picture be what is drawn to in the middle of a frame.
    pub fn show_target(&mut self, source: &TargetView) -> Result<(), GpuError> {
        self.show(source)
    }

    /// Makes the picture be transparent black, of the size that it has before anything is presented.
    pub fn show_nothing(&mut self) {
        self.replace_target(self.presenter.back_buffer);
        self.recorder.open = None;
        self.fill([0; 4]);
    }

    /// Has what is shown from here on be another picture; gives the one before.
    pub fn set_picture_aside(&mut self) -> (RenderTarget, Size) {
        let other = RenderTarget::for_pictures(&self.gpu, self.presenter.size);
        self.recorder.batch.end_pass();
        self.recorder.open = None;
        (std::mem::replace(&mut self.presenter.target, other), self.presenter.size)
    }

    /// Has the picture be the one that was set aside.
    pub fn put_picture_back(&mut self, (target, size): (RenderTarget, Size)) {
        self.recorder.batch.end_pass();
        self.recorder.open = None;
        self.presenter.readbacks.clear();
        (self.presenter.target, self.presenter.size) = (target, size);
    }

    /// Has the presents to `scanout` shown, and no others.
    pub fn set_scanout(&mut self, scanout: u32) {
        self.presenter.scanout = scanout;
    }

    /// A texture has zeros, but where it has no alpha: there it is opaque. WebGPU makes textures of zeros.
    fn prepare_texture(&mut self, key: ObjectKey) -> Result<(), GpuError> {
        let lost = Internal::new("a new texture is missing");
        let made = self.resources.objects.textures.get_mut(&key).ok_or(lost)?;
        let desc = made.desc;
        if formats::writes_alpha(desc.format) {
            return Ok(());
        }
        for (layer, mip) in (0..desc.layers).flat_map(|layer| (0..desc.mips).map(move |mip| (layer, mip))) {
            let view = made.view(resources::ViewKey::of_target(self.gpu.record(), desc.format, mip, layer));
            let load = wgpu::LoadOp::Clear(pass::clear_color(desc.format, [0.0; 4]));
            let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
            let attachment = wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops };
            self.recorder.batch.note(Recorded::Pass);
            // Nothing that is recorded knows the texture.
            self.recorder.batch.transfers().begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("opaque"),
                color_attachments: &[Some(attachment)],
                ..Default::default()
            });
        }
        Ok(())
    }

    /// Drops a resource, if it is there.
    fn drop_resource(&mut self, key: ObjectKey) {
        let DeviceResources { buffers, textures } = &mut self.resources.objects;
        let buffer = buffers.remove(&key).map(|buffer| buffer.kept_bytes());
        let dropped = buffer.or_else(|| textures.remove(&key).map(|texture| texture.stored_bytes()));
        // silent: it could not be made, or a slice has left out what made it
        let Some(bytes) = dropped else { return };
        // What is recorded may use it.
        self.recorder.held.add(self.recorder.number, bytes);
        self.resources.has_dropped = true;
        self.resources.changes += 1;
        self.resources.bytes = self.resources.bytes.saturating_sub(bytes);
    }

    /// Refuses what would be too much beside all there is, before it is made.
    pub(super) fn count_device_bytes(&mut self, bytes: u64, at: Location) -> Result<(), GpuError> {
        let mut found = self.resources.bytes + bytes;
        if found > MAX_DEVICE_BYTES {
            self.count_resources();
            found = self.resources.bytes + bytes;
        }
        if found > MAX_DEVICE_BYTES {
            let what = "the size in bytes of all resources at one time";
            return Err(GpuError::OverLimit { what, at, found, whose: "this build's", limit: MAX_DEVICE_BYTES });
        }
        self.resources.bytes = found;
        Ok(())
    }

    /// The target has another size from here on.
    pub(super) fn resize_target(&mut self, size: Size) -> Result<(), GpuError> {
        if size != self.presenter.size {
            Self::check_size(&self.gpu, size)?;
            self.replace_target(size);
        }
        Ok(())
    }

    /// The same with a size that has been checked.
    pub(super) fn replace_target(&mut self, size: Size) {
        if size != self.presenter.size {
            self.recorder.batch.end_pass();
            if self.presenter.target.is_made() {
                self.hold(self.presenter.size.rgba_bytes());
            }
            self.presenter.target = RenderTarget::for_pictures(&self.gpu, size);
            self.presenter.size = size;
            // Those that wait for pictures of another size are on their way with them.
            self.presenter.readbacks.clear();
        }
    }
}
