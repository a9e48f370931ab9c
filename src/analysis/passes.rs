//! A frame by its passes: its structure where its author has marked none, and who reads what each of them writes.

use std::fmt;
use std::ops::Range;

use serde::{Serialize, Serializer};

use super::{Analysis, AnalysisError};
use crate::command::{Command, Location, Place, Point, TextureFormat};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::{
    CommandNumber, CommandReader, IndexedPass, LinkedPasses, NamedTarget, ObjectKey, PassId, PassKind, PassLinks,
    PassRead, PassUse, PassWrite, ReplayError, WriteFate,
};
use crate::text::{Harmless, counted};

/// Draws that follow each other and draw to the same targets. A draw that leaves some of them as they are, as most do that
/// blend over depth, belongs to the pass too.
///
/// ```
/// use aerogpu_replay::analysis::DrawPass;
/// use aerogpu_replay::replay::{DrawnTo, NamedTarget};
///
/// let targets = vec![NamedTarget { part: DrawnTo::BackBuffer, name: None }];
/// assert_eq!(DrawPass { draws: 0..3, targets }.to_string(), "the back buffer");
/// assert_eq!(DrawPass { draws: 3..4, targets: Vec::new() }.to_string(), "no target");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DrawPass {
    /// Their numbers in the frame.
    pub draws: Range<u32>,
    /// Colour targets first, then depth and stencil.
    pub targets: Vec<NamedTarget>,
}

impl fmt::Display for DrawPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&in_words(&self.targets))
    }
}

fn in_words(targets: &[NamedTarget]) -> String {
    match targets.is_empty() {
        true => "no target".to_owned(),
        false => targets.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// A pass of a frame: commands of one kind that belong together, and what they read and write.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FramePass {
    /// Its number in the frame.
    pub pass: u32,
    /// Kind of its commands.
    pub kind: PassKind,
    /// Its first command.
    #[serde(flatten)]
    pub at: PassStart,
    /// Number of its commands. Those of uploads may stand between those of draws.
    pub commands: u32,
    /// Its draws: their numbers in the frame.
    #[serde(flatten, serialize_with = "as_first_and_count")]
    pub draws: Range<u32>,
    /// Targets that it draws to: colour targets first, then depth and stencil.
    pub targets: Vec<NamedTarget>,
    /// Resources that it finds something in, by object.
    pub reads: Vec<ResourceRead>,
    /// Resources that it leaves something in, by object.
    pub writes: Vec<ResourceWrite>,
    /// The pass before it that draws to the same targets and that it could be one with: nothing between them needs the order
    /// that they are in.
    pub could_join: Option<u32>,
}

/// Place of a pass's first command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PassStart {
    /// Absolute file offset.
    pub offset: u64,
    /// Its number in the frame.
    pub packet: u32,
}

fn as_first_and_count<S: Serializer>(draws: &Range<u32>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Draws {
        first_draw: Option<u32>,
        draw_count: u32,
    }
    let draw_count = draws.end - draws.start;
    Draws { first_draw: (draw_count > 0).then_some(draws.start), draw_count }.serialize(serializer)
}

/// A resource that a pass reads or writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PassResource {
    /// Its kind, with its size.
    #[serde(flatten)]
    pub kind: PassResourceKind,
    /// The handle that it was made under; the back buffer has none.
    pub handle: Option<u32>,
    /// Which one it is: a handle may name several in turn.
    #[serde(skip)]
    pub object: ObjectKey,
    /// The name that a marker gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Kind of a resource, with its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "resource", rename_all = "snake_case")]
pub enum PassResourceKind {
    /// The target of a context to which nothing is bound.
    BackBuffer,
    /// A buffer.
    Buffer {
        /// Its size.
        size_bytes: u64,
    },
    /// A texture.
    Texture {
        /// Width and height of its largest mip.
        size_px: [u32; 2],
        /// Format of its texels.
        #[serde(serialize_with = "as_text")]
        format: TextureFormat,
    },
    /// Memory of the guest that a copy writes back to.
    GuestMemory,
}

