//! `frames TRACE` and `draws TRACE`: where frames and draws lie, and what they are drawn from.

mod appendix_a;
mod submitted;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::faults::ListedFaults;
use super::filter::FilterArgs;
use super::frame_set::FrameSet;
use super::index::make_index;
use super::line_width::Fitted;
use super::open::{completeness, open_trace};
use super::output::{print_json, stdout};
use super::progress::{Printing, Progress};
use super::shown::ShownArgs;
use crate::analysis::{DrawRow, FrameEvents};
use crate::command::Shown;
use crate::error::Internal;
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::{
    CommandNumber, CommandReader, InputHash, InputHasher, NoPicture, Picture, TraceIndex, picture_at_end,
};
use crate::text::{JsonLine, counted, plural};

#[derive(Debug, clap::Args)]
pub(super) struct FramesArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Only these frames
    #[arg(long, visible_alias = "frame", value_name = "SET", allow_hyphen_values = true)]
    pub frames: Option<FrameSet>,
    /// Also show the SHA-256 of the inputs of each row
    #[arg(long)]
    pub hashes: bool,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// What both verbs go through.
struct Listing<'a> {
    trace: Arc<Trace>,
    index: Arc<TraceIndex>,
    hasher: InputHasher,
    frames: Vec<FrameIndex>,
    faults: ListedFaults,
    filter: &'a FilterArgs,
    /// Whether lines of text end in hashes.
    has_hashes: bool,
    /// Whether several contexts draw.
    has_contexts: bool,
    /// The picture that is meant; none if it is what frames usually show.
    shown: Option<Shown>,
    /// Commands that may still be looked at only to count those that frames need.
    countable_commands: usize,
    /// Why a frame so far has no such picture, and whether any has.
    missing: Option<NoPicture>,
    has_any: bool,
    common: &'a CommonArgs,
    out: Box<dyn Write>,
}

/// Commands that are looked at to count those that frames need: so many, and each of the trace so often. Frames that lie over
/// each other from the first to the last need ever more, and counting them all would take longer with each.
const ALWAYS_COUNTED: usize = 1 << 20;
const COUNTED_TIMES: usize = 64;

/// Commands of a frame that are counted behind that.
const LEAST_COUNTED: usize = 256;

/// Number of the commands that a frame needs before its own.
#[derive(Clone, Copy)]
struct EarlierCommands {
    count: usize,
    /// False if there are more.
    is_all: bool,
}

/// A draw that is listed.
struct ListedDraw {
    row: DrawRow,
    /// The hash of what it is drawn from.
    hash: Option<InputHash>,
}

/// `frames TRACE`
pub(super) fn run_frames(args: &FramesArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let each = |listing: &mut Listing<'_>, frame| match listing.index.is_submitted(frame) {
        true => listing.submitted_frame(frame),
        false if listing.picture(frame)?.is_some() => Ok(()),
        false => listing.frame(frame),
    };
    Listing::open(args, common)?.run(args, each)
}

/// `draws TRACE`
pub(super) fn run_draws(args: &FramesArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    Listing::open(args, common)?.run(args, |listing, frame| listing.draws(frame))
}

impl<'a> Listing<'a> {
    fn open(args: &'a FramesArgs, common: &'a CommonArgs) -> Result<Self, Failure> {
        args.filter.check(None)?;
        let trace = open_trace(&args.trace, common)?;
        let set = args.frames.clone().unwrap_or_else(FrameSet::all);
        let mut frames = set.resolve(trace.frames().len() as u32).map_err(Failure::usage)?;
        let index = make_index(&trace, common);
        frames.retain(|frame| frame.as_usize() < index.frame_count());
        let hasher = InputHasher::new(trace.clone(), index.clone());
        let (filter, out) = (&args.filter, Box::new(stdout()));
        let faults = ListedFaults::default();
        let shown = args.shown.are_given().then(|| args.shown.shown());
        let (missing, has_any) = (None, false);
        let (has_hashes, has_contexts) = (args.hashes, index.contexts().nth(1).is_some());
        let countable_commands = ALWAYS_COUNTED + COUNTED_TIMES * index.command_count() as usize;
        Ok(Self {
            countable_commands,
            trace,
            index,
            hasher,
            frames,
            faults,
            filter,
            has_hashes,
            has_contexts,
            shown,
            missing,
            has_any,
            common,
            out,
        })
    }

