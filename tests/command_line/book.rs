//! The book in `docs/`, the README and their neighbours: links lead somewhere, every page is listed, and every command of the
//! book is run. What is only shown, because it asks somebody or needs what is not here, is a `console` block.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command_line::help_examples::{files_in, run_example};
use crate::support::harness::Trial;
use crate::support::root;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for page in pages() {
        let name = page.strip_prefix(root()).unwrap().display().to_string();
        let of = page.clone();
        trials.push(Trial::test(format!("links of {name}"), move || {
            links_lead_somewhere(&of);
            Ok(())
        }));
        if page.starts_with(root().join("docs")) && !commands(&read(&page)).is_empty() {
            trials.push(Trial::test(format!("commands of {name}"), move || {
                commands_run(&page);
                Ok(())
            }));
        }
    }
    trials.push(Trial::test("every page is in the summary", || {
        every_page_is_listed();
        Ok(())
    }));
    trials
}

fn pages() -> Vec<PathBuf> {
    let of = |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let pages = of(root().to_owned()).chain(of(root().join("docs"))).chain(of(root().join("docs/decisions")));
    let mut pages: Vec<PathBuf> = pages.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.sort();
    pages
}

fn read(page: &Path) -> String {
    fs::read_to_string(page).unwrap()
}

/// The targets of `](target)`.
fn links(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|behind| behind.split(')').next()).collect()
}

fn links_lead_somewhere(page: &Path) {
    let text = read(page);
    for link in links(&text) {
        let file = link.split('#').next().unwrap();
        let is_elsewhere = link.starts_with("https://") || file.is_empty();
        assert!(is_elsewhere || page.parent().unwrap().join(file).exists(), "{}: {link}", page.display());
    }
}

fn every_page_is_listed() {
    let summary = read(&root().join("docs/SUMMARY.md"));
    let listed = links(&summary);
    for page in pages().iter().filter(|page| page.starts_with(root().join("docs"))) {
        let name = page.strip_prefix(root().join("docs")).unwrap().to_str().unwrap();
        assert!(name == "SUMMARY.md" || listed.contains(&name), "{name} is in no chapter");
    }
}

/// The lines of `sh` blocks.
fn commands(text: &str) -> Vec<String> {
    let blocks = text.split("\n```sh\n").skip(1).filter_map(|behind| behind.split("\n```").next());
    blocks.flat_map(str::lines).map(str::to_owned).collect()
}

fn commands_run(page: &Path) {
    let folder = tempfile::tempdir().unwrap();
    files_in(folder.path());
    for line in commands(&read(page)) {
        let line =
            line.strip_prefix("aerogpu-replay ").unwrap_or_else(|| panic!("{line}: a command of something else"));
        run_example(line, folder.path());
    }
}
