//! What a context has bound and set, as far as lint compares it.

use std::collections::HashMap;

use super::handles::{Handle, Handles};
use crate::command::{BufferUse, Command, ResourceId, ShaderStage};

/// Where something is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    VertexBuffer(u32),
    IndexBuffer,
    Layout,
    Shader(ShaderStage),
    Texture(ShaderStage, u32),
    Sampler(ShaderStage, u32),
    Buffer(ShaderStage, BufferUse, u32),
    ColorTarget(u32),
    DepthTarget,
}

/// What is bound there, and which part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Binding {
    pub handle: Option<Handle>,
    pub part: [u32; 2],
}

impl Binding {
    pub(super) const NONE: Self = Self { handle: None, part: [0; 2] };

    pub(super) fn part(resource: Option<ResourceId>, part: [u32; 2]) -> Self {
        Self { handle: resource.map(Handle::resource), part }
    }
}

/// A setting that a command sets as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Setting {
    Blend,
    DepthStencil,
    Rasterizer,
    Viewport,
    Scissor,
    Topology,
    RenderState(u32),
    SamplerState(ShaderStage, u32, u32),
}

impl Setting {
    fn of(command: &Command) -> Option<Self> {
        Some(match command {
            Command::SetBlend(_) => Self::Blend,
            Command::SetDepthStencil(_) => Self::DepthStencil,
            Command::SetRasterizer(_) => Self::Rasterizer,
            Command::SetViewport(_) => Self::Viewport,
            Command::SetScissor(_) => Self::Scissor,
            Command::SetTopology(_) => Self::Topology,
            Command::SetRenderState(set) => Self::RenderState(set.state),
            Command::SetSamplerState(set) => Self::SamplerState(set.stage, set.slot, set.state),
            _ => return None,
        })
    }
}

/// One context.
#[derive(Default)]
pub(super) struct Context {
    bound: HashMap<Slot, Binding>,
    set: HashMap<Setting, Command>,
}

impl Context {
    /// Binds something; whether that changes anything. What was never bound is nothing.
    pub(super) fn set(&mut self, slot: Slot, value: Binding, handles: &mut Handles) -> bool {
        let before = self.bound.insert(slot, value);
        // An object that was made anew under its name is another one.
        let is_same = before == Some(value) && value.handle.is_none_or(|handle| handles.is_bound_as_it_is(handle));
        if is_same {
            return false;
        }
        // silent: nothing was bound there
        if let Some(handle) = before.and_then(|before| before.handle) {
            handles.unbind(handle);
        }
        if let Some(handle) = value.handle {
            handles.bind(handle);
        }
        true
    }

    /// Takes in a command that sets something as a whole; whether it was set to that already.
    pub(super) fn is_set_already(&mut self, command: &Command) -> bool {
        // silent: the command sets nothing as a whole
        let Some(setting) = Setting::of(command) else { return false };
        self.set.insert(setting, *command) == Some(*command)
    }

    /// What a slot holds.
    pub(super) fn bound_to(&self, slot: Slot) -> Option<Handle> {
        self.bound.get(&slot)?.handle
    }

    pub(super) fn unbind_all(&mut self, handles: &mut Handles) {
        for value in std::mem::take(&mut self.bound).into_values() {
            if let Some(handle) = value.handle {
                handles.unbind(handle);
            }
        }
    }
}
