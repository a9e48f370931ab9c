//! Textures that a draw of a submission reads, and that its frame has drawn to: the sources of a full-screen pass.

use std::collections::BTreeMap;

use super::TraceIndex;
use super::drawn_to::{DrawnTo, NamedTarget};
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::command::Command;
use crate::error::Internal;
use crate::replay::d3d::{AccessKind, ObjectKey};
use crate::replay::{CommandReader, ReplayError};

/// A texture that a draw reads, and the draw that made its texels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadTarget {
    /// The part that is read; of several, the first.
    pub target: NamedTarget,
    /// The number in the frame of the last draw to it.
    pub draw: u32,
}

impl TraceIndex {
    /// Textures as large as a draw's own targets that it reads, and that earlier draws of its frame draw to; in the order in
    /// which they were made. Nothing of a draw of Appendix A.
    pub fn read_targets(
        &self,
        draw: CommandNumber,
        reader: &mut CommandReader,
    ) -> Result<Vec<ReadTarget>, ReplayError> {
        let mut sizes = Vec::new();
        for own in self.objects_of(draw, AccessKind::Modify)?.into_keys() {
            sizes.extend(self.texture_size_px(own, reader)?);
        }
        let frame = self.require_location(draw)?.frame;
        let mut last_draws = BTreeMap::new();
        for (number, earlier) in (0..).zip(self.draws_of(frame).take_while(|earlier| *earlier < draw)) {
            let drawn_to = self.objects_of(earlier, AccessKind::Modify)?;
            last_draws.extend(drawn_to.into_keys().map(|object| (object, number)));
        }
        let mut found = Vec::new();
        for (object, part) in self.objects_of(draw, AccessKind::Read)? {
            let is_as_large = self.texture_size_px(object, reader)?.is_some_and(|size| sizes.contains(&size));
            // silent: a texture that the frame does not draw to is no source
            let Some(last) = last_draws.get(&object).filter(|_| is_as_large) else { continue };
            if let Some(part @ DrawnTo::Texture { id, created, .. }) = self.part_drawn_to(object, part, reader)? {
                let name = self.name_of_created(id.number(), created, draw).map(str::to_owned);
                found.push((created, ReadTarget { target: NamedTarget { part, name }, draw: *last }));
            }
        }
        found.sort_by_key(|(created, _)| *created);
        Ok(found.into_iter().map(|(_, read)| read).collect())
    }

    /// The objects that a draw of a submission uses in this way, and the first part of each.
    fn objects_of(&self, draw: CommandNumber, kind: AccessKind) -> Result<BTreeMap<ObjectKey, u32>, Internal> {
        // silent: a draw of Appendix A reads no texture
        let Some(ResolvedCommand::Submitted { node, .. }) = self.command(draw) else { return Ok(BTreeMap::new()) };
        let accesses = self.graph.nodes().accesses(node)?.filter(|access| access.kind == kind);
        let mut objects = BTreeMap::new();
        for access in accesses {
            objects.entry(access.object).or_insert(access.parts().start);
        }
        Ok(objects)
    }

    /// Width and height of the largest mip of a texture; nothing of a buffer, and of a back buffer, which no command makes.
    fn texture_size_px(&self, object: ObjectKey, reader: &mut CommandReader) -> Result<Option<[u32; 2]>, ReplayError> {
        // silent: no command makes a back buffer
        let Some(created) = object.creation() else { return Ok(None) };
        let at = self.require_location(CommandNumber(created))?;
        Ok(match reader.read(at)?.value {
            Command::CreateTexture(desc) => Some(desc.size_px),
            _ => None,
        })
    }
}
