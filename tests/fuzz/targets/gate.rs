//! Bytes → a text in WGSL: refused by the gate, or one that naga reads in a second, whatever it says of it.

#![no_main]

use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use naga_gate::{check_module, check_text, guarded};

/// Texts here are a hundredth of what the gate lets pass.
const LONGEST: Duration = Duration::from_secs(5);

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if check_text(text).is_err() {
        return;
    }
    let begun = Instant::now();
    // A panic of naga's is an error there, and none of the gate.
    if let Ok(Ok(module)) = guarded(|| naga::front::wgsl::parse_str(text)) {
        let _ = check_module(&module);
    }
    assert!(begun.elapsed() < LONGEST, "{:?}", begun.elapsed());
});
