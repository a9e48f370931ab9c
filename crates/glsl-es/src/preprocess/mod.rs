//! Tokens in, tokens without directives and macros out. Every token keeps its position in the author's text;
//! one that comes out of a macro has the position of the macro's call.

mod condition;
mod directive;
mod expand;

use std::collections::{BTreeSet, HashMap};

use super::error::{Fault, Note, Problem, Result};
use super::language::Language;
use super::lex::{Tok, Token, lex};
use super::source::{Spliced, Stage};
use crate::limits::MAX_GLSL_TOKENS;
use directive::Conditional;
use expand::{Context, Macros};

/// A text's tokens, and which version of the language they are in.
pub(crate) struct Lexed<'a> {
    tokens: Vec<Token<'a>>,
    /// How many of them say the version.
    used: usize,
    /// The version.
    pub language: Language,
}

/// What preprocessing found.
pub(crate) struct Preprocessed<'a> {
    /// The tokens that are left.
    pub tokens: Vec<Token<'a>>,
    /// Things noticed and passed over.
    pub notes: Vec<Note>,
    /// Extensions that are switched on.
    pub extensions: BTreeSet<&'static str>,
    /// Macros that were called, by the places of their calls: their names, and where they are defined.
    pub expansions: HashMap<u32, (&'a str, u32)>,
}

impl Lexed<'_> {
    /// What is wrong with a text that is of an older version than the text beside it, which is in `other`.
    pub(crate) fn other_version(&self, other: Language) -> Box<Problem> {
        let expected = other.number();
        match self.tokens.first() {
            Some(first) if self.language != Language::Es100 => {
                let position = self.tokens.get(2).unwrap_or(first).position;
                let found = format!("{} es", self.language.number());
                let reason = "the other shader is of that version";
                Problem::fault(position, Fault::Version { expected, found, reason })
            }
            Some(first) if self.used == 0 => {
                let found = format!("{} (a text without it is GLSL ES 1.00)", first.tok.describe());
                Problem::fault(first.position, Fault::VersionMissing { found })
            }
            Some(first) => {
                let reason = "GLSL ES 1.00 is WebGL1's language, and the other shader's is WebGL2's";
                let position = self.tokens.get(2).unwrap_or(first).position;
                Problem::fault(position, Fault::Version { expected, found: "100".to_owned(), reason })
            }
            None => Problem::fault(0, Fault::VersionMissing { found: "an empty text".to_owned() }),
        }
    }
}

/// State while a text is preprocessed.
struct Preprocessor<'a> {
    text: &'a str,
    language: Language,
    stage: Stage,
    extensions: BTreeSet<&'static str>,
    macros: Macros<'a>,
    conditionals: Vec<Conditional>,
    notes: Vec<Note>,
    out: Vec<Token<'a>>,
    lines: Lines<'a>,
}

/// Which line a position is in.
struct Lines<'a> {
    text: &'a Spliced<'a>,
    /// What `#line` adds to the line number.
    shift: i64,
    /// Number of the source string, which only `#line` changes.
    file: u32,
}

impl Lines<'_> {
    /// Line number as the author counts: a continued line is as many lines as it was written in.
    fn real(&self, position: u32) -> i64 {
        i64::from(self.text.line(position))
    }

    /// Line number as `__LINE__` gives it.
    fn counted(&self, position: u32) -> u32 {
        (self.real(position) + self.shift).clamp(0, i64::from(u32::MAX)) as u32
    }
}

/// Splits a whole text into tokens, of which the first may say its version.
pub(crate) fn lexed<'t>(text: &'t Spliced<'_>) -> Result<Lexed<'t>> {
    let tokens = lex(text)?;
    let (language, used) = directive::version(&tokens)?;
    Ok(Lexed { tokens, used, language })
}

