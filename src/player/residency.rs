//! What the buffers on the GPU hold, so that moving to another place of the trace uploads differences only.
//!
//! While the player plays from the start, ops are carried out as they come, and nothing needs to be known. Once it has
//! sought, uploads are put off until a draw reads the bytes: then what the buffer holds is compared
//! with what it has to hold, both as places in the file, and the stretches that differ are uploaded. Bytes that no
//! draw reads are never touched. Buffers stay on the GPU when the player moves on, up to a budget.

use std::ops::Range;

use foldhash::HashMap;

use crate::error::Internal;
use crate::gpu::{GpuError, Renderer};
use crate::limits::{MAX_KEPT_BUFFER_BYTES, MAX_KEPT_BUFFERS};
use crate::replay::{BufferContents, BufferKey, DirectFetch, DrawOp, Executor, GuestState, Intervals, Op, VertexFetch};

const POSITION_BYTES: u64 = 8;
const COLOR_BYTES: u64 = 16;

/// The buffers on the GPU.
pub(super) struct Residency {
    /// Bytes that all of them may have.
    room_bytes: u64,
    buffers: HashMap<BufferKey, Resident>,
    /// Counts the slices; 0 while everything was carried out as it came.
    round: u64,
    /// What the last draw found to be as it has to be: most draws read on where the one before has read.
    last_synced: Option<(BufferKey, Range<u64>)>,
    bytes: u64,
}

struct Resident {
    size_bytes: u32,
    contents: BufferContents,
    /// The bytes that are known to be what the state of that slice says.
    synced: Intervals,
    /// The slice that used it last.
    used_in: u64,
}

impl Residency {
    /// Whether the buffers are what the state says at any time, because every op is carried out as it comes.
    #[inline]
    pub(crate) fn is_eager(&self) -> bool {
        self.round == 0
    }

    /// No buffers, and room for so many bytes of them.
    pub(crate) fn with_room(room_bytes: u64) -> Self {
        Self { room_bytes, buffers: HashMap::default(), round: 0, last_synced: None, bytes: 0 }
    }

    /// Nothing is on the GPU.
    pub(crate) fn clear(&mut self) {
        *self = Self::with_room(self.room_bytes);
    }

    /// There is another amount of room from here on. Between slices only.
    pub(crate) fn set_room(
        &mut self,
        room_bytes: u64,
        executor: &Executor,
        renderer: &mut Renderer,
    ) -> Result<(), GpuError> {
        self.begin();
        self.room_bytes = room_bytes;
        self.make_room(0, executor, renderer)
    }

    /// All buffers of a state that was played command by command are on the GPU, as the state says.
    pub(crate) fn adopt(&mut self, state: GuestState) {
        self.clear();
        for (key, size_bytes, contents) in state.into_buffers() {
            self.bytes += u64::from(size_bytes);
            let synced = Intervals::default();
            self.buffers.insert(key, Resident { size_bytes, contents, synced, used_in: 0 });
        }
    }

    /// Another slice begins: nothing is known to be as its state says.
    pub(crate) fn begin(&mut self) {
        self.round += 1;
        self.last_synced = None;
    }

    /// Carries out an op of a slice.
    pub(crate) fn run(&mut self, op: &Op, executor: &Executor, renderer: &mut Renderer) -> Result<(), GpuError> {
        match op {
            // A buffer comes to the GPU with the first draw that reads it.
            // silent: a buffer comes to the GPU with the first draw that reads it
            Op::CreateBuffer { .. } => return Ok(()),
            Op::DropBuffer { buffer } => {
                // Going back may need it again, so it goes only if there is no room, but then before others.
                if self.is_over_budget() {
                    return self.drop_buffer(*buffer, executor, renderer);
                }
                // silent: no draw has read it, so it never came to the GPU
                if let Some(resident) = self.buffers.get_mut(buffer) {
                    resident.used_in = self.round.saturating_sub(1);
                }
                return Ok(());
            }
            Op::Upload { buffer, offset_bytes, pieces } => {
                self.last_synced = None;
                let size: u64 = pieces.iter().map(|piece| piece.size_bytes()).sum();
                // silent: what the GPU holds of another round is not counted on
                if let Some(resident) = self.buffers.get_mut(buffer).filter(|buffer| buffer.used_in == self.round) {
                    resident.synced.remove(*offset_bytes..offset_bytes + size);
                }
                return Ok(());
            }
            Op::Draw(draw) => {
                if let VertexFetch::Direct(fetch) = draw.vertices {
                    self.sync(fetch.buffer, read_bytes(draw, fetch), executor, renderer)?;
                }
            }
            Op::Clear { .. } | Op::Present => {}
        }
        renderer.run(op, executor.op_context())
    }

