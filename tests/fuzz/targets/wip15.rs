//! Bytes → a WIP15 trace: calls and a timeline as far as it goes, or an error with a place among these bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trace_base::bytes::MemorySource;
use trace_base::error::Classified;
use trace_timeline::annotation::{AnnotationFormat, wip15::Wip15};
use trace_timeline::wip15::{BlobPolicy, MAGIC, Reader};

fuzz_target!(|data: &[u8]| {
    // Most inputs would stop at the magic.
    let bytes = [&MAGIC[..], data].concat();
    let source = MemorySource::from(bytes.clone());
    if let Ok(mut reader) = Reader::open(&source, BlobPolicy::Check) {
        while let Some(op) = reader.next_op() {
            if let Err(error) = op {
                assert!(error.offset().is_some_and(|offset| offset <= bytes.len() as u64), "{error}");
            }
        }
    }
    let _ = Wip15.map(&source, "fuzzed");
});
