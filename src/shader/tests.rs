//! Each limit of the gate, in each front end that can reach it: what is at it passes, and one more is refused with its sentence.

use naga_gate::{Exceeded, check_expressions, check_text};

use crate::command::ShaderStage;
use crate::limits::*;
use crate::shader::d3d::{assemble, check_translation};
use crate::shader::glsl::GlslOptions;
use crate::shader::{ShaderText, link_glsl, parse_wgsl};

const OFFSET: u64 = 0x1000;

fn wgsl_stage(text: &str) -> Result<(), String> {
    let source = ShaderText { bytes: text.as_bytes(), offset: OFFSET };
    parse_wgsl(source, ShaderStage::Fragment).map(drop).map_err(|error| error.to_string())
}

/// A fragment shader with these declarations whose colour a function of this body gives.
fn wgsl_text(declarations: &str, body: &str) -> String {
    format!(
        "{declarations}\nfn given() -> f32 {{ {body} }}
        @fragment fn main() -> @location(0) vec4f {{ return vec4f(given()); }}"
    )
}

fn wgsl(declarations: &str, body: &str) -> Result<(), String> {
    wgsl_stage(&wgsl_text(declarations, body))
}

fn glsl(declarations: &str, body: &str) -> Result<(), String> {
    let vertex = "#version 300 es\nin vec4 a_position; void main() { gl_Position = a_position; }";
    let fragment = format!(
        "#version 300 es\nprecision highp float; precision highp int; out vec4 color; {declarations}
        void main() {{ {body} color = vec4(1.0); }}"
    );
    let text = |text| ShaderText { bytes: str::as_bytes(text), offset: OFFSET };
    link_glsl(text(vertex), text(&fragment), &GlslOptions::default()).map(drop).map_err(|error| error.to_string())
}

fn bytecode(text: &str) -> Result<(), String> {
    let (_, program) = assemble(text).unwrap();
    check_translation(&program).map_err(|error| error.to_string())
}

/// Whether the text alone passes.
fn text(text: &str) -> Result<(), String> {
    check_text(text).map_err(|Exceeded { what, found, limit, .. }| format!("{what} is {found}: limit {limit}"))
}

fn passes_and_not(at: Result<(), String>, beyond: Result<(), String>, told: &str) {
    assert_eq!(at, Ok(()), "at the limit of {told:?}");
    let beyond = beyond.expect_err(told);
    assert!(beyond.contains(told), "{told:?} in {beyond:?}");
}

#[test]
fn numbers_are_not_lengths() {
    let group = |group: u32| wgsl(&format!("@group({group}) @binding(0) var<uniform> u: vec4f;"), "return u.x;");
    passes_and_not(
        group(MAX_SHADER_GROUPS - 1),
        group(MAX_SHADER_GROUPS),
        "fragment shader's bind group number is 8: this build's limit is 7, at 0x1016",
    );
    passes_and_not(Ok(()), group(10_000_000), "bind group number is 10000000: this build's limit is 7");
    passes_and_not(Ok(()), group(u32::MAX), "bind group number is 4294967295: this build's limit is 7");

    let binding = |binding: u32| wgsl(&format!("@group(0) @binding({binding}) var<uniform> u: vec4f;"), "return u.x;");
    passes_and_not(
        binding(MAX_SHADER_BINDINGS - 1),
        binding(MAX_SHADER_BINDINGS),
        "binding number is 1024: this build's limit is 1023",
    );
    passes_and_not(Ok(()), binding(u32::MAX), "binding number is 4294967295: this build's limit is 1023");

    let result = |location: u32| {
        wgsl_stage(&format!("@fragment fn main() -> @location({location}) vec4f {{ return vec4f(); }}"))
    };
    let argument = |location: u32| wgsl_stage(&format!("@fragment fn main(@location({location}) a: f32) {{}}"));
    let member = |location: u32| {
        let text = format!("struct In {{ @location({location}) a: f32 }} @fragment fn main(a: In) {{}}");
        wgsl_stage(&text)
    };
    let locations: [&dyn Fn(u32) -> Result<(), String>; 3] = [&result, &argument, &member];
    for location in locations {
        passes_and_not(
            location(MAX_SHADER_LOCATIONS - 1),
            location(MAX_SHADER_LOCATIONS),
            "location number is 256: this build's limit is 255",
        );
        passes_and_not(Ok(()), location(u32::MAX), "location number is 4294967295: this build's limit is 255");
    }
    let output = |location: u32| glsl(&format!("layout(location = {location}) out vec4 other;"), "other = color;");
    assert!(output(u32::MAX >> 1).is_err_and(|told| told.contains("location")));
}

