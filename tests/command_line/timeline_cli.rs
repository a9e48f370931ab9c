//! `timeline` and `extract` as a user runs them; needs no GPU.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support;
use crate::support::wip15_writer;
use serde_json::Value;
use support::harness::{Trial, trials_of};
use support::mutate::mutant;
use support::program::{Run, program, run};
use support::random::Random;
use support::recording::recording;
use support::scene::Scene;
use support::{fixture, root};

pub fn trials() -> Vec<Trial> {
    trials_of![
        info_takes_files_of_all_kinds_and_ends_with_the_worst_code,
        later_layouts_are_refused_when_only_the_first_is_wanted,
        strict_makes_errors_of_warnings,
        dump_lists_what_the_filter_and_the_frames_select,
        mistakes_in_flags_are_usage_errors,
        stats_count_spans_calls_and_instants,
        annotations_lie_beside_a_traces_frames,
        exports_hold_every_file,
        frames_that_hold_the_same_are_found,
        blame_puts_the_frame_first_that_took_longest,
        blame_and_stats_measure_frames_alike,
        blame_of_a_damaged_trace_ends_as_its_list_of_frames,
        trees_and_differences_are_of_what_was_recorded,
        health_says_what_never_ended_and_where,
        the_gpus_own_times_put_frames_in_order,
        other_verbs_say_what_an_annotation_is,
        blobs_become_files,
        textures_become_pictures,
        names_from_files_do_not_move_the_cursor,
        damage_never_ends_in_a_panic,
        a_closed_pipe_is_success,
        #[cfg(target_os = "linux")]
        a_full_disk_is_an_error,
    ]
}

fn here(arguments: &[&str]) -> Run {
    run(arguments, root())
}

