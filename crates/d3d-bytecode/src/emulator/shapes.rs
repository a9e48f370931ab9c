//! Instructions that the dialect has no number for: they are known by their operands.

use super::super::opcode::Opcode;
use super::super::operand::RegisterKind as K;
use super::super::role::Role::{self, Dst, Resource, Sampler, Src, Written};
use super::operand::RawOperand;

/// The instruction that takes these operands, and what for. `is_typed` tells whether a `u#` was declared with a format.
pub(super) fn shape(operands: &[RawOperand], is_typed: impl Fn(u32) -> bool) -> Option<(Opcode, &'static [Role])> {
    let slot = |operand: &RawOperand| match operand.value {
        super::super::operand::OperandValue::Register(register) => register.first_index().map(|index| index.base),
        _ => None,
    };
    let mut kinds = [None; 5];
    kinds.iter_mut().zip(operands).for_each(|(kind, operand)| *kind = operand.kind());
    let is_typed = || operands.first().and_then(slot).is_some_and(is_typed);
    Some(match (operands.len(), kinds) {
        (2, [_, Some(K::Resource | K::Uav), ..]) => (Opcode::BufInfo, &[Dst, Resource]),
        (3, [Some(K::Uav), ..]) if is_typed() => (Opcode::StoreUavTyped, &[Written, Src, Src]),
        (3, [Some(K::Uav), ..]) => (Opcode::StoreRaw, &[Written, Src, Src]),
        (3, [_, _, Some(K::Resource), ..]) => (Opcode::Ld, &[Dst, Src, Resource]),
        (3, [_, _, Some(K::Uav), ..]) => (Opcode::LdRaw, &[Dst, Src, Resource]),
        (4, [Some(K::Uav), ..]) => (Opcode::StoreStructured, &[Written, Src, Src, Src]),
        (4, [_, Some(K::Uav), ..]) => (Opcode::ImmAtomicIAdd, &[Dst, Written, Src, Src]),
        (4, [_, _, Some(K::Resource), Some(K::Sampler), ..]) => (Opcode::Sample, &[Dst, Src, Resource, Sampler]),
        (4, [_, _, _, Some(K::Resource | K::Uav), ..]) => (Opcode::LdStructured, &[Dst, Src, Src, Resource]),
        (5, [_, _, Some(K::Resource), Some(K::Sampler), _]) => (Opcode::SampleL, &[Dst, Src, Resource, Sampler, Src]),
        _ => return None,
    })
}
