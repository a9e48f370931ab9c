//! The constant table that compilers leave in a comment (`CTAB`): which constants of the source lie in which registers.
//!
//! ```text
//!  header      size 28 | creator | version | constants | first constant | flags | target
//!  constant    name | register set u16 | first register u16 | registers u16 | reserved u16 | type | default value
//!  type        class u16 | scalar u16 | rows u16 | columns u16 | elements u16 | members u16 | first member
//!  member      name | type
//! ```
//!
//! Names, types and lists are offsets from the header. Nothing is copied out of the bytes and members are looked up when
//! they are asked for, so a table that refers to itself costs nothing.

use super::super::error::BytecodeError;
use super::super::name::{NameReference, name_at};
use super::super::numbered::numbered;
use super::super::program::Program;
use trace_base::bytes::Cursor;

numbered! {
    /// The registers that a constant lies in.
    pub enum RegisterSet {
        /// Truth values.
        Boolean = 0, "b";
        /// Integers.
        Integer = 1, "i";
        /// Floats.
        Float = 2, "c";
        /// Samplers.
        Sampler = 3, "s";
    }

    /// What a constant is made of.
    pub enum ConstantClass {
        /// One value.
        Scalar = 0, "scalar";
        /// Up to four values.
        Vector = 1, "vector";
        /// A matrix, a row a register.
        MatrixRows = 2, "row_major";
        /// A matrix, a column a register.
        MatrixColumns = 3, "column_major";
        /// A sampler.
        Object = 4, "object";
        /// A structure.
        Struct = 5, "struct";
    }

    /// What a constant's values are.
    pub enum ConstantScalar {
        /// Nothing, as of structures.
        Void = 0, "void";
        /// Truth values.
        Bool = 1, "bool";
        /// Integers.
        Int = 2, "int";
        /// Floats.
        Float = 3, "float";
        /// Text, in effects.
        String = 4, "string";
        /// Any texture, in effects.
        Texture = 5, "texture";
        /// A texture of one dimension.
        Texture1D = 6, "texture1D";
        /// A texture of two dimensions.
        Texture2D = 7, "texture2D";
        /// A texture of three dimensions.
        Texture3D = 8, "texture3D";
        /// A texture of six faces.
        TextureCube = 9, "textureCUBE";
        /// A sampler of any texture.
        Sampler = 10, "sampler";
        /// A sampler of one dimension.
        Sampler1D = 11, "sampler1D";
        /// A sampler of two dimensions.
        Sampler2D = 12, "sampler2D";
        /// A sampler of three dimensions.
        Sampler3D = 13, "sampler3D";
        /// A sampler of six faces.
        SamplerCube = 14, "samplerCUBE";
    }
}

/// A constant table, in the bytes of its program.
#[derive(Clone, Copy, Debug)]
pub struct ConstantTable<'a> {
    bytes: &'a [u8],
    file_offset: u64,
    constants: u32,
    first_constant: u32,
    /// The compiler; empty where nothing is said.
    pub creator: &'a str,
    /// The profile that it compiled for; empty where nothing is said.
    pub target: &'a str,
}

/// A constant of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedConstant<'a> {
    /// Its name.
    pub name: &'a str,
    /// The kind of registers it lies in.
    pub set: RegisterSet,
    /// The first of them.
    pub first: u16,
    /// How many.
    pub count: u16,
    /// Its type.
    pub shape: ConstantShape,
}

/// The type of a constant or a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantShape {
    /// What it is made of.
    pub class: ConstantClass,
    /// What its values are.
    pub scalar: ConstantScalar,
    /// Rows of a matrix.
    pub rows: u16,
    /// Columns of a matrix, lanes of a vector.
    pub columns: u16,
    /// Elements of an array; 1 otherwise.
    pub elements: u16,
    /// How many members a structure has: [`ConstantTable::member`].
    pub members: u16,
    first_member: u32,
}

const TAG: [u8; 4] = *b"CTAB";

/// What errors call it.
const TABLE: &str = "constant table";

impl<'a> ConstantTable<'a> {
    /// The first constant table of a program, whose bytes begin with its version token.
    pub fn of(program: &Program, bytes: &'a [u8]) -> Option<Result<Self, BytecodeError>> {
        program.comments().iter().find_map(|comment| {
            let at = comment.offset.0 as usize + 4;
            let payload = bytes.get(at..at + comment.size_bytes as usize)?.strip_prefix(&TAG)?;
            Some(Self::parse(payload, program.file_offset(comment.offset).saturating_add(8)))
        })
    }

