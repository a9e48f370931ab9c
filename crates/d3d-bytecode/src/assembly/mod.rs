//! Text → bytecode: the way back from [`super::disassemble`], for shaders that are edited.
//!
//! ```text
//!  text ─► lines ─┬─ signature: .param …       ─► ISGN, OSGN, PCSG ─┐
//!                 ├─ declaration: dcl_…                             ├─► container ─► read once more: what a line says
//!                 └─ instruction, operand      ─► SHDR or SHEX ─────┘                that no shader may
//! ```
//!
//! It takes what the disassembler writes. Programs of SM1 to SM3 (`legacy`) get the lengths and numbers that `.dialect` names, and
//! the marks of whoever `.producer` names; of SM4 and SM5 it writes Microsoft's encoding, whichever the shader had. Lanes of a
//! register that has four may be left out if all are meant. `//` begins a comment.

mod declaration;
mod error;
mod instruction;
mod legacy;
mod operand;
mod piece;
mod signature;

pub use error::AssemblyError;

use self::declaration::declaration;
use self::instruction::instruction;
use self::legacy::LegacyEncoding;
use self::piece::{Piece, lines};
use self::signature::{Section, SignatureText, container};
use super::legacy::END;
use super::program::Program;
use super::shader::decode;
use super::version::{Dialect, Producer, Stage, Version};
use naga_gate::limits::MAX_SHADER_BYTES;

use crate::limits::MAX_BYTECODE_BYTES;
use trace_base::error::Classified;

/// The bytecode that a text says, and the program that it is.
pub fn assemble(text: &str) -> Result<(Vec<u8>, Program), AssemblyError> {
    let found = text.len() as u64;
    if found > MAX_SHADER_BYTES {
        return Err(AssemblyError::TooLong { what: "text", found, limit: MAX_SHADER_BYTES });
    }
    let mut assembler = Assembler::default();
    let mut lines = lines(text);
    let Some(first) = lines.next() else { return Err(Piece::start(text).expected("a model, such as ps_5_0")) };
    let version = version(first)?;
    for line in lines {
        assembler.line(line, version)?;
    }
    assembler.finish(version)
}

/// A text on the way.
#[derive(Default)]
struct Assembler {
    signatures: SignatureText,
    section: Option<Section>,
    /// What follows the program's head.
    words: Vec<u32>,
    /// Of each instruction and declaration the first of those words, and its line.
    starts: Vec<(usize, u32)>,
    /// Dialect of the lengths and numbers in SM1 to SM3; the producer beside it is the one whose marks they have.
    dialect: Option<Dialect>,
    producer: Producer,
}

impl Assembler {
    fn line(&mut self, line: Piece<'_>, version: Version) -> Result<(), AssemblyError> {
        if let Some(name) = line.strip_prefix(".dialect ") {
            let dialects = [Dialect::Microsoft, Dialect::Emulator, Dialect::TotalLength];
            let dialect = dialects.into_iter().find(|dialect| dialect.name() == name.trim().text);
            self.dialect = Some(dialect.ok_or_else(|| name.expected("microsoft, emulator or total-length"))?);
            return Ok(());
        }
        if let Some(name) = line.strip_prefix(".producer ") {
            let producers = [Producer::Application, Producer::Driver];
            let producer = producers.into_iter().find(|producer| producer.name() == name.trim().text);
            self.producer = producer.ok_or_else(|| name.expected("application or driver"))?;
            return Ok(());
        }
        if let Some(section) = Section::named(line.text) {
            self.section = Some(section);
            return Ok(());
        }
        if line.text == ".text" {
            self.section = None;
            return Ok(());
        }
        if line.text.starts_with('.') {
            let section = self.section.ok_or_else(|| line.expected("an instruction, or .input, .output or .text"))?;
            return self.signatures.add(section, line, version.stage);
        }
        self.starts.push((self.words.len(), line.line));
        let words = match (version.is_d3d9(), line.text.starts_with("dcl_")) {
            (true, _) => self.encoding(version).line(line)?,
            (false, true) => declaration(line, version)?,
            (false, false) => instruction(line, version)?,
        };
        self.words.extend(words);
        let found = self.words.len() as u64 * 4;
        if found > MAX_BYTECODE_BYTES {
            return Err(AssemblyError::TooLong { what: "bytecode", found, limit: MAX_BYTECODE_BYTES });
        }
        Ok(())
    }

    fn encoding(&self, version: Version) -> LegacyEncoding {
        let (dialect, producer) = (self.dialect.unwrap_or(Dialect::Microsoft), self.producer);
        LegacyEncoding { version, dialect, producer }
    }

    fn finish(self, version: Version) -> Result<(Vec<u8>, Program), AssemblyError> {
        if version.is_d3d9() {
            let token = self.encoding(version).version_token();
            let words = [token].into_iter().chain(self.words.iter().copied()).chain([END]);
            let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
            return self.decoded(bytes, 4);
        }
        let token = version.stage.number() << 16 | u32::from(version.major) << 4 | u32::from(version.minor);
        let words = [token, self.words.len() as u32 + 2].into_iter().chain(self.words.iter().copied());
        let code: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        let (bytes, code_at) = match self.signatures.is_empty() {
            true => (code, 0),
            false => container(&self.signatures, if version.major == 5 { *b"SHEX" } else { *b"SHDR" }, &code),
        };
        self.decoded(bytes, code_at as u64 + 8)
    }

    /// The program of some bytes, whose first line's word stands at `first`.
    fn decoded(&self, bytes: Vec<u8>, first: u64) -> Result<(Vec<u8>, Program), AssemblyError> {
        match decode(&bytes, 0) {
            Ok(program) => Ok((bytes, program)),
            Err(error) => {
                // Each word behind the head belongs to the line that begins last before it.
                let at = error.offset().and_then(|offset| offset.checked_sub(first));
                let word = at.map_or(0, |at| (at / 4) as usize);
                let after = self.starts.partition_point(|(start, _)| *start <= word);
                let line = after.checked_sub(1).and_then(|place| self.starts.get(place)).map_or(1, |(_, line)| *line);
                Err(AssemblyError::Refused { line, error })
            }
        }
    }
}

fn version(line: Piece<'_>) -> Result<Version, AssemblyError> {
    let wrong = || line.expected("a model, such as ps_5_0");
    let parts: Vec<&str> = line.text.split('_').collect();
    let [stage, major, minor] = *parts.as_slice() else { return Err(wrong()) };
    let stage = Stage::from_name(stage).ok_or_else(wrong)?;
    match (major, minor) {
        ("4", "0") => Ok(Version { stage, major: 4, minor: 0 }),
        ("4", "1") => Ok(Version { stage, major: 4, minor: 1 }),
        ("5", "0") => Ok(Version { stage, major: 5, minor: 0 }),
        (major @ ("1" | "2" | "3"), minor) if matches!(stage, Stage::Vertex | Stage::Pixel) => {
            let minor = match (major, minor) {
                ("2", "x") => 1,
                ("2" | "3", "sw") => 0xff,
                ("1", minor) => minor.parse().ok().filter(|minor| *minor <= 4).ok_or_else(wrong)?,
                (_, "0") => 0,
                _ => return Err(wrong()),
            };
            Ok(Version { stage, major: major.parse().map_err(|_| wrong())?, minor })
        }
        _ => Err(wrong()),
    }
}
