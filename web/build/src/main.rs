//! Builds the page into a folder: `cargo run -p dev-web-page -- FOLDER [PROFILE]`. Beside the files for a server it is one
//! file, `aerogpu-replay.html`, that runs from disk.
//!
//! The bindings are made by the version of wasm-bindgen that the lock file names, as the program itself is.

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use trace_base::bytes::encode_base64;
use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";
const LIBRARY: &str = "aerogpu_replay_web";

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let Some(folder) = arguments.next().map(PathBuf::from) else { bail!("expected a folder to build into") };
    let profile = arguments.next().unwrap_or_else(|| "release".to_owned());
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("web/build has no parent")?;
    let built = build(web, &profile)?;
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut bindings = Bindgen::new();
    bindings.omit_default_module_path(false).input_path(&built).typescript(false).out_name("replayer");
    bindings.web(true)?.generate(&folder)?;
    for entry in fs::read_dir(web.join("page"))? {
        let entry = entry?;
        fs::copy(entry.path(), folder.join(entry.file_name()))?;
    }
    // A page from disk can start no worker of modules.
    let mut bindings = Bindgen::new();
    bindings.input_path(&built).typescript(false).out_name("replayer");
    let script = bindings.no_modules(true)?.generate_output()?.js().to_owned();
    let whole = in_one_file(&folder, &script)?;
    fs::write(folder.join("aerogpu-replay.html"), whole)?;
    Ok(())
}

/// All files of the page in one. A page from disk may load no other file, so that its parts stand in it as texts, and are
/// given addresses of their own when it is opened. `bindings` is a script that is no module.
fn in_one_file(folder: &Path, bindings: &str) -> Result<String> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).with_context(|| format!("{name} is not in the page"));
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&fs::read(folder.join("replayer_bg.wasm"))?)?;
    let packed = encode_base64(&packed.finish()?);
    let unpack = "const unpacked = async () => new Response(new Blob([Uint8Array.from(atob(packed), (letter) => \
                  letter.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream(\"gzip\"))).arrayBuffer();";
    let worker = replaced(
        read("worker.js")?,
        [
            (
                "import init, { start, add_file, answer, has_lost_device } from \"./replayer.js\";",
                "const { start, add_file, answer, has_lost_device } = wasm_bindgen;",
            ),
            ("init()", "unpacked().then((library) => wasm_bindgen({ module_or_path: library }))"),
        ],
    )?;
    let worker = format!("const packed = \"{packed}\";\n{unpack}\n{bindings}\n{worker}");
    let page = replaced(read("page.js")?, [("import { Session } from \"./session.js\";", "")])?;
    let session = read("session.js")?.replace("export class", "class");
    let quoted = serde_json::to_string(&worker)?.replace("</", "<\\/");
    let script = format!(
        "{session}\nSession.worker = URL.createObjectURL(new Blob([{quoted}], {{ type: \"text/javascript\" }}));\n{page}"
    );
    replaced(
        read("index.html")?,
        [
            ("<link rel=\"stylesheet\" href=\"style.css\">", &*format!("<style>\n{}</style>", read("style.css")?)),
            (
                "<script type=\"module\" src=\"page.js\"></script>",
                &*format!("<script type=\"module\">\n{script}</script>"),
            ),
        ],
    )
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
