//! One player per trace, all on one device.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::error::DrawingError;
use super::question::{Drawn, PictureForm, PixelBytes, Question, Reply};
use crate::analysis::{
    Analysis, AnalysisError, BoundBytecode, BoundShaders, OverlayName, draw_mesh, overlay, pixel_history,
};
use crate::bytes::encode_base64;
use crate::command::{Place, Shown};
use crate::format::aerogpu::FrameIndex;
use crate::gpu::{Gpu, GpuError, PendingPicture};
use crate::limits::{MAX_KEPT_PLAYERS_BYTES, MAX_SERVED_PICTURE_BYTES};
use crate::pixels::{Picture, Size, Surface, write_png};
use crate::player::{FaultPolicy, Player};
use crate::replay::{LintSites, TraceFault, TrimError, write_trimmed};
use crate::text::JsonLine;

/// The traces that questions may be asked about.
#[derive(Default)]
pub struct Players {
    traces: BTreeMap<u32, OpenTrace>,
    /// The trace that was asked about last.
    last: Option<u32>,
    /// Changes of the trace asked about.
    round: u64,
}

/// A trace as it is to be played: its shaders are made as the analysis says.
pub struct TraceToPlay {
    /// The trace, its index, and how its shaders are made.
    pub analysis: Analysis,
    /// Size of the target before anything is presented.
    pub size: Size,
    /// Whether the player goes on behind what cannot be carried out.
    pub faults: FaultPolicy,
}

/// A picture on its way.
pub struct BegunPicture {
    trace: u32,
    picture: PendingPicture,
    most_pending: usize,
}

impl BegunPicture {
    /// Pictures of its trace that may be on their way at a time, at least one.
    pub fn most_pending(&self) -> usize {
        self.most_pending
    }
}

/// A trace, and its player once a picture was asked for.
struct OpenTrace {
    analysis: Analysis,
    size: Size,
    faults: FaultPolicy,
    player: Option<Player>,
    /// The round in which it was asked about last.
    asked_in: u64,
}

impl Players {
    /// Has questions about `trace` be about this one.
    pub fn play(&mut self, trace: u32, to_play: TraceToPlay) {
        let TraceToPlay { analysis, size, faults } = to_play;
        self.traces.insert(trace, OpenTrace { analysis, size, faults, player: None, asked_in: self.round });
    }

    /// Lets go of a trace.
    pub fn forget(&mut self, trace: u32) {
        self.traces.remove(&trace);
    }

    /// Analysis of a trace that may be asked about.
    pub fn analysis(&self, trace: u32) -> Option<&Analysis> {
        self.traces.get(&trace).map(|open| &open.analysis)
    }

    /// Answers a question. `device` is asked for where something is drawn.
    pub fn answer(
        &mut self,
        trace: u32,
        question: Question,
        device: impl FnOnce() -> Result<Arc<Gpu>, GpuError>,
    ) -> Result<Reply, DrawingError> {
        let open = self.turn_to(trace).ok_or(DrawingError::NotPrepared(trace))?;
        match question {
            Question::Edit { place, record_offset, text } => open.try_text(place, record_offset, text),
            Question::Shaders(place) => open.shaders(place).map(|reply| open.behind_faults(place, reply)),
            Question::State(place) => open.state(place).map(|reply| open.behind_faults(place, reply)),
            Question::Lint(frame) => open.lint(frame),
            Question::Trim(frames) => open.trim(&frames),
            question => {
                let (place, reply) = (question.place(), open.draw(question, &device()?)?);
                Ok(open.behind_faults(place, reply))
            }
        }
    }

    /// Begins the picture that a question asks for. Until it is [finished](Self::finish) only other pictures may be begun, of the
    /// same trace and screen.
    pub fn begin(
        &mut self,
        trace: u32,
        question: &Question,
        device: impl FnOnce() -> Result<Arc<Gpu>, GpuError>,
    ) -> Result<BegunPicture, DrawingError> {
        let open = self.turn_to(trace).ok_or(DrawingError::NotPrepared(trace))?;
        let player = open.player(&device()?)?;
        player.set_shown(question.shown());
        let picture = player.start(question.place())?;
        Ok(BegunPicture { trace, picture, most_pending: player.most_pending() })
    }

