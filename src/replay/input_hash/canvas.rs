//! Hashes of the one target of Appendix A, draw by draw.
//!
//! Each CLEAR begins anew, since nothing before can be seen; each draw is drawn over what the one before has left.
//!
//! ```text
//! after a CLEAR   SHA-256 of   "clear" 4 × f32                      transparent black before the first one
//! after a DRAW    SHA-256 of   "over" and the hash of what was there, then of the draw:
//!                 "draw" vertex_count first_vertex stride position colour width height      u32 each, little-endian
//!                 SHA-256 of each of vertex WGSL, vertex GLSL, fragment WGSL, fragment GLSL    zeros where absent
//!                 SHA-256 of the bytes that it can read of its buffer
//! ```

use std::collections::HashMap;
use std::ops::Range;

use sha2::{Digest, Sha256};

use super::ordered::is_submitted;
use super::{InputHash, InputHasher};
use crate::bytes::ReadError;
use crate::command::{Command, CreateShader, Located, Location, ShaderCode};
use crate::error::Internal;
use crate::format::aerogpu::{BlobId, FormatError, FrameIndex};
use crate::replay::buffer_contents::Piece;
use crate::replay::command_reader::CommandReader;
use crate::replay::error::{Problem, ReplayError};
use crate::replay::index::{BoundBuffer, CommandNumber, ResolvedCommand, Slice, SliceTarget, readable_bytes};
use crate::replay::op::BufferKey;
use crate::shader::ShaderLanguage;

/// Hashes of the target that are remembered; they are made again if there are more.
const REMEMBERED_CANVASES: usize = 1 << 20;

/// Inputs of a draw, beside what is on the target.
#[derive(Clone)]
pub(super) struct DrawInputs {
    /// Vertex count, first vertex, stride, two offsets, width and height of the viewport.
    pub fields: [u32; 7],
    /// Digests of the texts of its shaders, the vertex shader's first; nothing of a draw without a pipeline.
    pub texts: Vec<Vec<u8>>,
    /// The bytes of its vertices.
    pub data: [u8; 32],
}

/// A walk through one slice.
pub(super) struct Walk {
    /// The hash of what is on the target.
    canvas: [u8; 32],
    /// From this command on it is what the trace says.
    known_from: u32,
    /// A digest for each language of each CREATE_SHADER.
    shaders: HashMap<CommandNumber, Vec<[u8; 32]>>,
    /// After each of the frame's own draws, and what that draw is drawn from.
    draws: Vec<(InputHash, DrawInputs)>,
    /// The CLEAR that the picture begins with, and its draws since.
    pub(super) clear: Option<(CommandNumber, [f32; 4])>,
    pub(super) drawn: Vec<(CommandNumber, DrawInputs)>,
}

impl DrawInputs {
    /// Takes in all of it.
    pub(super) fn hash_into(&self, hasher: &mut Sha256) {
        hasher.update(b"draw");
        self.fields.iter().for_each(|field| hasher.update(field.to_le_bytes()));
        self.texts.iter().for_each(|texts| hasher.update(texts));
        if !self.texts.is_empty() {
            hasher.update(self.data);
        }
    }
}

impl InputHasher {
    /// The hash of the picture after a frame; `None` if it is not in the index.
    pub(super) fn canvas_frame(&mut self, frame: FrameIndex) -> Result<Option<InputHash>, ReplayError> {
        // silent: `None` is the answer for a frame that is not indexed
        let Some(own) = self.index.commands_of(frame) else { return Ok(None) };
        Ok(Some(InputHash(self.walk_on(frame, own.end)?.canvas)))
    }

    /// The hash of the picture after each of a frame's draws.
    pub fn draws(&mut self, frame: FrameIndex) -> Result<Vec<InputHash>, ReplayError> {
        Ok(self.canvas_draws(frame)?.into_iter().map(|(hash, _)| hash).collect())
    }

