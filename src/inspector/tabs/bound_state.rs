//! What is bound at the selected draw, for all tabs that show a part of it.

use crate::analysis::TraceState;
use crate::command::Place;
use crate::inspector::document::{Document, QuestionKind};
use crate::inspector::question::{Answer, DependsOn, Question};

/// The state that was asked for last.
#[derive(Default)]
pub(in crate::inspector) struct BoundState {
    state: Question<(Place, Option<u32>), Result<TraceState, String>>,
}

impl BoundState {
    /// The state of a context at a place, or the one before it while it is worked out.
    pub(super) fn at(
        &mut self,
        document: &Document,
        place: Place,
        context: Option<u32>,
    ) -> Option<Answer<&Result<TraceState, String>>> {
        self.state.get(document.epoch(DependsOn::Shaders), (place, context), || {
            document.ask(QuestionKind::State, move |analysis, _| analysis.trace_state(place, context))
        })
    }
}
