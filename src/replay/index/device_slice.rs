//! The slice of a frame of submissions that begins with what a GPU holds, and with copies of parts.

use std::collections::VecDeque;
use std::ops::Range;

use foldhash::HashSet;

use super::TraceIndex;
use super::at_hand::AtHand;
use super::checkpoints::{CheckpointPlan, PartCheckpoint};
use super::dry_run::{Carried, DryRun};
use super::need::Need;
use super::resolved_command::CommandNumber;
use super::slice::{Slice, SliceTarget};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::d3d::ObjectKey;

/// What has to be carried out to show a frame, or what parts of an object hold in it, and what it begins with.
#[derive(Clone, Debug)]
pub struct DeviceSlice {
    /// The commands.
    pub slice: Slice,
    /// Objects that a GPU must not hold when it begins, of those that it does.
    pub dropped: HashSet<ObjectKey>,
    /// Copies that take the place of what is held when their commands are due, in the order of these.
    pub restored: Vec<PartCheckpoint>,
    /// Copies that can be taken on the way, in the order of their commands.
    pub copied: Vec<PartCheckpoint>,
    /// What a GPU holds when all is done.
    pub after: AtHand,
    /// Objects that its commands make.
    made: HashSet<ObjectKey>,
}

impl DeviceSlice {
    /// Whether a command of it makes an object.
    pub fn uses(&self, object: ObjectKey) -> bool {
        self.made.contains(&object)
    }
}

/// The copies of parts of a trace.
#[derive(Clone, Copy, Debug)]
pub struct PartCopies<'a> {
    /// Those that are at hand.
    pub filled: &'a CheckpointPlan,
    /// Those that are worth taking.
    pub wanted: &'a CheckpointPlan,
}

/// What a slice is for, beside the frame's own commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// What is presented to this screen.
    pub scanout: Option<u32>,
    /// What these parts of an object hold, which need not be presented.
    pub parts: Option<(ObjectKey, Range<u32>)>,
}

/// What a way through the trace begins with.
struct Start<'a> {
    at_hand: &'a AtHand,
    dropped: HashSet<ObjectKey>,
    copies: PartCopies<'a>,
}

impl TraceIndex {
    /// The slice of a frame's commands up to `end` and of what is `wanted` then. It begins with what is `at_hand`, where
    /// nothing of it is of another time than it is wanted of.
    ///
    /// `None` if the frame is not in the index.
    pub fn slice_from(
        &self,
        frame: FrameIndex,
        end: u32,
        wanted: Wanted,
        at_hand: &AtHand,
        copies: PartCopies<'_>,
    ) -> Result<Option<DeviceSlice>, Internal> {
        // silent: a frame that is not in the index
        let Some(own) = self.commands_of(frame) else { return Ok(None) };
        let own = own.start..end.clamp(own.start, own.end);
        // Whatever draws on the picture itself is not among the objects.
        if self.first_unsubmitted.is_some() {
            return self.slice_from_nothing(frame, own, wanted).map(Some);
        }
        // Contexts are counted anew in each slice.
        let back_buffers = at_hand.objects().filter(|object| object.creation().is_none());
        let mut start = Start { at_hand, dropped: back_buffers.collect(), copies };
        loop {
            match self.try_slice(frame, &own, &wanted, &start)? {
                Tried::Right(slice) => return Ok(Some(*slice)),
                // They are made again, and all is looked for once more.
                Tried::Holds(objects) if !objects.is_empty() => start.dropped.extend(objects),
                Tried::Holds(_) => break,
            }
        }
        let nothing = CheckpointPlan::default();
        let dropped = at_hand.objects().collect();
        let start = Start { at_hand, dropped, copies: PartCopies { filled: &nothing, wanted: copies.wanted } };
        match self.try_slice(frame, &own, &wanted, &start)? {
            Tried::Right(slice) => Ok(Some(*slice)),
            Tried::Holds(_) => Err(Internal::new("a slice lacks something that its frame reads")),
        }
    }

