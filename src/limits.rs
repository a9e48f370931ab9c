//! Every cap on what a file may make us allocate or do, with its reason.
//!
//! A cap is either bounded by the file's own length (then it needs no constant) or stands here. Going over one is
//! exit code 10, and the message names the cap.

pub use aerogpu_trace::limits::*;
pub use d3d_bytecode::limits::*;
pub use glsl_es::limits::*;
pub use naga_gate::limits::*;
pub use trace_base::limits::*;
pub use trace_timeline::limits::*;

use std::num::NonZeroUsize;

/// Bytes of the frames that `info` reads to count draws and objects: less than a second's work. `--deep` reads all.
pub const MAX_OVERVIEW_BYTES: u64 = 64 << 20;

/// Bytes of one guest buffer: the size every WebGPU implementation must offer, so no recorder could rely on more.
pub const MAX_BUFFER_BYTES: u64 = 256 << 20;

/// Vertices drawn by one frame; a picture that shows what earlier frames have drawn needs each of them to keep to it. Real
/// frames stay under ten million; software adapters take half a minute for a billion, and a single DRAW can ask for four.
/// `--no-render-budget` lifts it.
pub const MAX_FRAME_VERTICES: u64 = 1_000_000_000;

/// Bytes of everything that drawing a frame takes on GPU and CPU together, as [`crate::replay::FrameMemory`] accounts for
/// it: what GPUs of some years ago have. Nothing lifts it.
pub const MAX_FRAME_BYTES: u64 = 2 << 30;

/// Bytes of what waits for the GPU: buffers that the guest has made anew, versions of buffers that an upload has overtaken,
/// and gathered vertices. Past it what is recorded is carried out and waited for, in mid-frame if need be.
pub const MAX_HELD_BYTES: u64 = 256 << 20;

/// Bytes that recorded work takes of GPU library and driver, as estimated, before it is submitted: passes, copies, draws, and
/// objects that are made. Two such submissions may be on their way. Measured on software Vulkan, a pass takes 14 KiB.
pub const MAX_RECORDED_BYTES: u64 = 64 << 20;

/// Pipelines that are kept: those used least recently are made again when they are needed. Software drivers take 200 to 400
/// KiB for a small one, and games draw a frame with some hundred.
pub const MAX_PIPELINES: NonZeroUsize = NonZeroUsize::new(1 << 10).unwrap();

/// Bytes that uploads stage before they are submitted on their own, and that submissions on their way have staged.
pub const MAX_STAGED_BYTES: u64 = 32 << 20;

/// Bytes of the chunks that uploads are staged in: what is being recorded and what is on its way, each chunk up to half empty.
pub const MAX_STAGING_BYTES: u64 = 4 * MAX_STAGED_BYTES;

/// Bytes of the spare target that questions are drawn on, where it is kept for the next: more than a picture of 4K has.
pub const MAX_SPARE_TARGET_BYTES: u64 = 64 << 20;

/// Bytes of one buffer that a shader declares: nothing is bound to it, so it is zeros. What programs declare with a length is
/// a few kilobytes of uniforms; long arrays are declared without one.
pub const MAX_UNBOUND_BUFFER_BYTES: u64 = 4 << 20;

/// Bytes of what is small whatever a trace holds: indices of triangles' corners, answers to queries, zeros for what is not
/// bound (once for the player, once for a question about vertices).
pub const MAX_SMALL_BYTES: u64 = 16 << 20;

/// Bytes of all guest buffers that exist at one time.
pub const MAX_BUFFERS_BYTES: u64 = 1 << 30;

/// Bytes of a buffer that one question may ask for. Nobody looks at more, and whoever saves a whole buffer asks in turns.
pub const MAX_ANSWERED_BYTES: u64 = 16 << 20;

/// Writes that the passes of one frame are linked by, each time that one finds another: about a second's work.
pub const MAX_PASS_LINKS: u64 = 1 << 24;

/// Bytes of one message to `serve`: the largest shader text, escaped.
pub const MAX_MESSAGE_BYTES: u64 = 16 << 20;

/// Bytes of a message over the limit that are passed over to find the next; a longer one was no message.
pub const MAX_SKIPPED_BYTES: u64 = 1 << 30;

/// Requests of one batch to `serve`.
pub const MAX_BATCH: usize = 1000;

/// Requests that wait to be answered; whoever sends more waits. Far more than anybody needs, for `shutdown` and
/// cancelling must not be what waits.
pub const MAX_WAITING_REQUESTS: usize = 10_000;

/// Bytes of messages that wait to be answered: some of the largest.
pub const MAX_WAITING_BYTES: u64 = 64 << 20;

/// Traces that one `serve` holds open: each has a target and buffers on the GPU.
pub const MAX_OPEN_TRACES: usize = 64;

/// Bytes that players of open traces keep on the GPU while another trace is asked about: half of what one frame may have.
/// With that frame they stay below 3 GiB, however many traces are open.
pub const MAX_KEPT_PLAYERS_BYTES: u64 = 1 << 30;

