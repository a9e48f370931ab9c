//! Parts of GLSL ES 3.10 that are read: arrays of arrays, functions of bits, layouts that say what is bound.

use super::cases::Case;

/// A text of GLSL ES 3.00, with this version.
pub fn later(text: &str) -> String {
    text.replacen("300 es", "310 es", 1)
}

pub fn cases() -> Vec<Case> {
    let of_fragments = [
        (
            "locals",
            "",
            "float a[2][3]; for (int i = 0; i < 2; i++) { for (int j = 0; j < 3; j++) { a[i][j] = v.x * float(i * 3 + j) * \
             0.2; } } float b[3] = a[1]; float[2][3] c = a; c[0] = b; o = vec4(a[1][2], b[0], c[0][1], float(a == c));",
        ),
        (
            "constructors",
            "const float k[2][2] = float[2][2](float[2](0.1, 0.2), float[2](0.3, 0.4));",
            "float a[][2] = float[][2](float[2](v.x, 0.5), float[](v.y, 0.25)); vec2[2] b[1] = \
             vec2[1][2](vec2[2](v.xy, v.zw)); o = vec4(a[1][0], k[1][0] + k[0][1], b[0][1].x, float(a.length() + \
             a[0].length()) * 0.2);",
        ),
        (
            "sizes that values give",
            "const float k[][] = float[][](float[](0.25, 0.5), float[](0.0, 0.75));",
            "float[][] a = float[2][3](float[3](v.x, 0.5, v.y), float[](0.1, v.z, 0.2)), b = float[][](float[](v.w)); \
             vec2[] c[2] = vec2[][](vec2[](v.xy, v.zw), vec2[](v.yx, v.wz)); int i = int(v.x * 2.0) & 1; o = vec4(a[1][2] + \
             float[][](float[](v.x, v.y), float[](0.3, 0.4))[i][1 - i], b[0][0], c[i][1].y + k[1][i], float(a.length() + \
             a[0].length() + b[0].length() + c[1].length()) * 0.1);",
        ),
        (
            "qualifiers in any order",
            "highp const float k = 0.5; float f(in const float a, highp const in float b) { return a * b; }",
            "o = vec4(f(v.x, k), k, v.y, 1.0);",
        ),
        (
            "in functions",
            "float[2][2] f(float a[2][2], out float b[2][2]) { b = a; b[1][1] = 0.75; return a; }",
            "float a[2][2]; a[0][0] = a[0][1] = a[1][0] = a[1][1] = v.x; float b[2][2]; float c[2][2] = f(a, b); o = \
             vec4(b[1][1], c[1][1], b[0][1], 1.0);",
        ),
        (
            "uniforms",
            "uniform float u[2][3]; layout(std140, binding = 3) uniform B { vec3 p[2][2]; } b; struct S { float a[2][2]; }; \
             uniform S s;",
            "int i = int(v.x * 2.0) & 1; o = vec4(u[1][2], u[i][1], b.p[i][1].y, s.a[1][i]) * 0.25 + 0.25;",
        ),
        (
            "samplers",
            "layout(binding = 1) uniform sampler2D t[2][2];",
            "o = texture(t[1][0], v.xy) + texture(t[0][1], v.yx) * 0.5;",
        ),
        (
            "bits",
            "",
            "int a = int(v.x * 100.0); o = vec4(float(bitCount(a)) * 0.1, float(findMSB(a)) * 0.1, \
             float(bitfieldExtract(a, 1, 3)) * 0.1, float(findLSB(a + 8)) * 0.2);",
        ),
    ];
    let vertex = later(&super::vertex("out vec4 v;", "v = a_position.yxzw * 0.5 + 0.5;"));
    of_fragments
        .into_iter()
        .map(|(name, declarations, body)| Case {
            name: name.to_owned(),
            vertex: vertex.clone(),
            fragment: later(&super::fragment(&format!("in vec4 v;\n{declarations}"), body)),
        })
        .collect()
}
