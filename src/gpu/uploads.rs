//! Bytes into buffers.

use super::buffers::WriteTarget;
use super::error::GpuError;
use super::renderer::Renderer;
use crate::error::Internal;
use crate::replay::{BlobStore, BufferKey, Piece};

/// Bytes that are staged at once.
pub(super) const STAGING_CHUNK_BYTES: u64 = 256 << 10;

impl Renderer {
    pub(super) fn upload(
        &mut self,
        key: BufferKey,
        offset: u64,
        pieces: &[Piece],
        blobs: &BlobStore,
    ) -> Result<(), GpuError> {
        let room = self.recorder.limits.held_bytes.saturating_sub(self.recorder.held.bytes());
        let buffer = match self.resources.packets.for_write(&self.gpu.device, key, self.recorder.number, room) {
            Some(WriteTarget::InPlace(buffer)) => buffer,
            Some(WriteTarget::NewVersion { old, new }) => {
                self.recorder.batch.transfers().copy_buffer_to_buffer(&old, 0, &new, 0, old.size());
                self.hold(old.size());
                self.recorder.bound.forget_vertices();
                new
            }
            Some(WriteTarget::SubmitFirst) => {
                self.submit()?;
                return self.upload(key, offset, pieces, blobs);
            }
            Some(WriteTarget::WaitFirst) => {
                self.submit_and_wait()?;
                return self.upload(key, offset, pieces, blobs);
            }
            None => return Err(Internal::new("an upload goes to a buffer that is not on the GPU").into()),
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
        let mut bytes = Vec::new();
        for chunk in chunks(pieces, STAGING_CHUNK_BYTES) {
            blobs.read_pieces(&chunk, &mut bytes)?;
            self.stage_bytes(buffer, offset, &bytes)?;
            offset += bytes.len() as u64;
        }
        Ok(())
    }

    /// A new buffer with these bytes, a whole number of dwords, for the draws of this batch.
    pub(super) fn make_filled_buffer(&mut self, label: &'static str, bytes: &[u8]) -> Result<wgpu::Buffer, GpuError> {
        let buffer = self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes.len() as u64,
            usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        for (offset, chunk) in
            (0..).step_by(STAGING_CHUNK_BYTES as usize).zip(bytes.chunks(STAGING_CHUNK_BYTES as usize))
        {
            self.stage_bytes(&buffer, offset, chunk)?;
        }
        Ok(buffer)
    }

    /// Copies at most a chunk of bytes.
    pub(super) fn stage_bytes(&mut self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> Result<(), GpuError> {
        let length = bytes.len() as u64;
        let size = wgpu::BufferSize::new(length).ok_or(Internal::new("an upload has no bytes"))?;
        copy_in(&mut self.recorder.staging, self.recorder.batch.transfers(), (buffer, offset), (bytes, size))?;
        self.recorder.batch.staged_bytes += length;
        if self.recorder.batch.staged_bytes >= self.recorder.limits.staged_bytes {
            self.submit_transfers()?;
        }
        Ok(())
    }

    /// Submits the transfers ahead of the draws, and waits, so that staging memory can be used again. They may always run
    /// early: they never write what a pending draw reads.
    fn submit_transfers(&mut self) -> Result<(), GpuError> {
        self.recorder.staging.finish();
        let submission = self.gpu.queue.submit(self.recorder.batch.transfers.take().map(wgpu::CommandEncoder::finish));
        self.recorder.staging.recall();
        self.recorder.batch.staged_bytes = 0;
        self.gpu.wait(Some(submission))?;
        if let Some(before) = self.recorder.number.before() {
            self.note_done(before);
        }
        // silent: nothing is recorded, so nothing can be refused
        self.gpu.check("uploads from", self.recorder.batch.first.unwrap_or_default())
    }
}

/// Records a copy of bytes to an offset of a buffer. Where no memory is left to stage them it is an error;
/// [`wgpu::util::StagingBelt::write_buffer`] panics.
pub(super) fn copy_in(
    staging: &mut wgpu::util::StagingBelt,
    encoder: &mut wgpu::CommandEncoder,
    (buffer, offset): (&wgpu::Buffer, u64),
    (bytes, size): (&[u8], wgpu::BufferSize),
) -> Result<(), GpuError> {
    let alignment = const { wgpu::BufferSize::new(wgpu::COPY_BUFFER_ALIGNMENT).unwrap() };
    let slice = staging.allocate(size, alignment);
    let refused = |error: wgpu::MapRangeError| GpuError::DeviceLost(error.to_string());
    slice.get_mapped_range_mut().map_err(refused)?.copy_from_slice(bytes);
    encoder.copy_buffer_to_buffer(slice.buffer(), slice.offset(), buffer, offset, size.get());
    Ok(())
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
