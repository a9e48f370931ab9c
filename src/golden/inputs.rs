//! What goldens were drawn from when they were recorded: `inputs.json`, beside the pictures.
//!
//! ```json
//! { "schema": 2, "parts": ["vertex_shader", "fragment_shader", "bytes", "state"],
//!   "frames": [{ "frame": 0, "whole": "0f1e2d3c4b5a6978",
//!                "draws": ["0011223344556677 8899aabbccddeeff 0123456789abcdef fedcba9876543210"] }] }
//! ```
//!
//! Eight bytes of SHA-256 for each part of each draw, in the order of `parts`, and for all that the frame is drawn from.
//! Files of earlier versions name the parts in words, as messages did; they are read. Those of schema 1 have another hash for
//! all that a frame is drawn from. It counts as long as nothing is approved for the frame: in a file of schema 2 such frames
//! have `"schema": 1` of their own, and `golden fsck --force` [converts](RecordedInputs::convert) them.
//! Where a picture has become another one, this tells whether that is what the trace draws from, or a driver or this
//! program.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::case::read_text_within;
use super::error::GoldenError;
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::limits::MAX_INPUTS_BYTES;
use crate::replay::{DRAW_PARTS, InputHasher, ReplayError};

/// The file's name in a case's folder.
pub const INPUTS_FILE: &str = "inputs.json";

/// Number of the file's layout.
const INPUTS_SCHEMA: u32 = 2;

/// Number of the layout whose frames have another hash.
const FORMER_SCHEMA: u32 = 1;

/// The parts of a draw as the file names them, in the order of [`DRAW_PARTS`].
const PART_NAMES: [&str; DRAW_PARTS.len()] = ["vertex_shader", "fragment_shader", "bytes", "state"];

/// The last part, as messages name it.
const STATE: &str = {
    let [.., last] = DRAW_PARTS;
    last
};

/// Names that earlier versions wrote, in the same order.
const FORMER_PART_NAMES: [[&str; DRAW_PARTS.len()]; 2] = [
    ["the vertex shader", "the fragment shader", "the bytes that it reads", "its state"],
    ["the vertex shader", "the fragment shader", "the bytes it reads", "its state"],
];

/// Bytes of a digest that are kept.
const KEPT_BYTES: usize = 8;

/// What a frame is drawn from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameInputs {
    /// The frame.
    pub frame: FrameIndex,
    /// All of it, what is from earlier frames too: 16 hex digits.
    pub whole: String,
    /// Each draw: 16 hex digits for each part, with spaces between them.
    pub draws: Vec<String>,
    /// The schema by whose rule `whole` is made, if that is not the file's.
    #[serde(rename = "schema", default, skip_serializing_if = "Option::is_none")]
    former_schema: Option<u32>,
}

/// What the goldens of a case were drawn from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedInputs {
    schema: u32,
    /// The names of a draw's parts.
    parts: Vec<String>,
    /// Ascending by frame.
    frames: Vec<FrameInputs>,
}

/// What has changed since a golden was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputChange {
    /// Nothing that the frame is drawn from.
    Nothing,
    /// A draw; and how many draws after it, of those that both recordings have.
    Draw {
        /// Its number in the frame.
        draw: u32,
        /// What of it, in words.
        parts: Vec<String>,
        /// How many more have changed in a shader or in their state.
        more: usize,
    },
    /// The number of draws, which are the same as far as both have them.
    DrawCount {
        /// Now.
        now: usize,
        /// When the golden was recorded.
        then: usize,
    },
    /// What the draws are drawn over.
    Beneath,
}

impl FrameInputs {
    /// What a frame is drawn from.
    pub fn of(hasher: &mut InputHasher, frame: FrameIndex) -> Result<Self, ReplayError> {
        let whole = hasher.frame(frame)?.ok_or(NOT_INDEXED)?;
        let draws = hasher.draw_parts(frame)?;
        let words = draws.iter().map(|parts| parts.each_ref().map(|part| short(&part.digest)).join(" "));
        Ok(Self { frame, whole: short(&whole.0), draws: words.collect(), former_schema: None })
    }

    /// True if `whole` is made by the rule of schema 1.
    fn is_former(&self) -> bool {
        self.former_schema.is_some()
    }

    /// These inputs, hashed by the rule by which `then` is.
    pub fn by_rule_of(&self, then: &Self, hasher: &mut InputHasher) -> Result<Self, ReplayError> {
        if !then.is_former() {
            return Ok(self.clone());
        }
        let whole = hasher.frame_of_schema_1(self.frame)?.ok_or(NOT_INDEXED)?;
        Ok(Self { whole: short(&whole.0), former_schema: Some(FORMER_SCHEMA), ..self.clone() })
    }

    /// What a draw's shaders are known by, those of all stages: 16 hex digits each.
    pub fn shaders_of(&self, draw: u32) -> Option<String> {
        let mut parts = self.draws.get(draw as usize)?.split(' ');
        Some(format!("{} {}", parts.next()?, parts.next()?))
    }

