//! Other ways to look at the frame: without some draws, and with overlays that tell what draws do.

use std::collections::BTreeSet;
use std::sync::Arc;

use egui::{Color32, ComboBox, Ui};

use super::action::Action;
use super::document::{Document, QuestionKind};
use super::keys;
use super::player_worker::InspectorError;
use super::question::{Answer, DependsOn, Question};
use crate::analysis::{LegendEntry, OverlayKind};
use crate::command::Place;
use crate::format::aerogpu::FrameIndex;
use crate::pixels::Picture;
use crate::player::DrawSelection;
use crate::text::counted;

/// What is laid over the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverlayChoice {
    /// The picture as it is.
    #[default]
    None,
    /// What the selected draw covers.
    Highlight,
    /// Tests that the selected draw's pixels pass.
    Tests,
    /// Which side of its triangles is seen.
    Sides,
    /// The edges of the selected draw's triangles.
    Wireframe,
    /// The edges of all triangles so far.
    WireframeAll,
    /// How often each pixel was written.
    Overdraw,
    /// How many of its colours each pixel has had.
    Age,
}

impl OverlayChoice {
    const ALL: [(Self, &'static str); 8] = [
        (Self::None, "none"),
        (Self::Highlight, "this draw"),
        (Self::Tests, "tests of this draw"),
        (Self::Sides, "sides of its triangles"),
        (Self::Wireframe, "wireframe of this draw"),
        (Self::WireframeAll, "wireframe"),
        (Self::Overdraw, "overdraw"),
        (Self::Age, "pixel age"),
    ];
}

/// What is asked of the player.
#[derive(Clone, Debug, PartialEq)]
enum Wanted {
    Overlay(OverlayKind),
    Draws(DrawSelection),
}

/// A picture that is looked at instead of the trace's own.
#[derive(Clone)]
pub(super) struct OverlayPicture {
    pub picture: Arc<Picture>,
    /// What its colours mean; empty where they are the trace's.
    pub legend: Vec<LegendEntry>,
}

/// How the frame is looked at.
#[derive(Default)]
pub(super) struct OverlaySettings {
    pub choice: OverlayChoice,
    /// Draws of `frame` that are left out.
    hidden: BTreeSet<u32>,
    /// Draws of `frame` that alone are drawn; none: all of them.
    alone: BTreeSet<u32>,
    frame: FrameIndex,
    shown: Question<(Place, Wanted), Result<OverlayPicture, InspectorError>>,
}

impl OverlaySettings {
    /// Settings under which these draws of a frame are drawn.
    pub(crate) fn of_draws(frame: FrameIndex, draws: DrawSelection) -> Self {
        let (hidden, alone) = match draws {
            DrawSelection::All => Default::default(),
            DrawSelection::Without(hidden) => (hidden, BTreeSet::new()),
            DrawSelection::Only(alone) => (BTreeSet::new(), alone),
        };
        Self { hidden, alone, frame, ..Self::default() }
    }

    /// Leaves out a draw, or takes it back in.
    pub(crate) fn toggle_hidden(&mut self, place: Place, draw: u32) {
        self.at_frame(place.frame);
        if !self.hidden.remove(&draw) {
            self.hidden.insert(draw);
        }
        self.alone.clear();
    }

    /// Draws nothing but this draw, or everything again.
    pub(crate) fn toggle_alone(&mut self, place: Place, draw: u32) {
        self.at_frame(place.frame);
        let alone = BTreeSet::from([draw]);
        self.alone = if self.alone == alone { BTreeSet::new() } else { alone };
        self.hidden.clear();
    }

    /// Lays something over the picture, or takes it away again.
    pub(crate) fn toggle_overlay(&mut self, choice: OverlayChoice) {
        self.choice = if self.choice == choice { OverlayChoice::None } else { choice };
    }

    /// Draws everything, without overlay.
    pub(crate) fn reset(&mut self) {
        *self = Self { frame: self.frame, ..Self::default() };
    }

    /// Whether anything but the trace's own picture of the place is asked for.
    pub(crate) fn is_changed(&self, place: Place) -> bool {
        let has_draws = self.frame == place.frame && !(self.alone.is_empty() && self.hidden.is_empty());
        has_draws || self.choice != OverlayChoice::None
    }

    /// Choices about draws are about one frame's.
    fn at_frame(&mut self, frame: FrameIndex) {
        if self.frame != frame {
            (self.hidden, self.alone, self.frame) = (BTreeSet::new(), BTreeSet::new(), frame);
        }
    }

