//! `timeline dump FILE`: events one a line, also of files beside it.

use std::io::Write;

use super::aligned::{Annotations, conclude};
use super::args::{DumpArgs, SelectionArgs};
use super::file::File;
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{print_json, stdout};
use crate::format::aerogpu::FrameIndex;
use crate::timeline::{ArgumentSource, CommonAxis, DumpForm, ExportError, Selection, Tick, Timeline, write_events};

pub(super) fn run(args: &DumpArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let file = File::open(&args.file, common)?;
    let reference = file.map(common)?;
    let annotations = Annotations::open(&args.beside, 0, common)?;
    let aligned = annotations.align(&reference, common)?;
    let selection = select(&args.selection, reference.timeline())?;
    for one in &aligned {
        args.selection.filter.check(Some(one.mapped.timeline().axis.unit))?;
    }
    let mut out = stdout();
    write_file_events(reference.timeline(), &mut *reference.arguments(), &selection, common, &mut out)?;
    let pairs: Vec<_> = aligned.iter().map(|one| (one.mapped.timeline(), &one.alignment)).collect();
    let axis = CommonAxis::new(reference.timeline(), &pairs);
    let frames = chosen_frames(&args.selection, reference.timeline().frames.len())?;
    for one in &aligned {
        if common.json {
            print_json(&mut out, &one.to_json())?;
        } else {
            writeln!(out, "\n{}", one.to_text())?;
        }
        let timeline = one.mapped.timeline();
        let ticks = frames.as_ref().map(|frames| {
            let ranges = frames.iter().filter_map(|&frame| axis.frame_ticks(timeline, &one.alignment, frame));
            Selection::join(ranges.collect())
        });
        let selection = Selection { ticks: ticks.unwrap_or_default(), filter: args.selection.filter.filter.clone() };
        write_file_events(timeline, &mut *one.mapped.arguments(), &selection, common, &mut out)?;
    }
    out.flush()?;
    conclude((&file, &reference), &aligned, common)
}

/// What the flags select of `timeline`.
pub(super) fn select(args: &SelectionArgs, timeline: &Timeline) -> Result<Selection, Failure> {
    args.filter.check(Some(timeline.axis.unit))?;
    let ticks = match chosen_frames(args, timeline.frames.len())? {
        Some(frames) => Selection::of_frames(timeline, |index| frames.binary_search(&index).is_ok()),
        None => Vec::<(Tick, Tick)>::new(),
    };
    Ok(Selection { ticks, filter: args.filter.filter.clone() })
}

/// The frames of `--frames`, ascending.
fn chosen_frames(args: &SelectionArgs, count: usize) -> Result<Option<Vec<usize>>, Failure> {
    let Some(set) = &args.frames else { return Ok(None) };
    let frames = set.resolve(u32::try_from(count).unwrap_or(u32::MAX)).map_err(Failure::usage)?;
    Ok(Some(frames.into_iter().map(|FrameIndex(index)| index as usize).collect()))
}

fn write_file_events(
    timeline: &Timeline,
    arguments: &mut dyn ArgumentSource,
    selection: &Selection,
    common: &CommonArgs,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let form = if common.json { DumpForm::JsonLines } else { DumpForm::Text };
    if form == DumpForm::Text {
        let unit = timeline.axis.unit;
        let clock = if unit.nanos_per_tick().is_some() { "" } else { "; the file records no time" };
        writeln!(
            out,
            "{:>12} {:>10}  what     track, name and arguments (in {}{clock})",
            "begin",
            "length",
            unit.name()
        )?;
    }
    write_events(timeline, arguments, selection, form, out)?;
    Ok(())
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Write(error) => error.into(),
            ExportError::Argument(error) => Self::new(Exit::Unreadable, error),
        }
    }
}
