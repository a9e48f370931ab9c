//! `compare A B`: which frames of two traces belong together, and the first frame and draw whose inputs, and whose
//! pictures, are not the same.

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::args::CommonArgs;
#[cfg(feature = "gpu")]
use super::args::ShaderArgs;
#[cfg(feature = "gpu")]
use super::bisect;
use super::bisect_input::{By, Side, write_first};
#[cfg(feature = "gpu")]
use super::check::CheckArgs;
use super::columns::Columns;
#[cfg(feature = "gpu")]
use super::drawing::watched_player;
use super::exit::{Exit, Failure};
use super::faults::ListedFaults;
#[cfg(feature = "gpu")]
use super::golden::{DeviceArgs, SizeArgs};
use super::open::completeness;
use super::output::{print_json, stdout};
use super::progress::{Printing, Progress};
use crate::analysis::{
    Analysis, ComparedLine, FrameBesideFrame, InputDifference, InputSide, LineSide, PlaceDifferences, RowDifference,
    TextDifference, TraceComparison, compare_first_draws,
};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
#[cfg(feature = "gpu")]
use crate::golden::bisect::{PictureDifference, first_picture_difference};
#[cfg(feature = "gpu")]
use crate::player::Player;
use crate::text::{counted, json_line};
use clap::Args as ClapArgs;

/// Settings, and lines of a shader, that are printed for people; `--json` has all.
const PRINTED: usize = 40;

/// Characters of values that stand in one line; longer ones stand below each other.
const SHORT: usize = 30;

#[derive(Debug, ClapArgs)]
pub(super) struct CompareArgs {
    /// Trace of side a
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// Trace of side b
    #[arg(value_name = "B")]
    pub b: PathBuf,
    /// Restrict the comparison to the inputs of frames, or to the pictures of frames whose inputs differ
    #[arg(long, value_enum)]
    pub by: Option<By>,
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    pub check: CheckArgs,
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    pub size: SizeArgs,
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    pub shaders: ShaderArgs,
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    pub device: DeviceArgs,
}

/// Counts of matched and unmatched frames.
struct Counts {
    frames: [usize; 2],
    same: usize,
    different: usize,
    /// Those that belong to none of the other.
    alone: [Vec<FrameIndex>; 2],
    /// Those that belong together under other numbers.
    moved: Vec<[RangeInclusive<u32>; 2]>,
}

pub(super) fn run(args: &CompareArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let sides = [Side::open(&args.a, common)?, Side::open(&args.b, common)?];
    let mut comparison = {
        let frames = sides.iter().map(|side| side.index.frame_count()).sum();
        let mut progress = Progress::of("comparing frames", frames, Printing::WhenDone, common);
        let inputs = sides.each_ref().map(|side| InputSide::new(side.trace.clone(), side.index.clone()));
        let compared = TraceComparison::new(inputs, || {
            progress.step();
            true
        })?;
        compared.ok_or(Internal::new("a comparison was cancelled without a request"))?
    };
    let mut out = stdout();
    let counts = Counts::of(&comparison, &sides);
    counts.print(common, &mut out)?;
    let mut differs = counts.alone.iter().any(|alone| !alone.is_empty());
    if args.wants_inputs() {
        differs |= tell_inputs(&mut comparison, &sides, common, &mut out)?;
    }
    out.flush()?;
    #[cfg(feature = "gpu")]
    if args.by != Some(By::Input) {
        differs |= args.tell_pictures(&comparison, &sides, common, &mut out)?;
        out.flush()?;
    }
    let mut exit = if differs { Exit::Different } else { Exit::Done };
    for side in &sides {
        let mut faults = ListedFaults::default();
        (0..side.index.frame_count() as u32).for_each(|frame| faults.add(&side.index, FrameIndex(frame)));
        let damage = faults.conclude(&side.index, &side.path.display().to_string(), common)?;
        exit = exit.worse(damage.unwrap_or_else(|| completeness(&side.trace)));
    }
    Ok(exit)
}

impl CompareArgs {
    fn wants_inputs(&self) -> bool {
        matches!(self.by, None | Some(By::Input))
    }

