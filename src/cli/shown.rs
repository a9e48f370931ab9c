//! The flags that say which picture of a frame is meant.

use clap::Args as ClapArgs;

use crate::command::{ResourceName, Shown};

/// The picture of a frame; without any flag, that of the frame's last present.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ClapArgs)]
pub(super) struct ShownArgs {
    /// The picture of the frame's K-th present to the screen, counted from 0 [default: the last]
    #[arg(long, value_name = "K", conflicts_with = "target")]
    pub present: Option<u32>,
    /// The screen whose presents are shown [default: the lowest one that the trace presents to]
    #[arg(long, value_name = "S", conflicts_with = "target")]
    pub scanout: Option<u32>,
    /// Part of a texture, by its handle or a view's, presented or not; depth is shown as grey, from 0 black to 1 white,
    /// and .exr and .npy contain the numbers
    #[arg(long, value_name = "RESOURCE[:MIP[:LAYER]]")]
    pub target: Option<ResourceName>,
}

impl ShownArgs {
    /// The picture that is meant.
    pub(crate) fn shown(&self) -> Shown {
        match self.target {
            Some(name) => Shown::Target(name),
            None => Shown::Screen { scanout: self.scanout, present: self.present },
        }
    }

    /// Whether any of the flags is given.
    pub(crate) fn are_given(&self) -> bool {
        self.shown() != Shown::default()
    }
}
