//! `doctor --conformance`, and what `lint` and `golden new` make of its table.

use std::fs;

use crate::support::harness::{Trial, trials_of};
use crate::support::program::run;
use crate::support::{program::program, software};
use aerogpu_replay::abi::a3a0::calls::{Element, FLOAT4, PIXEL, R8G8B8A8, Stream, VERTEX, WHOLE};
use aerogpu_replay::abi::a3a0::calls::{floats, recording, rectangle, unblended};
use aerogpu_replay::conformance::{ConformanceTable, Extent, Outcome, TableOfDevice, rows};
use aerogpu_replay::shader::d3d::assemble;

pub fn trials() -> Vec<Trial> {
    #[cfg_attr(not(feature = "gpu"), allow(unused_mut, reason = "nothing draws"))]
    let mut trials: Vec<Trial> = trials_of![
        lint_names_commands_like_rows_that_fail,
        damaged_tables_are_refused,
        traces_of_rows_meet_their_conditions,
    ];
    trials.extend([
        software::trial("the_table_is_printed_and_written", |_| the_table_is_printed_and_written()),
        software::trial("golden_new_warns_by_the_kept_table", |_| golden_new_warns_by_the_kept_table()),
    ]);
    trials
}

/// A table of a GL device on which rows fail that this predicate names.
fn table(fails: impl Fn(&str) -> bool) -> ConformanceTable {
    let outcome = |name: &str| if fails(name) { Outcome::Differs { steps: 99 } } else { Outcome::Right };
    let rows = rows(Extent::Usual).into_iter().map(|row| (row, outcome(&row.name()))).collect();
    let device = TableOfDevice { api: "gl".to_owned(), adapter: "a".to_owned(), driver: String::new(), rows };
    ConformanceTable { devices: vec![device] }
}

/// A trace whose only draw samples a square array of six layers.
fn trace_of_six_layers() -> Vec<u8> {
    let vertex = "vs_5_0\n.input\n.param \"POSITION\"[0].xyzw, v0.xyzw, float\n.output\n\
        .param \"SV_Position\"[0].xyzw, o0.xyzw, float, position\n.text\ndcl_input v0.xyzw\n\
        dcl_output_siv o0.xyzw, position\nmov o0.xyzw, v0.xyzw\nret\n";
    let pixel = "ps_5_0\n.output\n.param \"SV_Target\"[0].xyzw, o0.xyzw, float, target\n.text\n\
        dcl_resource_texture2darray (float,float,float,float) t0\ndcl_sampler s0, mode_default\n\
        dcl_output o0.xyzw\ndcl_temps 1\nsample_l r0.xyzw, l(0.5, 0.5, 2.0, 0.0), t0.xyzw, s0, l(0.0)\n\
        mov o0.xyzw, r0.xyzw\nret\n";
    let mut stream = Stream::new();
    stream.texture(10, R8G8B8A8, [4, 4], [1, 1]).texture(11, R8G8B8A8, [8, 8], [1, 6]);
    stream.container(1, VERTEX, &assemble(vertex).unwrap().0).container(2, PIXEL, &assemble(pixel).unwrap().0);
    stream.layout(3, &[Element("POSITION", FLOAT4, 0, 0, 0)]).shaders(1, 2).topology(4).put(unblended());
    stream.buffer(4, &rectangle(WHOLE, 0.5, [[0.0; 4]; 4])).vertex_buffer(0, 4, 32, 0);
    stream.upload(11, 0, &floats(&[0.5; 64])).read(0, 11).sampler(0, 5, 0, 0);
    stream.targets(&[10], 0).viewport([0.0, 0.0, 4.0, 4.0]).draw(0, 6).present();
    recording([&stream.into_bytes().unwrap()[..]]).unwrap()
}