    /// Waits for a picture that was begun, and replies to its question.
    pub fn finish(&mut self, question: &Question, begun: BegunPicture) -> Result<Reply, DrawingError> {
        let BegunPicture { trace, picture, .. } = begun;
        let open = self.turn_to(trace).ok_or(DrawingError::NotPrepared(trace))?;
        let player = open.player.as_mut().ok_or(DrawingError::NotPrepared(trace))?;
        let picture = player.finish(picture)?;
        let drawn = match question {
            Question::Image(_, _, form) => drawn_as(form, &picture)?,
            _ => drawn_without_file(&picture),
        };
        Ok(open.behind_faults(question.place(), Reply::Drawn(drawn)))
    }

    /// Draws the picture of a place, with depths as they are where `keeps_depth`; and replies as to a question about it, with
    /// `describe` of it.
    pub fn picture(
        &mut self,
        trace: u32,
        (place, shown, keeps_depth): (Place, Shown, bool),
        device: impl FnOnce() -> Result<Arc<Gpu>, GpuError>,
        describe: impl FnOnce(&Surface) -> Result<Drawn, DrawingError>,
    ) -> Result<Reply, DrawingError> {
        let open = self.turn_to(trace).ok_or(DrawingError::NotPrepared(trace))?;
        let player = open.player(&device()?)?;
        player.set_shown(shown);
        let surface = if keeps_depth { player.render_surface(place)? } else { Surface::Color(player.render(place)?) };
        let drawn = describe(&surface)?;
        Ok(open.behind_faults(place, Reply::Drawn(drawn)))
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
}

fn bytecode_json(shader: &BoundBytecode) -> Value {
    let BoundBytecode { stage, handle, created_at, code_offset, size_bytes, purpose, assembly, replacement } = shader;
    json!({
        "stage": stage.direct3d_name(), "handle": handle, "created_offset": created_at.map(|at| at.offset),
        "code_offset": code_offset, "size_bytes": size_bytes, "purpose": purpose, "assembly": assembly.as_ref().ok(),
        "error": assembly.as_ref().err(), "replacement": replacement,
    })
}

impl OpenTrace {
    /// A reply with the faults up to the end of the place's frame, if the trace keeps going and there are any.
    fn behind_faults(&self, place: Place, reply: Reply) -> Reply {
        let faults = match (&self.player, self.faults) {
            (Some(player), _) => player.faults_until(place.frame),
            (None, FaultPolicy::KeepGoing) => self.analysis.index().faults_until(place.frame),
            (None, FaultPolicy::Stop) => return reply,
        };
        if faults.is_empty() { reply } else { Reply::BehindFaults(Box::new(reply), json!(faults)) }
    }

