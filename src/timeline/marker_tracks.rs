//! Markers of streams as spans: a track for each context.

use std::collections::BTreeMap;

use super::{Builder, RecordOffset, Span, SpanFlags, Tick, TrackId, TrackKind};
use crate::abi::ListedPacket;
use crate::command::{MarkerGroup, MarkerGroups};

/// The groups of markers that the packets on the track *packets* stand in.
#[derive(Default)]
pub(super) struct MarkerTracks {
    /// Groups of the frame that is read.
    groups: MarkerGroups,
    /// By context.
    tracks: BTreeMap<u32, TrackId>,
}

impl MarkerTracks {
    /// Takes in a packet that a context runs.
    pub(super) fn packet(&mut self, context: u32, packet: &ListedPacket<'_>) {
        match packet.marker() {
            Some(text) => {
                self.groups.mark(context, &text, packet.offset..packet.end());
            }
            None => self.groups.pass(context, packet.end()),
        }
    }

    /// Adds the groups of the frame that ends. They come by begin, as do the streams that are shown.
    pub(super) fn end_frame(&mut self, builder: &mut Builder) {
        let mut depths: Vec<u32> = Vec::new();
        for MarkerGroup { name, context, parent, range } in std::mem::take(&mut self.groups).finish() {
            let around = parent.and_then(|parent| depths.get(parent as usize));
            let depth = around.map_or(0, |around| around + 1);
            depths.push(depth);
            let track = *self.tracks.entry(context).or_insert_with(|| {
                let title = builder.intern(format!("markers of context {context}").as_bytes());
                builder.track(title, TrackKind::Stack, None)
            });
            let (name, record) = (builder.intern(name.as_bytes()), RecordOffset(range.start));
            let flags = SpanFlags::default();
            builder.span(track, Span::new(Tick(range.start), Tick(range.end), name, depth, record, flags));
        }
    }
}
