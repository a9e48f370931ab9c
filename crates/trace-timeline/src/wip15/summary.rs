//! Figures over a whole trace, for `info`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    BaseType, Blob, Call, Element, Error, Function, FunctionId, Op, Reader, SWAP_NAME, Tables, Type, Value, Warning,
};
use trace_base::error::Classified;

/// What one pass over a trace counts. Field names are those of its JSON form.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Always `0.0`.
    pub version: &'static str,
    /// `little` or `big`: byte order of the recording host.
    pub endian: &'static str,
    /// Size of the tracer's function table; far more than were declared.
    pub max_functions: u32,
    /// Size of the tracer's group table.
    pub max_groups: u32,
    /// Calls read.
    pub calls: u64,
    /// `glXSwapBuffers` calls plus one, the inventors' rule; the timeline's frames are counted apart.
    pub frames: u64,
    /// `glXSwapBuffers` calls.
    pub swaps: u64,
    /// Calls of each frame; the last may have none.
    pub per_frame_calls: Vec<u64>,
    /// Declarations of functions.
    pub functions_declared: u64,
    /// Declarations of groups.
    pub groups_declared: u64,
    /// Declarations of groups by type code.
    pub group_types: BTreeMap<u8, u64>,
    /// Names called at least once.
    pub distinct_calls: usize,
    /// Calls by name.
    pub call_histogram: BTreeMap<String, u64>,
    /// Arguments and results by type; a variant counts as what is in it.
    pub value_types: BTreeMap<String, u64>,
    /// Values with a group.
    pub group_refs: u64,
    /// Blobs by compression.
    pub blobs: BTreeMap<&'static str, BlobFigures>,
    /// Extras in all calls.
    pub extras: u64,
    /// Extras by name.
    pub extra_histogram: BTreeMap<String, u64>,
    /// Decompressed bytes of extras by name.
    pub extra_bytes: BTreeMap<String, u64>,
    /// Deepest nesting of `glPushDebugGroup`, over all contexts.
    pub debug_group_max_depth: u64,
    /// Debug groups still open at the end.
    pub debug_group_unclosed: u64,
    /// Whether the writer is of 2017-06-17 or later, by what it wrote.
    pub variant_used: bool,
    /// Whether the writer is of 2017-09-06 or later, by what it wrote.
    pub zstd_used: bool,
    /// Warnings by name.
    pub warnings: BTreeMap<&'static str, u64>,
    /// `ok`, or the class of the error that ended the trace.
    pub result: &'static str,
    /// The error that ended the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Damage>,
    /// Its absolute file offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_offset: Option<u64>,
}

/// Blobs of one compression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BlobFigures {
    /// How many.
    pub count: u64,
    /// Their decompressed bytes.
    pub raw: u64,
    /// Their bytes in the file.
    pub stored: u64,
}

/// An error in its JSON form.
#[derive(Clone, Debug, Serialize)]
pub struct Damage {
    /// Its class.
    pub class: &'static str,
    /// What it says.
    pub message: String,
    /// Absolute file offset of the bytes in question.
    pub offset: Option<u64>,
    /// Absolute file offset of the operation that they belong to.
    pub op_offset: u64,
}

impl Damage {
    /// The JSON form of `error`, met in the operation at absolute file offset `op_offset`.
    pub fn new(error: &Error, op_offset: u64) -> Self {
        Self { class: error.class(), message: error.to_string(), offset: error.offset(), op_offset }
    }
}

/// Reads the whole trace and counts. An error that ends the trace early is part of the result.
pub fn summarize(reader: &mut Reader<'_>) -> (Summary, Option<Error>) {
    let mut counts = Counts::default();
    let mut failed = None;
    while let Some(op) = reader.next_op() {
        match op {
            Ok(op) => counts.add(op),
            Err(error) => failed = Some(error),
        }
    }
    if let Some(error) = &failed {
        // A value counts from its first byte on, also in a call that is cut.
        reader.values_before(error, |kind, value| match value {
            Some(value) => counts.add_value(value),
            None if kind.base == BaseType::Variant => {}
            None => *counts.kinds.entry(kind).or_default() += 1,
        });
    }
    let summary = counts.finish(reader, failed.as_ref());
    (summary, failed)
}

#[derive(Default)]
struct Counts {
    summary: Summary,
    calls: Vec<u64>,
    kinds: BTreeMap<Type, u64>,
    frame_calls: u64,
    group_depth: u64,
}

impl Counts {
    fn add(&mut self, op: Op<'_>) {
        match op {
            Op::Function(_) => self.summary.functions_declared += 1,
            Op::Group(group) => {
                self.summary.groups_declared += 1;
                *self.summary.group_types.entry(group.kind).or_default() += 1;
            }
            Op::Call(call) => self.add_call(&call),
        }
    }

