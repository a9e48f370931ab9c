//! What is bound at a place, and what is alive.

use serde::Serialize;

use super::uses::{FrameUses, Use};
use super::{Analysis, AnalysisError, Object, ObjectKind, ObjectTable};
use crate::command::{Location, PipelineId, Place, ResourceId, ShaderId, ShaderStage, VertexLayout};
use crate::format::aerogpu::FrameIndex;
use crate::replay::{CommandNumber, Resolved, ResolvedCommand};

/// Uses that are listed with an object; [`Analysis::uses_of`] lists all.
const LISTED_USES: usize = 64;

/// The state at a place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StateAt {
    /// The place.
    pub place: Place,
    /// The draw, if the place is at one.
    pub drawing: Option<Drawing>,
    /// The pipeline in force.
    pub pipeline: Option<BoundPipeline>,
    /// The vertex buffer in force.
    pub vertices: Option<BoundVertices>,
    /// The viewport in force; `None`: none was ever set, so it is the whole target.
    pub viewport: Option<BoundViewport>,
    /// What is alive: buffers, shaders, pipelines, each by id.
    pub objects: Vec<LiveObject>,
}

/// A draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Drawing {
    /// Its number in the frame.
    pub draw: u32,
    /// Where it stands.
    pub at: Location,
    /// Number of vertices.
    pub vertex_count: u32,
    /// Index of the first.
    pub first_vertex: u32,
}

/// The pipeline in force.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoundPipeline {
    /// The guest's name for it.
    pub id: PipelineId,
    /// The command that made it.
    pub creation: CommandNumber,
    /// Where that stands.
    pub created_at: Location,
    /// The SET_PIPELINE.
    pub set_at: Location,
    /// Its vertex shader.
    pub vertex: BoundShader,
    /// Its fragment shader.
    pub fragment: BoundShader,
    /// The language whose texts are drawn with, `wgsl` or `glsl`.
    pub language: Option<&'static str>,
    /// Why nothing can be drawn with it.
    pub problem: Option<String>,
}

/// A shader of the pipeline in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoundShader {
    /// The guest's name for it.
    pub id: ShaderId,
    /// The command that made it.
    pub creation: CommandNumber,
    /// Where that stands.
    pub created_at: Location,
    /// Name of its entry point, if it compiles.
    pub entry_point: Option<String>,
}

/// The vertex buffer in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BoundVertices {
    /// The guest's name for it, when it was bound.
    pub id: ResourceId,
    /// The command that made it.
    pub creation: CommandNumber,
    /// Where that stands.
    pub created_at: Location,
    /// The SET_VERTEX_BUFFER.
    pub set_at: Location,
    /// Its size.
    pub size_bytes: u32,
    /// Where attributes lie in it.
    pub layout: VertexLayout,
    /// Whether the id means another buffer by now.
    pub is_replaced: bool,
}

/// The viewport in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BoundViewport {
    /// The SET_VIEWPORT.
    pub set_at: Location,
    /// Width and height at the target's top left; `None`: the whole target.
    pub size_px: Option<[u32; 2]>,
}

/// An object that is alive.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveObject {
    /// What it is.
    pub kind: ObjectKind,
    /// The guest's name for it.
    pub id: u32,
    /// The command that made it.
    pub creation: CommandNumber,
    /// Where that stands.
    pub created_at: Location,
    /// Size of a buffer; 0 for others.
    pub size_bytes: u32,
    /// Stage of a shader.
    pub stage: Option<ShaderStage>,
    /// Vertex and fragment shader of a pipeline.
    pub shaders: Option<[CommandNumber; 2]>,
    /// Whether the id still means it. An object that only a binding or a pipeline holds is `false`.
    pub is_named: bool,
    /// Where the object was made that had the id before.
    pub replaces: Option<Location>,
    /// Where, later, the id comes to mean another object.
    pub replaced_by: Option<Location>,
    /// How many uploads to a buffer came before the place.
    pub uploads: usize,
    /// The last of them.
    pub last_writer: Option<Location>,
    /// How many packets of the frame use it.
    pub use_count: usize,
    /// The first of them.
    pub uses: Vec<Use>,
}

impl Analysis {
    /// What is bound at `place`, and what is alive.
    pub fn state(&self, place: Place) -> Result<StateAt, AnalysisError> {
        let resolved = self.resolve(place)?;
        let objects = self.objects()?;
        let bound = self.index.bindings_before(resolved.end);
        let pipeline = bound.pipeline.and_then(|set| self.bound_pipeline(set, &objects));
        let vertices = bound.vertices.and_then(|set| self.bound_vertices(set, resolved.end, &objects));
        let viewport = bound.viewport.and_then(|set| match self.index.command(set)? {
            ResolvedCommand::SetViewport { width_px, height_px } => Some(BoundViewport {
                set_at: self.location(set),
                size_px: (width_px != 0 && height_px != 0).then_some([width_px, height_px]),
            }),
            _ => None,
        });
        let held = [pipeline.as_ref().map(|bound| bound.creation), vertices.map(|bound| bound.creation)];
        let live = self.live_objects(place.frame, resolved.end, held.into_iter().flatten(), &objects)?;
        let drawing = self.drawing(place.frame, resolved);
        Ok(StateAt { place, drawing, pipeline, vertices, viewport, objects: live })
    }

