//! Calls of built-in functions.

use std::sync::Arc;

use super::super::ast::BinaryOp;
use super::super::types::Type;
use super::{Component, Value, component, geometry, pack};

/// Folds a call whose types were checked. Where GLSL leaves the result open, it is what plain arithmetic gives; `None`
/// is for functions that no constant expression calls.
pub(crate) fn builtin(name: &str, arguments: &[Value], returns: &Type) -> Option<Value> {
    let folded = geometry::fold(name, arguments, returns)
        .or_else(|| pack::fold(name, arguments))
        .or_else(|| relational(name, arguments))
        .or_else(|| by_component(name, arguments))?;
    (folded.len() as u64 == returns.scalars()).then_some(folded)
}

/// Comparisons of vectors, and what sums them up.
fn relational(name: &str, arguments: &[Value]) -> Option<Value> {
    let one = |truth| Some(Arc::new([Component::Bool(truth)]) as Value);
    let operator = match (name, arguments) {
        ("any", [all]) => return one(all.iter().any(|component| component.truth())),
        ("all", [all]) => return one(all.iter().all(|component| component.truth())),
        ("lessThan", _) => BinaryOp::Less,
        ("lessThanEqual", _) => BinaryOp::LessEqual,
        ("greaterThan", _) => BinaryOp::Greater,
        ("greaterThanEqual", _) => BinaryOp::GreaterEqual,
        ("equal", _) => BinaryOp::Equal,
        ("notEqual", _) => BinaryOp::NotEqual,
        _ => return None,
    };
    let [left, right] = arguments else { return None };
    let compare = |a: Component, b: Component| match operator {
        BinaryOp::Equal => Some(Component::Bool(a.same(b))),
        BinaryOp::NotEqual => Some(Component::Bool(!a.same(b))),
        _ => component(operator, a, b),
    };
    left.iter().zip(right.iter()).map(|(a, b)| compare(*a, *b)).collect()
}

/// What works component by component; a scalar stands for as many as there are.
fn by_component(name: &str, arguments: &[Value]) -> Option<Value> {
    let length = arguments.iter().map(|value| value.len()).max()?;
    let at = |argument: usize, index: usize| -> Option<Component> {
        let value = arguments.get(argument)?;
        value.get(if value.len() == 1 { 0 } else { index }).copied()
    };
    (0..length).map(|index| scalar(name, at(0, index)?, at(1, index), at(2, index))).collect()
}

fn scalar(name: &str, a: Component, b: Option<Component>, c: Option<Component>) -> Option<Component> {
    use Component::*;
    Some(match (name, a, b, c) {
        ("isnan", Float(a), None, None) => Bool(a.is_nan()),
        ("isinf", Float(a), None, None) => Bool(a.is_infinite()),
        ("floatBitsToInt", Float(a), None, None) => Int(a.to_bits() as i32),
        ("floatBitsToUint", Float(a), None, None) => Uint(a.to_bits()),
        ("intBitsToFloat", Int(a), None, None) => Float(f32::from_bits(a as u32)),
        ("uintBitsToFloat", Uint(a), None, None) => Float(f32::from_bits(a)),
        // What isn't chosen has no part in the result, were it infinite.
        ("mix", Float(a), Some(Float(b)), Some(Bool(second))) => Float(if second { b } else { a }),
        (_, Float(a), b, c) => Float(float(name, a, b.map(Component::float), c.map(Component::float))?),
        ("abs", Int(a), None, None) => Int(a.wrapping_abs()),
        ("sign", Int(a), None, None) => Int(a.signum()),
        ("min", Int(a), Some(Int(b)), None) => Int(a.min(b)),
        ("max", Int(a), Some(Int(b)), None) => Int(a.max(b)),
        ("min", Uint(a), Some(Uint(b)), None) => Uint(a.min(b)),
        ("max", Uint(a), Some(Uint(b)), None) => Uint(a.max(b)),
        ("clamp", Int(a), Some(Int(b)), Some(Int(c))) => Int(a.max(b).min(c)),
        ("clamp", Uint(a), Some(Uint(b)), Some(Uint(c))) => Uint(a.max(b).min(c)),
        ("not", Bool(a), None, None) => Bool(!a),
        _ => return None,
    })
}

