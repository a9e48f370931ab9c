//! `--frames` and `--filter`: which events of files that lie side by side.

use super::aligned::Aligned;
use super::args::SelectionArgs;
use crate::cli::exit::Failure;
use crate::cli::frame_set::FrameSet;
use crate::format::aerogpu::FrameIndex;
use crate::timeline::{CommonAxis, Selection, Tick, Timeline};

/// What the flags select of `timeline`.
pub(super) fn select(args: &SelectionArgs, timeline: &Timeline) -> Result<Selection, Failure> {
    args.filter.check(Some(timeline.axis.unit))?;
    let ticks = ticks_of_frames(args.frames.as_ref(), timeline)?;
    Ok(Selection { ticks, filter: args.filter.filter.clone() })
}

/// The ticks of `--frames`; none of them means all.
pub(super) fn ticks_of_frames(set: Option<&FrameSet>, timeline: &Timeline) -> Result<Vec<(Tick, Tick)>, Failure> {
    Ok(match chosen_frames(set, timeline)? {
        Some(frames) => Selection::of_frames(timeline, |index| frames.binary_search(&index).is_ok()),
        None => Vec::new(),
    })
}

/// What the flags select of each of `aligned`: frames are those of `reference`, wherever they lie in the other files.
pub(super) fn select_beside(
    args: &SelectionArgs,
    reference: &Timeline,
    aligned: &[Aligned<'_>],
) -> Result<Vec<Selection>, Failure> {
    let pairs: Vec<_> = aligned.iter().map(|one| (one.mapped.timeline(), &one.alignment)).collect();
    let axis = CommonAxis::new(reference, &pairs);
    let frames = chosen_frames(args.frames.as_ref(), reference)?;
    let mut selections = Vec::new();
    for (timeline, alignment) in pairs {
        args.filter.check(Some(timeline.axis.unit))?;
        let ticks = frames.as_ref().map(|frames| {
            Selection::join(frames.iter().filter_map(|&frame| axis.frame_ticks(timeline, alignment, frame)).collect())
        });
        selections.push(Selection { ticks: ticks.unwrap_or_default(), filter: args.filter.filter.clone() });
    }
    Ok(selections)
}

/// The frames of `--frames`, ascending.
pub(super) fn chosen_frames(set: Option<&FrameSet>, timeline: &Timeline) -> Result<Option<Vec<usize>>, Failure> {
    let Some(set) = set else { return Ok(None) };
    let count = u32::try_from(timeline.frames.len()).unwrap_or(u32::MAX);
    let frames = set.resolve(count).map_err(Failure::usage)?;
    Ok(Some(frames.into_iter().map(|FrameIndex(index)| index as usize).collect()))
}
