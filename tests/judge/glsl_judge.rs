//! Our pictures against those of the machine's own GLES 3 driver, which reads GLSL without our help.
//!
//! Without a GLES driver or a Vulkan adapter there is no judge: under CI that is a failure, elsewhere the tests are
//! ignored.

use crate::glsl::gpu::{self, Content, Gpu, difference};
use crate::support::harness::{Trial, trials_of};
use crate::support::is_ci;
use aerogpu_replay::bytes::FindingKind;
use dev_glsl_cases as glsl;
use gles_judge::{Gles, Stream};
use glsl::cases::Case;
use glsl::mutate::{Chance, mutated};

pub fn trials() -> Vec<Trial> {
    let can_judge = Court::open().is_ok() || is_ci();
    let judged: Vec<Trial> = trials_of![
        language,
        uniforms,
        interfaces,
        textures,
        builtin_functions,
        matrix_functions,
        constructors,
        fixture_pairs,
        written_by_naga,
        operators,
        version_100,
        version_310,
        random_shaders,
        texts_changed_by_chance,
    ];
    let on_demand: Vec<Trial> = trials_of![pair_in_files];
    let judged = judged.into_iter().map(|trial| trial.with_ignored_flag(!can_judge));
    judged.chain(on_demand.into_iter().map(|trial| trial.with_ignored_flag(true))).collect()
}

struct Court {
    gles: Gles,
    gpu: Gpu,
}

impl Court {
    fn open() -> Result<Self, String> {
        Ok(Self { gles: Gles::new()?, gpu: Gpu::new()? })
    }
}

fn court() -> Court {
    let court = Court::open().unwrap_or_else(|error| panic!("no judge: {error}; .ci/setup installs what is missing"));
    println!("judge: {}; ours: {}", court.gles.renderer(), court.gpu.name);
    court
}

impl Drop for Court {
    fn drop(&mut self) {
        self.gles.make_current(false);
    }
}

impl Court {
    /// Pixels that differ by more than a step, and the largest difference.
    fn judge(&self, case: &Case) -> Result<(usize, u8), String> {
        let (expected, found) = self.pictures(case)?;
        Ok(difference(&expected, &found))
    }

    /// Judges a case without the pixels that the judge itself draws otherwise when the attributes change by a millionth:
    /// there a step or an ill-conditioned expression makes a last bit visible.
    fn judge_stable(&self, case: &Case) -> Result<(usize, u8), String> {
        let (expected, mut found) = self.pictures(case)?;
        if difference(&expected, &found).0 <= 40 {
            return Ok((0, 0));
        }
        let linked = glsl::link(&case.vertex, &case.fragment).map_err(|error| error.to_string())?;
        for factor in [1.000_002, 0.999_998, 1.000_000_5, 0.999_999_5] {
            let mut content = Content::new(&linked);
            for (name, _, stream) in &mut content.scene.streams {
                if let (Stream::Float(data), true) = (stream, !name.contains("position")) {
                    data.iter_mut().for_each(|value| *value *= factor);
                }
            }
            let uniform = |name: &str, count: u32| content.uniform(&linked, name, count);
            let nearby = self.gles.render(&case.vertex, &case.fragment, &content.scene, &uniform)?;
            for ((found, expected), nearby) in found.chunks_mut(4).zip(expected.chunks(4)).zip(nearby.chunks(4)) {
                if expected != nearby {
                    found.copy_from_slice(expected);
                }
            }
        }
        Ok(difference(&expected, &found))
    }

    /// The judge's picture and ours.
    fn pictures(&self, case: &Case) -> Result<(Vec<u8>, Vec<u8>), String> {
        let linked = glsl::link(&case.vertex, &case.fragment).map_err(|error| format!("translation: {error}"))?;
        let content = Content::new(&linked);
        let uniform = |name: &str, count: u32| content.uniform(&linked, name, count);
        let mut expected = self
            .gles
            .render(&case.vertex, &case.fragment, &content.scene, &uniform)
            .map_err(|error| format!("judge: {error}"))?;
        if linked.naga_convention {
            // Such text draws upside down in GL, as naga means it to.
            expected = expected.chunks(gpu::SIZE as usize * 4).rev().flatten().copied().collect();
        }
        let found = self.gpu.render(&linked, &content).map_err(|error| format!("ours: {error}"))?;
        if std::env::var("PIXELS").is_ok() {
            let far = |at: &usize| (0..4).any(|c| expected[at * 4 + c].abs_diff(found[at * 4 + c]) > 1);
            for at in (0..(gpu::SIZE * gpu::SIZE) as usize).filter(far).take(64) {
                let (x, y) = (at % gpu::SIZE as usize, at / gpu::SIZE as usize);
                println!("  {x},{y}: {:?} expected, {:?} found", &expected[at * 4..][..4], &found[at * 4..][..4]);
            }
            for at in [0, 20 * 64 + 20, 40 * 64 + 10, 63 * 64 + 63] {
                println!(
                    "  pixel {at}: {:?} expected, {:?} found",
                    &expected[at * 4..at * 4 + 4],
                    &found[at * 4..at * 4 + 4]
                );
            }
        }
        Ok((expected, found))
    }

