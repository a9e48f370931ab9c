//! What the tables say of a packet: its fields, how they are shown, what they may hold.

use super::enumerations::Enumeration;
use crate::abi::inputs::HandleSpace;

/// A kind of packet.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The first dword.
    pub opcode: u32,
    /// The opcode's name in the protocol.
    pub name: &'static str,
    /// The fields of fixed length, in the order of the file; the first lies behind opcode and size.
    pub fields: &'static [Field],
    /// What follows them, if its length varies.
    pub rest: Option<Rest>,
}

/// A field of fixed length.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in the canonical text.
    pub name: &'static str,
    /// Its length in bytes.
    pub size_bytes: u32,
    /// Whether a packet may end before it.
    pub is_optional: bool,
    /// How it is shown, and what it may hold.
    pub spec: Spec,
}

/// What follows the fields of fixed length.
#[derive(Clone, Copy, Debug)]
pub struct Rest {
    /// Its name.
    pub name: &'static str,
    /// What it is made of.
    pub shape: Shape,
    /// The field that says how much of it there is.
    pub counted_by: Option<&'static str>,
}

/// What a packet's variable part is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Bytes, padded to a multiple of 4.
    Bytes,
    /// Text to the packet's end, with zeros behind it.
    Text,
    /// Elements of `size_bytes` each.
    Elements {
        /// Length of one in bytes.
        size_bytes: u32,
        /// Its members.
        members: &'static [Member],
    },
    /// Flags in one of two forms: 16 bytes each if there are so many, else 4.
    Bools,
}

/// A dword of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// How it is shown, and what it may hold.
    pub spec: Spec,
}

/// How a field is shown, and what it may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// How it is shown.
    pub display: DisplayFormat,
    /// What it may hold.
    pub rule: Rule,
    /// What its value names, if it names something.
    pub names: Option<Names>,
}

/// What a field's value names. Equal commands of two traces can differ in it, and mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// An object, 0 for none.
    Handle(HandleSpace),
    /// An allocation of guest memory, 0 for none.
    Allocation,
    /// A place in the allocation.
    AllocationOffset,
}

/// How a field is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisplayFormat {
    /// As a decimal number.
    Decimal,
    /// As a decimal number with a sign.
    Signed,
    /// In base 16.
    Hex,
    /// As a float.
    Float,
    /// Byte by byte in base 16.
    Padding,
    /// As decimal numbers, each under the field's name with its own number behind it.
    Numbered,
}

/// What a field may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Anything.
    Any,
    /// A handle other than 0.
    Handle,
    /// A number other than 0.
    NotZero,
    /// Nothing but 0; it is reserved.
    Reserved,
    /// A value of the enumeration.
    OneOf(&'static Enumeration),
    /// Bits of this mask; others may come to mean something.
    KnownBits(u32),
    /// Bits of this mask and no others.
    OnlyBits(u32),
    /// A place or a count up to this one.
    AtMost(u32),
    /// The first of as many as the variable part holds, which must end at this place.
    StartOf(u32),
    /// A shader stage.
    Stage,
    /// What the stage is where `stage` says "compute" ([`super::stage_of`]).
    StageEx,
}

impl Layout {
    /// Length of opcode and size in bytes.
    pub const HEADER_BYTES: u32 = 8;

    /// Length of the shortest packet in bytes, header included, variable part excluded.
    pub const fn fixed_bytes(&self) -> u32 {
        let (mut bytes, mut index) = (Self::HEADER_BYTES, 0);
        #[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        while index < self.fields.len() {
            if !self.fields[index].is_optional {
                bytes += self.fields[index].size_bytes;
            }
            index += 1;
        }
        bytes
    }

    /// The fields that a packet of this length has, each with the place of its first byte in the packet.
    pub fn fields_in(&self, size_bytes: u32) -> impl Iterator<Item = (u32, &'static Field)> + use<> {
        let mut at = Self::HEADER_BYTES;
        self.fields.iter().map_while(move |field| {
            let start = at;
            at += field.size_bytes;
            (at <= size_bytes).then_some((start, field))
        })
    }

    /// Length of the fields that a packet of this length has, header included.
    pub fn known_bytes(&self, size_bytes: u32) -> u32 {
        self.fields_in(size_bytes).last().map_or(Self::HEADER_BYTES, |(at, field)| at + field.size_bytes)
    }

    /// The field of this name, with the place of its first byte in the packet.
    pub fn field(&self, name: &str) -> Option<(u32, &'static Field)> {
        self.fields_in(u32::MAX).find(|(_, field)| field.name == name)
    }
}

const fn spec(display: DisplayFormat, rule: Rule) -> Spec {
    Spec { display, rule, names: None }
}

pub(super) const NUMBER: Spec = spec(DisplayFormat::Decimal, Rule::Any);
pub(super) const SIGNED: Spec = spec(DisplayFormat::Signed, Rule::Any);
pub(super) const FLOAT: Spec = spec(DisplayFormat::Float, Rule::Any);
pub(super) const HEX: Spec = spec(DisplayFormat::Hex, Rule::Any);
pub(super) const RESOURCE: HandleSpace = HandleSpace::Resource;
pub(super) const SHADER: HandleSpace = HandleSpace::Shader;
pub(super) const LAYOUT: HandleSpace = HandleSpace::Layout;
pub(super) const SAMPLER: HandleSpace = HandleSpace::Sampler;
pub(super) const ALLOCATION: Spec = Spec { names: Some(Names::Allocation), ..NUMBER };
pub(super) const ALLOCATION_OFFSET: Spec = Spec { names: Some(Names::AllocationOffset), ..NUMBER };
pub(super) const NOT_ZERO: Spec = spec(DisplayFormat::Decimal, Rule::NotZero);
pub(super) const TOKEN: Spec =
    Spec { names: Some(Names::Handle(HandleSpace::Token)), ..spec(DisplayFormat::Hex, Rule::NotZero) };
pub(super) const RESERVED: Spec = spec(DisplayFormat::Hex, Rule::Reserved);
pub(super) const PADDING: Spec = spec(DisplayFormat::Padding, Rule::Reserved);
pub(super) const STAGE: Spec = spec(DisplayFormat::Decimal, Rule::Stage);
pub(super) const STAGE_EX: Spec = spec(DisplayFormat::Decimal, Rule::StageEx);

/// A handle that may be 0.
pub(super) const fn handle(space: HandleSpace) -> Spec {
    Spec { names: Some(Names::Handle(space)), ..NUMBER }
}

/// A handle that may not be 0.
pub(super) const fn some_handle(space: HandleSpace) -> Spec {
    Spec { names: Some(Names::Handle(space)), ..spec(DisplayFormat::Decimal, Rule::Handle) }
}

/// Several handles, 0 for none.
pub(super) const fn handles(space: HandleSpace) -> Spec {
    Spec { names: Some(Names::Handle(space)), ..spec(DisplayFormat::Numbered, Rule::Any) }
}

pub(super) const fn one_of(values: &'static Enumeration) -> Spec {
    spec(DisplayFormat::Decimal, Rule::OneOf(values))
}

pub(super) const fn known_bits(mask: u32) -> Spec {
    spec(DisplayFormat::Hex, Rule::KnownBits(mask))
}

pub(super) const fn only_bits(mask: u32) -> Spec {
    spec(DisplayFormat::Hex, Rule::OnlyBits(mask))
}

pub(super) const fn at_most(limit: u32) -> Spec {
    spec(DisplayFormat::Decimal, Rule::AtMost(limit))
}

pub(super) const fn start_of(end: u32) -> Spec {
    spec(DisplayFormat::Decimal, Rule::StartOf(end))
}
