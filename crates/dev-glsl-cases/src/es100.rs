//! GLSL ES 1.00, WebGL 1's language: what it has, and what only later versions have.

use super::cases::Case;

pub const VERTEX: &str = "attribute vec4 a_position;\nvoid main() { gl_Position = a_position; }\n";
pub const FRAGMENT: &str = "precision highp float;\nvoid main() { gl_FragColor = vec4(1.0); }\n";

/// A fragment shader: declarations, then statements of `main`. It begins with its extensions.
pub fn fragment(declarations: &str, body: &str) -> String {
    let (extensions, rest): (Vec<&str>, Vec<&str>) = declarations.lines().partition(|line| line.starts_with("#ext"));
    let (extensions, rest) = (extensions.join("\n"), rest.join("\n"));
    format!("{extensions}\nprecision highp float;\nprecision highp int;\n{rest}\nvoid main() {{\n{body}\n}}\n")
}

/// A vertex shader: declarations, then statements of `main`.
pub fn vertex(declarations: &str, body: &str) -> String {
    format!("attribute vec4 a_position;\n{declarations}\nvoid main() {{\ngl_Position = a_position;\n{body}\n}}\n")
}

/// Texts that every WebGL 1 takes. Those of `later` need extensions that few drivers have.
pub fn cases() -> Vec<Case> {
    let pass = vertex("varying vec4 v; attribute vec4 a_color;", "v = a_position.yxzw * 0.5 + 0.5 + a_color * 0.1;");
    let of_fragments = [
        (
            "commas in constants",
            "varying vec4 v; const float k = (1.0, 0.5); float a[(3, 2)];",
            "a[1] = v.x; gl_FragColor = vec4(k, a[1], 0.25, 1.0);",
        ),
        ("colour", "varying vec4 v;", "gl_FragColor = v; gl_FragColor.a = 1.0; gl_FragColor.rgb *= 0.5;"),
        ("data", "varying vec4 v;", "gl_FragData[0] = v;"),
        (
            "data of several",
            "#extension GL_EXT_draw_buffers : enable\nvarying vec4 v;",
            "gl_FragData[0] = v; gl_FragData[1] = v.wzyx;",
        ),
        (
            "textures",
            "varying vec4 v; uniform sampler2D s; uniform samplerCube c;",
            "gl_FragColor = texture2D(s, v.xy) + texture2D(s, v.yx, 1.0) * 0.2 + texture2DProj(s, v.xyw) * 0.1 + \
             texture2DProj(s, v, 0.5) * 0.1 + textureCube(c, v.xyz) * 0.2 + textureCube(c, v.zyx, 0.5) * 0.1;",
        ),
        (
            "samplers by a loop's counter",
            "varying vec4 v; uniform sampler2D s[3];",
            "vec4 c = vec4(0.0); for (int i = 0; i < 3; i++) { c += texture2D(s[i], v.xy * float(i + 1)) * 0.3; } \
             gl_FragColor = c;",
        ),
        (
            "derivatives",
            "#extension GL_OES_standard_derivatives : enable\nvarying vec4 v;",
            "gl_FragColor = vec4(dFdx(v.x) * 20.0 + 0.5, dFdy(v.y) * 20.0 + 0.5, fwidth(v.x) * 10.0, 1.0);",
        ),
        (
            "depth",
            "#extension GL_EXT_frag_depth : enable\nvarying vec4 v;",
            "gl_FragColor = v; gl_FragDepthEXT = v.x > 0.5 ? 0.25 : 0.75;",
        ),
        (
            "names of later versions",
            "varying vec4 v; float round(float x) { return floor(x * 4.0) / 4.0; } mat2 inverse(mat2 m) { return m; } \
             float texture = 0.5; float sample(float layout) { return layout * texture; } vec3 uint, smooth;",
            "uint = v.xyz; smooth = vec3(sample(uint.x), round(uint.y), inverse(mat2(v))[1].y); gl_FragColor = \
             vec4(smooth, 1.0);",
        ),
        (
            "forms of built-in functions",
            "varying vec4 v; vec3 mix(vec3 a, float b) { return a * b; } float sin(int x) { return float(x) * 0.25; }",
            "gl_FragColor = vec4(mix(v.xyz, 0.5) + sin(1) + mix(0.0, 0.1, 0.5), 1.0);",
        ),
        (
            "versions and extensions",
            "varying vec4 v;\n#ifdef GL_OES_standard_derivatives\n#define X 0.25\n#else\n#error no\n#endif",
            "gl_FragColor = v;\n#if __VERSION__ == 100 && defined(GL_ES)\ngl_FragColor.x = X;\n#endif",
        ),
        (
            "loops",
            "varying vec4 v;",
            "float x = 0.0; for (float f = 1.0; f > 0.25; f -= 0.25) { if (f < v.x) continue; x += f * 0.2; } int i = 0; \
             while (i < 3) { i++; } do { i--; x += 0.05; } while (i > 1); gl_FragColor = vec4(x, v.yz, 1.0);",
        ),
        (
            "structs and arrays",
            "varying vec4 v; struct S { float a; vec2 b[2]; }; void f(inout S s[2], const in float x) { s[1].b[1].x += x; }",
            "S s[2]; s[0].a = v.x; s[1].b[0] = v.xy; s[1].b[1] = v.zw; f(s, 0.25); S t = s[1]; gl_FragColor = \
             vec4(s[0].a, t.b[0].y, t.b[1].x, 1.0);",
        ),
        (
            "limits",
            "varying vec4 v;",
            "gl_FragColor = v * step(8.0, float(gl_MaxVertexAttribs)) * step(8.0, float(gl_MaxVaryingVectors)) * \
             gl_DepthRange.diff;",
        ),
        (
            "coordinates",
            "varying vec4 v;",
            "gl_FragColor = vec4(gl_FragCoord.xy / 64.0, gl_FrontFacing ? v.x : 0.0, 1.0);",
        ),
        (
            "later: levels and gradients",
            "#extension GL_EXT_shader_texture_lod : enable\nvarying vec4 v; uniform sampler2D s; uniform samplerCube c;",
            "gl_FragColor = texture2DLodEXT(s, v.xy, 1.0) + texture2DGradEXT(s, v.xy, v.xy, v.yx) + \
             textureCubeLodEXT(c, v.xyz, 1.0) + texture2DProjLodEXT(s, v.xyw, 0.0) + textureCubeGradEXT(c, v.xyz, v.xyz, \
             v.zyx) + texture2DProjGradEXT(s, v, v.xy, v.xy);",
        ),
    ];
    let mut cases: Vec<Case> = of_fragments
        .into_iter()
        .map(|(name, declarations, body)| Case {
            name: name.to_owned(),
            vertex: pass.clone(),
            fragment: fragment(declarations, body),
        })
        .collect();
    cases.push(Case {
        name: "textures of vertices".to_owned(),
        vertex: vertex(
            "varying vec4 v; uniform sampler2D s; uniform samplerCube c;",
            "v = texture2D(s, a_position.xy) + texture2DLod(s, a_position.yx, 1.0) * 0.2 + texture2DProjLod(s, \
             a_position, 0.0) * 0.1 + textureCube(c, a_position.xyz) * 0.2 + textureCubeLod(c, a_position.zyx, 1.0) * 0.2;",
        ),
        fragment: fragment("varying vec4 v;", "gl_FragColor = v;"),
    });
    cases.push(Case {
        name: "varyings".to_owned(),
        vertex: vertex(
            "invariant varying vec2 a; varying mat3 m; varying float f[2]; attribute mat2 a_m; invariant gl_Position;",
            "a = a_position.xy; m = mat3(1.0); m[1] = a_position.xyz; f[0] = a_m[0].x; f[1] = f[0] * 0.5;",
        ),
        fragment: fragment(
            "invariant varying vec2 a; varying mat3 m; varying float f[2];",
            "gl_FragColor = vec4(a * 0.5 + 0.5, m[1].x, f[0] + f[1]);",
        ),
    });
    cases.push(Case {
        name: "a version that is said".to_owned(),
        vertex: format!("#version 100\n{VERTEX}"),
        fragment: format!("// WebGL 1\n#version 100\n{FRAGMENT}"),
    });
    cases
}

