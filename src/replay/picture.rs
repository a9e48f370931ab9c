//! What a picture of a frame is made of, whichever of its pictures is meant.

use std::ops::Range;
use std::sync::Arc;

use thiserror::Error;

use super::d3d::{AccessKind, ObjectKey};
use super::error::ReplayError;
use super::index::{CommandNumber, TraceIndex};
use super::target_at::{NoTarget, target_at};
use crate::command::Shown;
use crate::error::{Classified, ErrorKind, Internal};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::text::describe_count;

/// A picture that a frame with submissions ends with.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What holds it.
    pub(in crate::replay) parts: Vec<(ObjectKey, Range<u32>)>,
    /// The command before which they hold it: the present that shows it, if one does.
    pub(in crate::replay) end: u32,
    /// The command that has given its handle to a texture that is not presented.
    pub(in crate::replay) named_by: Option<CommandNumber>,
    /// The frame's own commands.
    pub(in crate::replay) own: Range<u32>,
}

/// A frame without the picture that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoPicture {
    /// The frame presents less often.
    #[error(
        "present {present} does not exist: frame {frame} has {} to screen {scanout}",
        describe_count(u64::from(*present_count), "present")
    )]
    Present {
        /// The present asked for.
        present: u32,
        /// The frame.
        frame: FrameIndex,
        /// The screen.
        scanout: u32,
        /// How many there are to it.
        present_count: u32,
    },
    /// Nothing is presented to the screen.
    #[error("nothing is presented to screen {scanout}: {}", describe_screens(known))]
    Screen {
        /// The screen asked for.
        scanout: u32,
        /// Those that there are.
        known: Vec<u32>,
    },
    /// Nothing was presented to the screen up to the end of the frame.
    #[error("nothing is presented by the end of frame {frame}")]
    Yet {
        /// The frame.
        frame: FrameIndex,
    },
    /// A name is of no texture.
    #[error("{0}")]
    Target(NoTarget),
    /// No submission comes before the frame's end, so that it has one picture.
    #[error(
        "frame {frame} has a single target: only traces with submissions have presents, screens and targets \
            to choose from"
    )]
    One {
        /// The frame.
        frame: FrameIndex,
    },
}

impl Picture {
    /// The commands that it needs, ascending, those of the frame itself among them.
    pub fn commands(&self, index: &TraceIndex) -> Result<Vec<CommandNumber>, Internal> {
        index.commands_of_picture(self)
    }

    /// The frame's own commands that lead to it, ascending.
    pub fn own_commands(&self, index: &TraceIndex) -> Result<Vec<CommandNumber>, Internal> {
        index.own_commands_of_picture(self)
    }

    /// Counts the commands before the frame's own that lead to it; `None` for more than `most`, which takes no longer than so
    /// many.
    pub fn count_earlier(&self, index: &TraceIndex, most: usize) -> Result<Option<usize>, Internal> {
        index.count_before_picture(self, most)
    }
}

impl Classified for NoPicture {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

/// The picture that is meant by `shown` at the end of a frame, which has to be in the index.
pub fn picture_at_end(
    trace: &Arc<Trace>,
    index: &TraceIndex,
    frame: FrameIndex,
    shown: Shown,
) -> Result<Result<Picture, NoPicture>, ReplayError> {
    let own = index.commands_of(frame).ok_or(Internal::new("a requested frame is not in the index"))?;
    if index.first_submission().is_none_or(|first| first.0 >= own.end) {
        return Ok(Err(NoPicture::One { frame }));
    }
    let (scanout, present) = match shown {
        Shown::Target(name) => {
            return Ok(match target_at(trace, index, own.end, name)? {
                Ok((target, named_by)) => {
                    let parts = target.parts.iter().map(|parts| (target.texture(), parts.clone())).collect();
                    Ok(Picture { parts, end: own.end, named_by: Some(named_by), own })
                }
                Err(missing) => Err(NoPicture::Target(missing)),
            });
        }
        Shown::Screen { scanout, present } => (scanout, present),
    };
    let known = index.scanouts();
    let scanout = match scanout.or(known.first().copied()) {
        Some(scanout) if known.contains(&scanout) => scanout,
        Some(scanout) => return Ok(Err(NoPicture::Screen { scanout, known: known.iter().copied().collect() })),
        None => return Ok(Err(NoPicture::Yet { frame })),
    };
    let number = match present {
        Some(present) => {
            let presents = index.presents_of(frame, scanout)?;
            let present_count = presents.len() as u32;
            let none = NoPicture::Present { present, frame, scanout, present_count };
            presents.get(present as usize).copied().ok_or(none)
        }
        None => index.shown_on(scanout, own.end).ok_or(NoPicture::Yet { frame }),
    };
    let number = match number {
        Ok(number) => number,
        Err(none) => return Ok(Err(none)),
    };
    let accesses = index.dependencies_of(number)?.accesses.into_iter();
    let parts = accesses.filter(|access| access.kind == AccessKind::Read).map(|access| (access.object, access.parts()));
    Ok(Ok(Picture { parts: parts.collect(), end: number.0, named_by: None, own }))
}

/// The pictures that a frame presents: the usual one, what its earlier presents show, and those of other screens. The frame has
/// to be in the index.
pub fn presented_pictures(index: &TraceIndex, frame: FrameIndex) -> Result<Vec<Shown>, Internal> {
    let mut pictures = vec![Shown::default()];
    for (number, of_screen) in index.scanouts().iter().enumerate() {
        let scanout = Some(*of_screen).filter(|_| number > 0);
        let presents = index.presents_of(frame, *of_screen)?.len() as u32;
        let earlier = 0..presents.saturating_sub(1);
        pictures.extend(earlier.map(|present| Shown::Screen { scanout, present: Some(present) }));
        let last = scanout.filter(|_| presents > 0);
        pictures.extend(last.map(|_| Shown::Screen { scanout, present: None }));
    }
    pictures.sort_unstable();
    Ok(pictures)
}

/// "the trace presents to none", "the trace presents to 0 and 2".
fn describe_screens(known: &[u32]) -> String {
    let known: Vec<_> = known.iter().map(u32::to_string).collect();
    match known.split_last() {
        None => "the trace presents to none".to_owned(),
        Some((only, [])) => format!("the trace presents to {only}"),
        Some((last, others)) => format!("the trace presents to {} and {last}", others.join(", ")),
    }
}
