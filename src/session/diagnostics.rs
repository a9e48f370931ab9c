//! What is wrong and odd about shaders as the Language Server Protocol has it, for editors that ask through `serve`.
//!
//! A diagnostic's `uri` in `relatedInformation` is `shader:vertex` or `shader:fragment`; its `data.hint` is what to write
//! instead. Those of one text are those with its `stage`, which is not of the protocol.

use serde_json::{Value, json};

use crate::error::Severity;
use crate::shader::{IssueRange, ShaderIssue};

/// Members that list [`ShaderIssue`]s.
const LISTS: [&str; 2] = ["issues", "remarks"];

/// Puts them beside the issues and remarks wherever an answer has some, those without a place at the beginning.
pub(crate) fn add_diagnostics(answer: &mut Value) {
    match answer {
        Value::Object(members) => {
            let listed = LISTS.iter().filter_map(|list| {
                let issues = members.get(*list)?;
                serde_json::from_value::<Vec<ShaderIssue>>(issues.clone()).ok()
            });
            let listed: Vec<_> = listed.collect();
            members.values_mut().for_each(add_diagnostics);
            if !listed.is_empty() {
                let diagnostics: Vec<_> = listed.iter().flatten().map(diagnostic).collect();
                members.insert("diagnostics".to_owned(), json!(diagnostics));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(add_diagnostics),
        _ => {}
    }
}

fn diagnostic(issue: &ShaderIssue) -> Value {
    // An issue of a line alone is at its beginning, one without a line at the text's.
    let line = issue.line.map_or(0, |line| line.saturating_sub(1));
    let beginning = IssueRange { line, from: 0, to: 0 };
    let related: Vec<Value> = issue
        .related
        .iter()
        .map(|other| {
            let location = json!({ "uri": format!("shader:{}", other.stage), "range": range(other.range) });
            json!({ "location": location, "message": other.message })
        })
        .collect();
    json!({
        "range": range(issue.range.unwrap_or(beginning)),
        "severity": severity(issue.severity),
        "source": "aerogpu-replay",
        "message": issue.message,
        "relatedInformation": related,
        "data": { "hint": issue.hint },
        "stage": issue.stage,
    })
}

/// `DiagnosticSeverity`
fn severity(of: Severity) -> u32 {
    match of {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Information => 3,
    }
}

fn range(of: IssueRange) -> Value {
    let position = |character: u32| json!({ "line": of.line, "character": character });
    json!({ "start": position(of.from), "end": position(of.to) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::ShaderStage;
    use crate::shader::RelatedIssue;

    #[test]
    fn an_issue_is_a_diagnostic() {
        let issue = ShaderIssue {
            severity: Severity::Error,
            stage: Some(ShaderStage::Fragment),
            line: Some(7),
            column: Some(5),
            range: Some(IssueRange { line: 6, from: 4, to: 13 }),
            message: "function 'texture2D' is not declared: GLSL ES 3.00 uses 'texture'".to_owned(),
            hint: Some("GLSL ES 3.00 uses 'texture'".to_owned()),
            related: vec![RelatedIssue {
                stage: ShaderStage::Vertex,
                range: IssueRange::of_line(3),
                message: "here".to_owned(),
            }],
        };
        let remark =
            ShaderIssue { severity: Severity::Warning, ..ShaderIssue::without_place(None, "it is odd".to_owned()) };
        let mut answer = json!({ "compiled": [{ "issues": [issue], "remarks": [remark] }] });
        add_diagnostics(&mut answer);
        let told = &answer["compiled"][0]["diagnostics"][0];
        assert_eq!(
            told["range"],
            json!({ "start": { "line": 6, "character": 4 }, "end": { "line": 6, "character": 13 } })
        );
        assert_eq!((&told["severity"], &told["data"]["hint"]), (&json!(1), &json!("GLSL ES 3.00 uses 'texture'")));
        assert_eq!(told["relatedInformation"][0]["location"]["uri"], "shader:vertex");
        assert_eq!(told["relatedInformation"][0]["location"]["range"]["start"]["line"], 2);
        let odd = &answer["compiled"][0]["diagnostics"][1];
        assert_eq!((&odd["severity"], &odd["range"]["end"]["character"]), (&json!(2), &json!(0)));
        assert_eq!(answer["compiled"][0]["diagnostics"][2], Value::Null);
        // One whose line alone is known is at that line's beginning.
        let of_line = ShaderIssue { line: Some(2), ..ShaderIssue::without_place(None, "it ends too early".to_owned()) };
        let mut answer = json!({ "issues": [of_line] });
        add_diagnostics(&mut answer);
        let beginning = json!({ "line": 1, "character": 0 });
        assert_eq!(answer["diagnostics"][0]["range"], json!({ "start": beginning, "end": beginning }));
    }
}
