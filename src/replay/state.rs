//! The guest's state, and what each command does to it.
//!
//! Binding captures: SET_PIPELINE, SET_VERTEX_BUFFER and CREATE_PIPELINE take the objects that the ids name at that
//! moment. Re-creating an id replaces it for whatever names it from there on; what is bound stays as it was until it
//! is bound anew. (So does the only other player of these traces, whose GL objects work the same way.)

use std::sync::{Arc, OnceLock};

use foldhash::HashMap;

use super::blob_store::BlobStore;
use super::buffer_contents::BufferContents;
use super::error::{Problem, ReplayError};
use super::frame_memory::FrameMemory;
use super::op::{BufferKey, DrawOp, Op, ProgramKey, VertexFetch};
use super::op_list::OpList;
use super::program_library::ProgramLibrary;
use super::shader_object::ShaderObject;
use super::vertices::{VertexBinding, VertexBounds, VertexRange};
use crate::bytes::Diagnostics;
use crate::command::{
    Clear, Command, CreateBuffer, CreatePipeline, CreateShader, Draw, Located, Payload, PipelineId, ResourceId,
    SetVertexBuffer, ShaderBlobs, ShaderCode, ShaderId, ShaderStage, Upload, VertexLayout, Viewport,
};
use crate::error::Internal;
use crate::format::aerogpu::BlobKind;
use crate::limits::MAX_BUFFER_BYTES;
use crate::shader::VertexInputs;

/// Everything that the commands so far have made and set.
pub struct GuestState {
    memory: FrameMemory,
    buffers: HashMap<ResourceId, BufferObject>,
    /// The bound buffer, if its id means another one by now.
    orphan: Option<BufferObject>,
    shaders: HashMap<ShaderId, Arc<ShaderObject>>,
    pipelines: HashMap<PipelineId, Arc<Pipeline>>,
    pipeline: Option<Arc<Pipeline>>,
    vertices: Option<VertexBinding>,
    viewport_px: Option<[u32; 2]>,
    live_bytes: u64,
    /// What the GPU has to do for the last command.
    ops: OpList,
    /// What the next draw must keep to, to be the draw in `ops` but for its vertices.
    repeatable: Option<VertexBounds>,
}

/// A buffer that an id names or the vertex binding holds.
struct BufferObject {
    key: BufferKey,
    size_bytes: u32,
    contents: BufferContents,
}

struct Pipeline {
    vertex: Arc<ShaderObject>,
    fragment: Arc<ShaderObject>,
    /// Linked at the first draw.
    program: OnceLock<Linked>,
}

/// A program in the library, and what a draw with it has to know.
#[derive(Clone, Copy)]
struct Linked {
    key: ProgramKey,
    inputs: VertexInputs,
}

/// What a command may need besides the state.
struct CommandContext<'a> {
    blobs: &'a mut BlobStore,
    programs: &'a mut ProgramLibrary,
    diagnostics: &'a mut Diagnostics,
    /// Absolute file offset of the command.
    offset: u64,
}

impl Default for GuestState {
    fn default() -> Self {
        Self::new()
    }
}

impl GuestState {
    /// The state before the first command, with as much memory for buffers as there mostly is.
    pub fn new() -> Self {
        Self::with_memory(FrameMemory::USUAL)
    }

    /// The state before the first command.
    pub fn with_memory(memory: FrameMemory) -> Self {
        Self {
            memory,
            buffers: HashMap::default(),
            orphan: None,
            shaders: HashMap::default(),
            pipelines: HashMap::default(),
            pipeline: None,
            vertices: None,
            viewport_px: None,
            live_bytes: 0,
            ops: OpList::default(),
            repeatable: None,
        }
    }

    /// What buffers may have.
    pub(super) fn memory(&self) -> FrameMemory {
        self.memory
    }

    /// Bytes of all buffers that exist.
    pub fn buffers_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// Every buffer that exists: its key, its size and its contents.
    pub fn into_buffers(self) -> impl Iterator<Item = (BufferKey, u32, BufferContents)> {
        let buffers = self.buffers.into_values().chain(self.orphan);
        buffers.map(|buffer| (buffer.key, buffer.size_bytes, buffer.contents))
    }

    /// The size and the contents of the bound buffer, if it is the one with this key.
    pub fn bound_contents(&self, key: BufferKey) -> Option<(u32, &BufferContents)> {
        let binding = self.vertices.as_ref()?;
        let buffer = self.orphan.as_ref().or_else(|| self.buffers.get(&binding.id))?;
        (buffer.key == key).then_some((buffer.size_bytes, &buffer.contents))
    }

