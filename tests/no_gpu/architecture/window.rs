//! Rules for what is drawn on the window's thread.

use std::path::PathBuf;

use syn::visit::Visit;
use syn::{FnArg, Signature};

use super::{code, module_of, parsed, rust_files, source_files, source_root};

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
pub(super) fn threads_beside_the_window_are_workers() {
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
pub(super) fn a_tab_is_known_to_one_list() {
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

/// Functions, and how many parameters they have beside `self`.
#[derive(Default)]
struct Functions(Vec<(String, usize)>);

impl<'f> Visit<'f> for Functions {
    fn visit_signature(&mut self, signature: &'f Signature) {
        let parameters = signature.inputs.iter().filter(|input| matches!(input, FnArg::Typed(_)));
        self.0.push((signature.ident.to_string(), parameters.count()));
    }
}

impl Functions {
    fn of(file: &syn::File) -> Vec<(String, usize)> {
        let mut functions = Self::default();
        functions.visit_file(file);
        functions.0
    }
}

pub(super) fn painting_takes_few_parameters() {
    let (mut wrong, mut found) = (Vec::new(), 0);
    for file in files_beside_the_window() {
        for (name, count) in Functions::of(&parsed(&file)) {
            found += 1;
            if count > MOST_PARAMETERS {
                wrong.push(format!("{}: {name} takes {count}", file.display()));
            }
        }
    }
    assert!(found > 400, "found only {found} functions");
    assert!(wrong.is_empty(), "{wrong:#?}");
    let code = "impl A { fn a(&mut self, (b, c): (f32, f32), d: Map<K, fn() -> V>) -> X {} } fn e<T>() {}";
    let counts = Functions::of(&syn::parse_file(code).unwrap());
    assert_eq!(counts, [("a".to_owned(), 2), ("e".to_owned(), 0)]);
}
