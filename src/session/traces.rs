//! Opened traces.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::edits::{Known, Version};
use super::error::SessionError;
use super::files::{OpenedFile, TraceFiles};
use super::params::{Open, parse_size};
use crate::analysis::{Analysis, AnalysisError};
use crate::bytes::{Diagnostics, FileIdentity};
use crate::command::{Place, Point};
use crate::format::aerogpu::{DamageTolerance, FrameIndex, FrameSource, Trace};
use crate::pixels::Size;
use crate::player::FaultPolicy;
use crate::questions::TraceToDraw;
use crate::replay::{DEFAULT_SIZE, ShaderOptions, ShaderReplacements, TraceIndex, largest_viewport};
use crate::text::counted;

/// A trace that is open.
pub(crate) struct OpenTrace {
    pub analysis: Analysis,
    pub size: Size,
    /// The file, which nothing is written over, if it is one of this system.
    pub file: Option<FileIdentity>,
    pub path: PathBuf,
    /// The trace as it is drawn. The analysis above answers what no edit changes.
    pub version: Arc<Version>,
    /// Where the last `seek` went.
    pub place: Place,
    pub warnings: Vec<String>,
    /// Whether answers come from behind what cannot be carried out.
    faults: FaultPolicy,
}

impl OpenTrace {
    /// Opens a trace with its index.
    pub(crate) fn open(
        handle: u32,
        params: Open,
        files: &dyn TraceFiles,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<Self, SessionError> {
        let path = params.path;
        let OpenedFile { source, identity, state, mut warnings } = files.open(&path, is_given_up)?;
        let mut diagnostics = Diagnostics::new();
        let opened = Trace::open_or_recover(source, DamageTolerance::Truncation, &mut diagnostics);
        let trace = Arc::new(opened.map_err(|source| SessionError::Trace { path: path.clone(), source })?);
        warnings.extend(diagnostics.findings().iter().map(ToString::to_string));
        if let FrameSource::Scan { cause, .. } = trace.frame_source() {
            warnings.push(format!(
                "{cause}; recovered {} from the records",
                counted(trace.frames().len(), "complete frame")
            ));
        }
        let index = TraceIndex::build_while(&trace, |_| !is_given_up()).ok_or(SessionError::Cancelled)?;
        let missing = index.missing_objects();
        warnings.extend(missing.starts_in_the_middle().then(|| missing.to_string()));
        let size = match params.size.as_deref().map_or(Ok(None), parse_size)? {
            Some(size) => size,
            None => largest_viewport(&trace).unwrap_or(DEFAULT_SIZE),
        };
        let language = params.shaders.unwrap_or_default();
        let mut options = ShaderOptions { language, ..ShaderOptions::default() };
        if let Some(folder) = &params.replace_shaders {
            options.replacements = Arc::new(files.replacements(folder, &trace, &index)?);
        }
        let analysis = Analysis::new(trace, Arc::new(index)).with_shader_options(options);
        let faults = if params.keep_going == Some(true) { FaultPolicy::KeepGoing } else { FaultPolicy::Stop };
        let to_draw = TraceToDraw {
            trace: handle,
            path: path.clone().into(),
            file: state,
            size_px: [size.width_px, size.height_px],
            language,
            faults,
            replacements: ShaderReplacements::clone(&analysis.shader_options().replacements),
        };
        let version = Version::first(Known { analysis: analysis.clone(), to_draw: Arc::new(to_draw) });
        let (file, path, place) = (identity, path.into(), Place::end_of(FrameIndex(0)));
        Ok(Self { analysis, size, file, path, version, place, warnings, faults })
    }

    /// What `open` answers.
    pub(crate) fn describe(&self, handle: u32) -> Value {
        let (trace, index) = (self.analysis.trace(), self.analysis.index());
        let stop =
            index.stop().map(|stop| json!({ "frame": stop.frame, "message": stop.message, "offset": stop.offset }));
        json!({
            "trace": handle, "frames": trace.frames().len(), "size": [self.size.width_px, self.size.height_px],
            "container_version": trace.header().container_version, "size_bytes": trace.size_bytes(),
            "warnings": self.warnings, "read_error": stop, "faults": index.fault_summary(),
        })
    }

    /// Has later requests mean this place where they name none. It stays as it was where there is no such place.
    pub(crate) fn go_to(&mut self, place: Place) {
        // What a damaged frame holds is not known here; it may still be drawn as far as it goes.
        if matches!(self.analysis.resolve_any(place), Ok(_) | Err(AnalysisError::Damaged { .. })) {
            self.place = place;
        }
    }

    /// A place that a request names, if its frame is sound: what is wrong with it is found on the way there.
    pub(crate) fn check_place(&self, place: Place) -> Result<Place, SessionError> {
        if matches!(place.point, Point::Packet(_)) && self.analysis.index().commands_of(place.frame).is_some() {
            self.analysis.resolve_any(place)?;
        }
        Ok(place)
    }

    /// Adds the faults up to the end of `frame` to an answer about it, if the session keeps going and there are any.
    pub(crate) fn with_faults(&self, frame: FrameIndex, mut answer: Value) -> Value {
        let faults = self.analysis.index().faults_until(frame);
        if let (FaultPolicy::KeepGoing, false, Some(members)) = (self.faults, faults.is_empty(), answer.as_object_mut())
        {
            members.insert("faults".to_owned(), json!(faults));
        }
        answer
    }

    /// A frame that a request names, if the trace has it.
    pub(crate) fn existing_frame(&self, frame: FrameIndex) -> Result<FrameIndex, SessionError> {
        let frame_count = self.analysis.trace().frames().len();
        match frame.as_usize() < frame_count {
            true => Ok(frame),
            false => Err(AnalysisError::NoSuchFrame { frame, frame_count }.into()),
        }
    }

    /// The frame that a request names, or the one where the last `seek` went.
    pub(crate) fn frame(&self, named: Option<u32>) -> FrameIndex {
        named.map_or(self.place.frame, FrameIndex)
    }
}
