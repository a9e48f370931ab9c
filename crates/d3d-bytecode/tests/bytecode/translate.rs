//! Bytecode that is translated: every module is one that naga takes, and what is refused says why and where.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::shared;
use d3d_bytecode::{DrawOptions, InputFeed, PixelCenters, Program, Stage, TranslatedStage, decode, translate_draw};
use dev_trials::random::Random;
use dev_trials::root;
use dev_trials::{Trial, trials_of};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use trace_base::error::{Classified, ErrorKind};

pub fn trials() -> Vec<Trial> {
    let folders = [Some(root().join("fixtures/d3d/cases")), shared("a3a0/shaders"), shared("dxbc")];
    let mut trials: Vec<Trial> = trials_of![outputs_that_nobody_takes_are_refused];
    for (name, folder) in ["ours", "streams", "cases"].into_iter().zip(folders) {
        let is_absent = folder.is_none();
        let folder = folder.unwrap_or_default();
        let (all, few) = (folder.clone(), folder);
        let whole = Trial::test(format!("translates/{name}"), move || {
            translates_all(&all);
            Ok(())
        });
        let damaged = Trial::test(format!("damaged/{name}"), move || {
            takes_damage(&few);
            Ok(())
        });
        trials.extend([whole, damaged].map(|trial| trial.with_ignored_flag(is_absent)));
    }
    trials
}

fn shaders(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_shader = path.file_name().unwrap().to_str().unwrap().starts_with(['p', 'v']);
        matches!(extension, Some("dxbc" | "d3dbc")) || extension == Some("bin") && is_shader
    });
    files.sort();
    assert!(!files.is_empty(), "{} holds no shader", folder.display());
    files
}

/// Takes a shader for a draw: with a vertex shader alone, or behind one that gives what it reads.
fn translated(program: &Program) -> Option<Result<Vec<TranslatedStage>, d3d_bytecode::TranslateError>> {
    let options = DrawOptions {
        inputs: vec![InputFeed::Float; 16],
        pixel_centers: PixelCenters::Direct3d9,
        ..Default::default()
    };
    let made = match program.version().stage {
        Stage::Vertex => translate_draw(program, None, &options),
        Stage::Pixel => translate_draw(&vertex(program.version().is_d3d9()), Some(program), &options),
        _ => return None,
    };
    Some(made.map(|draw| [Some(draw.vertex), draw.pixel].into_iter().flatten().collect()))
}

fn vertex(is_d3d9: bool) -> Program {
    let name = if is_d3d9 { "cases/vs_f9eba1d4.d3dbc" } else { "sm4/../cases/vs_2e912cbd.dxbc" };
    decode(&super::fixture(name), 0).unwrap()
}

/// Validates with what wgpu has on every backend that we draw on; a draw that needs the number of the primitive asks for it.
fn validate(stage: &TranslatedStage) {
    let allowed = Capabilities::CUBE_ARRAY_TEXTURES
        | Capabilities::PRIMITIVE_INDEX
        | Capabilities::EARLY_DEPTH_TEST
        | Capabilities::MULTISAMPLED_SHADING
        | Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    let checked = Validator::new(ValidationFlags::all(), allowed).validate(&stage.module);
    checked.unwrap_or_else(|error| panic!("{error:?}"));
}

fn translates_all(folder: &Path) {
    let (mut modules, mut refused) = (0, Vec::new());
    for path in shaders(folder) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Ok(program) = decode(&fs::read(&path).unwrap(), 0) else { continue };
        match translated(&program) {
            None => {}
            Some(Ok(stages)) => stages.iter().for_each(|stage| {
                modules += 1;
                validate(stage);
            }),
            Some(Err(error)) => {
                assert_eq!(error.kind(), ErrorKind::Unsupported, "{name}: {error}");
                assert!(error.offset().is_some_and(|offset| error.to_string().contains(&format!("{offset:#x}"))));
                refused.push(format!("{name}: {error}"));
            }
        }
    }
    assert!(modules > 0);
    let unexpected: Vec<_> = refused.iter().filter(|line| !REFUSED.iter().any(|name| line.starts_with(name))).collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
}

/// An output of a vertex shader that WebGPU does not take is refused, not left out.
fn outputs_that_nobody_takes_are_refused() {
    let original = super::fixture("cases/vs_2e912cbd.dxbc");
    let chunk = original.windows(4).position(|name| name == b"OSGN").unwrap();
    let word = |at: usize| u32::from_le_bytes(original[at..at + 4].try_into().unwrap());
    // Behind the chunk's head and the count: elements of 24 bytes, the system value in their third word.
    let last = chunk + 16 + 24 * (word(chunk + 8) as usize - 1) + 8;
    for (value, name) in [(4, "rendertarget_array_index"), (5, "viewport_array_index")] {
        let mut bytes = original.clone();
        bytes[last..last + 4].copy_from_slice(&u32::to_le_bytes(value));
        let refused = translated(&decode(&bytes, 0).unwrap()).unwrap().map(|_| ()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unsupported);
        assert!(refused.to_string().contains(&format!("the output {name}")), "{refused}");
    }
}

/// Shaders that are not translated yet.
const REFUSED: &[&str] = &["sm4_input_indexed", "sm4_io_primitive_id", "sm5_buf_", "sm5_fxc_ld_raw", "sm5_fxc_lod"];

/// Any program is translated to a module that naga takes, or refused, soon.
fn takes_damage(folder: &Path) {
    const SHADERS: usize = 60;
    const MUTANTS: u32 = 12;
    let mut random = Random::new(18);
    let files = shaders(folder);
    let mut made = 0;
    for path in files.iter().step_by(files.len().div_ceil(SHADERS)) {
        let original = fs::read(path).unwrap();
        for _ in 0..MUTANTS {
            let mut bytes = original.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len() as u32) as usize;
                bytes[at] ^= 1 << random.below(8);
            }
            let begun = Instant::now();
            let Ok(program) = decode(&bytes, 0) else { continue };
            if let Some(Ok(stages)) = translated(&program) {
                made += 1;
                stages.iter().for_each(validate);
            }
            assert!(begun.elapsed() < Duration::from_secs(5), "{}: {:?}", path.display(), begun.elapsed());
        }
    }
    assert!(made > 0);
}
