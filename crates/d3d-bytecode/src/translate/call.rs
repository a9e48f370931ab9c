//! Functions of SM4 and SM5, which are put in where they are called.
//!
//! ```text
//!  call l0            loop {                       One turn, which a return leaves.
//!                       …
//!   label l0            loop {
//!    loop                 if r0 { returned = true; break }
//!     retc r0           }
//!    endloop            if returned { break }      Behind every block within that a break leaves.
//!    …                  …
//!   ret                 break }
//! ```

use naga::{Block, Statement};

use super::builder::ValueHandle;
use super::error::TranslateError;
use super::flow::Flow;
use super::stage::Stage;
use super::uses::named;
use crate::limits::{MAX_BYTECODE_INSTRUCTIONS, MAX_BYTECODE_NESTING};
use crate::{Instruction, Opcode, Operand, RegisterKind};
use trace_base::error::Internal;

/// Most functions within each other, as Direct3D has it.
const MOST_CALLS: usize = 32;

/// A function that is being put in.
pub(super) struct OpenCall {
    /// How many blocks were open when it was called.
    depth: usize,
    /// A variable: whether it is left from within a block that a break leaves.
    returned: ValueHandle,
}

impl<'p> Stage<'p> {
    /// The instructions in front of the first function.
    pub(super) fn main_instructions(&self) -> &'p [Instruction] {
        before_label(self.program.instructions())
    }

    /// Puts a function in, where a condition holds if there is one.
    pub(super) fn call(&mut self, label: &Operand, condition: Option<ValueHandle>) -> Result<(), TranslateError> {
        let function = self.called_function(label)?;
        if self.calls.len() >= MOST_CALLS {
            return Err(self.unsupported(format!("a call within {MOST_CALLS} others")));
        }
        // Blocks of all functions that are open lie within each other in what comes out.
        if self.flow.len() >= MAX_BYTECODE_NESTING {
            return Err(self.unsupported(format!("a call within {MAX_BYTECODE_NESTING} blocks")));
        }
        if condition.is_some() {
            self.build.open();
        }
        let returned = self.build.local("returned".to_owned(), self.types.bool, None);
        let no = self.truth(false);
        self.build.store(returned, no);
        self.build.open();
        self.calls.push(OpenCall { depth: self.flow.len(), returned });
        for instruction in function {
            self.put_in += 1;
            self.offset = instruction.offset;
            if self.put_in > u64::from(MAX_BYTECODE_INSTRUCTIONS) {
                return Err(self.over_limit(u64::from(MAX_BYTECODE_INSTRUCTIONS)));
            }
            self.translate(instruction)?;
        }
        let call = self.calls.pop();
        if call.is_none_or(|call| call.depth != self.flow.len()) {
            return Err(Internal::new("a function ends in the middle of a block").into());
        }
        self.build.push(Statement::Break);
        let (body, _) = self.build.close();
        self.build.push(Statement::Loop { body, continuing: Block::new(), break_if: None });
        if let Some(condition) = condition {
            self.build.close_if(condition);
        }
        Ok(())
    }

    /// The instructions of a function.
    fn called_function(&self, label: &Operand) -> Result<&'p [Instruction], TranslateError> {
        let program = self.program;
        let wanted = named(label);
        let is_wanted = |instruction: &Instruction| {
            instruction.opcode == Opcode::Label && program.operands(instruction).first().and_then(named) == wanted
        };
        let found = program.instructions().iter().position(is_wanted);
        let found = found.filter(|_| matches!(wanted, Some((RegisterKind::Label, _))));
        let behind = found.and_then(|position| program.instructions().get(position + 1..));
        let unknown = || self.unsupported("a call of a function that the program does not have");
        behind.map(before_label).ok_or_else(unknown)
    }

    /// Leaves the function that is being put in, or the stage.
    pub(super) fn return_from(&mut self) -> Result<(), TranslateError> {
        let Some(OpenCall { depth, returned }) = self.calls.last() else { return self.leave() };
        let (depth, returned) = (*depth, *returned);
        if self.flow.iter().skip(depth).any(Flow::is_left_by_break) {
            let yes = self.truth(true);
            self.build.store(returned, yes);
        }
        self.build.push(Statement::Break);
        Ok(())
    }

    /// Behind a block that a break leaves: a return from within it goes on to the end of the function.
    pub(super) fn go_on_returning(&mut self) {
        let Some(OpenCall { returned, .. }) = self.calls.last() else { return };
        let returned = self.build.load(*returned);
        self.build.open();
        self.build.push(Statement::Break);
        self.build.close_if(returned);
    }
}

fn before_label(instructions: &[Instruction]) -> &[Instruction] {
    instructions.split(|instruction| instruction.opcode == Opcode::Label).next().unwrap_or_default()
}