fn json_lines(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const FEATURES: &str = "fixtures/wtf/v3/seed_features.wtf-trace";
const GEARS: &str = "fixtures/wip15/s1_glxgears_killed.trace";
const PYGAME: &str = "fixtures/wip15/s1_py_pygame_zlib60.trace";

fn info_takes_files_of_all_kinds_and_ends_with_the_worst_code() {
    let trace = fixture("triangle").display().to_string();
    let all = here(&["timeline", "info", "--json", FEATURES, PYGAME, &trace]);
    assert_eq!(all.code, 0, "{}", all.stderr);
    let formats: Vec<Value> = json_lines(&all).iter().map(|object| object["format"].clone()).collect();
    assert_eq!(formats, ["wtf-trace", "wip15", "aerogpu"]);
    let cut = here(&["timeline", "info", "--json", GEARS, FEATURES, "README.md", "no-such-file"]);
    assert_eq!((cut.code, cut.stdout.lines().count()), (3, 4), "{}", cut.stderr);
    assert!(cut.stderr.contains("expected a WIP15 trace, a wtf-trace or an AeroGPU trace"), "{}", cut.stderr);
    here(&["timeline", "info", GEARS, "-q"]).expect(8, &here(&["timeline", "info", GEARS]).stdout, "");
    // Digests are most of the work, and taken where they are asked for.
    for file in [FEATURES, PYGAME] {
        let digests = |arguments: &[&str]| -> Vec<String> {
            let run = here(&[&["timeline", "info", "--json", file], arguments].concat());
            let object = json_lines(&run).remove(0);
            object.as_object().unwrap().keys().filter(|name| name.ends_with("sha256")).cloned().collect()
        };
        assert!(digests(&[]).is_empty() && digests(&["--digests"]).len() >= 2, "{file}");
    }
    let text = here(&["timeline", "info", FEATURES]);
    assert!(
        text.stdout.contains("dialect                v3-be\n") && text.stdout.contains("name Script"),
        "{}",
        text.stdout
    );
}

fn later_layouts_are_refused_when_only_the_first_is_wanted() {
    let variant = "fixtures/wip15/synth/variant.trace";
    assert_eq!(here(&["timeline", "info", variant, "--json"]).code, 0);
    let refused = here(&["timeline", "info", variant, "--json", "--seed-only"]);
    let object = &json_lines(&refused)[0];
    assert_eq!((refused.code, &object["result"]), (8, &"not_seed_format".into()), "{}", refused.stderr);
    assert_eq!(here(&["timeline", "info", PYGAME, "--json", "--seed-only"]).code, 0);
}

fn strict_makes_errors_of_warnings() {
    let odd = "fixtures/wip15/synth/bool_values.trace";
    assert_eq!(here(&["timeline", "dump", odd]).code, 0);
    assert_eq!(here(&["timeline", "dump", odd, "--strict"]).code, 3);
    assert_eq!(here(&["timeline", "info", odd, "--strict"]).code, 3);
}

fn dump_lists_what_the_filter_and_the_frames_select() {
    let all = json_lines(&here(&["timeline", "dump", FEATURES, "--json"])).len();
    let count = |arguments: &[&str]| {
        let run = here(&[&["timeline", "dump", FEATURES, "--json"], arguments].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        json_lines(&run).len()
    };
    assert!(all > 100);
    assert_eq!(count(&["--filter", "hot#loop"]), 36);
    assert_eq!(count(&["--filter", "/^hot/ or javascript#gc"]), 40);
    assert_eq!(count(&["--filter", "hot#loop(i == 0)"]), 12);
    assert_eq!(count(&["--filter", "draw and @duration > 4ms"]), 12);
    assert_eq!(count(&["--filter", "draw and not @duration > 4ms"]), 0);
    assert_eq!(count(&["--filter", "draw", "--frames", "0,2"]), 2);
    assert_eq!(count(&["--filter", "draw", "--frames", "last"]), 0, "the last frame has no end");
    let text = here(&["timeline", "dump", FEATURES, "--filter", "draw(triangles >= 0)"]);
    assert_eq!(text.stdout.lines().count(), 13);
    assert!(text.stdout.starts_with("       begin     length  what"), "{}", text.stdout);
}

fn mistakes_in_flags_are_usage_errors() {
    for (arguments, message) in [
        (vec!["dump", GEARS, "--filter", "@duration > 5ms"], "this file records no time"),
        (vec!["dump", GEARS, "--filter", "(a"], "closing parenthesis"),
        (vec!["dump", GEARS, "--frames", "9999999"], "does not exist"),
        (
            vec!["dump", GEARS, "--canonical", "events"],
            "expected ops or timeline for a WIP15 trace, events or timeline for a wtf-trace",
        ),
        (vec!["dump", FEATURES, "--canonical", "ops"], "events or timeline for a wtf-trace"),
        (vec!["dump", GEARS, "--align", "frames"], "--annotate"),
        (vec!["export", "--out", "x.json"], "TRACE"),
        (vec!["export", GEARS, "--out", "x.xml"], ".json, .perfetto-trace or .pftrace"),
        (vec!["align", GEARS, "--annotate", FEATURES], "if both began together: --align frames"),
        (vec!["align", GEARS, FEATURES], "if both began together: --align frames"),
        (vec![FEATURES, GEARS], "timeline needs a command before the file: info, dump, stats"),
        (vec!["verify-export", "x.pftrace"], "timeline verify-export x.pftrace TRACE ANNOTATION"),
        (vec!["align", GEARS, "--annotate", FEATURES, "--align", "by-luck"], "frames:A=B"),
        (
            vec!["align", GEARS, "--annotate", FEATURES, "--align", "offset-us:5"],
            "s1_glxgears_killed.trace: expected a clock",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let arguments = [&["timeline"], arguments.as_slice()].concat();
        if arguments[1] == "verify-export" {
            fs::write(folder.path().join("x.pftrace"), b"").unwrap();
            run(&arguments, folder.path()).expect(2, "", message);
        } else {
            here(&arguments).expect(2, "", message);
        }
    }
    // Where one file is tied to the frames and has a clock, another may count on it.
    let trace = fixture("frames").display().to_string();
    let tied = ["timeline", "align", &trace, "--annotate", FEATURES, "--annotate", FEATURES, "--align", "frames"];
    assert_eq!(here(&[&tied[..], &["--align", "offset-us:-5"]].concat()).code, 0);
}

fn stats_count_spans_calls_and_instants() {
    let lines = json_lines(&here(&["timeline", "stats", FEATURES, "--json", "--longest", "3"]));
    let named = |name: &str| lines.iter().find(|line| line["name"] == name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!((&named("draw")["count"], &named("draw")["total_ticks"]), (&12.into(), &60_000.into()));
    assert_eq!((&named("hot#loop")["count"], &named("hot#loop")["p99_ticks"]), (&36.into(), &0.into()));
    assert_eq!(lines.iter().filter(|line| line["type"] == "frame-stats").count(), 3);
    let gears = here(&["timeline", "stats", GEARS]);
    assert_eq!(gears.code, 8);
    assert!(gears.stdout.lines().any(|line| line.contains(" 2481 ") && line.ends_with("glClear")), "{}", gears.stdout);
    let some = json_lines(&here(&["timeline", "stats", FEATURES, "--json", "--filter", "draw", "--longest", "0"]));
    assert_eq!((some.len(), &some[0]["count"], &some[0]["own_ticks"]), (1, &12.into(), &60_000.into()));
}

fn annotations_lie_beside_a_traces_frames() {
    let trace = fixture("frames").display().to_string();
    let aligned = here(&["timeline", "align", &trace, "--annotate", FEATURES, "--align", "frames:1=2", "--json"]);
    assert_eq!(aligned.code, 0, "{}", aligned.stderr);
    let lines = json_lines(&aligned);
    assert_eq!(lines[0]["alignment"]["method"], "frames:1=2");
    let told = here(&["timeline", "align", &trace, "--annotate", FEATURES, "--align", "frames:1=2"]);
    let matched = &lines[0]["alignment"]["matched_frames"];
    let frames = &lines[0]["alignment"]["reference_frames"];
    let first = format!("frame 2 is frame 1 of {trace} (frames:1=2): {matched} of {frames} frames matched");
    assert!(told.stdout.contains(&first), "{}", told.stdout);
    assert!(told.stdout.contains("; frames:1=3 would match as many frames\n"), "{}", told.stdout);
    // A recording that stands behind the trace is one of --annotate.
    let beside = here(&["timeline", "align", &trace, FEATURES, "--align", "frames:1=2"]);
    assert_eq!((beside.code, &beside.stdout), (told.code, &told.stdout));
    assert!(!told.stdout.contains("RMS"), "{}", told.stdout);
    assert_eq!((lines.len(), &lines[1]["ticks"][0]), (5, &Value::Null));
    assert_eq!(lines[2]["ticks"][0][0], lines[0]["alignment"]["anchors"][0]["tick"]);
    let beside = ["timeline", "dump", &trace, "--annotate", FEATURES, "--align", "frames"];
    let dump = here(&[&beside[..], &["--frames", "1", "--filter", "draw or DRAW", "--json"]].concat());
    let names: Vec<Value> = json_lines(&dump).iter().map(|line| line["name"].clone()).collect();
    assert_eq!(names, [Value::from("DRAW"), Value::Null, "draw".into()], "{}", dump.stdout);
    let two = [&beside[..], &["--annotate", GEARS]].concat();
    assert_eq!(here(&two).code, 8);
    let unclear = [&two[..], &["--align", "frames", "--align", "frames"]].concat();
    here(&unclear).expect(2, "", "expected --align once, or 2 times, once for each recording; found it 3 times");
}

fn exports_hold_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let trace = fixture("frames").display().to_string();
    let out = |name: &str| folder.path().join(name).display().to_string();
    let chrome = out("x.json");
    let beside = ["--annotate", FEATURES, "--annotate", GEARS, "--align", "frames"];
    let run = here(&[&["timeline", "export", &trace, "--out", &chrome], &beside[..]].concat());
    // The killed program's trace is cut, and the export is whole for what there is.
    assert_eq!(run.code, 8, "{}", run.stderr);
    let exported: Value = serde_json::from_slice(&fs::read(&chrome).unwrap()).unwrap();
    let events = exported["traceEvents"].as_array().unwrap();
    let count = |name: &str| events.iter().filter(|event| event["name"] == name).count();
    assert_eq!((count("draw"), count("glClear")), (12, 2481));
    let processes: std::collections::BTreeSet<u64> = events.iter().filter_map(|event| event["pid"].as_u64()).collect();
    assert_eq!(processes.len(), 3);
    // Made once more it is the same; another one, and the same of other files, is not.
    let verify = |arguments: &[&str]| here(&[&["timeline", "verify-export", &chrome], arguments].concat());
    let same = [&[trace.as_str()][..], &beside].concat();
    let told = verify(&same);
    assert_eq!(
        (told.code, told.stdout),
        (8, format!("{chrome}: matches an export of these files with these options\n")),
        "{}",
        told.stderr
    );
    let bytes = fs::read(&chrome).unwrap();
    let at = bytes.len() / 2;
    let of = "an export of these files with these options";
    let other = |from: usize| format!("{chrome}: differs from {of}, from byte {from} on\n");
    // The export is known by its ending.
    let last = [&["timeline", "verify-export"], &same[..], &[chrome.as_str()]].concat();
    let last = here(&last);
    assert_eq!(
        (last.code, last.stdout),
        (8, format!("{chrome}: matches an export of these files with these options\n")),
        "{}",
        last.stderr
    );
    for (changed, from) in [
        ([&bytes[..at], &[bytes[at] ^ 1], &bytes[at + 1..]].concat(), at),
        (bytes[..at].to_vec(), at),
        ([&bytes[..], b"\n"].concat(), bytes.len()),
        (Vec::new(), 0),
    ] {
        fs::write(&chrome, changed).unwrap();
        let told = verify(&same);
        assert_eq!((told.code, told.stdout), (1, other(from)), "{}", told.stderr);
    }
    fs::write(&chrome, &bytes).unwrap();
    let elsewhere = verify(&[&same[..], &["--frames", "1"]].concat());
    assert_eq!(elsewhere.code, 1, "{elsewhere:?}");
    let told = json_lines(&verify(&[&same[..], &["--json"]].concat())).remove(0);
    assert_eq!(
        (&told["type"], &told["is_identical"], &told["offset"]),
        (&"export-check".into(), &true.into(), &Value::Null)
    );
    let perfetto = out("x.perfetto-trace");
    let run = here(&["timeline", "export", "--annotate", FEATURES, "--out", &perfetto, "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let frames = ["timeline", "export", &trace, FEATURES, "--align", "frames:2=0", "--out"];
    let written = here(&[&frames[..], &[&out("x.pftrace")]].concat());
    let (_, summary) = written.stdout.split_once("\nwrote ").unwrap();
    assert!(summary.contains("x.pftrace: Perfetto, ") && written.code == 0, "{written:?}");
    assert!(summary.contains("; measured times for 2 of 4 frames, 2 placed by guess\n"), "{summary}");
    let placed = "no times recorded; its frames have their times from";
    let spread = "and its packets are spread over their frame by size";
    assert!(summary.ends_with(&format!("{trace}: {placed} {FEATURES}, {spread}\n")), "{summary}");
    let bytes = fs::read(&perfetto).unwrap();
    assert_eq!(packets(&bytes), bytes.len(), "a trace is packets of field 1, end to end");
    assert_eq!(here(&["timeline", "verify-export", &perfetto, "--annotate", FEATURES]).code, 0);
    let odd = out("x.xml");
    fs::write(&odd, "").unwrap();
    here(&["timeline", "verify-export", &odd, &trace]).expect(2, "", "ends in .json, .perfetto-trace or .pftrace");
    let selected = [&["timeline", "export", &trace, "--out", &chrome, "--annotate", FEATURES, "--align", "frames"][..]];
    let run = here(&[selected[0], &["--frames", "1", "--filter", "draw or DRAW"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let exported: Value = serde_json::from_slice(&fs::read(&chrome).unwrap()).unwrap();
    let events = exported["traceEvents"].as_array().unwrap();
    let names: Vec<_> = events.iter().filter(|event| event["ph"] != "M").map(|event| &event["name"]).collect();
    assert_eq!(names, ["DRAW", "frame 1", "draw", "frame 1"]);
    let nowhere = out("no/x.json");
    assert_eq!(here(&["timeline", "export", FEATURES, "--out", &nowhere]).code, 11);
}

/// Steps over the packets of a Perfetto trace, and gives back where they end.
fn packets(bytes: &[u8]) -> usize {
    let mut at = 0;
    while bytes.get(at) == Some(&0x0a) {
        let (mut length, mut shift) = (0, 0);
        loop {
            at += 1;
            length |= usize::from(bytes[at] & 0x7f) << shift;
            shift += 7;
            if bytes[at] < 0x80 {
                break;
            }
        }
        at += 1 + length;
    }
    at
}

fn other_verbs_say_what_an_annotation_is() {
    for (arguments, kind) in [
        (vec!["info", GEARS], "is a WIP15 trace of OpenGL calls"),
        (vec!["dump", FEATURES], "is a wtf-trace of scopes and marks"),
        (vec!["info", "fixtures/wtf/json_v2/combined-1.wtf-json"], "is a wtf-trace of scopes and marks"),
    ] {
        let run = here(&arguments);
        run.expect(3, "", kind);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
    here(&[FEATURES, "--frame", "0", "--hash"]).expect(3, "", "expected an AeroGPU trace here");
}

fn blobs_become_files() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("blobs").display().to_string();
    let run = here(&["extract", "fixtures/wip15/synth/extras.trace", "--blobs", &into, "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lines = json_lines(&run);
    // The four, and what tells of them.
    assert_eq!((lines.len(), fs::read_dir(&into).unwrap().count()), (4, 5));
    assert_eq!(fs::read_to_string(Path::new(&into).join("index.jsonl")).unwrap(), run.stdout);
    for line in &lines {
        let size = fs::metadata(line["out"].as_str().unwrap()).unwrap().len();
        assert_eq!(size, line["size_bytes"].as_u64().unwrap());
    }
    let bomb = here(&["extract", "fixtures/wip15/bad/zstd_bomb.trace", "--blobs", &into]);
    assert_eq!(bomb.code, 10, "{}", bomb.stderr);
    assert_eq!(here(&["extract", FEATURES, "--blobs", &into]).code, 3);
}

fn textures_become_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let uint = wip15_writer::uint;
    let mut made = wip15_writer::Trace::new();
    let texels: Vec<u8> = (0..12).collect();
    let image = |made: &mut wip15_writer::Trace, format, kind, texels: &[u8]| {
        let bytes = wip15_writer::data(0, texels.len() as u32, texels);
        let sizes = [0x0de1, 0, 0x8058, 2, 2, 0, format, kind].map(uint);
        made.call("glTexImage2D", &[&sizes[..], &[bytes]].concat(), &wip15_writer::void());
    };
    // GL_UNPACK_ALIGNMENT 1: rows of two texels in GL_RGB and GL_UNSIGNED_BYTE follow each other.
    made.call("glPixelStorei", &[uint(0x0cf5), wip15_writer::int(1)], &wip15_writer::void());
    image(&mut made, 0x1907, 0x1401, &texels);
    image(&mut made, 0x1907, 0x9999, &texels);
    image(&mut made, 0x1908, 0x1401, &texels);
    // No program has rows of so many texels; what a file says of them must not matter elsewhere.
    for name in [0x0cf2, 0x0cf3, 0x0cf4, 0x806d, 0x806e] {
        made.call("glPixelStorei", &[uint(name), wip15_writer::int(i64::MAX)], &wip15_writer::void());
    }
    image(&mut made, 0x1907, 0x1401, &texels);
    // A block of GL_COMPRESSED_RGB_S3TC_DXT1_EXT, all red, and one of GL_COMPRESSED_RGBA8_ETC2_EAC.
    for (format, block) in [(0x83f0, [0, 0xf8, 0, 0, 0, 0, 0, 0]), (0x9278, [0; 8])] {
        let compressed = [0x0de1, 0, format, 4, 4, 0, 8].map(uint);
        let block = wip15_writer::data(0, 8, &block);
        made.call("glCompressedTexImage2D", &[&compressed[..], &[block]].concat(), &wip15_writer::void());
    }
    let path = folder.path().join("textures.trace");
    fs::write(&path, &made.bytes).unwrap();
    let into = folder.path().join("blobs");
    let run = here(&["extract", &path.display().to_string(), "--blobs", &into.display().to_string(), "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lines = json_lines(&run);
    let told: Vec<_> = lines.iter().map(|line| line["no_picture"].as_str()).collect();
    let (unknown, short) =
        ("texels of this format and type cannot be shown as a picture", "there are too few bytes for its texels");
    let blocks = "blocks of this format cannot be shown as a picture";
    assert_eq!(told, [None, Some(unknown), Some(short), Some(short), None, Some(blocks)]);
    assert_eq!((&lines[0]["width"], &lines[0]["format"]), (&2.into(), &0x1907.into()));
    assert_eq!((&lines[5]["width"], &lines[5]["picture"]), (&4.into(), &Value::Null));
    assert_eq!([4, 5].map(|line: usize| lines[line]["internal_format"].as_u64()), [Some(0x83f0), Some(0x9278)]);
    let picture = fs::read(lines[4]["picture"].as_str().unwrap()).unwrap();
    let picture = image::load_from_memory(&picture).unwrap().to_rgba8();
    assert!(picture.dimensions() == (4, 4) && picture.pixels().all(|pixel| pixel.0 == [255, 0, 0, 255]));
    let picture = fs::read(lines[0]["picture"].as_str().unwrap()).unwrap();
    let picture = image::load_from_memory(&picture).unwrap().to_rgba8();
    assert_eq!(picture.dimensions(), (2, 2));
    assert_eq!(picture.into_raw(), [0, 1, 2, 255, 3, 4, 5, 255, 6, 7, 8, 255, 9, 10, 11, 255]);
    // The bytes lie beside it.
    assert_eq!(fs::read(lines[0]["out"].as_str().unwrap()).unwrap(), texels);
}

/// Frames of an application: how often each draws, and the bytes that it uploads.
fn application(count: usize, seed: u64) -> Vec<(usize, Vec<u8>)> {
    let mut state = seed;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let frame = |_| (1 + random(6) as usize, (0..24 * 6).map(|_| random(256) as u8 & 0x3f).collect());
    (0..count).map(frame).collect()
}

/// Trace of these frames, as a GPU was given them.
fn trace_of(frames: &[&(usize, Vec<u8>)]) -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    scene.viewport(64, 64).buffer(1, &[0; 24 * 6]).bind(1);
    for (number, (draws, bytes)) in frames.iter().enumerate() {
        if number > 0 {
            scene.begin();
        }
        scene.upload(1, 0, bytes);
        for _ in 0..*draws {
            scene.draw(0, 6);
        }
        scene.end();
    }
    scene.finish()
}

/// Trace of an OpenGL program that shows these frames in a window.
fn calls_of(frames: &[(u64, &(usize, Vec<u8>))]) -> Vec<u8> {
    let (uint, void) = (wip15_writer::uint, wip15_writer::void);
    let mut made = wip15_writer::Trace::new();
    for (window, (draws, bytes)) in frames {
        let data = wip15_writer::data(0, bytes.len() as u32, bytes);
        made.call("glBufferData", &[uint(0x8892), uint(bytes.len() as u64), data, uint(0x88e4)], &void());
        for _ in 0..*draws {
            made.call("glDrawArrays", &[uint(4), uint(0), uint(6)], &void());
        }
        made.call("glXSwapBuffers", &[wip15_writer::ptr(1), uint(*window)], &void());
    }
    made.bytes
}

fn frames_that_hold_the_same_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let align = |trace: &str, other: &str| {
        here(&["timeline", "align", trace, "--annotate", other, "--align", "auto", "--json"])
    };
    let pairs_of = |run: &Run| -> Vec<(u64, u64)> {
        let alignment = json_lines(run)[0]["alignment"].clone();
        let pair = |frame: &Value| (frame["frame"].as_u64().unwrap(), frame["annotation"].as_u64().unwrap());
        alignment["frames"].as_array().unwrap().iter().map(pair).collect()
    };
    let app = application(20, 5);
    // The trace begins two frames later and has lost frame 9; the calls have lost frame 13.
    let in_trace: Vec<usize> = (2..20).filter(|frame| *frame != 9).collect();
    let in_calls: Vec<usize> = (0..20).filter(|frame| *frame != 13).collect();
    let trace = write("t.aerogputrace", &trace_of(&in_trace.iter().map(|frame| &app[*frame]).collect::<Vec<_>>()));
    let calls: Vec<_> = in_calls.iter().map(|frame| (1, &app[*frame])).collect();
    let expected: Vec<(u64, u64)> = (0..20)
        .filter_map(|frame| {
            let place = |list: &[usize]| list.iter().position(|other| *other == frame).map(|place| place as u64);
            Some((place(&in_trace)?, place(&in_calls)?))
        })
        .collect();
    let found = align(&trace, &write("calls.trace", &calls_of(&calls)));
    assert_eq!(found.code, 0, "{}", found.stderr);
    assert_eq!(pairs_of(&found), expected);
    let alignment = json_lines(&found)[0]["alignment"].clone();
    let evidence: Vec<_> =
        alignment["frames"].as_array().unwrap().iter().map(|frame| frame["evidence"].clone()).collect();
    assert!(evidence.iter().all(|one| one["same_draws"] == true && one["same_uploads"] == 1), "{evidence:?}");
    assert!(evidence.iter().all(|one| one["confidence_percent"].as_u64().unwrap() >= 95), "{evidence:?}");
    // Another window shows something else in between.
    let other = application(20, 77);
    let mut two = Vec::new();
    for (place, frame) in calls.iter().enumerate() {
        if place % 3 == 1 {
            two.push((2, &other[place]));
        }
        two.push(*frame);
    }
    let windows = align(&trace, &write("windows.trace", &calls_of(&two)));
    assert_eq!(windows.code, 0, "{}", windows.stderr);
    let with_drawable = json_lines(&windows)[0]["alignment"]["drawable"].clone();
    let matched = pairs_of(&windows).len();
    assert!(matched == expected.len(), "{matched} frames, of drawable {with_drawable}");
    // A window that is shown once leaves it as clear as it was, whether its frame counts or not.
    let mut once = calls.clone();
    once.insert(8, (2, &other[3]));
    let splash = align(&trace, &write("splash.trace", &calls_of(&once)));
    assert_eq!((splash.code, pairs_of(&splash).len()), (0, expected.len()), "{}", splash.stderr);
    // Where nothing is alike but the frames themselves there is no second best.
    let second_of = |trace: &str, calls: &str| {
        let told = here(&["timeline", "align", trace, "--annotate", calls, "--align", "auto"]);
        let line = told.stdout.lines().nth(1).unwrap().to_owned();
        let (found, second) = line.split_once("; second best: ").unwrap_or((line.as_str(), ""));
        (found.rsplit(": ").next().unwrap().to_owned(), second.to_owned())
    };
    let (found, second) = second_of(&trace, &write("calls.trace", &calls_of(&calls)));
    assert!(found.contains(&format!("{0} of 17 frames matched ({0} with certainty)", expected.len())), "{found}");
    assert_eq!(second, "");
    // One frame comes once more three frames later.
    let mut again = app.clone();
    again[11] = again[8].clone();
    let trace_again = write("again.aerogputrace", &trace_of(&again.iter().collect::<Vec<_>>()));
    let calls_again: Vec<_> = again.iter().map(|frame| (1, frame)).collect();
    let (found, second) = second_of(&trace_again, &write("again.trace", &calls_of(&calls_again)));
    assert!(found.contains("20 of 20 frames matched"), "{found}");
    assert!(["frames:0=3 matches 1", "frames:3=0 matches 1"].contains(&second.as_str()), "{second}");
    // Another window is shown in the middle of each frame: those of the first alone are the trace's.
    let mut made = wip15_writer::Trace::new();
    let (uint, void) = (wip15_writer::uint, wip15_writer::void);
    for (_, (draws, bytes)) in &calls {
        let data = wip15_writer::data(0, bytes.len() as u32, bytes);
        made.call("glBufferData", &[uint(0x8892), uint(bytes.len() as u64), data, uint(0x88e4)], &void());
        for draw in 0..*draws {
            made.call("glDrawArrays", &[uint(4), uint(0), uint(6)], &void());
            if draw == 0 {
                made.call("glXSwapBuffers", &[wip15_writer::ptr(1), uint(2)], &void());
            }
        }
        made.call("glXSwapBuffers", &[wip15_writer::ptr(1), uint(1)], &void());
    }
    let split = align(&trace, &write("split.trace", &made.bytes));
    assert_eq!(split.code, 0, "{}", split.stderr);
    assert_eq!((pairs_of(&split), &json_lines(&split)[0]["alignment"]["drawable"]), (expected.clone(), &1.into()));
    // A file without draws is compared by a name that comes as often.
    let scopes: Vec<Vec<(&str, u32)>> =
        in_calls.iter().map(|frame| [vec![("physics", 3)], vec![("mesh", 1); app[*frame].0]].concat()).collect();
    let scopes: Vec<&[(&str, u32)]> = scopes.iter().map(Vec::as_slice).collect();
    let by_name = align(&trace, &recording(folder.path(), "app.wtf-json", &scopes));
    assert_eq!(by_name.code, 0, "{}", by_name.stderr);
    assert_eq!(
        (pairs_of(&by_name), &json_lines(&by_name)[0]["alignment"]["counted_event"]),
        (expected, &"mesh".into())
    );
    // What comes again and again, or is another program, is left open, with what comes nearest.
    let same: Vec<_> = (0..12).map(|_| (1, &app[0])).collect();
    let unclear = align(&trace, &write("same.trace", &calls_of(&same)));
    assert_eq!((unclear.code, unclear.stdout.as_str()), (2, ""));
    assert!(unclear.stderr.contains("no clear answer: frames:"), "{}", unclear.stderr);
    let strange: Vec<_> = other.iter().map(|frame| (1, frame)).collect();
    assert_eq!(align(&trace, &write("strange.trace", &calls_of(&strange))).code, 2);
}

fn blame_puts_the_frame_first_that_took_longest() {
    let folder = tempfile::tempdir().unwrap();
    let frames: [&[(&str, u32)]; 4] =
        [&[("physics", 4), ("draw", 6)], &[("physics", 25), ("draw", 5)], &[("draw", 20)], &[("load", 5)]];
    let app = recording(folder.path(), "app.wtf-json", &frames);
    let trace = fixture("frames").display().to_string();
    let blame = |more: &[&str]| here(&[&["timeline", "blame", &trace, "--annotate", &app], more].concat());
    let lines = json_lines(&blame(&["--json"]));
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            let of_app = &line["annotations"][0];
            let longest = &of_app["longest"];
            let name = longest["name"].as_str().unwrap();
            (
                line["frame"].as_u64().unwrap(),
                of_app["number"].clone(),
                of_app["duration_ns"].clone(),
                name,
                &longest["own_ticks"],
            )
        })
        .collect();
    let row = |frame: u64, ms: u64, name| (frame, (frame + 7).into(), (ms * 1_000_000).into(), name);
    let expected = [row(1, 30, "physics"), row(2, 20, "draw"), row(0, 10, "draw"), row(3, 5, "load")];
    assert_eq!(told.iter().map(|(a, b, c, name, _)| (*a, b.clone(), c.clone(), *name)).collect::<Vec<_>>(), expected);
    assert_eq!(told.iter().map(|row| row.4.clone()).collect::<Vec<_>>(), [25_000, 20_000, 6_000, 5_000]);
    // What was drawn, as `frames` says it.
    let drawn = json_lines(&here(&["frames", &trace, "--json"]));
    for line in &lines {
        let same = &drawn[line["frame"].as_u64().unwrap() as usize];
        for key in ["draws", "uploads", "input_sha256"] {
            assert_eq!(line[key], same[key], "{key}");
        }
    }
    let shown = |more: &[&str]| -> Vec<Value> {
        json_lines(&blame(&[more, &["--json"]].concat())).iter().map(|line| line["frame"].clone()).collect()
    };
    assert_eq!(shown(&["--longest", "2"]), [1, 2]);
    assert_eq!(shown(&["--frames", "2-3"]), [2, 3]);
    // Events of the application choose frames of the trace, and packets of the trace choose those of the application.
    assert_eq!(shown(&["--filter", "physics"]), [1, 0]);
    assert_eq!(shown(&["--filter", "draw and @duration >= 6ms"]), [2, 0]);
    assert_eq!(shown(&["--filter", "@duration > 15ms"]), [1, 2]);
    assert_eq!(shown(&["--filter", "UPLOAD_BUFFER"]), [2, 0]);
    assert_eq!(shown(&["--filter", "nothing"]).len(), 0);
    let text = blame(&[]);
    let first = text.stdout.lines().nth(1).unwrap();
    assert!(first.contains("30.000 ms") && first.contains("app.wtf-json: frame 1 (number 8)"), "{first}");
    assert!(first.ends_with("longest own time physics 25.000 ms on main"), "{first}");
    assert!(text.stdout.starts_with("   frame     time in ms"), "{}", text.stdout);
    let next = format!("draws of frame 1: aerogpu-replay draws {trace} --frame 1\n");
    assert!(text.stdout.contains(&next), "{}", text.stdout);
    let calls = text.stdout.lines().last().unwrap();
    assert!(calls.starts_with("calls in frame 1: aerogpu-replay timeline tree ") && calls.ends_with("--frames 1"));
    // A scope cut off by the frame counts as far as it lies in it.
    let shifted = blame(&["--align", "frames:2=1", "--json"]);
    let of_frame_2 = json_lines(&shifted).into_iter().find(|line| line["frame"] == 2).unwrap();
    assert_eq!(of_frame_2["annotations"][0]["longest"]["own_ticks"], 25_000);
    // Without a clock frames come by what they draw.
    let alone = here(&["timeline", "blame", &trace, "--json"]);
    let draws: Vec<u64> = json_lines(&alone).iter().map(|line| line["draws"].as_u64().unwrap()).collect();
    assert!(draws.len() == 4 && draws.is_sorted_by(|a, b| a >= b), "{draws:?}");
    let refused = here(&["timeline", "blame", &app]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("expected an AeroGPU trace"), "{}", refused.stderr);
    // Neither file can answer how many calls something lasts.
    let unit = here(&["timeline", "blame", &trace, "--filter", "@duration > 5ms"]);
    assert_eq!(unit.code, 2, "{}", unit.stdout);
}

/// Frames with time between them, each below a millisecond.
fn blame_and_stats_measure_frames_alike() {
    let folder = tempfile::tempdir().unwrap();
    let mut entries = vec![
        serde_json::json!({"type": "wtf.json#header", "format_version": 2, "timebase": 0}),
        serde_json::json!({"event": "wtf.zone#create", "time": 0, "args": [1, "main", "script", ""]}),
        serde_json::json!({"event": "wtf.zone#set", "time": 0, "args": [1]}),
    ];
    let scope = |event: &str, time: f64, args: Value| serde_json::json!({"event": event, "time": time, "args": args});
    entries.push(scope("wtf.scope#enter", 0.0, serde_json::json!(["load"])));
    entries.push(scope("wtf.scope#leave", 0.0, serde_json::json!([])));
    let frames = [(0.0, 0.25), (1.0, 1.5), (2.0, 2.125), (3.0, 3.0625)];
    for (number, (begin, end)) in (0..).zip(frames) {
        for (event, time) in [("frameStart", begin), ("frameEnd", end)] {
            let name = format!("wtf.timing#{event}");
            entries.push(serde_json::json!({"event": name, "time": time, "args": [number]}));
        }
        let show = |name: &str, time: f64| serde_json::json!({"event": "wtf.trace#timeStamp", "time": time, "args": [name, null]});
        entries.push(show("present", end));
    }
    let path = folder.path().join("app.wtf-json");
    fs::write(&path, serde_json::to_vec(&entries).unwrap()).unwrap();
    let (app, trace) = (path.display().to_string(), fixture("frames").display().to_string());
    let stats = json_lines(&here(&["timeline", "stats", &app, "--json"]));
    let stats = stats.iter().filter(|line| line["type"] == "frame-stats");
    let measured: Vec<_> =
        stats.map(|line| (line["frame"].as_u64(), line["length_ticks"].as_u64().map(|ticks| ticks * 1000))).collect();
    let blame = json_lines(&here(&["timeline", "blame", &trace, &app, "--json"]));
    let told: Vec<_> =
        blame.iter().map(|line| (line["frame"].as_u64(), line["annotations"][0]["duration_ns"].as_u64())).collect();
    assert_eq!(told, measured);
    let text = here(&["timeline", "blame", &trace, &app]).stdout;
    let words: Vec<Vec<&str>> = text.lines().take(2).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!((&words[0][..4], &words[1][..2]), (&["frame", "time", "in", "µs"][..], &["1", "500"][..]), "{text}");
    assert!(text.contains("app.wtf-json: frame 1, 500 µs"), "{text}");
    // Marks begin frames, and what lies before the first is said to be left out.
    let marks = here(&["timeline", "align", &trace, &app, "--align", "mark:present"]);
    assert!(marks.code == 0 && marks.stderr.contains("1 event before the first mark left out"), "{marks:?}");
    assert_eq!(here(&["timeline", "align", &trace, &app, "--align", "mark:present:0=1"]).stderr, "");
}

fn blame_of_a_damaged_trace_ends_as_its_list_of_frames() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.aerogputrace");
    let given = path.display().to_string();
    let (mut codes, mut cut_short) = (BTreeSet::new(), 0);
    let mut compare = |bytes: &[u8], what: &str| {
        fs::write(&path, bytes).unwrap();
        let (frames, blame) = (here(&["frames", &given, "--json"]), here(&["timeline", "blame", &given, "--json"]));
        let numbers =
            |run: &Run| -> BTreeSet<u64> { json_lines(run).iter().filter_map(|line| line["frame"].as_u64()).collect() };
        assert_eq!((numbers(&frames), frames.code), (numbers(&blame), blame.code), "{what}: {}", blame.stderr);
        cut_short += usize::from(!numbers(&frames).is_empty() && frames.code != 0);
        codes.insert(frames.code);
    };
    let sound = fs::read(fixture("frames")).unwrap();
    // The opcode of each packet in turn is none: what comes before its frame is listed.
    let packets = json_lines(&here(&["dump", &fixture("frames").display().to_string(), "--json"]));
    let places: Vec<usize> = packets
        .iter()
        .filter(|line| line["kind"] == "packet")
        .filter_map(|line| line["offset"].as_u64())
        .map(|offset| offset as usize)
        .collect();
    assert!(places.len() > 8);
    for place in places {
        let mut bytes = sound.clone();
        bytes[place..place + 2].fill(0xee);
        compare(&bytes, &format!("opcode at {place:#x}"));
    }
    // Whatever else can be wrong, with streams too.
    let mut random = Random::new(11);
    for scene in fs::read_dir(root().join("fixtures/aerogpu/scenes")).unwrap() {
        let scene = scene.unwrap().path();
        if scene.extension().is_none_or(|extension| extension != "aerogputrace") {
            continue;
        }
        let scene = fs::read(scene).unwrap();
        for number in 0..3 {
            compare(&mutant(&scene, &mut random), &format!("mutant {number}"));
        }
    }
    assert!(cut_short > 2 && codes.len() > 2, "{cut_short} {codes:?}");
}

fn trees_and_differences_are_of_what_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let before: [&[(&str, u32)]; 2] = [&[("physics", 10), ("draw", 10)], &[("physics", 10), ("draw", 10)]];
    let after: [&[(&str, u32)]; 2] = [&[("physics", 10), ("draw", 10)], &[("physics", 18), ("draw", 10)]];
    let a = recording(folder.path(), "a.wtf-json", &before);
    let b = recording(folder.path(), "b.wtf-json", &after);
    let tree = |more: &[&str]| -> Vec<(String, u64, u64, u64)> {
        let run = here(&[&["timeline", "tree", &b, "--json"], more].concat());
        let figure = |line: &Value, key: &str| line[key].as_u64().unwrap();
        let node = |line: Value| {
            let name = line["name"].as_str().unwrap().to_owned();
            (name, figure(&line, "count"), figure(&line, "total_ticks"), figure(&line, "own_ticks"))
        };
        json_lines(&run).into_iter().map(node).collect()
    };
    let row = |name: &str, count, total, own| (name.to_owned(), count, total, own);
    let all = [row("tick", 2, 48_000, 0), row("physics", 2, 28_000, 28_000), row("draw", 2, 20_000, 20_000)];
    assert_eq!(tree(&[]), all);
    let second = [row("tick", 1, 28_000, 0), row("physics", 1, 18_000, 18_000), row("draw", 1, 10_000, 10_000)];
    assert_eq!(tree(&["--frames", "1"]), second);
    assert_eq!(tree(&["--min-percent", "50"]), all[..2]);
    let text = here(&["timeline", "tree", &b]).stdout;
    assert!(text.lines().any(|line| line.ends_with("58.33    physics")), "{text}");

    let by_track = json_lines(&here(&["timeline", "tree", &b, "--by-track", "--json"]));
    assert!(by_track.iter().all(|line| line["track"] == "main") && by_track.len() == 3, "{by_track:?}");
    let lines: Vec<String> = here(&["timeline", "tree", &b, "--by-track"]).stdout.lines().map(str::to_owned).collect();
    assert_eq!((lines[1].as_str(), lines.len()), ("main", 5));
    here(&["timeline", "tree", &b, "--folded"]).expect(0, "tick;physics 28000\ntick;draw 20000\n", "");
    here(&["timeline", "tree", &b, "--folded", "--by-track", "--frames", "1"]).expect(
        0,
        "main;tick;physics 18000\nmain;tick;draw 10000\n",
        "",
    );

    let same = here(&["timeline", "diff", &a, &a]);
    same.expect(0, "0 of 3 names differ\n0 of 2 frames differ\n", "");
    let differ = here(&["timeline", "diff", &a, &b]);
    assert_eq!(differ.code, 1, "{}", differ.stderr);
    assert!(differ.stdout.contains("1 of 3 names differ") && differ.stdout.contains("1 of 2 frames differ"));
    let last = differ.stdout.lines().last().unwrap();
    let words: Vec<&str> = last.split_whitespace().collect();
    assert_eq!(words, ["!", "1", "1", "20000", "28000", "physics", "10000", "->", "18000"]);
    assert_eq!(here(&["timeline", "diff", &a, &b, "--threshold", "50"]).code, 0);
    // Of two lengths the median is the shorter.
    let judged = |figures: &str| here(&["timeline", "diff", &a, &b, "--statistics", figures, "--all"]).stdout;
    assert!(judged("p50").contains("0 of 3 names differ") && judged("p50,max").contains("1 of 3 names differ"));
    assert_eq!(here(&["timeline", "diff", &a, &b, "--statistics", "p95"]).code, 2);
    assert_eq!(here(&["timeline", "diff", &a, &b, "--frames", "0"]).code, 0);
    assert_eq!(here(&["timeline", "diff", &a, &b, "--filter", "draw", "--frames", "0"]).code, 0);
    let calls = here(&["timeline", "diff", &a, PYGAME]);
    assert_eq!(calls.code, 2);
    assert!(calls.stderr.contains("expected lengths in"), "{}", calls.stderr);
    assert_eq!(here(&["timeline", "diff", PYGAME, PYGAME]).code, 0);
}

fn health_says_what_never_ended_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let mut made = wip15_writer::Trace::new();
    let push = |made: &mut wip15_writer::Trace, name: &str| {
        let length = wip15_writer::int(-1);
        let arguments = [wip15_writer::uint(1), wip15_writer::uint(2), length, wip15_writer::text(name)];
        made.call("glPushDebugGroup", &arguments, &wip15_writer::void());
    };
    made.call("glPopDebugGroup", &[], &wip15_writer::void());
    push(&mut made, "outer");
    push(&mut made, "inner");
    let path = folder.path().join("odd.trace");
    fs::write(&path, &made.bytes).unwrap();
    let path = path.display().to_string();
    let anomalies = json_lines(&here(&["timeline", "info", &path, "--json"]))[0]["anomalies"].clone();
    let told: Vec<_> = anomalies
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| (finding["kind"].as_str().unwrap(), finding["count"].as_u64(), finding["first_tick"].as_u64()))
        .collect();
    let expected =
        [("never-left", Some(2), Some(1)), ("unmatched-end", Some(1), Some(0)), ("open-frame", Some(1), Some(0))];
    assert_eq!(told, expected);
    // The first of the two stands where the file has its record.
    let offset = anomalies[0]["first_offset"].as_u64().unwrap() as usize;
    assert_eq!(made.bytes[offset], 2, "the operation of a call");
    let text = here(&["timeline", "info", &path]).stdout;
    let line = format!("debug groups: 2 scopes are never left, first after 1 calls, at {offset:#x}");
    assert!(text.contains(&line), "{text}");
    assert!(here(&["timeline", "info", FEATURES]).stdout.contains("health"));
    let sound = recording(folder.path(), "sound.wtf-json", &[&[("draw", 1)]]);
    assert_eq!(json_lines(&here(&["timeline", "info", &sound, "--json"]))[0]["anomalies"], serde_json::json!([]));
    assert!(here(&["timeline", "info", &sound]).stdout.contains("sound: everything that begins also ends"));
}

/// Four frames of queries: what the GPU took is known, what the application did is not.
fn the_gpus_own_times_put_frames_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut made = wip15_writer::Trace::new();
    let (uint, void) = (wip15_writer::uint, wip15_writer::void());
    let micros = [300_u64, 900, 100, 500];
    for (id, micros) in (1..).zip(micros) {
        let stamp = |made: &mut wip15_writer::Trace| {
            made.call("glQueryCounter", &[uint(10 + id), uint(0x8e28)], &void);
        };
        // That of the third frame comes when two of its calls were made.
        if id != 3 {
            stamp(&mut made);
        }
        made.call("glBeginQuery", &[uint(0x88bf), uint(id)], &void);
        made.call("glEndQuery", &[uint(0x88bf)], &void);
        if id == 3 {
            stamp(&mut made);
        }
        for (id, nanos) in [(id, micros * 1000), (10 + id, id * 16_000_000)] {
            let result = [uint(id), uint(0x8866), wip15_writer::uints(&[nanos])];
            made.call("glGetQueryObjectui64v", &result, &void);
        }
        made.call("glXSwapBuffers", &[wip15_writer::ptr(1), uint(2)], &void);
    }
    let path = folder.path().join("queries.trace");
    fs::write(&path, &made.bytes).unwrap();
    let (path, trace) = (path.display().to_string(), fixture("frames").display().to_string());
    let beside = ["--annotate", path.as_str()];
    let lines = json_lines(&here(&[&["timeline", "blame", &trace, "--json"], &beside[..]].concat()));
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            let of_calls = &line["annotations"][0];
            (
                line["frame"].as_u64().unwrap(),
                of_calls["gpu_duration_ns"].as_u64().unwrap(),
                of_calls["duration_ns"].is_null(),
            )
        })
        .collect();
    assert_eq!(told, [(1, 900_000, true), (3, 500_000, true), (0, 300_000, true), (2, 100_000, true)]);
    assert!(lines.iter().all(|line| line["annotations"][0]["gpu_source"] == "TIME_ELAPSED"));
    let text = here(&[&["timeline", "blame", &trace], &beside[..]].concat()).stdout;
    assert!(text.lines().nth(1).unwrap().contains("GPU 900 µs by TIME_ELAPSED"), "{text}");
    // Its timestamps are a clock for the frames, which says what it is. It measured the length of the frame between two.
    let aligned = here(&[&["timeline", "align", &trace], &beside[..]].concat()).stdout;
    let first = aligned.lines().next().unwrap();
    assert!(first.ends_with(&format!("GPU time from the timestamps in {path}, interpolated between them")), "{first}");
    let out = folder.path().join("out.json").display().to_string();
    assert_eq!(here(&[&["timeline", "export", &trace, "--out", &out], &beside[..]].concat()).code, 0);
    let export: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    let events = export["traceEvents"].as_array().unwrap();
    let frames: Vec<&Value> =
        events.iter().filter(|event| event["name"].as_str().is_some_and(|name| name.starts_with("frame "))).collect();
    assert_eq!(frames.len(), 8);
    for of_file in frames.chunks(4) {
        let told = of_file.iter().map(|event| (event["args"]["placed"].as_str().unwrap(), event["dur"].as_f64()));
        let others = [("interpolated", None), ("interpolated", None), ("extrapolated", None)];
        assert!(told.eq([("exact", Some(16_000.0))].into_iter().chain(others)), "{of_file:?}");
    }
    // Frames begin as their calls do: the third one 6 of 8 calls behind the second timestamp.
    let begins: Vec<f64> =
        frames.iter().filter(|event| event["pid"] == 2).map(|event| event["ts"].as_f64().unwrap()).collect();
    assert_eq!(begins, [0.0, 16_000.0, 28_000.0, 48_000.0]);
}

