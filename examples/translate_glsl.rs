//! Translates a pair of GLSL ES texts (3.00 or 1.00) to WGSL, or tells all that is wrong with them.
//!
//! ```text
//! cargo run --no-default-features --example translate_glsl -- shader.vert shader.frag
//! ```

use std::process::ExitCode;

use aerogpu_replay::bytes::Diagnostics;
use aerogpu_replay::shader::glsl::{GlslOptions, GlslSource, link_all};

fn main() -> ExitCode {
    let mut paths = std::env::args_os().skip(1);
    let (Some(vertex), Some(fragment), None) = (paths.next(), paths.next(), paths.next()) else {
        eprintln!("usage: translate_glsl VERTEX FRAGMENT");
        return ExitCode::from(2);
    };
    let texts = [vertex, fragment].map(|path| std::fs::read(&path).map_err(|error| (path, error)));
    let [vertex, fragment] = match texts {
        [Ok(vertex), Ok(fragment)] => [vertex, fragment],
        [Err((path, error)), _] | [_, Err((path, error))] => {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    };
    let source = |text| GlslSource { text, offset: 0 };
    let mut diagnostics = Diagnostics::new();
    match link_all(source(&vertex), source(&fragment), &GlslOptions::default(), &mut diagnostics) {
        Ok(linked) => {
            for finding in diagnostics.findings() {
                eprintln!("{}", finding.what);
            }
            println!("{}\n{}", linked.vertex_wgsl, linked.fragment_wgsl);
            for binding in &linked.bindings {
                println!("// {} {}: {:?}", binding.binding, binding.name, binding.kind);
            }
            ExitCode::SUCCESS
        }
        Err(errors) => {
            eprintln!("{errors}");
            ExitCode::FAILURE
        }
    }
}
