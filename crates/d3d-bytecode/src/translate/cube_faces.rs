//! Faces of cubes: the one that a direction meets, where on it, and how fast that changes from pixel to pixel.
//!
//! | face | major axis | s | t |
//! |---|---|---|---|
//! | 0, 1 | ±x | ∓z | −y |
//! | 2, 3 | ±y | x | ±z |
//! | 4, 5 | ±z | ±x | −y |
//!
//! s and t are divided by the magnitude along the major axis, so that a face reaches from −1 to 1.

use naga::{BinaryOperator, MathFunction, Scalar, ScalarKind, UnaryOperator, VectorSize};

use super::builder::ValueHandle;
use super::stage::Stage;
use super::types::Types;

/// The least magnitude of a direction: that of none has no face.
const LEAST_MAGNITUDE: f32 = 1.0e-30;

/// The major axis of a direction.
#[derive(Clone, Copy)]
pub(super) struct MajorAxis {
    /// By axis, whether it is the major one.
    pub is_major: [ValueHandle; 3],
    /// The magnitude along that axis.
    pub magnitude: ValueHandle,
}

/// A face of a cube.
#[derive(Clone, Copy)]
pub(super) struct Face {
    axis: MajorAxis,
    /// The sign of the direction along its major axis.
    sign: ValueHandle,
}

impl Face {
    /// The major axis of the directions that meet it.
    pub(super) const fn axis(&self) -> &MajorAxis {
        &self.axis
    }
}

