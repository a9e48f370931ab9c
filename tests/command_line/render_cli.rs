//! The program's rendering side, as a user runs it: outputs, hashes, exit codes.

use std::fs::{self, File};
use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support;
use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::pixels::read_png;
use support::harness::Trial;
use support::program::{Run, program, run};
use support::raw::RawTrace;
use support::scene::{BLACK, FRAGMENT_WGSL, RED, Scene, VERTEX_WGSL, rectangle, vertices};
use support::{fixture, software};

const TRIANGLE_HASH: &str = "1171a4a562614d26797113802f81afae784773e173235286c4f65e4aa1f43816";

fn render(arguments: &[&str], folder: &Path) -> Run {
    run(&[&["--backend", "vulkan", "--adapter", "llvmpipe"], arguments].concat(), folder)
}

fn triangle() -> String {
    fixture("triangle").display().to_string()
}

fn frames() -> String {
    fixture("frames").display().to_string()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn files_of(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

fn write_trace(folder: &Path, bytes: &[u8]) -> String {
    let path = folder.join("made.aerogputrace");
    fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

fn the_hash_of_the_public_triangle() {
    let folder = folder();
    let done = render(&[&triangle(), "--frame", "0", "--hash"], folder.path());
    done.expect(0, &format!("frame 0: 64x64 sha256={TRIANGLE_HASH}\n"), "");
    assert_eq!(files_of(folder.path()), [] as [&str; 0]);
    // The other API of the same driver.
    let gl = run(&[&triangle(), "--frame", "0", "--hash", "--backend", "gl"], folder.path());
    // It says first what it may draw otherwise, which is nothing here.
    let note = "note: OpenGL interpolates from another corner of a triangle than Vulkan: values may be rounded differently, \
                and a pixel may change where a shader or a test compares them, at 0x58b\n";
    gl.expect(0, &format!("frame 0: 64x64 sha256={TRIANGLE_HASH}\n"), note);
}

fn pictures_go_where_out_says() {
    let folder = folder();
    let read = |name: &str| read_png(BufReader::new(File::open(folder.path().join(name)).unwrap())).unwrap();
    render(&[&triangle(), "--frame", "0", "--out", "a.png"], folder.path()).expect(
        0,
        "",
        "wrote a.png: frame 0, 64x64; the trace has 1 frame (0)\n",
    );
    assert_eq!(read("a.png").hash().to_string(), TRIANGLE_HASH);
    render(&[&triangle(), "--frame", "last", "--out", "png"], folder.path()).expect(
        0,
        "",
        "wrote ./triangle.frame0000.png",
    );
    assert_eq!(read("triangle.frame0000.png").hash().to_string(), TRIANGLE_HASH);
    render(&[&triangle(), "--frame", "-1", "--out", "raw"], folder.path()).expect(
        0,
        "",
        "wrote ./triangle.frame0000.rgba",
    );
    let raw = fs::read(folder.path().join("triangle.frame0000.rgba")).unwrap();
    assert_eq!(raw, read("a.png").rgba());
    render(&[&triangle(), "--frame", "0", "--out", "b.rgba", "--quiet"], folder.path()).expect(0, "", "");
    assert_eq!(fs::read(folder.path().join("b.rgba")).unwrap(), raw);
    let piped = render(&[&triangle(), "--frame", "0", "--out", "-"], folder.path());
    assert_eq!(piped.code, 0, "{}", piped.stderr);
    assert_eq!(read_png(Cursor::new(piped.stdout_bytes)).unwrap(), read("a.png"));
    render(&[&frames(), "--frames", "0-2/2,last", "--out", "new/pictures"], folder.path()).expect(
        0,
        "",
        "wrote 3 pictures, the first new/pictures/frames.frame0000.png, 64x64; the trace has 4 frames (0 to 3)\n",
    );
    let expected = ["frames.frame0000.png", "frames.frame0002.png", "frames.frame0003.png"];
    assert_eq!(files_of(&folder.path().join("new/pictures")), expected);
    assert_eq!(
        files_of(folder.path()),
        ["a.png", "b.rgba", "new", "triangle.frame0000.png", "triangle.frame0000.rgba"]
    );
}

fn pictures_can_say_where_they_came_from() {
    let folder = folder();
    render(&[&triangle(), "--frame", "0", "--out", "a.png", "--png-info", "-q"], folder.path()).expect(0, "", "");
    let bytes = fs::read(folder.path().join("a.png")).unwrap();
    let texts = png_texts(&bytes);
    assert_eq!(texts["Source"], "triangle.aerogputrace");
    assert_eq!(texts["Frame"], "0 of 1");
    assert!(texts["Adapter"].contains("llvmpipe"), "{texts:?}");
}

fn png_texts(bytes: &[u8]) -> std::collections::BTreeMap<String, String> {
    let reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let chunks = &reader.info().uncompressed_latin1_text;
    chunks.iter().map(|chunk| (chunk.keyword.clone(), chunk.text.clone())).collect()
}

fn json_has_a_line_a_frame() {
    let folder = folder();
    let done = render(&[&frames(), "--frames", "1,3", "--hash", "--json", "--out", "."], folder.path());
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    let lines: Vec<serde_json::Value> = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    for (line, frame) in lines.iter().zip([1, 3]) {
        assert_eq!((&line["schema"], &line["type"], &line["frame"]), (&3.into(), &"picture".into(), &frame.into()));
        assert_eq!((&line["frames"], &line["width"], &line["height"]), (&4.into(), &64.into(), &64.into()));
        assert_eq!(line["sha256"].as_str().unwrap().len(), 64);
        assert_eq!(line["out"], format!("./frames.frame{frame:04}.png"));
    }
}

fn the_target_has_the_size_asked_for() {
    let folder = folder();
    let viewport = fixture("viewport").display().to_string();
    let size_of = |arguments: &[&str]| {
        let done = render(&[&[viewport.as_str(), "--frame", "0", "--hash"], arguments].concat(), folder.path());
        assert_eq!(done.code, 0, "{}", done.stderr);
        done.stdout.split(' ').nth(2).unwrap().to_owned()
    };
    assert_eq!(size_of(&[]), "96x48");
    assert_eq!(size_of(&["--size", "auto"]), "96x48");
    assert_eq!(size_of(&["--size", "30x20"]), "30x20");
    let huge = render(&[&viewport, "--frame", "0", "--hash", "--size", "4000000000x1"], folder.path());
    huge.expect(10, "", "the target's larger side in pixels (--size) is 4000000000: the device's limit is");
}

fn a_place_is_its_frame_and_draw() {
    let folder = folder();
    let frames = frames();
    let hash = |arguments: &[&str]| render(&[&[frames.as_str(), "--hash"], arguments].concat(), folder.path());
    let place = |place: &str| hash(&["--place", place]);
    for frame in ["0", "3"] {
        assert_eq!(place(frame).stdout, hash(&["--frame", frame]).stdout);
        let with_draw = hash(&["--frame", frame, "--draw", "0"]);
        let at_draw = place(&format!("{frame}/draw=0"));
        assert_eq!(
            (at_draw.stdout, at_draw.stderr, at_draw.code),
            (with_draw.stdout, with_draw.stderr, with_draw.code)
        );
    }
    let sums = |text: &str| text.split("sha256=").nth(1).unwrap().to_owned();
    assert_eq!(sums(&place("2/start").stdout), sums(&place("1").stdout), "a frame begins as the one before has ended");
    assert_ne!(sums(&place("2/start").stdout), sums(&place("2").stdout));
    place("2/packet=99").expect(2, "", "packet 99 does not exist: frame 2 has ");
    place("4").expect(2, "", "frame 4 does not exist: the trace has 4 frames (0 to 3)");
    place("2/drow=1").expect(
        2,
        "",
        "\"drow=1\" is not a point in a frame: expected start, draw=NUMBER or \
        packet=NUMBER",
    );
    hash(&["--place", "2", "--draw", "1"]).expect(2, "", "cannot be used");
    hash(&["--place", "2", "--frame", "1"]).expect(2, "", "cannot be used");
}

fn draws_can_be_stopped_at() {
    let folder = folder();
    let path = fixture("redefinition").display().to_string();
    let hash = |draw: &str| render(&[&path, "--frame", "0", "--hash", "--draw", draw], folder.path());
    let prefixes: Vec<String> = ["0", "1", "2", "3"].iter().map(|draw| hash(draw).stdout).collect();
    assert!(prefixes.iter().all(|line| line.starts_with("frame 0: 64x64 sha256=")));
    assert!(prefixes.windows(2).all(|pair| pair[0] != pair[1]));
    hash("4").expect(2, "", "draw 4 does not exist: frame 0 has 4 draws (0 to 3)");
}

fn usage_errors_end_in_2() {
    let folder = folder();
    let triangle = triangle();
    let expect = |arguments: &[&str], message: &str| {
        render(&[&[triangle.as_str()], arguments].concat(), folder.path()).expect(2, "", message);
    };
    expect(&["--frame", "1", "--hash"], "frame 1 does not exist: the trace has 1 frame, counted from 0");
    expect(&["--frame", "x", "--hash"], "\"x\" is not a set of frames");
    expect(&["--frame", "0", "--target", "1"], "--target does nothing by itself: expected --out or --hash with it");
    expect(&["--out", "a.png"], "--out needs frames to write: expected --frame N or --frames SET");
    expect(
        &["--frame", "0", "--out", "a.jpg"],
        "expected a name that ends in .png, .exr, .tiff, .webp, .qoi, .rgba or .npy",
    );
    expect(&["--frame", "0", "--out", "-", "--hash"], "--out - takes stdout for the picture");
    expect(&["--frame", "0", "--frames", "0", "--hash"], "cannot be used with");
    expect(&["--size", "0x4", "--frame", "0", "--hash"], "expected auto or WIDTHxHEIGHT in pixels");
    expect(&["--bogus"], "unexpected argument '--bogus'");
    expect(&["--frame", "0", "--hash", "--timeout", "0"], "invalid value '0' for '--timeout <S>'");
    run(&[&triangle, "--frame", "0", "--hash", "--backend", "glide"], folder.path()).expect(2, "", "'glide'");
    assert_eq!(files_of(folder.path()), [] as [&str; 0]);
}

fn each_kind_of_trouble_has_its_code() {
    let folder = folder();
    let hash = |path: &str| render(&[path, "--frame", "0", "--hash"], folder.path());
    hash("nowhere.trace").expect(3, "", "cannot open nowhere.trace: No such file or directory");
    hash(".").expect(3, "", "cannot open .: is a directory");
    hash(&write_trace(folder.path(), b"")).expect(3, "", "file too short for a trace: expected at least 64 bytes");
    let mut retired = RawTrace::new();
    let start = retired.offset();
    retired.record(3, b"AGPC").frame_since(start);
    hash(&write_trace(folder.path(), &retired.finish())).expect(4, "", "a retired ABI");
    let adapter = run(&[&triangle(), "--frame", "0", "--hash", "--adapter", "voodoo"], folder.path());
    adapter.expect(5, "", "no usable adapter: expected an adapter named \"voodoo\" of any backend, found 0: llvmpipe");
    let mut scene = Scene::new();
    scene.begin().draw(0, 3).end();
    hash(&write_trace(folder.path(), &scene.finish())).expect(6, "", "no pipeline is set");
    let mut scene = Scene::new();
    scene.begin().packet(Packet::CreateBuffer { buffer_id: 1, size_bytes: u32::MAX, usage: 0 }).end();
    hash(&write_trace(folder.path(), &scene.finish())).expect(10, "", "this build's limit is 268435456");
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &[0; 72]).bind(1).viewport(u32::MAX, 1).draw(0, 3).end();
    let wide = write_trace(folder.path(), &scene.finish());
    let at_size = render(&[&wide, "--frame", "0", "--hash", "--size", "64x64"], folder.path());
    at_size.expect(10, "", "the viewport is 4294967295 by 1 pixels: the device's limit is");
}

/// Frames before a broken one are delivered; a truncated trace gives what it has and says so by its code.
fn nothing_that_was_written_is_lost() {
    let folder = folder();
    let mut scene = Scene::with_pipeline();
    scene.clear([1.0; 4]).end();
    scene.begin().draw(0, 3).end();
    let path = write_trace(folder.path(), &scene.finish());
    let done = render(&[&path, "--frames", "all", "--hash", "--out", "out"], folder.path());
    assert_eq!(done.code, 6);
    assert!(done.stdout.starts_with("frame 0: 64x64 sha256=") && done.stdout.lines().count() == 1, "{}", done.stdout);
    assert!(
        done.stderr.contains("(frame 1, packet 0): the vertex shader reads attributes, but no vertex buffer is set"),
        "{}",
        done.stderr
    );
    assert_eq!(files_of(&folder.path().join("out")), ["made.frame0000.png"]);

    let whole = fs::read(fixture("frames")).unwrap();
    let path = write_trace(folder.path(), &whole[..whole.len() - 300]);
    let cut = render(&[&path, "--frames", "all", "--hash"], folder.path());
    assert_eq!(cut.code, 8, "{}", cut.stderr);
    assert!(cut.stderr.contains(" from the records"), "{}", cut.stderr);
    let all = render(&[&frames(), "--frames", "all", "--hash"], folder.path());
    assert!(all.stdout.starts_with(&cut.stdout) && !cut.stdout.is_empty());
}

/// Both ABIs, cut before the record that ends the last frame: the picture is the one that the host was about to show.
fn an_unfinished_frame_is_drawn_once_it_is_repaired() {
    for (name, end, last) in [("frames", 0x5aa, "2"), ("a3a0/scene", 0x4ac, "1")] {
        let folder = folder();
        let whole = fs::read(fixture(name)).unwrap();
        fs::write(folder.path().join("whole"), &whole).unwrap();
        fs::write(folder.path().join("cut"), &whole[..end]).unwrap();
        let repaired = run(&["repair", "cut", "mended"], folder.path());
        assert!(repaired.stdout.contains(&format!("frame {last} is incomplete")), "{repaired:?}");
        let expected = render(&["whole", "--frame", last, "--hash"], folder.path());
        render(&["mended", "--frame", "last", "--hash"], folder.path()).expect(0, &expected.stdout, "");
        let before = render(&["cut", "--frame", "last", "--hash"], folder.path());
        assert!(before.code == 8 && before.stdout != expected.stdout, "{before:?}");
    }
}

/// Records that the TOC lists in no frame: nobody shows them, and whoever shows the rest says so.
fn records_after_the_last_frame_are_told() {
    let folder = folder();
    let mut trace = RawTrace::new();
    let start = trace.offset();
    let clear = [8, 6, 0, 1f32.to_bits(), 0, 1f32.to_bits()];
    trace.begin(0).packet(&clear).present(0).frame_since(start);
    // A blob may lie anywhere.
    trace.blob(7, 1, &[0; 4]);
    let sound = write_trace(folder.path(), &trace.finish());
    let arguments: [&[&str]; 2] = [&[&sound, "--frame", "0", "--hash"], &[&sound, "--frames", "all", "--hash"]];
    let whole = render(arguments[0], folder.path());
    assert_eq!((whole.code, whole.stderr.as_str()), (0, ""));

    let offset = trace.offset();
    trace.begin(1).packet(&clear).present(1);
    write_trace(folder.path(), &trace.finish());
    let says = format!("BeginFrame record lies after the last frame of the TOC and is ignored, at {offset:#x}");
    for arguments in arguments {
        let told = render(arguments, folder.path());
        assert_eq!((told.code, &told.stdout, &told.stderr), (0, &whole.stdout, &format!("warning: {says}\n")));
        render(&[arguments, &["--strict"]].concat(), folder.path()).expect(3, "", &says);
    }
    // Checking goes through to the end, and finds what is an error anywhere.
    let packet =
        format!("Packet record lies outside every frame of the TOC: expected it inside a frame, at {:#x}", offset + 12);
    let verified = run(&["verify", &sound], folder.path());
    assert!(verified.code == 3 && verified.stderr.contains(&packet), "{verified:?}");
    assert!(verified.stdout.ends_with("1 frame, 1 valid command, 1 invalid\n"), "{verified:?}");

    trace.record(0x7f, &[]);
    trace.stream.drain((offset - 32) as usize - trace.meta.len()..trace.stream.len() - 8);
    write_trace(folder.path(), &trace.finish());
    let says = "the records after the last frame of the TOC cannot be read (unknown record type 0x7f";
    let told = render(arguments[0], folder.path());
    told.expect(0, &whole.stdout, says);
    render(&[arguments[0], &["--strict"]].concat(), folder.path()).expect(3, "", says);
}

/// A frame with a CLEAR between its draws, and none before: its first pictures are over the frame before, and are gone
/// back to from behind the CLEAR.
fn verify_goes_back_and_forth_between_draws() {
    let folder = folder();
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 0.0, 1.0), RED)).bind(1);
    scene.clear(BLACK).draw(0, 6).end().begin();
    for draw in 0..30 {
        if draw == 15 {
            scene.clear(RED);
        }
        scene.draw(0, 6);
    }
    scene.end();
    let path = write_trace(folder.path(), &scene.finish());
    let verify = |arguments: &[&str]| {
        let adapter = ["--backend", "vulkan", "--adapter", "llvmpipe"];
        run(&[&["verify", path.as_str()], arguments, &adapter].concat(), folder.path())
    };
    let done = verify(&["--seek", "--draws"]);
    let last = done.stdout.lines().last();
    let says = "draws: going back and forth between 31 of 31 draws matches playing";
    assert_eq!((done.code, last), (0, Some(says)), "{done:?}");
    let some = verify(&["--seek", "--draws", "10", "--json"]);
    let last: serde_json::Value = serde_json::from_str(some.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((some.code, &last["test"], &last["differing"]), (0, &"draws".into(), &0.into()));
    assert_eq!(verify(&["--draws"]).code, 2, "--draws is a part of --seek");
    assert_eq!(verify(&["--seek", "--draws", "0"]).code, 2);
}

