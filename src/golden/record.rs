//! Writes golden.toml, and changes it without losing what people wrote into it.

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, TableLike, value};

use super::case::GOLDEN_SCHEMA;
use super::machine::Machine;
use crate::command::{FramePicture, Shown};
use crate::error::Internal;
use crate::pixels::{PictureHash, Size};

/// What is to stand in a golden.toml.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    /// SHA-256 of the trace, as 64 hex digits.
    pub trace_sha256: String,
    /// The machine, if it is to be recorded anew.
    pub machine: Option<Machine>,
    /// Pictures and the hashes they accept.
    pub pictures: Vec<(FramePicture, Hashes)>,
}

/// What a picture's place accepts.
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

/// The tables of an array of a golden.toml, which is made if it is not there. TOML has two ways to write one, and both are
/// read: `[[frame]]`, and within one line `frame = [{ index = 0 }]`, which becomes the first.
fn tables<'a>(table: &'a mut Table, key: &str) -> Result<&'a mut ArrayOfTables, Internal> {
    const NO_TABLES: Internal = Internal::new("the frames of golden.toml are not tables");
    if table.get(key).is_none_or(Item::is_value) {
        let tables = match table.remove(key) {
            Some(Item::Value(toml_edit::Value::Array(array))) if array.is_empty() => Ok(ArrayOfTables::new()),
            Some(item) => item.into_array_of_tables(),
            None => Ok(ArrayOfTables::new()),
        };
        table.insert(key, Item::ArrayOfTables(tables.map_err(|_| NO_TABLES)?));
    }
    table.get_mut(key).and_then(Item::as_array_of_tables_mut).ok_or(NO_TABLES)
}

/// The table of a picture in a golden.toml, which is made if it is not there.
pub(super) fn table_of(document: &mut DocumentMut, of: FramePicture) -> Result<&mut Table, Internal> {
    let index = Some(of.frame.0);
    let frame = find_or_push(
        tables(document, "frame")?,
        |table| number(table, "index") == index,
        |table| set_number(table, "index", index),
    )?;
    match of.shown {
        Shown::Screen { scanout: None, present: None } => Ok(frame),
        Shown::Screen { scanout, present } => find_or_push(
            tables(frame, "present")?,
            |table| (number(table, "scanout"), number(table, "index")) == (scanout, present),
            |table| {
                set_number(table, "scanout", scanout);
                set_number(table, "index", present);
            },
        ),
        Shown::Target(name) => find_or_push(
            tables(frame, "target")?,
            // silent: a table that names another texture
            |table| table.get("resource").and_then(Item::as_str).and_then(|text| text.parse().ok()) == Some(name),
            |table| drop(table.insert("resource", value(name.to_string()))),
        ),
    }
}

fn find_or_push(
    tables: &mut ArrayOfTables,
    is_it: impl Fn(&Table) -> bool,
    name: impl FnOnce(&mut Table),
) -> Result<&mut Table, Internal> {
    let found = tables.iter().position(is_it);
    let position = found.unwrap_or(tables.len());
    if found.is_none() {
        let mut table = Table::new();
        name(&mut table);
        tables.push(table);
    }
    tables.get_mut(position).ok_or(Internal::new("a table of golden.toml is missing"))
}

fn number(table: &Table, key: &str) -> Option<u32> {
    // silent: a table that has no such number is of another picture
    table.get(key).and_then(Item::as_integer).and_then(|number| u32::try_from(number).ok())
}

fn set_number(table: &mut Table, key: &str, number: Option<u32>) {
    if let Some(number) = number {
        table.insert(key, value(i64::from(number)));
    }
}

/// Has the recording in a golden.toml; comments, order and other fields stay.
pub(crate) fn record(document: &mut DocumentMut, recording: &Recording) -> Result<(), Internal> {
    set(&mut **document, "trace_sha256", &recording.trace_sha256);
    if let Some(machine) = &recording.machine {
        let table = document.entry("recorded").or_insert_with(|| Item::Table(Table::new())).as_table_like_mut();
        let table = table.ok_or(Internal::new("the machine of golden.toml is not a table"))?;
        for (key, text) in fields(machine) {
            set(table, key, text);
        }
    }
    for (of, hashes) in &recording.pictures {
        set_hashes(table_of(document, *of)?, hashes);
    }
    Ok(())
}

/// Sets what a picture's place accepts.
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
    use crate::format::aerogpu::FrameIndex;

    fn updated(text: &str, recording: &Recording) -> String {
        let mut document: DocumentMut = text.parse().unwrap();
        record(&mut document, recording).unwrap();
        document.to_string()
    }

    #[test]
    fn frames_and_machine_may_stand_in_one_line() {
        let (adapter, backend, kind) = ("a".to_owned(), "vulkan".to_owned(), "cpu".to_owned());
        let machine = Machine { adapter, backend, kind, driver: "d".to_owned(), cpu: "c".to_owned() };
        let pictures = vec![(FrameIndex(3).into(), Hashes::only(PictureHash([1; 32])))];
        let recording = Recording { trace_sha256: "new".to_owned(), machine: Some(machine), pictures };
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
            pictures: vec![
                (FrameIndex(3).into(), Hashes::only(PictureHash([1; 32]))),
                (FrameIndex(4).into(), Hashes::default()),
            ],
        };
        let updated = updated(text, &recording);
        assert!(updated.starts_with("# the lake\nschema = 1\ntrace = \"a\" # short\ntrace_sha256 = \"new\" # why\n"));
        assert!(updated.contains("known_failure = \"water\""), "{updated}");
        assert!(updated.contains(&format!("hashes = [\"{}\"]", "01".repeat(32))), "{updated}");
        assert!(updated.contains("index = 4\nhashes = []"), "{updated}");
    }
}
