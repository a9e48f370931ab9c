//! What the records of a trace carry out.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use super::a3a0::{SubmissionError, SubmittedStream, SubmittedStreams};
use super::packet_list::{ListedPackets, list_packets, list_stream};
use super::{CommandSink, decode, decode_stream, runs_as_submission};
use crate::container::{RECORD_HEADER_BYTES, Record, RecordBody, Trace};

/// Packets, and what runs them.
#[derive(Clone, Debug)]
pub struct Submitted<'r> {
    /// The context whose state they change; nothing if they know no contexts.
    pub context: Option<u32>,
    /// Absolute file offsets of all bytes of their blob or record. Any number of submissions may name one blob: whoever
    /// wants to know something of it once need not read it again.
    pub place: Range<u64>,
    /// The bytes, where the record itself holds them.
    payload: Option<&'r [u8]>,
}

impl Submitted<'_> {
    /// The bytes, where the record itself holds them.
    pub fn payload(&self) -> Option<&[u8]> {
        self.payload
    }

    /// The same without the record's bytes, which are read from its place.
    pub fn without_payload(&self) -> Submitted<'static> {
        Submitted { context: self.context, place: self.place.clone(), payload: None }
    }

    /// Gives the commands to `sink` in their order; `bytes` are those of its place.
    pub fn decode<S: CommandSink>(&self, bytes: &[u8], sink: &mut S) -> ControlFlow<S::Break> {
        match self.context {
            Some(_) => decode_stream(bytes, self.place.start, sink),
            None => decode(bytes, self.place.start, sink),
        }
    }

    /// The packets; `bytes` are those of its place.
    pub fn packets<'b>(&self, bytes: &'b [u8]) -> ListedPackets<'b> {
        match self.context {
            Some(_) => list_stream(bytes, self.place.start),
            None => list_packets(bytes, self.place.start),
        }
    }
}

/// Finds what the records of a trace carry out.
pub struct SubmittedCommands<'t> {
    streams: SubmittedStreams<'t>,
}

impl<'t> SubmittedCommands<'t> {
    /// Reads nothing yet.
    pub fn new(trace: &'t Trace) -> Self {
        Self { streams: SubmittedStreams::new(trace) }
    }

    /// Reads nothing yet, and begins with the records at the absolute file offset `start`: of those before, nothing is
    /// read unless a submission names a blob that only they can have.
    pub fn from(trace: &'t Trace, start: u64) -> Self {
        Self { streams: SubmittedStreams::from(trace, start) }
    }

    /// What a record carries out; nothing if it is of another kind. Blobs are learnt of as records come by in the order
    /// of the file; what was passed over, or follows its submission, costs a walk over headers.
    ///
    /// # Errors
    ///
    /// A submission names no stream, or one that is over the limit.
    pub fn of<'r>(&mut self, record: &Record<'r>) -> Result<Option<Submitted<'r>>, SubmissionError> {
        match &record.body {
            RecordBody::Packet(payload) if !runs_as_submission(payload) => Ok(Some(Submitted {
                context: None,
                place: record.offset + RECORD_HEADER_BYTES..record.end,
                payload: Some(payload),
            })),
            _ => Ok(self.streams.of(record)?.map(|stream| {
                let SubmittedStream { context_id, place, payload } = stream;
                Submitted { context: Some(context_id), place, payload }
            })),
        }
    }

    /// The bytes of what a record carries out.
    pub fn read<'r>(&self, submitted: &Submitted<'r>) -> Result<Cow<'r, [u8]>, SubmissionError> {
        let Submitted { place, payload, .. } = submitted.clone();
        self.streams.read(&SubmittedStream { context_id: 0, place, payload })
    }
}
