//! The base64 of the buffers in `.wtf-json` files: the standard alphabet, padded.

/// Appends the decoded bytes, or gives the first byte that can't be.
pub(super) fn decode_base64(text: &[u8], into: &mut Vec<u8>) -> Result<(), u8> {
    let padding = text.iter().rev().take_while(|&&byte| byte == b'=').count();
    let digits = text.get(..text.len() - padding).unwrap_or_default();
    if padding > 2 || !text.len().is_multiple_of(4) {
        return Err(text.last().copied().unwrap_or_default());
    }
    into.reserve(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits = 0;
        for &byte in group {
            bits = bits << 6 | digit(byte).ok_or(byte)?;
        }
        // A group of n digits holds n - 1 bytes.
        bits <<= 6 * (4 - group.len());
        let [_, bytes @ ..] = u32::to_be_bytes(bits);
        into.extend(bytes.iter().take(group.len() - 1));
    }
    Ok(())
}

fn digit(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(text: &str) -> Result<Vec<u8>, u8> {
        let mut bytes = Vec::new();
        decode_base64(text.as_bytes(), &mut bytes).map(|()| bytes)
    }

    #[test]
    fn groups_and_padding() {
        assert_eq!(decode("").unwrap(), b"");
        assert_eq!(decode("aGVsbG8=").unwrap(), b"hello");
        assert_eq!(decode("aGVsbA==").unwrap(), b"hell");
        assert_eq!(decode("+/+/").unwrap(), [0xfb, 0xff, 0xbf]);
        assert_eq!(decode("aGV-"), Err(b'-'));
        assert_eq!(decode("aGVsb"), Err(b'b'));
        assert_eq!(decode("a==="), Err(b'='));
    }
}
