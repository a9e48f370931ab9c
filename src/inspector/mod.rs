//! The inspector: frames, commands, state, resources and timelines side by side. One file a panel.
//!
//! Nothing here knows the window system: [`crate::window`] feeds it events and puts on the screen what it draws, and
//! tests drive it without a display.

pub mod timeline;
