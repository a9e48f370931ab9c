//! What the compiler does not hold: the layers of `src/lib.rs` and of the crates below it (a module names only modules of
//! lower layers), and rules about files, names, errors and silence.

use crate::support::harness::{Trial, trials_of};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

pub fn trials() -> Vec<Trial> {
    trials_of![
        modules_name_only_lower_layers,
        only_drawing_layers_name_wgpu,
        only_bytes_opens_files,
        only_outputs_make_files,
        every_public_module_begins_with_a_use,
        commands_are_decoded_and_carried_out_in_one_place,
        nobody_names_an_abi,
        nothing_is_passed_over_in_silence,
        no_lookup_is_passed_over_in_silence,
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
    &["conformance"],
    &["worker"],
    &["golden", "serve"],
    &["inspector"],
    &["window"],
    &["cli"],
];

/// The same within the crates that have layers.
const LAYERS_OF_CRATES: &[(&str, &[&[&str]])] = &[
    ("trace-base", &[&["error", "limits"], &["text"], &["bytes", "direct3d"], &["listing", "pixels"]]),
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
    layer.unwrap_or_else(|| panic!("{module} is in no layer of tests/no_gpu/architecture.rs"))
}

/// Code without comments; tests may name what they like.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
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
    let rows = source_root().join("conformance/stream.rs");
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

/// Branches that silently pass a thing over where data goes from commands to pictures, hashes, traces and verdicts, and why
/// that is right. Whatever is not here has to be an `Internal` error, or another one.
const SILENT_BRANCHES: &[(&str, &str, &str)] = &[
    ("cli/trim.rs", "frames.iter().max().copied()", "of no frames nothing is trimmed"),
    ("replay/census.rs", "context_of(command, executor)", "Appendix A presents the one target"),
    (
        "replay/census.rs",
        "executor.device().objects().texture(slot.named)",
        "a context's own back buffer is as large as the target",
    ),
    ("replay/d3d/resolve/draw_state.rs", "shader.program.as_ref()", "a draw whose shaders cannot be read is refused"),
    (
        "replay/index/read_targets.rs",
        "last_draws.get(&object).filter(|_| is_as_large)",
        "a texture that the frame does not draw to is no source",
    ),
    ("replay/index/read_targets.rs", "= self.command(draw)", "a draw of Appendix A reads no texture"),
    ("replay/index/read_targets.rs", "= object.creation()", "no command makes a back buffer"),
    ("player/faults.rs", "(FaultSubject::of(&error), error.offset()", "what has no place is told at the file's start"),
    ("player/mod.rs", "let mut all = indexed", "without an index, what was met is all that is known"),
    ("replay/fault_summary.rs", "message.lines().next()", "an empty message says nothing"),
    ("replay/index/build.rs", "index.frame_starts.last().copied()", "the first frame starts with the first command"),
    ("replay/index/build.rs", "offset: error.offset()", "what has no place is told at the file's start"),
    ("replay/input_hash/mod.rs", "let Some(pipeline) = pipeline.number()", "nothing is drawn without a pipeline"),
    (
        "replay/missing_objects.rs",
        "executor.payload(list.bytes)",
        "carrying the command out tells that the file cannot be read",
    ),
    (
        "player/submitted_query.rs",
        "let Ok(resolved) = index.resolve(place)",
        "whoever goes to a place that is not there says so",
    ),
    (
        "replay/index/abi_at.rs",
        "let Some(first) = self.first_unsubmitted.filter(|first| first.0 < end)",
        "no command before shows the target of Appendix A",
    ),
    (
        "replay/input_hash/mod.rs",
        "let Some(own) = self.index.first_own_commands_of(frame)",
        "a frame that is not in the index shows nothing",
    ),
    ("replay/index/unread.rs", "self.bytes_read_by(step)?", "it reads no buffer"),
    (
        "gpu/d3d/clear.rs",
        "clear.scissor.and_then(|scissor| scissor_in(scissor, size))",
        "nothing of the target lies in the scissor",
    ),
    ("gpu/d3d/buffers.rs", "let Some(known) = &mut held.known", "what only the GPU knows is brought at once"),
    (
        "gpu/d3d/buffers.rs",
        "held.known.as_mut().filter(|known| !known.pending.is_empty())",
        "all that is known is on the GPU",
    ),
    ("gpu/d3d/outline.rs", "let Some(size_px) = self.targets_size_px(&targets)", "nothing is drawn to"),
    (
        "gpu/d3d/outline.rs",
        "scissor.zip(area(state.viewport, size_px))",
        "nothing of the target lies in the scissor, or the viewport has no area",
    ),
    ("gpu/d3d/outline.rs", "let Some(scissor) = scissor", "nothing of the scissor lies in the viewport"),
    (
        "replay/device_rules/stages.rs",
        "let ty = module.types.get_handle(member.ty)",
        "a type of the module's own is in the module",
    ),
    (
        "replay/device_rules/stages.rs",
        "shared.filter_map(|variable| module.types.get_handle(variable.ty)",
        "a type of the module's own is in the module",
    ),
    ("gpu/d3d/draw_options.rs", "shader.and_then(|shader| shader.program.as_ref()", "nothing is bound there"),
    (
        "gpu/d3d/pass_settings.rs",
        "wanted.as_ref().filter(|wanted| set.as_ref() != Some(wanted))",
        "it is set, or the draw has no such stage",
    ),
    ("gpu/d3d/snapshots.rs", "-> bool { let Some(file) = in_file(pieces)", "what was written back is no snapshot"),
    ("gpu/d3d/snapshots.rs", "let Some(known) = self.of(bytes)", "nothing is known of the stretch"),
    (
        "gpu/d3d/snapshots.rs",
        "bytes.end <= known.bytes.start); let Some(file) = in_file(pieces)",
        "what was written back is no snapshot",
    ),
    ("gpu/d3d/stage_groups.rs", "let Some(offsets) = offsets", "the long way follows"),
    (
        "gpu/d3d/stage_groups.rs",
        "let Some(known) = &buffer.known",
        "only the GPU knows the constants: the long way follows",
    ),
    ("gpu/d3d/known_sources.rs", "= reach(self.step, vertices)", "what indices choose was noted as a whole"),
    ("gpu/d3d/known_sources.rs", "let Some(last) = end.checked_sub(1)", "a draw of nothing is looked at the long way"),
    ("gpu/d3d/vertices.rs", "= self.bytes_as_they_lie(input, vertices)", "the values are gathered first"),
    ("replay/d3d/resolve/draw_state.rs", "let Some(shader) = shader", "no shader is bound there"),
    (
        "replay/d3d/resolve/vertex_input.rs",
        "let Some(slots) = slots",
        "without a shader the stride says what vertices are",
    ),
    ("gpu/d3d/present.rs", "let Self::StencilBit(bit) = self", "what shows something else than stencil tests none"),
    (
        "gpu/d3d/upload.rs",
        "columns(bytes.start.max(start) - start, bytes.end.min(start + pitch) - start)",
        "between rows lie no texels",
    ),
    (
        "gpu/d3d/upload.rs",
        "if is_depth(texture.desc.format) { let at = self.batch.first",
        "an error without a command has no place",
    ),
    (
        "replay/d3d/resolve/vertex_input.rs",
        "layout.and_then(|layout| layout.attributes.as_ref()",
        "without a layout no input is fed",
    ),
    ("golden/bisect.rs", "let Some(last) = count.checked_sub(1)", "without draws nothing is searched"),
    ("golden/bisect.rs", "let Some(begins) = begins", "nothing differs after any draw looked at"),
    ("golden/blame.rs", "search.history(&kept)?", "no pixel is left that settles here"),
    ("golden/blame.rs", "Ok(settling) if settling > number", "the pixel settles later: the search goes on there"),
    ("golden/blame.rs", "filter(|_| width_px > 0)", "no pixel is asked about"),
    ("golden/case.rs", "line_and_column(&text, span.start))", "an error without a place is told without one"),
    ("golden/case.rs", "folder.canonicalize()", "a folder that has no other name is called as it was given"),
    ("golden/case.rs", "bytes.try_into()", "what is no hash is refused by who reads it"),
    ("golden/case.rs", "width_px: width.parse()", "what is no size is refused by who reads it"),
    ("golden/case.rs", "height_px: height.parse()", "what is no size is refused by who reads it"),
    ("golden/fsck.rs", "golden.added.clone())", "a picture that golden.toml does not have accepts nothing more"),
    ("replay/index/labels.rs", "..place(commands.end))", "between two frames in a row there are no markers"),
    ("golden/case.rs", "parse(\"hashes\", file.hashes", "a picture may wait for its approval"),
    ("golden/case.rs", "parse(\"added\", file.added", "most pictures accept nothing more"),
    ("golden/record.rs", "and_then(|text| text.parse()", "a table that names another texture"),
    ("golden/record.rs", "u32::try_from(number)", "a table that has no such number is of another picture"),
    ("golden/fsck.rs", ".chain(further).find(is_free)", "the names never end"),
    ("golden/fsck.rs", "GoldenPicture::accepted)", "a picture that golden.toml does not have accepts nothing"),
    ("golden/fsck.rs", "into_string()", "files with such names are nobody's goldens"),
    ("golden/report/mod.rs", "read_input(Path::new(path))", "the report names a picture that it cannot show"),
    ("golden/report/mod.rs", "read_png(Cursor::new(png))", "the report names a picture that it cannot show"),
    ("golden/report/mod.rs", "write_png(&picture, &[], &mut plain)", "the report names a picture that it cannot show"),
    ("golden/approve.rs", "let Self::Accepted(accepted) = self", "nobody has said which picture it is to be"),
    ("golden/inputs.rs", "source.kind() == std::io::ErrorKind::NotFound", "the case is older than such files"),
    ("golden/inputs.rs", "|inputs| inputs.frame)", "the frame was approved before such files were written"),
    ("golden/mutate.rs", "picture.pixel(x, y)", "no place outside of the picture is asked about"),
    ("golden/run_case.rs", "expected, &picture, budget)", "the picture differs, whether or not it is found out why"),
    (
        "golden/run_case.rs",
        "write_picture(&path, picture)",
        "the picture beside the golden is the one that has to be kept",
    ),
    ("golden/run_case.rs", "&outcome.known_failure", "most cases are not known to fail"),
    ("golden/run_case.rs", "let PlayerError::Gpu(error) = error", "it is not the GPU's error"),
    ("golden/shard.rs", "index.parse()", "what is no shard is refused by who reads it"),
    ("golden/shard.rs", "count.parse()", "what is no shard is refused by who reads it"),
    ("golden/suite.rs", "tester.test(case)", "the run was interrupted, and its end is told"),
    ("golden/transaction.rs", "!folder.join(PENDING).exists()", "who has the lock has nothing pending"),
    ("golden/transaction.rs", "io::ErrorKind::NotFound", "what is not there need not be put away"),
    (
        "gpu/drawing.rs",
        "let VertexFetch::Gathered { bytes } = vertices",
        "a program without attributes needs no vertices",
    ),
    (
        "gpu/queries.rs",
        "visibility.resolve(&self.gpu, self.batch.after_draws())",
        "no draw was asked, so there is no answer",
    ),
    ("gpu/fallback_resources.rs", "let Some(last) = groups.max()", "a program that binds nothing has no groups"),
    ("gpu/renderer.rs", "let at = batch.first", "nothing is recorded, so nothing can be refused"),
    (
        "gpu/uploads.rs",
        "self.gpu.check(\"uploads from\", self.batch.first",
        "nothing is recorded, so nothing can be refused",
    ),
    ("player/maps.rs", "* u64::from(self.size.width_px) + u64::from(x))", "a pixel outside of the map"),
    ("player/mod.rs", "if linear.played() == Some(place) && self.holds_what_is_shown()", "the target shows it already"),
    (
        "player/shown.rs",
        "let Some(Ok(target)) = TargetAt::among(self.executor.device().objects(), name)?",
        "seeking says why there is none",
    ),
    (
        "player/shown.rs",
        "let Shown::Screen { present: Some(present), .. } = self.shown",
        "any other picture is finished at the place itself",
    ),
    (
        "player/submitted_query.rs",
        "PictureSource::Presented | PictureSource::OfDraw(_)",
        "the last present has shown it",
    ),
    ("player/mod.rs", "if *shows == Some(place)", "the target shows it already"),
    ("player/start_picture.rs", "let Some(shown) = shown", "nothing is shown, so it has no start"),
    (
        "player/submitted_maps.rs",
        "self.begin_walk(question, WatchedSince::LastWholeWrite)?",
        "nothing is shown, so nothing has changed it",
    ),
    ("player/submitted_pixel.rs", "self.begin_walk(question, since)?", "nothing is shown, so it has no pixels"),
    (
        "player/submitted_pixel.rs",
        "let Some(creation) = texture.creation()",
        "no command makes a context's own back buffer",
    ),
    (
        "golden/film.rs",
        "row.get(column).and_then(|picture| line_of(picture, y))",
        "what the last row, or a smaller picture, leaves over is transparent",
    ),
    (
        "gpu/d3d/asked_draw.rs",
        "DeviceOp::Draw { state, vertices } => Some((state, *vertices)), _ => None, })",
        "a draw of no vertices has no pixels, which is the answer",
    ),
    (
        "gpu/d3d/vertex_values.rs",
        "Some((state.clone(), *vertices)), _ => None, })",
        "whoever asks about no draw is told so",
    ),
    ("gpu/d3d/vertex_values.rs", "= (numbers.first(), numbers.last())", "a stretch of no vertices has no values"),
    (
        "gpu/d3d/vertex_values.rs",
        "let bytes = bytes.get((start - from) as usize..(end - from) as usize)",
        "indices past the end are zeros",
    ),
    (
        "gpu/d3d/vertex_values.rs",
        "let place = self.numbers.binary_search(&number)",
        "a vertex that the draw has not has no values, of which whoever asks makes an error",
    ),
    (
        "gpu/d3d/asked_draw.rs",
        "let Some(slot) = slot_of(state, target)",
        "a draw to something else writes nothing there",
    ),
    (
        "gpu/d3d/asked_draw.rs",
        "let Some(outline) = &known.outline",
        "a draw that changes no pixel has none, which is the answer",
    ),
    (
        "gpu/d3d/asked_target.rs",
        "layout.subresource(target.mip, target.layer))",
        "a context's own back buffer has no bytes",
    ),
    ("gpu/d3d/draw.rs", "let Some(outline) = &known.outline", "a draw that changes no pixel"),
    (
        "gpu/d3d/programs.rs",
        "let (Some(vertex), Some(pixel)) = (&state.vertex, &state.pixel)",
        "what draws without shaders discards nothing",
    ),
    ("gpu/d3d/programs.rs", "let Some(pixel) = translated.pixel", "without a pixel stage nothing is discarded"),
    (
        "player/submitted_pixel.rs",
        "(kind, rectangle_around(&written))",
        "a command that does not write the target has no part in its history",
    ),
    (
        "player/submitted_query.rs",
        "let Some(context) = question.context()",
        "commands of no submission draw on the picture itself",
    ),
    ("player/pixel_writes.rs", "executor.draw()?", "a draw of no vertices writes nothing"),
    (
        "gpu/d3d/ahead.rs",
        "primitive_topology(drawn_topology(gpu, state.topology, *vertices, &program))",
        "the draw itself tells that nothing draws such primitives",
    ),
    (
        "player/look_ahead.rs",
        "let DeviceOp::Draw { state, vertices } = op",
        "only draws need programs and pipelines made ahead",
    ),
    (
        "player/look_ahead.rs",
        "thread::Builder::new().name(COMPILER_THREAD.to_owned()).spawn(work)",
        "who plays makes all himself",
    ),
    ("player/residency.rs", "Op::CreateBuffer { .. }", "a buffer comes to the GPU with the first draw that reads it"),
    ("player/residency.rs", "self.buffers.remove(&buffer)", "no draw has read it, so it never came to the GPU"),
    (
        "player/residency.rs",
        "slots().map(|(at, size)| at + size).max())",
        "a program without attributes reads no bytes",
    ),
    ("player/triangle.rs", "executor.draw()?", "a CLEAR writes no triangle, nor does a draw of no vertices"),
    ("cli/repair.rs", "= stopped_by", "no record was written in part"),
    ("replay/blob_store.rs", "trace.frames().get(next)", "behind the last frame no record follows that is sound"),
    ("replay/d3d/resources.rs", "create.backing.filter(|_| create.backing != former)", "it keeps the memory it has"),
    ("replay/check.rs", "trace.frame_source()", "a trace without a TOC has none to compare"),
    ("replay/command_stream.rs", "Ok(None)", "the scope has ended"),
    ("replay/d3d/context.rs", "slots.get(slot as usize).cloned()", "what was never set holds nothing"),
    (
        "replay/d3d/labels.rs",
        "let Marker::Name { resource, name } = Marker::parse(&text)",
        "other markers are for whoever reads them",
    ),
    (
        "replay/index/drawn_to.rs",
        "let Self::Texture { id, aspect, mip, layer, .. } = self",
        "the back buffer has no parts and no name",
    ),
    (
        "replay/index/drawn_to.rs",
        "let Some(created) = object.creation().map(CommandNumber)",
        "no command makes the back buffer",
    ),
    (
        "replay/index/labels.rs",
        "let Marker::Name { resource, name } = Marker::parse(&text)",
        "other markers are for whoever reads them",
    ),
    ("replay/d3d/layout.rs", "self.attributes.as_deref()", "a layout that cannot be read has no form"),
    ("replay/d3d/objects.rs", "let Named::Resource(key) = named", "it is no buffer"),
    ("replay/d3d/objects.rs", "&self.resources.get(&key)?.kind", "it is no texture"),
    ("replay/d3d/shader.rs", "Register(register) = &register.value", "it is no constant"),
    ("replay/d3d/sharing.rs", "Named::Resource(key) if key == texture", "the handle names the texture already"),
    ("replay/d3d/writes.rs", "= resource.backing()", "only memory behind a resource can be dirty"),
    ("replay/d3d/sharing.rs", "Some(Token::Live { .. })", "the token is the texture's already"),
    ("replay/d3d/resources.rs", "self.objects.names.get(&handle).copied()", "to destroy nothing is nothing"),
    ("replay/d3d/draws.rs", "self.render_states_set_by.get(state as usize).copied()", "Direct3D 9 has no such state"),
    ("replay/d3d/draws.rs", "Command::DrawIndexed(draw) => Vertices::Indexed(draw), _", "it is no draw to be repeated"),
    ("replay/d3d/draws.rs", "let Some(number) = self.contexts.entered(context)", "its context is entered the long way"),
    (
        "replay/d3d/state.rs",
        "= (*command, self.contexts.entered(context))",
        "it is carried out the long way, as all other commands are",
    ),
    ("replay/d3d/draws.rs", "target(self.objects, slot, \"colour target\")?", "nothing is bound there"),
    ("replay/index/nodes.rs", "let Node::Draw { uses, .. } = self.node(node)?", "only draws depend on render states"),
    ("replay/index/at_hand.rs", "let Some(writers) = self.objects.get(&object)", "the object is not held"),
    (
        "replay/index/checkpoint_planner.rs",
        "index.require_step(CommandNumber(number))?",
        "what draws on the picture itself has copies of its own",
    ),
    (
        "replay/index/checkpoint_planner.rs",
        "let Some(writers) = self.writers.get_mut(&access.object)",
        "nobody has written it",
    ),
    ("replay/index/device_slice.rs", "let Some(own) = self.commands_of(frame)", "a frame that is not in the index"),
    (
        "replay/index/dry_run.rs",
        "self.index.require_step(CommandNumber(number))?",
        "it is refused, or sets something alone",
    ),
    ("replay/index/need.rs", "new.insert(Asked::before(history, before)), None", "nobody has written it"),
    (
        "replay/target_at.rs",
        "if !matches!(named, Named::Resource(_) | Named::View(_)) { return Ok(None); } let Some(seen) = objects.texture(named)",
        "a handle may mean nothing, or a buffer: the answer says which",
    ),
    ("replay/texture_layout.rs", "let Some(found) = self.subresource(mip, layer)", "what is not there has no rows"),
    ("replay/executor.rs", "let [Op::Draw(draw)] = self.ops()", "the command draws nothing"),
    (
        "replay/index/mod.rs",
        "self.commands_of(frame)",
        "who asks for a frame's draws has asked whether there is such a frame",
    ),
    (
        "replay/index/mod.rs",
        "self.faults.get(start..end)",
        "both ends are found in the list itself, the second no earlier than the first",
    ),
    (
        "replay/d3d/resolve/draw_state.rs",
        "let Some(slots) = slots_of(shader)?.filter(|slots| slots.nests_loops)",
        "a shader without loops within loops turns no oftener than it is long",
    ),
    (
        "gpu/draw_timer.rs",
        "began.take().filter(|(of, _)| of == timed)",
        "what is not drawn in the end has a beginning alone, and takes no time",
    ),
    (
        "gpu/draw_timer.rs",
        "timer.queries.resolve(&self.gpu, self.batch.after_draws())",
        "a frame of which nothing is recorded takes no time",
    ),
    (
        "gpu/draw_timer.rs",
        "queries.timer.as_mut().filter(|timer| timer.times_draw(at))",
        "draws that nobody times have no stamps",
    ),
    (
        "replay/index/inputs.rs",
        "self.first_own_commands_of(frame)",
        "`None` is the answer for a frame that the index does not have",
    ),
    (
        "replay/input_hash/submitted.rs",
        "let Some(own) = index.first_own_commands_of(frame)",
        "`None` is the answer for a frame that is not indexed",
    ),
    (
        "replay/index/slice.rs",
        "self.commands_of(frame)",
        "`None` is the answer for a frame that the index does not have",
    ),
    ("replay/index/slice.rs", "or_else(after_all)", "`None` is the answer for a frame that the index does not have"),
    ("replay/index/resolved_command.rs", "vertex_count.checked_sub(1)", "a draw of no vertices reads nothing"),
    (
        "replay/input_hash/mod.rs",
        "let mut draws = Vec::new(); let Some(own) = index.commands_of(frame)",
        "`draws` of a frame that is not indexed has none",
    ),
    (
        "replay/input_hash/mod.rs",
        "let index = self.index.clone(); let Some(own) = index.commands_of(frame)",
        "`None` is the answer for a frame that is not indexed",
    ),
    (
        "replay/input_hash/mod.rs",
        "index.slice(frame, own.end, None)?",
        "`None` is the answer for a frame that is not indexed",
    ),
    ("replay/lint/context.rs", "Setting::of(command)", "the command sets nothing as a whole"),
    ("replay/lint/handles.rs", "self.live.get_mut(&handle)", "what does not exist was told where it was named"),
    ("replay/lint/slots.rs", "context.bound_to(Slot::Shader(stage))", "the stage has no shader"),
    ("replay/lint/mod.rs", "in found", "what does not compile is a draw's error"),
    ("replay/lint/blobs.rs", "RecordBody::Submission(submission) = &record.body", "the other records name no blobs"),
    ("replay/lint/streams.rs", "error.offset()", "what has no place is told at the file's start"),
    ("replay/op_list.rs", "self.ops.get(..self.count)", "the count is kept beside the ops, in this file alone"),
    ("replay/op_list.rs", "(self.ops.as_mut_slice(), self.count)", "the draw is then resolved from the start"),
    ("replay/program_library.rs", "&self.ahead", "nothing is made ahead"),
    ("replay/state.rs", "&self.repeatable", "the draw is then resolved from the start"),
    ("replay/trim/blobs.rs", "self.find(id, offset)", "an id that means nothing goes on to mean nothing"),
    ("replay/trimmed_from.rs", "source.cloned()", "a trace without meta JSON"),
    (
        "replay/trimmed_from.rs",
        "count.as_u64().and_then(|count| u32::try_from(count)",
        "meta JSON may say anything, and only hashes of commands beside the frame's own depend on it",
    ),
    ("replay/vertices.rs", "map(|(offset, _)| offset).min()", "a program without attributes starts anywhere"),
];

/// Code that acts only on what a lookup finds, and why it is right that nothing is done where it finds nothing.
const LOOKUPS_THAT_MAY_FAIL: &[(&str, &str, &str)] = &[
    (
        "replay/trim/packets.rs",
        "packet.and_then(|packet| Ok((packet.command()?, packet.offset)))",
        "a packet that cannot be read is copied as it is, and refused in the new trace",
    ),
    (
        "golden/approve.rs",
        "looked_at.file_name().and_then(|name| name.to_str()).filter(|_| looked_at.exists())",
        "there is no new picture to put away",
    ),
    (
        "golden/report/mod.rs",
        "frame.expected.as_ref().and_then(|golden| bisect_command(case, frame.of, side, golden))",
        "what is not looked at draw by draw has no command",
    ),
    ("golden/report/mod.rs", "data.as_object_mut()", "the JSON of a struct is an object"),
    (
        "golden/report/mod.rs",
        "path.as_ref().and_then(|path| all.take(path))",
        "the report names a picture that it cannot show",
    ),
    (
        "replay/d3d/objects.rs",
        "self.names.get_mut(&handle).filter(|name| name.named == named)",
        "the handle means something else by now, or nothing",
    ),
    (
        "replay/d3d/context.rs",
        "self.render_states_set_by.get_mut(state as usize)",
        "Direct3D 9 has no states of higher numbers: they are ignored",
    ),
    (
        "replay/d3d/settings.rs",
        "sampler.set_by.get_mut(state as usize)",
        "Direct3D 9 has no states of higher numbers: they are ignored",
    ),
    ("replay/d3d/bindings.rs", "held.samplers.get(sampler as usize)", "nothing was ever bound there"),
    ("player/residency.rs", "self.buffers.get_mut(buffer)", "no draw has read it, so it never came to the GPU"),
    (
        "player/residency.rs",
        "self.buffers.get_mut(buffer).filter(|buffer| buffer.used_in == self.round)",
        "what the GPU holds of another round is not counted on",
    ),
    (
        "replay/fixed_state/state_values.rs",
        "self.values.get_mut(number as usize)",
        "numbers beyond all states are ignored",
    ),
    (
        "replay/fixed_state/state_values.rs",
        "values.get_mut(state.number as usize)",
        "numbers beyond all states are ignored",
    ),
    (
        "replay/fixed_state/state_values.rs",
        "known.place.and_then(|place| T::states().get(usize::from(place)))",
        "Direct3D 9 does not define a state of this number",
    ),
    (
        "replay/d3d/effect.rs",
        "number.get().filter(|_| self.detail == EffectDetail::All) && self.references.last() != Some(&number)",
        "nobody set it, or it is referred to already",
    ),
    (
        "replay/d3d/settings.rs",
        "context.targets.all().find(|drawn| objects.read_and_drawn(read, drawn.named))",
        "what is read is not drawn to",
    ),
    ("replay/index/chunked.rs", "self.full.get_mut(count / CHUNK)", "what is left out begins in the last chunk"),
    ("replay/index/unread.rs", "unread.get_mut(&buffer)", "nothing was uploaded to the buffer that could be unread"),
    ("replay/lint/context.rs", "before.and_then(|before| before.handle)", "nothing was bound there"),
    ("replay/lint/handles.rs", "self.live.get_mut(&handle)", "what does not exist was told where it was named"),
    (
        "replay/lint/handles.rs",
        "texture.and_then(|texture| self.live.get_mut(&Handle::Resource(texture)))",
        "a resource that is no view shows no other",
    ),
    (
        "replay/lint/slots.rs",
        "self.made.get(&handle).copied()",
        "the shader reads no slot, or is none that can be read",
    ),
    ("replay/lint/streams.rs", "self.contexts.get(&context)", "a context that has bound nothing has no shader"),
    ("replay/state.rs", "self.buffers.remove(&id)", "the id was free"),
    ("replay/state.rs", "self.orphan.take()", "no replaced buffer is bound"),
    ("replay/trimmed_from.rs", "meta.remove(TRIMMED_FROM)", "the trace is not itself a part of another one"),
];

/// Files beside [`FROM_COMMANDS_TO_PICTURES`] that write traces.
const TRACE_WRITERS: &[&str] = &["aerogpu-trace/container/writer.rs", "cli/trim.rs", "cli/repair.rs"];

/// Each branch of a code that goes on, or leaves, without a word: the text up to it, in one line.
fn silent_branches(code: &str) -> Vec<String> {
    let words: Vec<&str> = code.split_whitespace().collect();
    let line = words.join(" ");
    let marks = [
        " else { continue",
        " else { break",
        " else { return",
        " => continue",
        " => return Ok(()",
        " => return Ok(None",
    ];
    let marks = marks.iter().chain(&[".unwrap_or_default()", ".ok()"]);
    let found = marks.flat_map(|mark| line.match_indices(mark));
    let found = found.filter(|(at, mark)| !line[at + mark.len()..].starts_with(" Err("));
    let before = |at: usize| line[..at].char_indices().rev().nth(119).map_or(0, |(start, _)| start);
    found.map(|(at, _)| line[before(at)..at].to_owned()).collect()
}

/// Lookups: where a thing is not there, `if let` without `else` passes over what should be done with it.
const LOOKUPS: &[&str] = &[
    ".get(",
    ".get_mut(",
    ".find(",
    ".first(",
    ".last(",
    ".first_mut(",
    ".last_mut(",
    ".position(",
    ".remove(",
    ".pop(",
    ".take(",
    ".command(",
    ".table(",
    ".nth(",
    ".and_then(",
    ".as_object_mut(",
    ".as_array_mut(",
    ".as_table_mut(",
];

/// The text from the opening brace that `text` begins with to the closing one.
fn block(text: &str) -> &str {
    let mut depth = 0;
    let end = text.char_indices().find(|(_, character)| {
        depth += i32::from(*character == '{') - i32::from(*character == '}');
        depth == 0
    });
    &text[..=end.unwrap().0]
}

/// The lookups of a code whose `if let` has no `else`: what they find is dealt with, and what they do not find is passed
/// over. A block that leaves is a short cut, after which the long way follows; whatever else is tested by `if let` (a
/// variant, an option that is data) says by itself that there may be none.
fn lookups_passed_over(code: &str) -> Vec<String> {
    let line = code.split_whitespace().collect::<Vec<_>>().join(" ");
    let of_condition = |(at, mark): (usize, &str)| {
        let condition = &line[at + mark.len()..];
        let mut depth = 0;
        let pattern = condition.find(" = ").unwrap() + 3;
        let brace = condition[pattern..].char_indices().find(|(_, character)| {
            depth += i32::from("([".contains(*character)) - i32::from(")]".contains(*character));
            depth == 0 && *character == '{'
        });
        let (test, rest) = condition[pattern..].split_at(brace.unwrap().0);
        let block = block(rest);
        let leaves = ["return", "continue", "break"].iter().any(|word| block.contains(word));
        let has_else = rest[block.len()..].starts_with(" else");
        let looks_up = LOOKUPS.iter().any(|lookup| test.contains(lookup));
        (looks_up && !leaves && !has_else).then(|| test.trim_end().to_owned())
    };
    line.match_indices("if let ").filter_map(of_condition).collect()
}

/// The lookups in files from commands to pictures, hashes, traces and verdicts, each excused or an error.
fn no_lookup_is_passed_over_in_silence() {
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for file in source_files() {
        let name = name_of(&file);
        if !FROM_COMMANDS_TO_PICTURES.contains(&module_of(&file).as_str()) && !TRACE_WRITERS.contains(&name.as_str()) {
            continue;
        }
        for lookup in lookups_passed_over(&code(&file)) {
            let excused = LOOKUPS_THAT_MAY_FAIL.iter().position(|(of, test, _)| *of == name && lookup == *test);
            match excused {
                Some(place) => drop(used.insert(place)),
                None => wrong.push(format!("{name}: {lookup}")),
            }
        }
    }
    let unused: Vec<_> = (0..LOOKUPS_THAT_MAY_FAIL.len()).filter(|place| !used.contains(place)).collect();
    let unused: Vec<_> = unused.into_iter().map(|place| LOOKUPS_THAT_MAY_FAIL[place]).collect();
    assert!(wrong.is_empty() && unused.is_empty(), "passed over: {wrong:#?}\nno longer there: {unused:#?}");
    let code =
        "if let Some(a) = b.get(&c) { d(a) } if let Some(a) = b.get(&c) { return a; } if let Some(a) = b { c(a) }";
    assert_eq!(lookups_passed_over(code), ["b.get(&c)"]);
    assert!(lookups_passed_over("if let Some(a) = b.iter().find(|b| { b.c }) { d(a) } else { e() }").is_empty());
}

/// A broken invariant is an error, never a `continue`, a default or an empty answer, wherever it could lead to a wrong
/// picture, hash, trace or verdict.
fn nothing_is_passed_over_in_silence() {
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for file in source_files() {
        let name = name_of(&file);
        if !FROM_COMMANDS_TO_PICTURES.contains(&module_of(&file).as_str()) && !TRACE_WRITERS.contains(&name.as_str()) {
            continue;
        }
        for branch in silent_branches(&code(&file)) {
            let excused = SILENT_BRANCHES.iter().position(|(of, end, _)| *of == name && branch.ends_with(end));
            match excused {
                Some(place) => assert!(used.insert(place), "{:?} excuses two branches", SILENT_BRANCHES[place]),
                None => wrong.push(format!("{name}: {branch}")),
            }
        }
    }
    let unused: Vec<_> = (0..SILENT_BRANCHES.len()).filter(|place| !used.contains(place)).collect();
    let unused: Vec<_> = unused.into_iter().map(|place| SILENT_BRANCHES[place]).collect();
    assert!(wrong.is_empty() && unused.is_empty(), "passed over: {wrong:#?}\nno longer there: {unused:#?}");
    let silent = "let Some(a) = b else {\n return Ok(())\n}; c.ok(); let d = e else { return Err(f) };";
    assert_eq!(silent_branches(silent).len(), 2);
}

/// Types that hold a frame and something within it beside [`command::Place`](aerogpu_replay::command::Place), and why.
const OF_A_FRAME_AND_MORE: &[(&str, &str, &str)] = &[
    ("aerogpu-trace/command/place.rs", "Place", "the one"),
    ("aerogpu-trace/command/place.rs", "Point", "the part of it within its frame"),
    (
        "aerogpu-trace/command/located.rs",
        "Location",
        "where bytes stand in the file: nobody types it, and nobody plays up to it",
    ),
    ("analysis/events/row_id.rs", "RowId", "records have one too, and nobody plays up to it"),
    ("cli/place.rs", "PlaceArgs", "the flags that a Place is made of"),
    ("cli/used_shaders.rs", "UsedByArgs", "a frame without a draw means all of its draws"),
    ("inspector/saved_state.rs", "EarlierPlaces", "it is what earlier versions wrote"),
    ("inspector/saved_state.rs", "EarlierBookmark", "it is what earlier versions wrote"),
];

/// The types of a code that could be a second way to say where in the trace: structs with a frame and a draw, packet or
/// the like, and enums of which some variants number a draw and others a packet.
fn places_in_the_trace(code: &str) -> Vec<String> {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| c != '_' && !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let items = |keyword: &str| -> Vec<(String, String)> {
        let after = code.match_indices(keyword).map(|(at, _)| &code[at + keyword.len()..]);
        let braced = after.filter_map(|after| {
            let name = words(after).first()?.clone();
            let (head, body) = after.split_once('{')?;
            (!head.contains(';') && !head.contains('(')).then(|| (name, outer_items(body).join(",")))
        });
        braced.collect()
    };
    let has_field =
        |body: &str, name: &str| words(body).iter().any(|word| word == name) && body.contains(&format!("{name}:"));
    let within = ["draw", "packet", "until", "point", "row", "event"];
    let is_struct = |body: &str| has_field(body, "frame") && within.iter().any(|name| has_field(body, name));
    let numbers = |body: &str, what: &str| {
        outer_items(body).iter().any(|variant| {
            let head: String = variant.split_whitespace().collect();
            head.split_once("(u32").is_some_and(|(name, _)| name.ends_with(what))
        })
    };
    let is_enum = |body: &str| numbers(body, "Draw") && numbers(body, "Packet");
    let structs = items("struct ").into_iter().filter(|(_, body)| is_struct(body));
    let enums = items("enum ").into_iter().filter(|(_, body)| is_enum(body));
    structs.chain(enums).map(|(name, _)| name).collect()
}

/// Every kind of place that a user goes to and asks about has one type, with one text form.
fn one_type_says_where_in_the_trace() {
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for file in source_files() {
        let name = name_of(&file);
        let code = code(&file);
        for found in places_in_the_trace(&code) {
            match OF_A_FRAME_AND_MORE.iter().position(|(of, named, _)| *of == name && *named == found) {
                Some(row) => drop(used.insert(row)),
                None => wrong.push(format!("{name}: {found}")),
            }
        }
        let pairs = ["(FrameIndex, Point)", "(FrameIndex, Option<u32>)", "(u32, Point)"];
        wrong.extend(pairs.into_iter().filter(|pair| code.contains(pair)).map(|pair| format!("{name}: {pair}")));
    }
    assert!(wrong.is_empty(), "expected command::Place instead of {wrong:#?}");
    assert_eq!(used.len(), OF_A_FRAME_AND_MORE.len(), "rows that nothing needs any more: {used:?} are used");
    let code = "struct A<T> { pub frame: T, draw: Option<u32> } struct B { frame: u32, size: u32 } struct C(u32);
        enum D { EndOfFrame, AfterDraw(u32), AfterPacket(u32) } enum E { Draw(u32), Clear } enum F { Packet { frame: u32 } }
        struct G { frames: u32, draw: u32 } struct H { frame: usize, row: u32 }";
    assert_eq!(places_in_the_trace(code), ["A", "H", "D"]);
}

/// The names of the folders in a folder.
fn folders_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.map(|folder| folder.file_name().into_string().unwrap()).collect()
}

