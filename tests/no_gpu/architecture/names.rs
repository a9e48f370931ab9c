//! Names: which module may use which, and names that say nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::Item;
use syn::visit::{self, Visit};

use super::{code, name_of, parsed, rust_files, source_files, source_root};

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

pub(super) fn formats_do_not_name_each_other() {
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
pub(super) fn lines_naming<'c>(code: &'c str, formats: &[String]) -> Vec<&'c str> {
    let names = |line: &&str| formats.iter().any(|format| line.to_lowercase().contains(format));
    code.lines().filter(names).collect()
}

/// A new format of annotations is a folder in `timeline/annotation` and a line in its list: whoever prints, lists,
/// converts or shows annotations asks the trait.
pub(super) fn nobody_names_a_format_of_annotations() {
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
pub(super) fn nobody_names_a_language_of_shaders() {
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

pub(super) fn no_module_has_a_name_that_says_nothing() {
    let banned = ["utils", "util", "common", "helpers", "misc", "manager"];
    let is_banned = |path: &PathBuf| {
        path.components().any(|part| banned.contains(&part.as_os_str().to_str().unwrap().trim_end_matches(".rs")))
    };
    let wrong: Vec<PathBuf> =
        source_files().iter().map(|file| PathBuf::from(name_of(file))).filter(is_banned).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// So many types may share a name; of more, nobody can tell which one is meant without a look at the imports.
const MOST_OF_ONE_NAME: usize = 5;

/// The types and traits that a file defines, those of an `impl` or a trait (`type Item = …`) aside.
#[derive(Default)]
struct Types(Vec<String>);

impl<'f> Visit<'f> for Types {
    fn visit_item(&mut self, item: &'f Item) {
        self.0.extend(match item {
            Item::Struct(item) => Some(item.ident.to_string()),
            Item::Enum(item) => Some(item.ident.to_string()),
            Item::Union(item) => Some(item.ident.to_string()),
            Item::Trait(item) => Some(item.ident.to_string()),
            Item::Type(item) => Some(item.ident.to_string()),
            _ => None,
        });
        visit::visit_item(self, item);
    }
}

impl Types {
    fn of(file: &syn::File) -> Vec<String> {
        let mut types = Self::default();
        types.visit_file(file);
        types.0
    }
}

pub(super) fn few_types_share_a_name() {
    let mut by_name = BTreeMap::<String, Vec<String>>::new();
    for file in source_files() {
        for name in Types::of(&parsed(&file)) {
            by_name.entry(name).or_default().push(file.display().to_string());
        }
    }
    assert!(by_name.len() > 1000, "found only {} names", by_name.len());
    by_name.retain(|_, files| files.len() > MOST_OF_ONE_NAME);
    assert!(by_name.is_empty(), "give them names that tell them apart: {by_name:#?}");
    let code =
        "pub(super) struct A<T>(T); impl I for A { type X = u8; } pub type C = u8; fn f() { struct D; } trait E: F {}";
    assert_eq!(Types::of(&syn::parse_file(code).unwrap()), ["A", "C", "D", "E"]);
}
