//! Going on after an error, so that all errors of a text are told.

use super::super::error::Problem;
use super::super::lex::Tok;
use super::Parser;

/// Where something begins that may turn out wrong.
#[derive(Clone, Copy)]
pub(super) struct State {
    at: usize,
    expression_depth: usize,
    statement_depth: usize,
    struct_depth: usize,
    precisions: usize,
}

impl Parser<'_, '_> {
    /// What [`Self::recover`] goes back to.
    pub(super) fn state(&self) -> State {
        State {
            at: self.at,
            expression_depth: self.expression_depth,
            statement_depth: self.statement_depth,
            struct_depth: self.struct_depth,
            precisions: self.precisions.enter(),
        }
    }

    /// Goes on behind what began at `state` and is wrong: behind its `;` or its closing brace, or before the brace that
    /// closes what is around it. What nests too deep ends the text.
    pub(super) fn recover(&mut self, state: State, problem: Problem) {
        let ends_all = problem.is_nesting();
        self.problems.push(problem);
        if ends_all || self.problems.are_enough() {
            self.at = self.tokens.len();
            return;
        }
        let failed_at = self.at;
        self.expression_depth = state.expression_depth;
        self.statement_depth = state.statement_depth;
        self.struct_depth = state.struct_depth;
        self.precisions.leave(state.precisions);
        // The heads of loops have semicolons of their own.
        let is_loop = matches!(self.tokens.get(state.at).map(|token| token.tok), Some(Tok::Ident("for")));
        let (mut braces, mut brackets) = (0_usize, 0_usize);
        self.at = state.at;
        while let Some(token) = self.tokens.get(self.at) {
            let is_past = self.at >= failed_at;
            match token.tok {
                Tok::Punct("{") => braces += 1,
                Tok::Punct("}") if braces == 0 && is_past => {
                    // A brace that closes nothing is passed over.
                    self.at += usize::from(self.at == state.at);
                    return;
                }
                Tok::Punct("}") => {
                    braces = braces.saturating_sub(1);
                    if braces == 0 && is_past {
                        self.at += 1;
                        return;
                    }
                }
                Tok::Punct("(") => brackets += 1,
                Tok::Punct(")") => brackets = brackets.saturating_sub(1),
                Tok::Punct(";") if is_past && braces == 0 && (brackets == 0 || !is_loop) => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}
