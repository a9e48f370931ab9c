//! The guest's memory: one allocation, which every submission brings along as it is then.

use aerogpu_replay::abi::a3a0::{ABI_VERSION, TableEntry, TableWriter};

pub const ALLOCATION: u32 = 7;
pub const ADDRESS: u64 = 0x10_0000;
/// Bytes for what a handle names, twice, so that it can move.
pub const PLACE_BYTES: u32 = 4096;

/// Number of such places.
pub const PLACES: u32 = 32;

#[derive(Debug)]
pub struct GuestMemory(Vec<u8>);

impl Default for GuestMemory {
    fn default() -> Self {
        Self(vec![0; (PLACE_BYTES * PLACES) as usize])
    }
}

impl GuestMemory {
    pub fn bytes(&self, start: u32, size: u32) -> &[u8] {
        &self.0[start as usize..][..size as usize]
    }

    pub fn set(&mut self, at: u32, byte: u8) {
        self.0[at as usize] = byte;
    }

    /// As it is captured now.
    pub fn snapshot(&self) -> Vec<u8> {
        self.0.clone()
    }
}

/// The table of the one allocation.
pub fn table(size_bytes: u64) -> Vec<u8> {
    let mut table = TableWriter::new(ABI_VERSION);
    let entry = TableEntry { alloc_id: ALLOCATION, flags: 0, gpa: ADDRESS, size_bytes, reserved: 0 };
    table.entry(&entry, &[]).unwrap();
    table.finish(&[]).unwrap()
}
