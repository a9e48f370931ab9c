//! Distribution of values, and the range of them that is shown from black to white.

use egui::{Color32, DragValue, Rect, Sense, Ui, pos2, vec2};

use super::content::View;
use super::display::{Channels, Plane};
use crate::text::counted;

/// Bars of a histogram.
const BINS: usize = 256;
const HISTOGRAM_HEIGHT: f32 = 72.0;

/// Colours of values that are no number, infinite, or below zero.
pub(super) const NOT_A_NUMBER: Color32 = Color32::from_rgb(255, 0, 255);
pub(super) const INFINITE: Color32 = Color32::from_rgb(255, 216, 0);
pub(super) const NEGATIVE: Color32 = Color32::from_rgb(64, 128, 255);

/// The values that are shown as black and as white.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::inspector) struct ValueRange {
    pub black: f32,
    pub white: f32,
}

impl ValueRange {
    /// All values of a colour.
    pub(crate) const WHOLE: Self = Self { black: 0.0, white: 1.0 };

    /// Position of a value between black, 0, and white, 1.
    pub(super) fn shade(self, value: f32) -> f32 {
        let width = self.white - self.black;
        if width > 0.0 {
            return ((value - self.black) / width).clamp(0.0, 1.0);
        }
        // A range of one value parts those below it from the others.
        f32::from(u8::from(value >= self.white))
    }
}

/// Choice of the range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RangeChoice {
    /// From the least to the greatest value that is there.
    Fit,
    Fixed(ValueRange),
}

/// The values of a picture, counted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Histogram {
    /// The values at both ends.
    axis: ValueRange,
    /// Pixels by value, of each channel.
    bins: Vec<[u32; BINS]>,
    /// The least and the greatest value of each channel, if it has one that is finite.
    spans: Vec<Option<ValueRange>>,
    odd: OddValues,
}

/// Values that no range has a place for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct OddValues {
    not_numbers: usize,
    infinite: usize,
    negative: usize,
}

impl Histogram {
    /// Counts what is shown: three channels of colours, or one of depth or stencil.
    pub(super) fn of(view: View<'_>, plane: Plane) -> Self {
        match (view, plane) {
            (View::Color(picture), Plane::Alpha) => Self::of_bytes([picture.rgba().iter().skip(3).step_by(4)]),
            (View::Color(picture), _) => {
                let channel = |at: usize| picture.rgba().iter().skip(at).step_by(4);
                Self::of_bytes([channel(0), channel(1), channel(2)])
            }
            (View::Depth(map), Plane::Stencil) => Self::of_bytes([map.stencil().unwrap_or_default().iter()]),
            (View::Depth(map), _) => Self::of_floats(map.depth()),
        }
    }

