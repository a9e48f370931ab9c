//! A texture that the picture shows instead of the frame: one of its mips and layers, as of the current place or of one that
//! it is pinned to.

use std::sync::Arc;

use egui::{ComboBox, DragValue, Ui};

use super::action::Action;
use super::document::{Document, QuestionKind};
use super::player_worker::InspectorError;
use super::question::{Answer, DependsOn, Question};
use crate::analysis::{StreamObject, StreamStateAt};
use crate::command::{Place, ResourceName};
use crate::pixels::Surface;

/// Space left of what stands above the picture, in points.
const CAPTION_MARGIN: f32 = 8.0;

/// Layers of a cube, in the order of Direct3D.
const FACES: [&str; 6] = ["+X", "-X", "+Y", "-Y", "+Z", "-Z"];

/// The texture that is looked at.
pub(super) struct ViewedTexture {
    name: ResourceName,
    /// The place that it is shown as of, whatever the current one is.
    pinned: Option<Place>,
    surface: Question<(Place, ResourceName), Result<Arc<Surface>, InspectorError>>,
}

impl ViewedTexture {
    /// A texture as of the current place.
    pub(super) fn new(name: ResourceName) -> Self {
        Self { name, pinned: None, surface: Question::default() }
    }

    /// Part of the texture that is shown.
    pub(super) fn name(&self) -> ResourceName {
        self.name
    }

    /// The place that it is shown as of, at a current place.
    pub(super) fn place(&self, current: Place) -> Place {
        self.pinned.unwrap_or(current)
    }

    /// Shows another part of the same texture, or another texture, which is pinned nowhere.
    pub(super) fn change_to(&mut self, name: ResourceName) {
        if name.handle != self.name.handle {
            self.pinned = None;
        }
        self.name = name;
    }

    /// Its contents, or why they are not known.
    pub(super) fn show(
        &mut self,
        document: &Document,
        current: Place,
    ) -> Option<Answer<Result<Arc<Surface>, InspectorError>>> {
        let (place, name) = (self.place(current), self.name);
        let answer = self.surface.get(document.epoch(DependsOn::Shaders), (place, name), || {
            Some(document.ask_player(QuestionKind::Viewed, move |thread| thread.texture(place, name)))
        });
        answer.map(Answer::cloned)
    }

    /// Draws its name, and the choices of its part and place.
    pub(super) fn ui(&mut self, ui: &mut Ui, object: Option<&StreamObject>, current: Place, actions: &mut Vec<Action>) {
        ui.horizontal_wrapped(|ui| {
            ui.add_space(CAPTION_MARGIN);
            match object {
                Some(object) => {
                    ui.strong(object.title());
                    ui.label(&object.description);
                }
                None => {
                    ui.strong(format!("texture {}", self.name.handle));
                }
            }
            let before = self.name;
            let mut name = before;
            if let Some([mips, layers]) = object.and_then(|object| object.subresources) {
                part_ui(ui, "mip", &mut name.mip, mips);
                part_ui(ui, "layer", &mut name.layer, layers);
                if let Some(face) = FACES.get(name.layer as usize).filter(|_| layers == FACES.len() as u32) {
                    ui.weak(format!("face {face} of a cube"));
                }
            }
            if name != before {
                actions.push(Action::ShowTexture(name));
            }
            let mut is_pinned = self.pinned.is_some();
            let pinned = match self.pinned {
                Some(place) => format!("pinned to {}", place.in_words()),
                None => "pin to this place".to_owned(),
            };
            let hint = "keep showing the texture as it is here, wherever you go";
            if ui.checkbox(&mut is_pinned, pinned).on_hover_text(hint).changed() {
                self.pinned = is_pinned.then_some(current);
            }
            if ui.button("back to the frame").on_hover_text("Esc").clicked() {
                actions.push(Action::ShowFrame);
            }
        });
    }
}

/// Draws the choice of a mip or a layer, where there are several.
pub(super) fn part_ui(ui: &mut Ui, name: &str, value: &mut u32, count: u32) {
    if count > 1 {
        *value = (*value).min(count - 1);
        ui.label(name);
        ui.add(DragValue::new(value).range(0..=count - 1));
        ui.weak(format!("of {count}"));
    }
}

/// An object can be shown as a picture.
fn is_picture(object: &StreamObject) -> bool {
    matches!(object.kind, "texture" | "view")
}

/// The object with a handle that can be shown as a picture.
pub(super) fn picture_object(state: &StreamStateAt, handle: u32) -> Option<&StreamObject> {
    state.objects.iter().find(|object| is_picture(object) && object.handle == handle)
}

/// Draws the choice of what the picture shows: the frame, what is bound, or any other texture. `state` is asked only while
/// the choice is open.
pub(super) fn choice_ui<'a>(
    ui: &mut Ui,
    viewed: Option<ResourceName>,
    state: impl FnOnce() -> Option<&'a StreamStateAt>,
    actions: &mut Vec<Action>,
) {
    let chosen = viewed.map_or_else(|| "frame".to_owned(), |name| format!("texture {}", name.handle));
    let combo = ComboBox::from_id_salt("picture of").width(0.0).height(400.0).selected_text(chosen);
    combo.show_ui(ui, |ui| {
        if ui.selectable_label(viewed.is_none(), "frame").clicked() {
            actions.push(Action::ShowFrame);
        }
        let Some(state) = state() else {
            ui.weak("…");
            return;
        };
        let mut row = |ui: &mut Ui, title: String, object: &StreamObject| {
            let is_chosen = viewed.is_some_and(|name| name.handle == object.handle);
            if ui.selectable_label(is_chosen, title).on_hover_text(&object.description).clicked() {
                actions.push(Action::ShowTexture(ResourceName::of(object.handle)));
            }
        };
        let bound = state.settings.iter().filter_map(|setting| {
            let object = picture_object(state, setting.handle?)?;
            Some((format!("{}, {}: {}", setting.group, setting.name, object.title()), object))
        });
        let bound: Vec<_> = bound.collect();
        if !bound.is_empty() {
            ui.separator();
            ui.weak("bound here");
        }
        for (title, object) in bound {
            row(ui, title, object);
        }
        ui.separator();
        ui.weak("all textures");
        for object in state.objects.iter().filter(|object| is_picture(object)) {
            row(ui, object.title(), object);
        }
    });
}
