//! Text that is no GLSL ES 3.00 gets a typed error with a place, never a panic and never a hang.

use dev_glsl_cases as glsl;
use dev_trials::{Trial, trials_of};
use glsl::{FRAGMENT, VERTEX, fragment, link, vertex};
use glsl_es::limits::MAX_GLSL_ERRORS;
use glsl_es::{self as reader, Fault, GlslError, GlslOptions, GlslSource, LinkError, Linked, Stage};
use trace_base::bytes::FindingKind;

pub fn trials() -> Vec<Trial> {
    trials_of![
        errors_say_where_in_the_authors_text,
        a_missing_semicolon_is_where_it_is_missing,
        macros_are_named_with_their_definitions,
        nothing_that_must_be_refused_is_taken_in_silence,
        all_errors_of_both_texts_are_told,
        what_follows_from_an_error_is_not_told,
        errors_reach_from_where_to_where,
        offsets_are_those_of_the_file,
        texts_that_are_no_text,
        other_versions_get_a_sentence_each,
        unterminated_things,
        deep_and_long_texts_stop_at_a_limit,
        bombs_stop_at_a_limit,
        recursion_and_missing_parts,
        texts_in_the_wrong_slot,
        what_the_language_forbids,
        what_other_compilers_take,
        what_is_taken_and_said,
        mistakes_are_told_with_their_fix,
        nothing_is_said_of_sound_texts,
        mismatched_stages_name_both_declarations,
        what_cant_be_drawn_is_named,
    ]
}

fn bytes(vertex: &[u8], fragment: &[u8]) -> Result<(), GlslError> {
    let source = |text, offset| GlslSource { text, offset };
    reader::link(source(vertex, 0x100), source(fragment, 0x900), &GlslOptions::default()).map(drop)
}

/// The error that a fragment text gives.
fn error(text: &str) -> GlslError {
    link(VERTEX, text).map(|linked| linked.fragment_wgsl).expect_err(text)
}

fn fault(text: &str) -> Fault {
    match error(text) {
        GlslError::Invalid { fault, .. } => fault,
        other => panic!("{other}\n{text}"),
    }
}

fn is_limit(text: &str) {
    match link(VERTEX, text).map(drop) {
        Err(GlslError::LimitExceeded { .. }) => {}
        other => panic!("{other:?} for {}…", text.chars().take(300).collect::<String>()),
    }
}

fn errors_say_where_in_the_authors_text() {
    let text = "#version 300 es\nprecision highp float;\n#define TWO \\\n  vec3(2.0)\nout vec4 o;\nvoid main() {\n  o = TWO;\n}\n";
    let GlslError::Invalid { fault, place } = error(text) else { panic!() };
    assert!(matches!(fault, Fault::Type { .. }), "{fault}");
    assert_eq!((place.line, place.column, place.stage), (7, 7, Stage::Fragment));
    assert_eq!(&text[place.byte_offset as usize..][..3], "TWO");
    let shown = error(text).to_string();
    assert!(shown.contains("7 |   o = TWO;\n   |       ^"), "{shown}");
    assert!(shown.contains("expected vec4, found vec3"), "{shown}");
}

/// An error in the expansion of a macro is told with the macro that the text calls.
fn macros_are_named_with_their_definitions() {
    for (declarations, body, named) in [
        ("#define SQ(x) ((x) * true)", "float y = SQ(2.0);", Some(("SQ", 5))),
        ("\n#define TWO 2\n#define ADD(a) (a + TWO)", "float y = ADD(1.0);", Some(("ADD", 7))),
        ("#define TWO 2\n#undef TWO\n#define TWO 3", "float y = TWO;", Some(("TWO", 7))),
        ("#define ID(x) x", "float y = ID(z);", Some(("ID", 5))),
        ("#define TWO 2.0", "float y = z + TWO;", None),
        ("", "int y = __VERSION__ + 1.0;", None),
    ] {
        let GlslError::Invalid { fault, place } = error(&fragment(declarations, body)) else { panic!("{body}") };
        let found = place.expansion.as_ref().map(|expansion| (expansion.name.as_str(), expansion.line));
        assert_eq!(found, named, "{body}: {fault}");
        let words = named.map(|(name, line)| format!("\n in the expansion of '{name}', defined at line {line}"));
        let shown = place.to_string();
        let is_told = words.map_or(!shown.contains("in the expansion of"), |words| shown.ends_with(&words));
        assert!(is_told, "{shown}");
    }
}

/// At the end of what it should stand behind, wherever the next token is.
fn a_missing_semicolon_is_where_it_is_missing() {
    for (body, line, column, found) in [
        ("float x = 1.0\n\n// y\nx += 2.0;", 7, 14, "'x'"),
        ("float x = 1.0 float y;", 7, 14, "'float'"),
        ("o = vec4(1.0)\n", 7, 14, "'}'"),
        ("#define ONE 1.0\nfloat x = ONE\n x += 2.0;", 9, 2, "'x'"),
    ] {
        let GlslError::Invalid { fault, place } = error(&fragment("", body)) else { panic!("{body}") };
        assert_eq!(fault.to_string(), format!("expected ';', found {found}"));
        assert_eq!((place.line, place.column), (line, column), "{body}");
    }
}

fn offsets_are_those_of_the_file() {
    let Err(GlslError::Invalid { place, .. }) = bytes(VERTEX.as_bytes(), b"#version 300 es\nfoo") else { panic!() };
    assert_eq!((place.blob_offset, place.byte_offset), (0x900, 19));
    assert!(place.to_string().contains("file offset 0x913"), "{place}");
}

fn texts_that_are_no_text() {
    for (text, wanted) in
        [(&b"#version 300 es\nvoid\xff"[..], "UTF-8"), (b"#version 300 es\n\0", "NUL"), (b"", "version")]
    {
        let shown = bytes(VERTEX.as_bytes(), text).unwrap_err().to_string();
        assert!(shown.contains(wanted), "{shown}");
    }
    let large = " ".repeat(50 << 20);
    assert!(matches!(bytes(large.as_bytes(), b""), Err(GlslError::LimitExceeded { .. })));
}

