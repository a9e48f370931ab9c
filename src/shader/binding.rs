//! The resources a shader uses. The command ABI binds none, so each gets the fallback value of its kind.

use std::fmt;

use naga::{AddressSpace, ImageClass, ImageDimension, ScalarKind, StorageAccess, TypeInner};

/// A resource that a stage uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Bind group.
    pub group: u32,
    /// Number within the group.
    pub binding: u32,
    /// Its name in the text, where it has one.
    pub name: Option<String>,
    /// What it is.
    pub kind: BindingKind,
}

/// What a resource is, as far as its fallback value needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// A uniform buffer of this many bytes; zeros.
    Uniform {
        /// Its size.
        size_bytes: u32,
    },
    /// A storage buffer of at least this many bytes; zeros.
    Storage {
        /// Its size, with one element in a runtime-sized array.
        size_bytes: u32,
    },
    /// A texture; one texel of (0, 0, 0, 1).
    Texture {
        /// Its dimension.
        dimension: ImageDimension,
        /// Whether it has layers.
        arrayed: bool,
        /// Kind of its texels; `None` for depth.
        kind: Option<ScalarKind>,
    },
    /// A sampler; nearest, clamped.
    Sampler {
        /// Whether it compares.
        comparison: bool,
    },
    /// A uniform buffer of 16 bytes that GLSL needs for its lower left origin: the target's width and height as floats.
    TargetSize,
    /// Something that has no fallback value.
    Unsupported(&'static str),
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            BindingKind::Uniform { .. } | BindingKind::TargetSize => "uniform buffer",
            BindingKind::Storage { .. } => "storage buffer",
            BindingKind::Texture { .. } => "texture",
            BindingKind::Sampler { .. } => "sampler",
            BindingKind::Unsupported(what) => what,
        };
        let name = self.name.as_deref().unwrap_or("_");
        write!(f, "{what} {name} at @group({}) @binding({})", self.group, self.binding)
    }
}

impl BindingKind {
    /// The kind of a global variable.
    pub(super) fn of(module: &naga::Module, global: &naga::GlobalVariable) -> Self {
        let Ok(ty) = module.types.get_handle(global.ty) else { return Self::Unsupported("untyped resource") };
        let size_bytes = ty.inner.size(module.to_ctx());
        match (global.space, &ty.inner) {
            (AddressSpace::Uniform, TypeInner::BindingArray { .. }) => Self::Unsupported("binding array"),
            (AddressSpace::Uniform, _) => Self::Uniform { size_bytes },
            (AddressSpace::Storage { .. }, TypeInner::BindingArray { .. }) => Self::Unsupported("binding array"),
            // What is written there would be read by later draws: pictures would depend on what was drawn before.
            (AddressSpace::Storage { access }, _) if access.contains(StorageAccess::STORE) => {
                Self::Unsupported("writable storage buffer")
            }
            (AddressSpace::Storage { .. }, _) => Self::Storage { size_bytes },
            (AddressSpace::Handle, TypeInner::Sampler { comparison }) => Self::Sampler { comparison: *comparison },
            (AddressSpace::Handle, TypeInner::Image { dim, arrayed, class }) => match class {
                ImageClass::Sampled { kind, multi: false } => {
                    Self::Texture { dimension: *dim, arrayed: *arrayed, kind: Some(*kind) }
                }
                ImageClass::Depth { multi: false } => Self::Texture { dimension: *dim, arrayed: *arrayed, kind: None },
                ImageClass::Sampled { .. } | ImageClass::Depth { .. } => Self::Unsupported("multisampled texture"),
                ImageClass::Storage { .. } => Self::Unsupported("storage texture"),
                ImageClass::External => Self::Unsupported("external texture"),
            },
            (AddressSpace::Immediate, _) => Self::Unsupported("immediate data"),
            _ => Self::Unsupported("resource of an unknown kind"),
        }
    }
}
