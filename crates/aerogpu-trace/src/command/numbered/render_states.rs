//! Direct3D 9's render states: all that it defines.

use super::{NumberedState, StateMeaning, Treatment};

use StateMeaning::{Bits, Channels, Color, Flag, Float, LaterChannels, Number, OneOf, Samples};
use Treatment::{Approximated, Honoured, HonouredOrRefused, PassedOver, WithoutEffect};

const ONE: u32 = 1_f32.to_bits();
/// What points are at most where nothing else is said.
pub const LARGEST_POINT_PX: f32 = 64.0;
const POINT_SIZE_MAX: u32 = LARGEST_POINT_PX.to_bits();

const DEPTH_BUFFER: StateMeaning = OneOf(&[(0, "FALSE"), (1, "TRUE"), (2, "USEW")]);
const FILL: StateMeaning = OneOf(&[(1, "POINT"), (2, "WIREFRAME"), (3, "SOLID")]);
const SHADE: StateMeaning = OneOf(&[(1, "FLAT"), (2, "GOURAUD"), (3, "PHONG")]);
const CULL: StateMeaning = OneOf(&[(1, "NONE"), (2, "CW"), (3, "CCW")]);
const COMPARE: StateMeaning = OneOf(&[
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
const SOURCE_BLEND: StateMeaning = OneOf(&[
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
const DESTINATION_BLEND: StateMeaning = OneOf(&[
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
const BLEND_OP: StateMeaning = OneOf(&[(1, "ADD"), (2, "SUBTRACT"), (3, "REVSUBTRACT"), (4, "MIN"), (5, "MAX")]);
const STENCIL_OP: StateMeaning = OneOf(&[
    (1, "KEEP"),
    (2, "ZERO"),
    (3, "REPLACE"),
    (4, "INCRSAT"),
    (5, "DECRSAT"),
    (6, "INVERT"),
    (7, "INCR"),
    (8, "DECR"),
]);
const FOG: StateMeaning = OneOf(&[(0, "NONE"), (1, "EXP"), (2, "EXP2"), (3, "LINEAR")]);
const MATERIAL: StateMeaning = OneOf(&[(0, "MATERIAL"), (1, "COLOR1"), (2, "COLOR2")]);
const VERTEX_BLEND: StateMeaning =
    OneOf(&[(0, "DISABLE"), (1, "1WEIGHTS"), (2, "2WEIGHTS"), (3, "3WEIGHTS"), (255, "TWEENING"), (256, "0WEIGHTS")]);
const PATCH_EDGE: StateMeaning = OneOf(&[(0, "DISCRETE"), (1, "CONTINUOUS")]);
const DEBUG_TOKEN: StateMeaning = OneOf(&[(0, "ENABLE"), (1, "DISABLE")]);
const DEGREE: StateMeaning = OneOf(&[(1, "LINEAR"), (2, "QUADRATIC"), (3, "CUBIC"), (5, "QUINTIC")]);

const USE_W: Treatment = Approximated(&[(2, "treated as TRUE: depth is compared by z")]);
const PHONG: Treatment = Approximated(&[(3, "treated as GOURAUD, as on every device")]);
const REFUSED_FILL: Treatment = HonouredOrRefused("POINT and WIREFRAME on a device without them");
const LAST_PIXEL: Treatment = WithoutEffect("the graphics API decides whether a line's last pixel is drawn");
const DITHER: Treatment = WithoutEffect("targets store 8 bits per channel, even those of 16-bit formats");
/// Shaders stand for all of it: the guest's driver makes some of its own.
const FIXED_FUNCTION: Treatment = WithoutEffect("it belongs to the fixed-function pipeline, which streams do not use");
const WRAP: Treatment = PassedOver("texture coordinates are interpolated without wrapping");
const ALWAYS_CLIPPED: Treatment = WithoutEffect("primitives are always clipped");
const NO_PLANES: Treatment = PassedOver("streams carry no clip planes, so nothing is clipped");
const UNSCALED: Treatment = PassedOver("the vertex shader or the state gives the size of points");
const SCALE: Treatment = WithoutEffect("points are not scaled");
const ONE_SAMPLE: Treatment = WithoutEffect("targets have one sample");
const NO_PATCHES: Treatment = WithoutEffect("streams have no patches");
const DEBUGGING: Treatment = WithoutEffect("it is a debugging aid for drivers");
const SMOOTH_LINES: Treatment = PassedOver("lines are not antialiased");
const SECOND_COLOR: Treatment = HonouredOrRefused("SRCCOLOR2 and INVSRCCOLOR2 on a device without them");

/// Makes constants of the states' numbers, and the table of them.
macro_rules! render_states {
    ($($number:literal $name:ident $meaning:expr, $default:expr, $treatment:expr;)*) => {
        /// The states' numbers.
        #[allow(missing_docs, reason = "the names are Direct3D's")]
        pub mod number {
            $(pub const $name: u32 = $number;)*
        }

        /// Every render state that Direct3D 9 defines, in the order of their numbers.
        pub(super) static RENDER_STATES: [NumberedState; [$($number),*].len()] = [$(NumberedState {
            number: $number,
            name: concat!("D3DRS_", stringify!($name)),
            meaning: $meaning,
            default: $default,
            treatment: $treatment,
        }),*];
    };
}

// The depth test's default is on: the device has a depth buffer of its own, and without one nothing is tested.
render_states! {
    7 ZENABLE DEPTH_BUFFER, 1, USE_W;
    8 FILLMODE FILL, 3, REFUSED_FILL;
    9 SHADEMODE SHADE, 2, PHONG;
    14 ZWRITEENABLE Flag, 1, Honoured;
    15 ALPHATESTENABLE Flag, 0, Honoured;
    16 LASTPIXEL Flag, 1, LAST_PIXEL;
    19 SRCBLEND SOURCE_BLEND, 2, SECOND_COLOR;
    20 DESTBLEND DESTINATION_BLEND, 1, SECOND_COLOR;
    22 CULLMODE CULL, 3, Honoured;
    23 ZFUNC COMPARE, 4, Honoured;
    24 ALPHAREF Number, 0, Honoured;
    25 ALPHAFUNC COMPARE, 8, Honoured;
    26 DITHERENABLE Flag, 0, DITHER;
    27 ALPHABLENDENABLE Flag, 0, Honoured;
    28 FOGENABLE Flag, 0, Honoured;
    29 SPECULARENABLE Flag, 0, FIXED_FUNCTION;
    34 FOGCOLOR Color, 0, Honoured;
    35 FOGTABLEMODE FOG, 0, Honoured;
    36 FOGSTART Float, 0, Honoured;
    37 FOGEND Float, ONE, Honoured;
    38 FOGDENSITY Float, ONE, Honoured;
    48 RANGEFOGENABLE Flag, 0, FIXED_FUNCTION;
    52 STENCILENABLE Flag, 0, Honoured;
    53 STENCILFAIL STENCIL_OP, 1, Honoured;
    54 STENCILZFAIL STENCIL_OP, 1, Honoured;
    55 STENCILPASS STENCIL_OP, 1, Honoured;
    56 STENCILFUNC COMPARE, 8, Honoured;
    57 STENCILREF Number, 0, Honoured;
    58 STENCILMASK Bits, u32::MAX, Honoured;
    59 STENCILWRITEMASK Bits, u32::MAX, Honoured;
    60 TEXTUREFACTOR Color, u32::MAX, FIXED_FUNCTION;
    128 WRAP0 Bits, 0, WRAP;
    129 WRAP1 Bits, 0, WRAP;
    130 WRAP2 Bits, 0, WRAP;
    131 WRAP3 Bits, 0, WRAP;
    132 WRAP4 Bits, 0, WRAP;
    133 WRAP5 Bits, 0, WRAP;
    134 WRAP6 Bits, 0, WRAP;
    135 WRAP7 Bits, 0, WRAP;
    136 CLIPPING Flag, 1, ALWAYS_CLIPPED;
    137 LIGHTING Flag, 1, FIXED_FUNCTION;
    139 AMBIENT Color, 0, FIXED_FUNCTION;
    140 FOGVERTEXMODE FOG, 0, FIXED_FUNCTION;
    141 COLORVERTEX Flag, 1, FIXED_FUNCTION;
    142 LOCALVIEWER Flag, 1, FIXED_FUNCTION;
    143 NORMALIZENORMALS Flag, 0, FIXED_FUNCTION;
    145 DIFFUSEMATERIALSOURCE MATERIAL, 1, FIXED_FUNCTION;
    146 SPECULARMATERIALSOURCE MATERIAL, 2, FIXED_FUNCTION;
    147 AMBIENTMATERIALSOURCE MATERIAL, 0, FIXED_FUNCTION;
    148 EMISSIVEMATERIALSOURCE MATERIAL, 0, FIXED_FUNCTION;
    151 VERTEXBLEND VERTEX_BLEND, 0, FIXED_FUNCTION;
    152 CLIPPLANEENABLE Bits, 0, NO_PLANES;
    154 POINTSIZE Float, ONE, Honoured;
    155 POINTSIZE_MIN Float, ONE, Honoured;
    156 POINTSPRITEENABLE Flag, 0, Honoured;
    157 POINTSCALEENABLE Flag, 0, UNSCALED;
    158 POINTSCALE_A Float, ONE, SCALE;
    159 POINTSCALE_B Float, 0, SCALE;
    160 POINTSCALE_C Float, 0, SCALE;
    161 MULTISAMPLEANTIALIAS Flag, 1, ONE_SAMPLE;
    162 MULTISAMPLEMASK Samples, u32::MAX, ONE_SAMPLE;
    163 PATCHEDGESTYLE PATCH_EDGE, 0, NO_PATCHES;
    165 DEBUGMONITORTOKEN DEBUG_TOKEN, 0, DEBUGGING;
    166 POINTSIZE_MAX Float, POINT_SIZE_MAX, Honoured;
    167 INDEXEDVERTEXBLENDENABLE Flag, 0, FIXED_FUNCTION;
    168 COLORWRITEENABLE Channels, 0xf, Honoured;
    170 TWEENFACTOR Float, 0, FIXED_FUNCTION;
    171 BLENDOP BLEND_OP, 1, Honoured;
    172 POSITIONDEGREE DEGREE, 3, NO_PATCHES;
    173 NORMALDEGREE DEGREE, 1, NO_PATCHES;
    174 SCISSORTESTENABLE Flag, 0, Honoured;
    175 SLOPESCALEDEPTHBIAS Float, 0, Honoured;
    176 ANTIALIASEDLINEENABLE Flag, 0, SMOOTH_LINES;
    178 MINTESSELLATIONLEVEL Float, ONE, NO_PATCHES;
    179 MAXTESSELLATIONLEVEL Float, ONE, NO_PATCHES;
    180 ADAPTIVETESS_X Float, 0, NO_PATCHES;
    181 ADAPTIVETESS_Y Float, 0, NO_PATCHES;
    182 ADAPTIVETESS_Z Float, ONE, NO_PATCHES;
    183 ADAPTIVETESS_W Float, 0, NO_PATCHES;
    184 ENABLEADAPTIVETESSELLATION Flag, 0, NO_PATCHES;
    185 TWOSIDEDSTENCILMODE Flag, 0, Honoured;
    186 CCW_STENCILFAIL STENCIL_OP, 1, Honoured;
    187 CCW_STENCILZFAIL STENCIL_OP, 1, Honoured;
    188 CCW_STENCILPASS STENCIL_OP, 1, Honoured;
    189 CCW_STENCILFUNC COMPARE, 8, Honoured;
    190 COLORWRITEENABLE1 LaterChannels, 0xf, Honoured;
    191 COLORWRITEENABLE2 LaterChannels, 0xf, Honoured;
    192 COLORWRITEENABLE3 LaterChannels, 0xf, Honoured;
    193 BLENDFACTOR Color, u32::MAX, Honoured;
    194 SRGBWRITEENABLE Flag, 0, Honoured;
    195 DEPTHBIAS Float, 0, Honoured;
    198 WRAP8 Bits, 0, WRAP;
    199 WRAP9 Bits, 0, WRAP;
    200 WRAP10 Bits, 0, WRAP;
    201 WRAP11 Bits, 0, WRAP;
    202 WRAP12 Bits, 0, WRAP;
    203 WRAP13 Bits, 0, WRAP;
    204 WRAP14 Bits, 0, WRAP;
    205 WRAP15 Bits, 0, WRAP;
    206 SEPARATEALPHABLENDENABLE Flag, 0, Honoured;
    207 SRCBLENDALPHA SOURCE_BLEND, 2, SECOND_COLOR;
    208 DESTBLENDALPHA DESTINATION_BLEND, 1, SECOND_COLOR;
    209 BLENDOPALPHA BLEND_OP, 1, Honoured;
}
