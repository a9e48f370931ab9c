//! The guest's state, and what each command does to it.
//!
//! Binding captures: SET_PIPELINE, SET_VERTEX_BUFFER and CREATE_PIPELINE take the objects that the ids name at that
//! moment. Re-creating an id replaces it for whatever names it from there on; what is bound stays as it was until it
//! is bound anew. (So does the only other player of these traces, whose GL objects work the same way.)

use std::collections::HashMap;
use std::sync::Arc;

use super::blob_store::BlobStore;
use super::buffer_contents::BufferContents;
use super::error::{Problem, ReplayError};
use super::op::{BufferKey, DrawOp, Op, ProgramKey, VertexFetch};
use super::program_library::{ProgramLibrary, ShaderObject};
use super::vertices::{VertexBinding, VertexRange};
use crate::bytes::Diagnostics;
use crate::bytes::limits::{MAX_BUFFER_BYTES, MAX_BUFFERS_BYTES};
use crate::command::{BufferId, Command, Located, PipelineId, ShaderBlobs, ShaderId, ShaderStage, VertexLayout};
use crate::format::aerogpu::{BlobDefinition, BlobId, BlobKind};

/// Everything that the commands so far have made and set.
#[derive(Default)]
pub struct GuestState {
    buffers: HashMap<BufferId, BufferKey>,
    objects: HashMap<BufferKey, BufferObject>,
    shaders: HashMap<ShaderId, Arc<ShaderObject>>,
    pipelines: HashMap<PipelineId, Pipeline>,
    pipeline: Option<Pipeline>,
    program: Option<ProgramKey>,
    vertices: Option<VertexBinding>,
    viewport_px: Option<[u32; 2]>,
    next_buffer: u64,
    live_bytes: u64,
}

/// A buffer that an id names or the vertex binding holds.
struct BufferObject {
    size_bytes: u32,
    contents: BufferContents,
    is_named: bool,
}

#[derive(Clone)]
struct Pipeline {
    vertex: Arc<ShaderObject>,
    fragment: Arc<ShaderObject>,
}

/// What a command may need besides the state.
struct Surroundings<'a> {
    blobs: &'a mut BlobStore,
    programs: &'a mut ProgramLibrary,
    diagnostics: &'a mut Diagnostics,
    ops: &'a mut Vec<Op>,
    /// Absolute file offset of the command.
    offset: u64,
}

impl GuestState {
    /// The state before the first command.
    pub fn new() -> Self {
        Self::default()
    }

    /// Carries out one command. What the GPU has to do for it is appended to `ops`.
    pub fn apply(
        &mut self,
        command: Located<Command>,
        blobs: &mut BlobStore,
        programs: &mut ProgramLibrary,
        diagnostics: &mut Diagnostics,
        ops: &mut Vec<Op>,
    ) -> Result<(), ReplayError> {
        let around = Surroundings { blobs, programs, diagnostics, ops, offset: command.at.offset };
        self.apply_value(command.value, around).map_err(|problem| {
            let (command, at) = (command.value.name(), command.at);
            ReplayError::Command { command, at, problem }
        })
    }

    fn apply_value(&mut self, command: Command, around: Surroundings<'_>) -> Result<(), Problem> {
        match command {
            Command::CreateBuffer { id, size_bytes, usage: _ } => self.create_buffer(id, size_bytes, around.ops),
            Command::UploadBuffer { id, offset_bytes, size_bytes, blob } => {
                self.upload(id, offset_bytes, size_bytes, blob, around)
            }
            Command::CreateShader { id, stage, blobs } => self.create_shader(id, stage, blobs, around),
            Command::CreatePipeline { id, vertex, fragment } => self.create_pipeline(id, vertex, fragment),
            Command::SetPipeline { id } => {
                self.pipeline = Some(self.pipelines.get(&id).ok_or(Problem::UnknownPipeline(id))?.clone());
                self.program = None;
                Ok(())
            }
            Command::SetVertexBuffer { id, layout } => self.set_vertex_buffer(id, layout, around.ops),
            Command::SetViewport { width_px, height_px } => {
                self.viewport_px = (width_px != 0 && height_px != 0).then_some([width_px, height_px]);
                Ok(())
            }
            Command::Clear { rgba } => {
                clear(rgba, around);
                Ok(())
            }
            Command::Draw { vertex_count, first_vertex } => {
                self.draw(VertexRange { first_vertex, vertex_count }, around)
            }
            Command::Present => {
                around.ops.push(Op::Present);
                Ok(())
            }
        }
    }

