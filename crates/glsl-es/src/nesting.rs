//! Texts that nest deep. Parsing, checking, writing and dropping a tree recurse, a few KiB of stack a level, so few levels are
//! taken on the stack that the caller has, and many on a stack made for them.

use std::thread;

use super::error::{GlslError, GlslErrors, TextLimit};
use crate::limits::{GLSL_STACK_BYTES, MAX_GLSL_NESTING};

/// Levels that any thread has stack for.
const SHALLOW: usize = 100;

/// Does the work with the number of levels that a text may have: first here with few. If a text has more, once more with as
/// many as are ever taken, on a thread with the stack for them. Where no thread can be made, the lower limit holds.
pub(super) fn with_stack<T: Send>(
    mut work: impl FnMut(usize) -> Result<T, GlslErrors> + Send,
) -> Result<T, GlslErrors> {
    let done = work(SHALLOW);
    if !done.as_ref().is_err_and(|errors| errors.iter().any(is_nesting)) {
        return done;
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(GLSL_STACK_BYTES);
        match thread.spawn_scoped(scope, || work(MAX_GLSL_NESTING)) {
            Ok(worker) => worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => done,
        }
    })
}

fn is_nesting(error: &GlslError) -> bool {
    matches!(error, GlslError::LimitExceeded { limit: TextLimit::Nesting { .. }, .. })
}
