//! An index as a file, so that it need not be made again.
//!
//! ```text
//! 0    magic       "AEROIDX" and the layout's version, 1
//! 8    key         32 bytes: which trace this is the index of
//! 40   steps       u32 count, then 29 bytes each: offset u64, kind u8, five fields u32
//!      frames      u32 count, then the number of the first command of each, one more at the end
//!      blobs       u32 count, then 36 bytes each: id u64, record offset u64, kind u32, start u64, end u64
//!      known       u64: the blobs before this file offset are all there
//! end  SHA-256     of everything before
//! ```
//!
//! A cache is a guess about a file that anybody may have changed since. One with another key, another version, a wrong
//! sum, or references that an index of this trace could not hold, is no cache.

use std::sync::Arc;
use std::time::SystemTime;
use std::time::UNIX_EPOCH;

use sha2::{Digest, Sha256};

use super::TraceIndex;
use super::buffer_history::BufferHistory;
use super::step::{CommandNumber, Step};
use crate::bytes::{Cursor, OutOfBytes, ReadError};
use crate::command::VertexLayout;
use crate::format::aerogpu::{BlobCatalog, BlobDefinition, BlobId, BlobKind, FrameSource, Trace};

const MAGIC: &[u8; 8] = b"AEROIDX\x01";
const SUM_BYTES: usize = 32;
const STEP_BYTES: usize = 29;
const BLOB_BYTES: usize = 36;
/// No command has this number.
const NONE: u32 = u32::MAX;
/// Bytes of the file's end that are hashed at once.
const CHUNK_BYTES: u64 = 256 << 10;

/// Which trace an index belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexKey([u8; 32]);

impl IndexKey {
    /// The key of a trace: its size, the time of its last change, and its TOC and footer.
    ///
    /// `None` if it has no TOC, so that its frames are a guess already.
    pub fn of(trace: &Trace, modified: Option<SystemTime>) -> Result<Option<Self>, ReadError> {
        let FrameSource::Toc { footer, .. } = trace.frame_source() else { return Ok(None) };
        let mut hasher = Sha256::new();
        hasher.update(trace.size_bytes().to_le_bytes());
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        hasher.update(since.map_or(0, |since| since.as_nanos()).to_le_bytes());
        let mut at = footer.toc_offset;
        while at < trace.size_bytes() {
            let end = (at + CHUNK_BYTES).min(trace.size_bytes());
            hasher.update(trace.read(at..end)?);
            at = end;
        }
        Ok(Some(Self(hasher.finalize().into())))
    }
}