fn other_versions_get_a_sentence_each() {
    for (version, wanted) in [
        ("100", "WebGL1"),
        ("320 es", "no WebGL version"),
        ("330", "desktop"),
        ("450 core", "desktop"),
        ("300", "profile 'es'"),
        ("900 es", "no such version"),
    ] {
        let shown = fault(&format!("#version {version}\nvoid main() {{}}\n")).to_string();
        assert!(shown.contains(wanted), "{version}: {shown}");
    }
    assert!(matches!(fault("void main() {}"), Fault::VersionMissing { .. }));
}

fn unterminated_things() {
    assert!(matches!(fault("#version 300 es\n/* no end"), Fault::UnterminatedComment));
    assert!(matches!(fault("#version 300 es\n#define f(x) x\nf(1"), Fault::UnterminatedMacro { .. }));
    assert!(matches!(fault("#version 300 es\n#if 1\n"), Fault::UnterminatedConditional));
    for open in [
        "void main() {",
        "void main() { if (true",
        "struct S { float a;",
        "uniform B { float",
        "float a[",
        "float f(",
        "void main() { for (;;",
        "void main() { switch (1) {",
    ] {
        assert!(matches!(fault(&format!("#version 300 es\n{open}")), Fault::Expected { .. }), "{open}");
    }
}

fn deep_and_long_texts_stop_at_a_limit() {
    let n = 100_000;
    let body = |expression: String| fragment("", &format!("float x = {expression}; o = vec4(x);"));
    let pair = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    is_limit(&body(pair("(", "1.0", ")")));
    is_limit(&body(pair("-", "1.0", "")));
    is_limit(&body(pair("sin(", "1.0", ")")));
    is_limit(&body(pair("true ? 1.0 : ", "1.0", "")));
    is_limit(&body(pair("1.0 + ", "1.0", "")));
    is_limit(&body(format!("1.0{}", " * 2.0 + 1.0".repeat(n / 2))));
    is_limit(&fragment("", &format!("bool b = {}true;", "true && ".repeat(n))));
    is_limit(&fragment("", &pair("{", "", "}")));
    is_limit(&fragment("", &format!("{};", "if (true) ".repeat(n))));
    is_limit(&fragment("", &format!("{} ;", "if (true) ; else ".repeat(n))));
    is_limit(&fragment("", &format!("{};", "for (;;) ".repeat(n))));
    is_limit(&fragment("", &format!("{} ; {}", "do ".repeat(n), "while (false);".repeat(n))));
    is_limit(&fragment("float a[2];", &format!("int i; i = {}0{};", "int(a[".repeat(n), "])".repeat(n))));
    is_limit(&fragment("mat4 m;", &format!("float x = m{};", "[0]".repeat(n))));
    is_limit(&fragment("vec4 m;", &format!("m = m{};", ".xyzw".repeat(n))));
    is_limit(&fragment("float x;", &format!("x {} 1.0;", "= x ".repeat(n))));
    is_limit(&fragment(&pair("struct S { ", "float a;", " x; }"), ""));
    is_limit(&fragment("", &format!("float x[{}1{}];", "(".repeat(n), ")".repeat(n))));
    is_limit(&fragment(&format!("#if {}1{}\n#endif", "(".repeat(n), ")".repeat(n)), ""));
    is_limit(&fragment(&format!("#if {}1\n#endif", "!".repeat(n)), ""));
}

fn bombs_stop_at_a_limit() {
    let mut macros = String::from("#define a0 1.0 + 1.0\n");
    for level in 1..64 {
        macros += &format!("#define a{level} a{0} + a{0}\n", level - 1);
    }
    is_limit(&fragment(&macros, "float x = a63;"));
    let mut calls = String::from("float f0(float x) { return x + 1.0; }\n");
    for level in 1..64 {
        calls += &format!("float f{level}(float x) {{ return f{0}(x) + f{0}(x); }}\n", level - 1);
    }
    is_limit(&fragment(&calls, "o = vec4(f63(1.0));"));
    let mut chain = String::from("float f0(float x) { return x; }\n");
    for level in 1..5000 {
        chain += &format!("float f{level}(float x) {{ return f{}(x); }}\n", level - 1);
    }
    is_limit(&fragment(&chain, "o = vec4(f4999(1.0));"));
    let mut structs = String::from("struct S0 { float a[100]; };\n");
    for level in 1..12 {
        structs += &format!("struct S{level} {{ S{} a[100]; }};\n", level - 1);
    }
    is_limit(&fragment(&structs, ""));
    is_limit(&fragment("float a[2000000000];", ""));
    let mut nested = String::from("struct S0 { float a; };\n");
    for level in 1..1000 {
        nested += &format!("struct S{level} {{ S{} a; }};\n", level - 1);
    }
    is_limit(&fragment(&nested, ""));
}

fn recursion_and_missing_parts() {
    assert!(matches!(
        fault(&fragment("float f(float x) { return f(x); }", "o = vec4(f(1.0));")),
        Fault::Recursion { .. }
    ));
    let mutual = "float g(float x); float f(float x) { return g(x); } float g(float x) { return f(x); }";
    assert!(matches!(fault(&fragment(mutual, "o = vec4(f(1.0));")), Fault::Recursion { .. }));
    assert!(matches!(fault(&fragment("float g(float x);", "o = vec4(g(1.0));")), Fault::NoBody { .. }));
    assert!(matches!(fault("#version 300 es\nfloat f() { return 1.0; }"), Fault::MissingMain { .. }));
    assert!(matches!(fault(&fragment("#define a b\n#define b a", "float x = a;")), Fault::Undeclared { .. }));
}

