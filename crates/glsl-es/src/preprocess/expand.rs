//! Macro definitions and their expansion.
//!
//! Expansion walks a stack of frames, one for each macro being replaced, instead of recursing: a macro is off
//! while its frame is on the stack, which is what stops `#define a b` / `#define b a`. Only the expansion of
//! *arguments* recurses, to [`MAX_GLSL_MACRO_DEPTH`].

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::error::{Fault, Problem, Result};
use super::super::language::{Language, OF_ES100};
use super::super::lex::{Tok, Token, shorten};
use super::Lines;
use crate::limits::{MAX_GLSL_MACRO_DEPTH, MAX_GLSL_MACRO_TOKENS};

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) struct Macro<'a> {
    /// Parameter names; `None` for a macro without parentheses.
    pub parameters: Option<Vec<&'a str>>,
    /// Replacement.
    pub body: Arc<[Token<'a>]>,
    /// Where a text defines it.
    pub defined_at: Option<u32>,
}

impl Macro<'_> {
    /// Same definition, positions aside.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        let bodies =
            self.body.len() == other.body.len() && self.body.iter().zip(other.body.iter()).all(|(a, b)| a.tok == b.tok);
        self.parameters == other.parameters && bodies
    }
}

/// All macros of a text, and how many tokens substitution has read and produced.
pub(crate) struct Macros<'a> {
    defined: HashMap<&'a str, Macro<'a>>,
    /// Those being replaced, each inside the one before.
    active: Vec<&'a str>,
    /// The same, to look in: a chain may be as long as the text.
    off: HashSet<&'a str>,
    spent: usize,
    /// The macros that were called, by the places of their calls, and where they are defined.
    expansions: HashMap<u32, (&'a str, u32)>,
}

struct Frame<'a> {
    tokens: Arc<[Token<'a>]>,
    next: usize,
}

/// The input of one expansion: frames on top of the original run.
struct Input<'a, 't> {
    frames: Vec<Frame<'a>>,
    run: &'t [Token<'a>],
}

/// What surrounds the tokens that are expanded.
#[derive(Clone, Copy)]
pub(crate) struct Context<'l> {
    lines: &'l Lines<'l>,
    /// The directive whose condition they are: `defined` means something only there.
    condition: Option<&'static str>,
    /// How many calls deep they are an argument.
    depth: usize,
}

impl<'l> Context<'l> {
    /// No condition, and no argument.
    pub(crate) fn new(lines: &'l Lines<'l>) -> Self {
        Self { lines, condition: None, depth: 0 }
    }

    /// The condition of `directive`.
    pub(crate) fn in_condition(self, directive: &'static str) -> Self {
        Self { condition: Some(directive), ..self }
    }
}

impl<'a> Macros<'a> {
    /// The macros that the language predefines (`__LINE__` and `__FILE__` are handled apart).
    pub(crate) fn new(language: Language) -> Self {
        let mut this = Self {
            defined: HashMap::new(),
            active: Vec::new(),
            off: HashSet::new(),
            spent: 0,
            expansions: HashMap::new(),
        };
        let extensions: &[&str] = if language == Language::Es100 { &OF_ES100 } else { &[] };
        let common = [("GL_ES", "1"), ("GL_FRAGMENT_PRECISION_HIGH", "1"), ("__VERSION__", language.number())];
        for (name, value) in common.into_iter().chain(extensions.iter().map(|name| (*name, "1"))) {
            let token = Token {
                tok: Tok::Number(value),
                position: 0,
                counted_at: 0,
                starts_line: false,
                spaced: true,
                is_expanded: false,
                painted: false,
            };
            this.defined.insert(name, Macro { parameters: None, body: Arc::new([token]), defined_at: None });
        }
        this
    }

    /// The macros that were called, by the places of their calls, and where they are defined.
    pub(crate) fn into_expansions(self) -> HashMap<u32, (&'a str, u32)> {
        self.expansions
    }

    /// Whether a name is defined.
    pub(crate) fn is_defined(&self, name: &str) -> bool {
        self.defined.contains_key(name) || matches!(name, "__LINE__" | "__FILE__")
    }

