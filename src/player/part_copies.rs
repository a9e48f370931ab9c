//! What a GPU has of the objects of submissions from earlier slices: the objects themselves, and copies of their parts from
//! places on the way.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use foldhash::HashMap;

use crate::error::Internal;
use crate::gpu::{GpuError, PartCopy, Renderer};
use crate::limits::{MAX_KEPT_DEVICE_BYTES, MAX_PART_COPY_BYTES};
use crate::replay::{
    AtHand, CheckpointPlan, CommandNumber, DeviceSlice, ObjectKey, PartCheckpoint, PartCopies as Copies, TraceIndex,
};

/// Which copy: of which object, which parts, before which command.
type CopyKey = (ObjectKey, Range<u32>, CommandNumber);

/// What is there when a slice begins.
#[derive(Default)]
pub(super) struct PartCopies {
    at_hand: AtHand,
    /// Where copies are taken, once it is known.
    wanted: Option<Arc<CheckpointPlan>>,
    filled: CheckpointPlan,
    copies: HashMap<CopyKey, PartCopy>,
    bytes: u64,
    /// Those that the slice which is carried out has not come to, in the order of their commands.
    to_restore: VecDeque<PartCheckpoint>,
    to_take: VecDeque<PartCheckpoint>,
}

impl PartCopies {
    /// Nothing is there any more.
    pub(crate) fn clear(&mut self) {
        *self = Self { wanted: self.wanted.take(), ..Self::default() };
    }

    /// The GPU has dropped all objects. The copies are there still.
    pub(crate) fn forget_objects(&mut self) {
        self.at_hand = AtHand::default();
    }

    /// Bytes of the copies.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What is held is no longer known; gives what was.
    pub(crate) fn take_at_hand(&mut self) -> AtHand {
        std::mem::take(&mut self.at_hand)
    }

    /// Plans where copies are taken, unless that was done.
    pub(crate) fn plan(&mut self, index: &TraceIndex) -> Result<(), Internal> {
        if self.wanted.is_none() {
            self.wanted = Some(Arc::new(index.plan_checkpoints(MAX_PART_COPY_BYTES)?));
        }
        Ok(())
    }

    /// Gives `work` the copies that are there, and those that are worth taking.
    pub(crate) fn with_copies<T>(&self, work: impl FnOnce(Copies<'_>) -> T) -> T {
        let nothing = CheckpointPlan::default();
        work(Copies { filled: &self.filled, wanted: self.wanted.as_deref().unwrap_or(&nothing) })
    }

    /// A slice is to be carried out. It takes no copy twice.
    pub(crate) fn begin(&mut self, slice: &DeviceSlice) {
        let is_new = |copy: &&PartCheckpoint| !self.copies.contains_key(&key(copy));
        self.to_take = slice.copied.iter().filter(is_new).cloned().collect();
        self.to_restore = slice.restored.iter().cloned().collect();
    }

    /// The command `next` is to be carried out: restores what is to hold before it, and takes copies of what does.
    pub(crate) fn pass(&mut self, next: CommandNumber, renderer: &mut Renderer) -> Result<(), GpuError> {
        while let Some(copy) = self.to_restore.pop_front_if(|copy| copy.at <= next) {
            let kept = self.copies.get(&key(&copy)).ok_or(Internal::new("a saved copy is missing"))?;
            renderer.restore_part(&copy, kept)?;
        }
        while let Some(copy) = self.to_take.pop_front_if(|copy| copy.at <= next) {
            if let Some(kept) = renderer.save_part(&copy)? {
                self.copies.insert(key(&copy), kept);
                self.bytes += copy.size_bytes;
            }
        }
        Ok(())
    }

    /// All of a slice was carried out: this is held, and the copies taken on its way count.
    pub(crate) fn end(&mut self, at_hand: AtHand) {
        self.at_hand = at_hand;
        let copies = &self.copies;
        if let Some(wanted) = &self.wanted {
            self.filled = wanted.filled(|copy| copies.contains_key(&key(copy)));
        }
    }

    /// Drops objects that the slice does not use, if too much is kept.
    pub(crate) fn make_room(&mut self, slice: &mut DeviceSlice, renderer: &Renderer) {
        if renderer.device_bytes() > MAX_KEPT_DEVICE_BYTES {
            let unused: Vec<_> = renderer.device_objects().filter(|object| !slice.uses(*object)).collect();
            slice.dropped.extend(&unused);
            unused.into_iter().for_each(|object| slice.after.forget(object));
        }
    }
}

fn key(copy: &PartCheckpoint) -> CopyKey {
    (copy.object, copy.parts.clone(), copy.at)
}
