//! Findings of `lint`, their groups, and the sites of both in the file.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde_json::{Map, Value, json};

use super::rules::LintRule;
use crate::command::Location;
use crate::error::{ErrorKind, Internal};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::index::TraceIndex;

/// One suspicion.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LintFinding {
    /// Absolute file offset of the command or record in question.
    pub offset: u64,
    /// Its rule.
    pub rule: LintRule,
    /// The suspicion, as half a sentence.
    pub message: String,
    /// Half a sentence that holds for its whole group, where `message` is about this finding alone.
    pub of_group: Option<String>,
    /// Number of commands that it stands for; the first is at `offset`.
    pub count: u64,
    /// Its effect on a submission, if it is something wrong in one.
    pub fault: Option<LintFault>,
    /// Frame and packet of the command, where a stream may run several times.
    pub packet: Option<(FrameIndex, u32)>,
}

/// Effect of something wrong on its submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LintFault {
    /// The kind of trouble.
    pub kind: ErrorKind,
    /// Whether the rest of the submission is not carried out; else the draw alone is not.
    pub ends_submission: bool,
}

impl LintFinding {
    /// A finding of one command or record, in a group with those of its words.
    pub fn new(offset: u64, rule: LintRule, message: impl Into<String>) -> Self {
        Self { offset, rule, message: message.into(), of_group: None, count: 1, fault: None, packet: None }
    }

    /// The finding in the group of these words.
    pub fn in_group(self, words: impl Into<String>) -> Self {
        Self { of_group: Some(words.into()), ..self }
    }

    /// The finding for `count` commands.
    pub fn times(self, count: u64) -> Self {
        Self { count, ..self }
    }

    /// The finding about the command at a place.
    pub fn of_command(self, at: Location) -> Self {
        Self { packet: Some((at.frame, at.packet)), ..self }
    }

    /// Whether it tells what another one tells, of another run of the same command perhaps.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        Self { packet: None, ..self.clone() } == Self { packet: None, ..other.clone() }
    }

    /// Its members in JSON, with the site that [`LintSites`] gives it.
    pub fn members(&self, site: LintSite) -> Map<String, Value> {
        let Self { offset, rule, message, count, fault, .. } = self;
        let members = [
            ("rule", json!(rule.name())),
            ("offset", json!(offset)),
            ("message", json!(message)),
            ("kind", json!(fault.map(|fault| fault.kind))),
            ("ends_submission", json!(fault.map(|fault| fault.ends_submission))),
            ("frame", json!(site.frame())),
            ("packet", json!(site.packet())),
            ("group", json!(self.group_words())),
            ("count", json!(count)),
        ];
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The words that hold for its whole group.
    pub fn group_words(&self) -> &str {
        self.of_group.as_deref().unwrap_or(&self.message)
    }
}

/// Findings of one rule about one thing.
#[derive(Clone, Copy, Debug)]
pub struct LintGroup<'f> {
    /// The finding that comes first in the file.
    pub first: &'f LintFinding,
    /// Number of commands and records of all of them.
    pub count: u64,
}

impl LintGroup<'_> {
    /// Groups findings by rule and words; in the order of the rules, within one in file order.
    pub fn of(findings: &[LintFinding]) -> Vec<LintGroup<'_>> {
        let mut groups: Vec<LintGroup<'_>> = Vec::new();
        let mut known = HashMap::new();
        for finding in findings {
            let key = (finding.rule, finding.group_words(), finding.fault);
            let at = *known.entry(key).or_insert(groups.len());
            match groups.get_mut(at) {
                Some(group) => {
                    group.count = group.count.saturating_add(finding.count);
                    if finding.offset < group.first.offset {
                        group.first = finding;
                    }
                }
                None => groups.push(LintGroup { first: finding, count: finding.count }),
            }
        }
        groups.sort_by_key(|group| (group.first.rule, group.first.offset));
        groups
    }

    /// Its words: those of the one finding, or those that hold for all.
    pub fn words(&self) -> &str {
        if self.count == self.first.count { &self.first.message } else { self.first.group_words() }
    }
}

/// Rule, count and words: `unused-buffer: buffer 9 is never drawn with`, `repeated-blob: 3 × a blob has the bytes of blob 7`.
impl fmt::Display for LintGroup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rule, words) = (self.first.rule, self.words());
        match self.count {
            1 => write!(f, "{rule}: {words}"),
            count => write!(f, "{rule}: {count} × {words}"),
        }
    }
}

