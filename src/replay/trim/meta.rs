//! What a trimmed trace says of itself.

use serde_json::{Map, Value, json};

use crate::format::aerogpu::{FrameIndex, Trace};

/// The meta JSON of the source, with a note of which of its frames these are.
pub(super) fn trimmed_meta(trace: &Trace, frames: &[FrameIndex]) -> Value {
    let source = trace.meta().json.as_ref().and_then(Value::as_object);
    let mut meta = source.cloned().unwrap_or_default();
    meta.entry("emulator_version").or_insert_with(|| json!("unknown"));
    meta.insert("command_abi_version".to_owned(), json!(trace.header().command_abi_version));
    let mut note = Map::new();
    note.insert("frames".to_owned(), json!(describe_frames(frames)));
    note.insert("frame_count".to_owned(), json!(trace.frames().len()));
    if let Some(earlier) = meta.remove("trimmed_from") {
        note.insert("trimmed_from".to_owned(), earlier);
    }
    meta.insert("trimmed_from".to_owned(), Value::Object(note));
    Value::Object(meta)
}

/// "3,7-9" of ascending frames.
pub fn describe_frames(frames: &[FrameIndex]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for frame in frames {
        match runs.last_mut().filter(|(_, last)| last + 1 == frame.0) {
            Some((_, last)) => *last = frame.0,
            None => runs.push((frame.0, frame.0)),
        }
    }
    let run = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    runs.into_iter().map(run).collect::<Vec<_>>().join(",")
}
