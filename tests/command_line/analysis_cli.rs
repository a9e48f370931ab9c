//! The verbs `events`, `state` and `buffer`, as a user runs them.

use std::path::Path;

use crate::support;
use serde_json::{Value, json};
use support::fixture;
use support::harness::{Trial, trials_of};
use support::program::{Run, run};
use support::raw::RawTrace;
use support::scene::{BLUE, RED, Scene, rectangle, vertices};
use support::streams::{
    APPENDED, Element, Stream, StreamOfTests, TRIANGLE_LIST, VERTEX, floats, recording, stream_of_markers,
};

pub fn trials() -> Vec<Trial> {
    trials_of![
        events_are_listed_by_draw,
        markers_are_told_by_every_verb,
        damage_and_oddities_are_told_beside_the_packets,
        state_says_what_is_bound_and_who_made_it,
        a_buffer_s_bytes_come_as_hex_as_vertices_and_as_a_file,
        vertices_of_submissions_come_by_stream,
    ]
}

fn verb(arguments: &[&str]) -> Run {
    run(arguments, Path::new("."))
}

fn name(fixture_name: &str) -> String {
    fixture(fixture_name).display().to_string()
}

fn lines(done: &Run) -> Vec<Value> {
    done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn written(folder: &Path, bytes: &[u8]) -> String {
    let path = folder.join("made.aerogputrace");
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

/// Two frames of two contexts: what each verb tells of their markers.
fn markers_are_told_by_every_verb() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), &stream_of_markers());
    let listed = verb(&["events", &path, "--frame", "0", "--filter", "DRAW or DEBUG_MARKER"]);
    let row = regex::Regex::new(r"0x[0-9a-f]{8} +[0-9]+  ([A-Z_]+).*").unwrap();
    let found: Vec<String> = listed.stdout.lines().skip(1).map(|line| row.replace(line, "$1").into_owned()).collect();
    let expected = "\
draw 0
  submission 0, context 1
  DEBUG_MARKER
  DEBUG_MARKER
  marker \"shadow pass\"
    DEBUG_MARKER
    marker \"cascade 0\"
      DEBUG_MARKER
      DRAW
draw 1
  submission 1, context 2
  marker \"overlay\"
    DEBUG_MARKER
    DRAW
draw 2
  submission 2, context 1
  marker \"shadow pass\"
    marker \"cascade 0\"
      DRAW
draw 3
  submission 2, context 1
  marker \"shadow pass\"
    marker \"cascade 0\"
      DEBUG_MARKER
    marker \"casters\"
      DEBUG_MARKER
      DRAW
draw 4
  submission 2, context 1
  marker \"shadow pass\"
    DEBUG_MARKER
  DEBUG_MARKER
  DRAW
