//! What `golden` accepts.

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
    /// Make a case of each trace: a folder with golden.toml and a picture for each frame, or each present where there are
    /// several
    New(NewArgs),
    /// Render the frames of all cases and compare them with their goldens
    Test(TestArgs),
    /// Make what the frames look like now the goldens, after three equal renders
    Approve(ApproveArgs),
    /// Test, then ask about each frame that has changed
    Review(ReviewArgs),
    /// List the cases
    List(PathsArgs),
    /// List files in the cases' folders that no golden.toml names; --force deletes them
    Prune(PruneArgs),
    /// List what is wrong with the cases' files: hashes that nobody added, pictures that no frame or two frames name, what
    /// a stopped approval left; --force mends it
    Fsck(FsckArgs),
    /// Join the results of shards: the folders that `test --report` wrote
    Merge(MergeArgs),
    /// List faults that the cases would not notice: draws left out, pictures a pixel further, channels swapped, a pixel
    /// inverted. Exit code 1 if there are some
    Mutate(MutateArgs),
}

#[derive(Clone, Debug, ClapArgs)]
pub(in crate::cli) struct PathsArgs {
    /// Cases, or folders with cases in them
    #[arg(value_name = "PATH", default_value = "golden")]
    pub paths: Vec<PathBuf>,
    /// Folder that traces must lie in [default: the checkout, or else the current directory]
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

#[derive(Clone, Debug, ClapArgs)]
pub(in crate::cli) struct ProcessArgs {
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub shaders: ShaderArgs,
    /// Program to start for the rendering processes, instead of this one: a wrapper for a debugger, say
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
    /// Part of a texture too, presented or not, of each of the frames that has it; may be given again
    #[arg(long = "target", value_name = "RESOURCE[:MIP[:LAYER]]")]
    pub targets: Vec<ResourceName>,
    #[command(flatten)]
    pub size: SizeArgs,
    /// Approve pictures of a single colour too
    #[arg(long)]
    pub allow_blank: bool,
    #[command(flatten)]
    pub process: ProcessArgs,
}

#[derive(Clone, Debug, ClapArgs)]
pub(in crate::cli) struct TestArgs {
    #[command(flatten)]
    pub paths: PathsArgs,
    /// Rendering processes at a time [default: the number of CPUs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// Test every Nth case, from the Ith on; `golden merge` joins the results. With auto, GitLab, Buildkite, CircleCI or Slurm
    /// say I and N; elsewhere SHARD_INDEX, from 0, and SHARD_COUNT (on GitHub: strategy.job-index and strategy.job-total), of
    /// which a Kubernetes job knows the first
    #[arg(long, value_name = "I/N|auto", value_parser = parse_shard)]
    pub shard: Option<Shard>,
    /// Write a report (index.html), results and pictures into this folder
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// How often a failure is repeated, each time in a fresh process; what passes then is flaky (exit code 9)
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub retries: u32,
    /// Exit codes for `git bisect run`: 0 good, 1 bad, 125 can't be tested
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
    /// Approve pictures of a single colour too
    #[arg(long)]
    pub allow_blank: bool,
    /// Approve pictures of another API or kind of device than the goldens'
    #[arg(long)]
    pub allow_adapter_change: bool,
    /// Approve pictures of a trace that has changed since
    #[arg(long)]
    pub allow_trace_change: bool,
    /// Accept the new pictures besides the old ones
    #[arg(long)]
    pub add: bool,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct ApproveArgs {
    #[command(flatten)]
    pub paths: PathsArgs,
    /// Only these of each case's frames
    #[arg(long, value_name = "SET", allow_hyphen_values = true)]
    pub frames: Option<FrameSet>,
    #[command(flatten)]
    pub shown: ShownArgs,
    /// Only what this file accepts, which the report's page gives; nothing changes if a trace or a picture is another one than
    /// the one that was looked at
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
    /// Delete them
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct FsckArgs {
    #[command(flatten)]
    pub paths: PathsArgs,
    /// Mend what can be mended without looking at a picture
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct MutateArgs {
    #[command(flatten)]
    pub paths: PathsArgs,
    /// Draws of a frame that are left out, each in turn, at most; evenly spread where there are more
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub draws: usize,
    #[command(flatten)]
    pub process: ProcessArgs,
}

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct MergeArgs {
    /// Folders with results.json, one a shard
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// Write a report into this folder
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}
