//! Outcomes of rows, and their numbers by axis value.

use std::collections::BTreeMap;
use std::fmt;

use super::row::ConformanceRow;

/// Outcome of a row on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The picture is the expected one.
    Right,
    /// No channel of any pixel is more than one step of 255 away.
    OneStep,
    /// The picture differs.
    Differs {
        /// By at most so many steps of 255.
        steps: u8,
    },
    /// The program refused it by name: a combination, a feature or a limit of the device.
    Refused {
        /// Its message.
        message: String,
    },
    /// It has no picture for another reason.
    Failed {
        /// The message.
        message: String,
    },
    /// Nothing is known of it: it was not drawn, or there is no picture to compare it with.
    NotJudged {
        /// Why.
        message: String,
    },
}

impl Outcome {
    /// Whether a user sees the picture that Direct3D draws.
    pub const fn is_right(&self) -> bool {
        matches!(self, Self::Right | Self::OneStep)
    }

    /// Whether a user sees another picture, or none.
    pub const fn fails(&self) -> bool {
        matches!(self, Self::Differs { .. } | Self::Refused { .. } | Self::Failed { .. })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Right => f.write_str("right"),
            Self::OneStep => f.write_str("within one step"),
            Self::Differs { steps } => write!(f, "differs by {steps}"),
            Self::Refused { message } => write!(f, "refused: {message}"),
            Self::Failed { message } => write!(f, "error: {message}"),
            Self::NotJudged { message } => write!(f, "not judged: {message}"),
        }
    }
}

/// Numbers of rows by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Rows that are right.
    pub right: u32,
    /// Rows one step apart.
    pub one_step: u32,
    /// Rows that differ.
    pub different: u32,
    /// The largest of their differences.
    pub largest_step: u8,
    /// Rows that were refused.
    pub refused: u32,
    /// Rows without a picture for another reason.
    pub failed: u32,
    /// Rows of which nothing is known.
    pub not_judged: u32,
}

impl Tally {
    /// Adds an outcome.
    pub fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Right => self.right += 1,
            Outcome::OneStep => self.one_step += 1,
            Outcome::Differs { steps } => {
                self.different += 1;
                self.largest_step = self.largest_step.max(*steps);
            }
            Outcome::Refused { .. } => self.refused += 1,
            Outcome::Failed { .. } => self.failed += 1,
            Outcome::NotJudged { .. } => self.not_judged += 1,
        }
    }

    /// Number of rows.
    pub const fn rows(&self) -> u32 {
        self.right + self.one_step + self.different + self.refused + self.failed + self.not_judged
    }

    /// Number of rows without the picture that Direct3D draws.
    pub const fn failing(&self) -> u32 {
        self.different + self.refused + self.failed
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.right, "right".to_owned()),
            (self.one_step, "within one step".to_owned()),
            (self.different, format!("different by up to {}", self.largest_step)),
            (self.refused, "refused".to_owned()),
            (self.failed, "with errors".to_owned()),
            (self.not_judged, "not judged".to_owned()),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        f.write_str(&parts.collect::<Vec<_>>().join(", "))
    }
}

/// A feature: group, axis and value.
pub type Feature = (&'static str, &'static str, &'static str);

/// Numbers of rows by feature, in the order of groups, axes and values.
pub fn tally<'r>(rows: impl IntoIterator<Item = (&'r ConformanceRow, &'r Outcome)>) -> Vec<(Feature, Tally)> {
    let mut tallies: BTreeMap<(usize, usize, usize), (Feature, Tally)> = BTreeMap::new();
    for (row, outcome) in rows {
        let group = ConformanceRow::GROUPS.iter().position(|name| *name == row.group()).unwrap_or_default();
        for (number, axis) in row.axes().iter().enumerate() {
            let places = row
                .value(axis.name)
                .and_then(|value| Some((axis.values.iter().position(|known| *known == value)?, value)));
            let Some((place, value)) = places else { continue };
            let entry = tallies.entry((group, number, place));
            entry.or_insert(((row.group(), axis.name, value), Tally::default())).1.add(outcome);
        }
    }
    tallies.into_values().collect()
}
