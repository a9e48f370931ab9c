//! The command line: one file per verb, and what they share.
//!
//! ```
//! use aerogpu_replay::cli;
//!
//! // What the program's main function does.
//! let code = cli::run(["aerogpu-replay", "--version"].map(Into::into));
//! assert_eq!(code, std::process::ExitCode::SUCCESS);
//! ```

mod args;
mod broken;
mod buffer;
mod build;
mod bytecode;
mod check;
mod columns;
mod compare;
mod completions;
#[cfg(feature = "gpu")]
mod conformance;
mod conformance_file;
mod diff;
mod doctor;
mod draw_number;
mod dump;
mod events;
#[cfg(feature = "window")]
mod example;
mod exit;
mod extract;
mod extract_annotation;
mod faults;
mod file_kind;
mod filter;
#[cfg(feature = "window")]
mod first_place;
mod folders;
mod frame_set;
mod frames;
mod help;
mod idle_options;
mod index;
mod info;
mod interrupt;
mod line_width;
mod lint;
mod messages;
mod open;
mod other_verbs;
mod output;
mod passes;
mod place;
mod progress;
mod repair;
mod resource;
mod shader_language;
mod shaders;
mod start;
mod state;
mod stream_shaders;
mod texture;
mod timeline;
mod tone;
mod trim;
mod used_shaders;
mod verify;
mod whole_file;

#[cfg(feature = "gpu")]
mod adapters;
#[cfg(feature = "window")]
mod annotation;
#[cfg(feature = "gpu")]
mod bisect;
mod bisect_input;
#[cfg(feature = "gpu")]
mod delivery;
#[cfg(feature = "gpu")]
mod draw_set;
#[cfg(feature = "gpu")]
mod drawing;
#[cfg(feature = "gpu")]
mod film;
#[cfg(feature = "gpu")]
mod golden;
#[cfg(feature = "gpu")]
mod mesh;
#[cfg(feature = "gpu")]
mod overlay;
#[cfg(feature = "gpu")]
mod picture_output;
#[cfg(feature = "gpu")]
mod pixel;
#[cfg(feature = "gpu")]
mod render;
#[cfg(feature = "gpu")]
mod serve;
#[cfg(feature = "window")]
mod show;
mod shown;
#[cfg(feature = "gpu")]
mod verify_gpu;
#[cfg(feature = "gpu")]
mod verify_shaders;
mod vertex_streams;
#[cfg(feature = "gpu")]
mod watch;
#[cfg(feature = "window")]
mod window_services;
#[cfg(feature = "gpu")]
mod worker;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::error::ErrorKind;
use crate::text::Harmless;
use args::Args;
use exit::{Exit, Failure};
use messages::Messages;

/// Runs the program on `argv`, its own name first.
pub fn run(argv: impl IntoIterator<Item = OsString>) -> ExitCode {
    let is_verb = |word: &str| command().find_subcommand(word).is_some();
    let argv = other_verbs::with_flags_behind(argv.into_iter().collect(), is_verb);
    let without_command = || other_verbs::timeline_without_command(&argv);
    if let Some(message) = other_verbs::instead(&argv).or_else(without_command).or_else(|| help::misspelt_verb(&argv)) {
        let messages = if wants_json(&argv) { Messages::JSON_LINES } else { Messages::SENTENCES };
        messages.error(ErrorKind::Usage, Exit::Usage, &message, None);
        return Exit::Usage.into();
    }
    let args = match parse(&argv) {
        Ok(args) => args,
        // Help and version are answers, and go to stdout; the rest is a usage error.
        Err(error) if error.use_stderr() => {
            print_usage_error(error, &argv);
            return Exit::Usage.into();
        }
        Err(answer) => return print_answer(&answer),
    };
    start_logging(&args);
    let (messages, strict) = (args.common.messages(), args.common.strict);
    interrupt::listen();
    let result = broken::without_panics(messages, || run_verb(args));
    exit::finish(result, messages, strict)
}

