//! Every cap on what a shader may make this crate allocate or do, with its reason.

/// Bytes of one shader's text. The largest uber-shaders of translators stay under a megabyte.
pub const MAX_SHADER_BYTES: u64 = 4 << 20;

/// Deepest nesting of brackets in a shader. C compilers promise 127 and people stop at 20.
pub const MAX_SHADER_NESTING: usize = 200;

/// Operators that follow each other in one expression, and branches in one `else if` chain: each makes the
/// syntax tree a level deeper.
pub const MAX_SHADER_CHAIN: u32 = 2000;

/// Bytes of one name in WGSL. GLSL ES has 1024, and its translation puts something before and behind them.
pub const MAX_SHADER_NAME_BYTES: usize = 2048;

/// Words, numbers and operators of one text in WGSL. The largest uber-shaders have some 100,000; what is written of a GLSL text
/// has to keep to it too. A text within it takes naga 12 seconds at worst.
pub const MAX_SHADER_WORDS: u64 = 1 << 18;

/// Words, numbers and operators of one function in WGSL. naga's time goes with their square: a function of 131,072 takes it four
/// seconds, one of a million five minutes.
pub const MAX_FUNCTION_WORDS: u64 = 1 << 17;

/// Declarations at the module scope of WGSL. naga's time goes with the square of their number, a second for these, and its
/// memory with functions times variables, 64 MiB for these.
pub const MAX_SHADER_DECLARATIONS: u64 = 1 << 14;

/// Words of a text in WGSL where each name of a constant or struct counts as what it stands for. naga writes constants out
/// wherever their type is still open, and walks structs member by member: nineteen declarations that each name the one
/// before twice are half a million of either. It takes 200 bytes for each.
pub const MAX_SHADER_WORDS_WRITTEN_OUT: u64 = 1 << 19;

/// Bind groups: `@group(8)` and above. No API has more; the graphics library keeps a list as long as the number.
pub const MAX_SHADER_GROUPS: u32 = 8;

/// Numbers of bindings in a group: `@binding(1024)` and above. WebGPU promises 1000, software adapters take these.
pub const MAX_SHADER_BINDINGS: u32 = 1024;

/// Locations: `@location(256)` and above. WebGPU promises 16; Direct3D has 32 registers of four lanes, each with a name of its own
/// at most, and distances. The validator keeps a bit for each number below the largest, so `@location(4294967295)` takes 512 MiB.
pub const MAX_SHADER_LOCATIONS: u32 = 256;

/// Words of four bytes in one value: a variable of a function or stage, an array constant. Larger ones exhaust registers, not
/// only memory; backends write initial zeros out, at up to 13 bytes of text a word. WGSL promises 16,384.
pub const MAX_SHADER_VALUE_WORDS: u64 = 1 << 16;

/// Words of all variables of one function, and of all private variables. WGSL promises 2048 of each, Direct3D has 16,384 and
/// constants of as many.
pub const MAX_SHADER_VARIABLES_WORDS: u64 = 1 << 18;

/// Words that the threads of a group share. Direct3D 11 has 8192; no API has more than these.
pub const MAX_SHADER_GROUP_WORDS: u64 = 1 << 16;

/// Words of any type, those of buffers included, where an array without a length has one element. The validator walks structs
/// member by member: 830 bytes of structs of structs take it five seconds.
pub const MAX_SHADER_TYPE_WORDS: u64 = 1 << 22;

/// Types nested in types. Compilers recurse into them; WGSL promises 15.
pub const MAX_SHADER_TYPE_NESTING: u64 = 64;

/// Expressions of one module as they stand: what 65,536 instructions of bytecode make, at sixteen each. Each takes some 100
/// bytes until it is drawn with.
pub const MAX_SHADER_EXPRESSIONS: u64 = 1 << 20;

/// Calls nested in calls, counted over functions, as deep as generated code goes: naga checks functions one by one, and
/// drivers inline them.
pub const MAX_SHADER_CALL_DEPTH: usize = 1024;

/// Expressions of a program when every call is inlined, as drivers do, and every value written out, as backends do: sixty
/// functions that each call the one before twice would keep a driver busy for ever.
pub const MAX_SHADER_INLINED_EXPRESSIONS: u64 = 4_000_000;
