//! Signature chunks, of all three sizes.
//!
//! ```text
//!   0  number of elements
//!   4  offset of the first, 8
//!      element            ISGN OSGN PCSG    OSG5    ISG1 OSG1 PSG1
//!      stream                   –             0        0
//!      name's offset            0             4        4
//!      semantic's number        4             8        8
//!      system value             8            12       12
//!      type                    12            16       16
//!      register                16            20       20
//!      mask, read mask, 2 B    20            24       24
//!      precision                –             –       28
//! ```
//!
//! Offsets of names count from the chunk's first byte behind its header; names may be shared.

use super::container::{Chunk, Container};
use super::error::BytecodeError;
use super::name::{NameReference, name_at};
use super::operand::{Mask, MinPrecision};
use super::signature::{ComponentType, SignatureElement, Signatures, SystemValue};
use crate::limits::MAX_SIGNATURE_ELEMENTS;
use trace_base::bytes::{Cursor, OutOfBytes};

/// What an element of a chunk has beside the fields that all have.
#[derive(Clone, Copy)]
struct Layout {
    stream: bool,
    precision: bool,
}

const PLAIN: Layout = Layout { stream: false, precision: false };
const STREAMED: Layout = Layout { stream: true, precision: false };
const PRECISE: Layout = Layout { stream: true, precision: true };

/// The chunks that may hold each signature, the ones to prefer first.
const INPUT: &[(&[u8; 4], Layout)] = &[(b"ISG1", PRECISE), (b"ISGN", PLAIN)];
const OUTPUT: &[(&[u8; 4], Layout)] = &[(b"OSG1", PRECISE), (b"OSG5", STREAMED), (b"OSGN", PLAIN)];
const PATCH: &[(&[u8; 4], Layout)] = &[(b"PSG1", PRECISE), (b"PCSG", PLAIN), (b"PSGN", PLAIN)];

/// The signatures of a container; one that it lacks is empty.
pub(super) fn signatures(container: &Container<'_>) -> Result<Signatures, BytecodeError> {
    Ok(Signatures {
        input: signature(container, INPUT)?,
        output: signature(container, OUTPUT)?,
        patch: signature(container, PATCH)?,
    })
}

fn signature(container: &Container<'_>, chunks: &[(&[u8; 4], Layout)]) -> Result<Vec<SignatureElement>, BytecodeError> {
    let found = chunks.iter().find_map(|(tag, layout)| Some((container.find(tag)?, *layout)));
    let Some((chunk, layout)) = found else { return Ok(Vec::new()) };
    let Header { count, mut elements } = Header::parse(chunk)?;
    (0..count).map(|number| element(chunk, layout, number, &mut elements)).collect()
}

struct Header<'a> {
    count: u32,
    elements: Cursor<'a>,
}

impl<'a> Header<'a> {
    fn parse(chunk: &Chunk<'a>) -> Result<Self, BytecodeError> {
        let mut cursor = Cursor::new(chunk.bytes, chunk.offset);
        let in_header = |cause: OutOfBytes| BytecodeError::OutOfBytes { what: "header of a signature", cause };
        let count = cursor.u32_le().map_err(in_header)?;
        if count > MAX_SIGNATURE_ELEMENTS {
            let (found, limit) = (u64::from(count), u64::from(MAX_SIGNATURE_ELEMENTS));
            let what = "number of elements of a signature";
            return Err(BytecodeError::OverLimit { what, found, limit, offset: chunk.offset });
        }
        let offset = cursor.offset();
        let first = cursor.u32_le().map_err(in_header)?;
        let Some(elements) = chunk.bytes.get(first as usize..).filter(|_| first >= 8) else {
            let (what, expected) = ("offset of a signature's elements", "from 8 on, within the chunk");
            return Err(BytecodeError::BadSize { what, expected, found: u64::from(first), offset });
        };
        Ok(Self { count, elements: Cursor::new(elements, chunk.offset + u64::from(first)) })
    }
}

