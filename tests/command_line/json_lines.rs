//! Every line that `--json` prints, on stdout and on stderr, is one of `docs/json-lines.schema.json`, and every type in
//! that is printed.
//!
//! The verbs are those of [`super::verbs`]: one without a line for JSON fails the test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::verbs::{VERBS, Verb};
use crate::support;
use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::timeline::annotation::FORMATS;
use serde_json::{Value, json};
use support::harness::{Trial, trials_of};
use support::json_schema::Schema;
use support::program::program;
use support::raw::RawTrace;
use support::scene::{BLACK, RED, Scene, rectangle, vertices};
use support::serve_client::Client;
use support::{fixture, fixtures, root, software};

const WHITE: [f32; 4] = [1.0; 4];

/// Verbs that need more than a command line: a client asks this one.
const WITHOUT_A_LINE: [&str; 1] = ["serve"];

/// Types that no run prints, and why.
const UNPROVOKED: [(&str, &str); 1] = [("difference", "only a driver that draws differently each time has it printed")];

fn schema() -> Schema {
    Schema::parse(&fs::read_to_string(root().join("docs/json-lines.schema.json")).unwrap())
}

fn every_verb_has_a_run() {
    let without: Vec<&str> = VERBS.iter().filter(|verb| verb.json_lines.is_empty()).map(|verb| verb.name).collect();
    assert_eq!(without, WITHOUT_A_LINE);
}

/// Two rectangles, the second in a colour.
fn two_draws(second: Option<[f32; 4]>) -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    scene.viewport(64, 64).buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind(1).clear(BLACK).draw(0, 6);
    if let Some(color) = second {
        scene.buffer(2, &vertices(&rectangle(0.0, -1.0, 1.0, 1.0), color)).bind(2).draw(0, 6);
    }
    scene.end_and_finish()
}

/// A frame that only clears.
fn clears(color: [f32; 4]) -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    scene.clear(color);
    scene.end_and_finish()
}

/// A rectangle whose fragment shader is one text in WGSL and another in GLSL.
fn twin(wgsl_color: &str, glsl_color: &str) -> Vec<u8> {
    let vertex = "#version 300 es\nin vec2 p; void main() { gl_Position = vec4(p, 0.0, 1.0); }";
    let plain = "@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.0, 1.0); }";
    let wgsl = format!("@fragment fn f() -> @location(0) vec4f {{ return vec4f({wgsl_color}); }}");
    let glsl = format!("#version 300 es\nprecision highp float; out vec4 c; void main() {{ c = vec4({glsl_color}); }}");
    let mut scene = Scene::new();
    scene.begin().twin_shader(1, 0, plain, vertex).twin_shader(2, 1, &wgsl, &glsl).pipeline(1, 1, 2);
    scene.packet(Packet::SetPipeline { pipeline_id: 1 });
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind(1).draw(0, 6);
    scene.end_and_finish()
}

/// Lines that a packet of an opcode that does not exist leads to, and a shader that is none.
fn bad_packet() -> Vec<u8> {
    let mut trace = RawTrace::new();
    let start = trace.offset();
    trace.begin(0).packet(&[8, 6, f32::NAN.to_bits(), 0, 0, 0]).packet(&[7, 4, 1, 1, 99, 2]).frame_since(start);
    trace.finish()
}

fn bad_shader() -> Vec<u8> {
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, "this is nothing", "nor is this").pipeline(1, 1, 2);
    scene.end_and_finish()
}

