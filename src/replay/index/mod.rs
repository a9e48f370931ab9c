//! Which commands a frame depends on, known without reading a blob.
//!
//! The index is made in one pass over record headers and packets. It keeps, for every command, the numbers of the
//! commands that it refers to, and for every object who wrote which parts of it. From that a [`Slice`] is computed, by one
//! walk backwards for all commands: the fewest earlier ones that have to be carried out, in their order, for a frame to look
//! as it does. Of those of no submission:
//!
//! ```text
//!   DRAW ──► SET_PIPELINE ──► CREATE_PIPELINE ──► CREATE_SHADER (two)
//!    │ ├───► SET_VERTEX_BUFFER ──► CREATE_BUFFER ◄──┐
//!    │ ├───► SET_VIEWPORT                           │
//!    │ └───► the UPLOAD_BUFFERs that last wrote the bytes it can read
//!    └─────► the DRAWs before it, back to the last CLEAR
//! ```
//!
//! Binding captures objects, so these are numbers of commands, not ids: a command that was overtaken by a re-creation
//! of its id is still the one that is bound.
//!
//! The pass is made by one thread. Only reading and decoding could be shared out over the TOC's entries: what an id means
//! at a command, and so what the command refers to, follows from all commands before. That part is less than half of the
//! work (`cargo bench --bench seek -- cold`: 1.6 of 3.7 ms for 10,000 frames of seven commands), so two threads would save
//! a fifth, less what they cost to start, of a fiftieth of a second that a device takes anyway.
//!
//! The pass finds whatever is wrong with a command except what only blob contents can tell: texts that do not compile
//! or link, and draws past the end of a buffer, since the text says which attributes are read. A command that is wrong is
//! among the faults and is not carried out; the index goes on behind it, as a player does that keeps going. Only a file that
//! cannot be read ends it, at the frame where that happens.

mod abi_at;
mod asked;
mod at_hand;
mod bindings_at;
mod build;
mod checkpoint_planner;
mod checkpoints;
mod chunked;
mod contents;
mod dead_writes;
mod device_slice;
mod drawn_to;
mod drawn_with;
mod dry_run;
mod frame_contents;
mod frame_passes;
mod graph;
mod inputs;
mod intervals;
mod labels;
mod marks;
mod names;
mod need;
mod nodes;
mod overlay;
mod part_history;
mod pass_links;
mod pass_readers;
mod read_targets;
mod resolve;
mod resolved_command;
mod setting_history;
mod shown;
mod slice;
mod steps;
mod unread;
mod vertex_count;
mod writers;

pub(in crate::replay) use self::inputs::Dependencies;
pub(in crate::replay) use self::shown::HandleMeaning;
pub(in crate::replay) use self::writers::Writers;

pub use at_hand::AtHand;
pub use bindings_at::{Bindings, WrittenStretch};
pub use build::IndexBuilder;
pub use checkpoints::{CheckpointPlan, PartCheckpoint};
pub use contents::{ContentOrigin, ContentPlace, ContentStretch, subresource_bytes};
pub use dead_writes::{DeadWrite, UnusedTarget, WrittenInVain};
pub use device_slice::{DeviceSlice, PartCopies, Wanted};
pub use drawn_to::{DrawnTo, NamedTarget};
pub use drawn_with::DrawnWith;
pub use frame_contents::FrameContents;
pub use frame_passes::{FramePasses, IndexedPass, PassId, PassKind};
pub use intervals::Intervals;
pub use pass_links::{LinkedPasses, PassLinks, PassRead, PassUse, PassWrite, WriteFate};
pub use read_targets::ReadTarget;
pub use resolve::{Resolved, Unresolved};
pub(super) use resolved_command::readable_bytes;
pub use resolved_command::{CommandNumber, ResolvedCommand};
pub use slice::{Slice, SliceTarget, WatchedParts, WatchedSince};
pub use unread::UnreadUpload;
pub use vertex_count::DrawOverBudget;

use std::collections::BTreeSet;
use std::ops::Range;

