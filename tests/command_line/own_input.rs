//! No verb writes over what it reads, by whatever name.
//!
//! Verbs and paths come from the argument parser: one that [`ATTACKS`] and [`READ`] don't know fails the test, so that a
//! new verb cannot be missed.

use crate::support::wip15_writer;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use crate::support;
use support::harness::Trial;
use support::parser::path_arguments;
use support::program::run;
use support::{root, software};

/// Way in which a verb is pointed at its own input.
pub(super) struct Attack {
    /// Verb and argument.
    pub(super) argument: &'static str,
    pub(super) source: Source,
    /// Where the input lies.
    pub(super) input: &'static str,
    pub(super) output: Output,
    /// The verb's words. IN is the input, OUT what it is to write.
    pub(super) words: &'static str,
}

impl Attack {
    pub(super) fn in_words(&self) -> String {
        format!("{}, IN = {} ({:?}), OUT {:?}", self.words, self.input, self.source, self.output)
    }
}

/// Kind of the input.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Trace,
    /// A trace of submissions.
    Streams,
    /// A trace without its end.
    Torn,
    Wip15,
    /// OpenGL calls that give a texture.
    Texels,
    Png,
    /// A golden.toml of the trace.
    Case,
    /// results.json of a shard.
    Results,
    /// A set of frames.
    List,
}

