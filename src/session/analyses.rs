//! The methods that answer questions about frames.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::error::SessionError;
use super::params::{At, Buffer, Draws, Events, Find, Passes, wrong};
use super::traces::OpenTrace;
use crate::analysis::{
    Analysis, AnalysisError, BufferChoice, FrameEvents, InputSide, PlaceDifferences, RowId, TraceComparison,
    VertexTable, compare_first_draws,
};
use crate::command::{Place, ResourceId, ResourceName};
use crate::format::aerogpu::FrameIndex;
use crate::limits::{MAX_COMPILED_AT_ONCE_BYTES, MAX_SERVED_BYTES, MAX_SERVED_ROWS};
use crate::listing::Filter;
use crate::questions::Question;

/// The answer to `state`.
pub(crate) enum State {
    Known(Value),
    /// Somebody has to compile long texts for it, which may take minutes.
    TakesCompiling(Question),
}

/// `state`
pub(crate) fn state(open: &OpenTrace, params: &At) -> Result<State, SessionError> {
    let place = params.place_from(open.place);
    // Until it is known what comes of an edit, it is drawn as before.
    let known = open.version.get();
    let analysis = known.as_ref().map_or(&open.analysis, |known| &known.analysis);
    // Nothing is compiled for the state of submissions.
    if !analysis.is_submitted(place)? && analysis.text_bytes_at(place)? > MAX_COMPILED_AT_ONCE_BYTES {
        return Ok(State::TakesCompiling(Question::State(place)));
    }
    Ok(State::Known(open.with_faults(place.frame, to_json(&analysis.trace_state(place, None)?))))
}

/// `events`
pub(crate) fn events(open: &OpenTrace, params: &Events) -> Result<Value, SessionError> {
    let frame = open.frame(params.frame);
    let events = open.analysis.events(frame)?;
    let shown = match &params.filter {
        Some(filter) => open.analysis.filter_events(&events, &parse_filter(filter)?)?,
        None => (0..events.rows.len() as u32).collect(),
    };
    let first = params.first.unwrap_or(0) as usize;
    let count = params.count.unwrap_or(MAX_SERVED_ROWS).min(MAX_SERVED_ROWS) as usize;
    let mut rows = Vec::new();
    for number in shown.iter().skip(first).take(count) {
        rows.push(row_json(&open.analysis, &events, *number)?);
    }
    let answer = json!({
        "frame": frame, "offset": events.bytes.start, "size_bytes": events.bytes.end - events.bytes.start,
        "packets": events.packet_count(), "draws": events.draws.len(), "matching_rows": shown.len(), "rows": rows,
        "error": events.error, "notes_dropped": events.notes_dropped,
    });
    Ok(open.with_faults(frame, answer))
}

/// `draws`
pub(crate) fn draws(open: &OpenTrace, params: &Draws) -> Result<Value, SessionError> {
    let frame = open.frame(params.frame);
    let first = params.first.unwrap_or(0);
    let count = params.count.unwrap_or(MAX_SERVED_ROWS).min(MAX_SERVED_ROWS);
    let rows = open.analysis.draw_rows(frame, first..first.saturating_add(count))?;
    let answer = json!({ "frame": frame, "draw_count": open.analysis.draw_count(frame), "draws": rows });
    Ok(open.with_faults(frame, answer))
}

/// `passes`
pub(crate) fn passes(open: &OpenTrace, params: &Passes, is_given_up: &dyn Fn() -> bool) -> Result<Value, SessionError> {
    let frame = open.frame(params.frame);
    let passes = open.analysis.frame_passes(frame, || !is_given_up())?.ok_or(SessionError::Cancelled)?;
    let count = params.count.unwrap_or(MAX_SERVED_ROWS).min(MAX_SERVED_ROWS) as usize;
    let told: Vec<_> = passes.iter().skip(params.first.unwrap_or(0) as usize).take(count).collect();
    Ok(open.with_faults(frame, json!({ "frame": frame, "pass_count": passes.len(), "passes": told })))
}