use self::graph::Graph;
use self::labels::Labels;
use self::part_history::PartHistory;
use self::steps::Steps;
use crate::command::{Location, SubmissionPlace, VertexLayout};
use crate::error::{ErrorKind, Internal};
use crate::format::aerogpu::{BlobCatalog, FrameIndex};
use crate::replay::census::Census;
use crate::replay::d3d::ObjectKey;
use crate::replay::{FaultSubject, FaultSummary, FrameMemory, MissingObjects, ReplayError};

/// The index of a trace.
#[derive(Debug)]
pub struct TraceIndex {
    /// Every command, in file order.
    steps: Steps,
    /// Number of the first command of each frame; one more at the end.
    frame_starts: Vec<u32>,
    /// By frame of a trimmed trace, how many of its first commands are of frames that were left out; of the last ones none.
    carried: Vec<u32>,
    /// The first command of no submission.
    first_unsubmitted: Option<CommandNumber>,
    /// Vertices drawn by the frame that draws most.
    most_vertices: u64,
    /// The CREATE_BUFFERs after which more bytes of buffers exist than ever before, and how many.
    peaks: Vec<(CommandNumber, u64)>,
    /// Every blob up to the end of the last frame.
    catalog: BlobCatalog,
    /// What ended the index before the last frame.
    stop: Option<IndexStop>,
    /// The commands of submissions, and who wrote which parts of which objects.
    graph: Graph,
    /// Where commands of another submission, or of none, begin.
    submissions: Vec<SubmissionStart>,
    /// The first frame with something wrong outside of submissions.
    first_unsubmitted_fault: Option<FrameIndex>,
    /// What is wrong, in file order, as far as it is kept.
    faults: Vec<TraceFault>,
    faults_dropped: u64,
    fault_summary: FaultSummary,
    /// Objects that are used and never created.
    missing: MissingObjects,
    /// Counts of objects, draws and presents.
    census: Census,
    /// Names that markers give resources.
    labels: Labels,
}

/// Where commands of another submission begin, or of none.
#[derive(Clone, Copy, Debug)]
struct SubmissionStart {
    /// The number of the first.
    first: u32,
    place: Option<SubmissionPlace>,
    /// Absolute file offset of the record that carries the submission.
    record: u64,
}

/// A submission that has commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexedSubmission {
    /// Which one of its frame it is, and for whom.
    pub place: SubmissionPlace,
    /// Absolute file offset of the record that carries it: an AerogpuSubmission, or a Packet record that holds a stream.
    pub record: u64,
    /// Its first command.
    pub first: CommandNumber,
}

/// Something wrong in the trace. The index goes on behind the command, its submission, its record or its frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFault {
    /// The command; of a record, where the next one would be.
    pub at: Location,
    /// What is wrong.
    pub message: String,
    /// Absolute file offset of what is wrong, if it has a place.
    pub offset: Option<u64>,
    /// The kind of trouble.
    pub kind: ErrorKind,
    /// The part of the trace that is not carried out.
    pub subject: FaultSubject,
    /// Whether the rest of its submission is not carried out.
    pub ends_submission: bool,
}

impl TraceFault {
    /// Counts it among others.
    pub fn count_in(&self, summary: &mut FaultSummary) {
        summary.add_told(self.subject, self.at, (self.kind, self.offset, &self.message));
    }
}

/// A vertex buffer and how its vertices lie in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundBuffer {
    /// The CREATE_BUFFER.
    pub create: CommandNumber,
    pub size_bytes: u32,
    pub layout: VertexLayout,
}

/// The frame that is the first not to be in the index, since the file cannot be read there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexStop {
    /// The frame that cannot be read.
    pub frame: FrameIndex,
    /// What is wrong in it.
    pub message: String,
    /// Absolute file offset of what is wrong, if it has a place.
    pub offset: Option<u64>,
    /// The kind of trouble.
    pub kind: ErrorKind,
}

impl TraceIndex {
    /// How many frames are in the index.
    pub fn frame_count(&self) -> usize {
        self.frame_starts.len().saturating_sub(1)
    }

    /// Why the index ends before the trace does.
    pub fn stop(&self) -> Option<&IndexStop> {
        self.stop.as_ref()
    }

    /// The blobs of the indexed frames.
    pub fn catalog(&self) -> &BlobCatalog {
        &self.catalog
    }

