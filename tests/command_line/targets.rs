//! Which picture of a frame: `--present`, `--scanout`, `--target` and `.npy`, where pictures are rendered, checked, filmed,
//! bisected and served.
//!
//! Needs software Vulkan.

use std::fs;
use std::path::{Path, PathBuf};

use aerogpu_replay::pixels::{Surface, read_npy};
use serde_json::{Value, json};

use crate::support::harness::Trial;
use crate::support::program::{Run, run};
use crate::support::serve_client::Client;
use crate::support::{fixture, root, software};

const ADAPTER: [&str; 4] = ["--backend", "vulkan", "--adapter", "llvmpipe"];

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 7] = [
        ("pictures_of_targets_have_names_of_their_own", pictures_of_targets_have_names_of_their_own),
        ("arrays_hold_what_pictures_show", arrays_hold_what_pictures_show),
        ("what_there_is_not_ends_in_2", what_there_is_not_ends_in_2),
        ("targets_are_verified_filmed_and_bisected", targets_are_verified_filmed_and_bisected),
        ("pixels_of_targets_are_followed", pixels_of_targets_are_followed),
        ("targets_are_served", targets_are_served),
        ("targets_are_listed_and_trimmed", targets_are_listed_and_trimmed),
    ];
    tests.map(|(name, test)| software::trial(name, move |_| test())).into()
}

fn scene() -> PathBuf {
    root().join("fixtures/aerogpu/scenes/seed-200.aerogputrace")
}

/// Runs the program on the scene; a verb comes before it.
fn run_on_scene(verb: &[&str], arguments: &[&str], folder: &Path) -> Run {
    let scene = scene();
    let scene = [scene.to_str().unwrap()];
    run(&[verb, &scene, arguments, &ADAPTER].concat(), folder)
}

