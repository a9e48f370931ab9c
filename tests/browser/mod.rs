//! The page in a headless Chromium, on the browser's own software Vulkan: its pictures are those of the program on the same
//! driver, and its errors are the program's.
//!
//! `PAGE_FOLDER` names the folder that the page was built into; where it names none these tests are ignored, as they are
//! without Chromium.

mod chromium;
mod made;
mod person;
mod server;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use aerogpu_replay::bytes::encode_base64;
use serde_json::{Value, json};

use self::chromium::{Chromium, Page};
use self::server::Server;
use crate::support;
use support::harness::{Trial, trials_of};
use support::program::program;
use support::root;
use support::serve_client::Client;

/// The Vulkan driver that the browser brings, by which the program draws as the browser does.
const DRIVER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

/// Traces of each kind whose frames are compared: all of these folders. With `BROWSER=all` in the environment it is every
/// frame of every fixture.
const FOLDERS: [&str; 3] = ["fixtures/aerogpu", "fixtures/d3d/driver_scenes", "fixtures/examples"];

/// The first of a trace's frames that are compared, beside the one in the middle and the last.
const FRAMES: u64 = 2;

/// Lacks of the browser's WebGPU, each by a part of its sentence. Each must be met.
const LACKS: [&str; 2] = ["POLYGON_MODE_LINE", "VERTEX_WRITABLE_STORAGE"];

static PAGE: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let folder = PathBuf::from(std::env::var_os("PAGE_FOLDER")?);
    let folder = root().join(folder);
    (folder.join("index.html").exists() && chromium::is_installed() && Path::new(DRIVER).exists()).then_some(folder)
});

struct Browser {
    chromium: Chromium,
    server: Server,
    page: Page,
}

impl Browser {
    fn start() -> Self {
        Self::at("page/index.html")
    }

    fn at(path: &str) -> Self {
        let server = Server::start(PAGE.clone().unwrap(), root().to_owned(), false);
        let mut chromium = Chromium::start();
        let page = chromium.open(&server.address_of(path));
        Self { chromium, server, page }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, (String, Value)> {
        self.chromium.ask(&self.page, method, params)
    }

    fn value(&mut self, expression: &str) -> Value {
        self.chromium.value(&self.page, expression)
    }
}

/// The program on the browser's driver.
fn native() -> Client {
    let mut command = program();
    command.args(["serve", "--stdio", "--backend", "vulkan"]).env("VK_DRIVER_FILES", DRIVER);
    Client::of(command)
}

fn native_answer(client: &mut Client, method: &str, params: &Value) -> Result<Value, (String, Value)> {
    let answer = client.ask(method, params);
    match answer.get("error") {
        None => Ok(answer["result"].clone()),
        Some(error) => Err((error["message"].as_str().unwrap().to_owned(), error["data"]["offset"].clone())),
    }
}

fn traces_below(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            traces_below(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "aerogputrace") {
            into.push(path);
        }
    }
}

