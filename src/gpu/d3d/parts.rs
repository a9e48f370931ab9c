//! The parts of a renderer that have to do with what draws name, and what becomes of them from batch to batch.

use std::sync::Arc;

use super::ahead::DrawsAhead;
use super::asked_draw::AskedPipelines;
use super::clear::FillPipelines;
use super::groups::BindGroups;
use super::kernels::Kernels;
use super::known_sources::KnownSources;
use super::outline::KnownOutlines;
use super::part_copies::Unnamed;
use super::pipelines::DrawPipelines;
use super::present::ShowPipelines;
use super::programs::Programs;
use super::refused::RefusedResources;
use super::resources::DeviceResources;
use super::samplers::Samplers;
use super::transfer::WrittenBack;
use super::unbound::Unbound;
use super::uniforms::Uniforms;
use crate::gpu::buffers::Buffers;
use crate::gpu::pipelines::PacketPipelines;
use crate::gpu::triangles::CornerIndices;

/// Buffers and textures, and how much of them there is.
#[derive(Default)]
pub(in crate::gpu) struct Resources {
    /// Buffers of packets.
    pub packets: Buffers,
    /// Buffers and textures of submissions.
    pub(super) objects: DeviceResources,
    pub(super) refused: RefusedResources,
    /// Bytes of all objects.
    pub(super) bytes: u64,
    pub(super) unnamed: Unnamed,
    /// A count that grows when an object is made, dropped or moved, or used before its bytes are brought.
    pub(super) changes: u64,
    /// Bytes of buffers and texels that were brought to the GPU.
    pub(super) brought_bytes: u64,
    /// Bytes of versions of buffers that what is recorded may read.
    pub(super) version_bytes: u64,
    pub(super) written_back: WrittenBack,
    /// Whether something was dropped that groups may bind.
    pub(super) has_dropped: bool,
}

impl Resources {
    /// No object was made. Buffers of packets stay.
    pub(in crate::gpu) fn reset_objects(&mut self) {
        (self.objects, self.bytes) = (DeviceResources::default(), 0);
        (self.refused, self.written_back) = Default::default();
        self.version_bytes = 0;
        self.changes += 1;
        self.unnamed = Unnamed::default();
    }

    /// Bytes that it keeps.
    pub(in crate::gpu) fn kept_bytes(&self) -> u64 {
        self.packets.held_bytes() + self.bytes
    }
}

/// Constants, samplers, groups and vertices of draws and dispatches, and stand-ins for slots that hold nothing.
#[derive(Default)]
pub(in crate::gpu) struct Bindings {
    pub(super) uniforms: Uniforms,
    pub(super) samplers: Samplers,
    pub(super) groups: BindGroups,
    pub(super) unbound: Unbound,
    pub(super) sources: KnownSources,
    pub(super) kernels: Kernels,
    pub corner_indices: CornerIndices,
}

impl Bindings {
    /// Nothing of submissions is bound, and what was recorded is dropped.
    pub(in crate::gpu) fn reset(&mut self) {
        self.sources.clear();
        self.groups.clear();
        self.uniforms.recycle();
    }

    /// Bytes of the numbers that draws of this batch read.
    pub(in crate::gpu) fn uniform_bytes(&self) -> u64 {
        self.uniforms.recorded_bytes()
    }
}

/// Programs and pipelines, of draws and of the renderer's own work.
pub(in crate::gpu) struct Pipelines {
    /// Those of packets.
    pub packets: PacketPipelines,
    pub(super) programs: Arc<Programs>,
    pub(super) draws: Arc<DrawPipelines>,
    pub(super) outlines: KnownOutlines,
    /// Draws that will come, if somebody looks ahead.
    pub(super) ahead: Option<Arc<DrawsAhead>>,
    /// Programs and pipelines that had been let go when the last batch was submitted.
    pub(super) let_go: u64,
    /// Pipelines that were not made yet when their draws came.
    pub(super) late: u32,
    pub(super) asked: AskedPipelines,
    pub(super) fills: FillPipelines,
    pub(super) shows: ShowPipelines,
}

impl Pipelines {
    pub(in crate::gpu) fn new(packets: PacketPipelines) -> Self {
        Self {
            packets,
            programs: Arc::default(),
            draws: Arc::default(),
            outlines: KnownOutlines::default(),
            ahead: None,
            let_go: 0,
            late: 0,
            asked: AskedPipelines::default(),
            fills: FillPipelines::default(),
            shows: ShowPipelines::default(),
        }
    }

    /// No draw of submissions is known. Programs and pipelines are kept.
    pub(in crate::gpu) fn reset(&mut self) {
        self.outlines = KnownOutlines::default();
        self.shows.forget_last();
    }

    /// Lets go of outlines, as a batch is submitted, if what they hold was let go.
    pub(super) fn submit(&mut self) {
        if self.has_let_go() {
            self.let_go = self.count_let_go();
            // They hold what was let go; and what they hold seems unused.
            self.outlines = KnownOutlines::default();
            self.asked.forget();
        }
    }

    /// Makes what a coming draw needs, if one waits for it.
    pub(super) fn help_ahead(&self) -> bool {
        self.ahead.as_ref().is_some_and(|ahead| ahead.help())
    }

    fn count_let_go(&self) -> u64 {
        self.programs.let_go() + self.draws.let_go()
    }

    /// Whether programs or pipelines were let go since the last batch was submitted.
    pub(super) fn has_let_go(&self) -> bool {
        self.let_go != self.count_let_go()
    }
}
