//! The flags that say which picture of a frame is meant.

use clap::Args as ClapArgs;

use crate::command::{ResourceName, Shown};

/// Which picture of a frame is meant; without any, what the frame's last present shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ClapArgs)]
pub(super) struct ShownArgs {
    /// What the frame's K-th present to the screen shows, counted from 0 [default: the last]
    #[arg(long, value_name = "K", conflicts_with = "target")]
    pub present: Option<u32>,
    /// The screen whose presents are shown [default: the lowest that the trace presents to]
    #[arg(long, value_name = "S", conflicts_with = "target")]
    pub scanout: Option<u32>,
    /// Part of a texture, by the handle of it or of a view, whether or not it is presented; a picture of depth is grey, 0
    /// black and 1 white, and .exr and .npy have the numbers
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
