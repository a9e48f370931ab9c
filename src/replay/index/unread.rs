//! Uploads that are for nothing.

use std::collections::{HashMap, HashSet};

use super::TraceIndex;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use super::writers::Writers;
use crate::error::Internal;
use crate::replay::d3d::ObjectKey;

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
        let mut unread: HashMap<ObjectKey, Writers> = HashMap::new();
        let mut read = HashSet::new();
        for (number, step) in self.steps_in(0..self.command_count())? {
            match step {
                ResolvedCommand::Upload { create, start, end } => {
                    unread.entry(ObjectKey::made_by(create.0)).or_default().write(start..end, number)
                }
                step => {
                    // silent: it reads no buffer
                    let Some((buffer, bytes)) = self.bytes_read_by(step)? else { continue };
                    // Nothing may have been uploaded to it so far.
                    // silent: nothing was uploaded to the buffer that could be unread
                    if let Some(writers) = unread.get_mut(&buffer) {
                        writers.take(bytes, |writer| {
                            read.insert(writer);
                        });
                    }
                }
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
