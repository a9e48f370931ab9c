//! What instructions read and write: registers, their lanes and modifiers, and immediate values.

use std::fmt::{self, Write};
use std::num::NonZeroU32;

use super::version::Version;

/// One operand of an instruction or a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The register or the values.
    pub value: OperandValue,
    /// Which lanes are written, or where each lane that is read comes from.
    pub lanes: Lanes,
    /// What is done to a source when it is read.
    pub modifier: Modifier,
    /// The least precision that the shader's author asked for.
    pub precision: MinPrecision,
}

impl Operand {
    /// The kind of its register; `None` for immediate values.
    #[inline]
    pub fn kind(&self) -> Option<RegisterKind> {
        match &self.value {
            OperandValue::Register(register) => Some(register.kind),
            _ => None,
        }
    }
}

/// What an operand stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandValue {
    /// A register.
    Register(Register),
    /// Four untyped dwords; a single one ([`Lanes::One`]) is repeated.
    Immediate32([u32; 4]),
    /// Two untyped quadwords, each of which takes two lanes.
    Immediate64([u64; 2]),
}

impl OperandValue {
    /// What stands there, in a word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Register(register) => register.kind.name(),
            Self::Immediate32(_) | Self::Immediate64(_) => "an immediate value",
        }
    }
}

/// A register: its kind, and as many indices as the kind takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its kind.
    pub kind: RegisterKind,
    count: u8,
    indices: [Index; 3],
}

impl Register {
    /// A register with at most three indices, the outermost first. What an encoding has in another order is put in this
    /// one: `cb[slot][element]`, `v[vertex][register]`, `x[array][element]`.
    #[inline]
    pub fn new(kind: RegisterKind, indices: &[Index]) -> Self {
        let mut register = Self { kind, count: 0, indices: [Index::default(); 3] };
        for (place, index) in register.indices.iter_mut().zip(indices) {
            *place = *index;
            register.count += 1;
        }
        register
    }

    /// A register without a number, as there is one of its kind.
    #[inline]
    pub fn single(kind: RegisterKind) -> Self {
        Self { kind, count: 0, indices: [Index::default(); 3] }
    }

    /// A register with one index.
    #[inline]
    pub fn numbered(kind: RegisterKind, index: Index) -> Self {
        Self { kind, count: 1, indices: [index, Index::default(), Index::default()] }
    }

    /// Its indices, the outermost first.
    #[inline]
    pub fn indices(&self) -> &[Index] {
        self.indices.get(..usize::from(self.count)).unwrap_or_default()
    }

    /// The outermost index: the slot of a buffer or texture.
    #[inline]
    pub fn first_index(&self) -> Option<Index> {
        self.indices().first().copied()
    }

    /// The innermost index: the register of an input, the element of a buffer.
    #[inline]
    pub fn last_index(&self) -> Option<Index> {
        self.indices().last().copied()
    }
}

/// One index of a register: a number, to which a register's value may be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Index {
    /// The number.
    pub base: u32,
    /// The register whose selected lane is added, as in `cb0[r1.x + 4]`.
    pub relative: Option<RelativeId>,
}

impl Index {
    /// A number alone.
    #[inline]
    pub fn immediate(base: u32) -> Self {
        Self { base, relative: None }
    }
}

/// Where a program keeps the register that an index adds: [`super::Program::relative`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelativeId(NonZeroU32);

impl RelativeId {
    pub(super) fn from_position(position: usize) -> Option<Self> {
        u32::try_from(position).ok()?.checked_add(1).and_then(NonZeroU32::new).map(Self)
    }

    pub(super) fn position(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// One of a register's four lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
    /// The fourth.
    W,
}

impl Lane {
    /// All four in order.
    pub const ALL: [Self; 4] = [Self::X, Self::Y, Self::Z, Self::W];

    /// The lane that the low two bits number.
    #[inline]
    pub fn from_bits(bits: u32) -> Self {
        match bits & 3 {
            0 => Self::X,
            1 => Self::Y,
            2 => Self::Z,
            _ => Self::W,
        }
    }

    /// Its letter.
    pub fn letter(self) -> char {
        match self {
            Self::X => 'x',
            Self::Y => 'y',
            Self::Z => 'z',
            Self::W => 'w',
        }
    }
}

/// A set of lanes to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mask(u8);

impl Mask {
    /// No lane.
    pub const NONE: Self = Self(0);
    /// All four lanes.
    pub const ALL: Self = Self(0xf);

    /// The set that the low four bits hold, x in the lowest.
    #[inline]
    pub fn from_bits(bits: u32) -> Self {
        Self((bits & 0xf) as u8)
    }

    /// Its four bits, x in the lowest.
    #[inline]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Whether a lane is in it.
    #[inline]
    pub fn contains(self, lane: Lane) -> bool {
        self.0 & (1 << lane as u8) != 0
    }

