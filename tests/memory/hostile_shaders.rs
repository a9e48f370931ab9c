//! Shaders that mean harm: each is refused by a limit or taken within the memory that stands beside it, and in a time that a test
//! can wait for.

use std::time::{Duration, Instant};

use crate::memory::peak;
use crate::support::harness::{Trial, trials_of};
use aerogpu_replay::command::ShaderStage;
use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::shader::glsl::GlslOptions;
use aerogpu_replay::shader::{ShaderError, ShaderText, link_glsl, parse_wgsl};

pub fn trials() -> Vec<Trial> {
    trials_of![
        wgsl_that_names_large_sizes_is_refused,
        wgsl_that_grows_is_refused_before_it_is_parsed,
        long_wgsl_is_refused_before_it_is_parsed,
        wgsl_within_the_limits_is_taken,
        glsl_keeps_to_the_limits,
    ]
}

/// Seconds that any of these may take. They take a second where nothing else runs, without optimisation; nobody waits for
/// what has no limit.
const MOST_TIME: Duration = Duration::from_secs(120);

const MIB: usize = 1 << 20;

fn parsed(text: &str) -> Result<(), ShaderError> {
    let source = ShaderText { bytes: text.as_bytes(), offset: 0x1000 };
    parse_wgsl(source, ShaderStage::Fragment).map(drop)
}

fn linked(fragment: &str) -> Result<(), ShaderError> {
    let vertex = "#version 300 es\nin vec4 a_position; void main() { gl_Position = a_position; }";
    let text = |text| ShaderText { bytes: str::as_bytes(text), offset: 0x1000 };
    link_glsl(text(vertex), text(fragment), &GlslOptions::default()).map(drop)
}

/// Measures one: bytes at the peak, and what came of it.
fn measured(name: &str, most_bytes: usize, work: impl FnOnce() -> Result<(), ShaderError>) -> Result<(), ShaderError> {
    let start = Instant::now();
    let (result, bytes) = peak(work);
    let (time, told) = (start.elapsed(), result.as_ref().err().map(ToString::to_string).unwrap_or_default());
    let told: String = told.lines().next().unwrap_or_default().chars().take(200).collect();
    println!("{name}: {} KiB, {} ms: {told}", bytes >> 10, time.as_millis());
    assert!(bytes <= most_bytes, "{name}: {bytes} bytes, expected at most {most_bytes}");
    assert!(time < MOST_TIME, "{name}: {time:?}");
    result
}

fn refused(name: &str, text: &str, most_bytes: usize, told: &str) {
    let error = measured(name, most_bytes, || parsed(text)).expect_err(name);
    assert_eq!(error.kind(), ErrorKind::OverLimit, "{name}: {error}");
    assert!(error.to_string().contains(told), "{name}: {error}");
}

/// A fragment shader with these declarations whose colour a function of this body gives.
fn wgsl(declarations: &str, body: &str) -> String {
    format!(
        "{declarations}\nfn given() -> f32 {{ {body} }}
        @fragment fn main() -> @location(0) vec4f {{ return vec4f(given()); }}"
    )
}

/// The text of a trace that took 8.46 GB.
const PRIVATE_ARRAY: &str = "struct O { @builtin(position) p: vec4<f32>, @location(0) c: vec4<f32> }
    var<private> g: array<f32,300000000>;
    @fragment fn fs_main(@builtin(position) p: vec4<f32>, @location(0) c: vec4<f32>) -> @location(0) vec4<f32> {
        return vec4<f32>(g[u32(p.x)]);
    }";

/// The text of a trace that took 1.1 GB and a minute, and with 4294967295 for a group 34 GB.
const GROUP: &str = "@group(10000000) @binding(0) var t: texture_2d<f32>;
    @fragment fn fs_main(@location(0) c: vec4<f32>) -> @location(0) vec4<f32> {
        return textureLoad(t,vec2<i32>(0,0),0)+c;
    }";

