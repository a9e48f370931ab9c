//! Appendix A packets, a line each.

use super::writer::{CanonicalError, CanonicalWriter};
use crate::abi::a3a0::Class;
use crate::abi::reference::{Opcode, decode_packets};
use crate::abi::{AbiError, FieldValue};

impl CanonicalWriter<'_, '_> {
    /// The packets of a Packet record whose payload lies at the absolute file offset `offset`.
    pub(crate) fn reference(&mut self, payload: &[u8], offset: u64) -> Result<(), CanonicalError> {
        let mut packets = decode_packets(payload, offset);
        loop {
            let at = packets.offset();
            let Some(packet) = packets.next() else { return Ok(()) };
            let (at, packet) = match packet {
                Ok(packet) => packet,
                Err(error) => {
                    // The text ends a record at the first packet that is none, as other decoders do.
                    self.error(class_of(&error), error.at());
                    let rest = payload.get((at - offset) as usize..).unwrap_or_default();
                    return self.undecoded(rest, at);
                }
            };
            self.summary.packets += 1;
            self.summary.presents += u64::from(packet.opcode() == Opcode::Present);
            write!(self.out, "reference @{at:#x} {}", packet.opcode().name())?;
            for (name, value) in packet.fields() {
                match value {
                    FieldValue::Float(value) => write!(self.out, " {name}={:#010x}", value.to_bits())?,
                    value => write!(self.out, " {name}={value}")?,
                }
            }
            writeln!(self.out)?;
        }
    }
}

fn class_of(error: &AbiError) -> Class {
    match error {
        AbiError::UnknownOpcode { .. } => Class::ReferenceOpcode,
        AbiError::WrongLength { .. } => Class::ReferenceLength,
        AbiError::PartialDword { .. }
        | AbiError::CutShort { .. }
        | AbiError::BadField { .. }
        | AbiError::Forbidden { .. }
        | AbiError::Retired { .. }
        | AbiError::Stream(_) => Class::ReferenceShort,
    }
}
