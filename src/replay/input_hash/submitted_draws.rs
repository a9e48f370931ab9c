//! The input hash of draws of submissions, of what a draw leaves of the first part that it changes, and of single pictures.
//!
//! The draws of a frame lie over each other, and each is drawn from all that the one before is. So a hash is made of hashes:
//! what a command leaves in parts of an object covers what it says, what was set for it, what the parts that it reads held,
//! and, where that shows through, what those held that it writes. Each is made once, however many commands come behind.
//!
//! ```text
//!  Left  ──► Meaning      of the commands that it refers to, what they say and refer to
//!   ▲  ├───► RenderStates of those in force
//!   │  └───► Held         of each of the parts that it reads ──┐
//!   └──────────────────── of who wrote them last ◄─────────────┘
//! ```
//!
//! [`Brought::Work`], for commands whose results nobody may see, has no part in what is tested and drawn over.
//!
//! No handle is in it: what a packet calls by one is the command that gave it, and an object is the command that made it.
//! Two objects that were made alike are told apart by who wrote them, and within a command by the order of its accesses.

use std::collections::HashMap;
use std::ops::Range;

use sha2::{Digest, Sha256};

use super::draw_parts::NOT_IN_SLICE;
use super::submitted::SaidInput;
use super::{InputHash, InputHasher};
use crate::abi::{HandleSpace, PacketInput};
use crate::error::Internal;
use crate::format::aerogpu::{FormatError, FrameIndex};
use crate::replay::buffer_contents::Piece;
use crate::replay::command_reader::CommandReader;
use crate::replay::d3d::{Access, AccessKind, ContextNumber, ObjectKey};
use crate::replay::error::ReplayError;
use crate::replay::guest_memory::MemoryPiece;
use crate::replay::index::{CommandNumber, Dependencies, TraceIndex};
use crate::replay::picture::Picture;

/// Digests that are remembered from frame to frame; they are made again if there are more.
const REMEMBERED: usize = 1 << 20;

/// Something that commands bring to a draw.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Brought {
    /// What the command with this number says, and what it refers to.
    Meaning(u32),
    /// What is in force after so many settings of a context's render states.
    RenderStates(ContextNumber, usize),
    /// What parts of an object hold after its first `writes` writes.
    Held { object: ObjectKey, start: u32, end: u32, writes: usize },
    /// What the command with the number `by` leaves in parts of its access of this number.
    Left { by: u32, access: usize, start: u32, end: u32 },
    /// Work of the command with this number, whatever it is done over.
    Work(u32),
}

/// A digest that is being made of others.
struct Mixture<'a> {
    known: &'a HashMap<Brought, [u8; 32]>,
    hasher: Sha256,
    /// What has to be known first.
    missing: Vec<Brought>,
}

impl InputHasher {
    /// For each draw of a frame, the hash of what it is drawn from. Of a draw of a submission that is the hash of what it
    /// leaves of the first part that it changes; `None` where it changes none.
    pub fn draw_hashes(&mut self, frame: FrameIndex) -> Result<Vec<Option<InputHash>>, ReplayError> {
        self.let_go_of_brought();
        let index = self.index.clone();
        let mut reader = CommandReader::new(self.trace.clone());
        let mut reference_draws = None;
        let mut hashes = Vec::new();
        for draw in index.draws_of(frame) {
            if index.submission_of(draw).is_none() {
                let draws = match &mut reference_draws {
                    Some(draws) => draws,
                    none => none.insert(self.draws(frame)?.into_iter()),
                };
                hashes.push(Some(draws.next().ok_or(NOT_IN_SLICE)?));
                continue;
            }
            let accesses = index.dependencies_of(draw)?.accesses;
            let changed = accesses.iter().position(|access| access.kind == AccessKind::Modify);
            let changed = changed.and_then(|at| Some((at, accesses.get(at)?)));
            let left = changed.map(|(at, access)| Brought::left_in(draw, at, access.parts()));
            hashes.push(left.map(|left| self.digest_brought(left, &mut reader)).transpose()?.map(InputHash));
        }
        Ok(hashes)
    }

    /// Makes room for more digests, before any of them is asked for.
    pub(super) fn let_go_of_brought(&mut self) {
        if self.brought.len() > REMEMBERED {
            self.brought.clear();
        }
    }

    /// The hash of what a picture of a frame with submissions holds.
    pub fn picture(&mut self, picture: &Picture) -> Result<InputHash, ReplayError> {
        let index = self.index.clone();
        let mut reader = CommandReader::new(self.trace.clone());
        let mut hasher = Sha256::new();
        hasher.update(b"picture");
        for (object, Range { start, end }) in picture.parts.iter().cloned() {
            // A texture that nobody has written is as large as it is.
            if let Some(made_by) = object.creation() {
                hasher.update(self.digest_brought(Brought::Meaning(made_by), &mut reader)?);
            }
            let held = Brought::held(&index, object, start..end, picture.end)?;
            hasher.update(self.digest_brought(held, &mut reader)?);
        }
        Ok(InputHash(hasher.finalize().into()))
    }

