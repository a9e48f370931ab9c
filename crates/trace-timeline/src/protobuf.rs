//! The protobuf wire format, as much as a writer of Perfetto traces needs.

/// A message under construction.
#[derive(Clone, Debug, Default)]
pub(super) struct Message {
    bytes: Vec<u8>,
}

const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const LENGTH: u32 = 2;

impl Message {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn key(&mut self, field: u32, wire: u32) {
        self.varint(u64::from(field << 3 | wire));
    }

    pub(crate) fn uint(&mut self, field: u32, number: u64) {
        self.key(field, VARINT);
        self.varint(number);
    }

    /// An `int64` or `int32`.
    pub(crate) fn int(&mut self, field: u32, number: i64) {
        self.uint(field, number as u64);
    }

    pub(crate) fn boolean(&mut self, field: u32, is_true: bool) {
        self.uint(field, is_true.into());
    }

    pub(crate) fn fixed64(&mut self, field: u32, number: u64) {
        self.key(field, FIXED64);
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    pub(crate) fn double(&mut self, field: u32, number: f64) {
        self.fixed64(field, number.to_bits());
    }

    pub(crate) fn slice(&mut self, field: u32, bytes: &[u8]) {
        self.key(field, LENGTH);
        self.varint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    /// A `string`, which has to be UTF-8.
    pub(crate) fn string(&mut self, field: u32, bytes: &[u8]) {
        self.slice(field, String::from_utf8_lossy(bytes).as_bytes());
    }

    /// A message inside the message.
    pub(crate) fn message(&mut self, field: u32, fill: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        fill(&mut inner);
        self.slice(field, &inner.bytes);
    }
}
