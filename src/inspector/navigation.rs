//! Moving through the trace: steps, jumps, playback, and the picture that follows.

use std::time::Instant;

use egui::Ui;

use super::Inspector;
use super::action::{Direction, EventTarget, Navigation};
use super::player_worker::{Place, Rendered};
use super::problems::Severity;
use super::saved_state::Bookmark;
use crate::format::aerogpu::FrameIndex;
use crate::player::Until;
use crate::text::say;

/// Places that one can go back to.
const TRAIL: usize = 200;

impl Inspector {
    pub(super) fn toggle_play(&mut self) {
        if self.playback.is_playing() {
            self.playback.pause();
            return;
        }
        self.playback.play(Instant::now());
        // Play at the end starts over.
        let is_at_end = self.place.frame == self.document.last_frame();
        let frame = if is_at_end { FrameIndex(0) } else { self.place.frame };
        self.place = Place { frame, until: Until::EndOfFrame };
    }

    /// Goes on to the next frame if it is due and the one before has been shown.
    pub(super) fn play_on(&mut self, ui: &Ui) {
        let Some(next) = self.playback.next() else { return };
        let now = Instant::now();
        if self.asked.is_none() && self.playback.take_due(now) {
            if self.place.frame < self.document.last_frame() {
                self.place = Place { frame: FrameIndex(self.place.frame.0 + 1), until: Until::EndOfFrame };
            } else {
                self.playback.pause();
            }
        }
        ui.ctx().request_repaint_after(next.saturating_duration_since(now));
    }

    pub(super) fn step(&mut self, step: Navigation) {
        let Place { frame, .. } = self.place;
        let last = self.document.last_frame();
        let whole = |frame| Place { frame, until: Until::EndOfFrame };
        match step {
            Navigation::NextFrame => self.place = whole(FrameIndex(frame.0 + 1).min(last)),
            Navigation::PreviousFrame => self.place = whole(FrameIndex(frame.0.saturating_sub(1))),
            Navigation::FirstFrame => self.jump(whole(FrameIndex(0))),
            Navigation::LastFrame => self.jump(whole(last)),
            Navigation::NextDraw => self.next_draw(),
            Navigation::PreviousDraw => self.previous_draw(),
            Navigation::NextPacket => self.step_packet(Direction::Forward),
            Navigation::PreviousPacket => self.step_packet(Direction::Backward),
        }
    }

    fn next_draw(&mut self) {
        let Place { frame, until } = self.place;
        let Some(count) = self.document.draw_count(frame) else { return };
        let until = self.nearest_draw(frame, until);
        self.place = match until {
            Until::AfterDraw(draw) if draw + 1 < count => Place { frame, until: Until::AfterDraw(draw + 1) },
            Until::AfterDraw(_) => Place { frame, until: Until::EndOfFrame },
            _ if frame < self.document.last_frame() => self.first_draw(FrameIndex(frame.0 + 1)),
            _ => self.place,
        };
    }

    /// A place among packets as one among draws.
    fn nearest_draw(&self, frame: FrameIndex, until: Until) -> Until {
        match until {
            Until::AfterPacket(_) => self.document.last_draw(frame, until).map_or(Until::EndOfFrame, Until::AfterDraw),
            _ => until,
        }
    }

    /// One packet on or back, over the borders of frames.
    fn step_packet(&mut self, direction: Direction) {
        let Place { frame, until } = self.place;
        let packets = |frame: FrameIndex| {
            let own = self.document.index().and_then(|index| index.commands_of(frame));
            own.map_or(0, |own| own.len() as u32)
        };
        let count = packets(frame);
        let current = match until {
            Until::AfterPacket(packet) => Some(packet),
            Until::EndOfFrame => count.checked_sub(1),
            Until::AfterDraw(draw) => self.document.packet_of_draw(frame, draw),
        };
        let after = |frame, packet| Place { frame, until: Until::AfterPacket(packet) };
        let last = self.document.last_frame();
        self.place = match (direction, current) {
            (Direction::Forward, Some(packet)) if packet + 1 < count => after(frame, packet + 1),
            (Direction::Forward, _) if frame < last => after(FrameIndex(frame.0 + 1), 0),
            (Direction::Backward, Some(packet)) if packet > 0 => after(frame, packet - 1),
            (Direction::Backward, _) if frame.0 > 0 => {
                let before = FrameIndex(frame.0 - 1);
                after(before, packets(before).saturating_sub(1))
            }
            _ => self.place,
        };
    }

    fn previous_draw(&mut self) {
        let Place { frame, until } = self.place;
        let Some(count) = self.document.draw_count(frame) else { return };
        let until = self.nearest_draw(frame, until);
        let before_frame = || match frame.0.checked_sub(1) {
            Some(before) => Place { frame: FrameIndex(before), until: Until::EndOfFrame },
            None => self.place,
        };
        self.place = match until {
            Until::AfterDraw(0) => before_frame(),
            Until::AfterDraw(draw) => Place { frame, until: Until::AfterDraw(draw - 1) },
            // The whole frame is its last draw, and whatever clears the target after that.
            Until::EndOfFrame if count > 1 => Place { frame, until: Until::AfterDraw(count - 2) },
            _ => before_frame(),
        };
    }