/// `compare`
pub(crate) fn compare(analyses: &[Analysis; 2], is_given_up: &dyn Fn() -> bool) -> Result<Value, SessionError> {
    let sides = analyses.each_ref().map(|side| InputSide::new(side.trace().clone(), side.index().clone()));
    let compared = TraceComparison::new(sides, || !is_given_up()).map_err(AnalysisError::from)?;
    let mut comparison = compared.ok_or(SessionError::Cancelled)?;
    let [frames_a, frames_b] = analyses.each_ref().map(|side| side.index().frame_count());
    let [unmatched_a, unmatched_b] = comparison.frames_alone();
    let beside = (0..).map(FrameIndex).zip(comparison.frames()).take(MAX_SERVED_ROWS as usize);
    let frames: Vec<Value> = beside
        .map(|(frame, beside)| json!({ "frame": frame, "frame_b": beside.frame, "is_same": beside.is_same }))
        .collect();
    let identical = comparison.frames().iter().filter(|beside| beside.is_same).count();
    let different = comparison.different_frames().count();
    if is_given_up() {
        return Err(SessionError::Cancelled);
    }
    let first = match comparison.first_difference().map_err(AnalysisError::from)? {
        None => Value::Null,
        Some(difference) => {
            let places = [difference.place, Place { frame: difference.beside, ..difference.place }];
            let mut text_bytes = 0;
            for (analysis, place) in analyses.iter().zip(places) {
                let is_draw = difference.draw().is_some_and(|draw| draw < analysis.draw_count(place.frame));
                if is_draw && !analysis.is_submitted(place)? {
                    text_bytes += analysis.text_bytes_at(place)?;
                }
            }
            // Texts that take long to compile are not compared.
            let compared = match text_bytes > MAX_COMPILED_AT_ONCE_BYTES {
                true => None,
                false => Some(compare_first_draws(analyses.each_ref(), &difference)?),
            };
            let (rows, texts) = compared.map(|PlaceDifferences { rows, texts }| (rows, texts)).unzip();
            json!({
                "frame": difference.place.frame, "frame_b": difference.beside, "draw": difference.draw(),
                "commands": difference.commands, "has_more_commands": difference.has_more_commands,
                "settings": rows, "shaders": texts,
            })
        }
    };
    Ok(json!({
        "frames_a": frames_a, "frames_b": frames_b, "identical": identical, "different": different,
        "unmatched_a": unmatched_a, "unmatched_b": unmatched_b, "frames": frames, "first": first,
    }))
}

/// `find`
pub(crate) fn find(open: &OpenTrace, params: &Find, is_given_up: &dyn Fn() -> bool) -> Result<Value, SessionError> {
    let filter = parse_filter(&params.filter)?;
    let direction = params.direction.unwrap_or_default().into();
    let found = open.analysis.find_event(&filter, params.from, direction, |_| !is_given_up())?;
    if is_given_up() {
        return Err(SessionError::Cancelled);
    }
    let Some(RowId { frame, row }) = found else { return Ok(Value::Null) };
    let events = open.analysis.events(frame)?;
    Ok(open.with_faults(frame, row_json(&open.analysis, &events, row)?))
}

fn row_json(analysis: &Analysis, events: &FrameEvents, number: u32) -> Result<Value, SessionError> {
    let Some(row) = events.rows.get(number as usize) else { return Ok(Value::Null) };
    let arguments = analysis.arguments(row)?;
    let named = arguments.iter().map(|argument| (argument.name.to_owned(), json!(argument.value)));
    let mut answer = json!({
        "frame": events.frame, "row": number, "draw": events.draw_of(number),
        "packet": row.kind.is_packet().then_some(row.packet), "offset": row.offset, "size_bytes": row.size_bytes,
        "name": row.kind.name(), "arguments": Value::Object(named.collect::<Map<_, _>>()),
        "notes": events.notes_of(number),
    });
    if let Value::Object(fields) = &mut answer {
        let names = analysis.resource_names(events.frame, row, &arguments);
        let names = (!names.is_empty()).then(|| ("resource_names", json!(names)));
        let of_stream = events.of_stream(number).into_iter().chain(names);
        fields.extend(of_stream.map(|(name, value)| (name.to_owned(), value)));
    }
    Ok(answer)
}

fn parse_filter(text: &str) -> Result<Filter, SessionError> {
    let filter = Filter::parse(text)?;
    filter.check(Some(Analysis::event_length_unit()))?;
    Ok(filter)
}

/// `buffer`
pub(crate) fn buffer(open: &OpenTrace, params: &Buffer) -> Result<Value, SessionError> {
    let place = params.place_from(open.place);
    let answer = match (open.analysis.is_submitted(place)?, params.vertices.unwrap_or(false)) {
        (true, true) => vertex_streams(open, place, params),
        (true, false) => stream_buffer(open, place, params),
        (false, _) => appendix_a_buffer(open, place, params),
    };
    Ok(open.with_faults(place.frame, answer?))
}

