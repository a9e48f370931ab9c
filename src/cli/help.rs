//! What `--help` says beyond flags: verbs by what they are for, an example of each, and the verb that was meant.

use std::any::TypeId;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::builder::StyledStr;
use clap::{Command, CommandFactory};
use strsim::osa_distance;

use super::args::Args;

/// Verbs by what they are for, in the order in which they are listed.
const GROUPS: [(&str, &[&str]); 6] = [
    ("See what is in a trace", &["info", "dump", "frames", "draws", "events", "shaders"]),
    ("See a place in it", &["state", "buffer", "texture", "mesh"]),
    ("See what is drawn, and why", &["film", "pixel", "overlay", "diff", "bisect", "compare"]),
    ("Keep it from breaking", &["golden", "verify", "lint"]),
    ("Write and read other files", &["trim", "extract", "repair", "timeline"]),
    ("For other programs", &["serve", "adapters", "doctor", "completions", "man", "help"]),
];

/// A command line without the program's name, and what it is for.
type Example = (&'static str, &'static str);

/// Examples, by the words of their verb.
#[rustfmt::skip]
const EXAMPLES: &[(&str, &[Example])] = &[
    ("info", &[("info trace.bin", "header, metadata and frames"),
        ("info trace.bin --deep", "also what the packets hold, counted")]),
    ("dump", &[("dump trace.bin", "every record and packet with its offset"),
        ("dump trace.bin --hex", "with its bytes")]),
    ("diff", &[("diff expected.png found.png", "how far two pictures are from each other"),
        ("diff expected.png found.png --tolerance 2", "the same, channels may differ by 2")]),
    ("golden", &[("golden new trace.bin --into golden", "a case with a picture a frame"),
        ("golden test golden", "every case again, against its pictures")]),
    ("golden new", &[("golden new trace.bin --into cases --frames 0", "a case of one frame")]),
    ("golden test", &[("golden test golden --report report --junit results.xml", "for people, and for CI"),
        ("golden test golden --shard 1/2", "the second of two machines' part")]),
    ("golden approve", &[("golden approve golden --frames 0", "frame 0 of every case as it looks now")]),
    ("golden review", &[("golden review golden", "what has changed, picture by picture")]),
    ("golden list", &[("golden list golden", "the cases")]),
    ("golden prune", &[("golden prune golden", "files that no case names")]),
    ("golden fsck", &[("golden fsck golden", "what is wrong with the files")]),
    ("golden mutate", &[("golden mutate golden", "which faults no case would notice"),
        ("golden mutate golden --draws 1000", "with more of the draws of large frames")]),
    ("golden merge", &[("golden merge report --report whole", "one result of what shards wrote")]),
    ("bisect", &[("bisect trace.bin --frame 0 --a vulkan --b gl", "the first draw that two APIs draw differently"),
        ("bisect trace.bin --by input --b other.bin", "the first frame and command that two traces differ in")]),
    ("compare", &[("compare trace.bin other.bin", "the first frame and draw in which two traces differ, in what, and in how it looks"),
        ("compare trace.bin other.bin --by input", "the same without drawing: no GPU")]),
    ("film", &[("film trace.bin --frame 0 --out film", "a picture after each draw")]),
    ("pixel", &[("pixel trace.bin --frame 0 --at 32,32", "who wrote the pixel, with which colours"),
        ("pixel trace.bin --frame 0 --at 32,32 --all --triangles", "and who did not, and why")]),
    ("overlay", &[("overlay trace.bin --frame 0 --kind overdraw --out overdraw.png", "how often each pixel is written")]),
    ("frames", &[("frames trace.bin", "what each frame is made of"),
        ("frames trace.bin --filter 'DRAW'", "those that draw")]),
    ("draws", &[("draws trace.bin --json", "every draw, a JSON object each")]),
    ("events", &[("events trace.bin --frame 0", "the packets of a frame with their arguments"),
        ("events trace.bin --frame last --filter 'DRAW(vertex_count > 2)'", "some of the last frame's")]),
    ("state", &[("state trace.bin --frame 0 --draw last", "what the last draw is drawn with")]),
    ("buffer", &[("buffer trace.bin --frame 0 --draw 0 --vertices", "the vertices that are bound, as numbers")]),
    ("texture", &[("texture stream.bin 1 --frame 0", "the first mip of texture 1")]),
    ("mesh", &[("mesh trace.bin --frame 0 --draw 0", "vertices as the shader leaves them"),
        ("mesh trace.bin --frame 0 --draw 0 --obj mesh.obj", "the same for a 3D program")]),
    ("verify", &[("verify trace.bin --deep", "every reference, bound and rule"),
        ("verify trace.bin --seek --determinism 2", "that frames are the same however one comes to them")]),
    ("lint", &[("lint trace.bin", "what is legal and looks like a mistake")]),
    ("trim", &[("trim trace.bin small.bin --frames 0", "a trace of one frame"),
        ("trim trace.bin rest.bin --frames 1-", "all but the first")]),
    ("extract", &[("extract trace.bin --shaders shaders", "the shaders, to edit them")]),
    ("repair", &[("repair torn.bin whole.bin", "a table of contents for a trace that lost it")]),
    ("shaders", &[("shaders trace.bin", "every program, with its interface")]),
    ("timeline", &[("timeline info calls.trace", "what a recording holds")]),
    ("timeline info", &[("timeline info calls.trace", "what a recording holds")]),
    ("timeline dump", &[("timeline dump calls.trace", "its events in order")]),
    ("timeline stats", &[("timeline stats calls.trace", "how often and how long")]),
    ("timeline align", &[("timeline align trace.bin --annotate calls.trace --align frames", "which frame is which")]),
    ("timeline blame", &[("timeline blame trace.bin --annotate calls.trace --align frames", "the slowest frames first")]),
    ("timeline tree", &[("timeline tree calls.trace", "who calls whom, and for how long")]),
    ("timeline diff", &[("timeline diff calls.trace calls.trace", "what takes longer than before")]),
    ("timeline export", &[("timeline export --annotate calls.trace --out timeline.json", "for chrome://tracing and Perfetto")]),
    ("timeline verify-export", &[("timeline verify-export timeline.json --annotate calls.trace", "that the export is still what is exported")]),
    ("serve", &[("serve --stdio", "requests on stdin, answers on stdout, a line each")]),
    ("adapters", &[("adapters", "the GPUs of this machine")]),
    ("doctor", &[("doctor", "what to put into a bug report")]),
    ("completions", &[("completions bash", "for bash: source <(aerogpu-replay completions bash)")]),
    ("man", &[("man --out man", "pages for man, one a verb")]),
];

