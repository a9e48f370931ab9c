//! What ends the reading of a trace. Everything before it has been given.

use thiserror::Error;

use trace_base::bytes::ReadError;
use trace_base::error::{Classified, ErrorKind};

/// Damage (or a limit, or the operating system), and where.
#[derive(Debug, Error)]
#[error("{problem}, at {offset:#x}")]
pub struct WtfError {
    /// What is wrong.
    pub problem: Problem,
    /// Absolute file offset of the bytes that are wrong. Inside the base64 buffers of a `.wtf-json` file, the position
    /// in the decoded buffers laid end to end.
    pub offset: u64,
}

impl WtfError {
    pub(super) fn new(offset: u64, problem: Problem) -> Self {
        Self { problem, offset }
    }

    /// The stable name of the class, as `timeline info` prints it: `bad_magic`, `undefined_wire_id`, …
    pub fn class(&self) -> &'static str {
        self.problem.class()
    }
}

impl Classified for WtfError {
    fn kind(&self) -> ErrorKind {
        self.problem.kind()
    }

    fn offset(&self) -> Option<u64> {
        Some(self.offset)
    }
}

impl Classified for Problem {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Read { source } => source.kind(),
            Self::RecordTooLarge { .. }
            | Self::PartTooLarge { .. }
            | Self::JsonTooLarge { .. }
            | Self::JsonTooMany { .. }
            | Self::JsonTooDeep { .. } => ErrorKind::OverLimit,
            Self::TruncatedEventHeader { .. }
            | Self::TruncatedArgs { .. }
            | Self::StringOverrun { .. }
            | Self::ArrayOverrun { .. }
            | Self::TruncatedChunkHeader { .. }
            | Self::ChunkOverrun { .. } => ErrorKind::CutShort,
            _ => ErrorKind::Malformed,
        }
    }

    /// [`WtfError`] has it.
    fn offset(&self) -> Option<u64> {
        None
    }
}

impl From<ReadError> for WtfError {
    fn from(source: ReadError) -> Self {
        Self::new(source.offset, Problem::Read { source })
    }
}

/// One row per malformation: class, variant, fields, sentence.
macro_rules! problems {
    ($($class:literal $variant:ident { $($field:ident: $type:ty),* } $sentence:literal)*) => {
        /// Every way in which a trace can be wrong. The fields are the numbers and names in the sentence.
        #[derive(Debug, Error)]
        #[allow(missing_docs, reason = "each variant is described by its sentence")]
        pub enum Problem {
            $(#[error($sentence)] $variant { $($field: $type),* },)*
        }

        impl Problem {
            /// The stable name of the class.
            pub fn class(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $class,)* }
            }
        }
    };
}

