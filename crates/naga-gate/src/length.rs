//! Measures how much a text has naga's parser do: its length in words, and that with every name of a constant or struct written
//! out.
//!
//! Constants whose type is open (`const a = array(1, 2)`) are converted element by element wherever they are named, and so
//! are those that an element is taken of: `const b = array(a, a)` and so on is a text of 1 KB that makes a billion
//! expressions. Structs are walked member by member. Words of a declaration that name one declared elsewhere count as
//! much as that, so that no text which passes makes more expressions than it has words.

use std::collections::HashMap;
use std::ops::Range;

use super::Exceeded;
use super::tokens::{Bracket, Token, Tokens};
use crate::limits::{
    MAX_FUNCTION_WORDS, MAX_SHADER_DECLARATIONS, MAX_SHADER_NAME_BYTES, MAX_SHADER_WORDS, MAX_SHADER_WORDS_WRITTEN_OUT,
};

/// Checks a text against the caps on its length.
pub(super) fn check(text: &str) -> Result<(), Exceeded> {
    let words = words_of(text)?;
    let declarations = declarations(&words);
    let count = declarations.len() as u64;
    Exceeded::above("number of declarations", count, MAX_SHADER_DECLARATIONS, None)?;
    for declaration in declarations.iter().filter(|declaration| declaration.kind == Kind::Function) {
        let (found, place) = (declaration.words.len() as u64, declaration.place);
        Exceeded::above("length in words of one function", found, MAX_FUNCTION_WORDS, Some(place))?;
    }
    let what = "length in words with constants and structs expanded";
    Exceeded::above(what, written_out(&words, &declarations), MAX_SHADER_WORDS_WRITTEN_OUT, None)
}

/// A word, a number or an operator, or a mark between them.
struct Word<'a> {
    /// The name or word; nothing of a number or an operator.
    name: Option<&'a str>,
    place: usize,
    /// The mark that stands before it and since the last word, if one ends a statement or a block.
    ends_before: u32,
    /// Number of braces around it.
    depth: u32,
}

/// The words of a text.
fn words_of(text: &str) -> Result<Vec<Word<'_>>, Exceeded> {
    let mut words = Vec::new();
    let (mut depth, mut ends_before, mut follows_dot) = (0_u32, 0_u32, false);
    for (place, token) in Tokens::of(text) {
        let name = match token {
            Token::Open(Bracket::Brace) => {
                (depth, ends_before) = (depth.saturating_add(1), ends_before.saturating_add(1));
                continue;
            }
            Token::Close(Bracket::Brace) => {
                (depth, ends_before) = (depth.saturating_sub(1), ends_before.saturating_add(1));
                continue;
            }
            Token::Semicolon => {
                ends_before = ends_before.saturating_add(1);
                continue;
            }
            Token::Open(Bracket::Other) | Token::Close(Bracket::Other) | Token::Comma => continue,
            // A member is not what it is named like.
            Token::Word(name) if !follows_dot => Some(name),
            Token::Word(_) | Token::Number | Token::Link(_) => None,
        };
        if let Token::Word(name) = token {
            let what = "longest name in bytes";
            Exceeded::above(what, name.len() as u64, MAX_SHADER_NAME_BYTES as u64, Some(place))?;
        }
        follows_dot = token == Token::Link(b'.');
        words.push(Word { name, place, ends_before, depth });
        ends_before = 0;
        Exceeded::above("length in words", words.len() as u64, MAX_SHADER_WORDS, Some(place))?;
    }
    Ok(words)
}

/// Kind of a declaration of the module scope.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Function,
    /// A constant, a struct, or another name of a type: what may stand for more than one word.
    Named,
    Other,
}

/// A declaration of the module scope.
struct Declaration {
    kind: Kind,
    /// Its words, the first of which says what it is.
    words: Range<usize>,
    place: usize,
}

