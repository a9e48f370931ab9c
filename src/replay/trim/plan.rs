//! What a trimmed trace is made of.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::error::TrimError;
use super::head::Head;
use crate::abi::SubmittedCommands;
use crate::bytes::Diagnostics;
use crate::command::Shown;
use crate::error::{ErrorKind, Internal};
use crate::format::aerogpu::{FrameIndex, RecordBody, Trace};
use crate::replay::command_reader::CommandReader;
use crate::replay::d3d::EffectKind;
use crate::replay::index::{CommandNumber, ResolvedCommand, TraceIndex};
use crate::replay::picture::picture_at_end;
use crate::replay::target_size::LargestViewport;

/// What goes into a trimmed trace.
pub(super) struct Plan {
    pub frames: Vec<PlannedFrame>,
    /// What comes before all frames.
    pub head: Option<Head>,
    /// Whether there is a submission, which takes container version 2.
    pub holds_submissions: bool,
    /// Number of earlier commands that are kept for the names that they give.
    pub names: usize,
}

/// A frame that is kept.
pub(super) struct PlannedFrame {
    pub index: FrameIndex,
    /// The commands behind the kept frame before it that it, or one behind it, depends on, ascending.
    pub earlier: Vec<CommandNumber>,
}

impl Plan {
    /// What has to be kept of a trace for some of its frames.
    pub(super) fn of(
        trace: &Arc<Trace>,
        index: &TraceIndex,
        frames: &[FrameIndex],
        shown: Shown,
    ) -> Result<Self, TrimError> {
        let mut kept = BTreeSet::new();
        let mut own = Vec::new();
        let mut missing = Vec::new();
        for frame in frames {
            let end = index.commands_of(*frame).ok_or_else(|| not_indexed(index, *frame))?.end;
            let slice = index.slice(*frame, end, None)?.ok_or_else(|| not_indexed(index, *frame))?;
            kept.extend(slice.earlier);
            own.push(slice.own);
            if shown != Shown::default() {
                match picture_at_end(trace, index, *frame, shown)? {
                    Ok(picture) => kept.extend(picture.commands(index)?),
                    Err(none) => missing.push(none),
                }
            }
        }
        if missing.len() == frames.len()
            && let Some(none) = missing.pop()
        {
            return Err(none.into());
        }
        kept.extend(index.earlier_of_all(&own)?);
        // A picture needs no names. People do.
        let (mut start, needed) = (0, kept.len());
        for frame in &own {
            let named = index.names_given_by(start..frame.start);
            let is_in_frame =
                |made: u32| own.get(own.partition_point(|own| own.end <= made)).is_some_and(|own| own.contains(&made));
            let is_made = |made: &CommandNumber| kept.contains(made) || is_in_frame(made.0);
            let markers: Vec<_> = named.filter(|(made, _)| is_made(made)).map(|(_, marker)| marker).collect();
            kept.extend(markers);
            start = frame.end;
        }
        let names = kept.len() - needed;
        let (mut planned, mut next) = (Vec::new(), 0);
        let mut seen = Seen::new(trace, index);
        for (frame, own) in frames.iter().zip(&own) {
            let earlier: Vec<_> = kept.range(CommandNumber(next)..CommandNumber(own.start)).copied().collect();
            for number in &earlier {
                seen.command(*number)?;
            }
            own.clone().try_for_each(|number| seen.present(CommandNumber(number)))?;
            seen.frame(*frame)?;
            planned.push(PlannedFrame { index: *frame, earlier });
            next = own.end;
        }
        let head = Head::of_lost(trace, index, seen.viewports.largest(), seen.scanout);
        let is_submitted = matches!(head, Some(Head::Submission { .. }));
        Ok(Self { frames: planned, head, holds_submissions: seen.holds_submissions || is_submitted, names })
    }
}