fn wgsl_that_names_large_sizes_is_refused() {
    let kib = 1 << 10;
    let most = 200 * kib;
    refused(
        "private array",
        PRIVATE_ARRAY,
        most,
        "private variable's size in bytes is 1200000000: this build's limit is 262144",
    );
    for group in [8_u32, 10_000_000, u32::MAX] {
        let told = format!("bind group number is {group}: this build's limit is 7, at 0x10");
        refused("group", &GROUP.replace("10000000", &group.to_string()), most, &told);
    }
    let binding = "@group(0) @binding(4294967295) var<uniform> u: vec4f;";
    refused("binding", &wgsl(binding, "return u.x;"), most, "binding number is 4294967295");
    let location = "@fragment fn main(@location(4294967295) a: vec4f) -> @location(0) vec4f { return a; }";
    refused("location", location, most, "location number is 4294967295: this build's limit is 255");
    for (name, body) in [
        ("local", "var a: array<f32, 300000000>; return a[3];"),
        ("zero value", "let a = array<f32, 300000000>(); return a[3];"),
        ("array of arrays", "var a: array<array<f32, 65536>, 4096>; return a[3][4];"),
    ] {
        refused(name, &wgsl("", body), most, "size in bytes is ");
    }
    refused("constant", &wgsl("const a = array<f32, 300000000>();", "return a[3];"), most, "value's size in bytes is ");
    let workgroup = "override n: u32 = 4000000000; var<workgroup> a: array<f32, n>;";
    refused("override", &wgsl(workgroup, "return 1.0;"), most, "workgroup variables is 16000000000");
    let locals: String = (0..5000).map(|n| format!("var a{n}: array<f32, 16000>;")).collect();
    refused("locals", &wgsl("", &(locals + "return 1.0;")), 16 * MIB, "all variables of a function is 1088000");
    let calls: String = (1..60).map(|n| format!("fn h{n}() -> f32 {{ return h{0}() + h{0}(); }}\n", n - 1)).collect();
    let calls = format!("fn h0() -> f32 {{ return 1.0; }}\n{calls}");
    refused("calls", &wgsl(&calls, "return h59();"), MIB, "with every call inlined and every value expanded is");
    let zeros = "{ var b = S(); }".repeat(5000);
    refused(
        "zeros",
        &wgsl("struct S { a: array<f32, 16000> }", &(zeros + "return 1.0;")),
        16 * MIB,
        "all variables of a function",
    );
}

fn wgsl_that_grows_is_refused_before_it_is_parsed() {
    let told = "length in words with constants and structs expanded";
    let constants: String = (1..25).map(|n| format!("const c{n} = array(c{0}, c{0});", n - 1)).collect();
    refused("constants", &wgsl(&format!("const c0 = array(1.0, 2.0);{constants}"), "return 1.0;"), MIB, told);
    refused("local constants", &wgsl("", &format!("const c0 = array(1.0, 2.0);{constants} return 1.0;")), MIB, told);
    let structs: String = (1..28).map(|n| format!("struct S{n} {{ a: S{0}, b: S{0} }}", n - 1)).collect();
    refused("structs", &wgsl(&format!("struct S0 {{ a: f32 }}{structs}"), "var a: S27; return 1.0;"), MIB, told);
    let table = format!("const a = array({});", "1.0,".repeat(10_000));
    let body = format!("var s = 0.0; {} return s;", "s += a[7];".repeat(10_000));
    refused("a table in many places", &wgsl(&table, &body), 16 * MIB, told);
}

fn long_wgsl_is_refused_before_it_is_parsed() {
    let most = 32 * MIB;
    let parentheses = format!("return {}1.0{};", "(".repeat(500_000), ")".repeat(500_000));
    refused("parentheses", &wgsl("", &parentheses), most, "nesting of brackets is 201: this build's limit is 200");
    let chain = format!("var a = 1; if a == 0 {{}} {} return 1.0;", "else if a == 1 { a = 2; }".repeat(50_000));
    refused("else if", &wgsl("", &chain), most, "chain of operators or else branches is 2001");
    let functions: String = (1..100_000).map(|n| format!("fn h{n}() -> f32 {{ return h{}(); }}\n", n - 1)).collect();
    refused(
        "functions",
        &wgsl(&functions, "return 1.0;"),
        most,
        "length in words is 262145: this build's limit is 262144",
    );
    let functions: String = (0..20_000).map(|n| format!("fn h{n}() {{}}\n")).collect();
    refused("short functions", &wgsl(&functions, "return 1.0;"), most, "number of declarations is 20002");
    let statements = format!("var a = 1.0; {} return a;", "a+=a;".repeat(60_000));
    refused("statements", &wgsl("", &statements), most, "length in words of one function is 240012");
    let cases: String = (0..100_000).map(|n| format!("case {n}: {{}}")).collect();
    let switch = format!("var a = 1; switch a {{ {cases} default: {{}} }} return 1.0;");
    refused("cases", &wgsl("", &switch), most, "length in words of one function is 20");
    let name = "n".repeat(1_900_000);
    refused("name", &wgsl("", &format!("var {name} = 1.0; return {name};")), most, "longest name in bytes is 1900000");
    let names = "\n".to_owned() + &"// \r (((((((((".repeat(100);
    refused("comments", &wgsl("", &names), most, "nesting of brackets is 201");
}

