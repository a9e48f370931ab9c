//! Signatures of the built-in functions of GLSL ES 3.00.
//!
//! One table for all that aren't about matrices or textures. A signature is the result and the parameters, one letter
//! each; the capital letters and `v w x y` stand for the same size `n` wherever they occur:
//!
//! | letter | type | letter | type |
//! |---|---|---|---|
//! | `F I U B` | scalar or vector of `n` | `f i u b` | scalar |
//! | `v w x y` | vector (n ≥ 2) of float, int, uint, bool | `2 3 4` | `vec2 vec3 vec4` |
//! | `>` | the next is an `out` parameter | | |

use super::language::Language;
use super::source::Stage;
use super::typed::{Access, TextureCall};
use super::types::{Dimension, Sampler, Scalar, Type};

const TABLE: &[(&str, &[&str])] = &[
    ("radians", &["FF"]),
    ("degrees", &["FF"]),
    ("sin", &["FF"]),
    ("cos", &["FF"]),
    ("tan", &["FF"]),
    ("asin", &["FF"]),
    ("acos", &["FF"]),
    ("atan", &["FFF", "FF"]),
    ("sinh", &["FF"]),
    ("cosh", &["FF"]),
    ("tanh", &["FF"]),
    ("asinh", &["FF"]),
    ("acosh", &["FF"]),
    ("atanh", &["FF"]),
    ("pow", &["FFF"]),
    ("exp", &["FF"]),
    ("log", &["FF"]),
    ("exp2", &["FF"]),
    ("log2", &["FF"]),
    ("sqrt", &["FF"]),
    ("inversesqrt", &["FF"]),
    ("abs", &["FF", "II"]),
    ("sign", &["FF", "II"]),
    ("floor", &["FF"]),
    ("trunc", &["FF"]),
    ("round", &["FF"]),
    ("roundEven", &["FF"]),
    ("ceil", &["FF"]),
    ("fract", &["FF"]),
    ("mod", &["FFF", "FFf"]),
    ("modf", &["FF>F"]),
    ("min", &["FFF", "FFf", "III", "IIi", "UUU", "UUu"]),
    ("max", &["FFF", "FFf", "III", "IIi", "UUU", "UUu"]),
    ("clamp", &["FFFF", "FFff", "IIII", "IIii", "UUUU", "UUuu"]),
    ("mix", &["FFFF", "FFFf", "FFFB"]),
    ("step", &["FFF", "FfF"]),
    ("smoothstep", &["FFFF", "FffF"]),
    ("isnan", &["BF"]),
    ("isinf", &["BF"]),
    ("floatBitsToInt", &["IF"]),
    ("floatBitsToUint", &["UF"]),
    ("intBitsToFloat", &["FI"]),
    ("uintBitsToFloat", &["FU"]),
    ("packSnorm2x16", &["u2"]),
    ("unpackSnorm2x16", &["2u"]),
    ("packUnorm2x16", &["u2"]),
    ("unpackUnorm2x16", &["2u"]),
    ("packHalf2x16", &["u2"]),
    ("unpackHalf2x16", &["2u"]),
    ("length", &["fF"]),
    ("distance", &["fFF"]),
    ("dot", &["fFF"]),
    ("cross", &["333"]),
    ("normalize", &["FF"]),
    ("faceforward", &["FFFF"]),
    ("reflect", &["FFF"]),
    ("refract", &["FFFf"]),
    ("lessThan", &["yvv", "yww", "yxx"]),
    ("lessThanEqual", &["yvv", "yww", "yxx"]),
    ("greaterThan", &["yvv", "yww", "yxx"]),
    ("greaterThanEqual", &["yvv", "yww", "yxx"]),
    ("equal", &["yvv", "yww", "yxx", "yyy"]),
    ("notEqual", &["yvv", "yww", "yxx", "yyy"]),
    ("any", &["by"]),
    ("all", &["by"]),
    ("not", &["yy"]),
    ("dFdx", &["FF"]),
    ("dFdy", &["FF"]),
    ("fwidth", &["FF"]),
];

/// Functions of later versions that naga writes into `300 es` texts all the same. A GLES driver may refuse such a text,
/// but it means one thing only.
const LATER: &[(&str, &[&str])] = &[
    ("bitCount", &["II", "IU"]),
    ("findLSB", &["II", "IU"]),
    ("findMSB", &["II", "IU"]),
    ("bitfieldReverse", &["II", "UU"]),
    ("bitfieldExtract", &["IIii", "UUii"]),
    ("bitfieldInsert", &["IIIii", "UUUii"]),
    ("fma", &["FFFF"]),
    ("ldexp", &["FFI"]),
];