/// Prints the help or the version.
fn print_answer(answer: &clap::Error) -> ExitCode {
    let printed = answer.print().map(|()| Exit::Done).map_err(Failure::from);
    exit::finish(printed, Messages::SENTENCES, false)
}

/// The verbs: a new one is its own file, its line here and its line in [`run_verb`].
#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Show header, metadata and frames of a trace. Needs no GPU.
    Info(args::InfoArgs),
    /// List every byte of a trace: offset, bytes, meaning. Needs no GPU.
    #[command(after_help = filter::FILTER_GRAMMAR)]
    Dump(args::DumpArgs),
    /// Compare two pictures, or the pictures of two folders: exit code 0 same, 1 different, 2 trouble.
    Diff(diff::DiffArgs),
    /// Compare the pictures of traces with goldens; make, approve and look after goldens.
    #[cfg(feature = "gpu")]
    Golden(golden::GoldenArgs),
    /// Find the first draw of one frame after which two sides (APIs, shader languages, traces or a picture) differ, or the first commands that two traces differ in.
    #[cfg(feature = "gpu")]
    Bisect(bisect::BisectArgs),
    /// Find the first frame and command that two traces differ in.
    #[cfg(not(feature = "gpu"))]
    Bisect(bisect_input::BisectArgs),
    /// Compare two traces: match their frames, and find the first frame and draw whose inputs, then pictures, differ.
    Compare(compare::CompareArgs),
    /// Write the picture after every draw of a frame.
    #[cfg(feature = "gpu")]
    #[command(alias = "film")]
    Filmstrip(film::FilmArgs),
    /// List what every CLEAR and draw of a frame did to one pixel, or why it did nothing.
    #[cfg(feature = "gpu")]
    Pixel(pixel::PixelArgs),
    /// Draw an overlay of a frame: the pixels of a draw, the tests that they pass, the sides of its triangles, a wireframe, the
    /// overdraw, or the age of pixels.
    #[cfg(feature = "gpu")]
    Overlay(overlay::OverlayArgs),
    /// List frames: place, size, draws, uploads, what they depend on. Needs no GPU.
    #[command(after_help = filter::ROW_FILTER_GRAMMAR)]
    Frames(frames::FramesArgs),
    /// List draws: place, vertices, the targets that they write, shaders, markers. Needs no GPU.
    #[command(after_help = filter::DRAW_FILTER_GRAMMAR)]
    Draws(frames::FramesArgs),
    /// List the passes of frames: what each draws to, reads of others and writes for whom, over all frames. Needs no GPU.
    #[command(after_help = filter::ROW_FILTER_GRAMMAR)]
    Passes(passes::PassesArgs),
    /// List a frame's records and packets by the draw that they lead to, with arguments and warnings. Needs no GPU.
    #[command(after_help = filter::FILTER_GRAMMAR)]
    Events(events::EventsArgs),
    /// Show the pipeline state at a draw, and the live objects: where each was created, written and used; or what differs from another place. Needs no GPU.
    State(state::StateArgs),
    /// Show the contents of a buffer at a draw, as bytes or as vertices, and where they were written. Needs no GPU.
    Buffer(buffer::BufferArgs),
    /// Show what a mip of a texture holds at a draw, as far as it is known without a GPU, and who wrote it.
    Texture(texture::TextureArgs),
    /// Show the output of the vertex shader for a draw's vertices, and which triangles are drawn, clipped or culled.
    #[cfg(feature = "gpu")]
    Mesh(mesh::MeshArgs),
    /// Check that a trace is sound; with --seek or --determinism, that it always gives the same pictures.
    Verify(verify::VerifyArgs),
    /// List legal commands that look like mistakes. Needs no GPU.
    #[command(after_help = lint::after_help())]
    Lint(lint::LintArgs),
    /// Write a trace of some frames and what they depend on; with --target also what that texture depends on.
    Trim(trim::TrimArgs),
    /// Write the shaders or all blobs of a trace, or the data of a WIP15 recording, as files.
    Extract(extract::ExtractArgs),
    /// Rebuild a missing or torn TOC and footer, and say what was lost.
    Repair(repair::RepairArgs),
    /// List the shaders of a trace, a frame or a draw: stages, sources, inputs, bindings; or print their texts. Needs no GPU.
    #[command(after_help = filter::ROW_FILTER_GRAMMAR)]
    Shaders(args::ShadersArgs),
    /// Read recordings that the application made (WIP15, wtf-trace), also beside a trace: info, dump, stats, tree, diff,
    /// align, blame (slowest frames), export, verify-export. Needs no GPU.
    Timeline(timeline::TimelineArgs),
    /// Answer requests of editors and scripts on one warm device (JSON-RPC 2.0).
    #[cfg(feature = "gpu")]
    #[command(after_help = serve::after_help())]
    Serve(serve::ServeArgs),
    /// Draw for another process: jobs come in on stdin, one per line.
    #[cfg(feature = "gpu")]
    #[command(hide = true)]
    Worker(worker::WorkerArgs),
    /// List the GPUs that --adapter can choose from, and the known faults of their drivers.
    #[cfg(feature = "gpu")]
    Adapters(args::AdaptersArgs),
    /// Print the version, what it finds on this machine, and known faults of drivers, for a bug report.
    Doctor(doctor::DoctorArgs),
    /// Print a script with which a shell completes verbs and flags.
    Completions(completions::CompletionsArgs),
    /// Print the manual page, or write one for each verb.
    Man(completions::ManArgs),
}

