//! `timeline blame TRACE --annotate FILE…`: one row for each frame of the trace, the worst first.

use std::cmp::Reverse;
use std::io::Write;

use foldhash::HashMap;
use serde_json::{Value, json};

use super::aligned::{Aligned, Annotations, conclude};
use super::args::BlameArgs;
use super::ending::worst;
use super::file::{Body, File, Mapped};
use super::picture_change::{Change, Pictures};
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::index::make_index;
use crate::cli::index_faults::IndexFaults;
use crate::cli::output::{print_json, stdout};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::{FrameContents, InputHash, InputHasher};
use crate::text::{Harmless, JsonLine, json_line};
use crate::timeline::{CommonAxis, ScopeShare, Tick, longest_own, touched_stretches};

pub(super) fn run(args: &BlameArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let file = File::open(&args.trace, common)?;
    let Body::Trace(trace) = &file.body else {
        let message = format!("{}: expected an AeroGPU trace, whose frames are the rows", file.name());
        return Err(Failure::usage(message));
    };
    let reference = file.map(common)?;
    let annotations = Annotations::open(&args.beside, 0, common)?;
    let aligned = annotations.align(&reference, common)?;
    let index = make_index(trace, common);
    // Behind a frame that is damaged there is no other.
    let count = index.frame_count();
    let mut sources = sources(&reference, &aligned, count);
    let frames = chosen_frames(args, (&reference, count), &sources)?;
    sources.iter_mut().for_each(|source| source.find_longest(&frames));
    let mut inputs = Inputs { hasher: InputHasher::new(trace.clone(), index.clone()), last: None };
    let mut pictures = Pictures::open(args, trace, &index)?;
    let (mut rows, mut faults) = (Vec::new(), IndexFaults::default());
    for frame in frames {
        faults.tell(&index, frame, common);
        let contents = index.contents_of(frame).ok_or(LOST)?;
        let (hash, is_as_before) = inputs.of(frame)?;
        let picture = match (is_as_before, &mut pictures) {
            (None, _) => None,
            (Some(true), _) => Some(Change::Same),
            (Some(false), Some(pictures)) => pictures.change(frame),
            (Some(false), None) => None,
        };
        rows.push(Row { frame, contents, hash, is_as_before, picture });
    }
    // Frames without a time come last.
    let nanos_of = |row: &Row| sources.iter().find_map(|source| source.nanos(row.frame));
    rows.sort_by_key(|row| (Reverse(nanos_of(row)), Reverse(row.contents.draws), row.frame));
    rows.truncate(args.worst.unwrap_or(usize::MAX));
    let mut out = stdout();
    if !common.json {
        writeln!(
            out,
            "{:>8} {:>14} {:>8} {:>8} {:>8} {:>8}",
            "frame", "time", "draws", "uploads", "inputs", "picture"
        )?;
    }
    for row in &rows {
        match common.json {
            true => print_json(&mut out, &row.to_json(&sources))?,
            false => writeln!(out, "{}", row.to_text(&sources, nanos_of(row)))?,
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

const LOST: Internal = Internal::new("a frame of the index is not in the trace");

/// An annotation, and where the trace's frames lie in it.
struct Source<'a> {
    one: &'a Aligned<'a>,
    /// By frame of the trace.
    stretches: Vec<Option<(Tick, Tick)>>,
    /// By frame of the trace; of those that are shown.
    longest: Vec<Option<ScopeShare>>,
    /// By the tick at which they begin: the numbers that the application gave its frames.
    numbers: HashMap<u64, u64>,
}

fn sources<'a>(reference: &Mapped<'_>, aligned: &'a [Aligned<'_>], count: usize) -> Vec<Source<'a>> {
    let pairs: Vec<_> = aligned.iter().map(|one| (one.mapped.timeline(), &one.alignment)).collect();
    let axis = CommonAxis::new(reference.timeline(), &pairs);
    let source = |one: &'a Aligned<'_>| {
        let timeline = one.mapped.timeline();
        let stretches = (0..count).map(|frame| axis.frame_ticks(timeline, &one.alignment, frame)).collect();
        let numbers = timeline.frames.iter().map(|frame| (frame.begin.0, frame.number)).collect();
        Source { one, stretches, longest: Vec::new(), numbers }
    };
    aligned.iter().map(source).collect()
}

impl Source<'_> {
    fn stretch(&self, frame: FrameIndex) -> Option<(Tick, Tick)> {
        self.stretches.get(frame.as_usize()).copied().flatten()
    }

    fn find_longest(&mut self, frames: &[FrameIndex]) {
        let mut wanted = vec![None; self.stretches.len()];
        for frame in frames {
            wanted.get_mut(frame.as_usize()).into_iter().for_each(|wanted| *wanted = self.stretch(*frame));
        }
        self.longest = longest_own(self.one.mapped.timeline(), &wanted);
    }

    /// How long the application's frame took, if it records time.
    fn nanos(&self, frame: FrameIndex) -> Option<u64> {
        let (begin, end) = self.stretch(frame)?;
        let tick = self.one.mapped.timeline().axis.unit.nanos_per_tick()?;
        Some(end.0.saturating_sub(begin.0).saturating_mul(tick))
    }

    fn to_json(&self, frame: FrameIndex) -> Value {
        let Some((begin, end)) = self.stretch(frame) else { return Value::Null };
        let matched = self.one.alignment.matched(u64::from(frame.0));
        let longest = self.longest.get(frame.as_usize()).and_then(Option::as_ref);
        json!({
            "path": self.one.file.name(), "frame": matched.map(|matched| matched.annotation),
            "number": self.numbers.get(&begin.0), "begin": begin.0, "end": end.0,
            "unit": self.one.mapped.timeline().axis.unit.name(), "nanos": self.nanos(frame),
            "longest": longest,
        })
    }

    fn to_text(&self, frame: FrameIndex) -> String {
        let name = self.one.file.path.file_name().unwrap_or_default().to_string_lossy();
        let Some((begin, end)) = self.stretch(frame) else { return format!("{name}: no frame") };
        let unit = self.one.mapped.timeline().axis.unit;
        let length = |ticks: u64| match unit.nanos_per_tick() {
            Some(nanos) => in_ms(ticks.saturating_mul(nanos)),
            None => format!("{ticks} {}", unit.name()),
        };
        let matched = self.one.alignment.matched(u64::from(frame.0));
        let mut text = match matched {
            Some(matched) => format!("{name}: frame {}", matched.annotation),
            None => format!("{name}: tick {}", begin.0),
        };
        if let Some(number) =
            self.numbers.get(&begin.0).filter(|number| matched.is_none_or(|m| m.annotation != **number))
        {
            text += &format!(" (number {number})");
        }
        text += &format!(", {}", length(end.0.saturating_sub(begin.0)));
        if let Some(ScopeShare { name, track, own_ticks }) = self.longest.get(frame.as_usize()).and_then(Option::as_ref)
        {
            text += &format!(", most in {} {}", Harmless(name), length(*own_ticks));
            if !track.is_empty() {
                text += &format!(" on {}", Harmless(track));
            }
        }
        text
    }
}

