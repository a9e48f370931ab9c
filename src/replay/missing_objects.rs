//! Objects that a recording uses and never creates, as one does that starts in the middle.
//!
//! A recorder that was switched on late, and a trace whose first frames were cut away, use from their first frame on what
//! was created before. Draws without those objects are refused, or read what unbound things read; what needs none of them
//! is shown. A wrong handle in a frame that creates what it uses, or further on, is an ordinary fault.

use std::collections::BTreeMap;
use std::fmt;

use foldhash::{HashMap, HashSet};

use super::executor::Executor;
use crate::abi::{ListElement, list_elements};
use crate::command::{
    BufferSlot, Command, CopyBuffer, CopyTexture, CreateBuffer, CreateLayout, CreatePipeline, CreateSampler,
    CreateShader, CreateTexture, CreateView, FileList, LayoutId, Located, Payload, PipelineId, ResourceId, SamplerId,
    SamplerSlot, SetBuffers, SetIndexBuffer, SetSamplers, SetTexture, SetVertexBuffer, SetVertexBuffers, ShaderId,
    Upload, VertexBufferSlot,
};
use crate::format::aerogpu::FrameIndex;

/// Names of missing objects that are told apart; a stream can name millions.
const MOST_MISSING: usize = 4096;

/// A kind of object, by the command that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Texture,
    Buffer,
    Shader,
    Pipeline,
    Layout,
    Sampler,
}

