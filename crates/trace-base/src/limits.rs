//! Every cap on what a file may make this crate allocate or do, with its reason.
//!
//! A cap is either bounded by the file's own length (then it needs no constant) or stands here.

/// Findings kept by [`crate::bytes::Diagnostics`]; more are counted only. A screenful is read, a thousand are grepped.
pub const MAX_FINDINGS: usize = 1000;

/// Bytes of one picture's RGBA8 rows: a target of 16384×16384, the largest that software adapters make.
pub const MAX_PICTURE_BYTES: u64 = 1 << 30;

/// Bytes that any compressed file may decode to: as many as may come in on standard input. They are kept in a file without
/// a name.
pub const MAX_DECODED_BYTES: u64 = 8 << 30;

/// Bytes that a compressed file may decode to for each of its own. A driver's trace gives 20, one of the same texture again
/// and again 100; gzip can say 1032, and a zstd frame of some kilobytes can say gigabytes.
pub const MAX_DECODED_RATIO: u64 = 256;

/// Bytes that a compressed file may decode to however short it is: a second's work, and room on any disk.
pub const MAX_SMALL_DECODED_BYTES: u64 = 256 << 20;

/// Bytes that a compressed file may decode to where they are kept in memory.
pub const MAX_DECODED_IN_MEMORY_BYTES: u64 = 256 << 20;

/// Window of a zstd frame in bytes: what `zstd -22 --ultra` and `--long` ask for. The decoder has it in memory, up to twice.
pub const MAX_ZSTD_WINDOW_BYTES: u64 = 128 << 20;
