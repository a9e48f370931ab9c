//! Changes packets of traces in ways that mean something, reproducibly: what a handle names, how large something is, which
//! packets come at all and in which order. No record and no packet changes its length, so that everything stays readable.

use super::mutate::mutant;
use super::random::Random;

/// Numbers that sizes, counts, flags and enumerations go wrong at.
const TELLING: [u32; 14] = [0, 1, 2, 3, 4, 5, 7, 8, 16, 64, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, u32::MAX];
/// A command stream begins with this, and with so many bytes in all before its first packet.
const MAGIC: &[u8] = b"ACMD";
const STREAM_HEADER_BYTES: usize = 24;
const RECORD_HEADER_BYTES: usize = 8;
const BLOB_HEADER_BYTES: usize = 16;

/// A packet's bytes in the file, and the run of packets that it stands in.
#[derive(Clone, Copy)]
struct Packet {
    start: usize,
    size: usize,
    run: usize,
    is_submitted: bool,
}

/// `whole`, a sound trace, with one or two changes of packets, or now and then of any bytes.
pub fn packet_mutant(whole: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let packets = packets_of(whole);
    if packets.is_empty() || random.below(12) == 0 {
        return mutant(whole, random);
    }
    for _ in 0..1 + random.below(2) {
        change(&mut bytes, &packets, random);
    }
    bytes
}

fn dword(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |four| u32::from_le_bytes(four.try_into().unwrap()))
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// The packets of Packet records and of command streams, in file order.
fn packets_of(bytes: &[u8]) -> Vec<Packet> {
    let (mut packets, mut run) = (Vec::new(), 0);
    let mut at = 32 + dword(bytes, 24) as usize;
    while at + RECORD_HEADER_BYTES <= bytes.len() && (1..=5).contains(&bytes[at]) {
        let end = at + RECORD_HEADER_BYTES + dword(bytes, at + 4) as usize;
        let payload = at + RECORD_HEADER_BYTES + if bytes[at] == 4 { BLOB_HEADER_BYTES } else { 0 };
        if end > bytes.len() {
            break;
        }
        let is_submitted = bytes.get(payload..end).is_some_and(|payload| payload.starts_with(MAGIC));
        if is_submitted || bytes[at] == 3 {
            let mut start = payload + if is_submitted { STREAM_HEADER_BYTES } else { 0 };
            while start + 8 <= end {
                // One ABI counts bytes, the other dwords.
                let size = dword(bytes, start + 4) as usize * if is_submitted { 1 } else { 4 };
                if size < 8 || start + size > end {
                    break;
                }
                packets.push(Packet { start, size, run, is_submitted });
                start += size;
            }
        }
        run += usize::from(is_submitted);
        at = end;
    }
    packets
}

fn change(bytes: &mut [u8], packets: &[Packet], random: &mut Random) {
    let at = random.below(packets.len() as u32) as usize;
    let packet = packets[at];
    let fields = (packet.size / 4).saturating_sub(2).min(16) as u32;
    let field = packet.start + 8 + 4 * random.below(fields.max(1)) as usize;
    match random.below(10) {
        // What something names.
        0..=2 if fields > 0 => {
            let other = packets[random.below(packets.len() as u32) as usize];
            if other.size >= 12 {
                let handle = packet.start + 8;
                put(bytes, if random.below(2) == 0 { handle } else { field }, dword(bytes, other.start + 8));
            }
        }
        3 | 4 if fields > 0 => put(bytes, field, random.pick(&TELLING)),
        5 if fields > 0 => {
            let value = dword(bytes, field);
            let near =
                [value.wrapping_add(1), value.wrapping_sub(1), value.wrapping_mul(2), value ^ (1 << random.below(32))];
            put(bytes, field, random.pick(&near));
        }
        // It comes one later.
        6 => {
            if let Some(next) = packets.get(at + 1).filter(|next| next.run == packet.run)
                && next.start == packet.start + packet.size
            {
                bytes[packet.start..next.start + next.size].rotate_left(packet.size);
            }
        }
        // Another comes in its place: twice, that is.
        7 => {
            let alike: Vec<&Packet> = packets
                .iter()
                .filter(|other| other.size == packet.size && other.is_submitted == packet.is_submitted)
                .collect();
            let other = alike[random.below(alike.len() as u32) as usize];
            bytes.copy_within(other.start..other.start + other.size, packet.start);
        }
        // It does not come: submissions have a packet for that.
        _ if packet.is_submitted => put(bytes, packet.start, 0),
        // A blob that nobody reads is there instead.
        _ if packet.size >= 16 => bytes[packet.start - RECORD_HEADER_BYTES] = 4,
        _ => put(bytes, packet.start, random.below(16)),
    }
}