fn texts_in_the_wrong_slot() {
    assert!(matches!(fault(VERTEX), Fault::WrongStage { belongs: Stage::Vertex, .. }));
    let id = fragment("", "o = vec4(gl_VertexID);");
    assert!(matches!(fault(&id), Fault::WrongStage { belongs: Stage::Vertex, .. }));
    for text in [vertex("", "discard;"), vertex("", "float x = gl_FragCoord.x;"), vertex("", "float x = dFdx(1.0);")] {
        let Err(GlslError::Invalid { fault, .. }) = link(&text, FRAGMENT) else { panic!("{text}") };
        assert!(matches!(fault, Fault::WrongStage { belongs: Stage::Fragment, .. }), "{fault}");
    }
}

fn what_the_language_forbids() {
    let cases = [
        ("", "float x = 1;"),
        ("", "int x = 1.0;"),
        ("", "vec3 v = vec2(1.0);"),
        ("", "x = 1.0;"),
        ("", "float x; float x;"),
        ("", "const float c = 1.0; c = 2.0;"),
        ("uniform float u;", "u = 1.0;"),
        ("in float v;", "v = 1.0;"),
        ("", "1.0 = 2.0;"),
        ("", "vec2 v; v.xx = vec2(1.0);"),
        ("", "vec2 v; float f = v.z;"),
        ("", "float f = 1.0; f.x;"),
        ("", "if (1) {}"),
        ("", "while (1.0) {}"),
        ("", "break;"),
        ("", "continue;"),
        ("", "switch (1.0) { case 1: break; }"),
        ("", "switch (1) { case 1: break; case 1: break; }"),
        ("", "int i; switch (1) { case i: break; }"),
        ("", "return 1.0;"),
        ("float f() { return; }", ""),
        ("", "float a[3]; a[3] = 1.0;"),
        ("", "float a[0];"),
        ("", "int n = 3; float a[n];"),
        ("", "float a[2] = float[3](1.0, 2.0, 3.0);"),
        ("", "float a[2][2];"),
        ("", "mat2 m = mat2(1.0, 2.0);"),
        ("", "vec2 v = vec2(1.0, 2.0, 3.0);"),
        ("", "vec4 v = vec4(vec3(1.0));"),
        ("", "float f = sin(1);"),
        ("", "f(1.0);"),
        ("void f(float x) {}", "f(1);"),
        ("void f(out float x) {}", "f(1.0);"),
        ("float f; float f() { return 1.0; }", ""),
        ("", "bool b = 1.0 && true;"),
        ("", "int i = 1 + 1u;"),
        ("", "float f = mat2(1.0) * vec3(1.0);"),
        ("", "int i = 5.0 % 2.0;"),
        ("", "bool b = vec2(1.0) < vec2(2.0);"),
        ("", "float f = -true;"),
        ("", "int i = ~1.0;"),
        ("", "float gl_x = 1.0;"),
        ("attribute float a;", ""),
        ("varying float a;", ""),
        ("in int v;", ""),
        ("uniform float u = 1.0;", ""),
        ("in sampler2D s;", ""),
        ("", "sampler2D s;"),
        ("uniform sampler2D s;", "vec4 v = texture(s, 1.0);"),
        ("uniform sampler2D s;", "int i = 1; vec4 v = textureOffset(s, vec2(1.0), ivec2(i));"),
        ("uniform sampler2D s;", "vec4 v = textureOffset(s, vec2(1.0), ivec2(100));"),
        ("uniform sampler2D s[2];", "int i = 1; vec4 v = texture(s[i], vec2(1.0));"),
        ("", "struct S { float a; float a; } s;"),
        ("", "struct S { float a; } s = S(1.0, 2.0);"),
        ("", "goto x;"),
        ("", "float x = 1.0f0;"),
        ("", "int i = 99999999999;"),
        ("", "float f = 'a';"),
        ("", "float f = \"a\";"),
        ("", "float f = 1.0 @ 2.0;"),
        ("#define f(x, x) x", ""),
        ("#if\n#endif", ""),
        ("void main() {}", ""),
        ("layout(location = 1) in float v;", ""),
        ("layout(binding = 1) uniform B { float a; };", ""),
        ("uniform B { float a; }; uniform B { float b; };", ""),
        ("uniform B { sampler2D s; };", ""),
        ("void f(void x) {}", ""),
        ("", "void x;"),
        ("", "(true ? o : o) = vec4(1.0);"),
        ("", "float f = (1.0, 2.0) + vec2;"),
        ("const float c;", ""),
        ("struct S { float gl_a; };", ""),
        ("uniform gl_B { float a; };", ""),
        ("precision highp float[2];", ""),
        ("uniform sampler2D s; sampler2D f() { return s; }", ""),
        ("uniform sampler2D s;", "sampler2D[1](s);"),
        ("float f() { return 1.0; } float g = f();", "o = vec4(g);"),
        ("float g; float h = g++;", "o = vec4(h);"),
        ("float f(float x) { return x; } int f(float x) { return 1; }", ""),
        ("struct S { float a; } s; struct S { float b; } t;", ""),
    ];
    for (declarations, body) in cases {
        match link(VERTEX, &fragment(declarations, body)) {
            Err(GlslError::Invalid { .. }) => {}
            other => panic!("{declarations} {body}: {:?}", other.map(|linked| linked.fragment_wgsl)),
        }
    }
}

/// The lines of a fragment text's errors, from that of its first declaration.
fn lines_of_errors(declarations: &str, body: &str) -> Vec<u32> {
    let text = fragment(declarations, body);
    let source = |text| GlslSource { text, offset: 0 };
    let linked = reader::link_all(source(VERTEX.as_bytes()), source(text.as_bytes()), &GlslOptions::default());
    linked.map_err(|errors| errors.iter().map(|error| error.place().line - 4).collect()).err().unwrap_or_default()
}

