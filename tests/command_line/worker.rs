//! The process that draws, when it is stuck, crashes, is killed or loses its parent: `serve` and `golden` go on, and
//! nothing is left behind.
//!
//! Needs software Vulkan, and OpenGL for one of the tests.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::support;
use aerogpu_replay::bytes::{Diagnostics, FileSource};
use aerogpu_replay::command::{Place, Point};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::{DEFAULT_SIZE, ShaderOptions, largest_viewport};
use serde_json::{Value, json};
use support::harness::Trial;
use support::random::Random;
use support::scene::{GREEN, Scene, VERTEX_WGSL, rectangle, vertices};
use support::serve_client::Client;
use support::{fixture, software};

const VULKAN: [&str; 4] = ["--backend", "vulkan", "--adapter", "llvmpipe"];
const GL: [&str; 2] = ["--backend", "gl"];

/// Every pixel of every draw takes as many steps as llvmpipe lets a shader take, and no draw hides another.
const SLOW_WGSL: &str = "\
@fragment fn fs_main(@location(0) color: vec4<f32>) -> @location(0) vec4<f32> {
  var x = u32(color.x * 255.0) + 3u;
  for (var i = 0u; i < 65000u; i++) { x = (x * x + i) ^ (x >> 7u); }
  if x == 7u { discard; }
  return vec4<f32>(f32(x & 255u) / 255.0);
}
";

/// The side of its target, in pixels.
const SLOW_SIDE_PX: u32 = 2048;

/// A trace whose only frame keeps a software driver busy for an hour.
fn endless() -> Vec<u8> {
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, VERTEX_WGSL, SLOW_WGSL).pipeline(1, 1, 2);
    scene.packet(aerogpu_replay::abi::reference::Packet::SetPipeline { pipeline_id: 1 });
    scene.viewport(SLOW_SIDE_PX, SLOW_SIDE_PX);
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), GREEN)).bind(1);
    for _ in 0..100 {
        scene.draw(0, 6);
    }
    scene.end_and_finish()
}

/// A trace whose only frame draws as many vertices as a frame may.
fn a_thousand_million_vertices() -> Vec<u8> {
    let vertex = "@vertex fn vs_main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i % 7u) - 3.0, f32(i % 5u) - 2.0, 0.0, 1.0); }";
    let fragment = "@fragment fn fs_main() -> @location(0) vec4f { return vec4f(1.0); }";
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, vertex, fragment).pipeline(1, 1, 2);
    scene.packet(aerogpu_replay::abi::reference::Packet::SetPipeline { pipeline_id: 1 });
    scene.draw(0, 1_000_000_000);
    scene.end_and_finish()
}

fn hostile(folder: &Path, bytes: &[u8]) -> PathBuf {
    let path = folder.join("hostile.aerogputrace");
    fs::write(&path, bytes).unwrap();
    path
}

fn client(flags: &[&str], timeout: &str) -> Client {
    Client::start(&[flags, &["--timeout", timeout]].concat())
}

fn hash(client: &mut Client, trace: u64) -> Value {
    client.result("hash", &json!({ "trace": trace, "frame": 0 }))["sha256"].take()
}

/// The edit of `triangle` that these tests make: everything is white.
fn edit(client: &mut Client, trace: u64) {
    let shaders = client.result("shaders", &json!({ "trace": trace, "draw": 0 }));
    let record = &shaders["fragment"]["texts"][0]["record_offset"];
    let white = "@fragment fn f() -> @location(0) vec4f { return vec4f(1.0); }";
    let edited = client.result("edit", &json!({ "trace": trace, "record_offset": record, "text": white }));
    assert_eq!(edited["issues"], json!([]));
}

