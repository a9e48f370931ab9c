//! The picture: enlarged, channel by channel, pixel by pixel.

mod content;
mod display;
mod range;
mod settings;
mod view;

use egui::{Color32, CursorIcon, Pos2, Rect, Sense, Stroke, Ui, Vec2, pos2, vec2};

pub(super) use self::content::Content;
use self::display::Plane;
pub(super) use self::display::{Look, to_texture};
use self::range::Histogram;
use self::settings::Ranges;
use self::view::PictureView;
use super::action::{Action, Direction};
use super::dimming::opacity;

/// What surrounds the picture.
pub(super) const MARGIN: Color32 = Color32::from_gray(33);
/// From this enlargement on, lines between pixels can be told from pixels.
const GRID_FROM_SCALE: f32 = 6.0;
/// What one step of the wheel enlarges by.
const ZOOM_STEP: f32 = 1.25;

/// Space beside a separator that is its own, in points.
const SEPARATOR: f32 = 4.0;

/// How the picture is shown.
#[derive(Default)]
pub(super) struct PicturePanel {
    view: PictureView,
    /// The way it is shown, but for the range.
    look: Look,
    ranges: Ranges,
    grid: Grid,
    /// The content that was shown last: the settings are about it.
    shown: Option<Content>,
    histogram: Option<(Content, Plane, Histogram)>,
    texture: Option<(Key, egui::TextureHandle)>,
    /// The pixel under the pointer.
    pub hovered: Option<[u32; 2]>,
}

/// What is shown.
pub(super) struct ShownPicture<'a> {
    pub content: &'a Content,
    /// Whether it is not what is asked for: it is dimmed if that takes long.
    pub is_old: bool,
    /// The pixel whose history is shown.
    pub selected: Option<[u32; 2]>,
}

/// Lines between pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Grid {
    /// Never: what is on the screen are the picture's pixels and nothing else.
    #[default]
    Off,
    /// Where the pixels are large enough.
    WhenLarge,
}

/// What a texture was made of. It holds the picture, so that no other can come to lie where it lies.
#[derive(PartialEq)]
struct Key {
    content: Content,
    look: Look,
}

impl PicturePanel {
    /// The texture is gone with its GPU.
    pub(crate) fn forget_texture(&mut self) {
        self.texture = None;
    }

    /// The content that was drawn last.
    pub(crate) fn shown(&self) -> Option<&Content> {
        self.shown.as_ref()
    }

    /// There is nothing to draw: no pixel of what was shown before is told.
    pub(crate) fn show_nothing(&mut self) {
        (self.shown, self.hovered) = (None, None);
    }

    /// Lines between pixels, or none.
    pub(crate) fn toggle_grid(&mut self) {
        self.grid = if self.grid == Grid::Off { Grid::WhenLarge } else { Grid::Off };
    }

    /// As large as fits.
    pub(crate) fn fit(&mut self) {
        self.view = PictureView::default();
    }

    /// One pixel on one.
    pub(crate) fn actual_size(&mut self) {
        self.view.set_scale(1.0);
    }

    /// A step closer or farther.
    pub(crate) fn zoom(&mut self, direction: Direction) {
        self.view.zoom(match direction {
            Direction::Forward => 2.0,
            Direction::Backward => 0.5,
        });
    }

