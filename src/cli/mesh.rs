//! `mesh TRACE --frame N --draw K`: what the vertex shader makes of a draw's vertices.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::args::{CommonArgs, DrawnShaderArgs};
use super::exit::{Exit, Failure};
use super::golden::{DeviceArgs, SizeArgs};
use super::open::completeness;
use super::output::{print_json, stdout};
use super::place::PlaceArgs;
use super::whole_file::{Inputs, write_file};
use crate::analysis::{Mesh, MeshTriangle, MeshVertex, OutputValue, TriangleFate};
use crate::command::Point;
use crate::text::Real;
use crate::text::{JsonLine, json_line};

#[derive(Debug, clap::Args)]
pub(super) struct MeshArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Write the triangles as a Wavefront OBJ file, positions divided by w
    #[arg(long, value_name = "PATH")]
    pub obj: Option<PathBuf>,
    #[command(flatten)]
    pub size: SizeArgs,
    #[command(flatten)]
    pub drawn: DrawnShaderArgs,
    #[command(flatten)]
    pub device: DeviceArgs,
}

pub(super) fn run(args: &MeshArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let (analysis, place) = args.place.open(common)?;
    if matches!(place.point, Point::Start | Point::End) {
        return Err(Failure::usage(format!("which draw of {}? expected --draw K", place.in_words())));
    }
    let options = args.drawn.options(analysis.trace())?;
    let analysis = analysis.with_shader_options(options);
    let size = args.size.choose(analysis.trace());
    // Whatever needs no GPU to be found wrong is told without one.
    analysis.resolve(place)?;
    let mesh = analysis.mesh(place, &args.device.open_shared()?, size)?;
    if mesh.vertices_left_out > 0 {
        common.messages().note(format!("{} more vertices are left out", mesh.vertices_left_out), None);
    }
    if let Some(path) = &args.obj {
        write_obj(&mesh, path, &args.drawn.add_to(args.place.inputs()))?;
    } else {
        let mut out = stdout();
        if common.json {
            print_mesh_json(&mesh, &mut out)?
        } else {
            print_mesh(&mesh, &mut out)?
        }
        out.flush()?;
    }
    Ok(completeness(analysis.trace()))
}

fn print_mesh_json(mesh: &Mesh, out: &mut impl Write) -> Result<(), Failure> {
    let line = json_line!("mesh", { "drawing": mesh.drawing, "target_px": mesh.target_px,
        "viewport_px": mesh.viewport_px, "outputs": mesh.outputs, "vertices": mesh.vertices.len(),
        "triangles": mesh.triangles.len(), "vertices_left_out": mesh.vertices_left_out,
    });
    print_json(out, &line)?;
    for vertex in &mesh.vertices {
        print_json(out, &JsonLine::of("mesh-vertex", vertex)?)?;
    }
    for triangle in &mesh.triangles {
        print_json(out, &JsonLine::of("mesh-triangle", triangle)?)?;
    }
    Ok(())
}

fn print_mesh(mesh: &Mesh, out: &mut impl Write) -> std::io::Result<()> {
    let [width, height] = mesh.viewport_px;
    let drawing = mesh.drawing;
    writeln!(out, "DRAW {}: viewport {width}x{height}", drawing.at)?;
    for output in &mesh.outputs {
        let name = output.name.as_deref().unwrap_or("_");
        writeln!(out, "  @location({}) {name}: {}", output.location, output.type_name)?;
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
    line += &format!(" clip {} ndc {} window {}", numbers(&vertex.clip), numbers(&vertex.ndc), numbers(&vertex.window));
    for output in &vertex.outputs {
        line += &match output {
            OutputValue::Floats(floats) => format!(" | {}", numbers(floats)),
            OutputValue::Signed(values) => format!(" | {}", integers(values)),
            OutputValue::Unsigned(values) => format!(" | {}", integers(values)),
        };
    }
    writeln!(out, "{line}")
}

fn integers(values: &[impl ToString]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn print_triangle(number: usize, triangle: &MeshTriangle, out: &mut impl Write) -> std::io::Result<()> {
    let fate = match triangle.fate {
        TriangleFate::Drawn => "drawn".to_owned(),
        TriangleFate::Clipped => "clipped".to_owned(),
        TriangleFate::Outside(plane) => format!("outside, {}", plane.name()),
        TriangleFate::OutsideTarget => "outside the target".to_owned(),
        TriangleFate::Degenerate => "degenerate".to_owned(),
        TriangleFate::BetweenPixels => "between pixel centres".to_owned(),
        TriangleFate::NotFinite => "not finite".to_owned(),
    };
    let mut line = format!("triangle {number}: {fate}");
    if let Some(area) = triangle.area_px {
        line += &format!(", {area} square pixels");
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
    write_file(path, inputs, |into| {
        writeln!(into, "# DRAW {}", mesh.drawing.at)?;
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
