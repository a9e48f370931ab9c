//! Bytes → a wtf-trace of any dialect: events and a timeline as far as it goes, or an error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trace_base::bytes::MemorySource;
use trace_timeline::annotation::{AnnotationFormat, wtf::Wtf};
use trace_timeline::wtf::Reader;

fuzz_target!(|data: &[u8]| {
    let source = MemorySource::from(data.to_vec());
    let mut reader = Reader::new(&source);
    loop {
        match reader.next_event() {
            Ok(Some(event)) => drop(event.arguments().count()),
            Ok(None) => break,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                break;
            }
        }
    }
    let _ = Wtf.map(&source, "fuzzed");
});
