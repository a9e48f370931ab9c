//! `shaders TRACE --frame N --draw K`: the shaders that draws use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::args::{CommonArgs, ShadersArgs};
use super::draw_number::DrawNumber;
use super::exit::Failure;
use super::frame_set::FrameSet;
use super::index::make_index_up_to;
use super::place::frame_or_only;
use crate::analysis::AnalysisError;
use crate::command::{Command, CreatePipeline, PipelineId, Place, Point};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::{CommandNumber, CommandReader, ResolvedCommand, TraceIndex};
use crate::text::ranges;

/// The frame or draw whose shaders are asked for; a frame without a draw means all of its draws.
#[derive(Debug, clap::Args)]
pub(super) struct UsedByArgs {
    /// Only shaders that draws of this frame use
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub frame: Option<FrameSet>,
    /// Only shaders that this draw of the frame uses: K, last, or -K from the end
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub draw: Option<DrawNumber>,
    /// Frame and draw in one: 7 or 7/draw=2
    #[arg(long, value_name = "PLACE", conflicts_with_all = ["frame", "draw"])]
    pub place: Option<Place>,
}

impl UsedByArgs {
    /// Whether any frame is named.
    pub(crate) fn is_given(&self) -> bool {
        self.frame.is_some() || self.draw.is_some() || self.place.is_some()
    }

    /// The draw that is meant; a frame's end means all of its draws.
    fn choose(&self, trace: &Arc<Trace>, common: &CommonArgs) -> Result<Option<Place>, Failure> {
        if let Some(place) = self.place {
            return match place.point {
                Point::Draw(_) | Point::End => Ok(Some(place)),
                Point::Start | Point::Packet(_) => {
                    Err(Failure::usage(format!("--place {place}: expected a frame or a draw, such as 7 or 7/draw=2")))
                }
            };
        }
        if !self.is_given() {
            return Ok(None);
        }
        let frame = frame_or_only(self.frame.as_ref(), trace)?;
        Ok(Some(match self.draw {
            Some(draw) => Place::at_draw(frame, draw.in_frame(frame, trace, common)?),
            None => Place::end_of(frame),
        }))
    }
}

/// The shaders that a frame's draws use.
#[derive(Debug, Default)]
pub(super) struct UsedShaders {
    /// The frame that the draws are of.
    frame: FrameIndex,
    /// Where bytecode that is asked for lies in the file, and all draws of the frame that use it.
    codes: BTreeMap<u64, Vec<u32>>,
    /// The pipelines of Appendix A.
    pub pipelines: BTreeSet<PipelineId>,
}

impl UsedShaders {
    /// The shaders of the frame, or the draw, that is asked for; `None` if none is.
    pub(crate) fn asked(args: &ShadersArgs, trace: &Arc<Trace>, common: &CommonArgs) -> Result<Option<Self>, Failure> {
        let Some(place) = args.used_by.choose(trace, common)? else { return Ok(None) };
        let index = make_index_up_to(trace, place.frame.as_usize() + 1, common);
        Self::of(trace, &index, place).map(Some)
    }

    /// Whether the bytecode at an offset of the file is asked for.
    pub(crate) fn has_code(&self, offset: u64) -> bool {
        self.codes.contains_key(&offset)
    }

    /// The draws of the frame that use the bytecode at an offset of the file.
    pub(crate) fn draws_with(&self, code_offset: u64) -> &[u32] {
        self.codes.get(&code_offset).map_or(&[], Vec::as_slice)
    }

    /// Those draws in words: `used by draws 0,2-5 of frame 9`.
    pub(crate) fn draws_in_words(&self, code_offset: u64) -> String {
        let draws = self.draws_with(code_offset);
        let noun = if draws.len() == 1 { "draw" } else { "draws" };
        format!("used by {noun} {} of frame {}", ranges(draws.iter().copied()), self.frame)
    }

    fn of(trace: &Arc<Trace>, index: &Arc<TraceIndex>, place: Place) -> Result<Self, Failure> {
        let Place { frame, point } = place;
        if trace.frame(frame).is_none() {
            return Err(AnalysisError::NoSuchFrame { frame, frame_count: trace.frames().len() }.into());
        }
        let draw_count = index.draws_of(frame).count() as u32;
        let one = match point {
            Point::Draw(draw) => Some(draw),
            Point::Start | Point::End | Point::Packet(_) => None,
        };
        if let Some(draw) = one.filter(|draw| *draw >= draw_count) {
            return Err(AnalysisError::NoSuchDraw { draw, frame, draw_count }.into());
        }
        let is_asked = |number: u32| one.is_none_or(|draw| draw == number);
        let mut used = Self { frame, ..Self::default() };
        let mut reader = CommandReader::new(trace.clone());
        for (draw, number) in (0..).zip(index.draws_of(frame)) {
            for drawn in index.shaders_of_draw(number, &mut reader)? {
                used.codes.entry(drawn.code.offset).or_default().push(draw);
            }
            if is_asked(draw) {
                used.pipelines.extend(pipeline_of(number, index, &mut reader)?);
            }
        }
        used.codes.retain(|_, draws| draws.iter().any(|draw| is_asked(*draw)));
        Ok(used)
    }
}

/// The pipeline of a draw of Appendix A; other draws have none.
fn pipeline_of(
    draw: CommandNumber,
    index: &TraceIndex,
    reader: &mut CommandReader,
) -> Result<Option<PipelineId>, Failure> {
    let ResolvedCommand::Draw { pipeline, .. } = index.require_step(draw)? else { return Ok(None) };
    let Some(set) = pipeline.number() else { return Ok(None) };
    let ResolvedCommand::SetPipeline { create } = index.require_step(set)? else { return Ok(None) };
    Ok(match reader.read(index.require_location(create)?)?.value {
        Command::CreatePipeline(CreatePipeline { id, .. }) => Some(id),
        _ => None,
    })
}
