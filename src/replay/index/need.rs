//! The fewest earlier commands that a frame needs: a walk backwards from what it reads and shows, which takes each command
//! once, the last one first.
//!
//! What a command refers to stands before it, and so does who wrote what it reads. So when the walk comes to a command, all
//! that could need it was taken already; and each question to an object's history is of an earlier moment than the last.

use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::TraceIndex;
use super::asked::Asked;
use super::at_hand::AtHand;
use super::checkpoints::{CheckpointPlan, PartCheckpoint};
use super::intervals::Intervals;
use super::marks::{Marks, Needed};
use super::part_history::Written;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::error::Internal;
use crate::replay::d3d::{AccessKind, ContextNumber, GuestHandle, ObjectKey};

/// Collects what is needed.
pub(super) struct Need<'a> {
    index: &'a TraceIndex,
    /// What it is needed for, ascending.
    own: &'a [Range<u32>],
    /// From here on all are own: the start of the last range.
    own_start: u32,
    marks: Marks,
    /// By object: the parts that were asked for where the walk is.
    asked: HashMap<ObjectKey, Asked<'a>>,
    /// Writes that are being taken in.
    found: Vec<Written>,
    /// Parts that show through a write that is needed: the command's number, the object, the parts. The last one comes first.
    showing: BinaryHeap<(u32, ObjectKey, u32, u32)>,
    /// The CLEAR that ended the way through the implicit target.
    cleared_by: Option<CommandNumber>,
    /// Handles that commands that are needed give a meaning, or end it.
    handles: HashSet<GuestHandle>,
    /// Commands that are needed and set handles which have meant something else before.
    sets: HashMap<GuestHandle, Vec<u32>>,
    /// Ends of names that a command refers to.
    ends: HashSet<u32>,
    /// By context: after how many settings the render states were needed last.
    render_states: HashMap<ContextNumber, usize>,
    /// Copies of parts that are at hand.
    plan: &'a CheckpointPlan,
    /// Those that are used, by their number in the plan.
    restored: Vec<usize>,
    /// What a GPU holds already.
    at_hand: Option<&'a AtHand>,
    /// Whether what is needed is to be carried out without the rest.
    is_carried_out: bool,
}

impl TraceIndex {
    /// What the commands of all the ranges `own`, which are ascending, need together of those that are in none of them,
    /// ascending, with what those among `own` owe it to that are refused: whoever carries out all of `own` anew, and not
    /// only what the index lets through, finds the same ones refused.
    ///
    /// That is more than the slices of each have: where two of them need objects that had one handle in turn, it has to be
    /// taken in between. What led to the picture of the implicit target is only in the slices.
    pub fn earlier_of_all(&self, own: &[Range<u32>]) -> Result<Vec<CommandNumber>, Internal> {
        let plan = CheckpointPlan::default();
        let mut need = Need::of(self, own, &plan)?;
        for (number, causes) in own.iter().flat_map(|own| self.graph.refusals(own.clone())) {
            causes?.iter().try_for_each(|cause| need.refer(number, *cause))?;
        }
        need.earlier()
    }

    /// The allocation of guest memory that a command of a submission names, if it names one.
    pub fn allocation_of(&self, number: CommandNumber) -> Option<u32> {
        self.graph.allocation(number.0)
    }

    /// The lowest screen that anything is presented to by submissions.
    pub fn lowest_scanout(&self) -> Option<u32> {
        self.graph.lowest_scanout()
    }

    /// The present whose picture is shown after the command before `end`: the last to the lowest screen.
    pub fn shown_before(&self, end: u32) -> Option<CommandNumber> {
        self.shown_on(self.graph.lowest_scanout()?, end)
    }
}

impl<'a> Need<'a> {
    /// What the commands `own` need, which are ascending, and what they show of submissions on the lowest screen.
    pub(super) fn of(index: &'a TraceIndex, own: &'a [Range<u32>], plan: &'a CheckpointPlan) -> Result<Self, Internal> {
        Self::of_screen(index, own, plan, index.lowest_scanout())
    }