fn run_verb(args: Args) -> Result<Exit, Failure> {
    match &args.verb {
        Some(Verb::Info(info)) => info::run(info, &args.common),
        Some(Verb::Dump(dump)) => dump::run(dump, &args.common),
        Some(Verb::Timeline(timeline)) => timeline::run(timeline, &args.common),
        Some(Verb::Diff(diff)) => diff::run(diff, &args.common),
        #[cfg(feature = "gpu")]
        Some(Verb::Golden(golden)) => golden::run(golden, &args.common),
        #[cfg(feature = "gpu")]
        Some(Verb::Bisect(bisect)) => bisect::run(bisect, &args.common),
        #[cfg(not(feature = "gpu"))]
        Some(Verb::Bisect(bisect)) => bisect_input::run_verb(bisect, &args.common),
        #[cfg(feature = "gpu")]
        Some(Verb::Filmstrip(film)) => film::run(film, &args.common),
        #[cfg(feature = "gpu")]
        Some(Verb::Pixel(pixel)) => pixel::run(pixel, &args.common),
        #[cfg(feature = "gpu")]
        Some(Verb::Overlay(overlay)) => overlay::run(overlay, &args.common),
        Some(Verb::Compare(compare)) => compare::run(compare, &args.common),
        Some(Verb::Frames(frames)) => frames::run_frames(frames, &args.common),
        Some(Verb::Draws(draws)) => frames::run_draws(draws, &args.common),
        Some(Verb::Passes(passes)) => passes::run(passes, &args.common),
        Some(Verb::Events(events)) => events::run(events, &args.common),
        Some(Verb::State(state)) => state::run(state, &args.common),
        Some(Verb::Buffer(buffer)) => buffer::run(buffer, &args.common),
        Some(Verb::Texture(texture)) => texture::run(texture, &args.common),
        #[cfg(feature = "gpu")]
        Some(Verb::Mesh(mesh)) => mesh::run(mesh, &args.common),
        #[cfg(feature = "gpu")]
        Some(Verb::Serve(serve)) => serve::run(serve, &args.common),
        #[cfg(feature = "gpu")]
        Some(Verb::Worker(worker)) => worker::run(worker),
        Some(Verb::Verify(verify)) => verify::run(verify, &args.common),
        Some(Verb::Lint(lint)) => lint::run(lint, &args.common),
        Some(Verb::Trim(trim)) => trim::run(trim, &args.common),
        Some(Verb::Extract(extract)) => extract::run(extract, &args.common),
        Some(Verb::Repair(repair)) => repair::run(repair, &args.common),
        Some(Verb::Shaders(shaders)) => shaders::run(shaders, &args.common),
        #[cfg(feature = "gpu")]
        Some(Verb::Adapters(adapters)) => adapters::run(adapters, &args.common),
        Some(Verb::Doctor(doctor)) => doctor::run(doctor, &args.common),
        Some(Verb::Completions(completions)) => completions::run_completions(completions, &args.common),
        Some(Verb::Man(man)) => completions::run_man(man, &args.common),
        None if args.play.trace.is_none() => start::run(args),
        None => run_without_verb(args),
    }
}

