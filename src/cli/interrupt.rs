//! Ctrl-C, SIGTERM and SIGHUP: every verb ends in 130, at once or in its own way.

#[cfg(unix)]
use std::sync::Arc;
use std::sync::OnceLock;

use super::exit::{Exit, exit_now};

type Handler = Box<dyn Fn() + Send + Sync>;

/// What a verb does instead of ending at once.
static INSTEAD: OnceLock<Handler> = OnceLock::new();

/// Ends the program in 130 when it is interrupted, from here on.
pub(super) fn listen() {
    let listening = ctrlc::set_handler(|| match INSTEAD.get() {
        Some(handler) => handler(),
        None => exit_now(Exit::Interrupted),
    });
    // A limit on the size of files is an error of whoever writes one, who removes it; the system would end the program.
    #[cfg(unix)]
    if let Err(error) = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default()) {
        log::info!("a file size limit will end the program: {error}");
    }
    // Without it the system ends the program, in its own way.
    if let Err(error) = listening {
        log::info!("cannot listen for signals: {error}");
    }
}

/// Lets `handler` see to every signal from here on, instead of ending at once. The first verb that asks has its way.
#[cfg(feature = "gpu")]
pub(super) fn handle(handler: impl Fn() + Send + Sync + 'static) {
    // Only one verb runs.
    let _ = INSTEAD.set(Box::new(handler));
}
