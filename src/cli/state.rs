//! `state TRACE --frame N`: what is bound at a point of a trace, and what is alive.

use std::io::Write;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::open::completeness;
use super::output::{print_json, stdout};
use super::place::PlaceArgs;
use crate::analysis::{
    BoundPipeline, BoundShader, LiveObject, ObjectKind, StateAt, StateSetting, StreamObject, StreamStateAt,
    SubmittedDraw, TraceState,
};
use crate::text::JsonLine;

#[derive(Debug, clap::Args)]
pub(super) struct StateArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Of command streams: this context [default: that of the last command]
    #[arg(long, value_name = "ID")]
    pub context: Option<u32>,
}

pub(super) fn run(args: &StateArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let (analysis, place) = args.place.open_whole(common)?;
    let mut out = stdout();
    match analysis.trace_state(place, args.context)? {
        TraceState::Packets(state) if common.json => print_json(&mut out, &JsonLine::of("state", &*state)?)?,
        TraceState::Packets(state) => write_state(&state, &mut out)?,
        TraceState::Submissions(state) if common.json => {
            print_json(&mut out, &JsonLine::of("stream-state", &state)?)?;
        }
        TraceState::Submissions(state) => write_stream_state(&state, &mut out)?,
    }
    out.flush()?;
    Ok(completeness(analysis.trace()))
}

fn write_stream_state(state: &StreamStateAt, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "{}, context {}", state.place.in_words(), state.context)?;
    let others: Vec<String> =
        state.contexts.iter().filter(|id| **id != state.context).map(|id| id.to_string()).collect();
    if !others.is_empty() {
        writeln!(out, "  other contexts (--context): {}", others.join(", "))?;
    }
    if let Some(SubmittedDraw { name, at }) = &state.drawing {
        writeln!(out, "  {name} {at}")?;
    }
    let mut group = "";
    for StateSetting { group: of, name, value, set_at } in &state.settings {
        if of != group {
            writeln!(out, "{of}")?;
            group = of;
        }
        match set_at {
            Some(at) => writeln!(out, "  {name} = {value}, set {at}")?,
            None => writeln!(out, "  {name} = {value}")?,
        }
    }
    for StreamObject { kind, handle, description, created_at, .. } in &state.objects {
        match created_at {
            Some(at) => writeln!(out, "{kind} {handle}: {description}, made {at}")?,
            None => writeln!(out, "{kind} {handle}: {description}")?,
        }
    }
    Ok(())
}

fn write_state(state: &StateAt, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "{}", state.place.in_words())?;
    if let Some(drawing) = &state.drawing {
        let (count, first) = (drawing.vertex_count, drawing.first_vertex);
        writeln!(out, "  DRAW {}: {count} vertices from {first}", drawing.at)?;
    }
    match &state.pipeline {
        Some(pipeline) => write_pipeline(pipeline, out)?,
        None => writeln!(out, "  no pipeline")?,
    }
    match &state.vertices {
        Some(bound) => {
            let layout = bound.layout;
            let replaced = if bound.is_replaced { ", which the id no longer means" } else { "" };
            writeln!(out, "  {} of {} bytes{replaced}, set {}", bound.id, bound.size_bytes, bound.set_at)?;
            writeln!(
                out,
                "    stride {}, position at {}, colour at {}",
                layout.stride_bytes,
                layout.position().offset_bytes,
                layout.color().offset_bytes
            )?;
        }
        None => writeln!(out, "  no vertex buffer")?,
    }
    match &state.viewport {
        Some(viewport) => match viewport.size_px {
            Some([width, height]) => writeln!(out, "  viewport {width}x{height}, set {}", viewport.set_at)?,
            None => writeln!(out, "  viewport of the whole target, set {}", viewport.set_at)?,
        },
        None => writeln!(out, "  viewport of the whole target, never set")?,
    }
    state.objects.iter().try_for_each(|object| write_object(object, out))
}

fn write_pipeline(pipeline: &BoundPipeline, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "  {}, made {}, set {}", pipeline.id, pipeline.created_at, pipeline.set_at)?;
    let mut shader = |stage: &str, shader: &BoundShader| {
        let entry = shader.entry_point.as_deref().unwrap_or("?");
        writeln!(out, "    {stage} {}, entry point {entry}, made {}", shader.id, shader.created_at)
    };
    shader("vertex", &pipeline.vertex)?;
    shader("fragment", &pipeline.fragment)?;
    match &pipeline.problem {
        Some(problem) => writeln!(out, "    error: {problem}"),
        None => Ok(()),
    }
}

fn write_object(object: &LiveObject, out: &mut impl Write) -> std::io::Result<()> {
    let noun = match object.kind {
        ObjectKind::Buffer => "buffer",
        ObjectKind::Shader => "shader",
        ObjectKind::Pipeline => "pipeline",
    };
    let mut line = format!("{noun} {}", object.id);
    if object.kind == ObjectKind::Buffer {
        line += &format!(", {} bytes", object.size_bytes);
    }
    if let Some(stage) = object.stage {
        line += &format!(", {stage}");
    }
    line += &format!(": made {}", object.created_at);
    if let Some(writer) = object.last_writer {
        line += &format!(", uploads: {}, the last {writer}", object.uploads);
    }
    if let Some(replaces) = object.replaces {
        line += &format!(", replaces the one made {replaces}");
    }
    match object.replaced_by {
        Some(by) if !object.is_named => line += &format!(", replaced {by} and still held"),
        Some(by) => line += &format!(", replaced later {by}"),
        None => {}
    }
    writeln!(out, "{line}, packets of the frame that use it: {}", object.use_count)
}
