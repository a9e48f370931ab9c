//! Raw and structured buffers, and the memory of a thread group: loading and storing.

use super::arithmetic::operands;
use super::error::TranslateError;
use super::memory::{Memory, WordPlace};
use super::operand::Numbers;
use super::stage::Stage;
use crate::{Instruction, Lane, Lanes, Opcode, Operand};

impl Stage<'_> {
    /// Translates an instruction that loads from such memory or stores there; `false` if it is none.
    pub(super) fn buffer_instruction(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        let all = self.program.operands(instruction);
        match instruction.opcode {
            Opcode::LdRaw => {
                let [to, byte, from] = operands(all)?;
                let byte = self.read_one(byte, Numbers::Uint)?;
                let memory = self.memory_of(from)?;
                let place = self.word_at_byte(byte);
                self.load_lanes(to, from, &memory, &place)?;
            }
            Opcode::LdStructured => {
                let [to, index, byte, from] = operands(all)?;
                let (index, byte) = (self.read_one(index, Numbers::Uint)?, self.read_one(byte, Numbers::Uint)?);
                let memory = self.memory_of(from)?;
                let place = self.word_of_structure(&memory, index, byte);
                self.load_lanes(to, from, &memory, &place)?;
            }
            Opcode::StoreRaw => {
                let [to, byte, from] = operands(all)?;
                let byte = self.read_one(byte, Numbers::Uint)?;
                let memory = self.memory_of(to)?;
                let place = self.word_at_byte(byte);
                self.store_lanes(to, from, &memory, &place)?;
            }
            Opcode::StoreStructured => {
                let [to, index, byte, from] = operands(all)?;
                let (index, byte) = (self.read_one(index, Numbers::Uint)?, self.read_one(byte, Numbers::Uint)?);
                let memory = self.memory_of(to)?;
                let place = self.word_of_structure(&memory, index, byte);
                self.store_lanes(to, from, &memory, &place)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Loads words in a row: those that the operand's swizzle brings to lanes that are written.
    fn load_lanes(
        &mut self,
        to: &Operand,
        from: &Operand,
        memory: &Memory,
        place: &WordPlace,
    ) -> Result<(), TranslateError> {
        let of_lane = |lane: Lane| match from.lanes {
            Lanes::Swizzle(swizzle) => swizzle.lanes().get(lane as usize).copied().unwrap_or(lane),
            Lanes::Select(selected) => selected,
            _ => lane,
        };
        let zero = self.build.uint(0);
        let mut words = [zero; 4];
        for lane in Self::mask(to).lanes() {
            let word = self.load_word(memory, place, of_lane(lane) as u32);
            if let Some(into) = words.get_mut(lane as usize) {
                *into = word;
            }
        }
        let words = self.build.compose(self.types.uint4, words.to_vec());
        self.write_words(to, words)
    }

    /// Stores words in a row: the lanes of the operand's mask.
    fn store_lanes(
        &mut self,
        to: &Operand,
        from: &Operand,
        memory: &Memory,
        place: &WordPlace,
    ) -> Result<(), TranslateError> {
        let words = self.read_modified_words(from, Numbers::Float)?;
        for lane in Self::mask(to).lanes() {
            let word = self.build.part(words, lane as u32);
            self.store_word(memory, place, lane as u32, word);
        }
        Ok(())
    }
}
