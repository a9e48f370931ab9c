//! The fewest earlier commands that a frame needs.

use std::ops::Range;

use super::TraceIndex;
use super::checkpoints::CheckpointPlan;
use super::marks::Needed;
use super::need::Need;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::limits::MAX_BUFFER_BYTES;
use crate::replay::d3d::ObjectKey;

/// What has to be carried out, in this order, to show a frame: [`Slice::earlier`], then the frame's own commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The frame.
    pub frame: FrameIndex,
    /// Commands before the frame that it depends on, ascending.
    pub earlier: Vec<CommandNumber>,
    /// The frame's own commands that are wanted: all, or those up to a draw.
    pub own: Range<u32>,
    /// What the target must hold before the first command that touches it.
    pub target: SliceTarget,
}

/// Parts of an object that a question about a frame looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedParts {
    /// The object.
    pub object: ObjectKey,
    /// Its parts.
    pub parts: Range<u32>,
    /// The first moment at which they hold what the trace says.
    pub since: WatchedSince,
}

/// The first moment at which parts have to hold what the trace says; they do so from there to the end of the slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchedSince {
    /// The frame's start, even if all of them are written anew later in the frame.
    FrameStart,
    /// Where what they hold at the end begins to show: a frame that clears them needs nothing of what was there before.
    LastWholeWrite,
}

/// What the target holds when a slice begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceTarget {
    /// Transparent black, as before the first frame.
    Black,
    /// Anything: this CLEAR, in the slice, comes before all that survives. Draws of the frame's own before it are drawn
    /// on nobody knows what.
    ClearedBy(CommandNumber),
    /// The picture as it is before this command, so that no earlier CLEAR or DRAW is in the slice, and those of the
    /// frame's own need not run again.
    PictureBefore(CommandNumber),
}

impl SliceTarget {
    /// From this command on, what the slice's commands make of the target is what the trace says.
    pub fn known_from(self) -> CommandNumber {
        match self {
            Self::Black => CommandNumber(0),
            Self::ClearedBy(at) | Self::PictureBefore(at) => at,
        }
    }
}

impl TraceIndex {
    /// The slice of a frame's commands up to `end` (all of them: the end of [`TraceIndex::commands_of`]).
    ///
    /// `at_hand` says before which command's turn the picture is that the caller already has, if it has one. It is
    /// used where it helps.
    ///
    /// `None` if the frame is not in the index.
    pub fn slice(
        &self,
        frame: FrameIndex,
        end: u32,
        at_hand: Option<CommandNumber>,
    ) -> Result<Option<Slice>, Internal> {
        // silent: `None` is the answer for a frame that the index does not have
        let Some(own) = self.commands_of(frame) else { return Ok(None) };
        let own = own.start..end.clamp(own.start, own.end);
        let (earlier, target) = self.earlier(own.clone(), own.end, at_hand)?;
        Ok(Some(Slice { frame, earlier, own, target }))
    }

    /// Counts the commands that a frame needs before its own; `None` for more than `most`, which takes no longer than so many. The
    /// frame has to be in the index.
    pub fn count_earlier(&self, frame: FrameIndex, most: usize) -> Result<Option<usize>, Internal> {
        let own = self.commands_of(frame).ok_or(Internal::new("a requested frame is not in the index"))?;
        let (plan, owns) = (CheckpointPlan::default(), [own.clone()]);
        let mut need = Need::of(self, &owns, &plan)?;
        need.target_within(own.end, most)?;
        need.count_before(own.start, most)
    }

    /// The slice of a frame's commands up to `end` with all that leads to what parts of an object hold then, which need not
    /// be presented. The frame has to be in the index.
    pub fn slice_showing(
        &self,
        frame: FrameIndex,
        end: u32,
        (object, parts): (ObjectKey, &[Range<u32>]),
    ) -> Result<Slice, Internal> {
        let own = self.commands_of(frame).ok_or(Internal::new("a requested frame is not in the index"))?;
        let own = own.start..end.clamp(own.start, own.end);
        let (plan, owns) = (CheckpointPlan::default(), [own.clone()]);
        let mut need = Need::of(self, &owns, &plan)?;
        parts.iter().try_for_each(|parts| need.parts(object, parts.clone(), own.end))?;
        need.target(own.end)?;
        let (earlier, cleared_by) = (need.earlier()?, need.cleared_by());
        let target = cleared_by.map_or(SliceTarget::Black, SliceTarget::ClearedBy);
        Ok(Slice { frame, earlier, own, target })
    }

