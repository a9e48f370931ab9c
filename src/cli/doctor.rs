//! `doctor`: what is built, what it finds on this machine, and what is known to be wrong there. Its text is a block to
//! paste into a bug report.

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::json;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::folders::state_folder;
use super::output::{print_json, stdout};
use crate::text::json_line;

/// What this program was built from and with.
struct Build {
    version: &'static str,
    commit: Option<&'static str>,
    libraries: Vec<(&'static str, &'static str)>,
    features: Vec<&'static str>,
}

pub(super) fn run(common: &CommonArgs) -> Result<Exit, Failure> {
    let (build, folders) = (build(), folders());
    let mut out = stdout();
    if common.json {
        print_as_json(&build, &folders, &mut out)?;
    } else {
        print_block(&build, &folders, &mut out)?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

fn build() -> Build {
    #[cfg(feature = "gpu")]
    let libraries = vec![("wgpu", crate::gpu::WGPU_VERSION), ("naga", crate::gpu::NAGA_VERSION)];
    #[cfg(not(feature = "gpu"))]
    let libraries = Vec::new();
    let features = [("gpu", cfg!(feature = "gpu")), ("window", cfg!(feature = "window"))];
    Build {
        version: env!("CARGO_PKG_VERSION"),
        commit: option_env!("AEROGPU_REPLAY_COMMIT"),
        libraries,
        features: features.into_iter().filter_map(|(name, is_on)| is_on.then_some(name)).collect(),
    }
}

/// Folders outside of what the command line names, by what is kept there.
fn folders() -> Vec<(&'static str, Option<PathBuf>)> {
    vec![("notes and bookmarks", state_folder()), ("temporary files", Some(std::env::temp_dir()))]
}

fn print_block(build: &Build, folders: &[(&str, Option<PathBuf>)], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "```")?;
    let profile = if cfg!(debug_assertions) { "a debug build" } else { "an optimised build" };
    let commit = build.commit.map_or("commit unknown".to_owned(), |commit| format!("commit {commit}"));
    writeln!(out, "aerogpu-replay {}: {commit}, {profile}", build.version)?;
    for (name, version) in &build.libraries {
        writeln!(out, "{name} {version}")?;
    }
    let features = if build.features.is_empty() { "none".to_owned() } else { build.features.join(", ") };
    writeln!(out, "features: {features}")?;
    writeln!(out, "system: {} {}", std::env::consts::OS, std::env::consts::ARCH)?;
    #[cfg(feature = "gpu")]
    print_adapters(out)?;
    for (what, folder) in folders {
        match folder {
            Some(folder) => writeln!(out, "{what}: {}", folder.display())?,
            None => writeln!(out, "{what}: nowhere, as no home folder is known")?,
        }
    }
    writeln!(out, "```")
}

#[cfg(feature = "gpu")]
fn print_adapters(out: &mut impl Write) -> io::Result<()> {
    let adapters = crate::gpu::list_adapters(crate::gpu::BackendChoice::Auto);
    if adapters.is_empty() {
        writeln!(out, "adapters: none")?;
    }
    for adapter in &adapters {
        writeln!(out, "adapter {}: {adapter}", adapter.index)?;
        super::adapters::print_faults(adapter, out)?;
    }
    Ok(())
}

fn print_as_json(build: &Build, folders: &[(&str, Option<PathBuf>)], out: &mut impl Write) -> io::Result<()> {
    let libraries: serde_json::Map<_, _> =
        build.libraries.iter().map(|(name, version)| ((*name).to_owned(), json!(version))).collect();
    let line = json_line!("build", { "version": build.version, "commit": build.commit,
        "debug": cfg!(debug_assertions), "libraries": libraries, "features": build.features,
        "os": std::env::consts::OS, "arch": std::env::consts::ARCH,
    });
    print_json(out, &line)?;
    #[cfg(feature = "gpu")]
    for adapter in crate::gpu::list_adapters(crate::gpu::BackendChoice::Auto) {
        print_json(out, &super::adapters::adapter_line(&adapter))?;
    }
    for (what, folder) in folders {
        let folder = folder.as_ref().map(|folder| folder.display().to_string());
        print_json(out, &json_line!("folder", { "holds": what, "path": folder }))?;
    }
    Ok(())
}