    fn wanted(&self, document: &Document, place: Place) -> Option<Wanted> {
        let draw = || document.last_draw(place);
        if self.frame == place.frame {
            if !self.alone.is_empty() {
                return Some(Wanted::Draws(DrawSelection::Only(self.alone.clone())));
            }
            if !self.hidden.is_empty() {
                return Some(Wanted::Draws(DrawSelection::Without(self.hidden.clone())));
            }
        }
        let kind = match self.choice {
            OverlayChoice::None => return None,
            OverlayChoice::Highlight => OverlayKind::Highlight { draw: draw()? },
            OverlayChoice::Tests => OverlayKind::Tests { draw: draw()? },
            OverlayChoice::Sides => OverlayKind::Sides { draw: draw()? },
            OverlayChoice::Wireframe => OverlayKind::Wireframe { draw: Some(draw()?) },
            OverlayChoice::WireframeAll => OverlayKind::Wireframe { draw: None },
            OverlayChoice::Overdraw => OverlayKind::Overdraw,
            OverlayChoice::Age => OverlayKind::Age,
        };
        Some(Wanted::Overlay(kind))
    }

    /// Whether anything is shown instead of the trace's own picture.
    pub(crate) fn is_on(&self, document: &Document, place: Place) -> bool {
        self.wanted(document, place).is_some()
    }

    /// What to show instead of the trace's own picture, if anything; the error if it can't be made.
    pub(crate) fn show(
        &mut self,
        document: &Document,
        place: Place,
    ) -> Option<Answer<Result<OverlayPicture, InspectorError>>> {
        let wanted = self.wanted(document, place)?;
        let asked = wanted.clone();
        let answer = self.shown.get(document.epoch(DependsOn::Shaders), (place, wanted), || {
            Some(document.ask_player(QuestionKind::Overlay, move |thread| match asked {
                Wanted::Overlay(kind) => thread.overlay(place, kind),
                Wanted::Draws(draws) => thread.variant(place, draws),
            }))
        });
        answer.map(Answer::cloned)
    }

    /// The choice of what is laid over the picture, and of draws.
    pub(crate) fn ui(&mut self, ui: &mut Ui, place: Place, actions: &mut Vec<Action>) {
        let names = OverlayChoice::ALL;
        let name = match names.iter().find(|(choice, _)| *choice == self.choice) {
            Some((choice, name)) if *choice != OverlayChoice::None => format!("overlay: {name}"),
            _ => "overlay".to_owned(),
        };
        let is_here = self.frame == place.frame;
        let is_alone = is_here && !self.alone.is_empty();
        let hidden = if is_here { self.hidden.len() } else { 0 };
        let alone_ui = |ui: &mut Ui, actions: &mut Vec<Action>| {
            if ui.selectable_label(is_alone, "only this draw").on_hover_text("i").clicked() {
                actions.push(Action::ToggleAlone);
            }
        };
        let hidden_ui = |ui: &mut Ui, actions: &mut Vec<Action>| {
            let text = if hidden == 0 { "hide draw".to_owned() } else { format!("{hidden} hidden") };
            if ui.selectable_label(hidden > 0, text).on_hover_text("x: hide or show this draw").clicked() {
                actions.push(Action::ToggleHidden);
            }
        };
        ComboBox::from_id_salt("overlay").width(0.0).height(400.0).selected_text(name).show_ui(ui, |ui| {
            for (choice, name) in names {
                let key = keys::label_of(choice);
                let chosen = ui.selectable_value(&mut self.choice, choice, name);
                if let Some(key) = key {
                    chosen.on_hover_text(key);
                }
            }
            ui.separator();
            alone_ui(ui, actions);
            hidden_ui(ui, actions);
        });
        // What is in force is seen, and can be taken back.
        if is_alone {
            alone_ui(ui, actions);
        }
        if hidden > 0 {
            hidden_ui(ui, actions);
        }
        if self.is_changed(place) && ui.button("no overlay").on_hover_text("Shift X: every draw, no overlay").clicked()
        {
            actions.push(Action::ResetOverlay);
        }
    }
}

/// What the colours mean.
pub(super) fn legend_ui(ui: &mut Ui, legend: &[LegendEntry]) {
    if legend.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        legend.iter().for_each(|entry| legend_entry_ui(ui, entry));
    });
}

/// Draws a colour and what it means.
pub(super) fn legend_entry_ui(ui: &mut Ui, entry: &LegendEntry) {
    let (place, _) = ui.allocate_exact_size(egui::vec2(12.0, 12.0), egui::Sense::hover());
    let [r, g, b] = entry.rgb;
    let border = egui::Stroke::new(1.0, ui.visuals().weak_text_color());
    ui.painter().rect(place, 2.0, Color32::from_rgb(r, g, b), border, egui::StrokeKind::Inside);
    ui.label(format!("{} ({})", entry.meaning, counted(entry.pixels as usize, "pixel")));
}
