//! What the compiler does not hold: the layers of `src/lib.rs` and of the crates below it (a module names only modules of
//! lower layers), and rules about files, names, errors and silence.

mod errors;
mod machine;
mod names;
mod places;
mod silence;
mod window;

use crate::support::harness::{Trial, trials_of};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use errors::*;
use machine::*;
use names::*;
use places::*;
use silence::*;
use window::*;

pub fn trials() -> Vec<Trial> {
    trials_of![
        modules_name_only_lower_layers,
        only_drawing_layers_name_wgpu,
        only_bytes_opens_files,
        only_waiting_waits,
        only_outputs_make_files,
        every_public_module_begins_with_a_use,
        commands_are_decoded_and_carried_out_in_one_place,
        nobody_names_an_abi,
        nothing_is_passed_over_in_silence,
        no_lookup_is_passed_over_in_silence,
        every_excuse_for_silence_is_needed,
        one_type_says_where_in_the_trace,
        formats_do_not_name_each_other,
        nobody_names_a_format_of_annotations,
        nobody_names_a_language_of_shaders,
        no_module_has_a_name_that_says_nothing,
        every_error_tells_its_kind_and_its_place,
        messages_follow_one_grammar,
        no_error_tells_its_cause_and_has_it_as_a_source,
        messages_are_in_words,
        names_are_found_in_every_form,
        every_test_is_in_a_list,
        threads_beside_the_window_are_workers,
        a_tab_is_known_to_one_list,
        painting_takes_few_parameters,
        few_types_share_a_name,
        gpu_draws_from_ops_alone,
        a_renderer_has_few_parts,
    ]
}

/// Each layer's modules; equals don't name each other. The first are crates of their own, whose order the compiler holds.
const LAYERS: &[&[&str]] = &[
    &["abi", "bytes", "command", "error", "format", "listing", "pixels", "text"],
    &["limits"],
    &["shader"],
    &["replay", "timeline"],
    &["gpu"],
    &["player"],
    &["analysis"],
    &["conformance", "questions"],
    &["session", "worker"],
    &["golden", "serve"],
    &["inspector"],
    &["window"],
    &["cli"],
];

/// The same within the crates that have layers.
const LAYERS_OF_CRATES: &[(&str, &[&[&str]])] = &[
    ("trace-base", &[&["error", "limits"], &["text"], &["bytes", "direct3d"], &["listing", "pixels", "testing"]]),
    ("aerogpu-trace", &[&["limits"], &["container"], &["command"], &["abi"]]),
];

const MAY_NAME_WGPU: &[&str] = &["gpu", "window", "inspector"];

fn source_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The source files of a folder, but for those that are a module's tests.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Folders of source: the program's, and those of the crates that are shipped.
fn source_folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let shipped =
        crates.filter(|folder| !fs::read_to_string(folder.join("Cargo.toml")).unwrap().contains("publish = false"));
    let mut folders: Vec<PathBuf> = shipped.map(|folder| folder.join("src")).collect();
    folders.sort();
    assert!(folders.len() > 4, "found only {folders:?}");
    folders.insert(0, source_root());
    folders
}

/// The source files of all of them.
fn source_files() -> Vec<PathBuf> {
    source_folders().iter().flat_map(|folder| rust_files(folder)).collect()
}

/// The name of a source file: `cli/dump/writer.rs` of the program, `glsl-es/lex.rs` of a crate.
fn name_of(file: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let relative = file.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
    relative.trim_start_matches("src/").trim_start_matches("crates/").replace("/src/", "/")
}

/// The first part of a file's name: `cli`, `glsl-es`.
fn module_of(file: &Path) -> String {
    name_of(file).split('/').next().unwrap().trim_end_matches(".rs").to_owned()
}

/// The layer of a module among `layers`.
fn layer_of(module: &str, layers: &[&[&str]]) -> usize {
    let layer = layers.iter().position(|layer| layer.contains(&module));
    layer.unwrap_or_else(|| panic!("{module} is in no layer of tests/no_gpu/architecture"))
}

