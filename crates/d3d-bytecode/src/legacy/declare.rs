//! `dcl`, `def`, `defi`, `defb`.

use super::super::declaration::{DeclarationKind, StageTexture, Usage};
use super::super::error::BytecodeError;
use super::super::instruction::{Modifiers, TokenOffset};
use super::super::opcode::Opcode;
use super::super::operand::{Lanes, Modifier, Operand, RegisterKind};
use super::super::version::Stage;
use super::decode::Decoder;
use super::operand::operand;
use super::token::{InstructionToken, token_offset};

impl Decoder<'_> {
    /// `dcl`: a token with usage or texture, and a register. The emulator may have the usage in the opcode token:
    /// bits 16 to 19, its number in bits 20 to 23.
    pub(super) fn declaration(&mut self, token: InstructionToken, offset: TokenOffset) -> Result<(), BytecodeError> {
        let meaning_at = if self.end - self.position == 1 { offset } else { token_offset(self.position) };
        let meaning = match self.end - self.position {
            1 => token.control() & 0xf | token.control() >> 4 << 16,
            _ => self.raw_word(Opcode::Dcl)?,
        };
        let (register, number, modifiers) = self.declared_register(Opcode::Dcl)?;
        let kind = match register.kind() {
            Some(RegisterKind::Sampler) => {
                let texture = meaning >> 27 & 0xf;
                let Some(texture) = StageTexture::from_number(texture) else {
                    return self.unknown_at(Opcode::Dcl, "type of texture", texture, meaning_at);
                };
                DeclarationKind::TextureStage { register, texture }
            }
            _ => {
                let (usage, usage_index) = self.usage(&register, number, meaning, meaning_at)?;
                let Modifiers { centroid, partial_precision, .. } = modifiers;
                DeclarationKind::Semantic { register, usage, usage_index, centroid, partial_precision }
            }
        };
        self.builder.declare(Opcode::Dcl, offset, kind)
    }

    /// `def`, `defi`: a register and four dwords; `defb`: a register and one.
    pub(super) fn constant(&mut self, opcode: Opcode, offset: TokenOffset) -> Result<(), BytecodeError> {
        let (expected, kind) = match opcode {
            Opcode::DefI => ("an integer constant", RegisterKind::ConstantInteger),
            Opcode::DefB => ("a boolean constant", RegisterKind::ConstantBoolean),
            _ => ("a float constant", RegisterKind::Constant),
        };
        let at = self.position;
        let (register, ..) = self.declared_register(opcode)?;
        if register.kind() != Some(kind) {
            let (found, offset) = (register.kind().map_or("a value", RegisterKind::name), self.file_offset_of(at));
            return Err(BytecodeError::WrongOperand { opcode, expected, found, offset });
        }
        let mut value = [0; 4];
        let lanes = if opcode == Opcode::DefB { 1 } else { 4 };
        for lane in value.iter_mut().take(lanes) {
            *lane = self.raw_word(opcode)?;
        }
        self.builder.declare(opcode, offset, DeclarationKind::Constant { register, value })
    }

    /// The register that a declaration is about, its number, and the modifiers that it is declared with.
    fn declared_register(&mut self, opcode: Opcode) -> Result<(Operand, u32, Modifiers), BytecodeError> {
        let at = self.position;
        let token = self.parameter(opcode)?;
        let modifiers = self.result_modifiers(opcode, token)?;
        let named = self.named(opcode, token)?;
        if token.is_indexed() || !may_be_declared(opcode, named.kind) {
            let (expected, found) = ("a register that may be declared", named.kind.name());
            return Err(BytecodeError::WrongOperand { opcode, expected, found, offset: self.file_offset_of(at) });
        }
        let lanes = match named.kind {
            RegisterKind::Sampler => Lanes::None,
            RegisterKind::ConstantBoolean => Lanes::One,
            _ => Lanes::Mask(token.mask()),
        };
        let register = self.register(opcode, token, named, at)?;
        Ok((operand(register, lanes, Modifier::None), named.number.unwrap_or(0), modifiers))
    }

    /// What an input or output means. In pixel shaders before SM3 its register says so, and the token nothing.
    fn usage(
        &self,
        register: &Operand,
        number: u32,
        meaning: u32,
        at: TokenOffset,
    ) -> Result<(Usage, u32), BytecodeError> {
        match register.kind() {
            Some(RegisterKind::TextureCoordinate) => return Ok((Usage::TexCoord, number)),
            Some(RegisterKind::Input) if self.version.stage == Stage::Pixel && self.version.major < 3 => {
                return Ok((Usage::Color, number));
            }
            _ => {}
        }
        let Some(usage) = Usage::from_number(meaning & 0x1f) else {
            return self.unknown_at(Opcode::Dcl, "usage", meaning & 0x1f, at);
        };
        Ok((usage, meaning >> 16 & 0xf))
    }

    /// A dword that is no register.
    fn raw_word(&mut self, opcode: Opcode) -> Result<u32, BytecodeError> {
        let word = self.tokens.get(self.position).filter(|_| self.position < self.end);
        let offset = self.file_offset_of(self.position);
        self.position += 1;
        word.ok_or(BytecodeError::MissingOperand { opcode, offset })
    }
}

fn may_be_declared(opcode: Opcode, kind: RegisterKind) -> bool {
    use RegisterKind as Kind;
    match opcode {
        Opcode::Dcl => matches!(
            kind,
            Kind::Input
                | Kind::TextureCoordinate
                | Kind::Output
                | Kind::Sampler
                | Kind::PixelPosition
                | Kind::PixelFace
        ),
        _ => matches!(kind, Kind::Constant | Kind::ConstantInteger | Kind::ConstantBoolean),
    }
}
