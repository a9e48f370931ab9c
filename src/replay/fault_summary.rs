//! Faults of a trace, counted by kind, each with its first and its last place.
//!
//! ```text
//! 60 draws: shader 151 does not exist, first at frame 3, packet 12 (offset 0x1c40), last at frame 9, packet 2 (offset 0x5e08)
//! ```
//!
//! A trace can repeat a mistake a million times. Its reader wants to know what is wrong, how often, and where to look first.

use std::fmt;

use foldhash::HashMap;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::error::ReplayError;
use crate::command::Location;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::FrameIndex;
use crate::text::counted;

/// Kinds of faults that are told apart: each has a message of its own, and more are never read.
const MOST_GROUPS: usize = 100;

/// Part of a trace that a fault keeps from being carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultSubject {
    /// A draw.
    Draw,
    /// Another command, by its name in the specification.
    Command(&'static str),
    /// A packet that cannot be decoded.
    Packet,
    /// A record.
    Record,
}

impl FaultSubject {
    /// The subject of an error.
    pub fn of(error: &ReplayError) -> Self {
        match error {
            ReplayError::Command { command: "DRAW" | "DRAW_INDEXED", .. } => Self::Draw,
            ReplayError::Command { command, .. } => Self::Command(command),
            ReplayError::Abi { .. } => Self::Packet,
            ReplayError::Format(_) | ReplayError::Internal(_) => Self::Record,
        }
    }

    /// The singular noun.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Draw => "draw",
            Self::Command(name) => name,
            Self::Packet => "packet",
            Self::Record => "record",
        }
    }
}

/// Faults with one subject and one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultGroup {
    /// The part of the trace that is not carried out.
    pub subject: FaultSubject,
    /// What is wrong, in one line, without a place.
    pub problem: String,
    /// The kind of trouble.
    pub kind: ErrorKind,
    /// Absolute file offset of what is wrong with the one that came up first, if it has a place.
    pub offset: Option<u64>,
    /// What is wrong with that one, with its place.
    pub message: String,
    /// How many there are.
    pub count: u64,
    /// The first in the trace.
    pub first: Location,
    /// The last in the trace.
    pub last: Location,
}

/// All faults of a trace, or those that were met.
#[derive(Clone, Debug, Default)]
pub struct FaultSummary {
    groups: Vec<FaultGroup>,
    known: HashMap<(FaultSubject, String), usize>,
    ungrouped: u64,
}

impl FaultSummary {
    /// Counts a fault at `at`, of which `error` tells.
    pub fn add(&mut self, subject: FaultSubject, at: Location, error: &impl Classified) {
        self.add_told(subject, at, (error.kind(), error.offset(), &error.to_string()));
    }

    /// Counts a fault of which its kind, its offset and its message are known.
    pub fn add_told(
        &mut self,
        subject: FaultSubject,
        at: Location,
        (kind, offset, message): (ErrorKind, Option<u64>, &str),
    ) {
        let problem = problem_of(message, at);
        let next = self.groups.len();
        match self.known.get(&(subject, problem.clone())).and_then(|known| self.groups.get_mut(*known)) {
            Some(group) => {
                group.count += 1;
                if place_key(at) < place_key(group.first) {
                    group.first = at;
                }
                if place_key(at) > place_key(group.last) {
                    group.last = at;
                }
            }
            None if next < MOST_GROUPS => {
                self.known.insert((subject, problem.clone()), next);
                let message = message.to_owned();
                self.groups.push(FaultGroup { subject, problem, kind, offset, message, count: 1, first: at, last: at });
            }
            None => self.ungrouped += 1,
        }
    }

    /// The kinds of faults, in the order in which they came up.
    pub fn groups(&self) -> &[FaultGroup] {
        &self.groups
    }

    /// Faults of kinds beyond those that are told apart.
    pub fn ungrouped(&self) -> u64 {
        self.ungrouped
    }

    /// Takes in the groups of another summary of the same trace that begin in a frame up to `last`. Of faults that both have
    /// met, the one that has met more of them counts.
    pub fn merge_until(&mut self, other: &Self, last: FrameIndex) {
        for group in other.groups.iter().filter(|group| group.first.frame <= last) {
            let key = (group.subject, group.problem.clone());
            match self.known.get(&key).and_then(|known| self.groups.get_mut(*known)) {
                Some(known) if known.count < group.count => *known = group.clone(),
                Some(_) => {}
                None => {
                    self.known.insert(key, self.groups.len());
                    self.groups.push(group.clone());
                }
            }
        }
        self.ungrouped = self.ungrouped.max(other.ungrouped);
    }