fn a_stuck_picture_is_its_own_error(bytes: &[u8], flags: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = hostile(folder.path(), bytes);
    let mut client = client(flags, "2");
    let (stuck, sound) = (client.open(&path), client.open(&fixture("triangle")));
    let plain = hash(&mut client, sound);
    edit(&mut client, sound);
    let edited = hash(&mut client, sound);
    assert_ne!(plain, edited);

    let asked = Instant::now();
    let id = client.send("hash", &json!({ "trace": stuck, "frame": 0 }));
    for trace in [stuck, sound] {
        client.result("state", &json!({ "trace": trace, "draw": 0 }));
        client.result("events", &json!({ "trace": trace }));
        client.result("info", &json!({}));
    }
    assert!(asked.elapsed() < Duration::from_secs(2), "questions waited {:?}", asked.elapsed());
    let error = client.answer_to(id)["error"].take();
    assert!(asked.elapsed() < Duration::from_secs(2 + 5), "the error came after {:?}", asked.elapsed());
    assert_eq!((&error["code"], &error["data"]["exit_code"]), (&json!(-32000), &json!(124)), "{error}");
    let expected =
        format!("hash of frame 0 of {}: it did not finish within 2 s and was killed (--timeout)", path.display());
    // It has told what it was at.
    let message = error["message"].as_str().unwrap();
    let rest = message.strip_prefix(&expected).unwrap_or_else(|| panic!("{message}"));
    assert!(rest.starts_with(" before it finished ") && rest.contains("DRAW at 0x"), "{message}");
    // Another trace, and what was edited before.
    assert_eq!(hash(&mut client, sound), edited);

    let id = client.send("hash", &json!({ "trace": stuck, "frame": 0 }));
    let waiting = client.send("hash", &json!({ "trace": sound, "frame": 0 }));
    client.result("state", &json!({ "trace": stuck, "draw": 0 }));
    let asked = Instant::now();
    let last = client.send("exit", &json!({}));
    for given_up in [id, waiting] {
        assert_eq!(client.answer_to(given_up)["error"]["code"], -32800);
    }
    assert_eq!(client.answer_to(last)["result"], Value::Null);
    assert_eq!(client.child.wait().unwrap().code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(1), "exit took {:?}", asked.elapsed());
}

/// A trace whose only program takes a compiler many seconds.
fn long() -> Vec<u8> {
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, VERTEX_WGSL, &a_long_text()).pipeline(1, 1, 2);
    scene.packet(aerogpu_replay::abi::reference::Packet::SetPipeline { pipeline_id: 1 });
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), GREEN)).bind(1).draw(0, 6);
    scene.end_and_finish()
}

/// A text of two functions that is sound, nearly as long as a text may be, and takes a compiler many seconds.
fn a_long_text() -> String {
    let lines = (1..14_000).map(|n| format!("  let v{n} = sin(v{} * 1.5) + {n}.0;\n", n - 1));
    let body: String = lines.collect();
    let function = |name: &str| format!("fn {name}() -> f32 {{\n  var v0 = 1.0;\n{body}  return v13999;\n}}\n");
    let (first, second) = (function("first"), function("second"));
    format!("{first}{second}@fragment fn f() -> @location(0) vec4f {{ return vec4f(first() + second()); }}\n")
}