fn pictures_of_targets_have_names_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| run_on_scene(&[], arguments, folder.path());
    let done = run(&["--frame", "0", "--target", "1", "--out", "png", "--hash", "--json"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let line: Value = serde_json::from_str(done.stdout.trim()).unwrap();
    let fields = ["target", "present", "scanout", "out"].map(|field| line[field].clone());
    let path = "./seed-200.frame0000.target1.png";
    assert_eq!(fields, [json!("1:0:0"), Value::Null, Value::Null, json!(path)]);
    // The one texture that is presented, so the picture is the usual one.
    let shown = run(&["--frame", "0", "--present", "0", "--hash"]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert!(shown.stdout.starts_with("frame 0, present 0: "), "{}", shown.stdout);
    assert!(shown.stdout.contains(line["sha256"].as_str().unwrap()), "{}", shown.stdout);
    for (arguments, name) in [
        (["--present", "0"], "seed-200.frame0000.present0.npy"),
        (["--scanout", "0"], "seed-200.frame0000.scanout0.npy"),
        (["--target", "5"], "seed-200.frame0000.target5.npy"),
    ] {
        let done = run(&[["--frame", "0", "--out", "npy"].as_slice(), &arguments].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        assert!(folder.path().join(name).is_file(), "{name}: {}", done.stderr);
    }
}

fn arrays_hold_what_pictures_show() {
    let folder = tempfile::tempdir().unwrap();
    let render = |target: &str, out: &str| {
        let done = run_on_scene(&[], &["--frame", "0", "--target", target, "--hash", "--out", out], folder.path());
        assert_eq!(done.code, 0, "{}", done.stderr);
        done.stdout
    };
    for target in ["1", "5"] {
        let hash = render(target, "a.png");
        assert_eq!(render(target, "a.npy"), hash, "the hash is the picture's, whatever file it goes to");
        let surface = read_npy(fs::read(folder.path().join("a.npy")).unwrap().as_slice()).unwrap();
        assert_eq!(matches!(surface, Surface::Depth(_)), target == "5");
        assert!(hash.trim().ends_with(&surface.picture().hash().to_string()), "{hash}");
    }
}

fn what_there_is_not_ends_in_2() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, message) in [
        (vec!["--present", "1"], "present 1 does not exist: frame 0 has 1 present (0) to screen 0"),
        (vec!["--scanout", "3"], "nothing is presented to screen 3: the trace presents to 0"),
        (vec!["--target", "999"], "texture 999 does not exist at this point"),
        (vec!["--target", "1:9"], "1:9:0 does not exist at this point: texture 1 has 1 mip and 1 layer"),
        (vec!["--target", "x"], "expected HANDLE, HANDLE:MIP or HANDLE:MIP:LAYER"),
        (vec!["--target", "1", "--present", "0"], "cannot be used with"),
        (vec!["--present", "0", "--draw", "0"], "expected no draw or packet with it"),
        (vec!["--target", "1", "--skip-draws", "0"], "expected no --present, --scanout or --target"),
    ] {
        let arguments = [["--frame", "0", "--hash"].as_slice(), &arguments].concat();
        run_on_scene(&[], &arguments, folder.path()).expect(2, "", message);
    }
    let old = fixture("triangle");
    let arguments = [&[old.to_str().unwrap(), "--frame", "0", "--hash", "--target", "1"], ADAPTER.as_slice()].concat();
    run(&arguments, folder.path()).expect(2, "", "frame 0 has a single target");
}

fn targets_are_verified_filmed_and_bisected() {
    let folder = tempfile::tempdir().unwrap();
    let verified = run_on_scene(&["verify"], &["--seek", "--target", "5"], folder.path());
    assert_eq!(verified.code, 0, "{}", verified.stderr);
    assert!(verified.stdout.contains("matches playing"), "{}", verified.stdout);
    for (arguments, message) in [
        (["--seek", "--target", "999"].as_slice(), "nothing was compared"),
        (&["--seek", "--draws", "--target", "1"], "--draws compares"),
    ] {
        let refused = run_on_scene(&["verify"], arguments, folder.path());
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
    }
    let filmed =
        run_on_scene(&["filmstrip"], &["--frame", "0", "--target", "5", "--out", "film", "--json"], folder.path());
    assert_eq!(filmed.code, 0, "{}", filmed.stderr);
    let shots: Vec<Value> = filmed.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!shots.is_empty());
    for shot in shots {
        let draw = shot["draw"].to_string();
        let arguments = ["--frame", "0", "--draw", &draw, "--target", "5", "--hash"];
        let rendered = run_on_scene(&[], &arguments, folder.path()).stdout;
        assert!(rendered.contains(shot["sha256"].as_str().unwrap()), "draw {draw}: {rendered}");
    }
    let spec = "vulkan:llvmpipe";
    let arguments = ["--frame", "0", "--target", "5", "--a", spec, "--b", spec];
    let same = run_on_scene(&["bisect"], &arguments, folder.path());
    assert_eq!(same.code, 0, "{}{}", same.stdout, same.stderr);
    // Against a picture of another texture of the same size.
    for (target, other, blamed) in [("1", "5", "last writer of "), ("5", "1", "the target holds depth")] {
        let made = run_on_scene(&[], &["--frame", "0", "--target", other, "--out", "a.png"], folder.path());
        assert_eq!(made.code, 0, "{}", made.stderr);
        let arguments = ["--frame", "0", "--target", target, "--a", spec, "--b", "a.png"];
        let found = run_on_scene(&["bisect"], &arguments, folder.path());
        assert_eq!(found.code, 1, "{}", found.stderr);
        assert!(found.stdout.contains(blamed), "{}", found.stdout);
    }
}

