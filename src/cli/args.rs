//! What the command line accepts.

use std::path::PathBuf;
#[cfg(feature = "gpu")]
use std::sync::Arc;

use clap::{Args as ClapArgs, Parser};

use super::Verb;
use super::build::long_version;
#[cfg(feature = "gpu")]
use super::draw_number::DrawNumber;
#[cfg(feature = "gpu")]
use super::draw_set::DrawArgs;
use super::exit::Exit;
#[cfg(feature = "gpu")]
use super::exit::Failure;
#[cfg(feature = "gpu")]
use super::extract::read_replacements;
use super::filter::FilterArgs;
use super::frame_set::FrameSet;
use super::shader_language::Emit;
#[cfg(feature = "gpu")]
use super::shader_language::shaders_help;
#[cfg(feature = "gpu")]
use super::shown::ShownArgs;
#[cfg(feature = "window")]
use super::timeline::BesideArgs;
use super::used_shaders::UsedByArgs;
#[cfg(feature = "gpu")]
use super::whole_file::Inputs;
#[cfg(feature = "gpu")]
use crate::command::Place;
#[cfg(feature = "gpu")]
use crate::format::aerogpu::Trace;
#[cfg(feature = "gpu")]
use crate::gpu::{AdapterChoice, BackendChoice};
#[cfg(feature = "gpu")]
use crate::pixels::Size;
#[cfg(feature = "gpu")]
use crate::replay::ShaderOptions;
#[cfg(feature = "gpu")]
use crate::shader::LanguageChoice;
#[cfg(feature = "gpu")]
use crate::shader::glsl::{ClipConvention, GlslOptions, ProvokingVertex};

const SETS: &str = "\
Frames and draws are counted from 0. SET is a comma-separated list of N, A-B, A- (to the end), A-B/STEP, last, -N (from the \
end), all, \
and @FILE (a file holding sets, one per line). A-B includes B, except in --range. In output, \"A to B\" includes B, and \
A..B, of bytes and ticks, ends before B.";

const COMPRESSED: &str = "Traces and annotations may be compressed with gzip or Zstandard, whatever their names.";

/// What `--help` ends with.
fn after_help() -> String {
    format!("{SETS}\n\n{COMPRESSED}\n\n{}", Exit::help())
}

/// Replays AeroGPU command-stream traces frame by frame: in a window, or headless to PNG and hashes.
#[derive(Debug, Parser)]
#[command(name = "aerogpu-replay", version, long_version = long_version(), after_help = after_help())]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Args {
    #[command(subcommand)]
    pub verb: Option<Verb>,
    #[command(flatten)]
    pub play: PlayArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Flags of every verb.
#[derive(Debug, ClapArgs)]
pub(super) struct CommonArgs {
    /// Print more on stderr, such as the adapter and the files written; twice for details
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,
    /// Print nothing on stderr; the exit code gives the result
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print results as JSON, one object per line
    #[arg(long, global = true)]
    pub json: bool,
    /// Treat warnings as errors (exit code 3)
    #[arg(long, global = true)]
    pub strict: bool,
    /// Skip commands that cannot be replayed, and damage, instead of ending there: count errors by kind, and exit with
    /// code 8
    #[arg(long, global = true)]
    pub keep_going: bool,
}

/// Flags for showing and rendering.
#[derive(Debug, ClapArgs)]
pub(super) struct PlayArgs {
    /// The trace to show in a window, or with --out or --hash to render (a trace named like a verb: ./info); without one,
    /// the window begins with its start page
    #[arg(value_name = "TRACE")]
    pub trace: Option<PathBuf>,
    /// Render this frame; without --out and --hash, open the window there
    #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with = "frames")]
    pub frame: Option<FrameSet>,
    /// Render these frames
    #[arg(long, value_name = "SET", allow_hyphen_values = true)]
    pub frames: Option<FrameSet>,
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    pub render: RenderArgs,
}

