//! Which triangle of a draw a pixel shows.
//!
//! The draw is drawn in parts, each asked whether it writes the pixel; then the last part that does in smaller parts,
//! until one is a triangle. Every adapter can do that, and the shaders stay as they are.
//!
//! A draw of a submission may hide its own triangles from each other, so that its parts would write other pixels. It is drawn
//! whole, each pixel with the number of its triangle.

use std::ops::Range;

use super::offscreen_query::Basis;
use super::slice_run::{SlicePlan, WriteKind};
use super::submitted_maps::carry_out;
use super::submitted_query::AskedPicture;
use super::{Player, PlayerError};
use crate::command::Place;
use crate::error::Internal;
use crate::gpu::DrawOverride;
use crate::replay::{DrawOp, Op};

/// Parts that a draw is cut into at once.
const PARTS: u32 = 64;

/// Triangles of a draw, by their numbers.
type Triangles = Range<u32>;

impl Player {
    /// The number, in `draw` of a frame, of the last triangle that writes a pixel of the picture at `place`; `None` if none
    /// does. Of a draw of a submission it is the triangle's number in its instance, and points and lines are counted as
    /// triangles are. The player stays where it is.
    pub fn find_triangle(
        &mut self,
        place: impl Into<Place>,
        draw: u32,
        x_px: u32,
        y_px: u32,
    ) -> Result<Option<u32>, PlayerError> {
        let place = place.into();
        let frame = place.frame;
        if self.is_about_submissions(place, AskedPicture::Shown)? {
            return self.find_submitted_triangle(place, draw, [x_px, y_px]);
        }
        self.query_offscreen(frame, |player, offscreen| {
            player.check_pixel(x_px, y_px)?;
            let plan = player.plan_slice(offscreen, Place::at_draw(frame, draw), Basis::Frame)?;
            player.gpu.renderer.fill([0; 4]);
            player.gpu.renderer.set_scissor(Some([x_px, y_px]));
            let mut suspects = 0..u32::MAX;
            loop {
                match player.last_part(&plan, draw, &suspects)? {
                    Some(part) if part.len() > 1 => suspects = part,
                    found => return Ok(found.map(|part| part.start)),
                }
            }
        })
    }

    fn find_submitted_triangle(
        &mut self,
        place: Place,
        draw: u32,
        at_px: [u32; 2],
    ) -> Result<Option<u32>, PlayerError> {
        self.query_submitted(place, AskedPicture::Shown, |player, question| {
            let mut order = None;
            player.walk_target(question, |shown, write, executor, gpu| {
                if write.kind == WriteKind::Draw(Some(draw)) {
                    gpu.renderer.set_scissor(Some(at_px));
                    gpu.renderer.ask_draw(executor.device_ops(), &shown.view, &[DrawOverride::PrimitiveNumbers])?;
                    order = gpu.renderer.order_of_gathered_strip(executor.device_ops())?;
                }
                carry_out(executor, gpu)
            })?;
            let [x_px, y_px] = at_px;
            let size = player.gpu.renderer.size();
            let outside = PlayerError::NoSuchPixel { x_px, y_px, size };
            let rgba = player.gpu.renderer.read_back()?.pixel(x_px, y_px).ok_or(outside)?;
            let number = u32::from_le_bytes(rgba).checked_sub(1);
            Ok(number.map(|number| order.map_or(number, |order| number_in_strip(&order, number))))
        })
    }

    /// Of the parts of `suspects`, the last that writes the pixel.
    fn last_part(
        &mut self,
        plan: &SlicePlan,
        draw: u32,
        suspects: &Triangles,
    ) -> Result<Option<Triangles>, PlayerError> {
        self.gpu.renderer.start_visibility()?;
        let mut parts = Vec::new();
        self.run_frame(
            plan,
            |other| other != draw,
            |_, executor, gpu| {
                // A CLEAR writes no triangle, nor does a draw of nothing.
                // silent: a CLEAR writes no triangle, nor does a draw of no vertices
                let Some((draw, program)) = executor.draw()? else { return Ok(()) };
                if program.writes_target() {
                    for part in parts_of(draw, suspects) {
                        gpu.run(&Op::Draw(only(draw, &part)), executor)?;
                        parts.push(part);
                    }
                }
                Ok(())
            },
        )?;
        let answers = self.gpu.renderer.finish_visibility()?;
        if answers.len() != parts.len() {
            return Err(Internal::new("not every part of a draw was probed for the pixel").into());
        }
        Ok(parts.into_iter().zip(answers).filter(|(_, writes)| *writes).map(|(part, _)| part).next_back())
    }
}

/// The number of a strip's triangle that begins at a vertex, among those that no index cuts.
fn number_in_strip(order: &[Option<u32>], begin: u32) -> u32 {
    let whole = order.windows(3).take(begin as usize).filter(|corners| corners.iter().all(Option::is_some));
    whole.count() as u32
}

/// Cuts those of `suspects` that the draw has.
fn parts_of(draw: &DrawOp, suspects: &Triangles) -> Vec<Triangles> {
    let end = suspects.end.min(draw.vertex_count / 3);
    let step = end.saturating_sub(suspects.start).div_ceil(PARTS).max(1);
    (suspects.start..end).step_by(step as usize).map(|start| start..end.min(start.saturating_add(step))).collect()
}

fn only(draw: &DrawOp, triangles: &Triangles) -> DrawOp {
    let first_vertex = draw.first_vertex + triangles.start * 3;
    DrawOp { first_vertex, vertex_count: triangles.len() as u32 * 3, ..draw.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::{ProgramKey, VertexFetch};

    #[test]
    fn parts_are_all_there_is_and_get_smaller() {
        let (program, vertices) = (ProgramKey(0), VertexFetch::None);
        let draw = DrawOp { program, vertices, viewport_px: None, vertex_count: 3 * 1000 + 2, first_vertex: 5 };
        let parts = parts_of(&draw, &(0..u32::MAX));
        assert_eq!((parts.len(), parts[0].clone(), parts.last()), (63, 0..16, Some(&(992..1000))));
        assert_eq!(parts_of(&draw, &(992..1000)).len(), 8);
        assert_eq!(only(&draw, &(992..1000)).first_vertex, 5 + 2976);
        let huge = DrawOp { vertex_count: u32::MAX, first_vertex: 0, ..draw };
        assert_eq!(parts_of(&huge, &(0..u32::MAX)).last().unwrap().end, u32::MAX / 3);
    }
}
