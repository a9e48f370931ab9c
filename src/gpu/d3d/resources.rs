//! Buffers and textures of submissions on the GPU.

use std::sync::Arc;

use foldhash::HashMap;

use super::buffers::{BufferUse, KnownBytes};
use super::formats::{STORED_TEXEL_BYTES, Texels, is_depth, stored_format, texels};
use super::snapshots::Snapshots;
use crate::command::{CreateTexture, TextureFormat};
use crate::error::Internal;
use crate::gpu::buffers::BatchNumber;
use crate::gpu::device::Gpu;
use crate::replay::device_rules::{Device, counted_layers};
use crate::replay::{ObjectKey, TextureLayout};

/// A buffer.
pub(super) struct DeviceBuffer {
    /// Its bytes, up to the next multiple of 4: those past the end stay 0. Whoever reads or writes it asks the renderer for
    /// it, which brings what is known first, and remembers what is read.
    pub(super) buffer: wgpu::Buffer,
    pub size_bytes: u32,
    /// Its counter, once something counts.
    pub(super) counter: Option<wgpu::Buffer>,
    pub(super) known: Option<KnownBytes>,
    /// Its bytes in a buffer of indices alone, for a device that wants that, and the change after which they were put there.
    pub(super) indices: Option<(u64, wgpu::Buffer)>,
    pub(super) used: BufferUse,
    /// Whether a group that is kept may bind it.
    pub(super) is_in_groups: bool,
    pub(super) snapshots: Snapshots,
}

/// A texture.
pub(super) struct DeviceTexture {
    /// Whoever reads or writes it asks the renderer for it, which remembers that it is used.
    pub(super) texture: wgpu::Texture,
    /// The batch whose commands have used it last.
    pub(super) used_in: Option<BatchNumber>,
    /// The batch that has drawn to it last.
    pub(super) drawn_in: Option<BatchNumber>,
    pub(super) snapshots: Snapshots,
    pub desc: CreateTexture,
    /// How its texels lie in guest memory, as it was written last; nothing of a back buffer, which has none there.
    pub layout: Option<Arc<TextureLayout>>,
    /// Of a format with blocks, the blocks as they lie in guest memory.
    pub blocks: Vec<u8>,
    views: HashMap<ViewKey, wgpu::TextureView>,
}

/// What of a texture is seen, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ViewKey {
    pub format: wgpu::TextureFormat,
    pub dimension: wgpu::TextureViewDimension,
    pub aspect: wgpu::TextureAspect,
    pub mips: (u32, u32),
    pub layers: (u32, u32),
}

impl ViewKey {
    /// One mip of one layer, to be drawn to.
    pub(super) fn of_target(device: &Device, format: TextureFormat, mip: u32, layer: u32) -> Self {
        Self {
            format: stored_format(device, format),
            dimension: wgpu::TextureViewDimension::D2,
            aspect: wgpu::TextureAspect::All,
            mips: (mip, 1),
            layers: (layer, 1),
        }
    }
}

impl DeviceBuffer {
    pub(super) fn new(gpu: &Gpu, size_bytes: u32) -> Self {
        let (known, used) = (KnownBytes::of_size(gpu.record(), size_bytes), BufferUse::default());
        Self {
            buffer: Self::make(gpu, size_bytes),
            size_bytes,
            counter: None,
            known,
            indices: None,
            used,
            is_in_groups: false,
            snapshots: Snapshots::default(),
        }
    }

    /// A buffer of zeros.
    pub(super) fn make(gpu: &Gpu, size_bytes: u32) -> wgpu::Buffer {
        let usage = all_usages(gpu.record());
        let size = u64::from(size_bytes).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        let label = Some("guest buffer");
        gpu.device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
    }

    /// Bytes that one of such a size will have, here and on the GPU.
    pub(super) fn bytes_to_make(device: &Device, size_bytes: u32) -> u64 {
        u64::from(size_bytes) + u64::from(KnownBytes::kept_of_size(device, size_bytes).unwrap_or(0))
    }

    /// Bytes that it has, here and on the GPU.
    pub(super) fn kept_bytes(&self) -> u64 {
        let known = self.known.as_ref().map_or(0, |known| known.bytes().len() as u64);
        let indices = self.indices.as_ref().map_or(0, |(_, indices)| indices.size());
        u64::from(self.size_bytes) + known + indices + self.counter.as_ref().map_or(0, wgpu::Buffer::size)
    }
}

/// All uses that a buffer can have, but for indices where those have buffers of their own.
pub(super) fn all_usages(device: &Device) -> wgpu::BufferUsages {
    let indices = match device.features.shared_index_buffers {
        true => wgpu::BufferUsages::INDEX,
        false => wgpu::BufferUsages::empty(),
    };
    wgpu::BufferUsages::VERTEX
        | wgpu::BufferUsages::UNIFORM
        | wgpu::BufferUsages::STORAGE
        | wgpu::BufferUsages::COPY_SRC
        | wgpu::BufferUsages::COPY_DST
        | indices
}