impl Stage<'_> {
    /// The major axis of a direction. Of equal magnitudes z is taken before y, and y before x, as Vulkan has it.
    pub(super) fn major_axis(&mut self, direction: ValueHandle) -> MajorAxis {
        use BinaryOperator as B;
        let build = &mut self.build;
        let magnitudes = build.math(MathFunction::Abs, direction);
        let [x, y, z] = [0, 1, 2].map(|lane| build.part(magnitudes, lane));
        let (over_x, over_y) = (build.binary(B::GreaterEqual, z, x), build.binary(B::GreaterEqual, z, y));
        let is_z = build.binary(B::LogicalAnd, over_x, over_y);
        let not_z = build.unary(UnaryOperator::LogicalNot, is_z);
        let over_x = build.binary(B::GreaterEqual, y, x);
        let is_y = build.binary(B::LogicalAnd, not_z, over_x);
        let not_y = build.unary(UnaryOperator::LogicalNot, is_y);
        let is_x = build.binary(B::LogicalAnd, not_z, not_y);
        let largest = build.math2(MathFunction::Max, x, y);
        let largest = build.math2(MathFunction::Max, largest, z);
        let least = build.float(LEAST_MAGNITUDE);
        let magnitude = build.math2(MathFunction::Max, largest, least);
        MajorAxis { is_major: [is_x, is_y, is_z], magnitude }
    }

    /// Three lanes that say whether each is along the major axis.
    pub(super) fn major_lanes(&mut self, axis: &MajorAxis) -> ValueHandle {
        let bools = Types::vector(&mut self.module, VectorSize::Tri, Scalar::BOOL);
        self.build.compose(bools, axis.is_major.to_vec())
    }

    /// Level of detail of a direction that changes so, on a face of `edge_texels` along each side.
    pub(super) fn face_lambda(
        &mut self,
        (direction, axis): (ValueHandle, &MajorAxis),
        changes: [ValueHandle; 2],
        edge_texels: ValueHandle,
    ) -> ValueHandle {
        let is_major = self.major_lanes(axis);
        let build = &mut self.build;
        let magnitude = build.splat_to(VectorSize::Tri, axis.magnitude);
        let signs = build.math(MathFunction::Sign, direction);
        let zero = build.float(0.0);
        let zeros = build.splat_to(VectorSize::Tri, zero);
        let square = build.binary(BinaryOperator::Multiply, magnitude, magnitude);
        let [x, y] = changes.map(|gradient| {
            // Coordinates of the face are quotients by the magnitude, which changes too.
            let outward = build.binary(BinaryOperator::Multiply, gradient, signs);
            let outward = build.select(is_major, outward, zeros);
            let [a, b, c] = [0, 1, 2].map(|lane| build.part(outward, lane));
            let outward = build.binary(BinaryOperator::Add, a, b);
            let outward = build.binary(BinaryOperator::Add, outward, c);
            let outward = build.splat_to(VectorSize::Tri, outward);
            let along = build.binary(BinaryOperator::Multiply, gradient, magnitude);
            let less = build.binary(BinaryOperator::Multiply, direction, outward);
            let change = build.binary(BinaryOperator::Subtract, along, less);
            let change = build.binary(BinaryOperator::Divide, change, square);
            build.math2(MathFunction::Dot, change, change)
        });
        let square = build.math2(MathFunction::Max, x, y);
        let (log, half) = (build.math(MathFunction::Log2, square), build.float(0.5));
        let log = build.binary(BinaryOperator::Multiply, log, half);
        // A face reaches from −1 to 1.
        let texels = build.binary(BinaryOperator::Multiply, edge_texels, half);
        let texels = build.math(MathFunction::Log2, texels);
        build.binary(BinaryOperator::Add, log, texels)
    }

    /// The face that a direction meets, and s and t on it.
    pub(super) fn face_of(&mut self, direction: ValueHandle) -> (Face, [ValueHandle; 2]) {
        use BinaryOperator as B;
        let axis = self.major_axis(direction);
        let build = &mut self.build;
        let [is_x, is_y, _] = axis.is_major;
        let [x, y, z] = [0, 1, 2].map(|lane| build.part(direction, lane));
        let major = build.select(is_y, y, z);
        let major = build.select(is_x, x, major);
        let (zero, one, minus_one) = (build.float(0.0), build.float(1.0), build.float(-1.0));
        let is_behind = build.binary(B::Less, major, zero);
        let sign = build.select(is_behind, minus_one, one);
        let [signed_x, signed_z] = [x, z].map(|lane| build.binary(B::Multiply, lane, sign));
        let [minus_y, minus_signed_z] = [y, signed_z].map(|lane| build.unary(UnaryOperator::Negate, lane));
        let s = build.select(is_y, x, signed_x);
        let s = build.select(is_x, minus_signed_z, s);
        let t = build.select(is_y, signed_z, minus_y);
        let place = [s, t].map(|lane| build.binary(B::Divide, lane, axis.magnitude));
        (Face { axis, sign }, place)
    }

    /// The direction of a place on the plane of a face, inside or outside of the face.
    pub(super) fn direction_of(&mut self, face: &Face, [s, t]: [ValueHandle; 2]) -> ValueHandle {
        use BinaryOperator as B;
        let vector = Types::vector(&mut self.module, VectorSize::Tri, Scalar::F32);
        let build = &mut self.build;
        let [is_x, is_y, _] = face.axis.is_major;
        let [signed_s, signed_t] = [s, t].map(|lane| build.binary(B::Multiply, lane, face.sign));
        let [minus_t, minus_signed_s] = [t, signed_s].map(|lane| build.unary(UnaryOperator::Negate, lane));
        let x = build.select(is_y, s, signed_s);
        let x = build.select(is_x, face.sign, x);
        let y = build.select(is_y, face.sign, minus_t);
        let z = build.select(is_y, signed_t, face.sign);
        let z = build.select(is_x, minus_signed_s, z);
        build.compose(vector, vec![x, y, z])
    }

    /// The number of a face, 0 to 5.
    pub(super) fn face_number(&mut self, face: &Face) -> ValueHandle {
        let build = &mut self.build;
        let [is_x, is_y, _] = face.axis.is_major;
        let [zero, two, four, one] = [0.0, 2.0, 4.0, 1.0].map(|number| build.float(number));
        let first = build.select(is_y, two, four);
        let first = build.select(is_x, zero, first);
        let is_behind = build.binary(BinaryOperator::Less, face.sign, zero);
        let second = build.select(is_behind, one, zero);
        let number = build.binary(BinaryOperator::Add, first, second);
        build.convert(number, ScalarKind::Sint)
    }
}
