//! Functions that call too much: told, in little stack and time.

use std::fmt::Write;
use std::thread;

use d3d_bytecode::{TranslateError, check_translation, decode};
use trace_base::error::{Classified, ErrorKind};

use dev_d3d_assembler::sm4::assemble::assemble;
use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of!(
        calls_within_many_blocks_are_refused,
        a_function_that_calls_itself_is_refused,
        functions_that_double_are_over_the_limit,
        what_is_no_function_is_not_called,
    )
}

/// As much as a thread has that nobody gave more.
const STACK_BYTES: usize = 2 << 20;

/// A compute shader of these lines.
fn checked(lines: &str) -> Result<(), TranslateError> {
    let text = format!("cs_5_0\ndcl_thread_group 1, 1, 1\ndcl_temps 1\n{lines}");
    let check = move || check_translation(&decode(&assemble(&text), 0).unwrap());
    thread::Builder::new().stack_size(STACK_BYTES).spawn(check).unwrap().join().unwrap()
}

/// Lines within so many blocks.
fn within(blocks: usize, line: &str) -> String {
    format!("{}{line}\n{}", "if_nz r0.x\n".repeat(blocks), "endif\n".repeat(blocks))
}

fn refused(lines: &str, kind: ErrorKind, what: &str) {
    let error = checked(lines).unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(what), "{error}");
}

/// As deep as a program may nest, a function, and as deep again; one more is too deep.
fn calls_within_many_blocks_are_refused() {
    let functions = |outer: usize, last: &str| {
        let (main, inner) = (within(outer, "call l0"), within(128, last));
        format!("{main}ret\nlabel l0\n{inner}ret\nlabel l1\nmov r0.x, l(1)\nret\n")
    };
    checked(&functions(127, "mov r0.x, l(2)")).unwrap();
    refused(&functions(128, "nop"), ErrorKind::Unsupported, "a call within 128 blocks is not translated");
    refused(&functions(64, "call l1"), ErrorKind::Unsupported, "a call within 128 blocks is not translated");
}

fn a_function_that_calls_itself_is_refused() {
    refused("call l0\nret\nlabel l0\ncall l0\nret\n", ErrorKind::Unsupported, "a call within 32 others");
}

fn functions_that_double_are_over_the_limit() {
    let mut lines = "call l0\nret\n".to_owned();
    for number in 0..30 {
        let next = number + 1;
        writeln!(lines, "label l{number}\ncall l{next}\ncall l{next}\nret").unwrap();
    }
    lines.push_str("label l30\nret\n");
    refused(&lines, ErrorKind::OverLimit, "65536 instructions");
}

fn what_is_no_function_is_not_called() {
    refused(
        "call l7\nret\nlabel l0\nret\n",
        ErrorKind::Unsupported,
        "a call of a function that the program \
        does not have",
    );
}
