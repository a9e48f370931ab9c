//! Mips by a level of detail that the stage computes itself.

use naga::{BinaryOperator, DerivativeAxis, DerivativeControl, Expression, MathFunction};

use super::builder::ValueHandle;
use super::stage::Stage;
use trace_base::direct3d::Filter;

/// Levels of detail that choose among a texture's mips.
#[derive(Clone, Copy)]
pub(super) struct Levels {
    /// The level at a pixel, within the other two.
    pub lambda: ValueHandle,
    /// The largest mip that the sampler allows.
    pub largest: ValueHandle,
    /// The last mip.
    pub last: ValueHandle,
}

impl Stage<'_> {
    /// Changes of a value from a pixel to its neighbours along x and y.
    pub(super) fn derivatives(&mut self, of: ValueHandle) -> [ValueHandle; 2] {
        let ctrl = DerivativeControl::None;
        [DerivativeAxis::X, DerivativeAxis::Y]
            .map(|axis| self.build.value(Expression::Derivative { axis, ctrl, expr: of }))
    }

    /// Level of detail of a texture of two dimensions whose coordinates change so, by its size in texels.
    pub(super) fn flat_lambda(&mut self, changes: [ValueHandle; 2], size: ValueHandle) -> ValueHandle {
        let build = &mut self.build;
        let [x, y] = changes.map(|change| {
            let texels = build.binary(BinaryOperator::Multiply, change, size);
            build.math2(MathFunction::Dot, texels, texels)
        });
        let square = build.math2(MathFunction::Max, x, y);
        let (lambda, half) = (build.math(MathFunction::Log2, square), build.float(0.5));
        build.binary(BinaryOperator::Multiply, lambda, half)
    }

    /// Texels of the mips that a level of detail names, joined as the sampler says.
    pub(super) fn joined_mips(
        &mut self,
        filter: Option<Filter>,
        Levels { lambda, largest, last }: Levels,
        mut of_mip: impl FnMut(&mut Self, ValueHandle) -> ValueHandle,
    ) -> ValueHandle {
        let build = &mut self.build;
        match filter {
            None => of_mip(self, largest),
            Some(Filter::Nearest) => {
                let half = build.float(0.5);
                let mip = build.binary(BinaryOperator::Add, lambda, half);
                let mip = build.math(MathFunction::Floor, mip);
                let mip = build.math2(MathFunction::Min, mip, last);
                of_mip(self, mip)
            }
            Some(Filter::Linear) => {
                let (mip, one) = (build.math(MathFunction::Floor, lambda), build.float(1.0));
                let next = build.binary(BinaryOperator::Add, mip, one);
                let next = build.math2(MathFunction::Min, next, last);
                let part = build.binary(BinaryOperator::Subtract, lambda, mip);
                let (near, far) = (of_mip(self, mip), of_mip(self, next));
                self.mixed(near, far, part)
            }
        }
    }

    /// One colour and so much of another.
    pub(super) fn mixed(&mut self, one: ValueHandle, other: ValueHandle, part: ValueHandle) -> ValueHandle {
        let build = &mut self.build;
        let whole = build.float(1.0);
        let rest = build.binary(BinaryOperator::Subtract, whole, part);
        let [part, rest] = [part, rest].map(|part| build.splat(part));
        let one = build.binary(BinaryOperator::Multiply, one, rest);
        let other = build.binary(BinaryOperator::Multiply, other, part);
        build.binary(BinaryOperator::Add, one, other)
    }
}
