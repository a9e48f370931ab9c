//! Extended opcode tokens: how a texture or buffer is read.
//!
//! ```text
//!  bits 0 to 5  1 offsets      u in bits 9 to 12, v in 13 to 16, w in 17 to 20, signed
//!               2 resource     dimension in bits 6 to 10, a structure's bytes in 11 to 22
//!               3 return types four times four bits from 6 on
//!  bit 31       another follows
//! ```

use super::super::error::BytecodeError;
use super::super::instruction::{ResourceAccess, ResourceDimension};
use super::declarations::return_types;
use super::operand::OperandReader;

/// Reads the extended opcode tokens behind an opcode token.
#[cold]
pub(super) fn read_access(reader: &mut OperandReader<'_, '_>) -> Result<ResourceAccess, BytecodeError> {
    let mut access = ResourceAccess::PLAIN;
    loop {
        let at = reader.tokens.offset();
        let token = reader.dword()?;
        match token & 0x3f {
            0 => {}
            1 => access.offsets = [9, 13, 17].map(|shift| signed_nibble(token >> shift)),
            2 => {
                let number = (token >> 6) & 0x1f;
                let dimension = ResourceDimension::from_number(number);
                access.dimension = Some(dimension.ok_or_else(|| reader.unknown("dimension", number, at))?);
                access.stride_bytes = ((token >> 11) & 0xfff) as u16;
            }
            3 => {
                let types = return_types(token >> 6);
                access.return_types = Some(types.map_err(|number| reader.unknown("return type", number, at))?);
            }
            number => return Err(reader.unknown("extension of an opcode", number, at)),
        }
        if token >> 31 == 0 {
            return Ok(access);
        }
    }
}

fn signed_nibble(bits: u32) -> i8 {
    let nibble = (bits & 0xf) as i8;
    if nibble < 8 { nibble } else { nibble - 16 }
}
