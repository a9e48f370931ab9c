//! Carries out ops on one target.

use std::collections::VecDeque;
use std::sync::Arc;

use super::batch::Batch;
use super::buffers::{BatchNumber, Buffers, WriteTarget};
use super::canvas::Canvas;
use super::device::Gpu;
use super::drawing::Bound;
use super::error::GpuError;
use super::instruments::Instruments;
use super::pipelines::{Pipelines, TARGET_FORMAT};
use super::readback::Readback;
use super::triangles::CornerIndices;
use crate::bytes::limits::MAX_PICTURE_BYTES;
use crate::command::Location;
use crate::pixels::{Picture, Size};
use crate::replay::{BlobStore, BufferKey, Executor, Op, Piece};

/// Bytes that transfers stage before they are submitted on their own. They may always run early: they never write
/// what a pending draw reads.
const MAX_STAGED_BYTES: u64 = 32 << 20;
/// Bytes of dropped buffers and gathered vertices that may wait for the GPU.
const MAX_HELD_BYTES: u64 = 256 << 20;
const STAGING_CHUNK_BYTES: u64 = 256 << 10;
/// Bytes of a pixel of the target.
const PIXEL_BYTES: u32 = 4;
/// Staged bytes that make a submission large: of such ones only two are on their way at a time, for the memory.
const LARGE_SUBMISSION_BYTES: u64 = 1 << 20;

/// Submissions that a picture may still be waited for.
const REMEMBERED_SUBMISSIONS: usize = 64;

/// A target and everything that is drawn into it.
pub struct Renderer {
    pub(super) gpu: Arc<Gpu>,
    pub(super) size: Size,
    /// What is drawn on.
    pub(super) target: Canvas,
    pub(super) buffers: Buffers,
    pub(super) pipelines: Pipelines,
    staging: wgpu::util::StagingBelt,
    pub(super) batch: Batch,
    pub(super) batch_number: BatchNumber,
    pub(super) bound: Bound,
    pub(super) instruments: Instruments,
    pub(super) corner_indices: CornerIndices,
    /// Not in use at the moment.
    readbacks: Vec<Readback>,
    /// Bytes of dropped buffers and gathered vertices that what is recorded, or on its way, may still read.
    held_bytes: u64,
    /// Vertices drawn for the picture being made.
    spent_vertices: u64,
    /// The latest submissions, by the batch that they ended.
    submissions: VecDeque<(BatchNumber, wgpu::SubmissionIndex)>,
}

/// A picture on its way back from the GPU.
pub struct PendingPicture {
    readback: Readback,
    batch: BatchNumber,
}

/// A picture that the target has held, kept on the GPU.
pub struct TargetCopy {
    texture: wgpu::Texture,
}

impl Renderer {
    /// A renderer with a target of transparent black.
    pub fn new(gpu: Arc<Gpu>, size: Size) -> Result<Self, GpuError> {
        let over_limit = |what, found, limit| Err(GpuError::OverDeviceLimit { what, found, limit });
        let side = u64::from(size.width_px.max(size.height_px));
        let largest_side = u64::from(gpu.largest_side_px());
        if side > largest_side {
            return over_limit("the target's larger side in pixels (--size)", side, largest_side);
        }
        if size.rgba_bytes() > MAX_PICTURE_BYTES {
            return over_limit("the target's size in bytes (--size)", size.rgba_bytes(), MAX_PICTURE_BYTES);
        }
        let target = Canvas::picture(&gpu, size);
        gpu.check("target", Location::default())?;
        let staging = wgpu::util::StagingBelt::new(gpu.device.clone(), STAGING_CHUNK_BYTES);
        let batch = Batch::new(gpu.clone());
        let mut renderer = Self {
            gpu,
            size,
            target,
            buffers: Buffers::default(),
            pipelines: Pipelines::new(size),
            staging,
            batch,
            batch_number: BatchNumber::default(),
            bound: Bound::default(),
            instruments: Instruments::default(),
            corner_indices: CornerIndices::default(),
            readbacks: Vec::new(),
            held_bytes: 0,
            spent_vertices: 0,
            submissions: VecDeque::new(),
        };
        renderer.reset();
        Ok(renderer)
    }

    /// The GPU drawn with.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Width and height of the target.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Back to the start: no buffers, transparent black. Pipelines are kept.
    pub fn reset(&mut self) {
        self.batch = self.batch.next();
        self.staging.finish();
        self.buffers.clear();
        self.bound = Bound::default();
        self.batch.clear(&self.target.view, wgpu::Color::TRANSPARENT);
    }