fn all_errors_of_both_texts_are_told() {
    let checked = [
        (
            "float f() { return 1; }\nLigth l;\nvec3 g(Ligth l) { return l.c; }\nfloat x = 1;",
            "x = true;\no = u;",
            &[1, 2, 4, 6, 7][..],
        ),
        (
            "",
            "if (1) {\no = 1;\n} else {\no = 2;\n}\nwhile (2) o = 3;\ndo o = 4; while (5);\nfor (int i = 1.0; 2; i = 3.0) {\nbreak 1;\n}",
            &[11],
        ),
        (
            "",
            "if (1) {\no = 1;\n} else {\no = 2;\n}\nwhile (2)\no = 3;\nfor (int i = 1.0;\n2;\ni = 3.0)\no = 4;",
            &[3, 4, 6, 8, 9, 10, 11, 12, 13],
        ),
        ("", "switch (1) {\ncase 1: o = 1;\ncase 2: { o = 2; } o = 3;\n}\no = 4;", &[4, 5, 7]),
        ("struct S { float a b; float c; };\nvoid f(int x y) { x = 1; }\nfloat c = ;", "o = vec4(1.0", &[1, 2, 3, 6]),
        ("", "float a = 1.0\nfloat b = (2.0;\no = vec4(a)\no += a +;\n{ o = ) ; }", &[3, 4, 5, 6, 7]),
    ];
    for (declarations, body, lines) in checked {
        let mut found = lines_of_errors(declarations, body);
        found.dedup();
        assert_eq!(found, lines, "{declarations}\n{body}");
    }
    let bad = "#version 300 es\nvoid main() { gl_Position = 1; }";
    let errors = reader::link_all(
        GlslSource { text: bad.as_bytes(), offset: 0x100 },
        GlslSource { text: fragment("", "o = 1;\no = 2;").leak().as_bytes(), offset: 0x900 },
        &GlslOptions::default(),
    )
    .unwrap_err();
    let stages: Vec<_> = errors.iter().map(|error| (error.place().stage, error.place().blob_offset)).collect();
    assert_eq!(stages, [(Stage::Vertex, 0x100), (Stage::Fragment, 0x900), (Stage::Fragment, 0x900)]);
    assert_eq!(errors.to_string().matches("expected vec4, found int").count(), 3);
    let many = "o = 1;\n".repeat(1000);
    assert_eq!(lines_of_errors("", &many).len(), MAX_GLSL_ERRORS);
    assert_eq!(lines_of_errors("", &"o = ;\n".repeat(1000)).len(), MAX_GLSL_ERRORS);
}

fn what_follows_from_an_error_is_not_told() {
    for (declarations, body, lines) in [
        ("Ligth l;", "o = l.color;\nl = l;\no = f(l);\no = f(2);\no = f(3);", &[1, 6][..]),
        ("float x = 1;", "x += 1.0;\no = vec4(x);", &[1]),
        ("const int n = 2.0;\nuniform float n2 = 1.0;", "int i = n;\no = vec4(n2);", &[1, 2]),
        ("", "float y = u;\ny = u;\no = vec4(u, y, u, u);\nu = 1.0;", &[3]),
        ("", "Foo a, b;\na = b;\n{ Foo c = a; }", &[3]),
        ("vec4 f(Foo x) { return x; }", "o = f(1.0);\no = f(2);", &[1]),
        ("in sampler2D s;", "o = texture(s, vec2(1.0));", &[1]),
        ("", "float a[] = b;\no = vec4(a[1]);", &[3]),
    ] {
        assert_eq!(lines_of_errors(declarations, body), lines, "{declarations}\n{body}");
    }
}

/// Underlined with the caret at the operator or the first token.
fn errors_reach_from_where_to_where() {
    for (declarations, body, shown) in [
        ("", "o = vec4(1.0) + mat3(2.0) * vec2(1.0, 2.0);", "                ~~~~~~~~~~^~~~~~~~~~~~~~~~"),
        ("uniform sampler2D s;", "o = texture2D(s, o.xy);", "    ^~~~~~~~~"),
        ("", "o = vec4(1.0, 2.0);", "    ^~~~~~~~~~~~~~"),
        ("", "o = (o.xyz);", "     ~^~~~"),
        ("", "float a[2]; a[1 + 1] = 1.0;", "              ~~^~~"),
        ("float f(float x) { return x; }", "o = vec4(f(1));", "         ^~~~"),
        ("", "o = - (true);", "    ^~~~~~~~"),
        ("", "int é; /* é */ o = 1;", ""),
    ] {
        let GlslError::Invalid { place, .. } = error(&fragment(declarations, body)) else { panic!("{body}") };
        let text = place.to_string();
        assert!(text.ends_with(&format!(" | {shown}")) || shown.is_empty(), "{text}\n{shown}");
        assert_eq!(place.characters.len(), place.columns.len(), "{text}");
    }
    let long = format!("o = vec4({});", "o.x + ".repeat(60) + "true");
    let place = error(&fragment("", &long)).to_string();
    let lines: Vec<usize> = place.lines().skip(1).map(|line| line.chars().count()).collect();
    assert!(lines.len() == 2 && lines[1] <= lines[0] && lines[0] < 120, "{place}");
}

/// A text a line: `F` and `V` take declarations and statements of `main` of a fragment or vertex shader, `P` those of both,
/// `T` is a fragment shader as it is; tabs between them, and `⏎` for the ends of lines. What the language forbids is refused,
/// by default or as an oddity under `--strict`.
fn nothing_that_must_be_refused_is_taken_in_silence() {
    let (mut count, mut taken) = (0, Vec::new());
    for line in include_str!("refused.txt").lines() {
        let line = line.replace('⏎', "\n");
        let parts: Vec<&str> = line.split('\t').collect();
        let (of_vertices, of_fragments) = match parts[..] {
            ["F", declarations, body] => (VERTEX.to_owned(), fragment(declarations, body)),
            ["V", declarations, body] => (vertex(declarations, body), FRAGMENT.to_owned()),
            ["P", a, b, body_b, body_a] => (vertex(a, body_a), fragment(b, body_b)),
            ["T", text] => (VERTEX.to_owned(), text.to_owned()),
            _ => panic!("{line}"),
        };
        count += 1;
        let source = |text: &'static str| GlslSource { text: text.as_bytes(), offset: 0 };
        let (of_vertices, of_fragments) = (of_vertices.leak(), of_fragments.leak());
        let linked = reader::link(source(of_vertices), source(of_fragments), &GlslOptions::default());
        let is_odd = |linked: Linked| linked.remarks.iter().any(|remark| remark.kind == FindingKind::Oddity);
        if linked.is_ok_and(|linked| !is_odd(linked)) {
            taken.push(line);
        }
    }
    assert!(count > 1000 && taken.is_empty(), "{} of {count}:\n{}", taken.len(), taken.join("\n"));
}

