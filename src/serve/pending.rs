//! The requests that are not answered yet, and where answers go.
//!
//! A request is answered once, by whoever takes it out of here first: the thread that has done it, or `exit`, which waits
//! for nobody.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::error::ServeError;
use super::framing::{Framing, write_message};
use crate::error::ErrorKind;
use crate::limits::{MAX_WAITING_BYTES, MAX_WAITING_REQUESTS};
use crate::session::answer;

/// How a session ends.
#[derive(Debug)]
pub(super) enum End {
    /// Everything is answered, or given up by `exit`.
    Over,
    /// Answers cannot be written.
    OutputFailed(io::Error),
}

/// Set when a request is to be given up.
#[derive(Clone, Debug, Default)]
pub(super) struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What all threads of a session share.
#[derive(Clone)]
pub(super) struct PendingRequests(Arc<Inner>);

struct Inner {
    waiting: Mutex<Waiting>,
    /// Told when one was answered.
    fewer: Condvar,
    output: Mutex<Box<dyn Write + Send>>,
    ended: Mutex<Sender<End>>,
    exit_code: fn(ErrorKind) -> u8,
}

#[derive(Default)]
struct Waiting {
    last_number: u64,
    requests: BTreeMap<u64, Pending>,
    /// Of the messages that they came in.
    bytes: u64,
    /// Requests whose answers are being written.
    leaving: usize,
}

struct Pending {
    id: Option<Value>,
    cancel: Cancel,
    bytes: u64,
    slot: Slot,
}

/// A place in the answer to a message.
#[derive(Clone)]
struct Slot {
    message: Arc<Mutex<Answers>>,
    place: usize,
}

/// The answers to a message, which go out together.
struct Answers {
    framing: Framing,
    is_batch: bool,
    answers: BTreeMap<usize, Value>,
    /// Requests and what is none, without an answer so far; and one for the message, as long as it is taken in.
    open: usize,
}

/// A request that is to be answered. Dropping it gives it up.
pub(super) struct Responder {
    number: u64,
    pub cancel: Cancel,
    pending: PendingRequests,
}