/// A text that takes too long to compile is the error of its request alone, and so is one that is given up.
fn a_text_that_takes_too_long_holds_up_nothing() {
    let mut client = client(&VULKAN, "2");
    let trace = client.open(&fixture("triangle"));
    let plain = hash(&mut client, trace);
    let shaders = client.result("shaders", &json!({ "trace": trace, "draw": 0 }));
    let record = shaders["fragment"]["texts"][0]["record_offset"].clone();
    let long = json!({ "trace": trace, "record_offset": record, "text": a_long_text() });
    let asked = Instant::now();
    let id = client.send("edit", &long);
    let later = client.send("hash", &json!({ "trace": trace, "frame": 0 }));
    for (method, params) in [
        ("state", json!({ "trace": trace, "draw": 0 })),
        ("events", json!({ "trace": trace })),
        ("buffer", json!({ "trace": trace, "draw": 0 })),
        ("info", json!({})),
    ] {
        client.result(method, &params);
    }
    assert!(asked.elapsed() < Duration::from_secs(2), "questions waited {:?}", asked.elapsed());
    // Both are ready at once, and come in either order.
    let mut answers = [client.read_line(), client.read_line()];
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let [mut tried, drawn] = answers;
    assert_eq!((&tried["id"], &drawn["id"]), (&json!(id), &json!(later)));
    let error = tried["error"].take();
    assert!(asked.elapsed() < Duration::from_secs(2 + 5), "the error came after {:?}", asked.elapsed());
    assert_eq!((&error["code"], &error["data"]["exit_code"]), (&json!(-32000), &json!(124)), "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("edit in frame 0 of ") && message.contains("within 2 s"), "{message}");
    // It is not drawn with.
    assert_eq!(drawn["result"]["sha256"], plain);

    let id = client.send("edit", &long);
    client.cancel(id);
    assert_eq!(client.answer_to(id)["error"]["code"], -32800);
    assert_eq!(hash(&mut client, trace), plain);

    // `shutdown` waits for it, until it is cancelled.
    let id = client.send("edit", &long);
    let asked = Instant::now();
    let last = client.send("shutdown", &json!({}));
    client.cancel(id);
    assert_eq!(client.answer_to(id)["error"]["code"], -32800);
    assert_eq!(client.answer_to(last)["result"], Value::Null);
    assert_eq!(client.child.wait().unwrap().code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(1), "exit took {:?}", asked.elapsed());
}

/// A trace's own texts, compiled for an answer, hold up nothing either.
fn shaders_that_take_too_long_hold_up_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = hostile(folder.path(), &long());
    let mut client = client(&VULKAN, "2");
    let (long, sound) = (client.open(&path), client.open(&fixture("triangle")));
    let plain = hash(&mut client, sound);
    let compiled = client.result("shaders", &json!({ "trace": sound, "draw": 0 }));
    let question = json!({ "trace": long, "draw": 0 });
    let asked = Instant::now();
    let id = client.send("shaders", &question);
    for (method, params) in
        [("events", json!({ "trace": long })), ("state", json!({ "trace": sound })), ("info", json!({}))]
    {
        client.result(method, &params);
    }
    assert_eq!(hash(&mut client, sound), plain);
    assert!(asked.elapsed() < Duration::from_secs(2), "questions waited {:?}", asked.elapsed());
    let error = client.answer_to(id)["error"].take();
    assert!(asked.elapsed() < Duration::from_secs(2 + 5), "the error came after {:?}", asked.elapsed());
    assert_eq!((&error["code"], &error["data"]["exit_code"]), (&json!(-32000), &json!(124)), "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("shaders of frame 0, draw 0 of ") && message.contains("within 2 s"), "{message}");
    // The next ones are answered, by a process of their own.
    assert_eq!(client.result("shaders", &json!({ "trace": sound, "draw": 0 })), compiled);

    let id = client.send("shaders", &question);
    client.cancel(id);
    assert_eq!(client.answer_to(id)["error"]["code"], -32800);
    let id = client.send("shaders", &question);
    let asked = Instant::now();
    let last = client.send("exit", &json!({}));
    assert_eq!(client.answer_to(id)["error"]["code"], -32800);
    assert_eq!(client.answer_to(last)["result"], Value::Null);
    assert_eq!(client.child.wait().unwrap().code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(1), "exit took {:?}", asked.elapsed());
}

/// The purpose of the bound program needs compilation, too; other bindings are known at once.
fn a_state_that_takes_too_long_holds_up_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = hostile(folder.path(), &long());
    let mut client = client(&VULKAN, "2");
    let (long, sound) = (client.open(&path), client.open(&fixture("triangle")));
    let plain = hash(&mut client, sound);
    let asked = Instant::now();
    let id = client.send("state", &json!({ "trace": long, "draw": 0 }));
    let vertices = client.result("buffer", &json!({ "trace": long, "draw": 0, "vertices": true }));
    assert_eq!(vertices["vertices"]["rows"].as_array().map(Vec::len), Some(6), "{vertices}");
    client.result("state", &json!({ "trace": sound, "draw": 0 }));
    client.result("state", &json!({ "trace": long, "packet": 0 }));
    assert_eq!(hash(&mut client, sound), plain);
    assert!(asked.elapsed() < Duration::from_secs(2), "questions waited {:?}", asked.elapsed());
    let error = client.answer_to(id)["error"].take();
    assert!(asked.elapsed() < Duration::from_secs(2 + 5), "the error came after {:?}", asked.elapsed());
    assert_eq!(error["data"]["exit_code"], 124, "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("state at frame 0, draw 0 of ") && message.contains("within 2 s"), "{message}");
}

/// The program of a state is the one that is drawn with.
fn a_state_shows_what_was_edited() {
    let mut client = client(&VULKAN, "60");
    let trace = client.open(&fixture("triangle"));
    let entry_point = |client: &mut Client| {
        let state = client.result("state", &json!({ "trace": trace, "draw": 0 }));
        state["pipeline"]["fragment"]["entry_point"].clone()
    };
    let before = entry_point(&mut client);
    edit(&mut client, trace);
    assert_ne!(before, "f");
    assert_eq!(entry_point(&mut client), "f");
}

/// Players of many large targets are let go before they take too much together, and are made anew.
fn players_share_what_they_may_keep() {
    // 256 MiB each.
    const LARGE: &str = "8192x8192";
    let mut client = client(&VULKAN, "60");
    let path = fixture("triangle");
    let first = client.open(&path);
    let plain = hash(&mut client, first);
    let mut most_mib = 0;
    for _ in 0..9 {
        let trace = client.result("open", &json!({ "path": path, "size": LARGE }))["trace"].clone();
        client.result("seek", &json!({ "trace": trace, "frame": 0 }));
        let resident: u64 = children_of(client.child.id()).into_iter().map(resident_mib).sum();
        most_mib = most_mib.max(resident);
    }
    println!("{most_mib} MiB at most");
    assert!(most_mib > 2 * 256, "some are kept: {most_mib} MiB");
    // What may be kept, the one that is drawn, and the process itself.
    assert!(most_mib < 1024 + 256 + 400, "{most_mib} MiB");
    assert_eq!(hash(&mut client, first), plain, "the first one is made anew");
}

/// Memory of a process.
fn resident_mib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
}

