//! What rows and draws on the screen say, decoded where nobody waits for it.
//!
//! The tree asks for what it shows and does not know; until that is there, a row has its name, and a draw its number.

use std::collections::{BTreeMap, BTreeSet};

use super::document::{Document, QuestionKind};
use super::promise::Promise;
use crate::analysis::{Analysis, EventRow};
use crate::format::aerogpu::FrameIndex;

/// Rows whose texts are kept; more than fit on any screen.
const KEPT: usize = 2000;

/// The texts of one frame.
#[derive(Default)]
pub(super) struct EventTexts {
    frame: Option<FrameIndex>,
    known: Told,
    asked: Option<Promise<Result<Told, String>>>,
}

/// Texts, by the numbers of rows and of draws.
#[derive(Clone, Default)]
struct Told {
    rows: BTreeMap<u32, String>,
    draws: BTreeMap<u32, String>,
}

/// What is on the screen.
#[derive(Default)]
pub(super) struct Shown {
    pub rows: BTreeMap<u32, EventRow>,
    pub draws: BTreeSet<u32>,
}

impl EventTexts {
    /// Forgets the texts of another frame than this.
    pub(crate) fn begin(&mut self, frame: FrameIndex) {
        if self.frame != Some(frame) {
            *self = Self { frame: Some(frame), ..Self::default() };
        }
    }

    /// A row's arguments, once they are decoded.
    pub(crate) fn row(&self, row: u32) -> Option<&str> {
        self.known.rows.get(&row).map(String::as_str)
    }

    /// What a draw is, in short, once that is known.
    pub(crate) fn draw(&self, draw: u32) -> Option<&str> {
        self.known.draws.get(&draw).map(String::as_str)
    }

    /// Takes what was told, and asks for what is shown and not known.
    pub(crate) fn ask(&mut self, document: &Document, mut shown: Shown) {
        if let Some(told) = self.asked.as_ref().and_then(Promise::get).cloned() {
            self.asked = None;
            // What can't be decoded is the frame's error, which the tree shows.
            if let Ok(told) = told {
                self.known.rows.extend(told.rows);
                self.known.draws.extend(told.draws);
            }
        }
        let Some(frame) = self.frame.filter(|_| self.asked.is_none()) else { return };
        if self.known.rows.len() + self.known.draws.len() > KEPT {
            self.known = Told::default();
        }
        shown.rows.retain(|row, _| !self.known.rows.contains_key(row));
        shown.draws.retain(|draw| !self.known.draws.contains_key(draw));
        if !shown.rows.is_empty() || !shown.draws.is_empty() {
            self.asked = document.ask(QuestionKind::EventTexts, move |analysis, _| Ok(tell(analysis, frame, &shown)));
        }
    }
}

fn tell(analysis: &Analysis, frame: FrameIndex, shown: &Shown) -> Told {
    // What can't be decoded has no text, and is not asked for again.
    let rows = shown.rows.iter().map(|(number, row)| (*number, arguments(analysis, frame, row))).collect();
    let mut draws: BTreeMap<u32, String> = shown.draws.iter().map(|draw| (*draw, String::new())).collect();
    let found = analysis.draws(frame, &shown.draws).unwrap_or_default();
    draws.extend(found.iter().map(|record| (record.draw, record.in_short())));
    Told { rows, draws }
}

fn arguments(analysis: &Analysis, frame: FrameIndex, row: &EventRow) -> String {
    let mut text = String::new();
    let arguments = analysis.arguments(row).unwrap_or_default();
    let names = analysis.resource_names(frame, row, &arguments);
    for argument in arguments {
        let unit = argument.meaning.unit();
        let space = if unit.is_empty() { "" } else { " " };
        text.push_str(&format!("  {} {}{space}{unit}", argument.name, argument.value_in_words(&names)));
    }
    text
}
