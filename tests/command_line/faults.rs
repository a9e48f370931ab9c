//! Faulty traces: what stands behind a fault is there, with every verb, and faults are counted by kind.

use std::fs;
use std::path::Path;

use crate::support;
use aerogpu_replay::abi::a3a0::bindings::SetIndexBuffer;
use aerogpu_replay::abi::reference::Packet;
use serde_json::{Value, json};
use support::harness::{Trial, trials_of};
use support::json_schema::Schema;
use support::program::{Run, run};
use support::root;
use support::scene::{BLUE, GREEN, RED, Scene, rectangle, vertices};
use support::serve_client::Client;
use support::streams::{
    self, APPENDED, Element, FLOAT4, PIXEL, R8G8B8A8, Stream, StreamOfTests, TRIANGLE_LIST, VERTEX, WHOLE, recording,
};

pub fn trials() -> Vec<Trial> {
    trials_of![
        frames_are_as_without_the_bad_packet,
        frames_behind_a_bad_submission_are_as_without_it,
        a_damaged_record_ends_its_frame_alone,
        every_verb_keeps_going,
        verbs_that_carry_nothing_out_refuse_it,
        faults_are_counted_by_kind,
        serve_goes_on_where_it_is_asked_to,
        a_recording_that_starts_in_the_middle_says_so,
        a_wrong_handle_further_on_is_no_such_recording,
        verify_looks_at_draws_of_appendix_a,
    ]
}

const SOFTWARE: [&str; 4] = ["--backend", "vulkan", "--adapter", "llvmpipe"];

fn write(folder: &Path, name: &str, bytes: &[u8]) -> String {
    fs::write(folder.join(name), bytes).unwrap();
    name.to_owned()
}

fn hashes(folder: &Path, arguments: &[&str]) -> Run {
    run(&[arguments, &["--hash"], &SOFTWARE].concat(), folder)
}

