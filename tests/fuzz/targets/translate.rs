//! Bytes → two texts → [`pair::check`]. A record separator (0x1e) stands between vertex and fragment text; without one
//! the bytes are tried as either, beside a plain text for the other stage.

#![no_main]

mod pair;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    match data.iter().position(|byte| *byte == 0x1e) {
        Some(at) => pair::check(&data[..at], &data[at + 1..]),
        None => {
            pair::check(pair::VERTEX, data);
            pair::check(data, pair::FRAGMENT);
        }
    }
});
