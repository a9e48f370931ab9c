//! What a program does, one instruction at a time.

use super::numbered::numbered;
use super::opcode::Opcode;
use super::operand::Mask;

/// Bytes from a program's first token to a place in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenOffset(pub u32);

/// One instruction. Its operands are kept by the program: [`super::Program::operands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What is done.
    pub opcode: Opcode,
    /// Where its first token lies.
    pub offset: TokenOffset,
    /// What is done to the result, or asked of its computation.
    pub modifiers: Modifiers,
    /// What its opcode leaves open.
    pub control: Control,
    pub(super) operands: OperandRange,
}

/// The operands of an instruction, a predicate behind the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OperandRange {
    pub first: u32,
    pub count: u8,
    pub is_predicated: bool,
}

/// What is done to an instruction's result, or asked of its computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modifiers {
    /// `_sat`: the result is clamped to 0..1.
    pub saturate: bool,
    /// `[precise(xyzw)]`: lanes that must be computed as written.
    pub precise: Mask,
    /// `_pp`: 16 bits are precise enough (Direct3D 9).
    pub partial_precision: bool,
    /// `_centroid`: sampled within the covered part of the pixel (Direct3D 9).
    pub centroid: bool,
    /// `+`: runs together with the instruction before it (ps_1_x).
    pub coissue: bool,
    /// `_x2`, `_d2` …: the power of two that the result is multiplied by (ps_1_x), −3 to 3.
    pub shift: i8,
}

impl Modifiers {
    /// None at all.
    pub const NONE: Self = Self {
        saturate: false,
        precise: Mask::NONE,
        partial_precision: false,
        centroid: false,
        coissue: false,
        shift: 0,
    };
}

/// What an opcode leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Control {
    /// Nothing.
    #[default]
    None,
    /// `if_nz`, `breakc_z`, `discard_nz`: when a condition holds.
    Test(Test),
    /// `if_gt`, `break_ne`, `setp_le`: how two operands are compared.
    Comparison(Comparison),
    /// How a texture or buffer is read.
    Access(ResourceAccess),
    /// What a barrier waits for.
    Sync(SyncFlags),
    /// The function of an interface's table that `fcall` calls.
    Function(u32),
}

numbered! {
    /// When a condition holds.
    pub enum Test {
        /// When all bits are 0.
        Zero = 0, "z";
        /// When any bit is 1.
        NonZero = 1, "nz";
    }

    /// How two operands are compared. The numbers are Direct3D 9's; the emulator's dialect has others.
    pub enum Comparison {
        /// a > b
        Greater = 1, "gt";
        /// a = b
        Equal = 2, "eq";
        /// a ≥ b
        GreaterEqual = 3, "ge";
        /// a < b
        Less = 4, "lt";
        /// a ≠ b
        NotEqual = 5, "ne";
        /// a ≤ b
        LessEqual = 6, "le";
        /// a > b as integers
        IntGreater = 7, "igt";
        /// a = b as integers
        IntEqual = 8, "ieq";
        /// a ≥ b as integers
        IntGreaterEqual = 9, "ige";
        /// a < b as integers
        IntLess = 10, "ilt";
        /// a ≠ b as integers
        IntNotEqual = 11, "ine";
        /// a ≤ b as integers
        IntLessEqual = 12, "ile";
    }

    /// What a resource is, as the texture instructions know it.
    pub enum ResourceDimension {
        /// A typed buffer.
        Buffer = 1, "buffer";
        /// One dimension.
        Texture1D = 2, "texture1d";
        /// Two dimensions.
        Texture2D = 3, "texture2d";
        /// Two dimensions, several samples.
        Texture2DMs = 4, "texture2dms";
        /// Three dimensions.
        Texture3D = 5, "texture3d";
        /// Six faces.
        TextureCube = 6, "texturecube";
        /// Layers of one dimension.
        Texture1DArray = 7, "texture1darray";
        /// Layers of two dimensions.
        Texture2DArray = 8, "texture2darray";
        /// Layers of two dimensions, several samples.
        Texture2DMsArray = 9, "texture2dmsarray";
        /// Layers of six faces.
        TextureCubeArray = 10, "texturecubearray";
        /// Bytes.
        RawBuffer = 11, "raw_buffer";
        /// Structures.
        StructuredBuffer = 12, "structured_buffer";
    }

    /// The type that a lane of a resource is read as.
    pub enum ReturnType {
        /// 0 to 1.
        Unorm = 1, "unorm";
        /// −1 to 1.
        Snorm = 2, "snorm";
        /// Signed integers.
        Sint = 3, "sint";
        /// Unsigned integers.
        Uint = 4, "uint";
        /// Floats.
        Float = 5, "float";
        /// Whatever the structure has there.
        Mixed = 6, "mixed";
        /// Doubles.
        Double = 7, "double";
        /// The upper half of a double.
        Continued = 8, "continued";
        /// Not used.
        Unused = 9, "unused";
    }

    /// The form in which `resinfo` and `sampleinfo` answer.
    pub enum InfoForm {
        /// Floats.
        Float = 0, "";
        /// The reciprocals of the sizes.
        Reciprocal = 1, "_rcpFloat";
        /// Unsigned integers.
        Uint = 2, "_uint";
    }
}

/// How a texture or buffer is read. All of it is optional in the bytecode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceAccess {
    /// Texels added to u, v and w.
    pub offsets: [i8; 3],
    /// What the instruction takes the resource to be, in SM5.
    pub dimension: Option<ResourceDimension>,
    /// Bytes of a structure, where [`Self::dimension`] is a structured buffer.
    pub stride_bytes: u16,
    /// What each lane is read as, in SM5.
    pub return_types: Option<[ReturnType; 4]>,
    /// In which form sizes are answered.
    pub form: InfoForm,
}

impl ResourceAccess {
    /// As the declaration says, without anything added.
    pub const PLAIN: Self =
        Self { offsets: [0; 3], dimension: None, stride_bytes: 0, return_types: None, form: InfoForm::Float };
}

/// What a `sync` waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SyncFlags {
    /// `_uglobal`: all writes to UAVs, for all threads.
    pub uav_global: bool,
    /// `_ugroup`: writes to UAVs, for the group's threads.
    pub uav_group: bool,
    /// `_g`: writes to the group's memory.
    pub group_memory: bool,
    /// `_t`: all threads of the group have come here.
    pub threads: bool,
}
