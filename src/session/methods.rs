//! The methods of a session and their parameters, as `serve --help` and `initialize` list them, and as the tools of
//! `serve --mcp` describe them.

use serde_json::{Value, json};

use crate::analysis::OverlayName;
use crate::shader::LanguageChoice;

/// A method that a session answers.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// Its answer in a sentence.
    pub summary: &'static str,
    /// It leaves files and pictures as they are.
    pub only_reads: bool,
    /// Its parameters; `?` marks what may be left out.
    pub parameters: &'static [&'static str],
}

const READS: bool = true;
const WRITES: bool = false;

/// All methods.
#[rustfmt::skip]
pub const METHODS: [Method; 24] = [
    method("initialize", READS, "Name, version and methods of the program.", &[]),
    method("info", READS, "Version, methods and adapter of the program, and the open traces.", &[]),
    method("open", READS, "Opens a trace; gives its handle, number of frames, size, warnings and faults.", &["path", "size?", "shaders?", "replace_shaders?", "keep_going?"]),
    method("close", READS, "Closes a trace.", &["trace"]),
    method("seek", READS, "Goes to a place: later questions without a place are about it.", &["trace", "place?", "frame?", "draw?", "packet?"]),
    method("hash", READS, "Size and SHA-256 of the picture at a place, drawn on the GPU.", &["trace", "place?", "frame?", "draw?", "packet?", "present?", "scanout?", "target?"]),
    method("image", WRITES, "The picture at a place, or of a texture, as PNG, as bytes or in a file.", &["trace", "place?", "frame?", "draw?", "packet?", "present?", "scanout?", "target?", "path?", "form?"]),
    method("pixel", READS, "History of a pixel in a frame: every CLEAR and draw that could have changed it, and what each did or why it did nothing.", &["trace", "place?", "frame?", "draw?", "packet?", "present?", "scanout?", "target?", "x", "y"]),
    method("overlay", READS, "Picture of what a draw covers, of the tests that it passes, of triangles, of overdraw or of the age of pixels, with a legend.", &["trace", "place?", "frame?", "draw?", "packet?", "present?", "scanout?", "target?", "kind", "form?"]),
    method("draws", READS, "Draws of a frame: counts, groups of markers, targets and shaders.", &["trace", "frame?", "first?", "count?"]),
    method("passes", READS, "Passes of a frame: what each draws to, reads of others and writes for whom, over all frames.", &["trace", "frame?", "first?", "count?"]),
    method("state", READS, "Everything that is bound and set at a place, and the objects that are alive.", &["trace", "place?", "frame?", "draw?", "packet?"]),
    method("events", READS, "Records and packets of a frame with their arguments.", &["trace", "frame?", "filter?", "first?", "count?"]),
    method("find", READS, "Next or previous packet of the trace that a filter accepts.", &["trace", "filter", "from?", "direction?"]),
    method("buffer", READS, "Bytes of a buffer with who wrote them, or its vertices.", &["trace", "place?", "frame?", "draw?", "packet?", "id?", "start?", "end?", "vertices?"]),
    method("mesh", READS, "Outputs of a draw's vertex shader, and what became of each triangle.", &["trace", "frame?", "draw", "instance?", "first?", "count?"]),
    method("shaders", READS, "Texts or assembly of the shaders that are bound at a place, with issues.", &["trace", "place?", "frame?", "draw?", "packet?"]),
    method("edit", WRITES, "Tries another text for a shader, and draws with it from then on if nothing is wrong with it.", &["trace", "place?", "frame?", "draw?", "packet?", "record_offset", "text?"]),
    method("lint", READS, "Findings about what is legal and still looks like a mistake.", &["trace", "frame?"]),
    method("compare", READS, "Frames of two traces that belong together, and the first frame, draw and settings that differ.", &["trace", "with"]),
    method("annotations", READS, "Tracks and frames of a recording of another program, and which of its frames are frames of a trace.", &["path", "trace?", "align?", "start?", "end?", "count?"]),
    method("trim", READS, "A trace of some frames with what they depend on, in base64.", &["trace", "frames"]),
    method("save_edits", WRITES, "Writes the edited shaders to files of a folder.", &["trace", "folder"]),
    method("shutdown", READS, "Ends the session once everything is answered.", &[]),
];