    /// The numbers of a frame's commands, if it is in the index.
    pub fn commands_of(&self, frame: FrameIndex) -> Option<Range<u32>> {
        let start = *self.frame_starts.get(frame.as_usize())?;
        Some(start..*self.frame_starts.get(frame.as_usize() + 1)?)
    }

    /// The numbers of a frame's commands, none if it is not in the index.
    pub(super) fn numbers_of(&self, frame: FrameIndex) -> Range<u32> {
        // silent: who asks for a frame's commands has asked whether there is such a frame
        self.commands_of(frame).unwrap_or_default()
    }

    /// How many of a frame's first commands were put there from frames that were not kept, if the trace is a trimmed one.
    pub(super) fn carried_by(&self, frame: FrameIndex) -> u32 {
        let carried = self.carried.get(frame.as_usize()).copied().unwrap_or(0);
        self.commands_of(frame).map_or(0, |own| carried.min(own.end - own.start))
    }

    /// The numbers of the commands that were a frame's own before others were put before them, if it is in the index.
    pub(super) fn first_own_commands_of(&self, frame: FrameIndex) -> Option<Range<u32>> {
        let own = self.commands_of(frame)?;
        Some(own.start + self.carried_by(frame)..own.end)
    }

    /// How many commands are in the index.
    pub fn command_count(&self) -> u32 {
        self.steps.len() as u32
    }

    /// What a command means.
    #[inline]
    pub fn command(&self, number: CommandNumber) -> Option<ResolvedCommand> {
        self.steps.get(number.0)
    }

    /// Where a command stands.
    pub fn location(&self, number: CommandNumber) -> Option<Location> {
        let offset = self.steps.offset(number.0)?;
        let frame = self.frame_starts.partition_point(|start| *start <= number.0).checked_sub(1)?;
        let packet = number.0 - self.frame_starts.get(frame)?;
        let submission = self.submission_of(number).map(|submission| submission.place);
        Some(Location { offset, frame: FrameIndex(frame as u32), packet, submission })
    }

    /// The submission that carries out a command, if one does.
    pub fn submission_of(&self, number: CommandNumber) -> Option<IndexedSubmission> {
        let at = self.submissions.partition_point(|start| start.first <= number.0).checked_sub(1)?;
        let SubmissionStart { first, place, record } = *self.submissions.get(at)?;
        Some(IndexedSubmission { place: place?, record, first: CommandNumber(first) })
    }

    /// The screen that a command of a submission shows a target on, if it does.
    pub(super) fn scanout_of(&self, number: CommandNumber) -> Option<u32> {
        self.graph.scanout_of(number.0)
    }

    /// How many references and accesses the graph of submissions' commands has, and the bytes that it takes with the
    /// histories of parts. Commands that share their references count each of them.
    pub fn edges(&self) -> Result<(u64, u64), Internal> {
        let submitted = self.steps_in(0..self.command_count())?.filter_map(|(number, step)| match step {
            ResolvedCommand::Submitted { node, .. } => Some((node, number)),
            _ => None,
        });
        let edges = submitted.map(|(node, number)| self.graph.nodes().edges(node, number)).sum::<Result<u64, _>>()?;
        Ok((edges, self.graph.size_bytes()))
    }

    /// What is wrong, in file order, and how much more is.
    pub fn faults(&self) -> (&[TraceFault], u64) {
        (&self.faults, self.faults_dropped)
    }

    /// What is wrong in a frame, in file order, as far as it is kept.
    pub fn faults_of(&self, frame: FrameIndex) -> &[TraceFault] {
        let start = self.faults.partition_point(|fault| fault.at.frame < frame);
        let end = self.faults.partition_point(|fault| fault.at.frame <= frame);
        // silent: both ends are found in the list itself, the second no earlier than the first
        self.faults.get(start..end).unwrap_or_default()
    }

    /// All that is wrong, counted by kind.
    pub fn fault_summary(&self) -> &FaultSummary {
        &self.fault_summary
    }

    /// What is wrong up to the end of a frame, counted by kind.
    pub fn faults_until(&self, last: FrameIndex) -> FaultSummary {
        if last.as_usize() + 1 >= self.frame_count() {
            return self.fault_summary.clone();
        }
        let mut until = FaultSummary::default();
        let kept = self.faults.iter().take_while(|fault| fault.at.frame <= last);
        kept.for_each(|fault| fault.count_in(&mut until));
        until
    }

