//! The variable parts of packets: bytes, text, elements, flags. Each is a view of the file's own bytes.

use std::marker::PhantomData;

use super::layout::{FLOAT, HEX, Member, NUMBER, RESERVED, RESOURCE, SAMPLER, SIGNED, Shape, Spec, handle};
use super::wire::Wire;
use trace_base::bytes::Cursor;

/// The part of a packet that follows its fields of fixed length.
pub trait Variable<'a>: Sized {
    /// What it is made of.
    const SHAPE: Shape;

    /// Takes `count` of it from the front of `cursor`. Nothing, and nothing taken, if there is less.
    fn take(cursor: &mut Cursor<'a>, count: u64) -> Option<Self>;

    /// Writes it as it is read.
    fn write(&self, into: &mut Vec<u8>);

    /// How much of it there is, in the unit of the field that says so.
    fn count(&self) -> u64;
}

/// Bytes, and those behind them that fill up a dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes<'a> {
    /// What the packet carries.
    pub bytes: &'a [u8],
    /// Up to three bytes, normally 0.
    pub padding: &'a [u8],
}

const ZEROS: [u8; 3] = [0; 3];

impl<'a> Bytes<'a> {
    /// These bytes, padded with zeros.
    pub fn new(bytes: &'a [u8]) -> Self {
        let padding = bytes.len().next_multiple_of(4) - bytes.len();
        Self { bytes, padding: ZEROS.get(..padding).unwrap_or_default() }
    }
}

impl<'a> Variable<'a> for Bytes<'a> {
    const SHAPE: Shape = Shape::Bytes;

    #[inline]
    fn take(cursor: &mut Cursor<'a>, count: u64) -> Option<Self> {
        let length = usize::try_from(count).ok()?;
        let padded = length.checked_next_multiple_of(4)?;
        let (bytes, padding) = cursor.take(padded).ok()?.split_at_checked(length)?;
        Some(Self { bytes, padding })
    }

    fn write(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(self.bytes);
        into.extend_from_slice(self.padding);
    }

    fn count(&self) -> u64 {
        self.bytes.len() as u64
    }
}

/// Text to the packet's end, normally UTF-8, with zeros behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a>(pub &'a [u8]);

impl<'a> Text<'a> {
    /// The text without the zeros behind it.
    pub fn trimmed(&self) -> &'a [u8] {
        let end = self.0.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        self.0.get(..end).unwrap_or_default()
    }
}

impl<'a> Variable<'a> for Text<'a> {
    const SHAPE: Shape = Shape::Text;

    #[inline]
    fn take(cursor: &mut Cursor<'a>, _count: u64) -> Option<Self> {
        cursor.take(cursor.left()).ok().map(Self)
    }

    fn write(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(self.0);
    }

    fn count(&self) -> u64 {
        self.0.len() as u64
    }
}

/// A value of fixed length that a packet can carry any number of.
pub trait Element: Copy {
    /// Its members.
    const MEMBERS: &'static [Member];
    /// Its length in bytes.
    const BYTES: u32;

    /// Reads it, and advances.
    fn parse(cursor: &mut Cursor<'_>) -> Option<Self>;

    /// Writes it as it is read.
    fn write(self, into: &mut Vec<u8>);
}

/// A number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elements<'a, T> {
    bytes: &'a [u8],
    element: PhantomData<T>,
}

impl<'a, T: Element> Elements<'a, T> {
    /// The elements that these bytes hold; none of a length that is no multiple of theirs.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        bytes.len().is_multiple_of(T::BYTES as usize).then_some(Self { bytes, element: PhantomData })
    }

    /// These elements as they stand in a packet.
    pub fn to_bytes(elements: &[T]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(elements.len() * T::BYTES as usize);
        elements.iter().for_each(|element| element.write(&mut bytes));
        bytes
    }

    /// The elements, in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + use<'a, T> {
        let mut cursor = Cursor::new(self.bytes, 0);
        std::iter::from_fn(move || T::parse(&mut cursor))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / T::BYTES as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

impl<'a, T: Element> Variable<'a> for Elements<'a, T> {
    const SHAPE: Shape = Shape::Elements { size_bytes: T::BYTES, members: T::MEMBERS };

    #[inline]
    fn take(cursor: &mut Cursor<'a>, count: u64) -> Option<Self> {
        let length = usize::try_from(count.checked_mul(u64::from(T::BYTES))?).ok()?;
        Self::new(cursor.take(length).ok()?)
    }

    fn write(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(self.bytes);
    }

    fn count(&self) -> u64 {
        self.len() as u64
    }
}

