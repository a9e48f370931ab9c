//! How many indices each kind of register has.

use super::error::BytecodeError;
use super::operand::RegisterKind;

/// Refuses a register of SM4 or SM5 with more or fewer indices than its kind has.
#[inline]
pub(super) fn check_indices(kind: RegisterKind, found: usize, offset: u64) -> Result<(), BytecodeError> {
    let (least, most, expected) = index_counts(kind);
    if (least..=most).contains(&found) {
        return Ok(());
    }
    Err(BytecodeError::WrongIndices { kind, expected, found: found as u32, offset })
}

/// The least and most indices that a kind has, and both in words.
fn index_counts(kind: RegisterKind) -> (usize, usize, &'static str) {
    use RegisterKind as K;
    match kind {
        K::Temp
        | K::Sampler
        | K::Resource
        | K::Uav
        | K::ThreadGroupMemory
        | K::ImmediateConstantBuffer
        | K::Label
        | K::Stream
        | K::FunctionBody
        | K::FunctionTable
        | K::Predicate => (1, 1, "one"),
        // Geometry and hull shaders' inputs have the vertex too.
        K::Input | K::Output | K::PatchConstant => (1, 2, "one or two"),
        K::IndexableTemp | K::ConstantBuffer | K::InputControlPoint | K::OutputControlPoint => (2, 2, "two"),
        K::Interface | K::ThisPointer | K::FunctionInput | K::FunctionOutput => (0, 3, "up to three"),
        // The emulator numbers depth outputs.
        K::OutputDepth | K::OutputDepthGreaterEqual | K::OutputDepthLessEqual => (0, 1, "no or one"),
        _ => (0, 0, "no"),
    }
}
