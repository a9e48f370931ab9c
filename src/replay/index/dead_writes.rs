//! Commands of submissions whose writes are for nothing, and targets that are drawn to for nothing.
//!
//! One pass from the trace's start. Of each part it keeps who has written it since somebody read it last: a whole write takes
//! the place of those before it, and one that lets through what was there stands before them.
//!
//! ```text
//!   CLEAR  DRAW  DRAW   PRESENT          CLEAR  DRAW   CLEAR  DRAW  PRESENT
//!     │◄─────│◄────│◄─────│ reads          │◄─────│      │◄─────│◄─────│
//!                                           dead    dead
//! ```
//!
//! Each write is kept once and reached once, so the pass takes as long as the trace has accesses.

use std::collections::BTreeMap;
use std::ops::Range;

use foldhash::{HashMap, HashSet};

use super::TraceIndex;
use super::intervals::Intervals;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use super::writers::Writers;
use crate::error::Internal;
use crate::replay::d3d::{Access, AccessKind, EffectKind, ObjectKey};

/// A command of a submission that writes what nothing reads: no later command, no present, and no other process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadWrite {
    /// The command.
    pub command: CommandNumber,
    /// What sort of thing it does: it uploads, copies, clears, draws or runs a compute shader.
    pub kind: EffectKind,
    /// Whether later writes overwrite all of it; else some of it is there to the trace's end.
    pub is_overwritten: bool,
    /// What it writes: at least one.
    pub objects: Vec<ObjectKey>,
}

/// A part of a texture, or a back buffer, that is drawn to and that nothing of the trace ever reads, tests or shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnusedTarget {
    /// The object.
    pub object: ObjectKey,
    /// The part.
    pub part: u32,
    /// The first draw to it.
    pub first_draw: CommandNumber,
    /// How many draws there are.
    pub draws: u64,
}

/// What is written for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenInVain {
    /// In file order. Those that write nothing but `targets` are not among them.
    pub writes: Vec<DeadWrite>,
    /// By object and part.
    pub targets: Vec<UnusedTarget>,
}

/// A write of parts.
#[derive(Clone, Copy)]
struct PartWrite {
    /// Who wrote.
    by: u32,
    /// Earlier writes that show through it, by their place in the list.
    through: [u32; 2],
    /// Whether somebody has read it.
    is_read: bool,
}

/// No write shows through.
const NONE: u32 = u32::MAX;

/// Draws to one part.
#[derive(Clone, Copy)]
struct Drawn {
    first: u32,
    count: u64,
}

#[derive(Default)]
struct Sweep {
    writes: Vec<PartWrite>,
    /// By object and part: the last write that was not read, by its place in the list.
    last: HashMap<ObjectKey, Writers>,
    /// Commands that write what somebody reads.
    live: HashSet<u32>,
    /// Textures that other processes know.
    exported: HashSet<ObjectKey>,
    /// What was ever read.
    read: HashMap<ObjectKey, Intervals>,
    drawn: BTreeMap<(ObjectKey, u32), Drawn>,
}

impl TraceIndex {
    /// What commands of submissions write for nothing.
    pub fn written_in_vain(&self) -> Result<WrittenInVain, Internal> {
        let mut sweep = Sweep::default();
        for (number, step) in self.steps_in(0..self.command_count())? {
            if let ResolvedCommand::Submitted { node, kind } = step {
                if let Some(texture) = self.graph.exported_by(number) {
                    sweep.export(texture)?;
                }
                sweep.command(self, (number, kind), self.graph.nodes().accesses(node)?)?;
            }
        }
        let targets = sweep.unused_targets();
        let writes = sweep.dead_writes(self, &targets)?;
        Ok(WrittenInVain { writes, targets })
    }
}

impl Sweep {
    /// Other processes may read all that was written to it, and all that will be.
    fn export(&mut self, texture: ObjectKey) -> Result<(), Internal> {
        self.exported.insert(texture);
        self.read_parts(texture, 0..u32::MAX)
    }

