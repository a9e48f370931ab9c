//! Links between passes of all frames: whose writes each reads, and what becomes of its own.
//!
//! Writers of what a pass reads are known from the histories of objects, whatever frame they were in. Readers of what it writes
//! are found by going through the trace from the frame on ([`PassReaders`]).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use foldhash::HashSet;
use serde::Serialize;

use super::TraceIndex;
use super::frame_passes::{FramePasses, PassId};
use super::pass_readers::PassReaders;
use super::resolved_command::CommandNumber;
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::limits::MAX_PASS_LINKS;
use crate::replay::d3d::{Access, AccessKind, ObjectKey};
use crate::replay::error::{Problem, ReplayError};

/// Way in which a pass uses what was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PassUse {
    /// It reads it.
    Reads,
    /// It tests against it.
    Tests,
    /// It draws or writes over it, so that it shows through.
    WritesOver,
}

impl PassUse {
    /// The use of an access, if it finds anything there.
    fn of(access: AccessKind) -> Option<Self> {
        match access {
            AccessKind::Read => Some(Self::Reads),
            AccessKind::Test => Some(Self::Tests),
            AccessKind::Modify => Some(Self::WritesOver),
            AccessKind::Write => None,
        }
    }

    /// The use in words, as of a pass.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Tests => "tests against",
            Self::WritesOver => "writes over",
        }
    }
}

/// Parts of an object that a pass finds there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassRead {
    /// The object.
    pub object: ObjectKey,
    /// Way of using them.
    pub how: PassUse,
    /// The passes that wrote them last, ascending.
    pub from: Vec<PassId>,
    /// Some of them nobody has written.
    pub has_unwritten: bool,
}

/// Fate of what a pass writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WriteFate {
    /// Another pass, or another process, reads, tests or shows some of it, or sees it through what was written over it.
    Read,
    /// The pass alone reads it or tests against it, as most do with their depth.
    Own,
    /// All of it is overwritten before anybody reads it.
    Overwritten,
    /// Some of it is there when the trace ends, and nobody has read any.
    Unread,
}

impl WriteFate {
    /// The fate in words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Read => "others read it",
            Self::Own => "only the pass itself uses it",
            Self::Overwritten => "overwritten before anything reads it",
            Self::Unread => "nothing reads it",
        }
    }
}

/// Parts of an object that a pass writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassWrite {
    /// The object.
    pub object: ObjectKey,
    /// Their fate.
    pub fate: WriteFate,
    /// The passes that use them as they were written, of the same frame, and the first of each later one, ascending and up to
    /// 16 of them.
    pub read_by: Vec<PassId>,
    /// Later frames that use them beside.
    pub more_frames: u32,
}

/// Readers of one write that are told.
pub(super) const MOST_READERS: usize = 16;

/// Passes of a frame with what they read and write, by object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkedPasses {
    /// The passes.
    pub passes: FramePasses,
    /// By pass.
    pub links: Vec<PassLinks>,
}

/// Reads and writes of one pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassLinks {
    /// Parts of objects that it finds there.
    pub reads: Vec<PassRead>,
    /// Parts of objects that it leaves behind.
    pub writes: Vec<PassWrite>,
}

impl TraceIndex {
    /// The passes of frames, which have to be in the index, with what they read and whose it is, and what becomes of what they
    /// write. `goes_on` is asked at each frame that is gone through; where it says no, there is no answer.
    pub fn linked_passes(
        &self,
        frames: Range<u32>,
        goes_on: impl Fn() -> bool,
    ) -> Result<Option<Vec<LinkedPasses>>, ReplayError> {
        let passes: Result<Vec<_>, _> = frames.clone().map(|frame| self.passes_of(FrameIndex(frame))).collect();
        let passes = passes?;
        let readers = PassReaders::of(self, frames.clone(), &passes, &goes_on)?;
        let writes = readers.map(PassReaders::finish).transpose()?;
        writes.map(|writes| self.link(frames, passes, writes)).transpose()
    }

    /// Brings together what passes read and what has become of what they write.
    fn link(
        &self,
        frames: Range<u32>,
        passes: Vec<FramePasses>,
        writes: Vec<(PassId, PassWrite)>,
    ) -> Result<Vec<LinkedPasses>, ReplayError> {
        let mut before = Before { index: self, known: BTreeMap::new(), links: 0 };
        let mut linked = Vec::with_capacity(passes.len());
        for (frame, passes) in frames.clone().map(FrameIndex).zip(passes) {
            before.links = 0;
            before.known.insert(frame, passes.clone());
            let reads = before.reads_of(frame, &passes)?;
            let links = reads.into_iter().map(|reads| PassLinks { reads, writes: Vec::new() }).collect();
            linked.push(LinkedPasses { passes, links });
        }
        for (pass, write) in writes {
            let of_frame = linked.get_mut((pass.frame.0 - frames.start) as usize).ok_or(LOST)?;
            of_frame.links.get_mut(pass.pass as usize).ok_or(LOST)?.writes.push(write);
        }
        Ok(linked)
    }

