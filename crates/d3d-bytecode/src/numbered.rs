//! Enumerations of the bytecode, each a table: number in the token, name in disassembly.

/// Defines an enumeration by rows of `Variant = number, "name"`, with the ways to and from both.
macro_rules! numbered {
    ($($(#[$doc:meta])* pub enum $name:ident { $($(#[$row_doc:meta])* $variant:ident = $number:literal, $text:literal;)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {$(
            $(#[$row_doc])*
            #[doc = concat!("`", $text, "`, ", stringify!($number), " in tokens.")]
            $variant,
        )*}

        impl $name {
            /// Every one of them, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The one with this number in a token.
            #[inline]
            pub fn from_number(number: u32) -> Option<Self> {
                match number { $($number => Some(Self::$variant),)* _ => None }
            }

            /// Its number in a token.
            pub fn number(self) -> u32 {
                match self { $(Self::$variant => $number,)* }
            }

            /// Its name in disassembly.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The one with this name in disassembly.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    )*};
}

pub(super) use numbered;
