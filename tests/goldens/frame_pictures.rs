//! Goldens of frames that have several pictures: one a present, those of other screens, and textures that nobody presents.
//!
//! Needs software Vulkan.

use std::fs;

use aerogpu_replay::abi::a3a0::resources::DestroyResource;
use aerogpu_replay::abi::a3a0::work::Present;

use super::golden_verbs::{Suite, review};
use crate::support::harness::Trial;
use crate::support::software;
use crate::support::streams::{R8G8B8A8, Stream, StreamOfTests, recording};

const SHOWN: u32 = 1;
const HIDDEN: u32 = 2;
/// The other screen.
const SECOND: u32 = 3;
const TOML: &str = "golden/presents/golden.toml";

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 8] = [
        ("each_present_and_target_has_a_golden", each_present_and_target_has_a_golden),
        ("a_wrong_one_is_named_and_approved_alone", a_wrong_one_is_named_and_approved_alone),
        ("targets_are_added_by_hand", targets_are_added_by_hand),
        ("what_the_trace_has_not_is_told", what_the_trace_has_not_is_told),
        ("bad_tomls_are_named_with_their_picture", bad_tomls_are_named_with_their_picture),
        ("a_line_of_frames_is_written_out", a_line_of_frames_is_written_out),
        ("fsck_and_prune_know_them", fsck_and_prune_know_them),
        ("review_asks_about_each", review_asks_about_each),
    ];
    tests.map(|(name, test)| software::trial(name, move |_| test())).into()
}

/// Four texels of a texture, of which the first has this red.
fn texels(red: u8) -> Vec<u8> {
    let first = [red, 0, 0, 255];
    [first, [0, 255, 0, 255], [0, 0, 255, 255], [9, 9, 9, 255]].concat()
}

/// Two frames. The first presents twice to one screen and once to another; the second changes what nobody presents then.
fn presents() -> Vec<u8> {
    let to_second = Present { scanout_id: SECOND, flags: 0 };
    let mut first = Stream::new();
    first.texture(SHOWN, R8G8B8A8, [2, 2], [1, 1]).texture(HIDDEN, R8G8B8A8, [2, 2], [1, 1]);
    first.targets(&[SHOWN], 0).upload(SHOWN, 0, &texels(10)).present().upload(SHOWN, 0, &texels(20)).present();
    first.upload(HIDDEN, 0, &texels(30)).targets(&[HIDDEN], 0).put(to_second).upload(HIDDEN, 0, &texels(35));
    let mut second = Stream::new();
    second.targets(&[SHOWN], 0).upload(SHOWN, 0, &texels(40)).present().upload(HIDDEN, 0, &texels(50));
    recording([first.finish().as_slice(), second.finish().as_slice()])
}

/// A suite with that trace, and a case of it made with `flags`.
fn suite_with(flags: &[&str]) -> Suite {
    let suite = Suite::of(&[]);
    fs::write(suite.trace("presents"), presents()).unwrap();
    let arguments = [["golden", "new", "traces/presents.aerogputrace"].as_slice(), flags].concat();
    suite.run(&arguments).expect(0, "approved");
    suite
}

fn suite() -> Suite {
    suite_with(&["--target", "2"])
}

