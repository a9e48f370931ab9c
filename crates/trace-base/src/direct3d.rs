//! Names that Direct3D gives to values of fixed state, as far as commands and bytecode share them.
//!
//! ```
//! use trace_base::direct3d::Comparison;
//!
//! assert_eq!(Comparison::LessEqual.to_string(), "LESS_EQUAL");
//! ```

/// Makes an enumeration whose values have the names that Direct3D gives them.
#[macro_export]
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the names are Direct3D's")]
        pub enum $name {
            $($(#[$value_doc])* $value,)*
        }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$value),*];

            /// The name that Direct3D gives it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub use crate::named;

named! {
    /// When a test passes.
    Comparison {
        Never = "NEVER",
        Less = "LESS",
        Equal = "EQUAL",
        LessEqual = "LESS_EQUAL",
        Greater = "GREATER",
        NotEqual = "NOT_EQUAL",
        GreaterEqual = "GREATER_EQUAL",
        Always = "ALWAYS",
    }
}

named! {
    /// A texture's values between its texels: those of the nearest, or joined.
    Filter {
        Nearest = "NEAREST",
        Linear = "LINEAR",
    }
}

named! {
    /// The rule for coordinates outside of a texture.
    AddressMode {
        ClampToEdge = "CLAMP_TO_EDGE",
        Repeat = "REPEAT",
        MirrorRepeat = "MIRROR_REPEAT",
        /// The sampler's border colour. Said by Direct3D 9's sampler states alone, as is the next.
        Border = "BORDER",
        /// Mirrored at 0, then clamped.
        MirrorOnce = "MIRROR_ONCE",
    }
}
