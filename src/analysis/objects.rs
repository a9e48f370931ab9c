//! Everything that a trace creates: which command made it, under which id, and when the id came to mean another.

use std::sync::Arc;

use foldhash::HashMap;
use serde::Serialize;

use super::AnalysisError;
use crate::command::{Command, CreateBuffer, CreatePipeline, CreateShader, ShaderStage};
use crate::format::aerogpu::Trace;
use crate::replay::{CommandNumber, CommandReader, ResolvedCommand, TraceIndex};

/// The three namespaces of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectKind {
    /// A buffer.
    Buffer,
    /// A shader.
    Shader,
    /// A pipeline.
    Pipeline,
}

/// One object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// The command that makes it.
    pub creation: CommandNumber,
    /// What it is.
    pub kind: ObjectKind,
    /// The guest's name for it.
    pub id: u32,
    /// Size of a buffer; 0 for others.
    pub size_bytes: u32,
    /// Stage of a shader.
    pub stage: Option<ShaderStage>,
    /// The object that had the id before.
    pub replaces: Option<CommandNumber>,
    /// The object that has the id after it.
    pub replaced_by: Option<CommandNumber>,
}

/// Every object of a trace, in the order of their making.
#[derive(Clone, Debug, Default)]
pub struct ObjectTable {
    objects: Vec<Object>,
}

impl ObjectTable {
    /// Reads the packets that create something.
    pub fn read(trace: &Arc<Trace>, index: &TraceIndex) -> Result<Self, AnalysisError> {
        let creates = |step: &ResolvedCommand| {
            matches!(
                step,
                ResolvedCommand::CreateBuffer { .. }
                    | ResolvedCommand::CreateShader
                    | ResolvedCommand::CreatePipeline { .. }
            )
        };
        let mut table = Self::default();
        let mut latest: HashMap<(ObjectKind, u32), usize> = HashMap::default();
        let mut reader = CommandReader::new(trace.clone());
        for number in index.numbers_in(0..index.command_count(), creates) {
            let Some(at) = index.location(number) else { continue };
            let (kind, id, size_bytes, stage) = match reader.read(at)?.value {
                Command::CreateBuffer(CreateBuffer { id, size_bytes, .. }) => {
                    // The index has let it through, so it is below the limit of buffers.
                    let size_bytes = u32::try_from(size_bytes).unwrap_or(u32::MAX);
                    (ObjectKind::Buffer, id.number(), size_bytes, None)
                }
                Command::CreateShader(CreateShader { id, stage, .. }) => {
                    (ObjectKind::Shader, id.number(), 0, Some(stage))
                }
                Command::CreatePipeline(CreatePipeline { id, .. }) => (ObjectKind::Pipeline, id.number(), 0, None),
                _ => continue,
            };
            let before = latest.insert((kind, id), table.objects.len());
            let before = before.and_then(|before| table.objects.get_mut(before));
            let replaces = before.map(|before| {
                before.replaced_by = Some(number);
                before.creation
            });
            let object = Object { creation: number, kind, id, size_bytes, stage, replaces, replaced_by: None };
            table.objects.push(object);
        }
        Ok(table)
    }

    /// Every object.
    pub fn all(&self) -> &[Object] {
        &self.objects
    }

    /// The object that a command makes.
    pub fn get(&self, creation: CommandNumber) -> Option<&Object> {
        let place = self.objects.binary_search_by_key(&creation, |object| object.creation).ok()?;
        self.objects.get(place)
    }

    /// The objects that have an id after the first `end` commands.
    pub fn named_before(&self, end: u32) -> impl Iterator<Item = &Object> {
        let made = self.objects.partition_point(|object| object.creation.0 < end);
        let made = self.objects.get(..made).unwrap_or_default();
        made.iter().filter(move |object| object.replaced_by.is_none_or(|replaced_by| replaced_by.0 >= end))
    }

    /// The object that an id means after the first `end` commands.
    pub fn find(&self, kind: ObjectKind, id: u32, end: u32) -> Option<&Object> {
        self.named_before(end).find(|object| (object.kind, object.id) == (kind, id))
    }
}