    fn judge_all(&self, cases: Vec<Case>) {
        let only = std::env::var("ONLY").ok();
        let mut failures = Vec::new();
        let mut count = 0;
        // GLSL leaves some things open; those cases only have to translate.
        let defined = cases.iter().filter(|case| !case.name.starts_with("undefined"));
        for case in defined.filter(|case| only.as_ref().is_none_or(|only| case.name.contains(only.as_str()))) {
            count += 1;
            match self.judge(case) {
                // A pixel or two may lie on a step, where a last bit decides.
                Ok((pixels, _)) if pixels <= 4 => {}
                Ok((pixels, largest)) => {
                    failures.push(format!("{}: {pixels} pixels differ, by up to {largest}", case.name))
                }
                Err(error) => failures.push(format!("{}: {}", case.name, error.chars().take(600).collect::<String>())),
            }
        }
        assert!(failures.is_empty(), "{} of {count} cases:\n{}", failures.len(), failures.join("\n"));
        assert!(count > 0 || only.is_some(), "nothing was judged");
    }
}

macro_rules! judged {
    ($($name:ident = $cases:expr;)*) => {$(
        fn $name() {
            court().judge_all($cases);
        }
    )*};
}

judged! {
    language = glsl::language::language();
    uniforms = glsl::language::uniforms();
    interfaces = glsl::language::interfaces();
    textures = glsl::language::textures();
    builtin_functions = glsl::cases::builtin_functions();
    matrix_functions = glsl::cases::matrix_functions();
    constructors = glsl::cases::constructors();
    fixture_pairs = pairs();
    written_by_naga = naga_corpus();
    operators = glsl::cases::operators();
    version_100 = es100();
    version_310 = glsl::es310::cases();
}

/// GLSL ES 1.00, without what needs extensions that the judge has not.
fn es100() -> Vec<Case> {
    let mut cases = glsl::es100::cases();
    cases.retain(|case| !case.name.starts_with("later"));
    cases
}

/// Pairs that naga writes, without functions that only a later GLES has: the judge would refuse those.
fn naga_corpus() -> Vec<Case> {
    let mut cases = glsl::corpus::written_by_naga();
    cases.retain(|case| !case.name.starts_with("later"));
    cases
}

/// The pairs of the fixtures: those with WGSL twins, and texts in the styles of those who write GLSL ES.
fn pairs() -> Vec<Case> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/glsl");
    let list = |folder| std::fs::read_dir(root.join(folder)).unwrap();
    let mut cases = Vec::new();
    for entry in list("pairs").chain(list("styles")) {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "vert") {
            cases.push(Case {
                name: path.file_stem().unwrap().to_string_lossy().into_owned(),
                vertex: std::fs::read_to_string(&path).unwrap(),
                fragment: std::fs::read_to_string(path.with_extension("frag")).unwrap(),
            });
        }
    }
    cases
}

/// Random shaders against the judge. `RANDOM_SHADERS` says how many, `RANDOM_SEED` where to begin, and `SHOW` a folder
/// that their texts are written to.
fn random_shaders() {
    let number = |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (first, count): (u64, u64) = (number("RANDOM_SEED", 1), number("RANDOM_SHADERS", 40));
    let court = court();
    let (mut failures, mut told): (Vec<String>, usize) = (Vec::new(), 0);
    for seed in first..first + count {
        let case = match seed % 4 {
            0 => glsl::random::random(seed),
            _ => glsl::wide::wide(seed),
        };
        if let Some(folder) = std::env::var_os("SHOW") {
            let file = |extension: &str| std::path::Path::new(&folder).join(format!("{seed}.{extension}"));
            std::fs::write(file("vert"), &case.vertex).unwrap();
            std::fs::write(file("frag"), &case.fragment).unwrap();
        }
        match court.judge_stable(&case) {
            // A step of a random expression may pass through some pixels, where a last bit decides. More than these
            // are never put up with: the scene's attributes are made so that no two are equal along a line.
            Ok((pixels, _)) if pixels <= 40 => {}
            Ok((pixels, largest)) => {
                failures.push(format!("{}: {pixels} pixels differ, by up to {largest}", case.name))
            }
            Err(error) => failures.push(format!("{}: {}", case.name, error.chars().take(400).collect::<String>())),
        }
        // At once, as an hour is long.
        if let Some(failure) = failures.last().filter(|_| failures.len() > told) {
            println!("{failure}");
            told = failures.len();
        }
    }
    assert!(failures.is_empty(), "{} of {count} random shaders:\n{}", failures.len(), failures.join("\n"));
}