/// Every trace is opened by link and by path, and its first, middle and last frames have the same hashes.
fn pictures_are_the_programs_on_the_same_driver() {
    let (mut browser, mut client) = (Browser::start(), native());
    let mut traces = Vec::new();
    let is_all = std::env::var("BROWSER").is_ok_and(|wanted| wanted == "all");
    let (folders, first) = if is_all { (&["fixtures"][..], u64::MAX) } else { (&FOLDERS[..], FRAMES) };
    folders.iter().for_each(|folder| traces_below(&root().join(folder), &mut traces));
    traces.sort();
    let (mut compared, mut lacks) = (0, [0; LACKS.len()]);
    for trace in &traces {
        let name = trace.strip_prefix(root()).unwrap().to_str().unwrap();
        let address = browser.server.address_of(&format!("ranges/{name}"));
        let opened =
            browser.ask("open", &json!({ "path": address })).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let expected = native_answer(&mut client, "open", &json!({ "path": trace })).unwrap();
        assert_eq!(opened["frames"], expected["frames"], "{name}");
        let frames = opened["frames"].as_u64().unwrap();
        let mut chosen: Vec<u64> = (0..frames.min(first)).chain([frames / 2]).chain(frames.checked_sub(1)).collect();
        chosen.retain(|frame| *frame < frames);
        chosen.sort_unstable();
        chosen.dedup();
        for frame in chosen {
            let found = browser.ask("hash", &json!({ "trace": opened["trace"], "frame": frame }));
            let wanted = native_answer(&mut client, "hash", &json!({ "trace": expected["trace"], "frame": frame }));
            match (found, wanted) {
                (Err((error, _)), Ok(_)) => {
                    let lack = LACKS.iter().position(|lack| error.contains(lack));
                    lacks[lack.unwrap_or_else(|| panic!("{name}, frame {frame}: {error}"))] += 1;
                }
                (found, wanted) => {
                    assert_eq!(found, wanted, "{name}, frame {frame}");
                    compared += 1;
                }
            }
        }
        for (handle, is_native) in [(&opened["trace"], false), (&expected["trace"], true)] {
            let params = json!({ "trace": handle });
            let closed = match is_native {
                true => native_answer(&mut client, "close", &params),
                false => browser.ask("close", &params),
            };
            assert_eq!(closed, Ok(Value::Null));
        }
    }
    assert!(compared > 2 * traces.len(), "{compared} of {} traces", traces.len());
    assert!(lacks.iter().all(|met| *met > 0), "{LACKS:?}: {lacks:?}: one is not lacked any more");
    assert_eq!(browser.value("replayer.session.replaced"), json!(0), "a worker ended");
}

/// Pictures that are asked for in one message are those that are asked for one by one, and so is the error of one.
fn pictures_asked_for_together_are_the_same() {
    let mut browser = Browser::start();
    let address = browser.server.address_of("ranges/fixtures/aerogpu/frames.aerogputrace");
    let opened = browser.ask("open", &json!({ "path": address })).unwrap();
    let asked = |frame: u64| json!({ "trace": opened["trace"], "frame": frame });
    // More than are on their way at a time: forwards, one twice, and back.
    let frames: Vec<u64> = (0..40).map(|number| number % 4).chain([3, 2, 2, 0]).collect();
    let one_by_one: Vec<Value> = frames.iter().map(|frame| browser.ask("hash", &asked(*frame)).unwrap()).collect();
    let all: Vec<Value> = frames.iter().map(|frame| asked(*frame)).collect();
    let together = browser.value(&format!("replayer.session.askAll('hash', {})", json!(all)));
    assert_eq!(together, json!(one_by_one));
    let sizes = "(images) => images.map(({ sha256, width, height, rgba }) => [sha256, rgba.length / width / height])";
    let images = format!(
        "replayer.session.askAll('image', {}.map((place) => ({{ ...place, form: 'pixels' }}))).then({sizes})",
        json!(all)
    );
    let hashes: Vec<Value> = one_by_one.iter().map(|answer| json!([answer["sha256"], 4])).collect();
    assert_eq!(browser.value(&images), json!(hashes));
    let wrong = json!([asked(0), asked(9999), asked(1)]);
    let refused = browser.value(&format!("replayer.session.askAll('hash', {wrong}).catch((error) => error.message)"));
    let (single, _) = browser.ask("hash", &asked(9999)).unwrap_err();
    assert_eq!(refused, json!(single));
    assert_eq!(browser.ask("hash", &asked(1)).unwrap(), one_by_one[1]);
}

/// There 1.0 is 1.
fn as_javascript_has_it(answer: Value) -> Value {
    match answer {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.into_iter().map(as_javascript_has_it).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, member)| (name, as_javascript_has_it(member))).collect()
        }
        other => other,
    }
}

/// Traces that WebGL2 draws otherwise than the same driver by Vulkan: values half way between two colours or depths fall to
/// either side.
const OTHERWISE: [&str; 10] = [
    "d3d/driver_scenes/d9_depth",
    "d3d/rules/cnd_ps_1_3_coissue_rgb",
    "d3d/rules/depth_bias_d24s8",
    "d3d/rules/depth_bias_d32f",
    "d3d/rules/position1_between_stages",
    "d3d/rules/shade_gouraud_strip",
    "d3d/rules/shade_phong_strip",
    "d3d/rules/texkill_ps1",
    "d3d/rules/texkill_ps2",
    "examples/heath",
];

