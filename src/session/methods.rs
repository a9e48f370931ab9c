//! The methods of a session and their parameters, as `serve --help` and `initialize` list them.

/// A method that a session answers.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// Its parameters; `?` marks what may be left out.
    pub parameters: &'static [&'static str],
}

/// All methods.
#[rustfmt::skip]
pub const METHODS: [Method; 17] = [
    method("initialize", &[]),
    method("info", &[]),
    method("open", &["path", "size?", "shaders?", "replace_shaders?", "keep_going?"]),
    method("close", &["trace"]),
    method("seek", &["trace", "place?", "frame?", "draw?", "packet?"]),
    method("hash", &["trace", "place?", "frame?", "draw?", "packet?", "present?", "scanout?", "target?"]),
    method("image", &["trace", "place?", "frame?", "draw?", "packet?", "present?", "scanout?", "target?", "path?"]),
    method("pixel", &["trace", "place?", "frame?", "draw?", "packet?", "present?", "scanout?", "target?", "x", "y"]),
    method("state", &["trace", "place?", "frame?", "draw?", "packet?"]),
    method("events", &["trace", "frame?", "filter?", "first?", "count?"]),
    method("find", &["trace", "filter", "from?", "direction?"]),
    method("buffer", &["trace", "place?", "frame?", "draw?", "packet?", "id?", "start?", "end?", "vertices?"]),
    method("mesh", &["trace", "frame?", "draw", "instance?", "first?", "count?"]),
    method("shaders", &["trace", "place?", "frame?", "draw?", "packet?"]),
    method("edit", &["trace", "place?", "frame?", "draw?", "packet?", "record_offset", "text?"]),
    method("save_edits", &["trace", "folder"]),
    method("shutdown", &[]),
];

const fn method(name: &'static str, parameters: &'static [&'static str]) -> Method {
    Method { name, parameters }
}
