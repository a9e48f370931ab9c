//! `doctor`: what is built, what it finds on this machine, and what is known to be wrong there. Its text is a block to
//! paste into a bug report.

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::json;

use super::args::CommonArgs;
use super::build::Build;
use super::exit::{Exit, Failure};
use super::folders::state_folder;
use super::output::{print_json, stdout};
use crate::text::json_line;

#[derive(Debug, clap::Args)]
pub(super) struct DoctorArgs {
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    pub conformance: super::conformance::ConformanceArgs,
}

pub(super) fn run(args: &DoctorArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    #[cfg(feature = "gpu")]
    if args.conformance.conformance {
        return super::conformance::run(&args.conformance, common);
    }
    #[cfg(not(feature = "gpu"))]
    let DoctorArgs {} = args;
    let (build, folders) = (Build::of_this_program(), folders());
    let mut out = stdout();
    if common.json {
        print_as_json(&build, &folders, &mut out)?;
    } else {
        print_block(&build, &folders, &mut out)?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// Folders outside of what the command line names, by what is kept there.
fn folders() -> Vec<(&'static str, Option<PathBuf>)> {
    vec![("notes and bookmarks", state_folder()), ("temporary files", Some(std::env::temp_dir()))]
}

fn print_block(build: &Build, folders: &[(&str, Option<PathBuf>)], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "```")?;
    let lines = format!("aerogpu-replay {}", build.lines());
    lines.lines().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out, "system: {} {}", std::env::consts::OS, std::env::consts::ARCH)?;
    #[cfg(feature = "gpu")]
    print_adapters(out)?;
    for (what, folder) in folders {
        match folder {
            Some(folder) => writeln!(out, "{what}: {}", folder.display())?,
            None => writeln!(out, "{what}: nowhere, because there is no home folder")?,
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
    writeln!(out, "memory that software Vulkan frees: {}", crate::gpu::freed_memory())
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
    #[cfg(feature = "gpu")]
    {
        let freed = crate::gpu::freed_memory();
        let line = json_line!("freed-memory", { "of_software_vulkan": freed.name(), "variable": freed.variable() });
        print_json(out, &line)?;
    }
    for (what, folder) in folders {
        let folder = folder.as_ref().map(|folder| folder.display().to_string());
        print_json(out, &json_line!("folder", { "contents": what, "path": folder }))?;
    }
    Ok(())
}