/// Of one frame in so many the pictures may differ.
const MOST_OTHERWISE: u32 = 15;

/// Lacks of WebGL2, each by a part of its sentence. `false`: few traces have it.
const WEBGL2_LACKS: [(&str, bool); 9] = [
    ("which this device lacks", true),
    ("INDEPENDENT_BLEND", true),
    ("COMPUTE_SHADERS", true),
    ("OpenGL ES 3.1", false),
    ("texel loads of depth", false),
    ("DEPTH_CLIP_CONTROL", false),
    ("strides of 0", true),
    ("max_storage_buffers_per_shader_stage", true),
    ("WebGL2 refused a call", false),
];

/// Pictures by WebGL2 are the program's, but for frames that are named; the rest is refused before it is drawn.
fn webgl2_draws_the_same_or_refuses() {
    let mut browser = Browser::at("page/index.html?backend=webgl2");
    let mut client = native();
    let is_all = std::env::var("BROWSER").is_ok_and(|wanted| wanted == "all");
    let mut traces = Vec::new();
    let folders = if is_all { &["fixtures"][..] } else { &FOLDERS[..] };
    folders.iter().for_each(|folder| traces_below(&root().join(folder), &mut traces));
    traces.sort();
    let (mut same, mut otherwise, mut met) = (0, 0, [0; WEBGL2_LACKS.len()]);
    for trace in &traces {
        let name = trace.strip_prefix(root()).unwrap().to_str().unwrap();
        let address = browser.server.address_of(&format!("ranges/{name}"));
        let opened = browser.ask("open", &json!({ "path": address })).unwrap();
        let expected = native_answer(&mut client, "open", &json!({ "path": trace })).unwrap();
        let frames = opened["frames"].as_u64().unwrap();
        for frame in 0..frames.min(if is_all { FRAMES + 1 } else { 1 }) {
            let found = browser.ask("hash", &json!({ "trace": opened["trace"], "frame": frame }));
            let wanted = native_answer(&mut client, "hash", &json!({ "trace": expected["trace"], "frame": frame }));
            match (found, wanted) {
                (Err((error, _)), Ok(_)) => {
                    let mut is_named = false;
                    for ((lack, _), met) in WEBGL2_LACKS.iter().zip(&mut met) {
                        *met += u32::from(error.contains(lack));
                        is_named |= error.contains(lack);
                    }
                    assert!(is_named, "{name}, frame {frame}: {error}");
                }
                (found, wanted) if found == wanted => same += 1,
                _ => {
                    let is_known = OTHERWISE.iter().any(|known| name.contains(known));
                    assert!(is_known, "{name}, frame {frame}: WebGL2 draws it otherwise");
                    otherwise += 1;
                }
            }
        }
        for (handle, is_native) in [(&opened["trace"], false), (&expected["trace"], true)] {
            let params = json!({ "trace": handle });
            let closed =
                if is_native { native_answer(&mut client, "close", &params) } else { browser.ask("close", &params) };
            assert_eq!(closed, Ok(Value::Null));
        }
    }
    let refused = met[0] + met[WEBGL2_LACKS.len() - 2] + met[WEBGL2_LACKS.len() - 1];
    println!("{same} the same, {otherwise} otherwise, {refused} refused: {met:?}");
    assert!(same > 3 * refused && otherwise * MOST_OTHERWISE < same, "{same}, {otherwise}, {refused}");
    let unmet = WEBGL2_LACKS.iter().zip(met).find(|((_, is_common), met)| *is_common && *met == 0);
    assert!(unmet.is_none(), "{unmet:?}: it is not lacked any more");
    assert_eq!(browser.value("replayer.session.replaced"), json!(0), "a worker ended");
    let adapter = browser.value("replayer.session.adapter");
    assert!(adapter.as_str().unwrap().contains("WebGL 2.0"), "{adapter}");
}

