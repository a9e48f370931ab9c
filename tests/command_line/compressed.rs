//! Compressed files are read as what they hold, by every verb.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::Output;

use serde_json::json;

use super::verbs::{Reads, VERBS};
use crate::support;
use support::compress::{COMPRESSIONS, gzip, gzip_bomb, zstd, zstd_bomb};
use support::harness::{Trial, trials_of};
use support::program::{program, run};
use support::serve_client::Client;
use support::{fixture, root, software};

const ADAPTER: [&str; 4] = ["--backend", "vulkan", "--adapter", "llvmpipe"];

/// Annotations of each format.
const ANNOTATIONS: [&str; 3] = [
    "wtf/cff_cpp/cpp_features.wtf-trace",
    "wtf/cff_json/head_basic.complete.wtf-json",
    "wip15/s1_py_pygame_zlib60.trace",
];

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of![
        every_verb_reads_it_as_what_it_holds,
        annotations_are_read_as_what_they_hold,
        stdin_is_decoded_too,
        what_cannot_be_decoded_is_one_sentence_with_its_place,
        bombs_end_in_10,
        what_follows_the_data_is_told,
        a_compressed_file_is_not_replaced,
        info_tells_both_sizes,
    ];
    trials.extend([
        software::trial("pictures_of_it_are_the_same", |_| every_line_gives_the_same(true)),
        software::trial("goldens_of_it_are_those_of_the_trace", |_| goldens_of_it_are_those_of_the_trace()),
        software::trial("serve_opens_it_and_its_worker_too", |_| serve_opens_it_and_its_worker_too()),
    ]);
    trials
}

/// A folder with the trace under a name that does not tell what it is.
fn folder_with(trace: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("trace"), trace).unwrap();
    for (name, picture) in [("A.png", "triangle"), ("B.png", "clears")] {
        fs::copy(root().join(format!("golden/{picture}/frame0000.png")), folder.path().join(name)).unwrap();
    }
    folder
}

fn run_words(words: &str, folder: &Path) -> Output {
    let mut command = program();
    command.current_dir(folder);
    for word in words.split(' ') {
        match word {
            "+" => command.args(ADAPTER),
            word => command.arg(word.replace("TRACE", "trace").replace("OUT", "out").replace("DIR", "folder")),
        };
    }
    command.output().unwrap()
}

/// Every file of a folder, but for the trace.
fn files_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.file_name().unwrap() == "trace" => {}
                false => {
                    files.insert(path.strip_prefix(folder).unwrap().display().to_string(), fs::read(path).unwrap());
                }
            }
        }
    }
    files
}

/// Output of a verb, without its words about the compressed file.
fn printed(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace(" (decoded)", "");
    let facts = regex::Regex::new(
        r#"(?m)^(compressed|compression|stored_bytes) .*\n|, stored in \d+ bytes of \w+|"compression":"\w+","stored_bytes":\d+,|"stored_bytes":\d+,"compression":"\w+","#,
    );
    // How long drawing takes is another time each time.
    let seconds = regex::Regex::new(r"\d+(\.\d+)? ?[mµ]?s\b").unwrap();
    seconds.replace_all(&facts.unwrap().replace_all(&text, ""), "_ s").into_owned()
}

fn every_verb_reads_it_as_what_it_holds() {
    every_line_gives_the_same(false);
}

fn every_line_gives_the_same(on_gpu: bool) {
    let whole = fs::read(fixture("triangle")).unwrap();
    let mut cut = whole.clone();
    cut.truncate(whole.len() - 20);
    // Pictures of a cut trace are those of a whole one.
    for trace in [Some(whole), Some(cut).filter(|_| !on_gpu)].into_iter().flatten() {
        let lines = VERBS.iter().filter(|verb| verb.reads == Reads::Trace && verb.name != "serve");
        for words in lines.flat_map(|verb| verb.lines).filter(|words| words.ends_with('+') == on_gpu) {
            let plain = folder_with(&trace);
            let expected = run_words(words, plain.path());
            for (name, compress) in COMPRESSIONS {
                let compressed = folder_with(&compress(&trace));
                let found = run_words(words, compressed.path());
                assert_eq!(found.status.code(), expected.status.code(), "{words}, {name}: {found:?}");
                assert_eq!(printed(&found.stdout), printed(&expected.stdout), "{words}, {name}");
                assert_eq!(printed(&found.stderr), printed(&expected.stderr), "{words}, {name}");
                assert!(files_of(compressed.path()) == files_of(plain.path()), "{words}, {name}");
            }
        }
    }
}

