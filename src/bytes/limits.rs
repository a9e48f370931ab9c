//! Every cap on what a file may make us allocate or do, with its reason.
//!
//! A cap is either bounded by the file's own length (then it needs no constant) or stands here. Going over one is
//! exit code 10, and the message names the cap.

/// Findings kept by [`super::Diagnostics`]; more are counted only. A screenful is read, a thousand are grepped.
pub const MAX_FINDINGS: usize = 1000;

/// Frames in one trace: 4 Mi is 19 hours at 60 frames a second, and a TOC of 128 MiB.
pub const MAX_FRAMES: u64 = 4 << 20;

/// Bytes of one Packet or AerogpuSubmission record, which are held in memory whole. The emulator's own recorder
/// stops at 64 MiB for a command stream.
pub const MAX_PACKET_BYTES: u64 = 64 << 20;

/// Bytes of meta JSON. It holds a handful of strings.
pub const MAX_META_BYTES: u64 = 16 << 20;

/// Bytes of one picture's RGBA8 rows: a target of 16384×16384, the largest that software adapters make.
pub const MAX_PICTURE_BYTES: u64 = 1 << 30;

/// Bytes of one shader's text. The largest uber-shaders of translators stay under a megabyte.
pub const MAX_SHADER_BYTES: u64 = 4 << 20;

/// How deep brackets may nest in a shader. C compilers promise 127 and people stop at 20.
pub const MAX_SHADER_NESTING: usize = 200;

/// How many operators may follow each other in one expression, and branches in one `else if` chain: each makes the
/// syntax tree a level deeper.
pub const MAX_SHADER_CHAIN: u32 = 2000;

/// Bytes of one guest buffer: the size every WebGPU implementation must offer, so no recorder could rely on more.
pub const MAX_BUFFER_BYTES: u64 = 256 << 20;

/// Bytes of all guest buffers that exist at one time.
pub const MAX_BUFFERS_BYTES: u64 = 1 << 30;

/// Bytes of vertices that are gathered for one draw whose layout no GPU API takes.
pub const MAX_GATHERED_BYTES: u64 = 64 << 20;

/// Bytes of guest buffers that stay on the GPU after a seek although the frame shown does not use them.
pub const MAX_KEPT_BUFFER_BYTES: u64 = 256 << 20;

/// How many buffers stay on the GPU after a seek: each costs about a kilobyte of driver memory.
pub const MAX_KEPT_BUFFERS: u64 = 16 << 10;

/// Bytes of pictures that are kept on the way to a draw.
pub const MAX_TARGET_COPY_BYTES: u64 = 256 << 20;

/// How many of them: more would only make longer jumps back a little shorter.
pub const MAX_TARGET_COPIES: u64 = 24;

/// Bytes of an index kept beside a trace: 30 million commands. Making the index anew takes a few seconds then.
pub const MAX_INDEX_FILE_BYTES: u64 = 1 << 30;
