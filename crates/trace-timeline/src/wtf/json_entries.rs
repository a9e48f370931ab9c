//! The JSON list of version 2: definitions and events, written by hand for tests.
//!
//! ```text
//! [{"type": "wtf.json#header", "format_version": 2, "timebase": ms, "high_resolution_times": true, "metadata": {}},
//!  {"type": "wtf.event#define", "signature": "name(type arg, …)", "class": "scope", "flags": 0, "event_id": 1},
//!  {"event": 1, "time": ms, "args": [by position]},
//!  {"event": "wtf.zone#set", "time": ms, "args": [1000]},
//!  {"event": -1, "time": ms}]                                    -1 leaves the innermost scope
//! ```
//!
//! The events are laid out in memory as an aligned event buffer with a string table, so that everything after this
//! module knows one kind of event. Types get wire ids from 1000 in the order in which they turn up, `wtf.scope#leave`
//! first.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Map;

use super::container::{Container, Opened, Segment, Strings};
use super::dialect::{ByteOrder, Dialect};
use super::error::{Problem, WtfError};
use super::event_type::{Definition, TypeTable, WireId};
use super::header::{FileFlags, TraceHeader, brief};
use super::json_text::{Json, Shape};
use super::layout::Form;
use super::measure::{Encoding, NULL_ARRAY};
use super::signature::{Argument, ArgumentKind, Scalar, TypeSet};
use super::store::Store;
use super::string_table::StringTable;
use super::warning::Warnings;

/// The wire id of the first type.
const FIRST_WIRE: u32 = 1000;
/// Class and arguments of the types that every reader knew.
const BUILT_IN: [(&str, i64, u32, &str); 19] = [
    ("wtf.scope#leave", 0, 40, ""),
    ("wtf.zone#create", 0, 40, "uint16 zoneId, ascii name, ascii type, ascii location"),
    ("wtf.zone#delete", 0, 40, "uint16 zoneId"),
    ("wtf.zone#set", 0, 40, "uint16 zoneId"),
    ("wtf.scope#enter", 1, 32, "ascii name"),
    ("wtf.scope#enterTracing", 1, 44, ""),
    ("wtf.scope#appendData", 0, 56, "ascii name, any value"),
    ("wtf.flow#branch", 0, 40, "flowId id, flowId parentId, ascii name, any value"),
    ("wtf.flow#extend", 0, 40, "flowId id, ascii name, any value"),
    ("wtf.flow#terminate", 0, 40, "flowId id, any value"),
    ("wtf.flow#appendData", 0, 104, "flowId id, ascii name, any value"),
    ("wtf.trace#mark", 0, 40, "ascii name, any value"),
    ("wtf.trace#timeStamp", 0, 32, "ascii name, any value"),
    ("wtf.trace#discontinuity", 0, 32, ""),
    ("wtf.timeRange#begin", 0, 40, "uint32 id, ascii name, any value"),
    ("wtf.timeRange#end", 0, 40, "uint32 id"),
    ("wtf.timing#frameStart", 0, 8, "uint32 number"),
    ("wtf.timing#frameEnd", 0, 8, "uint32 number"),
    ("wtf.event#define", 0, 40, ""),
];

/// Whether a JSON text is of this version: a list, or an object with a list of events.
pub(super) fn is_entry_list(root: &Json) -> bool {
    root.as_array().is_some() || root.get("events").is_some()
}

/// Lays the entries out as an event buffer, up to the first that is wrong.
pub(super) fn lay_out<'s>(root: &Json, text: &[u8]) -> Result<Opened<'s>, WtfError> {
    let list = root.get("events").unwrap_or(root);
    let Some(entries) = list.as_array() else {
        return Err(WtfError::new(list.offset, Problem::JsonRoot { found: list.kind_name() }));
    };
    let mut layout = EntryLayout::new(text)?;
    let result = entries.iter().try_for_each(|entry| layout.add(entry));
    let missing = || WtfError::new(list.offset, Problem::JsonHeaderMissing {});
    let header = layout.header;
    let then = result.err().or_else(|| header.is_none().then(missing));
    let encoding = Encoding { order: ByteOrder::Little, form: Form::Aligned };
    let strings = Strings::Kept(Arc::new(layout.strings));
    let segment = Segment { start: 0, end: layout.bytes.len() as u64, encoding, strings };
    let container = Container::Single { segment: Some(segment), then };
    Ok(Opened { store: Store::of_memory(layout.bytes), container, types: layout.types, header })
}

struct EntryLayout<'a> {
    text: &'a [u8],
    header: Option<TraceHeader>,
    types: TypeTable,
    /// Wire ids by event id and by name, both as the text of the key.
    wires: HashMap<String, u32>,
    next_wire: u32,
    bytes: Vec<u8>,
    strings: StringTable,
}

