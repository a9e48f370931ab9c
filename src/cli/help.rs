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
    ("See what is in a trace", &["info", "dump", "frames", "draws", "passes", "events", "shaders"]),
    ("See a place in it", &["state", "buffer", "texture", "mesh"]),
    ("See what is drawn, and why", &["filmstrip", "pixel", "overlay", "diff", "bisect", "compare"]),
    ("Guard against regressions", &["golden", "verify", "lint"]),
    ("Write and read other files", &["trim", "extract", "repair", "timeline"]),
    ("For other programs", &["serve", "adapters", "doctor", "completions", "man", "help"]),
];

/// A command line without the program's name, and what it is for.
type Example = (&'static str, &'static str);

/// Examples, by the words of their verb.
#[rustfmt::skip]
const EXAMPLES: &[(&str, &[Example])] = &[
    ("info", &[("info trace.bin", "header, metadata and frames"),
        ("info trace.bin --deep", "also the numbers of packets by kind")]),
    ("dump", &[("dump trace.bin", "every record and packet with its offset"),
        ("dump trace.bin --hex", "with its bytes")]),
    ("diff", &[("diff expected.png found.png", "how much two pictures differ"),
        ("diff expected.png found.png --tolerance 2", "the same, channels may differ by 2")]),
    ("golden", &[("golden new trace.bin --into golden", "a case with one picture per frame"),
        ("golden test golden", "compare every case with its pictures")]),
    ("golden new", &[("golden new trace.bin --into cases --frames 0", "a case of one frame")]),
    ("golden test", &[("golden test golden --report report --junit results.xml", "for people, and for CI"),
        ("golden test golden --shard 1/2", "the second of two shards")]),
    ("golden approve", &[("golden approve golden --frames 0", "accept the current picture of frame 0 in every case")]),
    ("golden review", &[("golden review golden", "the changes, picture by picture")]),
    ("golden list", &[("golden list golden", "the cases")]),
    ("golden prune", &[("golden prune golden", "files that no case uses")]),
    ("golden fsck", &[("golden fsck golden", "problems with the files")]),
    ("golden mutate", &[("golden mutate golden", "the faults that no case would detect"),
        ("golden mutate golden --draws 1000", "with more of the draws of large frames")]),
    ("golden merge", &[("golden merge report --report whole", "one result from all shards")]),
    ("bisect", &[("bisect trace.bin --frame 0 --a vulkan --b gl", "the first draw that differs between two APIs"),
        ("bisect trace.bin --by input --b other.bin", "the first frame and command that differ between two traces")]),
    ("compare", &[("compare trace.bin other.bin", "the first frame and draw that differ between two traces, \
        by input and picture"),
        ("compare trace.bin other.bin --by input", "the same by input only, without a GPU")]),
    ("filmstrip", &[("filmstrip trace.bin --frame 0 --out film", "a picture after each draw")]),
    ("pixel", &[("pixel trace.bin --frame 0 --at 32,32", "the draws that wrote a pixel, with their colours"),
        ("pixel trace.bin --frame 0 --at 32,32 --all --triangles", "also the draws that did not, and why"),
        ("pixel stream.bin --frame 0 --at 8,8 --target 1", "a pixel of texture 1")]),
    ("overlay", &[("overlay trace.bin --frame 0 --kind overdraw --out overdraw.png", "how often each pixel is written"),
        ("overlay trace.bin --frame 0 --draw 0 --kind tests --out tests.png", "pixels of a draw by the tests that they fail")]),
    ("frames", &[("frames trace.bin", "the contents of each frame"),
        ("frames trace.bin --filter '*(draws > 100)'", "frames with more than a hundred draws")]),
    ("draws", &[("draws trace.bin --frame 1", "the draws of a frame"),
        ("draws trace.bin --filter '*(index_count > 300)' --json", "large indexed draws, a JSON object each")]),
    ("passes", &[("passes trace.bin --frame 0", "the passes of a frame, and which of them read what others write"),
        ("passes trace.bin --filter '*(could_join >= 0)'", "passes that could be one with an earlier one")]),
    ("events", &[("events trace.bin --frame 0", "the packets of a frame with their arguments"),
        ("events trace.bin --frame last --filter 'DRAW(vertex_count > 2)'", "some packets of the last frame"),
        ("events trace.bin --frame 0 --filter 'SET_RENDER_STATE(state =~ BLEND)'", "packets that set a state")]),
    ("state", &[("state trace.bin --frame 0 --draw last", "the state of the last draw"),
        ("state trace.bin --frame 1 --draw 0 --against 0/draw=0", "what differs from the same draw a frame before")]),
    ("buffer", &[("buffer trace.bin --frame 0 --draw 0 --vertices", "the bound vertices as numbers"),
        ("buffer stream.bin 2 --frame 0", "the bytes of buffer 2")]),
    ("texture", &[("texture stream.bin 1 --frame 0", "the first mip of texture 1")]),
    ("mesh", &[("mesh trace.bin --frame 0 --draw 0", "vertices as the vertex shader outputs them"),
        ("mesh trace.bin --frame 0 --draw 0 --obj mesh.obj", "the same for a 3D program")]),
    ("verify", &[("verify trace.bin --deep", "every reference, bound and rule checked"),
        ("verify trace.bin --seek --determinism 2", "whether a frame looks the same after seeking and after playing")]),
    ("lint", &[("lint trace.bin", "legal commands that look like mistakes")]),
    ("trim", &[("trim trace.bin small.bin --frames 0", "a trace of one frame"),
        ("trim trace.bin rest.bin --frames 1-", "all but the first"),
        ("compare trace.bin small.bin", "a check: the kept frames have identical inputs; exit code 1, for the others are missing")]),
    ("extract", &[("extract trace.bin --shaders shaders", "the shaders, for editing: --replace-shaders draws with \
        them")]),
    ("repair", &[("repair torn.bin whole.bin", "a table of contents for a trace without one")]),
    (
        "shaders",
        &[
            ("shaders trace.bin", "every program, with its interface"),
            ("shaders stream.bin --frame 0 --draw 0 --emit asm", "the assembly of the shaders that a draw uses"),
        ],
    ),
    ("timeline", &[("timeline info calls.trace", "the contents of a recording"),
        ("timeline blame trace.bin calls.trace --align frames", "the slowest frames of a trace, by a recording")]),
    ("timeline info", &[("timeline info calls.trace", "the contents of a recording")]),
    ("timeline dump", &[("timeline dump calls.trace", "its events in order")]),
    ("timeline stats", &[("timeline stats calls.trace", "counts and durations")]),
    ("timeline align", &[("timeline align trace.bin calls.trace --align frames", "matching frames")]),
    ("timeline blame", &[("timeline blame trace.bin calls.trace --align frames", "the slowest frames first, where both \
        began together")]),
    ("timeline tree", &[("timeline tree calls.trace", "callers, callees and their durations")]),
    ("timeline diff", &[("timeline diff calls.trace calls.trace", "names that take longer than before")]),
    ("timeline export", &[("timeline export trace.bin calls.trace --align frames --out run.perfetto-trace", "a trace and a \
        recording, for ui.perfetto.dev"),
        ("timeline export calls.trace --out timeline.json", "a recording alone, for chrome://tracing")]),
    ("timeline verify-export", &[("timeline verify-export run.perfetto-trace trace.bin calls.trace --align frames", "whether \
        the export is still what these files give")]),
    ("serve", &[("serve --stdio", "requests on stdin, answers on stdout, one per line")]),
    ("adapters", &[("adapters", "the GPUs of this machine")]),
    ("doctor", &[("doctor", "information for a bug report")]),
    ("completions", &[("completions bash", "for bash: source <(aerogpu-replay completions bash)")]),
    ("man", &[("man --out man", "manual pages, one per verb")]),
];

