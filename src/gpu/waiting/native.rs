//! Waiting as a thread does that may sleep.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use super::NoEvent;

/// Outcome of a future.
pub(in crate::gpu) fn block_on<T: 'static>(future: impl Future<Output = T> + 'static) -> T {
    pollster::block_on(future)
}

/// A value that a callback tells, once.
pub(in crate::gpu) struct Event<T>(Receiver<T>);

/// The callback's end of an [`Event`].
pub(in crate::gpu) struct Teller<T>(Sender<T>);

/// An event, and what tells it.
pub(in crate::gpu) fn event<T: 'static>() -> (Teller<T>, Event<T>) {
    let (sender, receiver) = channel();
    (Teller(sender), Event(receiver))
}

impl<T> Teller<T> {
    /// Tells it.
    pub(in crate::gpu) fn tell(self, value: T) {
        // Nobody listens any more if a wait before this one has failed.
        let _ = self.0.send(value);
    }
}

impl<T> Event<T> {
    /// Waits no longer than `longest`.
    pub(in crate::gpu) fn wait(self, longest: Duration) -> Result<T, NoEvent> {
        self.0.recv_timeout(longest).map_err(|error| match error {
            RecvTimeoutError::Timeout => NoEvent::TimedOut,
            RecvTimeoutError::Disconnected => NoEvent::NeverTold,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_told_late_or_never() {
        let (teller, told) = event();
        teller.tell(7);
        assert_eq!(told.wait(Duration::ZERO), Ok(7));
        let (teller, late) = event::<u8>();
        assert_eq!(late.wait(Duration::from_millis(1)), Err(NoEvent::TimedOut));
        drop(teller);
        let (teller, never) = event::<u8>();
        drop(teller);
        assert_eq!(never.wait(Duration::from_secs(60)), Err(NoEvent::NeverTold));
    }
}
