//! Every cap on what a file may make us allocate or do, with its reason.
//!
//! A cap is either bounded by the file's own length (then it needs no constant) or stands here. Going over one is
//! exit code 10, and the message names the cap.

/// Findings kept by [`super::Diagnostics`]; more are counted only. A screenful is read, a thousand are grepped.
pub const MAX_FINDINGS: usize = 1000;

/// Longest single wtf-trace record. Real writers stop at 64 KiB a string and a few thousand elements an array; this
/// leaves room for a captured texture in one argument.
pub const MAX_WTF_RECORD_BYTES: u64 = 64 << 20;

/// Longest string table, header part or other piece of a wtf-trace chunk that is held in memory at once.
pub const MAX_WTF_PART_BYTES: u64 = 1 << 30;

/// Largest `.wtf-json` file. JSON is parsed as a whole and its tree is several times the text; the text form is for
/// hand-written tests and small captures.
pub const MAX_WTF_JSON_BYTES: u64 = 256 << 20;

/// Deepest nesting of arrays and objects in a `.wtf-json` file; the format itself needs six levels.
pub const MAX_WTF_JSON_DEPTH: u32 = 128;
