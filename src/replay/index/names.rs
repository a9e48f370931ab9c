//! When handles were given a meaning, when that ended, and which commands set them.
//!
//! A slice leaves out most creations and most ends, so a handle may mean something in it that it no longer means in the
//! trace. That matters to whatever gives the handle a meaning again, to what owes it to the end that it is refused, and to
//! a SET of the handle: what it binds takes other bindings away, or decides a world, though nothing is drawn with it. What is
//! missing is the first command that takes away what the handle means in the slice.

use foldhash::HashMap;

use crate::replay::d3d::{GuestHandle, NameChange};

/// What happened to handles.
#[derive(Debug, Default)]
pub(super) struct Names {
    by_handle: HashMap<GuestHandle, Vec<NameEvent>>,
    /// By the number of the command that changes a handle's meaning.
    changes: HashMap<u32, NameChange>,
    /// Commands that set handles which have meant something else before, each with such a handle.
    sets: Vec<(u32, GuestHandle)>,
}

/// A change of a handle's meaning.
#[derive(Clone, Copy, Debug)]
struct NameEvent {
    number: u32,
    kind: EventKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventKind {
    Given,
    Replaced,
    Ended,
}

/// What became of the meaning of a handle, by the number of the command.
#[derive(Clone, Copy, Debug)]
pub(super) enum LastMeaning {
    Given(u32),
    Ended(u32),
}

/// What a handle means where a slice has carried out some of the commands.
#[derive(Clone, Copy, Debug, Default)]
struct InSlice {
    /// Whether it means something.
    is_live: bool,
    /// The first command that takes that away and is not among them.
    stale_since: Option<u32>,
    /// The first that ends it, since when it could be given a meaning again.
    waiting: Option<u32>,
}

impl NameChange {
    fn event(self) -> (GuestHandle, EventKind) {
        match self {
            Self::Given(handle) => (handle, EventKind::Given),
            Self::Replaced(handle) => (handle, EventKind::Replaced),
            Self::Taken(handle) => (handle, EventKind::Ended),
        }
    }
}

impl Names {
    /// The command with this number, the last of all, changes what a handle means.
    pub(super) fn change(&mut self, number: u32, change: NameChange) {
        let (handle, kind) = change.event();
        self.by_handle.entry(handle).or_default().push(NameEvent { number, kind });
        self.changes.insert(number, change);
    }

    /// The command with this number, the last of all, sets these handles, which have meant something else before.
    pub(super) fn set(&mut self, number: u32, handles: &[GuestHandle]) {
        self.sets.extend(handles.iter().map(|handle| (number, *handle)));
    }

    /// Forgets what commands from `number` on have done.
    pub(super) fn truncate(&mut self, number: u32) {
        self.by_handle.values_mut().for_each(|events| events.retain(|event| event.number < number));
        self.changes.retain(|changer, _| *changer < number);
        self.sets.truncate(self.sets.partition_point(|(at, _)| *at < number));
    }

    /// What became last of a handle before the command with the number `before`, if it has had a meaning.
    pub(super) fn last_before(&self, handle: GuestHandle, before: u32) -> Option<LastMeaning> {
        let events = self.by_handle.get(&handle)?;
        let count = events.partition_point(|event| event.number < before);
        let NameEvent { number, kind } = *events.get(count.checked_sub(1)?)?;
        Some(match kind {
            EventKind::Given | EventKind::Replaced => LastMeaning::Given(number),
            EventKind::Ended => LastMeaning::Ended(number),
        })
    }

    /// The handles of resources and views that have a meaning before the command with the number `before`, ascending, and
    /// the commands that gave it to them.
    pub(super) fn live_resources(&self, before: u32) -> Vec<(u32, u32)> {
        let given = |handle: &GuestHandle| match (*handle, self.last_before(*handle, before)?) {
            (GuestHandle::Resource(named), LastMeaning::Given(number)) => Some((named, number)),
            _ => None,
        };
        let mut names: Vec<_> = self.by_handle.keys().filter_map(given).collect();
        names.sort_unstable();
        names
    }

    /// The handle that a command gives a meaning, or whose meaning it ends.
    pub(super) fn changed_by(&self, number: u32) -> Option<GuestHandle> {
        self.changes.get(&number).map(|change| change.event().0)
    }

    /// The handles that a command sets and that have meant something else before.
    pub(super) fn set_by(&self, number: u32) -> impl Iterator<Item = GuestHandle> {
        let first = self.sets.partition_point(|(at, _)| *at < number);
        let sets = self.sets.iter().skip(first);
        sets.take_while(move |(at, _)| *at == number).map(|(_, handle)| *handle)
    }

    /// Whether a command ends the meaning of a handle.
    pub(super) fn is_end(&self, number: u32) -> bool {
        matches!(self.changes.get(&number), Some(NameChange::Taken(_)))
    }

    /// Which changes of a handle's meaning have to be carried out among commands that `has` picks, for what is given the
    /// handle among them, for those that `refers` to an end, and for those among them that set the handle: `sets`,
    /// ascending.
    pub(super) fn needed_ends(
        &self,
        handle: GuestHandle,
        has: impl Fn(u32) -> bool,
        refers: impl Fn(u32) -> bool,
        sets: &[u32],
        mut each: impl FnMut(u32),
    ) {
        let mut sets = sets.iter().copied().peekable();
        let mut state = InSlice::default();
        let events = self.by_handle.get(&handle).into_iter().flatten();
        for &NameEvent { number, kind } in events {
            while sets.next_if(|set| *set < number).is_some() {
                state.stale_since.into_iter().for_each(&mut each);
            }
            match kind {
                // What replaces a shader or a layout needs no end of the one before.
                EventKind::Given | EventKind::Replaced if has(number) => {
                    state.waiting.into_iter().filter(|_| needs_end(handle)).for_each(&mut each);
                    state = InSlice { is_live: true, ..InSlice::default() };
                }
                EventKind::Given => {}
                EventKind::Replaced => state.take_away(number),
                EventKind::Ended => {
                    state.take_away(number);
                    if std::mem::take(&mut state.is_live) {
                        state.waiting = Some(number);
                    }
                    // Where what had the handle last is not among them, the one before it must have ended.
                    if refers(number) {
                        state.waiting.take().into_iter().for_each(&mut each);
                    }
                    if has(number) {
                        state.stale_since = None;
                    }
                }
            }
        }
        if sets.next().is_some() {
            state.stale_since.into_iter().for_each(&mut each);
        }
    }
}

impl InSlice {
    /// A command that is not in the slice takes away what the handle means.
    fn take_away(&mut self, number: u32) {
        if self.is_live && self.stale_since.is_none() {
            self.stale_since = Some(number);
        }
    }
}

/// Whether what a handle means has to be ended before it can mean something else.
fn needs_end(handle: GuestHandle) -> bool {
    matches!(handle, GuestHandle::Resource(_))
}