/// A message that is being taken in.
pub(super) struct Incoming {
    pending: PendingRequests,
    message: Arc<Mutex<Answers>>,
    bytes: u64,
    places: usize,
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PendingRequests {
    /// None yet. Answers go to `output`; `ended` is told how the session ends.
    pub(crate) fn new(output: Box<dyn Write + Send>, ended: Sender<End>, exit_code: fn(ErrorKind) -> u8) -> Self {
        let (waiting, fewer) = (Mutex::default(), Condvar::new());
        Self(Arc::new(Inner { waiting, fewer, output: Mutex::new(output), ended: Mutex::new(ended), exit_code }))
    }

    /// Takes in a message of `bytes` bytes. Where too much waits already, it waits.
    pub(crate) fn take_in(&self, framing: Framing, is_batch: bool, bytes: usize) -> Incoming {
        let is_full = |waiting: &mut Waiting| {
            waiting.requests.len() >= MAX_WAITING_REQUESTS || waiting.bytes >= MAX_WAITING_BYTES
        };
        let full = self.0.fewer.wait_while(lock(&self.0.waiting), is_full);
        drop(full.unwrap_or_else(PoisonError::into_inner));
        let answers = Answers { framing, is_batch, answers: BTreeMap::new(), open: 1 };
        let message = Arc::new(Mutex::new(answers));
        Incoming { pending: self.clone(), message, bytes: bytes as u64, places: 0 }
    }

    /// Has the requests with this id given up.
    pub(crate) fn cancel(&self, id: &Value) {
        lock(&self.0.waiting)
            .requests
            .values()
            .filter(|pending| pending.id.as_ref() == Some(id))
            .for_each(|pending| pending.cancel.set());
    }

    /// Answers `last`, the request that asked for the end, once all others are answered.
    pub(crate) fn shut_down_after_all(&self, last: Responder) {
        let has_others =
            |waiting: &mut Waiting| waiting.requests.keys().any(|number| *number != last.number) || waiting.leaving > 0;
        let rest = self.0.fewer.wait_while(lock(&self.0.waiting), has_others);
        drop(rest.unwrap_or_else(PoisonError::into_inner));
        last.answer(Ok(Value::Null));
    }

    /// Ends the session at once. `last`, the request that asked for it, is answered after all others, which are given
    /// up.
    pub(crate) fn shut_down(&self, last: Responder) {
        let others: Vec<u64> = lock(&self.0.waiting).requests.keys().copied().collect();
        for number in others.into_iter().filter(|number| *number != last.number) {
            self.answer(number, Err(ServeError::CANCELLED));
        }
        last.answer(Ok(Value::Null));
    }

    /// Waits until everything is answered.
    pub(crate) fn wait_for_all(&self) {
        let rest = self
            .0
            .fewer
            .wait_while(lock(&self.0.waiting), |waiting| !waiting.requests.is_empty() || waiting.leaving > 0);
        drop(rest.unwrap_or_else(PoisonError::into_inner));
    }

    /// Says that the session is over.
    pub(crate) fn end(&self, end: End) {
        // Nobody listens any more if it has ended already.
        let _ = lock(&self.0.ended).send(end);
    }

    fn answer(&self, number: u64, result: Result<Value, ServeError>) {
        let Some(pending) = self.take(number) else { return };
        pending.cancel.set();
        let value = pending.id.map(|id| answer(id, result, Some(self.0.exit_code)));
        self.fill(&pending.slot.message, value.map(|value| (pending.slot.place, value)));
        lock(&self.0.waiting).leaving -= 1;
        self.0.fewer.notify_all();
    }

    fn take(&self, number: u64) -> Option<Pending> {
        let mut waiting = lock(&self.0.waiting);
        let pending = waiting.requests.remove(&number)?;
        waiting.bytes -= pending.bytes;
        waiting.leaving += 1;
        Some(pending)
    }

    /// Puts an answer into its message, and writes the message if it is the last. A notification has none.
    fn fill(&self, message: &Mutex<Answers>, answer: Option<(usize, Value)>) {
        let mut message = lock(message);
        message.answers.extend(answer);
        message.open -= 1;
        if message.open > 0 || message.answers.is_empty() {
            return;
        }
        let mut answers = std::mem::take(&mut message.answers).into_values();
        let text = if message.is_batch { Value::Array(answers.collect()).to_string() } else { one(answers.next()) };
        let mut output = lock(&self.0.output);
        if let Err(error) = write_message(&mut *output, message.framing, &text) {
            self.end(End::OutputFailed(error));
        }
    }
}

fn one(answer: Option<Value>) -> String {
    answer.map(|answer| answer.to_string()).unwrap_or_default()
}

impl Incoming {
    /// Answers what is no request.
    pub(crate) fn answer(&mut self, answer: Value) {
        let place = self.open();
        self.pending.fill(&self.message, Some((place, answer)));
    }

    /// Takes in a request; `None` as id: a notification, which is not answered.
    pub(crate) fn request(&mut self, id: Option<Value>) -> Responder {
        let place = self.open();
        let slot = Slot { message: self.message.clone(), place };
        let cancel = Cancel::default();
        let mut waiting = lock(&self.pending.0.waiting);
        waiting.last_number += 1;
        let number = waiting.last_number;
        // The bytes of a batch are counted with its first request.
        let bytes = std::mem::take(&mut self.bytes);
        waiting.bytes += bytes;
        waiting.requests.insert(number, Pending { id, cancel: cancel.clone(), bytes, slot });
        Responder { number, cancel, pending: self.pending.clone() }
    }

    fn open(&mut self) -> usize {
        lock(&self.message).open += 1;
        self.places += 1;
        self.places
    }
}

/// Everything in the message was taken in.
impl Drop for Incoming {
    fn drop(&mut self) {
        self.pending.fill(&self.message, None);
    }
}

impl Responder {
    /// Answers the request, if nobody has.
    pub(crate) fn answer(self, result: Result<Value, ServeError>) {
        self.pending.answer(self.number, result);
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        self.pending.answer(self.number, Err(ServeError::CANCELLED));
    }
}
