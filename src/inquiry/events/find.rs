//! Filtering events, and going from match to match.

use serde::{Deserialize, Serialize};

use super::arguments::{ArgumentReader, ArgumentValue, EventArgument};
use super::{EventRow, FrameEvents};
use crate::format::aerogpu::FrameIndex;
use crate::inquiry::{Inquiry, InquiryError};
use crate::listing::{Filter, Length, Subject};
use crate::timeline::{AxisUnit, Value};

/// What `@duration` of an event is: a trace has no clock.
const LENGTH_UNIT: AxisUnit = AxisUnit::Bytes;

/// An event, wherever it is in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EventPlace {
    /// The frame.
    pub frame: FrameIndex,
    /// The row of its [`FrameEvents`].
    pub row: u32,
}

/// Which way to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the trace's end.
    Forward,
    /// Towards its start.
    Backward,
}

impl Inquiry {
    /// The unit that lengths of events are in, for [`Filter::check`].
    pub fn event_length_unit() -> AxisUnit {
        LENGTH_UNIT
    }

    /// The rows that `filter` accepts, ascending.
    pub fn filter_events(&self, events: &FrameEvents, filter: &Filter) -> Result<Vec<u32>, InquiryError> {
        let mut matching = Matching::new(self, filter);
        let mut accepted = Vec::new();
        for (number, row) in (0..).zip(&events.rows) {
            if matching.accepts(row)? {
                accepted.push(number);
            }
        }
        Ok(accepted)
    }

    /// The match after (or before) `from`, which is not looked at itself; `None` looks from the trace's start (or
    /// end). `goes_on` is asked before each frame; a search that it ends has found nothing.
    pub fn find_event(
        &self,
        filter: &Filter,
        from: Option<EventPlace>,
        direction: Direction,
        mut goes_on: impl FnMut(FrameIndex) -> bool,
    ) -> Result<Option<EventPlace>, InquiryError> {
        let frame_count = self.trace.frames().len() as u32;
        let mut matching = Matching::new(self, filter);
        let frames: Box<dyn Iterator<Item = u32>> = match (direction, from) {
            (Direction::Forward, from) => Box::new(from.map_or(0, |from| from.frame.0)..frame_count),
            (Direction::Backward, None) => Box::new((0..frame_count).rev()),
            (Direction::Backward, Some(from)) => Box::new((0..frame_count.min(from.frame.0 + 1)).rev()),
        };
        for frame in frames.map(FrameIndex) {
            if !goes_on(frame) {
                return Ok(None);
            }
            let events = FrameEvents::read(&self.trace, frame)?;
            let own = from.filter(|from| from.frame == frame).map(|from| from.row);
            let found = match direction {
                Direction::Forward => {
                    let start = own.map_or(0, |row| row.saturating_add(1));
                    matching.first(&events, start..events.rows.len() as u32)?
                }
                Direction::Backward => {
                    let end = own.unwrap_or(u32::MAX).min(events.rows.len() as u32);
                    matching.first(&events, (0..end).rev())?
                }
            };
            if let Some(row) = found {
                return Ok(Some(EventPlace { frame, row }));
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
    fn new(inquiry: &'a Inquiry, filter: &'a Filter) -> Self {
        Self { filter, needs_arguments: filter.needs_arguments(), reader: ArgumentReader::new(inquiry) }
    }

    fn accepts(&mut self, row: &EventRow) -> Result<bool, InquiryError> {
        let arguments = if self.needs_arguments { self.reader.arguments(row)? } else { Vec::new() };
        Ok(self.filter.accepts(&EventSubject { row, arguments: &arguments }))
    }

    fn first(&mut self, events: &FrameEvents, rows: impl Iterator<Item = u32>) -> Result<Option<u32>, InquiryError> {
        for number in rows {
            if let Some(row) = events.rows.get(number as usize)
                && self.accepts(row)?
            {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }
}

/// An event as filters see it: named like its opcode or record, its arguments like the specification's fields.
struct EventSubject<'a> {
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
        let matching = self.arguments.iter().filter(|argument| argument.name == name);
        let value = |value| match value {
            ArgumentValue::Unsigned(value) => Value::UInt(value),
            ArgumentValue::Float(value) => Value::F32(value),
            ArgumentValue::Word(word) => Value::Text(word.to_owned()),
        };
        matching.map(|argument| value(argument.value)).any(|value| passes(&value))
    }
}
