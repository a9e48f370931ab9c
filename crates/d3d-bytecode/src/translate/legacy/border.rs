//! Colours outside of textures, which graphics APIs have few of or none: stages mix them in.
//!
//! A texture is read as if its edge went on, and the colour outside replaces as much of what is read as lies outside: all or
//! nothing of the nearest texel, and of texels that are joined the weight of those that are not there. That needs the mip, so
//! that it is chosen here too.

use naga::{BinaryOperator, Expression, ImageQuery, MathFunction, SampleLevel, ScalarKind, VectorSize};

use super::super::builder::ValueHandle;
use super::super::interface::{BorderRule, Parameter, SampledAs};
use super::super::loaded_texture::Loaded;
use super::super::mips::Levels;
use super::super::stage::{Stage as AnyStage, Texture};
use super::LegacyStage;
use super::texture::Level;
use crate::Lane;
use trace_base::direct3d::Filter;

/// What has a level of detail just below that of the whole texture is made smaller by its sampler.
const HARDLY_SMALLER: f32 = 1.0 / 16.0;

/// A texture that is read with a border.
pub(super) struct Bordered {
    pub slot: u32,
    pub rule: BorderRule,
    pub texture: Texture,
    pub texels: BorderedTexels,
    pub coordinate: ValueHandle,
}

/// Texels of a texture with a border.
pub(super) enum BorderedTexels {
    /// A sampler joins them.
    Sampled(ValueHandle),
    /// The stage loads and joins them.
    Loaded(Loaded),
}

/// What is known of a texture that is read: its size, the colour outside, and whether it is made larger.
struct Known {
    size: ValueHandle,
    color: ValueHandle,
    is_larger: ValueHandle,
}

impl LegacyStage<'_> {
    /// Four floats of a texture with a border.
    pub(super) fn sample_with_border(&mut self, of: &Bordered, level: Level) -> ValueHandle {
        let size = self.stage.query(of.texture.image, ImageQuery::Size { level: None });
        let size = self.stage.build.convert(size, ScalarKind::Float);
        let border = self.stage.parameter(Parameter::Border { slot: of.slot });
        let build = &mut self.stage.build;
        let (color, last) = (build.part(border, 0), build.part(border, 1));
        let color = build.math(MathFunction::Unpack4x8unorm, color);
        let last = build.convert(last, ScalarKind::Float);
        let lambda = self.lambda(of, level, size);
        let build = &mut self.stage.build;
        let largest = build.float(of.rule.largest_mip as f32);
        let largest = build.math2(MathFunction::Min, largest, last);
        let lambda = build.math2(MathFunction::Max, lambda, largest);
        let zero = build.float(0.0);
        // However many mips there are.
        let is_larger = build.binary(BinaryOperator::LessEqual, lambda, zero);
        let lambda = build.math2(MathFunction::Min, lambda, last);
        let known = Known { size, color, is_larger };
        let levels = Levels { lambda, largest, last };
        self.stage.joined_mips(of.rule.mip, levels, |stage, mip| stage.of_mip(of, &known, mip))
    }

    /// The level of detail, by how far the texture moves from pixel to pixel.
    fn lambda(&mut self, of: &Bordered, level: Level, size: ValueHandle) -> ValueHandle {
        let bias = self.bias(of.slot);
        let is_pixel = self.stage.program.version().stage == crate::Stage::Pixel;
        let (changes, bias) = match level {
            Level::Exact(level) => return self.stage.build.binary(BinaryOperator::Add, level, bias),
            // Nothing lies beside a vertex.
            _ if !is_pixel || of.texture.sampled_as == SampledAs::Depth => return self.stage.build.float(0.0),
            Level::Gradient(x, y) => {
                ([x, y].map(|axis| self.stage.build.swizzle_to(VectorSize::Bi, axis, Lane::ALL)), bias)
            }
            Level::Auto(added) => {
                let changes = self.stage.derivatives(of.coordinate);
                let build = &mut self.stage.build;
                (changes, added.map_or(bias, |added| build.binary(BinaryOperator::Add, bias, added)))
            }
        };
        let lambda = self.stage.flat_lambda(changes, size);
        self.stage.build.binary(BinaryOperator::Add, lambda, bias)
    }
}

