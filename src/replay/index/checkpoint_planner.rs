//! Goes through a trace once and finds where copies of parts are wanted: where a part is read that comes from far back.

use std::ops::Range;

use foldhash::HashMap;

use super::TraceIndex;
use super::checkpoints::PartCheckpoint;
use super::graph::PartSizes;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use super::writers::Writers;
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::d3d::{Access, AccessKind, COUNTER_BYTES, COUNTER_PART, EffectKind, ObjectKey};

/// It takes one command to make it again, whatever came before: bytes of the file, a colour, a copy.
const CHEAP: u32 = u32::MAX;
/// Instead of the command that wrote a part: a copy of it is kept.
const COPIED: u32 = u32::MAX;

/// What is known of all parts where the way through the trace is.
pub(super) struct Planner<'a> {
    index: &'a TraceIndex,
    interval: u32,
    writers: HashMap<ObjectKey, Writers>,
    /// By command: how many had drawn, copied or run before the first of those that what it has written comes from.
    since: Vec<u32>,
    planned: Vec<PartCheckpoint>,
}

/// The frame that the way is in.
struct Frame {
    /// Its first command.
    start: u32,
    /// How many commands have drawn, copied or run before it.
    worked: u32,
}

impl<'a> Planner<'a> {
    pub(super) fn new(index: &'a TraceIndex, interval: u32) -> Self {
        let since = vec![CHEAP; index.command_count() as usize];
        Self { index, interval, writers: HashMap::default(), since, planned: Vec::new() }
    }

    /// The copies that are wanted, in no order, some perhaps twice.
    pub(super) fn plan(mut self) -> Result<Vec<PartCheckpoint>, Internal> {
        let mut worked = 0;
        for frame in 0..self.index.frame_count() as u32 {
            let own = self.index.commands_of(FrameIndex(frame));
            let own = own.ok_or(Internal::new("a frame of the index has no commands"))?;
            let frame = Frame { start: own.start, worked };
            for number in own {
                self.pass(number, &frame, &mut worked)?;
            }
        }
        Ok(self.planned)
    }

    fn pass(&mut self, number: u32, frame: &Frame, worked: &mut u32) -> Result<(), Internal> {
        let index = self.index;
        // silent: what draws on the picture itself has copies of its own
        let ResolvedCommand::Submitted { node, kind } = index.require_step(CommandNumber(number))? else {
            return Ok(());
        };
        let mut since = CHEAP;
        for access in index.graph.nodes().accesses(node)? {
            if access.kind != AccessKind::Write {
                since = since.min(self.read(access, frame)?);
            }
        }
        let works = matches!(kind, EffectKind::Draw | EffectKind::Copy | EffectKind::Dispatch);
        if works {
            since = since.min(*worked);
            *worked += 1;
        }
        *self.since.get_mut(number as usize).ok_or(Internal::new("a frame has commands after the last one"))? = since;
        for access in index.graph.nodes().accesses(node)? {
            if matches!(access.kind, AccessKind::Write | AccessKind::Modify) {
                self.writers.entry(access.object).or_default().write(access.parts(), number);
            }
        }
        Ok(())
    }

    /// Parts are read: since when what they hold has been in the making.
    fn read(&mut self, access: &Access, frame: &Frame) -> Result<u32, Internal> {
        // silent: nobody has written it
        let Some(writers) = self.writers.get_mut(&access.object) else { return Ok(CHEAP) };
        let (mut oldest, mut far_back) = (CHEAP, Vec::new());
        for (start, end, writer) in writers.stretches_in(access.parts()) {
            let since = self.since.get(writer as usize).copied().filter(|_| writer != COPIED).unwrap_or(CHEAP);
            // Within a frame there is no place for a copy.
            if since != CHEAP && writer < frame.start && frame.worked - since >= self.interval {
                far_back.push((start..end, writer));
            } else {
                oldest = oldest.min(since);
            }
        }
        let Some(sizes) = self.index.graph.part_sizes(access.object) else {
            // How large a context's own back buffer is, is a matter of who plays the trace: it is not copied.
            let since = far_back.iter().filter_map(|(_, writer)| self.since.get(*writer as usize));
            return Ok(since.copied().fold(oldest, u32::min));
        };
        for (parts, writer) in far_back {
            writers.write(parts.clone(), COPIED);
            self.planned.extend(copies(self.index, access.object, sizes, parts, writer)?);
        }
        Ok(oldest)
    }
}

/// Copies of parts that a command has written, at the start of the frame behind it.
fn copies(
    index: &TraceIndex,
    object: ObjectKey,
    sizes: &PartSizes,
    parts: Range<u32>,
    writer: u32,
) -> Result<Vec<PartCheckpoint>, Internal> {
    let next = index.frame_starts.partition_point(|start| *start <= writer);
    let at = index.frame_starts.get(next).ok_or(Internal::new("no frame follows one that was passed"))?;
    let at = CommandNumber(*at);
    if sizes.is_buffer() && parts == COUNTER_PART {
        return Ok(vec![PartCheckpoint { object, parts, at, size_bytes: COUNTER_BYTES }]);
    }
    if let PartSizes::Buffer { size_bytes } = *sizes {
        // GPUs copy whole words.
        let parts = parts.start & !3..parts.end.checked_next_multiple_of(4).unwrap_or(size_bytes).min(size_bytes);
        let size_bytes = u64::from(parts.end - parts.start);
        return Ok(vec![PartCheckpoint { object, parts, at, size_bytes }]);
    }
    let lost = Internal::new("a part was written that does not exist in its object");
    let of_part = |part| {
        let (parts, size_bytes) = sizes.part(part).ok_or(lost)?;
        Ok(PartCheckpoint { object, parts, at, size_bytes })
    };
    parts.map(of_part).collect()
}