    /// That hash of each draw, with the inputs of the draw.
    pub(super) fn canvas_draws(&mut self, frame: FrameIndex) -> Result<Vec<(InputHash, DrawInputs)>, ReplayError> {
        let index = self.index.clone();
        let mut draws = Vec::new();
        // silent: `draws` of a frame that is not indexed has none
        let Some(own) = index.commands_of(frame) else { return Ok(draws) };
        // Draws before the frame's first CLEAR are drawn over what was there; those after it are not.
        let clear = index.numbers_in(own.clone(), |step| matches!(step, ResolvedCommand::Clear { .. })).next();
        let parts = [clear.map(|clear| clear.0), Some(own.end)];
        for end in parts.into_iter().flatten() {
            let hashes = self.walk_on(frame, end)?.draws;
            draws.extend(hashes.into_iter().skip(draws.len()));
        }
        Ok(draws)
    }

    /// Walks through a frame up to `end`, from the last moment before it at which the target's hash is known.
    fn walk_on(&mut self, frame: FrameIndex, end: u32) -> Result<Walk, ReplayError> {
        let index = self.index.clone();
        let lost = Internal::new("a frame of the index has no slice");
        let own = index.commands_of(frame).ok_or(lost)?;
        let known = self.canvases.range(..=own.start).next_back().map(|(before, canvas)| (*before, *canvas));
        let slice = index.slice(frame, end, known.map(|(before, _)| CommandNumber(before)))?.ok_or(lost)?;
        let canvas = match (slice.target, known) {
            (SliceTarget::PictureBefore(_), Some((_, canvas))) => canvas,
            _ => cleared([0.0; 4]),
        };
        let walk = self.walk(&slice, canvas)?;
        if slice.own.end >= walk.known_from {
            if self.canvases.len() >= REMEMBERED_CANVASES {
                self.canvases.clear();
            }
            self.canvases.insert(slice.own.end, walk.canvas);
        }
        Ok(walk)
    }

    /// Walks through a frame from the last CLEAR that shows in its picture.
    pub(super) fn walk_from_clear(&mut self, frame: FrameIndex) -> Result<Walk, ReplayError> {
        let lost = Internal::new("a frame of the index has no slice");
        let own = self.index.commands_of(frame).ok_or(lost)?;
        let slice = self.index.slice(frame, own.end, None)?.ok_or(lost)?;
        self.walk(&slice, cleared([0.0; 4]))
    }

    /// Walks through a slice that begins with what has the hash `canvas` on the target.
    fn walk(&mut self, slice: &Slice, canvas: [u8; 32]) -> Result<Walk, ReplayError> {
        let index = self.index.clone();
        let (known_from, shaders) = (slice.target.known_from().0, HashMap::new());
        let mut walk = Walk { canvas, known_from, shaders, draws: Vec::new(), clear: None, drawn: Vec::new() };
        self.executor.restart();
        let mut reader = CommandReader::new(self.trace.clone());
        for number in slice.earlier.iter().copied().chain(slice.own.clone().map(CommandNumber)) {
            let at = index.require_location(number)?;
            match index.require_step(number)? {
                ResolvedCommand::Clear { rgba } => {
                    (walk.canvas, walk.clear) = (cleared(rgba), Some((number, rgba)));
                    walk.drawn.clear();
                }
                step @ ResolvedCommand::Draw { .. } => {
                    let inputs = self.canvas_draw(step, at, &walk)?;
                    walk.canvas = drawn_over(walk.canvas, &inputs);
                    if number.0 >= slice.own.start {
                        walk.draws.push((InputHash(walk.canvas), inputs.clone()));
                    }
                    walk.drawn.push((number, inputs));
                }
                // They draw to targets of their own.
                step if is_submitted(&step) => {}
                // Nothing comes of it.
                ResolvedCommand::Refused => {}
                _ => self.apply(number, reader.read(at)?, &mut walk)?,
            }
        }
        Ok(walk)
    }

    fn apply(&mut self, number: CommandNumber, command: Located<Command>, walk: &mut Walk) -> Result<(), ReplayError> {
        self.executor.unnoted(|executor| executor.apply(&command))?;
        if let Command::CreateShader(CreateShader { code: ShaderCode::Texts(blobs), .. }) = command.value {
            let digest = |id: Option<BlobId>, hasher: &mut Self| match id {
                Some(id) => hasher.text(id, command.at),
                None => Ok([0; 32]),
            };
            let source = |language: ShaderLanguage| {
                blobs.by_kind().find(|(kind, _)| *kind == language.facts().blob).map(|(_, blob)| blob)
            };
            let digests = ShaderLanguage::ALL.map(|language| digest(source(language), self));
            let digests = digests.into_iter().collect::<Result<_, _>>()?;
            walk.shaders.insert(number, digests);
        }
        Ok(())
    }