draw 5
  submission 2, context 1
  marker \"bad \u{fffd}\u{fffd}\"
    DEBUG_MARKER
    DRAW";
    assert_eq!(found, expected.lines().collect::<Vec<_>>());
    assert!(listed.stdout.contains("DEBUG_MARKER  text=\"{ shadow pass\""), "{}", listed.stdout);
    let draws = |frame| lines(&verb(&["events", &path, "--frame", frame, "--json", "--filter", "DRAW"]))[1..].to_vec();
    let of_events: Vec<Value> = ["0", "1"].into_iter().flat_map(draws).map(|line| line["markers"].clone()).collect();
    let expected = json!([
        ["shadow pass", "cascade 0"],
        ["overlay"],
        ["shadow pass", "cascade 0"],
        ["shadow pass", "casters"],
        [],
        ["bad \u{fffd}\u{fffd}"],
        [],
        ["{ open"],
    ]);
    assert_eq!(json!(of_events), expected);
    let of_draws: Vec<Value> =
        lines(&verb(&["draws", &path, "--json"])).iter().map(|line| line["markers"].clone()).collect();
    assert_eq!(json!(of_draws), expected);
    let text = verb(&["draws", &path]).stdout;
    assert!(text.contains(", in \"shadow pass\" / \"casters\"\n"), "{text}");
    let shadows = lines(&verb(&["events", &path, "--frame", "0", "--json", "--filter", "DRAW(marker =~ /shadow/)"]));
    assert_eq!(shadows[1..].iter().map(|line| line["draw"].clone()).collect::<Vec<_>>(), [0, 2, 3]);
    let state = verb(&["state", &path, "--frame", "0"]).stdout;
    assert!(state.contains("texture 1 \"shadow map\"") && state.contains("texture 6 \"scratch\""), "{state}");
    let state = verb(&["state", &path, "--frame", "1"]).stdout;
    assert!(state.contains("texture 1 \"colour\"") && !state.contains("scratch"), "{state}");
    let dumped = lines(&verb(&["timeline", "dump", &path, "--json"]));
    let on_track = |context: u32| -> Vec<Value> {
        let title = format!("markers of context {context}");
        let spans = dumped.iter().filter(|line| line["track"] == json!(title));
        spans.map(|line| json!([line["depth"], line["name"]])).collect()
    };
    let of_first = [
        json!([0, "shadow pass"]),
        json!([1, "cascade 0"]),
        json!([1, "casters"]),
        json!([0, "bad \u{fffd}\u{fffd}"]),
        json!([0, "{ open"]),
    ];
    assert_eq!((on_track(1), on_track(2)), (of_first.to_vec(), vec![json!([0, "overlay"])]));
}

fn events_are_listed_by_draw() {
    let done = verb(&["events", &name("redefinition"), "--frame", "0", "--filter", "DRAW or SET_VERTEX_BUFFER"]);
    done.expect(
        0,
        "\
frame 0: 0x60, 1946 bytes, 25 packets, 4 draws
draw 0
  0x0000038b      7  SET_VERTEX_BUFFER  buffer_id=1  stride_bytes=24  position_offset_bytes=0  color_offset_bytes=8
  0x00000493     10  DRAW  vertex_count=6  first_vertex=0
draw 1
  0x000004ab     11  SET_VERTEX_BUFFER  buffer_id=1  stride_bytes=24  position_offset_bytes=0  color_offset_bytes=8
  0x000004cb     12  DRAW  vertex_count=6  first_vertex=0
draw 2
  0x0000065e     16  SET_VERTEX_BUFFER  buffer_id=2  stride_bytes=24  position_offset_bytes=0  color_offset_bytes=8
  0x0000067e     17  DRAW  vertex_count=6  first_vertex=0
draw 3
  0x000007ae     22  SET_VERTEX_BUFFER  buffer_id=3  stride_bytes=24  position_offset_bytes=0  color_offset_bytes=8
  0x000007ce     23  DRAW  vertex_count=6  first_vertex=0
",
        "",
    );
    let done = verb(&["events", &name("redefinition"), "--frame", "last", "--json", "--filter", "*(size_bytes == 75)"]);
    let told = lines(&done);
    assert_eq!((done.code, told.len(), &told[0]["type"]), (0, 2, &json!("frame-events")));
    assert_eq!((&told[1]["name"], &told[1]["draw"], &told[1]["packet"]), (&json!("Blob"), &json!(2), &Value::Null));
    assert_eq!(told[1]["meanings"]["size_bytes"], "bytes");
    verb(&["events", &name("redefinition"), "--frame", "0", "--filter", "("]).expect(2, "", "expected");
    verb(&["events", &name("redefinition"), "--frame", "all"]).expect(
        0,
        &verb(&["events", &name("redefinition"), "--frame", "0"]).stdout,
        "",
    );
    let all = verb(&["events", &name("frames")]).stdout;
    assert_eq!(verb(&["events", &name("frames"), "--frame", "all"]).stdout, all);
    let one_by_one = ["0", "1", "2", "3"].map(|frame| verb(&["events", &name("frames"), "--frame", frame]).stdout);
    assert_eq!(one_by_one.concat(), all);
    verb(&["state", &name("frames"), "--frame", "all"]).expect(2, "", "expected one frame");
    verb(&["events", &name("frames"), "--frame", "9"]).expect(2, "", "frame 9 does not exist");
}

