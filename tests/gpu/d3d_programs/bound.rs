//! Bindings of programs, and how Direct3D reads them: textures, samplers, buffers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

type Words = [u32; 4];

/// Storage format of texels, or of elements of a typed buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Rgba16Float,
    Rgba16Sint,
    Rgba8Unorm,
    R32Uint,
    /// Depth, which is read as a float.
    D32Float,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Self::Rgba16Float => "rgba16float",
            Self::Rgba16Sint => "rgba16sint",
            Self::Rgba8Unorm => "rgba8unorm",
            Self::R32Uint => "r32uint",
            Self::D32Float => "d32float",
        }
    }

    pub fn size_words(self) -> usize {
        match self {
            Self::Rgba16Float | Self::Rgba16Sint => 2,
            Self::Rgba8Unorm | Self::R32Uint | Self::D32Float => 1,
        }
    }

    /// Words as they are kept → what a shader reads.
    pub fn read(self, kept: &[u32]) -> Words {
        let half = |lane: usize| (kept[lane / 2] >> (16 * (lane % 2))) as u16;
        match self {
            Self::Rgba16Float => [0, 1, 2, 3].map(|lane| half::f16::from_bits(half(lane)).to_f32().to_bits()),
            Self::Rgba16Sint => [0, 1, 2, 3].map(|lane| i32::from(half(lane) as i16) as u32),
            Self::Rgba8Unorm => kept[0].to_le_bytes().map(|byte| (f32::from(byte) / 255.0).to_bits()),
            Self::R32Uint => [kept[0], 0, 0, 1],
            Self::D32Float => [kept[0], 0, 0, 1.0_f32.to_bits()],
        }
    }

    /// Values that a shader writes → words as they are kept.
    pub fn kept(self, written: Words) -> Vec<u32> {
        match self {
            Self::R32Uint => vec![written[0]],
            Self::Rgba8Unorm => {
                let byte = |word| (f32::from_bits(word).clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
                vec![u32::from_le_bytes(written.map(byte))]
            }
            Self::Rgba16Sint => {
                let half = |word| u32::from((word as i32).clamp(-32768, 32767) as i16 as u16);
                let [x, y, z, w] = written.map(half);
                vec![x | y << 16, z | w << 16]
            }
            Self::Rgba16Float | Self::D32Float => panic!("nothing is written as {self:?}"),
        }
    }

    /// Some texel, by what tells it from the others.
    fn texel(self, seed: u32) -> Vec<u32> {
        let word = scrambled(seed);
        // Whole and half numbers.
        let float = |bits: u32| u32::from(half::f16::from_f32((bits as i32 - 100) as f32 * 0.5).to_bits());
        match self {
            Self::Rgba16Float => {
                let [x, y, z, w] = word.to_le_bytes().map(|byte| float(u32::from(byte)));
                vec![x | y << 16, z | w << 16]
            }
            Self::Rgba16Sint => vec![word, scrambled(word)],
            Self::Rgba8Unorm | Self::R32Uint => vec![word],
            Self::D32Float => vec![((1 + word % 15) as f32 / 16.0).to_bits()],
        }
    }
}

pub fn scrambled(seed: u32) -> u32 {
    let word = seed.wrapping_add(0x9e37_79b9).wrapping_mul(0x85eb_ca6b);
    (word ^ word >> 13).wrapping_mul(0xc2b2_ae35) ^ word >> 16
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    D1,
    D2,
    D2Array,
    D3,
    Cube,
    CubeArray,
}

impl Kind {
    pub const ALL: [Self; 6] = [Self::D1, Self::D2, Self::D2Array, Self::D3, Self::Cube, Self::CubeArray];

    fn name(self) -> &'static str {
        ["1d", "2d", "2d-array", "3d", "cube", "cube-array"][self as usize]
    }

    /// Name of the dimension in a declaration.
    pub fn declared(self) -> &'static str {
        ["texture1d", "texture2d", "texture2darray", "texture3d", "texturecube", "texturecubearray"][self as usize]
    }

    pub fn is_cube(self) -> bool {
        matches!(self, Self::Cube | Self::CubeArray)
    }

    /// Number of lanes that say where, without a layer.
    fn axes(self) -> usize {
        [1, 2, 2, 3, 2, 2][self as usize]
    }

    /// The lane that says which layer.
    fn layer_lane(self) -> Option<usize> {
        match self {
            Self::D2Array => Some(2),
            Self::CubeArray => Some(3),
            _ => None,
        }
    }
}

/// A texture, of which each texel is some function of its place.
#[derive(Clone, Copy, Debug)]
pub struct Texture {
    pub kind: Kind,
    pub format: Format,
    pub size: [u32; 3],
    pub mips: u32,
    /// Layers; faces of cubes.
    pub layers: u32,
}

#[derive(Clone, Copy, Debug)]
pub enum Address {
    Wrap,
    Mirror,
    Clamp,
}

