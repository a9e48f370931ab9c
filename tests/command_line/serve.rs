//! `serve --stdio`, as an editor or a script drives it: over pipes.
//!
//! Needs software Vulkan.

use std::collections::BTreeSet;
use std::io::BufReader;
use std::path::Path;

use crate::support;
use aerogpu_replay::pixels::{Picture, Size, read_png};
use serde_json::{Value, json};
use support::clearing_frames::{RED, clearing_frames};
use support::harness::Trial;
use support::program::run;
use support::random::Random;
use support::raw::RawTrace;
use support::scene::{BLACK, GREEN, Scene, rectangle, vertices};
use support::serve_client::Client;
use support::streams::{stream_of_markers, stream_that_runs_three_times};
use support::{fixture, fixtures, root, software};

const ADAPTER: [&str; 4] = ["--backend", "vulkan", "--adapter", "llvmpipe"];

fn names() -> Vec<&'static str> {
    fixtures::REPLAYABLE.iter().map(|(name, _)| *name).chain(["triangle"]).collect()
}

/// The hash that the program prints when it is started for one picture.
fn hash_of(path: &Path, frame: u64, draw: Option<u64>) -> String {
    let (path, frame) = (path.display().to_string(), frame.to_string());
    let draw = draw.map(|draw| draw.to_string());
    let mut arguments = vec![path.as_str(), "--frame", &frame, "--hash"];
    arguments.extend(ADAPTER);
    if let Some(draw) = &draw {
        arguments.extend(["--draw", draw]);
    }
    let done = run(&arguments, Path::new("."));
    assert_eq!(done.code, 0, "{}", done.stderr);
    done.stdout.trim_end().rsplit_once("sha256=").unwrap().1.to_owned()
}

fn every_hash_is_that_of_the_program() {
    let mut client = Client::start(&ADAPTER);
    let mut wanted = Vec::new();
    for name in names() {
        let handle = client.open(&fixture(name));
        let events = client.result("info", &json!({}));
        assert!(events["traces"].as_array().unwrap().contains(&json!(handle)));
        let frames = if name == "frames" { 4 } else { 1 };
        for frame in 0..frames {
            wanted.push((name, handle, frame, None));
            wanted.push((name, handle, frame, Some(0)));
        }
    }
    let mut random = Random::new(1);
    let mut expected = std::collections::HashMap::new();
    for _ in 0..200 {
        let (name, handle, frame, draw) = random.pick(&wanted);
        let answer = client.ask("hash", &json!({ "trace": handle, "frame": frame, "draw": draw }));
        if let Some(error) = answer.get("error") {
            // Some frames draw nothing.
            assert!(error["message"].as_str().unwrap().contains("draw 0 does not exist"), "{error}");
            assert_eq!(error["data"]["exit_code"], 2);
            continue;
        }
        let expected = expected.entry((name, frame, draw)).or_insert_with(|| hash_of(&fixture(name), frame, draw));
        assert_eq!(answer["result"]["sha256"], json!(expected), "{name} {frame} {draw:?}");
    }
    assert!(expected.len() > 20, "only {} pictures", expected.len());
    let info = client.result("info", &json!({}));
    assert!(info["adapter"].as_str().unwrap().contains("llvmpipe"), "{info}");
    assert_eq!(client.end(), (String::new(), 0));
}

fn decode_base64(text: &str) -> Vec<u8> {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    for group in text.as_bytes().chunks(4) {
        let value = |byte: &u8| digits.iter().position(|digit| digit == byte);
        let values: Vec<usize> = group.iter().filter_map(value).collect();
        let bits = values.iter().fold(0, |bits, value| bits << 6 | value) << (6 * (4 - values.len()));
        bytes.extend((0..values.len() - 1).map(|place| (bits >> (16 - 8 * place)) as u8));
    }
    bytes
}