    /// The digest of what is brought, with all that it is made of: not by calls within calls, since frames lie over each
    /// other from the first to the last.
    pub(super) fn digest_brought(
        &mut self,
        wanted: Brought,
        reader: &mut CommandReader,
    ) -> Result<[u8; 32], ReplayError> {
        let mut waiting = vec![wanted.clone()];
        while let Some(next) = waiting.last() {
            if self.brought.contains_key(next) {
                waiting.pop();
                continue;
            }
            let next = next.clone();
            let brought = std::mem::take(&mut self.brought);
            let mut mixture = Mixture { known: &brought, hasher: Sha256::new(), missing: Vec::new() };
            let mixed = self.mix(&next, &mut mixture, reader);
            let Mixture { hasher, mut missing, .. } = mixture;
            self.brought = brought;
            mixed?;
            match missing.is_empty() {
                true => _ = self.brought.insert(next, hasher.finalize().into()),
                false => waiting.append(&mut missing),
            }
        }
        let digest = self.brought.get(&wanted).copied();
        Ok(digest.ok_or(Internal::new("a draw's inputs have no digest"))?)
    }

    fn mix(&mut self, what: &Brought, into: &mut Mixture<'_>, reader: &mut CommandReader) -> Result<(), ReplayError> {
        match *what {
            Brought::Meaning(number) => {
                into.hasher.update(b"meaning");
                let Dependencies { references, .. } = self.index.dependencies_of(CommandNumber(number))?;
                self.mix_packet(number, &references, into, reader)
            }
            Brought::RenderStates(context, count) => {
                into.hasher.update(b"render states");
                let setters = self.index.setters(context, count)?;
                setters.into_iter().for_each(|setter| into.take(Brought::Meaning(setter)));
                Ok(())
            }
            Brought::Held { object, start, end, writes } => {
                into.hasher.update(b"held");
                Ok(self.mix_writers(object, start..end, writes, into)?)
            }
            Brought::Left { by, access, start, end } => {
                into.hasher.update(b"left");
                self.mix_left(by, (access, start..end), into, reader)
            }
            Brought::Work(number) => {
                into.hasher.update(b"work");
                let is_read = |kind| kind == AccessKind::Read;
                self.mix_work(number, is_read, into, reader)?;
                self.mix_memory(number, into)
            }
        }
    }

    /// What a packet says, in the terms of the commands that it refers to, and what those mean.
    fn mix_packet(
        &mut self,
        number: u32,
        references: &[u32],
        into: &mut Mixture<'_>,
        reader: &mut CommandReader,
    ) -> Result<(), ReplayError> {
        let said = self.said(CommandNumber(number), reader)?;
        into.number(said.opcode.into());
        into.number(said.inputs.len() as u64);
        for input in &said.inputs {
            match input {
                SaidInput::Payload { size_bytes, digest } => {
                    into.number(*size_bytes);
                    into.hasher.update(digest);
                }
                SaidInput::Plain(PacketInput::Number(number)) => into.number(*number),
                SaidInput::Plain(PacketInput::Handle(_, 0)) => into.number(0),
                SaidInput::Plain(PacketInput::Handle(space, handle)) => {
                    into.number(1);
                    // Its own handle, and one that means nothing, stand for nothing.
                    if let Some(reference) = self.names(*space, *handle, references, reader)? {
                        into.take(Brought::Meaning(reference));
                    }
                }
                // What memory holds counts, not where it is.
                SaidInput::Plain(PacketInput::Allocation(allocation)) => into.number((*allocation != 0).into()),
                SaidInput::Plain(PacketInput::AllocationOffset(_)) => {}
                // Payloads are digested when they are read.
                SaidInput::Plain(PacketInput::Bytes(range)) => into.number(range.len() as u64),
            }
        }
        into.number(references.len() as u64);
        references.iter().for_each(|reference| into.take(Brought::Meaning(*reference)));
        Ok(())
    }

    /// The last of `references` whose packet names a handle: the one that gave it what it means.
    fn names(
        &mut self,
        space: HandleSpace,
        handle: u64,
        references: &[u32],
        reader: &mut CommandReader,
    ) -> Result<Option<u32>, ReplayError> {
        let is_handle = |input: &SaidInput| match input {
            SaidInput::Plain(PacketInput::Handle(of, named)) => (*of, *named) == (space, handle),
            _ => false,
        };
        for reference in references.iter().rev() {
            let said = self.said(CommandNumber(*reference), reader)?;
            if said.inputs.iter().any(is_handle) {
                return Ok(Some(*reference));
            }
        }
        Ok(None)
    }

