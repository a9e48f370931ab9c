//! `pixel`, `overlay`, `--skip-draws` and `--only-draws` as a user runs them: results, exit codes, bad input.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use crate::support;
use aerogpu_replay::pixels::{Picture, read_png};
use serde_json::{Value, json};
use support::clearing_frames::{RED as RED_BYTES, clearing_frames};
use support::harness::Trial;
use support::program::{Run, run};
use support::scene::{BLUE, RED, Scene, rectangle, vertices};
use support::{fixture, software};

fn ask(arguments: &[&str], folder: &Path) -> Run {
    run(&[arguments, &["--backend", "vulkan", "--adapter", "llvmpipe"]].concat(), folder)
}

fn frames() -> String {
    fixture("frames").display().to_string()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn read(path: &Path) -> Picture {
    read_png(BufReader::new(File::open(path).unwrap())).unwrap()
}

fn a_pixel_s_history_is_printed() {
    let folder = folder();
    let done = ask(&["pixel", &frames(), "--frame", "2", "--at", "40,10"], folder.path());
    let expected = "\
frame 2 begins with 0 0 0 255 (0.000 0.000 0.000 1.000), from the CLEAR at 0x41b (frame 0, packet 7)
draw 0 at 0x587 (frame 2, packet 1): 0 0 0 255 (0.000 0.000 0.000 1.000) -> 0 0 255 255 (0.000 0.000 1.000 1.000)
it ends with 0 0 255 255 (0.000 0.000 1.000 1.000)
";
    done.expect(0, expected, "");
    let brief = ask(&["pixel", &frames(), "--frame", "0", "--at", "40,10"], folder.path());
    assert!(
        brief.stdout.ends_with("(--all lists them):\n  1 draw: none of its triangles covers the pixel\n"),
        "{brief:?}"
    );
    let all = ask(&["pixel", &frames(), "--frame", "0", "--at", "40,10", "--all"], folder.path());
    let line = "draw 0 at 0x43b (frame 0, packet 8): none of its triangles covers the pixel\n";
    assert!(all.stdout.contains(line), "{all:?}");
    let triangles = ask(&["pixel", &frames(), "--frame", "2", "--at", "40,10", "--triangles"], folder.path());
    assert!(triangles.stdout.contains("0 0 255 255 (0.000 0.000 1.000 1.000), triangle 0\n"), "{triangles:?}");
}

fn a_pixel_s_history_is_json() {
    let folder = folder();
    let done = ask(&["pixel", &frames(), "--frame", "1", "--at", "3,10", "--json"], folder.path());
    let lines: Vec<Value> = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["schema"] == 3), "{}", done.stdout);
    let json = ask(&["pixel", &frames(), "--frame", "2", "--at", "60,3", "--json", "--triangles"], folder.path());
    assert!(json.stdout.contains("\"triangle\":1}\n"), "{json:?}");
    let of = |line: usize, key: &str| lines[line][key].clone();
    assert_eq!((of(0, "origin"), of(0, "origin_frame"), of(0, "origin_draw")), ("draw".into(), 0.into(), 0.into()));
    assert_eq!((of(0, "rgba"), of(1, "reason")), (vec![255, 0, 0, 255].into(), "not-covered".into()));
    assert_eq!((of(2, "type"), of(2, "writes"), of(2, "error")), ("pixel-end".into(), 0.into(), Value::Null));
}