fn pictures_come_as_text_or_as_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start(&ADAPTER);
    let trace = client.open(&fixture("upload_between_draws"));
    let sought = client.result("seek", &json!({ "trace": trace, "frame": 0, "draw": 1 }));
    assert_eq!(sought, json!({ "frame": 0, "draw": 1, "packet": null, "place": "0/draw=1" }));
    assert_eq!(client.result("seek", &json!({ "trace": trace, "place": "0/draw=1" })), sought);
    let start = client.result("hash", &json!({ "trace": trace, "place": "0/start" }));
    let black = Picture::new(Size { width_px: 64, height_px: 64 }, vec![0; 64 * 64 * 4]).unwrap();
    assert_eq!((&start["place"], &start["sha256"]), (&json!("0/start"), &json!(black.hash().to_string())));
    let refusal =
        |client: &mut Client, params: Value| client.error("hash", &params)["message"].as_str().unwrap().to_owned();
    let no_point = refusal(&mut client, json!({ "trace": trace, "place": "0/end" }));
    assert!(no_point.contains("\"end\" is not a point in a frame: expected start, draw=NUMBER"), "{no_point}");
    let twice = refusal(&mut client, json!({ "trace": trace, "place": "0", "draw": 1 }));
    assert!(twice.contains("place includes frame, draw and packet: expected it without them"), "{twice}");
    // Without a place the one that was sought is meant.
    let image = client.result("image", &json!({ "trace": trace }));
    let expected = hash_of(&fixture("upload_between_draws"), 0, Some(1));
    assert_eq!((&image["sha256"], &image["draw"]), (&json!(expected), &json!(1)));
    let png = decode_base64(image["png"].as_str().unwrap());
    let picture = read_png(std::io::Cursor::new(png)).unwrap();
    assert_eq!(picture.hash().to_string(), expected);
    let pixels = client.result("image", &json!({ "trace": trace, "form": "pixels" }));
    assert_eq!((decode_base64(pixels["rgba"].as_str().unwrap()), pixels.get("png")), (picture.rgba().to_vec(), None));
    let both = client.error("image", &json!({ "trace": trace, "form": "png", "path": "a.png" }));
    assert!(both["message"].as_str().unwrap().contains("expected path without form"), "{both}");
    let path = folder.path().join("a.png");
    let image = client.result("image", &json!({ "trace": trace, "frame": 0, "path": path }));
    assert!(image.get("png").is_none());
    let written = read_png(BufReader::new(std::fs::File::open(&path).unwrap())).unwrap();
    assert_eq!(json!(written.hash().to_string()), image["sha256"]);
    let error = client.error("image", &json!({ "trace": trace, "path": folder.path().join("no/such/folder.png") }));
    assert_eq!(error["data"]["exit_code"], 11, "{error}");
    assert_eq!(client.result("close", &json!({ "trace": trace })), Value::Null);
    let closed = client.error("hash", &json!({ "trace": trace }));
    assert_eq!((&closed["message"], &closed["data"]["exit_code"]), (&json!("trace 1 is not open"), &json!(2)));
    let again = client.open(&fixture("triangle"));
    assert_ne!(again, trace, "handles are not used twice");
}

fn what_is_no_request_is_answered_and_the_next_one_too() {
    let mut client = Client::start(&ADAPTER);
    let broken: [(&str, i64); 9] = [
        ("{\"jsonrpc\":\"2.0\",\n", -32700),
        ("[\n", -32700),
        ("[]\n", -32600),
        ("{}\n", -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"info\"}\n", -32600),
        ("GET / HTTP/1.1\n\n", -32700),
        ("\u{0}\u{1}\n", -32700),
        ("Content-Length: x\r\n\r\n", -32700),
        ("Content-Length: 99999999999999\r\n\r\n", -32700),
    ];
    for (text, code) in broken {
        client.write(text.as_bytes());
        let is_line = text.starts_with(['{', '[']);
        let answer = if is_line { client.read_line() } else { client.read_framed() };
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &Value::Null), "{text:?}: {answer}");
        if text.starts_with("GET") {
            continue;
        }
        assert_eq!(client.result("info", &json!({}))["name"], "aerogpu-replay", "after {text:?}");
    }
    let unknown = client.error("fly", &json!({}));
    assert_eq!((&unknown["code"], &unknown["message"]), (&json!(-32601), &json!("there is no method \"fly\"")));
    for (method, params) in [
        ("open", json!({})),
        ("open", json!({ "path": 7 })),
        ("open", json!({ "path": fixture("triangle"), "size": "big" })),
        ("hash", json!([1])),
        ("hash", json!({ "trace": 1, "frame": -1 })),
        ("hash", json!({ "trace": 1, "wrong": 1 })),
        ("info", json!({ "x": 1 })),
    ] {
        let error = client.error(method, &params);
        assert_eq!((&error["code"], &error["data"]["exit_code"]), (&json!(-32602), &json!(2)), "{params}: {error}");
    }
    // A message over the limit is passed over, whatever its framing.
    let long = "x".repeat(17 << 20);
    client.write(format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{long}\"}}\n").as_bytes());
    assert_eq!(client.read_line()["error"]["code"], -32700);
    client.write(format!("Content-Length: {}\r\n\r\n{long}", long.len()).as_bytes());
    assert_eq!(client.read_framed()["error"]["code"], -32700);
    client.result("info", &json!({}));
    // A length that is too short costs its message alone.
    let info = |id: u32| json!({ "jsonrpc": "2.0", "id": id, "method": "info" }).to_string();
    let (short, next) = (info(901), info(902));
    for length in [0, 1, short.len() / 2, short.len() - 1] {
        client.write(format!("Content-Length: {length}\r\n\r\n{short}").as_bytes());
        client.write(format!("Content-Length: {}\r\n\r\n{next}", next.len()).as_bytes());
        for _ in 0..2 {
            let answer = client.read_framed();
            assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32700), &Value::Null), "{length}: {answer}");
        }
        let answer = client.read_framed();
        assert_eq!((&answer["id"], &answer["result"]["name"]), (&json!(902), &json!("aerogpu-replay")), "{length}");
    }
    // The input ends within a header, and within a body.
    client.write(b"Content-Length: 1");
    let (rest, code) = client.end();
    assert!(rest.contains("the input ends within a header"), "{rest}");
    assert_eq!(code, 0);
    let mut client = Client::start(&ADAPTER);
    client.write(b"Content-Length: 100\r\n\r\n{\"jsonrpc\"");
    let (rest, code) = client.end();
    assert!(rest.contains("the input ends after 10 of 100 bytes"), "{rest}");
    assert_eq!(code, 0);
}

