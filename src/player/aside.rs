//! Answering a question without leaving the place.
//!
//! What a question draws goes to a canvas that takes the target's place for as long. Buffers are shared with the
//! player's own way: [`super::residency`] knows what they hold, whoever has filled them.

use std::sync::Arc;

use super::{Player, PlayerError, Position, Until};
use crate::format::aerogpu::FrameIndex;
use crate::gpu::Canvas;
use crate::replay::{CommandNumber, TraceIndex};

/// What is at hand while a question is answered.
pub(super) struct Aside {
    pub index: Arc<TraceIndex>,
    /// The player's own target.
    pub own_target: Canvas,
    /// What it shows: everything before this command. `None` if that is not known.
    pub shown: Option<CommandNumber>,
}

impl Player {
    /// Does `work`, a question about `frame`, with a canvas in place of the target. Afterwards the player stands where it stood, unless the GPU
    /// itself has failed.
    pub(super) fn aside<T>(
        &mut self,
        frame: FrameIndex,
        work: impl FnOnce(&mut Self, &Aside) -> Result<T, PlayerError>,
    ) -> Result<T, PlayerError> {
        let index = self.index_reaching(frame);
        let mut canvas = match self.canvas.take() {
            Some(canvas) => canvas,
            None => self.renderer.make_canvas()?,
        };
        let shows = self.shows();
        let shown = self.leave_position(&index);
        self.renderer.swap_canvas(&mut canvas);
        let mut aside = Aside { index, own_target: canvas, shown };
        let result = self.watched(|player| work(player, &aside));
        self.renderer.put_away_instruments();
        self.renderer.swap_canvas(&mut aside.own_target);
        self.canvas = Some(aside.own_target);
        self.position = match &result {
            // Nobody knows what was done and what was not.
            Err(error) if error.is_of_device() => Position::Broken,
            _ => Position::Sought { shows, shown },
        };
        result
    }

    /// The index of the trace, made anew if it was given up before `frame` although nothing is wrong.
    fn index_reaching(&mut self, frame: FrameIndex) -> Arc<TraceIndex> {
        let index = self.index();
        if frame.as_usize() < index.frame_count() || index.stop().is_some() {
            return index;
        }
        let index = Arc::new(TraceIndex::build(&self.trace, |_| ()));
        self.set_index(index.clone());
        index
    }

    /// What the target shows.
    fn shows(&self) -> Option<(FrameIndex, Until)> {
        match &self.position {
            Position::Linear(linear) => linear.played(),
            Position::Sought { shows, .. } => *shows,
            Position::Broken => None,
        }
    }
}
