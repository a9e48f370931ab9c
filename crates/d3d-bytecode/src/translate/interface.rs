//! What translated stages ask of whoever draws with them.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use crate::{SlotSet, Stage};
use trace_base::direct3d::{AddressMode, Comparison, Filter};

/// Both stages of a draw, made for each other: the vertex stage gives exactly what the pixel stage reads.
#[derive(Clone, Debug)]
pub struct TranslatedDraw {
    /// The vertex stage.
    pub vertex: TranslatedStage,
    /// The pixel stage, if there is one.
    pub pixel: Option<TranslatedStage>,
}

/// One stage.
#[derive(Clone, Debug)]
pub struct TranslatedStage {
    /// Its module, with the entry point [`ENTRY_POINT`].
    pub module: naga::Module,
    /// What it uses, all in one group: [`VERTEX_GROUP`] or [`PIXEL_GROUP`].
    pub bindings: Vec<StageBinding>,
    /// Numbers that change from draw to draw, if it uses any.
    pub parameters: Option<ParameterBlock>,
    /// Of a vertex stage, the registers that it reads from vertices: each is the location of its number.
    pub inputs: SlotSet,
    /// Of a pixel stage, the colour targets that it writes.
    pub outputs: SlotSet,
    /// Of a pixel stage, whether it writes depth.
    pub writes_depth: bool,
}

/// The name of every entry point.
pub const ENTRY_POINT: &str = "main";
/// The group of what vertex and compute stages use.
pub const VERTEX_GROUP: u32 = 0;
/// The group of what pixel stages use.
pub const PIXEL_GROUP: u32 = 1;

/// Something that a stage uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StageBinding {
    /// Its number in the stage's group.
    pub binding: u32,
    /// What it is.
    pub kind: StageBindingKind,
}

/// What a stage uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StageBindingKind {
    /// `cb#`: a uniform buffer of `vec4<u32>`s. Zeros stand past the end of what is bound.
    ConstantBuffer {
        /// Its slot.
        slot: u32,
        /// As many bytes as the shader declares.
        size_bytes: u32,
    },
    /// The constants of SM1 to SM3: a uniform buffer with [`LEGACY_FLOATS`] registers of floats, then [`LEGACY_INTEGERS`]
    /// of integers, then [`LEGACY_BOOLEANS`] flags of one word each.
    LegacyConstants {
        /// As many bytes as the shader can name.
        size_bytes: u32,
    },
    /// `t#`, or what an SM1 to SM3 sampler reads.
    Texture {
        /// Its slot.
        slot: u32,
        /// What the shader takes it for.
        dimension: TextureDimension,
        /// What its texels are read as.
        sampled_as: SampledAs,
        /// The binding's number among those of the texture: a device that joins a texture with a sampler has one for each
        /// sampler that reads it, any other device has one.
        pair: u32,
    },
    /// `s#`.
    Sampler {
        /// Its slot.
        slot: u32,
        /// Whether it compares.
        is_comparison: bool,
    },
    /// `t#` that is a buffer: a storage buffer of words that is read.
    ResourceBuffer {
        /// Its slot.
        slot: u32,
    },
    /// `u#` that is a texture: a storage texture.
    StorageTexture {
        /// Its slot.
        slot: u32,
        /// What the shader takes it for: never a cube, and never of several samples.
        dimension: TextureDimension,
        /// How its texels are stored.
        format: naga::StorageFormat,
        /// What is done with them.
        access: StorageAccess,
    },
    /// `u#` that is a buffer: a storage buffer of words that is read and written.
    UnorderedBuffer {
        /// Its slot.
        slot: u32,
    },
    /// The hidden counter of `u#`: a storage buffer of one word.
    Counter {
        /// Its slot.
        slot: u32,
    },
}

/// What a shader does with a storage texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StorageAccess {
    /// It reads texels.
    Read,
    /// It writes texels.
    Write,
    /// Both.
    ReadWrite,
    /// It combines words with those that are there, and may read and write them too.
    Atomic,
}

/// Registers of floats in a [`StageBindingKind::LegacyConstants`].
pub const LEGACY_FLOATS: u32 = 256;
/// Registers of integers.
pub const LEGACY_INTEGERS: u32 = 16;
/// Flags.
pub const LEGACY_BOOLEANS: u32 = 16;
/// All of them in bytes.
pub const LEGACY_CONSTANT_BYTES: u32 = LEGACY_FLOATS * 16 + LEGACY_INTEGERS * 16 + LEGACY_BOOLEANS * 4;

/// What a shader takes a texture for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum TextureDimension {
    D1,
    D2,
    D2Array,
    /// Two dimensions, several samples.
    D2Multisampled,
    D3,
    Cube,
    CubeArray,
}

/// What a texture's texels are read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum SampledAs {
    Float,
    /// Floats that no filter joins.
    UnfilterableFloat,
    Depth,
    Sint,
    Uint,
}