/// A folder with the files that [`VERBS`] name in their lines for JSON.
fn files() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let read = |path: &str| fs::read(root().join(path)).unwrap();
    let whole = fs::read(fixture("triangle")).unwrap();
    write("trace", &whole);
    write("cut", &whole[..whole.len() - 20]);
    let mut damaged = whole;
    // The type of the first record, after header and metadata.
    let first = 32 + u32::from_le_bytes(damaged[20..24].try_into().unwrap()) as usize;
    damaged[first] = 99;
    write("damaged", &damaged);
    write("version_2", &fixtures::container_v2());
    write("loose", &fixtures::loose_records());
    write("scene", &fs::read(fixture("a3a0/scene")).unwrap());
    write("acmd", &fs::read(fixture("a3a0/every_packet")).unwrap());
    write("contexts", &fs::read(fixture("a3a0/contexts")).unwrap());
    write("two", &two_draws(Some(WHITE)));
    write("other", &two_draws(Some([0.0, 1.0, 0.0, 1.0])));
    write("fewer", &two_draws(None));
    write("none", &Scene::new().finish());
    write("clears", &clears(WHITE));
    write("clears_otherwise", &clears(RED));
    write("glsl", &twin("1.0", "1.0"));
    write("glsl_differs", &twin("1.0", "0.5"));
    write("a.dxbc", &read("fixtures/d3d/sm4/cs_shared.dxbc"));
    write("bad_packet", &bad_packet());
    write("bad_shader", &bad_shader());
    write("gradient", &fs::read(fixture("interpolated")).unwrap());
    write("a.png", &read("golden/triangle/frame0000.png"));
    write("b.png", &read("golden/interpolated/frame0000.png"));
    write("other.png", &read("golden/viewport/frame0000.png"));
    for (side, name) in [("folder_a", "same.png"), ("folder_b", "same.png"), ("folder_b", "lone.png")] {
        fs::create_dir_all(folder.path().join(side)).unwrap();
        write(&format!("{side}/{name}"), &read("golden/triangle/frame0000.png"));
    }
    annotations(&write);
    folder
}

fn annotations(write: &dyn Fn(&str, &[u8])) {
    let (wtf, wip15) = (
        fs::read(root().join("fixtures/wtf/v3/seed_basic.wtf-trace")).unwrap(),
        fs::read(root().join("fixtures/wip15/synth/all_types.trace")).unwrap(),
    );
    write("a.wtf-trace", &wtf);
    write("cut.wtf-trace", &wtf[..wtf.len() - 1]);
    write("a.trace", &wip15);
    write("cut.trace", &wip15[..wip15.len() - 1]);
}

