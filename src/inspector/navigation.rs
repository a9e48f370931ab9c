//! Moving through the trace: steps and jumps.

use super::action::{Direction, EventTarget, Navigation};
use super::player_worker::Place;
use super::session::Session;
use crate::format::aerogpu::FrameIndex;
use crate::player::Until;

/// Places that one can go back to.
const TRAIL: usize = 200;

impl Session {
    /// Goes a step.
    pub(super) fn navigate(&mut self, to: Navigation) {
        let Place { frame, .. } = self.place;
        let last = self.document.last_frame();
        let whole = |frame| Place { frame, until: Until::EndOfFrame };
        match to {
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

    /// The draw that a place is remembered by; `None`: the whole frame.
    pub(super) fn place_draw(&self) -> Option<u32> {
        match self.place.until {
            Until::EndOfFrame => None,
            until => self.document.last_draw(self.place.frame, until),
        }
    }
}
