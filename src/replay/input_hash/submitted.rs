//! The input hash of frames with submissions.
//!
//! ```text
//! SHA-256 of   "frame"
//!              per command of the frame's own      what it does, and what the parts hold that it reads
//!              "shown", the last present           the same: what the parts hold that it shows
//!              the hash of the implicit target     where commands of Appendix A draw on it, or it is what is shown
//! ```
//!
//! Hashes of what commands do and of what parts hold are those of [`super::submitted_draws`]: each is made once, however
//! many frames lie over each other. No handle and no place in the file is in them.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::ordered::is_submitted;
use super::submitted_draws::Brought;
use super::{InputHash, InputHasher};
use crate::abi::PacketInput;
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::command_reader::CommandReader;
use crate::replay::error::ReplayError;
use crate::replay::index::CommandNumber;

/// Packets that are remembered; they are read again if there are more.
const REMEMBERED_PACKETS: usize = 16 << 10;

/// What a packet says, its payload by its digest.
pub(super) struct Said {
    pub(super) opcode: u32,
    pub(super) inputs: Vec<SaidInput>,
}

pub(super) enum SaidInput {
    Plain(PacketInput),
    Payload { size_bytes: u64, digest: [u8; 32] },
}

impl InputHasher {
    /// The hash of a whole frame with submissions; `None` if it is not in the index.
    pub(super) fn submitted_frame(&mut self, frame: FrameIndex) -> Result<Option<InputHash>, ReplayError> {
        let index = self.index.clone();
        // silent: `None` is the answer for a frame that is not in the index
        let Some(own) = index.first_own_commands_of(frame) else { return Ok(None) };
        self.let_go_of_brought();
        let mut reader = CommandReader::new(self.trace.clone());
        let mut hasher = Sha256::new();
        hasher.update(b"frame");
        for number in index.working_commands(own.clone()) {
            hasher.update(self.digest_brought(Brought::Work(number.0), &mut reader)?);
        }
        hasher.update(b"shown");
        if let Some(present) = index.shown_before(own.end) {
            hasher.update(self.digest_brought(Brought::Work(present.0), &mut reader)?);
        }
        // Neither ABI draws on what the other shows: a frame is drawn from both where it has commands of both, or shows what an
        // earlier frame has drawn by the other.
        if index.numbers_in(own, |step| !is_submitted(step)).next().is_some() || !self.shows_submission(frame)? {
            let drawn = self.canvas_frame(frame)?;
            drawn.into_iter().for_each(|InputHash(hash)| hasher.update(hash));
        }
        Ok(Some(InputHash(hasher.finalize().into())))
    }

    /// What a packet says, from memory if it is there.
    pub(super) fn said(&mut self, number: CommandNumber, reader: &mut CommandReader) -> Result<Arc<Said>, ReplayError> {
        if let Some(said) = self.packets.get(&number) {
            return Ok(said.clone());
        }
        let at = self.index.require_location(number)?;
        let packet = reader.read_packet(at)?;
        let inputs = packet.inputs().map_err(|source| ReplayError::Abi { source, at })?;
        let (opcode, inputs) = inputs.ok_or(Internal::at("a submission's packet is not a packet", at.offset))?;
        let digested = inputs.into_iter().map(|input| match input {
            PacketInput::Bytes(range) => {
                let bytes = packet.bytes.get(range);
                let bytes = bytes.ok_or(Internal::at("a packet's payload lies outside the packet", at.offset))?;
                Ok(SaidInput::Payload { size_bytes: bytes.len() as u64, digest: Sha256::digest(bytes).into() })
            }
            plain => Ok(SaidInput::Plain(plain)),
        });
        let inputs = digested.collect::<Result<Vec<_>, Internal>>()?;
        let said = Arc::new(Said { opcode, inputs });
        if self.packets.len() >= REMEMBERED_PACKETS {
            self.packets.clear();
        }
        self.packets.insert(number, said.clone());
        Ok(said)
    }
}
