//! The fewest earlier commands that a frame needs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use super::resolved_command::{CommandNumber, ResolvedCommand, readable_bytes};
use super::writers::Writers;
use super::{BoundBuffer, TraceIndex};
use crate::bytes::limits::MAX_BUFFER_BYTES;
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;

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

    /// A target with the history from a CLEAR on, or from the start.
    fn since(clear: Option<u32>) -> Self {
        clear.map_or(Self::Black, |clear| Self::ClearedBy(CommandNumber(clear)))
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
        let Some(own) = self.commands_of(frame) else { return Ok(None) };
        let own = own.start..end.clamp(own.start, own.end);
        let clear = self.last_clear_before(own.end);
        let at_hand = at_hand.filter(|at| at.0 <= own.end && clear.is_none_or(|clear| clear < at.0));
        let target = at_hand.map_or(SliceTarget::since(clear), SliceTarget::PictureBefore);
        let earlier = self.earlier(own.clone(), target.known_from().0)?;
        Ok(Some(Slice { frame, earlier, own, target }))
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
        let Some(own) = self.commands_of(frame).or_else(after_all) else { return Ok(None) };
        let own = own.start..end.clamp(own.start, own.end);
        let clear = self.last_clear_before(own.start);
        let at_hand = at_hand.filter(|at| at.0 <= own.start && clear.is_none_or(|clear| clear < at.0));
        let target = at_hand.map_or(SliceTarget::since(clear), SliceTarget::PictureBefore);
        let mut earlier = self.earlier(own.clone(), target.known_from().0)?;
        if is_damaged {
            earlier.extend(self.state_before(own.start)?);
            earlier.sort_unstable();
            earlier.dedup();
        }
        Ok(Some(Slice { frame, earlier, own, target }))
    }

    /// What comes before the commands `own` and is needed for them, and for the target's history from `history` on.
    fn earlier(&self, own: Range<u32>, history: u32) -> Result<Vec<CommandNumber>, Internal> {
        let mut need = Need { index: self, numbers: Vec::new(), own_start: own.start, writers: HashMap::new() };
        // The frame's own commands stand as they are, so whatever they refer to must exist.
        for (number, (_, step)) in (own.start..).zip(self.steps_in(own.clone())?) {
            need.references(number, step)?;
            need.reads(number, step)?;
        }
        need.target_history(history.min(own.start)..own.start)?;
        let mut earlier = need.finish()?;
        if self.first_submission().is_some() {
            earlier.extend(self.earlier_of_submissions(own.clone())?.into_iter().map(CommandNumber));
            earlier.sort_unstable();
            earlier.dedup();
        }
        if self.may_be_too_large(&earlier, own.clone()) {
            return Ok(self.with_every_buffer(earlier, own.start));
        }
        Ok(earlier)
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
        let steps = self.steps_in(0..end)?;
        let last = |kind: fn(&ResolvedCommand) -> bool| steps.iter().rposition(|(_, step)| kind(step));
        numbers.extend(kinds.into_iter().filter_map(last).map(|number| CommandNumber(number as u32)));
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Whether buffers that stay alive in the slice, where re-creations are left out, could be more than may exist at
    /// one time beside any target.
    fn may_be_too_large(&self, earlier: &[CommandNumber], own: Range<u32>) -> bool {
        let size = |number: CommandNumber| match self.command(number) {
            Some(ResolvedCommand::CreateBuffer { size_bytes, .. }) => u64::from(*size_bytes),
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

/// Collects what a slice needs.
struct Need<'a> {
    index: &'a TraceIndex,
    numbers: Vec<CommandNumber>,
    own_start: u32,
    /// By CREATE_BUFFER: the writers of the bytes that no draw of the walk so far has read.
    writers: HashMap<CommandNumber, Writers>,
}

impl Need<'_> {
    fn add(&mut self, number: CommandNumber) {
        // Runs of draws share what is bound.
        if number.0 < self.own_start && self.numbers.last() != Some(&number) {
            self.numbers.push(number);
        }
    }

    fn references(&mut self, number: u32, step: &ResolvedCommand) -> Result<(), Internal> {
        for reference in step.references() {
            self.add(earlier_than(number, reference)?);
        }
        Ok(())
    }

    /// Needs the CLEARs and DRAWs in `range`, and what they see.
    fn target_history(&mut self, range: Range<u32>) -> Result<(), Internal> {
        // The own frame was walked first; the history begins before it, with other bytes unread.
        self.writers.clear();
        let index = self.index;
        for (number, (_, step)) in (range.start..).zip(index.steps_in(range.clone())?) {
            match step {
                ResolvedCommand::Draw { .. } => {
                    self.add(CommandNumber(number));
                    self.references(number, step)?;
                    self.reads(number, step)?;
                }
                ResolvedCommand::Clear { .. } => self.add(CommandNumber(number)),
                ResolvedCommand::Upload { .. } => self.reads(number, step)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes in what a command of the walk reads or writes of a buffer.
    fn reads(&mut self, number: u32, step: &ResolvedCommand) -> Result<(), Internal> {
        match *step {
            ResolvedCommand::Upload { create, start, end } => {
                if let Some(writers) = self.writers.get_mut(&create) {
                    writers.write(start..end, number);
                }
            }
            ResolvedCommand::Draw { vertex_count, first_vertex, vertices: Some(vertices), .. } => {
                let BoundBuffer { create, size_bytes, layout } = self.index.bound_buffer(vertices)?;
                let range = readable_bytes(&layout, first_vertex, vertex_count, size_bytes);
                let writers = match self.writers.entry(create) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(self.index.history(create)?.writers_before(number)?),
                };
                let (numbers, own_start) = (&mut self.numbers, self.own_start);
                writers.take(range, |writer| {
                    if writer < own_start {
                        numbers.push(CommandNumber(writer));
                    }
                });
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds what the commands so far refer to, and brings all into order.
    fn finish(mut self) -> Result<Vec<CommandNumber>, Internal> {
        // A draw refers to settings, those to objects, pipelines to shaders: three rounds reach everything.
        for _ in 0..3 {
            self.numbers.sort_unstable();
            self.numbers.dedup();
            let mut found = Vec::new();
            for number in &self.numbers {
                for reference in self.index.require_step(*number)?.references() {
                    found.push(earlier_than(number.0, reference)?);
                }
            }
            self.numbers.append(&mut found);
        }
        self.numbers.sort_unstable();
        self.numbers.dedup();
        Ok(self.numbers)
    }
}

/// What the command with the number `number` refers to, which has to stand before it.
fn earlier_than(number: u32, reference: CommandNumber) -> Result<CommandNumber, Internal> {
    let is_earlier = reference.0 < number;
    is_earlier.then_some(reference).ok_or(Internal::new("a command refers to one that does not stand before it"))
}
