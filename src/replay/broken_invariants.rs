//! Invariants broken on purpose: each is told as a mistake of this program's own, none is passed over.

use std::sync::Arc;

use super::d3d::EarlierCommand;
use super::index::{CommandNumber, ResolvedCommand, TraceIndex};
use super::{
    CheckDepth, CommandReader, CommandStream, Executor, Flow, InputHasher, Op, ProgramLibrary, ReplayError,
    check_trace, lint_trace, write_trimmed,
};
use crate::abi::reference::Packet;
use crate::bytes::{Diagnostics, MemorySource};
use crate::command::{Command, Located, Shown, VertexLayout};
use crate::format::aerogpu::{BlobKind, FrameIndex, Trace, TraceWriter};

const VERTEX: &[u8] = b"@vertex fn vs(@location(0) position: vec2f) -> @builtin(position) vec4f { \
    return vec4f(position, 0.0, 1.0); }";
const FRAGMENT: &[u8] = b"@fragment fn fs() -> @location(0) vec4f { return vec4f(1.0); }";

/// The commands of frame 0, by their numbers; frame 1 is DRAW and PRESENT.
const CREATE_BUFFER: u32 = 0;
const CREATE_SHADER: u32 = 2;
const CREATE_PIPELINE: u32 = 4;
const SET_PIPELINE: u32 = 5;
const SET_VERTEX_BUFFER: u32 = 6;
const SET_VIEWPORT: u32 = 7;
const DRAW: u32 = 8;
/// A command that the index does not have.
const NOWHERE: CommandNumber = CommandNumber(99);
const LAST_FRAME: FrameIndex = FrameIndex(1);

/// A buffer with an odd stride, so that its vertices are gathered; made and set in frame 0, drawn in frame 1.
fn trace() -> Arc<Trace> {
    let mut writer = TraceWriter::new(Vec::new(), 1, "{}").unwrap();
    let data = writer.blob(BlobKind::BufferData, &[0; 64]).unwrap().0;
    let [vertex, fragment] = [VERTEX, FRAGMENT].map(|text| writer.blob(BlobKind::ShaderWgsl, text).unwrap().0);
    let shader = |shader_id, stage, wgsl_blob_id| Packet::CreateShader {
        shader_id,
        stage,
        glsl_blob_id: 0,
        wgsl_blob_id,
        dxbc_blob_id: 0,
    };
    let set_buffer =
        Packet::SetVertexBuffer { buffer_id: 1, stride_bytes: 9, position_offset_bytes: 0, color_offset_bytes: 8 };
    let draw = || Packet::Draw { vertex_count: 3, first_vertex: 0 };
    let first = [
        Packet::CreateBuffer { buffer_id: 1, size_bytes: 64, usage: 0 },
        Packet::UploadBuffer { buffer_id: 1, offset_bytes: 0, data_len_bytes: 64, blob_id: data },
        shader(1, 0, vertex),
        shader(2, 1, fragment),
        Packet::CreatePipeline { pipeline_id: 1, vs_shader_id: 1, fs_shader_id: 2 },
        Packet::SetPipeline { pipeline_id: 1 },
        set_buffer,
        Packet::SetViewport { width_px: 8, height_px: 8 },
    ];
    for packets in [first.to_vec(), vec![draw(), Packet::Present {}]] {
        writer.begin_frame().unwrap();
        for packet in packets {
            let mut bytes = Vec::new();
            packet.write(&mut bytes);
            writer.packet(&bytes).unwrap();
        }
        writer.present().unwrap();
    }
    let bytes = writer.finish().unwrap();
    Arc::new(Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap())
}

fn index(trace: &Arc<Trace>) -> TraceIndex {
    let index = TraceIndex::build(trace, |_| ());
    assert_eq!((index.stop(), index.command_count()), (None, 10));
    index
}

fn draw_with(pipeline: u32, vertices: CommandNumber, viewport: u32) -> ResolvedCommand {
    let [pipeline, vertices, viewport] = [pipeline, vertices.0, viewport].map(EarlierCommand::new);
    ResolvedCommand::Draw { vertex_count: 3, first_vertex: 0, pipeline, vertices, viewport }
}

