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
use super::texture_functions::texture_call;
use super::types::{Scalar, Type};

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
}
