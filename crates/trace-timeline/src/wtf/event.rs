//! One record, as it is handed out.

use super::event_type::{EventType, TypeIndex, WireId};
use super::measure::Encoding;
use super::string_table::StringTable;
use super::value::{Arguments, Value};
use super::zone::ZoneIndex;

/// One record. Its arguments are bytes until they are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Where the record begins: the absolute file offset; in a `.wtf-json` file the position in the decoded buffers.
    pub offset: u64,
    /// Microseconds since the timebase, as written. They wrap around after 71.58 minutes and may go backwards.
    pub time_micros: u32,
    /// The zone it happened in; none for definitions and zone records.
    pub zone: Option<ZoneIndex>,
    /// Position of the type in the table.
    pub type_index: TypeIndex,
    /// The type.
    pub event_type: &'a EventType,
    pub(super) argument_bytes: &'a [u8],
    pub(super) encoding: Encoding,
    pub(super) strings: Option<&'a StringTable>,
}

impl<'a> Event<'a> {
    /// The wire id of the type.
    pub fn wire(&self) -> WireId {
        self.event_type.wire
    }

    /// Decodes the arguments, in order, with their names.
    pub fn arguments(&self) -> Arguments<'a> {
        Arguments {
            remaining: self.event_type.arguments.iter(),
            bytes: self.argument_bytes,
            encoding: self.encoding,
            strings: self.strings,
        }
    }

    /// Decodes the argument of this name; null if there is none.
    pub fn argument(&self, name: &str) -> Value<'a> {
        self.arguments().find(|&(key, _)| key == name).map_or(Value::Null, |(_, value)| value)
    }
}
