//! A frame by its passes: draws to the same targets, dispatches, copies and uploads, each as far as they follow each other.
//!
//! ```text
//!   UPLOAD UPLOAD CLEAR DRAW UPLOAD DRAW DISPATCH DRAW PRESENT
//!   └─ uploads ─┘ └─ draws ───────────┘ dispatches draws present
//!                            uploads
//! ```
//!
//! Uploads do not end a pass: a driver brings what the next draw needs right before it. They are a pass beside it.

use std::ops::Range;

use foldhash::{HashMap, HashSet};
use serde::Serialize;

use super::TraceIndex;
use super::intervals::Intervals;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::d3d::{Access, AccessKind, EffectKind, ObjectKey};

/// Kind of a pass's commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PassKind {
    /// They write bytes of the file, or of guest memory.
    Uploads,
    /// They clear targets and draw to them.
    Draws,
    /// They run compute shaders.
    Dispatches,
    /// They copy.
    Copies,
    /// One of them shows a target.
    Present,
}

impl PassKind {
    /// Its name in answers, by which filters find it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uploads => "uploads",
            Self::Draws => "draws",
            Self::Dispatches => "dispatches",
            Self::Copies => "copies",
            Self::Present => "present",
        }
    }
}

/// A pass of any frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct PassId {
    /// The frame.
    pub frame: FrameIndex,
    /// The pass's number in it.
    pub pass: u32,
    /// The packet of its last command.
    pub packet: u32,
}

/// Commands of a frame that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexedPass {
    /// Kind of its commands.
    pub kind: PassKind,
    /// The first of them.
    pub first: CommandNumber,
    /// The last of them.
    pub last: CommandNumber,
    /// Number of its commands.
    pub commands: u32,
    /// Of the frame's draws, those that belong to it.
    pub draws: Range<u32>,
    /// Parts of textures, or a back buffer, that are drawn to or cleared, in the order of their slots.
    pub targets: Vec<(ObjectKey, Range<u32>)>,
    /// The earlier pass of the frame that draws to the same targets and that it could be one with: nothing in between needs the
    /// order that they are in.
    pub could_join: Option<u32>,
    /// Reads and writes of its commands, each once.
    accesses: HashSet<Access>,
}

/// The passes of a frame, in the order of their first commands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FramePasses {
    passes: Vec<IndexedPass>,
    /// The number of each command that is of a pass, ascending, with the pass's.
    of_commands: Vec<(u32, u32)>,
}

impl FramePasses {
    /// The passes.
    pub fn passes(&self) -> &[IndexedPass] {
        &self.passes
    }

    /// The pass that a command belongs to.
    pub fn pass_of(&self, command: CommandNumber) -> Option<u32> {
        let at = self.of_commands.partition_point(|(number, _)| *number < command.0);
        self.of_commands.get(at).filter(|(number, _)| *number == command.0).map(|(_, pass)| *pass)
    }

    /// One of them among those of all frames, `frame` being theirs.
    pub(super) fn id(&self, frame: FrameIndex, pass: u32, first_of_frame: u32) -> Option<PassId> {
        let last = self.passes.get(pass as usize)?.last;
        Some(PassId { frame, pass, packet: last.0.saturating_sub(first_of_frame) })
    }

    /// The commands that are of a pass, in file order, each with its pass.
    pub(super) fn commands(&self) -> impl Iterator<Item = (u32, u32)> {
        self.of_commands.iter().copied()
    }
}

impl TraceIndex {
    /// The passes of a frame; none of one that is not in the index.
    pub fn passes_of(&self, frame: FrameIndex) -> Result<FramePasses, Internal> {
        let mut grouping = Grouping::default();
        let steps = self.steps_in(self.numbers_of(frame))?;
        for (number, step, kind) in steps.filter_map(|(number, step)| Some((number, step, kind_of(&step)?))) {
            let accesses = self.accesses_of(step)?;
            // Buffers are made with what guest memory holds, and bindings set counters; most that make and set write nothing.
            let is_setting =
                matches!(step, ResolvedCommand::Submitted { kind: EffectKind::Setting | EffectKind::Creation, .. });
            if !is_setting || accesses.iter().any(|access| is_write(access.kind)) {
                grouping.command(self, (number, step), kind, accesses)?;
            }
        }
        let mut passes = grouping.passes;
        let could_join: Vec<Option<u32>> = (0..passes.len()).map(|later| earlier_half(&passes, later)).collect();
        passes.iter_mut().zip(could_join).for_each(|(pass, could_join)| pass.could_join = could_join);
        Ok(FramePasses { passes, of_commands: grouping.of_commands })
    }