/// Functions of matrices, whose types no letter covers.
const MATRIX: [&str; 5] = ["matrixCompMult", "outerProduct", "transpose", "determinant", "inverse"];

/// A built-in function that fits a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Match {
    /// Its name, for ever.
    pub name: &'static str,
    /// What it returns.
    pub returns: Type,
    /// Index of its `out` parameter.
    pub out: Option<usize>,
}

/// What a lookup found.
pub(crate) enum Lookup {
    /// No built-in function has the name.
    Unknown,
    /// It has, but takes other arguments.
    NoOverload,
    /// This one.
    Found(Match),
}

/// The functions of GLSL ES 1.00, which has them of floats only.
const OF_ES100: [&str; 45] = [
    "radians",
    "degrees",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "pow",
    "exp",
    "log",
    "exp2",
    "log2",
    "sqrt",
    "inversesqrt",
    "abs",
    "sign",
    "floor",
    "ceil",
    "fract",
    "mod",
    "min",
    "max",
    "clamp",
    "mix",
    "step",
    "smoothstep",
    "length",
    "distance",
    "dot",
    "cross",
    "normalize",
    "faceforward",
    "reflect",
    "refract",
    "matrixCompMult",
    "lessThan",
    "lessThanEqual",
    "greaterThan",
    "greaterThanEqual",
    "equal",
    "notEqual",
    "any",
    "all",
    "not",
];

/// Whether a version of the language has a function that isn't about textures.
fn has(language: Language, name: &str) -> bool {
    language != Language::Es100 || OF_ES100.contains(&name) || is_fragment_only(name)
}

/// Whether it has it with this signature.
fn has_form(language: Language, signature: &str) -> bool {
    language != Language::Es100 || !signature.contains(['I', 'U', 'i', 'u', 'B'])
}

/// Looks up a function that isn't about textures.
pub(crate) fn find(language: Language, name: &str, arguments: &[&Type]) -> Lookup {
    if !has(language, name) {
        return Lookup::Unknown;
    }
    if let Some(matrix) = MATRIX.iter().find(|matrix| **matrix == name) {
        return match matrix_result(name, arguments) {
            Some(returns) => Lookup::Found(Match { name: matrix, returns, out: None }),
            None => Lookup::NoOverload,
        };
    }
    let known = TABLE.iter().chain(LATER).find(|(known, _)| *known == name);
    let Some((name, signatures)) = known else { return Lookup::Unknown };
    for signature in signatures.iter().filter(|signature| has_form(language, signature)) {
        for size in 1..=4 {
            if let Some(found) = fits(name, signature, size, arguments) {
                return Lookup::Found(found);
            }
        }
    }
    Lookup::NoOverload
}

/// The signatures of a function, as a message shows them.
pub(crate) fn signatures(name: &str) -> Vec<&'static str> {
    TABLE.iter().find(|(known, _)| *known == name).map(|(_, list)| list.to_vec()).unwrap_or_default()
}

/// Names of functions, as a message proposes them.
pub(crate) fn names(language: Language) -> impl Iterator<Item = &'static str> {
    let textures: &[&str] = match language {
        Language::Es100 => &["texture2D", "textureCube", "texture2DProj", "texture2DLod", "textureCubeLod"],
        Language::Es300 | Language::Es310 => {
            &["texture", "textureLod", "textureProj", "textureGrad", "textureSize", "texelFetch", "textureOffset"]
        }
    };
    let plain = TABLE.iter().map(|(name, _)| *name).chain(MATRIX).filter(move |name| has(language, name));
    plain.chain(textures.iter().copied())
}

/// Whether the language has a function of this name.
pub(crate) fn is_builtin_function(language: Language, name: &str) -> bool {
    let is_plain = MATRIX.contains(&name) || !signatures(name).is_empty();
    is_plain && has(language, name) || texture_call(language, name).is_some()
}

/// Whether a function is one of a later version.
pub(crate) fn is_later(name: &str) -> bool {
    LATER.iter().any(|(later, _)| *later == name)
}

/// Whether a function exists only in fragment shaders.
pub(crate) fn is_fragment_only(name: &str) -> bool {
    matches!(name, "dFdx" | "dFdy" | "fwidth")
}

/// Every name and signature, expanded to types: what tests iterate over.
pub fn all_signatures() -> Vec<(&'static str, Type, Vec<Type>, Option<usize>)> {
    let mut all = Vec::new();
    for (name, signatures) in TABLE {
        for signature in *signatures {
            let sized = signature.contains(|c: char| "FIUBvwxy".contains(c));
            for size in 1..=if sized { 4 } else { 1 } {
                let Some((returns, parameters, out)) = expand(signature, size) else { continue };
                all.push((*name, returns, parameters, out));
            }
        }
    }
    all
}

