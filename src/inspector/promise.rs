//! An answer that may not be there yet.

use std::sync::{Arc, OnceLock, Weak};

use super::cancel::CancelToken;

/// An answer that may not be there yet. Its clones are one; when the last is dropped, the job learns that nobody waits.
#[derive(Debug)]
#[must_use]
pub(super) struct Promise<T>(Arc<Slot<T>>);

#[derive(Debug)]
struct Slot<T> {
    value: OnceLock<T>,
    cancel: CancelToken,
}

impl<T> Drop for Slot<T> {
    fn drop(&mut self) {
        self.cancel.set();
    }
}

/// The job's side of a promise.
pub(super) struct PromiseSetter<T>(Weak<Slot<T>>);

impl<T> Promise<T> {
    /// A promise, and what keeps it. `cancel` is set when the promise is dropped.
    pub(crate) fn new(cancel: CancelToken) -> (Self, PromiseSetter<T>) {
        let slot = Arc::new(Slot { value: OnceLock::new(), cancel });
        let setter = PromiseSetter(Arc::downgrade(&slot));
        (Self(slot), setter)
    }

    /// An answer that is there.
    pub(crate) fn ready(value: T) -> Self {
        Self(Arc::new(Slot { value: OnceLock::from(value), cancel: CancelToken::default() }))
    }

    /// The answer, once it is there.
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.value.get()
    }

    /// Has the job answer early, in whatever way it does then.
    pub(crate) fn cancel(&self) {
        self.0.cancel.set();
    }
}

impl<T> Clone for Promise<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> PromiseSetter<T> {
    /// Whether anybody still waits.
    pub(crate) fn is_awaited(&self) -> bool {
        self.0.strong_count() > 0
    }

    /// Gives the answer to whoever waits.
    pub(crate) fn set(self, value: T) {
        if let Some(slot) = self.0.upgrade() {
            // Set once: a setter is used up by it.
            let _ = slot.value.set(value);
        }
    }
}
