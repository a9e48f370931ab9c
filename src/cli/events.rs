//! `events TRACE --frames SET`: the records and packets of frames, by the draw that they lead to.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::filter::{FilterArgs, SeenRows};
use super::frame_set::FrameSet;
use super::index::make_index_up_to;
use super::open::{completeness, open_trace};
use super::output::{print_json, stdout};
use crate::analysis::{Analysis, EventArgument, EventGroup, EventRow, FrameEvents};
use crate::bytes::FindingKind;
use crate::command::SubmissionPlace;
use crate::error::ErrorKind;
use crate::text::{counted, json_line};

#[derive(Debug, clap::Args)]
pub(super) struct EventsArgs {
    /// The trace; - for stdin
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Only these frames
    #[arg(long, visible_alias = "frame", value_name = "SET", allow_hyphen_values = true)]
    pub frames: Option<FrameSet>,
    #[command(flatten)]
    pub filter: FilterArgs,
}

pub(super) fn run(args: &EventsArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    args.filter.check(Some(Analysis::event_length_unit()))?;
    let trace = open_trace(&args.trace, common)?;
    let frame_count = trace.frames().len() as u32;
    let frames =
        args.frames.as_ref().map_or_else(|| FrameSet::all().resolve(frame_count), |set| set.resolve(frame_count));
    let frames = frames.map_err(Failure::usage)?;
    let index = make_index_up_to(&trace, frames.last().map_or(0, |last| last.as_usize() + 1), common);
    let analysis = Analysis::new(trace, index);
    let mut out = stdout();
    let (mut seen, mut first_odd, mut exit) = (SeenRows::default(), None, None);
    for frame in &frames {
        let events = analysis.events(*frame)?;
        let shown = match &args.filter.filter {
            Some(filter) => Some(analysis.filter_events(&events, filter)?),
            None => None,
        };
        let is_empty = shown.as_ref().is_some_and(Vec::is_empty);
        if is_empty && seen.is_empty() {
            see_packets(&analysis, &events, &mut seen)?;
        }
        seen.has_match |= !is_empty;
        // Of many frames, those without a match say nothing.
        if !is_empty || frames.len() == 1 {
            let purposes = analysis.fixed_functions(&events)?;
            let mut listing =
                Listing { analysis: &analysis, events: &events, purposes, json: common.json, out: &mut out };
            listing.frame(shown.as_deref())?;
        }
        let odd = events.notes.iter().find(|note| note.kind == FindingKind::Oddity).filter(|_| common.strict);
        first_odd = first_odd.or_else(|| odd.cloned());
        exit = exit.or_else(|| events.errors().next().map(|error| error.kind.into()));
    }
    out.flush()?;
    seen.note(common);
    if let Some(odd) = first_odd {
        let message = format!("{}, at {:#x} (--strict)", odd.message, odd.offset);
        return Err(Failure::say(ErrorKind::Malformed, message).at(Some(odd.offset)));
    }
    let exit = exit.map(|exit: Exit| if common.keep_going { Exit::Partial } else { exit });
    Ok(exit.unwrap_or_else(|| completeness(analysis.trace())))
}

/// Takes in the names of a frame's packets, for whom no row matches.
fn see_packets(analysis: &Analysis, events: &FrameEvents, seen: &mut SeenRows) -> Result<(), Failure> {
    for row in events.rows.iter().filter(|row| row.kind.is_packet()) {
        let arguments = analysis.arguments(row)?;
        seen.add(row.kind.name(), || arguments.iter().map(|argument| argument.name.to_owned()).collect());
    }
    Ok(())
}

/// Groups that the rows of a draw stand in so far.
#[derive(Default)]
struct Open {
    submission: Option<SubmissionPlace>,
    /// Groups of markers, by their numbers, the outermost first.
    path: Vec<u32>,
}

struct Listing<'a, W> {
    analysis: &'a Analysis,
    events: &'a FrameEvents,
    /// By draw, the purposes of shaders that the driver made.
    purposes: BTreeMap<u32, String>,
    json: bool,
    out: W,
}

