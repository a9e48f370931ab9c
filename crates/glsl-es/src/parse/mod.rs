//! Tokens to a syntax tree, by recursive descent that never goes deeper than `bytes/limits.rs` says.

mod expr;
mod item;
mod number;
mod precision;
mod recovery;
mod stmt;

use std::ops::Range;

use super::ast::Item;
use super::error::{Fault, Note, Problem, Problems, Result};
use super::language::Language;
use super::lex::{Tok, Token, shorten};
use super::source::Stage;
use crate::limits::MAX_GLSL_NAME_BYTES;
use precision::Precisions;

/// What parsing found.
pub(crate) struct Parsed<'a> {
    /// What stands outside functions.
    pub items: Vec<Item<'a>>,
    /// Things noticed and passed over.
    pub notes: Vec<Note>,
    /// What is wrong. Where it is, something is missing in `items`.
    pub problems: Problems,
    /// From where to where expressions reach, by their positions.
    pub extents: Vec<(u32, Range<u32>)>,
}

/// Parses a whole text, whose expressions and statements may have so many levels.
pub(crate) fn parse<'a>(
    tokens: &[Token<'a>],
    end: u32,
    (language, stage): (Language, Stage),
    most_levels: usize,
) -> Parsed<'a> {
    let (precisions, notes) = (Precisions::new(stage), Vec::new());
    let mut parser = Parser {
        tokens,
        at: 0,
        end,
        language,
        stage,
        most_levels,
        expression_depth: 0,
        statement_depth: 0,
        struct_depth: 0,
        precisions,
        notes,
        problems: Problems::default(),
        extents: Vec::new(),
    };
    let mut items = Vec::new();
    while parser.peek() != Tok::End && !parser.problems.are_enough() {
        let state = parser.state();
        if let Err(problem) = parser.item(&mut items) {
            parser.recover(state, *problem);
        }
    }
    Parsed { items, notes: parser.notes, problems: parser.problems, extents: parser.extents }
}

struct Parser<'a, 't> {
    tokens: &'t [Token<'a>],
    at: usize,
    /// Position of the end of the text.
    end: u32,
    language: Language,
    stage: Stage,
    most_levels: usize,
    expression_depth: usize,
    statement_depth: usize,
    struct_depth: usize,
    precisions: Precisions,
    notes: Vec<Note>,
    problems: Problems,
    extents: Vec<(u32, Range<u32>)>,
}

impl<'a> Parser<'a, '_> {
    fn peek(&self) -> Tok<'a> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Tok<'a> {
        self.tokens.get(self.at + ahead).map_or(Tok::End, |token| token.tok)
    }

    fn position(&self) -> u32 {
        self.tokens.get(self.at).map_or(self.end, |token| token.position)
    }

    fn advance(&mut self) {
        self.at += 1;
    }

    /// Takes `punct` if it is next.
    fn take(&mut self, punct: &str) -> bool {
        let found = matches!(self.peek(), Tok::Punct(next) if next == punct);
        self.at += usize::from(found);
        found
    }

    /// Takes the keyword `word` if it is next.
    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Tok::Ident(next) if next == word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, punct: &'static str) -> Result<()> {
        if self.take(punct) {
            return Ok(());
        }
        let mut unexpected = self.unexpected(format!("'{punct}'"));
        if let (";", Some(end)) = (punct, self.end_of_last()) {
            // What is found may be lines below.
            unexpected.position = end;
            // Then it is only forgotten.
            if self.tokens.get(self.at).is_none_or(|token| token.starts_line || token.tok == Tok::Punct("}")) {
                self.problems.push(*unexpected);
                return Ok(());
            }
        }
        Err(unexpected)
    }

    /// Where the last token taken ends, if it stands in the text as it is.
    fn end_of_last(&self) -> Option<u32> {
        let token = self.tokens.get(self.at.checked_sub(1)?)?;
        let length = match token.tok {
            Tok::Ident(text) | Tok::Number(text) => text.len(),
            Tok::Punct(text) => text.len(),
            Tok::Line(_) | Tok::Other(_) | Tok::End => return None,
        };
        (!token.is_expanded).then_some(token.position + length as u32)
    }

    fn unexpected(&self, expected: impl Into<std::borrow::Cow<'static, str>>) -> Box<Problem> {
        match self.peek() {
            Tok::Other(found) => Problem::fault(self.position(), Fault::StrayCharacter { found }),
            tok => Problem::expected(self.position(), expected, tok.describe()),
        }
    }

    /// What only a later version has is refused, with what to write instead.
    fn only_es300(&self, what: &'static str, instead: &'static str) -> Result<()> {
        match self.language {
            Language::Es300 | Language::Es310 => Ok(()),
            Language::Es100 => {
                Err(Problem::fault(self.position(), Fault::LaterVersion { what: what.into(), instead: instead.into() }))
            }
        }
    }

    /// What only a later version has, and means there what it looks like, is noted.
    fn later(&mut self, what: &str) {
        if self.language == Language::Es100 {
            self.notes.push(Note::oddity(self.position(), format!("{what} is not in GLSL ES 1.00")));
        }
    }

    /// Takes a name that is no keyword.
    fn name(&mut self, expected: &'static str) -> Result<(&'a str, u32)> {
        let position = self.position();
        match self.peek() {
            Tok::Ident(word) if self.language.is_reserved(word) => {
                Err(Problem::fault(position, Fault::ReservedWord { word: shorten(word) }))
            }
            Tok::Ident(word) if word.len() > MAX_GLSL_NAME_BYTES => {
                let (what, found) = ("the length of a name", word.len().to_string());
                let expected = format!("at most {MAX_GLSL_NAME_BYTES} characters");
                Err(Problem::fault(position, Fault::OutOfRange { what, found, expected }))
            }
            Tok::Ident(word) if !self.language.is_keyword(word) => {
                self.advance();
                Ok((word, position))
            }
            _ => Err(self.unexpected(expected)),
        }
    }
}
