//! Buffers that shaders read and write.

use super::refusal::Refusal;
use crate::replay::d3d::{BufferRange, ConstantSource, DrawState, ObjectKey, ResourceBinding, StageBindings};
use crate::shader::d3d::StageBindingKind;

/// Both stages of a draw.
pub const fn stages_of(state: &DrawState) -> [&StageBindings; 2] {
    [&state.vertex_bindings, &state.pixel_bindings]
}

/// Whether a draw writes any buffer. No other draw of its pass would wait for that, or could read it.
pub fn writes_buffers(state: &DrawState) -> bool {
    written_by(&stages_of(state)).next().is_some()
}

/// Buffers that stages write.
pub fn written_by(stages: &[&StageBindings]) -> impl Iterator<Item = ObjectKey> {
    stages.iter().flat_map(|stage| &stage.slots.written).map(|(_, range)| range.buffer)
}

/// Refuses a draw that reads a buffer which it writes.
pub fn check_written_by_draw(state: &DrawState) -> Result<(), Refusal> {
    let stages = stages_of(state);
    let is_written = |key| written_by(&stages).any(|written| written == key);
    let read = if state.inputs.iter().filter_map(|input| input.buffer).any(is_written) {
        Some("vertices")
    } else if state.indices.as_ref().is_some_and(|indices| is_written(indices.buffer)) {
        Some("indices")
    } else {
        read_and_written(&stages)
    };
    refuse_read("draw", read)
}

/// Refuses a dispatch that reads a buffer which it writes.
pub fn check_written_by_dispatch(bindings: &StageBindings) -> Result<(), Refusal> {
    refuse_read("dispatch", read_and_written(&[bindings]))
}

fn refuse_read(command: &str, read: Option<&str>) -> Result<(), Refusal> {
    match read {
        Some(read) => Err(Refusal::unsupported(format!("a buffer that a {command} writes and reads as {read}"))),
        None => Ok(()),
    }
}

/// The way in which a buffer that is written is read, too, if any is.
fn read_and_written(stages: &[&StageBindings]) -> Option<&'static str> {
    let is_written = |key| written_by(stages).any(|written| written == key);
    let resource = stages.iter().flat_map(|stage| &stage.slots.resources).any(|(_, bound)| match bound {
        ResourceBinding::Buffer(range) => is_written(range.buffer),
        ResourceBinding::Texture(_) => false,
    });
    let constants = stages.iter().flat_map(|stage| &stage.slots.constants).any(|(_, source)| match source {
        ConstantSource::Buffer(range) => is_written(range.buffer),
        ConstantSource::FloatBank => false,
    });
    match (resource, constants) {
        (true, _) => Some("a shader resource"),
        (_, true) => Some("constants"),
        _ => None,
    }
}

/// Refuses buffers that are not what a stage takes them for: a stream doesn't say how the elements of typed ones lie. `named`
/// gives what the stage uses.
pub fn check_buffer_kinds<I>(named: impl Fn() -> I, held: &StageBindings) -> Result<(), Refusal>
where
    I: Iterator<Item = StageBindingKind>,
{
    let has = |wanted: StageBindingKind| named().any(|kind| kind == wanted);
    let is_texture = |of: u32| named().any(|kind| matches!(kind, StageBindingKind::Texture { slot, .. } if slot == of));
    let resources = held.slots.resources.iter().filter_map(|(slot, bound)| match bound {
        ResourceBinding::Buffer(range) => Some((*slot, *range)),
        ResourceBinding::Texture(_) => None,
    });
    let unsupported = |what: String| Err(Refusal::unsupported(what));
    for (slot, BufferRange { start_bytes, .. }) in resources {
        match (has(StageBindingKind::ResourceBuffer { slot }), is_texture(slot)) {
            (true, _) if !start_bytes.is_multiple_of(4) => {
                return unsupported(format!("a buffer read from byte {start_bytes} on (t{slot})"));
            }
            (false, false) => {
                return unsupported(format!(
                    "a typed buffer, whose format is not in the stream \
                (t{slot}),"
                ));
            }
            _ => {}
        }
    }
    for (slot, BufferRange { start_bytes, .. }) in &held.slots.written {
        if !has(StageBindingKind::UnorderedBuffer { slot: *slot }) && !has(StageBindingKind::Counter { slot: *slot }) {
            return unsupported(format!("a typed buffer or texture, whose format is not in the stream (u{slot}),"));
        }
        if !start_bytes.is_multiple_of(4) {
            return unsupported(format!("a buffer written from byte {start_bytes} on (u{slot})"));
        }
    }
    Ok(())
}
