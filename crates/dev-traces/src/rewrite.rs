//! Traces like a given one, with other packets or other blobs in it.

use aerogpu_trace::abi::reference::{Packet, decode_packets};
use aerogpu_trace::container::Trace;

use super::raw::RawTrace;

/// The trace with what `packets` makes of each packet (its frame, its number in the frame) in its place, and what `text`
/// makes of the bytes of each blob, by kind.
pub fn rewrite(
    bytes: &[u8],
    trace: &Trace,
    mut packets: impl FnMut(u32, u32, Packet) -> Vec<Packet>,
    mut blob: impl FnMut(u32, &[u8]) -> Vec<u8>,
) -> Vec<u8> {
    let mut raw = RawTrace::new();
    let stream = trace.stream();
    let mut at = stream.start as usize;
    let mut frames = trace.frames().iter().zip(0u32..).peekable();
    let mut start = None;
    let mut number = 0;
    while at < stream.end as usize {
        if let Some((span, _)) = frames.peek()
            && span.bytes.start as usize == at
        {
            start = Some(raw.offset());
            number = 0;
        }
        let record_type = bytes[at];
        let length = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
        let payload = &bytes[at + 8..at + 8 + length];
        let frame = frames.peek().map_or(0, |(_, frame)| *frame);
        match record_type {
            3 => {
                let mut rewritten = Vec::new();
                for packet in decode_packets(payload, 0) {
                    packets(frame, number, packet.unwrap().1).iter().for_each(|packet| packet.write(&mut rewritten));
                    number += 1;
                }
                if !rewritten.is_empty() {
                    raw.record(3, &rewritten);
                }
            }
            4 => {
                let id = u64::from_le_bytes(payload[..8].try_into().unwrap());
                let kind = u32::from_le_bytes(payload[8..12].try_into().unwrap());
                raw.blob(id, kind, &blob(kind, &payload[16..]));
            }
            other => {
                raw.record(other, payload);
            }
        }
        at += 8 + length;
        if let (Some((span, _)), Some(start_offset)) = (frames.peek(), start)
            && span.bytes.end as usize == at
        {
            raw.frame_since(start_offset);
            start = None;
            frames.next();
        }
    }
    raw.finish()
}
