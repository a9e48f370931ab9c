//! `mesh TRACE --frame N --draw K`: what the vertex shader makes of a draw's vertices.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::args::CommonArgs;
use super::drawing::DrawingArgs;
use super::exit::{Exit, Failure};
use super::faults::end_of_playing;
use super::output::{print_json, stdout};
use super::place::PlaceArgs;
use super::whole_file::{Inputs, write_file_or_stdout};
use crate::analysis::{Mesh, MeshTriangle, MeshVertex, MeshViewport, OutputValue, TriangleOutcome, draw_mesh};
use crate::command::{Point, Topology};
use crate::text::Real;
use crate::text::{JsonLine, counted, json_line};

#[derive(Debug, clap::Args)]
pub(super) struct MeshArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Instance of the draw, counted from 0
    #[arg(long, value_name = "I", default_value_t = 0)]
    pub instance: u32,
    /// Write the triangles as a Wavefront OBJ file, positions divided by w
    #[arg(long, value_name = "PATH")]
    pub obj: Option<PathBuf>,
    #[command(flatten)]
    pub drawing: DrawingArgs,
}

pub(super) fn run(args: &MeshArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let (analysis, place) = args.place.open(common)?;
    if matches!(place.point, Point::Start | Point::End) {
        return Err(Failure::usage(format!("no draw of {} is given: expected --draw K", place.in_words())));
    }
    let options = args.drawing.drawn.options(analysis.trace())?;
    let analysis = analysis.with_shader_options(options);
    // Whatever needs no GPU to be found wrong is told without one.
    analysis.resolve_any(place)?;
    let mut player = args.drawing.player(&args.place.trace, analysis.trace(), common)?;
    player.set_index(analysis.index().clone());
    player.check_frame(place.frame)?;
    let mesh = draw_mesh(&analysis, &mut player, place, args.instance)?;
    if mesh.vertices_omitted > 0 {
        common.messages().note(format!("{} not shown", counted(mesh.vertices_omitted, "more vertex")), None);
    }
    if let Some(path) = &args.obj {
        write_obj(&mesh, path, &args.drawing.drawn.add_to(args.place.inputs()))?;
    } else {
        let mut out = stdout();
        if common.json {
            print_mesh_json(&mesh, &mut out)?
        } else {
            print_mesh(&mesh, &mut out)?
        }
        out.flush()?;
    }
    Ok(end_of_playing(&player, place.frame, &args.place.trace, common))
}

fn print_mesh_json(mesh: &Mesh, out: &mut impl Write) -> Result<(), Failure> {
    let counts = json_line!("mesh", { "vertices": mesh.vertices.len(), "triangles": mesh.triangles.len() });
    let head = mesh.head();
    let members = head.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone()));
    print_json(out, &counts.and(members))?;
    for vertex in &mesh.vertices {
        print_json(out, &JsonLine::of("mesh-vertex", vertex)?)?;
    }
    for triangle in &mesh.triangles {
        print_json(out, &JsonLine::of("mesh-triangle", triangle)?)?;
    }
    Ok(())
}

fn print_mesh(mesh: &Mesh, out: &mut impl Write) -> std::io::Result<()> {
    let MeshViewport { origin_px: [left, top], size_px: [width, height], .. } = mesh.viewport;
    let mut head = format!("draw {}: viewport {}x{}", mesh.drawing.at, width.0, height.0);
    if (left.0, top.0) != (0.0, 0.0) {
        head += &format!(" at {},{}", left.0, top.0);
    }
    if let Some([left, top, width, height]) = mesh.scissor_px {
        head += &format!(", scissor {width}x{height} at {left},{top}");
    }
    if mesh.topology != Topology::TriangleList {
        head += &format!(", {}", mesh.topology);
    }
    if mesh.instance_count != 1 {
        head += &format!(", instance {} of {}", mesh.instance, mesh.instance_count);
    }
    writeln!(out, "{head}")?;
    for (direction, values) in [("in ", &mesh.inputs), ("", &mesh.outputs)] {
        for value in values {
            let name = value.name.as_deref().unwrap_or("_");
            writeln!(out, "  {direction}@location({}) {name}: {}", value.location, value.type_name)?;
        }
    }
    for vertex in &mesh.vertices {
        print_vertex(vertex, out)?;
    }
    for (number, triangle) in mesh.triangles.iter().enumerate() {
        print_triangle(number, triangle, out)?;
    }
    Ok(())
}

