//! What a command of a submission turns out to do: which parts of which objects it reads and writes, and which commands
//! it has no meaning without.
//!
//! A part is a byte of a buffer, or its counter ([`COUNTER_PART`]), or one aspect of one layer of one mip of a texture. The
//! parts of an object stand in a row, so that any number of them is a range: those of a texture by aspect, layer and mip
//! ([`super::Texture::parts`]).

use std::ops::Range;

use crate::replay::guest_memory::MemoryPiece;

/// An object of a trace, by the number of the command that made it. It has the same key however one came to it, and
/// whatever handles name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey(u32);

/// A context, by the order in which they first come up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextNumber(pub u32);

/// Set in the keys of implicit back buffers.
const BACK_BUFFER: u32 = 1 << 31;

impl ObjectKey {
    /// What the commands of no submission draw to, of one part. There are fewer contexts than its number.
    pub(in crate::replay) const TARGET: Self = Self(u32::MAX);

    /// The object that the command with this number makes.
    pub(in crate::replay) const fn made_by(number: u32) -> Self {
        Self(number & !BACK_BUFFER)
    }

    /// What a context draws to while nothing is bound.
    pub(in crate::replay) const fn back_buffer(context: ContextNumber) -> Self {
        Self(context.0 | BACK_BUFFER)
    }

    /// All of it, as a number.
    pub(super) const fn bits(self) -> u32 {
        self.0
    }

    /// The number of the command that makes it; nothing of a back buffer, which no command makes.
    pub const fn creation(self) -> Option<u32> {
        if self.0 & BACK_BUFFER == 0 { Some(self.0) } else { None }
    }
}

/// The part of a buffer that is its counter, which shaders append to it and consume from it by: far behind all bytes that a
/// buffer can have.
pub const COUNTER_PART: Range<u32> = u32::MAX - 2..u32::MAX - 1;
/// The bytes that it is kept in.
pub const COUNTER_BYTES: u64 = 4;

/// What is done to parts of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// What they hold decides what the command does.
    Read,
    /// They are tested: what they hold decides what the command does to targets, and to nothing else.
    Test,
    /// They are written, and what they held before shows through.
    Modify,
    /// They are written whole.
    Write,
}

/// Parts of an object that a command reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The object.
    pub object: ObjectKey,
    /// The first part.
    pub start: u32,
    /// The part after the last.
    pub end: u32,
    /// What is done to them.
    pub kind: AccessKind,
}

impl Access {
    /// An access to parts of `object`.
    pub(in crate::replay) fn new(object: ObjectKey, parts: Range<u32>, kind: AccessKind) -> Self {
        Self { object, start: parts.start, end: parts.end, kind }
    }

    /// The parts.
    pub fn parts(&self) -> Range<u32> {
        self.start..self.end
    }
}

/// What sort of thing a command does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EffectKind {
    /// Nothing that a picture could depend on by itself: it sets state, ends a life, or was ignored.
    #[default]
    Setting,
    /// It makes an object, or a name for one.
    Creation,
    /// It writes bytes of the file, or of guest memory.
    Upload,
    /// It copies.
    Copy,
    /// It fills targets.
    Clear,
    /// It draws.
    Draw,
    /// It runs a compute shader.
    Dispatch,
    /// It shows a target.
    Present,
    /// A draw that cannot be carried out, which is its own trouble alone.
    FailedDraw,
}

/// How large the parts of an object are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartSizes {
    /// A buffer's are bytes.
    Buffer {
        /// How many there are.
        size_bytes: u32,
    },
    /// A texture's are its mips, layer after layer.
    Texture {
        /// Width and height of the largest.
        size_px: [u32; 2],
        /// How many a layer has.
        mips: u32,
        /// How many one aspect has.
        aspect_parts: u32,
        /// How many aspects it has.
        aspects: u32,
        /// Most bytes that a texel takes on a GPU.
        texel_bytes: u32,
    },
}

impl PartSizes {
    /// Whether it is of a buffer.
    pub fn is_buffer(&self) -> bool {
        matches!(self, Self::Buffer { .. })
    }

