//! The rules of `lint`: their names, which stay, and what each finds.
//!
//! `docs/lint.md` has the table for readers; a test holds it to this one.

use std::fmt;

/// Makes the enum, and the table of names and of what the rules find.
macro_rules! rules {
    ($($rule:ident $name:literal $finds:literal)*) => {
        /// Rule that a finding of `lint` comes under, in the order in which groups are printed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LintRule {
            $(#[doc = $finds] $rule,)*
        }

        impl LintRule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$rule),*];

            /// Name on the command line and in every output.
            pub fn name(self) -> &'static str {
                match self { $(Self::$rule => $name,)* }
            }

            /// Sentence on what the rule finds.
            pub fn finds(self) -> &'static str {
                match self { $(Self::$rule => $finds,)* }
            }
        }
    };
}

rules! {
    Damage "damage" "Bytes that are not what the format says: they end replay, or their submission."
    Contract "contract" "A command that breaks a rule between guest and host: it ends its submission, or a draw fails alone."
    Unsupported "unsupported" "A command of a submission that is beyond this build."
    OverLimit "over-limit" "A command of a submission that is over a limit of this build."
    BadDraw "bad-draw" "A draw past its buffer's end, or with shaders that do not compile or link."
    Container "container" "A TOC, meta JSON or PRESENT that disagrees with the records or the header, or a CLEAR with components that are no numbers."
    MissingObjects "missing-objects" "An object that was never created, used from the first frame on: the recording starts in the middle."
    Conformance "conformance" "A command like those that fail in the table of `--conformance`."
    UnknownOpcode "unknown-opcode" "Opcodes that this build does not know; their packets are passed over."
    UnknownHandle "unknown-handle" "A handle that names nothing where a command uses it."
    UnboundSlot "unbound-slot" "A texture, buffer or sampler that a shader reads in a draw or dispatch with nothing bound there."
    PresentWithoutTarget "present-without-target" "A PRESENT with no colour target bound."
    DirtyRangeWithoutBacking "dirty-range-without-backing" "A RESOURCE_DIRTY_RANGE of a resource without guest memory."
    ClearBeyondViewport "clear-beyond-viewport" "A CLEAR of Direct3D 9 that its viewport would have cut: hosts fill whole targets."
    UnexplainedState "unexplained-state" "A state of Direct3D 9 that it does not define, or a value that is not drawn as it says."
    UnbalancedMarker "unbalanced-marker" "A marker `{` that nothing closes by the end of its frame, or a `}` that closes nothing."
    EndlessLoop "endless-loop" "A loop in a shader's text that nothing ends."
    ShaderText "shader-text" "A construct that a shader's language forbids, in a text whose meaning is clear all the same."
    ShaderSource "shader-source" "A shader that lacks its text in one of the languages, or in all of them."
    ApiDependent "api-dependent" "A program that is drawn with and computes what each API decides for itself."
    DeadWrite "dead-write" "A range of guest memory, copy, clear, draw or dispatch of a submission whose writes nothing reads or shows."
    UnreadUpload "unread-upload" "An upload none of whose bytes anything reads, overwritten or not."
    UnusedDrawTarget "unused-draw-target" "A target that submissions draw to and that nothing ever reads, tests or shows."
    RedundantState "redundant-state" "Commands that set what is set already, by context and command; constants are not compared."
    UnusedObject "unused-object" "An object that nothing uses: a buffer, texture, view, shader, layout, sampler or pipeline."
    LeakedObject "leaked-object" "An object that no draw uses before its id is created anew: its memory was for nothing."
    UnusedBlob "unused-blob" "A blob that no packet or submission refers to."
    RepeatedBlob "repeated-blob" "A blob of 256 bytes or more with the bytes of another one."
    RedefinedBlob "redefined-blob" "A blob id with several definitions."
    LateBlob "late-blob" "A blob that comes after the packet that refers to it."
}

impl LintRule {
    /// The rule of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.name() == name)
    }
}

impl fmt::Display for LintRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_has_a_row_for_every_rule() {
        let page = include_str!("../../../docs/lint.md");
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "));
        let expected: Vec<(&str, &str)> = LintRule::ALL.iter().map(|rule| (rule.name(), rule.finds())).collect();
        assert_eq!(rows.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn names_are_found() {
        for rule in LintRule::ALL {
            assert_eq!(LintRule::from_name(rule.name()), Some(*rule));
        }
        assert_eq!(LintRule::from_name("all"), None);
    }
}
