//! `compare A B`: which frames of two traces belong together, and the first that differ by input, and by picture.

use std::fs;
use std::path::Path;

use crate::command_line::bisect_input::{Otherwise, scene};
use crate::support;
use serde_json::{Value, json};
use support::fixture;
use support::harness::{Trial, trials_of};
use support::program::{Run, run};

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of![
        traces_that_are_drawn_from_the_same_are_the_same,
        frames_are_found_beside_an_inserted_one,
        what_a_draw_of_a_submission_is_drawn_with_is_told,
        damage_is_told_and_what_is_before_it_compared
    ];
    if cfg!(feature = "gpu") {
        let drawn: Vec<Trial> =
            trials_of![the_first_picture_is_another_frame_than_the_first_input, pictures_of_other_sizes_differ];
        trials.extend(drawn);
    }
    trials
}

fn compare(folder: &Path, [a, b]: [&[u8]; 2], flags: &[&str]) -> Run {
    fs::write(folder.join("a.bin"), a).unwrap();
    fs::write(folder.join("b.bin"), b).unwrap();
    run(&[&["compare", "a.bin", "b.bin"], flags].concat(), folder)
}

fn lines(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn traces_that_are_drawn_from_the_same_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, none) = (scene(Otherwise::default()), Otherwise::default());
    let same = "side a has 2 frames, side b has 2; matched: 2 with identical inputs, 0 with different inputs\n";
    // Nothing is drawn, so that no device is needed.
    for other in [none, Otherwise { unused: true, ..none }] {
        compare(folder.path(), [&plain, &scene(other)], &[]).expect(0, same, "");
    }
}

fn frames_are_found_beside_an_inserted_one() {
    let folder = tempfile::tempdir().unwrap();
    let none = Otherwise::default();
    let (plain, other) = (scene(none), scene(Otherwise { first_frame: true, color: true, ..none }));
    let done = compare(folder.path(), [&plain, &other], &["--by", "input", "--json"]);
    assert_eq!(done.code, 1, "{done:?}");
    let [counts, input] = &lines(&done)[..] else { panic!("{done:?}") };
    let expected = json!({
        "schema": 3, "type": "compare", "frames_a": 2, "frames_b": 3, "identical": 1, "different": 1, "unmatched_a": [],
        "unmatched_b": [0],
    });
    assert_eq!(*counts, expected);
    assert_eq!((&input["frame"], &input["frame_b"], &input["draw"]), (&1.into(), &2.into(), &1.into()), "{input}");
    let [command] = &input["commands"].as_array().unwrap()[..] else { panic!("{input}") };
    assert_eq!(command["differs_in"], json!(["the bytes of the vertices"]), "{input}");
    assert_eq!((&command["a"]["frame"], &command["b"]["frame"]), (&1.into(), &2.into()), "{input}");
    let said = compare(folder.path(), [&plain, &other], &["--by", "input"]);
    for part in [
        "side a has 2 frames, side b has 3; matched: 1 with identical inputs, 1 with different inputs\n",
        "frames 0 to 1 of side a: frames 1 to 2 of side b\n1 frame of side b has no match: frame 0\n",
        "by input: frame 1, matched with frame 2 of side b, is the first whose inputs differ\n",
        "  the first draw whose inputs differ: draw 1\n",
    ] {
        assert!(said.stdout.contains(part), "{part:?} in {}", said.stdout);
    }
    // A frame that one has alone is a difference by itself.
    let longer = scene(Otherwise { further_frame: true, ..none });
    let said = compare(folder.path(), [&longer, &plain], &[]);
    said.expect(
        1,
        "side a has 3 frames, side b has 2; matched: 2 with identical inputs, 0 with different inputs\n1 frame of \
            side a has no match: frame 2\n",
        "",
    );
}

/// The constant of the second frame of a scene of submissions, changed in its bytes.
fn what_a_draw_of_a_submission_is_drawn_with_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let scene = fs::read(fixture("a3a0/scene")).unwrap();
    let green: Vec<u8> = [0.0f32, 1.0, 0.0, 1.0].iter().flat_map(|channel| channel.to_le_bytes()).collect();
    let at = scene.windows(green.len()).rposition(|window| window == green).unwrap();
    let mut changed = scene.clone();
    changed[at..at + 4].copy_from_slice(&0.25f32.to_le_bytes());
    let done = compare(folder.path(), [&scene, &changed], &["--by", "input", "--json"]);
    assert_eq!(done.code, 1, "{done:?}");
    let [counts, input] = &lines(&done)[..] else { panic!("{done:?}") };
    assert_eq!((&counts["identical"], &counts["different"]), (&1.into(), &1.into()), "{counts}");
    assert_eq!((&input["frame"], &input["draw"]), (&1.into(), &0.into()), "{input}");
    let [setting] = &input["settings"].as_array().unwrap()[..] else { panic!("{input}") };
    let value = |side: &str| setting[side].as_str().unwrap().to_owned();
    assert!(value("a") == "0, 1, 0, 1" && value("b") == "0.25, 1, 0, 1", "{setting}");
    assert_eq!(input["shaders"], json!([]), "{input}");
    let said = compare(folder.path(), [&scene, &changed], &["--by", "input"]);
    assert!(said.stdout.contains("  what differs (a -> b):\n"), "{said:?}");
}

