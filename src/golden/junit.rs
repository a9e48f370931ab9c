//! Outcomes as JUnit XML, the form that CI services read.

use std::fmt::Write;

use super::outcome::{CaseOutcome, Status};
use crate::text::is_harmless;

/// The outcomes as one test suite, a case each.
pub fn junit(outcomes: &[CaseOutcome]) -> String {
    let count = |wanted: fn(Status) -> bool| outcomes.iter().filter(|outcome| wanted(outcome.status)).count();
    let (failures, errors) = (count(is_failure), count(is_error));
    let skipped = count(|status| status == Status::KnownFailure);
    let seconds: f64 = outcomes.iter().map(|outcome| outcome.seconds).sum();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    let attributes = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\"",
        outcomes.len()
    );
    // Writing to a string does not fail.
    let _ = writeln!(xml, "  <testsuite name=\"golden\" {attributes}>");
    for outcome in outcomes {
        write_case(&mut xml, outcome);
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

fn write_case(xml: &mut String, outcome: &CaseOutcome) {
    let (name, folder) = (escape(&outcome.case), escape(&outcome.folder));
    let start = format!("    <testcase name=\"{name}\" classname=\"{folder}\" time=\"{:.3}\"", outcome.seconds);
    let element = match outcome.status {
        Status::Passed => None,
        Status::KnownFailure => Some("skipped"),
        status if is_error(status) => Some("error"),
        _ => Some("failure"),
    };
    if element.is_none() && outcome.warnings.is_empty() {
        let _ = writeln!(xml, "{start}/>");
        return;
    }
    let _ = writeln!(xml, "{start}>");
    if let Some(element) = element {
        let message = escape(&format!("{}: {}", outcome.status.word(), outcome.summary()));
        let _ = writeln!(xml, "      <{element} message=\"{message}\">{}</{element}>", escape(&details(outcome)));
    }
    if !outcome.warnings.is_empty() {
        let warnings = outcome.warnings.iter().map(|warning| format!("warning: {}: {warning}", outcome.trace));
        let _ = writeln!(xml, "      <system-err>{}</system-err>", escape(&warnings.collect::<Vec<_>>().join("\n")));
    }
    xml.push_str("    </testcase>\n");
}

fn details(outcome: &CaseOutcome) -> String {
    let frames = outcome.frames.iter().filter(|frame| frame.status != Status::Passed);
    let lines = frames.map(|frame| {
        let cause = frame.cause.as_ref().map(|cause| format!("\n  cause: {cause}")).unwrap_or_default();
        format!("frame {}: {}: {}{cause}", frame.of, frame.status.word(), frame.message)
    });
    lines
        .chain(outcome.earlier_attempts.iter().map(|attempt| format!("earlier attempt: {attempt}")))
        .collect::<Vec<_>>()
        .join("\n")
}

fn is_error(status: Status) -> bool {
    matches!(status, Status::Error | Status::Crashed | Status::TimedOut | Status::NoAdapter)
}

fn is_failure(status: Status) -> bool {
    !status.is_good() && !is_error(status)
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

    #[test]
    fn hostile_names_stay_text() {
        let name = "<a \"&\u{1}\u{9b}\u{202e}";
        let outcome = CaseOutcome::ended(name.into(), "f".into(), Status::Crashed, "</error>]]>");
        let xml = junit(&[outcome]);
        assert!(xml.contains(r#"name="&lt;a &quot;&amp;\u{1}\u{9b}\u{202e}""#), "{xml}");
        assert!(xml.contains("message=\"crashed: &lt;/error&gt;]]&gt;\""), "{xml}");
        assert!(xml.contains("tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\""), "{xml}");
    }

    #[test]
    fn warnings_are_told_of_what_has_passed_too() {
        let outcome = |status| {
            let warnings = vec!["odd <1>".to_owned(), "odd 2".to_owned()];
            CaseOutcome::ended("a".into(), "f".into(), status, "").about(std::path::Path::new("t"), warnings)
        };
        let xml = junit(&[outcome(Status::Passed), outcome(Status::Error)]);
        let told = "      <system-err>warning: t: odd &lt;1&gt;&#10;warning: t: odd 2</system-err>\n    </testcase>\n";
        assert_eq!(xml.matches(told).count(), 2, "{xml}");
    }
}
