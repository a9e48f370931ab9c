//! Paints sections.

use std::collections::BTreeMap;

use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Stroke, pos2, vec2};

use super::axis_map::{Coarse, OnScreen, TicksOnScreen};
use super::budget::FrameBudget;
use super::cell_mesh::{CellMesh, LABEL_SIZE, Label, LayoutBudget};
use super::colours::{Colours, mix};
use super::find::{StepExtents, TrackMatches};
use super::lane::{AxisState, LaneAlignment, LaneState};
use super::layout::{GRAPH_PX, INSTANTS_PX, LaneContent, LaneSection, Parts, ROW_PX};
use super::ruler::ruler_ticks;
use crate::timeline::lod::{Cell, FrameExtents, InstantExtents, Scale, SpanExtents, TrackLod, walk_steps};
use crate::timeline::{InstantKind, Track, TrackId, TrackKind};

/// Cells leave this much between rows.
const BETWEEN_ROWS_PX: f32 = 1.0;
/// Ticks of a ruler stand at least this far from each other.
const STROKE_PX: f32 = 88.0;

/// Where things are painted, and with what.
pub(super) struct TrackPainter<'a> {
    /// Clipped to the tracks' part of the panel.
    pub painter: &'a Painter,
    pub colours: &'a Colours,
    /// Whether what is not found is dimmed.
    pub is_dimmed: bool,
    pub budget: &'a LayoutBudget,
    pub frame_budget: FrameBudget,
}

impl TrackPainter<'_> {
    fn base(&self, colour: Color32) -> Color32 {
        if self.is_dimmed { self.colours.dimmed(colour) } else { colour }
    }

    /// Paints the part of a section that is right of the names.
    pub(crate) fn section(
        &self,
        state: &LaneState,
        section: &LaneSection,
        top: f32,
        axis: OnScreen,
        found: Option<&TrackMatches>,
    ) {
        let scale = TicksOnScreen::new(&state.axis_map, axis);
        let source = StripSource { tracks: self, state, scale: &scale, found };
        let mut painter = StripPainter { source, cells: CellMesh::new(self.painter, self.colours), labels: Vec::new() };
        match section.what {
            LaneContent::Heading | LaneContent::Ruler => {}
            LaneContent::Frames => painter.frames(top),
            LaneContent::Track(id) => painter.track(id, top),
        }
        painter.finish();
    }

    fn is_seen(&self, top: f32, height: f32) -> bool {
        let clip = self.painter.clip_rect();
        top < clip.bottom() && top + height > clip.top()
    }

    /// Lines between the points of flows; gives back whether all that are seen were painted.
    pub(crate) fn flows(&self, state: &LaneState, axis: OnScreen, tops: &BTreeMap<TrackId, f32>) -> bool {
        let Some(flows) = &state.flows else { return true };
        let scale = TicksOnScreen::new(&state.axis_map, axis);
        let points = &state.lane.timeline.flows;
        let place = |index: u32| {
            let point = points.get(index as usize)?;
            let (id, top) = (point.track, tops.get(&point.track)?);
            let track = state.lane.timeline.track(id)?;
            let parts = Parts::of(state, id, track);
            let rows = parts.rows.max(1) - 1;
            let row = (point.depth as usize + track.without_begin.len()).saturating_sub(1).min(rows);
            let y = top + parts.spans.unwrap_or(0.0) + (row as f32 + 0.5) * ROW_PX;
            Some(pos2(axis.clamped(scale.px(point.at.0)), y))
        };
        let stroke = Stroke::new(1.0, self.colours.flow);
        flows.walk(points, &scale, |link| {
            if let (Some(from), Some(to)) = (place(link.from), place(link.to)) {
                self.arrow(from, to, stroke);
            }
        })
    }

    fn arrow(&self, from: Pos2, to: Pos2, stroke: Stroke) {
        if (to - from).length() < 2.0 {
            return;
        }
        self.painter.line_segment([from, to], stroke);
        let back = (from - to).normalized() * 5.0;
        let side = vec2(-back.y, back.x) * 0.5;
        self.painter.line_segment([to, to + back + side], stroke);
        self.painter.line_segment([to, to + back - side], stroke);
    }

    /// A ruler with steps of 1, 2 and 5.
    pub(crate) fn ruler(&self, axis: &AxisState, screen: OnScreen, top: f32, height: f32) {
        let apart = f64::from(STROKE_PX / screen.width.max(1.0));
        let font = FontId::proportional(LABEL_SIZE);
        for stroke in ruler_ticks(axis.view, axis.unit, apart) {
            let x = screen.x(stroke.place).round() + 0.5;
            let line = [pos2(x, top + height - 6.0), pos2(x, top + height)];
            self.painter.line_segment(line, Stroke::new(1.0, self.colours.faint_text));
            let at = pos2(x + 3.0, top + 2.0);
            self.painter.text(at, Align2::LEFT_TOP, &stroke.label, font.clone(), self.colours.faint_text);
        }
    }

    /// Thin lines where frames begin, as long as they can be told apart.
    pub(crate) fn frame_lines(&self, axis: &AxisState, screen: OnScreen, top: f32, bottom: f32) {
        let first = axis.frames.partition_point(|begin| *begin < axis.view.begin);
        let last = axis.frames.partition_point(|begin| *begin <= axis.view.end);
        let spacing = screen.width / (last - first).max(1) as f32;
        if spacing < 5.0 {
            return;
        }
        let colour = self.colours.frame_line.gamma_multiply(((spacing - 5.0) / 20.0).clamp(0.25, 1.0));
        for begin in axis.frames.get(first..last).unwrap_or_default() {
            let x = screen.x(*begin).round() + 0.5;
            self.painter.line_segment([pos2(x, top), pos2(x, bottom)], Stroke::new(1.0, colour));
        }
    }
}

