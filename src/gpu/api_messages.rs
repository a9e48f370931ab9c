//! Messages of the graphics APIs, which wgpu gives to the log of the whole process: `KHR_debug` of OpenGL and the validation
//! layers of Vulkan.
//!
//! ```text
//!  driver ──► wgpu-hal ──► log ──► ApiLog ──┬─► errors of each thread ──► Gpu::check, Gpu::caught
//!                                           └─► the program's own log
//! ```
//!
//! OpenGL has no error scopes. A call that it refuses does nothing, and the picture lacks something in silence. Drivers call back
//! on the thread that called them, so an error of this thread is one of what the thread has just submitted. wgpu asks for
//! messages in builds with debug assertions alone, and a program has one log: the binary and the tests install it.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use log::{Level, LevelFilter, Log, Metadata, Record, SetLoggerError};

/// Errors that are kept until somebody asks for them.
const MOST_ERRORS: usize = 64;
/// The crate whose records tell errors of the APIs.
const LIBRARY: &str = "wgpu_hal";
/// Its part that tries one display after another: a failure there is no error of a command, and wgpu returns the last.
const CONNECTIONS: &str = "wgpu_hal::gles::egl";

static ERRORS: Mutex<VecDeque<(ThreadId, String)>> = Mutex::new(VecDeque::new());

/// A log that keeps errors of the graphics APIs, and hands everything on to another log.
struct ApiLog {
    next: Option<Box<dyn Log>>,
}

/// Installs the log of this process: `next`, which wants records up to `level`; in builds with debug assertions errors of the
/// graphics APIs are kept besides.
pub fn install_log(next: Option<Box<dyn Log>>, level: LevelFilter) -> Result<(), SetLoggerError> {
    log::set_boxed_logger(Box::new(ApiLog { next }))?;
    let least = if cfg!(debug_assertions) { LevelFilter::Error } else { LevelFilter::Off };
    log::set_max_level(level.max(least));
    Ok(())
}

/// Takes the errors that drivers reported on any thread and that became no error of a command.
pub fn take_errors() -> Vec<String> {
    errors().drain(..).map(|(_, text)| text).collect()
}

/// Takes the errors that drivers reported on this thread: the first of them, and how many there are besides.
pub(super) fn take_errors_of_thread() -> Option<String> {
    let this = thread::current().id();
    let mut errors = errors();
    if errors.is_empty() {
        return None;
    }
    let (of_this, others): (VecDeque<_>, VecDeque<_>) = errors.drain(..).partition(|(thread, _)| *thread == this);
    *errors = others;
    let mut of_this = of_this.into_iter().map(|(_, text)| text);
    let first = of_this.next()?;
    Some(match of_this.count() {
        0 => first,
        more => format!("{first} (and {more} more)"),
    })
}

fn errors() -> MutexGuard<'static, VecDeque<(ThreadId, String)>> {
    ERRORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The text of an error of an API; nothing of a record that tells another thing.
fn error_of(record: &Record<'_>) -> Option<String> {
    if !is_of_library(record.metadata()) || record.level() != Level::Error {
        return None;
    }
    let text = record.args().to_string();
    // Indented lines explain the record before them, or are told by an error of wgpu as well.
    (!text.starts_with('\t')).then(|| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn is_of_library(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    target.split("::").next() == Some(LIBRARY) && target != CONNECTIONS
}

impl Log for ApiLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let keeps = cfg!(debug_assertions) && metadata.level() == Level::Error && is_of_library(metadata);
        keeps || self.next.as_ref().is_some_and(|next| next.enabled(metadata))
    }

    fn log(&self, record: &Record<'_>) {
        if cfg!(debug_assertions)
            && let Some(text) = error_of(record)
        {
            let mut errors = errors();
            if errors.len() < MOST_ERRORS {
                errors.push_back((thread::current().id(), text));
            }
        }
        if let Some(next) = self.next.as_ref().filter(|next| next.enabled(record.metadata())) {
            next.log(record);
        }
    }

    fn flush(&self) {
        if let Some(next) = &self.next {
            next.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::command::Location;
    use crate::error::{Classified, ErrorKind};
    use crate::gpu::{AdapterChoice, BackendChoice, Gpu, LibraryError};

    fn told(target: &str, level: Level, text: &str) -> Option<String> {
        error_of(&Record::builder().target(target).level(level).args(format_args!("{text}")).build())
    }

    #[test]
    fn only_errors_of_the_apis_are_kept() {
        let refused = "GLES: [API/Error] ID 1 : GL_INVALID_OPERATION in\n glDrawArrays";
        let one_line = "GLES: [API/Error] ID 1 : GL_INVALID_OPERATION in glDrawArrays";
        assert_eq!(told("wgpu_hal::gles", Level::Error, refused).as_deref(), Some(one_line));
        assert_eq!(told("wgpu_hal", Level::Error, "x").as_deref(), Some("x"));
        assert_eq!(told("wgpu_hal::gles", Level::Warn, "GLES: [API/Performance] ID 2 : slow"), None);
        assert_eq!(told("wgpu_hal::vulkan::instance", Level::Error, "\tobjects: buffer"), None);
        assert_eq!(told("wgpu_core::device", Level::Error, "x"), None);
        let display = "EGL 'eglInitialize' code 0x3001: DRI2: failed to load driver";
        assert_eq!(told("wgpu_hal::gles::egl", Level::Error, display), None);
        assert_eq!(told("wgpu_hallo", Level::Error, "x"), None);
    }

    #[test]
    fn an_error_of_the_api_is_one_of_what_is_submitted_next() {
        let gpu = Gpu::open(BackendChoice::Noop, &AdapterChoice::Best, Duration::from_secs(60)).unwrap();
        let at = Location { offset: 0x40, ..Location::default() };
        let refused = || errors().push_back((thread::current().id(), "GLES: refused".to_owned()));
        refused();
        let error = gpu.check("the work that begins", at).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::ReplayFailed, Some(0x40)));
        assert!(error.to_string().ends_with(": the driver reports: GLES: refused"), "{error}");
        assert!(gpu.check("the work that begins", at).is_ok());
        // What is made meanwhile has its own errors.
        refused();
        assert_eq!(gpu.caught(|| 7).settled().ok(), Some(7));
        let own = LibraryError::Message("GLES: refused".to_owned());
        assert_eq!(gpu.caught(refused).settled(), Err(own));
        assert!(gpu.check("the work that begins", at).is_err());
        assert!(!gpu.is_in_trouble());
    }

    #[test]
    fn errors_of_a_thread_are_told_once_and_counted() {
        let here = thread::current().id();
        let there = thread::spawn(|| {
            let there = thread::current().id();
            errors().push_back((there, "of another thread".to_owned()));
            there
        });
        let there = there.join().unwrap();
        errors().extend(["first", "second", "third"].map(|text| (here, text.to_owned())));
        assert_eq!(take_errors_of_thread().as_deref(), Some("first (and 2 more)"));
        assert_eq!(take_errors_of_thread(), None);
        let is_kept = errors().iter().any(|(thread, _)| *thread == there);
        assert!(is_kept, "another thread's error is its own");
        errors().retain(|(thread, _)| *thread != there);
    }
}
