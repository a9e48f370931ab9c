//! One shader pair a feature: every built-in function with every overload, every operator with every type, every
//! constructor, and the constructs of the language. Each computes something from varyings and shows it as a colour.

use glsl_es::{Scalar, Type, all_signatures};

/// A pair that shows one feature.
pub struct Case {
    pub name: String,
    pub vertex: String,
    pub fragment: String,
}

pub const CASE_VERTEX: &str = "#version 300 es
in vec4 a_position; in vec4 a_color; in vec4 a_extra;
out vec4 v_a; out vec4 v_b;
void main() { v_a = a_color; v_b = a_extra; gl_Position = a_position; }
";

/// `enc` turns any value into a colour that shows differences: floats are squeezed into 0..1, integers folded to a byte.
pub const HEADER: &str = "#version 300 es
precision highp float; precision highp int;
precision highp sampler2D; precision highp sampler3D; precision highp samplerCube; precision highp sampler2DArray;
precision highp sampler2DShadow; precision highp samplerCubeShadow; precision highp sampler2DArrayShadow;
precision highp isampler2D; precision highp isampler3D; precision highp isamplerCube; precision highp isampler2DArray;
precision highp usampler2D; precision highp usampler3D; precision highp usamplerCube; precision highp usampler2DArray;
in vec4 v_a; in vec4 v_b;
out vec4 o;
vec4 enc(vec4 x) { return 0.5 + 0.5 * x / (1.0 + abs(x)); }
vec4 enc(vec3 x) { return enc(vec4(x, 0.3)); }
vec4 enc(vec2 x) { return enc(vec4(x, 0.3, 0.6)); }
vec4 enc(float x) { return enc(vec4(x, x * 4.0, x * 0.25, 1.0)); }
vec4 enc(ivec4 i) { return vec4((i ^ (i >> 8) ^ (i >> 16) ^ (i >> 24)) & 255) / 255.0; }
vec4 enc(ivec3 i) { return enc(ivec4(i, 77)); }
vec4 enc(ivec2 i) { return enc(ivec4(i, 77, 99)); }
vec4 enc(int i) { return enc(ivec4(i, i * 3, i >> 3, 255)); }
vec4 enc(uvec4 i) { return vec4((i ^ (i >> 8u) ^ (i >> 16u) ^ (i >> 24u)) & 255u) / 255.0; }
vec4 enc(uvec3 i) { return enc(uvec4(i, 77u)); }
vec4 enc(uvec2 i) { return enc(uvec4(i, 77u, 99u)); }
vec4 enc(uint i) { return enc(uvec4(i, i * 3u, i >> 3u, 255u)); }
vec4 enc(bvec4 b) { return vec4(b) * 0.8 + 0.1; }
vec4 enc(bvec3 b) { return enc(bvec4(b, true)); }
vec4 enc(bvec2 b) { return enc(bvec4(b, true, false)); }
vec4 enc(bool b) { return enc(bvec4(b, !b, b, true)); }
vec4 enc(mat2 m) { return enc(vec4(m[0], m[1])); }
vec4 enc(mat2x3 m) { return enc(vec4(m[0], m[1].x) + vec4(m[1].yz, 0.0, 0.0) * 0.7); }
vec4 enc(mat2x4 m) { return enc(m[0] + m[1].wzyx * 0.7); }
vec4 enc(mat3x2 m) { return enc(vec4(m[0], m[1]) + vec4(m[2], 0.0, 0.0) * 0.7); }
vec4 enc(mat3 m) { return enc(vec4(m[0] + m[1].zxy * 0.7, 0.0) + vec4(m[2].x, m[2].yz, 0.0).wxyz * 0.4); }
vec4 enc(mat3x4 m) { return enc(m[0] + m[1].wzyx * 0.7 + m[2].yxwz * 0.4); }
vec4 enc(mat4x2 m) { return enc(vec4(m[0], m[1]) + vec4(m[2], m[3]).zwyx * 0.7); }
vec4 enc(mat4x3 m) { return enc(vec4(m[0] + m[1].zxy * 0.7, 0.0) + vec4(m[2], m[3].x) * 0.4 + vec4(m[3], 0.0).wzyx * 0.3); }
vec4 enc(mat4 m) { return enc(m[0] + m[1].wzyx * 0.7 + m[2].yxwz * 0.4 + m[3].zwxy * 0.2); }
";