fn warnings_are_errors_when_strict() {
    let folder = folder();
    let mut scene = Scene::new();
    scene.begin().clear([f32::NAN, 0.5, f32::INFINITY, 1.0]).end();
    let path = write_trace(folder.path(), &scene.finish());
    let lenient = render(&[&path, "--frame", "0", "--hash"], folder.path());
    assert_eq!(lenient.code, 0);
    assert!(lenient.stderr.starts_with("warning: CLEAR has the colour component NaN, expected a finite number, at 0x"));
    let quiet = render(&[&path, "--frame", "0", "--hash", "--quiet"], folder.path());
    assert_eq!((quiet.code, quiet.stderr.as_str(), &quiet.stdout), (0, "", &lenient.stdout));
    let strict = render(&[&path, "--frame", "0", "--hash", "--strict"], folder.path());
    strict.expect(3, "", "CLEAR has the colour component NaN");
    render(&[&path, "--frame", "0", "--out", "nan.rgba"], folder.path());
    assert_eq!(fs::read(folder.path().join("nan.rgba")).unwrap()[..4], [0, 128, 255, 255]);
}

fn verbose_says_what_is_used() {
    let folder = folder();
    let done = render(&[&triangle(), "--frame", "0", "--hash", "-v"], folder.path());
    assert!(done.stderr.contains("adapter: llvmpipe"), "{}", done.stderr);
    assert!(done.stderr.contains("target: 64x64 (the default without a SET_VIEWPORT)"), "{}", done.stderr);
}

