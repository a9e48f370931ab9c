//! Every cap on what a text may make this crate allocate or do, with its reason.

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

/// Components of one type. WGSL promises 16,384; larger values exhaust registers, not only memory.
pub const MAX_GLSL_VALUE_WORDS: u64 = 1 << 16;

/// Calls nested in calls, counted over functions, as deep as generated code goes: drivers inline them.
pub const MAX_GLSL_CALL_DEPTH: usize = 1024;

/// Expressions of a program when every call is inlined, as drivers do: sixty functions that each call the one before twice would
/// keep a driver busy for ever.
pub const MAX_GLSL_INLINED_EXPRESSIONS: u64 = 4_000_000;
