//! Outcomes as JUnit XML, the form that CI services read.
//!
//! ```text
//!  testsuites                         the run
//!  └─ testsuite  name=case            a case, with its time and the warnings of its trace
//!     ├─ testcase name="frame 3"      a picture: its verdict, or nothing if it is as it should be
//!     └─ testcase name=case           the case itself, where its pictures do not say what is wrong with it
//! ```
//!
//! The elements are those that readers of Ant's format share; `type` says how a picture or a case ended. `docs/junit.xsd` is
//! the schema.

use std::fmt::Write;

use super::outcome::{CaseOutcome, Status};
use crate::text::is_harmless;

/// The outcomes as test suites, one a case.
pub fn junit(outcomes: &[CaseOutcome]) -> String {
    let suites: Vec<Vec<TestCase>> = outcomes.iter().map(tests_of).collect();
    let seconds: f64 = outcomes.iter().map(|outcome| outcome.seconds).sum();
    let all: Vec<&TestCase> = suites.iter().flatten().collect();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string does not fail.
    // How many are skipped is said of suites alone: some readers know it nowhere else.
    let _ = writeln!(xml, "<testsuites name=\"golden\" {}>", totals(&all, seconds));
    for (outcome, tests) in outcomes.iter().zip(&suites) {
        write_suite(&mut xml, outcome, tests);
    }
    xml.push_str("</testsuites>\n");
    xml
}

/// One thing that passes or fails.
struct TestCase {
    name: String,
    status: Status,
    message: String,
    details: String,
}

fn tests_of(outcome: &CaseOutcome) -> Vec<TestCase> {
    let of_frames = outcome.frames.iter().map(|frame| {
        let reasons: Vec<&str> =
            [&frame.input_change, &frame.cause].into_iter().flatten().map(String::as_str).collect();
        TestCase {
            name: format!("frame {}", frame.of),
            status: frame.status,
            message: frame.message.clone(),
            details: reasons.join("\n"),
        }
    });
    let mut tests: Vec<TestCase> = of_frames.collect();
    let worst = outcome.frames.iter().map(|frame| frame.status).max();
    if outcome.message.is_some() || worst != Some(outcome.status) {
        tests.push(TestCase {
            name: outcome.case.clone(),
            status: outcome.status,
            message: outcome.summary(),
            details: String::new(),
        });
    }
    let attempts = outcome.earlier_attempts.iter().map(|attempt| format!("earlier attempt: {attempt}"));
    let failed = tests.iter_mut().filter(|test| element_of(test.status).is_some()).max_by_key(|test| test.status);
    if let Some(test) = failed {
        let lines = Some(test.details.clone()).filter(|details| !details.is_empty()).into_iter().chain(attempts);
        test.details = lines.collect::<Vec<_>>().join("\n");
    }
    tests
}

fn count(tests: &[&TestCase], element: &str) -> usize {
    tests.iter().filter(|test| element_of(test.status) == Some(element)).count()
}

fn totals(tests: &[&TestCase], seconds: f64) -> String {
    let (failures, errors) = (count(tests, "failure"), count(tests, "error"));
    format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\"", tests.len())
}

fn write_suite(xml: &mut String, outcome: &CaseOutcome, tests: &[TestCase]) {
    let all: Vec<&TestCase> = tests.iter().collect();
    let (name, skipped) = (escape(&outcome.case), count(&all, "skipped"));
    let _ = writeln!(xml, "  <testsuite name=\"{name}\" {} skipped=\"{skipped}\">", totals(&all, outcome.seconds));
    for TestCase { name, status, message, details } in tests {
        let start = format!("    <testcase name=\"{}\" classname=\"{}\"", escape(name), escape(&outcome.folder));
        let Some(element) = element_of(*status) else {
            let _ = writeln!(xml, "{start}/>");
            continue;
        };
        let message = escape(&format!("{}: {message}", status.word()));
        let kind = escape(&status.word().replace(' ', "-"));
        // What is expected to fail has no type.
        let kind = if element == "skipped" { String::new() } else { format!(" type=\"{kind}\"") };
        let _ = writeln!(xml, "{start}>");
        let _ = writeln!(xml, "      <{element} message=\"{message}\"{kind}>{}</{element}>", escape(details));
        xml.push_str("    </testcase>\n");
    }
    if !outcome.warnings.is_empty() {
        let warnings = outcome.warnings.iter().map(|warning| format!("warning: {}: {warning}", outcome.trace));
        let _ = writeln!(xml, "    <system-err>{}</system-err>", escape(&warnings.collect::<Vec<_>>().join("\n")));
    }
    xml.push_str("  </testsuite>\n");
}

