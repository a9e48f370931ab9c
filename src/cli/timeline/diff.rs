//! `timeline diff A B`: two recordings of one program, name by name and frame by frame.

use std::io::Write;

use super::args::DiffArgs;
use super::ending::worst;
use super::file::File;
use super::selection::{chosen_frames, select};
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{print_json, stdout};
use crate::error::ErrorKind;
use crate::text::{Harmless, JsonLine};
use crate::timeline::{
    CommonAxis, DiffLimits, FrameDifference, NameDifference, NameFigures, Selection, align, frame_differences,
    name_differences, stats_of,
};

pub(super) fn run(args: &DiffArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let (file_a, file_b) = (File::open(&args.a, common)?, File::open(&args.b, common)?);
    let (mapped_a, mapped_b) = (file_a.map(common)?, file_b.map(common)?);
    let (a, b) = (mapped_a.timeline(), mapped_b.timeline());
    let (unit, other) = (a.axis.unit.name(), b.axis.unit.name());
    if unit != other {
        let message = format!("{}: expected lengths in {unit} as in {}, found {other}", file_b.name(), file_a.name());
        return Err(Failure::usage(message));
    }
    let alignment = align(a, b, &args.align);
    let alignment = alignment.map_err(|error| Failure::new(ErrorKind::Usage, error).context(file_b.name()))?;
    let limits = DiffLimits {
        judged: args.statistics.clone(),
        threshold_percent: args.threshold,
        least_percent: args.min_percent,
    };
    let shown_a = select(&args.selection, a)?;
    let chosen = chosen_frames(args.selection.frames.as_ref(), a)?;
    let shown_b = match &chosen {
        Some(chosen) => {
            let axis = CommonAxis::new(a, &[(b, &alignment)]);
            let ticks = chosen.iter().filter_map(|frame| axis.frame_ticks(b, &alignment, *frame)).collect();
            Selection { ticks: Selection::join(ticks), ..shown_a.clone() }
        }
        None => shown_a.clone(),
    };
    let stats_a = stats_of(a, &mut *mapped_a.arguments(), &shown_a, 0)?;
    let stats_b = stats_of(b, &mut *mapped_b.arguments(), &shown_b, 0)?;
    let names = name_differences(&stats_a, &stats_b, &limits);
    let mut frames = frame_differences(a, b, &alignment, &limits);
    frames.retain(|frame| chosen.as_ref().is_none_or(|chosen| chosen.binary_search(&(frame.frame as usize)).is_ok()));
    let mut out = stdout();
    match common.json {
        true => write_json(&mut out, (&names, &frames), unit)?,
        false => write_text(&mut out, (&names, &frames), unit, args.all)?,
    }
    out.flush()?;
    let exceeds_threshold =
        names.iter().any(|name| name.exceeds_threshold) || frames.iter().any(|frame| frame.exceeds_threshold);
    let exit = worst(mapped_a.conclude(&file_a, common)?, mapped_b.conclude(&file_b, common)?);
    Ok(if exceeds_threshold { worst(exit, Exit::Different) } else { exit })
}

type Differences<'d> = (&'d [NameDifference], &'d [FrameDifference]);

fn write_json(out: &mut impl Write, (names, frames): Differences<'_>, unit: &str) -> Result<(), Failure> {
    let unit = || [("unit".to_owned(), unit.into())];
    for name in names {
        print_json(out, &JsonLine::of("name-difference", name)?.and(unit()))?;
    }
    for frame in frames {
        print_json(out, &JsonLine::of("frame-difference", frame)?.and(unit()))?;
    }
    Ok(())
}

fn write_text(
    out: &mut impl Write,
    (names, frames): Differences<'_>,
    unit: &str,
    shows_all: bool,
) -> std::io::Result<()> {
    let shown: Vec<_> = names.iter().filter(|name| shows_all || name.exceeds_threshold).collect();
    writeln!(out, "{} of {} names differ", names.iter().filter(|name| name.exceeds_threshold).count(), names.len())?;
    if !shown.is_empty() {
        let pair = |name: &str| format!("{name:>12} {:>12}", "other");
        let columns = ["count", "mean", "p50", "p99"].map(pair).join("  ");
        writeln!(out, "  {columns}  name (lengths in {unit})")?;
    }
    for NameDifference { name, a, b, exceeds_threshold } in shown {
        let figure = |figures: &Option<NameFigures>, figure: fn(&NameFigures) -> f64, digits: usize| {
            figures.as_ref().map_or("-".to_owned(), |figures| format!("{:.digits$}", figure(figures)))
        };
        let pair = |of: fn(&NameFigures) -> f64, digits| {
            format!("{:>12} {:>12}", figure(a, of, digits), figure(b, of, digits))
        };
        let columns = [
            pair(|figures| figures.count as f64, 0),
            pair(|figures| figures.mean_ticks, 1),
            pair(|figures| figures.p50_ticks as f64, 0),
            pair(|figures| figures.p99_ticks as f64, 0),
        ];
        writeln!(out, "{} {}  {}", if *exceeds_threshold { '!' } else { ' ' }, columns.join("  "), Harmless(name))?;
    }
    let shown: Vec<_> = frames.iter().filter(|frame| shows_all || frame.exceeds_threshold).collect();
    writeln!(
        out,
        "{} of {} frames differ",
        frames.iter().filter(|frame| frame.exceeds_threshold).count(),
        frames.len()
    )?;
    if !shown.is_empty() {
        writeln!(
            out,
            "  {:>8} {:>8} {:>14} {:>14}  own time that differs most (in {unit})",
            "frame", "other", "length", "other"
        )?;
    }
    for FrameDifference { frame, frame_b, a_ticks, b_ticks, largest_change, exceeds_threshold } in shown {
        let sign = if *exceeds_threshold { '!' } else { ' ' };
        let most = largest_change
            .as_ref()
            .map_or(String::new(), |most| format!("{} {} -> {}", Harmless(&most.name), most.a_ticks, most.b_ticks));
        writeln!(out, "{sign} {frame:>8} {frame_b:>8} {a_ticks:>14} {b_ticks:>14}  {most}")?;
    }
    Ok(())
}