impl DeviceTexture {
    pub(super) fn new(gpu: &Gpu, desc: CreateTexture, layout: Option<Arc<TextureLayout>>) -> Self {
        let format = stored_format(gpu.record(), desc.format);
        let [width, height] = desc.size_px;
        // Without them a texture is seen as what it is stored as.
        let other = match format.is_srgb() {
            true => format.remove_srgb_suffix(),
            false => format.add_srgb_suffix(),
        };
        // Arrays stay arrays on a device that would take them for cubes.
        let has_views = gpu.record().features.layer_views;
        let depth_or_array_layers = if has_views { desc.layers } else { counted_layers(&desc) };
        let view_formats: &[_] = if gpu.has_view_formats() && !is_depth(desc.format) { &[other] } else { &[] };
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("guest texture"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers },
            mip_level_count: desc.mips,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::COPY_SRC
                | wgpu::TextureUsages::COPY_DST
                | wgpu::TextureUsages::TEXTURE_BINDING
                | wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats,
        });
        let blocks = layout.as_ref().map_or(0, |layout| block_bytes(&desc, layout));
        Self {
            texture,
            used_in: None,
            drawn_in: None,
            snapshots: Snapshots::default(),
            desc,
            layout,
            blocks: vec![0; blocks as usize],
            views: HashMap::default(),
        }
    }

    /// Bytes written to it lie so from here on: what is made again under its handle may have another row pitch. Gives by how
    /// many bytes it has grown.
    pub(super) fn lay_out(&mut self, layout: &Arc<TextureLayout>) -> Result<u64, Internal> {
        if self.layout.as_ref() == Some(layout) {
            return Ok(0);
        }
        let lost = Internal::new("the blocks of a texture are missing");
        let before = self.layout.replace(layout.clone()).ok_or(lost)?;
        // The same bytes at the same place would be other texels.
        self.snapshots.forget();
        if self.blocks.is_empty() {
            return Ok(0);
        }
        let mut blocks = vec![0; layout.total_bytes() as usize];
        for (layer, mip) in (0..self.desc.layers).flat_map(|layer| (0..self.desc.mips).map(move |mip| (layer, mip))) {
            let rows = |layout: &TextureLayout| layout.rows(mip, layer, [0, 0], self.mip_size_px(mip)).into_iter();
            for (from, into) in rows(&before).zip(rows(layout)) {
                let from = self.blocks.get(from.start as usize..from.end as usize).ok_or(lost)?;
                blocks.get_mut(into.start as usize..into.end as usize).ok_or(lost)?.copy_from_slice(from);
            }
        }
        let grown = blocks.len().saturating_sub(self.blocks.len()) as u64;
        self.blocks = blocks;
        Ok(grown)
    }

    /// What shows a part of it.
    pub(super) fn view(&mut self, key: ViewKey) -> &wgpu::TextureView {
        let texture = &self.texture;
        self.views.entry(key).or_insert_with(|| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                label: None,
                format: Some(key.format),
                dimension: Some(key.dimension),
                usage: None,
                aspect: key.aspect,
                base_mip_level: key.mips.0,
                mip_level_count: Some(key.mips.1),
                base_array_layer: key.layers.0,
                array_layer_count: Some(key.layers.1),
            })
        })
    }

    /// Width and height of a mip.
    pub(super) fn mip_size_px(&self, mip: u32) -> [u32; 2] {
        mip_size_px(&self.desc, mip)
    }

    /// Bytes that one that is to be made will have, here and on the GPU.
    pub(super) fn bytes_to_make(desc: &CreateTexture, layout: &TextureLayout) -> u64 {
        texel_bytes(desc) + block_bytes(desc, layout)
    }

    /// Bytes of all its texels as they are stored.
    pub(super) fn stored_bytes(&self) -> u64 {
        texel_bytes(&self.desc) + self.blocks.len() as u64
    }
}

fn mip_size_px(desc: &CreateTexture, mip: u32) -> [u32; 2] {
    desc.size_px.map(|side| side.checked_shr(mip).unwrap_or(0).max(1))
}

/// What the GPU keeps of a texture.
fn texel_bytes(desc: &CreateTexture) -> u64 {
    let mips = (0..desc.mips).map(|mip| mip_size_px(desc, mip).into_iter().map(u64::from).product::<u64>());
    mips.sum::<u64>() * u64::from(counted_layers(desc)) * u64::from(STORED_TEXEL_BYTES)
}

/// What is kept beside it of a format with blocks.
fn block_bytes(desc: &CreateTexture, layout: &TextureLayout) -> u64 {
    match texels(desc.format) {
        Texels::Blocks(_) => layout.total_bytes(),
        _ => 0,
    }
}

/// All of them, by key.
#[derive(Default)]
pub(super) struct DeviceResources {
    pub buffers: HashMap<ObjectKey, DeviceBuffer>,
    pub textures: HashMap<ObjectKey, DeviceTexture>,
}

impl DeviceResources {
    /// What is known of how a resource was written from outside; nothing of one whose bytes are known themselves.
    pub(super) fn snapshots(&mut self, key: ObjectKey) -> Option<&mut Snapshots> {
        match self.buffers.get_mut(&key) {
            Some(buffer) => Some(&mut buffer.snapshots).filter(|_| buffer.known.is_none()),
            None => self.textures.get_mut(&key).map(|texture| &mut texture.snapshots),
        }
    }

    /// Whether a resource is there.
    pub(super) fn has(&self, key: ObjectKey) -> bool {
        self.textures.contains_key(&key) || self.buffers.contains_key(&key)
    }
}
