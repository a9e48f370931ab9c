//! `timeline …`: annotations and traces as timelines, one file per subverb.

mod aligned;
mod args;
mod beside;
mod blame;
mod canonical;
mod clock;
mod diff;
mod dump;
mod ending;
mod export;
mod facts;
mod file;
mod info;
mod picture_change;
mod selection;
mod stats;
mod tree;
mod verify_export;

#[cfg(feature = "window")]
pub(super) use args::BesideArgs;
pub(super) use args::TimelineArgs;
pub(super) use ending::after_damage;
#[cfg(feature = "window")]
pub(super) use file::File;

use self::args::TimelineVerb;
use super::args::CommonArgs;
use super::exit::{Exit, Failure};

/// Whether a name is that of a file that `export` writes.
pub(super) fn is_named_as_export(path: &std::path::Path) -> bool {
    export::known_format(path).is_some()
}

pub(super) fn run(args: &TimelineArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    match &args.verb {
        TimelineVerb::Info(info) => info::run(info, common),
        TimelineVerb::Dump(dump) => match &dump.canonical {
            Some(text) => canonical::run(dump, text, common),
            None => dump::run(dump, common),
        },
        TimelineVerb::Stats(stats) => stats::run(stats, common),
        TimelineVerb::Align(align) => beside::run(align, common),
        TimelineVerb::Blame(blame) => blame::run(blame, common),
        TimelineVerb::Diff(diff) => diff::run(diff, common),
        TimelineVerb::Tree(tree) => tree::run(tree, common),
        TimelineVerb::Export(export) => export::run(export, common),
        TimelineVerb::VerifyExport(verify) => verify_export::run(verify, common),
    }
}
