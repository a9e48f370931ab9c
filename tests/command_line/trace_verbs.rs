//! `frames`, `draws`, `verify`, `lint`, `trim`, `extract` and `repair`, as a user runs them, without a GPU.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use crate::support;
use aerogpu_replay::abi::reference::Packet;
use serde_json::Value;
use support::fixture;
use support::harness::{Trial, trials_of};
use support::program::{Run, run};
use support::raw::RawTrace;
use support::scene::{FRAGMENT_WGSL, RED, Scene, VERTEX_WGSL, rectangle, vertices};

pub fn trials() -> Vec<Trial> {
    trials_of![
        frames_say_what_they_need,
        a_trimmed_frame_keeps_its_identity_and_its_origin,
        verify_names_what_is_wrong_at_its_depth,
        what_this_build_cannot_draw_is_read_checked_and_trimmed,
        lint_finds_every_planted_mistake,
        lint_denies_and_allows_rules,
        lint_finds_loops_that_nothing_ends,
        what_glsl_es_forbids_is_drawn_and_told,
        lint_names_what_each_api_decides,
        lint_compares_toc_meta_and_presents_with_the_records,
        an_empty_frame_that_the_toc_lacks_is_told,
        #[cfg(target_os = "linux")]
        too_little_address_space_is_no_bug,
        repair_makes_a_cut_trace_whole_and_says_what_was_lost,
        repair_keeps_the_frame_that_was_not_finished,
        extract_writes_blobs_as_they_are,
        no_file_beside_a_trace_can_change_what_it_means,
        a_set_that_names_nothing_is_a_usage_error,
    ]
}

fn path(name: &str) -> String {
    fixture(name).display().to_string()
}

fn here(arguments: &[&str]) -> Run {
    run(arguments, Path::new("."))
}

