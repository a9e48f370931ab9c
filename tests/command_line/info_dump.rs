//! `info` and `dump`, which need no GPU, as a user runs them.

use std::fs;
use std::path::Path;

use crate::support;
use serde_json::Value;
use support::harness::{Trial, trials_of};
use support::program::{Run, run};
use support::raw::RawTrace;
use support::scene::Scene;
use support::{fixture, fixtures, root};

pub fn trials() -> Vec<Trial> {
    trials_of![
        info_says_what_a_trace_is,
        info_answers_the_first_question_in_twelve_lines,
        info_reads_a_large_trace_in_part,
        lines_fit_120_columns_in_every_fixture,
        info_as_json,
        dump_accounts_for_every_byte_of_every_fixture,
        dump_names_fields_and_shows_bytes,
        dump_can_be_limited_to_frames,
        listings_take_the_filter_of_timelines,
        states_are_listed_by_direct3d_9s_names,
        version_2_and_other_abis_are_named,
        dump_goes_on_where_it_can,
        shaders_are_listed_and_printed,
        broken_shaders_are_listed_with_their_errors,
        control_characters_of_the_file_are_not_printed,
        help_is_an_answer_and_states_the_exit_codes,
    ]
}

fn here(arguments: &[&str]) -> Run {
    run(arguments, Path::new("."))
}

fn json_lines(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn info_says_what_a_trace_is() {
    let path = fixture("triangle").display().to_string();
    let text = here(&["info", &path]);
    let expected = format!(
        "{path}: AeroGPU trace, 1543 bytes\n\
         API           Appendix A: the trace format's own packets\n\
         picture       64x64, the default without a SET_VIEWPORT\n\
         frames        1\n\
         draws         1\n\
         textures      0\n\
         shaders       1 vertex, 1 pixel\n\
         faults        none found (checked without a GPU)\n\
         recorded by   0.0.0-dev\n\
         duration      not recorded: the format has no clock\n\
         start         complete: the trace creates every object that it uses\n\
         more          `info --deep`: container, metadata, frames, packets, blobs\n"
    );
    text.expect(0, &expected, "");
    let deep = here(&["info", &path, "--deep"]);
    let more = "more          `info --deep`: container, metadata, frames, packets, blobs\n";
    let eleven = expected.strip_suffix(more).unwrap();
    let below = deep.stdout.strip_prefix(eleven).expect("the same lines but for the last");
    let expected = "container     version 1\n\
         command ABI   0x1 by its header (found 11 packets of Appendix A)\n\
         metadata      {\"emulator_version\":\"0.0.0-dev\",\"command_abi_version\":1}\n\
         records       0x58..0x5b7, 1375 bytes\n\
         frames        1 by the TOC at 0x5b7\n  \
           frame 0: 0x58..0x5b7, 1375 bytes, Present at 0x5ab\n";
    assert!(below.starts_with(expected), "{below}");
    for line in [
        "target        64x64, the default without a SET_VIEWPORT",
        "command       2 CREATE_SHADER",
        "blob          2 ShaderWgsl, 435 bytes",
    ] {
        assert!(deep.stdout.lines().any(|found| found == line), "no {line:?} in {}", deep.stdout);
    }
}

fn info_as_json() {
    let path = fixture("viewport").display().to_string();
    let lines = json_lines(&here(&["info", &path, "--json", "--deep"]));
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["schema"], &lines[0]["type"], &lines[0]["frames"]), (&3.into(), &"trace".into(), &1.into()));
    assert_eq!((&lines[0]["target_width"], &lines[0]["target_height"]), (&96.into(), &48.into()));
    assert_eq!((&lines[0]["commands"]["DRAW"], &lines[0]["records"]["Present"]), (&3.into(), &1.into()));
    assert_eq!(lines[0]["meta"]["emulator_version"], "fixture generator");
    assert_eq!((&lines[1]["type"], &lines[1]["frame"]), (&"frame-span".into(), &0.into()));
}

/// The value of a line of `info`.
fn value<'a>(text: &'a str, name: &str) -> &'a str {
    let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name:?} in {text}"));
    line[name.len()..].trim_start()
}