fn each_present_and_target_has_a_golden() {
    let suite = suite();
    // Each of them is known by the red of its first texel.
    let pictures = [
        ("frame0000.png", 20),
        ("frame0000.present0.png", 10),
        ("frame0000.scanout3.png", 30),
        ("frame0000.target2.png", 35),
        ("frame0001.png", 40),
        ("frame0001.target2.png", 50),
    ];
    for (name, red) in pictures {
        assert_eq!(suite.picture(&format!("golden/presents/{name}")).rgba(), texels(red), "{name}");
    }
    let files = fs::read_dir(suite.path("golden/presents")).unwrap().count();
    assert_eq!(files, pictures.len() + 2, "and golden.toml and inputs.json");
    suite.run(&["golden", "test"]).expect(0, "passed: presents: 6 pictures: 6 by hash");
    suite.run(&["golden", "list"]).expect(0, "golden/presents: 2 frames of 64x64, 6 pictures, of ");
    let listed = suite.run(&["golden", "list", "--json"]);
    let line: serde_json::Value = serde_json::from_str(listed.stdout.trim()).unwrap();
    assert_eq!(line["frames"], serde_json::json!([0, 1]));
    assert_eq!(line["pictures"][1], serde_json::json!({ "frame": 0, "present": 0 }));
    assert_eq!(line["pictures"][3], serde_json::json!({ "frame": 0, "target": "2:0:0" }));
    let toml = suite.read(TOML);
    for table in ["[[frame.present]]\nindex = 0\n", "[[frame.present]]\nscanout = 3\n"] {
        assert_eq!(toml.matches(table).count(), 1, "{toml}");
    }
    assert_eq!(toml.matches("[[frame.target]]\nresource = \"2:0:0\"\n").count(), 2, "{toml}");
    suite.run(&["golden", "approve"]).expect(0, "unchanged: golden/presents: frame 0, screen 3");
    assert_eq!(suite.read(TOML), toml);
    // Without targets, only what is presented; of one frame, only its own.
    let plain = suite_with(&["--frames", "1"]);
    plain.run(&["golden", "test"]).expect(0, "passed: presents: 1 frame: 1 by hash");
}

fn a_wrong_one_is_named_and_approved_alone() {
    let suite = suite();
    for (file, words) in [
        ("frame0000.present0.png", "different: presents: frame 0, present 0: 1 of 4 pixels differ"),
        (
            "frame0001.target2.png",
            "frame 1, target 2:0:0: last writer of 1 of 1 differing pixel: the copy or upload at 0x",
        ),
    ] {
        suite.falsify_picture("presents", file, |rgba| rgba[0] ^= 128);
        suite.run(&["golden", "test"]).expect(1, words);
    }
    let ended = suite.run(&["golden", "test", "--report", "report", "--junit", "junit.xml", "--json"]);
    ended.expect(1, "different");
    let line: serde_json::Value = serde_json::from_str(ended.stdout.lines().next().unwrap()).unwrap();
    let of = |number: usize, field: &str| line["frames"][number][field].clone();
    assert_eq!((of(1, "frame"), of(1, "present"), of(1, "target")), (0.into(), 0.into(), serde_json::Value::Null));
    assert_eq!((of(5, "frame"), of(5, "target")), (1.into(), "2:0:0".into()));
    let statuses: Vec<_> = (0..6).map(|number| of(number, "status")).collect();
    assert_eq!(statuses, ["passed", "different", "passed", "passed", "passed", "different"]);
    for (number, packet) in [(1, "packet 3"), (5, "packet 3")] {
        let cause = of(number, "cause").to_string();
        assert!(cause.contains("the copy or upload") && cause.contains(packet), "{cause}");
    }
    assert!(suite.path("golden/presents/frame0000.present0.new.png").is_file(), "kept to be looked at");
    let junit = suite.read("junit.xml");
    let test = "<testcase name=\"frame 0, present 0\" classname=\"golden/presents\">\n      <failure message=\"different: 1 of 4";
    assert!(junit.contains(test) && junit.contains("tests=\"6\" failures=\"2\""), "{junit}");
    let report = suite.read("report/index.html");
    let title = "\"title\":\"frame 1, target 2:0:0\"";
    assert!(report.contains(title) && report.contains("--frame 1 --target 2:0:0 --a auto --b report/"));
    // What an earlier present and one to another screen showed is not looked at draw by draw.
    assert_eq!(report.matches("\"bisect\":").count(), 4);
    // What the report says is a command that works.
    let target = ["bisect", "traces/presents.aerogputrace", "--frame", "1", "--target", "2:0:0"];
    let sides = ["--a", "vulkan:llvmpipe", "--b", "golden/presents/frame0001.target2.png"];
    suite
        .run(&[target.as_slice(), &sides].concat())
        .expect(1, "last writer of 1 of 1 differing pixel: the copy or upload");

    let approved = suite.run(&["golden", "approve", "--present", "0"]);
    approved.expect(0, "approved: golden/presents: frame 0, present 0: sha256=");
    assert_eq!(approved.stdout.lines().count(), 1, "{}", approved.stdout);
    assert!(!suite.path("golden/presents/frame0000.present0.new.png").exists());
    suite.run(&["golden", "test"]).expect(1, "different: presents: frame 1, target 2:0:0");
    let approved = suite.run(&["golden", "approve", "--frames", "1", "--json"]);
    let lines: Vec<serde_json::Value> =
        approved.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = lines.iter().map(|line| (line["frame"].clone(), line["target"].clone(), line["changed"].clone()));
    let expected = [(1.into(), serde_json::Value::Null, false.into()), (1.into(), "2:0:0".into(), true.into())];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    suite.run(&["golden", "test"]).expect(0, "6 by hash");
    suite.run(&["golden", "approve", "--scanout", "7"]).expect(2, "golden.toml has no such golden, screen 7");
}