impl<'a> EntryLayout<'a> {
    fn new(text: &'a [u8]) -> Result<Self, WtfError> {
        let mut layout = Self {
            text,
            header: None,
            types: TypeTable::empty(TypeSet::Late),
            wires: HashMap::new(),
            next_wire: FIRST_WIRE,
            bytes: Vec::new(),
            strings: StringTable::default(),
        };
        layout.define_built_in("wtf.scope#leave", 0)?;
        Ok(layout)
    }

    fn add(&mut self, entry: &Json) -> Result<(), WtfError> {
        let fail = |expected, found: String| Err(WtfError::new(entry.offset, Problem::JsonEntry { expected, found }));
        if !matches!(entry.shape, Shape::Object(_)) {
            return fail("an object", entry.kind_name().into());
        }
        let kind = entry.get("type").and_then(Json::as_text).map(|text| text.to_str());
        match (kind.as_deref(), entry.get("event"), &self.header) {
            (Some("wtf.json#header"), _, Some(_)) => Err(WtfError::new(entry.offset, Problem::DuplicateHeader {})),
            (Some("wtf.json#header"), _, None) => {
                self.header = Some(decode_header(entry)?);
                Ok(())
            }
            (_, _, None) => Err(WtfError::new(entry.offset, Problem::JsonHeaderMissing {})),
            (Some("wtf.event#define"), _, _) => self.add_definition(entry),
            (_, Some(event), _) => self.add_event(entry, event),
            (Some(kind), None, _) => fail("a header, a definition or an event", format!("type {kind:?}")),
            (None, None, _) => fail("a header, a definition or an event", "none of them".into()),
        }
    }

    fn add_definition(&mut self, entry: &Json) -> Result<(), WtfError> {
        let fail =
            |expected, found: &str| WtfError::new(entry.offset, Problem::JsonEntry { expected, found: found.into() });
        let text = entry.get("signature").and_then(Json::as_text);
        let text = text.ok_or_else(|| fail("a definition with a signature", "none"))?.to_str().into_owned();
        let (name, signature) = match text.split_once('(') {
            None => (text.as_str(), ""),
            Some((name, rest)) => (name, rest.trim_end().strip_suffix(')').unwrap_or(rest)),
        };
        let class = match entry.get("class").map(|class| class.as_text().map(|text| text.to_str())) {
            None => 1,
            Some(Some(name)) if name == "scope" => 1,
            Some(Some(name)) if name == "instance" => 0,
            Some(_) => -1,
        };
        let flags = entry.get("flags").and_then(Json::as_number).and_then(|number| number.as_u64()).unwrap_or(0);
        let definition =
            Definition { wire: 0, class, flags: flags as u32, name: name.trim().into(), signature: signature.into() };
        let id = entry.get("event_id").map(event_key).unwrap_or_else(|| definition.name.clone());
        self.define(&id, definition, entry.offset)
    }

    fn define_built_in(&mut self, name: &str, at: u64) -> Result<(), WtfError> {
        let Some(&(name, class, flags, signature)) = BUILT_IN.iter().find(|known| known.0 == name) else {
            return Err(WtfError::new(at, Problem::UndefinedEvent { found: name.into() }));
        };
        let definition = Definition { wire: 0, class, flags, name: name.into(), signature: signature.into() };
        self.define(name, definition, at)
    }

    /// Defines a type under its id and its name. An id keeps its wire id, so redefining it is a conflict.
    fn define(&mut self, id: &str, mut definition: Definition, at: u64) -> Result<(), WtfError> {
        let known = self.wires.get(id).copied();
        definition.wire = known.unwrap_or(self.next_wire);
        self.types.define(&definition, at, &mut Warnings::default())?;
        if known.is_none() {
            self.next_wire += 1;
            self.wires.insert(id.into(), definition.wire);
            self.wires.entry(definition.name).or_insert(definition.wire);
        }
        Ok(())
    }

    fn add_event(&mut self, entry: &Json, event: &Json) -> Result<(), WtfError> {
        let mut id = event_key(event);
        if id == "-1" {
            id = "wtf.scope#leave".into();
        }
        if !self.wires.contains_key(&id) {
            self.define_built_in(&id, event.offset)?;
        }
        let wire = self.wires.get(&id).copied().unwrap_or_default();
        let time_micros = decode_time(entry)?;
        let Some((_, event_type)) = self.types.find(WireId(wire)) else {
            return Err(WtfError::new(event.offset, Problem::UndefinedEvent { found: id }));
        };
        let arguments = event_type.arguments.clone();
        let values = match entry.get("args") {
            None => &[],
            Some(list) => list.as_array().ok_or_else(|| mismatch(list, "a list of arguments"))?,
        };
        let record = self.bytes.len();
        self.put(wire);
        self.put(time_micros);
        for (index, argument) in arguments.iter().enumerate() {
            let value = values.get(index).filter(|value| !matches!(value.shape, Shape::Null));
            if let Err(error) = self.put_argument(argument, value) {
                self.bytes.truncate(record);
                return Err(error);
            }
        }
        Ok(())
    }