impl Kind {
    fn noun(self) -> &'static str {
        match self {
            Self::Texture => "texture",
            Self::Buffer => "buffer",
            Self::Shader => "shader",
            Self::Pipeline => "pipeline",
            Self::Layout => "layout",
            Self::Sampler => "sampler",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Name {
    Resource(ResourceId),
    Shader(ShaderId),
    Pipeline(PipelineId),
    Layout(LayoutId),
    Sampler(SamplerId),
}

/// Objects that are used and never created.
#[derive(Clone, Debug, Default)]
pub struct MissingObjects {
    made: HashSet<Name>,
    missing: HashMap<Name, Kind>,
    /// The first frame with a command of a kind that makes or uses objects.
    first_frame: Option<FrameIndex>,
    /// Objects that frame creates.
    made_in_first: usize,
    /// Objects that it uses and that were not created before.
    missing_in_first: usize,
}

impl MissingObjects {
    /// Whether the recording starts in the middle: its first frame uses more objects that were not created than it creates.
    /// One wrong handle in a frame that creates what it uses is an ordinary fault.
    pub fn starts_in_the_middle(&self) -> bool {
        self.missing_in_first > self.made_in_first
    }

    /// Takes in a command, whether or not it can be carried out.
    pub(super) fn see(&mut self, command: &Located<Command>, executor: &Executor) {
        self.see_made(command);
        self.see_used(command, executor);
    }

    /// Forgets what only helps to find more.
    pub(super) fn finish(&mut self) {
        self.made = HashSet::default();
    }

    fn see_made(&mut self, command: &Located<Command>) {
        let name = match command.value {
            Command::CreateBuffer(CreateBuffer { id, .. })
            | Command::CreateTexture(CreateTexture { id, .. })
            | Command::CreateView(CreateView { id, .. })
            | Command::ImportShared { resource: id, .. } => Name::Resource(id),
            Command::CreateShader(CreateShader { id, .. }) => Name::Shader(id),
            Command::CreatePipeline(CreatePipeline { id, .. }) => Name::Pipeline(id),
            Command::CreateLayout(CreateLayout { id, .. }) => Name::Layout(id),
            Command::CreateSampler(CreateSampler { id, .. }) => Name::Sampler(id),
            _ => return,
        };
        let first_frame = *self.first_frame.get_or_insert(command.at.frame);
        let is_new = self.made.insert(name);
        self.made_in_first += usize::from(is_new && command.at.frame == first_frame);
    }

    fn see_used(&mut self, command: &Located<Command>, executor: &Executor) {
        let frame = command.at.frame;
        let mut resources = |kind, ids: &[Option<ResourceId>]| {
            ids.iter().flatten().for_each(|id| self.used(Name::Resource(*id), kind, frame));
        };
        match command.value {
            Command::SetTexture(SetTexture { texture, .. }) => resources(Kind::Texture, &[texture]),
            Command::CreateView(CreateView { texture, .. }) => resources(Kind::Texture, &[Some(texture)]),
            Command::ExportShared { resource, .. } => resources(Kind::Texture, &[Some(resource)]),
            Command::CopyTexture(CopyTexture { to, from, .. }) => {
                resources(Kind::Texture, &[Some(to.id), Some(from.id)]);
            }
            Command::SetTargets(targets) => {
                targets.all_colors().for_each(|(_, color)| resources(Kind::Texture, &[color]));
                resources(Kind::Texture, &[targets.depth_stencil()]);
            }
            Command::SetIndexBuffer(SetIndexBuffer { buffer, .. }) => resources(Kind::Buffer, &[buffer]),
            Command::SetVertexBuffer(SetVertexBuffer { id, .. }) => resources(Kind::Buffer, &[Some(id)]),
            Command::CopyBuffer(CopyBuffer { to, from, .. }) => resources(Kind::Buffer, &[Some(to), Some(from)]),
            Command::Upload(Upload { id, payload: Payload::Blob(_), .. }) => resources(Kind::Buffer, &[Some(id)]),
            Command::SetVertexBuffers(SetVertexBuffers { slots, .. }) => {
                let list: Vec<VertexBufferSlot> = list_of(slots, executor);
                list.iter().for_each(|slot| resources(Kind::Buffer, &[slot.buffer]));
            }
            Command::SetBuffers(SetBuffers { slots, .. }) => {
                let list: Vec<BufferSlot> = list_of(slots, executor);
                list.iter().for_each(|slot| resources(Kind::Buffer, &[slot.buffer]));
            }
            Command::SetSamplers(SetSamplers { slots, .. }) => {
                let list: Vec<SamplerSlot> = list_of(slots, executor);
                let samplers = list.into_iter().filter_map(|SamplerSlot(sampler)| sampler);
                samplers.for_each(|sampler| self.used(Name::Sampler(sampler), Kind::Sampler, frame));
            }
            Command::SetLayout(Some(layout)) => self.used(Name::Layout(layout), Kind::Layout, frame),
            Command::BindShaders(shaders) => {
                let bound = shaders.all().filter_map(|(_, shader)| shader);
                bound.for_each(|shader| self.used(Name::Shader(shader), Kind::Shader, frame));
            }
            Command::CreatePipeline(CreatePipeline { vertex, fragment, .. }) => {
                let shaders = [vertex, fragment].into_iter();
                shaders.for_each(|shader| self.used(Name::Shader(shader), Kind::Shader, frame));
            }
            Command::SetPipeline(pipeline) => self.used(Name::Pipeline(pipeline), Kind::Pipeline, frame),
            // Nothing else uses an object by its name.
            _ => {}
        }
    }

    fn used(&mut self, name: Name, kind: Kind, frame: FrameIndex) {
        let first_frame = *self.first_frame.get_or_insert(frame);
        if self.made.contains(&name) {
            return;
        }
        if self.missing.len() < MOST_MISSING && self.missing.insert(name, kind).is_none() {
            self.missing_in_first += usize::from(frame == first_frame);
        }
    }
}

/// The elements of a list that a command carries; none if the file cannot be read there, which carrying it out tells.
fn list_of<T: ListElement>(list: FileList<T>, executor: &Executor) -> Vec<T> {
    // silent: carrying the command out tells that the file cannot be read
    let bytes = executor.payload(list.bytes).unwrap_or_default();
    list_elements(list, &bytes).collect()
}

/// The sentence about a recording that starts in the middle.
impl fmt::Display for MissingObjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
        self.missing.values().for_each(|kind| *counts.entry(*kind).or_default() += 1);
        let kinds: Vec<String> = counts.iter().map(|(kind, count)| crate::text::counted(*count, kind.noun())).collect();
        let what = match kinds.as_slice() {
            [] => "no object".to_owned(),
            [one] => one.clone(),
            [others @ .., last] => format!("{} and {last}", others.join(", ")),
        };
        let verb = if self.missing.len() == 1 { "is" } else { "are" };
        let more = if self.missing.len() == MOST_MISSING { "at least " } else { "" };
        write!(f, "This recording starts in the middle: {more}{what} {verb} used but never created")
    }
}