const fn method(
    name: &'static str,
    only_reads: bool,
    summary: &'static str,
    parameters: &'static [&'static str],
) -> Method {
    Method { name, summary, only_reads, parameters }
}

impl Method {
    /// The parameters that may not be left out.
    pub fn required(&self) -> impl Iterator<Item = &'static str> {
        self.parameters.iter().copied().filter(|parameter| !parameter.ends_with('?'))
    }

    /// The parameters as JSON Schema.
    pub fn schema(&self) -> Value {
        let names = self.parameters.iter().map(|parameter| parameter.trim_end_matches('?'));
        let properties: serde_json::Map<String, Value> =
            names.map(|name| (name.to_owned(), parameter_schema(self.name, name))).collect();
        json!({
            "type": "object", "properties": properties, "required": self.required().collect::<Vec<_>>(),
            "additionalProperties": false,
        })
    }
}

/// Kind and meaning of a parameter, which has one meaning in all methods but those of `path`, `start` and `end`.
fn parameter_schema(method: &str, name: &str) -> Value {
    let integer = |meaning: &str| json!({ "type": "integer", "minimum": 0, "description": meaning });
    let text = |meaning: &str| json!({ "type": "string", "description": meaning });
    let flag = |meaning: &str| json!({ "type": "boolean", "description": meaning });
    let choice = |names: &[&str]| json!({ "type": "string", "enum": names });
    match name {
        "trace" => integer("Handle that open gave"),
        "with" => integer("Handle of the trace to compare with"),
        "frame" => integer("Frame, counted from 0"),
        "draw" => integer("Draw of the frame, counted from 0: the place behind it"),
        "packet" => integer("Packet of the frame, counted from 0: the place behind it"),
        "place" => text("Frame, draw and packet in one: 7, 7/start, 7/draw=2 or 7/packet=12"),
        "present" => integer("Present of the frame, counted from 0"),
        "scanout" => integer("Scanout whose picture is meant"),
        "target" => json!({
            "type": ["integer", "string"],
            "description": "Texture whose picture is meant: its handle, or HANDLE:MIP:LAYER",
        }),
        "x" => integer("Column of the pixel"),
        "y" => integer("Row of the pixel, from the top"),
        "kind" => choice(&OverlayName::ALL.map(OverlayName::name)),
        "form" => choice(&["png", "pixels"]),
        "first" => integer("First row of the answer"),
        "count" => integer("Most rows of the answer"),
        "filter" => text("Name of packets, with conditions on their arguments: DRAW, UPLOAD_BUFFER(offset_bytes > 40)"),
        "from" => json!({
            "type": "object", "properties": { "frame": { "type": "integer" }, "row": { "type": "integer" } },
            "required": ["frame", "row"], "description": "Row from which to look",
        }),
        "direction" => choice(&["next", "previous"]),
        "id" => integer("Handle of the buffer"),
        "start" if method == "buffer" => integer("First byte, or first vertex"),
        "end" if method == "buffer" => integer("End of the bytes, or of the vertices"),
        "start" => integer("First tick of the recording"),
        "end" => integer("Tick of the recording at which to end"),
        "vertices" => flag("Whether vertices are meant instead of bytes"),
        "instance" => integer("Instance of the draw, counted from 0"),
        "record_offset" => integer("record_offset or code_offset of the shader, as shaders gave it"),
        "text" => json!({ "type": ["string", "null"], "description": "Text to draw with; null is the trace's own" }),
        "frames" => text("Frames to keep, such as 3-5,9"),
        "align" => text("Way to match frames: auto, frames, frames:A=B, numbers, mark:NAME or offset-us:N"),
        "folder" => text("Folder to write to"),
        "path" if method == "open" => text("File of the trace"),
        "path" if method == "annotations" => text("File of the recording"),
        "path" => text("File to write the picture to, instead of into the answer"),
        "size" => text("Size of the target before anything is presented: auto or WIDTHxHEIGHT"),
        "shaders" => choice(&LanguageChoice::all().map(LanguageChoice::name).collect::<Vec<_>>()),
        "replace_shaders" => text("Folder of shaders that replace the trace's"),
        "keep_going" => flag("Whether to play on behind what cannot be carried out"),
        _ => json!({}),
    }
}
