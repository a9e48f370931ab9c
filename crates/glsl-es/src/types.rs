//! The types of GLSL ES 3.00.

use std::fmt;
use std::sync::Arc;

/// What a component is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// 32-bit float, whatever its precision qualifier says.
    Float,
    /// 32-bit signed.
    Int,
    /// 32-bit unsigned.
    Uint,
    /// `bool`.
    Bool,
}

/// Shape of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// `sampler2D`
    D2,
    /// `sampler3D`
    D3,
    /// `samplerCube`
    Cube,
    /// `sampler2DArray`
    D2Array,
}

/// A sampler type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sampler {
    /// Shape.
    pub dimension: Dimension,
    /// What a texel's components are: never `Bool`.
    pub texel: Scalar,
    /// `sampler…Shadow`: compares instead of reading.
    pub shadow: bool,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// What a function without a value returns.
    Void,
    /// Scalar (1×1), vector (1×n) or matrix (columns×rows, both ≥ 2; always of floats).
    Numeric(Scalar, u8, u8),
    /// A sampler.
    Sampler(Sampler),
    /// A struct.
    Struct(Arc<Struct>),
    /// An array; GLSL ES 3.00 has no arrays of arrays.
    Array(Arc<Type>, u32),
}

/// A struct type. Two are the same type if they have the same id.
#[derive(Debug)]
pub struct Struct {
    /// Unique in its text.
    pub id: u32,
    /// Its name, or empty.
    pub name: String,
    /// Members in order.
    pub members: Vec<(String, Type)>,
    /// How many structs deep it is, itself included.
    pub depth: usize,
}

impl PartialEq for Struct {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
impl Eq for Struct {}
impl std::hash::Hash for Struct {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl Type {
    /// `float`
    pub const FLOAT: Type = Type::Numeric(Scalar::Float, 1, 1);
    /// `int`
    pub const INT: Type = Type::Numeric(Scalar::Int, 1, 1);
    /// `uint`
    pub const UINT: Type = Type::Numeric(Scalar::Uint, 1, 1);
    /// `bool`
    pub const BOOL: Type = Type::Numeric(Scalar::Bool, 1, 1);

    /// Scalar or vector.
    pub fn vector(scalar: Scalar, size: u8) -> Type {
        Type::Numeric(scalar, 1, size)
    }

    /// Keywords of types, as a message proposes them.
    pub(crate) const KEYWORDS: [&'static str; 27] = [
        "void",
        "float",
        "int",
        "uint",
        "bool",
        "vec2",
        "vec3",
        "vec4",
        "ivec2",
        "ivec3",
        "ivec4",
        "uvec2",
        "uvec3",
        "uvec4",
        "bvec2",
        "bvec3",
        "bvec4",
        "mat2",
        "mat3",
        "mat4",
        "sampler2D",
        "sampler3D",
        "samplerCube",
        "sampler2DArray",
        "sampler2DShadow",
        "isampler2D",
        "usampler2D",
    ];

    /// The type of a keyword.
    pub fn from_keyword(word: &str) -> Option<Type> {
        use Scalar::*;
        let vector = |scalar, digit: &str| match digit {
            "2" => Some(Type::vector(scalar, 2)),
            "3" => Some(Type::vector(scalar, 3)),
            "4" => Some(Type::vector(scalar, 4)),
            _ => None,
        };
        match word {
            "void" => Some(Type::Void),
            "float" => Some(Type::FLOAT),
            "int" => Some(Type::INT),
            "uint" => Some(Type::UINT),
            "bool" => Some(Type::BOOL),
            _ => {
                if let Some(digit) = word.strip_prefix("vec") {
                    vector(Float, digit)
                } else if let Some(digit) = word.strip_prefix("ivec") {
                    vector(Int, digit)
                } else if let Some(digit) = word.strip_prefix("uvec") {
                    vector(Uint, digit)
                } else if let Some(digit) = word.strip_prefix("bvec") {
                    vector(Bool, digit)
                } else if let Some(size) = word.strip_prefix("mat") {
                    matrix(size)
                } else {
                    sampler(word).map(Type::Sampler)
                }
            }
        }
    }

    /// Components of scalar, vector or matrix.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Numeric(scalar, ..) => Some(*scalar),
            _ => None,
        }
    }