/// What a draw has besides its shaders that its stages depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DrawOptions {
    /// By register: how vertices feed the vertex stage. A register past the end is not fed.
    pub inputs: Vec<InputFeed>,
    /// Where pixels have their centres.
    pub pixel_centers: PixelCenters,
    /// Which alpha, compared with the reference, lets a pixel through, in Direct3D 9.
    pub alpha_test: Option<Comparison>,
    /// What the vertex stage's program leaves open of its resources.
    pub vertex_resources: StageResources,
    /// The same of the pixel stage.
    pub pixel_resources: StageResources,
    /// Whether a whole triangle has the colours of its first vertex, in Direct3D 9.
    pub is_flat: bool,
    /// Whether the pixel stage's second colour is a factor of blending the first one, instead of another target's.
    pub has_second_color: bool,
    /// What hides colours behind the pixel stage, in Direct3D 9 before SM3.
    pub fog: Option<FogRule>,
    /// Of points that have a size, in Direct3D 9: vertices are drawn four times each, numbered from 0, as the corners of a
    /// strip of two triangles.
    pub points: Option<SizedPoints>,
    /// The device's way of cutting triangles by clip distances.
    pub clipping: Clipping,
    /// Depth that the pixel stage gives, dropped where no depth surface is bound to take it.
    pub drops_depth: bool,
    /// Positions, moved from the viewport's clip space to that of the viewport that is set instead of it: the API has none
    /// as large.
    pub moves_viewport: bool,
}

/// The way in which clip distances cut triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Clipping {
    /// The pixel stage drops pixels whose interpolated distance is negative.
    #[default]
    ByPixel,
    /// The pipeline cuts triangles, on devices with the feature.
    ByPipeline,
}

/// What lies on points that have a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SizedPoints {
    /// The texture coordinates of the vertex, all over the point.
    Plain,
    /// Texture coordinates from (0, 0) in the left upper corner to (1, 1) in the right lower one, whatever the vertex has.
    Sprites,
}

/// How much of a color fog leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FogRule {
    /// As much as the vertex stage says (`oFog`); all where it says nothing.
    Vertex,
    /// (end − d) / (end − start) of the distance d.
    Linear,
    /// e to the power of −density × d.
    Exp,
    /// e to the power of −(density × d)².
    Exp2,
}

impl DrawOptions {
    /// What the program of a stage leaves open of its resources.
    pub(super) fn resources_of(&self, stage: Stage) -> &StageResources {
        match stage {
            Stage::Pixel => &self.pixel_resources,
            _ => &self.vertex_resources,
        }
    }
}

/// What a stage's program leaves open of its resources: a declaration says how texels are read, not how they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StageResources {
    /// The slots whose textures hold depth.
    pub depth_textures: SlotSet,
    /// The shapes of the textures that can be bound.
    pub shapes: TextureShapes,
    /// By axis, the slots whose samplers mirror textures once, in Direct3D 9: no graphics API has them, so that stages
    /// mirror the coordinates.
    pub mirrored_once: [SlotSet; 3],
    /// By slot, how samplers read textures of two dimensions that have a colour outside, in Direct3D 9: no graphics API has
    /// all colours, so that stages mix them in. The samplers themselves are bound as if edges went on.
    pub borders: BTreeMap<u32, BorderRule>,
    /// By slot, how samplers join the texels of cubes, in Direct3D 9: within a face, where graphics APIs go on across edges.
    pub cube_filters: BTreeMap<u32, CubeFilter>,
    /// The slots whose textures are cubes, for pixel shaders of SM1, which don't say what they read.
    pub cubes: SlotSet,
    /// Layers of the textures that are bound, on a device that has no views of some of them; `None` on one that has.
    pub stored_layers: Option<StoredLayers>,
    /// Depth that is read texel by texel: the shading language of OpenGL samples depth to compare it, and for nothing else.
    pub loads_depth: bool,
    /// Numbers of mips are parameters: shaders of OpenGL ES 3.0 cannot ask for them.
    pub counted_mips: bool,
    /// Whether the device joins a texture with one sampler, so that a texture that is read through several is bound for each.
    pub joins_samplers: bool,
    /// By slot, samplers that stages carry out themselves, where they read depth or cubes texel by texel.
    pub samplers: BTreeMap<u32, SamplerRule>,
    /// By slot, the formats of `t#` that are typed buffers. One without a format is as if nothing were bound.
    pub typed_buffers: BTreeMap<u32, naga::StorageFormat>,
    /// By slot, the formats of `u#` that are textures or typed buffers. One without a format is as if nothing were bound.
    pub typed_uavs: BTreeMap<u32, naga::StorageFormat>,
}

/// Textures as they lie on a device that shows a texture with all its layers or not at all. A texture of one layer is no
/// array there, and cubes are arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoredLayers {
    /// The slots whose textures are arrays.
    pub arrays: SlotSet,
    /// The slots among them of which a shader sees some layers.
    pub parts: SlotSet,
    /// The slots among them whose layers may be the faces of cubes.
    pub cubes: SlotSet,
}

impl Hash for StoredLayers {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Most draws bind no arrays, and the other slots are among those of arrays.
        let Self { arrays, parts, cubes } = self;
        arrays.is_empty().hash(state);
        if !arrays.is_empty() {
            [arrays, parts, cubes].hash(state);
        }
    }
}