/// At the end of the input all is answered, a text that takes too long by its error.
fn at_the_end_of_the_input_all_is_answered() {
    let mut client = client(&VULKAN, "2");
    let trace = client.open(&fixture("triangle"));
    let shaders = client.result("shaders", &json!({ "trace": trace, "draw": 0 }));
    let record = shaders["fragment"]["texts"][0]["record_offset"].clone();
    client.send("edit", &json!({ "trace": trace, "record_offset": record, "text": a_long_text() }));
    client.send("hash", &json!({ "trace": trace, "frame": 0 }));
    let asked = Instant::now();
    let (rest, code) = client.end();
    assert!(asked.elapsed() < Duration::from_secs(2 + 5 + 5), "the end came after {:?}", asked.elapsed());
    assert_eq!(code, 0);
    let rest: Vec<Value> = serde_json::Deserializer::from_str(&rest).into_iter().map(Result::unwrap).collect();
    assert_eq!(rest.len(), 2, "{rest:?}");
    assert_eq!(rest[0]["error"]["data"]["exit_code"], 124, "{rest:?}");
    assert!(rest[1]["result"]["sha256"].is_string(), "{rest:?}");
}

/// Requests that do not wait for answers see the edits before them, and none after them.
fn edits_keep_their_turn() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = client(&VULKAN, "60");
    let trace = client.open(&fixture("triangle"));
    let plain = hash(&mut client, trace);
    let shaders = client.result("shaders", &json!({ "trace": trace, "draw": 0 }));
    let record = shaders["fragment"]["texts"][0]["record_offset"].clone();
    let text = |tint: &str| format!("@fragment fn f() -> @location(0) vec4f {{ return vec4f({tint}); }}");
    let edit = |text: Value| json!({ "trace": trace, "record_offset": record, "text": text });
    let place = json!({ "trace": trace, "frame": 0 });
    let mut sent = vec![client.send("hash", &place)];
    for tint in ["1.0", "0.5", "nothing"] {
        client.send("edit", &edit(json!(text(tint))));
        sent.push(client.send("hash", &place));
    }
    let kept = client.send("shaders", &json!({ "trace": trace, "draw": 0 }));
    let saved = client.send("save_edits", &json!({ "trace": trace, "folder": folder.path() }));
    let reverted = client.send("edit", &edit(Value::Null));
    sent.push(client.send("hash", &place));
    let count = sent.len() + 3 + 3;
    let all = (0..count).map(|_| client.read_line());
    let mut answers: HashMap<u64, Value> = all.map(|answer| (answer["id"].as_u64().unwrap(), answer)).collect();
    let mut answer_to = |id: u64| answers.remove(&id).unwrap()["result"].take();
    let hashes: Vec<Value> = sent.iter().map(|id| answer_to(*id)["sha256"].take()).collect();
    let [before, white, grey, broken, after] = &hashes[..] else { panic!("{hashes:?}") };
    assert_eq!((before, after), (&plain, &plain));
    assert!(white != &plain && grey != white && grey == broken, "{hashes:?}");
    assert_eq!(answer_to(reverted)["reverted"], true);
    assert_eq!(answer_to(kept)["fragment"]["texts"][0]["replacement"], json!(text("0.5")));
    let paths = answer_to(saved)["paths"].take();
    assert_eq!(fs::read_to_string(paths[0].as_str().unwrap()).unwrap(), text("0.5"));
}

