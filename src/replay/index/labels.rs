//! Names that markers give resources, over the whole trace.

use std::ops::Range;

use foldhash::HashMap;

use super::names::LastMeaning;
use super::{CommandNumber, TraceIndex};
use crate::command::Marker;
use crate::replay::d3d::GuestHandle;

/// Names that are kept; a trace of more has names for the first of them.
const MOST_LABELS: usize = 1 << 16;

/// Markers that name resources.
#[derive(Debug, Default)]
pub(super) struct Labels {
    by_handle: HashMap<u32, Vec<Label>>,
    /// The numbers of all markers, ascending, and the handles that they name.
    in_order: Vec<(u32, u32)>,
}

/// A marker that names a resource; without a text it takes the name away.
#[derive(Debug)]
struct Label {
    /// The number of the marker.
    number: u32,
    text: Box<str>,
}

impl Labels {
    /// Takes in the text of the marker with this number, the last of all.
    pub(super) fn mark(&mut self, number: u32, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        // silent: other markers are for whoever reads them
        let Marker::Name { resource, name } = Marker::parse(&text) else { return };
        if self.in_order.len() < MOST_LABELS {
            self.in_order.push((number, resource));
            self.by_handle.entry(resource).or_default().push(Label { number, text: name.into() });
        }
    }

    /// Forgets the markers from `number` on.
    pub(super) fn truncate(&mut self, number: u32) {
        self.by_handle.values_mut().for_each(|labels| labels.retain(|label| label.number < number));
        self.in_order.truncate(self.in_order.partition_point(|(known, _)| *known < number));
    }

    /// The last marker about a handle before the command with the number `end`.
    fn last_before(&self, handle: u32, end: u32) -> Option<&Label> {
        let labels = self.by_handle.get(&handle)?;
        labels.get(labels.partition_point(|label| label.number < end).checked_sub(1)?)
    }
}

impl TraceIndex {
    /// The name that a marker has given the resource of a handle before the command `end`, unless the handle has come to
    /// mean another one since.
    pub fn resource_name(&self, handle: u32, end: CommandNumber) -> Option<&str> {
        self.named_before(handle, end).map(|(_, label)| &*label.text)
    }

    /// The markers among `commands` whose names resources still have behind the last of these: of each the command that made
    /// the resource, and the marker.
    pub(in crate::replay) fn names_given_by(
        &self,
        commands: Range<u32>,
    ) -> impl Iterator<Item = (CommandNumber, CommandNumber)> {
        let place = |number: u32| self.labels.in_order.partition_point(|(known, _)| *known < number);
        // silent: between two frames in a row there are no markers
        let labels = self.labels.in_order.get(place(commands.start)..place(commands.end)).unwrap_or_default();
        labels.iter().filter_map(move |(number, handle)| {
            let (made, label) = self.named_before(*handle, CommandNumber(commands.end))?;
            (label.number == *number).then_some((made, CommandNumber(*number)))
        })
    }

    fn named_before(&self, handle: u32, end: CommandNumber) -> Option<(CommandNumber, &Label)> {
        let label = self.labels.last_before(handle, end.0).filter(|label| !label.text.is_empty())?;
        match self.graph.names().last_before(GuestHandle::Resource(handle), end.0)? {
            LastMeaning::Given(given) if given < label.number => Some((CommandNumber(given), label)),
            LastMeaning::Given(_) | LastMeaning::Ended(_) => None,
        }
    }

    /// The name before the command `end` of the resource that the command `created` made under a handle.
    pub fn name_of_created(&self, handle: u32, created: CommandNumber, end: CommandNumber) -> Option<&str> {
        match self.graph.names().last_before(GuestHandle::Resource(handle), end.0)? {
            LastMeaning::Given(given) if given == created.0 => self.resource_name(handle, end),
            LastMeaning::Given(_) | LastMeaning::Ended(_) => None,
        }
    }
}
