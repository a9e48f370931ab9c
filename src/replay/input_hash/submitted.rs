//! The input hash of frames with submissions.
//!
//! It covers the commands that the picture needs ([`crate::replay::TraceIndex::inputs_of_frame`]), in order. What is left
//! out of the trace, unused settings and markers, is left out here; objects, contexts and tokens count by the order in
//! which they first come up, whatever their handles; payloads and guest memory by their bytes, wherever they lie.
//!
//! ```text
//! SHA-256 of   per command   context, opcode, what the packet says, what guest memory it takes
//!              then          "frame" and which of the commands shows the picture
//! ```
//!
//! That of a draw is in [`super::submitted_draws`].

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::{InputHash, InputHasher};
use crate::abi::{HandleSpace, PacketInput};
use crate::error::Internal;
use crate::format::aerogpu::{FormatError, FrameIndex};
use crate::replay::buffer_contents::Piece;
use crate::replay::command_reader::CommandReader;
use crate::replay::error::ReplayError;
use crate::replay::guest_memory::MemoryPiece;
use crate::replay::index::{CommandNumber, ResolvedCommand};

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

/// A hash of commands, one after the other.
pub(super) struct Walk {
    pub(super) hasher: Sha256,
    /// The commands so far.
    pub(super) numbers: Vec<CommandNumber>,
    /// By handle, or context, or allocation: how many of its kind came up before it.
    handles: HashMap<HandleSpace, HashMap<u64, u64>>,
    pub(super) contexts: HashMap<u32, u64>,
    allocations: HashMap<u32, u64>,
    /// Whether a command takes back what another has written to guest memory: then it matters what lies where in it.
    counts_allocations: bool,
}

impl InputHasher {
    /// The hash of a whole frame with submissions; `None` if it is not in the index.
    pub(super) fn submitted_frame(&mut self, frame: FrameIndex) -> Result<Option<InputHash>, ReplayError> {
        let index = self.index.clone();
        // silent: `None` is the answer for a frame that is not indexed
        let Some(own) = index.first_own_commands_of(frame) else { return Ok(None) };
        let inputs = index.inputs_of_frame(frame)?.ok_or(Internal::new("a frame of the index has no inputs"))?;
        let mut walk = Walk::new(self.takes_back(&inputs));
        self.go_on(&mut walk, &inputs)?;
        walk.hasher.update(b"frame");
        let shown = index.shown_before(own.end);
        let shown = shown.map_or(Ok(u64::MAX), |present| walk.place_of(present))?;
        walk.number(shown);
        // Neither ABI draws on what the other shows: a frame is drawn from both where it has commands of both, or shows what an
        // earlier frame has drawn by the other.
        if index.numbers_in(own, |step| !is_submitted(step)).next().is_some() || !self.shows_submission(frame)? {
            let drawn = self.reference_frame(frame)?;
            drawn.into_iter().for_each(|InputHash(hash)| walk.hasher.update(hash));
        }
        Ok(Some(walk.finish()))
    }

    pub(super) fn takes_back(&self, inputs: &[CommandNumber]) -> bool {
        let is_written_back = |piece: &MemoryPiece| matches!(piece, MemoryPiece::WrittenBack { .. });
        inputs.iter().any(|number| self.index.memory_of(*number).iter().any(is_written_back))
    }

