//! What a frame consists of.

use super::{ResolvedCommand, TraceIndex};
use crate::format::aerogpu::FrameIndex;
use crate::replay::d3d::EffectKind;

/// What a frame consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameContents {
    /// Commands, those that are not carried out among them.
    pub commands: u32,
    /// Submissions, up to the last that has commands.
    pub submissions: u32,
    /// Draws that are carried out, or are alone in what is wrong with them.
    pub draws: u32,
    /// Dispatches of compute shaders.
    pub dispatches: u32,
    /// Uploads, and ranges of guest memory that are taken over.
    pub uploads: u32,
    /// Presents.
    pub presents: u32,
}

impl TraceIndex {
    /// What a frame consists of; `None` if it is not in the index.
    pub fn contents_of(&self, frame: FrameIndex) -> Option<FrameContents> {
        let own = self.commands_of(frame)?;
        let steps = self.steps.range(own.clone())?;
        let mut contents = FrameContents { commands: own.end - own.start, ..FrameContents::default() };
        let last = self.submissions.partition_point(|start| start.first < own.end);
        let place = self.submissions.get(..last)?.iter().rev().take_while(|start| start.first >= own.start);
        contents.submissions = place.filter_map(|start| start.place).map(|place| place.number() + 1).max().unwrap_or(0);
        for (_, step) in steps {
            match step {
                ResolvedCommand::Draw { .. }
                | ResolvedCommand::Submitted { kind: EffectKind::Draw | EffectKind::FailedDraw, .. } => {
                    contents.draws += 1
                }
                ResolvedCommand::Submitted { kind: EffectKind::Dispatch, .. } => contents.dispatches += 1,
                ResolvedCommand::Upload { .. } | ResolvedCommand::Submitted { kind: EffectKind::Upload, .. } => {
                    contents.uploads += 1
                }
                ResolvedCommand::Present | ResolvedCommand::Submitted { kind: EffectKind::Present, .. } => {
                    contents.presents += 1
                }
                _ => {}
            }
        }
        Some(contents)
    }
}
