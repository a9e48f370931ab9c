//! Texture instructions. What a sampler reads is what it is declared as; of two dimensions where nothing is declared, as in
//! ps_1_x and in the emulator driver's shaders.

use naga::{
    BinaryOperator, DerivativeAxis, DerivativeControl, Expression, MathFunction, SampleLevel, Scalar, VectorSize,
};

use super::super::arithmetic::operands;
use super::super::builder::ValueHandle;
use super::super::error::TranslateError;
use super::super::interface::{Parameter, SampledAs, SamplerRule, TextureDimension};
use super::super::loaded_texture::{CubeEdges, Loaded, LoadedLevel, LoadedPlace};
use super::super::stage::Texture;
use super::super::types::Types;
use super::LegacyStage;
use super::border::{Bordered, BorderedTexels};
use super::cube::CubeLookup;
use crate::{DeclarationKind, Instruction, Lane, Lanes, Opcode, Operand, RegisterKind, Stage, StageTexture};

/// Levels of detail that a bias moves by at most: no texture has more mips.
const MOST_LOD_BIAS: f32 = 32.0;

/// How the mip is chosen.
pub(super) enum Level {
    /// By the pixels beside it, a bias added.
    Auto(Option<ValueHandle>),
    Exact(ValueHandle),
    Gradient(ValueHandle, ValueHandle),
}