    fn go_on(&mut self, walk: &mut Walk, inputs: &[CommandNumber]) -> Result<(), ReplayError> {
        let mut reader = CommandReader::new(self.trace.clone());
        for number in inputs {
            let at = self.index.require_location(*number)?;
            let context = at.submission.map(|submission| submission.context());
            let context = context.ok_or(Internal::at("a command of a submission has none", at.offset))?;
            let said = self.said(*number, &mut reader)?;
            walk.command(*number, context, &said);
            self.memory(walk, *number)?;
        }
        Ok(())
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

    /// Takes in the guest memory that a command takes, however it is cut into snapshots.
    pub(super) fn memory(&mut self, walk: &mut Walk, number: CommandNumber) -> Result<(), ReplayError> {
        let index = self.index.clone();
        let pieces = index.memory_of(number);
        for run in pieces.chunk_by(|a, b| matches!((a, b), (MemoryPiece::File(_), MemoryPiece::File(_)))) {
            let (mut files, mut size_bytes) = (Vec::new(), 0);
            for piece in run {
                size_bytes += piece.size_bytes();
                match piece {
                    MemoryPiece::File(range) => files.push(Piece::File(range.clone())),
                    MemoryPiece::WrittenBack { by, start_bytes, .. } => {
                        walk.hasher.update(b"copy");
                        let place = walk.place_of(CommandNumber(*by))?;
                        walk.number(place);
                        // Which addresses lie over each other is in the allocation table, which counts for nothing else.
                        walk.number(*start_bytes);
                    }
                }
            }
            walk.number(size_bytes);
            if !files.is_empty() {
                let digest = self.digest_once(files).map_err(FormatError::from)?;
                walk.hasher.update(b"file");
                walk.hasher.update(digest);
            }
        }
        Ok(())
    }
}

/// Whether a command is one of a submission.
pub(super) fn is_submitted(step: &ResolvedCommand) -> bool {
    matches!(step, ResolvedCommand::Submitted { .. } | ResolvedCommand::Skipped)
}

impl Walk {
    pub(super) fn new(counts_allocations: bool) -> Self {
        Self {
            hasher: Sha256::new(),
            numbers: Vec::new(),
            handles: HashMap::new(),
            contexts: HashMap::new(),
            allocations: HashMap::new(),
            counts_allocations,
        }
    }

    fn number(&mut self, number: u64) {
        self.hasher.update(number.to_le_bytes());
    }

    fn command(&mut self, number: CommandNumber, context: u32, said: &Said) {
        self.numbers.push(number);
        let context = first_seen(&mut self.contexts, context);
        self.hasher.update(b"command");
        self.number(context);
        self.number(said.opcode.into());
        self.number(said.inputs.len() as u64);
        for input in &said.inputs {
            self.input(input);
        }
    }

    pub(super) fn input(&mut self, input: &SaidInput) {
        match input {
            SaidInput::Payload { size_bytes, digest } => {
                self.number(*size_bytes);
                self.hasher.update(digest);
            }
            SaidInput::Plain(PacketInput::Number(number)) => self.number(*number),
            SaidInput::Plain(PacketInput::Handle(_, 0) | PacketInput::Allocation(0)) => self.number(0),
            SaidInput::Plain(PacketInput::Handle(space, handle)) => {
                let place = first_seen(self.handles.entry(*space).or_default(), *handle) + 1;
                self.number(place);
            }
            SaidInput::Plain(PacketInput::Allocation(_)) if !self.counts_allocations => self.number(1),
            SaidInput::Plain(PacketInput::Allocation(allocation)) => {
                let place = first_seen(&mut self.allocations, *allocation) + 1;
                self.number(place);
            }
            SaidInput::Plain(PacketInput::AllocationOffset(_)) if !self.counts_allocations => self.number(0),
            SaidInput::Plain(PacketInput::AllocationOffset(offset)) => self.number(u64::from(*offset)),
            // Payloads are digested when they are read.
            SaidInput::Plain(PacketInput::Bytes(range)) => self.number(range.len() as u64),
        }
    }

    /// Which of the commands so far a command is.
    fn place_of(&self, number: CommandNumber) -> Result<u64, Internal> {
        let place = self.numbers.binary_search(&number);
        place.map(|place| place as u64).map_err(|_| Internal::new("a frame's inputs lack a command that they name"))
    }

    fn finish(self) -> InputHash {
        InputHash(self.hasher.finalize().into())
    }
}

/// How many others came up before it.
pub(super) fn first_seen<T: Eq + Hash>(seen: &mut HashMap<T, u64>, id: T) -> u64 {
    let count = seen.len() as u64;
    *seen.entry(id).or_insert(count)
}
