//! `frames TRACE` and `draws TRACE`: where frames and draws lie, and what they are drawn from.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::filter::FilterArgs;
use super::frame_set::FrameSet;
use super::index::make_index;
use super::open::{completeness, open_trace};
use super::output::{print_json, stdout};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::{InputHasher, ResolvedCommand, TraceIndex};
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
        Ok(Self { trace, index, hasher, frames })
    }

    /// A damaged frame ends the list, and the program with an error.
    fn finish(&self, args: &FramesArgs) -> Result<Exit, Failure> {
        match self.index.stop() {
            Some(stop) => {
                let message = format!("{}: frame {}: {}", args.trace.display(), stop.frame, stop.message);
                Err(Failure::say(stop.kind, message).at(stop.offset))
            }
            None => Ok(completeness(&self.trace)),
        }
    }

    fn frame(
        &mut self,
        frame: FrameIndex,
        filter: &FilterArgs,
        common: &CommonArgs,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let (Some(span), Some(own)) = (self.trace.frame(frame), self.index.commands_of(frame)) else { return Ok(()) };
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

    fn draws(
        &mut self,
        frame: FrameIndex,
        filter: &FilterArgs,
        common: &CommonArgs,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
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

/// "1 draw", "2 draws".
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
