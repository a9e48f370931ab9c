//! Uploads that are for nothing.

use std::collections::{HashMap, HashSet};

use super::resolved_command::{CommandNumber, ResolvedCommand, readable_bytes};
use super::writers::Writers;
use super::{BoundBuffer, TraceIndex};
use crate::error::Internal;

/// An upload none of whose bytes any draw can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreadUpload {
    /// The upload.
    pub upload: CommandNumber,
    /// Whether later uploads overwrote all of it.
    pub is_overwritten: bool,
}

impl TraceIndex {
    /// Every upload that no draw reads, in file order.
    pub fn unread_uploads(&self) -> Result<Vec<UnreadUpload>, Internal> {
        let mut unread: HashMap<CommandNumber, Writers> = HashMap::new();
        let mut read = HashSet::new();
        for (number, (_, step)) in self.steps_in(0..self.command_count())? {
            match *step {
                ResolvedCommand::Upload { create, start, end } => {
                    unread.entry(create).or_default().write(start..end, number)
                }
                ResolvedCommand::Draw { vertex_count, first_vertex, vertices: Some(vertices), .. } => {
                    let BoundBuffer { create, size_bytes, layout } = self.bound_buffer(vertices)?;
                    let range = readable_bytes(&layout, first_vertex, vertex_count, size_bytes);
                    // Nothing may have been uploaded to it so far.
                    if let Some(writers) = unread.get_mut(&create) {
                        writers.take(range, |writer| {
                            read.insert(writer);
                        });
                    }
                }
                _ => {}
            }
        }
        let left: HashSet<u32> =
            unread.values().flat_map(|writers| writers.stretches().map(|(_, _, writer)| writer)).collect();
        let writes = |step: &ResolvedCommand| matches!(step, ResolvedCommand::Upload { start, end, .. } if start < end);
        let uploads = self.numbers_in(0..self.command_count(), writes);
        let unread = uploads.filter(|upload| !read.contains(&upload.0));
        Ok(unread.map(|upload| UnreadUpload { upload, is_overwritten: !left.contains(&upload.0) }).collect())
    }
}