impl AnyStage<'_> {
    /// What is read of one mip.
    fn of_mip(&mut self, of: &Bordered, known: &Known, mip: ValueHandle) -> ValueHandle {
        let found = match &of.texels {
            BorderedTexels::Sampled(sampler) => self.sampled_mip(of, *sampler, known, mip),
            BorderedTexels::Loaded(loaded) => self.loaded_mip(loaded, known.is_larger, mip),
        };
        let inside = self.inside(of, known, mip);
        self.mixed(known.color, found, inside)
    }

    /// Texels of one mip, which a sampler joins.
    fn sampled_mip(&mut self, of: &Bordered, sampler: ValueHandle, known: &Known, mip: ValueHandle) -> ValueHandle {
        let is_one_filter = of.rule.min == of.rule.mag;
        let is_pixel = self.program.version().stage == crate::Stage::Pixel;
        let build = &mut self.build;
        let level = match of.texture.sampled_as {
            // Depth has no mips here.
            SampledAs::Depth if is_pixel => SampleLevel::Auto,
            SampledAs::Depth => SampleLevel::Zero,
            _ if is_one_filter => SampleLevel::Exact(mip),
            _ => {
                let (zero, hardly) = (build.float(0.0), build.float(HARDLY_SMALLER));
                let more = build.select(known.is_larger, zero, hardly);
                SampleLevel::Exact(build.binary(BinaryOperator::Add, mip, more))
            }
        };
        let layer = self.stored_layer(&of.texture, None);
        let found = self.build.value(Expression::ImageSample {
            image: of.texture.image,
            sampler,
            gather: None,
            coordinate: of.coordinate,
            array_index: layer,
            offset: None,
            level,
            depth_ref: None,
            clamp_to_edge: false,
        });
        self.texel(&of.texture, found)
    }

    /// How much of what is read of a mip lies in the texture.
    fn inside(&mut self, of: &Bordered, known: &Known, mip: ValueHandle) -> ValueHandle {
        let build = &mut self.build;
        let smaller = build.unary(naga::UnaryOperator::Negate, mip);
        let smaller = build.math(MathFunction::Exp2, smaller);
        let mut all = build.float(1.0);
        for (axis, has_border) in (0..).zip(of.rule.axes) {
            if !has_border {
                continue;
            }
            let build = &mut self.build;
            let (at, size, one) = (build.part(of.coordinate, axis), build.part(known.size, axis), build.float(1.0));
            let size = build.binary(BinaryOperator::Multiply, size, smaller);
            let size = build.math(MathFunction::Floor, size);
            let size = build.math2(MathFunction::Max, size, one);
            let inside = match (of.rule.mag, of.rule.min) {
                (Filter::Nearest, Filter::Nearest) => self.nearest_inside(at),
                (Filter::Linear, Filter::Linear) => self.linear_inside(at, size),
                (mag, _) => {
                    let (nearest, linear) = (self.nearest_inside(at), self.linear_inside(at, size));
                    let (larger, smaller) = if mag == Filter::Nearest { (nearest, linear) } else { (linear, nearest) };
                    self.build.select(known.is_larger, larger, smaller)
                }
            };
            all = self.build.binary(BinaryOperator::Multiply, all, inside);
        }
        all
    }

    /// 1 where the nearest texel is there, 0 elsewhere.
    fn nearest_inside(&mut self, at: ValueHandle) -> ValueHandle {
        let build = &mut self.build;
        let (zero, one) = (build.float(0.0), build.float(1.0));
        let is_behind_start = build.binary(BinaryOperator::GreaterEqual, at, zero);
        let is_before_end = build.binary(BinaryOperator::Less, at, one);
        let is_inside = build.binary(BinaryOperator::LogicalAnd, is_behind_start, is_before_end);
        build.select(is_inside, one, zero)
    }

    /// The weight of those of two texels that are there.
    fn linear_inside(&mut self, at: ValueHandle, size: ValueHandle) -> ValueHandle {
        let build = &mut self.build;
        let half = build.float(0.5);
        let texel = build.binary(BinaryOperator::Multiply, at, size);
        let left = build.binary(BinaryOperator::Add, texel, half);
        let right = build.binary(BinaryOperator::Subtract, size, texel);
        let right = build.binary(BinaryOperator::Add, right, half);
        let [left, right] = [left, right].map(|weight| build.math(MathFunction::Saturate, weight));
        build.binary(BinaryOperator::Multiply, left, right)
    }
}
