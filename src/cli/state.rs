//! `state TRACE --frame N`: what is bound at a point of a trace, and what is alive.

use std::io::Write;

use super::args::CommonArgs;
use super::columns::{Columns, write_list};
use super::compare::write_differences;
use super::exit::{Exit, Failure};
use super::faults::end_of_reading;
use super::output::{print_json, stdout};
use super::place::PlaceArgs;
use crate::analysis::{
    BoundPipeline, BoundShader, LiveObject, ObjectKind, PlaceDifferences, StateAt, StateSetting, StreamObject,
    StreamStateAt, SubmittedDraw, TraceState, compare_places,
};
use crate::command::{Location, Place};
use crate::format::aerogpu::FrameIndex;
use crate::text::{JsonLine, counted, json_line};

#[derive(Debug, clap::Args)]
pub(super) struct StateArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// For command streams: the context [default: that of the last command]
    #[arg(long, value_name = "ID")]
    pub context: Option<u32>,
    /// Only what differs from another place of the trace: 7, 7/start, 7/draw=2 or 7/packet=12
    #[arg(long, value_name = "PLACE", conflicts_with = "context")]
    pub against: Option<Place>,
}

pub(super) fn run(args: &StateArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let (analysis, place) = args.place.open_whole(common)?;
    let mut out = stdout();
    if let Some(other) = args.against {
        // The base of a comparison stands on the left.
        let differences = compare_places([&analysis, &analysis], [other, place])?;
        write_comparison(&differences, [other, place], common, &mut out)?;
        out.flush()?;
        return Ok(end_of_reading(analysis.index(), place.frame, (&args.place.trace, analysis.trace()), common));
    }
    match analysis.trace_state(place, args.context)? {
        TraceState::Packets(state) if common.json => print_json(&mut out, &JsonLine::of("state", &*state)?)?,
        TraceState::Packets(state) => write_state(&state, &mut out)?,
        TraceState::Submissions(state) if common.json => {
            print_json(&mut out, &JsonLine::of("stream-state", &state)?)?;
        }
        TraceState::Submissions(state) => write_stream_state(&state, &mut out)?,
    }
    out.flush()?;
    Ok(end_of_reading(analysis.index(), place.frame, (&args.place.trace, analysis.trace()), common))
}

/// Writes what differs between two places of a trace.
fn write_comparison(
    differences: &PlaceDifferences,
    [a, b]: [Place; 2],
    common: &CommonArgs,
    out: &mut impl Write,
) -> Result<(), Failure> {
    if common.json {
        let line = json_line!("state-differences", {
            "a": a.to_string(), "b": b.to_string(), "settings": differences.rows, "shaders": differences.texts,
        });
        return Ok(print_json(out, &line)?);
    }
    if differences.rows.is_empty() && differences.texts.is_empty() {
        writeln!(out, "{} and {}: nothing differs", a.in_words(), b.in_words())?;
    } else {
        writeln!(out, "a: {}; b: {}", a.in_words(), b.in_words())?;
        write_differences(differences, out)?;
    }
    Ok(())
}

fn write_stream_state(state: &StreamStateAt, out: &mut impl Write) -> std::io::Result<()> {
    let here = state.place.frame;
    writeln!(out, "{}, context {}", state.place.in_words(), state.context)?;
    if let Some(SubmittedDraw { name, at }) = &state.drawing {
        writeln!(out, "  {name} {at}")?;
    }
    let others: Vec<String> =
        state.contexts.iter().filter(|id| **id != state.context).map(|id| id.to_string()).collect();
    if !others.is_empty() {
        writeln!(out, "  other contexts (--context): {}", others.join(", "))?;
    }
    for settings in state.settings.chunk_by(|one, other| one.group == other.group) {
        write_settings(settings, here, out)?;
    }
    let mut objects = Columns::default();
    for object in &state.objects {
        let StreamObject { description, created_at, .. } = object;
        let made = created_at.map_or(String::new(), |at| format!("created {}", place_from(at, here)));
        objects.row([object.title(), description.clone(), made]);
    }
    write_objects(&objects, out)
}

/// What belongs together: each with who set it, or, where nobody did, as a list.
fn write_settings(settings: &[StateSetting], here: FrameIndex, out: &mut impl Write) -> std::io::Result<()> {
    let Some(StateSetting { group, .. }) = settings.first() else { return Ok(()) };
    writeln!(out)?;
    writeln!(out, "{group}")?;
    let (set, unset): (Vec<_>, Vec<_>) = settings.iter().partition(|setting| setting.set_at.is_some());
    let mut rows = Columns::default();
    for StateSetting { name, value, set_at, .. } in set {
        let set = set_at.map_or(String::new(), |at| format!("set {}", place_from(at, here)));
        rows.row([name.clone(), value.clone(), set]);
    }
    rows.write(2, out)?;
    let unset: Vec<String> = unset.iter().map(|StateSetting { name, value, .. }| format!("{name} {value}")).collect();
    write_list(&unset, 2, out)
}

