//! Textures: sampling, loading, and asking for sizes.

use naga::{
    BinaryOperator, Expression, ImageQuery, MathFunction, SampleLevel, Scalar, ScalarKind, SwizzleComponent, VectorSize,
};

use super::arithmetic::operands;
use super::builder::ValueHandle;
use super::error::TranslateError;
use super::interface::{SampledAs, TextureDimension};
use super::operand::Numbers;
use super::stage::{Stage, Texture};
use super::types::Types;
use crate::error::Internal;
use crate::shader::d3d::{
    Control, DeclarationKind, InfoForm, Instruction, Lane, Lanes, Opcode, Operand, OperandValue, RegisterKind,
    ResourceAccess, ResourceDimension, ResourceShape, ReturnType, Stage as ShaderStage,
};

impl Stage<'_> {
    /// Translates an instruction that reads a texture; `false` if it is none.
    pub(super) fn texture_instruction(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        let all = self.program.operands(instruction);
        match instruction.opcode {
            Opcode::Sample | Opcode::SampleB | Opcode::SampleL | Opcode::SampleD => self.sample(instruction, all)?,
            Opcode::SampleC | Opcode::SampleCLz => self.sample_compared(instruction, all)?,
            Opcode::Gather4 | Opcode::Gather4Po => self.gather(instruction, all)?,
            Opcode::Ld => self.load_texel(instruction, all)?,
            Opcode::ResInfo => self.sizes(instruction, all)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The texture that an operand names.
    fn texture_of(&mut self, operand: &Operand) -> Result<Texture, TranslateError> {
        let slot = slot_of(operand)?;
        let shape = self.declarations(RegisterKind::Resource, slot).find_map(|declaration| match declaration.kind {
            DeclarationKind::Resource { shape, .. } => Some(shape),
            _ => None,
        });
        let (dimension, return_type) = match shape {
            Some(ResourceShape::Typed { dimension, return_types: [first, ..], .. }) => (dimension, first),
            // The emulator's encoding reads what it does not declare.
            None => (ResourceDimension::Texture2D, ReturnType::Float),
            Some(_) => return Err(self.unsupported("a buffer that is read as a texture")),
        };
        let dimension = match dimension {
            ResourceDimension::Texture1D => TextureDimension::D1,
            ResourceDimension::Texture2D => TextureDimension::D2,
            ResourceDimension::Texture2DArray => TextureDimension::D2Array,
            ResourceDimension::Texture3D => TextureDimension::D3,
            ResourceDimension::TextureCube => TextureDimension::Cube,
            ResourceDimension::TextureCubeArray => TextureDimension::CubeArray,
            other => return Err(self.unsupported(format!("a resource of the kind {}", other.name()))),
        };
        let sampled_as = match return_type {
            ReturnType::Sint => SampledAs::Sint,
            ReturnType::Uint => SampledAs::Uint,
            _ if self.options.depth_textures.contains(slot) => SampledAs::Depth,
            _ => SampledAs::Float,
        };
        Ok(self.texture(slot, dimension, sampled_as))
    }

    /// Where a texture is sampled, and which layer of it.
    fn coordinate(&mut self, texture: &Texture, all: ValueHandle) -> (ValueHandle, Option<ValueHandle>) {
        let (size, layer) = match texture.dimension {
            TextureDimension::D1 => (None, None),
            TextureDimension::D2 => (Some(VectorSize::Bi), None),
            TextureDimension::D2Array => (Some(VectorSize::Bi), Some(2)),
            TextureDimension::D3 | TextureDimension::Cube => (Some(VectorSize::Tri), None),
            TextureDimension::CubeArray => (Some(VectorSize::Tri), Some(3)),
        };
        let coordinate = match size {
            None => self.build.part(all, 0),
            Some(size) => self.build.swizzle_to(size, all, Lane::ALL),
        };
        let layer = layer.map(|lane| {
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

    /// Texels that are added to a coordinate.
    fn offset(&mut self, texture: &Texture, access: &ResourceAccess) -> Option<ValueHandle> {
        let [u, v, w] = access.offsets;
        if access.offsets == [0; 3] {
            return None;
        }
        let lanes: &[i8] = match texture.dimension {
            TextureDimension::D1 => &[u],
            TextureDimension::D2 | TextureDimension::D2Array => &[u, v],
            _ => &[u, v, w],
        };
        let components: Vec<ValueHandle> = lanes.iter().map(|lane| self.build.int(i32::from(*lane))).collect();
        Some(match components.as_slice() {
            [single] => *single,
            [_, _] => {
                let ty = Types::vector(&mut self.module, VectorSize::Bi, Scalar::I32);
                self.build.compose(ty, components)
            }
            _ => {
                let ty = Types::vector(&mut self.module, VectorSize::Tri, Scalar::I32);
                self.build.compose(ty, components)
            }
        })
    }

    fn sample(&mut self, instruction: &Instruction, all: &[Operand]) -> Result<(), TranslateError> {
        let [to, at, resource, sampler] = operands(all)?;
        let texture = self.texture_of(resource)?;
        let sampler = self.sampler(slot_of(sampler)?, false);
        let at = self.read(at, Numbers::Float)?;
        let (coordinate, array_index) = self.coordinate(&texture, at);
        let offset = self.offset(&texture, &access_of(instruction));
        let is_pixel = self.program.version().stage == ShaderStage::Pixel;
        let level = match (instruction.opcode, all.get(4..).unwrap_or_default()) {
            (Opcode::Sample, _) if is_pixel => SampleLevel::Auto,
            // Other stages know of no neighbours.
            (Opcode::Sample, _) => SampleLevel::Zero,
            (Opcode::SampleB, [bias]) => SampleLevel::Bias(self.read_one(bias, Numbers::Float)?),
            (Opcode::SampleL, [level]) => SampleLevel::Exact(self.read_one(level, Numbers::Float)?),
            (Opcode::SampleD, [x, y]) => {
                let (x, y) = (self.read(x, Numbers::Float)?, self.read(y, Numbers::Float)?);
                let (x, y) = (self.coordinate(&texture, x).0, self.coordinate(&texture, y).0);
                SampleLevel::Gradient { x, y }
            }
            _ => return Err(self.not_translated(instruction)),
        };
        let found = self.build.value(Expression::ImageSample {
            image: texture.image,
            sampler,
            gather: None,
            coordinate,
            array_index,
            offset,
            level,
            depth_ref: None,
            clamp_to_edge: false,
        });
        let found = self.texel(&texture, found);
        self.write_texel(to, resource, found, instruction)
    }

    fn sample_compared(&mut self, instruction: &Instruction, all: &[Operand]) -> Result<(), TranslateError> {
        let [to, at, resource, sampler, reference] = operands(all)?;
        let texture = Texture { sampled_as: SampledAs::Depth, ..self.texture_of(resource)? };
        let texture = self.texture(slot_of(resource)?, texture.dimension, SampledAs::Depth);
        let sampler = self.sampler(slot_of(sampler)?, true);
        let at = self.read(at, Numbers::Float)?;
        let (coordinate, array_index) = self.coordinate(&texture, at);
        let offset = self.offset(&texture, &access_of(instruction));
        let reference = self.read_one(reference, Numbers::Float)?;
        let is_pixel = self.program.version().stage == ShaderStage::Pixel;
        let level = match instruction.opcode {
            Opcode::SampleC if is_pixel => SampleLevel::Auto,
            _ => SampleLevel::Zero,
        };
        let found = self.build.value(Expression::ImageSample {
            image: texture.image,
            sampler,
            gather: None,
            coordinate,
            array_index,
            offset,
            level,
            depth_ref: Some(reference),
            clamp_to_edge: false,
        });
        let found = self.build.splat(found);
        self.write_float(to, found, instruction.modifiers.saturate)
    }

    fn gather(&mut self, instruction: &Instruction, all: &[Operand]) -> Result<(), TranslateError> {
        let [to, at, rest @ ..] = all else { return Err(self.not_translated(instruction)) };
        let [resource, sampler] = match (instruction.opcode, rest) {
            (Opcode::Gather4, [resource, sampler]) => [resource, sampler],
            (Opcode::Gather4Po, [_, resource, sampler]) => {
                return self.gather_offset(instruction, all, [resource, sampler]);
            }
            _ => return Err(self.not_translated(instruction)),
        };
        let texture = self.texture_of(resource)?;
        let (lane, sampler) = (component_of(sampler), self.sampler(slot_of(sampler)?, false));
        let at = self.read(at, Numbers::Float)?;
        let (coordinate, array_index) = self.coordinate(&texture, at);
        let offset = self.offset(&texture, &access_of(instruction));
        let found = self.build.value(Expression::ImageSample {
            image: texture.image,
            sampler,
            gather: Some(lane),
            coordinate,
            array_index,
            offset,
            level: SampleLevel::Zero,
            depth_ref: None,
            clamp_to_edge: false,
        });
        let found = Texture { sampled_as: SampledAs::Float, ..texture }.words_of_texel(self, found, texture.sampled_as);
        self.write_resource_words(to, resource, found)
    }

    /// Gathers at an offset that is computed: the coordinate is moved by it.
    fn gather_offset(
        &mut self,
        instruction: &Instruction,
        all: &[Operand],
        [resource, sampler]: [&Operand; 2],
    ) -> Result<(), TranslateError> {
        let [to, at, offset] = operands(all)?;
        let texture = self.texture_of(resource)?;
        if !matches!(texture.dimension, TextureDimension::D2 | TextureDimension::D2Array) {
            return Err(self.not_translated(instruction));
        }
        let (lane, sampler) = (component_of(sampler), self.sampler(slot_of(sampler)?, false));
        let at = self.read(at, Numbers::Float)?;
        let (coordinate, array_index) = self.coordinate(&texture, at);
        let offset = self.read(offset, Numbers::Sint)?;
        let offset = self.build.swizzle_to(VectorSize::Bi, offset, Lane::ALL);
        // Six bits with a sign count.
        let (up, down) = (self.build.uint(26), self.build.uint(26));
        let (up, down) = (self.build.splat_to(VectorSize::Bi, up), self.build.splat_to(VectorSize::Bi, down));
        let offset = self.build.binary(BinaryOperator::ShiftLeft, offset, up);
        let offset = self.build.binary(BinaryOperator::ShiftRight, offset, down);
        let offset = self.build.convert(offset, ScalarKind::Float);
        let size =
            self.build.value(Expression::ImageQuery { image: texture.image, query: ImageQuery::Size { level: None } });
        let size = self.build.convert(size, ScalarKind::Float);
        let moved = self.build.binary(BinaryOperator::Divide, offset, size);
        let coordinate = self.build.binary(BinaryOperator::Add, coordinate, moved);
        let found = self.build.value(Expression::ImageSample {
            image: texture.image,
            sampler,
            gather: Some(lane),
            coordinate,
            array_index,
            offset: None,
            level: SampleLevel::Zero,
            depth_ref: None,
            clamp_to_edge: false,
        });
        let found = texture.words_of_texel(self, found, texture.sampled_as);
        self.write_resource_words(to, resource, found)
    }

    fn load_texel(&mut self, instruction: &Instruction, all: &[Operand]) -> Result<(), TranslateError> {
        let [to, at, resource] = operands(all)?;
        let texture = self.texture_of(resource)?;
        let given = self.read(at, Numbers::Sint)?;
        // The emulator's encoding has the mip behind the coordinate, Microsoft's in the last lane.
        let mip_lane = if self.is_of_emulator() { 2 } else { 3 };
        let mip = match all.get(3) {
            Some(level) => self.read_one(level, Numbers::Sint)?,
            None => self.build.part(given, mip_lane),
        };
        let access = access_of(instruction);
        let at = match access.offsets {
            [0, 0, 0] => given,
            [u, v, w] => {
                let lanes = [u, v, w, 0].map(|lane| self.build.int(i32::from(lane))).to_vec();
                let offset = self.build.compose(self.types.int4, lanes);
                self.build.binary(BinaryOperator::Add, given, offset)
            }
        };
        let (size, layer) = match texture.dimension {
            TextureDimension::D1 => (None, None),
            TextureDimension::D2 => (Some(VectorSize::Bi), None),
            TextureDimension::D2Array => (Some(VectorSize::Bi), Some(2)),
            TextureDimension::D3 => (Some(VectorSize::Tri), None),
            TextureDimension::Cube | TextureDimension::CubeArray => return Err(self.not_translated(instruction)),
        };
        let coordinate = match size {
            None => self.build.part(at, 0),
            Some(size) => self.build.swizzle_to(size, at, Lane::ALL),
        };
        let array_index = layer.map(|lane| self.build.part(at, lane));
        let inside = self.is_inside(&texture, coordinate, size, array_index, mip);
        // What lies outside is read at 0, and is zeros.
        let zero = self.build.int(0);
        let level = self.build.select(inside, mip, zero);
        let array_index = array_index.map(|layer| self.build.select(inside, layer, zero));
        let coordinate = match size {
            None => self.build.select(inside, coordinate, zero),
            Some(size) => {
                let (inside, zeros) = (self.build.splat_to(size, inside), self.build.splat_to(size, zero));
                self.build.select(inside, coordinate, zeros)
            }
        };
        let image = texture.image;
        let found = self.build.value(Expression::ImageLoad {
            image,
            coordinate,
            array_index,
            sample: None,
            level: Some(level),
        });
        let words = texture.words_of_texel(self, found, texture.sampled_as);
        let (inside, zeros) = (self.build.splat(inside), self.build.uint4(0));
        let words = self.build.select(inside, words, zeros);
        self.write_resource_words(to, resource, words)
    }

    /// Whether a texel is one of a texture's.
    fn is_inside(
        &mut self,
        texture: &Texture,
        coordinate: ValueHandle,
        size: Option<VectorSize>,
        layer: Option<ValueHandle>,
        mip: ValueHandle,
    ) -> ValueHandle {
        let query = |stage: &mut Self, query| {
            let image = texture.image;
            stage.build.value(Expression::ImageQuery { image, query })
        };
        let mip = self.build.bits(mip, ScalarKind::Uint);
        let mips = query(self, ImageQuery::NumLevels);
        let has_mip = self.build.binary(BinaryOperator::Less, mip, mips);
        let zero = self.build.uint(0);
        let level = self.build.select(has_mip, mip, zero);
        let extent = query(self, ImageQuery::Size { level: Some(level) });
        let place = self.build.bits(coordinate, ScalarKind::Uint);
        let inside = self.build.binary(BinaryOperator::Less, place, extent);
        let inside = match size {
            None => inside,
            Some(_) => {
                let all = Expression::Relational { fun: naga::RelationalFunction::All, argument: inside };
                self.build.value(all)
            }
        };
        let inside = self.build.binary(BinaryOperator::LogicalAnd, inside, has_mip);
        match layer {
            None => inside,
            Some(layer) => {
                let layer = self.build.bits(layer, ScalarKind::Uint);
                let layers = query(self, ImageQuery::NumLayers);
                let has_layer = self.build.binary(BinaryOperator::Less, layer, layers);
                self.build.binary(BinaryOperator::LogicalAnd, inside, has_layer)
            }
        }
    }

    fn sizes(&mut self, instruction: &Instruction, all: &[Operand]) -> Result<(), TranslateError> {
        let [to, mip, resource] = operands(all)?;
        let texture = self.texture_of(resource)?;
        let mip = self.read_one(mip, Numbers::Uint)?;
        let query = |stage: &mut Self, query| {
            let image = texture.image;
            stage.build.value(Expression::ImageQuery { image, query })
        };
        let mips = query(self, ImageQuery::NumLevels);
        let has_mip = self.build.binary(BinaryOperator::Less, mip, mips);
        let zero = self.build.uint(0);
        let level = self.build.select(has_mip, mip, zero);
        let extent = query(self, ImageQuery::Size { level: Some(level) });
        let lanes = match texture.dimension {
            TextureDimension::D1 => 1,
            TextureDimension::D3 => 3,
            _ => 2,
        };
        let mut sizes: Vec<ValueHandle> = match lanes {
            1 => vec![extent],
            count => (0..count).map(|lane| self.build.part(extent, lane)).collect(),
        };
        let is_array = matches!(texture.dimension, TextureDimension::D2Array | TextureDimension::CubeArray);
        sizes = sizes.into_iter().map(|size| self.build.select(has_mip, size, zero)).collect();
        let spatial = sizes.len();
        if is_array {
            sizes.push(query(self, ImageQuery::NumLayers));
        }
        sizes.resize(3, zero);
        sizes.push(mips);
        let form = access_of(instruction).form;
        let words = match form {
            InfoForm::Uint => self.build.compose(self.types.uint4, sizes),
            _ => {
                let one = self.build.float(1.0);
                let mut floats = Vec::new();
                for (lane, size) in sizes.into_iter().enumerate() {
                    let float = self.build.convert(size, ScalarKind::Float);
                    let is_reciprocal = form == InfoForm::Reciprocal && lane < spatial;
                    floats.push(match is_reciprocal {
                        true => self.build.binary(BinaryOperator::Divide, one, float),
                        false => float,
                    });
                }
                let floats = self.build.compose(self.types.float4, floats);
                self.build.bits(floats, ScalarKind::Uint)
            }
        };
        self.write_resource_words(to, resource, words)
    }

    /// What a texture gives, as four lanes.
    pub(super) fn texel(&mut self, texture: &Texture, found: ValueHandle) -> ValueHandle {
        match texture.sampled_as {
            // Depth is a red without other colours.
            SampledAs::Depth => {
                let (zero, one) = (self.build.float(0.0), self.build.float(1.0));
                self.build.compose(self.types.float4, vec![found, zero, zero, one])
            }
            _ => found,
        }
    }

    /// Writes what a texture gave, its lanes in the order that the resource's operand says.
    fn write_texel(
        &mut self,
        to: &Operand,
        resource: &Operand,
        found: ValueHandle,
        instruction: &Instruction,
    ) -> Result<(), TranslateError> {
        if instruction.modifiers.saturate {
            let found = self.swizzled(resource, found);
            return self.write_float(to, found, true);
        }
        let words = self.build.bits(found, ScalarKind::Uint);
        self.write_resource_words(to, resource, words)
    }

    fn write_resource_words(
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

impl Texture {
    /// The words of what it gave.
    fn words_of_texel(&self, stage: &mut Stage<'_>, found: ValueHandle, sampled_as: SampledAs) -> ValueHandle {
        let found = match sampled_as {
            SampledAs::Depth => stage.texel(&Self { sampled_as, ..*self }, found),
            _ => found,
        };
        match sampled_as {
            SampledAs::Uint => found,
            _ => stage.build.bits(found, ScalarKind::Uint),
        }
    }
}

/// The slot that an operand names.
fn slot_of(operand: &Operand) -> Result<u32, Internal> {
    let lost = Internal::new("a texture or sampler has no slot");
    match &operand.value {
        OperandValue::Register(register) => Ok(register.first_index().ok_or(lost)?.base),
        _ => Err(lost),
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

/// How an instruction reads its resource.
fn access_of(instruction: &Instruction) -> ResourceAccess {
    match instruction.control {
        Control::Access(access) => access,
        _ => ResourceAccess::PLAIN,
    }
}
