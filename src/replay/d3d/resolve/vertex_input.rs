//! Where a vertex shader's inputs come from.

use std::fmt;

use super::super::context::{BufferSlotState, Context, slot_of};
use super::super::effect::ObjectKey;
use super::super::objects::Objects;
use super::super::shader::{ShaderSlots, semantic_hash};
use super::super::vertices::is_linked;
use crate::command::{Semantic, ShaderStage, VertexAttribute, VertexStep};

/// DXGI's numbers of formats of floats, with their bytes.
const FLOAT2: (u32, u32) = (16, 8);
const FLOAT3: (u32, u32) = (6, 12);
const FLOAT4: (u32, u32) = (2, 16);

/// What a value of a vertex is, by the number of the Direct3D that declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VertexValue {
    /// A DXGI_FORMAT.
    Dxgi(u32),
    /// A D3DDECLTYPE.
    D3d9(u32),
}

impl fmt::Display for VertexValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dxgi(number) => write!(f, "DXGI format {number}"),
            Self::D3d9(number) => write!(f, "D3DDECLTYPE {number}"),
        }
    }
}

/// One input of a vertex shader, and where its values lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexInput {
    /// The register.
    pub register: u32,
    /// What a value is.
    pub value: VertexValue,
    /// Bytes of a value.
    pub size_bytes: u32,
    /// The buffer; of none, all its bytes are 0.
    pub buffer: Option<ObjectKey>,
    /// Where the first value lies in the buffer.
    pub start_bytes: u64,
    /// Distance from one value to the next.
    pub stride_bytes: u32,
    /// When the next value is read.
    pub step: VertexStep,
}

/// An input of a vertex shader, but for where its values lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct InputLayout {
    register: u32,
    value: VertexValue,
    size_bytes: u32,
    has_buffer: bool,
    stride_bytes: u32,
    step: VertexStep,
}

impl VertexInput {
    /// Those of a vertex shader that have an element of the layout.
    pub(super) fn all_of(objects: &Objects, context: &Context, slots: Option<&ShaderSlots>) -> Vec<Self> {
        // silent: without a shader the stride says what vertices are
        let Some(slots) = slots else { return Self::by_stride(objects, context) };
        let layout = context.layout.value.object.as_ref();
        // silent: without a layout no input is fed
        let attributes = layout.and_then(|layout| layout.attributes.as_ref().ok()).map_or(&[][..], Vec::as_slice);
        let linked = |register, attribute: &VertexAttribute| Self::new(objects, context, register, attribute);
        let inputs = slots.inputs.iter().filter_map(|input| {
            let found = (0..).zip(attributes).find(|(number, attribute)| is_linked(*number, attribute, input));
            found.map(|(_, attribute)| linked(input.register, attribute))
        });
        inputs.collect()
    }

    /// Those of vertices without a shader.
    fn by_stride(objects: &Objects, context: &Context) -> Vec<Self> {
        (0..)
            .zip(attributes_by_stride(context))
            .map(|(at, attribute)| Self::new(objects, context, at, &attribute))
            .collect()
    }

    /// How its values lie, wherever that is.
    pub(super) fn layout(&self) -> InputLayout {
        let Self { register, value, size_bytes, buffer, start_bytes: _, stride_bytes, step } = *self;
        InputLayout { register, value, size_bytes, has_buffer: buffer.is_some(), stride_bytes, step }
    }

    fn new(objects: &Objects, context: &Context, register: u32, attribute: &VertexAttribute) -> Self {
        let held = slot_of(&context.vertex_buffers, attribute.slot);
        let value = match attribute.semantic {
            Semantic::Hashed { .. } => VertexValue::Dxgi(attribute.format),
            Semantic::Usage { .. } => VertexValue::D3d9(attribute.format),
        };
        Self {
            register,
            value,
            size_bytes: attribute.size_bytes,
            buffer: objects.buffer(held.slot.named).map(|(key, _)| key),
            start_bytes: u64::from(held.offset_bytes) + u64::from(attribute.offset_bytes),
            stride_bytes: held.size_bytes,
            step: attribute.step,
        }
    }
}

/// Attributes of vertices without a shader, by their stride: a position in register 0, and in register 1 a texture coordinate
/// (20 bytes) or a colour (24 and 28).
fn attributes_by_stride(context: &Context) -> [VertexAttribute; 2] {
    let [position, other] = match slot_of(&context.vertex_buffers, 0).size_bytes {
        20 => [FLOAT3, FLOAT2],
        24 => [FLOAT2, FLOAT4],
        _ => [FLOAT3, FLOAT4],
    };
    let attribute = |name, (format, size_bytes), offset_bytes| {
        let (semantic, step) = (Semantic::Hashed { hash: semantic_hash(name), index: 0 }, VertexStep::Vertex);
        VertexAttribute { semantic, slot: 0, offset_bytes, size_bytes, format, step }
    };
    let (_, position_bytes) = position;
    let name = if other == FLOAT2 { "TEXCOORD" } else { "COLOR" };
    [attribute("POSITION", position, 0), attribute(name, other, position_bytes)]
}

impl Context {
    /// The attributes that vertices of a draw have here: those of the layout, or, without a vertex shader, those that their
    /// stride stands for. Nothing without a layout; the text says why a layout cannot be used.
    pub fn vertex_attributes(&self) -> Option<Result<Vec<VertexAttribute>, Box<str>>> {
        if self.shader(ShaderStage::Vertex).handle == 0 {
            return Some(Ok(attributes_by_stride(self).to_vec()));
        }
        let layout = self.layout.value.object.as_ref()?;
        Some(layout.attributes.clone())
    }

    /// The vertex buffer of a slot; `size_bytes` is the stride.
    pub fn vertex_buffer(&self, slot: u32) -> BufferSlotState {
        slot_of(&self.vertex_buffers, slot)
    }
}
