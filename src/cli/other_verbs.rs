//! Verbs of other programs: whoever types one is told what to type here.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Verbs by which other programs show or render a file. Here a trace alone does.
const OTHER_VERBS: [&str; 6] = ["open", "play", "render", "replay", "show", "view"];

/// Flags of every verb, which may stand before it.
const FLAGS: [&str; 9] = ["-v", "-vv", "-q", "--verbose", "--quiet", "--json", "--strict", "--keep-going", "--"];

/// A command line whose flags stand behind the verb, where the parser takes them.
pub(super) fn with_flags_behind(argv: Vec<OsString>, is_verb: impl Fn(&str) -> bool) -> Vec<OsString> {
    let is_flag = |word: &&OsString| *word != "--" && FLAGS.iter().any(|flag| OsStr::new(flag) == word.as_os_str());
    let before = argv.iter().skip(1).take_while(is_flag).count();
    let verb = argv.get(before.saturating_add(1)).and_then(|word| word.to_str());
    if before == 0 || !verb.is_some_and(is_verb) {
        return argv;
    }
    let mut words = argv;
    let flags: Vec<OsString> = words.drain(1..=before).collect();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.splice(end..end, flags);
    words
}

/// The sentence that says what to type instead of a verb that there is only elsewhere. A file of that name is a trace.
pub(super) fn instead(argv: &[OsString]) -> Option<String> {
    let is_flag = |word: &&OsString| FLAGS.iter().any(|flag| OsStr::new(flag) == word.as_os_str());
    let mut words = argv.iter().skip(1).skip_while(is_flag);
    let verb = words.next()?.to_str().filter(|word| OTHER_VERBS.contains(word))?;
    if Path::new(verb).exists() {
        return None;
    }
    let trace = words.next().map(|word| word.to_string_lossy()).filter(|word| !word.starts_with('-'));
    let trace = trace.as_deref().unwrap_or("TRACE");
    Some(format!("there is no verb `{verb}`: {}", usage(trace)))
}

/// The sentence for `timeline FILE`, which lacks the command before the file.
pub(super) fn timeline_without_command(argv: &[OsString]) -> Option<String> {
    let is_flag = |word: &&OsString| FLAGS.iter().any(|flag| OsStr::new(flag) == word.as_os_str());
    let mut words = argv.iter().skip(1).filter(|word| !is_flag(word));
    words.next().filter(|verb| *verb == "timeline")?;
    let file = words.next()?.to_str()?;
    let is_file = !file.starts_with('-') && (file.contains(['.', '/']) || Path::new(file).is_file());
    is_file.then(|| {
        format!(
            "timeline needs a command before the file: info, dump, stats, tree, diff, align, blame (slowest frames), \
             export or verify-export, as in `aerogpu-replay timeline info {file}`"
        )
    })
}

#[cfg(feature = "window")]
fn usage(trace: &str) -> String {
    format!(
        "`aerogpu-replay {trace}` opens the trace in a window, and `aerogpu-replay {trace} --frame N --out frame.png` writes a frame"
    )
}

#[cfg(all(feature = "gpu", not(feature = "window")))]
fn usage(trace: &str) -> String {
    format!("`aerogpu-replay {trace} --frame N --out frame.png` writes a frame")
}

#[cfg(not(feature = "gpu"))]
fn usage(trace: &str) -> String {
    format!("this build renders nothing; `aerogpu-replay info {trace}` says what is in the trace")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> Option<String> {
        let argv: Vec<OsString> = ["aerogpu-replay"].into_iter().chain(line.split(' ')).map(Into::into).collect();
        instead(&argv)
    }

    #[test]
    fn flags_may_stand_before_the_verb() {
        let moved = |line: &str| {
            let argv = line.split(' ').map(Into::into).collect();
            let words = with_flags_behind(argv, |word| word == "timeline");
            words.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(moved("a -q --json timeline tree b"), "a timeline tree b -q --json");
        assert_eq!(moved("a -q timeline tree -- -b"), "a timeline tree -q -- -b");
        for line in ["a", "a -q", "a -q b.bin", "a timeline -q", "a -- timeline", "a --frame timeline"] {
            assert_eq!(moved(line), line);
        }
    }

    #[test]
    fn a_file_in_the_place_of_a_command_is_named() {
        let told = |line: &str| {
            let argv: Vec<OsString> = ["aerogpu-replay"].into_iter().chain(line.split(' ')).map(Into::into).collect();
            timeline_without_command(&argv)
        };
        let message = told("--json timeline app.wtf-trace trace.bin").unwrap();
        assert!(message.contains("blame (slowest frames)") && message.ends_with("info app.wtf-trace`"), "{message}");
        for line in
            ["timeline", "timeline --help", "timeline stat a.trace", "timeline info a.trace", "info timeline a.b"]
        {
            assert_eq!(told(line), None, "{line}");
        }
    }

    #[test]
    fn verbs_of_other_programs_are_answered_with_what_to_type() {
        for verb in OTHER_VERBS {
            let told = told(&format!("{verb} my.trace")).unwrap();
            assert!(told.starts_with(&format!("there is no verb `{verb}`: ")) && told.contains(" my.trace"), "{told}");
        }
        assert!(told("open").unwrap().contains(" TRACE"));
        assert!(told("--json -v render --frame 3").unwrap().contains(" TRACE"));
        // The last one has a file of that name as what an option takes, not as a verb.
        for line in ["info open", "./open", "opens t", "--out open t"] {
            assert_eq!(told(line), None, "{line}");
        }
    }
}
