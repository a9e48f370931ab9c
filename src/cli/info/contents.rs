//! Records, packets and blobs, counted by reading the whole trace.

use std::collections::BTreeMap;

use foldhash::HashMap;

use crate::abi::{AbiError, PacketKind, Submitted, SubmittedCommands, can_be_explained, foreign_name};
use crate::bytes::Diagnostics;
use crate::cli::args::CommonArgs;
use crate::cli::exit::Failure;
use crate::cli::messages::FileDamage;
use crate::cli::open::report;
use crate::command::{Command, Viewport};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{RecordBody, Trace};
use crate::text::counted;

/// Records, packets and blobs of a whole trace.
#[derive(Default)]
pub(super) struct Contents {
    pub records: BTreeMap<&'static str, u64>,
    /// By ABI name, then by opcode name; an ABI that is not decoded counts its packets.
    pub opcodes: BTreeMap<String, u64>,
    /// Number and bytes by blob kind.
    pub blobs: BTreeMap<&'static str, (u64, u64)>,
    /// Number of A3A0 streams by context.
    pub streams: BTreeMap<u32, u64>,
    /// Packets of Appendix A.
    pub appendix_a_packets: u64,
    /// Packets of A3A0 streams, as often as they run.
    pub stream_packets: u64,
    packet_kinds: PacketKinds,
    /// The largest viewport that a stream sets, in pixels.
    pub viewport: Option<(f32, f32)>,
    /// Faults of submissions, streams and packets, in file order.
    pub errors: Vec<FileDamage>,
    /// Number of faults that are not kept.
    pub errors_dropped: u64,
}

/// Errors that are told one by one.
const TOLD_ERRORS: usize = 100;

impl Contents {
    fn error(&mut self, error: &impl Classified) {
        if self.errors.len() < TOLD_ERRORS {
            self.errors.push(error.into());
        } else {
            self.errors_dropped += 1;
        }
    }

    /// Packets that run `runs` times.
    fn packets(&mut self, submitted: &Submitted<'_>, bytes: &[u8], runs: u64) -> Result<(), AbiError> {
        for packet in submitted.packets(bytes) {
            match packet.and_then(|packet| Ok((packet.kind, packet.command()?))) {
                Ok((kind, command)) => {
                    match submitted.context {
                        None => self.appendix_a_packets += runs,
                        Some(_) => self.stream_packets += runs,
                    }
                    self.packet_kinds.count(kind, runs);
                    self.viewport(command);
                }
                Err(error) => self.error(&error),
            }
        }
        Ok(())
    }

    /// ABIs of the commands, as the packets say.
    pub(crate) fn abis(&self) -> String {
        let appendix_a = format!("{} of Appendix A", counted(self.appendix_a_packets as usize, "packet"));
        let streams: u64 = self.streams.values().sum();
        let a3a0 = format!(
            "{} in {}",
            counted(self.stream_packets as usize, "packet"),
            counted(streams as usize, "A3A0 stream")
        );
        match (self.appendix_a_packets, streams) {
            (_, 0) => appendix_a,
            (0, _) => a3a0,
            _ => format!("{appendix_a}, {a3a0}"),
        }
    }

    fn viewport(&mut self, command: Command) {
        if let Command::SetViewport(Viewport::Rectangle { size_px: [width, height], .. }) = command {
            let area = |(width, height): (f32, f32)| width * height;
            if area((width, height)) > self.viewport.map_or(0.0, area) {
                self.viewport = Some((width, height));
            }
        }
    }
}

/// Opcodes that this build doesn't know are counted one by one up to this many; a stream can have millions.
const COUNTED_UNKNOWN: usize = 1000;

/// Packet counts by kind.
#[derive(Default)]
struct PacketKinds {
    known: BTreeMap<&'static str, u64>,
    /// By the names that they are listed under.
    unknown: HashMap<String, u64>,
    /// Packets of further unknown opcodes.
    others: u64,
}

impl PacketKinds {
    fn count(&mut self, kind: PacketKind, packets: u64) {
        if !kind.is_unknown() {
            *self.known.entry(kind.name()).or_default() += packets;
            return;
        }
        let name = kind.described().into_owned();
        let is_counted = self.unknown.len() < COUNTED_UNKNOWN || self.unknown.contains_key(&name);
        let counter = if is_counted { self.unknown.entry(name).or_default() } else { &mut self.others };
        *counter += packets;
    }

    /// By the names that they are listed under.
    fn by_name(self) -> impl Iterator<Item = (String, u64)> {
        let known = self.known.into_iter().map(|(name, count)| (name.to_owned(), count));
        let others = (self.others > 0).then(|| ("UNKNOWN, others".to_owned(), self.others));
        known.chain(self.unknown).chain(others)
    }
}

pub(super) fn count_contents(trace: &Trace, common: &CommonArgs) -> Result<Contents, Failure> {
    let mut contents = Contents::default();
    let mut diagnostics = Diagnostics::new();
    let mut commands = SubmittedCommands::new(trace);
    // However many submissions run a stream, its packets are read once.
    let mut runs: BTreeMap<u64, (Submitted<'static>, u64)> = BTreeMap::new();
    let mut reader = trace.records(trace.stream());
    loop {
        let record = match reader.next_record(&mut diagnostics) {
            Ok(Some(record)) => record,
            Ok(None) => break,
            Err(error) if error.kind() == ErrorKind::ReadFailed => return Err(error.into()),
            Err(error) => {
                contents.error(&error);
                // A record that is damaged ends its frame alone.
                let Some(next) = error.offset().and_then(|damaged| next_frame(trace, damaged)) else { break };
                reader = trace.records(next..trace.stream().end);
                continue;
            }
        };
        *contents.records.entry(record.body.name()).or_default() += 1;
        match commands.of(&record) {
            Ok(Some(submitted)) => {
                if let Some(context) = submitted.context {
                    *contents.streams.entry(context).or_default() += 1;
                }
                match submitted.payload() {
                    Some(payload) if !can_be_explained(payload) => {
                        let name = foreign_name(payload).unwrap_or_default();
                        *contents.opcodes.entry(name.to_owned()).or_default() += 1;
                    }
                    Some(payload) => contents.packets(&submitted, payload, 1)?,
                    None => {
                        let place = submitted.place.start;
                        runs.entry(place).or_insert_with(|| (submitted.without_payload(), 0)).1 += 1;
                    }
                }
            }
            Ok(None) => {}
            Err(error) => contents.error(&error),
        }
        if let RecordBody::Blob(blob) = record.body {
            let (count, bytes) = contents.blobs.entry(blob.kind.name()).or_default();
            *count += 1;
            *bytes += blob.bytes.end - blob.bytes.start;
        }
    }
    for (submitted, count) in runs.into_values() {
        contents.packets(&submitted, &trace.read(submitted.place.clone())?, count)?;
    }
    contents.errors.sort_by_key(|error| error.offset);
    for (name, count) in std::mem::take(&mut contents.packet_kinds).by_name() {
        *contents.opcodes.entry(name).or_default() += count;
    }
    report(&mut diagnostics, common)?;
    Ok(contents)
}

/// Returns the start of the first frame behind an offset.
fn next_frame(trace: &Trace, offset: u64) -> Option<u64> {
    trace.frames().iter().map(|frame| frame.bytes.start).find(|start| *start > offset)
}
