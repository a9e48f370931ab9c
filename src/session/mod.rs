//! Open traces, and what may be asked of them: the methods of `serve`, without its threads and processes.
//!
//! ```no_run
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use aerogpu_replay::bytes::FileSource;
//! use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu};
//! use aerogpu_replay::session::{LocalSession, OpenedFile, SessionError, TraceFiles};
//!
//! struct Files;
//!
//! impl TraceFiles for Files {
//!     fn open(&self, name: &str, _: &dyn Fn() -> bool) -> Result<OpenedFile, SessionError> {
//!         let file = |error| SessionError::Open { path: name.to_owned(), error };
//!         let source = Arc::new(FileSource::open(name.as_ref()).map_err(file)?);
//!         Ok(OpenedFile { source, identity: None, state: None, warnings: Vec::new() })
//!     }
//! }
//!
//! let gpu = Gpu::open(BackendChoice::Auto, &AdapterChoice::Best, Duration::from_secs(60))?;
//! let mut session = LocalSession::new(Files, Arc::new(gpu));
//! let open = r#"{"jsonrpc": "2.0", "id": 1, "method": "open", "params": {"path": "trace.bin"}}"#;
//! println!("{:?}", session.answer(open.as_bytes()));
//! # Ok::<(), aerogpu_replay::gpu::GpuError>(())
//! ```
//!
//! ```text
//!  request ─► Session ──┬─► answer: what draws nothing                    (analyses)
//!                       └─► Question ─► Players ─► Reply ─► answer        (pictures)
//!                               └─ in this process (LocalSession), or in one that can be killed (`serve`)
//! ```

mod analyses;
mod annotations;
mod diagnostics;
mod edits;
mod error;
mod files;
mod local;
mod message;
mod methods;
mod params;
mod pictures;
mod traces;

pub use error::SessionError;
pub use files::{OpenedFile, TraceFiles};
pub use local::LocalSession;
pub use methods::{METHODS, Method};

#[cfg(feature = "cli")]
pub(crate) use self::{
    edits::Edit,
    message::{Answered, Item, Parsed, Request, answer, parse_error, parse_message},
    pictures::{Named, reply_json},
};
pub(crate) use edits::{OpenFiles, Version};
pub(crate) use params::SaveEdits;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use self::analyses::State;
use self::annotations::ReadAnnotations;
use self::params::read;
use self::traces::OpenTrace;
use crate::bytes::FileIdentity;
use crate::format::aerogpu::FrameIndex;
use crate::limits::MAX_OPEN_TRACES;
use crate::questions::Question;

/// The open traces.
pub struct Session {
    files: Box<dyn TraceFiles + Send>,
    traces: BTreeMap<u32, OpenTrace>,
    last_handle: u32,
    /// The recording that was asked about last.
    annotations: Option<ReadAnnotations>,
}

/// Outcome of a request.
pub(crate) enum Dispatch {
    /// It is answered.
    Answer(Value),
    /// The trace with this handle is to be asked this.
    Ask(u32, Question),
    /// The edits of a trace are to be saved.
    Save(SaveEdits),
    /// The trace with this handle was closed.
    Closed(u32),
}

/// Surroundings of a request.
pub(crate) struct Around<'a> {
    /// The adapter that is drawn on, once there is one.
    pub adapter: Option<&'a str>,
    /// Asked whether nobody waits for the answer any more.
    pub is_given_up: &'a dyn Fn() -> bool,
}

impl Session {
    /// No trace is open. Traces are opened from `files`.
    pub fn new(files: impl TraceFiles + Send + 'static) -> Self {
        Self { files: Box::new(files), traces: BTreeMap::new(), last_handle: 0, annotations: None }
    }

    /// Answers a request, or says what it asks of whoever draws.
    pub(crate) fn dispatch(
        &mut self,
        method: &str,
        params: Value,
        around: &Around<'_>,
    ) -> Result<Dispatch, SessionError> {
        Ok(match method {
            "seek" => {
                let params: params::At = read(method, params)?;
                Dispatch::Ask(params.trace, pictures::seek(self.trace(params.trace)?, &params)?)
            }
            "hash" => {
                let params: params::Hash = read(method, params)?;
                Dispatch::Ask(params.trace, pictures::hash(self.trace(params.trace)?, &params)?)
            }
            "image" => {
                let params: params::Image = read(method, params)?;
                if let Some(path) = &params.path {
                    self.open_files().refuse(Path::new(path))?;
                }
                Dispatch::Ask(params.trace, pictures::image(self.trace(params.trace)?, params)?)
            }
            "pixel" => {
                let params: params::Pixel = read(method, params)?;
                Dispatch::Ask(params.trace, pictures::pixel(self.trace(params.trace)?, &params)?)
            }
            "overlay" => {
                let params: params::Overlay = read(method, params)?;
                Dispatch::Ask(params.trace, pictures::overlay(self.trace(params.trace)?, &params)?)
            }
            "lint" => {
                let params: params::Lint = read(method, params)?;
                let frame = params.frame.map(|frame| self.trace(params.trace)?.existing_frame(FrameIndex(frame)));
                self.trace(params.trace)?;
                Dispatch::Ask(params.trace, Question::Lint(frame.transpose()?))
            }
            "trim" => {
                let params: params::Trim = read(method, params)?;
                let count = self.trace(params.trace)?.analysis.trace().frames().len() as u32;
                Dispatch::Ask(params.trace, Question::Trim(params.frames.of(count)?))
            }
            "mesh" => {
                let params: params::Mesh = read(method, params)?;
                Dispatch::Ask(params.trace, pictures::mesh(self.trace(params.trace)?, &params))
            }
            "shaders" => {
                let params: params::At = read(method, params)?;
                let open = self.trace(params.trace)?;
                Dispatch::Ask(params.trace, Question::Shaders(params.place_from(open.place)))
            }
            "state" => {
                let params: params::At = read(method, params)?;
                match analyses::state(self.trace(params.trace)?, &params)? {
                    State::Known(state) => Dispatch::Answer(state),
                    State::TakesCompiling(question) => Dispatch::Ask(params.trace, question),
                }
            }
            "edit" => {
                let params: params::Edit = read(method, params)?;
                Dispatch::Ask(params.trace, pictures::edit(self.trace(params.trace)?, params))
            }
            "save_edits" => {
                let params: SaveEdits = read(method, params)?;
                self.trace(params.trace)?;
                Dispatch::Save(params)
            }
            "close" => {
                let params::Handle { trace } = read(method, params)?;
                self.traces.remove(&trace).ok_or(SessionError::NotOpen(trace))?;
                Dispatch::Closed(trace)
            }
            _ => return self.answer(method, params, around).map(Dispatch::Answer),
        })
    }

