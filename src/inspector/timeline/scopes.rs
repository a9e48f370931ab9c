//! The scopes of a selected range, added up: as a call tree, and as a flame graph.
//!
//! ```text
//!  ├────────────── frame ──────────────┤    width: total time
//!  ├───── render ─────┤├─ update ─┤          own time: what has nothing below it
//!  ├─ submit ─┤        ├ai┤├phys.┤           longest first
//! ```

use std::collections::BTreeSet;

use egui::{Align2, FontId, Grid, Painter, Pos2, Rect, RichText, Sense, Ui, pos2, vec2};

use super::cell_mesh::LABEL_SIZE;
use super::colours::Colours;
use super::lane::LaneState;
use super::layout::{LaneContent, ROW_PX};
use super::range::{Range, ScopeTree};
use super::ruler::Unit;
use super::track_painter::name_of;
use crate::text::counted;
use crate::timeline::lod::tint_of;
use crate::timeline::{AxisUnit, CallNode};

/// How the figures of a range are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FiguresAs {
    /// A table of names.
    #[default]
    Names,
    /// A call tree.
    Tree,
    /// A flame graph.
    Flame,
}

/// Which call tree of a range: lane, and place among the lane's trees.
type TreePlace = (usize, usize);

/// What the user has chosen to see of the figures.
#[derive(Debug, Default)]
pub(super) struct FiguresView {
    pub shown_as: FiguresAs,
    /// Nodes whose insides are hidden in the tree.
    closed: BTreeSet<(TreePlace, usize)>,
    /// The node that fills its flame graph.
    root: Option<(TreePlace, usize)>,
}

/// Nodes shown of a tree.
const MOST_NODES: usize = 2000;
/// Rows of a flame graph; what lies deeper is under its deepest.
const MOST_ROWS: usize = 64;
/// Narrower bars are left out, with what is inside of them.
const LEAST_PX: f32 = 0.5;
/// Bars narrower than this have no name.
const LABEL_PX: f32 = 28.0;
const INDENT_PX: f32 = 12.0;

impl FiguresView {
    /// Forgets which nodes were meant: there are others.
    pub(crate) fn forget_nodes(&mut self) {
        (self.closed, self.root) = (BTreeSet::new(), None);
    }

    /// What can be chosen.
    pub(crate) fn choice_ui(&mut self, ui: &mut Ui) {
        for (shown_as, name, hint) in [
            (FiguresAs::Names, "names", "every event, summed by name"),
            (FiguresAs::Tree, "tree", "nested scopes, longest first"),
            (FiguresAs::Flame, "flame", "nested scopes as bars: a click zooms in"),
        ] {
            ui.selectable_value(&mut self.shown_as, shown_as, name).on_hover_text(hint);
        }
    }

    /// The trees, each below the name of its lane and track.
    pub(crate) fn trees_ui(&mut self, ui: &mut Ui, lanes: &[LaneState], range: &Range, colours: &Colours) {
        let mut is_empty = true;
        for (lane, trees) in range.trees() {
            let Some(state) = lanes.get(lane) else { continue };
            for (number, tree) in trees.iter().enumerate() {
                is_empty = false;
                let track = name_of(state, LaneContent::Track(tree.track));
                ui.label(RichText::new(format!("{} › {track}", state.lane.title)).weak());
                let shown = ShownTree { place: (lane, number), tree, unit: state.lane.timeline.axis.unit, colours };
                match self.shown_as {
                    FiguresAs::Flame => self.flame_ui(ui, &shown),
                    FiguresAs::Tree | FiguresAs::Names => self.tree_ui(ui, &shown),
                }
            }
        }
        if is_empty && !range.is_busy() {
            ui.weak("No scope in this range.");
        }
    }

    fn tree_ui(&mut self, ui: &mut Ui, shown: &ShownTree<'_>) {
        let grid = Grid::new(("call tree", shown.place)).num_columns(6).striped(true).spacing([14.0, 2.0]);
        grid.show(ui, |ui| {
            for title in ["count", "total", "%", "own", "%", "scope"] {
                ui.label(RichText::new(title).weak());
            }
            ui.end_row();
            let mut hidden_below: Option<usize> = None;
            let mut left = MOST_NODES;
            for (index, node) in shown.tree.nodes.iter().enumerate() {
                if hidden_below.is_some_and(|depth| node.depth > depth) {
                    continue;
                }
                hidden_below = None;
                left = left.saturating_sub(1);
                if left == 0 {
                    ui.label(RichText::new(format!("and {} more", shown.tree.nodes.len() - index)).weak());
                    ui.end_row();
                    return;
                }
                if self.node_ui(ui, shown, (index, node)) {
                    hidden_below = Some(node.depth);
                }
            }
        });
    }