fn info_answers_the_first_question_in_twelve_lines() {
    let cases = [
        ("examples/courtyard", "Direct3D 10/11", "640x360", "60"),
        ("examples/heath", "Direct3D 9", "640x360", "24"),
        ("aerogpu/viewport", "Appendix A: the trace format's own packets", "96x48, the largest SET_VIEWPORT", "1"),
    ];
    for (name, api, picture, frames) in cases {
        let path = root().join(format!("fixtures/{name}.aerogputrace")).display().to_string();
        let told = here(&["info", &path]);
        assert_eq!((told.code, told.stderr.as_str(), told.stdout.lines().count()), (0, "", 12), "{}", told.stdout);
        let found = ["API", "picture", "frames"].map(|name| value(&told.stdout, name));
        assert_eq!(found, [api, picture, frames], "{name}");
        let line = &json_lines(&here(&["info", &path, "--json"]))[0];
        let overview = &line["overview"];
        // Other verbs count the same, in ways of their own.
        let listed = json_lines(&here(&["draws", &path, "--json"])).len();
        assert_eq!(overview["draws"], listed, "{name}");
        assert_eq!(value(&told.stdout, "draws").split(',').next().unwrap(), listed.to_string());
        let packets = json_lines(&here(&["dump", &path, "--json"]));
        let count =
            |names: &[&str]| packets.iter().filter(|line| names.iter().any(|name| line["name"] == *name)).count();
        assert_eq!(overview["textures"], count(&["CREATE_TEXTURE2D"]), "{name}");
        let shaders: u64 = overview["shaders"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(shaders as usize, count(&["CREATE_SHADER", "CREATE_SHADER_DXBC"]), "{name}");
        let api = api.split(": ").next().unwrap();
        assert_eq!(overview["apis"], serde_json::json!([api]), "{name}");
    }
}

/// Of a trace whose first frame is longer than what is read, nothing is counted without `--deep`.
fn info_reads_a_large_trace_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large");
    let mut trace = RawTrace::new();
    let start = trace.offset();
    trace.begin(0).present(0).frame_since(start);
    let start = trace.offset();
    trace.begin(1).blob(1, 1, &vec![0; 65 << 20]).present(1).frame_since(start);
    fs::write(&path, trace.finish()).unwrap();
    let path = path.display().to_string();
    let told = here(&["info", &path]);
    assert_eq!(told.code, 0, "{}", told.stderr);
    let frames = value(&told.stdout, "frames").to_owned();
    let deep = here(&["info", &path, "--deep"]);
    assert!(frames.ends_with(", which fill 64 MiB"), "{frames}");
    assert_eq!(frames.split(';').next().unwrap(), value(&deep.stdout, "frames"));
}

/// Every trace under `fixtures/` that opens.
fn lines_fit_120_columns_in_every_fixture() {
    let mut traces = Vec::new();
    let mut folders = vec![root().join("fixtures")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "aerogputrace") {
                traces.push(path);
            }
        }
    }
    assert!(traces.len() > 100, "{} traces", traces.len());
    let mut wide = Vec::new();
    for path in &traces {
        for verb in ["frames", "draws"] {
            let listed = here(&[verb, path.to_str().unwrap()]);
            wide.extend(listed.stdout.lines().filter(|line| line.chars().count() > 120).map(ToOwned::to_owned));
        }
    }
    assert!(wide.is_empty(), "{} lines: {:#?}", wide.len(), &wide[..wide.len().min(20)]);
    // The hash is there for whoever asks.
    let path = fixture("triangle").display().to_string();
    let listed = here(&["draws", &path, "--hashes"]).stdout;
    let hash = json_lines(&here(&["draws", &path, "--json"]))[0]["input_sha256"].as_str().unwrap().to_owned();
    assert_eq!(listed, format!("{}, input={hash}\n", here(&["draws", &path]).stdout.trim_end()));
}

