//! Moving through the trace: steps and jumps.

use super::action::{Direction, EventTarget, Navigation};
use super::session::Session;
use crate::command::{Location, Place, Point};
use crate::format::aerogpu::FrameIndex;

/// Places that one can go back to.
const TRAIL: usize = 200;

impl Session {
    /// Goes a step.
    pub(super) fn navigate(&mut self, to: Navigation) {
        let Place { frame, .. } = self.place;
        let last = self.document.last_frame();
        let whole = |frame| Place::end_of(frame);
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
        let Place { frame, .. } = self.place;
        let Some(count) = self.document.draw_count(frame) else { return };
        self.place = match self.nearest_draw(self.place) {
            Point::Start if count > 0 => self.first_draw(frame),
            Point::Draw(draw) if draw + 1 < count => Place::at_draw(frame, draw + 1),
            Point::Draw(_) => Place::end_of(frame),
            _ if frame < self.document.last_frame() => self.first_draw(FrameIndex(frame.0 + 1)),
            _ => self.place,
        };
    }

    /// A place among packets as one among draws.
    fn nearest_draw(&self, place: Place) -> Point {
        match place.point {
            Point::Packet(_) => Point::after_draw(self.document.last_draw(place)),
            point => point,
        }
    }

    /// One packet on or back, over the borders of frames.
    fn step_packet(&mut self, direction: Direction) {
        let Place { frame, point } = self.place;
        let packets = |frame: FrameIndex| {
            let own = self.document.index().and_then(|index| index.commands_of(frame));
            own.map(|own| own.len() as u32)
        };
        let count = packets(frame).unwrap_or(0);
        let current = match point {
            Point::Start => None,
            Point::Packet(packet) => Some(packet),
            Point::End => count.checked_sub(1),
            Point::Draw(draw) => self.document.packet_of_draw(frame, draw),
        };
        let after = |frame, packet| Place::after_packet(frame, packet);
        let first = |frame| if packets(frame) == Some(0) { Place::start_of(frame) } else { after(frame, 0) };
        let last = self.document.last_frame();
        self.place = match (direction, current) {
            (Direction::Forward, Some(packet)) if packet + 1 < count => after(frame, packet + 1),
            (Direction::Forward, None) if point == Point::Start && count > 0 => after(frame, 0),
            (Direction::Forward, _) if frame < last => first(FrameIndex(frame.0 + 1)),
            (Direction::Backward, Some(packet)) if packet > 0 => after(frame, packet - 1),
            (Direction::Backward, _) if frame.0 > 0 => {
                let before = FrameIndex(frame.0 - 1);
                match packets(before) {
                    Some(count @ 1..) => after(before, count - 1),
                    _ => first(before),
                }
            }
            _ => self.place,
        };
    }

    fn previous_draw(&mut self) {
        let Place { frame, .. } = self.place;
        let Some(count) = self.document.draw_count(frame) else { return };
        let before_frame = || match frame.0.checked_sub(1) {
            Some(before) => Place::end_of(FrameIndex(before)),
            None => self.place,
        };
        self.place = match self.nearest_draw(self.place) {
            Point::Draw(0) => before_frame(),
            Point::Draw(draw) => Place::at_draw(frame, draw - 1),
            // The whole frame is its last draw, and whatever clears the target after that.
            Point::End if count > 1 => Place::at_draw(frame, count - 2),
            _ => before_frame(),
        };
    }

    /// The first picture of a frame.
    fn first_draw(&self, frame: FrameIndex) -> Place {
        let has_draws = self.document.draw_count(frame).is_some_and(|count| count > 0);
        Place { frame, point: if has_draws { Point::Draw(0) } else { Point::End } }
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

    /// Goes to the picture right after a command.
    pub(super) fn go_to_command(&mut self, Location { frame, packet, .. }: Location) {
        let place = self.place_of_packet(frame, packet);
        self.jump(place);
    }

    /// Selects a row of the events, and shows the picture after it.
    pub(super) fn select_event(&mut self, EventTarget { row, packet }: EventTarget) {
        let place = match packet {
            Some(packet) => self.place_of_packet(row.frame, packet),
            None => Place::start_of(row.frame),
        };
        if place != self.place {
            self.jump(place);
        }
        self.events.select(row, self.place);
    }

    /// The picture right after a packet. Draws are places of their own.
    pub(super) fn place_of_packet(&self, frame: FrameIndex, packet: u32) -> Place {
        let draw = self.document.draw_of_packet(frame, packet);
        Place { frame, point: draw.map_or(Point::Packet(packet), Point::Draw) }
    }
}
