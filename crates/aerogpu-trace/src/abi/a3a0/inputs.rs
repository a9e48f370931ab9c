//! What a packet says, as the tables tell.

use super::layout::{Field, Layout, Names, Rule, Shape, Spec};
use super::packet::{Body, RawPacket};
use super::rest::BoolForm;
use super::shaders::ShaderPacket;
use super::wire::Wire;
use crate::abi::AbiError;
use crate::abi::inputs::{HandleSpace, PacketInput};
use trace_base::bytes::Cursor;

/// What a packet says behind its opcode, in the order of the file.
pub fn inputs_of(raw: &RawPacket<'_>) -> Result<Vec<PacketInput>, AbiError> {
    let packet = raw.decode()?;
    let Some(layout) = packet.layout() else {
        return Ok(vec![PacketInput::Bytes(Layout::HEADER_BYTES as usize..raw.bytes.len())]);
    };
    if let Body::Shader(ShaderPacket::BindShaders(bind)) = packet.body {
        // Where the geometry shader stands depends on the packet's length.
        let [gs, hs, ds] = bind.later_stages(packet.tail.len());
        let handles = [bind.vs, bind.ps, bind.cs, gs, hs, ds];
        return Ok(handles.map(|handle| PacketInput::Handle(HandleSpace::Shader, handle.into())).to_vec());
    }
    let mut inputs = Vec::new();
    for (at, field) in layout.fields_in(raw.size_bytes()) {
        field_inputs(raw, at, field, &mut inputs);
    }
    rest_inputs(raw, layout, &mut inputs);
    Ok(inputs)
}

fn field_inputs(raw: &RawPacket<'_>, at: u32, field: &Field, inputs: &mut Vec<PacketInput>) {
    if field.size_bytes <= 8 {
        inputs.extend(input(field.spec, raw.number_at(at, field.size_bytes)));
        return;
    }
    for dword in (at..at + field.size_bytes).step_by(4) {
        inputs.extend(input(field.spec, raw.number_at(dword, 4)));
    }
}

/// What a value says, by what the tables say of it.
fn input(spec: Spec, value: u64) -> Option<PacketInput> {
    match spec.names {
        _ if spec.rule == Rule::Reserved => None,
        Some(Names::Handle(space)) => Some(PacketInput::Handle(space, value)),
        Some(Names::Allocation) => Some(PacketInput::Allocation(value as u32)),
        Some(Names::AllocationOffset) => Some(PacketInput::AllocationOffset(value as u32)),
        None => Some(PacketInput::Number(value)),
    }
}

fn rest_inputs(raw: &RawPacket<'_>, layout: &Layout, inputs: &mut Vec<PacketInput>) {
    let Some(rest) = layout.rest else { return };
    let start = layout.fixed_bytes() as usize;
    let counter = rest.counted_by.and_then(|name| layout.field(name));
    let count = counter.map_or(0, |(at, field)| raw.number_at(at, field.size_bytes));
    let left = raw.bytes.len().saturating_sub(start);
    match rest.shape {
        // The packet was decoded: it has as much as it says.
        Shape::Bytes => inputs.push(PacketInput::Bytes(start..start + count as usize)),
        Shape::Text => inputs.push(PacketInput::Bytes(start..raw.bytes.len())),
        Shape::Bools => {
            let size = BoolForm::of(count, left as u64).map_or(0, BoolForm::size_bytes) as usize;
            inputs.push(PacketInput::Number(size as u64));
            inputs.push(PacketInput::Bytes(start..start + count as usize * size));
        }
        Shape::Elements { members, .. } if members.iter().all(|member| member.spec.names.is_none()) => {
            let size = members.len() * 4;
            inputs.push(PacketInput::Bytes(start..start + count as usize * size));
        }
        Shape::Elements { members, .. } => {
            let bytes = raw.bytes.get(start..).unwrap_or_default();
            let mut cursor = Cursor::new(bytes, 0);
            let dwords = std::iter::from_fn(|| u32::parse(&mut cursor).ok());
            let specs = members.iter().cycle().take(members.len() * count as usize);
            inputs.extend(specs.zip(dwords).filter_map(|(member, dword)| input(member.spec, dword.into())));
        }
    }
}