#[test]
fn variables_have_sizes() {
    let value = MAX_SHADER_VALUE_WORDS;
    let private = |words: u64| wgsl(&format!("var<private> a: array<f32, {words}>;"), "return a[3];");
    passes_and_not(
        private(value),
        private(value + 1),
        "fragment shader's private variable's size in bytes is 262148: this build's limit is 262144, at 0x1000",
    );
    passes_and_not(
        Ok(()),
        private(300_000_000),
        "private variable's size in bytes is 1200000000: this build's limit is 262144",
    );
    passes_and_not(Ok(()), private(u64::from(u32::MAX)), "private variable's size in bytes is 17179869180");
    let nested = |inner: u64, outer: u64| {
        wgsl(&format!("var<private> a: array<array<f32, {inner}>, {outer}>;"), "return a[3][1];")
    };
    passes_and_not(nested(1 << 8, 1 << 8), nested(1 << 8, 257), "private variable's size in bytes is 263168");
    passes_and_not(Ok(()), nested(65536, 65536), "private variable's size in bytes is 17179869184");
    let padded = |bytes: u64| wgsl(&format!("struct S {{ @size({bytes}) a: f32 }} var<private> a: S;"), "return a.a;");
    passes_and_not(padded(value * 4), padded(value * 4 + 4), "private variable's size in bytes is 262148");

    let several = |further: u64| {
        let names: Vec<String> = (0..4).map(|n| format!("var<private> a{n}: array<f32, {value}>;")).collect();
        let last = if further == 0 { "" } else { "var<private> last: f32;" };
        wgsl(&(names.concat() + last), "return 1.0;")
    };
    passes_and_not(
        several(0),
        several(1),
        "size in bytes of all private variables is 1048580: this build's limit is 1048576",
    );

    let local = |words: u64| wgsl("", &format!("var a: array<f32, {words}>; return a[3];"));
    passes_and_not(
        local(value),
        local(value + 1),
        "function variable's size in bytes is 262148: this build's limit is 262144",
    );
    let locals = |last: &str| {
        let names: Vec<String> = (0..4).map(|n| format!("var a{n}: array<f32, {value}>;")).collect();
        wgsl("", &format!("{}{last} return 1.0;", names.concat()))
    };
    passes_and_not(locals(""), locals("var last: f32;"), "size in bytes of all variables of a function is 1048580");

    let workgroup = |words: u64| wgsl(&format!("var<workgroup> a: array<u32, {words}>;"), "return 1.0;");
    passes_and_not(
        workgroup(MAX_SHADER_GROUP_WORDS),
        workgroup(MAX_SHADER_GROUP_WORDS + 1),
        "size in bytes of workgroup variables is 262148: this build's limit is 262144",
    );
    let overridden =
        |count: &str| wgsl(&format!("override n: u32 = {count}; var<workgroup> a: array<u32, n>;"), "return 1.0;");
    passes_and_not(overridden("65536"), overridden("65537"), "size in bytes of workgroup variables is 262148");
    passes_and_not(Ok(()), overridden("4000000000"), "size in bytes of workgroup variables is 16000000000");
}

