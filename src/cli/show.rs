//! `TRACE`: the window.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::ValueEnum as _;

use super::annotation::read_annotation;
use super::args::{Backend, CommonArgs, PlayArgs, RenderArgs, TargetSize, WindowArgs};
use super::exit::{Exit, Failure, exit_now, outcome};
use super::first_place::{first_draws, first_place};
use super::folders::state_folder;
use super::interrupt;
use super::open::{completeness, open_with_warnings};
use super::picture_output::PictureOutput;
use super::render::{choose_size, timeout, trace_path};
use super::whole_file::{Inputs, STDIO, write_file};
use crate::bytes::{is_same_file, open_input};
use crate::command::Place;
use crate::format::aerogpu::{DamageTolerance, FrameIndex};
use crate::golden::case::{Case, picture_name};
use crate::golden::suite::find_cases;
use crate::gpu::AdapterChoice;
use crate::inspector::{
    Annotation, AnnotationChoice, GpuChoice, InspectorOptions, OpenTrace, Panels, Services, StateFolder, Threads,
};
use crate::pixels::{Picture, PictureFormat, read_png, write_png};
use crate::replay::ShaderOptions;
use crate::timeline::Method;
use crate::window::{CloseHandle, Closed, WindowError, WindowOptions};

pub(super) fn run(args: PlayArgs, common: CommonArgs) -> Result<Exit, Failure> {
    let path = trace_path(&args)?.to_owned();
    if path == Path::new(STDIO) {
        return Err(Failure::usage("the window reads its trace again where it has to: expected a file, not stdin"));
    }
    let (trace, problems) = open_with_warnings(&path, DamageTolerance::Truncation, &common)?;
    let first_place = first_place(&args, &trace, &common)?;
    let draws = first_draws(&args, first_place, &trace, &common)?;
    let exit = completeness(&trace);
    let shader_options = args.render.drawn.options(&trace)?;
    let open = OpenTrace {
        size: choose_size(&args.render, &trace),
        shaders: shader_options,
        problems,
        path: path.clone(),
        trace,
    };
    let WindowArgs { fps, play, quit_after, bare, no_notes: _, ref compare, ref beside } = args.render.window;
    let compared = compare.clone();
    let methods = beside.methods(beside.annotate.len())?;
    let paths = beside.annotate.iter().cloned();
    let annotations = paths.zip(methods).map(|(path, method)| AnnotationChoice { path, method }).collect();
    let gpu = GpuChoice {
        backend: args.render.backend.into(),
        adapter: args.render.adapter.clone().unwrap_or_default(),
        timeout: timeout(&args.render),
    };
    let panels = if bare { Panels::Hidden } else { Panels::Shown };
    // Played from the start, or for so many pictures, it is to show the same each time.
    let first_place = first_place.or((play || quit_after.is_some()).then_some(Place::end_of(FrameIndex(0))));
    let plays = play;
    let inspector = InspectorOptions { open, annotations, compared, first_place, draws, fps, plays, panels, gpu };
    let messages = common.messages();
    let host = Arc::new(Program { render: args.render, common });
    let failed = |error: WindowError| Failure::from(error).context(path.display().to_string());
    let interrupted = Arc::new(AtomicBool::new(false));
    let options = WindowOptions { inspector, quit_after };
    let closed =
        crate::window::run(host, options, |close_handle| close_when_interrupted(close_handle, interrupted.clone()));
    let Closed { error, has_faults, threads } = closed.map_err(failed)?;
    let result = match error {
        _ if interrupted.load(Ordering::Relaxed) => Ok(Exit::Interrupted),
        Some(error) => Err(failed(error)),
        None if has_faults => Ok(exit.worse(Exit::Partial)),
        None => Ok(exit),
    };
    match threads {
        Threads::Ended => result,
        // What it wrote is written. Nothing waits for the driver, nor for what it would do at the end of the process.
        Threads::Busy => exit_now(outcome(result, messages)),
    }
}

/// Has a signal close the window, which saves what was edited and noted, and a second one end the program at once.
fn close_when_interrupted(close_handle: CloseHandle, interrupted: Arc<AtomicBool>) {
    interrupt::handle(move || {
        if interrupted.swap(true, Ordering::Relaxed) {
            exit_now(Exit::Interrupted);
        }
        close_handle.close();
    });
}

/// The program, as the inspector knows it.
struct Program {
    render: RenderArgs,
    common: CommonArgs,
}