    /// The vertex buffer in force at `place`.
    pub fn vertices_at(&self, place: Place) -> Result<Option<BoundVertices>, AnalysisError> {
        let end = self.resolve(place)?.end;
        let objects = self.objects()?;
        let bound = self.index.bindings_before(end).vertices;
        Ok(bound.and_then(|set| self.bound_vertices(set, end, &objects)))
    }

    /// The draw that a resolved place is at.
    pub(super) fn drawing(&self, frame: FrameIndex, resolved: Resolved) -> Option<Drawing> {
        let number = resolved.draw?;
        let Some(ResolvedCommand::Draw { vertex_count, first_vertex, .. }) = self.index.command(number) else {
            return None;
        };
        let draw = self.index.draws_of(frame).position(|draw| draw == number)? as u32;
        Some(Drawing { draw, at: self.location(number), vertex_count, first_vertex })
    }

    fn bound_pipeline(&self, set: CommandNumber, objects: &ObjectTable) -> Option<BoundPipeline> {
        let ResolvedCommand::SetPipeline { create } = self.index.command(set)? else { return None };
        let ResolvedCommand::CreatePipeline { vertex, fragment } = self.index.command(create)? else { return None };
        let program = self.program(create);
        let shader = |creation, entry_point: Option<&String>| {
            Some(BoundShader {
                id: ShaderId::of_kind(objects.get(creation)?.id),
                creation,
                created_at: self.location(creation),
                entry_point: entry_point.cloned(),
            })
        };
        let linked = program.as_ref().ok();
        Some(BoundPipeline {
            id: PipelineId::of_kind(objects.get(create)?.id),
            creation: create,
            created_at: self.location(create),
            set_at: self.location(set),
            vertex: shader(vertex, linked.map(|(_, program)| &program.vertex.entry_point))?,
            fragment: shader(fragment, linked.map(|(_, program)| &program.fragment.entry_point))?,
            language: linked.map(|(language, _)| *language),
            problem: program.as_ref().err().map(ToString::to_string),
        })
    }

    pub(super) fn bound_vertices(&self, set: CommandNumber, end: u32, objects: &ObjectTable) -> Option<BoundVertices> {
        let ResolvedCommand::SetVertexBuffer { create, layout } = self.index.command(set)? else { return None };
        let object = objects.get(create)?;
        Some(BoundVertices {
            id: ResourceId::of_kind(object.id),
            creation: create,
            created_at: self.location(create),
            set_at: self.location(set),
            size_bytes: object.size_bytes,
            layout,
            is_replaced: object.replaced_by.is_some_and(|replaced_by| replaced_by.0 < end),
        })
    }

    /// What has an id, and what only a binding (`held`) or a pipeline holds.
    fn live_objects(
        &self,
        frame: FrameIndex,
        end: u32,
        held: impl Iterator<Item = CommandNumber>,
        objects: &ObjectTable,
    ) -> Result<Vec<LiveObject>, AnalysisError> {
        let mut alive: Vec<CommandNumber> = objects.named_before(end).map(|object| object.creation).collect();
        alive.extend(held);
        let shaders: Vec<CommandNumber> =
            alive.iter().filter_map(|creation| self.shaders_of(*creation)).flatten().collect();
        alive.extend(shaders);
        alive.sort_unstable();
        alive.dedup();
        let uses = self.uses_in(frame);
        let live = alive.into_iter().filter_map(|creation| objects.get(creation));
        let live: Result<Vec<LiveObject>, AnalysisError> =
            live.map(|object| self.live_object(object, &uses, end)).collect();
        let mut live = live?;
        live.sort_unstable_by_key(|object| (object.kind, object.id, object.creation));
        Ok(live)
    }

    fn live_object(&self, object: &Object, uses: &FrameUses, end: u32) -> Result<LiveObject, AnalysisError> {
        let Object { creation, kind, id, size_bytes, stage, replaces, replaced_by } = *object;
        let (uploads, last) = match kind {
            ObjectKind::Buffer => self.index.uploads_before(creation, end)?,
            ObjectKind::Shader | ObjectKind::Pipeline => (0, None),
        };
        let used_by = uses.of(creation);
        Ok(LiveObject {
            kind,
            id,
            creation,
            created_at: self.location(creation),
            size_bytes,
            stage,
            shaders: self.shaders_of(creation),
            is_named: replaced_by.is_none_or(|replaced_by| replaced_by.0 >= end),
            replaces: replaces.map(|number| self.location(number)),
            replaced_by: replaced_by.map(|number| self.location(number)),
            uploads,
            last_writer: last.map(|number| self.location(number)),
            use_count: used_by.len(),
            uses: used_by.iter().take(LISTED_USES).map(|number| self.use_by(*number, uses)).collect(),
        })
    }

    pub(super) fn shaders_of(&self, creation: CommandNumber) -> Option<[CommandNumber; 2]> {
        match self.index.command(creation)? {
            ResolvedCommand::CreatePipeline { vertex, fragment } => Some([vertex, fragment]),
            _ => None,
        }
    }
}
