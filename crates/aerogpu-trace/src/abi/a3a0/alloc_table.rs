//! Allocation tables: where a submission's allocations lie in guest memory.

use super::diagnostic::{Class, Diagnostic, Severity};
use super::error::EncodeError;
use super::wire::{read_dwords, write_dwords};
use foldhash::HashSet;

use crate::command::Allocation;
use trace_base::bytes::Cursor;

/// "ALOC", the first dword of a table.
pub const TABLE_MAGIC: u32 = 0x434f_4c41;
/// Length of a table's header in bytes.
pub const TABLE_HEADER_BYTES: u32 = 24;
/// Length of an entry's known part in bytes.
pub const TABLE_ENTRY_BYTES: u32 = 32;

/// A table's header.
///
/// | offset | field | |
/// |---|---|---|
/// | 0 | magic | "ALOC" |
/// | 4 | abi_version | major in the upper half, minor in the lower |
/// | 8 | size_bytes | of the table, this header included |
/// | 12 | entry_count | |
/// | 16 | entry_stride | distance from one entry to the next, at least 32 |
/// | 20 | reserved | 0 |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableHeader {
    /// The first dword.
    pub magic: u32,
    /// Major version in the upper half, minor in the lower.
    pub abi_version: u32,
    /// Length of the table in bytes, header included.
    pub size_bytes: u32,
    /// How many entries there are.
    pub entry_count: u32,
    /// Distance from one entry to the next in bytes.
    pub entry_stride: u32,
    /// Reserved, 0.
    pub reserved: u32,
}

/// One allocation of a submission.
///
/// | offset | field |
/// |---|---|
/// | 0 | alloc_id u32 |
/// | 4 | flags u32 |
/// | 8 | gpa u64 |
/// | 16 | size_bytes u64 |
/// | 24 | reserved u64 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableEntry {
    /// The allocation, by which packets name it.
    pub alloc_id: u32,
    /// Bit 0: READONLY.
    pub flags: u32,
    /// Guest physical address of its first byte in this submission.
    pub gpa: u64,
    /// Its length in bytes.
    pub size_bytes: u64,
    /// Reserved, 0.
    pub reserved: u64,
}

impl TableHeader {
    /// Reads the header, right or wrong; nothing if there are fewer than 24 bytes.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let [magic, abi_version, size_bytes, entry_count, entry_stride, reserved] = read_dwords(bytes)?;
        Some(Self { magic, abi_version, size_bytes, entry_count, entry_stride, reserved })
    }

    /// Judges the header of a table that has `available` bytes at the absolute file offset `offset`.
    pub fn check(&self, available: u64, offset: u64) -> Result<(), Diagnostic> {
        let wrong = |class, at: u64, part, found: u32| {
            let (severity, found) = (Severity::Error, u64::from(found));
            Err(Diagnostic { severity, class, offset: offset + at, subject: "the allocation table", part, found })
        };
        let size_bytes = u64::from(self.size_bytes);
        if self.magic != TABLE_MAGIC {
            return wrong(Class::TableMagic, 0, "magic", self.magic);
        }
        if self.abi_version >> 16 != 1 {
            return wrong(Class::TableAbi, 4, "abi_version", self.abi_version);
        }
        if size_bytes < u64::from(TABLE_HEADER_BYTES) || size_bytes > available {
            return wrong(Class::TableSize, 8, "size_bytes", self.size_bytes);
        }
        if self.entry_stride < TABLE_ENTRY_BYTES {
            return wrong(Class::TableStride, 16, "entry_stride", self.entry_stride);
        }
        // Neither product nor difference can overflow.
        let entries_bytes = u64::from(self.entry_count) * u64::from(self.entry_stride);
        if entries_bytes > size_bytes - u64::from(TABLE_HEADER_BYTES) {
            return wrong(Class::TableEntries, 12, "entry_count", self.entry_count);
        }
        Ok(())
    }
}

impl TableEntry {
    /// Its members in the order of the file.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(bytes, 0);
        Some(Self {
            alloc_id: cursor.u32_le().ok()?,
            flags: cursor.u32_le().ok()?,
            gpa: cursor.u64_le().ok()?,
            size_bytes: cursor.u64_le().ok()?,
            reserved: cursor.u64_le().ok()?,
        })
    }

    /// Writes it as it is read.
    pub fn write(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.alloc_id.to_le_bytes());
        into.extend_from_slice(&self.flags.to_le_bytes());
        [self.gpa, self.size_bytes, self.reserved].iter().for_each(|word| into.extend_from_slice(&word.to_le_bytes()));
    }
}

/// A table whose header is in order.
#[derive(Clone, Copy, Debug)]
pub struct AllocTable<'a> {
    /// The header.
    pub header: TableHeader,
    /// Absolute file offset of the header.
    pub offset: u64,
    entries: &'a [u8],
    /// What lies behind the entries, to the end of the table. Normally nothing.
    pub slack: &'a [u8],
    /// What lies behind the table, to the end of its blob. Normally nothing.
    pub tail: &'a [u8],
}

