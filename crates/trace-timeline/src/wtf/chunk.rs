//! What may be in which chunk; the same for binary files and JSON.

use super::error::{Problem, WtfError};
use super::warning::{WarningClass, Warnings};

/// Type of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkKind {
    FileHeader,
    EventData,
    Unknown,
}

impl ChunkKind {
    pub(crate) fn of_code(code: u32) -> Self {
        match code {
            1 => Self::FileHeader,
            2 => Self::EventData,
            _ => Self::Unknown,
        }
    }

    pub(crate) fn of_name(name: &str) -> Self {
        match name {
            "file_header" => Self::FileHeader,
            "event_data" => Self::EventData,
            _ => Self::Unknown,
        }
    }
}

/// Type of a part of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    FileHeader,
    JsonEvents,
    /// Packed; also what the big-endian chunked files have.
    LegacyEvents,
    BinaryEvents,
    StringTable,
    /// Binary or string; no event that was ever shipped refers to one.
    Resource,
    Unknown,
}

/// Name and code of every known part type.
const PARTS: [(&str, u32, PartKind); 7] = [
    ("file_header", 0x1_0000, PartKind::FileHeader),
    ("json_event_buffer", 0x2_0000, PartKind::JsonEvents),
    ("legacy_event_buffer", 0x2_0001, PartKind::LegacyEvents),
    ("binary_event_buffer", 0x2_0002, PartKind::BinaryEvents),
    ("string_table", 0x3_0000, PartKind::StringTable),
    ("binary_resource", 0x4_0000, PartKind::Resource),
    ("string_resource", 0x4_0001, PartKind::Resource),
];

impl PartKind {
    pub(crate) fn of_code(code: u32) -> Self {
        PARTS.iter().find(|part| part.1 == code).map_or(Self::Unknown, |part| part.2)
    }

    pub(crate) fn of_name(name: &str) -> Self {
        PARTS.iter().find(|part| part.0 == name).map_or(Self::Unknown, |part| part.2)
    }

    fn code(self) -> u32 {
        PARTS.iter().find(|part| part.2 == self).map_or(0, |part| part.1)
    }
}

/// The parts of a chunk that matter, as indices into its part list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    pub header: Option<usize>,
    pub events: Option<usize>,
    pub strings: Option<usize>,
}

/// Checks which parts a chunk has and picks those that matter. `parts` are kinds and offsets; `at` is the chunk's.
pub(super) fn select(
    chunk: ChunkKind,
    at: u64,
    parts: &[(PartKind, u64)],
    warnings: &mut Warnings,
) -> Result<Selection, WtfError> {
    let mut selection = Selection::default();
    let mut has_json_events = false;
    for (index, &(kind, offset)) in parts.iter().enumerate() {
        let slot = match (chunk, kind) {
            (_, PartKind::Unknown) => {
                warnings.note(WarningClass::UnknownPartType, offset, "expected a known part type, found another");
                continue;
            }
            (ChunkKind::FileHeader, PartKind::FileHeader) => &mut selection.header,
            (ChunkKind::EventData, PartKind::LegacyEvents | PartKind::BinaryEvents) => &mut selection.events,
            (ChunkKind::EventData, PartKind::StringTable) => &mut selection.strings,
            (ChunkKind::EventData, PartKind::Resource) => continue,
            (ChunkKind::EventData, PartKind::JsonEvents) => {
                warnings.note(WarningClass::JsonEventBuffer, offset, "expected binary events, found JSON; skipped");
                has_json_events = true;
                continue;
            }
            _ => return Err(WtfError::new(offset, Problem::PartNotAllowed { found: kind.code() })),
        };
        if slot.replace(index).is_some() {
            let problem = match kind {
                PartKind::LegacyEvents | PartKind::BinaryEvents => Problem::DuplicateEventBuffer {},
                _ => Problem::PartNotAllowed { found: kind.code() },
            };
            return Err(WtfError::new(offset, problem));
        }
    }
    match (chunk, selection) {
        (ChunkKind::FileHeader, Selection { header: None, .. }) => {
            Err(WtfError::new(at, Problem::MissingHeaderPart {}))
        }
        (ChunkKind::EventData, Selection { events: None, .. }) if !has_json_events => {
            Err(WtfError::new(at, Problem::MissingEventBuffer {}))
        }
        _ => Ok(selection),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(chunk: ChunkKind, parts: &[PartKind]) -> &'static str {
        let parts: Vec<_> = parts.iter().map(|&kind| (kind, 0)).collect();
        select(chunk, 0, &parts, &mut Warnings::default()).map_or_else(|error| error.class(), |_| "ok")
    }

    #[test]
    fn a_chunk_has_what_belongs_into_it_once() {
        use PartKind as P;
        assert_eq!(class(ChunkKind::FileHeader, &[]), "missing_header_part");
        assert_eq!(class(ChunkKind::FileHeader, &[P::FileHeader, P::Unknown]), "ok");
        assert_eq!(class(ChunkKind::FileHeader, &[P::BinaryEvents]), "part_not_allowed");
        assert_eq!(class(ChunkKind::EventData, &[P::StringTable, P::Resource]), "missing_event_buffer");
        assert_eq!(class(ChunkKind::EventData, &[P::JsonEvents]), "ok");
        assert_eq!(class(ChunkKind::EventData, &[P::LegacyEvents, P::BinaryEvents]), "duplicate_event_buffer");
        assert_eq!(class(ChunkKind::EventData, &[P::FileHeader]), "part_not_allowed");
    }
}
