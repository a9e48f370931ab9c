//! The requests between the thread that reads them and the one that answers them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use super::pending::Responder;
use super::session::ServedSession;
use crate::session::Request;

/// A request that is to be answered.
pub(super) struct Queued {
    pub request: Request,
    pub responder: Responder,
}

/// The end of the thread that reads.
pub(super) struct Requests {
    shared: Arc<SharedSession>,
    queue: Sender<Queued>,
}

/// The end of the thread that answers.
pub(super) struct Queue {
    shared: Arc<SharedSession>,
    queue: Receiver<Queued>,
}

struct SharedSession {
    session: Mutex<ServedSession>,
    /// Requests that the thread has not answered yet.
    waiting: AtomicUsize,
}

/// Both ends, for the requests of a session.
pub(super) fn requests_of(session: ServedSession) -> (Requests, Queue) {
    let shared = Arc::new(SharedSession { session: Mutex::new(session), waiting: AtomicUsize::new(0) });
    let (sender, receiver) = channel();
    (Requests { shared: shared.clone(), queue: sender }, Queue { shared, queue: receiver })
}

impl SharedSession {
    fn answer(&self, Queued { request, responder }: Queued) {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).take(request, responder);
    }
}

impl Requests {
    /// Has a request answered in its turn. One that is only to be passed on to the process that draws takes no time, and
    /// is passed on at once where none waits before it: another thread between would cost as much as a small picture.
    /// Whether there is still anybody who answers.
    pub(crate) fn add(&self, queued: Queued) -> bool {
        if ServedSession::passes_on(&queued.request.method) && self.shared.waiting.load(Ordering::Acquire) == 0 {
            self.shared.answer(queued);
            return true;
        }
        self.shared.waiting.fetch_add(1, Ordering::AcqRel);
        self.queue.send(queued).is_ok()
    }
}

impl Queue {
    /// Answers requests until there will be no more.
    pub(crate) fn answer_all(self) {
        for queued in self.queue {
            self.shared.answer(queued);
            self.shared.waiting.fetch_sub(1, Ordering::AcqRel);
        }
    }
}