    /// The parts that are copied together with `part`: of a texture, that part in all aspects.
    pub fn copied_with(&self, part: u32) -> Vec<Range<u32>> {
        match *self {
            Self::Buffer { .. } => std::iter::once(part..part.saturating_add(1)).collect(),
            Self::Texture { aspect_parts, aspects, .. } => {
                let first = part.checked_rem(aspect_parts).unwrap_or(part);
                // Creation has checked that all parts together can be counted.
                (0..aspects).map(|aspect| first + aspect * aspect_parts).map(|part| part..part + 1).collect()
            }
        }
    }

    /// The parts that are copied for the sake of `part`, and the bytes of the copy: all of a buffer, one of a texture.
    pub fn part(&self, part: u32) -> Option<(Range<u32>, u64)> {
        match *self {
            Self::Buffer { size_bytes } => Some((0..size_bytes, u64::from(size_bytes))),
            Self::Texture { size_px, mips, texel_bytes, .. } => {
                let mip = part.checked_rem(mips)?;
                let [width, height] = size_px.map(|side| u64::from(side.checked_shr(mip).unwrap_or(0).max(1)));
                Some((part..part.checked_add(1)?, width.checked_mul(height)?.checked_mul(u64::from(texel_bytes))?))
            }
        }
    }
}

/// A handle, by what it is unique among.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuestHandle {
    /// Of a resource or a view.
    Resource(u32),
    /// Of a shader.
    Shader(u32),
    /// Of a layout.
    Layout(u32),
    /// Of a sampler.
    Sampler(u32),
}

/// What a command does to a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameChange {
    /// It gives it a meaning, where it had none, or this one.
    Given(GuestHandle),
    /// It gives it another meaning than it had.
    Replaced(GuestHandle),
    /// It takes its meaning.
    Taken(GuestHandle),
}

impl NameChange {
    /// A handle is given a meaning that has meant `former` until now.
    pub(super) fn given(handle: GuestHandle, former: Past) -> Self {
        match former {
            Past::None => Self::Given(handle),
            Past::Other => Self::Replaced(handle),
        }
    }
}

/// What a handle has meant before what it means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Past {
    /// Nothing.
    #[default]
    None,
    /// Something else.
    Other,
}

/// What is to be known of what commands do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::replay) enum EffectDetail {
    /// Everything, for whoever asks later what depends on what.
    #[default]
    All,
    /// What a GPU is told: neither references nor what is read and written through bindings.
    Work,
}

/// What the last command did.
#[derive(Debug, Default)]
pub struct Effect {
    /// How much of it is known.
    pub(super) detail: EffectDetail,
    /// What sort of thing.
    pub kind: EffectKind,
    /// Numbers of the commands without which it has no meaning: those that made what it uses and set what is in force.
    pub references: Vec<u32>,
    /// What it reads and writes through bindings.
    pub accesses: Vec<Access>,
    /// The vertices and indices it reads, which differ from draw to draw.
    pub vertices: Vec<Access>,
    /// Guest memory that it takes, in the order of the bytes that it writes.
    pub memory: Vec<MemoryPiece>,
    /// The resource that it creates, or binds the backing of anew, and how large its parts are.
    pub created: Option<(ObjectKey, PartSizes)>,
    /// The resource that ends with it.
    pub(super) ended: Option<ObjectKey>,
    /// What it does to a handle.
    pub name: Option<NameChange>,
    /// Handles that it sets and that have meant something else before: whatever nobody uses of what it sets, they must not
    /// mean that.
    pub set_handles: Vec<GuestHandle>,
    /// Commands that make no difference to what it does in the trace, but without which it may do something else where others
    /// are left out: what has decided that a texture stays bound to be read and to be drawn to at once, and what has kept a
    /// texture that is imported.
    pub carried_with: [EarlierCommand; 2],
    /// Of a draw: the context whose `DrawUses` it uses beside.
    pub draws_in: Option<ContextNumber>,
    /// The render state of Direct3D 9 that it sets.
    pub render_state: Option<(ContextNumber, u8)>,
    /// The buffers whose counter it sets, and to what.
    pub counters: Vec<(ObjectKey, u32)>,
    /// The allocation of guest memory that it stands on, reads or writes back to.
    pub allocation: Option<u32>,
    /// The texture that it lets other processes have.
    pub exported: Option<ObjectKey>,
    /// The screen that it shows a target on.
    pub scanout: Option<u32>,
    /// Of a command that is refused: numbers of the commands without which it might not be.
    pub causes: Vec<u32>,
}

