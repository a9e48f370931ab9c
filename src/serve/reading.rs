//! The thread that reads: requests go into a queue, and neither cancelling nor `exit` waits in it.

use std::io::BufRead;
use std::thread;

use super::framing::{Framing, Input, Next, read_message};
use super::pending::{End, PendingRequests, Responder};
use super::queue::{Queued, Requests};
use crate::session::{Item, Parsed, parse_error, parse_message};

/// Whether to read on.
#[derive(Clone, Copy, PartialEq)]
enum Reading {
    GoesOn,
    /// `shutdown` has come: nothing more is asked, but what was may be cancelled.
    OnlyCancelling,
    IsOver,
}

/// Reads until the stream ends or fails, `exit` comes, or nobody listens any more. `exit` gives up what is not answered
/// yet, calls `stop` and ends the session; `shutdown` ends it once everything is answered.
pub(super) fn read_all(from: impl BufRead, requests: &Requests, pending: &PendingRequests, stop: impl Fn()) {
    let mut from = Input::new(from);
    let mut reading = Reading::GoesOn;
    while reading != Reading::IsOver {
        reading = match read_message(&mut from) {
            Ok(Next::End) | Err(_) => return,
            Ok(Next::Broken(..)) if reading == Reading::OnlyCancelling => reading,
            Ok(Next::Broken(framing, reason)) => {
                pending.take_in(framing, false, 0).answer(parse_error(&reason));
                reading
            }
            Ok(Next::Message(framing, bytes)) => enter((framing, &bytes), reading, requests, pending, &stop),
        };
    }
}

/// Takes in a message.
fn enter(
    (framing, bytes): (Framing, &[u8]),
    mut reading: Reading,
    requests: &Requests,
    pending: &PendingRequests,
    stop: impl Fn(),
) -> Reading {
    let Parsed { items, is_batch } = parse_message(bytes);
    let mut incoming = pending.take_in(framing, is_batch, bytes.len());
    let mut shutdown = None;
    for item in items {
        match item {
            Item::Request(request) if request.method == "$/cancelRequest" => {
                if let Some(id) = request.params.get("id") {
                    pending.cancel(id);
                }
            }
            Item::Request(request) if request.method == "exit" => {
                let last = incoming.request(request.id);
                pending.shut_down(last);
                drop(incoming);
                // The thread that draws ends the session once it has stopped, so that everything is answered before.
                stop();
                pending.end(End::Over);
                return Reading::IsOver;
            }
            _ if reading == Reading::OnlyCancelling => {}
            Item::Answered(answer) => incoming.answer(answer),
            Item::Request(request) if request.method == "shutdown" => {
                shutdown = Some(incoming.request(request.id));
                reading = Reading::OnlyCancelling;
            }
            Item::Request(mut request) => {
                let responder = incoming.request(request.id.take());
                if !requests.add(Queued { request, responder }) {
                    return Reading::IsOver;
                }
            }
        }
    }
    drop(incoming);
    let has_end = shutdown.is_none_or(|last| end_after_all(pending.clone(), last));
    if has_end { reading } else { Reading::IsOver }
}

/// Ends the session once everything is answered. Whether there is a thread that waits for that.
fn end_after_all(pending: PendingRequests, last: Responder) -> bool {
    let thread = thread::Builder::new().name("shutdown".to_owned());
    let waiting = thread.spawn(move || {
        pending.shut_down_after_all(last);
        pending.end(End::Over);
    });
    waiting.is_ok()
}