    /// Says which frames that are not drawn from the same are the first that do not look the same, and whether any do.
    #[cfg(feature = "gpu")]
    fn tell_pictures(
        &self,
        comparison: &TraceComparison,
        [a, b]: &[Side<'_>; 2],
        common: &CommonArgs,
        out: &mut impl Write,
    ) -> Result<bool, Failure> {
        let pairs: Vec<[FrameIndex; 2]> = comparison.different_frames().collect();
        if pairs.is_empty() {
            return Ok(false);
        }
        let gpu = self.device.open_shared()?;
        // Packets draw to a target of one size on both sides, as in `bisect`.
        let size = self.size.choose(&a.trace);
        let player = |side: &Side<'_>| -> Result<Player, Failure> {
            let mut player = watched_player(side.path, &side.trace, gpu.clone(), size, common)?;
            player.set_shader_options(self.shaders.into());
            Ok(player)
        };
        let (mut player_a, mut player_b) = (player(a)?, player(b)?);
        let mut drawn = 0_usize;
        let found = {
            let mut progress = Progress::of("drawing frames", pairs.len(), Printing::WhenDone, common);
            let pairs = pairs.into_iter().inspect(|_| {
                progress.step();
                drawn += 1;
            });
            let tolerance = self.check.tolerance();
            first_picture_difference(&mut player_a, &mut player_b, pairs, tolerance)?
        };
        if common.json {
            let frames = found.as_ref().map(|difference| difference.frames.map(|frame| frame.0));
            let [frame, beside] = frames.map_or([None; 2], |frames| frames.map(Some));
            let line = json_line!("compare-picture", { "frame": frame, "frame_b": beside, "pairs_drawn": drawn });
            print_json(out, &line)?;
        }
        let Some(PictureDifference { frames, found }) = &found else {
            if !common.json {
                writeln!(
                    out,
                    "by picture: the frames whose inputs differ look identical ({} drawn)",
                    counted(drawn, "pair")
                )?;
            }
            return Ok(false);
        };
        if common.json {
            print_json(out, &bisect::to_json(found))?;
            return Ok(true);
        }
        writeln!(out, "by picture: {} is the first that looks different", in_words(*frames))?;
        bisect::write_text(found, out)?;
        Ok(true)
    }
}