    /// Lists the frames. Behind a bad submission the list goes on, and the program ends in what the first is wrong with; a
    /// damaged frame ends the list, and the program with an error.
    fn run(
        mut self,
        args: &FramesArgs,
        mut each: impl FnMut(&mut Self, FrameIndex) -> Result<(), Failure>,
    ) -> Result<Exit, Failure> {
        let frames = std::mem::take(&mut self.frames);
        let mut progress = Progress::of("listing frames", frames.len(), Printing::AsItGoes, self.common);
        for frame in frames {
            each(&mut self, frame)?;
            self.faults.add(&self.index, frame);
            progress.step();
        }
        drop(progress);
        self.out.flush()?;
        self.filter.note_if_nothing_matched(self.common);
        if let Some(none) = self.missing.take().filter(|_| !self.has_any) {
            return Err(Failure::usage(none));
        }
        let damage = self.faults.conclude(&self.index, &args.trace.display().to_string(), self.common)?;
        Ok(damage.unwrap_or_else(|| completeness(&self.trace)))
    }

    /// Counts the commands that a frame, or a picture of it, needs before its own.
    fn earlier_commands(
        &mut self,
        count: impl FnOnce(&TraceIndex, usize) -> Result<Option<usize>, Internal>,
    ) -> Result<EarlierCommands, Failure> {
        let most = self.countable_commands.max(LEAST_COUNTED);
        let found = count(&self.index, most)?;
        let count = found.unwrap_or(most);
        self.countable_commands = self.countable_commands.saturating_sub(count);
        Ok(EarlierCommands { count, is_all: found.is_some() })
    }

    /// The draws of a frame, each in the way of its ABI; of a picture that is asked for, those that lead to it.
    fn draws(&mut self, frame: FrameIndex) -> Result<(), Failure> {
        let index = self.index.clone();
        let leads_to_picture = match self.picture(frame)? {
            None => None,
            Some(Ok(picture)) => Some(picture.own_commands(&index)?),
            Some(Err(_)) => return Ok(()),
        };
        let is_listed = |number: &CommandNumber| {
            leads_to_picture.as_ref().is_none_or(|commands| commands.binary_search(number).is_ok())
        };
        let mut reader = CommandReader::new(self.trace.clone());
        let events = FrameEvents::read(&self.trace, frame)?;
        let hashes = self.hasher.draw_hashes(frame)?;
        for ((draw, number), hash) in (0..).zip(index.draws_of(frame)).zip(hashes) {
            if !is_listed(&number) {
                continue;
            }
            let row = DrawRow::read(&index, &mut reader, &events, (draw, number))?;
            let listed = ListedDraw { row, hash };
            match listed.row.at.submission {
                Some(_) => self.submitted_draw(&listed)?,
                None => self.packet_draw(&listed)?,
            }
        }
        Ok(())
    }

    /// The picture of a frame that is asked for, if one is: with all that leads to it, or why there is none.
    fn picture(&mut self, frame: FrameIndex) -> Result<Option<Result<Picture, NoPicture>>, Failure> {
        let Some(shown) = self.shown else { return Ok(None) };
        let picture = picture_at_end(&self.trace, &self.index, frame, shown)?;
        match &picture {
            Ok(_) => self.has_any = true,
            Err(none) => self.missing = Some(none.clone()),
        }
        Ok(Some(picture))
    }

    /// Writes one line, in one of its two forms, if the filter lets it pass.
    fn line(
        &mut self,
        (name, further_names): (&str, &[&str]),
        line: &JsonLine,
        hash: Option<&str>,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if !self.filter.accepts_named(name, further_names, line) {
            return Ok(());
        }
        match (self.common.json, hash.filter(|_| self.has_hashes)) {
            (true, _) => print_json(&mut self.out, line)?,
            (false, Some(hash)) => writeln!(self.out, "{}, input={hash}", text())?,
            (false, None) => writeln!(self.out, "{}", Fitted(&text()))?,
        }
        Ok(())
    }
}

/// "needs 2 earlier commands".
fn needs(earlier: EarlierCommands) -> String {
    let count = counted(earlier.count, "earlier command");
    match earlier {
        EarlierCommands { count: 0, is_all: true } => "self-contained".to_owned(),
        EarlierCommands { is_all: true, .. } => format!("needs {count}"),
        EarlierCommands { is_all: false, .. } => format!("needs more than {count}"),
    }
}

/// Range that a draw covers, with its last: `vertices 0 to 35`.
fn range(noun: &str, first: u32, count: u32) -> String {
    match count.checked_sub(1) {
        None => format!("no {}", plural(noun)),
        Some(0) => format!("{noun} {first}"),
        Some(further) => format!("{} {first} to {}", plural(noun), u64::from(first) + u64::from(further)),
    }
}