    /// Makes `range` of a buffer be what the state says.
    fn sync(
        &mut self,
        key: BufferKey,
        range: Range<u64>,
        executor: &Executor,
        renderer: &mut Renderer,
    ) -> Result<(), GpuError> {
        if self
            .last_synced
            .as_ref()
            .is_some_and(|(last, bytes)| *last == key && bytes.start <= range.start && range.end <= bytes.end)
        {
            return Ok(());
        }
        let bound = executor.state().bound_contents(key);
        let lost = || Internal::at("a draw reads a buffer that is not bound", executor.at().offset);
        let (size_bytes, wanted) = bound.ok_or_else(lost)?;
        if !self.buffers.contains_key(&key) {
            self.make_room(u64::from(size_bytes), executor, renderer)?;
            renderer.run(&Op::CreateBuffer { buffer: key, size_bytes }, executor.op_context())?;
            self.bytes += u64::from(size_bytes);
        }
        let resident = self.buffers.entry(key).or_insert_with(|| Resident {
            size_bytes,
            contents: BufferContents::default(),
            synced: Intervals::default(),
            used_in: 0,
        });
        if resident.used_in != self.round {
            resident.used_in = self.round;
            resident.synced = Intervals::default();
        }
        let start = range.start;
        let missing: Vec<_> = resident.synced.missing(aligned(range)).collect();
        for missing in missing {
            for differing in resident.contents.differences(wanted, missing.clone()) {
                let differing = aligned(differing);
                let pieces = wanted.pieces(differing.clone());
                resident.contents.write_pieces(differing.start, &pieces);
                renderer
                    .run(&Op::Upload { buffer: key, offset_bytes: differing.start, pieces }, executor.op_context())?;
            }
            resident.synced.insert(missing);
        }
        self.last_synced = resident.synced.interval_at(start).map(|interval| (key, interval));
        Ok(())
    }

    /// Drops buffers that the last slice did not use, those used longest ago first, until the rest is in the budget.
    pub(crate) fn trim(&mut self, executor: &Executor, renderer: &mut Renderer) -> Result<(), GpuError> {
        if self.is_eager() {
            return Ok(());
        }
        self.drop_unused(executor, renderer, |residency| !residency.is_over_budget())
    }

    /// Drops such buffers until there is room for another one. There always is then: those that are in use are alive, and
    /// what may be alive has room.
    fn make_room(&mut self, bytes: u64, executor: &Executor, renderer: &mut Renderer) -> Result<(), GpuError> {
        self.drop_unused(executor, renderer, |residency| residency.bytes + bytes <= residency.room_bytes)
    }

    fn drop_unused(
        &mut self,
        executor: &Executor,
        renderer: &mut Renderer,
        is_enough: impl Fn(&Self) -> bool,
    ) -> Result<(), GpuError> {
        if is_enough(self) {
            return Ok(());
        }
        let unused = self.buffers.iter().filter(|(_, buffer)| buffer.used_in < self.round);
        let mut unused: Vec<(u64, BufferKey)> = unused.map(|(key, buffer)| (buffer.used_in, *key)).collect();
        unused.sort_unstable();
        for (_, buffer) in unused {
            if is_enough(self) {
                break;
            }
            self.drop_buffer(buffer, executor, renderer)?;
        }
        Ok(())
    }

    fn is_over_budget(&self) -> bool {
        self.bytes > MAX_KEPT_BUFFER_BYTES || self.buffers.len() as u64 > MAX_KEPT_BUFFERS
    }

    fn drop_buffer(&mut self, buffer: BufferKey, executor: &Executor, renderer: &mut Renderer) -> Result<(), GpuError> {
        self.last_synced = None;
        // silent: no draw has read it, so it never came to the GPU
        let Some(dropped) = self.buffers.remove(&buffer) else { return Ok(()) };
        self.bytes -= u64::from(dropped.size_bytes);
        renderer.run(&Op::DropBuffer { buffer }, executor.op_context())
    }
}

/// GPUs copy whole dwords.
fn aligned(range: Range<u64>) -> Range<u64> {
    range.start & !3..range.end.next_multiple_of(4)
}

/// The bytes of its buffer that a draw reads in place.
fn read_bytes(draw: &DrawOp, fetch: DirectFetch) -> Range<u64> {
    let DirectFetch { start_bytes, layout, .. } = fetch;
    let slots = [(layout.position, POSITION_BYTES), (layout.color, COLOR_BYTES)];
    let slots = || slots.into_iter().filter_map(|(slot, size)| Some((u64::from(slot.offset_bytes()?), size)));
    // silent: a program without attributes reads no bytes
    let (Some(low), Some(high)) = (slots().map(|(at, _)| at).min(), slots().map(|(at, size)| at + size).max()) else {
        return 0..0;
    };
    let (start, stride) = (u64::from(start_bytes), u64::from(layout.stride_bytes));
    let first = u64::from(draw.first_vertex);
    let last = first + u64::from(draw.vertex_count).saturating_sub(1);
    // Replay has checked that all of it lies in the buffer.
    start + first * stride + low..start + last * stride + high
}