/// Preprocesses a whole text.
pub(crate) fn preprocess<'t>(
    text: &'t Spliced<'_>,
    Lexed { tokens, used, language }: &Lexed<'t>,
    stage: Stage,
) -> Result<Preprocessed<'t>> {
    let mut this = Preprocessor {
        text,
        language: *language,
        stage,
        extensions: BTreeSet::new(),
        macros: Macros::new(*language),
        conditionals: Vec::new(),
        notes: Vec::new(),
        out: Vec::with_capacity(tokens.len()),
        lines: Lines { text, shift: 0, file: 0 },
    };
    this.run(tokens.get(*used..).unwrap_or_default())?;
    if let Some(open) = this.conditionals.last() {
        return Err(Problem::fault(open.position, Fault::UnterminatedConditional));
    }
    let Preprocessor { out: tokens, notes, extensions, macros, .. } = this;
    Ok(Preprocessed { tokens, notes, extensions, expansions: macros.into_expansions() })
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
                self.macros.expand(run, &mut self.out, Context::new(&self.lines))?;
                if self.out.len() > MAX_GLSL_TOKENS {
                    return Err(Problem::limit(first.position, "tokens", MAX_GLSL_TOKENS as u64));
                }
            }
        }
        Ok(())
    }

    /// Whether the current group is compiled. None is inside one that isn't.
    fn is_live(&self) -> bool {
        self.conditionals.last().is_none_or(|conditional| conditional.live)
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
    use crate::limits::MAX_GLSL_MACRO_DEPTH;

    fn run(body: &str) -> Result<String> {
        let text = format!("#version 300 es\n{body}");
        let text = Spliced::new(&text);
        let words: Vec<_> = preprocess(&text, &lexed(&text)?, Stage::Fragment)?
            .tokens
            .iter()
            .map(|token| token.tok.describe().replace('\'', ""))
            .collect();
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
    fn a_line_directive_numbers_the_text_too() {
        assert_eq!(run("__FILE__\n#line 20 3\n__FILE__ __LINE__\n#line 40\n__FILE__").unwrap(), "0 3 20 3");
        assert_eq!(run("#define N 40 2\n#line N\n__FILE__ __LINE__").unwrap(), "2 40");
        assert_eq!(run("#line 0x10 010\n__FILE__ __LINE__\n#line 5 __LINE__\n__FILE__").unwrap(), "8 16 17");
        assert_eq!(run("#line 7 3\n#if __FILE__ == 3\na\n#endif").unwrap(), "a");
        assert_eq!(run("#define F __FILE__\n#define f(x) x F\n#line 1 4\nf(__FILE__)").unwrap(), "4 4");
        assert_eq!(run("#define N 3\n#line (N + 1) * 10 2 - 1\n__LINE__ __FILE__").unwrap(), "40 1");
        let bad = ["#line", "#line x", "#line 1 x", "#line 1 2 3", "#line 1 2147483648", "#line 1 - 2", "#line (1"];
        for bad in bad.into_iter().chain(["#line 1 +", "#line defined(x)", "#line 1/0"]) {
            assert!(matches!(fault(bad), Fault::Directive { directive: "line", .. }), "{bad}");
        }
    }

    #[test]
    fn lines_are_counted_as_they_were_written() {
        assert_eq!(run("#define A \\\n 3\nA __LINE__").unwrap(), "3 4");
        assert_eq!(run("a \\\n__LINE__ \\\n\\\n__LINE__\n__LINE__").unwrap(), "a 3 5 6");
        // A macro's body counts where its call ends, arguments where they stand.
        assert_eq!(run("#define A(x) __LINE__ x\nA(\n1\n) A(2) __LINE__").unwrap(), "5 1 5 2 5");
        assert_eq!(
            run("#define A(x) B(x) __LINE__\n#define B(x) __LINE__\n#define C __LINE__\nA(\n1\n) C").unwrap(),
            "7 7 7"
        );
        assert_eq!(run("#define A(x) x __LINE__\nA(__LINE__\n+ __LINE__\n)").unwrap(), "3 + 4 5");
        assert_eq!(run("#if __LINE__ == 2 && \\\n__LINE__ == 3\na\n#endif").unwrap(), "a");
        // The number is that of the line after the directive, wherever in the directive it stands.
        assert_eq!(run("#line 40 \\\n 3 \\\n\n__LINE__ __FILE__").unwrap(), "40 3");
        assert_eq!(run("#line 40 /*\n\n*/ // /*\n__LINE__ /* */").unwrap(), "40");
        assert_eq!(run("#line 40").unwrap(), "");
    }

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        let body = "#define A \\\n 5 // c\n__LINE__ A\n\n#if __LINE__ == 6\n__LINE__\n#endif\n#line 9\n__LINE__";
        for end in ["\n", "\r", "\r\n", "\n\r"] {
            assert_eq!(run(&body.replace('\n', end)).unwrap(), "4 5 7 9", "{end:?}");
            let fault = fault(&"#error no way\nhere".replace('\n', end));
            assert!(matches!(fault, Fault::ErrorDirective { message } if message == "no way"), "{end:?}");
        }
    }

    #[test]
    fn conditionals_choose_a_group() {
        assert_eq!(run("#if defined(X) || 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif").unwrap(), "b");
        assert_eq!(run("#ifdef GL_ES\na\n#else\n\"it's\n#endif").unwrap(), "a");
        assert_eq!(run("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif").unwrap(), "c");
        assert_eq!(run("#if (1 + 2 * 3 == 7) && !(0x10 >> 2 != 4) && (-1 < 0)\na\n#endif").unwrap(), "a");
        assert_eq!(run("#ifndef X\n#define X 2\n#endif\n#if X > 1 && defined X\na\n#endif").unwrap(), "a");
        assert_eq!(run("#if 0 && (1 / 0)\na\n#endif\nb").unwrap(), "b");
        assert_eq!(run("#if 2147483647 + 1 > 0 && 0xffffffff > 0 && 1 << 40 > 99999999999\na\n#endif").unwrap(), "a");
        assert_eq!(run("#if 9223372036854775807 + 1 < 0 && - (1 << 63) == 1 << 63\na\n#endif").unwrap(), "a");
        assert_eq!(run("#\na").unwrap(), "a");
    }

    #[test]
    fn defined_may_come_out_of_a_macro() {
        let holds = |lines: &str| run(&format!("{lines}\n1\n#else\n0\n#endif")).unwrap() == "1";
        assert!(holds("#define HAS defined(GL_ES)\n#if HAS"));
        assert!(holds("#define HAS defined GL_ES\n#if 0\n#elif HAS"));
        assert!(!holds("#define BOTH (defined(GL_ES) && defined X)\n#if BOTH"));
        // Its operand isn't expanded: X is nothing.
        assert!(holds("#define BOTH (defined(GL_ES) && defined X)\n#define X\n#if BOTH"));
        assert!(holds("#define SELF defined(SELF)\n#if SELF"));
        assert!(holds("#define HAS defined(f)\n#define f(x) x\n#if HAS && f(f(HAS))"));
        assert!(holds("#define f(x) x\n#define X\n#define HAS f(defined X)\n#if HAS && f(defined(X))"));
        assert!(holds("#define D defined\n#define X\n#if D X && !D(Y)"));
        // An argument is expanded before it comes to 'defined'.
        assert!(holds("#define has(x) defined(x)\n#if !has(X)"));
        for bad in ["#define has(x) defined(x)\n#if has(GL_ES)", "#define H defined(a\n#if H", "#if defined"] {
            assert!(matches!(fault(bad), Fault::Directive { directive: "if", .. }), "{bad}");
        }
        assert_eq!(run("#define HAS defined(GL_ES)\nHAS").unwrap(), "defined ( 1 )");
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
        let version = |text| lexed(&Spliced::new(text)).err().unwrap().cause;
        for bad in ["#version 100 es", "#version 320 es", "#version 330", "#version 300", "#version"] {
            let message = format!("{:?}", version(bad));
            assert!(message.contains("Version"), "{bad}: {message}");
        }
        for text in ["", "void main() {}", "#version 100\n", "#define A\n#version 300 es"] {
            assert_eq!(lexed(&Spliced::new(text)).unwrap().language, Language::Es100, "{text}");
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
        let nested = |levels: usize, inner: &str| {
            run(&format!("#define f(x) x\n{}{inner}{}", "f(".repeat(levels), ")".repeat(levels)))
        };
        assert_eq!(nested(MAX_GLSL_MACRO_DEPTH, "1").unwrap(), "1");
        for (levels, inner) in [(MAX_GLSL_MACRO_DEPTH + 2, ""), (100_000, ""), (100, &"1 ".repeat(50_000))] {
            assert!(matches!(nested(levels, inner).unwrap_err().cause, super::super::error::Cause::Limit(_)));
        }
        let parameters: Vec<String> = (0..100_000).map(|number| format!("p{number}")).collect();
        let wide = run(&format!("#define f({}) 1", parameters.join(","))).unwrap_err();
        assert!(matches!(wide.cause, super::super::error::Cause::Limit(_)));
    }

    /// What is looked up at every level must not be looked for among all of them.
    #[test]
    fn long_chains_take_their_length() {
        let chain: String = (0..40_000).map(|level| format!("#define a{} a{level}\n", level + 1)).collect();
        assert_eq!(run(&(chain + "a40000")).unwrap(), "a0");
        let levels = 60_000;
        let nested = "#if 1\n".repeat(levels) + "x\n" + &"#endif\n".repeat(levels);
        assert_eq!(run(&nested).unwrap(), "x");
    }
}
