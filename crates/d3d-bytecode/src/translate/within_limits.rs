//! Translation keeps to the limits of every front end.

use super::error::TranslateError;
use super::stage::Stage;
use crate::TokenOffset;
use naga_gate::{Exceeded, check_expressions, check_module};

impl Stage<'_> {
    /// Refuses a program that makes too many expressions, before it makes more.
    pub(super) fn refuse_long_functions(&self) -> Result<(), TranslateError> {
        let count = self.build.function.expressions.len() as u64;
        check_expressions(count).map_err(|exceeded| self.over_gate(exceeded, self.offset))
    }

    /// Refuses a module that is too large for compilers.
    pub(super) fn refuse_large_modules(&self) -> Result<(), TranslateError> {
        check_module(&self.module).map_err(|exceeded| {
            let place = exceeded.place.and_then(|place| u32::try_from(place).ok());
            self.over_gate(exceeded, TokenOffset(place.unwrap_or(0)))
        })
    }

    fn over_gate(&self, exceeded: Exceeded, at: TokenOffset) -> TranslateError {
        let Exceeded { what, found, limit, .. } = exceeded;
        let (version, offset) = (self.program.version(), self.program.file_offset(at));
        TranslateError::OverGate { version, what, found, limit, offset }
    }
}
