//! The strip at the top: a small picture of each frame, or of each draw of a frame, made in the background.

use std::ops::Range;
use std::sync::Arc;

use egui::{
    Align2, Color32, ColorImage, FontId, Image, Rect, ScrollArea, Sense, Stroke, TextureHandle, Ui, pos2, vec2,
};

use foldhash::HashMap;

use super::action::Action;
use super::dimming::opacity;
use super::document::Document;
use super::draw_costs::{TimedFrame, heat, in_units};
use super::player_worker::PlayerThread;
use super::promise::Promise;
use super::question::{DependsOn, Epoch};
use super::worker::Worker;
use crate::command::{Place, Point};
use crate::format::aerogpu::FrameIndex;
use crate::pixels::Picture;

const HEIGHT: f32 = 64.0;
const GAP: f32 = 4.0;
/// Thumbnails kept; the ones farthest from what is on the screen go first.
const KEPT: usize = 600;
/// Thumbnails being made at a time: enough to keep the player busy, few enough to be forgotten when one scrolls on.
const ASKED: usize = 4;

/// What the strip has a picture of each of, and what playing goes through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Steps {
    /// The frames of the trace.
    #[default]
    Frames,
    /// The draws of the frame one is in.
    Draws,
}

/// How many frames and draws lie between two steps.
fn distance(a: Place, b: Place) -> (u32, u32) {
    let draw = |place: Place| match place.point {
        Point::Draw(draw) => draw,
        Point::Start | Point::Packet(_) | Point::End => 0,
    };
    (a.frame.0.abs_diff(b.frame.0), draw(a).abs_diff(draw(b)))
}

/// The steps of a strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StripRow {
    /// The frame that they are draws of.
    frame: Option<FrameIndex>,
    count: u32,
    current: u32,
}

impl StripRow {
    fn step(self, number: u32) -> Place {
        match self.frame {
            Some(frame) => Place::at_draw(frame, number),
            None => Place::end_of(FrameIndex(number)),
        }
    }
}

/// The strip and its thumbnails.
#[derive(Default)]
pub(super) struct ThumbnailStrip {
    steps: Steps,
    /// The first and the last step of what playing repeats, if it was chosen, with the frame that they are draws of.
    repeated: Option<(Option<FrameIndex>, [u32; 2])>,
    thumbnails: HashMap<Place, Thumbnail>,
    /// The step that is shown larger.
    previewed: Option<Place>,
    /// The row and the step that the strip was scrolled to last.
    scrolled_to: Option<Place>,
}

struct Thumbnail {
    /// When it was asked for: in another epoch it is made anew.
    epoch: Epoch,
    image: Made,
}

enum Made {
    /// With the one from before, which shows meanwhile.
    Asked(Promise<Option<Arc<Picture>>>, Option<TextureHandle>),
    Texture(TextureHandle),
    /// It cannot be shown.
    Broken,
}

impl Made {
    /// What there is to show.
    fn texture(&self) -> Option<&TextureHandle> {
        match self {
            Self::Texture(texture) => Some(texture),
            Self::Asked(_, before) => before.as_ref(),
            Self::Broken => None,
        }
    }
}

/// What a step is drawn of.
struct Card {
    step: Place,
    number: u32,
    place: Rect,
    is_current: bool,
    is_repeated: bool,
    /// Whether something in the frame is not carried out.
    is_faulty: bool,
    /// Nanoseconds of the draw, and of the costliest one.
    cost: Option<(u64, u64)>,
}

impl ThumbnailStrip {
    /// Textures are gone with their GPU; they are made anew when they are drawn.
    pub(crate) fn forget_textures(&mut self) {
        self.thumbnails.clear();
    }

    /// Shows draws instead of frames, or frames again.
    pub(crate) fn toggle_steps(&mut self) {
        self.steps = if self.steps == Steps::Frames { Steps::Draws } else { Steps::Frames };
        (self.repeated, self.scrolled_to) = (None, None);
    }