/// Whether an error tells that this program is at fault, in these words.
#[track_caller]
fn assert_told<T>(result: Result<T, impl Into<ReplayError>>, what: &str) {
    let Err(error) = result.map_err(Into::into) else { panic!("ignored: {what}") };
    assert!(error.is_internal(), "{error}");
    let words = format!("this is a bug: please report it with this line: {what}");
    assert!(error.to_string().contains(&words), "{error}");
}

/// The slice of the last frame of an index that something was done to.
#[track_caller]
fn assert_slice_told(break_it: impl FnOnce(&mut TraceIndex), what: &str) {
    let trace = trace();
    let mut index = index(&trace);
    assert!(index.slice(LAST_FRAME, u32::MAX, None).unwrap().is_some(), "sound as long as nothing is broken");
    break_it(&mut index);
    assert_told(index.slice(LAST_FRAME, u32::MAX, None), what);
}

#[test]
fn a_slice_of_a_broken_index_is_none() {
    let layout = VertexLayout::position_and_color(9, 0, 8);
    let set = |create| ResolvedCommand::SetVertexBuffer { create, layout };
    let number = CommandNumber;
    let unknown = "the index does not have a command that another refers to";
    let later = "a command refers to one that does not precede it";
    let break_draw = |vertices| {
        move |index: &mut TraceIndex| {
            index.break_step(DRAW, draw_with(SET_PIPELINE, vertices, SET_VIEWPORT));
        }
    };
    assert_slice_told(break_draw(NOWHERE), later);
    let other = "a draw's vertices are set by another command than SET_VERTEX_BUFFER";
    assert_slice_told(break_draw(number(SET_VIEWPORT)), other);
    assert_slice_told(|index| index.break_step(SET_VERTEX_BUFFER, set(NOWHERE)), unknown);
    let no_buffer = "a buffer is bound that no CREATE_BUFFER makes";
    assert_slice_told(|index| index.break_step(SET_VERTEX_BUFFER, set(number(CREATE_SHADER))), no_buffer);
    assert_slice_told(TraceIndex::break_histories, "an object has lost its history");
    assert_slice_told(|index| index.break_step(DRAW, draw_with(99, number(SET_VERTEX_BUFFER), SET_VIEWPORT)), later);
    assert_slice_told(|index| index.break_step(SET_PIPELINE, ResolvedCommand::SetPipeline { create: NOWHERE }), later);
    let shaders = ResolvedCommand::CreatePipeline { vertex: NOWHERE, fragment: number(CREATE_SHADER) };
    assert_slice_told(|index| index.break_step(CREATE_PIPELINE, shaders), later);
    assert_slice_told(|index| index.break_end(20), "the index does not have the requested commands");
}

#[test]
fn what_a_broken_index_is_asked_is_not_answered() {
    let trace = trace();
    let mut index = index(&trace);
    assert_told(index.require_location(NOWHERE), "the index does not have a requested command");
    assert_told(index.state_before(99), "the index does not have the requested commands");
    let no_buffer = "a buffer is referred to that no CREATE_BUFFER makes";
    assert_told(index.writers_before(CommandNumber(CREATE_SHADER), 8, 0..64), no_buffer);
    assert_told(index.uploads_before(CommandNumber(CREATE_SHADER), 8), no_buffer);
    let not_made = ResolvedCommand::SetPipeline { create: CommandNumber(CREATE_SHADER) };
    index.break_step(SET_PIPELINE, not_made);
    let no_pipeline = "a pipeline is set that no CREATE_PIPELINE makes";
    assert_told(index.shaders_of(CommandNumber(SET_PIPELINE)), no_pipeline);
    index.break_step(DRAW, draw_with(SET_PIPELINE, NOWHERE, SET_VIEWPORT));
    assert_told(index.unread_uploads(), "the index does not have a command that another refers to");
}