impl Address {
    fn apply(self, index: i32, size: u32) -> u32 {
        let count = size as i32;
        let index = match self {
            Self::Wrap => index.rem_euclid(count),
            Self::Clamp => index.clamp(0, count - 1),
            Self::Mirror => {
                let index = index.rem_euclid(2 * count);
                if index < count { index } else { 2 * count - 1 - index }
            }
        };
        index as u32
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Sampler {
    pub is_linear: bool,
    pub address: [Address; 3],
    pub is_comparison: bool,
}

/// Operands behind the sampler, and the other settings that say which texels are taken.
#[derive(Clone, Copy, Debug)]
pub struct Lookup {
    pub at: [f32; 4],
    pub lod: f32,
    pub offset: [i32; 3],
    /// A texel is 1 where this is less than it.
    pub reference: Option<f32>,
}

/// The texels around a place, and how much of each: on each axis the lower, the upper, and how much of the upper.
struct Footprint {
    mip: u32,
    layer: u32,
    axes: [(u32, u32, f32); 3],
}

impl Texture {
    fn json(&self, slot: u32) -> Value {
        let [width, height, depth] = self.size;
        let mut words = Vec::new();
        for layer in 0..self.layers {
            for mip in 0..self.mips {
                let [width, height, depth] = self.size_of(mip);
                for (z, y, x) in
                    (0..depth).flat_map(|z| (0..height).flat_map(move |y| (0..width).map(move |x| (z, y, x))))
                {
                    words.extend(self.kept(slot, layer, mip, [x, y, z]));
                }
            }
        }
        json!({
            "kind": self.kind.name(), "format": self.format.name(), "width": width, "height": height, "depth": depth,
            "mips": self.mips, "layers": self.layers, "data": hex(&words),
        })
    }

    pub fn size_of(&self, mip: u32) -> [u32; 3] {
        self.size.map(|side| (side >> mip).max(1))
    }

    fn kept(&self, slot: u32, layer: u32, mip: u32, [x, y, z]: [u32; 3]) -> Vec<u32> {
        self.format.texel((((slot * 16 + layer) * 8 + mip) * 16 + z) * 1024 + y * 32 + x)
    }

    /// A texel by its place; zeros outside.
    pub fn load(&self, slot: u32, at: [i32; 4], offset: [i32; 3], mip: u32) -> Words {
        if mip >= self.mips {
            return [0; 4];
        }
        let layer = self.kind.layer_lane().map_or(0, |lane| at[lane]);
        let size = self.size_of(mip);
        let place: [i32; 3] = std::array::from_fn(|axis| match axis < self.kind.axes() {
            true => at[axis] + offset[axis],
            false => 0,
        });
        let is_inside = place.iter().zip(size).all(|(place, size)| (0..size as i32).contains(place));
        match is_inside && (0..self.layers as i32).contains(&layer) {
            true => self.format.read(&self.kept(slot, layer as u32, mip, place.map(|place| place as u32))),
            false => [0; 4],
        }
    }

    /// Where a place lies on a cube: face, and coordinates there.
    fn on_cube([x, y, z]: [f32; 3]) -> (u32, [f32; 3]) {
        let (face, across, down, along) = if x.abs() > y.abs() && x.abs() > z.abs() {
            if x > 0.0 { (0, -z, -y, x) } else { (1, z, -y, x) }
        } else if y.abs() > z.abs() {
            if y > 0.0 { (2, x, z, y) } else { (3, x, -z, y) }
        } else if z > 0.0 {
            (4, x, -y, z)
        } else {
            (5, -x, -y, z)
        };
        let part = |value: f32| (value / along.abs() + 1.0) / 2.0;
        (face, [part(across), part(down), 0.0])
    }

    fn footprint(&self, sampler: &Sampler, lookup: &Lookup, is_gathered: bool) -> Footprint {
        let [x, y, z, _] = lookup.at;
        let layers = if self.kind.is_cube() { self.layers / 6 } else { self.layers };
        let layer = self.kind.layer_lane().map_or(0.0, |lane| lookup.at[lane].round_ties_even());
        let layer = layer.clamp(0.0, (layers - 1) as f32) as u32;
        let (face, at) = if self.kind.is_cube() { Self::on_cube([x, y, z]) } else { (0, [x, y, z]) };
        let mip = if is_gathered { 0 } else { lookup.lod.clamp(0.0, (self.mips - 1) as f32) as u32 };
        let size = self.size_of(mip);
        let axes = std::array::from_fn(|axis| {
            if axis >= self.kind.axes() {
                return (0, 0, 0.0);
            }
            let address = if self.kind.is_cube() { Address::Clamp } else { sampler.address[axis] };
            let place = at[axis] * size[axis] as f32;
            let index = |place: f32| place.floor() as i32 + lookup.offset[axis];
            if !sampler.is_linear && !is_gathered {
                let index = address.apply(index(place), size[axis]);
                return (index, index, 0.0);
            }
            let low = index(place - 0.5);
            let part = place - 0.5 - (place - 0.5).floor();
            (address.apply(low, size[axis]), address.apply(low + 1, size[axis]), part)
        });
        let layer = if self.kind.is_cube() { layer * 6 + face } else { layer };
        Footprint { mip, layer, axes }
    }

    fn texel(&self, slot: u32, footprint: &Footprint, corner: [bool; 3], reference: Option<f32>) -> Words {
        let at: [u32; 3] = std::array::from_fn(|axis| {
            let (low, high, _) = footprint.axes[axis];
            if corner[axis] { high } else { low }
        });
        let found = self.format.read(&self.kept(slot, footprint.layer, footprint.mip, at));
        match reference {
            None => found,
            Some(reference) => [f32::from(reference < f32::from_bits(found[0])).to_bits(); 4],
        }
    }

    /// Result of a sampler.
    pub fn sample(&self, slot: u32, sampler: &Sampler, lookup: &Lookup) -> Words {
        let footprint = self.footprint(sampler, lookup, false);
        let mut sums = [0.0; 4];
        for corner in 0..8 {
            let corner: [bool; 3] = std::array::from_fn(|axis| corner >> axis & 1 == 1);
            let parts =
                footprint.axes.iter().zip(corner).map(|((.., part), high)| if high { *part } else { 1.0 - part });
            let part: f32 = parts.product();
            if part > 0.0 {
                let texel = self.texel(slot, &footprint, corner, lookup.reference);
                sums.iter_mut().zip(texel).for_each(|(sum, lane)| *sum += part * f32::from_bits(lane));
            }
        }
        sums.map(f32::to_bits)
    }

    /// One colour of four texels: the lower left, lower right, upper right and upper left as they lie in memory.
    pub fn gather(&self, slot: u32, sampler: &Sampler, lookup: &Lookup, lane: usize) -> Words {
        let footprint = self.footprint(sampler, lookup, true);
        let corners = [[false, true], [true, true], [true, false], [false, false]];
        corners.map(|[x, y]| self.texel(slot, &footprint, [x, y, false], lookup.reference)[lane])
    }

    /// Sizes of a mip, and how many mips there are; the number of the first that are sizes.
    pub fn info(&self, mip: u32) -> ([u32; 4], usize) {
        let size = self.size_of(mip).map(|side| if mip < self.mips { side } else { 0 });
        let axes = self.kind.axes();
        let mut answer = [0; 4];
        answer[..axes].copy_from_slice(&size[..axes]);
        answer[3] = self.mips;
        match self.kind {
            Kind::D2Array => answer[2] = self.layers,
            Kind::CubeArray => answer[2] = self.layers / 6,
            _ => {}
        }
        (answer, axes)
    }
}

/// Meaning of the words of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    Raw,
    Structured {
        stride: u32,
    },
    Typed(Format),
    /// A texture that is written, of rows of so many texels.
    Texture {
        width: u32,
    },
}

#[derive(Clone, Debug)]
pub struct Buffer {
    pub kind: BufferKind,
    pub words: Vec<u32>,
    pub counter: Option<u32>,
}

impl Buffer {
    /// A buffer of so many words.
    pub fn new(kind: BufferKind, words: u32) -> Self {
        Self { kind, words: (0..words).map(|word| scrambled(word + 77)).collect(), counter: None }
    }

