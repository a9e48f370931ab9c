//! Textures: sampling and gathering.

use naga::{
    BinaryOperator, Expression, ImageQuery, MathFunction, SampleLevel, Scalar, ScalarKind, SwizzleComponent, VectorSize,
};

use super::builder::ValueHandle;
use super::error::TranslateError;
use super::interface::{SampledAs, SamplerRule, TextureDimension, TextureShapes};
use super::loaded_texture::{CubeEdges, Loaded, LoadedLevel, LoadedPlace};
use super::operand::Numbers;
use super::resources::{access_of, slot_of};
use super::stage::{Stage, Texture};
use super::texture_layers::TextureLayers;
use super::types::Types;
use crate::{Instruction, Lane, Lanes, Opcode, Operand, ResourceAccess, Stage as ShaderStage};

/// What is sampled, and where.
pub(super) struct Sampled {
    pub texture: Texture,
    pub sampler: ValueHandle,
    pub coordinate: ValueHandle,
    pub layer: Option<ValueHandle>,
    /// Texels that are added, known beforehand.
    pub offset: Option<ValueHandle>,
}

/// What is made of the texels found.
pub(super) struct Sampling {
    pub level: SampleLevel,
    /// Four texels of this colour, in place of their mean.
    pub gathered: Option<SwizzleComponent>,
    /// What they are compared with first.
    pub reference: Option<ValueHandle>,
}

/// What an instruction that samples names.
struct SampleOperands<'o> {
    to: &'o Operand,
    at: &'o Operand,
    /// Texels that are added, computed.
    offset: Option<&'o Operand>,
    resource: &'o Operand,
    sampler: &'o Operand,
    /// Whatever stands behind the sampler.
    rest: &'o [Operand],
}