    /// Counts faults of which nothing else is known.
    pub fn add_ungrouped(&mut self, count: u64) {
        self.ungrouped = self.ungrouped.saturating_add(count);
    }

    /// How many faults there are.
    pub fn count(&self) -> u64 {
        self.groups.iter().map(|group| group.count).sum::<u64>() + self.ungrouped
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

/// The order of faults in a trace.
fn place_key(at: Location) -> (u32, u32, u64) {
    (at.frame.0, at.packet, at.offset)
}

/// What is wrong, without the places that the group has.
fn problem_of(message: &str, at: Location) -> String {
    // silent: an empty message says nothing
    let line = message.lines().next().unwrap_or_default();
    let mut text = line.replace(&format!(" {at}"), "");
    if let Some(rest) = text.strip_prefix(&format!("frame {}: ", at.frame)) {
        text = rest.to_owned();
    }
    // A message that began with its place has the command in front of it.
    if let Some((command, rest)) = text.split_once(": ")
        && line.starts_with(&format!("{command} {at}: "))
    {
        text = rest.to_owned();
    }
    if let Some((rest, place)) = text.rsplit_once(", at 0x")
        && place.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        text.truncate(rest.len());
    }
    text
}

/// A place as a sentence about faults tells it.
fn place_in_words(at: Location) -> impl fmt::Display {
    fmt::from_fn(move |f| write!(f, "frame {}, packet {} (offset {:#x})", at.frame, at.packet, at.offset))
}

impl fmt::Display for FaultGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, problem, count, first, last, .. } = self;
        if *count == 1 {
            return f.write_str(&self.message);
        }
        match subject {
            FaultSubject::Command(name) => {
                let what = if name.starts_with("Aerogpu") { "record" } else { "packet" };
                write!(f, "{count} {name} {what}s")?;
            }
            _ => f.write_str(&counted(usize::try_from(*count).unwrap_or(usize::MAX), subject.noun()))?,
        }
        write!(f, ": {problem}, first at {}, last at {}", place_in_words(*first), place_in_words(*last))
    }
}

impl Serialize for FaultSummary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("FaultSummary", 2)?;
        object.serialize_field("count", &self.count())?;
        object.serialize_field("kinds", &self.groups)?;
        object.end()
    }
}

impl Serialize for FaultGroup {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("FaultGroup", 7)?;
        object.serialize_field("subject", self.subject.noun())?;
        object.serialize_field("kind", &self.kind)?;
        object.serialize_field("count", &self.count)?;
        object.serialize_field("problem", &self.problem)?;
        object.serialize_field("first", &self.first)?;
        object.serialize_field("last", &self.last)?;
        object.serialize_field("message", &self.to_string())?;
        object.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::ShaderId;
    use crate::replay::Problem;

    fn unknown_shader(command: &'static str, shader: u32, frame: u32) -> (Location, ReplayError) {
        let at =
            Location { offset: 0x40 + u64::from(frame), frame: FrameIndex(frame), packet: frame + 2, submission: None };
        (at, ReplayError::Command { command, at, problem: Problem::UnknownShader(ShaderId::of_kind(shader)) })
    }

    #[test]
    fn faults_of_a_kind_are_counted_with_their_first_and_last_place() {
        let mut summary = FaultSummary::default();
        for frame in [5, 3, 9] {
            let (at, error) = unknown_shader("DRAW", 151, frame);
            summary.add(FaultSubject::of(&error), at, &error);
        }
        let (at, error) = unknown_shader("CREATE_PIPELINE", 151, 4);
        summary.add(FaultSubject::of(&error), at, &error);
        let sentences: Vec<String> = summary.groups().iter().map(ToString::to_string).collect();
        let problem = "shader 151 does not exist: expected an earlier CREATE_SHADER";
        assert_eq!(
            sentences,
            [
                format!(
                    "3 draws: {problem}, first at frame 3, packet 5 (offset 0x43), last at frame 9, packet 11 (offset 0x49)"
                ),
                // One alone is told as it was found.
                format!("CREATE_PIPELINE at 0x44 (frame 4, packet 6): {problem}"),
            ]
        );
        assert_eq!((summary.count(), summary.ungrouped()), (4, 0));
    }

    #[test]
    fn kinds_past_the_cap_are_counted() {
        let mut summary = FaultSummary::default();
        for shader in 0..MOST_GROUPS as u32 + 7 {
            let (at, error) = unknown_shader("DRAW", shader, shader);
            summary.add(FaultSubject::of(&error), at, &error);
        }
        assert_eq!((summary.groups().len(), summary.ungrouped()), (MOST_GROUPS, 7));
        assert_eq!(summary.count(), MOST_GROUPS as u64 + 7);
    }
}
