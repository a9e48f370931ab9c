//! Writes small WIP15 traces for tests.

use std::collections::BTreeMap;

/// A value as bytes, with the three bytes of its type.
#[derive(Clone)]
pub struct Arg {
    pub kind: [u8; 3],
    pub bytes: Vec<u8>,
}

pub fn leb(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

pub fn uint(number: u64) -> Arg {
    Arg { kind: [1, 0, 0], bytes: leb(number) }
}

pub fn int(number: i64) -> Arg {
    Arg { kind: [2, 0, 0], bytes: leb(u64::from(number < 0) | number.unsigned_abs() << 1) }
}

pub fn ptr(address: u64) -> Arg {
    Arg { kind: [3, 0, 0], bytes: leb(address) }
}

pub fn boolean(is_true: bool) -> Arg {
    Arg { kind: [4, 0, 0], bytes: vec![is_true.into()] }
}

pub fn text(text: &str) -> Arg {
    Arg { kind: [7, 0, 0], bytes: string(text.as_bytes()) }
}

pub fn void() -> Arg {
    Arg { kind: [0, 0, 0], bytes: Vec::new() }
}

pub fn uints(numbers: &[u64]) -> Arg {
    let mut bytes = (numbers.len() as u32).to_le_bytes().to_vec();
    numbers.iter().for_each(|number| bytes.extend(leb(*number)));
    Arg { kind: [1, 0, 1], bytes }
}

pub fn data(method: u8, size: u32, stored: &[u8]) -> Arg {
    let mut bytes = vec![method];
    bytes.extend(size.to_le_bytes());
    bytes.extend((stored.len() as u32).to_le_bytes());
    bytes.extend(stored);
    Arg { kind: [8, 0, 0], bytes }
}

fn string(bytes: &[u8]) -> Vec<u8> {
    [(bytes.len() as u32).to_le_bytes().as_slice(), bytes].concat()
}

/// A trace that declares functions as they are called.
pub struct Trace {
    pub bytes: Vec<u8>,
    functions: BTreeMap<String, u32>,
}

impl Default for Trace {
    fn default() -> Self {
        Self::new()
    }
}

impl Trace {
    pub fn new() -> Self {
        let mut bytes = b"WIP15_\0\0".to_vec();
        bytes.extend(64u32.to_le_bytes());
        bytes.extend(8u32.to_le_bytes());
        Self { bytes, functions: BTreeMap::new() }
    }

    pub fn declare(&mut self, index: u32, name: &str, result: [u8; 3], arguments: &[[u8; 3]]) {
        self.bytes.push(0);
        self.bytes.extend(index.to_le_bytes());
        self.bytes.extend(string(name.as_bytes()));
        self.bytes.extend(result);
        self.bytes.extend((arguments.len() as u32).to_le_bytes());
        arguments.iter().for_each(|kind| self.bytes.extend(kind));
    }

    pub fn raw_call(&mut self, index: u32, body: &[u8]) {
        self.bytes.push(2);
        self.bytes.extend(index.to_le_bytes());
        self.bytes.extend(body);
        self.bytes.extend(0u32.to_le_bytes());
    }

    pub fn call(&mut self, name: &str, arguments: &[Arg], result: &Arg) {
        let next = self.functions.len() as u32;
        let index = *self.functions.entry(name.to_owned()).or_insert(next);
        if index == next {
            let kinds: Vec<[u8; 3]> = arguments.iter().map(|argument| argument.kind).collect();
            self.declare(index, name, result.kind, &kinds);
        }
        let values = arguments.iter().chain([result]).flat_map(|argument| argument.bytes.clone());
        self.raw_call(index, &values.collect::<Vec<u8>>());
    }
}
