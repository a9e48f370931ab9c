//! Who has the keyboard: the field that is typed into, or the shortcuts.
//!
//! ```text
//!  begin ──► did the field lose it because it was not drawn? it gets it back
//!    │
//!  moves ──► keys that only go elsewhere, if no field has it
//!    │
//!  panels draw; fields take what is typed
//!    │
//!  pressed ─► nothing, if a field has it or had it when this picture began; else the shortcuts' actions.
//!    │        What comes after a shortcut that opens a field is kept for the next picture: it is for the field.
//!  end ────► which field has it now?
//! ```
//!
//! egui takes the keyboard from a widget that is not drawn once. A field that is gone for a while (its trace is being
//! read again) gets it back as soon as it is drawn; what is typed meanwhile goes nowhere. A click or Escape gives the
//! keyboard back to the shortcuts.

use egui::{Event, Id, Key, Ui, text_edit::TextEditState};

use super::action::Action;
use super::keys;

/// The state from one picture to the next.
#[derive(Default)]
pub(super) struct Keyboard {
    /// The widget that had the keyboard when the last picture was done.
    owner: Option<Owner>,
    /// Whether this picture's keys are a widget's.
    is_taken: bool,
    /// Typed before the field that it is for was drawn, and for how many pictures it has waited.
    ahead: Vec<Event>,
    ahead_waited: u32,
}

/// A field that has not come up by now does not come any more.
const PICTURES_UNTIL_FIELD: u32 = 10;

#[derive(Clone, Copy)]
struct Owner {
    widget: Id,
    is_text_field: bool,
    /// Whether the last picture had it.
    is_drawn: bool,
}

impl Keyboard {
    /// Before anything is drawn.
    pub(crate) fn begin(&mut self, ui: &Ui) {
        self.hand_over(ui);
        let (has_escaped, has_pointed) =
            ui.input(|input| (input.key_pressed(Key::Escape), input.pointer.any_pressed()));
        self.is_taken = self.owner.is_some();
        let Some(owner) = self.owner.filter(|owner| owner.is_text_field) else { return };
        let focused = ui.memory(|memory| memory.focused());
        if !owner.is_drawn && has_pointed {
            ui.memory_mut(|memory| memory.surrender_focus(owner.widget));
        } else if focused.is_none() && !has_escaped {
            ui.memory_mut(|memory| memory.request_focus(owner.widget));
        }
    }

    /// Gives what was typed ahead to its field once that is there; until then what is typed now comes after it.
    fn hand_over(&mut self, ui: &Ui) {
        if self.ahead.is_empty() {
            return;
        }
        self.ahead_waited += 1;
        let is_there = self.owner.is_some_and(|owner| owner.is_text_field && owner.is_drawn);
        ui.input_mut(|input| {
            if is_there || self.ahead_waited > PICTURES_UNTIL_FIELD {
                input.events.splice(0..0, self.ahead.drain(..));
            } else {
                self.ahead.extend(input.events.extract_if(.., |event| keys::is_typed(event)));
            }
        });
        if !self.ahead.is_empty() {
            // What waits is counted in pictures, and at rest none is drawn.
            ui.ctx().request_repaint();
        }
    }

    /// Where the user goes by keys, before anything is drawn, so that the picture is made meanwhile. Nothing if a key does
    /// something else, which may depend on what is drawn, or if a click may give the keyboard to a field.
    pub(crate) fn moves(&mut self, ui: &Ui) -> Vec<Action> {
        if self.has_owner(ui) || ui.input(|input| input.pointer.any_pressed()) {
            return Vec::new();
        }
        let (actions, ahead) = keys::pressed(ui);
        let are_moves = actions.iter().all(|action| matches!(action, Action::Navigate(_)));
        if actions.is_empty() || !are_moves || !ahead.is_empty() {
            return Vec::new();
        }
        // They are obeyed once.
        self.is_taken = true;
        actions
    }

    /// Whether keys are for a field.
    fn has_owner(&self, ui: &Ui) -> bool {
        self.is_taken || !self.ahead.is_empty() || ui.ctx().egui_wants_keyboard_input()
    }

    /// What the user asks for by keys, after everything is drawn.
    pub(crate) fn pressed(&mut self, ui: &Ui) -> Vec<Action> {
        if self.has_owner(ui) {
            return Vec::new();
        }
        let (actions, ahead) = keys::pressed(ui);
        (self.ahead, self.ahead_waited) = (ahead, 0);
        actions
    }

    /// After everything is drawn and done.
    pub(crate) fn end(&mut self, ui: &Ui) {
        let focused = ui.memory(|memory| memory.focused());
        self.owner = focused.map(|widget| Owner {
            widget,
            is_text_field: TextEditState::load(ui.ctx(), widget).is_some(),
            is_drawn: ui.ctx().viewport(|viewport| viewport.this_pass.widgets.contains(widget)),
        });
    }

    /// Whether what is typed goes nowhere: the field that has the keyboard is not there.
    pub(crate) fn goes_nowhere(&self) -> bool {
        self.owner.is_some_and(|owner| owner.is_text_field && !owner.is_drawn)
    }
}
