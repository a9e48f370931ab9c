//! The mixed fixture as verbs that compare see it, and a draw of it that is over the budget.
//!
//! Needs software Vulkan.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use aerogpu_replay::pixels::read_png;
use serde_json::Value;

use crate::support::harness::Trial;
use crate::support::plain_trace::{PlainRow, PlainTrace};
use crate::support::program::{Run, run};
use crate::support::serve_client::Client;
use crate::support::{fixture, software};

const ADAPTER: [&str; 4] = ["--backend", "vulkan", "--adapter", "llvmpipe"];

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 4] = [
        ("bisect_finds_the_command_of_either_abi", bisect_finds_the_command_of_either_abi),
        ("goldens_of_both_abis_are_held_to", goldens_of_both_abis_are_held_to),
        (
            "a_film_compares_each_draw_with_the_last_of_its_target",
            a_film_compares_each_draw_with_the_last_of_its_target,
        ),
        ("a_draw_over_the_budget_is_told_and_left_out", a_draw_over_the_budget_is_told_and_left_out),
    ];
    tests.map(|(name, test)| software::trial(name, move |_| test())).into()
}

fn mixed() -> PlainTrace {
    PlainTrace::read(fs::read(fixture("mixed/abis")).unwrap())
}

fn drawn(folder: &Path, words: &str) -> Run {
    let words: Vec<&str> = words.split(' ').chain(ADAPTER).collect();
    run(&words, folder)
}