/// Each frame of the trace clears what it shows.
fn a_frame_s_start_is_of_the_trace() {
    let folder = folder();
    fs::write(folder.path().join("clearing"), clearing_frames()).unwrap();
    let pixel = |place: &[&str]| ask(&[&["pixel", "clearing", "--at", "0,1"], place].concat(), folder.path()).stdout;
    let begins = |frame: &str| pixel(&["--frame", frame]).lines().next().unwrap().to_owned();
    let expected = [
        ("0", "0 0 0 0", "as created at ", 0),
        ("1", "0 0 255 255", "from the CLEAR at ", 0),
        ("2", "255 0 0 255", "from draw 0 at ", 1),
        ("3", "0 0 0 0", "as created at ", 3),
    ];
    for (frame, rgba, origin, of_frame) in expected {
        let line = begins(frame);
        let is_as_expected = line.starts_with(&format!("frame {frame} begins with {rgba} ("))
            && line.contains(&format!(") in texture 1, {origin}0x"))
            && line.contains(&format!(" (frame {of_frame}, submission 0, context 0, packet "));
        assert!(is_as_expected, "{line}; expected {rgba}, {origin}");
    }
    let start = pixel(&["--place", "2/start", "--json"]);
    let lines: Vec<Value> = start.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (lines.len(), &lines[0]["rgba"], &lines[1]["rgba"]),
        (2, &json!(RED_BYTES), &json!(RED_BYTES)),
        "{start}"
    );
    let of = ["origin", "origin_frame", "origin_draw", "texture", "mip", "layer"].map(|key| lines[0][key].clone());
    assert_eq!(of, [json!("draw"), json!(1), json!(0), json!(1), json!(0), json!(0)], "{start}");
    let film = ask(&["filmstrip", "clearing", "--frame", "1", "--out", "film.png"], folder.path());
    assert!(film.stdout.contains("  changes 16 pixels within "), "{film:?}");
    assert!(film.stdout.contains(" since the frame's start, sha256 "), "{film:?}");
    // What a texture holds, and who wrote it, is at a frame's start as at the end of the frame before.
    let texture = |place: &[&str]| {
        let done = run(&[&["texture", "clearing", "1", "--json"], place].concat(), folder.path());
        serde_json::from_str::<Value>(&done.stdout).unwrap()["ranges"].clone()
    };
    for frame in 1..4u32 {
        let before = (frame - 1).to_string();
        let start = texture(&["--place", &format!("{frame}/start")]);
        assert_eq!(start, texture(&["--frame", &before]), "frame {frame}");
        assert_ne!(start, texture(&["--frame", &frame.to_string()]), "frame {frame}");
    }
}

