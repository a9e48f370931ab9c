//! Every cap on what a trace may make this crate allocate or do, with its reason.

/// Groups of markers inside each other. Each row is told with all that it is in; what is deeper counts as the last of them.
pub const MAX_MARKER_DEPTH: usize = 64;

/// Bytes of a marker's text that are kept: a frame may be made of markers.
pub const MAX_MARKER_BYTES: u64 = 256;

/// Frames in one trace: 4 Mi is 19 hours at 60 frames a second, and a TOC of 128 MiB.
pub const MAX_FRAMES: u64 = 4 << 20;

/// Bytes of one Packet or AerogpuSubmission record, which are held in memory whole. The emulator's own recorder
/// stops at 64 MiB for a command stream.
pub const MAX_PACKET_BYTES: u64 = 64 << 20;

/// Bytes of meta JSON. It holds a handful of strings.
pub const MAX_META_BYTES: u64 = 16 << 20;
