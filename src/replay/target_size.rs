//! How large the target is when nobody says.

use std::collections::{BTreeSet, HashSet};
use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::abi::{AbiError, CommandSink, SubmittedCommands};
use crate::bytes::Diagnostics;
use crate::command::{Command, Viewport};
use crate::format::aerogpu::Trace;
use crate::pixels::Size;

/// The size of a trace that sets no viewport.
pub const DEFAULT_SIZE: Size = Size { width_px: 64, height_px: 64 };

/// The largest rectangle by area that any SET_VIEWPORT of the trace names, the first of several.
///
/// A viewport with a side of 0 means "the whole target" and says nothing about its size, and neither does one whose
/// sides are no whole pixels. Damage ends the search without an error: whoever replays the damaged frame is told there.
pub fn largest_viewport(trace: &Trace) -> Option<Size> {
    let mut largest = LargestViewport::default();
    see_all(trace, &mut largest);
    largest.largest()
}

/// The lowest screen that any submission of the trace presents to.
pub fn lowest_scanout(trace: &Trace) -> Option<u32> {
    scanouts(trace).first().copied()
}

/// The screens that submissions of the trace present to.
pub fn scanouts(trace: &Trace) -> BTreeSet<u32> {
    let mut seen = SeenScanouts::default();
    see_all(trace, &mut seen);
    seen.0
}

/// Shows every command to `sink`, as far as they can be read.
fn see_all(trace: &Trace, sink: &mut impl CommandSink<Break = Infallible>) {
    let mut reader = trace.records(trace.stream());
    let mut commands = SubmittedCommands::new(trace);
    // However many submissions run a stream, it says the same.
    let mut seen = HashSet::new();
    let mut unnoted = Diagnostics::new();
    while let Ok(Some(record)) = reader.next_record(&mut unnoted) {
        if let Ok(Some(submitted)) = commands.of(&record)
            && (submitted.payload().is_some() || seen.insert(submitted.place.start))
            && let Ok(bytes) = commands.read(&submitted)
        {
            // Nothing stops it.
            let _: ControlFlow<Infallible> = submitted.decode(&bytes, sink);
        }
    }
}

/// The screens that are presented to.
#[derive(Debug, Default)]
struct SeenScanouts(BTreeSet<u32>);

impl CommandSink for SeenScanouts {
    type Break = Infallible;

    fn command(&mut self, _offset: u64, command: Command) -> ControlFlow<Infallible> {
        if let Command::Present(present) = command {
            self.0.insert(present.scanout);
        }
        ControlFlow::Continue(())
    }

    fn damage(&mut self, _offset: u64, _error: AbiError) -> ControlFlow<Infallible> {
        ControlFlow::Continue(())
    }
}

/// The largest viewport of the commands seen so far, the first of several.
#[derive(Clone, Debug, Default)]
pub(super) struct LargestViewport(Option<Size>);

impl LargestViewport {
    /// Takes in the next command.
    pub(super) fn see(&mut self, command: &Command) {
        if let Command::SetViewport(viewport) = *command
            && let Some(size) = viewport_size(viewport)
            && size.pixels() > self.largest().map_or(0, Size::pixels)
        {
            self.0 = Some(size);
        }
    }

    /// Its size, if there was any.
    pub(super) fn largest(&self) -> Option<Size> {
        self.0
    }
}

impl CommandSink for LargestViewport {
    type Break = Infallible;

    fn command(&mut self, _offset: u64, command: Command) -> ControlFlow<Infallible> {
        self.see(&command);
        ControlFlow::Continue(())
    }

    fn damage(&mut self, _offset: u64, _error: AbiError) -> ControlFlow<Infallible> {
        ControlFlow::Continue(())
    }
}

/// The size of a viewport, of one with a side of 0 too.
fn viewport_size(viewport: Viewport) -> Option<Size> {
    match viewport {
        Viewport::TopLeft { width_px, height_px } => Some(Size { width_px, height_px }),
        Viewport::Rectangle { size_px: [width, height], .. } => {
            let whole = |side: f32| (side.fract() == 0.0 && (1.0..=65_536.0).contains(&side)).then_some(side as u32);
            Some(Size { width_px: whole(width)?, height_px: whole(height)? })
        }
    }
}