/// A fragment case: declarations and the statements of `main`.
pub fn case(name: impl Into<String>, declarations: &str, body: &str) -> Case {
    let fragment = format!("{HEADER}{declarations}\nvoid main() {{\n{body}\n}}\n");
    Case { name: name.into(), vertex: CASE_VERTEX.to_owned(), fragment }
}

const SWIZZLES: [&str; 4] = ["x", "xy", "xyz", "xyzw"];

/// An expression of a type, different for each `seed`, that varies over the target.
pub fn varied(ty: &Type, seed: usize, positive: bool) -> String {
    let base = ["v_a", "v_b", "v_a.wzyx", "v_b.yxwz"][seed % 4];
    match ty {
        Type::Numeric(scalar, 1, size) => {
            let swizzle = SWIZZLES[usize::from(*size) - 1];
            match scalar {
                Scalar::Float if positive => format!("({base}.{swizzle} * 0.9 + 0.05)"),
                Scalar::Float => format!("({base}.{swizzle} * 3.0 - 1.3)"),
                Scalar::Int if positive => format!("ivec4({base} * 20.0 + 1.0).{swizzle}"),
                Scalar::Int => format!("ivec4({base} * 30.0 - 14.5).{swizzle}"),
                Scalar::Uint => format!("uvec4({base} * 29.0 + 1.0).{swizzle}"),
                Scalar::Bool => {
                    let compare = ["lessThan", "greaterThan"][seed % 2];
                    format!("{compare}({base}, vec4(0.35, 0.5, 0.65, 0.4)).{swizzle}")
                }
            }
        }
        Type::Numeric(_, columns, rows) => {
            let column = |c: u8| {
                let swizzle = SWIZZLES[usize::from(*rows) - 1];
                let source = ["v_a", "v_b", "v_a.wzyx", "v_b.yxwz"][(seed + usize::from(c)) % 4];
                format!("{source}.{swizzle} * {:.1} - 0.4", 1.0 + f32::from(c) * 0.3)
            };
            let columns: Vec<_> = (0..*columns).map(column).collect();
            format!("{ty}({})", columns.join(", "))
        }
        _ => unreachable!(),
    }
}

/// Every overload of every function without textures and matrices.
pub fn builtin_functions() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, returns, parameters, out) in all_signatures() {
        let positive =
            matches!(name, "asin" | "acos" | "atanh" | "log" | "log2" | "sqrt" | "inversesqrt" | "pow" | "acosh");
        let mut arguments: Vec<String> =
            parameters.iter().enumerate().map(|(at, ty)| varied(ty, at, positive)).collect();
        match name {
            "acosh" => arguments[0] = format!("({} + 1.1)", arguments[0]),
            "clamp" => {
                let (low, high) = (arguments[1].clone(), arguments[2].clone());
                arguments[1] = format!("min({low}, {high})");
                arguments[2] = format!("max({low}, {high})");
            }
            "smoothstep" => arguments[1] = format!("({} + 3.5)", arguments[0].replace("v_a", "v_b")),
            "step" => arguments[0] = format!("({} + 0.00371)", arguments[0]),
            "mod" => arguments[1] = format!("(abs({}) + 0.3)", arguments[1]),
            "intBitsToFloat" => arguments[0] = format!("floatBitsToInt({})", varied(&returns, 0, false)),
            "uintBitsToFloat" => arguments[0] = format!("floatBitsToUint({})", varied(&returns, 0, false)),
            "unpackHalf2x16" => arguments[0] = "packHalf2x16(v_a.xy * 3.0 - 1.0)".to_owned(),
            "unpackSnorm2x16" | "unpackUnorm2x16" => arguments[0] = "uint(v_a.x * 97.0) * 44278013u".to_owned(),
            // Steps of the input, so that the last bit of a rounding is the same everywhere.
            "packSnorm2x16" | "packUnorm2x16" => arguments[0] = "floor(v_a.xy * 90.0 - 20.0) / 50.0".to_owned(),
            "tan" => arguments[0] = format!("({} * 0.5)", arguments[0]),
            _ => {}
        }
        let mut body = String::new();
        if let Some(out) = out {
            body += &format!("{} t;\n", parameters[out]);
            arguments[out] = "t".to_owned();
        }
        let call = format!("{name}({})", arguments.join(", "));
        let shown = match name {
            "floatBitsToInt" => format!("{call} >> 17"),
            "floatBitsToUint" => format!("{call} >> 17u"),
            "packHalf2x16" => format!("{call} >> 4u & 0xf0fu"),
            // Derivatives of the same quad are alike, but scaled to be seen.
            "dFdx" | "dFdy" | "fwidth" => format!("{call} * 20.0"),
            _ => call,
        };
        body += &format!("{returns} r = {shown};\no = enc(r)");
        body += if out.is_some() { " * 0.5 + enc(t) * 0.5;" } else { ";" };
        let types: Vec<_> = parameters.iter().map(Type::to_string).collect();
        cases.push(case(format!("{name}({})", types.join(", ")), "", &body));
    }
    cases
}

