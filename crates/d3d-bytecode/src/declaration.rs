//! What a program says about itself before it does anything.

use super::instruction::{ResourceDimension, ReturnType, TokenOffset};
use super::numbered::numbered;
use super::opcode::Opcode;
use super::operand::Operand;
use super::signature::SystemValue;

/// One declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Which one.
    pub opcode: Opcode,
    /// Where its first token lies.
    pub offset: TokenOffset,
    /// What it says.
    pub kind: DeclarationKind,
}

/// A run of the dwords that a program keeps: [`super::Program::data`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataRange {
    pub(super) first: u32,
    pub(super) count: u32,
}

/// What a declaration says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclarationKind {
    /// `dcl_globalFlags`
    GlobalFlags(GlobalFlags),
    /// A number alone: `dcl_temps`, `dcl_maxout`, the counts of control points and of instances.
    Count(u32),
    /// `dcl_indexableTemp x0[8], 4`
    IndexableTemp {
        /// The array's number.
        array: u32,
        /// How many registers it has.
        elements: u32,
        /// How many lanes each has.
        lanes: u32,
    },
    /// An input or an output of SM4 and SM5.
    Register {
        /// The register, with the lanes that are used.
        register: Operand,
        /// How a pixel's value comes from its triangle's vertices.
        interpolation: Option<Interpolation>,
        /// What the pipeline itself makes or takes there.
        system_value: Option<SystemValue>,
    },
    /// `dcl_indexRange v1.xyzw, 4`: registers that may be indexed.
    IndexRange {
        /// The first of them.
        register: Operand,
        /// How many.
        count: u32,
    },
    /// `dcl_constantbuffer cb0[12]`
    ConstantBuffer {
        /// Slot, and size in registers of 16 bytes.
        register: Operand,
        /// How it is indexed.
        access: ConstantBufferAccess,
    },
    /// Constants that the program brings along, four dwords each.
    ImmediateConstantBuffer(DataRange),
    /// `dcl_sampler s0`
    Sampler {
        /// The sampler.
        register: Operand,
        /// What it is for.
        mode: SamplerMode,
    },
    /// A texture or buffer, `t#` or `u#`.
    Resource {
        /// Its slot.
        register: Operand,
        /// What it is.
        shape: ResourceShape,
        /// What is asked of a `u#`.
        flags: UavFlags,
    },
    /// `g#`: memory of a thread group.
    GroupMemory {
        /// Which.
        register: Operand,
        /// Bytes of an element; `None` in raw memory.
        stride_bytes: Option<u32>,
        /// Elements; in raw memory bytes.
        count: u32,
    },
    /// `dcl_thread_group 8, 8, 1`
    ThreadGroup([u32; 3]),
    /// `dcl_inputprimitive`
    InputPrimitive(InputPrimitive),
    /// `dcl_outputtopology`
    OutputTopology(OutputTopology),
    /// `dcl_stream m0`
    Stream(Operand),
    /// `dcl_tessellator_domain`
    TessDomain(TessDomain),
    /// `dcl_tessellator_partitioning`
    TessPartitioning(TessPartitioning),
    /// `dcl_tessellator_output_primitive`
    TessOutputPrimitive(TessOutputPrimitive),
    /// `dcl_hs_max_tessfactor`: a float's bits.
    MaxTessFactor(u32),
    /// `dcl_function_table ft0 = { fb0, fb1 }`
    FunctionTable {
        /// The table's number.
        table: u32,
        /// The numbers of its functions.
        bodies: DataRange,
    },
    /// `dcl_interface fp0[1][2] = { ft0, ft1 }`
    Interface {
        /// The pointer's number.
        pointer: u32,
        /// Whether its index is computed.
        is_dynamic: bool,
        /// How many call sites a table has.
        table_length: u32,
        /// How many pointers there are.
        array_length: u32,
        /// The numbers of the tables that it may point to.
        tables: DataRange,
    },
    /// `dcl_texcoord1 v0`: an input or output of Direct3D 9.
    Semantic {
        /// The register, with the lanes that are used.
        register: Operand,
        /// What it means.
        usage: Usage,
        /// The usage's number.
        usage_index: u32,
        /// `_centroid`: sampled within the covered part of the pixel.
        centroid: bool,
        /// `_pp`: 16 bits are precise enough.
        partial_precision: bool,
    },
    /// `dcl_2d s0`: a sampler of Direct3D 9 with its texture.
    TextureStage {
        /// The sampler.
        register: Operand,
        /// What the texture is.
        texture: StageTexture,
    },
    /// `def c0, 1, 2, 3, 4`, `defi`, `defb`: a constant of Direct3D 9, as bits.
    Constant {
        /// The constant.
        register: Operand,
        /// Its four lanes; of a truth value the first.
        value: [u32; 4],
    },
}

