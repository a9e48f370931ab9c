//! Messages in a stream of bytes: after a `Content-Length` header, or one line each.
//!
//! A `Content-Length` that is too short leaves the rest of its body in the stream, and the next header directly behind it.
//! The rest is answered as something that is no message, and the header is found all the same.

use std::io::{self, BufRead, Read, Write};

use crate::limits::{MAX_MESSAGE_BYTES, MAX_SKIPPED_BYTES};

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

/// Bytes that a `Content-Length` header is looked for in, at the end of a line that is too long.
const MAX_LENGTH_HEADER_BYTES: usize = 64;

/// Stream of bytes of which some can be read again.
pub(super) struct Input<R> {
    inner: R,
    /// Bytes that come before those of `inner`.
    again: Vec<u8>,
}

impl<R> Input<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, again: Vec::new() }
    }

    /// Puts bytes back that were read last.
    fn put_back(&mut self, bytes: &[u8]) {
        self.again.splice(0..0, bytes.iter().copied());
    }
}

impl<R: BufRead> Read for Input<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(into)?;
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Input<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.again.is_empty() { self.inner.fill_buf() } else { Ok(&self.again) }
    }

    fn consume(&mut self, amount: usize) {
        if self.again.is_empty() {
            self.inner.consume(amount);
        } else {
            self.again.drain(..amount);
        }
    }
}

/// Reads the next message. `Err` only if the stream itself fails.
pub(super) fn read_message(from: &mut Input<impl BufRead>) -> io::Result<Next> {
    loop {
        let Some(first) = from.fill_buf()?.first().copied() else { return Ok(Next::End) };
        match first {
            b' ' | b'\t' | b'\r' | b'\n' => from.consume(1),
            b'{' | b'[' => return read_line_message(from),
            _ => return read_framed_message(from),
        }
    }
}

fn read_line_message(from: &mut Input<impl BufRead>) -> io::Result<Next> {
    Ok(match read_line(from, MAX_MESSAGE_BYTES)? {
        Line::Whole(line) => match header_behind(&line).filter(|_| !is_json(&line)) {
            Some(header) => rest_of_body(from, &line, header),
            None => Next::Message(Framing::Line, line),
        },
        Line::TooLong { end } => match header_behind(&end) {
            Some(header) => rest_of_body(from, &end, header),
            None => {
                Next::Broken(Framing::Line, format!("the message is longer than {MAX_MESSAGE_BYTES} bytes, the limit"))
            }
        },
    })
}

fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
}

/// Where a `Content-Length` header begins that other bytes stand before on its line.
fn header_behind(line: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length:";
    let start = line.len().saturating_sub(MAX_LENGTH_HEADER_BYTES);
    let mut names = line.get(start..)?.windows(NAME.len());
    let at = start + names.rposition(|name| name.eq_ignore_ascii_case(NAME))?;
    let value = line.get(at + NAME.len()..)?.trim_ascii();
    // Another header may have a name that ends so.
    let before = line.get(..at)?.last()?;
    let is_name = before.is_ascii_alphanumeric() || matches!(before, b'-' | b'_');
    let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    (is_number && !is_name && !before.is_ascii_whitespace()).then_some(at)
}

/// Goes on at the header that lies in a line at `header`, behind the rest of a body.
fn rest_of_body<R>(from: &mut Input<R>, line: &[u8], header: usize) -> Next {
    from.put_back(line.get(header..).unwrap_or_default());
    let reason = "bytes before a Content-Length header: the previous message's Content-Length is too small";
    Next::Broken(Framing::Headers, reason.to_owned())
}

