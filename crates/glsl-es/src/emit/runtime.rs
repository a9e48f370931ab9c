//! Functions that GLSL has and WGSL lacks, written into a module that needs them.

use super::super::types::Type;
use super::types::{member, numeric};
use super::{Value, Writer};

/// Inverse by cofactors, as drivers do. Division comes last.
const INVERSE2: &str = "fn gl_inverse2(m: mat2x2<f32>) -> mat2x2<f32> {
  let d = m[0][0] * m[1][1] - m[1][0] * m[0][1];
  return mat2x2<f32>(m[1][1] / d, -m[0][1] / d, -m[1][0] / d, m[0][0] / d);
}
";

const INVERSE3: &str = "fn gl_inverse3(m: mat3x3<f32>) -> mat3x3<f32> {
  let a = cross(m[1], m[2]);
  let b = cross(m[2], m[0]);
  let c = cross(m[0], m[1]);
  let d = dot(m[0], a);
  return transpose(mat3x3<f32>(a / d, b / d, c / d));
}
";

const INVERSE4: &str = "fn gl_inverse4(m: mat4x4<f32>) -> mat4x4<f32> {
  let b00 = m[0][0] * m[1][1] - m[0][1] * m[1][0];
  let b01 = m[0][0] * m[1][2] - m[0][2] * m[1][0];
  let b02 = m[0][0] * m[1][3] - m[0][3] * m[1][0];
  let b03 = m[0][1] * m[1][2] - m[0][2] * m[1][1];
  let b04 = m[0][1] * m[1][3] - m[0][3] * m[1][1];
  let b05 = m[0][2] * m[1][3] - m[0][3] * m[1][2];
  let b06 = m[2][0] * m[3][1] - m[2][1] * m[3][0];
  let b07 = m[2][0] * m[3][2] - m[2][2] * m[3][0];
  let b08 = m[2][0] * m[3][3] - m[2][3] * m[3][0];
  let b09 = m[2][1] * m[3][2] - m[2][2] * m[3][1];
  let b10 = m[2][1] * m[3][3] - m[2][3] * m[3][1];
  let b11 = m[2][2] * m[3][3] - m[2][3] * m[3][2];
  let d = b00 * b11 - b01 * b10 + b02 * b09 + b03 * b08 - b04 * b07 + b05 * b06;
  return mat4x4<f32>(
    vec4<f32>(m[1][1] * b11 - m[1][2] * b10 + m[1][3] * b09, m[0][2] * b10 - m[0][1] * b11 - m[0][3] * b09,
      m[3][1] * b05 - m[3][2] * b04 + m[3][3] * b03, m[2][2] * b04 - m[2][1] * b05 - m[2][3] * b03) / d,
    vec4<f32>(m[1][2] * b08 - m[1][0] * b11 - m[1][3] * b07, m[0][0] * b11 - m[0][2] * b08 + m[0][3] * b07,
      m[3][2] * b02 - m[3][0] * b05 - m[3][3] * b01, m[2][0] * b05 - m[2][2] * b02 + m[2][3] * b01) / d,
    vec4<f32>(m[1][0] * b10 - m[1][1] * b08 + m[1][3] * b06, m[0][1] * b08 - m[0][0] * b10 - m[0][3] * b06,
      m[3][0] * b04 - m[3][1] * b02 + m[3][3] * b00, m[2][1] * b02 - m[2][0] * b04 - m[2][3] * b00) / d,
    vec4<f32>(m[1][1] * b07 - m[1][0] * b09 - m[1][2] * b06, m[0][0] * b09 - m[0][1] * b07 + m[0][2] * b06,
      m[3][1] * b01 - m[3][0] * b03 - m[3][2] * b00, m[2][0] * b03 - m[2][1] * b01 + m[2][2] * b00) / d);
}
";

const REFRACT1: &str = "fn gl_refract1(i: f32, n: f32, eta: f32) -> f32 {
  let k = 1.0 - eta * eta * (1.0 - n * i * (n * i));
  if (k < 0.0) {
    return 0.0;
  }
  return eta * i - (eta * (n * i) + sqrt(k)) * n;
}
";

/// Which of six layers a direction hits, and where: GL's table of cube faces.
const CUBE_FACE: &str = "fn gl_cube_face(d: vec3<f32>) -> vec3<f32> {
  let a = abs(d);
  var layer = 0.0;
  var st = vec2<f32>(-d.z, -d.y);
  var m = a.x;
  if (a.x >= a.y && a.x >= a.z) {
    if (d.x < 0.0) {
      layer = 1.0;
      st.x = d.z;
    }
  } else if (a.y >= a.z) {
    layer = select(2.0, 3.0, d.y < 0.0);
    st = vec2<f32>(d.x, select(d.z, -d.z, d.y < 0.0));
    m = a.y;
  } else {
    layer = select(4.0, 5.0, d.z < 0.0);
    st = vec2<f32>(select(d.x, -d.x, d.z < 0.0), -d.y);
    m = a.z;
  }
  return vec3<f32>(clamp((st / m + 1.0) * 0.5, vec2<f32>(0.0), vec2<f32>(0.99999994)), layer);
}
";

