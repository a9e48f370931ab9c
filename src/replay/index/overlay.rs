//! Writes are laid over stretches of parts, so that each part has the last one that wrote it.
//!
//! ```text
//!  stretches   ──a──  ────b────        ──c──
//!  writes            ──1──  ─2─
//!                        ──3──
//!  result      ──a──  ─1─ ──3── 2      ──c──
//! ```

use std::collections::BinaryHeap;

use super::part_history::{Stretch, Write};

/// Stretches in order, each part with the last of `writes` that wrote it, else as `before` says.
pub(super) fn overlay(before: &[Stretch], writes: &[Write]) -> Box<[Stretch]> {
    match writes.last() {
        Some(last) if covers_all(last, before, writes) => [stretch_of(last)].into(),
        _ => laid_over(before, writes),
    }
}

/// Whether a write leaves nothing of the stretches and the other writes.
fn covers_all(last: &Write, before: &[Stretch], writes: &[Write]) -> bool {
    let covers = |start, end| last.parts().start <= start && end <= last.parts().end;
    before.first().is_none_or(|first| covers(first.start, last.parts().end))
        && before.last().is_none_or(|end| covers(last.parts().start, end.end))
        && writes.iter().all(|write| covers(write.parts().start, write.parts().end))
}

fn laid_over(before: &[Stretch], writes: &[Write]) -> Box<[Stretch]> {
    let written = in_order(writes);
    let mut result = Stretches(Vec::with_capacity(before.len() + 2 * written.len()));
    let mut before = before.iter().copied().peekable();
    for new in written {
        while let Some(old) = before.next_if(|old| old.end <= new.start) {
            result.push(old);
        }
        while let Some(old) = before.peek_mut().filter(|old| old.start < new.end) {
            if old.start < new.start {
                result.push(Stretch { end: new.start, ..*old });
            }
            old.start = new.end;
            if old.start < old.end {
                break;
            }
            before.next();
        }
        result.push(new);
    }
    before.for_each(|old| result.push(old));
    result.0.into_boxed_slice()
}

fn stretch_of(write: &Write) -> Stretch {
    let parts = write.parts();
    Stretch { start: parts.start, end: parts.end, by: write.by }
}

/// Stretches that neither overlap nor could be one.
struct Stretches(Vec<Stretch>);

impl Stretches {
    /// Adds one behind all others.
    fn push(&mut self, next: Stretch) {
        match self.0.last_mut() {
            _ if next.start >= next.end => {}
            Some(last) if last.end == next.start && last.by == next.by => last.end = next.end,
            _ => self.0.push(next),
        }
    }
}

/// What writes leave of one another, in order: a sweep over the parts, in which the last of the writes that have begun
/// and not ended counts.
fn in_order(writes: &[Write]) -> Vec<Stretch> {
    let mut by_start: Vec<(u32, usize)> = (0..).zip(writes).map(|(at, write)| (write.parts().start, at)).collect();
    by_start.sort_unstable();
    let mut starts = by_start.into_iter().peekable();
    // The last write comes first.
    let mut begun: BinaryHeap<(usize, u32)> = BinaryHeap::new();
    let (mut result, mut at) = (Stretches(Vec::with_capacity(writes.len())), 0);
    let write_of = |place: usize| writes.get(place).map(stretch_of);
    loop {
        while begun.peek().is_some_and(|(_, end)| *end <= at) {
            begun.pop();
        }
        let top = begun.peek().and_then(|(place, _)| write_of(*place));
        let next = starts.peek().map(|(start, _)| *start);
        let reached = match (top, next) {
            (None, None) => return result.0,
            (None, Some(next)) => next,
            (Some(top), next) => {
                let end = next.map_or(top.end, |next| next.min(top.end));
                result.push(Stretch { start: at, end, by: top.by });
                end
            }
        };
        at = reached;
        while let Some((_, place)) = starts.next_if(|(start, _)| *start <= at) {
            begun.extend(write_of(place).map(|write| (place, write.end)));
        }
    }
}