fn annotations_are_read_as_what_they_hold() {
    for annotation in ANNOTATIONS {
        let bytes = fs::read(root().join("fixtures").join(annotation)).unwrap();
        for words in [
            "timeline info TRACE",
            "timeline info TRACE --json",
            "timeline dump TRACE --json",
            "timeline stats TRACE",
            "timeline tree TRACE",
            "timeline diff TRACE TRACE",
            "timeline export TRACE --out OUT.json",
            "extract TRACE --blobs DIR",
        ] {
            let plain = folder_with(&bytes);
            let expected = run_words(words, plain.path());
            for (name, compress) in COMPRESSIONS {
                let compressed = folder_with(&compress(&bytes));
                let found = run_words(words, compressed.path());
                assert_eq!(found.status.code(), expected.status.code(), "{words}, {name}: {found:?}");
                assert_eq!(printed(&found.stdout), printed(&expected.stdout), "{annotation}: {words}, {name}");
                assert!(files_of(compressed.path()) == files_of(plain.path()), "{annotation}: {words}, {name}");
            }
        }
    }
}

fn stdin_is_decoded_too() {
    let folder = tempfile::tempdir().unwrap();
    let trace = fs::read(fixture("frames")).unwrap();
    let expected = run(&["frames", &fixture("frames").display().to_string()], folder.path());
    for (name, compress) in COMPRESSIONS {
        let path = folder.path().join(name);
        fs::write(&path, compress(&trace)).unwrap();
        let found = program().args(["frames", "-"]).stdin(File::open(path).unwrap()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&found.stdout), expected.stdout, "{name}");
    }
}

fn what_cannot_be_decoded_is_one_sentence_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let trace = fs::read(fixture("triangle")).unwrap();
    let fails = |stored: &[u8], code, message: &str| {
        fs::write(folder.path().join("trace"), stored).unwrap();
        for verb in ["info", "timeline info"] {
            let words: Vec<&str> = verb.split(' ').chain(["trace"]).collect();
            let found = run(&words, folder.path());
            assert_eq!(found.code, code, "{found:?}");
            assert!(found.stderr.starts_with("error: cannot open trace: "), "{}", found.stderr);
            assert!(found.stderr.contains(message) && found.stderr.lines().count() == 1, "{}", found.stderr);
        }
    };
    for (name, compress) in COMPRESSIONS {
        let stored = compress(&trace);
        let data = format!("compressed file is cut short: expected more {name} data, found its end, at 0x64");
        fails(&stored[..100], 3, &data);
        let mut wrong = stored.clone();
        // The first byte of the check sum.
        let at = if name == "gzip" { stored.len() - 8 } else { stored.len() - 4 };
        wrong[at] ^= 1;
        fails(&wrong, 3, "compressed file is damaged");
        for (again, outer) in COMPRESSIONS {
            let message = format!("compressed file contains another compressed file ({name})");
            fails(&outer(&stored), 3, &message);
            assert_ne!(again, "");
        }
    }
    fails(b"\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00", 10, "needs a window of 1073741824 bytes");
}

fn bombs_end_in_10() {
    let folder = tempfile::tempdir().unwrap();
    // A gibibyte in 32 KiB, and 320 MiB in 320 KiB.
    for (bomb, length) in [(zstd_bomb(20, 8192), 32774), (gzip_bomb(320), gzip(&vec![0; 1 << 20]).len() * 320)] {
        fs::write(folder.path().join("bomb"), bomb).unwrap();
        let found = run(&["info", "bomb"], folder.path());
        let message = format!("decodes to more than 268435456 bytes, this build's limit for {length} compressed bytes");
        found.expect(10, "", &message);
    }
}