    /// Records one op of the executor's last command.
    pub fn run(&mut self, op: &Op, executor: &Executor) -> Result<(), GpuError> {
        let at = executor.at();
        self.batch.first.get_or_insert(at);
        match op {
            Op::CreateBuffer { buffer, size_bytes } => self.buffers.create(*buffer, *size_bytes),
            Op::DropBuffer { buffer } => {
                let dropped = self.buffers.drop_buffer(*buffer);
                self.hold(dropped)?;
            }
            Op::Upload { buffer, offset_bytes, pieces } => {
                self.upload(*buffer, *offset_bytes, pieces, executor.blobs())?;
            }
            Op::Clear { rgba } => {
                let [r, g, b, a] = rgba.map(f64::from);
                self.batch.clear(&self.target.view, wgpu::Color { r, g, b, a });
                self.bound = Bound::default();
            }
            Op::Draw(draw) => {
                self.spend(draw.vertex_count, at)?;
                self.draw_with_brush(draw, at, executor.programs())?;
            }
            Op::Present => {}
        }
        Ok(())
    }

    /// Counts bytes that live on for what is recorded. Before they pile up it is carried out, and they are gone.
    pub(super) fn hold(&mut self, bytes: u64) -> Result<(), GpuError> {
        self.held_bytes += bytes;
        if self.held_bytes <= MAX_HELD_BYTES {
            return Ok(());
        }
        self.submit()?;
        self.held_bytes = 0;
        self.gpu.wait(self.last_submission())
    }

    /// Another picture begins, with a budget of its own.
    pub fn begin_budget(&mut self) {
        self.spent_vertices = 0;
    }

    /// Refuses a draw that would take the picture over its budget.
    fn spend(&mut self, vertex_count: u32, at: Location) -> Result<(), GpuError> {
        self.spent_vertices += u64::from(vertex_count);
        match self.gpu.max_frame_vertices() {
            Some(limit) if self.spent_vertices > limit => {
                Err(GpuError::OverBudget { at, vertex_count, found: self.spent_vertices, limit })
            }
            _ => Ok(()),
        }
    }

    /// Submits what is recorded. Errors of the GPU library come out here at the latest.
    pub fn submit(&mut self) -> Result<(), GpuError> {
        self.submit_batch()
    }

    /// Submits what is recorded and reads the target back.
    pub fn read_back(&mut self) -> Result<Picture, GpuError> {
        let pending = self.queue_read_back();
        self.finish_read_back(pending)
    }

    /// Records a copy of what the target holds now, to be had later. Nothing is submitted yet.
    pub fn queue_read_back(&mut self) -> PendingPicture {
        let readback = self.readbacks.pop().unwrap_or_else(|| Readback::new(&self.gpu, self.size, PIXEL_BYTES));
        readback.copy_from(self.batch.after_draws(), &self.target.texture);
        self.bound = Bound::default();
        PendingPicture { readback, batch: self.batch_number }
    }

    /// Waits for a picture, submitting what is recorded if it is part of that.
    pub fn finish_read_back(&mut self, pending: PendingPicture) -> Result<Picture, GpuError> {
        if pending.batch == self.batch_number {
            self.submit_batch()?;
        }
        let submission = self.submissions.iter().find(|(batch, _)| *batch == pending.batch);
        // Forgotten ones are long done; waiting for everything is right for them too.
        let picture = pending.readback.finish(&self.gpu, submission.map(|(_, index)| index.clone()))?;
        self.gpu.under_way().finish(pending.batch);
        self.readbacks.push(pending.readback);
        Ok(picture)
    }

    /// How many draws are recorded and not submitted.
    pub fn recorded_draws(&self) -> u32 {
        self.batch.draw_count()
    }

    /// Whether so much is recorded that it should not wait for more.
    pub fn is_submission_large(&self) -> bool {
        self.batch.staged_bytes >= LARGE_SUBMISSION_BYTES
    }

    /// Keeps the picture that the target holds now, on the GPU.
    pub fn save_target(&mut self) -> TargetCopy {
        let texture = self.gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("copy of the target"),
            size: self.target.texture.size(),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: TARGET_FORMAT,
            usage: wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let (from, to) = (self.target.texture.as_image_copy(), texture.as_image_copy());
        self.batch.after_draws().copy_texture_to_texture(from, to, self.target.texture.size());
        self.bound = Bound::default();
        TargetCopy { texture }
    }

    /// Makes the target hold the picture that was kept.
    pub fn restore_target(&mut self, copy: &TargetCopy) {
        let (from, to) = (copy.texture.as_image_copy(), self.target.texture.as_image_copy());
        self.batch.after_draws().copy_texture_to_texture(from, to, self.target.texture.size());
        self.bound = Bound::default();
    }

    /// The submission of the last batch, while it is remembered.
    pub(super) fn last_submission(&self) -> Option<wgpu::SubmissionIndex> {
        self.submissions.back().map(|(_, index)| index.clone())
    }