    fn add_call(&mut self, call: &Call<'_>) {
        count_call(&mut self.calls, call.id);
        self.frame_calls += 1;
        match &*call.function.name {
            SWAP_NAME => self.summary.per_frame_calls.push(std::mem::take(&mut self.frame_calls)),
            b"glPushDebugGroup" => {
                self.group_depth += 1;
                self.summary.debug_group_max_depth = self.summary.debug_group_max_depth.max(self.group_depth);
            }
            b"glPopDebugGroup" => self.group_depth = self.group_depth.saturating_sub(1),
            _ => {}
        }
        if needs_values(call.function) {
            call.arguments().for_each(|value| self.add_value(&value));
            match call.result() {
                Some(value) => self.add_value(&value),
                None => *self.kinds.entry(Type::VOID).or_default() += 1,
            }
        }
        for extra in call.extras() {
            self.summary.extras += 1;
            let name = String::from_utf8_lossy(extra.name);
            *self.summary.extra_histogram.entry(name.clone().into_owned()).or_default() += 1;
            *self.summary.extra_bytes.entry(name.into_owned()).or_default() += u64::from(extra.data.size_bytes);
            self.add_blob(&extra.data);
        }
    }

    fn add_value(&mut self, value: &Value<'_>) {
        if value.kind.base == BaseType::Variant {
            if let Some(Element::Variant(inside)) = value.first() {
                self.add_value(&inside);
            }
            return;
        }
        *self.kinds.entry(value.kind).or_default() += 1;
        self.summary.group_refs += u64::from(value.group.is_some());
        if value.kind.base == BaseType::Data {
            for element in value.elements {
                if let Element::Data(blob) = element {
                    self.add_blob(&blob);
                }
            }
        }
    }

    fn add_blob(&mut self, blob: &Blob<'_>) {
        let figures = self.summary.blobs.entry(blob.method.name()).or_default();
        figures.count += 1;
        figures.raw += u64::from(blob.size_bytes);
        figures.stored += blob.stored.len() as u64;
    }

    /// Adds the values of functions whose values all are what their declaration says: one multiplication a function.
    fn add_declared_values(&mut self, tables: &Tables) {
        let counted = tables.functions().iter().zip(&self.calls).filter(|(function, _)| !needs_values(function));
        for (function, &count) in counted.filter(|(_, count)| **count > 0) {
            for &kind in function.arguments.iter().chain([&function.result]) {
                *self.kinds.entry(kind).or_default() += count;
                self.summary.group_refs += if kind.has_group { count } else { 0 };
            }
        }
    }

    fn finish(mut self, reader: &Reader<'_>, failed: Option<&Error>) -> Summary {
        self.add_declared_values(reader.tables());
        let Self { mut summary, calls, kinds, frame_calls, group_depth } = self;
        let header = reader.header();
        summary.swaps = summary.per_frame_calls.len() as u64;
        summary.per_frame_calls.push(frame_calls);
        summary.call_histogram = histogram(reader.tables(), &calls);
        summary.warnings =
            reader.warnings().iter().map(|(warning, count, _)| (Warning::name(warning), count)).collect();
        Summary {
            version: "0.0",
            endian: header.endian.name(),
            max_functions: header.max_functions,
            max_groups: header.max_groups,
            calls: reader.call_count(),
            frames: summary.swaps + 1,
            distinct_calls: summary.call_histogram.len(),
            value_types: kinds.into_iter().map(|(kind, count)| (kind.to_string(), count)).collect(),
            debug_group_unclosed: group_depth,
            variant_used: reader.has_variant(),
            zstd_used: reader.has_zstd(),
            result: failed.map_or("ok", |error| error.class()),
            error: failed.map(|error| Damage::new(error, reader.op_offset())),
            error_offset: failed.and_then(Classified::offset),
            ..summary
        }
    }
}

/// Whether values have to be looked at to be counted: blobs for their sizes, variants for what is in them.
fn needs_values(function: &Function) -> bool {
    let mut kinds = function.arguments.iter().chain([&function.result]);
    kinds.any(|kind| matches!(kind.base, BaseType::Data | BaseType::Variant))
}

fn count_call(calls: &mut Vec<u64>, id: FunctionId) {
    let index = id.0 as usize;
    if calls.len() <= index {
        calls.resize(index + 1, 0);
    }
    if let Some(count) = calls.get_mut(index) {
        *count += 1;
    }
}

fn histogram(tables: &Tables, calls: &[u64]) -> BTreeMap<String, u64> {
    let mut names = BTreeMap::new();
    for (function, &count) in tables.functions().iter().zip(calls).filter(|(_, count)| **count > 0) {
        *names.entry(function.text().into_owned()).or_default() += count;
    }
    names
}

/// The fast count: frames and calls by name, nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// Calls read.
    pub calls: u64,
    /// `glXSwapBuffers` calls.
    pub swaps: u64,
    /// Calls by name.
    pub histogram: BTreeMap<String, u64>,
}

/// Counts calls without decoding any value. An error that ends the trace early comes beside what was counted.
pub fn count_calls(reader: &mut Reader<'_>) -> (CallCounts, Option<Error>) {
    let mut calls = Vec::new();
    let mut failed = None;
    while let Some(next) = reader.next_call() {
        match next {
            Ok(id) => count_call(&mut calls, id),
            Err(error) => failed = Some(error),
        }
    }
    let histogram = histogram(reader.tables(), &calls);
    let swaps = histogram.get(&*String::from_utf8_lossy(SWAP_NAME)).copied().unwrap_or(0);
    (CallCounts { calls: reader.call_count(), swaps, histogram }, failed)
}
