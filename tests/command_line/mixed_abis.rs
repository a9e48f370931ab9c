//! Traces with both ABIs: whatever is asked of a place is answered by the ABI of the place, as in the trace without the
//! other's records. There blobs that nobody reads stand in for them, so that everything stands where it stood.
//!
//! Needs software Vulkan.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::harness::Trial;
use crate::support::mixed::{Abi, Record, mixtures, write};
use crate::support::program::run;
use crate::support::serve_client::Client;
use crate::support::software;

const ADAPTER: [&str; 4] = ["--backend", "vulkan", "--adapter", "llvmpipe"];
/// Everything is drawn at this size, since the largest viewport of a trace is that of both ABIs.
const SIZE: [&str; 2] = ["--size", "24x20"];

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 5] = [
        ("every_verb_answers_as_without_the_other_abi", every_verb_answers_as_without_the_other_abi),
        ("seeks_and_trims_of_mixed_traces_show_what_is_played", seeks_and_trims_of_mixed_traces_show_what_is_played),
        ("mixed_traces_are_served", mixed_traces_are_served),
        ("lint_looks_at_packets_behind_submissions", lint_looks_at_packets_behind_submissions),
        ("info_counts_the_packets_of_each_abi", info_counts_the_packets_of_each_abi),
    ];
    tests.map(|(name, test)| software::trial(name, move |_| test())).into()
}

fn abis(records: &[Record]) -> Vec<Abi> {
    [Abi::AppendixA, Abi::A3a0]
        .into_iter()
        .filter(|abi| records.iter().any(|record| record.abi() == Some(*abi)))
        .collect()
}

/// Questions about a place, in the words of the command line. `OUT` is where a picture goes.
const OF_PLACES: &[&str] = &[
    "state TRACE PLACE",
    "TRACE PLACE --hash SIZE",
    "pixel TRACE PLACE --at 5,5 --all SIZE",
    "overlay TRACE PLACE --kind overdraw --out OUT SIZE",
    "overlay TRACE PLACE --kind age --out OUT SIZE",
    "overlay TRACE PLACE --kind wireframe --out OUT SIZE",
];
const OF_FRAMES: &[&str] =
    &["events TRACE FRAME", "frames TRACE SET", "draws TRACE SET", "filmstrip TRACE FRAME --out OUT SIZE"];
const OF_DRAWS: &[&str] = &[
    "mesh TRACE PLACE SIZE",
    "pixel TRACE PLACE --at 5,5 --triangles SIZE",
    "overlay TRACE PLACE --kind highlight --out OUT SIZE",
];
/// Handles of submissions, of which one is a buffer in each of their frames; and that of the buffer of Appendix A.
const HEX: &str = "buffer TRACE PLACE --id ID";

/// Output and picture.
#[derive(Debug, PartialEq)]
struct Answer {
    code: i32,
    said: String,
    pictures: Vec<Vec<u8>>,
}