/// Text that desktop compilers or C take. Each would mean something else there, or nothing.
fn what_other_compilers_take() {
    let long = format!("float {};", "x".repeat(1025));
    let cases = [
        ("#define QUALITY 2\n#if QUALTY > 1\n#endif", "", "#if: expected a name that is defined, found 'QUALTY'"),
        ("#if 0\n#elif ABSENT\n#endif", "", "#elif: expected a name that is defined, found 'ABSENT'"),
        ("float mix(float a, float b, float c) { return a; }", "", "declaring 'mix', as every name of a built-in"),
        ("struct S { float a; }; float sin(S s) { return s.a; }", "", "declaring 'sin', as every name of a built-in"),
        ("mat4 inverse(mat4 m);", "", "declaring 'inverse', as every name of a built-in"),
        ("vec4 texture(vec2 at) { return vec4(at, at); }", "", "declaring 'texture', as every name of a built-in"),
        ("void f(const float x) { x = 1.0; }", "f(1.0);", "'x' can't be assigned: it is 'const'"),
        ("void f(const in vec2 x) { x.y += 1.0; }", "f(vec2(1.0));", "'x' can't be assigned: it is 'const'"),
        ("void g(out float y) { y = 1.0; } void f(const float x) { g(x); }", "f(1.0);", "it is 'const'"),
        ("void f(const float x); void f(float x) {}", "f(1.0);", "'f' is already declared"),
        ("", "for (int i = 0; i < 3; i++) { int i = 1; }", "'i' is already declared"),
        ("", "for (int i = 0; i < 3; i++) int i = 1;", "'i' is already declared"),
        ("", "int n = 0; while (bool more = n++ < 3) { float more; }", "'more' is already declared"),
        ("", "switch (1) { case 1: break; default: }", "expected a statement after the last label"),
        ("", "switch (1) { case 1: }", "expected a statement after the last label"),
        ("", "float imageBuffer = 1.0;", "'imageBuffer' is a reserved word"),
        ("", "float iimage1DArray = 1.0;", "'iimage1DArray' is a reserved word"),
        ("", &long, "the length of a name is 1025, expected at most 1024 characters"),
    ];
    for (declarations, body, words) in cases {
        let text = fragment(declarations, body);
        let told = fault(&text).to_string();
        assert!(told.contains(words), "{told} instead of {words:?}");
    }
    for (declarations, body) in [
        (
            "#if defined(ABSENT) && ABSENT > 1\n#elif 1 || ABSENT\n#elif ABSENT\n#endif\n#if 0\n#if ABSENT\n#endif\n#endif",
            "",
        ),
        ("void f(const float x) { float y = x; }", "f(1.0); float sin = 1.0; o = vec4(sin);"),
        ("", "for (int i = 0; i < 3; i++) { { int i = 1; } if (i > 1) { float i; } } for (int i = 0;;) { break; }"),
        ("", "do { int i; } while (false); while (true) { int i; break; } int i;"),
        ("", "switch (1) { case 1: default: ; } switch (2) { }"),
        ("", &long.replacen('x', "", 1)),
    ] {
        link(VERTEX, &fragment(declarations, body)).unwrap();
    }
}

