//! Whether an instruction's length counts its first token.
//!
//! Compilers count the dwords that follow the first token. The emulator's driver counts the first token too, in the
//! shaders that it makes itself. Nothing in a program says which of the two it is: it is the one by which every length
//! equals the operands that its instruction takes, over the whole program. Where both do, or neither, bit 31 of the first
//! operand decides, which that driver leaves clear.

use super::super::opcode::Opcode;
use super::super::version::{Dialect, Version};
use super::opcodes::{LegacyOpcode, emulator_forms, microsoft_forms};
use super::token::{END, InstructionToken, ParameterToken, Tokens};

/// How many dwords follow an instruction's first token, by what it says itself.
#[inline]
pub(super) fn body_dwords(token: InstructionToken, dialect: Dialect) -> usize {
    match dialect {
        Dialect::TotalLength => token.length().saturating_sub(1),
        _ => token.length(),
    }
}

/// How a program counts its lengths, by bit 31. SM1 has no lengths, and is one of Microsoft's.
pub(super) fn likelier_dialect(tokens: Tokens<'_>, version: Version) -> Dialect {
    let is_marked = first_parameter(tokens).is_none_or(ParameterToken::is_marked);
    if version.major < 2 || is_marked { Dialect::Microsoft } else { Dialect::TotalLength }
}

/// How a program counts its lengths that can't be read as the likelier dialect has them, if that is to blame.
pub(super) fn other_dialect(tokens: Tokens<'_>, version: Version, likelier: Dialect) -> Option<Dialect> {
    let other = otherwise(likelier);
    let is_to_blame = version.major >= 2 && !fits(tokens, version, likelier);
    (is_to_blame && fits(tokens, version, other)).then_some(other)
}

/// The dialect that counts lengths the other way.
pub(super) fn otherwise(dialect: Dialect) -> Dialect {
    if dialect == Dialect::Microsoft { Dialect::TotalLength } else { Dialect::Microsoft }
}

/// Whether every instruction's length is that of its operands, up to the end token.
fn fits(tokens: Tokens<'_>, version: Version, dialect: Dialect) -> bool {
    let mut position = 1;
    while let Some(token) = tokens.get(position) {
        if token == END {
            return true;
        }
        let token = InstructionToken(token);
        position += 1 + match token.comment_dwords() {
            Some(dwords) => dwords,
            None if form_of(token, tokens, position, version, dialect).is_some() => body_dwords(token, dialect),
            None => return false,
        };
    }
    false
}

/// The form of an instruction of SM2 or SM3 whose operands are as long as it says: Microsoft's, else the emulator's.
#[inline]
pub(super) fn form_of(
    token: InstructionToken,
    tokens: Tokens<'_>,
    position: usize,
    version: Version,
    dialect: Dialect,
) -> Option<&'static LegacyOpcode> {
    let body = body_dwords(token, dialect);
    let fits =
        |form: &LegacyOpcode| form.is_in(version) && measure(form, tokens, position, version, dialect) == Some(body);
    let number = token.opcode_bits();
    for form in microsoft_forms(number) {
        if fits(form) {
            return Some(form);
        }
    }
    emulator_forms(number).iter().find(|form| fits(form))
}

/// The first form that a model has, whatever its length.
pub(super) fn first_form(token: InstructionToken, version: Version) -> Option<&'static LegacyOpcode> {
    let number = token.opcode_bits();
    microsoft_forms(number).iter().chain(emulator_forms(number)).find(|form| form.is_in(version))
}

/// How many dwords an instruction's operands take, if the program has so many.
#[inline]
pub(super) fn measure(
    form: &LegacyOpcode,
    tokens: Tokens<'_>,
    position: usize,
    version: Version,
    dialect: Dialect,
) -> Option<usize> {
    let token = InstructionToken(tokens.get(position)?);
    let dwords = match form.opcode {
        Opcode::Def | Opcode::DefI => 5,
        Opcode::DefB => 2,
        // The emulator may have the usage in the opcode token.
        Opcode::Dcl if dialect == Dialect::TotalLength && body_dwords(token, dialect) == 1 => 1,
        Opcode::Dcl => 2,
        _ => {
            let mut end = position + 1;
            for _ in 0..form.takes.len() + usize::from(token.is_predicated()) {
                let parameter = ParameterToken(tokens.get(end)?);
                // In SM1 the index is no token.
                end += 1 + usize::from(parameter.is_indexed() && version.major >= 2);
            }
            end - position - 1
        }
    };
    (position + 1 + dwords <= tokens.len()).then_some(dwords)
}

/// What follows the first instruction that has a length.
fn first_parameter(tokens: Tokens<'_>) -> Option<ParameterToken> {
    let mut position = 1;
    loop {
        let token = tokens.get(position).filter(|token| *token != END)?;
        let token = InstructionToken(token);
        position += match token.comment_dwords() {
            Some(dwords) => 1 + dwords,
            None if token.length() == 0 => 1,
            None => return tokens.get(position + 1).map(ParameterToken),
        };
    }
}