/// The lines of a dump lie end to end from the file's first byte to its last.
fn dump_accounts_for_every_byte_of_every_fixture() {
    let names = fixtures::all().into_iter().map(|(name, _)| name).chain(["triangle"]);
    for name in names {
        let path = fixture(name);
        let size = fs::metadata(&path).unwrap().len();
        let path = path.display().to_string();
        let dump = here(&["dump", &path, "--json"]);
        assert_eq!((dump.code, dump.stderr.as_str()), (0, ""), "{name}");
        let lines = json_lines(&dump);
        let (total, lines) = lines.split_last().unwrap();
        assert_eq!((&total["type"], &total["accounted_bytes"]), (&"dump-total".into(), &size.into()), "{name}");
        let mut at = 0;
        for line in lines {
            assert_eq!(line["offset"], at, "{name}: {line}");
            at += line["size_bytes"].as_u64().unwrap();
        }
        assert_eq!(at, size, "{name}");
        let text = here(&["dump", &path]);
        assert!(text.stdout.ends_with(&format!("\n{size} of {size} bytes accounted for\n")), "{name}");
        assert_eq!(text.stdout.lines().count(), lines.len() + 1, "{name}");
    }
}

fn dump_names_fields_and_shows_bytes() {
    let path = fixture("triangle").display().to_string();
    let text = here(&["dump", &path]).stdout;
    assert!(
        text.contains(
            "0x0000047f       28    UPLOAD_BUFFER  buffer_id=1  offset_bytes=0  data_len_bytes=72  blob_id=1\n"
        )
    );
    assert!(text.contains("0x0000056b       24    CLEAR  r=0.0  g=0.0  b=0.0  a=1.0\n"));
    let hex = here(&["dump", &path, "--hex"]).stdout;
    assert!(hex.contains("0x00000000           41 45 52 4f 47 50 55 54 20 00 00 00 01 00 00 00  AEROGPUT .......\n"));
    let json = json_lines(&here(&["dump", &path, "--hex", "--json"]));
    let bytes: String = json.iter().filter_map(|line| line["hex"].as_str()).collect();
    let file: String = fs::read(fixture("triangle")).unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(bytes, file);
}

fn dump_can_be_limited_to_frames() {
    let path = fixture("frames").display().to_string();
    let lines = json_lines(&here(&["dump", &path, "--json", "--frames", "1,last"]));
    let of = |name: &str| lines.iter().filter(|line| line["name"] == name).count();
    assert_eq!((of("BeginFrame"), of("DRAW"), of("CLEAR"), of("TraceHeader")), (2, 1, 1, 0));
    here(&["dump", &path, "--frames", "4"]).expect(2, "", "frame 4 does not exist: the trace has 4 frames");
}

