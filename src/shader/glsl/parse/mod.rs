//! Tokens to a syntax tree, by recursive descent that never goes deeper than `bytes/limits.rs` says.

mod expr;
mod item;
mod number;
mod precision;
mod stmt;

use super::ast::Item;
use super::error::{Fault, Note, Problem, Result};
use super::lex::{Tok, Token, shorten};
use super::source::Stage;
use precision::Precisions;

/// Characters of the longest name (GLSL ES 3.00, 3.9).
const MOST_NAME_CHARACTERS: usize = 1024;

/// Parses a whole text, whose expressions and statements may have so many levels.
pub(crate) fn parse<'a>(
    tokens: &[Token<'a>],
    end: u32,
    stage: Stage,
    most_levels: usize,
) -> Result<(Vec<Item<'a>>, Vec<Note>)> {
    let (precisions, notes) = (Precisions::new(stage), Vec::new());
    let mut parser = Parser {
        tokens,
        at: 0,
        end,
        most_levels,
        expression_depth: 0,
        statement_depth: 0,
        struct_depth: 0,
        precisions,
        notes,
    };
    let mut items = Vec::new();
    while parser.peek() != Tok::End {
        parser.item(&mut items)?;
    }
    Ok((items, parser.notes))
}

struct Parser<'a, 't> {
    tokens: &'t [Token<'a>],
    at: usize,
    /// Position of the end of the text.
    end: u32,
    most_levels: usize,
    expression_depth: usize,
    statement_depth: usize,
    struct_depth: usize,
    precisions: Precisions,
    notes: Vec<Note>,
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

    /// Takes a name that is no keyword.
    fn name(&mut self, expected: &'static str) -> Result<(&'a str, u32)> {
        let position = self.position();
        match self.peek() {
            Tok::Ident(word) if is_reserved(word) => {
                Err(Problem::fault(position, Fault::ReservedWord { word: shorten(word) }))
            }
            Tok::Ident(word) if word.len() > MOST_NAME_CHARACTERS => {
                let (what, found) = ("the length of a name", word.len().to_string());
                let expected = format!("at most {MOST_NAME_CHARACTERS} characters");
                Err(Problem::fault(position, Fault::OutOfRange { what, found, expected }))
            }
            Tok::Ident(word) if !is_keyword(word) => {
                self.advance();
                Ok((word, position))
            }
            _ => Err(self.unexpected(expected)),
        }
    }
}

/// Keywords other than those of types.
pub(crate) fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "const"
            | "uniform"
            | "layout"
            | "centroid"
            | "flat"
            | "smooth"
            | "break"
            | "continue"
            | "do"
            | "for"
            | "while"
            | "switch"
            | "case"
            | "default"
            | "if"
            | "else"
            | "in"
            | "out"
            | "inout"
            | "true"
            | "false"
            | "invariant"
            | "discard"
            | "return"
            | "lowp"
            | "mediump"
            | "highp"
            | "precision"
            | "struct"
    ) || super::types::Type::from_keyword(word).is_some()
}

/// Words that GLSL ES 3.00 keeps for later.
pub(crate) fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "attribute"
            | "varying"
            | "coherent"
            | "volatile"
            | "restrict"
            | "readonly"
            | "writeonly"
            | "resource"
            | "atomic_uint"
            | "noperspective"
            | "patch"
            | "sample"
            | "subroutine"
            | "common"
            | "partition"
            | "active"
            | "asm"
            | "class"
            | "union"
            | "enum"
            | "typedef"
            | "template"
            | "this"
            | "goto"
            | "inline"
            | "noinline"
            | "public"
            | "static"
            | "extern"
            | "external"
            | "interface"
            | "long"
            | "short"
            | "double"
            | "half"
            | "fixed"
            | "unsigned"
            | "superp"
            | "input"
            | "output"
            | "hvec2"
            | "hvec3"
            | "hvec4"
            | "dvec2"
            | "dvec3"
            | "dvec4"
            | "fvec2"
            | "fvec3"
            | "fvec4"
            | "sampler3DRect"
            | "filter"
            | "image1D"
            | "image2D"
            | "image3D"
            | "imageCube"
            | "iimage1D"
            | "iimage2D"
            | "iimage3D"
            | "iimageCube"
            | "uimage1D"
            | "uimage2D"
            | "uimage3D"
            | "uimageCube"
            | "image1DArray"
            | "image2DArray"
            | "iimage1DArray"
            | "iimage2DArray"
            | "uimage1DArray"
            | "uimage2DArray"
            | "image1DShadow"
            | "image2DShadow"
            | "image1DArrayShadow"
            | "image2DArrayShadow"
            | "imageBuffer"
            | "iimageBuffer"
            | "uimageBuffer"
            | "sampler1D"
            | "sampler1DShadow"
            | "sampler1DArray"
            | "sampler1DArrayShadow"
            | "isampler1D"
            | "isampler1DArray"
            | "usampler1D"
            | "usampler1DArray"
            | "sampler2DRect"
            | "sampler2DRectShadow"
            | "isampler2DRect"
            | "usampler2DRect"
            | "samplerBuffer"
            | "isamplerBuffer"
            | "usamplerBuffer"
            | "sampler2DMS"
            | "isampler2DMS"
            | "usampler2DMS"
            | "sampler2DMSArray"
            | "isampler2DMSArray"
            | "usampler2DMSArray"
            | "sizeof"
            | "cast"
            | "namespace"
            | "using"
    )
}
