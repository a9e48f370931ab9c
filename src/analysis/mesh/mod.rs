//! What a draw's vertex shader makes of its vertices, and what becomes of the triangles.
//!
//! The shader's own code runs, on the same GPU, so the numbers are those that are drawn with.

mod triangle;

pub use triangle::{ClipPlane, Facing, MeshTriangle, TriangleFate};

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use super::{Analysis, AnalysisError, BufferChoice, Drawing};
use crate::bytes::limits::{MAX_ANSWERED_BYTES, MAX_MESH_VERTICES};
use crate::command::{Place, VertexElement, VertexLayout};
use crate::gpu::{Gpu, VertexRun, VertexStage};
use crate::pixels::Size;
use crate::replay::{Problem, ResolvedCommand};
use crate::shader::{INPUT_WORDS, IoType, Program};
use crate::text::Real;

/// A draw's vertices and triangles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mesh {
    /// The draw.
    pub drawing: Drawing,
    /// The target's size.
    pub target_px: [u32; 2],
    /// The viewport, at the target's top left.
    pub viewport_px: [u32; 2],
    /// What the vertex shader writes by location.
    pub outputs: Vec<MeshOutput>,
    /// The vertices, in the order in which they are drawn.
    pub vertices: Vec<MeshVertex>,
    /// The triangles: three vertices each, from the first on. One or two vertices may be left over.
    pub triangles: Vec<MeshTriangle>,
    /// How many vertices the draw has beyond those here.
    pub vertices_left_out: u32,
}

/// An output of the vertex shader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MeshOutput {
    /// Its location.
    pub location: u32,
    /// Its name in the text, where it has one.
    pub name: Option<String>,
    /// Its type, `vec4<f32>` say.
    #[serde(rename = "type")]
    pub type_name: String,
    #[serde(skip)]
    io_type: IoType,
    /// Where it starts in a vertex's record.
    #[serde(skip)]
    word: u32,
}

/// One vertex.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshVertex {
    /// Its index, as the shader sees it.
    pub index: u32,
    /// The position that it has in the buffer, if the shader reads it.
    pub position: Option<[Real; 2]>,
    /// The colour that it has in the buffer, if the shader reads it.
    pub color: Option<[Real; 4]>,
    /// The position that the shader writes, in clip space.
    pub clip: [Real; 4],
    /// The same, divided by w: x right and y up from −1 to 1, z from 0 to 1.
    pub ndc: [Real; 3],
    /// Pixels from the target's top left corner, and depth.
    pub window: [Real; 3],
    /// What the shader writes at its locations, in the order of [`Mesh::outputs`].
    pub outputs: Vec<OutputValue>,
}

/// The value of an output.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum OutputValue {
    /// Floats.
    Floats(Vec<Real>),
    /// Signed numbers.
    Signed(Vec<i32>),
    /// Unsigned numbers.
    Unsigned(Vec<u32>),
}

impl Analysis {
    /// What the vertex shader of the draw at `place` makes of its vertices. `target` is the size of the target.
    pub fn mesh(&self, place: Place, gpu: &Arc<Gpu>, target: Size) -> Result<Mesh, AnalysisError> {
        let resolved = self.resolve(place)?;
        let draw = resolved.draw.ok_or(AnalysisError::NotADraw { found: "no draw at this point" })?;
        let drawing = self.drawing(place.frame, resolved);
        let (Some(drawing), Some(&ResolvedCommand::Draw { pipeline, viewport, .. })) =
            (drawing, self.index.command(draw))
        else {
            return Err(AnalysisError::NotADraw { found: "something else" });
        };
        let Some(&ResolvedCommand::SetPipeline { create }) = self.index.command(pipeline) else {
            return Err(AnalysisError::NothingBound { what: "pipeline" });
        };
        let (_, program) = self.program(create)?;
        let count = drawing.vertex_count.min(MAX_MESH_VERTICES);
        if drawing.first_vertex.checked_add(count).is_none() {
            let Drawing { at, vertex_count, first_vertex, .. } = drawing;
            return Err(AnalysisError::at("DRAW", at, Problem::TooManyVertices { vertex_count, first_vertex }));
        }
        let runs = self.read_inputs(place, &program, drawing.first_vertex..drawing.first_vertex + count, &drawing)?;
        let stage = VertexStage::new(gpu, &program, target, count, drawing.at)?;
        let records = stage.run(&runs)?;
        let viewport_px = match viewport.and_then(|set| self.index.command(set)) {
            Some(&ResolvedCommand::SetViewport { width_px, height_px }) if width_px != 0 && height_px != 0 => {
                [width_px, height_px]
            }
            _ => [target.width_px, target.height_px],
        };
        let outputs = stage.capture().outputs.iter().map(|(word, output)| MeshOutput {
            location: output.location,
            name: output.name.clone(),
            type_name: output.io_type.to_string(),
            io_type: output.io_type,
            word: *word,
        });
        let outputs: Vec<MeshOutput> = outputs.collect();
        let record_words = stage.capture().record_words as usize;
        let vertices = runs.iter().zip(records.chunks(record_words));
        let vertices: Vec<MeshVertex> =
            vertices.map(|(run, record)| MeshVertex::new(run, record, &program, viewport_px, &outputs)).collect();
        let target_px = [target.width_px, target.height_px];
        let triangles = triangle::triangles_of(&vertices, viewport_px, target_px);
        let vertices_left_out = drawing.vertex_count - count;
        Ok(Mesh { drawing, target_px, viewport_px, outputs, vertices, triangles, vertices_left_out })
    }