/// Fault that is planted in frame 1 of four.
enum Planted {
    Packet(Packet),
    /// Dwords of a Packet record of its own.
    Dwords(&'static [u32]),
    /// Dwords, and behind them in the same record a CLEAR of the whole target.
    BeforeClear(&'static [u32]),
}

use Planted::{BeforeClear, Dwords};

/// Four frames, of which each draws over what it clears; `planted` stands between two draws of frame 1.
fn scene(planted: Option<&Planted>) -> Vec<u8> {
    let half = |left: f32, color| vertices(&rectangle(left, -1.0, left + 1.0, 1.0), color);
    let mut writer = Scene::with_pipeline();
    writer.buffer(1, &[half(-1.0, GREEN), half(0.0, BLUE)].concat()).bind(1).clear(RED).draw(0, 6).end();
    for frame in 1..4 {
        writer.begin().clear([frame as f32 / 4.0, 0.0, 0.0, 1.0]).draw(0, 6);
        if frame == 1 {
            match planted {
                Some(Planted::Packet(packet)) => _ = writer.packet(*packet),
                Some(Dwords(dwords)) => _ = writer.raw_packet(&bytes_of(dwords)),
                Some(BeforeClear(dwords)) => {
                    let mut payload = bytes_of(dwords);
                    Packet::Clear { r: 0.0, g: 1.0, b: 1.0, a: 1.0 }.write(&mut payload);
                    writer.raw_packet(&payload);
                }
                None => {}
            }
        }
        writer.draw(6, 6).end();
    }
    writer.finish()
}

fn bytes_of(dwords: &[u32]) -> Vec<u8> {
    dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect()
}

/// One of each family, with words of its error.
fn planted() -> Vec<(Planted, &'static str)> {
    let of = |packet| Planted::Packet(packet);
    vec![
        (of(Packet::CreateBuffer { buffer_id: 1, size_bytes: u32::MAX, usage: 0 }), "limit"),
        (
            of(Packet::UploadBuffer { buffer_id: 1, offset_bytes: 200, data_len_bytes: 288, blob_id: 3 }),
            "writes bytes 200 to 488",
        ),
        (of(Packet::UploadBuffer { buffer_id: 1, offset_bytes: 0, data_len_bytes: 4, blob_id: 99 }), "blob 99"),
        (
            of(Packet::CreateShader { shader_id: 1, stage: 0, glsl_blob_id: 0, wgsl_blob_id: 99, dxbc_blob_id: 0 }),
            "blob 99",
        ),
        (
            of(Packet::CreateShader { shader_id: 1, stage: 7, glsl_blob_id: 0, wgsl_blob_id: 1, dxbc_blob_id: 0 }),
            "has stage 7",
        ),
        (of(Packet::CreatePipeline { pipeline_id: 1, vs_shader_id: 1, fs_shader_id: 151 }), "shader 151"),
        (of(Packet::CreatePipeline { pipeline_id: 1, vs_shader_id: 2, fs_shader_id: 1 }), "is a fragment shader"),
        (of(Packet::SetPipeline { pipeline_id: 77 }), "pipeline 77"),
        (
            of(Packet::SetVertexBuffer {
                buffer_id: 77,
                stride_bytes: 24,
                position_offset_bytes: 0,
                color_offset_bytes: 8,
            }),
            "buffer 77",
        ),
        (of(Packet::Draw { vertex_count: 18, first_vertex: 0 }), "reads 432 bytes"),
        (Dwords(&[0x99, 4, 1, 2]), "unknown opcode 0x0099"),
        // The packet behind it is carried out, and drawn over by what stands in both.
        (Dwords(&[5, 4, 1, 0]), "SET_PIPELINE has total_dwords 4"),
        (BeforeClear(&[5, 4, 1, 0]), "SET_PIPELINE has total_dwords 4"),
        (Dwords(&[9, 40, 1]), "DRAW has total_dwords 40"),
    ]
}

fn frames_are_as_without_the_bad_packet() {
    let folder = tempfile::tempdir().unwrap();
    let sound = write(folder.path(), "sound.bin", &scene(None));
    let expected = hashes(folder.path(), &[&sound, "--frames", "all"]);
    assert_eq!((expected.code, expected.stdout.lines().count()), (0, 4), "{expected:?}");
    for (planted, words) in planted() {
        let faulty = write(folder.path(), "faulty.bin", &scene(Some(&planted)));
        let done = hashes(folder.path(), &[&faulty, "--frames", "all", "--keep-going"]);
        assert_eq!((done.code, &done.stdout), (8, &expected.stdout), "{words}: {done:?}");
        let errors: Vec<&str> = done.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        assert!(matches!(errors.as_slice(), [error] if error.contains(words)), "{words}: {done:?}");
        // What a draw's shader reads is known where it is drawn.
        let is_draw = matches!(planted, Planted::Packet(Packet::Draw { .. }));
        // Sought, each is the same.
        for frame in ["3", "1", "2"] {
            let sought = hashes(folder.path(), &[&faulty, "--frames", frame, "--keep-going"]);
            assert!(expected.stdout.contains(&sought.stdout), "{words}, {frame}: {sought:?}");
            let is_known = !is_draw || frame == "1";
            assert_eq!(sought.code, if is_known { 8 } else { 0 }, "{words}, {frame}: {sought:?}");
        }
        // Without it, playing ends there.
        let strict = hashes(folder.path(), &[&faulty, "--frames", "all"]);
        assert_eq!(strict.stdout.lines().count(), 1, "{words}: {strict:?}");
        assert!(![0, 8].contains(&strict.code) && strict.stderr.contains(words), "{words}: {strict:?}");
        let behind = hashes(folder.path(), &[&faulty, "--frame", "3"]);
        assert!(is_draw || (behind.code == strict.code && behind.stdout.is_empty()), "{words}: {behind:?}");
    }
}

/// Commands that all frames of a trace of submissions need: a quad of two triangles in one colour.
fn objects(stream: &mut Stream) {
    stream
        .shader(1, VERTEX, "quad.vs")
        .shader(2, PIXEL, "color.ps")
        .layout(1, &[Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)])
        .texture(5, R8G8B8A8, [8, 8], [1, 1])
        .buffer(3, &[streams::rectangle(WHOLE, 0.5, [GREEN; 4]), streams::rectangle(WHOLE, 0.5, [RED; 4])].concat());
}

/// A frame that draws the quad of a colour.
fn frame(stream: &mut Stream, first_vertex: u32) {
    stream.topology(TRIANGLE_LIST).viewport([0.0, 0.0, 8.0, 8.0]).targets(&[5], 0).shaders(1, 2).use_layout(1);
    stream.vertex_buffer(0, 3, streams::VERTEX_BYTES, 0).draw(first_vertex, 6);
}

fn submitted(plant: impl Fn(&mut Stream)) -> Vec<u8> {
    let streams: Vec<Vec<u8>> = (0..4u32)
        .map(|number| {
            let mut stream = Stream::new();
            if number == 0 {
                objects(&mut stream);
            }
            frame(&mut stream, 6 * (number % 2));
            stream.present();
            if number == 1 {
                plant(&mut stream);
            }
            stream.finish()
        })
        .collect();
    recording(streams.iter().map(Vec::as_slice))
}

fn frames_behind_a_bad_submission_are_as_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let sound = write(folder.path(), "sound.bin", &submitted(|_| ()));
    let expected = hashes(folder.path(), &[&sound, "--frames", "all"]);
    assert_eq!((expected.code, expected.stdout.lines().count()), (0, 4), "{expected:?}");
    let plants: [fn(&mut Stream); 4] = [
        |stream| _ = stream.texture(10, R8G8B8A8, [0, 8], [1, 1]),
        |stream| _ = stream.targets(&[77], 0).draw(0, 6),
        |stream| _ = stream.put(SetIndexBuffer { buffer: 3, format: 9, offset: 0, reserved: 0 }),
        |stream| {
            _ = stream.copy_texels(
                streams::Texels { texture: 77, mip: 0, layer: 0, at: [0, 0] },
                streams::Texels { texture: 5, mip: 0, layer: 0, at: [0, 0] },
                [4, 4],
            )
        },
    ];
    for (number, plant) in plants.into_iter().enumerate() {
        let faulty = write(folder.path(), "faulty.bin", &submitted(plant));
        let done = hashes(folder.path(), &[&faulty, "--frames", "all", "--keep-going"]);
        assert_eq!((done.code, &done.stdout), (8, &expected.stdout), "{number}: {done:?}");
        assert_eq!(done.stderr.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{number}: {done:?}");
        for frame in ["3", "2"] {
            let sought = hashes(folder.path(), &[&faulty, "--frames", frame, "--keep-going"]);
            assert!(expected.stdout.contains(&sought.stdout) && sought.code == 8, "{number}, {frame}: {sought:?}");
        }
        let strict = hashes(folder.path(), &[&faulty, "--frames", "all"]);
        assert!(![0, 8].contains(&strict.code) && strict.stdout.lines().count() < 4, "{number}: {strict:?}");
    }
}

fn a_damaged_record_ends_its_frame_alone() {
    let folder = tempfile::tempdir().unwrap();
    let sound = scene(None);
    let faulty = scene(Some(&Dwords(&[0x99, 4, 1, 2])));
    // The record's type, in front of its length and its payload.
    let payload = bytes_of(&[0x99, 4, 1, 2]);
    let at = faulty.windows(16).position(|window| window == payload).unwrap() - 8;
    let mut damaged = faulty;
    damaged[at] = 0x77;
    let (sound, damaged) = (write(folder.path(), "sound.bin", &sound), write(folder.path(), "damaged.bin", &damaged));
    let expected = hashes(folder.path(), &[&sound, "--frames", "0,2-3"]);
    for frames in ["0,2-3", "all"] {
        let done = hashes(folder.path(), &[&damaged, "--frames", frames, "--keep-going"]);
        assert!(done.code == 8 && done.stderr.contains("record"), "{done:?}");
        assert!(expected.stdout.lines().all(|line| done.stdout.contains(line)), "{expected:?} {done:?}");
    }
    let listed = run(&["frames", &damaged], folder.path());
    assert_eq!((listed.code, listed.stdout.lines().count()), (3, 4), "{listed:?}");
    // Its frame's last draw and its Present stand behind it.
    let counted = |name: &str| {
        let told = run(&["info", name, "--deep", "--json"], folder.path());
        let line: Value = serde_json::from_str(told.stdout.lines().next().unwrap()).unwrap();
        let counts = [&line["records"]["Present"], &line["commands"]["DRAW"]];
        (told.code, counts.map(|count| count.as_u64().unwrap()), told.stderr)
    };
    let (code, whole, _) = counted(&sound);
    assert_eq!((code, whole), (0, [4, 7]));
    let (code, counts, told) = counted(&damaged);
    assert_eq!((code, counts), (3, [3, 6]), "{told}");
    assert_eq!(told.matches("record").count(), 1, "{told}");
}

/// Lines of verbs, with T for the trace; `+` asks for the software adapter.
const VERBS: &[&str] = &[
    "T --frames all --hash +",
    "filmstrip T --frame 2 --out films +",
    "filmstrip T --frame 1 --out films +",
    "pixel T --frame 2 --at 1,1 +",
    "pixel T --frame 1 --at 1,1 --triangles +",
    "overlay T --frame 2 --kind overdraw --out a.png +",
    "overlay T --frame 1 --kind age --out a.png +",
    "overlay T --frame 1 --kind wireframe --out a.png +",
    "overlay T --frame 1 --draw 0 --kind highlight --out a.png +",
    "mesh T --frame 2 --draw 0 +",
    "state T --frame 2 --draw 0",
    "buffer T --frame 2 --id 1",
    "frames T",
    "draws T",
    "passes T",
    "events T --frame 1",
    "verify T --seek --draws --determinism 2 +",
    "verify T --deep",
    "bisect T --frame 2 --a vulkan --b vulkan +",
    "bisect T --by input --b T",
    "compare T T +",
    "lint T",
    "trim T trimmed.bin --frames 2-3",
];

fn every_verb_keeps_going() {
    let folder = tempfile::tempdir().unwrap();
    let planted = Planted::Packet(Packet::SetPipeline { pipeline_id: 77 });
    write(folder.path(), "T", &scene(Some(&planted)));
    write(folder.path(), "S", &scene(None));
    let line = |words: &str, trace: &str, more: &[&str]| {
        let words: Vec<&str> = words.split(' ').map(|word| if word == "T" { trace } else { word }).collect();
        let software = words.last() == Some(&"+");
        let words: Vec<&str> = words.into_iter().filter(|word| *word != "+").collect();
        run(&[&words[..], more, if software { &SOFTWARE[..] } else { &[] }].concat(), folder.path())
    };
    for words in VERBS {
        let done = line(words, "T", &["--keep-going"]);
        let sound = line(words, "S", &[]);
        // Both sides of one trace are drawn from the same.
        let code = if words.contains("--by input") { 0 } else { 8 };
        assert_eq!(done.code, code, "{words}: {done:?}");
        assert!(code == 0 || (done.stdout + &done.stderr).contains("pipeline 77 does not exist"), "{words}");
        let strict = line(words, "T", &[]);
        // What could be told of a pixel is told.
        let code = if words.starts_with("pixel T --frame 1") { 8 } else { 6 };
        assert_eq!((strict.code, sound.code), (code, 0), "{words}: {strict:?} {sound:?}");
    }
    let trimmed = hashes(folder.path(), &["trimmed.bin", "--frames", "all"]);
    assert_eq!((trimmed.code, trimmed.stdout.lines().count()), (0, 2), "{trimmed:?}");
}

fn verbs_that_carry_nothing_out_refuse_it() {
    let folder = tempfile::tempdir().unwrap();
    for words in ["info T", "dump T", "golden list T", "serve --stdio", "doctor"] {
        let words: Vec<&str> = words.split(' ').chain(["--keep-going"]).collect();
        let refused = run(&words, folder.path());
        assert!(refused.code == 2 && refused.stderr.contains("--keep-going is not for"), "{refused:?}");
    }
}

/// `count` draws past their buffer's end in frames 3 to 9, as many in each but the last.
fn faults_are_counted_by_kind() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind(1).end();
    for frame in 1..10 {
        scene.begin().clear(BLUE);
        for _ in 0..if frame >= 3 { 8 } else { 0 } {
            scene.draw(3, 6);
        }
        if frame == 4 {
            scene.bind(77).bind(77).packet(Packet::SetPipeline { pipeline_id: 5 });
        }
        scene.end();
    }
    let many = write(folder.path(), "many.bin", &scene.finish());
    let done = hashes(folder.path(), &[&many, "--frames", "all", "--keep-going", "--json"]);
    let lines = done.stderr.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines: Vec<Value> = lines.filter(|line| line["type"] == "error").collect();
    let kinds: Vec<_> = lines.iter().map(|line| (line["subject"].clone(), line["count"].clone())).collect();
    assert_eq!(
        kinds,
        [(json!("draw"), json!(56)), (json!("SET_VERTEX_BUFFER"), json!(2)), (json!("SET_PIPELINE"), json!(1))]
    );
    let place = |line: &Value, which: &str| (line[which]["frame"].clone(), line[which]["packet"].clone());
    assert_eq!((place(&lines[0], "first"), place(&lines[0], "last")), ((json!(3), json!(1)), (json!(9), json!(8))));
    assert_eq!((place(&lines[1], "first"), place(&lines[1], "last")), ((json!(4), json!(9)), (json!(4), json!(10))));
    let text = hashes(folder.path(), &[&many, "--frames", "all", "--keep-going"]);
    let says =
        "error: many.bin: 56 draws: reads 216 bytes of buffer 1, which has 144, first at frame 3, packet 1 (offset 0x";
    assert!(text.stderr.contains(says) && text.stderr.contains("last at frame 9, packet 8 (offset 0x"), "{text:?}");
}

