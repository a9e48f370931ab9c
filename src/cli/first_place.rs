//! The place that the window shows first, by whichever flags it is named.

use std::sync::Arc;

use super::args::{CommonArgs, PlayArgs};
use super::exit::Failure;
use super::index::make_index_up_to;
use super::render::choose_point;
use crate::command::Place;
use crate::format::aerogpu::Trace;
use crate::player::{DrawSelection, PlayerError};

/// The place that `--place`, or `--frame` with `--draw` or `--packet`, names; `None` if there is none of them.
pub(super) fn first_place(args: &PlayArgs, trace: &Arc<Trace>, common: &CommonArgs) -> Result<Option<Place>, Failure> {
    let frame_count = trace.frames().len();
    if let Some(place) = args.render.place {
        let frame = place.frame;
        if frame.as_usize() >= frame_count {
            return Err(PlayerError::NoSuchFrame { frame, frame_count }.into());
        }
        return Ok(Some(place));
    }
    let (flag, set) = match (&args.frame, &args.frames) {
        (Some(frame), _) => ("--frame", frame),
        (None, Some(frames)) => ("--frames", frames),
        (None, None) => return Ok(None),
    };
    let frame = set.resolve_one(frame_count as u32).map_err(Failure::usage)?;
    let several = || {
        Failure::usage(format!(
            "the window opens at one frame, and {flag} {set} names several: expected one, or --out or --hash"
        ))
    };
    let frame = frame.ok_or_else(several)?;
    Ok(Some(Place { frame, point: choose_point(&args.render, frame, trace, common)? }))
}

/// The draws of the first frame that `--skip-draws` and `--only-draws` leave.
pub(super) fn first_draws(
    args: &PlayArgs,
    place: Option<Place>,
    trace: &Arc<Trace>,
    common: &CommonArgs,
) -> Result<DrawSelection, Failure> {
    match place.filter(|_| args.render.draws.are_given()) {
        Some(Place { frame, .. }) => {
            let index = make_index_up_to(trace, frame.as_usize() + 1, common);
            args.render.draws.selection(frame, &index)
        }
        None => Ok(DrawSelection::All),
    }
}
