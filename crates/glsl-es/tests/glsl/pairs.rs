//! Every pair of `fixtures/glsl` translates to WGSL that naga takes.

use dev_glsl_cases as glsl;
use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![every_pair_translates, nothing_is_odd]
}

fn every_pair_translates() {
    let root = dev_trials::root().join("fixtures/glsl");
    let list = |folder| std::fs::read_dir(root.join(folder)).unwrap();
    let mut count = 0;
    for entry in list("pairs").chain(list("styles")) {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "vert") {
            continue;
        }
        let vertex = std::fs::read_to_string(&path).unwrap();
        let fragment = std::fs::read_to_string(path.with_extension("frag")).unwrap();
        if std::env::var("SHOW").is_ok() {
            let linked = glsl::link(&vertex, &fragment).unwrap();
            println!("=== {}\n{}\n---\n{}", path.display(), linked.vertex_wgsl, linked.fragment_wgsl);
        }
        glsl::accepted(&path.display().to_string(), &vertex, &fragment);
        assert_eq!(glsl::oddities(&vertex, &fragment), [""; 0], "{}", path.display());
        count += 1;
    }
    assert!(count >= 28, "only {count} pairs found");
}

/// Strict readers take every pair that conforming compilers take.
fn nothing_is_odd() {
    let mut cases = glsl::corpus::written_by_naga();
    cases.extend(glsl::language::all());
    // Some cases show what becomes of what the language forbids or leaves open, or has in later versions only.
    cases.retain(|case| !case.name.starts_with("undefined: ") && !case.name.starts_with("later"));
    let told: Vec<_> = cases
        .iter()
        .flat_map(|case| {
            glsl::oddities(&case.vertex, &case.fragment).into_iter().map(|odd| format!("{}: {odd}", case.name))
        })
        .collect();
    assert!(cases.len() > 200, "only {} cases", cases.len());
    assert!(told.is_empty(), "{}", told.join("\n"));
}