    /// Carries out one command. [`Self::ops`] says then what the GPU has to do for it.
    #[inline(always)]
    pub fn apply(
        &mut self,
        command: &Located<Command>,
        blobs: &mut BlobStore,
        programs: &mut ProgramLibrary,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), ReplayError> {
        if let Command::Draw(Draw { vertex_count, first_vertex, .. }) = command.value
            && self.draw_again(VertexRange { first_vertex, vertex_count })
        {
            return Ok(());
        }
        self.apply_any(command, CommandContext { blobs, programs, diagnostics, offset: command.at.offset })
    }

    /// What the GPU has to do for the last command applied.
    #[inline]
    pub fn ops(&self) -> &[Op] {
        self.ops.as_slice()
    }

    /// A draw right after a draw is the same but for its vertices, of which only the bounds are left to check: all of
    /// it stays as it is resolved. `false` if it is not that simple.
    #[inline(always)]
    fn draw_again(&mut self, range: VertexRange) -> bool {
        // silent: the draw is then resolved from the start
        let Some(bounds) = &self.repeatable else { return false };
        let is_sound = range.vertex_count > 0 && range.first_vertex.checked_add(range.vertex_count).is_some();
        is_sound && bounds.hold(range) && self.ops.draw_again(range)
    }

    #[inline(never)]
    fn apply_any(&mut self, command: &Located<Command>, around: CommandContext<'_>) -> Result<(), ReplayError> {
        self.ops.clear();
        self.repeatable = None;
        self.apply_value(&command.value, around).map_err(|problem| problem.of(command))
    }

    fn apply_value(&mut self, command: &Command, around: CommandContext<'_>) -> Result<(), Problem> {
        match *command {
            Command::CreateBuffer(CreateBuffer { id, size_bytes, .. }) => {
                self.create_buffer(id, size_bytes, BufferKey(around.offset))
            }
            Command::Upload(ref upload) => self.upload(upload, around),
            Command::CreateShader(CreateShader { id, stage, code: ShaderCode::Texts(blobs) }) => {
                self.create_shader(id, stage, blobs, around)
            }
            Command::CreatePipeline(CreatePipeline { id, vertex, fragment }) => {
                self.create_pipeline(id, vertex, fragment, around)
            }
            Command::SetPipeline(id) => {
                self.pipeline = Some(self.pipelines.get(&id).ok_or(Problem::UnknownPipeline(id))?.clone());
                Ok(())
            }
            Command::SetVertexBuffer(SetVertexBuffer { id, layout }) => self.set_vertex_buffer(id, layout),
            Command::SetViewport(Viewport::TopLeft { width_px, height_px }) => {
                self.viewport_px = (width_px != 0 && height_px != 0).then_some([width_px, height_px]);
                Ok(())
            }
            Command::Clear(Clear { rgba, .. }) => {
                self.ops.push(Op::Clear { rgba: in_range(rgba, around) });
                Ok(())
            }
            Command::Draw(Draw { vertex_count, first_vertex, .. }) => {
                self.draw(VertexRange { first_vertex, vertex_count }, around)
            }
            Command::Present(_) => {
                self.ops.push(Op::Present);
                Ok(())
            }
            // Only submissions have others, and the executor lets none of theirs through.
            _ => Err(Internal::at("a command that nothing executes has reached the state", around.offset).into()),
        }
    }

    fn create_buffer(&mut self, id: ResourceId, size: u64, key: BufferKey) -> Result<(), Problem> {
        if size > MAX_BUFFER_BYTES {
            let what = "a buffer's size in bytes";
            return Err(Problem::OverLimit { what, found: size, limit: MAX_BUFFER_BYTES });
        }
        let size_bytes = u32::try_from(size).map_err(|_| Internal::new("a buffer below its limit is over 4 GiB"))?;
        let bound = self.vertices.map(|binding| binding.key);
        let dropped = self.buffers.get(&id).filter(|replaced| Some(replaced.key) != bound);
        let found = self.live_bytes - dropped.map_or(0, |dropped| u64::from(dropped.size_bytes)) + size;
        // A command that is refused changes nothing.
        if let Some(problem) = self.memory.refusal(found) {
            return Err(problem);
        }
        // silent: the id was free
        if let Some(replaced) = self.buffers.remove(&id) {
            if Some(replaced.key) == bound {
                self.orphan = Some(replaced);
            } else {
                self.drop_buffer(&replaced);
            }
        }
        self.live_bytes += size;
        self.buffers.insert(id, BufferObject { key, size_bytes, contents: BufferContents::default() });
        self.ops.push(Op::CreateBuffer { buffer: key, size_bytes });
        Ok(())
    }

