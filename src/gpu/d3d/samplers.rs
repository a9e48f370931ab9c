//! Samplers of both worlds.

use foldhash::HashMap;

use crate::command::{AddressMode, Filter, Location};
use crate::gpu::device::Gpu;
use crate::gpu::error::GpuError;
use crate::replay::Sampler;
use crate::replay::device_rules::Refusal;

/// Levels of detail above this are those of no texture.
const MOST_LEVELS: f32 = 32.0;

/// Those made so far.
#[derive(Default)]
pub(super) struct Samplers {
    made: HashMap<Sampler, wgpu::Sampler>,
}

impl Samplers {
    /// The sampler that samples so.
    pub(super) fn get(&mut self, gpu: &Gpu, sampler: &Sampler, at: Location) -> Result<wgpu::Sampler, GpuError> {
        // What shaders add is not the sampler's, and texels are decoded by views.
        let key = Sampler { lod_bias: Default::default(), decodes_srgb: false, ..*sampler };
        if let Some(made) = self.made.get(&key) {
            return Ok(made.clone());
        }
        let made = make(gpu, &key, at)?;
        self.made.insert(key, made.clone());
        Ok(made)
    }
}

fn make(gpu: &Gpu, sampler: &Sampler, at: Location) -> Result<wgpu::Sampler, GpuError> {
    let border = sampler.address.contains(&AddressMode::Border);
    let unsupported = |what: String| GpuError::Unsupported { what: what.into(), at };
    if border && !gpu.record().features.borders {
        let refusal = Refusal::Lacks { what: "a texture with a border", feature: "ADDRESS_MODE_CLAMP_TO_BORDER" };
        return Err(GpuError::Refusal { refusal, at });
    }
    let border_color = match (border, sampler.border_color) {
        (false, _) => None,
        (true, [0, 0, 0, 0]) => Some(wgpu::SamplerBorderColor::TransparentBlack),
        (true, [0, 0, 0, 255]) => Some(wgpu::SamplerBorderColor::OpaqueBlack),
        (true, [255, 255, 255, 255]) => Some(wgpu::SamplerBorderColor::OpaqueWhite),
        (true, [r, g, b, a]) => {
            return Err(unsupported(format!("a texture with a border of colour ({r}, {g}, {b}, {a})")));
        }
    };
    let [u, v, w] = sampler.address;
    let is_linear = |filter: &Filter| *filter == Filter::Linear;
    let largest = (sampler.largest_mip as f32).min(MOST_LEVELS);
    // Without mips only one level is read. Which filter makes it smaller still depends on the level of detail, so there is
    // a quarter of one left of it, which is rounded off.
    let smallest = if sampler.mip.is_some() { MOST_LEVELS } else { largest + 0.25 };
    let filters = [Some(sampler.min), Some(sampler.mag), sampler.mip];
    let can_be_anisotropic = filters.iter().all(|filter| filter.as_ref().is_some_and(is_linear));
    let filter =
        |filter: Filter| if filter == Filter::Linear { wgpu::FilterMode::Linear } else { wgpu::FilterMode::Nearest };
    Ok(gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("guest sampler"),
        address_mode_u: address_mode(u),
        address_mode_v: address_mode(v),
        address_mode_w: address_mode(w),
        mag_filter: filter(sampler.mag),
        min_filter: filter(sampler.min),
        mipmap_filter: match sampler.mip {
            Some(Filter::Linear) => wgpu::MipmapFilterMode::Linear,
            _ => wgpu::MipmapFilterMode::Nearest,
        },
        lod_min_clamp: largest,
        lod_max_clamp: smallest,
        compare: None,
        anisotropy_clamp: if can_be_anisotropic { u16::from(sampler.anisotropy.max(1)) } else { 1 },
        border_color,
    }))
}

const fn address_mode(mode: AddressMode) -> wgpu::AddressMode {
    match mode {
        // Where it is mirrored once, shaders mirror the coordinates.
        AddressMode::ClampToEdge | AddressMode::MirrorOnce => wgpu::AddressMode::ClampToEdge,
        AddressMode::Repeat => wgpu::AddressMode::Repeat,
        AddressMode::MirrorRepeat => wgpu::AddressMode::MirrorRepeat,
        AddressMode::Border => wgpu::AddressMode::ClampToBorder,
    }
}