    /// The same, of what they show on another screen.
    pub(super) fn of_screen(
        index: &'a TraceIndex,
        own: &'a [Range<u32>],
        plan: &'a CheckpointPlan,
        scanout: Option<u32>,
    ) -> Result<Self, Internal> {
        let mut need = Self::of_nothing(index, plan);
        (need.own, need.own_start) = (own, own.last().map_or(u32::MAX, |own| own.start));
        for own in own {
            index.steps_in(own.clone()).map(|_| ())?;
            // They stand as they are, so whatever they refer to must exist.
            need.marks.need_all(own.clone(), Needed::Work)?;
            let shown = match scanout {
                Some(scanout) => index.shown_on(scanout, own.end),
                None => None,
            };
            if let Some(present) = shown {
                need.command(present.0, Needed::Writes)?;
            }
        }
        Ok(need)
    }

    /// Needs nothing yet.
    pub(super) fn of_nothing(index: &'a TraceIndex, plan: &'a CheckpointPlan) -> Self {
        Self {
            index,
            own: &[],
            own_start: u32::MAX,
            marks: Marks::default(),
            asked: HashMap::new(),
            found: Vec::new(),
            showing: BinaryHeap::new(),
            cleared_by: None,
            handles: HashSet::new(),
            sets: HashMap::new(),
            ends: HashSet::new(),
            render_states: HashMap::new(),
            plan,
            restored: Vec::new(),
            at_hand: None,
            is_carried_out: true,
        }
    }

    /// The same, to tell what makes a difference where it stands, and not to carry that out without the rest.
    pub(super) fn of_inputs(index: &'a TraceIndex, plan: &'a CheckpointPlan) -> Self {
        Self { is_carried_out: false, ..Self::of_nothing(index, plan) }
    }

    /// Begins with what a GPU holds already. To be called before anything else is needed than the own commands.
    pub(super) fn begin_with(&mut self, at_hand: &'a AtHand) {
        self.at_hand = Some(at_hand);
    }

    /// Needs a command.
    pub(super) fn command(&mut self, number: u32, what: Needed) -> Result<(), Internal> {
        self.marks.need(number, what)
    }

    /// Needs what these commands write to be what the trace says, seen or not, and so what they test and write over.
    pub(super) fn all_written(&mut self, own: Range<u32>) -> Result<(), Internal> {
        self.marks.need_all(own.clone(), Needed::Writes)?;
        let nodes = self.index.graph.nodes();
        for (number, step) in self.index.steps_in(own)? {
            if let ResolvedCommand::Submitted { node, .. } = step {
                let modified = nodes.accesses(node)?.filter(|access| access.kind == AccessKind::Modify);
                self.showing.extend(modified.map(|access| (number, access.object, access.start, access.end)));
            }
        }
        Ok(())
    }

    /// The command `number` refers to another.
    #[inline]
    pub(super) fn refer(&mut self, number: u32, reference: u32) -> Result<(), Internal> {
        if reference >= number {
            return Err(Internal::new("a command refers to one that does not precede it"));
        }
        if reference >= self.own_start || self.marks.has(reference) {
            return Ok(());
        }
        self.refer_to_new(reference)
    }

    fn refer_to_new(&mut self, reference: u32) -> Result<(), Internal> {
        // An end of a name matters only to what had the name, and that is known last.
        let names = self.index.graph.names();
        if names.is_end(reference) {
            self.ends.insert(reference);
            self.handles.extend(names.changed_by(reference));
            return Ok(());
        }
        self.marks.need(reference, Needed::Meaning)
    }

