//! The thread that reads: requests go into a queue, and cancelling does not wait in it.

use std::collections::HashMap;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::framing::{Framing, Next, read_message};
use super::message::{Item, Parsed, Request, parse_error, parse_message};

/// Set when a request is to be given up.
#[derive(Clone, Debug, Default)]
pub(super) struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The requests that are not answered yet, by id.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting(Arc<Mutex<HashMap<String, Cancel>>>);

impl Waiting {
    fn add(&self, request: &Request) -> Cancel {
        let cancel = Cancel::default();
        if let Some(id) = &request.id {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_string(), cancel.clone());
        }
        cancel
    }

    pub fn remove(&self, id: &Value) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id.to_string());
    }

    fn cancel(&self, id: &Value) {
        if let Some(cancel) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id.to_string()) {
            cancel.set();
        }
    }
}

/// A message in the queue.
pub(super) struct Queued {
    pub framing: Framing,
    pub entries: Vec<Entry>,
    pub is_batch: bool,
}

pub(super) enum Entry {
    Request(Request, Cancel),
    Answered(Value),
}

/// Reads until the stream ends, fails, or nobody listens any more.
pub(super) fn read_all(mut from: impl BufRead, queue: &SyncSender<Queued>, waiting: &Waiting) {
    loop {
        let queued = match read_message(&mut from) {
            Ok(Next::End) | Err(_) => return,
            Ok(Next::Broken(framing, reason)) => {
                Queued { framing, entries: vec![Entry::Answered(parse_error(&reason))], is_batch: false }
            }
            Ok(Next::Message(framing, bytes)) => {
                let Parsed { items, is_batch } = parse_message(&bytes);
                let entries = items.into_iter().filter_map(|item| enter(item, waiting)).collect();
                Queued { framing, entries, is_batch }
            }
        };
        if !queued.entries.is_empty() && queue.send(queued).is_err() {
            return;
        }
    }
}

fn enter(item: Item, waiting: &Waiting) -> Option<Entry> {
    match item {
        Item::Request(request) if request.method == "$/cancelRequest" => {
            if let Some(id) = request.params.get("id") {
                waiting.cancel(id);
            }
            None
        }
        Item::Request(request) => {
            let cancel = waiting.add(&request);
            Some(Entry::Request(request, cancel))
        }
        Item::Answered(answer) => Some(Entry::Answered(answer)),
    }
}
