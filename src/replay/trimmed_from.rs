//! What a trimmed trace says of itself in its meta JSON.

use serde_json::{Map, Value, json};

use crate::format::aerogpu::{FrameIndex, Trace};
use crate::text::ranges;

const TRIMMED_FROM: &str = "trimmed_from";
const CARRIED: &str = "carried_commands";

/// The meta JSON of the source, with a note of which of its frames these are, and how many commands of others were put into
/// each.
pub(super) fn trimmed_meta(trace: &Trace, frames: &[FrameIndex], carried: &[u32]) -> Value {
    let source = trace.meta().json.as_ref().and_then(Value::as_object);
    // silent: a trace without meta JSON
    let mut meta = source.cloned().unwrap_or_default();
    meta.entry("emulator_version").or_insert_with(|| json!("unknown"));
    meta.insert("command_abi_version".to_owned(), json!(trace.header().command_abi_version));
    let mut note = Map::new();
    note.insert("frames".to_owned(), json!(describe_frames(frames)));
    note.insert("frame_count".to_owned(), json!(trace.frames().len()));
    note.insert(CARRIED.to_owned(), json!(carried));
    // silent: the trace is not itself a part of another one
    if let Some(earlier) = meta.remove(TRIMMED_FROM) {
        note.insert(TRIMMED_FROM.to_owned(), earlier);
    }
    meta.insert(TRIMMED_FROM.to_owned(), Value::Object(note));
    Value::Object(meta)
}

/// The frames of another trace that a trimmed trace has, as its meta JSON says: `frames 7-9 of 24`.
pub fn trimmed_from(trace: &Trace) -> Option<String> {
    let note = trace.meta().json.as_ref()?.get(TRIMMED_FROM)?;
    let (frames, count) = (note.get("frames")?.as_str()?, note.get("frame_count")?.as_u64()?);
    let noun = if trace.frames().len() == 1 { "frame" } else { "frames" };
    Some(format!("{noun} {frames} of {count}"))
}

/// By frame, how many of its first commands were put there from frames that were not kept, as far as the meta JSON of a
/// trimmed trace says so. It may say anything.
pub(super) fn carried_commands(trace: &Trace) -> Vec<u32> {
    let note = trace.meta().json.as_ref().and_then(|meta| meta.get(TRIMMED_FROM));
    let counts = note.and_then(|note| note.get(CARRIED)).and_then(Value::as_array);
    // silent: meta JSON may say anything, and only hashes of commands beside the frame's own depend on it
    let count = |count: &Value| count.as_u64().and_then(|count| u32::try_from(count).ok()).unwrap_or(0);
    counts.into_iter().flatten().take(trace.frames().len()).map(count).collect()
}

/// "3,7-9" of ascending frames.
pub fn describe_frames(frames: &[FrameIndex]) -> String {
    ranges(frames.iter().map(|frame| frame.0))
}
