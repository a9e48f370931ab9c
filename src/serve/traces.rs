//! Opened traces.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::edits::{Known, Version};
use super::error::ServeError;
use super::params::{Open, parse_size};
use super::pending::Cancel;
use crate::analysis::{Analysis, AnalysisError, blob_file_name, read_stream_replacements};
use crate::bytes::{DecodedFrom, Diagnostics, FileIdentity, FileSource, read_input};
use crate::command::{Place, Point};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{DamageTolerance, FrameIndex, FrameSource, Trace};
use crate::limits::MAX_SHADER_BYTES;
use crate::pixels::Size;
use crate::player::FaultPolicy;
use crate::replay::{DEFAULT_SIZE, ShaderOptions, ShaderReplacements, TraceIndex, largest_viewport};
use crate::text::counted;
use crate::worker::TraceToDraw;

/// A trace that is open.
pub(super) struct OpenTrace {
    pub analysis: Analysis,
    pub size: Size,
    /// The file, which nothing is written over.
    pub file: FileIdentity,
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
    pub(crate) fn open(handle: u32, params: Open, cancel: &Cancel) -> Result<Self, ServeError> {
        let path = params.path;
        let file = |source: io::Error| ServeError::File { path: path.clone(), source };
        let mut watch = |_| if cancel.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let source = FileSource::open_watched(Path::new(&path), &mut watch).map_err(|error| match error.kind() {
            ErrorKind::Interrupted => ServeError::Cancelled,
            _ => ServeError::Open { path: path.clone(), error },
        })?;
        let source = Arc::new(source);
        let identity = FileIdentity::of(Path::new(&path)).map_err(file)?;
        let state = source.state();
        let trailing = source.decoded_from().and_then(DecodedFrom::trailing);
        let mut diagnostics = Diagnostics::new();
        let opened = Trace::open_or_recover(source, DamageTolerance::Truncation, &mut diagnostics);
        let trace = Arc::new(opened.map_err(|source| ServeError::Trace { path: path.clone(), source })?);
        let mut warnings: Vec<String> = trailing.into_iter().collect();
        warnings.extend(diagnostics.findings().iter().map(ToString::to_string));
        if let FrameSource::Scan { cause, .. } = trace.frame_source() {
            warnings.push(format!(
                "{cause}; recovered {} from the records",
                counted(trace.frames().len(), "complete frame")
            ));
        }
        let index = TraceIndex::build_while(&trace, |_| !cancel.is_set()).ok_or(ServeError::Cancelled)?;
        let missing = index.missing_objects();
        warnings.extend(missing.starts_in_the_middle().then(|| missing.to_string()));
        let size = match params.size.as_deref().map_or(Ok(None), parse_size)? {
            Some(size) => size,
            None => largest_viewport(&trace).unwrap_or(DEFAULT_SIZE),
        };
        let language = params.shaders.unwrap_or_default();
        let mut options = ShaderOptions { language, ..ShaderOptions::default() };
        if let Some(folder) = &params.replace_shaders {
            options.replacements = Arc::new(read_replacements(folder, &trace, &index)?);
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
    pub(crate) fn check_place(&self, place: Place) -> Result<Place, ServeError> {
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

    /// The frame that a request names, or the one where the last `seek` went.
    pub(crate) fn frame(&self, named: Option<u32>) -> FrameIndex {
        named.map_or(self.place.frame, FrameIndex)
    }
}

/// The shaders of `folder` that have the name of one of the trace's.
fn read_replacements(folder: &str, trace: &Trace, index: &TraceIndex) -> Result<ShaderReplacements, ServeError> {
    let mut replacements = ShaderReplacements::new();
    for (id, blob) in index.catalog().definitions() {
        let path = Path::new(folder).join(blob_file_name(id, blob.record_offset, blob.kind));
        let file = |source| ServeError::File { path: path.display().to_string(), source };
        match fs::metadata(&path) {
            Ok(metadata) if metadata.len() > MAX_SHADER_BYTES => {
                let limit = MAX_SHADER_BYTES;
                let (what, instead) = ("a shader's text", "shorten it");
                return Err(ServeError::TooLarge { what, found: metadata.len(), limit, instead });
            }
            Ok(_) => {
                replacements.insert(blob.record_offset, read_input(&path).map_err(file)?);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(file(error)),
        }
    }
    read_stream_replacements(trace, Path::new(folder), &mut replacements)?;
    Ok(replacements)
}