    fn row(&self, document: &Document, place: Place) -> StripRow {
        let frames = StripRow { frame: None, count: document.frame_count(), current: place.frame.0 };
        match (self.steps, document.draw_count(place.frame)) {
            (Steps::Draws, Some(count)) => {
                StripRow { frame: Some(place.frame), count, current: document.last_draw(place).unwrap_or(0) }
            }
            _ => frames,
        }
    }

    /// The steps that playing repeats, if that was chosen.
    fn repeated(&self, row: StripRow) -> Option<[u32; 2]> {
        let (frame, ends) = self.repeated?;
        (frame == row.frame && ends.iter().all(|end| *end < row.count)).then_some(ends)
    }

    /// Where playing goes on from a place; `None` at the end. Draws are repeated, and so is what was chosen.
    pub(crate) fn next_played(&self, document: &Document, place: Place) -> Option<Place> {
        let row = self.row(document, place);
        let last = row.count.checked_sub(1)?;
        let ends = self.repeated(row).or(row.frame.map(|_| [0, last]));
        let next = match ends {
            Some([first, last]) if row.current < first || row.current >= last => first,
            None if row.current >= last => return None,
            _ => row.current + 1,
        };
        Some(row.step(next))
    }

    /// Where playing begins from a place: at the end it starts over.
    pub(crate) fn first_played(&self, document: &Document, place: Place) -> Place {
        match self.next_played(document, place) {
            // A frame without draws has none to play.
            None => self.row(document, place).frame.map_or(Place::end_of(FrameIndex(0)), |_| place),
            Some(Place { point: Point::End, .. }) => Place::end_of(place.frame),
            Some(draw) => draw,
        }
    }

    /// Draws the steps around the current one, and what draws cost, if that is known. Thumbnails are only made while nothing
    /// else is to be done.
    pub(crate) fn ui(
        &mut self,
        ui: &mut Ui,
        (document, timed): (&Document, Option<&TimedFrame>),
        place: Place,
        actions: &mut Vec<Action>,
    ) {
        self.take_answers(ui);
        let row = self.row(document, place);
        ui.horizontal(|ui| {
            ui.vertical(|ui| self.choice_ui(ui, row));
            self.row_ui(ui, (document, timed), row, actions);
        });
    }

    /// The choice between frames and draws, and what playing repeats.
    fn choice_ui(&mut self, ui: &mut Ui, row: StripRow) {
        ui.set_width(56.0);
        for (steps, name, hint) in [
            (Steps::Frames, "frames", "d: a picture of each frame"),
            (Steps::Draws, "draws", "d: a picture after each draw of this frame; Space plays them"),
        ] {
            if ui.selectable_label(self.steps == steps, name).on_hover_text(hint).clicked() && self.steps != steps {
                self.toggle_steps();
            }
        }
        if let Some([first, last]) = self.repeated(row)
            && ui.small_button(format!("⟲ {first}–{last} ✖")).on_hover_text("replay all").clicked()
        {
            self.repeated = None;
        }
    }