    /// The first picture of a frame.
    fn first_draw(&self, frame: FrameIndex) -> Place {
        let has_draws = self.document.draw_count(frame).is_some_and(|count| count > 0);
        Place { frame, until: if has_draws { Until::AfterDraw(0) } else { Until::EndOfFrame } }
    }

    /// Goes to a place from which one may want to come back.
    pub(super) fn jump(&mut self, place: Place) {
        if place.frame > self.document.last_frame() {
            return;
        }
        if self.trail.last() != Some(&self.place) {
            self.trail.push(self.place);
        }
        if self.trail.len() > TRAIL {
            self.trail.remove(0);
        }
        self.place = place;
    }

    pub(super) fn go_back(&mut self) {
        if let Some(place) = self.trail.pop() {
            self.place = place;
        }
    }

    /// Goes to the picture right after the packet at `offset`.
    pub(super) fn go_to_offset(&mut self, offset: u64) {
        let Some(at) = self.document.location_at(offset) else { return };
        let place = self.place_of_packet(at.frame, at.packet);
        self.jump(place);
    }

    /// Selects a row of the events, and shows the picture after it.
    pub(super) fn select_event(&mut self, EventTarget { event, packet }: EventTarget) {
        let place = match packet {
            Some(packet) => self.place_of_packet(event.frame, packet),
            None => Place { frame: event.frame, until: Until::AfterPacket(0) },
        };
        if place != self.place {
            self.jump(place);
        }
        self.events.select(event, self.place);
    }

    /// The picture right after a packet. Draws are places of their own.
    pub(super) fn place_of_packet(&self, frame: FrameIndex, packet: u32) -> Place {
        let until = match self.document.draw_of_packet(frame, packet) {
            Some(draw) => Until::AfterDraw(draw),
            None => Until::AfterPacket(packet),
        };
        Place { frame, until }
    }

    pub(super) fn go_to_bookmark(&mut self, number: u8) {
        match self.bookmarks.get(&number) {
            Some(&Bookmark { frame, draw }) => {
                let until = draw.map_or(Until::EndOfFrame, Until::AfterDraw);
                self.jump(Place { frame: FrameIndex(frame), until });
            }
            None => self.say(format!("bookmark {number} is not set: Ctrl Shift {number} sets it")),
        }
    }

    /// The draw that a place is remembered by; `None`: the whole frame.
    pub(super) fn place_draw(&self) -> Option<u32> {
        match self.place.until {
            Until::EndOfFrame => None,
            until => self.document.last_draw(self.place.frame, until),
        }
    }

    pub(super) fn set_bookmark(&mut self, number: u8) {
        let draw = self.place_draw();
        self.bookmarks.insert(number, Bookmark { frame: self.place.frame.0, draw });
        self.say(format!("bookmark {number} is here"));
        self.save_state();
    }

    /// Takes the picture that was asked for, if it is there.
    pub(super) fn take_answers(&mut self) {
        let Some((_, promise)) = &self.asked else { return };
        let Some(shown) = promise.get().cloned() else { return };
        self.asked = None;
        for (offset, finding) in &shown.findings {
            log::warn!("{finding}");
            self.problems.add(Severity::Warning, finding, Some(*offset));
        }
        match &shown.picture {
            Ok(picture) => self.picture = Some(picture.clone()),
            Err(trouble) => {
                say!("error: {}", trouble.message);
                self.problems.add(Severity::Error, &trouble.message, trouble.offset);
                self.playback.pause();
                if self.first_error.is_none() {
                    self.first_error.clone_from(&trouble.error);
                }
            }
        }
        // A device that was lost on the way has a successor by now.
        let devices = self.document.gpu.get().map(|state| state.devices);
        self.document.gpu = self.document.player_worker.gpu();
        if devices != Some(shown.devices) && devices.is_some() {
            self.say("the GPU was lost: it was opened anew, and this is where you were");
        }
        self.shown = Some(shown);
        if self.saves_next {
            self.save();
        }
    }

    /// Asks for the picture of the place, unless that is what is shown or being made.
    pub(super) fn ask_for_picture(&mut self) {
        let has_index = self.document.hand_over_index();
        let is_known = match (&self.asked, &self.shown) {
            (Some((asked_for, _)), _) => *asked_for == self.place,
            (None, Some(Rendered { place, .. })) => *place == self.place,
            (None, None) => false,
        };
        // The player would make an index of its own for any other place.
        let is_start = self.place == Place { frame: FrameIndex(0), until: Until::EndOfFrame };
        if !is_known && (has_index || is_start) {
            self.asked = Some((self.place, self.document.player_worker.show(self.place)));
        }
    }
}
