//! The argument parser, as tests look at it.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The paths of every verb, by verb and argument: "timeline export out".
pub fn path_arguments() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    paths_of(&aerogpu_replay::cli::command(), "", &mut found);
    found
}

fn paths_of(command: &clap::Command, verb: &str, into: &mut BTreeSet<String>) {
    let path = TypeId::of::<PathBuf>();
    for argument in command.get_arguments().filter(|argument| argument.get_value_parser().type_id() == path) {
        into.insert(format!("{verb}{}", argument.get_id()));
    }
    for below in command.get_subcommands() {
        paths_of(below, &format!("{verb}{} ", below.get_name()), into);
    }
}