fn lint_names_commands_like_rows_that_fail() {
    let folder = tempfile::tempdir().unwrap();
    let is_of_six =
        |name: &str| ["array-6/square", "array-12/square", "array-18/square"].iter().any(|of| name.contains(of));
    fs::write(folder.path().join("a.bin"), trace_of_six_layers()).unwrap();
    fs::write(folder.path().join("six.jsonl"), table(is_of_six).text()).unwrap();
    fs::write(folder.path().join("cubes.jsonl"), table(|name| name.contains("/cube")).text()).unwrap();
    fs::write(folder.path().join("wrap.jsonl"), table(|name| name.ends_with("/wrap")).text()).unwrap();
    fs::write(folder.path().join("clamp.jsonl"), table(|name| name.contains("/point/clamp")).text()).unwrap();
    let of_table = |table: &str| {
        let found = run(&["lint", "a.bin", "--conformance", table], folder.path());
        assert_eq!(found.code, 0, "{}{}", found.stdout, found.stderr);
        found.stdout.lines().filter(|line| line.starts_with("conformance: ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let six = of_table("six.jsonl");
    assert_eq!(six.len(), 1, "{six:?}");
    assert!(six[0].starts_with("conformance: texture: kind array-6, sides square: all "), "{six:?}");
    assert!(six[0].contains(" rows fail on gl (differs by 99), at frame 0, packet "), "{six:?}");
    let denied = run(&["lint", "a.bin", "--conformance", "six.jsonl", "--deny", "conformance"], folder.path());
    assert_eq!(denied.code, 1, "{denied:?}");
    // What the trace does not use is not told, address modes included.
    assert_eq!((of_table("cubes.jsonl"), of_table("wrap.jsonl")), (Vec::new(), Vec::new()));
    assert!(!of_table("clamp.jsonl").is_empty());
    let json = run(&["lint", "a.bin", "--conformance", "six.jsonl", "--json"], folder.path()).stdout;
    assert!(json.lines().any(|line| line.contains(r#""rule":"conformance","offset":"#)), "{json}");
}

fn damaged_tables_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.bin"), trace_of_six_layers()).unwrap();
    let text = table(|_| false).text();
    for (damaged, told) in [
        (b"".to_vec(), "a.jsonl: the conformance table has no rows: expected a file written by doctor --conformance"),
        (text.as_bytes()[..200].to_vec(), "a.jsonl: line 2 of the conformance table: expected a JSON object"),
        (vec![0xff; 9], "cannot read a.jsonl: stream did not contain valid UTF-8"),
    ] {
        fs::write(folder.path().join("a.jsonl"), damaged).unwrap();
        let found = run(&["lint", "a.bin", "--conformance", "a.jsonl"], folder.path());
        assert_eq!((found.code, found.stdout.as_str()), (3, ""), "{}", found.stderr);
        assert!(found.stderr.contains(told) && found.stderr.lines().count() == 1, "{}", found.stderr);
    }
}

/// A row that alone fails is found in its own trace: traces are told in the words of the axes.
fn traces_of_rows_meet_their_conditions() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "texture/array-7/square/one-mip/range-of-layers/sampled",
        "raster/triangle-list/fractional/no-scissor",
        "binding/textures/16/",
        "shared/32-kib/32-threads/",
    ] {
        // All rows with the first two values fail.
        let values: Vec<&str> = name.split('/').collect();
        let fails = |row: &str| row.starts_with(&format!("{}/{}/", values[0], values[1]));
        let row = rows(Extent::Usual).into_iter().find(|row| fails(&row.name())).unwrap();
        fs::write(folder.path().join("row.bin"), row.trace().unwrap().file).unwrap();
        fs::write(folder.path().join("table.jsonl"), table(fails).text()).unwrap();
        let found = run(&["lint", "row.bin", "--conformance", "table.jsonl"], folder.path());
        let told = format!("{}: {} {}: ", values[0], row.axes()[0].name, values[1]);
        assert!(found.stdout.contains(&told), "{row}: {told} is not in {}{}", found.stdout, found.stderr);
    }
}

fn the_table_is_printed_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let doctor = |arguments: &[&str]| {
        let mut program = program();
        program.args(["doctor", "--conformance"]).args(arguments).current_dir(folder.path());
        program.env("XDG_STATE_HOME", &state).output().unwrap()
    };
    let output =
        doctor(&["--rows", "shared/4-bytes", "--backend", "vulkan", "--adapter", "llvmpipe", "--out", "t.jsonl"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let count = rows(Extent::Full).iter().filter(|row| row.name().contains("shared/4-bytes")).count();
    assert!(count > 5, "the usual rows and others");
    assert!(text.starts_with("shared ") && text.contains("  bytes 4-bytes"), "{text}");
    assert!(text.contains("vulkan (llvmpipe") && text.contains(&format!("): 0 of {count} rows fail\n")), "{text}");
    let table = ConformanceTable::parse(&fs::read_to_string(folder.path().join("t.jsonl")).unwrap()).unwrap();
    assert!(table.devices[0].rows.iter().all(|(_, outcome)| *outcome == Outcome::Right), "{table:?}");
    // Part of a table is not kept.
    assert!(!state.exists());
    let none = doctor(&["--rows", "shared/5-bytes"]);
    let words = String::from_utf8(none.stderr).unwrap();
    assert_eq!(none.status.code(), Some(2));
    assert!(words.contains("no row's name contains shared/5-bytes"), "{words}");
}

/// A golden that is recorded on Vulkan is warned of by what fails on OpenGL alone.
fn golden_new_warns_by_the_kept_table() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let kept = state.join("aerogpu-replay/conformance.jsonl");
    fs::create_dir_all(kept.parent().unwrap()).unwrap();
    fs::write(folder.path().join("a.bin"), trace_of_six_layers()).unwrap();
    let warnings = |into: &str| {
        let mut program = program();
        program.args(["golden", "new", "a.bin", "--allow-blank", "--backend", "vulkan", "--adapter", "llvmpipe"]);
        program.args(["--into", into]).current_dir(folder.path()).env("XDG_STATE_HOME", &state);
        let output = program.output().unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{words}");
        let all = words.lines().filter(|line| line.starts_with("warning: ")).map(str::to_owned);
        let (of_trace, of_table): (Vec<String>, Vec<String>) = all.partition(|line| line.contains("the meta JSON"));
        assert_eq!(of_trace.len(), 2, "each is told once: {words}");
        of_table
    };
    assert_eq!(warnings("without"), Vec::<String>::new());
    fs::write(&kept, table(|name| name.contains("array-6/square")).text()).unwrap();
    let told = warnings("with");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("frame 0: 1 command with texture: kind array-6, sides square"), "{told:?}");
    fs::write(&kept, table(|_| false).text()).unwrap();
    assert_eq!(warnings("none fails"), Vec::<String>::new());
    // A damaged table is told, and the golden is made all the same.
    fs::write(&kept, "{").unwrap();
    let told = warnings("damaged");
    assert!(told.len() == 1 && told[0].contains("conformance.jsonl: line 1"), "{told:?}");
}