impl LegacyStage<'_> {
    /// Four floats that a texture instruction of SM2 and SM3 reads; nothing if it is none.
    pub(super) fn texture_instruction(
        &mut self,
        instruction: &Instruction,
    ) -> Result<Option<ValueHandle>, TranslateError> {
        let program = self.stage.program;
        let all = program.operands(instruction);
        let (Opcode::TexLd | Opcode::TexLdP | Opcode::TexLdB | Opcode::TexLdL | Opcode::TexLdD) = instruction.opcode
        else {
            return Ok(None);
        };
        // ps_1_4 samples what the result's number says.
        let [to, at] = operands(all)?;
        let slot = self.named(all.get(2).unwrap_or(to))?.1;
        let mut at = self.read(at)?;
        let w = self.stage.build.part(at, 3);
        let level = match instruction.opcode {
            Opcode::TexLdB => Level::Auto(Some(w)),
            Opcode::TexLdL => Level::Exact(w),
            Opcode::TexLdD => {
                let [_, _, _, x, y] = operands(all)?;
                Level::Gradient(self.read(x)?, self.read(y)?)
            }
            _ => Level::Auto(None),
        };
        if instruction.opcode == Opcode::TexLdP {
            at = self.divided(at, Lane::W);
        }
        let dimension = self.dimension(slot)?;
        let value = self.sample(slot, dimension, at, level)?;
        // A sampler's swizzle is of what is sampled.
        Ok(Some(match all.get(2).map(|sampler| sampler.lanes) {
            Some(Lanes::Swizzle(swizzle)) => self.stage.build.swizzle(value, swizzle.lanes()),
            _ => value,
        }))
    }

    /// What a sampler reads.
    fn dimension(&self, slot: u32) -> Result<TextureDimension, TranslateError> {
        let declared =
            self.stage.declarations(RegisterKind::Sampler, slot).find_map(|declaration| match declaration.kind {
                DeclarationKind::TextureStage { texture, .. } => Some(texture),
                _ => None,
            });
        let is_cube = declared.is_none() && self.stage.resources.cubes.contains(slot);
        Ok(match declared {
            None if is_cube => TextureDimension::Cube,
            None | Some(StageTexture::Unknown | StageTexture::Texture2D) => TextureDimension::D2,
            Some(StageTexture::Cube) => TextureDimension::Cube,
            Some(StageTexture::Volume) => TextureDimension::D3,
        })
    }

    /// Four floats of a texture.
    pub(super) fn sample(
        &mut self,
        slot: u32,
        dimension: TextureDimension,
        at: ValueHandle,
        level: Level,
    ) -> Result<ValueHandle, TranslateError> {
        let is_depth = self.stage.resources.depth_textures.contains(slot);
        let is_pixel = self.stage.program.version().stage == Stage::Pixel;
        let is_loaded_depth = is_depth && self.stage.loads_depth(slot, dimension);
        let sampled_as = match (is_depth && dimension != TextureDimension::D3, self.stage.resources.loads_depth) {
            (true, false) => SampledAs::Depth,
            (true, true) if is_loaded_depth => SampledAs::UnfilterableFloat,
            _ => SampledAs::Float,
        };
        let texture = Texture { is_loaded_depth, ..self.stage.texture(slot, dimension, sampled_as) };
        let size = if dimension == TextureDimension::D2 { VectorSize::Bi } else { VectorSize::Tri };
        let mut coordinate = self.stage.build.swizzle_to(size, at, Lane::ALL);
        let mut level = level;
        if let Some(turned) = self.turned(slot, dimension, coordinate) {
            if is_pixel && sampled_as != SampledAs::Depth {
                level = self.mirrored_level(size, (coordinate, turned), level);
            }
            coordinate = self.stage.build.binary(BinaryOperator::Multiply, coordinate, turned);
        }
        if dimension == TextureDimension::D2
            && let Some(rule) = self.stage.resources.borders.get(&slot)
        {
            let texels = match texture.is_loaded() {
                true => BorderedTexels::Loaded(self.loaded(slot, texture, coordinate)),
                false => BorderedTexels::Sampled(self.stage.sampler(slot, false)),
            };
            let bordered = Bordered { slot, rule: *rule, texture, texels, coordinate };
            return Ok(self.sample_with_border(&bordered, level));
        }
        if texture.is_loaded() {
            let loaded = self.loaded(slot, texture, coordinate);
            let level = self.loaded_level(slot, level, size);
            return Ok(self.stage.loaded_sample(&loaded, level));
        }
        let sampler = self.stage.sampler(slot, false);
        if dimension == TextureDimension::Cube
            && let Some(filter) = self.stage.resources.cube_filters.get(&slot)
            && sampled_as == SampledAs::Float
        {
            let lookup = CubeLookup { slot, filter: *filter, texture, sampler, direction: coordinate };
            return Ok(self.sample_within_face(&lookup, level));
        }
        let level = match (sampled_as, is_pixel) {
            // Depth has no mips here.
            (SampledAs::Depth, true) => SampleLevel::Auto,
            (SampledAs::Depth, false) => SampleLevel::Zero,
            (_, false) => match level {
                Level::Exact(level) => SampleLevel::Exact(self.biased(slot, level)),
                _ => SampleLevel::Zero,
            },
            (_, true) => self.level(slot, size, level),
        };
        let layer = self.stage.stored_layer(&texture, None);
        let found = self.stage.build.value(Expression::ImageSample {
            image: texture.image,
            sampler,
            gather: None,
            coordinate,
            array_index: layer,
            offset: None,
            level,
            depth_ref: None,
            clamp_to_edge: false,
        });
        Ok(self.stage.texel(&texture, found))
    }

    /// A place in a texture whose texels are loaded one by one.
    pub(super) fn loaded(&mut self, slot: u32, texture: Texture, coordinate: ValueHandle) -> Loaded {
        let sampler = self.stage.resources.samplers.get(&slot).copied().unwrap_or(SamplerRule::NEAREST);
        let place = match texture.is_cube() {
            true => self.stage.place_on_cube(&texture, (coordinate, None), CubeEdges::Apart),
            false => {
                let layer = self.stage.stored_layer(&texture, None);
                LoadedPlace::Flat { coordinate, layer, offset: None }
            }
        };
        Loaded { texture, sampler, place }
    }

    /// A level with what the sampler's state adds to it.
    fn loaded_level(&mut self, slot: u32, level: Level, size: VectorSize) -> LoadedLevel {
        match level {
            Level::Exact(level) => LoadedLevel::Exact(self.biased(slot, level)),
            Level::Auto(None) => LoadedLevel::Auto(Some(self.bias(slot))),
            Level::Auto(Some(bias)) => LoadedLevel::Auto(Some(self.biased(slot, bias))),
            Level::Gradient(x, y) => {
                let changes = [x, y].map(|change| self.stage.build.swizzle_to(size, change, Lane::ALL));
                LoadedLevel::Gradient(changes, Some(self.bias(slot)))
            }
        }
    }

    /// By axis, −1 where coordinates below 0 are mirrored and 1 elsewhere; nothing of a sampler that mirrors none.
    fn turned(&mut self, slot: u32, dimension: TextureDimension, coordinate: ValueHandle) -> Option<ValueHandle> {
        let axes = self.stage.resources.mirrored_once.map(|slots| slots.contains(slot));
        let (size, axes) = match dimension {
            TextureDimension::D2 => (VectorSize::Bi, axes.get(..2)?),
            TextureDimension::D3 => (VectorSize::Tri, &axes[..]),
            // Cubes are read by direction.
            _ => return None,
        };
        if !axes.contains(&true) {
            return None;
        }
        let ty = Types::vector(&mut self.stage.module, size, Scalar::F32);
        let build = &mut self.stage.build;
        let factors = axes.iter().map(|is_mirrored| build.float(if *is_mirrored { -1.0 } else { 1.0 })).collect();
        let below = build.compose(ty, factors);
        let [zero, one] = [0.0, 1.0].map(|value| {
            let value = build.float(value);
            build.splat_to(size, value)
        });
        let is_below = build.binary(BinaryOperator::Less, coordinate, zero);
        Some(build.select(is_below, below, one))
    }

    /// A level by the coordinates before they are mirrored: across the mirror two pixels may have the same one.
    fn mirrored_level(
        &mut self,
        size: VectorSize,
        (coordinate, turned): (ValueHandle, ValueHandle),
        level: Level,
    ) -> Level {
        let level = match level {
            Level::Auto(Some(bias)) => Level::Auto(Some(self.within_levels(bias))),
            other => other,
        };
        let build = &mut self.stage.build;
        let gradients = match level {
            Level::Exact(_) => return level,
            Level::Gradient(x, y) => [x, y].map(|gradient| build.swizzle_to(size, gradient, Lane::ALL)),
            Level::Auto(bias) => [DerivativeAxis::X, DerivativeAxis::Y].map(|axis| {
                let ctrl = DerivativeControl::None;
                let gradient = build.value(Expression::Derivative { axis, ctrl, expr: coordinate });
                match bias {
                    None => gradient,
                    Some(bias) => {
                        let factor = build.math(MathFunction::Exp2, bias);
                        let factor = build.splat_to(size, factor);
                        build.binary(BinaryOperator::Multiply, gradient, factor)
                    }
                }
            }),
        };
        let [x, y] = gradients.map(|gradient| build.binary(BinaryOperator::Multiply, gradient, turned));
        Level::Gradient(x, y)
    }

    /// A level with what the sampler's state adds to it.
    fn biased(&mut self, slot: u32, level: ValueHandle) -> ValueHandle {
        let bias = self.bias(slot);
        let level = self.stage.build.binary(BinaryOperator::Add, level, bias);
        self.within_levels(level)
    }

    /// A level or bias no further than textures have mips: drivers make anything of larger numbers.
    fn within_levels(&mut self, level: ValueHandle) -> ValueHandle {
        let build = &mut self.stage.build;
        let (least, most) = (build.float(-MOST_LOD_BIAS), build.float(MOST_LOD_BIAS));
        let level = build.math2(MathFunction::Max, level, least);
        build.math2(MathFunction::Min, level, most)
    }

    pub(super) fn bias(&mut self, slot: u32) -> ValueHandle {
        let bias = self.stage.parameter(Parameter::LodBias { slot });
        self.stage.build.part(bias, 0)
    }

    fn level(&mut self, slot: u32, size: VectorSize, level: Level) -> SampleLevel {
        match level {
            Level::Auto(None) => SampleLevel::Bias(self.bias(slot)),
            Level::Auto(Some(bias)) => SampleLevel::Bias(self.biased(slot, bias)),
            Level::Exact(level) => SampleLevel::Exact(self.biased(slot, level)),
            Level::Gradient(x, y) => {
                // A bias of 1 is the double gradient.
                let bias = self.bias(slot);
                let build = &mut self.stage.build;
                let factor = build.math(MathFunction::Exp2, bias);
                let factor = build.splat_to(size, factor);
                let [x, y] = [x, y].map(|gradient| {
                    let gradient = build.swizzle_to(size, gradient, Lane::ALL);
                    build.binary(BinaryOperator::Multiply, gradient, factor)
                });
                SampleLevel::Gradient { x, y }
            }
        }
    }

    /// What a register of texture coordinates holds.
    pub(super) fn coordinate(&mut self, operand: &Operand) -> Result<ValueHandle, TranslateError> {
        let (kind, number) = self.named(operand)?;
        let place = self.stage.register(kind, number);
        let words = self.stage.build.load(place);
        Ok(self.stage.build.bits(words, naga::ScalarKind::Float))
    }
}
