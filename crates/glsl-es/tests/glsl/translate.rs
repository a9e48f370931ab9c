//! One case a feature: every built-in function, operator, constructor and construct of GLSL ES 3.00 translates, and
//! naga takes the WGSL with all its checks on.

use dev_glsl_cases as glsl;
use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![every_feature_translates, a_division_by_a_constant_zero_compiles,]
}

fn every_feature_translates() {
    let cases = glsl::language::all();
    let mut failures = Vec::new();
    for case in &cases {
        let result = glsl::link(&case.vertex, &case.fragment).map_err(|error| error.to_string()).and_then(|linked| {
            for wgsl in [&linked.vertex_wgsl, &linked.fragment_wgsl] {
                glsl::validate(wgsl).map_err(|error| format!("{error}\n{wgsl}"))?;
            }
            Ok(())
        });
        if let Err(error) = result {
            failures.push(format!("{}: {error}", case.name));
        }
    }
    let shown: Vec<_> = failures.iter().take(12).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} of {} cases failed\n{}", failures.len(), cases.len(), shown.join("\n\n"));
    assert!(cases.len() > 1000, "only {} cases", cases.len());
}

/// GLSL leaves the result open; naga refuses what it can fold.
fn a_division_by_a_constant_zero_compiles() {
    let body = "int a = 1 / 0; ivec3 b = ivec3(7) % ivec3(2, 0, 1); a /= 0; uint c = 3u % 0u; b /= ivec3(0);
        o = vec4(float(a), vec2(b.xy), float(c + uint(10 / 5)));";
    glsl::accepted("constant zeros", glsl::VERTEX, &glsl::fragment("", body));
    glsl::accepted("in a constructor", glsl::VERTEX, &glsl::fragment("", "o = vec4(1.0, 0/5, -0/5, 1/0);"));
}
