//! Every truncation of the fixtures, and many random changes: a program that naga takes or a typed error, no panic, no hang.

use std::time::{Duration, Instant};

use dev_glsl_cases as glsl;
use dev_trials::{Trial, trials_of};
use glsl_es::{self as reader, GlslOptions, GlslSource};

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of![
        every_truncation_is_answered,
        random_changes_are_answered,
        feature_cases_with_words_swapped_are_answered,
    ];
    trials.extend(on_demand());
    trials
}

/// Trials for people, run by `--ignored`.
fn on_demand() -> impl Iterator<Item = Trial> {
    let trials: Vec<Trial> = trials_of![fuzz_seeds];
    trials.into_iter().map(|trial| trial.with_ignored_flag(true))
}

/// Small, seeded and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

fn pairs() -> Vec<(Vec<u8>, Vec<u8>)> {
    let root = dev_trials::root().join("fixtures/glsl");
    let list = |folder| std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = list("pairs").chain(list("styles")).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "vert"));
    paths
        .iter()
        .map(|path| (std::fs::read(path).unwrap(), std::fs::read(path.with_extension("frag")).unwrap()))
        .collect()
}

/// Reads a pair; if it links, naga must take it.
fn read(vertex: &[u8], fragment: &[u8]) -> bool {
    let start = Instant::now();
    let source = |text| GlslSource { text, offset: 0 };
    let result = reader::link(source(vertex), source(fragment), &GlslOptions::default());
    assert!(start.elapsed() < Duration::from_secs(20), "slow:\n{}", String::from_utf8_lossy(fragment));
    let Ok(linked) = result else { return false };
    for wgsl in [&linked.vertex_wgsl, &linked.fragment_wgsl] {
        if let Err(error) = glsl::validate(wgsl) {
            panic!("{error}\n{}\n{}\n{wgsl}", String::from_utf8_lossy(vertex), String::from_utf8_lossy(fragment));
        }
    }
    true
}

fn every_truncation_is_answered() {
    for (vertex, fragment) in pairs() {
        for end in 0..fragment.len() {
            read(&vertex, &fragment[..end]);
        }
        for end in 0..vertex.len() {
            read(&vertex[..end], &fragment);
        }
    }
}

const WORDS: [&str; 48] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    ".",
    "=",
    "+",
    "-",
    "*",
    "/",
    "?",
    ":",
    "&&",
    "||",
    "++",
    "--",
    "<",
    "==",
    "1",
    "0.5",
    "7u",
    "vec4",
    "float",
    "int",
    "mat3",
    "x",
    "v_color",
    "a_position",
    "gl_Position",
    "if",
    "for",
    "while",
    "switch",
    "case 1:",
    "return",
    "break",
    "discard",
    "const",
    "in",
    "out",
    "uniform",
    "struct",
    "\n#define x ",
    "\n#if 1\n",
];

fn random_changes_are_answered() {
    let rounds: usize = std::env::var("MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(150);
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut taken = 0;
    for (vertex, fragment) in pairs() {
        for _ in 0..rounds {
            let mut texts = [vertex.clone(), fragment.clone()];
            for _ in 0..=random.below(3) {
                let which = random.below(2);
                let other = texts[1 - which].clone();
                let text = &mut texts[which];
                let at = random.below(text.len());
                match random.below(6) {
                    0 => text[at] = random.below(256) as u8,
                    1 => text[at] ^= 1 << random.below(7),
                    2 => drop(text.drain(at..(at + random.below(20)).min(text.len()))),
                    3 => drop(text.splice(at..at, WORDS[random.below(WORDS.len())].bytes())),
                    4 => {
                        let from = random.below(other.len());
                        let part = other[from..(from + random.below(60)).min(other.len())].to_vec();
                        drop(text.splice(at..at, part));
                    }
                    _ => {
                        let part = text[at..(at + random.below(40)).min(text.len())].to_vec();
                        let to = random.below(text.len());
                        drop(text.splice(to..to, part));
                    }
                }
                if text.is_empty() {
                    text.push(b' ');
                }
            }
            taken += usize::from(read(&texts[0], &texts[1]));
        }
    }
    assert!(taken > 0, "no change left a valid program: the test sees nothing");
}

fn feature_cases_with_words_swapped_are_answered() {
    let rounds: usize = std::env::var("MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(10);
    let mut random = Random(0xfeed_beef_1234_4321);
    let mut cases = glsl::language::language();
    cases.extend(glsl::language::uniforms());
    cases.extend(glsl::language::interfaces());
    cases.extend(glsl::es100::cases());
    cases.extend(glsl::es310::cases());
    for case in cases {
        let body = case.fragment.find("void main").unwrap_or(0);
        for _ in 0..rounds {
            let mut words: Vec<&str> = case.fragment[body..].split_inclusive(' ').collect();
            for _ in 0..=random.below(2) {
                let (a, b) = (random.below(words.len()), random.below(words.len()));
                match random.below(3) {
                    0 => words.swap(a, b),
                    1 => words[a] = words[b],
                    _ => words[a] = WORDS[random.below(WORDS.len())],
                }
            }
            let text = format!("{}{}", &case.fragment[..body], words.concat());
            read(case.vertex.as_bytes(), text.as_bytes());
        }
    }
}

/// Writes texts for the fuzz targets of `tests/fuzz` to begin from: a pair a file, 0x1e between its texts.
fn fuzz_seeds() {
    let folder = std::path::PathBuf::from(std::env::var_os("FUZZ_SEEDS").expect("FUZZ_SEEDS is a folder"));
    std::fs::create_dir_all(&folder).unwrap();
    let mut cases = glsl::language::all();
    cases.extend((0..200).map(glsl::random::random));
    cases.extend((0..200).map(glsl::wide::wide));
    let texts = cases.into_iter().map(|case| (case.vertex.into_bytes(), case.fragment.into_bytes()));
    for (number, (vertex, fragment)) in texts.chain(pairs()).enumerate() {
        std::fs::write(folder.join(format!("{number:04}")), [vertex, vec![0x1e], fragment].concat()).unwrap();
    }
}
