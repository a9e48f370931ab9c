//! Whether the picture changes from one frame to the next. Only a GPU can tell, unless both are drawn from the same.

#[cfg(feature = "gpu")]
pub(super) use drawn::Pictures;

/// Whether a frame shows what the one before it does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Same,
    #[cfg(feature = "gpu")]
    Changed,
}

impl Change {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Same => "unchanged",
            #[cfg(feature = "gpu")]
            Self::Changed => "changed",
        }
    }
}

#[cfg(not(feature = "gpu"))]
mod none {
    use std::sync::Arc;

    use super::Change;
    use crate::cli::exit::Failure;
    use crate::cli::timeline::CommonArgs;
    use crate::cli::timeline::args::BlameArgs;
    use crate::format::aerogpu::{FrameIndex, Trace};
    use crate::replay::TraceIndex;

    /// Nothing is drawn.
    pub(in crate::cli::timeline) enum Pictures {}

    impl Pictures {
        pub(in crate::cli::timeline) fn open(
            _: &BlameArgs,
            _: &Arc<Trace>,
            _: &Arc<TraceIndex>,
            _: &CommonArgs,
        ) -> Result<Option<Self>, Failure> {
            Ok(None)
        }

        pub(in crate::cli::timeline) fn change(&mut self, _: FrameIndex) -> Option<Change> {
            match *self {}
        }

        pub(in crate::cli::timeline) fn into_failure(self) -> Option<Failure> {
            match self {}
        }
    }
}

#[cfg(not(feature = "gpu"))]
pub(super) use none::Pictures;

#[cfg(feature = "gpu")]
mod drawn {
    use std::sync::Arc;

    use super::Change;
    use crate::cli::drawing::watched_player;
    use crate::cli::exit::Failure;
    use crate::cli::timeline::CommonArgs;
    use crate::cli::timeline::args::BlameArgs;
    use crate::format::aerogpu::{FrameIndex, Trace};
    use crate::pixels::Picture;
    use crate::player::Player;
    use crate::replay::TraceIndex;

    /// Draws frames to compare them with the ones before.
    pub(in crate::cli::timeline) struct Pictures {
        player: Player,
        last: Option<(FrameIndex, Picture)>,
        /// The first frame that could not be drawn.
        failure: Option<Failure>,
    }

    impl Pictures {
        /// Opens a player, if pictures are to be compared.
        pub(in crate::cli::timeline) fn open(
            args: &BlameArgs,
            trace: &Arc<Trace>,
            index: &Arc<TraceIndex>,
            common: &CommonArgs,
        ) -> Result<Option<Self>, Failure> {
            if !args.pictures {
                return Ok(None);
            }
            let mut player =
                watched_player(&args.trace, trace, args.device.open_shared()?, args.size.choose(trace), common)?;
            player.set_index(index.clone());
            Ok(Some(Self { player, last: None, failure: None }))
        }

        /// Why the first frame that could not be drawn was not.
        pub(in crate::cli::timeline) fn into_failure(self) -> Option<Failure> {
            self.failure
        }

        /// Whether a frame shows what the one before it does; nothing of one that cannot be drawn, or is behind such a one.
        pub(in crate::cli::timeline) fn change(&mut self, frame: FrameIndex) -> Option<Change> {
            let before = FrameIndex(frame.0.checked_sub(1)?);
            let before = match self.last.take() {
                Some((last, picture)) if last == before => picture,
                _ => self.draw(before)?,
            };
            let picture = self.draw(frame)?;
            let change = if picture == before { Change::Same } else { Change::Changed };
            self.last = Some((frame, picture));
            Some(change)
        }

        fn draw(&mut self, frame: FrameIndex) -> Option<Picture> {
            match self.player.render(frame) {
                Ok(picture) => Some(picture),
                Err(error) => {
                    self.failure.get_or_insert_with(|| error.into());
                    None
                }
            }
        }
    }
}
