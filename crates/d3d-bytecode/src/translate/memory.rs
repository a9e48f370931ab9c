//! Memory that is addressed by words: storage buffers of `t#` and `u#`, and the memory of a thread group.
//!
//! Direct3D says what lies outside: it is read as zeros, and nothing is written there. A word of a structure past the
//! structure's end is outside too.

use std::num::NonZeroU32;

use naga::{
    AddressSpace, ArraySize, BinaryOperator, GlobalVariable, Handle, MemoryDecorations, Scalar, Span, StorageAccess,
    Type, TypeInner,
};

use super::builder::ValueHandle;
use super::error::TranslateError;
use super::interface::{BoundBuffer, Parameter, StageBindingKind};
use super::operand::Numbers;
use super::resources::ResourceForm;
use super::stage::Stage;
use super::uses::named;
use crate::limits::MAX_BYTECODE_GROUP_BYTES;
use crate::{DeclarationKind, Operand, RegisterKind};
use trace_base::error::Internal;

/// A part of a storage buffer, or the memory of a thread group.
pub(super) struct Memory {
    /// An array of words.
    words: ValueHandle,
    /// The first word of the part, where it is not the array's.
    first: Option<ValueHandle>,
    /// Words of the part.
    limit: ValueHandle,
    /// Its bytes.
    pub size_bytes: ValueHandle,
    /// How many structures it has, or words.
    pub count: ValueHandle,
    stride_words: Option<u32>,
}

/// A word of such memory.
pub(super) struct WordPlace {
    /// Its number in the memory.
    pub word: ValueHandle,
    /// Of a structure, its number there.
    in_structure: Option<ValueHandle>,
    /// What has to hold besides.
    condition: Option<ValueHandle>,
}

impl WordPlace {
    pub(super) fn new(word: ValueHandle) -> Self {
        Self { word, in_structure: None, condition: None }
    }

    pub(super) fn when(self, condition: ValueHandle) -> Self {
        Self { condition: Some(condition), ..self }
    }
}