impl Counts {
    fn of(comparison: &TraceComparison, sides: &[Side<'_>; 2]) -> Self {
        let same = comparison.frames().iter().filter(|beside| beside.is_same).count();
        let different = comparison.different_frames().count();
        let frames = sides.each_ref().map(|side| side.index.frame_count());
        Self { frames, same, different, alone: comparison.frames_alone(), moved: moved(comparison.frames()) }
    }

    fn print(&self, common: &CommonArgs, out: &mut impl Write) -> Result<(), Failure> {
        let Self { frames: [a, b], same, different, alone, .. } = self;
        if common.json {
            let [alone_a, alone_b] =
                alone.each_ref().map(|alone| alone.iter().map(|frame| frame.0).collect::<Vec<_>>());
            let line = json_line!("compare", {
                "frames_a": a, "frames_b": b, "identical": same, "different": different,
                "unmatched_a": alone_a, "unmatched_b": alone_b,
            });
            return Ok(print_json(out, &line)?);
        }
        writeln!(
            out,
            "side a has {}, side b has {b}; matched: {same} with identical inputs, {different} with different inputs",
            counted(*a, "frame")
        )?;
        for [of_a, of_b] in self.moved.iter().take(PRINTED) {
            writeln!(out, "{} of side a: {} of side b", span_in_words(of_a), span_in_words(of_b))?;
        }
        write_left_out(self.moved.len(), out)?;
        for (side, alone) in ['a', 'b'].into_iter().zip(alone) {
            if let Some(first) = alone.first() {
                match alone.len() {
                    1 => writeln!(out, "1 frame of side {side} has no match: frame {first}")?,
                    count => writeln!(
                        out,
                        "{} of side {side} have no match, the first is frame {first}",
                        counted(count, "frame")
                    )?,
                }
            }
        }
        Ok(())
    }
}

/// Says in which frame and draw, and in what, inputs differ first; and whether any do.
fn tell_inputs(
    comparison: &mut TraceComparison,
    sides: &[Side<'_>; 2],
    common: &CommonArgs,
    out: &mut impl Write,
) -> Result<bool, Failure> {
    let Some(difference) = comparison.first_difference()? else { return Ok(false) };
    let analyses = sides.each_ref().map(|side| Analysis::new(side.trace.clone(), side.index.clone()));
    let at_draw = compare_first_draws(analyses.each_ref(), &difference)?;
    let InputDifference { place, beside, has_more_commands, .. } = &difference;
    if common.json {
        let line = json_line!("compare-input", {
            "frame": place.frame.0, "frame_b": beside.0, "draw": difference.draw(),
            "commands": difference.commands, "has_more_commands": has_more_commands,
            "settings": at_draw.rows, "shaders": at_draw.texts,
        });
        print_json(out, &line)?;
        return Ok(true);
    }
    let frames = in_words([place.frame, *beside]);
    writeln!(out, "by input: {frames} is the first whose inputs differ")?;
    write_first(&difference, out)?;
    write_differences(&at_draw, out)?;
    Ok(true)
}

pub(super) fn write_differences(
    PlaceDifferences { rows, texts }: &PlaceDifferences,
    out: &mut impl Write,
) -> std::io::Result<()> {
    if !rows.is_empty() {
        writeln!(out, "  what differs (a -> b):")?;
        let mut columns = Columns::default();
        for RowDifference { group, name, values } in rows.iter().take(PRINTED) {
            let [a, b] = values.each_ref().map(|value| value.clone().unwrap_or_else(|| "–".to_owned()));
            match (a.chars().count(), b.chars().count()) {
                (0..=SHORT, 0..=SHORT) => columns.row([group.clone(), name.clone(), format!("{a} -> {b}")]),
                _ => {
                    columns.row([group.clone(), name.clone(), format!("a: {a}")]);
                    columns.row([String::new(), String::new(), format!("b: {b}")]);
                }
            }
        }
        columns.write(4, out)?;
        write_left_out(rows.len(), out)?;
    }
    for TextDifference { name, groups } in texts {
        writeln!(out, "  {name} shader, lines of side a (-) and side b (+):")?;
        for ComparedLine { side, number, text } in groups.iter().flatten().take(PRINTED) {
            let sign = match side {
                LineSide::First => '-',
                LineSide::Second => '+',
                LineSide::Both => ' ',
            };
            writeln!(out, "    {number:>5} {sign} {text}")?;
        }
        write_left_out(groups.iter().map(Vec::len).sum(), out)?;
    }
    Ok(())
}

fn write_left_out(count: usize, out: &mut impl Write) -> std::io::Result<()> {
    match count.checked_sub(PRINTED) {
        Some(more @ 1..) => writeln!(out, "    {more} more are not shown (--json lists all)"),
        _ => Ok(()),
    }
}

/// Frames that belong together under other numbers, those in a row as one span.
fn moved(frames: &[FrameBesideFrame]) -> Vec<[RangeInclusive<u32>; 2]> {
    let beside = (0..).zip(frames).filter_map(|(frame, beside)| Some((frame, beside.frame?.0)));
    let mut spans: Vec<[RangeInclusive<u32>; 2]> = Vec::new();
    for (a, b) in beside.filter(|(a, b)| a != b) {
        match spans.last_mut() {
            Some([of_a, of_b]) if of_a.end() + 1 == a && of_b.end() + 1 == b => {
                (*of_a, *of_b) = (*of_a.start()..=a, *of_b.start()..=b);
            }
            _ => spans.push([a..=a, b..=b]),
        }
    }
    spans
}

fn span_in_words(span: &RangeInclusive<u32>) -> String {
    let (first, last) = (span.start(), span.end());
    if first == last { format!("frame {first}") } else { format!("frames {first} to {last}") }
}

/// "frame 3, beside frame 4 of b,".
fn in_words([a, b]: [FrameIndex; 2]) -> String {
    if a == b { format!("frame {a}") } else { format!("frame {a}, matched with frame {b} of side b,") }
}
