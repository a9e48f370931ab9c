//! The program around the window: files, and what their names mean.

use std::path::{Path, PathBuf};

use clap::ValueEnum as _;

use super::annotation::read_annotation;
use super::args::{Backend, CommonArgs, RenderArgs, TargetSize};
use super::example::Example;
use super::exit::Failure;
use super::folders::state_folder;
use super::open::open_with_warnings;
use super::picture_output::PictureOutput;
use super::render::choose_size;
use super::whole_file::{Inputs, write_file};
use crate::bytes::{is_same_file, open_input};
use crate::format::aerogpu::{DamageTolerance, FrameIndex};
use crate::golden::case::{Case, picture_name};
use crate::golden::suite::find_cases;
use crate::gpu::AdapterChoice;
use crate::inspector::{Annotation, OpenTrace, Services, StateFolder};
use crate::pixels::{Picture, PictureFormat, read_png, write_png};
use crate::replay::ShaderOptions;
use crate::timeline::Method;
use crate::window::{WindowError, has_file_dialog, pick_file};

/// The program, as the inspector knows it.
pub(super) struct Program {
    pub render: RenderArgs,
    pub common: CommonArgs,
    pub example: Example,
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

    fn open_example(&self) -> Result<OpenTrace, String> {
        self.open_trace(&self.example.path(self.state_folder())?)
    }

    fn has_file_dialog(&self) -> bool {
        has_file_dialog()
    }

    fn pick_file(&self, title: &str, folder: &Path) -> Option<PathBuf> {
        pick_file(title, folder)
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