/// NVIDIA's driver gives no newer one to whoever asks for 3.3: there are no compute shaders.
fn opengl_3_3_draws_packets() {
    let mut command = program();
    command.args([&triangle(), "--frame", "0", "--hash"]).args(software::Backend::Gl.arguments());
    command.env("MESA_GL_VERSION_OVERRIDE", "3.3").env("MESA_GLSL_VERSION_OVERRIDE", "330");
    let done = command.arg("-v").output().unwrap();
    let (said, told) = (String::from_utf8_lossy(&done.stderr), String::from_utf8_lossy(&done.stdout));
    assert!(said.contains("3.3 (Core Profile)"), "{said}");
    assert_eq!(told, format!("frame 0: 64x64 sha256={TRIANGLE_HASH}\n"), "{said}");
}

fn adapters_are_listed() {
    let folder = folder();
    let text = run(&["adapters"], folder.path());
    assert!(text.stdout.starts_with("0: llvmpipe") && text.stdout.contains("(vulkan, cpu, "), "{}", text.stdout);
    let json = run(&["adapters", "--json", "--backend", "vulkan"], folder.path());
    let first: serde_json::Value = serde_json::from_str(json.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((&first["type"], &first["index"], &first["kind"]), (&"adapter".into(), &0.into(), &"cpu".into()));
    let by_index = run(&[&triangle(), "--frame", "0", "--hash", "--adapter", "0"], folder.path());
    by_index.expect(0, &format!("frame 0: 64x64 sha256={TRIANGLE_HASH}\n"), "");
}

fn either_language_draws_the_same() {
    let folder = folder();
    for language in ["auto", "wgsl", "glsl"] {
        let done = render(&[&triangle(), "--frame", "0", "--hash", "--shaders", language], folder.path());
        assert_eq!(done.stdout, format!("frame 0: 64x64 sha256={TRIANGLE_HASH}\n"), "{language}: {}", done.stderr);
    }
    let glsl_only = fixture("glsl_only").display().to_string();
    let wgsl = render(&[&glsl_only, "--frame", "0", "--hash", "--shaders", "wgsl"], folder.path());
    wgsl.expect(4, "", "shader 1 has GLSL ES 3.00 only, shader 2 has GLSL ES 3.00 only: expected WGSL for both");
    let glsl = render(&[&frames(), "--frame", "0", "--hash", "--shaders", "glsl"], folder.path());
    glsl.expect(4, "", "shader 1 has WGSL only, shader 2 has WGSL only: expected GLSL ES 3.00 for both");
}

fn what_glsl_leaves_open_is_said_and_can_be_chosen() {
    let folder = folder();
    let path = fixture("glsl_only").display().to_string();
    let first_pixel = |arguments: &[&str]| {
        let done = render(&[&[path.as_str(), "--frame", "0", "--out", "a.rgba"], arguments].concat(), folder.path());
        assert_eq!(done.code, 0, "{}", done.stderr);
        (fs::read(folder.path().join("a.rgba")).unwrap()[..4].to_vec(), done.stderr)
    };
    let (pixel, notes) = first_pixel(&["--strict"]);
    assert_eq!(pixel, [255, 0, 0, 255]);
    let chosen = "note: attributes without a location: tint_color at location 1 by its name, \
                  vertex_position at location 0 by its name";
    assert!(notes.contains(chosen), "{notes}");
    assert!(
        notes.contains("unless bound, uniform blocks (1) read as zeros and textures (1) as (0, 0, 0, 1)"),
        "{notes}"
    );
    assert_eq!(first_pixel(&["--glsl-provoking", "last"]).0, [0, 0, 255, 255]);
    // Depth -0.5 is inside GL's clip space and outside naga's.
    assert_eq!(first_pixel(&["--glsl-clip", "naga"]).0, [0, 0, 0, 255]);
    assert_eq!(first_pixel(&["--glsl-clip", "gl"]).0, [255, 0, 0, 255]);
}

/// One triangle over the whole target from a pair of GLSL ES 3.00 texts.
fn glsl_texts_end_as_documented() {
    let folder = folder();
    let vertex = "#version 300 es\nin vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }\n";
    let draw = |vertex: &str, fragment: &str| {
        let mut scene = Scene::new();
        scene.begin().glsl_shader(1, 0, vertex).glsl_shader(2, 1, fragment).pipeline(1, 1, 2);
        scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind(1);
        scene.packet(Packet::SetPipeline { pipeline_id: 1 }).draw(0, 6);
        let path = write_trace(folder.path(), &scene.end_and_finish());
        render(&[&path, "--frame", "0", "--out", "a.rgba"], folder.path())
    };
    let text = |declarations: &str, body: &str| {
        format!("#version 300 es\nprecision highp float;\n{declarations}\nvoid main() {{ {body} }}\n")
    };
    // Of several outputs the target is the first.
    let outputs = "layout(location = 1) out uvec2 n; layout(location = 0) out vec4 o; layout(location = 2) out vec3 m;";
    let several = draw(vertex, &text(outputs, "n = uvec2(7u); o = vec4(0.0, 1.0, 0.0, 1.0); m = vec3(1.0);"));
    assert_eq!(several.code, 0, "{}", several.stderr);
    assert_eq!(fs::read(folder.path().join("a.rgba")).unwrap()[..4], [0, 255, 0, 255]);
    // What only a function that nothing calls reads need not be there.
    let spare = "#version 300 es\nin vec2 position; in vec3 normal; out vec3 n; void light() { n = normal; }\n\
                 void main() { gl_Position = vec4(position, 0.0, 1.0); }\n";
    assert_eq!(draw(spare, &text("out vec4 o;", "o = vec4(1.0);")).code, 0);
    // Functions that naga counts as an extra capability.
    let packed = draw(
        vertex,
        &text("out vec4 o;", "o = unpackHalf2x16(packHalf2x16(vec2(0.0, min(gl_FragCoord.x * 2.0, 1.0)))).xyxy;"),
    );
    assert_eq!(packed.code, 0, "{}", packed.stderr);
    assert_eq!(fs::read(folder.path().join("a.rgba")).unwrap()[..4], [0, 255, 0, 255]);
    let plain = text("out vec4 o;", "o = vec4(1.0);");
    let third = "#version 300 es\nin vec2 position; in vec4 color; in vec3 normal;\n\
                 void main() { gl_Position = vec4(position, normal.x, 1.0) + color * 0.0; }\n";
    for (vertex, fragment, code, wanted) in [
        (vertex, text("#extension GL_EXT_no_such : require\nout vec4 o;", ""), 4, "'GL_EXT_no_such' is required"),
        (third, plain.clone(), 4, "@location(2) a2: vec3<f32>: the command ABI has position"),
        (
            vertex,
            plain.replace("300 es", "320 es"),
            6,
            "3.20 has no WebGL version, this reader supports up to '310 es'",
        ),
        (
            vertex,
            plain.replace("300 es", "310 es"),
            6,
            "expected '#version 310 es', found '#version 300 es': the other shader is of that version, in the vertex shader",
        ),
        (vertex, vertex.to_owned(), 6, "is this vertex text in the fragment slot?"),
        (vertex, text("in vec4 tint; out vec4 o;", "o = tint;"), 6, "'tint' (vec4) has no vertex output of that name"),
        (vertex, text("out vec4 o;", "o = vec3(1.0);"), 6, "expected vec4, found vec3"),
    ] {
        draw(vertex, &fragment).expect(code, "", wanted);
    }
}

/// Four frames; in the third, the second draw's GLSL has red and green the other way round, and the third draw covers
/// a part of it.
fn verify_compares_the_languages() {
    let folder = folder();
    let verify = |path: &str, more: &[&str]| {
        let verb: &[&str] = &["verify", path, "--shaders", "--backend", "vulkan", "--adapter", "llvmpipe"];
        run(&[verb, more].concat(), folder.path())
    };
    let triangle = triangle();
    let same = verify(&triangle, &[]);
    assert_eq!((same.code, same.stderr.as_str()), (0, ""));
    let told = "shaders: 1 frame from WGSL and from GLSL ES 3.00: 1 exact, 0 except for the last bit of at \
        most 0.1 % of the pixels, 0 different\n";
    assert!(same.stdout.ends_with(told), "{}", same.stdout);

    let vertex = "#version 300 es
in vec2 position; in vec4 color; out vec4 tint;
void main() { tint = color; gl_Position = vec4(position, 0.0, 1.0); }
";
    let fragment = |swizzle: &str| {
        format!(
            "#version 300 es\nprecision highp float; in vec4 tint; out vec4 o; void main() {{ o = tint.{swizzle}; }}\n"
        )
    };
    let mut scene = Scene::new();
    scene.begin().twin_shader(1, 0, VERTEX_WGSL, vertex);
    scene.twin_shader(2, 1, FRAGMENT_WGSL, &fragment("rgba")).twin_shader(3, 1, FRAGMENT_WGSL, &fragment("grba"));
    scene.pipeline(1, 1, 2).pipeline(2, 1, 3);
    let all = [rectangle(-1.0, -1.0, 0.0, 1.0), rectangle(0.0, -1.0, 1.0, 1.0), rectangle(0.0, 0.0, 1.0, 1.0)];
    let bytes: Vec<u8> = all.iter().flat_map(|positions| vertices(positions, RED)).collect();
    scene.buffer(1, &bytes).bind(1).clear(BLACK);
    let set = |scene: &mut Scene, pipeline_id| {
        scene.packet(Packet::SetPipeline { pipeline_id });
    };
    for frame in 0..4 {
        if frame > 0 {
            scene.begin().clear(BLACK);
        }
        set(&mut scene, 1);
        scene.draw(0, 6);
        set(&mut scene, if frame == 2 { 2 } else { 1 });
        scene.draw(6, 6);
        set(&mut scene, 1);
        scene.draw(12, 6).end();
    }
    let path = write_trace(folder.path(), &scene.finish());
    let differs = verify(&path, &[]);
    assert_eq!(differs.code, 1, "{}", differs.stderr);
    let told = "shaders: frame 2 differs from draw 1 on: 1024 of 4096 pixels, by up to 255 (column 32, row 32)\n";
    assert!(differs.stdout.contains(told), "{}", differs.stdout);
    // What the texts leave open is said once per program, however many frames use it.
    assert_eq!(differs.stderr.matches("note: attributes without a location").count(), 2, "{}", differs.stderr);
    let json = verify(&path, &["--json"]);
    let lines: Vec<serde_json::Value> = json.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&lines[1]["type"], &lines[1]["frame"], &lines[1]["draw"]),
        (&"shader-difference".into(), &2.into(), &1.into())
    );
    assert_eq!((&lines[2]["exact"], &lines[2]["differing"]), (&3.into(), &1.into()));
    verify(&frames(), &[]).expect(4, &format!("{}: 4 frames, 17 valid commands\n", frames()), "expected GLSL ES 3.00");
}

