//! `shaders TRACE --frame N --draw K`: the shaders that draws use.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::args::{CommonArgs, ShadersArgs};
use super::exit::Failure;
use super::index::make_index_up_to;
use super::place::one_frame;
use crate::analysis::{Analysis, DrawBindings};
use crate::command::PipelineId;
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::{CommandReader, TraceIndex};
use crate::text::counted;

/// The shaders that a frame's draws use.
#[derive(Debug, Default)]
pub(super) struct UsedShaders {
    /// Where bytecode lies in the file.
    pub codes: BTreeSet<u64>,
    /// The pipelines of Appendix A.
    pub pipelines: BTreeSet<PipelineId>,
}

impl UsedShaders {
    /// The shaders of the frame, or the draw, that is asked for; `None` if none is.
    pub(crate) fn asked(args: &ShadersArgs, trace: &Arc<Trace>, common: &CommonArgs) -> Result<Option<Self>, Failure> {
        let Some(frame) = &args.frame else { return Ok(None) };
        let frame = one_frame(frame, trace)?;
        let draw = args.draw.map(|draw| draw.in_frame(frame, trace, common)).transpose()?;
        let index = make_index_up_to(trace, frame.as_usize() + 1, common);
        Self::of(trace, &index, frame, draw).map(Some)
    }

    fn of(trace: &Arc<Trace>, index: &Arc<TraceIndex>, frame: FrameIndex, draw: Option<u32>) -> Result<Self, Failure> {
        let count = index.draws_of(frame).count() as u32;
        if let Some(draw) = draw.filter(|draw| *draw >= count) {
            let draws = counted(count, "draw");
            return Err(Failure::usage(format!(
                "draw {draw} does not exist: frame {frame} has {draws}, counted from 0"
            )));
        }
        let is_asked = |number: u32| draw.is_none_or(|draw| draw == number);
        let mut used = Self::default();
        let mut reader = CommandReader::new(trace.clone());
        for (_, number) in (0..).zip(index.draws_of(frame)).filter(|(draw, _)| is_asked(*draw)) {
            used.codes.extend(index.shaders_of_draw(number, &mut reader)?.iter().map(|drawn| drawn.code.offset));
        }
        let analysis = Analysis::new(trace.clone(), index.clone());
        for record in analysis.draws(frame, &(0..count).filter(|draw| is_asked(*draw)).collect())? {
            if let DrawBindings::Pipeline(bound) = record.bindings {
                used.pipelines.extend(bound.pipeline.map(|(pipeline, _)| pipeline));
            }
        }
        Ok(used)
    }
}