fn batches_and_both_framings_interleave() {
    let mut client = Client::start(&ADAPTER);
    let trace = client.open(&fixture("triangle"));
    let expected = hash_of(&fixture("triangle"), 0, None);
    let hash = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "hash", "params": { "trace": trace } });
    let notification = json!({ "jsonrpc": "2.0", "method": "hash", "params": { "trace": trace } });
    let batch = json!([hash(json!("a")), notification, 7, { "jsonrpc": "2.0", "id": 2, "method": "no" }]);
    let body = hash(json!(null)).to_string();
    let only_notifications = json!([notification, notification]);
    let text = format!(
        "{batch}\n{notification}\nContent-Length: {}\r\n\r\n{body}{only_notifications}\n{}\n",
        body.len(),
        hash(json!(3))
    );
    client.write(text.as_bytes());
    let answers = client.read_line();
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 3, "{answers:?}");
    assert_eq!((&answers[0]["id"], &answers[0]["result"]["sha256"]), (&json!("a"), &json!(expected)));
    assert_eq!((&answers[1]["error"]["code"], &answers[2]["error"]["code"]), (&json!(-32600), &json!(-32601)));
    assert_eq!(client.read_framed()["result"]["sha256"], json!(expected));
    assert_eq!(client.read_line()["id"], 3, "a notification has no answer, a batch of them neither");
    // What comes after `shutdown` is not answered, although the input stays open.
    let ends = json!([{ "jsonrpc": "2.0", "id": 4, "method": "shutdown" }, hash(json!(5))]);
    client.write(format!("{ends}\n").as_bytes());
    assert_eq!(client.read_line(), json!([{ "jsonrpc": "2.0", "id": 4, "result": null }]));
    assert_eq!(client.child.wait().unwrap().code(), Some(0));
}