/// What a texture or buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceShape {
    /// A texture, or a buffer of typed elements.
    Typed {
        /// Its dimension.
        dimension: ResourceDimension,
        /// How many samples it has, where it has several.
        samples: u32,
        /// What each lane is read as.
        return_types: [ReturnType; 4],
    },
    /// Bytes.
    Raw,
    /// Structures.
    Structured {
        /// Bytes of a structure.
        stride_bytes: u32,
    },
}

/// What is asked of a `u#`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct UavFlags {
    /// `_glc`: writes are seen by all groups at once.
    pub globally_coherent: bool,
    /// `_rov`: pixels write in the order of their triangles.
    pub rasterizer_ordered: bool,
    /// `_opc`: counted in order.
    pub has_counter: bool,
}

/// `dcl_globalFlags`, bits 11 to 19 of the token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GlobalFlags(u32);

impl GlobalFlags {
    /// Names of the flags, from the lowest bit up.
    pub const NAMES: [&'static str; 9] = [
        "refactoringAllowed",
        "enableDoublePrecisionFloatOps",
        "forceEarlyDepthStencil",
        "enableRawAndStructuredBuffers",
        "skipOptimization",
        "enableMinimumPrecision",
        "enable11_1DoubleExtensions",
        "enable11_1ShaderExtensions",
        "allResourcesBound",
    ];

    /// The flags that the low bits hold.
    pub fn from_bits(bits: u32) -> Self {
        Self(bits & ((1 << Self::NAMES.len()) - 1))
    }

    /// Their bits.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Whether depth and stencil are tested before the pixel shader runs.
    pub fn forces_early_depth_stencil(self) -> bool {
        self.0 & 4 != 0
    }

    /// Whether arithmetic may be reordered.
    pub fn allows_refactoring(self) -> bool {
        self.0 & 1 != 0
    }

    /// The names of those that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().enumerate().filter(move |(bit, _)| self.0 & (1 << bit) != 0).map(|(_, name)| name)
    }
}

