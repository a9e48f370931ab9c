//! The strip of frames: a small picture of each, made in the background.

use std::collections::BTreeMap;
use std::sync::Arc;

use egui::{Align2, Color32, ColorImage, FontId, Rect, ScrollArea, Sense, Stroke, TextureHandle, Ui, pos2, vec2};

use super::action::Action;
use super::dimming::opacity;
use super::player_worker::PlayerThread;
use super::worker::{Promise, Topic, Worker};
use crate::format::aerogpu::FrameIndex;
use crate::pixels::Picture;

const HEIGHT: f32 = 64.0;
const GAP: f32 = 4.0;
/// Thumbnails kept; the ones farthest from what is on the screen go first.
const KEPT: usize = 600;
/// Thumbnails being made at a time: enough to keep the player busy, few enough to be forgotten when one scrolls on.
const ASKED: usize = 4;

/// The strip and its thumbnails.
#[derive(Default)]
pub(super) struct ThumbnailStrip {
    thumbnails: BTreeMap<u32, Thumbnail>,
    /// The frame that the strip was scrolled to last.
    scrolled_to: Option<u32>,
}

enum Thumbnail {
    /// With the one from before, which shows meanwhile.
    Asked(Promise<Option<Arc<Picture>>>, Option<TextureHandle>),
    Made(TextureHandle),
    /// Made of other shaders.
    Old(TextureHandle),
    /// The frame cannot be shown.
    Broken,
}

impl ThumbnailStrip {
    /// Shaders are made in another way: every thumbnail is made anew.
    pub(crate) fn outdate(&mut self) {
        for thumbnail in self.thumbnails.values_mut() {
            *thumbnail = match std::mem::replace(thumbnail, Thumbnail::Broken) {
                Thumbnail::Made(texture) | Thumbnail::Old(texture) | Thumbnail::Asked(_, Some(texture)) => {
                    Thumbnail::Old(texture)
                }
                Thumbnail::Asked(_, None) | Thumbnail::Broken => continue,
            };
        }
        // What is broken, or was on its way, has nothing to show meanwhile.
        self.thumbnails.retain(|_, thumbnail| matches!(thumbnail, Thumbnail::Old(_)));
    }

    /// Forgets everything: another trace.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Draws the frames around the current one. Thumbnails are only made while nothing else is to be done.
    pub(crate) fn ui(
        &mut self,
        ui: &mut Ui,
        player_worker: &Worker<PlayerThread>,
        (frame_count, current): (u32, u32),
        aspect: f32,
        actions: &mut Vec<Action>,
    ) {
        self.take_answers(ui);
        let width = (HEIGHT * aspect).clamp(24.0, 160.0) + GAP;
        let mut area = ScrollArea::horizontal().id_salt("strip").auto_shrink([false, true]);
        if self.scrolled_to != Some(current) {
            let middle = current as f32 * width - (ui.available_width() - width) / 2.0;
            area = area.horizontal_scroll_offset(middle.max(0.0));
            self.scrolled_to = Some(current);
        }
        let mut visible = 0..0;
        area.show_viewport(ui, |ui, viewport| {
            ui.set_width(width * frame_count as f32);
            ui.set_height(HEIGHT + 14.0);
            let first = (viewport.left() / width).floor().max(0.0) as u32;
            let last = ((viewport.right() / width).ceil().max(0.0) as u32).min(frame_count);
            visible = first..last;
            let origin = ui.min_rect().min;
            for frame in first..last {
                let min = pos2(origin.x + frame as f32 * width, origin.y);
                let place = Rect::from_min_size(min, vec2(width - GAP, HEIGHT));
                self.frame_ui(ui, frame, place, frame == current, actions);
            }
        });
        self.ask(player_worker, visible, current);
    }

