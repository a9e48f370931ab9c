//! Texts just within the limits are not only read: naga takes what is made of them, on a thread with a small stack.

use crate::glsl;
use crate::support::harness::{Trial, trials_of};
use aerogpu_replay::bytes::limits::{
    MAX_GLSL_BLOCK_DEPTH, MAX_GLSL_CALL_DEPTH, MAX_GLSL_CHAIN, MAX_GLSL_ELSE_IFS, MAX_GLSL_EXPRESSION_DEPTH,
    MAX_GLSL_STRUCT_DEPTH, MAX_WGSL_BRACE_DEPTH,
};
use glsl::{accepted, fragment, vertex};

pub fn trials() -> Vec<Trial> {
    trials_of![texts_within_the_limits_are_taken,]
}

fn both(name: &str, declarations: &str, body: &str) {
    println!("{name}");
    accepted(name, &vertex("out vec4 v;", "v = a_position;"), &fragment(declarations, body));
}

fn texts_within_the_limits_are_taken() {
    let nested_to = |depth: usize, open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    let nested = |open: &str, inner: &str, close: &str| nested_to(MAX_GLSL_EXPRESSION_DEPTH - 8, open, inner, close);
    // Two levels each.
    let nested_twice =
        |open: &str, inner: &str, close: &str| nested_to(MAX_GLSL_EXPRESSION_DEPTH / 2 - 4, open, inner, close);
    both("parentheses", "in vec4 v;", &format!("o = vec4({});", nested("(v.x + ", "1.0", ")")));
    both("calls", "in vec4 v;", &format!("o = vec4({});", nested_twice("sin(v.x * ", "1.0", ")")));
    both("unary", "in vec4 v;", &format!("o = vec4({});", nested_twice("- - ", "v.x", "")));
    both("ternaries", "in vec4 v;", &format!("o = vec4({});", nested("v.x > 0.1 ? v.y : ", "1.0", "")));
    both("indices", "in vec4 v;", &format!("int a[2]; a[0] = int(v.x); o = vec4({});", nested("a[", "0", "]")));
    both("assignments", "float x;", &format!("{};", nested("x = ", "1.0", "")));
    both("chain", "in vec4 v;", &format!("o = v{};", " + v".repeat(MAX_GLSL_CHAIN)));
    both(
        "chain of and",
        "in vec4 v;",
        &format!("bool b = v.x > 0.1{}; o = vec4(b);", " && v.y > 0.1".repeat(MAX_GLSL_CHAIN / 2)),
    );
    both(
        "chain of effects",
        "float x; bool f() { x += 1.0; return x > 3.0; }",
        &format!("bool b = f(){}; o = vec4(b);", " || f()".repeat(MAX_GLSL_CHAIN)),
    );
    both(
        "else if",
        "in vec4 v;",
        &format!(
            "float x; if (v.x > 0.1) x = 1.0; {} o = vec4(x);",
            "else if (v.y > 0.2) x = 2.0; ".repeat(MAX_GLSL_ELSE_IFS - 1)
        ),
    );
    // Statements of a block: the block, the `if` and the branch are a level each, the innermost statement is one.
    let blocks = MAX_GLSL_BLOCK_DEPTH / 2 - 1;
    let loops = MAX_WGSL_BRACE_DEPTH / 2 - 2;
    both("ifs", "in vec4 v;", &format!("{} o = v; {}", "if (v.x > 0.1) {".repeat(blocks), "}".repeat(blocks)));
    both(
        "loops",
        "in vec4 v;",
        &format!("{} o += v; {}", "for (int i = 0; i < 2; i++) {".repeat(loops), "}".repeat(loops)),
    );
    let mut functions = String::from("float f0(float x) { return x; }\n");
    for level in 1..MAX_GLSL_CALL_DEPTH {
        functions += &format!("float f{level}(float x) {{ return f{}(x) + 1.0; }}\n", level - 1);
    }
    both("functions", &functions, &format!("o = vec4(f{}(1.0));", MAX_GLSL_CALL_DEPTH - 1));
    let mut structs = String::from("struct S0 { float a; };\n");
    for level in 1..MAX_GLSL_STRUCT_DEPTH {
        structs += &format!("struct S{level} {{ S{} a; }};\n", level - 1);
    }
    let last = MAX_GLSL_STRUCT_DEPTH - 1;
    both("structs", &format!("{structs}uniform S{last} u;"), &format!("S{last} s = u; o = vec4(s == u);"));
}