impl Effect {
    pub(super) fn begin(&mut self, kind: EffectKind) {
        self.kind = kind;
        self.references.clear();
        self.accesses.clear();
        self.vertices.clear();
        self.memory.clear();
        self.causes.clear();
        self.set_handles.clear();
        self.counters.clear();
        (self.name, self.created, self.allocation, self.exported) = (None, None, None, None);
        self.ended = None;
        (self.draws_in, self.render_state, self.scanout) = (None, None, None);
        self.carried_with = [EarlierCommand::NONE; 2];
    }

    /// It is refused, and does what `kind` says: what it has referred to so far is what decided that.
    pub(super) fn refuse(&mut self, kind: EffectKind) {
        self.finish();
        let causes = std::mem::take(&mut self.references);
        self.begin(kind);
        self.causes = causes;
    }

    /// Whether it depends on nothing, touches no part and no handle.
    pub(in crate::replay) fn is_nothing(&self) -> bool {
        self.kind == EffectKind::Setting
            && self.references.is_empty()
            && self.vertices.is_empty()
            && self.accesses.is_empty()
            && self.memory.is_empty()
            && self.name.is_none()
            && self.created.is_none()
    }

    /// It has no meaning without the command with this number, if there is one.
    pub(super) fn refer(&mut self, number: EarlierCommand) {
        // silent: nobody set it, or it is referred to already
        if let Some(number) = number.get().filter(|_| self.detail == EffectDetail::All)
            // Slots that one command has set come in rows.
            && self.references.last() != Some(&number)
        {
            self.references.push(number);
        }
    }

    /// It has no meaning without these commands, as far as there are any.
    pub(super) fn refer_all<const COUNT: usize>(&mut self, numbers: [EarlierCommand; COUNT]) {
        if self.detail != EffectDetail::All {
            return;
        }
        numbers.into_iter().for_each(|number| self.refer(number));
    }

    /// It sets a handle.
    pub(super) fn set_handle(&mut self, handle: GuestHandle, past: Past) {
        if past == Past::Other && self.detail == EffectDetail::All {
            self.set_handles.push(handle);
        }
    }

    /// It does this to parts of an object; one access with the last where it goes on.
    pub(super) fn access(&mut self, object: ObjectKey, parts: Range<u32>, kind: AccessKind) {
        if parts.is_empty() || self.detail != EffectDetail::All {
            return;
        }
        match self.accesses.last_mut() {
            Some(last) if (last.object, last.kind, last.end) == (object, kind, parts.start) => last.end = parts.end,
            _ => self.accesses.push(Access::new(object, parts, kind)),
        }
    }

    /// It sets the counter of a buffer.
    pub(super) fn set_counter(&mut self, buffer: ObjectKey, count: u32) {
        self.access(buffer, COUNTER_PART, AccessKind::Write);
        self.counters.push((buffer, count));
    }

    pub(super) fn read_vertices(&mut self, buffer: ObjectKey, bytes: Range<u32>) {
        if !bytes.is_empty() && self.detail == EffectDetail::All {
            self.vertices.push(Access::new(buffer, bytes, AccessKind::Read));
        }
    }

    /// Brings references into order, each once.
    pub(super) fn finish(&mut self) {
        if self.references.len() > 1 {
            self.references.sort_unstable();
            self.references.dedup();
        }
    }
}

/// The number of a command before others, or none, in one word: there are many of them in a context, and in an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EarlierCommand(u32);

impl EarlierCommand {
    pub(in crate::replay) const NONE: Self = Self(u32::MAX);

    pub(in crate::replay) const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number, if there is one.
    pub const fn get(self) -> Option<u32> {
        if self.0 == u32::MAX { None } else { Some(self.0) }
    }
}

impl Default for EarlierCommand {
    fn default() -> Self {
        Self::NONE
    }
}
