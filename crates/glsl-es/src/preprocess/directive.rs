//! The directives, one function each.

use super::super::error::Cause;
use super::super::error::{Fault, Note, Problem, Result, Unsupported};
use super::super::language::{IN_ES300, Language, OF_ES100};
use super::super::lex::{Tok, Token, shorten};
use super::super::source::Stage;
use super::Preprocessor;
use super::expand::{Context, Macro};
use crate::limits::MAX_GLSL_MACRO_PARAMETERS;

/// One open `#if`.
pub(crate) struct Conditional {
    /// Whether the current group is compiled, as far as this `#if` decides.
    pub live: bool,
    /// Whether a group of it was chosen already.
    taken: bool,
    /// Whether `#else` was seen.
    closed: bool,
    /// Where the `#if` stands.
    pub position: u32,
}

/// Which version of the language a text is in, and how many of its tokens say so. One that says nothing is in GLSL ES 1.00.
pub(super) fn version(tokens: &[Token<'_>]) -> Result<(Language, usize)> {
    let Some(first) = tokens.first() else { return Ok((Language::Es100, 0)) };
    let length = super::line_length(tokens);
    let line = tokens.get(..length).unwrap_or_default();
    if !super::is_directive(first) || line.get(1).map(|token| token.tok) != Some(Tok::Ident("version")) {
        return Ok((Language::Es100, 0));
    }
    let number = line.get(2).map_or(Tok::End, |token| token.tok);
    let profile = line.get(3).map_or(Tok::End, |token| token.tok);
    match (number, profile, line.len()) {
        (Tok::Number("300"), Tok::Ident("es"), 4) => return Ok((Language::Es300, length)),
        (Tok::Number("310"), Tok::Ident("es"), 4) => return Ok((Language::Es310, length)),
        (Tok::Number("100"), Tok::End, 3) => return Ok((Language::Es100, length)),
        _ => {}
    }
    let found: Vec<_> = line.iter().skip(2).map(|token| token.tok.describe().replace('\'', "")).collect();
    let reason = match (number, profile) {
        (Tok::Number("100"), _) => "version 100 has no profile",
        (Tok::Number("310" | "320"), _) => "GLSL ES 3.20 has no WebGL version, this reader supports up to '310 es'",
        (Tok::Number("300"), Tok::End) => "version 300 exists only with the profile 'es'",
        (Tok::Number(_), Tok::Ident("es")) => "no such version of GLSL ES is known",
        (Tok::Number(_), _) => "this is desktop GLSL, this reader supports WebGL2's",
        _ => "a number and a profile must follow",
    };
    let at = line.get(2).unwrap_or(first);
    Err(Problem::fault(at.position, Fault::Version { expected: "300", found: shorten(&found.join(" ")), reason }))
}

impl<'a> Preprocessor<'a> {
    /// Obeys one directive; `line` is what follows the `#`.
    pub(super) fn directive(&mut self, hash: u32, line: &[Token<'a>]) -> Result<()> {
        let Some((first, rest)) = line.split_first() else { return Ok(()) };
        let Tok::Ident(name) = first.tok else {
            if !self.is_live() {
                return Ok(());
            }
            return Err(Problem::fault(first.position, Fault::UnknownDirective { found: first.tok.describe() }));
        };
        match name {
            "if" | "ifdef" | "ifndef" => return self.open(name, hash, first.position, rest),
            "elif" | "else" | "endif" => return self.turn(name, hash, first.position, rest),
            _ if !self.is_live() => return Ok(()),
            _ => {}
        }
        match name {
            "define" => self.define(first.position, rest),
            "undef" => self.undef(first.position, rest),
            "error" => {
                let from = rest.first().map_or(first.position as usize + 5, |token| token.position as usize);
                let tail = self.text.get(from..).unwrap_or_default();
                let message = shorten(tail.split(['\n', '\r']).next().unwrap_or_default().trim());
                Err(Problem::fault(hash, Fault::ErrorDirective { message }))
            }
            "pragma" => {
                self.pragma(rest);
                Ok(())
            }
            "extension" => self.extension(first.position, rest),
            "line" => self.line(first.position, rest),
            "version" => Err(misused("version", "it once, before anything else", first)),
            _ => Err(Problem::fault(first.position, Fault::UnknownDirective { found: shorten(name) })),
        }
    }

    fn open(&mut self, name: &str, hash: u32, position: u32, rest: &[Token<'a>]) -> Result<()> {
        let enclosing = self.is_live();
        if enclosing && name != "if" {
            self.expect_end(name, rest.get(1..).unwrap_or_default());
        }
        let chosen = enclosing
            && match name {
                "if" => self.condition("if", position, rest)?,
                "ifdef" => self.macros.is_defined(name_of("ifdef", position, rest)?),
                _ => !self.macros.is_defined(name_of("ifndef", position, rest)?),
            };
        // Inside a group that is skipped nothing can be chosen any more.
        self.conditionals.push(Conditional {
            live: chosen,
            taken: chosen || !enclosing,
            closed: false,
            position: hash,
        });
        Ok(())
    }

    fn turn(&mut self, name: &str, hash: u32, position: u32, rest: &[Token<'a>]) -> Result<()> {
        let stray = |found| Err(Problem::fault(hash, Fault::StrayConditional { found }));
        let found = match name {
            "elif" => "elif",
            "else" => "else",
            _ => "endif",
        };
        let Some(mut conditional) = self.conditionals.pop() else { return stray(found) };
        if found != "elif" && self.is_live() {
            self.expect_end(found, rest);
        }
        if found == "endif" {
            return Ok(());
        }
        if conditional.closed {
            return stray(found);
        }
        if found == "else" {
            conditional.live = !conditional.taken;
            conditional.closed = true;
        } else {
            conditional.live = !conditional.taken && self.condition("elif", position, rest)?;
        }
        conditional.taken |= conditional.live;
        self.conditionals.push(conditional);
        Ok(())
    }

    fn define(&mut self, position: u32, rest: &[Token<'a>]) -> Result<()> {
        let name = name_of("define", position, rest)?;
        let at = rest.first().map_or(position, |token| token.position);
        if name.starts_with("GL_")
            || name == "defined"
            || name == "__LINE__"
            || name == "__FILE__"
            || name == "__VERSION__"
        {
            return Err(Problem::fault(at, Fault::MacroReserved { name: shorten(name) }));
        }
        let after = rest.get(1..).unwrap_or_default();
        let with_parameters = after.first().is_some_and(|token| token.tok == Tok::Punct("(") && !token.spaced);
        let (parameters, body) = if with_parameters {
            let (parameters, used) = parameters(after)?;
            (Some(parameters), after.get(used..).unwrap_or_default())
        } else {
            (None, after)
        };
        if let Some(paste) = body.iter().find(|token| matches!(token.tok, Tok::Punct("#" | "##"))) {
            return Err(misused("define", "no '#' or '##' (GLSL ES has no token pasting)", paste));
        }
        let definition = Macro { parameters, body: body.into(), defined_at: Some(at) };
        if self.macros.get(name).is_some_and(|existing| !existing.same_as(&definition)) {
            return Err(Problem::fault(at, Fault::MacroRedefined { name: shorten(name) }));
        }
        self.macros.define(name, definition);
        Ok(())
    }

    fn undef(&mut self, position: u32, rest: &[Token<'a>]) -> Result<()> {
        let name = name_of("undef", position, rest)?;
        if name.starts_with("GL_") || name.starts_with("__") || name == "defined" {
            return Err(Problem::fault(position, Fault::MacroReserved { name: shorten(name) }));
        }
        self.macros.undefine(name);
        self.expect_end("undef", rest.get(1..).unwrap_or_default());
        Ok(())
    }

    /// Notes what follows a directive that has ended.
    fn expect_end(&mut self, directive: &str, rest: &[Token<'a>]) {
        if let Some(token) = rest.first() {
            let what = format!("#{directive}: expected the end of the line, found {}", token.tok.describe());
            self.notes.push(Note::oddity(token.position, what));
        }
    }

    fn extension(&mut self, position: u32, rest: &[Token<'a>]) -> Result<()> {
        let name = name_of("extension", position, rest)?;
        if !self.out.is_empty() {
            self.notes.push(Note::oddity(position, "#extension after code: expected before it"));
        }
        let behaviour = match (rest.get(1).map(|token| token.tok), rest.get(2).map(|token| token.tok)) {
            (Some(Tok::Punct(":")), Some(Tok::Ident(word @ ("require" | "enable" | "warn" | "disable")))) => word,
            _ => {
                let at = rest.get(2).or(rest.get(1)).or(rest.first());
                let found = at.map_or(Tok::End, |token| token.tok).describe();
                let expected = "NAME : require, enable, warn or disable";
                let at = at.map_or(position, |token| token.position);
                return Err(Problem::fault(at, Fault::Directive { directive: "extension", expected, found }));
            }
        };
        self.expect_end("extension", rest.get(3..).unwrap_or_default());
        if let (Language::Es100, Some(known)) = (self.language, OF_ES100.iter().find(|known| **known == name)) {
            match behaviour {
                "disable" => drop(self.extensions.remove(known)),
                _ => drop(self.extensions.insert(known)),
            }
            return Ok(());
        }
        let is_in_the_language = self.language != Language::Es100 && IN_ES300.contains(&name);
        if is_in_the_language || behaviour == "disable" || (name == "all" && behaviour == "warn") {
            return Ok(());
        }
        let at = rest.first().map_or(position, |token| token.position);
        if behaviour == "require" || name == "all" {
            let cause = Cause::Unsupported(Unsupported::Extension { name: shorten(name) });
            return Err(Problem::new(at, cause));
        }
        self.notes.push(Note::remark(at, format!("extension '{}' is not supported and ignored", shorten(name))));
        Ok(())
    }

    /// No pragma changes a pixel here, and one that nobody knows is none.
    fn pragma(&mut self, rest: &[Token<'a>]) {
        if let Some(stray) = rest.iter().find(|token| matches!(token.tok, Tok::Other(_))) {
            let what = format!("#pragma: expected characters of the language, found {}", stray.tok.describe());
            self.notes.push(Note::oddity(stray.position, what));
        }
        if let [Token { tok: Tok::Ident(name @ ("debug" | "optimize")), .. }, open, value, ..] = rest
            && open.tok == Tok::Punct("(")
            && !matches!(value.tok, Tok::Ident("on" | "off"))
        {
            let found = value.tok.describe();
            self.notes
                .push(Note::oddity(value.position, format!("#pragma {name}: expected 'on' or 'off', found {found}")));
        }
        let is_of_vertices = |token: &Token<'_>| token.tok == Tok::Ident("invariant");
        if let (Stage::Fragment, [Token { tok: Tok::Ident("STDGL"), .. }, invariant, ..]) = (self.stage, rest)
            && is_of_vertices(invariant)
            && self.language != Language::Es100
        {
            self.notes.push(Note::oddity(invariant.position, "#pragma STDGL invariant is for vertex shaders only"));
        }
    }

    fn line(&mut self, position: u32, rest: &[Token<'a>]) -> Result<()> {
        let mut tokens = Vec::new();
        self.macros.expand(rest, &mut tokens, Context::new(&self.lines))?;
        let values = super::condition::integers("line", position, &tokens);
        let numbers: Option<Vec<u32>> = values.ok().and_then(|values| values.into_iter().map(line_number).collect());
        let (number, file) = match numbers.as_deref() {
            Some([number]) => (*number, None),
            Some([number, file]) => (*number, Some(*file)),
            _ => {
                let is_number = |token: &Token<'_>| matches!(token.tok, Tok::Number(_) | Tok::Line(_));
                let stray = tokens.iter().enumerate().find(|(index, token)| *index > 1 || !is_number(token));
                let expected = "a line number and perhaps a text number";
                let found = stray.or(tokens.iter().enumerate().next_back());
                let found = found.map_or("the end of the line".to_owned(), |(_, token)| token.tok.describe());
                return Err(Problem::fault(position, Fault::Directive { directive: "line", expected, found }));
            }
        };
        // The line after this one gets the number.
        let end = self.line_end(rest.last().map_or(position, |token| token.position));
        self.lines.shift = i64::from(number) - (self.lines.real(end) + 1);
        if let Some(file) = file {
            self.lines.file = file;
        }
        Ok(())
    }

    /// Where the directive ends whose last token is at `position`: a comment after it may reach over line ends.
    fn line_end(&self, position: u32) -> u32 {
        let mut at = position as usize;
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            let stop = rest.find(['\n', '\r', '/']).unwrap_or(rest.len());
            let after = rest.get(stop..).unwrap_or_default();
            at += stop;
            at += if let Some(body) = after.strip_prefix("/*") {
                body.find("*/").map_or(after.len(), |end| end + 4)
            } else if after.starts_with("//") {
                after.find(['\n', '\r']).unwrap_or(after.len())
            } else if after.starts_with('/') {
                1
            } else {
                return at as u32;
            };
        }
    }
}

/// A number after `#line`, if it can be one.
fn line_number(value: i64) -> Option<u32> {
    u32::try_from(i32::try_from(value).ok()?).ok()
}

fn name_of<'a>(directive: &'static str, position: u32, rest: &[Token<'a>]) -> Result<&'a str> {
    match rest.first() {
        Some(Token { tok: Tok::Ident(name), .. }) => Ok(name),
        Some(token) => Err(misused(directive, "a name", token)),
        None => {
            let found = "the end of the line".to_owned();
            Err(Problem::fault(position, Fault::Directive { directive, expected: "a name", found }))
        }
    }
}

/// Reads `(a, b)`; gives the names and how many tokens they took.
fn parameters<'a>(tokens: &[Token<'a>]) -> Result<(Vec<&'a str>, usize)> {
    let mut names = Vec::new();
    let mut used = 1;
    let open = tokens.first().map_or(0, |token| token.position);
    loop {
        let token = tokens.get(used).map(|token| token.tok);
        match (token, tokens.get(used + 1).map(|token| token.tok)) {
            (Some(Tok::Punct(")")), _) if names.is_empty() => return Ok((names, used + 1)),
            (Some(Tok::Ident(name)), Some(Tok::Punct(next @ (")" | ","))))
                if !names.contains(&name) && name != "defined" =>
            {
                if names.len() == MAX_GLSL_MACRO_PARAMETERS {
                    return Err(Problem::limit(open, "parameters of one macro", MAX_GLSL_MACRO_PARAMETERS as u64));
                }
                names.push(name);
                used += 2;
                if next == ")" {
                    return Ok((names, used));
                }
            }
            (found, _) => {
                let found = found.unwrap_or(Tok::End).describe();
                let expected = "distinct parameter names, ',' and ')'";
                return Err(Problem::fault(open, Fault::Directive { directive: "define", expected, found }));
            }
        }
    }
}

fn misused(directive: &'static str, expected: &'static str, token: &Token<'_>) -> Box<Problem> {
    Problem::fault(token.position, Fault::Directive { directive, expected, found: token.tok.describe() })
}