/// Two draws that together are over the budget are refused at the second, by every way to the frame and on every API,
/// before anything is drawn; whoever wants them all the same can have them.
fn a_frame_over_its_budget_is_refused_before_it_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let vertex = "@vertex fn vs_main() -> @builtin(position) vec4f { return vec4f(); }";
    let fragment = "@fragment fn fs_main() -> @location(0) vec4f { return vec4f(1.0); }";
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, vertex, fragment).pipeline(1, 1, 2);
    scene.packet(Packet::SetPipeline { pipeline_id: 1 });
    scene.end().begin().draw(0, 600_000_000).draw(0, 400_000_001).end();
    let path = write_trace(folder.path(), &scene.finish());
    let told = "its 400000001 vertices bring its frame to 1000000001: the budget is 1000000000";
    let rows: [&[&str]; 4] = [
        &[&path, "--frame", "1", "--hash"],
        &[&path, "--frame", "1", "--hash", "--backend", "gl"],
        &[&path, "--frames", "0-1", "--hash"],
        &["verify", &path, "--determinism", "2"],
    ];
    for arguments in rows {
        let found = run(arguments, folder.path());
        assert_eq!(found.code, 10, "{arguments:?}: {found:?}");
        assert!(found.stderr.contains(told) && found.stderr.contains("DRAW at 0x"), "{arguments:?}: {found:?}");
    }
    let lifted = run(&[&path, "--frame", "1", "--hash", "--backend", "noop", "--no-render-budget"], folder.path());
    assert_eq!(lifted.code, 0, "{lifted:?}");
}