fn errors_carry_exit_code_and_offset() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start(&ADAPTER);
    let missing = client.error("open", &json!({ "path": folder.path().join("none") }));
    assert_eq!((&missing["code"], &missing["data"]["exit_code"]), (&json!(-32000), &json!(3)), "{missing}");
    let path = folder.path().join("no.trace");
    std::fs::write(&path, [7; 100]).unwrap();
    let no_trace = client.error("open", &json!({ "path": path }));
    assert_eq!((&no_trace["data"]["exit_code"], &no_trace["data"]["offset"]), (&json!(3), &json!(0)), "{no_trace}");

    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), GREEN)).bind(1).clear(BLACK).draw(0, 6).end();
    scene.begin().draw(0, 7).end();
    scene.begin().upload(9, 0, &[0; 4]).end();
    let path = folder.path().join("bad.aerogputrace");
    std::fs::write(&path, scene.finish()).unwrap();
    let opened = client.result("open", &json!({ "path": path }));
    let (trace, fault) = (&opened["trace"], &opened["faults"]["kinds"][0]);
    assert_eq!((&opened["frames"], &opened["read_error"], &fault["count"]), (&json!(3), &Value::Null, &json!(1)));
    assert_eq!((&fault["first"]["frame"], &fault["subject"]), (&json!(2), &json!("UPLOAD_BUFFER")));
    assert!(fault["problem"].as_str().unwrap().contains("buffer 9 does not exist"), "{fault}");
    // A damaged frame is played up to, and frame 1 is found wrong on the way.
    for (frame, says) in [(1, "reads 168 bytes"), (2, "reads 168 bytes"), (3, "frame 3 does not exist")] {
        let error = client.error("hash", &json!({ "trace": trace, "frame": frame }));
        assert!(error["message"].as_str().unwrap().contains(says), "{error}");
        let arguments = [&path.display().to_string(), "--frame", &frame.to_string(), "--hash"];
        let code = run(&[&arguments[..], &ADAPTER].concat(), folder.path()).code;
        assert_eq!(error["data"]["exit_code"], json!(code), "{error}");
        assert_eq!(error["data"]["offset"].is_u64(), frame < 3, "{error}");
    }
    // A place that does not exist, and two places at once.
    for method in ["seek", "hash", "state", "buffer"] {
        let error = client.error(method, &json!({ "trace": trace, "frame": 0, "packet": 99999 }));
        assert!(error["message"].as_str().unwrap().contains("packet 99999"), "{method}: {error}");
        assert_eq!(error["data"]["exit_code"], 2, "{method}: {error}");
        let error = client.error(method, &json!({ "trace": trace, "draw": 0, "packet": 1 }));
        assert_eq!(error["code"], -32602, "{method}: {error}");
    }
    // Nothing of that has harmed the session.
    let good = client.result("hash", &json!({ "trace": trace, "frame": 0 }));
    assert_eq!(good["sha256"], json!(hash_of(&path, 0, None)));

    let mut cut = RawTrace::new();
    let start = cut.offset();
    cut.begin(0).packet(&[8, 6, 0, 0, 0, 0]).present(0).frame_since(start);
    let bytes = cut.finish();
    let path = folder.path().join("cut.aerogputrace");
    std::fs::write(&path, &bytes[..bytes.len() - 40]).unwrap();
    let opened = client.result("open", &json!({ "path": path }));
    assert!(opened["warnings"][0].as_str().unwrap().contains("recovered 1 complete frame from"), "{opened}");

    cut.begin(1).packet(&[8, 6, 0, 0, 0, 0]).present(1);
    std::fs::write(&path, cut.finish()).unwrap();
    let opened = client.result("open", &json!({ "path": path }));
    assert!(opened["warnings"][0].as_str().unwrap().contains("after the last frame of the TOC"), "{opened}");
}

/// Of each kind of row `find` gives those that `events` lists, in their order, and backward the other way round.
fn each_row_is_found_from_the_one_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs.aerogputrace");
    std::fs::write(&runs, stream_that_runs_three_times()).unwrap();
    let mut client = Client::start(&ADAPTER);
    for path in [runs, fixture("loose_records"), fixture("a3a0/scene"), fixture("a3a0/contexts")] {
        let trace = client.open(&path);
        let mut rows = Vec::new();
        for frame in 0.. {
            let answer = client.ask("events", &json!({ "trace": trace, "frame": frame }));
            let Some(of_frame) = answer["result"]["rows"].as_array() else { break };
            rows.extend(of_frame.iter().cloned());
        }
        let names: BTreeSet<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
        for name in names {
            let mut wanted: Vec<&Value> = rows.iter().filter(|row| row["name"] == name).collect();
            for direction in ["next", "previous"] {
                let mut from = Value::Null;
                let mut found = Vec::new();
                loop {
                    let filter = format!("/^{name}$/");
                    let params = json!({ "trace": trace, "filter": filter, "from": from, "direction": direction });
                    let row = client.result("find", &params);
                    if row.is_null() {
                        break;
                    }
                    from = json!({ "frame": row["frame"], "row": row["row"] });
                    found.push(row);
                    assert!(found.len() <= wanted.len(), "{name} of {}: {found:?}", path.display());
                }
                assert!(found.iter().eq(wanted.iter().copied()), "{direction} {name} of {}", path.display());
                wanted.reverse();
            }
        }
        assert!(rows.len() > 8, "{}: {rows:?}", path.display());
    }
}