    fn put(&mut self, word: u32) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    fn put_argument(&mut self, argument: &Argument, value: Option<&Json>) -> Result<(), WtfError> {
        match (argument.kind, value) {
            (ArgumentKind::Array(_) | ArgumentKind::Ascii | ArgumentKind::Utf8 | ArgumentKind::Any, None) => {
                self.put(NULL_ARRAY);
            }
            (_, None) => self.put(0),
            (ArgumentKind::Bool, Some(value)) => match value.shape {
                Shape::Bool(value) => self.put(u32::from(value)),
                _ => return Err(mismatch(value, "a boolean")),
            },
            (ArgumentKind::Scalar(scalar), Some(value)) => self.put(number(scalar, value)?),
            (ArgumentKind::FlowId | ArgumentKind::Time32, Some(value)) => self.put(number(Scalar::Uint32, value)?),
            (ArgumentKind::Ascii | ArgumentKind::Utf8, Some(value)) => {
                let text = value.as_text().ok_or_else(|| mismatch(value, "a string"))?;
                let number = self.strings.push(text.bytes());
                self.put(number);
            }
            (ArgumentKind::Any, Some(value)) => {
                let text = self.text.get(value.offset as usize..value.end as usize).unwrap_or_default();
                let number = self.strings.push(text);
                self.put(number);
            }
            (ArgumentKind::Array(scalar), Some(value)) => {
                let elements = value.as_array().ok_or_else(|| mismatch(value, "a list of numbers"))?;
                self.put(elements.len() as u32);
                for element in elements {
                    let word = number(scalar, element)?.to_le_bytes();
                    self.bytes.extend(word.iter().take(scalar.size_bytes()));
                }
                self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
            }
        }
        Ok(())
    }
}

fn mismatch(value: &Json, expected: &'static str) -> WtfError {
    WtfError::new(value.offset, Problem::JsonEntry { expected, found: value.kind_name().into() })
}

/// A number as the low bytes of a word.
fn number(scalar: Scalar, value: &Json) -> Result<u32, WtfError> {
    let number = value.as_number().and_then(|number| number.as_f64()).ok_or_else(|| mismatch(value, "a number"))?;
    Ok(if scalar == Scalar::Float32 { (number as f32).to_bits() } else { number as i64 as u32 })
}

/// An event id or name, as the text that stands for it.
fn event_key(value: &Json) -> String {
    match value.as_text() {
        Some(text) => text.to_str().into_owned(),
        None => brief(&value.to_value()),
    }
}

/// The time of an entry in microseconds.
fn decode_time(entry: &Json) -> Result<u32, WtfError> {
    let time = entry.get("time");
    let micros = time.and_then(Json::as_number).and_then(|number| number.as_f64()).map(|millis| millis * 1000.0);
    match micros {
        Some(micros) if (0.0..=f64::from(u32::MAX)).contains(&micros) => Ok(micros.round() as u32),
        _ => {
            let found = time.map_or("none".into(), |time| brief(&time.to_value()));
            Err(WtfError::new(time.map_or(entry.offset, |time| time.offset), Problem::JsonTime { found }))
        }
    }
}

fn decode_header(entry: &Json) -> Result<TraceHeader, WtfError> {
    let version = entry.get("format_version").and_then(Json::as_number).and_then(|number| number.as_u64()).unwrap_or(1);
    if version != 2 {
        return Err(WtfError::new(entry.offset, Problem::UnsupportedVersion { found: version }));
    }
    let timebase_millis = match entry.get("timebase") {
        None => 0.into(),
        Some(Json { shape: Shape::Number(number), .. }) => number.clone(),
        Some(other) => {
            let found = brief(&other.to_value());
            return Err(WtfError::new(other.offset, Problem::HeaderTimebase { found }));
        }
    };
    let is_coarse = matches!(entry.get("high_resolution_times"), Some(Json { shape: Shape::Bool(false), .. }));
    let metadata = match entry.get("metadata").map(Json::to_value) {
        Some(serde_json::Value::Object(metadata)) => metadata,
        _ => Map::new(),
    };
    Ok(TraceHeader {
        dialect: Dialect::JsonV2,
        wtf_version: None,
        format_version: 2,
        flags: FileFlags(u32::from(!is_coarse)),
        timebase_millis,
        context: None,
        metadata,
    })
}
