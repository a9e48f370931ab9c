//! Paints cells: one mesh per section, and labels where they fit.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use egui::epaint::{Mesh, Vertex};
use egui::{Color32, FontId, Painter, Pos2, Rect, pos2};

use super::colours::Colours;
use crate::timeline::Timing;

/// Events narrower than this have no label.
const LABEL_PX: f32 = 30.0;
/// How far an end that nobody recorded fades out.
const FADE_PX: f32 = 22.0;
pub(super) const LABEL_SIZE: f32 = 11.0;

/// Collects what is painted of a section.
pub(super) struct CellMesh<'a> {
    pub painter: &'a Painter,
    pub colours: &'a Colours,
    mesh: Mesh,
}

impl<'a> CellMesh<'a> {
    pub(crate) fn new(painter: &'a Painter, colours: &'a Colours) -> Self {
        Self { painter, colours, mesh: Mesh::default() }
    }

    /// Puts the mesh below everything that is painted from now on.
    pub(crate) fn finish(self) {
        if !self.mesh.is_empty() {
            self.painter.add(self.mesh);
        }
    }

    pub(crate) fn rect(&mut self, rect: Rect, colour: Color32) {
        self.mesh.add_colored_rect(rect, colour);
    }

    /// A cell of a row; at least a pixel wide, and a little apart from the next.
    pub(crate) fn cell(&mut self, (left, right): (f32, f32), (top, height): (f32, f32), colour: Color32) {
        self.rect(cell_rect(left, right, top, height), colour);
    }

    /// A span; the ends that were not recorded fade out.
    pub(crate) fn span(&mut self, ends: (f32, f32), (top, height): (f32, f32), colour: Color32, timing: Timing) {
        let rect = cell_rect(ends.0, ends.1, top, height);
        if timing == Timing::Closed || rect.width() < 4.0 {
            self.rect(rect, colour);
            return;
        }
        let fade = FADE_PX.min(rect.width() * 0.5);
        let (solid, faded) = match timing {
            Timing::OpenStart => (rect.with_min_x(rect.left() + fade), rect.with_max_x(rect.left() + fade)),
            _ => (rect.with_max_x(rect.right() - fade), rect.with_min_x(rect.right() - fade)),
        };
        self.rect(solid, colour);
        let clear = colour.gamma_multiply(0.12);
        let (left, right) = if timing == Timing::OpenStart { (clear, colour) } else { (colour, clear) };
        self.gradient(faded, left, right);
        self.teeth(rect, timing);
    }

    fn gradient(&mut self, rect: Rect, left: Color32, right: Color32) {
        let first = self.mesh.vertices.len() as u32;
        let corners = [
            (rect.left_top(), left),
            (rect.right_top(), right),
            (rect.left_bottom(), left),
            (rect.right_bottom(), right),
        ];
        self.mesh.vertices.extend(corners.map(|(at, colour)| Vertex::untextured(at, colour)));
        self.mesh.add_triangle(first, first + 1, first + 2);
        self.mesh.add_triangle(first + 2, first + 1, first + 3);
    }

    /// Teeth at the ragged end, so that it can't be taken for a gradient of colour only.
    fn teeth(&mut self, rect: Rect, timing: Timing) {
        let (edge, inward) = match timing {
            Timing::OpenStart => (rect.left(), 3.0),
            _ => (rect.right(), -3.0),
        };
        let height = rect.height() / 3.0;
        for tooth in 0..3 {
            let top = rect.top() + tooth as f32 * height;
            let corners = [pos2(edge, top), pos2(edge, top + height), pos2(edge + inward, top + height * 0.5)];
            self.triangle(corners, self.colours.ground);
        }
    }

    pub(crate) fn triangle(&mut self, corners: [Pos2; 3], colour: Color32) {
        let first = self.mesh.vertices.len() as u32;
        self.mesh.vertices.extend(corners.map(|at| Vertex::untextured(at, colour)));
        self.mesh.add_triangle(first, first + 1, first + 2);
    }

