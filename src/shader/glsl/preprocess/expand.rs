//! Macro definitions and their expansion.
//!
//! Expansion walks a stack of frames, one for each macro being replaced, instead of recursing: a macro is off
//! while its frame is on the stack, which is what stops `#define a b` / `#define b a`. Only the expansion of
//! *arguments* recurses, to [`MAX_GLSL_MACRO_DEPTH`].

use std::collections::HashMap;
use std::sync::Arc;

use super::super::error::{Fault, Problem, Result};
use super::super::lex::{Tok, Token, shorten};
use super::Lines;
use crate::bytes::limits::{MAX_GLSL_MACRO_DEPTH, MAX_GLSL_MACRO_TOKENS};

/// What a name stands for.
#[derive(Clone, Debug)]
pub struct Macro<'a> {
    /// Parameter names; `None` for a macro without parentheses.
    pub parameters: Option<Vec<&'a str>>,
    /// Replacement.
    pub body: Arc<[Token<'a>]>,
}

impl Macro<'_> {
    /// Same definition, positions aside.
    pub fn same_as(&self, other: &Self) -> bool {
        let bodies =
            self.body.len() == other.body.len() && self.body.iter().zip(other.body.iter()).all(|(a, b)| a.tok == b.tok);
        self.parameters == other.parameters && bodies
    }
}

/// All macros of a text, and what substitution may still produce.
pub struct Macros<'a> {
    defined: HashMap<&'a str, Macro<'a>>,
    active: Vec<&'a str>,
    produced: usize,
}

struct Frame<'a> {
    tokens: Arc<[Token<'a>]>,
    next: usize,
    name: &'a str,
}

/// The input of one expansion: frames on top of the original run.
struct Input<'a, 't> {
    frames: Vec<Frame<'a>>,
    run: &'t [Token<'a>],
}

impl<'a> Macros<'a> {
    /// The macros that GLSL ES 3.00 predefines (`__LINE__` and `__FILE__` are handled apart).
    pub fn new() -> Self {
        let mut this = Self { defined: HashMap::new(), active: Vec::new(), produced: 0 };
        for (name, value) in [("GL_ES", "1"), ("GL_FRAGMENT_PRECISION_HIGH", "1"), ("__VERSION__", "300")] {
            let token =
                Token { tok: Tok::Number(value), position: 0, starts_line: false, spaced: true, painted: false };
            this.defined.insert(name, Macro { parameters: None, body: Arc::new([token]) });
        }
        this
    }

    /// Whether a name is defined.
    pub fn is_defined(&self, name: &str) -> bool {
        self.defined.contains_key(name) || matches!(name, "__LINE__" | "__FILE__")
    }

