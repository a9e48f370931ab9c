//! Arguments of `golden`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::super::args::ShaderArgs;
use super::super::frame_set::FrameSet;
use super::super::shown::ShownArgs;
use super::device::{DeviceArgs, SizeArgs};
use crate::command::ResourceName;
use crate::golden::shard::Shard;

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct GoldenArgs {
    #[command(subcommand)]
    pub verb: GoldenVerb,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum GoldenVerb {
    /// Create a case for each trace: a folder with golden.toml and a picture for each frame, or for each present if
    /// there are several
    New(NewArgs),
    /// Render the frames of all cases and compare them with their goldens
    Test(TestArgs),
    /// Accept the current pictures as goldens, after three identical renders
    Approve(ApproveArgs),
    /// Test, then ask about each changed frame
    Review(ReviewArgs),
    /// List the cases
    List(PathsArgs),
    /// List files in the cases' folders that no golden.toml uses; --force deletes them
    Prune(PruneArgs),
    /// List problems with the cases' files: stray hashes, pictures that no frame or two frames use, remains of an
    /// interrupted approval; --force repairs them
    Fsck(FsckArgs),
    /// Merge the results of shards: the folders written by `test --report`
    Merge(MergeArgs),
    /// List faults that the cases would miss: skipped draws, pictures moved by a pixel, swapped channels, an inverted
    /// pixel. Exit code 1 if there are any
    Mutate(MutateArgs),
}

#[derive(Clone, Debug, ClapArgs)]
pub(in crate::cli) struct PathsArgs {
    /// Cases, or folders with cases in them
    #[arg(value_name = "PATH", default_value = "golden")]
    pub paths: Vec<PathBuf>,
    /// Folder that traces must lie in [default: the checkout, or else the folder that holds the current directory and all PATHs]
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

#[derive(Clone, Debug, ClapArgs)]
pub(in crate::cli) struct ProcessArgs {
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub shaders: ShaderArgs,
    /// Program to start as rendering process instead of this one, such as a debugger's wrapper
    #[arg(long, value_name = "PROGRAM")]
    pub worker: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct NewArgs {
    /// The traces
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<PathBuf>,
    /// Folder for the cases, which are named like their traces
    #[arg(long, value_name = "DIR", default_value = "golden")]
    pub into: PathBuf,
    /// Only these frames
    #[arg(long, value_name = "SET", default_value = "all", allow_hyphen_values = true)]
    pub frames: FrameSet,
    /// Also this part of a texture, presented or not, for each frame that has it; repeatable
    #[arg(long = "target", value_name = "RESOURCE[:MIP[:LAYER]]")]
    pub targets: Vec<ResourceName>,
    #[command(flatten)]
    pub size: SizeArgs,
    /// Also approve pictures of a single colour
    #[arg(long)]
    pub allow_blank: bool,
    #[command(flatten)]
    pub process: ProcessArgs,
}

#[derive(Clone, Debug, ClapArgs)]
pub(in crate::cli) struct TestArgs {
    #[command(flatten)]
    pub paths: PathsArgs,
    /// Number of rendering processes [default: the number of CPUs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// Test every Nth case, from the Ith on; `golden merge` merges the results. With auto, I and N come from GitLab,
    /// Buildkite, CircleCI or Slurm, otherwise from SHARD_INDEX, from 0, and SHARD_COUNT (on GitHub: strategy.job-index
    /// and strategy.job-total; a Kubernetes job has only the first)
    #[arg(long, value_name = "I/N|auto", value_parser = parse_shard)]
    pub shard: Option<Shard>,
    /// Write a report (index.html), results and pictures into this folder
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Copy the page for browsers (aerogpu-replay.html) into the report, and link each failing picture to its frame there
    #[arg(long, value_name = "HTML", requires = "report")]
    pub page: Option<PathBuf>,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Number of times to repeat a failed case, each in a new process; a case that then passes is flaky (exit code 9)
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub retries: u32,
    /// Exit codes for `git bisect run`: 0 good, 1 bad, 125 cannot be tested
    #[arg(long)]
    pub git_bisect: bool,
    #[command(flatten)]
    pub process: ProcessArgs,
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    match text {
        "auto" => Shard::of_environment(|name| std::env::var(name).ok()),
        _ => text.parse().map_err(|message: &str| format!("{message}, or auto")),
    }
}

#[derive(Clone, Debug, ClapArgs)]
pub(in crate::cli) struct AllowArgs {
    /// Also approve pictures of a single colour
    #[arg(long)]
    pub allow_blank: bool,
    /// Also approve pictures of an API or kind of device other than the goldens'
    #[arg(long)]
    pub allow_adapter_change: bool,
    /// Also approve pictures of a trace that has changed since the last approval
    #[arg(long)]
    pub allow_trace_change: bool,
    /// Accept the new pictures in addition to the old ones
    #[arg(long)]
    pub add: bool,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct ApproveArgs {
    #[command(flatten)]
    pub paths: PathsArgs,
    /// Only these frames of each case
    #[arg(long, value_name = "SET", allow_hyphen_values = true)]
    pub frames: Option<FrameSet>,
    #[command(flatten)]
    pub shown: ShownArgs,
    /// Only pictures accepted in this file, which comes from the report's page; nothing changes if a trace or picture
    /// differs from the reviewed one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "frames", "present", "scanout", "target"])]
    pub decisions: Option<PathBuf>,
    #[command(flatten)]
    pub allow: AllowArgs,
    #[command(flatten)]
    pub process: ProcessArgs,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct ReviewArgs {
    #[command(flatten)]
    pub test: TestArgs,
    #[command(flatten)]
    pub allow: AllowArgs,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct PruneArgs {
    #[command(flatten)]
    pub paths: PathsArgs,
    /// Delete the files
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct FsckArgs {
    #[command(flatten)]
    pub paths: PathsArgs,
    /// Repair every problem whose repair does not depend on a picture
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct MutateArgs {
    #[command(flatten)]
    pub paths: PathsArgs,
    /// Most draws of a frame to skip, one at a time; of more draws, evenly spread ones
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub draws: usize,
    #[command(flatten)]
    pub process: ProcessArgs,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct MergeArgs {
    /// Folders with results.json, one per shard
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// Write a report into this folder
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}
