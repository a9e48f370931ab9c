//! What a draw's vertex shader makes of its vertices, and what becomes of the triangles.
//!
//! The shader's own code runs, on the same GPU, so the numbers are those that are drawn with.

mod submitted;
mod triangle;

pub use submitted::draw_mesh;
pub use triangle::{ClipPlane, Facing, MeshTriangle, TriangleOutcome};

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use super::{Analysis, AnalysisError, BufferChoice, Drawing, OutputValue};
use crate::command::{Place, Topology, VertexElement, VertexLayout};
use crate::gpu::{Gpu, VertexRun, VertexStage};
use crate::limits::{MAX_ANSWERED_BYTES, MAX_MESH_VERTICES};
use crate::pixels::Size;
use crate::replay::{Problem, ResolvedCommand};
use crate::shader::{INPUT_WORDS, IoType, Program, Varying};
use crate::text::Real;

use self::triangle::{TriangleRules, triangles_of};

/// A draw's vertices and triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// The draw.
    pub drawing: Drawing,
    /// What its vertices form.
    pub topology: Topology,
    /// Which of its instances this is, counted from 0.
    pub instance: u32,
    /// How many instances it has.
    pub instance_count: u32,
    /// The target's size.
    pub target_px: [u32; 2],
    /// The viewport.
    pub viewport: MeshViewport,
    /// Left, top, width and height of the rectangle outside of which nothing is drawn, if there is one.
    pub scissor_px: Option<[i32; 4]>,
    /// Of a draw of a submission, what the vertex shader reads by location.
    pub inputs: Vec<MeshValue>,
    /// What the vertex shader writes by location, as far as the pixel shader reads it.
    pub outputs: Vec<MeshValue>,
    /// The vertices, in the order in which they are drawn.
    pub vertices: Vec<MeshVertex>,
    /// The triangles, in the order in which they are drawn. Points and lines form none.
    pub triangles: Vec<MeshTriangle>,
    /// How many vertices the draw has beyond those here.
    pub vertices_omitted: u32,
}

/// The rectangle that clip space maps to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshViewport {
    /// Left and top on the target.
    pub origin_px: [Real; 2],
    /// Width and height.
    pub size_px: [Real; 2],
    /// The depths that z of 0 and of w become.
    pub depth_range: [Real; 2],
}

/// Something that the vertex shader reads or writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MeshValue {
    /// Its location.
    pub location: u32,
    /// Its name in the text, where it has one.
    pub name: Option<String>,
    /// Its type, `vec4<f32>` say.
    #[serde(rename = "type")]
    pub type_name: String,
    #[serde(skip)]
    io_type: IoType,
}

/// One vertex.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshVertex {
    /// Its number: that of its elements in vertex buffers.
    pub index: u32,
    /// The position that it has in the buffer, if the shader reads it.
    pub position: Option<[Real; 2]>,
    /// The colour that it has in the buffer, if the shader reads it.
    pub color: Option<[Real; 4]>,
    /// What the shader reads, in the order of [`Mesh::inputs`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<OutputValue>,
    /// The position that the shader writes, in clip space. Of Direct3D 9, as it is drawn: half a pixel to the right and below.
    pub clip: [Real; 4],
    /// The same, divided by w: x right and y up from −1 to 1, z from 0 to 1.
    pub ndc: [Real; 3],
    /// Pixels from the target's top left corner, and depth.
    pub window: [Real; 3],
    /// What the shader writes at its locations, in the order of [`Mesh::outputs`].
    pub outputs: Vec<OutputValue>,
}