    /// Its lanes in order.
    pub fn lanes(self) -> impl Iterator<Item = Lane> {
        Lane::ALL.into_iter().filter(move |lane| self.contains(*lane))
    }
}

/// Where each of four lanes that are read comes from, two bits a lane, x in the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle(u8);

impl Swizzle {
    /// Each lane from itself.
    pub const IDENTITY: Self = Self(0xe4);

    /// The swizzle that the low eight bits hold.
    #[inline]
    pub fn from_bits(bits: u32) -> Self {
        Self((bits & 0xff) as u8)
    }

    /// Its eight bits.
    #[inline]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The lanes that are read for x, y, z and w.
    #[inline]
    pub fn lanes(self) -> [Lane; 4] {
        [0, 2, 4, 6].map(|shift| Lane::from_bits(u32::from(self.0) >> shift))
    }
}

/// Which lanes of an operand are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lanes {
    /// The operand has no lanes: a sampler, a label, `null`.
    None,
    /// The operand has one lane, which goes without saying: `vPrim`, `oDepth`, `l(1)`.
    One,
    /// These are written.
    Mask(Mask),
    /// Four are read.
    Swizzle(Swizzle),
    /// One is read, for every lane.
    Select(Lane),
}

impl Lanes {
    /// The lanes of a register that an encoding gives none or one: a kind that has only one lane has that, in whatever
    /// way it is said, and one lane of another kind is its first.
    #[inline]
    pub(super) fn of_few(kind: RegisterKind, is_one: bool, has_mask: bool) -> Self {
        match (kind.has_one_lane(), is_one, has_mask) {
            (true, ..) => Self::One,
            (false, false, _) => Self::None,
            (false, true, true) => Self::Mask(Mask::from_bits(1)),
            (false, true, false) => Self::Select(Lane::X),
        }
    }
}

impl fmt::Display for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write = |f: &mut fmt::Formatter<'_>, lanes: &mut dyn Iterator<Item = Lane>| {
            f.write_char('.')?;
            lanes.map(Lane::letter).try_for_each(|letter| f.write_char(letter))
        };
        match *self {
            Self::None | Self::One => Ok(()),
            Self::Mask(mask) => write(f, &mut mask.lanes()),
            Self::Swizzle(swizzle) => write(f, &mut swizzle.lanes().into_iter()),
            Self::Select(lane) => write(f, &mut std::iter::once(lane)),
        }
    }
}

/// What is done to a source when it is read. SM4 and SM5 have [`Self::Negate`], [`Self::Absolute`] and both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Modifier {
    /// Nothing.
    #[default]
    None,
    /// `-r0`
    Negate,
    /// `|r0|`
    Absolute,
    /// `-|r0|`
    NegateAbsolute,
    /// `r0_bias`: x − ½
    Bias,
    /// `-r0_bias`
    NegateBias,
    /// `r0_bx2`: 2 (x − ½)
    Sign,
    /// `-r0_bx2`
    NegateSign,
    /// `1-r0`
    Complement,
    /// `r0_x2`
    Double,
    /// `-r0_x2`
    NegateDouble,
    /// `r0_dz`: x and y divided by z, for texture coordinates
    DivideByZ,
    /// `r0_dw`: x and y divided by w
    DivideByW,
    /// `!p0`: the other truth value
    Not,
}

/// The least precision that an operand of SM5 was declared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MinPrecision {
    /// 32 bits.
    #[default]
    Default,
    /// `min16f`
    Float16,
    /// `min2_8f`
    Float2_8,
    /// `min16i`
    Sint16,
    /// `min16u`
    Uint16,
}

impl MinPrecision {
    /// The precision of an operand's extended token.
    pub(super) fn from_token(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::Default,
            1 => Self::Float16,
            2 => Self::Float2_8,
            4 => Self::Sint16,
            5 => Self::Uint16,
            _ => return None,
        })
    }

    /// Its number in an operand's extended token.
    pub fn token(self) -> u32 {
        match self {
            Self::Default => 0,
            Self::Float16 => 1,
            Self::Float2_8 => 2,
            Self::Sint16 => 4,
            Self::Uint16 => 5,
        }
    }

    /// The precision of a signature's element, which has others for what no token has.
    pub(super) fn from_signature(number: u32) -> Self {
        Self::from_token(number).unwrap_or_default()
    }

    /// Its name in disassembly.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "",
            Self::Float16 => "min16f",
            Self::Float2_8 => "min2_8f",
            Self::Sint16 => "min16i",
            Self::Uint16 => "min16u",
        }
    }
}