    /// Draws a row; whether its insides are hidden.
    fn node_ui(&mut self, ui: &mut Ui, shown: &ShownTree<'_>, (index, node): (usize, &CallNode)) -> bool {
        let key = (shown.place, index);
        let is_closed = self.closed.contains(&key);
        ui.monospace(node.count.to_string());
        for ticks in [node.total_ticks, node.own_ticks] {
            ui.monospace(shown.length(ticks));
            ui.monospace(format!("{:.1}", shown.percent(ticks)));
        }
        ui.horizontal(|ui| {
            ui.add_space(INDENT_PX * node.depth.min(MOST_ROWS) as f32);
            let has_inside = shown.tree.nodes.get(index + 1).is_some_and(|next| next.depth > node.depth);
            let marker = match (has_inside, is_closed) {
                (false, _) => "  ",
                (true, true) => "⏵",
                (true, false) => "⏷",
            };
            let text = format!("{marker} {}", node.name);
            if ui.selectable_label(false, text).clicked() && has_inside && !self.closed.remove(&key) {
                self.closed.insert(key);
            }
        });
        ui.end_row();
        is_closed
    }

    fn flame_ui(&mut self, ui: &mut Ui, shown: &ShownTree<'_>) {
        let root = self.root.filter(|(place, _)| *place == shown.place).map(|(_, node)| node);
        if root.is_some() && ui.link("⏴ everything").on_hover_text("back to the whole graph").clicked() {
            self.root = None;
        }
        let bars = shown.bars(root, ui.available_width());
        let rows = bars.iter().map(|bar| bar.row + 1).max().unwrap_or(0);
        let size = vec2(ui.available_width(), rows as f32 * ROW_PX);
        let (area, response) = ui.allocate_exact_size(size, Sense::click());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Canvas, true, "flame graph"));
        let painter = ui.painter_at(area);
        let pointed = response.hover_pos().and_then(|at| bars.iter().find(|bar| bar.rect(area.min).contains(at)));
        for bar in &bars {
            let is_pointed = pointed.is_some_and(|pointed| pointed.node == bar.node);
            shown.bar_ui(&painter, bar, bar.rect(area.min), is_pointed);
        }
        let Some((bar, node)) = pointed.and_then(|bar| Some((bar, shown.tree.nodes.get(bar.node)?))) else { return };
        if response.clicked() {
            self.root = (root != Some(bar.node)).then_some((shown.place, bar.node));
        }
        response.on_hover_ui_at_pointer(|ui| {
            ui.label(RichText::new(&node.name).strong());
            let Some(whole) = shown.tree.nodes.get(bar.node) else { return };
            for (name, ticks) in [("total", whole.total_ticks), ("own", whole.own_ticks)] {
                ui.label(format!("{name} {} ({:.1} %)", shown.length(ticks), shown.percent(ticks)));
            }
            ui.label(RichText::new(counted(node.count, "time")).weak());
        });
    }
}

/// A call tree that is drawn.
struct ShownTree<'a> {
    place: TreePlace,
    tree: &'a ScopeTree,
    unit: AxisUnit,
    colours: &'a Colours,
}

/// A node of a flame graph, in points from its left upper corner.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bar {
    node: usize,
    row: usize,
    left: f32,
    width: f32,
}

impl Bar {
    fn rect(&self, origin: Pos2) -> Rect {
        let min = pos2(origin.x + self.left, origin.y + self.row as f32 * ROW_PX);
        Rect::from_min_size(min, vec2(self.width, ROW_PX - 1.0))
    }
}

