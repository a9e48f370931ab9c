//! `pixel TRACE --frame N --at X,Y`: what every CLEAR and draw did to a pixel.

use std::collections::BTreeMap;
use std::io::Write;

use clap::Args as ClapArgs;

use super::args::CommonArgs;
use super::drawing::DrawingArgs;
use super::exit::{Exit, Failure};
use super::faults::end_of_playing;
use super::index::make_index_up_to;
use super::open::open_trace;
use super::output::{print_json, stdout};
use super::place::PlaceArgs;
use super::shown::ShownArgs;
use crate::analysis::{Effect, PixelColor, PixelEvent, PixelHistory, ShaderPurposes, pixel_history};
use crate::command::Place;
use crate::error::ErrorKind;
use crate::player::{Miss, PixelWriteKind, Player};
use crate::replay::{DrawnTo, NamedTarget, ReadTarget};
use crate::text::{Harmless, counted};

#[derive(Debug, ClapArgs)]
pub(super) struct PixelArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// The pixel: column and row, from the top left
    #[arg(long, value_name = "X,Y", value_parser = parse_pixel)]
    pub at: [u32; 2],
    /// List also each command that left the pixel alone, and why
    #[arg(long)]
    pub all: bool,
    /// Say of each draw that wrote the pixel which of its triangles did so last
    #[arg(long)]
    pub triangles: bool,
    #[command(flatten)]
    pub shown: ShownArgs,
    #[command(flatten)]
    pub drawing: DrawingArgs,
}

pub(super) fn run(args: &PixelArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let trace = open_trace(&args.place.trace, common)?;
    let place = args.place.choose(&trace, common)?;
    let mut player = args.drawing.player(&args.place.trace, &trace, common)?;
    player.set_shown(args.shown.shown());
    player.set_index(make_index_up_to(&trace, place.frame.as_usize() + 1, common));
    let [x, y] = args.at;
    let history = pixel_history(&mut player, place, x, y)?;
    let triangles = if args.triangles { find_triangles(&mut player, place, &history)? } else { BTreeMap::new() };
    let mut out = stdout();
    if common.json {
        write_json(&history, &triangles, &mut out)?;
    } else {
        write_text(&history, &triangles, args.all, &mut out)?;
    }
    out.flush()?;
    match &history.error {
        // What could be told was told.
        Some(error) => {
            let failure = Failure::say(error.kind, format!("the history ends early: {}", error.message));
            Err(if error.kind == ErrorKind::OverLimit { failure } else { failure.ending_in(Exit::Partial) })
        }
        None => Ok(end_of_playing(&player, place.frame, &args.place.trace, common)),
    }
}

fn parse_pixel(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once(',').and_then(|(x, y)| Some([x.trim().parse().ok()?, y.trim().parse().ok()?]));
    sides.ok_or_else(|| "expected a column and a row in pixels, 12,34 say".to_owned())
}

/// By draw: the last triangle that wrote the pixel.
type TriangleNumbers = BTreeMap<u32, u32>;

fn find_triangles(player: &mut Player, place: Place, history: &PixelHistory) -> Result<TriangleNumbers, Failure> {
    let mut triangles = BTreeMap::new();
    for event in history.writers() {
        let PixelWriteKind::Draw(draw) = event.kind else { continue };
        let triangle = player.find_triangle(place, draw, history.x_px, history.y_px)?;
        triangles.extend(triangle.map(|triangle| (draw, triangle)));
    }
    Ok(triangles)
}

fn write_json(history: &PixelHistory, triangles: &TriangleNumbers, out: &mut impl Write) -> std::io::Result<()> {
    for line in history.to_json() {
        let draw = line.members().get("draw").and_then(serde_json::Value::as_u64);
        let triangle = draw.and_then(|draw| u32::try_from(draw).ok()).and_then(|draw| triangles.get(&draw));
        print_json(out, &line.and(triangle.map(|triangle| ("triangle".to_owned(), (*triangle).into()))))?;
    }
    Ok(())
}

fn write_text(
    history: &PixelHistory,
    triangles: &TriangleNumbers,
    lists_misses: bool,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let color = |color: Option<PixelColor>| color.map_or("unknown".to_owned(), |color| color.to_string());
    let part = history.part_in_words().map_or_else(String::new, |part| format!(" in {part}"));
    writeln!(out, "frame {} begins with {}{part}, {}", history.frame, color(history.start), history.origin)?;
    let mut misses: BTreeMap<(&str, String), u64> = BTreeMap::new();
    for event in &history.events {
        match event.effect {
            Effect::Missed(miss) if !lists_misses => {
                // Where others write is different for each.
                let why = match miss {
                    Miss::OtherPixels { .. } => "writes other pixels".to_owned(),
                    miss => miss.to_string(),
                };
                *misses.entry((noun_of(event.kind), why)).or_default() += 1;
            }
            _ => {
                match triangle_of(event, triangles) {
                    Some(triangle) => writeln!(out, "{event}, triangle {triangle}")?,
                    None => writeln!(out, "{event}")?,
                }
                if let Some(purposes) = history.purposes.get(&event.number).and_then(ShaderPurposes::fixed_functions) {
                    writeln!(out, "  {purposes}")?;
                }
            }
        }
    }
    writeln!(out, "it ends with {}", color(history.end))?;
    for ReadTarget { target: NamedTarget { part, name }, draw } in &history.sources {
        let DrawnTo::Texture { id, .. } = part else { continue };
        let name = name.as_ref().map(|name| format!(" \"{}\"", Harmless(name))).unwrap_or_default();
        let id = id.number();
        writeln!(
            out,
            "  the last writer reads texture {id}{name}, last drawn to by draw {draw}: --target {id} follows the pixel there"
        )?;
    }
    if !misses.is_empty() {
        writeln!(out, "commands that left the pixel alone (--all lists them):")?;
    }
    misses.iter().try_for_each(|((noun, why), count)| {
        // The sentence is about one of them.
        let why = if *count == 1 { why.clone() } else { why.replace("its ", "their ") };
        writeln!(out, "  {}: {why}", counted(*count, noun))
    })
}

fn noun_of(kind: PixelWriteKind) -> &'static str {
    match kind {
        PixelWriteKind::Draw(_) => "draw",
        PixelWriteKind::Clear => "clear",
        PixelWriteKind::Copy(_) => "copy",
        PixelWriteKind::Upload => "upload",
    }
}

fn triangle_of(event: &PixelEvent, triangles: &TriangleNumbers) -> Option<u32> {
    match event.kind {
        PixelWriteKind::Draw(draw) => triangles.get(&draw).copied(),
        PixelWriteKind::Clear | PixelWriteKind::Copy(_) | PixelWriteKind::Upload => None,
    }
}
