//! Gives the records of a trace one after another.

use std::sync::Arc;

use crate::limits::MAX_WTF_RECORD_BYTES;
use trace_base::bytes::ByteSource;

use super::chunk_walk::read_part;
use super::container::{Container, Segment, Strings, open};
use super::dialect::{ByteOrder, Dialect};
use super::error::{Problem, WtfError};
use super::event::Event;
use super::event_type::{Definition, Role, TypeIndex, TypeTable, WireId};
use super::header::TraceHeader;
use super::layout::Form;
use super::measure::{Encoding, Measured, MissingPart, Short, Stop, measure};
use super::record_index::RecordIndex;
use super::signature::TypeSet;
use super::store::Store;
use super::string_table::{StringTable, TableEnd};
use super::text::Text;
use super::value::Value;
use super::warning::{WarningClass, Warnings};
use super::window::Window;
use super::zone::{Zone, ZoneIndex, ZoneTable};

/// Reads a trace front to back in one pass.
///
/// ```no_run
/// # use trace_base::bytes::FileSource;
/// # use trace_timeline::wtf::Reader;
/// # let source = FileSource::open("app.wtf-trace".as_ref()).unwrap();
/// let mut reader = Reader::new(&source);
/// while let Some(event) = reader.next_event()? {
///     println!("{} µs: {}", event.time_micros, event.event_type.name);
/// }
/// # Ok::<(), trace_timeline::wtf::WtfError>(())
/// ```
pub struct Reader<'s> {
    store: Store<'s>,
    container: Container,
    header: Option<TraceHeader>,
    types: TypeTable,
    zones: ZoneTable,
    warnings: Warnings,
    window: Window,
    encoding: Encoding,
    strings: Option<Arc<StringTable>>,
    /// Every event buffer met so far.
    segments: Vec<Segment>,
    /// What ends the trace before another record is read.
    failure: Option<WtfError>,
    is_done: bool,
    records: u64,
}

/// A record that was found in the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scan {
    pub time_micros: u32,
    pub type_index: TypeIndex,
    pub role: Role,
    /// Size of wire id and time.
    pub head_bytes: usize,
    pub arguments: Measured,
}

impl<'s> Reader<'s> {
    /// Begins to read. Damage in the header shows as the error of the first [`Self::next_event`].
    pub fn new(source: &'s dyn ByteSource) -> Self {
        let mut warnings = Warnings::default();
        let (opened, failure) = match open(source, &mut warnings) {
            Ok(opened) => (Some(opened), None),
            Err(error) => (None, Some(error)),
        };
        let mut reader = Self {
            store: Store::of_file(source),
            container: Container::Single { segment: None, then: None },
            header: None,
            types: TypeTable::empty(TypeSet::Late),
            zones: ZoneTable::default(),
            warnings,
            window: Window::default(),
            encoding: Encoding { order: ByteOrder::Little, form: Form::Aligned },
            strings: None,
            segments: Vec::new(),
            failure,
            is_done: false,
            records: 0,
        };
        if let Some(opened) = opened {
            reader.store = opened.store;
            reader.container = opened.container;
            reader.types = opened.types;
            reader.header = opened.header;
            // The file header of the chunked forms is met on the way to the first event buffer.
            reader.next_segment();
        }
        reader
    }

    /// The header, unless the file is damaged before its end.
    pub fn header(&self) -> Option<&TraceHeader> {
        self.header.as_ref()
    }

    /// The event types defined so far.
    pub fn types(&self) -> &TypeTable {
        &self.types
    }

    /// The zones created so far; all of them once the last record was read.
    pub fn zones(&self) -> &ZoneTable {
        &self.zones
    }

    /// What was survived so far.
    pub fn warnings(&self) -> &Warnings {
        &self.warnings
    }

    /// How many records were given.
    pub fn record_count(&self) -> u64 {
        self.records
    }

    /// How many chunks were met; 0 in forms without chunks.
    pub fn chunk_count(&self) -> u64 {
        self.container.chunk_count()
    }