impl ShownTree<'_> {
    fn length(&self, ticks: u64) -> String {
        match self.unit.nanos_per_tick() {
            Some(nanos) => Unit::Time.length(ticks.saturating_mul(nanos) as f64),
            None => format!("{ticks} {}", self.unit.name()),
        }
    }

    /// Of all that lies in the tree.
    fn percent(&self, ticks: u64) -> f64 {
        let outermost = self.tree.nodes.iter().filter(|node| node.depth == 0);
        100.0 * ticks as f64 / outermost.map(|node| node.total_ticks).sum::<u64>().max(1) as f64
    }

    fn bars(&self, root: Option<usize>, width: f32) -> Vec<Bar> {
        flame_bars(&self.tree.nodes, root, width)
    }

    fn bar_ui(&self, painter: &Painter, bar: &Bar, rect: Rect, is_pointed: bool) {
        let Some(node) = self.tree.nodes.get(bar.node) else { return };
        let colour = self.colours.of_tint(tint_of(node.name.as_bytes()));
        let colour = if is_pointed { super::colours::mix(colour, self.colours.outline, 0.25) } else { colour };
        let seen = if rect.width() > 3.0 { rect.with_max_x(rect.right() - 1.0) } else { rect };
        painter.rect_filled(seen, 0.0, colour);
        if rect.width() >= LABEL_PX {
            let at = rect.left_center() + vec2(4.0, 0.0);
            let font = FontId::proportional(LABEL_SIZE);
            let clipped = painter.with_clip_rect(rect.intersect(painter.clip_rect()));
            clipped.text(at, Align2::LEFT_CENTER, &node.name, font, self.colours.label());
        }
    }
}

/// The bars of a flame graph: parents above what is inside of them, beside each other as they stand in `nodes`. With a
/// `root` only it and its insides.
fn flame_bars(nodes: &[CallNode], root: Option<usize>, width: f32) -> Vec<Bar> {
    let (first, base) = match root.and_then(|root| Some((root, nodes.get(root)?))) {
        Some((root, node)) => (root, node.depth),
        None => (0, 0),
    };
    let is_inside = |(index, node): &(usize, &CallNode)| root.is_none() || *index == first || node.depth > base;
    let shown = || nodes.iter().enumerate().skip(first).take_while(is_inside);
    let whole: u64 = shown().filter(|(_, node)| node.depth == base).map(|(_, node)| node.total_ticks).sum();
    let per_tick = width as f64 / whole.max(1) as f64;
    let mut bars: Vec<Bar> = Vec::new();
    // By row, where the next bar begins, in ticks.
    let mut next: Vec<u64> = vec![0];
    let mut hidden_below = usize::MAX;
    for (index, node) in shown() {
        let row = node.depth - base;
        if row > hidden_below {
            continue;
        }
        hidden_below = usize::MAX;
        next.truncate(row + 1);
        let Some(begin) = next.last().copied() else { continue };
        if let Some(last) = next.last_mut() {
            *last += node.total_ticks;
        }
        next.push(begin);
        let (left, width) = ((begin as f64 * per_tick) as f32, (node.total_ticks as f64 * per_tick) as f32);
        if width < LEAST_PX || row >= MOST_ROWS {
            hidden_below = row;
            continue;
        }
        bars.push(Bar { node: index, row, left, width });
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, depth: usize, total_ticks: u64, own_ticks: u64) -> CallNode {
        CallNode { name: name.to_owned(), depth, parent: None, count: 1, total_ticks, own_ticks }
    }

    #[test]
    fn bars_lie_below_their_parents_and_beside_each_other() {
        let nodes = [
            node("a", 0, 60, 10),
            node("b", 1, 30, 0),
            node("c", 2, 30, 30),
            node("d", 1, 20, 20),
            node("e", 0, 40, 0),
            node("f", 1, 40, 40),
        ];
        let told = |root| -> Vec<(usize, usize, f32, f32)> {
            flame_bars(&nodes, root, 200.0).iter().map(|bar| (bar.node, bar.row, bar.left, bar.width)).collect()
        };
        let all = [
            (0, 0, 0.0, 120.0),
            (1, 1, 0.0, 60.0),
            (2, 2, 0.0, 60.0),
            (3, 1, 60.0, 40.0),
            (4, 0, 120.0, 80.0),
            (5, 1, 120.0, 80.0),
        ];
        assert_eq!(told(None), all);
        assert_eq!(told(Some(1)), [(1, 0, 0.0, 200.0), (2, 1, 0.0, 200.0)]);
        assert_eq!(told(Some(5)), [(5, 0, 0.0, 200.0)]);
    }

    #[test]
    fn what_is_too_narrow_is_left_out_with_its_insides() {
        let nodes = [node("a", 0, 10_000, 0), node("b", 1, 9_999, 9_999), node("c", 1, 1, 0), node("d", 2, 1, 1)];
        let shown: Vec<usize> = flame_bars(&nodes, None, 100.0).iter().map(|bar| bar.node).collect();
        assert_eq!(shown, [0, 1]);
    }
}
