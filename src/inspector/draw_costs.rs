//! How long the draws of a frame take, once somebody has asked for it.

use std::sync::Arc;

use egui::Color32;

use super::document::{Document, QuestionKind};
use super::player_worker::InspectorError;
use super::promise::Promise;
use super::question::{Answer, DependsOn, Epoch};
use crate::format::aerogpu::FrameIndex;
use crate::player::DrawTimes;

/// A frame whose draws were timed.
pub(super) struct TimedFrame {
    pub times: DrawTimes,
    /// The numbers of its draws' packets in the frame, ascending.
    pub draw_packets: Vec<u32>,
}

impl TimedFrame {
    /// What a draw takes, in nanoseconds, if it draws anything.
    pub(crate) fn of_draw(&self, draw: u32) -> Option<u64> {
        let packet = self.draw_packets.get(draw as usize)?;
        self.times.by_packet.get(packet).copied()
    }

    /// The draw that a packet is, if it is one.
    pub(crate) fn draw_of_packet(&self, packet: u32) -> Option<u32> {
        self.draw_packets.binary_search(&packet).ok().map(|draw| draw as u32)
    }

    /// What the costliest of all takes.
    pub(crate) fn most_nanos(&self) -> u64 {
        self.times.by_packet.values().copied().max().unwrap_or(0)
    }
}

/// `None`: the device has no clock.
type Timing = Result<Option<Arc<TimedFrame>>, InspectorError>;

/// The frame whose draws were asked about last. They are timed when somebody says so, and not whenever a shader is edited.
#[derive(Default)]
pub(super) struct DrawCosts {
    asked: Option<Asked>,
}

struct Asked {
    frame: FrameIndex,
    epoch: Epoch,
    timing: Promise<Timing>,
}

impl DrawCosts {
    /// Has the draws of a frame timed, once more if they were.
    pub(crate) fn measure(&mut self, document: &Document, frame: FrameIndex) {
        let timing = document.ask_player(QuestionKind::DrawTimes, move |thread| thread.time_draws(frame));
        self.asked = Some(Asked { frame, epoch: document.epoch(DependsOn::Shaders), timing });
    }

    /// Whether it was this frame.
    pub(crate) fn has_asked(&self, frame: FrameIndex) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.frame == frame)
    }

    /// What is known of the frame.
    pub(crate) fn get(&self, document: &Document) -> Option<Answer<&Timing>> {
        let Asked { epoch, timing, .. } = self.asked.as_ref()?;
        Some(Answer { value: timing.get()?, is_old: *epoch != document.epoch(DependsOn::Shaders) })
    }

    /// The times of a frame, if they are known and still those of its shaders.
    pub(crate) fn of_frame(&self, document: &Document, frame: FrameIndex) -> Option<&TimedFrame> {
        let known = self.get(document).filter(|known| !known.is_old && self.has_asked(frame))?;
        known.value.as_ref().ok()?.as_deref()
    }
}

/// A length as it stands beside draws: three digits and a unit.
pub(super) fn in_units(nanos: u64) -> String {
    match nanos {
        0..1_000 => format!("{nanos} ns"),
        1_000..10_000 => format!("{:.2} µs", nanos as f64 / 1e3),
        10_000..100_000 => format!("{:.1} µs", nanos as f64 / 1e3),
        100_000..1_000_000 => format!("{:.0} µs", nanos as f64 / 1e3),
        1_000_000..10_000_000 => format!("{:.2} ms", nanos as f64 / 1e6),
        10_000_000..100_000_000 => format!("{:.1} ms", nanos as f64 / 1e6),
        _ => format!("{:.0} ms", nanos as f64 / 1e6),
    }
}

/// The colour of a part of what the costliest draw takes.
pub(super) fn heat(part: f32) -> Color32 {
    let mix = |from: u8, to: u8| (f32::from(from) + (f32::from(to) - f32::from(from)) * part) as u8;
    let ([r, g, b], [to_r, to_g, to_b]) = ([0x4a, 0x7c, 0xa8], [0xe0, 0x62, 0x3a]);
    Color32::from_rgb(mix(r, to_r), mix(g, to_g), mix(b, to_b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_three_digits() {
        let lengths = [7, 999, 1_234, 12_345, 123_456, 1_234_567, 12_345_678, 123_456_789].map(in_units);
        assert_eq!(lengths, ["7 ns", "999 ns", "1.23 µs", "12.3 µs", "123 µs", "1.23 ms", "12.3 ms", "123 ms"]);
    }
}
