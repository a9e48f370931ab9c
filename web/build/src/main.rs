//! Builds the page into a folder: `cargo run -p dev-web-page -- FOLDER [PROFILE]`. Beside the files for a server it is one
//! file, `aerogpu-replay.html`, that runs from disk.
//!
//! The bindings are made by the version of wasm-bindgen that the lock file names, as the program itself is. The scripts are
//! TypeScript in `web/page`, which esbuild bundles; `.ci/page` checks their types before.

use std::env;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use trace_base::bytes::encode_base64;
use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";
const LIBRARY: &str = "aerogpu_replay_web";

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let Some(folder) = arguments.next().map(PathBuf::from) else { bail!("expected a folder to build into") };
    let profile = arguments.next().unwrap_or_else(|| "page".to_owned());
    let is_for_developers = profile == "dev";
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("web/build has no parent")?;
    let built = build(web, &profile)?;
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut bindings = Bindgen::new();
    // Names of functions are for those who read its stacks.
    bindings.remove_name_section(!is_for_developers);
    bindings.omit_default_module_path(false).input_path(&built).typescript(false).out_name("replayer");
    bindings.web(true)?.generate(&folder)?;
    let page = web.join("page");
    for name in ["index.html", "style.css"] {
        fs::copy(page.join(name), folder.join(name)).with_context(|| format!("cannot copy {name}"))?;
    }
    let script = bundled(&page, "page.ts", &["--format=esm"])?;
    fs::write(folder.join("page.js"), &script)?;
    let worker = bundled(&page, "worker.ts", &["--format=esm", "--external:./replayer.js"])?;
    fs::write(folder.join("worker.js"), worker)?;
    // A page from disk can start no worker of modules.
    let mut bindings = Bindgen::new();
    bindings.input_path(&built).typescript(false).out_name("replayer");
    let bindings = bindings.no_modules(true)?.generate_output()?.js().to_owned();
    let worker = bundled(&page, "worker.ts", &["--format=iife", "--alias:replayer-library=./library_global.ts"])?;
    let library = fs::read(folder.join("replayer_bg.wasm"))?;
    let whole = in_one_file(&page, &script, &whole_worker(&library, &bindings, &worker)?)?;
    fs::write(folder.join("aerogpu-replay.html"), whole)?;
    Ok(())
}

/// A script of the page with all modules that it imports.
fn bundled(page: &Path, name: &str, options: &[&str]) -> Result<String> {
    let output = Command::new("esbuild")
        .current_dir(page)
        .args([name, "--bundle", "--target=es2022", "--charset=utf8", "--log-level=warning"])
        .args(options)
        .output()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                anyhow!("esbuild is not installed: `apt-get install esbuild`, or npm's package of that name")
            }
            _ => anyhow!("cannot start esbuild: {error}"),
        })?;
    ensure!(output.status.success(), "esbuild refuses {name}:\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).with_context(|| format!("the bundle of {name} is no text"))
}

/// The worker of the page in one file: the packed library, its bindings, and the worker's own script.
fn whole_worker(library: &[u8], bindings: &str, worker: &str) -> Result<String> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(library)?;
    let packed = encode_base64(&packed.finish()?);
    Ok(format!("const packed = \"{packed}\";\n{bindings}\n{worker}"))
}

/// All files of the page in one. A page from disk may load no other file, so that its parts stand in it, the worker as a
/// quoted text that the session makes a script of.
fn in_one_file(page: &Path, script: &str, worker: &str) -> Result<String> {
    let read = |name: &str| fs::read_to_string(page.join(name)).with_context(|| format!("{name} is not in the page"));
    let worker = serde_json::to_string(worker)?.replace('<', "\\u003c");
    replaced(
        read("index.html")?,
        [
            ("<link rel=\"stylesheet\" href=\"style.css\">", &*format!("<style>\n{}</style>", read("style.css")?)),
            (
                "<script type=\"module\" src=\"page.js\"></script>",
                &*format!(
                    "<script type=\"application/json\" id=\"worker-script\">{worker}</script>\n\
                     <script type=\"module\">\n{}</script>",
                    escaped(script)
                ),
            ),
        ],
    )
}

/// A script that may stand in an element: no string of it ends the element, or begins a comment of HTML.
fn escaped(script: &str) -> String {
    let mut text = String::with_capacity(script.len());
    let mut rest = script;
    while let Some((before, after)) = rest.split_once('<') {
        let is_end = after.get(.."/script".len()).is_some_and(|word| word.eq_ignore_ascii_case("/script"));
        text.push_str(before);
        text.push_str(match after {
            _ if is_end => "<\\",
            _ if after.starts_with("!--") => "\\x3c",
            _ => "<",
        });
        rest = after;
    }
    text + rest
}

/// A text with other parts in it, each of which must be there once.
fn replaced<const N: usize>(mut text: String, parts: [(&str, &str); N]) -> Result<String> {
    for (part, with) in parts {
        ensure!(text.matches(part).count() == 1, "the page's files have not one {part}");
        text = text.replacen(part, with, 1);
    }
    Ok(text)
}

/// Builds the library; gives its WebAssembly.
fn build(web: &Path, profile: &str) -> Result<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| web.join("../target"), PathBuf::from);
    let manifest = web.join("Cargo.toml");
    let status = Command::new(cargo)
        .args(["build", "--locked", "--lib", "--target", TARGET, "--profile", profile, "--manifest-path"])
        .arg(manifest)
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "the library does not build: {status}");
    // The development profile has a folder of another name.
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(target.join(TARGET).join(folder).join(format!("{LIBRARY}.wasm")))
}