/// Name of the output.
#[derive(Clone, Copy, Debug)]
pub(super) enum Output {
    /// As the user likes, as long as it ends so.
    Ending(&'static str),
    /// The user names the folder, and the verb the file in it.
    InFolder(&'static str),
    /// As the words have it.
    Named,
}

use Output::{Ending, InFolder, Named};
use Source::{Case, List, Png, Results, Streams, Texels, Torn, Trace, Wip15};

/// Every path that is written. The last word + asks for the software adapter.
#[rustfmt::skip]
const ATTACKS: &[(&str, Source, &str, Output, &str)] = &[
    ("out", Trace, "a.png", Ending(".png"), "IN --frame 0 --out OUT +"),
    ("out", Trace, "a.rgba", Ending(".rgba"), "IN --frame 0 --out OUT +"),
    ("out", Trace, "in", InFolder("in.frame0000.png"), "IN --frames 0 --out OUT/ +"),
    ("out", List, "list.png", Ending(".png"), "trace --frame @IN --out OUT +"),
    ("out", List, "list.png", Ending(".png"), "trace --frame 0 --skip-draws @IN --out OUT +"),
    ("diff out", Png, "a.png", Ending(".png"), "diff IN other.png --out OUT"),
    ("diff out", Png, "a.png", Ending(".png"), "diff other.png IN --out OUT"),
    ("diff out", Png, "folder/a.png", InFolder("a.png"), "diff folder others --out OUT"),
    ("diff out", Png, "folder/sub/a.png", InFolder("a.png"), "diff folder others --out OUT"),
    ("filmstrip out", Trace, "a.png", Ending(".png"), "filmstrip IN --frame 0 --out OUT +"),
    ("filmstrip out", Trace, "in", InFolder("draw0000.png"), "filmstrip IN --frame 0 --out OUT +"),
    ("overlay out", Trace, "a.png", Ending(".png"), "overlay IN --frame 0 --kind overdraw --out OUT +"),
    ("buffer out", Trace, "in", Ending(""), "buffer IN --frame 0 --raw --out OUT"),
    ("buffer out", Streams, "in", Ending(""), "buffer IN --frame 0 --id 2 --raw --out OUT"),
    ("texture out", Streams, "in", Ending(""), "texture IN --frame 0 2 --raw --out OUT"),
    ("texture out", Streams, "in.dds", Ending(".dds"), "texture IN --frame 0 1 --out OUT +"),
    ("mesh obj", Trace, "in", Ending(""), "mesh IN --frame 0 --draw 0 --obj OUT +"),
    ("mesh obj", List, "in", Ending(""), "mesh trace --frame @IN --draw 0 --obj OUT +"),
    ("trim output", Trace, "in", Ending(""), "trim IN OUT --frames 0"),
    ("trim output", List, "in", Ending(""), "trim trace OUT --frames @IN"),
    ("trim out", Trace, "in", Ending(""), "trim IN --out OUT --frames 0"),
    ("repair out", Trace, "in", Ending(""), "repair IN --out OUT"),
    ("repair output", Trace, "in", Ending(""), "repair IN OUT"),
    ("repair output", Torn, "in", Ending(""), "repair IN OUT"),
    ("extract shaders", Trace, "blob4-0x238.wgsl", InFolder("blob4-0x238.wgsl"), "extract IN --shaders OUT"),
    ("extract blobs", Trace, "blob1-0x64.bin", InFolder("blob1-0x64.bin"), "extract IN --blobs OUT"),
    ("extract blobs", Wip15, "call00000000-arg2.bin", InFolder("call00000000-arg2.bin"), "extract IN --blobs OUT"),
    ("extract blobs", Texels, "call00000000-arg8.png", InFolder("call00000000-arg8.png"), "extract IN --blobs OUT"),
    ("extract blobs", Wip15, "index.jsonl", InFolder("index.jsonl"), "extract IN --blobs OUT"),
    ("timeline export out", Trace, "a.json", Ending(".json"), "timeline export IN --out OUT"),
    ("timeline export out", Wip15, "a.json", Ending(".json"), "timeline export --annotate IN --out OUT"),
    ("timeline export out", List, "a.json", Ending(".json"), "timeline export trace --frames @IN --out OUT"),
    ("golden new into", Trace, "made/frame0000/frame0000.png", Named, "golden new IN --into made --allow-blank +"),
    ("golden test junit", Case, "suite/t/golden.toml", Ending(""), "golden test suite --root . --junit OUT +"),
    ("golden test report", Case, "suite/t/golden.toml", InFolder("index.html"), "golden test suite --root . --report OUT +"),
    ("golden test report", Case, "suite/t/golden.toml", InFolder("results.json"), "golden test suite --root . --report OUT +"),
    ("golden test report", Trace, "page.html", InFolder("page.html"), "golden test suite --root . --page IN --report OUT +"),
    ("golden review junit", Case, "suite/t/golden.toml", Ending(""), "golden review suite --root . --junit OUT +"),
    ("golden review report", Case, "suite/t/golden.toml", InFolder("index.html"), "golden review suite --root . --report OUT +"),
    ("golden merge junit", Results, "shard/results.json", Ending(""), "golden merge shard --junit OUT"),
    ("golden merge report", Results, "shard/results.json", InFolder("results.json"), "golden merge shard --report OUT"),
];

/// Outputs that are made of no file.
const MADE_OF_NOTHING: [&str; 2] = ["man out", "doctor out"];

/// Arguments that name what is read, a program, or folders in which files are found.
const READ: [&str; 19] = [
    "export",
    "trace",
    "traces",
    "file",
    "files",
    "input",
    "a",
    "b",
    "annotate",
    "recordings",
    "compare",
    "conformance",
    "page",
    "decisions",
    "replace_shaders",
    "folders",
    "paths",
    "root",
    "worker",
];

pub(super) fn attacks() -> impl Iterator<Item = Attack> {
    let attack = |&(argument, source, input, output, words)| Attack { argument, source, input, output, words };
    ATTACKS.iter().map(attack)
}

fn every_path_is_known() {
    let found = path_arguments();
    let attacked: BTreeSet<String> = ATTACKS.iter().map(|attack| attack.0.to_owned()).collect();
    let is_read = |path: &&String| path.rsplit(' ').next().is_some_and(|argument| READ.contains(&argument));
    let is_made_of_files = |path: &&String| !MADE_OF_NOTHING.contains(&path.as_str());
    let unknown = found.difference(&attacked).filter(|path| !is_read(path)).filter(is_made_of_files);
    let unknown: Vec<_> = unknown.collect();
    let gone: Vec<_> = attacked.difference(&found).collect();
    assert!(unknown.is_empty() && gone.is_empty(), "paths without a row: {unknown:?}; rows without a path: {gone:?}");
}

impl Source {
    pub(super) fn bytes(self) -> Vec<u8> {
        let read = |name: &str| fs::read(root().join(name)).unwrap();
        match self {
            Trace => read("fixtures/aerogpu/triangle.aerogputrace"),
            Streams => read("fixtures/aerogpu/a3a0/scene.aerogputrace"),
            Torn => {
                let mut trace = Trace.bytes();
                trace.truncate(trace.len() - 20);
                trace
            }
            Wip15 => read("fixtures/wip15/synth/variant.trace"),
            Texels => {
                let mut made = wip15_writer::Trace::new();
                // A level of 1 × 1 texels of GL_RGBA in GL_UNSIGNED_BYTE.
                let sizes = [0xde1, 0, 0x1908, 1, 1, 0, 0x1908, 0x1401].map(wip15_writer::uint);
                let texel = wip15_writer::data(0, 4, &[1, 2, 3, 4]);
                made.call("glTexImage2D", &[&sizes[..], &[texel]].concat(), &wip15_writer::void());
                made.bytes
            }
            Png => read("golden/triangle/frame0000.png"),
            Case => String::from_utf8(read("golden/triangle/golden.toml"))
                .unwrap()
                .replace("../../fixtures/aerogpu/triangle.aerogputrace", "../../trace")
                .into_bytes(),
            Results => {
                br#"{"schema":2,"tool":"","shaders":"auto","shard":[1,1],"suite":0,"command":"","cases":[]}"#.to_vec()
            }
            List => b"0\n".to_vec(),
        }
    }
}

/// Creates the files that a verb finds where it runs.
pub(super) fn furnish(folder: &Path) {
    let put = |name: &str, source: Source| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, source.bytes()).unwrap();
    };
    put("trace", Trace);
    put("suite/t/golden.toml", Case);
    put("suite/t/frame0000.png", Png);
    put("folder/a.png", Png);
    put("folder/sub/a.png", Png);
    let other = root().join("golden/clears/frame0000.png");
    for name in ["other.png", "others/a.png", "others/sub/a.png"] {
        fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
        fs::copy(&other, folder.join(name)).unwrap();
    }
}

