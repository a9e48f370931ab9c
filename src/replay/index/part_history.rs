//! Who wrote which parts of one object, at any time.
//!
//! A write is only put down: most objects of a trace nobody ever asks about. The first question makes snapshots of the
//! writers, one after half as many writes as the last one has stretches, but at least sixteen. A write adds two stretches at
//! most, so all snapshots together are no larger than four times the writes, and any moment is a snapshot and a few writes
//! away.

use std::ops::Range;
use std::sync::OnceLock;

use super::overlay::overlay;
use crate::error::Internal;

/// Fewest writes between two snapshots.
const SHORTEST_WAIT: usize = 16;

/// The number of a command that writes, and whether what was there before shows through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WriteNumber(u32);

const PARTIAL: u32 = 1 << 31;

impl WriteNumber {
    pub(super) const fn whole(number: u32) -> Self {
        Self(number & !PARTIAL)
    }

    pub(super) const fn partial(number: u32) -> Self {
        Self(number | PARTIAL)
    }

    pub(super) const fn number(self) -> u32 {
        self.0 & !PARTIAL
    }

    pub(super) const fn is_partial(self) -> bool {
        self.0 & PARTIAL != 0
    }
}

/// What happened to one object.
#[derive(Debug, Default)]
pub(super) struct PartHistory {
    writes: Vec<Write>,
    /// Made when somebody asks.
    snapshots: OnceLock<Box<[Snapshot]>>,
}

/// One write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    pub by: WriteNumber,
    start: u32,
    end: u32,
}

impl Write {
    /// What it has written.
    pub(super) fn parts(&self) -> Range<u32> {
        self.start..self.end
    }
}

#[derive(Debug)]
struct Snapshot {
    /// How many writes it comes after.
    after: usize,
    /// In order; they do not overlap.
    stretches: Box<[Stretch]>,
}

/// Parts in a row, and who wrote them last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub start: u32,
    pub end: u32,
    pub by: WriteNumber,
}

/// Parts and the command that wrote them last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub parts: Range<u32>,
    pub by: WriteNumber,
}

impl PartHistory {
    /// Takes in the next write.
    #[inline]
    pub(super) fn write(&mut self, by: WriteNumber, parts: Range<u32>) {
        if parts.is_empty() {
            return;
        }
        self.writes.push(Write { by, start: parts.start, end: parts.end });
        self.snapshots.take();
    }

    /// No write follows.
    pub(super) fn finish(&mut self) {
        self.writes.shrink_to_fit();
    }

    /// Bytes that it takes.
    pub(super) fn size_bytes(&self) -> u64 {
        let snapshots: &[Snapshot] = self.snapshots.get().map_or(&[], |snapshots| snapshots);
        let stretches: usize = snapshots.iter().map(|snapshot| size_of_val(&*snapshot.stretches)).sum();
        (size_of_val(self.writes.as_slice()) + size_of_val(snapshots) + stretches) as u64
    }

    /// Forgets the writes of commands from `number` on.
    pub(super) fn truncate(&mut self, number: u32) {
        self.writes.truncate(self.writes_before(number));
        self.snapshots.take();
    }

    /// The writes in order.
    pub(super) fn writes(&self) -> &[Write] {
        &self.writes
    }

    /// How many writes there are of commands before `number`.
    pub(super) fn writes_before(&self, number: u32) -> usize {
        self.writes.partition_point(|write| write.by.number() < number)
    }

    /// Who wrote which of `parts` last, before the command with the number `before`. What nobody wrote is left out.
    pub(super) fn writers_of(&self, parts: Range<u32>, before: u32) -> Result<Vec<Written>, Internal> {
        let mut found = Vec::new();
        self.writers_after(self.writes_before(before), parts, |written| found.push(written))?;
        Ok(found)
    }