fn what_cannot_be_asked_is_usage() {
    let folder = folder();
    let pixel = |arguments: &[&str]| ask(&[&["pixel", &frames()], arguments].concat(), folder.path());
    pixel(&["--frame", "0", "--at", "64,0"]).expect(2, "", "pixel 64,0 does not exist: the target is 64x64");
    pixel(&["--frame", "4", "--at", "0,0"]).expect(2, "", "frame 4 does not exist: the trace has 4 frames");
    pixel(&["--frame", "0", "--at", "0,0", "--draw", "1"]).expect(2, "", "draw 1 does not exist: frame 0 has 1 draw");
    pixel(&["--frame", "0", "--at", "12"]).expect(2, "", "expected a column and a row in pixels");
    let overlay =
        |arguments: &[&str]| ask(&[&["overlay", &frames(), "--out", "o.png"], arguments].concat(), folder.path());
    overlay(&["--frame", "0", "--kind", "highlight"]).expect(2, "", "--kind highlight: expected --draw K");
    overlay(&["--frame", "0", "--kind", "highlight", "--draw", "3"]).expect(2, "", "draw 3 does not exist");
    overlay(&["--frame", "0", "--kind", "wireframe", "--draw", "3"]).expect(2, "", "draw 3 does not exist");
    overlay(&["--frame", "0", "--kind", "age", "--draw", "3"]).expect(2, "", "draw 3 does not exist");
    let render = |arguments: &[&str]| ask(&[&[frames().as_str(), "--hash"], arguments].concat(), folder.path());
    render(&["--frame", "0", "--skip-draws", "1"]).expect(2, "", "draw 1 does not exist: frame 0 has 1 draw (0)");
    render(&["--frame", "0", "--skip-draws", "x"]).expect(2, "", "\"x\" is not a set of draws");
    render(&["--frames", "0-1", "--skip-draws", "0"]).expect(2, "", "name draws of one frame: expected --frame N");
    render(&["--skip-draws", "0"]).expect(2, "", "--frame <N>");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A verb that is given what another compares names that other.
fn the_other_verb_of_comparing_is_named() {
    let folder = folder();
    let picture = support::root().join("golden/triangle/frame0000.png").display().to_string();
    let recording = support::root().join("fixtures/wtf/cff/cffle0_basic.wtf-trace");
    let diff = |file: &str| run(&["diff", file, file], folder.path());
    diff(&frames()).expect(
        2,
        "",
        "is an AeroGPU trace: expected a PNG; `diff` compares pictures, for traces use `compare A B`",
    );
    diff(&recording.display().to_string()).expect(2, "", "for traces use `timeline diff A B`");
    let compare = run(&["compare", &picture, &picture], folder.path());
    assert!(
        compare.code != 0 && compare.stderr.contains("is a picture (PNG): expected an AeroGPU trace here"),
        "{compare:?}"
    );
    assert!(compare.stderr.contains("for two pictures use `diff A B`"), "{compare:?}");
}

fn overlays_are_written_with_their_legend() {
    let folder = folder();
    let overlay =
        |arguments: &[&str]| ask(&[&["overlay", &frames(), "--frame", "2"], arguments].concat(), folder.path());
    let legend = "#ff40c8      1024 pixels  written by draw 0, visible\n#3c78ff         0 pixels  written by \
        draw 0, then overwritten\n";
    overlay(&["--kind", "highlight", "--draw", "0", "--out", "highlight.png"]).expect(0, legend, "");
    let picture = read(&folder.path().join("highlight.png"));
    assert_eq!((picture.pixel(40, 10), picture.pixel(40, 40)), (Some([255, 64, 200, 255]), Some([58, 92, 58, 255])));
    let legend = "#fff4be      1024 pixels  the last draw\n\
                  #5adcdc      1024 pixels  1 frame ago\n\
                  #3296e6      2048 pixels  2 to 3 frames ago\n";
    overlay(&["--kind", "age", "--out", "age.png"]).expect(0, legend, "");
    let line =
        "{\"schema\":3,\"type\":\"legend\",\"color\":\"#182078\",\"pixels\":1024,\"meaning\":\"written once\"}\n";
    overlay(&["--kind", "overdraw", "--out", "heat.rgba", "--json"]).expect(0, line, "");
    assert_eq!(fs::metadata(folder.path().join("heat.rgba")).unwrap().len(), 64 * 64 * 4);
    let png = overlay(&["--kind", "wireframe", "--out", "-"]).stdout_bytes;
    assert_eq!(read_png(std::io::Cursor::new(png)).unwrap().pixel(32, 31), Some([120, 255, 140, 255]));
}

fn draws_can_be_left_out() {
    let folder = folder();
    let hash = |arguments: &[&str]| {
        let done = ask(&[&[frames().as_str(), "--frame", "2", "--hash"], arguments].concat(), folder.path());
        assert_eq!(done.code, 0, "{done:?}");
        done.stdout.split_once("sha256=").unwrap().1.to_owned()
    };
    let (whole, without) = (hash(&[]), hash(&["--skip-draws", "last"]));
    assert_ne!(whole, without);
    // Nothing of the frame is left, so it is the frame before.
    let before = ask(&[&frames(), "--frame", "1", "--hash"], folder.path());
    assert!(before.stdout.contains(&without), "{before:?}");
    assert_eq!((hash(&["--only-draws", "all"]), hash(&["--skip-draws", "0,-1"])), (whole, without));
}

/// A faulty draw ends a history with what is known, and can be left out of a picture.
fn a_faulty_draw_is_no_obstacle() {
    let folder = folder();
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind(1).clear(BLUE).draw(0, 6).draw(0, 7);
    let path = folder.path().join("faulty.aerogputrace").display().to_string();
    fs::write(&path, scene.end_and_finish()).unwrap();
    let history = ask(&["pixel", &path, "--frame", "0", "--at", "1,1"], folder.path());
    assert_eq!((history.code, history.stdout.lines().count()), (8, 4), "{history:?}");
    assert!(history.stderr.contains("the history ends early: DRAW at"), "{history:?}");
    assert!(history.stderr.contains("(frame 0, packet 9): reads 168 bytes of buffer 1, which has 144"), "{history:?}");
    let overlay = ["overlay", &path, "--frame", "0", "--kind", "overdraw", "--out", "o.png"];
    ask(&overlay, folder.path()).expect(6, "", "reads 168 bytes of buffer 1");
    ask(&[&path, "--frame", "0", "--hash"], folder.path()).expect(6, "", "reads 168 bytes of buffer 1");
    let done = ask(&[&path, "--frame", "0", "--out", "red.png", "--skip-draws", "1"], folder.path());
    done.expect(0, "", "wrote red.png");
    assert_eq!(read(&folder.path().join("red.png")).pixel(0, 0), Some([255, 0, 0, 255]));
}

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 8] = [
        ("a_pixel_s_history_is_printed", a_pixel_s_history_is_printed),
        ("a_pixel_s_history_is_json", a_pixel_s_history_is_json),
        ("a_frame_s_start_is_of_the_trace", a_frame_s_start_is_of_the_trace),
        ("the_other_verb_of_comparing_is_named", the_other_verb_of_comparing_is_named),
        ("what_cannot_be_asked_is_usage", what_cannot_be_asked_is_usage),
        ("overlays_are_written_with_their_legend", overlays_are_written_with_their_legend),
        ("draws_can_be_left_out", draws_can_be_left_out),
        ("a_faulty_draw_is_no_obstacle", a_faulty_draw_is_no_obstacle),
    ];
    let trials = tests.map(|(name, test)| software::trial(name, move |_| test()));
    trials.into()
}
