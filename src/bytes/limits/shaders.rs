//! The limits of shaders, with their reasons: first those of the gate that shaders of every front end pass
//! (`crate::shader`), then those of single front ends, which read something that the others have not.

// Of every front end, asked of the text.

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

// Of every front end, asked of the module.

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

// Of Direct3D bytecode.

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

/// Turns that all loops of a Direct3D 9 shader may take together when it runs once, where loops lie within loops: as many
/// instructions as devices of SM3 promise to run. Four loops within each other could take four billion.
pub const MAX_LOOP_TURNS: u64 = 1 << 16;

/// Deepest nesting of blocks in Direct3D bytecode. Direct3D allows 64.
pub const MAX_BYTECODE_NESTING: usize = 128;

/// Deepest nesting of indices in Direct3D bytecode, as in `x0[x1[r0.x].y]`. Compilers write one level, seldom two.
pub const MAX_BYTECODE_INDEX_NESTING: u32 = 8;

// Of GLSL.

/// Bytes of one GLSL text. The largest uber-shaders known are some 200 KiB; a text past this is no shader.
pub const MAX_GLSL_TEXT_BYTES: usize = 1 << 20;

/// Tokens of one GLSL text after preprocessing. A text of the largest size, without macros, has fewer.
pub const MAX_GLSL_TOKENS: usize = 1 << 19;

/// Tokens that macro substitution may read as arguments and produce in one text, those dropped again included: a bomb
/// that vanishes costs time all the same.
pub const MAX_GLSL_MACRO_TOKENS: usize = 1 << 20;

/// Parameters of one macro: twice what C compilers promise. Each token of its body is looked for among them.
pub const MAX_GLSL_MACRO_PARAMETERS: usize = 256;

/// Macro calls nested in macro arguments. Each level is a level of our stack: some 3 KiB without optimisation.
pub const MAX_GLSL_MACRO_DEPTH: usize = 256;

/// Nesting of one GLSL expression (parentheses, unary operators, indices, right-hand branches of `?:`), and of statements,
/// where a block counts, so that `if (…) { … }` is two levels. Generated code has a thousand levels. What is written keeps
/// parts of expressions in temporaries, since naga stops at 200 levels of its own; of blocks, [`MAX_WGSL_BRACE_DEPTH`] ends
/// those earlier that WGSL needs braces for.
pub const MAX_GLSL_NESTING: usize = 1024;

/// Nesting of one condition of GLSL's preprocessor, which no thread of its own is made for.
pub const MAX_GLSL_CONDITION_DEPTH: usize = 100;

/// Stack for a GLSL text that nests deep. Pages that are not needed are not taken.
pub const GLSL_STACK_BYTES: usize = 128 << 20;

/// Braces nested in the WGSL written for a GLSL text: as many as naga reads.
pub const MAX_WGSL_BRACE_DEPTH: usize = 127;

/// Terms of one chain of operators of the same rank (`a + b + c`), which generated code may have thousands of. The typed
/// tree is as deep as the chain is long, and is walked in loops; what is written of it keeps its parts in temporaries.
pub const MAX_GLSL_CHAIN: usize = 1 << 14;

/// Branches of one chain of `else if`. The parser and the writer walk it in a loop; the longest known has some 200.
pub const MAX_GLSL_ELSE_IFS: usize = 1024;

/// Structs nested in structs.
pub const MAX_GLSL_STRUCT_DEPTH: usize = 16;

/// Bytes of one name, as GLSL ES 3.00 has it (3.9).
pub const MAX_GLSL_NAME_BYTES: usize = 1024;

/// Errors that are told of one GLSL text. People mend the first few and try again.
pub const MAX_GLSL_ERRORS: usize = 20;

/// Bytes of WGSL written for one GLSL text.
pub const MAX_WGSL_TEXT_BYTES: usize = 32 << 20;

/// Scalars passed from the vertex to the fragment stage, in slots of up to four: what WebGPU adapters offer at most.
pub const MAX_GLSL_VARYING_SLOTS: u32 = 31;
