//! Bytes as text, as data in pages, hashes in policies and pictures in messages want them.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding.
pub fn encode_base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = DIGITS.get((group >> (18 - 6 * place)) as usize & 63).copied().unwrap_or(b'=');
            text.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// Appends the bytes of padded base64, or gives the first byte of the text that is none.
pub fn decode_base64(text: &[u8], into: &mut Vec<u8>) -> Result<(), u8> {
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

    #[test]
    fn the_rfc_s_examples() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(texts.map(|text| encode_base64(text.as_bytes())), expected);
        assert_eq!(encode_base64(&[255, 254, 253]), "//79");
    }

    fn decode(text: &str) -> Result<Vec<u8>, u8> {
        let mut bytes = Vec::new();
        decode_base64(text.as_bytes(), &mut bytes).map(|()| bytes)
    }

    #[test]
    fn groups_and_padding_are_read() {
        assert_eq!(decode("").unwrap(), b"");
        assert_eq!(decode("aGVsbG8=").unwrap(), b"hello");
        assert_eq!(decode("aGVsbA==").unwrap(), b"hell");
        assert_eq!(decode("+/+/").unwrap(), [0xfb, 0xff, 0xbf]);
        assert_eq!(decode("aGV-"), Err(b'-'));
        assert_eq!(decode("aGVsb"), Err(b'b'));
        assert_eq!(decode("a==="), Err(b'='));
    }
}
