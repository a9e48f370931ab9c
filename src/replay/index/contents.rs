//! What buffers and textures hold, as far as the CPU knows: each stretch of bytes comes from a place in the file, was
//! cleared, or was made on the GPU by a command that is known.
//!
//! Bytes are followed backwards: through copies to their sources, through guest memory to what copies have written back to
//! it, through uploads of some rows to what lay around them, up to whoever wrote them. No frame is replayed for that.

use std::ops::Range;

use super::TraceIndex;
use super::part_history::Written;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::command::{
    Command, CopyBuffer, CopyTexture, CreateTexture, FileBytes, Payload, Refresh, Subresource, Upload,
};
use crate::error::Internal;
use crate::replay::command_reader::CommandReader;
use crate::replay::d3d::{Access, AccessKind, Aspect, EffectKind, ObjectKey, Texture, aspects_of};
use crate::replay::error::{Problem, ReplayError};
use crate::replay::guest_memory::MemoryPiece;
use crate::replay::texture_layout::TextureLayout;

/// Stretches that are followed for one answer.
const MOST_STEPS: u64 = 1 << 20;

/// Where bytes of a resource come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentOrigin {
    /// Nobody wrote them: they are zero.
    Zeros,
    /// They are these bytes of the trace, by absolute file offset.
    File {
        /// The command that brought them, whatever copied them since.
        by: CommandNumber,
        /// The bytes.
        file: Range<u64>,
    },
    /// A CLEAR filled them.
    Cleared {
        /// The CLEAR.
        by: CommandNumber,
    },
    /// A draw, a dispatch or a scissored CLEAR wrote at least some of them, and nobody knows which without a GPU.
    Drawn {
        /// The last such command.
        by: CommandNumber,
    },
}

/// Bytes of a resource that come from one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentStretch {
    /// The bytes, counted from the start of what was asked for.
    pub bytes: Range<u64>,
    /// Where they come from.
    pub origin: ContentOrigin,
    /// The command that wrote them into the resource asked for, unless nobody did.
    pub written_by: Option<CommandNumber>,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentPlace {
    /// A buffer.
    Buffer(ObjectKey),
    /// A mip of a layer of a texture, whose rows follow each other.
    Subresource {
        /// The texture.
        texture: ObjectKey,
        /// The mip.
        mip: u32,
        /// The layer.
        layer: u32,
    },
}

/// Bytes that are still to be followed.
#[derive(Clone, Debug)]
struct Sought {
    /// Where they go in the answer.
    at: u64,
    place: ContentPlace,
    bytes: Range<u64>,
    before: u32,
    written_by: Option<CommandNumber>,
}

struct Search<'a> {
    index: &'a TraceIndex,
    reader: &'a mut CommandReader,
    sought: Vec<Sought>,
    found: Vec<ContentStretch>,
}

impl TraceIndex {
    /// Where `bytes` of a place come from, before the command with the number `before`, in order and without gaps.
    pub fn contents(
        &self,
        place: ContentPlace,
        bytes: Range<u64>,
        before: u32,
        reader: &mut CommandReader,
    ) -> Result<Vec<ContentStretch>, ReplayError> {
        let sought = vec![Sought { at: 0, place, bytes, before, written_by: None }];
        let mut search = Search { index: self, reader, sought, found: Vec::new() };
        let mut steps = 0;
        while let Some(sought) = search.sought.pop() {
            steps += 1;
            if steps > MOST_STEPS {
                let at = self.require_location(CommandNumber(sought.before.saturating_sub(1)))?;
                let what = "the number of copies and uploads that bytes are followed through";
                let problem = Problem::OverLimit { what, found: steps, limit: MOST_STEPS };
                return Err(ReplayError::Command { command: "COPY", at, problem });
            }
            search.follow(sought)?;
        }
        Ok(joined(search.found))
    }
}

/// Stretches in order, those that go on where the one before ends as one.
fn joined(mut found: Vec<ContentStretch>) -> Vec<ContentStretch> {
    found.sort_unstable_by_key(|stretch| stretch.bytes.start);
    let mut stretches: Vec<ContentStretch> = Vec::with_capacity(found.len());
    for stretch in found {
        match stretches.last_mut() {
            Some(last) if last.goes_on_with(&stretch) => last.extend(&stretch),
            _ => stretches.push(stretch),
        }
    }
    stretches
}