#[test]
fn variables_have_sizes_in_glsl() {
    let array = |words: u64| glsl(&format!("float a[{words}];"), "a[3] = 1.0;");
    passes_and_not(
        array(MAX_SHADER_VALUE_WORDS),
        array(MAX_SHADER_VALUE_WORDS + 1),
        "components of one type exceed the limit of 65536",
    );
    let arrays = |count: u64| {
        let names: Vec<String> = (0..count).map(|n| format!("float a{n}[65536];")).collect();
        let uses: Vec<String> = (0..count).map(|n| format!("a{n}[3] = 1.0;")).collect();
        glsl(&names.concat(), &uses.concat())
    };
    // The translation has the colour beside them.
    passes_and_not(
        arrays(3),
        arrays(4),
        "fragment shader's size in bytes of all private variables is 1048592: this build's limit is 1048576, at 0x1000",
    );
    let locals = |count: u64| {
        let names: Vec<String> = (0..count).map(|n| format!("float a{n}[65536]; a{n}[3] = 1.0;")).collect();
        glsl("", &names.concat())
    };
    passes_and_not(locals(3), locals(5), "size in bytes of all variables of a function is 1310720");
}

#[test]
fn variables_have_sizes_in_bytecode() {
    let arrays = |count: usize| {
        let declared: Vec<String> = (0..count).map(|n| format!("dcl_indexableTemp x{n}[4096], 4\n")).collect();
        let used: Vec<String> = (0..count).map(|n| format!("mov x{n}[r0.x].x, l(1.0)\n")).collect();
        bytecode(&format!(
            "cs_5_0\ndcl_thread_group 1, 1, 1\ndcl_temps 1\n{}mov r0.x, l(0)\n{}ret\n",
            declared.concat(),
            used.concat()
        ))
    };
    passes_and_not(
        arrays(15),
        arrays(16),
        "cs_5_0 shader: size in bytes of all variables of a function is 1048592: this build's limit is 1048576",
    );
}

#[test]
fn values_and_types_have_sizes() {
    let zeros = |words: u64| wgsl("", &format!("var i = 3; return array<f32, {words}>()[i];"));
    passes_and_not(
        zeros(MAX_SHADER_VALUE_WORDS),
        zeros(MAX_SHADER_VALUE_WORDS + 1),
        "largest value's size in bytes is 262148",
    );
    let constant = |words: u64| wgsl(&format!("const a = array<f32, {words}>();"), "return a[3];");
    passes_and_not(
        constant(MAX_SHADER_VALUE_WORDS),
        constant(MAX_SHADER_VALUE_WORDS + 1),
        "largest value's size in bytes is 262148",
    );
    let uniform = "var i = 3; let a = u; return a[i].x;";
    let loaded =
        |vectors: u64| wgsl(&format!("@group(0) @binding(0) var<uniform> u: array<vec4f, {vectors}>;"), uniform);
    passes_and_not(loaded(1 << 14), loaded((1 << 14) + 1), "largest value's size in bytes is 262160");
    let buffer =
        |words: u64| wgsl(&format!("@group(0) @binding(0) var<storage> b: array<u32, {words}>;"), "return f32(b[3]);");
    passes_and_not(
        buffer(MAX_SHADER_TYPE_WORDS),
        buffer(MAX_SHADER_TYPE_WORDS + 1),
        "largest type's size in bytes is 16777220: this build's limit is 16777216",
    );

    let nested = |levels: u64| {
        let mut aliases = "alias A1 = f32;".to_owned();
        (2..=levels).for_each(|level| aliases += &format!("alias A{level} = array<A{}, 1>;", level - 1));
        wgsl(&format!("{aliases} var<private> a: A{levels};"), "return 1.0;")
    };
    passes_and_not(
        nested(MAX_SHADER_TYPE_NESTING),
        nested(MAX_SHADER_TYPE_NESTING + 1),
        "nesting of types is 65: this build's limit is 64",
    );
}

