//! Where a position in a shader text lies: in the file, in the text, for the eye.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};

use super::error::{Cause, Fault, Problem, Result, TextLimit};
use crate::limits;

/// One GLSL text as it stands in a file.
#[derive(Clone, Copy, Debug)]
pub struct GlslSource<'a> {
    /// The bytes of the text.
    pub text: &'a [u8],
    /// Absolute file offset of the first byte.
    pub offset: u64,
}

/// The two stages that WebGL2 has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Once a vertex.
    Vertex,
    /// Once a fragment.
    Fragment,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Vertex => "vertex",
            Stage::Fragment => "fragment",
        })
    }
}

/// A position in one of the two texts, with what a person needs to find it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which of the two texts.
    pub stage: Stage,
    /// Absolute file offset of the text's first byte.
    pub blob_offset: u64,
    /// Offset of the position in the text.
    pub byte_offset: u64,
    /// Line in the text as the author wrote it, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The line itself, cut to `EXCERPT_CHARS` around the position.
    pub excerpt: String,
    /// Where in `excerpt` the caret stands, in characters from 0.
    pub caret: usize,
    /// Which columns of the line are wrong, the last one excluded.
    pub columns: Range<u32>,
    /// The same as editors count them: UTF-16 words from 0.
    pub characters: Range<u32>,
    /// The macro whose call stands there, if what is wrong comes out of it.
    pub expansion: Option<Expansion>,
}

/// A macro that was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// Its name.
    pub name: String,
    /// The line of its definition.
    pub line: u32,
}

impl fmt::Display for Expansion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in the expansion of '{}', defined at line {}", self.name, self.line)
    }
}

/// How much of a line an excerpt shows.
pub(crate) const EXCERPT_CHARS: usize = 100;

impl Place {
    /// Absolute file offset of the position.
    pub fn offset(&self) -> u64 {
        self.blob_offset.saturating_add(self.byte_offset)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.offset();
        write!(f, "{} shader at {:#x}, line {} column {}", self.stage, self.blob_offset, self.line, self.column)?;
        write!(f, " (byte {}, file offset {at:#x})", self.byte_offset)?;
        let number = self.line.to_string();
        write!(f, "\n {number} | {}\n {:width$} | ", self.excerpt, "", width = number.len())?;
        // The excerpt's columns that are wrong, with the caret among them.
        let first = (self.column as usize).saturating_sub(self.caret);
        let shown = |column: u32| (column as usize).saturating_sub(first).min(self.excerpt.chars().count());
        let (from, to) = (shown(self.columns.start).min(self.caret), shown(self.columns.end).max(self.caret + 1));
        write!(
            f,
            "{:from$}{:~<before$}^{:~<after$}",
            "",
            "",
            "",
            before = self.caret - from,
            after = to - self.caret - 1
        )?;
        match &self.expansion {
            Some(expansion) => write!(f, "\n {expansion}"),
            None => Ok(()),
        }
    }
}

/// A text with its line continuations (`\` before a line end) taken out, which knows the lines there were before.
pub(crate) struct Spliced<'a> {
    text: Cow<'a, str>,
    /// (position in `text`, bytes taken out before it), ascending.
    splices: Vec<(usize, usize)>,
    /// Where the lines of the original text begin, in that text.
    line_starts: Vec<u32>,
}