/// The parser of the command line, for whoever wants to know all verbs and flags.
pub fn command() -> clap::Command {
    help::command()
}

fn parse(argv: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<Args, clap::Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(argv)?;
    idle_options::refuse(&mut command, &matches)?;
    Args::from_arg_matches(&matches)
}

fn wants_json(argv: &[OsString]) -> bool {
    argv.iter().any(|argument| argument == "--json")
}

/// Prints what is wrong with the command line. The parser quotes it as it is, so it is asked again with one that can
/// do nothing to a terminal.
fn print_usage_error(error: clap::Error, argv: &[OsString]) {
    let harmless = argv.iter().map(|argument| Harmless(argument.to_string_lossy()).to_string());
    let mut error = match parse(harmless) {
        Err(again) if again.kind() == error.kind() => again,
        _ => error,
    };
    if error.kind() == clap::error::ErrorKind::UnknownArgument {
        // That the argument could be meant as a value, which no flag of ours is.
        error.remove(clap::error::ContextKind::Suggested);
    }
    if wants_json(argv) {
        let text = error.render().to_string();
        // The tips and the usage are for people.
        let message = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
        return Messages::JSON_LINES.error(ErrorKind::Usage, Exit::Usage, message, None);
    }
    // Whoever closed stderr does not want to hear it.
    let _ = error.print();
}

#[cfg(feature = "gpu")]
fn run_without_verb(args: Args) -> Result<Exit, Failure> {
    if args.play.wants_files() {
        return match args.play.render.watch {
            true => watch::run(&args.play, &args.common),
            false => render::run(&args.play, &args.common),
        };
    }
    #[cfg(feature = "window")]
    return show::run(args.play, args.common);
    #[cfg(not(feature = "window"))]
    return Err(Failure::usage("this build has no window: give --frame or --frames with --out or --hash"));
}

#[cfg(not(feature = "gpu"))]
fn run_without_verb(_args: Args) -> Result<Exit, Failure> {
    Err(Failure::usage("this build renders nothing: expected a verb, such as info, dump or timeline"))
}

/// A line of the log, in which nothing acts.
fn log_line(into: &mut env_logger::fmt::Formatter, record: &log::Record<'_>) -> std::io::Result<()> {
    use std::io::Write;
    let style = into.default_level_style(record.level());
    let line = format!("{}] {}", record.target(), record.args());
    writeln!(into, "[{style}{:<5}{style:#} {}", record.level(), Harmless(line))
}

fn start_logging(args: &Args) {
    let level = match args.common.verbose {
        0 => log::LevelFilter::Off,
        1 => log::LevelFilter::Info,
        2 => log::LevelFilter::Debug,
        _ => log::LevelFilter::Trace,
    };
    let mut builder = env_logger::Builder::new();
    // The GPU libraries are chatty on every level; what matters of theirs comes out as our errors.
    builder.filter_level(log::LevelFilter::Off).filter_module("aerogpu_replay", level);
    let log = builder.parse_default_env().format(log_line).build();
    let level = log.filter();
    #[cfg(feature = "gpu")]
    let installed = crate::gpu::install_log(Some(Box::new(log)), level);
    #[cfg(not(feature = "gpu"))]
    let installed = log::set_boxed_logger(Box::new(log)).map(|()| log::set_max_level(level));
    debug_assert!(installed.is_ok(), "the program installs its log once");
}
