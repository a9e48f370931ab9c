//! Which events of a timeline an export writes.

use std::collections::{BTreeMap, BTreeSet};

use super::dump::select_events;
use super::events::List;
use super::export::ExportError;
use super::{ArgumentSource, Selection, Timeline, TrackId};

/// The events that a [`Selection`] shows, found once and asked for often: one bit for each event that could be shown.
#[derive(Clone, Debug, Default)]
pub struct SelectedEvents {
    /// `None` shows everything.
    lists: Option<BTreeMap<List, Bits>>,
}

#[derive(Clone, Debug, Default)]
struct Bits(Vec<u64>);

impl SelectedEvents {
    /// Every event.
    pub fn all() -> Self {
        Self::default()
    }

    /// What `selection` shows. Frames are the scale beside which all else is read: `selection` chooses them by their
    /// ticks, but doesn't filter them.
    ///
    /// # Errors
    /// The filter asks for arguments that can't be read again.
    pub fn of(
        timeline: &Timeline,
        source: &mut dyn ArgumentSource,
        selection: &Selection,
    ) -> Result<Self, ExportError> {
        if selection.is_all() {
            return Ok(Self::all());
        }
        let mut lists: BTreeMap<List, Bits> = BTreeMap::new();
        let mut show = |list, index| lists.entry(list).or_default().set(index);
        select_events(timeline, source, selection, |list, index, _| show(list, index))?;
        for (index, frame) in timeline.frames.iter().enumerate() {
            if selection.shows_ticks(frame.begin, frame.end) {
                show(List::Frames, index);
            }
        }
        Ok(Self { lists: Some(lists) })
    }

    /// Whether the event with `index` in `list` is shown.
    pub(super) fn has(&self, list: List, index: usize) -> bool {
        self.lists.as_ref().is_none_or(|lists| lists.get(&list).is_some_and(|bits| bits.get(index)))
    }

    /// Number of spans, instants, steps and samples that are shown.
    pub fn event_count(&self, timeline: &Timeline) -> usize {
        let Some(lists) = &self.lists else { return timeline.event_count() };
        lists.iter().filter(|(list, _)| list.track().is_some()).map(|(_, bits)| bits.count()).sum()
    }

    /// The tracks on which something is shown, and those above them.
    pub(super) fn tracks(&self, timeline: &Timeline) -> BTreeSet<TrackId> {
        let Some(lists) = &self.lists else { return timeline.tracks().map(|(id, _)| id).collect() };
        let own = lists.keys().filter_map(|list| list.track());
        let flows = timeline.flows.iter().enumerate().filter(|(index, _)| self.has(List::Flows, *index));
        let frames = timeline.frames.iter().enumerate().filter(|(index, _)| self.has(List::Frames, *index));
        let all = own.chain(flows.map(|(_, point)| point.track)).chain(frames.filter_map(|(_, frame)| frame.track));
        let mut tracks = BTreeSet::new();
        for id in all {
            let mut next = Some(id);
            while let Some(id) = next.filter(|id| tracks.insert(*id)) {
                next = timeline.track(id).and_then(|track| track.parent);
            }
        }
        tracks
    }
}

impl Bits {
    fn set(&mut self, index: usize) {
        if self.0.len() <= index / 64 {
            self.0.resize(index / 64 + 1, 0);
        }
        if let Some(word) = self.0.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn get(&self, index: usize) -> bool {
        self.0.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }
}