impl Deref for Spliced<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl<'a> Spliced<'a> {
    /// Takes the continuations out of `text`.
    pub(crate) fn new(text: &'a str) -> Self {
        let mut this = Self::without_text(text);
        if !text.contains('\\') {
            this.text = Cow::Borrowed(text);
            return this;
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let mut removed = 0;
        while let Some(at) = rest.find('\\') {
            let (before, after) = rest.split_at(at);
            out.push_str(before);
            let ends = ["\\\r\n", "\\\n\r", "\\\n", "\\\r"];
            let length = ends.iter().find(|end| after.starts_with(**end)).map(|end| end.len());
            let taken = length.unwrap_or(1);
            if length.is_some() {
                removed += taken;
                this.splices.push((out.len(), removed));
            } else {
                out.push('\\');
            }
            rest = after.get(taken..).unwrap_or_default();
        }
        out.push_str(rest);
        this.text = Cow::Owned(out);
        this
    }

    /// Knows the lines of `original`, and is empty.
    fn without_text(original: &str) -> Self {
        Self { text: Cow::Borrowed(""), splices: Vec::new(), line_starts: line_starts(original) }
    }

    /// Number of the line in the original text that a position is in, from 1.
    pub(crate) fn line(&self, position: u32) -> u32 {
        self.line_of_original(self.original_position(position))
    }

    fn line_of_original(&self, byte: usize) -> u32 {
        self.line_starts.partition_point(|&start| start as usize <= byte) as u32
    }

    fn original_position(&self, position: u32) -> usize {
        let position = position as usize;
        let before = self.splices.partition_point(|&(at, _)| at <= position);
        let removed =
            before.checked_sub(1).and_then(|index| self.splices.get(index)).map_or(0, |&(_, removed)| removed);
        position + removed
    }
}

/// Where the lines of a text begin. A line ends in CR, in LF, or in both of them in either order.
fn line_starts(text: &str) -> Vec<u32> {
    let mut starts = vec![0];
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        let other = match byte {
            b'\n' => b'\r',
            b'\r' => b'\n',
            _ => continue,
        };
        let paired = bytes.next_if(|&(_, next)| next == other).is_some();
        starts.push((at + 1 + usize::from(paired)) as u32);
    }
    starts
}

/// A text that is known to be UTF-8 without NUL.
///
/// Every later stage works on [`Text::spliced`] and keeps byte positions in it; [`Text::place`] maps them back.
pub(crate) struct Text<'a> {
    stage: Stage,
    offset: u64,
    original: Cow<'a, str>,
    spliced: Spliced<'a>,
}

impl<'a> Text<'a> {
    /// Checks size, encoding and NULs.
    pub(crate) fn new(source: GlslSource<'a>, stage: Stage) -> (Self, Result<()>) {
        let lossy = |bytes: &'a [u8]| String::from_utf8_lossy(bytes);
        let whole = |original: Cow<'a, str>| {
            let spliced = Spliced::without_text(&original);
            Self { stage, offset: source.offset, original, spliced }
        };
        if source.text.len() > limits::MAX_GLSL_TEXT_BYTES {
            return (whole(lossy(source.text.get(..400).unwrap_or_default())), Err(too_long(source.text.len())));
        }
        match std::str::from_utf8(source.text) {
            Err(error) => {
                let at = error.valid_up_to();
                let byte = source.text.get(at).copied().unwrap_or_default();
                (whole(lossy(source.text)), Err(Problem::fault(at as u32, Fault::NotUtf8 { byte })))
            }
            Ok(text) => {
                if let Some(at) = text.bytes().position(|byte| byte == 0) {
                    return (whole(Cow::Borrowed(text)), Err(Problem::fault(at as u32, Fault::Nul)));
                }
                let original = Cow::Borrowed(text);
                (Self { stage, offset: source.offset, original, spliced: Spliced::new(text) }, Ok(()))
            }
        }
    }

    /// The text to lex.
    pub(crate) fn spliced(&self) -> &Spliced<'a> {
        &self.spliced
    }

    /// Which stage the text belongs to.
    pub(crate) fn stage(&self) -> Stage {
        self.stage
    }

    /// Absolute file offset of a position in the spliced text.
    pub(crate) fn file_offset(&self, position: u32) -> u64 {
        self.offset.saturating_add(self.spliced.original_position(position) as u64)
    }

    /// A byte of the original text, at the beginning of a character.
    fn byte_of(&self, position: u32) -> usize {
        let mut byte = self.spliced.original_position(position).min(self.original.len());
        while !self.original.is_char_boundary(byte) {
            byte -= 1;
        }
        byte
    }

    /// Describes a position in the spliced text. What is wrong there is what `extent` says, or else the token there.
    pub(crate) fn place(&self, position: u32, extent: Option<Range<u32>>) -> Place {
        let byte = self.byte_of(position);
        let (before, after) = self.original.split_at(byte);
        let line = self.spliced.line_of_original(byte);
        let line_start = self.spliced.line_starts.get((line as usize).saturating_sub(1)).copied().unwrap_or_default();
        let head = before.get(line_start as usize..).unwrap_or_default();
        let tail = after.split(['\n', '\r']).next().unwrap_or_default();
        let column = head.chars().count();
        let skipped = column.saturating_sub(EXCERPT_CHARS / 2);
        let shown = head.chars().skip(skipped).chain(tail.chars()).take(EXCERPT_CHARS);
        let token = token_length(self.spliced.get(position as usize..).unwrap_or_default()) as u32;
        let extent = extent.unwrap_or(position..position);
        let line_start = line_start as usize;
        let line_end = byte + tail.len();
        let within = |position: u32| self.byte_of(position).clamp(line_start, line_end);
        let (start, end) = (within(extent.start.min(position)), within(extent.end.max(position + token)));
        let part = |to: usize| self.original.get(line_start..to).unwrap_or_default();
        let column_of = |to: usize| part(to).chars().count() as u32 + 1;
        let character_of = |to: usize| part(to).encode_utf16().count() as u32;
        Place {
            columns: column_of(start)..column_of(end).max(column_of(start) + 1),
            characters: character_of(start)..character_of(end),
            stage: self.stage,
            blob_offset: self.offset,
            byte_offset: byte as u64,
            line,
            column: column as u32 + 1,
            excerpt: shown.map(|c| if c.is_control() { ' ' } else { c }).collect(),
            caret: column - skipped,
            expansion: None,
        }
    }
}

