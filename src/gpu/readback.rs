//! The target's pixels, back on the CPU.

use super::device::Gpu;
use super::error::GpuError;
use super::waiting::event;
use crate::error::Internal;
use crate::pixels::Size;

/// Rows of pixels as the GPU copies them: each begins at a multiple of 256 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    count: u32,
    row_bytes: u32,
    padded_row_bytes: u32,
}

impl Rows {
    /// All rows of a target.
    pub(crate) fn of(size: Size, bytes_per_pixel: u32) -> Self {
        let row_bytes = size.width_px * bytes_per_pixel;
        let padded_row_bytes = row_bytes.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        Self { count: size.height_px, row_bytes, padded_row_bytes }
    }

    /// So many of them as have at most `bytes`, and at least one.
    pub(crate) fn strip_of(self, bytes: u64) -> Self {
        let most = (bytes / u64::from(self.padded_row_bytes).max(1)).max(1);
        Self { count: u64::from(self.count).min(most) as u32, ..self }
    }

    /// How many.
    pub(crate) fn count(self) -> u32 {
        self.count
    }

    /// Bytes with what is between them.
    pub(crate) fn padded_bytes(self) -> u64 {
        u64::from(self.padded_row_bytes) * u64::from(self.count)
    }

    fn tight_bytes(self) -> usize {
        self.row_bytes as usize * self.count as usize
    }
}

/// A buffer that takes rows of a target.
pub(super) struct Readback {
    buffer: wgpu::Buffer,
    rows: Rows,
}

impl Readback {
    pub(crate) fn new(gpu: &Gpu, rows: Rows) -> Self {
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("readback"),
            size: rows.padded_bytes(),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        Self { buffer, rows }
    }

    /// Its size.
    pub(crate) fn size_bytes(&self) -> u64 {
        self.buffer.size()
    }

    /// Records the copy out of `target`, from `first_row` on: as many rows as there are, and as there is room for.
    pub(crate) fn copy_from(&self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::Texture, first_row: u32) {
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(self.rows.padded_row_bytes),
            rows_per_image: Some(self.rows.count),
        };
        let into = wgpu::TexelCopyBufferInfo { buffer: &self.buffer, layout };
        let origin = wgpu::Origin3d { x: 0, y: first_row, z: 0 };
        let height = self.rows.count.min(target.height().saturating_sub(first_row));
        let from = wgpu::TexelCopyTextureInfo { origin, ..target.as_image_copy() };
        encoder.copy_texture_to_buffer(from, into, wgpu::Extent3d { height, ..target.size() });
    }

    /// Waits for the submission, or for everything, and appends the rows, tight.
    pub(crate) fn append_to(
        &self,
        tight: &mut Vec<u8>,
        gpu: &Gpu,
        submission: Option<wgpu::SubmissionIndex>,
    ) -> Result<(), GpuError> {
        read_mapped(gpu, &self.buffer, submission, |rows| {
            for row in rows.chunks_exact(self.rows.padded_row_bytes as usize) {
                let pixels = row.get(..self.rows.row_bytes as usize);
                tight.extend_from_slice(pixels.ok_or(Internal::new("a row read back is shorter than the target's"))?);
            }
            Ok(())
        })
    }

    /// Waits for the submission, or for everything, and takes the rows, tight.
    pub(crate) fn finish_bytes(
        &self,
        gpu: &Gpu,
        submission: Option<wgpu::SubmissionIndex>,
    ) -> Result<Vec<u8>, GpuError> {
        let mut tight = Vec::with_capacity(self.rows.tight_bytes());
        self.append_to(&mut tight, gpu, submission)?;
        Ok(tight)
    }
}

/// Waits for the submission, or for everything, and takes a buffer's bytes.
pub(super) fn read_buffer(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    submission: Option<wgpu::SubmissionIndex>,
) -> Result<Vec<u8>, GpuError> {
    read_mapped(gpu, buffer, submission, |bytes| Ok(bytes.to_vec()))
}

fn read_mapped<T>(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    submission: Option<wgpu::SubmissionIndex>,
    take: impl FnOnce(&[u8]) -> Result<T, Internal>,
) -> Result<T, GpuError> {
    let (teller, mapped) = event();
    buffer.map_async(wgpu::MapMode::Read, .., move |result| teller.tell(result));
    gpu.wait(submission)?;
    let lost = |message: String| GpuError::DeviceLost(message);
    // Another thread that waits for the same device may be the one that calls back, and may not have done so yet.
    let mapped = mapped.wait(gpu.timeout()).map_err(|missed| gpu.missed(missed, "the picture was never mapped"))?;
    mapped.map_err(|error| lost(format!("cannot map the picture: {error}")))?;
    let mapped = buffer.get_mapped_range(..).map_err(|error| lost(error.to_string()))?;
    let taken = take(&mapped);
    drop(mapped);
    buffer.unmap();
    Ok(taken?)
}
