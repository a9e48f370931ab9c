//! What `t#` and `u#` are.

use naga::StorageFormat;

use super::error::TranslateError;
use super::interface::{SampledAs, StorageAccess, TextureDimension, TextureShapes};
use super::stage::{Stage, StoredTexture, Texture};
use super::uses::named;
use crate::{
    Control, Declaration, DeclarationKind, Instruction, Operand, RegisterKind, ResourceAccess, ResourceDimension,
    ResourceShape, ReturnType,
};
use trace_base::error::Internal;

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResourceForm {
    /// A texture, and what its texels are read as.
    Texture(TextureDimension, ReturnType),
    /// Elements of a format that the declaration does not say.
    TypedBuffer(ReturnType),
    /// Bytes.
    Raw,
    /// Structures.
    Structured { stride_bytes: u32 },
}

impl Stage<'_> {
    /// What the resource is that an operand names: `t#` or `u#`.
    pub(super) fn form_of(&self, operand: &Operand) -> Result<ResourceForm, TranslateError> {
        let (kind, slot) = named(operand).ok_or(Internal::new("a resource has no slot"))?;
        let shape = self.declarations(kind, slot).find_map(|declaration| match declaration.kind {
            DeclarationKind::Resource { shape, .. } => Some(shape),
            _ => None,
        });
        let (dimension, return_type) = match shape {
            Some(ResourceShape::Typed { dimension, return_types: [first, ..], .. }) => (dimension, first),
            Some(ResourceShape::Raw) => return Ok(ResourceForm::Raw),
            Some(ResourceShape::Structured { stride_bytes }) => return Ok(ResourceForm::Structured { stride_bytes }),
            // The emulator's encoding reads what it does not declare.
            None if kind == RegisterKind::Resource && self.is_of_emulator() => {
                (ResourceDimension::Texture2D, ReturnType::Float)
            }
            None if self.is_of_emulator() => return Ok(ResourceForm::Raw),
            None => return Err(self.unsupported(format!("{}{slot}, which is not declared,", kind.name()))),
        };
        let dimension = match self.resources.shapes {
            TextureShapes::AsDeclared => dimension,
            TextureShapes::TwoDimensional => of_two_dimensions(dimension),
        };
        Ok(match dimension {
            ResourceDimension::Buffer => ResourceForm::TypedBuffer(return_type),
            ResourceDimension::RawBuffer => ResourceForm::Raw,
            ResourceDimension::Texture1D => ResourceForm::Texture(TextureDimension::D1, return_type),
            ResourceDimension::Texture2D => ResourceForm::Texture(TextureDimension::D2, return_type),
            ResourceDimension::Texture2DMs => ResourceForm::Texture(TextureDimension::D2Multisampled, return_type),
            ResourceDimension::Texture2DArray => ResourceForm::Texture(TextureDimension::D2Array, return_type),
            ResourceDimension::Texture3D => ResourceForm::Texture(TextureDimension::D3, return_type),
            ResourceDimension::TextureCube => ResourceForm::Texture(TextureDimension::Cube, return_type),
            ResourceDimension::TextureCubeArray => ResourceForm::Texture(TextureDimension::CubeArray, return_type),
            other => return Err(self.unsupported(format!("a resource of the kind {}", other.name()))),
        })
    }

    /// The texture that an operand names, to sample or load from.
    pub(super) fn texture_of(&mut self, operand: &Operand) -> Result<Texture, TranslateError> {
        let slot = slot_of(operand)?;
        match self.form_of(operand)? {
            ResourceForm::Texture(dimension, return_type) => Ok(self.sampled_texture(slot, dimension, return_type)),
            _ => Err(self.unsupported("a buffer that is read as a texture")),
        }
    }

    /// A texture of `t#`: of depth, if that is bound or anything compares it.
    pub(super) fn sampled_texture(&mut self, slot: u32, dimension: TextureDimension, read_as: ReturnType) -> Texture {
        let is_depth = self.resources.depth_textures.contains(slot) || self.compares(slot);
        let is_loaded_depth = is_depth && self.loads_depth(slot, dimension);
        let sampled_as = match read_as {
            ReturnType::Sint => SampledAs::Sint,
            ReturnType::Uint => SampledAs::Uint,
            _ if is_loaded_depth => SampledAs::UnfilterableFloat,
            _ if is_depth
                && !self.resources.loads_depth
                && dimension != TextureDimension::D3
                && dimension != TextureDimension::D1 =>
            {
                SampledAs::Depth
            }
            _ if dimension == TextureDimension::D2Multisampled => SampledAs::UnfilterableFloat,
            _ => SampledAs::Float,
        };
        let is_loaded_depth = is_loaded_depth && sampled_as == SampledAs::UnfilterableFloat;
        Texture { is_row: self.is_row(slot), is_loaded_depth, ..self.texture(slot, dimension, sampled_as) }
    }

    /// Whether anything compares the texels of a slot with a reference. Streams have no samplers that compare.
    fn compares(&self, slot: u32) -> bool {
        self.resources.shapes == TextureShapes::AsDeclared && self.uses.compared.contains(slot)
    }

    /// Whether a shader takes a texture of two dimensions in this slot for one of a single dimension.
    fn is_row(&self, slot: u32) -> bool {
        let is_of_one_dimension = |declaration: &Declaration| {
            let DeclarationKind::Resource { shape: ResourceShape::Typed { dimension, .. }, .. } = declaration.kind
            else {
                return false;
            };
            matches!(dimension, ResourceDimension::Texture1D | ResourceDimension::Texture1DArray)
        };
        self.resources.shapes == TextureShapes::TwoDimensional
            && self.declarations(RegisterKind::Resource, slot).any(is_of_one_dimension)
    }

    /// A texture of `u#`; none where nothing is bound.
    pub(super) fn stored_texture(
        &mut self,
        slot: u32,
        dimension: TextureDimension,
    ) -> Result<Option<StoredTexture>, TranslateError> {
        let Some(format) = self.resources.typed_uavs.get(&slot).copied() else { return Ok(None) };
        if matches!(dimension, TextureDimension::Cube | TextureDimension::CubeArray | TextureDimension::D2Multisampled)
        {
            return Err(self.unsupported("a cube or texture of several samples that is written"));
        }
        let is_atomic = self.uses.atomic.contains(&(RegisterKind::Uav, slot));
        let access = match (is_atomic, self.uses.read.contains(slot), self.uses.written.contains(slot)) {
            (true, ..) => StorageAccess::Atomic,
            (false, true, true) => StorageAccess::ReadWrite,
            (false, true, false) => StorageAccess::Read,
            (false, false, _) => StorageAccess::Write,
        };
        Ok(Some(self.storage_texture(slot, dimension, format, access)))
    }

    /// The format of the elements of a typed buffer; none where nothing is bound.
    pub(super) fn element_format(&self, kind: RegisterKind, slot: u32) -> Option<StorageFormat> {
        match kind {
            RegisterKind::Uav => self.resources.typed_uavs.get(&slot).copied(),
            _ => self.resources.typed_buffers.get(&slot).copied(),
        }
    }
}

/// The dimension that textures of two dimensions and one sample have where a shader declares another one.
const fn of_two_dimensions(declared: ResourceDimension) -> ResourceDimension {
    match declared {
        ResourceDimension::Texture1D | ResourceDimension::Texture2DMs => ResourceDimension::Texture2D,
        ResourceDimension::Texture1DArray | ResourceDimension::Texture2DMsArray => ResourceDimension::Texture2DArray,
        other => other,
    }
}

/// The slot that an operand names.
pub(super) fn slot_of(operand: &Operand) -> Result<u32, Internal> {
    named(operand).map(|(_, slot)| slot).ok_or(Internal::new("a texture or sampler has no slot"))
}

/// How an instruction reads its resource.
pub(super) fn access_of(instruction: &Instruction) -> ResourceAccess {
    match instruction.control {
        Control::Access(access) => access,
        _ => ResourceAccess::PLAIN,
    }
}