numbered! {
    /// How a pixel's value comes from its triangle's vertices.
    pub enum Interpolation {
        /// Nothing said.
        Undefined = 0, "undefined";
        /// One vertex's value.
        Constant = 1, "constant";
        /// In perspective.
        Linear = 2, "linear";
        /// In perspective, within the covered part of the pixel.
        LinearCentroid = 3, "linear centroid";
        /// On the screen.
        LinearNoPerspective = 4, "linear noperspective";
        /// On the screen, within the covered part of the pixel.
        LinearNoPerspectiveCentroid = 5, "linear noperspective centroid";
        /// In perspective, at each sample.
        LinearSample = 6, "linear sample";
        /// On the screen, at each sample.
        LinearNoPerspectiveSample = 7, "linear noperspective sample";
    }

    /// How a constant buffer is indexed.
    pub enum ConstantBufferAccess {
        /// By numbers alone.
        ImmediateIndexed = 0, "immediateIndexed";
        /// By registers too.
        DynamicIndexed = 1, "dynamicIndexed";
    }

    /// What a sampler is for.
    pub enum SamplerMode {
        /// Filtering.
        Default = 0, "mode_default";
        /// Comparing with a reference.
        Comparison = 1, "mode_comparison";
        /// Filtering one bit.
        Mono = 2, "mode_mono";
    }

    /// What a geometry shader is given. 8 to 39 are patches of 1 to 32 control points: [`InputPrimitive`].
    pub enum BasicPrimitive {
        /// A point.
        Point = 1, "point";
        /// A line.
        Line = 2, "line";
        /// A triangle.
        Triangle = 3, "triangle";
        /// A line and its neighbours.
        LineAdjacency = 6, "lineadj";
        /// A triangle and its neighbours.
        TriangleAdjacency = 7, "triangleadj";
    }

    /// What a geometry shader makes.
    pub enum OutputTopology {
        /// Points.
        PointList = 1, "pointlist";
        /// A strip of lines.
        LineStrip = 3, "linestrip";
        /// A strip of triangles.
        TriangleStrip = 5, "trianglestrip";
    }

    /// What a patch is.
    pub enum TessDomain {
        /// Lines.
        Isoline = 1, "domain_isoline";
        /// A triangle.
        Triangle = 2, "domain_tri";
        /// A quad.
        Quad = 3, "domain_quad";
    }

    /// How a patch is cut.
    pub enum TessPartitioning {
        /// Into whole numbers.
        Integer = 1, "partitioning_integer";
        /// Into powers of two.
        PowerOfTwo = 2, "partitioning_pow2";
        /// Into odd numbers, by fractions.
        FractionalOdd = 3, "partitioning_fractional_odd";
        /// Into even numbers, by fractions.
        FractionalEven = 4, "partitioning_fractional_even";
    }

    /// What the tessellator makes.
    pub enum TessOutputPrimitive {
        /// Points.
        Point = 1, "output_point";
        /// Lines.
        Line = 2, "output_line";
        /// Triangles, clockwise.
        TriangleClockwise = 3, "output_triangle_cw";
        /// Triangles, counter-clockwise.
        TriangleCounterClockwise = 4, "output_triangle_ccw";
    }

    /// What an input or output of Direct3D 9 means.
    pub enum Usage {
        /// A position.
        Position = 0, "position";
        /// Weights of bones.
        BlendWeight = 1, "blendweight";
        /// Numbers of bones.
        BlendIndices = 2, "blendindices";
        /// A normal.
        Normal = 3, "normal";
        /// The size of a point.
        PointSize = 4, "psize";
        /// A texture coordinate.
        TexCoord = 5, "texcoord";
        /// A tangent.
        Tangent = 6, "tangent";
        /// A binormal.
        Binormal = 7, "binormal";
        /// A tessellation factor.
        TessFactor = 8, "tessfactor";
        /// A position that is already on the screen.
        PositionT = 9, "positiont";
        /// A colour.
        Color = 10, "color";
        /// Fog.
        Fog = 11, "fog";
        /// A depth.
        Depth = 12, "depth";
        /// A displacement.
        Sample = 13, "sample";
    }

    /// What the texture of a Direct3D 9 sampler is.
    pub enum StageTexture {
        /// Nothing said.
        Unknown = 0, "unknown";
        /// Two dimensions.
        Texture2D = 2, "2d";
        /// Six faces.
        Cube = 3, "cube";
        /// Three dimensions.
        Volume = 4, "volume";
    }
}

/// What a geometry shader is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputPrimitive {
    /// Points, lines or triangles.
    Basic(BasicPrimitive),
    /// A patch of so many control points, 1 to 32.
    Patch(u8),
}

impl InputPrimitive {
    /// The primitive with this number in a token.
    pub fn from_number(number: u32) -> Option<Self> {
        match number {
            8..=39 => Some(Self::Patch((number - 7) as u8)),
            _ => BasicPrimitive::from_number(number).map(Self::Basic),
        }
    }

    /// How many vertices one has.
    pub fn vertices(self) -> u32 {
        match self {
            Self::Basic(BasicPrimitive::Point) => 1,
            Self::Basic(BasicPrimitive::Line) => 2,
            Self::Basic(BasicPrimitive::Triangle) => 3,
            Self::Basic(BasicPrimitive::LineAdjacency) => 4,
            Self::Basic(BasicPrimitive::TriangleAdjacency) => 6,
            Self::Patch(points) => u32::from(points),
        }
    }
}