    /// The slice of a frame's commands up to `end` with all that leads to what any of them reads, tests or writes over, whether
    /// it is seen or not, and what is on the screen `scanout` then; with `watched`, with what these parts of an object hold.
    /// The frame has to be in the index, and the picture that commands of no submission draw on is not among what is asked for.
    pub fn slice_of_all(
        &self,
        frame: FrameIndex,
        end: u32,
        scanout: Option<u32>,
        watched: Option<WatchedParts>,
    ) -> Result<Slice, Internal> {
        let own = self.commands_of(frame).ok_or(Internal::new("a requested frame is not in the index"))?;
        let own = own.start..end.clamp(own.start, own.end);
        let (plan, owns) = (CheckpointPlan::default(), [own.clone()]);
        let mut need = Need::of_screen(self, &owns, &plan, scanout)?;
        need.all_written(own.clone())?;
        if let Some(WatchedParts { object, parts, since }) = watched {
            // Nothing needs to have written it.
            if let Some(creation) = object.creation().filter(|creation| *creation < own.start) {
                need.command(creation, Needed::Meaning)?;
            }
            if since == WatchedSince::FrameStart {
                need.parts_when_reached(object, parts.clone(), own.start);
            }
            need.parts(object, parts, own.end)?;
        }
        Ok(Slice { frame, earlier: need.earlier()?, own, target: SliceTarget::Black })
    }

    /// The slice of a frame's commands up to `end` together with the picture that the frame begins with, even if a CLEAR
    /// of its own covers that. `at_hand` is as in [`TraceIndex::slice`], and used if it is of before the frame.
    ///
    /// The frame that ended the index has a slice too: one with all that was made before it, and nothing of its own.
    ///
    /// `None` if the frame is neither.
    pub fn slice_with_start(
        &self,
        frame: FrameIndex,
        end: u32,
        at_hand: Option<CommandNumber>,
    ) -> Result<Option<Slice>, Internal> {
        let is_damaged = frame.as_usize() == self.frame_count();
        let after_all = || is_damaged.then_some(self.command_count()..self.command_count());
        // silent: `None` is the answer for a frame that the index does not have
        let Some(own) = self.commands_of(frame).or_else(after_all) else { return Ok(None) };
        let own = own.start..end.clamp(own.start, own.end);
        let (mut earlier, target) = self.earlier(own.clone(), own.start, at_hand)?;
        if is_damaged {
            earlier.extend(self.state_before(own.start)?);
            earlier.sort_unstable();
            earlier.dedup();
        }
        Ok(Some(Slice { frame, earlier, own, target }))
    }

    /// What comes before the commands `own` and is needed for them, and for the target as it is before the command `shown`;
    /// with what that begins with.
    fn earlier(
        &self,
        own: Range<u32>,
        shown: u32,
        at_hand: Option<CommandNumber>,
    ) -> Result<(Vec<CommandNumber>, SliceTarget), Internal> {
        let at_hand = at_hand.filter(|at| at.0 <= shown);
        let plan = at_hand.map_or_else(CheckpointPlan::default, CheckpointPlan::of_picture);
        let owns = [own.clone()];
        let mut need = Need::of(self, &owns, &plan)?;
        need.target(shown)?;
        let (earlier, cleared_by) = (need.earlier()?, need.cleared_by());
        let begins = at_hand.map_or(SliceTarget::Black, SliceTarget::PictureBefore);
        let target = cleared_by.map_or(begins, SliceTarget::ClearedBy);
        if self.may_be_too_large(&earlier, own.clone()) {
            return Ok((self.with_every_buffer(earlier, own.start), target));
        }
        Ok((earlier, target))
    }

    /// The commands that lead to the state before command `end`, as far as drawing is not concerned, ascending: all
    /// that make and fill objects, and the settings in force.
    pub fn state_before(&self, end: u32) -> Result<Vec<CommandNumber>, Internal> {
        let makes = |step: &ResolvedCommand| {
            use ResolvedCommand::{CreateBuffer, CreatePipeline, CreateShader, Upload};
            matches!(step, CreateBuffer { .. } | Upload { .. } | CreateShader | CreatePipeline { .. })
        };
        let kinds: [fn(&ResolvedCommand) -> bool; 3] = [
            |step| matches!(step, ResolvedCommand::SetPipeline { .. }),
            |step| matches!(step, ResolvedCommand::SetVertexBuffer { .. }),
            |step| matches!(step, ResolvedCommand::SetViewport { .. }),
        ];
        let mut numbers: Vec<CommandNumber> = self.numbers_in(0..end, makes).collect();
        for kind in kinds {
            let last = self.steps_in(0..end)?.rfind(|(_, step)| kind(step));
            numbers.extend(last.map(|(number, _)| CommandNumber(number)));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Whether buffers that stay alive in the slice, where re-creations are left out, could be more than may exist at
    /// one time beside any target.
    fn may_be_too_large(&self, earlier: &[CommandNumber], own: Range<u32>) -> bool {
        let size = |number: CommandNumber| match self.command(number) {
            Some(ResolvedCommand::CreateBuffer { size_bytes, .. }) => u64::from(size_bytes),
            _ => 0,
        };
        let numbers = earlier.iter().copied().chain(own.map(CommandNumber));
        numbers.map(size).sum::<u64>() > MAX_BUFFER_BYTES
    }

    /// The slice with every creation and binding of a buffer, so that buffers live exactly as long as in the trace.
    fn with_every_buffer(&self, mut numbers: Vec<CommandNumber>, end: u32) -> Vec<CommandNumber> {
        let keeps = |step: &ResolvedCommand| {
            matches!(step, ResolvedCommand::CreateBuffer { .. } | ResolvedCommand::SetVertexBuffer { .. })
        };
        numbers.extend(self.numbers_in(0..end, keeps));
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}
