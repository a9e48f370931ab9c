//! The two ways to wait for a GPU: for a [future](block_on), and for [what a callback tells](event).
//!
//! ```text
//!            block_on(future)                   Event::wait(longest)
//!  native    the thread sleeps                  the thread sleeps, no longer than that
//!  browser   the program's stack is put aside until the promise is settled; the page sees to time
//! ```
//!
//! A browser settles promises only when the program has returned to it. JavaScript Promise Integration puts the whole stack
//! aside and lets it return: so no layer above is asynchronous. One call into the player is made at a time, and no lock is
//! held while waiting.

#[cfg(target_arch = "wasm32")]
mod browser;
#[cfg(not(target_arch = "wasm32"))]
mod native;

#[cfg(target_arch = "wasm32")]
use browser as platform;
#[cfg(not(target_arch = "wasm32"))]
use native as platform;

pub(super) use platform::{block_on, event};

/// Cause of a wait for an event that ended without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoEvent {
    /// It did not come in time.
    #[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "the page sees to time"))]
    TimedOut,
    /// The callback was dropped without a call.
    NeverTold,
}