    /// What is another one now than it was `then`.
    pub fn change_since(&self, then: &Self) -> InputChange {
        let pairs = (0..).zip(self.draws.iter().zip(&then.draws));
        let mut changed = pairs.filter(|(_, (now, then))| now != then);
        if let Some((draw, (now, then))) = changed.next() {
            let parts = now.split(' ').zip(then.split(' ')).zip(DRAW_PARTS);
            let parts = parts.filter(|((now, then), _)| now != then).map(|(_, name)| name.to_owned()).collect();
            let more = changed.filter(|(_, (now, then))| differs_of_itself(now, then)).count();
            return InputChange::Draw { draw, parts, more };
        }
        match (self.draws.len(), then.draws.len()) {
            (now, then) if now != then => InputChange::DrawCount { now, then },
            _ if self.whole != then.whole => InputChange::Beneath,
            _ => InputChange::Nothing,
        }
    }
}

const NOT_INDEXED: Internal = Internal::new("a rendered frame is not in the index");

/// Whether a draw differs in more than the data it reads, which may be what an earlier draw made of them.
fn differs_of_itself(now: &str, then: &str) -> bool {
    let mut parts = now.split(' ').zip(then.split(' ')).zip(PART_NAMES);
    parts.any(|((now, then), name)| now != then && name != "bytes")
}

