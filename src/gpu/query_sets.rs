//! Any number of queries of one kind, and their answers.

use super::batch::Batch;
use super::device::Gpu;
use super::error::GpuError;
use super::readback::read_buffer;

/// Queries of one set: what every adapter must offer.
const SET_QUERIES: u32 = wgpu::QUERY_SET_MAX_QUERIES;

/// What queries ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueryKind {
    /// How many samples of draws pass all tests.
    Occlusion,
    /// What time it is, in ticks of the queue.
    Timestamp,
}

/// A set of queries with its label, which is also that of passes with it: a page's worker tells by it which set a pass is to
/// have, since wgpu hands none on to a browser.
#[derive(Clone, PartialEq)]
pub(super) struct LabelledSet {
    pub set: wgpu::QuerySet,
    pub label: String,
}

/// Queries of one kind, in as many sets as they take.
pub(super) struct QuerySets {
    kind: QueryKind,
    sets: Vec<LabelledSet>,
    asked: u32,
}

impl QuerySets {
    /// None yet.
    pub(crate) fn new(kind: QueryKind) -> Self {
        Self { kind, sets: Vec::new(), asked: 0 }
    }

    /// How many there are.
    pub(crate) fn asked(&self) -> u32 {
        self.asked
    }

    /// Sees to it that the last set has room for one more.
    pub(crate) fn prepare(&mut self, gpu: &Gpu) -> Option<&LabelledSet> {
        if self.asked as usize == self.sets.len() * SET_QUERIES as usize {
            let (name, ty) = match self.kind {
                QueryKind::Occlusion => ("visibility", wgpu::QueryType::Occlusion),
                QueryKind::Timestamp => ("times", wgpu::QueryType::Timestamp),
            };
            let label = format!("{name} {}", self.sets.len());
            let descriptor = wgpu::QuerySetDescriptor { label: Some(&label), ty, count: SET_QUERIES };
            self.sets.push(LabelledSet { set: gpu.device.create_query_set(&descriptor), label });
        }
        self.sets.last()
    }

    /// Sees to it that the pass that comes next, or goes on, can ask one more.
    pub(crate) fn prepare_pass(&mut self, gpu: &Gpu, batch: &mut Batch) {
        batch.use_queries(self.prepare(gpu));
    }

    /// The number of the next query in the last set.
    pub(crate) fn ask(&mut self) -> u32 {
        self.asked += 1;
        (self.asked - 1) % SET_QUERIES
    }

    /// Records the copy of the answers into a buffer that can be read after the submission; nothing without queries.
    pub(crate) fn resolve(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> Option<wgpu::Buffer> {
        let size = u64::from(self.asked) * u64::from(wgpu::QUERY_SIZE);
        if size == 0 {
            return None;
        }
        let buffer = |usage, size| {
            let label = Some("answers");
            gpu.device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
        };
        let set_bytes = u64::from(SET_QUERIES) * u64::from(wgpu::QUERY_SIZE);
        let resolved = buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC, set_bytes);
        let readable = buffer(wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ, size);
        let mut left = self.asked;
        for (LabelledSet { set, .. }, number) in self.sets.iter().zip(0u64..) {
            let count = left.min(SET_QUERIES);
            left -= count;
            encoder.resolve_query_set(set, 0..count, &resolved, 0);
            let bytes = u64::from(count) * u64::from(wgpu::QUERY_SIZE);
            encoder.copy_buffer_to_buffer(&resolved, 0, &readable, number * set_bytes, bytes);
        }
        Some(readable)
    }
}

/// The answers, from the buffer that they were copied to.
pub(super) fn read_answers(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    submission: Option<wgpu::SubmissionIndex>,
) -> Result<Vec<u64>, GpuError> {
    let bytes = read_buffer(gpu, buffer, submission)?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|answer| u64::from_le_bytes(*answer)).collect())
}
