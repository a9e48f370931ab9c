//! Sets of a frame's draws, in the grammar of frames, and the flags that take them.

use std::str::FromStr;

use clap::Args as ClapArgs;
use thiserror::Error;

use super::exit::Failure;
use super::frame_set::{FrameSet, ResolveError};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::FrameIndex;
use crate::player::{DrawSelection, Player, Variant};
use crate::replay::TraceIndex;
use crate::text::describe_count;

/// A set of draws as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DrawSet(FrameSet);

/// A text that is not a set of draws.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("\"{item}\" is not a set of draws: expected N, A-B, A-, A-B/STEP, last, -N, all or @FILE")]
pub(super) struct DrawSetError {
    item: String,
}

impl Classified for DrawSetError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

/// Flags that leave draws out.
#[derive(Debug, ClapArgs)]
pub(super) struct DrawArgs {
    /// Leave these draws of the frame out
    #[arg(long, value_name = "SET", allow_hyphen_values = true, requires = "frame", conflicts_with = "only_draws")]
    pub skip_draws: Option<DrawSet>,
    /// Leave all other draws of the frame out; CLEARs, and what the frame begins with, stay
    #[arg(long, value_name = "SET", allow_hyphen_values = true, requires = "frame")]
    pub only_draws: Option<DrawSet>,
}

impl DrawSet {
    /// The set, as one of frames.
    pub(crate) fn frames(&self) -> &FrameSet {
        &self.0
    }
}

impl FromStr for DrawSet {
    type Err = DrawSetError;

    fn from_str(text: &str) -> Result<Self, DrawSetError> {
        text.parse().map(Self).map_err(|error: super::frame_set::FrameSetError| DrawSetError { item: error.item })
    }
}

impl DrawArgs {
    /// Whether there is anything to leave out.
    pub(crate) fn are_given(&self) -> bool {
        self.skip_draws.is_some() || self.only_draws.is_some()
    }

    /// What to draw of the one frame; `None` is all.
    pub(crate) fn variant(&self, player: &mut Player, frames: &[FrameIndex]) -> Result<Option<Variant>, Failure> {
        if !self.are_given() {
            return Ok(None);
        }
        let [frame] = frames else {
            return Err(Failure::usage("--skip-draws and --only-draws name draws of one frame: expected --frame N"));
        };
        player.check_frame(*frame)?;
        let draws = self.selection(*frame, &player.index())?;
        Ok(Some(Variant { draws, ..Variant::default() }))
    }

    /// The draws of a frame that are left.
    pub(crate) fn selection(&self, frame: FrameIndex, index: &TraceIndex) -> Result<DrawSelection, Failure> {
        let Some(set) = self.skip_draws.as_ref().or(self.only_draws.as_ref()) else { return Ok(DrawSelection::All) };
        let draw_count = index.draws_of(frame).count() as u32;
        let numbers = set.0.numbers(draw_count).map_err(|error| match error {
            ResolveError::NoSuch { wanted, .. } => {
                let found = describe_count(u64::from(draw_count), "draw");
                Failure::usage(format!("draw {wanted} does not exist: frame {frame} has {found}"))
            }
            ResolveError::Empty { .. } => Failure::usage(error),
        })?;
        let is_skipping = self.skip_draws.is_some();
        Ok(if is_skipping { DrawSelection::Without(numbers) } else { DrawSelection::Only(numbers) })
    }
}
