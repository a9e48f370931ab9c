//! When the next frame is due.

use std::time::{Duration, Instant};

/// Paces playback. While paused nothing is due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Playback {
    interval: Duration,
    next: Option<Instant>,
}

impl Playback {
    pub(crate) fn new(fps: f64) -> Self {
        Self { interval: Duration::from_secs_f64(1.0 / fps), next: None }
    }

    pub(crate) fn is_playing(&self) -> bool {
        self.next.is_some()
    }

    pub(crate) fn play(&mut self, now: Instant) {
        self.next = Some(now + self.interval);
    }

    pub(crate) fn pause(&mut self) {
        self.next = None;
    }

    /// When the next frame is due, while playing.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.next
    }

    /// Whether a frame is due now. If so the one after it is scheduled, without making up for frames that came late.
    pub(crate) fn take_due(&mut self, now: Instant) -> bool {
        match self.next {
            Some(next) if now >= next => {
                self.next = Some((next + self.interval).max(now));
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_due_an_interval_apart_and_never_made_up_for() {
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        let mut playback = Playback::new(100.0);
        assert!(!playback.take_due(after(1000)));
        playback.play(start);
        assert!(!playback.take_due(after(9)));
        assert!(playback.take_due(after(11)));
        assert_eq!(playback.next(), Some(after(20)));
        assert!(playback.take_due(after(500)));
        assert_eq!(playback.next(), Some(after(500)));
        playback.pause();
        assert!(!playback.take_due(after(9000)));
    }
}
