//! What the vertex stage of a draw of a submission is given and gives.

use super::slice_run::WriteKind;
use super::submitted_maps::carry_out;
use super::submitted_query::AskedPicture;
use super::{Player, PlayerError};
use crate::command::Place;
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::gpu::VertexValues;
use crate::replay::WatchedSince;

impl Player {
    /// Runs the vertex stage of a draw of a submission for one of its instances, counted from 0, behind all that comes before
    /// the draw.
    pub fn read_vertex_values(
        &mut self,
        frame: FrameIndex,
        draw: u32,
        instance: u32,
    ) -> Result<VertexValues, PlayerError> {
        let place = Place::at_draw(frame, draw);
        self.query_submitted(place, AskedPicture::OfDraw(draw), |player, question| {
            let (plan, _) = player.plan_all(question, WatchedSince::LastWholeWrite)?;
            let mut values = None;
            player.run_slice(
                &plan,
                |_| false,
                |write, executor, gpu| match write.kind == WriteKind::Draw(Some(draw)) {
                    true => {
                        values = gpu.renderer.read_vertex_values(executor.device_ops(), instance)?;
                        Ok(())
                    }
                    false => carry_out(executor, gpu),
                },
            )?;
            values.ok_or(Internal::new("a requested draw was not executed").into())
        })
    }
}
