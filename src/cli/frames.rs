//! `frames TRACE` and `draws TRACE`: where frames and draws lie, and what they are drawn from.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::filter::FilterArgs;
use super::frame_set::FrameSet;
use super::index::make_index;
use super::open::{completeness, open_trace};
use super::output::{print_json, stdout};
use crate::command::{Command, Draw, Located, SubmissionPlace};
use crate::error::Classified;
use crate::format::aerogpu::{FrameIndex, FrameSpan, Trace};
use crate::replay::{ContentsReader, FrameContents, InputHasher, ResolvedCommand, TraceIndex};
use crate::text::json_line;

#[derive(Debug, clap::Args)]
pub(super) struct FramesArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Only these frames
    #[arg(long, value_name = "SET", allow_hyphen_values = true)]
    pub frames: Option<FrameSet>,
    #[command(flatten)]
    pub filter: FilterArgs,
}

/// What both verbs go through.
struct Listing {
    trace: Arc<Trace>,
    index: Arc<TraceIndex>,
    hasher: InputHasher,
    frames: Vec<FrameIndex>,
    /// For frames with submissions and those behind them: what their commands alone tell.
    contents: ContentsReader,
    /// The first thing that is wrong with a submission.
    damage: Option<Exit>,
}

/// `frames TRACE`
pub(super) fn run_frames(args: &FramesArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    list(args, common, Listing::frame)
}

/// `draws TRACE`
pub(super) fn run_draws(args: &FramesArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    list(args, common, Listing::draws)
}

/// Writes what one of the listings says of a frame.
type WriteFrame = fn(&mut Listing, FrameIndex, &FilterArgs, &CommonArgs, &mut dyn Write) -> Result<(), Failure>;

fn list(args: &FramesArgs, common: &CommonArgs, write: WriteFrame) -> Result<Exit, Failure> {
    let mut listing = Listing::open(args, common)?;
    let mut out = stdout();
    for frame in std::mem::take(&mut listing.frames) {
        write(&mut listing, frame, &args.filter, common, &mut out)?;
    }
    out.flush()?;
    listing.finish(args)
}

impl Listing {
    fn open(args: &FramesArgs, common: &CommonArgs) -> Result<Self, Failure> {
        args.filter.check(None)?;
        let trace = open_trace(&args.trace, common)?;
        let set = args.frames.clone().unwrap_or_else(FrameSet::all);
        let mut frames = set.resolve(trace.frames().len() as u32).map_err(Failure::usage)?;
        let index = make_index(&trace, common);
        frames.retain(|frame| frame.as_usize() < index.frame_count());
        let hasher = InputHasher::new(trace.clone(), index.clone());
        let contents = ContentsReader::new(trace.clone());
        Ok(Self { trace, index, hasher, frames, contents, damage: None })
    }

    /// A damaged frame ends the list, and the program with an error.
    fn finish(&self, args: &FramesArgs) -> Result<Exit, Failure> {
        match self.index.stop() {
            Some(stop) => {
                let message = format!("{}: frame {}: {}", args.trace.display(), stop.frame, stop.message);
                Err(Failure::say(stop.kind, message).at(stop.offset))
            }
            None => Ok(self.damage.unwrap_or_else(|| completeness(&self.trace))),
        }
    }

    fn frame(
        &mut self,
        frame: FrameIndex,
        filter: &FilterArgs,
        common: &CommonArgs,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let Some(span) = self.trace.frame(frame).cloned() else { return Ok(()) };
        if self.index.is_submitted(frame) {
            return self.contents_of(&span, frame, filter, common, out);
        }
        let Some(own) = self.index.commands_of(frame) else { return Ok(()) };
        let Some(slice) = self.index.slice(frame, own.end, None)? else { return Ok(()) };
        let hash = self.hasher.frame(frame)?.map(|hash| hash.to_string()).unwrap_or_default();
        let count = |wanted: fn(&ResolvedCommand) -> bool| self.index.numbers_in(own.clone(), wanted).count();
        let draws = count(|step| matches!(step, ResolvedCommand::Draw { .. }));
        let uploads = count(|step| matches!(step, ResolvedCommand::Upload { .. }));
        let (start, end, needs) = (span.bytes.start, span.bytes.end, slice.earlier.len());
        let line = json_line!("frame", { "frame": frame.0, "offset": start, "size_bytes": end - start,
            "present_offset": span.present_offset, "commands": own.len(), "draws": draws, "uploads": uploads,
            "self_contained": needs == 0, "earlier_commands": needs, "input_sha256": hash,
        });
        if !filter.accepts_object(&format!("frame {frame}"), &line) {
            return Ok(());
        }
        if common.json {
            print_json(out, &line)?;
        } else {
            let needs = match needs {
                0 => "self-contained".to_owned(),
                needs => format!("needs {}", counted(needs, "earlier command")),
            };
            let (draws, uploads) = (counted(draws, "draw"), counted(uploads, "upload"));
            writeln!(
                out,
                "frame {frame}: {start:#x} to {end:#x}, {} bytes, {draws}, {uploads}, {needs}, input={hash}",
                end - start
            )?;
        }
        Ok(())
    }

