//! Common causes of changed pictures, decisions about them, and changes that a check would not notice.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::golden_verbs::Suite;
use crate::support::harness::Trial;
use crate::support::scene::{BLACK, RED, Scene, rectangle, vertices};
use crate::support::{fixture, is_ci, software};

/// A wrong green in the middle of what is one colour.
fn darker(rgba: &mut [u8]) {
    rgba[(48 * 64 + 48) * 4 + 1] ^= 40;
}

/// The report's data about a case's only frame: what the page puts into its file when somebody decides.
fn decision(suite: &Suite, case: &str, decision: &str) -> Value {
    let results: Value = serde_json::from_str(&suite.read("out/results.json")).unwrap();
    let cases = results["cases"].as_array().unwrap();
    let found = cases.iter().find(|found| found["case"] == case).unwrap();
    let frame = &found["frames"][0];
    json!({
        "folder": found["folder"], "frame": frame["frame"], "decision": decision,
        "trace_sha256": found["trace_sha256"], "sha256": frame["sha256"],
    })
}

fn write_decisions(suite: &Suite, decisions: &[Value]) {
    let text = json!({ "schema": 1, "decisions": decisions }).to_string();
    fs::write(suite.path("decisions.json"), text).unwrap();
}

fn decisions_are_followed() {
    let suite = Suite::of(&["layouts", "redefinition", "viewport"]);
    for case in ["layouts", "redefinition", "viewport"] {
        suite.falsify(case, 0, darker);
    }
    // What the report proposes draws as the test did.
    suite.run(&["golden", "test", "--report", "out"]).expect(1, "3 cases, 3 different");
    let report = suite.read("out/index.html");
    for command in ["golden test", "golden approve"] {
        let words = format!("aerogpu-replay {command} ");
        let found = report.split(&words).skip(1).find(|found| found.contains(" golden/layouts"));
        let found = found.unwrap_or_else(|| panic!("the report lacks {words:?}"));
        let options = found.split(" golden/layouts").next().unwrap();
        for option in ["--backend vulkan", "--adapter llvmpipe"] {
            assert!(options.contains(option), "{words}{options}");
        }
    }
    let approve = ["golden", "approve", "--decisions", "decisions.json"];
    let of = |case: &str, what: &str| decision(&suite, case, what);
    let before = suite.read("golden/layouts/golden.toml");
    // Nothing changes if one of the accepted pictures is another one.
    let mut other = of("viewport", "accept");
    other["sha256"] = json!("11".repeat(32));
    write_decisions(&suite, &[of("layouts", "accept"), other]);
    let ended = suite.run(&approve);
    ended.expect(1, "golden/viewport: frame 0 differs from the accepted picture").expect(1, "nothing was approved");
    assert_eq!(suite.read("golden/layouts/golden.toml"), before);
    let mut stray = of("viewport", "accept");
    stray["folder"] = json!("golden/nowhere");
    write_decisions(&suite, &[stray]);
    suite.run(&approve).expect(2, "golden/nowhere");
    // Two names of one folder are one case.
    let mut again = of("viewport", "reject");
    again["folder"] = json!("./golden/../golden/viewport");
    write_decisions(&suite, &[of("viewport", "accept"), again]);
    suite.run(&approve).expect(2, "frame 0 is decided twice");
    let mut no_frame = of("viewport", "accept");
    no_frame["frame"] = json!(7);
    write_decisions(&suite, &[no_frame]);
    suite.run(&approve).expect(2, "golden/viewport has no golden of frame 7");
    write_decisions(&suite, &[of("layouts", "accept"), of("redefinition", "reject")]);
    suite.run(&[approve[0], approve[1], approve[2], approve[3], "--frames", "0"]).expect(2, "cannot be used with");
    let ended = suite.run(&approve);
    ended.expect(0, "approved: golden/layouts: frame 0").expect(0, "rejected: golden/redefinition: frame 0");
    suite.run(&["golden", "test"]).expect(1, "passed: layouts").expect(1, "3 cases, 1 passed, 2 different");
    // Of another trace than the one that was looked at nothing is approved, whatever is allowed.
    write_decisions(&suite, &[of("viewport", "accept")]);
    let mut trace = fs::read(suite.trace("viewport")).unwrap();
    trace.push(0);
    fs::write(suite.trace("viewport"), trace).unwrap();
    suite
        .run(&[approve[0], approve[1], approve[2], approve[3], "--allow-trace-change"])
        .expect(1, "the trace has changed since frame 0 was reviewed");
}

