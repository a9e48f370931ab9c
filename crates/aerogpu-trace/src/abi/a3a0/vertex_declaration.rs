//! What vertices are made of: the blob of a CREATE_INPUT_LAYOUT, in one of two forms.

use super::diagnostic::{Class, Diagnostic, Severity};
use super::wire::read_dwords;
use trace_base::bytes::Cursor;

/// "ILAY", the first dword of a Direct3D 10 layout.
pub const ILAY_MAGIC: u32 = 0x5941_4c49;
const ILAY_HEADER_BYTES: usize = 16;
const ILAY_ELEMENT_BYTES: usize = 28;
const MAX_ILAY_ELEMENTS: u32 = 32;
/// Slots that vertex buffers can be bound to.
const SLOTS: u32 = 32;

const D3D9_ELEMENT_BYTES: usize = 8;
/// The stream of the element that ends a Direct3D 9 declaration.
const D3D9_END_STREAM: u16 = 0xff;
const D3D9_LAST_TYPE: u8 = 17;
const D3D9_LAST_USAGE: u8 = 13;

/// A blob that says what vertices are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexDeclaration<'a> {
    /// Direct3D 10's form, with a header.
    Ilay(Ilay<'a>),
    /// Direct3D 9's form: elements up to one that ends them.
    D3d9(D3d9Declaration<'a>),
    /// Neither.
    Unknown,
}

/// A layout in Direct3D 10's form.
///
/// | offset | field |
/// |---|---|
/// | 0 | magic "ILAY" |
/// | 4 | version u32, 1 |
/// | 8 | element_count u32 |
/// | 12 | reserved u32 |
/// | 16 | the elements, 28 bytes each |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ilay<'a> {
    /// Version, number of elements, reserved word; nothing if the blob is too short for them.
    pub header: Option<[u32; 3]>,
    elements: &'a [u8],
    /// What makes it unusable; then there are no elements.
    pub fault: Option<Diagnostic>,
    /// Length in bytes of header and elements.
    pub known_bytes: usize,
}

/// One attribute of a vertex in Direct3D 10's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IlayElement {
    /// FNV-1a of the semantic's name in capitals.
    pub semantic_hash: u32,
    /// The number behind the semantic's name.
    pub semantic_index: u32,
    /// The DXGI format.
    pub format: u32,
    /// The slot of its vertex buffer.
    pub slot: u32,
    /// Where it begins in the vertex; with all bits set, behind the one before it.
    pub offset: u32,
    /// 0 for once per vertex, 1 for once per instance.
    pub class: u32,
    /// After how many instances the next value is read.
    pub step: u32,
}

/// A declaration in Direct3D 9's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct D3d9Declaration<'a> {
    elements: &'a [u8],
    /// Length in bytes of the elements and the one that ends them.
    pub known_bytes: usize,
}

/// One attribute of a vertex in Direct3D 9's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct D3d9Element {
    /// The slot of its vertex buffer.
    pub stream: u16,
    /// Where it begins in the vertex.
    pub offset: u16,
    /// Its type's number.
    pub r#type: u8,
    /// How it is tessellated.
    pub method: u8,
    /// What it is used for.
    pub usage: u8,
    /// Which of those with the same use it is.
    pub usage_index: u8,
}

impl<'a> VertexDeclaration<'a> {
    /// Looks at a blob that lies at the absolute file offset `offset`.
    pub fn of(blob: &'a [u8], offset: u64) -> Self {
        if Cursor::new(blob, 0).u32_le() == Ok(ILAY_MAGIC) {
            return Self::Ilay(Ilay::of(blob, offset));
        }
        let is_end = |element: &[u8]| element.starts_with(&D3D9_END_STREAM.to_le_bytes());
        let end = blob.chunks_exact(D3D9_ELEMENT_BYTES).position(is_end);
        match end.and_then(|end| blob.get(..end * D3D9_ELEMENT_BYTES)) {
            Some(elements) => {
                Self::D3d9(D3d9Declaration { elements, known_bytes: elements.len() + D3D9_ELEMENT_BYTES })
            }
            None => Self::Unknown,
        }
    }