    fn draw(&mut self, question: Question, gpu: &Arc<Gpu>) -> Result<Reply, DrawingError> {
        Ok(match question {
            Question::Seek(place) => {
                self.player(gpu)?.set_shown(Shown::default());
                self.player(gpu)?.seek(place)?;
                Reply::Done
            }
            Question::Hash(place, shown) => {
                let player = self.player(gpu)?;
                player.set_shown(shown);
                Reply::Drawn(drawn_without_file(&player.render(place)?))
            }
            Question::Image(_, _, PictureForm::File(path)) => return Err(DrawingError::NoFiles(path)),
            Question::Image(place, shown, form) => {
                let player = self.player(gpu)?;
                player.set_shown(shown);
                Reply::Drawn(drawn_as(&form, &player.render(place)?)?)
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
            Question::Overlay(place, shown, name, form) => self.overlay(gpu, (place, shown), name, &form)?,
            Question::Lint(frame) => self.lint(frame)?,
            Question::Trim(frames) => self.trim(&frames)?,
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

    fn lint(&self, frame: Option<FrameIndex>) -> Result<Reply, DrawingError> {
        let (trace, index) = (self.analysis.trace(), self.analysis.index());
        let found = self.analysis.mistakes()?;
        let sites = LintSites::of(trace, index, &found).map_err(AnalysisError::from)?;
        let sited = found.iter().map(|finding| (finding, sites.of_finding(finding)));
        let wanted = sited.filter(|(_, site)| frame.is_none_or(|frame| site.frame() == Some(frame)));
        let findings: Vec<_> = wanted.map(|(finding, site)| finding.members(site)).collect();
        Ok(Reply::Answer(json!({ "findings": findings })))
    }

    /// A trace of these frames, in base64. As the verb does, it refuses to leave out what cannot be carried out, unless the
    /// trace keeps going.
    fn trim(&self, frames: &[FrameIndex]) -> Result<Reply, DrawingError> {
        let (trace, index) = (self.analysis.trace(), self.analysis.index());
        let last = frames.last().copied();
        let (faults, _) = index.faults();
        let ends = faults.iter().find(|fault| fault.at.submission.is_none() && Some(fault.at.frame) <= last);
        if let (Some(fault), FaultPolicy::Stop) = (ends, self.faults) {
            let TraceFault { message, kind, offset, .. } = fault;
            let frame = fault.at.frame;
            return Err(TrimError::NotIndexed { frame, reason: message.clone(), kind: *kind, offset: *offset }.into());
        }
        let mut sink = LimitedBytes { bytes: Vec::new(), limit: MAX_SERVED_PICTURE_BYTES, is_full: false };
        let written = write_trimmed(trace, index, frames, Shown::default(), &mut sink);
        let written = written.map(|written| written.earlier_commands);
        let earlier_commands = match written {
            Err(_) if sink.is_full => return Err(DrawingError::TraceTooLarge { limit: sink.limit }),
            written => written?,
        };
        let size_bytes = sink.bytes.len();
        Ok(Reply::Answer(json!({
            "frames": frames, "frame_count": trace.frames().len(), "size_bytes": size_bytes,
            "source_size_bytes": trace.size_bytes(), "earlier_commands": earlier_commands,
            "bytes": encode_base64(&sink.bytes),
        })))
    }

    fn overlay(
        &mut self,
        gpu: &Arc<Gpu>,
        (place, shown): (Place, Shown),
        name: OverlayName,
        form: &PictureForm,
    ) -> Result<Reply, DrawingError> {
        let (kind, place) = name.at(place).ok_or(DrawingError::NoDraw(name))?;
        let player = self.player(gpu)?;
        player.set_shown(shown);
        let made = overlay(player, place, kind)?;
        Ok(Reply::Overlaid(drawn_as(form, &made.picture)?, made.legend.iter().map(|entry| json!(entry)).collect()))
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

/// Bytes in memory, up to a limit.
struct LimitedBytes {
    bytes: Vec<u8>,
    limit: u64,
    /// More was to be written.
    is_full: bool,
}

impl Write for LimitedBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.bytes.len() + bytes.len()) as u64 > self.limit {
            self.is_full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Size and hash of a picture.
pub fn drawn_without_file(picture: &Picture) -> Drawn {
    let Size { width_px, height_px } = picture.size();
    Drawn { size_px: [width_px, height_px], sha256: picture.hash().to_string(), png: None, rgba: None }
}

/// Size and hash of a picture, and the picture itself.
fn drawn_as(form: &PictureForm, picture: &Picture) -> Result<Drawn, DrawingError> {
    let (found, limit) = (picture.size().rgba_bytes(), MAX_SERVED_PICTURE_BYTES);
    if found > limit {
        return Err(DrawingError::TooLarge { found, limit });
    }
    if *form == PictureForm::Pixels {
        return Ok(Drawn { rgba: Some(PixelBytes(picture.rgba().to_vec())), ..drawn_without_file(picture) });
    }
    let mut png = Vec::new();
    let path = || Path::new("the picture").to_owned();
    write_png(picture, &[], &mut png).map_err(|error| DrawingError::Picture { path: path(), error })?;
    Ok(Drawn { png: Some(encode_base64(&png)), ..drawn_without_file(picture) })
}