impl<W: Write> Listing<'_, W> {
    /// Writes the frame, with all of its rows or with those that are named.
    fn frame(&mut self, shown: Option<&[u32]>) -> Result<(), Failure> {
        self.head()?;
        for group in self.events.groups() {
            let is_shown = |row: &u32| shown.is_none_or(|shown| shown.binary_search(row).is_ok());
            let rows: Vec<u32> = group.rows.clone().filter(is_shown).collect();
            if !rows.is_empty() {
                self.group(&group, &rows)?;
            }
        }
        self.error()
    }

    fn head(&mut self) -> Result<(), Failure> {
        let FrameEvents { frame, bytes, draws, .. } = self.events;
        let (packets, size) = (self.events.packet_count(), bytes.end - bytes.start);
        if self.json {
            let line = json_line!("frame-events", { "frame": frame, "offset": bytes.start, "size_bytes": size,
                "packets": packets, "draws": draws.len(), "notes_dropped": self.events.notes_dropped,
            });
            return Ok(print_json(&mut self.out, &line)?);
        }
        let draws = draws.len();
        let [size, packets, draws] = [counted(size, "byte"), counted(packets, "packet"), counted(draws, "draw")];
        writeln!(self.out, "frame {frame}: {:#x}, {size}, {packets}, {draws}", bytes.start)?;
        Ok(())
    }

    fn group(&mut self, group: &EventGroup, rows: &[u32]) -> Result<(), Failure> {
        if !self.json {
            let title = match group.draw {
                Some(draw) => format!("draw {draw}"),
                None => "after the last draw".to_owned(),
            };
            let purposes = group.draw.and_then(|draw| self.purposes.get(&draw));
            let purposes = purposes.map_or(String::new(), |purposes| format!(": {purposes}"));
            writeln!(self.out, "{title}{purposes}")?;
        }
        let mut open = Open::default();
        for number in rows {
            let Some(row) = self.events.rows.get(*number as usize) else { continue };
            if !self.json {
                self.headings(*number, row, &mut open)?;
            }
            let arguments = self.analysis.arguments(row)?;
            if self.json {
                self.json_row(group, *number, row, &arguments)?;
            } else {
                self.text_row((*number, open.path.len()), row, &arguments)?;
            }
        }
        Ok(())
    }

    /// Beginnings at a row: a submission, and groups of markers.
    fn headings(&mut self, number: u32, row: &EventRow, open: &mut Open) -> Result<(), Failure> {
        let path = self.events.marker_groups_of(number);
        let begins = row.submission.filter(|begun| open.submission.replace(*begun) != Some(*begun));
        if let Some(begun) = begins {
            writeln!(self.out, "  submission {}, context {}", begun.number(), begun.context())?;
        }
        let known = path.iter().zip(&open.path).take_while(|(one, other)| one == other).count();
        for (depth, group) in path.iter().enumerate().skip(known) {
            writeln!(self.out, "{:indent$}marker \"{}\"", "", self.events.marker_name(*group), indent = 2 + 2 * depth)?;
        }
        open.path = path;
        Ok(())
    }

    /// A row inside so many groups of markers.
    fn text_row(
        &mut self,
        (number, depth): (u32, usize),
        row: &EventRow,
        arguments: &[EventArgument],
    ) -> Result<(), Failure> {
        let packet = if row.kind.is_packet() { row.packet.to_string() } else { String::new() };
        let (indent, names) = (2 + 2 * depth, self.analysis.resource_names(self.events.frame, row, arguments));
        let mut line = format!("{:indent$}{:#010x} {packet:>6}  {}", "", row.offset, row.kind.name());
        for argument in arguments {
            line += &format!("  {}={}", argument.name, argument.value_in_words(&names));
        }
        writeln!(self.out, "{line}")?;
        for note in self.events.notes_of(number) {
            let kind = match note.kind {
                FindingKind::Oddity => "warning",
                FindingKind::Remark => "note",
            };
            writeln!(self.out, "{:indent$}  {kind}: {}, at {:#x}", "", note.message, note.offset)?;
        }
        Ok(())
    }

    fn json_row(
        &mut self,
        group: &EventGroup,
        number: u32,
        row: &EventRow,
        arguments: &[EventArgument],
    ) -> Result<(), Failure> {
        let named = |argument: &EventArgument| (argument.name.to_owned(), json!(argument.value));
        let units = arguments.iter().map(|argument| (argument.name.to_owned(), json!(argument.meaning)));
        let line = json_line!("event", { "frame": self.events.frame, "draw": group.draw, "row": number,
            "packet": row.kind.is_packet().then_some(row.packet), "offset": row.offset,
            "size_bytes": row.size_bytes, "name": row.kind.name(),
            "arguments": Value::Object(arguments.iter().map(named).collect::<Map<_, _>>()),
            "meanings": Value::Object(units.collect::<Map<_, _>>()),
            "notes": self.events.notes_of(number),
        });
        let names = self.analysis.resource_names(self.events.frame, row, arguments);
        let names = (!names.is_empty()).then(|| ("resource_names", json!(names)));
        let of_stream = self.events.of_stream(number).into_iter().chain(names);
        let line = line.and(of_stream.map(|(name, value)| (name.to_owned(), value)));
        Ok(print_json(&mut self.out, &line)?)
    }

    fn error(&mut self) -> Result<(), Failure> {
        for error in self.events.errors() {
            if self.json {
                let line = json_line!("damage", { "offset": error.offset, "row": error.row,
                    "message": error.message,
                });
                print_json(&mut self.out, &line)?;
            } else {
                writeln!(self.out, "error: {}", error.message)?;
            }
        }
        Ok(())
    }
}