/// A sampler that a stage carries out itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerRule {
    /// Address modes along x and y. A border is read as if edges went on.
    pub address: [AddressMode; 2],
    /// Filter where the texture is made smaller.
    pub min: Filter,
    /// Filter where it is made larger.
    pub mag: Filter,
    /// Filter between mips; without it only `largest_mip` is read.
    pub mip: Option<Filter>,
    /// The largest mip that is read.
    pub largest_mip: u32,
}

impl SamplerRule {
    /// Nearest texels of the nearest mip, clamped: where no sampler is bound.
    pub const NEAREST: Self = Self {
        address: [AddressMode::ClampToEdge; 2],
        min: Filter::Nearest,
        mag: Filter::Nearest,
        mip: Some(Filter::Nearest),
        largest_mip: 0,
    };
}

/// The shapes of the textures that a draw can bind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextureShapes {
    /// Every shape that a shader can declare.
    #[default]
    AsDeclared,
    /// Two dimensions and one sample, as in streams. A declared `Texture1D` reads row 0 of such a texture, a `Texture2DMS`
    /// its only sample.
    TwoDimensional,
}

/// How a sampler reads a texture that has a colour outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BorderRule {
    /// Along which of its axes the colour begins.
    pub axes: [bool; 2],
    /// How texels are joined where the texture is made smaller.
    pub min: Filter,
    /// How texels are joined where it is made larger.
    pub mag: Filter,
    /// How mips are joined; without it only `largest_mip` is read.
    pub mip: Option<Filter>,
    /// The largest mip that is read.
    pub largest_mip: u32,
}

/// The filters of a sampler that reads a cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CubeFilter {
    /// How texels are joined where the texture is made smaller.
    pub min: Filter,
    /// How texels are joined where it is made larger.
    pub mag: Filter,
    /// How mips are joined; without it only `largest_mip` is read.
    pub mip: Option<Filter>,
    /// The largest mip that is read.
    pub largest_mip: u32,
}

/// How vertices feed an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InputFeed {
    /// Not at all: it reads (0, 0, 0, 1).
    #[default]
    Missing,
    /// As floats.
    Float,
    /// As floats of which the first and the third have changed places.
    BlueFirst,
    /// As integers without a sign. SM1 to SM3 read their values as floats.
    Uint,
    /// As integers with a sign. SM1 to SM3 read their values as floats.
    Sint,
    /// As a word of three integers of 10 bits, x in the lowest, whose values are read as floats.
    Packed,
    /// As such a word of integers with a sign, of which the largest is 1.0.
    PackedSnorm,
}

/// Where pixels have their centres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PixelCenters {
    /// Half-way between whole numbers.
    #[default]
    Direct3d10,
    /// On whole numbers: everything moves by half a pixel to the right and down.
    Direct3d9,
}

/// A uniform buffer of numbers that change from draw to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterBlock {
    /// Its number in the stage's group.
    pub binding: u32,
    /// Its size.
    pub size_bytes: u32,
    /// What stands in it, each with its first byte.
    pub parameters: Vec<(Parameter, u32)>,
}

/// A number that changes from draw to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// Two floats: 1 / width and 1 / height of the viewport in pixels.
    HalfPixel,
    /// A float: what alpha is compared with, of 255.
    AlphaReference,
    /// A float: the size in pixels of points whose vertex shader says none.
    PointSize,
    /// Two floats: the smallest and the largest size of points in pixels.
    PointSizeRange,
    /// Two floats: the distances at which linear fog starts and ends.
    FogRange,
    /// A float: how dense exponential fog is.
    FogDensity,
    /// A word: red, green and blue of fog, a byte each from the lowest on.
    FogColor,
    /// A float: what is added to the level of detail of a sampler's textures.
    LodBias {
        /// The sampler.
        slot: u32,
    },
    /// Two words: the colour outside of a sampler's texture, red, green, blue and alpha, a byte each from the lowest on; and
    /// the number of the texture's last mip.
    Border {
        /// The sampler.
        slot: u32,
    },
    /// Two words: the first layer that is seen of a texture, and how many there are.
    TextureLayers {
        /// The texture.
        slot: u32,
    },
    /// A word: the number of a texture's mips that are seen.
    TextureMips {
        /// The texture.
        slot: u32,
    },
    /// Two words: the first word of the part of a storage buffer that is bound, and the part's size in bytes.
    BufferRange {
        /// Which.
        buffer: BoundBuffer,
    },
    /// Two words: the first vertex and the first instance of the draw, from which the API counts and Direct3D does not.
    FirstVertexAndInstance,
    /// Two floats: the factors by which x and y are scaled from the guest's viewport to the one that is set.
    ViewportScale,
    /// Two floats: the distances, times w, by which x and y are moved after that.
    ViewportOffset,
}

/// A storage buffer of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoundBuffer {
    /// `t#`.
    Resource(u32),
    /// `u#`.
    Unordered(u32),
}
