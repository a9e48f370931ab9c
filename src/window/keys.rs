//! What the keys do.

use winit::keyboard::{Key, NamedKey};

/// Something the user asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    TogglePlay,
    NextFrame,
    PreviousFrame,
    FirstFrame,
    LastFrame,
    Save,
    Quit,
}

impl Action {
    /// What a key asks for, if anything.
    pub fn of(key: &Key) -> Option<Self> {
        match key {
            Key::Named(NamedKey::Space) => Some(Self::TogglePlay),
            Key::Named(NamedKey::ArrowRight) => Some(Self::NextFrame),
            Key::Named(NamedKey::ArrowLeft) => Some(Self::PreviousFrame),
            Key::Named(NamedKey::Home) => Some(Self::FirstFrame),
            Key::Named(NamedKey::End) => Some(Self::LastFrame),
            Key::Named(NamedKey::Escape) => Some(Self::Quit),
            Key::Character(text) => match text.as_str() {
                " " => Some(Self::TogglePlay),
                "s" | "S" => Some(Self::Save),
                "q" | "Q" => Some(Self::Quit),
                _ => None,
            },
            _ => None,
        }
    }
}
