//! How a draw's vertices are put into the slots of wgpu.
//!
//! | vertices | slot 0 | slot 1 |
//! |---|---|---|
//! | one attribute | the attribute | |
//! | both within one stride, so interleaved | both | |
//! | both, further apart | position | colour |
//! | gathered | all, tight | |

use crate::replay::AttributeLayout;
use crate::shader::VertexInputs;

const POSITION: (u32, wgpu::VertexFormat) = (0, wgpu::VertexFormat::Float32x2);
const COLOR: (u32, wgpu::VertexFormat) = (1, wgpu::VertexFormat::Float32x4);

/// How the vertices lie in memory, as far as the pipeline has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FetchLayout {
    /// No vertex buffer.
    None,
    /// A slot an attribute, both with this stride.
    Separate { stride_bytes: u32 },
    /// One slot for both: half the calls of the commonest layout.
    Interleaved { stride_bytes: u32, position: u32, color: u32 },
    /// One slot, tight.
    Gathered,
}

/// Where each slot starts, counted from where the first vertex does.
pub(super) type SlotOffsets = [Option<u32>; 2];

/// Puts the attributes of vertices that are read in place into slots.
pub(super) fn assign_slots(layout: &AttributeLayout) -> (FetchLayout, SlotOffsets) {
    let stride_bytes = layout.stride_bytes;
    let (position, color) = match (layout.position.offset_bytes(), layout.color.offset_bytes()) {
        (Some(position), Some(color)) => (position, color),
        (position, color) => return (FetchLayout::Separate { stride_bytes }, [position.or(color), None]),
    };
    let ends = [(position, POSITION.1), (color, COLOR.1)];
    if ends.iter().all(|(offset, format)| u64::from(*offset) + format.size() <= u64::from(stride_bytes)) {
        return (FetchLayout::Interleaved { stride_bytes, position, color }, [Some(0), None]);
    }
    (FetchLayout::Separate { stride_bytes }, [Some(position), Some(color)])
}

impl FetchLayout {
    /// Stride and attributes of each slot, for a program that reads `inputs`.
    pub(crate) fn attributes(self, inputs: VertexInputs) -> Vec<(u64, Vec<wgpu::VertexAttribute>)> {
        let read = [(inputs.position, POSITION), (inputs.color, COLOR)];
        let read = read.into_iter().filter_map(|(is_read, attribute)| is_read.then_some(attribute));
        match self {
            Self::None => Vec::new(),
            Self::Separate { stride_bytes } => {
                read.map(|kind| (u64::from(stride_bytes), vec![attribute(kind, 0)])).collect()
            }
            Self::Interleaved { stride_bytes, position, color } => {
                let attributes = [(POSITION, position), (COLOR, color)];
                let attributes = attributes.map(|(kind, offset)| attribute(kind, u64::from(offset)));
                vec![(u64::from(stride_bytes), attributes.into())]
            }
            Self::Gathered => {
                let mut stride = 0;
                let tight = read.map(|kind| {
                    let offset = stride;
                    stride += kind.1.size();
                    attribute(kind, offset)
                });
                let attributes = tight.collect();
                vec![(stride, attributes)]
            }
        }
    }
}

fn attribute((shader_location, format): (u32, wgpu::VertexFormat), offset: u64) -> wgpu::VertexAttribute {
    wgpu::VertexAttribute { format, offset, shader_location }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::VertexSlot;

    fn slots_of(stride_bytes: u32, position: Option<u32>, color: Option<u32>) -> (FetchLayout, SlotOffsets) {
        let [position, color] = [position, color].map(|slot| slot.map_or(VertexSlot::UNREAD, VertexSlot::at));
        assign_slots(&AttributeLayout { stride_bytes, position, color })
    }

    #[test]
    fn only_attributes_within_one_stride_share_a_slot() {
        let shared = |position, color| FetchLayout::Interleaved { stride_bytes: 24, position, color };
        assert_eq!(slots_of(24, Some(0), Some(8)), (shared(0, 8), [Some(0), None]));
        assert_eq!(slots_of(24, Some(16), Some(0)), (shared(16, 0), [Some(0), None]));
        let apart = FetchLayout::Separate { stride_bytes: 24 };
        assert_eq!(slots_of(24, Some(0), Some(12)), (apart, [Some(0), Some(12)]));
        assert_eq!(slots_of(24, Some(0), Some(4096)), (apart, [Some(0), Some(4096)]));
        assert_eq!(slots_of(24, None, Some(0)), (apart, [Some(0), None]));
        let still = FetchLayout::Separate { stride_bytes: 0 };
        assert_eq!(slots_of(0, Some(0), Some(8)), (still, [Some(0), Some(8)]));
    }
}