fn json_lines(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn frames_say_what_they_need() {
    let run = here(&["frames", &path("frames"), "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let lines = json_lines(&run);
    let needs: Vec<_> = lines.iter().map(|line| (&line["self_contained"], line["earlier_commands"].as_u64())).collect();
    let expected = [(true, Some(0)), (false, Some(9)), (false, Some(10)), (true, Some(0))];
    assert_eq!(
        needs,
        expected
            .each_ref()
            .map(|(contained, count)| (if *contained { &Value::Bool(true) } else { &Value::Bool(false) }, *count))
    );
    assert_eq!((&lines[2]["draws"], &lines[2]["uploads"]), (&1.into(), &1.into()));
    let draws = json_lines(&here(&["draws", &path("frames"), "--json", "--frames", "2"]));
    assert_eq!(draws.len(), 1);
    assert_eq!(draws[0]["input_sha256"], lines[2]["input_sha256"], "the last draw is the frame");
}

fn a_trimmed_frame_keeps_its_identity_and_its_origin() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.aerogputrace").display().to_string();
    let bytes = |path: &str| fs::metadata(path).unwrap().len();
    let trimmed = here(&["trim", &path("frames"), &out, "--frames", "2,3"]);
    let (new, old) = (bytes(&out), bytes(&path("frames")));
    let earlier = "with 10 earlier commands that they need";
    let said = format!("{out}: frames 2-3 of 4, now frames 0 to 1, {earlier}, {new} bytes of {old}\n");
    trimmed.expect(0, &said, "");
    let trimmed = json_lines(&here(&["trim", &path("frames"), &out, "--frames", "2,3", "--json"]));
    assert_eq!((&trimmed[0]["frames"], &trimmed[0]["size_bytes"]), (&[2, 3].into(), &bytes(&out).into()));
    let of_trimmed = json_lines(&here(&["frames", &out, "--json"]));
    let of_source = json_lines(&here(&["frames", &path("frames"), "--json", "--frames", "2,3"]));
    let hashes = |lines: &[Value]| lines.iter().map(|line| line["input_sha256"].clone()).collect::<Vec<_>>();
    assert_eq!(hashes(&of_trimmed), hashes(&of_source));
    let info = json_lines(&here(&["info", &out, "--json"]));
    assert_eq!(info[0]["meta"]["trimmed_from"]["frames"], "2-3", "{}", info[0]);
    assert_eq!(here(&["verify", &out, "--deep"]).code, 0);
    here(&["trim", &path("frames"), &out, "--frames", "4"]).expect(2, "", "frame 4 does not exist");
}

fn verify_names_what_is_wrong_at_its_depth() {
    let frames = path("frames");
    here(&["verify", &frames]).expect(0, &format!("{frames}: 4 frames, 17 valid commands\n"), "");
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &[0; 24]).bind(1).draw(0, 2).end();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("far.aerogputrace");
    fs::write(&file, scene.finish()).unwrap();
    let name = file.display().to_string();
    assert_eq!(here(&["verify", &name]).code, 0, "only the shader tells what a draw reads");
    let counts = format!("{name}: 1 frame, 8 valid commands, 1 invalid; shaders and blobs checked\n");
    here(&["verify", &name, "--deep"]).expect(6, &counts, "reads 48 bytes of buffer 1, which has 24");
}

fn what_this_build_cannot_draw_is_read_checked_and_trimmed() {
    let (submitted, folder) = (path("a3a0/scene"), tempfile::tempdir().unwrap());
    let out = folder.path().join("out.aerogputrace").display().to_string();
    let trimmed = here(&["trim", &submitted, &out, "--frames", "1"]);
    let bytes = |path: &str| fs::metadata(path).unwrap().len();
    trimmed.expect(
        0,
        &format!(
            "{out}: frame 1 of 2, now frame 0, with 12 earlier commands that it needs, {} bytes of {}\n",
            bytes(&out),
            bytes(&submitted)
        ),
        "",
    );
    for file in [&submitted, &out] {
        let run = here(&["verify", file, "--deep"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stdout.ends_with(" valid commands; shaders and blobs checked\n"), "{}", run.stdout);
    }
    for verb in ["frames", "draws"] {
        let run = here(&[verb, &submitted]);
        assert_eq!(run.code, 0, "{verb}: {}", run.stderr);
        assert!(run.stdout.starts_with("frame 0"), "{}", run.stdout);
    }
}

fn lint_finds_every_planted_mistake() {
    let mut scene = Scene::with_pipeline();
    let left = vertices(&rectangle(-1.0, -1.0, 0.0, 1.0), RED);
    // An upload overwritten unread, a buffer nobody draws with, one replaced for nothing, the same bytes twice.
    scene.buffer(1, &[0; 144]).upload(1, 0, &left).bind(1).clear([f32::NAN, 0.0, 0.0, 1.0]).draw(0, 6);
    scene.packet(Packet::CreateBuffer { buffer_id: 7, size_bytes: 4, usage: 0 });
    scene.packet(Packet::CreateBuffer { buffer_id: 8, size_bytes: 4, usage: 0 });
    scene.packet(Packet::CreateBuffer { buffer_id: 8, size_bytes: 8, usage: 0 });
    scene.buffer(9, &left).draw(6, 6);
    // 256 bytes are worth a word, fewer are not: those of buffers 1 and 9 are 144.
    for length in [256, 256, 255, 255] {
        scene.blob(aerogpu_replay::format::aerogpu::BlobKind::BufferData, &vec![3; length]);
    }
    scene.blob(aerogpu_replay::format::aerogpu::BlobKind::TextureData, b"nobody asks");
    scene.end();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("odd.aerogputrace");
    fs::write(&file, scene.finish()).unwrap();
    let run = here(&["lint", &file.display().to_string(), "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let mut rules: Vec<String> =
        json_lines(&run).iter().map(|line| line["rule"].as_str().unwrap().to_owned()).collect();
    rules.sort();
    let expected = [
        "bad-draw",
        "container",
        "leaked-object",
        "repeated-blob",
        "shader-source",
        "shader-source",
        "unread-upload",
        "unread-upload",
        "unused-blob",
        "unused-blob",
        "unused-blob",
        "unused-blob",
        "unused-blob",
        "unused-object",
        "unused-object",
        "unused-object",
    ];
    assert_eq!(rules, expected, "{}", run.stdout);
    let file = file.display().to_string();
    assert_eq!(here(&["lint", &file, "--strict", "--quiet"]).code, 3);
    // What is alike is a line.
    let lines = here(&["lint", &file]).stdout;
    assert!(
        lines.contains("shader-source: 2 × a shader has no GLSL ES 3.00, first at frame 0, packet 0 (offset 0x"),
        "{lines}"
    );
    assert!(lines.ends_with("16 findings in 15 lines: --json lists each\n"), "{lines}");
}

/// `--deny` ends in 1, `--allow` hides, and each name is one of a rule.
fn lint_denies_and_allows_rules() {
    let file = path("frames");
    let lint = |flags: &[&str]| here(&[&["lint", &file], flags].concat());
    let plain = lint(&[]);
    assert!(plain.code == 0 && plain.stdout.starts_with("shader-source: 2 × "), "{plain:?}");
    for deny in [&["--deny", "shader-source"][..], &["--deny", "all"], &["--deny", "damage", "--deny", "shader-source"]]
    {
        lint(deny).expect(1, &plain.stdout, "error: findings that --deny forbids: shader-source: 2\n");
    }
    lint(&["--deny", "damage"]).expect(0, &plain.stdout, "");
    let none = "note: no findings: 17 commands checked by 31 rules\n";
    lint(&["--allow", "shader-source"]).expect(0, "", none);
    lint(&["--allow", "shader-source", "--deny", "all"]).expect(0, "", none);
    lint(&["--deny", "all", "--filter", "no-such-rule"]).expect(
        0,
        "",
        "note: no row matches --filter; rows are named ",
    );
    // The worst of two ends.
    assert_eq!(lint(&["--deny", "all", "--strict"]).code, 3);
    let both = "shader-source is both in --allow and in --deny";
    lint(&["--allow", "shader-source", "--deny", "shader-source"]).expect(2, "", both);
    for flag in ["--deny", "--allow"] {
        let misspelt = lint(&[flag, "shader-sorce"]);
        assert_eq!((misspelt.code, misspelt.stdout.as_str()), (2, ""));
        for part in ["a similar value exists: 'shader-source'", "dead-write, unread-upload"] {
            assert!(misspelt.stderr.contains(part), "{flag}: {}", misspelt.stderr);
        }
    }
    assert!(here(&["lint", "--help"]).stdout.contains("Rules: damage, contract"));
    // Findings that nobody gets are an error.
    #[cfg(target_os = "linux")]
    for flags in [&[][..], &["--json"], &["--deny", "all"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let status =
            support::program::program().arg("lint").arg(&file).args(flags).stdout(full).output().unwrap().status;
        assert_eq!(status.code(), Some(11), "{flags:?}");
    }
    // A trace that was cut ends in 8, and a finding that is denied is worse.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cut"), &fs::read(&file).unwrap()[..1300]).unwrap();
    assert_eq!(run(&["lint", "cut"], folder.path()).code, 8);
    assert_eq!(run(&["lint", "cut", "--deny", "all"], folder.path()).code, 1);
}

/// It is drawn with a warning, and not at all where warnings are errors.
fn what_glsl_es_forbids_is_drawn_and_told() {
    let sound = fs::read(fixture("glsl_only")).unwrap();
    let precision = b"precision mediump float;";
    let at = sound.windows(precision.len()).position(|window| window == precision).unwrap();
    let (mut odd, folder) = (sound.clone(), tempfile::tempdir().unwrap());
    odd[at..at + precision.len()].fill(b' ');
    let file = folder.path().join("odd.aerogputrace").display().to_string();
    fs::write(&file, odd).unwrap();
    let told = "fragment shader, line 3: no precision: in a fragment shader float has none by default";
    let lint = here(&["lint", &file]);
    assert_eq!(lint.stdout.matches(&format!("shader-text: {told}")).count(), 1, "{}", lint.stdout);
    let draw = |file: &str, more: &[&str]| here(&[&[file, "--frame", "0", "--hash"], more].concat());
    let (expected, run) = (draw(&path("glsl_only"), &["--strict"]), draw(&file, &[]));
    assert_eq!((expected.code, run.code, &run.stdout), (0, 0, &expected.stdout), "{}", run.stderr);
    assert_eq!(run.stderr.matches(&format!("warning: {told}")).count(), 1, "{}", run.stderr);
    let strict = draw(&file, &["--strict"]);
    assert_eq!(strict.code, 3, "{}", strict.stderr);
    assert!(strict.stderr.contains(told) && strict.stderr.contains("(--strict)"), "{}", strict.stderr);
}

fn lint_finds_loops_that_nothing_ends() {
    let mut scene = Scene::new();
    scene.begin();
    let offset_of = |trace: &[u8], text: &str| {
        trace.windows(text.len()).position(|window| window == text.as_bytes()).expect("the text is in the trace")
    };
    scene.shader(1, 0, "@vertex fn v() -> @builtin(position) vec4f { var n = 0; while true { n++; } return vec4f(); }");
    scene.shader(2, 1, "@fragment fn f() { var n = 0; loop { if n > 3 { break; } n++; } }");
    scene.glsl_shader(3, 1, "#version 300 es\nvoid main() { for (;;) {} }");
    scene.glsl_shader(4, 0, "#version 300 es\nvoid main() { for (int n = 0; n < 3; n++) {} }");
    let trace = scene.end_and_finish();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("endless.aerogputrace");
    fs::write(&file, &trace).unwrap();
    let run = here(&["lint", &file.display().to_string()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let found: Vec<&str> = run.stdout.lines().filter(|line| line.contains("endless-loop")).collect();
    let (wgsl, glsl) = (offset_of(&trace, "while true"), offset_of(&trace, "main() { for (;;)"));
    let expected = [
        format!("endless-loop: blob 1 (ShaderWgsl): a loop in v never ends, at frame 0 (offset {wgsl:#x})"),
        format!("endless-loop: blob 3 (ShaderGlslEs300): a loop in main never ends, at frame 0 (offset {glsl:#x})"),
    ];
    assert_eq!(found, expected, "{}", run.stdout);
}

fn lint_names_what_each_api_decides() {
    let fragment = "@fragment fn f(@location(0) color: vec4f) -> @location(0) vec4f {
      if color.x / color.y > 1.0 { return vec4f(asin(color.z)); } return color;
    }";
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, VERTEX_WGSL, fragment).shader(3, 1, FRAGMENT_WGSL);
    let vertex = "#version 300 es\nin vec2 position; in vec4 color; out vec4 c; void main() {
      c = color; gl_Position = vec4(position, sqrt(position.x) < 0.5 ? 0.0 : 0.1, 1.0); }";
    scene.glsl_shader(4, 0, vertex).glsl_shader(
        5,
        1,
        "#version 300 es\nprecision highp float; in vec4 c;
      out vec4 o; void main() { o = acos(c); }",
    );
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind(1);
    for (pipeline_id, shaders) in [(1, (1, 2)), (2, (1, 3)), (3, (4, 5))] {
        scene.pipeline(pipeline_id, shaders.0, shaders.1).packet(Packet::SetPipeline { pipeline_id });
        // Each program is looked into once.
        scene.draw(0, 3).draw(0, 6);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("apis.aerogputrace");
    fs::write(&file, scene.end_and_finish()).unwrap();
    let run = here(&["lint", &file.display().to_string()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lines =
        run.stdout.lines().filter_map(|line| line.split_once(", at frame 0, ")?.0.split_once("api-dependent: the "));
    let found: Vec<(&str, &str)> =
        lines.map(|(_, what)| (what.split(' ').next().unwrap(), what.rsplit_once(": it ").unwrap().1)).collect();
    let inverse_sine = "uses asin or acos, whose last bits depend on the API";
    let comparison = "compares a value that may be NaN, whose result depends on the API";
    let expected =
        [("fragment", comparison), ("fragment", inverse_sine), ("fragment", inverse_sine), ("vertex", comparison)];
    assert_eq!(found, expected, "{}", run.stdout);
}

fn lint_compares_toc_meta_and_presents_with_the_records() {
    let mut trace = RawTrace::new();
    trace.meta = br#"{"emulator_version":"test","command_abi_version":9}"#.to_vec();
    let start = trace.offset();
    trace.begin(0).packet(&[10, 2]).begin(1);
    let present = trace.offset();
    trace.present(1);
    let end = trace.offset();
    trace.entry(start, present, end);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("toc.aerogputrace");
    fs::write(&file, trace.finish()).unwrap();
    let run = here(&["lint", &file.display().to_string()]);
    assert_eq!(run.code, 0);
    for expected in ["the TOC lists 1 frame, the records hold 2", "is 9, the header says 1"] {
        assert!(run.stdout.contains(expected), "{expected} in {}", run.stdout);
    }
}

fn repair_makes_a_cut_trace_whole_and_says_what_was_lost() {
    let whole = fs::read(fixture("frames")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (cut, mended) = (folder.path().join("cut.aerogputrace"), folder.path().join("mended.aerogputrace"));
    fs::write(&cut, &whole[..1300]).unwrap();
    let run = run(&["repair", "cut.aerogputrace", "mended.aerogputrace", "--quiet"], folder.path());
    let said = "cut.aerogputrace: 2 frames kept, TOC and footer rebuilt; the record at 0x4b3 is incomplete \
        and was dropped; lost 109 bytes from 0x4a7 on\n";
    run.expect(0, said, "");
    // A cut trace is what `repair` is for, with --strict too; what else is odd about one is not.
    let strict =
        |name: &str| support::program::run(&["repair", name, "strict.aerogputrace", "--strict"], folder.path());
    strict("cut.aerogputrace").expect(0, said, "warning: cut.aerogputrace: ");
    assert!(fs::read(folder.path().join("strict.aerogputrace")).unwrap() == fs::read(&mended).unwrap());
    let mut odd = whole[..1300].to_vec();
    odd[20] = 1;
    fs::write(folder.path().join("odd.aerogputrace"), odd).unwrap();
    strict("odd.aerogputrace").expect(3, "", "(--strict)");
    let mended = mended.display().to_string();
    here(&["verify", &mended]).expect(0, &format!("{mended}: 2 frames, 12 valid commands\n"), "");
    let of_mended = here(&["frames", &mended]).stdout;
    assert!(here(&["frames", &path("frames")]).stdout.starts_with(&of_mended) && !of_mended.is_empty());
}

/// Frames without commands change no picture; whoever counts frames by the records finds one more.
fn an_empty_frame_that_the_toc_lacks_is_told() {
    let made = |is_before: bool, is_behind: bool, in_toc: bool| {
        let mut trace = RawTrace::new();
        let mut empties = Vec::new();
        let mut empty = |trace: &mut RawTrace, index| {
            empties.push(trace.offset());
            let start = trace.offset();
            trace.begin(index).present(index);
            if in_toc {
                trace.frame_since(start);
            }
        };
        if is_before {
            empty(&mut trace, 0);
        }
        let start = trace.offset();
        trace.begin(1).packet(&[10, 2]).present(1).frame_since(start);
        if is_behind {
            empty(&mut trace, 2);
        }
        let start = trace.offset();
        trace.begin(3).packet(&[10, 2]).present(3).frame_since(start);
        (trace.finish(), empties)
    };
    let folder = tempfile::tempdir().unwrap();
    let told = "a frame without commands is missing from the TOC and is ignored";
    for (is_before, is_behind) in [(true, false), (false, true), (true, true)] {
        let (bytes, empties) = made(is_before, is_behind, false);
        fs::write(folder.path().join("t"), bytes).unwrap();
        let lint = run(&["lint", "t", "--json"], folder.path());
        let found = json_lines(&lint).into_iter().filter(|line| line["message"] == told);
        assert_eq!(found.map(|line| line["offset"].as_u64().unwrap()).collect::<Vec<_>>(), empties, "{lint:?}");
        for verb in [&["info", "t"][..], &["verify", "t"], &["info", "t", "--deep"]] {
            let run = run(verb, folder.path());
            assert_eq!((run.code, run.stderr.matches(told).count()), (0, empties.len()), "{verb:?}: {run:?}");
        }
        assert_eq!(run(&["info", "t", "--strict"], folder.path()).code, 3);
    }
    let (listed, _) = made(true, true, true);
    fs::write(folder.path().join("t"), listed).unwrap();
    let lint = run(&["lint", "t"], folder.path());
    assert!(lint.code == 0 && !lint.stdout.contains("not in the TOC"), "{lint:?}");
}

/// The compilers of shaders have a stack of 256 MiB.
#[cfg(target_os = "linux")]
fn too_little_address_space_is_no_bug() {
    let limited = |arguments: &[&str]| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "ulimit -v 250000 && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_aerogpu-replay")]);
        command.args(arguments).output().unwrap()
    };
    let scene = fixture("a3a0/scene").display().to_string();
    let (wgsl, glsl) = (path("triangle"), path("glsl_only"));
    let mut ways = vec![vec!["verify", "--deep", &wgsl], vec!["verify", "--deep", &glsl]];
    if cfg!(feature = "gpu") {
        ways.extend([&wgsl, &glsl, &scene].map(|trace| vec![trace, "--frame", "0", "--hash", "--backend", "noop"]));
    }
    for arguments in ways {
        let output = limited(&arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(6), "{arguments:?}: {error}");
        assert!(error.contains("cannot start a thread with a stack of 256 MiB"), "{error}");
        assert!(!error.contains("report"), "{arguments:?}: {error}");
    }
    for arguments in [["info", &wgsl], ["lint", &wgsl], ["verify", &wgsl]] {
        assert_eq!(limited(&arguments).status.code(), Some(0), "{arguments:?}");
    }
}

/// A host that dies in a frame leaves what killed it in the last records.
fn repair_keeps_the_frame_that_was_not_finished() {
    let whole = fs::read(fixture("frames")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let repair = |end: usize, flags: &[&str]| {
        fs::write(folder.path().join("cut"), &whole[..end]).unwrap();
        run(&[&["repair", "cut", "mended", "--quiet"], flags].concat(), folder.path())
    };
    // Frame 2 begins at 0x4a7, its Packet records end at 0x57f, 0x597 and 0x5a7.
    for (end, frames, kept, lost) in [
        (0x5a7, 3, "; frame 2 is incomplete: 3 Packet records kept", "lost 0 bytes from 0x5a7"),
        (0x598, 3, "; frame 2 is incomplete: 2 Packet records kept", "lost 1 byte from 0x597"),
        (0x580, 3, "; frame 2 is incomplete: 1 Packet record kept", "lost 1 byte from 0x57f"),
        // A frame without a command shows nothing new.
        (0x55b, 2, "", "lost 180 bytes from 0x4a7"),
        // The cut is in frame 0: nothing else is left.
        (0x45b, 1, "; frame 0 is incomplete: 10 Packet records kept", "lost 0 bytes from 0x45b"),
    ] {
        let run = repair(end, &[]);
        let s = if frames == 1 { "" } else { "s" };
        let start = format!("cut: {frames} frame{s} kept, TOC and footer rebuilt{kept}");
        assert!(run.code == 0 && run.stdout.starts_with(&start) && run.stdout.contains(lost), "{end:#x}: {run:?}");
        let verified = support::program::run(&["verify", "mended"], folder.path());
        assert!(verified.code == 0 && verified.stdout.contains(&format!("{frames} frame")), "{end:#x}: {verified:?}");
    }
    let line = &json_lines(&repair(0x598, &["--json"]))[0];
    let numbers =
        ["unfinished_frame", "kept_submissions", "kept_packets", "dropped_record_offset"].map(|name| &line[name]);
    assert_eq!(numbers, [2, 0, 2, 0x597]);
    // Whoever reads the cut trace leaves the frame out, and says who keeps it.
    let listed = support::program::run(&["frames", "cut"], folder.path());
    assert_eq!((listed.code, listed.stdout.lines().count()), (8, 2));
    let hint = "frame 2 is incomplete and ignored: `repair` keeps its 2 Packet records";
    assert!(listed.stderr.contains(hint), "{}", listed.stderr);
}

fn extract_writes_blobs_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(&["extract", &path("frames"), "--shaders", "shaders"], folder.path());
    assert_eq!((run.code, run.stdout.lines().count()), (0, 2), "{}", run.stderr);
    let text = fs::read_to_string(folder.path().join("shaders/blob1-0x6c.wgsl")).unwrap();
    assert_eq!(text, support::scene::VERTEX_WGSL);
    here(&["extract", &path("frames")]).expect(2, "", "--shaders");
}

/// An index of `frames` as earlier versions kept it beside a trace: its first DRAW is none, with the right key and
/// sum.
const FORGED_INDEX: &[u8] = include_bytes!("../support/forged.index");

fn no_file_beside_a_trace_can_change_what_it_means() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("t.aerogputrace");
    fs::copy(fixture("frames"), &trace).unwrap();
    // The forged index is one of a file of this age.
    let modified = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    File::options().write(true).open(&trace).unwrap().set_modified(modified).unwrap();
    let listed_and_trimmed = || {
        let listed = run(&["frames", "t.aerogputrace"], folder.path());
        let trimmed = run(&["trim", "t.aerogputrace", "out.aerogputrace", "--frames", "1"], folder.path());
        assert_eq!((listed.code, trimmed.code), (0, 0), "{listed:?} {trimmed:?}");
        (listed.stdout, fs::read(folder.path().join("out.aerogputrace")).unwrap())
    };
    let alone = listed_and_trimmed();
    fs::write(folder.path().join("t.aerogputrace.index"), FORGED_INDEX).unwrap();
    let beside = listed_and_trimmed();
    assert_eq!(beside.0, alone.0);
    assert!(beside.1 == alone.1, "the trimmed trace differs");
}

fn a_set_that_names_nothing_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("empty"), "# nothing\n").unwrap();
    let frames = path("frames");
    let cases: [(&[&str], &str); 8] = [
        (&["frames", &frames, "--frames", "3-1"], "\"3-1\" is empty: its first, 3, comes after its last, 1"),
        (&["draws", &frames, "--frames", "0,last-1"], "\"last-1\" is empty"),
        (&["dump", &frames, "--frames", "3-1"], "\"3-1\" is empty"),
        (&["frames", &frames, "--frames", "@empty"], "it is empty"),
        (&["trim", &frames, "out", "--frames", "0,@empty"], "it is empty"),
        (&["timeline", "stats", &frames, "--frames", "3-1"], "\"3-1\" is empty"),
        (&["buffer", &frames, "--frame", "0", "--range", "8-8"], "--range 8-8 is empty"),
        (&["buffer", &frames, "--frame", "0", "--vertices", "--range", "900-"], "is empty"),
    ];
    for (arguments, message) in cases {
        run(arguments, folder.path()).expect(2, "", message);
    }
    assert!(!folder.path().join("out").exists());
}