/// The declarations of the module scope. A text that is none has them anywhere.
fn declarations(words: &[Word<'_>]) -> Vec<Declaration> {
    let mut found: Vec<Declaration> = Vec::new();
    for (number, word) in words.iter().enumerate().filter(|(_, word)| word.depth == 0) {
        let kind = match word.name {
            Some("fn") => Kind::Function,
            Some("const" | "override" | "struct" | "alias") => Kind::Named,
            Some("var" | "const_assert") => Kind::Other,
            _ => continue,
        };
        if let Some(before) = found.last_mut() {
            before.words.end = number;
        }
        found.push(Declaration { kind, words: number..words.len(), place: word.place });
    }
    found
}

/// Words of the text, where each name of a constant, struct or type counts as its definition.
fn written_out(words: &[Word<'_>], declarations: &[Declaration]) -> u64 {
    let name_of = |declaration: &Declaration| words.get(declaration.words.start + 1)?.name;
    let named = declarations.iter().filter(|declaration| declaration.kind == Kind::Named);
    let by_name = named.filter_map(|declaration| Some((name_of(declaration)?, declaration.words.clone()))).collect();
    let mut names = Names { words, by_name, known: HashMap::new() };
    let mut sum = 0_u64;
    for declaration in declarations {
        sum = sum.saturating_add(match declaration.kind {
            Kind::Function => names.of_function(declaration.words.clone()),
            Kind::Named | Kind::Other => names.of_range(declaration.words.clone()),
        });
    }
    sum
}

/// Definitions of the names of the module scope.
struct Names<'w, 't> {
    words: &'w [Word<'t>],
    by_name: HashMap<&'t str, Range<usize>>,
    /// Lengths written out; 0 while one is looked for, which only a text has that naga refuses.
    known: HashMap<&'t str, u64>,
}

impl<'t> Names<'_, 't> {
    /// The length of some words written out.
    fn of_range(&mut self, range: Range<usize>) -> u64 {
        let names = self.names_in(range.clone());
        self.make_known(names);
        let words = self.words.get(range).unwrap_or_default();
        words.iter().fold(0, |sum: u64, word| sum.saturating_add(self.length(word)))
    }

    fn length(&self, word: &Word<'t>) -> u64 {
        word.name.and_then(|name| self.known.get(name)).map_or(1, |length| *length).max(1)
    }

    /// The names in some words that stand for something whose length is not known yet.
    fn names_in(&self, range: Range<usize>) -> Vec<&'t str> {
        let words = self.words.get(range).unwrap_or_default();
        let names = words.iter().filter_map(|word| word.name);
        names.filter(|name| self.by_name.contains_key(name) && !self.known.contains_key(name)).collect()
    }

    /// Finds the lengths of names, those first that they are declared with. In a loop: a chain may be as long as a text.
    fn make_known(&mut self, names: Vec<&'t str>) {
        let mut waiting = names;
        while let Some(name) = waiting.last().copied() {
            // Behind the name itself.
            let range = self.by_name.get(name).map_or(0..0, |range| range.start + 2..range.end);
            match self.known.get(name) {
                None => {
                    self.known.insert(name, 0);
                    let others = self.names_in(range);
                    waiting.extend(others);
                }
                Some(0) => {
                    let words = self.words.get(range).unwrap_or_default();
                    let length = words.iter().fold(0, |sum: u64, word| sum.saturating_add(self.length(word)));
                    self.known.insert(name, length.max(1));
                    waiting.pop();
                }
                Some(_) => _ = waiting.pop(),
            }
        }
    }

    /// The length of a function written out, in which constants of its own count from where they stand.
    fn of_function(&mut self, range: Range<usize>) -> u64 {
        let names = self.names_in(range.clone());
        self.make_known(names);
        let mut own: HashMap<&str, u64> = HashMap::new();
        let (mut sum, mut open) = (0_u64, None::<(&str, u64)>);
        let words = self.words.get(range).unwrap_or_default();
        let mut follows_const = false;
        for word in words {
            if word.ends_before > 0
                && let Some((name, length)) = open.take()
            {
                // The longest of that name: which one is meant is not asked.
                let known = own.entry(name).or_default();
                *known = length.max(*known);
            }
            let is_declared = follows_const;
            follows_const = word.name == Some("const");
            if let Some(name) = word.name.filter(|_| is_declared) {
                open = Some((name, 0));
                sum = sum.saturating_add(1);
                continue;
            }
            let of_own = word.name.and_then(|name| own.get(name)).map_or(1, |length| *length);
            let length = self.length(word).max(of_own);
            sum = sum.saturating_add(length);
            if let Some((_, open)) = &mut open {
                *open = open.saturating_add(length);
            }
        }
        sum
    }
}