fn targets_are_added_by_hand() {
    let suite = suite_with(&[]);
    suite.run(&["golden", "test"]).expect(0, "4 pictures: 4 by hash");
    let added = "[[frame.target]]\nresource = \"2\" # the shadow\npicture = \"frame-shadow.png\"\nhashes = []\n";
    suite.edit(TOML, "[[frame]]\nindex = 1\n", &format!("{added}\n[[frame]]\nindex = 1\n"));
    suite.run(&["golden", "test"]).expect(7, "frame 0, target 2:0:0: golden/presents/frame-shadow.png is missing");
    suite.run(&["golden", "approve"]).expect(0, "approved: golden/presents: frame 0, target 2:0:0");
    assert_eq!(suite.picture("golden/presents/frame-shadow.png").rgba(), texels(35));
    let hash = suite.picture("golden/presents/frame-shadow.png").hash();
    let approved = added.replace("hashes = []", &format!("hashes = [\"{hash}\"]"));
    assert!(suite.read(TOML).contains(&approved), "{}", suite.read(TOML));
    suite.run(&["golden", "test"]).expect(0, "5 pictures: 5 by hash");
    // A check of its own, and a known failure.
    suite.falsify_picture("presents", "frame-shadow.png", |rgba| rgba[0] ^= 1);
    suite.run(&["golden", "test"]).expect(1, "frame 0, target 2:0:0");
    let toml = suite.read(TOML);
    let check = "[[frame.target.check]]\ntolerance = 1\nmax_differing = 1.0\n";
    suite.edit(TOML, "[[frame]]\nindex = 1\n", &format!("{check}\n[[frame]]\nindex = 1\n"));
    suite.run(&["golden", "test"]).expect(0, "1 by tolerance");
    fs::write(suite.path(TOML), toml).unwrap();
    suite.edit(TOML, "resource = \"2\"", "known_failure = \"issue 7\"\nresource = \"2\"");
    suite.run(&["golden", "test"]).expect(0, "(known: issue 7)");
    // A frame that says nothing of its own picture has none.
    let toml = suite.read(TOML);
    let (head, _) = toml.split_once("[[frame]]").unwrap();
    fs::write(suite.path(TOML), format!("{head}[[frame]]\nindex = 1\n[[frame.target]]\nresource = \"2\"\n")).unwrap();
    suite.run(&["golden", "approve"]).expect(0, "approved: golden/presents: frame 1, target 2:0:0");
    suite.run(&["golden", "test"]).expect(0, "passed: presents: 1 picture: 1 by hash");
    assert!(suite.read(TOML).contains("index = 1\n[[frame.target]]\n"), "{}", suite.read(TOML));
}

