//! Markers of a stream that do not pair, by the convention of [`Marker`].

use std::collections::BTreeMap;

use super::{Lint, LintFinding, LintRule};
use crate::command::{FileBytes, Marker};
use crate::format::aerogpu::{FormatError, Trace};
use crate::limits::{MAX_MARKER_BYTES, MAX_MARKER_DEPTH};
use crate::replay::ReplayError;

/// Groups that are open in a frame, by context.
#[derive(Default)]
pub(super) struct OpenMarkers {
    contexts: BTreeMap<u32, OpenGroups>,
}

/// Groups that are open in a context.
#[derive(Default)]
struct OpenGroups {
    /// Offset and text of each `{`, the innermost last.
    known: Vec<(u64, String)>,
    /// Number of those nested more deeply than any group is kept.
    deeper: u64,
}

impl OpenMarkers {
    /// Takes in a marker at an offset: a `}` that closes nothing is noted.
    pub(super) fn see(
        &mut self,
        lint: &mut Lint,
        trace: &Trace,
        text: FileBytes,
        (context, offset): (u32, u64),
    ) -> Result<(), ReplayError> {
        let bytes = trace.read(text.up_to(MAX_MARKER_BYTES).range()).map_err(FormatError::from)?;
        let text = String::from_utf8_lossy(&bytes);
        let open = self.contexts.entry(context).or_default();
        match Marker::parse(&text) {
            Marker::Open(_) if open.known.len() >= MAX_MARKER_DEPTH => open.deeper += 1,
            Marker::Open(name) => open.known.push((offset, name.to_owned())),
            Marker::Close if open.deeper > 0 => open.deeper -= 1,
            Marker::Close if open.known.pop().is_none() => {
                let what = format!("marker `}}` in context {context} closes nothing");
                lint.note_some(offset, LintRule::UnbalancedMarker, || what);
            }
            Marker::Close | Marker::Group(_) | Marker::Name { .. } => {}
        }
        Ok(())
    }

    /// Ends a frame: a `{` that is open is noted, and forgotten.
    pub(super) fn end_frame(&mut self, lint: &mut Lint) {
        for (context, OpenGroups { known, .. }) in std::mem::take(&mut self.contexts) {
            for (offset, name) in known {
                if !lint.counts(LintRule::UnbalancedMarker) {
                    continue;
                }
                let what = format!("marker `{{ {name}` in context {context} is open at the end of its frame");
                let found = LintFinding::new(offset, LintRule::UnbalancedMarker, what);
                lint.add(found.in_group(format!("a marker in context {context} is open at the end of its frame")));
            }
        }
    }
}
