//! The blocks of one track, and of a timeline's frames.

use super::{Extents, Pyramid, Rows, SampleBlocks};
use crate::{Frames, Instant, Span, Strings, Track, TrackKind};

/// Key of each name's colour, by [`crate::StringId::index`]: the same name has the same colour in every file.
pub fn tints(strings: &Strings) -> Vec<u8> {
    strings.ids().map(|id| tint_of(strings.bytes(id))).collect()
}

/// Key of a name's colour.
pub fn tint_of(name: &[u8]) -> u8 {
    let mixed = name
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (mixed ^ mixed >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes().first().copied().unwrap_or(0)
}

/// The spans of a track: those without a begin come first, then the others.
#[derive(Clone, Copy, Debug)]
pub struct SpanExtents<'a> {
    /// The track.
    pub track: &'a Track,
    /// From [`tints`].
    pub tints: &'a [u8],
}

impl SpanExtents<'_> {
    /// The span at `index`.
    pub fn span(&self, index: u32) -> Option<&Span> {
        let (index, unbegun) = (index as usize, self.track.without_begin.len());
        match index.checked_sub(unbegun) {
            Some(index) => self.track.spans.get(index),
            None => self.track.without_begin.get(index),
        }
    }
}

impl Extents for SpanExtents<'_> {
    fn extent(&self, index: u32) -> (u64, u64) {
        self.span(index).map_or((0, 0), |span| (span.begin().0, span.end().0))
    }

    fn tint(&self, index: u32) -> u8 {
        let name = self.span(index).map_or(0, |span| span.name().index());
        self.tints.get(name).copied().unwrap_or(0)
    }
}

/// Instants by position.
#[derive(Clone, Copy, Debug)]
pub struct InstantExtents<'a> {
    /// The instants of a track.
    pub instants: &'a [Instant],
    /// From [`tints`].
    pub tints: &'a [u8],
}

impl Extents for InstantExtents<'_> {
    fn extent(&self, index: u32) -> (u64, u64) {
        let at = self.instants.get(index as usize).map_or(0, |instant| instant.at().0);
        (at, at)
    }

    fn tint(&self, index: u32) -> u8 {
        let name = self.instants.get(index as usize).map_or(0, |instant| instant.name().index());
        self.tints.get(name).copied().unwrap_or(0)
    }
}

/// Frames by index.
#[derive(Clone, Copy, Debug)]
pub struct FrameExtents<'a> {
    /// The frames of a timeline.
    pub frames: &'a Frames,
}

impl Extents for FrameExtents<'_> {
    fn extent(&self, index: u32) -> (u64, u64) {
        self.frames.get(index as usize).map_or((0, 0), |frame| (frame.begin.0, frame.end.0.max(frame.begin.0)))
    }

    fn tint(&self, index: u32) -> u8 {
        (index % 2) as u8
    }
}

/// Rows for the frames of a timeline; frames of different tracks may overlap.
pub fn frame_rows(frames: &Frames) -> Rows {
    let extents = FrameExtents { frames };
    let mut order: Vec<u32> = (0..frames.len() as u32).collect();
    order.sort_by_key(|index| extents.extent(*index));
    Rows::packed(&order, &extents)
}

/// What is drawn of a track at any zoom.
#[derive(Clone, Debug, Default)]
pub struct TrackLod {
    /// Its spans, see [`SpanExtents`]: outer ones above inner ones.
    pub spans: Rows,
    /// Its instants.
    pub instants: Pyramid,
    /// Its samples.
    pub samples: SampleBlocks,
}

impl TrackLod {
    /// Looks twice at each event of `track`.
    pub fn new(track: &Track, tints: &[u8]) -> Self {
        let extents = SpanExtents { track, tints };
        let instants = InstantExtents { instants: &track.instants, tints };
        let unbegun = track.without_begin.len() as u32;
        let spans = match track.kind {
            TrackKind::Ranges => {
                let count = unbegun + track.spans.len() as u32;
                let mut order: Vec<u32> = (0..count).collect();
                order.sort_by_key(|index| extents.extent(*index).0);
                Rows::packed(&order, &extents)
            }
            _ => {
                // Each span without a begin encloses those before it, so the last stands on top.
                let above = (0..unbegun).map(|index| (unbegun - 1 - index, index));
                let deepest = track.spans.len() as u32;
                let below = track.spans.iter().zip(unbegun..);
                let below = below.map(|(span, index)| (unbegun + span.depth().min(deepest), index));
                Rows::new(above.chain(below), &extents)
            }
        };
        let instants = Pyramid::new(track.instants.len() as u32, &instants);
        Self { spans, instants, samples: SampleBlocks::new(&track.samples) }
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.spans.memory_bytes() + self.instants.memory_bytes() + self.samples.memory_bytes()
    }
}
