//! Which of many draws leave a mark, asked in one go.

use super::batch::Batch;
use super::device::Gpu;
use super::error::GpuError;
use super::readback::read_buffer;

/// Queries of one set: what every adapter must offer.
const SET_QUERIES: u32 = wgpu::QUERY_SET_MAX_QUERIES;

/// Occlusion queries, one per draw.
#[derive(Default)]
pub(super) struct Visibility {
    sets: Vec<wgpu::QuerySet>,
    asked: u32,
}

impl Visibility {
    /// How many draws were asked about.
    pub(crate) fn asked(&self) -> u32 {
        self.asked
    }

    /// Sees to it that the pass that comes next, or goes on, can ask about one more draw.
    pub(crate) fn prepare(&mut self, gpu: &Gpu, batch: &mut Batch) {
        if self.asked as usize == self.sets.len() * SET_QUERIES as usize {
            self.sets.push(gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("visibility"),
                ty: wgpu::QueryType::Occlusion,
                count: SET_QUERIES,
            }));
        }
        batch.use_queries(self.sets.last());
    }

    /// The number of the next query in its set.
    pub(crate) fn ask(&mut self) -> u32 {
        self.asked += 1;
        (self.asked - 1) % SET_QUERIES
    }

    /// Records the copy of the answers into a buffer that can be read after the submission.
    pub(crate) fn resolve(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> Option<wgpu::Buffer> {
        let size = u64::from(self.asked) * u64::from(wgpu::QUERY_SIZE);
        if size == 0 {
            return None;
        }
        let buffer = |usage, size| {
            let label = Some("visibility");
            gpu.device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
        };
        let set_bytes = u64::from(SET_QUERIES) * u64::from(wgpu::QUERY_SIZE);
        let resolved = buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC, set_bytes);
        let readable = buffer(wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ, size);
        let mut left = self.asked;
        for (set, number) in self.sets.iter().zip(0u64..) {
            let count = left.min(SET_QUERIES);
            left -= count;
            encoder.resolve_query_set(set, 0..count, &resolved, 0);
            let bytes = u64::from(count) * u64::from(wgpu::QUERY_SIZE);
            encoder.copy_buffer_to_buffer(&resolved, 0, &readable, number * set_bytes, bytes);
        }
        Some(readable)
    }
}

/// Whether each draw left a mark, from the buffer that the answers were copied to.
pub(super) fn read_answers(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    submission: Option<wgpu::SubmissionIndex>,
) -> Result<Vec<bool>, GpuError> {
    let bytes = read_buffer(gpu, buffer, submission)?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|samples| u64::from_le_bytes(*samples) > 0).collect())
}