fn damage_and_oddities_are_told_beside_the_packets() {
    let folder = tempfile::tempdir().unwrap();
    let mut trace = RawTrace::new();
    let start = trace.offset();
    trace.begin(0).packet(&[8, 6, f32::NAN.to_bits(), 0, 0, 0]).packet(&[7, 4, 1, 1, 99, 2]).frame_since(start);
    let path = written(folder.path(), &trace.finish());
    let done = verb(&["events", &path, "--frame", "0"]);
    assert_eq!(done.code, 4, "an unknown opcode may well be sound: {done:?}");
    for part in [
        "CLEAR  r=NaN",
        "    warning: CLEAR has the colour component NaN",
        "SET_VIEWPORT  width_px=1",
        "error: frame 0: unknown opcode 0x0063",
    ] {
        assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
    }
    let told = lines(&verb(&["events", &path, "--frame", "0", "--json"]));
    assert_eq!((&told[2]["arguments"]["r"], &told[2]["notes"][0]["kind"]), (&json!("NaN"), &json!("warning")));
    assert_eq!(told.last().unwrap()["type"], "damage");
    let strict = verb(&["events", &path, "--frame", "0", "--strict"]);
    assert_eq!(strict.code, 3);
    assert!(
        strict.stderr.contains("expected a finite number, at 0x") && strict.stderr.contains("(--strict)"),
        "{strict:?}"
    );
    let state = verb(&["state", &path, "--frame", "0"]);
    assert_eq!(state.code, 4);
    assert!(
        // The state is known all the same.
        state.stderr.contains("frame 0: unknown opcode") && state.stdout.contains("1x1"),
        "{state:?}"
    );

    let mut scene = Scene::with_pipeline();
    scene.upload(9, 0, &[0; 4]).end();
    let path = written(folder.path(), &scene.finish());
    let done = verb(&["events", &path, "--frame", "0"]);
    assert_eq!(done.code, 6);
    assert!(done.stdout.contains("(frame 0, packet 4): buffer 9 does not exist"), "{}", done.stdout);
}

fn state_says_what_is_bound_and_who_made_it() {
    let done = verb(&["state", &name("redefinition"), "--frame", "0", "--draw", "0"]);
    done.expect(
        0,
        "frame 0, draw 0\n\
         \x20 DRAW at 0x493 (frame 0, packet 10): 6 vertices from 0\n\
         \n\
         bound\n\
         \x20 pipeline       pipeline 1                             set 0x26f packet 3, created 0x253 packet 2\n\
         \x20 vertex         shader 1, entry point vs_main          created 0x179 packet 0\n\
         \x20 fragment       shader 2, entry point fs_main          created 0x223 packet 1\n\
         \x20 vertex buffer  buffer 1 of 144 bytes, replaced since  set 0x38b packet 7\n\
         \x20 vertices       stride 24, position at 0, colour at 8\n\
         \x20 viewport       the whole target                       never set\n\
         \n\
         alive\n\
         \x20 buffer 1    144 bytes  used by 3 packets  created 0x2a3 packet 5, 1 upload, the last 0x367 packet 6, replaced 0x3ab packet 8 but still bound\n\
         \x20 buffer 1    144 bytes  used by 3 packets  created 0x3ab packet 8, replacing the one created 0x2a3 packet 5, 1 upload, the last 0x46f packet 9\n\
         \x20 shader 1    vertex     used by 6 packets  created 0x179 packet 0\n\
         \x20 shader 2    fragment   used by 4 packets  created 0x223 packet 1, replaced later 0x546 packet 13\n\
         \x20 pipeline 1             used by 4 packets  created 0x253 packet 2, replaced later 0x696 packet 18\n",
        "",
    );
    let told = lines(&verb(&["state", &name("viewport"), "--frame", "0", "--packet", "0", "--json"])).remove(0);
    assert_eq!((&told["place"]["point"], &told["pipeline"]), (&json!({ "packet": 0 }), &Value::Null));
    for (parts, place) in [(&["--draw", "1"][..], "0/draw=1"), (&["--packet", "4"], "0/packet=4"), (&[], "0")] {
        let told = |arguments: &[&str]| verb(&[&["state", &name("redefinition")], arguments].concat()).stdout;
        let by_place = told(&["--place", place]);
        assert_eq!(by_place, told(&[&["--frame", "0"], parts].concat()));
        assert!(by_place.starts_with("frame 0") && by_place.lines().count() > 5, "{by_place}");
    }
    let start = verb(&["state", &name("redefinition"), "--place", "0/start"]);
    let words = "frame 0 before its first packet\n\nbound\n  pipeline       none\n  vertex buffer  none\n  viewport       the whole target  never set\n";
    start.expect(0, words, "");
    let two_frames = verb(&["state", &name("frames")]);
    two_frames.expect(2, "", "which frame? The trace has 4 frames, 0 to 3: expected --frame N");
    verb(&["state", &name("viewport"), "--place", "0", "--frame", "0"]).expect(2, "", "cannot be used");
    verb(&["state", &name("viewport"), "--frame", "0", "--draw", "3"]).expect(2, "", "frame 0 has 3 draws");
    verb(&["state", &name("viewport"), "--frame", "0", "--draw", "1", "--packet", "1"]).expect(2, "", "cannot be used");
}