/// The element that says so; none of what has passed.
fn element_of(status: Status) -> Option<&'static str> {
    match status {
        Status::Passed => None,
        Status::KnownFailure => Some("skipped"),
        Status::Error | Status::Crashed | Status::TimedOut | Status::NoAdapter => Some("error"),
        Status::Flaky | Status::Missing | Status::UnexpectedPass | Status::Different => Some("failure"),
    }
}

/// Text for XML 1.0, which has no way to write most control characters. What would act on whoever reads it, such as what
/// turns text round, is there to be seen.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other if is_harmless(other) => escaped.push(other),
            control => escaped.extend(control.escape_default()),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::aerogpu::FrameIndex;
    use crate::golden::outcome::FrameOutcome;

    fn frame(number: u32, status: Status, cause: Option<&str>) -> FrameOutcome {
        let ended = FrameOutcome::ended(FrameIndex(number).into(), status, format!("frame {number} says so"));
        FrameOutcome { cause: cause.map(ToOwned::to_owned), ..ended }
    }

    fn case(status: Status, frames: Vec<FrameOutcome>) -> CaseOutcome {
        let ended = CaseOutcome::ended("water".into(), "golden/water".into(), status, "");
        CaseOutcome { message: None, frames, seconds: 1.5, ..ended }
    }

    #[test]
    fn each_picture_is_a_test() {
        let frames = vec![
            frame(0, Status::Passed, None),
            frame(1, Status::Different, Some("draw 3")),
            frame(2, Status::KnownFailure, None),
            frame(3, Status::TimedOut, None),
        ];
        let mut outcome = case(Status::Different, frames);
        outcome.earlier_attempts.push("the same".to_owned());
        let xml = junit(&[outcome]);
        let counts = "tests=\"4\" failures=\"1\" errors=\"1\" time=\"1.500\"";
        assert_eq!(xml.matches(counts).count(), 2, "{xml}");
        assert_eq!(xml.matches("skipped=\"1\"").count(), 1, "{xml}");
        for line in [
            "<testcase name=\"frame 0\" classname=\"golden/water\"/>",
            "<failure message=\"different: frame 1 says so\" type=\"different\">draw 3&#10;earlier attempt: the same</failure>",
            "<skipped message=\"known failure: frame 2 says so\"></skipped>",
            "<error message=\"timed out: frame 3 says so\" type=\"timed-out\"></error>",
        ] {
            assert!(xml.contains(line), "{line} is not in {xml}");
        }
        assert!(!xml.contains("name=\"water\" classname"), "the pictures say all: {xml}");
    }

    #[test]
    fn a_case_says_what_its_pictures_do_not() {
        let mut flaky = case(Status::Flaky, vec![frame(0, Status::Passed, None)]);
        flaky.earlier_attempts.push("it differed".to_owned());
        let xml = junit(&[flaky]);
        assert!(xml.contains("tests=\"2\" failures=\"1\""), "{xml}");
        let failure = "type=\"flaky\">earlier attempt: it differed</failure>";
        assert!(xml.contains("<testcase name=\"water\" classname=\"golden/water\">") && xml.contains(failure), "{xml}");
        let changed = CaseOutcome { message: Some("the trace has changed".into()), ..case(Status::Error, Vec::new()) };
        let xml = junit(&[changed]);
        assert!(xml.contains("<error message=\"error: the trace has changed\" type=\"error\"></error>"), "{xml}");
    }

    #[test]
    fn hostile_names_stay_text() {
        let name = "<a \"&\u{1}\u{9b}\u{202e}";
        let outcome = CaseOutcome::ended(name.into(), "f".into(), Status::Crashed, "</error>]]>");
        let xml = junit(&[outcome]);
        assert!(xml.contains(r#"name="&lt;a &quot;&amp;\u{1}\u{9b}\u{202e}""#), "{xml}");
        assert!(xml.contains("message=\"crashed: &lt;/error&gt;]]&gt;\""), "{xml}");
        assert!(xml.contains("tests=\"1\" failures=\"0\" errors=\"1\" time"), "{xml}");
    }

    #[test]
    fn warnings_are_told_of_what_has_passed_too() {
        let outcome = |status| {
            let warnings = vec!["odd <1>".to_owned(), "odd 2".to_owned()];
            CaseOutcome::ended("a".into(), "f".into(), status, "").about(std::path::Path::new("t"), warnings)
        };
        let xml = junit(&[outcome(Status::Passed), outcome(Status::Error)]);
        let told = "    <system-err>warning: t: odd &lt;1&gt;&#10;warning: t: odd 2</system-err>\n  </testsuite>\n";
        assert_eq!(xml.matches(told).count(), 2, "{xml}");
    }
}