    /// The pass that a command belongs to; passes of frames are worked out once.
    fn pass_id_of(
        &self,
        command: CommandNumber,
        known: &mut BTreeMap<FrameIndex, FramePasses>,
    ) -> Result<Option<PassId>, Internal> {
        let frame = self.require_location(command)?.frame;
        let passes = match known.entry(frame) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(self.passes_of(frame)?),
        };
        let first = self.numbers_of(frame).start;
        Ok(passes.pass_of(command).and_then(|pass| passes.id(frame, pass, first)))
    }
}

/// Search for the writers of what passes find.
struct Before<'a> {
    index: &'a TraceIndex,
    known: BTreeMap<FrameIndex, FramePasses>,
    /// Stretches that were looked at.
    links: u64,
}

#[derive(Clone, Default)]
struct Found {
    from: BTreeSet<PassId>,
    has_unwritten: bool,
}

/// By object and use, in a pass.
type FoundOfPass = BTreeMap<(ObjectKey, PassUse), Found>;

impl Before<'_> {
    /// Reads of each pass of a frame.
    fn reads_of(&mut self, frame: FrameIndex, passes: &FramePasses) -> Result<Vec<Vec<PassRead>>, ReplayError> {
        let mut found: Vec<FoundOfPass> = vec![FoundOfPass::new(); passes.passes().len()];
        // Asked by the same pass with as many writes before it, a question has the same answer.
        let mut asked: HashSet<(u32, Access, usize)> = HashSet::default();
        let first_of_frame = self.index.numbers_of(frame).start;
        for (number, pass) in passes.commands() {
            let own = passes.id(frame, pass, first_of_frame).ok_or(LOST)?;
            let step = self.index.require_step(CommandNumber(number))?;
            let accesses = self.index.accesses_of(step)?;
            for (access, how) in accesses.into_iter().filter_map(|access| Some((access, PassUse::of(access.kind)?))) {
                let count = match access.object {
                    ObjectKey::TARGET => self.index.last_on_target(number)?.map_or(0, |last| last.0 as usize + 1),
                    object => self.index.writes_before(object, number)?,
                };
                if asked.insert((pass, access, count)) {
                    let of_pass = found.get_mut(pass as usize).ok_or(LOST)?;
                    self.add(own, (access, how), (number, count), of_pass)?;
                }
            }
        }
        let read = |((object, how), Found { from, has_unwritten })| PassRead {
            object,
            how,
            from: from.into_iter().collect(),
            has_unwritten,
        };
        Ok(found.into_iter().map(|of_pass| of_pass.into_iter().map(read).collect()).collect())
    }

    /// Adds what the command `number` of a pass finds behind the first `count` writes.
    fn add(
        &mut self,
        own: PassId,
        (access, how): (Access, PassUse),
        (number, count): (u32, usize),
        found: &mut FoundOfPass,
    ) -> Result<(), ReplayError> {
        let writers = self.writers(&access, number, count)?;
        let written: u32 = writers.iter().map(|(parts, _)| parts.end - parts.start).sum();
        let mut others = Vec::new();
        for (_, by) in &writers {
            let by = self.index.pass_id_of(*by, &mut self.known)?;
            others.extend(by.filter(|by| *by != own));
        }
        let has_unwritten = written < access.end - access.start;
        if !others.is_empty() || has_unwritten {
            let found = found.entry((access.object, how));
            let found = found.or_default();
            found.from.extend(others);
            found.has_unwritten |= has_unwritten;
        }
        Ok(())
    }

    fn writers(
        &mut self,
        access: &Access,
        number: u32,
        count: usize,
    ) -> Result<Vec<(Range<u32>, CommandNumber)>, ReplayError> {
        let writers = match access.object {
            ObjectKey::TARGET => count.checked_sub(1).map(|by| (0..1, CommandNumber(by as u32))).into_iter().collect(),
            object => self.index.last_writers(object, access.parts(), count)?,
        };
        self.links += writers.len() as u64;
        refuse_too_many(self.index, number, self.links, MAX_PASS_LINKS)?;
        Ok(writers)
    }
}

pub(super) fn refuse_too_many(index: &TraceIndex, number: u32, found: u64, limit: u64) -> Result<(), ReplayError> {
    if found <= limit {
        return Ok(());
    }
    let what = "the number of writes that the passes of a frame find";
    let problem = Problem::OverLimit { what, found, limit };
    Err(ReplayError::Command { command: "DRAW", at: index.require_location(CommandNumber(number))?, problem })
}

impl TraceIndex {
    /// The last command of no submission before the command `number` that clears the target or draws to it.
    fn last_on_target(&self, number: u32) -> Result<Option<CommandNumber>, Internal> {
        let mut before = self.steps_in(0..number)?.rev();
        Ok(before.find(|(_, step)| step.target_access().is_some()).map(|(number, _)| CommandNumber(number)))
    }
}

pub(super) const LOST: Internal = Internal::new("a write of a pass is lost");