fn what_is_drawn_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let path = hostile(folder.path(), &endless());
    let mut client = client(&VULKAN, "60");
    let (stuck, sound) = (client.open(&path), client.open(&fixture("triangle")));
    let expected = hash(&mut client, sound);
    let running = client.send("hash", &json!({ "trace": stuck }));
    let waiting = client.send("hash", &json!({ "trace": sound }));
    let next = client.send("hash", &json!({ "trace": sound, "frame": 0 }));
    client.result("info", &json!({}));
    let asked = Instant::now();
    client.cancel(waiting);
    client.cancel(running);
    for given_up in [running, waiting] {
        let error = client.answer_to(given_up)["error"].take();
        assert_eq!((&error["code"], &error["data"]["exit_code"]), (&json!(-32800), &json!(130)), "{error}");
    }
    assert_eq!(client.answer_to(next)["result"]["sha256"], expected);
    assert!(asked.elapsed() < Duration::from_secs(20), "{:?}", asked.elapsed());
}

/// Where one request depends on another, it sees what that one did, however they overtake each other.
/// A worker has the question that it draws next before it is through with the one that it draws.
fn what_a_worker_has_ahead_is_asked_again() {
    type End = fn(&mut Client, u64);
    let folder = tempfile::tempdir().unwrap();
    let path = hostile(folder.path(), &endless());
    let mut client = client(&VULKAN, "3");
    let (stuck, sound) = (client.open(&path), client.open(&fixture("frames")));
    let expected: Vec<Value> = (0..3)
        .map(|frame| client.result("hash", &json!({ "trace": sound, "frame": frame }))["sha256"].take())
        .collect();
    let ends: [(End, i64); 3] =
        [(|_, _| (), 124), (|client, _| kill_children_of(client.child.id(), "-ABRT"), 6), (Client::cancel, 130)];
    for (end, code) in ends {
        // What the worker knows is sent ahead: it has drawn of both.
        client.result("hash", &json!({ "trace": stuck, "frame": 0, "packet": 0 }));
        client.result("hash", &json!({ "trace": sound, "frame": 0 }));
        let running = client.send("hash", &json!({ "trace": stuck, "frame": 0 }));
        let ahead: Vec<u64> =
            (0..3).map(|frame| client.send("hash", &json!({ "trace": sound, "frame": frame }))).collect();
        client.result("info", &json!({}));
        std::thread::sleep(Duration::from_millis(500));
        end(&mut client, running);
        assert_eq!(client.answer_to(running)["error"]["data"]["exit_code"], code);
        for (id, expected) in ahead.into_iter().zip(&expected) {
            assert_eq!(client.answer_to(id)["result"]["sha256"], *expected, "behind what ended with {code}");
        }
    }
}

fn requests_see_what_came_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = hostile(folder.path(), &endless());
    let mut client = client(&VULKAN, "60");
    let (stuck, sound, other) =
        (client.open(&path), client.open(&fixture("triangle")), client.open(&fixture("upload_between_draws")));
    let plain = hash(&mut client, sound);
    let first = client.result("hash", &json!({ "trace": other, "frame": 0, "draw": 1 }))["sha256"].take();
    let running = client.send("hash", &json!({ "trace": stuck }));
    // These wait.
    let before = client.send("hash", &json!({ "trace": sound, "frame": 0 }));
    let sought = client.send("seek", &json!({ "trace": other, "frame": 0, "draw": 1 }));
    let there = client.send("hash", &json!({ "trace": other }));
    // These don't.
    edit(&mut client, sound);
    let state = client.result("state", &json!({ "trace": other }));
    assert_eq!(state["drawing"]["draw"], 1, "{state}");
    let after = client.send("hash", &json!({ "trace": sound, "frame": 0 }));
    client.result("close", &json!({ "trace": sound }));
    assert_eq!(client.error("state", &json!({ "trace": sound }))["message"], json!("trace 2 is not open"));
    client.cancel(running);
    assert_eq!(client.answer_to(running)["error"]["code"], -32800);
    assert_eq!(client.answer_to(before)["result"]["sha256"], plain);
    assert_eq!(client.answer_to(sought)["result"]["draw"], 1);
    assert_eq!(client.answer_to(there)["result"]["sha256"], first);
    assert_ne!(client.answer_to(after)["result"]["sha256"], plain, "the edit was made before");
    // The end of the input ends nothing that was asked before.
    let last = client.send("hash", &json!({ "trace": other, "frame": 0, "draw": 1 }));
    let (rest, code) = client.end();
    assert!(rest.contains(&format!("\"id\":{last}")) && rest.contains(first.as_str().unwrap()), "{rest}");
    assert_eq!(code, 0);
}