/// The history of a pixel ends as the picture that is asked about has it, and what there is not is told as by rendering.
fn pixels_of_targets_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |verb: &str, arguments: &[&str]| run_on_scene(&[verb], arguments, folder.path());
    for shown in [["--target", "1"], ["--present", "0"], ["--scanout", "0"]] {
        let done = ask("pixel", &[["--frame", "0", "--at", "3,4", "--json"].as_slice(), &shown].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        let usual = ask("pixel", &["--frame", "0", "--at", "3,4", "--json"]);
        assert_eq!(done.stdout, usual.stdout, "{shown:?}: the one texture that is presented");
        let made =
            ask("overlay", &[["--frame", "0", "--kind", "overdraw", "--out", "png"].as_slice(), &shown].concat());
        assert_eq!(made.code, 0, "{}", made.stderr);
    }
    for name in ["target1", "present0", "scanout0"] {
        assert!(folder.path().join(format!("seed-200.frame0000.{name}.png")).is_file(), "{name}");
    }
    let depth = "target 5:0:0 is D24_UNORM_S8_UINT: expected a colour target";
    ask("pixel", &["--frame", "0", "--at", "3,4", "--target", "5"]).expect(4, "", depth);
    let history = ["--frame", "0", "--kind", "age", "--out", "h.png"];
    ask("overlay", &[history.as_slice(), &["--target", "5"]].concat()).expect(4, "", depth);
    assert!(!folder.path().join("h.png").exists());
    ask("pixel", &["--frame", "0", "--at", "3,4", "--target", "999"]).expect(
        2,
        "",
        "texture 999 does not exist at this point",
    );
    ask("pixel", &["--frame", "0", "--at", "3,4", "--present", "1"]).expect(2, "", "present 1 does not exist");
    let of_draw = ["--frame", "0", "--draw", "0", "--kind", "highlight", "--out", "h.png", "--target", "1"];
    ask("overlay", &of_draw).expect(2, "", "expected no --present, --scanout or --target");
    let old = fixture("triangle");
    let old = [&["pixel", old.to_str().unwrap(), "--frame", "0", "--at", "1,1", "--target", "1"], ADAPTER.as_slice()];
    run(&old.concat(), folder.path()).expect(2, "", "frame 0 has a single target");
}

fn targets_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start(&ADAPTER);
    let trace = client.open(&scene());
    for (params, flags) in [
        (json!({ "target": "1" }), vec!["--target", "1"]),
        (json!({ "target": "5:0:0" }), vec!["--target", "5"]),
        (json!({ "present": 0 }), vec!["--present", "0"]),
        (json!({ "scanout": 0 }), vec!["--scanout", "0"]),
        (json!({ "draw": 0, "target": "5" }), vec!["--draw", "0", "--target", "5"]),
        (json!({}), vec![]),
    ] {
        let mut asked = params.clone();
        (asked["trace"], asked["frame"]) = (json!(trace), json!(0));
        let answer = client.result("hash", &asked);
        let printed = run_on_scene(&[], &[["--frame", "0", "--hash"].as_slice(), &flags].concat(), folder.path());
        assert!(printed.stdout.contains(answer["sha256"].as_str().unwrap()), "{params}: {}", printed.stdout);
        assert_eq!(client.result("image", &asked)["sha256"], answer["sha256"], "{params}");
    }
    let path = folder.path().join("served.npy");
    let image = client.result("image", &json!({ "trace": trace, "frame": 0, "target": "5", "path": path }));
    assert_eq!(image["target"], "5:0:0");
    run_on_scene(&[], &["--frame", "0", "--target", "5", "--out", "printed.npy"], folder.path());
    assert_eq!(fs::read(&path).unwrap(), fs::read(folder.path().join("printed.npy")).unwrap());
    let [x, y] = [3, 4];
    let pixel = |client: &mut Client, params: Value| {
        let mut asked = params;
        (asked["trace"], asked["frame"], asked["x"], asked["y"]) = (json!(trace), json!(0), json!(x), json!(y));
        client.result("pixel", &asked)["events"].clone()
    };
    let usual = pixel(&mut client, json!({}));
    assert_eq!(pixel(&mut client, json!({ "target": "1" })), usual, "the one texture that is presented");
    let depth = client.error("pixel", &json!({ "trace": trace, "frame": 0, "x": x, "y": y, "target": "5" }));
    assert!(depth["message"].as_str().unwrap().contains("expected a colour target"), "{depth}");
    assert_eq!(pixel(&mut client, json!({})), usual, "what is asked without them is the usual picture again");
    let mut refusal = |params: Value| client.error("hash", &params)["message"].as_str().unwrap().to_owned();
    let unknown = refusal(json!({ "trace": trace, "frame": 0, "target": "999" }));
    assert!(unknown.contains("texture 999 does not exist at this point"), "{unknown}");
    let both = refusal(json!({ "trace": trace, "frame": 0, "target": "1", "present": 0 }));
    assert!(both.contains("expected it without a present or a scanout"), "{both}");
    let no_name = refusal(json!({ "trace": trace, "frame": 0, "target": "x" }));
    assert!(no_name.contains("expected HANDLE, HANDLE:MIP or HANDLE:MIP:LAYER"), "{no_name}");
    // What is asked without them is the usual picture again.
    let usual = client.result("hash", &json!({ "trace": trace, "frame": 0 }));
    assert_eq!((&usual["target"], &usual["present"], &usual["scanout"]), (&Value::Null, &Value::Null, &Value::Null));
}

