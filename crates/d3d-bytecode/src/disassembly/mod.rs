//! [`Program`] → text, as the documents of Direct3D and Microsoft's tools write it.
//!
//! Everything a program holds is in its text: the tests' assembler makes the same program of it again. Where documents and
//! tools leave something out, the text goes on in their manner:
//!
//! * `.dialect` says whose encoding it was, if not Microsoft's; `.producer driver` that the Direct3D 9 driver made it; `.input`, `.output` and `.patch_constant` begin
//!   signatures, a `.param` an element: name, semantic's number and lanes, register and the lanes read (of an output:
//!   written), type, system value.
//! * What the source calls the slots is no part of a program. [`disassemble_with_names`] puts it before the text, behind
//!   `//`.
//! * An immediate value is a float if it has a point or an exponent, bits if it is hexadecimal, else an integer,
//!   whatever the instruction takes it for.

mod declaration;
mod instruction;
mod legacy;
mod number;
mod operand;
mod signature;

pub(super) use signature::has_unwritten_lanes;

use std::fmt::{self, Write};

use super::declaration::Declaration;
use super::instruction::Instruction;
use super::opcode::Opcode;
use super::program::Program;
use super::source_names::SourceNames;
use super::version::{Dialect, Producer};

/// A program's text, a line a declaration or instruction, blocks indented.
pub fn disassemble(program: &Program) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = write!(text, "{}", Disassembly(program));
    text
}

/// A program's text behind the names that its source has for slots and for what lies in constant buffers, a name a line.
pub fn disassemble_with_names(program: &Program, names: &SourceNames<'_>) -> String {
    let mut text = String::new();
    for slot in &names.slots {
        // Writing to a string can't fail.
        let _ = writeln!(text, "// {slot}");
        for variable in &slot.variables {
            let _ = writeln!(text, "//   {}", variable.describe(slot.first));
        }
    }
    text + &disassemble(program)
}

/// The same as something that can be written.
struct Disassembly<'a>(&'a Program);

impl fmt::Display for Disassembly<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.0;
        writeln!(f, "{}", program.version())?;
        if program.dialect() != Dialect::Microsoft {
            writeln!(f, ".dialect {}", program.dialect())?;
        }
        if program.producer() != Producer::Application {
            writeln!(f, ".producer {}", program.producer())?;
        }
        let (stage, dialect) = (program.version().stage, program.dialect());
        signature::write_signatures(f, program.signatures(), (stage, dialect))?;
        write_body(f, program)
    }
}

type WriteDeclaration = fn(&mut fmt::Formatter<'_>, &Program, &Declaration) -> fmt::Result;
type WriteInstruction = fn(&mut fmt::Formatter<'_>, &Program, &Instruction) -> fmt::Result;

fn write_body(f: &mut fmt::Formatter<'_>, program: &Program) -> fmt::Result {
    let (write_declaration, write_instruction): (WriteDeclaration, WriteInstruction) = if program.version().is_d3d9() {
        (legacy::write_declaration, legacy::write_instruction)
    } else {
        (declaration::write_declaration, instruction::write_instruction)
    };
    let mut declarations = program.declarations().iter().peekable();
    let mut depth = 0_usize;
    for instruction in program.instructions() {
        while let Some(declaration) = declarations.next_if(|declaration| declaration.offset < instruction.offset) {
            write_declaration(f, program, declaration)?;
        }
        let Indentation { before, after } = Indentation::of(instruction.opcode);
        depth = depth.saturating_sub(before);
        write!(f, "{:1$}", "", depth.min(MAX_INDENTATION) * 2)?;
        write_instruction(f, program, instruction)?;
        depth += after;
    }
    declarations.try_for_each(|declaration| write_declaration(f, program, declaration))
}

/// Levels that are indented: deeper ones would make a long text of a short program that is nothing but blocks.
const MAX_INDENTATION: usize = 16;

/// How many levels an instruction goes back before its line, and forward after it.
struct Indentation {
    before: usize,
    after: usize,
}

impl Indentation {
    fn of(opcode: Opcode) -> Self {
        let (before, after) = match opcode {
            Opcode::If | Opcode::IfC | Opcode::Loop | Opcode::Rep | Opcode::Switch => (0, 1),
            Opcode::Else | Opcode::Case | Opcode::Default => (1, 1),
            Opcode::EndIf | Opcode::EndLoop | Opcode::EndRep | Opcode::EndSwitch => (1, 0),
            _ => (0, 0),
        };
        Self { before, after }
    }
}
