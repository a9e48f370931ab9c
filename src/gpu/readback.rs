//! The target's pixels, back on the CPU.

use std::sync::mpsc;

use super::device::Gpu;
use super::error::GpuError;
use crate::pixels::{Picture, Size};

/// A buffer that takes one picture.
pub(super) struct Readback {
    buffer: wgpu::Buffer,
    size: Size,
    padded_row_bytes: u32,
}

impl Readback {
    pub fn new(gpu: &Gpu, size: Size) -> Self {
        let padded_row_bytes = (size.width_px * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("readback"),
            size: u64::from(padded_row_bytes) * u64::from(size.height_px),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        Self { buffer, size, padded_row_bytes }
    }

    /// Records the copy out of `target`.
    pub fn copy_from(&self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::Texture) {
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(self.padded_row_bytes),
            rows_per_image: Some(self.size.height_px),
        };
        let into = wgpu::TexelCopyBufferInfo { buffer: &self.buffer, layout };
        encoder.copy_texture_to_buffer(target.as_image_copy(), into, target.size());
    }

    /// Waits for the submission, or for everything, and takes the pixels.
    pub fn finish(&self, gpu: &Gpu, submission: Option<wgpu::SubmissionIndex>) -> Result<Picture, GpuError> {
        let (sender, receiver) = mpsc::channel();
        self.buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            // Nobody listens any more if the wait below has failed.
            let _ = sender.send(result);
        });
        gpu.wait(submission)?;
        let lost = |message: String| GpuError::DeviceLost(message);
        // Another thread that waits for the same device may be the one that calls back, and may not have done so yet.
        match receiver.recv_timeout(gpu.timeout()) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(lost(format!("the picture cannot be mapped: {error}"))),
            Err(mpsc::RecvTimeoutError::Timeout) => return Err(GpuError::Timeout(gpu.timeout())),
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err(lost("the picture was never mapped".to_owned())),
        }
        let rows = self.buffer.get_mapped_range(..).map_err(|error| lost(error.to_string()))?;
        let row_bytes = self.size.width_px as usize * 4;
        let mut rgba = Vec::with_capacity(self.size.rgba_bytes() as usize);
        for row in rows.chunks_exact(self.padded_row_bytes as usize) {
            rgba.extend_from_slice(row.get(..row_bytes).unwrap_or_default());
        }
        drop(rows);
        self.buffer.unmap();
        Picture::new(self.size, rgba).map_err(|error| lost(error.to_string()))
    }
}
