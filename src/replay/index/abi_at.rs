//! The ABI that a place of a trace with both belongs to: that of its own command, and, of a picture, that of the command
//! that has shown it.

use super::TraceIndex;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::error::Internal;

impl TraceIndex {
    /// Whether the last command before the command `end` is one of a submission.
    pub fn is_submission_before(&self, end: u32) -> bool {
        let last = end.checked_sub(1).map(CommandNumber);
        last.is_some_and(|last| self.submission_of(last).is_some())
    }

    /// Whether a submission has shown what is on the screen `scanout` before the command `end`; where nothing was shown yet,
    /// whether the last command is one.
    pub fn shows_submission(&self, scanout: Option<u32>, end: u32) -> Result<bool, Internal> {
        let presented = scanout.and_then(|scanout| self.shown_on(scanout, end));
        Ok(match (presented, self.canvas_shown_before(end)?) {
            (Some(presented), Some(canvas)) => presented > canvas,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => self.is_submission_before(end),
        })
    }

    /// The last command of no submission before the command `end` after which its target is seen: whatever draws on it, or
    /// presents it.
    pub(super) fn canvas_shown_before(&self, end: u32) -> Result<Option<CommandNumber>, Internal> {
        // silent: no command before shows the target of Appendix A
        let Some(first) = self.first_unsubmitted.filter(|first| first.0 < end) else { return Ok(None) };
        let shows = |step: &ResolvedCommand| match step {
            ResolvedCommand::Clear { .. } | ResolvedCommand::Present => true,
            ResolvedCommand::Draw { vertex_count, .. } => *vertex_count > 0,
            _ => false,
        };
        let shown = self.steps_in(first.0..end)?.rfind(|(_, step)| shows(step));
        Ok(shown.map(|(number, _)| CommandNumber(number)))
    }
}