fn a_trace_that_was_replaced_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.aerogputrace");
    fs::copy(fixture("triangle"), &path).unwrap();
    let mut client = client(&VULKAN, "60");
    let trace = client.open(&path);
    fs::copy(fixture("clears"), folder.path().join("b")).unwrap();
    fs::rename(folder.path().join("b"), &path).unwrap();
    let error = client.error("hash", &json!({ "trace": trace, "frame": 0 }));
    assert_eq!(error["data"]["exit_code"], 3, "{error}");
    assert!(error["message"].as_str().unwrap().contains("has changed since it was opened"), "{error}");
    let trace = client.open(&path);
    hash(&mut client, trace);
}

/// Text that an edit replaces, and where: for the player that is compared with.
type Edits = HashMap<usize, (u64, &'static str)>;

/// Hashes that were asked for, what they are of, and what they should be.
type Waiting = Vec<(u64, String, Option<String>)>;

fn collect(client: &mut Client, waiting: &mut Waiting) {
    for (id, what, expected) in waiting.drain(..) {
        let answer = client.answer_to(id);
        let found = answer["result"]["sha256"].as_str().map(str::to_owned);
        assert_eq!(found, expected, "{what}: {answer}");
    }
}

/// One session, a thousand questions, the process that draws killed now and then: each picture is a fresh player's.
fn a_long_session_shows_what_fresh_players_show(gpu: &Arc<Gpu>) {
    const COLORS: [&str; 2] = [
        "@fragment fn f() -> @location(0) vec4f { return vec4f(1.0); }",
        "@fragment fn f() -> @location(0) vec4f { return vec4f(0.0, 0.0, 1.0, 1.0); }",
    ];
    let names = ["triangle", "frames", "upload_between_draws", "clears", "redefinition"];
    let mut client = client(&VULKAN, "60");
    let handles: Vec<u64> = names.iter().map(|name| client.open(&fixture(name))).collect();
    let seed = 12;
    let mut random = Random::new(seed);
    let (mut edits, mut expected, mut waiting) = (Edits::new(), HashMap::new(), Waiting::new());
    for question in 0..1000 {
        let number = random.below(names.len() as u32) as usize;
        let (name, trace) = (names[number], handles[number]);
        let frame = if name == "frames" { random.below(4) } else { 0 };
        let draw = if random.one_in(2) { Some(0) } else { None };
        let choice = random.below(20);
        // Some wait for each other, and questions that are not drawn would overtake them.
        if choice < 9 || waiting.len() > 4 {
            collect(&mut client, &mut waiting);
        }
        match choice {
            0 if name == "triangle" => {
                let shaders = client.result("shaders", &json!({ "trace": trace, "frame": 0, "draw": 0 }));
                let record = shaders["fragment"]["texts"][0]["record_offset"].as_u64().unwrap();
                let text = random.pick(&[None, Some(COLORS[0]), Some(COLORS[1])]);
                let params = json!({ "trace": trace, "frame": 0, "record_offset": record, "text": text });
                client.result("edit", &params);
                edits.remove(&number);
                edits.extend(text.map(|text| (number, (record, text))));
            }
            1 if question % 5 == 0 => kill_children_of(client.child.id(), "-KILL"),
            2..=5 => drop(client.ask("pixel", &json!({ "trace": trace, "frame": frame, "x": 3, "y": 4 }))),
            6 | 7 => drop(client.ask("seek", &json!({ "trace": trace, "frame": frame, "draw": draw }))),
            8 => drop(client.ask("mesh", &json!({ "trace": trace, "frame": frame, "draw": 0 }))),
            _ => {
                let place = Place { frame: FrameIndex(frame), point: Point::after_draw(draw) };
                let edit = edits.get(&number).copied();
                let picture = expected
                    .entry((number, frame, draw, edit))
                    .or_insert_with(|| fresh(gpu, &fixture(name), place, edit));
                let id = client.send("hash", &json!({ "trace": trace, "frame": frame, "draw": draw }));
                let what = format!("seed {seed}, question {question}: {name} {frame} {draw:?}");
                waiting.push((id, what, picture.clone()));
            }
        }
    }
    collect(&mut client, &mut waiting);
    assert!(expected.len() > 12, "only {} pictures", expected.len());
}

/// The hash of a picture by a player that has shown nothing before; `None` if there is no such picture.
fn fresh(gpu: &Arc<Gpu>, path: &Path, place: Place, edit: Option<(u64, &str)>) -> Option<String> {
    let source = Arc::new(FileSource::open(path).unwrap());
    let trace = Arc::new(Trace::from_source(source, &mut Diagnostics::new()).unwrap());
    let size = largest_viewport(&trace).unwrap_or(DEFAULT_SIZE);
    let mut player = Player::new(trace, gpu.clone(), size).unwrap();
    let replacements = edit.map(|(record, text)| (record, text.as_bytes().to_vec())).into_iter().collect();
    player.set_shader_options(ShaderOptions { replacements: Arc::new(replacements), ..ShaderOptions::default() });
    player.render(place).ok().map(|picture| picture.hash().to_string())
}

/// The processes that a process has started.
fn children_of(parent: u32) -> Vec<u32> {
    let mut children = Vec::new();
    for task in fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten() {
        let text = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        children.extend(text.split_whitespace().map(|pid| pid.parse::<u32>().unwrap()));
    }
    children
}

fn kill(pid: u32, signal: &str) {
    // It may have ended.
    let _ = std::process::Command::new("kill").args([signal, &pid.to_string()]).status().unwrap();
}

fn kill_children_of(parent: u32, signal: &str) {
    for child in children_of(parent) {
        kill(child, signal);
        // Until it has ended it may still take a question.
        wait_until(Duration::from_secs(5), || !is_alive(child));
    }
}

fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // What is only still to be waited for is gone, when its other threads are.
    let threads = fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']) || threads > 1)
}