    /// Shows a picture in all the space there is.
    pub(crate) fn ui(&mut self, ui: &mut Ui, shown: &ShownPicture<'_>, actions: &mut Vec<Action>) {
        let ShownPicture { content, is_old, selected } = *shown;
        let room = ui.available_rect_before_wrap();
        // Separators can be caught from the picture's side, too; what is drawn last would have the pointer.
        let own = Rect::from_min_max(room.min + vec2(SEPARATOR, 0.0), room.max - Vec2::splat(SEPARATOR));
        ui.advance_cursor_after_rect(room);
        let response = ui.interact(own, ui.scope_id().with("picture"), Sense::click_and_drag());
        let size = content.size();
        let sides = [size.width_px, size.height_px];
        let pixels_per_point = ui.ctx().pixels_per_point();
        self.navigate(ui, (&response, room), sides, pixels_per_point);
        let shown = self.view.place(room, sides, pixels_per_point);
        let painter = ui.painter_at(room);
        painter.rect_filled(room, 0.0, MARGIN);
        let texture = self.texture(ui, content);
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        let opacity = opacity(ui, response.id.with("old"), is_old);
        painter.image(texture, shown, whole, Color32::WHITE.gamma_multiply(opacity));
        let scale_px = shown.width() / sides[0] as f32 * pixels_per_point;
        if self.grid == Grid::WhenLarge && scale_px >= GRID_FROM_SCALE {
            draw_grid(&painter, room.intersect(shown), shown, sides);
        }
        let pixel_at = |at: Pos2| {
            let relative = (at - shown.min) / shown.size() * vec2(sides[0] as f32, sides[1] as f32);
            (shown.contains(at) && room.contains(at)).then(|| {
                let side = |at: f32, side: u32| (at.max(0.0) as u32).min(side.saturating_sub(1));
                [side(relative.x, sides[0]), side(relative.y, sides[1])]
            })
        };
        self.hovered = response.hover_pos().and_then(pixel_at);
        if response.clicked()
            && let Some(pixel) = response.interact_pointer_pos().and_then(pixel_at)
        {
            actions.push(Action::SelectPixel(pixel));
        }
        if response.double_clicked() {
            self.fit();
        }
        if let Some([x, y]) = selected {
            mark(&painter, shown, sides, [x, y]);
        }
        if self.hovered.is_some() {
            ui.ctx().set_cursor_icon(CursorIcon::Crosshair);
        }
    }

    fn navigate(&mut self, ui: &Ui, (response, room): (&egui::Response, Rect), sides: [u32; 2], pixels_per_point: f32) {
        if response.dragged() {
            self.view.pan(response.drag_delta(), room, sides, pixels_per_point);
        }
        let Some(pointer) = response.hover_pos() else { return };
        let (scroll, pinch) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
        let factor = pinch * ZOOM_STEP.powf(scroll / 50.0);
        if factor != 1.0 {
            self.view.zoom_at(factor, pointer, room, sides, pixels_per_point);
        }
    }

    fn texture(&mut self, ui: &Ui, content: &Content) -> egui::TextureId {
        if self.shown.as_ref() != Some(content) {
            self.shown = Some(content.clone());
            // The panels that tell of it are drawn already.
            ui.ctx().request_repaint();
        }
        let key = Key { content: content.clone(), look: self.look_at(content) };
        match &mut self.texture {
            Some((made_of, texture)) if *made_of == key => texture.id(),
            slot => {
                let texture = to_texture(ui, "picture", content.view(), &key.look);
                slot.insert((key, texture)).1.id()
            }
        }
    }
}

/// Lines between the pixels in `visible`.
fn draw_grid(painter: &egui::Painter, visible: Rect, shown: Rect, sides: [u32; 2]) {
    let stroke = Stroke::new(1.0, Color32::from_black_alpha(90));
    let cell = shown.size() / vec2(sides[0] as f32, sides[1] as f32);
    let lines = |from: f32, to: f32, start: f32, step: f32| {
        let (first, last) = (((from - start) / step).ceil() as i64, ((to - start) / step).floor() as i64);
        (first..=last).map(move |line| start + line as f32 * step)
    };
    for x in lines(visible.left(), visible.right(), shown.left(), cell.x) {
        painter.vline(x, visible.y_range(), stroke);
    }
    for y in lines(visible.top(), visible.bottom(), shown.top(), cell.y) {
        painter.hline(visible.x_range(), y, stroke);
    }
}

/// A frame around one pixel, large enough to be found.
fn mark(painter: &egui::Painter, shown: Rect, sides: [u32; 2], [x, y]: [u32; 2]) {
    let cell: Vec2 = shown.size() / vec2(sides[0] as f32, sides[1] as f32);
    let pixel = Rect::from_min_size(shown.min + vec2(x as f32, y as f32) * cell, cell);
    let grow = (7.0 - cell.x.min(cell.y)).max(0.0) / 2.0 + 1.0;
    let frame = pixel.expand(grow);
    painter.rect_stroke(frame.expand(1.0), 0.0, Stroke::new(1.0, Color32::BLACK), egui::StrokeKind::Outside);
    painter.rect_stroke(frame, 0.0, Stroke::new(1.0, Color32::WHITE), egui::StrokeKind::Outside);
}