/// All types with components.
fn numeric_types() -> Vec<Type> {
    let words = "float vec2 vec3 vec4 int ivec2 ivec3 ivec4 uint uvec2 uvec3 uvec4 bool bvec2 bvec3 bvec4 mat2 mat2x3 mat2x4 \
                 mat3x2 mat3 mat3x4 mat4x2 mat4x3 mat4";
    words.split_whitespace().map(|word| Type::from_keyword(word).unwrap()).collect()
}

fn size(ty: &Type) -> (Scalar, u8, u8) {
    match ty {
        Type::Numeric(scalar, columns, rows) => (*scalar, *columns, *rows),
        _ => unreachable!(),
    }
}

/// Every operator with every pair of types that it takes.
pub fn operators() -> Vec<Case> {
    let mut cases = Vec::new();
    let types = numeric_types();
    for left in &types {
        for right in &types {
            let ((ls, lc, lr), (rs, rc, rr)) = (size(left), size(right));
            let a = varied(left, 0, false);
            let b = varied(right, 1, rs == Scalar::Int);
            let mut add = |operator: &str, result: &Type, b: &str| {
                let name = format!("{left} {operator} {right}");
                cases.push(case(name, "", &format!("{result} r = ({a}) {operator} ({b});\no = enc(r);")));
                if result == left && !matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" | "^^") {
                    let name = format!("{left} {operator}= {right}");
                    cases.push(case(name, "", &format!("{left} r = {a};\nr {operator}= {b};\no = enc(r);")));
                }
            };
            let scalar_pair = (lc, lr) == (1, 1) || (rc, rr) == (1, 1) || left == right;
            let wider = if (lc, lr) == (1, 1) { right } else { left };
            if ls == rs && ls != Scalar::Bool && scalar_pair {
                for operator in ["+", "-", "*", "/"] {
                    if operator == "*" && left == right && lc > 1 {
                        continue;
                    }
                    let divisor = match (ls, operator) {
                        (Scalar::Float, "/") => {
                            format!("({b}) * ({b}) + 0.4").replace(&format!("({b}) * ({b})"), &square(right, &b))
                        }
                        _ => b.clone(),
                    };
                    add(operator, wider, &divisor);
                }
                if matches!(ls, Scalar::Int | Scalar::Uint) {
                    for operator in ["&", "|", "^"] {
                        add(operator, wider, &b);
                    }
                    if ls == Scalar::Uint {
                        add("%", wider, &b);
                    }
                }
            }
            if matches!(ls, Scalar::Int | Scalar::Uint)
                && matches!(rs, Scalar::Int | Scalar::Uint)
                && (rr == 1 || rr == lr)
            {
                for operator in ["<<", ">>"] {
                    let by = if rs == Scalar::Int { format!("({b}) & 7") } else { format!("({b}) & 7u") };
                    add(operator, left, &by);
                }
            }
            if left == right {
                let coarse = coarse(left, &a);
                let other = coarse_other(left);
                for operator in ["==", "!="] {
                    let name = format!("{left} {operator} {right}");
                    cases.push(case(name, "", &format!("o = enc(({coarse}) {operator} ({other}));")));
                }
            }
            if left == right && (lc, lr) == (1, 1) {
                let operators: &[&str] = if ls == Scalar::Bool { &["&&", "||", "^^"] } else { &["<", ">", "<=", ">="] };
                for operator in operators {
                    let name = format!("{left} {operator} {right}");
                    cases.push(case(name, "", &format!("o = enc(({a}) {operator} ({b}));")));
                }
            }
            let linear = ls == Scalar::Float && rs == Scalar::Float && (lc > 1 || rc > 1);
            if linear {
                let result = if lc > 1 && rc == 1 && rr > 1 && lc == rr {
                    Some(Type::vector(Scalar::Float, lr))
                } else if lc == 1 && lr > 1 && rc > 1 && lr == rr {
                    Some(Type::vector(Scalar::Float, rc))
                } else if lc > 1 && rc > 1 && lc == rr {
                    Some(Type::Numeric(Scalar::Float, rc, lr))
                } else {
                    None
                };
                if let Some(result) = result {
                    let name = format!("{left} * {right}");
                    cases.push(case(name, "", &format!("{result} r = ({a}) * ({b});\no = enc(r);")));
                }
            }
        }
    }
    for ty in &types {
        let (scalar, ..) = size(ty);
        let a = varied(ty, 0, false);
        if scalar != Scalar::Bool {
            for (name, text) in
                [("-", "-r"), ("+", "+r"), ("++r", "++r"), ("--r", "--r"), ("r++", "r++"), ("r--", "r--")]
            {
                let body = format!("{ty} r = {a};\n{ty} q = {text};\no = enc(r) * 0.5 + enc(q) * 0.5;");
                cases.push(case(format!("{name} of {ty}"), "", &body));
            }
        }
        if matches!(scalar, Scalar::Int | Scalar::Uint) {
            cases.push(case(format!("~{ty}"), "", &format!("o = enc(~{a});")));
        }
    }
    cases
}

