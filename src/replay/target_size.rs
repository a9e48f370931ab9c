//! How large the target is when nobody says.

use crate::abi::Abi;
use crate::abi::reference::{Packet, decode_packets};
use crate::bytes::Diagnostics;
use crate::format::aerogpu::{RecordBody, Trace};
use crate::pixels::Size;

/// The size of a trace that sets no viewport.
pub const DEFAULT_SIZE: Size = Size { width_px: 64, height_px: 64 };

/// The largest rectangle by area that any SET_VIEWPORT of the trace names, the first of several.
///
/// A viewport with a side of 0 means "the whole target" and says nothing about its size. Damage ends the search
/// without an error: whoever replays the damaged frame is told there.
pub fn largest_viewport(trace: &Trace) -> Option<Size> {
    let mut largest: Option<Size> = None;
    let mut reader = trace.records(trace.stream());
    let mut unnoted = Diagnostics::new();
    while let Ok(Some(record)) = reader.next_record(&mut unnoted) {
        let RecordBody::Packet(payload) = record.body else { continue };
        if Abi::detect(payload) != Abi::Reference {
            continue;
        }
        for (_, packet) in decode_packets(payload, record.offset).map_while(Result::ok) {
            let Packet::SetViewport { width_px, height_px } = packet else { continue };
            let size = Size { width_px, height_px };
            if size.pixels() > largest.map_or(0, Size::pixels) {
                largest = Some(size);
            }
        }
    }
    largest
}