impl Analysis {
    /// What the vertex shader of the draw at `place` makes of its vertices. `target` is the size of the target.
    pub fn mesh(&self, place: Place, gpu: &Arc<Gpu>, target: Size) -> Result<Mesh, AnalysisError> {
        let resolved = self.resolve(place)?;
        let draw = resolved.draw.ok_or(AnalysisError::NotADraw { found: "no draw at this point" })?;
        let drawing = self.drawing(place.frame, resolved);
        let (Some(drawing), Some(ResolvedCommand::Draw { pipeline, viewport, .. })) =
            (drawing, self.index.command(draw))
        else {
            return Err(AnalysisError::NotADraw { found: "something else" });
        };
        let set = pipeline.number().and_then(|set| self.index.command(set));
        let Some(ResolvedCommand::SetPipeline { create }) = set else {
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
        let size_px = match viewport.number().and_then(|set| self.index.command(set)) {
            Some(ResolvedCommand::SetViewport { width_px, height_px }) if width_px != 0 && height_px != 0 => {
                [width_px, height_px]
            }
            _ => [target.width_px, target.height_px],
        };
        let viewport = MeshViewport {
            origin_px: [Real(0.0); 2],
            size_px: size_px.map(|side| Real(side as f32)),
            depth_range: [Real(0.0), Real(1.0)],
        };
        let outputs = &stage.capture().outputs;
        let record_words = stage.capture().record_words as usize;
        let vertices = runs.iter().zip(records.chunks(record_words));
        let vertices: Vec<MeshVertex> =
            vertices.map(|(run, record)| MeshVertex::new(run, record, &program, &viewport, outputs)).collect();
        let target_px = [target.width_px, target.height_px];
        let corners = (0..count / 3).map(|triangle| [0, 1, 2].map(|corner| triangle * 3 + corner));
        let triangles = triangles_of(&vertices, corners, &TriangleRules::within(&viewport, target_px, None))?;
        Ok(Mesh {
            drawing,
            topology: Topology::TriangleList,
            instance: 0,
            instance_count: 1,
            target_px,
            viewport,
            scissor_px: None,
            inputs: Vec::new(),
            outputs: outputs.iter().map(|(_, output)| MeshValue::of(output)).collect(),
            vertices,
            triangles,
            vertices_omitted: drawing.vertex_count - count,
        })
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
            Some(ResolvedCommand::SetVertexBuffer { layout, .. }) => layout,
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

impl Mesh {
    /// All of it but vertices and triangles, as members of a JSON object.
    pub fn head(&self) -> serde_json::Value {
        let MeshViewport { origin_px, size_px, depth_range } = &self.viewport;
        json!({
            "drawing": self.drawing, "topology": self.topology.to_string(), "instance": self.instance,
            "instance_count": self.instance_count, "target_px": self.target_px,
            "viewport_px": size_px.map(|side| side.0.ceil() as u32), "viewport_origin_px": origin_px,
            "depth_range": depth_range, "scissor_px": self.scissor_px, "inputs": self.inputs, "outputs": self.outputs,
            "vertices_omitted": self.vertices_omitted,
        })
    }
}

/// A position, and where that is.
struct PlacedVertex {
    clip: [Real; 4],
    ndc: [Real; 3],
    window: [Real; 3],
}

impl MeshViewport {
    fn place(&self, clip: [f32; 4]) -> PlacedVertex {
        let [x, y, z, w] = clip.map(f64::from);
        let ndc = [x / w, y / w, z / w];
        let ([left, top], [width, height]) = (self.origin_px.map(of_real), self.size_px.map(of_real));
        let [near, far] = self.depth_range.map(of_real);
        let depth = near + ndc[2] * (far - near);
        let window = [left + (ndc[0] * 0.5 + 0.5) * width, top + (0.5 - ndc[1] * 0.5) * height, depth];
        let real = |value: f64| Real(value as f32);
        PlacedVertex { clip: clip.map(Real), ndc: ndc.map(real), window: window.map(real) }
    }
}

fn of_real(real: Real) -> f64 {
    f64::from(real.0)
}

impl MeshVertex {
    fn new(
        run: &VertexRun,
        record: &[u32],
        program: &Program,
        viewport: &MeshViewport,
        outputs: &[(u32, Varying)],
    ) -> Self {
        let float = |word: u32| f32::from_bits(record.get(word as usize).copied().unwrap_or_default());
        let PlacedVertex { clip, ndc, window } = viewport.place([0, 1, 2, 3].map(|part| float(INPUT_WORDS + part)));
        let output = |(word, output): &(u32, Varying)| {
            let start = *word as usize;
            let words = record.get(start..start + usize::from(output.io_type.components));
            value_of(output.io_type, words.unwrap_or_default())
        };
        Self {
            index: run.vertex_index,
            position: program.inputs.position.then(|| run.position.map(Real)),
            color: program.inputs.color.then(|| run.color.map(Real)),
            inputs: Vec::new(),
            clip,
            ndc,
            window,
            outputs: outputs.iter().map(output).collect(),
        }
    }
}

impl MeshValue {
    /// How many numbers it has.
    pub fn components(&self) -> usize {
        usize::from(self.io_type.components)
    }

    fn of(varying: &Varying) -> Self {
        Self {
            location: varying.location,
            name: varying.name.clone(),
            type_name: varying.io_type.to_string(),
            io_type: varying.io_type,
        }
    }
}

/// What words mean.
fn value_of(io_type: IoType, words: &[u32]) -> OutputValue {
    match io_type.kind {
        naga::ScalarKind::Sint => OutputValue::Signed(words.iter().map(|word| *word as i32).collect()),
        naga::ScalarKind::Uint | naga::ScalarKind::Bool => OutputValue::Unsigned(words.to_vec()),
        _ => OutputValue::Floats(words.iter().map(|word| Real(f32::from_bits(*word))).collect()),
    }
}
