//! Declarations.

use super::super::declaration::{
    BasicPrimitive, ConstantBufferAccess, GlobalFlags, Interpolation, OutputTopology, SamplerMode, TessDomain,
    TessOutputPrimitive, TessPartitioning,
};
use super::super::opcode::Opcode;
use super::super::signature::SystemValue;
use super::super::sm4::{DECLARATIONS, DeclarationForm};
use super::super::version::Version;
use super::error::AssemblyError;
use super::instruction::{CONTROL_SHIFT, assembled, dimension, return_types};
use super::operand::{LanesAre, operand};
use super::piece::Piece;

/// What follows an opcode token, and the bits of that token from 11 on.
type DeclaredTokens = Result<(u32, Vec<u32>), AssemblyError>;

/// A declaration, taken apart.
struct Declared<'a> {
    version: Version,
    /// The whole line.
    line: Piece<'a>,
    /// What stands behind the opcode's name.
    suffix: Piece<'a>,
    /// What stands behind that.
    rest: Piece<'a>,
    /// The parts of it.
    parts: Vec<Piece<'a>>,
}

/// The tokens of a declaration.
pub(super) fn declaration(line: Piece<'_>, version: Version) -> Result<Vec<u32>, AssemblyError> {
    let (name, rest) = line.word();
    if name.text == Opcode::DclImmediateConstantBuffer.name() {
        return constants(rest);
    }
    let is_named = |opcode: Opcode| {
        let behind = name.text.strip_prefix(opcode.name());
        behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('_'))
    };
    // Some names begin as others do.
    let row = DECLARATIONS.iter().filter(|(_, opcode, _)| is_named(*opcode)).max_by_key(|(_, of, _)| of.name().len());
    let (number, opcode, form) = *row.ok_or_else(|| name.expected("a declaration"))?;
    let (_, suffix) = name.cut(opcode.name().len());
    let declared = Declared { version, line, suffix, rest, parts: rest.list() };
    let has_suffix = matches!(
        form,
        DeclarationForm::Typed(_)
            | DeclarationForm::Raw(_)
            | DeclarationForm::Structured(_)
            | DeclarationForm::Interface
    );
    if !has_suffix && !suffix.is_empty() {
        return Err(name.expected("a declaration"));
    }
    let (bits, body) = declared.body(form)?;
    assembled(line, number | bits << CONTROL_SHIFT, &[], body)
}

/// Constants that the program brings along: `{ { 1, 2, 3, 4 }, … }`.
fn constants(rest: Piece<'_>) -> Result<Vec<u32>, AssemblyError> {
    const TOKEN: u32 = 53 | 3 << CONTROL_SHIFT;
    let inner = rest.trim().within("{", "}").ok_or_else(|| rest.expected("{ { … }, … }"))?.trim();
    let mut words = vec![TOKEN, 0];
    for register in inner.list() {
        let values = register.within("{", "}").ok_or_else(|| register.expected("{ … }"))?.list();
        if values.len() != 4 {
            return Err(register.expected("four values"));
        }
        for value in values {
            words.push(value.bits()?);
        }
    }
    let length = words.len() as u32;
    words.iter_mut().skip(1).take(1).for_each(|word| *word = length);
    Ok(words)
}

