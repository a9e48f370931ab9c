//! Steps over values and checks everything about them that can be wrong. The hot loop of a counting pass.

use super::blob::parse_blob;
use super::types::parse_type;
use super::{BaseType, BlobPolicy, Error, Header, Tables, Type, Warning, Warnings};
use crate::limits::{MAX_WIP15_CHECKED_BYTES, MAX_WIP15_EMPTY_ELEMENTS, MAX_WIP15_VARIANT_DEPTH};
use trace_base::bytes::Cursor;

/// What was used up and noticed. One operation's is kept apart until the operation is whole: one that turns out to be
/// cut by the edge of the window is read again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CheckTotals {
    /// Whether anything was noted at all; most operations have nothing.
    pub is_used: bool,
    pub warnings: Warnings,
    pub empty_elements: u64,
    pub checked_bytes: u64,
    pub has_variant: bool,
    pub has_zstd: bool,
    pub blobs: BlobTotals,
}

impl CheckTotals {
    pub(crate) fn warn(&mut self, warning: Warning, offset: u64) {
        self.is_used = true;
        self.warnings.count(warning, offset);
    }

    /// Adds what another operation noted.
    #[cold]
    pub(crate) fn add(&mut self, other: &Self) {
        self.warnings.add(&other.warnings);
        self.empty_elements += other.empty_elements;
        self.checked_bytes += other.checked_bytes;
        self.has_variant |= other.has_variant;
        self.has_zstd |= other.has_zstd;
        self.blobs.raw_bytes += other.blobs.raw_bytes;
        self.blobs.stored_bytes += other.blobs.stored_bytes;
    }
}

/// Which layouts of the format to accept; all of them call themselves version 0.0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layouts {
    /// The given text and what later writers added.
    #[default]
    All,
    /// The given text only: no variants, no zstd.
    SeedOnly,
}

/// What was noted: by the operations so far, and by the current one.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub layouts: Layouts,
    pub kept: CheckTotals,
    pub now: CheckTotals,
    /// What blobs are unpacked into to be checked.
    pub scratch: Vec<u8>,
}

impl Notes {
    /// The current operation is over.
    #[inline]
    pub(crate) fn keep(&mut self) {
        if self.now.is_used {
            self.kept.add(&self.now);
            self.now = CheckTotals::default();
        }
    }

    /// The current operation will be read again.
    pub(crate) fn forget(&mut self) {
        self.now = CheckTotals::default();
    }
}

/// Sizes of all blobs read so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlobTotals {
    /// Decompressed, as declared.
    pub raw_bytes: u64,
    /// In the file.
    pub stored_bytes: u64,
}

/// What values are checked against.
pub(super) struct Checker<'t> {
    pub header: Header,
    pub tables: &'t Tables,
    pub blobs: BlobPolicy,
    pub notes: &'t mut Notes,
}