    fn create_buffer(&mut self, id: BufferId, size_bytes: u32, ops: &mut Vec<Op>) -> Result<(), Problem> {
        let size = u64::from(size_bytes);
        if size > MAX_BUFFER_BYTES {
            let what = "a buffer's size in bytes";
            return Err(Problem::OverLimit { what, found: size, limit: MAX_BUFFER_BYTES });
        }
        if let Some(replaced) = self.buffers.remove(&id) {
            if let Some(object) = self.objects.get_mut(&replaced) {
                object.is_named = false;
            }
            self.drop_if_unused(replaced, ops);
        }
        let found = self.live_bytes + size;
        if found > MAX_BUFFERS_BYTES {
            let what = "the size of all buffers in bytes";
            return Err(Problem::OverLimit { what, found, limit: MAX_BUFFERS_BYTES });
        }
        self.live_bytes = found;
        let key = BufferKey(self.next_buffer);
        self.next_buffer += 1;
        self.buffers.insert(id, key);
        self.objects.insert(key, BufferObject { size_bytes, contents: BufferContents::default(), is_named: true });
        ops.push(Op::CreateBuffer { buffer: key, size_bytes });
        Ok(())
    }

    /// Forgets a buffer that has lost its id or its binding, if it has lost both.
    fn drop_if_unused(&mut self, key: BufferKey, ops: &mut Vec<Op>) {
        let is_bound = self.vertices.is_some_and(|binding| binding.key == key);
        if is_bound || self.objects.get(&key).is_none_or(|object| object.is_named) {
            return;
        }
        if let Some(object) = self.objects.remove(&key) {
            self.live_bytes -= u64::from(object.size_bytes);
            ops.push(Op::DropBuffer { buffer: key });
        }
    }

    fn buffer(&mut self, id: BufferId) -> Result<(BufferKey, &mut BufferObject), Problem> {
        let key = *self.buffers.get(&id).ok_or(Problem::UnknownBuffer(id))?;
        Ok((key, self.objects.get_mut(&key).ok_or(Problem::UnknownBuffer(id))?))
    }

    fn upload(
        &mut self,
        id: BufferId,
        offset_bytes: u32,
        size_bytes: u32,
        blob: BlobId,
        around: Surroundings<'_>,
    ) -> Result<(), Problem> {
        let (key, buffer) = self.buffer(id)?;
        let definition = around.blobs.resolve(blob, BlobKind::BufferData, around.offset)?;
        let (found, expected) = (definition.size_bytes(), u64::from(size_bytes));
        if found != expected {
            return Err(Problem::WrongBlobLength { blob, found, expected });
        }
        let (start, end) = (u64::from(offset_bytes), u64::from(offset_bytes) + expected);
        if end > u64::from(buffer.size_bytes) {
            return Err(Problem::WritesPastEnd { buffer: id, start, end, size: buffer.size_bytes });
        }
        if start == end {
            return Ok(());
        }
        buffer.contents.write(start, definition.bytes);
        // GPUs copy whole dwords: an unaligned upload takes its neighbours along.
        let aligned = start & !3..end.next_multiple_of(4);
        let pieces = buffer.contents.pieces(aligned.clone());
        around.ops.push(Op::Upload { buffer: key, offset_bytes: aligned.start, pieces });
        Ok(())
    }

