//! Single texels: loading and storing. What lies outside of a texture is read as zeros, and nothing is written there.

use naga::{BinaryOperator, Expression, ImageQuery, ScalarKind, Statement};

use super::arithmetic::operands;
use super::builder::ValueHandle;
use super::error::TranslateError;
use super::interface::{SampledAs, TextureDimension};
use super::operand::Numbers;
use super::resources::{ResourceForm, access_of, slot_of};
use super::stage::{Stage, StoredTexture, Texture};
use super::uses::named;
use crate::{Instruction, Lane, Opcode, Operand, RegisterKind, ReturnType};
use trace_base::error::Internal;

/// A texel of a texture.
pub(super) struct Place {
    pub coordinate: ValueHandle,
    pub layer: Option<ValueHandle>,
    /// Whether it is one of the texture's.
    pub is_inside: ValueHandle,
}

/// What tells the texels of a texture apart beside where they lie.
#[derive(Clone, Copy)]
enum Which {
    Mip {
        level: ValueHandle,
        /// Number of mips of the texture.
        count: ValueHandle,
    },
    Sample(ValueHandle),
    /// There is one of each.
    Only,
}

impl Stage<'_> {
    /// Translates an instruction that takes a texture's texels one by one, or a typed buffer's elements; `false` if it is
    /// none.
    pub(super) fn texel_instruction(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        let all = self.program.operands(instruction);
        match instruction.opcode {
            Opcode::Ld | Opcode::LdMs => self.load_texel(instruction, all)?,
            Opcode::LdUavTyped => self.load_stored(all)?,
            Opcode::StoreUavTyped => self.store_texel(all)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn load_texel(&mut self, instruction: &Instruction, all: &[Operand]) -> Result<(), TranslateError> {
        let [to, at, resource] = operands(all)?;
        let (dimension, read_as) = match self.form_of(resource)? {
            ResourceForm::Texture(dimension, read_as) => (dimension, read_as),
            ResourceForm::TypedBuffer(read_as) => return self.load_element(to, at, resource, read_as),
            _ => return Err(self.unsupported("a buffer without a type that is read by its elements")),
        };
        if matches!(dimension, TextureDimension::Cube | TextureDimension::CubeArray) {
            return Err(self.not_translated(instruction));
        }
        let texture = self.sampled_texture(slot_of(resource)?, dimension, read_as);
        let given = self.read(at, Numbers::Sint)?;
        let has_samples = dimension == TextureDimension::D2Multisampled;
        let which = match (all.get(3), dimension) {
            // Where textures have one sample, it is the texel.
            _ if instruction.opcode == Opcode::LdMs && !has_samples => {
                let level = self.build.int(0);
                self.counted_mip(&texture, level)
            }
            (Some(sample), TextureDimension::D2Multisampled) => Which::Sample(self.read_one(sample, Numbers::Sint)?),
            (None, TextureDimension::D2Multisampled) => return Err(self.not_translated(instruction)),
            (Some(level), _) => {
                let level = self.read_one(level, Numbers::Sint)?;
                self.counted_mip(&texture, level)
            }
            // The emulator's encoding has the mip behind the coordinate, Microsoft's in the last lane.
            (None, _) => {
                let level = self.build.part(given, if self.is_of_emulator() { 2 } else { 3 });
                self.counted_mip(&texture, level)
            }
        };
        let at = match access_of(instruction).offsets {
            [0, 0, 0] => given,
            [u, v, w] => {
                // Layers are not moved.
                let w = if dimension == TextureDimension::D3 { w } else { 0 };
                let lanes = [u, v, w, 0].map(|lane| self.build.int(i32::from(lane))).to_vec();
                let offset = self.build.compose(self.types.int4, lanes);
                self.build.binary(BinaryOperator::Add, given, offset)
            }
        };
        let at = match texture.is_row {
            false => at,
            true => {
                let [x, layer, w] = [0, 1, 3].map(|lane| self.build.part(at, lane));
                let first_row = self.build.int(0);
                self.build.compose(self.types.int4, vec![x, first_row, layer, w])
            }
        };
        let layers = dimension.layer_lane().map(|_| self.layer_count(&texture));
        let place = self.place_in((texture.image, layers), dimension, at, which);
        let layer = self.stored_layer(&texture, place.layer);
        let zero = self.build.int(0);
        let (sample, level) = match which {
            Which::Mip { level, .. } => (None, Some(self.build.select(place.is_inside, level, zero))),
            Which::Sample(sample) => (Some(self.build.select(place.is_inside, sample, zero)), None),
            Which::Only => (None, None),
        };
        let found = self.build.value(Expression::ImageLoad {
            image: texture.image,
            coordinate: place.coordinate,
            array_index: layer,
            sample,
            level,
        });
        let words = self.words_of_texel(&texture, found);
        let words = self.words_inside(place.is_inside, words);
        self.write_resource_words(to, resource, words)
    }

    /// Loads a texel of a texture that may be written, or an element of such a buffer.
    fn load_stored(&mut self, all: &[Operand]) -> Result<(), TranslateError> {
        let [to, at, resource] = operands(all)?;
        let dimension = match self.form_of(resource)? {
            ResourceForm::Texture(dimension, _) => dimension,
            ResourceForm::TypedBuffer(read_as) => return self.load_element(to, at, resource, read_as),
            _ => return Err(self.unsupported("a buffer without a type that is read by its elements")),
        };
        let Some(texture) = self.stored_texture(slot_of(resource)?, dimension)? else {
            let zeros = self.build.uint4(0);
            return self.write_words(to, zeros);
        };
        let at = self.read(at, Numbers::Sint)?;
        let place = self.stored_place(&texture, at);
        let found = self.build.value(Expression::ImageLoad {
            image: texture.image,
            coordinate: place.coordinate,
            array_index: place.layer,
            sample: None,
            level: None,
        });
        let words = self.build.bits(found, ScalarKind::Uint);
        let words = self.words_inside(place.is_inside, words);
        self.write_resource_words(to, resource, words)
    }

    fn counted_mip(&mut self, texture: &Texture, level: ValueHandle) -> Which {
        Which::Mip { level, count: self.mip_count(texture) }
    }

    fn store_texel(&mut self, all: &[Operand]) -> Result<(), TranslateError> {
        let [resource, at, from] = operands(all)?;
        let dimension = match self.form_of(resource)? {
            ResourceForm::Texture(dimension, _) => dimension,
            ResourceForm::TypedBuffer(read_as) => return self.store_element(resource, at, from, read_as),
            _ => return Err(self.unsupported("a buffer without a type that is written by its elements")),
        };
        let Some(texture) = self.stored_texture(slot_of(resource)?, dimension)? else { return Ok(()) };
        let at = self.read(at, Numbers::Sint)?;
        let place = self.stored_place(&texture, at);
        let words = self.read(from, Numbers::Float)?;
        let value = match texture.numbers() {
            ScalarKind::Float => words,
            kind => self.build.bits(words, kind),
        };
        self.build.open();
        self.build.push(Statement::ImageStore {
            image: texture.image,
            coordinate: place.coordinate,
            array_index: place.layer,
            value,
        });
        self.build.close_if(place.is_inside);
        Ok(())
    }

    /// Where a texel of a texture that may be written lies.
    pub(super) fn stored_place(&mut self, texture: &StoredTexture, at: ValueHandle) -> Place {
        let layers = texture.dimension.layer_lane().map(|_| self.query(texture.image, ImageQuery::NumLayers));
        self.place_in((texture.image, layers), texture.dimension, at, Which::Only)
    }

    /// Where a texel lies; what is outside is the first.
    fn place_in(
        &mut self,
        (image, layers): (ValueHandle, Option<ValueHandle>),
        dimension: TextureDimension,
        at: ValueHandle,
        which: Which,
    ) -> Place {
        let size = dimension.lanes();
        let coordinate = match size {
            None => self.build.part(at, 0),
            Some(size) => self.build.swizzle_to(size, at, Lane::ALL),
        };
        let layer = dimension.layer_lane().map(|lane| self.build.part(at, lane));
        let is_inside = self.is_inside((image, dimension), coordinate, layer.zip(layers), which);
        let zero = self.build.int(0);
        let layer = layer.map(|layer| self.build.select(is_inside, layer, zero));
        let coordinate = match size {
            None => self.build.select(is_inside, coordinate, zero),
            Some(size) => {
                let (inside, zeros) = (self.build.splat_to(size, is_inside), self.build.splat_to(size, zero));
                self.build.select(inside, coordinate, zeros)
            }
        };
        Place { coordinate, layer, is_inside }
    }

    /// Whether a texel is one of a texture's; of its layer, which one and how many there are.
    fn is_inside(
        &mut self,
        (image, dimension): (ValueHandle, TextureDimension),
        coordinate: ValueHandle,
        layer: Option<(ValueHandle, ValueHandle)>,
        which: Which,
    ) -> ValueHandle {
        let place = self.build.bits(coordinate, ScalarKind::Uint);
        let (extent, mut conditions) = match which {
            Which::Mip { level, count } => {
                let mip = self.build.bits(level, ScalarKind::Uint);
                let has_mip = self.build.binary(BinaryOperator::Less, mip, count);
                let zero = self.build.uint(0);
                let level = self.build.select(has_mip, mip, zero);
                (self.extent_of_mip(image, dimension, level), vec![has_mip])
            }
            Which::Sample(sample) => {
                let sample = self.build.bits(sample, ScalarKind::Uint);
                let samples = self.query(image, ImageQuery::NumSamples);
                let has_sample = self.build.binary(BinaryOperator::Less, sample, samples);
                (self.extent(image), vec![has_sample])
            }
            Which::Only => (self.extent(image), Vec::new()),
        };
        let inside = self.build.binary(BinaryOperator::Less, place, extent);
        conditions.push(match dimension.lanes() {
            None => inside,
            Some(_) => {
                let all = Expression::Relational { fun: naga::RelationalFunction::All, argument: inside };
                self.build.value(all)
            }
        });
        if let Some((layer, layers)) = layer {
            let layer = self.build.bits(layer, ScalarKind::Uint);
            conditions.push(self.build.binary(BinaryOperator::Less, layer, layers));
        }
        self.all_of(conditions)
    }

    /// Whether all conditions hold.
    fn all_of(&mut self, conditions: Vec<ValueHandle>) -> ValueHandle {
        let mut conditions = conditions.into_iter();
        let first = conditions.next();
        let first = first.unwrap_or_else(|| self.build.value(Expression::Literal(naga::Literal::Bool(true))));
        conditions.fold(first, |all, next| self.build.binary(BinaryOperator::LogicalAnd, all, next))
    }

    /// Words where a condition holds, else zeros.
    pub(super) fn words_inside(&mut self, is_inside: ValueHandle, words: ValueHandle) -> ValueHandle {
        let (inside, zeros) = (self.build.splat(is_inside), self.build.uint4(0));
        self.build.select(inside, words, zeros)
    }

    /// The words of what a texture gave.
    fn words_of_texel(&mut self, texture: &Texture, found: ValueHandle) -> ValueHandle {
        let found = self.texel(texture, found);
        match texture.sampled_as {
            SampledAs::Uint => found,
            _ => self.build.bits(found, ScalarKind::Uint),
        }
    }

    /// Loads an element of a typed buffer, `t#` or `u#`.
    fn load_element(
        &mut self,
        to: &Operand,
        at: &Operand,
        resource: &Operand,
        read_as: ReturnType,
    ) -> Result<(), TranslateError> {
        let (kind, slot) = named(resource).ok_or(Internal::new("a resource has no slot"))?;
        let words = match self.element_format(kind, slot) {
            None => self.build.uint4(0),
            Some(format) => {
                let at = self.read_one(at, Numbers::Uint)?;
                let form = self.element_form(format, read_as)?;
                let memory = self.typed_memory((kind, slot), form);
                self.element_words(&memory, form, at)
            }
        };
        self.write_resource_words(to, resource, words)
    }

    /// Stores an element of a typed buffer.
    fn store_element(
        &mut self,
        resource: &Operand,
        at: &Operand,
        from: &Operand,
        read_as: ReturnType,
    ) -> Result<(), TranslateError> {
        let slot = slot_of(resource)?;
        let Some(format) = self.element_format(RegisterKind::Uav, slot) else { return Ok(()) };
        let form = self.element_form(format, read_as)?;
        let at = self.read_one(at, Numbers::Uint)?;
        let words = self.read(from, Numbers::Uint)?;
        let memory = self.typed_memory((RegisterKind::Uav, slot), form);
        self.store_element_words(&memory, form, at, words);
        Ok(())
    }
}
