//! Readers of what the passes of frames write, in those frames and behind them.
//!
//! Each part has the write that lies on top, and below it those that show through.
//!
//! ```text
//!  frame 3, draws ──► target ──► frame 4, draws (over it) ──► frame 4, present
//!        └──────────────────────────────────────────────────── shows through: somebody reads it
//! ```

use std::collections::BTreeSet;
use std::ops::Range;

use foldhash::{HashMap, HashSet};

use super::TraceIndex;
use super::frame_passes::{FramePasses, PassId, is_write};
use super::pass_links::{LOST, MOST_READERS, PassWrite, WriteFate, refuse_too_many};
use super::resolved_command::{CommandNumber, ResolvedCommand};
use super::writers::Writers;
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::limits::MAX_PASS_LINKS;
use crate::replay::d3d::{Access, AccessKind, EffectKind, ObjectKey};
use crate::replay::error::ReplayError;

/// No write, where one is named.
const NONE: u32 = u32::MAX;

/// A write to parts, over others that show through it.
#[derive(Clone, Copy)]
struct Layer {
    /// The write of a pass of the frame; none of later frames'.
    write: u32,
    /// The layer below.
    below: u32,
    /// Passes that have read it.
    readers: Readers,
    /// All that shows through it is known to be read.
    is_settled: bool,
    /// It is there when the trace ends.
    is_lasting: bool,
}

/// Passes that have read what shows through a layer. Once two have, one of them is another pass than the one that wrote.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Readers {
    None,
    One(PassId),
    Many,
}

struct Written {
    by: PassId,
    object: ObjectKey,
    is_read_by_itself: bool,
    is_read: bool,
    read_by: BTreeSet<PassId>,
    /// The last frame that is counted or told.
    last_frame: FrameIndex,
    more_frames: u32,
}

/// Readers of what passes write.
#[derive(Default)]
pub(super) struct PassReaders {
    /// The frames whose writes are followed.
    frames: Range<u32>,
    writes: Vec<Written>,
    by_pass: HashMap<(FrameIndex, u32, ObjectKey), u32>,
    layers: Vec<Layer>,
    /// The layer of a write over another layer.
    over: HashMap<(u32, u32), u32>,
    /// By object: the uppermost layers, as far as anything of the frame is below.
    top: HashMap<ObjectKey, Writers>,
    exported: HashSet<ObjectKey>,
    /// Stretches that were looked at.
    links: u64,
}

impl PassReaders {
    /// Goes through frames, whose passes are `passes`, and what follows them, until all that they wrote is overwritten. `goes_on` is
    /// asked at each frame; where it says no, there is no answer.
    pub(super) fn of(
        index: &TraceIndex,
        frames: Range<u32>,
        passes: &[FramePasses],
        goes_on: impl Fn() -> bool,
    ) -> Result<Option<Self>, ReplayError> {
        let mut readers = Self { frames: frames.clone(), ..Self::default() };
        let first = index.numbers_of(FrameIndex(frames.start)).start;
        readers.exported = index.graph.exports_before(first).collect();
        for (frame, passes) in frames.clone().zip(passes) {
            if !goes_on() {
                return Ok(None);
            }
            readers.follow(index, FrameIndex(frame), Some(passes))?;
        }
        for later in frames.end..index.frame_count() as u32 {
            if readers.top.is_empty() {
                break;
            }
            if !goes_on() {
                return Ok(None);
            }
            readers.follow(index, FrameIndex(later), None)?;
        }
        Ok(Some(readers))
    }

    /// Goes through a frame. The passes of a later one are worked out once one of them touches what is followed.
    fn follow(
        &mut self,
        index: &TraceIndex,
        frame: FrameIndex,
        passes: Option<&FramePasses>,
    ) -> Result<(), ReplayError> {
        let mut later: Option<FramePasses> = None;
        let own = index.numbers_of(frame);
        let most = MAX_PASS_LINKS.saturating_mul(u64::from(self.frames.end - self.frames.start));
        for (number, step) in index.steps_in(own.clone())? {
            self.export(index, number)?;
            let accesses = index.accesses_of(step)?;
            if passes.is_some() || accesses.iter().any(|access| self.top.contains_key(&access.object)) {
                let passes = match (passes, &later) {
                    (Some(passes), _) | (None, Some(passes)) => passes,
                    (None, None) => later.insert(index.passes_of(frame)?),
                };
                // Whatever makes and sets without writing is of no pass, and reads nothing either.
                let pass = passes.pass_of(CommandNumber(number)).and_then(|pass| passes.id(frame, pass, own.start));
                pass.map_or(Ok(()), |pass| self.take_in((number, step), &accesses, pass))?;
            }
            refuse_too_many(index, number, self.links, most)?;
        }
        Ok(())
    }