fn square(ty: &Type, b: &str) -> String {
    if size(ty).1 > 1 { format!("matrixCompMult({b}, {b})") } else { format!("({b}) * ({b})") }
}

fn coarse(ty: &Type, a: &str) -> String {
    match size(ty) {
        (Scalar::Float, 1, 1) => format!("floor({a})"),
        (Scalar::Float, 1, _) => format!("floor({a})"),
        (Scalar::Float, columns, rows) => {
            let column = format!("floor(v_a.{} * 1.4)", SWIZZLES[usize::from(rows) - 1]);
            format!("{ty}({})", vec![column; usize::from(columns)].join(", "))
        }
        _ => a.to_owned(),
    }
}

fn coarse_other(ty: &Type) -> String {
    match size(ty) {
        (Scalar::Float, 1, _) => format!("{ty}(0.0)"),
        (Scalar::Float, columns, rows) => {
            let zero = Type::vector(Scalar::Float, rows);
            format!("{ty}({})", vec![format!("{zero}(0.0)"); usize::from(columns)].join(", "))
        }
        (Scalar::Bool, ..) => varied(ty, 1, false),
        _ => varied(ty, 2, false),
    }
}

/// Constructors: from a scalar, between scalar kinds, between matrices, from mixed parts, of arrays.
pub fn constructors() -> Vec<Case> {
    let mut cases = Vec::new();
    let types = numeric_types();
    for to in &types {
        for from in &types {
            let ((ts, tc, tr), (fs, fc, fr)) = (size(to), size(from));
            let enough = u32::from(fc) * u32::from(fr) >= u32::from(tc) * u32::from(tr);
            let from_scalar = (fc, fr) == (1, 1);
            let matrices = tc > 1 && fc > 1;
            if !(from_scalar || matrices || enough) {
                continue;
            }
            // Negative floats have no defined value as uint.
            let a = varied(from, 0, ts == Scalar::Uint && fs == Scalar::Float);
            let a = if ts == Scalar::Uint && fc > 1 { a.replace(" - 0.4", " + 0.4") } else { a };
            cases.push(case(format!("{to}({from})"), "", &format!("o = enc({to}({a}));")));
        }
    }
    let mixed = [
        ("vec4(vec2, float, int)", "vec4(v_a.xy, v_b.x, int(v_b.y * 9.0))"),
        ("vec4(float, vec3)", "vec4(v_a.x, v_b.xyz)"),
        ("vec3(vec2, vec2)", "vec3(v_a.xy, v_b.zw)"),
        ("ivec3(vec2, bool)", "ivec3(v_a.xy * 9.0, v_b.x > 0.5)"),
        ("bvec2(float, int)", "bvec2(floor(v_a.x * 2.0), int(v_b.x * 2.0))"),
        ("mat2(float, vec2, float)", "mat2(v_a.x, v_b.xy, v_a.y)"),
        ("mat3(vec4, vec4, float)", "mat3(v_a, v_b, v_a.x)"),
        ("mat2x3(vec2, vec4)", "mat2x3(v_a.xy, v_b)"),
        ("mat2(int, bool, float, uint)", "mat2(int(v_a.x * 3.0), v_b.x > 0.5, v_a.y, 2u)"),
        ("vec4(mat2)", "vec4(mat2(v_a))"),
        ("vec3(float, mat2)", "vec3(v_b.x, mat2(v_a))"),
        ("mat4(vec4 * 4)", "mat4(v_a, v_b, v_a.wzyx, v_b.yxwz)"),
        ("mat3x2(vec3, vec3)", "mat3x2(v_a.xyz, v_b.xyz)"),
    ];
    cases.extend(mixed.iter().map(|(name, text)| case(*name, "", &format!("o = enc({text});"))));
    cases
}