fn a_buffer_s_bytes_come_as_hex_as_vertices_and_as_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = Scene::with_pipeline();
    let bytes = [vertices(&rectangle(0.0, 0.0, 1.0, 1.0), RED), vertices(&[[0.5, 0.25]], BLUE)].concat();
    scene.buffer(7, &bytes).bind(7).draw(0, 6).upload(7, 4, &[1, 2, 3, 4]).end();
    let path = written(folder.path(), &scene.finish());
    let out = folder.path().join("bytes");
    let at_draw = |more: &[&str]| verb(&[&["buffer", &path, "--frame", "0", "--draw", "0"], more].concat());
    at_draw(&["--raw", "--out", &out.display().to_string()]).expect(0, "", "");
    assert_eq!(std::fs::read(&out).unwrap(), bytes);
    at_draw(&["--raw", "--range", "0x18-30", "--out", &out.display().to_string()]).expect(0, "", "");
    assert_eq!(std::fs::read(&out).unwrap(), bytes[24..30]);
    let end = verb(&["buffer", &path, "--frame", "0", "--id", "7", "--range", "-8", "--json"]);
    let told = lines(&end).remove(0);
    assert_eq!((&told["hex"], told["ranges"].as_array().unwrap().len()), (&json!("0000000001020304"), 2));
    let rows = lines(&at_draw(&["--vertices", "--range", "6-", "--json"]));
    assert_eq!(
        (rows.len(), &rows[0]["position"], &rows[0]["color"]),
        (1, &json!([0.5, 0.25]), &json!([0.0, 0.0, 1.0, 1.0]))
    );
    assert_eq!(rows[0]["position_hex"], "0000003f0000803e");
    let text = at_draw(&["--hex", "--range", "0-4"]).stdout;
    assert!(text.starts_with("buffer 7, 168 bytes, created at 0x"), "{text}");
    assert!(text.ends_with("  0x00000000  00 00 00 00                                      ....\n"), "{text}");

    at_draw(&["--id", "8"]).expect(2, "", "buffer 8 does not exist at this point");
    at_draw(&["--range", "0-169"]).expect(2, "", "bytes 0 to 169 are not all in the buffer, which has 168");
    at_draw(&["--range", "5-4"]).expect(2, "", "bytes 5 to 4 are not all in the buffer");
    at_draw(&["--range", "x"]).expect(2, "", "expected A-B");
    at_draw(&["--raw"]).expect(2, "", "--out");
    let before = verb(&["buffer", &path, "--frame", "0", "--packet", "0"]);
    before.expect(2, "", "no vertex buffer is bound at this point");
}