/// Examples of playing, which has no verb.
#[cfg(feature = "gpu")]
const PLAYING: &[Example] = &[
    ("trace.bin --frame 0 --out frame.png", "a frame as a picture"),
    ("trace.bin --frames all --hash", "a hash for each frame"),
    ("trace.bin --frame 0 --draw last --out draw.png", "the picture after the last draw"),
    (
        "trace.bin --frame 0 --replace-shaders shaders --out edited.png",
        "with the edited files of extract --shaders shaders",
    ),
];
#[cfg(not(feature = "gpu"))]
const PLAYING: &[Example] = &[];

/// Arguments that say where files go.
const OUTPUT_ARGUMENTS: [&str; 8] = ["out", "output", "obj", "into", "junit", "report", "shaders", "blobs"];

/// The rule for every output.
const OUTPUTS: &str = "Output files are written atomically: each goes to a temporary file, is synced, then \
    renamed. A symbolic link is followed to its target; a pipe, device or terminal, including /dev/stdout, is written directly. A run that ends by an error or a signal leaves no partial file.";

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
                None if *verb == "help" => Some("Print this help, or the help of a verb".to_owned()),
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
    Some(format!("\"{word}\" is neither a verb nor a file: did you mean the verb {verb}?"))
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
        assert!(help.contains("Guard against regressions:") && help.contains("--frames <SET>"), "{help}");
    }
}
