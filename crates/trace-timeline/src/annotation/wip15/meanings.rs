//! Calls with a meaning: spans, messages, labels, queries, contexts.

use super::Lane;
use super::arguments::{cut_text, element, inside, number, signed, text};
use super::mapping::{CallPosition, Mapper, Pending};
use super::roles::{Role, SpanKind};
use crate::limits::{MAX_TIMELINE_CONTEXTS, MAX_TIMELINE_QUERIES};
use crate::wip15::{Call, Element};
use crate::{InstantKind, Measurement, Oddity, SpanFlags, StringId, Timing, TrackId, TrackKind};

/// Stands for every context past [`MAX_TIMELINE_CONTEXTS`].
const OTHER_CONTEXTS: u64 = u64::MAX;

const GL_TIMESTAMP: u64 = 0x8e28;
const GL_TIME_ELAPSED: u64 = 0x88bf;
const GL_QUERY_RESULT: u64 = 0x8866;

impl Mapper {
    /// Maps a call with a meaning; `None` if its arguments don't fit the meaning.
    pub(super) fn map_meaning(
        &mut self,
        call: &Call<'_>,
        role: Role,
        name: StringId,
        place: CallPosition,
    ) -> Option<()> {
        match role {
            Role::Plain | Role::Draw | Role::Swap { .. } => {}
            Role::MakeCurrent { context } => {
                let handle = number(call, context)?;
                if matches!(call.result().and_then(inside)?, Element::Bool(true)) {
                    self.context = handle;
                }
            }
            Role::Begin(kind) => self.begin_span(call, kind, place)?,
            Role::End(kind) => self.end_span(call, kind, place)?,
            Role::Message => {
                let text = cut_text(call, 4, 5)?;
                self.message(text, InstantKind::Message, place);
            }
            Role::TextMarker => {
                let text = cut_text(call, 0, 1)?;
                self.message(text, InstantKind::Marker, place);
            }
            Role::Size => {
                self.frame.calls -= 1;
                let size = format!("{}x{}", signed(call, 0)?, signed(call, 1)?);
                self.message(size.as_bytes(), InstantKind::Size, place);
            }
            Role::Label { length } => {
                let text = self.builder.intern(cut_text(call, length, length + 1)?);
                self.builder.instant(self.labels, place.begin, text, place.record, InstantKind::Label);
            }
            Role::QueryCounter => {
                if number(call, 1)? == GL_TIMESTAMP {
                    self.expect_result(number(call, 0)?, Pending::Stamp(place.begin));
                }
            }
            Role::QueryResult => self.query_result(call)?,
            Role::Pseudo => {
                self.frame.calls -= 1;
                self.builder.instant(self.messages, place.begin, name, place.record, InstantKind::Internal);
            }
        }
        Some(())
    }

    fn message(&mut self, text: &[u8], kind: InstantKind, place: CallPosition) {
        let text = self.builder.intern(text);
        self.builder.instant(self.messages, place.begin, text, place.record, kind);
    }

    fn begin_span(&mut self, call: &Call<'_>, kind: SpanKind, place: CallPosition) -> Option<()> {
        let hex = |number: u64| format!("{number:#x}").into_bytes();
        let text = match kind {
            SpanKind::Group => cut_text(call, 2, 3)?.to_vec(),
            SpanKind::Marker => cut_text(call, 0, 1)?.to_vec(),
            SpanKind::Query | SpanKind::Feedback => hex(number(call, 0)?),
            SpanKind::Test => text(call, 0)?.to_vec(),
        };
        let text = self.builder.intern(&text);
        let track = self.lane(kind);
        let flags = SpanFlags::default();
        if kind != SpanKind::Query {
            self.builder.open(track, place.begin, text, place.record, flags);
            return Some(());
        }
        let (target, id) = (number(call, 0)?, number(call, 1)?);
        if self.open_queries.len() >= MAX_TIMELINE_QUERIES {
            return None;
        }
        let span = self.builder.open_beside(track, place.begin, text, place.record, flags);
        self.open_queries.insert((self.context, target), span);
        if target == GL_TIME_ELAPSED {
            self.expect_result(id, Pending::Elapsed(track, span));
        }
        Some(())
    }

    /// Remembers a query; one past the cap keeps its call and loses its time.
    fn expect_result(&mut self, id: u64, pending: Pending) {
        if self.pending.len() < MAX_TIMELINE_QUERIES || self.pending.contains_key(&id) {
            self.pending.insert(id, pending);
        }
    }

    fn end_span(&mut self, call: &Call<'_>, kind: SpanKind, place: CallPosition) -> Option<()> {
        let was_open = if kind == SpanKind::Query {
            let key = (self.context, number(call, 0)?);
            let span = self.open_queries.remove(&key);
            if let Some(span) = span {
                let track = self.lane(kind);
                self.builder.end_span(track, span, place.end, Timing::Closed);
            }
            span.is_some()
        } else {
            let track = self.lane(kind);
            self.builder.close(track, place.end).is_ok()
        };
        if !was_open {
            self.unmatched_pops += 1;
            let track = self.lane(kind);
            self.builder.oddity(Oddity::UnmatchedEnd, track, place.begin, place.record);
        }
        Some(())
    }

    fn query_result(&mut self, call: &Call<'_>) -> Option<()> {
        if number(call, 1)? != GL_QUERY_RESULT {
            return Some(());
        }
        let id = number(call, 0)?;
        let nanos = match element(call, 2) {
            // Older recorders keep only the address of the result.
            None | Some(Element::Ptr(_)) => return Some(()),
            Some(_) => number(call, 2)?,
        };
        match self.pending.remove(&id) {
            Some(Pending::Stamp(at)) => self.builder.stamp(at, nanos),
            Some(Pending::Elapsed(track, span)) => self.builder.measurement(Measurement { track, span, nanos }),
            None => {}
        }
        Some(())
    }

    /// The track for spans of `kind` in the current context.
    fn lane(&mut self, kind: SpanKind) -> TrackId {
        let is_full = self.contexts.len() >= MAX_TIMELINE_CONTEXTS && !self.contexts.contains_key(&self.context);
        let context = if is_full { OTHER_CONTEXTS } else { self.context };
        if let Some(track) = self.lane_tracks.get(&(context, kind)) {
            return *track;
        }
        let builder = &mut self.builder;
        let parent = *self.contexts.entry(context).or_insert_with(|| {
            let name = match context {
                0 => "no context".into(),
                OTHER_CONTEXTS => "further contexts".into(),
                context => format!("context {context:#x}"),
            };
            let name = builder.intern(name.as_bytes());
            builder.track(name, TrackKind::Group, None)
        });
        let row = if kind == SpanKind::Query { TrackKind::Ranges } else { TrackKind::Stack };
        let name = builder.intern(kind.heading().as_bytes());
        let track = builder.track(name, row, Some(parent));
        self.lane_tracks.insert((context, kind), track);
        self.lanes.push(Lane { track, context, kind });
        track
    }
}