fn names_from_files_do_not_move_the_cursor() {
    let folder = tempfile::tempdir().unwrap();
    let nasty = "a\u{1b}[2J\u{9b}2J\u{7f}\r\nb";
    let mut made = wip15_writer::Trace::new();
    made.call(nasty, &[wip15_writer::text(nasty)], &wip15_writer::void());
    let length = wip15_writer::int(-1);
    made.call(
        "glPushDebugGroup",
        &[wip15_writer::uint(1), wip15_writer::uint(2), length, wip15_writer::text(nasty)],
        &wip15_writer::void(),
    );
    let wip15 = folder.path().join("nasty.trace");
    fs::write(&wip15, &made.bytes).unwrap();
    let entries = serde_json::json!([
        {"type": "wtf.json#header", "format_version": 2, "timebase": 0, "metadata": {nasty: nasty}},
        {"type": "wtf.event#define", "signature": "my#scope(any x)", "event_id": 1},
        {"event": "wtf.zone#create", "time": 0, "args": [7, nasty, nasty, nasty]},
        {"event": "wtf.zone#set", "time": 0, "args": [7]},
        {"event": 1, "time": 1, "args": [{nasty: nasty}]},
        {"event": "wtf.scope#enter", "time": 1, "args": [nasty]},
        {"event": nasty, "time": 1},
    ]);
    let wtf = folder.path().join("nasty.wtf-json");
    fs::write(&wtf, serde_json::to_vec_pretty(&entries).unwrap()).unwrap();
    for (path, code) in [(wip15, 0), (wtf, 8)] {
        let path = path.display().to_string();
        for verb in ["info", "dump", "stats"] {
            for json in [&[][..], &["--json"]] {
                let run = here(&[&["timeline", verb, &path], json].concat());
                let is_harmless = |text: &str| text.chars().all(|c| c == '\n' || !c.is_control());
                assert!(is_harmless(&run.stdout) && is_harmless(&run.stderr), "{verb} {json:?} {run:?}");
                assert!(run.stdout.contains("2J"), "{verb} {json:?} {run:?}");
                assert_eq!(run.code, code, "{verb} {json:?} {run:?}");
                if !json.is_empty() {
                    assert!(!json_lines(&run).is_empty());
                }
            }
        }
    }
}