    /// The definition of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Macro<'a>> {
        self.defined.get(name)
    }

    /// Defines a name.
    pub(crate) fn define(&mut self, name: &'a str, definition: Macro<'a>) {
        self.defined.insert(name, definition);
    }

    /// Forgets a name.
    pub(crate) fn undefine(&mut self, name: &str) {
        self.defined.remove(name);
    }

    /// Appends `run`, with its macros replaced, to `out`. In a condition, `defined` is replaced too: resolving it
    /// before macros are expanded would miss one that a macro stands for.
    pub(crate) fn expand(&mut self, run: &[Token<'a>], out: &mut Vec<Token<'a>>, context: Context<'_>) -> Result<()> {
        if let (Some(first), true) = (run.first(), context.depth > MAX_GLSL_MACRO_DEPTH) {
            return Err(Problem::limit(first.position, "nested macro calls", MAX_GLSL_MACRO_DEPTH as u64));
        }
        let outer = self.active.len();
        let mut input = Input { frames: Vec::new(), run };
        while let Some(mut token) = self.take(&mut input) {
            let Tok::Ident(name) = token.tok else {
                out.push(token);
                continue;
            };
            let built_in = match (name, context.condition) {
                ("__LINE__", _) => Some(Tok::Line(context.lines.counted(token.counted_at))),
                ("__FILE__", _) => Some(Tok::Line(context.lines.file)),
                ("defined", Some(directive)) => Some(self.whether_defined(directive, token.position, &mut input)?),
                _ => None,
            };
            if let Some(tok) = built_in {
                out.push(Token { tok, ..token });
                continue;
            }
            if token.painted || !self.defined.contains_key(name) {
                out.push(token);
                continue;
            }
            if self.off.contains(name) {
                token.painted = true;
                out.push(token);
                continue;
            }
            self.replace(name, token, &mut input, out, context)?;
        }
        for name in self.active.drain(outer.min(self.active.len())..) {
            self.off.remove(name);
        }
        Ok(())
    }

    /// Reads the operand of `defined`, `X` or `(X)`, as it stands; gives 1 or 0.
    fn whether_defined(
        &mut self,
        directive: &'static str,
        position: u32,
        input: &mut Input<'a, '_>,
    ) -> Result<Tok<'a>> {
        let mut next = || self.take(input).map_or(Tok::End, |token| token.tok);
        let (operand, closing) = match next() {
            Tok::Punct("(") => (next(), next()),
            operand => (operand, Tok::Punct(")")),
        };
        let (found, expected) = match (operand, closing) {
            (Tok::Ident(name), Tok::Punct(")")) => {
                return Ok(Tok::Number(if self.is_defined(name) { "1" } else { "0" }));
            }
            (Tok::Ident(_), found) => (found, "')' after the operand of 'defined'"),
            (found, _) => (found, "a name after 'defined'"),
        };
        let found = if found == Tok::End { "the end of the line".to_owned() } else { found.describe() };
        Err(Problem::fault(position, Fault::Directive { directive, expected, found }))
    }

    /// Puts the replacement of the macro `name`, just read, on the stack of frames.
    fn replace(
        &mut self,
        name: &'a str,
        call: Token<'a>,
        input: &mut Input<'a, '_>,
        out: &mut Vec<Token<'a>>,
        context: Context<'_>,
    ) -> Result<()> {
        let Some(definition) = self.defined.get(name).cloned() else { return Ok(()) };
        let (mut tokens, end) = match definition.parameters {
            None => (definition.body.to_vec(), call.counted_at),
            Some(parameters) => {
                if self.peek(input).map(|token| token.tok) != Some(Tok::Punct("(")) {
                    out.push(call);
                    return Ok(());
                }
                self.take(input);
                let (arguments, end) = self.arguments(name, call.position, parameters.len(), input)?;
                (self.substitute(&definition.body, &parameters, &arguments, context)?, end)
            }
        };
        self.spend(tokens.len() + 1, call.position)?;
        if let Some(defined_at) = definition.defined_at {
            // What the body calls has the place of the outermost call, which comes first.
            self.expansions.entry(call.position).or_insert((name, defined_at));
        }
        for token in &mut tokens {
            (token.position, token.counted_at, token.is_expanded) = (call.position, end, true);
            token.starts_line = false;
        }
        self.active.push(name);
        self.off.insert(name);
        input.frames.push(Frame { tokens: tokens.into(), next: 0 });
        Ok(())
    }

    /// Reads the arguments of a call up to its closing parenthesis; gives where that counts, too.
    fn arguments(
        &mut self,
        name: &'a str,
        position: u32,
        expected: usize,
        input: &mut Input<'a, '_>,
    ) -> Result<(Vec<Vec<Token<'a>>>, u32)> {
        let mut arguments = vec![Vec::new()];
        let mut open = 0usize;
        let end = loop {
            let Some(token) = self.take(input) else {
                return Err(Problem::fault(position, Fault::UnterminatedMacro { name: shorten(name) }));
            };
            // In nested calls every level has its copy.
            self.spend(1, position)?;
            match token.tok {
                Tok::Punct(")") if open == 0 => break token.counted_at,
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
        };
        if expected == 0 && arguments.len() == 1 && arguments.iter().all(Vec::is_empty) {
            arguments.clear();
        }
        if arguments.len() != expected {
            let fault = Fault::MacroArguments { name: shorten(name), expected, found: arguments.len() };
            return Err(Problem::fault(position, fault));
        }
        Ok((arguments, end))
    }

    fn substitute(
        &mut self,
        body: &[Token<'a>],
        parameters: &[&'a str],
        arguments: &[Vec<Token<'a>>],
        context: Context<'_>,
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
                self.expand(argument, &mut out, Context { depth: context.depth + 1, ..context })?;
                *slot = Some(out);
            }
            tokens.extend(slot.iter().flatten().copied());
            if tokens.len() > MAX_GLSL_MACRO_TOKENS {
                return Err(too_many_tokens(token.position));
            }
        }
        Ok(tokens)
    }

    /// Takes `tokens` from what substitution may still read and produce.
    fn spend(&mut self, tokens: usize, position: u32) -> Result<()> {
        self.spent += tokens;
        if self.spent > MAX_GLSL_MACRO_TOKENS { Err(too_many_tokens(position)) } else { Ok(()) }
    }

    fn peek(&mut self, input: &mut Input<'a, '_>) -> Option<Token<'a>> {
        while let Some(frame) = input.frames.last() {
            if let Some(token) = frame.tokens.get(frame.next) {
                return Some(*token);
            }
            if let Some(name) = self.active.pop() {
                self.off.remove(name);
            }
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
        Some(token)
    }
}

fn too_many_tokens(position: u32) -> Box<Problem> {
    Problem::limit(position, "tokens in and out of macros", MAX_GLSL_MACRO_TOKENS as u64)
}