    /// Absolute file offset of its header.
    pub fn file_offset(&self) -> u64 {
        self.file_offset
    }

    /// Reads the header of a table whose bytes, without the tag, lie at an absolute file offset.
    fn parse(bytes: &'a [u8], file_offset: u64) -> Result<Self, BytecodeError> {
        let blank = Self { bytes, file_offset, constants: 0, first_constant: 0, creator: "", target: "" };
        let mut header = blank.cursor(0)?;
        let [_size, creator, _version, constants, first_constant, _flags, target] = words(&mut header)?;
        // 0 is no text.
        let text = |at, field| if at == 0 { Ok("") } else { blank.text(at, 0, file_offset.saturating_add(field)) };
        let (creator, target) = (text(creator, 4)?, text(target, 24)?);
        Ok(Self { constants, first_constant, creator, target, ..blank })
    }

    /// The constants in order. After an error there are none.
    pub fn constants(&self) -> impl Iterator<Item = Result<NamedConstant<'a>, BytecodeError>> + use<'a> {
        let table = *self;
        let mut failed = false;
        (0..self.constants).map_while(move |index| {
            let constant = (!failed).then(|| table.constant(index))?;
            failed = constant.is_err();
            Some(constant)
        })
    }

    /// A member of a structure: its name and its type. `None` past the last one.
    pub fn member(&self, of: &ConstantShape, index: u16) -> Option<Result<(&'a str, ConstantShape), BytecodeError>> {
        (index < of.members).then(|| {
            let mut cursor = self.cursor(of.first_member.saturating_add(u32::from(index) * 8))?;
            let offset = cursor.offset();
            let [name, shape] = words(&mut cursor)?;
            Ok((self.text(name, u32::from(index), offset)?, self.shape(shape)?))
        })
    }

    fn constant(&self, index: u32) -> Result<NamedConstant<'a>, BytecodeError> {
        let mut cursor = self.cursor(self.first_constant.saturating_add(index.saturating_mul(20)))?;
        let offset = cursor.offset();
        let [name, set_and_first, count, shape, _default] = words(&mut cursor)?;
        let set = set_and_first & 0xffff;
        let Some(set) = RegisterSet::from_number(set) else {
            return Err(BytecodeError::BadConstant { table: TABLE, what: "set of registers", found: set, offset });
        };
        let (name, shape) = (self.text(name, index, offset)?, self.shape(shape)?);
        Ok(NamedConstant { name, set, first: (set_and_first >> 16) as u16, count: count as u16, shape })
    }

    fn shape(&self, at: u32) -> Result<ConstantShape, BytecodeError> {
        let mut cursor = self.cursor(at)?;
        let offset = cursor.offset();
        let [class, size, list, first_member] = words(&mut cursor)?;
        let unknown = |what, found| BytecodeError::BadConstant { table: TABLE, what, found, offset };
        Ok(ConstantShape {
            class: ConstantClass::from_number(class & 0xffff).ok_or(unknown("class", class & 0xffff))?,
            scalar: ConstantScalar::from_number(class >> 16).ok_or(unknown("type", class >> 16))?,
            rows: size as u16,
            columns: (size >> 16) as u16,
            elements: list as u16,
            members: (list >> 16) as u16,
            first_member,
        })
    }

    fn cursor(&self, at: u32) -> Result<Cursor<'a>, BytecodeError> {
        let mut cursor = Cursor::new(self.bytes, self.file_offset);
        cursor.take(at as usize).map_err(out_of_bytes)?;
        Ok(cursor)
    }

    /// The name of an element, or another text of the table; `offset` is that of the reference to it in the file.
    fn text(&self, at: u32, element: u32, offset: u64) -> Result<&'a str, BytecodeError> {
        name_at(self.bytes, at, NameReference { what: "name", element, offset })
    }
}

fn words<const N: usize>(cursor: &mut Cursor<'_>) -> Result<[u32; N], BytecodeError> {
    let mut words = [0; N];
    for word in &mut words {
        *word = cursor.u32_le().map_err(out_of_bytes)?;
    }
    Ok(words)
}

fn out_of_bytes(cause: trace_base::bytes::OutOfBytes) -> BytecodeError {
    BytecodeError::OutOfBytes { what: TABLE, cause }
}
