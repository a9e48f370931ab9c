//! Built-in functions.

use super::super::error::Result;
use super::super::typed::Expr;
use super::super::types::{Scalar, Type};
use super::operator::{splat, tight};
use super::runtime::matrix;
use super::types::vector;
use super::{Value, Writer, join};

/// Functions that WGSL has under another name.
fn renamed(name: &str) -> &str {
    match name {
        "inversesqrt" => "inverseSqrt",
        "roundEven" => "round",
        "faceforward" => "faceForward",
        "dFdx" => "dpdx",
        "packSnorm2x16" => "pack2x16snorm",
        "unpackSnorm2x16" => "unpack2x16snorm",
        "packUnorm2x16" => "pack2x16unorm",
        "unpackUnorm2x16" => "unpack2x16unorm",
        "packHalf2x16" => "pack2x16float",
        "bitfieldReverse" => "reverseBits",
        other => other,
    }
}

impl Writer<'_> {
    pub(super) fn builtin(&mut self, name: &str, arguments: &[Expr], whole: &Expr) -> Result<Value> {
        if name == "modf" {
            return self.modf(arguments);
        }
        let operands: Vec<&Expr> = arguments.iter().collect();
        let values = self.operands(&operands)?;
        let values = self.unevaluated(values);
        let types: Vec<&Type> = arguments.iter().map(|argument| &argument.ty).collect();
        Ok(self.builtin_value(name, values, &types, &whole.ty))
    }

    fn modf(&mut self, arguments: &[Expr]) -> Result<Value> {
        let [value, target] = arguments else { return Ok(Value::fixed("")) };
        let value_text = self.value(value)?;
        let x = self.keep(value_text);
        let place = self.place(target)?;
        let whole = self.keep(Value::around(format!("trunc({})", x.code), &[&x]));
        let rest = self.keep(Value::around(format!("({} - {})", x.code, whole.code), &[&x, &whole]));
        self.store(&place, &whole);
        Ok(rest)
    }

    fn builtin_value(&mut self, name: &str, mut values: Vec<Value>, types: &[&Type], returns: &Type) -> Value {
        let size = match (types.first(), types.last()) {
            (Some(Type::Numeric(_, 1, a)), Some(Type::Numeric(_, 1, b))) => *a.max(b),
            _ => 1,
        };
        if let Some(symbol) = relation(name) {
            let refs: Vec<&Value> = values.iter().collect();
            return Value::around(
                format!("({})", refs.iter().map(|v| v.code.as_str()).collect::<Vec<_>>().join(symbol)),
                &refs,
            );
        }
        match name {
            "mod" => return self.modulo(values),
            "isnan" | "isinf" => return self.float_class(name, values, size),
            "floatBitsToInt" | "floatBitsToUint" | "intBitsToFloat" | "uintBitsToFloat" => {
                let Type::Numeric(to, _, rows) = returns else { return Value::fixed("") };
                let refs: Vec<&Value> = values.iter().collect();
                return Value::around(format!("bitcast<{}>({})", vector(*to, *rows), join(&values)), &refs);
            }
            "mix" if types.last().and_then(|ty| ty.scalar()) == Some(Scalar::Bool) => {
                let refs: Vec<&Value> = values.iter().collect();
                return Value::around(format!("select({})", join(&values)), &refs);
            }
            "transpose" => {
                let Type::Numeric(_, columns, rows) = *returns else { return Value::fixed("") };
                let function = self.transposition(columns, rows);
                let refs: Vec<&Value> = values.iter().collect();
                return Value::around(format!("{function}({})", join(&values)), &refs);
            }
            "matrixCompMult" | "outerProduct" | "inverse" => return self.matrix_function(name, values, returns),
            "dFdy" => {
                let sign = if self.plan.naga_convention { "" } else { "-" };
                let refs: Vec<&Value> = values.iter().collect();
                return Value::around(format!("({sign}dpdy({}))", join(&values)), &refs);
            }
            "bitCount" | "findLSB" | "findMSB" | "bitfieldExtract" | "bitfieldInsert" => {
                return bit_function(name, &values, returns);
            }
            "unpackHalf2x16" => return self.unpack_half(values),
            "not" => {
                let refs: Vec<&Value> = values.iter().collect();
                return Value::around(format!("!({})", join(&values)), &refs);
            }
            "normalize" | "dot" | "reflect" | "refract" | "faceforward" if size == 1 => {
                return self.scalar_geometry(name, values);
            }
            _ => {}
        }
        // `min(vec3, float)` and the like take vectors only in WGSL; `mix(vec3, vec3, float)` is the same in both.
        if matches!(name, "min" | "max" | "clamp" | "step" | "smoothstep") {
            for (value, ty) in values.iter_mut().zip(types) {
                if let (Type::Numeric(scalar, 1, 1), true) = (ty, size > 1) {
                    *value = splat(value, *scalar, size);
                }
            }
        }
        let refs: Vec<&Value> = values.iter().collect();
        let function = if name == "atan" && values.len() == 2 { "atan2" } else { renamed(name) };
        Value::around(format!("{function}({})", join(&values)), &refs)
    }

    fn modulo(&mut self, values: Vec<Value>) -> Value {
        let mut kept = values.into_iter().map(|value| self.keep(value));
        let (Some(x), Some(y)) = (kept.next(), kept.next()) else { return Value::fixed("") };
        Value::around(format!("({0} - {1} * floor({0} / {1}))", x.code, y.code), &[&x, &y])
    }

    /// Mesa folds the second half of a constant to 0: it shifts the word to the wrong side. So each is taken for a first.
    fn unpack_half(&mut self, values: Vec<Value>) -> Value {
        let Some(word) = values.into_iter().next() else { return Value::fixed("") };
        let word = self.keep(word);
        let code = format!("vec2<f32>(unpack2x16float({0}).x, unpack2x16float({0} >> 16u).x)", word.code);
        Value::around(code, &[&word])
    }

    fn float_class(&mut self, name: &str, values: Vec<Value>, size: u8) -> Value {
        let bits = vector(Scalar::Uint, size);
        let symbol = if name == "isnan" { ">" } else { "==" };
        let refs: Vec<&Value> = values.iter().collect();
        let magnitude = format!("(bitcast<{bits}>({}) & {bits}(0x7fffffffu))", join(&values));
        Value::around(format!("({magnitude} {symbol} {bits}(0x7f800000u))"), &refs)
    }

    fn matrix_function(&mut self, name: &str, values: Vec<Value>, returns: &Type) -> Value {
        let Type::Numeric(_, columns, rows) = *returns else { return Value::fixed("") };
        let kept: Vec<Value> = values.into_iter().map(|value| self.keep(value)).collect();
        let refs: Vec<&Value> = kept.iter().collect();
        let code = match (name, kept.as_slice()) {
            ("matrixCompMult", [a, b]) => {
                let parts: Vec<_> = (0..columns).map(|c| format!("{}[{c}] * {}[{c}]", a.code, b.code)).collect();
                format!("{}({})", matrix(columns, rows), parts.join(", "))
            }
            ("outerProduct", [a, b]) => {
                let parts: Vec<_> =
                    (0..columns).map(|c| format!("{} * {}[{c}]", tight(&a.code), tight(&b.code))).collect();
                format!("{}({})", matrix(columns, rows), parts.join(", "))
            }
            _ => {
                let function = match columns {
                    2 => self.runtime("gl_inverse2"),
                    3 => self.runtime("gl_inverse3"),
                    _ => self.runtime("gl_inverse4"),
                };
                format!("{function}({})", join(&kept))
            }
        };
        Value::around(code, &refs)
    }

    /// What WGSL has for vectors only.
    fn scalar_geometry(&mut self, name: &str, values: Vec<Value>) -> Value {
        let kept: Vec<Value> = values.into_iter().map(|value| self.keep(value)).collect();
        let refs: Vec<&Value> = kept.iter().collect();
        let code = match (name, kept.as_slice()) {
            ("normalize", [x]) => format!("sign({})", x.code),
            ("dot", [a, b]) => format!("({} * {})", a.code, b.code),
            ("reflect", [i, n]) => format!("({i} - 2.0f * ({n} * {i}) * {n})", i = i.code, n = n.code),
            ("faceforward", [n, i, r]) => {
                format!("select(-({n}), {n}, ({r} * {i}) < 0.0f)", n = n.code, i = i.code, r = r.code)
            }
            _ => format!("{}({})", self.runtime("gl_refract1"), join(&kept)),
        };
        Value::around(code, &refs)
    }
}

