//! Tokens in, tokens without directives and macros out. Every token keeps its position in the author's text;
//! one that comes out of a macro has the position of the macro's call.

mod condition;
mod directive;
mod expand;

use super::error::{Fault, Problem, Result};
use super::lex::{Tok, Token, lex};
use crate::bytes::limits::MAX_GLSL_TOKENS;
use directive::Conditional;
use expand::Macros;

/// What preprocessing found.
pub struct Preprocessed<'a> {
    /// The tokens that are left.
    pub tokens: Vec<Token<'a>>,
    /// Things noticed and passed over: (position, what).
    pub notes: Vec<(u32, String)>,
}

/// State while a text is preprocessed.
struct Preprocessor<'a> {
    text: &'a str,
    macros: Macros<'a>,
    conditionals: Vec<Conditional>,
    notes: Vec<(u32, String)>,
    out: Vec<Token<'a>>,
    lines: Lines,
}

/// Which line a position is in.
struct Lines {
    /// Byte positions at which lines begin.
    starts: Vec<u32>,
    /// What `#line` adds to the line number.
    shift: i64,
}

impl Lines {
    fn new(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
        Self { starts: std::iter::once(0).chain(breaks).collect(), shift: 0 }
    }

    /// Line number as the author counts.
    fn real(&self, position: u32) -> i64 {
        self.starts.partition_point(|&start| start <= position) as i64
    }

    /// Line number as `__LINE__` gives it.
    fn counted(&self, position: u32) -> u32 {
        (self.real(position) + self.shift).clamp(0, i64::from(u32::MAX)) as u32
    }
}

/// Preprocesses a whole text, whose first directive must be `#version 300 es`.
pub fn preprocess(text: &str) -> Result<Preprocessed<'_>> {
    let tokens = lex(text)?;
    let mut this = Preprocessor {
        text,
        macros: Macros::new(),
        conditionals: Vec::new(),
        notes: Vec::new(),
        out: Vec::with_capacity(tokens.len()),
        lines: Lines::new(text),
    };
    let body = this.version(&tokens)?;
    this.run(body)?;
    if let Some(open) = this.conditionals.last() {
        return Err(Problem::fault(open.position, Fault::UnterminatedConditional));
    }
    Ok(Preprocessed { tokens: this.out, notes: this.notes })
}

