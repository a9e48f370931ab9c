//! Single calls by file offset, for details that somebody asks for after the pass.

use super::check::{Checker, Notes};
use super::reader::{CALL, CALL_HEAD_BYTES, SteppedCall, step_over_call};
use super::{BlobPolicy, Call, CallIndex, Error, Header, Tables};
use trace_base::bytes::{ByteSource, Cursor, Window};

/// Reads single calls of a trace that a [`super::Reader`] has passed over. Calls near each other share a window.
pub struct CallReader<'s, 't> {
    window: Window<'s>,
    header: Header,
    tables: &'t Tables,
}

impl<'s, 't> CallReader<'s, 't> {
    /// `header` and `tables` are those of the pass.
    pub fn new(source: &'s dyn ByteSource, header: Header, tables: &'t Tables) -> Self {
        Self { window: Window::new(source), header, tables }
    }

    /// The call whose operation begins at the absolute file offset `offset`; its number is not known (0).
    pub fn call_at(&mut self, offset: u64) -> Result<Call<'_>, Error> {
        let (SteppedCall { id, extras_offset }, end) = self.measure(offset)?;
        let begin = offset + CALL_HEAD_BYTES;
        let body = self.window.cursor(begin).take((end.saturating_sub(begin)) as usize)?;
        let function = self.tables.function(id).ok_or(Error::UndeclaredFunction { found: 0, offset })?;
        Ok(Call {
            offset,
            index: CallIndex(0),
            id,
            function,
            tables: self.tables,
            endian: self.header.endian,
            body: Cursor::new(body, begin),
            extras: self.window.cursor(extras_offset),
        })
    }

    /// Which declaration the call means, and the absolute file offset of its end.
    fn measure(&mut self, offset: u64) -> Result<(SteppedCall, u64), Error> {
        let (header, tables) = (self.header, self.tables);
        loop {
            let mut cursor = self.window.cursor(offset);
            let mut notes = Notes::default();
            let mut checker = Checker { header, tables, blobs: BlobPolicy::Skip, notes: &mut notes };
            let resolve = |index| tables.in_force_at(index, offset);
            let result = match cursor.u8() {
                Ok(CALL) => step_over_call(&mut cursor, &mut checker, resolve),
                Ok(found) => Err(Error::BadOpcode { found, offset }),
                Err(missing) => Err(missing.into()),
            };
            match result {
                Ok(call) => return Ok((call, cursor.offset())),
                Err(Error::Truncated { .. }) if !self.window.reaches_end() || self.window.cursor(offset).is_empty() => {
                    if offset >= self.window.size_bytes() {
                        return result.map(|call| (call, offset));
                    }
                    self.window.extend(offset)?;
                }
                Err(error) => return Err(error),
            }
        }
    }
}
