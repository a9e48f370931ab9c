//! What commands call the objects that they name.

use std::fmt;

use serde::{Serialize, Serializer};

/// What an id is unique among. Objects of different spaces have nothing to do with each other, equal numbers or not.
///
/// As wide as a number, so that ids and commands are moved word by word: they are, once per draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum IdSpace {
    /// Buffers are numbered for themselves, and so are shaders and pipelines.
    PerKind,
    /// Direct3D objects by their handles: one namespace for buffers, textures and views, and one each for shaders, layouts
    /// and samplers.
    Handles,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $of_kind:literal, $handle:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name {
            /// The number that the stream gives it.
            pub number: u32,
            /// What the number is unique among.
            pub space: IdSpace,
        }

        impl $name {
            /// An object that is numbered among its kind.
            pub const fn of_kind(number: u32) -> Self {
                Self { number, space: IdSpace::PerKind }
            }

            /// A Direct3D object.
            pub const fn handle(number: u32) -> Self {
                Self { number, space: IdSpace::Handles }
            }

            /// A Direct3D object; handle 0 means none.
            pub const fn bound(number: u32) -> Option<Self> {
                if number == 0 { None } else { Some(Self::handle(number)) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let noun = match self.space {
                    IdSpace::PerKind => $of_kind,
                    IdSpace::Handles => $handle,
                };
                write!(f, "{noun} {}", self.number)
            }
        }

        /// The number alone.
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u32(self.number)
            }
        }
    )*};
}

ids! {
    /// The guest's name for a buffer, a texture or a view of one.
    ResourceId, "buffer", "resource";
    /// The guest's name for a shader.
    ShaderId, "shader", "shader";
    /// The guest's name for two shaders joined.
    PipelineId, "pipeline", "pipeline";
    /// The guest's name for a layout of vertices.
    LayoutId, "layout", "layout";
    /// The guest's name for a sampler.
    SamplerId, "sampler", "sampler";
}