    /// Scalar, not vector or matrix.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Type::Numeric(_, 1, 1))
    }

    /// Vector, not scalar or matrix.
    pub fn is_vector(&self) -> bool {
        matches!(self, Type::Numeric(_, 1, 2..))
    }

    /// Matrix.
    pub fn is_matrix(&self) -> bool {
        matches!(self, Type::Numeric(_, 2.., _))
    }

    /// Number of scalars in a value; samplers count as one.
    pub fn scalars(&self) -> u64 {
        match self {
            Type::Void => 0,
            Type::Numeric(_, columns, rows) => u64::from(*columns) * u64::from(*rows),
            Type::Sampler(_) => 1,
            Type::Struct(of) => of.members.iter().map(|(_, ty)| ty.scalars()).fold(0, u64::saturating_add),
            Type::Array(of, length) => of.scalars().saturating_mul(u64::from(*length)),
        }
    }

    /// Whether a sampler is in it.
    pub fn has_sampler(&self) -> bool {
        match self {
            Type::Sampler(_) => true,
            Type::Struct(of) => of.members.iter().any(|(_, ty)| ty.has_sampler()),
            Type::Array(of, _) => of.has_sampler(),
            _ => false,
        }
    }

    /// Whether it is an array, or has one in it.
    pub fn has_array(&self) -> bool {
        match self {
            Type::Struct(of) => of.members.iter().any(|(_, ty)| ty.has_array()),
            Type::Array(..) => true,
            _ => false,
        }
    }

    /// Whether some component is of `wanted`.
    pub fn has_scalar(&self, wanted: Scalar) -> bool {
        match self {
            Type::Numeric(scalar, ..) => *scalar == wanted,
            Type::Struct(of) => of.members.iter().any(|(_, ty)| ty.has_scalar(wanted)),
            Type::Array(of, _) => of.has_scalar(wanted),
            _ => false,
        }
    }

    /// How many structs deep it is.
    pub fn struct_depth(&self) -> usize {
        match self {
            Type::Struct(of) => of.depth,
            Type::Array(of, _) => of.struct_depth(),
            _ => 0,
        }
    }

    /// A struct as a message names it.
    pub(crate) fn described(of: &Struct) -> String {
        match of.name.as_str() {
            "" => "a nameless struct".to_owned(),
            name => super::lex::shorten(name),
        }
    }

    /// Whether two types of two texts are the same by structure, as linking asks.
    pub fn same_shape(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Struct(a), Type::Struct(b)) => {
                a.members.len() == b.members.len()
                    && a.members.iter().zip(&b.members).all(|(a, b)| a.0 == b.0 && a.1.same_shape(&b.1))
            }
            (Type::Array(a, n), Type::Array(b, m)) => n == m && a.same_shape(b),
            (a, b) => a == b,
        }
    }
}

fn matrix(size: &str) -> Option<Type> {
    let dimension = |c| match c {
        '2' => Some(2),
        '3' => Some(3),
        '4' => Some(4),
        _ => None,
    };
    let mut chars = size.chars();
    let columns = dimension(chars.next()?)?;
    let rows = match chars.next() {
        None => columns,
        Some('x') => dimension(chars.next()?)?,
        Some(_) => return None,
    };
    chars.next().is_none().then_some(Type::Numeric(Scalar::Float, columns, rows))
}

fn sampler(word: &str) -> Option<Sampler> {
    let (texel, rest) = if let Some(rest) = word.strip_prefix("isampler") {
        (Scalar::Int, rest)
    } else if let Some(rest) = word.strip_prefix("usampler") {
        (Scalar::Uint, rest)
    } else {
        (Scalar::Float, word.strip_prefix("sampler")?)
    };
    let (shape, shadow) = match rest.strip_suffix("Shadow") {
        Some(shape) => (shape, true),
        None => (rest, false),
    };
    let dimension = match shape {
        "2D" => Dimension::D2,
        "3D" if !shadow => Dimension::D3,
        "Cube" => Dimension::Cube,
        "2DArray" => Dimension::D2Array,
        _ => return None,
    };
    (!shadow || texel == Scalar::Float).then_some(Sampler { dimension, texel, shadow })
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scalar::Float => "float",
            Scalar::Int => "int",
            Scalar::Uint => "uint",
            Scalar::Bool => "bool",
        })
    }
}

impl fmt::Display for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = match self.texel {
            Scalar::Int => "i",
            Scalar::Uint => "u",
            _ => "",
        };
        let shape = match self.dimension {
            Dimension::D2 => "2D",
            Dimension::D3 => "3D",
            Dimension::Cube => "Cube",
            Dimension::D2Array => "2DArray",
        };
        write!(f, "{prefix}sampler{shape}{}", if self.shadow { "Shadow" } else { "" })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => f.write_str("void"),
            Type::Numeric(scalar, 1, 1) => write!(f, "{scalar}"),
            Type::Numeric(scalar, 1, size) => {
                let prefix = match scalar {
                    Scalar::Float => "",
                    Scalar::Int => "i",
                    Scalar::Uint => "u",
                    Scalar::Bool => "b",
                };
                write!(f, "{prefix}vec{size}")
            }
            Type::Numeric(_, columns, rows) if columns == rows => write!(f, "mat{columns}"),
            Type::Numeric(_, columns, rows) => write!(f, "mat{columns}x{rows}"),
            Type::Sampler(sampler) => write!(f, "{sampler}"),
            Type::Struct(of) => f.write_str(&Type::described(of)),
            Type::Array(of, length) => write!(f, "{of}[{length}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_and_display_are_inverse() {
        let words = "void float int uint bool vec2 vec3 vec4 ivec2 uvec3 bvec4 mat2 mat3 mat4 mat2x3 mat4x2 sampler2D \
                     sampler3D samplerCube sampler2DArray sampler2DShadow samplerCubeShadow sampler2DArrayShadow \
                     isampler2D usampler2DArray isampler3D usamplerCube";
        for word in words.split_whitespace() {
            assert_eq!(Type::from_keyword(word).unwrap().to_string(), word);
        }
        assert_eq!(Type::from_keyword("mat3x3").unwrap().to_string(), "mat3");
        for bad in ["vec5", "mat5", "mat2x", "mat2x33", "sampler3DShadow", "isampler2DShadow", "dvec2", "sampler1D"] {
            assert!(Type::from_keyword(bad).is_none(), "{bad}");
        }
    }
}