/// Forty buffers of 256 MiB, each drawn from and made anew, are never in memory together: neither in a batch of draws nor
/// with what is kept for seeking.
#[cfg(target_os = "linux")]
fn buffers_made_anew_are_let_go_within_the_frame() {
    let folder = folder();
    let mut scene = Scene::with_pipeline();
    let corners = vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED);
    for _ in 0..40 {
        scene.packet(Packet::CreateBuffer { buffer_id: 7, size_bytes: 256 << 20, usage: 0 });
        scene.upload(7, 0, &corners).bind(7).draw(0, 6);
    }
    let path = write_trace(folder.path(), &scene.end_and_finish());
    for backend in ["vulkan", "gl"] {
        for frames in [["--frame", "0"], ["--frames", "0"]] {
            // In KiB: the program takes 2 GiB of address space for small frames, half of it for its threads.
            let mut command = std::process::Command::new("bash");
            command.args(["-c", "ulimit -v 5000000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_aerogpu-replay")]);
            let done = command.args([&path, "--hash", "--backend", backend]).args(frames).output().unwrap();
            let told = String::from_utf8_lossy(&done.stderr).into_owned();
            assert_eq!(done.status.code(), Some(0), "{backend} {frames:?}: {told}");
        }
    }
}

/// A draw that no driver finishes in a second, in a program that must still end.
fn a_hanging_driver_is_a_timeout() {
    let folder = folder();
    let vertex = "@vertex fn v(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f { return vec4f(f32(n)); }";
    let fragment = "@fragment fn f() -> @location(0) vec4f { return vec4f(); }";
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, vertex, fragment).pipeline(1, 1, 2);
    scene.packet(Packet::SetPipeline { pipeline_id: 1 });
    for _ in 0..20 {
        scene.draw(0, 50_000_000);
    }
    let path = write_trace(folder.path(), &scene.end_and_finish());
    let start = Instant::now();
    let done = render(&[&path, "--frame", "0", "--hash", "--timeout", "1"], folder.path());
    done.expect(124, "", "within 1 s (--timeout)");
    // Whether the driver hangs in the submission or after it, both ends of the batch are named.
    let named = format!("error: {path}: the GPU did");
    let driver_named = format!("error: {path}: the GPU driver did");
    assert!(done.stderr.contains(&named) || done.stderr.contains(&driver_named), "{}", done.stderr);
    let draws = "20 draws, the first DRAW at 0x";
    for expected in [draws, "(frame 0, packet 4), the last DRAW at 0x", "(frame 0, packet 23), within"] {
        assert!(done.stderr.contains(expected), "{expected:?} in {}", done.stderr);
    }
    assert!(start.elapsed() < Duration::from_secs(30));
}

