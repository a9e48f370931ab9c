//! The log, in the browser's console.

use log::{Level, LevelFilter, Log, Metadata, Record};
use web_sys::console;

struct Console;

/// Has the console show what is logged from here on.
pub(crate) fn take_log() {
    // A second device keeps the log of the first.
    if log::set_logger(&Console).is_ok() {
        log::set_max_level(LevelFilter::Info);
    }
}

impl Log for Console {
    fn enabled(&self, told: &Metadata<'_>) -> bool {
        // What libraries say short of a warning is about themselves.
        told.level() <= Level::Warn || told.target().starts_with("aerogpu_replay")
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let line = record.args().to_string().into();
        match record.level() {
            Level::Error => console::error_1(&line),
            Level::Warn => console::warn_1(&line),
            _ => console::log_1(&line),
        }
    }

    fn flush(&self) {}
}