fn print_vertex(vertex: &MeshVertex, out: &mut impl Write) -> std::io::Result<()> {
    let mut line = format!("vertex {}:", vertex.index);
    if let Some(position) = &vertex.position {
        line += &format!(" position {}", numbers(position));
    }
    if let Some(color) = &vertex.color {
        line += &format!(" colour {}", numbers(color));
    }
    line += &values(&vertex.inputs);
    line += &format!(" clip {} ndc {} window {}", numbers(&vertex.clip), numbers(&vertex.ndc), numbers(&vertex.window));
    line += &values(&vertex.outputs);
    writeln!(out, "{line}")
}

fn values(values: &[OutputValue]) -> String {
    let text = values.iter().map(|value| match value {
        OutputValue::Floats(floats) => format!(" | {}", numbers(floats)),
        OutputValue::Signed(values) => format!(" | {}", integers(values)),
        OutputValue::Unsigned(values) => format!(" | {}", integers(values)),
    });
    text.collect()
}

fn integers(values: &[impl ToString]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn print_triangle(number: usize, triangle: &MeshTriangle, out: &mut impl Write) -> std::io::Result<()> {
    let outcome = match triangle.outcome {
        TriangleOutcome::Drawn => "drawn".to_owned(),
        TriangleOutcome::Clipped => "clipped".to_owned(),
        TriangleOutcome::Outside(plane) => format!("outside, {}", plane.name()),
        TriangleOutcome::OutsideTarget => "outside the target".to_owned(),
        TriangleOutcome::OutsideScissor => "outside the scissor".to_owned(),
        TriangleOutcome::Culled => "culled".to_owned(),
        TriangleOutcome::Masked => "outside the sample mask".to_owned(),
        TriangleOutcome::Degenerate => "degenerate".to_owned(),
        TriangleOutcome::BetweenPixels => "between pixel centres".to_owned(),
        TriangleOutcome::NotFinite => "not finite".to_owned(),
    };
    let mut line = format!("triangle {number}: {outcome}");
    if let Some(area) = triangle.area_px {
        line += &format!(", area {area} px²");
    }
    if let Some(facing) = triangle.facing {
        line += &format!(", {}", facing.name());
    }
    writeln!(out, "{line}")
}

fn numbers(values: &[Real]) -> String {
    values.iter().map(|value| value.0.to_string()).collect::<Vec<_>>().join(" ")
}

/// Corners that are nowhere stand at the origin, and no triangle has them.
fn write_obj(mesh: &Mesh, path: &Path, inputs: &Inputs) -> Result<(), Failure> {
    let is_finite = |vertex: &MeshVertex| vertex.ndc.iter().all(|real| real.0.is_finite());
    write_file_or_stdout(path, inputs, |into| {
        writeln!(into, "# draw {}", mesh.drawing.at)?;
        for vertex in &mesh.vertices {
            let [x, y, z] = if is_finite(vertex) { vertex.ndc.map(|real| real.0) } else { [0.0; 3] };
            writeln!(into, "v {x} {y} {z}")?;
        }
        for MeshTriangle { vertices, .. } in &mesh.triangles {
            let corners = vertices.map(|place| mesh.vertices.get(place as usize));
            if corners.iter().all(|corner| corner.is_some_and(is_finite)) {
                let [a, b, c] = vertices.map(|place| place + 1);
                writeln!(into, "f {a} {b} {c}")?;
            }
        }
        Ok(())
    })
}