impl ContentStretch {
    fn goes_on_with(&self, next: &Self) -> bool {
        let is_same = match (&self.origin, &next.origin) {
            (ContentOrigin::File { by, file }, ContentOrigin::File { by: other, file: next }) => {
                by == other && file.end == next.start
            }
            (a, b) => a == b,
        };
        is_same && self.bytes.end == next.bytes.start && self.written_by == next.written_by
    }

    fn extend(&mut self, next: &Self) {
        self.bytes.end = next.bytes.end;
        if let (ContentOrigin::File { file, .. }, ContentOrigin::File { file: next, .. }) =
            (&mut self.origin, &next.origin)
        {
            file.end = next.end;
        }
    }
}

impl Search<'_> {
    fn find(&mut self, sought: &Sought, origin: ContentOrigin) {
        let length = sought.bytes.end - sought.bytes.start;
        let (bytes, written_by) = (sought.at..sought.at + length, sought.written_by);
        self.found.push(ContentStretch { bytes, origin, written_by });
    }

    fn follow(&mut self, sought: Sought) -> Result<(), ReplayError> {
        if sought.bytes.is_empty() {
            return Ok(());
        }
        match sought.place {
            ContentPlace::Buffer(buffer) => self.follow_buffer(buffer, sought),
            ContentPlace::Subresource { texture, mip, layer } => self.follow_texture(texture, mip, layer, sought),
        }
    }

    /// The part of what is sought that begins `from` bytes behind its start.
    fn part(sought: &Sought, bytes: Range<u64>, by: CommandNumber) -> Sought {
        let at = sought.at + (bytes.start - sought.bytes.start);
        Sought { at, bytes, written_by: sought.written_by.or(Some(by)), ..sought.clone() }
    }

    fn kind(&self, number: CommandNumber) -> Result<EffectKind, Internal> {
        match self.index.require_step(number)? {
            ResolvedCommand::Submitted { kind, .. } => Ok(kind),
            _ => Err(Internal::new("a part was written by a command outside any submission")),
        }
    }

    fn command(&mut self, number: CommandNumber) -> Result<Command, ReplayError> {
        Ok(self.reader.read(self.index.require_location(number)?)?.value)
    }

    // Buffers.

    fn follow_buffer(&mut self, buffer: ObjectKey, sought: Sought) -> Result<(), ReplayError> {
        let lost = Internal::new("a byte of a buffer lies past 4 GiB");
        let part = |byte: u64| u32::try_from(byte).map_err(|_| lost);
        let parts = part(sought.bytes.start)?..part(sought.bytes.end)?;
        let mut written = match self.index.graph.history(buffer)? {
            Some(history) => history.writers_of(parts.clone(), sought.before)?,
            None => Vec::new(),
        };
        written.sort_unstable_by_key(|written| written.parts.start);
        let mut at = parts.start;
        for Written { parts, by } in written {
            self.zeros(&sought, at..parts.start);
            at = parts.end;
            let by = CommandNumber(by.number());
            let bytes = u64::from(parts.start)..u64::from(parts.end);
            let sought = Self::part(&sought, bytes, by);
            self.written_to_buffer(by, sought)?;
        }
        self.zeros(&sought, at..parts.end);
        Ok(())
    }

    fn zeros(&mut self, sought: &Sought, parts: Range<u32>) {
        if !parts.is_empty() {
            let bytes = u64::from(parts.start)..u64::from(parts.end);
            let at = sought.at + (bytes.start - sought.bytes.start);
            let zeros = Sought { at, bytes, ..sought.clone() };
            self.find(&zeros, ContentOrigin::Zeros);
        }
    }

    fn written_to_buffer(&mut self, by: CommandNumber, sought: Sought) -> Result<(), ReplayError> {
        match self.kind(by)? {
            EffectKind::Draw | EffectKind::Dispatch => self.find(&sought, ContentOrigin::Drawn { by }),
            _ => match self.command(by)? {
                Command::Upload(Upload { offset_bytes, payload: Payload::Inline(payload), .. }) => {
                    self.uploaded(by, sought, offset_bytes, payload);
                }
                Command::Refresh(Refresh { offset_bytes, .. }) => self.refreshed(by, sought, offset_bytes)?,
                Command::CreateBuffer(_) => self.refreshed(by, sought, 0)?,
                Command::CopyBuffer(CopyBuffer { to_offset_bytes, from_offset_bytes, .. }) => {
                    let from = self.source(by)?;
                    let shifted = |byte: u64| (byte - to_offset_bytes) + from_offset_bytes;
                    let bytes = shifted(sought.bytes.start)..shifted(sought.bytes.end);
                    self.sought.push(Sought { place: ContentPlace::Buffer(from), bytes, before: by.0, ..sought });
                }
                _ => return Err(Internal::new("a buffer was written by a command that writes none").into()),
            },
        }
        Ok(())
    }

    fn uploaded(&mut self, by: CommandNumber, sought: Sought, offset: u64, payload: FileBytes) {
        let place = |byte: u64| payload.offset + (byte - offset);
        let file = place(sought.bytes.start)..place(sought.bytes.end);
        self.find(&sought, ContentOrigin::File { by, file });
    }

    /// Bytes that came from guest memory, of which the first went to `offset`.
    fn refreshed(&mut self, by: CommandNumber, sought: Sought, offset: u64) -> Result<(), ReplayError> {
        let index = self.index;
        let mut start = offset;
        for piece in index.graph.memory_of(by.0) {
            let end = start + piece.size_bytes();
            let bytes = sought.bytes.start.max(start)..sought.bytes.end.min(end);
            if bytes.start < bytes.end {
                let part = Self::part(&sought, bytes.clone(), by);
                let of_piece = |first: u64| first + (bytes.start - start)..first + (bytes.end - start);
                match piece {
                    MemoryPiece::File(file) => {
                        self.find(&part, ContentOrigin::File { by, file: of_piece(file.start) });
                    }
                    MemoryPiece::WrittenBack { by, start_bytes, .. } => {
                        self.written_back(CommandNumber(*by), of_piece(*start_bytes), part)?;
                    }
                }
            }
            start = end;
        }
        Ok(())
    }

    /// Bytes of all that a copy has written back, in the order in which it has: what it left in its destination.
    fn written_back(&mut self, copy: CommandNumber, bytes: Range<u64>, sought: Sought) -> Result<(), ReplayError> {
        let before = copy.0.saturating_add(1);
        let to = self.destination(copy)?;
        match self.command(copy)? {
            Command::CopyBuffer(CopyBuffer { to_offset_bytes, .. }) => {
                let bytes = to_offset_bytes + bytes.start..to_offset_bytes + bytes.end;
                self.sought.push(Sought { place: ContentPlace::Buffer(to), bytes, before, ..sought });
            }
            Command::CopyTexture(CopyTexture { to: Subresource { mip, layer, .. }, to_px, size_px, .. }) => {
                let layout = self.texture(to, copy.0)?.layout;
                let found = layout.subresource(mip, layer);
                let found = found.ok_or(Internal::new("a copy has written to a missing subresource"))?;
                let place = ContentPlace::Subresource { texture: to, mip, layer };
                let mut row_start = 0;
                for row in layout.rows(mip, layer, to_px, size_px) {
                    let row_end = row_start + (row.end - row.start);
                    let wanted = bytes.start.max(row_start)..bytes.end.min(row_end);
                    if wanted.start < wanted.end {
                        // In guest memory rows lie a pitch apart, in the answer they follow each other.
                        let packed = row.start - found.start_bytes + (wanted.start - row_start);
                        let pitch = found.row_pitch_bytes.max(1);
                        let first = packed / pitch * found.row_bytes + packed % pitch;
                        let at = sought.at + (wanted.start - bytes.start);
                        let bytes = first..first + (wanted.end - wanted.start);
                        self.sought.push(Sought { at, place, bytes, before, written_by: sought.written_by });
                    }
                    row_start = row_end;
                }
            }
            _ => return Err(Internal::new("guest memory was written back to by a command that does not").into()),
        }
        Ok(())
    }

    /// The object that a copy reads.
    fn source(&self, copy: CommandNumber) -> Result<ObjectKey, Internal> {
        self.copied(copy, |access| access.kind == AccessKind::Read)
    }

    /// The object that a copy writes, beside guest memory.
    fn destination(&self, copy: CommandNumber) -> Result<ObjectKey, Internal> {
        let memory = ObjectKey::made_by(copy.0);
        self.copied(copy, |access| {
            matches!(access.kind, AccessKind::Write | AccessKind::Modify) && access.object != memory
        })
    }

    /// The object of the access of a copy that `wanted` picks.
    fn copied(&self, copy: CommandNumber, wanted: impl Fn(&Access) -> bool) -> Result<ObjectKey, Internal> {
        let ResolvedCommand::Submitted { node, .. } = self.index.require_step(copy)? else {
            return Err(Internal::new("a copy is outside any submission"));
        };
        let found = self.index.graph.nodes().accesses(node)?.find(|access| wanted(access));
        Ok(found.ok_or(Internal::new("a copy reads or writes nothing"))?.object)
    }

    // Textures.

    /// A texture as it was created last before the command with the number `before`.
    fn texture(&mut self, key: ObjectKey, before: u32) -> Result<Texture, ReplayError> {
        let number = self.index.graph.creation_before(key, before);
        let number = number.ok_or(Internal::new("a texture was made by no command"))?;
        let Command::CreateTexture(desc) = self.command(CommandNumber(number))? else {
            return Err(Internal::new("a texture was made by another command than CREATE_TEXTURE2D").into());
        };
        let layout = TextureLayout::of(&desc).map_err(|_| Internal::new("a texture that exists has no layout"))?;
        Ok(Texture { desc, layout: layout.into() })
    }

    fn follow_texture(&mut self, key: ObjectKey, mip: u32, layer: u32, sought: Sought) -> Result<(), ReplayError> {
        let texture = self.texture(key, sought.before)?;
        let mut last: Option<(u32, bool)> = None;
        for aspect in aspects_of(texture.desc.format) {
            let part = texture.parts(*aspect, layer, mip..mip.saturating_add(1));
            let part = part.ok_or(Internal::new("the texture does not have the requested subresource"))?;
            let written = match self.index.graph.history(key)? {
                Some(history) => history.writers_of(part, sought.before)?,
                None => Vec::new(),
            };
            for Written { by, .. } in written {
                if last.is_none_or(|(number, _)| number < by.number()) {
                    last = Some((by.number(), by.is_partial()));
                }
            }
        }
        let Some((number, is_partial)) = last else {
            self.find(&sought, ContentOrigin::Zeros);
            return Ok(());
        };
        let by = CommandNumber(number);
        let bytes = sought.bytes.clone();
        let sought = Self::part(&sought, bytes, by);
        match self.kind(by)? {
            EffectKind::Clear if !is_partial && aspects_of(texture.desc.format) == [Aspect::Color] => {
                self.find(&sought, ContentOrigin::Cleared { by });
                Ok(())
            }
            EffectKind::Upload | EffectKind::Copy => self.written_to_texture(by, &texture, (key, mip, layer), sought),
            _ => {
                self.find(&sought, ContentOrigin::Drawn { by });
                Ok(())
            }
        }
    }

    fn written_to_texture(
        &mut self,
        by: CommandNumber,
        texture: &Texture,
        (key, mip, layer): (ObjectKey, u32, u32),
        sought: Sought,
    ) -> Result<(), ReplayError> {
        let lost = Internal::new("the texture does not have the requested subresource");
        let row_bytes = tight(texture, mip, layer)?.0;
        let command = self.command(by)?;
        // Row by row: what of it this command has written, and where that came from; the rest lay there before.
        let rows = sought.bytes.start / row_bytes..sought.bytes.end.div_ceil(row_bytes);
        let at_write = self.texture(key, by.0)?;
        for row in rows {
            let start = row * row_bytes;
            let wanted = sought.bytes.start.max(start)..sought.bytes.end.min(start + row_bytes);
            let written = match command {
                Command::Upload(Upload { offset_bytes, size_bytes, .. })
                | Command::Refresh(Refresh { offset_bytes, size_bytes, .. }) => {
                    let packed = at_write.layout.subresource(mip, layer).ok_or(lost)?;
                    let first = packed.start_bytes + row * packed.row_pitch_bytes;
                    // In the packed layout the row's bytes are elsewhere.
                    let end = offset_bytes.saturating_add(size_bytes);
                    let from = offset_bytes.max(first).min(first + row_bytes) - first;
                    let to = end.max(first).min(first + row_bytes) - first;
                    (start + from..start + to, RowSource::Packed(first))
                }
                Command::CopyTexture(CopyTexture { to_px, from_px, size_px, from, .. }) => {
                    let (block_px, block_bytes) = texture.desc.format.block();
                    let blocks = |px: u32| u64::from(px / block_px);
                    let (top, bottom) = (blocks(to_px[1]), u64::from((to_px[1] + size_px[1]).div_ceil(block_px)));
                    let left = blocks(to_px[0]) * u64::from(block_bytes);
                    let right = u64::from((to_px[0] + size_px[0]).div_ceil(block_px)) * u64::from(block_bytes);
                    let inside =
                        if (top..bottom).contains(&row) { left.min(row_bytes)..right.min(row_bytes) } else { 0..0 };
                    let source_row = row.saturating_sub(top) + blocks(from_px[1]);
                    let source_left = blocks(from_px[0]) * u64::from(block_bytes);
                    let source =
                        RowSource::Copied { row: source_row, left: source_left, mip: from.mip, layer: from.layer };
                    (start + inside.start..start + inside.end, source)
                }
                _ => return Err(Internal::new("a texture was written by a command that writes none").into()),
            };
            let (written, source) = written;
            let inside = wanted.start.max(written.start)..wanted.end.min(written.end);
            if inside.start >= inside.end {
                self.before(&sought, wanted, by);
                continue;
            }
            self.before(&sought, wanted.start..inside.start, by);
            self.before(&sought, inside.end..wanted.end, by);
            let part = Self::part(&sought, inside.clone(), by);
            match source {
                RowSource::Packed(first) => {
                    let from = first + (inside.start - start);
                    let packed = Sought { bytes: from..from + (inside.end - inside.start), ..part };
                    match command {
                        Command::Upload(Upload { offset_bytes, payload: Payload::Inline(payload), .. }) => {
                            self.uploaded(by, packed, offset_bytes, payload);
                        }
                        Command::Refresh(Refresh { offset_bytes, .. }) => self.refreshed(by, packed, offset_bytes)?,
                        _ => return Err(Internal::new("rows were uploaded by no upload").into()),
                    }
                }
                RowSource::Copied { row, left, mip, layer } => {
                    let from = self.source(by)?;
                    let source = self.texture(from, by.0)?;
                    let pitch = tight(&source, mip, layer)?.0;
                    let first = row * pitch + left + (inside.start - written.start);
                    let place = ContentPlace::Subresource { texture: from, mip, layer };
                    let bytes = first..first + (inside.end - inside.start);
                    self.sought.push(Sought { place, bytes, before: by.0, ..part });
                }
            }
        }
        Ok(())
    }

    /// Bytes that a command has left as they were.
    fn before(&mut self, sought: &Sought, bytes: Range<u64>, by: CommandNumber) {
        if bytes.start < bytes.end {
            let at = sought.at + (bytes.start - sought.bytes.start);
            // They were written by whoever wrote them before.
            let written_by = sought.written_by.filter(|written_by| *written_by != by);
            self.sought.push(Sought { at, bytes, before: by.0, written_by, ..sought.clone() });
        }
    }
}

/// Where a row's bytes came from.
enum RowSource {
    /// The packed layout, where the row starts at this byte.
    Packed(u64),
    /// A row of another subresource.
    Copied { row: u64, left: u64, mip: u32, layer: u32 },
}

/// Bytes of a row of a subresource, and of all its rows.
pub(super) fn tight(texture: &Texture, mip: u32, layer: u32) -> Result<(u64, u64), Internal> {
    let found = texture.layout.subresource(mip, layer);
    let found = found.ok_or(Internal::new("the texture does not have the requested subresource"))?;
    Ok((found.row_bytes.max(1), found.row_bytes * found.rows))
}

/// Bytes that a mip of a texture takes when its rows follow each other; nothing if it does not have it.
pub fn subresource_bytes(create: &CreateTexture, mip: u32) -> Option<u64> {
    match TextureLayout::of(create) {
        Ok(layout) => layout.subresource(mip, 0).and_then(|found| found.row_bytes.checked_mul(found.rows)),
        Err(_) => None,
    }
}