fn short(digest: &[u8]) -> String {
    digest.iter().take(KEPT_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

impl RecordedInputs {
    /// Of no frames.
    pub fn none() -> Self {
        let parts = PART_NAMES.map(ToOwned::to_owned).to_vec();
        Self { schema: INPUTS_SCHEMA, parts, frames: Vec::new() }
    }

    /// What the case in `folder` has; `None` if it was recorded by a version that kept none.
    pub fn read(folder: &Path) -> Result<Option<Self>, GoldenError> {
        let path = folder.join(INPUTS_FILE);
        let text = match read_text_within(&path, MAX_INPUTS_BYTES) {
            Ok(text) => text,
            // silent: the case is older than such files
            Err(GoldenError::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let read: Result<Self, _> = serde_json::from_str(&text);
        let unusable = |message: String| GoldenError::Inputs { path: path.clone(), message };
        let mut inputs = read.map_err(|error| unusable(error.to_string()))?;
        let expected = Self::none();
        if FORMER_PART_NAMES.iter().any(|names| inputs.parts == *names) {
            inputs.parts.clone_from(&expected.parts);
        }
        if inputs.schema == FORMER_SCHEMA {
            inputs.schema = INPUTS_SCHEMA;
            inputs.frames.iter_mut().for_each(|frame| frame.former_schema = Some(FORMER_SCHEMA));
        }
        match (inputs.schema, inputs.parts == expected.parts) {
            (INPUTS_SCHEMA, true) => match inputs.first_fault() {
                None => Ok(Some(inputs)),
                Some(fault) => Err(unusable(fault)),
            },
            (INPUTS_SCHEMA, false) => Err(unusable(format!("parts: expected {}", PART_NAMES.join(", ")))),
            (found, _) => Err(unusable(format!("schema is {found}: expected {FORMER_SCHEMA} or {INPUTS_SCHEMA}"))),
        }
    }

    /// What is wrong with what a file says.
    fn first_fault(&self) -> Option<String> {
        let is_digest =
            |word: &str| word.len() == 2 * KEPT_BYTES && word.bytes().all(|digit| digit.is_ascii_hexdigit());
        let is_draw = |draw: &String| draw.split(' ').count() == DRAW_PARTS.len() && draw.split(' ').all(is_digest);
        if !self.frames.is_sorted_by(|one, next| one.frame < next.frame) {
            return Some("frames: expected each frame once, in order".to_owned());
        }
        let of_other_schema =
            |inputs: &&FrameInputs| inputs.former_schema.is_some_and(|schema| schema != FORMER_SCHEMA);
        if let Some(FrameInputs { frame, former_schema: Some(found), .. }) = self.frames.iter().find(of_other_schema) {
            return Some(format!("frame {frame}: schema is {found}: expected {FORMER_SCHEMA}, or none"));
        }
        let is_wrong = |inputs: &&FrameInputs| !is_digest(&inputs.whole) || !inputs.draws.iter().all(is_draw);
        let wrong = self.frames.iter().find(is_wrong)?;
        Some(format!(
            "frame {}: expected 16 hex digits for the frame, and four groups of 16 for each draw",
            wrong.frame
        ))
    }

    /// What a frame was drawn from, if that is known.
    pub fn of_frame(&self, frame: FrameIndex) -> Option<&FrameInputs> {
        // silent: the frame was approved before such files were written
        let place = self.frames.binary_search_by_key(&frame, |inputs| inputs.frame).ok()?;
        self.frames.get(place)
    }

    /// The same with `new` in the place of what was known of that frame.
    pub fn set(&mut self, new: FrameInputs) {
        let place = self.frames.partition_point(|known| known.frame < new.frame);
        match self.frames.get_mut(place) {
            Some(known) if known.frame == new.frame => *known = new,
            _ => self.frames.insert(place, new),
        }
    }

    /// Number of frames with hashes by the rule of schema 1.
    pub fn former_count(&self) -> usize {
        self.frames.iter().filter(|frame| frame.is_former()).count()
    }

    /// Has the hashes of frames be by the rule of this schema, where the trace still has the hash that was recorded.
    pub fn convert(&mut self, hasher: &mut InputHasher) -> Result<(), ReplayError> {
        for inputs in self.frames.iter_mut().filter(|inputs| inputs.is_former()) {
            let former = hasher.frame_of_schema_1(inputs.frame)?;
            if former.is_some_and(|former| short(&former.0) == inputs.whole) {
                let whole = hasher.frame(inputs.frame)?.ok_or(NOT_INDEXED)?;
                (inputs.whole, inputs.former_schema) = (short(&whole.0), None);
            }
        }
        Ok(())
    }

    /// The file's text.
    pub fn to_text(&self) -> Result<String, Internal> {
        let text = serde_json::to_string_pretty(self);
        Ok(text.map_err(|_| Internal::new("the inputs of goldens cannot be written as JSON"))? + "\n")
    }
}

impl fmt::Display for InputChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str(
                "the frame's inputs are unchanged since the golden was recorded: the driver or this program \
                    has changed",
            ),
            Self::Draw { draw, parts, more } => {
                write!(f, "since the golden was recorded, draw {draw} has changed in {}", parts.join(", "))?;
                if parts.iter().any(|part| part == STATE) {
                    f.write_str(" (`compare` with the earlier trace names what)")?;
                }
                match more {
                    0 => Ok(()),
                    1 => f.write_str("; one more draw has changed in its shaders or state"),
                    more => write!(f, "; {more} more draws have changed in their shaders or state"),
                }
            }
            Self::DrawCount { now, then } => {
                let draws = if *now == 1 { "draw" } else { "draws" };
                write!(f, "the frame has {now} {draws} now, but had {then} when the golden was recorded")
            }
            Self::Beneath => f.write_str(
                "since the golden was recorded, no draw of the frame has changed, but something before the \
                    draws has: a CLEAR, a copy or an earlier frame (`compare` with the earlier trace names what)",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(whole: &str, draws: &[&str]) -> FrameInputs {
        let draws = draws.iter().map(|draw| (*draw).to_owned()).collect();
        FrameInputs { frame: FrameIndex(3), whole: whole.to_owned(), draws, former_schema: None }
    }

    #[test]
    fn the_first_change_is_named() {
        let then = inputs("a", &["1 2 3 4", "5 6 7 8", "9 9 9 9"]);
        let since = |whole: &str, draws: &[&str]| inputs(whole, draws).change_since(&then).to_string();
        assert!(since("a", &["1 2 3 4", "5 6 7 8", "9 9 9 9"]).starts_with("the frame's inputs are unchanged"));
        let words = since("b", &["1 2 3 4", "5 0 7 0", "9 0 9 9"]);
        assert_eq!(
            words,
            "since the golden was recorded, draw 1 has changed in the fragment shader, its state (`compare` with \
             the earlier trace names what); one more draw has changed in its shaders or state"
        );
        // What a draw reads may be what the one before has drawn.
        let words = since("b", &["1 2 3 4", "5 0 7 0", "9 9 0 9"]);
        assert!(words.ends_with("its state (`compare` with the earlier trace names what)"), "{words}");
        assert!(since("b", &["1 2 3 4"]).contains("has 1 draw now, but had 3"));
        assert!(since("b", &["1 2 3 4", "5 6 7 8", "9 9 9 9"]).contains("something before the draws has"));
    }

    #[test]
    fn a_frame_is_recorded_once() {
        let mut recorded = RecordedInputs::none();
        for whole in ["a", "b"] {
            recorded.set(FrameInputs { frame: FrameIndex(9), ..inputs(whole, &[]) });
            recorded.set(inputs(whole, &["1 2 3 4"]));
        }
        assert_eq!(recorded.frames.len(), 2);
        assert_eq!(recorded.of_frame(FrameIndex(3)), Some(&inputs("b", &["1 2 3 4"])));
        assert_eq!(recorded.of_frame(FrameIndex(4)), None);
        assert_eq!(
            recorded.first_fault(),
            Some(format!("frame 3: {}", "expected 16 hex digits for the frame, and four groups of 16 for each draw"))
        );
        let digests = ["0123456789abcdef"; 4].join(" ");
        let mut sound = RecordedInputs::none();
        sound.set(inputs("0123456789abcdef", &[&digests]));
        assert_eq!(sound.first_fault(), None);
        sound.frames.push(sound.frames[0].clone());
        assert_eq!(sound.first_fault().unwrap(), "frames: expected each frame once, in order");
        let text = recorded.to_text().unwrap();
        assert_eq!(serde_json::from_str::<RecordedInputs>(&text).unwrap(), recorded);
    }
}