#[test]
fn calls_are_inlined() {
    let chain = |count: usize| {
        let mut functions = "fn h0() -> f32 { return 1.0; }\n".to_owned();
        (1..count).for_each(|n| functions += &format!("fn h{n}() -> f32 {{ return h{}(); }}\n", n - 1));
        format!("{functions} @fragment fn main() -> @location(0) vec4f {{ return vec4f(h{}()); }}", count - 1)
    };
    let most = MAX_SHADER_CALL_DEPTH;
    passes_and_not(
        wgsl_stage(&chain(most)),
        wgsl_stage(&chain(most + 1)),
        "nesting of calls is 1025: this build's limit is 1024",
    );
    let doubled = |count: usize| {
        let mut functions = "fn h0() -> f32 { return 1.0; }\n".to_owned();
        (1..count).for_each(|n| functions += &format!("fn h{n}() -> f32 {{ return h{0}() + h{0}(); }}\n", n - 1));
        wgsl(&functions, &format!("return h{}();", count - 1))
    };
    let told = "number of expressions with every call inlined and every value expanded is";
    passes_and_not(doubled(16), doubled(60), told);
    let zeros = |count: usize| {
        let bodies: Vec<String> = (0..count).map(|n| format!("fn h{n}() {{ var a: array<f32, 65536>; }}")).collect();
        wgsl(&bodies.concat(), "return 1.0;")
    };
    passes_and_not(zeros(61), zeros(62), told);

    let mut functions = "float f0() { return 1.0; }\n".to_owned();
    (1..60).for_each(|n| functions += &format!("float f{n}() {{ return f{0}() + f{0}(); }}\n", n - 1));
    passes_and_not(
        Ok(()),
        glsl(&functions, "float a = f59();"),
        "expressions, with every call inlined, exceed the limit of 4000000",
    );
}

#[test]
fn bytecode_makes_so_many_expressions() {
    assert_eq!(check_expressions(MAX_SHADER_EXPRESSIONS), Ok(()));
    let lines = |count: usize| {
        let start = "cs_5_0\ndcl_thread_group 1, 1, 1\ndcl_temps 1\ndcl_tgsm_raw g0, 64\n".to_owned();
        bytecode(&(start + &"ld_raw r0.xyzw, r0.x, g0.xyzw\n".repeat(count) + "ret\n"))
    };
    passes_and_not(lines(1000), lines(50_000), "cs_5_0 shader: number of expressions is 104");
}

#[test]
fn texts_have_lengths() {
    let constants = |count: usize| text(&"const a = 1 + 2;\n".repeat(count));
    let most = MAX_SHADER_DECLARATIONS as usize;
    passes_and_not(constants(most), constants(most + 1), "number of declarations is 16385: limit 16384");
    let function = |count: u64| text(&format!("fn f() {{ {} }}", "a;".repeat(count as usize - 2)));
    passes_and_not(
        function(MAX_FUNCTION_WORDS),
        function(MAX_FUNCTION_WORDS + 1),
        "length in words of one function is 131073: limit 131072",
    );
    let half = (MAX_SHADER_WORDS / 2) as usize - 2;
    let functions = |further: &str| text(&format!("fn f() {{ {0} }} fn g() {{ {0} }} {further}", "a;".repeat(half)));
    passes_and_not(functions(""), functions("a"), "length in words is 262145: limit 262144");
    let name = |bytes: usize| text(&format!("const {} = 1;", "n".repeat(bytes)));
    passes_and_not(
        name(MAX_SHADER_NAME_BYTES),
        name(MAX_SHADER_NAME_BYTES + 1),
        "longest name in bytes is 2049: limit 2048",
    );
}

