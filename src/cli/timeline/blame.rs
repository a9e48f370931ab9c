//! `timeline blame TRACE ANNOTATION…`: one row for each frame of the trace, the worst first.

use std::io::Write;

use serde_json::{Value, json};

use super::aligned::{Aligned, Annotations, conclude};
use super::args::BlameArgs;
use super::ending::worst;
use super::file::{Body, File, Mapped};
use super::picture_change::{Change, Pictures};
use crate::analysis::{Analysis, Blame, FrameBeside, FrameBlame, FrameInputs, TimeUnit};
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::faults::ListedFaults;
use crate::cli::index::make_index;
use crate::cli::output::{print_json, stdout};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::FrameContents;
use crate::text::{Harmless, JsonLine, counted, json_line};
use crate::timeline::GpuTime;

pub(super) fn run(args: &BlameArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let file = File::open(&args.trace, common)?;
    let Body::Trace(trace) = &file.body else {
        let name = file.name();
        let message =
            format!("{name}: expected an AeroGPU trace first, then its recordings: timeline blame TRACE {name}");
        return Err(Failure::usage(message));
    };
    let reference = file.map(common)?;
    let annotations = Annotations::open(&args.recordings.paths(), &args.recordings.beside, common)?;
    let aligned = annotations.align((&file.name(), &reference), common)?;
    let index = make_index(trace, common);
    let analysis = Analysis::new(trace.clone(), index.clone());
    let pairs: Vec<_> = aligned.iter().map(|one| (one.mapped.timeline(), &one.alignment)).collect();
    let blame = analysis.blame(reference.timeline(), &pairs);
    let frames = chosen_frames(args, &blame, (&reference, &aligned))?;
    let mut pictures = Pictures::open(args, trace, &index, common)?;
    let (mut inputs, mut faults) = (analysis.inputs_of_frames(), ListedFaults::default());
    let mut changes = Vec::new();
    for &frame in &frames {
        faults.add(&index, frame);
        let of_frame = inputs.of(frame)?;
        let picture = match (of_frame.is_as_before, &mut pictures) {
            (None, _) => None,
            (Some(true), _) => Some(Change::Same),
            (Some(false), Some(pictures)) => pictures.change(frame),
            (Some(false), None) => None,
        };
        changes.push((frame, of_frame, picture));
    }
    // A trace has no clock, and only --pictures compares pictures.
    let has_time = !aligned.is_empty();
    let mut rows = blame.rows(&frames)?;
    rows.truncate(args.longest.unwrap_or(usize::MAX));
    let unit = TimeUnit::of(&rows);
    let mut out = stdout();
    if !common.json {
        let time = if has_time { format!(" {:>14}", format!("time in {}", unit.name())) } else { String::new() };
        let picture = pictures.as_ref().map(|_| format!(" {:>9}", "picture")).unwrap_or_default();
        writeln!(out, "{:>8}{time} {:>8} {:>8} {:>8}{picture}", "frame", "draws", "uploads", "inputs")?;
    }
    for of_frame in &rows {
        let found = changes.binary_search_by_key(&of_frame.frame, |(frame, ..)| *frame);
        let (_, inputs, picture) = found.ok().and_then(|at| changes.get(at)).ok_or(LOST)?;
        let has_picture = pictures.is_some();
        let row = Row { of_frame, inputs, picture: *picture, has_picture, aligned: &aligned, unit };
        match common.json {
            true => print_json(&mut out, &row.to_json())?,
            false => writeln!(out, "{}", row.to_text())?,
        }
    }
    let longest = rows.first().and_then(FrameBlame::nanos);
    let tied = rows.iter().take_while(|row| longest.is_some() && row.nanos() == longest).count();
    if tied > 1 && !common.json {
        let frames = counted(tied, "frame");
        match tied == rows.len() {
            true => writeln!(out, "all {frames} took equally long")?,
            false => writeln!(out, "{frames} took equally long, and longer than all others")?,
        }
    } else if let (false, Some(FrameBlame { frame, .. })) = (common.json, rows.first()) {
        let draws = format!("aerogpu-replay draws {} --frame {frame}", args.trace.display());
        writeln!(out, "draws of frame {frame}: {}", Harmless(draws))?;
    }
    if let (false, Some(row)) = (common.json, rows.first()) {
        // What a frame's time went into is not in its row.
        for (one, beside) in aligned.iter().zip(&row.beside) {
            if let Some(FrameBeside { frame: Some(own), .. }) = beside {
                let tree = format!("aerogpu-replay timeline tree {} --frames {own}", one.file.path.display());
                writeln!(out, "calls in frame {}: {}", row.frame, Harmless(tree))?;
            }
        }
    }
    out.flush()?;
    let damage = faults.conclude(&index, &file.name(), common)?;
    let failed = pictures.and_then(Pictures::into_failure);
    let exit = conclude((&file, &reference), &aligned, common)?;
    match failed {
        Some(failure) => Err(failure.context(file.name())),
        None => Ok(damage.map_or(exit, |damage| worst(exit, damage))),
    }
}