fn markers_are_told_and_searched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("markers.aerogputrace");
    std::fs::write(&path, stream_of_markers()).unwrap();
    let mut client = Client::start(&ADAPTER);
    let trace = client.open(&path);
    let filter = "DRAW(marker =~ /shadow/)";
    let events = client.result("events", &json!({ "trace": trace, "frame": 0, "filter": filter }));
    let told: Vec<Value> = events["rows"].as_array().unwrap().iter().map(|row| row["markers"].clone()).collect();
    let (pass, cascade) = ("shadow pass", "cascade 0");
    assert_eq!(told, [json!([pass, cascade]), json!([pass, cascade]), json!([pass, "casters"])]);
    let mut from = Value::Null;
    for row in events["rows"].as_array().unwrap() {
        let found = client.result("find", &json!({ "trace": trace, "filter": filter, "from": from }));
        assert_eq!((&found, &found["context"], &found["submission"]), (row, &json!(1), &row["submission"]));
        from = json!({ "frame": found["frame"], "row": found["row"] });
    }
    assert_eq!(client.result("find", &json!({ "trace": trace, "filter": filter, "from": from })), Value::Null);
    let state = client.result("state", &json!({ "trace": trace, "frame": 0 }));
    let named: Vec<&Value> = state["objects"].as_array().unwrap().iter().map(|object| &object["name"]).collect();
    assert!(named.contains(&&json!("shadow map")) && named.contains(&&json!("scratch")), "{state}");
}