    fn json(&self) -> Value {
        let data = hex(&self.words);
        let mut json = match self.kind {
            BufferKind::Raw => json!({ "kind": "raw", "data": data }),
            BufferKind::Structured { stride } => json!({ "kind": "structured", "stride": stride, "data": data }),
            BufferKind::Typed(format) => json!({ "kind": "buffer", "format": format.name(), "data": data }),
            BufferKind::Texture { width } => {
                let height = self.words.len() as u32 / width;
                json!({ "kind": "2d", "format": "r32uint", "width": width, "height": height, "data": data })
            }
        };
        if let Some(counter) = self.counter {
            json["counter"] = json!(counter);
        }
        json
    }
}

/// Everything that is bound, by the names of slots: `t0`, `s1`, `u2`.
#[derive(Clone, Debug, Default)]
pub struct Bound {
    pub textures: BTreeMap<u32, Texture>,
    pub samplers: BTreeMap<u32, Sampler>,
    pub buffers: BTreeMap<(String, u32), Buffer>,
}

impl Bound {
    /// Description in a case.
    pub fn json(&self) -> BTreeMap<String, Value> {
        let textures = self.textures.iter().map(|(slot, texture)| (format!("t{slot}"), texture.json(*slot)));
        let buffers = self.buffers.iter().map(|((name, slot), buffer)| (format!("{name}{slot}"), buffer.json()));
        let samplers = self.samplers.iter().map(|(slot, sampler)| (format!("s{slot}"), sampler.json()));
        textures.chain(buffers).chain(samplers).collect()
    }
}

impl Sampler {
    fn json(&self) -> Value {
        let filter = if self.is_linear { "linear" } else { "point" };
        let address = self.address.map(|address| match address {
            Address::Wrap => "wrap",
            Address::Mirror => "mirror",
            Address::Clamp => "clamp",
        });
        let mut json = json!({ "min": filter, "mag": filter, "mip": "point", "address": address });
        if self.is_comparison {
            json["compare"] = json!("less");
        }
        json
    }
}

fn hex(words: &[u32]) -> String {
    words.iter().map(|word| format!("{:08x}", word.swap_bytes())).collect()
}
