//! How values are spelt.

use std::fmt::{self, Display, Formatter};

use sha2::{Digest, Sha256};

/// Bytes that HEX shows of a longer value.
const SHOWN_BYTES: usize = 256;
/// Bytes of a digest that are shown.
pub(super) const SHOWN_DIGEST_BYTES: usize = 8;

/// Length and digest of bytes: `LENGTH:HASH`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Data {
    pub size_bytes: u64,
    pub digest: [u8; SHOWN_DIGEST_BYTES],
}

impl Data {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self::of_hash(bytes.len() as u64, Sha256::new_with_prefix(bytes))
    }

    pub(crate) fn of_hash(size_bytes: u64, hash: Sha256) -> Self {
        let mut digest = [0; SHOWN_DIGEST_BYTES];
        digest.iter_mut().zip(hash.finalize()).for_each(|(to, byte)| *to = byte);
        Self { size_bytes, digest }
    }
}

impl Display for Data {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.size_bytes, PlainHex(&self.digest))
    }
}

/// Bytes in base 16.
pub(super) struct PlainHex<'a>(pub &'a [u8]);

impl Display for PlainHex<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Bytes in base 16, of many only the first, with length and digest of all.
pub(super) struct Hex<'a>(pub &'a [u8]);

impl Display for Hex<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0.split_at_checked(SHOWN_BYTES) {
            Some((shown, rest)) if !rest.is_empty() => write!(f, "{}..{}", PlainHex(shown), Data::of(self.0)),
            _ => PlainHex(self.0).fmt(f),
        }
    }
}

/// Text in ASCII: what can't be printed, quotes and backslashes are written as `\xHH`.
pub(super) struct Escaped<'a>(pub &'a [u8]);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| match byte {
            b'"' | b'\\' => write!(f, "\\x{byte:02x}"),
            b' '..=b'~' => write!(f, "{}", *byte as char),
            _ => write!(f, "\\x{byte:02x}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_spelt_as_the_text_has_them() {
        assert_eq!(Data::of(&[]).to_string(), "0:e3b0c44298fc1c14");
        assert_eq!(Escaped(b"a \"b\\\x07\x7f").to_string(), r"a \x22b\x5c\x07\x7f");
        let long = vec![0xab; 257];
        assert_eq!(Hex(&long[..256]).to_string(), "ab".repeat(256));
        assert_eq!(Hex(&long).to_string(), format!("{}..{}", "ab".repeat(256), Data::of(&long)));
    }
}