fn as_text<S: Serializer>(format: &TextureFormat, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(format)
}

impl fmt::Display for PassResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            PassResourceKind::BackBuffer => return f.write_str("the back buffer"),
            PassResourceKind::GuestMemory => return f.write_str("guest memory"),
            PassResourceKind::Buffer { .. } => f.write_str("buffer")?,
            PassResourceKind::Texture { .. } => f.write_str("texture")?,
        }
        if let Some(handle) = self.handle {
            write!(f, " {handle}")?;
        }
        if let Some(name) = &self.name {
            write!(f, " \"{}\"", Harmless(name))?;
        }
        match self.kind {
            PassResourceKind::Buffer { size_bytes } => write!(f, " ({})", counted(size_bytes, "byte")),
            PassResourceKind::Texture { size_px: [width, height], format } => write!(f, " ({width}x{height} {format})"),
            PassResourceKind::BackBuffer | PassResourceKind::GuestMemory => Ok(()),
        }
    }
}

/// A resource that a pass reads, tests against or writes over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResourceRead {
    /// The resource.
    #[serde(flatten)]
    pub resource: PassResource,
    /// Way of using it.
    pub how: PassUse,
    /// The passes that wrote last what is read, ascending.
    pub from: Vec<PassId>,
    /// Some of it nobody has written.
    pub has_unwritten: bool,
}

/// A resource that a pass writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResourceWrite {
    /// The resource.
    #[serde(flatten)]
    pub resource: PassResource,
    /// Fate of what is written.
    pub fate: WriteFate,
    /// The passes that use it as it was written: all of the same frame, and the first of each later one, up to 16.
    pub read_by: Vec<PassId>,
    /// Later frames that use it and are not among them.
    pub more_frames: u32,
}

impl FramePass {
    /// The pass in a line: `pass 1: draws 0 to 3 to texture 5 "shadow map"`.
    pub fn heading(&self) -> String {
        match self.kind {
            PassKind::Draws => format!("{} {}", self.title(), self.targets_in_words()),
            _ => self.title(),
        }
    }

    /// The line without the targets: `pass 1: draws 0 to 3 to`.
    pub fn title(&self) -> String {
        let Self { pass, kind, commands, draws, .. } = self;
        match kind {
            PassKind::Draws => match draws.end - draws.start {
                0 => format!("pass {pass}: clears"),
                1 => format!("pass {pass}: draw {} to", draws.start),
                _ => format!("pass {pass}: draws {} to {} to", draws.start, draws.end - 1),
            },
            PassKind::Uploads => format!("pass {pass}: uploads, {}", counted(*commands, "command")),
            PassKind::Dispatches => format!("pass {pass}: {}", counted(*commands, "dispatch")),
            PassKind::Copies => format!("pass {pass}: copies, {}", counted(*commands, "command")),
            PassKind::Present => format!("pass {pass}: present"),
        }
    }

    /// The targets: `texture 5 "shadow map", depth texture 6`.
    pub fn targets_in_words(&self) -> String {
        in_words(&self.targets)
    }

    /// The place behind it: its last draw, or its first command where it has none.
    pub fn place(&self, frame: FrameIndex) -> Place {
        let point = match self.draws.end.checked_sub(1).filter(|_| !self.draws.is_empty()) {
            Some(last) => Point::Draw(last),
            None => Point::Packet(self.at.packet),
        };
        Place { frame, point }
    }

    /// Its reads, its writes and the pass that it could be one with, a line each.
    pub fn details(&self, frame: FrameIndex) -> Vec<String> {
        let reads = self.reads.iter().map(|read| read.line(frame));
        let writes = self.writes.iter().map(|write| write.line(frame));
        let joins = self.could_join.map(|earlier| format!("could be one with pass {earlier}"));
        reads.chain(writes).chain(joins).collect()
    }

