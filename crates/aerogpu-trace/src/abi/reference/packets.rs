//! The opcode table, and the decoder that is made from it.

use super::fields::Field;
use crate::abi::{AbiError, FieldValue};
use trace_base::bytes::Cursor;

/// Makes the opcode enumeration, one struct per packet, the decoder and the names from one table.
macro_rules! packets {
    ($($(#[$doc:meta])* $number:literal $name:ident $packet:ident { $($field:ident: $type:ty),* })*) => {
        /// The opcodes of Appendix A.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Opcode {
            $($(#[$doc])* $packet,)*
        }

        impl Opcode {
            /// Every opcode, in the order of their numbers.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$packet),*];

            /// The opcode with this number, if there is one.
            pub fn from_number(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(Self::$packet),)*
                    _ => None,
                }
            }

            /// The opcode's number.
            pub fn number(self) -> u32 {
                match self { $(Self::$packet => $number,)* }
            }

            /// The opcode's name in the specification.
            pub fn name(self) -> &'static str {
                match self { $(Self::$packet => stringify!($name),)* }
            }

            /// Length of its packet in dwords, header included.
            pub fn total_dwords(self) -> u32 {
                match self { $(Self::$packet => 2 $(+ <$type as Field>::DWORDS)*,)* }
            }
        }

        /// One packet, one to one with the wire.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs, reason = "the fields are the specification's own, named as there")]
        pub enum Packet {
            $($(#[$doc])* $packet { $($field: $type),* },)*
        }

        impl Packet {
            /// The packet's opcode.
            pub fn opcode(&self) -> Opcode {
                match self { $(Self::$packet { .. } => Opcode::$packet,)* }
            }

            /// The packet's fields with their names in the specification, in wire order.
            pub fn fields(&self) -> Vec<(&'static str, FieldValue)> {
                match *self { $(Self::$packet { $($field),* } => vec![$((stringify!($field), $field.value())),*],)* }
            }

            /// Writes the packet as it stands in a Packet record.
            pub fn write(&self, into: &mut Vec<u8>) {
                into.extend_from_slice(&self.opcode().number().to_le_bytes());
                into.extend_from_slice(&self.opcode().total_dwords().to_le_bytes());
                match *self { $(Self::$packet { $($field),* } => { $($field.write(into);)* })* }
            }

            /// The next packet, if the bytes are one. All fields are read behind one check of their length.
            #[inline(always)]
            #[allow(unused_mut, unused_variables, reason = "PRESENT has no fields")]
            fn parse(cursor: &mut Cursor<'_>) -> Option<Self> {
                let opcode = cursor.u32_le().ok()?;
                let total_dwords = cursor.u32_le().ok()?;
                match opcode {
                    $($number => {
                        const DWORDS: u32 = 0 $(+ <$type as Field>::DWORDS)*;
                        if total_dwords != 2 + DWORDS {
                            return None;
                        }
                        let mut fields = Cursor::new(cursor.take(4 * DWORDS as usize).ok()?, 0);
                        Some(Self::$packet { $($field: <$type as Field>::parse(&mut fields).ok()?),* })
                    })*
                    _ => None,
                }
            }
        }
    };
}

packets! {
    /// Makes a buffer.
    0x0001 CREATE_BUFFER CreateBuffer { buffer_id: u32, size_bytes: u32, usage: u32 }
    /// Copies a blob into a buffer.
    0x0002 UPLOAD_BUFFER UploadBuffer { buffer_id: u32, offset_bytes: u32, data_len_bytes: u32, blob_id: u64 }
    /// Makes a shader from text or bytecode blobs, 0 for those it lacks.
    0x0003 CREATE_SHADER CreateShader {
        shader_id: u32, stage: u32, glsl_blob_id: u64, wgsl_blob_id: u64, dxbc_blob_id: u64
    }
    /// Joins a vertex and a fragment shader.
    0x0004 CREATE_PIPELINE CreatePipeline { pipeline_id: u32, vs_shader_id: u32, fs_shader_id: u32 }
    /// Chooses the pipeline for the draws that follow.
    0x0005 SET_PIPELINE SetPipeline { pipeline_id: u32 }
    /// Chooses the vertex buffer for the draws that follow.
    0x0006 SET_VERTEX_BUFFER SetVertexBuffer {
        buffer_id: u32, stride_bytes: u32, position_offset_bytes: u32, color_offset_bytes: u32
    }
    /// Chooses the rectangle for the draws that follow.
    0x0007 SET_VIEWPORT SetViewport { width_px: u32, height_px: u32 }
    /// Fills the whole target.
    0x0008 CLEAR Clear { r: f32, g: f32, b: f32, a: f32 }
    /// Draws a triangle list.
    0x0009 DRAW Draw { vertex_count: u32, first_vertex: u32 }
    /// Shows the target.
    0x000A PRESENT Present {}
}

/// Decodes the packets of one Packet record, whose payload lies at the absolute file offset `offset`.
///
/// Yields each packet with its own file offset. A packet of an opcode that is not in the table is an error, behind which
/// the next one follows if its length lies in the record; after any other error nothing more comes.
pub fn decode_packets(payload: &[u8], offset: u64) -> Packets<'_> {
    Packets { cursor: Cursor::new(payload, offset), ended: false }
}

/// The packets of one Packet record.
#[derive(Clone, Debug)]
pub struct Packets<'a> {
    cursor: Cursor<'a>,
    ended: bool,
}

