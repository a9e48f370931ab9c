//! What draws of submissions draw to, by the guest's names.

use std::fmt;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::TraceIndex;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::command::{Command, ResourceId};
use crate::error::Internal;
use crate::replay::d3d::{AccessKind, Aspect, ObjectKey, Texture};
use crate::replay::texture_layout::TextureLayout;
use crate::replay::{CommandReader, ReplayError};
use crate::text::Harmless;

/// Part of a picture that a draw changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawnTo {
    /// What its context draws to while nothing is bound.
    BackBuffer,
    /// Part of a texture.
    Texture {
        /// The handle that the texture was made under.
        id: ResourceId,
        /// The command that made it: a handle may come to mean another one.
        created: CommandNumber,
        /// Colour, depth or stencil.
        aspect: Aspect,
        /// The mip.
        mip: u32,
        /// The layer.
        layer: u32,
    },
}

impl fmt::Display for DrawnTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_named(None, f)
    }
}

impl DrawnTo {
    fn write_named(&self, name: Option<&str>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // silent: the back buffer has no parts and no name
        let Self::Texture { id, aspect, mip, layer, .. } = self else { return f.write_str("the back buffer") };
        match aspect {
            Aspect::Color => write!(f, "texture {}", id.number())?,
            Aspect::Depth | Aspect::Stencil => write!(f, "{} texture {}", aspect.name(), id.number())?,
        }
        if let Some(name) = name {
            write!(f, " \"{}\"", Harmless(name))?;
        }
        if (*mip, *layer) != (0, 0) {
            write!(f, " mip {mip} layer {layer}")?;
        }
        Ok(())
    }
}

/// Part of a picture that a draw changes, with the texture's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedTarget {
    /// The part.
    pub part: DrawnTo,
    /// Name that a marker gives the texture.
    pub name: Option<String>,
}

/// `texture` (nothing of the back buffer), `aspect`, `mip`, `layer`, and `name` if it has one.
impl Serialize for NamedTarget {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (texture, aspect, [mip, layer]) = match self.part {
            DrawnTo::BackBuffer => (None, Aspect::Color, [0, 0]),
            DrawnTo::Texture { id, aspect, mip, layer, .. } => (Some(id.number()), aspect, [mip, layer]),
        };
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("texture", &texture)?;
        members.serialize_entry("aspect", aspect.name())?;
        members.serialize_entry("mip", &mip)?;
        members.serialize_entry("layer", &layer)?;
        if let Some(name) = &self.name {
            members.serialize_entry("name", name)?;
        }
        members.end()
    }
}

impl fmt::Display for NamedTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.part.write_named(self.name.as_deref(), f)
    }
}

impl TraceIndex {
    /// Returns the targets of [`Self::drawn_to`] with the names that textures have at the draw.
    pub fn drawn_to_by_name(
        &self,
        draw: CommandNumber,
        reader: &mut CommandReader,
    ) -> Result<Vec<NamedTarget>, ReplayError> {
        let drawn = self.drawn_to(draw, reader)?;
        Ok(drawn.into_iter().map(|part| self.named(part, draw)).collect())
    }

    /// A part of an object that is drawn to, with the name that the texture has at the command `at`; nothing for bytes of a
    /// buffer.
    pub fn named_target(
        &self,
        object: ObjectKey,
        part: u32,
        at: CommandNumber,
        reader: &mut CommandReader,
    ) -> Result<Option<NamedTarget>, ReplayError> {
        Ok(self.part_drawn_to(object, part, reader)?.map(|part| self.named(part, at)))
    }

    fn named(&self, part: DrawnTo, at: CommandNumber) -> NamedTarget {
        let name = match part {
            DrawnTo::BackBuffer => None,
            DrawnTo::Texture { id, created, .. } => self.name_of_created(id.number(), created, at),
        };
        NamedTarget { part, name: name.map(str::to_owned) }
    }

    /// What a draw of a submission draws to: colour targets in the order of their slots, then depth and stencil. Buffers
    /// that its shaders write are not among them.
    pub fn drawn_to(&self, draw: CommandNumber, reader: &mut CommandReader) -> Result<Vec<DrawnTo>, ReplayError> {
        let ResolvedCommand::Submitted { node, .. } = self.require_step(draw)? else {
            return Err(Internal::new("a submission's draw is not a draw").into());
        };
        let mut drawn = Vec::new();
        for access in self.graph.nodes().accesses(node)?.filter(|access| access.kind == AccessKind::Modify) {
            for part in access.parts() {
                match self.part_drawn_to(access.object, part, reader)? {
                    Some(part) => drawn.push(part),
                    // A buffer, with all of its parts.
                    None => break,
                }
            }
        }
        Ok(drawn)
    }

    /// A part of an object that is drawn to; nothing for bytes of a buffer.
    pub fn part_drawn_to(
        &self,
        object: ObjectKey,
        part: u32,
        reader: &mut CommandReader,
    ) -> Result<Option<DrawnTo>, ReplayError> {
        // No command makes the back buffer.
        // silent: no command makes the back buffer
        let Some(created) = object.creation().map(CommandNumber) else { return Ok(Some(DrawnTo::BackBuffer)) };
        let at = self.require_location(created)?;
        match reader.read(at)?.value {
            Command::CreateTexture(desc) => {
                let layout = TextureLayout::of(&desc).map_err(|_| lost(at.offset))?.into();
                let texture = Texture { desc, layout };
                let (aspect, layer, mip) = texture.part(part).ok_or(lost(at.offset))?;
                Ok(Some(DrawnTo::Texture { id: desc.id, created, aspect, mip, layer }))
            }
            Command::CreateBuffer(_) => Ok(None),
            _ => Err(Internal::at("a draw writes an object that is neither texture nor buffer", at.offset).into()),
        }
    }
}

fn lost(offset: u64) -> Internal {
    Internal::at("a draw writes a part that its texture does not have", offset)
}
