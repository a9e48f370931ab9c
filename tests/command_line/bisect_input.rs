//! `bisect --by input`: where two traces begin to be drawn from something else, without a GPU.

use std::fs;
use std::path::Path;

use crate::support;
use aerogpu_replay::abi::reference::Packet;
use serde_json::Value;
use support::fixture;
use support::harness::{Trial, trials_of};
use support::program::{Run, run};
use support::scene::{BLUE, GREEN, RED, Scene, rectangle, vertices};

pub fn trials() -> Vec<Trial> {
    trials_of![
        equal_traces_are_the_same,
        the_first_draw_and_what_of_it_differs_are_named,
        a_command_of_a_submission_is_named_with_what_differs,
        more_frames_are_a_difference,
        what_makes_no_sense_is_refused
    ]
}

const SAME: &str = "the sides have identical inputs (2 frames compared)\n";

/// Difference of one scene from another.
#[derive(Clone, Copy, Default)]
pub struct Otherwise {
    pub color: bool,
    pub viewport: bool,
    pub count: bool,
    pub clear: bool,
    /// An object that no frame is drawn from.
    pub unused: bool,
    pub further_frame: bool,
    /// Before the others.
    pub first_frame: bool,
}

pub fn scene(otherwise: Otherwise) -> Vec<u8> {
    let corners = rectangle(-1.0, -1.0, 1.0, 1.0);
    let mut scene = Scene::with_pipeline();
    scene.packet(Packet::SetPipeline { pipeline_id: 1 });
    if otherwise.unused {
        scene.buffer(9, &[1; 40]);
    }
    scene.buffer(1, &vertices(&corners, RED)).bind(1);
    if otherwise.first_frame {
        scene.clear(RED).draw(3, 3).end().begin();
    }
    scene.clear(BLUE).draw(0, 6).end().begin();
    scene.clear(if otherwise.clear { RED } else { GREEN }).draw(0, 3);
    if otherwise.color {
        scene.upload(1, 8, &1.0f32.to_le_bytes()).upload(1, 12, &1.0f32.to_le_bytes());
    }
    if otherwise.viewport {
        scene.viewport(32, 32);
    }
    scene.draw(0, if otherwise.count { 3 } else { 6 });
    if otherwise.further_frame {
        scene.end().begin();
    }
    scene.end_and_finish()
}

fn bisect(folder: &Path, other: Otherwise, flags: &[&str]) -> Run {
    fs::write(folder.join("a.bin"), scene(Otherwise::default())).unwrap();
    fs::write(folder.join("b.bin"), scene(other)).unwrap();
    run(&[&["bisect", "a.bin", "--by", "input", "--b", "b.bin"], flags].concat(), folder)
}

fn json(run: &Run) -> Value {
    serde_json::from_str(run.stdout.trim()).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

fn equal_traces_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    bisect(folder.path(), Otherwise::default(), &[]).expect(0, SAME, "");
    // Whatever nothing is drawn from does not count, though all offsets behind it are others.
    bisect(folder.path(), Otherwise { unused: true, ..Otherwise::default() }, &[]).expect(0, SAME, "");
    let first = bisect(folder.path(), Otherwise { clear: true, ..Otherwise::default() }, &["--frame", "0"]);
    first.expect(0, "the sides have identical inputs (1 frame compared)\n", "");
}

fn the_first_draw_and_what_of_it_differs_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let none = Otherwise::default();
    let rows = [
        (Otherwise { color: true, ..none }, Value::from(1), vec!["the bytes of the vertices"]),
        (Otherwise { viewport: true, ..none }, Value::from(1), vec!["the viewport"]),
        (Otherwise { count: true, ..none }, Value::from(1), vec!["the range of vertices", "the bytes of the vertices"]),
        (Otherwise { clear: true, ..none }, Value::from(0), vec!["the colour"]),
    ];
    for (otherwise, draw, parts) in rows {
        let done = bisect(folder.path(), otherwise, &["--json"]);
        assert_eq!(done.code, 1, "{done:?}");
        let line = json(&done);
        assert_eq!((&line["type"], &line["frame"]), (&"bisect-input".into(), &1.into()), "{line}");
        let [command] = &line["commands"].as_array().unwrap()[..] else { panic!("{line}") };
        assert_eq!((&line["draw"], &command["differs_in"]), (&draw, &parts.into()), "{line}");
        let name = if draw == 0 { "CLEAR" } else { "DRAW" };
        for side in ["a", "b"] {
            assert_eq!((&command[side]["name"], &command[side]["frame"]), (&name.into(), &1.into()), "{line}");
        }
    }
    let said = bisect(folder.path(), Otherwise { color: true, ..none }, &[]);
    for part in [
        "frame 1 is the first whose inputs differ\n",
        "  the first draw whose inputs differ: draw 1\n",
        "    side a: DRAW vertex_count=6 first_vertex=0 at 0x",
        "(frame 1, packet 2), draw 1\n    side b: DRAW vertex_count=6 first_vertex=0 at 0x",
        "(frame 1, packet 4), draw 1\n      differing in: the bytes of the vertices\n",
    ] {
        assert!(said.stdout.contains(part), "{part:?} in {}", said.stdout);
    }
}

