//! The drawing side: one player per trace, all on one device.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::super::device::Device;
use super::super::message::Answered;
use super::error::{DrawingError, Refusal};
use super::question::{Drawn, Purpose, Question, Reply, Request, TraceToDraw};
use crate::analysis::{Analysis, AnalysisError, BoundBytecode, BoundShaders, draw_mesh, pixel_history};
use crate::bytes::{Diagnostics, FileSource, FileState, encode_base64, is_stdout, write_output};
use crate::command::{Place, Shown};
use crate::format::aerogpu::{DamageTolerance, Trace};
use crate::gpu::Gpu;
use crate::limits::{MAX_KEPT_PLAYERS_BYTES, MAX_SERVED_PICTURE_BYTES};
use crate::pixels::{Picture, PictureFileError, PictureFormat, Size, Surface, write_png};
use crate::player::{FaultPolicy, Player};
use crate::replay::{ShaderOptions, TraceIndex};
use crate::text::JsonLine;

/// The traces that questions may be asked about.
pub struct Players {
    shaders: ShaderOptions,
    traces: BTreeMap<u32, OpenTrace>,
    /// The trace that was asked about last.
    last: Option<u32>,
    /// Changes of the trace asked about.
    round: u64,
}

/// A trace, and its player once a picture was asked for.
struct OpenTrace {
    file: FileState,
    analysis: Analysis,
    size: Size,
    /// Whether the player goes on behind what cannot be carried out.
    faults: FaultPolicy,
    player: Option<Player>,
    /// The round in which it was asked about last.
    asked_in: u64,
}

impl Players {
    /// No traces yet. Shaders are made as `shaders` says, but for what is said about a trace.
    pub fn new(shaders: ShaderOptions) -> Self {
        Self { shaders, traces: BTreeMap::new(), last: None, round: 0 }
    }

    /// Does what is asked. A device that is lost, or does not answer, ends the worker.
    pub fn answer(&mut self, request: Request, device: &mut Device) -> Answered<Result<Reply, Refusal>> {
        let result = match request {
            Request::Prepare(trace, purpose) => self.prepare(trace, purpose, device),
            Request::Forget(trace) => {
                self.traces.remove(&trace);
                Ok(Reply::Done)
            }
            Request::Ask(trace, question) => match (self.turn_to(trace), question) {
                (Some(open), Question::Edit { place, record_offset, text }) => {
                    open.try_text(place, record_offset, text)
                }
                (Some(open), Question::Shaders(place)) => {
                    open.shaders(place).map(|reply| open.behind_faults(place, reply))
                }
                (Some(open), Question::State(place)) => open.state(place).map(|reply| open.behind_faults(place, reply)),
                (Some(open), question) => device.get().map_err(Into::into).and_then(|gpu| open.answer(question, &gpu)),
                (None, _) => Err(DrawingError::NotPrepared(trace)),
            },
        };
        let ends = result.as_ref().is_err_and(DrawingError::loses_device);
        Answered { answer: result.map_err(|error| Refusal::from(&error)), ends }
    }

    /// The trace that is asked about now. Others keep their players as long as what these hold is not too much together;
    /// those asked about longest ago are let go first, and made anew when they are asked about again.
    fn turn_to(&mut self, trace: u32) -> Option<&mut OpenTrace> {
        if self.last != Some(trace) {
            (self.last, self.round) = (Some(trace), self.round + 1);
            let mut others: Vec<&mut OpenTrace> =
                self.traces.iter_mut().filter(|(other, _)| **other != trace).map(|(_, open)| open).collect();
            others.sort_by_key(|open| Reverse(open.asked_in));
            let mut kept_bytes = 0;
            for open in others {
                kept_bytes += open.player.as_ref().map_or(0, Player::kept_bytes);
                if kept_bytes > MAX_KEPT_PLAYERS_BYTES {
                    open.player = None;
                }
            }
        }
        let open = self.traces.get_mut(&trace)?;
        open.asked_in = self.round;
        Some(open)
    }

