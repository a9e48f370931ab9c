//! What a stranger asks first: which shaders a draw uses, what differs between two frames, which packet is missing.

use std::fs;
use std::path::Path;

use crate::support;
use aerogpu_replay::abi::reference::Packet;
use serde_json::{Value, json};
use support::harness::{Trial, trials_of};
use support::program::{Run, run};
use support::root;
use support::scene::{GREEN, RED, Scene, rectangle, vertices};

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of![
        a_draw_s_shaders_are_listed_alone,
        two_places_of_one_trace_are_compared,
        a_command_that_one_side_lacks_is_named_alone,
        a_filter_without_a_match_tells_what_there_is,
        a_buffer_is_named_behind_the_trace,
        a_trimmed_trace_says_so,
        draws_are_found_by_marker_and_target,
        the_only_frame_need_not_be_named,
        lint_says_what_it_read,
        events_of_all_frames_are_searched,
        a_shader_says_which_draws_use_it,
        flags_may_stand_before_the_verb,
        an_export_is_not_taken_for_a_recording,
        arguments_that_differ_are_named
    ];
    if cfg!(feature = "gpu") {
        let drawn: Vec<Trial> = trials_of![
            a_draw_without_a_colour_target_says_where_to_look,
            replaced_shaders_are_counted,
            a_filmstrip_without_a_place_is_a_list,
            a_copy_that_misses_the_pixel_is_told
        ];
        trials.extend(drawn);
    }
    trials
}

/// A folder with the example trace as `courtyard.bin`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root().join("fixtures/examples/courtyard.aerogputrace"), folder.path().join("courtyard.bin")).unwrap();
    folder
}

fn done(words: &str, folder: &Path) -> Run {
    let done = run(&words.split(' ').collect::<Vec<_>>(), folder);
    assert_eq!(done.code, 0, "{words}: {done:?}");
    done
}

