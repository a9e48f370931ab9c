//! Arguments of `timeline`.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use super::canonical::text_names;
use crate::cli::exit::Failure;
use crate::cli::filter::{FILTER_GRAMMAR, FilterArgs};
use crate::cli::frame_set::FrameSet;
#[cfg(feature = "gpu")]
use crate::cli::golden::{DeviceArgs, SizeArgs};
use crate::text::counted;
use crate::timeline::{AlignError, JudgedLength, Method};

#[derive(Debug, Args)]
pub(in crate::cli) struct TimelineArgs {
    #[command(subcommand)]
    pub verb: TimelineVerb,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum TimelineVerb {
    /// Describe recordings and traces, not exports, which verify-export checks; with --json one object per file
    Info(InfoArgs),
    /// List events by their place on the axis
    #[command(after_help = FILTER_GRAMMAR)]
    Dump(DumpArgs),
    /// Count events by name: count, total, own, mean, median, 99th percentile; list the longest frames
    #[command(after_help = FILTER_GRAMMAR)]
    Stats(StatsArgs),
    /// Show the alignment of recordings with the frames of a trace
    Align(AlignArgs),
    /// Show one row for each frame of a trace, the slowest first: the application's time, the scope that took most of
    /// it, the draws, and whether the picture changed
    #[command(after_help = FILTER_GRAMMAR)]
    Blame(BlameArgs),
    /// Sum up events by their scopes: a call tree with total and own time
    Tree(TreeArgs),
    /// Compare two recordings of one program, name by name and frame by frame; exit code 1 if a figure differs by more
    /// than --threshold
    #[command(after_help = FILTER_GRAMMAR)]
    Diff(DiffArgs),
    /// Write timelines for other viewers: .perfetto-trace or .pftrace for Perfetto, .json for Chrome; --filter keeps
    /// all frames
    #[command(after_help = FILTER_GRAMMAR)]
    Export(ExportArgs),
    /// Repeat an export with the same files and options, and check that it has the same bytes; exit code 1 if it
    /// differs. An export does not record its files and options: give them here
    #[command(after_help = FILTER_GRAMMAR)]
    VerifyExport(VerifyExportArgs),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct InfoArgs {
    /// The files: recordings and AeroGPU traces
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Reject a file that uses later additions to its format (WIP15: variants, zstd)
    #[arg(long)]
    pub seed_only: bool,
    /// Also compute digests of each file and of its canonical texts (slow)
    #[arg(long)]
    pub digests: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SelectionArgs {
    /// Only events that touch these frames (of the first file)
    #[arg(long, value_name = "SET", allow_hyphen_values = true)]
    pub frames: Option<FrameSet>,
    #[command(flatten)]
    pub filter: FilterArgs,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DumpArgs {
    /// The file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub selection: SelectionArgs,
    #[command(flatten)]
    pub recordings: RecordingArgs,
    /// Print a canonical text instead, the basis of digests; the choices depend on the file's format
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["frames", "filter", "annotate", "recordings"],
        value_parser = PossibleValuesParser::new(text_names()))]
    pub canonical: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct StatsArgs {
    /// The file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Number of the longest frames to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub longest: usize,
}

/// Further files and their alignment with the first.
#[derive(Debug, Args)]
pub(in crate::cli) struct BesideArgs {
    /// A recording of the application, laid beside TRACE; repeatable
    #[arg(long, value_name = "FILE")]
    pub annotate: Vec<PathBuf>,
    /// Matching of a recording's frames with TRACE's; if both began together: frames
    ///   frames         one by one, from the first on
    ///   frames:A=B     the same; TRACE's frame A is the recording's frame B
    ///   numbers        frames with the same number
    ///   auto           frames with the same contents, if they match clearly
    ///   mark:NAME      the n-th event of that name begins frame n;
    ///                  events before the first are left out
    ///   mark:NAME:A=B  the same; event B begins frame A
    ///   offset-us:N    by time, N µs later; both files need a clock
    /// Once for all recordings, or once for each. Without it, frame counts must agree
    #[arg(long, value_name = "METHOD", value_parser = parse_method, allow_hyphen_values = true, verbatim_doc_comment)]
    pub align: Vec<Method>,
}

/// Recordings of the application, as further files or by `--annotate`.
#[derive(Debug, Args)]
pub(in crate::cli) struct RecordingArgs {
    /// Recordings of the application, laid beside the first file, as with --annotate
    #[arg(value_name = "ANNOTATION")]
    pub recordings: Vec<PathBuf>,
    #[command(flatten)]
    pub beside: BesideArgs,
}

impl RecordingArgs {
    /// Further files, then those of `--annotate`.
    pub(super) fn paths(&self) -> Vec<&Path> {
        self.recordings.iter().chain(&self.beside.annotate).map(PathBuf::as_path).collect()
    }
}

impl BesideArgs {
    /// Method of alignment with the first file, for each of `count` files.
    pub(crate) fn methods(&self, count: usize) -> Result<Vec<Method>, Failure> {
        match self.align.as_slice() {
            [] => Ok(vec![Method::default(); count]),
            _ if count == 0 => Err(Failure::usage(
                "--align matches the frames of a recording: expected one, as ANNOTATION or --annotate FILE",
            )),
            [one] => Ok(vec![one.clone(); count]),
            several if several.len() == count => Ok(several.to_vec()),
            several => {
                let found = several.len();
                let message = format!(
                    "expected --align once, or {count_times}, once for each recording; found it {found_times}",
                    count_times = counted(count, "time"),
                    found_times = counted(found, "time")
                );
                Err(Failure::usage(message))
            }
        }
    }
}

#[derive(Debug, Args)]
pub(in crate::cli) struct BlameArgs {
    /// The trace whose frames are the reference
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    #[command(flatten)]
    pub recordings: RecordingArgs,
    /// Only these frames
    #[arg(long, value_name = "SET", allow_hyphen_values = true)]
    pub frames: Option<FrameSet>,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Only the N slowest frames
    #[arg(long, value_name = "N")]
    pub longest: Option<usize>,
    /// Draw frames whose inputs differ from the previous frame's, to find out whether the picture changed
    #[cfg(feature = "gpu")]
    #[arg(long)]
    pub pictures: bool,
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    pub size: SizeArgs,
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    pub device: DeviceArgs,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DiffArgs {
    /// The first recording
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// The second recording, of the same format and unit
    #[arg(value_name = "B")]
    pub b: PathBuf,
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Alignment of B's frames with A's, as in `timeline align`
    #[arg(long, value_name = "METHOD", value_parser = parse_method, default_value = "frames")]
    pub align: Method,
    /// Largest allowed difference of durations and of numbers per frame, in percent of A's
    #[arg(long, value_name = "PERCENT", default_value_t = 10.0, value_parser = parse_threshold)]
    pub threshold: f64,
    /// Ignore names with less than this share of the total time, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0.1, value_parser = parse_percent)]
    pub min_percent: f64,
    /// Figures of a name's durations to compare: mean, p50, p99, max; separated by commas
    #[arg(long, value_name = "FIGURES", value_delimiter = ',', default_value = "mean", value_parser = parse_judged)]
    pub statistics: Vec<JudgedLength>,
    /// Also list names and frames that do not differ
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct TreeArgs {
    /// The file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Only events in these frames; scopes that extend beyond them are cut
    #[arg(long, value_name = "SET", allow_hyphen_values = true)]
    pub frames: Option<FrameSet>,
    /// Omit scopes with less than this share of the total, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = parse_percent)]
    pub min_percent: f64,
    /// A tree for each track (zone, thread, context) instead of one for all
    #[arg(long)]
    pub by_track: bool,
    /// Print a line for each scope, "outer;inner;innermost" and its own ticks, the input of flame graph programs
    #[arg(long)]
    pub folded: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct AlignArgs {
    /// The trace whose frames are the reference
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    #[command(flatten)]
    pub recordings: RecordingArgs,
}

/// Contents of an export.
#[derive(Debug, Args)]
pub(in crate::cli) struct ExportedArgs {
    /// The trace whose frames are the reference; without a trace, the first --annotate file is
    #[arg(value_name = "TRACE")]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub recordings: RecordingArgs,
    #[command(flatten)]
    pub selection: SelectionArgs,
}

impl ExportedArgs {
    /// The reference, then the recordings.
    pub(super) fn paths(&self) -> Vec<&Path> {
        self.trace.iter().map(PathBuf::as_path).chain(self.recordings.paths()).collect()
    }
}

#[derive(Debug, Args)]
pub(in crate::cli) struct VerifyExportArgs {
    /// The export to check (.perfetto-trace, .pftrace or .json), anywhere among the files that it was made of
    #[arg(value_name = "EXPORT")]
    pub export: PathBuf,
    #[command(flatten)]
    pub of: ExportedArgs,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ExportArgs {
    #[command(flatten)]
    pub of: ExportedArgs,
    /// File to write: .perfetto-trace or .pftrace for ui.perfetto.dev, also when it is large; .json for
    /// chrome://tracing and other programs
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,
}

fn parse_threshold(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent: &f64| percent.is_finite() && *percent >= 0.0);
    percent.ok_or_else(|| "expected a percentage of at least 0".to_owned())
}

fn parse_judged(text: &str) -> Result<JudgedLength, String> {
    let found = JudgedLength::ALL.into_iter().find(|length| length.name() == text);
    found.ok_or_else(|| format!("expected {}", JudgedLength::ALL.map(JudgedLength::name).join(", ")))
}

fn parse_percent(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| "expected a number from 0 to 100".to_owned())
}

fn parse_method(text: &str) -> Result<Method, AlignError> {
    Method::parse(text)
}