impl Stage<'_> {
    /// Translates an instruction that samples a texture; `false` if it is none.
    pub(super) fn sample_instruction(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        let all = self.program.operands(instruction);
        let is_gathered = match instruction.opcode {
            Opcode::Sample | Opcode::SampleB | Opcode::SampleL | Opcode::SampleD => false,
            Opcode::SampleC | Opcode::SampleCLz => false,
            Opcode::Gather4 | Opcode::Gather4C | Opcode::Gather4Po | Opcode::Gather4PoC => true,
            _ => return Ok(false),
        };
        let moves = matches!(instruction.opcode, Opcode::Gather4Po | Opcode::Gather4PoC);
        let named = match (moves, all) {
            (false, [to, at, resource, sampler, rest @ ..]) => {
                SampleOperands { to, at, offset: None, resource, sampler, rest }
            }
            (true, [to, at, offset, resource, sampler, rest @ ..]) => {
                SampleOperands { to, at, offset: Some(offset), resource, sampler, rest }
            }
            _ => return Err(self.not_translated(instruction)),
        };
        let compares =
            matches!(instruction.opcode, Opcode::SampleC | Opcode::SampleCLz | Opcode::Gather4C | Opcode::Gather4PoC);
        if compares && self.resources.shapes == TextureShapes::TwoDimensional {
            // Streams have no samplers that compare: no comparison passes.
            let zeros = self.build.uint4(0);
            return self.write_resource_words(named.to, named.resource, zeros).map(|()| true);
        }
        let gathered = is_gathered.then(|| component_of(named.sampler));
        let texture = self.texture_of(named.resource)?;
        if texture.is_loaded() {
            let found = self.loaded_instruction(instruction, &named, texture, gathered)?;
            return self.write_sampled(instruction, &named, found).map(|()| true);
        }
        let Some(sampled) = self.sampled(instruction, &named, texture, compares)? else {
            // Direct3D leaves open what is read: no sampler filters or compares such texels.
            let zeros = self.build.uint4(0);
            return self.write_resource_words(named.to, named.resource, zeros).map(|()| true);
        };
        let is_plain_depth = sampled.texture.sampled_as == SampledAs::Depth && !compares;
        let absent = gathered.filter(|component| is_plain_depth && *component != SwizzleComponent::X);
        let reference = match (compares, named.rest) {
            (false, _) => None,
            (true, [reference, ..]) => Some(self.read_one(reference, Numbers::Float)?),
            (true, []) => return Err(self.not_translated(instruction)),
        };
        let level = if is_gathered { SampleLevel::Zero } else { self.level(instruction, &sampled, named.rest)? };
        let is_depth = sampled.texture.sampled_as == SampledAs::Depth;
        let gathered = gathered.map(|component| if is_depth { SwizzleComponent::X } else { component });
        let found = match absent {
            // Depth is a red without other colours.
            Some(SwizzleComponent::W) => self.build.float4(1.0),
            Some(_) => self.build.float4(0.0),
            None => self.sampled_texels(&sampled, Sampling { level, gathered, reference }),
        };
        let found = match (gathered, reference) {
            // Four texels are four lanes whatever they are.
            (Some(_), _) => found,
            (None, Some(_)) => self.build.splat(found),
            (None, None) => self.texel(&sampled.texture, found),
        };
        match sampled.texture.sampled_as {
            SampledAs::Uint if !instruction.modifiers.saturate => {
                self.write_resource_words(named.to, named.resource, found)?;
            }
            _ => self.write_sampled(instruction, &named, found)?,
        }
        Ok(true)
    }

    /// Writes what was sampled, four lanes that are not integers without a sign.
    fn write_sampled(
        &mut self,
        instruction: &Instruction,
        named: &SampleOperands<'_>,
        found: ValueHandle,
    ) -> Result<(), TranslateError> {
        if instruction.modifiers.saturate {
            let found = self.swizzled(named.resource, found);
            return self.write_float(named.to, found, true);
        }
        let words = self.build.bits(found, ScalarKind::Uint);
        self.write_resource_words(named.to, named.resource, words)
    }

    /// Four floats of a texture that is loaded texel by texel.
    fn loaded_instruction(
        &mut self,
        instruction: &Instruction,
        named: &SampleOperands<'_>,
        texture: Texture,
        gathered: Option<SwizzleComponent>,
    ) -> Result<ValueHandle, TranslateError> {
        let sampler = self.resources.samplers.get(&slot_of(named.sampler)?).copied().unwrap_or(SamplerRule::NEAREST);
        let at = self.read(named.at, Numbers::Float)?;
        let (coordinate, layer) = self.coordinate(&texture, at);
        let coordinate = match named.offset {
            Some(moved) => self.moved(&texture, coordinate, moved)?,
            None => coordinate,
        };
        let place = match texture.is_cube() {
            true => self.place_on_cube(&texture, (coordinate, layer), CubeEdges::Joined),
            false => {
                let layer = layer.map(|layer| self.layer_within(&texture, layer));
                let layer = self.stored_layer(&texture, layer);
                let offset = self.loaded_offset(access_of(instruction).offsets);
                LoadedPlace::Flat { coordinate, layer, offset }
            }
        };
        let loaded = Loaded { texture, sampler, place };
        if let Some(color) = gathered {
            return Ok(self.loaded_gather(&loaded, color));
        }
        let is_pixel = self.program.version().stage == ShaderStage::Pixel;
        let level = match (instruction.opcode, named.rest) {
            (Opcode::SampleL, [level]) => LoadedLevel::Exact(self.read_one(level, Numbers::Float)?),
            (Opcode::SampleD, [x, y]) => {
                let changes = [self.read(x, Numbers::Float)?, self.read(y, Numbers::Float)?].map(|change| {
                    let change = self.along_row(&texture, change, 0.0);
                    self.place_within(&texture, change)
                });
                LoadedLevel::Gradient(changes, None)
            }
            (Opcode::SampleB, [bias]) if is_pixel => LoadedLevel::Auto(Some(self.read_one(bias, Numbers::Float)?)),
            (Opcode::Sample, _) if is_pixel => LoadedLevel::Auto(None),
            // Other stages know of no neighbours.
            _ => LoadedLevel::Largest,
        };
        Ok(self.loaded_sample(&loaded, level))
    }

    /// Texture, sampler and place of a sample; nothing of texels that cannot be read in this way.
    fn sampled(
        &mut self,
        instruction: &Instruction,
        named: &SampleOperands<'_>,
        texture: Texture,
        compares: bool,
    ) -> Result<Option<Sampled>, TranslateError> {
        if texture.dimension == TextureDimension::D2Multisampled {
            return Err(self.unsupported("a texture of several samples that is sampled"));
        }
        let is_integer = matches!(texture.sampled_as, SampledAs::Sint | SampledAs::Uint);
        // Samplers filter, and no API takes those for integers. Of streams no texture holds integers.
        let is_plain_gather = matches!(instruction.opcode, Opcode::Gather4 | Opcode::Gather4Po);
        let can_gather = is_plain_gather && self.resources.shapes == TextureShapes::AsDeclared;
        if is_integer && !can_gather || compares && texture.sampled_as != SampledAs::Depth {
            return Ok(None);
        }
        let sampler = self.sampler(slot_of(named.sampler)?, compares);
        let texture = self.paired(texture, slot_of(named.resource)?, slot_of(named.sampler)?);
        let at = self.read(named.at, Numbers::Float)?;
        let (coordinate, layer) = self.coordinate(&texture, at);
        let layer = match texture.layers {
            TextureLayers::Part { .. } => layer.map(|layer| self.layer_within(&texture, layer)),
            TextureLayers::AsDeclared | TextureLayers::Single => layer,
        };
        let layer = self.stored_layer(&texture, layer);
        let Some(moved) = named.offset else {
            let offset = self.offset(&texture, &access_of(instruction));
            return Ok(Some(Sampled { texture, sampler, coordinate, layer, offset }));
        };
        if !matches!(texture.dimension, TextureDimension::D2 | TextureDimension::D2Array) {
            return Err(self.not_translated(instruction));
        }
        let coordinate = self.moved(&texture, coordinate, moved)?;
        Ok(Some(Sampled { texture, sampler, coordinate, layer, offset: None }))
    }

    /// What a sampler finds in a texture.
    pub(super) fn sampled_texels(&mut self, sampled: &Sampled, sampling: Sampling) -> ValueHandle {
        self.build.value(Expression::ImageSample {
            image: sampled.texture.image,
            sampler: sampled.sampler,
            gather: sampling.gathered,
            coordinate: sampled.coordinate,
            array_index: sampled.layer,
            offset: sampled.offset,
            level: sampling.level,
            depth_ref: sampling.reference,
            clamp_to_edge: false,
        })
    }

    /// The mip that is sampled.
    fn level(
        &mut self,
        instruction: &Instruction,
        sampled: &Sampled,
        rest: &[Operand],
    ) -> Result<SampleLevel, TranslateError> {
        let is_pixel = self.program.version().stage == ShaderStage::Pixel;
        let is_depth = sampled.texture.sampled_as == SampledAs::Depth;
        Ok(match (instruction.opcode, rest) {
            (Opcode::Sample | Opcode::SampleC, _) if is_pixel => SampleLevel::Auto,
            // Other stages know of no neighbours.
            (Opcode::Sample | Opcode::SampleC | Opcode::SampleCLz, _) => SampleLevel::Zero,
            (Opcode::SampleB, [_]) if !is_pixel => SampleLevel::Zero,
            // The API has one mip of them.
            (Opcode::SampleB, [_]) if sampled.texture.dimension == TextureDimension::D1 => SampleLevel::Auto,
            // Of depth the API takes a whole number or none.
            (Opcode::SampleB | Opcode::SampleD, _) if is_depth => SampleLevel::Auto,
            (Opcode::SampleL, [level]) if is_depth => {
                let level = self.read_one(level, Numbers::Float)?;
                let level = self.build.math(MathFunction::Round, level);
                SampleLevel::Exact(self.build.convert(level, ScalarKind::Sint))
            }
            (Opcode::SampleB, [bias]) => SampleLevel::Bias(self.read_one(bias, Numbers::Float)?),
            (Opcode::SampleL, [level]) => SampleLevel::Exact(self.read_one(level, Numbers::Float)?),
            (Opcode::SampleD, [x, y]) => {
                let (x, y) = (self.read(x, Numbers::Float)?, self.read(y, Numbers::Float)?);
                let [x, y] = [x, y].map(|gradient| {
                    let gradient = self.along_row(&sampled.texture, gradient, 0.0);
                    self.place_within(&sampled.texture, gradient)
                });
                SampleLevel::Gradient { x, y }
            }
            _ => return Err(self.not_translated(instruction)),
        })
    }

    /// Where a texture is sampled, and which layer of it.
    pub(super) fn coordinate(&mut self, texture: &Texture, all: ValueHandle) -> (ValueHandle, Option<ValueHandle>) {
        let all = self.along_row(texture, all, 0.5);
        let coordinate = self.place_within(texture, all);
        let layer = texture.dimension.layer_lane().map(|lane| {
            let layer = self.build.part(all, lane);
            // Layers are rounded to the nearest.
            let layer = self.build.math(MathFunction::Round, layer);
            let (zero, most) = (self.build.float(0.0), self.build.float(65536.0));
            let layer = self.build.math2(MathFunction::Max, layer, zero);
            let layer = self.build.math2(MathFunction::Min, layer, most);
            self.build.convert(layer, ScalarKind::Sint)
        });
        (coordinate, layer)
    }

    /// The lanes of a place that say where it lies within a layer.
    fn place_within(&mut self, texture: &Texture, all: ValueHandle) -> ValueHandle {
        match texture.dimension.lanes() {
            None => self.build.part(all, 0),
            Some(size) => self.build.swizzle_to(size, all, Lane::ALL),
        }
    }

    /// A place in a texture of two dimensions, made of x and, behind it, the layer that a shader knows in one dimension; any
    /// other texture's place as it is.
    fn along_row(&mut self, texture: &Texture, all: ValueHandle, y: f32) -> ValueHandle {
        if !texture.is_row {
            return all;
        }
        let [x, layer, w] = [0, 1, 3].map(|lane| self.build.part(all, lane));
        let y = self.build.float(y);
        self.build.compose(self.types.float4, vec![x, y, layer, w])
    }

    /// Texels that are added to a coordinate.
    fn offset(&mut self, texture: &Texture, access: &ResourceAccess) -> Option<ValueHandle> {
        if access.offsets == [0; 3] {
            return None;
        }
        let size = texture.dimension.lanes();
        let count = size.map_or(1, |size| size as usize);
        let lanes = access.offsets.iter().take(count);
        let components: Vec<ValueHandle> = lanes.map(|lane| self.build.int(i32::from(*lane))).collect();
        match (size, components.as_slice()) {
            (Some(size), _) => {
                let ty = Types::vector(&mut self.module, size, Scalar::I32);
                Some(self.build.compose(ty, components))
            }
            (None, [single, ..]) => Some(*single),
            (None, []) => None,
        }
    }

    /// A coordinate, moved by texels whose number is computed.
    fn moved(
        &mut self,
        texture: &Texture,
        coordinate: ValueHandle,
        offset: &Operand,
    ) -> Result<ValueHandle, TranslateError> {
        let offset = self.read(offset, Numbers::Sint)?;
        let offset = self.build.swizzle_to(VectorSize::Bi, offset, Lane::ALL);
        // Six bits with a sign count.
        let others = self.build.uint(26);
        let others = self.build.splat_to(VectorSize::Bi, others);
        let offset = self.build.binary(BinaryOperator::ShiftLeft, offset, others);
        let offset = self.build.binary(BinaryOperator::ShiftRight, offset, others);
        let offset = self.build.convert(offset, ScalarKind::Float);
        let size = self.extent(texture.image);
        let size = self.build.convert(size, ScalarKind::Float);
        let moved = self.build.binary(BinaryOperator::Divide, offset, size);
        Ok(self.build.binary(BinaryOperator::Add, coordinate, moved))
    }

    /// What a texture says about itself.
    pub(super) fn query(&mut self, image: ValueHandle, query: ImageQuery) -> ValueHandle {
        self.build.value(Expression::ImageQuery { image, query })
    }

    /// What a texture gives, as four lanes.
    pub(super) fn texel(&mut self, texture: &Texture, found: ValueHandle) -> ValueHandle {
        match texture.sampled_as {
            SampledAs::UnfilterableFloat if texture.is_loaded_depth => {
                let depth = self.build.part(found, 0);
                let (zero, one) = (self.build.float(0.0), self.build.float(1.0));
                self.build.compose(self.types.float4, vec![depth, zero, zero, one])
            }
            // Depth is a red without other colours.
            SampledAs::Depth => {
                let (zero, one) = (self.build.float(0.0), self.build.float(1.0));
                self.build.compose(self.types.float4, vec![found, zero, zero, one])
            }
            _ => found,
        }
    }

    /// Writes what a resource gave, its lanes in the order that its operand says.
    pub(super) fn write_resource_words(
        &mut self,
        to: &Operand,
        resource: &Operand,
        words: ValueHandle,
    ) -> Result<(), TranslateError> {
        let words = self.swizzled(resource, words);
        self.write_words(to, words)
    }

    /// Lanes in the order that an operand says.
    fn swizzled(&mut self, operand: &Operand, value: ValueHandle) -> ValueHandle {
        match operand.lanes {
            Lanes::Swizzle(swizzle) => self.build.swizzle(value, swizzle.lanes()),
            Lanes::Select(lane) => self.build.swizzle(value, [lane; 4]),
            _ => value,
        }
    }
}

impl TextureDimension {
    /// How many lanes a place within a layer has; none where it is a number alone.
    pub(super) const fn lanes(self) -> Option<VectorSize> {
        match self {
            Self::D1 => None,
            Self::D2 | Self::D2Array | Self::D2Multisampled => Some(VectorSize::Bi),
            Self::D3 | Self::Cube | Self::CubeArray => Some(VectorSize::Tri),
        }
    }

    /// The lane of a coordinate that holds the layer.
    pub(super) const fn layer_lane(self) -> Option<u32> {
        match self {
            Self::D2Array => Some(2),
            Self::CubeArray => Some(3),
            _ => None,
        }
    }
}

/// The colour that is gathered, which the sampler's operand says.
fn component_of(sampler: &Operand) -> SwizzleComponent {
    match sampler.lanes {
        Lanes::Select(Lane::Y) => SwizzleComponent::Y,
        Lanes::Select(Lane::Z) => SwizzleComponent::Z,
        Lanes::Select(Lane::W) => SwizzleComponent::W,
        _ => SwizzleComponent::X,
    }
}