    fn row_ui(
        &mut self,
        ui: &mut Ui,
        (document, timed): (&Document, Option<&TimedFrame>),
        row: StripRow,
        actions: &mut Vec<Action>,
    ) {
        let timed = timed.filter(|timed| row.frame == Some(timed.times.frame));
        let most_nanos = timed.map_or(0, TimedFrame::most_nanos).max(1);
        let size = document.open.size;
        let epoch = document.epoch(DependsOn::Shaders);
        let aspect = size.width_px as f32 / size.height_px.max(1) as f32;
        let width = (HEIGHT * aspect).clamp(24.0, 160.0) + GAP;
        let mut area = ScrollArea::horizontal().id_salt("strip").auto_shrink([false, true]);
        let current = row.step(row.current);
        if self.scrolled_to != Some(current) {
            let middle = row.current as f32 * width - (ui.available_width() - width) / 2.0;
            area = area.horizontal_scroll_offset(middle.max(0.0));
            self.scrolled_to = Some(current);
        }
        let repeated = self.repeated(row);
        let (mut visible, mut clicked) = (0..0, None);
        area.show_viewport(ui, |ui, viewport| {
            ui.set_width(width * row.count as f32);
            ui.set_height(HEIGHT + 14.0);
            let first = (viewport.left() / width).floor().max(0.0) as u32;
            let last = ((viewport.right() / width).ceil().max(0.0) as u32).min(row.count);
            visible = first..last;
            let origin = ui.min_rect().min;
            for number in first..last {
                let min = pos2(origin.x + number as f32 * width, origin.y);
                let card = Card {
                    step: row.step(number),
                    number,
                    place: Rect::from_min_size(min, vec2(width - GAP, HEIGHT)),
                    is_current: number == row.current,
                    is_faulty: row.frame.is_none() && document.is_faulty(FrameIndex(number)),
                    is_repeated: repeated.is_some_and(|[first, last]| (first..=last).contains(&number)),
                    cost: timed.and_then(|timed| timed.of_draw(number)).map(|nanos| (nanos, most_nanos)),
                };
                if self.card_ui(ui, &card, epoch) {
                    clicked = Some(number);
                }
            }
        });
        if let Some(number) = clicked {
            if ui.input(|input| input.modifiers.shift) {
                let ends = [number.min(row.current), number.max(row.current)];
                self.repeated = Some((row.frame, ends));
            } else {
                actions.push(Action::GoTo(row.step(number)));
            }
        }
        self.ask(&document.player_worker, epoch, row, visible);
    }

    /// Draws a step; says whether it was clicked.
    fn card_ui(&self, ui: &Ui, card: &Card, epoch: Epoch) -> bool {
        let Card { step, number, place, is_current, is_repeated, is_faulty, cost } = *card;
        let response = ui.interact(place, ui.scope_id().with(("step", step)), Sense::click());
        let name = match step.point {
            Point::Draw(draw) => format!("draw {draw}"),
            Point::Start | Point::Packet(_) | Point::End if is_faulty => format!("frame {number}, with errors"),
            Point::Start | Point::Packet(_) | Point::End => format!("frame {number}"),
        };
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
        let painter = ui.painter();
        let thumbnail = self.thumbnails.get(&step);
        let is_old = thumbnail.is_some_and(|known| known.epoch != epoch || !matches!(known.image, Made::Texture(_)));
        let texture = thumbnail.and_then(|known| known.image.texture());
        if let Some(texture) = texture {
            let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            let opacity = opacity(ui, response.id.with("old"), is_old);
            painter.image(texture.id(), place, whole, Color32::WHITE.gamma_multiply(opacity));
        } else {
            painter.rect_filled(place, 0.0, ui.visuals().extreme_bg_color);
        }
        if thumbnail.is_some_and(|known| known.epoch == epoch && matches!(known.image, Made::Broken)) {
            let color = ui.visuals().error_fg_color;
            painter.text(place.center(), Align2::CENTER_CENTER, "error", FontId::proportional(11.0), color);
        }
        if is_faulty {
            let (corner, color) = (place.right_top(), ui.visuals().error_fg_color);
            painter.text(corner, Align2::RIGHT_TOP, "⛔", FontId::proportional(14.0), color);
        }
        let stroke = match (is_current, response.hovered()) {
            (true, _) => Stroke::new(2.0, ui.visuals().selection.stroke.color),
            (false, true) => Stroke::new(1.0, ui.visuals().text_color()),
            (false, false) => Stroke::new(1.0, ui.visuals().window_stroke.color),
        };
        painter.rect_stroke(place, 0.0, stroke, egui::StrokeKind::Outside);
        let color = if is_current { ui.visuals().strong_text_color() } else { ui.visuals().weak_text_color() };
        let below = place.center_bottom() + vec2(0.0, 3.0);
        if is_repeated {
            let bar = Rect::from_min_size(place.left_bottom() - vec2(0.0, 3.0), vec2(place.width() + GAP, 3.0));
            painter.rect_filled(bar, 0.0, ui.visuals().selection.bg_fill);
        }
        if let Some((nanos, most)) = cost {
            let size = vec2(place.width() * (nanos as f64 / most as f64) as f32, 4.0);
            painter.rect_filled(Rect::from_min_size(place.min, size), 0.0, heat(nanos as f32 / most as f32));
        }
        painter.text(below, Align2::CENTER_TOP, number, FontId::monospace(10.0), color);
        let response = response.on_hover_ui(|ui| {
            texture_ui(ui, texture);
            if let Some((nanos, _)) = cost {
                ui.label(format!("{name} takes {}", in_units(nanos)));
            }
            ui.label(format!("{name}; Shift click: loop from the current step to this one"));
        });
        response.clicked()
    }

