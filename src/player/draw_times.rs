//! How long each draw of a frame takes on this GPU.

use std::collections::BTreeMap;
use std::time::Duration;

use web_time::Instant;

use super::{Player, PlayerError};
use crate::command::{Place, Point};
use crate::format::aerogpu::FrameIndex;
use crate::gpu::{FrameTimes, TimedParts};

/// How much longer or shorter, in hundredths, a frame may be whose draws are timed than one that is timed as a whole.
const MOST_PERCENT_APART: u64 = 20;

/// How long a frame's draws take, replayed on one GPU: medians of several runs, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawTimes {
    /// The frame.
    pub frame: FrameIndex,
    /// How often it was carried out in each way.
    pub runs: u32,
    /// By the packet's number in the frame: its draws and dispatches that have anything to draw.
    pub by_packet: BTreeMap<u32, u64>,
    /// All of the frame's work on the GPU but for uploads, while each draw was timed.
    pub timed_nanos: u64,
    /// The same while it was timed as a whole.
    pub untimed_nanos: u64,
}

impl DrawTimes {
    /// What all draws and dispatches have taken.
    pub fn sum_nanos(&self) -> u64 {
        // A driver may tell anything.
        self.by_packet.values().fold(0, |sum, nanos| sum.saturating_add(*nanos))
    }

    /// Whether timing each draw has left the frame about as long as it is; else the times say little.
    pub fn are_reliable(&self) -> bool {
        let apart = u128::from(self.timed_nanos.abs_diff(self.untimed_nanos));
        apart * 100 <= u128::from(self.untimed_nanos) * u128::from(MOST_PERCENT_APART)
    }
}

impl Player {
    /// Carries out a frame up to `runs` times with each of its draws timed, and as often without, in turns; once at least,
    /// and not again when `patience` is over. `None` if the device has no clock.
    pub fn time_draws(
        &mut self,
        frame: FrameIndex,
        runs: u32,
        patience: Duration,
    ) -> Result<Option<DrawTimes>, PlayerError> {
        let begun = Instant::now();
        if !self.gpu.renderer.gpu().can_time_draws() {
            return Ok(None);
        }
        // Pipelines are made, and whatever is kept on the way.
        self.time_once(frame, TimedParts::Whole)?;
        let (mut timed, mut untimed) = (Vec::new(), Vec::new());
        while timed.is_empty() || (timed.len() < runs as usize && begun.elapsed() < patience) {
            untimed.push(self.time_once(frame, TimedParts::Whole)?);
            timed.push(self.time_once(frame, TimedParts::EachDraw)?);
        }
        let mut by_packet = BTreeMap::<u32, Vec<u64>>::new();
        for (packet, nanos) in timed.iter().flat_map(|times| &times.draws) {
            by_packet.entry(*packet).or_default().push(*nanos);
        }
        let whole = |runs: &[FrameTimes]| median(runs.iter().map(|times| times.whole_nanos).collect());
        Ok(Some(DrawTimes {
            frame,
            runs: timed.len() as u32,
            by_packet: by_packet.into_iter().map(|(packet, nanos)| (packet, median(nanos))).collect(),
            timed_nanos: whole(&timed),
            untimed_nanos: whole(&untimed),
        }))
    }

    fn time_once(&mut self, frame: FrameIndex, parts: TimedParts) -> Result<FrameTimes, PlayerError> {
        self.seek(Place { frame, point: Point::Start })?;
        self.gpu.renderer.start_timing(frame, parts);
        let played = self.seek(frame);
        // Whatever has gone wrong, nothing is timed from here on.
        let times = self.gpu.renderer.finish_timing();
        played?;
        Ok(times?)
    }
}

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}
