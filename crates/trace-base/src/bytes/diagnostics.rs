//! What a reader noticed and went on from: damage that was survived, and choices that were made.

use std::borrow::Cow;
use std::fmt;

use crate::limits::MAX_FINDINGS;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// Not as the format says. A strict reader stops here.
    Oddity,
    /// As the format allows, and worth knowing: how something was decided that the file leaves open.
    Remark,
}

/// One thing that did not stop the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Absolute file offset of the bytes in question.
    pub offset: u64,
    /// What was expected and what was found, as half a sentence.
    pub what: Cow<'static, str>,
    /// How much it matters.
    pub kind: FindingKind,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at {:#x}", self.what, self.offset)
    }
}

/// Collects [`Finding`]s. The first [`MAX_FINDINGS`] are kept, the rest counted, so that a file that is
/// wrong a million times costs no more than one that is wrong a thousand times.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    findings: Vec<Finding>,
    dropped: u64,
}

impl Diagnostics {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes something that is not as the format says.
    pub fn note(&mut self, offset: u64, what: impl Into<Cow<'static, str>>) {
        self.push(Finding { offset, what: what.into(), kind: FindingKind::Oddity });
    }

    /// Notes how something was decided that the file leaves open.
    pub fn remark(&mut self, offset: u64, what: impl Into<Cow<'static, str>>) {
        self.push(Finding { offset, what: what.into(), kind: FindingKind::Remark });
    }

    /// Takes over one finding of another collection.
    pub fn push(&mut self, finding: Finding) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        } else {
            self.dropped += 1;
        }
    }

    /// The findings kept, in the order in which they were noted.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// How many more there were.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Whether nothing was noted.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Takes out the oddities behind the first `told` findings.
    pub fn take_oddities(&mut self, told: usize) -> Vec<Finding> {
        let new = self.findings.split_off(told.min(self.findings.len()));
        let (odd, other) = new.into_iter().partition(|finding| finding.kind == FindingKind::Oddity);
        self.findings.extend::<Vec<_>>(other);
        odd
    }

    /// The first finding that a strict reader stops at.
    pub fn first_oddity(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.kind == FindingKind::Oddity)
    }

    /// Takes over the findings of another collection.
    pub fn append(&mut self, other: Diagnostics) {
        for finding in other.findings {
            self.push(finding);
        }
        self.dropped += other.dropped;
    }

    /// Moves the findings out, leaving the collection empty.
    pub fn take(&mut self) -> Diagnostics {
        std::mem::take(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_past_the_cap_are_counted_not_kept() {
        let mut diagnostics = Diagnostics::new();
        for offset in 0..MAX_FINDINGS as u64 + 3 {
            diagnostics.note(offset, "flags are 1, expected 0");
        }
        assert_eq!(diagnostics.findings().len(), MAX_FINDINGS);
        assert_eq!(diagnostics.dropped(), 3);
        assert_eq!(diagnostics.findings()[1].to_string(), "flags are 1, expected 0, at 0x1");
    }
}