impl TraceIndex {
    /// The index as a file. `None` for one that ends at a damaged frame, or is too large to be counted.
    pub fn to_cache(&self, key: &IndexKey) -> Option<Vec<u8>> {
        if self.stop.is_some() {
            return None;
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&key.0);
        bytes.extend_from_slice(&u32::try_from(self.steps.len()).ok()?.to_le_bytes());
        for (offset, step) in &self.steps {
            let (kind, fields) = to_fields(step);
            bytes.extend_from_slice(&offset.to_le_bytes());
            bytes.push(kind);
            fields.iter().for_each(|field| bytes.extend_from_slice(&field.to_le_bytes()));
        }
        bytes.extend_from_slice(&u32::try_from(self.frame_count()).ok()?.to_le_bytes());
        self.frame_starts.iter().for_each(|start| bytes.extend_from_slice(&start.to_le_bytes()));
        let blobs = self.catalog.definitions();
        bytes.extend_from_slice(&u32::try_from(blobs.len()).ok()?.to_le_bytes());
        for (id, blob) in blobs {
            bytes.extend_from_slice(&id.0.to_le_bytes());
            bytes.extend_from_slice(&blob.record_offset.to_le_bytes());
            bytes.extend_from_slice(&blob.kind.number().to_le_bytes());
            bytes.extend_from_slice(&blob.bytes.start.to_le_bytes());
            bytes.extend_from_slice(&blob.bytes.end.to_le_bytes());
        }
        bytes.extend_from_slice(&self.catalog.known_up_to().to_le_bytes());
        let sum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&sum);
        Some(bytes)
    }

    /// The index that a file holds, if it is one of `trace`.
    pub fn from_cache(bytes: &[u8], key: &IndexKey, trace: &Arc<Trace>) -> Option<Self> {
        let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(SUM_BYTES)?)?;
        let rest = body.strip_prefix(MAGIC)?.strip_prefix(&key.0)?;
        if Sha256::digest(body).as_slice() != sum {
            return None;
        }
        let mut cursor = Cursor::new(rest, 0);
        let index = parse(&mut cursor).ok()??;
        (cursor.is_empty() && index.fits(trace)).then_some(index)
    }

    /// Whether frames and commands lie where those of the trace do.
    fn fits(&self, trace: &Trace) -> bool {
        let ascends = self.steps.is_sorted_by(|(a, _), (b, _)| a < b) && self.frame_starts.is_sorted();
        let ends = (self.frame_starts.first(), self.frame_starts.last());
        let stream = trace.stream();
        let blobs_inside = self.catalog.definitions().iter().all(|(_, blob)| {
            stream.start <= blob.record_offset && blob.bytes.start <= blob.bytes.end && blob.bytes.end <= stream.end
        });
        ascends
            && blobs_inside
            && ends == (Some(&0), Some(&(self.steps.len() as u32)))
            && self.frame_count() == trace.frames().len()
            && self.frame_starts.windows(2).zip(trace.frames()).all(|(numbers, span)| {
                let &[start, end] = numbers else { return false };
                let steps = self.steps.get(start as usize..end as usize).unwrap_or_default();
                steps.iter().all(|(offset, _)| span.bytes.contains(offset))
            })
    }
}

fn parse(cursor: &mut Cursor<'_>) -> Result<Option<TraceIndex>, OutOfBytes> {
    let mut index = TraceIndex {
        steps: Vec::new(),
        frame_starts: Vec::new(),
        clears: Vec::new(),
        histories: Vec::new(),
        catalog: BlobCatalog::new(),
        stop: None,
    };
    let count = cursor.u32_le()?;
    // A count is believed only as far as there are bytes.
    index.steps.reserve_exact((count as usize).min(cursor.left() / STEP_BYTES));
    for number in 0..count {
        let (offset, kind) = (cursor.u64_le()?, cursor.u8()?);
        let mut fields = [0; 5];
        for field in &mut fields {
            *field = cursor.u32_le()?;
        }
        let Some(step) = from_fields(kind, fields) else { return Ok(None) };
        if index.take_in(number, &step).is_none() {
            return Ok(None);
        }
        index.steps.push((offset, step));
    }
    index.histories.iter_mut().for_each(BufferHistory::finish);
    for _ in 0..=u64::from(cursor.u32_le()?) {
        index.frame_starts.push(cursor.u32_le()?);
    }
    let mut blobs = Vec::new();
    let count = cursor.u32_le()? as usize;
    blobs.reserve_exact(count.min(cursor.left() / BLOB_BYTES));
    for _ in 0..count {
        let (id, record_offset) = (BlobId(cursor.u64_le()?), cursor.u64_le()?);
        let Some(kind) = BlobKind::from_number(cursor.u32_le()?) else { return Ok(None) };
        let bytes = cursor.u64_le()?..cursor.u64_le()?;
        blobs.push((id, BlobDefinition { record_offset, kind, bytes }));
    }
    index.catalog = BlobCatalog::from_definitions(blobs, cursor.u64_le()?);
    Ok(Some(index))
}

