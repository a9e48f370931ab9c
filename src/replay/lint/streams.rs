//! What looks like a mistake in submissions, told from their commands alone: no memory is read and nothing drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::clears::Clears;
use super::context::{Binding, Context, Slot};
use super::handles::{Handle, Handles};
use super::markers::OpenMarkers;
use super::slots::ShaderSlots;
use super::{Lint, LintFinding, LintRule};
use crate::abi::{ListElement, list_elements};
use crate::command::{
    BindShaders, BufferSlot, Command, CopyBuffer, CopyTexture, CreateLayout, CreateSampler, CreateShader,
    CreateTexture, CreateView, FileList, Located, Payload, ResourceId, SamplerSlot, SetBuffers, SetIndexBuffer,
    SetSamplers, SetTargets, SetVertexBuffers, ShaderCode, Upload, VertexBufferSlot,
};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{FormatError, FrameIndex, Trace};
use crate::replay::{CommandStream, Executor, Flow, RenderStates, ReplayError, SamplerStates, TraceIndex};

/// Opcodes that nobody knows and that are told one by one.
const TOLD_OPCODES: usize = 1000;
/// Values of states of Direct3D 9 that are told once.
const TOLD_STATES: usize = 1000;
/// Damaged places that are told one by one.
const TOLD_DAMAGE: usize = 1000;

/// Goes through the commands of all frames from `first` on: what their submissions carry out is looked at, and which
/// blobs other commands name. Gives the kind of the first thing that is wrong in frames that are not in the index.
pub(super) fn lint_streams(
    lint: &mut Lint,
    trace: &Arc<Trace>,
    first: FrameIndex,
    index: &TraceIndex,
) -> Result<Option<ErrorKind>, ReplayError> {
    let (mut stream, mut executor) = (CommandStream::new(trace.clone()), Executor::new(trace.clone()));
    let mut streams = Streams::new(trace.clone());
    let mut damage: Vec<ReplayError> = Vec::new();
    for frame in trace.frame_indices() {
        let is_new = frame >= first;
        let each = |command: &Located<Command>, _: &mut Executor| {
            if is_new {
                lint.at = Some(command.at);
                streams.command(lint, command)?;
            }
            Ok::<_, ReplayError>(Flow::Continue)
        };
        stream.survey_frame(frame, &mut executor, each, |error, _| {
            if is_new && frame.as_usize() >= index.frame_count() && damage.len() < TOLD_DAMAGE {
                damage.push(error);
            }
            Ok(Flow::Continue)
        })?;
        streams.markers.end_frame(lint);
    }
    streams.finish(lint);
    for error in &damage {
        // silent: what has no place is told at the file's start
        lint.note(error.offset().unwrap_or_default(), LintRule::Damage, error.to_string());
    }
    Ok(damage.first().map(Classified::kind))
}

/// Something that happens often, told once: where first, and how many times.
#[derive(Clone, Copy)]
struct Repeated {
    first: u64,
    count: u64,
}

struct Streams {
    trace: Arc<Trace>,
    handles: Handles,
    shaders: ShaderSlots,
    contexts: BTreeMap<u32, Context>,
    clears: Clears,
    markers: OpenMarkers,
    /// What was set to what it was already, by context and command.
    redundant: BTreeMap<(u32, &'static str), Repeated>,
    /// Remarks about states of Direct3D 9 that were told.
    told_states: BTreeSet<String>,
    /// Opcodes that nobody knows.
    unknown: BTreeMap<u32, Repeated>,
    /// Packets of further opcodes that nobody knows.
    further_unknown: u64,
}

impl Streams {
    fn new(trace: Arc<Trace>) -> Self {
        let (handles, shaders, contexts) = (Handles::default(), ShaderSlots::default(), BTreeMap::new());
        Self {
            trace,
            handles,
            shaders,
            contexts,
            clears: Clears::default(),
            markers: OpenMarkers::default(),
            redundant: BTreeMap::new(),
            told_states: BTreeSet::new(),
            unknown: BTreeMap::new(),
            further_unknown: 0,
        }
    }

    fn command(&mut self, lint: &mut Lint, command: &Located<Command>) -> Result<(), ReplayError> {
        let Some(submission) = command.at.submission else {
            named_blobs(lint, command);
            return Ok(());
        };
        if let Command::CreateShader(CreateShader { id, code: ShaderCode::Bytecode(code), .. }) = command.value {
            self.shaders.create(&self.trace, id.number(), code, command.at.offset)?;
        }
        if let Command::Marker(text) = command.value {
            self.markers.see(lint, &self.trace, text, (submission.context(), command.at.offset))?;
        }
        self.clears.see(lint, &self.trace, command, submission.context())?;
        self.objects(lint, command);
        self.bindings(lint, command, submission.context())?;
        self.legacy_state(lint, command);
        self.work(lint, command, submission.context());
        Ok(())
    }

