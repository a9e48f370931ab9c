//! Clip and cull distances: numbers of the vertex stage by which triangles are cut, or not drawn at all.
//!
//! | distance | with the device's feature | without |
//! |---|---|---|
//! | clip: only the part where it is at least 0 is drawn | the pipeline cuts the triangle | it is interpolated, and the pixel stage drops pixels where it is negative |
//! | cull: a triangle is not drawn if one of them is negative in all its corners | wgpu has no such feature | below |
//!
//! No stage that WebGPU has sees all corners of a triangle. So each corner says 1 where its distance is negative and 0 where
//! it is not, interpolated without perspective: this is the same all over the triangle if all corners say 1, and has a slope
//! everywhere if one of them does not.

use naga::{
    ArraySize, BinaryOperator, Binding, BuiltIn, DerivativeAxis, DerivativeControl, Expression, Interpolation,
    MathFunction, Sampling, ScalarKind, Statement, StructMember, Type, TypeInner,
};

use super::builder::ValueHandle;
use super::error::TranslateError;
use super::interface::{Clipping, DrawOptions, PIXEL_GROUP, TranslatedStage};
use super::link::{member, system_value};
use super::stage::Stage;
use crate::{Lane, Program, RegisterKind, SlotSet, SystemValue};

/// Distances that Direct3D has, of both kinds together.
const MOST_DISTANCES: usize = 8;
/// Above this, every corner has said 1.
const NEARLY_ONE: f32 = 0.9999;
/// Below this, corners have said the same: two corners of a triangle are never 2^20 pixels apart.
const NO_SLOPE: f32 = 1.0 / 1_048_576.0;

/// A register of the vertex stage and its lane.
type Source = (u32, Lane);

/// Distances that a vertex stage gives.
#[derive(Clone, Debug, Default)]
pub(super) struct Distances {
    clip: Vec<Source>,
    cull: Vec<Source>,
    clipping: Clipping,
    /// The location of the first of them that flow to the pixel stage.
    first_location: u32,
}

impl Distances {
    /// Those of a vertex stage whose other outputs end before a location.
    pub(super) fn of(program: &Program, options: &DrawOptions, first_location: u32) -> Self {
        let all_of = |wanted: SystemValue| {
            let elements = program.signatures().output.iter();
            let mut found: Vec<_> = elements.filter(|element| system_value(program, element) == Some(wanted)).collect();
            found.sort_by_key(|element| element.index);
            let lanes = found
                .into_iter()
                .flat_map(|element| element.mask.lanes().filter_map(move |lane| Some((element.register?, lane))));
            lanes.collect()
        };
        let (clip, cull) = (all_of(SystemValue::ClipDistance), all_of(SystemValue::CullDistance));
        Self { clip, cull, clipping: options.clipping, first_location }
    }

    /// Whether the pixel stage has to drop pixels for them.
    pub(super) fn concern_pixels(&self) -> bool {
        !self.cull.is_empty() || self.clipping == Clipping::ByPixel && !self.clip.is_empty()
    }

    /// The distances that the pipeline takes.
    fn of_pipeline(&self) -> &[Source] {
        if self.clipping == Clipping::ByPipeline { &self.clip } else { &[] }
    }

    /// The distances that pixels are dropped by.
    fn of_pixels(&self) -> &[Source] {
        if self.clipping == Clipping::ByPixel { &self.clip } else { &[] }
    }

    /// The values that flow to the pixel stage, four in each.
    fn flowing(&self) -> Vec<Flowing> {
        let of = |sources: &[Source], kind| -> Vec<(Kind, Vec<Source>)> {
            sources.chunks(4).map(|four| (kind, four.to_vec())).collect()
        };
        let all = [of(self.of_pixels(), Kind::Clip), of(&self.cull, Kind::Cull)].concat();
        let located = all.into_iter().zip(self.first_location..);
        located.map(|((kind, sources), location)| Flowing { kind, sources, location }).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Clip,
    Cull,
}

/// Up to four values that flow from the vertex stage to the pixel stage.
struct Flowing {
    kind: Kind,
    sources: Vec<Source>,
    location: u32,
}

impl Flowing {
    fn binding(&self) -> Binding {
        Binding::Location {
            location: self.location,
            interpolation: Some(match self.kind {
                Kind::Clip => Interpolation::Perspective,
                Kind::Cull => Interpolation::Linear,
            }),
            sampling: Some(Sampling::Center),
            blend_src: None,
            per_primitive: false,
        }
    }
}

impl Stage<'_> {
    /// Members of the vertex stage's result that distances are, from `number` on.
    pub(super) fn members_of_distances(&mut self, mut number: u32) -> Result<Vec<StructMember>, TranslateError> {
        let count = self.distances.clip.len() + self.distances.cull.len();
        if count > MOST_DISTANCES {
            return Err(self.unsupported(format!("{count} clip and cull distances, of which Direct3D has 8,")));
        }
        let mut members = Vec::new();
        if let Some(count) = std::num::NonZeroU32::new(self.distances.of_pipeline().len() as u32) {
            let inner = TypeInner::Array { base: self.types.float, size: ArraySize::Constant(count), stride: 4 };
            let ty = self.module.types.insert(Type { name: None, inner }, naga::Span::UNDEFINED);
            members.push(member(number, ty, Binding::BuiltIn(BuiltIn::ClipDistances)));
            number += 2;
        }
        for (number, flowing) in (number..).zip(self.distances.flowing()) {
            let name = match flowing.kind {
                Kind::Clip => "clip_distances",
                Kind::Cull => "is_culled",
            };
            let member = member(number, self.types.float4, flowing.binding());
            members.push(StructMember { name: Some(name.to_owned()), ..member });
        }
        Ok(members)
    }

