//! The process that draws, apart from the one that asks: a driver that hangs or crashes takes nothing else with it.
//!
//! ```
//! use std::time::Duration;
//!
//! use aerogpu_replay::worker::{Program, WorkerCommand};
//!
//! let command = WorkerCommand::new(Program::Own, vec!["worker".into()], Duration::from_secs(60));
//! assert!(!command.is_interrupted());
//! ```
//!
//! ```text
//!  golden (a worker for each --jobs) ─┐           request, one line           ┌─ golden's jobs
//!                                     ├─► Worker ──────────────────► answer_jobs ─► Device
//!  serve (one worker) ─ DrawingProcess┘      ◄──────────────────              └─ DrawingJobs
//!                                              answer, one line
//! ```
//!
//! There is one kind of worker, whoever asks: the program itself with the hidden verb `worker`, or a wrapper that
//! starts that. It opens a device at the first job that needs one and keeps it. Jobs are taken one after the other.
//!
//! # How it ends
//!
//! * A job that takes longer than it may, or that nobody wants any more, cannot be stopped inside a driver call: the
//!   worker is killed, and the next job starts the next one. Whatever a worker must know is sent to each anew.
//! * Each worker leads a process group, so that a wrapper and all that it starts are killed with it.
//! * When the asking process ends, in whatever way, the worker's input ends. A thread waits for that and ends the
//!   worker.

mod answering;
mod command;
mod device;
mod drawing;
mod error;
mod group;
mod lines;
mod message;
mod process;
mod progress;

pub use answering::answer_jobs;
pub use command::{Program, WorkerCommand};
pub use device::Device;
pub use drawing::{AskError, DrawingAnswer, DrawingJobs, DrawingProcess, Purpose, Ready, Request, SentAhead};
pub use error::WorkerError;
pub use message::{Answered, Job, Response, UnknownJob, WireJob, respond};
pub use process::Worker;