/// Code without comments; tests may name what they like.
fn code(file: &Path) -> String {
    uncommented(&fs::read_to_string(file).unwrap())
}

/// A file as the compiler sees it, without its tests.
fn parsed(file: &Path) -> syn::File {
    let mut parsed = syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap();
    parsed.items.retain(|item| !matches!(item, syn::Item::Mod(module) if module.ident == "tests"));
    parsed
}

/// A text without comments and tests. Its lines keep their numbers.
fn uncommented(text: &str) -> String {
    let code = text.split("\nmod tests {").next().unwrap();
    code.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// The top-level modules that a text names by `crate::`, in `use crate::{a::B, c::{D, E}}` each of the group.
fn named_modules(code: &str) -> BTreeSet<String> {
    let first_name = |text: &str| {
        let text = text.trim_start();
        let end = text.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(text.len());
        text[..end].to_owned()
    };
    let names = |after: &str| match after.strip_prefix('{') {
        Some(group) => outer_items(group).iter().map(|item| first_name(item)).collect(),
        None => vec![first_name(after)],
    };
    // A macro is not told by its path.
    let is_module =
        |name: &String| !name.is_empty() && !["named", "say", "json_line", "serde_json"].contains(&name.as_str());
    code.split("crate::").skip(1).flat_map(names).filter(is_module).collect()
}

/// The items of a group up to its closing brace, nested groups left whole.
fn outer_items(group: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut depth = 0;
    for character in group.chars() {
        match character {
            '}' if depth == 0 => break,
            ',' if depth == 0 => items.push(String::new()),
            _ => {
                depth += i32::from(character == '{') - i32::from(character == '}');
                items.last_mut().unwrap().push(character);
            }
        }
    }
    items
}

fn modules_name_only_lower_layers() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    let crates =
        LAYERS_OF_CRATES.iter().map(|(name, layers)| (source_root().join(format!("../crates/{name}/src")), *layers));
    for (folder, layers) in [(source_root(), LAYERS)].into_iter().chain(crates) {
        for file in rust_files(&folder) {
            let first = file.strip_prefix(&folder).unwrap().components().next().unwrap();
            let module = first.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned();
            if matches!(module.as_str(), "lib" | "main") {
                continue;
            }
            count += 1;
            for named in named_modules(&code(&file)) {
                if named != module && layer_of(&named, layers) >= layer_of(&module, layers) {
                    wrong.push(format!("{} names {named}", file.display()));
                }
            }
        }
    }
    assert!(count > 300, "found only {count} files");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn only_drawing_layers_name_wgpu() {
    let names = |file: &PathBuf| code(file).contains("wgpu::") && !MAY_NAME_WGPU.contains(&module_of(file).as_str());
    let wrong: Vec<PathBuf> = source_files().into_iter().filter(names).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// One place opens inputs, and it refuses pipes and devices.
fn only_bytes_opens_files() {
    let opens = |file: &PathBuf| {
        let code = code(file);
        let names_std = code.contains("fs::File") || code.contains("fs::{self, File") || code.contains("fs::{File");
        let opens = code.contains("File::open(") && names_std;
        opens || code.contains("fs::read(") || code.contains("fs::read_to_string(")
    };
    // It opens folders, to lock them.
    let opens_folders = |file: &Path| file.ends_with("golden/lock.rs");
    let is_wrong =
        |file: &PathBuf| !name_of(file).starts_with("trace-base/bytes/") && !opens_folders(file) && opens(file);
    let wrong: Vec<PathBuf> = source_files().into_iter().filter(is_wrong).collect();
    assert!(wrong.is_empty(), "expected open_input, read_input or read_input_text of bytes in {wrong:#?}");
}

/// Outputs are made in one place, which looks at the node that is there and leaves nothing unfinished.
fn only_outputs_make_files() {
    const MAKING: [&str; 9] = [
        "File::create",
        "File::options",
        "OpenOptions",
        "fs::write(",
        "fs::rename(",
        "fs::copy(",
        "create_dir",
        "NamedTempFile",
        "tempdir(",
    ];
    let makes = |file: &PathBuf| MAKING.iter().any(|name| code(file).contains(name));
    // Elsewhere than on Unix it makes a file to lock.
    let is_other =
        |file: &Path| name_of(file).starts_with("trace-base/bytes/output/") || file.ends_with("golden/lock.rs");
    let files = source_files();
    let wrong: Vec<_> = files.into_iter().filter(|file| !is_other(file) && makes(file)).collect();
    assert!(wrong.is_empty(), "expected write_output, make_output_folder or ScratchFolder of bytes in {wrong:#?}");
}

/// A GPU is waited for by a future or by an event, both of which a browser can wait for too. A device is asked in one place.
fn only_waiting_waits() {
    const WAYS: [&str; 6] = ["pollster", "recv()", "recv_timeout(", "PollType::Wait", "thread::sleep", "park("];
    let asks = |name: &str, way: &str| name == "gpu/device.rs" && way == "PollType::Wait";
    let mut wrong = Vec::new();
    for file in source_files() {
        let (name, code) = (name_of(&file), code(&file));
        let code = code.split("#[cfg(test)]").next().unwrap();
        let is_drawing =
            ["gpu/", "player/", "analysis/", "questions/", "session/"].iter().any(|room| name.starts_with(room));
        if is_drawing && !name.starts_with("gpu/waiting/") {
            let found = WAYS.iter().filter(|way| code.contains(**way) && !asks(&name, way));
            wrong.extend(found.map(|way| format!("{name}: {way}")));
        }
    }
    assert!(wrong.is_empty(), "expected block_on or event of gpu::waiting: {wrong:#?}");
}

/// Whether a module's documentation has an example, which `cargo test --doc` compiles.
fn has_example(code: &str) -> bool {
    let documentation = code.lines().take_while(|line| line.starts_with("//!"));
    let fences = documentation.filter_map(|line| line.strip_prefix("//! ```"));
    // Every second one closes a block.
    fences.step_by(2).any(|kind| kind.is_empty() || kind == "no_run")
}

fn every_public_module_begins_with_a_use() {
    let (mut count, mut wrong) = (0, Vec::new());
    for folder in source_folders() {
        let library = fs::read_to_string(folder.join("lib.rs")).unwrap();
        // Limits are a list.
        let public = library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
        let public: Vec<&str> = public.filter(|module| *module != "limits").collect();
        count += public.len();
        let text = |module: &str| {
            let file = folder.join(format!("{module}.rs"));
            fs::read_to_string(folder.join(module).join("mod.rs")).or_else(|_| fs::read_to_string(file)).unwrap()
        };
        let without = public.into_iter().filter(|module| !has_example(&text(module)));
        wrong.extend(without.map(|module| format!("{}: {module}", folder.display())));
        if folder != source_root() && !has_example(&library) {
            wrong.push(folder.display().to_string());
        }
    }
    assert!(count > 15, "found only {count}");
    assert!(wrong.is_empty(), "without an example in their documentation: {wrong:#?}");
    assert!(!has_example("//! ```text\n//! a\n//! ```\nuse b;\n//! ```"));
}

/// The modules in which data goes from commands to pictures, hashes and verdicts.
const FROM_COMMANDS_TO_PICTURES: &[&str] = &["replay", "gpu", "player", "golden"];

/// Files of those modules that call a function, one entry per call, its definition aside.
fn calls_of(function: &str) -> Vec<PathBuf> {
    let (call, definition) = (format!("{function}("), format!("fn {function}"));
    let count = |code: &str| code.lines().filter(|line| line.contains(&call) && !line.contains(&definition)).count();
    let files = source_files();
    let files = files.into_iter().filter(|file| FROM_COMMANDS_TO_PICTURES.contains(&module_of(file).as_str()));
    files.flat_map(|file| vec![file.clone(); count(&code(&file))]).collect()
}

/// Commands come out of the trace in one way: front to back by `CommandStream`, one at a time by `CommandReader`. And
/// they are carried out in one: by `Executor`.
fn commands_are_decoded_and_carried_out_in_one_place() {
    let replay = source_root().join("replay");
    let stream = replay.join("command_stream.rs");
    assert_eq!(calls_of("decode_scope"), std::slice::from_ref(&stream));
    assert_eq!(calls_of(".packet_run"), std::slice::from_ref(&stream));
    assert_eq!(calls_of("abi::decode"), std::slice::from_ref(&stream));
    assert_eq!(calls_of("abi::decode_stream"), [stream]);
    assert_eq!(calls_of("lower"), [] as [PathBuf; 0]);
    assert_eq!(calls_of("state.apply"), [replay.join("executor.rs")]);
}

/// The parts of an ABI are known to `abi` alone. Code that writes packets has to choose the ABI.
fn nobody_names_an_abi() {
    let trim = source_root().join("replay/trim");
    let writers = ["error.rs", "head.rs", "memory.rs", "submissions.rs"].map(|name| trim.join(name));
    let rows = source_root().join("conformance/mod.rs");
    let mut named = Vec::new();
    for file in source_files() {
        if name_of(&file).starts_with("aerogpu-trace/abi/")
            || writers.contains(&file)
            || file == rows
            || file.ends_with("broken_invariants.rs")
        {
            continue;
        }
        let code = code(&file);
        let names = ["a3a0::", "abi::reference", "reference::{", "Abi::", "STREAM_MAGIC"];
        named.extend(
            names.iter().filter(|name| code.contains(**name)).map(|name| format!("{}: {name}", file.display())),
        );
    }
    assert!(named.is_empty(), "{named:#?}");
}

/// The checks above can fail.
fn names_are_found_in_every_form() {
    let code = "use crate::gpu::Gpu; use crate::{cli, bytes::{Cursor, limits}}; let a = crate::window::run();";
    let named: Vec<String> = named_modules(code).into_iter().collect();
    assert_eq!(named, ["bytes", "cli", "gpu", "window"]);
    let formats = ["wtf".to_owned()];
    assert_eq!(lines_naming("a\nmatch Self::Wtf(b)\nuse wtf::c;", &formats), ["match Self::Wtf(b)", "use wtf::c;"]);
}

/// `#[test]` is for the built-in harness, which nothing in `tests/` has, here and in crates: such a function would silently not be there.
fn every_test_is_in_a_list() {
    let marker = concat!("#[", "test]");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("tests");
    let of_crates = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path().join("tests"));
    let folders: Vec<PathBuf> = of_crates.filter(|folder| folder.exists()).chain([folder.clone()]).collect();
    assert!(folders.len() > 1, "found only {folders:?}");
    let is_lost = |file: &PathBuf| fs::read_to_string(file).unwrap().lines().any(|line| line.trim() == marker);
    let own = |file: &PathBuf| {
        !["fuzz", "gles-judge"].iter().any(|crate_of_its_own| file.starts_with(folder.join(crate_of_its_own)))
    };
    let files = folders.iter().flat_map(|folder| rust_files(folder));
    let files: Vec<PathBuf> = files.filter(own).collect();
    assert!(files.len() > 50, "found only {} files", files.len());
    let lost: Vec<&PathBuf> = files.iter().filter(|file| is_lost(file)).collect();
    assert!(lost.is_empty(), "name the test in trials() of its file, without {marker}: {lost:#?}");
    let alone: Vec<&PathBuf> =
        files.iter().filter(|file| folders.iter().any(|folder| file.parent() == Some(folder))).collect();
    assert_eq!(alone, [&folder.join("main.rs")], "make it a module of one of the binaries that there are");
}