    fn prepare(&mut self, trace: TraceToDraw, purpose: Purpose, device: &mut Device) -> Result<Reply, DrawingError> {
        let adapter = match purpose {
            Purpose::Drawing => Some(device.get()?.summary().to_string()),
            Purpose::Checking => None,
        };
        let [width_px, height_px] = trace.size_px;
        let size = Size { width_px, height_px };
        let known = self.traces.remove(&trace.trace).filter(|known| known.file == trace.file);
        let analysis = match known {
            Some(known) => known.analysis,
            None => open(&trace.path, trace.file)?,
        };
        let (language, faults, replacements) = (trace.language, trace.faults, Arc::new(trace.replacements));
        let analysis = analysis.with_shader_options(ShaderOptions { language, replacements, ..self.shaders.clone() });
        let open = OpenTrace { file: trace.file, analysis, size, faults, player: None, asked_in: self.round };
        self.traces.insert(trace.trace, open);
        Ok(Reply::Ready(adapter))
    }
}

fn bytecode_json(shader: &BoundBytecode) -> Value {
    let BoundBytecode { stage, handle, created_at, code_offset, size_bytes, purpose, assembly, replacement } = shader;
    json!({
        "stage": stage.direct3d_name(), "handle": handle, "created_offset": created_at.map(|at| at.offset),
        "code_offset": code_offset, "size_bytes": size_bytes, "purpose": purpose, "assembly": assembly.as_ref().ok(),
        "error": assembly.as_ref().err(), "replacement": replacement,
    })
}

fn open(path: &Path, expected: FileState) -> Result<Analysis, DrawingError> {
    let source = FileSource::open(path).map_err(|error| DrawingError::File { path: path.to_owned(), error })?;
    if source.state() != expected {
        return Err(DrawingError::Changed(path.to_owned()));
    }
    let opened = Trace::open_or_recover(Arc::new(source), DamageTolerance::Truncation, &mut Diagnostics::new());
    let trace = Arc::new(opened.map_err(|error| DrawingError::Trace { path: path.to_owned(), error })?);
    let index = Arc::new(TraceIndex::build(&trace, |_| ()));
    Ok(Analysis::new(trace, index))
}

impl OpenTrace {
    fn answer(&mut self, question: Question, gpu: &Arc<Gpu>) -> Result<Reply, DrawingError> {
        let place = question.place();
        let reply = self.answer_as_played(question, gpu)?;
        Ok(self.behind_faults(place, reply))
    }

    /// A reply with the faults up to the end of the place's frame, if the trace keeps going and there are any.
    fn behind_faults(&self, place: Place, reply: Reply) -> Reply {
        let faults = match (&self.player, self.faults) {
            (Some(player), _) => player.faults_until(place.frame),
            (None, FaultPolicy::KeepGoing) => self.analysis.index().faults_until(place.frame),
            (None, FaultPolicy::Stop) => return reply,
        };
        if faults.is_empty() { reply } else { Reply::BehindFaults(Box::new(reply), json!(faults)) }
    }

    fn answer_as_played(&mut self, question: Question, gpu: &Arc<Gpu>) -> Result<Reply, DrawingError> {
        Ok(match question {
            Question::Seek(place) => {
                self.player(gpu)?.set_shown(Shown::default());
                self.player(gpu)?.seek(place)?;
                Reply::Done
            }
            Question::Hash(place, shown) => {
                let player = self.player(gpu)?;
                player.set_shown(shown);
                Reply::Drawn(describe(&player.render(place)?))
            }
            Question::Image(place, shown, path) => {
                let player = self.player(gpu)?;
                player.set_shown(shown);
                let surface =
                    match path.as_deref().and_then(PictureFormat::of_path).is_some_and(PictureFormat::keeps_depth) {
                        true => player.render_surface(place)?,
                        false => Surface::Color(player.render(place)?),
                    };
                Reply::Drawn(deliver(&surface, path.as_deref())?)
            }
            Question::Pixel(place, shown, [x_px, y_px]) => {
                let player = self.player(gpu)?;
                player.set_shown(shown);
                let history = pixel_history(player, place, x_px, y_px)?.to_json();
                Reply::History(history.into_iter().map(JsonLine::into_value).collect())
            }
            Question::Mesh { frame, draw, instance, first, count } => {
                self.mesh(gpu, (Place::at_draw(frame, draw), instance), (first as usize, count as usize))?
            }
            Question::Shaders(place) => self.shaders(place)?,
            Question::State(place) => self.state(place)?,
            Question::Edit { place, record_offset, text } => self.try_text(place, record_offset, text)?,
        })
    }

