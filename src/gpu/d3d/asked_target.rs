//! A target that a question is about: what changes it besides draws, what one of its pixels holds, and filling an answer
//! where it is changed.

use wgpu::util::DeviceExt;

use super::clear::scissor_in;
use super::formats::stored_format;
use super::upload::rectangles;
use crate::error::Internal;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::pixels::Size;
use crate::replay::{DeviceOp, DeviceOps, MemoryPiece, TargetView};

/// Left, top, width and height, in pixels.
pub type PixelRectangle = [u32; 4];

impl Renderer {
    /// A pixel's bytes as they are stored in a target, in the order that pictures have.
    pub fn picture_order(&self, target: &TargetView, [a, b, c, d]: [u8; 4]) -> [u8; 4] {
        match stored_format(self.gpu.record(), target.format).remove_srgb_suffix() {
            wgpu::TextureFormat::Bgra8Unorm => [c, b, a, d],
            _ => [a, b, c, d],
        }
    }

    /// Width and height of a target of submissions.
    pub fn size_of_target(&self, target: &TargetView) -> Size {
        let [width_px, height_px] = self.target_size_px(target);
        Size { width_px, height_px }
    }

    /// The target that is drawn on, cleared and read back has this size from here on, and holds anything.
    pub fn ask_about(&mut self, size: Size) -> Result<(), GpuError> {
        self.recorder.open = None;
        self.resize_target(size)
    }

    /// The rectangles of a target that ops write without drawing.
    pub fn written_rectangles(&self, ops: DeviceOps<'_>, target: &TargetView) -> Result<Vec<PixelRectangle>, GpuError> {
        let mut written = Vec::new();
        for op in ops.ops {
            match op {
                DeviceOp::Clear(clear) => {
                    let is_it = |view: &TargetView| is_same(view, target);
                    if clear.aspects.color && clear.targets.colors.iter().flatten().any(is_it) {
                        let [width, height] = self.target_size_px(target);
                        match clear.scissor {
                            Some(scissor) => written.extend(scissor_in(scissor, [width, height])),
                            None => written.push([0, 0, width, height]),
                        }
                    }
                }
                DeviceOp::CopyTexture(copy) => {
                    let part = (copy.to, copy.to_part.mip, copy.to_part.layer);
                    if part == (target.texture, target.mip, target.layer) {
                        let ([x, y], [width, height]) = (copy.to_px, copy.size_px);
                        written.push([x, y, width, height]);
                    }
                }
                DeviceOp::Write { resource, start_bytes, bytes, .. } if *resource == target.texture => {
                    let size: u64 = bytes.iter().map(MemoryPiece::size_bytes).sum();
                    written.extend(self.uploaded(target, *start_bytes..start_bytes.saturating_add(size))?);
                }
                DeviceOp::CreateTexture { texture, .. } if *texture == target.texture => {
                    let [width, height] = self.target_size_px(target);
                    written.push([0, 0, width, height]);
                }
                _ => {}
            }
        }
        Ok(written)
    }

    /// The rectangles of a target that bytes of its texture are.
    fn uploaded(&self, target: &TargetView, bytes: std::ops::Range<u64>) -> Result<Vec<PixelRectangle>, GpuError> {
        let lost = Internal::new("a written texture is not on the GPU");
        let held = self.resources.objects.textures.get(&target.texture).ok_or(lost)?;
        // silent: a context's own back buffer has no bytes
        let Some(found) = held.layout.as_ref().and_then(|layout| layout.subresource(target.mip, target.layer)) else {
            return Ok(Vec::new());
        };
        if bytes.end <= found.start_bytes {
            return Ok(Vec::new());
        }
        let own = bytes.start.saturating_sub(found.start_bytes)..bytes.end - found.start_bytes;
        let (side, texel_bytes) = held.desc.format.block();
        let [width, height] = self.target_size_px(target);
        let in_pixels = rectangles(&found, texel_bytes, own).into_iter().map(|rectangle| {
            let ([x, y], [columns, rows]) = (rectangle.origin.map(|at| at * side), rectangle.size.map(|n| n * side));
            [x, y, columns.min(width.saturating_sub(x)), rows.min(height.saturating_sub(y))]
        });
        Ok(in_pixels.collect())
    }

    /// Fills rectangles of the target that was swapped in.
    pub fn fill_rectangles(&mut self, rectangles: &[PixelRectangle], rgba: [u8; 4]) {
        let whole = [0, 0, self.presenter.size.width_px, self.presenter.size.height_px];
        if rectangles.contains(&whole) {
            self.recorder.open = None;
            self.fill(rgba);
            return;
        }
        for [x, y, width, height] in rectangles.iter().copied().filter(|[.., width, height]| width * height > 0) {
            let pitch = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
            let contents = rgba.repeat((pitch / 4 * height) as usize);
            let buffer = self.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some("a rectangle of one colour"),
                contents: &contents,
                usage: wgpu::BufferUsages::COPY_SRC,
            });
            let layout =
                wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch), rows_per_image: Some(height) };
            let from = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
            let into = wgpu::TexelCopyTextureInfo {
                origin: wgpu::Origin3d { x, y, z: 0 },
                ..self.presenter.target.texture().as_image_copy()
            };
            let extent = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
            self.recorder.open = None;
            self.recorder.batch.after_draws().copy_buffer_to_texture(from, into, extent);
        }
    }

    /// Whether a target is there. The back buffer of a context is made where it is used.
    pub fn has_target(&self, target: &TargetView) -> bool {
        target.size_px.is_none() || self.resources.objects.textures.contains_key(&target.texture)
    }

    /// Takes the pixel out of a target as it is now, as [`Renderer::take_pixel`] does.
    pub fn take_pixel_of(&mut self, target: &TargetView) -> Result<(), GpuError> {
        self.target_texture(target)?;
        self.settle_used(&[target.texture])?;
        let texture = self.texture_to_read(target.texture)?;
        self.recorder.open = None;
        let strip = self.queries.strip.as_mut().ok_or(Internal::new("no pixel was to be read"))?;
        Ok(strip.take_part(self.recorder.batch.after_draws(), &texture, (target.mip, target.layer))?)
    }
}

/// Whether two views are of the same texels.
fn is_same(one: &TargetView, other: &TargetView) -> bool {
    (one.texture, one.mip, one.layer) == (other.texture, other.mip, other.layer)
}
