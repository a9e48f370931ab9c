//! Bytes that know how many of them were read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use trace_base::bytes::{ByteSource, ReadError};

/// Counts what is read.
pub struct CountingSource<S> {
    source: S,
    read: AtomicU64,
    reads: AtomicU64,
}

impl<S: ByteSource> CountingSource<S> {
    pub fn new(source: S) -> Arc<Self> {
        Arc::new(Self { source, read: AtomicU64::new(0), reads: AtomicU64::new(0) })
    }

    /// Number of bytes read since the last call.
    pub fn take_read(&self) -> u64 {
        self.read.swap(0, Ordering::Relaxed)
    }

    /// Number of reads since this was asked last.
    pub fn take_reads(&self) -> u64 {
        self.reads.swap(0, Ordering::Relaxed)
    }
}

impl<S: ByteSource> ByteSource for CountingSource<S> {
    fn size_bytes(&self) -> u64 {
        self.source.size_bytes()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<(), ReadError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.read.fetch_add(into.len() as u64, Ordering::Relaxed);
        self.source.read_at(offset, into)
    }
}
