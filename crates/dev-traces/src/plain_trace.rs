//! A decoder of traces for tests to judge answers by: it shares no code with the program.
//!
//! It reads sound traces alone and panics at anything else.

use std::collections::HashMap;
use std::ops::Range;

/// A trace as its bytes say it.
pub struct PlainTrace {
    pub bytes: Vec<u8>,
    /// Definitions of blobs in file order: record, id, bytes.
    pub blobs: Vec<(usize, u64, Range<usize>)>,
    pub frames: Vec<PlainFrame>,
}

/// A frame of it.
pub struct PlainFrame {
    pub bytes: Range<usize>,
    /// Records and packets in the order of carrying out; a Packet record is not among them, its packets are.
    pub rows: Vec<PlainRow>,
}

/// A record or a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainRow {
    pub offset: usize,
    pub size: usize,
    /// The opcode's or the record's name; `None` for an opcode that the specification does not have.
    pub name: Option<&'static str>,
    /// Number among the frame's packets, of packets.
    pub packet: Option<u32>,
    /// Number of the submission in its frame, and its context, of packets of submissions.
    pub submission: Option<(u32, u32)>,
}

impl PlainRow {
    /// The dword at `at` behind the row's first byte.
    pub fn dword(&self, bytes: &[u8], at: usize) -> u32 {
        dword(bytes, self.offset + at)
    }

    pub fn is_draw(&self) -> bool {
        matches!(self.name, Some("DRAW" | "DRAW_INDEXED"))
    }
}

impl PlainTrace {
    pub fn read(bytes: Vec<u8>) -> Self {
        let footer = bytes.len() - 32;
        assert_eq!((&bytes[..8], &bytes[footer..footer + 8]), (&b"AEROGPUT"[..], &b"AEROGPUF"[..]));
        let toc = qword(&bytes, footer + 16) as usize;
        let stream = 32 + dword(&bytes, 24) as usize..toc;
        let blobs = blobs(&bytes, stream);
        let frame_count = dword(&bytes, toc + 12) as usize;
        let frames = (0..frame_count).map(|frame| {
            let entry = toc + 16 + 32 * frame;
            let span = qword(&bytes, entry + 8) as usize..qword(&bytes, entry + 24) as usize;
            PlainFrame { rows: rows(&bytes, span.clone(), &blobs), bytes: span }
        });
        let frames = frames.collect();
        Self { bytes, blobs, frames }
    }

    /// The rows of the trace up to a packet of a frame, with their frames.
    pub fn rows_to(&self, frame: usize, packet: u32) -> impl DoubleEndedIterator<Item = (usize, &PlainRow)> {
        let rows = self.frames[..=frame].iter().enumerate();
        let rows = rows.flat_map(|(frame, rows)| rows.rows.iter().map(move |row| (frame, row)));
        rows.filter(move |(of, row)| *of < frame || row.packet.is_some_and(|number| number <= packet))
    }

    /// Packets of a frame that draw.
    pub fn draws(&self, frame: usize) -> Vec<&PlainRow> {
        self.frames[frame].rows.iter().filter(|row| row.is_draw()).collect()
    }

    /// The file with more packets before packet `number` of the only submission of `frame`, or behind its last packet, all
    /// offsets made to fit. The stream must be one that runs once.
    pub fn with_packets(&self, frame: usize, number: usize, packet: &[u8]) -> Vec<u8> {
        let rows: Vec<&PlainRow> = self.frames[frame].rows.iter().filter(|row| row.submission.is_some()).collect();
        let last = rows.last().expect("the submission has packets");
        let at = rows.get(number).map_or(last.offset + last.size, |row| row.offset);
        let (header, longer) = (rows[0].offset - 24, packet.len());
        let blob = header - 24;
        let mut bytes = self.bytes.clone();
        bytes.splice(at..at, packet.iter().copied());
        add(&mut bytes, header + 8, longer);
        add(&mut bytes, blob + 4, longer);
        let footer = bytes.len() - 32;
        add(&mut bytes, footer + 16, longer);
        let toc = qword(&bytes, footer + 16) as usize;
        for entry in (0..self.frames.len()).map(|frame| toc + 16 + 32 * frame) {
            for field in [entry + 8, entry + 16, entry + 24] {
                if qword(&bytes, field) as usize > at {
                    add(&mut bytes, field, longer);
                }
            }
        }
        bytes
    }
}

/// Adds to the dword at `at`.
fn add(bytes: &mut [u8], at: usize, more: usize) {
    let sum = dword(bytes, at) + more as u32;
    bytes[at..at + 4].copy_from_slice(&sum.to_le_bytes());
}