/// What a section is painted of.
#[derive(Clone, Copy)]
struct StripSource<'a> {
    tracks: &'a TrackPainter<'a>,
    state: &'a LaneState,
    scale: &'a TicksOnScreen<'a>,
    /// What the filter finds on it.
    found: Option<&'a TrackMatches>,
}

/// Paints one section.
struct StripPainter<'a> {
    source: StripSource<'a>,
    cells: CellMesh<'a>,
    /// Above all cells.
    labels: Vec<Label>,
}

impl StripPainter<'_> {
    /// Puts everything on the screen.
    fn finish(self) {
        self.cells.finish();
        let tracks = self.source.tracks;
        for label in self.labels {
            label.paint(tracks.painter, tracks.colours.label(), tracks.budget);
        }
    }

    /// A row of frames, shaded in turn.
    fn frames(&mut self, top: f32) {
        let StripSource { tracks, state, scale, .. } = self.source;
        let (cells, labels) = (&mut self.cells, &mut self.labels);
        let (Some(rows), frames) = (&state.frames, &state.lane.timeline.frames) else { return };
        // Frames whose length nobody recorded are shaded in turn.
        let shades = [0.30, 0.42].map(|share| mix(tracks.colours.ground, tracks.colours.faint_text, share));
        let kept = |index: u32| state.frame_lengths.longest(index..=index).map(|nanos| tracks.frame_budget.of(nanos));
        for row in 0..rows.count() {
            let (top, height) = (top + row as f32 * ROW_PX, ROW_PX - BETWEEN_ROWS_PX);
            if !tracks.is_seen(top, height) {
                continue;
            }
            rows.walk(row, &FrameExtents { frames }, scale, |cell| match cell {
                Cell::One { position, left, right } => {
                    let (left, right) = (scale.axis.clamped(left), scale.axis.clamped(right));
                    let index = rows.index(row, position).unwrap_or(0);
                    let [even, odd] = shades;
                    let shade = if index % 2 == 0 { even } else { odd };
                    let colour = kept(index).map_or(shade, |kept| tracks.colours.of_budget(kept));
                    cells.cell((left, right), (top, height), colour);
                    if right - left > 14.0 {
                        let text = frames.get(index as usize).map_or(String::new(), |frame| frame.number.to_string());
                        cells.label(labels, &text, (left, right), top + 1.0);
                    }
                }
                Cell::Many { left, right, first, count, .. } => {
                    // Of many in one place the worst is seen.
                    let last = first.saturating_add(count).saturating_sub(1);
                    let ends = rows.index(row, first).zip(rows.index(row, last));
                    let longest = ends.and_then(|(first, last)| state.frame_lengths.longest(first..=last));
                    let worst = longest.map(|nanos| tracks.frame_budget.of(nanos));
                    let many = mix(tracks.colours.ground, tracks.colours.faint_text, 0.22);
                    let shade =
                        worst.map_or(many, |kept| mix(tracks.colours.ground, tracks.colours.of_budget(kept), 0.7));
                    cells.cell((scale.axis.clamped(left), scale.axis.clamped(right)), (top, height), shade);
                }
            });
        }
    }

    fn track(&mut self, id: TrackId, top: f32) {
        let StripSource { tracks, state, scale, .. } = self.source;
        let Some(track) = state.lane.timeline.track(id) else { return };
        let Some(lod) = state.tracks.get(id.index()).and_then(Option::as_ref) else {
            let at = pos2(scale.axis.left + 6.0, top + 2.0);
            let font = FontId::proportional(LABEL_SIZE);
            tracks.painter.text(at, Align2::LEFT_TOP, "reading…", font, tracks.colours.faint_text);
            return;
        };
        let parts = Parts::of(state, id, track);
        let height = if parts.height < GRAPH_PX { ROW_PX } else { GRAPH_PX };
        if let Some(offset) = parts.graph {
            self.graph(track, lod, (top + offset, height - 2.0));
        }
        if let Some(offset) = parts.steps {
            self.steps(track, top + offset);
        }
        if let Some(offset) = parts.spans {
            self.spans(track, lod, (top + offset, parts.rows));
        }
        if let Some(offset) = parts.instants {
            self.instants(track, lod, top + offset);
        }
    }

    fn spans(&mut self, track: &Track, lod: &TrackLod, (top, rows): (f32, usize)) {
        let StripSource { tracks, state, scale, found } = self.source;
        let (cells, labels) = (&mut self.cells, &mut self.labels);
        let extents = SpanExtents { track, tints: &state.tints };
        let clip = tracks.painter.clip_rect();
        // Of a million open scopes only the rows on the screen are asked for.
        let first = ((clip.top() - top) / ROW_PX).max(0.0) as usize;
        let last = (((clip.bottom() - top) / ROW_PX).max(0.0).ceil() as usize).min(rows);
        for row in first..last {
            let y = (top + row as f32 * ROW_PX, ROW_PX - BETWEEN_ROWS_PX);
            let mut paint = |rows: &crate::timeline::lod::Rows, is_base: bool| {
                // Two pictures for the price of one: what is found is drawn a little coarser, what isn't even more so.
                let px = if !tracks.is_dimmed {
                    1.0
                } else if is_base {
                    3.0
                } else {
                    2.0
                };
                let place = |at: f64| scale.axis.clamped(at * px);
                rows.walk(row, &extents, &Coarse { scale, px }, |cell| match cell {
                    Cell::One { position, left, right } => {
                        let ends = (place(left), place(right));
                        let Some(span) = rows.index(row, position).and_then(|index| extents.span(index)) else {
                            return;
                        };
                        let tint = state.tints.get(span.name().index()).copied().unwrap_or(0);
                        let colour = tracks.colours.of_tint(tint);
                        let colour = if is_base { tracks.base(colour) } else { colour };
                        cells.span(ends, y, colour, span.timing());
                        if is_base {
                            cells.label(labels, &state.lane.timeline.text(span.name()), ends, y.0 + 1.0);
                        }
                    }
                    Cell::Many { left, right, busy, tint, .. } => {
                        let ends = (place(left), place(right));
                        let colour = match is_base {
                            true => tracks.base(tracks.colours.of_many(tint, busy)),
                            false => mix(tracks.colours.of_tint(tint), tracks.colours.outline, 0.15),
                        };
                        cells.cell(ends, y, colour);
                    }
                });
            };
            paint(&lod.spans, true);
            if let Some(found) = found {
                paint(&found.spans, false);
            }
        }
    }

    fn steps(&mut self, track: &Track, top: f32) {
        let StripSource { tracks, state, scale, found } = self.source;
        let (cells, labels) = (&mut self.cells, &mut self.labels);
        let y = (top, ROW_PX - BETWEEN_ROWS_PX);
        let timeline = &state.lane.timeline;
        let colour = |name: crate::timeline::StringId| {
            tracks.colours.of_tint(state.tints.get(name.index()).copied().unwrap_or(0))
        };
        let name = |tick: u32| track.steps.get(crate::timeline::Tick(tick.into())).map(|(name, _)| name);
        walk_steps(track.steps.count(), scale, |cell| match cell {
            Cell::One { position, left, right } => {
                let ends = (scale.axis.clamped(left), scale.axis.clamped(right));
                let Some(name) = name(position) else { return };
                cells.cell(ends, y, tracks.base(colour(name)));
                cells.label(labels, &timeline.text(name), ends, top + 1.0);
            }
            Cell::Many { left, right, tint, .. } => {
                let ends = (scale.axis.clamped(left), scale.axis.clamped(right));
                cells.cell(ends, y, tracks.base(tracks.colours.of_many(tint, 0.6)));
            }
        });
        let Some(found) = found else { return };
        found.steps.walk(0, &StepExtents, scale, |cell| match cell {
            Cell::One { position, left, right } => {
                let ends = (scale.axis.clamped(left), scale.axis.clamped(right));
                let name = found.steps.index(0, position).and_then(name);
                cells.cell(ends, y, name.map_or(tracks.colours.mark, colour));
            }
            Cell::Many { left, right, .. } => {
                cells.cell((scale.axis.clamped(left), scale.axis.clamped(right)), y, tracks.colours.mark);
            }
        });
    }

    fn instants(&mut self, track: &Track, lod: &TrackLod, top: f32) {
        let StripSource { tracks, state, scale, found } = self.source;
        let cells = &mut self.cells;
        let extents = InstantExtents { instants: &track.instants, tints: &state.tints };
        let middle = top + INSTANTS_PX * 0.5;
        let bright = |tint: u8| mix(tracks.colours.of_tint(tint), tracks.colours.outline, 0.35);
        let mut paint = |cell: Cell, index: Option<u32>, is_base: bool| match cell {
            Cell::One { left, .. } => {
                let Some(instant) = index.and_then(|index| track.instants.get(index as usize)) else { return };
                let tint = state.tints.get(instant.name().index()).copied().unwrap_or(0);
                let colour = match instant.kind() {
                    InstantKind::Discontinuity => tracks.colours.badge,
                    InstantKind::Internal => tracks.colours.faint_text,
                    _ => bright(tint),
                };
                let colour = if is_base { tracks.base(colour) } else { colour };
                cells.diamond(pos2(scale.axis.clamped(left), middle), INSTANTS_PX * 0.36, colour);
            }
            Cell::Many { left, right, count, tint, .. } => {
                let (left, right) = (scale.axis.clamped(left), scale.axis.clamped(right));
                // Taller the more there are: 2, 20, 200 …
                let height = (INSTANTS_PX * (0.4 + 0.15 * (count as f32).log10())).min(INSTANTS_PX - 1.0);
                let colour = if is_base { tracks.base(bright(tint)) } else { tracks.colours.mark };
                cells.cell((left, right.max(left + 2.0)), (middle - height * 0.5, height), colour);
            }
        };
        lod.instants.walk(&extents, scale, |cell| {
            let index = if let Cell::One { position, .. } = cell { Some(position) } else { None };
            paint(cell, index, true);
        });
        if let Some(found) = found {
            found.instants.walk(0, &extents, scale, |cell| {
                let index =
                    if let Cell::One { position, .. } = cell { found.instants.index(0, position) } else { None };
                paint(cell, index, false);
            });
        }
    }

    fn graph(&mut self, track: &Track, lod: &TrackLod, (top, height): (f32, f32)) {
        let StripSource { tracks, state, scale, .. } = self.source;
        let cells = &mut self.cells;
        let Some((least, greatest)) = lod.samples.bounds() else { return };
        let (low, high) = (least.min(0.0), greatest.max(0.0));
        let range = if high > low { high - low } else { 1.0 };
        let y = |value: f64| top + height - 1.0 - (((value - low) / range) as f32) * (height - 2.0);
        let (fill, line) = (mix(tracks.colours.ground, tracks.colours.graph, 0.30), tracks.colours.graph);
        let zero = y(0.0);
        lod.samples.walk(&track.samples, state.lane.timeline.end.0, scale, |step| {
            let (left, right) = (scale.axis.clamped(step.left), scale.axis.clamped(step.right));
            let right = right.max(left + 1.0);
            let (upper, lower) = (y(step.greatest), y(step.least));
            // From zero to the value nearest to it in full, the spread of merged samples stronger.
            let near_zero = if step.least > 0.0 {
                lower
            } else if step.greatest < 0.0 {
                upper
            } else {
                zero
            };
            let (from, until) = (near_zero.min(zero), near_zero.max(zero));
            cells.rect(Rect::from_min_max(pos2(left, from), pos2(right, until.max(from + 0.5))), fill);
            let spread = Rect::from_min_max(pos2(left, upper - 0.75), pos2(right, lower.max(upper) + 0.75));
            cells.rect(spread, if step.count > 1 { mix(fill, line, 0.6) } else { line });
        });
    }
}

/// The name of a section, and what stands beside it.
pub(super) fn name_of(state: &LaneState, what: LaneContent) -> String {
    let timeline = &state.lane.timeline;
    match what {
        LaneContent::Heading => state.lane.title.clone(),
        LaneContent::Ruler => String::new(),
        LaneContent::Frames => "frames".to_owned(),
        LaneContent::Track(id) => {
            let Some(track) = timeline.track(id) else { return String::new() };
            let name = timeline.text(track.name);
            let kind = match track.kind {
                TrackKind::Group => "group",
                TrackKind::Stack => "events",
                TrackKind::Ranges => "ranges",
                TrackKind::Marks => "marks",
                TrackKind::Steps => "calls",
                TrackKind::Instants => "instants",
                TrackKind::Counter { .. } => "counter",
            };
            if name.is_empty() { kind.to_owned() } else { name.chars().take(80).collect() }
        }
    }
}

/// What stands in the corner of a lane's heading.
pub(super) fn corner_of(alignment: &LaneAlignment) -> String {
    match alignment {
        LaneAlignment::Reference => "reference".to_owned(),
        LaneAlignment::Unaligned(reason) => reason.clone(),
        LaneAlignment::Aligned(alignment) => alignment.in_words("the trace"),
    }
}
