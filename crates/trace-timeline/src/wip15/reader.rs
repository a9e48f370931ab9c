//! One pass over a trace.

use super::check::{BlobTotals, CheckTotals, Checker, Layouts, Notes};
use super::header::{HEADER_BYTES, parse_header};
use super::types::{LAST_GROUP_TYPE, parse_type};
use super::value::decode_value;
use super::{
    BaseType, Call, CallIndex, Error, Function, FunctionId, Group, Header, Inside, Op, Tables, Type, Value, Warning,
    Warnings,
};
use crate::limits::MAX_WIP15_OP_BYTES;
use trace_base::bytes::{ByteSource, Cursor, OutOfBytes, Window, read_vec_at};
use trace_base::error::Classified;

/// What to do with blobs on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobPolicy {
    /// Step over them; a damaged one is found when somebody unpacks it.
    Skip,
    /// Unpack every one and stop at the first that is damaged.
    Check,
}

/// Reads operations front to back. Its memory is a window of the file and the declarations.
///
/// After an error the trace is over: [`Reader::next_op`] gives `None` from then on, and everything it gave before
/// stands.
pub struct Reader<'s> {
    window: Window<'s>,
    header: Header,
    tables: Tables,
    notes: Notes,
    blobs: BlobPolicy,
    next_offset: u64,
    op_offset: u64,
    calls: u64,
    has_ended: bool,
}

/// What an operation turned out to be; the borrowed form is made from it.
#[derive(Clone, Copy)]
enum Shape {
    Function(FunctionId),
    Group { kind: u8, index: u32, name_offset: u64, name_bytes: u32 },
    Call(SteppedCall),
}

/// A call that was stepped over.
#[derive(Clone, Copy)]
pub(super) struct SteppedCall {
    pub id: FunctionId,
    /// Absolute file offset of the number of extras.
    pub extras_offset: u64,
}

/// Opcode of a call.
pub(super) const CALL: u8 = 2;

/// Bytes of a call before its values: opcode and function index.
pub(super) const CALL_HEAD_BYTES: u64 = 5;

impl<'s> Reader<'s> {
    /// Reads the header.
    pub fn open(source: &'s dyn ByteSource, blobs: BlobPolicy) -> Result<Self, Error> {
        let size_bytes = source.size_bytes();
        let start = read_vec_at(source, 0, HEADER_BYTES.min(usize::try_from(size_bytes).unwrap_or(HEADER_BYTES)))?;
        let header = parse_header(&start, size_bytes)?;
        Ok(Self {
            window: Window::new(source),
            header,
            tables: Tables::default(),
            notes: Notes::default(),
            blobs,
            next_offset: HEADER_BYTES as u64,
            op_offset: HEADER_BYTES as u64,
            calls: 0,
            has_ended: false,
        })
    }

    /// Accepts only `layouts`.
    pub fn with_layouts(mut self, layouts: Layouts) -> Self {
        self.notes.layouts = layouts;
        self
    }

    /// The header.
    pub fn header(&self) -> Header {
        self.header
    }

    /// Everything declared so far.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Everything declared, for decoding single calls later.
    pub fn into_tables(self) -> Tables {
        self.tables
    }

    /// Warnings so far.
    pub fn warnings(&self) -> &Warnings {
        &self.notes.kept.warnings
    }

    /// Whether a variant was seen: the writer is of 2017-06-17 or later.
    pub fn has_variant(&self) -> bool {
        self.notes.kept.has_variant
    }

    /// Whether a zstd blob was seen: the writer is of 2017-09-06 or later.
    pub fn has_zstd(&self) -> bool {
        self.notes.kept.has_zstd
    }

    /// Sizes of all blobs read so far.
    pub fn blob_totals(&self) -> BlobTotals {
        self.notes.kept.blobs
    }

    /// Number of calls read so far.
    pub fn call_count(&self) -> u64 {
        self.calls
    }

    /// Absolute file offset of the operation read last, also of one that failed.
    pub fn op_offset(&self) -> u64 {
        self.op_offset
    }

