//! Names that markers give resources, beside their handles: in texts, in JSON and in the answers of `serve`.

use std::fs;
use std::path::Path;

use crate::support;
use aerogpu_replay::abi::a3a0::resources::DestroyResource;
use serde_json::{Value, json};
use support::harness::{Trial, trials_of};
use support::json_schema::Schema;
use support::program::run;
use support::root;
use support::serve_client::Client;
use support::streams::{
    self, APPENDED, Element, FLOAT4, PIXEL, R8G8B8A8, Stream, StreamOfTests, TRIANGLE_LIST, VERTEX, WHOLE, marker,
    recording,
};

pub fn trials() -> Vec<Trial> {
    trials_of![names_stand_beside_handles, a_name_ends_with_its_resource, serve_tells_names]
}

/// Frame 0 names a texture and a buffer and draws; frame 1 draws, and makes another texture under the handle.
fn trace() -> Vec<u8> {
    let mut first = Stream::new();
    first
        .shader(1, VERTEX, "quad.vs")
        .shader(2, PIXEL, "color.ps")
        .layout(1, &[Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)])
        .texture(5, R8G8B8A8, [8, 8], [1, 1])
        .buffer(3, &streams::rectangle(WHOLE, 0.5, [streams_green(); 4]));
    marker(&mut first, b"name 5 the \"screen\"");
    marker(&mut first, b"name 3 quad");
    frame(&mut first);
    let mut second = Stream::new();
    frame(&mut second);
    second.put(DestroyResource { handle: 5, reserved: 0 }).texture(5, R8G8B8A8, [8, 8], [1, 1]);
    frame(&mut second);
    let streams = [first.finish(), second.finish()];
    recording(streams.iter().map(Vec::as_slice))
}

fn streams_green() -> [f32; 4] {
    [0.0, 1.0, 0.0, 1.0]
}

fn frame(stream: &mut Stream) {
    stream.topology(TRIANGLE_LIST).viewport([0.0, 0.0, 8.0, 8.0]).targets(&[5], 0).shaders(1, 2).use_layout(1);
    stream.vertex_buffer(0, 3, streams::VERTEX_BYTES, 0).draw(0, 6);
    stream.present();
}

fn said(folder: &Path, words: &str) -> String {
    let words: Vec<&str> = words.split(' ').collect();
    let done = run(&words, folder);
    assert_eq!(done.code, 0, "{words:?}: {done:?}");
    done.stdout
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("T"), trace()).unwrap();
    folder
}

/// Lines, each as the schema has it.
fn lines(text: &str) -> Vec<Value> {
    let schema = schema();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let wrong: Vec<String> = lines.iter().flat_map(|line| schema.errors(line)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    lines
}

fn schema() -> Schema {
    Schema::parse(&fs::read_to_string(root().join("docs/json-lines.schema.json")).unwrap())
}

fn names_stand_beside_handles() {
    let folder = folder();
    let quad = r#"3 "quad""#;
    let screen = r#"5 "the "screen"""#;
    for (words, expected) in [
        ("events T --frame 1", format!("color=[{screen}, 0, 0, 0, 0, 0, 0, 0]")),
        ("draws T --frames 0", format!("to texture {screen}")),
        ("texture T --frame 0 5", r#"resource 5:0:0 "the "screen"": mip 0"#.to_owned()),
        ("buffer T --frame 0 --id 3", r#"resource 3:0:0 "quad": buffer of"#.to_owned()),
        ("pixel T --frame 0 --at 1,1 --backend vulkan --adapter llvmpipe", format!(" in texture {screen},")),
        ("buffer T --frame 0 --vertices", format!("stream 0: buffer {quad} of")),
    ] {
        let text = said(folder.path(), words);
        assert!(text.contains(&expected), "{words}: {expected} is not in\n{text}");
    }
    let json = |words: &str| lines(&said(folder.path(), &format!("{words} --json")));
    let targets = json("events T --frame 1");
    let bound = targets.iter().find(|line| line["name"] == "SET_RENDER_TARGETS").unwrap();
    assert_eq!(
        (&bound["resource_names"], &bound["meanings"]["color"]),
        (&json!({ "5": "the \"screen\"" }), &json!("resource"))
    );
    assert_eq!(json("draws T --frames 0")[0]["targets"][0]["name"], "the \"screen\"");
    assert_eq!(json("buffer T --frame 0 --id 3")[0]["name"], "quad");
    assert_eq!(json("texture T --frame 0 5")[0]["name"], "the \"screen\"");
    assert_eq!(json("buffer T --frame 0 --vertices")[0]["name"], "quad");
}

/// Before its marker a resource has no name; the next texture of the handle has none either.
fn a_name_ends_with_its_resource() {
    let folder = folder();
    let rows = lines(&said(folder.path(), "events T --frame 0 --json"));
    let made = rows.iter().find(|line| line["name"] == "CREATE_TEXTURE2D").unwrap();
    assert_eq!(made.get("resource_names"), None);
    let rows = lines(&said(folder.path(), "events T --frame 1 --json"));
    let named: Vec<bool> = rows
        .iter()
        .filter(|line| line["name"] == "SET_RENDER_TARGETS")
        .map(|line| line.get("resource_names").is_some())
        .collect();
    assert_eq!(named, [true, false]);
    let destroyed = rows.iter().find(|line| line["name"] == "DESTROY_RESOURCE").unwrap();
    assert_eq!(destroyed["resource_names"]["5"], "the \"screen\"");
    let text = said(folder.path(), "texture T --frame 1 5");
    assert!(text.starts_with("resource 5:0:0: "), "{text}");
    let draws = lines(&said(folder.path(), "draws T --frames 1 --json"));
    let names: Vec<&Value> = draws.iter().map(|draw| &draw["targets"][0]["name"]).collect();
    assert_eq!(names, [&json!("the \"screen\""), &Value::Null]);
}

fn serve_tells_names() {
    let folder = folder();
    let mut client = Client::start(&["--backend", "vulkan", "--adapter", "llvmpipe"]);
    let trace = client.open(&folder.path().join("T"));
    let schema = schema();
    let mut ask = |method: &str, params: Value| {
        let answer = client.ask(method, &params);
        assert_eq!(schema.errors_of(&format!("serve {method}"), &answer), Vec::<String>::new(), "{answer}");
        answer["result"].clone()
    };
    let buffer = ask("buffer", json!({ "trace": trace, "frame": 0, "id": 3 }));
    assert_eq!(buffer["name"], "quad");
    let streams = ask("buffer", json!({ "trace": trace, "frame": 0, "vertices": true }));
    assert_eq!(streams["streams"][0]["name"], "quad", "{streams}");
    let events = ask("events", json!({ "trace": trace, "frame": 1 }));
    let rows = events["rows"].as_array().unwrap();
    let bound = rows.iter().find(|row| row["name"] == "SET_VERTEX_BUFFERS" || row["name"] == "SET_RENDER_TARGETS");
    assert_eq!(bound.unwrap()["resource_names"], json!({ "5": "the \"screen\"" }));
    let found =
        ask("find", json!({ "trace": trace, "filter": "SET_RENDER_TARGETS", "from": { "frame": 1, "row": 0 } }));
    assert_eq!(found["resource_names"], json!({ "5": "the \"screen\"" }));
    let pixel = ask("pixel", json!({ "trace": trace, "frame": 0, "x": 1, "y": 1 }));
    assert_eq!(pixel["events"][0]["name"], "the \"screen\"");
    client.end();
}