fn lines(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn a_draw_s_shaders_are_listed_alone() {
    let folder = folder();
    let handles = |words: &str| -> Vec<u64> {
        let listed = lines(&done(&format!("shaders courtyard.bin --json{words}"), folder.path()));
        listed.iter().map(|line| line["handle"].as_u64().unwrap()).collect()
    };
    let all = handles("");
    let of_frame = handles(" --frame 10");
    let of_draw = handles(" --frame 10 --draw 5");
    let [drawn] = &lines(&done("draws courtyard.bin --frame 10 --filter *(draw==5) --json", folder.path()))[..] else {
        panic!()
    };
    assert_eq!(drawn["shaders"], json!({ "vertex": 52, "pixel": 55 }));
    assert_eq!(of_draw, [52, 55]);
    assert_eq!((handles(" --place 10/draw=5"), handles(" --place 10")), (of_draw.clone(), of_frame.clone()));
    let start = run(&["shaders", "courtyard.bin", "--place", "10/start"], folder.path());
    start.expect(2, "", "--place 10/start: expected a frame or a draw, such as 7 or 7/draw=2");
    let none = run(&["shaders", "courtyard.bin", "--place", "99"], folder.path());
    none.expect(2, "", "frame 99 does not exist: the trace has 60 frames, counted from 0");
    assert!(all.len() > of_frame.len() && of_frame.len() > 2, "{all:?} {of_frame:?}");
    assert!(of_draw.iter().all(|handle| of_frame.contains(handle)));
    let none = run(&["shaders", "courtyard.bin", "--frame", "10", "--draw", "99"], folder.path());
    none.expect(2, "", "draw 99 does not exist: frame 10 has 17 draws, counted from 0");
}

fn two_places_of_one_trace_are_compared() {
    let folder = folder();
    let said = done("state courtyard.bin --frame 42 --draw 13 --against 41/draw=13", folder.path()).stdout;
    let expected = "a: frame 41, draw 13; b: frame 42, draw 13\n  what differs (a -> b):\n    fixed-function state  \
                    depth_test   LESS -> off\n    fixed-function state  depth_write  on -> –\n";
    assert_eq!(said, expected);
    let same = done("state courtyard.bin --frame 42 --draw 13 --against 42/draw=13", folder.path()).stdout;
    assert_eq!(same, "frame 42, draw 13 and frame 42, draw 13: nothing differs\n");
}

/// A draw that one side alone has is not taken for another one of the other side.
fn a_command_that_one_side_lacks_is_named_alone() {
    let folder = tempfile::tempdir().unwrap();
    let corners = rectangle(-1.0, -1.0, 1.0, 1.0);
    let of = |counts: &[u32]| {
        let mut scene = Scene::with_pipeline();
        scene.packet(Packet::SetPipeline { pipeline_id: 1 });
        scene.buffer(1, &vertices(&corners, RED)).bind(1).clear(GREEN);
        counts.iter().for_each(|count| _ = scene.draw(0, *count));
        scene.end_and_finish()
    };
    fs::write(folder.path().join("a.bin"), of(&[3, 6, 3, 6])).unwrap();
    fs::write(folder.path().join("b.bin"), of(&[3, 3, 6])).unwrap();
    for [a, b, side] in [["a.bin", "b.bin", "a"], ["b.bin", "a.bin", "b"]] {
        let said = run(&["compare", a, b, "--by", "input"], folder.path());
        assert_eq!(said.code, 1, "{said:?}");
        let alone = format!("    only side {side}: DRAW vertex_count=6 first_vertex=0 at 0x");
        assert!(said.stdout.contains(&alone) && said.stdout.contains("), draw 1\n"), "{}", said.stdout);
        assert_eq!(said.stdout.matches(" side a: ").count() + said.stdout.matches(" side b: ").count(), 1);
    }
}

fn a_filter_without_a_match_tells_what_there_is() {
    let folder = folder();
    let said = done("draws courtyard.bin --frame 42 --filter DRAW(vertex_count>2)", folder.path());
    let note = "note: no row matches --filter; rows are named DRAW_INDEXED; arguments are ";
    assert!(said.stdout.is_empty() && said.stderr.starts_with(note), "{said:?}");
    assert!(said.stderr.contains("index_count"), "{said:?}");
    let said = done("events courtyard.bin --frame 42 --filter ALPHABLEND", folder.path());
    assert!(said.stderr.starts_with("note: no row matches --filter; rows are named UPLOAD_RESOURCE, "), "{said:?}");
    let some = done("draws courtyard.bin --frame 42 --filter DRAW_INDEXED", folder.path());
    assert!(some.stderr.is_empty() && some.stdout.lines().count() == 17, "{some:?}");
}

fn a_buffer_is_named_behind_the_trace() {
    let folder = folder();
    let buffer = lines(&done("events courtyard.bin --frame 0 --filter CREATE_BUFFER --json", folder.path()));
    let handle = buffer.iter().find_map(|line| line["arguments"]["handle"].as_u64()).unwrap();
    let behind = done(&format!("buffer courtyard.bin {handle} --frame 0"), folder.path());
    let flag = done(&format!("buffer courtyard.bin --id {handle} --frame 0"), folder.path());
    assert!(!behind.stdout.is_empty() && behind.stdout == flag.stdout);
}

fn a_trimmed_trace_says_so() {
    let folder = folder();
    done("trim courtyard.bin small.bin --frames 40-42", folder.path());
    let info = done("info small.bin", folder.path()).stdout;
    assert!(info.contains("frames        3, trimmed from frames 40-42 of 60\n"), "{info}");
    let found = run(&["compare", "courtyard.bin", "small.bin"], folder.path()).stdout;
    assert!(found.contains("frames 40 to 42 of side a: frames 0 to 2 of side b\n"), "{found}");
    // What made the target is not in the frames that are kept, and neither is the marker that named it.
    let draws = done("draws small.bin --frames 0", folder.path()).stdout;
    assert!(draws.lines().any(|line| line.contains(", to depth 4 \"shadow map\"")), "{draws}");
    // Every other verb calls it --out.
    done("trim courtyard.bin --out other.bin --frames 40-42", folder.path());
    let [small, other] = ["small.bin", "other.bin"].map(|name| fs::read(folder.path().join(name)).unwrap());
    assert!(small == other);
}

fn draws_are_found_by_marker_and_target() {
    let folder = folder();
    let found = |filter: &str| {
        let words = ["draws", "courtyard.bin", "--frame", "42", "--json", "--filter", filter];
        let draws = lines(&run(&words, folder.path()));
        draws.iter().map(|line| line["draw"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(found("bloom"), [14, 15]);
    assert_eq!(found("\"bright parts\""), [14]);
    assert_eq!(found("halo(index_count == 6)"), [11]);
    assert_eq!(found("/^DRAW_INDEXED$/ and not scene and not shadow"), [14, 15, 16]);
    let bare = run(&["draws", "courtyard.bin", "--filter", "index_count > 300"], folder.path());
    bare.expect(2, "", "expected parentheses around a comparison, as in *(index_count > 300), found index_count > 300");
}

fn the_only_frame_need_not_be_named() {
    let folder = folder();
    let which = "error: which frame? The trace has 60 frames, 0 to 59: expected --frame N\n";
    for verb in
        ["texture courtyard.bin", "state courtyard.bin", "buffer courtyard.bin", "shaders courtyard.bin --draw 3"]
    {
        run(&verb.split(' ').collect::<Vec<_>>(), folder.path()).expect(2, "", which);
    }
    done("trim courtyard.bin one.bin --frames 42", folder.path());
    for verb in ["buffer one.bin", "state one.bin --draw last", "texture one.bin", "shaders one.bin --draw last"] {
        let named = done(&format!("{verb} --frame 0"), folder.path()).stdout;
        assert!(!named.is_empty() && done(verb, folder.path()).stdout == named, "{verb}");
    }
}

fn lint_says_what_it_read() {
    let folder = folder();
    fs::copy(root().join("fixtures/aerogpu/a3a0/scene.aerogputrace"), folder.path().join("clean.bin")).unwrap();
    let clean = done("lint clean.bin", folder.path());
    assert!(clean.stdout.is_empty() && clean.stderr.starts_with("note: no findings: "), "{clean:?}");
    let json = done("lint clean.bin --json", folder.path());
    assert!(json.stdout.is_empty() && json.stderr.is_empty(), "{json:?}");
    let filtered = done("lint courtyard.bin --filter unused", folder.path());
    assert!(
        filtered.stderr.starts_with("note: no row matches --filter; rows are named redundant-state;"),
        "{filtered:?}"
    );
    let of_frame = |frame: &str| done(&format!("lint courtyard.bin --frame {frame}"), folder.path());
    assert_eq!(of_frame("42").stdout, done("lint courtyard.bin", folder.path()).stdout);
    let clean = of_frame("41");
    assert!(clean.stdout.is_empty() && clean.stderr.starts_with("note: no findings in these frames: "), "{clean:?}");
}

fn events_of_all_frames_are_searched() {
    let folder = folder();
    let filter = "SET_DEPTH_STENCIL_STATE(depth_enable == 0)";
    let found = |frames: &[&str]| {
        let words = [&["events", "courtyard.bin", "--json", "--filter", filter], frames].concat();
        let found = run(&words, folder.path());
        assert_eq!(found.code, 0, "{found:?}");
        lines(&found).iter().filter(|line| line["type"] == "event").count()
    };
    let in_frame_42 = found(&["--frame", "42"]);
    assert!(in_frame_42 > 0 && found(&[]) > 59 * in_frame_42 / 2, "{in_frame_42}");
    assert_eq!(found(&["--frames", "41-43"]), found(&["--frames", "41"]) + in_frame_42 + found(&["--frames", "43"]));
    // A frame without a match is not named among others.
    let text = run(&["events", "courtyard.bin", "--filter", "CREATE_BUFFER"], folder.path()).stdout;
    assert!(text.starts_with("frame 0: ") && !text.contains("\nframe "), "{text}");
}

fn a_shader_says_which_draws_use_it() {
    let folder = folder();
    let of_draw = done("shaders courtyard.bin --frame 42 --draw 7", folder.path()).stdout;
    assert!(of_draw.contains("  used by draws 6-9,12-13 of frame 42\n"), "{of_draw}");
    let json = lines(&done("shaders courtyard.bin --frame 42 --draw 7 --json", folder.path()));
    let pixel = json.iter().find(|line| line["stage"] == "pixel").unwrap();
    assert!(pixel["used_by_draws"].as_array().unwrap().contains(&json!(7)), "{pixel}");
    let pixels = lines(&done("shaders courtyard.bin --frame 42 --draw 7 --json --filter pixel", folder.path()));
    assert!(pixels.len() == 1 && pixels[0]["stage"] == "pixel", "{pixels:?}");
    let all = lines(&done("shaders courtyard.bin --json", folder.path()));
    assert!(all.iter().all(|line| line.get("used_by_draws").is_none()));
}

fn flags_may_stand_before_the_verb() {
    let folder = folder();
    let before = done("-q --json frames courtyard.bin", folder.path());
    let behind = done("frames courtyard.bin --json -q", folder.path());
    assert!(!before.stdout.is_empty() && before.stdout == behind.stdout);
}

fn an_export_is_not_taken_for_a_recording() {
    let folder = folder();
    done("timeline export courtyard.bin --out run.perfetto-trace", folder.path());
    for words in ["timeline info run.perfetto-trace", "info run.perfetto-trace"] {
        let refused = run(&words.split(' ').collect::<Vec<_>>(), folder.path());
        let words =
            "run.perfetto-trace is named as an export for other viewers: expected a recording or an AeroGPU trace";
        refused.expect(3, "", words);
    }
}

fn arguments_that_differ_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let corners = rectangle(-1.0, -1.0, 1.0, 1.0);
    let of = |color: [f32; 4]| {
        let mut scene = Scene::with_pipeline();
        scene.packet(Packet::SetPipeline { pipeline_id: 1 });
        scene.buffer(1, &vertices(&corners, RED)).bind(1).clear(color).draw(0, 3);
        scene.end_and_finish()
    };
    fs::write(folder.path().join("a.bin"), of(GREEN)).unwrap();
    fs::write(folder.path().join("b.bin"), of(RED)).unwrap();
    let said = run(&["compare", "a.bin", "b.bin", "--by", "input"], folder.path());
    assert!(said.code == 1 && said.stdout.contains("      differing in: r 0 -> 1, g 1 -> 0"), "{}", said.stdout);
}

fn a_filmstrip_without_a_place_is_a_list() {
    let folder = folder();
    let device = "--backend vulkan --adapter llvmpipe";
    let listed = done(&format!("filmstrip courtyard.bin --frame 42 {device}"), folder.path());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let written = done(&format!("filmstrip courtyard.bin --frame 42 --out film {device}"), folder.path());
    assert_eq!(fs::read_dir(folder.path().join("film")).unwrap().count(), 17);
    assert!(!listed.stdout.is_empty() && listed.stdout == written.stdout, "{listed:?}");
}

fn a_draw_without_a_colour_target_says_where_to_look() {
    let folder = folder();
    let device = "--backend vulkan --adapter llvmpipe --hash";
    let said = done(&format!("courtyard.bin --frame 7 --draw 3 {device}"), folder.path()).stderr;
    assert!(
        said.contains("note: draw 3 has no colour target, only depth texture 4 \"shadow map\": --target 4 shows it")
    );
    for words in ["--draw 3 --target 4", "--draw 5"] {
        let said = done(&format!("courtyard.bin --frame 7 {words} {device}"), folder.path()).stderr;
        assert!(!said.contains("colour target"), "{said}");
    }
}

fn replaced_shaders_are_counted() {
    let folder = folder();
    done("extract courtyard.bin --shaders edited", folder.path());
    let draw = "courtyard.bin --frame 0 --replace-shaders edited --backend vulkan --adapter llvmpipe --out frame.png";
    let unchanged = done(draw, folder.path()).stderr;
    assert!(unchanged.contains("wrote frame.png: frame 0, 640x360, with 0 shaders from edited; "), "{unchanged}");
    let sky = fs::read_dir(folder.path().join("edited")).unwrap().map(|entry| entry.unwrap().path());
    let sky = sky.into_iter().find(|path| {
        path.file_name().unwrap().to_string_lossy().starts_with("shader55-") && path.extension().unwrap() == "asm"
    });
    let sky = sky.unwrap();
    let text = fs::read_to_string(&sky).unwrap();
    let line = text.lines().rev().find(|line| line.trim_start().starts_with("mad o0.xyz")).unwrap();
    fs::write(&sky, text.replace(line, "mov o0.xyz, l(1.0, 0.0, 0.0, 0.0)")).unwrap();
    let edited = done(draw, folder.path()).stderr;
    assert!(edited.contains("640x360, with 1 shader from edited; "), "{edited}");
}

/// The copy ends one column before the pixel, which a CLEAR and then the draw write.
fn a_copy_that_misses_the_pixel_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let scene = root().join("fixtures/d3d/driver_scenes/d11_many_frames.aerogputrace");
    fs::copy(scene, folder.path().join("scene.bin")).unwrap();
    let pixel = |at: &str, more: &str| {
        let device = "--backend vulkan --adapter llvmpipe";
        done(&format!("pixel scene.bin --frame 17 --at {at} {device}{more}"), folder.path()).stdout
    };
    let missed = pixel("63,0", " --all");
    let copy = missed.lines().find(|line| line.starts_with("copy of 1,0 of texture 3 at 0xe2b2 ")).unwrap();
    assert!(copy.ends_with(": writes other pixels, within 63x32 at 0,0"), "{copy}");
    let brief = pixel("63,0", "");
    assert!(
        brief.contains("commands that left the pixel alone (--all lists them):\n  1 copy: writes other pixels\n"),
        "{brief}"
    );
    let json =
        lines(&done("pixel scene.bin --frame 17 --at 63,0 --json --backend vulkan --adapter llvmpipe", folder.path()));
    let copy = json.iter().find(|line| line["command"] == "copy").unwrap();
    assert_eq!((&copy["wrote"], &copy["reason"]), (&json!(false), &json!("other-pixels")));
    // One column to the left it is what wrote the pixel.
    let written = pixel("62,0", "");
    assert!(
        written.contains("copy of 63,0 of texture 3 at 0xe2b2 ") && !written.contains("writes other pixels"),
        "{written}"
    );
}