    /// A frame with submissions, as far as its commands alone tell.
    fn contents_of(
        &mut self,
        span: &FrameSpan,
        frame: FrameIndex,
        filter: &FilterArgs,
        common: &CommonArgs,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let contents = self.contents.read(frame, |_, _| ())?;
        let (start, end) = (span.bytes.start, span.bytes.end);
        let FrameContents { commands, submissions, draws, dispatches, uploads, presents, .. } = contents;
        let line = json_line!("frame-contents", { "frame": frame.0, "offset": start, "size_bytes": end - start,
            "present_offset": span.present_offset, "submissions": submissions, "commands": commands, "draws": draws,
            "dispatches": dispatches, "uploads": uploads, "presents": presents,
        });
        if filter.accepts_object(&format!("frame {frame}"), &line) {
            if common.json {
                print_json(out, &line)?;
            } else {
                let [submissions, commands] = [(submissions, "submission"), (commands, "command")].map(counted_u32);
                let [draws, dispatches] = [(draws, "draw"), (dispatches, "dispatch")].map(counted_u32);
                let [uploads, presents] = [(uploads, "upload"), (presents, "present")].map(counted_u32);
                writeln!(
                    out,
                    "frame {frame}: {start:#x} to {end:#x}, {} bytes, {submissions}, {commands}, {draws}, {dispatches}, \
                     {uploads}, {presents}",
                    end - start
                )?;
            }
        }
        self.tell(&contents, common);
        Ok(())
    }

    /// The draws of a frame with submissions.
    fn submitted_draws(
        &mut self,
        frame: FrameIndex,
        filter: &FilterArgs,
        common: &CommonArgs,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let mut draws = Vec::new();
        let contents = self.contents.read(frame, |draw, command| draws.push((draw, *command)))?;
        for (draw, Located { at, value }) in draws {
            let (name, ranges) = (value.name(), draw_ranges(&value));
            let line = json_line!("submitted-draw", { "frame": frame.0, "draw": draw, "offset": at.offset,
                "packet": at.packet, "submission": at.submission.map(SubmissionPlace::number),
                "context": at.submission.map(SubmissionPlace::context), "name": name,
            })
            .and(ranges.iter().map(|(name, value)| ((*name).to_owned(), json!(value))));
            if !filter.accepts_object(name, &line) {
                continue;
            }
            if common.json {
                print_json(out, &line)?;
            } else {
                let mut text = format!("frame {frame} draw {draw}: {:#x}", at.offset);
                if let Some(submission) = at.submission {
                    text += &format!(", submission {}, context {}", submission.number(), submission.context());
                }
                text += &format!(", packet {}, {name}", at.packet);
                ranges.iter().for_each(|(name, value)| text += &format!(" {name}={value}"));
                writeln!(out, "{text}")?;
            }
        }
        self.tell(&contents, common);
        Ok(())
    }

    /// Says what is wrong with a frame.
    fn tell(&mut self, contents: &FrameContents, common: &CommonArgs) {
        for error in &contents.errors {
            let exit = Exit::from(error.kind());
            common.messages().error(error.kind(), exit, error.to_string(), error.offset());
            self.damage = self.damage.or(Some(exit));
        }
        if contents.errors_dropped > 0 {
            common.messages().note(format!("and {} more errors", contents.errors_dropped), None);
        }
    }

    fn draws(
        &mut self,
        frame: FrameIndex,
        filter: &FilterArgs,
        common: &CommonArgs,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        if self.index.is_submitted(frame) {
            return self.submitted_draws(frame, filter, common, out);
        }
        let hashes = self.hasher.draws(frame)?;
        let index = self.index.clone();
        for ((draw, number), hash) in index.draws_of(frame).enumerate().zip(hashes) {
            let (Some(at), Some(&ResolvedCommand::Draw { vertex_count, first_vertex, .. })) =
                (index.location(number), index.command(number))
            else {
                continue;
            };
            let line = json_line!("draw", { "frame": frame.0, "draw": draw, "offset": at.offset,
                "packet": at.packet, "vertex_count": vertex_count, "first_vertex": first_vertex,
                "input_sha256": hash.to_string(),
            });
            if !filter.accepts_object("DRAW", &line) {
                continue;
            }
            if common.json {
                print_json(out, &line)?;
            } else {
                writeln!(
                    out,
                    "frame {frame} draw {draw}: {:#x}, packet {}, vertices {first_vertex} to {}, input={hash}",
                    at.offset,
                    at.packet,
                    u64::from(first_vertex) + u64::from(vertex_count)
                )?;
            }
        }
        Ok(())
    }
}

/// What a draw covers, by names.
fn draw_ranges(command: &Command) -> Vec<(&'static str, i64)> {
    match *command {
        Command::Draw(Draw { vertex_count, first_vertex, instance_count, first_instance }) => vec![
            ("vertex_count", vertex_count.into()),
            ("first_vertex", first_vertex.into()),
            ("instance_count", instance_count.into()),
            ("first_instance", first_instance.into()),
        ],
        Command::DrawIndexed(draw) => vec![
            ("index_count", draw.index_count.into()),
            ("first_index", draw.first_index.into()),
            ("base_vertex", draw.base_vertex.into()),
            ("instance_count", draw.instance_count.into()),
            ("first_instance", draw.first_instance.into()),
        ],
        _ => Vec::new(),
    }
}

fn counted_u32((count, noun): (u32, &str)) -> String {
    match (count, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "dispatch") => format!("{count} dispatches"),
        _ => format!("{count} {noun}s"),
    }
}

/// "1 draw", "2 draws".
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