fn letter(letter: char, size: u8) -> Option<Type> {
    use Scalar::*;
    Some(match letter {
        'F' => Type::vector(Float, size),
        'I' => Type::vector(Int, size),
        'U' => Type::vector(Uint, size),
        'B' => Type::vector(Bool, size),
        'v' if size > 1 => Type::vector(Float, size),
        'w' if size > 1 => Type::vector(Int, size),
        'x' if size > 1 => Type::vector(Uint, size),
        'y' if size > 1 => Type::vector(Bool, size),
        'f' => Type::FLOAT,
        'i' => Type::INT,
        'u' => Type::UINT,
        'b' => Type::BOOL,
        '2' => Type::vector(Float, 2),
        '3' => Type::vector(Float, 3),
        '4' => Type::vector(Float, 4),
        _ => return None,
    })
}

fn expand(signature: &str, size: u8) -> Option<(Type, Vec<Type>, Option<usize>)> {
    let mut types = Vec::new();
    let mut out = None;
    for character in signature.chars() {
        if character == '>' {
            out = Some(types.len() - 1);
            continue;
        }
        types.push(letter(character, size)?);
    }
    let returns = types.remove(0);
    Some((returns, types, out))
}

fn fits(name: &'static str, signature: &str, size: u8, arguments: &[&Type]) -> Option<Match> {
    let (returns, parameters, out) = expand(signature, size)?;
    let same = parameters.len() == arguments.len() && parameters.iter().zip(arguments).all(|(p, a)| p == *a);
    same.then_some(Match { name, returns, out })
}

fn matrix_result(name: &str, arguments: &[&Type]) -> Option<Type> {
    let matrix = |columns, rows| Type::Numeric(Scalar::Float, columns, rows);
    match (name, arguments) {
        ("matrixCompMult", [a @ Type::Numeric(_, 2.., _), b]) if a == b => Some((*a).clone()),
        (
            "outerProduct",
            [Type::Numeric(Scalar::Float, 1, rows @ 2..), Type::Numeric(Scalar::Float, 1, columns @ 2..)],
        ) => Some(matrix(*columns, *rows)),
        ("transpose", [Type::Numeric(_, columns @ 2.., rows)]) => Some(matrix(*rows, *columns)),
        ("determinant", [Type::Numeric(_, columns @ 2.., rows)]) if columns == rows => Some(Type::FLOAT),
        ("inverse", [a @ Type::Numeric(_, columns @ 2.., rows)]) if columns == rows => Some((*a).clone()),
        _ => None,
    }
}

/// What a name says, if it is that of a texture function.
pub(crate) fn texture_call(language: Language, name: &str) -> Option<TextureCall> {
    match language {
        Language::Es100 => texture_call_of_es100(name).map(|(call, _)| call),
        Language::Es300 | Language::Es310 => texture_call_of_es300(name),
    }
}

/// What a name of GLSL ES 1.00 says, which has one for each shape of texture. Those of an extension end in `EXT`.
pub(crate) fn texture_call_of_es100(name: &str) -> Option<(TextureCall, Dimension)> {
    let name = name.strip_suffix("EXT").filter(|rest| rest.ends_with("Lod") || rest.ends_with("Grad")).unwrap_or(name);
    let (access, projected, dimension) = match name {
        "texture2D" => (Access::Implicit, false, Dimension::D2),
        "texture2DProj" => (Access::Implicit, true, Dimension::D2),
        "texture2DLod" => (Access::Level, false, Dimension::D2),
        "texture2DProjLod" => (Access::Level, true, Dimension::D2),
        "textureCube" => (Access::Implicit, false, Dimension::Cube),
        "textureCubeLod" => (Access::Level, false, Dimension::Cube),
        "texture2DGrad" => (Access::Gradients, false, Dimension::D2),
        "texture2DProjGrad" => (Access::Gradients, true, Dimension::D2),
        "textureCubeGrad" => (Access::Gradients, false, Dimension::Cube),
        _ => return None,
    };
    Some((TextureCall { access, projected, offset: false }, dimension))
}

fn texture_call_of_es300(name: &str) -> Option<TextureCall> {
    let call = |access, projected, offset| Some(TextureCall { access, projected, offset });
    match name {
        "textureSize" => call(Access::Size, false, false),
        "texelFetch" => call(Access::Fetch, false, false),
        "texelFetchOffset" => call(Access::Fetch, false, true),
        _ => {
            let rest = name.strip_prefix("texture")?;
            let (projected, rest) = match rest.strip_prefix("Proj") {
                Some(rest) => (true, rest),
                None => (false, rest),
            };
            let (access, rest) = if let Some(rest) = rest.strip_prefix("Lod") {
                (Access::Level, rest)
            } else if let Some(rest) = rest.strip_prefix("Grad") {
                (Access::Gradients, rest)
            } else {
                (Access::Implicit, rest)
            };
            match rest {
                "" => call(access, projected, false),
                "Offset" => call(access, projected, true),
                _ => None,
            }
        }
    }
}