    fn text(&mut self, id: BlobId, at: Location) -> Result<[u8; 32], ReplayError> {
        let blob = self.index.catalog().resolve(id, at.offset).cloned();
        let blob = blob.ok_or(Internal::at("a shader's text is not among the blobs of the index", at.offset))?;
        if let Some(digest) = self.texts.get(&blob.bytes.start) {
            return Ok(*digest);
        }
        let digest = self.digest(&[Piece::File(blob.bytes.clone())]).map_err(FormatError::from)?;
        self.texts.insert(blob.bytes.start, digest);
        Ok(digest)
    }

    fn canvas_draw(&mut self, step: ResolvedCommand, at: Location, walk: &Walk) -> Result<DrawInputs, ReplayError> {
        let index = self.index.clone();
        let wrong = |what| Internal::at(what, at.offset);
        let ResolvedCommand::Draw { vertex_count, first_vertex, pipeline, vertices, viewport } = step else {
            return Err(wrong("a command to be hashed as a draw is not a draw").into());
        };
        let mut fields = [vertex_count, first_vertex, 0, 0, 0, 0, 0];
        let mut data = [0; 32];
        if let Some(set) = vertices.number() {
            let BoundBuffer { create, size_bytes, layout } = index.bound_buffer(set)?;
            let bound = [layout.stride_bytes, layout.position().offset_bytes, layout.color().offset_bytes];
            fields.iter_mut().skip(2).zip(bound).for_each(|(field, value)| *field = value);
            let range = readable_bytes(&layout, first_vertex, vertex_count, size_bytes);
            data = self.vertex_data(BufferKey(index.require_location(create)?.offset), range, at)?;
        }
        if let Some(set) = viewport.number() {
            let ResolvedCommand::SetViewport { width_px, height_px } = index.require_step(set)? else {
                return Err(wrong("a draw's viewport is set by another command than SET_VIEWPORT").into());
            };
            // A side of 0 means the whole target, as no viewport does.
            if width_px != 0 && height_px != 0 {
                fields.iter_mut().skip(5).zip([width_px, height_px]).for_each(|(field, side)| *field = side);
            }
        }
        // silent: nothing is drawn without a pipeline
        let Some(pipeline) = pipeline.number() else { return Ok(DrawInputs { fields, texts: Vec::new(), data }) };
        let shaders = index.shaders_of(pipeline)?;
        let mut texts_of_both = Vec::with_capacity(shaders.len());
        for shader in shaders {
            let texts = walk.shaders.get(&shader).ok_or(wrong("a draw's shader is not in its slice"))?;
            texts_of_both.push(texts.concat());
        }
        Ok(DrawInputs { fields, texts: texts_of_both, data })
    }

    fn vertex_data(&mut self, key: BufferKey, range: Range<u32>, at: Location) -> Result<[u8; 32], ReplayError> {
        let bound = self.executor.state().bound_contents(key);
        let (_, contents) = bound.ok_or(Internal::at("a draw's buffer is not bound in its slice", at.offset))?;
        let pieces = contents.pieces(u64::from(range.start)..u64::from(range.end));
        self.digest_once(pieces).map_err(|source| failed(at, source))
    }
}

/// The hash of the target after a CLEAR.
pub(super) fn cleared(rgba: [f32; 4]) -> [u8; 32] {
    started(rgba).finalize().into()
}

/// A hasher after a CLEAR.
pub(super) fn started(rgba: [f32; 4]) -> Sha256 {
    let mut hasher = Sha256::new();
    hasher.update(b"clear");
    // As the target takes them, see `state`.
    let in_range = |component: f32| if component.is_nan() { 0.0 } else { component.clamp(0.0, 1.0) };
    rgba.iter().for_each(|component| hasher.update((in_range(*component) + 0.0).to_le_bytes()));
    hasher
}

/// The hash of the target after a draw.
fn drawn_over(canvas: [u8; 32], inputs: &DrawInputs) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(b"over");
    hasher.update(canvas);
    inputs.hash_into(&mut hasher);
    hasher.finalize().into()
}

fn failed(at: Location, source: ReadError) -> ReplayError {
    ReplayError::Command { command: "DRAW", at, problem: Problem::Read(source) }
}