/// Examples of playing, which has no verb.
#[cfg(feature = "gpu")]
const PLAYING: &[Example] = &[
    ("trace.bin --frame 0 --out frame.png", "a frame as a picture"),
    ("trace.bin --frames all --hash", "a hash for each frame"),
    ("trace.bin --frame 0 --draw last --out draw.png", "what the last draw leaves"),
];
#[cfg(not(feature = "gpu"))]
const PLAYING: &[Example] = &[];

/// Arguments that say where files go.
const OUTPUT_ARGUMENTS: [&str; 8] = ["out", "output", "obj", "into", "junit", "report", "shaders", "blobs"];

/// The rule for every output.
const OUTPUTS: &str = "Output files appear whole or not at all: each is written beside its place, synced, then renamed. \
    A link is followed to its target; a pipe, device or terminal, /dev/stdout too, is written into as by a shell. A run \
    that an error or a signal ends leaves no unfinished file.";

/// The parser of the command line, with all that `--help` says.
pub(super) fn command() -> Command {
    let command = with_examples(Args::command(), "");
    let listed = groups_of(&command);
    command.help_template(StyledStr::from(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listed}{}\n{{positionals}}\n\n{}\n{{options}}{{after-help}}",
        heading("Arguments"),
        heading("Options"),
    )))
}

/// As the parser writes its own.
fn heading(title: &str) -> String {
    format!("\x1b[1m\x1b[4m{title}:\x1b[0m")
}

fn with_examples(command: Command, words: &str) -> Command {
    let examples: &[Example] = match words {
        "" => PLAYING,
        _ => EXAMPLES.iter().find(|(verb, _)| *verb == words).map_or(&[], |(_, examples)| examples),
    };
    let mut text = String::new();
    if !examples.is_empty() {
        text += "Examples:";
        for (line, purpose) in examples {
            // A String takes whatever is written to it.
            let _ = write!(text, "\n  aerogpu-replay {line}\n      {purpose}");
        }
    }
    let known = command.get_after_help().map(ToString::to_string);
    let outputs = writes_files(&command).then(|| OUTPUTS.to_owned());
    let parts = [Some(text).filter(|text| !text.is_empty()), outputs, known];
    let after = parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
    let names: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    let command = if after.is_empty() { command } else { command.after_help(after) };
    names.into_iter().fold(command, |command, name| {
        let words = format!("{words} {name}").trim_start().to_owned();
        command.mut_subcommand(name, |verb| with_examples(verb, &words))
    })
}

