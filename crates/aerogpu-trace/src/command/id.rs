//! What commands call the objects that they name.

use std::fmt;

#[cfg(feature = "reader")]
use serde::{Serialize, Serializer};

/// What an id is unique among. Objects of different spaces have nothing to do with each other, equal numbers or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdSpace {
    /// Buffers are numbered for themselves, and so are shaders and pipelines.
    PerKind,
    /// Direct3D objects by their handles: one namespace for buffers, textures and views, and one each for shaders, layouts
    /// and samplers.
    Handles,
}

/// Set in ids that are handles.
const HANDLE: u64 = 1 << 32;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $of_kind:literal, $handle:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// One word: what is written in halves and read whole holds up every draw.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $name {
            /// An object that is numbered among its kind.
            #[inline]
            pub const fn of_kind(number: u32) -> Self {
                Self(number as u64)
            }

            /// A Direct3D object.
            #[inline]
            pub const fn handle(number: u32) -> Self {
                Self(HANDLE | number as u64)
            }

            /// The number that the stream gives it.
            #[inline]
            pub const fn number(self) -> u32 {
                self.0 as u32
            }

            /// What the number is unique among.
            #[inline]
            pub const fn space(self) -> IdSpace {
                if self.0 & HANDLE == 0 { IdSpace::PerKind } else { IdSpace::Handles }
            }

            /// A Direct3D object; handle 0 means none.
            pub const fn bound(number: u32) -> Option<Self> {
                if number == 0 { None } else { Some(Self::handle(number)) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let noun = match self.space() {
                    IdSpace::PerKind => $of_kind,
                    IdSpace::Handles => $handle,
                };
                write!(f, "{noun} {}", self.number())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{self} of {}", match self.space() {
                    IdSpace::PerKind => "its kind",
                    IdSpace::Handles => "all handles",
                })
            }
        }

        /// The number alone.
        #[cfg(feature = "reader")]
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u32(self.number())
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