    /// Takes in what a command of a pass does.
    fn take_in(
        &mut self,
        (number, step): (u32, ResolvedCommand),
        accesses: &[Access],
        pass: PassId,
    ) -> Result<(), Internal> {
        for access in accesses.iter().filter(|access| !is_write(access.kind)) {
            self.read(access, pass)?;
        }
        for access in accesses.iter().filter(|access| is_write(access.kind)) {
            let write = match self.frames.contains(&pass.frame.0) {
                true => self.write_of(pass, access),
                false => NONE,
            };
            self.write(access, write, pass)?;
            let is_known_outside =
                self.exported.contains(&access.object) || is_guest_memory(access.object, number, step);
            if write != NONE && is_known_outside {
                self.mark(write, None)?;
            }
        }
        Ok(())
    }

    fn write_of(&mut self, pass: PassId, access: &Access) -> u32 {
        let next = self.writes.len() as u32;
        let write = *self.by_pass.entry((pass.frame, pass.pass, access.object)).or_insert(next);
        if write == next {
            self.writes.push(Written {
                by: pass,
                object: access.object,
                is_read_by_itself: false,
                is_read: false,
                read_by: BTreeSet::new(),
                last_frame: pass.frame,
                more_frames: 0,
            });
        }
        write
    }

    /// A pass reads a write, or another process does.
    fn mark(&mut self, write: u32, by: Option<PassId>) -> Result<(), Internal> {
        let written = self.writes.get_mut(write as usize).ok_or(LOST)?;
        match by {
            Some(by) if by == written.by => written.is_read_by_itself = true,
            _ => written.is_read = true,
        }
        Ok(())
    }

    fn write(&mut self, access: &Access, write: u32, pass: PassId) -> Result<(), Internal> {
        let mut below = Vec::new();
        let top = self.top.entry(access.object).or_default();
        if access.kind == AccessKind::Modify {
            below.extend(top.stretches_in(access.parts()));
        }
        self.links += below.len() as u64 + 1;
        if write == NONE {
            // Of later frames only what lies over this one's counts.
            top.take(access.parts(), |_| ());
        } else {
            let layer = self.layer(write, NONE)?;
            self.top.entry(access.object).or_default().write(access.parts(), layer);
        }
        for (start, end, under) in below {
            self.use_directly(under, pass)?;
            if write == NONE && self.is_settled(under)? {
                continue;
            }
            let layer = self.layer(write, under)?;
            self.top.entry(access.object).or_default().write(start..end, layer);
        }
        if self.top.get(&access.object).is_some_and(|top| top.stretches().next().is_none()) {
            self.top.remove(&access.object);
        }
        Ok(())
    }

    /// True if it is known of all that shows through a layer that somebody reads it: nothing new can come to be known.
    fn is_settled(&mut self, layer: u32) -> Result<bool, Internal> {
        let mut at = layer;
        while at != NONE {
            let Layer { write, below, is_settled, .. } = *self.layers.get(at as usize).ok_or(LOST)?;
            if is_settled {
                break;
            }
            if write != NONE && !self.writes.get(write as usize).ok_or(LOST)?.is_read {
                return Ok(false);
            }
            at = below;
        }
        self.layers.get_mut(layer as usize).ok_or(LOST)?.is_settled = true;
        Ok(true)
    }

    /// The layer of a write over another one; the same once more where it is that already.
    fn layer(&mut self, write: u32, below: u32) -> Result<u32, Internal> {
        if self.layers.get(below as usize).is_some_and(|layer| layer.write == write) {
            return Ok(below);
        }
        let next = self.layers.len() as u32;
        let layer = *self.over.entry((write, below)).or_insert(next);
        if layer == next {
            self.layers.push(Layer { write, below, readers: Readers::None, is_settled: false, is_lasting: false });
        }
        Ok(layer)
    }