fn answers_are_those_of_the_verbs() {
    let mut client = Client::start(&ADAPTER);
    let path = fixture("upload_between_draws");
    let name = path.display().to_string();
    let trace = client.open(&path);
    let verb = |arguments: &[&str]| -> Vec<Value> {
        let done = run(&[arguments, &["--json"]].concat(), Path::new("."));
        assert_eq!(done.code, 0, "{}", done.stderr);
        done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let state = client.result("state", &json!({ "trace": trace, "frame": 0, "draw": 1 }));
    let told = verb(&["state", &name, "--frame", "0", "--draw", "1"]).remove(0);
    assert!(state.as_object().unwrap().iter().all(|(key, value)| told[key] == *value), "{state} {told}");

    let filter = "UPLOAD_BUFFER(offset_bytes > 40)";
    let events = client.result("events", &json!({ "trace": trace, "frame": 0, "filter": filter }));
    let told = verb(&["events", &name, "--frame", "0", "--filter", filter]);
    let rows = events["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &events["matching_rows"]), (told.len() - 1, &json!(told.len() - 1)));
    for (row, told) in rows.iter().zip(&told[1..]) {
        assert!(row.as_object().unwrap().iter().all(|(key, value)| told[key] == *value), "{row} {told}");
    }
    let part = client.result("events", &json!({ "trace": trace, "filter": filter, "first": 2, "count": 1 }));
    assert_eq!(part["rows"], json!([rows[2]]));
    let mut from = Value::Null;
    for row in rows {
        let found = client.result("find", &json!({ "trace": trace, "filter": filter, "from": from }));
        assert_eq!(found, *row);
        from = json!({ "frame": found["frame"], "row": found["row"] });
    }
    assert_eq!(client.result("find", &json!({ "trace": trace, "filter": filter, "from": from })), Value::Null);
    let back = json!({ "trace": trace, "filter": filter, "from": from, "direction": "previous" });
    assert_eq!(client.result("find", &back), rows[rows.len() - 2]);
    let wrong = client.error("find", &json!({ "trace": trace, "filter": "(" }));
    assert_eq!(wrong["code"], -32602, "{wrong}");

    let buffer = client.result("buffer", &json!({ "trace": trace, "draw": 2, "start": 10, "end": 30 }));
    let told = verb(&["buffer", &name, "--frame", "0", "--draw", "2", "--range", "10-30"]).remove(0);
    assert_eq!((&buffer["hex"], &buffer["ranges"]), (&told["hex"], &told["ranges"]));
    let table = client.result("buffer", &json!({ "trace": trace, "draw": 2, "vertices": true }));
    let told = verb(&["buffer", &name, "--frame", "0", "--draw", "2", "--vertices"]);
    let rows = table["vertices"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    assert!(rows.iter().zip(&told).all(|(row, told)| row["color"] == told["color"] && row["vertex"] == told["vertex"]));

    let pixel = client.result("pixel", &json!({ "trace": trace, "x": 40, "y": 20 }));
    let events = pixel["events"].as_array().unwrap();
    let image = client.result("image", &json!({ "trace": trace }));
    let picture = read_png(std::io::Cursor::new(decode_base64(image["png"].as_str().unwrap()))).unwrap();
    let rgba = picture.pixel(40, 20).unwrap();
    assert_eq!((events.len(), &events[events.len() - 1]["rgba"]), (6, &json!(rgba)), "{pixel}");
    assert_eq!(client.error("pixel", &json!({ "trace": trace, "x": 999, "y": 0 }))["data"]["exit_code"], 2);

    let folder = tempfile::tempdir().unwrap();
    let clearing = folder.path().join("clearing");
    std::fs::write(&clearing, clearing_frames()).unwrap();
    let cleared = client.open(&clearing);
    let pixel = client.result("pixel", &json!({ "trace": cleared, "frame": 2, "x": 0, "y": 1 }));
    let told = verb(&[&["pixel", clearing.to_str().unwrap(), "--frame", "2", "--at", "0,1"][..], &ADAPTER].concat());
    let start = &pixel["events"][0];
    assert_eq!((&start["rgba"], &start["origin_frame"], &start["origin_draw"]), (&json!(RED), &json!(1), &json!(0)));
    assert!(start.as_object().unwrap().iter().all(|(key, value)| told[0][key] == *value), "{start} {told:?}");

    let mesh = client.result("mesh", &json!({ "trace": trace, "draw": 0, "first": 3 }));
    let told = verb(&[&["mesh", &name, "--frame", "0", "--draw", "0"][..], &ADAPTER].concat());
    assert_eq!((mesh["vertices"].as_array().unwrap().len(), &mesh["first"]), (3, &json!(3)));
    assert_eq!(mesh["vertices"][0]["clip"], told[1 + 3]["clip"]);
    assert_eq!(mesh["triangles"][0]["area_px"], told[1 + 6 + 1]["area_px"]);

    let path = root().join("fixtures/aerogpu/scenes/seed-200.aerogputrace");
    let (trace, name) = (client.open(&path), path.display().to_string());
    let served = client.result("buffer", &json!({ "trace": trace, "draw": 0, "vertices": true, "end": 5 }));
    let told = verb(&["buffer", &name, "--frame", "0", "--draw", "0", "--vertices", "--range", "0-5"]);
    let streams = served["streams"].as_array().unwrap();
    let told_of = |kind: &str| told.iter().filter(|line| line["type"] == kind).count();
    let rows: usize = streams.iter().map(|stream| stream["rows"].as_array().unwrap().len()).sum();
    assert_eq!((streams.len(), rows), (told_of("vertex-stream"), told_of("stream-vertex")), "{served}");
    assert!(streams[0]["attributes"] == told[0]["attributes"] && rows > 0, "{served}");
    let first = &streams[0]["rows"][0]["values"];
    assert_eq!(first, &json!(told[1]["values"].as_object().unwrap().values().collect::<Vec<_>>()), "{served}");
    let buffer = client.result("buffer", &json!({ "trace": trace, "draw": 0, "id": streams[0]["buffer"], "end": 16 }));
    let id = streams[0]["buffer"].to_string();
    let told = verb(&["buffer", &name, "--frame", "0", "--draw", "0", "--id", &id, "--range", "0-16"]);
    assert_eq!((&buffer["size_bytes"], &buffer["ranges"]), (&told[0]["size_bytes"], &told[0]["ranges"]));
    for draw in 0..3 {
        let state = client.result("state", &json!({ "trace": trace, "frame": 0, "draw": draw }));
        let told = verb(&["state", &name, "--frame", "0", "--draw", &draw.to_string()]).remove(0);
        assert!(state.as_object().unwrap().iter().all(|(key, value)| told[key] == *value), "{state} {told}");
        assert!(state["settings"].as_array().unwrap().len() > 20, "{state}");
    }
}

fn an_edit_shows_and_can_be_saved_and_reverted() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start(&ADAPTER);
    let path = fixture("triangle");
    let trace = client.open(&path);
    let before = client.result("hash", &json!({ "trace": trace }))["sha256"].clone();
    let shaders = client.result("shaders", &json!({ "trace": trace, "draw": 0 }));
    let text = &shaders["fragment"]["texts"][0];
    let record = &text["record_offset"];
    let edit = |text: Value| json!({ "trace": trace, "frame": 0, "record_offset": record, "text": text });
    let broken = client.result("edit", &edit(json!("@fragment fn f() -> @location(0) vec4f {\n  return x;\n}")));
    assert_eq!((&broken["issues"][0]["line"], &broken["issues"][0]["stage"]), (&json!(2), &json!("fragment")));
    let told = &broken["diagnostics"][0];
    assert_eq!((&told["range"]["start"]["line"], &told["severity"]), (&json!(1), &json!(1)), "{broken}");
    assert_eq!(client.result("hash", &json!({ "trace": trace }))["sha256"], before, "the old text stays");
    let none = client.error("save_edits", &json!({ "trace": trace, "folder": folder.path() }));
    assert_eq!(none["code"], -32602);

    let white = "@fragment fn f() -> @location(0) vec4f { return vec4f(1.0); }";
    let edited = client.result("edit", &edit(json!(white)));
    assert_eq!((&edited["issues"], &edited["is_used"]), (&json!([]), &json!(true)));
    let after = client.result("hash", &json!({ "trace": trace }))["sha256"].clone();
    assert_ne!(after, before);
    client.result("save_edits", &json!({ "trace": trace, "folder": folder.path() }));
    let (name, saved) = (path.display().to_string(), folder.path().display().to_string());
    let arguments = [&name, "--frame", "0", "--hash", "--replace-shaders", &saved];
    let done = run(&[&arguments[..], &ADAPTER].concat(), folder.path());
    assert!(done.stdout.contains(after.as_str().unwrap()), "{done:?}");
    let opened = client.result("open", &json!({ "path": path, "replace_shaders": folder.path() }));
    assert_eq!(client.result("hash", &json!({ "trace": opened["trace"] }))["sha256"], after);

    let odd = "#version 300 es\nflat out mediump vec4 o;\nvoid main() { o = vec4(1.0); }";
    let glsl = &shaders["fragment"]["texts"][1]["record_offset"];
    let odd = client.result("edit", &json!({ "trace": trace, "frame": 0, "record_offset": glsl, "text": odd }));
    let told: Vec<_> = odd["diagnostics"].as_array().unwrap().iter().map(|told| &told["severity"]).collect();
    assert_eq!((&odd["issues"], &odd["is_used"], told[0]), (&json!([]), &json!(false), &json!(2)), "{odd}");
    assert_eq!(odd["diagnostics"][0]["range"]["start"], json!({ "line": 1, "character": 0 }));
    assert_eq!(client.result("edit", &edit(Value::Null))["reverted"], true);
    assert_eq!(client.result("hash", &json!({ "trace": trace }))["sha256"], before);
}

fn no_open_trace_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    std::fs::copy(fixture("triangle"), place("drawn.aerogputrace")).unwrap();
    let mut client = Client::start(&ADAPTER);
    let trace = client.open(&place("drawn.aerogputrace"));
    let shaders = client.result("shaders", &json!({ "trace": trace, "draw": 0 }));
    let text = &shaders["fragment"]["texts"][0];
    let white = "@fragment fn f() -> @location(0) vec4f { return vec4f(1.0); }";
    client
        .result("edit", &json!({ "trace": trace, "frame": 0, "record_offset": text["record_offset"], "text": white }));
    let saved = client.result("save_edits", &json!({ "trace": trace, "folder": place("edits") }));
    let edited = Path::new(saved["paths"][0].as_str().unwrap()).to_owned();

    // Another trace is open under the name that the edited text would have, and has other names besides.
    std::fs::copy(fixture("frames"), &edited).unwrap();
    let other = client.open(&edited);
    std::fs::hard_link(&edited, place("hard.png")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("drawn.aerogputrace", place("soft.png")).unwrap();
    let mut asked = vec![
        ("image", json!({ "trace": trace, "path": place("drawn.aerogputrace") })),
        ("image", json!({ "trace": trace, "path": edited })),
        ("image", json!({ "trace": other, "frame": 0, "path": place("edits/../drawn.aerogputrace") })),
        ("image", json!({ "trace": other, "frame": 0, "path": place("hard.png") })),
        ("save_edits", json!({ "trace": trace, "folder": place("edits") })),
    ];
    if cfg!(unix) {
        asked.push(("image", json!({ "trace": trace, "path": place("soft.png") })));
    }
    for (method, params) in asked {
        let error = client.error(method, &params);
        assert!(error["message"].as_str().unwrap().contains("is the same file as"), "{params}: {error}");
        assert_eq!(error["data"]["exit_code"], 2, "{params}: {error}");
    }
    assert!(std::fs::read(place("drawn.aerogputrace")).unwrap() == std::fs::read(fixture("triangle")).unwrap());
    assert!(std::fs::read(&edited).unwrap() == std::fs::read(fixture("frames")).unwrap());
    // Whoever closes it may write there.
    client.result("close", &json!({ "trace": other }));
    client.result("save_edits", &json!({ "trace": trace, "folder": place("edits") }));
    assert_eq!(std::fs::read_to_string(&edited).unwrap(), white);
}

fn questions_need_no_device() {
    let mut client = Client::start(&["--adapter", "no such adapter"]);
    let trace = client.open(&fixture("triangle"));
    assert_eq!(client.result("state", &json!({ "trace": trace, "draw": 0 }))["pipeline"]["language"], "wgsl");
    assert_eq!(client.result("events", &json!({ "trace": trace }))["draws"], 1);
    let error = client.error("hash", &json!({ "trace": trace }));
    assert_eq!(error["data"]["exit_code"], 5, "{error}");
    assert_eq!(client.end().1, 0);
}

/// The conversation that `serve --help` shows, as a shell pipes it: all requests at once. The input stays open, so that it is
/// `shutdown` that ends the session.
fn the_example_of_the_help_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(fixture("frames"), folder.path().join("trace.bin")).unwrap();
    let help = run(&["serve", "--help"], folder.path()).stdout;
    let requests: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    let requests: Vec<&str> = requests.into_iter().filter(|line| line.starts_with('{')).collect();
    assert_eq!(requests.len(), 4, "{help}");
    let mut command = support::program::program();
    command.args(["serve", "--stdio"]).args(ADAPTER).current_dir(folder.path());
    let mut client = Client::of(command);
    client.write((requests.join("\n") + "\n").as_bytes());
    let answers: Vec<Value> = requests.iter().map(|_| client.read_line()).collect();
    assert!(answers.iter().all(|answer| answer.get("error").is_none()), "{answers:?}");
    let of = |id: u64| answers.iter().find(|answer| answer["id"] == id).map(|answer| &answer["result"]).unwrap();
    assert_eq!(of(1)["trace"], 1);
    assert!(!of(2)["rows"].as_array().unwrap().is_empty(), "{answers:?}");
    assert!(folder.path().join(of(3)["path"].as_str().unwrap()).exists());
    assert_eq!(answers.last().unwrap(), &json!({ "jsonrpc": "2.0", "id": 4, "result": null }));
    assert_eq!(client.child.wait().unwrap().code(), Some(0));
}

fn settings_of_objects_have_their_handles() {
    let mut client = Client::start(&ADAPTER);
    let trace = client.open(&fixture("a3a0/scene"));
    let state = client.result("state", &json!({ "trace": trace, "draw": 0 }));
    let mut groups = BTreeSet::new();
    for setting in state["settings"].as_array().unwrap() {
        let value = setting["value"].as_str().unwrap();
        let Some(handle) = setting["handle"].as_u64() else { continue };
        let number = value.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty());
        assert_eq!(number, Some(handle.to_string().as_str()), "{setting}");
        let mut objects = state["objects"].as_array().unwrap().iter();
        assert!(objects.any(|object| object["handle"] == handle), "{setting}");
        groups.insert(setting["group"].as_str().unwrap());
    }
    assert!(groups.contains("shaders") && groups.contains("targets") && groups.contains("vertices"), "{groups:?}");
    let verb =
        run(&["state", &fixture("a3a0/scene").display().to_string(), "--frame", "0", "--draw", "0", "--json"], root());
    let verb: Value = serde_json::from_str(&verb.stdout).unwrap();
    assert_eq!(verb["settings"], state["settings"]);
}

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 13] = [
        ("settings_of_objects_have_their_handles", settings_of_objects_have_their_handles),
        ("the_example_of_the_help_is_answered", the_example_of_the_help_is_answered),
        ("every_hash_is_that_of_the_program", every_hash_is_that_of_the_program),
        ("pictures_come_as_text_or_as_files", pictures_come_as_text_or_as_files),
        ("what_is_no_request_is_answered_and_the_next_one_too", what_is_no_request_is_answered_and_the_next_one_too),
        ("batches_and_both_framings_interleave", batches_and_both_framings_interleave),
        ("errors_carry_exit_code_and_offset", errors_carry_exit_code_and_offset),
        ("answers_are_those_of_the_verbs", answers_are_those_of_the_verbs),
        ("markers_are_told_and_searched", markers_are_told_and_searched),
        ("each_row_is_found_from_the_one_before_it", each_row_is_found_from_the_one_before_it),
        ("an_edit_shows_and_can_be_saved_and_reverted", an_edit_shows_and_can_be_saved_and_reverted),
        ("no_open_trace_is_written_over", no_open_trace_is_written_over),
        ("questions_need_no_device", questions_need_no_device),
    ];
    let trials = tests.map(|(name, test)| software::trial(name, move |_| test()));
    trials.into()
}