/// Site of a finding in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LintSite {
    /// A command that the index has.
    Command(Location),
    /// Other record of a frame, by its absolute file offset.
    InFrame(FrameIndex, u64),
    /// Record outside of all frames, by its absolute file offset.
    Outside(u64),
}

impl LintSite {
    /// The frame that it lies in.
    pub fn frame(self) -> Option<FrameIndex> {
        match self {
            Self::Command(at) => Some(at.frame),
            Self::InFrame(frame, _) => Some(frame),
            Self::Outside(_) => None,
        }
    }

    /// Its number among the frame's commands, if it is one.
    pub fn packet(self) -> Option<u32> {
        match self {
            Self::Command(at) => Some(at.packet),
            Self::InFrame(..) | Self::Outside(_) => None,
        }
    }
}

impl fmt::Display for LintSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(Location { offset, frame, packet, .. }) => {
                write!(f, "frame {frame}, packet {packet} (offset {offset:#x})")
            }
            Self::InFrame(frame, offset) => write!(f, "frame {frame} (offset {offset:#x})"),
            Self::Outside(offset) => write!(f, "offset {offset:#x}"),
        }
    }
}

/// Sites of findings.
pub struct LintSites<'t> {
    trace: &'t Trace,
    /// By offset; of a stream that runs several times the first run.
    commands: HashMap<u64, Location>,
    /// By frame and packet.
    packets: HashMap<(FrameIndex, u32), Location>,
}

impl<'t> LintSites<'t> {
    /// Finds the commands that `findings` are about.
    pub fn of(trace: &'t Trace, index: &TraceIndex, findings: &[LintFinding]) -> Result<Self, Internal> {
        let wanted: HashSet<u64> = findings.iter().map(|finding| finding.offset).collect();
        let packets: HashSet<(FrameIndex, u32)> = findings.iter().filter_map(|finding| finding.packet).collect();
        let mut sites = Self { trace, commands: HashMap::new(), packets: HashMap::new() };
        for number in index.numbers_in(0..index.command_count(), |_| true) {
            let at = index.require_location(number)?;
            if wanted.contains(&at.offset) {
                sites.commands.entry(at.offset).or_insert(at);
            }
            if packets.contains(&(at.frame, at.packet)) {
                sites.packets.insert((at.frame, at.packet), at);
            }
        }
        Ok(sites)
    }

    /// The site of a finding.
    pub fn of_finding(&self, finding: &LintFinding) -> LintSite {
        let offset = finding.offset;
        let own = finding.packet.and_then(|packet| self.packets.get(&packet));
        if let Some(at) = own.filter(|at| at.offset == offset).or(self.commands.get(&offset)) {
            return LintSite::Command(*at);
        }
        let behind = self.trace.frames().partition_point(|frame| frame.bytes.end <= offset);
        match self.trace.frames().get(behind) {
            Some(frame) if frame.bytes.contains(&offset) => LintSite::InFrame(FrameIndex(behind as u32), offset),
            _ => LintSite::Outside(offset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_of_one_rule_and_thing() {
        let one = |offset, rule, what: &str| LintFinding::new(offset, rule, what);
        let findings = [
            one(4, LintRule::RepeatedBlob, "blob 3 has the bytes of blob 1").in_group("blobs like blob 1"),
            one(8, LintRule::UnreadUpload, "nothing reads it"),
            one(9, LintRule::UnreadUpload, "nothing reads it").times(3),
            one(12, LintRule::RepeatedBlob, "blob 5 has the bytes of blob 1").in_group("blobs like blob 1"),
            one(16, LintRule::RepeatedBlob, "blob 6 has the bytes of blob 2").in_group("blobs like blob 2"),
            one(2, LintRule::UnusedBlob, "nothing reads it"),
        ];
        let groups = LintGroup::of(&findings);
        let found: Vec<_> = groups.iter().map(|group| (group.first.offset, group.count, group.words())).collect();
        let expected = [
            (8, 4, "nothing reads it"),
            (2, 1, "nothing reads it"),
            (4, 2, "blobs like blob 1"),
            (16, 1, "blob 6 has the bytes of blob 2"),
        ];
        assert_eq!(found, expected);
    }
}
