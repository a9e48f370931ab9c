//! Runs of Packet records that are in memory already.
//!
//! The known recorder writes one command per record, so a frame of thousands of draws is thousands of records of thirty
//! bytes each, and what is done once per record counts. Most of them follow one another in the reader's window and have
//! nothing odd about their headers: those take one comparison of their type, flags and reserved bits together, and one
//! of their length.

/// Type 3 (Packet), no flags, nothing in the reserved bits: the first half of a record's header.
const PLAIN_PACKET: u32 = 3;

/// Packet records that follow one another, whole and with nothing odd about their headers.
///
/// Yields each record's absolute file offset and its payload. Ends before the first record that is anything else;
/// [`super::RecordReader::next_record`] tells what that is.
#[derive(Clone, Debug)]
pub struct PacketRun<'a> {
    rest: &'a [u8],
    offset: u64,
}

impl<'a> PacketRun<'a> {
    /// The run at the start of `bytes`, which begin with a record at the absolute file offset `offset`.
    #[inline]
    pub(super) fn new(bytes: &'a [u8], offset: u64) -> Self {
        Self { rest: bytes, offset }
    }

    /// Length of a record's payload by its header, if it is one that a run takes.
    pub(super) fn payload_bytes(header: &[u8]) -> Option<u64> {
        let header = u64::from_le_bytes(*header.first_chunk()?);
        (header as u32 == PLAIN_PACKET).then_some(header >> 32)
    }

    /// Absolute file offset of the first record not yielded.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl<'a> Iterator for PacketRun<'a> {
    type Item = (u64, &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (header, rest) = self.rest.split_first_chunk::<8>()?;
        let header = u64::from_le_bytes(*header);
        if header as u32 != PLAIN_PACKET {
            return None;
        }
        let (payload, rest) = rest.split_at_checked((header >> 32) as usize)?;
        let offset = self.offset;
        self.offset = offset + header.to_le_bytes().len() as u64 + payload.len() as u64;
        self.rest = rest;
        Some((offset, payload))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_before_what_is_no_whole_plain_packet() {
        let packets = [3, 0, 0, 0, 4, 0, 0, 0, 10, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0];
        let yields = |more: &[u8]| {
            let bytes = [&packets[..], more].concat();
            let mut run = PacketRun::new(&bytes, 0x100);
            assert_eq!(run.next(), Some((0x100, &packets[8..12])));
            assert_eq!(run.next(), Some((0x10c, &[][..])));
            assert_eq!(run.next(), None);
            run.offset()
        };
        let other_type = [2, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0];
        let flag = [3, 1, 0, 0, 0, 0, 0, 0];
        let reserved = [3, 0, 1, 0, 0, 0, 0, 0];
        let cut = [3, 0, 0, 0, 5, 0, 0, 0, 1, 2, 3, 4];
        for more in [&other_type[..], &flag, &reserved, &cut, &cut[..7], &[]] {
            assert_eq!(yields(more), 0x114, "{more:?}");
        }
    }
}
