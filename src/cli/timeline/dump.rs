//! `timeline dump FILE`: events, one per line, also of files beside it.

use std::io::Write;

use super::aligned::{Annotations, conclude};
use super::args::DumpArgs;
use super::file::File;
use super::selection::{select, select_beside};
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{print_json, stdout};
use crate::timeline::{ArgumentSource, DumpForm, Selection, Timeline, write_events};

pub(super) fn run(args: &DumpArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let file = File::open(&args.file, common)?;
    let reference = file.map(common)?;
    let annotations = Annotations::open(&args.recordings.paths(), &args.recordings.beside, common)?;
    let aligned = annotations.align((&file.name(), &reference), common)?;
    let selection = select(&args.selection, reference.timeline())?;
    let beside = select_beside(&args.selection, reference.timeline(), &aligned)?;
    let mut out = stdout();
    write_file_events(reference.timeline(), &mut *reference.arguments(), &selection, common, &mut out)?;
    for (one, selection) in aligned.iter().zip(&beside) {
        if common.json {
            print_json(&mut out, &one.to_json())?;
        } else {
            writeln!(out)?;
            writeln!(out, "{}", one.to_text(&file.name()))?;
        }
        write_file_events(one.mapped.timeline(), &mut *one.mapped.arguments(), selection, common, &mut out)?;
    }
    out.flush()?;
    conclude((&file, &reference), &aligned, common)
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
