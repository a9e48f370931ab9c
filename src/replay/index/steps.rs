//! Where every command stands and what it means.
//!
//! A trace has millions of commands, most of them of submissions, and of such a one its node and its kind are all that is
//! to be known: 16 bytes with its offset. What other commands mean is kept in a list of its own.

use std::ops::Range;

use super::chunked::Chunked;
use super::resolved_command::ResolvedCommand;
use crate::replay::d3d::EffectKind;

/// Every command, in file order.
#[derive(Debug, Default)]
pub(super) struct Steps {
    steps: Chunked<Step>,
    /// What commands of no submission mean.
    others: Chunked<ResolvedCommand>,
}

/// A command.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Absolute file offset.
    offset: u64,
    /// Its node in the graph, or its place among the others.
    at: u32,
    kind: StepKind,
}

#[derive(Clone, Copy, Debug)]
enum StepKind {
    Submitted(EffectKind),
    Skipped,
    Other,
}

// What a command takes is what an index takes.
const _: () = assert!(size_of::<Step>() == 16 && size_of::<ResolvedCommand>() == 24);

impl Steps {
    /// How many there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Adds a command that stands at the absolute file offset `offset`.
    // See `Chunked::push`.
    #[inline(always)]
    pub(super) fn push(&mut self, offset: u64, command: ResolvedCommand) {
        let (at, kind) = match command {
            ResolvedCommand::Submitted { node, kind } => (node, StepKind::Submitted(kind)),
            ResolvedCommand::Skipped => (0, StepKind::Skipped),
            other => {
                self.others.push(other);
                (self.others.len() as u32 - 1, StepKind::Other)
            }
        };
        self.steps.push(Step { offset, at, kind });
    }

    /// What a command means.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<ResolvedCommand> {
        self.meaning(self.steps.get(number as usize)?)
    }

    /// Where a command stands: absolute file offset.
    pub(super) fn offset(&self, number: u32) -> Option<u64> {
        self.steps.get(number as usize).map(|step| step.offset)
    }

    /// What the commands of a range mean, with their numbers, if they are all there.
    pub(super) fn range(&self, range: Range<u32>) -> Option<impl DoubleEndedIterator<Item = (u32, ResolvedCommand)>> {
        // Each other command is in its list.
        Some(self.steps.range(range)?.filter_map(|(number, step)| Some((number, self.meaning(step)?))))
    }

    #[inline]
    fn meaning(&self, step: &Step) -> Option<ResolvedCommand> {
        match step.kind {
            StepKind::Submitted(kind) => Some(ResolvedCommand::Submitted { node: step.at, kind }),
            StepKind::Skipped => Some(ResolvedCommand::Skipped),
            StepKind::Other => self.others.get(step.at as usize).copied(),
        }
    }

    /// Forgets all commands but the first `count`.
    pub(super) fn truncate(&mut self, count: usize) {
        let mut forgotten = self.steps.range(count as u32..self.steps.len() as u32).into_iter().flatten();
        let first = forgotten.find_map(|(_, step)| matches!(step.kind, StepKind::Other).then_some(step.at));
        drop(forgotten);
        if let Some(first) = first {
            self.others.truncate(first as usize);
        }
        self.steps.truncate(count);
    }

    /// No command follows.
    pub(super) fn finish(&mut self) {
        self.steps.finish();
        self.others.finish();
    }

    /// Breaks a command on purpose: it means something else.
    #[cfg(test)]
    pub(super) fn break_meaning(&mut self, number: u32, command: ResolvedCommand) {
        self.others.push(command);
        let at = self.others.len() as u32 - 1;
        let step = self.steps.get_mut(number as usize).unwrap();
        (step.at, step.kind) = (at, StepKind::Other);
    }

    /// Breaks a command on purpose: it stands elsewhere.
    #[cfg(test)]
    pub(super) fn break_offset(&mut self, number: u32, offset: u64) {
        self.steps.get_mut(number as usize).unwrap().offset = offset;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_hold_what_a_plain_list_holds() {
        let command = |number: u32| match number % 5 {
            0 => ResolvedCommand::Skipped,
            1 => ResolvedCommand::Present,
            2 => ResolvedCommand::SetViewport { width_px: number, height_px: 1 },
            _ => ResolvedCommand::Submitted { node: number, kind: EffectKind::Draw },
        };
        let (mut steps, mut plain) = (Steps::default(), Vec::new());
        for (length, kept) in [(10, 7), (9000, 4099), (5000, 4096), (4096, 0), (6000, 6000)] {
            for number in plain.len() as u32..length {
                // Another one in each round, so that one that was forgotten is not taken for it.
                let value = command(number + length);
                steps.push(u64::from(number) << 32, value);
                plain.push(value);
            }
            assert_eq!(steps.len(), plain.len());
            let all: Vec<_> = steps.range(0..length).unwrap().map(|(_, command)| command).collect();
            assert_eq!(all, plain);
            assert!(plain.iter().zip(0..).all(|(command, number)| steps.get(number) == Some(*command)));
            assert_eq!(steps.offset(length - 1), Some(u64::from(length - 1) << 32));
            assert!(
                steps.get(length).is_none() && steps.offset(length).is_none() && steps.range(0..length + 1).is_none()
            );
            steps.truncate(kept);
            plain.truncate(kept);
        }
        steps.finish();
        assert_eq!((steps.get(5999), steps.others.len()), (plain.last().copied(), 2400));
    }
}