    /// The picture at a place, as large as it is known, for whoever points at something else than the strip.
    pub(crate) fn preview_ui(&mut self, ui: &mut Ui, document: &Document, place: Place) {
        self.take_answers(ui);
        let epoch = document.epoch(DependsOn::Shaders);
        self.previewed = Some(place);
        if self.thumbnails.get(&place).is_none_or(|known| known.epoch != epoch) {
            self.ask_for(&document.player_worker, epoch, place);
        }
        match self.thumbnails.get(&place).map(|known| &known.image) {
            Some(Made::Broken) => {
                ui.colored_label(ui.visuals().error_fg_color, "cannot be drawn");
            }
            image => texture_ui(ui, image.and_then(Made::texture)),
        }
        ui.label(place.in_words().to_string());
    }

    fn take_answers(&mut self, ui: &Ui) {
        for (step, thumbnail) in &mut self.thumbnails {
            let Made::Asked(promise, _) = &thumbnail.image else { continue };
            let Some(answer) = promise.get() else { continue };
            thumbnail.image = match answer {
                Some(picture) => {
                    let name = format!("thumbnail {step}");
                    Made::Texture(ui.ctx().load_texture(name, shrink(picture), egui::TextureOptions::LINEAR))
                }
                None => Made::Broken,
            };
        }
    }

    /// Asks for what is on the screen, nearest to the current step first; what scrolled away is forgotten.
    fn ask(&mut self, player: &Worker<PlayerThread>, epoch: Epoch, row: StripRow, visible: Range<u32>) {
        let current = row.step(row.current);
        let previewed = self.previewed.take();
        let is_asked = |thumbnail: &Thumbnail| matches!(thumbnail.image, Made::Asked(..));
        let is_wanted =
            |step: &Place| visible.clone().any(|number| row.step(number) == *step) || previewed == Some(*step);
        self.thumbnails.retain(|step, thumbnail| !is_asked(thumbnail) || is_wanted(step));
        let known = self.thumbnails.values();
        let asked = known.filter(|thumbnail| is_asked(thumbnail) && thumbnail.epoch == epoch).count();
        let is_missing = |step: &Place| self.thumbnails.get(step).is_none_or(|known| known.epoch != epoch);
        let mut missing: Vec<Place> = visible.map(|number| row.step(number)).filter(is_missing).collect();
        missing.sort_by_key(|step| distance(*step, current));
        for step in missing.into_iter().take(ASKED.saturating_sub(asked)) {
            self.ask_for(player, epoch, step);
        }
        while self.thumbnails.len() > KEPT {
            let farthest = self.thumbnails.keys().copied().max_by_key(|step| distance(*step, current));
            let Some(farthest) = farthest else { break };
            self.thumbnails.remove(&farthest);
        }
    }

    fn ask_for(&mut self, player: &Worker<PlayerThread>, epoch: Epoch, step: Place) {
        let before = self.thumbnails.remove(&step).and_then(|known| known.image.texture().cloned());
        let image = Made::Asked(player.thumbnail(step), before);
        self.thumbnails.insert(step, Thumbnail { epoch, image });
    }
}

/// A thumbnail as large as it was made.
fn texture_ui(ui: &mut Ui, texture: Option<&TextureHandle>) {
    match texture {
        Some(texture) => ui.add(Image::new(texture).fit_to_exact_size(vec2(320.0, 2.0 * HEIGHT))),
        None => ui.weak("…"),
    };
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