impl Services for Program {
    fn open_trace(&self, path: &Path) -> Result<OpenTrace, String> {
        let open = || -> Result<OpenTrace, Failure> {
            let (trace, problems) = open_with_warnings(path, DamageTolerance::Truncation, &self.common)?;
            if trace.frames().is_empty() {
                return Err(WindowError::NoFrames.into());
            }
            Ok(OpenTrace {
                path: path.to_owned(),
                size: choose_size(&self.render, &trace),
                shaders: self.render.drawn.options(&trace)?,
                problems,
                trace,
            })
        };
        open().map_err(|failure| failure.to_string())
    }

    fn annotation(&self, path: &Path, method: &Method) -> Result<Annotation, String> {
        read_annotation(path, method)
    }

    /// Saves pictures as `--out png` would.
    fn save_picture(&self, trace: &Path, name: &str, picture: &Picture) -> Result<PathBuf, String> {
        let output = PictureOutput::Folder(".".into(), PictureFormat::Png);
        let path = output.path_named(trace, name).ok_or("no path")?;
        write_file(&path, &Inputs::of([trace]), |into| Ok(write_png(picture, &[], into)?))
            .map_err(|failure| failure.to_string())?;
        Ok(path)
    }

    fn replacements_folder(&self, trace: &Path) -> PathBuf {
        let mut name = trace.file_name().unwrap_or_default().to_owned();
        name.push(".shaders");
        name.into()
    }

    /// The golden of the trace in a `golden` folder at or above it, or in the current folder.
    fn golden(&self, trace: &Path, frame: FrameIndex) -> Result<(PathBuf, Picture), String> {
        let absolute = std::path::absolute(trace).map_err(|error| error.to_string())?;
        let here = std::env::current_dir().unwrap_or_default();
        let above = absolute.ancestors().skip(1).chain([here.as_path()]);
        let roots: Vec<PathBuf> = above.map(|folder| folder.join("golden")).filter(|root| root.is_dir()).collect();
        for root in &roots {
            let cases = find_cases(std::slice::from_ref(root)).map_err(|error| error.to_string())?;
            let is_of_trace = |case: &Case| is_same_file(&case.trace, &absolute);
            for found in cases {
                let Ok(case) = Case::read(&found.folder, root.parent().unwrap_or(root)) else { continue };
                if is_of_trace(&case) {
                    let golden = case.pictures.iter().find(|golden| golden.of == frame.into());
                    let name = golden.map(|golden| golden.picture.clone());
                    let path = found.folder.join(name.unwrap_or_else(|| picture_name(frame.into())));
                    let file = open_input(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                    let picture = read_png(std::io::BufReader::new(file));
                    return picture
                        .map(|picture| (path.clone(), picture))
                        .map_err(|error| format!("{}: {error}", path.display()));
                }
            }
        }
        Err("no golden for this trace: `aerogpu-replay golden new` makes one".to_owned())
    }

    fn followed_shaders(&self) -> Option<PathBuf> {
        self.render.drawn.replace_shaders.clone().filter(|_| self.render.watch)
    }

    fn shaders(&self, open: &OpenTrace) -> Result<ShaderOptions, String> {
        self.render.drawn.options(&open.trace).map_err(|failure| failure.to_string())
    }

    fn follows_goldens(&self) -> bool {
        self.render.watch
    }

    fn command_line(&self, trace: &Path, view: &str) -> String {
        let trace = quoted(&trace.display().to_string());
        format!("aerogpu-replay {trace} {view}{}", flags(&self.render))
    }

    fn state_folder(&self) -> StateFolder {
        if self.render.window.no_notes {
            return StateFolder::Unwanted;
        }
        state_folder().map_or(StateFolder::Missing, StateFolder::Folder)
    }
}

/// The flags of this run that change the picture.
fn flags(render: &RenderArgs) -> String {
    let mut flags = String::new();
    let mut add = |flag: &str, value: &dyn std::fmt::Display| flags.push_str(&format!(" --{flag} {value}"));
    if let TargetSize::Fixed(size) = render.size {
        add("size", &size);
    }
    let value_name = |value: Option<clap::builder::PossibleValue>| value.map(|value| value.get_name().to_owned());
    if render.backend != Backend::Auto
        && let Some(name) = value_name(render.backend.to_possible_value())
    {
        add("backend", &name);
    }
    match &render.adapter {
        Some(AdapterChoice::Index(index)) => add("adapter", index),
        Some(AdapterChoice::Name(name)) => add("adapter", &quoted(name)),
        Some(AdapterChoice::Best) | None => {}
    }
    for argument in render.drawn.shaders.arguments() {
        flags.push_str(&format!(" {argument}"));
    }
    if let Some(folder) = &render.drawn.replace_shaders {
        flags.push_str(&format!(" --replace-shaders {}", quoted(&folder.display().to_string())));
    }
    flags
}

/// A word of a command line for a POSIX shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