#[cfg(feature = "gpu")]
#[derive(Debug, ClapArgs)]
pub(super) struct RenderArgs {
    /// Where pictures go: for one frame a file that ends in .png, .exr, .tiff, .webp, .qoi, .rgba or .npy; else a directory,
    /// - for stdout, or a format's name alone for TRACE.frame0007.png in the current directory
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Print each frame's size and SHA-256
    #[arg(long)]
    pub hash: bool,
    /// Stop after this draw of the frame: K, last, or -K from the end
    #[arg(long, value_name = "K", allow_hyphen_values = true, requires = "frame")]
    pub draw: Option<DrawNumber>,
    /// Stop after this packet of the frame
    #[arg(long, value_name = "P", requires = "frame", conflicts_with = "draw")]
    pub packet: Option<u32>,
    /// Frame and draw or packet in one: 7, 7/start, 7/draw=2 or 7/packet=12
    #[arg(long, value_name = "PLACE", conflicts_with_all = ["frame", "frames", "draw", "packet"])]
    pub place: Option<Place>,
    #[command(flatten)]
    pub shown: ShownArgs,
    #[command(flatten)]
    pub draws: DrawArgs,
    /// Size of the target; auto takes the trace's largest SET_VIEWPORT, else 64x64
    #[arg(long, value_name = "WxH|auto", default_value = "auto", value_parser = parse_size)]
    pub size: TargetSize,
    /// Store trace, frame and adapter in the PNG's text chunks
    #[arg(long)]
    pub png_info: bool,
    /// GPU to use: its number in `adapters`, or part of its name
    #[arg(long, value_name = "INDEX|NAME", value_parser = parse_adapter)]
    pub adapter: Option<AdapterChoice>,
    /// API to use; noop validates without drawing
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub backend: Backend,
    #[command(flatten)]
    pub drawn: DrawnShaderArgs,
    /// Longest time for a picture or an answer, in seconds
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86400))]
    pub timeout: u64,
    /// Do not limit the vertices of a frame (else a billion) or its time
    #[arg(long)]
    pub no_render_budget: bool,
    /// Render again whenever the trace or --replace-shaders changes, until Ctrl C; the window follows both, and goldens
    #[arg(long)]
    pub watch: bool,
    #[cfg(feature = "window")]
    #[command(flatten)]
    pub window: WindowArgs,
}

/// Options of the shader translation.
#[cfg(feature = "gpu")]
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(super) struct ShaderArgs {
    #[arg(long, value_enum, default_value_t = LanguageChoice::Auto, help = shaders_help())]
    pub shaders: LanguageChoice,
    #[command(flatten)]
    pub glsl: GlslArgs,
}

/// Options of the shader translation, and replacements of the trace's shaders.
#[cfg(feature = "gpu")]
#[derive(Clone, Debug, ClapArgs)]
pub(super) struct DrawnShaderArgs {
    #[command(flatten)]
    pub shaders: ShaderArgs,
    /// Replace shaders, in every draw that uses them, with the files in this directory, named as `extract --shaders` names them: texts, assembly or
    /// bytecode
    #[arg(long, value_name = "DIR")]
    pub replace_shaders: Option<PathBuf>,
}

#[cfg(feature = "gpu")]
impl DrawnShaderArgs {
    /// How a trace's shaders are made, with those that stand in for them.
    pub(crate) fn options(&self, trace: &Trace) -> Result<ShaderOptions, Failure> {
        let mut options = ShaderOptions::from(self.shaders);
        if let Some(folder) = &self.replace_shaders {
            options.replacements = Arc::new(read_replacements(folder, trace)?);
        }
        Ok(options)
    }

    /// These inputs, with the directory.
    pub(crate) fn add_to(&self, inputs: Inputs) -> Inputs {
        self.replace_shaders.iter().fold(inputs, |inputs, folder| inputs.and_folder(folder))
    }
}

/// The options of [`GlslArgs`], by their names in the parser.
pub(super) const LANGUAGE_OPTIONS: [&str; 2] = ["glsl_clip", "glsl_provoking"];

/// Conventions that GLSL texts do not state.
#[cfg(feature = "gpu")]
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(super) struct GlslArgs {
    /// Clip space of GLSL texts; auto recognises texts written by naga by their last lines
    #[arg(long, value_enum, default_value_t = GlslClip::Auto)]
    pub glsl_clip: GlslClip,
    /// Provoking vertex: the vertex of a triangle that gives GLSL texts their flat varyings
    #[arg(long, value_enum, default_value_t = GlslProvoking::First)]
    pub glsl_provoking: GlslProvoking,
}

/// The value of --glsl-clip.
#[cfg(feature = "gpu")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum GlslClip {
    Auto,
    Gl,
    Naga,
}

/// The value of --glsl-provoking.
#[cfg(feature = "gpu")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum GlslProvoking {
    First,
    Last,
}

#[cfg(feature = "gpu")]
impl ShaderArgs {
    /// The flags again, those that are not as usual.
    pub(crate) fn arguments(self) -> Vec<String> {
        fn flag<T: clap::ValueEnum + PartialEq>(name: &str, value: T, usual: T) -> Option<[String; 2]> {
            let possible = value.to_possible_value().filter(|_| value != usual)?;
            Some([name.to_owned(), possible.get_name().to_owned()])
        }
        let flags = [
            flag("--shaders", self.shaders, LanguageChoice::Auto),
            flag("--glsl-clip", self.glsl.glsl_clip, GlslClip::Auto),
            flag("--glsl-provoking", self.glsl.glsl_provoking, GlslProvoking::First),
        ];
        flags.into_iter().flatten().flatten().collect()
    }
}

#[cfg(feature = "gpu")]
impl From<ShaderArgs> for ShaderOptions {
    fn from(args: ShaderArgs) -> Self {
        Self { language: args.shaders, glsl: args.glsl.into(), ..Self::default() }
    }
}

