//! The project's goldens, and the verbs that compare, approve and report. Needs software Vulkan.

mod frame_pictures;
mod golden;
mod golden_report;
mod golden_verbs;
mod triage;

use crate::support::harness::{Trial, modules, trials_in};

pub fn trials() -> Vec<Trial> {
    trials_in(modules![frame_pictures, golden, golden_report, golden_verbs, triage,])
}
