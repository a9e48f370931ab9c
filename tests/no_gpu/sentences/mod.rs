//! Every sentence that the program prints, kept in `tests/sentences`: a change of words is seen in review.
//!
//! [`cut`] says what counts as a sentence. All of `src` and `crates` counts but for [`NOT_FOR_PEOPLE`], so that no sentence escapes by
//! way of a function of its own; so do the words of the golden report's page and the descriptions of the JSON lines.

mod cut;
mod list;
mod numbers;
mod page;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use self::list::Sentences;
use crate::support::harness::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![
        every_sentence_is_in_the_list,
        sentences_are_found_where_they_stand,
        what_is_no_sentence_is_not_found,
        numbers_agree_with_their_nouns,
        numbers_that_may_be_one_are_found,
        pages_give_their_words,
    ]
}

/// Set to write the list instead of comparing with it.
const UPDATE: &str = "UPDATE_SENTENCES";

/// Files whose literals are code for a compiler or text of another language, and which language that is.
const NOT_FOR_PEOPLE: &[(&str, &str)] = &[
    ("crates/d3d-bytecode/src/disassembly", "assembly"),
    ("src/shader/fragment_override.rs", "WGSL"),
    ("crates/glsl-es/src/emit/call.rs", "WGSL"),
    ("crates/glsl-es/src/emit/code.rs", "WGSL"),
    ("crates/glsl-es/src/emit/entry.rs", "WGSL"),
    ("crates/glsl-es/src/emit/runtime.rs", "WGSL"),
    ("crates/glsl-es/src/emit/stmt.rs", "WGSL"),
    ("crates/glsl-es/src/emit/types.rs", "WGSL"),
    ("crates/glsl-es/src/emit/uniform.rs", "WGSL"),
];

/// The modules that put words on the screen by calls of egui.
const ON_SCREEN: &[&str] = &["src/inspector", "src/window"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a folder with one of these endings, but for a module's tests.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, endings));
        } else if endings.iter().any(|ending| path.extension().is_some_and(|found| found == *ending)) {
            found.push(path);
        }
    }
    found.retain(|path| !path.ends_with("tests.rs"));
    found
}

/// The modules that a file declares for tests alone.
fn test_modules(path: &Path, code: &str) -> Vec<PathBuf> {
    let folder = match path.file_stem().unwrap().to_str().unwrap() {
        "lib" | "main" | "mod" => path.parent().unwrap().to_owned(),
        _ => path.with_extension(""),
    };
    let code = code.replace("#[cfg(any(test, feature = \"testing\"))]", "#[cfg(test)]");
    let after = code.split("#[cfg(test)]\n").skip(1).filter_map(|after| after.lines().next()?.strip_suffix(';'));
    let names = after.filter_map(|line| line.split_once("mod ").map(|(_, name)| name));
    names.map(|name| folder.join(format!("{name}.rs"))).collect()
}

