//! The thread that reads: requests go into a queue, and neither cancelling nor `shutdown` waits in it.

use std::io::BufRead;

use super::framing::{Framing, Input, Next, read_message};
use super::message::{Item, Parsed, parse_error, parse_message};
use super::pending::{End, PendingRequests};
use super::queue::{Queued, Requests};

/// Whether to read on.
enum Reading {
    GoesOn,
    IsOver,
}

/// Reads until the stream ends or fails, `shutdown` comes, or nobody listens any more. `shutdown` ends
/// what is not answered yet, calls `stop` and ends the session.
pub(super) fn read_all(from: impl BufRead, requests: &Requests, pending: &PendingRequests, stop: impl Fn()) {
    let mut from = Input::new(from);
    loop {
        let reading = match read_message(&mut from) {
            Ok(Next::End) | Err(_) => return,
            Ok(Next::Broken(framing, reason)) => {
                pending.take_in(framing, false, 0).answer(parse_error(&reason));
                Reading::GoesOn
            }
            Ok(Next::Message(framing, bytes)) => enter(framing, &bytes, requests, pending, &stop),
        };
        if matches!(reading, Reading::IsOver) {
            return;
        }
    }
}

/// Takes in a message.
fn enter(framing: Framing, bytes: &[u8], requests: &Requests, pending: &PendingRequests, stop: impl Fn()) -> Reading {
    let Parsed { items, is_batch } = parse_message(bytes);
    let mut incoming = pending.take_in(framing, is_batch, bytes.len());
    for item in items {
        match item {
            Item::Answered(answer) => incoming.answer(answer),
            Item::Request(request) if request.method == "$/cancelRequest" => {
                if let Some(id) = request.params.get("id") {
                    pending.cancel(id);
                }
            }
            Item::Request(request) if matches!(request.method.as_str(), "shutdown" | "exit") => {
                let last = incoming.request(request.id);
                pending.shut_down(last);
                drop(incoming);
                // The thread that draws ends the session once it has stopped, so that everything is answered before.
                stop();
                pending.end(End::Over);
                return Reading::IsOver;
            }
            Item::Request(mut request) => {
                let responder = incoming.request(request.id.take());
                if !requests.add(Queued { request, responder }) {
                    return Reading::IsOver;
                }
            }
        }
    }
    Reading::GoesOn
}
