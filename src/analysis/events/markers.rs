//! The groups that markers make of a frame's rows.

use serde_json::{Value, json};

use super::FrameEvents;
use crate::command::MarkerGroup;

/// The groups of a frame, and the rows in them.
#[derive(Clone, Debug, Default)]
pub struct FrameMarkers {
    /// All groups, in the order of their markers; each counts its range by rows.
    pub groups: Vec<MarkerGroup>,
    /// Rows from which on another group is the innermost, ascending.
    changes: Vec<(u32, Option<u32>)>,
}

impl FrameMarkers {
    /// From a row on, which is none before the last one given, this group is the innermost.
    pub(super) fn begin(&mut self, row: u32, group: Option<u32>) {
        if let Some(last) = self.changes.last_mut().filter(|(from, _)| *from == row) {
            last.1 = group;
        } else if self.changes.last().is_none_or(|(_, last)| *last != group) {
            self.changes.push((row, group));
        }
    }
}

impl FrameEvents {
    /// The innermost group that a row is in, by its number. Records are in none.
    pub fn marker_group_of(&self, row: u32) -> Option<u32> {
        self.rows.get(row as usize)?.submission?;
        let after = self.markers.changes.partition_point(|(from, _)| *from <= row);
        self.markers.changes.get(after.checked_sub(1)?)?.1
    }

    /// The groups that a row is in, by their numbers, the outermost first.
    pub fn marker_groups_of(&self, row: u32) -> Vec<u32> {
        let parent_of = |group: &u32| self.markers.groups.get(*group as usize)?.parent;
        let mut path: Vec<u32> = std::iter::successors(self.marker_group_of(row), parent_of).collect();
        path.reverse();
        path
    }

    /// The texts of the groups that a row is in, the outermost first.
    pub fn marker_path(&self, row: u32) -> Vec<&str> {
        self.marker_groups_of(row).into_iter().map(|group| self.marker_name(group)).collect()
    }

    /// Members of the JSON line that only a row of a stream has: the submission, its context, and the groups of markers.
    pub fn of_stream(&self, row: u32) -> Vec<(&'static str, Value)> {
        let Some(submission) = self.rows.get(row as usize).and_then(|row| row.submission) else { return Vec::new() };
        let path = self.marker_path(row);
        let place = [("submission", json!(submission.number())), ("context", json!(submission.context()))];
        let innermost = path.last().map(|innermost| ("marker", json!(innermost)));
        place.into_iter().chain(innermost).chain([("markers", json!(path))]).collect()
    }

    /// Depth of a group: the number of groups around it.
    pub fn marker_depth(&self, group: u32) -> usize {
        let parent_of = |group: &u32| self.markers.groups.get(*group as usize)?.parent;
        std::iter::successors(parent_of(&group), parent_of).count()
    }

    /// The text of a group.
    pub fn marker_name(&self, group: u32) -> &str {
        self.markers.groups.get(group as usize).map_or("", |group| group.name.as_str())
    }
}
