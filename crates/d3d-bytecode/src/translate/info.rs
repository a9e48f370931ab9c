//! What a program asks about its resources: sizes, samples, and which mip is sampled.

use naga::{
    BinaryOperator, DerivativeAxis, DerivativeControl, Expression, ImageQuery, MathFunction, ScalarKind, VectorSize,
};

use super::arithmetic::operands;
use super::builder::ValueHandle;
use super::error::TranslateError;
use super::interface::TextureDimension;
use super::operand::Numbers;
use super::resources::{ResourceForm, access_of, slot_of};
use super::stage::{Stage, Texture};
use super::uses::named;
use crate::{InfoForm, Instruction, Opcode, Operand, RegisterKind, Stage as ShaderStage};
use trace_base::error::Internal;

impl Stage<'_> {
    /// Translates a question about a resource; `false` if it is none.
    pub(super) fn info_instruction(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        let all = self.program.operands(instruction);
        match instruction.opcode {
            Opcode::ResInfo => self.sizes(instruction, all)?,
            Opcode::SampleInfo => self.samples(instruction, all)?,
            Opcode::SamplePos => self.sample_position(all)?,
            Opcode::BufInfo => self.buffer_size(all)?,
            Opcode::Lod => self.level_of_detail(instruction, all)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn sizes(&mut self, instruction: &Instruction, all: &[Operand]) -> Result<(), TranslateError> {
        let [to, mip, resource] = operands(all)?;
        let slot = slot_of(resource)?;
        let (zero, one) = (self.build.uint(0), self.build.uint(1));
        let (image, dimension, has_mips, of_texture) = match (self.form_of(resource)?, named(resource)) {
            (ResourceForm::Texture(dimension, _), Some((RegisterKind::Uav, _))) => {
                let Some(texture) = self.stored_texture(slot, dimension)? else {
                    let zeros = self.build.uint4(0);
                    return self.write_words(to, zeros);
                };
                (texture.image, dimension, false, None)
            }
            (ResourceForm::Texture(dimension, read_as), _) => {
                let texture = self.sampled_texture(slot, dimension, read_as);
                let has_mips = dimension != TextureDimension::D2Multisampled;
                (texture.image, dimension, has_mips, Some(texture))
            }
            _ => return Err(self.unsupported("the size of a buffer as of a texture")),
        };
        let mip = self.read_one(mip, Numbers::Uint)?;
        let mips = match &of_texture {
            Some(texture) if has_mips => self.mip_count(texture),
            _ => one,
        };
        let has_mip = self.build.binary(BinaryOperator::Less, mip, mips);
        let level = self.build.select(has_mip, mip, zero);
        let extent = if has_mips { self.extent_of_mip(image, dimension, level) } else { self.extent(image) };
        let mut sizes: Vec<ValueHandle> = match dimension {
            TextureDimension::D1 => vec![extent],
            TextureDimension::D3 => (0..3).map(|lane| self.build.part(extent, lane)).collect(),
            _ if of_texture.is_some_and(|texture| texture.is_row) => vec![self.build.part(extent, 0)],
            _ => (0..2).map(|lane| self.build.part(extent, lane)).collect(),
        };
        sizes = sizes.into_iter().map(|size| self.build.select(has_mip, size, zero)).collect();
        let spatial = sizes.len();
        if dimension.layer_lane().is_some() {
            sizes.push(match &of_texture {
                Some(texture) => self.layer_count(texture),
                None => self.query(image, ImageQuery::NumLayers),
            });
        }
        sizes.resize(3, zero);
        sizes.push(mips);
        let words = self.answer(access_of(instruction).form, sizes, spatial);
        self.write_resource_words(to, resource, words)
    }

    /// How many texels a texture has on each axis.
    pub(super) fn extent(&mut self, image: ValueHandle) -> ValueHandle {
        self.query(image, ImageQuery::Size { level: None })
    }

    /// The same of a mip that there is. It follows from the largest one's, which drivers are asked for: lavapipe takes the
    /// mip of one thread for those of all that it runs together.
    pub(super) fn extent_of_mip(
        &mut self,
        image: ValueHandle,
        dimension: TextureDimension,
        mip: ValueHandle,
    ) -> ValueHandle {
        let (largest, one) = (self.extent(image), self.build.uint(1));
        let lanes = match dimension {
            TextureDimension::D1 => None,
            TextureDimension::D3 => Some(VectorSize::Tri),
            _ => Some(VectorSize::Bi),
        };
        let [mip, one] = [mip, one].map(|value| lanes.map_or(value, |size| self.build.splat_to(size, value)));
        let halved = self.build.binary(BinaryOperator::ShiftRight, largest, mip);
        self.build.math2(MathFunction::Max, halved, one)
    }

    /// Four numbers in the form that is asked for, the first of which are sizes.
    fn answer(&mut self, form: InfoForm, numbers: Vec<ValueHandle>, sizes: usize) -> ValueHandle {
        if form == InfoForm::Uint {
            return self.build.compose(self.types.uint4, numbers);
        }
        let one = self.build.float(1.0);
        let mut floats = Vec::new();
        for (lane, size) in numbers.into_iter().enumerate() {
            let float = self.build.convert(size, ScalarKind::Float);
            floats.push(match form == InfoForm::Reciprocal && lane < sizes {
                true => self.build.binary(BinaryOperator::Divide, one, float),
                false => float,
            });
        }
        let floats = self.build.compose(self.types.float4, floats);
        self.build.bits(floats, ScalarKind::Uint)
    }

    /// How many samples a texture or the targets have.
    fn samples(&mut self, instruction: &Instruction, all: &[Operand]) -> Result<(), TranslateError> {
        let [to, resource] = operands(all)?;
        let (zero, one) = (self.build.uint(0), self.build.uint(1));
        let count = match resource.kind() {
            // Targets have one.
            Some(RegisterKind::Rasterizer) => one,
            _ => {
                let texture = self.texture_of(resource)?;
                match texture.dimension {
                    TextureDimension::D2Multisampled => self.query(texture.image, ImageQuery::NumSamples),
                    _ => one,
                }
            }
        };
        let words = self.answer(access_of(instruction).form, vec![count, zero, zero, zero], 0);
        self.write_resource_words(to, resource, words)
    }

    /// Where a sample lies in its pixel, from its middle: targets and textures have one sample, there.
    fn sample_position(&mut self, all: &[Operand]) -> Result<(), TranslateError> {
        let [to, resource, _] = operands(all)?;
        let zeros = self.build.uint4(0);
        self.write_resource_words(to, resource, zeros)
    }

    /// How many bytes a buffer has, or how many structures or elements.
    fn buffer_size(&mut self, all: &[Operand]) -> Result<(), TranslateError> {
        let [to, resource] = operands(all)?;
        let key = named(resource).ok_or(Internal::new("a resource has no slot"))?;
        let count = match self.form_of(resource)? {
            ResourceForm::Raw => self.memory(key, None)?.size_bytes,
            ResourceForm::Structured { stride_bytes } => {
                let memory = self.memory(key, Some(stride_bytes))?;
                memory.count
            }
            ResourceForm::TypedBuffer(read_as) => match self.element_format(key.0, key.1) {
                None => self.build.uint(0),
                Some(format) => {
                    let form = self.element_form(format, read_as)?;
                    self.typed_memory(key, form).count
                }
            },
            ResourceForm::Texture(..) => return Err(self.unsupported("the size of a texture as of a buffer")),
        };
        let words = self.build.splat(count);
        self.write_resource_words(to, resource, words)
    }

    /// Which mip would be sampled: within those there are, and as computed.
    fn level_of_detail(&mut self, instruction: &Instruction, all: &[Operand]) -> Result<(), TranslateError> {
        let [to, at, resource, _] = operands(all)?;
        let texture = self.texture_of(resource)?;
        let is_cube = matches!(texture.dimension, TextureDimension::Cube | TextureDimension::CubeArray);
        if self.program.version().stage != ShaderStage::Pixel || is_cube {
            return Err(self.not_translated(instruction));
        }
        let at = self.read(at, Numbers::Float)?;
        let (coordinate, _) = self.coordinate(&texture, at);
        let x = self.texels_between(&texture, coordinate, DerivativeAxis::X);
        let y = self.texels_between(&texture, coordinate, DerivativeAxis::Y);
        let longest = self.build.math2(MathFunction::Max, x, y);
        // The square's logarithm is twice the length's.
        let twice = self.build.math(MathFunction::Log2, longest);
        let half = self.build.float(0.5);
        let level = self.build.binary(BinaryOperator::Multiply, twice, half);
        let (zero, one) = (self.build.float(0.0), self.build.uint(1));
        let mips = self.mip_count(&texture);
        let last = self.build.binary(BinaryOperator::Subtract, mips, one);
        let last = self.build.convert(last, ScalarKind::Float);
        let clamped = self.build.math2(MathFunction::Max, level, zero);
        let clamped = self.build.math2(MathFunction::Min, clamped, last);
        let found = self.build.compose(self.types.float4, vec![clamped, level, zero, zero]);
        let words = self.build.bits(found, ScalarKind::Uint);
        self.write_resource_words(to, resource, words)
    }

    /// The square of how many texels lie between a pixel's coordinate and its neighbour's.
    fn texels_between(&mut self, texture: &Texture, coordinate: ValueHandle, axis: DerivativeAxis) -> ValueHandle {
        let size = self.extent(texture.image);
        let size = self.build.convert(size, ScalarKind::Float);
        let ctrl = DerivativeControl::None;
        let change = self.build.value(Expression::Derivative { axis, ctrl, expr: coordinate });
        let texels = self.build.binary(BinaryOperator::Multiply, change, size);
        match texture.dimension.lanes() {
            None => self.build.binary(BinaryOperator::Multiply, texels, texels),
            Some(_) => self.build.math2(MathFunction::Dot, texels, texels),
        }
    }
}
