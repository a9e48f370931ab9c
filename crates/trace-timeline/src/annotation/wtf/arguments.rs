//! Arguments of wtf-trace events, in the shape that all formats share.

use std::collections::HashMap;
use std::sync::Arc;

use crate::annotation::FileError;
use crate::wtf::{self, EventType, RecordCursor, RecordIndex, TypeIndex};
use crate::{Argument, ArgumentError, ArgumentSource, RecordOffset, Value};

/// Decodes arguments by record. Made by [`WtfTimeline::arguments`](super::WtfTimeline::arguments).
pub struct WtfArguments<'i> {
    records: RecordCursor<'i>,
    /// Argument names by type, shared by all events of the type.
    names: HashMap<TypeIndex, Arc<[Arc<str>]>>,
}

impl<'i> WtfArguments<'i> {
    pub(super) fn new(index: &'i RecordIndex<'i>) -> Self {
        Self { records: index.cursor(), names: HashMap::new() }
    }
}

impl ArgumentSource for WtfArguments<'_> {
    fn arguments(&mut self, record: RecordOffset, into: &mut Vec<Argument>) -> Result<(), ArgumentError> {
        into.clear();
        if record.is_none() {
            return Ok(());
        }
        let event = self.records.event_at(record.into()).map_err(FileError::new)?;
        let names = self.names.entry(event.type_index).or_insert_with(|| shared_names(event.event_type));
        let values = event.arguments().map(|(_, value)| decode(value));
        into.extend(names.iter().cloned().zip(values).map(|(name, value)| Argument { name, value }));
        Ok(())
    }
}

fn shared_names(event_type: &EventType) -> Arc<[Arc<str>]> {
    event_type.arguments.iter().map(|argument| Arc::from(&*argument.name)).collect()
}

fn decode(value: wtf::Value<'_>) -> Value {
    match value {
        wtf::Value::Null => Value::Null,
        wtf::Value::Bool(value) => Value::Bool(value),
        wtf::Value::Integer(value) => Value::Int(value),
        wtf::Value::Float(value) => Value::F32(value),
        wtf::Value::Text(text) => Value::Text(text.to_str().into_owned()),
        wtf::Value::Json(text) => Value::Json(text.to_str().into_owned()),
        wtf::Value::Array(array) => Value::List(array.values().map(decode).collect()),
    }
}
