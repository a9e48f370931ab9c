//! What the target holds, taken back to the CPU or kept on the GPU.

use super::buffers::BatchNumber;
use super::drawing::Bound;
use super::error::GpuError;
use super::pipelines::TARGET_FORMAT;
use super::readback::{Readback, Rows};
use super::renderer::Renderer;
use crate::error::Internal;
use crate::limits::MAX_PENDING_PICTURE_BYTES;
use crate::pixels::{Picture, Size};

/// Bytes of a pixel of the target.
const PIXEL_BYTES: u32 = 4;

/// A picture on its way back from the GPU.
pub struct PendingPicture(Pending);

enum Pending {
    /// What that batch copies.
    Copied { readback: Readback, batch: BatchNumber, size: Size },
    /// One too large to be on its way as a whole.
    Here(Picture),
}

/// A picture that the target has held, kept on the GPU.
pub struct TargetCopy {
    texture: wgpu::Texture,
}

impl Renderer {
    /// Submits what is recorded and reads the target back.
    pub fn read_back(&mut self) -> Result<Picture, GpuError> {
        let pending = self.queue_read_back()?;
        self.finish_read_back(pending)
    }

    /// Records a copy of what the target holds now, to be had later. Mostly nothing is submitted yet; a picture that is too
    /// large to be copied as a whole is read at once, strip by strip.
    pub fn queue_read_back(&mut self) -> Result<PendingPicture, GpuError> {
        self.check_target()?;
        let rows = Rows::of(self.presenter.size, PIXEL_BYTES);
        if rows.padded_bytes() > MAX_PENDING_PICTURE_BYTES {
            return Ok(PendingPicture(Pending::Here(self.read_strips(rows)?)));
        }
        let readback = self.presenter.readbacks.pop().unwrap_or_else(|| Readback::new(&self.gpu, rows));
        readback.copy_from(self.recorder.batch.after_draws(), self.presenter.target.texture(), 0);
        self.recorder.bound = Bound::default();
        Ok(PendingPicture(Pending::Copied { readback, batch: self.recorder.number, size: self.presenter.size }))
    }

    /// Waits for a picture, submitting what is recorded if it is part of that.
    pub fn finish_read_back(&mut self, pending: PendingPicture) -> Result<Picture, GpuError> {
        let (readback, batch, size) = match pending.0 {
            Pending::Here(picture) => return Ok(picture),
            Pending::Copied { readback, batch, size } => (readback, batch, size),
        };
        if batch == self.recorder.number {
            self.submit()?;
        }
        let mut rgba = Vec::with_capacity(size.rgba_bytes() as usize);
        // Forgotten ones are long done; waiting for everything is right for them too.
        readback.append_to(&mut rgba, &self.gpu, self.submission_of(batch))?;
        self.note_done(batch);
        if size == self.presenter.size {
            self.presenter.readbacks.push(readback);
        }
        picture_of(size, rgba)
    }

    fn read_strips(&mut self, whole: Rows) -> Result<Picture, GpuError> {
        let strip = whole.strip_of(MAX_PENDING_PICTURE_BYTES);
        let readback = Readback::new(&self.gpu, strip);
        let mut rgba = Vec::with_capacity(self.presenter.size.rgba_bytes() as usize);
        for first_row in (0..whole.count()).step_by(strip.count().max(1) as usize) {
            readback.copy_from(self.recorder.batch.after_draws(), self.presenter.target.texture(), first_row);
            let batch = self.recorder.number;
            self.submit()?;
            readback.append_to(&mut rgba, &self.gpu, self.submission_of(batch))?;
            self.note_done(batch);
        }
        // The last strip may have had fewer rows than there is room for.
        rgba.truncate(self.presenter.size.rgba_bytes() as usize);
        picture_of(self.presenter.size, rgba)
    }

    /// Keeps the picture that the target holds now, on the GPU.
    pub fn save_target(&mut self) -> TargetCopy {
        let copy = TargetCopy { texture: self.make_copy() };
        self.save_target_in(&copy);
        copy
    }

    /// Keeps it in place of another one.
    pub fn save_target_in(&mut self, copy: &TargetCopy) {
        let (from, to) = (self.presenter.target.texture().as_image_copy(), copy.texture.as_image_copy());
        self.recorder.batch.copy_texels(from, to, self.presenter.target.texture().size());
        self.recorder.bound = Bound::default();
    }

    fn make_copy(&self) -> wgpu::Texture {
        self.gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("copy of the target"),
            size: self.presenter.target.texture().size(),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: TARGET_FORMAT,
            usage: wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        })
    }

    /// Makes the target hold the picture that was kept.
    pub fn restore_target(&mut self, copy: &TargetCopy) {
        let (from, to) = (copy.texture.as_image_copy(), self.presenter.target.texture().as_image_copy());
        self.recorder.batch.copy_texels(from, to, self.presenter.target.texture().size());
        self.recorder.bound = Bound::default();
    }
}

fn picture_of(size: Size, rgba: Vec<u8>) -> Result<Picture, GpuError> {
    let other_size = Internal::new("the picture read back differs in size from the target");
    Ok(Picture::new(size, rgba).map_err(|_| other_size)?)
}