/// Mistakes that people make who come from other languages and versions, or misspell a name.
fn mistakes_are_told_with_their_fix() {
    let cases = [
        ("uniform sampler2D s;", "o = texture2D(s, o.xy);", "'texture2D' is not declared: GLSL ES 3.00 uses 'texture'"),
        ("uniform samplerCube s;", "o = textureCube(s, o.xyz);", "GLSL ES 3.00 uses 'texture'"),
        ("uniform sampler2D s;", "o = texture2DLodEXT(s, o.xy, 0.0);", "GLSL ES 3.00 uses 'textureLod'"),
        ("uniform sampler2D s;", "o = tex2D(s, o.xy);", "GLSL ES 3.00 uses 'texture', and 1.00 'texture2D'"),
        (
            "",
            "gl_FragColor = o;",
            "'gl_FragColor' is not declared: GLSL ES 3.00 has outputs: declare 'out vec4 color;'",
        ),
        ("", "gl_FragData[0] = o;", "GLSL ES 3.00 has outputs"),
        ("", "gl_FragDepthEXT = 0.5;", "GLSL ES 3.00 uses 'gl_FragDepth'"),
        ("varying vec2 uv;", "", "'varying' is a reserved word: GLSL ES 3.00 uses 'out' in vertex shaders and 'in'"),
        ("attribute vec2 uv;", "", "'attribute' is a reserved word: GLSL ES 3.00 uses 'in'"),
        ("", "o = lerp(o, o, 0.5);", "'lerp' is not declared: GLSL ES uses 'mix'"),
        ("", "o = saturate(o);", "write 'clamp(x, 0.0, 1.0)'"),
        ("", "float a = atan2(1.0, 2.0);", "GLSL ES uses 'atan(y, x)'"),
        ("uniform mat4 m;", "o = mul(m, o);", "write 'a * b'"),
        ("", "o = frac(o);", "GLSL ES uses 'fract'"),
        ("", "float a = rsqrt(2.0);", "GLSL ES uses 'inversesqrt'"),
        ("", "o = ddx(o);", "GLSL ES uses 'dFdx'"),
        ("", "float a = fmod(1.0, 2.0);", "'mod(x, y)', which has the sign of y"),
        ("", "float4 a = o;", "type 'float4' is not declared: GLSL ES uses 'vec4'"),
        ("", "float3x3 a;", "GLSL ES uses 'mat3'"),
        ("", "half a = 1.0;", "'half' is a reserved word: GLSL ES has one type of floats: 'float'"),
        ("", "double a = 1.0;", "GLSL ES has one type of floats: 'float'"),
        ("", "unsigned int a;", "GLSL ES 3.00 uses 'uint'"),
        ("static const float A = 1.0;", "", "'static' is a reserved word: leave it out"),
        ("", "float a = 1;", "expected float, found int: GLSL ES converts no numbers by itself, write 1.0 for 1"),
        ("", "float a = 2 * o.x;", "'*' can't take int and float: GLSL ES converts no numbers by itself"),
        ("", "float a = max(o.x, 0);", "no overload of 'max' takes (float, int)"),
        ("", "float a = max(o.x, 0);", "GLSL ES converts no numbers by itself"),
        ("", "uint a = 1;", "write 1u for 1"),
        ("void f(float x) {} void f(vec2 x, int n) {}", "f(1);", "takes (int); it takes (float) or (vec2, int)"),
        ("", "float a = PI;", "define it: 'const float PI = 3.14159265;'"),
        ("", "float a = iTime;", "declare it: 'uniform float iTime;'"),
        ("uniform vec3 lightDirection;", "o.xyz = lightDirecton;", "did you mean 'lightDirection'?"),
        ("float brightness(vec3 c) { return c.x; }", "o.x = brigthness(o.xyz);", "did you mean 'brightness'?"),
        ("", "o.xyz = normalise(o.xyz);", "did you mean 'normalize'?"),
        ("struct Light { float a; };", "Ligth l;", "type 'Ligth' is not declared: did you mean 'Light'?"),
        ("", "samplerCub s;", "did you mean 'samplerCube'?"),
        ("uniform B { float brightness; } b;", "o.x = brightness;", "did you mean 'b.brightness'?"),
        ("", "vec2 v = {1.0, 2.0};", "lists in braces are written 'vec4(…)' or 'float[](…)'"),
        ("", "if (o.x = 1.0) {}", "a condition ('==' compares, '=' assigns): expected bool, found float"),
        ("uniform sampler2D s[2]; uniform int i;", "o = texture(s[i], o.xy);", "'switch' chooses one"),
    ];
    for (declarations, body, words) in cases {
        let told = fault(&fragment(declarations, body)).to_string();
        assert!(told.contains(words), "{told} instead of {words:?}");
    }
    // Where nothing is known, nothing is proposed.
    for (body, told) in [
        ("float a = q;", "variable 'q' is not declared"),
        ("float a = somethingElse;", "variable 'somethingElse' is not declared"),
        ("o = vec2(1.0);", "the assigned value: expected vec4, found vec2"),
    ] {
        assert_eq!(fault(&fragment("float r; float something;", body)).to_string(), told);
    }
}