/// A table of what is alive, with a headline.
fn write_objects(objects: &Columns, out: &mut impl Write) -> std::io::Result<()> {
    if objects.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "alive")?;
    objects.write(2, out)
}

/// Where something stands, for whoever is in the frame `here`: what is usual is left out.
fn place_from(at: Location, here: FrameIndex) -> String {
    match at.frame == here {
        true => format!("{:#x} packet {}", at.offset, at.packet),
        false => format!("{:#x} frame {} packet {}", at.offset, at.frame, at.packet),
    }
}

fn write_state(state: &StateAt, out: &mut impl Write) -> std::io::Result<()> {
    let here = state.place.frame;
    writeln!(out, "{}", state.place.in_words())?;
    if let Some(drawing) = &state.drawing {
        let (count, first) = (drawing.vertex_count, drawing.first_vertex);
        writeln!(
            out,
            "  DRAW {}: {count_vertices} from {first}",
            drawing.at,
            count_vertices = counted(count, "vertex")
        )?;
    }
    writeln!(out)?;
    writeln!(out, "bound")?;
    let mut bound = Columns::default();
    add_pipeline(state.pipeline.as_ref(), here, &mut bound);
    let name = || "vertex buffer".to_owned();
    match &state.vertices {
        Some(vertices) => {
            let layout = vertices.layout;
            let replaced = if vertices.is_replaced { ", replaced since" } else { "" };
            let what = format!("{} of {} bytes{replaced}", vertices.id, vertices.size_bytes);
            bound.row([name(), what, format!("set {}", place_from(vertices.set_at, here))]);
            let (position, color) = (layout.position().offset_bytes, layout.color().offset_bytes);
            let what = format!("stride {}, position at {position}, colour at {color}", layout.stride_bytes);
            bound.row(["vertices".to_owned(), what]);
        }
        None => bound.row([name(), "none".to_owned()]),
    }
    let (size, set) = match &state.viewport {
        Some(viewport) => (viewport.size_px, format!("set {}", place_from(viewport.set_at, here))),
        None => (None, "never set".to_owned()),
    };
    let size = size.map_or("the whole target".to_owned(), |[width, height]| format!("{width}x{height}"));
    bound.row(["viewport".to_owned(), size, set]);
    bound.write(2, out)?;
    if let Some(problem) = state.pipeline.as_ref().and_then(|pipeline| pipeline.problem.as_ref()) {
        writeln!(out, "  error: {problem}")?;
    }
    let mut objects = Columns::default();
    state.objects.iter().for_each(|object| add_object(object, here, &mut objects));
    write_objects(&objects, out)
}

fn add_pipeline(pipeline: Option<&BoundPipeline>, here: FrameIndex, rows: &mut Columns) {
    let Some(pipeline) = pipeline else {
        return rows.row(["pipeline", "none"].map(ToOwned::to_owned));
    };
    let (made, set) = (place_from(pipeline.created_at, here), place_from(pipeline.set_at, here));
    rows.row(["pipeline".to_owned(), pipeline.id.to_string(), format!("set {set}, created {made}")]);
    let mut shader = |stage: &str, shader: &BoundShader| {
        let entry = shader.entry_point.as_deref().unwrap_or("?");
        let made = format!("created {}", place_from(shader.created_at, here));
        rows.row([stage.to_owned(), format!("{}, entry point {entry}", shader.id), made]);
    };
    shader("vertex", &pipeline.vertex);
    shader("fragment", &pipeline.fragment);
}

fn add_object(object: &LiveObject, here: FrameIndex, rows: &mut Columns) {
    let noun = match object.kind {
        ObjectKind::Buffer => "buffer",
        ObjectKind::Shader => "shader",
        ObjectKind::Pipeline => "pipeline",
    };
    let what = match (object.kind, object.stage) {
        (ObjectKind::Buffer, _) => counted(object.size_bytes, "byte"),
        (_, Some(stage)) => stage.to_string(),
        (_, None) => String::new(),
    };
    let at = |at: Location| place_from(at, here);
    let mut life = format!("created {}", at(object.created_at));
    if let Some(replaces) = object.replaces {
        life += &format!(", replacing the one created {}", at(replaces));
    }
    if let Some(writer) = object.last_writer {
        life += &format!(", {}, the last {}", counted(object.uploads, "upload"), at(writer));
    }
    match object.replaced_by {
        Some(by) if !object.is_named => life += &format!(", replaced {} but still bound", at(by)),
        Some(by) => life += &format!(", replaced later {}", at(by)),
        None => {}
    }
    let used = match object.use_count {
        0 => "not used in the frame".to_owned(),
        count => format!("used by {}", counted(count, "packet")),
    };
    rows.row([format!("{noun} {}", object.id), what, used, life]);
}
