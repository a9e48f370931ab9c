//! The draws of a frame with the state they draw with, found without a GPU.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::bytes::Diagnostics;
use crate::command::{BufferId, Command, Location, PipelineId, ShaderId, VertexLayout};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::{BlobStore, Flow, ReplayError, decode_frame};

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
    pub vertices: Option<(BufferId, VertexLayout)>,
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
                layout.stride_bytes, layout.position_offset_bytes, layout.color_offset_bytes
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

/// Lists the draws of `frame`. State lives on from frame to frame, so everything before it is read too.
pub fn list_draws(trace: &Arc<Trace>, frame: FrameIndex) -> Result<Vec<DrawRecord>, ReplayError> {
    let mut walk = Walk::default();
    let mut blobs = BlobStore::new(trace.clone());
    let mut reader = trace.records(trace.stream());
    for (index, span) in (0..).map(FrameIndex).zip(trace.frames()).take(frame.as_usize() + 1) {
        reader.seek(span.bytes.clone());
        walk.draws.clear();
        decode_frame(&mut reader, Some(index), &mut blobs, &mut Diagnostics::new(), |command, _, _| {
            walk.apply(command.value, command.at);
            Ok(Flow::Continue)
        })?;
    }
    Ok(walk.draws)
}

#[derive(Default)]
struct Walk {
    pipelines: BTreeMap<PipelineId, [ShaderId; 2]>,
    bound: BoundState,
    draws: Vec<DrawRecord>,
}

impl Walk {
    fn apply(&mut self, command: Command, at: Location) {
        match command {
            Command::CreatePipeline { id, vertex, fragment } => {
                self.pipelines.insert(id, [vertex, fragment]);
            }
            Command::SetPipeline { id } => {
                self.bound.pipeline = self.pipelines.get(&id).map(|shaders| (id, *shaders));
            }
            Command::SetVertexBuffer { id, layout } => self.bound.vertices = Some((id, layout)),
            Command::SetViewport { width_px, height_px } => {
                self.bound.viewport_px = (width_px != 0 && height_px != 0).then_some([width_px, height_px]);
            }
            Command::Draw { vertex_count, first_vertex } => {
                let draw = self.draws.len() as u32;
                self.draws.push(DrawRecord { draw, at, vertex_count, first_vertex, bound: self.bound });
            }
            _ => {}
        }
    }
}
