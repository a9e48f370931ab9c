//! GLSL ES 3.00 that naga writes comes back through our reader.

use dev_glsl_cases as glsl;
use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![what_naga_writes_is_read,]
}

fn what_naga_writes_is_read() {
    let cases = glsl::corpus::written_by_naga();
    assert!(cases.len() >= 14, "only {} modules", cases.len());
    for case in cases {
        if std::env::var("SHOW").is_ok_and(|name| name == case.name) {
            println!("{}\n{}", case.vertex, case.fragment);
        }
        let linked = glsl::accepted(&case.name, &case.vertex, &case.fragment);
        assert!(linked.naga_convention, "{}: the epilogue was not recognised\n{}", case.name, case.vertex);
        assert!(
            !linked.vertex_wgsl.contains("* 2.0f) - "),
            "{}: the epilogue is still there\n{}",
            case.name,
            linked.vertex_wgsl
        );
    }
}