/// The largest and slowest that are taken; naga's memory is as much for each word of a text.
fn wgsl_within_the_limits_is_taken() {
    let taken = |name: &str, text: &str, most_bytes: usize| {
        measured(name, most_bytes, || parsed(text)).unwrap_or_else(|error| panic!("{name}: {error}"));
    };
    let sums = format!("var a = 1.0; {} return a;", "a+=a;".repeat(32_000));
    taken("sums", &wgsl("", &sums), 96 * MIB);
    let loops = format!("var a = 1.0; {} return a;", "for (var i=0;i<3;i++) {a=1.0;}".repeat(6_000));
    taken("loops", &wgsl("", &loops), 96 * MIB);
    let functions: String =
        (0..8_000).map(|n| format!("var<private> p{n}: f32; fn h{n}() -> f32 {{ return p{n}; }}\n")).collect();
    taken("functions and variables", &wgsl(&functions, "return 1.0;"), 192 * MIB);
    let table = format!("const a = array({});", "1.0,".repeat(500));
    let body = format!("var s = 0.0; var i = 3; {} return s;", "s += a[i];".repeat(900));
    taken("a table in many places", &wgsl(&table, &body), 160 * MIB);
    let constants: String = (1..13).map(|n| format!("const c{n} = array(c{0}, c{0});", n - 1)).collect();
    taken("constants", &wgsl(&format!("const c0 = array(1.0, 2.0);{constants}"), "return 1.0;"), 64 * MIB);
    let array = format!("const a = array<f32, 65536>({});", "1.0,".repeat(65_536));
    taken("a table", &wgsl(&array, "var i = 3; return a[i];"), 64 * MIB);
}

fn glsl_keeps_to_the_limits() {
    let text = |declarations: &str, body: &str| {
        format!(
            "#version 300 es\nprecision highp float; in vec4 v; out vec4 o; {declarations}\nvoid main() {{ {body} }}"
        )
    };
    let text = |declarations: &str, body: &str| text(declarations, body).replace(" in vec4 v;", " vec4 v;");
    let refused = |name: &str, text: &str, told: &str| {
        let error = measured(name, 192 * MIB, || linked(text)).expect_err(name);
        assert_eq!(error.kind(), ErrorKind::OverLimit, "{name}: {error}");
        assert!(error.to_string().contains(told), "{name}: {error}");
    };
    refused(
        "array",
        &text("float a[300000000];", "o = vec4(a[3]);"),
        "components of one type exceed the limit of 65536",
    );
    let arrays: String = (0..100).map(|n| format!("float a{n}[65536];")).collect();
    let uses: String = (0..100).map(|n| format!("a{n}[3] = 1.0;")).collect();
    refused("arrays", &text(&arrays, &uses), "size in bytes of all private variables is");
    refused("statements", &text("", &"v=v;".repeat(50_000)), "length in words of one function is");
    for (name, body) in [
        ("chain", format!("o = v{};", " + v".repeat(1 << 14))),
        ("chain of and", format!("bool b = v.x > 0.1{}; o = vec4(b);", " && v.y > 0.1".repeat(1 << 13))),
    ] {
        measured(name, 192 * MIB, || linked(&text("", &body))).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let effects = "float x; bool f() { x += 1.0; return x > 3.0; }";
    let body = |terms: usize| format!("bool b = f(){}; o = vec4(b);", " || f()".repeat(terms));
    measured("chain of effects", 192 * MIB, || linked(&text(effects, &body(1 << 13)))).unwrap();
    // Each term is fourteen words of what is written of it.
    refused("chain of more effects", &text(effects, &body(1 << 14)), "length in words of one function is 229395");
}
