//! `timeline dump FILE --canonical ops|events|timeline`: the texts over which the references take their digests.

use std::fmt;
use std::io::{self, Write};

use super::args::{CanonicalText, DumpArgs};
use super::file::{Body, File, wip15_exit, wtf_exit};
use crate::bytes::FileSource;
use crate::cli::args::CommonArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::messages::FileDamage;
use crate::cli::output::stdout;
use crate::error::ErrorKind;
use crate::format::wip15::{self, BlobPolicy};
use crate::format::wtf::{self, WtfError, write_event_line, write_header_lines};
use crate::text::json_text;
use crate::timeline::wip15::map_wip15;
use crate::timeline::wtf::{map_wtf, write_canonical};

pub(super) fn run(args: &DumpArgs, text: CanonicalText, common: &CommonArgs) -> Result<Exit, Failure> {
    let file = File::open(&args.file, common)?;
    let mut lines = stdout();
    // The digests are of these very bytes.
    let mut out = lines.as_bytes();
    let (exit, damage) = match (&file.body, text) {
        (Body::Wip15(source), CanonicalText::Ops) => write_ops(source, &mut out),
        (Body::Wip15(source), CanonicalText::Timeline) => write_listing(source, &mut out),
        (Body::Wtf(source), CanonicalText::Events) => write_wtf_events(source, &mut out),
        (Body::Wtf(source), CanonicalText::Timeline) => write_wtf_timeline(source, &mut out),
        _ => {
            let (name, title) = (file.name(), file.kind().title());
            let message =
                format!("{name} is {title}: expected ops or timeline for WIP15, events or timeline for wtf-trace");
            Err(Failure::usage(message))
        }
    }
    .map_err(|failure| failure.context(file.name()))?;
    out.flush()?;
    if let Some(damage) = damage {
        common.messages().damage(&file.name(), &damage, exit);
    }
    Ok(exit)
}

/// The code to end with, and what is wrong with the file.
type Ending = (Exit, Option<FileDamage>);

fn wip15_ending(error: Option<&wip15::Error>) -> Ending {
    error.map_or((Exit::Done, None), |error| (wip15_exit(error), Some(error.into())))
}

fn wtf_ending(error: Option<&WtfError>, has_header: bool) -> Ending {
    error.map_or((Exit::Done, None), |error| (wtf_exit(error, has_header), Some(error.into())))
}

fn no_header(error: wip15::Error) -> Failure {
    Failure::new(ErrorKind::ReadFailed, error)
}

fn write_ops(source: &FileSource, out: &mut impl Write) -> Result<Ending, Failure> {
    let mut reader = wip15::Reader::open(source, BlobPolicy::Check).map_err(no_header)?;
    let error = wip15::write_canonical(&mut reader, out)?;
    Ok(wip15_ending(error.as_ref()))
}

/// The reference has no text for the timeline of a WIP15 trace, but a JSON object.
fn write_listing(source: &FileSource, out: &mut impl Write) -> Result<Ending, Failure> {
    let mapped = map_wip15(source, "", BlobPolicy::Check).map_err(no_header)?;
    let listing = mapped.listing(source)?;
    writeln!(out, "{}", json_text(&listing))?;
    Ok(wip15_ending(mapped.error.as_ref()))
}

fn write_wtf_events(source: &FileSource, out: &mut impl Write) -> Result<Ending, Failure> {
    let mut out = TextOut { out, failed: None };
    let mut reader = wtf::Reader::new(source);
    // The header is known before the first record, or never.
    let mut next = reader.next_event().map(|event| event.is_some());
    if let Some(header) = reader.header() {
        let written = write_header_lines(&mut out, header);
        out.done(written)?;
    }
    // The first record was only looked at: it is read again, with the others.
    let mut reader = wtf::Reader::new(source);
    let mut sequence = 0;
    while let Ok(true) = next {
        next = match reader.next_event() {
            Ok(Some(event)) => {
                let written = write_event_line(&mut out, sequence, &event).and_then(|()| {
                    use fmt::Write;
                    out.write_char('\n')
                });
                out.done(written)?;
                sequence += 1;
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        };
    }
    Ok(wtf_ending(next.as_ref().err(), reader.header().is_some()))
}

fn write_wtf_timeline(source: &FileSource, out: &mut impl Write) -> Result<Ending, Failure> {
    let trace = map_wtf(source);
    let mut out = TextOut { out, failed: None };
    let written = match &trace.header {
        Some(header) => write_header_lines(&mut out, header).and_then(|()| write_canonical(&mut out, &trace)),
        None => Ok(()),
    };
    out.done(written)?;
    Ok(wtf_ending(trace.error.as_ref(), trace.header.is_some()))
}

/// Text to bytes; what went wrong in writing is kept, since formatting can't tell.
struct TextOut<'o, W> {
    out: &'o mut W,
    failed: Option<io::Error>,
}

impl<W> TextOut<'_, W> {
    /// The error behind `written`, if there is one.
    fn done(&mut self, written: fmt::Result) -> Result<(), Failure> {
        match (self.failed.take(), written) {
            (Some(error), _) => Err(error.into()),
            (None, Ok(())) => Ok(()),
            (None, Err(fmt::Error)) => {
                Err(Failure::new(ErrorKind::Malformed, anyhow::anyhow!("the file changed while it was read")))
            }
        }
    }
}

impl<W: Write> fmt::Write for TextOut<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.failed = Some(error);
            fmt::Error
        })
    }
}