fn what_follows_the_data_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let trace = fs::read(fixture("triangle")).unwrap();
    for (name, compress) in COMPRESSIONS {
        let mut stored = compress(&trace);
        let told =
            format!("trace: ignored 5 bytes after the {name} data of the compressed file, at {:#x}", stored.len());
        stored.extend(b"spam!");
        fs::write(folder.path().join("trace"), stored).unwrap();
        let found = run(&["frames", "trace"], folder.path());
        assert_eq!((found.code, found.stderr), (0, format!("warning: {told}\n")));
        assert!(found.stdout.starts_with("frame 0: "));
        run(&["frames", "trace", "--strict"], folder.path()).expect(3, "", &format!("{told} (--strict)"));
    }
}

fn a_compressed_file_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let mut cut = fs::read(fixture("triangle")).unwrap();
    cut.truncate(cut.len() - 20);
    let stored = zstd(&cut);
    fs::write(folder.path().join("trace"), &stored).unwrap();
    for words in [["trim", "--in-place", "trace", "--frames", "0"].as_slice(), &["repair", "--in-place", "trace"]] {
        let found = run(words, folder.path());
        assert_eq!(found.code, 2, "{found:?}");
        assert!(found.stderr.contains("trace is compressed (zstd) and cannot be replaced: expected OUT"), "{found:?}");
        assert!(fs::read(folder.path().join("trace")).unwrap() == stored);
    }
}

fn info_tells_both_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let trace = fs::read(fixture("triangle")).unwrap();
    for (name, compress) in COMPRESSIONS {
        let stored = compress(&trace);
        fs::write(folder.path().join("trace"), &stored).unwrap();
        let text = run(&["info", "trace"], folder.path()).stdout;
        let first = format!("trace: AeroGPU trace, 1543 bytes, stored in {} bytes of {name}\n", stored.len());
        assert!(text.starts_with(&first), "{text}");
        let json = run(&["info", "trace", "--json"], folder.path()).stdout;
        let line: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
        assert_eq!((&line["compression"], &line["stored_bytes"]), (&json!(name), &json!(stored.len())));
    }
}

fn goldens_of_it_are_those_of_the_trace() {
    let folder = tempfile::tempdir().unwrap();
    let trace = fs::read(fixture("triangle")).unwrap();
    let trace_at = folder.path().join("trace");
    fs::write(&trace_at, &trace).unwrap();
    let golden = |words: &[&str]| run(&[words, &ADAPTER].concat(), folder.path());
    let made = golden(&["golden", "new", "trace", "--into", "cases", "--allow-blank"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let mut compressions = COMPRESSIONS.to_vec();
    compressions.push(("none", <[u8]>::to_vec));
    for (name, compress) in compressions {
        fs::write(&trace_at, compress(&trace)).unwrap();
        let tested = golden(&["golden", "test", "cases", "--root", ".", "--jobs", "1"]);
        assert_eq!(tested.code, 0, "{name}: {}{}", tested.stdout, tested.stderr);
    }
    fs::write(&trace_at, &zstd(&trace)[..100]).unwrap();
    let tested = golden(&["golden", "test", "cases", "--root", ".", "--jobs", "1"]);
    assert!(tested.stdout.contains("compressed file is cut short"), "{}{}", tested.stdout, tested.stderr);
    assert_eq!(tested.code, 3, "{}", tested.stderr);
}

fn serve_opens_it_and_its_worker_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    let mut client = Client::start(&ADAPTER);
    let plain = client.open(&fixture("triangle"));
    let expected = client.result("hash", &json!({ "trace": plain, "frame": 0 }));
    for (name, compress) in COMPRESSIONS {
        fs::write(&path, compress(&fs::read(fixture("triangle")).unwrap())).unwrap();
        let handle = client.open(&path);
        assert_eq!(client.result("hash", &json!({ "trace": handle, "frame": 0 })), expected, "{name}");
    }
    fs::write(&path, zstd_bomb(20, 8192)).unwrap();
    let error = client.error("open", &json!({ "path": path }));
    assert_eq!(error["data"]["exit_code"], 10, "{error}");
}
