//! Messages in a stream of bytes: after a `Content-Length` header, or one line each.

use std::io::{self, BufRead, Read, Write};

use crate::bytes::limits::{MAX_MESSAGE_BYTES, MAX_SKIPPED_BYTES};

/// Longest header line that is looked at.
const MAX_HEADER_BYTES: u64 = 4 << 10;
/// Most header lines of a message.
const MAX_HEADERS: usize = 64;

/// How a message was framed, and so its answer will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// `Content-Length: N`, an empty line, N bytes.
    Headers,
    /// One line.
    Line,
}

/// What the stream holds next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A message.
    Message(Framing, Vec<u8>),
    /// Something that is none, and what is wrong with it. The stream goes on after it.
    Broken(Framing, String),
    /// Nothing more.
    End,
}

/// Reads the next message. `Err` only if the stream itself fails.
pub(super) fn read_message(from: &mut impl BufRead) -> io::Result<Next> {
    loop {
        let Some(first) = from.fill_buf()?.first().copied() else { return Ok(Next::End) };
        match first {
            b' ' | b'\t' | b'\r' | b'\n' => from.consume(1),
            b'{' | b'[' => return read_line_message(from),
            _ => return read_framed_message(from),
        }
    }
}

fn read_line_message(from: &mut impl BufRead) -> io::Result<Next> {
    Ok(match read_line(from, MAX_MESSAGE_BYTES)? {
        Line::Whole(line) => Next::Message(Framing::Line, line),
        Line::TooLong => {
            Next::Broken(Framing::Line, format!("the message is longer than {MAX_MESSAGE_BYTES} bytes, the limit"))
        }
    })
}

fn read_framed_message(from: &mut impl BufRead) -> io::Result<Next> {
    let broken = |reason: String| Ok(Next::Broken(Framing::Headers, reason));
    let mut length = None;
    for _ in 0..MAX_HEADERS {
        let line = match read_line(from, MAX_HEADER_BYTES)? {
            Line::Whole(line) => line,
            Line::TooLong => return broken("a header is too long: expected Content-Length: N".to_owned()),
        };
        let ends_early = line.is_empty() && from.fill_buf()?.is_empty();
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            return match length {
                Some(_) if ends_early => broken("the input ends within a header".to_owned()),
                Some(length) => read_body(from, length),
                None => broken("a message has no Content-Length header".to_owned()),
            };
        }
        let Some((name, value)) = line.split_once(':') else {
            return broken("expected Content-Length: N, or a line that begins with {".to_owned());
        };
        if name.trim().eq_ignore_ascii_case("content-length") {
            match value.trim().parse::<u64>() {
                Ok(value) => length = Some(value),
                Err(_) => return broken("Content-Length is no number".to_owned()),
            }
        }
    }
    broken("a message has too many headers".to_owned())
}

fn read_body(from: &mut impl BufRead, length: u64) -> io::Result<Next> {
    if length > MAX_MESSAGE_BYTES {
        // A body of a length that somebody may have meant is passed over; any other number is no length at all.
        if length <= MAX_SKIPPED_BYTES {
            io::copy(&mut from.take(length), &mut io::sink())?;
        }
        let reason = format!("Content-Length is {length}: this build's limit is {MAX_MESSAGE_BYTES}");
        return Ok(Next::Broken(Framing::Headers, reason));
    }
    let mut body = Vec::new();
    from.take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        let reason = format!("the input ends after {} of {length} bytes of a message", body.len());
        return Ok(Next::Broken(Framing::Headers, reason));
    }
    Ok(Next::Message(Framing::Headers, body))
}

enum Line {
    Whole(Vec<u8>),
    /// It was passed over.
    TooLong,
}

/// Reads to the end of the line or of the stream.
fn read_line(from: &mut impl BufRead, limit: u64) -> io::Result<Line> {
    let mut line = Vec::new();
    from.take(limit).read_until(b'\n', &mut line)?;
    if (line.len() as u64) < limit || line.last() == Some(&b'\n') {
        return Ok(Line::Whole(line));
    }
    loop {
        let part = from.fill_buf()?;
        let end = part.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(part.len(), |end| end + 1);
        let is_over = end.is_some() || part.is_empty();
        from.consume(length);
        if is_over {
            return Ok(Line::TooLong);
        }
    }
}

/// Writes a message.
pub(super) fn write_message(into: &mut impl Write, framing: Framing, text: &str) -> io::Result<()> {
    match framing {
        Framing::Headers => write!(into, "Content-Length: {}\r\n\r\n{text}", text.len())?,
        Framing::Line => writeln!(into, "{text}")?,
    }
    into.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<Next> {
        let mut from = bytes;
        let mut found = Vec::new();
        loop {
            match read_message(&mut from).unwrap() {
                Next::End => return found,
                next => found.push(next),
            }
        }
    }

    fn line(text: &str) -> Next {
        Next::Message(Framing::Line, text.into())
    }

    fn framed(text: &str) -> Next {
        Next::Message(Framing::Headers, text.into())
    }

    #[test]
    fn both_framings_may_be_mixed() {
        let text = b"{1}\n\nContent-Length: 3\r\n\r\n{2}[3]\r\ncontent-length:4\nContent-Type: x\n\n{\n4}{5}";
        let expected = [line("{1}\n"), framed("{2}"), line("[3]\r\n"), framed("{\n4}"), line("{5}")];
        assert_eq!(all(text), expected);
    }

    #[test]
    fn what_is_no_message_is_told_and_passed_over() {
        let reason = |next: &Next| match next {
            Next::Broken(_, reason) => reason.clone(),
            other => panic!("{other:?}"),
        };
        let cases: [(&[u8], &str); 7] = [
            (b"hello\n", "expected Content-Length"),
            (b"Content-Length: many\r\n\r\n", "is no number"),
            (b"Content-Type: x\r\n\r\n", "no Content-Length"),
            (b"Content-Length: 99999999999999999\r\n\r\n", "limit is"),
            (b"Content-Length: 18446744073709551616\r\n\r\n", "is no number"),
            (b"\x00\xff\xfe\n", "expected Content-Length"),
            (b"x: y\nx: y\n", "no Content-Length"),
        ];
        for (bytes, expected) in cases {
            let found = all(&[bytes, b"\n{}\n"].concat());
            assert!(reason(&found[0]).contains(expected), "{found:?}");
            assert_eq!(found.last(), Some(&line("{}\n")), "{found:?}");
        }
        let cut = all(b"Content-Length: 10\r\n\r\n{}");
        assert_eq!(reason(&cut[0]), "the input ends after 2 of 10 bytes of a message");
        assert!(reason(&all(b"Content-Length: 10\r\n")[0]).contains("ends within a header"));
    }

    #[test]
    fn messages_over_the_limit_are_passed_over() {
        let long = vec![b'{'; MAX_MESSAGE_BYTES as usize + 10];
        let found = all(&[&long[..], b"\n{}\n"].concat());
        assert!(matches!(&found[..], [Next::Broken(Framing::Line, _), next] if *next == line("{}\n")));
        let header = format!("Content-Length: {}\r\n\r\n", long.len());
        let found = all(&[header.as_bytes(), &long, b"{}\n"].concat());
        assert!(matches!(&found[..], [Next::Broken(Framing::Headers, _), next] if *next == line("{}\n")));
    }
}
