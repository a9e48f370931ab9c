//! `golden …`: suites of goldens, one file per verb.

mod approve;
mod args;
mod device;
mod fsck;
mod list;
mod merge;
mod mutate;
mod new;
mod prune;
mod review;
mod session;
mod test;
mod verdict;

pub(super) use args::GoldenArgs;
pub(super) use device::{DeviceArgs, SizeArgs};

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use args::GoldenVerb;

pub(super) fn run(args: &GoldenArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    match &args.verb {
        GoldenVerb::New(new) => new::run(new, common),
        GoldenVerb::Test(test) => test::run(test, common),
        GoldenVerb::Approve(approve) => approve::run(approve, common),
        GoldenVerb::Review(review) => review::run(review, common),
        GoldenVerb::List(list) => list::run(list, common),
        GoldenVerb::Fsck(fsck) => fsck::run(fsck, common),
        GoldenVerb::Prune(prune) => prune::run(prune, common),
        GoldenVerb::Merge(merge) => merge::run(merge, common),
        GoldenVerb::Mutate(mutate) => mutate::run(mutate, common),
    }
}
