//! The keys: one table that is both obeyed and shown.

use egui::{Event, Key, Modifiers};

use super::action::{Action, CompareMode, Direction, Navigation};
use super::overlay::OverlayChoice;
use super::tabs;

/// A key, what it does, and how the sheet says so.
pub(super) struct Binding {
    modifiers: Modifiers,
    key: Key,
    action: Action,
    /// As printed on the sheet.
    pub label: String,
    /// What it does; empty if the line above says so.
    pub meaning: &'static str,
}

/// A part of the sheet.
pub(super) struct Section {
    pub title: &'static str,
    pub bindings: Vec<Binding>,
}

fn key(label: impl Into<String>, modifiers: Modifiers, key: Key, action: Action, meaning: &'static str) -> Binding {
    Binding { modifiers, key, action, label: label.into(), meaning }
}

/// Every key that the inspector obeys itself; panels under the pointer have some of their own.
pub(super) fn sections() -> Vec<Section> {
    use Direction::{Backward, Forward};
    let (plain, shift, ctrl) = (Modifiers::NONE, Modifiers::SHIFT, Modifiers::COMMAND);
    let step = Action::Navigate;
    let moving = vec![
        key("Space", plain, Key::Space, Action::TogglePlay, "play, pause"),
        key("⬅", plain, Key::ArrowLeft, step(Navigation::PreviousFrame), "previous frame"),
        key("➡", plain, Key::ArrowRight, step(Navigation::NextFrame), "next frame"),
        key("Home", plain, Key::Home, step(Navigation::FirstFrame), "first frame"),
        key("End", plain, Key::End, step(Navigation::LastFrame), "last frame"),
        key("⬆", plain, Key::ArrowUp, step(Navigation::PreviousDraw), "previous draw"),
        key("⬇", plain, Key::ArrowDown, step(Navigation::NextDraw), "next draw"),
        key("Shift ⬆", shift, Key::ArrowUp, step(Navigation::PreviousPacket), "previous packet"),
        key("Shift ⬇", shift, Key::ArrowDown, step(Navigation::NextPacket), "next packet"),
        key("d", plain, Key::D, Action::ToggleStrip, "strip: this frame's draws or all frames; Space plays"),
        key("Backspace", plain, Key::Backspace, Action::Back, "back to where you were before the last jump"),
    ];
    let finding = vec![
        key("/", plain, Key::Slash, Action::FocusFilter, "filter events"),
        key("n", plain, Key::N, Action::Find(Forward), "next match"),
        key("Ctrl F", ctrl, Key::F, Action::FindInTexts, "find in shader texts"),
        key("Shift N", shift, Key::N, Action::Find(Backward), "previous match"),
    ];
    let picture = vec![
        key("1", plain, Key::Num1, Action::Compare(CompareMode::Difference), "compare: difference"),
        key("2", plain, Key::Num2, Action::Compare(CompareMode::Amplified), "compare: amplified difference"),
        key("3", plain, Key::Num3, Action::Compare(CompareMode::A), "compare: A, this trace"),
        key("4", plain, Key::Num4, Action::Compare(CompareMode::B), "compare: B, the other side"),
        key("i", plain, Key::I, Action::ToggleAlone, "only this draw"),
        key("x", plain, Key::X, Action::ToggleHidden, "hide or show this draw"),
        key(
            "h",
            plain,
            Key::H,
            Action::ToggleOverlay(OverlayChoice::Highlight),
            "overlay: pixels that this draw covers",
        ),
        key("e", plain, Key::E, Action::ToggleOverlay(OverlayChoice::Tests), "overlay: tests that its pixels pass"),
        key("t", plain, Key::T, Action::ToggleOverlay(OverlayChoice::Wireframe), "overlay: this draw's triangles"),
        key("Shift T", shift, Key::T, Action::ToggleOverlay(OverlayChoice::WireframeAll), "overlay: all triangles"),
        key("o", plain, Key::O, Action::ToggleOverlay(OverlayChoice::Overdraw), "overlay: overdraw"),
        key("p", plain, Key::P, Action::ToggleOverlay(OverlayChoice::Age), "overlay: pixel age"),
        key("Shift X", shift, Key::X, Action::ResetOverlay, "every draw, no overlay"),
        key("0", plain, Key::Num0, Action::FitPicture, "fit the picture"),
        key("9", plain, Key::Num9, Action::ActualSize, "zoom to 100 %"),
        key("+", plain, Key::Plus, Action::Zoom(Forward), "zoom in"),
        key("-", plain, Key::Minus, Action::Zoom(Backward), "zoom out"),
        key("g", plain, Key::G, Action::ToggleGrid, "pixel grid"),
        key("s", plain, Key::S, Action::Save, "save the picture"),
        key("y", plain, Key::Y, Action::CopyCommandLine, "copy the command line for this view"),
    ];
    let mut window = vec![
        key("F11", plain, Key::F11, Action::TogglePanels, "hide or show the panels"),
        key("Ctrl O", ctrl, Key::O, Action::ShowOpenDialog, "open a trace"),
        key("Ctrl R", ctrl, Key::R, Action::Reload, "reload the trace"),
        key("Ctrl L", ctrl, Key::L, Action::ToggleTheme, "light or dark colours"),
        key("?, F1", plain, Key::Questionmark, Action::ToggleHelp, "this sheet"),
        key("", plain, Key::F1, Action::ToggleHelp, ""),
        key("Esc", plain, Key::Escape, Action::Escape, "close what is in front, or go back"),
        key("Ctrl Q", ctrl, Key::Q, Action::Quit, "close the window"),
    ];
    window.extend(tab_keys());
    vec![
        Section { title: "Moving", bindings: moving },
        Section { title: "Finding", bindings: finding },
        Section { title: "Picture", bindings: picture },
        Section { title: "Bookmarks", bindings: bookmarks() },
        Section { title: "Window", bindings: window },
    ]
}