fn serve_goes_on_where_it_is_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let planted = Planted::Packet(Packet::SetPipeline { pipeline_id: 77 });
    for (name, bytes) in [("faulty.bin", scene(Some(&planted))), ("sound.bin", scene(None))] {
        write(folder.path(), name, &bytes);
    }
    let schema = Schema::parse(&fs::read_to_string(root().join("docs/json-lines.schema.json")).unwrap());
    let mut client = Client::start(&SOFTWARE);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let open = |client: &mut Client, name: &str, keep_going: bool| {
        client.result("open", &json!({ "path": path(name), "keep_going": keep_going }))
    };
    let (sound, strict) = (open(&mut client, "sound.bin", true), open(&mut client, "faulty.bin", false));
    let going = open(&mut client, "faulty.bin", true);
    assert_eq!((&sound["faults"]["count"], &strict["faults"]["count"]), (&json!(0), &json!(1)));
    let kind = &going["faults"]["kinds"][0];
    assert_eq!(
        (&kind["subject"], &kind["count"], &kind["first"]["frame"]),
        (&json!("SET_PIPELINE"), &json!(1), &json!(1))
    );
    assert_eq!(going["read_error"], Value::Null);
    for frame in [3, 0, 1, 2] {
        let ask_either = |client: &mut Client, method: &str, trace: &Value, more: &Value| {
            let mut params = json!({ "trace": trace, "frame": frame });
            params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            client.ask(method, &params)
        };
        let ask = |client: &mut Client, method: &str, trace: &Value, more: Value| {
            let answer = ask_either(client, method, trace, &more);
            assert_eq!(schema.errors_of(&format!("serve {method}"), &answer), Vec::<String>::new(), "{answer}");
            answer["result"].clone()
        };
        let expected = ask(&mut client, "hash", &sound["trace"], json!({}));
        let found = ask(&mut client, "hash", &going["trace"], json!({}));
        assert_eq!(expected["sha256"], found["sha256"], "{frame}");
        assert_eq!((found.get("faults").is_some(), expected.get("faults")), (frame > 0, None), "{found}");
        for (method, more) in [
            ("image", json!({})),
            ("pixel", json!({ "x": 1, "y": 1 })),
            ("mesh", json!({ "draw": 0 })),
            ("seek", json!({})),
            ("state", json!({})),
            ("events", json!({})),
            ("buffer", json!({ "id": 1 })),
            ("buffer", json!({ "vertices": true })),
            ("shaders", json!({})),
        ] {
            let answer = ask(&mut client, method, &going["trace"], more.clone());
            let count = answer["faults"]["count"].as_u64();
            assert_eq!(count, (frame > 0).then_some(1), "{method} of {frame}: {answer}");
            // What is wrong is told of, and nothing of it in a session that stops there.
            let quiet = ask_either(&mut client, method, &strict["trace"], &more);
            assert!(quiet["result"].get("faults").is_none(), "{method} of {frame}: {quiet}");
        }
        let from = json!({ "frame": frame, "row": 0 });
        let params = json!({ "trace": going["trace"], "filter": "CLEAR", "from": from });
        let found = client.result("find", &params);
        assert_eq!((&found["frame"], found.get("faults").is_some()), (&json!(frame), frame > 0), "{found}");
        if frame > 0 {
            let error = client.error("hash", &json!({ "trace": strict["trace"], "frame": frame }));
            assert_eq!(error["data"]["exit_code"], json!(6), "{error}");
        }
    }
    client.end();
}