fn what_changed_since_the_recording_is_told() {
    let suite = Suite::of(&["layouts", "redefinition"]);
    let inputs: Value = serde_json::from_str(&suite.read("golden/redefinition/inputs.json")).unwrap();
    let draws = inputs["frames"][0]["draws"].as_array().unwrap();
    assert_eq!(draws.len(), 4);
    assert!(draws.iter().all(|draw| draw.as_str().unwrap().len() == 4 * 16 + 3), "{draws:?}");
    suite.falsify("layouts", 0, darker);
    // The fourth draw's fragment shader is the one with this text.
    let trace = fs::read(suite.trace("redefinition")).unwrap();
    let (from, to) = (b"vec4<f32>(1.0", b"vec4<f32>(0.5");
    let at = trace.windows(from.len()).position(|bytes| bytes == from).unwrap();
    let changed = [&trace[..at], to, &trace[at + to.len()..]].concat();
    fs::write(suite.trace("redefinition"), changed).unwrap();
    let ended = suite.run(&["golden", "test", "--json"]);
    let cases: Vec<Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let since = |place: usize| cases[place]["frames"][0]["input_change"].as_str().unwrap().to_owned();
    assert!(since(0).starts_with("the frame's inputs are unchanged"), "{}", since(0));
    assert_eq!(since(1), "since the golden was recorded, draw 3 has changed in the fragment shader");
    let group = cases[1]["frames"][0]["cause_group"].as_str().unwrap();
    assert!(group.starts_with("draw 3 with the shaders "), "{group}");
    // What is approved was drawn from this.
    suite.run(&["golden", "approve", "--allow-trace-change"]).expect(0, "approved: golden/redefinition");
    let now: Value = serde_json::from_str(&suite.read("golden/redefinition/inputs.json")).unwrap();
    let [then, now] = [&inputs, &now].map(|inputs| inputs["frames"][0]["draws"].as_array().unwrap().clone());
    assert_eq!((&then[..3], then[3] == now[3]), (&now[..3], false));
    // A case that was recorded without them tells nothing, and one whose file is none says so.
    suite.falsify("layouts", 0, darker);
    fs::write(suite.path("golden/layouts/inputs.json"), "{}").unwrap();
    suite.run(&["golden", "test"]).expect(1, "golden/layouts/inputs.json: missing field `schema`");
    suite
        .run(&["golden", "fsck"])
        .expect(1, "inputs.json: missing field `schema`")
        .expect(1, "`golden approve` recreates it");
    fs::remove_file(suite.path("golden/layouts/inputs.json")).unwrap();
    let ended = suite.run(&["golden", "test"]);
    assert!(!ended.expect(1, "1 different").stdout.contains("recorded"), "{}", ended.stdout);
}

/// Hashes of whole frames by the rule of schema 1: of packets of Appendix A, and of submissions.
const OF_SCHEMA_1: [(&str, [&str; 3]); 2] = [
    ("clears", ["2fd1da331e28e0f5", "1169991216c490a2", "9d87f84fdb219067"]),
    ("seed-102", ["2083c96a2dda728e", "48dec0df15b3760e", "c44878b3dbf9f5ae"]),
];