/// Text that the language forbids and whose meaning is clear: drawn, and refused under `--strict`.
fn what_is_taken_and_said() {
    let of_fragments = [
        ("#ifdef GL_ES x\n#endif", "", "#ifdef: expected the end of the line, found 'x'"),
        ("#if 1\n#else x\n#endif", "", "#else: expected the end of the line, found 'x'"),
        ("#if 1\n#endif GL_ES", "", "#endif: expected the end of the line, found 'GL_ES'"),
        ("#define A\n#undef A B", "", "#undef: expected the end of the line, found 'B'"),
        ("float a;\n#extension GL_EXT_frag_depth : enable", "", "#extension after code"),
        ("struct S { struct T { float a; } t; } s;", "", "a struct is declared within another type"),
        ("uniform B { struct T { float a; } t; };", "", "a struct is declared within another type"),
        ("float f(struct S { float a; } s) { return 1.0; }", "", "a struct is declared in a parameter"),
        ("struct S { const float a; };", "", "a qualifier of a member"),
        ("struct S { flat float a; };", "", "a qualifier of a member"),
        ("uniform B { flat float a; };", "", "a qualifier of a member"),
        ("uniform float u; float g = u;", "", "the initial value of a global variable"),
        ("float g = (1.0, 2.0);", "", "the initial value of a global variable"),
        ("flat float g;", "", "a qualifier of a variable that no stage passes on"),
        ("invariant float g;", "", "a qualifier of a variable that no stage passes on"),
        ("invariant uniform float u;", "", "'invariant' before something other than an output"),
        ("flat uniform float u;", "", "where nothing is interpolated"),
        ("", "invariant float x;", "a qualifier of a variable in a function"),
        ("layout(location = 1) out vec4 p;", "p = vec4(1.0);", "output 'o' is one of several: expected"),
        ("float f(flat float x) { return x; }", "", "a qualifier of a parameter"),
        ("float f(highp in float x) { return x; }", "", "'in' is in the wrong order"),
        ("uniform layout(row_major) B { mat2 m; };", "", "'layout' is in the wrong order"),
        ("uniform sampler3D s;", "", "no precision: in a fragment shader sampler3D has none by default"),
        ("uniform isampler2D s;", "", "no precision: in a fragment shader isampler2D has none by default"),
        ("uniform sampler2DShadow s;", "", "no precision: in a fragment shader sampler2DShadow has none"),
        (
            "struct B { float a; }; uniform B { float b; };",
            "",
            "block 'B': expected a name of its own, found one of line",
        ),
        ("float f(float x); float g() { return f(1.0); }", "", "function 'f' is called but has no body"),
        ("float f(); float f();", "", "function 'f' is declared already: expected one prototype"),
        ("flat float f() { return 1.0; }", "", "a qualifier of a function"),
        ("in;", "", "qualifiers of nothing"),
        ("void f() { o = vec4(1.0); } invariant o;", "", "'invariant' after 'o' was used"),
        ("uniform B { layout(shared) float a; };", "", "a layout of a member"),
        ("centroid uniform B { float a; };", "", "a qualifier of a block"),
        ("layout(location = 0) struct S { float a; };", "", "a layout of a type"),
        ("highp lowp float a;", "", "'lowp' after another qualifier of its kind"),
        ("flat flat in vec4 a;", "", "'flat' after another qualifier of its kind"),
        ("highp bool a;", "", "a precision for a type that has none"),
        ("struct S { float a; }; lowp S s;", "", "a precision for a type that has none"),
        ("", "int a = bitCount(1);", "'bitCount' is a function of GLSL ES 3.10"),
        ("float f(float x) { return f(x); }", "", "function 'f' calls itself"),
        ("float g(float x); float f(float x) { return g(x); } float g(float x) { return f(x); }", "", "calls itself"),
    ];
    for (declarations, body, words) in of_fragments {
        let text = fragment(declarations, body);
        let told = glsl::oddities(VERTEX, &text);
        assert!(told.len() == 1 && told[0].contains(words), "{told:?} instead of {words:?}\n{text}");
    }
    for (declarations, words) in [
        ("flat in vec4 a;", "where nothing is interpolated"),
        ("layout(location = 16) in vec4 a;", "a location past the last: expected at most 15"),
        ("layout(location = 15) in mat2 a;", "a location past the last: expected at most 15"),
        ("layout(location = 1) layout(location = 2) in vec4 a;", "'layout' after another"),
        ("centroid in vec4 a;", "where nothing is interpolated"),
        ("const in vec4 a;", "'const in' outside of parameters"),
        ("invariant in vec4 a;", "'invariant' before something other than an output"),
        ("smooth flat out vec4 a;", "'flat' and 'smooth' at once"),
        ("flat invariant out vec4 a;", "'invariant' is in the wrong order"),
        ("struct S { float a[2]; }; out S a;", "a varying that nests"),
        ("struct T { float a; }; struct S { T t; }; out S a;", "a varying that nests"),
        ("struct S { float a; }; out S a[2];", "a varying that nests"),
        ("uniform sampler2DArray s;", "no precision: in a vertex shader sampler2DArray has none by default"),
    ] {
        let told = glsl::oddities(&vertex(declarations, ""), FRAGMENT);
        assert!(told.len() == 1 && told[0].contains(words), "{told:?} instead of {words:?}\n{declarations}");
    }
    for (of_vertices, of_fragments, words) in [
        ("uniform float a;", "uniform mediump float a;", "uniform 'a' is mediump here but highp in the vertex shader"),
        ("precision mediump int; uniform ivec2 a;", "uniform ivec2 a;", "uniform 'a' is highp here but mediump in"),
        (
            "uniform sampler2D a;",
            "uniform highp sampler2D a;",
            "uniform 'a' is highp here but lowp in the vertex shader",
        ),
        (
            "struct S { float b; }; uniform S a;",
            "struct T { float b; }; uniform T a;",
            "uniform 'a' is T here but S in",
        ),
        (
            "struct S { lowp float b; }; uniform S a[2];",
            "struct S { float b; }; uniform S a[2];",
            "uniform 'a' is a struct with 'highp b' here but a struct with 'lowp b' in the vertex shader",
        ),
        (
            "uniform B { float a; } b;",
            "uniform B { mediump float a; } b;",
            "uniform block 'B' has 'mediump a' here but 'highp a' in the vertex shader",
        ),
        (
            "struct S { lowp float a; }; uniform B { vec4 b; S s[2]; };",
            "struct S { float a; }; uniform B { vec4 b; S s[2]; };",
            "uniform block 'B' has a struct with 'highp a' here but a struct with 'lowp a' in the vertex shader",
        ),
        (
            "uniform A { float x; };",
            "uniform vec4 A;",
            "'A' is a uniform outside of blocks here but a block in the vertex",
        ),
        (
            "uniform vec4 A;",
            "uniform A { float x; };",
            "'A' is a block here but a uniform outside of blocks in the vertex",
        ),
        ("uniform B { float x; } a;", "uniform vec4 a;", "but the variable of a block in the vertex shader"),
        ("uniform vec4 a;", "uniform B { float x; } a;", "'a' is the variable of a block here but a uniform outside"),
    ] {
        let told = glsl::oddities(&vertex(of_vertices, ""), &fragment(of_fragments, ""));
        assert!(told.len() == 1 && told[0].contains(words), "{told:?} instead of {words:?}");
    }
    let several = "#version 300 es\nprecision highp float;\nlayout(location = 1) out vec4 o;\nlayout(location = 0) out vec4 p;\nvoid main() { o = p = vec4(1.0); }";
    assert_eq!(glsl::oddities(VERTEX, several), [""; 0]);
    let flat = several.replace("out vec4 p", "flat out vec4 p");
    assert!(glsl::oddities(VERTEX, &flat).concat().contains("where nothing is interpolated"));
    let without =
        "#version 300 es\nout vec4 o;\nvoid main() { { precision highp float; float y; } float x; o = vec4(1.0); }";
    let told = glsl::oddities(VERTEX, without);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("no precision: in a fragment shader float has none by default"), "{told:?}");
}