/// Asks one thing of one trace.
fn ask(folder: &Path, trace: &str, line: &str, frame: usize, draw: Option<usize>) -> Answer {
    let out = folder.join("out");
    fs::create_dir_all(&out).unwrap();
    let place = format!("{frame}{}", draw.map_or(String::new(), |draw| format!("/draw={draw}")));
    let mut words: Vec<&str> = Vec::new();
    let (number, path) = (frame.to_string(), out.display().to_string());
    let draws = !["state", "events", "frames", "draws", "buffer"].iter().any(|verb| line.starts_with(verb));
    for word in line.split(' ') {
        match word {
            "TRACE" => words.push(trace),
            "PLACE" => words.extend(["--place", &place]),
            "SET" => words.extend(["--frames", &number]),
            "FRAME" => words.extend(["--frame", &number]),
            "SIZE" => words.extend(SIZE),
            "OUT" => words.push(&path),
            word => words.push(word),
        }
    }
    if draws {
        words.extend(ADAPTER);
    }
    let done = run(&words, folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let pictures = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    fs::remove_dir_all(&out).unwrap();
    let said = [done.stdout, done.stderr].join("\n").replace(trace, "TRACE");
    // How many commands lead to a frame is a matter of the slice, which has the other ABI's present too.
    let said = said.lines().map(|line| match line.split_once(", needs ").or(line.split_once(", self-contained")) {
        Some((before, behind)) => format!("{before}{}", behind.split_once(", input").map_or("", |(_, hash)| hash)),
        None => line.to_owned(),
    });
    Answer { code: done.code, said: said.collect::<Vec<_>>().join("\n"), pictures }
}

fn every_verb_answers_as_without_the_other_abi() {
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for (name, frames) in mixtures() {
        let [mixed, alone] = [format!("{name}.mixed"), format!("{name}.alone")];
        write(&folder.path().join(&mixed), &frames, None);
        for (frame, records) in frames.iter().enumerate() {
            let abis = abis(records);
            let draws = draws_of(folder.path(), &mixed, frame);
            let of_draw = [OF_PLACES, OF_DRAWS].concat();
            let of_draws = draws.iter().rev().take(1).flat_map(|draw| of_draw.iter().map(|line| (*line, Some(*draw))));
            // Without a draw there is nothing to film.
            let is_asked = |line: &&&str| !(draws.is_empty() && line.starts_with("filmstrip"));
            let of_frame = OF_PLACES.iter().chain(OF_FRAMES).filter(is_asked).map(|line| (*line, None));
            let lines: Vec<(&str, Option<usize>)> = of_frame.chain(of_draws).collect();
            for (line, draw) in lines {
                let answer = ask(folder.path(), &mixed, line, frame, draw);
                let asked = format!("{name}: {line}, frame {frame}, draw {draw:?}");
                assert_eq!(answer.code, 0, "{asked}: {}", answer.said);
                let [abi] = abis.as_slice() else { continue };
                write(&folder.path().join(&alone), &frames, Some(*abi));
                let mut told = ask(folder.path(), &alone, line, frame, draw);
                let mut answer = answer;
                if name.starts_with("in_one") {
                    // In an earlier frame with both, draws and packets of the other are counted too.
                    [&mut answer, &mut told].into_iter().for_each(|answer| answer.said = unnumbered(&answer.said));
                }
                assert!(answer == told, "{asked}:\n{}\n\nwithout the other ABI:\n{}", answer.said, told.said);
                compared += 1;
            }
            let ids: &[&str] =
                if abis == [Abi::AppendixA] { &["1"] } else { &["1", "2", "3", "4", "5", "6", "7", "8"] };
            let known =
                ids.iter().filter(|id| ask(folder.path(), &mixed, &HEX.replace("ID", id), frame, None).code == 0);
            assert!(abis.is_empty() || known.count() > 0, "{name}: no buffer at the end of frame {frame}");
        }
    }
    assert!(compared > 150, "only {compared} answers were compared");
}

/// A text without the numbers of draws and packets.
fn unnumbered(said: &str) -> String {
    let mut last = "";
    let words = said.split(' ').map(|word| {
        let is_number = ["draw", "packet", "(packet"].contains(&last);
        last = word;
        if is_number { word.trim_start_matches(|c: char| c.is_ascii_digit()) } else { word }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The first and the last draw of a frame.
fn draws_of(folder: &Path, trace: &str, frame: usize) -> Vec<usize> {
    let listed = run(&["draws", trace, "--frames", &frame.to_string(), "--json"], folder);
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    let count = listed.stdout.lines().count();
    let mut draws = vec![0, count.saturating_sub(1)];
    draws.dedup();
    draws.retain(|draw| *draw < count);
    draws
}

fn seeks_and_trims_of_mixed_traces_show_what_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let done = run(arguments, folder.path());
        assert_eq!(done.code, 0, "{arguments:?}: {}", done.stderr);
        done.stdout
    };
    let hash = |line: &str| line.rsplit("sha256=").next().unwrap().to_owned();
    for (name, frames) in mixtures() {
        write(&folder.path().join(name), &frames, None);
        run(&[&["verify", name, "--seek", "--draws", "--determinism", "2"][..], &SIZE, &ADAPTER].concat());
        let played = run(&[&[name, "--frames", "all", "--hash"][..], &SIZE, &ADAPTER].concat());
        for (frame, played) in played.lines().enumerate() {
            let (frame, trimmed) = (frame.to_string(), format!("{name}.{frame}"));
            run(&["trim", name, &trimmed, "--frames", &frame]);
            let alone = run(&[&[&trimmed, "--frame", "0", "--hash"][..], &SIZE, &ADAPTER].concat());
            assert_eq!(hash(alone.trim()), hash(played), "{name}, frame {frame}, trimmed");
        }
    }
}

fn mixed_traces_are_served() {
    let folder = tempfile::tempdir().unwrap();
    for (name, frames) in mixtures() {
        let path = folder.path().join(name);
        write(&path, &frames, None);
        let mut client = Client::start(&ADAPTER);
        let trace = client.open(&path);
        for frame in 0..frames.len() {
            let at = |more: Value| {
                let mut params = json!({ "trace": trace, "frame": frame });
                params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                params
            };
            let count = draws_of(folder.path(), name, frame).last().map_or(0, |last| last + 1);
            client.result("seek", &at(json!({})));
            // Where none is named, the place is that of the last seek.
            let here = client.result("state", &json!({ "trace": trace }));
            assert_eq!(here, client.result("state", &at(json!({}))), "{name}, frame {frame}");
            client.result("events", &at(json!({})));
            client.result("pixel", &at(json!({ "x": 5, "y": 5 })));
            client.result("hash", &at(json!({})));
            client.result("shaders", &at(json!({})));
            for draw in [0, count.saturating_sub(1)].into_iter().filter(|draw| *draw < count) {
                client.result("state", &at(json!({ "draw": draw })));
                client.result("mesh", &at(json!({ "draw": draw })));
                client.result("pixel", &at(json!({ "draw": draw, "x": 5, "y": 5 })));
                client.result("hash", &at(json!({ "draw": draw })));
                client.result("shaders", &at(json!({ "draw": draw })));
            }
        }
        client.end();
    }
}

fn lint_looks_at_packets_behind_submissions() {
    let folder = tempfile::tempdir().unwrap();
    let (name, mut frames) = mixtures().remove(1);
    assert_eq!(name, "submissions_first");
    let packets = frames.last_mut().unwrap();
    let create = packets.iter().find(|record| record.abi() == Some(Abi::AppendixA)).unwrap().clone();
    packets.push(Record {
        payload: [&create.payload[..8], &77u32.to_le_bytes(), &create.payload[12..]].concat(),
        ..create
    });
    write(&folder.path().join("mixed"), &frames, None);
    let told = run(&["lint", "mixed"], folder.path());
    assert_eq!(told.code, 0, "{}", told.stderr);
    assert!(told.stdout.contains("no draw uses buffer 77"), "{}", told.stdout);
}

fn info_counts_the_packets_of_each_abi() {
    let folder = tempfile::tempdir().unwrap();
    let (_, frames) = mixtures().remove(0);
    write(&folder.path().join("mixed"), &frames, None);
    let packets = frames.concat().iter().filter(|record| record.abi() == Some(Abi::AppendixA)).count();
    let streams = frames.concat().iter().filter(|record| record.abi() == Some(Abi::A3a0)).count();
    let told = run(&["info", "mixed", "--deep"], folder.path());
    let appendix_a = format!("found {packets} packets of Appendix A, ");
    assert!(told.stdout.contains(&appendix_a), "{}", told.stdout);
    assert!(told.stdout.contains(&format!(" packets in {streams} A3A0 streams)")), "{}", told.stdout);
}
