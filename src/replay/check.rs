//! Carries out a whole trace without a GPU, to find what is wrong with it.

use std::cell::RefCell;
use std::sync::Arc;

use super::command_stream::{CommandStream, Flow};
use super::error::ReplayError;
use super::executor::Executor;
use super::guest_memory::check_ranges;
use super::missing_objects::MissingObjects;
use crate::abi::{self, AbiError, ListedPacket};
use crate::bytes::{Diagnostics, ReadError};
use crate::command::{Command, CreateLayout, CreateShader, Located};
use crate::error::{Classified, ErrorKind, Internal};
use crate::format::aerogpu::{
    BlobCatalog, FormatError, FrameSource, Record, RecordBody, RecordReader, Trace, scan_frames,
};
use crate::text::counted;

/// How closely to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckDepth {
    /// Structure, and every reference of every command.
    References,
    /// Shader texts and draw bounds too, every byte of every blob is read, and what no draw would ever use is looked at:
    /// shaders, layouts and memory ranges.
    Everything,
}

/// Bytes of a blob that are read at once.
const CHUNK_BYTES: u64 = 256 << 10;

/// What a check comes upon.
pub enum Checked<'c> {
    /// A command that is sound.
    Command(&'c Located<Command>),
    /// Something wrong: of a submission the first that ends it, or else what fails alone.
    Wrong(ReplayError),
}

