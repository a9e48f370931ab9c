//! Errors of GLSL texts, and remarks on them, where an editor shows them.

use super::front_end_error::{FrontEnd, IssueRange, RelatedIssue, ShaderIssue, ShaderRemark};
use super::glsl::{GlslError, GlslErrors, LinkError, Place, Remark, Stage};
use crate::bytes::FindingKind;
use crate::command::ShaderStage;
use crate::error::Severity;

impl FrontEnd for GlslErrors {
    fn issues(&self) -> Vec<ShaderIssue> {
        self.iter().flat_map(issues_of).collect()
    }
}

fn issues_of(error: &GlslError) -> Vec<ShaderIssue> {
    match error {
        GlslError::Invalid { fault, place } => {
            let mut issue = at(place, fault.to_string());
            issue.hint = fault.hint();
            if let Some(line) = fault.related_line() {
                issue.related.push(related(place, IssueRange::of_line(line), "it is declared here"));
            }
            vec![issue]
        }
        GlslError::Unsupported { construct, place } => vec![at(place, construct.to_string())],
        GlslError::LimitExceeded { limit, place } => vec![at(place, limit.to_string())],
        GlslError::Internal { what, place } => vec![at(place, format!("this is a bug of the GLSL translator: {what}"))],
        GlslError::Link(error) => link_issues(error),
    }
}

fn link_issues(error: &LinkError) -> Vec<ShaderIssue> {
    match error {
        LinkError::MissingVarying { name, declared, place } => {
            vec![at(place, format!("fragment input '{name}' ({declared}) has no vertex output of that name"))]
        }
        LinkError::Mismatch { what, name, vertex, fragment, vertex_place, fragment_place } => {
            let of_vertices = format!("{what} '{name}' is {vertex} here but {fragment} in the fragment shader");
            let of_fragments = format!("{what} '{name}' is {fragment} here but {vertex} in the vertex shader");
            let mut issues = [at(vertex_place, of_vertices), at(fragment_place, of_fragments)];
            let other = |place: &Place| related(place, range_of(place), "the other shader declares it here");
            let [vertex, fragment] = &mut issues;
            vertex.related.push(other(fragment_place));
            fragment.related.push(other(vertex_place));
            issues.into()
        }
        LinkError::TooManyVaryings { found, cap, place } => {
            vec![at(place, format!("varyings need {found} locations, expected at most {cap}"))]
        }
        LinkError::LocationTaken { name, location, other, place } => {
            vec![at(place, format!("'{name}' is at location {location}, which '{other}' has"))]
        }
    }
}

/// A remark on a pair whose vertex text begins at `offset`.
pub(super) fn remark(remark: &Remark, offset: u64) -> ShaderRemark {
    let Remark { place, what, kind } = remark;
    let mut of_pair = ShaderRemark::without_place(offset, what.clone());
    if let Some(place) = place {
        of_pair = ShaderRemark { offset: place.offset(), issue: at(place, what.clone()) };
    }
    of_pair.issue.severity = match kind {
        FindingKind::Oddity => Severity::Warning,
        FindingKind::Remark => Severity::Information,
    };
    of_pair
}

fn at(place: &Place, message: String) -> ShaderIssue {
    let mut issue = ShaderIssue {
        severity: Severity::Error,
        stage: Some(stage_of(place)),
        line: Some(place.line),
        column: Some(place.column),
        range: Some(range_of(place)),
        message,
        hint: None,
        related: Vec::new(),
    };
    if let Some(expansion) = &place.expansion {
        issue.message = format!("{}, {expansion}", issue.message);
        let what = format!("'{}' is defined here", expansion.name);
        issue.related.push(related(place, IssueRange::of_line(expansion.line), &what));
    }
    issue
}

fn stage_of(place: &Place) -> ShaderStage {
    match place.stage {
        Stage::Vertex => ShaderStage::Vertex,
        Stage::Fragment => ShaderStage::Fragment,
    }
}

fn range_of(place: &Place) -> IssueRange {
    let line = place.line.saturating_sub(1);
    IssueRange { line, from: place.characters.start, to: place.characters.end }
}

fn related(place: &Place, range: IssueRange, message: &str) -> RelatedIssue {
    RelatedIssue { stage: stage_of(place), range, message: message.to_owned() }
}
