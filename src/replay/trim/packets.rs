//! Packets of Appendix A, which name blobs by ids that stay theirs.

use std::io::Write;

use super::error::TrimError;
use super::writing::Trim;
use crate::abi;
use crate::command::{Command, CreateShader, Payload, ShaderCode, Upload};
use crate::format::aerogpu::RECORD_HEADER_BYTES;
use crate::replay::index::CommandNumber;

impl<W: Write> Trim<'_, W> {
    /// Writes a packet that stands in no submission.
    pub(super) fn write_command(&mut self, number: CommandNumber) -> Result<(), TrimError> {
        let at = self.index.require_location(number)?;
        let packet = self.commands.read_packet(at)?;
        let (command, payload) = (packet.command()?, packet.bytes.to_vec());
        self.write_blobs_of(&command, at.offset)?;
        Ok(self.writer.packet(&payload)?)
    }

    /// Writes the payload of the Packet record at `offset` of the old trace.
    pub(super) fn write_packets(&mut self, payload: &[u8], offset: u64) -> Result<(), TrimError> {
        for packet in abi::list_packets(payload, offset + RECORD_HEADER_BYTES) {
            // One that cannot be read goes along as it is, and is refused in the new trace as in the old.
            // silent: a packet that cannot be read is copied as it is, and refused in the new trace
            if let Ok((command, offset)) = packet.and_then(|packet| Ok((packet.command()?, packet.offset))) {
                self.write_blobs_of(&command, offset)?;
            }
        }
        Ok(self.writer.packet(payload)?)
    }

    /// Writes the blobs that a command at `offset` of the old trace means, unless their ids mean them already.
    fn write_blobs_of(&mut self, command: &Command, offset: u64) -> Result<(), TrimError> {
        let (faults, _) = self.index.faults();
        let is_refused = faults.iter().any(|fault| fault.at.offset == offset && fault.at.submission.is_none());
        let Self { blobs, writer, .. } = self;
        let mut write = |id| match is_refused && !blobs.is_known(id, offset) {
            // It names a blob that is nowhere, and is refused in the new trace, too.
            true => Ok(()),
            false => blobs.write_as(writer, id, offset),
        };
        match *command {
            Command::Upload(Upload { payload: Payload::Blob(id), .. }) => write(id),
            Command::CreateShader(CreateShader { code: ShaderCode::Texts(texts), .. }) => {
                texts.by_kind().try_for_each(|(_, id)| write(id))
            }
            _ => Ok(()),
        }
    }
}