    fn frame_ui(&self, ui: &mut Ui, frame: u32, place: Rect, is_current: bool, actions: &mut Vec<Action>) {
        let response = ui.interact(place, ui.scope_id().with(("frame", frame)), Sense::click());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("frame {frame}")));
        if response.clicked() {
            actions.push(Action::frame(frame));
        }
        let painter = ui.painter();
        match self.thumbnails.get(&frame) {
            Some(
                thumbnail @ (Thumbnail::Made(texture) | Thumbnail::Old(texture) | Thumbnail::Asked(_, Some(texture))),
            ) => {
                let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
                let is_old = !matches!(thumbnail, Thumbnail::Made(_));
                let opacity = opacity(ui, response.id.with("old"), is_old);
                painter.image(texture.id(), place, whole, Color32::WHITE.gamma_multiply(opacity));
            }
            Some(Thumbnail::Broken) => {
                painter.rect_filled(place, 0.0, ui.visuals().extreme_bg_color);
                let color = ui.visuals().error_fg_color;
                painter.text(place.center(), Align2::CENTER_CENTER, "error", FontId::proportional(11.0), color);
            }
            _ => {
                painter.rect_filled(place, 0.0, ui.visuals().extreme_bg_color);
            }
        }
        let stroke = match (is_current, response.hovered()) {
            (true, _) => Stroke::new(2.0, ui.visuals().selection.stroke.color),
            (false, true) => Stroke::new(1.0, ui.visuals().text_color()),
            (false, false) => Stroke::new(1.0, ui.visuals().window_stroke.color),
        };
        painter.rect_stroke(place, 0.0, stroke, egui::StrokeKind::Outside);
        let color = if is_current { ui.visuals().strong_text_color() } else { ui.visuals().weak_text_color() };
        let below = place.center_bottom() + vec2(0.0, 1.0);
        painter.text(below, Align2::CENTER_TOP, frame, FontId::monospace(10.0), color);
    }

    fn take_answers(&mut self, ui: &Ui) {
        for (frame, thumbnail) in &mut self.thumbnails {
            let Thumbnail::Asked(promise, _) = thumbnail else { continue };
            let Some(answer) = promise.get() else { continue };
            *thumbnail = match answer {
                Some(picture) => {
                    let name = format!("thumbnail {frame}");
                    Thumbnail::Made(ui.ctx().load_texture(name, shrink(picture), egui::TextureOptions::LINEAR))
                }
                None => Thumbnail::Broken,
            };
        }
    }

    /// Asks for what is on the screen, nearest to the current frame first; what scrolled away is forgotten.
    fn ask(&mut self, player_worker: &Worker<PlayerThread>, visible: std::ops::Range<u32>, current: u32) {
        let is_visible = |frame: u32| visible.contains(&frame);
        player_worker.forget(|topic| matches!(topic, Topic::Thumbnail(frame) if !is_visible(frame)));
        self.thumbnails.retain(|frame, thumbnail| !matches!(thumbnail, Thumbnail::Asked(..)) || is_visible(*frame));
        let asked = self.thumbnails.values().filter(|thumbnail| matches!(thumbnail, Thumbnail::Asked(..))).count();
        let is_missing = |frame: &u32| matches!(self.thumbnails.get(frame), None | Some(Thumbnail::Old(_)));
        let mut missing: Vec<u32> = visible.filter(is_missing).collect();
        missing.sort_by_key(|frame| frame.abs_diff(current));
        for frame in missing.into_iter().take(ASKED.saturating_sub(asked)) {
            let before = match self.thumbnails.remove(&frame) {
                Some(Thumbnail::Old(texture)) => Some(texture),
                _ => None,
            };
            self.thumbnails.insert(frame, Thumbnail::Asked(player_worker.thumbnail(FrameIndex(frame)), before));
        }
        while self.thumbnails.len() > KEPT {
            let farthest = self.thumbnails.keys().copied().max_by_key(|frame| frame.abs_diff(current));
            let Some(farthest) = farthest else { break };
            self.thumbnails.remove(&farthest);
        }
    }
}

/// At most twice the strip's height, each pixel the mean of those it stands for. Alpha is ignored, as in the picture.
fn shrink(picture: &Picture) -> ColorImage {
    let size = picture.size();
    let [width, height] = [size.width_px, size.height_px];
    let factor = (height as f32 / (2.0 * HEIGHT)).ceil().max(1.0) as u32;
    let (columns, rows) = ((width / factor).max(1), (height / factor).max(1));
    let mean = |column: u32, row: u32| {
        let mut sums = [0u32; 3];
        let mut count = 0;
        for y in row * factor..((row + 1) * factor).min(height) {
            for x in column * factor..((column + 1) * factor).min(width) {
                let Some([red, green, blue, _]) = picture.pixel(x, y) else { continue };
                for (sum, value) in sums.iter_mut().zip([red, green, blue]) {
                    *sum += u32::from(value);
                }
                count += 1;
            }
        }
        let [red, green, blue] = sums.map(|sum| (sum / count.max(1)) as u8);
        Color32::from_rgb(red, green, blue)
    };
    let pixels = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
    ColorImage::new([columns as usize, rows as usize], pixels.map(|(column, row)| mean(column, row)).collect())
}
