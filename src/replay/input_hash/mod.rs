//! The identity of what a frame is drawn from.
//!
//! Two frames with the same input hash have the same picture on the same GPU at the same target size, wherever in
//! whatever trace they are: it covers everything that can affect their pixels, and none of the ids and offsets that
//! can't.
//!
//! That of Appendix A starts anew with each CLEAR, since nothing before can be seen; that of submissions is in
//! [`submitted`] and, draw by draw, in [`submitted_draws`].
//!
//! ```text
//! SHA-256 of   "clear" 4 × f32                                          the last CLEAR, transparent black if none
//!   then per   "draw" vertex_count first_vertex stride position colour width height      u32 each, little-endian
//!     DRAW     SHA-256 of each of vertex WGSL, vertex GLSL, fragment WGSL, fragment GLSL    zeros where absent
//!              SHA-256 of the bytes that it can read of its buffer
//! ```

mod draw_parts;
mod steps;
mod submitted;
mod submitted_draws;

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use sha2::{Digest, Sha256};

pub use self::draw_parts::{DRAW_PARTS, DrawParts};
use self::steps::DrawInputs;
pub use self::steps::{FIELDS_PART, InputPart, InputStep, PAYLOAD_PART};
use self::submitted::{Said, is_submitted};
use self::submitted_draws::Brought;
use super::buffer_contents::Piece;
use super::command_reader::CommandReader;
use super::error::{Problem, ReplayError};
use super::executor::Executor;
use super::index::{BoundBuffer, CommandNumber, ResolvedCommand, Slice, TraceIndex, readable_bytes};
use super::op::BufferKey;
use crate::bytes::ReadError;
use crate::command::{Command, CreateShader, Located, Location, ShaderCode};
use crate::error::Internal;
use crate::format::aerogpu::{BlobId, FormatError, FrameIndex, Trace};
use crate::shader::ShaderLanguage;

/// Bytes of a buffer that are read at once.
const CHUNK_BYTES: u64 = 256 << 10;
/// Digests of bytes that are remembered; they are made again if there are more.
const REMEMBERED_DIGESTS: usize = 16 << 10;

/// SHA-256 of a frame's inputs; prints as 64 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputHash(pub [u8; 32]);

impl fmt::Display for InputHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Computes input hashes of one trace. Bytes that several frames share are read once.
pub struct InputHasher {
    trace: Arc<Trace>,
    index: Arc<TraceIndex>,
    executor: Executor,
    /// Digests of bytes that were read.
    digests: HashMap<Vec<Piece>, [u8; 32]>,
    /// Packets of submissions that were read.
    packets: HashMap<CommandNumber, Arc<Said>>,
    /// What commands of submissions bring to draws.
    brought: HashMap<Brought, [u8; 32]>,
    /// By file offset of the text.
    texts: HashMap<u64, [u8; 32]>,
}

/// A walk through one slice.
struct Walk {
    hasher: Sha256,
    /// A digest for each language of each CREATE_SHADER.
    shaders: HashMap<CommandNumber, Vec<[u8; 32]>>,
    /// After each of the frame's own draws, and what that draw is drawn from.
    draws: Vec<(InputHash, DrawInputs)>,
    /// The CLEAR that the picture begins with, and its draws since.
    clear: Option<(CommandNumber, [f32; 4])>,
    drawn: Vec<(CommandNumber, DrawInputs)>,
}

impl InputHasher {
    /// A hasher for the frames of `index`.
    pub fn new(trace: Arc<Trace>, index: Arc<TraceIndex>) -> Self {
        // Nothing is ever linked here: draws are not applied.
        let mut executor = Executor::new(trace.clone());
        executor.set_index(&index);
        Self {
            trace,
            index,
            executor,
            digests: HashMap::new(),
            packets: HashMap::new(),
            brought: HashMap::new(),
            texts: HashMap::new(),
        }
    }

    /// The hash of a whole frame; `None` if it is not in the index.
    pub fn frame(&mut self, frame: FrameIndex) -> Result<Option<InputHash>, ReplayError> {
        match self.index.is_submitted(frame) || self.shows_submission(frame)? {
            true => self.submitted_frame(frame),
            false => self.reference_frame(frame),
        }
    }

    /// Whether what a frame shows at its end was presented by a submission, perhaps of an earlier frame.
    fn shows_submission(&self, frame: FrameIndex) -> Result<bool, Internal> {
        // silent: a frame that is not in the index shows nothing
        let Some(own) = self.index.first_own_commands_of(frame) else { return Ok(false) };
        self.index.shows_submission(self.index.lowest_scanout(), own.end)
    }

    fn reference_frame(&mut self, frame: FrameIndex) -> Result<Option<InputHash>, ReplayError> {
        let index = self.index.clone();
        // silent: `None` is the answer for a frame that is not indexed
        let Some(own) = index.commands_of(frame) else { return Ok(None) };
        // silent: `None` is the answer for a frame that is not indexed
        let Some(slice) = index.slice(frame, own.end, None)? else { return Ok(None) };
        Ok(Some(InputHash(self.walk(&slice)?.hasher.finalize().into())))
    }

