//! What to write instead: for words of other languages and of other versions of GLSL, and for names that are misspelt.

use strsim::osa_distance;

use super::builtins::is_builtin_function;
use super::language::Language;
use super::types::Type;

/// Words, and what to write instead of each.
const MIGRATIONS: &[(&[&str], &str)] = &[
    (&["texture1D", "texture1DLod"], "GLSL ES has no textures of one dimension: take one of one row"),
    (&["texture2D", "texture3D", "textureCube", "shadow2D", "tex3D"], "GLSL ES 3.00 uses 'texture'"),
    (&["tex2D"], "GLSL ES 3.00 uses 'texture', and 1.00 'texture2D'"),
    (&["texCUBE"], "GLSL ES 3.00 uses 'texture', and 1.00 'textureCube'"),
    (
        &["texture2DLod", "textureCubeLod", "texture2DLodEXT", "textureCubeLodEXT", "tex2Dlod", "texCUBElod"],
        "GLSL ES 3.00 uses 'textureLod'",
    ),
    (&["texture2DProj", "tex2Dproj", "texture2DProjEXT"], "GLSL ES 3.00 uses 'textureProj'"),
    (&["texture2DProjLod", "texture2DProjLodEXT"], "GLSL ES 3.00 uses 'textureProjLod'"),
    (&["texture2DGradEXT", "textureCubeGradEXT", "texture2DGradARB", "tex2Dgrad"], "GLSL ES 3.00 uses 'textureGrad'"),
    (&["gl_FragColor", "gl_FragData"], "GLSL ES 3.00 has outputs: declare 'out vec4 color;' and write to it"),
    (&["gl_FragDepthEXT"], "GLSL ES 3.00 uses 'gl_FragDepth'"),
    (
        &["gl_Vertex", "gl_Normal", "gl_Color", "gl_MultiTexCoord0", "gl_MultiTexCoord1"],
        "declare an attribute of your own, as in 'in vec4 position;'",
    ),
    (&["gl_TexCoord", "gl_FrontColor", "gl_BackColor"], "declare a varying of your own, as in 'out vec2 uv;'"),
    (
        &[
            "gl_ModelViewProjectionMatrix",
            "gl_ModelViewMatrix",
            "gl_ProjectionMatrix",
            "gl_NormalMatrix",
            "gl_TextureMatrix",
            "ftransform",
        ],
        "declare a uniform of your own, as in 'uniform mat4 transform;'",
    ),
    (&["gl_VertexIndex"], "GLSL ES 3.00 uses 'gl_VertexID'"),
    (&["gl_InstanceIndex"], "GLSL ES 3.00 uses 'gl_InstanceID'"),
    (&["lerp"], "GLSL ES uses 'mix'"),
    (&["saturate"], "write 'clamp(x, 0.0, 1.0)'"),
    (&["frac"], "GLSL ES uses 'fract'"),
    (&["atan2"], "GLSL ES uses 'atan(y, x)'"),
    (&["rsqrt"], "GLSL ES uses 'inversesqrt'"),
    (&["rcp"], "write '1.0 / x'"),
    (&["mul"], "write 'a * b'"),
    (&["mad", "fma"], "write 'a * b + c'"),
    (&["fmod"], "write 'x - y * trunc(x / y)', or 'mod(x, y)', which has the sign of y"),
    (&["ddx"], "GLSL ES uses 'dFdx'"),
    (&["ddy"], "GLSL ES uses 'dFdy'"),
    (&["clip"], "write 'if (x < 0.0) discard;'"),
    (&["log10"], "write 'log2(x) * 0.30103'"),
    (&["sincos"], "write 'sin(x)' and 'cos(x)'"),
    (&["asfloat"], "GLSL ES 3.00 uses 'intBitsToFloat' and 'uintBitsToFloat'"),
    (&["asint"], "GLSL ES 3.00 uses 'floatBitsToInt'"),
    (&["asuint"], "GLSL ES 3.00 uses 'floatBitsToUint'"),
    (&["float1"], "GLSL ES uses 'float'"),
    (&["float2", "half2", "vec2f", "fixed2"], "GLSL ES uses 'vec2'"),
    (&["float3", "half3", "vec3f", "fixed3"], "GLSL ES uses 'vec3'"),
    (&["float4", "half4", "vec4f", "fixed4"], "GLSL ES uses 'vec4'"),
    (&["int2", "vec2i"], "GLSL ES uses 'ivec2'"),
    (&["int3", "vec3i"], "GLSL ES uses 'ivec3'"),
    (&["int4", "vec4i"], "GLSL ES uses 'ivec4'"),
    (&["uint2", "vec2u"], "GLSL ES 3.00 uses 'uvec2'"),
    (&["uint3", "vec3u"], "GLSL ES 3.00 uses 'uvec3'"),
    (&["uint4", "vec4u"], "GLSL ES 3.00 uses 'uvec4'"),
    (&["bool2"], "GLSL ES uses 'bvec2'"),
    (&["bool3"], "GLSL ES uses 'bvec3'"),
    (&["bool4"], "GLSL ES uses 'bvec4'"),
    (&["float2x2"], "GLSL ES uses 'mat2'"),
    (&["float3x3"], "GLSL ES uses 'mat3'"),
    (&["float4x4", "matrix"], "GLSL ES uses 'mat4'"),
    (&["f32"], "GLSL ES uses 'float'"),
    (&["i32", "int32_t"], "GLSL ES uses 'int'"),
    (&["u32", "uint32_t"], "GLSL ES 3.00 uses 'uint'"),
    (&["half", "fixed", "double"], "GLSL ES has one type of floats: 'float'"),
    (&["dvec2", "fvec2", "hvec2"], "GLSL ES uses 'vec2'"),
    (&["dvec3", "fvec3", "hvec3"], "GLSL ES uses 'vec3'"),
    (&["dvec4", "fvec4", "hvec4"], "GLSL ES uses 'vec4'"),
    (&["long", "short"], "GLSL ES has one type of integers: 'int'"),
    (&["unsigned"], "GLSL ES 3.00 uses 'uint'"),
    (&["attribute"], "GLSL ES 3.00 uses 'in'"),
    (&["varying"], "GLSL ES 3.00 uses 'out' in vertex shaders and 'in' in fragment shaders"),
    (&["static", "inline", "extern", "public", "noinline"], "leave it out"),
    (&["noperspective"], "GLSL ES 3.00 has 'smooth' and 'flat' only"),
    (&["sampler2DRect", "Texture2D", "sampler1D"], "GLSL ES uses 'sampler2D'"),
    (&["TextureCube"], "GLSL ES uses 'samplerCube'"),
    (&["SamplerState"], "GLSL ES has samplers and textures in one: 'uniform sampler2D'"),
    (&["cbuffer", "ConstantBuffer"], "GLSL ES 3.00 uses 'uniform NAME { … };'"),
    (&["enum", "typedef"], "write 'const int' or '#define'"),
    (&["goto"], "write a loop, 'break' or 'return'"),
    (&["PI", "M_PI"], "define it: 'const float PI = 3.14159265;'"),
    (&["iTime", "iGlobalTime"], "declare it: 'uniform float iTime;'"),
    (&["iResolution"], "declare it: 'uniform vec3 iResolution;'"),
    (&["iMouse"], "declare it: 'uniform vec4 iMouse;'"),
    (&["NULL", "nullptr", "null"], "GLSL has no pointers"),
];

