//! What submissions have bound and set at a place, and what is alive.

use serde::Serialize;

use super::{Analysis, AnalysisError};
use crate::command::{Location, Place};
use crate::replay::{
    CommandNumber, CommandReader, Context, Executor, LiveHandle, Named, ObjectKey, Resolved, StateRow, device_at,
};
use crate::text::Harmless;

/// The state of a context at a place behind submissions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamStateAt {
    /// The place.
    pub place: Place,
    /// The draw, if the place is at one.
    pub drawing: Option<SubmittedDraw>,
    /// The context.
    pub context: u32,
    /// All contexts that have come up.
    pub contexts: Vec<u32>,
    /// What is bound and set.
    pub settings: Vec<StateSetting>,
    /// What has a handle, whatever the context.
    pub objects: Vec<StreamObject>,
}

/// A draw of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SubmittedDraw {
    /// Its name in the specification.
    pub name: &'static str,
    /// Where it stands.
    pub at: Location,
}

/// One thing that is bound or set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StateSetting {
    /// What it belongs to.
    pub group: String,
    /// Which one of these.
    pub name: String,
    /// What it is.
    pub value: String,
    /// Handle of the object that it names, if it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<u32>,
    /// Where the command stands that set it.
    pub set_at: Option<Location>,
}

/// An object with a handle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamObject {
    /// What it is.
    pub kind: &'static str,
    /// The handle.
    pub handle: u32,
    /// Name that a marker gives the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its properties.
    pub description: String,
    /// Where the command stands that gave it the handle.
    pub created_at: Option<Location>,
    /// How many mips and layers a texture or a view has.
    #[serde(skip)]
    pub subresources: Option<[u32; 2]>,
}

impl StreamObject {
    /// The kind, the handle, and what a marker calls it: `texture 7 "shadow map"`.
    pub fn title(&self) -> String {
        let Self { kind, handle, name, .. } = self;
        match name {
            Some(name) => format!("{kind} {handle} \"{}\"", Harmless(name)),
            None => format!("{kind} {handle}"),
        }
    }
}

impl Analysis {
    /// The state at `place` of one context; of that of the last command before it, if none is named.
    pub fn stream_state(&self, place: Place, context: Option<u32>) -> Result<StreamStateAt, AnalysisError> {
        let resolved = self.resolve_any(place)?;
        let found = self.context_at(resolved, context)?;
        let (device, context) = (found.executor.device(), found.context()?);
        let at = |number: Option<u32>| number.map(|number| self.location(CommandNumber(number)));
        let setting = |StateRow { group, name, value, handle, set_by }| {
            let set_at = at(set_by);
            StateSetting { group, name, value, handle, set_at }
        };
        let object = |LiveHandle { handle, kind, description, named_by, subresources, label }| StreamObject {
            kind,
            handle,
            name: label,
            description,
            created_at: at(named_by),
            subresources,
        };
        let drawing = match resolved.draw {
            Some(draw) => {
                let at = self.index.require_location(draw)?;
                let name = CommandReader::new(self.trace.clone()).read(at)?.value.name();
                Some(SubmittedDraw { name, at })
            }
            None => None,
        };
        let settings = context.rows(device.objects()).into_iter().map(setting).collect();
        let objects = device.objects().live().into_iter().map(object).collect();
        Ok(StreamStateAt { place, drawing, context: found.id, contexts: device.contexts(), settings, objects })
    }
}

/// A context at a place behind submissions.
pub(super) struct ContextAt {
    executor: Executor,
    id: u32,
}

impl ContextAt {
    /// What is bound and set in it.
    pub(super) fn context(&self) -> Result<&Context, AnalysisError> {
        self.executor.device().context(self.id).ok_or_else(|| no_context(self.id))
    }

    /// The name that a marker gives what a slot of it holds, if the handle means that still.
    pub(super) fn label(&self, handle: u32, held: Named) -> Option<&str> {
        let objects = self.executor.device().objects();
        objects.label(handle).filter(|_| objects.named(handle) == held)
    }

    /// The buffer that a slot of it holds, and its size.
    pub(super) fn buffer(&self, named: Named) -> Option<(ObjectKey, u64)> {
        let (key, buffer) = self.executor.device().objects().buffer(named)?;
        Some((key, u64::from(buffer.size_bytes)))
    }
}

fn no_context(id: u32) -> AnalysisError {
    AnalysisError::NoSuchResource { what: format!("context {id} does not exist") }
}

impl Analysis {
    /// The context that is asked for at a place; that of the last command before it, if none is named.
    pub(super) fn context_at(&self, place: Resolved, asked: Option<u32>) -> Result<ContextAt, AnalysisError> {
        let executor = device_at(&self.trace, &self.index, CommandNumber(place.end))?;
        let last = place.end.checked_sub(1).map(CommandNumber);
        let current = last.and_then(|last| self.index.submission_of(last)).map(|submission| submission.place.context());
        let known = executor.device().contexts();
        let chosen = asked.or(current).or(known.first().copied()).filter(|id| known.contains(id));
        let id = chosen.ok_or_else(|| no_context(asked.unwrap_or(0)))?;
        Ok(ContextAt { executor, id })
    }
}
