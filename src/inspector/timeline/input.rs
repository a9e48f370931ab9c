//! Keys and wheel → what they ask for.

use egui::{Key, Modifiers, Ui};

/// When the panel listens to keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// While the pointer is over it.
    #[default]
    Hovered,
    /// Always, unless a text is being typed.
    Always,
    /// Never: another panel has them.
    Never,
}

/// The panel's keys and what they do, for a help sheet.
pub const KEYS: &[(&str, &str)] = &[
    ("w / s, Ctrl+wheel", "zoom in and out around the pointer"),
    ("a / d, Shift+wheel, middle drag", "move left and right"),
    ("wheel", "scroll through the tracks"),
    ("f", "fit the selection, or everything"),
    ("m", "set or clear a mark at the pointer"),
    ("drag", "select a range for statistics"),
    ("click", "select an event and seek to it"),
    ("double click", "fit the event"),
    ("/", "find"),
    ("n / N", "next and previous match"),
    ("Esc", "clear the selection"),
];

/// Seconds that a tap counts as held.
const TAP_SECONDS: f32 = 0.06;
/// Logarithm of the zoom in a second.
const ZOOM_PER_SECOND: f32 = 3.2;
/// Share of the view that is passed in a second.
const PAN_PER_SECOND: f32 = 1.1;

/// What the keys ask for in this UI frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct KeyActions {
    /// Logarithm of the factor for the view's length.
    pub zoom: f32,
    /// Share of the view.
    pub pan: f32,
    pub fits: bool,
    pub marks: bool,
    pub finds: bool,
    /// 1 for the next match, -1 for the previous.
    pub matches: i32,
    pub clears: bool,
}

/// Reads the keys, and keeps them from meaning something elsewhere as well.
pub(super) fn key_actions(ui: &Ui, can_clear: bool) -> KeyActions {
    ui.input_mut(|input| {
        let seconds = input.stable_dt.min(0.05);
        let is_plain = !input.modifiers.any();
        let mut held = |key: Key| {
            let is_tapped = input.consume_key(Modifiers::NONE, key);
            match () {
                () if is_plain && input.key_down(key) => seconds,
                () if is_tapped => TAP_SECONDS,
                () => 0.0,
            }
        };
        let (closer, farther) = (held(Key::W), held(Key::S));
        let (left, right) = (held(Key::A), held(Key::D));
        let mut pressed = |modifiers, key| input.consume_key(modifiers, key);
        let matches = match () {
            () if pressed(Modifiers::SHIFT, Key::N) => -1,
            () if pressed(Modifiers::NONE, Key::N) => 1,
            () => 0,
        };
        KeyActions {
            zoom: (farther - closer) * ZOOM_PER_SECOND,
            pan: (right - left) * PAN_PER_SECOND,
            fits: pressed(Modifiers::NONE, Key::F),
            marks: pressed(Modifiers::NONE, Key::M),
            finds: pressed(Modifiers::NONE, Key::Slash),
            matches,
            clears: can_clear && pressed(Modifiers::NONE, Key::Escape),
        }
    })
}