fn read_framed_message(from: &mut Input<impl BufRead>) -> io::Result<Next> {
    let broken = |reason: String| Ok(Next::Broken(Framing::Headers, reason));
    let mut length = None;
    for _ in 0..MAX_HEADERS {
        let line = match read_line(from, MAX_HEADER_BYTES)? {
            Line::Whole(line) => line,
            Line::TooLong { end } => match header_behind(&end) {
                Some(header) => return Ok(rest_of_body(from, &end, header)),
                None => return broken("a header is too long: expected Content-Length: N".to_owned()),
            },
        };
        if let Some(header) = header_behind(&line) {
            return Ok(rest_of_body(from, &line, header));
        }
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
                Err(_) => return broken("Content-Length is not a number".to_owned()),
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
    /// It was passed over; its last bytes are kept.
    TooLong {
        end: Vec<u8>,
    },
}

/// Reads to the end of the line or of the stream.
fn read_line(from: &mut impl BufRead, limit: u64) -> io::Result<Line> {
    let mut line = Vec::new();
    from.take(limit).read_until(b'\n', &mut line)?;
    if (line.len() as u64) < limit || line.last() == Some(&b'\n') {
        return Ok(Line::Whole(line));
    }
    let mut end = line.split_off(line.len().saturating_sub(MAX_LENGTH_HEADER_BYTES));
    loop {
        let part = from.fill_buf()?;
        let line_end = part.iter().position(|byte| *byte == b'\n');
        let length = line_end.map_or(part.len(), |end| end + 1);
        let is_over = line_end.is_some() || part.is_empty();
        end.extend(part.iter().take(length).skip(length.saturating_sub(MAX_LENGTH_HEADER_BYTES)));
        end.drain(..end.len().saturating_sub(MAX_LENGTH_HEADER_BYTES));
        from.consume(length);
        if is_over {
            return Ok(Line::TooLong { end });
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
        let mut from = Input::new(bytes);
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
            (b"Content-Length: many\r\n\r\n", "is not a number"),
            (b"Content-Type: x\r\n\r\n", "no Content-Length"),
            (b"Content-Length: 99999999999999999\r\n\r\n", "limit is"),
            (b"Content-Length: 18446744073709551616\r\n\r\n", "is not a number"),
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

    /// Every length that is too short, of a body that looks like other things where it is cut.
    #[test]
    fn a_length_that_is_too_short_swallows_nothing() {
        let bodies = [
            r#"{"id": 1, "a": {"b": [1, {"c": "x: y"}]}}"#.to_owned(),
            "{\n  \"a\": [\r\n    1\n  ],\n  \"b\": 2\n}".to_owned(),
            // Longer than a header may be.
            format!(r#"{{"a": "{}", "b": {{"c": 1}}}}"#, "x".repeat(2 * MAX_HEADER_BYTES as usize)),
        ];
        let mut shortened = 0;
        for body in bodies {
            for length in (0..body.len()).filter(|length| *length < 64 || length % 997 == 0) {
                let text = format!("Content-Length: {length}\r\n\r\n{body}Content-Length: 4\r\n\r\n{{\n4}}{{5}}\n");
                let found = all(text.as_bytes());
                assert_eq!(found[0], framed(&body[..length]), "{length} of {body}");
                assert!(matches!(&found[1], Next::Broken(..) | Next::Message(..)), "{length} of {body}: {found:?}");
                assert_eq!(found[found.len() - 2..], [framed("{\n4}"), line("{5}\n")], "{length} of {body}");
                // Nothing else is a message that could be carried out.
                let messages = found[1..found.len() - 2].iter().filter_map(|next| match next {
                    Next::Message(_, bytes) => Some(bytes),
                    _ => None,
                });
                assert!(messages.into_iter().all(|bytes| !is_json(bytes)), "{length} of {body}: {found:?}");
                shortened += 1;
            }
        }
        assert!(shortened > 100, "{shortened}");
    }

    #[test]
    fn headers_are_not_looked_for_in_texts_and_names() {
        let quoting = "{\"a\": \"Content-Length: 3\"}\n";
        assert_eq!(all(quoting.as_bytes()), [line(quoting)]);
        assert_eq!(all(b"X-Content-Length: 9\r\nContent-Length: 3\r\n\r\n{2}"), [framed("{2}")]);
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