fn listings_take_the_filter_of_timelines() {
    let path = fixture("frames").display().to_string();
    let count = |verb: &str, filter: &str| {
        let run = here(&[verb, &path, "--json", "--filter", filter]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{verb} {filter}");
        run.stdout.lines().count()
    };
    let all = json_lines(&here(&["dump", &path, "--json"]));
    let of = |wanted: &dyn Fn(&Value) -> bool| all.iter().filter(|line| wanted(line)).count();
    let draws = of(&|line| line["name"] == "DRAW");
    assert!(draws > 0 && count("dump", "DRAW") == draws);
    assert_eq!(count("dump", "DRAW(vertex_count >= 3) and @depth == 1"), draws);
    assert_eq!(count("dump", "DRAW(vertex_count > 3000000)"), 0);
    let long = of(&|line| line["type"] != "dump-total" && line["size_bytes"].as_u64().unwrap() > 40);
    assert_eq!(count("dump", "@duration > 40"), long);
    let third = of(&|line| line["name"] == "BeginFrame" && line["fields"]["frame_index"] == 2);
    assert_eq!((third, count("dump", "BeginFrame(frame_index == 2)")), (1, 1));
    assert_eq!(count("dump", "/^Trace/ and not TraceToc"), 2);
    assert_eq!(
        (count("frames", "*(draws >= 0)"), count("frames", "/ 2$/"), count("frames", "*(draws > 9)")),
        (4, 1, 0)
    );
    assert_eq!((count("draws", "*(frame == 2)"), count("draws", "DRAW(vertex_count > 0)")), (1, draws));
    assert_eq!((count("shaders", "/./"), count("shaders", "*(vertex.shader_id == 77)")), (1, 0));
    assert_eq!(count("lint", "no-such-rule"), 0);
    for (verb, filter, message) in [
        ("dump", "@duration > 5ms", "found a unit of time: this file records no time"),
        ("draws", "@duration > 5", "these rows have no duration"),
        ("lint", "(a", "closing parenthesis"),
    ] {
        let run = here(&[verb, &path, "--filter", filter]);
        assert!(run.code == 2 && run.stderr.contains(message), "{verb} {filter}: {}", run.stderr);
    }
}

/// Listings name the states that Direct3D 9 numbers and their values, and filters know both names and numbers.
fn states_are_listed_by_direct3d_9s_names() {
    let path = support::root().join("fixtures/aerogpu/computed/direct3d9.aerogputrace").display().to_string();
    let dump = ["dump", path.as_str()];
    let events = ["events", path.as_str(), "--frame", "0"];
    let timeline = ["timeline", "dump", path.as_str()];
    let count = |words: &[&str], filter: &str| {
        let run = here(&[words, &["--filter", filter]].concat());
        assert_eq!(run.code, 0, "{words:?} {filter}: {}", run.stderr);
        run.stdout.lines().filter(|line| line.contains("SET_RENDER_STATE")).count()
    };
    for words in [&dump[..], &events, &timeline] {
        let all = count(words, "SET_RENDER_STATE");
        let culling = count(words, "SET_RENDER_STATE(state == D3DRS_CULLMODE)");
        assert_eq!(culling, 1, "{words:?}");
        assert_eq!(count(words, "SET_RENDER_STATE(state == 22)"), culling);
        assert_eq!(count(words, "SET_RENDER_STATE(state != D3DRS_CULLMODE)"), all - culling);
        assert_eq!(count(words, "SET_RENDER_STATE(state != 22)"), all - culling);
        assert_eq!(count(words, "SET_RENDER_STATE(state =~ CULL) and *(value == NONE)"), 1);
        assert_eq!(count(words, "*(state == 22) and *(value == 1)"), 1);
        assert_eq!(count(words, "*(state == 22) and *(value == 2)"), 0);
    }
    let text = here(&["dump", &path]).stdout;
    for line in [
        "state=D3DRS_ALPHAFUNC  value=LESSEQUAL\n",
        "state=D3DRS_FOGDENSITY  value=0.25\n",
        "state=D3DRS_FOGCOLOR  value=0xff0afa5a\n",
        "state=D3DRS_COLORWRITEENABLE  value=RGA\n",
    ] {
        assert!(text.contains(line), "{line}");
    }
    let lines = json_lines(&here(&[&events[..], &["--json", "--filter", "*(state == D3DRS_CULLMODE)"]].concat()));
    let arguments = &lines.iter().find(|line| line["name"] == "SET_RENDER_STATE").unwrap()["arguments"];
    assert_eq!(*arguments, serde_json::json!({ "state": "D3DRS_CULLMODE", "value": "NONE" }));
    let path = support::root().join("fixtures/aerogpu/computed/direct3d9_sampling.aerogputrace").display().to_string();
    let sampler = here(&["dump", &path, "--filter", "*(state == D3DSAMP_ADDRESSU) and *(value == BORDER)"]).stdout;
    let mut found = sampler.lines().filter(|line| line.contains("SET_SAMPLER_STATE  stage=pixel  slot=")).peekable();
    assert!(found.peek().is_some(), "{sampler}");
    assert!(found.all(|line| line.ends_with("state=D3DSAMP_ADDRESSU  value=BORDER")), "{sampler}");
}

fn version_2_and_other_abis_are_named() {
    let path = fixture("container_v2").display().to_string();
    let text = here(&["dump", &path]).stdout;
    assert!(text.contains("Blob  blob_id=1  kind=AerogpuCmdStream  size_bytes=24\n"), "{text}");
    assert!(
        text.contains("AerogpuSubmission  record_version=1  header_size=56  submit_flags=1  context_id=7"),
        "{text}"
    );
    let folder = tempfile::tempdir().unwrap();
    let mut trace = RawTrace::new();
    let start = trace.offset();
    trace.record(3, b"ACMD....").frame_since(start);
    let path = folder.path().join("acmd");
    fs::write(&path, trace.finish()).unwrap();
    let text = here(&["dump", path.to_str().unwrap()]);
    assert!(text.stdout.contains("Packet  abi=A3A0 (ACMD stream)\n"), "{}", text.stdout);
}

/// Damage is shown where it is; what comes before it, and after it where that can be told, is still listed.
fn dump_goes_on_where_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let mut trace = RawTrace::new();
    let start = trace.offset();
    trace.begin(0).packet(&[10, 2, 77, 2]).packet(&[10, 3]).packet(&[10, 2]).frame_since(start);
    let bytes = trace.finish();
    let path = folder.path().join("bad");
    fs::write(&path, &bytes).unwrap();
    let dump = here(&["dump", path.to_str().unwrap()]);
    assert_eq!(dump.code, 3);
    assert!(dump.stdout.contains("\nerror: unknown opcode 0x004d: expected 0x0001"), "{}", dump.stdout);
    assert!(dump.stdout.contains("\nerror: PRESENT has total_dwords 3: expected 2, at 0x"), "{}", dump.stdout);
    assert!(dump.stdout.contains("TraceFooter"), "{}", dump.stdout);
    assert!(dump.stdout.ends_with(&format!("{0} of {0} bytes accounted for\n", bytes.len())), "{}", dump.stdout);

    let cut = fs::read(fixture("frames")).unwrap();
    fs::write(&path, &cut[..cut.len() - 200]).unwrap();
    let dump = here(&["dump", path.to_str().unwrap()]);
    assert_eq!(dump.code, 8, "{}", dump.stderr);
    assert!(dump.stdout.contains("undecoded bytes"), "{}", dump.stdout);
    assert!(dump.stdout.ends_with(&format!("{0} of {0} bytes accounted for\n", cut.len() - 200)), "{}", dump.stdout);
}

