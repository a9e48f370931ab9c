//! Every cap on what a recording may make this crate allocate or do, with its reason.

/// Longest single wtf-trace record. Real writers stop at 64 KiB a string and a few thousand elements an array; this
/// leaves room for a captured texture in one argument.
pub const MAX_WTF_RECORD_BYTES: u64 = 64 << 20;

/// Longest string table, header part or other piece of a wtf-trace chunk that is held in memory at once.
pub const MAX_WTF_PART_BYTES: u64 = 1 << 30;

/// Largest wtf-trace file that is held in memory while its events are read in order of time, if times go back in it: each
/// event may lie anywhere. Of a larger one 64 MiB are.
pub const MAX_WTF_HELD_BYTES: u64 = 256 << 20;

/// Largest `.wtf-json` file. JSON is parsed as a whole and its tree is several times the text; the text form is for
/// hand-written tests and small captures.
pub const MAX_WTF_JSON_BYTES: u64 = 256 << 20;

/// Values in one JSON text of a `.wtf-json` file, which take 64 bytes each: a million events written as JSON.
pub const MAX_WTF_JSON_VALUES: u32 = 8 << 20;

/// Deepest nesting of arrays and objects in a `.wtf-json` file; the format itself needs six levels.
pub const MAX_WTF_JSON_DEPTH: u32 = 128;

/// Longest single record of a WIP15 trace, in bytes. A record must be in memory to be read; the longest real ones are
/// textures of 8192×8192 texels of 4 bytes, 256 MiB.
pub const MAX_WIP15_OP_BYTES: u64 = 1 << 30;

/// Longest decompressed blob of a WIP15 trace, in bytes: one texture of 8192×8192 texels of 4 bytes.
pub const MAX_WIP15_BLOB_BYTES: u64 = 256 << 20;

/// Bytes decompressed in all when every blob of a WIP15 trace is checked: about a minute of work. Real traces of
/// 200 MB hold up to 3 GB.
pub const MAX_WIP15_CHECKED_BYTES: u64 = 32 << 30;

/// Array elements of types without bytes (`Void`, `FunctionPtr`) in a whole WIP15 trace. Four bytes can claim four
/// billion of them; no writer writes any.
pub const MAX_WIP15_EMPTY_ELEMENTS: u64 = 1 << 20;

/// Variants inside variants in a WIP15 trace. Writers nest one deep; each level is a call on our stack.
pub const MAX_WIP15_VARIANT_DEPTH: u32 = 64;

/// Declarations of functions, and of groups, that a WIP15 trace may hold. OpenGL has 3,000 functions and 300 groups.
pub const MAX_WIP15_DECLARATIONS: usize = 1 << 20;

/// OpenGL contexts of a WIP15 trace with tracks of their own; further ones share tracks. Programs have a handful; a
/// hostile file could name one every 13 bytes.
pub const MAX_TIMELINE_CONTEXTS: usize = 1024;

/// Queries of a WIP15 trace that may be open, or wait for their result, at the same time. Programs keep a few frames'
/// worth, dozens; each costs ten times the bytes of its call.
pub const MAX_TIMELINE_QUERIES: usize = 1 << 16;
