//! The strip of frames: a small picture of each, made in the background.

use std::collections::BTreeMap;
use std::sync::Arc;

use egui::{Align2, Color32, ColorImage, FontId, Rect, ScrollArea, Sense, Stroke, TextureHandle, Ui, pos2, vec2};

use super::action::Action;
use super::dimming::opacity;
use super::document::Document;
use super::player_worker::PlayerThread;
use super::promise::Promise;
use super::question::{DependsOn, Epoch};
use super::worker::Worker;
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

struct Thumbnail {
    /// When it was asked for: in another epoch it is made anew.
    epoch: Epoch,
    image: Image,
}

enum Image {
    /// With the one from before, which shows meanwhile.
    Asked(Promise<Option<Arc<Picture>>>, Option<TextureHandle>),
    Made(TextureHandle),
    /// The frame cannot be shown.
    Broken,
}

impl Image {
    /// What there is to show.
    fn texture(&self) -> Option<&TextureHandle> {
        match self {
            Self::Made(texture) => Some(texture),
            Self::Asked(_, before) => before.as_ref(),
            Self::Broken => None,
        }
    }
}

/// What the strip is drawn of.
struct Frame {
    number: u32,
    place: Rect,
    is_current: bool,
}

impl ThumbnailStrip {
    /// Textures are gone with their GPU; they are made anew when they are drawn.
    pub(crate) fn forget_textures(&mut self) {
        self.thumbnails.clear();
    }

    /// Draws the frames around the current one. Thumbnails are only made while nothing else is to be done.
    pub(crate) fn ui(&mut self, ui: &mut Ui, document: &Document, current: FrameIndex, actions: &mut Vec<Action>) {
        self.take_answers(ui);
        let (frame_count, current, size) = (document.frame_count(), current.0, document.open.size);
        let epoch = document.epoch(DependsOn::Shaders);
        let aspect = size.width_px as f32 / size.height_px.max(1) as f32;
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
            for number in first..last {
                let min = pos2(origin.x + number as f32 * width, origin.y);
                let place = Rect::from_min_size(min, vec2(width - GAP, HEIGHT));
                let frame = Frame { number, place, is_current: number == current };
                if self.frame_ui(ui, &frame, epoch) {
                    actions.push(Action::frame(number));
                }
            }
        });
        self.ask(&document.player_worker, epoch, visible, current);
    }

    /// Draws a frame; says whether it was clicked.
    fn frame_ui(&self, ui: &Ui, frame: &Frame, epoch: Epoch) -> bool {
        let Frame { number: frame, place, is_current } = *frame;
        let response = ui.interact(place, ui.scope_id().with(("frame", frame)), Sense::click());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("frame {frame}")));
        let painter = ui.painter();
        let thumbnail = self.thumbnails.get(&frame);
        let is_old = thumbnail.is_some_and(|known| known.epoch != epoch || !matches!(known.image, Image::Made(_)));
        let texture = thumbnail.and_then(|known| known.image.texture());
        if let Some(texture) = texture {
            let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            let opacity = opacity(ui, response.id.with("old"), is_old);
            painter.image(texture.id(), place, whole, Color32::WHITE.gamma_multiply(opacity));
        } else {
            painter.rect_filled(place, 0.0, ui.visuals().extreme_bg_color);
        }
        if thumbnail.is_some_and(|known| known.epoch == epoch && matches!(known.image, Image::Broken)) {
            let color = ui.visuals().error_fg_color;
            painter.text(place.center(), Align2::CENTER_CENTER, "error", FontId::proportional(11.0), color);
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
        response.clicked()
    }

    fn take_answers(&mut self, ui: &Ui) {
        for (frame, thumbnail) in &mut self.thumbnails {
            let Image::Asked(promise, _) = &thumbnail.image else { continue };
            let Some(answer) = promise.get() else { continue };
            thumbnail.image = match answer {
                Some(picture) => {
                    let name = format!("thumbnail {frame}");
                    Image::Made(ui.ctx().load_texture(name, shrink(picture), egui::TextureOptions::LINEAR))
                }
                None => Image::Broken,
            };
        }
    }

    /// Asks for what is on the screen, nearest to the current frame first; what scrolled away is forgotten.
    fn ask(&mut self, player: &Worker<PlayerThread>, epoch: Epoch, visible: std::ops::Range<u32>, current: u32) {
        let is_asked = |thumbnail: &Thumbnail| matches!(thumbnail.image, Image::Asked(..));
        self.thumbnails.retain(|frame, thumbnail| !is_asked(thumbnail) || visible.contains(frame));
        let known = self.thumbnails.values();
        let asked = known.filter(|thumbnail| is_asked(thumbnail) && thumbnail.epoch == epoch).count();
        let is_missing = |frame: &u32| self.thumbnails.get(frame).is_none_or(|known| known.epoch != epoch);
        let mut missing: Vec<u32> = visible.filter(is_missing).collect();
        missing.sort_by_key(|frame| frame.abs_diff(current));
        for frame in missing.into_iter().take(ASKED.saturating_sub(asked)) {
            let before = self.thumbnails.remove(&frame).and_then(|known| known.image.texture().cloned());
            let image = Image::Asked(player.thumbnail(FrameIndex(frame)), before);
            self.thumbnails.insert(frame, Thumbnail { epoch, image });
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