/// Whether a command has an argument that says where files go.
fn writes_files(command: &Command) -> bool {
    let path = TypeId::of::<PathBuf>();
    let mut paths = command.get_arguments().filter(|argument| argument.get_value_parser().type_id() == path);
    paths.any(|argument| OUTPUT_ARGUMENTS.contains(&argument.get_id().as_str()))
}

/// The verbs, a heading for each group.
fn groups_of(command: &Command) -> String {
    let mut text = String::new();
    for (title, verbs) in GROUPS {
        let _ = writeln!(text, "{}", heading(title));
        for verb in verbs {
            let about = match command.find_subcommand(verb) {
                Some(found) => found.get_about().map(ToString::to_string),
                // The parser's own, which it adds when it parses.
                None if *verb == "help" => Some("Print this, or the help of a verb".to_owned()),
                // A build without a GPU or a window has fewer.
                None => None,
            };
            if let Some(about) = about {
                let _ = writeln!(text, "  \x1b[1m{verb:<WIDEST_VERB$}\x1b[0m  {}", wrapped(&about));
            }
        }
        text.push('\n');
    }
    text
}

const WIDEST_VERB: usize = 11;
/// Columns that help takes.
const COLUMNS: usize = 100;

/// A text in lines that stand behind a verb.
fn wrapped(text: &str) -> String {
    let indent = WIDEST_VERB + 4;
    let (mut lines, mut width) = (String::new(), indent);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if width + 1 + length > COLUMNS {
            lines += &format!("\n{:indent$}", "");
            width = indent;
        } else if !lines.is_empty() {
            lines.push(' ');
            width += 1;
        }
        lines += word;
        width += length;
    }
    lines
}

/// What is wrong with a command line whose first word is neither a verb nor a file, if it looks like a verb. To the parser
/// it is a trace, whatever follows.
pub(super) fn misspelt_verb(argv: &[std::ffi::OsString]) -> Option<String> {
    /// Letters that are added, left out, wrong or swapped.
    const MOST_WRONG: usize = 2;
    let word = argv.get(1)?.to_str()?;
    let is_plain = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && !word.starts_with('-');
    if !is_plain || Path::new(word).exists() {
        return None;
    }
    let command = command();
    if command.find_subcommand(word).is_some() {
        return None;
    }
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set()).map(Command::get_name);
    let near = verbs.map(|verb| (osa_distance(verb, word), verb)).filter(|(wrong, verb)| {
        // Of a short verb, two letters would be most.
        (1..=MOST_WRONG.min(verb.len() / 2)).contains(wrong)
    });
    let (_, verb) = near.min()?;
    Some(format!("there is neither a verb nor a file \"{word}\": did you mean the verb {verb}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visible(command: &Command, words: &str, found: &mut Vec<String>) {
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let words = format!("{words} {}", verb.get_name()).trim_start().to_owned();
            visible(verb, &words, found);
            found.push(words);
        }
    }

    #[test]
    fn every_verb_is_in_a_group_and_has_an_example() {
        let mut verbs = Vec::new();
        visible(&command(), "", &mut verbs);
        for verb in &verbs {
            let examples = EXAMPLES.iter().filter(|(words, _)| words == verb).map(|(_, examples)| examples.len());
            assert!(examples.sum::<usize>() > 0, "{verb} has no example");
            let groups = GROUPS.iter().filter(|(_, listed)| listed.contains(&verb.as_str())).count();
            assert_eq!(groups, usize::from(!verb.contains(' ')), "{verb}");
        }
        #[cfg(feature = "gpu")]
        assert!(EXAMPLES.iter().all(|(words, _)| verbs.iter().any(|verb| verb == words)));
        assert!(verbs.iter().filter(|verb| !verb.contains(' ')).all(|verb| verb.len() <= WIDEST_VERB));
    }

    #[test]
    fn a_verb_that_was_meant_is_named() {
        let meant = |line: &str| {
            let argv: Vec<std::ffi::OsString> =
                ["aerogpu-replay"].into_iter().chain(line.split(' ')).map(Into::into).collect();
            misspelt_verb(&argv)
        };
        assert!(meant("frmaes trace.bin").unwrap().ends_with("did you mean the verb frames?"));
        assert!(meant("inof trace.bin").unwrap().ends_with("did you mean the verb info?"));
        for line in ["info trace.bin", "trace.bin", "--help", "src", "thing", "./frmaes", "a", "-"] {
            assert_eq!(meant(line), None, "{line}");
        }
    }

    #[test]
    fn lines_are_as_wide_as_they_may_be() {
        let help = command().render_long_help().to_string();
        assert!(help.lines().all(|line| line.chars().count() <= COLUMNS), "{help}");
        assert!(help.contains("Keep it from breaking:") && help.contains("--frames <SET>"), "{help}");
    }
}
