//! Bytes → Direct3D bytecode: a program whose text and summary can be written, or an error with a place among these bytes.
//!
//! The names that come with a program are read too, or refused with a place.

#![no_main]

use trace_base::error::Classified;
use d3d_bytecode::{BytecodeError, SourceNames, Summary, decode, disassemble_with_names};
use libfuzzer_sys::fuzz_target;

const FILE_OFFSET: u64 = 0x1000;

fuzz_target!(|data: &[u8]| {
    match decode(data, FILE_OFFSET) {
        Ok(program) => {
            let names = SourceNames::of(&program, data, FILE_OFFSET).unwrap_or_else(|error| {
                is_placed(&error, data);
                SourceNames::default()
            });
            assert!(!disassemble_with_names(&program, &names).is_empty());
            let summary = Summary::new(&program, data, &names);
            assert_eq!(summary.instructions.total as usize, program.instructions().len());
        }
        Err(error) => is_placed(&error, data),
    }
});

fn is_placed(error: &BytecodeError, data: &[u8]) {
    let within = FILE_OFFSET..=FILE_OFFSET + data.len() as u64;
    assert!(error.offset().is_some_and(|offset| within.contains(&offset)), "{error}");
}
