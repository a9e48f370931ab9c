//! Where the vertices and indices of draws come from.

use std::ops::Range;

use super::bindings::Bindings;
use super::context::{BufferSlotState, Context, slot_of};
use super::draws::{Shaders, Vertices};
use super::effect::Effect;
use super::error::ContractError;
use super::objects::Objects;
use crate::command::{IndexFormat, Semantic, VertexAttribute, VertexStep};

impl Bindings<'_> {
    /// The slots that a draw's vertices and indices come from.
    pub(super) fn vertex_slots(
        &mut self,
        context: &Context,
        attributes: &[VertexAttribute],
        is_indexed: bool,
    ) -> Result<(), ContractError> {
        for attribute in attributes {
            self.effect.refer_all(slot_of(&context.vertex_buffers, attribute.slot).slot.depends_on());
        }
        if is_indexed {
            let (held, _) = &context.indices.value;
            self.effect.refer(context.indices.set_by);
            self.effect.refer_all(held.slot.depends_on());
            self.objects.buffer(held.slot.named).ok_or(ContractError::NoIndexBuffer)?;
        }
        Ok(())
    }

    /// The attributes that a draw's vertex shader reads.
    pub(super) fn attributes(
        &mut self,
        context: &Context,
        shaders: &Shaders<'_>,
    ) -> Result<Vec<VertexAttribute>, ContractError> {
        let vertex = match shaders {
            Shaders::None => {
                let stride = slot_of(&context.vertex_buffers, 0).size_bytes;
                if !matches!(stride, 20 | 24 | 28) {
                    return Err(ContractError::NoMeaning { stride });
                }
                let semantic = Semantic::Hashed { hash: 0, index: 0 };
                let step = VertexStep::Vertex;
                return Ok(vec![VertexAttribute {
                    semantic,
                    slot: 0,
                    offset_bytes: 0,
                    size_bytes: stride,
                    format: 0,
                    step,
                }]);
            }
            Shaders::Bound { vertex, .. } => vertex,
        };
        if vertex.inputs.is_empty() {
            return Ok(Vec::new());
        }
        let layout = &context.layout;
        self.effect.refer(layout.set_by);
        self.effect.refer(layout.value.made_by);
        let unusable = |what: String| ContractError::Unusable { what: what.into() };
        let Some(object) = &layout.value.object else {
            return Err(match layout.value.handle {
                0 => unusable("no layout is bound, and the vertex shader reads inputs".to_owned()),
                handle => unusable(format!("layout {handle} does not exist")),
            });
        };
        let attributes = object
            .attributes
            .as_ref()
            .map_err(|why| unusable(format!("layout {} cannot be used ({why})", layout.value.handle)))?;
        let used: Vec<VertexAttribute> = (0..)
            .zip(attributes)
            .filter(|(number, attribute)| vertex.inputs.iter().any(|input| is_linked(*number, attribute, input)))
            .map(|(_, attribute)| *attribute)
            .collect();
        if let Some(unknown) = used.iter().find(|attribute| attribute.size_bytes == 0) {
            let (handle, format) = (layout.value.handle, unknown.format);
            return Err(unusable(format!(
                "layout {handle} has an element of format {format}, which vertices cannot have"
            )));
        }
        Ok(used)
    }
}

/// The bytes of vertices and indices that a draw reads.
pub(super) fn read_vertices(objects: &Objects, effect: &mut Effect, context: &Context, vertices: Vertices) {
    let attributes = &context.last_draw.attributes;
    for (number, attribute) in attributes.iter().enumerate() {
        // Each slot once, with all its attributes.
        let is_first = attributes.iter().take(number).all(|earlier| earlier.slot != attribute.slot);
        let held = slot_of(&context.vertex_buffers, attribute.slot);
        if let Some((key, buffer)) = objects.buffer(held.slot.named).filter(|_| is_first) {
            let own = attributes.iter().filter(|other| other.slot == attribute.slot);
            let bytes = vertex_bytes(own, &held, vertices, u64::from(buffer.size_bytes));
            effect.read_vertices(key, bytes);
        }
    }
    let (held, format) = &context.indices.value;
    if let Vertices::Indexed(draw) = vertices
        && let Some((key, buffer)) = objects.buffer(held.slot.named)
    {
        let index_bytes = match format {
            IndexFormat::Uint16 => 2,
            IndexFormat::Uint32 => 4,
        };
        let size = u64::from(buffer.size_bytes);
        let start = u64::from(held.offset_bytes) + u64::from(draw.first_index) * index_bytes;
        let end = start.saturating_add(u64::from(draw.index_count) * index_bytes);
        effect.read_vertices(key, start.min(size) as u32..end.min(size) as u32);
    }
}

/// Whether attribute `number` of a layout feeds an input: by semantic where both say one of the same Direct3D, else by the
/// order of registers.
pub(super) fn is_linked(number: u32, attribute: &VertexAttribute, input: &super::shader::ShaderInput) -> bool {
    match (attribute.semantic, input.semantic) {
        (Semantic::Hashed { .. }, Some(semantic @ Semantic::Hashed { .. }))
        | (Semantic::Usage { .. }, Some(semantic @ Semantic::Usage { .. })) => attribute.semantic == semantic,
        _ => input.register == number,
    }
}

/// The bytes of a buffer that the attributes of one slot can read.
fn vertex_bytes<'v>(
    attributes: impl Iterator<Item = &'v VertexAttribute>,
    held: &BufferSlotState,
    vertices: Vertices,
    size: u64,
) -> Range<u32> {
    let (offset, stride) = (u64::from(held.offset_bytes), u64::from(held.size_bytes));
    let mut all: Option<Range<u64>> = None;
    for attribute in attributes {
        let (first_instance, instance_count) = vertices.instances();
        let elements = match (attribute.step, vertices) {
            (VertexStep::Instances(step), _) => {
                let last = u64::from(instance_count.saturating_sub(1)) / u64::from(step.max(1));
                Some(u64::from(first_instance)..=u64::from(first_instance) + last)
            }
            (VertexStep::Vertex, Vertices::Direct(draw)) => {
                let first = u64::from(draw.first_vertex);
                Some(first..=first + u64::from(draw.vertex_count.saturating_sub(1)))
            }
            (VertexStep::Vertex, Vertices::Indexed(_)) => None,
        };
        let start = offset.saturating_add(u64::from(attribute.offset_bytes));
        let bytes = match elements {
            Some(elements) => {
                let at = |number: u64| start.saturating_add(number.saturating_mul(stride));
                at(*elements.start())..at(*elements.end()).saturating_add(u64::from(attribute.size_bytes))
            }
            // Whatever the indices say.
            None => start..size.max(start),
        };
        all = Some(match all {
            Some(all) => all.start.min(bytes.start)..all.end.max(bytes.end),
            None => bytes,
        });
    }
    let all = all.unwrap_or(0..0);
    all.start.min(size) as u32..all.end.min(size) as u32
}
