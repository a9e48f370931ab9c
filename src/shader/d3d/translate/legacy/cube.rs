//! Cubes whose texels are joined within a face, as Direct3D 9 has it, where graphics APIs join them across edges.
//!
//! The direction is turned away from the edges of its face by half a texel, so that no texel of another face has a weight.
//! Half a texel is another angle in each mip, so that the mip is chosen here too.

use naga::{
    BinaryOperator, DerivativeAxis, DerivativeControl, Expression, ImageQuery, MathFunction, SampleLevel, Scalar,
    ScalarKind, VectorSize,
};

use super::super::builder::ValueHandle;
use super::super::interface::{CubeFilter, Parameter};
use super::super::stage::Texture;
use super::super::types::Types;
use super::LegacyStage;
use super::border::Levels;
use super::texture::Level;
use crate::shader::d3d::{Lane, Stage};

/// A level of detail just below that of the whole texture, which its sampler makes smaller.
const HARDLY_SMALLER: f32 = 1.0 / 256.0;

/// The least magnitude of a direction: that of none has no face.
const LEAST_MAGNITUDE: f32 = 1.0e-30;

/// A cube that is read within its faces.
pub(super) struct CubeLookup {
    pub slot: u32,
    pub filter: CubeFilter,
    pub texture: Texture,
    pub sampler: ValueHandle,
    /// Three floats.
    pub direction: ValueHandle,
}

/// The face of a direction.
struct Face {
    /// By axis, whether the face lies on it.
    is_major: ValueHandle,
    /// The magnitude along that axis, in three lanes.
    magnitude: ValueHandle,
    /// Texels along an edge of the largest mip.
    edge_texels: ValueHandle,
    /// Whether the texture is made larger.
    is_larger: ValueHandle,
}

