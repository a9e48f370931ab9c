//! How panels share a window with the picture: in a small one, most of the space is the picture's.

use egui::{ScrollArea, Ui, UiBuilder, Vec2, vec2};

/// A window with less space than this is small.
const NARROW: f32 = 900.0;
const LOW: f32 = 600.0;

/// What a tab needs to show anything; a smaller panel shows part of it.
const LEAST_OF_A_TAB: Vec2 = vec2(280.0, 240.0);

/// The space that there is for all panels and the picture, in points.
#[derive(Clone, Copy, Debug)]
pub(super) struct AvailableSize(Vec2);

impl AvailableSize {
    /// What is left of a window, or of a part of it.
    pub(crate) fn of(ui: &Ui) -> Self {
        Self(ui.available_size())
    }

    pub(crate) fn is_narrow(self) -> bool {
        self.0.x < NARROW
    }

    pub(crate) fn is_low(self) -> bool {
        self.0.y < LOW
    }

    /// Whether it is so narrow that only the most important has space.
    pub(crate) fn is_very_narrow(self) -> bool {
        self.0.x < NARROW / 1.5
    }

    /// How wide a panel beside the picture may be.
    pub(crate) fn widest(self, widest: f32) -> f32 {
        (self.0.x * if self.is_narrow() { 0.3 } else { 0.5 }).min(widest)
    }

    /// How high a panel below the picture may be.
    pub(crate) fn highest(self, highest: f32) -> f32 {
        (self.0.y * if self.is_low() { 0.3 } else { 0.5 }).min(highest)
    }
}

/// Draws a tab in what is left of its panel; where that is too little, part of it is seen, and the rest can be scrolled
/// to. It must not grow past its panel: it would lie on others.
pub(super) fn tab_area_ui(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    let room = ui.available_size();
    let wanted = room.max(LEAST_OF_A_TAB);
    // Always the same areas, so that nothing in it becomes another widget when the window's size changes.
    ScrollArea::both().id_salt("tab").auto_shrink(false).min_scrolled_height(0.0).min_scrolled_width(0.0).show(
        ui,
        |ui| {
            let place = egui::Rect::from_min_size(ui.cursor().min, wanted);
            ui.scope_builder(UiBuilder::new().max_rect(place), |ui| {
                ui.set_clip_rect(ui.clip_rect().intersect(place));
                add(ui);
            });
        },
    );
}