    /// The next record, `None` at the end. Definitions and zone records are given too, after they took effect.
    ///
    /// # Errors
    ///
    /// The damage that ends the trace, once; after it there is nothing.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>, WtfError> {
        while self.window.is_done() || self.failure.is_some() {
            if self.is_done {
                return Ok(None);
            }
            if let Some(error) = self.failure.take() {
                return Err(self.finish(error));
            }
            self.next_segment();
        }
        let scan = match self.scan() {
            Ok(scan) => scan,
            Err(error) => return Err(self.finish(error)),
        };
        let zone = if scan.role.is_bookkeeping() {
            if let Err(error) = self.keep_books(scan) {
                return Err(self.finish(error));
            }
            None
        } else {
            Some(self.zones.zone_of_event())
        };
        if let Some(at) = scan.arguments.bad_json {
            self.warnings.note(
                WarningClass::AnyJson,
                at.get(),
                "expected JSON in an argument of type any, found other text",
            );
        }
        self.records += 1;
        let offset = self.window.offset();
        self.window.advance(scan.head_bytes + scan.arguments.length);
        Ok(self.event(scan, zone, offset))
    }

    /// Ends the pass and keeps what is needed to find records again by their offsets.
    pub fn into_index(self) -> RecordIndex<'s> {
        RecordIndex::new(self.store, self.types, self.segments)
    }

    fn finish(&mut self, error: WtfError) -> WtfError {
        self.failure = None;
        self.is_done = true;
        self.window = Window::default();
        self.zones.finish();
        error
    }

    /// Goes on to the next event buffer, or ends.
    #[cold]
    fn next_segment(&mut self) {
        match self.container.next_segment(&mut self.store, &mut self.header, &mut self.warnings) {
            Ok(Some(segment)) => match load_strings(&mut self.store, &segment.strings, &mut self.warnings) {
                Ok(strings) => {
                    self.strings = strings;
                    self.encoding = segment.encoding;
                    self.window.begin(segment.start, segment.end);
                    if segment.start < segment.end {
                        self.segments.push(segment);
                    }
                }
                Err(error) => self.failure = Some(error),
            },
            Ok(None) => {
                self.is_done = true;
                self.zones.finish();
            }
            Err(error) => self.failure = Some(error),
        }
    }

    /// Finds the next record, reading on as far as needed.
    #[inline(always)]
    fn scan(&mut self) -> Result<Scan, WtfError> {
        loop {
            let strings = self.strings.as_deref();
            match scan_record(&self.types, self.encoding, strings, self.window.rest(), self.window.offset()) {
                Ok(scan) => return Ok(scan),
                Err(stop) => read_on(*stop, &mut self.window, &mut self.store)?,
            }
        }
    }

    #[inline]
    fn event(&self, scan: Scan, zone: Option<ZoneIndex>, offset: u64) -> Option<Event<'_>> {
        Some(Event {
            offset,
            time_micros: scan.time_micros,
            zone,
            type_index: scan.type_index,
            event_type: self.types.get(scan.type_index)?,
            argument_bytes: self.window.parsed(scan.arguments.length),
            encoding: self.encoding,
            strings: self.strings.as_deref(),
        })
    }

    /// Believes a definition or a zone record.
    fn keep_books(&mut self, scan: Scan) -> Result<(), WtfError> {
        let offset = self.window.offset();
        let Some(event_type) = self.types.get(scan.type_index) else { return Ok(()) };
        let event = Event {
            offset,
            time_micros: scan.time_micros,
            zone: None,
            type_index: scan.type_index,
            event_type,
            argument_bytes: self.window.slice(scan.head_bytes, scan.arguments.length),
            encoding: self.encoding,
            strings: self.strings.as_deref(),
        };
        let zone_id = match event.arguments().next() {
            Some((_, Value::Integer(id))) => id as u32,
            _ => 0,
        };
        match scan.role {
            Role::ZoneCreate => {
                let text = |name| event.argument(name).as_text().map(|text: Text<'_>| text.to_str().into());
                let (name, kind, location) = (text("name"), text("type"), text("location"));
                let zone = Zone { wire: Some(zone_id), name, kind, location };
                self.zones.create(zone, offset, &mut self.warnings);
            }
            Role::ZoneDelete => self.zones.delete(zone_id, offset, &mut self.warnings),
            Role::ZoneSet => self.zones.set(zone_id, offset)?,
            _ => {
                let definition = decode_definition(&event);
                self.types.define(&definition, offset, &mut self.warnings)?;
            }
        }
        Ok(())
    }
}