impl<'a> Declared<'a> {
    fn part(&self, place: usize, expected: &'static str) -> Result<Piece<'a>, AssemblyError> {
        self.parts.get(place).copied().ok_or_else(|| self.line.expected(expected))
    }

    /// No more than so many parts.
    fn end(&self, count: usize) -> Result<(), AssemblyError> {
        self.parts.get(count).map_or(Ok(()), |part| Err(part.expected("nothing more")))
    }

    fn register(&self, text: Piece<'_>, lanes: LanesAre) -> Result<Vec<u32>, AssemblyError> {
        operand(text, self.version, lanes)
    }

    /// A register, and so many numbers behind it.
    fn with_numbers(&self, lanes: LanesAre, numbers: usize) -> DeclaredTokens {
        let mut words = self.register(self.part(0, "a register")?, lanes)?;
        for place in 1..=numbers {
            words.push(self.part(place, "another number")?.count()?);
        }
        self.end(numbers + 1)?;
        Ok((0, words))
    }

    fn numbers(&self, count: usize) -> DeclaredTokens {
        let words: Result<_, _> = (0..count).map(|place| self.part(place, "a number")?.count()).collect();
        self.end(count)?;
        Ok((0, words?))
    }

    /// One of an enumeration.
    fn named(&self, found: Option<u32>, expected: &'static str) -> DeclaredTokens {
        found.map(|number| (number, Vec::new())).ok_or_else(|| self.rest.expected(expected))
    }

    fn body(&self, form: DeclarationForm) -> DeclaredTokens {
        use DeclarationForm as F;
        let name = self.rest.text;
        match form {
            F::GlobalFlags => self.global_flags(),
            F::Count => {
                let number = self.rest.strip_prefix("fb").unwrap_or(self.rest);
                Ok((0, vec![number.count()?]))
            }
            F::CountInBits => Ok((self.rest.count()?, Vec::new())),
            F::IndexableTemp => self.indexable_temp(),
            F::Register { interpolated, has_system_value } => self.input_or_output(interpolated, has_system_value),
            F::IndexRange => self.with_numbers(LanesAre::Mask, 1),
            F::ConstantBuffer => self.constant_buffer(),
            F::Sampler => {
                let mode = self.part(1, "mode_default, mode_comparison or mode_mono")?;
                let number = SamplerMode::from_name(mode.text).map(SamplerMode::number);
                let number = number.ok_or_else(|| mode.expected("mode_default, mode_comparison or mode_mono"))?;
                self.end(2)?;
                Ok((number, self.register(self.part(0, "a sampler")?, LanesAre::Swizzle)?))
            }
            F::Typed(_) => self.typed(),
            F::Raw(_) => Ok((self.flags(self.suffix)?, self.with_numbers(LanesAre::Swizzle, 0)?.1)),
            F::Structured(_) => Ok((self.flags(self.suffix)?, self.with_numbers(LanesAre::Swizzle, 1)?.1)),
            F::GroupRaw => self.with_numbers(LanesAre::Swizzle, 1),
            F::GroupStructured => self.with_numbers(LanesAre::Swizzle, 2),
            F::ThreadGroup => self.numbers(3),
            F::InputPrimitive => self.named(primitive(name), "a primitive, such as triangle"),
            F::OutputTopology => self.named(OutputTopology::from_name(name).map(OutputTopology::number), "a topology"),
            F::Stream => self.with_numbers(LanesAre::Swizzle, 0),
            F::TessDomain => self.named(TessDomain::from_name(name).map(TessDomain::number), "a domain"),
            F::TessPartitioning => {
                self.named(TessPartitioning::from_name(name).map(TessPartitioning::number), "a partitioning")
            }
            F::TessOutputPrimitive => {
                self.named(TessOutputPrimitive::from_name(name).map(TessOutputPrimitive::number), "a primitive")
            }
            F::MaxTessFactor => {
                let factor = self.rest.within("l(", ")").ok_or_else(|| self.rest.expected("l(…)"))?;
                Ok((0, vec![factor.bits()?]))
            }
            F::FunctionTable => self.function_table(),
            F::Interface => self.interface(),
        }
    }

    fn global_flags(&self) -> DeclaredTokens {
        let mut bits = 0;
        let names = self.rest.text.split('|').map(str::trim).filter(|name| !name.is_empty());
        for name in names {
            let bit = GlobalFlags::NAMES.iter().position(|known| *known == name);
            bits |= 1 << bit.ok_or_else(|| self.rest.expected("flags with | between them"))?;
        }
        Ok((bits, Vec::new()))
    }

    fn indexable_temp(&self) -> DeclaredTokens {
        const EXPECTED: &str = "an array and its lanes, such as x0[4], 4";
        let array = self.part(0, EXPECTED)?;
        let apart = array.strip_prefix("x").and_then(|array| array.strip_suffix("]")?.split_once("["));
        let (number, elements) = apart.ok_or_else(|| array.expected(EXPECTED))?;
        let lanes = self.part(1, EXPECTED)?;
        self.end(2)?;
        Ok((0, vec![number.count()?, elements.count()?, lanes.count()?]))
    }

    fn input_or_output(&self, interpolated: bool, has_system_value: bool) -> DeclaredTokens {
        let first = self.part(0, "a register")?;
        let (interpolation, register) = match first.rsplit_once(" ").filter(|_| interpolated) {
            Some((mode, register)) => {
                let number = Interpolation::from_name(mode.text).map(Interpolation::number);
                (number.ok_or_else(|| mode.expected("an interpolation, such as linear"))?, register)
            }
            None => (0, first),
        };
        let mut words = self.register(register, LanesAre::Mask)?;
        if has_system_value {
            let value = self.part(1, "a system value")?;
            let number = SystemValue::from_name(value.text).map(SystemValue::number);
            words.push(number.ok_or_else(|| value.expected("a system value, such as position"))?);
        }
        self.end(1 + usize::from(has_system_value))?;
        Ok((interpolation, words))
    }

    fn constant_buffer(&self) -> DeclaredTokens {
        const EXPECTED: &str = "immediateIndexed or dynamicIndexed";
        let access = self.part(1, EXPECTED)?;
        let number = ConstantBufferAccess::from_name(access.text).map(ConstantBufferAccess::number);
        self.end(2)?;
        let words = self.register(self.part(0, "a constant buffer")?, LanesAre::Swizzle)?;
        Ok((number.ok_or_else(|| access.expected(EXPECTED))?, words))
    }

    /// `_texture2d (float,float,float,float) t0`, samples behind the dimension of textures that have them.
    fn typed(&self) -> DeclaredTokens {
        let suffix = self.suffix.strip_prefix("_").ok_or_else(|| self.suffix.expected("a type such as _texture2d"))?;
        let (name, samples) = match suffix.split_once("(") {
            Some((name, samples)) => {
                let samples = samples.strip_suffix(")").ok_or_else(|| samples.expected("a number and a )"))?;
                (name, samples.count()?)
            }
            None => (suffix, 0),
        };
        if samples > 0x7f {
            return Err(suffix.expected("no more than 127 samples"));
        }
        let (name, flags) = name.cut(name.text.find('_').unwrap_or(name.text.len()));
        let types = self.rest.strip_prefix("(").and_then(|rest| rest.split_once(")"));
        let (types, slot) = types.ok_or_else(|| self.rest.expected("types, such as (float,float,float,float)"))?;
        let mut words = self.register(slot.trim(), LanesAre::Swizzle)?;
        words.push(return_types(types)?);
        Ok((dimension(name)? | samples << 5 | self.flags(flags)?, words))
    }

    /// What is said of a UAV.
    fn flags(&self, text: Piece<'_>) -> Result<u32, AssemblyError> {
        text.text.split('_').filter(|flag| !flag.is_empty()).try_fold(0, |bits, flag| match flag {
            "glc" => Ok(bits | 1 << 5),
            "rov" => Ok(bits | 1 << 6),
            "opc" => Ok(bits | 1 << 12),
            _ => Err(text.expected("_glc, _opc, _rov or no suffix")),
        })
    }

    fn function_table(&self) -> DeclaredTokens {
        const EXPECTED: &str = "a table, such as ft0 = { fb0, fb1 }";
        let (table, bodies) = self.rest.split_once(" = ").ok_or_else(|| self.rest.expected(EXPECTED))?;
        let bodies = set(bodies, "fb")?;
        let number = table.strip_prefix("ft").ok_or_else(|| table.expected(EXPECTED))?.count()?;
        Ok((0, [number, bodies.len() as u32].into_iter().chain(bodies).collect()))
    }

    fn interface(&self) -> DeclaredTokens {
        const EXPECTED: &str = "a pointer, such as fp0[1][2] = { ft0, ft1 }";
        let is_dynamic = match self.suffix.text {
            "" => 0,
            "_dynamicindexed" => 1,
            _ => return Err(self.suffix.expected("_dynamicindexed or no suffix")),
        };
        let (pointer, tables) = self.rest.split_once(" = ").ok_or_else(|| self.rest.expected(EXPECTED))?;
        let apart = || {
            let (number, lengths) = pointer.strip_prefix("fp")?.strip_suffix("]")?.split_once("[")?;
            let (array, table) = lengths.split_once("][")?;
            Some([number, array, table])
        };
        let [number, array, table] = apart().ok_or_else(|| pointer.expected(EXPECTED))?;
        let tables = set(tables, "ft")?;
        let (array_length, count) = (array.count()?, tables.len() as u32);
        if array_length > 0xffff || count > 0xffff {
            return Err(pointer.expected("no more than 65535 of each"));
        }
        let body = [number.count()?, table.count()?, array_length << 16 | count].into_iter().chain(tables);
        Ok((is_dynamic, body.collect()))
    }
}

fn set(text: Piece<'_>, prefix: &str) -> Result<Vec<u32>, AssemblyError> {
    let inside = text.trim().within("{", "}").ok_or_else(|| text.expected("{ … }"))?;
    let number =
        |name: &Piece<'_>| name.strip_prefix(prefix).ok_or_else(|| name.expected("a name of the set"))?.count();
    inside.list().iter().map(number).collect()
}

fn primitive(name: &str) -> Option<u32> {
    let basic = BasicPrimitive::from_name(name).map(BasicPrimitive::number);
    basic.or_else(|| {
        let points: u32 = name.strip_prefix("patch_")?.parse().ok()?;
        (1..=32).contains(&points).then_some(7 + points)
    })
}