    /// A diamond for an instant.
    pub(crate) fn diamond(&mut self, centre: Pos2, radius: f32, colour: Color32) {
        let [top, right, bottom, left] = [
            pos2(centre.x, centre.y - radius),
            pos2(centre.x + radius, centre.y),
            pos2(centre.x, centre.y + radius),
            pos2(centre.x - radius, centre.y),
        ];
        self.triangle([top, right, bottom], colour);
        self.triangle([top, bottom, left], colour);
    }

    /// A name inside a cell, shortened to what fits. Text comes above all meshes of the section.
    pub(crate) fn label(&self, labels: &mut Vec<Label>, text: &str, (left, right): (f32, f32), top: f32) {
        let seen = self.painter.clip_rect();
        let (left, right) = (left.max(seen.left()), right.min(seen.right()));
        if right - left < LABEL_PX {
            return;
        }
        labels.push(Label { text: text.to_owned(), at: pos2(left + 4.0, top), room: right - left - 7.0 });
    }
}

fn cell_rect(left: f32, right: f32, top: f32, height: f32) -> Rect {
    let width = right - left;
    let right = if width >= 3.0 { right - 1.0 } else { left + width.max(1.0) };
    Rect::from_min_max(pos2(left, top), pos2(right, top + height))
}

/// Time for laying out texts that the UI frame before did not show; those that it did cost next to nothing.
#[derive(Debug, Default)]
pub(super) struct LayoutBudget {
    spent: Cell<Duration>,
    before: HashSet<u64>,
    shown: RefCell<HashSet<u64>>,
}

const MOST_LAYOUT: Duration = Duration::from_micros(2000);

impl LayoutBudget {
    /// The budget of the next UI frame.
    pub(crate) fn renewed(self) -> Self {
        Self { before: self.shown.into_inner(), ..Self::default() }
    }

    /// Whether something was left out.
    pub(crate) fn is_used_up(&self) -> bool {
        self.spent.get() > MOST_LAYOUT
    }
}

/// A text with the space that it has.
pub(super) struct Label {
    text: String,
    at: Pos2,
    room: f32,
}

impl Label {
    /// Paints it, unless it is new and `budget` is used up: then it comes with one of the next UI frames.
    pub(crate) fn paint(self, painter: &Painter, colour: Color32, budget: &LayoutBudget) {
        let mut hasher = DefaultHasher::new();
        // Rooms that differ by less than a letter get the same text.
        (&self.text, (self.room / 6.0) as u32).hash(&mut hasher);
        let key = hasher.finish();
        let is_known = budget.before.contains(&key);
        if !is_known && budget.is_used_up() {
            return;
        }
        let start = Instant::now();
        self.paint_now(painter, colour);
        if budget.shown.borrow_mut().insert(key) && !is_known {
            budget.spent.set(budget.spent.get() + start.elapsed());
        }
    }

    fn paint_now(self, painter: &Painter, colour: Color32) {
        let font = FontId::proportional(LABEL_SIZE);
        // A very long name costs no more than what could ever be seen of it.
        let most = (self.room / 3.0) as usize + 1;
        let text: String = self.text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(most).collect();
        let count = text.chars().count();
        let galley = painter.layout_no_wrap(text.clone(), font.clone(), colour);
        let is_whole = count < most || self.text.chars().count() == count;
        if is_whole && galley.size().x <= self.room {
            painter.galley(self.at, galley, colour);
            return;
        }
        let advance = galley.size().x / count.max(1) as f32;
        let fits = ((self.room / advance.max(1.0)) as usize).saturating_sub(1);
        if fits >= 2 {
            let short: String = text.chars().take(fits).chain(['…']).collect();
            let galley = painter.layout_no_wrap(short, font, colour);
            painter.galley(self.at, galley, colour);
        }
    }
}