/// Makes a structure of words, and the element that it is.
macro_rules! elements {
    ($($(#[$doc:meta])* $name:ident { $($(#[$member_doc:meta])* $member:ident = $spec:expr,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$member_doc])* pub $member: u32,)*
        }

        impl Element for $name {
            const MEMBERS: &'static [Member] = &[$(Member { name: stringify!($member), spec: $spec }),*];
            const BYTES: u32 = 4 * Self::MEMBERS.len() as u32;

            #[inline]
            fn parse(cursor: &mut Cursor<'_>) -> Option<Self> {
                Some(Self { $($member: cursor.u32_le().ok()?),* })
            }

            fn write(self, into: &mut Vec<u8>) {
                $(self.$member.write(into);)*
            }
        }
    )*};
}

elements! {
    /// A vertex buffer for one slot.
    VertexBufferBinding {
        /// The buffer, 0 for none.
        buffer = handle(RESOURCE),
        /// Distance from one vertex to the next.
        stride_bytes = NUMBER,
        /// Where the first vertex begins.
        offset_bytes = NUMBER,
        /// Reserved, 0.
        reserved = RESERVED,
    }
    /// A range of a buffer for one slot.
    BufferBinding {
        /// The buffer, 0 for none.
        buffer = handle(RESOURCE),
        /// First byte that is bound.
        offset_bytes = NUMBER,
        /// Number of bytes that are bound, 0 for the rest of the buffer.
        size_bytes = NUMBER,
        /// Reserved, 0.
        reserved = RESERVED,
    }
    /// A range of a buffer that shaders write to, for one slot.
    UnorderedAccessBinding {
        /// The buffer, 0 for none.
        buffer = handle(RESOURCE),
        /// First byte that is bound.
        offset_bytes = NUMBER,
        /// Number of bytes that are bound, 0 for the rest of the buffer.
        size_bytes = NUMBER,
        /// Value that the buffer's counter gets; with all bits set it keeps its own.
        initial_count = HEX,
    }
    /// A handle for one slot.
    BoundHandle {
        /// The handle, 0 for none.
        handle = handle(SAMPLER),
    }
}

const fn vector(spec: Spec) -> [Member; 4] {
    [Member { name: "x", spec }, Member { name: "y", spec }, Member { name: "z", spec }, Member { name: "w", spec }]
}

macro_rules! registers {
    ($($type:ty = $spec:expr;)*) => {$(
        impl Element for [$type; 4] {
            const MEMBERS: &'static [Member] = &vector($spec);
            const BYTES: u32 = 16;

            #[inline]
            fn parse(cursor: &mut Cursor<'_>) -> Option<Self> {
                <Self as Wire>::parse(cursor).ok()
            }

            fn write(self, into: &mut Vec<u8>) {
                Wire::write(self, into);
            }
        }
    )*};
}

registers! {
    f32 = FLOAT;
    i32 = SIGNED;
}

/// The form in which flags were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoolForm {
    /// Four dwords each, as the protocol's own writer has it.
    Vec4,
    /// A dword each, as the D3D9 driver writes them.
    Scalar,
}

impl BoolForm {
    /// Length of one flag in bytes.
    pub fn size_bytes(self) -> u32 {
        match self {
            Self::Vec4 => 16,
            Self::Scalar => 4,
        }
    }

    /// The form of `count` flags in `left` bytes, if they are that many at all.
    pub fn of(count: u64, left: u64) -> Option<Self> {
        let fits = |form: &Self| count.checked_mul(u64::from(form.size_bytes())).is_some_and(|bytes| bytes <= left);
        [Self::Vec4, Self::Scalar].into_iter().find(fits)
    }
}

/// Flags, each set if any of its bytes is not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bools<'a> {
    /// How they are written.
    pub form: BoolForm,
    bytes: &'a [u8],
}

impl<'a> Bools<'a> {
    /// The flags that these bytes hold in this form; none of a length that is no multiple of one's.
    pub fn new(form: BoolForm, bytes: &'a [u8]) -> Option<Self> {
        bytes.len().is_multiple_of(form.size_bytes() as usize).then_some(Self { form, bytes })
    }

    /// The flags, in order.
    pub fn iter(&self) -> impl Iterator<Item = bool> + use<'a> {
        self.bytes.chunks_exact(self.form.size_bytes() as usize).map(|flag| flag.iter().any(|byte| *byte != 0))
    }
}

impl<'a> Variable<'a> for Bools<'a> {
    const SHAPE: Shape = Shape::Bools;

    #[inline]
    fn take(cursor: &mut Cursor<'a>, count: u64) -> Option<Self> {
        let form = BoolForm::of(count, cursor.left() as u64)?;
        let length = usize::try_from(count * u64::from(form.size_bytes())).ok()?;
        Self::new(form, cursor.take(length).ok()?)
    }

    fn write(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(self.bytes);
    }

    fn count(&self) -> u64 {
        self.bytes.len() as u64 / u64::from(self.form.size_bytes())
    }
}