fn what_the_trace_has_not_is_told() {
    let suite = suite();
    let new = |flags: &[&str]| {
        let into = ["golden", "new", "--into", "other", "traces/presents.aerogputrace"];
        suite.run(&[into.as_slice(), flags].concat())
    };
    new(&["--target", "9"]).expect(2, "texture 9 does not exist at this point: there are 1, 2");
    new(&["--target", "2", "--target", "1:5"])
        .expect(2, "1:5:0 does not exist at this point: texture 1 has 1 mip and 1 layer");
    assert!(!suite.path("other/presents").exists());
    // One that some frames have is taken where it is.
    let mut destroys = Stream::new();
    destroys.put(DestroyResource { handle: HIDDEN, reserved: 0 }).targets(&[SHOWN], 0).present();
    let mut makes = Stream::new();
    makes.texture(SHOWN, R8G8B8A8, [2, 2], [1, 1]).texture(HIDDEN, R8G8B8A8, [2, 2], [1, 1]);
    makes.upload(SHOWN, 0, &texels(1)).upload(HIDDEN, 0, &texels(2)).targets(&[SHOWN], 0).present();
    let bytes = recording([makes.finish().as_slice(), destroys.finish().as_slice()]);
    fs::write(suite.trace("short"), bytes).unwrap();
    let made = suite.run(&["golden", "new", "traces/short.aerogputrace", "--target", "2"]);
    made.expect(0, "frame 0, target 2:0:0");
    assert_eq!(made.stdout.lines().count(), 3, "{}", made.stdout);
    // And golden.toml may ask for what is not there.
    for (from, to, words) in [
        (
            "resource = \"2:0:0\"",
            "resource = \"8\"",
            "frame 0, target 8:0:0: frame 0: texture 8 does not exist at this point",
        ),
        ("scanout = 3", "scanout = 4", "frame 0, screen 4: nothing is presented to screen 4"),
        (
            "[[frame.present]]\nindex = 0",
            "[[frame.present]]\nindex = 5",
            "frame 0, present 5: present 5 does not exist",
        ),
    ] {
        let toml = suite.read(TOML);
        suite.edit(TOML, from, to);
        suite.run(&["golden", "test", "golden/presents"]).expect(2, words);
        fs::write(suite.path(TOML), toml).unwrap();
    }
}

fn bad_tomls_are_named_with_their_picture() {
    let suite = suite();
    let good = suite.read(TOML);
    for (from, to, words) in [
        ("scanout = 3", "", "frame 0: present is neither: expected an index, a scanout or both"),
        ("scanout = 3", "index = 0", "frame is 0, present 0: expected each of its pictures once"),
        ("resource = \"2:0:0\"", "resource = \"x\"", "expected HANDLE, HANDLE:MIP or HANDLE:MIP:LAYER"),
        ("resource = \"2:0:0\"", "resource = \"2:0:0\"\nindex = 1", "unknown field `index`"),
        (
            "resource = \"2:0:0\"",
            "resource = \"2:0:0\"\n[[frame.target]]\nresource = \"2\"",
            "frame is 0, target 2:0:0",
        ),
        (
            "resource = \"2:0:0\"",
            "resource = \"2:0:0\"\npicture = \"../x.png\"",
            "frame 0, target 2:0:0: picture is ../x.png",
        ),
        (
            "resource = \"2:0:0\"",
            "resource = \"2:0:0\"\npicture = \"frame0000.png\"",
            "picture is frame0000.png: expected a picture of its own",
        ),
        (
            "resource = \"2:0:0\"",
            "resource = \"2:0:0\"\nknown_failure = \"\"",
            "frame 0, target 2:0:0: known_failure is empty",
        ),
        ("resource = \"2:0:0\"", "", "missing field `resource`"),
    ] {
        suite.edit(TOML, from, to);
        suite.run(&["golden", "test"]).expect(2, words);
        fs::write(suite.path(TOML), &good).unwrap();
    }
}

