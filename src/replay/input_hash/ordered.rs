//! Commands of submissions that are hashed in order: objects, contexts and tokens count by the order in which they first
//! come up, whatever their handles; payloads and guest memory by their bytes, wherever they lie.

use std::collections::HashMap;
use std::hash::Hash;

use sha2::{Digest, Sha256};

use super::InputHasher;
use super::submitted::{Said, SaidInput};
use crate::abi::{HandleSpace, PacketInput};
use crate::error::Internal;
use crate::format::aerogpu::FormatError;
use crate::replay::buffer_contents::Piece;
use crate::replay::error::ReplayError;
use crate::replay::guest_memory::MemoryPiece;
use crate::replay::index::{CommandNumber, ResolvedCommand};

/// A hash of commands, one after the other.
pub(super) struct Ordered {
    pub(super) hasher: Sha256,
    /// The commands so far.
    pub(super) numbers: Vec<CommandNumber>,
    /// By handle, or context, or allocation: how many of its kind came up before it.
    handles: HashMap<HandleSpace, HashMap<u64, u64>>,
    pub(super) contexts: HashMap<u32, u64>,
    allocations: HashMap<u32, u64>,
    /// True if a command takes back what another has written to guest memory: then it matters what lies where in it.
    counts_allocations: bool,
}

impl InputHasher {
    /// True if a command takes back what another has written to guest memory.
    pub(super) fn takes_back(&self, inputs: &[CommandNumber]) -> bool {
        let is_written_back = |piece: &MemoryPiece| matches!(piece, MemoryPiece::WrittenBack { .. });
        inputs.iter().any(|number| self.index.memory_of(*number).iter().any(is_written_back))
    }

    /// Takes in the guest memory that a command takes, however it is cut into snapshots.
    pub(super) fn memory(&mut self, walk: &mut Ordered, number: CommandNumber) -> Result<(), ReplayError> {
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

/// True of a command of a submission.
pub(super) fn is_submitted(step: &ResolvedCommand) -> bool {
    matches!(step, ResolvedCommand::Submitted { .. } | ResolvedCommand::Skipped)
}

impl Ordered {
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

    pub(super) fn number(&mut self, number: u64) {
        self.hasher.update(number.to_le_bytes());
    }

    pub(super) fn command(&mut self, number: CommandNumber, context: u32, said: &Said) {
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
    pub(super) fn place_of(&self, number: CommandNumber) -> Result<u64, Internal> {
        let place = self.numbers.binary_search(&number);
        place.map(|place| place as u64).map_err(|_| Internal::new("a frame's inputs lack a command that they name"))
    }
}

/// Number of others that came up before it.
pub(super) fn first_seen<T: Eq + Hash>(seen: &mut HashMap<T, u64>, id: T) -> u64 {
    let count = seen.len() as u64;
    *seen.entry(id).or_insert(count)
}