    /// The next operation; `None` after the last one or after an error.
    pub fn next_op(&mut self) -> Option<Result<Op<'_>, Error>> {
        match self.advance() {
            Ok(Some(shape)) => Some(self.op(shape)),
            Ok(None) => None,
            Err(error) => {
                self.has_ended = true;
                Some(Err(error))
            }
        }
    }

    /// Like [`Reader::next_op`] for callers that only count: steps over operations and says which function was called.
    pub fn next_call(&mut self) -> Option<Result<FunctionId, Error>> {
        loop {
            match self.advance() {
                Ok(Some(Shape::Call(call))) => return Some(Ok(call.id)),
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) => {
                    self.has_ended = true;
                    return Some(Err(error));
                }
            }
        }
    }

    /// Types of the arguments and the result of the call in which `error` was met, up to the one where it lies, with
    /// the values that are whole.
    pub fn values_before(&self, error: &Error, mut each: impl FnMut(Type, Option<&Value<'_>>)) {
        let mut cursor = self.window.cursor(self.op_offset);
        let (Ok(CALL), Ok(index)) = (cursor.u8(), cursor.u32_le()) else { return };
        let function = self.tables.latest(index).and_then(|id| self.tables.function(id));
        for &kind in function.iter().flat_map(|function| function.arguments.iter().chain([&function.result])) {
            match decode_value(&mut cursor, kind, self.header.endian) {
                Ok(value) if Some(cursor.offset()) <= error.offset() => each(kind, Some(&value)),
                _ => return each(kind, None),
            }
        }
    }

    /// Steps over one operation, showing more of the file as needed.
    #[inline]
    fn advance(&mut self) -> Result<Option<Shape>, Error> {
        if self.has_ended {
            return Ok(None);
        }
        self.op_offset = self.next_offset;
        if self.op_offset >= self.window.size_bytes() {
            self.has_ended = true;
            return Ok(None);
        }
        loop {
            let mut cursor = self.window.cursor(self.op_offset);
            match step_over(&mut cursor, self.header, &mut self.tables, self.blobs, &mut self.notes) {
                Ok(shape) => {
                    self.notes.keep();
                    self.next_offset = cursor.offset();
                    self.calls += u64::from(matches!(shape, Shape::Call(_)));
                    return Ok(Some(shape));
                }
                Err(Error::Truncated { missing, inside }) if !self.window.reaches_end() => {
                    self.notes.forget();
                    self.show_more(missing, inside)?;
                }
                Err(error) => {
                    self.notes.keep();
                    return Err(error);
                }
            }
        }
    }

    /// Shows more of the file, unless it has not what is missing.
    fn show_more(&mut self, missing: OutOfBytes, inside: Inside) -> Result<(), Error> {
        let left = self.window.size_bytes().saturating_sub(missing.offset);
        if missing.wanted > left {
            return Err(Error::Truncated { missing: OutOfBytes { left, ..missing }, inside });
        }
        if self.window.cursor(self.op_offset).left() as u64 >= MAX_WIP15_OP_BYTES {
            return Err(Error::OpTooLong { offset: self.op_offset });
        }
        Ok(self.window.extend(self.op_offset)?)
    }

    fn op(&self, shape: Shape) -> Result<Op<'_>, Error> {
        let offset = self.op_offset;
        let missing = Error::UndeclaredFunction { found: 0, offset };
        Ok(match shape {
            Shape::Function(id) => Op::Function(self.tables.function(id).ok_or(missing)?),
            Shape::Group { kind, index, name_offset, name_bytes } => {
                let name = self.window.cursor(name_offset).take(name_bytes as usize)?;
                Op::Group(Group { offset, kind, index, name })
            }
            Shape::Call(SteppedCall { id, extras_offset }) => {
                let begin = offset + CALL_HEAD_BYTES;
                let body = self.window.cursor(begin).take((self.next_offset - begin) as usize)?;
                Op::Call(Call {
                    offset,
                    index: CallIndex(self.calls - 1),
                    id,
                    function: self.tables.function(id).ok_or(missing)?,
                    tables: &self.tables,
                    endian: self.header.endian,
                    body: Cursor::new(body, begin),
                    extras: self.window.cursor(extras_offset),
                })
            }
        })
    }
}

