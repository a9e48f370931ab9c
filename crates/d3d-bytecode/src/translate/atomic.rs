//! Atomics, counters, and barriers.

use naga::{
    AddressSpace, AtomicFunction, Barrier, BinaryOperator, Block, Expression, PredeclaredType, Scalar, ScalarKind,
    Span, Statement, StorageAccess, Type, TypeInner,
};

use super::arithmetic::operands;
use super::builder::ValueHandle;
use super::error::TranslateError;
use super::interface::StageBindingKind;
use super::operand::Numbers;
use super::resources::{ResourceForm, slot_of};
use super::stage::Stage;
use super::uses::{combines, named};
use crate::{Control, Instruction, Opcode, Operand, RegisterKind, Stage as ShaderStage, SyncFlags};
use trace_base::error::Internal;

/// How a word is combined with the one that is there.
#[derive(Clone, Copy)]
enum Combination {
    /// In a way that the API has.
    Native(AtomicFunction),
    /// The lesser or the greater, as signed numbers: words are atomic without a sign.
    Signed(BinaryOperator),
    /// Replaced where it equals another.
    Compared { with: ValueHandle },
}

impl Stage<'_> {
    /// Translates an atomic or a barrier; `false` if it is none.
    pub(super) fn atomic_instruction(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        let all = self.program.operands(instruction);
        match instruction.opcode {
            Opcode::ImmAtomicAlloc | Opcode::ImmAtomicConsume => {
                let [to, uav] = operands(all)?;
                let count = self.count(slot_of(uav)?, instruction.opcode == Opcode::ImmAtomicAlloc);
                let words = self.build.splat(count);
                self.write_words(to, words)?;
            }
            Opcode::Sync => self.synchronise(instruction.control),
            opcode if combines(opcode) => match all {
                [memory, ..] if is_memory(memory) => self.combine(instruction, None, all)?,
                [to, rest @ ..] => self.combine(instruction, Some(to), rest)?,
                [] => return Err(Internal::new("an atomic has no operands").into()),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Combines a word with the one that is there, which goes to `to`.
    fn combine(
        &mut self,
        instruction: &Instruction,
        to: Option<&Operand>,
        rest: &[Operand],
    ) -> Result<(), TranslateError> {
        let [memory, address, value] = operands(rest)?;
        let mut word = self.read_one(value, Numbers::Uint)?;
        let combination = match (combination(instruction.opcode), rest.get(3)) {
            (Some(known), _) => known,
            (None, Some(new)) => {
                let with = word;
                word = self.read_one(new, Numbers::Uint)?;
                Combination::Compared { with }
            }
            (None, None) => return Err(Internal::new("an atomic has too few operands").into()),
        };
        let (kind, slot) = named(memory).ok_or(Internal::new("memory has no slot"))?;
        let form = if kind == RegisterKind::Uav { Some(self.form_of(memory)?) } else { None };
        let (memory, place) = match form {
            Some(ResourceForm::Texture(dimension, _)) => {
                let texture = self.stored_texture(slot, dimension)?;
                let Some(texture) = texture else { return self.give_old(to, None) };
                return self.combine_texel(&texture, (to, address), combination, word);
            }
            Some(ResourceForm::TypedBuffer(read_as)) => {
                let Some(format) = self.element_format(kind, slot) else { return self.give_old(to, None) };
                let form = self.element_form(format, read_as)?;
                let index = self.read_one(address, Numbers::Uint)?;
                let memory = self.typed_memory((kind, slot), form);
                let (place, _) = self.element_place(&memory, form, index);
                (memory, place)
            }
            _ => {
                let memory = self.memory_of(memory)?;
                let place = self.word_of_address(&memory, address)?;
                (memory, place)
            }
        };
        let (pointer, inside) = self.word_pointer(&memory, &place, 0);
        let old = self.build.local("old".to_owned(), self.types.uint, None);
        let zero = self.build.uint(0);
        self.build.store(old, zero);
        self.build.open();
        let found = match combination {
            Combination::Native(function) => self.atomic(pointer, function, word),
            Combination::Compared { with } => {
                let (found, _) = self.exchange(pointer, with, word);
                found
            }
            Combination::Signed(op) => self.signed_extreme(pointer, op, word),
        };
        self.build.store(old, found);
        self.build.close_if(inside);
        self.give_old(to, Some(old))
    }

    /// Writes the word that was there; 0 where there was none.
    fn give_old(&mut self, to: Option<&Operand>, old: Option<ValueHandle>) -> Result<(), TranslateError> {
        let Some(to) = to else { return Ok(()) };
        let old = match old {
            Some(old) => self.build.load(old),
            None => self.build.uint(0),
        };
        let words = self.build.splat(old);
        self.write_words(to, words)
    }

    /// Combines a word of a texture, of which the API does not say what was there.
    fn combine_texel(
        &mut self,
        texture: &super::stage::StoredTexture,
        (to, address): (Option<&Operand>, &Operand),
        combination: Combination,
        word: ValueHandle,
    ) -> Result<(), TranslateError> {
        if to.is_some() {
            return Err(self.unsupported("an atomic of a texture that returns the old value"));
        }
        let kind = texture.numbers();
        let fun = match combination {
            Combination::Native(AtomicFunction::Exchange { .. }) | Combination::Compared { .. } => {
                return Err(self.unsupported("an exchange with a texel"));
            }
            Combination::Native(function) => function,
            Combination::Signed(_) if kind != ScalarKind::Sint => {
                return Err(self.unsupported("a signed atomic of a texture without signs"));
            }
            Combination::Signed(BinaryOperator::Less) => AtomicFunction::Min,
            Combination::Signed(_) => AtomicFunction::Max,
        };
        let at = self.read(address, Numbers::Sint)?;
        let place = self.stored_place(texture, at);
        let value = if kind == ScalarKind::Uint { word } else { self.build.bits(word, kind) };
        self.build.open();
        self.build.push(Statement::ImageAtomic {
            image: texture.image,
            coordinate: place.coordinate,
            array_index: place.layer,
            fun,
            value,
        });
        self.build.close_if(place.is_inside);
        Ok(())
    }

    /// Combines a word in a way that the API has; gives the one that was there.
    pub(super) fn atomic(&mut self, pointer: ValueHandle, fun: AtomicFunction, value: ValueHandle) -> ValueHandle {
        let result = self.build.result(Expression::AtomicResult { ty: self.types.uint, comparison: false });
        self.build.push(Statement::Atomic { pointer, fun, value, result: Some(result) });
        result
    }

    /// Replaces a word where it equals another; gives the one that was there, and whether it was replaced.
    fn exchange(&mut self, pointer: ValueHandle, with: ValueHandle, value: ValueHandle) -> (ValueHandle, ValueHandle) {
        let predeclared = PredeclaredType::AtomicCompareExchangeWeakResult(Scalar::U32);
        let ty = self.module.generate_predeclared_type(predeclared);
        let result = self.build.result(Expression::AtomicResult { ty, comparison: true });
        let fun = AtomicFunction::Exchange { compare: Some(with) };
        self.build.push(Statement::Atomic { pointer, fun, value, result: Some(result) });
        (self.build.part(result, 0), self.build.part(result, 1))
    }

    /// Replaces a word by the lesser or greater of two signed numbers; gives the one that was there.
    fn signed_extreme(&mut self, pointer: ValueHandle, op: BinaryOperator, word: ValueHandle) -> ValueHandle {
        let seen = self.build.local("seen".to_owned(), self.types.uint, None);
        self.build.open();
        let there = self.build.load(pointer);
        self.build.store(seen, there);
        let (a, b) = (self.build.bits(word, ScalarKind::Sint), self.build.bits(there, ScalarKind::Sint));
        let replaces = self.build.binary(op, a, b);
        let new = self.build.select(replaces, word, there);
        let (_, is_done) = self.exchange(pointer, there, new);
        self.build.open();
        self.build.push(Statement::Break);
        self.build.close_if(is_done);
        let (body, _) = self.build.close();
        self.build.push(Statement::Loop { body, continuing: Block::new(), break_if: None });
        self.build.load(seen)
    }

    /// Counts a buffer's hidden counter up, which gives what it was, or down, which gives what it becomes.
    fn count(&mut self, slot: u32, is_up: bool) -> ValueHandle {
        let space = AddressSpace::Storage { access: StorageAccess::LOAD | StorageAccess::STORE };
        let counter = self.global(StageBindingKind::Counter { slot }, space, |module, _| {
            let inner = TypeInner::Atomic(Scalar::U32);
            module.types.insert(Type { name: None, inner }, Span::UNDEFINED)
        });
        let one = self.build.uint(1);
        if is_up {
            return self.atomic(counter, AtomicFunction::Add, one);
        }
        let before = self.atomic(counter, AtomicFunction::Subtract, one);
        self.build.binary(BinaryOperator::Subtract, before, one)
    }

    /// Waits for the group's threads, or for what they write.
    fn synchronise(&mut self, control: Control) {
        // Threads of other stages share nothing that they could wait for.
        if self.program.version().stage != ShaderStage::Compute {
            return;
        }
        let Control::Sync(SyncFlags { uav_global, uav_group, group_memory, threads }) = control else { return };
        let mut waits_for = Barrier::empty();
        waits_for.set(Barrier::WORK_GROUP, group_memory);
        waits_for.set(Barrier::STORAGE | Barrier::TEXTURE, uav_global || uav_group);
        match threads {
            true => self.build.push(Statement::ControlBarrier(waits_for)),
            false => self.build.push(Statement::MemoryBarrier(waits_for)),
        }
    }
}

/// How words are combined; none for an exchange with a comparison.
const fn combination(opcode: Opcode) -> Option<Combination> {
    Some(Combination::Native(match opcode {
        Opcode::AtomicAnd | Opcode::ImmAtomicAnd => AtomicFunction::And,
        Opcode::AtomicOr | Opcode::ImmAtomicOr => AtomicFunction::InclusiveOr,
        Opcode::AtomicXor | Opcode::ImmAtomicXor => AtomicFunction::ExclusiveOr,
        Opcode::AtomicIAdd | Opcode::ImmAtomicIAdd => AtomicFunction::Add,
        Opcode::AtomicUMax | Opcode::ImmAtomicUMax => AtomicFunction::Max,
        Opcode::AtomicUMin | Opcode::ImmAtomicUMin => AtomicFunction::Min,
        Opcode::ImmAtomicExch => AtomicFunction::Exchange { compare: None },
        Opcode::AtomicIMax | Opcode::ImmAtomicIMax => return Some(Combination::Signed(BinaryOperator::Greater)),
        Opcode::AtomicIMin | Opcode::ImmAtomicIMin => return Some(Combination::Signed(BinaryOperator::Less)),
        _ => return None,
    }))
}

fn is_memory(operand: &Operand) -> bool {
    matches!(named(operand), Some((RegisterKind::Uav | RegisterKind::ThreadGroupMemory, _)))
}