#[test]
fn constants_and_structs_are_written_out() {
    let told = "length in words with constants and structs expanded is";
    let doubled = |count: usize| {
        let declared = (1..count).map(|n| format!("const c{n} = array(c{0}, c{0});", n - 1));
        text(&("const c0 = array(1, 2);".to_owned() + &declared.collect::<String>()))
    };
    passes_and_not(doubled(14), doubled(60), told);
    let reversed = |count: usize| {
        let declared = (1..count).rev().map(|n| format!("struct S{n} {{ a: S{0}, b: S{0} }}", n - 1));
        text(&(declared.collect::<String>() + "struct S0 { a: f32 }"))
    };
    passes_and_not(reversed(14), reversed(60), told);
    let within = |count: usize| {
        let declared = (1..count).map(|n| format!("const c{n} = array(c{0}, c{0});", n - 1));
        text(&format!("fn f() {{ const c0 = array(1, 2); {} }}", declared.collect::<String>()))
    };
    passes_and_not(within(14), within(60), told);
    let shadowed = |count: usize| {
        let declared = (0..count).map(|_| "{ const a = array(b, b); { const b = array(a, a);");
        text(&format!("fn f() {{ const b = 1; {} {} }}", declared.collect::<String>(), "}}".repeat(count)))
    };
    passes_and_not(shadowed(7), shadowed(30), told);
    let named = |count: usize| {
        let table = format!("const a = array({});", "1,".repeat(1000));
        text(&format!("{table} fn f() {{ {} }}", "b += a[i];".repeat(count)))
    };
    passes_and_not(named(500), named(550), told);
    // A member is not a constant, nor a chain of sums an array.
    let members = format!("const x = array({}); fn f() {{ {} }}", "1,".repeat(1000), "b += a.x;".repeat(10_000));
    assert_eq!(text(&members), Ok(()));
    assert_eq!(text("const a = b; const b = a; fn f() { a; }"), Ok(()), "naga says what is wrong with it");
    assert_eq!(text("const"), Ok(()));
    assert_eq!(text("fn f() { const } const"), Ok(()));
}

#[test]
fn the_book_names_the_limits() {
    let book = include_str!("../../docs/shader-limits.md");
    let bytes = |words: u64| words * 4;
    for (row, limit) in [
        ("bytes of a text", MAX_SHADER_BYTES),
        ("nesting of brackets", MAX_SHADER_NESTING as u64),
        ("operators, or `else` branches, in one chain", u64::from(MAX_SHADER_CHAIN)),
        ("bytes of a name", MAX_SHADER_NAME_BYTES as u64),
        ("words, numbers and operators of a text", MAX_SHADER_WORDS),
        ("words, numbers and operators of a function", MAX_FUNCTION_WORDS),
        ("declarations of a text", MAX_SHADER_DECLARATIONS),
        ("words with names of constants and structs written out", MAX_SHADER_WORDS_WRITTEN_OUT),
        ("bind group number", u64::from(MAX_SHADER_GROUPS) - 1),
        ("binding number", u64::from(MAX_SHADER_BINDINGS) - 1),
        ("location number", u64::from(MAX_SHADER_LOCATIONS) - 1),
        ("bytes of a variable or value", bytes(MAX_SHADER_VALUE_WORDS)),
        ("bytes of all private variables, and of all variables of a function", bytes(MAX_SHADER_VARIABLES_WORDS)),
        ("bytes that a workgroup shares", bytes(MAX_SHADER_GROUP_WORDS)),
        ("bytes of any type, those of buffers too", bytes(MAX_SHADER_TYPE_WORDS)),
        ("nesting of types", MAX_SHADER_TYPE_NESTING),
        ("expressions of a module", MAX_SHADER_EXPRESSIONS),
        ("nesting of calls", MAX_SHADER_CALL_DEPTH as u64),
        ("expressions with calls inlined and values written out", MAX_SHADER_INLINED_EXPRESSIONS),
    ] {
        assert!(book.contains(&format!("\n| {row} | {limit} | ")), "{row}: {limit}");
    }
}