    fn slice_from_nothing(
        &self,
        frame: FrameIndex,
        own: Range<u32>,
        Wanted { scanout, parts }: Wanted,
    ) -> Result<DeviceSlice, Internal> {
        let lost = Internal::new("a requested frame is not in the index");
        let slice = match (parts, scanout) {
            (Some((object, parts)), _) => self.slice_showing(frame, own.end, (object, &[parts]))?,
            (None, Some(scanout)) if self.lowest_scanout() != Some(scanout) => {
                self.slice_on_screen(frame, own.end, scanout)?
            }
            (None, _) => self.slice(frame, own.end, None)?.ok_or(lost)?,
        };
        let (restored, copied, after) = (Vec::new(), Vec::new(), AtHand::default());
        let (dropped, made) = (HashSet::default(), HashSet::default());
        Ok(DeviceSlice { slice, dropped, restored, copied, after, made })
    }

    fn try_slice(
        &self,
        frame: FrameIndex,
        own: &Range<u32>,
        Wanted { scanout, parts: shown }: &Wanted,
        start: &Start<'_>,
    ) -> Result<Tried, Internal> {
        let mut held = start.at_hand.clone();
        start.dropped.iter().for_each(|object| held.forget(*object));
        let mut need = Need::of_screen(self, std::slice::from_ref(own), start.copies.filled, *scanout)?;
        need.begin_with(&held);
        if let Some((object, parts)) = shown {
            need.parts(*object, parts.clone(), own.end)?;
        }
        let earlier = need.earlier()?;
        let mut restored = need.restored()?;
        restored.sort_by_key(|copy| copy.at);

        let present = scanout.and_then(|scanout| self.shown_on(scanout, own.end));
        let mut run = DryRun::new(self, held.clone());
        let first = earlier.first().map_or(own.start, |first| first.0);
        let wanted = start.copies.wanted.taken_in(first..own.end);
        let mut copies = Copies { restored: restored.iter().collect(), wanted: wanted.into(), copied: Vec::new() };
        let mut is_right = true;
        for number in &earlier {
            copies.pass(&mut run, number.0)?;
            is_right &= run.carry_out(*number, Carried::Earlier)? || Some(*number) != present;
        }
        copies.pass(&mut run, own.start)?;
        run.begin_own();
        for number in own.clone() {
            is_right &= run.carry_out(CommandNumber(number), Carried::Own)?;
        }
        if let Some((object, parts)) = shown {
            is_right &= run.held().is_as_in_trace(self, *object, parts.clone(), own.end)? || !run.held().has(*object);
        }
        if !is_right {
            return Ok(Tried::Holds(run.into_of_other_time()));
        }
        let copied = copies.copied;
        let slice = Slice { frame, earlier, own: own.clone(), target: SliceTarget::Black };
        let dropped = start.dropped.clone();
        let numbers = slice.earlier.iter().map(|number| number.0).chain(own.clone());
        let made = numbers.map(ObjectKey::made_by).collect();
        let after = run.into_held();
        Ok(Tried::Right(Box::new(DeviceSlice { slice, dropped, restored, copied, after, made })))
    }
}

/// What came of trying to carry out a slice.
enum Tried {
    /// All reads what it reads in the trace.
    Right(Box<DeviceSlice>),
    /// It does not; these objects are held and have something of another time.
    Holds(HashSet<ObjectKey>),
}

/// The copies on the way.
struct Copies<'a> {
    restored: VecDeque<&'a PartCheckpoint>,
    wanted: VecDeque<&'a PartCheckpoint>,
    copied: Vec<PartCheckpoint>,
}

impl Copies<'_> {
    /// The command with this number is next.
    fn pass(&mut self, run: &mut DryRun<'_>, number: u32) -> Result<(), Internal> {
        while let Some(copy) = self.restored.pop_front_if(|copy| copy.at.0 <= number) {
            run.restore(copy)?;
        }
        while let Some(copy) = self.wanted.pop_front_if(|copy| copy.at.0 <= number) {
            if run.can_copy(copy)? {
                self.copied.push(copy.clone());
            }
        }
        Ok(())
    }
}
