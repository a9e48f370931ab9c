//! GLSL ES 1.00, and some of 3.10, by the same front end: what it has is translated, and what it has not is told.

use dev_glsl_cases::es100::{FORBIDDEN, FRAGMENT, ODD, VERTEX, cases, fragment, vertex};
use dev_glsl_cases::{self as glsl, accepted, es310, link, oddities};
use dev_trials::{Trial, trials_of};
use glsl_es::{self as reader, Fault, GlslError, GlslOptions, GlslSource};
use trace_base::bytes::FindingKind;

pub fn trials() -> Vec<Trial> {
    trials_of![
        what_it_has_is_translated,
        what_it_has_not_is_refused,
        what_is_clear_is_taken_and_said,
        both_texts_are_of_one_version,
        loops_that_it_need_not_take_are_remarked,
        arrays_of_arrays_are_of_3_10,
    ]
}

fn what_it_has_is_translated() {
    for case in cases() {
        accepted(&case.name, &case.vertex, &case.fragment);
        assert_eq!(oddities(&case.vertex, &case.fragment), [""; 0], "{}", case.name);
    }
    let several = cases().into_iter().find(|case| case.name == "data of several").unwrap();
    assert_eq!(link(&several.vertex, &several.fragment).unwrap().outputs.len(), 1, "one variable, of four elements");
}

fn what_it_has_not_is_refused() {
    for (declarations, body, words) in FORBIDDEN {
        let text = fragment(declarations, body);
        let refused = link(VERTEX, &text).map(|linked| linked.fragment_wgsl).expect_err(&text).to_string();
        assert!(refused.contains(words), "{refused} instead of {words:?}");
    }
    for (declarations, body) in [
        ("in vec4 x;", ""),
        ("out vec4 x;", ""),
        ("attribute int x;", ""),
        ("attribute vec4 x[2];", ""),
        ("varying bool x;", ""),
        ("", "gl_FragColor = vec4(1.0);"),
        ("", "int i = gl_VertexID;"),
    ] {
        let text = vertex(declarations, body);
        assert!(matches!(link(&text, FRAGMENT), Err(GlslError::Invalid { .. })), "{text}");
    }
}

fn what_is_clear_is_taken_and_said() {
    for (declarations, body, words) in ODD {
        let told = oddities(VERTEX, &fragment(declarations, body));
        assert!(told.len() == 1 && told[0].contains(words), "{told:?} instead of {words:?}");
    }
}

fn both_texts_are_of_one_version() {
    for (of_vertices, of_fragments, in_vertices) in [
        (VERTEX, glsl::FRAGMENT, true),
        (glsl::VERTEX, FRAGMENT, false),
        (&*format!("#version 100\n{VERTEX}"), glsl::FRAGMENT, true),
    ] {
        let Err(GlslError::Invalid { fault, place }) = link(of_vertices, of_fragments) else { panic!("{of_vertices}") };
        assert!(matches!(fault, Fault::VersionMissing { .. } | Fault::Version { .. }), "{fault}");
        assert_eq!(place.stage == reader::Stage::Vertex, in_vertices);
    }
}

fn loops_that_it_need_not_take_are_remarked() {
    let remarks = |body: &str| {
        let text = fragment("", body);
        let source = |text: &'static str| GlslSource { text: text.as_bytes(), offset: 0 };
        let linked = reader::link(source(VERTEX), source(text.leak()), &GlslOptions::default()).unwrap();
        let loops = |what: &str| what.contains("a loop that GLSL ES 1.00 need not support");
        let remarks = linked.remarks.iter();
        remarks.filter(|remark| remark.kind == FindingKind::Remark && loops(&remark.what)).count()
    };
    assert_eq!(remarks("for (int i = 0; i < 8; i++) {} for (float f = 1.0; f >= 0.0; f -= 0.5) {}"), 0);
    for body in [
        "while (false) {}",
        "do {} while (false);",
        "for (;;) { break; }",
        "int i; for (i = 0; i < 8; i++) {}",
        "for (int i = 0, j = 1; i < j; i++) {}",
        "for (int i = 0; true; i++) { break; } while (false) {}",
        "int n; for (int i = 0; i < 8; n++) { i++; }",
    ] {
        assert_eq!(remarks(body), 1, "{body}");
    }
}

fn arrays_of_arrays_are_of_3_10() {
    for case in es310::cases() {
        accepted(&case.name, &case.vertex, &case.fragment);
        assert_eq!(oddities(&case.vertex, &case.fragment), [""; 0], "{}", case.name);
        let older = |text: &str| text.replacen("310 es", "300 es", 1);
        let refused = link(&older(&case.vertex), &older(&case.fragment)).map(|linked| linked.fragment_wgsl);
        let is_odd = || !oddities(&older(&case.vertex), &older(&case.fragment)).is_empty();
        assert!(refused.is_err() || is_odd(), "{}", case.name);
        assert!(link(glsl::VERTEX, &case.fragment).is_err() && link(&case.vertex, glsl::FRAGMENT).is_err());
    }
    let vertex = es310::later(glsl::VERTEX);
    for (declarations, body) in [
        ("", "float a[2][] = float[2][](float[](1.0));"),
        ("", "float[2][] a = float[2][](float[](1.0), float[](1.0, 2.0));"),
        ("", "float buffer = 1.0;"),
        ("shared float a;", ""),
        ("uniform highp samplerCubeArray s;", ""),
        ("", "float a[][2];"),
        ("", "float[][] a = float[2](1.0, 2.0);"),
        ("", "vec2[][] a = vec2[][]();"),
        ("layout(xy = 1) uniform sampler2D s;", ""),
        ("layout(binding) uniform sampler2D s;", ""),
        ("layout(binding = 1) uniform float u;", ""),
        ("", "float a[2][2]; a[0][2] = 1.0;"),
        ("", "float a[2][3]; float b[3][2] = a;"),
        ("uniform B { float a; } b[2][2];", ""),
        ("", "float a[2][2] = float[2](1.0, 2.0);"),
    ] {
        let text = es310::later(&glsl::fragment(declarations, body));
        assert!(link(&vertex, &text).is_err(), "{text}");
    }
}