    /// Who wrote `parts` of an object last, and what they left there; that says which parts they are.
    fn mix_writers(
        &self,
        object: ObjectKey,
        parts: Range<u32>,
        writes: usize,
        into: &mut Mixture<'_>,
    ) -> Result<(), Internal> {
        for (written, by) in self.index.last_writers(object, parts, writes)? {
            let Dependencies { accesses, .. } = self.index.dependencies_of(by)?;
            let mut is_found = false;
            for (at, access) in
                accesses.iter().enumerate().filter(|(_, access)| access.object == object && writes_parts(access))
            {
                let (start, end) = (access.start.max(written.start), access.end.min(written.end));
                if start < end {
                    is_found = true;
                    into.take(Brought::left_in(by, at, start..end));
                }
            }
            if !is_found {
                return Err(Internal::new("a command has written parts that it does not write"));
            }
        }
        Ok(())
    }

    /// Mixes in all that a command leaves in parts of one of its accesses.
    fn mix_left(
        &mut self,
        number: u32,
        (left, parts): (usize, Range<u32>),
        into: &mut Mixture<'_>,
        reader: &mut CommandReader,
    ) -> Result<(), ReplayError> {
        let is_read = |kind| matches!(kind, AccessKind::Read | AccessKind::Test);
        let accesses = self.mix_work(number, is_read, into, reader)?;
        let lost = Internal::new("a command has left results in parts that it does not write");
        let written = accesses.get(left).ok_or(lost)?;
        into.number(left as u64);
        into.number(parts.start.into());
        into.number(parts.end.into());
        if written.kind == AccessKind::Modify {
            into.take(Brought::held(&self.index, written.object, parts, number)?);
        }
        self.mix_memory(number, into)
    }

    /// Mixes in all that a command does, and contents of the parts that it reads; gives its accesses.
    fn mix_work(
        &mut self,
        number: u32,
        is_read: impl Fn(AccessKind) -> bool,
        into: &mut Mixture<'_>,
        reader: &mut CommandReader,
    ) -> Result<Vec<Access>, ReplayError> {
        let index = self.index.clone();
        let Dependencies { references, render_states, accesses } = index.dependencies_of(CommandNumber(number))?;
        self.mix_packet(number, &references, into, reader)?;
        if let Some((context, count)) = render_states {
            into.take(Brought::RenderStates(context, count));
        }
        let mut objects = Vec::new();
        for access in &accesses {
            into.number(access.kind as u64);
            let place = objects.iter().position(|object| *object == access.object);
            into.number(place.unwrap_or(objects.len()) as u64);
            if place.is_none() {
                objects.push(access.object);
            }
            // A command can write to memory, which is an object of its own then.
            match access.object.creation().filter(|made_by| *made_by != number) {
                Some(made_by) => into.take(Brought::Meaning(made_by)),
                None => into.number(0),
            }
            into.number(access.start.into());
            into.number(access.end.into());
            if is_read(access.kind) {
                into.take(Brought::held(&index, access.object, access.parts(), number)?);
            }
        }
        Ok(accesses)
    }

    /// The guest memory that a command takes, however it is cut into snapshots.
    fn mix_memory(&mut self, number: u32, into: &mut Mixture<'_>) -> Result<(), ReplayError> {
        let index = self.index.clone();
        let pieces = index.memory_of(CommandNumber(number));
        for run in pieces.chunk_by(|a, b| matches!((a, b), (MemoryPiece::File(_), MemoryPiece::File(_)))) {
            into.number(run.iter().map(MemoryPiece::size_bytes).sum());
            let mut files = Vec::new();
            for piece in run {
                match piece {
                    MemoryPiece::File(range) => files.push(Piece::File(range.clone())),
                    MemoryPiece::WrittenBack { by, start_bytes, .. } => {
                        let object = ObjectKey::made_by(*by);
                        into.take(Brought::held(&index, object, 0..1, number)?);
                        into.number(*start_bytes);
                    }
                }
            }
            if !files.is_empty() {
                let digest = self.digest_once(files).map_err(FormatError::from)?;
                into.hasher.update(digest);
            }
        }
        Ok(())
    }
}

impl Mixture<'_> {
    fn number(&mut self, number: u64) {
        self.hasher.update(number.to_le_bytes());
    }

    /// Takes in something else, if it is known.
    fn take(&mut self, what: Brought) {
        match self.known.get(&what) {
            Some(digest) => self.hasher.update(digest),
            None => self.missing.push(what),
        }
    }
}

impl Brought {
    /// Results of a command in parts of its access of this number.
    pub(super) fn left_in(CommandNumber(by): CommandNumber, access: usize, parts: Range<u32>) -> Self {
        Self::Left { by, access, start: parts.start, end: parts.end }
    }

    /// Contents of parts of an object before the command with the number `before`.
    pub(super) fn held(
        index: &TraceIndex,
        object: ObjectKey,
        parts: Range<u32>,
        before: u32,
    ) -> Result<Self, Internal> {
        let writes = index.writes_before(object, before)?;
        Ok(Self::Held { object, start: parts.start, end: parts.end, writes })
    }
}

fn writes_parts(access: &Access) -> bool {
    matches!(access.kind, AccessKind::Write | AccessKind::Modify)
}
