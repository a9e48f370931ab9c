//! How often each pixel is written, exactly.
//!
//! Every adapter can add up in 16-bit floats, which count to 2048 without a gap. A triangle writes a pixel once at
//! most, so after that many triangles the counts are taken to the CPU and begin anew.

use super::device::Gpu;
use super::error::GpuError;
use super::readback::{Readback, Rows};
use super::render_target::RenderTarget;
use crate::pixels::Size;
use crate::replay::DrawOp;

pub(super) const OVERDRAW_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R16Float;
const BYTES_PER_PIXEL: u32 = 2;

/// Triangles that may be counted before the counts have to be taken away.
pub(super) const MOST_TRIANGLES: u32 = 2048;

/// Counts under way.
pub(super) struct OverdrawCounter {
    /// Where counts are drawn; while they are, the renderer has it and this is what it drew on before.
    pub target: RenderTarget,
    readback: Readback,
    counts: Vec<u32>,
    /// Triangles on the target.
    triangles: u32,
}

impl OverdrawCounter {
    pub(crate) fn new(gpu: &Gpu, size: Size) -> Self {
        Self {
            target: RenderTarget::new(gpu, size, "overdraw", OVERDRAW_FORMAT),
            readback: Readback::new(gpu, Rows::of(size, BYTES_PER_PIXEL)),
            counts: vec![0; size.pixels() as usize],
            triangles: 0,
        }
    }

    /// Whether so many more triangles can be counted now.
    pub(crate) fn has_room_for(&self, triangles: u32) -> bool {
        self.triangles + triangles <= MOST_TRIANGLES
    }

    pub(crate) fn take_in(&mut self, triangles: u32) {
        self.triangles += triangles;
    }

    /// Records the copy of what was counted.
    pub(crate) fn copy(&self, encoder: &mut wgpu::CommandEncoder, counted: &wgpu::Texture) {
        self.readback.copy_from(encoder, counted, 0);
    }

    /// Adds up what was copied, which the submission has done. The target is to be cleared next.
    pub(crate) fn add_up(&mut self, gpu: &Gpu, submission: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        let halves = self.readback.finish_bytes(gpu, submission)?;
        for (count, half) in self.counts.iter_mut().zip(halves.as_chunks::<2>().0) {
            *count = count.saturating_add(count_of_half(u16::from_le_bytes(*half)));
        }
        self.triangles = 0;
        Ok(())
    }

    /// The counts, row by row.
    pub(crate) fn into_counts(self) -> Vec<u32> {
        self.counts
    }
}

/// Cuts a draw into parts that can each be counted.
pub(super) fn parts(draw: &DrawOp) -> impl Iterator<Item = DrawOp> {
    parts_of(draw, MOST_TRIANGLES)
}

/// Cuts a draw into parts of at most so many triangles.
pub(super) fn parts_of(draw: &DrawOp, most_triangles: u32) -> impl Iterator<Item = DrawOp> {
    let vertices = draw.vertex_count / 3 * 3;
    let (step, draw) = (most_triangles * 3, draw.clone());
    (0..vertices).step_by(step as usize).map(move |start| DrawOp {
        first_vertex: draw.first_vertex + start,
        vertex_count: step.min(vertices - start),
        ..draw.clone()
    })
}

/// The whole number that a 16-bit float stands for: 5 bits of exponent, biased by 15, and 10 of mantissa.
fn count_of_half(half: u16) -> u32 {
    let (exponent, mantissa) = (i32::from(half >> 10 & 0x1f), u32::from(half & 0x3ff) | 0x400);
    match exponent - 25 {
        shift @ 0.. => mantissa << shift,
        shift @ -10..0 => mantissa >> -shift,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::{ProgramKey, VertexFetch};

    #[test]
    fn halves_count_to_2048() {
        for (half, count) in [(0, 0), (0x3c00, 1), (0x4000, 2), (0x4200, 3), (0x63ff, 1023), (0x6400, 1024)] {
            assert_eq!(count_of_half(half), count);
        }
        assert_eq!((count_of_half(0x67ff), count_of_half(0x6800)), (2047, 2048));
    }

    #[test]
    fn parts_make_up_the_draw() {
        let draw = |first_vertex, vertex_count| DrawOp {
            program: ProgramKey(0),
            vertices: VertexFetch::None,
            viewport_px: None,
            vertex_count,
            first_vertex,
        };
        assert_eq!(parts_of(&draw(7, 20), 4).collect::<Vec<_>>(), [draw(7, 12), draw(19, 6)]);
        assert_eq!(parts_of(&draw(7, 2), 4).count(), 0);
    }
}