    /// The methods that ask nothing of whoever draws.
    fn answer(&mut self, method: &str, params: Value, around: &Around<'_>) -> Result<Value, SessionError> {
        match method {
            "initialize" | "info" => read::<params::Nothing>(method, params).map(|_| self.info(around.adapter)),
            "open" => self.open(read(method, params)?, around.is_given_up),
            "events" => {
                let params: params::Events = read(method, params)?;
                analyses::events(self.trace(params.trace)?, &params)
            }
            "draws" => {
                let params: params::Draws = read(method, params)?;
                analyses::draws(self.trace(params.trace)?, &params)
            }
            "passes" => {
                let params: params::Passes = read(method, params)?;
                analyses::passes(self.trace(params.trace)?, &params, around.is_given_up)
            }
            "compare" => {
                let params::Compare { trace, with } = read(method, params)?;
                let analyses = [self.trace(trace)?.analysis.clone(), self.trace(with)?.analysis.clone()];
                analyses::compare(&analyses, around.is_given_up)
            }
            "annotations" => self.annotations(&read(method, params)?, around.is_given_up),
            "find" => {
                let params: params::Find = read(method, params)?;
                analyses::find(self.trace(params.trace)?, &params, around.is_given_up)
            }
            "buffer" => {
                let params: params::Buffer = read(method, params)?;
                analyses::buffer(self.trace(params.trace)?, &params)
            }
            _ => Err(SessionError::NoSuchMethod(method.chars().take(100).collect())),
        }
    }

    fn info(&self, adapter: Option<&str>) -> Value {
        let parameters: BTreeMap<_, _> = METHODS.iter().map(|method| (method.name, method.parameters)).collect();
        json!({
            "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION"),
            "methods": METHODS.map(|method| method.name), "parameters": parameters,
            "adapter": adapter, "traces": self.traces.keys().collect::<Vec<_>>(),
        })
    }

    fn open(&mut self, params: params::Open, is_given_up: &dyn Fn() -> bool) -> Result<Value, SessionError> {
        if self.traces.len() >= MAX_OPEN_TRACES {
            return Err(SessionError::TooManyTraces(MAX_OPEN_TRACES));
        }
        let handle = self.last_handle + 1;
        let open = OpenTrace::open(handle, params, &*self.files, is_given_up)?;
        self.last_handle = handle;
        let described = open.describe(handle);
        self.traces.insert(handle, open);
        Ok(described)
    }

    fn annotations(
        &mut self,
        params: &params::Annotations,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<Value, SessionError> {
        let analysis = match params.trace {
            Some(trace) => Some(self.trace(trace)?.analysis.clone()),
            None => None,
        };
        let opened = self.files.open(&params.path, is_given_up)?;
        let read = match self.annotations.take().filter(|read| read.is_of(&params.path, &opened)) {
            Some(read) => read,
            None => ReadAnnotations::read(&params.path, opened)?,
        };
        self.annotations.insert(read).answer(params, analysis.as_ref(), is_given_up)
    }

    fn trace(&mut self, handle: u32) -> Result<&mut OpenTrace, SessionError> {
        self.traces.get_mut(&handle).ok_or(SessionError::NotOpen(handle))
    }

    /// The trace with this handle as it is drawn by now.
    pub(crate) fn version(&mut self, handle: u32) -> Result<&mut Arc<Version>, SessionError> {
        self.trace(handle).map(|open| &mut open.version)
    }

    /// The files of the open traces.
    pub(crate) fn open_files(&self) -> OpenFiles {
        let open = self.traces.values();
        OpenFiles(open.filter_map(|open| Some((FileIdentity::clone(open.file.as_ref()?), open.path.clone()))).collect())
    }
}