/// `frames`, `draws` and `trim` go by the picture that is asked for.
fn targets_are_listed_and_trimmed() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene();
    let scene = scene.to_str().unwrap();
    let listed = |verb: &str, trace: &str, arguments: &[&str]| {
        let done = run(&[&[verb, trace, "--json"], arguments].concat(), folder.path());
        assert_eq!(done.code, 0, "{}", done.stderr);
        let lines = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect::<Vec<Value>>()
    };
    let usual = listed("frames", scene, &[]);
    let last = usual.len() - 1;
    let frame = last.to_string();
    let depth = listed("frames", scene, &["--target", "5", "--frames", &frame]);
    assert_ne!(depth[0]["input_sha256"], usual[last]["input_sha256"]);
    assert_eq!(depth[0]["no_picture"], Value::Null);
    // What the picture is drawn from is what its slice has.
    let draws = listed("draws", scene, &["--frames", &frame]);
    let to_screen = listed("draws", scene, &["--frames", &frame, "--scanout", "0"]);
    assert!(!to_screen.is_empty() && to_screen.iter().all(|draw| draws.contains(draw)));
    let trimmed = run(&["trim", scene, "t.aerogputrace", "--frames", &frame, "--target", "5"], folder.path());
    assert_eq!(trimmed.code, 0, "{}", trimmed.stderr);
    let again = listed("frames", "t.aerogputrace", &["--target", "5"]);
    assert_eq!(again[0]["input_sha256"], depth[0]["input_sha256"]);
    let picture = |trace: &str, frame: &str| {
        let arguments = [&[trace, "--frame", frame, "--target", "5", "--hash"], ADAPTER.as_slice()].concat();
        let done = run(&arguments, folder.path());
        assert_eq!(done.code, 0, "{}", done.stderr);
        done.stdout.rsplit(' ').next().unwrap().to_owned()
    };
    assert_eq!(picture("t.aerogputrace", "0"), picture(scene, &frame));
    for verb in ["frames", "draws"] {
        let done = run(&[verb, scene, "--target", "999"], folder.path());
        assert_eq!(done.code, 2, "{}", done.stderr);
        assert!(done.stderr.contains("texture 999 does not exist at this point"), "{}", done.stderr);
        let done = run(&[verb, scene, "--scanout", "3"], folder.path());
        assert_eq!(done.code, 2, "{}", done.stderr);
        assert!(done.stderr.contains("nothing is presented to screen 3: the trace presents to 0"), "{}", done.stderr);
        let old = fixture("triangle");
        run(&[verb, old.to_str().unwrap(), "--target", "1"], folder.path()).expect(2, "", "has a single target");
    }
    let refused = ["trim", scene, "u.aerogputrace", "--frames", &frame, "--target", "999"];
    run(&refused, folder.path()).expect(2, "", "texture 999 does not exist at this point");
    assert!(!folder.path().join("u.aerogputrace").exists());
}