    /// What a state of Direct3D 9 is set to that it does not have, or that draws do not follow: each once.
    fn legacy_state(&mut self, lint: &mut Lint, command: &Located<Command>) {
        let remark = match command.value {
            Command::SetRenderState(set) => RenderStates::remark(set.state, set.value),
            Command::SetSamplerState(set) => SamplerStates::remark(set.state, set.value),
            _ => None,
        };
        if let Some(remark) = remark.filter(|remark| !self.told_states.contains(&remark.what)) {
            lint.note_some(command.at.offset, LintRule::UnexplainedState, || remark.what.clone());
            // Those beyond are counted each time.
            if self.told_states.len() < TOLD_STATES {
                self.told_states.insert(remark.what);
            }
        }
    }

    /// Objects that come and go, and what is written to them.
    fn objects(&mut self, lint: &mut Lint, command: &Located<Command>) {
        let (offset, handles) = (command.at.offset, &mut self.handles);
        match command.value {
            Command::CreateBuffer(buffer) => handles.create(Handle::resource(buffer.id), offset, buffer.backing),
            Command::CreateTexture(CreateTexture { id, backing, .. }) => {
                handles.create(Handle::resource(id), offset, backing);
            }
            Command::CreateView(CreateView { id, texture, .. }) => handles.create_view(lint, id, texture, offset),
            Command::CreateShader(CreateShader { id, .. }) => handles.create(Handle::Shader(id.number()), offset, None),
            Command::CreateLayout(CreateLayout { id, .. }) => handles.create(Handle::Layout(id.number()), offset, None),
            Command::CreateSampler(CreateSampler { id, .. }) => {
                handles.create(Handle::Sampler(id.number()), offset, None);
            }
            Command::ImportShared { resource, .. } => handles.import(Handle::resource(resource), offset),
            Command::ExportShared { resource, .. } => handles.used(lint, Handle::resource(resource), command),
            Command::DestroyResource(id) | Command::DestroyView(id) => {
                handles.destroy(lint, Handle::resource(id), command);
            }
            Command::DestroyShader(id) => handles.destroy(lint, Handle::Shader(id.number()), command),
            Command::DestroyLayout(id) => handles.destroy(lint, Handle::Layout(id.number()), command),
            Command::DestroySampler(id) => handles.destroy(lint, Handle::Sampler(id.number()), command),
            Command::Upload(Upload { id, .. }) => handles.upload(lint, id, command),
            Command::Refresh(refresh) => handles.refresh(lint, refresh.id, command),
            _ => {}
        }
    }

    /// What is set and bound. Whatever a command binds is used.
    fn bindings(&mut self, lint: &mut Lint, command: &Located<Command>, context: u32) -> Result<(), ReplayError> {
        let mut set: Vec<(Slot, Binding)> = Vec::new();
        // What was counted since is told by no comparison.
        let mut sets_counter = false;
        match command.value {
            Command::SetVertexBuffers(SetVertexBuffers { first_slot, slots }) => {
                let buffers = self.read_list::<VertexBufferSlot>(slots)?;
                set.extend((first_slot..).zip(buffers).map(|(slot, buffer)| {
                    let place = [buffer.stride_bytes, buffer.offset_bytes];
                    (Slot::VertexBuffer(slot), Binding::part(buffer.buffer, place))
                }));
            }
            Command::SetBuffers(SetBuffers { stage, usage, first_slot, slots }) => {
                let buffers = self.read_list::<BufferSlot>(slots)?;
                sets_counter = buffers.iter().any(|buffer| buffer.counter(usage).is_some());
                set.extend((first_slot..).zip(buffers).map(|(slot, buffer)| {
                    let place = [buffer.offset_bytes, buffer.size_bytes];
                    (Slot::Buffer(stage, usage, slot), Binding::part(buffer.buffer, place))
                }));
            }
            Command::SetSamplers(SetSamplers { stage, first_slot, slots }) => {
                let samplers = self.read_list::<SamplerSlot>(slots)?;
                set.extend((first_slot..).zip(samplers).map(|(slot, SamplerSlot(sampler))| {
                    let sampler = sampler.map(|sampler| Handle::Sampler(sampler.number()));
                    (Slot::Sampler(stage, slot), Binding { handle: sampler, ..Binding::NONE })
                }));
            }
            Command::SetTexture(texture) => {
                set.push((Slot::Texture(texture.stage, texture.slot), Binding::part(texture.texture, [0; 2])));
            }
            Command::SetIndexBuffer(SetIndexBuffer { buffer, format, offset_bytes }) => {
                set.push((Slot::IndexBuffer, Binding::part(buffer, [offset_bytes, format as u32])));
            }
            Command::SetLayout(layout) => {
                let handle = layout.map(|layout| Handle::Layout(layout.number()));
                set.push((Slot::Layout, Binding { handle, ..Binding::NONE }));
            }
            Command::BindShaders(shaders) => set.extend(shader_slots(shaders)),
            Command::SetTargets(targets) => set.extend(target_slots(targets)),
            _ => {}
        }
        let context_number = context;
        let context = self.contexts.entry(context).or_default();
        let mut changes = set.is_empty() || sets_counter;
        for (slot, value) in set {
            if let Some(handle) = value.handle {
                self.handles.used(lint, handle, command);
            }
            changes |= context.set(slot, value, &mut self.handles);
        }
        if !changes || context.is_set_already(&command.value) {
            let (key, first) = ((context_number, command.value.name()), command.at.offset);
            self.redundant.entry(key).or_insert(Repeated { first, count: 0 }).count += 1;
        }
        Ok(())
    }

