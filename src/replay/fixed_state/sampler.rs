//! What both worlds' samplers come to.

use super::d3d9::rgba;
use super::resolved::FloatBits;
use super::state_values::SamplerStates;
use crate::command::sampler_state_number as states;
use crate::command::{AddressMode, CreateSampler, Filter};

/// The most samples along the longer side of a pixel's footprint.
const MOST_ANISOTROPY: u32 = 16;

/// How a texture is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// What is read outside of the texture, by axis.
    pub address: [AddressMode; 3],
    /// Filter where the texture is made smaller.
    pub min: Filter,
    /// Filter where the texture is made larger.
    pub mag: Filter,
    /// Filter between mips; without it only `largest_mip` is read.
    pub mip: Option<Filter>,
    /// The largest mip that is read, 0 for the whole texture.
    pub largest_mip: u32,
    /// What is added to the number of the mip that is read.
    pub lod_bias: FloatBits,
    /// The most samples along the longer side of a pixel's footprint; 1 without anisotropic filtering.
    pub anisotropy: u8,
    /// Red, green, blue and alpha of what is outside, where an axis has a border; 0 where none has.
    pub border_color: [u8; 4],
    /// Whether texels are decoded from sRGB.
    pub decodes_srgb: bool,
}

impl Sampler {
    /// What an empty slot samples with in Direct3D 10 and 11: nearest texels of the nearest mip, clamped.
    pub const D3D11_UNBOUND: Self = Self::of_three(Filter::Nearest, [AddressMode::ClampToEdge; 3]);

    const fn of_three(filter: Filter, address: [AddressMode; 3]) -> Self {
        Self {
            address,
            min: filter,
            mag: filter,
            mip: Some(filter),
            largest_mip: 0,
            lod_bias: FloatBits::ZERO,
            anisotropy: 1,
            border_color: [0; 4],
            decodes_srgb: false,
        }
    }

    /// What a sampler of Direct3D 10 and 11 comes to: one filter for magnification, minification and mips.
    pub const fn of_d3d11(sampler: &CreateSampler) -> Self {
        Self::of_three(sampler.filter, sampler.address)
    }

    /// What Direct3D 9's sampler states come to.
    ///
    /// * No filter (`NONE`) is the nearest texel where texels are joined. The pyramidal, Gaussian and convolving ones,
    ///   which few devices have, are linear.
    /// * Anisotropy counts only where magnification or minification asks for it, up to 16.
    /// * The bias of mips and any border colour count; the emulator's executor passes over the bias, and takes the
    ///   nearest of three colours.
    pub fn of_d3d9(set: &SamplerStates) -> Self {
        let address = [states::ADDRESS_U, states::ADDRESS_V, states::ADDRESS_W].map(|axis| address(set.get(axis)));
        let filters = [states::MIN_FILTER, states::MAG_FILTER, states::MIP_FILTER].map(|filter| set.get(filter));
        let [min, mag, mip] = filters.map(filter);
        let [of_min, of_mag, _] = filters;
        let is_anisotropic = of_min == ANISOTROPIC || of_mag == ANISOTROPIC;
        let anisotropy = set.get(states::MAX_ANISOTROPY).clamp(1, MOST_ANISOTROPY) as u8;
        let border_color = rgba(set.get(states::BORDER_COLOR));
        Self {
            address,
            min: min.unwrap_or(Filter::Nearest),
            mag: mag.unwrap_or(Filter::Nearest),
            mip,
            largest_mip: set.get(states::MAX_MIP_LEVEL),
            lod_bias: FloatBits::from_bits(set.get(states::MIP_LOD_BIAS)),
            anisotropy: if is_anisotropic { anisotropy } else { 1 },
            border_color: if address.contains(&AddressMode::Border) { border_color } else { [0; 4] },
            decodes_srgb: set.get(states::SRGB_TEXTURE) != 0,
        }
    }
}

impl Sampler {
    /// This sampler with edges that go on where it has a border, for whoever mixes in the colour outside. Its mips are then
    /// chosen one by one.
    #[must_use]
    pub fn without_border(&self) -> Self {
        if !self.address.contains(&AddressMode::Border) {
            return *self;
        }
        let inside = |mode| if mode == AddressMode::Border { AddressMode::ClampToEdge } else { mode };
        let mip = if self.min == self.mag { self.mip } else { self.mip.map(|_| Filter::Nearest) };
        Self { address: self.address.map(inside), border_color: [0; 4], mip, ..*self }
    }
}

const ANISOTROPIC: u32 = 3;

// What a state comes to is always one of its enumeration, so the last arm of these stands for its values alone.

fn filter(value: u32) -> Option<Filter> {
    match value {
        0 => None,
        1 => Some(Filter::Nearest),
        _ => Some(Filter::Linear),
    }
}

fn address(value: u32) -> AddressMode {
    match value {
        2 => AddressMode::MirrorRepeat,
        3 => AddressMode::ClampToEdge,
        4 => AddressMode::Border,
        5 => AddressMode::MirrorOnce,
        _ => AddressMode::Repeat,
    }
}
