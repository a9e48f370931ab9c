//! Cubes whose texels are joined within a face, as Direct3D 9 has it, where graphics APIs join them across edges.
//!
//! The direction is turned away from the edges of its face by half a texel, so that no texel of another face has a weight.
//! Half a texel is another angle in each mip, so that the mip is chosen here too.

use naga::{BinaryOperator, Expression, ImageQuery, MathFunction, SampleLevel, ScalarKind, VectorSize};

use super::super::builder::ValueHandle;
use super::super::cube_faces::MajorAxis;
use super::super::interface::{CubeFilter, Parameter};
use super::super::mips::Levels;
use super::super::stage::{Stage as AnyStage, Texture};
use super::LegacyStage;
use super::texture::Level;
use crate::{Lane, Stage};

/// A level of detail just below that of the whole texture, which its sampler makes smaller.
const HARDLY_SMALLER: f32 = 1.0 / 256.0;

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
        let axis = self.stage.major_axis(of.direction);
        let lambda = self.lambda_of_face(of, (&axis, edge_texels), level);
        let is_major = self.stage.major_lanes(&axis);
        let build = &mut self.stage.build;
        let largest = build.float(of.filter.largest_mip as f32);
        let largest = build.math2(MathFunction::Min, largest, last);
        let lambda = build.math2(MathFunction::Max, lambda, largest);
        let zero = build.float(0.0);
        let is_larger = build.binary(BinaryOperator::LessEqual, lambda, zero);
        let lambda = build.math2(MathFunction::Min, lambda, last);
        let magnitude = build.splat_to(VectorSize::Tri, axis.magnitude);
        let face = Face { is_major, magnitude, edge_texels, is_larger };
        let levels = Levels { lambda, largest, last };
        self.stage.joined_mips(of.filter.mip, levels, |stage, mip| stage.of_mip_of_face(of, &face, mip))
    }

    /// The level of detail, by how far the face moves from pixel to pixel.
    fn lambda_of_face(
        &mut self,
        of: &CubeLookup,
        (axis, edge_texels): (&MajorAxis, ValueHandle),
        level: Level,
    ) -> ValueHandle {
        let bias = self.bias(of.slot);
        let is_pixel = self.stage.program.version().stage == Stage::Pixel;
        let (changes, bias) = match level {
            Level::Exact(level) => return self.stage.build.binary(BinaryOperator::Add, level, bias),
            // Nothing lies beside a vertex.
            _ if !is_pixel => return self.stage.build.float(0.0),
            Level::Gradient(x, y) => {
                ([x, y].map(|axis| self.stage.build.swizzle_to(VectorSize::Tri, axis, Lane::ALL)), bias)
            }
            Level::Auto(added) => {
                let changes = self.stage.derivatives(of.direction);
                let build = &mut self.stage.build;
                (changes, added.map_or(bias, |added| build.binary(BinaryOperator::Add, bias, added)))
            }
        };
        let lambda = self.stage.face_lambda((of.direction, axis), changes, edge_texels);
        self.stage.build.binary(BinaryOperator::Add, lambda, bias)
    }
}

impl AnyStage<'_> {
    /// Four floats of one mip.
    fn of_mip_of_face(&mut self, of: &CubeLookup, face: &Face, mip: ValueHandle) -> ValueHandle {
        use BinaryOperator as B;
        let build = &mut self.build;
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
        self.texel(&of.texture, found)
    }
}
