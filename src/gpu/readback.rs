//! The target's pixels, back on the CPU.

use std::sync::mpsc;

use super::device::Gpu;
use super::error::GpuError;
use crate::pixels::{Picture, Size};

/// A buffer that takes one canvas.
pub(super) struct Readback {
    buffer: wgpu::Buffer,
    size: Size,
    row_bytes: u32,
    padded_row_bytes: u32,
}

impl Readback {
    pub(crate) fn new(gpu: &Gpu, size: Size, bytes_per_pixel: u32) -> Self {
        let row_bytes = size.width_px * bytes_per_pixel;
        let padded_row_bytes = row_bytes.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("readback"),
            size: u64::from(padded_row_bytes) * u64::from(size.height_px),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        Self { buffer, size, row_bytes, padded_row_bytes }
    }

    /// Records the copy out of `target`.
    pub(crate) fn copy_from(&self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::Texture) {
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(self.padded_row_bytes),
            rows_per_image: Some(self.size.height_px),
        };
        let into = wgpu::TexelCopyBufferInfo { buffer: &self.buffer, layout };
        encoder.copy_texture_to_buffer(target.as_image_copy(), into, target.size());
    }

    /// Waits for the submission, or for everything, and takes the pixels.
    pub(crate) fn finish(&self, gpu: &Gpu, submission: Option<wgpu::SubmissionIndex>) -> Result<Picture, GpuError> {
        let rgba = self.finish_bytes(gpu, submission)?;
        Picture::new(self.size, rgba).map_err(|error| GpuError::DeviceLost(error.to_string()))
    }

    /// Waits for the submission, or for everything, and takes the rows, tight.
    pub(crate) fn finish_bytes(
        &self,
        gpu: &Gpu,
        submission: Option<wgpu::SubmissionIndex>,
    ) -> Result<Vec<u8>, GpuError> {
        read_mapped(gpu, &self.buffer, submission, |rows| {
            let mut tight = Vec::with_capacity(self.row_bytes as usize * self.size.height_px as usize);
            for row in rows.chunks_exact(self.padded_row_bytes as usize) {
                tight.extend_from_slice(row.get(..self.row_bytes as usize).unwrap_or_default());
            }
            tight
        })
    }
}

/// Waits for the submission, or for everything, and takes a buffer's bytes.
pub(super) fn read_buffer(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    submission: Option<wgpu::SubmissionIndex>,
) -> Result<Vec<u8>, GpuError> {
    read_mapped(gpu, buffer, submission, <[u8]>::to_vec)
}

fn read_mapped(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    submission: Option<wgpu::SubmissionIndex>,
    take: impl FnOnce(&[u8]) -> Vec<u8>,
) -> Result<Vec<u8>, GpuError> {
    let (sender, receiver) = mpsc::channel();
    buffer.map_async(wgpu::MapMode::Read, .., move |result| {
        // Nobody listens any more if the wait below has failed.
        let _ = sender.send(result);
    });
    gpu.wait(submission)?;
    let lost = |message: String| GpuError::DeviceLost(message);
    // Another thread that waits for the same device may be the one that calls back, and may not have done so yet.
    match receiver.recv_timeout(gpu.timeout()) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(lost(format!("what was drawn cannot be mapped: {error}"))),
        Err(mpsc::RecvTimeoutError::Timeout) => return Err(gpu.timed_out()),
        Err(mpsc::RecvTimeoutError::Disconnected) => return Err(lost("what was drawn was never mapped".to_owned())),
    }
    let mapped = buffer.get_mapped_range(..).map_err(|error| lost(error.to_string()))?;
    let bytes = take(&mapped);
    drop(mapped);
    buffer.unmap();
    Ok(bytes)
}