fn decode_definition(event: &Event<'_>) -> Definition {
    let text = |value: Value<'_>| value.as_text().map(|text| text.to_str().into_owned()).unwrap_or_default();
    let integer = |name| event.argument(name).as_integer().unwrap_or_default();
    Definition {
        wire: integer("wireId") as u32,
        class: integer("eventClass"),
        flags: integer("flags") as u32,
        name: text(event.argument("name")),
        signature: text(event.argument("args")),
    }
}

/// Loads the string table of an event buffer.
pub(super) fn load_strings(
    store: &mut Store<'_>,
    strings: &Strings,
    warnings: &mut Warnings,
) -> Result<Option<Arc<StringTable>>, WtfError> {
    let (offset, length) = match strings {
        Strings::None => return Ok(None),
        Strings::Kept(table) => return Ok(Some(Arc::clone(table))),
        &Strings::At { offset, length } => (offset, length),
    };
    let (table, end) = StringTable::parse(read_part(store, offset, length)?, offset)?;
    if end == TableEnd::Unmarked {
        let what = "expected a zero byte after the last string, found the end of the table";
        warnings.note(WarningClass::StringTableUnterminated, offset, what);
    }
    Ok(Some(Arc::new(table)))
}

/// Widens the window after a stop, if that can help.
#[cold]
pub(super) fn read_on(stop: Stop, window: &mut Window, store: &mut Store<'_>) -> Result<(), WtfError> {
    let short = match stop {
        Stop::Fault(error) => return Err(error),
        Stop::Short(short) => short,
    };
    if short.end() > window.end() {
        return Err(short.into_error(window.end()));
    }
    let found = short.end() - window.offset();
    if found > MAX_WTF_RECORD_BYTES {
        let problem = Problem::RecordTooLarge { found, limit: MAX_WTF_RECORD_BYTES };
        return Err(WtfError::new(window.offset(), problem));
    }
    Ok(window.fill(store, short.end())?)
}

/// Finds the record that begins at the start of `bytes`, which stand at the absolute offset `offset`.
///
/// Inlined without fail: returned through memory, the parts of the result cost as much as finding them.
#[inline(always)]
pub(super) fn scan_record(
    types: &TypeTable,
    encoding: Encoding,
    strings: Option<&StringTable>,
    bytes: &[u8],
    offset: u64,
) -> Result<Scan, Box<Stop>> {
    let Encoding { order, form } = encoding;
    let (wire, time_micros, head_bytes, rest) = match (form, bytes) {
        (Form::Packed, &[a, b, c, d, e, f, ref rest @ ..]) => {
            (u32::from(order.u16([a, b])), order.u32([c, d, e, f]), 6, rest)
        }
        (Form::Aligned, &[a, b, c, d, e, f, g, h, ref rest @ ..]) => {
            (order.u32([a, b, c, d]), order.u32([e, f, g, h]), 8, rest)
        }
        (Form::Packed, _) => return Err(Short::stop(MissingPart::EventHeader, offset, 6)),
        (Form::Aligned, _) => return Err(Short::stop(MissingPart::EventHeader, offset, 8)),
    };
    let Some((type_index, event_type)) = types.find(WireId(wire)) else {
        // Snapshots that were appended to one file are the one mistake that is easy to tell.
        let hint = if Dialect::has_binary_magic(bytes) { " (another trace begins here)" } else { "" };
        return Err(Stop::fault(WtfError::new(offset, Problem::UndefinedWireId { found: wire, hint })));
    };
    let arguments = match event_type.layout(form).fixed_bytes() {
        Some(length) if length <= rest.len() => Measured { length, bad_json: None },
        _ => measure(event_type, encoding, strings, rest, offset + head_bytes as u64)?,
    };
    Ok(Scan { time_micros, type_index, role: event_type.role, head_bytes, arguments })
}
