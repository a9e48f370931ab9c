//! Rules about errors and the sentences that they print.

use std::collections::BTreeSet;

use super::{code, module_of, name_of, source_files};

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
pub(super) fn every_error_tells_its_kind_and_its_place() {
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

pub(super) fn messages_follow_one_grammar() {
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

pub(super) fn no_error_tells_its_cause_and_has_it_as_a_source() {
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
    ("session/params.rs", "{text:?}", "a text in quotes"),
    ("session/error.rs", "{0:?}", "a text in quotes"),
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

pub(super) fn messages_are_in_words() {
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
