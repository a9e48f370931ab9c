//! The draws of a frame with the state they draw with, by the guest's names.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::command::{
    Command, CreatePipeline, Location, PipelineId, ResourceId, SetVertexBuffer, ShaderId, VertexLayout,
};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::player::{Player, PlayerError};
use crate::replay::{CommandNumber, CommandReader, ReplayError, ResolvedCommand, TraceIndex};

/// A draw and what is bound at it.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawRecord {
    /// Its number in the frame, from 0.
    pub draw: u32,
    /// Where it stands.
    pub at: Location,
    /// Number of vertices.
    pub vertex_count: u32,
    /// Index of the first.
    pub first_vertex: u32,
    /// What is bound.
    pub bound: BoundState,
}

/// What is bound, by the guest's names.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoundState {
    /// The pipeline with its vertex and fragment shader.
    pub pipeline: Option<(PipelineId, [ShaderId; 2])>,
    /// The vertex buffer and where attributes lie in it.
    pub vertices: Option<(ResourceId, VertexLayout)>,
    /// The viewport; `None`: the whole target.
    pub viewport_px: Option<[u32; 2]>,
}

impl fmt::Display for BoundState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pipeline {
            Some((pipeline, [vertex, fragment])) => {
                write!(f, "{pipeline} (vertex {vertex}, fragment {fragment})")?;
            }
            None => f.write_str("no pipeline")?,
        }
        match self.vertices {
            Some((buffer, layout)) => write!(
                f,
                ", {buffer} (stride {}, position at {}, colour at {})",
                layout.stride_bytes,
                layout.position().offset_bytes,
                layout.color().offset_bytes
            )?,
            None => f.write_str(", no vertex buffer")?,
        }
        match self.viewport_px {
            Some([width, height]) => write!(f, ", viewport {width}x{height}"),
            None => f.write_str(", viewport of the whole target"),
        }
    }
}

impl fmt::Display for DrawRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "draw {} {}: {} vertices from {}", self.draw, self.at, self.vertex_count, self.first_vertex)?;
        write!(f, ", {}", self.bound)
    }
}

/// Lists the draws of `frame` that `player` plays, by the index that seeking goes by: no other part of the trace is read
/// than what they have bound. A frame that is damaged, or not there, is the error that playing it has.
pub fn list_draws(player: &mut Player, trace: &Arc<Trace>, frame: FrameIndex) -> Result<Vec<DrawRecord>, PlayerError> {
    let index = player.index();
    if frame.as_usize() >= index.frame_count() {
        player.seek(frame)?;
    }
    let mut lookup = Lookup { index: &index, reader: CommandReader::new(trace.clone()), read: BTreeMap::new() };
    let mut draws = Vec::new();
    for (draw, number) in (0..).zip(index.draws_of(frame)) {
        if index.submission_of(number).is_some() {
            return Err(ReplayError::OfSubmission { at: index.require_location(number)? }.into());
        }
        if let (Some(at), Some(&step)) = (index.location(number), index.command(number)) {
            draws.extend(lookup.draw(draw, at, step)?);
        }
    }
    Ok(draws)
}

/// Finds the guest's names, which the index does not keep, where commands stand in the trace.
struct Lookup<'a> {
    index: &'a TraceIndex,
    reader: CommandReader,
    /// Commands that were read: many draws share them.
    read: BTreeMap<CommandNumber, Command>,
}

impl Lookup<'_> {
    fn draw(&mut self, draw: u32, at: Location, step: ResolvedCommand) -> Result<Option<DrawRecord>, ReplayError> {
        let ResolvedCommand::Draw { vertex_count, first_vertex, pipeline, vertices, viewport } = step else {
            return Ok(None);
        };
        let bound = BoundState {
            pipeline: self.pipeline(pipeline)?,
            vertices: vertices.map(|set| self.vertices(set)).transpose()?.flatten(),
            viewport_px: viewport.and_then(|set| self.viewport(set)),
        };
        Ok(Some(DrawRecord { draw, at, vertex_count, first_vertex, bound }))
    }

    fn pipeline(&mut self, set: CommandNumber) -> Result<Option<(PipelineId, [ShaderId; 2])>, ReplayError> {
        let Some(&ResolvedCommand::SetPipeline { create }) = self.index.command(set) else { return Ok(None) };
        Ok(match self.command(create)? {
            Some(Command::CreatePipeline(CreatePipeline { id, vertex, fragment })) => Some((id, [vertex, fragment])),
            _ => None,
        })
    }

    fn vertices(&mut self, set: CommandNumber) -> Result<Option<(ResourceId, VertexLayout)>, ReplayError> {
        Ok(match self.command(set)? {
            Some(Command::SetVertexBuffer(SetVertexBuffer { id, layout })) => Some((id, layout)),
            _ => None,
        })
    }

    fn viewport(&self, set: CommandNumber) -> Option<[u32; 2]> {
        match *self.index.command(set)? {
            ResolvedCommand::SetViewport { width_px, height_px } => {
                (width_px != 0 && height_px != 0).then_some([width_px, height_px])
            }
            _ => None,
        }
    }

    fn command(&mut self, number: CommandNumber) -> Result<Option<Command>, ReplayError> {
        if let Some(command) = self.read.get(&number) {
            return Ok(Some(*command));
        }
        let Some(at) = self.index.location(number) else { return Ok(None) };
        let command = self.reader.read(at)?.value;
        self.read.insert(number, command);
        Ok(Some(command))
    }
}
