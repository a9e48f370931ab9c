//! A texture that somebody names by its handle: which one that is at a point of a trace.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::command_reader::CommandReader;
use super::d3d::{Named, ObjectKey, Objects, TargetView, aspects_of};
use super::device_at::device_of;
use super::error::ReplayError;
use super::index::{CommandNumber, HandleMeaning, TraceIndex};
use crate::command::{Command, Location, ResourceName};
use crate::error::Internal;
use crate::format::aerogpu::Trace;
use crate::text::counted;

/// Handles that a message names at most.
const MOST_TOLD: usize = 8;

/// One mip of one layer of a texture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetAt {
    /// What shows it, in the texture's own format.
    pub view: TargetView,
    /// The parts of the texture that it is: colour, or depth and stencil.
    pub parts: Vec<Range<u32>>,
}

/// Why a name is of no target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTarget {
    /// The handle means nothing.
    Unknown {
        /// The handle.
        handle: u32,
        /// The textures and views that there are then, as far as they are told, and whether there are more.
        known: Vec<u32>,
        /// Whether there are more.
        is_more: bool,
    },
    /// What it meant is no more.
    Destroyed {
        /// The handle.
        handle: u32,
        /// The command that destroyed it.
        at: Location,
    },
    /// It is a buffer.
    Buffer {
        /// The handle.
        handle: u32,
    },
    /// The texture or view has fewer mips or layers.
    NoSuchPart {
        /// What was asked for.
        name: ResourceName,
        /// How many mips there are.
        mips: u32,
        /// How many layers there are.
        layers: u32,
    },
}

impl fmt::Display for NoTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { handle, known, is_more } => {
                write!(f, "texture {handle} does not exist at this point: ")?;
                let known: Vec<_> = known.iter().map(u32::to_string).collect();
                match known.as_slice() {
                    [] => f.write_str("there is no texture and no view"),
                    [one] => write!(f, "there is {one}"),
                    several => write!(f, "there are {}{}", several.join(", "), if *is_more { " and more" } else { "" }),
                }
            }
            Self::Destroyed { handle, at } => write!(
                f,
                "texture {handle} does not exist at this point: it \
                was destroyed {at}"
            ),
            Self::Buffer { handle } => write!(
                f,
                "resource {handle} is a buffer at this point: expected a \
                texture or a view"
            ),
            Self::NoSuchPart { name, mips, layers } => {
                write!(
                    f,
                    "{name} does not exist at this point: texture {} has {mips} and {layers}",
                    name.handle,
                    mips = counted(mips, "mip"),
                    layers = counted(layers, "layer")
                )
            }
        }
    }
}

impl TargetAt {
    /// What `name` means among `objects`; nothing if its handle means nothing.
    pub fn among(objects: &Objects, name: ResourceName) -> Result<Option<Result<Self, NoTarget>>, Internal> {
        let named = objects.named(name.handle);
        if !matches!(named, Named::Resource(_) | Named::View(_)) {
            return Ok(None);
        }
        // silent: a handle may mean nothing, or a buffer: the answer says which
        let Some(seen) = objects.texture(named) else {
            return Ok(Some(Err(NoTarget::Buffer { handle: name.handle })));
        };
        let (mips, layers) = (seen.mips.count, seen.layers.count);
        if name.mip >= mips || name.layer >= layers {
            return Ok(Some(Err(NoTarget::NoSuchPart { name, mips, layers })));
        }
        let (mip, layer) = (seen.mips.first + name.mip, seen.layers.first + name.layer);
        let (texture, format) = (seen.texture, seen.texture.desc.format);
        let lost = Internal::new("a view has mips or layers that its texture does not have");
        let parts = aspects_of(format).iter().map(|aspect| texture.parts(*aspect, layer, mip..mip + 1).ok_or(lost));
        let size_px = Some(texture.mip_size_px(mip));
        let view = TargetView { texture: seen.key, format, mip, layer, size_px };
        Ok(Some(Ok(Self { view, parts: parts.collect::<Result<_, _>>()? })))
    }

    /// The texture.
    pub fn texture(&self) -> ObjectKey {
        self.view.texture
    }
}

/// What `name` means before the command `end`, and the command that gave its handle the meaning. Only what leads to that is
/// carried out, on the CPU.
pub fn target_at(
    trace: &Arc<Trace>,
    index: &TraceIndex,
    end: u32,
    name: ResourceName,
) -> Result<Result<(TargetAt, CommandNumber), NoTarget>, ReplayError> {
    let handle = name.handle;
    let named_by = match index.meaning_of(handle, end) {
        HandleMeaning::GivenBy(number) => number,
        HandleMeaning::EndedBy(number) => {
            return Ok(Err(NoTarget::Destroyed { handle, at: index.require_location(number)? }));
        }
        HandleMeaning::Nothing => return unknown(trace, index, end, handle).map(Err),
    };
    let executor = device_of(trace, index, &index.inputs_of_name(named_by)?)?;
    let found = TargetAt::among(executor.device().objects(), name)?;
    let lost = Internal::new("a handle that was created has no object");
    Ok(found.ok_or(lost)?.map(|target| (target, named_by)))
}

fn unknown(trace: &Arc<Trace>, index: &TraceIndex, end: u32, handle: u32) -> Result<NoTarget, ReplayError> {
    let mut reader = CommandReader::new(trace.clone());
    let mut known = Vec::new();
    for (handle, number) in index.live_handles(end) {
        let command = reader.read(index.require_location(number)?)?.value;
        if !matches!(command, Command::CreateBuffer(_)) {
            known.push(handle);
        }
        if known.len() > MOST_TOLD {
            break;
        }
    }
    let is_more = known.len() > MOST_TOLD;
    known.truncate(MOST_TOLD);
    Ok(NoTarget::Unknown { handle, known, is_more })
}