    fn read(&mut self, access: &Access, pass: PassId) -> Result<(), Internal> {
        let top = self.top.get(&access.object).into_iter();
        let found: Vec<u32> = top.flat_map(|top| top.stretches_in(access.parts())).map(|(_, _, layer)| layer).collect();
        self.links += found.len() as u64;
        for layer in found {
            self.use_directly(layer, pass)?;
            self.mark_layers(layer, Some(pass))?;
        }
        Ok(())
    }

    /// Marks a layer and those that show through it as read by a pass, or by another process.
    fn mark_layers(&mut self, mut layer: u32, by: Option<PassId>) -> Result<(), Internal> {
        while layer != NONE {
            let known = self.layers.get_mut(layer as usize).ok_or(LOST)?;
            if known.readers == Readers::Many || by.is_some_and(|by| known.readers == Readers::One(by)) {
                break;
            }
            known.readers = match (known.readers, by) {
                (Readers::None, Some(by)) => Readers::One(by),
                _ => Readers::Many,
            };
            let (write, below) = (known.write, known.below);
            if write != NONE {
                self.mark(write, by)?;
            }
            layer = below;
        }
        Ok(())
    }

    /// A pass uses the uppermost layer as it was written.
    fn use_directly(&mut self, layer: u32, pass: PassId) -> Result<(), Internal> {
        let write = self.layers.get(layer as usize).ok_or(LOST)?.write;
        // One of a later frame is not followed.
        for written in self.writes.get_mut(write as usize).into_iter().filter(|written| written.by != pass) {
            let is_new_frame = pass.frame != written.last_frame;
            if is_new_frame || pass.frame == written.by.frame {
                written.last_frame = pass.frame;
                if written.read_by.len() < MOST_READERS {
                    written.read_by.insert(pass);
                } else if is_new_frame {
                    written.more_frames += 1;
                }
            }
        }
        Ok(())
    }

    /// Other processes may read all that was written to it, and all that will be.
    fn export(&mut self, index: &TraceIndex, number: u32) -> Result<(), Internal> {
        if let Some(texture) = index.graph.exported_by(number) {
            self.exported.insert(texture);
            let top = self.top.get(&texture).into_iter();
            let layers: Vec<u32> = top.flat_map(Writers::stretches).map(|(_, _, layer)| layer).collect();
            layers.into_iter().try_for_each(|layer| self.mark_layers(layer, None))?;
        }
        Ok(())
    }

    /// Fate of each write, with its pass, by pass and object.
    pub(super) fn finish(mut self) -> Result<Vec<(PassId, PassWrite)>, Internal> {
        let mut lasting: HashSet<u32> = HashSet::default();
        for (_, _, top) in self.top.values().flat_map(Writers::stretches) {
            let mut layer = top;
            while layer != NONE {
                let known = self.layers.get_mut(layer as usize).ok_or(LOST)?;
                if std::mem::replace(&mut known.is_lasting, true) {
                    break;
                }
                lasting.insert(known.write);
                layer = known.below;
            }
        }
        let told = (0..).zip(self.writes).map(|(number, written)| {
            let fate = match (written.is_read, written.is_read_by_itself, lasting.contains(&number)) {
                (true, ..) => WriteFate::Read,
                (false, true, _) => WriteFate::Own,
                (false, false, true) => WriteFate::Unread,
                (false, false, false) => WriteFate::Overwritten,
            };
            let Written { by, object, read_by, more_frames, .. } = written;
            (by, PassWrite { object, fate, read_by: read_by.into_iter().collect(), more_frames })
        });
        let mut told: Vec<(PassId, PassWrite)> = told.collect();
        told.sort_by_key(|(pass, write)| (*pass, write.object));
        Ok(told)
    }
}

/// True of a copy's write to guest memory, which the guest reads: it is an object of the copy's own.
fn is_guest_memory(object: ObjectKey, number: u32, step: ResolvedCommand) -> bool {
    matches!(step, ResolvedCommand::Submitted { kind: EffectKind::Copy, .. }) && object.creation() == Some(number)
}