impl TraceIndex {
    /// Takes in the next step of a cache; `None` if it cannot be one.
    fn take_in(&mut self, number: u32, step: &Step) -> Option<()> {
        let of = |wanted: CommandNumber, fits: fn(&Step) -> bool| self.step(wanted).filter(|step| fits(step));
        let is_buffer = |step: &Step| matches!(step, Step::CreateBuffer { .. });
        match *step {
            Step::CreateBuffer { object, .. } => {
                if object as usize != self.histories.len() {
                    return None;
                }
                self.histories.push(BufferHistory::default());
            }
            Step::Upload { create, start, end } => {
                let Step::CreateBuffer { object, size_bytes } = *of(create, is_buffer)? else { return None };
                if start > end || end > size_bytes {
                    return None;
                }
                self.histories.get_mut(object as usize)?.upload(number, start..end);
            }
            Step::SetVertexBuffer { create, .. } => {
                of(create, is_buffer)?;
            }
            Step::CreatePipeline { vertex, fragment } => {
                of(vertex, |step| matches!(step, Step::CreateShader))?;
                of(fragment, |step| matches!(step, Step::CreateShader))?;
            }
            Step::SetPipeline { create } => {
                of(create, |step| matches!(step, Step::CreatePipeline { .. }))?;
            }
            Step::Draw { pipeline, vertices, viewport, .. } => {
                of(pipeline, |step| matches!(step, Step::SetPipeline { .. }))?;
                if let Some(vertices) = vertices {
                    of(vertices, |step| matches!(step, Step::SetVertexBuffer { .. }))?;
                }
                if let Some(viewport) = viewport {
                    of(viewport, |step| matches!(step, Step::SetViewport { .. }))?;
                }
            }
            Step::Clear { .. } => self.clears.push(number),
            Step::CreateShader | Step::SetViewport { .. } | Step::Present => {}
        }
        Some(())
    }
}

fn to_fields(step: &Step) -> (u8, [u32; 5]) {
    let number = |number: Option<CommandNumber>| number.map_or(NONE, |number| number.0);
    match *step {
        Step::CreateBuffer { object, size_bytes } => (1, [object, size_bytes, 0, 0, 0]),
        Step::Upload { create, start, end } => (2, [create.0, start, end, 0, 0]),
        Step::CreateShader => (3, [0; 5]),
        Step::CreatePipeline { vertex, fragment } => (4, [vertex.0, fragment.0, 0, 0, 0]),
        Step::SetPipeline { create } => (5, [create.0, 0, 0, 0, 0]),
        Step::SetVertexBuffer { create, layout } => {
            (6, [create.0, layout.stride_bytes, layout.position_offset_bytes, layout.color_offset_bytes, 0])
        }
        Step::SetViewport { width_px, height_px } => (7, [width_px, height_px, 0, 0, 0]),
        Step::Clear { rgba: [r, g, b, a] } => (8, [r.to_bits(), g.to_bits(), b.to_bits(), a.to_bits(), 0]),
        Step::Draw { vertex_count, first_vertex, pipeline, vertices, viewport } => {
            (9, [vertex_count, first_vertex, pipeline.0, number(vertices), number(viewport)])
        }
        Step::Present => (10, [0; 5]),
    }
}

fn from_fields(kind: u8, [a, b, c, d, e]: [u32; 5]) -> Option<Step> {
    let number = |number: u32| (number != NONE).then_some(CommandNumber(number));
    let layout = VertexLayout { stride_bytes: b, position_offset_bytes: c, color_offset_bytes: d };
    Some(match kind {
        1 => Step::CreateBuffer { object: a, size_bytes: b },
        2 => Step::Upload { create: CommandNumber(a), start: b, end: c },
        3 => Step::CreateShader,
        4 => Step::CreatePipeline { vertex: CommandNumber(a), fragment: CommandNumber(b) },
        5 => Step::SetPipeline { create: CommandNumber(a) },
        6 => Step::SetVertexBuffer { create: CommandNumber(a), layout },
        7 => Step::SetViewport { width_px: a, height_px: b },
        8 => Step::Clear { rgba: [a, b, c, d].map(f32::from_bits) },
        9 => Step::Draw {
            vertex_count: a,
            first_vertex: b,
            pipeline: CommandNumber(c),
            vertices: number(d),
            viewport: number(e),
        },
        10 => Step::Present,
        _ => return None,
    })
}