    fn command<'a>(
        &mut self,
        index: &TraceIndex,
        (number, kind): (u32, EffectKind),
        accesses: impl Iterator<Item = &'a Access>,
    ) -> Result<(), Internal> {
        let mut writes = Vec::new();
        for access in accesses {
            match access.kind {
                AccessKind::Read | AccessKind::Test => self.read_parts(access.object, access.parts())?,
                AccessKind::Modify | AccessKind::Write => writes.push(*access),
            }
        }
        for access in writes {
            if self.exported.contains(&access.object) || is_guest_memory(access.object, (number, kind)) {
                self.live.insert(number);
                continue;
            }
            if kind == EffectKind::Draw && !index.graph.part_sizes(access.object).is_some_and(|sizes| sizes.is_buffer())
            {
                for part in access.parts() {
                    let drawn = self.drawn.entry((access.object, part)).or_insert(Drawn { first: number, count: 0 });
                    drawn.count += 1;
                }
            }
            self.write(number, &access)?;
        }
        Ok(())
    }

    fn write(&mut self, number: u32, access: &Access) -> Result<(), Internal> {
        let mut below = NONE;
        let (mut covered, parts) = (Vec::new(), access.parts());
        if access.kind == AccessKind::Modify {
            self.last.entry(access.object).or_default().take(parts.clone(), |write| covered.push(write));
            covered.dedup();
        }
        for write in covered {
            below = match below {
                NONE => write,
                below => self.push(number, [below, write])?,
            };
        }
        let write = self.push(number, [below, NONE])?;
        self.last.entry(access.object).or_default().write(parts, write);
        Ok(())
    }

    fn push(&mut self, by: u32, through: [u32; 2]) -> Result<u32, Internal> {
        match u32::try_from(self.writes.len()) {
            Ok(place) if place != NONE => {
                self.writes.push(PartWrite { by, through, is_read: false });
                Ok(place)
            }
            _ => Err(Internal::new("more parts were written than an index has room for")),
        }
    }

    fn read_parts(&mut self, object: ObjectKey, parts: Range<u32>) -> Result<(), Internal> {
        self.read.entry(object).or_default().insert(u64::from(parts.start)..u64::from(parts.end));
        let mut reached = Vec::new();
        self.last.entry(object).or_default().take(parts, |write| reached.push(write));
        let Self { writes, live, .. } = self;
        mark_read(writes, reached, |by| {
            live.insert(by);
        })
    }

    /// Commands some of whose writes are there at the trace's end.
    fn lasting(&mut self) -> Result<HashSet<u32>, Internal> {
        let left = self.last.values().flat_map(|last| last.stretches().map(|(_, _, write)| write)).collect();
        let mut lasting = HashSet::default();
        mark_read(&mut self.writes, left, |by| {
            lasting.insert(by);
        })?;
        Ok(lasting)
    }

    fn unused_targets(&self) -> Vec<UnusedTarget> {
        let is_read =
            |object, part: u32| self.read.get(&object).is_some_and(|read| read.interval_at(u64::from(part)).is_some());
        let unused = self.drawn.iter().filter(|((object, part), _)| !is_read(*object, *part));
        let unused = unused.filter(|((object, _), _)| !self.exported.contains(object));
        let target = |(&(object, part), drawn): (&(ObjectKey, u32), &Drawn)| UnusedTarget {
            object,
            part,
            first_draw: CommandNumber(drawn.first),
            draws: drawn.count,
        };
        unused.map(target).collect()
    }

    fn dead_writes(&mut self, index: &TraceIndex, targets: &[UnusedTarget]) -> Result<Vec<DeadWrite>, Internal> {
        let unused: HashSet<(ObjectKey, u32)> = targets.iter().map(|target| (target.object, target.part)).collect();
        let lasting = self.lasting()?;
        let mut dead = Vec::new();
        for (number, step) in index.steps_in(0..index.command_count())? {
            if let ResolvedCommand::Submitted { node, kind } = step
                && is_work(kind)
                && !self.live.contains(&number)
            {
                let is_write = |access: &&Access| matches!(access.kind, AccessKind::Modify | AccessKind::Write);
                let is_told = |access: &Access| access.parts().all(|part| unused.contains(&(access.object, part)));
                let written: Vec<&Access> = index.graph.nodes().accesses(node)?.filter(is_write).collect();
                let is_new = !written.iter().all(|access| is_told(access));
                let mut objects: Vec<ObjectKey> = written.iter().map(|access| access.object).collect();
                objects.dedup();
                let (command, is_overwritten) = (CommandNumber(number), !lasting.contains(&number));
                dead.extend(is_new.then_some(DeadWrite { command, kind, is_overwritten, objects }));
            }
        }
        Ok(dead)
    }
}

/// Marks writes, and those that show through them, as read; `each` is told who wrote them, if that is new.
fn mark_read(writes: &mut [PartWrite], mut reached: Vec<u32>, mut each: impl FnMut(u32)) -> Result<(), Internal> {
    while let Some(place) = reached.pop() {
        let write = writes.get_mut(place as usize);
        let write = write.ok_or(Internal::new("the last write to a part is missing"))?;
        if !std::mem::replace(&mut write.is_read, true) {
            each(write.by);
            reached.extend(write.through.into_iter().filter(|through| *through != NONE));
        }
    }
    Ok(())
}

/// Whether a command writes what is there to be read.
fn is_work(kind: EffectKind) -> bool {
    use EffectKind::{Clear, Copy, Dispatch, Draw, Upload};
    matches!(kind, Upload | Copy | Clear | Draw | Dispatch)
}

/// Whether a copy's write is of guest memory, which the guest reads: it is an object of the copy's own.
fn is_guest_memory(object: ObjectKey, (number, kind): (u32, EffectKind)) -> bool {
    kind == EffectKind::Copy && object.creation() == Some(number)
}