fn json(run: &Run) -> Value {
    serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

/// The trace with another dword at a place of a row.
fn with_dword(plain: &PlainTrace, row: &PlainRow, at: usize, dword: u32) -> Vec<u8> {
    let mut bytes = plain.bytes.clone();
    bytes[row.offset + at..row.offset + at + 4].copy_from_slice(&dword.to_le_bytes());
    bytes
}

/// A CLEAR of Appendix A, one of a stream, and the vertices of a draw are other ones on side b.
fn bisect_finds_the_command_of_either_abi() {
    let folder = tempfile::tempdir().unwrap();
    let plain = mixed();
    fs::write(folder.path().join("a.bin"), &plain.bytes).unwrap();
    let same = run(&["bisect", "a.bin", "--by", "input", "--b", "a.bin"], folder.path());
    assert_eq!(same.code, 0, "{same:?}");
    let same = drawn(folder.path(), "bisect a.bin --frame 2 --a vulkan --b a.bin");
    assert_eq!(same.code, 0, "{same:?}");
    let clear = plain.frames[0].rows.iter().find(|row| row.name == Some("CLEAR")).unwrap();
    let of_stream = plain.frames[1].rows.iter().find(|row| row.name == Some("CLEAR")).unwrap();
    // The colour's first component.
    for (frame, row, at) in [(0, clear, 8), (1, of_stream, 12)] {
        fs::write(folder.path().join("b.bin"), with_dword(&plain, row, at, 0x3e80_0000)).unwrap();
        let found = run(&["bisect", "a.bin", "--by", "input", "--b", "b.bin", "--json"], folder.path());
        let line = json(&found);
        assert_eq!((found.code, &line["frame"]), (1, &frame.into()), "{found:?}");
        assert!(found.stdout.contains(&row.offset.to_string()), "{row:?}: {found:?}");
    }
    // In pictures, the draw that draws nothing is the first after which the sides differ.
    let draw = plain.draws(0)[0];
    fs::write(folder.path().join("b.bin"), with_dword(&plain, draw, 8, 0)).unwrap();
    for (frame, code) in [(0, 1), (1, 0)] {
        let found = drawn(folder.path(), &format!("bisect a.bin --frame {frame} --a vulkan --b b.bin"));
        assert_eq!(found.code, code, "frame {frame}: {found:?}");
        let names = found.stdout.contains(&format!("differ after draw 0 at {:#x}", draw.offset));
        assert_eq!(names, code == 1, "frame {frame}: {found:?}");
    }
}

/// Goldens are made of every frame; another first frame, or another later one, fails that frame alone.
fn goldens_of_both_abis_are_held_to() {
    let folder = tempfile::tempdir().unwrap();
    let plain = mixed();
    let path = folder.path().join("mixed.bin");
    fs::write(&path, &plain.bytes).unwrap();
    let made = drawn(folder.path(), "golden new mixed.bin --frames all --into cases --allow-blank");
    assert_eq!(made.code, 0, "{made:?}");
    let test = "golden test cases --root . --jobs 1";
    let passed = drawn(folder.path(), test);
    assert_eq!(passed.code, 0, "{passed:?}");
    // A frame that presents to several screens, or several times, has further pictures.
    let pictures: Vec<PathBuf> =
        (0..plain.frames.len()).map(|frame| folder.path().join(format!("cases/mixed/frame{frame:04}.png"))).collect();
    // Each golden in turn is another frame's picture.
    for (frame, path) in pictures.iter().enumerate() {
        let own = fs::read(path).unwrap();
        let other = fs::read(&pictures[(frame + 1) % pictures.len()]).unwrap();
        assert_ne!(own, other, "frame {frame} looks like the next one");
        fs::write(path, other).unwrap();
        let failed = drawn(folder.path(), test);
        assert_ne!(failed.code, 0, "{failed:?}");
        let told = failed.stdout.clone() + &failed.stderr;
        assert!(
            told.contains(path.file_name().unwrap().to_str().unwrap()) || told.contains(&format!("frame {frame}")),
            "{told}"
        );
        fs::write(path, own).unwrap();
    }
    assert_eq!(drawn(folder.path(), test).code, 0);
}

/// Draws switch between five targets. Each is compared with the last draw to its own, whatever stands between.
fn a_film_compares_each_draw_with_the_last_of_its_target() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mixed.bin"), &mixed().bytes).unwrap();
    let mut compared = 0;
    for frame in 1..4 {
        let out = format!("film{frame}");
        let done = drawn(folder.path(), &format!("filmstrip mixed.bin --frame {frame} --out {out}"));
        assert_eq!(done.code, 0, "{done:?}");
        let picture = |draw: usize| {
            let file = File::open(folder.path().join(format!("{out}/draw{draw:04}.png"))).unwrap();
            read_png(BufReader::new(file)).unwrap()
        };
        let differing = |one: usize, other: usize| {
            let (one, other) = (picture(one), picture(other));
            one.rgba().chunks(4).zip(other.rgba().chunks(4)).filter(|(one, other)| one != other).count()
        };
        let lines: Vec<&str> = done.stdout.lines().collect();
        let draws: Vec<usize> = (0..lines.len()).filter(|line| lines[*line].starts_with("draw ")).collect();
        let target_of = |draw: usize| lines[draws[draw]].split(", to ").nth(1).unwrap().split(", ").next().unwrap();
        for draw in 0..draws.len() {
            let end = draws.get(draw + 1).copied().unwrap_or(lines.len());
            let said = lines[end - 1].trim();
            let last = (0..draw).rfind(|before| target_of(*before) == target_of(draw));
            let changes = |before: usize| match differing(before, draw) {
                0 => "changes nothing".to_owned(),
                1 => "changes 1 pixel".to_owned(),
                count => format!("changes {count} pixels"),
            };
            match last {
                None => {
                    let is_first =
                        said.contains("since the frame's start") || said.starts_with("first draw to a target");
                    assert!(is_first, "frame {frame}, draw {draw}: {said}");
                }
                Some(before) => {
                    let since = format!("since draw {before}, the last to its target");
                    assert!(said.starts_with(&changes(before)), "frame {frame}, draw {draw}: {said}");
                    assert_eq!(said.contains(&since), before + 1 != draw, "frame {frame}, draw {draw}: {said}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 20, "only {compared} draws were compared");
}

/// Lines of verbs about the frame whose first draw is over the budget; T is the trace.
const OVER_BUDGET: [&str; 8] = [
    "T --frames all --hash",
    "T --frame 1 --hash",
    "filmstrip T --frame 1 --out films",
    "pixel T --frame 1 --at 5,5",
    "pixel T --frame 1 --at 5,5 --triangles",
    "overlay T --frame 1 --kind overdraw --out o.png",
    "overlay T --frame 1 --kind age --out o.png",
    "bisect T --frame 1 --a vulkan --b vulkan",
];

/// A draw of 500,000,000 instances is a fault of its own where playing goes on; else nothing comes of its frame.
fn a_draw_over_the_budget_is_told_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let plain = mixed();
    let draw = plain.draws(1)[0];
    let path = folder.path().join("T");
    fs::write(&path, with_dword(&plain, draw, 12, 500_000_000)).unwrap();
    let sentence = "exceed the frame's budget of 1000000000 (--no-render-budget lifts it)";
    for words in OVER_BUDGET {
        let done = drawn(folder.path(), &format!("{words} --keep-going"));
        let told = done.stderr.lines().filter(|line| line.starts_with("error: ")).collect::<Vec<_>>();
        assert!(matches!(told.as_slice(), [one] if one.contains(sentence)), "{words}: {done:?}");
        assert!(done.code == 8 && !done.stdout.is_empty(), "{words}: {done:?}");
        let strict = drawn(folder.path(), words);
        assert_eq!(strict.code, 10, "{words}: {strict:?}");
    }
    let mut client = Client::start(&ADAPTER);
    let open = client.result("open", &serde_json::json!({ "path": path, "keep_going": true }));
    for (method, more) in [("hash", ""), ("image", ""), ("pixel", r#","x":5,"y":5"#), ("seek", "")] {
        let params: Value = serde_json::from_str(&format!(r#"{{"trace":{},"frame":1{more}}}"#, open["trace"])).unwrap();
        let answer = client.result(method, &params);
        assert_eq!(answer["faults"]["count"], 1, "{method}: {answer}");
        assert!(
            answer["faults"]["kinds"][0]["message"].as_str().unwrap().contains("exceed the frame's budget"),
            "{answer}"
        );
    }
    client.end();
}
