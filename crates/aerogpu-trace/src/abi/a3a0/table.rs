//! Makes a family's packets from its table: one structure per packet, with decoder and encoder, and what listings know
//! of it.

use super::error::{EncodeError, Lack};
use super::layout::Layout;
use super::wire::Wire;

/// A kind of packet that a table describes.
pub trait Described<'a>: Sized {
    /// What the table says.
    const LAYOUT: Layout;

    /// Decodes a whole packet, header included. With it comes what lies behind the known layout.
    fn parse(packet: &'a [u8]) -> Result<(Self, &'a [u8]), Lack>;

    /// Writes what follows the header, without anything behind the known layout.
    fn write(&self, into: &mut Vec<u8>) -> Result<(), EncodeError>;
}

/// Writes fields one after another, none behind one that is absent.
pub(super) struct FieldWriter<'v> {
    into: &'v mut Vec<u8>,
    absent: Option<&'static str>,
    packet: &'static str,
}

impl<'v> FieldWriter<'v> {
    pub(crate) fn new(into: &'v mut Vec<u8>, packet: &'static str) -> Self {
        Self { into, absent: None, packet }
    }

    pub(crate) fn write<T: Wire>(&mut self, field: &'static str, value: T) -> Result<(), EncodeError> {
        match self.absent {
            _ if value.is_absent() => self.absent = self.absent.or(Some(field)),
            Some(absent) => return Err(EncodeError::Gap { packet: self.packet, absent, present: field }),
            None => value.write(self.into),
        }
        Ok(())
    }
}

/// The first of a list that the tables fill with one thing or with none.
pub(super) const fn first<T: Copy>(things: &[Option<T>]) -> Option<T> {
    match things {
        [first, ..] => *first,
        [] => None,
    }
}

/// A field that counts what follows must count it right.
pub(super) fn check_count(
    packet: &'static str,
    field: &'static str,
    found: u64,
    expected: u64,
) -> Result<(), EncodeError> {
    if found == expected { Ok(()) } else { Err(EncodeError::Count { packet, field, found, expected }) }
}