/// Text that is not in GLSL ES 1.00: declarations and statements of a fragment shader, and words of what is said.
pub const FORBIDDEN: &[(&str, &str, &str)] = &[
    (
        "in vec4 x;",
        "",
        "'in' outside of parameters is not in GLSL ES 1.00: expected 'varying', or '#version 300 es' as",
    ),
    ("out vec4 x;", "", "expected 'gl_FragColor'"),
    ("", "gl_FragColor = lerp(vec4(0.0), vec4(1.0), 0.5);", "'lerp' is not declared: GLSL ES uses 'mix'"),
    (
        "uniform sampler2D s;",
        "gl_FragColor = tex2D(s, vec2(0.0));",
        "GLSL ES 3.00 uses 'texture', and 1.00 'texture2D'",
    ),
    ("", "float4 x = vec4(1.0);", "GLSL ES uses 'vec4'"),
    ("", "float x[2][2];", "GLSL ES has no arrays of arrays before 3.10"),
    ("layout(location = 0) out vec4 x;", "", "'layout' is not in GLSL ES 1.00"),
    ("flat varying vec4 x;", "", "a qualifier of interpolation is not in GLSL ES 1.00"),
    ("smooth varying vec4 x;", "", "a qualifier of interpolation is not in GLSL ES 1.00"),
    ("attribute vec4 x;", "", "'attribute' is not allowed in a fragment shader"),
    ("uniform B { float a; };", "", "a block of uniforms is not in GLSL ES 1.00"),
    ("varying int x;", "", "a varying's type: expected a float"),
    ("struct S { float a; }; varying S x;", "", "a varying's type: expected a float"),
    ("varying vec4 x;", "x = vec4(1.0);", "'x' can't be assigned"),
    ("uniform sampler3D s;", "", "'sampler3D' is a reserved word"),
    ("", "uint x;", "'uint' is not in GLSL ES 1.00: expected 'int'"),
    ("mat2x3 m;", "", "'mat2x3' is not in GLSL ES 1.00"),
    ("", "int x = int(1u);", "a number that ends in 'u' is not in GLSL ES 1.00"),
    ("", "switch (1) { case 1: break; }", "'switch' is not in GLSL ES 1.00: expected 'if'"),
    ("", "float a[2] = float[2](1.0, 2.0);", "the constructor of an array is not in GLSL ES 1.00"),
    ("", "float a[2]; int n = a.length();", "'.length()' is not in GLSL ES 1.00"),
    ("uniform sampler2D s;", "gl_FragColor = texture(s, vec2(1.0));", "expected 'texture2D' or 'textureCube'"),
    ("uniform sampler2D s;", "gl_FragColor = textureCube(s, vec3(1.0));", "no overload of 'textureCube'"),
    ("", "float a = round(1.0);", "'round' is not in GLSL ES 1.00"),
    ("", "gl_FragDepth = 1.0;", "expected 'gl_FragDepthEXT' of GL_EXT_frag_depth"),
    ("", "gl_FragData[1] = vec4(1.0);", "an index is 1, expected 0 to 0"),
    ("", "gl_FragColor = vec4(1.0); gl_FragData[0] = vec4(1.0);", "'gl_FragData' beside 'gl_FragColor'"),
    ("float sin(float x) { return x; }", "", "declaring 'sin', as every name of a built-in function"),
    ("void f(varying float x) {}", "", "expected 'const', 'in', 'out', 'inout' or a type"),
    (
        "uniform sampler2D s[2]; vec4 f(sampler2D t) { return texture2D(t, vec2(0.0)); }",
        "for (int i = 0; i < 2; i++) gl_FragColor = f(s[i]);",
        "a sampler by an index that is no constant is not supported",
    ),
];

