//! What is bound at the selected draw, for all tabs that show a part of it.

use crate::analysis::StateAt;
use crate::command::Place;
use crate::inspector::document::{Document, QuestionKind};
use crate::inspector::question::{Answer, DependsOn, Question};

/// The state that was asked for last.
#[derive(Default)]
pub(in crate::inspector) struct BoundState {
    state: Question<Place, Result<StateAt, String>>,
}

impl BoundState {
    /// The state at a place, or the one before it while it is worked out.
    pub(super) fn at(&mut self, document: &Document, place: Place) -> Option<Answer<&Result<StateAt, String>>> {
        self.state.get(document.epoch(DependsOn::Shaders), place, || {
            document.ask(QuestionKind::State, move |analysis, _| analysis.state(place))
        })
    }
}
