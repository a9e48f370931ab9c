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
    Damage "damage" "Bytes that violate the format: they end replay, or their submission."
    Contract "contract" "A command that breaks a rule between guest and host: it ends its submission, or only \
        its draw fails."
    Unsupported "unsupported" "A submission's command that this build does not support."
    OverLimit "over-limit" "A submission's command that exceeds a limit of this build."
    BadDraw "bad-draw" "A draw that reads past its buffer's end, or whose shaders do not compile or link."
    Container "container" "A TOC, meta JSON or PRESENT that disagrees with the records or the header, or a \
        CLEAR with a component that is not a number."
    MissingObjects "missing-objects" "An object that is used but was never created: the recording starts in the middle."
    Conformance "conformance" "A command like those that fail in the table of `--conformance`."
    UnknownOpcode "unknown-opcode" "Opcodes that this build does not know; their packets are ignored."
    UnknownHandle "unknown-handle" "A command that uses a handle that does not exist."
    UnboundSlot "unbound-slot" "A draw or dispatch whose shader reads a texture, buffer or sampler slot with \
        nothing bound."
    PresentWithoutTarget "present-without-target" "A PRESENT with no colour target bound."
    DirtyRangeWithoutBacking "dirty-range-without-backing" "A RESOURCE_DIRTY_RANGE of a resource without guest memory."
    ClearBeyondViewport "clear-beyond-viewport" "A Direct3D 9 CLEAR that extends past its viewport: hosts \
        fill the whole target."
    UnexplainedState "unexplained-state" "An undefined Direct3D 9 state, or a value that is drawn differently."
    UnbalancedMarker "unbalanced-marker" "A marker `{` that nothing closes by the end of its frame, or a `}` that closes nothing."
    EndlessLoop "endless-loop" "A loop in a shader that never ends."
    ShaderText "shader-text" "A construct that the shader's language forbids, although its meaning is clear."
    ShaderSource "shader-source" "A shader whose text is missing in some or all languages."
    ApiDependent "api-dependent" "A program in use whose result depends on the graphics API."
    DeadWrite "dead-write" "A submission's guest memory range, copy, clear, draw or dispatch whose output is \
        never read or shown."
    UnreadUpload "unread-upload" "An upload whose bytes are never read."
    UnusedDrawTarget "unused-draw-target" "A target that submissions draw to but that is never read, tested or shown."
    SplitPass "split-pass" "A pass that draws to the targets of an earlier one of its frame, where nothing between the two \
        needs the order."
    RedundantState "redundant-state" "Redundant state changes, by context and command; constants are not compared."
    UnusedObject "unused-object" "An object that nothing uses: a buffer, texture, view, shader, layout, sampler or pipeline."
    LeakedObject "leaked-object" "An object that no draw uses before its id is created again: its memory is wasted."
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
