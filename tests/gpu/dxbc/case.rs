//! A case: shaders, what they read, and what they draw. The README beside the cases says what stands in their JSON.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use aerogpu_replay::shader::d3d::{Program, decode};
use serde_json::{Map, Value};

/// A case, and the folder that its files lie in.
pub struct Case {
    pub name: String,
    folder: PathBuf,
    json: Value,
    /// Files that were made, and lie nowhere.
    files: BTreeMap<String, Vec<u8>>,
}

impl Case {
    pub fn read(path: &Path) -> Self {
        let json: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        Self {
            name: text(&json["name"]).to_owned(),
            folder: path.parent().unwrap().to_owned(),
            json,
            files: BTreeMap::new(),
        }
    }

    /// A case that lies in no folder.
    pub fn made(name: String, json: Value, files: BTreeMap<String, Vec<u8>>) -> Self {
        Self { name, folder: PathBuf::new(), json, files }
    }

    /// Writes a made case to a folder, its files called after it.
    pub fn write(&self, folder: &Path) {
        fs::write(folder.join(format!("{}.json", self.name)), self.json.to_string()).unwrap();
        for (file, bytes) in &self.files {
            fs::write(folder.join(format!("{}.{file}", self.name)), bytes).unwrap();
        }
    }

    pub fn get(&self, key: &str) -> &Value {
        &self.json[key]
    }

    /// The program of a stage: `vs`, `ps` or `cs`.
    pub fn program(&self, stage: &str) -> Option<Program> {
        let name = self.json["shaders"][stage].as_str()?;
        Some(decode(&self.file(name), 0).unwrap_or_else(|error| panic!("{name}: {error}")))
    }

    pub fn file(&self, name: &str) -> Vec<u8> {
        if let Some(made) = self.files.get(name) {
            return made.clone();
        }
        fs::read(self.folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Bytes in hex, or a file of them.
    pub fn bytes(&self, value: &Value) -> Vec<u8> {
        let text = text(value);
        match text.strip_prefix('@') {
            Some(file) => self.file(file),
            None => hex(text),
        }
    }

    /// The resources of a stage whose names begin with a letter, by slot.
    pub fn resources(&self, stage: &str, letter: char) -> BTreeMap<u32, &Value> {
        let all = self.json["resources"][stage].as_object();
        let all = all.into_iter().flat_map(Map::iter);
        all.filter_map(|(name, value)| Some((name.strip_prefix(letter)?.parse().ok()?, value))).collect()
    }

    /// The bank of constants of SM1 to SM3: floats, integers, flags.
    pub fn legacy_constants(&self, stage: &str) -> Vec<u8> {
        const BANKS: [(&str, usize, usize); 3] = [("f", 256, 16), ("i", 16, 16), ("b", 16, 4)];
        let of_bank = |(bank, count, size): (&str, usize, usize)| {
            let mut bytes = vec![0; count * size];
            for (first, values) in self.json["constants"][stage][bank].as_object().into_iter().flatten() {
                let start = first.parse::<usize>().unwrap() * size;
                let values = if values.is_string() { self.bytes(values) } else { words(values) };
                bytes[start..start + values.len()].copy_from_slice(&values);
            }
            bytes
        };
        BANKS.into_iter().flat_map(of_bank).collect()
    }

    pub fn is_compute(&self) -> bool {
        self.json["dispatch"].is_array()
    }

    pub fn is_d3d9(&self) -> bool {
        text(&self.json["model"]).starts_with(['1', '2', '3'])
    }
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("expected a text, found {value}"))
}

/// A number, or what it is where there is none.
pub fn number(value: &Value, or: u32) -> u32 {
    value.as_i64().map_or(or, |number| number as u32)
}

/// All numbers of a list of lists, as words.
fn words(value: &Value) -> Vec<u8> {
    match value {
        Value::Array(list) => list.iter().flat_map(words).collect(),
        number => (number.as_i64().unwrap() as i32).to_le_bytes().to_vec(),
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digit = |digit: u8| (digit as char).to_digit(16).unwrap_or_else(|| panic!("{text:.20} is not in hex")) as u8;
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    assert!(rest.is_empty(), "{text:.20} ends in the middle of a byte");
    pairs.iter().map(|[high, low]| digit(*high) << 4 | digit(*low)).collect()
}
