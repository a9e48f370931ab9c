//! Points that have a size: a vertex becomes the four corners of two triangles.
//!
//! ```text
//!  0 ─── 1    the number of a corner is the number of the vertex: bit 0 is right, bit 1 is down
//!  │  ╱  │    each lies half of the size from the vertex, in pixels of the viewport
//!  2 ─── 3
//! ```

use naga::{BinaryOperator, Binding, BuiltIn, MathFunction, ScalarKind};

use super::super::builder::ValueHandle;
use super::super::error::TranslateError;
use super::super::interface::{Parameter, SizedPoints};
use super::LegacyStage;
use super::link::Meaning;
use crate::Usage;

/// Where a corner lies: 0 or 1 for left or right, and for up or down.
#[derive(Clone, Copy)]
pub(super) struct PointCorner {
    right: ValueHandle,
    down: ValueHandle,
}

impl LegacyStage<'_> {
    /// Which corner of its point the vertex stage is run for; nothing where points are left to the API.
    pub(super) fn point_corner(&mut self) -> Option<PointCorner> {
        self.stage.options.points?;
        let number = self.stage.argument(self.stage.types.uint, Binding::BuiltIn(BuiltIn::VertexIndex));
        let build = &mut self.stage.build;
        let one = build.uint(1);
        let [right, down] = [0, 1].map(|bit| {
            let bit = build.uint(bit);
            let shifted = build.binary(BinaryOperator::ShiftRight, number, bit);
            let value = build.binary(BinaryOperator::And, shifted, one);
            build.convert(value, ScalarKind::Float)
        });
        Some(PointCorner { right, down })
    }

    /// The position of a corner of the point at a position.
    pub(super) fn at_corner(
        &mut self,
        at: ValueHandle,
        corner: PointCorner,
        outputs: &[Meaning],
    ) -> Result<ValueHandle, TranslateError> {
        let size = self.point_size(outputs)?;
        let pixel = self.stage.parameter(Parameter::HalfPixel);
        let build = &mut self.stage.build;
        let [x, y, z, w] = [0, 1, 2, 3].map(|lane| build.part(at, lane));
        let (half, two) = (build.float(0.5), build.float(2.0));
        let [right, up] = [(corner.right, 0), (corner.down, 1)].map(|(side, lane)| {
            // One and a half of a viewport's side is two of clip space's halves.
            let side = build.binary(BinaryOperator::Subtract, side, half);
            let side = build.binary(BinaryOperator::Multiply, side, two);
            let pixel = build.part(pixel, lane);
            let side = build.binary(BinaryOperator::Multiply, side, pixel);
            let side = build.binary(BinaryOperator::Multiply, side, size);
            build.binary(BinaryOperator::Multiply, side, w)
        });
        let x = build.binary(BinaryOperator::Add, x, right);
        let y = build.binary(BinaryOperator::Subtract, y, up);
        Ok(build.compose(self.stage.types.float4, vec![x, y, z, w]))
    }

    /// The size of a point: the vertex shader's, or the state's, within the smallest and largest.
    fn point_size(&mut self, outputs: &[Meaning]) -> Result<ValueHandle, TranslateError> {
        let own = outputs.iter().find(|output| output.usage == (Usage::PointSize, 0));
        let size = match own {
            Some(own) => self.single_of(own)?,
            None => {
                let size = self.stage.parameter(Parameter::PointSize);
                self.stage.build.part(size, 0)
            }
        };
        let range = self.stage.parameter(Parameter::PointSizeRange);
        let build = &mut self.stage.build;
        let (smallest, largest) = (build.part(range, 0), build.part(range, 1));
        let size = build.math2(MathFunction::Min, size, largest);
        Ok(build.math2(MathFunction::Max, size, smallest))
    }

    /// What lies on the corner of a sprite instead of a usage; nothing where that stays.
    pub(super) fn on_sprite(&mut self, corner: Option<PointCorner>, usage: Usage) -> Option<ValueHandle> {
        let corner = corner.filter(|_| self.stage.options.points == Some(SizedPoints::Sprites))?;
        if usage != Usage::TexCoord {
            return None;
        }
        let zero = self.stage.build.float(0.0);
        Some(self.stage.build.compose(self.stage.types.float4, vec![corner.right, corner.down, zero, zero]))
    }
}