fn element(
    chunk: &Chunk<'_>,
    layout: Layout,
    number: u32,
    cursor: &mut Cursor<'_>,
) -> Result<SignatureElement, BytecodeError> {
    let in_element = |cause: OutOfBytes| BytecodeError::OutOfBytes { what: "element of a signature", cause };
    let mut field = || cursor.u32_le().map_err(in_element);
    let stream = if layout.stream { field()? } else { 0 };
    let name_offset = field()?;
    let (index, system_value, component_type, register, masks) = (field()?, field()?, field()?, field()?, field()?);
    let precision = if layout.precision { field()? } else { 0 };
    let offset = cursor.offset();
    let name = name_at(chunk.bytes, name_offset, NameReference { what: "semantic", element: number, offset })?;
    Ok(SignatureElement {
        system_value: system_value_of(system_value, index).or_else(|| system_value_named(name)),
        name: name.into(),
        index,
        component_type: ComponentType::from_number(component_type).unwrap_or(ComponentType::Unknown),
        register: (register != u32::MAX).then_some(register),
        mask: Mask::from_bits(masks),
        read_or_unwritten: Mask::from_bits(masks >> 8),
        stream: stream as u8,
        precision: MinPrecision::from_signature(precision),
    })
}

/// The system value that a signature numbers so. Of tessellation factors it has only the kind; the semantic's number
/// says which.
fn system_value_of(number: u32, index: u32) -> Option<SystemValue> {
    use SystemValue as V;
    let of = |factors: &[V]| factors.get(index as usize).copied();
    match number {
        11 => of(&[
            V::FinalQuadUEq0EdgeTessFactor,
            V::FinalQuadVEq0EdgeTessFactor,
            V::FinalQuadUEq1EdgeTessFactor,
            V::FinalQuadVEq1EdgeTessFactor,
        ]),
        12 => of(&[V::FinalQuadUInsideTessFactor, V::FinalQuadVInsideTessFactor]),
        13 => of(&[V::FinalTriUEq0EdgeTessFactor, V::FinalTriVEq0EdgeTessFactor, V::FinalTriWEq0EdgeTessFactor]),
        14 => Some(V::FinalTriInsideTessFactor),
        15 => Some(V::FinalLineDetailTessFactor),
        16 => Some(V::FinalLineDensityTessFactor),
        17..=22 => None,
        _ => V::from_number(number),
    }
}

/// The number that a signature has for a system value.
pub(super) fn signature_number(value: SystemValue) -> u32 {
    use SystemValue as V;
    match value {
        V::FinalQuadUEq0EdgeTessFactor
        | V::FinalQuadVEq0EdgeTessFactor
        | V::FinalQuadUEq1EdgeTessFactor
        | V::FinalQuadVEq1EdgeTessFactor => 11,
        V::FinalQuadUInsideTessFactor | V::FinalQuadVInsideTessFactor => 12,
        V::FinalTriUEq0EdgeTessFactor | V::FinalTriVEq0EdgeTessFactor | V::FinalTriWEq0EdgeTessFactor => 13,
        V::FinalTriInsideTessFactor => 14,
        V::FinalLineDetailTessFactor => 15,
        V::FinalLineDensityTessFactor => 16,
        value => value.number(),
    }
}

/// The semantics that are system values whatever their number: the emulator writes 0 for all, Microsoft's compiler for
/// a pixel shader's outputs.
const NAMED: &[(&str, SystemValue)] = &[
    ("SV_Position", SystemValue::Position),
    ("SV_ClipDistance", SystemValue::ClipDistance),
    ("SV_CullDistance", SystemValue::CullDistance),
    ("SV_RenderTargetArrayIndex", SystemValue::RenderTargetArrayIndex),
    ("SV_ViewportArrayIndex", SystemValue::ViewportArrayIndex),
    ("SV_VertexID", SystemValue::VertexId),
    ("SV_PrimitiveID", SystemValue::PrimitiveId),
    ("SV_InstanceID", SystemValue::InstanceId),
    ("SV_IsFrontFace", SystemValue::IsFrontFace),
    ("SV_SampleIndex", SystemValue::SampleIndex),
    ("SV_Target", SystemValue::Target),
    ("SV_Depth", SystemValue::Depth),
    ("SV_Coverage", SystemValue::Coverage),
    ("SV_DepthGreaterEqual", SystemValue::DepthGreaterEqual),
    ("SV_DepthLessEqual", SystemValue::DepthLessEqual),
    ("SV_StencilRef", SystemValue::StencilRef),
    ("SV_InnerCoverage", SystemValue::InnerCoverage),
];

fn system_value_named(name: &str) -> Option<SystemValue> {
    NAMED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
}