/// Text that means in later versions what it looks like: taken, and refused under `--strict`.
pub const ODD: &[(&str, &str, &str)] = &[
    ("", "int a = 1 % 2;", "the operator '%' is not in GLSL ES 1.00"),
    ("", "int a; a <<= 1;", "the operator '<<' is not in GLSL ES 1.00"),
    ("", "int a = ~1;", "an operator of bits is not in GLSL ES 1.00"),
    ("", "float a = 1.0f;", "a number that ends in 'f' is not in GLSL ES 1.00"),
    ("", "float[2] a;", "'[' after a type is not in GLSL ES 1.00"),
    ("", "float a[2], b[2]; a = b;", "the assignment of an array is not in GLSL ES 1.00"),
    ("", "float a[2], b[2]; bool c = a == b;", "the comparison of arrays is not in GLSL ES 1.00"),
    ("", "mat2 a = mat2(mat3(1.0));", "a matrix made of a matrix is not in GLSL ES 1.00"),
    ("", "int a = min(1, 2);", "a function of integers is not in GLSL ES 1.00"),
    (
        "struct S { float a[2]; }; S f() { S s; s.a[0] = 1.0; return s; }",
        "",
        "an array as a return type is not in GLSL ES 1.00",
    ),
    (
        "void unused() { gl_FragData[0] = vec4(1.0); }",
        "gl_FragColor = vec4(1.0);",
        "'gl_FragData' beside 'gl_FragColor' is not allowed in one shader",
    ),
    (
        "",
        "float a = dFdx(1.0);",
        "'dFdx' is of an extension: expected '#extension GL_OES_standard_derivatives : enable'",
    ),
    ("", "gl_FragDepthEXT = 1.0;", "expected '#extension GL_EXT_frag_depth : enable' before"),
    (
        "uniform sampler2D s;",
        "gl_FragColor = texture2DLod(s, vec2(1.0), 0.0);",
        "expected 'texture2DLodEXT' of GL_EXT_shader_texture_lod",
    ),
    (
        "uniform sampler2D s;",
        "gl_FragColor = texture2DLodEXT(s, vec2(1.0), 0.0);",
        "GL_EXT_shader_texture_lod : enable",
    ),
];