/// The crate of annotations.
fn timeline_root() -> PathBuf {
    source_root().join("../crates/trace-timeline/src").canonicalize().unwrap()
}

fn formats_do_not_name_each_other() {
    let mut wrong = Vec::new();
    let formats = folders_in(&timeline_root().join("annotation"));
    assert!(formats.len() >= 2, "found only {formats:?}");
    for format in &formats {
        for file in rust_files(&timeline_root().join(format)) {
            let code = code(&file);
            let others = formats.iter().filter(|other| *other != format);
            wrong.extend(
                others.filter(|other| code.contains(&format!("crate::{other}"))).map(|other| (file.clone(), other)),
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Where the names of formats stand: the two lists of folders, and the table of limits.
const MAY_NAME_ANNOTATION_FORMATS: &[&str] =
    &["format/mod.rs", "trace-timeline/lib.rs", "trace-timeline/annotation/mod.rs", "trace-timeline/limits.rs"];

/// The lines of a code that name one of `formats`, in whichever case.
fn lines_naming<'c>(code: &'c str, formats: &[String]) -> Vec<&'c str> {
    let names = |line: &&str| formats.iter().any(|format| line.to_lowercase().contains(format));
    code.lines().filter(names).collect()
}

/// A new format of annotations is a folder in `timeline/annotation` and a line in its list: whoever prints, lists,
/// converts or shows annotations asks the trait.
fn nobody_names_a_format_of_annotations() {
    let formats = folders_in(&timeline_root().join("annotation"));
    assert!(formats.len() >= 2, "found only {formats:?}");
    let is_own = |file: &PathBuf| {
        let name = name_of(file);
        let own = |format: &String| {
            let folders = [format!("trace-timeline/{format}/"), format!("trace-timeline/annotation/{format}/")];
            folders.iter().any(|folder| name.starts_with(folder))
        };
        formats.iter().any(own) || MAY_NAME_ANNOTATION_FORMATS.contains(&name.as_str())
    };
    let mut wrong = Vec::new();
    for file in source_files().into_iter().filter(|file| !is_own(file)) {
        wrong.extend(lines_naming(&code(&file), &formats).iter().map(|line| format!("{}: {line}", file.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Who may name a language of shaders, and why.
const MAY_NAME_SHADER_LANGUAGES: &[(&str, &str)] = &[
    ("shader", "the languages live there"),
    ("glsl-es", "it is one of them"),
    ("limits.rs", "it lists the limits of all crates"),
    ("aerogpu-trace/container/record.rs", "the kinds of blobs as the specification numbers them"),
    ("aerogpu-trace/abi/reference", "CREATE_SHADER has a field for each"),
    ("gpu/d3d/own_shaders.rs", "those that are ours have one"),
    ("replay/broken_invariants.rs", "a trace is made there"),
    ("replay/shader_object.rs", "what GLSL texts leave open is an option"),
    ("cli/args.rs", "and so on the command line"),
    ("cli/bisect.rs", "as above"),
    ("cli/verify_gpu.rs", "as above, and the pair of languages that `verify --shaders` compares"),
    ("cli/verify_shaders.rs", "that pair"),
];

/// A new language is a module in `shader/` and an entry in its list: whoever lists, chooses, names, compiles or shows
/// shaders asks the list.
fn nobody_names_a_language_of_shaders() {
    let languages = ["wgsl".to_owned(), "glsl".to_owned()];
    let mut wrong = Vec::new();
    let mut used = BTreeSet::new();
    for file in source_files() {
        // What GLSL texts leave open goes with the other options to whoever compiles.
        let text = code(&file).replace("options.glsl", "").replace("default().glsl", "");
        let named = lines_naming(&text, &languages);
        let excuse = MAY_NAME_SHADER_LANGUAGES.iter().find(|(name, _)| Path::new(&name_of(&file)).starts_with(name));
        match excuse {
            Some((name, _)) if !named.is_empty() => drop(used.insert(*name)),
            Some(_) => {}
            None => wrong.extend(named.iter().map(|line| format!("{}: {line}", file.display()))),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let unused: Vec<_> = MAY_NAME_SHADER_LANGUAGES.iter().filter(|(name, _)| !used.contains(name)).collect();
    assert!(unused.is_empty(), "excuses for nothing: {unused:?}");
}

fn no_module_has_a_name_that_says_nothing() {
    let banned = ["utils", "util", "common", "helpers", "misc", "manager"];
    let is_banned = |path: &PathBuf| {
        path.components().any(|part| banned.contains(&part.as_os_str().to_str().unwrap().trim_end_matches(".rs")))
    };
    let wrong: Vec<PathBuf> =
        source_files().iter().map(|file| PathBuf::from(name_of(file))).filter(is_banned).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The error types that a file defines.
fn error_types(code: &str) -> Vec<String> {
    let derives_error = |after: &&str| after.split(')').next().unwrap().split(',').any(|name| name.trim() == "Error");
    let name = |after: &str| {
        let words: Vec<&str> = after.split(|c: char| c != '_' && !c.is_alphanumeric()).collect();
        let keyword = words.iter().position(|word| matches!(*word, "enum" | "struct")).unwrap();
        words[keyword + 1].to_owned()
    };
    code.split("#[derive(").skip(1).filter(derives_error).map(name).collect()
}

/// One idea of what kind of trouble an error is: whoever handles one asks it, and no second table says it again.
fn every_error_tells_its_kind_and_its_place() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in source_files() {
        let mut code = code(&file);
        if module_of(&file) == "glsl-es" {
            // They stand in a file of their own.
            code += &self::code(&file.ancestors().find(|folder| folder.ends_with("src")).unwrap().join("kind.rs"));
        }
        for name in error_types(&code) {
            count += 1;
            // The parts of a GLSL error are made so by a macro.
            let is_classified = code.contains(&format!("impl Classified for {name} {{"))
                || code
                    .split("parts!(")
                    .skip(1)
                    .any(|parts| parts.split(')').next().unwrap().contains(&format!("{name} =")));
            if !is_classified {
                wrong.push(format!("{}: {name} is not Classified", file.display()));
            }
        }
    }
    assert!(count >= 38, "found only {count} error types");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(
        error_types(
            "#[derive(Debug, Error)]\n#[error(\"\")]\npub struct A;\n#[derive(Debug)]\nenum B {}\n#[derive(Error)] enum C {}"
        ),
        ["A", "C"]
    );
}

/// The sentences of `#[error(…)]`, without what belongs to their values.
fn sentences(code: &str) -> Vec<String> {
    let after = code.split("#[error(").skip(1).map(str::trim_start).filter_map(|text| text.strip_prefix('"'));
    let end = |text: &str| {
        let mut escaped = false;
        text.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })
    };
    after.map(|text| text[..end(text).unwrap()].to_owned()).collect()
}

/// Breach of the grammar of `trace_base::error` in a sentence.
fn ungrammatical(sentence: &str) -> Option<&'static str> {
    let own = sentence.split("\\n").next().unwrap();
    let place = own.rfind(":#x}").filter(|_| own.contains("at {offset:#x}"));
    match own {
        _ if own.ends_with('.') || own.ends_with(',') => Some("a message has no full stop"),
        _ if own.contains("Expected") || own.contains("Found") => Some("expected and found are written small"),
        _ if place.is_some_and(|place| place + ":#x}".len() != own.len()) => Some("the offset stands last"),
        _ => None,
    }
}

fn messages_follow_one_grammar() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in source_files() {
        for sentence in sentences(&code(&file)) {
            count += 1;
            wrong.extend(ungrammatical(&sentence).map(|why| format!("{}: {why}: {sentence}", file.display())));
        }
    }
    assert!(count > 150, "found only {count} sentences");
    assert!(wrong.is_empty(), "{wrong:#?}");
    let bad = ["it is bad.", "Expected 3", "at {offset:#x}: it is {found}"];
    assert!(bad.iter().all(|sentence| ungrammatical(sentence).is_some()));
    assert_eq!(sentences("#[error(\"a \\\"b\\\" c\")] A, #[error(transparent)] B"), ["a \\\"b\\\" c"]);
}

/// A sentence tells its cause, so no error has a source as well: whoever prints both would say it twice. A variant that
/// is its cause is `transparent`; a field named so is written `r#source`, by which thiserror lets it alone.
fn errors_with_a_source(code: &str) -> Vec<String> {
    let attributes = code.split("#[error(").skip(1);
    let variants = attributes.map(|after| after.split("#[error(").next().unwrap().split("\n}\n").next().unwrap());
    let sentences = variants.filter(|variant| !variant.starts_with("transparent"));
    let has_source = |variant: &&str| {
        let words: Vec<&str> = variant.split(|c: char| c.is_whitespace() || "{(".contains(c)).collect();
        words.iter().any(|word| *word == "source:" || word.starts_with("#[from]") || word.starts_with("#[source]"))
    };
    sentences.filter(has_source).map(str::to_owned).collect()
}

fn no_error_tells_its_cause_and_has_it_as_a_source() {
    let mut wrong = Vec::new();
    for file in source_files() {
        wrong.extend(errors_with_a_source(&code(&file)).into_iter().map(|variant| (file.clone(), variant)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let bad = [
        "#[error(\"{0}\")]\nA(#[from] B)",
        "#[error(\"a: {source}\")]\nA {\n source: B }",
        "#[error(\"\")] A(#[source] B)",
    ];
    assert!(bad.iter().all(|code| errors_with_a_source(code).len() == 1));
    assert!(
        errors_with_a_source("#[error(transparent)]\nA(#[from] B)\n#[error(\"{source}\")] A { r#source: B }")
            .is_empty()
    );
}

/// Where Rust's own form of a value is printed all the same, and why. Everything else is put in words: an enum's name is
/// ours, and nobody's who reads a message.
#[rustfmt::skip]
const PRINTED_AS_RUST: &[(&str, &str, &str)] = &[
    ("serve/params.rs", "{text:?}", "a text in quotes"),
    ("serve/error.rs", "{0:?}", "a text in quotes"),
    ("trace-timeline/wip15/error.rs", "{found:?}", "a text in quotes"),
    ("trace-timeline/wtf/error.rs", "{found:?}", "a text in quotes"),
    ("trace-timeline/wtf/error.rs", "{found:02X?}", "bytes in hexadecimal"),
    ("trace-timeline/wtf/header_json.rs", "{name:?}", "a text in quotes"),
    ("trace-timeline/wtf/json_entries.rs", "{kind:?}", "a text in quotes"),
    ("trace-timeline/wtf/zone.rs", "{name:?}", "a text in quotes"),
    ("trace-timeline/align/method.rs", "{found:?}", "a text in quotes"),
    ("trace-timeline/align/method.rs", "{name:?}", "a text in quotes"),
    ("trace-timeline/align/mod.rs", "{name:?}", "a text in quotes"),
    ("cli/golden/test.rs", "{word:?}", "a text in quotes"),
    ("trace-timeline/wtf/json_text.rs", "{:?}", "a character in quotes"),
    ("glsl-es/lex.rs", "{character:?}", "a character in quotes"),
    ("glsl-es/error.rs", "{found:?}", "a character in quotes"),
    ("d3d-bytecode/disassembly/signature.rs", "{:?}", "a text in quotes"),
    ("d3d-bytecode/disassembly/legacy.rs", "{float:?}", "a number that reads back"),
    ("d3d-bytecode/disassembly/number.rs", "{float:?}", "a number that reads back"),
    ("d3d-bytecode/disassembly/number.rs", "{double:?}", "a number that reads back"),
    ("trace-base/listing/json_text.rs", "{number:?}", "a number that reads back"),
    ("trace-timeline/chrome/writer.rs", "{origin:?}", "a number that reads back"),
    ("glsl-es/emit/literal.rs", "{value:?}", "a number that reads back"),
];

/// Places of a line's code that ask for Rust's own form: `{:?}`, `{value:?}`, `{0:#?}`, `{:.1?}`.
fn printed_as_rust(line: &str) -> Vec<String> {
    let ends = line.match_indices("?}").map(|(at, _)| at + 2);
    let asks = ends.filter_map(|end| {
        let start = line[..end].rfind('{')?;
        line[start..end].contains(':').then(|| line[start..end].to_owned())
    });
    asks.collect()
}

fn messages_are_in_words() {
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for file in source_files() {
        let relative = name_of(&file);
        // The log is for us.
        for line in code(&file).lines().filter(|line| !line.contains("log::")) {
            for asked in printed_as_rust(line) {
                match PRINTED_AS_RUST.iter().position(|(file, form, _)| *file == relative && *form == asked) {
                    Some(row) => drop(used.insert(row)),
                    None => wrong.push(format!("{relative}: {}", line.trim())),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let unused: Vec<_> = (0..PRINTED_AS_RUST.len()).filter(|row| !used.contains(row)).collect();
    assert!(unused.is_empty(), "rows that nothing needs any more: {unused:?}");
    assert_eq!(printed_as_rust("{:?} {a:?} {0:#?} {b:.1?} {c} {?}"), ["{:?}", "{a:?}", "{0:#?}", "{b:.1?}"]);
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
    assert!(alone.is_empty(), "a binary of its own; make it a module of one of those there are: {alone:#?}");
}

/// The modules that are drawn on the window's thread.
const BESIDE_THE_WINDOW: &[&str] = &["inspector", "window"];

fn files_beside_the_window() -> Vec<PathBuf> {
    let files = source_files();
    let files: Vec<_> =
        files.into_iter().filter(|file| BESIDE_THE_WINDOW.contains(&module_of(file).as_str())).collect();
    assert!(files.len() > 50, "found only {} files", files.len());
    files
}

/// There is one way to have something done beside the window, and one to have it stopped.
fn threads_beside_the_window_are_workers() {
    let inspector = source_root().join("inspector");
    let naming = |parts: &[&str]| -> Vec<PathBuf> {
        let names = |file: &PathBuf| parts.iter().any(|part| code(file).contains(part));
        files_beside_the_window().into_iter().filter(names).collect()
    };
    assert_eq!(naming(&["thread::spawn", "thread::Builder", "thread::scope"]), [inspector.join("worker.rs")]);
    assert_eq!(naming(&["AtomicBool"]), [inspector.join("cancel.rs")]);
    assert_eq!(naming(&["mpsc"]), [inspector.join("worker.rs")]);
}

/// A tab is its own file, and a line in the list of tabs: nobody else names its type.
fn a_tab_is_known_to_one_list() {
    let folder = source_root().join("inspector/tabs");
    let mut count = 0;
    for file in rust_files(&folder) {
        let text = code(&file);
        let Some(after) = text.split("impl Tab for ").nth(1) else { continue };
        let (tab, list) = (after.split_whitespace().next().unwrap(), folder.join("mod.rs"));
        let named: Vec<PathBuf> =
            files_beside_the_window().into_iter().filter(|file| code(file).contains(tab)).collect();
        let mut expected = [file, list];
        expected.sort();
        assert_eq!(named, expected, "{tab}");
        count += 1;
    }
    assert!(count >= 7, "found only {count} tabs");
}

/// Most parameters of a function beside `self`; more of them belong together, in a painter say.
const MOST_PARAMETERS: usize = 5;

/// Each function of a code, and how many parameters it has beside `self`.
fn parameter_counts(code: &str) -> Vec<(String, usize)> {
    let count = |signature: &str| {
        let (_, after) = signature.split_once('(')?;
        let (mut depth, mut last, mut parameters) = (0_i32, ' ', vec![String::new()]);
        for character in after.chars() {
            match character {
                ')' if depth == 0 => break,
                ',' if depth == 0 => parameters.push(String::new()),
                _ => {
                    let closes = character == '>' && last != '-' || ")]}".contains(character);
                    depth += i32::from("([{<".contains(character)) - i32::from(closes);
                    parameters.last_mut().unwrap().push(character);
                }
            }
            last = character;
        }
        let parameters = parameters.iter().map(|parameter| parameter.trim());
        Some(parameters.filter(|parameter| !parameter.is_empty() && !parameter.ends_with("self")).count())
    };
    let is_name = |c: char| c == '_' || c.is_alphanumeric();
    let functions = code.split("fn ").skip(1).filter(|after| after.starts_with(is_name));
    functions.filter_map(|after| Some((after[..after.find(|c| !is_name(c))?].to_owned(), count(after)?))).collect()
}

fn painting_takes_few_parameters() {
    let (mut wrong, mut found) = (Vec::new(), 0);
    for file in files_beside_the_window() {
        for (name, count) in parameter_counts(&code(&file)) {
            found += 1;
            if count > MOST_PARAMETERS {
                wrong.push(format!("{}: {name} takes {count}", file.display()));
            }
        }
    }
    assert!(found > 400, "found only {found} functions");
    assert!(wrong.is_empty(), "{wrong:#?}");
    let counts = parameter_counts("fn a(&mut self, (b, c): (f32, f32), d: Map<K, fn() -> V>) -> X {} fn e<T>() {}");
    assert_eq!(counts, [("a".to_owned(), 2), ("e".to_owned(), 0)]);
}

/// So many types may share a name; of more, nobody can tell which one is meant without a look at the imports.
const MOST_OF_ONE_NAME: usize = 5;

/// The types and traits that a code defines. Those of an `impl` or a trait (`type Item = …`) are the trait's, and stand
/// further right.
fn defined_types(code: &str) -> Vec<String> {
    let name = |line: &str| {
        let definition = line.trim_start();
        let definition = match definition.strip_prefix("pub") {
            Some(after) if after.starts_with('(') => after.split_once(')')?.1.trim_start(),
            Some(after) => after.trim_start(),
            None => definition,
        };
        let (keyword, after) = definition.split_once(' ')?;
        let is_own = matches!(keyword, "struct" | "enum" | "union" | "trait")
            || keyword == "type" && !line.starts_with(char::is_whitespace);
        let end = after.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(after.len());
        (is_own && end > 0).then(|| after[..end].to_owned())
    };
    code.lines().filter_map(name).collect()
}

fn few_types_share_a_name() {
    let mut by_name = BTreeMap::<String, Vec<String>>::new();
    for file in source_files() {
        for name in defined_types(&code(&file)) {
            by_name.entry(name).or_default().push(file.display().to_string());
        }
    }
    assert!(by_name.len() > 1000, "found only {} names", by_name.len());
    by_name.retain(|_, files| files.len() > MOST_OF_ONE_NAME);
    assert!(by_name.is_empty(), "give them names that tell them apart: {by_name:#?}");
    let code =
        "pub(super) struct A<T>(T);\nenum B {\n    type X = u8;\n}\npub type C = u8;\n    struct D;\npub trait E: F {}";
    assert_eq!(defined_types(code), ["A", "B", "C", "D", "E"]);
}