/// Words of what the driver says where it alone refuses.
const ONLY_THE_DRIVER_REFUSES: [&str; 5] = [
    // `#if 0 && 1 / 0`, of which the second half is not computed.
    "division by 0 in preprocessor",
    // `#line (1 + 2)`
    "expecting INTEGER",
    // `void f(float) {}`
    "formal parameter lacks a name",
    // Matrices stored by rows, said of the block in one stage and of its member in the other.
    "mismatching definitions",
    // `texture2DLodEXT`, of an extension that it has not.
    "unsupported in fragment shader",
];

/// Words of what we say where we alone refuse.
const ONLY_WE_REFUSE: [&str; 16] = [
    // `texture2D` in GLSL ES 3.00.
    "GLSL ES 3.00 says",
    // `(a, b) = c`, `vec2(a) *= b`
    "can't be assigned: it is not a variable",
    // `void(1.0)`, `struct S { void a; }`, `void f(highp void)`
    "found 'void'",
    "found void",
    // `struct S { float a; float a; }`, `struct S { float a[]; }`
    "is already declared",
    "an array size, found '[]'",
    // Outputs at one location, of which only one is written.
    "is at location",
    // It has eight targets and long texel offsets.
    "an index is",
    "a texel offset is",
    // `case (1, 2):`, `const int a = (1, 2);`
    "must be a constant expression",
    // Whole numbers that are cut, and those of GLSL ES 1.00 that end in `u`.
    "expected an integer that fits",
    "a number that ends in",
    // `in vec4 , a;`, `in mat3;` where there are no inputs, `uniform float;` in a function
    "a variable's name, found",
    "is not allowed in a",
    "is not in GLSL ES 1.00",
    // `out S s;`, of which a member is a `bool`.
    "a varying's type",
];

/// Texts of the other cases with a word or two changed: what the driver refuses is refused, or taken as an oddity, and what
/// it takes is taken. `MUTATIONS` says how many, `MUTATION_SEED` where to begin.
fn texts_changed_by_chance() {
    let number = |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (seed, count): (u64, u64) = (number("MUTATION_SEED", 1), number("MUTATIONS", 4000));
    let court = court();
    let lists = [glsl::language::all(), glsl::cases::operators(), es100(), glsl::es310::cases()];
    let cases: Vec<Case> = lists.into_iter().flatten().collect();
    let (mut chance, mut taken, mut failures) = (Chance::new(seed), 0, Vec::new());
    for _ in 0..count {
        let case = mutated(&cases, &mut chance);
        let driver = court.gles.takes(&case.vertex, &case.fragment);
        let ours = glsl::link(&case.vertex, &case.fragment);
        let is_known = |words: &[&str], told: &str| words.iter().any(|known| told.contains(known));
        let failure = match (driver, ours) {
            (Ok(()), Ok(_)) => {
                taken += 1;
                continue;
            }
            (Err(log), Ok(linked)) => {
                let is_odd = linked.remarks.iter().any(|remark| remark.kind == FindingKind::Oddity);
                (!is_odd && !is_known(&ONLY_THE_DRIVER_REFUSES, &log)).then(|| format!("taken: {log}"))
            }
            (Ok(()), Err(error)) => {
                let told = error.to_string();
                (!is_known(&ONLY_WE_REFUSE, &told)).then(|| format!("refused: {told}"))
            }
            (Err(_), Err(_)) => None,
        };
        failures.extend(failure.map(|told| format!("{told}\n{}\n{}", case.vertex, case.fragment)));
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n\n"));
    assert!(taken > count / 100, "only {taken} of {count} mean anything");
}

/// One pair in files, to look into a difference: `PAIR` is their path without `.vert` and `.frag`.
fn pair_in_files() {
    let path = std::path::PathBuf::from(std::env::var_os("PAIR").expect("PAIR is a path"));
    let read = |extension: &str| std::fs::read_to_string(path.with_extension(extension)).unwrap();
    let case = Case { name: path.display().to_string(), vertex: read("vert"), fragment: read("frag") };
    let court = court();
    if std::env::var_os("SHOW").is_some() {
        let linked = glsl::link(&case.vertex, &case.fragment).unwrap();
        println!("{}\n{}", linked.vertex_wgsl, linked.fragment_wgsl);
    }
    println!("{:?}, of stable pixels {:?}", court.judge(&case), court.judge_stable(&case));
}
