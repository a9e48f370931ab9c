//! Runs the shader compiler where it can neither take the process down nor run out of stack.

use std::any::Any;
use std::thread;

use thiserror::Error;

use trace_base::error::{Classified, ErrorKind};

/// Name of the threads on which shaders are compiled. A panic there is turned into an error, so a panic hook may keep
/// quiet about it.
pub const COMPILER_THREAD: &str = "shader-compiler";

/// Address space, not memory: only the pages that a deeply nested shader really touches are ever committed.
const STACK_BYTES: usize = 256 << 20;

/// Cause of work that did not end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Broken {
    /// The work panicked, with this text.
    #[error("{0}")]
    Panic(String),
    /// The operating system starts no thread with such a stack: a matter of its limits, and of nothing else.
    #[error("cannot start a thread with a stack of {} MiB: {reason}", STACK_BYTES >> 20)]
    NoThread {
        /// The words of the operating system.
        reason: String,
    },
}

impl Classified for Broken {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Panic(_) => ErrorKind::Internal,
            Self::NoThread { .. } => ErrorKind::ReplayFailed,
        }
    }

    fn offset(&self) -> Option<u64> {
        // Whoever asked for the work knows what it was about.
        None
    }
}

impl From<Broken> for String {
    fn from(broken: Broken) -> Self {
        broken.to_string()
    }
}

/// Runs `work` on a thread of its own with a deep stack. On WebAssembly there are no threads: it runs in place, and a panic
/// ends the program, which its page starts anew.
pub fn guarded<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Broken> {
    if cfg!(target_arch = "wasm32") {
        return Ok(work());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().name(COMPILER_THREAD.to_owned()).stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, work) {
            Ok(handle) => handle.join().map_err(|payload| Broken::Panic(panic_text(&*payload))),
            Err(error) => Err(Broken::NoThread { reason: error.to_string() }),
        }
    })
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_text_and_a_value_is_a_value() {
        assert_eq!(guarded(|| 7), Ok(7));
        assert_eq!(guarded(|| -> u8 { panic!("no {}", "luck") }), Err(Broken::Panic("no luck".to_owned())));
    }
}