/// Parts of a browser that a worker may find missing: a script that takes each away, and what the page then says.
const MISSING: [(&str, &str); 2] = [
    (
        "delete WebAssembly.Suspending; delete WebAssembly.promising;",
        "this browser has no JavaScript Promise Integration",
    ),
    ("delete Object.getPrototypeOf(navigator).gpu;", "this browser has no WebGPU"),
];

/// A browser without WebGPU, or without promise integration, is given WebGL2, and told why.
fn where_webgpu_is_missing_it_is_webgl2() {
    for (script, reason) in MISSING {
        let mut browser = Browser::at("page/index.html");
        // The worker imports the script before anything else.
        let taken = "(async () => {
            const script_of = (text) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
            const lacking = script_of('TAKEN');
            const worker_script = new URL('worker.js', location.href).href;
            const script = `import ${JSON.stringify(lacking)}; import ${JSON.stringify(worker_script)};`;
            const worker = script_of(script);
            const Plain = window.Worker;
            window.Worker = function (address, options) {
                return new Plain(worker, { ...options, type: 'module' });
            };
        })()";
        browser.value(&taken.replace("TAKEN", script));
        let address = browser.server.address_of("ranges/fixtures/aerogpu/triangle.aerogputrace");
        let opened = browser.ask("open", &json!({ "path": address })).unwrap();
        let asked = json!({ "trace": opened["trace"], "frame": 0 });
        let found = browser.ask("hash", &asked).unwrap();
        assert_eq!(browser.value("replayer.session.lacks"), json!(reason));
        let adapter = browser.value("replayer.session.adapter");
        assert!(adapter.as_str().unwrap().contains("WebGL 2.0"), "{adapter}");
        let pixel = json!({ "trace": opened["trace"], "frame": 0, "x": 5, "y": 5 });
        let (late, _) = browser.ask("pixel", &pixel).unwrap_err();
        let expected = "the history of a pixel needs occlusion queries, which WebGL2 answers too late";
        assert!(late.ends_with(expected), "{late}");
        let mut client = native();
        let path = root().join("fixtures/aerogpu/triangle.aerogputrace");
        native_answer(&mut client, "open", &json!({ "path": path })).unwrap();
        let wanted = native_answer(&mut client, "hash", &json!({ "trace": 1, "frame": 0 })).unwrap();
        assert_eq!(found, wanted, "{reason}");
    }
}

/// State, events, buffers, meshes, shaders and pictures are the program's too.
fn questions_are_answered_as_by_the_program() {
    let (mut browser, mut client) = (Browser::start(), native());
    let name = "fixtures/aerogpu/frames.aerogputrace";
    let opened = browser.ask("open", &json!({ "path": browser.server.address_of(&format!("ranges/{name}")) })).unwrap();
    let expected = native_answer(&mut client, "open", &json!({ "path": root().join(name) })).unwrap();
    assert_eq!(opened, expected);
    let asked = [
        ("seek", json!({ "trace": 1, "frame": 1 })),
        ("state", json!({ "trace": 1 })),
        ("events", json!({ "trace": 1, "frame": 0 })),
        ("find", json!({ "trace": 1, "filter": "name=DRAW" })),
        ("mesh", json!({ "trace": 1, "frame": 0, "draw": 0 })),
        ("buffer", json!({ "trace": 1, "frame": 0 })),
        ("shaders", json!({ "trace": 1, "frame": 0, "draw": 0 })),
        ("image", json!({ "trace": 1, "frame": 0, "draw": 0 })),
        ("hash", json!({ "trace": 1, "frame": 9999 })),
        ("hash", json!({ "trace": 7 })),
        ("nonsense", json!({})),
    ];
    for (method, params) in asked {
        let found = browser.ask(method, &params).map(as_javascript_has_it);
        let wanted = native_answer(&mut client, method, &params).map(as_javascript_has_it);
        assert_eq!(found, wanted, "{method}");
    }
}

/// Traces of each ABI and API whose pixels are followed.
const FOLLOWED: [&str; 4] = [
    "fixtures/aerogpu/frames.aerogputrace",
    "fixtures/aerogpu/scenes/seed-200.aerogputrace",
    "fixtures/d3d/driver_scenes/d9_depth.aerogputrace",
    "fixtures/d3d/driver_scenes/d11_instanced.aerogputrace",
];