/// Names for the output under which the input is found: OUT, and the file that it comes to.
fn names(attack: &Attack) -> Vec<(String, String)> {
    let input = attack.input;
    match attack.output {
        Named => vec![(String::new(), input.to_owned())],
        Ending(ending) => {
            let names =
                [input.to_owned(), format!("others/../{input}"), format!("soft{ending}"), format!("hard{ending}")];
            names.map(|name| (name.clone(), name)).into()
        }
        InFolder(name) => {
            let itself = Path::new(input).parent().map(|parent| parent.display().to_string());
            let itself = itself
                .filter(|_| input.ends_with(name))
                .map(|folder| if folder.is_empty() { ".".to_owned() } else { folder });
            let folders = itself.into_iter().chain(["soft".to_owned(), "hard".to_owned()]);
            folders.map(|folder| (folder.clone(), format!("{folder}/{name}"))).collect()
        }
    }
}

fn refuse(attack: &Attack) {
    for (out, written) in names(attack) {
        let folder = tempfile::tempdir().unwrap();
        furnish(folder.path());
        let (input, written) = (folder.path().join(attack.input), folder.path().join(written));
        for path in [&input, &written] {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
        }
        let bytes = attack.source.bytes();
        fs::write(&input, &bytes).unwrap();
        let (is_soft, is_hard) = (out.starts_with("soft"), out.starts_with("hard"));
        if is_soft {
            symlink(&input, &written).unwrap();
        } else if is_hard {
            fs::hard_link(&input, &written).unwrap();
        }
        let words = attack.words.replace("IN", attack.input).replace("OUT", &out);
        let words = words.replace('+', "--backend vulkan --adapter llvmpipe");
        let arguments: Vec<&str> = words.split_whitespace().collect();
        let ended = run(&arguments, folder.path());
        assert!(fs::read(&input).unwrap() == bytes, "`{words}` wrote over its input: {ended:?}");
        assert_eq!(fs::symlink_metadata(&written).unwrap().is_symlink(), is_soft, "`{words}`: {ended:?}");
        assert_eq!(fs::metadata(&input).unwrap().nlink(), if is_hard { 2 } else { 1 }, "`{words}`: {ended:?}");
        assert_eq!(ended.code, 2, "`{words}`: {ended:?}");
        assert!(ended.stderr.contains("is the same file as"), "`{words}`: {ended:?}");
    }
}

