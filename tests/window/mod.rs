//! The inspector without a window, and the window itself.

mod inspector;
mod inspector_timeline;
mod real_window;

use crate::support::harness::{Trial, modules, trials_in};

pub fn trials() -> Vec<Trial> {
    trials_in(modules![inspector, inspector_timeline, real_window])
}