/// The history of a pixel, and the overlay of a draw, are those of the program on the same driver.
fn pixels_have_the_programs_histories() {
    let (mut browser, mut client) = (Browser::start(), native());
    let mut events = 0;
    for name in FOLLOWED {
        let address = browser.server.address_of(&format!("ranges/{name}"));
        let opened = browser.ask("open", &json!({ "path": address })).unwrap();
        let expected = native_answer(&mut client, "open", &json!({ "path": root().join(name) })).unwrap();
        for [x, y] in [[5, 5], [20, 12], [11, 3]] {
            let asked = |trace: &Value| json!({ "trace": trace, "frame": 0, "x": x, "y": y });
            let found = browser.ask("pixel", &asked(&opened["trace"]));
            let wanted = native_answer(&mut client, "pixel", &asked(&expected["trace"])).map(as_javascript_has_it);
            assert_eq!(found.clone().map(as_javascript_has_it), wanted, "{name} {x},{y}");
            events += found.unwrap()["events"].as_array().unwrap().len();
        }
        for kind in ["highlight", "overdraw"] {
            let asked = |trace: &Value| json!({ "trace": trace, "frame": 0, "draw": 0, "kind": kind });
            let found = browser.ask("overlay", &asked(&opened["trace"])).unwrap();
            let wanted = native_answer(&mut client, "overlay", &asked(&expected["trace"])).unwrap();
            assert_eq!((&found["sha256"], &found["legend"]), (&wanted["sha256"], &wanted["legend"]), "{name} {kind}");
        }
    }
    assert!(events > 30, "{events}");
}

/// Each damaged file is refused in the program's words, with its offset.
fn damaged_files_are_refused_in_the_same_words() {
    let (mut browser, mut client) = (Browser::start(), native());
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(root().join("fixtures/aerogpu/frames.aerogputrace")).unwrap();
    let changed = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        bytes
    };
    let files = [
        whole[..40].to_vec(),
        whole[..whole.len() / 2].to_vec(),
        changed(0),
        changed(9),
        changed(whole.len() - 3),
        changed(whole.len() / 3),
        Vec::new(),
    ];
    let server = Server::start(PAGE.clone().unwrap(), folder.path().to_owned(), true);
    for (number, bytes) in files.iter().enumerate() {
        let name = format!("{number}.bin");
        std::fs::write(folder.path().join(&name), bytes).unwrap();
        let (address, path) = (server.address_of(&format!("ranges/{name}")), folder.path().join(&name));
        let found = browser.ask("open", &json!({ "path": address }));
        let wanted = native_answer(&mut client, "open", &json!({ "path": path }));
        let without_name = |answer: Result<Value, (String, Value)>, name: &str| {
            answer.map_err(|(message, offset)| (message.replace(name, "FILE"), offset)).map(|mut opened| {
                opened["trace"] = Value::Null;
                opened
            })
        };
        let found = without_name(found, &address);
        assert_eq!(found, without_name(wanted, path.to_str().unwrap()), "{name}");
    }
}

