//! The argument list of an event type: `uint16 id, ascii name`.

/// A number type; the only types that can be elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `int8`, `byte`.
    Int8,
    /// `uint8`, `octet`.
    Uint8,
    /// `int16`, `short`.
    Int16,
    /// `uint16`, `unsigned short`.
    Uint16,
    /// `int32`, `long`.
    Int32,
    /// `uint32`, `unsigned long`.
    Uint32,
    /// `float32`, `float`. Little-endian always.
    Float32,
    /// `char`: one Latin-1 character, format 10 only.
    Char,
    /// `wchar`: one UTF-16 unit, format 10 only.
    Wchar,
}

impl Scalar {
    /// Bytes of an element in an array, and of a value in format 3.
    pub fn size_bytes(self) -> usize {
        match self {
            Self::Int8 | Self::Uint8 | Self::Char => 1,
            Self::Int16 | Self::Uint16 | Self::Wchar => 2,
            Self::Int32 | Self::Uint32 | Self::Float32 => 4,
        }
    }

    /// Whether only format 10 knows the type.
    fn is_character(self) -> bool {
        matches!(self, Self::Char | Self::Wchar)
    }

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "int8" | "byte" => Self::Int8,
            "uint8" | "octet" => Self::Uint8,
            "int16" | "short" => Self::Int16,
            "uint16" | "unsigned short" => Self::Uint16,
            "int32" | "long" => Self::Int32,
            "uint32" | "unsigned long" => Self::Uint32,
            "float32" | "float" => Self::Float32,
            "char" => Self::Char,
            "wchar" => Self::Wchar,
            _ => return None,
        })
    }
}

/// What one argument holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// True or false.
    Bool,
    /// A number or character.
    Scalar(Scalar),
    /// Any count of numbers or characters.
    Array(Scalar),
    /// `ascii`: Latin-1 in format 3, any text in format 10.
    Ascii,
    /// `utf8`, `DOMString`: text.
    Utf8,
    /// `any`: JSON text.
    Any,
    /// `flowId`: the number of a flow, 0 for none.
    FlowId,
    /// `time32`: microseconds.
    Time32,
}

/// Whether `char` and `wchar` exist, which came with format 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeSet {
    /// Format 3 and the big-endian chunks.
    Early,
    /// Little-endian chunks and JSON.
    Late,
}

impl ArgumentKind {
    fn named(name: &str, set: TypeSet) -> Option<Self> {
        let element = name
            .strip_suffix("[]")
            .or_else(|| name.strip_prefix("sequence<").and_then(|rest| rest.strip_suffix('>')))
            .map(str::trim);
        let kind = match (element, name) {
            (Some(element), _) => Self::Array(Scalar::named(element)?),
            (None, "bool") => Self::Bool,
            (None, "ascii") => Self::Ascii,
            (None, "utf8" | "DOMString") => Self::Utf8,
            (None, "any") => Self::Any,
            (None, "flowId") => Self::FlowId,
            (None, "time32") => Self::Time32,
            (None, _) => Self::Scalar(Scalar::named(name)?),
        };
        match kind {
            Self::Scalar(scalar) | Self::Array(scalar) if scalar.is_character() && set == TypeSet::Early => None,
            _ => Some(kind),
        }
    }
}

/// One argument of an event type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Letters, digits and underscores.
    pub name: Box<str>,
    /// How its value is written.
    pub kind: ArgumentKind,
}

/// Why an argument list can't be read. The piece is the text between two commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SignatureFault {
    /// A piece is not `type name`.
    NotTypeAndName(String),
    /// A type that is not in the list.
    UnknownType(String),
}

/// Reads an argument list; an empty one has no arguments.
pub(crate) fn parse_signature(text: &str, set: TypeSet) -> Result<Vec<Argument>, SignatureFault> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    text.split(',').map(|piece| parse_argument(piece, set)).collect()
}

/// Reads `type name` or `type name@ordinal`; the ordinal only matters to instrumented code.
fn parse_argument(piece: &str, set: TypeSet) -> Result<Argument, SignatureFault> {
    let bad = || SignatureFault::NotTypeAndName(piece.trim().to_owned());
    let (kind, name) = piece.trim().rsplit_once(char::is_whitespace).ok_or_else(bad)?;
    let (name, ordinal) = name.split_once('@').unwrap_or((name, "0"));
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_word) {
        return Err(bad());
    }
    if ordinal.is_empty() || !ordinal.chars().all(|c| c.is_ascii_digit()) {
        return Err(bad());
    }
    let kind = kind.split_whitespace().collect::<Vec<_>>().join(" ");
    match ArgumentKind::named(&kind, set) {
        Some(kind) => Ok(Argument { name: name.into(), kind }),
        None => Err(SignatureFault::UnknownType(kind)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<ArgumentKind> {
        parse_signature(text, TypeSet::Late).unwrap().into_iter().map(|argument| argument.kind).collect()
    }

    #[test]
    fn aliases_and_both_array_forms_are_known() {
        let expected = [ArgumentKind::Scalar(Scalar::Uint16), ArgumentKind::Array(Scalar::Int32), ArgumentKind::Utf8];
        assert_eq!(kinds("unsigned  short a,sequence<long> b, DOMString c@2"), expected);
        assert_eq!(kinds("uint16 a, int32[] b, utf8 c"), expected);
        assert_eq!(kinds(" "), []);
    }

    #[test]
    fn faults_tell_the_piece() {
        let fault = |text| parse_signature(text, TypeSet::Early).unwrap_err();
        assert_eq!(fault("uint32"), SignatureFault::NotTypeAndName("uint32".into()));
        assert_eq!(fault("uint32 a,"), SignatureFault::NotTypeAndName(String::new()));
        assert_eq!(fault("bool[] a"), SignatureFault::UnknownType("bool[]".into()));
        assert_eq!(fault("char a"), SignatureFault::UnknownType("char".into()));
    }
}
