//! What is bound at a place, of whichever packets the trace is made.

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
    /// The state at `place`; behind submissions of one context: that of the last command, if none is named.
    pub fn trace_state(&self, place: Place, context: Option<u32>) -> Result<TraceState, AnalysisError> {
        Ok(if self.is_submitted(place)? {
            TraceState::Submissions(self.stream_state(place, context)?)
        } else {
            TraceState::Packets(Box::new(self.state(place)?))
        })
    }
}
