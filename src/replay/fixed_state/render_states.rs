//! Direct3D 9's render states: all that it defines, with their defaults, and what a context has set of them.

use super::numbered::{Meaning, NumberedState, StateTable, StateValues};

use Meaning::{Bits, Channels, Color, Flag, Float, LaterChannels, Number, OneOf, Samples};

/// Numbers below this one are kept.
const COUNT: usize = 256;

const ONE: u32 = 1_f32.to_bits();
const POINT_SIZE_MAX: u32 = 64_f32.to_bits();

const DEPTH_BUFFER: Meaning = OneOf(&[(0, "FALSE"), (1, "TRUE"), (2, "USEW")]);
const FILL: Meaning = OneOf(&[(1, "POINT"), (2, "WIREFRAME"), (3, "SOLID")]);
const SHADE: Meaning = OneOf(&[(1, "FLAT"), (2, "GOURAUD"), (3, "PHONG")]);
const CULL: Meaning = OneOf(&[(1, "NONE"), (2, "CW"), (3, "CCW")]);
const COMPARE: Meaning = OneOf(&[
    (1, "NEVER"),
    (2, "LESS"),
    (3, "EQUAL"),
    (4, "LESSEQUAL"),
    (5, "GREATER"),
    (6, "NOTEQUAL"),
    (7, "GREATEREQUAL"),
    (8, "ALWAYS"),
]);
/// Two of them set the destination's factor as well, so they are none of a destination's own.
const SOURCE_BLEND: Meaning = OneOf(&[
    (1, "ZERO"),
    (2, "ONE"),
    (3, "SRCCOLOR"),
    (4, "INVSRCCOLOR"),
    (5, "SRCALPHA"),
    (6, "INVSRCALPHA"),
    (7, "DESTALPHA"),
    (8, "INVDESTALPHA"),
    (9, "DESTCOLOR"),
    (10, "INVDESTCOLOR"),
    (11, "SRCALPHASAT"),
    (12, "BOTHSRCALPHA"),
    (13, "BOTHINVSRCALPHA"),
    (14, "BLENDFACTOR"),
    (15, "INVBLENDFACTOR"),
    (16, "SRCCOLOR2"),
    (17, "INVSRCCOLOR2"),
]);
const DESTINATION_BLEND: Meaning = OneOf(&[
    (1, "ZERO"),
    (2, "ONE"),
    (3, "SRCCOLOR"),
    (4, "INVSRCCOLOR"),
    (5, "SRCALPHA"),
    (6, "INVSRCALPHA"),
    (7, "DESTALPHA"),
    (8, "INVDESTALPHA"),
    (9, "DESTCOLOR"),
    (10, "INVDESTCOLOR"),
    (11, "SRCALPHASAT"),
    (14, "BLENDFACTOR"),
    (15, "INVBLENDFACTOR"),
    (16, "SRCCOLOR2"),
    (17, "INVSRCCOLOR2"),
]);
const BLEND_OP: Meaning = OneOf(&[(1, "ADD"), (2, "SUBTRACT"), (3, "REVSUBTRACT"), (4, "MIN"), (5, "MAX")]);
const STENCIL_OP: Meaning = OneOf(&[
    (1, "KEEP"),
    (2, "ZERO"),
    (3, "REPLACE"),
    (4, "INCRSAT"),
    (5, "DECRSAT"),
    (6, "INVERT"),
    (7, "INCR"),
    (8, "DECR"),
]);
const FOG: Meaning = OneOf(&[(0, "NONE"), (1, "EXP"), (2, "EXP2"), (3, "LINEAR")]);
const MATERIAL: Meaning = OneOf(&[(0, "MATERIAL"), (1, "COLOR1"), (2, "COLOR2")]);
const VERTEX_BLEND: Meaning =
    OneOf(&[(0, "DISABLE"), (1, "1WEIGHTS"), (2, "2WEIGHTS"), (3, "3WEIGHTS"), (255, "TWEENING"), (256, "0WEIGHTS")]);