/// Bytes of shader texts that are compiled while other questions wait: the worst of this length take some tens of
/// milliseconds.
pub const MAX_COMPILED_AT_ONCE_BYTES: u64 = 64 << 10;

/// Rows of a listing in one answer: a megabyte or two of JSON.
pub const MAX_SERVED_ROWS: u32 = 10_000;

/// Bytes of a buffer in one answer, where they take twice as many letters.
pub const MAX_SERVED_BYTES: u64 = 4 << 20;

/// Bytes of a picture's rows in one answer, compressed and in letters; larger ones go into files.
pub const MAX_SERVED_PICTURE_BYTES: u64 = 256 << 20;

/// Vertices of a draw whose outputs one question may ask for: they take some 200 bytes each, and nobody looks at more.
pub const MAX_MESH_VERTICES: u32 = 1 << 20;

/// Bytes of a trace that comes in on standard input: they are kept in a file without a name.
pub const MAX_SPOOLED_BYTES: u64 = 8 << 30;

/// Stretches of 2^18 numbers each that the vertices of a mesh may lie in: a pipeline is made for each value in each of them.
pub const MAX_MESH_STRETCHES: u64 = 64;

/// Bytes of vertices that are gathered for one draw whose layout no GPU API takes.
pub const MAX_GATHERED_BYTES: u64 = 64 << 20;

/// Bytes of one `golden.toml`. A frame takes 150 of them, and nobody reviews ten thousand frames.
pub const MAX_GOLDEN_BYTES: u64 = 4 << 20;

/// Bytes of one `inputs.json`. A draw takes 80 of them.
pub const MAX_INPUTS_BYTES: u64 = 256 << 20;

/// Bytes of one file of decisions about changed pictures. One takes 300 of them.
pub const MAX_DECISIONS_BYTES: u64 = 64 << 20;

/// Draws after the one that broke a failed frame that are looked at one by one, to see whether they paint over what it
/// drew; a test then goes on. `bisect` has no such limit.
pub const MAX_EXPLAINED_DRAWS: u32 = 256;

/// Longest time that a test looks at them: pictures of 4096×4096 take a tenth of a second each to read back.
pub const MAX_EXPLAINING: std::time::Duration = std::time::Duration::from_secs(5);

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

/// Bytes of pictures that are on their way back from the GPU at a time.
pub const MAX_PENDING_PICTURE_BYTES: u64 = 64 << 20;

/// Bytes of shader texts whose programs are made before anybody asks for them: thousands of usual ones. The programs
/// are some twenty times as large, and a trace may never use them.
pub const MAX_TEXT_BYTES_AHEAD: u64 = 8 << 20;

/// Bytes of command streams that submissions of one trace run again, together, where each run has to be gone through: any
/// number of submissions may name one stream. No recorder does that. Of a short trace they may be a quarter as long as the trace.
pub const MAX_REPEATED_STREAM_BYTES: u64 = 64 << 20;

/// The same within one frame, where each run is listed packet by packet.
pub const MAX_RELISTED_STREAM_BYTES: u64 = 1 << 20;

/// Texels of a texture's longest side, its layers, and the bytes of all its mips and layers together: what software
/// adapters make.
pub const MAX_TEXTURE_SIDE_PX: u64 = 16384;
/// See [`MAX_TEXTURE_SIDE_PX`].
pub const MAX_TEXTURE_LAYERS: u64 = 2048;
/// See [`MAX_TEXTURE_SIDE_PX`].
pub const MAX_TEXTURE_BYTES: u64 = 1 << 30;

/// Bytes of one allocation table: half a million allocations. The emulator stops at as many.
pub const MAX_ALLOCATION_TABLE_BYTES: u64 = 16 << 20;

/// Stretches of guest memory that the commands of one submission read and write back, together. Drivers name some hundred
/// allocations, each of one stretch; a texture written back has one a row.
pub const MAX_MEMORY_STRETCHES: u64 = 4 << 20;

/// Bytes that the commands of one submission write back to guest memory, together. Drivers write back what a program reads:
/// a screenshot, a query's answer.
pub const MAX_WRITTEN_BACK_BYTES: u64 = 512 << 20;

/// Bytes of all buffers and textures of submissions that exist on a GPU at one time.
pub const MAX_DEVICE_BYTES: u64 = 2 << 30;

/// Bytes of copies of parts of resources that a player keeps on the GPU, so that no way to a frame is long.
pub const MAX_PART_COPY_BYTES: u64 = 256 << 20;

/// Bytes of resources of submissions that a player keeps on the GPU without need when it goes to another frame.
pub const MAX_KEPT_DEVICE_BYTES: u64 = 512 << 20;

/// Turns that all loops of a Direct3D 9 shader may take together when it runs once, where loops lie within loops: as many
/// instructions as devices of SM3 promise to run. Four loops within each other could take four billion.
pub const MAX_LOOP_TURNS: u64 = 1 << 16;
