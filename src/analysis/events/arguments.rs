//! What a record or packet says, decoded when somebody asks.

use serde::Serialize;

use super::{EventKind, EventRow};
use crate::abi::{FieldValue, ListedPacket};
use crate::analysis::{Analysis, AnalysisError};
use crate::bytes::Diagnostics;
use crate::format::aerogpu::{RecordBody, Submission};
use crate::replay::CommandReader;

/// A named value of a record or packet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventArgument {
    /// Its name in the specification.
    pub name: &'static str,
    /// Its value.
    pub value: FieldValue,
    /// What it counts or names.
    pub meaning: Meaning,
}

/// What an argument counts or names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Meaning {
    /// Nothing in particular.
    Plain,
    /// Bytes.
    Bytes,
    /// Pixels.
    Pixels,
    /// Vertices, or the index of one.
    Vertices,
    /// A component of a colour.
    Color,
    /// The id of a buffer.
    Buffer,
    /// The id of a shader.
    Shader,
    /// The id of a pipeline.
    Pipeline,
    /// The handle of a resource or a view of submissions, or several; 0 is none.
    Resource,
    /// The id of a blob; 0 is none.
    Blob,
    /// A stage: 0 vertex, 1 fragment.
    Stage,
}

impl Meaning {
    /// The unit to write after a number, empty where there is none.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Pixels => "px",
            _ => "",
        }
    }

    /// By the field's name, which in the specification says it.
    fn of_field(name: &str) -> Self {
        match name {
            "buffer_id" => Self::Buffer,
            "shader_id" | "vs_shader_id" | "fs_shader_id" => Self::Shader,
            "pipeline_id" => Self::Pipeline,
            "stage" => Self::Stage,
            "vertex_count" | "first_vertex" => Self::Vertices,
            "r" | "g" | "b" | "a" => Self::Color,
            _ if name.ends_with("blob_id") => Self::Blob,
            _ if name.ends_with("_bytes") => Self::Bytes,
            _ if name.ends_with("_px") => Self::Pixels,
            _ => Self::Plain,
        }
    }
}

impl Analysis {
    /// The arguments of a row, in wire order.
    pub fn arguments(&self, row: &EventRow) -> Result<Vec<EventArgument>, AnalysisError> {
        ArgumentReader::new(self).arguments(row)
    }
}

/// Decodes the arguments of many rows, best in file order.
pub(super) struct ArgumentReader<'a> {
    analysis: &'a Analysis,
    packets: CommandReader,
}

impl<'a> ArgumentReader<'a> {
    pub(crate) fn new(analysis: &'a Analysis) -> Self {
        Self { analysis, packets: CommandReader::new(analysis.trace.clone()) }
    }

    pub(crate) fn arguments(&mut self, row: &EventRow) -> Result<Vec<EventArgument>, AnalysisError> {
        if let EventKind::Packet(kind) = row.kind {
            let packet = self.packets.read_known(kind, row.offset, row.size_bytes)?;
            return Ok(packet_arguments(&packet));
        }
        let mut reader = self.analysis.trace.records(row.offset..row.offset + row.size_bytes);
        let record = reader.next_record(&mut Diagnostics::new())?;
        let unsigned =
            |name, value| EventArgument { name, value: FieldValue::Number(value), meaning: Meaning::of_field(name) };
        Ok(match record.map(|record| record.body) {
            None => Vec::new(),
            Some(RecordBody::BeginFrame { frame_index } | RecordBody::Present { frame_index }) => {
                vec![unsigned("frame_index", frame_index.into())]
            }
            Some(RecordBody::Blob(blob)) => vec![
                unsigned("blob_id", blob.id.0),
                EventArgument {
                    name: "kind",
                    value: FieldValue::Named { name: blob.kind.name().into(), number: blob.kind.number().into() },
                    meaning: Meaning::Plain,
                },
                unsigned("size_bytes", blob.bytes.end - blob.bytes.start),
            ],
            Some(RecordBody::Packet(payload)) => vec![unsigned("size_bytes", payload.len() as u64)],
            Some(RecordBody::Submission(submission)) => submission_arguments(&submission, unsigned),
        })
    }
}

pub(in crate::analysis) fn packet_arguments(packet: &ListedPacket<'_>) -> Vec<EventArgument> {
    let resources = packet.resource_fields();
    let argument = |(name, value)| {
        let meaning = if resources.contains(&name) { Meaning::Resource } else { Meaning::of_field(name) };
        EventArgument { name, value, meaning }
    };
    let text = packet.marker().map(|text| ("text", FieldValue::Text(text)));
    packet.fields().into_iter().chain(text).map(argument).collect()
}

fn submission_arguments(
    submission: &Submission,
    unsigned: impl Fn(&'static str, u64) -> EventArgument,
) -> Vec<EventArgument> {
    vec![
        unsigned("submit_flags", submission.submit_flags.into()),
        unsigned("context_id", submission.context_id.into()),
        unsigned("engine_id", submission.engine_id.into()),
        unsigned("signal_fence", submission.signal_fence),
        unsigned("cmd_stream_blob_id", submission.cmd_stream_blob_id.0),
        unsigned("alloc_table_blob_id", submission.alloc_table_blob_id.0),
        unsigned("memory_ranges", submission.memory_ranges.len() as u64),
    ]
}