fn a_recording_that_starts_in_the_middle_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let frames = |numbers: std::ops::Range<u32>| {
        let streams: Vec<Vec<u8>> = numbers
            .map(|number| {
                let mut stream = Stream::new();
                if number == 0 {
                    objects(&mut stream);
                }
                frame(&mut stream, 6 * (number % 2));
                stream.present();
                stream.finish()
            })
            .collect();
        recording(streams.iter().map(Vec::as_slice))
    };
    let mut cut = Scene::new();
    cut.begin().clear(RED).bind(4).packet(Packet::SetPipeline { pipeline_id: 9 }).end().begin().clear(GREEN);
    let submitted = "1 texture, 1 buffer, 2 shaders and 1 layout are used but never created";
    let packets = "1 buffer and 1 pipeline are used but never created";
    for (name, bytes, counts) in
        [("submitted.bin", frames(1..4), submitted), ("packets.bin", cut.end_and_finish(), packets)]
    {
        let name = write(folder.path(), name, &bytes);
        let sentence = format!("This recording starts in the middle: {counts}");
        for words in ["verify", "lint", "info", "info --deep"] {
            let words: Vec<&str> = words.split(' ').chain([name.as_str()]).collect();
            let said = run(&words, folder.path());
            assert!((said.stdout.clone() + &said.stderr).contains(&sentence), "{words:?}: {said:?}");
        }
        let mut client = Client::start(&SOFTWARE);
        let open = client.result("open", &json!({ "path": folder.path().join(&name) }));
        assert!(open["warnings"].as_array().unwrap().contains(&json!(sentence)), "{open}");
        client.end();
    }
    // What needs none of it is shown.
    let shown = hashes(folder.path(), &["packets.bin", "--frames", "all", "--keep-going"]);
    assert_eq!((shown.code, shown.stdout.lines().count()), (8, 2), "{shown:?}");
    let whole = write(folder.path(), "whole.bin", &frames(0..4));
    for verb in ["verify", "info"] {
        let said = run(&[verb, &whole], folder.path());
        assert!(said.code == 0 && !(said.stdout.clone() + &said.stderr).contains("starts in the middle"), "{said:?}");
    }
}

fn a_wrong_handle_further_on_is_no_such_recording() {
    let folder = tempfile::tempdir().unwrap();
    let planted = Planted::Packet(Packet::SetPipeline { pipeline_id: 77 });
    let faulty = write(folder.path(), "faulty.bin", &scene(Some(&planted)));
    let said = run(&["verify", &faulty], folder.path());
    assert!(said.code == 6 && !said.stderr.contains("starts in the middle"), "{said:?}");
}

/// A draw without a pipeline is wrong whatever shaders say, so it needs no --deep.
fn verify_looks_at_draws_of_appendix_a() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = Scene::new();
    scene.begin().clear(RED).draw(0, 3).end().begin().clear(GREEN);
    let name = write(folder.path(), "unbound.bin", &scene.end_and_finish());
    for words in [&["verify", &name][..], &["verify", &name, "--deep"]] {
        let said = run(words, folder.path());
        assert!(said.code == 6 && said.stderr.contains("no pipeline"), "{words:?}: {said:?}");
    }
}
