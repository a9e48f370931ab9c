//! Built-in functions.

use super::super::error::Result;
use super::super::typed::Expr;
use super::super::types::{Scalar, Type};
use super::operator::splat;
use super::runtime::matrix;
use super::types::vector;
use super::{Value, Writer};

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
        let [value, target] = arguments else { return Ok(Value::nothing()) };
        let value = self.value(value)?;
        let x = self.keep(value);
        let place = self.place(target)?;
        let whole = self.keep(Value::call("trunc", vec![x.clone()]));
        let rest = self.keep(x.infix("-", &whole));
        self.store(&place, &whole);
        Ok(rest)
    }

    fn builtin_value(&mut self, name: &str, mut values: Vec<Value>, types: &[&Type], returns: &Type) -> Value {
        let size = match (types.first(), types.last()) {
            (Some(Type::Numeric(_, 1, a)), Some(Type::Numeric(_, 1, b))) => *a.max(b),
            _ => 1,
        };
        if let Some(symbol) = relation(name) {
            return match values.as_slice() {
                [a, b] => a.infix(symbol, b),
                _ => Value::nothing(),
            };
        }
        match name {
            "mod" => return self.modulo(values),
            "isnan" | "isinf" => return self.float_class(name, values, size),
            "floatBitsToInt" | "floatBitsToUint" | "intBitsToFloat" | "uintBitsToFloat" => {
                let Type::Numeric(to, _, rows) = returns else { return Value::nothing() };
                return Value::call(bitcast(*to, *rows), values);
            }
            "mix" if types.last().and_then(|ty| ty.scalar()) == Some(Scalar::Bool) => {
                return Value::call("select", values);
            }
            "transpose" => {
                let Type::Numeric(_, columns, rows) = *returns else { return Value::nothing() };
                return Value::call(self.transposition(columns, rows), values);
            }
            "matrixCompMult" | "outerProduct" | "inverse" => return self.matrix_function(name, values, returns),
            "dFdy" => {
                let change = Value::call("dpdy", values);
                return if self.plan.naga_convention { change } else { change.prefixed("-") };
            }
            "bitCount" | "findLSB" | "findMSB" | "bitfieldExtract" | "bitfieldInsert" => {
                return bit_function(name, &values, returns);
            }
            "unpackHalf2x16" => return self.unpack_half(values),
            "not" => return values.first().map_or(Value::nothing(), |value| value.prefixed("!")),
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
        let function = if name == "atan" && values.len() == 2 { "atan2" } else { renamed(name) };
        Value::call(function.to_owned(), values)
    }

    fn modulo(&mut self, values: Vec<Value>) -> Value {
        let mut kept = values.into_iter().map(|value| self.keep(value));
        let (Some(x), Some(y)) = (kept.next(), kept.next()) else { return Value::nothing() };
        let quotient = Value::call("floor", vec![x.infix("/", &y)]);
        x.infix("-", &y.infix("*", &quotient))
    }

    /// Mesa folds the second half of a constant to 0: it shifts the word to the wrong side. So each is taken for a first.
    fn unpack_half(&mut self, values: Vec<Value>) -> Value {
        let Some(word) = values.into_iter().next() else { return Value::nothing() };
        let word = self.keep(word);
        let half = |word: Value| Value::call("unpack2x16float", vec![word]).member("x");
        let second = word.infix(">>", &Value::literal("16u"));
        Value::call(vector(Scalar::Float, 2), vec![half(word), half(second)])
    }

    fn float_class(&mut self, name: &str, values: Vec<Value>, size: u8) -> Value {
        let symbol = if name == "isnan" { ">" } else { "==" };
        let constant = |bits: &'static str| Value::call(vector(Scalar::Uint, size), vec![Value::literal(bits)]);
        let magnitude = Value::call(bitcast(Scalar::Uint, size), values).infix("&", &constant("0x7fffffffu"));
        magnitude.infix(symbol, &constant("0x7f800000u"))
    }

    fn matrix_function(&mut self, name: &str, values: Vec<Value>, returns: &Type) -> Value {
        let Type::Numeric(_, columns, rows) = *returns else { return Value::nothing() };
        let kept: Vec<Value> = values.into_iter().map(|value| self.keep(value)).collect();
        match (name, kept.as_slice()) {
            ("matrixCompMult", [a, b]) => {
                let parts = (0..columns).map(|c| a.column(c).infix("*", &b.column(c))).collect();
                Value::call(matrix(columns, rows), parts)
            }
            ("outerProduct", [a, b]) => {
                let parts = (0..columns).map(|c| a.infix("*", &b.column(c))).collect();
                Value::call(matrix(columns, rows), parts)
            }
            _ => {
                let function = match columns {
                    2 => self.runtime("gl_inverse2"),
                    3 => self.runtime("gl_inverse3"),
                    _ => self.runtime("gl_inverse4"),
                };
                Value::call(function, kept)
            }
        }
    }

    /// What WGSL has for vectors only.
    fn scalar_geometry(&mut self, name: &str, values: Vec<Value>) -> Value {
        let kept: Vec<Value> = values.into_iter().map(|value| self.keep(value)).collect();
        match (name, kept.as_slice()) {
            ("normalize", [_]) => Value::call("sign", kept),
            ("dot", [a, b]) => a.infix("*", b),
            ("reflect", [i, n]) => {
                let twice = Value::literal("2.0f").infix("*", &n.infix("*", i));
                i.infix("-", &twice.infix("*", n))
            }
            ("faceforward", [n, i, r]) => {
                let faces = r.infix("*", i).infix("<", &Value::literal("0.0f"));
                Value::call("select", vec![n.prefixed("-"), n.clone(), faces])
            }
            _ => Value::call(self.runtime("gl_refract1"), kept),
        }
    }
}

/// `bitcast<vec2<u32>>`
fn bitcast(to: Scalar, size: u8) -> String {
    format!("bitcast<{}>", vector(to, size))
}

/// Functions of bits: counts and positions are signed in GLSL, offsets unsigned in WGSL.
fn bit_function(name: &str, values: &[Value], returns: &Type) -> Value {
    let unsigned = |value: &Value| Value::call("u32", vec![value.clone()]);
    match (name, values) {
        ("bitfieldExtract", [value, offset, bits]) => {
            Value::call("extractBits", vec![value.clone(), unsigned(offset), unsigned(bits)])
        }
        ("bitfieldInsert", [value, inserted, offset, bits]) => {
            Value::call("insertBits", vec![value.clone(), inserted.clone(), unsigned(offset), unsigned(bits)])
        }
        _ => {
            let function = match name {
                "bitCount" => "countOneBits",
                "findLSB" => "firstTrailingBit",
                _ => "firstLeadingBit",
            };
            let Type::Numeric(to, _, rows) = returns else { return Value::nothing() };
            Value::call(vector(*to, *rows), vec![Value::call(function, values.to_vec())])
        }
    }
}

fn relation(name: &str) -> Option<&'static str> {
    Some(match name {
        "lessThan" => "<",
        "lessThanEqual" => "<=",
        "greaterThan" => ">",
        "greaterThanEqual" => ">=",
        "equal" => "==",
        "notEqual" => "!=",
        _ => return None,
    })
}
