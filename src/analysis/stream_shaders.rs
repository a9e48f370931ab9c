//! The shaders in Direct3D bytecode that the streams of a trace make.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::abi::a3a0::shaders::{CreateShaderDxbc, ShaderPacket};
use crate::abi::a3a0::{Body, Described, RawPacket, Stage, Stream, StreamError, SubmissionError, SubmittedStreams};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{FrameIndex, Record, Trace};

/// A shader as the CREATE_SHADER_DXBC that makes it has it.
#[derive(Clone, Copy, Debug)]
pub struct StreamShader<'a> {
    /// The guest's name for it.
    pub handle: u32,
    /// The stage that it is made for; `None` if the packet names none.
    pub stage: Option<Stage>,
    /// The frame whose submission makes it first; `None` outside of frames.
    pub frame: Option<FrameIndex>,
    /// Absolute file offset of the packet.
    pub packet_offset: u64,
    /// Absolute file offset of the code.
    pub code_offset: u64,
    /// The code, whatever it is.
    pub code: &'a [u8],
}

/// Why a record makes fewer shaders than it may have.
#[derive(Debug, Error)]
pub enum StreamShaderError {
    /// The record has no stream to carry out.
    #[error(transparent)]
    Submission(#[from] SubmissionError),
    /// The stream, or one of its packets.
    #[error(transparent)]
    Stream(#[from] StreamError),
}

impl Classified for StreamShaderError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Submission(error) => error.kind(),
            Self::Stream(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Submission(error) => error.offset(),
            Self::Stream(error) => error.offset(),
        }
    }
}

/// Finds the shaders of a trace's streams, record by record.
pub struct StreamShaders<'t> {
    trace: &'t Trace,
    streams: SubmittedStreams<'t>,
    /// File offsets of the streams that were looked through.
    seen: BTreeSet<u64>,
}

impl<'t> StreamShaders<'t> {
    /// Reads nothing yet.
    pub fn new(trace: &'t Trace) -> Self {
        Self { trace, streams: SubmittedStreams::new(trace), seen: BTreeSet::new() }
    }

    /// Hands on the shaders that the stream of a record makes, and what is wrong with it; says whether the record has a
    /// stream. One that several records carry out is looked through once.
    pub fn visit<E>(
        &mut self,
        record: &Record<'_>,
        mut each: impl FnMut(Result<StreamShader<'_>, StreamShaderError>) -> Result<(), E>,
    ) -> Result<bool, E> {
        let submitted = match self.streams.of(record) {
            Ok(Some(submitted)) => submitted,
            Ok(None) => return Ok(false),
            Err(error) => return each(Err(error.into())).map(|()| true),
        };
        if self.seen.insert(submitted.place.start) {
            match self.streams.read(&submitted) {
                Ok(bytes) => visit_stream(&bytes, submitted.place.start, self.frame_of(record.offset), &mut each)?,
                Err(error) => each(Err(error.into()))?,
            }
        }
        Ok(true)
    }

    fn frame_of(&self, offset: u64) -> Option<FrameIndex> {
        let frames = self.trace.frames();
        let index = frames.partition_point(|frame| frame.bytes.end <= offset);
        frames.get(index).filter(|frame| frame.bytes.contains(&offset)).map(|_| FrameIndex(index as u32))
    }
}

/// A stream at the absolute file offset `offset`; `bytes` are all of its blob or record.
fn visit_stream<E>(
    bytes: &[u8],
    offset: u64,
    frame: Option<FrameIndex>,
    each: &mut impl FnMut(Result<StreamShader<'_>, StreamShaderError>) -> Result<(), E>,
) -> Result<(), E> {
    let stream = match Stream::parse(bytes, offset) {
        Ok(stream) => stream,
        // The recorder writes an empty one for a descriptor that it cannot make sense of.
        Err(_) if bytes.is_empty() => return Ok(()),
        Err(error) => return each(Err(error.into())),
    };
    let minor = stream.header.minor();
    for packet in stream.packets() {
        match packet.and_then(|packet| shader_of(&packet, minor, frame)) {
            Ok(None) => {}
            Ok(Some(shader)) => each(Ok(shader))?,
            Err(error) => each(Err(error.into()))?,
        }
    }
    Ok(())
}

fn shader_of<'a>(
    packet: &RawPacket<'a>,
    minor: u16,
    frame: Option<FrameIndex>,
) -> Result<Option<StreamShader<'a>>, StreamError> {
    let Body::Shader(ShaderPacket::CreateShaderDxbc(shader)) = packet.decode()?.body else { return Ok(None) };
    let CreateShaderDxbc { handle, stage, stage_ex, code, .. } = shader;
    Ok(Some(StreamShader {
        handle,
        stage: Stage::of(stage, stage_ex, minor),
        frame,
        packet_offset: packet.offset,
        code_offset: packet.offset + u64::from(CreateShaderDxbc::LAYOUT.fixed_bytes()),
        code: code.bytes,
    }))
}