    /// Needs what parts of an object hold before the command with the number `before`.
    pub(super) fn parts(&mut self, object: ObjectKey, parts: Range<u32>, before: u32) -> Result<(), Internal> {
        let asked = match self.asked.entry(object) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => match self.index.history(object)? {
                Some(history) => new.insert(Asked::before(history, before)),
                // All of it is as it was made.
                // silent: nobody has written it
                None => return Ok(()),
            },
        };
        let mut found = std::mem::take(&mut self.found);
        asked.ask(parts, before, &mut found)?;
        let has_copies = self.plan.has(object);
        let at_hand = self.at_hand.filter(|at_hand| at_hand.has(object));
        for written in found.drain(..) {
            match at_hand {
                // What is carried out anyway is not at hand before its turn.
                Some(at_hand) if written.by.number() < self.own_start => {
                    for missing in missing(at_hand, object, &written) {
                        self.written_or_copied(object, missing, has_copies, before)?;
                    }
                }
                _ => self.written_or_copied(object, written, has_copies, before)?,
            }
        }
        self.found = found;
        Ok(())
    }

    /// Needs what parts of an object hold before the own command with the number `before`, once the walk comes to it.
    pub(super) fn parts_when_reached(&mut self, object: ObjectKey, parts: Range<u32>, before: u32) {
        self.showing.push((before, object, parts.start, parts.end));
    }

    fn written_or_copied(
        &mut self,
        object: ObjectKey,
        written: Written,
        has_copies: bool,
        before: u32,
    ) -> Result<(), Internal> {
        match has_copies {
            true => self.written_since_copies(object, written, before),
            false => self.written(object, written),
        }
    }

    /// Needs a write, or a copy that was taken since.
    fn written_since_copies(
        &mut self,
        object: ObjectKey,
        Written { parts, by }: Written,
        before: u32,
    ) -> Result<(), Internal> {
        // Each part of a texture has a copy of its own.
        let is_buffer = self.index.graph.part_sizes(object).is_some_and(|sizes| sizes.is_buffer());
        let stretches: Vec<_> = match is_buffer {
            true => vec![parts],
            false => parts.map(|part| part..part + 1).collect(),
        };
        for parts in stretches {
            match self.plan.last_of(object, &parts, by.number().saturating_add(1)..before.saturating_add(1)) {
                Some(copy) => {
                    self.restored.push(copy);
                    self.asked.entry(object).and_modify(|asked| asked.forget(parts));
                }
                None => self.written(object, Written { parts, by })?,
            }
        }
        Ok(())
    }

    /// Needs a write, and what shows through it.
    fn written(&mut self, object: ObjectKey, Written { parts, by }: Written) -> Result<(), Internal> {
        if by.is_partial() {
            self.showing.push((by.number(), object, parts.start, parts.end));
        }
        self.marks.need(by.number(), Needed::Writes)
    }

    /// Needs what the implicit target holds before the command with the number `before`. Its history is the commands
    /// themselves, of which most write it.
    pub(super) fn target(&mut self, before: u32) -> Result<(), Internal> {
        self.target_within(before, usize::MAX)
    }

    /// Needs that much for somebody who [counts](Self::count_before) no more than `most` commands.
    pub(super) fn target_within(&mut self, before: u32, most: usize) -> Result<(), Internal> {
        self.canvas_shown(before)?;
        let copy = self.plan.last_of(ObjectKey::TARGET, &(0..1), 0..before.saturating_add(1));
        let copy = copy.map(|copy| Ok::<_, Internal>((copy, self.plan.get(copy)?.at))).transpose()?;
        let first = self.index.first_unsubmitted.map_or(before, |first| first.0.min(before));
        let from = copy.map_or(first, |(_, at)| at.0.max(first));
        let steps = self.index.steps_in(from..before)?.rev();
        let mut earlier = 0;
        for (number, kind) in steps.filter_map(|(number, step)| step.target_access().map(|kind| (number, kind))) {
            if number < self.own_start {
                self.marks.need(number, Needed::Work)?;
                earlier += 1;
                if earlier > most {
                    return Ok(());
                }
            }
            if kind == AccessKind::Write {
                self.cleared_by = Some(CommandNumber(number));
                return Ok(());
            }
        }
        self.restored.extend(copy.map(|(copy, _)| copy));
        Ok(())
    }

    /// Needs what has shown the implicit target last, where submissions may have presented something before it.
    fn canvas_shown(&mut self, before: u32) -> Result<(), Internal> {
        if self.index.first_submission().is_none() {
            return Ok(());
        }
        match self.index.canvas_shown_before(before)?.filter(|shown| shown.0 < self.own_start) {
            Some(shown) => self.marks.need(shown.0, Needed::Work),
            None => Ok(()),
        }
    }

    /// The CLEAR that everything of the implicit target that is needed follows, once all is known.
    pub(super) fn cleared_by(&self) -> Option<CommandNumber> {
        self.cleared_by
    }

    /// What is needed besides the own commands, ascending.
    pub(super) fn earlier(&mut self) -> Result<Vec<CommandNumber>, Internal> {
        self.count_before(0, 0)?;
        let is_own = |number: &u32| {
            let behind = self.own.partition_point(|own| own.end <= *number);
            self.own.get(behind).is_some_and(|own| own.contains(number))
        };
        Ok(self.marks.numbers().filter(|number| !is_own(number)).map(CommandNumber).collect())
    }

    /// Takes all that is needed, and counts what is before the command `end`; `None` for more than `most`, where the walk ends.
    pub(super) fn count_before(&mut self, end: u32, most: usize) -> Result<Option<usize>, Internal> {
        let mut count = 0;
        loop {
            self.marks.rewind();
            while let Some((number, what)) = self.marks.take_last() {
                count += usize::from(number < end);
                if count > most {
                    return Ok(None);
                }
                self.look_at(number, what)?;
            }
            if !self.end_names()? {
                return Ok(Some(count));
            }
        }
    }

    /// Needed commands from `start` on, ascending, but for ends of names.
    pub(super) fn from(mut self, start: u32) -> Result<Vec<CommandNumber>, Internal> {
        let mut taken = Vec::new();
        self.marks.rewind();
        while let Some((number, what)) = self.marks.take_last() {
            if number < start {
                break;
            }
            self.look_at(number, what)?;
            taken.push(CommandNumber(number));
        }
        taken.reverse();
        Ok(taken)
    }

    /// The copies that take the place of commands, once all is known.
    pub(super) fn restored(mut self) -> Result<Vec<PartCheckpoint>, Internal> {
        self.restored.sort_unstable();
        self.restored.dedup();
        self.restored.iter().map(|number| self.plan.get(*number).cloned()).collect()
    }

    /// Needs what a command needs.
    #[inline]
    fn look_at(&mut self, number: u32, what: Needed) -> Result<(), Internal> {
        let index = self.index;
        while let Some(&(writer, object, start, end)) = self.showing.peek()
            && writer == number
        {
            self.showing.pop();
            self.parts(object, start..end, number)?;
        }
        let step = index.require_step(CommandNumber(number))?;
        if let ResolvedCommand::Submitted { node, .. } = step {
            return self.look_at_node(number, node, what);
        }
        for reference in step.references() {
            self.refer(number, reference.0)?;
        }
        match index.bytes_read_by(step)? {
            Some((buffer, bytes)) if what != Needed::Meaning => self.parts(buffer, bytes, number),
            _ => Ok(()),
        }
    }

    fn look_at_node(&mut self, number: u32, node: u32, what: Needed) -> Result<(), Internal> {
        let graph = &self.index.graph;
        let names = graph.names();
        self.handles.extend(names.changed_by(number));
        for handle in names.set_by(number) {
            self.handles.insert(handle);
            self.sets.entry(handle).or_default().push(number);
        }
        let nodes = graph.nodes();
        for reference in nodes.references(node)? {
            self.refer(number, reference)?;
        }
        if self.is_carried_out {
            for with in graph.carried_with(number) {
                self.refer(number, with)?;
            }
        }
        if let Some((context, count)) = nodes.render_states(node, number)? {
            match self.render_states.insert(context, count) {
                // The walk goes backwards, so that most are needed already.
                Some(last) if last >= count => {
                    for setter in nodes.setters_replaced(context, count..last)? {
                        self.refer(number, setter)?;
                    }
                }
                _ => {
                    for setter in nodes.setters(context, count)? {
                        self.refer(number, setter)?;
                    }
                }
            }
        }
        for access in nodes.accesses(node)? {
            let counts = match access.kind {
                AccessKind::Read => what >= Needed::Work,
                AccessKind::Test => what == Needed::Writes,
                AccessKind::Modify | AccessKind::Write => false,
            };
            if counts {
                self.parts(access.object, access.parts(), number)?;
            }
        }
        Ok(())
    }

    /// Needs the ends of names without which a handle would still, or again, mean something that is needed; says whether
    /// there are any.
    fn end_names(&mut self) -> Result<bool, Internal> {
        let mut ends = Vec::new();
        self.sets.values_mut().for_each(|sets| sets.sort_unstable());
        for handle in &self.handles {
            let (has, refers) = (|number| self.marks.has(number), |number| self.ends.contains(&number));
            let sets = self.sets.get(handle).map_or(&[][..], Vec::as_slice);
            self.index.graph.names().needed_ends(*handle, has, refers, sets, |end| ends.push(end));
        }
        ends.retain(|end| !self.marks.has(*end));
        ends.iter().try_for_each(|end| self.marks.need(*end, Needed::Meaning))?;
        Ok(!ends.is_empty())
    }
}

/// What of a write is not at hand.
fn missing(at_hand: &AtHand, object: ObjectKey, Written { parts, by }: &Written) -> Vec<Written> {
    let mut held = Intervals::default();
    for stretch in at_hand.written_by(object, parts.clone(), by.number()) {
        held.insert(u64::from(stretch.start)..u64::from(stretch.end));
    }
    let missing = held.missing(u64::from(parts.start)..u64::from(parts.end));
    missing.map(|parts| Written { parts: parts.start as u32..parts.end as u32, by: *by }).collect()
}