    /// Reads and writes of a command of either ABI.
    pub(super) fn accesses_of(&self, step: ResolvedCommand) -> Result<Vec<Access>, Internal> {
        let target = |kind| Access::new(ObjectKey::TARGET, 0..1, kind);
        Ok(match step {
            ResolvedCommand::Submitted { node, .. } => self.graph.nodes().accesses(node)?.copied().collect(),
            ResolvedCommand::Upload { create, start, end } if start < end => {
                vec![Access::new(ObjectKey::made_by(create.0), start..end, AccessKind::Write)]
            }
            ResolvedCommand::Present => vec![target(AccessKind::Read)],
            step => {
                let read = self.bytes_read_by(step)?.filter(|(_, bytes)| !bytes.is_empty());
                let read = read.map(|(buffer, bytes)| Access::new(buffer, bytes, AccessKind::Read));
                read.into_iter().chain(step.target_access().map(target)).collect()
            }
        })
    }
}

/// The kind of pass that a command belongs to if it writes anything, or shows it.
fn kind_of(step: &ResolvedCommand) -> Option<PassKind> {
    match step {
        ResolvedCommand::Submitted { kind, .. } => match kind {
            EffectKind::Upload | EffectKind::Setting | EffectKind::Creation => Some(PassKind::Uploads),
            EffectKind::Draw | EffectKind::FailedDraw | EffectKind::Clear => Some(PassKind::Draws),
            EffectKind::Dispatch => Some(PassKind::Dispatches),
            EffectKind::Copy => Some(PassKind::Copies),
            EffectKind::Present => Some(PassKind::Present),
        },
        ResolvedCommand::Upload { .. } => Some(PassKind::Uploads),
        ResolvedCommand::Draw { .. } | ResolvedCommand::Clear { .. } => Some(PassKind::Draws),
        ResolvedCommand::Present => Some(PassKind::Present),
        _ => None,
    }
}

/// The passes so far.
#[derive(Default)]
struct Grouping {
    passes: Vec<IndexedPass>,
    of_commands: Vec<(u32, u32)>,
    /// The last pass of another kind than uploads, and the uploads since it has begun.
    work: Option<u32>,
    uploads: Option<u32>,
    /// Draws so far.
    draws: u32,
}

impl Grouping {
    fn command(
        &mut self,
        index: &TraceIndex,
        (number, step): (u32, ResolvedCommand),
        kind: PassKind,
        accesses: Vec<Access>,
    ) -> Result<(), Internal> {
        let targets = match kind {
            PassKind::Draws => targets_of(index, &accesses),
            _ => Vec::new(),
        };
        let last = if kind == PassKind::Uploads { self.uploads } else { self.work };
        let known = last.filter(|last| {
            let last = self.passes.get(*last as usize);
            last.is_some_and(|last| last.kind == kind && last.goes_on(&step, &targets))
        });
        let at = match known {
            Some(at) => at,
            None => self.begin(kind, number),
        };
        let lost = Internal::new("a pass of a frame is lost");
        let pass = self.passes.get_mut(at as usize).ok_or(lost)?;
        pass.commands += 1;
        pass.last = CommandNumber(number);
        pass.accesses.extend(accesses);
        if targets.len() > pass.targets.len() {
            pass.targets = targets;
        }
        if step.is_draw() {
            if pass.draws.is_empty() {
                pass.draws.start = self.draws;
            }
            self.draws += 1;
            pass.draws.end = self.draws;
        }
        self.of_commands.push((number, at));
        Ok(())
    }

    fn begin(&mut self, kind: PassKind, number: u32) -> u32 {
        let at = self.passes.len() as u32;
        self.passes.push(IndexedPass {
            kind,
            first: CommandNumber(number),
            last: CommandNumber(number),
            commands: 0,
            draws: 0..0,
            targets: Vec::new(),
            could_join: None,
            accesses: HashSet::default(),
        });
        match kind {
            PassKind::Uploads => self.uploads = Some(at),
            _ => (self.work, self.uploads) = (Some(at), None),
        }
        at
    }
}