    fn work(&mut self, lint: &mut Lint, command: &Located<Command>, context: u32) {
        let offset = command.at.offset;
        match command.value {
            Command::Draw(_) | Command::DrawIndexed(_) | Command::Dispatch(_) => {
                // silent: a context that has bound nothing has no shader
                if let Some(bound) = self.contexts.get(&context) {
                    self.shaders.work(lint, command, bound);
                }
            }
            Command::CopyBuffer(CopyBuffer { to, from, .. }) => self.copy(lint, command, [to, from]),
            Command::CopyTexture(CopyTexture { to, from, .. }) => self.copy(lint, command, [to.id, from.id]),
            Command::Present(_) => {
                let context_state = self.contexts.entry(context).or_default();
                if context_state.bound_to(Slot::ColorTarget(0)).is_none() {
                    lint.note_some(offset, LintRule::PresentWithoutTarget, || {
                        format!("{} in context {context}: no colour target is bound", command.value.name())
                    });
                }
            }
            Command::Unknown { opcode } if self.unknown.len() < TOLD_OPCODES || self.unknown.contains_key(&opcode) => {
                self.unknown.entry(opcode).or_insert(Repeated { first: offset, count: 0 }).count += 1;
            }
            Command::Unknown { .. } => self.further_unknown += 1,
            _ => {}
        }
    }

    fn copy(&mut self, lint: &mut Lint, command: &Located<Command>, [to, from]: [ResourceId; 2]) {
        self.handles.used(lint, Handle::resource(to), command);
        self.handles.used(lint, Handle::resource(from), command);
    }

    fn read_list<T: ListElement>(&self, list: FileList<T>) -> Result<Vec<T>, ReplayError> {
        let bytes = self.trace.read(list.bytes.range()).map_err(FormatError::from)?;
        Ok(list_elements(list, &bytes).collect())
    }

    /// What only the end can tell.
    fn finish(mut self, lint: &mut Lint) {
        for context in self.contexts.values_mut() {
            context.unbind_all(&mut self.handles);
        }
        self.handles.finish(lint);
        for ((context, name), Repeated { first, count }) in self.redundant {
            let what = format!("{name} in context {context} changes nothing");
            lint.add(LintFinding::new(first, LintRule::RedundantState, what).times(count));
        }
        for (opcode, Repeated { first, count }) in self.unknown {
            let what = format!("unknown opcode {opcode:#x}: the packet is ignored");
            lint.add(LintFinding::new(first, LintRule::UnknownOpcode, what).times(count));
        }
        if self.further_unknown > 0 {
            let what = "a packet of further opcodes that this build does not know";
            lint.add(LintFinding::new(0, LintRule::UnknownOpcode, what).times(self.further_unknown));
        }
        lint.note_dropped();
    }
}

/// The blobs that a command outside of submissions names.
fn named_blobs(lint: &mut Lint, command: &Located<Command>) {
    let offset = command.at.offset;
    match command.value {
        Command::Upload(Upload { payload: Payload::Blob(blob), .. }) => lint.references.push((blob, offset)),
        Command::CreateShader(CreateShader { code: ShaderCode::Texts(blobs), .. }) => {
            lint.references.extend(blobs.by_kind().map(|(_, blob)| (blob, offset)));
        }
        _ => {}
    }
}

fn shader_slots(shaders: BindShaders) -> impl Iterator<Item = (Slot, Binding)> {
    shaders.all().map(|(stage, shader)| {
        let handle = shader.map(|shader| Handle::Shader(shader.number()));
        (Slot::Shader(stage), Binding { handle, ..Binding::NONE })
    })
}

fn target_slots(targets: SetTargets) -> impl Iterator<Item = (Slot, Binding)> {
    let colors = targets.all_colors().map(|(slot, color)| (Slot::ColorTarget(slot), Binding::part(color, [0; 2])));
    colors.chain([(Slot::DepthTarget, Binding::part(targets.depth_stencil(), [0; 2]))])
}