/// TOML has another way to write tables, and approving one of them leaves the others as they are.
fn a_line_of_frames_is_written_out() {
    let suite = suite();
    let good = suite.read(TOML);
    let (head, _) = good.split_once("[[frame]]").unwrap();
    let known = "known_failure = \"soon\"";
    let line = format!(
        "frame = [{{ index = 0, present = [{{ index = 0 }}], target = [{{ resource = \"2\", {known} }}] }}, {{ index = 1 }}]\n"
    );
    // Of this frame only other pictures are meant.
    fs::write(suite.path(TOML), format!("{line}{head}")).unwrap();
    suite.run(&["golden", "test"]).expect(7, "which golden.toml does not accept");
    suite.run(&["golden", "approve"]).expect(0, "approved: golden/presents: frame 0, present 0");
    suite.run(&["golden", "test"]).expect(1, "it passes although it is listed as a known failure (soon)");
    assert_eq!(suite.read(TOML).matches("hashes = [").count(), 3, "{}", suite.read(TOML));
    suite.edit(TOML, known, "");
    suite.run(&["golden", "test"]).expect(0, "3 pictures: 3 by hash");
}

fn fsck_and_prune_know_them() {
    let suite = suite();
    suite.run(&["golden", "fsck"]).expect(0, "1 case, 0 problems");
    suite.run(&["golden", "prune"]).expect(0, "");
    fs::write(suite.path("golden/presents/frame0000.present1.png"), "x").unwrap();
    suite.run(&["golden", "fsck"]).expect(1, "frame0000.present1.png: no frame uses it");
    // Two pictures in one file: the frame's own keeps it, whatever the order in golden.toml.
    suite.edit(TOML, "scanout = 3", "scanout = 3\npicture = \"frame0000.png\"");
    let hash = suite.picture("golden/presents/frame0000.present0.png").hash().to_string();
    suite.edit(TOML, &format!("[\"{hash}\"]"), &format!("[\"{hash}\", \"{}\"]", "0".repeat(64)));
    let kept = fs::read(suite.path("golden/presents/frame0000.scanout3.png")).unwrap();
    let mended = suite.run(&["golden", "fsck", "--force"]);
    mended.expect(1, "frame 0, screen 3: frame0000.png is also frame 0's picture");
    mended.expect(1, "frame 0, present 0: 2 hashes, of which only ");
    // The file of the usual name was nobody's, so it was taken away and its name not given to anybody.
    suite.run(&["golden", "fsck"]).expect(1, "frame 0, screen 3: frame0000.scanout3-1.png is missing");
    fs::write(suite.path("golden/presents/frame0000.scanout3-1.png"), kept).unwrap();
    suite.run(&["golden", "fsck"]).expect(0, "0 problems");
    suite.run(&["golden", "test"]).expect(0, "6 by hash");
}

fn review_asks_about_each() {
    let suite = suite();
    for file in ["frame0000.png", "frame0000.present0.png", "frame0000.scanout3.png"] {
        suite.falsify_picture("presents", file, |rgba| rgba[0] ^= 128);
    }
    let ended = review(&suite, &[], "n\ny\nn\n");
    ended.expect(1, "presents, frame 0: different").expect(1, "presents, frame 0, screen 3: different");
    ended.expect(1, "approved: golden/presents: frame 0, present 0");
    assert_eq!(ended.stdout.matches("approved: ").count(), 1, "{}", ended.stdout);
    let left = suite.run(&["golden", "test", "--json"]);
    let line: serde_json::Value = serde_json::from_str(left.stdout.lines().next().unwrap()).unwrap();
    let differing = line["frames"].as_array().unwrap().iter().filter(|frame| frame["status"] == "different").count();
    assert_eq!(differing, 2);
}