    /// The objects and pictures of the frames in the index.
    pub fn census(&self) -> &Census {
        &self.census
    }

    /// Objects that the trace uses and never creates.
    pub fn missing_objects(&self) -> &MissingObjects {
        &self.missing
    }

    /// The first frame with something wrong outside of submissions, behind which a strict player does not go.
    pub fn first_unsubmitted_fault(&self) -> Option<FrameIndex> {
        self.first_unsubmitted_fault
    }

    /// Returns the fault of the command at a place, if it has one that is kept.
    pub fn fault_at(&self, at: Location) -> Option<&TraceFault> {
        let place = |at: &Location| (at.frame, at.packet);
        let first = self.faults.partition_point(|fault| place(&fault.at) < place(&at));
        // A submission that is refused as a whole has the place of the next command.
        let mut there = self.faults.iter().skip(first).take_while(|fault| place(&fault.at) == place(&at));
        there.find(|fault| fault.at == at)
    }

    /// The first command of a submission, if any has one.
    pub fn first_submission(&self) -> Option<CommandNumber> {
        self.submissions.iter().find(|start| start.place.is_some()).map(|start| CommandNumber(start.first))
    }

    /// The first command of no submission, if there is one.
    pub fn first_unsubmitted(&self) -> Option<CommandNumber> {
        self.first_unsubmitted
    }

    /// The contexts that have commands, by id, in the order in which they come up.
    pub fn contexts(&self) -> impl Iterator<Item = u32> {
        let mut known = BTreeSet::new();
        let ids = self.submissions.iter().filter_map(|start| Some(start.place?.context()));
        ids.filter(move |id| known.insert(*id))
    }

    /// The lowest context that no command of a submission changes.
    pub fn unused_context(&self) -> u32 {
        let places = self.submissions.iter().filter_map(|start| start.place);
        let used: BTreeSet<u32> = places.map(SubmissionPlace::context).collect();
        // There are fewer submissions than contexts, and the packets of a record belong to the first.
        (1..u32::MAX).find(|context| !used.contains(context)).unwrap_or(u32::MAX)
    }

    /// Whether any command of a frame is one of a submission.
    pub fn is_submitted(&self, frame: FrameIndex) -> bool {
        let is_submitted =
            |step: &ResolvedCommand| matches!(step, ResolvedCommand::Submitted { .. } | ResolvedCommand::Skipped);
        self.commands_of(frame).is_some_and(|own| self.numbers_in(own, is_submitted).next().is_some())
    }

    /// Where a command stands that has to be in the index.
    pub fn require_location(&self, number: CommandNumber) -> Result<Location, Internal> {
        self.location(number).ok_or(Internal::new("the index does not have a requested command"))
    }

    /// What a command means that has to be in the index.
    #[inline]
    pub fn require_step(&self, number: CommandNumber) -> Result<ResolvedCommand, Internal> {
        self.command(number).ok_or(Internal::new("the index does not have a command that another refers to"))
    }

    /// The numbers of a frame's draws, in order.
    pub fn draws_of(&self, frame: FrameIndex) -> impl Iterator<Item = CommandNumber> {
        self.numbers_in(self.numbers_of(frame), |step| step.is_draw())
    }

    /// The numbers in `range` whose commands `wanted` picks.
    pub fn numbers_in(
        &self,
        range: Range<u32>,
        wanted: impl Fn(&ResolvedCommand) -> bool,
    ) -> impl Iterator<Item = CommandNumber> {
        let steps = self.steps.range(range).into_iter().flatten();
        steps.filter(move |(_, step)| wanted(step)).map(|(number, _)| CommandNumber(number))
    }

    /// Refuses the commands before `end` if more buffers than `memory` has room for exist at any time before it, as carrying
    /// all of them out would.
    pub fn check_memory(&self, end: u32, memory: FrameMemory) -> Result<(), ReplayError> {
        let first = self.peaks.partition_point(|(_, bytes)| memory.refusal(*bytes).is_none());
        let first = self.peaks.get(first).filter(|(number, _)| number.0 < end);
        match first.and_then(|(number, found)| Some((*number, memory.refusal(*found)?))) {
            Some((number, problem)) => {
                let at = self.require_location(number)?;
                Err(ReplayError::Command { command: "CREATE_BUFFER", at, problem })
            }
            None => Ok(()),
        }
    }