/// The constant of the second frame of a scene of submissions, changed in its bytes.
fn a_command_of_a_submission_is_named_with_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    let scene = fs::read(fixture("a3a0/scene")).unwrap();
    let green: Vec<u8> = [0.0f32, 1.0, 0.0, 1.0].iter().flat_map(|channel| channel.to_le_bytes()).collect();
    let at = scene.windows(green.len()).rposition(|window| window == green).unwrap();
    let mut changed = scene.clone();
    changed[at] = 1;
    fs::write(folder.path().join("a.bin"), scene).unwrap();
    fs::write(folder.path().join("b.bin"), changed).unwrap();
    let done = run(&["bisect", "a.bin", "--by", "input", "--b", "b.bin", "--json"], folder.path());
    assert_eq!(done.code, 1, "{done:?}");
    let line = json(&done);
    assert_eq!((&line["frame"], &line["draw"]), (&1.into(), &0.into()), "{line}");
    let [command] = &line["commands"].as_array().unwrap()[..] else { panic!("{line}") };
    assert_eq!(command["differs_in"], Value::from(vec!["its payload"]), "{line}");
    assert_eq!(command["a"]["offset"], command["b"]["offset"], "they stand at the same place");
    assert_eq!(command["a"]["name"], "SET_SHADER_CONSTANTS_F", "{line}");
    let said = |side: &str| command[side]["arguments"].as_str().unwrap().rsplit("values=").next().unwrap().to_owned();
    assert!(said("a") == "[0, 1, 0, 1]" && said("b").ends_with(", 1, 0, 1]") && said("a") != said("b"), "{line}");
    let packet = command["a"]["offset"].as_u64().unwrap() as usize;
    assert!((packet..packet + 64).contains(&at), "{packet} {at}");
    run(&["bisect", "a.bin", "--by", "input", "--b", "a.bin"], folder.path()).expect(0, SAME, "");
}

fn more_frames_are_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let further = Otherwise { further_frame: true, ..Otherwise::default() };
    let more = "side a has 2 frames, side b has 3; the common frames have identical inputs\n";
    bisect(folder.path(), further, &[]).expect(1, more, "");
    bisect(folder.path(), further, &["--frame", "1"]).expect(
        0,
        "the sides have identical inputs (1 frame compared)\n",
        "",
    );
}

fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let none = Otherwise::default();
    bisect(folder.path(), none, &["--frame", "7"]).expect(2, "", "frame 7 does not exist");
    bisect(folder.path(), none, &["--frame", "0-1"]).expect(2, "", "expected one frame");
    run(&["bisect", "a.bin", "--by", "input", "--b", "missing.bin"], folder.path()).expect(3, "", "missing.bin");
    if cfg!(feature = "gpu") {
        let other = run(&["bisect", "a.bin", "--by", "input", "--b", "wgsl"], folder.path());
        other.expect(2, "", "--by input compares two traces");
        let picture = run(&["bisect", "a.bin", "--by", "picture", "--b", "b.bin"], folder.path());
        picture.expect(2, "", "expected --frame N");
    }
    // A trace that is damaged has no frames behind that, and nobody says that they are the same.
    let whole = fs::read(folder.path().join("a.bin")).unwrap();
    let mut packet = Vec::new();
    Packet::Draw { vertex_count: 3, first_vertex: 0 }.write(&mut packet);
    let at = whole.windows(packet.len()).position(|window| window == packet).unwrap();
    let mut damaged = whole;
    damaged[at + 4] = 99;
    fs::write(folder.path().join("damaged.bin"), damaged).unwrap();
    let found = run(&["bisect", "a.bin", "--by", "input", "--b", "damaged.bin"], folder.path());
    assert_eq!((found.code, found.stdout.as_str()), (3, ""), "{found:?}");
    assert!(found.stderr.contains("damaged.bin: frame 1: "), "{found:?}");
}
