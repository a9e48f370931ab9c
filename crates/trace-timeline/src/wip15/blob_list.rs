//! Every blob of a call, with its place.

use super::{Blob, Call, Element, Value};

/// Where in its call a blob stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobPlace<'a> {
    /// Argument with this number, element of its array with that number.
    Argument(usize, usize),
    /// The result, element of its array with that number.
    Result(usize),
    /// The extra with this number and name.
    Extra(usize, &'a [u8]),
}

impl std::fmt::Display for BlobPlace<'_> {
    /// A text that can be part of a file's name, e.g. `arg2` or `extra0-replay-glUnmapBuffer-data`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Argument(index, 0) => write!(f, "arg{index}"),
            Self::Argument(index, element) => write!(f, "arg{index}-{element}"),
            Self::Result(0) => f.write_str("result"),
            Self::Result(element) => write!(f, "result-{element}"),
            Self::Extra(index, name) => {
                let plain = |byte: &u8| if byte.is_ascii_alphanumeric() { char::from(*byte) } else { '-' };
                let name: String = name.iter().take(60).map(plain).collect();
                write!(f, "extra{index}-{name}")
            }
        }
    }
}

impl<'a> Call<'a> {
    /// Calls `each` with every blob of the call, in the order of the file. Nothing is decompressed.
    pub fn blobs(&self, mut each: impl FnMut(BlobPlace<'a>, Blob<'a>)) {
        for (index, value) in self.arguments().enumerate() {
            blobs_of(value, &mut |element, blob| each(BlobPlace::Argument(index, element), blob));
        }
        if let Some(value) = self.result() {
            blobs_of(value, &mut |element, blob| each(BlobPlace::Result(element), blob));
        }
        for (index, extra) in self.extras().enumerate() {
            each(BlobPlace::Extra(index, extra.name), extra.data);
        }
    }
}

/// Depth is bounded: values nest no deeper than the reader lets them.
fn blobs_of<'a>(value: Value<'a>, each: &mut dyn FnMut(usize, Blob<'a>)) {
    for (index, element) in value.elements.enumerate() {
        match element {
            Element::Data(blob) => each(index, blob),
            Element::Variant(inner) => blobs_of(inner, each),
            _ => {}
        }
    }
}