    /// The definition of a name.
    pub fn get(&self, name: &str) -> Option<&Macro<'a>> {
        self.defined.get(name)
    }

    /// Defines a name.
    pub fn define(&mut self, name: &'a str, definition: Macro<'a>) {
        self.defined.insert(name, definition);
    }

    /// Forgets a name.
    pub fn undefine(&mut self, name: &str) {
        self.defined.remove(name);
    }

    /// Appends `run`, with its macros replaced, to `out`.
    pub fn expand(&mut self, run: &[Token<'a>], out: &mut Vec<Token<'a>>, depth: usize, lines: &Lines) -> Result<()> {
        if let (Some(first), true) = (run.first(), depth > MAX_GLSL_MACRO_DEPTH) {
            return Err(Problem::limit(first.position, "nested macro calls", MAX_GLSL_MACRO_DEPTH as u64));
        }
        let outer = self.active.len();
        let mut input = Input { frames: Vec::new(), run };
        while let Some(mut token) = self.take(&mut input) {
            let Tok::Ident(name) = token.tok else {
                out.push(token);
                continue;
            };
            if name == "__LINE__" || name == "__FILE__" {
                token.tok =
                    if name == "__LINE__" { Tok::Line(lines.counted(token.position)) } else { Tok::Number("0") };
                out.push(token);
                continue;
            }
            if token.painted || !self.defined.contains_key(name) {
                out.push(token);
                continue;
            }
            if self.active.contains(&name) {
                token.painted = true;
                out.push(token);
                continue;
            }
            self.replace(name, token, &mut input, out, depth, lines)?;
        }
        self.active.truncate(outer);
        Ok(())
    }

    /// Puts the replacement of the macro `name`, just read, on the stack of frames.
    fn replace(
        &mut self,
        name: &'a str,
        call: Token<'a>,
        input: &mut Input<'a, '_>,
        out: &mut Vec<Token<'a>>,
        depth: usize,
        lines: &Lines,
    ) -> Result<()> {
        let Some(definition) = self.defined.get(name).cloned() else { return Ok(()) };
        let mut tokens = match definition.parameters {
            None => definition.body.to_vec(),
            Some(parameters) => {
                if self.peek(input).map(|token| token.tok) != Some(Tok::Punct("(")) {
                    out.push(call);
                    return Ok(());
                }
                self.take(input);
                let arguments = self.arguments(name, call.position, parameters.len(), input)?;
                self.substitute(&definition.body, &parameters, &arguments, depth, lines)?
            }
        };
        self.produced += tokens.len() + 1;
        if self.produced > MAX_GLSL_MACRO_TOKENS {
            return Err(Problem::limit(call.position, "tokens out of macros", MAX_GLSL_MACRO_TOKENS as u64));
        }
        for token in &mut tokens {
            token.position = call.position;
            token.starts_line = false;
        }
        self.active.push(name);
        input.frames.push(Frame { tokens: tokens.into(), next: 0, name });
        Ok(())
    }

    /// Reads the arguments of a call up to its closing parenthesis.
    fn arguments(
        &mut self,
        name: &'a str,
        position: u32,
        expected: usize,
        input: &mut Input<'a, '_>,
    ) -> Result<Vec<Vec<Token<'a>>>> {
        let mut arguments = vec![Vec::new()];
        let mut open = 0usize;
        loop {
            let Some(token) = self.take(input) else {
                return Err(Problem::fault(position, Fault::UnterminatedMacro { name: shorten(name) }));
            };
            match token.tok {
                Tok::Punct(")") if open == 0 => break,
                Tok::Punct(",") if open == 0 => {
                    arguments.push(Vec::new());
                    continue;
                }
                Tok::Punct("(") => open += 1,
                Tok::Punct(")") => open -= 1,
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }
        if expected == 0 && arguments.len() == 1 && arguments.iter().all(Vec::is_empty) {
            arguments.clear();
        }
        if arguments.len() != expected {
            let fault = Fault::MacroArguments { name: shorten(name), expected, found: arguments.len() };
            return Err(Problem::fault(position, fault));
        }
        Ok(arguments)
    }

    fn substitute(
        &mut self,
        body: &[Token<'a>],
        parameters: &[&'a str],
        arguments: &[Vec<Token<'a>>],
        depth: usize,
        lines: &Lines,
    ) -> Result<Vec<Token<'a>>> {
        let mut expanded: Vec<Option<Vec<Token<'a>>>> = vec![None; arguments.len()];
        let mut tokens = Vec::new();
        for token in body {
            let parameter = match token.tok {
                Tok::Ident(name) => parameters.iter().position(|parameter| *parameter == name),
                _ => None,
            };
            let slot = parameter.and_then(|index| Some((expanded.get_mut(index)?, arguments.get(index)?)));
            let Some((slot, argument)) = slot else {
                tokens.push(*token);
                continue;
            };
            if slot.is_none() {
                let mut out = Vec::new();
                self.expand(argument, &mut out, depth + 1, lines)?;
                *slot = Some(out);
            }
            tokens.extend(slot.iter().flatten().copied());
            if tokens.len() > MAX_GLSL_MACRO_TOKENS {
                return Err(Problem::limit(token.position, "tokens out of macros", MAX_GLSL_MACRO_TOKENS as u64));
            }
        }
        Ok(tokens)
    }

    fn peek(&mut self, input: &mut Input<'a, '_>) -> Option<Token<'a>> {
        while let Some(frame) = input.frames.last() {
            if let Some(token) = frame.tokens.get(frame.next) {
                return Some(*token);
            }
            self.active.pop();
            input.frames.pop();
        }
        input.run.first().copied()
    }

    fn take(&mut self, input: &mut Input<'a, '_>) -> Option<Token<'a>> {
        let token = self.peek(input)?;
        match input.frames.last_mut() {
            Some(frame) => frame.next += 1,
            None => input.run = input.run.get(1..).unwrap_or_default(),
        }
        debug_assert!(input.frames.last().is_none_or(|frame| self.active.contains(&frame.name)));
        Some(token)
    }
}
