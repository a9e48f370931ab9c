//! Translates a pair of GLSL ES texts (3.00 or 1.00) to WGSL, or tells all that is wrong with them.
//!
//! ```text
//! cargo run -p glsl-es --example translate_glsl -- shader.vert shader.frag
//! ```

use std::path::Path;
use std::process::ExitCode;

use glsl_es::{GlslOptions, GlslSource, Remark, link_all};

fn main() -> ExitCode {
    let mut paths = std::env::args_os().skip(1);
    let (Some(vertex), Some(fragment), None) = (paths.next(), paths.next(), paths.next()) else {
        eprintln!("usage: translate_glsl VERTEX FRAGMENT");
        return ExitCode::from(2);
    };
    match translate_glsl(Path::new(&vertex), Path::new(&fragment)) {
        Ok(wgsl) => {
            println!("{wgsl}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The WGSL of a pair of texts, headed by what was odd in them and followed by what it binds.
pub fn translate_glsl(vertex: &Path, fragment: &Path) -> Result<String, String> {
    let read = |path: &Path| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let (vertex, fragment) = (read(vertex)?, read(fragment)?);
    let source = |text| GlslSource { text, offset: 0 };
    let linked = link_all(source(&vertex), source(&fragment), &GlslOptions::default());
    let linked = linked.map_err(|errors| errors.to_string())?;
    let mut text = String::new();
    for Remark { place, what, .. } in &linked.remarks {
        let place =
            place.as_ref().map_or(String::new(), |place| format!("{} shader, line {}: ", place.stage, place.line));
        text += &format!("// {place}{}\n", what.replace('\n', "\n// "));
    }
    text += &format!("{}\n{}", linked.vertex_wgsl, linked.fragment_wgsl);
    for binding in &linked.bindings {
        text += &format!("\n// {} {}: {:?}", binding.binding, binding.name, binding.kind);
    }
    Ok(text)
}
