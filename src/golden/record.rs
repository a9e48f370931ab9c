//! Writes golden.toml, and changes it without losing what people wrote into it.

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, TableLike, value};

use super::case::GOLDEN_SCHEMA;
use super::machine::Machine;
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::pixels::{PictureHash, Size};

/// What is to stand in a golden.toml.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    /// SHA-256 of the trace, as 64 hex digits.
    pub trace_sha256: String,
    /// The machine, if it is to be recorded anew.
    pub machine: Option<Machine>,
    /// Frames and the hashes they accept.
    pub frames: Vec<(FrameIndex, Hashes)>,
}

/// What a frame accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hashes {
    /// Its picture's.
    pub own: Vec<PictureHash>,
    /// Those of other pictures.
    pub added: Vec<PictureHash>,
}

impl Hashes {
    /// The hash of a picture, and no other.
    pub(crate) fn only(hash: PictureHash) -> Self {
        Self { own: vec![hash], added: Vec::new() }
    }
}

/// A new golden.toml for `trace`, a path from its folder.
pub(crate) fn new_document(trace: &str, size: Size, recording: &Recording) -> Result<String, Internal> {
    let mut document = DocumentMut::new();
    document.insert("schema", value(i64::from(GOLDEN_SCHEMA)));
    document.insert("trace", value(trace));
    document.insert("trace_sha256", value(""));
    document.insert("size", value(size.to_string()));
    record(&mut document, recording)?;
    Ok(document.to_string())
}

/// The tables of a golden.toml's frames. TOML has two ways to write them, and both are read: `[[frame]]`, and within one
/// line `frame = [{ index = 0 }]`, which becomes the first.
pub(super) fn frame_tables(document: &mut DocumentMut) -> Result<&mut ArrayOfTables, Internal> {
    if document.get("frame").is_none_or(Item::is_value) {
        let tables = match document.remove("frame") {
            Some(Item::Value(toml_edit::Value::Array(array))) if array.is_empty() => Ok(ArrayOfTables::new()),
            Some(frames) => frames.into_array_of_tables(),
            None => Ok(ArrayOfTables::new()),
        };
        let tables = tables.map_err(|_| Internal::new("golden.toml was read, and its frames are no tables"))?;
        document.insert("frame", Item::ArrayOfTables(tables));
    }
    let frames = document.get_mut("frame").and_then(Item::as_array_of_tables_mut);
    frames.ok_or(Internal::new("golden.toml was read, and its frames are no tables"))
}

/// Has the recording in a golden.toml; comments, order and other fields stay.
pub(crate) fn record(document: &mut DocumentMut, recording: &Recording) -> Result<(), Internal> {
    set(&mut **document, "trace_sha256", &recording.trace_sha256);
    if let Some(machine) = &recording.machine {
        let table = document.entry("recorded").or_insert_with(|| Item::Table(Table::new())).as_table_like_mut();
        let table = table.ok_or(Internal::new("golden.toml was read, and its machine is no table"))?;
        for (key, text) in fields(machine) {
            set(table, key, text);
        }
    }
    let frames = frame_tables(document)?;
    for (frame, hashes) in &recording.frames {
        let index = i64::from(frame.0);
        let is_it = |table: &&mut Table| table.get("index").and_then(Item::as_integer) == Some(index);
        if let Some(table) = frames.iter_mut().find(is_it) {
            set_hashes(table, hashes);
            continue;
        }
        let mut table = Table::new();
        table.insert("index", value(index));
        set_hashes(&mut table, hashes);
        frames.push(table);
    }
    Ok(())
}

/// Sets what a frame accepts.
pub(super) fn set_hashes(table: &mut Table, hashes: &Hashes) {
    table.insert("hashes", value(hash_array(&hashes.own)));
    if hashes.added.is_empty() {
        table.remove("added");
    } else {
        table.insert("added", value(hash_array(&hashes.added)));
    }
}

/// One hash stands in the line, several below each other.
fn hash_array(hashes: &[PictureHash]) -> Array {
    let mut array: Array = hashes.iter().map(PictureHash::to_string).collect();
    if hashes.len() > 1 {
        array.iter_mut().for_each(|hash| hash.decor_mut().set_prefix("\n    "));
        array.set_trailing("\n");
        array.set_trailing_comma(true);
    }
    array
}

/// Sets a text in place, so that a comment behind it stays.
fn set(table: &mut dyn TableLike, key: &str, text: &str) {
    let decor = table.get(key).and_then(Item::as_value).map(|old| old.decor().clone());
    let mut new = toml_edit::Value::from(text);
    if let Some(decor) = decor {
        *new.decor_mut() = decor;
    }
    table.insert(key, Item::Value(new));
}

fn fields(machine: &Machine) -> [(&'static str, &str); 5] {
    [
        ("adapter", &machine.adapter),
        ("backend", &machine.backend),
        ("kind", &machine.kind),
        ("driver", &machine.driver),
        ("cpu", &machine.cpu),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn updated(text: &str, recording: &Recording) -> String {
        let mut document: DocumentMut = text.parse().unwrap();
        record(&mut document, recording).unwrap();
        document.to_string()
    }

    #[test]
    fn frames_and_machine_may_stand_in_one_line() {
        let (adapter, backend, kind) = ("a".to_owned(), "vulkan".to_owned(), "cpu".to_owned());
        let machine = Machine { adapter, backend, kind, driver: "d".to_owned(), cpu: "c".to_owned() };
        let frames = vec![(FrameIndex(3), Hashes::only(PictureHash([1; 32])))];
        let recording = Recording { trace_sha256: "new".to_owned(), machine: Some(machine), frames };
        let hash = format!("hashes = [\"{}\"]", "01".repeat(32));
        for (frames, expected) in [
            ("frame = []", format!("[[frame]]\nindex = 3\n{hash}")),
            ("frame = [{ index = 3, known_failure = \"water\" }]", format!("known_failure = \"water\"\n{hash}")),
            ("frame = [{ index = 3 }, { index = 4 }]", hash.clone()),
        ] {
            let text = format!("schema = 1\n{frames}\nrecorded = {{ adapter = \"old\" }}\nsize = \"1x1\"\n");
            let updated = updated(&text, &recording);
            assert!(updated.contains(&expected), "{updated}");
            assert!(updated.contains("adapter = \"a\""), "{updated}");
            assert_eq!(updated.matches("index = ").count(), frames.matches("index = ").count().max(1), "{updated}");
            updated.parse::<DocumentMut>().unwrap();
        }
    }

    #[test]
    fn an_update_keeps_what_people_wrote() {
        let text = "# the lake\nschema = 1\ntrace = \"a\" # short\ntrace_sha256 = \"old\" # why\nsize = \"1x1\"\n\
                    [[frame]]\nindex = 3\nhashes = []\nknown_failure = \"water\"\n";
        let recording = Recording {
            trace_sha256: "new".to_owned(),
            machine: None,
            frames: vec![(FrameIndex(3), Hashes::only(PictureHash([1; 32]))), (FrameIndex(4), Hashes::default())],
        };
        let updated = updated(text, &recording);
        assert!(updated.starts_with("# the lake\nschema = 1\ntrace = \"a\" # short\ntrace_sha256 = \"new\" # why\n"));
        assert!(updated.contains("known_failure = \"water\""), "{updated}");
        assert!(updated.contains(&format!("hashes = [\"{}\"]", "01".repeat(32))), "{updated}");
        assert!(updated.contains("index = 4\nhashes = []"), "{updated}");
    }
}