/// Parameter lists that a texture function has for a sampler (the sampler itself left out), and its result.
/// With an optional bias there are two lists.
pub(crate) fn texture_signatures(call: TextureCall, sampler: Sampler, stage: Stage) -> Option<(Vec<Vec<Type>>, Type)> {
    use Dimension::*;
    let Sampler { dimension, texel, shadow } = sampler;
    let float = |size| Type::vector(Scalar::Float, size);
    let int = |size| Type::vector(Scalar::Int, size);
    let texel_type = if shadow { Type::FLOAT } else { Type::vector(texel, 4) };
    // Size of the offset and of a gradient, and of the plain coordinate.
    let plane = match dimension {
        D2 | D2Array => 2,
        D3 | Cube => 3,
    };
    let coordinate = plane + u8::from(dimension == D2Array) + u8::from(shadow);
    match call.access {
        Access::Size => {
            let size = if matches!(dimension, D3 | D2Array) { 3 } else { 2 };
            return Some((vec![vec![Type::INT]], int(size)));
        }
        Access::Fetch if shadow || dimension == Cube => return None,
        Access::Fetch => {
            let mut list = vec![int(coordinate), Type::INT];
            list.extend(call.offset.then(|| int(plane)));
            return Some((vec![list], texel_type));
        }
        _ => {}
    }
    let array_shadow = dimension == D2Array && shadow;
    let cube_shadow = dimension == Cube && shadow;
    let missing = (call.projected && matches!(dimension, Cube | D2Array))
        || (call.offset && dimension == Cube)
        || (call.access == Access::Level && (array_shadow || cube_shadow))
        || (call.access == Access::Implicit && call.offset && array_shadow);
    if missing {
        return None;
    }
    let coordinates = match (call.projected, dimension, shadow) {
        (false, ..) => vec![float(coordinate)],
        (true, D2, false) => vec![float(3), float(4)],
        (true, ..) => vec![float(4)],
    };
    let mut lists = Vec::new();
    for coordinate in coordinates {
        let mut list = vec![coordinate];
        match call.access {
            Access::Level => list.push(Type::FLOAT),
            Access::Gradients => list.extend([float(plane), float(plane)]),
            _ => {}
        }
        list.extend(call.offset.then(|| int(plane)));
        let biased = call.access == Access::Implicit && stage == Stage::Fragment && !array_shadow;
        if biased {
            let mut with_bias = list.clone();
            with_bias.push(Type::FLOAT);
            lists.push(with_bias);
        }
        lists.push(list);
    }
    Some((lists, texel_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overloads_are_found_by_size_and_kind() {
        let vec3 = Type::vector(Scalar::Float, 3);
        let found = |name, arguments: &[&Type]| match find(Language::Es300, name, arguments) {
            Lookup::Found(found) => Some(found.returns.to_string()),
            _ => None,
        };
        assert_eq!(found("min", &[&vec3, &Type::FLOAT]).as_deref(), Some("vec3"));
        assert_eq!(found("min", &[&Type::FLOAT, &vec3]), None);
        assert_eq!(found("length", &[&vec3]).as_deref(), Some("float"));
        assert_eq!(found("modf", &[&vec3, &vec3]).as_deref(), Some("vec3"));
        assert_eq!(found("lessThan", &[&Type::FLOAT, &Type::FLOAT]), None);
        let mat2x3 = Type::from_keyword("mat2x3").unwrap();
        assert_eq!(found("transpose", &[&mat2x3]).as_deref(), Some("mat3x2"));
        assert_eq!(found("outerProduct", &[&vec3, &Type::vector(Scalar::Float, 2)]).as_deref(), Some("mat2x3"));
        assert!(matches!(find(Language::Es300, "frobnicate", &[]), Lookup::Unknown));
        assert!(all_signatures().len() > 200);
    }

    #[test]
    fn texture_names_are_read_apart() {
        let call = texture_call(Language::Es300, "textureProjGradOffset").unwrap();
        assert!(call.projected && call.offset && call.access == Access::Gradients);
        assert!(texture_call(Language::Es300, "textureProjFrob").is_none());
        let sampler = Sampler { dimension: Dimension::Cube, texel: Scalar::Float, shadow: false };
        assert!(texture_signatures(call, sampler, Stage::Fragment).is_none());
    }
}
