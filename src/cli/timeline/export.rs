//! `timeline export [TRACE] --annotate FILE… --out x.json|x.perfetto-trace`: for other people's viewers.

use std::io::Write;
use std::path::Path;

use super::aligned::{Aligned, Annotations, conclude};
use super::args::{ExportArgs, ExportedArgs};
use super::file::{File, Mapped};
use super::selection::{select, select_beside};
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{print_json, stdout};
use crate::cli::whole_file::{Inputs, write_file};
use crate::text::json_line;
use crate::timeline::{
    ArgumentSource, CommonAxis, ExportError, Exported, Placement, SelectedEvents, write_chrome, write_perfetto,
};

/// Writes timelines in one of the formats.
pub(super) type Writer = fn(&mut [Exported<'_>], &mut dyn Write) -> Result<(), ExportError>;

pub(super) fn run(args: &ExportArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let writer = choose_writer("--out", &args.out)?;
    with_exported(&args.of, common, |exported, aligned| {
        let of = &args.of;
        let inputs = of.selection.frames.iter().fold(Inputs::of(&of.trace), Inputs::and_set).and(&of.beside.annotate);
        write_file(&args.out, &inputs, |mut out| Ok(writer(exported, &mut out)?))?;
        // What a length in it means.
        let unit = exported.first().map(|first| first.placement.unit()).unwrap_or_default();
        let mut out = stdout();
        if common.json {
            for one in aligned {
                print_json(&mut out, &one.to_json())?;
            }
            let path = args.out.display().to_string();
            print_json(&mut out, &json_line!("export", { "out": path, "unit": unit}))?;
        } else {
            for one in aligned {
                writeln!(out, "{}", one.to_text())?;
            }
            writeln!(out, "{}: {unit}", args.out.display())?;
        }
        Ok(out.flush()?)
    })
    .map(|((), exit)| exit)
}

/// What writes a file of that name, which `what` has named.
pub(super) fn choose_writer(what: &str, path: &Path) -> Result<Writer, Failure> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => Ok(|exported, out| write_chrome(exported, out)),
        Some("perfetto-trace" | "pftrace") => Ok(|exported, out| write_perfetto(exported, out)),
        _ => {
            let path = path.display();
            Err(Failure::usage(format!("{what} {path}: expected a name that ends in .json or .perfetto-trace")))
        }
    }
}

/// Reads the files that an export is of, lays them beside each other, and has something done with them. With what comes of
/// that, how the program ends for the files' sake.
pub(super) fn with_exported<T>(
    args: &ExportedArgs,
    common: &CommonArgs,
    work: impl FnOnce(&mut [Exported<'_>], &[Aligned<'_>]) -> Result<T, Failure>,
) -> Result<(T, Exit), Failure> {
    let (path, skip) = match (&args.trace, args.beside.annotate.first()) {
        (Some(trace), _) => (trace, 0),
        (None, Some(first)) => (first, 1),
        (None, None) => return Err(Failure::usage("expected a TRACE or --annotate FILE")),
    };
    let file = File::open(path, common)?;
    let reference = file.map(common)?;
    let annotations = Annotations::open(&args.beside, skip, common)?;
    let aligned = annotations.align(&reference, common)?;
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
    let done = work(&mut exported, &aligned)?;
    Ok((done, conclude((&file, &reference), &aligned, common)?))
}
