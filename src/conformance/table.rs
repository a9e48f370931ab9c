//! The table as a file: lines of JSON, one for each device and one for each of its rows.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::condition::FailingTable;
use super::outcome::Outcome;
use super::row::ConformanceRow;
use crate::error::{Classified, ErrorKind};
use crate::text::{JSON_SCHEMA, JsonLine, json_line};

/// The oldest layout of JSON lines whose tables are still read: its names are aliases of today's.
const OLDEST_SCHEMA: u64 = 2;

/// Outcomes of rows on the devices of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConformanceTable {
    /// The devices.
    pub devices: Vec<TableOfDevice>,
}

/// Outcomes of rows on one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableOfDevice {
    /// The API: `vulkan`, `gl`, ….
    pub api: String,
    /// Name of the adapter.
    pub adapter: String,
    /// Name and version of the driver.
    pub driver: String,
    /// The rows.
    pub rows: Vec<(ConformanceRow, Outcome)>,
}

/// A file that is no table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableError {
    /// A line is not one of a table.
    #[error("line {line} of the conformance table: expected {expected}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// The value that should stand there.
        expected: &'static str,
    },
    /// There are no rows.
    #[error("the conformance table has no rows: expected a file written by doctor --conformance")]
    Empty,
}

impl Classified for TableError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Malformed
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

#[derive(Serialize, Deserialize)]
struct DeviceLine {
    api: String,
    adapter: String,
    driver: String,
}

#[derive(Serialize, Deserialize)]
struct RowLine {
    api: String,
    row: String,
    outcome: String,
    #[serde(alias = "steps")]
    largest_step: Option<u8>,
    message: Option<String>,
}

impl TableOfDevice {
    /// Conditions that failing rows share: values of axes, the number of rows, and the worst outcome.
    pub fn explanations(&self) -> Vec<(String, usize, String)> {
        FailingTable::of(self).explanations().collect()
    }
}

impl ConformanceTable {
    /// Its lines, in order.
    pub fn lines(&self) -> Vec<JsonLine> {
        let mut lines = Vec::new();
        for TableOfDevice { api, adapter, driver, rows } in &self.devices {
            lines.push(json_line!("conformance-device", { "api": api, "adapter": adapter, "driver": driver }));
            lines.extend(rows.iter().map(|(row, outcome)| {
                let (word, steps, message) = match outcome {
                    Outcome::Right => ("right", None, None),
                    Outcome::OneStep => ("one-step", Some(1), None),
                    Outcome::Differs { steps } => ("different", Some(*steps), None),
                    Outcome::Refused { message } => ("refused", None, Some(message)),
                    Outcome::Failed { message } => ("error", None, Some(message)),
                    Outcome::NotJudged { message } => ("not-judged", None, Some(message)),
                };
                json_line!("conformance-row", {
                    "api": api, "row": row.name(), "outcome": word, "largest_step": steps, "message": message,
                })
            }));
        }
        lines
    }

    /// Its text.
    pub fn text(&self) -> String {
        self.lines().iter().map(|line| format!("{}\n", line.text())).collect()
    }

    /// The table that a text holds. Lines of other types are those of `doctor --json`, and not looked at.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let mut table = Self::default();
        for (line, text) in (1..).zip(text.lines()) {
            let wrong = |expected| TableError::Line { line, expected };
            let value: serde_json::Value = serde_json::from_str(text).map_err(|_| wrong("a JSON object"))?;
            let schema = value.get("schema").and_then(serde_json::Value::as_u64);
            if !schema.is_some_and(|schema| (OLDEST_SCHEMA..=u64::from(JSON_SCHEMA)).contains(&schema)) {
                return Err(wrong("a line written by this version of doctor --conformance"));
            }
            match value.get("type").and_then(serde_json::Value::as_str) {
                Some("conformance-device") => {
                    let device: DeviceLine =
                        serde_json::from_value(value).map_err(|_| wrong("the API, adapter and driver of a device"))?;
                    let DeviceLine { api, adapter, driver } = device;
                    table.devices.push(TableOfDevice { api, adapter, driver, rows: Vec::new() });
                }
                Some("conformance-row") => {
                    let found: RowLine =
                        serde_json::from_value(value).map_err(|_| wrong("the API, name and outcome of a row"))?;
                    let row: ConformanceRow =
                        found.row.parse().map_err(|_| wrong("the name of a row in this version"))?;
                    let outcome = found.outcome().ok_or(wrong("the outcome of a row"))?;
                    let device = table.devices.last_mut().filter(|device| device.api == found.api);
                    device.ok_or(wrong("a device line before the first row line"))?.rows.push((row, outcome));
                }
                Some(_) => {}
                None => return Err(wrong("the type of the line")),
            }
        }
        if table.devices.iter().all(|device| device.rows.is_empty()) {
            return Err(TableError::Empty);
        }
        Ok(table)
    }
}

impl RowLine {
    fn outcome(&self) -> Option<Outcome> {
        let message = || self.message.clone();
        Some(match self.outcome.as_str() {
            "right" => Outcome::Right,
            "one-step" => Outcome::OneStep,
            "different" => Outcome::Differs { steps: self.largest_step? },
            "refused" => Outcome::Refused { message: message()? },
            "error" => Outcome::Failed { message: message()? },
            "not-judged" => Outcome::NotJudged { message: message()? },
            _ => return None,
        })
    }
}