    /// The hash of the picture after each of a frame's draws.
    pub fn draws(&mut self, frame: FrameIndex) -> Result<Vec<InputHash>, ReplayError> {
        Ok(self.reference_draws(frame)?.into_iter().map(|(hash, _)| hash).collect())
    }

    /// The same, with what each of them is drawn from.
    fn reference_draws(&mut self, frame: FrameIndex) -> Result<Vec<(InputHash, DrawInputs)>, ReplayError> {
        let index = self.index.clone();
        let mut draws = Vec::new();
        // silent: `draws` of a frame that is not indexed has none
        let Some(own) = index.commands_of(frame) else { return Ok(draws) };
        // Draws before the frame's first CLEAR are drawn over what was there; those after it are not.
        let clear = index.numbers_in(own.clone(), |step| matches!(step, ResolvedCommand::Clear { .. })).next();
        let parts = [clear.map(|clear| clear.0), Some(own.end)];
        for end in parts.into_iter().flatten() {
            let slice = index.slice(frame, end, None)?.ok_or(Internal::new("a frame of the index has no slice"))?;
            let hashes = self.walk(&slice)?.draws;
            draws.extend(hashes.into_iter().skip(draws.len()));
        }
        Ok(draws)
    }

    fn walk(&mut self, slice: &Slice) -> Result<Walk, ReplayError> {
        let index = self.index.clone();
        let (hasher, shaders) = (started([0.0; 4]), HashMap::new());
        let mut walk = Walk { hasher, shaders, draws: Vec::new(), clear: None, drawn: Vec::new() };
        self.executor.restart();
        let mut reader = CommandReader::new(self.trace.clone());
        for number in slice.earlier.iter().copied().chain(slice.own.clone().map(CommandNumber)) {
            let at = index.require_location(number)?;
            match index.require_step(number)? {
                ResolvedCommand::Clear { rgba } => {
                    (walk.hasher, walk.clear) = (started(rgba), Some((number, rgba)));
                    walk.drawn.clear();
                }
                step @ ResolvedCommand::Draw { .. } => {
                    let inputs = self.draw(step, at, &mut walk)?;
                    if number.0 >= slice.own.start {
                        walk.draws.push((InputHash(walk.hasher.clone().finalize().into()), inputs.clone()));
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

    fn draw(&mut self, step: ResolvedCommand, at: Location, walk: &mut Walk) -> Result<DrawInputs, ReplayError> {
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
        walk.hasher.update(b"draw");
        fields.iter().for_each(|field| walk.hasher.update(field.to_le_bytes()));
        // silent: nothing is drawn without a pipeline
        let Some(pipeline) = pipeline.number() else { return Ok(DrawInputs { fields, texts: Vec::new(), data }) };
        let shaders = index.shaders_of(pipeline)?;
        let mut texts_of_both = Vec::with_capacity(shaders.len());
        for shader in shaders {
            let texts = walk.shaders.get(&shader).ok_or(wrong("a draw's shader is not in its slice"))?;
            texts.iter().for_each(|digest| walk.hasher.update(digest));
            texts_of_both.push(texts.concat());
        }
        walk.hasher.update(data);
        Ok(DrawInputs { fields, texts: texts_of_both, data })
    }

    fn vertex_data(&mut self, key: BufferKey, range: Range<u32>, at: Location) -> Result<[u8; 32], ReplayError> {
        let bound = self.executor.state().bound_contents(key);
        let (_, contents) = bound.ok_or(Internal::at("a draw's buffer is not bound in its slice", at.offset))?;
        let pieces = contents.pieces(u64::from(range.start)..u64::from(range.end));
        self.digest_once(pieces).map_err(|source| failed(at, source))
    }

    /// The digest of bytes, from memory if it is there.
    fn digest_once(&mut self, pieces: Vec<Piece>) -> Result<[u8; 32], ReadError> {
        if let Some(digest) = self.digests.get(&pieces) {
            return Ok(*digest);
        }
        let digest = self.digest(&pieces)?;
        if self.digests.len() >= REMEMBERED_DIGESTS {
            self.digests.clear();
        }
        self.digests.insert(pieces, digest);
        Ok(digest)
    }

    fn digest(&self, pieces: &[Piece]) -> Result<[u8; 32], ReadError> {
        let mut hasher = Sha256::new();
        let mut bytes = Vec::new();
        for piece in pieces {
            let mut rest = Some(piece.clone());
            while let Some(piece) = rest {
                let (head, tail) = piece.split_at(CHUNK_BYTES);
                self.executor.blobs().read_pieces(&[head], &mut bytes)?;
                hasher.update(&bytes);
                rest = tail;
            }
        }
        Ok(hasher.finalize().into())
    }
}

/// A hasher after a CLEAR.
fn started(rgba: [f32; 4]) -> Sha256 {
    let mut hasher = Sha256::new();
    hasher.update(b"clear");
    // As the target takes them, see `state`.
    let in_range = |component: f32| if component.is_nan() { 0.0 } else { component.clamp(0.0, 1.0) };
    rgba.iter().for_each(|component| hasher.update((in_range(*component) + 0.0).to_le_bytes()));
    hasher
}

fn failed(at: Location, source: ReadError) -> ReplayError {
    ReplayError::Command { command: "DRAW", at, problem: Problem::Read(source) }
}