fn damage_is_told_and_what_is_before_it_compared() {
    let folder = tempfile::tempdir().unwrap();
    let plain = scene(Otherwise::default());
    let mut damaged = plain.clone();
    // The last DRAW, of the second frame.
    let mut packet = Vec::new();
    aerogpu_replay::abi::reference::Packet::Draw { vertex_count: 6, first_vertex: 0 }.write(&mut packet);
    let at = damaged.windows(packet.len()).rposition(|window| window == packet).unwrap();
    damaged[at + 4] = 99;
    for sides in [[&plain[..], &damaged], [&damaged, &plain]] {
        let said = compare(folder.path(), sides, &["--by", "input"]);
        assert_eq!(said.code, 3, "{said:?}");
        // The damaged frame is there, without the draw.
        assert!(said.stdout.contains("1 with identical inputs, 1 with different inputs\n"), "{said:?}");
        assert!(said.stderr.contains(".bin: frame 1: "), "{said:?}");
    }
}

/// Of two frames that are not drawn from the same the first looks the same at its end.
fn the_first_picture_is_another_frame_than_the_first_input() {
    let folder = tempfile::tempdir().unwrap();
    let none = Otherwise::default();
    let covered = Otherwise { clear: true, ..none };
    let plain = scene(none);
    let flags = ["--backend", "vulkan", "--adapter", "llvmpipe"];
    // The clear colour of frame 1 is drawn over.
    let said = compare(folder.path(), [&plain, &scene(covered)], &flags);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stdout.contains("by input: frame 1 is the first"), "{said:?}");
    assert!(
        said.stdout.ends_with("by picture: the frames whose inputs differ look identical (1 pair drawn)\n"),
        "{said:?}"
    );
    // By picture alone that is no difference.
    let said = compare(folder.path(), [&plain, &scene(covered)], &[&flags[..], &["--by", "picture"]].concat());
    said.expect(
        0,
        "side a has 2 frames, side b has 2; matched: 1 with identical inputs, 1 with different inputs\nby picture: \
            the frames whose inputs differ look identical (1 pair drawn)\n",
        "",
    );
    // Frame 2 of the one is frame 1 of the other, and its second draw has another colour.
    let other = Otherwise { color: true, first_frame: true, ..none };
    let done = compare(folder.path(), [&scene(other), &plain], &[&flags[..], &["--json"]].concat());
    assert_eq!(done.code, 1, "{done:?}");
    let [_, input, picture, draw] = &lines(&done)[..] else { panic!("{done:?}") };
    assert_eq!(input["type"], "compare-input", "{input}");
    let expected = json!({
        "schema": 3, "type": "compare-picture", "frame": 2, "frame_b": 1, "pairs_drawn": 1,
    });
    assert_eq!(*picture, expected);
    assert_eq!((&draw["type"], &draw["draw"]["draw"]), (&"bisect-draw".into(), &1.into()), "{draw}");
    assert_eq!((&draw["draw"]["frame"], &draw["draw_b"]["frame"]), (&2.into(), &1.into()), "{draw}");
}

/// Screens of streams have sizes of their own.
fn pictures_of_other_sizes_differ() {
    let folder = tempfile::tempdir().unwrap();
    let sides = ["scene", "contexts"].map(|name| fs::read(fixture(&format!("a3a0/{name}"))).unwrap());
    let flags = ["--backend", "vulkan", "--adapter", "llvmpipe"];
    let done = compare(folder.path(), [&sides[0], &sides[1]], &[&flags[..], &["--json"]].concat());
    assert_eq!(done.code, 1, "{done:?}");
    let found = lines(&done);
    let [_, _, picture, sizes] = &found[..] else { panic!("{done:?}") };
    assert_eq!((&picture["type"], &picture["frame"]), (&"compare-picture".into(), &0.into()), "{picture}");
    assert_eq!(*sizes, json!({ "schema": 3, "type": "bisect-sizes", "draw": null, "a": [64, 64], "b": [16, 16] }));
    let both = ["bisect", "a.bin", "--frame", "0", "--a", "a.bin", "--b", "b.bin"];
    let said = run(&[&both[..], &flags[..]].concat(), folder.path());
    said.expect(1, "  the sizes differ: 64x64 and 16x16\n", "");
}
