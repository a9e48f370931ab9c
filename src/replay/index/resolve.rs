//! From a place in the trace to the commands that come before it.

use super::{CommandNumber, TraceIndex};
use crate::command::{Place, Point};

/// A place, found in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// How many commands of the trace come before the place.
    pub end: u32,
    /// The draw at it, if it is at one.
    pub draw: Option<CommandNumber>,
}

/// Why a place is not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// The index does not have the frame.
    NotIndexed,
    /// The frame has fewer draws.
    NoSuchDraw {
        /// The draw asked for.
        draw: u32,
        /// How many there are.
        draw_count: u32,
    },
    /// The frame has fewer packets.
    NoSuchPacket {
        /// The packet asked for.
        packet: u32,
        /// How many there are.
        packet_count: u32,
    },
}

impl TraceIndex {
    /// Finds a place.
    pub fn resolve(&self, place: Place) -> Result<Resolved, Unresolved> {
        let Place { frame, point } = place;
        let own = self.commands_of(frame).ok_or(Unresolved::NotIndexed)?;
        Ok(match point {
            Point::Start => Resolved { end: own.start, draw: None },
            Point::End => Resolved { end: own.end, draw: None },
            Point::Draw(draw) => match self.draws_of(frame).nth(draw as usize) {
                Some(number) => Resolved { end: number.0 + 1, draw: Some(number) },
                None => {
                    let draw_count = self.draws_of(frame).count() as u32;
                    return Err(Unresolved::NoSuchDraw { draw, draw_count });
                }
            },
            Point::Packet(packet) => {
                let packet_count = own.end - own.start;
                if packet >= packet_count {
                    return Err(Unresolved::NoSuchPacket { packet, packet_count });
                }
                let number = CommandNumber(own.start + packet);
                let is_draw = self.command(number).is_some_and(|command| command.is_draw());
                Resolved { end: number.0 + 1, draw: is_draw.then_some(number) }
            }
        })
    }
}