    /// True if nothing that it writes is ever read.
    pub fn is_for_nothing(&self) -> bool {
        !self.writes.is_empty()
            && self.writes.iter().all(|write| matches!(write.fate, WriteFate::Overwritten | WriteFate::Unread))
    }
}

impl ResourceRead {
    /// The use in a line, from a pass of `frame`: `reads texture 5 (64x64 R8), from pass 2`.
    pub fn line(&self, frame: FrameIndex) -> String {
        let mut line = format!("{} {}", self.how.verb(), self.resource);
        if !self.from.is_empty() {
            line += &format!(", from {}", places(&self.from, frame));
        }
        if self.has_unwritten {
            line += &format!(", {}", self.unwritten());
        }
        line
    }

    /// Words for what nobody has written, of one that has some of it.
    pub fn unwritten(&self) -> &'static str {
        if self.from.is_empty() { "never written" } else { "in part never written" }
    }
}

impl ResourceWrite {
    /// The write in a line, from a pass of `frame`: `writes texture 5 (64x64 R8), for pass 2`.
    pub fn line(&self, frame: FrameIndex) -> String {
        let mut line = format!("writes {}", self.resource);
        match self.fate {
            WriteFate::Read if self.read_by.is_empty() => {}
            WriteFate::Read => line += &format!(", for {}", places(&self.read_by, frame)),
            fate => line += &format!(": {}", fate.text()),
        }
        if self.more_frames > 0 {
            line += &format!(" and {}", counted(self.more_frames, "further frame"));
        }
        line
    }
}

/// Passes in words, those of other frames with the frame's number.
fn places(places: &[PassId], frame: FrameIndex) -> String {
    let each = places.iter().map(|place| match place.frame == frame {
        true => format!("pass {}", place.pass),
        false => format!("frame {} pass {}", place.frame, place.pass),
    });
    each.collect::<Vec<_>>().join(", ")
}

impl Analysis {
    /// The passes of a frame, with what each reads of others and what becomes of what it writes, over all frames. `goes_on` is
    /// asked as the trace is gone through; where it says no, there is no answer.
    pub fn frame_passes(
        &self,
        frame: FrameIndex,
        goes_on: impl Fn() -> bool,
    ) -> Result<Option<Vec<FramePass>>, AnalysisError> {
        self.resolve_any(Place::start_of(frame))?;
        let of_frames = self.passes_of_frames(frame.0..frame.0 + 1, goes_on)?;
        Ok(of_frames.map(|of_frames| of_frames.into_iter().flatten().collect()))
    }

    /// Passes of frames that follow each other, as far as they are in the index: the trace is gone through once for them all.
    pub fn passes_of_frames(
        &self,
        frames: Range<u32>,
        goes_on: impl Fn() -> bool,
    ) -> Result<Option<Vec<Vec<FramePass>>>, AnalysisError> {
        let count = self.index.frame_count() as u32;
        let frames = frames.start.min(count)..frames.end.min(count);
        let mut namer = Namer { analysis: self, reader: CommandReader::new(self.trace.clone()) };
        let linked = self.index.linked_passes(frames, goes_on)?;
        let told = linked.map(|linked| linked.iter().map(|linked| namer.passes(linked)).collect());
        told.transpose()
    }

    /// The draws of a frame by passes. Those of Appendix A draw to the back buffer.
    pub fn passes(&self, frame: FrameIndex) -> Result<Vec<DrawPass>, AnalysisError> {
        let passes = self.index.passes_of(frame).map_err(ReplayError::from)?;
        let mut namer = Namer { analysis: self, reader: CommandReader::new(self.trace.clone()) };
        let drawing = passes.passes().iter().filter(|pass| !pass.draws.is_empty());
        let told = drawing.map(|pass| Ok(DrawPass { draws: pass.draws.clone(), targets: namer.targets(pass)? }));
        told.collect()
    }
}