#[inline]
fn step_over(
    cursor: &mut Cursor<'_>,
    header: Header,
    tables: &mut Tables,
    blobs: BlobPolicy,
    notes: &mut Notes,
) -> Result<Shape, Error> {
    let offset = cursor.offset();
    match cursor.u8()? {
        CALL => {
            let tables = &*tables;
            let mut checker = Checker { header, tables, blobs, notes };
            step_over_call(cursor, &mut checker, |index| tables.latest(index)).map(Shape::Call)
        }
        0 => {
            let (id, has_variant) = declare_function(cursor, header, tables, &mut notes.now)?;
            if has_variant && notes.layouts == Layouts::SeedOnly {
                return Err(Error::NotSeedFormat { found: "a variant", offset });
            }
            Ok(Shape::Function(id))
        }
        1 => declare_group(cursor, header, tables, &mut notes.now),
        found => Err(Error::BadOpcode { found, offset }),
    }
}

/// Steps over a call from its function index on; `resolve` tells which declaration an index means.
#[inline]
pub(super) fn step_over_call(
    cursor: &mut Cursor<'_>,
    checker: &mut Checker<'_>,
    resolve: impl Fn(u32) -> Option<FunctionId>,
) -> Result<SteppedCall, Error> {
    let tables = checker.tables;
    let (found, offset) = parse_function_index(cursor, checker.header)?;
    let undeclared = Error::UndeclaredFunction { found, offset };
    let Some((id, function)) = resolve(found).and_then(|id| Some((id, tables.function(id)?))) else {
        return Err(undeclared);
    };
    for &kind in &function.arguments {
        checker.skip_value(cursor, kind)?;
    }
    checker.skip_value(cursor, function.result)?;
    let extras_offset = cursor.offset();
    for _ in 0..cursor.u32_le()? {
        let length = cursor.u32_le()?;
        cursor.take(length as usize)?;
        checker.skip_blob(cursor)?;
    }
    Ok(SteppedCall { id, extras_offset })
}

fn parse_function_index(cursor: &mut Cursor<'_>, header: Header) -> Result<(u32, u64), Error> {
    let offset = cursor.offset();
    let found = cursor.u32_le()?;
    let max = header.max_functions;
    if found >= max { Err(Error::BadFunctionIndex { max, found, offset }) } else { Ok((found, offset)) }
}

fn declare_function(
    cursor: &mut Cursor<'_>,
    header: Header,
    tables: &mut Tables,
    totals: &mut CheckTotals,
) -> Result<(FunctionId, bool), Error> {
    let offset = cursor.offset() - 1;
    let (index, _) = parse_function_index(cursor, header)?;
    let name_bytes = cursor.u32_le()?;
    let name = cursor.take(name_bytes as usize)?;
    let result = parse_type(cursor, totals)?;
    let count = cursor.u32_le()?;
    let mut arguments = Vec::new();
    for _ in 0..count {
        arguments.push(parse_type(cursor, totals)?);
    }
    let has_variant = arguments.iter().chain([&result]).any(|kind| kind.base == BaseType::Variant);
    let is_zero = index == 0 && name.is_empty() && result == Type::VOID && arguments.is_empty();
    let (id, is_redeclared) = tables.declare_function(Function::new(index, name, result, arguments, offset))?;
    if is_zero {
        totals.warn(Warning::ZeroOps, offset);
    } else if is_redeclared {
        totals.warn(Warning::RedeclaredFunc, offset);
    }
    Ok((id, has_variant))
}

fn declare_group(
    cursor: &mut Cursor<'_>,
    header: Header,
    tables: &mut Tables,
    totals: &mut CheckTotals,
) -> Result<Shape, Error> {
    let op_offset = cursor.offset() - 1;
    let kind = cursor.u8()?;
    let index_offset = cursor.offset();
    let index = cursor.u32_le()?;
    let max = header.max_groups;
    if index >= max {
        return Err(Error::BadGroupIndex { max, found: index, offset: index_offset });
    }
    let name_bytes = cursor.u32_le()?;
    let name_offset = cursor.offset();
    let name = cursor.take(name_bytes as usize)?;
    if kind > LAST_GROUP_TYPE {
        totals.warn(Warning::BadGroupType, op_offset + 1);
    }
    if tables.declare_group(index, name, op_offset)? {
        totals.warn(Warning::RedeclaredGroup, op_offset);
    }
    Ok(Shape::Group { kind, index, name_offset, name_bytes })
}
