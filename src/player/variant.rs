//! A frame as it would look if some of its draws were left out or drawn in another way.

use std::collections::BTreeSet;

use super::gpu_context::GpuContext;
use super::offscreen_query::Basis;
use super::slice_run::{TargetWrite, WriteKind};
use super::submitted_query::AskedPicture;
use super::target_copies::FEWEST_DRAWS;
use super::{Player, PlayerError};
use crate::command::Place;
use crate::gpu::DrawOverride;
use crate::pixels::Picture;
use crate::replay::{CommandNumber, Executor, SliceTarget};

/// Some of a frame's draws, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DrawSelection {
    /// All of them.
    #[default]
    All,
    /// All but these.
    Without(BTreeSet<u32>),
    /// Only these.
    Only(BTreeSet<u32>),
}

/// Way in which draws are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawStyle {
    /// As the trace says.
    #[default]
    Guest,
    /// The pixels that a draw writes, in one colour. What its fragment shader discards is left alone.
    Solid([u8; 4]),
    /// The edges of the triangles, in one colour.
    Wireframe([u8; 4]),
}

/// A frame with some draws left out, and some in another style. CLEARs stay, and so does what the frame begins with.
///
/// A draw that is left out is not looked at: an error in it is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// The draws that are drawn.
    pub draws: DrawSelection,
    /// Style of the drawn draws.
    pub style: DrawStyle,
    /// Those of them that the style is for; the others stay as the trace has them.
    pub styled: DrawSelection,
}

impl DrawSelection {
    /// Only this one.
    pub fn one(draw: u32) -> Self {
        Self::Only(BTreeSet::from([draw]))
    }

    /// Whether the draw is one of them.
    pub fn contains(&self, draw: u32) -> bool {
        match self {
            Self::All => true,
            Self::Without(draws) => !draws.contains(&draw),
            Self::Only(draws) => draws.contains(&draw),
        }
    }
}

impl DrawStyle {
    pub(super) fn draw_override(self) -> DrawOverride {
        match self {
            Self::Guest => DrawOverride::Guest,
            Self::Solid(rgba) => DrawOverride::Solid(rgba),
            Self::Wireframe(rgba) => DrawOverride::Edges(rgba),
        }
    }
}

impl Player {
    /// The picture of a variant of a frame, up to a place in it. The player stays where it is.
    pub fn render_variant(&mut self, place: impl Into<Place>, variant: &Variant) -> Result<Picture, PlayerError> {
        self.render_variant_of(place.into(), AskedPicture::Shown, variant)
    }

    /// Renders a variant of one of the pictures that commands up to a place draw: the one shown, or one of no submission.
    pub(super) fn render_variant_of(
        &mut self,
        place: Place,
        asked: AskedPicture,
        variant: &Variant,
    ) -> Result<Picture, PlayerError> {
        if self.is_about_submissions(place, asked)? {
            return self.render_submitted_variant(place, variant);
        }
        self.render_packets_variant(place, variant)
    }

    /// Renders a variant of the picture that commands of no submission draw to.
    pub(super) fn render_packets_variant(&mut self, place: Place, variant: &Variant) -> Result<Picture, PlayerError> {
        self.query_offscreen(place.frame, |player, offscreen| {
            let own_start =
                offscreen.index.commands_of(place.frame).map_or(offscreen.index.command_count(), |own| own.start);
            let is_before = |shown: &CommandNumber| shown.0 <= own_start;
            let at_hand = offscreen.shown.filter(is_before).max(player.gpu.copies.latest_until(own_start));
            let plan = player.plan_slice(offscreen, place, Basis::Visible(at_hand))?;
            match (plan.slice.target, offscreen.own_target) {
                (SliceTarget::PictureBefore(at), Some(own_target)) if Some(at) == offscreen.shown => {
                    player.gpu.renderer.paste(own_target);
                }
                (target, _) => player.prepare_target(target, None)?,
            }
            let mut draws = 0;
            player.run_earlier(&plan, |_, executor, gpu| {
                draws += 1;
                Ok(gpu.run_ops(executor)?)
            })?;
            if draws >= FEWEST_DRAWS {
                // Variants of the same frame are often asked for one after the other.
                let GpuContext { renderer, copies, .. } = &mut player.gpu;
                copies.keep(CommandNumber(own_start), renderer);
            }
            let omits = |draw| !variant.draws.contains(draw);
            player.run_own(&plan, omits, |write, executor, gpu| variant.draw(write, executor, gpu))?;
            Ok(player.gpu.renderer.read_back()?)
        })
    }

    /// Renders a variant of a frame in a trace with submissions.
    fn render_submitted_variant(&mut self, place: Place, variant: &Variant) -> Result<Picture, PlayerError> {
        let omits = |draw| !variant.draws.contains(draw);
        self.query_submitted(place, AskedPicture::Shown, |player, question| {
            let plan = player.plan_picture(question, omits)?;
            player.prepare_target(plan.slice.target, None)?;
            player.run_slice(&plan, omits, |write, executor, gpu| variant.draw(write, executor, gpu))?;
            player.show_place(question)?;
            Ok(player.gpu.renderer.read_back()?)
        })
    }
}

impl Variant {
    fn draw(&self, write: TargetWrite, executor: &Executor, gpu: &mut GpuContext) -> Result<(), PlayerError> {
        let is_styled = matches!(write.kind, WriteKind::Draw(Some(draw)) if self.styled.contains(draw));
        gpu.renderer.set_draw_override(if is_styled { self.style.draw_override() } else { DrawOverride::Guest });
        Ok(gpu.run_command(executor)?)
    }
}