    /// Values of these members, as the output registers hold them.
    pub(super) fn values_of_distances(&mut self) -> Vec<ValueHandle> {
        let distances = std::mem::take(&mut self.distances);
        let mut values = Vec::new();
        let of_pipeline = distances.of_pipeline();
        if !of_pipeline.is_empty() {
            let held: Vec<ValueHandle> = of_pipeline.iter().map(|source| self.distance(*source)).collect();
            let count = std::num::NonZeroU32::new(held.len() as u32).unwrap_or(std::num::NonZeroU32::MIN);
            let inner = TypeInner::Array { base: self.types.float, size: ArraySize::Constant(count), stride: 4 };
            let ty = self.module.types.insert(Type { name: None, inner }, naga::Span::UNDEFINED);
            values.push(self.build.compose(ty, held));
        }
        for flowing in distances.flowing() {
            let mut lanes: Vec<ValueHandle> = Vec::with_capacity(4);
            for source in &flowing.sources {
                let distance = self.distance(*source);
                lanes.push(match flowing.kind {
                    Kind::Clip => distance,
                    Kind::Cull => {
                        let (zero, one) = (self.build.float(0.0), self.build.float(1.0));
                        let is_kept = self.build.binary(BinaryOperator::GreaterEqual, distance, zero);
                        self.build.select(is_kept, zero, one)
                    }
                });
            }
            let zero = self.build.float(0.0);
            lanes.resize(4, zero);
            values.push(self.build.compose(self.types.float4, lanes));
        }
        self.distances = distances;
        values
    }

    fn distance(&mut self, (register, lane): Source) -> ValueHandle {
        let held = self.register(RegisterKind::Output, register);
        let held = self.build.load(held);
        let word = self.build.part(held, lane as u32);
        self.build.bits(word, ScalarKind::Float)
    }

    /// Drops the pixels of triangles that are culled, and of parts that are cut off.
    pub(super) fn drop_pixels_by_distances(&mut self) -> Result<(), TranslateError> {
        if self.distances.concern_pixels() && self.tests_early() {
            return Err(self.unsupported("a pixel shader with early tests after clip or cull distances"));
        }
        for flowing in self.distances.flowing() {
            let given = self.argument(self.types.float4, flowing.binding());
            for lane in 0..flowing.sources.len() as u32 {
                let value = self.build.part(given, lane);
                let is_dropped = match flowing.kind {
                    Kind::Clip => {
                        let zero = self.build.float(0.0);
                        let is_kept = self.build.binary(BinaryOperator::GreaterEqual, value, zero);
                        self.build.unary(naga::UnaryOperator::LogicalNot, is_kept)
                    }
                    Kind::Cull => self.is_one_everywhere(value),
                };
                self.build.open();
                self.build.push(Statement::Kill);
                self.build.close_if(is_dropped);
            }
        }
        Ok(())
    }

    /// Whether a value that corners give as 0 or 1 is 1 in all of them.
    fn is_one_everywhere(&mut self, value: ValueHandle) -> ValueHandle {
        let ctrl = DerivativeControl::None;
        let [x, y] = [DerivativeAxis::X, DerivativeAxis::Y].map(|axis| {
            let slope = self.build.value(Expression::Derivative { axis, ctrl, expr: value });
            self.build.math(MathFunction::Abs, slope)
        });
        let slope = self.build.math2(MathFunction::Max, x, y);
        let (one, none) = (self.build.float(NEARLY_ONE), self.build.float(NO_SLOPE));
        let is_one = self.build.binary(BinaryOperator::Greater, value, one);
        let is_level = self.build.binary(BinaryOperator::Less, slope, none);
        self.build.binary(BinaryOperator::LogicalAnd, is_one, is_level)
    }
}

/// A pixel stage for draws without one, which drops pixels by the vertex stage's distances and gives nothing.
pub(super) fn stage_of_distances(
    vertex: &Program,
    options: &DrawOptions,
    distances: &Distances,
) -> Result<TranslatedStage, TranslateError> {
    let mut stage = Stage::new(vertex, options, &options.pixel_resources, PIXEL_GROUP);
    stage.distances = distances.clone();
    stage.drop_pixels_by_distances()?;
    stage.give(Vec::new())?;
    stage.finish(naga::ShaderStage::Fragment, [0; 3], (SlotSet::default(), SlotSet::default(), false))
}
