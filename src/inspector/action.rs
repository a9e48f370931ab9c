//! Everything a user can ask for, whether by key, by button or by pointing.

use std::path::PathBuf;

use super::overlay::OverlayChoice;
use super::tabs::TabName;
use crate::analysis::{ObjectKind, RowId};
use crate::command::{Location, Place, ResourceName};
use crate::format::aerogpu::FrameIndex;
use crate::replay::{CommandNumber, ShaderOptions};

/// Something the user asks for.
#[derive(Clone, Debug)]
pub enum Action {
    /// Plays, or stops playing.
    TogglePlay,
    /// Moves among frames, draws or packets.
    Navigate(Navigation),
    /// Shows a place.
    GoTo(Place),
    /// Selects a packet or record, and shows the picture after it.
    SelectEvent(EventTarget),
    /// Shows the picture after a command.
    GoToCommand(Location),
    /// Selects the row of a command or record, in the run that its place names.
    GoToRow(Location),
    /// Selects the row that is about the bytes at a file offset, wherever it is.
    GoToOffset(u64),
    /// Leaves the selected draw out of the picture, or takes it back in.
    ToggleHidden,
    /// Draws nothing but the selected draw, or everything again.
    ToggleAlone,
    /// Shows draws in the strip instead of frames, or frames again.
    ToggleStrip,
    /// Shows part of a texture instead of the frame.
    ShowTexture(ResourceName),
    /// Shows the frame again.
    ShowFrame,
    /// Lays something over the picture, or takes it away again.
    ToggleOverlay(OverlayChoice),
    /// Draws everything, without overlay.
    ResetOverlay,
    /// Gives up making the index.
    CancelIndex,
    /// Back to the place before the last jump.
    Back,
    /// Saves the picture.
    Save,
    /// Puts the command line that shows the same on the clipboard.
    CopyCommandLine,
    /// Shows another side of the comparison.
    Compare(CompareMode),
    /// Shows or hides everything but the picture.
    TogglePanels,
    /// Shows or hides the sheet of keys.
    ToggleHelp,
    /// Between light and dark.
    ToggleTheme,
    /// Jumps to a bookmark.
    GoToBookmark(u8),
    /// Sets a bookmark here.
    SetBookmark(u8),
    /// Forgets a bookmark.
    ForgetBookmark(u8),
    /// Keeps what is to be taken up the next time.
    SaveState,
    /// The keyboard goes to the filter of the events.
    FocusFilter,
    /// The keyboard goes to the field that shader texts are searched from.
    FindInTexts,
    /// Next or previous event that the filter picks.
    Find(Direction),
    /// Brings a tab to the front.
    ShowTab(TabName),
    /// Shows an object of this kind, by the command that makes it.
    ShowObject(ObjectKind, CommandNumber),
    /// Has shaders made in another way from here on.
    SetShaders(Box<ShaderOptions>),
    /// Selects a pixel of the picture: its history is shown.
    SelectPixel([u32; 2]),
    /// Lines between the picture's pixels, or none.
    ToggleGrid,
    /// Picture as large as fits.
    FitPicture,
    /// One pixel of the picture on one of the screen.
    ActualSize,
    /// Closer or farther.
    Zoom(Direction),
    /// Asks for a file to open.
    ShowOpenDialog,
    /// Asks for a trace to compare with.
    ShowCompareDialog,
    /// Compares with another trace.
    CompareWith(PathBuf),
    /// Opens a trace.
    Open(PathBuf),
    /// Reads the trace again.
    Reload,
    /// Closes what is in front, or leaves comparison, overlay, selection or place, one at a time.
    Escape,
    /// Closes the window.
    Quit,
}

/// A row of a frame's events, and the packet whose picture it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventTarget {
    /// The row.
    pub row: RowId,
    /// The packet itself, or of a record the one before it, if there is one.
    pub packet: Option<u32>,
}

/// A step through the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Navigation {
    /// The frame after this one.
    NextFrame,
    /// The frame before this one.
    PreviousFrame,
    /// Frame 0.
    FirstFrame,
    /// The last frame.
    LastFrame,
    /// One draw further.
    NextDraw,
    /// One draw back.
    PreviousDraw,
    /// One packet further.
    NextPacket,
    /// One packet back.
    PreviousPacket,
}

/// Forward or backward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Forward, or closer.
    Forward,
    /// Backward, or farther.
    Backward,
}

/// What the picture shows while two sides are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompareMode {
    /// Where they differ.
    Difference,
    /// The same, made visible.
    Amplified,
    /// The trace's own picture.
    #[default]
    A,
    /// The other side.
    B,
}

impl Action {
    /// Whether it is obeyed while the pointer is on the timeline, which has other meanings for some keys.
    pub(super) fn is_for_timeline_too(&self) -> bool {
        !matches!(self, Self::Save | Self::ToggleStrip | Self::FocusFilter | Self::Find(_))
    }

    /// Whether the keyboard goes to a field.
    pub(super) fn opens_field(&self) -> bool {
        matches!(self, Self::FocusFilter | Self::FindInTexts | Self::ShowOpenDialog | Self::ShowCompareDialog)
    }

    /// Goes to the end of a frame.
    pub fn frame(frame: u32) -> Self {
        Self::GoTo(Place::end_of(FrameIndex(frame)))
    }
}