/// Every verb on every damaged file and on many truncations: a known code, and no control character on a terminal.
fn damage_never_ends_in_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let mut files: Vec<PathBuf> = Vec::new();
    for bad in ["fixtures/wip15/bad", "fixtures/wtf/bad"] {
        files.extend(fs::read_dir(root().join(bad)).unwrap().map(|entry| entry.unwrap().path()));
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension != "json"));
    assert!(files.len() > 70, "{} files", files.len());
    for whole in ["fixtures/wip15/synth/all_types.trace", "fixtures/wtf/cff/cffle0_basic.wtf-trace", FEATURES] {
        let bytes = fs::read(root().join(whole)).unwrap();
        let extension = Path::new(whole).extension().unwrap().to_str().unwrap();
        for length in (0..bytes.len()).step_by(bytes.len() / 12 + 1) {
            let path = folder.path().join(format!("{}-{length}.{extension}", files.len()));
            fs::write(&path, &bytes[..length]).unwrap();
            files.push(path);
        }
    }
    let out = folder.path().join("out.json").display().to_string();
    for path in files {
        let path = path.display().to_string();
        let mut codes = Vec::new();
        for arguments in [
            vec!["timeline", "info", &path],
            vec!["timeline", "dump", &path],
            vec!["timeline", "stats", &path],
            vec!["timeline", "export", &path, "--out", &out],
        ] {
            let run = here(&arguments);
            codes.push(run.code);
            assert!([0, 3, 8, 10].contains(&run.code), "{arguments:?}: {} {}", run.code, run.stderr);
            assert!(run.code == 0 || run.stderr.contains("error: "), "{arguments:?}: {}", run.stderr);
            let is_harmless = |text: &str| text.chars().all(|c| c == '\n' || !c.is_control());
            assert!(is_harmless(&run.stdout) && is_harmless(&run.stderr), "{arguments:?}");
        }
        // Only info looks into the blobs, and so may find more.
        assert!(codes.iter().all(|code| *code == codes[0] || path.contains("wip15")), "{path}: {codes:?}");
    }
}

fn a_closed_pipe_is_success() {
    let mut command = program();
    command.args(["timeline", "dump", GEARS]).current_dir(root()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = program();
    let output =
        command.args(["timeline", "info", PYGAME, "--json"]).current_dir(root()).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(11));
}