impl<'a> AllocTable<'a> {
    /// Reads the header of a table at the absolute file offset `offset`; `bytes` are all there are of its blob.
    pub fn parse(bytes: &'a [u8], offset: u64) -> Result<Self, Diagnostic> {
        let found = bytes.len() as u64;
        let (severity, class, subject) = (Severity::Error, Class::TableShort, "the allocation table");
        let short = Diagnostic { severity, class, offset, subject, part: "a length in bytes of", found };
        let header = TableHeader::read(bytes).ok_or(short)?;
        header.check(found, offset)?;
        let (table, tail) = bytes.split_at_checked(header.size_bytes as usize).ok_or(short)?;
        let entries = table.get(TABLE_HEADER_BYTES as usize..).ok_or(short)?;
        let entries_bytes = header.entry_count as usize * header.entry_stride as usize;
        let (entries, slack) = entries.split_at_checked(entries_bytes).ok_or(short)?;
        Ok(Self { header, offset, entries, slack, tail })
    }

    /// The entries, each with its absolute file offset and what follows its known part up to the next.
    pub fn entries(&self) -> impl Iterator<Item = (u64, TableEntry, &'a [u8])> + use<'a> {
        let stride = self.header.entry_stride as usize;
        let start = self.offset + u64::from(TABLE_HEADER_BYTES);
        // The stride of a table that was parsed is at least an entry's length.
        self.entries.chunks_exact(stride.max(1)).zip((start..).step_by(stride.max(1))).filter_map(|(bytes, offset)| {
            Some((offset, TableEntry::parse(bytes)?, bytes.get(TABLE_ENTRY_BYTES as usize..)?))
        })
    }

    /// Length of the table in bytes that header and entries take.
    pub fn known_bytes(&self) -> u64 {
        u64::from(TABLE_HEADER_BYTES) + self.entries.len() as u64
    }
}

/// The allocations of the table whose blob is `bytes`, at the absolute file offset `offset`. Whatever is wrong with one of
/// them is wrong with the table.
pub fn allocations(bytes: &[u8], offset: u64) -> Result<Vec<Allocation>, Diagnostic> {
    let table = AllocTable::parse(bytes, offset)?;
    let mut ids = HashSet::default();
    let mut allocations = Vec::new();
    for (offset, TableEntry { alloc_id, flags, gpa, size_bytes, .. }, _) in table.entries() {
        let wrong = |class, part, found| {
            let (severity, subject) = (Severity::Error, "the allocation table");
            Err(Diagnostic { severity, class, offset, subject, part, found })
        };
        if alloc_id == 0 || size_bytes == 0 {
            return wrong(Class::Zero, "an entry whose id or size is", 0);
        }
        if gpa.checked_add(size_bytes).is_none() {
            return wrong(Class::AddressWraps, "an entry past the end of the address space, at", gpa);
        }
        if !ids.insert(alloc_id) {
            return wrong(Class::Duplicate, "a second entry for allocation", u64::from(alloc_id));
        }
        allocations.push(Allocation { id: alloc_id, is_read_only: flags & READ_ONLY != 0, gpa, size_bytes });
    }
    Ok(allocations)
}

/// Bit 0 of an allocation's flags.
const READ_ONLY: u32 = 1;

/// Writes a table entry by entry.
#[derive(Clone, Debug)]
pub struct TableWriter {
    header: TableHeader,
    entries: Vec<u8>,
}

impl TableWriter {
    /// A table of this ABI version without entries.
    pub fn new(abi_version: u32) -> Self {
        let header = TableHeader {
            magic: TABLE_MAGIC,
            abi_version,
            size_bytes: TABLE_HEADER_BYTES,
            entry_count: 0,
            entry_stride: TABLE_ENTRY_BYTES,
            reserved: 0,
        };
        Self { header, entries: Vec::new() }
    }

    /// A table with this header, but for its length and its number of entries.
    pub fn with_header(header: &TableHeader) -> Self {
        Self { header: TableHeader { entry_count: 0, ..*header }, entries: Vec::new() }
    }

    /// Writes an entry, with what follows its known part up to the next: nothing, unless the table's stride says so.
    pub fn entry(&mut self, entry: &TableEntry, tail: &[u8]) -> Result<(), EncodeError> {
        let (found, expected) =
            (tail.len() as u64, u64::from(self.header.entry_stride.saturating_sub(TABLE_ENTRY_BYTES)));
        if found != expected {
            return Err(EncodeError::Count {
                packet: "the allocation table",
                field: "entry_stride",
                found: expected,
                expected: found,
            });
        }
        entry.write(&mut self.entries);
        self.entries.extend_from_slice(tail);
        self.header.entry_count += 1;
        Ok(())
    }

    /// The table, with `slack` behind the entries, normally none.
    pub fn finish(mut self, slack: &[u8]) -> Result<Vec<u8>, EncodeError> {
        let found = u64::from(TABLE_HEADER_BYTES) + (self.entries.len() + slack.len()) as u64;
        let what = "the allocation table";
        self.header.size_bytes = u32::try_from(found).map_err(|_| EncodeError::TooLong { what, found })?;
        let TableHeader { magic, abi_version, size_bytes, entry_count, entry_stride, reserved } = self.header;
        let mut bytes = Vec::new();
        write_dwords(&[magic, abi_version, size_bytes, entry_count, entry_stride, reserved], &mut bytes);
        bytes.extend_from_slice(&self.entries);
        bytes.extend_from_slice(slack);
        Ok(bytes)
    }
}
