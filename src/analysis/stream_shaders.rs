//! The shaders in Direct3D bytecode that the streams of a trace make.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::abi::{AbiError, BytecodePacket, SubmissionError, SubmittedCommands};
use crate::command::ShaderStage;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{FrameIndex, Record, Trace};

/// A shader as the CREATE_SHADER_DXBC that makes it has it.
#[derive(Clone, Copy, Debug)]
pub struct StreamShader<'a> {
    /// The guest's name for it.
    pub handle: u32,
    /// The stage that it is made for; `None` if the packet names none.
    pub stage: Option<ShaderStage>,
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
    Stream(#[from] AbiError),
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
    commands: SubmittedCommands<'t>,
    /// File offsets of the streams that were looked through.
    seen: BTreeSet<u64>,
}

impl<'t> StreamShaders<'t> {
    /// Reads nothing yet.
    pub fn new(trace: &'t Trace) -> Self {
        Self { trace, commands: SubmittedCommands::new(trace), seen: BTreeSet::new() }
    }

    /// Hands on the shaders that the stream of a record makes, and what is wrong with it; says whether the record has a
    /// stream. One that several records carry out is looked through once.
    pub fn visit<E>(
        &mut self,
        record: &Record<'_>,
        mut each: impl FnMut(Result<StreamShader<'_>, StreamShaderError>) -> Result<(), E>,
    ) -> Result<bool, E> {
        let submitted = match self.commands.of(record) {
            Ok(Some(submitted)) if submitted.context.is_some() => submitted,
            Ok(_) => return Ok(false),
            Err(error) => return each(Err(error.into())).map(|()| true),
        };
        if !self.seen.insert(submitted.place.start) {
            return Ok(true);
        }
        let bytes = match self.commands.read(&submitted) {
            Ok(bytes) => bytes,
            Err(error) => return each(Err(error.into())).map(|()| true),
        };
        let frame = self.frame_of(record.offset);
        for packet in submitted.packets(&bytes) {
            match packet.and_then(|packet| Ok((packet.offset, packet.bytecode()?))) {
                Ok((_, None)) => {}
                Ok((packet_offset, Some(BytecodePacket { handle, stage, offset, code }))) => {
                    each(Ok(StreamShader { handle, stage, frame, packet_offset, code_offset: offset, code }))?;
                }
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
