//! The drawing side: traces are opened here again, and their pictures written to files.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::super::device::Device;
use super::super::message::Answered;
use super::request::{DrawingAnswer, Purpose, Request};
use crate::analysis::Analysis;
use crate::bytes::{Diagnostics, FileSource, FileState, is_stdout, write_output};
use crate::format::aerogpu::{DamageTolerance, Trace};
use crate::pixels::{PictureFileError, PictureFormat, Size, Surface};
use crate::questions::{
    DrawingError, Drawn, PictureForm, Players, Question, Refusal, Reply, TraceToDraw, TraceToPlay, drawn_without_file,
};
use crate::replay::{ShaderOptions, TraceIndex};

/// The traces that a worker draws, from their files.
pub struct DrawingJobs {
    shaders: ShaderOptions,
    players: Players,
    /// The state in which each trace's file was opened.
    files: BTreeMap<u32, FileState>,
}

impl DrawingJobs {
    /// No traces yet. Shaders are made as `shaders` says, but for what is said about a trace.
    pub fn new(shaders: ShaderOptions) -> Self {
        Self { shaders, players: Players::default(), files: BTreeMap::new() }
    }

    /// Does what is asked. A device that is lost, or does not answer, ends the worker.
    pub fn answer(&mut self, request: Request, device: &mut Device) -> Answered<Result<DrawingAnswer, Refusal>> {
        let result = match request {
            Request::Prepare(trace, purpose) => self.prepare(trace, purpose, device).map(DrawingAnswer::Ready),
            Request::Forget(trace) => {
                self.players.forget(trace);
                self.files.remove(&trace);
                Ok(DrawingAnswer::Forgotten)
            }
            Request::Ask(trace, question) => self.ask(trace, question, device).map(DrawingAnswer::Replied),
        };
        let ends = result.as_ref().is_err_and(DrawingError::loses_device);
        Answered { answer: result.map_err(|error| Refusal::from(&error)), ends }
    }

    fn ask(&mut self, trace: u32, question: Question, device: &mut Device) -> Result<Reply, DrawingError> {
        let open = || device.get();
        match question {
            Question::Image(place, shown, PictureForm::File(path)) => {
                let format = PictureFormat::of_path(&path).unwrap_or(PictureFormat::Png);
                let wanted = (place, shown, format.keeps_depth());
                self.players.picture(trace, wanted, open, |surface| deliver(surface, format, &path))
            }
            question => self.players.answer(trace, question, open),
        }
    }

    fn prepare(
        &mut self,
        trace: TraceToDraw,
        purpose: Purpose,
        device: &mut Device,
    ) -> Result<Option<String>, DrawingError> {
        let adapter = match purpose {
            Purpose::Drawing => Some(device.get()?.summary().to_string()),
            Purpose::Checking => None,
        };
        let [width_px, height_px] = trace.size_px;
        let size = Size { width_px, height_px };
        let is_known = trace.file.is_some() && self.files.get(&trace.trace) == trace.file.as_ref();
        let known = self.players.analysis(trace.trace).filter(|_| is_known).cloned();
        self.players.forget(trace.trace);
        let analysis = match known {
            Some(analysis) => analysis,
            None => open(&trace.path, trace.file)?,
        };
        let (language, faults, replacements) = (trace.language, trace.faults, Arc::new(trace.replacements));
        let analysis = analysis.with_shader_options(ShaderOptions { language, replacements, ..self.shaders.clone() });
        self.players.play(trace.trace, TraceToPlay { analysis, size, faults });
        self.files.extend(trace.file.map(|file| (trace.trace, file)));
        Ok(adapter)
    }
}

fn open(path: &Path, expected: Option<FileState>) -> Result<Analysis, DrawingError> {
    let source = FileSource::open(path).map_err(|error| DrawingError::File { path: path.to_owned(), error })?;
    if Some(source.state()) != expected {
        return Err(DrawingError::Changed(path.to_owned()));
    }
    let opened = Trace::open_or_recover(Arc::new(source), DamageTolerance::Truncation, &mut Diagnostics::new());
    let trace = Arc::new(opened.map_err(|error| DrawingError::Trace { path: path.to_owned(), error })?);
    let index = Arc::new(TraceIndex::build(&trace, |_| ()));
    Ok(Analysis::new(trace, index))
}

/// Writes a picture, whole or not at all: this process may be killed at any time.
fn deliver(surface: &Surface, format: PictureFormat, path: &Path) -> Result<Drawn, DrawingError> {
    let failed = |error| DrawingError::Picture { path: path.to_owned(), error };
    if is_stdout(path) {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "is the output stream: expected a file");
        return Err(failed(error.into()));
    }
    let written = write_output(path, |into| -> Result<(), PictureFileError> { format.write(surface, &[], into) });
    written.map_err(failed)?;
    Ok(drawn_without_file(&surface.picture()))
}