    fn of_bytes<'a, const N: usize>(channels: [impl Iterator<Item = &'a u8>; N]) -> Self {
        let (mut bins, mut spans) = (Vec::new(), Vec::new());
        for channel in channels {
            let mut counts = [0_u32; BINS];
            for value in channel {
                if let Some(count) = counts.get_mut(usize::from(*value)) {
                    *count = count.saturating_add(1);
                }
            }
            let is_there = |count: &u32| *count > 0;
            let ends = counts.iter().position(is_there).zip(counts.iter().rposition(is_there));
            spans.push(ends.map(|(least, most)| {
                let value = |step: usize| step as f32 / 255.0;
                ValueRange { black: value(least), white: value(most) }
            }));
            bins.push(counts);
        }
        Self { axis: ValueRange::WHOLE, bins, spans, odd: OddValues::default() }
    }

    fn of_floats(values: &[f32]) -> Self {
        let mut odd = OddValues::default();
        let mut span: Option<ValueRange> = None;
        for value in values {
            odd.not_numbers += usize::from(value.is_nan());
            odd.infinite += usize::from(value.is_infinite());
            odd.negative += usize::from(*value < 0.0 && value.is_finite());
            if value.is_finite() {
                let known = span.get_or_insert(ValueRange { black: *value, white: *value });
                (known.black, known.white) = (known.black.min(*value), known.white.max(*value));
            }
        }
        let axis = span.unwrap_or(ValueRange::WHOLE);
        let mut counts = [0_u32; BINS];
        for value in values.iter().filter(|value| value.is_finite()) {
            let bin = (axis.shade(*value) * (BINS - 1) as f32).round() as usize;
            if let Some(count) = counts.get_mut(bin) {
                *count = count.saturating_add(1);
            }
        }
        Self { axis, bins: vec![counts], spans: vec![span], odd }
    }

    /// The least and the greatest value of the channels that are shown.
    pub(super) fn fitted(&self, channels: Channels) -> ValueRange {
        let all = self.spans.len() == 1;
        let shown = self.spans.iter().zip(channels.shown()).filter(|(_, is_shown)| all || *is_shown);
        let spans = shown.filter_map(|(span, _)| *span);
        spans
            .reduce(|one, other| ValueRange { black: one.black.min(other.black), white: one.white.max(other.white) })
            .unwrap_or(ValueRange::WHOLE)
    }

    /// Draws the choice of a range over the histogram.
    pub(super) fn ui(&self, ui: &mut Ui, choice: &mut RangeChoice, channels: Channels) {
        let before = self.chosen(*choice, channels);
        let mut range = before;
        ui.horizontal(|ui| {
            let step = ((self.axis.white - self.axis.black) / BINS as f32).max(f32::EPSILON);
            let value = |value| DragValue::new(value).speed(step).max_decimals(9);
            ui.label("black");
            ui.add(value(&mut range.black)).on_hover_text("the value that is shown as black");
            ui.label("white");
            ui.add(value(&mut range.white)).on_hover_text("the value that is shown as white");
            if range != before {
                *choice = RangeChoice::Fixed(range);
            }
            if ui
                .selectable_label(*choice == RangeChoice::Fit, "fit")
                .on_hover_text("from the least to the greatest value")
                .clicked()
            {
                *choice = RangeChoice::Fit;
            }
            let whole = RangeChoice::Fixed(ValueRange::WHOLE);
            if ui.selectable_label(*choice == whole, "0 to 1").clicked() {
                *choice = whole;
            }
        });
        self.bars_ui(ui, choice, range, channels);
        let mut mark = |count: usize, color, meaning: &str| {
            if count > 0 {
                ui.horizontal(|ui| {
                    let (place, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
                    ui.painter().rect_filled(place, 2.0, color);
                    ui.label(format!("{meaning} ({})", counted(count, "pixel")));
                });
            }
        };
        mark(self.odd.not_numbers, NOT_A_NUMBER, "not a number");
        mark(self.odd.infinite, INFINITE, "infinite");
        mark(self.odd.negative, NEGATIVE, "below zero");
    }

    /// The range that a choice stands for.
    pub(super) fn chosen(&self, choice: RangeChoice, channels: Channels) -> ValueRange {
        match choice {
            RangeChoice::Fit => self.fitted(channels),
            RangeChoice::Fixed(range) => range,
        }
    }

    /// The bars, with a line at each end of the range. A drag moves the nearer one.
    fn bars_ui(&self, ui: &mut Ui, choice: &mut RangeChoice, range: ValueRange, channels: Channels) {
        let size = vec2(BINS as f32, HISTOGRAM_HEIGHT);
        let (place, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        let painter = ui.painter_at(place);
        painter.rect_filled(place, 0.0, Color32::from_gray(20));
        let is_shown =
            |channel: usize| self.bins.len() == 1 || channels.shown().get(channel).is_some_and(|shown| *shown);
        let shown = || self.bins.iter().enumerate().filter(|(channel, _)| is_shown(*channel));
        let highest = shown().flat_map(|(_, counts)| counts).copied().max().unwrap_or(0).max(1) as f32;
        for (channel, counts) in shown() {
            let color = match (self.bins.len(), channel) {
                (1, _) => Color32::from_gray(190),
                (_, 0) => Color32::from_rgb(190, 50, 50),
                (_, 1) => Color32::from_rgb(40, 150, 40),
                _ => Color32::from_rgb(70, 90, 230),
            };
            for (bin, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                // By the root: a background of one colour would leave nothing else to be seen.
                let height = ((*count as f32 / highest).sqrt() * place.height()).max(1.0);
                let left = place.left() + bin as f32 * place.width() / BINS as f32;
                let bar = Rect::from_min_max(pos2(left, place.bottom() - height), pos2(left + 1.0, place.bottom()));
                painter.rect_filled(bar, 0.0, color.additive());
            }
        }
        let width = (self.axis.white - self.axis.black).max(f32::MIN_POSITIVE);
        let x_of = |value: f32| place.left() + ((value - self.axis.black) / width).clamp(0.0, 1.0) * place.width();
        for (value, color) in [(range.black, Color32::from_gray(110)), (range.white, Color32::WHITE)] {
            painter.vline(x_of(value).clamp(place.left() + 0.5, place.right() - 0.5), place.y_range(), (1.0, color));
        }
        if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.dragged() || response.clicked()) {
            let at = self.axis.black + ((pointer.x - place.left()) / place.width()).clamp(0.0, 1.0) * width;
            let is_black = (x_of(range.black) - pointer.x).abs() < (x_of(range.white) - pointer.x).abs();
            *choice = RangeChoice::Fixed(if is_black {
                ValueRange { black: at.min(range.white), ..range }
            } else {
                ValueRange { white: at.max(range.black), ..range }
            });
        }
        response.on_hover_text("drag to move the nearer end of the range");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pixels::{DepthMap, Picture, Size};

    const SIZE: Size = Size { width_px: 2, height_px: 2 };

    #[test]
    fn a_range_is_black_and_white_at_its_ends() {
        let range = ValueRange { black: 0.5, white: 0.75 };
        let shades = [0.0, 0.5, 0.625, 0.75, 1.0].map(|value| range.shade(value));
        assert_eq!(shades, [0.0, 0.0, 0.5, 1.0, 1.0]);
        let one = ValueRange { black: 0.5, white: 0.5 };
        assert_eq!([0.4, 0.5, 0.6].map(|value| one.shade(value)), [0.0, 1.0, 1.0]);
    }

    #[test]
    fn colours_are_counted_by_channel_and_fitted_to_those_shown() {
        let rgba = vec![0, 51, 255, 255, 0, 51, 204, 0, 255, 102, 204, 255, 255, 102, 204, 255];
        let picture = Picture::new(SIZE, rgba).unwrap();
        let histogram = Histogram::of(View::Color(&picture), Plane::Whole);
        assert_eq!((histogram.bins[0][0], histogram.bins[0][255], histogram.bins[1][51]), (2, 2, 2));
        assert_eq!((histogram.bins[2][204], histogram.bins[2][255]), (3, 1));
        assert_eq!(histogram.fitted(Channels::default()), ValueRange::WHOLE);
        let green = Channels { red: false, green: true, blue: false };
        assert_eq!(histogram.fitted(green), ValueRange { black: 0.2, white: 0.4 });
        let alpha = Histogram::of(View::Color(&picture), Plane::Alpha);
        assert_eq!((alpha.bins.len(), alpha.bins[0][0], alpha.bins[0][255]), (1, 1, 3));
    }

    #[test]
    fn depth_is_fitted_to_its_finite_values() {
        let depth = vec![0.5, f32::NAN, f32::NEG_INFINITY, -0.25];
        let map = DepthMap::new(SIZE, depth, Some(vec![0, 0, 51, 102])).unwrap();
        let histogram = Histogram::of(View::Depth(&map), Plane::Whole);
        assert_eq!(histogram.odd, OddValues { not_numbers: 1, infinite: 1, negative: 1 });
        assert_eq!(histogram.fitted(Channels::default()), ValueRange { black: -0.25, white: 0.5 });
        assert_eq!((histogram.bins[0][0], histogram.bins[0][255]), (1, 1));
        let stencil = Histogram::of(View::Depth(&map), Plane::Stencil);
        assert_eq!(stencil.fitted(Channels::default()), ValueRange { black: 0.0, white: 0.4 });
        let nothing = DepthMap::new(SIZE, vec![f32::NAN; 4], None).unwrap();
        let histogram = Histogram::of(View::Depth(&nothing), Plane::Whole);
        assert_eq!(histogram.fitted(Channels::default()), ValueRange::WHOLE);
    }
}
