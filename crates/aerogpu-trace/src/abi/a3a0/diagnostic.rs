//! What is odd or wrong in a trace, classed as the canonical text classes it.

use std::fmt;

use trace_base::error::{Classified, ErrorKind};

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Accepted, and said.
    Note,
    /// The bytes can be read and break the contract.
    Fault,
    /// The bytes break the format.
    Error,
}

impl Severity {
    /// Its name in the canonical text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Fault => "fault",
            Self::Error => "error",
        }
    }
}

macro_rules! classes {
    ($($class:ident $name:literal $expected:literal;)*) => {
        /// What kind of thing is odd or wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each says what was expected")]
        pub enum Class {
            $(#[doc = concat!("Expected ", $expected, ".")] $class,)*
        }

        impl Class {
            /// Every class.
            pub const ALL: &'static [Class] = &[$(Self::$class),*];

            /// Its name in the canonical text.
            pub fn name(self) -> &'static str {
                match self { $(Self::$class => $name,)* }
            }

            /// What should have been there.
            pub fn expected(self) -> &'static str {
                match self { $(Self::$class => $expected,)* }
            }
        }
    };
}

classes! {
    RecordOverrun "record_overrun" "a record that ends before the TOC begins";
    RecordType "record_type" "a record type that the container version defines";
    RecordLength "record_length" "a payload as long as its type calls for";
    BlobKind "blob_kind" "a blob of another kind";
    ReferenceOpcode "reference_opcode" "an opcode from 0x0001 (CREATE_BUFFER) to 0x000a (PRESENT)";
    ReferenceShort "reference_short" "a packet that ends in its record";
    ReferenceLength "reference_length" "the number of dwords that the opcode takes";
    StreamShort "stream_short" "at least 24 bytes, a stream's header";
    StreamMagic "stream_magic" "0x444d4341 (\"ACMD\")";
    StreamAbi "stream_abi" "ABI version 1";
    StreamSize "stream_size" "a multiple of 4 from 24 to the blob's length";
    PacketHeader "packet_header" "at least 8 bytes, a packet's header";
    PacketSize "packet_size" "a multiple of 4, at least 8";
    PacketOverrun "packet_overrun" "a packet that ends in its stream";
    PacketShort "packet_short" "at least the length of the opcode's fields";
    ArrayOverrun "array_overrun" "at most what the packet holds";
    TableShort "table_short" "at least 24 bytes, a table's header";
    TableMagic "table_magic" "0x434f4c41 (\"ALOC\")";
    TableAbi "table_abi" "ABI version 1";
    TableSize "table_size" "from 24 to the blob's length";
    TableStride "table_stride" "at least 32, an entry's length";
    TableEntries "table_entries" "at most the number of entries that fit in the table";
    Zero "zero" "a number other than 0";
    Duplicate "duplicate" "an id that no earlier entry has";
    AddressWraps "address_wraps" "a range that ends below 2^64";
    BlobMissing "blob_missing" "the id of a blob in the trace";
    BlobShorter "blob_shorter" "a blob as long as the range";
    BlobLonger "blob_longer" "a blob as long as the range";
    ZeroHandle "zero_handle" "a handle other than 0";
    BadEnum "bad_enum" "a value of the enumeration";
    UnknownBits "unknown_bits" "only defined bits";
    BadSlot "bad_slot" "a place within the limit";
    SameResource "same_resource" "a buffer other than the destination";
    BadValue "bad_value" "a value that fits the texture's size and format";
    LayoutShort "layout_short" "at least 16 bytes, the header of a layout";
    LayoutUnknown "layout_unknown" "an ILAY header, or D3D9 elements with an end marker";
    LayoutVersion "layout_version" "version 1";
    LayoutCount "layout_count" "at most 32 elements";
    LayoutOverrun "layout_overrun" "at most the number of elements in the blob";
    LayoutTail "layout_tail" "nothing after the last element";
    DxbcShort "dxbc_short" "at least 32 bytes, a container's header";
    DxbcSize "dxbc_size" "from 32 to the shader's length";
    DxbcChunks "dxbc_chunks" "at most 4096 chunks, their table within the container";
    DxbcChunk "dxbc_chunk" "a chunk that ends in its container";
    ShaderUnknown "shader_unknown" "a DXBC container or Direct3D bytecode";
    Reserved "reserved" "0";
    Padding "padding" "zeros";
    AbiMinor "abi_minor" "at most 4";
    UnknownOpcode "unknown_opcode" "an opcode of ABI version 1.4 or earlier";
    Tail "tail" "nothing";
    StreamEmpty "stream_empty" "a stream";
    RecordVersion "record_version" "1";
}

/// One thing that is odd or wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// What kind of thing it is.
    pub class: Class,
    /// Absolute file offset of the bytes in question.
    pub offset: u64,
    /// What they belong to: a packet, by its name, a stream.
    pub subject: &'static str,
    /// Which part of it they are: a field, by its name, a tail.
    pub part: &'static str,
    /// What they say.
    pub found: u64,
}

impl Diagnostic {
    /// The order within a line's diagnostics, and what makes two the same.
    pub fn order(&self) -> (u64, &'static str) {
        (self.offset, self.class.name())
    }
}

impl std::error::Error for Diagnostic {}

impl Classified for Diagnostic {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Malformed
    }

    fn offset(&self) -> Option<u64> {
        Some(self.offset)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, offset, subject, part, found, .. } = self;
        match class {
            // Numbers that are read in base 16.
            Class::UnknownBits | Class::Reserved | Class::StreamMagic | Class::TableMagic | Class::UnknownOpcode => {
                write!(f, "{subject} has {part} {found:#x}")?;
            }
            Class::StreamAbi | Class::TableAbi => {
                write!(f, "{subject} has {part} {}.{}", found >> 16, found & 0xffff)?;
            }
            _ => write!(f, "{subject} has {part} {found}")?,
        }
        write!(f, ": expected {}, at {offset:#x}", class.expected())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_class_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = Class::ALL.iter().map(|class| class.name()).collect();
        assert_eq!(names.len(), Class::ALL.len());
    }

    #[test]
    fn a_diagnostic_says_what_was_found_and_expected_and_where() {
        let diagnostic = Diagnostic {
            severity: Severity::Fault,
            class: Class::ZeroHandle,
            offset: 0x105,
            subject: "CREATE_BUFFER",
            part: "handle",
            found: 0,
        };
        assert_eq!(diagnostic.to_string(), "CREATE_BUFFER has handle 0: expected a handle other than 0, at 0x105");
    }
}
