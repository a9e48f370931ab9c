//! Streams: a line for the header, and one for each packet.

use super::value::{Data, Hex};
use super::writer::{CanonicalError, CanonicalWriter};
use crate::abi::a3a0::{
    ABI_VERSION, Class, Layout, Packet, RawPacket, STREAM_HEADER_BYTES, Stream, StreamError, StreamHeader,
};

/// Opcodes that show something.
const PRESENTS: [u32; 2] = [0x700, 0x701];

impl CanonicalWriter<'_, '_> {
    /// A stream at the absolute file offset `offset`; `bytes` are all of its blob or record.
    pub(crate) fn stream(&mut self, bytes: &[u8], offset: u64) -> Result<(), CanonicalError> {
        self.summary.streams += 1;
        match StreamHeader::read(bytes) {
            None => writeln!(self.out, "stream @{offset:#x} data={}", Data::of(bytes))?,
            Some(StreamHeader { magic, abi_version, size_bytes, flags, reserved: [reserved0, reserved1] }) => writeln!(
                self.out,
                "stream @{offset:#x} magic={magic:#010x} abi={abi_version:#x} size_bytes={size_bytes} flags={flags:#x} \
                 reserved0={reserved0:#x} reserved1={reserved1:#x}"
            )?,
        }
        if bytes.is_empty() {
            self.note(Class::StreamEmpty, offset, "the submission", "a stream, in bytes, of", 0);
            return self.end_line();
        }
        let stream = match Stream::parse(bytes, offset) {
            Ok(stream) => stream,
            Err(error) => {
                self.error(class_of(&error), error.at());
                return self.end_line();
            }
        };
        self.check_stream(&stream);
        self.end_line()?;
        let mut packets = stream.packets();
        while let Some(packet) = packets.next() {
            match packet {
                Ok(packet) => self.cmd(&packet, stream.header.minor())?,
                Err(error) => {
                    self.error(class_of(&error), error.at());
                    return self.undecoded(packets.rest(), packets.offset());
                }
            }
        }
        Ok(())
    }

    fn check_stream(&mut self, stream: &Stream<'_>) {
        let (header, offset, subject) = (stream.header, stream.offset, "the stream");
        if header.minor() > ABI_VERSION as u16 {
            self.note(Class::AbiMinor, offset + 4, subject, "ABI minor", u64::from(header.minor()));
        }
        if header.flags != 0 {
            self.note(Class::UnknownBits, offset + 12, subject, "flags", u64::from(header.flags));
        }
        for (reserved, at) in header.reserved.into_iter().zip([16, 20]) {
            if reserved != 0 {
                self.note(Class::Reserved, offset + at, subject, "reserved", u64::from(reserved));
            }
        }
        if !stream.tail.is_empty() {
            let at = offset + u64::from(header.size_bytes.max(STREAM_HEADER_BYTES));
            self.note(Class::Tail, at, subject, "a tail, in bytes, of", stream.tail.len() as u64);
        }
    }

    fn cmd(&mut self, packet: &RawPacket<'_>, minor: u16) -> Result<(), CanonicalError> {
        self.summary.packets += 1;
        let (offset, size, name) = (packet.offset, packet.size_bytes(), Layout::name_of(packet.opcode));
        match (packet.decode(), Layout::of(packet.opcode)) {
            (Err(error), _) => {
                writeln!(self.out, "cmd @{offset:#x} {name} size={size} body={}", Hex(packet.body()))?;
                self.error(class_of(&error), error.at());
            }
            (Ok(_), None) => {
                let (opcode, body) = (packet.opcode, Hex(packet.body()));
                writeln!(self.out, "cmd @{offset:#x} {name} opcode={opcode:#x} size={size} body={body}")?;
                self.diagnostics(packet.check(minor))?;
            }
            (Ok(Packet { tail, .. }), Some(layout)) => {
                self.summary.presents += u64::from(PRESENTS.contains(&packet.opcode));
                write!(self.out, "cmd @{offset:#x} {name} size={size}")?;
                self.fields(packet, layout)?;
                if !tail.is_empty() {
                    write!(self.out, " tail={}", Data::of(tail))?;
                }
                writeln!(self.out)?;
                self.diagnostics(packet.check(minor))?;
            }
        }
        self.end_line()
    }
}

fn class_of(error: &StreamError) -> Class {
    match error {
        StreamError::Short { .. } => Class::StreamShort,
        StreamError::Magic { .. } => Class::StreamMagic,
        StreamError::Abi { .. } => Class::StreamAbi,
        StreamError::Size { .. } => Class::StreamSize,
        StreamError::PacketHeader { .. } => Class::PacketHeader,
        StreamError::PacketSize { .. } => Class::PacketSize,
        StreamError::PacketOverrun { .. } => Class::PacketOverrun,
        StreamError::PacketShort { .. } => Class::PacketShort,
        StreamError::ArrayOverrun { .. } => Class::ArrayOverrun,
    }
}
