//! `timeline stats FILE`: where the ticks go.

use std::io::Write;

use super::args::StatsArgs;
use super::file::File;
use super::selection::select;
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{print_json, stdout};
use crate::text::JsonLine;
use crate::timeline::{Stats, stats_of};

pub(super) fn run(args: &StatsArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let file = File::open(&args.file, common)?;
    let mapped = file.map(common)?;
    let selection = select(&args.selection, mapped.timeline())?;
    let stats = stats_of(mapped.timeline(), &mut *mapped.arguments(), &selection, args.longest)?;
    let mut out = stdout();
    if common.json {
        write_json(&mut out, &stats)?;
    } else {
        write_text(&mut out, &stats)?;
    }
    out.flush()?;
    mapped.conclude(&file, common)
}

fn write_json(out: &mut impl Write, stats: &Stats) -> Result<(), Failure> {
    let unit = || [("unit".to_owned(), stats.unit.into())];
    for name in &stats.names {
        print_json(out, &JsonLine::of("name-stats", name)?.and(unit()))?;
    }
    for frame in &stats.longest_frames {
        print_json(out, &JsonLine::of("frame-stats", frame)?.and(unit()))?;
    }
    Ok(())
}

fn write_text(out: &mut impl Write, stats: &Stats) -> std::io::Result<()> {
    let unit = stats.unit;
    writeln!(
        out,
        "{:>10} {:>14} {:>14} {:>12} {:>12} {:>12} {:>12} {:>10}  name (lengths in {unit})",
        "count", "total", "own", "mean", "p50", "p99", "max", "per frame"
    )?;
    for figures in &stats.names {
        let per_frame = figures.per_frame.map_or("-".to_owned(), |count| format!("{count:.2}"));
        writeln!(
            out,
            "{:>10} {:>14} {:>14} {:>12.1} {:>12} {:>12} {:>12} {per_frame:>10}  {}",
            figures.count,
            figures.total_ticks,
            figures.own_ticks,
            figures.mean_ticks,
            figures.p50_ticks,
            figures.p99_ticks,
            figures.max_ticks,
            figures.name
        )?;
    }
    if !stats.longest_frames.is_empty() {
        writeln!(out)?;
        writeln!(out, "{:>10} {:>14} {:>14}  longest frames (in {unit})", "frame", "begin", "length")?;
    }
    for frame in &stats.longest_frames {
        let number =
            if frame.number == frame.frame as u64 { String::new() } else { format!("number {}", frame.number) };
        writeln!(out, "{:>10} {:>14} {:>14}  {number}", frame.frame, frame.begin_tick, frame.length_ticks)?;
    }
    Ok(())
}