/// What is printed on the key of an overlay, if it has one.
pub(super) fn label_of(overlay: OverlayChoice) -> Option<String> {
    let mut bindings = sections().into_iter().flat_map(|section| section.bindings);
    let is_it = |binding: &Binding| matches!(binding.action, Action::ToggleOverlay(choice) if choice == overlay);
    bindings.find(is_it).map(|binding| binding.label)
}

/// A key a tab, as far as there are keys.
fn tab_keys() -> Vec<Binding> {
    let keys = [Key::F2, Key::F3, Key::F4, Key::F5, Key::F6, Key::F7, Key::F8, Key::F9, Key::F10];
    let mut bindings: Vec<Binding> = tabs::names()
        .into_iter()
        .zip(keys)
        .map(|(tab, tab_key)| key("", Modifiers::NONE, tab_key, Action::ShowTab(tab), ""))
        .collect();
    if let [first, .., last] = bindings.as_mut_slice() {
        (first.label, first.meaning) = (format!("{} … {}", first.key.name(), last.key.name()), "tabs on the right");
    }
    bindings
}

fn bookmarks() -> Vec<Binding> {
    let digits =
        [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7, Key::Num8, Key::Num9, Key::Num0];
    let (go, set) = (Modifiers::COMMAND, Modifiers::COMMAND | Modifiers::SHIFT);
    let mut bindings = Vec::new();
    for (digit, number) in digits.into_iter().zip((1..=9).chain([0])) {
        let texts = if number == 1 { ["Ctrl 1 … 0", "go to a bookmark"] } else { ["", ""] };
        bindings.push(key(texts[0], go, digit, Action::GoToBookmark(number), texts[1]));
    }
    for (digit, number) in digits.into_iter().zip((1..=9).chain([0])) {
        let texts = if number == 1 { ["Ctrl Shift 1 … 0", "set a bookmark here"] } else { ["", ""] };
        bindings.push(key(texts[0], set, digit, Action::SetBookmark(number), texts[1]));
    }
    bindings
}

/// What the user has asked for since the last picture, up to a shortcut that opens a field; and what was typed after
/// that, which is for the field.
pub(super) fn pressed(ui: &egui::Ui) -> (Vec<Action>, Vec<Event>) {
    let sections = sections();
    let bindings = || sections.iter().flat_map(|section| &section.bindings);
    let mut events = ui.input(|input| input.events.clone()).into_iter().filter(is_typed).peekable();
    let mut actions = Vec::new();
    while let Some(event) = events.next() {
        let Event::Key { key, physical_key, pressed: true, modifiers, .. } = event else { continue };
        let Some(found) = bindings().find(|binding| binding.is(key, physical_key, modifiers)) else { continue };
        actions.push(found.action.clone());
        if found.action.opens_field() {
            // The shortcut's own letter is none of the text.
            events.next_if(|event| matches!(event, Event::Text(_)));
            break;
        }
    }
    (actions, events.collect())
}

/// Takes the key that closes the window, wherever it is pressed: in a field and in a dialog, too.
pub(super) fn take_quit(ui: &egui::Ui) -> bool {
    ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Q))
}

/// Whether an event comes from the keyboard, and may be for a field.
pub(super) fn is_typed(event: &Event) -> bool {
    matches!(event, Event::Key { .. } | Event::Text(_) | Event::Ime(_) | Event::Paste(_) | Event::Copy | Event::Cut)
}

impl Binding {
    fn is(&self, key: Key, physical: Option<Key>, modifiers: Modifiers) -> bool {
        // With Shift held a digit's key means another character; the bookmark is about the key.
        let is_digit_with_shift = self.modifiers.shift && self.modifiers.command && physical == Some(self.key);
        // The characters of these need Shift on some keyboards and not on others.
        let shift_is_part = matches!(self.key, Key::Questionmark | Key::Slash | Key::Plus);
        (self.key == key || is_digit_with_shift)
            && modifiers.command == self.modifiers.command
            && !modifiers.alt
            && (shift_is_part || modifiers.shift == self.modifiers.shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        let all: Vec<Binding> = sections().into_iter().flat_map(|section| section.bindings).collect();
        for (position, one) in all.iter().enumerate() {
            for other in &all[position + 1..] {
                assert!((one.key, one.modifiers) != (other.key, other.modifiers), "{:?} twice", one.key);
            }
        }
        assert!(all.len() > 40);
    }
}
