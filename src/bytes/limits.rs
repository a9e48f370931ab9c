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

/// Bytes of one `golden.toml`. A frame takes 150 of them, and nobody reviews ten thousand frames.
pub const MAX_GOLDEN_BYTES: u64 = 4 << 20;

/// Draws of a failed frame that are played one by one to name the one that broke it, before the test goes on
/// without: `bisect` has no such limit.
pub const MAX_EXPLAINED_DRAWS: usize = 256;

/// Bytes of stderr that are kept of a worker, for the message when it dies.
pub const MAX_WORKER_STDERR_BYTES: usize = 64 << 10;

/// Bytes of pictures that one report carries; those of later failures are left out of it. Browsers stop at about
/// half a gigabyte of text, and nobody looks at so many.
pub const MAX_REPORT_PICTURES_BYTES: u64 = 256 << 20;

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

/// Bytes of one GLSL text. The largest uber-shaders known are some 200 KiB; a text past this is no shader.
pub const MAX_GLSL_TEXT_BYTES: usize = 1 << 20;

/// Tokens of one GLSL text after preprocessing. A text of the largest size, without macros, has fewer.
pub const MAX_GLSL_TOKENS: usize = 1 << 19;

/// Tokens that macro substitution may produce in one text, those dropped again included: a bomb that vanishes costs
/// time all the same.
pub const MAX_GLSL_MACRO_TOKENS: usize = 1 << 20;

/// Macro calls nested in macro arguments. Each level is a level of our stack.
pub const MAX_GLSL_MACRO_DEPTH: usize = 64;

/// Nesting of one GLSL expression: parentheses, unary operators, indices, right-hand branches of `?:`. naga stops at
/// 200 levels of its own, and every level costs us stack three times (parse, check, write).
pub const MAX_GLSL_EXPRESSION_DEPTH: usize = 100;

/// Nesting of GLSL blocks. Real shaders have five or ten; see [`MAX_WGSL_BRACE_DEPTH`].
pub const MAX_GLSL_BLOCK_DEPTH: usize = 50;

/// Braces nested in the WGSL written for a GLSL text. naga reads 127, but its validator, built without optimisation,
/// takes some 18 KiB of stack a level, and test threads have 2 MiB.
pub const MAX_WGSL_BRACE_DEPTH: usize = 64;

/// Terms of one chain of operators of the same rank (`a + b + c`), and branches of one chain of `else if`.
/// The typed tree is as deep as the chain is long.
pub const MAX_GLSL_CHAIN: usize = 512;

/// Branches of one chain of `else if`. The parser and the writer walk it in a loop; the longest known has some 200.
pub const MAX_GLSL_ELSE_IFS: usize = 1024;

/// Scalars in one GLSL value (64 KiB of floats would be 16,384): larger types exhaust registers, not only memory.
pub const MAX_GLSL_TYPE_SCALARS: u64 = 1 << 16;

/// Structs nested in structs.
pub const MAX_GLSL_STRUCT_DEPTH: usize = 16;

/// Calls nested in calls, counted over functions: naga and drivers inline or walk them recursively.
pub const MAX_GLSL_CALL_DEPTH: usize = 100;

/// Expressions of a GLSL program when every call is inlined, as drivers do: sixty functions that each call the one
/// before twice would keep a driver busy for ever.
pub const MAX_GLSL_INLINED_EXPRESSIONS: u64 = 4_000_000;

/// Bytes of WGSL written for one GLSL text.
pub const MAX_WGSL_TEXT_BYTES: usize = 32 << 20;

/// Scalars passed from the vertex to the fragment stage, in slots of up to four: what WebGPU adapters offer at most.
pub const MAX_GLSL_VARYING_SLOTS: u32 = 31;

/// Bytes of pictures that are on their way back from the GPU at a time.
pub const MAX_PENDING_PICTURE_BYTES: u64 = 64 << 20;