    fn shaders(&self, place: Place) -> Result<Reply, DrawingError> {
        Ok(Reply::Answer(match self.analysis.bound_shaders(place, None)? {
            BoundShaders::Texts(shaders) => json!(shaders),
            BoundShaders::Bytecode(bound) => json!({ "shaders": bound.iter().map(bytecode_json).collect::<Vec<_>>() }),
        }))
    }

    fn state(&self, place: Place) -> Result<Reply, DrawingError> {
        Ok(Reply::Answer(json!(self.analysis.trace_state(place, None)?)))
    }

    /// Tries a text in place of one of the pipeline's that is bound there.
    fn try_text(&self, place: Place, record_offset: u64, text: Option<String>) -> Result<Reply, DrawingError> {
        let none = || AnalysisError::NoSuchText { record_offset };
        let text = text.ok_or_else(none)?.into_bytes();
        let tried = match self.analysis.bound_shaders(place, None)? {
            BoundShaders::Texts(shaders) => self.analysis.try_shader_text(shaders.creation, record_offset, text)?,
            BoundShaders::Bytecode(bound) => {
                let shader = bound.iter().find(|shader| shader.code_offset == record_offset).ok_or_else(none)?;
                self.analysis.try_bytecode(shader.code(), shader.stage, text)?
            }
        };
        Ok(match tried {
            Ok(edit) => Reply::Tried { issues: Vec::new(), remarks: edit.remarks, is_used: edit.is_used },
            Err(issues) => Reply::Tried { issues, remarks: Vec::new(), is_used: false },
        })
    }

    fn player(&mut self, gpu: &Arc<Gpu>) -> Result<&mut Player, DrawingError> {
        let player = match self.player.take() {
            Some(player) => player,
            None => {
                let mut player = Player::new(self.analysis.trace().clone(), gpu.clone(), self.size)?;
                player.set_fault_policy(self.faults);
                player.set_index(self.analysis.index().clone());
                player.set_shader_options(self.analysis.shader_options().clone());
                player
            }
        };
        Ok(self.player.insert(player))
    }

    fn mesh(
        &mut self,
        gpu: &Arc<Gpu>,
        (place, instance): (Place, u32),
        (first, count): (usize, usize),
    ) -> Result<Reply, DrawingError> {
        let analysis = self.analysis.clone();
        let mesh = draw_mesh(&analysis, self.player(gpu)?, place, instance)?;
        let vertices: Vec<_> = mesh.vertices.iter().skip(first * 3).take(count * 3).collect();
        let triangles: Vec<_> = mesh.triangles.iter().skip(first).take(count).collect();
        let mut answer = mesh.head();
        let rows = json!({
            "vertex_count": mesh.vertices.len(), "triangle_count": mesh.triangles.len(), "first": first * 3,
            "vertices": vertices, "triangles": triangles,
        });
        if let (Value::Object(answer), Value::Object(rows)) = (&mut answer, rows) {
            answer.extend(rows);
        }
        Ok(Reply::Answer(answer))
    }
}

fn describe(picture: &Picture) -> Drawn {
    let Size { width_px, height_px } = picture.size();
    Drawn { size_px: [width_px, height_px], sha256: picture.hash().to_string(), png: None }
}

/// Writes a picture, whole or not at all: this process may be killed at any time.
fn deliver(surface: &Surface, path: Option<&Path>) -> Result<Drawn, DrawingError> {
    let picture = &surface.picture();
    let drawn = describe(picture);
    let failed = |path: &Path, error| DrawingError::Picture { path: path.to_owned(), error };
    if let Some(path) = path {
        if is_stdout(path) {
            let error = std::io::Error::new(std::io::ErrorKind::InvalidInput, "is the output stream: expected a file");
            return Err(failed(path, error.into()));
        }
        let written = write_output(path, |into| -> Result<(), PictureFileError> {
            PictureFormat::of_path(path).unwrap_or(PictureFormat::Png).write(surface, &[], into)
        });
        written.map_err(|error| failed(path, error))?;
        return Ok(drawn);
    }
    let (found, limit) = (picture.size().rgba_bytes(), MAX_SERVED_PICTURE_BYTES);
    if found > limit {
        return Err(DrawingError::TooLarge { found, limit });
    }
    let mut png = Vec::new();
    write_png(picture, &[], &mut png).map_err(|error| failed(Path::new("the picture"), error))?;
    Ok(Drawn { png: Some(encode_base64(&png)), ..drawn })
}