fn nothing_is_said_of_sound_texts() {
    for (declarations, body) in [
        ("#ifdef GL_ES // x\n#endif /* x */\n#if 0\n#else\n#endif\n#if 0\n#if 0\n#endif x\n#endif", ""),
        ("layout(std140, row_major) uniform B { highp mat2 m; layout(column_major) mat2 n; uniform float u; } b;", ""),
        ("struct T { float a; }; struct S { T t; lowp float b; }; const float C = 1.0 + 2.0; float g = C * 2.0;", ""),
        ("precision mediump sampler3D; uniform sampler3D s; uniform lowp isampler2D t; uniform samplerCube u;", ""),
        ("int i; uint u; bool b; invariant o; invariant gl_FragCoord; invariant gl_PointCoord;", ""),
        ("float f(const in highp float x, inout vec2 y) { return x; } float g() { return f(1.0, o.xy); }", ""),
        ("float f(float x); float f(float x) { return x; } float h(); float g() { return f(1.0); }", "o = vec4(g());"),
    ] {
        let text = fragment(declarations, body);
        assert_eq!(glsl::oddities(VERTEX, &text), [""; 0], "{text}");
    }
    for declarations in [
        "layout(location = 3) in highp vec4 a; smooth out vec4 b; flat centroid out ivec2 c;",
        "invariant smooth centroid out mediump vec4 a; invariant gl_Position; struct S { float a; }; out S b;",
        "float f(); float x = 1.0; uniform mat4 m[2];",
    ] {
        assert_eq!(glsl::oddities(&vertex(declarations, ""), FRAGMENT), [""; 0], "{declarations}");
    }
    for (of_vertices, of_fragments) in [
        ("uniform B { float x; } a;", "uniform B { float x; } a; uniform vec4 x;"),
        ("uniform B { float x; } a;", "uniform C { float x; } a;"),
        ("uniform B { float x; } a;", "uniform B { float x; } b; uniform C { float x; } a; float B_a;"),
    ] {
        let told = glsl::oddities(&vertex(of_vertices, ""), &fragment(of_fragments, ""));
        assert_eq!(told, [""; 0], "{of_vertices} {of_fragments}");
    }
}

fn mismatched_stages_name_both_declarations() {
    let link_error = |vertex_declarations: &str, fragment_declarations: &str, body: &str| match link(
        &vertex(vertex_declarations, ""),
        &fragment(fragment_declarations, body),
    ) {
        Err(GlslError::Link(error)) => *error,
        other => panic!("{:?}", other.map(|linked| linked.fragment_wgsl)),
    };
    let error = link_error("out vec3 v;", "in vec4 v;", "o = v;");
    assert!(matches!(error, LinkError::Mismatch { what: "varying", .. }));
    let shown = error.to_string();
    assert!(
        shown.contains("vec3")
            && shown.contains("vec4")
            && shown.contains("vertex shader at")
            && shown.contains("out vec3 v;"),
        "{shown}"
    );
    assert!(matches!(link_error("flat out vec3 v;", "in vec3 v;", "o.xyz = v;"), LinkError::Mismatch { .. }));
    assert!(matches!(link_error("", "in vec4 v;", "o = v;"), LinkError::MissingVarying { .. }));
    assert!(matches!(
        link_error("uniform vec3 u;", "uniform vec4 u;", "o = u;"),
        LinkError::Mismatch { what: "uniform", .. }
    ));
    let block = link_error("uniform B { vec4 a; };", "uniform B { vec4 b; };", "o = b;");
    assert!(matches!(block, LinkError::Mismatch { what: "uniform block", .. }));
    for (vertex, fragment, words) in [
        ("uniform B { vec4 a; };", "uniform B { vec4 a; } b;", "is shared without a variable"),
        ("layout(std140) uniform B { vec4 a; };", "uniform B { vec4 a; };", "but shared without"),
        (
            "layout(std140) uniform; uniform B { vec4 a; };",
            "layout(packed) uniform B { vec4 a; };",
            "is std140 without",
        ),
    ] {
        let error = link_error(vertex, fragment, "").to_string();
        assert!(error.contains("uniform block 'B' is") && error.contains(words), "{error}");
    }
    assert!(link(&vertex("uniform B { vec4 a; } b;", ""), &fragment("uniform B { vec4 a; } c;", "o = c.a;")).is_ok());
    for (vertex, fragment) in
        [("uniform vec4 a;", "uniform B { vec4 a; };"), ("uniform B { vec4 a; };", "uniform vec4 a;")]
    {
        let error = link_error(vertex, fragment, "").to_string();
        assert!(error.contains("uniform 'a' is") && error.contains("a member of block 'B'"), "{error}");
    }
    let two = ["uniform B { vec4 a; };", "uniform C { vec4 a; };"];
    assert!(link_error(two[0], two[1], "").to_string().contains("but a member of block 'C'"));
    assert!(link(&vertex("uniform vec4 a;", ""), &fragment("uniform B { vec4 a; } b;", "o = b.a;")).is_ok());
    let many = "out vec4 v[40];";
    assert!(matches!(link_error(many, "in vec4 v[40];", "o = v[3];"), LinkError::TooManyVaryings { .. }));
    let both = fragment("layout(location = 0) out vec4 a; layout(location = 0) out vec4 b;", "");
    assert!(matches!(link(VERTEX, &both), Err(GlslError::Link(_))));
    assert!(link(VERTEX, &fragment("in vec4 unused;", "o = vec4(1.0);")).is_ok());
}

fn what_cant_be_drawn_is_named() {
    for text in [fragment("#extension GL_FOO_bar : require", ""), fragment("in B { vec4 a; } b;", "")] {
        assert!(matches!(link(VERTEX, &text).map(drop), Err(GlslError::Unsupported { .. })), "{text}");
    }
    let source = |text: &'static str| GlslSource { text: text.as_bytes(), offset: 64 };
    let fragment = "#version 300 es\n#extension GL_FOO_bar : enable\nvoid main() {}\n";
    let vertex = "#version 300 es\nin vec4 my_color; in vec2 uv; in vec4 positions; void main() { gl_Position = positions + my_color + uv.xyxy; }";
    let linked = reader::link(source(vertex), source(fragment), &GlslOptions::default()).unwrap();
    let locations: Vec<_> = linked.attributes.iter().map(|attribute| attribute.location).collect();
    assert_eq!(locations, [1, 2, 0]);
    let [unknown, chosen, ..] = &linked.remarks[..] else { panic!("{:?}", linked.remarks) };
    assert!(unknown.what.contains("'GL_FOO_bar'"), "{unknown:?}");
    let place = unknown.place.as_ref().unwrap();
    assert_eq!(
        (place.stage, place.line, place.characters.clone(), place.offset()),
        (Stage::Fragment, 2, 11..21, 64 + 27)
    );
    assert!(chosen.place.is_none() && chosen.what.contains("positions at location 0 by its name"), "{chosen:?}");
}
