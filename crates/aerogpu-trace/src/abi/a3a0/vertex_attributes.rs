//! Layouts of vertices, in either form → the vocabulary's attributes.

use super::diagnostic::{Diagnostic, Severity};
use super::vertex_declaration::{D3d9Element, IlayElement, VertexDeclaration};
use crate::command::{Semantic, VertexAttribute, VertexStep};

/// The offset of an element that follows the one before it in its slot.
const APPEND: u32 = u32::MAX;
/// D3D9's type of an element that is none.
const D3D9_UNUSED: u8 = 17;

/// The attributes of a layout, whose bytes lie at the absolute file offset `offset`, and which form it has.
pub fn vertex_attributes(blob: &[u8], offset: u64) -> Result<Vec<VertexAttribute>, Diagnostic> {
    let declaration = VertexDeclaration::of(blob, offset);
    if let Some(fault) = declaration.check(blob, offset).find(|found| found.severity != Severity::Note) {
        return Err(fault);
    }
    Ok(match declaration {
        VertexDeclaration::Ilay(ilay) => of_ilay(ilay.elements()),
        VertexDeclaration::D3d9(declaration) => {
            declaration.elements().filter(|element| element.r#type != D3D9_UNUSED).map(of_d3d9).collect()
        }
        VertexDeclaration::Unknown => Vec::new(),
    })
}

fn of_ilay(elements: impl Iterator<Item = IlayElement>) -> Vec<VertexAttribute> {
    let mut attributes: Vec<VertexAttribute> = Vec::new();
    for element in elements {
        let IlayElement { semantic_hash, semantic_index, format, slot, offset, class, step } = element;
        let offset_bytes = if offset == APPEND {
            let before = attributes.iter().rev().find(|attribute| attribute.slot == slot);
            before.map_or(0, |before| before.offset_bytes.saturating_add(before.size_bytes)).next_multiple_of(4)
        } else {
            offset
        };
        let size_bytes = dxgi_bytes(format);
        let semantic = Semantic::Hashed { hash: semantic_hash, index: semantic_index };
        let step = if class == 0 { VertexStep::Vertex } else { VertexStep::Instances(step.max(1)) };
        attributes.push(VertexAttribute { semantic, slot, offset_bytes, size_bytes, format, step });
    }
    attributes
}

fn of_d3d9(element: D3d9Element) -> VertexAttribute {
    let D3d9Element { stream, offset, r#type, usage, usage_index, .. } = element;
    VertexAttribute {
        semantic: Semantic::Usage { usage, index: usage_index },
        slot: u32::from(stream),
        offset_bytes: u32::from(offset),
        size_bytes: d3d9_bytes(r#type),
        format: u32::from(r#type),
        step: VertexStep::Vertex,
    }
}

/// Bytes of a value in a DXGI format that vertices may have; 0 of any other.
fn dxgi_bytes(format: u32) -> u32 {
    match format {
        2..=4 => 16,
        6..=8 => 12,
        10..=14 | 16..=18 => 8,
        24 | 28..=32 | 34..=38 | 41..=43 | 87 | 91 => 4,
        49..=52 | 54 | 56..=59 => 2,
        _ => 0,
    }
}

/// Bytes of a value of a D3DDECLTYPE.
fn d3d9_bytes(r#type: u8) -> u32 {
    match r#type {
        0 => 4,
        1 => 8,
        2 => 12,
        3 => 16,
        // Colours, bytes, pairs of 16 bits, 10 bits each.
        4..=6 | 8 | 9 | 11 | 13..=15 => 4,
        7 | 10 | 12 | 16 => 8,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ilay(elements: &[[u32; 7]]) -> Vec<u8> {
        let header = [0x5941_4c49, 1, elements.len() as u32, 0];
        header.iter().chain(elements.iter().flatten()).flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn an_element_that_is_appended_follows_the_one_before_it_in_its_slot() {
        let blob = ilay(&[
            [1, 0, 6, 0, 0, 0, 0],
            [2, 0, 49, 1, 6, 0, 0],
            [3, 1, 16, 0, u32::MAX, 0, 0],
            [4, 0, 28, 1, u32::MAX, 1, 2],
        ]);
        let attributes = vertex_attributes(&blob, 0).unwrap();
        let places: Vec<_> =
            attributes.iter().map(|found| (found.slot, found.offset_bytes, found.size_bytes)).collect();
        assert_eq!(places, [(0, 0, 12), (1, 6, 2), (0, 12, 8), (1, 8, 4)]);
        assert_eq!(attributes[2].semantic, Semantic::Hashed { hash: 3, index: 1 });
        assert_eq!((attributes[0].step, attributes[3].step), (VertexStep::Vertex, VertexStep::Instances(2)));
    }

    #[test]
    fn a_declaration_of_direct3d_9_ends_at_its_end() {
        let blob =
            [0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 12, 0, 4, 0, 10, 1, 0, 0, 0, 0, 17, 0, 0, 0, 0xff, 0, 0, 0, 17, 0, 0, 0, 9];
        let attributes = vertex_attributes(&blob, 0).unwrap();
        assert_eq!(attributes.len(), 2);
        assert_eq!(attributes[1].semantic, Semantic::Usage { usage: 10, index: 1 });
        assert_eq!((attributes[1].offset_bytes, attributes[1].size_bytes), (12, 4));
    }

    #[test]
    fn a_layout_with_a_fault_has_no_attributes() {
        assert!(vertex_attributes(&ilay(&[[1, 0, 6, 32, 0, 0, 0]]), 0).is_err());
        assert!(vertex_attributes(&[1, 2, 3, 4], 0x40).is_err());
    }
}
