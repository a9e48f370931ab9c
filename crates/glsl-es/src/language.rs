//! The versions of the language, and the words and rules in which they differ.

use super::types::{Dimension, Sampler, Scalar, Type};

/// A version of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// GLSL ES 1.00, WebGL 1's: a text without `#version`, or with `#version 100`.
    Es100,
    /// GLSL ES 3.00, WebGL 2's.
    Es300,
    /// GLSL ES 3.10, of which arrays of arrays, qualifiers in any order and a few functions are read besides.
    Es310,
}

/// Extensions whose whole content GLSL ES 3.00 has, so that enabling them there changes nothing.
pub(crate) const IN_ES300: [&str; 7] = [
    DERIVATIVES,
    TEXTURE_LOD,
    FRAG_DEPTH,
    DRAW_BUFFERS,
    "GL_OES_texture_3D",
    "GL_OES_EGL_image_external_essl3_none",
    "GL_EXT_shadow_samplers",
];

/// The extensions of GLSL ES 1.00 that it is read with.
pub(crate) const OF_ES100: [&str; 4] = [DERIVATIVES, TEXTURE_LOD, FRAG_DEPTH, DRAW_BUFFERS];

pub(crate) const DERIVATIVES: &str = "GL_OES_standard_derivatives";
pub(crate) const TEXTURE_LOD: &str = "GL_EXT_shader_texture_lod";
pub(crate) const FRAG_DEPTH: &str = "GL_EXT_frag_depth";
pub(crate) const DRAW_BUFFERS: &str = "GL_EXT_draw_buffers";

/// Keywords of both versions, other than those of types.
const KEYWORDS: &[&str] = &[
    "const",
    "uniform",
    "break",
    "continue",
    "do",
    "for",
    "while",
    "if",
    "else",
    "in",
    "out",
    "inout",
    "true",
    "false",
    "invariant",
    "discard",
    "return",
    "lowp",
    "mediump",
    "highp",
    "precision",
    "struct",
];

/// Those of GLSL ES 3.00 alone.
const KEYWORDS_OF_ES300: &[&str] = &["layout", "centroid", "flat", "smooth", "switch", "case", "default"];

/// Words that both versions keep for later.
const RESERVED: &[&str] = &[
    "volatile",
    "asm",
    "class",
    "union",
    "enum",
    "typedef",
    "template",
    "this",
    "goto",
    "inline",
    "noinline",
    "public",
    "static",
    "extern",
    "external",
    "interface",
    "long",
    "short",
    "double",
    "half",
    "fixed",
    "unsigned",
    "superp",
    "input",
    "output",
    "hvec2",
    "hvec3",
    "hvec4",
    "dvec2",
    "dvec3",
    "dvec4",
    "fvec2",
    "fvec3",
    "fvec4",
    "sampler3DRect",
    "sampler1D",
    "sampler1DShadow",
    "sampler2DRect",
    "sampler2DRectShadow",
    "sizeof",
    "cast",
    "namespace",
    "using",
];

/// Words that GLSL ES 1.00 alone keeps for later.
const RESERVED_IN_ES100: &[&str] = &["packed", "switch", "default", "flat", "sampler3D", "sampler2DShadow"];

/// Words that GLSL ES 3.00 keeps for later, and 3.10 too.
const RESERVED_IN_ES300: &[&str] = &[
    "attribute",
    "varying",
    "coherent",
    "restrict",
    "readonly",
    "writeonly",
    "resource",
    "atomic_uint",
    "noperspective",
    "patch",
    "sample",
    "subroutine",
    "common",
    "partition",
    "active",
    "filter",
    "image1D",
    "image2D",
    "image3D",
    "imageCube",
    "iimage1D",
    "iimage2D",
    "iimage3D",
    "iimageCube",
    "uimage1D",
    "uimage2D",
    "uimage3D",
    "uimageCube",
    "image1DArray",
    "image2DArray",
    "iimage1DArray",
    "iimage2DArray",
    "uimage1DArray",
    "uimage2DArray",
    "imageBuffer",
    "iimageBuffer",
    "uimageBuffer",
    "sampler1DArray",
    "sampler1DArrayShadow",
    "isampler1D",
    "isampler1DArray",
    "usampler1D",
    "usampler1DArray",
    "isampler2DRect",
    "usampler2DRect",
    "samplerBuffer",
    "isamplerBuffer",
    "usamplerBuffer",
    "sampler2DMS",
    "isampler2DMS",
    "usampler2DMS",
    "sampler2DMSArray",
    "isampler2DMSArray",
    "usampler2DMSArray",
];

/// Words that have a meaning in GLSL ES 3.10, which is not read here, or that it keeps for later.
const RESERVED_IN_ES310: &[&str] = &[
    "buffer",
    "shared",
    "precise",
    "samplerCubeArray",
    "samplerCubeArrayShadow",
    "isamplerCubeArray",
    "usamplerCubeArray",
    "imageCubeArray",
    "iimageCubeArray",
    "uimageCubeArray",
    "image2DRect",
    "iimage2DRect",
    "uimage2DRect",
    "image2DMS",
    "iimage2DMS",
    "uimage2DMS",
    "image2DMSArray",
    "iimage2DMSArray",
    "uimage2DMSArray",
];

impl Language {
    /// The type of a keyword.
    pub(crate) fn type_of(self, word: &str) -> Option<Type> {
        Type::from_keyword(word).filter(|ty| self != Self::Es100 || is_of_es100(ty, word))
    }

    /// Whether a word has a meaning of its own.
    pub(crate) fn is_keyword(self, word: &str) -> bool {
        let own: &[&str] = match self {
            Self::Es100 => &["attribute", "varying"],
            Self::Es300 | Self::Es310 => KEYWORDS_OF_ES300,
        };
        KEYWORDS.contains(&word) || own.contains(&word) || self.type_of(word).is_some()
    }

    /// Whether a word is kept for later.
    pub(crate) fn is_reserved(self, word: &str) -> bool {
        let own: &[&[&str]] = match self {
            Self::Es100 => &[RESERVED_IN_ES100],
            Self::Es300 => &[RESERVED_IN_ES300],
            Self::Es310 => &[RESERVED_IN_ES300, RESERVED_IN_ES310],
        };
        RESERVED.contains(&word) || own.iter().any(|words| words.contains(&word))
    }

    /// The value of `__VERSION__`.
    pub(crate) fn number(self) -> &'static str {
        match self {
            Self::Es100 => "100",
            Self::Es300 => "300",
            Self::Es310 => "310",
        }
    }
}

fn is_of_es100(ty: &Type, word: &str) -> bool {
    match ty {
        Type::Void => true,
        Type::Numeric(scalar, columns, rows) => {
            *scalar != Scalar::Uint && (*columns == 1 || columns == rows && !word.contains('x'))
        }
        Type::Sampler(Sampler { dimension: Dimension::D2 | Dimension::Cube, texel: Scalar::Float, shadow: false }) => {
            true
        }
        Type::Sampler(_) | Type::Struct(_) | Type::Array(..) => false,
    }
}
