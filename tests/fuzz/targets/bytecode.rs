//! Bytes → Direct3D bytecode: a program whose text can be written, or an error with a place among these bytes.

#![no_main]

use aerogpu_replay::error::Classified;
use aerogpu_replay::shader::d3d::{decode, disassemble};
use libfuzzer_sys::fuzz_target;

const FILE_OFFSET: u64 = 0x1000;

fuzz_target!(|data: &[u8]| {
    match decode(data, FILE_OFFSET) {
        Ok(program) => assert!(!disassemble(&program).is_empty()),
        Err(error) => {
            let within = FILE_OFFSET..=FILE_OFFSET + data.len() as u64;
            assert!(error.offset().is_some_and(|offset| within.contains(&offset)), "{error}");
        }
    }
});