    /// Breaks the index on purpose: the command with the number means something else.
    #[cfg(test)]
    pub(super) fn break_step(&mut self, number: u32, step: ResolvedCommand) {
        self.steps.break_meaning(number, step);
    }

    /// Breaks the index on purpose: the command with the number stands elsewhere.
    #[cfg(test)]
    pub(super) fn break_offset(&mut self, number: u32, offset: u64) {
        self.steps.break_offset(number, offset);
    }

    /// Breaks the index on purpose: the last frame ends after so many commands.
    #[cfg(test)]
    pub(super) fn break_end(&mut self, end: u32) {
        *self.frame_starts.last_mut().unwrap() = end;
    }

    /// Breaks the index on purpose: it has no blobs.
    #[cfg(test)]
    pub(super) fn break_catalog(&mut self) {
        self.catalog = BlobCatalog::new();
    }

    /// Breaks the index on purpose: nothing is known of what was written.
    #[cfg(test)]
    pub(super) fn break_histories(&mut self) {
        self.graph.break_histories();
    }

    /// The commands of `range`, which has to be in the index, with their numbers.
    fn steps_in(&self, range: Range<u32>) -> Result<impl DoubleEndedIterator<Item = (u32, ResolvedCommand)>, Internal> {
        let steps = self.steps.range(range);
        steps.ok_or(Internal::new("the index does not have the requested commands"))
    }

    /// Who wrote which parts of an object; nothing of one that nobody wrote.
    fn history(&self, object: ObjectKey) -> Result<Option<&PartHistory>, Internal> {
        match object.creation().map(|number| self.require_step(CommandNumber(number))).transpose()? {
            Some(ResolvedCommand::CreateBuffer { history, .. }) => self.graph.numbered_history(history).map(Some),
            _ => self.graph.history(object),
        }
    }

    /// The bytes of a buffer that a draw of no submission can read.
    fn bytes_read_by(&self, step: ResolvedCommand) -> Result<Option<(ObjectKey, Range<u32>)>, Internal> {
        match step {
            ResolvedCommand::Draw { vertex_count, first_vertex, vertices, .. } => {
                let bound = vertices.number().map(|set| self.bound_buffer(set)).transpose()?;
                Ok(bound.map(|BoundBuffer { create, size_bytes, layout }| {
                    let bytes = readable_bytes(&layout, first_vertex, vertex_count, size_bytes);
                    (ObjectKey::made_by(create.0), bytes)
                }))
            }
            _ => Ok(None),
        }
    }

    /// The CREATE_SHADERs of the pipeline that the SET_PIPELINE with the number `set` chooses.
    pub(super) fn shaders_of(&self, set: CommandNumber) -> Result<[CommandNumber; 2], Internal> {
        let ResolvedCommand::SetPipeline { create } = self.require_step(set)? else {
            return Err(Internal::new("a draw's pipeline is set by another command than SET_PIPELINE"));
        };
        match self.require_step(create)? {
            ResolvedCommand::CreatePipeline { vertex, fragment } => Ok([vertex, fragment]),
            _ => Err(Internal::new("a pipeline is set that no CREATE_PIPELINE makes")),
        }
    }

    /// What the SET_VERTEX_BUFFER with the number `set` binds.
    pub(super) fn bound_buffer(&self, set: CommandNumber) -> Result<BoundBuffer, Internal> {
        let ResolvedCommand::SetVertexBuffer { create, layout } = self.require_step(set)? else {
            return Err(Internal::new("a draw's vertices are set by another command than SET_VERTEX_BUFFER"));
        };
        match self.require_step(create)? {
            ResolvedCommand::CreateBuffer { size_bytes, .. } => Ok(BoundBuffer { create, size_bytes, layout }),
            _ => Err(Internal::new("a buffer is bound that no CREATE_BUFFER makes")),
        }
    }
}
