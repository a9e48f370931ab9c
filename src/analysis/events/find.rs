//! Filtering events, and going from match to match.

use super::arguments::{ArgumentReader, EventArgument};
use super::{EventRow, FrameEvents, RowId};
use crate::analysis::{Analysis, AnalysisError};
use crate::format::aerogpu::FrameIndex;
use crate::listing::{Filter, Length, Subject};
use crate::timeline::{AxisUnit, Value};

/// What `@duration` of an event is: a trace has no clock.
const LENGTH_UNIT: AxisUnit = AxisUnit::Bytes;

/// The argument that filters ask for the texts of the groups that a row is in.
const MARKER: &str = "marker";

/// Which way to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the trace's end.
    Forward,
    /// Towards its start.
    Backward,
}

impl Analysis {
    /// The unit that lengths of events are in, for [`Filter::check`].
    pub fn event_length_unit() -> AxisUnit {
        LENGTH_UNIT
    }

    /// The rows that `filter` accepts, ascending.
    pub fn filter_events(&self, events: &FrameEvents, filter: &Filter) -> Result<Vec<u32>, AnalysisError> {
        let mut matching = Matching::new(self, filter);
        let mut accepted = Vec::new();
        for number in 0..events.row_count() {
            if matching.accepts(events, number)? {
                accepted.push(number);
            }
        }
        Ok(accepted)
    }

    /// The match after (or before) `from`, which is not looked at itself; `None` looks from the trace's start (or
    /// end). `from` need be no row of the trace. `goes_on` is asked before each frame; a search that it ends has found
    /// nothing.
    pub fn find_event(
        &self,
        filter: &Filter,
        from: Option<RowId>,
        direction: Direction,
        mut goes_on: impl FnMut(FrameIndex) -> bool,
    ) -> Result<Option<RowId>, AnalysisError> {
        let frame_count = self.trace.frames().len() as u32;
        let mut matching = Matching::new(self, filter);
        let frames: Box<dyn Iterator<Item = u32>> = match (direction, from) {
            (Direction::Forward, from) => Box::new(from.map_or(0, |from| from.frame.0)..frame_count),
            (Direction::Backward, None) => Box::new((0..frame_count).rev()),
            (Direction::Backward, Some(from)) => Box::new((0..frame_count.min(from.frame.0.saturating_add(1))).rev()),
        };
        for frame in frames.map(FrameIndex) {
            if !goes_on(frame) {
                return Ok(None);
            }
            let events = FrameEvents::read(&self.trace, frame)?;
            let own = from.filter(|from| from.frame == frame).map(|from| from.row);
            let found = match direction {
                Direction::Forward => {
                    let start = own.map_or(0, |own| own.saturating_add(1));
                    matching.first(&events, start..events.row_count())?
                }
                Direction::Backward => {
                    let end = own.unwrap_or(u32::MAX).min(events.row_count());
                    matching.first(&events, (0..end).rev())?
                }
            };
            if let Some(row) = found {
                return Ok(Some(events.id_of(row)));
            }
        }
        Ok(None)
    }
}

struct Matching<'a> {
    filter: &'a Filter,
    needs_arguments: bool,
    reader: ArgumentReader<'a>,
}

impl<'a> Matching<'a> {
    fn new(analysis: &'a Analysis, filter: &'a Filter) -> Self {
        Self { filter, needs_arguments: filter.needs_arguments(), reader: ArgumentReader::new(analysis) }
    }

    fn accepts(&mut self, events: &FrameEvents, number: u32) -> Result<bool, AnalysisError> {
        let Some(row) = events.rows.get(number as usize) else { return Ok(false) };
        let arguments = if self.needs_arguments { self.reader.arguments(row)? } else { Vec::new() };
        Ok(self.filter.accepts(&EventSubject { events, number, row, arguments: &arguments }))
    }

    fn first(&mut self, events: &FrameEvents, rows: impl Iterator<Item = u32>) -> Result<Option<u32>, AnalysisError> {
        for number in rows {
            if self.accepts(events, number)? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }
}

/// An event as filters see it: named like its opcode or record, its arguments like the specification's fields.
struct EventSubject<'a> {
    events: &'a FrameEvents,
    number: u32,
    row: &'a EventRow,
    arguments: &'a [EventArgument],
}

impl Subject for EventSubject<'_> {
    fn name(&self) -> &str {
        self.row.kind.name()
    }

    fn length(&self) -> Option<Length> {
        Some(Length { ticks: self.row.size_bytes, unit: LENGTH_UNIT })
    }

    fn depth(&self) -> u32 {
        u32::from(self.row.kind.is_packet())
    }

    fn any_argument(&self, name: &str, passes: &mut dyn FnMut(&Value) -> bool) -> bool {
        if name == MARKER {
            let mut path = self.events.marker_path(self.number).into_iter();
            return path.any(|text| passes(&Value::Text(text.into())));
        }
        let matching = self.arguments.iter().filter(|argument| argument.name == name);
        matching.map(|argument| Value::from(argument.value.clone())).any(|value| passes(&value))
    }
}
