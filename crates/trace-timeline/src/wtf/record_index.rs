//! Finds records again by their offsets, to decode arguments when somebody asks.

use std::sync::Arc;

use foldhash::HashMap;

use super::container::{Segment, Strings};
use super::error::{Problem, WtfError};
use super::event::Event;
use super::event_type::TypeTable;
use super::reader::{Scan, load_strings, read_on, scan_record};
use super::store::Store;
use super::string_table::StringTable;
use super::warning::Warnings;
use super::window::Window;

/// Where a record begins, as [`Event::offset`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordOffset(pub u64);

/// What is left of a [`Reader`](super::Reader) when its pass is over: enough to read any of its records again.
pub struct RecordIndex<'s> {
    store: Store<'s>,
    types: TypeTable,
    /// Sorted by start: chunks stand in the file in the order in which they are read.
    segments: Vec<Segment>,
    /// Where they start, close together: of a file of small chunks one is looked for at each record.
    starts: Box<[u64]>,
}

impl<'s> RecordIndex<'s> {
    pub(super) fn new(store: Store<'s>, types: TypeTable, segments: Vec<Segment>) -> Self {
        let starts = segments.iter().map(|segment| segment.start).collect();
        Self { store, types, segments, starts }
    }

    /// All event types of the trace.
    pub fn types(&self) -> &TypeTable {
        &self.types
    }

    /// A position from which records are read. Reading them in ascending order is fastest.
    pub fn cursor(&self) -> RecordCursor<'_> {
        RecordCursor {
            index: self,
            store: Store::of_jumps(self.store.backing()),
            segment: None,
            table_of: None,
            tables: StringTables::default(),
            window: Window::default(),
        }
    }
}

/// Reads records by offset, keeping the neighbourhood of the last one in memory.
pub struct RecordCursor<'i> {
    index: &'i RecordIndex<'i>,
    store: Store<'i>,
    segment: Option<usize>,
    /// The segment whose string table is chosen.
    table_of: Option<usize>,
    tables: StringTables,
    window: Window,
}

/// The string tables of segments that were read lately: events in order of time come from several in turns.
#[derive(Default)]
struct StringTables {
    known: HashMap<usize, Option<Arc<StringTable>>>,
    /// Bytes that they take at most.
    bytes: u64,
    chosen: Option<Arc<StringTable>>,
}

/// Bytes of string tables that are kept at most.
const MOST_TABLE_BYTES: u64 = 32 << 20;

impl StringTables {
    fn choose(&mut self, store: &mut Store<'_>, number: usize, segment: &Segment) -> Result<(), WtfError> {
        if let Some(known) = self.known.get(&number) {
            self.chosen = known.clone();
            return Ok(());
        }
        let table = load_strings(store, &segment.strings, &mut Warnings::default())?;
        self.bytes += TABLE_BYTES;
        if let Strings::At { length, .. } = segment.strings {
            // Beside the text stands where each string begins.
            self.bytes += 5 * length;
        }
        if self.bytes > MOST_TABLE_BYTES {
            (self.known, self.bytes) = (HashMap::default(), 0);
        }
        self.known.insert(number, table.clone());
        self.chosen = table;
        Ok(())
    }
}

/// Bytes of the longest head of a record.
const LONGEST_HEAD_BYTES: usize = 8;
/// What a segment's table takes whatever is in it.
const TABLE_BYTES: u64 = 128;

impl RecordCursor<'_> {
    /// The record at an offset that the reader gave. Its zone is not known here.
    ///
    /// # Errors
    ///
    /// What reading can give; and an undefined wire id, if there was no record at the offset.
    pub fn event_at(&mut self, offset: RecordOffset) -> Result<Event<'_>, WtfError> {
        let RecordOffset(offset) = offset;
        let nowhere = || WtfError::new(offset, Problem::UndefinedWireId { found: 0, hint: "" });
        let RecordIndex { segments, starts, types, .. } = self.index;
        let number = starts.partition_point(|start| *start <= offset).checked_sub(1).ok_or_else(nowhere)?;
        let segment = segments.get(number).filter(|segment| offset < segment.end).ok_or_else(nowhere)?;
        if self.segment != Some(number) {
            self.segment = Some(number);
            self.window.begin_with_a_jump(segment.start, segment.end);
        }
        self.window.seek(offset);
        if self.window.rest().len() < LONGEST_HEAD_BYTES {
            let needed = segment.end.min(offset + LONGEST_HEAD_BYTES as u64);
            self.window.fill(&mut self.store, needed)?;
        }
        let (scan, strings): (Scan, bool) = loop {
            let has_table = self.table_of == Some(number);
            let strings = self.tables.chosen.as_deref().filter(|_| has_table);
            match scan_record(types, segment.encoding, strings, self.window.rest(), offset) {
                // A record of fixed length names no string.
                Ok(scan) if has_table || is_fixed(types, segment, &scan) => break (scan, has_table),
                Err(stop) if has_table => read_on(*stop, &mut self.window, &mut self.store)?,
                // A table may take longer to read than all records of its segment.
                _ => {
                    self.tables.choose(&mut self.store, number, segment)?;
                    self.table_of = Some(number);
                }
            }
        };
        Ok(Event {
            offset,
            time_micros: scan.time_micros,
            zone: None,
            type_index: scan.type_index,
            event_type: types.get(scan.type_index).ok_or_else(nowhere)?,
            argument_bytes: self.window.slice(scan.head_bytes, scan.arguments.length),
            encoding: segment.encoding,
            strings: self.tables.chosen.as_deref().filter(|_| strings),
        })
    }
}

/// Whether records of a type have one length, and so no string.
fn is_fixed(types: &TypeTable, segment: &Segment, scan: &Scan) -> bool {
    types.get(scan.type_index).is_some_and(|found| found.layout(segment.encoding.form).fixed_bytes().is_some())
}