/// Names objects as the guest does.
struct Namer<'a> {
    analysis: &'a Analysis,
    reader: CommandReader,
}

impl Namer<'_> {
    fn passes(&mut self, LinkedPasses { passes, links }: &LinkedPasses) -> Result<Vec<FramePass>, AnalysisError> {
        let each = (0..).zip(passes.passes()).zip(links);
        each.map(|((number, pass), links)| self.pass(number, pass, links)).collect()
    }

    fn pass(&mut self, number: u32, pass: &IndexedPass, links: &PassLinks) -> Result<FramePass, AnalysisError> {
        let at = self.analysis.location(pass.first);
        let reads: Result<_, AnalysisError> = links.reads.iter().map(|read| self.read(read, pass)).collect();
        let writes: Result<_, AnalysisError> = links.writes.iter().map(|write| self.write(write, pass)).collect();
        let Location { offset, packet, .. } = at;
        Ok(FramePass {
            pass: number,
            kind: pass.kind,
            at: PassStart { offset, packet },
            commands: pass.commands,
            draws: pass.draws.clone(),
            targets: self.targets(pass)?,
            reads: reads?,
            writes: writes?,
            could_join: pass.could_join,
        })
    }

    fn targets(&mut self, pass: &IndexedPass) -> Result<Vec<NamedTarget>, AnalysisError> {
        let mut targets = Vec::new();
        for (object, parts) in &pass.targets {
            for part in parts.clone() {
                targets.extend(self.analysis.index.named_target(*object, part, pass.first, &mut self.reader)?);
            }
        }
        Ok(targets)
    }

    fn read(&mut self, read: &PassRead, pass: &IndexedPass) -> Result<ResourceRead, AnalysisError> {
        let PassRead { object, how, from, has_unwritten, .. } = read;
        let resource = self.resource(*object, pass.first)?;
        Ok(ResourceRead { resource, how: *how, from: from.clone(), has_unwritten: *has_unwritten })
    }

    fn write(&mut self, write: &PassWrite, pass: &IndexedPass) -> Result<ResourceWrite, AnalysisError> {
        let PassWrite { object, fate, read_by, more_frames, .. } = write;
        let resource = self.resource(*object, pass.first)?;
        Ok(ResourceWrite { resource, fate: *fate, read_by: read_by.clone(), more_frames: *more_frames })
    }

    fn resource(&mut self, object: ObjectKey, at: CommandNumber) -> Result<PassResource, AnalysisError> {
        match object.creation().map(CommandNumber) {
            None => Ok(PassResource { kind: PassResourceKind::BackBuffer, handle: None, object, name: None }),
            Some(created) => self.created(object, created, at),
        }
    }

    /// An object that a command has made, with the name that it has at the command `at`.
    fn created(
        &mut self,
        object: ObjectKey,
        created: CommandNumber,
        at: CommandNumber,
    ) -> Result<PassResource, AnalysisError> {
        let index = &self.analysis.index;
        let creation = index.require_location(created).map_err(ReplayError::from)?;
        let (kind, handle) = match self.reader.read(creation)?.value {
            Command::CreateBuffer(buffer) => {
                (PassResourceKind::Buffer { size_bytes: buffer.size_bytes }, buffer.id.number())
            }
            Command::CreateTexture(texture) => {
                let (size_px, format) = (texture.size_px, texture.format);
                (PassResourceKind::Texture { size_px, format }, texture.id.number())
            }
            Command::CopyBuffer(_) | Command::CopyTexture(_) => {
                return Ok(PassResource { kind: PassResourceKind::GuestMemory, handle: None, object, name: None });
            }
            _ => {
                let lost = Internal::at("a pass writes an object that is neither texture nor buffer", creation.offset);
                return Err(ReplayError::from(lost).into());
            }
        };
        let name = index.name_of_created(handle, created, at).map(str::to_owned);
        Ok(PassResource { kind, handle: Some(handle), object, name })
    }
}