/// One table per family. A row reads:
///
/// ```text
/// 0x104 UPLOAD_RESOURCE UploadResource<'a> { handle: u32 = HANDLE, …, size_bytes: u64 = NUMBER }
///     + data: Bytes<'a>, counted by size_bytes;
/// ```
///
/// opcode, name in the protocol, structure; each field with its type and what it may hold; what follows them.
macro_rules! family {
    (
        $(#[$family_doc:meta])*
        $family:ident $(<$family_life:lifetime>)?, life $a:lifetime, body $body:ident;
        $(
            $(#[$doc:meta])*
            $opcode:literal $name:ident $packet:ident $(<$life:lifetime>)? {
                $($field:ident: $type:ty = $spec:expr),* $(,)?
            } $(+ $rest:ident: $rest_type:ty $(, counted by $count:ident)?)?;
        )*
    ) => {
        $(#[$family_doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs, reason = "the structures say it")]
        pub enum $family $(<$family_life>)? {
            $($packet($packet $(<$life>)?),)*
        }

        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq)]
            #[allow(missing_docs, reason = "the fields are the protocol's own")]
            pub struct $packet $(<$life>)? {
                $(pub $field: $type,)*
                $(pub $rest: $rest_type,)?
            }

            impl<$a> From<$packet $(<$life>)?> for $crate::abi::a3a0::packet::Packet<$a> {
                fn from(packet: $packet $(<$life>)?) -> Self {
                    Self::new($crate::abi::a3a0::packet::Body::$body($family::$packet(packet)))
                }
            }

            impl<$a> $crate::abi::a3a0::table::Described<$a> for $packet $(<$life>)? {
                const LAYOUT: $crate::abi::a3a0::layout::Layout = $crate::abi::a3a0::layout::Layout {
                    opcode: $opcode,
                    name: stringify!($name),
                    fields: &[$($crate::abi::a3a0::layout::Field {
                        name: stringify!($field),
                        size_bytes: <$type as $crate::abi::a3a0::wire::Wire>::BYTES,
                        is_optional: <$type as $crate::abi::a3a0::wire::Wire>::IS_OPTIONAL,
                        spec: $spec,
                    }),*],
                    rest: $crate::abi::a3a0::table::first(&[
                        $(Some($crate::abi::a3a0::layout::Rest {
                            name: stringify!($rest),
                            shape: <$rest_type as $crate::abi::a3a0::rest::Variable<'_>>::SHAPE,
                            counted_by: $crate::abi::a3a0::table::first(&[$(Some(stringify!($count)),)? None]),
                        }),)?
                        None,
                    ]),
                };

                #[inline(always)]
                #[allow(unused_mut, unused_variables, reason = "some packets have no fields")]
                fn parse(packet: &$a [u8]) -> Result<(Self, &$a [u8]), $crate::abi::a3a0::error::Lack> {
                    use $crate::abi::a3a0::{error::Lack, layout::Layout};
                    const FIXED: u32 = $packet::LAYOUT.fixed_bytes();
                    let mut cursor = trace_base::bytes::Cursor::new(packet, 0);
                    if cursor.left() < FIXED as usize {
                        return Err(Lack::Short { expected: FIXED });
                    }
                    let short = |_| Lack::Short { expected: FIXED };
                    cursor.take(Layout::HEADER_BYTES as usize).map_err(short)?;
                    $(let $field = <$type as $crate::abi::a3a0::wire::Wire>::parse(&mut cursor).map_err(short)?;)*
                    $(
                        let (field, found) = $crate::abi::a3a0::table::first(&[
                            $(Some((stringify!($count), u64::from($count))),)?
                            None,
                        ])
                        .unwrap_or_default();
                        let left = cursor.left() as u64;
                        let $rest =
                            <$rest_type as $crate::abi::a3a0::rest::Variable<$a>>::take(&mut cursor, found)
                                .ok_or(Lack::Overrun { field, found, left })?;
                    )?
                    Ok((Self { $($field,)* $($rest)? }, cursor.rest()))
                }

                #[allow(unused_mut, unused_variables, reason = "some packets have no fields")]
                fn write(&self, into: &mut Vec<u8>) -> Result<(), $crate::abi::a3a0::error::EncodeError> {
                    use $crate::abi::a3a0::table::FieldWriter;
                    let mut fields = FieldWriter::new(into, stringify!($name));
                    $(fields.write(stringify!($field), self.$field)?;)*
                    $(
                        use $crate::abi::a3a0::rest::Variable as _;
                        $($crate::abi::a3a0::table::check_count(stringify!($name), stringify!($count), u64::from(self.$count), self.$rest.count())?;)?
                        self.$rest.write(into);
                    )?
                    Ok(())
                }
            }
        )*

        impl<$a> $family $(<$family_life>)? {
            /// What the table says of each packet, in the order of the opcodes.
            pub(super) const LAYOUTS: &'static [$crate::abi::a3a0::layout::Layout] =
                &[$(<$packet as $crate::abi::a3a0::table::Described<'_>>::LAYOUT),*];

            /// Decodes the fields of a packet of this family.
            #[inline(always)]
            pub(super) fn decode(
                raw: &$crate::abi::a3a0::packet::RawPacket<$a>,
            ) -> Result<$crate::abi::a3a0::packet::Packet<$a>, $crate::abi::a3a0::error::StreamError> {
                use $crate::abi::a3a0::packet::{Body, Packet};
                use $crate::abi::a3a0::table::Described;
                match raw.opcode {
                    $($opcode => {
                        // Here and not behind all opcodes: a packet is large, and is made where it stays.
                        let parsed = <$packet as Described<$a>>::parse(raw.bytes);
                        let (packet, tail) = parsed.map_err(|lack| raw.what_is_wrong(lack))?;
                        Ok(Packet { body: Body::$body(Self::$packet(packet)), tail })
                    })*
                    _ => Ok(raw.unknown()),
                }
            }

            /// What the table says of this packet.
            pub fn layout(&self) -> &'static $crate::abi::a3a0::layout::Layout {
                use $crate::abi::a3a0::table::Described;
                match self {
                    $(Self::$packet(_) => const { &<$packet as Described<'static>>::LAYOUT },)*
                }
            }

            /// Writes what follows the header, without anything behind the known layout.
            pub(super) fn write(&self, into: &mut Vec<u8>) -> Result<(), $crate::abi::a3a0::error::EncodeError> {
                use $crate::abi::a3a0::table::Described;
                match self {
                    $(Self::$packet(packet) => packet.write(into),)*
                }
            }
        }
    };
}

pub(super) use family;
