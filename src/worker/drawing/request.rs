//! Requests to a worker that draws, and its answers.

use serde::{Deserialize, Serialize};

use super::super::message::Job;
use crate::questions::{Question, Refusal, Reply, TraceToDraw};

/// A request about a trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// To open a trace, or to draw one that is open in another way.
    Prepare(TraceToDraw, Purpose),
    /// To let go of a trace.
    Forget(u32),
    /// To answer a question about a trace that is open.
    Ask(u32, Question),
}

/// Purpose of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// It draws, on a device.
    Drawing,
    /// It compiles texts, for which it needs none.
    Checking,
}

/// The answer to a request that could be answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrawingAnswer {
    /// The trace is open, and a device of this adapter where one is needed.
    Ready(Option<String>),
    /// The trace is let go.
    Forgotten,
    /// The reply to a question.
    Replied(Reply),
}

impl Job for Request {
    const KIND: &'static str = "drawing";
    type Answer = Result<DrawingAnswer, Refusal>;
}