#[cfg(feature = "gpu")]
impl From<GlslArgs> for GlslOptions {
    fn from(args: GlslArgs) -> Self {
        let clip = match args.glsl_clip {
            GlslClip::Auto => ClipConvention::Auto,
            GlslClip::Gl => ClipConvention::Gl,
            GlslClip::Naga => ClipConvention::Naga,
        };
        let provoking = match args.glsl_provoking {
            GlslProvoking::First => ProvokingVertex::First,
            GlslProvoking::Last => ProvokingVertex::Last,
        };
        Self { clip, provoking, ..Self::default() }
    }
}

#[cfg(feature = "window")]
#[derive(Debug, ClapArgs)]
pub(super) struct WindowArgs {
    /// Frames per second while the window plays
    #[arg(long, default_value_t = 60.0, value_parser = parse_fps)]
    pub fps: f64,
    /// Start playing at once
    #[arg(long)]
    pub play: bool,
    /// Close the window after it has drawn this many pictures
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub quit_after: Option<u64>,
    /// Show only the picture (F11 brings the panels)
    #[arg(long)]
    pub bare: bool,
    /// Compare with this trace: frames with identical contents are shown side by side
    #[arg(long, value_name = "TRACE")]
    pub compare: Option<PathBuf>,
    /// Neither read nor save bookmarks, notes and the last place
    #[arg(long)]
    pub no_notes: bool,
    #[command(flatten)]
    pub beside: BesideArgs,
}

#[derive(Debug, ClapArgs)]
pub(super) struct InfoArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Read the whole trace, and show metadata, records, frames and the packets and blobs of each kind too
    #[arg(long)]
    pub deep: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct DumpArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Only these frames
    #[arg(long, value_name = "SET", allow_hyphen_values = true)]
    pub frames: Option<FrameSet>,
    /// Also show the bytes
    #[arg(long)]
    pub hex: bool,
    /// Print the canonical text instead, over which digests are taken
    #[arg(long, value_name = "TEXT", value_enum, conflicts_with_all = ["frames", "hex", "json", "filter"])]
    pub canonical: Option<DumpText>,
    #[command(flatten)]
    pub filter: FilterArgs,
}

/// The canonical texts of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum DumpText {
    /// Records, submissions, packets, and what is odd or wrong about them
    Packets,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ShadersArgs {
    /// The trace, or one shader in Direct3D bytecode (DXBC or bare tokens)
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Print texts instead: asm is the assembly of bytecode, wgsl and glsl are texts as they are in the trace, rewritten is the
    /// WGSL that GLSL becomes
    #[arg(long, value_enum)]
    pub emit: Option<Emit>,
    #[command(flatten)]
    pub used_by: UsedByArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
}

#[cfg(feature = "gpu")]
#[derive(Debug, ClapArgs)]
pub(super) struct AdaptersArgs {
    /// Only adapters of this API
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub backend: Backend,
}

/// The value of --backend.
#[cfg(feature = "gpu")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Backend {
    Auto,
    Vulkan,
    Gl,
    Metal,
    Dx12,
    Noop,
}

#[cfg(feature = "gpu")]
impl From<Backend> for BackendChoice {
    fn from(backend: Backend) -> Self {
        match backend {
            Backend::Auto => Self::Auto,
            Backend::Vulkan => Self::Vulkan,
            Backend::Gl => Self::Gl,
            Backend::Metal => Self::Metal,
            Backend::Dx12 => Self::Dx12,
            Backend::Noop => Self::Noop,
        }
    }
}

/// The value of --size.
#[cfg(feature = "gpu")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetSize {
    Auto,
    Fixed(Size),
}

impl PlayArgs {
    /// Whether pictures or hashes are wanted rather than a window.
    #[cfg(feature = "gpu")]
    pub(crate) fn wants_files(&self) -> bool {
        self.render.out.is_some() || self.render.hash
    }
}

#[cfg(feature = "gpu")]
pub(super) fn parse_size(text: &str) -> Result<TargetSize, String> {
    if text == "auto" {
        return Ok(TargetSize::Auto);
    }
    let sides = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    match sides {
        Some((width_px, height_px)) if width_px > 0 && height_px > 0 => {
            Ok(TargetSize::Fixed(Size { width_px, height_px }))
        }
        _ => Err("expected auto or WIDTHxHEIGHT in pixels, 640x480 say".to_owned()),
    }
}

#[cfg(feature = "gpu")]
pub(super) fn parse_adapter(text: &str) -> Result<AdapterChoice, std::convert::Infallible> {
    Ok(text.parse().map_or_else(|_| AdapterChoice::Name(text.to_owned()), AdapterChoice::Index))
}

#[cfg(feature = "window")]
fn parse_fps(text: &str) -> Result<f64, String> {
    let fps = text.parse().ok().filter(|fps| (0.01..=1000.0).contains(fps));
    fps.ok_or_else(|| "expected a number from 0.01 to 1000".to_owned())
}