/// The input hash of the last frame, by an index that something was done to.
#[track_caller]
fn assert_hash_told(break_it: impl FnOnce(&mut TraceIndex), what: &str) {
    let trace = trace();
    let mut index = index(&trace);
    let hash = |index| InputHasher::new(trace.clone(), Arc::new(index)).frame(LAST_FRAME);
    break_it(&mut index);
    assert_told(hash(index), what);
}

#[test]
fn a_hash_of_a_broken_index_is_none() {
    assert_hash_told(TraceIndex::break_catalog, "a shader's text is not among the blobs of the index");
    let buffer = CommandNumber(SET_VERTEX_BUFFER);
    let viewport = "a draw's viewport is set by another command than SET_VIEWPORT";
    assert_hash_told(|index| index.break_step(DRAW, draw_with(SET_PIPELINE, buffer, CREATE_BUFFER)), viewport);
    let pipeline = "a draw's pipeline is set by another command than SET_PIPELINE";
    assert_hash_told(|index| index.break_step(DRAW, draw_with(SET_VIEWPORT, buffer, SET_VIEWPORT)), pipeline);
    let end = trace().stream().end;
    assert_hash_told(|index| index.break_offset(0, end), "no packet lies where the index has seen one");
}

#[test]
fn a_trace_is_not_trimmed_by_a_broken_index() {
    let trace = trace();
    let trim = |index: &TraceIndex| match write_trimmed(&trace, index, &[LAST_FRAME], Shown::default(), Vec::new()) {
        Err(super::TrimError::Replay(error)) => Err(error),
        other => Ok(other),
    };
    let mut broken = index(&trace);
    broken.break_catalog();
    assert_told(trim(&broken), "a packet's blob is not among those of the index");
    let mut broken = index(&trace);
    broken.break_offset(0, trace.stream().end);
    assert_told(trim(&broken), "no packet lies where the index has seen one");
}

#[test]
fn an_object_that_was_never_made_is_not_linted() {
    let trace = trace();
    let mut broken = index(&trace);
    broken.break_offset(CREATE_BUFFER, 1);
    broken.break_step(DRAW, ResolvedCommand::Present);
    let linted = lint_trace(&trace, &broken, Diagnostics::new());
    assert_told(linted, "an object of the index was never executed");
}

#[test]
fn only_frames_and_commands_that_exist_are_read() {
    let trace = trace();
    let mut executor = Executor::new(trace.clone());
    let none = FrameIndex(2);
    let read =
        CommandStream::new(trace.clone()).read_frame(none, &mut executor, |_, _| Ok::<_, ReplayError>(Flow::Stop));
    let what = "the trace does not have the requested frame";
    assert_told(read, what);
    assert_told(CommandStream::at(trace.clone(), none).map(drop), what);
    assert_told(CommandStream::behind(trace.clone(), Some(none)).map(drop), what);
    let at = crate::command::Location { offset: trace.stream().end, frame: none, packet: 0, submission: None };
    assert_told(CommandReader::new(trace).read(at), "no packet lies where the index has seen one");
}

#[test]
fn a_draw_without_its_program_is_not_drawn() {
    let trace = trace();
    check_trace(&trace, CheckDepth::Everything, &mut Diagnostics::new(), |_| ()).unwrap();
    let (mut stream, mut executor) = (CommandStream::new(trace.clone()), Executor::new(trace.clone()));
    let mut drawn = None;
    for frame in trace.frame_indices() {
        let read = stream.read_frame(frame, &mut executor, |command, executor| {
            executor.apply(command)?;
            match command.value {
                Command::Draw(_) => drawn = Some(*command),
                _ => return Ok(Flow::Continue),
            }
            Ok::<_, ReplayError>(Flow::Stop)
        });
        read.unwrap();
    }
    assert!(matches!(executor.ops(), [Op::Draw(_)]) && executor.draw().unwrap().is_some());
    executor.replace_programs(ProgramLibrary::new());
    assert_told(executor.draw().map(drop), "a draw's program is not in the library");
    let again: Located<Command> = drawn.unwrap();
    assert_told(executor.apply(&again), "a linked program is not in the library");
}