/// Bytes of the longest name that is compared with others.
const MOST_COMPARED: usize = 64;

/// What to write instead of a word that GLSL ES doesn't have, or one version of it, behind a message.
pub(super) fn instead_of(word: &str) -> String {
    let found = MIGRATIONS.iter().find(|(words, _)| words.contains(&word));
    found.map(|(_, fix)| format!(": {fix}")).unwrap_or_default()
}

/// The same for a name that nothing has, or else the name that is meant.
pub(super) fn instead_of_name(name: &str, near: Option<&str>) -> String {
    match (instead_of(name), near) {
        (fix, Some(near)) if fix.is_empty() => format!(": did you mean '{near}'?"),
        (fix, _) => fix,
    }
}

/// What has to be written, behind a message of types of which some would have to become others.
pub(super) fn about_conversions<'t>(types: impl Iterator<Item = &'t str>) -> &'static str {
    let (mut floats, mut signed, mut unsigned) = (false, false, false);
    for ty in types {
        match ty {
            "float" | "vec2" | "vec3" | "vec4" | "mat2" | "mat3" | "mat4" => floats = true,
            "int" | "ivec2" | "ivec3" | "ivec4" => signed = true,
            "uint" | "uvec2" | "uvec3" | "uvec4" => unsigned = true,
            _ => {}
        }
    }
    match (floats, signed, unsigned) {
        (true, true, _) | (true, _, true) => {
            ": GLSL ES converts no numbers by itself, write 1.0 for 1, or 'float(…)' or 'int(…)'"
        }
        (false, true, true) => ": GLSL ES converts no numbers by itself, write 1u for 1, or 'uint(…)' or 'int(…)'",
        _ => "",
    }
}

/// The name that is most like a misspelt one, if any is: of each three letters one may be wrong.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let most = (name.len() / 3).min(2);
    if most == 0 || name.len() > MOST_COMPARED {
        return None;
    }
    let alike = names.filter(|other| other.len().abs_diff(name.len()) <= most);
    let measured = alike.map(|other| (osa_distance(name, other), other)).filter(|(distance, _)| *distance <= most);
    measured.min().map(|(_, other)| other.to_owned())
}

/// What GLSL ES 1.00 has in place of a name that only later versions have.
pub(super) fn in_es100(what: &str, name: &str) -> Option<&'static str> {
    Some(match (what, name) {
        ("type", "uint") => "'int'",
        ("type", "uvec2") => "'ivec2'",
        ("type", "uvec3") => "'ivec3'",
        ("type", "uvec4") => "'ivec4'",
        ("type", _) if Type::from_keyword(name).is_some() => "a type of it",
        ("function", "texture") => "'texture2D' or 'textureCube'",
        ("function", "textureLod") => "'texture2DLod' in vertex shaders",
        ("function", "textureProj") => "'texture2DProj'",
        ("function", _) if is_builtin_function(Language::Es300, name) => "a function of it",
        ("variable", "gl_VertexID" | "gl_InstanceID") => "an attribute",
        ("variable", "gl_FragDepth") => "'gl_FragDepthEXT' of GL_EXT_frag_depth",
        _ => return None,
    })
}