impl Stage<'_> {
    /// The memory of `t#`, `u#` or `g#`, of structures if `stride_bytes` says so.
    pub(super) fn memory(
        &mut self,
        (kind, slot): (RegisterKind, u32),
        stride_bytes: Option<u32>,
    ) -> Result<Memory, TranslateError> {
        if kind == RegisterKind::ThreadGroupMemory {
            return self.group_memory(slot, stride_bytes);
        }
        let memory = self.buffer_memory((kind, slot), self.uses.atomic.contains(&(kind, slot)));
        let Some(stride_bytes) = stride_bytes else { return Ok(memory) };
        let stride_words = self.stride_words(stride_bytes)?;
        let stride = self.build.uint(stride_bytes);
        let count = self.build.binary(BinaryOperator::Divide, memory.size_bytes, stride);
        Ok(Memory { count, stride_words: Some(stride_words), ..memory })
    }

    fn stride_words(&self, stride_bytes: u32) -> Result<u32, TranslateError> {
        match stride_bytes {
            0 => Err(self.unsupported("a structure of no bytes")),
            bytes if !bytes.is_multiple_of(4) => Err(self.unsupported("a structure whose size is not a multiple of 4")),
            bytes => Ok(bytes / 4),
        }
    }

    /// The part of a storage buffer that is bound.
    pub(super) fn buffer_memory(&mut self, (kind, slot): (RegisterKind, u32), is_atomic: bool) -> Memory {
        let (binding, space, buffer) = match kind {
            RegisterKind::Uav => (
                StageBindingKind::UnorderedBuffer { slot },
                AddressSpace::Storage { access: StorageAccess::LOAD | StorageAccess::STORE },
                BoundBuffer::Unordered(slot),
            ),
            _ => (
                StageBindingKind::ResourceBuffer { slot },
                AddressSpace::Storage { access: StorageAccess::LOAD },
                BoundBuffer::Resource(slot),
            ),
        };
        let words = self.global(binding, space, |module, _| word_array(module, ArraySize::Dynamic, is_atomic));
        let range = self.parameter(Parameter::BufferRange { buffer });
        let (first, size_bytes) = (self.build.part(range, 0), self.build.part(range, 1));
        let two = self.build.uint(2);
        let limit = self.build.binary(BinaryOperator::ShiftRight, size_bytes, two);
        Memory { words, first: Some(first), limit, size_bytes, count: limit, stride_words: None }
    }

    fn group_memory(&mut self, number: u32, stride_bytes: Option<u32>) -> Result<Memory, TranslateError> {
        let declared = self.declared_group_memory(number)?;
        let bytes = declared.0.unwrap_or(1).checked_mul(declared.1);
        let bytes = bytes.filter(|bytes| (4..=MAX_BYTECODE_GROUP_BYTES).contains(bytes) && bytes.is_multiple_of(4));
        let bytes = bytes.ok_or_else(|| self.unsupported("group memory of a size that Direct3D does not have"))?;
        let words = match self.group_memories.get(&number) {
            Some((words, _)) => *words,
            None => self.make_group_memory(number, bytes / 4)?,
        };
        let (limit, size_bytes) = (self.build.uint(bytes / 4), self.build.uint(bytes));
        let memory = Memory { words, first: None, limit, size_bytes, count: limit, stride_words: None };
        let Some(stride_bytes) = stride_bytes else { return Ok(memory) };
        let stride_words = self.stride_words(stride_bytes)?;
        let count = self.build.uint(declared.1);
        Ok(Memory { count, stride_words: Some(stride_words), ..memory })
    }

    /// Bytes of a structure, and how many there are; in raw memory, how many bytes there are.
    fn declared_group_memory(&self, number: u32) -> Result<(Option<u32>, u32), TranslateError> {
        let declared =
            self.declarations(RegisterKind::ThreadGroupMemory, number).find_map(|declaration| match declaration.kind {
                DeclarationKind::GroupMemory { stride_bytes, count, .. } => Some((stride_bytes, count)),
                _ => None,
            });
        declared.ok_or_else(|| self.unsupported(format!("g{number}, which is not declared,")))
    }

    fn make_group_memory(&mut self, number: u32, words: u32) -> Result<ValueHandle, TranslateError> {
        self.group_bytes = self.group_bytes.saturating_add(words.saturating_mul(4));
        if self.group_bytes > MAX_BYTECODE_GROUP_BYTES {
            return Err(self.unsupported(format!("more than {MAX_BYTECODE_GROUP_BYTES} bytes of group memory")));
        }
        let is_atomic = self.uses.atomic.contains(&(RegisterKind::ThreadGroupMemory, number));
        let count = NonZeroU32::new(words).ok_or(Internal::new("the group memory is empty"))?;
        let ty = word_array(&mut self.module, ArraySize::Constant(count), is_atomic);
        let global = GlobalVariable {
            name: Some(format!("g{number}")),
            space: AddressSpace::WorkGroup,
            binding: None,
            ty,
            init: None,
            memory_decorations: MemoryDecorations::empty(),
        };
        let global = self.module.global_variables.append(global, Span::UNDEFINED);
        let array = self.build.value(naga::Expression::GlobalVariable(global));
        self.group_memories.insert(number, (array, words));
        Ok(array)
    }

    /// The memory that an operand of an instruction names, whatever form it has.
    pub(super) fn memory_of(&mut self, operand: &Operand) -> Result<Memory, TranslateError> {
        let key = named(operand).ok_or(Internal::new("memory has no slot"))?;
        let stride_bytes = match key.0 {
            RegisterKind::ThreadGroupMemory => self.declared_group_memory(key.1)?.0,
            _ => match self.form_of(operand)? {
                ResourceForm::Structured { stride_bytes } => Some(stride_bytes),
                ResourceForm::Raw => None,
                _ => return Err(self.unsupported("a texture or typed buffer that is addressed by bytes")),
            },
        };
        self.memory(key, stride_bytes)
    }

    /// The word at a byte of raw memory.
    pub(super) fn word_at_byte(&mut self, byte: ValueHandle) -> WordPlace {
        let two = self.build.uint(2);
        WordPlace::new(self.build.binary(BinaryOperator::ShiftRight, byte, two))
    }

    /// The word at a byte of a structure; of raw memory that is addressed so, of the memory.
    pub(super) fn word_of_structure(&mut self, memory: &Memory, index: ValueHandle, byte: ValueHandle) -> WordPlace {
        let two = self.build.uint(2);
        let offset = self.build.binary(BinaryOperator::ShiftRight, byte, two);
        let Some(stride) = memory.stride_words else { return WordPlace::new(offset) };
        let exists = self.build.binary(BinaryOperator::Less, index, memory.count);
        let stride = self.build.uint(stride);
        let start = self.build.binary(BinaryOperator::Multiply, index, stride);
        let word = self.build.binary(BinaryOperator::Add, start, offset);
        WordPlace { word, in_structure: Some(offset), condition: Some(exists) }
    }

    /// The word that an address of an atomic names.
    pub(super) fn word_of_address(&mut self, memory: &Memory, address: &Operand) -> Result<WordPlace, TranslateError> {
        let address = self.read(address, Numbers::Uint)?;
        let first = self.build.part(address, 0);
        Ok(match memory.stride_words {
            None => self.word_at_byte(first),
            Some(_) => {
                let byte = self.build.part(address, 1);
                self.word_of_structure(memory, first, byte)
            }
        })
    }

    /// A pointer to the word that lies `further` behind a place, and whether it is inside; outside it is another word.
    pub(super) fn word_pointer(
        &mut self,
        memory: &Memory,
        place: &WordPlace,
        further: u32,
    ) -> (ValueHandle, ValueHandle) {
        let add = self.build.uint(further);
        let word = self.build.binary(BinaryOperator::Add, place.word, add);
        let mut inside = self.build.binary(BinaryOperator::Less, word, memory.limit);
        if let Some((offset, stride)) = place.in_structure.zip(memory.stride_words) {
            let offset = self.build.binary(BinaryOperator::Add, offset, add);
            let stride = self.build.uint(stride);
            let in_structure = self.build.binary(BinaryOperator::Less, offset, stride);
            inside = self.build.binary(BinaryOperator::LogicalAnd, inside, in_structure);
        }
        if let Some(condition) = place.condition {
            inside = self.build.binary(BinaryOperator::LogicalAnd, inside, condition);
        }
        let index = match memory.first {
            Some(first) => self.build.binary(BinaryOperator::Add, word, first),
            None => word,
        };
        let zero = self.build.uint(0);
        let index = self.build.select(inside, index, zero);
        (self.build.element(memory.words, index), inside)
    }

    /// The word that lies `further` behind a place; 0 outside.
    pub(super) fn load_word(&mut self, memory: &Memory, place: &WordPlace, further: u32) -> ValueHandle {
        let (pointer, inside) = self.word_pointer(memory, place, further);
        let (word, zero) = (self.build.load(pointer), self.build.uint(0));
        self.build.select(inside, word, zero)
    }

    /// Stores the word that lies `further` behind a place, if it is inside.
    pub(super) fn store_word(&mut self, memory: &Memory, place: &WordPlace, further: u32, word: ValueHandle) {
        let (pointer, inside) = self.word_pointer(memory, place, further);
        self.build.open();
        self.build.store(pointer, word);
        self.build.close_if(inside);
    }
}

/// An array of words.
pub(super) fn word_array(module: &mut naga::Module, size: ArraySize, is_atomic: bool) -> Handle<Type> {
    let inner = if is_atomic { TypeInner::Atomic(Scalar::U32) } else { TypeInner::Scalar(Scalar::U32) };
    let base = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    module.types.insert(Type { name: None, inner: TypeInner::Array { base, size, stride: 4 } }, Span::UNDEFINED)
}