fn float(name: &str, x: f32, y: Option<f32>, z: Option<f32>) -> Option<f32> {
    Some(match (name, y, z) {
        ("radians", None, None) => x.to_radians(),
        ("degrees", None, None) => x.to_degrees(),
        ("sin", None, None) => x.sin(),
        ("cos", None, None) => x.cos(),
        ("tan", None, None) => x.tan(),
        ("asin", None, None) => x.asin(),
        ("acos", None, None) => x.acos(),
        ("atan", None, None) => x.atan(),
        ("atan", Some(y), None) => x.atan2(y),
        ("sinh", None, None) => x.sinh(),
        ("cosh", None, None) => x.cosh(),
        ("tanh", None, None) => x.tanh(),
        ("asinh", None, None) => x.asinh(),
        ("acosh", None, None) => x.acosh(),
        ("atanh", None, None) => x.atanh(),
        ("exp", None, None) => x.exp(),
        ("log", None, None) => x.ln(),
        ("exp2", None, None) => x.exp2(),
        ("log2", None, None) => x.log2(),
        ("sqrt", None, None) => x.sqrt(),
        ("inversesqrt", None, None) => 1.0 / x.sqrt(),
        ("pow", Some(y), None) => x.powf(y),
        ("abs", None, None) => x.abs(),
        ("sign", None, None) => f32::from(i8::from(x > 0.0) - i8::from(x < 0.0)),
        ("floor", None, None) => x.floor(),
        ("ceil", None, None) => x.ceil(),
        ("trunc", None, None) => x.trunc(),
        ("round" | "roundEven", None, None) => x.round_ties_even(),
        ("fract", None, None) => x - x.floor(),
        ("mod", Some(y), None) => x - y * (x / y).floor(),
        ("min", Some(y), None) => x.min(y),
        ("max", Some(y), None) => x.max(y),
        ("clamp", Some(y), Some(z)) => x.max(y).min(z),
        ("mix", Some(y), Some(z)) => x * (1.0 - z) + y * z,
        ("step", Some(y), None) => f32::from(u8::from(y >= x)),
        ("smoothstep", Some(y), Some(z)) => {
            let way = ((z - x) / (y - x)).clamp(0.0, 1.0);
            way * way * (3.0 - 2.0 * way)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::builtins::{all_signatures, is_fragment_only};
    use super::super::super::types::Scalar;
    use super::*;
    use Component::*;

    fn fold(name: &str, arguments: &[&[Component]], returns: &str) -> Vec<Component> {
        let arguments: Vec<Value> = arguments.iter().map(|argument| Value::from(*argument)).collect();
        let folded = builtin(name, &arguments, &Type::from_keyword(returns).unwrap());
        folded.unwrap_or_else(|| panic!("{name} isn't folded")).to_vec()
    }

    fn near(name: &str, arguments: &[f32], wanted: f32) {
        let arguments: Vec<[Component; 1]> = arguments.iter().map(|x| [Float(*x)]).collect();
        let arguments: Vec<&[Component]> = arguments.iter().map(|argument| argument.as_slice()).collect();
        let found = fold(name, &arguments, "float")[0].float();
        assert!((found - wanted).abs() <= 1e-6 * wanted.abs().max(1.0), "{name}: {found}, not {wanted}");
    }

    #[test]
    fn every_function_without_an_out_parameter_is_folded_to_its_type() {
        for (name, returns, parameters, out) in all_signatures() {
            if out.is_some() || is_fragment_only(name) {
                continue;
            }
            let argument =
                |ty: &Type| -> Value { vec![Uint(1).convert(ty.scalar().unwrap()); ty.scalars() as usize].into() };
            let arguments: Vec<Value> = parameters.iter().map(argument).collect();
            let folded = builtin(name, &arguments, &returns).unwrap_or_else(|| panic!("{name} isn't folded"));
            assert_eq!(folded.len() as u64, returns.scalars(), "{name}");
            let kind = |component: &Component| match component {
                Float(_) => Scalar::Float,
                Int(_) => Scalar::Int,
                Uint(_) => Scalar::Uint,
                Bool(_) => Scalar::Bool,
            };
            assert!(folded.iter().all(|component| Some(kind(component)) == returns.scalar()), "{name}: {folded:?}");
        }
        let one: Value = Arc::new([Float(1.0)]);
        for name in ["dFdx", "fwidth", "frobnicate"] {
            assert!(builtin(name, std::slice::from_ref(&one), &Type::FLOAT).is_none(), "{name}");
        }
        assert!(builtin("modf", &[one.clone(), one], &Type::FLOAT).is_none());
    }

    #[test]
    fn hyperbolic_functions() {
        near("sinh", &[2.0], 3.626_860_4);
        near("cosh", &[2.0], 3.762_195_7);
        near("tanh", &[0.5], 0.462_117_16);
        near("tanh", &[-200.0], -1.0);
        near("asinh", &[-2.0], -1.443_635_5);
        near("acosh", &[2.0], 1.316_958);
        near("atanh", &[0.5], 0.549_306_15);
        assert!(fold("acosh", &[&[Float(0.5)]], "float")[0].float().is_nan());
    }

    #[test]
    fn smoothstep_takes_scalar_edges() {
        near("smoothstep", &[0.0, 2.0, 0.5], 0.156_25);
        let x = [Float(-1.0), Float(1.0), Float(9.0)];
        let folded = fold("smoothstep", &[&[Float(0.0)], &[Float(2.0)], &x], "vec3");
        assert_eq!(folded, [Float(0.0), Float(0.5), Float(1.0)]);
        let edges = [[Float(0.0), Float(4.0)], [Float(4.0), Float(0.0)]];
        let folded = fold("smoothstep", &[&edges[0], &edges[1], &[Float(1.0), Float(1.0)]], "vec2");
        assert_eq!(folded, [Float(0.156_25), Float(0.843_75)]);
        // Left open by GLSL.
        assert!(fold("smoothstep", &[&[Float(1.0)], &[Float(1.0)], &[Float(1.0)]], "float")[0].float().is_nan());
    }

    #[test]
    fn mix_blends_or_chooses() {
        let (a, b) = ([Float(1.0), Float(f32::INFINITY)], [Float(f32::NAN), Float(4.0)]);
        assert_eq!(fold("mix", &[&a, &b, &[Bool(false), Bool(true)]], "vec2"), [Float(1.0), Float(4.0)]);
        let (a, b) = ([Float(1.0), Float(2.0)], [Float(3.0), Float(6.0)]);
        assert_eq!(fold("mix", &[&a, &b, &[Float(0.25)]], "vec2"), [Float(1.5), Float(3.0)]);
    }

    #[test]
    fn relations_are_per_component() {
        let (a, b) = ([Int(-1), Int(2), Int(3)], [Int(1), Int(2), Int(-3)]);
        for (name, wanted) in [
            ("lessThan", [true, false, false]),
            ("lessThanEqual", [true, true, false]),
            ("greaterThan", [false, false, true]),
            ("greaterThanEqual", [false, true, true]),
            ("equal", [false, true, false]),
            ("notEqual", [true, false, true]),
        ] {
            assert_eq!(fold(name, &[&a, &b], "bvec3"), wanted.map(Bool), "{name}");
        }
        let (a, b) = ([Uint(u32::MAX), Uint(0)], [Uint(1), Uint(1)]);
        assert_eq!(fold("lessThan", &[&a, &b], "bvec2"), [Bool(false), Bool(true)]);
        let nan = [Float(f32::NAN), Float(-0.0)];
        let other = [Float(f32::NAN), Float(0.0)];
        assert_eq!(fold("equal", &[&nan, &other], "bvec2"), [Bool(false), Bool(true)]);
        assert_eq!(fold("lessThanEqual", &[&nan, &other], "bvec2"), [Bool(false), Bool(true)]);
        assert_eq!(fold("notEqual", &[&[Bool(true); 2], &[Bool(true), Bool(false)]], "bvec2"), [false, true].map(Bool));
    }

    #[test]
    fn any_and_all_make_one_truth() {
        for (truths, any, all) in
            [([false, false], false, false), ([false, true], true, false), ([true, true], true, true)]
        {
            assert_eq!(fold("any", &[&truths.map(Bool)], "bool"), [Bool(any)]);
            assert_eq!(fold("all", &[&truths.map(Bool)], "bool"), [Bool(all)]);
        }
        assert_eq!(fold("not", &[&[Bool(true), Bool(false)]], "bvec2"), [Bool(false), Bool(true)]);
    }

    #[test]
    fn bits_and_classes_of_floats() {
        let x = [Float(-2.0), Float(f32::INFINITY), Float(f32::NAN)];
        assert_eq!(fold("isnan", &[&x], "bvec3"), [false, false, true].map(Bool));
        assert_eq!(fold("isinf", &[&x], "bvec3"), [false, true, false].map(Bool));
        assert_eq!(fold("floatBitsToInt", &[&x[..2]], "ivec2"), [Int(0xc000_0000_u32 as i32), Int(0x7f80_0000)]);
        assert_eq!(fold("floatBitsToUint", &[&x[..2]], "uvec2"), [Uint(0xc000_0000), Uint(0x7f80_0000)]);
        assert_eq!(fold("intBitsToFloat", &[&[Int(0xc000_0000_u32 as i32)]], "float"), [Float(-2.0)]);
        assert_eq!(fold("uintBitsToFloat", &[&[Uint(0x3fc0_0000), Uint(1)]], "vec2"), [1.5, 1e-45].map(Float));
    }

    #[test]
    fn scalars_stand_for_vectors() {
        let x = [Float(1.5), Float(-0.5)];
        assert_eq!(fold("min", &[&x, &[Float(1.0)]], "vec2"), [1.0, -0.5].map(Float));
        assert_eq!(fold("mod", &[&x, &[Float(1.0)]], "vec2"), [0.5, 0.5].map(Float));
        assert_eq!(fold("step", &[&[Float(0.0)], &x], "vec2"), [1.0, 0.0].map(Float));
        assert_eq!(fold("clamp", &[&[Int(-7), Int(7)], &[Int(0)], &[Int(5)]], "ivec2"), [Int(0), Int(5)]);
    }
}
