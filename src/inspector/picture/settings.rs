//! The choices of how a picture is shown: channels, alpha, depth or stencil, range, curve, grid.

use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{ComboBox, PopupCloseBehavior, Ui};

use super::content::{Content, View};
use super::display::{AlphaView, Curve, Look, Plane};
use super::range::{Histogram, RangeChoice, ValueRange};
use super::{Grid, PicturePanel};

/// Ranges that were chosen, one for each kind of values: those of colours say nothing of depths.
pub(super) struct Ranges {
    color: RangeChoice,
    depth: RangeChoice,
    stencil: RangeChoice,
}

impl Default for Ranges {
    /// Most depths lie so near to each other that without a range they are one grey.
    fn default() -> Self {
        Self { color: RangeChoice::Fixed(ValueRange::WHOLE), depth: RangeChoice::Fit, stencil: RangeChoice::Fit }
    }
}

impl Ranges {
    fn of(&mut self, view: View<'_>, plane: Plane) -> &mut RangeChoice {
        match (view, plane) {
            (View::Color(_), _) => &mut self.color,
            (View::Depth(_), Plane::Stencil) => &mut self.stencil,
            (View::Depth(_), _) => &mut self.depth,
        }
    }
}

impl PicturePanel {
    /// The way that `content` is shown.
    pub(super) fn look_at(&mut self, content: &Content) -> Look {
        let plane = self.look.plane(content.view());
        let choice = *self.ranges.of(content.view(), plane);
        let range = match choice {
            RangeChoice::Fixed(range) => range,
            RangeChoice::Fit => {
                let channels = self.look.channels;
                self.histogram(content, plane).fitted(channels)
            }
        };
        Look { range, ..self.look }
    }

    /// The values of `content`, counted once.
    fn histogram(&mut self, content: &Content, plane: Plane) -> &Histogram {
        let is_known = |(of, counted, _): &(Content, Plane, Histogram)| of == content && *counted == plane;
        let known = self.histogram.take().filter(is_known);
        let made = known.unwrap_or_else(|| (content.clone(), plane, Histogram::of(content.view(), plane)));
        &self.histogram.insert(made).2
    }

    /// Draws the choices for what was shown last.
    pub(crate) fn settings_ui(&mut self, ui: &mut Ui) {
        let Some(content) = self.shown.clone() else { return };
        match content.view() {
            View::Color(_) => self.color_ui(ui),
            View::Depth(map) => {
                let has_stencil = map.stencil().is_some();
                ui.selectable_value(&mut self.look.is_stencil, false, "depth");
                ui.add_enabled_ui(has_stencil, |ui| {
                    ui.selectable_value(&mut self.look.is_stencil, true, "stencil");
                });
            }
        }
        self.range_ui(ui, &content);
    }

    fn color_ui(&mut self, ui: &mut Ui) {
        let channels = &mut self.look.channels;
        for (name, is_shown) in [("R", &mut channels.red), ("G", &mut channels.green), ("B", &mut channels.blue)] {
            ui.toggle_value(is_shown, name).on_hover_text("show this channel; a single channel is shown in grey");
        }
        let name = match self.look.alpha {
            AlphaView::Ignored => "alpha",
            AlphaView::Checkerboard => "alpha: checker",
            AlphaView::Alone => "alpha: alone",
        };
        ComboBox::from_id_salt("alpha").width(0.0).selected_text(name).show_ui(ui, |ui| {
            let views = [
                (AlphaView::Ignored, "alpha ignored"),
                (AlphaView::Checkerboard, "over a checkerboard"),
                (AlphaView::Alone, "alpha alone"),
            ];
            for (view, name) in views {
                ui.selectable_value(&mut self.look.alpha, view, name);
            }
        });
    }

    fn range_ui(&mut self, ui: &mut Ui, content: &Content) {
        let plane = self.look.plane(content.view());
        let channels = self.look.channels;
        let mut choice = *self.ranges.of(content.view(), plane);
        let name = match choice {
            RangeChoice::Fit => "range: fit".to_owned(),
            RangeChoice::Fixed(ValueRange::WHOLE) => "range".to_owned(),
            RangeChoice::Fixed(ValueRange { black, white }) => format!("range: {black:.3} to {white:.3}"),
        };
        let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        MenuButton::new(format!("{name} ⏷")).config(config).ui(ui, |ui| {
            self.histogram(content, plane).ui(ui, &mut choice, channels);
            ui.separator();
            let mut is_linear = self.look.curve == Curve::Linear;
            ui.checkbox(&mut is_linear, "linear light: brighten by the curve of sRGB");
            self.look.curve = if is_linear { Curve::Linear } else { Curve::Stored };
            let mut has_grid = self.grid == Grid::WhenLarge;
            if ui.checkbox(&mut has_grid, "grid between large pixels").on_hover_text("g").changed() {
                self.toggle_grid();
            }
        });
        *self.ranges.of(content.view(), plane) = choice;
    }
}