/// Functions of matrices.
pub fn matrix_functions() -> Vec<Case> {
    let mut cases = Vec::new();
    for columns in 2..=4u8 {
        for rows in 2..=4u8 {
            let ty = Type::Numeric(Scalar::Float, columns, rows);
            let a = varied(&ty, 0, false);
            let b = varied(&ty, 1, false);
            cases.push(case(format!("matrixCompMult({ty})"), "", &format!("o = enc(matrixCompMult({a}, {b}));")));
            cases.push(case(format!("transpose({ty})"), "", &format!("o = enc(transpose({a}));")));
            let (c, r) = (
                varied(&Type::vector(Scalar::Float, rows), 0, false),
                varied(&Type::vector(Scalar::Float, columns), 1, false),
            );
            cases.push(case(format!("outerProduct -> {ty}"), "", &format!("o = enc(outerProduct({c}, {r}));")));
            let elements = format!(
                "{ty} m = {a};\nint i = int(v_b.x * {}.0), j = int(v_b.y * {}.0);\nm[i][j] += 1.0;\nm[j % {columns}] *= 0.5;\no = enc(m) * 0.5 + enc(m[i]) * 0.5;",
                columns - 1,
                rows - 1
            );
            cases.push(case(format!("elements of {ty}"), "", &elements));
            let products = format!(
                "{ty} m = {a}; o = enc(transpose(m) * transpose({})) * 0.5 + enc(m * transpose({b})) * 0.5;",
                varied(&Type::Numeric(Scalar::Float, rows, columns), 1, false)
            );
            cases.push(case(format!("products of transposed {ty}"), "", &products.replace("enc(", "enc(0.3 * ")));
            if columns == rows {
                let regular = format!("{ty}(2.5) + 0.3 * {a}");
                cases.push(case(format!("inverse({ty})"), "", &format!("o = enc(inverse({regular}) * 2.0);")));
                cases.push(case(format!("determinant({ty})"), "", &format!("o = enc(determinant({regular}) * 0.1);")));
            }
        }
    }
    cases
}
