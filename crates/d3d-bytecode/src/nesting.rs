//! Blocks of control flow: each ends, within the function that it began in.

use super::error::BytecodeError;
use super::opcode::Opcode;
use crate::limits::MAX_BYTECODE_NESTING;

/// The blocks that are open, the outermost first, each with the file offset at which it began.
pub(super) struct Nesting {
    open: Vec<(Opcode, u64)>,
}

impl Nesting {
    pub(crate) fn new() -> Self {
        Self { open: Vec::new() }
    }

    /// Takes note of an instruction at an absolute file offset.
    #[inline]
    pub(crate) fn pass(&mut self, opcode: Opcode, offset: u64) -> Result<(), BytecodeError> {
        match opcode {
            Opcode::If | Opcode::IfC | Opcode::Loop | Opcode::Rep | Opcode::Switch => self.begin(opcode, offset),
            Opcode::Else => {
                self.end(opcode, &[Opcode::If, Opcode::IfC], "if", offset)?;
                self.begin(opcode, offset)
            }
            Opcode::EndIf => self.end(opcode, &[Opcode::If, Opcode::IfC, Opcode::Else], "if", offset),
            Opcode::EndLoop => self.end(opcode, &[Opcode::Loop], "loop", offset),
            Opcode::EndRep => self.end(opcode, &[Opcode::Rep], "rep", offset),
            Opcode::EndSwitch => self.end(opcode, &[Opcode::Switch], "switch", offset),
            Opcode::Case | Opcode::Default => self.directly_in(opcode, &[Opcode::Switch], "switch", offset),
            Opcode::Break | Opcode::BreakC | Opcode::BreakP => {
                self.somewhere_in(opcode, &[Opcode::Loop, Opcode::Rep, Opcode::Switch], "loop or switch", offset)
            }
            Opcode::Continue | Opcode::ContinueC => self.somewhere_in(opcode, &[Opcode::Loop], "loop", offset),
            // Another function begins.
            Opcode::Label | Opcode::HsControlPointPhase | Opcode::HsForkPhase | Opcode::HsJoinPhase => self.finish(),
            _ => Ok(()),
        }
    }

    /// At the end of a function nothing is open.
    pub(crate) fn finish(&self) -> Result<(), BytecodeError> {
        match self.open.last() {
            None => Ok(()),
            Some((opcode, offset)) => Err(BytecodeError::NeverClosed { opcode: *opcode, offset: *offset }),
        }
    }

    fn begin(&mut self, opcode: Opcode, offset: u64) -> Result<(), BytecodeError> {
        if self.open.len() >= MAX_BYTECODE_NESTING {
            let (what, found, limit) = ("nesting", self.open.len() as u64 + 1, MAX_BYTECODE_NESTING as u64);
            return Err(BytecodeError::OverLimit { what, found, limit, offset });
        }
        self.open.push((opcode, offset));
        Ok(())
    }

    fn end(
        &mut self,
        opcode: Opcode,
        begins: &[Opcode],
        expected: &'static str,
        offset: u64,
    ) -> Result<(), BytecodeError> {
        self.directly_in(opcode, begins, expected, offset)?;
        self.open.pop();
        Ok(())
    }

    fn directly_in(
        &self,
        opcode: Opcode,
        blocks: &[Opcode],
        expected: &'static str,
        offset: u64,
    ) -> Result<(), BytecodeError> {
        match self.open.last() {
            Some((open, _)) if blocks.contains(open) => Ok(()),
            _ => Err(BytecodeError::NotInBlock { opcode, expected, found: self.innermost(), offset }),
        }
    }

    fn somewhere_in(
        &self,
        opcode: Opcode,
        blocks: &[Opcode],
        expected: &'static str,
        offset: u64,
    ) -> Result<(), BytecodeError> {
        if self.open.iter().any(|(open, _)| blocks.contains(open)) {
            return Ok(());
        }
        Err(BytecodeError::NotInBlock { opcode, expected, found: self.innermost(), offset })
    }

    fn innermost(&self) -> &'static str {
        self.open.last().map_or("no block", |(opcode, _)| opcode.name())
    }
}
