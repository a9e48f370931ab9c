//! `timeline align TRACE ANNOTATION…`: alignment of files, frame by frame.

use std::io::Write;

use super::aligned::{Annotations, conclude};
use super::args::AlignArgs;
use super::clock::clock_in_words;
use super::file::File;
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{print_json, stdout};
use crate::text::{counted, json_line};
use crate::timeline::CommonAxis;

pub(super) fn run(args: &AlignArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let file = File::open(&args.trace, common)?;
    let reference = file.map(common)?;
    let annotations = Annotations::open(&args.recordings.paths(), &args.recordings.beside, common)?;
    let aligned = annotations.align((&file.name(), &reference), common)?;
    let pairs: Vec<_> = aligned.iter().map(|one| (one.mapped.timeline(), &one.alignment)).collect();
    let axis = CommonAxis::new(reference.timeline(), &pairs);
    let mut out = stdout();
    if !common.json {
        let (name, frames) = (file.name(), axis.frame_count());
        let clock = clock_in_words(axis.clock(), &aligned);
        writeln!(out, "{name}: {frames}; common axis: {clock}", frames = counted(frames, "frame"))?;
    }
    for one in &aligned {
        if common.json {
            print_json(&mut out, &one.to_json())?;
        } else {
            writeln!(out, "{}", one.to_text(&file.name()))?;
        }
    }
    if !common.json && axis.frame_count() > 0 {
        writeln!(out, "from where each frame begins to where the next one does:")?;
    }
    for frame in 0..axis.frame_count() {
        let places = aligned.iter().map(|one| axis.frame_ticks(one.mapped.timeline(), &one.alignment, frame));
        if common.json {
            let ticks = places.map(|ticks| ticks.map(|(begin, end)| [begin.0, end.0]));
            let ticks: Vec<_> = ticks.collect();
            let line = json_line!("frame-ticks", { "frame": frame, "ticks": ticks});
            print_json(&mut out, &line)?;
            continue;
        }
        let mut line = format!("frame {frame:>6}");
        for (one, ticks) in aligned.iter().zip(places) {
            let unit = one.mapped.timeline().axis.unit.name();
            line += &match ticks {
                Some((begin, end)) => format!("  {:>12}..{:<12} {unit}", begin.0, end.0),
                None => format!("  {:>12}  {:<12} {unit}", "-", "-"),
            };
        }
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    conclude((&file, &reference), &aligned, common)
}
