//! The programs that a trace makes, found without drawing.

use std::collections::HashMap;
use std::sync::Arc;

use super::blob_store::BlobStore;
use super::command_stream::{CommandStream, Flow};
use super::error::{Problem, ReplayError};
use super::executor::Executor;
use super::shader_object::ShaderObject;
use crate::bytes::Diagnostics;
use crate::command::{Command, CreatePipeline, CreateShader, Located, Location, PipelineId, ShaderCode, ShaderId};
use crate::format::aerogpu::Trace;

/// Two shaders that a CREATE_PIPELINE joins.
#[derive(Clone, Debug)]
pub struct ProgramEntry {
    /// The pipeline's name.
    pub pipeline: PipelineId,
    /// The CREATE_PIPELINE.
    pub at: Location,
    /// The vertex shader as it was then.
    pub vertex: Arc<ShaderObject>,
    /// The fragment shader as it was then.
    pub fragment: Arc<ShaderObject>,
}

/// Lists the programs of `trace` in the order of their making, each pair of texts once.
pub fn list_programs(trace: &Arc<Trace>, diagnostics: &mut Diagnostics) -> Result<Vec<ProgramEntry>, ReplayError> {
    let mut list = ProgramList::default();
    let (mut stream, mut executor) = (CommandStream::new(trace.clone()), Executor::new(trace.clone()));
    let read = trace.frame_indices().try_for_each(|frame| {
        stream.read_frame(frame, &mut executor, |command, executor| {
            list.apply(command, executor.blobs_mut()).map_err(|problem| problem.of(command))
        })
    });
    diagnostics.append(executor.diagnostics().take());
    read.map(|()| list.programs)
}

#[derive(Default)]
struct ProgramList {
    shaders: HashMap<ShaderId, Arc<ShaderObject>>,
    programs: Vec<ProgramEntry>,
}

impl ProgramList {
    fn apply(&mut self, command: &Located<Command>, blobs: &mut BlobStore) -> Result<Flow, Problem> {
        match command.value {
            Command::CreateShader(CreateShader { id, stage, code: ShaderCode::Texts(sources) }) => {
                let shader = ShaderObject::create(id, stage, sources, blobs, command.at.offset)?;
                self.shaders.insert(id, Arc::new(shader));
            }
            Command::CreatePipeline(CreatePipeline { id, vertex, fragment }) => {
                let shader = |id| self.shaders.get(&id).cloned().ok_or(Problem::UnknownShader(id));
                let (vertex, fragment) = (shader(vertex)?, shader(fragment)?);
                let is_known = |known: &ProgramEntry| {
                    known.vertex.sources == vertex.sources && known.fragment.sources == fragment.sources
                };
                if !self.programs.iter().any(is_known) {
                    self.programs.push(ProgramEntry { pipeline: id, at: command.at, vertex, fragment });
                }
            }
            _ => {}
        }
        Ok(Flow::Continue)
    }
}
