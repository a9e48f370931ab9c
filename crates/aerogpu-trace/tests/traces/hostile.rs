//! No bytes make the decoder panic, hang or take more memory than they are worth.

use std::sync::Arc;

use aerogpu_trace::abi::a3a0::{AllocTable, Class, STREAM_HEADER_BYTES, Stream, StreamError};
use aerogpu_trace::abi::canonical::write_canonical;
use aerogpu_trace::container::{DamageTolerance, Trace};
use trace_base::bytes::{Diagnostics, MemorySource};

use dev_traces::made;
use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![
        every_prefix_is_a_value_or_an_error_in_the_file,
        every_changed_byte_is_a_value_or_an_error_in_the_file,
        the_longest_stream_of_the_shortest_packets_is_read_in_one_pass,
        tables_of_any_count_and_stride_hold_what_they_have_room_for,
        counts_that_wrap_are_refused,
    ]
}

/// The canonical text of bytes that may be no trace, and how long the part of it is that tells of the records.
fn text_of(bytes: &[u8]) -> Option<String> {
    let source = Arc::new(MemorySource::from(bytes.to_vec()));
    let trace = Trace::open_or_recover(source, DamageTolerance::AnyDamagedEnd, &mut Diagnostics::new()).ok()?;
    let mut text = Vec::new();
    write_canonical(&trace, &mut text).ok()?;
    Some(String::from_utf8(text).unwrap())
}

/// Every line is of the text's form, and every place lies in the file or at its end.
fn check(text: &str, size_bytes: usize, context: &str) {
    assert!(text.is_ascii() && text.ends_with('\n'), "{context}");
    assert!(text.starts_with("trace ") && text.lines().last().unwrap().starts_with("end "), "{context}");
    for line in text.lines() {
        if let Some(offset) = line.split(' ').find_map(|token| token.strip_prefix("@0x")) {
            let offset = usize::from_str_radix(offset, 16).unwrap();
            assert!(offset <= size_bytes, "{context}: {line}");
        }
    }
}

fn every_prefix_is_a_value_or_an_error_in_the_file() {
    let mut texts = 0;
    for (name, make) in made::ALL {
        let bytes = make();
        for end in 0..bytes.len() {
            if let Some(text) = text_of(&bytes[..end]) {
                check(&text, end, &format!("{name} cut at {end}"));
                texts += 1;
            }
        }
    }
    assert!(texts > 1000, "{texts}");
}

fn every_changed_byte_is_a_value_or_an_error_in_the_file() {
    let mut texts = 0;
    for (name, make) in made::ALL {
        let bytes = make();
        for at in 0..bytes.len() {
            for value in [0, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                if let Some(text) = text_of(&changed) {
                    check(&text, bytes.len(), &format!("{name} with {value:#x} at {at:#x}"));
                    texts += 1;
                }
            }
        }
    }
    assert!(texts > 10_000, "{texts}");
}

/// 64 MiB of NOPs: eight million packets and nothing kept of them.
fn the_longest_stream_of_the_shortest_packets_is_read_in_one_pass() {
    const PACKETS: usize = (64 << 20) / 8 - 3;
    let mut bytes: Vec<u8> = Vec::with_capacity(64 << 20);
    let header = [0x444d_4341, 0x0001_0004, STREAM_HEADER_BYTES + 8 * PACKETS as u32, 0, 0, 0u32];
    bytes.extend(header.iter().flat_map(|dword| dword.to_le_bytes()));
    (0..PACKETS).for_each(|_| bytes.extend([0, 0, 0, 0, 8, 0, 0, 0]));
    let stream = Stream::parse(&bytes, 0x1000).unwrap();
    let mut packets = stream.packets();
    let decoded = packets.by_ref().filter(|packet| packet.unwrap().decode().is_ok()).count();
    assert_eq!(decoded, PACKETS);
    assert_eq!(packets.offset(), 0x1000 + bytes.len() as u64);
}

/// The entries of any table lie within its bytes, for every header and length.
fn tables_of_any_count_and_stride_hold_what_they_have_room_for() {
    let odd = [0, 1, 2, 31, 32, 33, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    let mut accepted = 0;
    for count in odd {
        for stride in odd {
            for size_bytes in [0, 23, 24, 56, 88, 89, u32::MAX] {
                let header = [0x434f_4c41, 0x0001_0000, size_bytes, count, stride, 0];
                let mut bytes: Vec<u8> = header.iter().flat_map(|dword| dword.to_le_bytes()).collect();
                bytes.resize(89, 0);
                match AllocTable::parse(&bytes, 0) {
                    Ok(table) => {
                        assert_eq!(table.entries().count(), count as usize);
                        assert!(24 + u64::from(count) * u64::from(stride) <= u64::from(size_bytes));
                        accepted += 1;
                    }
                    // With all else in order only the number of entries is left to be wrong.
                    Err(error) if (24..=89).contains(&size_bytes) && stride >= 32 => {
                        assert_eq!((error.class, error.offset), (Class::TableEntries, 12), "{error}");
                    }
                    Err(error) => assert!(matches!(error.class, Class::TableSize | Class::TableStride), "{error}"),
                }
            }
        }
    }
    assert!(accepted > 10, "{accepted}");
}

/// 16 × count and size + padding that are small again modulo 2^32 or 2^64.
fn counts_that_wrap_are_refused() {
    let packet = |opcode: u32, body: &[u32]| {
        let size_bytes = 8 + 4 * body.len() as u32;
        let dwords = [opcode, size_bytes].into_iter().chain(body.iter().copied());
        dwords.flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
    };
    let cases = [
        (0x104, vec![1, 0, 0, 0, u32::MAX, u32::MAX], 24),
        (0x104, vec![1, 0, 0, 0, u32::MAX - 3, u32::MAX], 24),
        (0x200, vec![1, 0, u32::MAX, 0], 16),
        (0x203, vec![0, 0, 0x1000_0000, 0], 16),
        (0x204, vec![1, u32::MAX - 2, 0], 12),
        (0x208, vec![0, 0, 0x4000_0001, 0, 0], 16),
        (0x500, vec![0, 0x1000_0001], 12),
        (0x522, vec![0, 0, 0x4000_0000, 0], 16),
        (0x525, vec![0, 0, u32::MAX, 0], 16),
    ];
    for (opcode, body, place) in cases {
        let packet = packet(opcode, &body);
        let size_bytes = STREAM_HEADER_BYTES + packet.len() as u32;
        let mut bytes: Vec<u8> =
            [0x444d_4341, 0x0001_0004, size_bytes, 0, 0, 0u32].iter().flat_map(|dword| dword.to_le_bytes()).collect();
        bytes.extend(&packet);
        let stream = Stream::parse(&bytes, 0).unwrap();
        let error = stream.packets().next().unwrap().unwrap().decode().unwrap_err();
        assert!(matches!(error, StreamError::ArrayOverrun { .. }), "{opcode:#x}: {error}");
        assert_eq!(error.at(), u64::from(STREAM_HEADER_BYTES) + place, "{opcode:#x}: {error}");
        assert!(error.is_of_one_packet());
    }
    assert_eq!(Class::ArrayOverrun.name(), "array_overrun");
}