impl Packets<'_> {
    /// Absolute file offset of the first byte not decoded.
    pub fn offset(&self) -> u64 {
        self.cursor.offset()
    }

    #[inline(always)]
    fn decode_packet(&mut self) -> Result<(u64, Packet), AbiError> {
        let mut ahead = self.cursor;
        let Some(packet) = Packet::parse(&mut ahead) else { return Err(self.what_is_wrong()) };
        let offset = self.cursor.offset();
        self.cursor = ahead;
        Ok((offset, packet))
    }

    /// Goes on behind a packet of an unknown opcode, whose length nothing contradicts; `false` if the next bytes are none.
    #[cold]
    fn step_over(&mut self) -> bool {
        let mut ahead = self.cursor;
        let (Ok(opcode), Ok(total_dwords)) = (ahead.u32_le(), ahead.u32_le()) else { return false };
        let rest_bytes = total_dwords.checked_sub(2).and_then(|dwords| usize::try_from(dwords).ok()?.checked_mul(4));
        match rest_bytes.filter(|_| Opcode::from_number(opcode).is_none()) {
            Some(rest_bytes) if ahead.take(rest_bytes).is_ok() => {
                self.cursor = ahead;
                true
            }
            _ => false,
        }
    }

    /// Why the next bytes are no packet.
    #[cold]
    fn what_is_wrong(&self) -> AbiError {
        let (mut ahead, offset, left) = (self.cursor, self.cursor.offset(), self.cursor.left() as u64);
        let Ok(found) = ahead.u32_le() else { return AbiError::PartialDword { found: left, offset } };
        let Some(opcode) = Opcode::from_number(found) else {
            let expected = "0x0001 (CREATE_BUFFER) to 0x000a (PRESENT)";
            return AbiError::UnknownOpcode { found, expected, offset };
        };
        let (name, expected) = (opcode.name(), opcode.total_dwords());
        match ahead.u32_le() {
            Ok(found) if found != expected => {
                AbiError::WrongLength { opcode: name, found, expected, offset: offset + 4 }
            }
            _ => AbiError::CutShort { opcode: name, found: left, expected: u64::from(expected) * 4, offset },
        }
    }
}

impl Iterator for Packets<'_> {
    type Item = Result<(u64, Packet), AbiError>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.ended || self.cursor.is_empty() {
            return None;
        }
        let decoded = self.decode_packet();
        if decoded.is_err() {
            self.ended = !self.step_over();
        }
        Some(decoded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLES: [Packet; 10] = [
        Packet::CreateBuffer { buffer_id: 1, size_bytes: 72, usage: 0 },
        Packet::UploadBuffer { buffer_id: 1, offset_bytes: 4, data_len_bytes: 72, blob_id: 0x1_0000_0002 },
        Packet::CreateShader { shader_id: 2, stage: 1, glsl_blob_id: 3, wgsl_blob_id: 5, dxbc_blob_id: 7 },
        Packet::CreatePipeline { pipeline_id: 1, vs_shader_id: 1, fs_shader_id: 2 },
        Packet::SetPipeline { pipeline_id: 1 },
        Packet::SetVertexBuffer { buffer_id: 1, stride_bytes: 24, position_offset_bytes: 0, color_offset_bytes: 8 },
        Packet::SetViewport { width_px: 64, height_px: 32 },
        Packet::Clear { r: 0.0, g: 0.25, b: 0.5, a: 1.0 },
        Packet::Draw { vertex_count: 3, first_vertex: 0 },
        Packet::Present {},
    ];

    #[test]
    fn every_opcode_comes_back_as_written() {
        let mut bytes = Vec::new();
        EXAMPLES.iter().for_each(|packet| packet.write(&mut bytes));
        let decoded: Vec<_> = decode_packets(&bytes, 0x100).map(|packet| packet.unwrap().1).collect();
        assert_eq!(decoded, EXAMPLES);
        let opcodes: Vec<_> = EXAMPLES.iter().map(Packet::opcode).collect();
        assert_eq!(opcodes, Opcode::ALL);
    }

    #[test]
    fn lengths_are_the_specification_s() {
        let lengths: Vec<u32> = Opcode::ALL.iter().map(|opcode| opcode.total_dwords()).collect();
        assert_eq!(lengths, [5, 7, 10, 5, 3, 6, 4, 6, 4, 2]);
    }

    #[test]
    fn an_error_names_its_offset_and_ends_the_stream() {
        let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let error_of = |payload: &[u8]| {
            let mut packets = decode_packets(payload, 0x40);
            let error = packets.find_map(Result::err).unwrap();
            assert!(packets.next().is_none());
            error.to_string()
        };
        assert_eq!(
            error_of(&bytes(&[10, 2, 11, 2])),
            "unknown opcode 0x000b: expected 0x0001 (CREATE_BUFFER) to 0x000a (PRESENT), at 0x48"
        );
        assert_eq!(error_of(&bytes(&[5, 4, 1, 0])), "SET_PIPELINE has total_dwords 4: expected 3, at 0x44");
        assert_eq!(error_of(&bytes(&[5, 3])), "SET_PIPELINE takes 12 bytes: the Packet record has 8 left, at 0x40");
        assert_eq!(error_of(&[10, 0, 0]), "Packet payload has 3 bytes: expected a multiple of 4, at 0x40");
    }
}