/// The lines that a run prints, checked to be nothing else, with where each was printed.
fn lines_of(words: &str, folder: &Path) -> Vec<Value> {
    let arguments = words.replace(" +", " --backend vulkan --adapter llvmpipe");
    let mut command = program();
    command
        .args(arguments.split_whitespace())
        .arg("--json")
        .current_dir(folder)
        .stdin(Stdio::null())
        .env_remove("GITHUB_ACTIONS");
    let ended = command.output().unwrap();
    let printed = [ended.stdout, ended.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    let lines = printed.iter().flat_map(|text| text.lines());
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{words}: no JSON: {line}"))).collect()
}

/// A file of decisions that leaves a picture as it is.
fn write_rejection(folder: &Path) {
    let toml = fs::read_to_string(folder.join("cases/two/golden.toml")).unwrap();
    let trace_sha256 = toml.lines().find_map(|line| line.strip_prefix("trace_sha256 = ")).unwrap().trim_matches('"');
    let decision = json!({
        "folder": "cases/two", "frame": 0, "decision": "reject", "trace_sha256": trace_sha256, "sha256": "0".repeat(64),
    });
    let decisions = json!({ "schema": 1, "decisions": [decision] });
    fs::write(folder.join("decisions.json"), decisions.to_string()).unwrap();
}

fn every_line_is_as_the_schema_says() {
    let (schema, folder) = (schema(), files());
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut wrong = Vec::new();
    for Verb { name: verb, json_lines: runs, .. } in VERBS {
        if *verb == "golden approve" {
            write_rejection(folder.path());
        }
        if *verb == "golden fsck" {
            // A picture that no golden.toml names.
            fs::copy(folder.path().join("a.png"), folder.path().join("cases/two/frame9999.png")).unwrap();
        }
        for words in *runs {
            let lines = lines_of(words, folder.path());
            if lines.is_empty() {
                wrong.push(format!("{words}: prints nothing"));
            }
            for line in lines {
                wrong.extend(schema.errors(&line).into_iter().map(|error| format!("{words}: {error}\n  {line}")));
                let of = line["type"].as_str().unwrap_or_default().to_owned();
                seen.entry(of).or_insert_with(|| (*words).to_owned());
            }
        }
    }
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    let types = schema.root_types();
    let unseen: Vec<&str> = types.iter().map(String::as_str).filter(|of| !seen.contains_key(*of)).collect();
    assert_eq!(unseen, UNPROVOKED.map(|(of, _)| of), "types that nothing prints");
}

/// Methods and their parameters. RECORD is the record of the fragment shader's text.
const QUESTIONS: &[(&str, &str)] = &[
    ("initialize", "{}"),
    ("info", "{}"),
    ("seek", r#"{"trace":1,"frame":0,"draw":1}"#),
    ("hash", r#"{"trace":1}"#),
    ("image", r#"{"trace":1}"#),
    ("image", r#"{"trace":1,"form":"pixels"}"#),
    ("image", r#"{"trace":1,"path":"served.png"}"#),
    ("pixel", r#"{"trace":1,"x":1,"y":1}"#),
    ("state", r#"{"trace":1,"frame":0,"draw":1}"#),
    ("state", r#"{"trace":1,"frame":0}"#),
    ("events", r#"{"trace":1,"frame":0}"#),
    ("find", r#"{"trace":1,"filter":"DRAW"}"#),
    ("find", r#"{"trace":1,"filter":"nothing"}"#),
    ("buffer", r#"{"trace":1,"frame":0,"draw":0}"#),
    ("buffer", r#"{"trace":1,"frame":0,"draw":0,"vertices":true}"#),
    ("mesh", r#"{"trace":1,"frame":0,"draw":0}"#),
    ("shaders", r#"{"trace":1,"frame":0,"draw":0}"#),
    ("edit", r#"{"trace":1,"frame":0,"draw":0,"record_offset":RECORD,"text":"nothing"}"#),
    (
        "edit",
        r#"{"trace":1,"frame":0,"draw":0,"record_offset":RECORD,"text":"@fragment fn f() -> @location(0) vec4f { return vec4f(); }"}"#,
    ),
    ("save_edits", r#"{"trace":1,"folder":"edits"}"#),
    ("draws", r#"{"trace":1,"frame":0}"#),
    ("overlay", r#"{"trace":1,"frame":0,"draw":0,"kind":"highlight"}"#),
    ("overlay", r#"{"trace":1,"frame":0,"draw":0,"kind":"highlight","form":"pixels"}"#),
    ("passes", r#"{"trace":1}"#),
    ("lint", r#"{"trace":1}"#),
    ("trim", r#"{"trace":1,"frames":"0"}"#),
    ("compare", r#"{"trace":1,"with":1}"#),
    ("open", r#"{"path":"other"}"#),
    ("compare", r#"{"trace":1,"with":2}"#),
    ("open", r#"{"path":"scene"}"#),
    ("draws", r#"{"trace":3,"frame":0}"#),
    ("overlay", r#"{"trace":3,"frame":0,"kind":"age"}"#),
    ("passes", r#"{"trace":3,"frame":1}"#),
    ("lint", r#"{"trace":3,"frame":0}"#),
    ("annotations", r#"{"path":"a.wtf-trace"}"#),
    ("annotations", r#"{"path":"cut.trace","trace":1}"#),
    ("hash", r#"{"trace":1,"frame":99}"#),
    ("open", r#"{"path":"none"}"#),
    ("open", r#"{"path":"damaged"}"#),
    ("no_such", "{}"),
    ("close", r#"{"trace":1}"#),
    ("shutdown", "{}"),
];

/// Answers of `serve` are in the schema too: a result of a method `m` as `serve m`, an error as `serve error`.
fn every_answer_is_as_the_schema_says() {
    let (schema, folder) = (schema(), files());
    let mut command = program();
    command.args(["serve", "--stdio", "--backend", "vulkan", "--adapter", "llvmpipe"]).current_dir(folder.path());
    let mut client = Client::of(command);
    let mut wrong = Vec::new();
    let (mut answered, mut methods) = (BTreeSet::new(), BTreeSet::new());
    let mut record = String::new();
    for (id, (method, params)) in (0..).zip([("open", r#"{"path":"two"}"#)].iter().chain(QUESTIONS)) {
        let params = params.replace("RECORD", &record);
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": serde_json::from_str::<Value>(&params).unwrap() });
        client.write(format!("{request}\n").as_bytes());
        let answer = client.read_line();
        let definition =
            if answer.get("error").is_some() { "serve error".to_owned() } else { format!("serve {method}") };
        wrong.extend(
            schema
                .errors_of(&definition, &answer)
                .into_iter()
                .map(|error| format!("{method} {params}: {error}\n  {answer}")),
        );
        if *method == "shaders" {
            record = answer["result"]["fragment"]["texts"][0]["record_offset"].to_string();
        }
        answered.insert(definition);
        if *method == "info" {
            methods = answer["result"]["methods"]
                .as_array()
                .unwrap()
                .iter()
                .map(|name| format!("serve {}", name.as_str().unwrap()))
                .collect();
        }
    }
    assert!(wrong.is_empty(), "{} answers:\n{}", wrong.len(), wrong.join("\n"));
    methods.insert("serve error".to_owned());
    assert_eq!(answered, methods, "every method is asked, and has a result");
}

/// A check that can't fail checks nothing.
fn the_schema_refuses_other_layouts() {
    let schema = schema();
    let good = json!({ "schema": 3, "type": "warning", "offset": 7, "message": "a" });
    assert_eq!(schema.errors(&good), Vec::<String>::new());
    let changed = |name: &str, value: Value| {
        let mut line = good.clone();
        line[name] = value;
        line
    };
    let mut without = good.clone();
    without.as_object_mut().unwrap().remove("offset");
    for bad in [
        changed("schema", json!(1)),
        changed("type", json!("wraning")),
        changed("offset", json!("7")),
        changed("more", json!(1)),
        without,
        json!([]),
    ] {
        assert!(!schema.errors(&bad).is_empty(), "{bad}");
    }
}

/// The types in the source, those in the schema, and no other.
fn the_schema_has_the_types_of_the_source() {
    let mut types = BTreeSet::new();
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let mut folders: Vec<_> = crates.chain([root().join("src")]).collect();
    let literal = regex::Regex::new(r#"(?:json_line!|JsonLine::(?:new|of|head))\(\s*"([a-z0-9-]+)""#).unwrap();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("text/json_line.rs") {
                let code = fs::read_to_string(&path).unwrap_or_default();
                let code = code.split("#[cfg(test)]\nmod ").next().unwrap();
                types.extend(literal.captures_iter(code).map(|found| found[1].to_owned()));
            }
        }
    }
    assert!(types.len() > 40, "found only {types:?}");
    // Those whose names are put together.
    types.extend(["warning", "note", "timeline-aerogpu"].map(str::to_owned));
    for format in FORMATS {
        let name = format.names().name;
        types.insert(format!("timeline-{name}"));
        types.extend(format.blobs().map(|_| format!("{name}-blob")));
    }
    assert_eq!(types, schema().root_types());
}

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> =
        trials_of![every_verb_has_a_run, the_schema_refuses_other_layouts, the_schema_has_the_types_of_the_source,];
    trials.push(software::trial("every_line_is_as_the_schema_says", |_| every_line_is_as_the_schema_says()));
    trials.push(software::trial("every_answer_is_as_the_schema_says", |_| every_answer_is_as_the_schema_says()));
    trials
}
