//! The types of a module, each once.

use naga::{ArraySize, Handle, ImageClass, ImageDimension, Scalar, Span, Type, TypeInner, VectorSize};

/// Adds types to a module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types {
    pub uint: Handle<Type>,
    pub uint4: Handle<Type>,
    pub int: Handle<Type>,
    pub int4: Handle<Type>,
    pub float: Handle<Type>,
    pub float2: Handle<Type>,
    pub float4: Handle<Type>,
    pub bool: Handle<Type>,
    pub sampler: Handle<Type>,
    pub comparison_sampler: Handle<Type>,
}

fn add(module: &mut naga::Module, inner: TypeInner) -> Handle<Type> {
    module.types.insert(Type { name: None, inner }, Span::UNDEFINED)
}

impl Types {
    pub(super) fn new(module: &mut naga::Module) -> Self {
        let mut scalar = |scalar| add(module, TypeInner::Scalar(scalar));
        let (uint, int) = (scalar(Scalar::U32), scalar(Scalar::I32));
        let (float, bool) = (scalar(Scalar::F32), scalar(Scalar::BOOL));
        let mut vector = |size, scalar| add(module, TypeInner::Vector { size, scalar });
        Self {
            uint,
            int,
            float,
            bool,
            uint4: vector(VectorSize::Quad, Scalar::U32),
            int4: vector(VectorSize::Quad, Scalar::I32),
            float2: vector(VectorSize::Bi, Scalar::F32),
            float4: vector(VectorSize::Quad, Scalar::F32),
            sampler: add(module, TypeInner::Sampler { comparison: false }),
            comparison_sampler: add(module, TypeInner::Sampler { comparison: true }),
        }
    }

    /// A vector of `size` lanes.
    pub(super) fn vector(module: &mut naga::Module, size: VectorSize, scalar: Scalar) -> Handle<Type> {
        add(module, TypeInner::Vector { size, scalar })
    }

    /// `count` registers of four words.
    pub(super) fn registers(&self, module: &mut naga::Module, count: u32) -> Handle<Type> {
        let count = std::num::NonZeroU32::new(count).unwrap_or(std::num::NonZeroU32::MIN);
        add(module, TypeInner::Array { base: self.uint4, size: ArraySize::Constant(count), stride: 16 })
    }

    /// A texture.
    pub(super) fn image(
        module: &mut naga::Module,
        dim: ImageDimension,
        arrayed: bool,
        class: ImageClass,
    ) -> Handle<Type> {
        add(module, TypeInner::Image { dim, arrayed, class })
    }
}
