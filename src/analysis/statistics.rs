//! A frame and a trace in numbers, and what in a trace looks like a mistake.

use std::collections::BTreeMap;

use super::{Analysis, AnalysisError};
use crate::command::Command;
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::{CommandReader, FrameContents, LintFinding, ReplayError, lint_opened};

/// A frame in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameStatistics {
    /// The frame.
    pub frame: FrameIndex,
    /// Its bytes in the file.
    pub size_bytes: u64,
    /// What it consists of.
    pub contents: FrameContents,
    /// The vertices of its draws, or their indices, those of each instance among them.
    pub vertices: u64,
    /// How many records and packets there are, by name, most first.
    pub packets: Vec<(&'static str, u32)>,
}

/// A trace in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStatistics {
    /// Its bytes.
    pub size_bytes: u64,
    /// How many frames can be read.
    pub frames: u32,
    /// Commands of all frames.
    pub commands: u64,
    /// Draws of all frames.
    pub draws: u64,
    /// The first of the frames with most draws, and how many it has.
    pub most_draws: Option<(FrameIndex, u32)>,
}

impl Analysis {
    /// A frame in numbers.
    pub fn frame_statistics(&self, frame: FrameIndex) -> Result<FrameStatistics, AnalysisError> {
        let events = self.events(frame)?;
        let contents = self.index.contents_of(frame);
        let contents =
            contents.ok_or(Internal::new("a frame with events is not in the index")).map_err(ReplayError::from)?;
        let mut counts: BTreeMap<&'static str, u32> = BTreeMap::new();
        events.rows.iter().for_each(|row| *counts.entry(row.kind.name()).or_default() += 1);
        let mut packets: Vec<_> = counts.into_iter().collect();
        packets.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mut reader = CommandReader::new(self.trace.clone());
        let mut vertices = 0u64;
        for number in self.index.draws_of(frame) {
            let at = self.index.require_location(number).map_err(ReplayError::from)?;
            let (count, instances) = match reader.read(at)?.value {
                Command::Draw(draw) => (draw.vertex_count, draw.instance_count),
                Command::DrawIndexed(draw) => (draw.index_count, draw.instance_count),
                _ => continue,
            };
            vertices = vertices.saturating_add(u64::from(count).saturating_mul(u64::from(instances)));
        }
        let size_bytes = events.bytes.end - events.bytes.start;
        Ok(FrameStatistics { frame, size_bytes, contents, vertices, packets })
    }

    /// The trace in numbers.
    pub fn trace_statistics(&self) -> TraceStatistics {
        let (mut draws, mut most_draws) = (0, None::<(FrameIndex, u32)>);
        for frame in (0..self.index.frame_count() as u32).map(FrameIndex) {
            let count = self.draw_count(frame);
            draws += u64::from(count);
            if most_draws.is_none_or(|(_, most)| most < count) {
                most_draws = Some((frame, count));
            }
        }
        TraceStatistics {
            size_bytes: self.trace.size_bytes(),
            frames: self.index.frame_count() as u32,
            commands: self.index.command_count().into(),
            draws,
            most_draws,
        }
    }

    /// Findings of `lint`: legal things that look like mistakes, and faults of submissions.
    /// Reads all of it.
    pub fn mistakes(&self) -> Result<Vec<LintFinding>, AnalysisError> {
        Ok(lint_opened(&self.trace, &self.index)?.findings)
    }
}