fn wait_until(limit: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    while !is_so() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// A session in the middle of a picture that never ends.
fn stuck_session(folder: &Path) -> (Client, u64, u64, u32) {
    let path = hostile(folder, &endless());
    let mut client = client(&VULKAN, "60");
    let (stuck, sound) = (client.open(&path), client.open(&fixture("triangle")));
    hash(&mut client, sound);
    let id = client.send("hash", &json!({ "trace": stuck, "frame": 0 }));
    client.result("state", &json!({ "trace": stuck, "draw": 0 }));
    std::thread::sleep(Duration::from_millis(500));
    let children = children_of(client.child.id());
    assert_eq!(children.len(), 1, "one process draws");
    (client, sound, id, children[0])
}

fn a_crash_is_the_error_of_its_request() {
    let folder = tempfile::tempdir().unwrap();
    let (mut client, sound, id, drawing) = stuck_session(folder.path());
    // By then it has told what it is at.
    std::thread::sleep(Duration::from_secs(4));
    kill(drawing, "-ABRT");
    let error = client.answer_to(id)["error"].take();
    assert_eq!(error["data"]["exit_code"], 6, "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("hash of frame 0 of ") && message.contains("ended with signal: 6"), "{message}");
    assert!(message.contains(") before it finished ") && message.contains("DRAW at 0x"), "{message}");
    hash(&mut client, sound);
    // One that dies when nobody has asked for anything is nobody's error.
    kill_children_of(client.child.id(), "-KILL");
    hash(&mut client, sound);
}

fn nothing_draws_for_a_parent_that_is_gone() {
    for signal in ["-KILL", "-TERM", "-INT"] {
        let folder = tempfile::tempdir().unwrap();
        let (client, _, _, drawing) = stuck_session(folder.path());
        kill(client.child.id(), signal);
        assert!(wait_until(Duration::from_secs(2), || !is_alive(drawing)), "{signal}: {drawing} is still there");
    }
}

/// A suite with a case that hangs in the driver, and a wrapper that starts a process of its own.
struct Wrapped {
    folder: tempfile::TempDir,
}

impl Wrapped {
    fn new() -> Self {
        let suite = Self { folder: tempfile::tempdir().unwrap() };
        let trace = suite.folder.path().join("hang.aerogputrace");
        let mut scene = Scene::new();
        scene.begin().viewport(SLOW_SIDE_PX, SLOW_SIDE_PX).end();
        fs::write(&trace, scene.finish()).unwrap();
        let made = suite.golden(&["new", "hang.aerogputrace", "--allow-blank"]).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        fs::write(&trace, endless()).unwrap();
        let real = env!("CARGO_BIN_EXE_aerogpu-replay");
        let script = format!(
            "#!/bin/bash\necho $$ >>pids\nsleep 1000 &\necho $! >>pids\n'{real}' \"$@\" <&0 &\necho $! >>pids\nwait\n"
        );
        let wrapper = suite.folder.path().join("wrapper.sh");
        fs::write(&wrapper, script).unwrap();
        fs::set_permissions(&wrapper, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        suite
    }

    fn golden(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = support::program::program();
        command.arg("golden").args(arguments).args(VULKAN).current_dir(self.folder.path());
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command
    }

    /// The wrapper, what it has started, and the worker.
    fn pids(&self) -> Vec<u32> {
        let text = fs::read_to_string(self.folder.path().join("pids")).unwrap_or_default();
        text.lines().map(|line| line.parse().unwrap()).collect()
    }
}

fn a_wrapper_and_all_that_it_starts_end_with_it() {
    let suite = Wrapped::new();
    for (way, code) in [("timeout", Some(124)), ("-INT", Some(130)), ("-TERM", Some(130)), ("-KILL", None)] {
        // Nobody may be there to remove.
        let _ = fs::remove_file(suite.folder.path().join("pids"));
        let seconds = if way == "timeout" { "2" } else { "60" };
        let test = ["test", "--worker", "./wrapper.sh", "--timeout", seconds, "--retries", "0", "--jobs", "1"];
        let mut running = suite.golden(&test).spawn().unwrap();
        assert!(wait_until(Duration::from_secs(20), || suite.pids().len() == 3), "{way}: the wrapper did not start");
        let pids = suite.pids();
        assert!(pids.iter().all(|pid| is_alive(*pid)), "{way}: {pids:?}");
        if way != "timeout" {
            // Into the driver.
            std::thread::sleep(Duration::from_millis(1500));
            kill(running.id(), way);
        }
        let ended = running.wait().unwrap();
        // Nobody is there any more to end a wrapper whose parent was killed; the worker ends by itself.
        let are_to_end = if way == "-KILL" { &pids[2..] } else { &pids };
        let left = || are_to_end.iter().copied().filter(|pid| is_alive(*pid)).collect::<Vec<_>>();
        let are_gone = wait_until(Duration::from_secs(2), || left().is_empty());
        let left = left();
        pids.iter().filter(|pid| is_alive(**pid)).for_each(|pid| kill(*pid, "-KILL"));
        assert!(are_gone, "{way}: of wrapper, its child and worker, {pids:?}, {left:?} are left");
        assert_eq!(ended.code(), code, "{way}");
    }
}

pub fn trials() -> Vec<Trial> {
    let tests: Vec<Trial> = vec![
        software::trial("a_frame_that_never_ends_is_its_own_error_on_vulkan", |_| {
            a_stuck_picture_is_its_own_error(&a_thousand_million_vertices(), &VULKAN);
        }),
        software::trial("a_frame_that_never_ends_is_its_own_error_on_gl", |_| {
            a_stuck_picture_is_its_own_error(&endless(), &GL);
        }),
        software::trial("a_text_that_takes_too_long_holds_up_nothing", |_| {
            a_text_that_takes_too_long_holds_up_nothing();
        }),
        software::trial("shaders_that_take_too_long_hold_up_nothing", |_| {
            shaders_that_take_too_long_hold_up_nothing();
        }),
        software::trial("players_share_what_they_may_keep", |_| players_share_what_they_may_keep()),
        software::trial("a_state_that_takes_too_long_holds_up_nothing", |_| {
            a_state_that_takes_too_long_holds_up_nothing();
        }),
        software::trial("a_state_shows_what_was_edited", |_| a_state_shows_what_was_edited()),
        software::trial("at_the_end_of_the_input_all_is_answered", |_| at_the_end_of_the_input_all_is_answered()),
        software::trial("edits_keep_their_turn", |_| edits_keep_their_turn()),
        software::trial("what_is_drawn_can_be_cancelled", |_| what_is_drawn_can_be_cancelled()),
        software::trial("what_a_worker_has_ahead_is_asked_again", |_| what_a_worker_has_ahead_is_asked_again()),
        software::trial("requests_see_what_came_before", |_| requests_see_what_came_before()),
        software::trial("a_trace_that_was_replaced_is_refused", |_| a_trace_that_was_replaced_is_refused()),
        software::trial("a_long_session_shows_what_fresh_players_show", |gpu| {
            a_long_session_shows_what_fresh_players_show(&gpu);
        }),
        software::trial("a_crash_is_the_error_of_its_request", |_| a_crash_is_the_error_of_its_request()),
        software::trial("nothing_draws_for_a_parent_that_is_gone", |_| nothing_draws_for_a_parent_that_is_gone()),
        software::trial("a_wrapper_and_all_that_it_starts_end_with_it", |_| {
            a_wrapper_and_all_that_it_starts_end_with_it();
        }),
    ];
    // `/proc` and signals are looked at and sent.
    if cfg!(target_os = "linux") { tests } else { Vec::new() }
}
