//! `timeline export [TRACE] ANNOTATION… --out x.json|x.perfetto-trace|x.pftrace`: for other people's viewers.

use std::io::Write;
use std::path::Path;

use super::aligned::{Aligned, Annotations, conclude};
use super::args::{ExportArgs, ExportedArgs};
use super::clock::placement_in_words;
use super::file::{File, Mapped};
use super::selection::{select, select_beside};
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{print_json, stdout};
use crate::cli::whole_file::{Inputs, write_file};
use crate::text::{counted, json_line};
use crate::timeline::{
    ArgumentSource, ClockSource, CommonAxis, ExportError, Exported, Placement, SelectedEvents, write_chrome,
    write_perfetto,
};

/// One of the formats.
#[derive(Clone, Copy)]
pub(super) struct Format {
    name: &'static str,
    /// Writes timelines in it.
    pub write: fn(&mut [Exported<'_>], &mut dyn Write) -> Result<(), ExportError>,
}

pub(super) fn run(args: &ExportArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let format = format_of("--out", &args.out)?;
    let paths = args.of.paths();
    with_exported(&paths, &args.of, common, |exported, reference, aligned| {
        let inputs = args.of.selection.frames.iter().fold(Inputs::of(&paths), Inputs::and_set);
        write_file(&args.out, &inputs, |mut out| Ok((format.write)(exported, &mut out)?))?;
        let mut out = stdout();
        if common.json {
            for one in aligned {
                print_json(&mut out, &one.to_json())?;
            }
            // What a length in it means.
            let unit = exported.first().map(|first| first.placement.unit()).unwrap_or_default();
            let path = args.out.display().to_string();
            print_json(&mut out, &json_line!("export", { "out": path, "unit": unit}))?;
        } else {
            for one in aligned {
                writeln!(out, "{}", one.to_text(&reference.name()))?;
            }
            for line in summary_of((args, format), exported, &reference.name(), aligned) {
                writeln!(out, "{line}")?;
            }
        }
        Ok(out.flush()?)
    })
    .map(|((), exit)| exit)
}

/// Lines about what was written and what is guessed in it.
fn summary_of(
    (args, format): (&ExportArgs, Format),
    exported: &[Exported<'_>],
    reference: &str,
    aligned: &[Aligned<'_>],
) -> Vec<String> {
    let events = exported.iter().map(|one| one.shown.event_count(one.timeline)).sum::<usize>();
    let mut text = format!("wrote {}: {}, {}", args.out.display(), format.name, counted(events, "event"));
    let Some(Exported { timeline, .. }) = exported.first() else { return vec![text] };
    let pairs: Vec<_> = aligned.iter().map(|one| (one.mapped.timeline(), &one.alignment)).collect();
    let axis = CommonAxis::new(timeline, &pairs);
    let (measured, frames) = (axis.measured_frames(), axis.frame_count());
    if let ClockSource::Annotation(_) | ClockSource::Timestamps(_) = axis.clock() {
        text += &format!("; measured times for {measured} of {of}", of = counted(frames, "frame"));
        if measured < frames {
            text += &format!(", {} placed by guess", frames - measured);
        }
    }
    vec![text, placement_in_words(reference, timeline.axis.unit, axis.clock(), aligned)]
}

/// The format of a file of that name, which `what` has named.
pub(super) fn format_of(what: &str, path: &Path) -> Result<Format, Failure> {
    known_format(path).ok_or_else(|| {
        let path = path.display();
        Failure::usage(format!("{what} {path}: expected a name that ends in .json, .perfetto-trace or .pftrace"))
    })
}

/// The format that a name's ending stands for.
pub(super) fn known_format(path: &Path) -> Option<Format> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => {
            Some(Format { name: "Chrome's trace format", write: |exported, out| write_chrome(exported, out) })
        }
        Some("perfetto-trace" | "pftrace") => {
            Some(Format { name: "Perfetto", write: |exported, out| write_perfetto(exported, out) })
        }
        _ => None,
    }
}

/// Reads the files at `paths`, the reference first, lays them beside each other, and has `work` done with them. Returns its
/// result, and how the program ends for the files' sake.
pub(super) fn with_exported<T>(
    paths: &[&Path],
    args: &ExportedArgs,
    common: &CommonArgs,
    work: impl FnOnce(&mut [Exported<'_>], &File, &[Aligned<'_>]) -> Result<T, Failure>,
) -> Result<(T, Exit), Failure> {
    let Some((path, recordings)) = paths.split_first() else {
        return Err(Failure::usage("expected a TRACE or --annotate FILE"));
    };
    let file = File::open(path, common)?;
    let reference = file.map(common)?;
    let annotations = Annotations::open(recordings, &args.recordings.beside, common)?;
    let aligned = annotations.align((&file.name(), &reference), common)?;
    let pairs: Vec<_> = aligned.iter().map(|one| (one.mapped.timeline(), &one.alignment)).collect();
    let own = reference.timeline();
    // A file on its own keeps its own axis.
    let first = if aligned.is_empty() {
        Placement::of_axis(&own.axis)
    } else {
        CommonAxis::new(own, &pairs).place_reference(own)
    };
    let axis = CommonAxis::new(own, &pairs);
    let others = aligned.iter().map(|one| axis.place(one.mapped.timeline(), &one.alignment));
    let placements: Vec<Placement> = std::iter::once(first).chain(others).collect();
    let mapped = std::iter::once(&reference).chain(aligned.iter().map(|one| &one.mapped));
    let mut sources: Vec<(&Mapped<'_>, Box<dyn ArgumentSource + '_>)> =
        mapped.map(|mapped| (mapped, mapped.arguments())).collect();
    let beside = select_beside(&args.selection, own, &aligned)?;
    let selections = std::iter::once(select(&args.selection, own)?).chain(beside);
    let mut exported = Vec::new();
    for (((mapped, arguments), placement), selection) in sources.iter_mut().zip(&placements).zip(selections) {
        let shown = SelectedEvents::of(mapped.timeline(), &mut **arguments, &selection)?;
        exported.push(Exported { timeline: mapped.timeline(), arguments: &mut **arguments, placement, shown });
    }
    let done = work(&mut exported, &file, &aligned)?;
    Ok((done, conclude((&file, &reference), &aligned, common)?))
}
