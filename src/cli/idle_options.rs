//! Options that would do nothing are refused: whoever gives one expects something of it.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use super::args::LANGUAGE_OPTIONS;

/// Options of a verb that do something only in company, by their names in the parser.
struct Rule {
    /// The verb's words; none: showing and rendering.
    verb: &'static [&'static str],
    options: &'static [&'static str],
    company: Company,
}

const KEEP_GOING: &str = "keep_going";
const TRACE: &str = "trace";

enum Company {
    /// With one of these.
    AnyOf(&'static [&'static str]),
    /// Without all of these, and what the options are for.
    NoneOf(&'static [&'static str], &'static str),
}

use Company::{AnyOf, NoneOf};

const RULES: &[Rule] = &[
    Rule {
        verb: &[],
        options: &[
            "frame",
            "frames",
            "draw",
            "packet",
            "place",
            "skip_draws",
            "only_draws",
            "out",
            "hash",
            "present",
            "scanout",
            "target",
            "png_info",
            "play",
            "compare",
            "annotate",
            "align",
            "json",
        ],
        company: AnyOf(&[TRACE]),
    },
    Rule {
        verb: &[],
        options: &["fps", "play", "quit_after", "bare", "compare", "no_notes", "annotate", "align"],
        company: NoneOf(&["out", "hash"], "the window"),
    },
    Rule { verb: &[], options: &["png_info"], company: AnyOf(&["out"]) },
    // The window shows what the screen shows.
    Rule { verb: &[], options: &["present", "scanout", "target"], company: AnyOf(&["out", "hash"]) },
    Rule { verb: &["verify"], options: &LANGUAGE_OPTIONS, company: AnyOf(&["shaders"]) },
    Rule {
        verb: &["verify"],
        options: &["present", "scanout", "target", "size", "adapter", "backend", "timeout", "no_render_budget"],
        company: AnyOf(&["seek", "determinism", "shaders"]),
    },
];

/// Verbs that carry a trace out, which faults can stop. The others read bytes, or answer about something else.
const CARRYING_OUT: &[&[&str]] = &[
    &[],
    &["bisect"],
    &["buffer"],
    &["compare"],
    &["draws"],
    &["events"],
    &["filmstrip"],
    &["frames"],
    &["lint"],
    &["mesh"],
    &["overlay"],
    &["passes"],
    &["pixel"],
    &["state"],
    &["texture"],
    &["timeline", "blame"],
    &["trim"],
    &["verify"],
];

/// The first option that would do nothing, as the parser would refuse it.
pub(super) fn refuse(command: &mut Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let (mut words, mut inner) = (Vec::new(), matches);
    while let Some((verb, further)) = inner.subcommand() {
        words.push(verb);
        inner = further;
    }
    if is_given(inner, KEEP_GOING) && !CARRYING_OUT.contains(&words.as_slice()) {
        let instead = match words.as_slice() {
            ["serve"] => "give open \"keep_going\": true",
            ["golden", ..] => "a golden states the error that a trace has",
            _ => "it replays no trace",
        };
        let message = format!("{} is not for `{}`: {instead}", flag(KEEP_GOING), words.join(" "));
        return Err(command.error(ErrorKind::ArgumentConflict, message));
    }
    for Rule { options, company, .. } in RULES.iter().filter(|rule| rule.verb == words.as_slice()) {
        for option in options.iter().filter(|option| is_given(inner, option)) {
            let message = match company {
                AnyOf(others) if !others.iter().any(|other| is_given(inner, other)) => {
                    format!("{} does nothing by itself: expected {} with it", flag(option), alternatives(others))
                }
                NoneOf(others, purpose) if others.iter().any(|other| is_given(inner, other)) => {
                    let others: Vec<String> = others.iter().map(|other| format!("no {}", flag(other))).collect();
                    format!("{} is for {purpose}: expected {} with it", flag(option), others.join(" and "))
                }
                AnyOf(_) | NoneOf(..) => continue,
            };
            return Err(command.error(ErrorKind::ArgumentConflict, message));
        }
    }
    Ok(())
}

/// Whether the user has given an option; a build may lack it.
fn is_given(matches: &ArgMatches, option: &str) -> bool {
    let is_known = matches.try_contains_id(option).is_ok();
    is_known && matches.value_source(option) == Some(ValueSource::CommandLine)
}

fn flag(option: &str) -> String {
    if option == TRACE {
        return "TRACE".to_owned();
    }
    format!("--{}", option.replace('_', "-"))
}

fn alternatives(options: &[&str]) -> String {
    match options {
        [] => String::new(),
        [one] => flag(one),
        [first @ .., last] => {
            format!("{} or {}", first.iter().map(|option| flag(option)).collect::<Vec<_>>().join(", "), flag(last))
        }
    }
}

// Of a build that has all the options.
#[cfg(all(test, feature = "window"))]
mod tests {
    use super::*;

    /// A name that no option has would make its rule hold for nothing.
    #[test]
    fn every_option_exists() {
        let command = super::super::command();
        for Rule { verb, options, company } in RULES {
            let verb = verb.iter().fold(&command, |command, word| command.find_subcommand(word).unwrap());
            let (AnyOf(others) | NoneOf(others, _)) = company;
            for name in options.iter().chain(*others) {
                assert!(
                    verb.get_arguments().any(|argument| argument.get_id() == name),
                    "{name} of {}",
                    verb.get_name()
                );
                let argument = verb.get_arguments().find(|argument| argument.get_id() == name).unwrap();
                let long = argument.get_long().map(|long| format!("--{long}"));
                assert_eq!(long.unwrap_or_else(|| argument.get_value_names().unwrap()[0].to_string()), flag(name));
            }
        }
    }
}