fn shaders_are_listed_and_printed() {
    let path = fixture("triangle").display().to_string();
    let text = here(&["shaders", &path]);
    assert_eq!((text.code, text.stderr.as_str()), (0, ""));
    assert!(text.stdout.contains("vertex shader 1: WGSL at 0x250, 336 bytes, GLSL ES 3.00 at 0xdc, 213 bytes\n"));
    let json = json_lines(&here(&["shaders", &path, "--json"]));
    assert_eq!(json.len(), 1);
    assert_eq!(json[0]["compiled"][0]["vertex"]["inputs"][1]["type"], "vec4<f32>");
    assert_eq!(json[0]["compiled"][1]["language"], "glsl");
    assert!(here(&["shaders", &path, "--emit", "glsl"]).stdout.contains("#version 300 es\nprecision highp float;"));
    assert!(here(&["shaders", &path, "--emit", "wgsl"]).stdout.contains("fn fs_main(@location(0) color"));
    let rewritten = here(&["shaders", &path, "--emit", "rewritten"]).stdout;
    assert!(rewritten.contains("// pipeline 1: vertex shader 1\n") && rewritten.contains("@vertex fn vs_main"));
}

/// A shader that does not compile is listed with its error, and the verb fails.
fn broken_shaders_are_listed_with_their_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken");
    let mut scene = Scene::new();
    scene.begin().glsl_shader(1, 0, "#version 300 es\nvoid main() {\n  gl_Position = 1.0;\n}\n");
    scene.glsl_shader(2, 1, "#version 300 es\nvoid main() {}\n").pipeline(1, 1, 2);
    fs::write(&path, scene.end_and_finish()).unwrap();
    let listed = here(&["shaders", path.to_str().unwrap()]);
    assert_eq!(listed.code, 6);
    assert!(listed.stdout.contains("glsl: error: GLSL ES 3.00: "), "{}", listed.stdout);
    assert!(listed.stdout.contains("gl_Position = 1.0;"), "{}", listed.stdout);
}

/// Text from the file cannot drive the terminal.
fn control_characters_of_the_file_are_not_printed() {
    let folder = tempfile::tempdir().unwrap();
    let mut trace = RawTrace::new();
    trace.meta = b"{\"emulator_version\":\"\x1b[31mred\x07\"}".to_vec();
    let path = folder.path().join("escape");
    fs::write(&path, trace.finish()).unwrap();
    for verb in ["info", "dump"] {
        let shown = here(&[verb, path.to_str().unwrap()]);
        assert!(!shown.stdout.contains('\x1b') && !shown.stderr.contains('\x1b'), "{verb}");
    }
}

fn help_is_an_answer_and_states_the_exit_codes() {
    let help = here(&["--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (0, ""));
    let text = help.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for code in ["0 done", "8 truncated: a partial result was produced", "124 timeout", "11 output cannot be written"] {
        assert!(text.contains(code), "{text}");
    }
    assert!(here(&["--version"]).stdout.starts_with("aerogpu-replay "));
}