    fn submit_batch(&mut self) -> Result<(), GpuError> {
        let next = self.batch.next();
        let batch = std::mem::replace(&mut self.batch, next);
        let at = batch.first.unwrap_or_default();
        self.bound = Bound::default();
        self.gpu.under_way().submit(self.batch_number, batch.drawn);
        let is_large = batch.staged_bytes >= LARGE_SUBMISSION_BYTES;
        let previous = self.submissions.back().filter(|_| is_large).map(|(_, index)| index.clone());
        self.staging.finish();
        let submission = self.gpu.queue.submit(batch.finish());
        self.staging.recall();
        if let Some(previous) = previous {
            self.gpu.wait(Some(previous))?;
        }
        self.buffers.batch_submitted();
        self.submissions.push_back((self.batch_number, submission));
        if self.submissions.len() > REMEMBERED_SUBMISSIONS {
            self.submissions.pop_front();
        }
        self.batch_number = BatchNumber(self.batch_number.0 + 1);
        self.gpu.check("commands from", at)
    }

    fn upload(&mut self, key: BufferKey, offset: u64, pieces: &[Piece], blobs: &BlobStore) -> Result<(), GpuError> {
        let device = &self.gpu.device;
        let buffer = match self.buffers.for_write(device, key, self.batch_number) {
            Some(WriteTarget::InPlace(buffer)) => buffer,
            Some(WriteTarget::NewVersion { old, new }) => {
                self.batch.transfers().copy_buffer_to_buffer(&old, 0, &new, 0, old.size());
                self.bound.forget_vertices();
                new
            }
            Some(WriteTarget::SubmitFirst) => {
                self.submit()?;
                return self.upload(key, offset, pieces, blobs);
            }
            // Replay names only buffers that it has created.
            None => return Ok(()),
        };
        self.stage(&buffer, offset, pieces, blobs)
    }

    /// Copies `pieces` to `offset` of `buffer`, in chunks, so that no upload needs more than one chunk of memory.
    fn stage(
        &mut self,
        buffer: &wgpu::Buffer,
        mut offset: u64,
        pieces: &[Piece],
        blobs: &BlobStore,
    ) -> Result<(), GpuError> {
        let total: u64 = pieces.iter().map(Piece::size_bytes).sum();
        let mut bytes = vec![0; total.min(STAGING_CHUNK_BYTES) as usize];
        for chunk in chunks(pieces, STAGING_CHUNK_BYTES) {
            let length: u64 = chunk.iter().map(Piece::size_bytes).sum();
            let bytes = bytes.get_mut(..length as usize).unwrap_or_default();
            blobs.read_pieces(&chunk, bytes)?;
            let Some(size) = wgpu::BufferSize::new(length) else { continue };
            let encoder = self.batch.transfers();
            self.staging.write_buffer(encoder, buffer, offset, size).copy_from_slice(bytes);
            offset += length;
            self.batch.staged_bytes += length;
            if self.batch.staged_bytes >= MAX_STAGED_BYTES {
                self.submit_transfers()?;
            }
        }
        Ok(())
    }

    /// Submits the transfers ahead of the draws, and waits, so that staging memory can be used again.
    fn submit_transfers(&mut self) -> Result<(), GpuError> {
        self.staging.finish();
        let submission = self.gpu.queue.submit(self.batch.transfers.take().map(wgpu::CommandEncoder::finish));
        self.staging.recall();
        self.batch.staged_bytes = 0;
        self.gpu.wait(Some(submission))?;
        self.gpu.check("uploads from", self.batch.first.unwrap_or_default())
    }
}

/// Cuts pieces into runs of at most `limit` bytes, which is a multiple of 4.
fn chunks(pieces: &[Piece], limit: u64) -> Vec<Vec<Piece>> {
    let mut chunks = Vec::new();
    let mut chunk = Vec::new();
    let mut room = limit;
    for piece in pieces {
        let mut rest = piece.clone();
        while rest.size_bytes() > room {
            let (head, tail) = split(&rest, room);
            chunk.push(head);
            chunks.push(std::mem::take(&mut chunk));
            (rest, room) = (tail, limit);
        }
        room -= rest.size_bytes();
        chunk.push(rest);
    }
    chunks.push(chunk);
    chunks
}

fn split(piece: &Piece, at: u64) -> (Piece, Piece) {
    match piece {
        Piece::Zeros(count) => (Piece::Zeros(at), Piece::Zeros(count - at)),
        Piece::File(range) => {
            let middle = range.start + at;
            (Piece::File(range.start..middle), Piece::File(middle..range.end))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_keep_every_byte_in_order() {
        let pieces = [Piece::Zeros(3), Piece::File(100..110), Piece::File(50..51)];
        let cut = chunks(&pieces, 4);
        let expected = [
            vec![Piece::Zeros(3), Piece::File(100..101)],
            vec![Piece::File(101..105)],
            vec![Piece::File(105..109)],
            vec![Piece::File(109..110), Piece::File(50..51)],
        ];
        assert_eq!(cut, expected);
    }
}
