//! What a frame may have of the memory of GPU and CPU, and what for.
//!
//! | of [`MAX_FRAME_BYTES`] | at most |
//! |---|---|
//! | the target | [`MAX_PICTURE_BYTES`] |
//! | pictures kept on the way to a draw | [`MAX_TARGET_COPY_BYTES`]; none of a target beyond that |
//! | the spare target that questions are drawn on | [`MAX_SPARE_TARGET_BYTES`]; of larger targets while a question is answered |
//! | what waits for the GPU: buffers dropped, versions overtaken, gathered vertices | [`MAX_HELD_BYTES`] |
//! | chunks that uploads are staged in | [`MAX_STAGING_BYTES`] |
//! | pictures on their way back | [`MAX_PENDING_PICTURE_BYTES`] |
//! | vertices being gathered | [`MAX_GATHERED_BYTES`] |
//! | indices of corners, query answers, zeros for what is not bound | [`MAX_SMALL_BYTES`] |
//! | counts of writes and their way back, while a question asks for them | twice the target |
//! | the guest's buffers: those alive, and others kept from other frames | the rest |
//!
//! All but the first and the last are held by submitting, waiting and letting go. So the rest depends on the target's size
//! alone, and a CREATE_BUFFER that goes over it is refused whatever API draws and however one came to the frame. What is
//! compiled is not counted, nor is a picture that was handed out.

use super::error::Problem;
use crate::limits::{
    MAX_BUFFERS_BYTES, MAX_FRAME_BYTES, MAX_GATHERED_BYTES, MAX_HELD_BYTES, MAX_PENDING_PICTURE_BYTES,
    MAX_PICTURE_BYTES, MAX_SMALL_BYTES, MAX_SPARE_TARGET_BYTES, MAX_STAGING_BYTES, MAX_TARGET_COPIES,
    MAX_TARGET_COPY_BYTES,
};
use crate::pixels::Size;

/// What every frame has set aside, however large its target is.
const SET_ASIDE_BYTES: u64 =
    MAX_HELD_BYTES + MAX_STAGING_BYTES + MAX_PENDING_PICTURE_BYTES + MAX_GATHERED_BYTES + MAX_SMALL_BYTES;

/// What a frame's buffers may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameMemory {
    resident_bytes: u64,
    /// What an error calls the buffers.
    what: &'static str,
}

impl FrameMemory {
    /// Where the target is not known, or as small as targets mostly are.
    pub const USUAL: Self = Self { resident_bytes: MAX_BUFFERS_BYTES, what: "the size of all buffers in bytes" };

    /// With a target of this size.
    pub fn of_target(size: Size) -> Self {
        let what = "the size of all buffers in bytes, with a target this large (--size),";
        Self { resident_bytes: MAX_FRAME_BYTES.saturating_sub(beside_buffers(size)), what }.named()
    }

    /// While a question about a picture of this size is answered. `Err` are the bytes that it takes, if they are too many
    /// even without any buffer.
    pub fn of_question(size: Size) -> Result<Self, u64> {
        let target = size.rgba_bytes();
        let spare_target = if keeps_spare_target(size) { 0 } else { target };
        let taken = beside_buffers(size).saturating_add(spare_target).saturating_add(target.saturating_mul(2));
        let resident_bytes = MAX_FRAME_BYTES.checked_sub(taken).ok_or(taken)?;
        let what = "the size of all buffers in bytes, together with what a question about a target this large \
            (--size) needs,";
        Ok(Self { resident_bytes, what }.named())
    }

    /// Bytes of buffers on the GPU: of those alive, and of others.
    pub fn resident_bytes(self) -> u64 {
        self.resident_bytes
    }

    /// Bytes of buffers that may be alive at one time.
    pub fn buffers_bytes(self) -> u64 {
        self.resident_bytes.min(MAX_BUFFERS_BYTES)
    }

    /// What is wrong if so many bytes of buffers are alive, if it is.
    pub(super) fn refusal(self, found: u64) -> Option<Problem> {
        let (what, limit) = (self.what, self.buffers_bytes());
        (found > limit).then_some(Problem::OverLimit { what, found, limit })
    }

    /// The target is named only where it matters.
    fn named(self) -> Self {
        let is_usual = self.resident_bytes >= MAX_BUFFERS_BYTES;
        Self { what: if is_usual { Self::USUAL.what } else { self.what }, ..self }
    }
}

/// How many pictures of this size may be kept on the way to a draw.
pub fn most_target_copies(size: Size) -> u64 {
    (MAX_TARGET_COPY_BYTES / size.rgba_bytes().max(1)).min(MAX_TARGET_COPIES)
}

/// Whether the spare target that questions are drawn on is kept for the next.
pub fn keeps_spare_target(size: Size) -> bool {
    size.rgba_bytes() <= MAX_SPARE_TARGET_BYTES
}

fn beside_buffers(size: Size) -> u64 {
    // A larger one is refused where it is first used, and most frames of submissions use none.
    let target = size.rgba_bytes().min(MAX_PICTURE_BYTES);
    let spare_target = if keeps_spare_target(size) { target } else { 0 };
    let copies = most_target_copies(size) * target;
    SET_ASIDE_BYTES.saturating_add(target).saturating_add(spare_target).saturating_add(copies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::MAX_BUFFER_BYTES;

    const MIB: u64 = 1 << 20;

    fn square(side_px: u32) -> Size {
        Size { width_px: side_px, height_px: side_px }
    }

    #[test]
    fn the_largest_target_leaves_room_for_the_largest_buffer() {
        assert_eq!(square(16384).rgba_bytes(), MAX_PICTURE_BYTES);
        let memory = FrameMemory::of_target(square(16384));
        assert_eq!((memory.buffers_bytes(), memory.resident_bytes()), (496 * MIB, 496 * MIB));
        assert!(memory.buffers_bytes() >= MAX_BUFFER_BYTES);
        assert_eq!(FrameMemory::of_question(square(16384)), Err((1024 * 4 + 528) * MIB));
    }

    #[test]
    fn no_target_takes_more_than_there_is() {
        for side_px in (1..=16384).step_by(7) {
            let size = square(side_px);
            let memory = FrameMemory::of_target(size);
            assert_eq!(memory.resident_bytes() + beside_buffers(size), MAX_FRAME_BYTES, "{size}");
            assert!(memory.buffers_bytes() >= 496 * MIB, "{size}");
        }
        let usual = Size { width_px: 3840, height_px: 2160 };
        assert_eq!(FrameMemory::of_target(usual).buffers_bytes(), MAX_BUFFERS_BYTES);
        assert_eq!(FrameMemory::of_question(usual).map(FrameMemory::buffers_bytes), Ok(MAX_BUFFERS_BYTES));
        // 256 MiB of target, and one copy of it.
        assert_eq!(FrameMemory::of_target(square(8192)).buffers_bytes(), 1008 * MIB);
    }

    #[test]
    fn the_target_is_named_where_it_matters() {
        let told = |size| FrameMemory::of_target(size).refusal(2 << 30).unwrap().to_string();
        assert_eq!(
            told(square(64)),
            "the size of all buffers in bytes is 2147483648: this build's limit is 1073741824"
        );
        assert_eq!(
            told(square(16384)),
            "the size of all buffers in bytes, with a target this large (--size), is 2147483648: this build's \
                limit is 520093696"
        );
    }
}