/// Carries out every command of a trace and tells `each` what it finds. The check goes on behind whatever is wrong, as the
/// index does; only a file that cannot be read ends it. Gives the objects that are used and never created.
pub fn check_trace(
    trace: &Arc<Trace>,
    depth: CheckDepth,
    diagnostics: &mut Diagnostics,
    each: impl FnMut(Checked<'_>),
) -> Result<MissingObjects, ReplayError> {
    let mut executor = Executor::new(trace.clone());
    let checked = check_commands(trace, depth, &mut executor, each);
    diagnostics.append(executor.diagnostics().take());
    let missing = checked?;
    if depth == CheckDepth::Everything {
        let catalog = executor.into_catalog();
        check_memory(trace, &catalog, diagnostics)?;
        read_blobs(trace, &catalog).map_err(FormatError::from)?;
    }
    Ok(missing)
}

fn check_commands(
    trace: &Arc<Trace>,
    depth: CheckDepth,
    executor: &mut Executor,
    each: impl FnMut(Checked<'_>),
) -> Result<MissingObjects, ReplayError> {
    let mut stream = CommandStream::new(trace.clone());
    let missing = MissingObjects::default();
    let check = RefCell::new(Check { depth, each, next_number: 0, missing });
    for frame in trace.frame_indices() {
        stream.survey_frame(
            frame,
            executor,
            |command, executor| check.borrow_mut().command(command, executor),
            |error, _| check.borrow_mut().damage(error),
        )?;
    }
    match stream.read_rest(executor) {
        Err(error) if error.is_survivable() => drop(check.borrow_mut().damage(error)?),
        read => read?,
    }
    Ok(check.into_inner().missing)
}

/// A check of the commands of a trace.
struct Check<F> {
    depth: CheckDepth,
    each: F,
    /// The number of the next command.
    next_number: u32,
    missing: MissingObjects,
}

impl<F: FnMut(Checked<'_>)> Check<F> {
    fn command(&mut self, command: &Located<Command>, executor: &mut Executor) -> Result<Flow, ReplayError> {
        let number = self.take_number()?;
        if !command.value.is_draw() {
            self.missing.see(command, executor);
        }
        if command.at.submission.is_none() {
            let told = match (self.depth, command.value.is_draw()) {
                // What a draw reads is known by its shaders' texts alone.
                (CheckDepth::References, true) => executor.state().check_references_of_draw(command),
                _ => executor.apply(command),
            };
            match told {
                Ok(()) => (self.each)(Checked::Command(command)),
                Err(error) if error.is_survivable() => (self.each)(Checked::Wrong(error)),
                Err(error) => return Err(error),
            }
            return Ok(Flow::Continue);
        }
        if executor.has_ended() {
            return Ok(Flow::Continue);
        }
        match executor.apply_numbered(command, number) {
            Ok(()) => {
                if self.depth == CheckDepth::Everything {
                    note_unusable(&command.value, command.at.offset, executor);
                }
                (self.each)(Checked::Command(command));
            }
            Err(error) if error.is_internal() => return Err(error),
            Err(error) => (self.each)(Checked::Wrong(error)),
        }
        Ok(Flow::Continue)
    }

    /// A packet that is damaged, or a record, or a submission that is as a whole.
    fn damage(&mut self, error: ReplayError) -> Result<Flow, ReplayError> {
        if !error.is_survivable() {
            return Err(error);
        }
        if let ReplayError::Abi { .. } = error {
            self.take_number()?;
        }
        (self.each)(Checked::Wrong(error));
        Ok(Flow::Continue)
    }

    fn take_number(&mut self) -> Result<u32, Internal> {
        let number = self.next_number;
        self.next_number =
            number.checked_add(1).ok_or(Internal::new("a trace has more commands than can be counted"))?;
        Ok(number)
    }
}

/// Notes a shader or a layout that no draw could use, which a draw that does would be wrong for.
fn note_unusable(command: &Command, offset: u64, executor: &mut Executor) {
    let objects = executor.device().objects();
    let (what, why) = match command {
        Command::CreateShader(CreateShader { id, .. }) => {
            let shader = objects.shader(id.number());
            ("shader", shader.and_then(|shader| shader.program.as_ref().err()).map(|why| (id.number(), why)))
        }
        Command::CreateLayout(CreateLayout { id, .. }) => {
            let layout = objects.layout(id.number());
            ("layout", layout.and_then(|layout| layout.attributes.as_ref().err()).map(|why| (id.number(), why)))
        }
        _ => return,
    };
    if let Some((handle, why)) = why {
        let what = format!("no draw can use {what} {handle} ({why})");
        executor.diagnostics().note(offset, what);
    }
}

/// Notes what is wrong with the memory ranges of submissions.
fn check_memory(trace: &Trace, catalog: &BlobCatalog, diagnostics: &mut Diagnostics) -> Result<(), FormatError> {
    for span in trace.frames() {
        let mut reader = trace.records(span.bytes.clone());
        while let Some(record) = next_sound_record(&mut reader)? {
            if let RecordBody::Submission(submission) = &record.body {
                check_ranges(submission, record.offset, catalog, diagnostics);
            }
        }
    }
    Ok(())
}

/// The next record, up to one that is damaged. That was told, and what is odd noted, when the commands were carried out.
fn next_sound_record(reader: &mut RecordReader) -> Result<Option<Record<'_>>, FormatError> {
    match reader.next_record(&mut Diagnostics::new()) {
        Err(error) if error.kind() != ErrorKind::ReadFailed => Ok(None),
        read => read,
    }
}

fn read_blobs(trace: &Trace, catalog: &BlobCatalog) -> Result<(), ReadError> {
    for (_, blob) in catalog.definitions() {
        let mut at = blob.bytes.start;
        while at < blob.bytes.end {
            let next = (at + CHUNK_BYTES).min(blob.bytes.end);
            trace.read(at..next)?;
            at = next;
        }
    }
    Ok(())
}

/// Notes frames that lie before and between those of the TOC, of which nobody hears else: they have no commands. What lies
/// behind the last frame was noted when the trace was opened.
pub fn note_unlisted_frames(trace: &Trace, diagnostics: &mut Diagnostics) {
    let mut reader = trace.records(0..0);
    let mut end = trace.stream().start;
    for span in trace.frames() {
        let gap = std::mem::replace(&mut end, span.bytes.end)..span.bytes.start;
        if gap.is_empty() {
            continue;
        }
        reader.seek(gap);
        // Commands and damage here are errors of the next frame.
        for unlisted in scan_frames(&mut reader, &mut Diagnostics::new()).into_all() {
            let what = "a frame without commands is missing from the TOC and is ignored";
            diagnostics.note(unlisted.bytes.start, what);
        }
    }
}

/// Notes where the TOC and the records disagree about the frames.
pub fn compare_toc_with_stream(trace: &Trace, diagnostics: &mut Diagnostics) {
    // silent: a trace without a TOC has none to compare
    let FrameSource::Toc { toc, footer } = trace.frame_source() else { return };
    note_unlisted_frames(trace, diagnostics);
    let mut reader = trace.records(trace.stream());
    let scanned = scan_frames(&mut reader, &mut Diagnostics::new()).into_all();
    if scanned.len() != toc.entries.len() {
        let (listed, found) = (toc.entries.len(), scanned.len());
        diagnostics.note(
            footer.toc_offset,
            format!(
                "the TOC lists {listed_frames}, the records hold {found}",
                listed_frames = counted(listed, "frame")
            ),
        );
        return;
    }
    for ((index, entry), found) in toc.entries.iter().enumerate().zip(&scanned) {
        let listed = entry.start_offset..entry.end_offset;
        // Blobs around a frame may be counted in by the recorder.
        let holds = listed.start <= found.bytes.start && found.bytes.end <= listed.end;
        if !holds {
            let (start, end) = (listed.start, listed.end);
            let what = format!(
                "TOC entry {index} says {start:#x} to {end:#x}, the frame's records lie at {:#x} to {:#x}",
                found.bytes.start, found.bytes.end
            );
            diagnostics.note(found.bytes.start, what);
        }
        let listed = (entry.present_offset != 0).then_some(entry.present_offset);
        if listed != found.present_offset {
            let show = |at: Option<u64>| at.map_or("none".to_owned(), |at| format!("{at:#x}"));
            let (listed, present) = (show(listed), show(found.present_offset));
            let what = format!("TOC entry {index} says Present record {listed}, the records say {present}");
            diagnostics.note(found.bytes.start, what);
        }
    }
}

/// Notes frames whose PRESENT packet and Present record disagree.
pub fn compare_presents(trace: &Trace, diagnostics: &mut Diagnostics) -> Result<(), FormatError> {
    for (index, span) in trace.frames().iter().enumerate() {
        let mut reader = trace.records(span.bytes.clone());
        let (mut packets, mut records, mut has_streams) = (0, 0, false);
        while let Some(record) = next_sound_record(&mut reader)? {
            match record.body {
                // A frame of submissions may show several pictures, or none.
                RecordBody::Submission(_) => has_streams = true,
                RecordBody::Packet(payload) if abi::runs_as_submission(payload) => has_streams = true,
                RecordBody::Packet(payload) => {
                    let is_present = |packet: &Result<ListedPacket<'_>, AbiError>| {
                        matches!(packet.as_ref().map(ListedPacket::command), Ok(Ok(Command::Present(_))))
                    };
                    packets += abi::list_packets(payload, record.offset).filter(is_present).count();
                }
                RecordBody::Present { .. } => records += 1,
                _ => {}
            }
        }
        if !has_streams && packets != records {
            let what = format!(
                "frame {index} has {packets} and {records}",
                packets = counted(packets, "PRESENT packet"),
                records = counted(records, "Present record")
            );
            diagnostics.note(span.bytes.start, what);
        }
    }
    Ok(())
}
