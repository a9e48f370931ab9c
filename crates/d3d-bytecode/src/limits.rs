//! Every cap on what a shader may make this crate allocate or do, with its reason.

/// Bytes of one program in Direct3D bytecode. Microsoft's compiler stops long before; a decoded program takes about ten
/// times as much.
pub const MAX_BYTECODE_BYTES: u64 = 4 << 20;

/// Instructions that calls of functions may put in, and of a Direct3D 9 program in all once they are: as many as devices of SM3
/// promise to run.
pub const MAX_BYTECODE_INSTRUCTIONS: u32 = 1 << 16;

/// Registers of one array `x#`, as SM5 has it.
pub const MAX_BYTECODE_ARRAY_REGISTERS: u32 = 4096;

/// Bytes that the threads of a group share, as Direct3D 11 has it.
pub const MAX_BYTECODE_GROUP_BYTES: u32 = 32 << 10;

/// Chunks of one container of Direct3D bytecode: compilers write ten, the emulator stops at as many.
pub const MAX_BYTECODE_CHUNKS: u32 = 4096;

/// Elements of one signature in Direct3D bytecode: 32 registers of four lanes, in four streams.
pub const MAX_SIGNATURE_ELEMENTS: u32 = 512;

/// Bytes of one name in Direct3D bytecode: of a semantic, a constant, a texture. Several may share one, so that its
/// length counts once for each.
pub const MAX_BYTECODE_NAME_BYTES: usize = 1024;

/// Names of slots and of variables that are read of one shader. Large ones have some hundreds; nothing draws by them.
pub const MAX_BYTECODE_NAMES: usize = 1 << 15;

/// Deepest nesting of blocks in Direct3D bytecode. Direct3D allows 64.
pub const MAX_BYTECODE_NESTING: usize = 128;

/// Deepest nesting of indices in Direct3D bytecode, as in `x0[x1[r0.x].y]`. Compilers write one level, seldom two.
pub const MAX_BYTECODE_INDEX_NESTING: u32 = 8;