fn hashes_of_schema_1_count_until_they_are_converted() {
    let suite = Suite::of(&[]);
    for (name, file) in [("clears", "clears"), ("seed-102", "scenes/seed-102")] {
        fs::copy(fixture(file), suite.trace(name)).unwrap();
        suite.run(&["golden", "new", &format!("traces/{name}.aerogputrace"), "--allow-blank"]).expect(0, "approved");
    }
    let file = |case: &str| format!("golden/{case}/inputs.json");
    let of_today = OF_SCHEMA_1.map(|(case, _)| suite.read(&file(case)));
    for (case, hashes) in OF_SCHEMA_1 {
        let mut inputs: Value = serde_json::from_str(&suite.read(&file(case))).unwrap();
        let of_schema_2 = (inputs["schema"].clone(), inputs["frames"].clone());
        inputs["schema"] = 1.into();
        for (frame, hash) in inputs["frames"].as_array_mut().unwrap().iter_mut().zip(hashes) {
            frame["whole"] = hash.into();
        }
        assert!(of_schema_2.0 == 2 && of_schema_2.1 != inputs["frames"]);
        fs::write(suite.path(&file(case)), inputs.to_string()).unwrap();
    }
    // They tell as well what has changed.
    suite.falsify("clears", 1, darker);
    suite.falsify("seed-102", 1, |rgba| rgba[0] ^= 40);
    let ended = suite.run(&["golden", "test", "--json"]);
    for (line, _) in ended.stdout.lines().zip(OF_SCHEMA_1) {
        let case: Value = serde_json::from_str(line).unwrap();
        let changes: Vec<&str> =
            case["frames"].as_array().unwrap().iter().filter_map(|frame| frame["input_change"].as_str()).collect();
        let is_told = matches!(changes[..], [one] if one.starts_with("the frame's inputs are unchanged"));
        assert!(is_told, "{}: {changes:?}", case["case"]);
    }
    // Approved frames have today's; the others wait.
    suite.run(&["golden", "approve", "--allow-blank", "--frames", "1"]).expect(0, "approved: golden/clears: frame 1");
    let waiting = "inputs.json: 2 frames with the input hash of an earlier version";
    let listed = suite.run(&["golden", "fsck"]);
    listed
        .expect(1, &format!("found: golden/clears: {waiting}"))
        .expect(1, &format!("found: golden/seed-102: {waiting}"));
    // A hash that the trace does not have is not taken over.
    suite.edit(&file("seed-102"), "c44878b3dbf9f5ae", "0123456789abcdef");
    let trace = fs::read(suite.trace("clears")).unwrap();
    fs::write(suite.trace("clears"), "AEROGPUT").unwrap();
    let mended = suite.run(&["golden", "fsck", "--force"]);
    mended
        .expect(1, "repaired: golden/seed-102: inputs.json: 1 frame with the input hash of an earlier version")
        .expect(1, "found: golden/seed-102: inputs.json: 1 frame not converted: the trace has other inputs than were")
        .expect(1, "found: golden/clears: inputs.json: 2 frames not converted: ")
        .expect(1, "2 left");
    fs::write(suite.trace("clears"), trace).unwrap();
    suite.run(&["golden", "fsck", "--force"]).expect(1, &format!("repaired: golden/clears: {waiting}"));
    suite.run(&["golden", "approve", "--allow-blank"]).expect(0, "");
    suite.run(&["golden", "fsck"]).expect(0, "0 problems");
    assert_eq!(OF_SCHEMA_1.map(|(case, _)| suite.read(&file(case))), of_today);
    suite.edit(&file("clears"), "\"schema\": 2", "\"schema\": 3");
    suite.run(&["golden", "fsck"]).expect(1, "golden/clears: inputs.json: schema is 3: expected 1 or 2");
}