impl<'a> Preprocessor<'a> {
    /// Walks lines: directives are obeyed, runs of other lines expanded.
    fn run(&mut self, mut rest: &[Token<'a>]) -> Result<()> {
        while let Some(first) = rest.first() {
            if is_directive(first) {
                let length = line_length(rest);
                let (line, tail) = rest.split_at(length);
                rest = tail;
                self.directive(first.position, line.get(1..).unwrap_or_default())?;
                continue;
            }
            let length = rest.iter().position(is_directive).unwrap_or(rest.len());
            let (run, tail) = rest.split_at(length);
            rest = tail;
            if self.is_live() {
                self.macros.expand(run, &mut self.out, 0, &self.lines)?;
                if self.out.len() > MAX_GLSL_TOKENS {
                    return Err(Problem::limit(first.position, "tokens", MAX_GLSL_TOKENS as u64));
                }
            }
        }
        Ok(())
    }

    /// Whether the current group is compiled.
    fn is_live(&self) -> bool {
        self.conditionals.iter().all(|conditional| conditional.live)
    }
}

fn is_directive(token: &Token<'_>) -> bool {
    token.starts_line && token.tok == Tok::Punct("#")
}

fn line_length(tokens: &[Token<'_>]) -> usize {
    tokens.iter().skip(1).position(|token| token.starts_line).map_or(tokens.len(), |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(body: &str) -> Result<String> {
        let text = format!("#version 300 es\n{body}");
        let words: Vec<_> =
            preprocess(&text)?.tokens.iter().map(|token| token.tok.describe().replace('\'', "")).collect();
        Ok(words.join(" "))
    }

    fn fault(body: &str) -> Fault {
        match run(body).unwrap_err().cause {
            super::super::error::Cause::Fault(fault) => fault,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn macros_expand_with_arguments_and_rescan() {
        assert_eq!(run("#define f(x, y) x*(y)\nf(a, (b, c))").unwrap(), "a * ( ( b , c ) )");
        assert_eq!(run("#define f(x) x\n#define g f\ng\n(1)").unwrap(), "1");
        assert_eq!(run("#define f() 7\nf() f").unwrap(), "7 f");
        assert_eq!(run("#define x (x+1)\nx").unwrap(), "( x + 1 )");
        assert_eq!(run("#define a b\n#define b a\na").unwrap(), "a");
        assert_eq!(run("#define f(x) x x\nf(f(1))").unwrap(), "1 1 1 1");
        assert_eq!(run("#define A (x)\nA").unwrap(), "( x )");
        assert_eq!(run("\n\n__LINE__\n#line 100\n__LINE__ __VERSION__ GL_ES").unwrap(), "4 100 300 1");
    }

    #[test]
    fn conditionals_choose_a_group() {
        assert_eq!(run("#if defined(X) || 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif").unwrap(), "b");
        assert_eq!(run("#ifdef GL_ES\na\n#else\n\"it's\n#endif").unwrap(), "a");
        assert_eq!(run("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif").unwrap(), "c");
        assert_eq!(run("#if (1 + 2 * 3 == 7) && !(0x10 >> 2 != 4) && (-1 < 0)\na\n#endif").unwrap(), "a");
        assert_eq!(run("#ifndef X\n#define X 2\n#endif\n#if X > 1 && defined X\na\n#endif").unwrap(), "a");
        assert_eq!(run("#if 0 && (1 / 0)\na\n#endif\nb").unwrap(), "b");
        assert_eq!(run("#\na").unwrap(), "a");
    }

    #[test]
    fn broken_directives_are_named() {
        assert!(matches!(fault("#if 1"), Fault::UnterminatedConditional));
        assert!(matches!(fault("#else"), Fault::StrayConditional { found: "else" }));
        assert!(matches!(fault("#define f(x) x\nf(1"), Fault::UnterminatedMacro { .. }));
        assert!(matches!(fault("#define f(x) x\nf(1, 2)"), Fault::MacroArguments { expected: 1, found: 2, .. }));
        assert!(matches!(fault("#define a 1\n#define a 2"), Fault::MacroRedefined { .. }));
        assert!(matches!(fault("#define GL_x 1"), Fault::MacroReserved { .. }));
        assert!(matches!(fault("#error no way"), Fault::ErrorDirective { message } if message == "no way"));
        assert!(matches!(fault("#frob"), Fault::UnknownDirective { .. }));
        assert!(matches!(fault("#if 1 +\n#endif"), Fault::Directive { directive: "if", .. }));
        assert!(matches!(fault("#if 1 / 0\n#endif"), Fault::Directive { directive: "if", .. }));
    }

    #[test]
    fn versions_other_than_300_es_get_a_sentence() {
        let version = |text| preprocess(text).err().unwrap().cause;
        for bad in ["", "void main(){}", "#version 100", "#version 310 es", "#version 330", "#version 300", "#version"]
        {
            let message = format!("{:?}", version(bad));
            assert!(message.contains("Version"), "{bad}: {message}");
        }
    }

    #[test]
    fn bombs_stop_at_the_budget() {
        let mut bomb = String::from("#define a0 x x\n");
        for level in 1..40 {
            bomb += &format!("#define a{level} a{0} a{0}\n", level - 1);
        }
        assert!(matches!(run(&(bomb.clone() + "a39")).unwrap_err().cause, super::super::error::Cause::Limit(_)));
        let vanishing = bomb.replace("x x", "") + "a39";
        assert!(matches!(run(&vanishing).unwrap_err().cause, super::super::error::Cause::Limit(_)));
        let nested = format!("#define f(x) x\n{}{}", "f(".repeat(100_000), ")".repeat(100_000));
        assert!(matches!(run(&nested).unwrap_err().cause, super::super::error::Cause::Limit(_)));
    }
}
