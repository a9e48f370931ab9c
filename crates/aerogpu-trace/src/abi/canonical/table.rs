//! Allocation tables, a line for the header and one for each entry.

use foldhash::{HashSet, HashSetExt};

use super::submission::{ALLOC_FLAGS, wrong_allocation};
use super::value::Data;
use super::writer::{CanonicalError, CanonicalWriter};
use crate::abi::a3a0::{AllocTable, Class, TABLE_ENTRY_BYTES, TableEntry, TableHeader};

impl CanonicalWriter<'_, '_> {
    /// A table whose blob lies at the absolute file offset `offset`.
    pub(crate) fn table(&mut self, blob: &[u8], offset: u64) -> Result<(), CanonicalError> {
        match TableHeader::read(blob) {
            None => writeln!(self.out, "table @{offset:#x} data={}", Data::of(blob))?,
            Some(TableHeader { magic, abi_version, size_bytes, entry_count, entry_stride, reserved }) => writeln!(
                self.out,
                "table @{offset:#x} magic={magic:#010x} abi={abi_version:#x} size_bytes={size_bytes} \
                 entry_count={entry_count} entry_stride={entry_stride} reserved={reserved:#x}"
            )?,
        }
        let table = match AllocTable::parse(blob, offset) {
            Ok(table) => table,
            Err(error) => {
                self.found.push(error);
                return self.end_line();
            }
        };
        self.check_table(&table);
        self.end_line()?;
        let mut ids = HashSet::new();
        for (at, entry, _) in table.entries() {
            self.entry(at, &entry, &mut ids)?;
        }
        Ok(())
    }

    fn check_table(&mut self, table: &AllocTable<'_>) {
        let (subject, offset) = ("the allocation table", table.offset);
        if table.header.reserved != 0 {
            self.note(Class::Reserved, offset + 20, subject, "reserved", u64::from(table.header.reserved));
        }
        let minor = table.header.abi_version & 0xffff;
        if minor > crate::abi::a3a0::ABI_VERSION & 0xffff {
            self.note(Class::AbiMinor, offset + 4, subject, "ABI minor", u64::from(minor));
        }
        let behind = (table.slack.len() + table.tail.len()) as u64;
        if behind > 0 {
            self.note(Class::Tail, offset + table.known_bytes(), subject, "a tail, in bytes, of", behind);
        }
    }

    fn entry(&mut self, at: u64, entry: &TableEntry, ids: &mut HashSet<u32>) -> Result<(), CanonicalError> {
        let TableEntry { alloc_id, flags, gpa, size_bytes, reserved } = *entry;
        writeln!(
            self.out,
            "entry @{at:#x} alloc_id={alloc_id} flags={flags:#x} gpa={gpa:#x} size_bytes={size_bytes} \
             reserved={reserved:#x}"
        )?;
        for (class, offset) in wrong_allocation(alloc_id, gpa, size_bytes, ids) {
            self.error(class, at + offset);
        }
        if flags & !ALLOC_FLAGS != 0 {
            self.note(Class::UnknownBits, at + 4, "the allocation", "flags", u64::from(flags));
        }
        if reserved != 0 {
            self.note(Class::Reserved, at + u64::from(TABLE_ENTRY_BYTES) - 8, "the allocation", "reserved", reserved);
        }
        self.end_line()
    }
}