pub fn dword(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

pub fn qword(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// Records of a range: type, offset, payload.
fn records(bytes: &[u8], mut range: Range<usize>) -> impl Iterator<Item = (u8, usize, Range<usize>)> {
    std::iter::from_fn(move || {
        let at = range.start;
        (at < range.end).then(|| {
            let payload = at + 8..at + 8 + dword(bytes, at + 4) as usize;
            range.start = payload.end;
            (bytes[at], at, payload)
        })
    })
}

/// Definitions of blobs in file order: record, id, bytes.
fn blobs(bytes: &[u8], stream: Range<usize>) -> Vec<(usize, u64, Range<usize>)> {
    let blobs = records(bytes, stream).filter(|(kind, ..)| *kind == 4);
    blobs.map(|(_, at, payload)| (at, qword(bytes, payload.start), payload.start + 16..payload.end)).collect()
}

fn rows(bytes: &[u8], span: Range<usize>, blobs: &[(usize, u64, Range<usize>)]) -> Vec<PlainRow> {
    let (mut rows, mut packets, mut submissions) = (Vec::new(), 0, 0);
    for (kind, at, payload) in records(bytes, span) {
        let record =
            |name| PlainRow { offset: at, size: payload.end - at, name: Some(name), packet: None, submission: None };
        match kind {
            1 => rows.push(record("BeginFrame")),
            2 => rows.push(record("Present")),
            4 => rows.push(record("Blob")),
            3 => packets_of(bytes, payload.clone(), 4, None, &mut packets, &mut rows),
            5 => {
                rows.push(record("AerogpuSubmission"));
                let id = qword(bytes, payload.start + 32);
                let before = blobs.iter().rev().find(|(of, blob, _)| *blob == id && *of < at);
                let (.., stream) =
                    before.or(blobs.iter().find(|(_, blob, _)| *blob == id)).expect("the stream is there");
                let end = stream.start + dword(bytes, stream.start + 8) as usize;
                let place = (submissions, dword(bytes, payload.start + 12));
                packets_of(bytes, stream.start + 24..end, 1, Some(place), &mut packets, &mut rows);
                submissions += 1;
            }
            other => panic!("a record of type {other}"),
        }
    }
    rows
}

/// Packets of either ABI: opcode, then size in units of `unit` bytes.
fn packets_of(
    bytes: &[u8],
    mut range: Range<usize>,
    unit: usize,
    submission: Option<(u32, u32)>,
    packets: &mut u32,
    rows: &mut Vec<PlainRow>,
) {
    let names: HashMap<u32, &'static str> =
        if submission.is_some() { STREAM } else { REFERENCE }.iter().copied().collect();
    while range.start < range.end {
        let (offset, size) = (range.start, dword(bytes, range.start + 4) as usize * unit);
        let name = names.get(&dword(bytes, offset)).copied();
        rows.push(PlainRow { offset, size, name, packet: Some(*packets), submission });
        *packets += 1;
        range.start += size;
    }
}

/// Opcodes of Appendix A.
const REFERENCE: &[(u32, &str)] = &[
    (1, "CREATE_BUFFER"),
    (2, "UPLOAD_BUFFER"),
    (3, "CREATE_SHADER"),
    (4, "CREATE_PIPELINE"),
    (5, "SET_PIPELINE"),
    (6, "SET_VERTEX_BUFFER"),
    (7, "SET_VIEWPORT"),
    (8, "CLEAR"),
    (9, "DRAW"),
    (10, "PRESENT"),
];

/// Opcodes of A3A0.
const STREAM: &[(u32, &str)] = &[
    (0x000, "NOP"),
    (0x001, "DEBUG_MARKER"),
    (0x100, "CREATE_BUFFER"),
    (0x101, "CREATE_TEXTURE2D"),
    (0x102, "DESTROY_RESOURCE"),
    (0x103, "RESOURCE_DIRTY_RANGE"),
    (0x104, "UPLOAD_RESOURCE"),
    (0x105, "COPY_BUFFER"),
    (0x106, "COPY_TEXTURE2D"),
    (0x107, "CREATE_TEXTURE_VIEW"),
    (0x108, "DESTROY_TEXTURE_VIEW"),
    (0x200, "CREATE_SHADER_DXBC"),
    (0x201, "DESTROY_SHADER"),
    (0x202, "BIND_SHADERS"),
    (0x203, "SET_SHADER_CONSTANTS_F"),
    (0x204, "CREATE_INPUT_LAYOUT"),
    (0x205, "DESTROY_INPUT_LAYOUT"),
    (0x206, "SET_INPUT_LAYOUT"),
    (0x207, "SET_SHADER_CONSTANTS_I"),
    (0x208, "SET_SHADER_CONSTANTS_B"),
    (0x300, "SET_BLEND_STATE"),
    (0x301, "SET_DEPTH_STENCIL_STATE"),
    (0x302, "SET_RASTERIZER_STATE"),
    (0x400, "SET_RENDER_TARGETS"),
    (0x401, "SET_VIEWPORT"),
    (0x402, "SET_SCISSOR"),
    (0x500, "SET_VERTEX_BUFFERS"),
    (0x501, "SET_INDEX_BUFFER"),
    (0x502, "SET_PRIMITIVE_TOPOLOGY"),
    (0x510, "SET_TEXTURE"),
    (0x511, "SET_SAMPLER_STATE"),
    (0x512, "SET_RENDER_STATE"),
    (0x520, "CREATE_SAMPLER"),
    (0x521, "DESTROY_SAMPLER"),
    (0x522, "SET_SAMPLERS"),
    (0x523, "SET_CONSTANT_BUFFERS"),
    (0x524, "SET_SHADER_RESOURCE_BUFFERS"),
    (0x525, "SET_UNORDERED_ACCESS_BUFFERS"),
    (0x600, "CLEAR"),
    (0x601, "DRAW"),
    (0x602, "DRAW_INDEXED"),
    (0x603, "DISPATCH"),
    (0x700, "PRESENT"),
    (0x701, "PRESENT_EX"),
    (0x710, "EXPORT_SHARED_SURFACE"),
    (0x711, "IMPORT_SHARED_SURFACE"),
    (0x712, "RELEASE_SHARED_SURFACE"),
    (0x720, "FLUSH"),
];
