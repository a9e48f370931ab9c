//! What a buffer holds at a place, and who wrote it.
//!
//! A buffer's bytes come from blobs, so they are known without replaying anything: each stretch is still zero or lies
//! in the file.

use std::ops::Range;

use serde::Serialize;

use super::{Analysis, AnalysisError, Object, ObjectKind};
use crate::command::{Command, Location, Payload, Place, ResourceId, Upload};
use crate::format::aerogpu::{BlobId, BlobKind};
use crate::limits::MAX_ANSWERED_BYTES;
use crate::replay::{CommandNumber, CommandReader, Problem, WrittenStretch};

/// Which buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferChoice {
    /// The one that has this id at the place.
    Id(ResourceId),
    /// The one that is bound, whatever its id means by now.
    Bound,
    /// The one that this command makes.
    Creation(CommandNumber),
}

/// A buffer at a place: where its bytes come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BufferView {
    /// The guest's name for it.
    pub id: ResourceId,
    /// The command that made it.
    pub creation: CommandNumber,
    /// Where that stands.
    pub created_at: Location,
    /// Its size.
    pub size_bytes: u32,
    /// Where all of its bytes come from, in order and without gaps.
    pub ranges: Vec<Stretch>,
}

/// Bytes of a buffer that come from one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stretch {
    /// Offset of the first byte in the buffer.
    pub start: u32,
    /// Offset of the byte after the last.
    pub end: u32,
    /// Where they come from.
    pub origin: ByteOrigin,
}

/// Where bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ByteOrigin {
    /// Nobody wrote them: they are zero.
    Zeros,
    /// An UPLOAD_BUFFER.
    Upload {
        /// Where it stands.
        at: Location,
        /// The blob that it copies.
        blob: BlobId,
        /// Absolute file offset of the stretch's first byte.
        file_offset: u64,
    },
}

impl BufferView {
    /// The stretches that touch `bytes`.
    pub fn stretches_in(&self, bytes: Range<u64>) -> &[Stretch] {
        let first = self.ranges.partition_point(|stretch| u64::from(stretch.end) <= bytes.start);
        let after = self.ranges.partition_point(|stretch| u64::from(stretch.start) < bytes.end);
        self.ranges.get(first..after.max(first)).unwrap_or_default()
    }

    /// The uploads that wrote `bytes`, each once, in the order of the bytes.
    pub fn writers_of(&self, bytes: Range<u64>) -> Vec<Location> {
        let mut writers: Vec<Location> = Vec::new();
        for stretch in self.stretches_in(bytes) {
            if let ByteOrigin::Upload { at, .. } = stretch.origin
                && !writers.contains(&at)
            {
                writers.push(at);
            }
        }
        writers
    }
}

impl Analysis {
    /// A buffer as it is at `place`.
    pub fn buffer(&self, place: Place, choice: BufferChoice) -> Result<BufferView, AnalysisError> {
        let end = self.resolve(place)?.end;
        let object = self.choose_buffer(choice, end)?;
        let written = self.index.writers_before(object.creation, end, 0..object.size_bytes)?;
        let mut stretches = Vec::with_capacity(written.len());
        let mut reader = CommandReader::new(self.trace.clone());
        let mut at = 0;
        for WrittenStretch { bytes, upload } in written {
            if at < bytes.start {
                stretches.push(Stretch { start: at, end: bytes.start, origin: ByteOrigin::Zeros });
            }
            at = bytes.end;
            let origin = self.origin_of(upload, bytes.start, &mut reader)?;
            stretches.push(Stretch { start: bytes.start, end: bytes.end, origin });
        }
        if at < object.size_bytes {
            stretches.push(Stretch { start: at, end: object.size_bytes, origin: ByteOrigin::Zeros });
        }
        Ok(BufferView {
            id: ResourceId::of_kind(object.id),
            creation: object.creation,
            created_at: self.location(object.creation),
            size_bytes: object.size_bytes,
            ranges: stretches,
        })
    }

    /// The bytes of a stretch of a buffer.
    pub fn read_buffer(&self, buffer: &BufferView, bytes: Range<u64>) -> Result<Vec<u8>, AnalysisError> {
        let Range { start, end } = bytes;
        if start > end || end > u64::from(buffer.size_bytes) {
            return Err(AnalysisError::OutsideBuffer { start, end, size_bytes: buffer.size_bytes });
        }
        if end - start > MAX_ANSWERED_BYTES {
            let what = "the number of bytes read at once";
            return Err(AnalysisError::OverLimit { what, found: end - start, limit: MAX_ANSWERED_BYTES });
        }
        let mut read = vec![0; (end - start) as usize];
        for stretch in buffer.stretches_in(bytes) {
            let ByteOrigin::Upload { file_offset, .. } = stretch.origin else { continue };
            let from = u64::from(stretch.start).max(start);
            let to = u64::from(stretch.end).min(end);
            let into = read.get_mut((from - start) as usize..(to - start) as usize).unwrap_or_default();
            self.trace.read_into(file_offset + (from - u64::from(stretch.start)), into)?;
        }
        Ok(read)
    }

    fn choose_buffer(&self, choice: BufferChoice, end: u32) -> Result<Object, AnalysisError> {
        let objects = self.objects()?;
        let object = match choice {
            BufferChoice::Id(id) => {
                let found = objects.find(ObjectKind::Buffer, id.number(), end);
                return found.copied().ok_or(AnalysisError::NoSuchBuffer { id });
            }
            BufferChoice::Bound => {
                let set = self.index.bindings_before(end).vertices;
                let bound = set.and_then(|set| self.bound_vertices(set, end, &objects));
                bound.and_then(|bound| objects.get(bound.creation))
            }
            BufferChoice::Creation(creation) => objects.get(creation),
        };
        let buffer = object.filter(|object| object.kind == ObjectKind::Buffer && object.creation.0 < end);
        buffer.copied().ok_or(AnalysisError::NothingBound { what: "vertex buffer" })
    }

    /// Where the byte at `start` of a buffer comes from, which `upload` wrote.
    fn origin_of(
        &self,
        upload: CommandNumber,
        start: u32,
        reader: &mut CommandReader,
    ) -> Result<ByteOrigin, AnalysisError> {
        let at = self.location(upload);
        let Command::Upload(Upload { offset_bytes, payload: Payload::Blob(blob), .. }) = reader.read(at)?.value else {
            return Ok(ByteOrigin::Zeros);
        };
        let definition = self.index.catalog().resolve(blob, at.offset);
        let definition = definition.filter(|definition| definition.kind == BlobKind::BufferData);
        let Some(definition) = definition else {
            return Err(AnalysisError::at("UPLOAD_BUFFER", at, Problem::MissingBlob(blob)));
        };
        let file_offset = definition.bytes.start + u64::from(start).saturating_sub(offset_bytes);
        Ok(ByteOrigin::Upload { at, blob, file_offset })
    }
}