fn in_ms(nanos: u64) -> String {
    format!("{:.3} ms", nanos as f64 / 1e6)
}

/// The frames of `--frames`, of the first `count`, in which any file has something that `--filter` accepts.
fn chosen_frames(
    args: &BlameArgs,
    (reference, count): (&Mapped<'_>, usize),
    sources: &[Source<'_>],
) -> Result<Vec<FrameIndex>, Failure> {
    let timeline = reference.timeline();
    let frames = match &args.selection.frames {
        Some(set) => set.resolve(timeline.frames.len() as u32).map_err(Failure::usage)?,
        None => (0..timeline.frames.len() as u32).map(FrameIndex).collect(),
    };
    let mut frames: Vec<FrameIndex> = frames.into_iter().filter(|frame| frame.as_usize() < count).collect();
    let Some(filter) = &args.selection.filter.filter else { return Ok(frames) };
    let own: Vec<_> = timeline.frames.iter().take(count).map(|frame| Some((frame.begin, frame.end))).collect();
    let files = sources.iter().map(|source| (&source.one.mapped, source.stretches.as_slice()));
    let mut touched = vec![false; count];
    let mut refused = None;
    let mut is_asked = false;
    for (mapped, stretches) in std::iter::once((reference, own.as_slice())).chain(files) {
        // A file whose lengths are of another kind has nothing that such a test accepts.
        if let Err(error) = args.selection.filter.check(Some(mapped.timeline().axis.unit)) {
            refused = refused.or(Some(error));
            continue;
        }
        is_asked = true;
        let found = touched_stretches(mapped.timeline(), &mut *mapped.arguments(), filter, stretches)?;
        touched.iter_mut().zip(found).for_each(|(touched, found)| *touched |= found);
    }
    match refused.filter(|_| !is_asked) {
        Some(error) => Err(error),
        None => {
            frames.retain(|frame| touched.get(frame.as_usize()) == Some(&true));
            Ok(frames)
        }
    }
}

/// The hashes of what frames are drawn from.
struct Inputs {
    hasher: InputHasher,
    last: Option<(FrameIndex, InputHash)>,
}

impl Inputs {
    /// That of a frame, and whether the frame before has the same; nothing of the first.
    fn of(&mut self, frame: FrameIndex) -> Result<(InputHash, Option<bool>), Failure> {
        let before = match frame.0.checked_sub(1).map(FrameIndex) {
            Some(before) => Some(self.hash(before)?),
            None => None,
        };
        let hash = self.hash(frame)?;
        self.last = Some((frame, hash));
        Ok((hash, before.map(|before| before == hash)))
    }

    fn hash(&mut self, frame: FrameIndex) -> Result<InputHash, Failure> {
        match self.last {
            Some((last, hash)) if last == frame => Ok(hash),
            _ => Ok(self.hasher.frame(frame)?.ok_or(LOST)?),
        }
    }
}

struct Row {
    frame: FrameIndex,
    contents: FrameContents,
    hash: InputHash,
    /// Whether the frame before is drawn from the same.
    is_as_before: Option<bool>,
    picture: Option<Change>,
}

impl Row {
    fn to_json(&self, sources: &[Source<'_>]) -> JsonLine {
        let FrameContents { draws, dispatches, uploads, .. } = self.contents;
        json_line!("frame-blame", {
            "frame": self.frame.0, "draws": draws, "dispatches": dispatches, "uploads": uploads,
            "input_sha256": self.hash.to_string(), "inputs_as_before": self.is_as_before,
            "picture": self.picture.map(Change::name),
            "annotations": sources.iter().map(|source| source.to_json(self.frame)).collect::<Vec<_>>(),
        })
    }

    fn to_text(&self, sources: &[Source<'_>], nanos: Option<u64>) -> String {
        let time = nanos.map_or("-".to_owned(), in_ms);
        let inputs = match self.is_as_before {
            Some(true) => "same",
            Some(false) => "new",
            None => "first",
        };
        let picture = self.picture.map_or("-", Change::name);
        let FrameContents { draws, uploads, .. } = self.contents;
        let row = format!("{:>8} {time:>14} {draws:>8} {uploads:>8} {inputs:>8} {picture:>8}", self.frame.0);
        sources.iter().fold(row, |row, source| format!("{row}  {}", source.to_text(self.frame)))
    }
}