    /// Everything odd or wrong about a blob that lies at the absolute file offset `offset`, in the order of the file.
    pub fn check(&self, blob: &'a [u8], offset: u64) -> impl Iterator<Item = Diagnostic> + use<'a> {
        let (ilay, d3d9) = match *self {
            Self::Ilay(ilay) => (Some(ilay), None),
            Self::D3d9(declaration) => (None, Some(declaration)),
            Self::Unknown => (None, None),
        };
        let in_elements = ilay.into_iter().flat_map(move |ilay| ilay.check_elements(offset));
        let in_elements =
            in_elements.chain(d3d9.into_iter().flat_map(move |declaration| declaration.check_elements(offset)));
        in_elements.chain(self.check_whole(blob, offset))
    }

    /// What is odd or wrong about a blob that is not about one element.
    fn check_whole(&self, blob: &[u8], offset: u64) -> Option<Diagnostic> {
        let known_bytes = match self {
            Self::Ilay(Ilay { fault: Some(fault), .. }) => return Some(*fault),
            Self::Ilay(ilay) => ilay.known_bytes,
            Self::D3d9(declaration) => declaration.known_bytes,
            Self::Unknown => {
                let (class, part) = (Class::LayoutUnknown, "a length in bytes of");
                return (!blob.is_empty()).then(|| diagnostic(Severity::Fault, class, offset, part, blob.len()));
            }
        };
        let (left, offset) = (blob.len().saturating_sub(known_bytes), offset + known_bytes as u64);
        (left > 0).then(|| diagnostic(Severity::Note, Class::LayoutTail, offset, "a tail, in bytes, of", left))
    }
}

fn diagnostic(severity: Severity, class: Class, offset: u64, part: &'static str, found: usize) -> Diagnostic {
    Diagnostic { severity, class, offset, subject: "the input layout", part, found: found as u64 }
}

fn fault(class: Class, offset: u64, part: &'static str, found: u32) -> Diagnostic {
    diagnostic(Severity::Fault, class, offset, part, found as usize)
}

impl<'a> Ilay<'a> {
    fn of(blob: &'a [u8], offset: u64) -> Self {
        let (header, rest) = match blob.split_at_checked(ILAY_HEADER_BYTES) {
            Some((header, rest)) => {
                (read_dwords::<4>(header).map(|[_, version, count, word]| [version, count, word]), rest)
            }
            None => (None, &[][..]),
        };
        let unusable = |fault| Self { header, elements: &[], fault: Some(fault), known_bytes: blob.len() };
        let Some([version, count, _]) = header else {
            return unusable(diagnostic(
                Severity::Fault,
                Class::LayoutShort,
                offset,
                "a length in bytes of",
                blob.len(),
            ));
        };
        if version != 1 {
            return unusable(fault(Class::LayoutVersion, offset + 4, "version", version));
        }
        if count > MAX_ILAY_ELEMENTS {
            return unusable(fault(Class::LayoutCount, offset + 8, "element_count", count));
        }
        match rest.get(..count as usize * ILAY_ELEMENT_BYTES) {
            Some(elements) => Self { header, elements, fault: None, known_bytes: ILAY_HEADER_BYTES + elements.len() },
            None => unusable(fault(Class::LayoutOverrun, offset + 8, "element_count", count)),
        }
    }

    /// The elements, in order.
    pub fn elements(&self) -> impl Iterator<Item = IlayElement> + use<'a> {
        self.elements.chunks_exact(ILAY_ELEMENT_BYTES).filter_map(|element| {
            let [semantic_hash, semantic_index, format, slot, offset, class, step] = read_dwords(element)?;
            Some(IlayElement { semantic_hash, semantic_index, format, slot, offset, class, step })
        })
    }

    fn check_elements(&self, offset: u64) -> impl Iterator<Item = Diagnostic> + use<'a> {
        let first = offset + ILAY_HEADER_BYTES as u64;
        self.elements().zip((first..).step_by(ILAY_ELEMENT_BYTES)).flat_map(|(element, at)| {
            let bad_slot =
                (element.slot >= SLOTS).then(|| fault(Class::BadSlot, at + 12, "an element in slot", element.slot));
            let bad_class = match element.class {
                0 => None,
                1 if element.step == 0 => Some(fault(Class::Zero, at + 24, "an element with instance step", 0)),
                1 => None,
                class => Some(fault(Class::BadEnum, at + 20, "an element of slot class", class)),
            };
            [bad_slot, bad_class].into_iter().flatten()
        })
    }
}

impl<'a> D3d9Declaration<'a> {
    /// The elements, in order, without the one that ends them.
    pub fn elements(&self) -> impl Iterator<Item = D3d9Element> + use<'a> {
        self.elements.chunks_exact(D3D9_ELEMENT_BYTES).filter_map(|element| {
            let mut cursor = Cursor::new(element, 0);
            let (stream, offset) = (cursor.u16_le().ok()?, cursor.u16_le().ok()?);
            let [r#type, method, usage, usage_index] = cursor.array().ok()?;
            Some(D3d9Element { stream, offset, r#type, method, usage, usage_index })
        })
    }

    fn check_elements(&self, offset: u64) -> impl Iterator<Item = Diagnostic> + use<'a> {
        self.elements().zip((offset..).step_by(D3D9_ELEMENT_BYTES)).flat_map(|(element, at)| {
            let [stream, r#type, usage] =
                [u32::from(element.stream), u32::from(element.r#type), u32::from(element.usage)];
            let faults = [
                (stream >= SLOTS).then(|| fault(Class::BadSlot, at, "an element of stream", stream)),
                (element.r#type > D3D9_LAST_TYPE).then(|| fault(Class::BadEnum, at + 4, "an element of type", r#type)),
                (element.usage > D3D9_LAST_USAGE).then(|| fault(Class::BadEnum, at + 6, "an element of usage", usage)),
            ];
            faults.into_iter().flatten()
        })
    }
}
