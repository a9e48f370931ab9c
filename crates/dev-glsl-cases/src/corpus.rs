//! WGSL that naga writes as GLSL ES 3.00, for us to read back.

use std::path::{Path, PathBuf};

use naga::back::glsl::{Options, PipelineOptions, Version, Writer, WriterFlags};
use naga::proc::BoundsCheckPolicies;

use super::cases::Case;

/// Every module of the corpus and every twin of the pairs, as naga writes it.
pub fn written_by_naga() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let (module, info) = super::validate(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let write = |stage: naga::ShaderStage| {
            let entry = module.entry_points.iter().find(|entry| entry.stage == stage).unwrap();
            let options = Options {
                version: Version::Embedded { version: 300, is_webgl: true },
                writer_flags: WriterFlags::ADJUST_COORDINATE_SPACE,
                ..Options::default()
            };
            let pipeline = PipelineOptions { shader_stage: stage, entry_point: entry.name.clone(), multiview: None };
            let mut out = String::new();
            let policies = BoundsCheckPolicies::default();
            Writer::new(&mut out, &module, &info, &options, &pipeline, policies)
                .and_then(|mut writer| writer.write())
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            out
        };
        cases.push(Case {
            vertex: write(naga::ShaderStage::Vertex),
            fragment: write(naga::ShaderStage::Fragment),
            name,
        });
    }
    cases
}

/// The modules, in the order of their texts.
pub fn files() -> Vec<PathBuf> {
    let mut all = Vec::new();
    for folder in ["fixtures/glsl/naga", "fixtures/glsl/pairs"] {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(folder);
        let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        all.extend(paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "wgsl")));
    }
    all
}