    /// Who wrote which of `parts` last, of the first `count` writes.
    pub(super) fn writers_after(
        &self,
        count: usize,
        parts: Range<u32>,
        mut each: impl FnMut(Written),
    ) -> Result<(), Internal> {
        let snapshots = self.snapshots.get_or_init(|| snapshots_of(&self.writes));
        let snapshot = snapshots.partition_point(|snapshot| snapshot.after <= count).checked_sub(1);
        let snapshot = snapshot.and_then(|at| snapshots.get(at));
        let after = snapshot.map_or(0, |snapshot| snapshot.after);
        let later = self.writes.get(after..count);
        let later = later.ok_or(Internal::new("a snapshot of an object's writers is of later writes"))?;
        let is_hit = |write: &&Write| write.start < parts.end && parts.start < write.end;
        let mut later = later.iter().rev().filter(is_hit).peekable();
        if let Some(write) = later.next_if(|write| write.start <= parts.start && parts.end <= write.end) {
            each(Written { parts, by: write.by });
            return Ok(());
        }
        let mut wanted = vec![parts.clone()];
        for write in later {
            if wanted.is_empty() {
                return Ok(());
            }
            take(&mut wanted, write.parts(), |parts| each(Written { parts, by: write.by }));
        }
        let stretches: &[_] = snapshot.map_or(&[], |snapshot| &snapshot.stretches);
        for parts in wanted {
            let first = stretches.partition_point(|stretch| stretch.end <= parts.start);
            for &Stretch { start, end, by } in stretches.iter().skip(first).take_while(|next| next.start < parts.end) {
                each(Written { parts: start.max(parts.start)..end.min(parts.end), by });
            }
        }
        Ok(())
    }
}

/// Who had written what, at moments of a history.
fn snapshots_of(writes: &[Write]) -> Box<[Snapshot]> {
    let (mut snapshots, mut after, mut wait) = (Vec::<Snapshot>::new(), 0, SHORTEST_WAIT);
    while let Some(later) = writes.get(after..after + wait) {
        let stretches = overlay(snapshots.last().map_or(&[], |last| &last.stretches), later);
        after += wait;
        wait = (stretches.len() / 2).max(SHORTEST_WAIT);
        snapshots.push(Snapshot { after, stretches });
    }
    snapshots.into_boxed_slice()
}

/// Takes what lies in `range` out of `wanted`, giving each stretch of it to `each`.
fn take(wanted: &mut Vec<Range<u32>>, range: Range<u32>, mut each: impl FnMut(Range<u32>)) {
    if !wanted.iter().any(|want| want.start < range.end && range.start < want.end) {
        return;
    }
    let mut left = Vec::with_capacity(wanted.len() + 1);
    for want in wanted.drain(..) {
        let (start, end) = (want.start.max(range.start), want.end.min(range.end));
        if start >= end {
            left.push(want);
            continue;
        }
        each(start..end);
        left.extend([want.start..start, end..want.end].into_iter().filter(|part| !part.is_empty()));
    }
    *wanted = left;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_writers_agree_with_plain_parts_at_any_time() {
        let mut history = PartHistory::default();
        let (mut plain, mut moments) = ([None; 200], Vec::new());
        let mut seed = 5u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % below) as u32
        };
        for number in 0..1500 {
            moments.push(plain);
            let start = random(200);
            let end = (start + random(20)).min(200);
            let by = if random(3) == 0 { WriteNumber::partial(number) } else { WriteNumber::whole(number) };
            history.write(by, start..end);
            plain[start as usize..end as usize].fill(Some(by));
        }
        for cut in [1500, 700] {
            history.truncate(cut);
            history.writers_of(0..1, cut).unwrap();
            let snapshots = history.snapshots.get().unwrap();
            assert!(snapshots.len() > 10);
            let kept: usize = snapshots.iter().map(|snapshot| snapshot.stretches.len()).sum();
            assert!(kept <= 4 * history.writes.len(), "{kept}");
            for _ in 0..3000 {
                let number = random(u64::from(cut));
                let (a, b) = (random(201), random(201));
                let mut found = [None; 200];
                for Written { parts, by } in history.writers_of(a.min(b)..a.max(b), number).unwrap() {
                    assert!(found[parts.start as usize..parts.end as usize].iter().all(Option::is_none));
                    found[parts.start as usize..parts.end as usize].fill(Some(by));
                }
                let mut expected = [None; 200];
                let asked = a.min(b) as usize..a.max(b) as usize;
                expected[asked.clone()].copy_from_slice(&moments[number as usize][asked]);
                assert_eq!(found, expected);
            }
        }
    }
}