fn sentences_of(file: &str, text: &str) -> BTreeSet<String> {
    if file.ends_with(".rs") {
        let paints = ON_SCREEN.iter().any(|folder| Path::new(file).starts_with(folder));
        return cut::sentences(text, paints).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    page::sentences(file, text)
}

fn sentences_in_source() -> Sentences {
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let shipped = crates.filter(|folder| !folder.file_name().unwrap().to_str().unwrap().starts_with("dev-"));
    let mut paths: Vec<_> = shipped.flat_map(|folder| files(&folder.join("src"), &["rs"])).collect();
    paths.extend(files(&root().join("src"), &["rs", "html", "js"]));
    paths.push(root().join("docs/json-lines.schema.json"));
    let texts: Vec<_> = paths.into_iter().map(|path| (fs::read_to_string(&path).unwrap(), path)).collect();
    let tests: Vec<PathBuf> = texts.iter().flat_map(|(text, path)| test_modules(path, text)).collect();
    let mut sentences = Sentences::new();
    for (text, path) in texts.iter().filter(|(_, path)| !tests.contains(path)) {
        let file = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
        if !NOT_FOR_PEOPLE.iter().any(|(name, _)| Path::new(&file).starts_with(name)) {
            let found = sentences_of(&file, text);
            sentences.insert(file, found);
        }
    }
    sentences.retain(|_, lines| !lines.is_empty());
    sentences
}

fn every_sentence_is_in_the_list() {
    let found = sentences_in_source();
    let count: usize = found.values().map(BTreeSet::len).sum();
    assert!(count > 3000, "found only {count} sentences");
    for (name, _) in NOT_FOR_PEOPLE {
        assert!(root().join(name).exists(), "{name} is no longer there");
    }
    if std::env::var_os(UPDATE).is_some() {
        list::write(&found);
        return;
    }
    let kept = list::read();
    let (new, gone) = (list::only_in(&found, &kept), list::only_in(&kept, &found));
    assert!(
        new.is_empty() && gone.is_empty(),
        "the sentences of the source are not those of tests/sentences\nnot in the list: {new:#?}\nnot in the source: {gone:#?}\n\
         Read them once more, then bring the list up to date: {UPDATE}=1 cargo test --test no_gpu sentences"
    );
    // Not sorted, or in the wrong file.
    for (name, page) in list::to_pages(&kept) {
        assert_eq!(fs::read_to_string(list::folder().join(&name)).unwrap(), page, "{name}: write it by {UPDATE}=1");
    }
}

fn sentences_are_found_where_they_stand() {
    let code = r##"
        #[derive(Debug, Error)]
        enum E { #[error("it has {found} pieces: \"expected\" one\n{0}", a = "of these")] A { found: u8 } }
        /// Opens the
        /// trace.
        ///
        /// Second paragraph.
        #[derive(Clone, ClapArgs)]
        struct Flags {
            /// Quiet
            #[arg(long, help = "a short help")]
            flag: bool,
        }
        const TABLE: &[(&str, &str)] = &[("one", "in a table")];
        parts!(#[error("in a macro")] #[doc = "not this one"] A, "{count} in all");
        fn f() { ui.label("Word").on_hover_text(format!("{}…", "Hover")); say!("{name} is not {}", other("no one")); }
    "##;
    let found: Vec<String> = cut::sentences(code, true).unwrap().into_iter().collect();
    let mut expected = [
        "it has {found} pieces: \"expected\" one\\n{0}",
        "of these",
        "Opens the trace.",
        "Second paragraph.",
        "Quiet",
        "a short help",
        "in a table",
        "in a macro",
        "{count} in all",
        "Word",
        "Hover",
        "{name} is not {}",
        "no one",
    ];
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(cut::as_line("\\ a\n\u{1b}b "), "\\\\ a\\n\\u{1b}b␠");
}

fn what_is_no_sentence_is_not_found() {
    let code = r#"
        /// A doc comment.
        #[serde(rename = "by name")]
        #[allow(lint, reason = "a good one")]
        struct A;
        fn f() { g("{x}:{y}", "{:#x}", "word", "snake_case {}", "-- {}", ".png", "a=b", b"two words", label("Word")) }
        fn h() { map.get("label").label(1).text("Word") }
        #[cfg(test)]
        mod tests { fn f() { g("two words") } }
    "#;
    assert_eq!(cut::sentences(code, false).unwrap(), BTreeSet::new());
    let on_screen: Vec<String> =
        cut::sentences("fn f(ui: &mut Ui) { ui.label(text(\"{}: {}\")); }", true).unwrap().into_iter().collect();
    assert_eq!(on_screen, Vec::<String>::new());
}

/// `1 frames` is no English: a number that may be 1 comes with its noun from `text::counted`.
fn numbers_agree_with_their_nouns() {
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for (file, lines) in sentences_in_source() {
        for line in lines {
            for found in numbers::before_plurals(&line) {
                match numbers::NEVER_ONE.iter().position(|(of, text, _)| *of == file && *text == found) {
                    Some(row) => drop(used.insert(row)),
                    None => wrong.push(format!("{file}: {found:?} in {line}")),
                }
            }
            if line.contains("(s)") || line.contains("(es)") {
                wrong.push(format!("{file}: (s) in {line}"));
            }
        }
    }
    assert!(wrong.is_empty(), "write text::counted(count, \"frame\"), or say why it is never 1: {wrong:#?}");
    let unused: Vec<_> = (0..numbers::NEVER_ONE.len()).filter(|row| !used.contains(row)).collect();
    let unused: Vec<_> = unused.into_iter().map(|row| numbers::NEVER_ONE[row]).collect();
    assert!(unused.is_empty(), "rows that nothing needs any more: {unused:?}");
}

fn numbers_that_may_be_one_are_found() {
    let line = "{} frames, {count} old draws of {MAX_BYTES} bytes and {x:>3} pixels, {a} ends, {b} of {c} rows, {d}x{e} texels";
    assert_eq!(numbers::before_plurals(line), ["{} frames", "{count} old draws", "{x:>3} pixels"]);
}

fn pages_give_their_words() {
    let html =
        "<!-- not this --><title>Golden report</title><style>a b</style><p title='Two words'>One <b>{{x}}</b></p>";
    let found: Vec<String> = page::sentences("a.html", html).into_iter().collect();
    assert_eq!(found, ["Golden report", "One", "Two words"]);
    let js = "// it's not this\nf('two words', \"it's `three\", `of ${a.b(`x`)} in`, 'one'); /* 'no, not' */";
    let found: Vec<String> = page::sentences("a.js", js).into_iter().collect();
    assert_eq!(found, ["it's `three", "of {} in", "two words"]);
}
