//! Bind groups, kept by what they bind.
//!
//! Numbers lie in few buffers and are found by dynamic offsets, so that draws with other numbers share a group.

use foldhash::HashMap;

use super::resources::DeviceResources;
use super::stage_groups::{BindingsKey, ResourceEpoch};
use super::stages::Stage;
use crate::gpu::device::Gpu;
use crate::replay::ObjectKey;

/// Groups that are kept at most; a trace that binds more ways makes them anew.
const MOST_GROUPS: usize = 1 << 12;

/// Uniform buffers of a stage whose offsets are told with each draw. WebGPU promises eight for both stages.
pub(super) const MOST_DYNAMIC: usize = 4;

/// Something that is bound. Two are equal if they are the same object of the API.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bound {
    /// A part of a buffer of constants.
    Uniform {
        buffer: wgpu::Buffer,
        offset: u32,
        size_bytes: u32,
    },
    /// A whole buffer.
    Storage(wgpu::Buffer),
    View(wgpu::TextureView),
    Sampler(wgpu::Sampler),
}

impl Bound {
    fn as_resource(&self) -> wgpu::BindingResource<'_> {
        match self {
            Self::Uniform { buffer, offset, size_bytes } => wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset: u64::from(*offset),
                size: wgpu::BufferSize::new(u64::from(*size_bytes)),
            }),
            Self::Storage(buffer) => buffer.as_entire_binding(),
            Self::View(view) => wgpu::BindingResource::TextureView(view),
            Self::Sampler(sampler) => wgpu::BindingResource::Sampler(sampler),
        }
    }
}

/// Where the uniform buffers of a group begin, in the order of their bindings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DynamicOffsets {
    count: usize,
    offsets: [u32; MOST_DYNAMIC],
}

impl DynamicOffsets {
    /// Adds one; `false` if there is no room for it.
    pub(super) fn push(&mut self, offset: u32) -> bool {
        match self.offsets.get_mut(self.count) {
            Some(place) => {
                (*place, self.count) = (offset, self.count + 1);
                true
            }
            None => false,
        }
    }

    pub(super) fn as_slice(&self) -> &[u32] {
        self.offsets.get(..self.count).unwrap_or(&self.offsets)
    }
}

/// What a stage is drawn with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StageGroup {
    pub group: wgpu::BindGroup,
    pub offsets: DynamicOffsets,
}

/// How long what a group binds stays what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lifetime {
    /// As long as its objects.
    Lasting,
    /// One draw: it binds a copy made for it.
    OneDraw,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct GroupKey {
    stage: u32,
    bound: Vec<Bound>,
}

struct KeptGroup {
    group: wgpu::BindGroup,
    /// The resources that it binds.
    objects: Vec<ObjectKey>,
}

/// Those made so far.
#[derive(Default)]
pub(super) struct BindGroups {
    kept: HashMap<GroupKey, KeptGroup>,
    /// Groups by the numbers of what they bind, and when that was looked up.
    known: HashMap<BindingsKey, (ResourceEpoch, wgpu::BindGroup)>,
}

impl BindGroups {
    /// The group of a stage that binds this, of these resources.
    pub(super) fn get(
        &mut self,
        gpu: &Gpu,
        stage: &Stage,
        bound: Vec<Bound>,
        objects: impl FnOnce() -> Vec<ObjectKey>,
    ) -> wgpu::BindGroup {
        let key = GroupKey { stage: stage.number, bound };
        if let Some(kept) = self.kept.get(&key) {
            return kept.group.clone();
        }
        if self.kept.len() >= MOST_GROUPS {
            self.kept.clear();
        }
        let group = make_group(gpu, stage, &key.bound);
        self.kept.insert(key, KeptGroup { group: group.clone(), objects: objects() });
        group
    }

    /// The group of these bindings, if nothing has happened to what it binds, and when that was seen last.
    pub(super) fn known(&self, key: &BindingsKey, changes: u64) -> Option<(ResourceEpoch, &wgpu::BindGroup)> {
        let known = self.known.get(key).filter(|(seen, _)| seen.changes == changes);
        known.map(|(seen, group)| (*seen, group))
    }

    /// These bindings have this group until something happens to what it binds.
    pub(super) fn remember(&mut self, key: BindingsKey, epoch: ResourceEpoch, group: wgpu::BindGroup) {
        if self.known.len() >= MOST_GROUPS {
            self.known.clear();
        }
        self.known.insert(key, (epoch, group));
    }

    /// Drops those that bind resources which are gone.
    pub(super) fn retain(&mut self, resources: &DeviceResources) {
        self.known.clear();
        self.kept.retain(|_, kept| kept.objects.iter().all(|key| resources.has(*key)));
    }

    /// Drops those that bind a buffer.
    pub(super) fn forget_buffer(&mut self, buffer: &wgpu::Buffer) {
        let is_it = |bound: &Bound| match bound {
            Bound::Uniform { buffer: bound, .. } | Bound::Storage(bound) => bound == buffer,
            Bound::View(_) | Bound::Sampler(_) => false,
        };
        self.kept.retain(|key, _| !key.bound.iter().any(is_it));
        self.known.clear();
    }

    /// Drops all.
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.kept.clear();
    }
}

/// Makes the group of a stage that binds this.
pub(super) fn make_group(gpu: &Gpu, stage: &Stage, bound: &[Bound]) -> wgpu::BindGroup {
    let entries: Vec<_> = stage
        .slots
        .iter()
        .zip(bound)
        .map(|(slot, bound)| wgpu::BindGroupEntry { binding: slot.binding, resource: bound.as_resource() })
        .collect();
    let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &stage.layout, entries: &entries };
    gpu.device.create_bind_group(&descriptor)
}