    fn drop_buffer(&mut self, buffer: &BufferObject) {
        self.live_bytes -= u64::from(buffer.size_bytes);
        self.ops.push(Op::DropBuffer { buffer: buffer.key });
    }

    fn upload(&mut self, upload: &Upload, around: CommandContext<'_>) -> Result<(), Problem> {
        let Upload { id, offset_bytes, size_bytes: expected, payload } = *upload;
        let Payload::Blob(blob) = payload else {
            return Err(Internal::at("an upload with inline bytes has reached the state", around.offset).into());
        };
        let buffer = self.buffers.get_mut(&id).ok_or(Problem::UnknownBuffer(id))?;
        let definition = around.blobs.resolve(blob, BlobKind::BufferData, around.offset)?;
        let found = definition.size_bytes();
        if found != expected {
            return Err(Problem::WrongBlobLength { blob, found, expected });
        }
        let (start, end) = (offset_bytes, offset_bytes.saturating_add(expected));
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
        self.ops.push(Op::Upload { buffer: buffer.key, offset_bytes: aligned.start, pieces });
        Ok(())
    }

    fn create_shader(
        &mut self,
        id: ShaderId,
        stage: ShaderStage,
        sources: ShaderBlobs,
        around: CommandContext<'_>,
    ) -> Result<(), Problem> {
        let shader = ShaderObject::create(id, stage, sources, around.blobs, around.offset)?;
        self.shaders.insert(id, Arc::new(shader));
        Ok(())
    }

    fn create_pipeline(
        &mut self,
        id: PipelineId,
        vertex: ShaderId,
        fragment: ShaderId,
        around: CommandContext<'_>,
    ) -> Result<(), Problem> {
        let vertex = self.shader(vertex, ShaderStage::Vertex)?;
        let fragment = self.shader(fragment, ShaderStage::Fragment)?;
        around.programs.expect(&vertex, &fragment, around.blobs);
        self.pipelines.insert(id, Arc::new(Pipeline { vertex, fragment, program: OnceLock::new() }));
        Ok(())
    }

    fn shader(&self, id: ShaderId, expected: ShaderStage) -> Result<Arc<ShaderObject>, Problem> {
        let shader = self.shaders.get(&id).ok_or(Problem::UnknownShader(id))?;
        if shader.stage != expected {
            return Err(Problem::WrongStage { shader: id, found: shader.stage, expected });
        }
        Ok(shader.clone())
    }

    fn set_vertex_buffer(&mut self, id: ResourceId, layout: VertexLayout) -> Result<(), Problem> {
        // While nothing is orphaned, the bound buffer is still what its id names.
        if let Some(bound) = self.vertices.as_mut().filter(|bound| bound.id == id)
            && self.orphan.is_none()
        {
            bound.layout = layout;
            return Ok(());
        }
        let &BufferObject { key, size_bytes, .. } = self.buffers.get(&id).ok_or(Problem::UnknownBuffer(id))?;
        self.vertices = Some(VertexBinding { id, key, size_bytes, layout });
        // silent: no replaced buffer is bound
        if let Some(orphan) = self.orphan.take() {
            self.drop_buffer(&orphan);
        }
        Ok(())
    }

    fn draw(&mut self, mut range: VertexRange, mut around: CommandContext<'_>) -> Result<(), Problem> {
        let program = self.program(&mut around)?;
        if range.vertex_count == 0 {
            return Ok(());
        }
        let VertexRange { first_vertex, vertex_count } = range;
        if first_vertex.checked_add(vertex_count).is_none() {
            return Err(Problem::TooManyVertices { vertex_count, first_vertex });
        }
        let Linked { key, inputs } = program;
        if !inputs.position && !inputs.color {
            self.repeatable = Some(VertexBounds::NONE);
            self.push_draw(key, VertexFetch::None, range);
            return Ok(());
        }
        let binding = self.vertices.as_ref().ok_or(Problem::NoVertexBuffer)?;
        let bounds = binding.bounds(inputs);
        binding.check_bounds(&bounds, range)?;
        if let Some(fetch) = binding.fetch_in_place(inputs) {
            self.repeatable = Some(bounds);
            self.ops.push_direct_draw(key, fetch, self.viewport_px, range);
            return Ok(());
        }
        let program = around.programs.get(key).ok_or(Internal::new("a linked program is not in the library"))?;
        let buffer = self.orphan.as_ref().or_else(|| self.buffers.get(&binding.id));
        let contents = &buffer.ok_or(Internal::new("the buffer that is bound does not exist"))?.contents;
        let vertices = binding.gather(program, &mut range, contents, around.blobs)?;
        self.push_draw(key, vertices, range);
        Ok(())
    }

