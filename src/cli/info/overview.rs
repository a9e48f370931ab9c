//! The twelve lines that say what a trace is.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::bytes::DecodedFrom;
use crate::cli::args::CommonArgs;
use crate::cli::index::make_index_up_to;
use crate::cli::line_width::Fitted;
use crate::format::aerogpu::{FrameIndex, FrameSource, Trace};
use crate::limits::MAX_OVERVIEW_BYTES;
use crate::pixels::Size;
use crate::replay::{Api, Census, DEFAULT_SIZE, TraceIndex, trimmed_from};
use crate::text::{Harmless, counted};

/// Draws, objects and faults of a trace, or of its first frames.
pub(super) struct Overview {
    index: Arc<TraceIndex>,
    frame_count: usize,
    draws: u64,
    dispatches: u64,
}

impl Overview {
    /// Reads the frames in the first [`MAX_OVERVIEW_BYTES`] of the trace, or all of them.
    pub(super) fn read(trace: &Arc<Trace>, all: bool, common: &CommonArgs) -> Self {
        let end = trace.stream().start.saturating_add(MAX_OVERVIEW_BYTES);
        let frame_count = trace.frames().len();
        let near = trace.frames().iter().take_while(|frame| all || frame.bytes.end <= end).count();
        let index = make_index_up_to(trace, near, common);
        let (mut draws, mut dispatches) = (0, 0);
        let frames = (0..index.frame_count() as u32).map(FrameIndex);
        for contents in frames.filter_map(|frame| index.contents_of(frame)) {
            draws += u64::from(contents.draws);
            dispatches += u64::from(contents.dispatches);
        }
        Self { index, frame_count, draws, dispatches }
    }

    /// Members of the JSON line.
    pub(super) fn to_json(&self) -> Map<String, Value> {
        let census = self.index.census();
        let shaders = census.shaders().iter().map(|(stage, count)| (stage.direct3d_name().to_owned(), json!(count)));
        let apis: Vec<&str> = census.apis().iter().map(|api| api.name()).collect();
        let sizes: Vec<[u32; 2]> = picture_sizes(census).iter().map(|size| [size.width_px, size.height_px]).collect();
        let stop = self.index.stop().map(|stop| json!({ "frame": stop.frame, "message": stop.message }));
        let members = json!({
            "frames_read": self.index.frame_count(), "apis": apis, "picture_sizes": sizes, "draws": self.draws,
            "dispatches": self.dispatches, "textures": census.textures(), "shaders": Map::from_iter(shaders),
            "faults": self.index.fault_summary(), "read_error": stop,
            "starts_in_the_middle": self.index.missing_objects().starts_in_the_middle(),
        });
        Map::from_iter([("overview".to_owned(), members)])
    }

    /// Writes the lines.
    pub(super) fn write(
        &self,
        out: &mut impl Write,
        (path, decoded_from): (&Path, Option<DecodedFrom>),
        trace: &Trace,
        is_deep: bool,
    ) -> std::io::Result<()> {
        let stored = decoded_from.map_or_else(String::new, |DecodedFrom { compression, stored_bytes, .. }| {
            format!(", stored in {} of {}", counted(stored_bytes, "byte"), compression.name())
        });
        let size = counted(trace.size_bytes(), "byte");
        writeln!(out, "{}: AeroGPU trace, {size}{stored}", path.display())?;
        const MORE: &str = "`info --deep`: container, metadata, frames, packets, blobs";
        let lines = [
            ("API", self.apis()),
            ("picture", self.pictures()),
            ("frames", self.frames(trace)),
            ("draws", self.draws()),
            ("textures", self.index.census().textures().to_string()),
            ("shaders", self.shaders()),
            ("faults", self.faults()),
            ("recorded by", recorded_by(trace)),
            ("duration", "not recorded: the format has no clock".to_owned()),
            ("start", self.start()),
            ("more", MORE.to_owned()),
        ];
        let shown = lines.len() - usize::from(is_deep);
        for (name, value) in lines.into_iter().take(shown) {
            writeln!(out, "{}", Fitted(&format!("{name:<14}{value}")))?;
        }
        Ok(())
    }