fn faults_that_are_not_noticed_are_listed() {
    let suite = Suite::of(&["layouts", "upload_between_draws"]);
    let ended = suite.run(&["golden", "mutate"]);
    ended.expect(0, "golden/layouts, frame 0: ").expect(0, "golden/upload_between_draws, frame 0: ");
    assert!(!ended.stdout.contains("missed"), "every pixel counts: {}", ended.stdout);
    // A check that lets half of the picture be anything misses draws, and says which.
    let check = "\n[[frame.check]]\ntolerance = 255\nmax_differing = 0.3\n";
    let toml = suite.read("golden/layouts/golden.toml");
    fs::write(suite.path("golden/layouts/golden.toml"), format!("{toml}{check}")).unwrap();
    let ended = suite.run(&["golden", "mutate", "golden/layouts"]);
    ended.expect(1, "6 of 9 mutants detected");
    ended.expect(1, "  missed: draw 0 left out: 1024 pixels, off by at most 255 of 255, passes by tolerance");
    let few = suite.run(&["golden", "mutate", "golden/layouts", "--draws", "1"]);
    few.expect(1, "  not tried: ");
    // Of two draws that do the same, and of a picture of one colour, some mutants are no other picture.
    let mut twice = Scene::with_pipeline();
    twice.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind(1).clear(BLACK).draw(0, 6).draw(0, 6);
    fs::write(suite.trace("twice"), twice.end_and_finish()).unwrap();
    suite.run(&["golden", "new", "traces/twice.aerogputrace", "--allow-blank"]).expect(0, "approved");
    let told = suite.run(&["golden", "mutate", "golden/twice"]);
    told.expect(0, "golden/twice, frame 0: 3 of 3 mutants detected");
    told.expect(
        0,
        "  changes nothing: draw 0 left out, draw 1 left out, the picture moved right by one pixel, the picture",
    );
    suite.falsify("upload_between_draws", 0, darker);
    suite
        .run(&["golden", "mutate", "golden/upload_between_draws"])
        .expect(1, "frame 0 does not pass without a mutation");
}

/// Documents of every kind of end, against the schema in `docs/`.
fn junit_is_valid(program: &PathBuf) {
    let suite = Suite::of(&["layouts", "redefinition", "viewport", "upload_between_draws", "interpolated"]);
    let schema = crate::support::root().join("docs/junit.xsd");
    let validate = |arguments: &[&str], code: i32| {
        suite.run(&[&["golden", "test", "--junit", "results.xml"], arguments].concat()).expect(code, "");
        let output = Command::new(program)
            .args(["--noout", "--schema"])
            .arg(&schema)
            .arg(suite.path("results.xml"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), suite.read("results.xml"));
    };
    validate(&[], 0);
    suite.falsify("layouts", 0, darker);
    suite.edit("golden/redefinition/golden.toml", "index = 0", "index = 0\nknown_failure = \"<&>\"");
    suite.falsify("upload_between_draws", 0, darker);
    suite.edit(
        "golden/upload_between_draws/golden.toml",
        "index = 0",
        "index = 0\nknown_failure = \"a \\u001b reason\"",
    );
    fs::remove_file(suite.path("golden/viewport/frame0000.png")).unwrap();
    fs::write(suite.trace("interpolated"), "none").unwrap();
    validate(&[], 3);
    let xml = suite.read("results.xml");
    for kind in ["type=\"different\"", "type=\"passes-unexpectedly\"", "<skipped", "type=\"golden-missing\"", "<error"]
    {
        assert!(xml.contains(kind), "{kind} is not in {xml}");
    }
}

pub fn trials() -> Vec<Trial> {
    let folders: Vec<PathBuf> = std::env::var_os("PATH").iter().flat_map(std::env::split_paths).collect();
    let program = folders.into_iter().map(|folder| folder.join("xmllint")).find(|path| path.is_file());
    let is_ignored = program.is_none() && !is_ci();
    let junit = software::trial("junit_is_valid", move |_| {
        junit_is_valid(program.as_ref().expect("xmllint is missing: .ci/setup installs it"));
    });
    vec![
        software::trial("decisions_are_followed", |_| decisions_are_followed()),
        software::trial("what_changed_since_the_recording_is_told", |_| what_changed_since_the_recording_is_told()),
        software::trial("hashes_of_schema_1_count_until_they_are_converted", |_| {
            hashes_of_schema_1_count_until_they_are_converted();
        }),
        software::trial("faults_that_are_not_noticed_are_listed", |_| faults_that_are_not_noticed_are_listed()),
        if is_ignored { junit.with_ignored_flag(true) } else { junit },
    ]
}
