//! The draws of a frame with the state they draw with, by the guest's names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::shader_purposes::{PurposeReader, ShaderPurposes};
use super::{Analysis, AnalysisError};
use crate::command::{
    Command, CreatePipeline, Draw, DrawIndexed, Location, PipelineId, ResourceId, SetVertexBuffer, ShaderId,
    VertexLayout,
};
use crate::error::Internal;
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::player::{Player, PlayerError};
use crate::replay::{
    CommandNumber, CommandReader, DrawnTo, DrawnVertices, NamedTarget, ReplayError, ResolvedCommand, TraceIndex,
};
use crate::text::{Harmless, counted};

const NOT_A_DRAW: &str = "a draw of the index is another command in the trace";

/// A draw and what is bound at it.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawRecord {
    /// Its number in the frame, from 0.
    pub draw: u32,
    /// Where it stands.
    pub at: Location,
    /// The vertices that it draws, or the indices.
    pub vertices: DrawnVertices,
    /// What is bound.
    pub bindings: DrawBindings,
    /// The purposes of its shaders.
    pub purposes: ShaderPurposes,
}

/// What is bound at a draw.
#[derive(Clone, Debug, PartialEq)]
pub enum DrawBindings {
    /// Of a draw of no submission.
    Pipeline(BoundState),
    /// Of a draw of a submission: what it draws to, colour targets first, then depth and stencil.
    Targets(Vec<NamedTarget>),
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

impl fmt::Display for DrawBindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let targets = match self {
            Self::Pipeline(bound) => return bound.fmt(f),
            Self::Targets(targets) => targets,
        };
        f.write_str("to ")?;
        for (number, target) in targets.iter().enumerate() {
            write!(f, "{}{target}", if number == 0 { "" } else { ", " })?;
        }
        if targets.is_empty() { f.write_str("no target") } else { Ok(()) }
    }
}

impl fmt::Display for DrawRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "draw {} {}: ", self.draw, self.at)?;
        let instances = match self.vertices {
            DrawnVertices::Direct(Draw { vertex_count, first_vertex, instance_count, .. }) => {
                write!(f, "{vertices} from {first_vertex}", vertices = counted(vertex_count, "vertex"))?;
                instance_count
            }
            DrawnVertices::Indexed(DrawIndexed { index_count, first_index, base_vertex, instance_count, .. }) => {
                write!(
                    f,
                    "{indices} from {first_index}, base vertex {base_vertex}",
                    indices = counted(index_count, "index")
                )?;
                instance_count
            }
        };
        if instances != 1 {
            write!(f, ", {instances}", instances = counted(instances, "instance"))?;
        }
        write!(f, ", {}", self.bindings)
    }
}

impl DrawRecord {
    /// How many vertices it draws, or indices, and the first of them.
    pub fn counts(&self) -> (u32, u32) {
        match self.vertices {
            DrawnVertices::Direct(draw) => (draw.vertex_count, draw.first_vertex),
            DrawnVertices::Indexed(draw) => (draw.index_count, draw.first_index),
        }
    }

    /// In a few characters, for lists: `DRAW 6v p4` is of six vertices with pipeline 4, `DRAW_INDEXED 12i ×3 → 100` of three
    /// instances of twelve indices, to texture 100.
    pub fn in_short(&self) -> String {
        let (name, unit, instances) = match self.vertices {
            DrawnVertices::Direct(draw) => ("DRAW", 'v', draw.instance_count),
            DrawnVertices::Indexed(draw) => ("DRAW_INDEXED", 'i', draw.instance_count),
        };
        let mut text = format!("{name} {}{unit}", self.counts().0);
        if instances != 1 {
            text += &format!(" ×{instances}");
        }
        match &self.bindings {
            DrawBindings::Pipeline(bound) => {
                text += &bound.pipeline.map_or(String::new(), |(pipeline, _)| format!(" p{}", pipeline.number()));
            }
            DrawBindings::Targets(targets) => {
                let targets = targets.iter().map(|NamedTarget { part, name }| match (part, name) {
                    (DrawnTo::BackBuffer, _) => "back buffer".to_owned(),
                    (DrawnTo::Texture { id, .. }, None) => id.number().to_string(),
                    (DrawnTo::Texture { id, .. }, Some(name)) => format!("{} \"{}\"", id.number(), Harmless(name)),
                });
                let targets: Vec<String> = targets.collect();
                text += " → ";
                text += &if targets.is_empty() { "nothing".to_owned() } else { targets.join(" ") };
            }
        }
        text
    }