impl Plan {
    /// By frame, how many commands are put before its own.
    pub(super) fn carried_commands(&self, index: &TraceIndex) -> Vec<u32> {
        let head = self.head.as_ref().map_or(0, Head::command_count);
        let of_frame = |frame: &PlannedFrame| frame.earlier.len() as u32 + index.carried_by(frame.index);
        let mut carried: Vec<_> = self.frames.iter().map(of_frame).collect();
        carried.first_mut().into_iter().for_each(|first| *first += head);
        carried
    }
}

fn not_indexed(index: &TraceIndex, frame: FrameIndex) -> TrimError {
    let (reason, kind, offset) = match index.stop() {
        Some(stop) => (stop.message.clone(), stop.kind, stop.offset),
        None => ("the trace has fewer frames".to_owned(), ErrorKind::ReplayFailed, None),
    };
    TrimError::NotIndexed { frame, reason, kind, offset }
}

/// What is seen of what is kept.
struct Seen<'a> {
    trace: &'a Trace,
    index: &'a TraceIndex,
    reader: CommandReader,
    /// The record looked at last for an earlier command.
    record: Option<u64>,
    viewports: LargestViewport,
    /// The lowest screen that is presented to.
    scanout: Option<u32>,
    holds_submissions: bool,
}

impl<'a> Seen<'a> {
    fn new(trace: &'a Arc<Trace>, index: &'a TraceIndex) -> Self {
        let reader = CommandReader::new(trace.clone());
        let (viewports, scanout) = (LargestViewport::default(), None);
        Self { trace, index, reader, record: None, viewports, scanout, holds_submissions: false }
    }

    /// An earlier command.
    fn command(&mut self, number: CommandNumber) -> Result<(), TrimError> {
        self.present(number)?;
        if may_set_viewport(&self.index.require_step(number)?) {
            let command = self.reader.read(self.index.require_location(number)?)?;
            self.viewports.see(&command.value);
        }
        if let Some(submission) = self.index.submission_of(number)
            && self.record.replace(submission.record) != Some(submission.record)
        {
            let mut reader = self.trace.records(submission.record..self.trace.stream().end);
            let record = reader.next_record(&mut Diagnostics::new())?;
            let lost = Internal::at("no record lies where the index has seen a submission", submission.record);
            self.holds_submissions |= matches!(record.ok_or(lost)?.body, RecordBody::Submission(_));
        }
        Ok(())
    }

    /// Any command that is kept.
    fn present(&mut self, number: CommandNumber) -> Result<(), Internal> {
        if let ResolvedCommand::Submitted { kind: EffectKind::Present, .. } = self.index.require_step(number)? {
            let scanout = self.index.scanout_of(number).ok_or(Internal::new("a present has no screen in the graph"))?;
            self.scanout = Some(self.scanout.map_or(scanout, |lowest| lowest.min(scanout)));
        }
        Ok(())
    }

    /// A frame that is kept whole, with what is behind errors.
    fn frame(&mut self, frame: FrameIndex) -> Result<(), TrimError> {
        let span = self.trace.frame(frame).ok_or(Internal::new("a frame of the index is not in the trace"))?;
        let mut commands = SubmittedCommands::from(self.trace, span.bytes.start);
        let mut reader = self.trace.records(span.bytes.clone());
        while let Some(record) = reader.next_record(&mut Diagnostics::new())? {
            self.holds_submissions |= matches!(record.body, RecordBody::Submission(_));
            // Of a submission without a stream no viewport is known, here as in the whole trace.
            if let Ok(Some(submitted)) = commands.of(&record)
                && let Ok(bytes) = commands.read(&submitted)
            {
                let _: std::ops::ControlFlow<_> = submitted.decode(&bytes, &mut self.viewports);
            }
        }
        Ok(())
    }
}

/// Whether a command can be one that sets a viewport.
fn may_set_viewport(step: &ResolvedCommand) -> bool {
    matches!(step, ResolvedCommand::SetViewport { .. } | ResolvedCommand::Submitted { kind: EffectKind::Setting, .. })
}
