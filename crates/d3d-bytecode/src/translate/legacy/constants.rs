//! Banks of constants: a uniform buffer, over which lies what the program itself defines.

use naga::{BinaryOperator, MathFunction};

use super::super::builder::ValueHandle;
use super::super::error::TranslateError;
use super::super::interface::{LEGACY_FLOATS, LEGACY_INTEGERS};
use super::LegacyStage;
use crate::{Register, RegisterKind, Stage as ShaderStage};

impl LegacyStage<'_> {
    /// The four words of `c#` or `i#`.
    pub(super) fn constant(&mut self, register: &Register) -> Result<ValueHandle, TranslateError> {
        let index = register.last_index().unwrap_or_default();
        if index.relative.is_some() {
            return self.indexed_constant(register);
        }
        if let Some(words) = self.defined.get(&(register.kind, index.base)) {
            let words = if register.kind == RegisterKind::Constant { self.defined_of_model(*words) } else { *words };
            return Ok(self.stage.words_of(words));
        }
        let first = if register.kind == RegisterKind::Constant { 0 } else { LEGACY_FLOATS };
        let all = self.stage.legacy_constants();
        let place = self.stage.build.part(all, first + index.base);
        let words = self.stage.build.load(place);
        Ok(self.of_model(words))
    }

    /// Whether constants are −1 to 1, those that the program defines itself too: in pixel shaders of SM1.
    fn has_small_constants(&self) -> bool {
        let version = self.stage.program.version();
        version.stage == ShaderStage::Pixel && version.major < 2
    }

    /// A constant of `def` as the model has it.
    fn defined_of_model(&self, words: [u32; 4]) -> [u32; 4] {
        match self.has_small_constants() {
            true => words.map(|word| f32::from_bits(word).clamp(-1.0, 1.0).to_bits()),
            false => words,
        }
    }

    /// A constant of the bank as the model has it.
    fn of_model(&mut self, words: ValueHandle) -> ValueHandle {
        if !self.has_small_constants() {
            return words;
        }
        let build = &mut self.stage.build;
        let value = build.bits(words, naga::ScalarKind::Float);
        let (low, high) = (build.float4(-1.0), build.float4(1.0));
        let value = build.math2(MathFunction::Max, value, low);
        let value = build.math2(MathFunction::Min, value, high);
        build.bits(value, naga::ScalarKind::Uint)
    }

    /// A register of floats whose number is computed; zeros where there is none.
    fn indexed_constant(&mut self, register: &Register) -> Result<ValueHandle, TranslateError> {
        let number = self.number(register.last_index().unwrap_or_default())?;
        let all = self.stage.legacy_constants();
        let build = &mut self.stage.build;
        let last = build.uint(LEGACY_FLOATS - 1);
        let inside = build.binary(BinaryOperator::LessEqual, number, last);
        let held = build.math2(MathFunction::Min, number, last);
        let place = build.element(all, held);
        let mut words = build.load(place);
        let defined: Vec<(u32, [u32; 4])> = self
            .defined
            .iter()
            .filter(|((kind, _), _)| *kind == RegisterKind::Constant)
            .map(|((_, number), words)| (*number, *words))
            .collect();
        for (defined, value) in defined {
            let value = self.stage.words_of(value);
            let defined = self.stage.build.uint(defined);
            let is_meant = self.stage.build.binary(BinaryOperator::Equal, number, defined);
            let is_meant = self.stage.build.splat(is_meant);
            words = self.stage.build.select(is_meant, value, words);
        }
        let (inside, zeros) = (self.stage.build.splat(inside), self.stage.build.uint4(0));
        Ok(self.stage.build.select(inside, words, zeros))
    }

    /// The word of `b#`.
    pub(super) fn flag(&mut self, number: u32) -> ValueHandle {
        if let Some([word, ..]) = self.defined.get(&(RegisterKind::ConstantBoolean, number)) {
            let word = *word;
            return self.stage.build.uint(word);
        }
        let all = self.stage.legacy_constants();
        let place = self.stage.build.part(all, LEGACY_FLOATS + LEGACY_INTEGERS + number / 4);
        let words = self.stage.build.load(place);
        self.stage.build.part(words, number % 4)
    }
}
