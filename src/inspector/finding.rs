//! Looking for a row of the events, in the background.

use std::sync::Arc;

use super::action::{Action, Direction, EventTarget};
use super::document::{Document, QuestionKind};
use super::events::marked_row;
use super::promise::Promise;
use crate::analysis::{self, FrameEvents, RowId};
use crate::command::{Location, Place};
use crate::listing::Filter;

/// A search that is on, if one is.
#[derive(Default)]
pub(super) struct Finding {
    promise: Option<Promise<Result<Option<EventTarget>, String>>>,
    /// The message if there is no such row.
    not_found: &'static str,
}

impl Finding {
    /// Looks for the next row that `filter` picks, from the one that is marked at the place; where none is, from the
    /// frame's start.
    pub(crate) fn next_match(
        &mut self,
        document: &Document,
        filter: Arc<Filter>,
        (selected, place): (Option<(RowId, Place)>, Place),
        direction: Direction,
    ) {
        self.not_found = "no further match";
        self.promise = document.ask(QuestionKind::Find, move |analysis, cancel| {
            let events = analysis.events(place.frame)?;
            let marked = marked_row(selected, &events, place).map(|row| events.id_of(row));
            let (direction, from) = match direction {
                Direction::Forward => (analysis::Direction::Forward, marked.or(RowId::last_before(place.frame))),
                Direction::Backward => (analysis::Direction::Backward, marked.or(Some(events.id_of(0)))),
            };
            let found = analysis.find_event(&filter, from, direction, |_| !cancel.is_set())?;
            let Some(RowId { frame, row }) = found else { return Ok(None) };
            let events = if frame == events.frame { events } else { analysis.events(frame)? };
            Ok(target(&events, row))
        });
    }

    /// Looks for the row of a command or record by its place: an offset names a row for each run of a stream.
    pub(crate) fn row_at(&mut self, document: &Document, at: Location) {
        self.not_found = "there is no packet or record at this place";
        self.promise = document.ask(QuestionKind::Find, move |analysis, _| {
            let events = analysis.events(at.frame)?;
            Ok(events.row_of(at).or(events.row_about(at.offset)).and_then(|row| target(&events, row)))
        });
    }

    /// Looks for the row that is about the bytes at a file offset.
    pub(crate) fn row_about(&mut self, document: &Document, offset: u64) {
        self.not_found = "there is no packet or record at this place";
        self.promise = document.ask(QuestionKind::Find, move |analysis, _| {
            let Some(RowId { frame, row }) = analysis.row_about(offset)? else { return Ok(None) };
            Ok(target(&analysis.events(frame)?, row))
        });
    }

    /// Takes what was found; what to say if nothing was.
    pub(crate) fn take(&mut self, actions: &mut Vec<Action>) -> Option<String> {
        let found = self.promise.as_ref()?.get()?.clone();
        self.promise = None;
        match found {
            Ok(Some(target)) => actions.push(Action::SelectEvent(target)),
            Ok(None) => return Some(self.not_found.to_owned()),
            Err(message) => return Some(message),
        }
        None
    }
}

/// A row by its number, and the packet whose picture it stands for.
pub(super) fn target(events: &FrameEvents, number: u32) -> Option<EventTarget> {
    let row = events.rows.get(number as usize)?;
    let packet = if row.kind.is_packet() { Some(row.packet) } else { row.packet.checked_sub(1) };
    Some(EventTarget { row: events.id_of(number), packet })
}