/// Whatever a server answers, the trace is shown, or one sentence says why not; and only what is needed is fetched.
fn servers_of_all_kinds_are_read_or_refused() {
    let mut browser = Browser::start();
    let name = "fixtures/examples/courtyard.aerogputrace";
    let size = std::fs::metadata(root().join(name)).unwrap().len();
    let open = |browser: &mut Browser, address: String| browser.ask("open", &json!({ "path": address }));
    for kind in ["ranges", "whole", "encoded", "endless"] {
        let address = browser.server.address_of(&format!("{kind}/{name}"));
        let opened = open(&mut browser, address);
        assert_eq!(opened.unwrap_or_else(|error| panic!("{kind}: {error:?}"))["frames"], 60, "{kind}");
    }
    let refused = |answer: Result<Value, (String, Value)>| answer.unwrap_err().0;
    let address = browser.server.address_of(&format!("refused/{name}"));
    assert!(
        refused(open(&mut browser, address)).ends_with("the server answers with the status 403: expected 200 or 206")
    );
    let address = browser.server.address_of(&format!("changing/{name}"));
    let changed = refused(open(&mut browser, address));
    assert!(changed.contains("the file has changed since it was opened: open it again"), "{changed}");
    for (is_open, expected) in [(true, None), (false, Some("does not allow this page to read it (CORS)"))] {
        let other = Server::start(PAGE.clone().unwrap(), root().to_owned(), is_open);
        let answer = open(&mut browser, other.address_of(&format!("ranges/{name}")));
        match expected {
            None => assert_eq!(answer.unwrap()["frames"], 60),
            Some(expected) => assert!(refused(answer).contains(expected)),
        }
    }
    // One question about one frame of many, of a file that the window does not hold at once.
    let large = tempfile::tempdir().unwrap();
    let mut bytes = std::fs::read(root().join("fixtures/aerogpu/frames.aerogputrace")).unwrap();
    let server = Server::start(PAGE.clone().unwrap(), large.path().to_owned(), true);
    bytes.resize(size.max(8 << 20) as usize, 0);
    std::fs::write(large.path().join("padded"), &bytes).unwrap();
    // Nothing is found at its end; what was read to see that is little.
    let answer = open(&mut browser, server.address_of("ranges/padded"));
    assert!(server.sent_bytes() < bytes.len() as u64, "{answer:?}: {} bytes were sent", server.sent_bytes());
}

/// A worker that hangs is replaced, knows what was open, and the question is asked once more before its error is shown.
fn a_worker_that_hangs_is_replaced() {
    let mut browser = Browser::start();
    let address = browser.server.address_of("ranges/fixtures/aerogpu/frames.aerogputrace");
    let opened = browser.ask("open", &json!({ "path": address })).unwrap();
    let hash = json!({ "trace": opened["trace"], "frame": 1 });
    let before = browser.ask("hash", &hash).unwrap();
    browser.value("replayer.session.patience = 0");
    let (message, _) = browser.ask("hash", &hash).unwrap_err();
    assert_eq!(message, "no answer within 0 s");
    assert_eq!(browser.value("replayer.session.replaced"), json!(1), "it is asked once more");
    browser.value("replayer.session.patience = 60000");
    assert_eq!(browser.ask("hash", &hash).unwrap(), before);
}

/// The page in one file draws what the program draws, opened from disk, without a server.
fn one_file_runs_from_disk() {
    let mut chromium = Chromium::start();
    let page = chromium.open(&format!("file://{}", PAGE.clone().unwrap().join("aerogpu-replay.html").display()));
    let path = root().join("fixtures/aerogpu/triangle.aerogputrace");
    let bytes = encode_base64(&std::fs::read(&path).unwrap());
    let added = format!(
        "replayer.session.addFile('chosen.bin', new Blob([Uint8Array.from(atob('{bytes}'), (letter) => letter.charCodeAt(0))]))"
    );
    chromium.value(&page, &added);
    let opened = chromium.ask(&page, "open", &json!({ "path": "chosen.bin" })).unwrap();
    let found = chromium.ask(&page, "hash", &json!({ "trace": opened["trace"], "frame": 0 })).unwrap();
    let mut client = native();
    native_answer(&mut client, "open", &json!({ "path": path })).unwrap();
    let wanted = native_answer(&mut client, "hash", &json!({ "trace": 1, "frame": 0 })).unwrap();
    assert_eq!(found, wanted);
}

pub fn trials() -> Vec<Trial> {
    let all: Vec<Trial> = trials_of![
        pictures_are_the_programs_on_the_same_driver,
        pictures_asked_for_together_are_the_same,
        webgl2_draws_the_same_or_refuses,
        where_webgpu_is_missing_it_is_webgl2,
        questions_are_answered_as_by_the_program,
        pixels_have_the_programs_histories,
        damaged_files_are_refused_in_the_same_words,
        servers_of_all_kinds_are_read_or_refused,
        a_worker_that_hangs_is_replaced,
        one_file_runs_from_disk,
    ];
    let all = all.into_iter().map(|trial| trial.with_ignored_flag(PAGE.is_none()));
    all.chain(made::trials()).chain(person::trials()).collect()
}