    /// What it draws to first, if it is of a submission.
    pub fn first_target(&self) -> Option<&DrawnTo> {
        match &self.bindings {
            DrawBindings::Pipeline(_) => None,
            DrawBindings::Targets(targets) => targets.first().map(|target| &target.part),
        }
    }
}

/// Lists the draws of `frame` that `player` plays, by the index that seeking goes by: no other part of the trace is read
/// than what they have bound. A frame that is damaged, or not there, is the error that playing it has.
pub fn list_draws(player: &mut Player, frame: impl Into<FrameIndex>) -> Result<Vec<DrawRecord>, PlayerError> {
    let frame = frame.into();
    player.check_frame(frame)?;
    let index = player.index();
    Ok(read_draws(player.trace(), &index, frame, |_| true)?)
}

/// The draws of a frame whose numbers `is_wanted`.
fn read_draws(
    trace: &Arc<Trace>,
    index: &TraceIndex,
    frame: FrameIndex,
    is_wanted: impl Fn(u32) -> bool,
) -> Result<Vec<DrawRecord>, ReplayError> {
    let purposes = PurposeReader::new(trace, index);
    let mut lookup = Lookup { index, reader: CommandReader::new(trace.clone()), read: BTreeMap::new(), purposes };
    let mut draws = Vec::new();
    for (draw, number) in (0..).zip(index.draws_of(frame)).filter(|(draw, _)| is_wanted(*draw)) {
        let (at, step) = (index.require_location(number)?, index.require_step(number)?);
        draws.push(match index.submission_of(number) {
            Some(_) => lookup.submitted(draw, at, number)?,
            None => lookup.draw(draw, at, step)?,
        });
    }
    Ok(draws)
}

impl Analysis {
    /// Draws of a frame, of those numbers that it has.
    pub fn draws(&self, frame: FrameIndex, numbers: &BTreeSet<u32>) -> Result<Vec<DrawRecord>, AnalysisError> {
        Ok(read_draws(&self.trace, &self.index, frame, |draw| numbers.contains(&draw))?)
    }
}

/// Finds the guest's names, which the index does not keep, where commands stand in the trace.
struct Lookup<'a> {
    index: &'a TraceIndex,
    reader: CommandReader,
    /// Commands that were read: many draws share them.
    read: BTreeMap<CommandNumber, Command>,
    purposes: PurposeReader<'a>,
}

impl Lookup<'_> {
    /// A draw of a submission.
    fn submitted(&mut self, draw: u32, at: Location, number: CommandNumber) -> Result<DrawRecord, ReplayError> {
        let vertices = match self.reader.read(at)?.value {
            Command::Draw(direct) => DrawnVertices::Direct(direct),
            Command::DrawIndexed(indexed) => DrawnVertices::Indexed(indexed),
            _ => return Err(Internal::at(NOT_A_DRAW, at.offset).into()),
        };
        let bindings = DrawBindings::Targets(self.index.drawn_to_by_name(number, &mut self.reader)?);
        let purposes = self.purposes.of_draw(number)?;
        Ok(DrawRecord { draw, at, vertices, bindings, purposes })
    }

    fn draw(&mut self, draw: u32, at: Location, step: ResolvedCommand) -> Result<DrawRecord, ReplayError> {
        let ResolvedCommand::Draw { vertex_count, first_vertex, pipeline, vertices, viewport } = step else {
            return Err(Internal::at(NOT_A_DRAW, at.offset).into());
        };
        let bound = BoundState {
            pipeline: pipeline.number().map(|set| self.pipeline(set)).transpose()?.flatten(),
            vertices: vertices.number().map(|set| self.vertices(set)).transpose()?.flatten(),
            viewport_px: viewport.number().and_then(|set| self.viewport(set)),
        };
        let vertices = DrawnVertices::Direct(Draw::once(vertex_count, first_vertex));
        let (bindings, purposes) = (DrawBindings::Pipeline(bound), ShaderPurposes::default());
        Ok(DrawRecord { draw, at, vertices, bindings, purposes })
    }

    fn pipeline(&mut self, set: CommandNumber) -> Result<Option<(PipelineId, [ShaderId; 2])>, ReplayError> {
        let Some(ResolvedCommand::SetPipeline { create }) = self.index.command(set) else { return Ok(None) };
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
        match self.index.command(set)? {
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
