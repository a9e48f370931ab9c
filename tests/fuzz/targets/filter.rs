//! Bytes → a filter over rows: one that can be asked, or an error that says where in the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trace_base::listing::{Filter, Subject, Value};

struct Row;

impl Subject for Row {
    fn name(&self) -> &str {
        "DRAW"
    }

    fn any_argument(&self, _: &str, passes: &mut dyn FnMut(&Value) -> bool) -> bool {
        passes(&Value::UInt(3)) || passes(&Value::F32(f32::NAN)) || passes(&Value::Text("a".into()))
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Filter::parse(text) {
        Ok(filter) => drop(filter.accepts(&Row)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
