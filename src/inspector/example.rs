//! The built-in example, and what the start page offers to do with it.

use egui::Key;

use super::action::{Action, CompareMode};
use super::tabs;
use crate::command::Place;
use crate::format::aerogpu::FrameIndex;

/// Description of the trace.
pub(super) const ABOUT: &str = "A courtyard in sixty frames of Direct3D 11. Frame 42 is wrong.";

/// The frame with the planted fault.
const WRONG_FRAME: FrameIndex = FrameIndex(42);

/// A pixel of the overlay's text: the composition and the text have both written it.
const PIXEL: [u32; 2] = [35, 339];

/// Action on the example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExampleTask {
    FindFault,
    AskPixel,
    CompareFrames,
}

impl ExampleTask {
    pub(crate) const ALL: [Self; 3] = [Self::FindFault, Self::AskPixel, Self::CompareFrames];

    /// The key that begins it.
    pub(crate) fn key(self) -> Key {
        match self {
            Self::FindFault => Key::Num1,
            Self::AskPixel => Key::Num2,
            Self::CompareFrames => Key::Num3,
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::FindFault => "See why frame 42 is wrong",
            Self::AskPixel => "See what wrote a pixel",
            Self::CompareFrames => "Compare two frames",
        }
    }

    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::FindFault => "The tree is drawn over the pillar in front of it. Lint points to the packet behind it.",
            Self::AskPixel => "Every draw that wrote the pixel, with the colours before and after.",
            Self::CompareFrames => "The difference between frame 42 and the previous frame, amplified.",
        }
    }

    /// Where it begins.
    pub(crate) fn place(self) -> Place {
        Place::end_of(WRONG_FRAME)
    }

    /// Effect on the trace once that is open.
    pub(crate) fn action(self) -> Action {
        match self {
            Self::FindFault => Action::ShowTab(tabs::PROBLEMS),
            Self::AskPixel => Action::SelectPixel(PIXEL),
            Self::CompareFrames => Action::Compare(CompareMode::Amplified),
        }
    }
}
