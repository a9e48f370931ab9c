//! Texts just within the limits are not only read: naga takes what is made of them, on a thread with a small stack.

use dev_glsl_cases as glsl;
use dev_trials::{Trial, trials_of};
use glsl::{accepted, fragment, vertex};
use glsl_es::limits::{
    MAX_GLSL_CALL_DEPTH, MAX_GLSL_CHAIN, MAX_GLSL_ELSE_IFS, MAX_GLSL_NESTING, MAX_GLSL_STRUCT_DEPTH,
    MAX_WGSL_BRACE_DEPTH,
};
use glsl_es::{GlslSource, Stage, endless_loops};

pub fn trials() -> Vec<Trial> {
    trials_of![texts_within_the_limits_are_taken, the_limit_is_told, loops_are_looked_for_in_deep_texts,]
}

fn nested(depth: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

fn the_limit_is_told() {
    for (body, told) in [
        (
            nested(MAX_GLSL_NESTING + 1, "(", "1.0", ")") + ";",
            "levels of nesting in an expression exceed the limit of 1024",
        ),
        (nested(MAX_GLSL_NESTING + 1, "{", "", "}"), "nested statements exceed the limit of 1024"),
        (
            nested(MAX_WGSL_BRACE_DEPTH, "if (o.x > 0.1) {", "o.x = 1.0;", "}"),
            "of the translation exceed the limit of 127",
        ),
    ] {
        let refused = glsl::link(glsl::VERTEX, &fragment("", &body)).map(|linked| linked.fragment_wgsl).unwrap_err();
        assert!(refused.to_string().contains(told), "{refused}");
    }
}

fn loops_are_looked_for_in_deep_texts() {
    let body = format!("for (;;) {{ o = vec4({}); }}", nested(MAX_GLSL_NESTING - 8, "(", "1.0", ")"));
    let text = fragment("", &body);
    let source = GlslSource { text: text.as_bytes(), offset: 0 };
    assert_eq!(endless_loops(source, Stage::Fragment).unwrap().len(), 1);
}

fn both(name: &str, declarations: &str, body: &str) {
    println!("{name}");
    accepted(name, &vertex("out vec4 v;", "v = a_position;"), &fragment(declarations, body));
}

fn texts_within_the_limits_are_taken() {
    let nested_to = nested;
    let nested = |open: &str, inner: &str, close: &str| nested_to(MAX_GLSL_NESTING - 8, open, inner, close);
    // Two levels each.
    let nested_twice = |open: &str, inner: &str, close: &str| nested_to(MAX_GLSL_NESTING / 2 - 4, open, inner, close);
    both("parentheses", "in vec4 v;", &format!("o = vec4({});", nested("(v.x + ", "1.0", ")")));
    both("calls", "in vec4 v;", &format!("o = vec4({});", nested_twice("sin(v.x * ", "1.0", ")")));
    both("unary", "in vec4 v;", &format!("o = vec4({});", nested_twice("- - ", "v.x", "")));
    both("ternaries", "in vec4 v;", &format!("o = vec4({});", nested("v.x > 0.1 ? v.y : ", "1.0", "")));
    both("indices", "in vec4 v;", &format!("int a[2]; a[0] = int(v.x); o = vec4({});", nested("a[", "0", "]")));
    both(
        "constructors",
        "in vec4 v;",
        &format!("o = {};", nested_to(MAX_GLSL_NESTING / 4, "vec4(v + ", "v", ").wzyx")),
    );
    both(
        "arrays",
        "in vec4 v;",
        &format!("o = vec4({});", nested_to(MAX_GLSL_NESTING / 4, "float[1](v.x + ", "v.y", ")[0]")),
    );
    both(
        "calls of functions",
        "in vec4 v; float f(float x) { return x + 1.0; }",
        &format!("o = vec4({});", nested_twice("f(", "v.x", ")")),
    );
    both(
        "structs of calls",
        "in vec4 v; struct S { float a; }; S f(S s) { s.a += 1.0; return s; }",
        &format!("o = vec4(f(S({})).a);", nested_to(MAX_GLSL_NESTING / 4, "f(S(", "v.x", ")).a")),
    );
    both(
        "textures",
        "uniform sampler2D t;",
        &format!("o = vec4({});", nested_to(MAX_GLSL_NESTING / 4, "texture(t, vec2(", "1.0", ")).x")),
    );
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
    // Of the function's braces and the innermost statement one level each.
    let blocks = MAX_WGSL_BRACE_DEPTH - 1;
    let loops = MAX_WGSL_BRACE_DEPTH / 2 - 1;
    let plain = MAX_GLSL_NESTING - 1;
    both("plain blocks", "in vec4 v;", &format!("{} o = v; {}", "{".repeat(plain), "}".repeat(plain)));
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