    /// The attributes of the draw's vertices, as far as the program reads them.
    fn read_inputs(
        &self,
        place: Place,
        program: &Program,
        vertices: Range<u32>,
        drawing: &Drawing,
    ) -> Result<Vec<VertexRun>, AnalysisError> {
        let none = |vertex_index| VertexRun { vertex_index, position: [0.0; 2], color: [0.0, 0.0, 0.0, 1.0] };
        if vertices.is_empty() || !(program.inputs.position || program.inputs.color) {
            return Ok(vertices.map(none).collect());
        }
        let end = self.resolve(place)?.end;
        let set = self.index.bindings_before(end).vertices;
        let layout = match set.and_then(|set| self.index.command(set)) {
            Some(ResolvedCommand::SetVertexBuffer { layout, .. }) => *layout,
            _ => return Err(AnalysisError::at("DRAW", drawing.at, Problem::NoVertexBuffer)),
        };
        let buffer = self.buffer(place, BufferChoice::Bound)?;
        let reach = reach_of(program, layout);
        let stride = u64::from(layout.stride_bytes);
        let needed = u64::from(vertices.end - 1) * stride + reach;
        if needed > u64::from(buffer.size_bytes) {
            let problem = Problem::ReadsPastEnd { buffer: buffer.id, needed, size: buffer.size_bytes };
            return Err(AnalysisError::at("DRAW", drawing.at, problem));
        }
        // So many vertices at a time that what is read stays within what one question may ask for.
        let at_once = (MAX_ANSWERED_BYTES.saturating_sub(reach) / stride.max(1)).clamp(1, 1 << 16) as u32;
        let mut runs = Vec::with_capacity(vertices.len());
        let mut first = vertices.start;
        while first < vertices.end {
            let last = vertices.end.min(first.saturating_add(at_once));
            let start = u64::from(first) * stride;
            let bytes = self.read_buffer(&buffer, start..u64::from(last - 1) * stride + reach)?;
            for vertex in first..last {
                let from = (u64::from(vertex - first) * stride) as usize;
                let mut run = none(vertex);
                if program.inputs.position {
                    fill(&mut run.position, &bytes, from + layout.position().offset_bytes as usize);
                }
                if program.inputs.color {
                    fill(&mut run.color, &bytes, from + layout.color().offset_bytes as usize);
                }
                runs.push(run);
            }
            first = last;
        }
        Ok(runs)
    }
}

/// Bytes from a vertex's start to the end of what `program` reads of it.
fn reach_of(program: &Program, layout: VertexLayout) -> u64 {
    let end = |is_read: bool, element: VertexElement| if is_read { element.end_bytes() } else { 0 };
    end(program.inputs.position, layout.position()).max(end(program.inputs.color, layout.color()))
}

fn fill(into: &mut [f32], bytes: &[u8], at: usize) {
    let values = bytes.get(at..).unwrap_or_default().as_chunks::<4>().0;
    into.iter_mut().zip(values).for_each(|(into, bytes)| *into = f32::from_le_bytes(*bytes));
}

impl MeshVertex {
    fn new(run: &VertexRun, record: &[u32], program: &Program, viewport_px: [u32; 2], outputs: &[MeshOutput]) -> Self {
        let float = |word: u32| f32::from_bits(record.get(word as usize).copied().unwrap_or_default());
        let clip = [0, 1, 2, 3].map(|component| float(INPUT_WORDS + component));
        let [x, y, z, w] = clip.map(f64::from);
        let ndc = [x / w, y / w, z / w];
        let [width, height] = viewport_px.map(f64::from);
        let window = [(ndc[0] * 0.5 + 0.5) * width, (0.5 - ndc[1] * 0.5) * height, ndc[2]];
        let real = |value: f64| Real(value as f32);
        Self {
            index: run.vertex_index,
            position: program.inputs.position.then(|| run.position.map(Real)),
            color: program.inputs.color.then(|| run.color.map(Real)),
            clip: clip.map(Real),
            ndc: ndc.map(real),
            window: window.map(real),
            outputs: outputs.iter().map(|output| output.value(record)).collect(),
        }
    }
}

impl MeshOutput {
    fn value(&self, record: &[u32]) -> OutputValue {
        let start = self.word as usize;
        let words = record.get(start..start + usize::from(self.io_type.components)).unwrap_or_default();
        match self.io_type.kind {
            naga::ScalarKind::Sint => OutputValue::Signed(words.iter().map(|word| *word as i32).collect()),
            naga::ScalarKind::Uint | naga::ScalarKind::Bool => OutputValue::Unsigned(words.to_vec()),
            _ => OutputValue::Floats(words.iter().map(|word| Real(f32::from_bits(*word))).collect()),
        }
    }
}
