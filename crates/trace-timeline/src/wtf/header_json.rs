//! The file header of the chunked forms: a JSON object.

use serde_json::{Map, Value as JsonValue};

use super::dialect::Dialect;
use super::error::{Problem, WtfError};
use super::header::{FileFlags, TraceHeader, brief, check_context};
use super::warning::{WarningClass, Warnings};

/// Reads the header object of a chunked file, which stands at the absolute offset `at`.
pub(super) fn decode_header(
    value: JsonValue,
    at: u64,
    dialect: Dialect,
    wtf_version: Option<u64>,
    warnings: &mut Warnings,
) -> Result<TraceHeader, WtfError> {
    let JsonValue::Object(mut fields) = value else {
        return Err(WtfError::new(at, Problem::HeaderJson { found: brief(&value) }));
    };
    let mut field = |name: &str| fields.remove(name).filter(|value| !value.is_null());
    let flags = field("flags").map_or(Ok(FileFlags::default()), |value| decode_flags(&value, at, warnings))?;
    let timebase_millis = match field("timebase") {
        Some(JsonValue::Number(number)) => number,
        other => {
            let found = other.as_ref().map_or("none".into(), brief);
            return Err(WtfError::new(at, Problem::HeaderTimebase { found }));
        }
    };
    let context = field("contextInfo").map(|context| check_context(context, at)).transpose()?;
    let metadata = match field("metadata") {
        None => Map::new(),
        Some(JsonValue::Object(metadata)) => metadata,
        Some(other) => return Err(WtfError::new(at, Problem::HeaderMetadata { found: brief(&other) })),
    };
    Ok(TraceHeader { dialect, wtf_version, format_version: 10, flags, timebase_millis, context, metadata })
}

fn decode_flags(value: &JsonValue, at: u64, warnings: &mut Warnings) -> Result<FileFlags, WtfError> {
    let fail = || WtfError::new(at, Problem::HeaderFlags { found: brief(value) });
    let mut flags = FileFlags::default();
    for name in value.as_array().ok_or_else(fail)? {
        let name = name.as_str().ok_or_else(fail)?;
        match FileFlags::named(name) {
            Some(flag) => flags.0 |= flag.0,
            None => {
                warnings.note(WarningClass::UnknownFileFlags, at, format!("expected a known file flag, found {name:?}"))
            }
        }
    }
    Ok(flags)
}