/// A message about an output names it as the user did, and no other file.
fn what_cannot_be_written_is_named(attack: &Attack) {
    let Ending(ending) = attack.output else { return };
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let input = folder.path().join(attack.input);
    fs::create_dir_all(input.parent().unwrap()).unwrap();
    fs::write(&input, attack.source.bytes()).unwrap();
    let output = format!("gone/made{ending}");
    let words = attack.words.replace("IN", attack.input).replace("OUT", &output);
    let words = words.replace('+', "--backend vulkan --adapter llvmpipe");
    let ended = run(&words.split_whitespace().collect::<Vec<_>>(), folder.path());
    let code = if words.starts_with("diff") { 2 } else { 11 };
    assert_eq!(ended.code, code, "`{words}`: {ended:?}");
    assert!(
        ended.stderr.contains(&output) && !ended.stderr.contains(".trace-base-unfinished-"),
        "`{words}`: {ended:?}"
    );
    assert!(ended.stderr.contains("No such file or directory"), "`{words}`: {ended:?}");
}

fn in_place_means_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let sound = Trace.bytes();
    for words in ["trim t --in-place --frames 0", "repair t --in-place"] {
        let source = if words.starts_with("repair") { Torn } else { Trace };
        fs::write(at("itself"), source.bytes()).unwrap();
        let _ = fs::remove_file(at("t"));
        symlink("itself", at("t")).unwrap();
        let ended = run(&words.split_whitespace().collect::<Vec<_>>(), folder.path());
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(fs::symlink_metadata(at("t")).unwrap().is_symlink(), "a link stays one");
        assert_ne!(fs::read(at("itself")).unwrap(), source.bytes());
        assert_eq!(run(&["verify", "t", "--strict"], folder.path()).code, 0);
    }
    assert_eq!(fs::read(at("itself")).unwrap(), sound, "a torn footer is made anew as it was");
    let age = |name: &str| fs::metadata(at(name)).unwrap().ino();
    let before = age("itself");
    run(&["repair", "t", "--in-place"], folder.path()).expect(0, "t: nothing to repair, 1 frame\n", "");
    assert_eq!(age("itself"), before, "nothing to repair is nothing to write");
    run(&["trim", "t", "--frames", "0"], folder.path()).expect(2, "", "OUT");
    run(&["trim", "t", "out", "--in-place", "--frames", "0"], folder.path()).expect(2, "", "cannot be used with");
}

pub fn trials() -> Vec<Trial> {
    let plain = |name: String, test: Box<dyn FnOnce() + Send>| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    let mut trials = vec![
        plain("every_path_is_known".to_owned(), Box::new(every_path_is_known)),
        plain("in_place_means_it".to_owned(), Box::new(in_place_means_it)),
    ];
    for attack in attacks() {
        let name = format!("{}: {}", attack.argument, attack.in_words());
        trials.push(match attack.words.ends_with('+') {
            true => software::trial(name, move |_| refuse(&attack)),
            false => plain(name, Box::new(move || refuse(&attack))),
        });
    }
    for attack in attacks().filter(|attack| matches!(attack.output, Ending(_))) {
        let name = format!("unwritable: {}: {}", attack.argument, attack.in_words());
        trials.push(match attack.words.ends_with('+') {
            true => software::trial(name, move |_| what_cannot_be_written_is_named(&attack)),
            false => plain(name, Box::new(move || what_cannot_be_written_is_named(&attack))),
        });
    }
    trials
}
