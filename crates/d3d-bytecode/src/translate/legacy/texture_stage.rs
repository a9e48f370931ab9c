//! The texture instructions of ps_1_x, whose results have the number of the sampler and of the coordinate that they take.
//!
//! `texbem`, `texbeml` and `bem` take a matrix, and a scale of brightness, from states that no packet says. Until they are
//! told Direct3D has zeros there: coordinates stay, and `texbeml` is black.

use naga::{BinaryOperator, VectorSize};

use super::super::arithmetic::operands;
use super::super::builder::ValueHandle;
use super::super::error::TranslateError;
use super::super::interface::TextureDimension;
use super::LegacyStage;
use super::texture::Level;
use crate::{Instruction, Lane, Opcode, Operand, RegisterKind};
use trace_base::error::Internal;

impl LegacyStage<'_> {
    /// Four floats that an instruction of ps_1_x gives; nothing of one that only collects a row.
    pub(super) fn stage_instruction(
        &mut self,
        instruction: &Instruction,
    ) -> Result<Option<ValueHandle>, TranslateError> {
        let program = self.stage.program;
        let all = program.operands(instruction);
        let Some(to) = all.first() else { return Err(self.stage.not_translated(instruction)) };
        let slot = self.named(to)?.1;
        // What these read is what is bound.
        let flat =
            if self.stage.resources.cubes.contains(slot) { TextureDimension::Cube } else { TextureDimension::D2 };
        let value = match instruction.opcode {
            Opcode::TexCoord => {
                let value = self.coordinate(to)?;
                let value = self.stage.saturated(value);
                let build = &mut self.stage.build;
                let mut lanes: Vec<ValueHandle> = (0..3).map(|lane| build.part(value, lane)).collect();
                // It has no alpha.
                lanes.push(build.float(1.0));
                build.compose(self.stage.types.float4, lanes)
            }
            Opcode::TexCrd => {
                let [_, from] = operands(all)?;
                self.read(from)?
            }
            Opcode::Tex => {
                let at = self.coordinate(to)?;
                self.sample(slot, flat, at, Level::Auto(None))?
            }
            Opcode::TexReg2Ar | Opcode::TexReg2Gb | Opcode::TexReg2Rgb => {
                let [_, from] = operands(all)?;
                let from = self.read(from)?;
                let lanes = match instruction.opcode {
                    Opcode::TexReg2Ar => [Lane::W, Lane::X, Lane::X, Lane::X],
                    Opcode::TexReg2Gb => [Lane::Y, Lane::Z, Lane::Z, Lane::Z],
                    _ => Lane::ALL,
                };
                let at = self.stage.build.swizzle(from, lanes);
                self.sample(slot, flat, at, Level::Auto(None))?
            }
            Opcode::TexBem => {
                let at = self.coordinate(to)?;
                self.sample(slot, flat, at, Level::Auto(None))?
            }
            Opcode::TexBemL => self.stage.build.float4(0.0),
            Opcode::Bem => {
                let [_, from, _] = operands(all)?;
                self.read(from)?
            }
            Opcode::TexM3x2Pad | Opcode::TexM3x3Pad => {
                let row = self.row(all)?;
                self.rows.push(row);
                return Ok(None);
            }
            Opcode::TexDp3 => {
                let row = self.row(all)?;
                self.stage.build.splat(row)
            }
            Opcode::TexDp3Tex => {
                let row = self.row(all)?;
                self.rows.push(row);
                let at = self.collected(1)?;
                self.sample(slot, flat, at, Level::Auto(None))?
            }
            Opcode::TexM3x2Tex => {
                let row = self.row(all)?;
                self.rows.push(row);
                let at = self.collected(2)?;
                self.sample(slot, flat, at, Level::Auto(None))?
            }
            Opcode::TexM3x3 | Opcode::TexM3x3Tex => {
                let row = self.row(all)?;
                self.rows.push(row);
                let at = self.collected(3)?;
                match instruction.opcode {
                    Opcode::TexM3x3 => at,
                    _ => self.sample(slot, TextureDimension::Cube, at, Level::Auto(None))?,
                }
            }
            Opcode::TexM3x3Spec | Opcode::TexM3x3VSpec => {
                let eye = self.eye(instruction.opcode, slot, all)?;
                let row = self.row(all)?;
                self.rows.push(row);
                let normal = self.collected(3)?;
                let at = self.reflected(normal, eye);
                self.sample(slot, TextureDimension::Cube, at, Level::Auto(None))?
            }
            Opcode::TexDepth => {
                let value = self.coordinate(to)?;
                self.write_depth_quotient(value);
                return Ok(None);
            }
            Opcode::TexM3x2Depth => {
                let row = self.row(all)?;
                self.rows.push(row);
                let value = self.collected(2)?;
                self.write_depth_quotient(value);
                return Ok(None);
            }
            _ => return Err(self.stage.not_translated(instruction)),
        };
        Ok(Some(value))
    }

    /// The coordinate of the result's number times a row that the source holds.
    fn row(&mut self, all: &[Operand]) -> Result<ValueHandle, TranslateError> {
        let [to, from] = operands(all)?;
        let (at, from) = (self.coordinate(to)?, self.read(from)?);
        let product = self.dot(VectorSize::Tri, at, from);
        Ok(self.stage.build.part(product, 0))
    }

    /// The last so many rows as x, y and z, then 1.
    fn collected(&mut self, count: usize) -> Result<ValueHandle, TranslateError> {
        let first = self.rows.len().checked_sub(count);
        let few = self.stage.unsupported("the last row of a matrix without those before it");
        let mut lanes = self.rows.split_off(first.ok_or(few)?);
        let (zero, one) = (self.stage.build.float(0.0), self.stage.build.float(1.0));
        lanes.resize(3, zero);
        lanes.push(one);
        Ok(self.stage.build.compose(self.stage.types.float4, lanes))
    }

    /// Where the eye is: in a constant, or in the last lanes of the three coordinates.
    fn eye(&mut self, opcode: Opcode, slot: u32, all: &[Operand]) -> Result<ValueHandle, TranslateError> {
        if opcode == Opcode::TexM3x3Spec {
            let [_, _, eye] = operands(all)?;
            return self.read(eye);
        }
        let lost = Internal::new("a matrix of three rows ends before the third coordinate");
        let first = slot.checked_sub(2).ok_or(lost)?;
        let mut lanes = Vec::new();
        for number in first..=slot {
            let place = self.stage.register(RegisterKind::TextureCoordinate, number);
            let words = self.stage.build.load(place);
            let value = self.stage.build.bits(words, naga::ScalarKind::Float);
            lanes.push(self.stage.build.part(value, 3));
        }
        lanes.push(self.stage.build.float(0.0));
        Ok(self.stage.build.compose(self.stage.types.float4, lanes))
    }

    /// 2 · (N · E) / (N · N) · N − E
    fn reflected(&mut self, normal: ValueHandle, eye: ValueHandle) -> ValueHandle {
        let along = self.dot(VectorSize::Tri, normal, eye);
        let square = self.dot(VectorSize::Tri, normal, normal);
        let build = &mut self.stage.build;
        let two = build.float4(2.0);
        let factor = build.binary(BinaryOperator::Divide, along, square);
        let factor = build.binary(BinaryOperator::Multiply, two, factor);
        let turned = build.binary(BinaryOperator::Multiply, factor, normal);
        build.binary(BinaryOperator::Subtract, turned, eye)
    }

    /// Depth is x / y, 1 where y is 0.
    fn write_depth_quotient(&mut self, value: ValueHandle) {
        let depth = self.single(RegisterKind::OutputDepth);
        let build = &mut self.stage.build;
        let (x, y) = (build.part(value, 0), build.part(value, 1));
        let quotient = build.binary(BinaryOperator::Divide, x, y);
        let (zero, one) = (build.float(0.0), build.float(1.0));
        let is_none = build.binary(BinaryOperator::Equal, y, zero);
        let quotient = build.select(is_none, one, quotient);
        let words = build.bits(quotient, naga::ScalarKind::Uint);
        let place = build.part(depth, 0);
        build.store(place, words);
    }
}