const PATCH_EDGE: Meaning = OneOf(&[(0, "DISCRETE"), (1, "CONTINUOUS")]);
const DEBUG_TOKEN: Meaning = OneOf(&[(0, "ENABLE"), (1, "DISABLE")]);
const DEGREE: Meaning = OneOf(&[(1, "LINEAR"), (2, "QUADRATIC"), (3, "CUBIC"), (5, "QUINTIC")]);

/// Makes constants of the states' numbers, and the table of them.
macro_rules! render_states {
    ($($number:literal $name:ident $meaning:expr, $default:expr;)*) => {
        /// The states' numbers.
        #[allow(dead_code, reason = "the list is Direct3D's, as a whole")]
        pub(super) mod number {
            $(pub(in super::super) const $name: u32 = $number;)*
        }

        /// Every render state that Direct3D 9 defines, in the order of their numbers.
        pub(super) static RENDER_STATES: [NumberedState; [$($number),*].len()] = [$(NumberedState {
            number: $number,
            name: concat!("D3DRS_", stringify!($name)),
            meaning: $meaning,
            default: $default,
        }),*];
    };
}

// The depth test's default is on: the device has a depth buffer of its own, and without one nothing is tested.
render_states! {
    7 ZENABLE DEPTH_BUFFER, 1;
    8 FILLMODE FILL, 3;
    9 SHADEMODE SHADE, 2;
    14 ZWRITEENABLE Flag, 1;
    15 ALPHATESTENABLE Flag, 0;
    16 LASTPIXEL Flag, 1;
    19 SRCBLEND SOURCE_BLEND, 2;
    20 DESTBLEND DESTINATION_BLEND, 1;
    22 CULLMODE CULL, 3;
    23 ZFUNC COMPARE, 4;
    24 ALPHAREF Number, 0;
    25 ALPHAFUNC COMPARE, 8;
    26 DITHERENABLE Flag, 0;
    27 ALPHABLENDENABLE Flag, 0;
    28 FOGENABLE Flag, 0;
    29 SPECULARENABLE Flag, 0;
    34 FOGCOLOR Color, 0;
    35 FOGTABLEMODE FOG, 0;
    36 FOGSTART Float, 0;
    37 FOGEND Float, ONE;
    38 FOGDENSITY Float, ONE;
    48 RANGEFOGENABLE Flag, 0;
    52 STENCILENABLE Flag, 0;
    53 STENCILFAIL STENCIL_OP, 1;
    54 STENCILZFAIL STENCIL_OP, 1;
    55 STENCILPASS STENCIL_OP, 1;
    56 STENCILFUNC COMPARE, 8;
    57 STENCILREF Number, 0;
    58 STENCILMASK Bits, u32::MAX;
    59 STENCILWRITEMASK Bits, u32::MAX;
    60 TEXTUREFACTOR Color, u32::MAX;
    128 WRAP0 Bits, 0;
    129 WRAP1 Bits, 0;
    130 WRAP2 Bits, 0;
    131 WRAP3 Bits, 0;
    132 WRAP4 Bits, 0;
    133 WRAP5 Bits, 0;
    134 WRAP6 Bits, 0;
    135 WRAP7 Bits, 0;
    136 CLIPPING Flag, 1;
    137 LIGHTING Flag, 1;
    139 AMBIENT Color, 0;
    140 FOGVERTEXMODE FOG, 0;
    141 COLORVERTEX Flag, 1;
    142 LOCALVIEWER Flag, 1;
    143 NORMALIZENORMALS Flag, 0;
    145 DIFFUSEMATERIALSOURCE MATERIAL, 1;
    146 SPECULARMATERIALSOURCE MATERIAL, 2;
    147 AMBIENTMATERIALSOURCE MATERIAL, 0;
    148 EMISSIVEMATERIALSOURCE MATERIAL, 0;
    151 VERTEXBLEND VERTEX_BLEND, 0;
    152 CLIPPLANEENABLE Bits, 0;
    154 POINTSIZE Float, ONE;
    155 POINTSIZE_MIN Float, ONE;
    156 POINTSPRITEENABLE Flag, 0;
    157 POINTSCALEENABLE Flag, 0;
    158 POINTSCALE_A Float, ONE;
    159 POINTSCALE_B Float, 0;
    160 POINTSCALE_C Float, 0;
    161 MULTISAMPLEANTIALIAS Flag, 1;
    162 MULTISAMPLEMASK Samples, u32::MAX;
    163 PATCHEDGESTYLE PATCH_EDGE, 0;
    165 DEBUGMONITORTOKEN DEBUG_TOKEN, 0;
    166 POINTSIZE_MAX Float, POINT_SIZE_MAX;
    167 INDEXEDVERTEXBLENDENABLE Flag, 0;
    168 COLORWRITEENABLE Channels, 0xf;
    170 TWEENFACTOR Float, 0;
    171 BLENDOP BLEND_OP, 1;
    172 POSITIONDEGREE DEGREE, 3;
    173 NORMALDEGREE DEGREE, 1;
    174 SCISSORTESTENABLE Flag, 0;
    175 SLOPESCALEDEPTHBIAS Float, 0;
    176 ANTIALIASEDLINEENABLE Flag, 0;
    178 MINTESSELLATIONLEVEL Float, ONE;
    179 MAXTESSELLATIONLEVEL Float, ONE;
    180 ADAPTIVETESS_X Float, 0;
    181 ADAPTIVETESS_Y Float, 0;
    182 ADAPTIVETESS_Z Float, ONE;
    183 ADAPTIVETESS_W Float, 0;
    184 ENABLEADAPTIVETESSELLATION Flag, 0;
    185 TWOSIDEDSTENCILMODE Flag, 0;
    186 CCW_STENCILFAIL STENCIL_OP, 1;
    187 CCW_STENCILZFAIL STENCIL_OP, 1;
    188 CCW_STENCILPASS STENCIL_OP, 1;
    189 CCW_STENCILFUNC COMPARE, 8;
    190 COLORWRITEENABLE1 LaterChannels, 0xf;
    191 COLORWRITEENABLE2 LaterChannels, 0xf;
    192 COLORWRITEENABLE3 LaterChannels, 0xf;
    193 BLENDFACTOR Color, u32::MAX;
    194 SRGBWRITEENABLE Flag, 0;
    195 DEPTHBIAS Float, 0;
    198 WRAP8 Bits, 0;
    199 WRAP9 Bits, 0;
    200 WRAP10 Bits, 0;
    201 WRAP11 Bits, 0;
    202 WRAP12 Bits, 0;
    203 WRAP13 Bits, 0;
    204 WRAP14 Bits, 0;
    205 WRAP15 Bits, 0;
    206 SEPARATEALPHABLENDENABLE Flag, 0;
    207 SRCBLENDALPHA SOURCE_BLEND, 2;
    208 DESTBLENDALPHA DESTINATION_BLEND, 1;
    209 BLENDOPALPHA BLEND_OP, 1;
}

/// Direct3D 9's render states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderStateTable;

impl StateTable for RenderStateTable {
    const STATES: &'static [NumberedState] = &RENDER_STATES;
    const NOUN: &'static str = "render state";
}

/// What SET_RENDER_STATE has set in a context, by the numbers of Direct3D 9.
///
/// * The guest's driver sends nearly all numbers up to 255 at its start. 18, in which the emulator's executor sees a front
///   that is counter-clockwise, is one of those that Direct3D 9 does not define.
/// * The masks 162 and 190 to 192 have all bits set until they are first set to something other than 0. The executor
///   takes the 0 that the driver sends at its start for a mask that lets nothing through. Of 168, the mask of the first
///   target, the driver sends what it means: a 0 lets nothing through.
pub type RenderStates = StateValues<RenderStateTable, COUNT>;

impl RenderStates {
    /// The masks, in which a 0 counts only after another value.
    pub const MASKS: [u32; 4] =
        [number::MULTISAMPLEMASK, number::COLORWRITEENABLE1, number::COLORWRITEENABLE2, number::COLORWRITEENABLE3];
}