    fn create_shader(
        &mut self,
        id: ShaderId,
        stage: ShaderStage,
        sources: ShaderBlobs,
        around: Surroundings<'_>,
    ) -> Result<(), Problem> {
        let mut resolve = |blob: Option<BlobId>, kind| -> Result<Option<BlobDefinition>, Problem> {
            blob.map(|blob| around.blobs.resolve(blob, kind, around.offset)).transpose()
        };
        let glsl = resolve(sources.glsl, BlobKind::ShaderGlslEs300)?;
        let wgsl = resolve(sources.wgsl, BlobKind::ShaderWgsl)?;
        resolve(sources.dxbc, BlobKind::ShaderDxbc)?;
        self.shaders.insert(id, Arc::new(ShaderObject { id, stage, wgsl, glsl }));
        Ok(())
    }

    fn create_pipeline(&mut self, id: PipelineId, vertex: ShaderId, fragment: ShaderId) -> Result<(), Problem> {
        let vertex = self.shader(vertex, ShaderStage::Vertex)?;
        let fragment = self.shader(fragment, ShaderStage::Fragment)?;
        self.pipelines.insert(id, Pipeline { vertex, fragment });
        Ok(())
    }

    fn shader(&self, id: ShaderId, expected: ShaderStage) -> Result<Arc<ShaderObject>, Problem> {
        let shader = self.shaders.get(&id).ok_or(Problem::UnknownShader(id))?;
        if shader.stage != expected {
            return Err(Problem::WrongStage { shader: id, found: shader.stage, expected });
        }
        Ok(shader.clone())
    }

    fn set_vertex_buffer(&mut self, id: BufferId, layout: VertexLayout, ops: &mut Vec<Op>) -> Result<(), Problem> {
        let (key, &mut BufferObject { size_bytes, .. }) = self.buffer(id)?;
        let before = self.vertices.replace(VertexBinding { id, key, size_bytes, layout });
        if let Some(before) = before.filter(|before| before.key != key) {
            self.drop_if_unused(before.key, ops);
        }
        Ok(())
    }

    fn draw(&mut self, mut range: VertexRange, around: Surroundings<'_>) -> Result<(), Problem> {
        let program_key = self.program(around.programs, around.blobs)?;
        let Some(program) = around.programs.get(program_key) else { return Err(Problem::NoPipeline) };
        if range.vertex_count == 0 {
            return Ok(());
        }
        let VertexRange { first_vertex, vertex_count } = range;
        if first_vertex.checked_add(vertex_count).is_none() {
            return Err(Problem::TooManyVertices { vertex_count, first_vertex });
        }
        let reads_attributes = program.inputs.position || program.inputs.color;
        let vertices = if reads_attributes {
            let binding = self.vertices.ok_or(Problem::NoVertexBuffer)?;
            binding.check_bounds(program, range)?;
            let object = self.objects.get(&binding.key).ok_or(Problem::NoVertexBuffer)?;
            binding.fetch(program, &mut range, &object.contents, around.blobs)?
        } else {
            VertexFetch::None
        };
        around.ops.push(Op::Draw(DrawOp {
            program: program_key,
            vertices,
            viewport_px: self.viewport_px,
            vertex_count,
            first_vertex: range.first_vertex,
        }));
        Ok(())
    }

    /// The current pipeline's program, linked at its first draw.
    fn program(&mut self, programs: &mut ProgramLibrary, blobs: &BlobStore) -> Result<ProgramKey, Problem> {
        if let Some(program) = self.program {
            return Ok(program);
        }
        let pipeline = self.pipeline.as_ref().ok_or(Problem::NoPipeline)?;
        let program = programs.link(&pipeline.vertex, &pipeline.fragment, blobs)?;
        self.program = Some(program);
        Ok(program)
    }
}

/// A unorm target holds 0 to 1, and Direct3D's rule for what is no number is 0.
fn clear(rgba: [f32; 4], around: Surroundings<'_>) {
    if let Some(odd) = rgba.iter().find(|component| !component.is_finite()) {
        around
            .diagnostics
            .note(around.offset, format!("CLEAR has the colour component {odd}, expected a finite number"));
    }
    let in_range = |component: f32| if component.is_nan() { 0.0 } else { component.clamp(0.0, 1.0) };
    around.ops.push(Op::Clear { rgba: rgba.map(in_range) });
}