/// Parts of textures, or a back buffer, that a draw or a clear changes.
fn targets_of(index: &TraceIndex, accesses: &[Access]) -> Vec<(ObjectKey, Range<u32>)> {
    let is_buffer = |object| index.graph.part_sizes(object).is_some_and(|sizes| sizes.is_buffer());
    let is_target =
        |access: &&Access| matches!(access.kind, AccessKind::Modify | AccessKind::Write) && !is_buffer(access.object);
    accesses.iter().filter(is_target).map(|access| (access.object, access.parts())).collect()
}

impl IndexedPass {
    /// True if a command of the same kind belongs to it. A draw that leaves some of the targets as they are does, as most do that
    /// blend over depth, and so does a draw behind a clear of some of its targets.
    fn goes_on(&self, step: &ResolvedCommand, targets: &[(ObjectKey, Range<u32>)]) -> bool {
        if self.kind == PassKind::Present {
            return false;
        }
        // A draw that fails draws to nothing.
        if self.kind != PassKind::Draws || is_failed(step) {
            return true;
        }
        if self.targets.is_empty() || targets.is_empty() {
            // The draws before may all have failed.
            return self.targets.len() == targets.len() || (self.targets.is_empty() && self.accesses.is_empty());
        }
        let [fewer, more] =
            if targets.len() < self.targets.len() { [targets, &self.targets] } else { [&self.targets, targets] };
        fewer.iter().all(|target| is_among(target, more))
    }
}

fn is_among((object, parts): &(ObjectKey, Range<u32>), targets: &[(ObjectKey, Range<u32>)]) -> bool {
    targets.iter().any(|(other, whole)| other == object && whole.start <= parts.start && parts.end <= whole.end)
}

fn is_failed(step: &ResolvedCommand) -> bool {
    matches!(step, ResolvedCommand::Submitted { kind: EffectKind::FailedDraw, .. })
}

/// Passes between two that are looked at: a frame of many would take the square of their number.
const MOST_BETWEEN: usize = 64;

/// The pass before the pass `later` that draws to the same targets and that it could be one with.
///
/// All that stands between must be able to stay behind what moves. Uploads that it needs move with it. One that clears a whole
/// target begins anew, and is no second half.
fn earlier_half(passes: &[IndexedPass], later: usize) -> Option<u32> {
    let moving = passes.get(later).filter(|pass| pass.kind == PassKind::Draws && !pass.targets.is_empty())?;
    let clears = |access: &Access| {
        access.kind == AccessKind::Write && is_among(&(access.object, access.parts()), &moving.targets)
    };
    if moving.accesses.iter().any(clears) {
        return None;
    }
    let is_same = |pass: &IndexedPass| pass.kind == PassKind::Draws && pass.targets == moving.targets;
    let first = later.saturating_sub(MOST_BETWEEN);
    let earlier = (first..later).rev().find(|at| passes.get(*at).is_some_and(is_same))?;
    let mut moved = Touched::default();
    moved.add(moving);
    let mut uploads = Touched::default();
    for between in passes.get(earlier + 1..later)?.iter().rev() {
        if moved.conflicts_with(between) {
            // It has to stay before what would move.
            if between.kind != PassKind::Uploads {
                return None;
            }
            moved.add(between);
            uploads.add(between);
        }
    }
    let stays = passes.get(earlier)?;
    (!uploads.conflicts_with(stays)).then_some(earlier as u32)
}

/// Parts that passes read and write.
#[derive(Default)]
struct Touched {
    read: HashMap<ObjectKey, Intervals>,
    written: HashMap<ObjectKey, Intervals>,
}

impl Touched {
    fn add(&mut self, pass: &IndexedPass) {
        for access in &pass.accesses {
            let parts = u64::from(access.start)..u64::from(access.end);
            let of_kind = if is_write(access.kind) { &mut self.written } else { &mut self.read };
            of_kind.entry(access.object).or_default().insert(parts);
        }
    }

    /// True if one of the two writes what the other reads or writes.
    fn conflicts_with(&self, pass: &IndexedPass) -> bool {
        let has = |of_kind: &HashMap<ObjectKey, Intervals>, access: &Access| {
            let parts = u64::from(access.start)..u64::from(access.end);
            of_kind.get(&access.object).is_some_and(|known| known.missing(parts.clone()).next() != Some(parts))
        };
        pass.accesses
            .iter()
            .any(|access| has(&self.written, access) || (is_write(access.kind) && has(&self.read, access)))
    }
}

/// True of accesses that change what is there.
pub(super) fn is_write(kind: AccessKind) -> bool {
    matches!(kind, AccessKind::Modify | AccessKind::Write)
}