/// Functions of bits: counts and positions are signed in GLSL, offsets unsigned in WGSL.
fn bit_function(name: &str, values: &[Value], returns: &Type) -> Value {
    let refs: Vec<&Value> = values.iter().collect();
    let text = |at: usize| values.get(at).map(|value| value.code.as_str()).unwrap_or_default();
    let code = match name {
        "bitfieldExtract" => format!("extractBits({}, u32({}), u32({}))", text(0), text(1), text(2)),
        "bitfieldInsert" => format!("insertBits({}, {}, u32({}), u32({}))", text(0), text(1), text(2), text(3)),
        _ => {
            let function = match name {
                "bitCount" => "countOneBits",
                "findLSB" => "firstTrailingBit",
                _ => "firstLeadingBit",
            };
            let Type::Numeric(to, _, rows) = returns else { return Value::fixed("") };
            format!("{}({function}({}))", vector(*to, *rows), text(0))
        }
    };
    Value::around(code, &refs)
}

fn relation(name: &str) -> Option<&'static str> {
    Some(match name {
        "lessThan" => " < ",
        "lessThanEqual" => " <= ",
        "greaterThan" => " > ",
        "greaterThanEqual" => " >= ",
        "equal" => " == ",
        "notEqual" => " != ",
        _ => return None,
    })
}