problems! {
    "read_error" Read { r#source: ReadError } "{source}"
    "record_too_large" RecordTooLarge { found: u64, limit: u64 } "expected a record of at most {limit} bytes, found one of {found}"
    "part_too_large" PartTooLarge { found: u64, limit: u64 } "expected a part of at most {limit} bytes, found one of {found}"
    "json_too_large" JsonTooLarge { found: u64, limit: u64 } "expected at most {limit} bytes of JSON, found {found}"
    "json_too_many" JsonTooMany { limit: u32 } "expected at most {limit} JSON values, found more"
    "json_too_deep" JsonTooDeep { limit: u32 } "expected JSON nested at most {limit} deep, found it deeper"

    "empty_file" EmptyFile {} "expected a wtf-trace, found an empty file"
    "bad_magic" BadMagic { found: Vec<u8> } "expected the magic DE AD BE EF in either order or JSON, found {found:02X?}"
    "truncated_header" TruncatedHeader { wanted: u64, left: u64 } "expected {wanted} more bytes of header, found {left}"
    "unsupported_version" UnsupportedVersion { found: u64 } "expected format version 3 or 10 (2 in a JSON list), found {found}"
    "context_missing" ContextMissing {} "expected the context as JSON, found an empty string"
    "context_json" ContextJson { found: String } "expected the context as a JSON object, found {found}"
    "context_type" ContextType { found: String } "expected the context type \"script\", found {found}"
    "metadata_json" MetadataJson { found: String } "expected the metadata as JSON, found {found}"

    "utf8_count_mismatch" Utf8CountMismatch { expected: usize, found: usize } "expected a string of {expected} UTF-16 units, found {found}"
    "invalid_utf8" InvalidUtf8 { found: u8 } "expected UTF-8, found byte {found:#04x}"
    "truncated_event_header" TruncatedEventHeader { wanted: u64, left: u64 } "expected an event header of {wanted} bytes, found {left}"
    "truncated_args" TruncatedArgs { wanted: u64, left: u64 } "expected {wanted} more bytes of arguments, found {left}"
    "string_overrun" StringOverrun { wanted: u64, left: u64 } "expected a string of {wanted} bytes, found {left} bytes left"
    "array_overrun" ArrayOverrun { wanted: u64, left: u64 } "expected an array of {wanted} bytes, found {left} bytes left"
    "string_ordinal_range" StringOrdinalRange { found: u32, count: usize } "expected a string number below {count}, found {found}"
    "undefined_wire_id" UndefinedWireId { found: u32, hint: &'static str } "expected the wire id of a defined event type, found {found}{hint}"

    "define_conflict" DefineConflict { wire: u32, expected: String, found: String } "expected wire id {wire} to stay {expected}, found it redefined as {found}"
    "define_reserved_wire" DefineReservedWire {} "expected a wire id from 1, found 0"
    "define_empty_name" DefineEmptyName { wire: u32 } "expected a name for wire id {wire}, found none"
    "define_bad_class" DefineBadClass { wire: u32, found: i64 } "expected class 0 (instance) or 1 (scope) for wire id {wire}, found {found}"
    "define_bad_signature" DefineBadSignature { wire: u32, found: String } "expected arguments of the form \"type name\" for wire id {wire}, found {found:?}"
    "unknown_arg_type" UnknownArgType { wire: u32, found: String } "expected a known argument type for wire id {wire}, found {found:?}"
    "zone_undefined" ZoneUndefined { found: u32 } "expected the id of a created zone, found {found}"

    "truncated_chunk_header" TruncatedChunkHeader { wanted: u64, left: u64 } "expected a chunk header of {wanted} bytes, found {left}"
    "chunk_length_small" ChunkLengthSmall { expected: u64, found: u32 } "expected a chunk of at least {expected} bytes, found one of {found}"
    "chunk_overrun" ChunkOverrun { wanted: u32, left: u64 } "expected a chunk of {wanted} bytes, found {left} bytes left"
    "part_overrun" PartOverrun { end: u64, size: u64 } "expected the part to end within the chunk's {size} bytes of data, found its end at {end}"
    "missing_header_chunk" MissingHeaderChunk {} "expected a file header chunk first, found none"
    "missing_header_part" MissingHeaderPart {} "expected a file header part in the header chunk, found none"
    "part_not_allowed" PartNotAllowed { found: u32 } "expected a part that belongs in this chunk, found type {found:#x}"
    "header_json" HeaderJson { found: String } "expected the file header as a JSON object, found {found}"
    "header_timebase" HeaderTimebase { found: String } "expected a number as timebase, found {found}"
    "header_flags" HeaderFlags { found: String } "expected a list of names as flags, found {found}"
    "header_metadata" HeaderMetadata { found: String } "expected an object as metadata, found {found}"
    "missing_event_buffer" MissingEventBuffer {} "expected an event buffer in the chunk, found none"
    "duplicate_event_buffer" DuplicateEventBuffer {} "expected one event buffer in the chunk, found a second"
    "event_buffer_unaligned" EventBufferUnaligned { found: u64 } "expected an event buffer of a multiple of 4 bytes, found {found}"

    "json_syntax" JsonSyntax { expected: &'static str, found: String } "expected {expected}, found {found}"
    "json_root" JsonRoot { found: &'static str } "expected a list of events or an object with chunks, found {found}"
    "json_chunk" JsonChunk { expected: &'static str, found: String } "expected {expected}, found {found}"
    "json_part_mode" JsonPartMode { found: String } "expected a buffer of mode \"base64\", found {found}"
    "json_base64" JsonBase64 { found: u8 } "expected base64, found byte {found:#04x}"
    "json_byte_length" JsonByteLength { expected: String, found: u64 } "expected {expected} decoded bytes, found {found}"
    "duplicate_header" DuplicateHeader {} "expected one header, found a second"
    "json_entry" JsonEntry { expected: &'static str, found: String } "expected {expected}, found {found}"
    "json_time" JsonTime { found: String } "expected a time in milliseconds from 0 to 4294967.295, found {found}"
    "json_header_missing" JsonHeaderMissing {} "expected a header first, found none"
    "undefined_event" UndefinedEvent { found: String } "expected the name or id of a defined event, found {found}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_tells_expected_found_and_offset() {
        let error = WtfError::new(0x25b, Problem::UndefinedWireId { found: 7, hint: "" });
        assert_eq!(error.to_string(), "expected the wire id of a defined event type, found 7, at 0x25b");
        assert_eq!((error.class(), error.kind()), ("undefined_wire_id", ErrorKind::Malformed));
    }
}
