//! Builds containers byte by byte, legal and otherwise: `TraceWriter` can only write what is right.

use aerogpu_trace::container::{FrameEntry, TraceToc};

/// A trace under construction.
pub struct RawTrace {
    pub version: u32,
    pub abi: u32,
    pub meta: Vec<u8>,
    pub stream: Vec<u8>,
    pub entries: Vec<FrameEntry>,
}

impl RawTrace {
    pub fn new() -> Self {
        let meta = br#"{"emulator_version":"test","command_abi_version":1}"#.to_vec();
        Self { version: 1, abi: 1, meta, stream: Vec::new(), entries: Vec::new() }
    }

    /// Absolute file offset of the next record.
    pub fn offset(&self) -> u64 {
        32 + self.meta.len() as u64 + self.stream.len() as u64
    }

    pub fn record(&mut self, record_type: u8, payload: &[u8]) -> &mut Self {
        self.stream.extend_from_slice(&[record_type, 0, 0, 0]);
        self.stream.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        self.stream.extend_from_slice(payload);
        self
    }

    pub fn begin(&mut self, frame_index: u32) -> &mut Self {
        self.record(1, &frame_index.to_le_bytes())
    }

    pub fn present(&mut self, frame_index: u32) -> &mut Self {
        self.record(2, &frame_index.to_le_bytes())
    }

    pub fn packet(&mut self, dwords: &[u32]) -> &mut Self {
        let payload: Vec<u8> = dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect();
        self.record(3, &payload)
    }

    pub fn blob(&mut self, id: u64, kind: u32, bytes: &[u8]) -> &mut Self {
        let mut payload = id.to_le_bytes().to_vec();
        payload.extend_from_slice(&kind.to_le_bytes());
        payload.extend_from_slice(&[0; 4]);
        payload.extend_from_slice(bytes);
        self.record(4, &payload)
    }

    /// Adds a TOC entry.
    pub fn entry(&mut self, start_offset: u64, present_offset: u64, end_offset: u64) -> &mut Self {
        let frame_index = self.entries.len() as u32;
        self.entries.push(FrameEntry { frame_index, flags: 0, start_offset, present_offset, end_offset });
        self
    }

    /// A TOC entry from `start` to here.
    pub fn frame_since(&mut self, start: u64) -> &mut Self {
        let end = self.offset();
        self.entry(start, 0, end)
    }

    pub fn finish(&self) -> Vec<u8> {
        let mut bytes = b"AEROGPUT".to_vec();
        for field in [32, self.version, self.abi, 0, self.meta.len() as u32, 0] {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        bytes.extend_from_slice(&self.meta);
        bytes.extend_from_slice(&self.stream);
        let toc_offset = bytes.len() as u64;
        let toc = TraceToc { entries: self.entries.clone() }.to_bytes();
        bytes.extend_from_slice(&toc);
        bytes.extend_from_slice(b"AEROGPUF");
        bytes.extend_from_slice(&32u32.to_le_bytes());
        bytes.extend_from_slice(&self.version.to_le_bytes());
        bytes.extend_from_slice(&toc_offset.to_le_bytes());
        bytes.extend_from_slice(&(toc.len() as u64).to_le_bytes());
        bytes
    }
}
