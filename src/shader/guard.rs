//! Runs the shader compiler where it can neither take the process down nor run out of stack.

use std::any::Any;
use std::thread;

/// Name of the threads on which shaders are compiled. A panic there is turned into an error, so a panic hook may keep
/// quiet about it.
pub const COMPILER_THREAD: &str = "shader-compiler";

/// Address space, not memory: only the pages that a deeply nested shader really touches are ever committed.
const STACK_BYTES: usize = 256 << 20;

/// Runs `work` on a thread of its own with a deep stack. `Err` holds the text of a panic.
pub fn guarded<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name(COMPILER_THREAD.to_owned()).stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, work) {
            Ok(handle) => handle.join().map_err(|payload| panic_text(&*payload)),
            Err(error) => Err(format!("cannot start a thread: {error}")),
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
        assert_eq!(guarded(|| -> u8 { panic!("no {}", "luck") }), Err("no luck".to_owned()));
    }
}