/// The bytes or the vertices of a buffer of Appendix A.
fn appendix_a_buffer(open: &OpenTrace, place: Place, params: &Buffer) -> Result<Value, SessionError> {
    let choice = params.id.map_or(BufferChoice::Bound, |id| BufferChoice::Id(ResourceId::of_kind(id)));
    let view = open.analysis.buffer(place, choice)?;
    let mut answer = json!({
        "id": view.id, "created_at": view.created_at, "size_bytes": view.size_bytes,
    });
    let Value::Object(fields) = &mut answer else { return Ok(answer) };
    let start = params.start.unwrap_or(0);
    if params.vertices.unwrap_or(false) {
        let bound = open.analysis.vertices_at(place)?;
        let layout = bound.ok_or(AnalysisError::NothingBound { what: "vertex buffer" })?.layout;
        let capacity = u64::from(VertexTable::capacity_of(view.size_bytes, layout));
        let start = start.min(capacity);
        let end = params.end.unwrap_or(capacity).min(capacity).clamp(start, start + u64::from(MAX_SERVED_ROWS));
        let table = open.analysis.vertices(&view, layout, start as u32..end as u32)?;
        fields.insert("vertices".to_owned(), to_json(&table));
        return Ok(answer);
    }
    let size = u64::from(view.size_bytes);
    let end = params.end.unwrap_or(size.min(start.saturating_add(MAX_SERVED_BYTES)));
    refuse_too_many(start, end)?;
    let bytes = open.analysis.read_buffer(&view, start..end)?;
    fields.insert("start".to_owned(), json!(start));
    fields.insert("end".to_owned(), json!(end));
    fields.insert("ranges".to_owned(), to_json(&view.stretches_in(start..end)));
    fields.insert("hex".to_owned(), json!(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()));
    Ok(answer)
}

/// The vertex streams of submissions, with as many rows of each.
fn vertex_streams(open: &OpenTrace, place: Place, params: &Buffer) -> Result<Value, SessionError> {
    let (start, mut answered) = (u32::try_from(params.start.unwrap_or(0)).unwrap_or(u32::MAX), Vec::new());
    for stream in open.analysis.vertex_streams(place)? {
        if params.id.is_some_and(|id| id != stream.buffer) {
            continue;
        }
        let end = params.end.map_or(u32::MAX, |end| u32::try_from(end).unwrap_or(u32::MAX));
        let rows = open.analysis.stream_rows(&stream, start..end.min(start.saturating_add(MAX_SERVED_ROWS)))?;
        let mut told = to_json(&stream);
        if let Value::Object(fields) = &mut told {
            fields.insert("rows".to_owned(), to_json(&rows));
        }
        answered.push(told);
    }
    Ok(json!({ "streams": answered }))
}

/// The bytes of a buffer of submissions, as far as they are known without a GPU.
fn stream_buffer(open: &OpenTrace, place: Place, params: &Buffer) -> Result<Value, SessionError> {
    let id = params.id.ok_or_else(|| wrong("buffer", "submissions bind many buffers: expected an id, or vertices"))?;
    let found = open.analysis.resource(place, ResourceName::of(id))?;
    let (start, size) = (params.start.unwrap_or(0), found.size_bytes());
    let end = params.end.unwrap_or(size.min(start.saturating_add(MAX_SERVED_BYTES)));
    refuse_too_many(start, end)?;
    let contents = open.analysis.contents(&found, start..end)?;
    let mut hex = String::new();
    for stretch in &contents.ranges {
        match open.analysis.read_stretch(stretch)? {
            Some(bytes) => hex.extend(bytes.iter().map(|byte| format!("{byte:02x}"))),
            None => hex.extend((stretch.start..stretch.end).map(|_| "??")),
        }
    }
    let mut answer = json!({
        "id": id, "created_at": found.created_at, "size_bytes": size, "start": start, "end": end,
        "ranges": contents.ranges, "hex": hex,
    });
    if let (Some(members), Some(label)) = (answer.as_object_mut(), &found.label) {
        members.insert("name".to_owned(), json!(label));
    }
    Ok(answer)
}

fn refuse_too_many(start: u64, end: u64) -> Result<(), SessionError> {
    let found = end.saturating_sub(start);
    if found <= MAX_SERVED_BYTES {
        return Ok(());
    }
    let (what, limit) = ("the requested range", MAX_SERVED_BYTES);
    Err(SessionError::TooLarge { what, found, limit, instead: "ask for parts in turn" })
}

fn to_json(value: &impl Serialize) -> Value {
    // Nothing here has keys that are no texts, which is all that can go wrong.
    serde_json::to_value(value).unwrap_or_default()
}