const LOST: Internal = Internal::new("a row of blame is not of a requested frame");

/// The frames of `--frames` in which any file has something that `--filter` accepts.
fn chosen_frames(
    args: &BlameArgs,
    blame: &Blame<'_>,
    (reference, aligned): (&Mapped<'_>, &[Aligned<'_>]),
) -> Result<Vec<FrameIndex>, Failure> {
    let timeline = reference.timeline();
    let frames = match &args.frames {
        Some(set) => set.resolve(timeline.frames.len() as u32).map_err(Failure::usage)?,
        None => (0..timeline.frames.len() as u32).map(FrameIndex).collect(),
    };
    let mut frames: Vec<FrameIndex> =
        frames.into_iter().filter(|frame| frame.as_usize() < blame.frame_count()).collect();
    if let Some(filter) = &args.filter.filter {
        let files = std::iter::once(reference).chain(aligned.iter().map(|one| &one.mapped));
        let touched = blame.touched(filter, &mut files.map(Mapped::arguments).collect::<Vec<_>>())?;
        frames.retain(|frame| touched.get(frame.as_usize()) == Some(&true));
    }
    Ok(frames)
}

struct Row<'r> {
    of_frame: &'r FrameBlame,
    inputs: &'r FrameInputs,
    picture: Option<Change>,
    /// Whether pictures were compared.
    has_picture: bool,
    aligned: &'r [Aligned<'r>],
    unit: TimeUnit,
}

impl Row<'_> {
    fn beside(&self) -> impl Iterator<Item = (&Aligned<'_>, Option<&FrameBeside>)> {
        self.aligned.iter().zip(self.of_frame.beside.iter().map(Option::as_ref))
    }

    fn to_json(&self) -> JsonLine {
        let FrameContents { draws, dispatches, uploads, .. } = self.of_frame.contents;
        let FrameInputs { hash, is_as_before } = self.inputs;
        json_line!("frame-blame", {
            "frame": self.of_frame.frame.0, "draws": draws, "dispatches": dispatches, "uploads": uploads,
            "input_sha256": hash.to_string(), "inputs_unchanged": is_as_before,
            "picture": self.picture.map(Change::name),
            "annotations": self.beside().map(|(file, frame)| beside_to_json(file, frame)).collect::<Vec<_>>(),
        })
    }

    fn to_text(&self) -> String {
        let time = self.of_frame.nanos().map_or("-".to_owned(), |nanos| self.unit.number(nanos));
        let time = if self.aligned.is_empty() { String::new() } else { format!(" {time:>14}") };
        let inputs = match self.inputs.is_as_before {
            Some(true) => "same",
            Some(false) => "new",
            None => "first",
        };
        let picture = self.picture.map_or("-", Change::name);
        let picture = if self.has_picture { format!(" {picture:>9}") } else { String::new() };
        let FrameContents { draws, uploads, .. } = self.of_frame.contents;
        let row = format!("{:>8}{time} {draws:>8} {uploads:>8} {inputs:>8}{picture}", self.of_frame.frame.0);
        self.beside().fold(row, |row, (file, frame)| format!("{row}  {}", beside_to_text(file, frame, self.unit)))
    }
}

fn beside_to_json(file: &Aligned<'_>, frame: Option<&FrameBeside>) -> Value {
    let Some(FrameBeside { frame: own, number, begin, end, unit, gpu_time, longest }) = frame else {
        return Value::Null;
    };
    json!({
        "path": file.file.name(), "frame": own, "number": number, "begin": begin.0, "end": end.0,
        "unit": unit.name(), "duration_ns": frame.and_then(FrameBeside::nanos),
        "gpu_duration_ns": gpu_time.map(GpuTime::nanos), "gpu_source": gpu_time.map(GpuTime::source), "longest": longest,
    })
}

fn beside_to_text(file: &Aligned<'_>, frame: Option<&FrameBeside>, unit: TimeUnit) -> String {
    let name = file.file.path.file_name().unwrap_or_default().to_string_lossy();
    let Some(frame) = frame else { return format!("{name}: no frame") };
    let text = format!("{name}: {}, {}", frame.place_in_words(), frame.length_in_words(unit));
    match frame.longest_in_words(unit) {
        Some(longest) => format!("{text}, longest own time {longest}"),
        None => text,
    }
}