    fn apis(&self) -> String {
        let names: Vec<&str> = self.index.census().apis().iter().map(|api| api.name()).collect();
        match names.as_slice() {
            [] => "none: nothing is drawn or shown".to_owned(),
            [one] if *one == Api::AppendixA.name() => {
                format!("{one}: the trace format's own packets")
            }
            [one] => (*one).to_owned(),
            [others @ .., last] => format!("{} and {last}", others.join(", ")),
        }
    }

    fn pictures(&self) -> String {
        let census = self.index.census();
        let sizes: Vec<String> = picture_sizes(census).iter().map(Size::to_string).collect();
        if !census.presented_sizes().is_empty() {
            return sizes.join(", ");
        }
        let why = match census.largest_viewport() {
            _ if sizes.is_empty() => return "none: nothing is presented".to_owned(),
            Some(_) => "the largest SET_VIEWPORT",
            None => "the default without a SET_VIEWPORT",
        };
        format!("{}, {why}", sizes.join(", "))
    }

    fn frames(&self, trace: &Trace) -> String {
        let mut text = self.frame_count.to_string();
        if matches!(trace.frame_source(), FrameSource::Scan { .. }) {
            text += ", recovered from a damaged file";
        }
        if let Some(origin) = trimmed_from(trace) {
            text += &format!(", trimmed from {}", Harmless(&origin));
        }
        let (read, limit_mib) = (self.index.frame_count(), MAX_OVERVIEW_BYTES >> 20);
        if read < self.frame_count && self.index.stop().is_none() {
            text += &match read {
                0 => format!("; the first is longer than the {limit_mib} MiB that are read without --deep"),
                _ => format!("; the lines below cover the first {read}, which fill {limit_mib} MiB"),
            };
        }
        text
    }

    fn draws(&self) -> String {
        match self.dispatches {
            0 => self.draws.to_string(),
            dispatches => format!("{}, and {}", self.draws, counted(dispatches as usize, "dispatch")),
        }
    }

    fn shaders(&self) -> String {
        let of_stage = self.index.census().shaders().iter();
        let parts: Vec<String> = of_stage.map(|(stage, count)| format!("{count} {}", stage.direct3d_name())).collect();
        if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
    }

    fn faults(&self) -> String {
        let faults = self.index.fault_summary();
        let stopped =
            self.index.stop().map(|stop| format!("unreadable from frame {} on: {}", stop.frame, stop.message));
        let kinds = match (faults.groups(), faults.ungrouped()) {
            ([], _) => None,
            ([one], 0) => Some(one.to_string()),
            ([first, others @ ..], _) => Some(format!(
                "{} for {}, which `lint` lists; first: {first}",
                counted(faults.count() as usize, "command"),
                counted(others.len() + 1, "reason"),
            )),
        };
        let all: Vec<String> = stopped.into_iter().chain(kinds).collect();
        if all.is_empty() { "none found (checked without a GPU)".to_owned() } else { all.join("; ") }
    }

    /// Whether the recording begins with what it needs.
    fn start(&self) -> String {
        let missing = self.index.missing_objects();
        if missing.starts_in_the_middle() {
            missing.to_string()
        } else {
            "complete: the trace creates every object that it uses".to_owned()
        }
    }
}

/// Sizes of what is shown: of the textures that are presented, or of the one target.
fn picture_sizes(census: &Census) -> Vec<Size> {
    let presented = census.presented_sizes();
    let is_shown = !census.apis().is_empty();
    let has_target = presented.is_empty() && is_shown || census.apis().contains(&Api::AppendixA);
    let target = has_target.then(|| census.largest_viewport().unwrap_or(DEFAULT_SIZE));
    presented.iter().copied().chain(target.filter(|target| !presented.contains(target))).collect()
}

/// The program that recorded the trace, and its notes.
fn recorded_by(trace: &Trace) -> String {
    let meta = trace.meta().json.as_ref();
    let text = |name: &str| meta.and_then(|meta| meta.get(name)).and_then(Value::as_str);
    match (text("emulator_version"), text("notes")) {
        (Some(version), Some(notes)) => format!("{version}: {notes}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => "unknown: the metadata does not say".to_owned(),
    }
}
