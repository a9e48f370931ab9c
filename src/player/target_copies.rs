//! Pictures from the way to a draw, kept on the GPU, so that going back a little costs little.

use crate::gpu::{Renderer, TargetCopy};
use crate::replay::{CommandNumber, most_target_copies};

/// Fewer draws than this are run again rather than kept.
pub(super) const FEWEST_DRAWS: u32 = 8;

/// The pictures kept.
#[derive(Default)]
pub(super) struct TargetCopies {
    /// Each with the first command that it does not show.
    copies: Vec<Kept>,
    /// Of pictures that are kept no more, for the next ones: the GPU may still be reading them, so letting go of one frees
    /// nothing yet.
    spare: Vec<TargetCopy>,
    round: u64,
}

struct Kept {
    before: CommandNumber,
    copy: TargetCopy,
    used_in: u64,
}

impl TargetCopies {
    /// How many pictures the GPU holds for it.
    pub(crate) fn count(&self) -> u64 {
        (self.copies.len() + self.spare.len()) as u64
    }

    pub(crate) fn clear(&mut self) {
        self.spare.extend(self.copies.drain(..).map(|kept| kept.copy));
    }

    /// The latest picture before a command up to `end`.
    pub(crate) fn latest_until(&self, end: u32) -> Option<CommandNumber> {
        self.copies.iter().map(|kept| kept.before).filter(|before| before.0 <= end).max()
    }

    /// The copy that shows everything before `at`.
    pub(crate) fn get(&mut self, at: CommandNumber) -> Option<&TargetCopy> {
        self.round += 1;
        let kept = self.copies.iter_mut().find(|kept| kept.before == at)?;
        kept.used_in = self.round;
        Some(&kept.copy)
    }

    /// Keeps what the target shows now, which is what the trace says, in place of the copy used longest ago if there is no room.
    pub(crate) fn keep(&mut self, before: CommandNumber, renderer: &mut Renderer) {
        let room = most_target_copies(renderer.size()) as usize;
        if room == 0 || self.copies.iter().any(|kept| kept.before == before) {
            return;
        }
        self.round += 1;
        if self.copies.len() >= room {
            let oldest = self.copies.iter().enumerate().min_by_key(|(_, kept)| kept.used_in).map(|(index, _)| index);
            self.spare.extend(oldest.map(|oldest| self.copies.swap_remove(oldest).copy));
        }
        let copy = match self.spare.pop() {
            Some(spare) => {
                renderer.save_target_in(&spare);
                spare
            }
            None => renderer.save_target(),
        };
        self.copies.push(Kept { before, copy, used_in: self.round });
    }
}

/// Says after which of `total` draws to keep a picture: half-way, half-way from there, and so on. Going back draw by
/// draw then takes a number of draws that grows with the logarithm of `total`.
pub(super) fn is_worth_keeping(drawn: u32, total: u32) -> bool {
    let mut left = total;
    while left >= 2 * FEWEST_DRAWS {
        left /= 2;
        if total - left == drawn {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_get_denser_towards_the_end() {
        let kept: Vec<u32> = (0..=1000).filter(|drawn| is_worth_keeping(*drawn, 1000)).collect();
        assert_eq!(kept, [500, 750, 875, 938, 969, 985]);
        assert!((0..=15).all(|drawn| !is_worth_keeping(drawn, 15)));
    }
}
