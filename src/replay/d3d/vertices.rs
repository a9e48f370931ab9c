//! Where the vertices and indices of draws come from.

use std::ops::Range;

use super::bindings::Bindings;
use super::context::{Context, slot_of};
use super::draws::{Shaders, Vertices};
use super::effect::{Effect, ObjectKey};
use super::error::ContractError;
use crate::command::{IndexFormat, Semantic, VertexAttribute, VertexStep};

impl Bindings<'_> {
    /// Where a draw's vertices and indices come from.
    pub(super) fn vertices(
        &mut self,
        context: &Context,
        shaders: &Shaders<'_>,
        is_indexed: bool,
    ) -> Result<Vec<VertexSource>, ContractError> {
        let attributes = self.attributes(context, shaders)?;
        let mut sources: Vec<VertexSource> = Vec::new();
        for (number, attribute) in attributes.iter().enumerate() {
            let held = slot_of(&context.vertex_buffers, attribute.slot);
            self.effect.refer_all(held.slot.depends_on());
            // Each slot once, with all its attributes.
            let is_first = attributes.iter().take(number).all(|earlier| earlier.slot != attribute.slot);
            if let Some((object, buffer)) = self.objects.buffer(held.slot.named).filter(|_| is_first) {
                let own = attributes.iter().filter(|other| other.slot == attribute.slot);
                let (offset_bytes, stride_bytes) = (held.offset_bytes, held.size_bytes);
                let what = Fetched::Vertices { elements: elements_of(own, offset_bytes), stride_bytes };
                sources.push(VertexSource { object, size_bytes: buffer.size_bytes, offset_bytes, what });
            }
        }
        if is_indexed {
            let (held, format) = context.indices.value;
            self.effect.refer(context.indices.set_by);
            self.effect.refer_all(held.slot.depends_on());
            let (object, buffer) = self.objects.buffer(held.slot.named).ok_or(ContractError::NoIndexBuffer)?;
            let (size_bytes, offset_bytes) = (buffer.size_bytes, held.offset_bytes);
            sources.push(VertexSource { object, size_bytes, offset_bytes, what: Fetched::Indices { format } });
        }
        Ok(sources)
    }

    /// The attributes that a draw's vertex shader reads.
    fn attributes(&mut self, context: &Context, shaders: &Shaders<'_>) -> Result<Vec<VertexAttribute>, ContractError> {
        let vertex = match shaders {
            Shaders::None => {
                let bound = slot_of(&context.vertex_buffers, 0);
                let stride = bound.size_bytes;
                if !matches!(stride, 20 | 24 | 28) {
                    // The stride is why it is refused.
                    self.effect.refer(bound.slot.set_by);
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
                0 => unusable("the vertex shader reads inputs, but no layout is bound".to_owned()),
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
            return Err(unusable(format!("layout {handle} has an element of format {format}: not a vertex format")));
        }
        Ok(used)
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

/// A buffer that draws fetch from.
#[derive(Debug)]
pub(super) struct VertexSource {
    object: ObjectKey,
    size_bytes: u32,
    offset_bytes: u32,
    what: Fetched,
}

#[derive(Debug)]
enum Fetched {
    Vertices { elements: Vec<Element>, stride_bytes: u32 },
    Indices { format: IndexFormat },
}

/// What is fetched for one vertex, or for some instances: from the first byte of all attributes that go with them to the
/// last, in the first element of the buffer.
#[derive(Debug)]
struct Element {
    step: VertexStep,
    bytes: Range<u64>,
}

/// The elements that these attributes make up, of a buffer bound from `offset_bytes` on.
fn elements_of<'a>(attributes: impl Iterator<Item = &'a VertexAttribute>, offset_bytes: u32) -> Vec<Element> {
    let mut elements: Vec<Element> = Vec::new();
    for &VertexAttribute { step, offset_bytes: attribute, size_bytes, .. } in attributes {
        let start = u64::from(offset_bytes) + u64::from(attribute);
        let end = start + u64::from(size_bytes);
        match elements.iter_mut().find(|element| element.step == step) {
            Some(Element { bytes, .. }) => *bytes = bytes.start.min(start)..bytes.end.max(end),
            None => elements.push(Element { step, bytes: start..end }),
        }
    }
    elements
}

impl Element {
    /// The bytes of those that a draw fetches.
    #[inline]
    fn fetched(&self, stride_bytes: u32, vertices: Vertices) -> Range<u64> {
        let (first, last) = match (self.step, vertices) {
            (VertexStep::Instances(step), _) => {
                let (first_instance, instance_count) = vertices.instances();
                let last = u64::from(instance_count.saturating_sub(1)) / u64::from(step.max(1));
                (u64::from(first_instance), u64::from(first_instance) + last)
            }
            (VertexStep::Vertex, Vertices::Direct(draw)) => {
                let first = u64::from(draw.first_vertex);
                (first, first + u64::from(draw.vertex_count.saturating_sub(1)))
            }
            // Whatever the indices say.
            (VertexStep::Vertex, Vertices::Indexed(_)) => return self.bytes.start..u64::MAX,
        };
        let at = |byte: u64, number: u64| number.saturating_mul(u64::from(stride_bytes)).saturating_add(byte);
        at(self.bytes.start, first)..at(self.bytes.end, last)
    }
}

impl VertexSource {
    /// A draw reads what it can of the buffer.
    #[inline]
    pub(super) fn read(&self, vertices: Vertices, effect: &mut Effect) {
        let bytes = match (&self.what, vertices) {
            (Fetched::Vertices { elements, stride_bytes }, _) => {
                let all = elements.iter().map(|element| element.fetched(*stride_bytes, vertices));
                all.reduce(|all, bytes| all.start.min(bytes.start)..all.end.max(bytes.end)).unwrap_or(0..0)
            }
            (Fetched::Indices { format }, Vertices::Indexed(draw)) => {
                let index_bytes = match format {
                    IndexFormat::Uint16 => 2,
                    IndexFormat::Uint32 => 4,
                };
                let start = u64::from(self.offset_bytes) + u64::from(draw.first_index) * index_bytes;
                start..start.saturating_add(u64::from(draw.index_count) * index_bytes)
            }
            (Fetched::Indices { .. }, Vertices::Direct(_)) => 0..0,
        };
        let size = u64::from(self.size_bytes);
        effect.read_vertices(self.object, bytes.start.min(size) as u32..bytes.end.min(size) as u32);
    }
}
