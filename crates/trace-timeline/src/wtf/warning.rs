//! What a reader noticed and went on from.

use std::borrow::Cow;
use std::collections::BTreeMap;

use trace_base::bytes::Diagnostics;

macro_rules! warnings {
    ($($variant:ident $name:literal $meaning:literal)*) => {
        /// The kinds of survivable damage.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum WarningClass { $(#[doc = $meaning] $variant,)* }

        impl WarningClass {
            /// The stable name, as `timeline info` prints it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Meaning, for people.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning.trim_end_matches('.'),)* }
            }
        }
    };
}

warnings! {
    AnyJson "any_json" "An `any` argument is not JSON; its text is kept."
    AppendOutsideScope "append_outside_scope" "Scope data arrived where no scope was open."
    ChunkTimeInverted "chunk_time_inverted" "A chunk says that it ends before it starts."
    DefineDuplicateArg "define_duplicate_arg" "Two arguments of an event type have the same name."
    DefineUnknownFlags "define_unknown_flags" "An event type has undefined flags."
    DuplicateHeader "duplicate_header" "A second header chunk; the first one is used."
    JsonDocSpelling "json_doc_spelling" "Keys are spelled as in the documentation, unlike in any known writer."
    JsonEventBuffer "json_event_buffer" "A JSON event buffer, which was never specified; skipped."
    MetadataNotObject "metadata_not_object" "Metadata is not an object; treated as empty."
    PartUnaligned "part_unaligned" "A part does not begin at a multiple of 4."
    RangeEndUnmatched "range_end_unmatched" "A time range ended without having begun."
    ScopeUnclosed "scope_unclosed" "Scopes are open at the end of the trace."
    ScopeUnderflow "scope_underflow" "A scope was left where none was open."
    StringTableUnterminated "string_table_unterminated" "The last string of a table is not terminated."
    TimeNonmonotonic "time_nonmonotonic" "Times went backwards within a zone."
    UnknownChunkType "unknown_chunk_type" "A chunk of unknown type; skipped."
    UnknownFileFlags "unknown_file_flags" "The file has undefined flags."
    UnknownPartType "unknown_part_type" "A part of unknown type; skipped."
    ZoneDeleteUndefined "zone_delete_undefined" "A zone was deleted without having been created."
    ZoneRedefined "zone_redefined" "A zone was created again with different properties; from there on it is a new zone."
}

/// Warnings by class, with counts; the first of them also in words and with offsets.
#[derive(Clone, Debug, Default)]
pub struct Warnings {
    counts: BTreeMap<WarningClass, u64>,
    details: Diagnostics,
}

impl Warnings {
    /// Notes one.
    pub fn note(&mut self, class: WarningClass, offset: u64, what: impl Into<Cow<'static, str>>) {
        *self.counts.entry(class).or_default() += 1;
        self.details.note(offset, what);
    }

    /// Adds what another pass found. Its words stay with it; only the counts are joined.
    pub fn add_counts(&mut self, class: WarningClass, count: u64) {
        if count > 0 {
            *self.counts.entry(class).or_default() += count;
        }
    }

    /// How often each class occurred; classes that did not are absent.
    pub fn counts(&self) -> &BTreeMap<WarningClass, u64> {
        &self.counts
    }

    /// The stable names of the classes that occurred, sorted.
    pub fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.counts.keys().map(|class| class.name()).collect();
        names.sort_unstable();
        names
    }

    /// The first findings, in words.
    pub fn details(&self) -> &Diagnostics {
        &self.details
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_counted_once() {
        let mut warnings = Warnings::default();
        warnings.note(WarningClass::UnknownPartType, 4, "part type 9");
        warnings.note(WarningClass::AnyJson, 8, "text is not JSON");
        warnings.note(WarningClass::AnyJson, 9, "text is not JSON");
        assert_eq!(warnings.names(), ["any_json", "unknown_part_type"]);
        assert_eq!(warnings.counts()[&WarningClass::AnyJson], 2);
    }
}
