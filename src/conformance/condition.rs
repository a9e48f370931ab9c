//! Conditions under which rows fail: the few values that failing rows have in common, and no right row has.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::outcome::Outcome;
use super::row::ConformanceRow;
use super::table::TableOfDevice;
use super::uses::Described;

/// Values of at most so many axes.
const MOST_AXES: usize = 3;
/// Axes that come last: a condition names them only where no other does.
const LAST: [&str; 2] = ["filter", "address"];

/// Values of some axes of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Condition {
    group: &'static str,
    values: Vec<(&'static str, &'static str)>,
}

impl Condition {
    fn is_of_row(&self, row: &ConformanceRow) -> bool {
        row.group() == self.group && self.values.iter().all(|(axis, value)| row.value(axis) == Some(*value))
    }

    /// Whether a use meets it; a value that is not known of the use meets none.
    fn is_of(&self, described: &Described) -> bool {
        let has = |(axis, value): &(&str, &str)| {
            // A trace does not tell a texture from a view of all of it.
            let value = if *value == "no-view" { "whole" } else { *value };
            described.values.get(axis) == Some(&value)
        };
        described.group == self.group && self.values.iter().all(has)
    }

    /// Number of axes that come last.
    fn last_axes(&self) -> usize {
        self.values.iter().filter(|(axis, _)| LAST.contains(axis)).count()
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.values.iter().map(|(axis, value)| format!("{axis} {value}")).collect();
        write!(f, "{}: {}", self.group, values.join(", "))
    }
}

/// A device's rows, and the conditions of those that fail.
pub(super) struct FailingTable<'a> {
    pub api: &'a str,
    rows: &'a [(ConformanceRow, Outcome)],
    conditions: Vec<Condition>,
}

impl<'a> FailingTable<'a> {
    pub(super) fn of(device: &'a TableOfDevice) -> Self {
        let mut support: BTreeMap<Condition, usize> = BTreeMap::new();
        let mut excused: BTreeSet<Condition> = BTreeSet::new();
        for (row, outcome) in &device.rows {
            for condition in conditions_of(row) {
                if outcome.fails() {
                    *support.entry(condition).or_default() += 1;
                } else if outcome.is_right() && !may_be_blank(row) {
                    excused.insert(condition);
                }
            }
        }
        support.retain(|condition, _| !excused.contains(condition));
        // Of a failing row the condition that most failing rows share; of equal ones the shortest.
        let best = |row: &ConformanceRow| {
            let all = conditions_of(row).filter_map(|condition| {
                let count = *support.get(&condition)?;
                Some((condition.last_axes(), std::cmp::Reverse(count), condition.values.len(), condition))
            });
            Some(all.min()?.3)
        };
        let failing = device.rows.iter().filter(|(_, outcome)| outcome.fails());
        let conditions: BTreeSet<Condition> = failing.filter_map(|(row, _)| best(row)).collect();
        Self { api: &device.api, rows: &device.rows, conditions: conditions.into_iter().collect() }
    }

    /// Conditions of all failing rows, with what [`Self::explained_by`] says of them.
    pub(super) fn explanations(&self) -> impl Iterator<Item = (String, usize, String)> + '_ {
        self.conditions.iter().map(|condition| {
            let (rows, outcome) = self.explained_by(condition);
            (condition.to_string(), rows, outcome)
        })
    }

    /// Conditions that something in a trace meets.
    pub(super) fn matching(&self, described: &Described) -> Vec<&Condition> {
        self.conditions.iter().filter(|condition| condition.is_of(described)).collect()
    }

    /// Number of rows under a condition, and the worst outcome of them.
    pub(super) fn explained_by(&self, condition: &Condition) -> (usize, String) {
        let rows: Vec<&Outcome> = self
            .rows
            .iter()
            .filter(|(row, outcome)| outcome.fails() && condition.is_of_row(row))
            .map(|(_, outcome)| outcome)
            .collect();
        let rank = |outcome: &&&Outcome| match outcome {
            Outcome::Differs { steps } => 256 + u32::from(*steps),
            Outcome::Failed { .. } => 1,
            _ => 0,
        };
        let worst = rows.iter().max_by_key(rank).map(ToString::to_string);
        (rows.len(), worst.unwrap_or_default())
    }
}

/// Whether a row may draw no pixel at all, which is right on every device and tells nothing of the row's other values.
fn may_be_blank(row: &ConformanceRow) -> bool {
    let has = |axis, values: &[&str]| row.value(axis).is_some_and(|value| values.contains(&value));
    has("scissor", &["empty-scissor"]) || has("viewport", &["empty", "larger-than-textures"])
}

/// Every condition of few axes that a row meets.
fn conditions_of(row: &ConformanceRow) -> impl Iterator<Item = Condition> + use<> {
    let (group, values) = (row.group(), row.axes().iter().map(|axis| axis.name).zip(row.values()).collect::<Vec<_>>());
    let chosen = (1_u32..1 << values.len()).filter(|bits| bits.count_ones() as usize <= MOST_AXES);
    chosen.map(move |bits| {
        let values = values.iter().enumerate().filter(|(number, _)| bits >> number & 1 == 1);
        Condition { group, values: values.map(|(_, value)| *value).collect() }
    })
}