    /// Fails if a draw has no pipeline. Shaders exist wherever a pipeline does.
    pub(super) fn check_references_of_draw(&self, draw: &Located<Command>) -> Result<(), ReplayError> {
        self.pipeline.as_ref().map(|_| ()).ok_or_else(|| Problem::NoPipeline.of(draw))
    }

    fn push_draw(&mut self, program: ProgramKey, vertices: VertexFetch, range: VertexRange) {
        let VertexRange { first_vertex, vertex_count } = range;
        let viewport_px = self.viewport_px;
        self.ops.push(Op::Draw(DrawOp { program, vertices, viewport_px, vertex_count, first_vertex }));
    }

    /// The current pipeline's program, linked at its first draw.
    fn program(&mut self, around: &mut CommandContext<'_>) -> Result<Linked, Problem> {
        let pipeline = self.pipeline.as_ref().ok_or(Problem::NoPipeline)?;
        if let Some(program) = pipeline.program.get() {
            return Ok(*program);
        }
        let CommandContext { programs, blobs, diagnostics, .. } = around;
        let key = programs.link(&pipeline.vertex, &pipeline.fragment, blobs, diagnostics)?;
        let program = programs.get(key).ok_or(Internal::new("a newly linked program is not in the library"))?;
        let inputs = program.inputs;
        Ok(*pipeline.program.get_or_init(|| Linked { key, inputs }))
    }
}

/// A unorm target holds 0 to 1, and Direct3D's rule for what is no number is 0.
fn in_range(rgba: [f32; 4], around: CommandContext<'_>) -> [f32; 4] {
    if let Some(odd) = unusual_color(rgba) {
        around.diagnostics.note(around.offset, odd);
    }
    rgba.map(|component| if component.is_nan() { 0.0 } else { component.clamp(0.0, 1.0) })
}

/// What is odd about the colour of a CLEAR.
pub fn unusual_color(rgba: [f32; 4]) -> Option<String> {
    let odd = rgba.iter().find(|component| !component.is_finite())?;
    Some(format!("CLEAR has the colour component {odd}, expected a finite number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::MemorySource;
    use crate::command::Location;
    use crate::format::aerogpu::{Trace, TraceWriter};

    /// The buffers that come and go with each of `commands`.
    fn lives(commands: &[Command]) -> Vec<Vec<Op>> {
        let bytes = TraceWriter::new(Vec::new(), 1, "{}").unwrap().finish().unwrap();
        let mut diagnostics = Diagnostics::new();
        let trace = Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut diagnostics).unwrap();
        let (mut blobs, mut programs) = (BlobStore::new(Arc::new(trace)), ProgramLibrary::new());
        let mut state = GuestState::new();
        let apply = |(offset, value): (u64, &Command)| {
            let at = Location { offset, ..Location::default() };
            state.apply(&Located { at, value: *value }, &mut blobs, &mut programs, &mut diagnostics).unwrap();
            state.ops().to_vec()
        };
        (0..).zip(commands).map(apply).collect()
    }

    #[test]
    fn only_a_bound_buffer_outlives_its_id_until_another_is_bound() {
        let layout = VertexLayout::position_and_color(24, 0, 8);
        let id = ResourceId::of_kind;
        let create =
            |number| Command::CreateBuffer(CreateBuffer { id: id(number), size_bytes: 4, usage: 0, backing: None });
        let bind = |number| Command::SetVertexBuffer(SetVertexBuffer { id: id(number), layout });
        let made = |key| Op::CreateBuffer { buffer: BufferKey(key), size_bytes: 4 };
        let dropped = |key| Op::DropBuffer { buffer: BufferKey(key) };

        let ops = lives(&[create(1), create(1), bind(1), create(1), create(1), bind(1), bind(1)]);
        let expected = [
            vec![made(0)],
            vec![dropped(0), made(1)],
            vec![],
            vec![made(3)],
            vec![dropped(3), made(4)],
            vec![dropped(1)],
            vec![],
        ];
        assert_eq!(ops, expected);
    }
}
