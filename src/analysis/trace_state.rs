//! State bound at a place, by the ABI that the place is of.

use serde::Serialize;

use super::{Analysis, AnalysisError, StateAt, StreamStateAt};
use crate::command::Place;

/// What is bound at a place, and what is alive.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum TraceState {
    /// By packets of Appendix A.
    Packets(Box<StateAt>),
    /// By submissions.
    Submissions(StreamStateAt),
}

impl Analysis {
    /// The state at `place`, of the ABI of the last command before it; of submissions, where a `context` is named. Of several
    /// contexts it is that of the last command, if none is named.
    pub fn trace_state(&self, place: Place, context: Option<u32>) -> Result<TraceState, AnalysisError> {
        let end = self.resolve_any(place)?.end;
        let is_named = context.is_some() && self.index.first_submission().is_some_and(|first| first.0 < end);
        Ok(if is_named || self.is_submitted(place)? {
            TraceState::Submissions(self.stream_state(place, context)?)
        } else {
            TraceState::Packets(Box::new(self.state(place)?))
        })
    }
}