impl LegacyStage<'_> {
    /// Four floats of a cube whose faces are read each by itself.
    pub(super) fn sample_within_face(&mut self, of: &CubeLookup, level: Level) -> ValueHandle {
        let size = self.stage.query(of.texture.image, ImageQuery::Size { level: None });
        let edge = self.stage.build.part(size, 0);
        let edge_texels = self.stage.build.convert(edge, ScalarKind::Float);
        let border = self.stage.parameter(Parameter::Border { slot: of.slot });
        let last = self.stage.build.part(border, 1);
        let last = self.stage.build.convert(last, ScalarKind::Float);
        let (is_major, magnitude) = self.major_axis(of.direction);
        let lambda = self.lambda_of_face(of, (is_major, magnitude, edge_texels), level);
        let build = &mut self.stage.build;
        let largest = build.float(of.filter.largest_mip as f32);
        let largest = build.math2(MathFunction::Min, largest, last);
        let lambda = build.math2(MathFunction::Max, lambda, largest);
        let zero = build.float(0.0);
        let is_larger = build.binary(BinaryOperator::LessEqual, lambda, zero);
        let lambda = build.math2(MathFunction::Min, lambda, last);
        let face = Face { is_major, magnitude, edge_texels, is_larger };
        let levels = Levels { lambda, largest, last };
        self.joined_mips(of.filter.mip, levels, |stage, mip| stage.of_mip_of_face(of, &face, mip))
    }

    /// By axis, whether a direction's face lies on it, and the direction's magnitude along that axis in three lanes. Of equal
    /// magnitudes z is taken before y, and y before x, as Vulkan has it.
    fn major_axis(&mut self, direction: ValueHandle) -> (ValueHandle, ValueHandle) {
        use BinaryOperator as B;
        let bools = Types::vector(&mut self.stage.module, VectorSize::Tri, Scalar::BOOL);
        let build = &mut self.stage.build;
        let magnitudes = build.math(MathFunction::Abs, direction);
        let [x, y, z] = [0, 1, 2].map(|lane| build.part(magnitudes, lane));
        let (over_x, over_y) = (build.binary(B::GreaterEqual, z, x), build.binary(B::GreaterEqual, z, y));
        let is_z = build.binary(B::LogicalAnd, over_x, over_y);
        let not_z = build.unary(naga::UnaryOperator::LogicalNot, is_z);
        let over_x = build.binary(B::GreaterEqual, y, x);
        let is_y = build.binary(B::LogicalAnd, not_z, over_x);
        let not_y = build.unary(naga::UnaryOperator::LogicalNot, is_y);
        let is_x = build.binary(B::LogicalAnd, not_z, not_y);
        let is_major = build.compose(bools, vec![is_x, is_y, is_z]);
        let largest = build.math2(MathFunction::Max, x, y);
        let largest = build.math2(MathFunction::Max, largest, z);
        let least = build.float(LEAST_MAGNITUDE);
        let largest = build.math2(MathFunction::Max, largest, least);
        (is_major, build.splat_to(VectorSize::Tri, largest))
    }

    /// The level of detail, by how far the face moves from pixel to pixel.
    fn lambda_of_face(
        &mut self,
        of: &CubeLookup,
        (is_major, magnitude, edge_texels): (ValueHandle, ValueHandle, ValueHandle),
        level: Level,
    ) -> ValueHandle {
        let bias = self.bias(of.slot);
        let is_pixel = self.stage.program.version().stage == Stage::Pixel;
        let build = &mut self.stage.build;
        let (gradients, bias) = match level {
            Level::Exact(level) => return build.binary(BinaryOperator::Add, level, bias),
            // Nothing lies beside a vertex.
            _ if !is_pixel => return build.float(0.0),
            Level::Gradient(x, y) => ([x, y].map(|axis| build.swizzle_to(VectorSize::Tri, axis, Lane::ALL)), bias),
            Level::Auto(added) => {
                let ctrl = DerivativeControl::None;
                let gradients = [DerivativeAxis::X, DerivativeAxis::Y]
                    .map(|axis| build.value(Expression::Derivative { axis, ctrl, expr: of.direction }));
                (gradients, added.map_or(bias, |added| build.binary(BinaryOperator::Add, bias, added)))
            }
        };
        let signs = build.math(MathFunction::Sign, of.direction);
        let zero = build.float(0.0);
        let zeros = build.splat_to(VectorSize::Tri, zero);
        let square = build.binary(BinaryOperator::Multiply, magnitude, magnitude);
        let [x, y] = gradients.map(|gradient| {
            // Coordinates of the face are quotients by the magnitude, which changes too.
            let outward = build.binary(BinaryOperator::Multiply, gradient, signs);
            let outward = build.select(is_major, outward, zeros);
            let [a, b, c] = [0, 1, 2].map(|lane| build.part(outward, lane));
            let outward = build.binary(BinaryOperator::Add, a, b);
            let outward = build.binary(BinaryOperator::Add, outward, c);
            let outward = build.splat_to(VectorSize::Tri, outward);
            let along = build.binary(BinaryOperator::Multiply, gradient, magnitude);
            let less = build.binary(BinaryOperator::Multiply, of.direction, outward);
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
        let lambda = build.binary(BinaryOperator::Add, log, texels);
        build.binary(BinaryOperator::Add, lambda, bias)
    }

    /// Four floats of one mip.
    fn of_mip_of_face(&mut self, of: &CubeLookup, face: &Face, mip: ValueHandle) -> ValueHandle {
        use BinaryOperator as B;
        let build = &mut self.stage.build;
        let smaller = build.unary(naga::UnaryOperator::Negate, mip);
        let smaller = build.math(MathFunction::Exp2, smaller);
        let (one, zero) = (build.float(1.0), build.float(0.0));
        let texels = build.binary(B::Multiply, face.edge_texels, smaller);
        let texels = build.math(MathFunction::Floor, texels);
        let texels = build.math2(MathFunction::Max, texels, one);
        let half_texel = build.binary(B::Divide, one, texels);
        let inside = build.binary(B::Subtract, one, half_texel);
        let inside = build.splat_to(VectorSize::Tri, inside);
        let limit = build.binary(B::Multiply, face.magnitude, inside);
        let least = build.unary(naga::UnaryOperator::Negate, limit);
        let within = build.math2(MathFunction::Max, of.direction, least);
        let within = build.math2(MathFunction::Min, within, limit);
        let coordinate = build.select(face.is_major, of.direction, within);
        let level = match of.filter.min == of.filter.mag {
            true => mip,
            false => {
                let is_whole = build.binary(B::LessEqual, mip, zero);
                let is_exact = build.unary(naga::UnaryOperator::LogicalNot, is_whole);
                let is_exact = build.binary(B::LogicalOr, is_exact, face.is_larger);
                let hardly = build.float(HARDLY_SMALLER);
                let more = build.select(is_exact, zero, hardly);
                build.binary(B::Add, mip, more)
            }
        };
        let found = build.value(Expression::ImageSample {
            image: of.texture.image,
            sampler: of.sampler,
            gather: None,
            coordinate,
            array_index: None,
            offset: None,
            level: SampleLevel::Exact(level),
            depth_ref: None,
            clamp_to_edge: false,
        });
        self.stage.texel(&of.texture, found)
    }
}