/// Positions go with vertices, colours with every second instance; a third buffer is bound that nothing reads.
fn streams_of_vertices() -> Vec<u8> {
    let mut stream = Stream::new();
    let colors = [[255, 0, 0, 255], [0, 51, 0, 255]].concat();
    stream
        .shader(1, VERTEX, "quad.vs")
        .layout(3, &[Element("POSITION", 6, 0, APPENDED, 0), Element("COLOR", 28, 1, 4, 2)])
        .shaders(1, 0)
        .use_layout(3)
        .buffer(5, &floats(&[9.0, -1.0, 0.5, 0.25, 2.0, 3.0, 4.0]))
        .buffer(6, &[&[0; 4][..], &colors].concat())
        .buffer(7, &floats(&[1.0]))
        .vertex_buffer(0, 5, 12, 4)
        .vertex_buffer(1, 6, 4, 0)
        .vertex_buffer(2, 7, 4, 0)
        .topology(TRIANGLE_LIST)
        .draw(0, 2)
        .present();
    recording([&stream.finish()[..]])
}

fn vertices_of_submissions_come_by_stream() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), &streams_of_vertices());
    let at_draw = |more: &[&str]| verb(&[&["buffer", &path, "--frame", "0", "--draw", "0"], more].concat());
    let text = at_draw(&["--vertices"]).stdout;
    let without_writers: Vec<&str> =
        text.lines().map(|line| line.split_once("  written ").map_or(line, |(line, _)| line)).collect();
    let expected = [
        "stream 0: buffer 5 of 28 bytes, stride 12, from 0x4: POSITION0 R32G32B32_FLOAT at 0",
        "  vertex 0 at 0x4  POSITION0 -1 0.5 0.25",
        "  vertex 1 at 0x10  POSITION0 2 3 4",
        "stream 1: buffer 6 of 12 bytes, stride 4, from 0x0, a row for 2 instances: COLOR0 R8G8B8A8_UNORM at 4",
        "  instance row 0 at 0x0  COLOR0 1 0 0 1",
        "  instance row 1 at 0x4  COLOR0 0 0.2 0 1",
        "stream 2: buffer 7 of 4 bytes, stride 4, from 0x0: no attribute of the layout",
    ];
    assert_eq!(without_writers, expected, "{text}");
    assert_eq!(text.matches("  written at 0x").count(), 4, "{text}");
    let json = lines(&at_draw(&["--vertices", "--id", "6", "--range", "1-", "--json"]));
    assert_eq!((json.len(), &json[0]["type"], &json[1]["row"]), (2, &json!("vertex-stream"), &json!(1)));
    assert_eq!(json[0]["attributes"], json!([{ "name": "COLOR0", "format": "R8G8B8A8_UNORM", "offset_bytes": 4 }]));
    assert_eq!((&json[0]["instances_per_row"], &json[0]["row_count"]), (&json!(2), &json!(2)));
    let green = json[1]["values"]["COLOR0"][1].as_f64().unwrap();
    assert!((green - 0.2).abs() < 1e-6, "{json:?}");
    at_draw(&["--vertices", "--id", "1"]).expect(2, "", "buffer 1 is in no vertex stream: buffers 5, 6, 7 are");
    at_draw(&["--hex"]).expect(2, "", "no buffer is given: expected its handle behind the trace, or --vertices");
    let listed: Vec<_> = lines(&at_draw(&["--json"])).iter().map(|line| line["handle"].clone()).collect();
    assert_eq!(listed, [5, 6, 7]);
    // The book's tour ends in these words, for traces of either kind.
    let scene = support::root().join("fixtures/aerogpu/scenes/seed-200.aerogputrace").display().to_string();
    let tour = verb(&["buffer", &scene, "--frame", "0", "--draw", "last", "--vertices"]);
    assert_eq!((tour.code, tour.stdout.starts_with("stream 0: buffer ")), (0, true), "{tour:?}");
}
