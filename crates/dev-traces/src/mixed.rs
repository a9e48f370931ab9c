//! Traces with both ABIs, made of fixtures of one; and their twins without the records of the other, in whose place blobs
//! stand that nobody reads, so that everything stands where it stood.

use std::fs;
use std::path::Path;

use super::fixture;
use super::raw::RawTrace;

/// The ABI of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abi {
    AppendixA,
    A3a0,
}

/// A record of a frame.
#[derive(Clone)]
pub struct Record {
    pub kind: u8,
    pub payload: Vec<u8>,
}

impl Record {
    /// The ABI that it is of, if it is of one.
    pub fn abi(&self) -> Option<Abi> {
        match self.kind {
            1 | 2 | 4 => None,
            3 if !self.payload.starts_with(b"ACMD") => Some(Abi::AppendixA),
            _ => Some(Abi::A3a0),
        }
    }
}

/// The records of each frame of a trace, without those that begin and end it.
fn frames_of(path: &Path) -> Vec<Vec<Record>> {
    let bytes = fs::read(path).unwrap();
    let dword = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (mut at, mut frames, mut open) = (32 + dword(24), Vec::new(), Vec::new());
    while (1..=5).contains(&bytes[at]) {
        let (kind, length) = (bytes[at], dword(at + 4));
        match kind {
            1 => {}
            2 => frames.push(std::mem::take(&mut open)),
            _ => open.push(Record { kind, payload: bytes[at + 8..at + 8 + length].to_vec() }),
        }
        at += 8 + length;
        if bytes[at..].starts_with(b"AEROTOC") || bytes.len() - at < 64 {
            break;
        }
    }
    frames
}

/// A trace of these frames; of one ABI alone, if one is named.
pub fn write(path: &Path, frames: &[Vec<Record>], only: Option<Abi>) {
    let mut trace = RawTrace::new();
    trace.version = 2;
    for (number, records) in (0..).zip(frames) {
        let start = trace.offset();
        trace.begin(number);
        let mut left_out = 0;
        for record in records {
            if only.is_some() && record.abi().is_some() && record.abi() != only {
                left_out += 8 + record.payload.len();
                continue;
            }
            fill(&mut trace, &mut left_out);
            trace.record(record.kind, &record.payload);
        }
        fill(&mut trace, &mut left_out);
        trace.present(number).frame_since(start);
    }
    fs::write(path, trace.finish()).unwrap();
}

/// Puts a blob that nobody reads in the place of records that are left out.
fn fill(trace: &mut RawTrace, left_out: &mut usize) {
    if *left_out > 0 {
        trace.blob(0xdead_0000, 1, &vec![0; left_out.checked_sub(24).expect("too few bytes for a blob")]);
    }
    *left_out = 0;
}

/// Frames in several orders: submissions first or last, in turns, and both in one frame.
pub fn mixtures() -> Vec<(&'static str, Vec<Vec<Record>>)> {
    let [packets] = frames_of(&fixture("triangle")).try_into().unwrap_or_else(|_| panic!("triangle has a frame"));
    let submitted = frames_of(&fixture("a3a0/scene"));
    let [first, second] = [&submitted[0], &submitted[1]].map(Vec::clone);
    // The last two packets are DRAW and PRESENT.
    let again = packets[packets.len() - 2..].to_vec();
    let present = vec![packets[packets.len() - 1].clone(); 2];
    vec![
        ("packets_first", vec![packets.clone(), first.clone(), second.clone()]),
        ("submissions_first", vec![first.clone(), second.clone(), packets.clone()]),
        ("in_turns", vec![first.clone(), packets.clone(), second.clone(), again.clone(), vec![], present.clone()]),
        ("in_one", vec![[packets.clone(), first.clone()].concat(), [second.clone(), again].concat(), present]),
        ("in_one_turned", vec![[first, packets].concat(), second]),
    ]
}