fn a_closed_pipe_is_success() {
    let folder = folder();
    let mut child = program()
        .args([&frames(), "--frames", "all", "--hash", "--json"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

fn an_unwritable_place_is_an_error() {
    let folder = folder();
    let done = render(&[&triangle(), "--frame", "0", "--out", "gone/a.png"], folder.path());
    done.expect(11, "", "cannot write gone/a.png (the directory gone does not exist): No such file or directory");
    if PathBuf::from("/dev/full").exists() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = program().args([&triangle(), "--frame", "0", "--hash"]).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(11));
        assert!(String::from_utf8(output.stderr).unwrap().contains("No space left on device"));
    }
}

fn blame_tells_whether_the_picture_changed() {
    let folder = folder();
    let mut told = Vec::new();
    for name in ["loose_records", "frames", "clears"] {
        let trace = fixture(name).display().to_string();
        let drawn = render(&[&trace, "--frames", "all", "--hash"], folder.path());
        let hashes: Vec<&str> = drawn.stdout.lines().map(|line| line.rsplit("sha256=").next().unwrap()).collect();
        let arguments =
            ["timeline", "blame", &trace, "--pictures", "--json", "--backend", "vulkan", "--adapter", "llvmpipe"];
        let blame = run(&arguments, folder.path());
        assert_eq!(blame.code, 0, "{}", blame.stderr);
        let rows: Vec<serde_json::Value> =
            blame.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(rows.len(), hashes.len());
        for row in rows {
            let frame = row["frame"].as_u64().unwrap() as usize;
            let is_same = frame.checked_sub(1).map(|before| hashes[before] == hashes[frame]);
            let change = is_same.map(|is_same| if is_same { "unchanged" } else { "changed" });
            assert_eq!(row["picture"].as_str(), change, "{name} {frame}");
            told.extend(change);
        }
    }
    assert!(told.contains(&"unchanged") && told.contains(&"changed"));
}

pub fn trials() -> Vec<Trial> {
    let tests: &[(&str, fn())] = &[
        ("the_hash_of_the_public_triangle", the_hash_of_the_public_triangle),
        ("pictures_go_where_out_says", pictures_go_where_out_says),
        ("an_unfinished_frame_is_drawn_once_it_is_repaired", an_unfinished_frame_is_drawn_once_it_is_repaired),
        ("pictures_can_say_where_they_came_from", pictures_can_say_where_they_came_from),
        ("json_has_a_line_a_frame", json_has_a_line_a_frame),
        ("the_target_has_the_size_asked_for", the_target_has_the_size_asked_for),
        ("draws_can_be_stopped_at", draws_can_be_stopped_at),
        ("a_place_is_its_frame_and_draw", a_place_is_its_frame_and_draw),
        ("usage_errors_end_in_2", usage_errors_end_in_2),
        ("each_kind_of_trouble_has_its_code", each_kind_of_trouble_has_its_code),
        ("nothing_that_was_written_is_lost", nothing_that_was_written_is_lost),
        ("records_after_the_last_frame_are_told", records_after_the_last_frame_are_told),
        ("verify_goes_back_and_forth_between_draws", verify_goes_back_and_forth_between_draws),
        ("warnings_are_errors_when_strict", warnings_are_errors_when_strict),
        ("verbose_says_what_is_used", verbose_says_what_is_used),
        ("adapters_are_listed", adapters_are_listed),
        ("either_language_draws_the_same", either_language_draws_the_same),
        ("what_glsl_leaves_open_is_said_and_can_be_chosen", what_glsl_leaves_open_is_said_and_can_be_chosen),
        ("glsl_texts_end_as_documented", glsl_texts_end_as_documented),
        ("verify_compares_the_languages", verify_compares_the_languages),
        (
            "a_frame_over_its_budget_is_refused_before_it_is_drawn",
            a_frame_over_its_budget_is_refused_before_it_is_drawn,
        ),
        #[cfg(target_os = "linux")]
        ("buffers_made_anew_are_let_go_within_the_frame", buffers_made_anew_are_let_go_within_the_frame),
        ("a_hanging_driver_is_a_timeout", a_hanging_driver_is_a_timeout),
        ("blame_tells_whether_the_picture_changed", blame_tells_whether_the_picture_changed),
        ("a_closed_pipe_is_success", a_closed_pipe_is_success),
        ("an_unwritable_place_is_an_error", an_unwritable_place_is_an_error),
    ];
    let on_gl = software::Backend::Gl.trial("opengl_3_3_draws_packets", opengl_3_3_draws_packets);
    let trials = tests.iter().map(|(name, test)| software::trial(*name, |_| test()));
    trials.chain([on_gl]).collect()
}