macro_rules! register_kinds {
    ($($variant:ident $name:literal $does:literal)*) => {
        /// The kinds of registers. All are four lanes of 32 untyped bits unless said otherwise.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RegisterKind {$(
            #[doc = concat!("`", $name, "`: ", $does)]
            $variant,
        )*}

        impl RegisterKind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Whether its registers have one lane, which goes without saying.
            #[inline]
            pub fn has_one_lane(self) -> bool {
                matches!(
                    self,
                    Self::InputPrimitiveId
                        | Self::OutputDepth
                        | Self::OutputCoverageMask
                        | Self::OutputControlPointId
                        | Self::ForkInstanceId
                        | Self::JoinInstanceId
                        | Self::Coverage
                        | Self::ThreadIdInGroupFlattened
                        | Self::GsInstanceId
                        | Self::OutputDepthGreaterEqual
                        | Self::OutputDepthLessEqual
                        | Self::OutputStencilRef
                        | Self::InnerCoverage
                )
            }

            /// Its name in disassembly, before any index.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The kind of this name. `t` is a texture coordinate in Direct3D 9, a texture since.
            pub fn from_name(name: &str, version: Version) -> Option<Self> {
                let is_other = if version.is_d3d9() { Self::Resource } else { Self::TextureCoordinate };
                Self::ALL.iter().copied().find(|kind| kind.name() == name && *kind != is_other)
            }
        }
    };
}

register_kinds! {
    Temp "r" "a temporary of one thread"
    Input "v" "an input of the stage"
    Output "o" "an output of the stage"
    IndexableTemp "x" "an array of temporaries: array, element"
    Sampler "s" "a sampler; in Direct3D 9 also the texture"
    Resource "t" "a texture or buffer to read"
    ConstantBuffer "cb" "a constant buffer: slot, element"
    ImmediateConstantBuffer "icb" "the program's own constants: element"
    Label "l" "a function of the program"
    InputPrimitiveId "vPrim" "the number of the primitive; one lane"
    OutputDepth "oDepth" "the depth to test and write; one lane"
    Null "null" "a discarded result"
    Rasterizer "rasterizer" "the rasterizer, queried for sample positions"
    OutputCoverageMask "oMask" "the samples to write; one lane"
    Stream "m" "a stream that a geometry shader writes"
    FunctionBody "fb" "a function that an interface may call"
    FunctionTable "ft" "a table of functions"
    Interface "fp" "an interface pointer"
    FunctionInput "fi" "an argument of an interface's function"
    FunctionOutput "fo" "a result of an interface's function"
    OutputControlPointId "vOutputControlPointID" "the control point that a hull shader computes; one lane"
    ForkInstanceId "vForkInstanceID" "the instance of a fork phase; one lane"
    JoinInstanceId "vJoinInstanceID" "the instance of a join phase; one lane"
    InputControlPoint "vicp" "an input of a control point: point, register"
    OutputControlPoint "vocp" "an output of a control point: point, register"
    PatchConstant "vpc" "a value of the whole patch"
    DomainLocation "vDomain" "the place in the patch"
    ThisPointer "this" "the object of an interface's function"
    Uav "u" "a texture or buffer to read and write"
    ThreadGroupMemory "g" "memory of a thread group"
    ThreadId "vThreadID" "the thread in the dispatch"
    ThreadGroupId "vThreadGroupID" "the group in the dispatch"
    ThreadIdInGroup "vThreadIDInGroup" "the thread in its group"
    Coverage "vCoverage" "the samples covered; one lane"
    ThreadIdInGroupFlattened "vThreadIDInGroupFlattened" "the thread in its group as one number; one lane"
    GsInstanceId "vGSInstanceID" "the instance of a geometry shader; one lane"
    OutputDepthGreaterEqual "oDepthGE" "a depth not below the primitive's; one lane"
    OutputDepthLessEqual "oDepthLE" "a depth not above the primitive's; one lane"
    CycleCounter "vCycleCounter" "a clock"
    OutputStencilRef "oStencilRef" "the stencil reference; one lane"
    InnerCoverage "vInnerCoverage" "whether the pixel is fully covered; one lane"
    Predicate "p" "four truth values"
    Constant "c" "a float constant of Direct3D 9"
    ConstantInteger "i" "an integer constant of Direct3D 9"
    ConstantBoolean "b" "a truth value of Direct3D 9; one lane"
    Address "a" "the address register of Direct3D 9 vertex shaders; signed integers"
    LoopCounter "aL" "the counter of the loop; one signed integer"
    TextureCoordinate "t" "a texture coordinate of Direct3D 9 pixel shaders"
    OutputPosition "oPos" "the position of a Direct3D 9 vertex shader"
    OutputFog "oFog" "the fog of a Direct3D 9 vertex shader; one lane"
    OutputPointSize "oPts" "the point size of a Direct3D 9 vertex shader; one lane"
    OutputDiffuse "oD" "a colour of a Direct3D 9 vertex shader"
    OutputTextureCoordinate "oT" "a texture coordinate of a Direct3D 9 vertex shader"
    OutputColor "oC" "a colour of a Direct3D 9 pixel shader"
    PixelPosition "vPos" "the pixel of a Direct3D 9 pixel shader"
    PixelFace "vFace" "the facing of the triangle; one lane, its sign counts"
}
