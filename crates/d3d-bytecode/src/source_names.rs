//! What the source calls the slots of a program: compilers say it in the chunk RDEF, of Direct3D 9 in the constant table.
//!
//! ```text
//!  RDEF   0  buffers | first buffer | bindings | first binding | target | flags | creator
//!        28  SM5: "RD11", sizes of these three and of what types are made of
//!  binding   name | type | return type | dimension | samples | slot | slots | flags            32 bytes, or as RD11 says
//!  buffer    name | variables | first variable | size | flags | type                           24
//!  variable  name | offset | size | flags | type | default, in SM5 four more                   24, 40
//! ```
//!
//! Names and lists are offsets from the chunk's first byte. Nothing draws by them: a program whose names are damaged is as
//! good as one without.

use std::fmt;

use super::container::{CONTAINER_MAGIC, Chunk, Container};
use super::error::BytecodeError;
use super::instruction::TokenOffset;
use super::legacy::{ConstantTable, RegisterSet};
use super::name::{NameReference, name_at};
use super::operand::{Lane, RegisterKind};
use super::program::Program;
use crate::limits::MAX_BYTECODE_NAMES;
use trace_base::bytes::{Cursor, OutOfBytes};
use trace_base::text::counted;

/// The names of a program's slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceNames<'a> {
    /// In the order of the table.
    pub slots: Vec<SlotName<'a>>,
}

/// A name of the source, and the slots that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotName<'a> {
    /// Their kind.
    pub kind: RegisterKind,
    /// The first of them.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// The name.
    pub name: &'a str,
    /// What lies in a constant buffer.
    pub variables: Vec<VariableName<'a>>,
}

/// A variable of a constant buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableName<'a> {
    /// Where it lies in the buffer.
    pub offset_bytes: u32,
    /// How long it is.
    pub size_bytes: u32,
    /// The name.
    pub name: &'a str,
}

impl<'a> SourceNames<'a> {
    /// The names that come with a program, which was decoded from `bytes` at an absolute file offset. A program whose
    /// compiler left none has none.
    pub fn of(program: &Program, bytes: &'a [u8], file_offset: u64) -> Result<Self, BytecodeError> {
        if program.version().is_d3d9() {
            let start = program.file_offset(TokenOffset::default()).saturating_sub(file_offset) as usize;
            let tokens = bytes.get(start..).unwrap_or_default();
            return ConstantTable::of(program, tokens).map_or(Ok(Self::default()), |table| Self::of_table(&table?));
        }
        if !bytes.starts_with(&CONTAINER_MAGIC) {
            return Ok(Self::default());
        }
        let container = Container::parse(bytes, file_offset)?;
        container.find(b"RDEF").map_or(Ok(Self::default()), |chunk| Definitions::parse(chunk)?.names())
    }

    fn of_table(table: &ConstantTable<'a>) -> Result<Self, BytecodeError> {
        let (mut slots, mut budget) = (Vec::new(), Budget { left: MAX_BYTECODE_NAMES, offset: table.file_offset() });
        for constant in table.constants() {
            budget.take()?;
            let constant = constant?;
            let kind = match constant.set {
                RegisterSet::Boolean => RegisterKind::ConstantBoolean,
                RegisterSet::Integer => RegisterKind::ConstantInteger,
                RegisterSet::Float => RegisterKind::Constant,
                RegisterSet::Sampler => RegisterKind::Sampler,
            };
            let (first, count, name) = (u32::from(constant.first), u32::from(constant.count), constant.name);
            slots.push(SlotName { kind, first, count, name, variables: Vec::new() });
        }
        Ok(Self { slots })
    }
}

impl fmt::Display for SlotName<'_> {
    /// `s0-s3 shadows`: what is not plain in a name is escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (letter, first) = (self.kind.name(), self.first);
        write!(f, "{letter}{first}")?;
        if self.count > 1 {
            write!(f, "-{letter}{}", first.saturating_add(self.count - 1))?;
        }
        write!(f, " {}", self.name.escape_debug())
    }
}

impl VariableName<'_> {
    /// The variable of the constant buffer in a slot, as instructions name its first lane: `cb0[4].y tint, 12 bytes`.
    pub fn describe(&self, slot: u32) -> String {
        let (register, lane) = (self.offset_bytes / 16, Lane::from_bits(self.offset_bytes % 16 / 4).letter());
        format!("cb{slot}[{register}].{lane} {}, {}", self.name.escape_debug(), counted(self.size_bytes, "byte"))
    }
}

/// The chunk's header.
struct Definitions<'a> {
    chunk: Chunk<'a>,
    buffers: List,
    bindings: List,
    variable_bytes: u32,
}

/// Elements one behind the other.
#[derive(Clone, Copy)]
struct List {
    count: u32,
    first: u32,
    each_bytes: u32,
}

/// What errors call the chunk.
const TABLE: &str = "names of the source (RDEF)";

