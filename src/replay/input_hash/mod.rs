//! The identity of what a frame is drawn from.
//!
//! Two frames with the same input hash have the same picture on the same GPU at the same target size, wherever in
//! whatever trace they are: it covers everything that can affect their pixels, and none of the ids and offsets that
//! can't.
//!
//! A hash is made of hashes of what is drawn over or read, each of which is made once: frames that lie over each other cost
//! as much as frames that do not.
//!
//! | module | hashes |
//! |---|---|
//! | [`canvas`] | what draws of Appendix A leave of their one target |
//! | [`submitted`] | frames of submissions: what their commands leave, and what is shown |
//! | [`submitted_draws`] | what a command of a submission leaves, and what parts of objects hold |
//! | [`draw_parts`] | a draw's inputs, in parts that people tell apart |
//! | [`ordered`], [`steps`] | inputs of a frame command by command, to find the first that differs |
//! | [`former`] | whole frames as schema 1 of a golden's inputs has them |

mod canvas;
mod draw_parts;
mod former;
mod ordered;
mod steps;
mod submitted;
mod submitted_draws;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};

pub use self::draw_parts::{DRAW_PARTS, DrawParts};
pub use self::steps::{FIELDS_PART, InputPart, InputStep, PAYLOAD_PART};
use self::submitted::Said;
use self::submitted_draws::Brought;
use super::buffer_contents::Piece;
use super::error::ReplayError;
use super::executor::Executor;
use super::index::{CommandNumber, TraceIndex};
use crate::bytes::ReadError;
use crate::error::Internal;
use crate::format::aerogpu::{FrameIndex, Trace};

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
    /// By the number of the command behind it: what a CLEAR or DRAW of Appendix A has left of the target.
    canvases: BTreeMap<u32, [u8; 32]>,
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
            canvases: BTreeMap::new(),
        }
    }

    /// The hash of a whole frame; `None` if it is not in the index.
    pub fn frame(&mut self, frame: FrameIndex) -> Result<Option<InputHash>, ReplayError> {
        match self.index.is_submitted(frame) || self.shows_submission(frame)? {
            true => self.submitted_frame(frame),
            false => self.canvas_frame(frame),
        }
    }

    /// Whether what a frame shows at its end was presented by a submission, perhaps of an earlier frame.
    fn shows_submission(&self, frame: FrameIndex) -> Result<bool, Internal> {
        // silent: a frame that is not in the index shows nothing
        let Some(own) = self.index.first_own_commands_of(frame) else { return Ok(false) };
        self.index.shows_submission(self.index.lowest_scanout(), own.end)
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
