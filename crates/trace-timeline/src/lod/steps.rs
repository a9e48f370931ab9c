//! Steps need no blocks: step `k` lies at tick `k`.

use super::{Cell, Scale};

/// Merged steps are drawn in pieces of so many pixels.
const RUN_PX: f64 = 4.0;

/// Hands what is seen of `count` steps to `sink`, left to right.
pub fn walk_steps(count: usize, scale: &impl Scale, mut sink: impl FnMut(Cell)) {
    let (from, until) = scale.visible();
    let until = until.min(count as u64);
    let mut at = from;
    while at < until {
        let (left, right) = (scale.px(at), scale.px(at + 1));
        if right - left >= 1.0 {
            sink(Cell::One { position: at as u32, left, right });
            at += 1;
            continue;
        }
        // At least one step, and never beyond the last.
        let next = scale.tick(left + RUN_PX).clamp(at + 1, until);
        let (count, right) = ((next - at) as u32, scale.px(next));
        sink(Cell::Many { first: at as u32, count, left, right, busy: 1.0, tint: 0 });
        at = next;
    }
}