const FLOAT_FROM_BITS: &str = "fn gl_float_from_bits(bits: u32) -> f32 {
  return bitcast<f32>(bits);
}
";

impl Writer<'_> {
    /// Name of a function of ours, which the module will then hold.
    pub(super) fn runtime(&mut self, name: &'static str) -> &'static str {
        let text = match name {
            "gl_inverse2" => INVERSE2,
            "gl_inverse3" => INVERSE3,
            "gl_inverse4" => INVERSE4,
            "gl_refract1" => REFRACT1,
            "gl_cube_face" => CUBE_FACE,
            _ => FLOAT_FROM_BITS,
        };
        self.runtime.entry(name.to_owned()).or_insert_with(|| text.to_owned());
        name
    }

    /// Name of what transposes a matrix into one of `columns` and `rows`.
    ///
    /// Mesa's SPIR-V reader folds a product of two transposed matrices into the transposed product of their originals,
    /// with sizes that only square ones have, and loses the device. A function of our own hides the transposition.
    pub(super) fn transposition(&mut self, columns: u8, rows: u8) -> String {
        if columns == rows {
            return "transpose".to_owned();
        }
        let name = format!("gl_transpose{columns}x{rows}");
        let column = |column: u8| {
            let cells: Vec<_> = (0..rows).map(|row| format!("m[{row}][{column}]")).collect();
            format!("vec{rows}<f32>({})", cells.join(", "))
        };
        let lines: Vec<_> = (0..columns).map(column).collect();
        let (from, to) = (matrix(rows, columns), matrix(columns, rows));
        let text = format!("fn {name}(m: {from}) -> {to} {{\n  return {to}({});\n}}\n", lines.join(", "));
        self.runtime.entry(name.clone()).or_insert(text);
        name
    }

    /// Name of the function that compares two structs or arrays.
    pub(super) fn equality(&mut self, ty: &Type) -> String {
        let text = self.ty(ty);
        let key: String = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { 'x' }).collect();
        let name = format!("gl_same_{key}_q");
        if self.runtime.contains_key(&name) {
            return name;
        }
        self.runtime.insert(name.clone(), String::new());
        let mut body = String::new();
        match ty {
            Type::Array(of, length) => {
                let i = Value::fixed("i");
                let one = self.same(&Value::read("a").element(&i), &Value::read("b").element(&i), of).prefixed("!");
                body += &format!(
                    "  for (var i = 0u; i < {length}u; i++) {{\n    if ({one}) {{\n      return false;\n    }}\n  }}\n"
                );
            }
            Type::Struct(of) => {
                for (name, ty) in &of.members {
                    let member = member(name);
                    let (a, b) = (Value::read("a").member(member.clone()), Value::read("b").member(member));
                    let one = self.same(&a, &b, ty).prefixed("!");
                    body += &format!("  if ({one}) {{\n    return false;\n  }}\n");
                }
            }
            _ => {}
        }
        // Arrays are indexed at run time, which needs memory.
        let function = format!(
            "fn {name}(x: {text}, y: {text}) -> bool {{\n  var a = x;\n  var b = y;\n{body}  return true;\n}}\n"
        );
        self.runtime.insert(name.clone(), function);
        name
    }

    /// `a == b` as one `bool`, for any type. Both may be written several times.
    pub(super) fn same(&mut self, a: &Value, b: &Value, ty: &Type) -> Value {
        let all = |a: &Value, b: &Value| Value::call("all", vec![a.infix("==", b)]);
        match ty {
            Type::Numeric(_, 1, 1) => a.infix("==", b),
            Type::Numeric(_, 1, _) => all(a, b),
            Type::Numeric(_, columns, _) => {
                let parts = (0..*columns).map(|column| all(&a.column(column), &b.column(column)));
                parts.reduce(|same, next| same.infix("&&", &next)).unwrap_or(Value::nothing())
            }
            _ => Value::call(self.equality(ty), vec![a.clone(), b.clone()]),
        }
    }
}

/// The matrix type with `columns` and `rows`.
pub(crate) fn matrix(columns: u8, rows: u8) -> String {
    numeric(super::super::types::Scalar::Float, columns, rows)
}
