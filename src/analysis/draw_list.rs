//! Draws of a frame as lists have them: what each covers, draws to and is drawn with.

use std::ops::Range;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::{Analysis, AnalysisError, FrameEvents};
use crate::command::{Command, CreatePipeline, Draw, DrawIndexed, Location, ShaderId, SubmissionPlace};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::{CommandNumber, CommandReader, DrawnTo, NamedTarget, ReplayError, ResolvedCommand, TraceIndex};

/// A draw, of either ABI.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawRow {
    /// Its number in the frame, from 0.
    pub draw: u32,
    /// Location of its packet.
    pub at: Location,
    /// Its packet.
    pub command: Command,
    /// Groups of markers that it is in, outermost first.
    pub markers: Vec<String>,
    /// Its targets: colour targets in the order of their slots, then depth and stencil.
    pub targets: Vec<NamedTarget>,
    /// Its shaders, by the name of their stage.
    pub shaders: Vec<(&'static str, ShaderId)>,
}

impl DrawRow {
    /// Reads the draw that is command `number` of the trace and draw `draw` of the frame that `events` are of.
    pub fn read(
        index: &TraceIndex,
        reader: &mut CommandReader,
        events: &FrameEvents,
        (draw, number): (u32, CommandNumber),
    ) -> Result<Self, ReplayError> {
        let at = index.require_location(number)?;
        let command = reader.read(at)?.value;
        let (markers, targets, shaders) = match index.require_step(number)? {
            ResolvedCommand::Draw { pipeline, .. } => {
                let back_buffer = NamedTarget { part: DrawnTo::BackBuffer, name: None };
                (Vec::new(), vec![back_buffer], shaders_of_pipeline(index, reader, pipeline.number())?)
            }
            _ => {
                let shaders = index.shaders_of_draw(number, reader)?;
                let shaders = shaders.iter().map(|drawn| (drawn.stage.direct3d_name(), drawn.shader)).collect();
                let row = events.row_of_packet(at.packet);
                let path = row.map(|row| events.marker_path(row).into_iter().map(str::to_owned).collect());
                // silent: a packet without a row has no groups
                (path.unwrap_or_default(), index.drawn_to_by_name(number, reader)?, shaders)
            }
        };
        Ok(Self { draw, at, command, markers, targets, shaders })
    }

    /// Counts and offsets of its vertices, indices and instances, by name.
    pub fn ranges(&self) -> Vec<(&'static str, i64)> {
        match self.command {
            Command::Draw(Draw { vertex_count, first_vertex, instance_count, first_instance }) => vec![
                ("vertex_count", vertex_count.into()),
                ("first_vertex", first_vertex.into()),
                ("instance_count", instance_count.into()),
                ("first_instance", first_instance.into()),
            ],
            Command::DrawIndexed(DrawIndexed {
                index_count,
                first_index,
                base_vertex,
                instance_count,
                first_instance,
            }) => vec![
                ("index_count", index_count.into()),
                ("first_index", first_index.into()),
                ("base_vertex", base_vertex.into()),
                ("instance_count", instance_count.into()),
                ("first_instance", first_instance.into()),
            ],
            _ => Vec::new(),
        }
    }

    /// Handles of its shaders by stage.
    pub fn shader_handles(&self) -> impl Serialize {
        ByName(self.shaders.iter().map(|(stage, shader)| (*stage, i64::from(shader.number()))).collect())
    }
}

/// Members of an object, in their order.
struct ByName(Vec<(&'static str, i64)>);

impl Serialize for ByName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl Serialize for DrawRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { draw, at, command, markers, targets, .. } = self;
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("draw", draw)?;
        members.serialize_entry("offset", &at.offset)?;
        members.serialize_entry("packet", &at.packet)?;
        members.serialize_entry("submission", &at.submission.map(SubmissionPlace::number))?;
        members.serialize_entry("context", &at.submission.map(SubmissionPlace::context))?;
        members.serialize_entry("markers", markers)?;
        members.serialize_entry("name", command.name())?;
        for (name, value) in self.ranges() {
            members.serialize_entry(name, &value)?;
        }
        members.serialize_entry("targets", targets)?;
        members.serialize_entry("shaders", &self.shader_handles())?;
        members.end()
    }
}

/// Shaders of a pipeline of Appendix A, if one is set.
fn shaders_of_pipeline(
    index: &TraceIndex,
    reader: &mut CommandReader,
    set: Option<CommandNumber>,
) -> Result<Vec<(&'static str, ShaderId)>, ReplayError> {
    let mut shaders = Vec::new();
    if let Some(set) = set
        && let ResolvedCommand::SetPipeline { create } = index.require_step(set)?
    {
        let create = index.require_location(create)?;
        match reader.read(create)?.value {
            Command::CreatePipeline(CreatePipeline { vertex, fragment, .. }) => {
                shaders.extend([("vertex", vertex), ("fragment", fragment)]);
            }
            _ => return Err(Internal::at("a pipeline is created by another command", create.offset).into()),
        }
    }
    Ok(shaders)
}

impl Analysis {
    /// Draws of `frame` whose numbers are in `range`, of those that it has.
    pub fn draw_rows(&self, frame: FrameIndex, range: Range<u32>) -> Result<Vec<DrawRow>, AnalysisError> {
        let events = self.events(frame)?;
        let mut reader = CommandReader::new(self.trace.clone());
        let draws = (0..).zip(self.index.draws_of(frame));
        let wanted = draws.skip_while(|(draw, _)| *draw < range.start).take_while(|(draw, _)| *draw < range.end);
        let rows = wanted.map(|draw| DrawRow::read(&self.index, &mut reader, &events, draw));
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
