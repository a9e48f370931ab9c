//! Pictures that are not what a frame usually shows: those of other screens and presents, and parts of textures.

use std::collections::BTreeSet;
use std::ops::Range;

use super::TraceIndex;
use super::checkpoints::CheckpointPlan;
use super::marks::Needed;
use super::names::LastMeaning;
use super::need::Need;
use super::resolved_command::CommandNumber;
use super::slice::{Slice, SliceTarget};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::d3d::{GuestHandle, ObjectKey};
use crate::replay::picture::Picture;

/// What a handle means at a point of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replay) enum HandleMeaning {
    /// It never had one.
    Nothing,
    /// What this command has made, or given the handle to.
    GivenBy(CommandNumber),
    /// What it meant was destroyed by this command.
    EndedBy(CommandNumber),
}

impl TraceIndex {
    /// The screens that submissions present to, ascending.
    pub fn scanouts(&self) -> &BTreeSet<u32> {
        self.graph.scanouts()
    }

    /// A frame's presents of submissions to a screen, in order. The frame has to be in the index.
    pub fn presents_of(&self, frame: FrameIndex, scanout: u32) -> Result<Vec<CommandNumber>, Internal> {
        let own = self.commands_of(frame).ok_or(Internal::new("a requested frame is not in the index"))?;
        let presents = self.graph.presents_before(own.end).take_while(|present| present.number >= own.start);
        let mut numbers: Vec<_> = presents
            .filter(|present| present.scanout == scanout)
            .map(|present| CommandNumber(present.number))
            .collect();
        numbers.reverse();
        Ok(numbers)
    }

    /// The present whose picture is on a screen after the command before `end`.
    pub fn shown_on(&self, scanout: u32, end: u32) -> Option<CommandNumber> {
        let shown = self.graph.presents_before(end).find(|present| present.scanout == scanout)?;
        Some(CommandNumber(shown.number))
    }

    /// The slice of a frame's commands up to `end` for what is on a screen then. The frame has to be in the index.
    pub fn slice_on_screen(&self, frame: FrameIndex, end: u32, scanout: u32) -> Result<Slice, Internal> {
        let own = self.commands_of(frame).ok_or(Internal::new("a requested frame is not in the index"))?;
        let own = own.start..end.clamp(own.start, own.end);
        let (plan, owns) = (CheckpointPlan::default(), [own.clone()]);
        let mut need = Need::of_screen(self, &owns, &plan, Some(scanout))?;
        need.target(own.end)?;
        let (earlier, cleared_by) = (need.earlier()?, need.cleared_by());
        let target = cleared_by.map_or(SliceTarget::Black, SliceTarget::ClearedBy);
        Ok(Slice { frame, earlier, own, target })
    }

    /// What leads to what parts of an object hold before the command `end`, and to the object itself, which the command
    /// `named_by` has given its handle: ascending, and nothing else.
    pub fn slice_to_parts(
        &self,
        (object, parts): (ObjectKey, &[Range<u32>]),
        named_by: CommandNumber,
        end: u32,
    ) -> Result<Vec<CommandNumber>, Internal> {
        let plan = CheckpointPlan::default();
        let mut need = Need::of_nothing(self, &plan);
        for parts in parts {
            need.parts(object, parts.clone(), end)?;
        }
        need.command(named_by.0, Needed::Meaning)?;
        need.earlier()
    }

    /// All that leads to a picture of a frame, ascending.
    pub(in crate::replay) fn commands_of_picture(&self, picture: &Picture) -> Result<Vec<CommandNumber>, Internal> {
        let plan = CheckpointPlan::default();
        self.need_of_picture(picture, &plan)?.earlier()
    }

    /// A frame's own commands that lead to a picture of it, ascending.
    pub(in crate::replay) fn own_commands_of_picture(&self, picture: &Picture) -> Result<Vec<CommandNumber>, Internal> {
        let plan = CheckpointPlan::default();
        self.need_of_picture(picture, &plan)?.from(picture.own.start)
    }

    /// Counts the commands before a frame's own that lead to a picture of it; `None` for more than `most`.
    pub(in crate::replay) fn count_before_picture(
        &self,
        picture: &Picture,
        most: usize,
    ) -> Result<Option<usize>, Internal> {
        let plan = CheckpointPlan::default();
        self.need_of_picture(picture, &plan)?.count_before(picture.own.start, most)
    }

    fn need_of_picture<'a>(&'a self, picture: &Picture, plan: &'a CheckpointPlan) -> Result<Need<'a>, Internal> {
        let Some(named_by) = picture.named_by else {
            let mut need = Need::of_inputs(self, plan);
            need.command(picture.end, Needed::Writes)?;
            return Ok(need);
        };
        let mut need = Need::of_nothing(self, plan);
        for (object, parts) in &picture.parts {
            need.parts(*object, parts.clone(), picture.end)?;
        }
        need.command(named_by.0, Needed::Meaning)?;
        Ok(need)
    }

    /// What a handle means before the command `end`.
    pub(in crate::replay) fn meaning_of(&self, handle: u32, end: u32) -> HandleMeaning {
        match self.graph.names().last_before(GuestHandle::Resource(handle), end) {
            None => HandleMeaning::Nothing,
            Some(LastMeaning::Given(number)) => HandleMeaning::GivenBy(CommandNumber(number)),
            Some(LastMeaning::Ended(number)) => HandleMeaning::EndedBy(CommandNumber(number)),
        }
    }

    /// The commands without which a handle would not mean what the command `named_by` made it mean, it among them, ascending.
    pub(in crate::replay) fn inputs_of_name(&self, named_by: CommandNumber) -> Result<Vec<CommandNumber>, Internal> {
        let plan = CheckpointPlan::default();
        let mut need = Need::of_nothing(self, &plan);
        need.command(named_by.0, Needed::Meaning)?;
        need.earlier()
    }

    /// The handles that mean something before the command `end`, ascending, and what has given it to them.
    pub(in crate::replay) fn live_handles(&self, end: u32) -> Vec<(u32, CommandNumber)> {
        let names = self.graph.names().live_resources(end).into_iter();
        names.map(|(handle, number)| (handle, CommandNumber(number))).collect()
    }
}