/// Bytes of the token that a text begins with.
fn token_length(text: &str) -> usize {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = text.find(|c| !is_word(c)).unwrap_or(text.len());
    length.max(text.chars().next().map_or(0, |first| if first.is_whitespace() { 0 } else { first.len_utf8() }))
}

fn too_long(found: usize) -> Box<Problem> {
    let cause = Cause::Limit(TextLimit::Bytes { found, cap: limits::MAX_GLSL_TEXT_BYTES });
    Problem::new(0, cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continued_lines_map_back_to_what_the_author_wrote() {
        let source = GlslSource { text: b"ab\\\ncd\\\r\nef\ngh", offset: 0x10 };
        let (text, result) = Text::new(source, Stage::Vertex);
        assert!(result.is_ok());
        assert_eq!(&**text.spliced(), "abcdef\ngh");
        let place = text.place(4, None);
        assert_eq!((place.byte_offset, place.line, place.column), (9, 3, 1));
        let place = text.place(8, None);
        assert_eq!((place.line, place.column, place.excerpt.as_str(), place.caret), (4, 2, "gh", 1));
    }

    #[test]
    fn every_kind_of_line_end_counts_once() {
        for end in ["\n", "\r", "\r\n", "\n\r"] {
            let written = "ab\n\ncd\\\nef\n".replace('\n', end);
            let (text, result) = Text::new(GlslSource { text: written.as_bytes(), offset: 0 }, Stage::Vertex);
            assert!(result.is_ok());
            assert_eq!(&**text.spliced(), format!("ab{end}{end}cdef{end}"), "{end:?}");
            let find = |what: &str| text.place(text.spliced().find(what).unwrap() as u32, None);
            let place = find("d");
            assert_eq!((place.line, place.column, place.excerpt.as_str()), (3, 2, "cd\\"), "{end:?}");
            let place = find("f");
            assert_eq!((place.line, place.column, place.excerpt.as_str()), (4, 2, "ef"), "{end:?}");
            assert_eq!(text.place(text.spliced().len() as u32, None).line, 5, "{end:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_named() {
        let bad = |text| Text::new(GlslSource { text, offset: 0 }, Stage::Fragment).1.unwrap_err();
        assert_eq!(bad(b"ab\xff").position, 2);
        let (text, _) = Text::new(GlslSource { text: b"a\rb\xff", offset: 0 }, Stage::Fragment);
        assert_eq!((text.place(3, None).line, text.place(3, None).column), (2, 2));
        assert!(matches!(bad(b"ab\0").cause, Cause::Fault(Fault::Nul)));
    }
}