impl Checker<'_> {
    /// Steps over one value.
    #[inline]
    pub(crate) fn skip_value(&mut self, cursor: &mut Cursor<'_>, kind: Type) -> Result<(), Error> {
        use BaseType::*;
        match kind {
            Type { base: Ptr | UnsignedInt, has_group: false, is_array: false } => self.skip_number(cursor),
            Type { base: Int, has_group: false, is_array: false } => self.skip_int(cursor),
            Type::VOID => Ok(()),
            _ => self.skip_any(cursor, kind, 0),
        }
    }

    fn skip_any(&mut self, cursor: &mut Cursor<'_>, kind: Type, depth: u32) -> Result<(), Error> {
        if kind.base == BaseType::Variant {
            // The declared flags of a variant mean nothing: its value brings its own type.
            return self.skip_variant(cursor, depth);
        }
        if kind.is_array {
            self.skip_array(cursor, kind.base, depth)?;
        } else {
            self.skip_element(cursor, kind.base, depth)?;
        }
        if kind.has_group {
            self.skip_group(cursor)?;
        }
        Ok(())
    }

    fn skip_array(&mut self, cursor: &mut Cursor<'_>, base: BaseType, depth: u32) -> Result<(), Error> {
        let offset = cursor.offset();
        let count = cursor.u32_le()?;
        if base.is_empty() {
            self.notes.now.is_used = true;
            self.notes.now.empty_elements += u64::from(count);
            if self.notes.kept.empty_elements + self.notes.now.empty_elements > MAX_WIP15_EMPTY_ELEMENTS {
                return Err(Error::TooManyEmptyElements { found: count, offset });
            }
            return Ok(());
        }
        for _ in 0..count {
            self.skip_element(cursor, base, depth).map_err(|error| error.inside_array(count, offset))?;
        }
        Ok(())
    }

    fn skip_element(&mut self, cursor: &mut Cursor<'_>, base: BaseType, depth: u32) -> Result<(), Error> {
        match base {
            BaseType::Void | BaseType::FunctionPtr => Ok(()),
            BaseType::UnsignedInt | BaseType::Ptr => self.skip_number(cursor),
            BaseType::Int => self.skip_int(cursor),
            BaseType::Bool => {
                let offset = cursor.offset();
                if cursor.u8()? > 1 {
                    self.notes.now.warn(Warning::BoolNot01, offset);
                }
                Ok(())
            }
            BaseType::Float => Ok(cursor.take(4).map(drop)?),
            BaseType::Double => Ok(cursor.take(8).map(drop)?),
            BaseType::String => {
                let length = cursor.u32_le()?;
                Ok(cursor.take(length as usize).map(drop)?)
            }
            BaseType::Data => self.skip_blob(cursor),
            BaseType::Variant => self.skip_variant(cursor, depth),
        }
    }

    #[inline]
    fn skip_number(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        let offset = cursor.offset();
        if !cursor.skip_leb128()? {
            self.notes.now.warn(Warning::NoncanonicalLeb, offset);
        }
        Ok(())
    }

    #[inline]
    fn skip_int(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        // One byte 1 is minus zero; longer forms of it are not minimal anyway.
        let is_minus_zero = cursor.rest().first() == Some(&1);
        let offset = cursor.offset();
        if !cursor.skip_leb128()? || is_minus_zero {
            self.notes.now.warn(Warning::NoncanonicalLeb, offset);
        }
        Ok(())
    }

    fn skip_group(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        let offset = cursor.offset();
        let found = cursor.u32_le()?;
        let max = self.header.max_groups;
        if found >= max {
            return Err(Error::BadGroupIndex { max, found, offset });
        }
        if !self.tables.has_group(found) {
            self.notes.now.warn(Warning::UndeclaredGroup, offset);
        }
        Ok(())
    }

    fn skip_variant(&mut self, cursor: &mut Cursor<'_>, depth: u32) -> Result<(), Error> {
        let offset = cursor.offset();
        if depth >= MAX_WIP15_VARIANT_DEPTH {
            return Err(Error::VariantTooDeep { offset });
        }
        if self.notes.layouts == Layouts::SeedOnly {
            return Err(Error::NotSeedFormat { found: "a variant", offset });
        }
        if !self.notes.kept.has_variant {
            (self.notes.now.has_variant, self.notes.now.is_used) = (true, true);
        }
        let kind = parse_type(cursor, &mut self.notes.now)?;
        self.skip_any(cursor, kind, depth + 1)
    }

    /// Steps over a blob, unpacking it if every blob is to be checked.
    pub(crate) fn skip_blob(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        let blob = parse_blob(cursor)?;
        if blob.method == super::Compression::Zstd && self.notes.layouts == Layouts::SeedOnly {
            return Err(Error::NotSeedFormat { found: "a zstd stream", offset: blob.offset });
        }
        self.notes.now.is_used = true;
        self.notes.now.blobs.raw_bytes += u64::from(blob.size_bytes);
        self.notes.now.blobs.stored_bytes += blob.stored.len() as u64;
        self.notes.now.has_zstd |= blob.method == super::Compression::Zstd;
        if self.blobs == BlobPolicy::Check {
            self.notes.now.checked_bytes += u64::from(blob.size_bytes);
            if self.notes.kept.checked_bytes + self.notes.now.checked_bytes > MAX_WIP15_CHECKED_BYTES {
                return Err(Error::TooMuchData { offset: blob.offset });
            }
            if blob.check(&mut self.notes.scratch)? {
                self.notes.now.warn(Warning::DataTrailing, blob.offset);
            }
        }
        Ok(())
    }
}