/// Sizes of a binding, a buffer and a variable where no `RD11` tells them.
const SIZES: [u32; 3] = [32, 24, 24];

impl<'a> Definitions<'a> {
    fn parse(chunk: &Chunk<'a>) -> Result<Self, BytecodeError> {
        let mut cursor = Cursor::new(chunk.bytes, chunk.offset);
        let [buffers, first_buffer, bindings, first_binding, target, _flags, _creator] = words(&mut cursor)?;
        let [mut binding_bytes, mut buffer_bytes, mut variable_bytes] = SIZES;
        // The model stands there as in the version token of Direct3D 9.
        if (target >> 8) & 0xff >= 5 {
            [_, _, buffer_bytes, binding_bytes, variable_bytes] = words(&mut cursor)?;
        }
        let list = |count, first, each_bytes| List { count, first, each_bytes };
        let buffers = list(buffers, first_buffer, buffer_bytes);
        Ok(Self { chunk: *chunk, buffers, bindings: list(bindings, first_binding, binding_bytes), variable_bytes })
    }

    fn names(&self) -> Result<SourceNames<'a>, BytecodeError> {
        let mut names = SourceNames::default();
        let mut budget = Budget { left: MAX_BYTECODE_NAMES, offset: self.chunk.offset };
        for index in 0..self.bindings.count {
            budget.take()?;
            let (offset, [name, kind, .., first, count]) = self.element::<7>(self.bindings, index)?;
            let Some(kind) = kind_of_binding(kind) else {
                return Err(BytecodeError::BadConstant {
                    table: TABLE,
                    what: "type of a binding",
                    found: kind,
                    offset,
                });
            };
            let name = self.name(name, index, offset)?;
            let variables = match kind {
                RegisterKind::ConstantBuffer => self.variables(name, &mut budget)?,
                _ => Vec::new(),
            };
            names.slots.push(SlotName { kind, first, count, name, variables });
        }
        Ok(names)
    }

    /// The variables of the first constant buffer of this name.
    fn variables(&self, of: &str, budget: &mut Budget) -> Result<Vec<VariableName<'a>>, BytecodeError> {
        for index in 0..self.buffers.count {
            budget.take()?;
            let (offset, [name, count, first, _size, _flags, _type]) = self.element(self.buffers, index)?;
            if self.name(name, index, offset)? != of {
                continue;
            }
            let list = List { count, first, each_bytes: self.variable_bytes };
            let variable = |index| {
                budget.take()?;
                let (offset, [name, offset_bytes, size_bytes]) = self.element(list, index)?;
                Ok(VariableName { offset_bytes, size_bytes, name: self.name(name, index, offset)? })
            };
            return (0..count).map(variable).collect();
        }
        Ok(Vec::new())
    }

    /// The first dwords of an element, and its file offset.
    fn element<const N: usize>(&self, list: List, index: u32) -> Result<(u64, [u32; N]), BytecodeError> {
        let at = u64::from(list.first).saturating_add(u64::from(index) * u64::from(list.each_bytes));
        let mut cursor = Cursor::new(self.chunk.bytes, self.chunk.offset);
        cursor.take(usize::try_from(at).unwrap_or(usize::MAX)).map_err(out_of_bytes)?;
        Ok((cursor.offset(), words(&mut cursor)?))
    }

    fn name(&self, at: u32, element: u32, offset: u64) -> Result<&'a str, BytecodeError> {
        name_at(self.chunk.bytes, at, NameReference { what: "name", element, offset })
    }
}

/// How many more names are read: lists may overlap, so the table's length bounds no more than each of them.
struct Budget {
    left: usize,
    /// Absolute file offset of the table.
    offset: u64,
}

impl Budget {
    fn take(&mut self) -> Result<(), BytecodeError> {
        let (limit, offset) = (MAX_BYTECODE_NAMES as u64, self.offset);
        let over = BytecodeError::OverLimit { what: "number of names", found: limit + 1, limit, offset };
        self.left = self.left.checked_sub(1).ok_or(over)?;
        Ok(())
    }
}

/// The registers that a type of binding lies in.
fn kind_of_binding(number: u32) -> Option<RegisterKind> {
    Some(match number {
        0 => RegisterKind::ConstantBuffer,
        // Constants in a texture, textures, structured and raw buffers that are read.
        1 | 2 | 5 | 7 => RegisterKind::Resource,
        3 => RegisterKind::Sampler,
        // Typed, structured, raw, appended to, consumed, counted.
        4 | 6 | 8..=11 => RegisterKind::Uav,
        _ => return None,
    })
}

fn words<const N: usize>(cursor: &mut Cursor<'_>) -> Result<[u32; N], BytecodeError> {
    let mut words = [0; N];
    for word in &mut words {
        *word = cursor.u32_le().map_err(out_of_bytes)?;
    }
    Ok(words)
}

fn out_of_bytes(cause: OutOfBytes) -> BytecodeError {
    BytecodeError::OutOfBytes { what: TABLE, cause }
}
